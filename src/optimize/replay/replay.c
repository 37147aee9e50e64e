/* Phase after phase and cycle after cycle: a replay, and its differences from the motion found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "math/math.h"
#include "optimize/judge/doubts.h"
#include "optimize/replay/replay.h"

typedef struct replay {
    ac_optimization *whole;
    const ac_system *system; /* with the parameters found */
    ac_replay_method method;
    const ac_replay_watch *watch;
    char *remark;
    ac_replay_point point;
    double *after, *found, *work; /* n: velocities after impulses, and at the end of the phase as found */
    double time;
    bool lost;
} replay;

/* Coordinates that differ by more than these parts of the typical length have left the motion found, and are lost. */
static const double NEAR = 1e-2, FAR = 0.3;

static double typical_length(const ac_system *system)
{
    return ac_min(1.0, system->length_scale);
}

double ac_replay_difference(int n, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        double difference = fabs(a[i] - b[i]);
        if (!isfinite(difference)) return INFINITY;
        most = ac_max(most, difference);
    }
    return most;
}

ac_status ac_replay_show(ac_replay_phase *r, int node, double time, const double *q)
{
    const ac_system *system = r->phase->system;
    int N = r->phase->layout.N;
    double length = typical_length(system);
    double difference = ac_replay_difference(system->n, q, ac_q(r->phase, node < 0 || node > N ? N : node));
    if (node <= N) r->left = r->left || !(difference <= NEAR * length);
    if (node <= N && !r->left) r->followed = time;
    *r->lost = *r->lost || !(difference <= FAR * length);
    if (!r->watch || *r->lost) return AC_OK;
    return r->watch->node(r->watch->user, r->cycle, r->number, r->begin + time, q);
}

static ac_status found_velocity(const replay *r, ac_optimization *phase, int node, double *v)
{
    ac_found found;
    ac_status status = ac_found_open(phase, r->system, &found);
    if (status == AC_OK) status = ac_found_velocity(&found, node, v);
    ac_found_close(&found);
    return status;
}

static double kinetic(const replay *r, const double *v)
{
    return ac_kinetic_energy(r->system, v, r->work);
}

static double energy(const replay *r, const double *q, const double *winding, const double *v)
{
    return kinetic(r, v) + ac_potential_energy(r->system, q, winding);
}

/* The phase as found, beside its replay. */
static ac_status compare(const replay *r, const ac_replay_phase *p, ac_phase_replay *row)
{
    ac_optimization *phase = p->phase;
    const double *q = ac_q(phase, phase->layout.N);
    int n = r->whole->system->n;
    AC_TRY(found_velocity(r, phase, phase->layout.N, r->found));
    *row = (ac_phase_replay){.cycle = p->cycle,
                             .phase = p->number,
                             .found_duration = ac_optimization_duration(phase),
                             .duration = p->duration,
                             .place = ac_replay_difference(n, p->point->q, q),
                             .velocity = ac_replay_difference(n, p->point->v, r->found),
                             .followed = p->followed,
                             .defect = p->defect};
    row->found_energy = energy(r, q, ac_optimization_near(phase, phase->layout.N), r->found);
    row->energy = energy(r, p->point->q, p->point->winding, p->point->v);
    row->loss = kinetic(r, p->point->v) - kinetic(r, p->after);
    if (!p->end->junction) return AC_OK;
    row->found_loss = kinetic(r, r->found) - kinetic(r, ac_optimization_first_velocity(p->end->next));
    return AC_OK;
}

/* Explicit integration of what is stiff may leave the range of numbers. */
static bool is_finite(const ac_phase_replay *row)
{
    return isfinite(row->energy) && isfinite(row->loss) && isfinite(row->place) && isfinite(row->velocity);
}

/* The start of the next phase. */
static void go_on(replay *r, const ac_replay_phase *p)
{
    const ac_junction_data *j = p->end->junction;
    size_t bytes = (size_t)r->whole->system->n * sizeof *r->work;
    ac_junction_apply(r->whole, j, r->point.q, true, r->work);
    memcpy(r->point.q, r->work, bytes);
    ac_junction_apply(r->whole, j, r->after, false, r->point.v);
    memcpy(r->point.winding, ac_optimization_near(p->end->next, 0),
           (size_t)r->whole->system->measure_count * sizeof *r->point.winding);
    r->time += p->duration;
}

static ac_status one_phase(replay *r, int cycle, int number, ac_phase_replay *row)
{
    ac_strike_end end = {0};
    ac_replay_phase p = {.whole = r->whole,
                         .system = r->system,
                         .phase = ac_optimization_phase(r->whole, number),
                         .end = &end,
                         .cycle = cycle,
                         .number = number,
                         .begin = r->time,
                         .watch = r->watch,
                         .point = &r->point,
                         .after = r->after,
                         .lost = &r->lost,
                         .remark = r->remark};
    ac_status status = ac_strike_end_open(r->whole, number, &end);
    if (status == AC_OK)
        status = r->method == AC_REPLAY_COLLISION ? ac_replay_collide(&p) : ac_replay_hybrid(&p);
    *row = (ac_phase_replay){.cycle = cycle, .phase = number, .followed = p.followed, .defect = p.defect};
    if (status == AC_OK) status = compare(r, &p, row);
    if (status == AC_OK && !is_finite(row)) {
        snprintf(r->remark, AC_REPLAY_REMARK_SIZE, "it diverges in phase '%.60s'",
                 ac_optimization_phase_name(r->whole, number));
        status = AC_NOT_CONVERGED;
    }
    if (status == AC_OK && end.junction) go_on(r, &p);
    ac_strike_end_close(r->whole->ctx, &end);
    return status;
}

