/* What happens between two points of a load path.
 *
 * A limit point is where the load factor turns round; a bifurcation where the number of negative
 * eigenvalues changes and the path does not go along the vector of the one that vanishes, as it does at a
 * limit point. Where the loads have no potential, the sign of the determinant takes the place of that
 * number. At a dead point of a mechanism, where the load has no leverage, the load factor goes to infinity
 * and comes back from the other side, or from the same: a pole, which is neither a limit point nor a place
 * at which the factor passes a level.
 *
 * All is located between the two points before the path goes on. Where points in between cannot be found,
 * an event is kept with the bounds that are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equilibrium/path.h"
#include "math/math.h"

static const double BESIDE = 1e-3; /* of the way to a limit point: how far from it signs are counted */
static const double APART = 1e-2, CLOSE = 1e-6; /* of the step: how close the halving by signs comes, ... */
static const double ALONG = 0.5;   /* cosine between the path and the vector of a vanishing eigenvalue */
static const double PUSHED = 1e-6; /* share of the load that does work on it */
static const double IDLE = 0.05;   /* work of the load beside that half-way to the ends of the step: none */
static const double ASIDE = 1e-3;  /* of the way to a bifurcation: how far from it its vector is looked for */
static const double MOVES = 1e-2;  /* displacement beside the length of the path: less is rounding */
static const double FLAT = 1e-7;   /* change of the load factor beside itself: may be rounding */
static const double FAR = 1e3;     /* beside the values at both ends: on the way to infinity */
enum { MOST_TRIES = 8, MOST_SECANTS = 40 };

/* A place on the path, at a step from `before`. */
typedef struct place {
    double at;
    double factor, slope; /* load factor, and its change along the path */
    int negative;         /* eigenvalues, or 1 where the determinant is negative */
} place;

typedef struct search {
    ac_equilibrium *e;
    bool by_sign;
} search;

static bool rises(const place *p)
{
    return p->slope > 0.0;
}

/* The present point, which must have been judged. */
static place here(const search *s, double at)
{
    const ac_equilibrium *e = s->e;
    return (place){at, e->now.factor, e->now.tangent_factor, s->by_sign ? e->now.flipped : e->point.negative};
}

/* A point of the path between the steps low and high from `before`, if possible at *s. */
static ac_status step_between(ac_equilibrium *e, double low, double high, double *s)
{
    static const double places[] = {0.5, 0.37, 0.63, 0.2, 0.8};
    ac_status status = ac_path_step(e, &e->before, *s);
    for (size_t k = 0; k < sizeof places / sizeof *places && ac_path_no_point(status); ++k) {
        *s = low + places[k] * (high - low);
        status = ac_path_step(e, &e->before, *s);
    }
    return status;
}

static void keep_event(ac_equilibrium *e, double at, double within, ac_equilibrium_event kind)
{
    if (e->events.count == (int)(sizeof e->events.list / sizeof *e->events.list)) return;
    int k = e->events.count++;
    for (; k > 0 && e->events.list[k - 1].at > at; --k) e->events.list[k] = e->events.list[k - 1];
    e->events.list[k].at = at;
    e->events.list[k].within = within;
    e->events.list[k].kind = kind;
}

/* --- zeros of the load factor and of its slope ---------------------------------------------------------- */

/* What must vanish: the slope of the load factor (limit points), or its distance from a level. */
static double sought(const place *p, const double *level)
{
    return level ? p->factor - *level : p->slope;
}

typedef enum zero_kind { ZERO, POLE, UNKNOWN } zero_kind;

/* Narrows [a, b], at whose ends the sought quantity has different signs, to where it vanishes, which is
 * *zero; at a pole it changes its sign, too. UNKNOWN: no points are found in between. */
