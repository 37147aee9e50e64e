/* Derivatives of quantities by parameters through numbers of their own. */
#include "optimize/problem/quantity_slope.h"

#include <math.h>
#include <string.h>

#include "action/describe/balance.h"
#include "base/vector.h"
#include "math/math.h"

static const double PLACES[AC_SLOPE_POINTS] = {-2.0, -1.0, 1.0, 2.0},
                    WEIGHTS[AC_SLOPE_POINTS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

/* --- numbers of a quantity --- */

enum { LISTS = 14 };

/* Its numbers, list by list; radii are not among them. */
static int lists_of(ac_quantity *q, double *lists[LISTS], int sizes[LISTS])
{
    double *const all[LISTS] = {
        q->axis,           q->direction,      q->second,           q->rotation,        q->hull[0].place,
        q->hull[0].end,    q->hull[0].normal, q->hull[0].size,     q->hull[1].place,   q->hull[1].end,
        q->hull[1].normal, q->hull[1].size,   q->hull[0].rotation, q->hull[1].rotation};
    static const int counts[LISTS] = {3, 3, 3, 9, 3, 3, 3, 3, 3, 3, 3, 3, 9, 9};
    memcpy(lists, all, sizeof all);
    memcpy(sizes, counts, sizeof counts);
    return LISTS;
}

static void move(ac_quantity *q, const ac_quantity *change, double step)
{
    double *to[LISTS], *by[LISTS];
    int sizes[LISTS];
    ac_quantity own = *change;
    lists_of(&own, by, sizes);
    for (int k = 0; k < lists_of(q, to, sizes); ++k)
        for (int i = 0; i < sizes[k]; ++i) to[k][i] += step * by[k][i];
    for (int i = 0; i < 3; ++i) q->place[i] += step * change->place[i];
}

/* Vectors that cannot vanish keep half of their length at all points. */
static double keep_length(const double x[3], const double by[3], double step)
{
    double length = norm3(x), change = norm3(by);
    return length > 0.0 && change > 0.0 ? ac_min(step, 0.25 * length / change) : step;
}

static double keep_shape(const ac_hull *given, const ac_hull *change, double step)
{
    double axis[3], by[3];
    for (int i = 0; i < 3; ++i)
        if (change->size[i] != 0.0) step = ac_min(step, 0.25 * given->size[i] / fabs(change->size[i]));
    if (given->type != AC_HULL_CAPSULE) return keep_length(given->normal, change->normal, step);
    sub3(given->end, given->place, axis);
    sub3(change->end, change->place, by);
    return keep_length(axis, by, step);
}

/* Steps for which rounding does no harm; sizes of boxes stay positive, axes and normals do not vanish. */
static double step_for(const ac_quantity *given, const ac_quantity *change)
{
    double *x[LISTS], *by[LISTS], size = 0.0, most = 0.0, step;
    int sizes[LISTS];
    ac_quantity a = *given, b = *change;
    lists_of(&a, x, sizes);
    for (int k = 0; k < lists_of(&b, by, sizes); ++k)
        for (int i = 0; i < sizes[k]; ++i) {
            size = ac_max(size, fabs(x[k][i]));
            most = ac_max(most, fabs(by[k][i]));
        }
    for (int i = 0; i < 3; ++i) {
        size = ac_max(size, fabs(given->place[i]));
        most = ac_max(most, fabs(change->place[i]));
    }
    step = most > 0.0 ? 0.25 * ac_max(size, 1e-3) / most : 0.0;
    for (int h = 0; h < 2; ++h) step = keep_shape(&given->hull[h], &change->hull[h], step);
    return step;
}

/* --- adding --- */

static ac_status add_slope(ac_optimization *o, int parameter, ac_quantity_slope **slope)
{
    ac_quantity_slopes *all = &o->description.slopes;
    AC_TRY(ac_grow(o->ctx, (void **)&all->list, &all->capacity, all->count + 1, sizeof *all->list));
    *slope = &all->list[all->count++];
    **slope = (ac_quantity_slope){.parameter = parameter, .scalar = -1};
    return AC_OK;
}

/* The quantity at all points along the change, in a set of its own. */
static ac_status build(ac_optimization *o, const ac_quantity *given, const ac_quantity *change,
                       ac_quantity_slope *slope)
{
    ac_scalars kept = o->description.scalars;
    ac_status status = AC_OK;
    int measure;
    ac_scalars_begin(&o->description.scalars, o->ctx);
    o->description.scalars.discrete = kept.discrete;
    for (int k = 0; k < AC_SLOPE_POINTS && status == AC_OK; ++k) {
        ac_quantity moved = *given;
        move(&moved, change, PLACES[k] * slope->step);
        status = ac_quantity_scalar(o, &moved, &slope->at[k], &measure);
    }
    slope->set = o->description.scalars;
    o->description.scalars = kept;
    return status;
}

/* What the outer function has: radii, and the sizes of the box in whose axes the maps are; all of them are linear. */
static void take_shapes(const ac_quantity *change, ac_quantity_slope *slope)
{
    slope->radius = change->hull[0].radius + change->hull[1].radius;
    for (int k = 0; slope->step > 0.0 && k < AC_SLOPE_POINTS; ++k) {
        const ac_outer *outer = &slope->set.list[slope->at[k]].outer;
        for (int i = 0; outer->kind == AC_OUTER_BOX && i < 3; ++i)
            if (!isinf(outer->half[i])) slope->half[i] += WEIGHTS[k] / slope->step * outer->half[i];
    }
}

ac_status ac_quantity_slopes_add(ac_optimization *o, int parameter, int number, const ac_quantity *given,
                                 const ac_quantity *change)
{
    ac_quantity own = *given;
    ac_quantity_slope *slope;
    double step;
    ac_quantity_settle_axis(&own);
    step = step_for(&own, change);
    if (step == 0.0 && change->hull[0].radius == 0.0 && change->hull[1].radius == 0.0) return AC_OK;
    AC_TRY(add_slope(o, parameter, &slope));
    slope->scalar = o->description.quantities.scalar[number];
    slope->step = step;
    if (step > 0.0) AC_TRY(build(o, &own, change, slope));
    if (given->type == AC_QUANTITY_CLEARANCE) take_shapes(change, slope);
    return AC_OK;
}

const ac_signal *ac_optimization_quantity_signal(const ac_optimization *o, int number)
{
    return o->description.signals[-o->description.quantities.scalar[number] - 1];
}

ac_status ac_quantity_slopes_add_signal(ac_optimization *o, int parameter, int number,
                                        const ac_signal_slope *of_signal)
{
    ac_quantity_slope *slope;
    ac_status status = add_slope(o, parameter, &slope);
    if (status != AC_OK) {
        of_signal->free(o->ctx, of_signal->user);
        return status;
    }
    slope->of_signal = *of_signal;
    slope->signal = ac_optimization_quantity_signal(o, number);
    return AC_OK;
}

void ac_quantity_slopes_free(ac_optimization *o)
{
    ac_quantity_slopes *all = &o->description.slopes;
    for (int k = 0; k < all->count; ++k) {
        ac_quantity_slope *slope = &all->list[k];
        ac_scalars_end(&slope->set);
        if (slope->of_signal.free) slope->of_signal.free(o->ctx, slope->of_signal.user);
    }
    ac_release(o->ctx, all->list);
    *all = (ac_quantity_slopes){0};
}

const ac_quantity_slope *ac_quantity_slope_of(const ac_optimization *o, int parameter, const ac_leaf *leaf)
{
    const ac_quantity_slopes *all = &o->description.slopes;
    bool scalar = leaf->kind == AC_LEAF_VALUE || leaf->kind == AC_LEAF_RATE || leaf->kind == AC_LEAF_MOTION;
    for (int k = 0; k < all->count; ++k) {
        const ac_quantity_slope *slope = &all->list[k];
        if (slope->parameter != parameter) continue;
        if (scalar && slope->scalar == leaf->index) return slope;
        if (leaf->kind == AC_LEAF_SIGNAL && slope->signal == leaf->signal) return slope;
    }
    return NULL;
}

/* --- evaluating --- */

typedef struct map_values { /* of the maps of a scalar, and their derivatives along a velocity */
    double kappa[AC_OUTER_MAX], rate[AC_OUTER_MAX];
} map_values;

/* A scalar with data that move points has one map, the square of which a length would be the root; there are none of those here. */
static void take_maps(const ac_scalars *set, int k, const double *q, const double *v, map_values *out)
{
    const ac_scalar *scalar = &set->list[k];
    const int *at = ac_scalar_coordinates(set, k);
    double x[AC_SCALAR_MAX] = {0.0}, g[AC_SCALAR_MAX];
    memset(out, 0, sizeof *out);
    if (scalar->varied) {
        out->kappa[0] = ac_scalar_evaluate(set, k, q, 0.0, g, NULL);
        for (int i = 0; v && i < scalar->plain; ++i) out->rate[0] += g[i] * v[at[i]];
        return;
    }
    for (int i = 0; i < scalar->count; ++i) x[i] = q[at[i]];
    for (int m = 0; m < scalar->outer.maps; ++m) {
        out->kappa[m] = ac_form_value(&set->forms, scalar->first_form + m, x);
        memset(g, 0, sizeof g);
        ac_form_add_gradient(&set->forms, scalar->first_form + m, x, 1.0, g);
        for (int i = 0; v && i < scalar->count; ++i) out->rate[m] += g[i] * v[at[i]];
    }
}

static void take_change(const ac_quantity_slope *slope, const double *q, const double *v, map_values *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; slope->step > 0.0 && k < AC_SLOPE_POINTS; ++k) {
        map_values there;
        take_maps(&slope->set, slope->at[k], q, v, &there);
        for (int m = 0; m < AC_OUTER_MAX; ++m) {
            out->kappa[m] += WEIGHTS[k] / slope->step * there.kappa[m];
            out->rate[m] += WEIGHTS[k] / slope->step * there.rate[m];
        }
    }
}

