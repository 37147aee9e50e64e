/* Gradients by named parameters.
 *
 * Parameters act through the numbers of the system (action/describe/numbers.h) and through its start. The derivatives
 * of these numbers come from the system as it is built at neighbouring values, by differences of sixth order: numbers
 * are smooth functions of parameters, so that 12 digits are exact. The sweep gathers the derivative of the functional by each
 * number that varies; one sparse product at its end gives the gradient, whatever the number of parameters.
 *
 * With the Lagrangian of sweep.c, and eta_n the multipliers of g(q_n+1) = 0,
 *   dJ = sum_n  w_n . d left + pi_n+1 . d right - w_n . dG^T mu_n + eta_n . dg(q_n+1)
 *        + J_q0 . dq_0 + J_p0 . (M dv_0 + dM v_0),
 * where G^T eta_n is what is left of the variation by q_n+1.
 */
#include "adjoint/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adjoint/adjoint.h"
#include "base/signal.h"

/* --- derivatives of the numbers --- */

typedef struct change { /* of a number, by one neighbouring value of one parameter */
    ac_number_key key;
    int parameter;
    double share;
} change;

typedef struct changes {
    int count, capacity;
    change *list;
} changes;

static int compare_changes(const void *left, const void *right)
{
    const change *a = left, *b = right;
    int order = ac_number_compare(&a->key, &b->key);
    return order ? order : a->parameter - b->parameter;
}

static ac_status add_change(ac_adjoint *d, changes *to, const ac_number_key *key, int parameter, double share)
{
    if (share == 0.0) return AC_OK;
    AC_TRY(ac_grow(d->ctx, (void **)&to->list, &to->capacity, to->count + 1, sizeof *to->list));
    to->list[to->count++] = (change){*key, parameter, share};
    return AC_OK;
}

/* Numbers of `other` less those of `here`, times a weight. */
static ac_status add_differences(ac_adjoint *d, const ac_number_list *here, const ac_number_list *other,
                                 int parameter, double weight, changes *to)
{
    int a = 0, b = 0;
    while (a < here->count || b < other->count) {
        const ac_number *x = a < here->count ? &here->list[a] : NULL,
                        *y = b < other->count ? &other->list[b] : NULL;
        int order = !x ? 1 : !y ? -1 : ac_number_compare(&x->key, &y->key);
        double difference = (order >= 0 ? y->value : 0.0) - (order <= 0 ? x->value : 0.0);
        AC_TRY(add_change(d, to, order <= 0 ? &x->key : &y->key, parameter, weight * difference));
        a += order <= 0;
        b += order >= 0;
    }
    return AC_OK;
}

static ac_status take_neighbour(ac_adjoint *d, const ac_number_list *here, int parameter, int k, changes *to)
{
    const ac_stencil *stencil = &d->parameters.stencils[parameter];
    ac_discrete other;
    ac_number_list numbers = {0};
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    AC_TRY(ac_interval_open(d->ctx, stencil->systems[k], schemes[d->discrete.scheme], stencil->controls,
                            stencil->users[k], &other));
    const char *mismatch = ac_numbers_mismatch(&d->discrete, &other);
    ac_status status = AC_OK;
    if (mismatch)
        status = ac_fail(d->ctx, AC_BAD_INPUT,
                         "there is no gradient by the parameter '%s': %s when it is changed a little",
                         stencil->name, mismatch);
    if (status == AC_OK) status = ac_numbers_list(&other, &numbers);
    if (status == AC_OK) status = add_differences(d, here, &numbers, parameter, stencil->weights[k], to);
    ac_number_list_free(d->ctx, &numbers);
    ac_discrete_destroy(&other);
    return status;
}

static ac_status gather_changes(ac_adjoint *d, changes *to)
{
    ac_number_list here;
    AC_TRY(ac_numbers_list(&d->discrete, &here));
    ac_status status = AC_OK;
    for (int j = 0; j < d->parameters.count && status == AC_OK; ++j)
        for (int k = 0; k < d->parameters.stencils[j].count && status == AC_OK; ++k)
            status = take_neighbour(d, &here, j, k, to);
    ac_number_list_free(d->ctx, &here);
    return status;
}

