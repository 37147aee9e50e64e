/* Gradients of motions whose steps are unknowns (free_step): the adjoint is the transpose of a tangent that is solved here with dense
 * matrices, the energy by its own formula; and all parameters of files agree with differences of whole simulations. */
#include "action/inertia.h"
#include "adjoint/adjoint.h"
#include "linalg/dense.h"
#include "support/gradients.h"
#include "support/subject.h"

enum { MOST_NODES = 200, SIZE = 48 }; /* unknowns of the tangent of a step */

#define ARMS(rest)                                                                                           \
    "parameters: {L: 1, M: 1, A: 0.9, K: 3, W: 0.4}\n"                                                       \
    "gravity: [0, -9.81]\n"                                                                                  \
    "planar_bodies: {arm: {solid: {rod: {length: =L, mass: =M}}}, fore: {solid: {rod: {length: 0.5, "        \
    "mass: =0.5*M}}}}\n"                                                                                     \
    "joints:\n"                                                                                              \
    "  - {name: hinge, revolute: [ground, arm], at: {arm: start}, angle: =A, angle_rate: =W}\n"              \
    "  - {name: elbow, revolute: [arm, fore], at: {arm: end, fore: start}, angle: 0.3}\n"                    \
    "springs: [{joint: elbow, stiffness: =K, rest: =0.1*L}]\n"                                               \
    "simulate: {step: 20 ms, duration: 600 ms, free_step: true, quantities: {x: {joint: hinge}, y: "         \
    "{joint: elbow}, e: {energy: fore}, p: {point: end, of: fore, along: x}, s: {signal: =sin(3*t)}}, " rest \
    "functional: [{running: (x - s)^2*(1 + t) + 0.1*x_rate^2*e + T*p}, {start: "                             \
    "K*p}, {end: x_rate + y^2*t}]}\n"

static const gradient_subject files[] = {
    {"arms", ARMS("")},
    {"ball joints",
     "parameters: {L: 0.5, M: 1, C: 0.1, W: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {solid: {rod: {length: =L, mass: =M}}}\n"
     "  b: {mass: 0.5, inertia: [0.02, 0.03, 0.04, 0.001, 0.002, 0], centre: [=C, 0.02, 0.01], points: {tip: "
     "[0.3, 0.1, 0.05]}}\n"
     "joints:\n"
     "  - {name: h, revolute: [ground, a], at: {a: start}, axis: [0, 1, 0], angle: 0.3, angle_rate: =0.5*W}\n"
     "  - {name: s, spherical: [a, b], at: {a: end, b: origin}, rates: [1, =W, 0.5]}\n"
     "springs: [{between: [ground, b], at: {ground: [0.5, 0, =-L], b: tip}, stiffness: 20, length: =0.4*L}]\n"
     "simulate: {step: 5 ms, duration: 100 ms, free_step: true, quantities: {z: {point: tip, of: b, along: "
     "z}, "
     "k: {kinetic_energy: b}, t0: {angular_momentum: b, along: y}}, functional: [{end: z_rate + t0}, "
     "{running: "
     "z^2*t + k + z_rate}]}\n"},
    {"four-bar",
     "parameters: {crank: 0.4, mass: 1, start: 0.7}\n"
     "gravity: [0, -9.81]\n"
     "planar_bodies:\n"
     "  a: {solid: {rod: {length: =crank, mass: =mass}}}\n"
     "  b: {solid: {rod: {length: 1.2, mass: 1}}}\n"
     "  c: {solid: {rod: {length: 1, mass: 1}}}\n"
     "joints:\n"
     "  - {name: h, revolute: [ground, a], at: {a: start}, angle: =start, angle_rate: 3}\n"
     "  - {revolute: [a, b], at: {a: end, b: start}}\n"
     "  - {name: r, revolute: [ground, c], at: {ground: [1.2, 0], c: start}, angle: 1.5, hint: true}\n"
     "  - {revolute: [b, c], at: {b: end, c: end}}\n"
     "simulate: {step: 4 ms, duration: 120 ms, free_step: true, quantities: {x: {joint: r}}, functional: "
     "[{running: "
     "x^2*t + x_rate}, {end: x + x_rate}]}\n"},
    {"beam",
     "parameters: {L: 1, E: 1e6, M: 1}\n"
     "beams: {strip: {straight: {from: [0, 0, 0], to: [=L, 0, 0]}, elements: 2, section: {rectangle: {width: "
     "0.05, height: =0.02*L}}, material: {young: =E, density: 1000}}}\n"
     "bodies: {tip: {mass: =M, inertia: [0.01, 0.02, 0.03], position: [=L, 0, 0], velocity: [0, 0.5, 1], "
     "angular_velocity: [1, 2, 0.5]}}\n"
     "joints: [{fixed: [strip.end, tip], at: {tip: origin}}]\n"
     "simulate: {step: 0.1 ms, duration: 2 ms, free_step: true, quantities: {z: {point: origin, of: tip, "
     "along: "
     "z}}, functional: [{running: 1000*z*t + z_rate}, {end: z_rate}]}\n"},
    {"dual quaternion beam",
     "parameters: {L: 1, E: 1e6, M: 1, D: 1000}\n"
     "beams: {strip: {model: dual_quaternion, straight: {from: [0, 0, 0], to: [=L, 0, 0]}, elements: 2, "
     "section: "
     "{rectangle: {width: 0.05, height: =0.02*L}}, material: {young: =E, density: =D}}}\n"
     "bodies: {tip: {mass: =M, inertia: [0.01, 0.02, 0.03], position: [=L, 0, 0], velocity: [0, 0.5, 1], "
     "angular_velocity: [1, 2, 0.5]}}\n"
     "joints: [{fixed: [strip.end, tip], at: {tip: origin}}]\n"
     "simulate: {step: 0.1 ms, duration: 2 ms, free_step: true, quantities: {z: {point: origin, of: tip, "
     "along: "
     "z}}, functional: [{running: 1000*z*t + z_rate}, {end: z_rate}]}\n"}};

