/* Load paths by their length: predictor along the tangent, corrector in the plane across it.
 *
 *   K a = -r,  K b = P^T f,  delta = a + dfactor b,   t . (travelled + delta) = step     (t in
 * displacements, unit length)
 *
 * so that the load factor is an unknown and limit points, where K is singular, are ordinary points. A limit
 * point is where the factor turns round; a bifurcation where the number of negative eigenvalues changes and the path does
 * not go along the vector of the one that vanishes, as it does at a limit point. Where the loads have no potential, the
 * sign of the determinant takes the place of that number. Both are located between two points of the path before the
 * path goes on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equilibrium/solver.h"

static const double LARGEST_TURN = 0.5;
static const double BESIDE = 1e-3; /* of the way to a limit point: how far from it signs are counted */
static const double APART = 1e-2, CLOSE = 1e-6; /* of the step: how close the halving by signs comes, ... */
static const double ALONG = 0.5;   /* cosine between the path and the vector of a vanishing eigenvalue */
static const double PUSHED = 1e-6; /* share of the load that does work on it */
enum { MOST_CORRECTIONS = 25, MOST_TRIES = 8, MOST_SECANTS = 40, EASY = 5 };

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

/* Motions that were neutral at the last point are held, unless the load has come to push them. One more is a
 * bifurcation: no point is found there. */
static ac_status factor_tangent(ac_equilibrium *e)
{
    e->neutral_count = 0;
    if (e->neutral_before == 0) return ac_rest_factor(e);
    AC_TRY(ac_rest_factor_freely(e));
    AC_TRY(ac_rest_release_pushed(e));
    return e->neutral_count > e->neutral_before ? AC_SINGULAR : AC_OK;
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
        AC_TRY(factor_tangent(e));
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
        e->point.residual = ac_rest_force(e);
        AC_TRY(factor_tangent(e));
        return find_tangent(e, e->travelled);
    }
    return AC_NOT_CONVERGED;
}

static ac_status judge(ac_equilibrium *e, ac_equilibrium_event event)
{
    int sign;
    e->point.event = event;
    AC_TRY(ac_sparse_sign(e->tangent.matrix, &sign));
    for (int c = 0; c < e->closures; ++c)
        if (!e->omitted[c]) sign = -sign;
    e->now.flipped = sign < 0 && e->neutral_count == 0;
    return ac_rest_stability(e, &e->point.negative, &e->point.neutral);
}

ac_status ac_path_start(ac_equilibrium *e)
{
    AC_TRY(ac_rest_raise_constant(e));
    AC_TRY(ac_rest_newton(e));
    AC_TRY(ac_rest_factor_freely(e));
    AC_TRY(ac_rest_check_growing(e, false)); /* however small it is, there is no state of rest */
    AC_TRY(find_tangent(e, NULL));
    if (e->settings.arc_step < 0.0) {
        for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = -e->now.tangent[j];
        e->now.tangent_factor = -e->now.tangent_factor;
    }
    e->increment = fabs(e->settings.arc_step);
    e->neutral_before = e->neutral_count;
    return judge(e, AC_EVENT_NONE);
}

static bool no_point(ac_status status)
{
    return status == AC_NOT_CONVERGED || status == AC_SINGULAR;
}

/* A point of the path between the steps low and high from `before`, if possible at *s: close to a bifurcation there
 * may be none, as the tangent is singular. */
