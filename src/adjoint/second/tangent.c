/* A motion in segments and its tangent along a direction.
 *
 * With the step equations of interval.h, lambda the multipliers times their factor, and H(lambda) = sum lambda_k g_k'':
 *   dp_n + d left - H(lambda) dq_n - G(q_n)^T dlambda = 0,   dq_n+1 = P(q_n+1) x,   dp_n+1 = d right
 * P(q_n)^T times the first is K x = P^T (dp_n + left_a dq_n + left_u du - H dq_n), with the matrix of the step.
 * Energy-momentum: G at the mean, H (dq_n + dq_n+1)/2, dp_n+1 = d right - (dp_n + d left).
 */
#include <math.h>
#include <string.h>

#include "action/inertia.h"

#include "adjoint/second/second.h"
#include "integrate/reduced.h"

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* --- the motion --- */

void ac_second_store(ac_second *s, long row)
{
    const ac_stepper *from = &s->d->forward;
    size_t n = (size_t)s->d->system->n, measures = (size_t)s->d->system->measure_count;
    memcpy(s->q + (size_t)row * n, from->qa, n * sizeof(double));
    memcpy(s->p + (size_t)row * n, from->p, n * sizeof(double));
    memcpy(s->winding + (size_t)row * measures, from->winding, measures * sizeof(double));
}

static ac_status begin_segment(ac_second *s, int segment)
{
    ac_stepper *stepper = &s->d->forward;
    int n = s->d->system->n;
    if (segment == 0) {
        AC_TRY(ac_stepper_restart(stepper));
    } else {
        AC_TRY(ac_stepper_get_state(stepper, false, s->state));
        AC_TRY(ac_state_put(s->state, (double)s->first[segment] * s->d->h, s->start_q + segment * n,
                            s->start_p + segment * n, NULL));
        AC_TRY(ac_stepper_set_state(stepper, s->state));
    }
    ac_adjoint_pass_node(s->d);
    return AC_OK;
}

static void take_node(ac_second *s, long node, long row)
{
    const ac_functional *f = s->functional;
    int n = s->d->system->n;
    if (f->node)
        s->value += f->node(f->user, node, (double)node * s->d->h, s->q + row * n, s->p + row * n, NULL,
                            NULL);
}

static ac_status run_segment(ac_second *s, int segment)
{
    ac_adjoint *d = s->d;
    const ac_functional *f = s->functional;
    int n = d->system->n;
    AC_TRY(begin_segment(s, segment));
    ac_second_store(s, s->first[segment] + segment);
    take_node(s, s->first[segment], s->first[segment] + segment);
    for (long k = s->first[segment]; k < s->first[segment + 1]; ++k) {
        long row = k + segment;
        double t = (double)k * d->h;
        AC_TRY(ac_adjoint_step(d));
        ac_second_store(s, row + 1);
        ac_adjoint_set_inputs(d, k, t);
        if (f->interval)
            s->value += f->interval(f->user, k, t, d->h, s->q + row * n, s->q + (row + 1) * n,
                                    d->workspace.inputs, NULL, NULL, NULL);
        if (k + 1 < s->first[segment + 1] || k + 1 == d->steps) take_node(s, k + 1, row + 1);
    }
    return AC_OK;
}

ac_status ac_second_simulate(ac_second *s, const ac_functional *functional, double *value)
{
    s->functional = functional;
    s->linearised = false;
    s->value = 0.0;
    s->d->lost.text = NULL;
    for (int k = 0; k < s->segments; ++k) AC_TRY(run_segment(s, k));
    if (value) *value = s->value;
    if (!isfinite(s->value)) return ac_adjoint_fail_value(s->d);
    return AC_OK;
}

ac_status ac_second_gap(ac_second *s, int segment, double *gap_q, double *gap_p)
{
    int n = s->d->system->n;
    long row = s->first[segment] + segment;
    const double *end_q = s->q + (row - 1) * n, *end_p = s->p + (row - 1) * n, *q = s->q + row * n,
                 *p = s->p + row * n;
    for (int i = 0; i < n; ++i) {
        gap_p[i] = end_p[i] - p[i];
        s->vectors[7][i] = end_q[i] - q[i];
    }
    ac_mass_apply(s->d->system, s->vectors[7], gap_q);
    AC_TRY(ac_legendre_project(&s->d->legendre, q, gap_q));
    memcpy(gap_q, s->d->legendre.velocity, (size_t)n * sizeof *gap_q);
    return AC_OK;
}

