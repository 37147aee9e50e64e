/* Scalars of a configuration and their derivatives. */
#include "control/scalar.h"

#include <math.h>
#include <string.h>

void ac_scalars_begin(ac_scalars *set, ac_context *ctx)
{
    memset(set, 0, sizeof *set);
    set->ctx = ctx;
}

void ac_scalars_end(ac_scalars *set)
{
    if (!set->ctx) return;
    ac_release(set->ctx, set->list);
    ac_release(set->ctx, set->coordinate);
    ac_forms_free(set->ctx, &set->forms);
    memset(set, 0, sizeof *set);
}

/* --- building --- */

static ac_status slot_of(ac_scalars *set, int start, int coordinate, int *slot)
{
    for (int s = start; s < set->coordinate_count; ++s) {
        if (set->coordinate[s] != coordinate) continue;
        *slot = s - start;
        return AC_OK;
    }
    *slot = set->coordinate_count - start;
    if (*slot >= AC_ELEMENT_MAX)
        return ac_fail(set->ctx, AC_BAD_INPUT, "a quantity touches more than two bodies");
    AC_TRY(ac_grow(set->ctx, (void **)&set->coordinate, &set->coordinate_capacity, set->coordinate_count + 1,
                   sizeof *set->coordinate));
    set->coordinate[set->coordinate_count++] = coordinate;
    return AC_OK;
}

ac_status ac_scalars_close(ac_scalars *set, ac_measure_kind kind, int first_form, int *number)
{
    ac_forms *forms = &set->forms;
    int start = set->coordinate_count;
    for (int k = first_form; k < forms->count; ++k) {
        for (int e = forms->product_start[k]; e < forms->product_start[k + 1]; ++e) {
            AC_TRY(slot_of(set, start, forms->products[e].i, &forms->products[e].i));
            AC_TRY(slot_of(set, start, forms->products[e].j, &forms->products[e].j));
        }
        for (int e = forms->linear_start[k]; e < forms->linear_start[k + 1]; ++e)
            AC_TRY(slot_of(set, start, forms->linears[e].i, &forms->linears[e].i));
    }
    AC_TRY(ac_grow(set->ctx, (void **)&set->list, &set->capacity, set->count + 1, sizeof *set->list));
    set->list[set->count] = (ac_scalar){kind, first_form, start, set->coordinate_count - start, 1.0};
    *number = set->count++;
    return AC_OK;
}

/* Coordinate of q that stands at a place of a measure's own vector. */
static int measure_coordinate(const ac_system *system, const ac_measure *m, int place)
{
    const ac_node *first = &system->nodes[m->nodes[0]];
    if (place < first->size) return first->q + place;
    return system->nodes[m->nodes[1]].q + place - first->size;
}

ac_status ac_scalars_add_measure(ac_scalars *set, const ac_system *system, int measure, int *number)
{
    const ac_measure *m = &system->measures[measure];
    const ac_forms *from = &system->measure_forms;
    int first = set->forms.count, maps = m->kind == AC_MEASURE_ANGLE ? 2 : 1;
    for (int k = m->first_form; k < m->first_form + maps; ++k) {
        AC_TRY(ac_forms_begin(set->ctx, &set->forms, from->constant[k]));
        for (int e = from->product_start[k]; e < from->product_start[k + 1]; ++e) {
            const ac_product *p = &from->products[e];
            AC_TRY(ac_forms_add_product(set->ctx, &set->forms, measure_coordinate(system, m, p->i),
                                        measure_coordinate(system, m, p->j), p->a));
        }
        for (int e = from->linear_start[k]; e < from->linear_start[k + 1]; ++e)
            AC_TRY(ac_forms_add_linear(set->ctx, &set->forms,
                                       measure_coordinate(system, m, from->linears[e].i),
                                       from->linears[e].b));
    }
    return ac_scalars_close(set, m->kind, first, number);
}

/* --- evaluating --- */

/* psi and its derivatives by the one or two maps: d (2), dd (aa, ab, bb), ddd (aaa, aab, abb, bbb). */
static double outer(ac_measure_kind kind, const double kappa[2], double near_value, double d[2], double dd[3],
                    double ddd[4])
{
    memset(dd, 0, 3 * sizeof *dd);
    memset(ddd, 0, 4 * sizeof *ddd);
    d[1] = 0.0;
    if (kind == AC_MEASURE_VALUE) {
        d[0] = 1.0;
        return kappa[0];
    }
    if (kind == AC_MEASURE_LENGTH) {
        double k = kappa[0], y = sqrt(k);
        d[0] = 0.5 / y;
        dd[0] = -0.25 / (y * k);
        ddd[0] = 0.375 / (y * k * k);
        return y;
    }
    double c = kappa[0], s = kappa[1], r2 = c * c + s * s, r4 = r2 * r2, r6 = r4 * r2;
    double cn = cos(near_value), sn = sin(near_value);
    d[0] = -s / r2;
    d[1] = c / r2;
    dd[0] = 2.0 * c * s / r4;
    dd[1] = (s * s - c * c) / r4;
    dd[2] = -dd[0];
    ddd[0] = 2.0 * s * (s * s - 3.0 * c * c) / r6;
    ddd[1] = 2.0 * c * (c * c - 3.0 * s * s) / r6;
    ddd[2] = -ddd[0];
    ddd[3] = -ddd[1];
    return near_value + atan2(s * cn - c * sn, c * cn + s * sn);
}