static ac_status find_zero(const search *s, const double *level, place *a, place *b, place *zero,
                           zero_kind *kind)
{
    ac_equilibrium *e = s->e;
    double span = b->at - a->at, most = ac_max(fabs(sought(a, level)), fabs(sought(b, level)));
    *zero = *b;
    *kind = ZERO;
    for (int it = 0; it < MOST_SECANTS && b->at - a->at > 1e-11 * span; ++it) {
        double f_a = sought(a, level), f_b = sought(b, level);
        double next = it % 3 == 2 ? 0.5 * (a->at + b->at) : (a->at * f_b - b->at * f_a) / (f_b - f_a);
        ac_status status = step_between(e, a->at, b->at, &next);
        if (ac_path_no_point(status)) *kind = UNKNOWN;
        if (ac_path_no_point(status)) break;
        AC_TRY(status);
        *zero = (place){next, e->now.factor, e->now.tangent_factor, 0};
        double f = sought(zero, level);
        if (fabs(f) <= 1e-13 * most || fabs(f) > FAR * most) break;
        *((f > 0.0) == (f_a > 0.0) ? a : b) = *zero;
    }
    if (*kind == ZERO && fabs(sought(zero, level)) > most) *kind = POLE;
    return AC_OK;
}

/* Levels that the load factor passes between two places. */
static ac_status find_levels(const search *s, const place *low, const place *high)
{
    const ac_equilibrium_settings *settings = &s->e->settings;
    for (int k = 0; k < settings->level_count; ++k) {
        double level = settings->levels[k];
        place zero;
        zero_kind kind;
        bool repeated = false;
        for (int i = 0; i < k; ++i) repeated = repeated || settings->levels[i] == level;
        if (repeated || (low->factor - level) * (high->factor - level) >= 0.0) continue;
        place a = *low, b = *high;
        AC_TRY(find_zero(s, &level, &a, &b, &zero, &kind));
        if (kind != POLE)
            keep_event(s->e, zero.at, kind == UNKNOWN ? fabs(b.factor - a.factor) : 0.0, AC_EVENT_LEVEL);
    }
    return AC_OK;
}

/* --- bifurcations --------------------------------------------------------------------------------------- */

/* The softest eigenvalue at the step s from `before`, and its vector in `by_load`. Close to zero it is one
 * of those that cost nothing: the one that costs most. */
static ac_status softness(ac_equilibrium *e, double s, double *eigenvalue)
{
    AC_TRY(ac_path_step(e, &e->before, s));
    if (e->neutral.count <= e->neutral.before)
        return ac_equilibrium_softest(e, e->newton.by_load, eigenvalue);
    *eigenvalue = ac_equilibrium_costliest(e, e->newton.by_load);
    return AC_OK;
}

ac_status ac_path_vanishing(ac_equilibrium *e, double at, double *x)
{
    double eigenvalue;
    AC_TRY(softness(e, (1.0 - ASIDE) * at, &eigenvalue));
    memcpy(x, e->newton.by_load, (size_t)e->freedoms * sizeof *x);
    return ac_path_step(e, &e->before, at);
}

/* Two steps and the softest eigenvalue there. */
typedef struct bracket {
    double low, high, f_low, f_high;
} bracket;

/* The zero of the softest eigenvalue between two places, beginning from two steps beside it: signs are
 * counted beyond rounding only, so that it may lie outside of them. */
static ac_status extrapolate(ac_equilibrium *e, const place *from, const place *to, const bracket *start,
                             double *at)
{
    double a = start->low, b = start->high, f_a = start->f_low, f_b = start->f_high;
    *at = b;
    for (int it = 0; it < MOST_TRIES && f_a != f_b; ++it) {
        double s = ac_min(ac_max((a * f_b - b * f_a) / (f_b - f_a), from->at), to->at), f;
        if (s == a || s == b || !(s > 0.0)) break;
        ac_status status = softness(e, s, &f);
        if (ac_path_no_point(status)) break;
        AC_TRY(status);
        if (fabs(f) > fabs(f_a) && fabs(f) > fabs(f_b)) break; /* of another vector */
        *at = s;
        if (fabs(f) <= 1e-6 * ac_max(fabs(start->f_low), fabs(start->f_high))) break;
        if (fabs(f_a) >= fabs(f_b)) {
            a = b;
            f_a = f_b;
        }
        b = s;
        f_b = f;
    }
    return AC_OK;
}