/* The distance of a box is the greatest over unit vectors n of n . c less the supports of both shapes, and sum |n_k| h_k is that of
 * the box: by its half sizes it changes by -|n_k|, with n the derivative by the centre c of the other shape, its first maps. */
static double by_half_sizes(const ac_quantity_slope *slope, const ac_outer_value *psi, const double *kv,
                            int maps, double *rate)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double side = psi->d[k] < 0.0 ? -1.0 : 1.0;
        sum -= side * psi->d[k] * slope->half[k];
        for (int l = 0; rate && l < maps; ++l) *rate -= side * psi->dd[k][l] * kv[l] * slope->half[k];
    }
    return sum;
}

double ac_quantity_slope_value(const ac_optimization *o, const ac_quantity_slope *slope, const double *q,
                               double winding, const double *v, double *rate)
{
    const ac_scalars *set = &o->description.scalars;
    const ac_scalar *scalar = &set->list[slope->scalar];
    const int maps = scalar->outer.maps;
    map_values here, by;
    ac_outer_value psi = {0};
    double sum = -slope->radius;
    take_change(slope, q, v, &by);
    if (scalar->varied) {
        if (v) *rate = by.rate[0];
        return by.kappa[0];
    }
    take_maps(set, slope->scalar, q, v, &here);
    ac_outer_evaluate(&scalar->outer, here.kappa, winding, &psi);
    if (v) *rate = 0.0;
    if (scalar->outer.kind == AC_OUTER_BOX)
        sum += by_half_sizes(slope, &psi, here.rate, maps, v ? rate : NULL);
    for (int m = 0; m < maps; ++m) {
        sum += psi.d[m] * by.kappa[m];
        if (v) *rate += psi.d[m] * by.rate[m];
        for (int l = 0; v && l < maps; ++l) *rate += psi.dd[l][m] * here.rate[l] * by.kappa[m];
    }
    return sum;
}

double ac_quantity_slope_motion(const ac_optimization *o, const ac_quantity_slope *slope, const ac_leaf *leaf,
                                const ac_term_point *point)
{
    double sum = 0.0;
    for (int k = 0; slope->step > 0.0 && k < AC_SLOPE_POINTS; ++k)
        sum += WEIGHTS[k] / slope->step *
               ac_balance_leaf_value(leaf, slope->set.list[slope->at[k]].motion, &o->description.discrete,
                                     point);
    return sum;
}