/* --- the tangent --- */

void ac_second_place(ac_second *s, long interval, int segment, ac_discrete_point *point)
{
    ac_adjoint *d = s->d;
    int n = d->system->n, measures = d->system->measure_count;
    long row = interval - s->memory.base + segment;
    double t = (double)interval * d->h;
    const double *qa = s->q + row * n, *winding = s->winding + row * measures;
    ac_adjoint_set_inputs(d, interval, t);
    ac_reduced_place(&d->backward, interval, t, qa, qa + n, s->p + row * n, winding);
    *point = (ac_discrete_point){
        .a = qa, .b = qa + n, .tau = d->workspace.inputs, .winding = winding, .h = d->h};
}

/* slope += derivative of the functional at a node along its tangent */
static void slope_at_node(ac_second *s, long node, long row)
{
    const ac_functional *f = s->functional;
    int n = s->d->system->n;
    double *by_q = s->vectors[0], *by_p = s->vectors[1];
    if (!f->node) return;
    memset(by_q, 0, (size_t)n * sizeof *by_q);
    memset(by_p, 0, (size_t)n * sizeof *by_p);
    f->node(f->user, node, (double)node * s->d->h, s->q + row * n, s->p + row * n, by_q, by_p);
    s->slope += dot(n, by_q, s->dq + row * n) + dot(n, by_p, s->dp + row * n);
}

static void slope_on_interval(ac_second *s, long interval, const ac_discrete_point *point,
                              const ac_interval_change *change)
{
    const ac_functional *f = s->functional;
    ac_adjoint *d = s->d;
    int n = d->system->n;
    double *by_a = s->vectors[0], *by_b = s->vectors[1];
    if (!f->interval) return;
    memset(by_a, 0, (size_t)n * sizeof *by_a);
    memset(by_b, 0, (size_t)n * sizeof *by_b);
    double *by_inputs = s->inputs.slope;
    memset(by_inputs, 0, (size_t)d->input_count * sizeof *by_inputs);
    f->interval(f->user, interval, (double)interval * d->h, d->h, point->a, point->b, point->tau, by_a, by_b,
                by_inputs);
    s->slope += dot(n, by_a, change->a) + dot(n, by_b, change->b);
    if (change->inputs) s->slope += dot(d->input_count, by_inputs, change->inputs);
}

/* What constraint forces change: force -= H(lambda) (change of where they act), and by numbers. */
static void turn_forces(const ac_second *s, const ac_discrete_point *point, const double *lambda,
                        const double *da, const double *db, double *force)
{
    const ac_adjoint *d = s->d;
    const ac_second_parameters *by = s->by_parameters;
    ac_constraints_pull(d->system, lambda, da, d->at_mean ? -0.5 : -1.0, force);
    if (d->at_mean) ac_constraints_pull(d->system, lambda, db, -0.5, force);
    if (by)
        ac_numbers_forces(&by->varying, by->change, d->at_mean ? d->backward.interval.mean : point->a, lambda,
                          -1.0, force);
}

ac_status ac_second_find_lambda(ac_second *s, const ac_discrete_point *point, double *lambda)
{
    ac_adjoint *d = s->d;
    const ac_stepper *at = &d->backward;
    if (d->system->constraints.count == 0) return AC_OK;
    for (int i = 0; i < d->system->n; ++i) d->workspace.force[i] = at->p[i] + at->left[i];
    return ac_legendre_multipliers(&d->legendre, d->at_mean ? at->interval.mean : point->a,
                                   d->workspace.force, lambda);
}