/* The zero of the softest eigenvalue within the bracket, which becomes smaller. */
static ac_status narrow(ac_equilibrium *e, bracket *b, double *at)
{
    double limit = 1e-10 * ac_max(fabs(b->f_low), fabs(b->f_high));
    *at = b->high;
    for (int it = 0; it < MOST_SECANTS && (b->f_low > 0.0) != (b->f_high > 0.0); ++it) {
        double f, s = (b->low * b->f_high - b->high * b->f_low) / (b->f_high - b->f_low);
        if (b->high - b->low <= 1e-13 * b->high) break;
        if (it % 3 == 2) s = 0.5 * (b->low + b->high);
        AC_TRY(softness(e, s, &f));
        *at = s;
        if (fabs(f) <= limit) break;
        bool low = (f > 0.0) == (b->f_low > 0.0);
        *(low ? &b->low : &b->high) = s;
        *(low ? &b->f_low : &b->f_high) = f;
    }
    return AC_OK;
}

/* The zero of the softest eigenvalue between a and b, which are within from and to. */
static ac_status find_softest(ac_equilibrium *e, const place *from, const place *to, const place *a,
                              const place *b, double *at)
{
    bracket start = {.low = a->at, .high = b->at};
    *at = b->at;
    AC_TRY(softness(e, start.low, &start.f_low));
    AC_TRY(softness(e, start.high, &start.f_high));
    if ((start.f_low > 0.0) == (start.f_high > 0.0)) return extrapolate(e, from, to, &start, at);
    ac_status status = narrow(e, &start, at);
    if (ac_path_no_point(status)) *at = fabs(start.f_low) < fabs(start.f_high) ? start.low : start.high;
    return status;
}

/* The step at which the first eigenvalue between two places changes its sign: halving by the number of
 * signs until no other is near (`apart`, beside the step), then the zero of the eigenvalue itself. The
 * first place becomes the one behind it. `within`: how close the load factor there is known, if points are
 * missing. */
static ac_status find_bifurcation(const search *s, place *from, const place *to, double apart, double *at,
                                  double *within)
{
    ac_equilibrium *e = s->e;
    const place first = *from;
    place a = *from, b = *to;
    ac_status status = AC_OK;
    for (int it = 0; it < MOST_SECANTS && b.at - a.at > apart * b.at; ++it) {
        double middle = 0.5 * (a.at + b.at);
        status = step_between(e, a.at, b.at, &middle);
        if (status != AC_OK) break;
        AC_TRY(ac_path_judge(e, AC_EVENT_BIFURCATION));
        place p = here(s, middle);
        *(p.negative == first.negative ? &a : &b) = p;
    }
    *from = b;
    *at = b.at;
    if (status == AC_OK) status = find_softest(e, &first, to, &a, &b, at);
    *within = status == AC_OK ? 0.0 : fabs(b.factor - a.factor);
    return ac_path_no_point(status) ? AC_OK : status;
}

/* Does nothing but the load factor change all along the step? Next to a bifurcation, what rounding leaves of
 * a load without leverage seems to push the motion that costs nothing, but not at the ends of the step. */
static bool only_load_changes(const ac_equilibrium *e)
{
    const double *a = e->before.tangent, *b = e->other.tangent;
    double most = ac_max(ac_path_dot(e, a, a), ac_path_dot(e, b, b));
    return e->path.load_scale > 0.0 && most <= MOVES * MOVES;
}

/* The share of the load that does work on a motion at the present point; `f`: as long as the freedoms. */
static double load_share(ac_equilibrium *e, const double *motion, double *f)
{
    double push = 0.0, length = sqrt(ac_path_dot(e, motion, motion));
    ac_tree_project(e->system, e->columns, e->now.q, e->balance.load, e->wrenches, f);
    for (int j = 0; j < e->freedoms; ++j) push += motion[j] * f[j];
    return push / (length * sqrt(e->system->node_count) * ac_equilibrium_load_strength(e));
}

/* Does the eigenvalue that vanishes at a step from `before` belong to a limit point? There the path goes
 * along its vector and the load does work on it; at a bifurcation it does none. Eigenvalues count as
 * negative beyond rounding only, so that they may change their sign some way from the limit point, and
 * even between two other points. */
