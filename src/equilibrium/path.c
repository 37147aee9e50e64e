/* Load paths by their length: predictor along the tangent, corrector in the plane across it.
 *
 *   K a = -r,  K b = P^T f,  delta = a + dfactor b,   t . (travelled + delta) = step     (t in
 * displacements, unit length)
 *
 * so that the load factor is an unknown and limit points, where K is singular, are ordinary points. A limit
 * point is where the
 * factor turns round; a bifurcation where the number of negative eigenvalues changes without that. Both are
 * located between two
 * points of the path before the path goes on.
 */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"

static const double LARGEST_TURN = 0.5;
enum { MOST_CORRECTIONS = 25, MOST_TRIES = 8, MOST_SECANTS = 40, EASY = 5, INVERSE_ITERATIONS = 6 };

static double dot(const ac_equilibrium *e, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < e->freedoms; ++j) sum += e->weight[j] * a[j] * b[j];
    return sum / e->system->node_count;
}

/* Unit tangent at the present point, in the direction of `along`; needs a factorised matrix. */
static ac_status find_tangent(ac_equilibrium *e, const double *along)
{
    AC_TRY(ac_rest_correction(e, e->delta, e->by_load));
    double length = sqrt(dot(e, e->by_load, e->by_load));
    if (!(length > 0.0) || !isfinite(length))
        return ac_fail(e->ctx, AC_NOT_CONVERGED,
                       "the loads do not move the system; there is no path to follow");
    double sign = along && dot(e, along, e->by_load) < 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = sign * e->by_load[j] / length;
    e->now.tangent_factor = sign / length;
    return AC_OK;
}

/* From `from` along its tangent by `step`; the new point becomes the present one, with its tangent. */
static ac_status arc_step(ac_equilibrium *e, const ac_rest_state *from, double step)
{
    const double *t = from->tangent;
    ac_rest_state_copy(e, from, &e->now);
    for (int j = 0; j < e->freedoms; ++j) e->travelled[j] = step * t[j];
    ac_rest_move(e, e->travelled, 1.0);
    e->now.factor += step * from->tangent_factor;
    for (int it = 0; it < MOST_CORRECTIONS; ++it) {
        ac_rest_evaluate(e);
        AC_TRY(ac_rest_factor(e));
        AC_TRY(ac_rest_correction(e, e->delta, e->by_load));
        double gap = dot(e, t, e->travelled) - step, across = dot(e, t, e->by_load);
        double change = -(gap + dot(e, t, e->delta)) / across;
        for (int j = 0; j < e->size; ++j) e->delta[j] += change * e->by_load[j];
        double size = ac_rest_size(e, e->delta), factor = size > LARGEST_TURN ? LARGEST_TURN / size : 1.0;
        if (!isfinite(size)) return AC_NOT_CONVERGED;
        memcpy(e->mu, e->delta + e->freedoms, (size_t)e->closures * sizeof *e->mu);
        for (int j = 0; j < e->freedoms; ++j) e->travelled[j] += factor * e->delta[j];
        ac_rest_move(e, e->delta, factor);
        e->now.factor += factor * change;
        e->point.iterations = it + 1;
        if (size > e->settings.tolerance) continue;
        e->now.path = from->path + fabs(step);
        ac_rest_evaluate(e);
        AC_TRY(ac_rest_factor(e));
        return find_tangent(e, e->travelled);
    }
    return AC_NOT_CONVERGED;
}

static ac_status judge(ac_equilibrium *e, ac_equilibrium_event event)
{
    e->point.event = event;
    return ac_rest_stability(e, &e->point.negative, &e->point.neutral);
}

ac_status ac_path_start(ac_equilibrium *e)
{
    e->now.factor = 0.0;
    AC_TRY(ac_rest_newton(e));
    AC_TRY(ac_rest_factor(e));
    AC_TRY(find_tangent(e, NULL));
    if (e->settings.arc_step < 0.0) {
        for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = -e->now.tangent[j];
        e->now.tangent_factor = -e->now.tangent_factor;
    }
    e->increment = fabs(e->settings.arc_step);
    return judge(e, AC_EVENT_NONE);
}

/* What is to vanish: the slope of the load factor (limit points), or its distance from a level. */
static double sought(const ac_equilibrium *e, const double *level)
{
    return level ? e->now.factor - *level : e->now.tangent_factor;
}

/* The step from `before`, between low and high, at which the sought quantity vanishes; f_low and f_high are
 * its values there. */
static ac_status find_zero(ac_equilibrium *e, const double *level, double low, double high, double f_low,
                           double f_high, double *step)
{
    double span = high - low, small = 1e-13 * fabs(f_low - f_high);
    for (int it = 0; it < MOST_SECANTS && high - low > 1e-11 * span; ++it) {
        double s = (low * f_high - high * f_low) / (f_high - f_low);
        if (it % 3 == 2) s = 0.5 * (low + high);
        AC_TRY(arc_step(e, &e->before, s));
        *step = s;
        double f = sought(e, level);
        if (fabs(f) <= small) break;
        if ((f > 0.0) == (f_low > 0.0)) {
            low = s;
            f_low = f;
        } else {
            high = s;
            f_high = f;
        }
    }
    return AC_OK;
}

