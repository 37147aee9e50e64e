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
    set->list[set->count] = (ac_scalar){*outer, first_form, start, count, count, NULL, NULL, -1, -1, 0};
    set->list[set->count].outer.maps = forms->count - first_form;
    *number = set->count++;
    return AC_OK;
}

ac_status ac_scalars_close(ac_scalars *set, ac_measure_kind kind, int first_form, int *number)
{
    const ac_outer outer = ac_measure_outer(kind);
    return ac_scalars_close_outer(set, &outer, first_form, number);
}

/* Coordinate of q that stands at a place of a measure's own vector. */
static int measure_coordinate(const ac_system *system, const ac_measure *m, int place)
{
    const ac_node *first = &system->nodes[m->nodes[0]];
    if (place < first->size) return first->q + place;
    return system->nodes[m->nodes[1]].q + place - first->size;
}

ac_status ac_scalars_add_measure(ac_scalars *set, const ac_system *system, int measure, ac_measure_kind kind,
                                 int *number)
{
    const ac_measure *m = &system->measures[measure];
    const ac_forms *from = &system->measure_forms;
    int first = set->forms.count, maps = kind == AC_MEASURE_ANGLE ? 2 : 1;
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
    AC_TRY(ac_scalars_close(set, kind, first, number));
    set->list[*number].measure = measure;
    return AC_OK;
}

/* --- evaluating --- */

static void gather(const ac_scalars *set, const ac_scalar *scalar, const double *q, double *x)
{
    const int *coordinate = set->coordinate + scalar->start;
    for (int i = 0; i < scalar->count; ++i) x[i] = q[coordinate[i]];
}

static ac_chain chain_of(const ac_scalars *set, const ac_scalar *scalar)
{
    return (ac_chain){&set->forms, scalar->first_form, scalar->count, scalar->outer};
}

double ac_scalar_evaluate(const ac_scalars *set, int k, const double *q, double winding, double *gradient,
                          double *hessian)
{
    const ac_scalar *scalar = &set->list[k];
    if (scalar->motion) return 0.0; /* a configuration alone says nothing of it */
    if (scalar->varied) return ac_varied_evaluate(set, k, q, gradient, hessian);
    const ac_chain chain = chain_of(set, scalar);
    double x[AC_ELEMENT_MAX] = {0.0};
    gather(set, scalar, q, x);
    return ac_chain_evaluate(&chain, x, winding, gradient, hessian);
}

void ac_scalar_third(const ac_scalars *set, int k, const double *q, const double *w, double *third)
{
    const ac_scalar *scalar = &set->list[k];
    if (scalar->varied) {
        ac_varied_third(set, k, q, w, third);
        return;
    }
    const ac_chain chain = chain_of(set, scalar);
    double x[AC_ELEMENT_MAX] = {0.0}, v[AC_ELEMENT_MAX] = {0.0};
    gather(set, scalar, q, x);
    gather(set, scalar, w, v);
    ac_chain_third(&chain, x, v, third);
}

void ac_scalar_secant(const ac_scalars *set, int k, const double *qa, const double *qb, double winding,
                      double ends[2], double *D, double *by_a, double *by_b)
{
    const ac_scalar *scalar = &set->list[k];
    const ac_chain chain = chain_of(set, scalar);
    double a[AC_ELEMENT_MAX] = {0.0}, b[AC_ELEMENT_MAX] = {0.0};
    gather(set, scalar, qa, a);
    gather(set, scalar, qb, b);
    ac_chain_secant(&chain, a, b, winding, ends, D, by_a, by_b);
}
