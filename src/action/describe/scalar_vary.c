/* Scalars whose map depends on free parameters by data that move points: y = psi(kappa(q, s)) of one map, as a function of
 * coordinates and these data. */
#include <string.h>

#include "action/describe/scalar.h"

struct ac_varied {
    ac_gap gap;
    ac_forms forms; /* over slots: the map, its first and its second derivatives by the data of the gap */
};

/* --- building --- */

static int slot_of(const ac_scalars *set, const ac_scalar *scalar, int coordinate)
{
    const int *list = set->coordinate + scalar->start;
    int slot = 0;
    while (slot < scalar->plain && list[slot] != coordinate) ++slot;
    return slot;
}

static ac_status update(const ac_scalars *set, const ac_variation *v, const ac_scalar *scalar)
{
    ac_forms *forms = &scalar->varied->forms;
    forms->count = 0;
    AC_TRY(ac_gap_forms(v, &scalar->varied->gap, forms));
    for (int e = 0; e < forms->product_start[forms->count]; ++e) {
        forms->products[e].i = slot_of(set, scalar, forms->products[e].i);
        forms->products[e].j = slot_of(set, scalar, forms->products[e].j);
    }
    for (int e = 0; e < forms->linear_start[forms->count]; ++e)
        forms->linears[e].i = slot_of(set, scalar, forms->linears[e].i);
    return AC_OK;
}

ac_status ac_scalars_update(ac_scalars *set, const ac_variation *v)
{
    for (int k = 0; k < set->count; ++k)
        if (set->list[k].varied) AC_TRY(update(set, v, &set->list[k]));
    return AC_OK;
}

ac_status ac_scalars_add_varied(ac_scalars *set, ac_variation *v, ac_measure_kind kind, const ac_gap *gap,
                                int *number)
{
    const ac_system *system = v->given;
    int start = set->coordinate_count, nodes[2] = {gap->side[0].node, gap->side[1].node};
    AC_TRY(ac_grow(set->ctx, (void **)&set->coordinate, &set->coordinate_capacity, start + AC_SCALAR_MAX,
                   sizeof *set->coordinate));
    for (int s = 0; s < 2; ++s) {
        if (nodes[s] == AC_GROUND || (s == 1 && nodes[1] == nodes[0])) continue;
        for (int i = 0; i < system->nodes[nodes[s]].size; ++i)
            set->coordinate[set->coordinate_count++] = system->nodes[nodes[s]].q + i;
    }
    int plain = set->coordinate_count - start;
    ac_gap own = *gap;
    AC_TRY(ac_gap_follow(v, &own));
    for (int j = 0; j < own.count; ++j)
        set->coordinate[set->coordinate_count++] = system->n + own.data[j].moving;
    AC_TRY(ac_grow(set->ctx, (void **)&set->list, &set->capacity, set->count + 1, sizeof *set->list));
    ac_varied *varied;
    AC_NEW(set->ctx, varied, 1);
    varied->gap = own;
    ac_scalar *scalar = &set->list[set->count];
    memset(scalar, 0, sizeof *scalar);
    scalar->outer = (ac_outer){
        .kind = kind == AC_MEASURE_LENGTH ? AC_OUTER_LENGTH : AC_OUTER_VALUE, .maps = 1, .factor = 1.0};
    scalar->start = start;
    scalar->count = plain + own.count;
    scalar->plain = plain;
    scalar->varied = varied;
    scalar->measure = scalar->joint = -1;
    *number = set->count++;
    return update(set, v, scalar);
}

void ac_varied_free(ac_context *ctx, ac_varied *varied)
{
    if (!varied) return;
    ac_forms_free(ctx, &varied->forms);
    ac_release(ctx, varied);
}

/* --- evaluating --- */

static void gather(const ac_scalars *set, const ac_scalar *scalar, const double *q, double *x)
{
    const int *list = set->coordinate + scalar->start;
    for (int i = 0; i < scalar->plain; ++i) x[i] = q[list[i]];
}

/* Gradient of the map by coordinates and data. */
static void map_gradient(const ac_scalar *scalar, const double *x, double *J)
{
    const ac_varied *d = scalar->varied;
    memset(J, 0, (size_t)scalar->count * sizeof *J);
    ac_form_add_gradient(&d->forms, 0, x, 1.0, J);
    for (int j = 0; j < d->gap.count; ++j)
        J[scalar->plain + j] = ac_form_value(&d->forms, ac_first_map(0, j), x);
}

