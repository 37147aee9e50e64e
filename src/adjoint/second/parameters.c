/* Products of second derivatives with changes of parameters.
 *
 * Parameters act through the numbers nu of the system and through its start, as in adjoint/parameters.c:
 *   J_j = by_k nu_k,j + by_q . q_0,j + by_v . v_0,j + by_u . u_,j
 * and along a direction each factor changes. Of by_k the change has, with the Lagrangian of sweep.c and eta . g(q_b),
 *   dw . left_k + dpi . right_k + second derivatives of w . left + pi . right by nu_k along all changes (numbers_bend.c)
 *   - (w . G_k^T lambda)' + (eta . g_k(q_b))',      G^T deta = -(change of the variation by q_b)
 * and the tangent leaves the kernel of G: db = s + P x, G s = -g_nu dnu.
 */
#include <stdlib.h>
#include <string.h>

#include "action/inertia.h"
#include "adjoint/second/second.h"
#include "integrate/reduced.h"
#include "math/math.h"

/* --- numbers --- */

enum { SLOPE, BEND };

typedef struct ranked_change { /* which: SLOPE or BEND */
    ac_number_change change;
    int which;
} ranked_change;

static int compare(const void *left, const void *right)
{
    const ranked_change *a = left, *b = right;
    return ac_number_compare(&a->change.key, &b->change.key);
}

/* The first derivatives that the adjoint has, and the changes of them, by ascending keys. */
static ac_status rank(const ac_adjoint_parameters *p, const ac_number_changes *bends, ranked_change **all)
{
    int count = 0;
    AC_NEW(bends->ctx, *all, (size_t)p->slope_count + (size_t)bends->count + 1);
    for (int k = 0; k < p->slope_count; ++k)
        (*all)[count++] = (ranked_change){
            {p->varying.keys[p->slopes[k].number], p->slopes[k].parameter, p->slopes[k].slope}, SLOPE};
    for (int k = 0; k < bends->count; ++k) (*all)[count++] = (ranked_change){bends->list[k], BEND};
    ac_sort(*all, (size_t)count, sizeof **all, compare);
    return AC_OK;
}

/* Numbers that vary, with slopes and bends by them. */
static ac_status list_numbers(ac_second *s, ac_second_parameters *by, const ranked_change *all, int count)
{
    ac_number_key *keys;
    int numbers = 0;
    AC_NEW(s->ctx, by->slopes, count + 1);
    AC_NEW(s->ctx, by->bends, count + 1);
    AC_NEW(s->ctx, keys, count + 1);
    for (int k = 0; k < count; ++k) {
        const ac_number_change *own = &all[k].change;
        if (numbers == 0 || ac_number_compare(&keys[numbers - 1], &own->key) != 0) keys[numbers++] = own->key;
        const ac_number_slope slope = {numbers - 1, own->parameter, own->share};
        if (all[k].which == SLOPE)
            by->slopes[by->slope_count++] = slope;
        else
            by->bends[by->bend_count++] = slope;
    }
    AC_TRY(ac_varying_create(&s->d->discrete, keys, numbers, &by->varying));
    AC_NEW(s->ctx, by->change, numbers + 1);
    AC_NEW(s->ctx, by->by, numbers + 1);
    AC_NEW(s->ctx, by->bent, numbers + 1);
    for (int k = 0; k < by->slope_count; ++k)
        by->change[by->slopes[k].number] += by->slopes[k].slope * by->direction[by->slopes[k].parameter];
    return AC_OK;
}

static ac_status find_numbers(ac_second *s, ac_second_parameters *by)
{
    const ac_adjoint_parameters *p = &s->d->parameters;
    ac_number_changes bends = {.ctx = s->ctx};
    ranked_change *all = NULL;
    ac_status status = p->curvature->bend(p->curvature->user, by->direction, &bends, by->start);
    if (status == AC_OK) status = rank(p, &bends, &all);
    if (status == AC_OK) status = list_numbers(s, by, all, p->slope_count + bends.count);
    ac_release(s->ctx, all);
    ac_release(s->ctx, bends.list);
    return status;
}

