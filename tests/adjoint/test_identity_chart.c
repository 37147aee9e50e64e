/* Joint coordinates: the adjoint is the transpose of the tangent, at every node. The tangent goes forwards by the derivatives of the step equations
 * mu + left = 0, mu' = right, and by those of p = R + M D z, D^T p = mu, along a direction; the sweep has the transposed ones. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "adjoint/chart/chart.h"
#include "linalg/dense.h"
#include "support/memory.h"
#include "support/subject.h"
#include "test.h"

enum { STEPS = 20, MOST = SUBJECT_MOST, FREEDOMS = 40 };

static double swept_q[STEPS + 1][MOST], swept_p[STEPS + 1][MOST];

static void keep(void *user, long node, double t, const double *q, const double *by_q, const double *by_p)
{
    size_t bytes = (size_t) * (const int *)user * sizeof(double);
    (void)t, (void)q;
    memcpy(swept_q[node], by_q, bytes);
    memcpy(swept_p[node], by_p, bytes);
}

/* The change of a node along the direction: coordinates, their momentum, and what places and directors have of both. */
typedef struct tangent {
    ac_adjoint *d;
    ac_chart_interval on;
    int n, T;
    double theta[FREEDOMS], mu[FREEDOMS], q[MOST], p[MOST], before[MOST];
    double slope, parts;
    double reached[STEPS + 1], product[STEPS + 1]; /* slope before a node; adjoint times tangent there */
} tangent;

static void multiply(int rows, int columns, const double *A, const double *x, double *out)
{
    for (int i = 0; i < rows; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < columns; ++j) out[i] += A[i * columns + j] * x[j];
    }
}

static void multiply_transposed(int rows, int columns, const double *A, const double *x, double *out)
{
    for (int j = 0; j < columns; ++j) out[j] = 0.0;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) out[j] += A[i * columns + j] * x[i];
}

static void solve(int n, const double *A, double *x)
{
    static double K[FREEDOMS * FREEDOMS];
    int pivot[FREEDOMS];
    memcpy(K, A, (size_t)(n * n) * sizeof *K);
    CHECK(ac_lu_factor(n, K, pivot));
    ac_lu_solve(n, K, pivot, x);
}

/* The functional at a node. */
static void take_node(tangent *t, const ac_functional *f, long node)
{
    const ac_stored_motion *m = &t->d->stored;
    double by_q[MOST] = {0.0}, by_p[MOST] = {0.0};
    t->reached[node] = t->slope;
    t->product[node] = dot(t->n, swept_q[node], t->q) + dot(t->n, swept_p[node], t->p);
    f->node(f->user, node, 0.0, m->q + node * t->n, m->p + node * t->n, by_q, by_p);
    t->slope += dot(t->n, by_q, t->q) + dot(t->n, by_p, t->p);
    t->parts = fmax(t->parts, dot_size(t->n, swept_q[node], t->q) + dot_size(t->n, swept_p[node], t->p));
}

static void take_interval(tangent *t, const ac_functional *f, long k)
{
    const ac_stored_motion *m = &t->d->stored;
    double by_a[MOST] = {0.0}, by_b[MOST] = {0.0}, none[1] = {0.0};
    f->interval(f->user, k, 0.0, t->d->h, m->q + k * t->n, m->q + (k + 1) * t->n, none, by_a, by_b, none);
    t->slope += dot(t->n, by_a, t->before) + dot(t->n, by_b, t->q);
}