static ac_status find_bifurcation(ac_equilibrium *e, double step, int negative_before, double *place)
{
    double low = 0.0, high = step;
    for (int it = 0; it < MOST_SECANTS && high - low > 1e-7 * step; ++it) {
        double s = 0.5 * (low + high);
        AC_TRY(arc_step(e, &e->before, s));
        AC_TRY(judge(e, AC_EVENT_BIFURCATION));
        if (e->point.negative == negative_before) {
            low = s;
        } else {
            high = s;
        }
    }
    *place = high;
    return AC_OK;
}

static void keep_event(ac_equilibrium *e, double at, ac_equilibrium_event kind)
{
    int k = e->event_count++;
    for (; k > 0 && e->events[k - 1].at > at; --k) e->events[k] = e->events[k - 1];
    e->events[k].at = at;
    e->events[k].kind = kind;
}

/* Levels that the load factor passes between two steps from `before`. */
static ac_status find_levels(ac_equilibrium *e, double low, double high, double factor_low,
                             double factor_high)
{
    for (int k = 0; k < e->settings.level_count; ++k) {
        double level = e->settings.levels[k], place = high;
        if ((factor_low - level) * (factor_high - level) >= 0.0) continue;
        AC_TRY(find_zero(e, &level, low, high, factor_low - level, factor_high - level, &place));
        keep_event(e, place, AC_EVENT_LEVEL);
    }
    return AC_OK;
}

/* All that happens between `before` and the new point, which is kept in `other` meanwhile. */
static ac_status find_events(ac_equilibrium *e, double step, bool turned, bool changed, int negative_before)
{
    double middle = step, factor = e->other.factor;
    e->event_count = e->event_next = 0;
    if (turned) {
        AC_TRY(find_zero(e, NULL, 0.0, step, e->before.tangent_factor, e->other.tangent_factor, &middle));
        factor = e->now.factor;
        keep_event(e, middle, AC_EVENT_LIMIT);
    } else if (changed) {
        double place;
        AC_TRY(find_bifurcation(e, step, negative_before, &place));
        keep_event(e, place, AC_EVENT_BIFURCATION);
    }
    AC_TRY(find_levels(e, 0.0, middle, e->before.factor, factor));
    return turned ? find_levels(e, middle, step, factor, e->other.factor) : AC_OK;
}

/* The direction in which a branch leaves: the eigenvector of the eigenvalue nearest to zero, by inverse
 * iteration. */
static ac_status leave_path(ac_equilibrium *e)
{
    double *x = e->by_load;
    for (int j = 0; j < e->size; ++j) x[j] = j < e->freedoms ? cos(1.0 + 3.0 * j) : 0.0;
    for (int it = 0; it < INVERSE_ITERATIONS; ++it) {
        for (int c = 0; c < e->closures; ++c) x[e->freedoms + c] = 0.0;
        AC_TRY(ac_sparse_solve(e->tangent.matrix, x));
        double length = sqrt(dot(e, x, x));
        for (int j = 0; j < e->freedoms; ++j) x[j] /= length;
    }
    memcpy(e->now.tangent, x, (size_t)e->freedoms * sizeof *x);
    e->now.tangent_factor = 0.0;
    e->branched = true;
    return AC_OK;
}

/* The next event in line becomes the present point; after the last one comes the point that waits in
 * `other`. */
static ac_status next_event(ac_equilibrium *e)
{
    int k = e->event_next++;
    if (k == e->event_count) {
        e->pending = false;
        ac_rest_state_copy(e, &e->other, &e->now);
        e->point = e->later;
        return AC_OK;
    }
    AC_TRY(arc_step(e, &e->before, e->events[k].at));
    AC_TRY(judge(e, e->events[k].kind));
    if (e->events[k].kind != AC_EVENT_BIFURCATION || !e->settings.branch || e->branched) return AC_OK;
    e->pending = false; /* the rest of this path is left aside */
    return leave_path(e);
}

ac_status ac_path_next(ac_equilibrium *e)
{
    if (e->pending) return next_event(e);
    int negative = e->point.negative;
    bool on_branch = e->branched && e->now.tangent_factor == 0.0;
    ac_rest_state_copy(e, &e->now, &e->before);
    ac_status status = AC_NOT_CONVERGED;
    double step = e->increment;
    for (int attempt = 0; attempt < MOST_TRIES; ++attempt, step *= 0.5) {
        status = arc_step(e, &e->before, step);
        if (status == AC_OK || (status != AC_NOT_CONVERGED && status != AC_SINGULAR)) break;
    }
    if (status != AC_OK) {
        if (status == AC_NOT_CONVERGED || status == AC_SINGULAR)
            return ac_fail(e->ctx, AC_NOT_CONVERGED,
                           "the path is lost at load factor %.6g, length %.6g; try a smaller step",
                           e->before.factor, e->before.path);
        return status;
    }
    e->increment = step;
    if (e->point.iterations <= EASY) e->increment = fmin(1.5 * step, fabs(e->settings.arc_step));
    AC_TRY(judge(e, AC_EVENT_NONE));
    bool turned = (e->before.tangent_factor > 0.0) != (e->now.tangent_factor > 0.0);
    if (on_branch) return AC_OK;
    ac_rest_state_copy(e, &e->now, &e->other);
    e->later = e->point;
    status = find_events(e, step, turned, e->point.negative != negative, negative);
    e->pending = status == AC_OK && e->event_count > 0;
    if (e->pending) return next_event(e);
    ac_rest_state_copy(e, &e->other,
                       &e->now); /* nothing happened, or it was not found: the path itself is good */
    e->point = e->later;
    return AC_OK;
}