/* The numbers that vary, and their slopes. */
static ac_status list_numbers(ac_adjoint *d, const changes *from)
{
    ac_adjoint_parameters *p = &d->parameters;
    ac_number_key *keys;
    int numbers = 0;
    AC_NEW(d->ctx, keys, from->count + 1);
    p->slopes = ac_allocate(d->ctx, (size_t)from->count + 1, sizeof *p->slopes);
    if (!p->slopes) {
        ac_release(d->ctx, keys);
        return ac_out_of_memory(d->ctx);
    }
    for (int k = 0; k < from->count; ++k) {
        const change *c = &from->list[k];
        bool known = numbers > 0 && ac_number_compare(&keys[numbers - 1], &c->key) == 0;
        if (!known) keys[numbers++] = c->key;
        bool same = known && p->slopes[p->slope_count - 1].parameter == c->parameter;
        if (!same) p->slopes[p->slope_count++] = (ac_number_slope){numbers - 1, c->parameter, 0.0};
        p->slopes[p->slope_count - 1].slope += c->share;
    }
    return ac_varying_create(&d->discrete, keys, numbers, &p->varying);
}

static ac_status find_numbers(ac_adjoint *d)
{
    changes all = {0};
    ac_status status = gather_changes(d, &all);
    if (status == AC_OK && all.count > 0)
        qsort(all.list, (size_t)all.count, sizeof *all.list, compare_changes);
    if (status == AC_OK) status = list_numbers(d, &all);
    ac_release(d->ctx, all.list);
    return status;
}

/* dq_0 and dv_0 by each parameter */
static void differentiate_start(ac_adjoint *d)
{
    const int n = d->system->n;
    ac_adjoint_parameters *p = &d->parameters;
    for (int j = 0; j < p->count; ++j) {
        double *q = p->start + 2 * j * n, *v = q + n;
        for (int k = 0; k < p->stencils[j].count; ++k) {
            const ac_system *other = p->stencils[j].systems[k];
            double weight = p->stencils[j].weights[k];
            for (int i = 0; i < n; ++i) {
                q[i] += weight * (other->q0[i] - d->system->q0[i]);
                v[i] += weight * (other->v0[i] - d->system->v0[i]);
            }
        }
    }
}

/* Which loads are other functions of time at a neighbouring value. */
static void find_loads(ac_adjoint *d)
{
    for (int j = 0; j < d->parameters.count; ++j)
        for (int i = d->control_count; i < d->input_count; ++i) {
            const ac_adjoint_load *input = &d->loads[i];
            const ac_signal *here = d->system->loads[input->load].value[input->component];
            bool *varies = &d->parameters.load_varies[j * d->input_count + i];
            for (int k = 0; k < d->parameters.stencils[j].count; ++k) {
                const ac_system *other = d->parameters.stencils[j].systems[k];
                *varies |= !ac_signal_same(here, other->loads[input->load].value[input->component]);
            }
        }
}

ac_status ac_adjoint_set_parameters(ac_adjoint *d, const ac_stencil *stencils, int count)
{
    ac_adjoint_parameters *p = &d->parameters;
    size_t n = (size_t)d->system->n;
    p->stencils = stencils;
    p->count = count;
    AC_TRY(find_numbers(d));
    AC_NEW(d->ctx, p->by, p->varying.count + 1);
    AC_NEW(d->ctx, p->start, 2 * n * (size_t)count + 1);
    AC_NEW(d->ctx, p->total, count + 1);
    AC_NEW(d->ctx, p->over_time, (size_t)count * (size_t)d->steps + 1);
    AC_NEW(d->ctx, p->residual, n);
    AC_NEW(d->ctx, p->eta, d->system->constraints.count + 1);
    AC_NEW(d->ctx, p->load_varies, (size_t)count * (size_t)d->input_count + 1);
    find_loads(d);
    differentiate_start(d);
    return AC_OK;
}

