/* Load paths by their length: where they start, their points one after the other with the events in
 * between, and the branch that is taken at a bifurcation. */
#include <math.h>

#include "equilibrium/path.h"
#include "math/math.h"

/* Of the wanted step: a fold that lies so close ahead is where the path ends. */
static const double CLOSE = 0.0625;
static const double MOVED = 0.1;       /* beside the typical length: by a load that is taken off again */
static const double LEAST_TURN = 0.75; /* cosine between the tangents at the ends of a step */
static const double SHORTEST =
    1.0 / 512; /* of the wanted step: how short it becomes to explain a change of stability */
enum { MOST_TRIES = 8, EASY = 5, UNLOADING = 8 };

/* Where the load leaves the system as it vanishes: it comes to rest under a load that moves it by a part
 * of its size, and which is taken off again. */
static ac_status unload(ac_equilibrium *e)
{
    double distance;
    AC_TRY(ac_path_could_move(e, &distance));
    if (!(distance > 0.0)) return AC_SINGULAR;
    double load = copysign(MOVED * e->system->length_scale / distance, e->settings.arc_step);
    AC_TRY(ac_equilibrium_first(e, load));
    for (int k = UNLOADING - 1; k >= 0; --k) {
        e->now.factor = load * k / UNLOADING;
        AC_TRY(ac_equilibrium_newton(e));
    }
    return AC_OK;
}

static ac_status factor_start(ac_equilibrium *e)
{
    ac_equilibrium_evaluate(e);
    AC_TRY(ac_equilibrium_factor_freely(e));
    return ac_equilibrium_check_growing(e, false);
}

/* The equilibrium without the load that grows. The load may push along a motion that costs nothing, such
 * as the turning of a ring that was bent from a straight rod: however small it is, it moves the system to
 * where it does not push any more. */
static ac_status find_start(ac_equilibrium *e)
{
    AC_TRY(ac_equilibrium_first(e, 0.0));
    ac_status status = factor_start(e);
    if (status != AC_NOT_CONVERGED) return status;
    status = unload(e);
    if (status == AC_OK) status = factor_start(e);
    if (!ac_path_no_point(status)) return status;
    return ac_fail(e->ctx, AC_NOT_CONVERGED,
                   "the path has no start: however small it is, the load acts along a motion "
                   "that costs nothing; draw it where the load leaves it");
}

ac_status ac_path_start(ac_equilibrium *e)
{
    AC_TRY(find_start(e));
    AC_TRY(ac_path_first_tangent(e));
    if (e->settings.arc_step < 0.0) {
        for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = -e->now.tangent[j];
        e->now.tangent_factor = -e->now.tangent_factor;
    }
    e->now.path = 0.0;
    e->path.increment = fabs(e->settings.arc_step);
    e->neutral.before = e->neutral.last = e->neutral.count;
    return ac_path_judge(e, AC_EVENT_NONE);
}

/* The direction in which a branch leaves: the vector of the eigenvalue that vanishes, to the side on which
 * its largest component is positive, or to the other. */
static ac_status leave_path(ac_equilibrium *e, double at)
{
    double *x = e->other.tangent, most = 0.0;
    AC_TRY(ac_path_vanishing(e, at, x));
    double length = sqrt(ac_path_dot(e, x, x));
    for (int j = 0; j < e->freedoms; ++j)
        if (fabs(x[j]) * sqrt(e->metric.weight[j]) > 1.001 * fabs(most))
            most = x[j] * sqrt(e->metric.weight[j]);
    if ((most < 0.0) != e->settings.other_side) length = -length;
    for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = x[j] / length;
    e->now.tangent_factor = 0.0;
    e->path.branched = true;
    return AC_OK;
}

static void take_waiting(ac_equilibrium *e)
{
    ac_equilibrium_state_copy(e, &e->other, &e->now);
    e->point = e->events.later;
    e->events.pending = false;
}

static ac_status fail_between(ac_equilibrium *e)
{
    return ac_fail(e->ctx, AC_NOT_CONVERGED,
                   "what happens on the path behind load factor %.6g, length %.6g, was not found: points "
                   "between those of a step are missing; try another step",
                   e->before.factor, e->before.path);
}

/* The next event in line becomes the present point; after the last one comes the point that waits in
 * `other`. */
static ac_status next_event(ac_equilibrium *e)
{
    int k = e->events.next++;
    if (k == e->events.count) {
        take_waiting(e);
        return AC_OK;
    }
    ac_status status = ac_path_step(e, &e->before, e->events.list[k].at);
    if (ac_path_no_point(status)) return fail_between(e);
    AC_TRY(status);
    AC_TRY(ac_path_judge(e, e->events.list[k].kind));
    e->point.within = e->events.list[k].within;
    if (e->events.list[k].kind != AC_EVENT_BIFURCATION || ++e->path.bifurcations != e->settings.branch)
        return AC_OK;
    e->events.pending = false; /* the rest of this path is left aside */
    return leave_path(e, e->events.list[k].at);
}