static ac_status step_between(ac_equilibrium *e, double low, double high, double *s)
{
    static const double places[] = {0.5, 0.37, 0.63, 0.2, 0.8};
    ac_status status = arc_step(e, &e->before, *s);
    for (size_t k = 0; k < sizeof places / sizeof *places && no_point(status); ++k) {
        *s = low + places[k] * (high - low);
        status = arc_step(e, &e->before, *s);
    }
    return status;
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
        AC_TRY(step_between(e, low, high, &s));
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

/* The softest eigenvalue at the step s from `before`. */
static ac_status softness(ac_equilibrium *e, double s, double *eigenvalue)
{
    AC_TRY(arc_step(e, &e->before, s));
    return ac_rest_softest(e, e->by_load, eigenvalue);
}

/* A stretch of the path in steps from `before`, with the number of negative eigenvalues at both ends, or the sign of the
 * determinant. */
typedef struct stretch {
    double from, to;
    int negative_from, negative_to;
    bool by_sign;
    double apart; /* how close the halving by signs comes, beside the step */
} stretch;

static int count_negative(const ac_equilibrium *e, const stretch *on)
{
    return on->by_sign ? e->now.flipped : e->point.negative;
}

/* As close to the step `goal`, at which no point is found, as points are found, beginning with a good step. */
static ac_status approach(ac_equilibrium *e, double good, double goal, double *place)
{
    double bad = goal;
    for (int it = 0; it < MOST_TRIES; ++it) {
        double s = 0.5 * (good + bad), eigenvalue;
        ac_status status = softness(e, s, &eigenvalue);
        if (status != AC_OK && !no_point(status)) return status;
        *(status == AC_OK ? &good : &bad) = s;
    }
    *place = good;
    return AC_OK;
}

/* The zero of the softest eigenvalue on the stretch, beginning from two steps beside it: signs are counted beyond rounding
 * only, so that it may lie outside of them. */
static ac_status extrapolate(ac_equilibrium *e, const stretch *within, const double step[2],
                             const double value[2], double *place)
{
    double a = step[0], b = step[1], f_a = value[0], f_b = value[1];
    *place = step[1];
    for (int it = 0; it < MOST_TRIES && f_a != f_b; ++it) {
        double s = fmin(fmax((a * f_b - b * f_a) / (f_b - f_a), within->from), within->to), f;
        if (s == a || s == b || !(s > 0.0)) break;
        ac_status status = softness(e, s, &f);
        if (no_point(status)) break;
        AC_TRY(status);
        if (fabs(f) > fabs(f_a) && fabs(f) > fabs(f_b)) break; /* of another vector */
        *place = s;
        if (fabs(f) <= 1e-6 * fmax(fabs(value[0]), fabs(value[1]))) break;
        bool nearer = fabs(f_a) < fabs(f_b);
        if (!nearer) {
            a = b;
            f_a = f_b;
        }
        b = s;
        f_b = f;
    }
    return AC_OK;
}

/* The zero of the softest eigenvalue between low and high. Closest to it there may be no points of the path. */
static ac_status find_softest(ac_equilibrium *e, const stretch *within, double low, double high,
                              double *place)
{
    double f_low, f_high;
    AC_TRY(softness(e, low, &f_low));
    AC_TRY(softness(e, high, &f_high));
    if ((f_low > 0.0) == (f_high > 0.0))
        return extrapolate(e, within, (double[]){low, high}, (double[]){f_low, f_high}, place);
    double limit = 1e-10 * fmax(fabs(f_low), fabs(f_high));
    *place = high;
    for (int it = 0; it < MOST_SECANTS && (f_low > 0.0) != (f_high > 0.0) && high - low > 1e-13 * high;
         ++it) {
        double s = it % 3 == 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low), f;
        ac_status status = softness(e, s, &f);
        if (no_point(status)) return approach(e, fabs(f_low) < fabs(f_high) ? low : high, s, place);
        AC_TRY(status);
        *place = s;
        if (fabs(f) <= limit) break;
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

/* The step at which the first eigenvalue of the stretch changes its sign: halving by the number of signs until no
 * other is near, then the zero of the eigenvalue itself. The stretch becomes what is behind it. */
static ac_status find_bifurcation(ac_equilibrium *e, stretch *on, double *place)
{
    const stretch within = *on;
    double low = on->from, high = on->to;
    int before = on->negative_from, behind = on->negative_to;
    for (int it = 0; it < MOST_SECANTS && high - low > on->apart * high; ++it) {
        double s = 0.5 * (low + high);
        AC_TRY(step_between(e, low, high, &s));
        AC_TRY(judge(e, AC_EVENT_BIFURCATION));
        if (count_negative(e, on) == before) {
            low = s;
        } else {
            high = s;
            behind = count_negative(e, on);
        }
    }
    on->from = high;
    on->negative_from = behind;
    return find_softest(e, &within, low, high, place);
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
        bool repeated = false;
        for (int i = 0; i < k; ++i) repeated = repeated || e->settings.levels[i] == level;
        if (repeated) continue;
        if ((factor_low - level) * (factor_high - level) >= 0.0) continue;
        AC_TRY(find_zero(e, &level, low, high, factor_low - level, factor_high - level, &place));
        keep_event(e, place, AC_EVENT_LEVEL);
    }
    return AC_OK;
}

/* Does the eigenvalue that vanishes at a step from `before` belong to a limit point? There the path goes along its vector
 * and the load does work on it; at a bifurcation it does none. Eigenvalues count as negative beyond rounding only, so
 * that they may change their sign some way from the limit point, and even between two other points. */
static ac_status is_limit(ac_equilibrium *e, const stretch *on, double place, bool *limit)
{
    double *x = e->by_load, *f = e->delta, eigenvalue, push = 0.0, force = 0.0;
    AC_TRY(softness(e, place, &eigenvalue));
    const double *t = e->now.tangent;
    ac_tree_project(e->system, e->columns, e->now.q, e->load, e->wrenches, f);
    for (int j = 0; j < e->freedoms; ++j) {
        push += x[j] * f[j];
        force += f[j] * f[j] / e->weight[j];
    }
    double length = sqrt(dot(e, x, x)), along = fabs(dot(e, t, x)) / (length * sqrt(dot(e, t, t)));
    bool pushed = fabs(push) > PUSHED * length * sqrt(e->system->node_count * force);
    *limit = along > ALONG && (pushed || on->by_sign);
    return AC_OK;
}

static ac_status find_bifurcations(ac_equilibrium *e, stretch on)
{
    while (e->event_count < AC_CROSSINGS_MAX && on.negative_from != on.negative_to) {
        double place;
        bool limit = false;
        int negative = on.negative_from;
        AC_TRY(find_bifurcation(e, &on, &place));
        if (abs(on.negative_from - negative) == 1) AC_TRY(is_limit(e, &on, place, &limit));
        if (!limit) keep_event(e, place, AC_EVENT_BIFURCATION);
    }
    return AC_OK;
}

/* Bifurcations before and behind a limit point, at which an eigenvalue changes its sign, too. */
static ac_status find_beside_limit(ac_equilibrium *e, const stretch *all, double limit)
{
    double s[2] = {limit - BESIDE * (limit - all->from), limit + BESIDE * (all->to - limit)};
    int negative[2];
    for (int k = 0; k < 2; ++k) {
        AC_TRY(step_between(e, k == 0 ? all->from : limit, k == 0 ? limit : all->to, &s[k]));
        AC_TRY(judge(e, AC_EVENT_NONE));
        negative[k] = count_negative(e, all);
    }
    stretch first = *all, last = *all, between = *all;
    first.to = between.from = s[0];
    last.from = between.to = s[1];
    first.negative_to = between.negative_from = negative[0];
    last.negative_from = between.negative_to = negative[1];
    between.apart = CLOSE;
    AC_TRY(find_bifurcations(e, first));
    if (abs(negative[1] - negative[0]) > 1) AC_TRY(find_bifurcations(e, between));
    return find_bifurcations(e, last);
}

/* All that happens between `before` and the new point, which is kept in `other` meanwhile. */
static ac_status find_events(ac_equilibrium *e, const stretch *all, bool turned)
{
    double middle = all->to, factor = e->other.factor;
    e->event_count = e->event_next = 0;
    if (turned) {
        AC_TRY(find_zero(e, NULL, 0.0, all->to, e->before.tangent_factor, e->other.tangent_factor, &middle));
        factor = e->now.factor;
        keep_event(e, middle, AC_EVENT_LIMIT);
        AC_TRY(find_beside_limit(e, all, middle));
    } else {
        AC_TRY(find_bifurcations(e, *all));
    }
    AC_TRY(find_levels(e, 0.0, middle, e->before.factor, factor));
    return turned ? find_levels(e, middle, all->to, factor, e->other.factor) : AC_OK;
}

/* The direction in which a branch leaves: the eigenvector of the eigenvalue nearest to zero, to the side
 * on which its largest component is positive, or to the other. */
static ac_status leave_path(ac_equilibrium *e)
{
    double *x = e->by_load, eigenvalue, most = 0.0;
    AC_TRY(ac_rest_softest(e, x, &eigenvalue));
    double length = sqrt(dot(e, x, x));
    for (int j = 0; j < e->freedoms; ++j)
        if (fabs(x[j]) * sqrt(e->weight[j]) > 1.001 * fabs(most)) most = x[j] * sqrt(e->weight[j]);
    if ((most < 0.0) != e->settings.other_side) length = -length;
    for (int j = 0; j < e->freedoms; ++j) e->now.tangent[j] = x[j] / length;
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
    if (e->events[k].kind != AC_EVENT_BIFURCATION || ++e->bifurcations != e->settings.branch) return AC_OK;
    e->pending = false; /* the rest of this path is left aside */
    return leave_path(e);
}

ac_status ac_path_next(ac_equilibrium *e)
{
    if (e->pending) return next_event(e);
    int negative = e->point.negative; /* at the last point */
    bool on_branch = e->branched && e->now.tangent_factor == 0.0;
    if (e->point.event == AC_EVENT_NONE && e->point.neutral >= 0) e->neutral_before = e->point.neutral;
    ac_rest_state_copy(e, &e->now, &e->before);
    ac_status status = AC_NOT_CONVERGED;
    double step = e->increment;
    for (int attempt = 0; attempt < MOST_TRIES; ++attempt, step *= 0.5) {
        status = arc_step(e, &e->before, step);
        if (!no_point(status)) break;
    }
    if (no_point(status))
        return ac_fail(e->ctx, AC_NOT_CONVERGED,
                       "the path is lost at load factor %.6g, length %.6g; try a smaller step",
                       e->before.factor, e->before.path);
    AC_TRY(status);
    e->increment = step;
    if (e->point.iterations <= EASY) e->increment = fmin(1.5 * step, fabs(e->settings.arc_step));
    AC_TRY(judge(e, AC_EVENT_NONE));
    bool turned = (e->before.tangent_factor > 0.0) != (e->now.tangent_factor > 0.0);
    if (on_branch) return AC_OK;
    ac_rest_state_copy(e, &e->now, &e->other);
    e->later = e->point;
    stretch all = {0.0, step, negative, e->point.negative, .apart = APART};
    all.by_sign = negative < 0 || e->point.negative < 0;
    if (all.by_sign) {
        all.negative_from = e->before.flipped;
        all.negative_to = e->now.flipped;
    }
    status = find_events(e, &all, turned);
    if (no_point(status))
        return ac_fail(
            e->ctx, AC_NOT_CONVERGED,
            "what happens between the load factors %.6g and %.6g cannot be found; try another step",
            e->before.factor, e->other.factor);
    AC_TRY(status);
    e->pending = e->event_count > 0;
    if (e->pending) return next_event(e);
    ac_rest_state_copy(e, &e->other, &e->now);
    e->point = e->later;
    return AC_OK;
}