static ac_status all_phases(replay *r, int cycles, ac_phase_replay *rows, int *count)
{
    int phases = ac_optimization_phases(r->whole);
    for (int cycle = 0; cycle < cycles && (cycle == 0 || !r->lost); ++cycle)
        for (int number = 0; number < phases; ++number, ++*count)
            AC_TRY(one_phase(r, cycle, number, &rows[*count]));
    return AC_OK;
}

static ac_status begin(replay *r)
{
    ac_context *ctx = r->whole->ctx;
    const ac_system *system = r->whole->system;
    ac_optimization *first = ac_optimization_phase(r->whole, 0);
    AC_NEW(ctx, r->point.q, system->n);
    AC_NEW(ctx, r->point.v, system->n);
    AC_NEW(ctx, r->point.winding, system->measure_count + 1);
    AC_NEW(ctx, r->after, system->n);
    AC_NEW(ctx, r->found, system->n);
    AC_NEW(ctx, r->work, system->n);
    memcpy(r->point.q, ac_q(first, 0), (size_t)system->n * sizeof *r->work);
    memcpy(r->point.winding, ac_optimization_near(first, 0),
           (size_t)system->measure_count * sizeof *r->point.winding);
    return found_velocity(r, first, 0, r->point.v);
}

/* The reference leaves the motion found within one interval, in this phase: what differs does not grow, the mesh is too
 * coarse. NULL: it does not. */
static const ac_phase_replay *coarse(const replay *r, const ac_phase_replay *rows, int count)
{
    const ac_phase_replay *worst = NULL;
    for (int k = 0; k < count; ++k)
        if (rows[k].defect > NEAR * typical_length(r->whole->system) &&
            (!worst || rows[k].defect > worst->defect))
            worst = &rows[k];
    return worst;
}

/* A replay that ends early is a finding. */
static ac_status early(const replay *r, ac_status status, const ac_phase_replay *rows, int count)
{
    const ac_phase_replay *far = coarse(r, rows,
                                        status == AC_OK ? count : count + 1); /* one was not completed */
    if (status != AC_OK && status != AC_NOT_CONVERGED && status != AC_SINGULAR && status != AC_BAD_INPUT)
        return status;
    if (status == AC_SINGULAR) AC_TRY(ac_name_dependent_holds(r->whole, r->remark, AC_REPLAY_REMARK_SIZE));
    if (status == AC_SINGULAR && r->remark[0]) return AC_OK;
    if (far && !isfinite(far->defect))
        snprintf(
            r->remark, AC_REPLAY_REMARK_SIZE,
            "it diverges within one interval of phase '%.60s': what is stiff there, such as a damper, needs "
            "far shorter steps",
            ac_optimization_phase_name(r->whole, far->phase));
    else if (far)
        snprintf(r->remark, AC_REPLAY_REMARK_SIZE,
                 "it differs from the motion found by %.3g within one interval of phase '%.60s': the "
                 "intervals are "
                 "too long to follow this motion, use more of them",
                 far->defect, ac_optimization_phase_name(r->whole, far->phase));
    else if (r->lost)
        snprintf(r->remark, AC_REPLAY_REMARK_SIZE,
                 "without a controller small differences grow until it leaves the motion found");
    if (!far && !r->lost && status != AC_OK && !r->remark[0])
        snprintf(r->remark, AC_REPLAY_REMARK_SIZE, "%.400s", ac_context_message(r->whole->ctx));
    return AC_OK;
}

ac_status ac_optimization_replay(ac_optimization *whole, const ac_system *system, ac_replay_method method,
                                 int cycles, const ac_replay_watch *watch, ac_phase_replay *rows, int *count,
                                 char *remark)
{
    replay r = {.whole = whole,
                .system = system ? system : whole->system,
                .method = method,
                .watch = watch,
                .remark = remark};
    *count = 0;
    remark[0] = '\0';
    if (ac_optimization_phases(whole) == 0)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "there are no phases to replay; re-simulate the motion instead");
    if (!system && ac_optimization_parameters(whole) > 0)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "parameters are free: give the system with the parameters found");
    if (!ac_optimization_is_cycle(whole)) cycles = 1;
    ac_status status = begin(&r);
    if (status == AC_OK) status = all_phases(&r, cycles, rows, count);
    double *blocks[] = {r.point.q, r.point.v, r.point.winding, r.after, r.found, r.work};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(whole->ctx, blocks[k]);
    return early(&r, status, rows, *count);
}