/* --- the direction --- */

/* What the parameters add to changes of the start. */
static void extend(ac_second *s, ac_second_parameters *by, ac_second_direction *direction)
{
    const ac_adjoint *d = s->d;
    const ac_adjoint_parameters *p = &d->parameters;
    const size_t n = (size_t)d->system->n;
    if (direction->configuration) memcpy(by->dq, direction->configuration, n * sizeof *by->dq);
    if (direction->velocity) memcpy(by->dv, direction->velocity, n * sizeof *by->dv);
    for (int j = 0; j < p->count; ++j)
        for (size_t i = 0; i < n; ++i) {
            by->dq[i] += by->direction[j] * p->start[2 * (size_t)j * n + i];
            by->dv[i] += by->direction[j] * p->start[(2 * (size_t)j + 1) * n + i];
        }
    direction->configuration = by->dq;
    direction->velocity = by->dv;
}

const double *ac_second_inputs(ac_second *s, long interval)
{
    const ac_adjoint *d = s->d;
    const ac_adjoint_parameters *p = &d->parameters;
    const ac_second_parameters *by = s->by_parameters;
    const double *own = s->direction->inputs ? s->direction->inputs + interval * d->input_count : NULL;
    double *change = s->inputs.change;
    if (!by || p->driven_count == 0) return own;
    for (int k = 0; k < d->input_count; ++k) change[k] = own ? own[k] : 0.0;
    for (int k = 0; k < p->driven_count; ++k) {
        double along = by->direction[p->driven[k].parameter];
        if (along != 0.0)
            change[p->driven[k].input] += along * ac_adjoint_load_slope(d, p->driven[k].parameter,
                                                                        p->driven[k].input,
                                                                        (double)interval * d->h, d->h);
    }
    return change;
}

void ac_second_free_parameters(ac_second *s)
{
    ac_second_parameters *by = s->by_parameters;
    s->by_parameters = NULL;
    s->d->parameters.along = NULL;
    if (!by) return;
    ac_varying_destroy(s->ctx, &by->varying);
    void *blocks[] = {by->slopes, by->bends, by->change,   by->by,      by->bent, by->start,
                      by->dq,     by->dv,    by->gradient, by->product, by->deta, by};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
}

static ac_status begin(ac_second *s, const double *direction)
{
    const ac_adjoint *d = s->d;
    const size_t n = (size_t)d->system->n, count = (size_t)d->parameters.count;
    ac_second_parameters *by;
    AC_NEW(s->ctx, by, 1);
    s->by_parameters = by;
    by->ctx = s->ctx;
    by->direction = direction;
    AC_NEW(s->ctx, by->start, 2 * n * count + 1);
    AC_NEW(s->ctx, by->dq, n);
    AC_NEW(s->ctx, by->dv, n);
    AC_NEW(s->ctx, by->gradient, count + 1);
    AC_NEW(s->ctx, by->product, count + 1);
    AC_NEW(s->ctx, by->deta, d->system->constraints.count + 1);
    return find_numbers(s, by);
}

ac_status ac_second_begin_parameters(ac_second *s, ac_second_direction *direction)
{
    ac_second_free_parameters(s);
    if (!direction->parameters) return AC_OK;
    if (!s->d->parameters.curvature || s->segments > 1 || !s->curved)
        return ac_fail(s->ctx, AC_BAD_INPUT, "second derivatives by parameters are not known here");
    AC_TRY(begin(s, direction->parameters));
    extend(s, s->by_parameters, direction);
    s->d->parameters.along = s->by_parameters;
    return AC_OK;
}

/* --- on an interval --- */

