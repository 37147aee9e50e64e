/* Downhill to an equilibrium that is stable, from anywhere: Newton's method on the potential with a trust
 * region.
 *
 * The step solves (K + shift W) delta = -r, with a shift large enough for the matrix to be positive definite
 * and for the potential to fall about as much as its second-order model says. Where K alone is positive
 * definite the shift goes to zero and the steps become Newton's. A saddle is left along its direction of most
 * negative curvature. For systems without loops whose loads have a potential (work.c).
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "equilibrium/solver.h"
#include "action/beam/beam_turn.h"
#include "math/math.h"

static const double LARGEST_STEP = 0.3;  /* rad, or m over the typical length */
static const double NEARLY = 1e-5;       /* a step without shift that is left to Newton's method */
static const double LEAST_SHIFT = 1e-13; /* beside the stiffness */
static const double STUCK = 1e-10;       /* a step that is too short to go on with */
static const double NOISE = 1e-14;       /* of the potential, beside itself */
static const double KICK = 0.02;         /* off a saddle */
static const double FIRST_SHIFT = 50.0;  /* beside force over typical length */
enum { MOST_STEPS = 1500, MOST_KICKS = 8, MOST_SHIFTS = 60, INVERSE = 12 };

/* The least shift that shows beside rounding: where turns count least. */
static double least_shift(ac_equilibrium *e)
{
    double share = 1.0;
    for (int j = 0; j < e->freedoms; ++j) share = ac_min(share, e->metric.grain[j] / e->metric.weight[j]);
    return LEAST_SHIFT * share * ac_equilibrium_stiffness(e);
}

/* Is the tangent positive definite, but for motions that cost nothing and that the forces do not push?
 * Factorises it then, and holds these motions. */
static ac_status factor_if_definite(ac_equilibrium *e, bool *definite)
{
    int negative, neutral;
    AC_TRY(ac_equilibrium_assemble(e));
    AC_TRY(ac_equilibrium_signs(e, &negative, &neutral));
    *definite = negative == 0 && (neutral == 0 || e->newton.shift == 0.0);
    if (!*definite) return AC_OK;
    ac_status status = neutral == 0 ? ac_sparse_factor(e->tangent.matrix) : ac_equilibrium_factor_freely(e);
    *definite = status == AC_OK && !ac_equilibrium_leaves(e);
    if (!*definite) e->neutral.count = 0;
    return status == AC_SINGULAR ? AC_OK : status;
}

/* Factorises the tangent, with more shift until it is positive definite. */
static ac_status factor_downhill(ac_equilibrium *e)
{
    e->neutral.count = 0;
    for (int k = 0; k < MOST_SHIFTS; ++k) {
        bool definite;
        AC_TRY(factor_if_definite(e, &definite));
        if (definite) return AC_OK;
        e->newton.shift = ac_max(3.0 * e->newton.shift, least_shift(e));
    }
    return AC_NOT_CONVERGED;
}

typedef struct descent {
    double energy;
    double size;      /* of the step */
    double slope;     /* r . delta */
    double by_shift;  /* delta . shift W delta */
    double predicted; /* fall of the potential */
    double wanted;    /* shift before that of the step was found */
    bool done, stuck;
} descent;

static double kink(const ac_equilibrium *e, int node)
{
    const double *a = e->wrenches + 6 * node + 3, *b = a + 6;
    double gap[3];
    sub3(b, a, gap);
    return dot3(gap, gap);
}

/* delta . shift W delta, with what bends single elements. */
static double carried_by_shift(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double sum = 0.0;
    for (int j = 0; j < e->freedoms; ++j)
        sum += e->metric.weight[j] * e->newton.delta[j] * e->newton.delta[j];
    ac_tree_twists(system, e->columns, e->now.q, e->newton.delta, e->wrenches);
    for (int k = 0; k < system->mesh.element_count; ++k) {
        const ac_beam_element *element = &system->mesh.elements[k];
        sum += ac_equilibrium_kink_weight(e, element->beam) * kink(e, element->node);
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *element = &system->mesh.high[k];
        for (int i = 0; i < element->order; ++i)
            sum += ac_equilibrium_kink_weight(e, element->beam) * kink(e, element->node + i);
    }
    return e->newton.shift * sum;
}

static ac_status find_step(ac_equilibrium *e, descent *d, double *part)
{
    d->wanted = e->newton.shift;
    AC_TRY(factor_downhill(e));
    AC_TRY(ac_equilibrium_correction(e, e->newton.delta, NULL));
    d->size = ac_equilibrium_size(e, e->newton.delta);
    if (!isfinite(d->size)) return AC_NOT_CONVERGED;
    d->slope = 0.0;
    d->by_shift = carried_by_shift(e);
    for (int j = 0; j < e->freedoms; ++j) d->slope += e->balance.r[j] * e->newton.delta[j];
    *part = d->size > LARGEST_STEP ? LARGEST_STEP / d->size : 1.0;
    d->predicted = -*part * d->slope + 0.5 * *part * *part * (d->slope + d->by_shift);
    return AC_OK;
}

/* A fall of the potential that would be lost in its rounding is the end only if no longer step can be had
 * with less shift. */
