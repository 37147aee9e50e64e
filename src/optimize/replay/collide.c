/* A phase in the collision integrator: the discrete action of the transcription, what the phase holds as closed contacts, and the
 * time of the strike as an unknown of the last step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/inertia.h"
#include "integrate/impacts/impacts.h"
#include "integrate/stepper.h"
#include "optimize/replay/replay.h"

/* The system with these contacts, which starts where the replay is. Only arrays that differ are its own. */
typedef struct twin {
    ac_system system;
    ac_contact contacts[AC_REPLAY_CONTACTS];
    ac_stepper stepper;
    double h;
    int strike;     /* number of the contact, -1: none */
    double *handed; /* n: momentum before the impact */
} twin;

/* Gaps below this part of the typical length may be an impact. */
static const double NEAR = 1e-6;

static ac_status open_twin(const ac_replay_phase *r, twin *t)
{
    const ac_optimization *phase = r->phase;
    ac_simulation_settings settings;
    int contacts = t->system.contact_count;
    t->system = *r->system;
    t->system.contacts = t->contacts;
    t->system.contact_count = contacts;
    t->system.measures = NULL;
    t->system.initial.q = r->point->q;
    t->system.initial.v = r->point->v;
    AC_NEW(phase->ctx, t->handed, t->system.n);
    AC_NEW(phase->ctx, t->system.measures, t->system.measure_count + 1);
    for (int k = 0; k < t->system.measure_count; ++k) {
        t->system.measures[k] = r->system->measures[k];
        t->system.measures[k].initial = r->point->winding[k];
    }
    ac_simulation_defaults(&settings);
    settings.scheme = ac_optimization_scheme(phase);
    settings.formulation = "reduced";
    settings.step = t->h = ac_optimization_duration(phase) / phase->layout.N;
    t->stepper.interval.controls = ac_optimization_inputs(phase);
    t->stepper.interval.tau = ac_optimization_input_values(phase, 0);
    AC_TRY(ac_stepper_create(&t->stepper, phase->ctx, &t->system, &settings));
    t->stepper.formulation->enter(&t->stepper);
    return AC_OK;
}

static long mesh_node(const ac_stepper *s)
{
    return s->impacts ? ac_impacts_mesh_steps(s, false) : s->step;
}

/* Is the surface reached at q_a? Then the impact happens there. */
static ac_status strike(twin *t, bool *struck)
{
    ac_stepper *s = &t->stepper;
    if (t->strike < 0 || !s->impacts->touches[t->strike].armed) return AC_OK;
    double gap = ac_gap_value(&t->system, &t->contacts[t->strike], s->qa, s->winding, NULL);
    int events = s->impacts->event_count;
    if (!(gap <= NEAR * t->system.length_scale)) return AC_OK;
    memcpy(t->handed, s->p, (size_t)t->system.n * sizeof *s->p);
    AC_TRY(ac_strike_all(s->impacts));
    for (; events < s->impacts->event_count; ++events)
        *struck = *struck || s->impacts->events[events].contact == t->strike;
    return AC_OK;
}

/* To the strike, or to the last node. */
static ac_status walk(ac_replay_phase *r, twin *t, bool *struck)
{
    ac_stepper *s = &t->stepper;
    int N = r->phase->layout.N;
    *struck = false;
    while (!*struck) {
        long node = mesh_node(s);
        if (t->strike < 0 && node == N) return AC_OK;
        if (s->t > AC_REPLAY_PATIENCE * N * t->h) return AC_OK;
        s->interval.tau = ac_optimization_input_values(r->phase, node < N ? (int)node : N - 1);
        AC_TRY(ac_replay_show(r, (int)node, s->t, s->qa));
        AC_TRY(s->impacts ? ac_impacts_solve(s) : ac_stepper_solve(s));
        ac_impacts_advance(s);
        ac_stepper_advance(s);
        AC_TRY(strike(t, struck));
    }
    return AC_OK;
}

/* Configuration and velocity at the end, before and after what strikes. */
static ac_status finish(ac_replay_phase *r, twin *t, bool struck)
{
    ac_stepper *s = &t->stepper;
    size_t n = (size_t)t->system.n;
    ac_equations held;
    memcpy(r->point->q, s->qa, n * sizeof *s->qa);
    memcpy(r->point->winding, s->winding, (size_t)t->system.measure_count * sizeof *s->winding);
    r->duration = s->t;
    AC_TRY(ac_replay_show(r, -1, s->t, s->qa));
    ac_status status = ac_equations_open(r->phase, r->phase->description.phase.hold_count,
                                         r->phase->description.phase.holds, &held);
    if (status == AC_OK) status = ac_equations_factor(&held, s->qa);
    if (status == AC_OK)
        status = ac_equations_solve(&held, s->qa, struck ? t->handed : s->p, NULL, NULL, r->point->v);
    ac_equations_close(r->phase->ctx, &held);
    memcpy(r->after, r->point->v, n * sizeof *r->after);
    if (struck) memcpy(r->after, s->impacts->speeds, n * sizeof *r->after);
    return status;
}

/* What is doubtful about the contacts. */
static void tell_doubts(const ac_replay_phase *r, const twin *t)
{
    if (!t->stepper.impacts || r->remark[0] || r->cycle > 0) return;
    ac_impacts_remark(t->stepper.impacts, 0, r->remark, AC_REPLAY_REMARK_SIZE);
}

ac_status ac_replay_collide(ac_replay_phase *r)
{
    twin *t;
    AC_NEW(r->phase->ctx, t, 1);
    bool struck = false;
    ac_status status = AC_NOT_CONVERGED;
    if (ac_replay_contacts(r, t->contacts, &t->system.contact_count)) {
        t->strike = r->end->trigger >= 0 ? t->system.contact_count - 1 : -1;
        status = open_twin(r, t);
        if (status == AC_OK) status = walk(r, t, &struck);
        if (status == AC_OK && t->strike >= 0 && !struck) {
            snprintf(r->remark, AC_REPLAY_REMARK_SIZE, "'%s' does not strike in cycle %d",
                     t->contacts[t->strike].name, r->cycle + 1);
            status = AC_NOT_CONVERGED;
        }
        if (status == AC_OK) status = finish(r, t, struck);
        if (status == AC_OK) tell_doubts(r, t);
    }
    ac_stepper_destroy(&t->stepper);
    ac_release(r->phase->ctx, t->system.measures);
    ac_release(r->phase->ctx, t->handed);
    ac_release(r->phase->ctx, t);
    return status;
}
