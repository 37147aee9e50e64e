/* Velocities of the motion found: unknowns at the ends of a phase, elsewhere those of the momentum at the end of an interval,
 * within what the phase holds. */
#include <string.h>

#include "optimize/plan/replay.h"
#include "optimize/replay/replay.h"

ac_status ac_found_open(ac_optimization *phase, const ac_system *system, ac_found *f)
{
    memset(f, 0, sizeof *f);
    f->phase = phase;
    AC_TRY(ac_replay_stepper(phase, system, NULL, &f->stepper));
    return ac_equations_open(phase, phase->description.phase.hold_count, phase->description.phase.holds,
                             &f->held);
}

void ac_found_close(ac_found *f)
{
    ac_equations_close(f->phase->ctx, &f->held);
    ac_stepper_destroy(&f->stepper);
}

/* The momentum of an interval at its end, or at its start. */
static const double *interval_momentum(ac_found *f, int interval, bool at_end)
{
    ac_stepper *s = &f->stepper;
    size_t n = (size_t)f->phase->system->n;
    memcpy(s->winding, ac_optimization_near(f->phase, interval),
           (size_t)f->phase->system->measure_count * sizeof *s->winding);
    memcpy(s->qa, ac_q(f->phase, interval), n * sizeof *s->qa);
    memcpy(s->qb, ac_q(f->phase, interval + 1), n * sizeof *s->qb);
    s->interval.tau = ac_optimization_input_values(f->phase, interval);
    s->interval.t = interval * s->h;
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    if (at_end) {
        s->scheme->right(&s->interval, s->p, s->right);
        return s->right;
    }
    for (size_t i = 0; i < n; ++i) s->p[i] = -s->left[i];
    return s->p;
}

ac_status ac_found_velocity(ac_found *f, int node, double *v)
{
    const double *given = node == 0                    ? ac_optimization_first_velocity(f->phase)
                          : node == f->phase->layout.N ? ac_optimization_last_velocity(f->phase)
                                                       : NULL;
    if (given) {
        memcpy(v, given, (size_t)f->phase->system->n * sizeof *v);
        return AC_OK;
    }
    const double *p = interval_momentum(f, node > 0 ? node - 1 : 0, node > 0), *q = ac_q(f->phase, node);
    AC_TRY(ac_equations_factor(&f->held, q));
    return ac_equations_solve(&f->held, q, p, NULL, NULL, v);
}