ac_status ac_second_follow_interval(ac_second *s, long interval, int segment, bool slope)
{
    ac_adjoint *d = s->d;
    const ac_second_parameters *by = s->by_parameters;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long at = interval - s->memory.base, row = at + segment;
    const double *da = s->dq + row * n, *dp = s->dp + row * n, *inputs = ac_second_inputs(s, interval);
    double *lambda = s->lambda + at * rows;
    double *db = s->dq + (row + 1) * n, *next = s->dp + (row + 1) * n, *left = s->vectors[2],
           *right = s->vectors[3], *none = s->vectors[4], *force = s->vectors[5], *shift = s->vectors[6];
    ac_discrete_point point;
    ac_second_place(s, interval, segment, &point);
    if (s->memory.limited) AC_TRY(ac_second_find_lambda(s, &point, lambda));
    memset(left, 0, (size_t)n * sizeof *left);
    memset(right, 0, (size_t)n * sizeof *right);
    memset(none, 0, (size_t)n * sizeof *none);
    memset(shift, 0, (size_t)n * sizeof *shift);
    if (by) AC_TRY(ac_second_shift_end(s, point.b, shift));
    ac_discrete_along(&d->discrete, &point, &(ac_interval_change){da, shift, inputs}, left, right);
    if (by) ac_numbers_along(&d->discrete, &point, &by->varying, by->change, left, right);
    for (int i = 0; i < n; ++i) force[i] = dp[i] + left[i];
    turn_forces(s, &point, lambda, da, shift, force);
    ac_reduced_project_forces(&d->backward, force, d->workspace.reduced);
    AC_TRY(ac_reduced_solve_tangent(&d->backward, d->workspace.reduced, d->workspace.y));
    ac_reduced_spread_end(&d->backward, d->workspace.y, db);
    ac_discrete_along(&d->discrete, &point, &(ac_interval_change){none, db, NULL}, left, right);
    for (int i = 0; i < n; ++i) {
        db[i] += shift[i];
        force[i] = dp[i] + left[i];
        next[i] = d->at_mean ? right[i] - force[i] : right[i];
    }
    if (slope) slope_on_interval(s, interval, &point, &(ac_interval_change){da, db, inputs});
    if (!s->curved || rows == 0) return AC_OK;
    turn_forces(s, &point, lambda, da, db, force);
    return ac_legendre_multipliers(&d->legendre, d->at_mean ? d->backward.interval.mean : point.a, force,
                                   s->dlambda + at * rows);
}

/* The tangent passes to the start of a segment, along the motions that joints allow there. */
static ac_status enter_segment(ac_second *s, int segment, bool gaps)
{
    int n = s->d->system->n;
    long row = s->first[segment] + segment;
    double *dq = s->dq + row * n, *dp = s->dp + row * n, *sum = s->vectors[2];
    for (int i = 0; i < n; ++i) {
        sum[i] = s->dq[(row - 1) * n + i] + (gaps ? s->q[(row - 1) * n + i] - s->q[row * n + i] : 0.0);
        dp[i] = s->dp[(row - 1) * n + i] + (gaps ? s->p[(row - 1) * n + i] - s->p[row * n + i] : 0.0);
    }
    ac_mass_apply(s->d->system, sum, dq);
    AC_TRY(ac_legendre_project(&s->d->legendre, s->q + row * n, dq));
    memcpy(dq, s->d->legendre.velocity, (size_t)n * sizeof *dq);
    return AC_OK;
}

void ac_second_begin_tangent(ac_second *s, double *dq, double *dp)
{
    const ac_second_direction *direction = s->direction;
    const ac_adjoint *d = s->d;
    size_t n = (size_t)d->system->n;
    memset(dq, 0, n * sizeof *dq);
    memset(dp, 0, n * sizeof *dp);
    if (direction->configuration) memcpy(dq, direction->configuration, n * sizeof *dq);
    if (direction->velocity) ac_mass_apply(d->system, direction->velocity, dp);
    if (s->by_parameters)
        ac_numbers_mass(&s->by_parameters->varying, s->by_parameters->change, d->system->initial.v, 1.0, dp);
}

ac_status ac_second_follow(ac_second *s, const ac_second_direction *direction)
{
    s->slope = 0.0;
    s->direction = direction;
    ac_second_begin_tangent(s, s->dq, s->dp);
    for (int segment = 0; segment < s->segments; ++segment) {
        long end = s->first[segment + 1];
        if (segment > 0) AC_TRY(enter_segment(s, segment, direction->gaps));
        for (long k = s->first[segment]; k < end; ++k) {
            slope_at_node(s, k, k + segment);
            AC_TRY(ac_second_follow_interval(s, k, segment, true));
        }
    }
    slope_at_node(s, s->d->steps, s->d->steps + s->segments - 1);
    return isfinite(s->slope) ? AC_OK
                              : ac_fail(s->ctx, AC_NOT_CONVERGED, "the tangent of the motion is not finite");
}