/* out += factor times its second derivatives */
static void add_map_hessian(const ac_scalar *scalar, const double *x, double factor, double *out)
{
    const ac_varied *d = scalar->varied;
    int n = scalar->count, m = scalar->plain;
    ac_form_add_hessian(&d->forms, 0, factor, n, out);
    for (int j = 0; j < d->gap.count; ++j) {
        double mixed[AC_SCALAR_MAX] = {0.0};
        ac_form_add_gradient(&d->forms, ac_first_map(0, j), x, factor, mixed);
        for (int i = 0; i < m; ++i) {
            out[i * n + m + j] += mixed[i];
            out[(m + j) * n + i] += mixed[i];
        }
        for (int k = 0; k < d->gap.count; ++k)
            out[(m + j) * n + m + k] += factor *
                                        ac_form_value(&d->forms, ac_second_map(0, d->gap.count, j, k), x);
    }
}

/* out_i = A v: derivative along v of the gradient of one map by coordinates */
static void bend(const ac_forms *forms, int map, const double *v, double *out)
{
    for (int e = forms->product_start[map]; e < forms->product_start[map + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        out[p->i] += p->a * v[p->j];
        out[p->j] += p->a * v[p->i];
    }
}

static double slope_along(const ac_forms *forms, int map, int n, const double *x, const double *v)
{
    double g[AC_SCALAR_MAX] = {0.0}, sum = 0.0;
    ac_form_add_gradient(forms, map, x, 1.0, g);
    for (int i = 0; i < n; ++i) sum += g[i] * v[i];
    return sum;
}

double ac_varied_evaluate(const ac_scalars *set, int k, const double *q, double *gradient, double *hessian)
{
    const ac_scalar *scalar = &set->list[k];
    int n = scalar->count;
    double x[AC_SCALAR_MAX] = {0.0}, kappa[AC_OUTER_MAX] = {0.0}, J[AC_SCALAR_MAX];
    ac_outer_value v;
    gather(set, scalar, q, x);
    kappa[0] = ac_form_value(&scalar->varied->forms, 0, x);
    ac_outer_evaluate(&scalar->outer, kappa, 0.0, &v);
    if (!gradient && !hessian) return v.y;
    map_gradient(scalar, x, J);
    for (int i = 0; gradient && i < n; ++i) gradient[i] = v.d[0] * J[i];
    if (!hessian) return v.y;
    double bent = scalar->outer.kind == AC_OUTER_VALUE ? 0.0 : v.dd[0][0];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) hessian[i * n + j] = bent * J[i] * J[j];
    add_map_hessian(scalar, x, v.d[0], hessian);
    return v.y;
}

/* With s = J . w and A the second derivatives of the map (w on coordinates only):
 *   psi''' s J J^T + psi'' (s A + J (A w)^T + (A w) J^T) + psi' (derivative of A along w) */
void ac_varied_third(const ac_scalars *set, int k, const double *q, const double *w, double *third)
{
    const ac_scalar *scalar = &set->list[k];
    const ac_varied *d = scalar->varied;
    int n = scalar->count, m = scalar->plain, P = d->gap.count;
    double x[AC_SCALAR_MAX] = {0.0}, v[AC_SCALAR_MAX] = {0.0}, J[AC_SCALAR_MAX], Aw[AC_SCALAR_MAX] = {0.0};
    double kappa[AC_OUTER_MAX] = {0.0}, s[AC_OUTER_MAX] = {0.0}, cube[AC_OUTER_MAX][AC_OUTER_MAX];
    ac_outer_value value;
    gather(set, scalar, q, x);
    gather(set, scalar, w, v);
    memset(third, 0, (size_t)n * (size_t)n * sizeof *third);
    map_gradient(scalar, x, J);
    kappa[0] = ac_form_value(&d->forms, 0, x);
    ac_outer_evaluate(&scalar->outer, kappa, 0.0, &value);
    bend(&d->forms, 0, v, Aw);
    for (int i = 0; i < m; ++i) s[0] += J[i] * v[i];
    for (int j = 0; j < P; ++j) Aw[m + j] = slope_along(&d->forms, ac_first_map(0, j), m, x, v);
    if (scalar->outer.kind != AC_OUTER_VALUE) {
        ac_outer_third(&scalar->outer, kappa, s, cube);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                third[i * n + j] = cube[0][0] * J[i] * J[j] + value.dd[0][0] * (J[i] * Aw[j] + Aw[i] * J[j]);
        add_map_hessian(scalar, x, value.dd[0][0] * s[0], third);
    }
    for (int j = 0; j < P; ++j) {
        double mixed[AC_SCALAR_MAX] = {0.0};
        bend(&d->forms, ac_first_map(0, j), v, mixed);
        for (int i = 0; i < m; ++i) {
            third[i * n + m + j] += value.d[0] * mixed[i];
            third[(m + j) * n + i] += value.d[0] * mixed[i];
        }
        for (int l = 0; l < P; ++l)
            third[(m + j) * n + m + l] += value.d[0] *
                                          slope_along(&d->forms, ac_second_map(0, P, j, l), m, x, v);
    }
}