TEST(parameters_against_differences)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        bool dual = strstr(files[k].text, "dual_quaternion");
        compare(&files[k], "trapezoidal", "reduced");
        if (!dual) compare(&files[k], "midpoint", k % 2 ? "null-space" : "multipliers");
    }
}

/* --- the tangent --- */

/* J: c . q + d . p at the last node; h t y^3 + y_b^2 / h on every interval, y = c . (a + b)/2 and y_b = c . (b - a). */
typedef struct sums {
    int n;
    long steps;
    double c[SIZE], d[SIZE];
} sums;

static double at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                      double *by_p)
{
    const sums *f = user;
    (void)t;
    if (node != f->steps) return 0.0;
    if (by_q) add_to(f->n, 1.0, f->c, by_q);
    if (by_p) add_to(f->n, 1.0, f->d, by_p);
    return dot(f->n, f->c, q) + dot(f->n, f->d, p);
}

static double on_interval(void *user, long interval, double t, double h, const double *a, const double *b,
                          const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    const sums *f = user;
    double ya = dot(f->n, f->c, a), yb = dot(f->n, f->c, b), y = 0.5 * (ya + yb), x = yb - ya;
    (void)interval, (void)inputs, (void)by_inputs;
    if (by_a) add_to(f->n, 1.5 * h * t * y * y - 2.0 * x / h, f->c, by_a);
    if (by_b) add_to(f->n, 1.5 * h * t * y * y + 2.0 * x / h, f->c, by_b);
    return h * t * y * y * y + x * x / h;
}

static void by_time(void *user, long interval, double t, double h, const double *a, const double *b,
                    double *by_t, double *by_h)
{
    const sums *f = user;
    double ya = dot(f->n, f->c, a), yb = dot(f->n, f->c, b), y = 0.5 * (ya + yb), x = yb - ya;
    (void)interval;
    *by_t += h * y * y * y;
    *by_h += t * y * y * y - x * x / (h * h);
}

typedef struct motion {
    ac_adjoint *d;
    double q[MOST_NODES][SIZE], p[MOST_NODES][SIZE];
} motion;