void ac_adjoint_end_parameters(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    void *blocks[] = {p->slopes,    p->by,       p->start, p->total,
                      p->over_time, p->residual, p->eta,   p->load_varies};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    ac_varying_destroy(d->ctx, &p->varying);
    *p = (ac_adjoint_parameters){0};
}

/* --- the sweep --- */

void ac_adjoint_begin_parameters(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    if (p->count == 0) return;
    memset(p->by, 0, (size_t)p->varying.count * sizeof *p->by);
    memset(p->total, 0, (size_t)p->count * sizeof *p->total);
    memset(p->over_time, 0, (size_t)p->count * (size_t)d->steps * sizeof *p->over_time);
}

/* to += what was gathered, which is then zero again */
static void hand_over(ac_adjoint_parameters *p, double *to)
{
    for (int k = 0; k < p->slope_count; ++k)
        to[p->slopes[k].parameter] += p->slopes[k].slope * p->by[p->slopes[k].number];
    memset(p->by, 0, (size_t)p->varying.count * sizeof *p->by);
}

/* eta with G(q_b)^T eta = -residual, where the residual is the variation by q_b without it. */
static ac_status take_rows(ac_adjoint *d, const double *qb)
{
    ac_adjoint_parameters *p = &d->parameters;
    AC_TRY(ac_legendre_multipliers(&d->legendre, qb, p->residual, p->eta));
    ac_numbers_pull_rows(&p->varying, qb, p->eta, -1.0, p->by);
    return AC_OK;
}

/* Loads over time at the neighbouring values. */
static void take_loads(ac_adjoint *d, long number, double *to)
{
    const double t = (double)number * d->h, *by_inputs = d->by_input + number * d->input_count;
    for (int j = 0; j < d->parameters.count; ++j) {
        const ac_stencil *stencil = &d->parameters.stencils[j];
        for (int k = 0; k < stencil->count; ++k)
            for (int i = d->control_count; i < d->input_count; ++i) {
                const ac_adjoint_load *input = &d->loads[i];
                double tau[3];
                if (!d->parameters.load_varies[j * d->input_count + i]) continue;
                ac_load_values(&stencil->systems[k]->loads[input->load], t, d->h, tau);
                to[j] += stencil->weights[k] * by_inputs[i] * (tau[input->component] - d->inputs[i]);
            }
    }
}

ac_status ac_adjoint_take_parameters(ac_adjoint *d, long number, const ac_discrete_point *point,
                                     const double *wl)
{
    ac_adjoint_parameters *p = &d->parameters;
    const double *x = d->at_mean ? d->backward.interval.mean : point->a;
    if (p->count == 0) return AC_OK;
    ac_numbers_pull(&d->discrete, point, &p->varying, wl, d->by_p, p->by);
    if (ac_adjoint_geometry_varies(d)) {
        ac_numbers_pull_forces(&p->varying, x, d->lambda, d->w, -1.0, p->by);
        AC_TRY(take_rows(d, point->b));
    }
    double *now = p->over_time + number * p->count;
    hand_over(p, now);
    take_loads(d, number, now);
    return AC_OK;
}

void ac_adjoint_finish_parameters(ac_adjoint *d)
{
    const int n = d->system->n;
    ac_adjoint_parameters *p = &d->parameters;
    if (p->count == 0) return;
    ac_numbers_pull_mass(&p->varying, d->by_p, d->system->v0, 1.0, p->by);
    hand_over(p, p->total);
    for (int j = 0; j < p->count; ++j) {
        const double *q = p->start + 2 * j * n, *v = q + n;
        for (int i = 0; i < n; ++i) p->total[j] += d->by_q[i] * q[i] + d->by_velocity[i] * v[i];
        for (long k = 0; k < d->steps; ++k) p->total[j] += p->over_time[k * p->count + j];
    }
}

const double *ac_adjoint_by_parameters(const ac_adjoint *d)
{
    return d->parameters.total;
}

const double *ac_adjoint_parameters_over_time(const ac_adjoint *d)
{
    return d->parameters.over_time;
}
