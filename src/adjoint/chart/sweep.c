/* One step of the sweep backwards where the equations are those of joint coordinates.
 *
 * With left, right of action/chart/chart_interval.h and the momenta mu = D^T p, D = dq/dtheta, the Lagrangian
 *   J + sum_n w_n . (mu_n + left_n) + sum_n pi_n+1 . (right_n - mu_n+1)
 * gives, with lambda the derivative by the coordinates that later intervals and the functional leave,
 *   -left_b^T w_n = lambda_n+1 + right_b^T pi_n+1,   pi_n = w_n + ..,   lambda_n = left_a^T w_n + right_a^T pi_n+1 + ..
 *
 * What observes the motion takes momenta of places and directors, p = R + M D z with D^T p = right and R the momentum of
 * the trapezoidal rule in these coordinates. For J_p, with x = (D^T M D)^-1 D^T M J_p and e = J_p - D x,
 *   J_p . dp = x . d right + e . dR + dD z . M e - dD x . p
 *
 * A number nu of the system changes L_d at fixed coordinates; the derivative of w . left + pi . right by it is that of dL_d/dnu
 * along theta_a' = w, theta_b' = pi. So with u = D v, u' its change, q' = D theta', and sums over both ends,
 *   masses      h/2 u' . dM u
 *   forces      h/2 q' . df
 *   frames      q changes by q_nu (tree/frames.h): h/2 (M u' . du_nu + M u . u'_nu + f' . q_nu + f . q'_nu)
 */
#include <string.h>

#include "action/inertia.h"
#include "adjoint/chart/chart.h"
#include "linalg/dense.h"

/* --- making --- */

static ac_status create_rows(ac_chart_sweep *s, size_t T, size_t n)
{
    double **const rows[] = {&s->lambda, &s->pi, &s->w, &s->x, &s->z, &s->rhs, &s->row, &s->rate},
                   **const vectors[] = {&s->by_q,      &s->by_p,     &s->end[0].u,  &s->end[0].du,
                                        &s->end[0].dq, &s->end[1].u, &s->end[1].du, &s->end[1].dq,
                                        &s->force[0],  &s->force[1], &s->weight[0], &s->weight[1],
                                        &s->bent[0],   &s->bent[1],  &s->left,      &s->right,
                                        &s->rest,      &s->work[0],  &s->work[1]};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) AC_NEW(s->ctx, *rows[k], T + 1);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(s->ctx, *vectors[k], n + 1);
    AC_NEW(s->ctx, s->slope, T * T + 1);
    AC_NEW(s->ctx, s->K, T * T + 1);
    AC_NEW(s->ctx, s->pivot, T + 1);
    return AC_OK;
}

static ac_status create(ac_chart_sweep *s, const ac_adjoint *d)
{
    const ac_system *system = d->system;
    AC_TRY(ac_chart_interval_create(s->ctx, system, &d->discrete, &s->on));
    AC_TRY(create_rows(s, (size_t)system->tree.freedoms, (size_t)system->n));
    AC_NEW(s->ctx, s->now, system->node_count + 1);
    AC_NEW(s->ctx, s->all, system->node_count + 1);
    AC_NEW(s->ctx, s->frame_work, ac_tree_frames_doubles(system) + 1);
    return AC_OK;
}

ac_status ac_chart_sweep_create(ac_context *ctx, const ac_adjoint *adjoint, ac_chart_sweep **sweep)
{
    ac_chart_sweep *s;
    AC_NEW(ctx, s, 1);
    s->ctx = ctx;
    *sweep = s; /* freed with the adjoint, also where this fails */
    return create(s, adjoint);
}