/* Energy of an interval by a, b and h, by its own formula: dE along (da, db, dh). */
static double energy_along(const ac_adjoint *d, const double *a, const double *b, double h, const double *da,
                           const double *db, double dh)
{
    const int n = d->system->n;
    double v[SIZE] = {0}, mv[SIZE], x[SIZE], sum = 0.0, twice = 0.0;
    bool mean = d->discrete.scheme == AC_MIDPOINT;
    for (int i = 0; i < n; ++i) v[i] = (b[i] - a[i]) / h;
    ac_mass_apply(d->system, v, mv);
    for (int i = 0; i < n; ++i) {
        sum += mv[i] * (db[i] - da[i]) / h;
        twice += mv[i] * v[i];
        x[i] = 0.5 * (a[i] + b[i]);
    }
    for (int end = 0; end < 2; ++end) { /* midpoint: half of the change of the mean for each end */
        double g[SIZE] = {0.0};
        ac_potential_add_gradient(d->system, mean ? x : end ? b : a, d->stored.winding, 1.0, g);
        ac_gravity_add(d->system, -1.0, g);
        sum += 0.5 * dot(n, g, end ? db : da);
    }
    return sum - twice / h * dh;
}

/* The multipliers mu of p + left = G(a)^T mu, by least squares. */
static void multipliers(const ac_adjoint *d, int m, double G[SIZE][SIZE], const double *f, double *mu)
{
    double A[SIZE * SIZE];
    int pivot[SIZE], n = d->system->n;
    for (int i = 0; i < m; ++i) {
        mu[i] = dot(n, G[i], f);
        for (int j = 0; j < m; ++j) A[i * m + j] = dot(n, G[i], G[j]);
    }
    CHECK(ac_lu_factor(m, A, pivot));
    ac_lu_solve(m, A, pivot, mu);
}

static void rows_at(const ac_adjoint *d, const double *q, double G[SIZE][SIZE])
{
    for (int r = 0; r < d->system->constraints.count; ++r) {
        const double unit = 1.0;
        memset(G[r], 0, (size_t)d->system->n * sizeof **G);
        ac_constraints_add_force(d->system, q, &unit, r, r + 1, 1.0, G[r]);
    }
}

typedef struct change {
    double q[SIZE], p[SIZE], t, energy;
} change;

/* The tangent of an interval: from the change at its left node to that at its right one; the change of its length. */
static double follow(const motion *x, long k, change *c)
{
    ac_adjoint *d = x->d;
    const int n = d->system->n, m = d->system->constraints.count;
    const double *a = x->q[k], *b = x->q[k + 1], h = d->times->h[k];
    static double A[SIZE * SIZE], G[SIZE][SIZE], Gb[SIZE][SIZE], left[SIZE], right[SIZE];
    double rhs[SIZE] = {0}, mu[SIZE], f[SIZE], turned[SIZE] = {0}, db[SIZE], zero[SIZE] = {0}, dh = 0.0,
           left_h[SIZE], right_h[SIZE], da_left[SIZE] = {0}, da_right[SIZE] = {0};
    int pivot[SIZE], size = n + m + 1;
    const ac_discrete_point point = {.a = a, .b = b, .winding = d->stored.winding, .h = h, .tau = zero};
    CHECK(size <= SIZE);
    ac_discrete_values(&d->discrete, &point, left, right);
    ac_discrete_by_step(&d->discrete, &point, left_h, right_h);
    rows_at(d, a, G);
    rows_at(d, b, Gb);
    for (int i = 0; i < n; ++i) f[i] = x->p[k][i] + left[i];
    multipliers(d, m, G, f, mu);
    ac_constraints_pull(d->system, mu, c->q, 1.0, turned);
    ac_discrete_along(&d->discrete, &point, &(ac_interval_change){.a = c->q, .b = zero}, da_left, da_right);
    memset(A, 0, sizeof A);
    for (int j = 0; j < n; ++j) { /* column of db_j */
        double unit[SIZE] = {0}, by_left[SIZE] = {0}, by_right[SIZE] = {0};
        unit[j] = 1.0;
        ac_discrete_along(&d->discrete, &point, &(ac_interval_change){.a = zero, .b = unit}, by_left,
                          by_right);
        for (int i = 0; i < n; ++i) A[i * size + j] = by_left[i];
        for (int r = 0; r < m; ++r) A[(n + r) * size + j] = Gb[r][j];
        if (d->times->found[k]) A[(n + m) * size + j] = energy_along(d, a, b, h, zero, unit, 0.0);
    }
    for (int i = 0; i < n; ++i) {
        rhs[i] = -(c->p[i] + da_left[i] - turned[i]);
        A[i * size + n + m] = left_h[i];
        for (int r = 0; r < m; ++r) A[i * size + n + r] = -G[r][i];
    }
    /* the length: from the energy, or less by what the last step begins later, or given */
    A[(n + m) * size + n + m] = d->times->found[k] ? energy_along(d, a, b, h, zero, zero, 1.0) : 1.0;
    rhs[n + m] = d->times->found[k]  ? c->energy - energy_along(d, a, b, h, c->q, zero, 0.0)
                 : k == d->steps - 1 ? -c->t
                                     : 0.0;
    CHECK(ac_lu_factor(size, A, pivot));
    ac_lu_solve(size, A, pivot, rhs);
    memcpy(db, rhs, (size_t)n * sizeof *db);
    dh = rhs[n + m];
    double dright[SIZE] = {0}, dleft[SIZE] = {0};
    ac_discrete_along(&d->discrete, &point, &(ac_interval_change){.a = c->q, .b = db}, dleft, dright);
    if (k == 0) c->energy = energy_along(d, a, b, h, c->q, db, dh);
    for (int i = 0; i < n; ++i) c->p[i] = dright[i] + right_h[i] * dh;
    memcpy(c->q, db, (size_t)n * sizeof *db);
    c->t += dh;
    return dh;
}