/* How many motions cost nothing all along the path: more at a single point are a bifurcation there. */
static void note_neutral(ac_equilibrium *e)
{
    int neutral = e->point.neutral;
    if (e->point.event != AC_EVENT_NONE || neutral < 0) return;
    e->neutral.before = neutral < e->neutral.last ? neutral : e->neutral.last;
    e->neutral.last = neutral;
}

/* A step at whose end no beam is folded: what is beyond a fold is no state of the beam, even if forces
 * balance there. The path comes close to the fold and ends. */
static ac_status try_step(ac_equilibrium *e, double step, bool *ends)
{
    AC_TRY(ac_path_step(e, &e->before, step));
    ac_status status = ac_equilibrium_check_fold(e);
    *ends = status != AC_OK && step <= CLOSE * fabs(e->settings.arc_step);
    return status;
}

/* A step of `increment`, or shorter if there is no point so far away, or one that may lie on another path
 * as the tangent has turned too far; returns how long it was. */
static ac_status advance(ac_equilibrium *e, double *step)
{
    ac_status status = AC_NOT_CONVERGED;
    bool ends = false;
    *step = e->path.increment;
    for (int attempt = 0; attempt < MOST_TRIES; ++attempt, *step *= 0.5) {
        status = try_step(e, *step, &ends);
        bool strays = attempt < MOST_TRIES - 1 && status == AC_OK &&
                      (ac_path_turn(e, &e->before) < LEAST_TURN || ac_path_strays(e, &e->before, *step));
        if (!ac_path_no_point(status) && !strays) break;
        if (ends) return status;
    }
    if (ac_path_no_point(status)) {
        char advice[AC_REST_ADVICE];
        return ac_fail(e->ctx, AC_NOT_CONVERGED, "the path is lost at load factor %.6g, length %.6g; %s",
                       e->before.factor, e->before.path,
                       ac_equilibrium_advice(e, e->before.q, "try a smaller step", advice));
    }
    AC_TRY(status);
    e->path.increment = *step;
    if (e->point.iterations <= EASY) e->path.increment = ac_min(1.5 * *step, fabs(e->settings.arc_step));
    return AC_OK;
}

/* One step from `before`, judged, with all that happens on it; `lost`: points between its ends were not found. */
static ac_status judged_step(ac_equilibrium *e, int negative, bool on_branch, double *step, bool *lost)
{
    *lost = false;
    e->path.bend_step = 0.0;
    AC_TRY(advance(e, step));
    ac_path_note_bend(e, *step);
    AC_TRY(ac_path_judge(e, AC_EVENT_NONE));
    e->point.within = 0.0;
    if (on_branch) return AC_OK;
    ac_equilibrium_state_copy(e, &e->now, &e->other);
    e->events.later = e->point;
    ac_status status = ac_path_find_events(e, *step, negative);
    *lost = ac_path_no_point(status);
    return *lost ? AC_OK : status;
}

/* Signs count beyond rounding only, so that those of a limit point may change on the step before or behind it. */
static void note_unexplained(ac_equilibrium *e)
{
    bool limit = false;
    for (int k = 0; k < e->events.count; ++k) limit = limit || e->events.list[k].kind == AC_EVENT_LIMIT;
    if (limit && e->unexplained.last) --e->unexplained.count;
    if (e->unexplained.now && !e->path.limit_last && e->unexplained.count++ == 0)
        e->unexplained.factor = e->other.factor;
    e->unexplained.last = e->unexplained.now && !e->path.limit_last;
    e->path.limit_last = limit;
}

/* Where eigenvalues change their sign and nothing on the step says why, it may lead from one path to another that comes
 * near it, as at a bifurcation that a small imperfection has taken apart: shorter steps decide. */
static ac_status next_point(ac_equilibrium *e)
{
    int negative = e->point.negative; /* at the last point */
    bool on_branch = e->path.branched && e->now.tangent_factor == 0.0;
    double step, least = fabs(e->settings.arc_step) * SHORTEST;
    bool lost;
    note_neutral(e);
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    AC_TRY(judged_step(e, negative, on_branch, &step, &lost));
    if (on_branch) return AC_OK;
    while ((lost || (e->unexplained.now && !e->path.limit_last)) && step > least) {
        ac_equilibrium_state_copy(e, &e->before, &e->now);
        e->path.increment = 0.5 * step;
        AC_TRY(judged_step(e, negative, false, &step, &lost));
    }
    if (lost) return fail_between(e);
    note_unexplained(e);
    e->events.pending = true;
    return next_event(e);
}

ac_status ac_path_next(ac_equilibrium *e)
{
    const ac_equilibrium_point last = e->point;
    ac_status status = e->events.pending ? next_event(e) : next_point(e);
    if (status == AC_OK) return AC_OK;
    e->point = last; /* what is reported of the path ends there */
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    return status;
}