static int maps_of(const ac_scalar *scalar)
{
    return scalar->kind == AC_MEASURE_ANGLE ? 2 : 1;
}

static void gather(const ac_scalars *set, const ac_scalar *scalar, const double *q, double *x)
{
    const int *coordinate = set->coordinate + scalar->start;
    for (int i = 0; i < scalar->count; ++i) x[i] = q[coordinate[i]];
}

double ac_scalar_evaluate(const ac_scalars *set, int k, const double *q, double near_value, double *gradient,
                          double *hessian)
{
    const ac_scalar *scalar = &set->list[k];
    const ac_forms *forms = &set->forms;
    int maps = maps_of(scalar), n = scalar->count, first = scalar->first_form;
    double x[AC_ELEMENT_MAX] = {0.0}, kappa[2] = {0.0, 0.0}, d[2], dd[3], ddd[4];
    gather(set, scalar, q, x);
    for (int a = 0; a < maps; ++a) kappa[a] = ac_form_value(forms, first + a, x);
    double y = outer(scalar->kind, kappa, near_value, d, dd, ddd);
    if (gradient) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        for (int a = 0; a < maps; ++a) ac_form_add_gradient(forms, first + a, x, d[a], gradient);
    }
    if (hessian) {
        double J[2][AC_ELEMENT_MAX] = {{0.0}};
        for (int a = 0; a < maps; ++a) ac_form_add_gradient(forms, first + a, x, 1.0, J[a]);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                hessian[i * n + j] = dd[0] * J[0][i] * J[0][j] +
                                     dd[1] * (J[0][i] * J[1][j] + J[1][i] * J[0][j]) +
                                     dd[2] * J[1][i] * J[1][j];
        for (int a = 0; a < maps; ++a) ac_form_add_hessian(forms, first + a, d[a], n, hessian);
    }
    return y;
}

/* With phi = grad y . w = sum psi_a s_a, s_a = J_a . w:
 *   phi'' = sum psi_abc s_a J_b J_c + sum psi_ab s_a A_b + sum psi_ab (J_b (A_a w)^T + (A_a w) J_b^T) */
void ac_scalar_third(const ac_scalars *set, int k, const double *q, const double *w, double *third)
{
    const ac_scalar *scalar = &set->list[k];
    const ac_forms *forms = &set->forms;
    int maps = maps_of(scalar), n = scalar->count, first = scalar->first_form;
    memset(third, 0, (size_t)n * (size_t)n * sizeof *third);
    if (scalar->kind == AC_MEASURE_VALUE) return;
    double x[AC_ELEMENT_MAX] = {0.0}, v[AC_ELEMENT_MAX] = {0.0}, kappa[2] = {0.0, 0.0}, d[2], dd[3], ddd[4];
    double J[2][AC_ELEMENT_MAX] = {{0.0}}, Aw[2][AC_ELEMENT_MAX] = {{0.0}}, s[2] = {0.0, 0.0};
    gather(set, scalar, q, x);
    gather(set, scalar, w, v);
    for (int a = 0; a < maps; ++a) {
        kappa[a] = ac_form_value(forms, first + a, x);
        ac_form_add_gradient(forms, first + a, x, 1.0, J[a]);
        for (int e = forms->product_start[first + a]; e < forms->product_start[first + a + 1]; ++e) {
            const ac_product *p = &forms->products[e];
            Aw[a][p->i] += p->a * v[p->j];
            Aw[a][p->j] += p->a * v[p->i];
        }
        for (int i = 0; i < n; ++i) s[a] += J[a][i] * v[i];
    }
    outer(scalar->kind, kappa, 0.0, d, dd, ddd);
    double cube[3] = {ddd[0] * s[0] + ddd[1] * s[1], ddd[1] * s[0] + ddd[2] * s[1],
                      ddd[2] * s[0] + ddd[3] * s[1]};
    double weight[2] = {dd[0] * s[0] + dd[1] * s[1], dd[1] * s[0] + dd[2] * s[1]};
    double K[2][AC_ELEMENT_MAX]; /* sum_a psi_ab A_a w */
    for (int i = 0; i < n; ++i) {
        K[0][i] = dd[0] * Aw[0][i] + dd[1] * Aw[1][i];
        K[1][i] = dd[1] * Aw[0][i] + dd[2] * Aw[1][i];
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            third[i * n + j] = cube[0] * J[0][i] * J[0][j] +
                               cube[1] * (J[0][i] * J[1][j] + J[1][i] * J[0][j]) +
                               cube[2] * J[1][i] * J[1][j] + J[0][i] * K[0][j] + K[0][i] * J[0][j] +
                               J[1][i] * K[1][j] + K[1][i] * J[1][j];
    for (int a = 0; a < maps; ++a) ac_form_add_hessian(forms, first + a, weight[a], n, third);
}