static double along_interval(const motion *x, sums *f, long k, const change *from, const change *to,
                             double dh)
{
    const double t = ac_adjoint_time(x->d, k), h = x->d->times->h[k];
    double by_a[SIZE] = {0}, by_b[SIZE] = {0}, by_t = 0.0, by_h = 0.0;
    on_interval(f, k, t, h, x->q[k], x->q[k + 1], NULL, by_a, by_b, NULL);
    by_time(f, k, t, h, x->q[k], x->q[k + 1], &by_t, &by_h);
    return dot(f->n, by_a, from->q) + dot(f->n, by_b, to->q) + by_t * from->t + by_h * dh;
}

/* The sweep at every node, behind the node itself: adjoint of the state, of the time and of the energy wanted. */
static change swept_at[MOST_NODES];

static void keep(void *user, long node, double t, const double *q, const double *by_q, const double *by_p)
{
    const ac_adjoint *d = ((const motion *)user)->d;
    size_t bytes = (size_t)d->system->n * sizeof *by_q;
    (void)t, (void)q;
    memcpy(swept_at[node].q, by_q, bytes);
    memcpy(swept_at[node].p, by_p, bytes);
    swept_at[node].t = d->times->by_t;
    swept_at[node].energy = d->times->by_energy;
}

/* What the products of tangent and adjoint cancel at a node: rounding is relative to it. */
static double size_at(int n, long node, const change *c)
{
    const change *s = &swept_at[node];
    return dot_size(n, s->q, c->q) + dot_size(n, s->p, c->p) + fabs(s->t * c->t) +
           fabs(s->energy * c->energy);
}