/* dp of p = R + M D z along the change of the right end: m dz = dmu - d(D^T R) - dm z. */
static void change_momentum(tangent *t, const ac_discrete_point *point)
{
    static double along[MOST * FREEDOMS];
    const ac_chart_end *b = &t->on.end[1];
    const ac_system *system = t->d->system;
    int n = t->n, T = t->T;
    double left[MOST], R[MOST], dR[MOST] = {0.0}, unused[MOST] = {0.0}, z[FREEDOMS], dz[FREEDOMS],
                                row[FREEDOMS], u[MOST], Mu[MOST], du[MOST], Mdu[MOST];
    ac_discrete_values(&t->d->discrete, point, left, R);
    ac_discrete_along(&t->d->discrete, point, &(ac_interval_change){t->before, t->q, NULL}, unused, dR);
    multiply_transposed(n, T, b->at.point.D, R, row);
    for (int f = 0; f < T; ++f) z[f] = t->on.right[f] - row[f];
    solve(T, b->p_v, z);
    multiply(n, T, b->at.point.D, z, u);
    ac_mass_apply(system, u, Mu);
    ac_chart_along(&t->on.chart, &b->at.point, z, along); /* dD z = along dtheta */
    multiply(n, T, along, t->theta, du);
    ac_mass_apply(system, du, Mdu);
    /* dD^T (R + M u) + D^T (dR + M dD z) */
    static double H[FREEDOMS * FREEDOMS];
    memset(H, 0, sizeof H);
    for (int i = 0; i < n; ++i) left[i] = R[i] + Mu[i];
    ac_chart_second(&t->on.chart, &b->at.point, left, H);
    multiply(T, T, H, t->theta, row);
    for (int f = 0; f < T; ++f) dz[f] = t->mu[f] - row[f];
    for (int i = 0; i < n; ++i) left[i] = dR[i] + Mdu[i];
    multiply_transposed(n, T, b->at.point.D, left, row);
    for (int f = 0; f < T; ++f) dz[f] -= row[f];
    solve(T, b->p_v, dz);
    multiply(n, T, b->at.point.D, dz, u);
    ac_mass_apply(system, u, Mu);
    for (int i = 0; i < n; ++i) t->p[i] = dR[i] + Mdu[i] + Mu[i];
}

static void follow(tangent *t, const ac_functional *f, long k)
{
    static double left_a[FREEDOMS * FREEDOMS], left_b[FREEDOMS * FREEDOMS], right_a[FREEDOMS * FREEDOMS],
        right_b[FREEDOMS * FREEDOMS];
    const ac_stored_motion *m = &t->d->stored;
    double sum[FREEDOMS], next[FREEDOMS], from_b[FREEDOMS];
    int n = t->n, T = t->T;
    const ac_discrete_point point = {.a = m->q + k * n,
                                     .b = m->q + (k + 1) * n,
                                     .winding = m->winding + k * t->d->system->measure_count,
                                     .h = t->d->h};
    for (int e = 0; e < 2; ++e) {
        memcpy(t->on.end[e].theta, m->coordinates + (k + e) * T, (size_t)T * sizeof(double));
        ac_minimal_at(&t->on.end[e].at, t->on.end[e].theta);
    }
    ac_chart_interval_evaluate(&t->on, t->d->h);
    ac_chart_interval_slopes(&t->on, t->d->h, left_a, left_b, right_a, right_b);
    memcpy(t->before, t->q, sizeof t->q);
    multiply(T, T, left_a, t->theta, sum);
    for (int f2 = 0; f2 < T; ++f2) next[f2] = -t->mu[f2] - sum[f2];
    solve(T, left_b, next);
    multiply(T, T, right_a, t->theta, sum);
    multiply(T, T, right_b, next, from_b);
    for (int f2 = 0; f2 < T; ++f2) t->mu[f2] = sum[f2] + from_b[f2];
    memcpy(t->theta, next, sizeof next);
    multiply(n, T, t->on.end[1].at.point.D, t->theta, t->q);
    change_momentum(t, &point);
    take_interval(t, f, k);
    take_node(t, f, k + 1);
}

/* At the start, along a change of the coordinates and of p. */
static void begin(tangent *t, const ac_functional *f, const double *theta, const double *p)
{
    static double H[FREEDOMS * FREEDOMS];
    const ac_stored_motion *m = &t->d->stored;
    ac_chart_end *a = &t->on.end[0];
    double row[FREEDOMS];
    memcpy(t->theta, theta, (size_t)t->T * sizeof *theta);
    memcpy(t->p, p, (size_t)t->n * sizeof *p);
    memcpy(a->theta, m->coordinates, (size_t)t->T * sizeof *a->theta);
    ac_minimal_at(&a->at, a->theta);
    multiply(t->n, t->T, a->at.point.D, theta, t->q);
    memset(H, 0, sizeof H);
    ac_chart_second(&t->on.chart, &a->at.point, m->p, H);
    multiply(t->T, t->T, H, theta, t->mu);
    multiply_transposed(t->n, t->T, a->at.point.D, p, row);
    for (int k = 0; k < t->T; ++k) t->mu[k] += row[k];
    take_node(t, f, 0);
}

