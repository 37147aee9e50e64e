/* Momentum, angular momentum and kinetic energy as quadratic maps of configuration and velocity. The velocity
 * of the first and the last node is the one that the discrete Legendre transform ties to the motion, so M w
 * is the discrete momentum there. */
#include "control/motion.h"

#include <string.h>

/* --- building --- */

/* factor e . (x X c w) with the blocks x at `row` and w at `column`, in two or three dimensions */
static ac_status add_turning(ac_scalars *set, const ac_mass_entry *entry, const double e[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (e[k] == 0.0 || i >= entry->dimension || j >= entry->dimension) continue;
        double factor = e[k] * entry->coefficient;
        AC_TRY(ac_forms_add_product(set->ctx, &set->forms, entry->row + i,
                                    AC_MOTION_VELOCITY + entry->column + j, factor));
        AC_TRY(ac_forms_add_product(set->ctx, &set->forms, entry->row + j,
                                    AC_MOTION_VELOCITY + entry->column + i, -factor));
    }
    return AC_OK;
}

/* e . (c w) */
static ac_status add_along(ac_scalars *set, const ac_mass_entry *entry, const double e[3])
{
    for (int i = 0; i < entry->dimension; ++i)
        if (e[i] != 0.0)
            AC_TRY(ac_forms_add_linear(set->ctx, &set->forms, AC_MOTION_VELOCITY + entry->column + i,
                                       e[i] * entry->coefficient));
    return AC_OK;
}

static ac_status add_kinetic(ac_scalars *set, const ac_mass_entry *entry)
{
    for (int i = 0; i < entry->dimension; ++i)
        AC_TRY(ac_forms_add_product(set->ctx, &set->forms, AC_MOTION_VELOCITY + entry->row + i,
                                    AC_MOTION_VELOCITY + entry->column + i, 0.5 * entry->coefficient));
    return AC_OK;
}

/* e . ((x - o) X p) = e . (x X p) - (e X o) . p; about the own centre places do not count. */
static ac_status add_angular(ac_scalars *set, const ac_mass_entry *entry, bool place,
                             const ac_motion_source *source)
{
    const double *e = source->along, *o = source->about;
    if (place && !o) return AC_OK;
    AC_TRY(add_turning(set, entry, e));
    if (!place) return AC_OK;
    const double arm[3] = {-(e[1] * o[2] - e[2] * o[1]), -(e[2] * o[0] - e[0] * o[2]),
                           -(e[0] * o[1] - e[1] * o[0])};
    return add_along(set, entry, arm);
}

ac_status ac_scalars_add_motion(ac_scalars *set, const ac_system *system, const ac_motion_source *source,
                                int *number)
{
    const ac_node *node = &system->nodes[source->node];
    const ac_outer outer = {.kind = AC_OUTER_VALUE, .factor = 1.0};
    int first = set->forms.count, end = node->q + node->size;
    AC_TRY(ac_forms_begin(set->ctx, &set->forms, 0.0));
    for (int k = 0; k < system->mass_count; ++k) {
        const ac_mass_entry *entry = &system->mass[k];
        if (entry->row < node->q || entry->row >= end) continue;
        if (entry->column < node->q || entry->column >= end)
            return ac_fail(set->ctx, AC_BAD_INPUT,
                           "'%s' belongs to a beam and shares its mass with its neighbours, so it has no "
                           "momentum or energy of its own",
                           node->name);
        bool place = entry->row == node->q;
        if (source->kind == AC_MOTION_KINETIC) AC_TRY(add_kinetic(set, entry));
        if (source->kind == AC_MOTION_MOMENTUM && place) AC_TRY(add_along(set, entry, source->along));
        if (source->kind == AC_MOTION_ANGULAR) AC_TRY(add_angular(set, entry, place, source));
    }
    AC_TRY(ac_scalars_close_outer(set, &outer, first, number));
    set->list[*number].motion = true;
    return AC_OK;
}

/* --- evaluating --- */

static double form_at(const ac_scalars *set, int k, const double *z, double *f, double *F)
{
    const ac_scalar *scalar = &set->list[k];
    int n = scalar->count;
    if (f) {
        memset(f, 0, (size_t)n * sizeof *f);
        ac_form_add_gradient(&set->forms, scalar->first_form, z, 1.0, f);
    }
    if (F) {
        memset(F, 0, (size_t)n * (size_t)n * sizeof *F);
        ac_form_add_hessian(&set->forms, scalar->first_form, 1.0, n, F);
    }
    return ac_form_value(&set->forms, scalar->first_form, z);
}

double ac_motion_at_node(const ac_scalars *set, int k, const double *q, const double *w, double *gradient,
                         double *hessian, int stride)
{
    double z[AC_ELEMENT_MAX] = {0.0}, F[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    const int *at = ac_scalar_coordinates(set, k);
    int n = set->list[k].count;
    for (int i = 0; i < n; ++i) z[i] = at[i] < AC_MOTION_VELOCITY ? q[at[i]] : w[at[i] - AC_MOTION_VELOCITY];
    double value = form_at(set, k, z, gradient, hessian ? F : NULL);
    for (int i = 0; hessian && i < n; ++i) memcpy(hessian + i * stride, F + i * n, (size_t)n * sizeof *F);
    return value;
}

double ac_motion_on_interval(const ac_scalars *set, int k, const double *a, const double *b, double h,
                             double *gradient, double *hessian, int stride)
{
    enum { MOST = 2 * AC_ELEMENT_MAX };
    double z[AC_ELEMENT_MAX] = {0.0}, f[AC_ELEMENT_MAX], F[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    double by[MOST] = {0.0}, by_h[AC_ELEMENT_MAX] = {0.0}; /* of z, by its ends and by h */
    const int *at = ac_scalar_coordinates(set, k);
    int n = set->list[k].count, last = 2 * n;
    for (int i = 0; i < n; ++i) {
        bool moving = at[i] >= AC_MOTION_VELOCITY;
        int c = moving ? at[i] - AC_MOTION_VELOCITY : at[i];
        z[i] = moving ? (b[c] - a[c]) / h : 0.5 * (a[c] + b[c]);
        by[i] = moving ? -1.0 / h : 0.5;
        by[n + i] = moving ? 1.0 / h : 0.5;
        by_h[i] = moving ? -z[i] / h : 0.0;
    }
    double value = form_at(set, k, z, f, F);
    gradient[last] = 0.0;
    for (int i = 0; i < n; ++i) gradient[last] += f[i] * by_h[i];
    for (int i = 0; i < last; ++i) gradient[i] = f[i % n] * by[i];
    if (!hessian) return value;
    hessian[last * stride + last] = 0.0;
    for (int i = 0; i < n; ++i) {
        hessian[last * stride + last] -= 2.0 * f[i] * by_h[i] / h;
        for (int j = 0; j < n; ++j) hessian[last * stride + last] += F[i * n + j] * by_h[i] * by_h[j];
    }
    for (int i = 0; i < last; ++i) {
        bool moving = at[i % n] >= AC_MOTION_VELOCITY;
        double mixed = moving ? -gradient[i] / h : 0.0;
        for (int j = 0; j < n; ++j) mixed += F[(i % n) * n + j] * by[i] * by_h[j];
        hessian[i * stride + last] = hessian[last * stride + i] = mixed;
        for (int j = 0; j < last; ++j) hessian[i * stride + j] = F[(i % n) * n + j % n] * by[i] * by[j];
    }
    return value;
}