static void compare_tangent(const char *text, const char *scheme)
{
    static motion x;
    sums f = {0};
    dice dice_of = {5};
    change c = {0};
    double value, swept, followed = 0.0, size;
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, text, scheme, "reduced");
    ac_simulation_settings settings = *ac_problem_simulation(problem);
    CHECK(ac_adjoint_new(ctx, ac_problem_system(problem), &settings, 0, &x.d) == AC_OK);
    const int n = f.n = ac_adjoint_size(x.d);
    f.steps = ac_adjoint_steps(x.d);
    CHECK(f.steps + 1 <= MOST_NODES && n <= SIZE);
    dice_vector(&dice_of, n, 0.5, f.c);
    dice_vector(&dice_of, n, 0.5, f.d);
    const ac_functional functional = {
        .user = &f, .node = at_node, .interval = on_interval, .by_time = by_time};
    ac_adjoint_watch(x.d, keep, &x);
    CHECK(ac_adjoint_run(x.d, &functional, &value) == AC_OK);
    long found = 0;
    for (long k = 0; k <= f.steps; ++k) {
        memcpy(x.q[k], x.d->stored.q + k * n, (size_t)n * sizeof *x.q[k]);
        memcpy(x.p[k], x.d->stored.p + k * n, (size_t)n * sizeof *x.p[k]);
        found += k < f.steps && x.d->times->found[k];
    }
    CHECK(found > 5 && found < f.steps - 1); /* steps of all three kinds */
    /* a change of the velocity at the start, taken into the kernel of the constraints */
    double v[SIZE], mu[SIZE], G[SIZE][SIZE];
    dice_vector(&dice_of, n, 1.0, v);
    rows_at(x.d, x.q[0], G);
    multipliers(x.d, x.d->system->constraints.count, G, v, mu);
    for (int r = 0; r < x.d->system->constraints.count; ++r) add_to(n, -mu[r], G[r], v);
    ac_mass_apply(x.d->system, v, c.p);
    swept = dot(n, ac_adjoint_by_velocity(x.d), v);
    size = dot_size(n, ac_adjoint_by_velocity(x.d), v);
    for (long k = 0; k < f.steps; ++k) {
        change before = c;
        double dh = follow(&x, k, &c), part = along_interval(&x, &f, k, &before, &c, dh);
        followed += part;
        size = fmax(size, fabs(part) + fabs(followed) + size_at(n, k + 1, &c));
    }
    CHECK_NEAR(c.t, 0.0, 1e-12);
    followed += dot(n, f.c, c.q) + dot(n, f.d, c.p);
    size += dot_size(n, f.c, c.q) + dot_size(n, f.d, c.p);
    if (!(fabs(swept - followed) <= 1e-12 * size))
        printf("  %s: adjoint %.15g, tangent %.15g, %.2g of %.3g\n", scheme, swept, followed,
               fabs(swept - followed) / size, size);
    CHECK(fabs(swept - followed) <= 1e-12 * size);
    ac_adjoint_free(x.d);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(the_adjoint_is_the_transposed_tangent)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal"};
    for (int s = 0; s < 2; ++s) {
        compare_tangent(files[0].text, schemes[s]);
        compare_tangent(files[2].text, schemes[s]);
    }
}

/* --- memory, what is refused --- */

TEST(checkpoints_give_the_same)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, files[0].text, "midpoint", "reduced");
    ac_gradient *whole = NULL, *part = NULL;
    double value[2];
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 0, &whole) == AC_OK);
    CHECK(ac_gradient_new(ctx, problem, NULL, 0, 4000, &part) == AC_OK);
    CHECK(ac_gradient_run(whole, &value[0]) == AC_OK && ac_gradient_run(part, &value[1]) == AC_OK);
    CHECK_NEAR(value[0], value[1], 1e-13 * fabs(value[0]));
    CHECK(ac_adjoint_steps_taken(ac_gradient_adjoint(part)) > ac_gradient_steps(part, NULL));
    for (int k = 0; k < ac_gradient_parameters(whole); ++k)
        CHECK_NEAR(ac_gradient_by_parameter(part, k), ac_gradient_by_parameter(whole, k),
                   1e-11 * fabs(ac_gradient_by_parameter(whole, k)));
    CHECK_NEAR(ac_gradient_time(whole, ac_gradient_steps(whole, NULL)), 0.6, 0.0);
    ac_gradient_free(whole);
    ac_gradient_free(part);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(functionals_need_derivatives_by_times)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, files[0].text, "midpoint", "reduced");
    ac_adjoint *d = NULL;
    sums f = {.n = 12};
    double value;
    const ac_functional functional = {.user = &f, .node = at_node, .interval = on_interval};
    CHECK(ac_adjoint_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), 0, &d) == AC_OK);
    CHECK(ac_adjoint_run(d, &functional, &value) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "by_time"));
    CHECK(ac_adjoint_linearise(d, &functional, &value) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "free_step"));
    ac_adjoint_free(d);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(parameters_against_differences), CASE(the_adjoint_is_the_transposed_tangent),
          CASE(checkpoints_give_the_same), CASE(functionals_need_derivatives_by_times))