/* Do all coordinates change with their origin by constants? Then the derivative by the start is that by the first coordinates. */
static void compare_start(const tangent *t, const double *theta)
{
    const double *by = ac_adjoint_by_configuration(t->d);
    double dq[MOST];
    if (ac_chart_origin_turns(t->d->system)) return;
    multiply(t->n, t->T, t->on.end[0].at.point.D, theta, dq);
    CHECK(fabs(dot(t->n, by, dq) - dot(t->n, swept_q[0], dq)) <= 1e-12 * dot_size(t->n, swept_q[0], dq));
}

static void check(const subject *of)
{
    static double v[MOST], w[MOST];
    static tangent t;
    subject x = *of;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value, speed = 0.0, theta[FREEDOMS], dp[MOST];
    dice d = {3};
    rig *r = subject_open(&x);
    admissible(r, 17, &speed, NULL, w); /* it moves */
    add_to(r->system->n, 0.3, w, r->system->initial.v);
    admissible(r, 11, &speed, NULL, v);
    ac_status status = subject_adjoint(&x, "trapezoidal", "minimal", STEPS, 0, &adjoint);
    const ac_functional functional = functional_of(&f, adjoint, STEPS);
    ac_adjoint_watch(adjoint, keep, &f.n);
    if (status == AC_OK) status = ac_adjoint_run(adjoint, &functional, &value);
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        t = (tangent){.d = adjoint, .n = f.n, .T = r->system->tree.freedoms};
        CHECK(t.T <= FREEDOMS && f.inputs == 0);
        CHECK(ac_chart_interval_create(r->ctx, r->system, &adjoint->discrete, &t.on) == AC_OK);
        dice_vector(&d, t.T, 1.0, theta);
        ac_mass_apply(r->system, v, dp);
        begin(&t, &functional, theta, dp);
        compare_start(&t, theta);
        for (long k = 0; k < STEPS; ++k) follow(&t, &functional, k);
        for (int k = 0; k <= STEPS; ++k) {
            double ahead = t.slope - t.reached[k], error = fabs(ahead - t.product[k]);
            if (!(error <= 1e-12 * t.parts))
                printf("  %s, node %d: tangent %.15g, adjoint %.15g, %.2g of %.3g\n", x.name, k, ahead,
                       t.product[k], error / t.parts, t.parts);
            CHECK(error <= 1e-12 * t.parts);
        }
        ac_chart_interval_destroy(&t.on);
    }
    ac_adjoint_free(adjoint);
    subject_close(&x);
}

TEST(the_adjoint_is_the_transposed_tangent)
{
    const subject *x;
    int count = 0;
    for (int k = 0; (x = subject_number(k)); ++k)
        if (subject_has(x, "trapezoidal", "minimal")) check(x), ++count;
    CHECK(count >= 11);
}

static ac_status everything(memory *m)
{
    rig r;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    ac_simulation_settings settings;
    double value;
    ac_context *ctx = memory_context(m);
    if (!ctx) return AC_NO_MEMORY;
    rig_open(&r, ctx);
    mechanism_named("point pendulum")->draw(&r);
    ac_status status = rig_finish(&r);
    ac_simulation_defaults(&settings);
    settings.scheme = "trapezoidal";
    settings.formulation = "minimal";
    settings.step = 0.01;
    settings.steps = 3;
    if (status == AC_OK) status = ac_adjoint_new(ctx, r.system, &settings, 0, &adjoint);
    if (status == AC_OK) {
        const ac_functional functional = functional_of(&f, adjoint, 3);
        status = ac_adjoint_run(adjoint, &functional, &value);
    }
    ac_adjoint_free(adjoint);
    rig_close(&r);
    ac_context_free(ctx);
    return status;
}

TEST(every_allocation_may_fail)
{
    memory m = {0};
    CHECK(everything(&m) == AC_OK);
    CHECK(m.held == 0);
    const long calls = m.calls;
    for (long k = 1; k <= calls; ++k) {
        m = (memory){.fail_at = k};
        CHECK(everything(&m) == AC_NO_MEMORY);
        CHECK(m.held == 0);
    }
}

RUN_TESTS(CASE(the_adjoint_is_the_transposed_tangent), CASE(every_allocation_may_fail))
