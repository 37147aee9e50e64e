/* Scalars of a configuration and their derivatives. */
#include "action/describe/scalar.h"

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
    for (int k = 0; k < set->count; ++k) {
        ac_varied_free(set->ctx, set->list[k].varied);
        ac_release(set->ctx, set->list[k].motion);
    }
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

ac_status ac_scalars_close_outer(ac_scalars *set, const ac_outer *outer, int first_form, int *number)
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
    int count = set->coordinate_count - start;
    set->list[set->count] = (ac_scalar){*outer, first_form, start, count, count, NULL, NULL};
    set->list[set->count].outer.maps = forms->count - first_form;
    *number = set->count++;
    return AC_OK;
}

ac_status ac_scalars_close(ac_scalars *set, ac_measure_kind kind, int first_form, int *number)
{
    const ac_outer outer = {.kind = kind == AC_MEASURE_ANGLE    ? AC_OUTER_ANGLE
                                    : kind == AC_MEASURE_LENGTH ? AC_OUTER_LENGTH
                                                                : AC_OUTER_VALUE,
                            .factor = 1.0};
    return ac_scalars_close_outer(set, &outer, first_form, number);
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

static void gather(const ac_scalars *set, const ac_scalar *scalar, const double *q, double *x)
{
    const int *coordinate = set->coordinate + scalar->start;
    for (int i = 0; i < scalar->count; ++i) x[i] = q[coordinate[i]];
}

/* J_a: gradients of the maps */
static void map_gradients(const ac_scalars *set, const ac_scalar *scalar, const double *x,
                          double J[AC_OUTER_MAX][AC_ELEMENT_MAX])
{
    for (int a = 0; a < scalar->outer.maps; ++a) {
        memset(J[a], 0, (size_t)scalar->count * sizeof J[a][0]);
        ac_form_add_gradient(&set->forms, scalar->first_form + a, x, 1.0, J[a]);
    }
}

/* out = sum_ab weight_ab J_a J_b^T */
static void add_products(int maps, int n, double weight[AC_OUTER_MAX][AC_OUTER_MAX],
                         double J[AC_OUTER_MAX][AC_ELEMENT_MAX], double *out)
{
    for (int a = 0; a < maps; ++a) {
        double K[AC_ELEMENT_MAX] = {0.0};
        for (int b = 0; b < maps; ++b)
            for (int i = 0; weight[a][b] != 0.0 && i < n; ++i) K[i] += weight[a][b] * J[b][i];
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) out[i * n + j] += J[a][i] * K[j];
    }
}

double ac_scalar_evaluate(const ac_scalars *set, int k, const double *q, double near_value, double *gradient,
                          double *hessian)
{
    const ac_scalar *scalar = &set->list[k];
    if (scalar->motion) return 0.0; /* a configuration alone says nothing of it */
    if (scalar->varied) return ac_varied_evaluate(set, k, q, gradient, hessian);
    const ac_forms *forms = &set->forms;
    int maps = scalar->outer.maps, n = scalar->count, first = scalar->first_form;
    double x[AC_ELEMENT_MAX] = {0.0}, kappa[AC_OUTER_MAX] = {0.0};
    ac_outer_value v;
    gather(set, scalar, q, x);
    for (int a = 0; a < maps; ++a) kappa[a] = ac_form_value(forms, first + a, x);
    ac_outer_evaluate(&scalar->outer, kappa, near_value, &v);
    if (gradient) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        for (int a = 0; a < maps; ++a) ac_form_add_gradient(forms, first + a, x, v.d[a], gradient);
    }
    if (hessian) {
        memset(hessian, 0, (size_t)n * (size_t)n * sizeof *hessian);
        if (scalar->outer.kind != AC_OUTER_VALUE) {
            double J[AC_OUTER_MAX][AC_ELEMENT_MAX];
            map_gradients(set, scalar, x, J);
            add_products(maps, n, v.dd, J, hessian);
        }
        for (int a = 0; a < maps; ++a) ac_form_add_hessian(forms, first + a, v.d[a], n, hessian);
    }
    return v.y;
}

/* out_i = second derivative of map a along v */
static void map_bend(const ac_forms *forms, int a, const double *v, double *out)
{
    for (int e = forms->product_start[a]; e < forms->product_start[a + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        out[p->i] += p->a * v[p->j];
        out[p->j] += p->a * v[p->i];
    }
}

/* With phi = grad y . w = sum psi_a s_a, s_a = J_a . w:
 *   phi'' = sum psi_abc s_a J_b J_c + sum psi_ab s_a A_b + sum psi_ab (J_b (A_a w)^T + (A_a w) J_b^T) */
void ac_scalar_third(const ac_scalars *set, int k, const double *q, const double *w, double *third)
{
    const ac_scalar *scalar = &set->list[k];
    if (scalar->varied) {
        ac_varied_third(set, k, q, w, third);
        return;
    }
    const ac_forms *forms = &set->forms;
    int maps = scalar->outer.maps, n = scalar->count, first = scalar->first_form;
    memset(third, 0, (size_t)n * (size_t)n * sizeof *third);
    if (scalar->outer.kind == AC_OUTER_VALUE) return;
    double x[AC_ELEMENT_MAX] = {0.0}, v[AC_ELEMENT_MAX] = {0.0}, kappa[AC_OUTER_MAX] = {0.0},
           s[AC_OUTER_MAX] = {0.0};
    double J[AC_OUTER_MAX][AC_ELEMENT_MAX], Aw[AC_OUTER_MAX][AC_ELEMENT_MAX] = {{0.0}};
    double cube[AC_OUTER_MAX][AC_OUTER_MAX];
    ac_outer_value value;
    gather(set, scalar, q, x);
    gather(set, scalar, w, v);
    map_gradients(set, scalar, x, J);
    for (int a = 0; a < maps; ++a) {
        kappa[a] = ac_form_value(forms, first + a, x);
        map_bend(forms, first + a, v, Aw[a]);
        for (int i = 0; i < n; ++i) s[a] += J[a][i] * v[i];
    }
    ac_outer_evaluate(&scalar->outer, kappa, 0.0, &value);
    ac_outer_third(&scalar->outer, kappa, s, cube);
    add_products(maps, n, cube, J, third);
    for (int b = 0; b < maps; ++b) {
        double K[AC_ELEMENT_MAX] = {0.0}, weight = 0.0;
        for (int a = 0; a < maps; ++a) {
            weight += value.dd[a][b] * s[a];
            for (int i = 0; i < n; ++i) K[i] += value.dd[a][b] * Aw[a][i];
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) third[i * n + j] += J[b][i] * K[j] + K[i] * J[b][j];
        ac_form_add_hessian(forms, first + b, weight, n, third);
    }
}