void ac_chart_sweep_free(ac_chart_sweep *s)
{
    if (!s) return;
    void *blocks[] = {s->lambda,    s->pi,       s->by_q,      s->by_p,      s->w,         s->x,
                      s->z,         s->rhs,      s->row,       s->rate,      s->slope,     s->K,
                      s->pivot,     s->end[0].u, s->end[0].du, s->end[0].dq, s->end[1].u,  s->end[1].du,
                      s->end[1].dq, s->force[0], s->force[1],  s->weight[0], s->weight[1], s->bent[0],
                      s->bent[1],   s->left,     s->right,     s->rest,      s->work[0],   s->work[1],
                      s->now,       s->all,      s->frame_work};
    ac_chart_interval_destroy(&s->on);
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, s);
}

/* --- sums --- */

static void clear(int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static void add(int n, double factor, const double *x, double *to)
{
    for (int i = 0; i < n; ++i) to[i] += factor * x[i];
}

static void product(int rows, int T, const double *A, const double *x, double *out)
{
    for (int i = 0; i < rows; ++i) {
        out[i] = 0.0;
        for (int f = 0; f < T; ++f) out[i] += A[i * T + f] * x[f];
    }
}

/* out (T) += factor A^T x */
static void add_transposed(int rows, int T, double factor, const double *A, const double *x, double *out)
{
    for (int i = 0; i < rows; ++i)
        for (int f = 0; x[i] != 0.0 && f < T; ++f) out[f] += factor * x[i] * A[i * T + f];
}

void ac_chart_project(const ac_chart_sweep *s, int end, double factor, const double *f, double *out)
{
    add_transposed(s->on.chart.n, s->on.T, factor, s->on.end[end].at.point.D, f, out);
}

void ac_chart_spread(const ac_chart_sweep *s, int end, const double *x, double *out)
{
    product(s->on.chart.n, s->on.T, s->on.end[end].at.point.D, x, out);
}

void ac_chart_spread_mass(const ac_chart_sweep *s, int end, const double *x, double *out)
{
    product(s->on.chart.n, s->on.T, s->on.end[end].at.MD, x, out);
}

static ac_status singular(const ac_adjoint *d, const char *what)
{
    return ac_fail(d->ctx, AC_SINGULAR,
                   "step %ld, t = %.9g s: %s is singular, so the motion has no derivative",
                   d->backward.step + 1, d->backward.t, what);
}

ac_status ac_chart_solve_mass(ac_adjoint *d, int end, const double *rhs, double *x)
{
    ac_chart_sweep *s = d->chart;
    const int T = s->on.T;
    memcpy(s->K, s->on.end[end].p_v, (size_t)(T * T) * sizeof *s->K);
    memmove(x, rhs, (size_t)T * sizeof *x);
    if (!ac_lu_factor(T, s->K, s->pivot)) return singular(d, "the mass matrix of the joint coordinates");
    ac_lu_solve(T, s->K, s->pivot, x);
    return AC_OK;
}

/* out (T) += factor sum_i f_i d^2 q_i x */
static void add_curvature(ac_chart_sweep *s, int end, double factor, const double *f, const double *x,
                          double *out)
{
    const int T = s->on.T;
    clear(T * T, s->slope);
    ac_chart_second(&s->on.chart, &s->on.end[end].at.point, f, s->slope);
    add_transposed(T, T, factor, s->slope, x, out);
}

/* --- nodes --- */

/* The functional at a node, its derivatives in by_q, by_p. */
static void take_functional(ac_adjoint *d, long number, const double *q, const double *p)
{
    ac_chart_sweep *s = d->chart;
    const ac_functional *f = d->functional;
    clear(d->system->n, s->by_q);
    clear(d->system->n, s->by_p);
    if (f->node) d->value += f->node(f->user, number, (double)number * d->h, q, p, s->by_q, s->by_p);
    add(d->system->n, 1.0, s->by_q, d->by_q);
    add(d->system->n, 1.0, s->by_p, d->by_p);
    if (d->watch) d->watch(d->watch_user, number, (double)number * d->h, q, d->by_q, d->by_p);
}

/* The node of an end; lambda, pi are what later intervals leave. Its adjoint as one of places and directors is that at fixed p. */
static ac_status take_node(ac_adjoint *d, int end, long number, const double *q, const double *p)
{
    ac_chart_sweep *s = d->chart;
    memcpy(s->rhs, s->lambda, (size_t)s->on.T * sizeof *s->rhs);
    add_curvature(s, end, 1.0, p, s->pi, s->rhs);
    AC_TRY(ac_chart_solve_mass(d, end, s->rhs, s->x));
    ac_chart_spread_mass(s, end, s->x, d->by_q);
    ac_chart_spread(s, end, s->pi, d->by_p);
    take_functional(d, number, q, p);
    return AC_OK;
}

void ac_chart_sweep_begin(ac_adjoint *d, const double *q, const double *p)
{
    ac_chart_sweep *s = d->chart;
    ac_chart_interval_restart(&s->on);
    clear(s->on.T, s->lambda);
    clear(s->on.T, s->pi);
    memset(s->all, 0, (size_t)d->system->node_count * sizeof *s->all);
    s->carries = d->parameters.joint_count > 0 || ac_chart_origin_turns(d->system);
    take_functional(d, d->steps, q, p);
}

/* --- an interval --- */

/* The stored motion between node k and the next, with the coordinates of both. */
static void stand(ac_adjoint *d, long first, long k, ac_discrete_point *point)
{
    ac_chart_sweep *s = d->chart;
    const ac_stored_motion *m = &d->stored;
    const int n = d->system->n, T = s->on.T;
    d->backward.step = first + k;
    d->backward.t = (double)(first + k) * d->h;
    ac_adjoint_set_inputs(d, first + k, d->backward.t);
    *point = (ac_discrete_point){.a = m->q + k * n,
                                 .b = m->q + (k + 1) * n,
                                 .tau = d->workspace.inputs,
                                 .winding = m->winding + k * d->system->measure_count,
                                 .h = d->h};
    for (int e = 0; e < 2; ++e) {
        memcpy(s->on.end[e].theta, m->coordinates + (k + e) * T, (size_t)T * sizeof(double));
        ac_minimal_at(&s->on.end[e].at, s->on.end[e].theta);
    }
    ac_chart_interval_evaluate(&s->on, d->h);
    memset(s->now, 0, (size_t)d->system->node_count * sizeof *s->now);
}

/* The functional on the interval and at its right end: what weighs on both configurations, in s->weight. */
static void weigh(ac_adjoint *d, long number, const ac_discrete_point *point)
{
    ac_chart_sweep *s = d->chart;
    const ac_functional *f = d->functional;
    clear(d->system->n, s->weight[0]);
    clear(d->input_count, d->workspace.by_inputs);
    memcpy(s->weight[1], s->by_q, (size_t)d->system->n * sizeof *s->by_q);
    if (f->interval)
        d->value += f->interval(f->user, number, (double)number * d->h, d->h, point->a, point->b,
                                d->workspace.inputs, s->weight[0], s->weight[1], d->workspace.by_inputs);
}

/* J_p of the right end, where p = R + M D z: pi += x, lambda gets what z and x weigh there, s->weight what e weighs. */
static ac_status take_momentum(ac_adjoint *d, const ac_discrete_point *point, const double *p)
{
    ac_chart_sweep *s = d->chart;
    const ac_system *system = d->system;
    const ac_varying *varying = d->parameters.count > 0 ? &d->parameters.varying : NULL;
    const int n = system->n, T = s->on.T;
    double *e = s->rest, *Me = s->work[0], *motion = s->work[1];
    clear(T, s->x);
    add_transposed(n, T, 1.0, s->on.end[1].at.MD, s->by_p, s->x);
    AC_TRY(ac_chart_solve_mass(d, 1, s->x, s->x));
    ac_chart_spread(s, 1, s->x, e);
    for (int i = 0; i < n; ++i) e[i] = s->by_p[i] - e[i];
    ac_mass_apply(system, e, Me);
    ac_discrete_values(&d->discrete, point, s->left, s->right);
    memcpy(s->z, s->on.right, (size_t)T * sizeof *s->z);
    ac_chart_project(s, 1, -1.0, s->right, s->z);
    AC_TRY(ac_chart_solve_mass(d, 1, s->z, s->z));

    add_curvature(s, 1, 1.0, Me, s->z, s->lambda);
    add_curvature(s, 1, -1.0, p, s->x, s->lambda);
    clear(n, motion);
    ac_discrete_pullback(&d->discrete, point, motion, e,
                         &(ac_pullback){.a = s->weight[0], .b = s->weight[1]});
    if (varying) ac_numbers_pull(&d->discrete, point, varying, motion, e, d->parameters.by);
    ac_chart_spread(s, 1, s->z, motion);
    if (varying) ac_numbers_pull_mass(varying, e, motion, 1.0, d->parameters.by);
    if (s->carries) {
        ac_tree_pull_frames_along(system, point->b, motion, Me, 1.0, s->frame_work, s->now);
        ac_chart_spread(s, 1, s->x, motion);
        ac_tree_pull_frames_along(system, point->b, motion, p, -1.0, s->frame_work, s->now);
    }
    add(T, 1.0, s->x, s->pi);
    return AC_OK;
}

/* w of the step, and lambda of its left end. */
static ac_status solve(ac_adjoint *d)
{
    ac_chart_sweep *s = d->chart;
    const int T = s->on.T;
    ac_chart_project(s, 1, 1.0, s->weight[1], s->lambda);
    ac_chart_interval_slopes(&s->on, d->h, NULL, s->K, NULL, s->slope);
    for (int f = 0; f < T; ++f) s->w[f] = -s->lambda[f];
    add_transposed(T, T, -1.0, s->slope, s->pi, s->w);
    if (!ac_lu_factor(T, s->K, s->pivot)) return singular(d, "the matrix of the step");
    ac_lu_solve_transposed(T, s->K, s->pivot, s->w);
    ac_chart_interval_slopes(&s->on, d->h, s->K, NULL, s->slope, NULL);
    clear(T, s->lambda);
    add_transposed(T, T, 1.0, s->K, s->w, s->lambda);
    add_transposed(T, T, 1.0, s->slope, s->pi, s->lambda);
    ac_chart_project(s, 0, 1.0, s->weight[0], s->lambda);
    return AC_OK;
}

/* --- numbers and frames --- */

/* u = D v, du = D (pi - w)/h + dD v, dq = D theta' at both ends, along theta' = w, pi. */
static void find_motions(ac_adjoint *d)
{
    ac_chart_sweep *s = d->chart;
    const int n = d->system->n, T = s->on.T;
    for (int f = 0; f < T; ++f) s->rate[f] = (s->pi[f] - s->w[f]) / d->h;
    for (int e = 0; e < 2; ++e) {
        const double *along = e == 0 ? s->w : s->pi;
        ac_minimal *at = &s->on.end[e].at;
        ac_chart_spread(s, e, s->on.v, s->end[e].u);
        ac_chart_spread(s, e, along, s->end[e].dq);
        ac_chart_along(&s->on.chart, &at->point, s->on.v, at->matrix[0]);
        product(n, T, at->matrix[0], along, s->end[e].du);
        ac_chart_spread(s, e, s->rate, s->work[0]);
        add(n, 1.0, s->work[0], s->end[e].du);
    }
}

/* The trapezoidal rule for places and directors has the same forces, and its inertia is taken off. */
static void take_numbers(ac_adjoint *d, const ac_discrete_point *point)
{
    ac_chart_sweep *s = d->chart;
    const ac_varying *varying = &d->parameters.varying;
    const int n = d->system->n;
    double *difference = s->work[0], *velocity = s->work[1], *by = d->parameters.by;
    ac_numbers_pull(&d->discrete, point, varying, s->end[0].dq, s->end[1].dq, by);
    for (int i = 0; i < n; ++i) {
        difference[i] = s->end[1].dq[i] - s->end[0].dq[i];
        velocity[i] = (point->b[i] - point->a[i]) / d->h;
    }
    ac_numbers_pull_mass(varying, difference, velocity, -1.0, by);
    for (int e = 0; e < 2; ++e) ac_numbers_pull_mass(varying, s->end[e].du, s->end[e].u, 0.5 * d->h, by);
}

/* h/2 f at both ends in `force`, and its change along dq added to `weight`. */
static void find_forces(ac_adjoint *d, const ac_discrete_point *point)
{
    ac_chart_sweep *s = d->chart;
    const int n = d->system->n;
    double *difference = s->work[0], *momentum = s->work[1];
    ac_discrete_values(&d->discrete, point, s->force[0], s->force[1]);
    ac_discrete_pullback(&d->discrete, point, s->end[0].dq, s->end[1].dq,
                         &(ac_pullback){.a = s->weight[0], .b = s->weight[1]});
    for (int i = 0; i < n; ++i) difference[i] = (point->b[i] - point->a[i]) / d->h;
    ac_mass_apply(d->system, difference, momentum);
    add(n, 1.0, momentum, s->force[0]);
    add(n, -1.0, momentum, s->force[1]);
    for (int i = 0; i < n; ++i) difference[i] = (s->end[1].dq[i] - s->end[0].dq[i]) / d->h;
    ac_mass_apply(d->system, difference, momentum);
    add(n, 1.0, momentum, s->weight[0]);
    add(n, -1.0, momentum, s->weight[1]);
}

static void take_frames(ac_adjoint *d, const ac_discrete_point *point)
{
    ac_chart_sweep *s = d->chart;
    const ac_system *system = d->system;
    const double half = 0.5 * d->h;
    double *momentum = s->work[0], *work = s->frame_work;
    find_forces(d, point);
    for (int e = 0; e < 2; ++e) {
        const ac_chart_motion *m = &s->end[e];
        const double *q = e == 0 ? point->a : point->b;
        ac_tree_pull_frames(system, q, s->weight[e], 1.0, work, s->now);
        ac_tree_pull_frames_along(system, q, m->dq, s->force[e], 1.0, work, s->now);
        ac_mass_apply(system, m->du, momentum);
        ac_tree_pull_frames_along(system, q, m->u, momentum, half, work, s->now);
        ac_mass_apply(system, m->u, momentum);
        ac_tree_pull_frames_bent(system, q, m->u, m->dq, m->du, momentum, half, work, s->now);
    }
}

void ac_chart_add_frames(ac_adjoint *d)
{
    ac_chart_sweep *s = d->chart;
    const double *now = (const double *)s->now;
    double *all = (double *)s->all;
    const size_t count = (size_t)d->system->node_count * (sizeof *s->now / sizeof(double));
    for (size_t k = 0; s->carries && k < count; ++k) all[k] += now[k];
}

ac_status ac_chart_step_back(ac_adjoint *d, long first, long k)
{
    ac_chart_sweep *s = d->chart;
    const int n = d->system->n;
    const double *pa = d->stored.p + k * n, *pb = pa + n;
    ac_discrete_point point;
    stand(d, first, k, &point);
    weigh(d, first + k, &point);
    AC_TRY(take_momentum(d, &point, pb));
    AC_TRY(solve(d));
    if (s->carries || d->parameters.count > 0) find_motions(d);
    if (d->parameters.count > 0) take_numbers(d, &point);
    if (s->carries) take_frames(d, &point);
    ac_chart_add_frames(d);
    if (d->parameters.count > 0) {
        double *share = ac_adjoint_parameters_over_time(d, first + k);
        ac_adjoint_hand_over(d, share);
        ac_adjoint_take_frames(d, s->now, share);
    }
    memcpy(s->pi, s->w, (size_t)s->on.T * sizeof *s->pi);
    AC_TRY(take_node(d, 0, first + k, point.a, pa));
    return first + k == 0 ? ac_chart_finish_start(d, point.a, pa) : AC_OK;
}