static bool is_over(ac_equilibrium *e, descent *d, double least)
{
    bool small = d->predicted <= NOISE * fabs(d->energy);
    d->done = (d->size < NEARLY || small) &&
              (e->newton.shift <= 1.5 * least || (small && e->newton.shift > d->wanted));
    if (small && !d->done) e->newton.shift *= 0.2;
    return small || d->done;
}

/* One step, or another shift. */
static ac_status try_step(ac_equilibrium *e, descent *d)
{
    double part, before = d->energy;
    AC_TRY(find_step(e, d, &part));
    double least = least_shift(e);
    if (is_over(e, d, least)) return AC_OK;
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    double work = ac_equilibrium_work(e, &e->before, e->newton.delta, part);
    ac_equilibrium_move(e, e->newton.delta, part);
    ac_equilibrium_evaluate(e);
    d->energy = ac_equilibrium_potential(e);
    double fall = before - d->energy + work;
    if (fall > 0.1 * d->predicted &&
        ac_beam_largest_turn(e->system, e->now.q, AC_BEAM_VERTEX, NULL) < ac_beam_fold()) {
        if (fall > 0.6 * d->predicted && part == 1.0)
            e->newton.shift = 0.2 * e->newton.shift > least ? 0.2 * e->newton.shift : 0.0;
        return AC_OK;
    }
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    ac_equilibrium_evaluate(e);
    d->energy = before;
    d->stuck = part * d->size < STUCK;
    e->newton.shift = ac_max(4.0 * e->newton.shift, least);
    return AC_OK;
}

static ac_status go_down(ac_equilibrium *e)
{
    descent d = {0};
    ac_equilibrium_evaluate(e);
    d.energy = ac_equilibrium_potential(e);
    e->newton.shift = FIRST_SHIFT * ac_equilibrium_force(e) / e->system->length_scale;
    for (int k = 0; k < MOST_STEPS && !d.done && !d.stuck; ++k) {
        AC_TRY(ac_equilibrium_count_descent(e));
        AC_TRY(try_step(e, &d));
    }
    return d.done ? AC_OK : AC_NOT_CONVERGED;
}

/* Off a saddle, along its most negative curvature: the side on which the potential is lower. */
static ac_status leave_saddle(ac_equilibrium *e)
{
    double energy[2], factor = 0.0;
    e->newton.shift = 0.0;
    ac_equilibrium_evaluate(e);
    AC_TRY(factor_downhill(e));
    for (int j = 0; j < e->size; ++j)
        e->newton.delta[j] = ac_cos(1.0 + 3.0 * j) / sqrt(e->metric.weight[j % e->freedoms]);
    for (int k = 0; k < INVERSE; ++k) {
        AC_TRY(ac_equilibrium_invert(e, e->metric.weight, e->newton.delta));
        factor = KICK / ac_equilibrium_size(e, e->newton.delta);
        for (int j = 0; j < e->freedoms; ++j) e->newton.delta[j] *= factor;
    }
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    for (int side = 0; side < 2; ++side) {
        ac_equilibrium_state_copy(e, &e->before, &e->now);
        double way = side == 0 ? -1.0 : 1.0, work = ac_equilibrium_work(e, &e->before, e->newton.delta, way);
        ac_equilibrium_move(e, e->newton.delta, way);
        ac_equilibrium_evaluate(e);
        energy[side] = ac_equilibrium_potential(e) - work;
    }
    if (energy[1] <= energy[0]) return AC_OK;
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    ac_equilibrium_move(e, e->newton.delta, -1.0);
    ac_equilibrium_evaluate(e);
    return AC_OK;
}

/* To an equilibrium, and how many directions leave it downhill. */
static ac_status come_to_rest(ac_equilibrium *e, int *negative)
{
    int neutral;
    e->newton.upright = true;
    ac_status status = go_down(e);
    e->newton.upright = false;
    e->newton.shift = 0.0;
    e->neutral.count = 0;
    if (status != AC_OK) return status;
    AC_TRY(ac_equilibrium_newton(e));
    AC_TRY(ac_equilibrium_assemble(e));
    return ac_equilibrium_stability(e, negative, &neutral);
}

/* From saddle to saddle; one that cannot be left is the result, kept in `best`. */
static ac_status leave_saddles(ac_equilibrium *e, int negative, ac_equilibrium_state *best)
{
    ac_status status = AC_OK;
    for (int k = 0; k < MOST_KICKS && status == AC_OK && negative > 0; ++k) {
        ac_equilibrium_state_copy(e, &e->now, best);
        e->newton.upright = true;
        status = leave_saddle(e);
        e->newton.upright = false;
        e->newton.shift = 0.0;
        e->neutral.count = 0;
        if (status == AC_OK) status = come_to_rest(e, &negative);
    }
    if (status != AC_NOT_CONVERGED && status != AC_SINGULAR) return status;
    ac_equilibrium_state_copy(e, best, &e->now);
    return ac_equilibrium_newton(e);
}

ac_status ac_equilibrium_descend(ac_equilibrium *e)
{
    int negative = 0;
    ac_equilibrium_state best = {0};
    ac_status status = come_to_rest(e, &negative);
    if (status == AC_OK && negative > 0) {
        status = ac_equilibrium_state_create(e, &best);
        if (status == AC_OK) status = leave_saddles(e, negative, &best);
        ac_equilibrium_state_destroy(e, &best);
    }
    return status == AC_NOT_CONVERGED ? ac_equilibrium_not_found(e) : status;
}