static bool geometry_varies(const ac_second_parameters *by)
{
    const int *first = by->varying.first;
    return first[AC_NUMBER_CONSTRAINT] < first[AC_NUMBER_CONSTRAINT + 1];
}

ac_status ac_second_shift_end(ac_second *s, const double *b, double *shift)
{
    const ac_second_parameters *by = s->by_parameters;
    const int rows = s->d->system->constraints.count;
    if (!geometry_varies(by)) return AC_OK;
    memset(s->rows[0], 0, (size_t)rows * sizeof *s->rows[0]);
    ac_numbers_rows(&by->varying, by->change, b, s->rows[0]);
    for (int k = 0; k < rows; ++k) s->rows[0][k] = -s->rows[0][k];
    return ac_legendre_lift(&s->d->legendre, b, s->rows[0], shift);
}

void ac_second_bend_numbers(ac_second *s, long interval, const ac_discrete_point *point,
                            const ac_interval_change *change, const double *wl, double *by_a,
                            double *by_inputs)
{
    const ac_second_parameters *by = s->by_parameters;
    const ac_adjoint *d = s->d;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long place = interval - s->memory.base;
    const double *w = s->w + place * n, *lambda = s->lambda + place * rows, share = d->at_mean ? -0.5 : -1.0;
    ac_numbers_bend(&s->d->discrete, point, &by->varying, wl, s->pi + place * n, change, by->change,
                    &(ac_bent){.a = by_a, .b = s->second_q, .inputs = by_inputs, .numbers = by->bent});
    ac_numbers_bent(&by->varying, by->change, lambda, w, share, by_a);
    if (d->at_mean) ac_numbers_bent(&by->varying, by->change, lambda, w, share, s->second_q);
    ac_numbers_forces(&by->varying, by->change, point->b, s->eta + place * rows, 1.0, s->second_q);
}

/* deta with G(b)^T deta = -(second_q + left_b^T P dy ..) */
static ac_status find_deta(ac_second *s, long interval, const ac_discrete_point *point, const double *dw,
                           const double *shift)
{
    ac_adjoint *d = s->d;
    const int n = d->system->n, rows = d->system->constraints.count;
    double *R = s->vectors[5], *along = s->vectors[6], *none = s->vectors[2], *deta = s->by_parameters->deta;
    memcpy(R, s->second_q, (size_t)n * sizeof *R);
    memset(none, 0, (size_t)n * sizeof *none);
    for (int i = 0; i < n; ++i) along[i] = dw[i] - shift[i];
    ac_discrete_pullback(&d->discrete, point, along, none, &(ac_pullback){.b = R});
    if (d->at_mean)
        ac_constraints_pull(d->system, s->lambda + (interval - s->memory.base) * rows, along, -0.5, R);
    AC_TRY(ac_legendre_multipliers(&d->legendre, point->b, R, deta));
    for (int k = 0; k < rows; ++k) deta[k] = -deta[k];
    return AC_OK;
}

static ac_status take_geometry(ac_second *s, long interval, const ac_discrete_point *point,
                               const ac_interval_change *change, const double *dw, const double *shift)
{
    const ac_adjoint *d = s->d;
    ac_second_parameters *by = s->by_parameters;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long place = interval - s->memory.base;
    const double *w = s->w + place * n, *lambda = s->lambda + place * rows,
                 *dlambda = s->dlambda + place * rows, *eta = s->eta + place * rows,
                 *x = d->at_mean ? d->backward.interval.mean : point->a;
    double *dx = s->vectors[5];
    for (int i = 0; i < n; ++i) dx[i] = d->at_mean ? 0.5 * (change->a[i] + change->b[i]) : change->a[i];
    ac_numbers_pull_forces(&by->varying, 0, x, lambda, w, -1.0, by->by);
    ac_numbers_pull_rows(&by->varying, 0, point->b, eta, 1.0, by->by);
    ac_numbers_pull_forces(&by->varying, 0, x, dlambda, w, -1.0, by->bent);
    ac_numbers_pull_forces(&by->varying, 0, x, lambda, dw, -1.0, by->bent);
    ac_numbers_pull_bent(&by->varying, lambda, dx, w, -1.0, by->bent);
    ac_numbers_pull_forces(&by->varying, 0, point->b, eta, change->b, 1.0, by->bent);
    AC_TRY(find_deta(s, interval, point, dw, shift));
    ac_numbers_pull_rows(&by->varying, 0, point->b, by->deta, 1.0, by->bent);
    return AC_OK;
}