static ac_status is_limit(const search *s, double at, bool *limit)
{
    ac_equilibrium *e = s->e;
    double *x = e->newton.by_load, eigenvalue;
    *limit = false;
    if (only_load_changes(e)) return AC_OK;
    AC_TRY(softness(e, at, &eigenvalue));
    if (e->neutral.count > e->neutral.before) return AC_OK; /* a motion along which no force acts */
    double length = sqrt(ac_path_dot(e, x, x)), along = fabs(ac_path_dot(e, e->now.tangent, x)) / length;
    bool pushed = fabs(load_share(e, x, e->newton.delta)) > PUSHED;
    *limit = along > ALONG && (pushed || (s->by_sign && e->path.load_scale == 0.0));
    return AC_OK;
}

/* Has a limit point been found on this step? */
static bool has_limit(const ac_equilibrium *e)
{
    for (int k = 0; k < e->events.count; ++k)
        if (e->events.list[k].kind == AC_EVENT_LIMIT) return true;
    return false;
}

static ac_status find_bifurcations(const search *s, const place *low, const place *high, double apart)
{
    ac_equilibrium *e = s->e;
    place from = *low;
    while (e->events.count < AC_CROSSINGS_MAX && from.negative != high->negative) {
        double at, within;
        bool limit = false;
        int negative = from.negative;
        AC_TRY(find_bifurcation(s, &from, high, apart, &at, &within));
        if (abs(from.negative - negative) == 1) AC_TRY(is_limit(s, at, &limit));
        if (!limit) keep_event(e, at, within, AC_EVENT_BIFURCATION);
        if (limit && !has_limit(e))
            e->unexplained.now = true; /* that of another path, onto which the step leads */
    }
    return AC_OK;
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* Signs that rounding leaves open are taken to be as at the end of the step. */
static int signs_as(const search *s, const place *end)
{
    const ac_equilibrium *e = s->e;
    if (s->by_sign) return e->now.flipped;
    int least = e->point.negative, open = e->point.neutral - e->neutral.before;
    int most = open > 0 ? least + open : least;
    if (end->negative <= least) return least;
    return end->negative < most ? end->negative : most;
}

/* Bifurcations before and behind a limit point or a pole, at which an eigenvalue changes its sign, too. */
static ac_status find_beside(const search *s, const place *low, const place *high, double at, bool pole)
{
    ac_equilibrium *e = s->e;
    double step[2] = {at - BESIDE * (at - low->at), at + BESIDE * (high->at - at)};
    place beside[2];
    for (int k = 0; k < 2; ++k) {
        AC_TRY(step_between(e, k == 0 ? low->at : at, k == 0 ? at : high->at, &step[k]));
        AC_TRY(ac_path_judge(e, AC_EVENT_NONE));
        beside[k] = here(s, step[k]);
        beside[k].negative = signs_as(s, k == 0 ? low : high);
    }
    AC_TRY(find_bifurcations(s, low, &beside[0], APART));
    if (abs(beside[1].negative - beside[0].negative) > 1 && !pole)
        AC_TRY(find_bifurcations(s, &beside[0], &beside[1], CLOSE));
    return find_bifurcations(s, &beside[1], high, APART);
}

/* The share of the load that does work along the path at the step `at` from `before`. */
static ac_status work_along(ac_equilibrium *e, double at, double *share)
{
    AC_TRY(ac_path_step(e, &e->before, at));
    *share = load_share(e, e->now.tangent, e->newton.delta);
    return AC_OK;
}

/* Is the place where the load factor turns round a bifurcation? There a branch comes back to the path it
 * has left: the load does no work on its direction, and what it does before and behind has different signs.
 * At a limit point it goes on doing work. */
static ac_status comes_back(const search *s, const place *low, const place *high, double at, bool *back)
{
    double first = 0.0, there = 0.0, last = 0.0;
    *back = false;
    if (s->by_sign) return AC_OK;
    AC_TRY(work_along(s->e, 0.5 * (low->at + at), &first));
    AC_TRY(work_along(s->e, 0.5 * (at + high->at), &last));
    AC_TRY(work_along(s->e, at, &there));
    *back = first * last < 0.0 && fabs(there) < IDLE * ac_max(fabs(first), fabs(last));
    return AC_OK;
}

static ac_status find_along(const search *s, const place *low, const place *high)
{
    AC_TRY(find_bifurcations(s, low, high, APART));
    return find_levels(s, low, high);
}

/* Next to a bifurcation a branch is so flat that the sign of the slope is a matter of rounding: the load
 * factor hardly changes, and the eigenvalue counts as zero still where the step ends. */
static bool is_flat(const ac_equilibrium *e, const place *low, const place *high, const place *zero)
{
    double most = ac_max(fabs(low->factor - zero->factor), fabs(high->factor - zero->factor));
    return most <= FLAT * fabs(zero->factor) && e->events.later.neutral > 0;
}

/* The load factor turns round between two places, or goes to infinity. */
static ac_status find_turn(const search *s, const place *low, const place *high)
{
    place a = *low, b = *high, zero;
    zero_kind kind;
    ac_status status = AC_OK;
    bool back = false;
    AC_TRY(find_zero(s, NULL, &a, &b, &zero, &kind));
    if (kind == ZERO && is_flat(s->e, low, high, &zero)) return find_along(s, low, high);
    if (kind == ZERO) status = comes_back(s, low, high, zero.at, &back);
    if (status != AC_OK && !ac_path_no_point(status)) return status;
    if (kind != POLE)
        keep_event(s->e, zero.at, kind == UNKNOWN ? fabs(b.factor - a.factor) : 0.0,
                   back ? AC_EVENT_BIFURCATION : AC_EVENT_LIMIT);
    AC_TRY(find_levels(s, low, kind == POLE ? &a : &zero));
    AC_TRY(find_levels(s, kind == POLE ? &b : &zero, high));
    status = find_beside(s, low, high, zero.at, kind == POLE);
    return ac_path_no_point(status) ? AC_OK : status;
}

/* The load factor falls between two places although it rises at both, or the other way round: there are
 * two limit points in between, or a pole. */
static bool contradicts(const place *a, const place *b)
{
    double change = b->factor - a->factor, size = ac_max(fabs(a->factor), fabs(b->factor));
    return rises(a) == rises(b) && (change > 0.0) != rises(a) && fabs(change) > 1e-9 * size;
}

/* Narrows [a, b] by halving until the factor turns round on both sides of *middle, or it is a pole. */
static ac_status find_break(const search *s, place *a, place *b, place *middle, bool *turns)
{
    ac_equilibrium *e = s->e;
    double span = b->at - a->at, most = FAR * ac_max(fabs(a->factor), fabs(b->factor));
    *turns = false;
    *middle = *a;
    for (int it = 0; it < MOST_SECANTS && b->at - a->at > 1e-11 * span; ++it) {
        double at = 0.5 * (a->at + b->at);
        AC_TRY(step_between(e, a->at, b->at, &at));
        AC_TRY(ac_path_judge(e, AC_EVENT_NONE));
        *middle = here(s, at);
        if (fabs(middle->factor) > most) break;
        *turns = rises(middle) != rises(a);
        if (*turns) break;
        *(contradicts(a, middle) ? b : a) = *middle;
    }
    return AC_OK;
}

static ac_status find_simple(const search *s, const place *low, const place *high)
{
    return rises(low) == rises(high) ? find_along(s, low, high) : find_turn(s, low, high);
}

ac_status ac_path_find_events(ac_equilibrium *e, double step, int negative)
{
    search s = {e, negative < 0 || e->events.later.negative < 0};
    place a, b, middle;
    bool turns;
    e->events.count = e->events.next = 0;
    e->unexplained.now = false;
    a = (place){0.0, e->before.factor, e->before.tangent_factor, s.by_sign ? e->before.flipped : negative};
    b = (place){step, e->other.factor, e->other.tangent_factor,
                s.by_sign ? e->other.flipped : e->events.later.negative};
    if (!contradicts(&a, &b)) return find_simple(&s, &a, &b);
    place low = a, high = b;
    ac_status status = find_break(&s, &a, &b, &middle, &turns);
    if (ac_path_no_point(status)) return find_simple(&s, &low, &high);
    AC_TRY(status);
    if (turns) {
        AC_TRY(find_simple(&s, &low, &middle));
        return find_simple(&s, &middle, &high);
    }
    AC_TRY(find_levels(&s, &low, &a));
    AC_TRY(find_levels(&s, &b, &high));
    status = find_beside(&s, &low, &high, 0.5 * (a.at + b.at), true);
    return ac_path_no_point(status) ? AC_OK : status;
}