ac_status ac_second_take_parameters(ac_second *s, long interval, const ac_discrete_point *point,
                                    const ac_interval_change *change, const double *dw, const double *shift)
{
    ac_adjoint *d = s->d;
    ac_second_parameters *by = s->by_parameters;
    const int n = d->system->n;
    const long place = interval - s->memory.base;
    const double *w = s->w + place * n, *pi = s->pi + place * n;
    double *wl = s->vectors[2];
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? w[i] - pi[i] : w[i];
    ac_numbers_pull(&d->discrete, point, &by->varying, wl, pi, by->by);
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? dw[i] - s->second_p[i] : dw[i];
    ac_numbers_pull(&d->discrete, point, &by->varying, wl, s->second_p, by->bent);
    return geometry_varies(by) ? take_geometry(s, interval, point, change, dw, shift) : AC_OK;
}

/* --- the end of the sweep --- */

void ac_second_take_loads(ac_second *s, long interval)
{
    const ac_adjoint *d = s->d;
    const ac_adjoint_parameters *p = &d->parameters;
    const ac_parameter_curvature *curvature = p->curvature;
    ac_second_parameters *by = s->by_parameters;
    for (int k = 0; k < p->driven_count; ++k) {
        int j = p->driven[k].parameter, input = p->driven[k].input;
        double slope = ac_adjoint_load_slope(d, j, input, (double)interval * d->h, d->h),
               bend = curvature->load(curvature->user, j, d->loads[input].load, d->loads[input].component,
                                      (double)interval * d->h, d->h);
        by->gradient[j] += s->inputs.by[input] * slope;
        by->product[j] += s->inputs.second[input] * slope + s->inputs.by[input] * bend;
    }
}

void ac_second_finish_parameters(ac_second *s)
{
    const ac_adjoint *d = s->d;
    const ac_adjoint_parameters *p = &d->parameters;
    ac_second_parameters *by = s->by_parameters;
    const int n = d->system->n;
    ac_numbers_pull_mass(&by->varying, s->by_p, d->system->initial.v, 1.0, by->by);
    ac_numbers_pull_mass(&by->varying, s->second_p, d->system->initial.v, 1.0, by->bent);
    ac_numbers_pull_mass(&by->varying, s->by_p, by->dv, 1.0, by->bent);
    ac_numbers_mass(&by->varying, by->change, s->by_p, 1.0, s->second_velocity);
    for (int k = 0; k < by->slope_count; ++k) {
        const ac_number_slope *own = &by->slopes[k];
        by->gradient[own->parameter] += own->slope * by->by[own->number];
        by->product[own->parameter] += own->slope * by->bent[own->number];
    }
    for (int k = 0; k < by->bend_count; ++k)
        by->product[by->bends[k].parameter] += by->bends[k].slope * by->by[by->bends[k].number];
    for (int j = 0; j < p->count; ++j) {
        const double *q = p->start + 2 * j * n, *v = q + n, *dq = by->start + 2 * j * n, *dv = dq + n;
        for (int i = 0; i < n; ++i) {
            by->gradient[j] += s->by_q[i] * q[i] + s->velocity[i] * v[i];
            by->product[j] += s->second_q[i] * q[i] + s->by_q[i] * dq[i] + s->second_velocity[i] * v[i] +
                              s->velocity[i] * dv[i];
        }
    }
}
