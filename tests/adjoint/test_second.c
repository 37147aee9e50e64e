/* Directional second derivatives: against differences of adjoint gradients, symmetry, tangent against adjoint; every
 * mechanism, trees and loops, beams, in both schemes that have them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/adjoint.h"
#include "actio/problem.h"
#include "action/momentum.h"
#include "adjoint/adjoint.h"
#include "problem/build/build.h"
#include "support/mechanisms.h"
#include "test.h"

enum { STEPS = 10, MOST = 600, INPUTS = 16 };

/* J = f(c . q, d . p) with f = x y + x^2/2 + x^3/6 at the last node and at node 0, half of it at the fourth;
 * h (y^2 + y^3/3)/2 with y = c . (a + b)/2 on every interval, and of each input h u^2 (1 + y). */
typedef struct functional_data {
    int n, inputs;
    double c[MOST], d[MOST];
} functional_data;

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

static void add(int n, double factor, const double *x, double *to)
{
    for (int i = 0; to && i < n; ++i) to[i] += factor * x[i];
}

static double weight_of(long node)
{
    return node == STEPS || node == 0 ? 1.0 : node == 4 ? 0.5 : 0.0;
}

static double at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                      double *by_p)
{
    const functional_data *f = user;
    double weight = weight_of(node), x = dot(f->n, f->c, q), y = dot(f->n, f->d, p);
    (void)t;
    add(f->n, weight * (y + x + 0.5 * x * x), f->c, by_q);
    add(f->n, weight * x, f->d, by_p);
    return weight * (x * y + 0.5 * x * x + x * x * x / 6.0);
}

static void at_node_along(void *user, long node, double t, const double *q, const double *p, const double *dq,
                          const double *dp, double *by_q, double *by_p)
{
    const functional_data *f = user;
    double weight = weight_of(node), x = dot(f->n, f->c, q), dx = dot(f->n, f->c, dq),
           dy = dot(f->n, f->d, dp);
    (void)t, (void)p;
    add(f->n, weight * (dy + dx + x * dx), f->c, by_q);
    add(f->n, weight * dx, f->d, by_p);
}

static double on_interval(void *user, long interval, double t, double h, const double *qa, const double *qb,
                          const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    const functional_data *f = user;
    double y = 0.5 * (dot(f->n, f->c, qa) + dot(f->n, f->c, qb)), sum = 0.5 * h * (y * y + y * y * y / 3.0),
           by = 0.5 * h * (2.0 * y + y * y);
    (void)interval, (void)t;
    for (int k = 0; k < f->inputs; ++k) {
        sum += h * inputs[k] * inputs[k] * (1.0 + y);
        by += h * inputs[k] * inputs[k];
        if (by_inputs) by_inputs[k] += 2.0 * h * inputs[k] * (1.0 + y);
    }
    add(f->n, 0.5 * by, f->c, by_a);
    add(f->n, 0.5 * by, f->c, by_b);
    return sum;
}

static void on_interval_along(void *user, long interval, double t, double h, const double *qa,
                              const double *qb, const double *inputs, const double *da, const double *db,
                              const double *dinputs, double *by_a, double *by_b, double *by_inputs)
{
    const functional_data *f = user;
    double y = 0.5 * (dot(f->n, f->c, qa) + dot(f->n, f->c, qb)),
           dy = 0.5 * (dot(f->n, f->c, da) + dot(f->n, f->c, db)), by = 0.5 * h * (2.0 + 2.0 * y) * dy;
    (void)interval, (void)t;
    for (int k = 0; k < f->inputs; ++k) {
        double du = dinputs ? dinputs[k] : 0.0;
        by += 2.0 * h * inputs[k] * du;
        by_inputs[k] += 2.0 * h * (du * (1.0 + y) + inputs[k] * dy);
    }
    add(f->n, 0.5 * by, f->c, by_a);
    add(f->n, 0.5 * by, f->c, by_b);
}

static ac_functional functional_of(functional_data *f, const ac_adjoint *adjoint)
{
    dice d = {7};
    f->n = ac_adjoint_size(adjoint);
    f->inputs = ac_adjoint_inputs(adjoint);
    dice_vector(&d, f->n, 0.5, f->c);
    dice_vector(&d, f->n, 0.5, f->d);
    return (ac_functional){f, at_node, on_interval, at_node_along, on_interval_along};
}

/* A system to be differentiated: of a mechanism, or of a problem file. */
typedef struct subject {
    const mechanism *m;
    const char *file, *scheme;
    double h;
    rig r;
    ac_problem *problem;
} subject;

static rig *open(subject *x)
{
    rig *r = &x->r;
    x->problem = NULL;
    rig_open(r, NULL);
    if (x->file) {
        ac_status status = ac_problem_parse(r->ctx, "beam", x->file, strlen(x->file), NULL, 0, &x->problem);
        if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
        CHECK(status == AC_OK);
        ac_system_free(r->system);
        r->system = (ac_system *)ac_problem_system(x->problem); /* whose start is moved here */
        return r;
    }
    x->m->draw(r);
    CHECK(rig_finish(r) == AC_OK);
    return r;
}

static void close(subject *x)
{
    if (x->problem) x->r.system = NULL;
    ac_problem_free(x->problem);
    rig_close(&x->r);
}

static ac_status adjoint_of(subject *x, ac_adjoint **adjoint)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = x->scheme;
    settings.formulation = "reduced";
    settings.step = x->m ? x->m->h : x->h;
    settings.steps = STEPS;
    return ac_adjoint_new(x->r.ctx, x->r.system, &settings, 0, adjoint);
}

/* A motion that joints allow, as tree velocities (may be NULL) and of the coordinates, divided by its size; 0: by its largest
 * entry, which is then the size. */
static void admissible(rig *r, unsigned seed, double *size, double *u, double *v)
{
    ac_legendre legendre = {0};
    double p[MOST];
    dice d = {seed};
    dice_vector(&d, r->system->n, 1.0, p);
    CHECK(ac_legendre_create(r->ctx, r->system, false, &legendre) == AC_OK);
    CHECK(ac_legendre_project(&legendre, r->system->initial.q, p) == AC_OK);
    if (*size == 0.0) *size = largest_entry(r->system->n, legendre.velocity);
    for (int j = 0; u && j < r->system->tree.freedoms; ++j) u[j] = legendre.u[j] / *size;
    for (int i = 0; i < r->system->n; ++i) v[i] = legendre.velocity[i] / *size;
    ac_legendre_destroy(&legendre);
}

static void move_start(rig *r, const double *u, double by)
{
    ac_system *system = r->system;
    ac_joint_state *state = malloc((size_t)system->node_count * sizeof *state);
    double step[MOST];
    for (int j = 0; j < system->tree.freedoms; ++j) step[j] = by * u[j];
    ac_tree_move(system, step, system->initial.state, state, system->initial.q);
    memcpy(system->initial.state, state, (size_t)system->node_count * sizeof *state);
    free(state);
}

enum { FIELD = 23 };

/* The derivative along the field x (of admissible motions) and y at the start moved by `by`; x there, too. */
static double slope_at(subject *s, const double *u, const double *v, const double *y, double by, double size,
                       double *x)
{
    subject there = {.m = s->m, .file = s->file, .scheme = s->scheme, .h = s->h};
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value, slope = NAN;
    rig *r = open(&there);
    move_start(r, u, by);
    add(r->system->n, by, v, r->system->initial.v);
    admissible(r, FIELD, &size, NULL, x);
    CHECK(adjoint_of(&there, &adjoint) == AC_OK);
    const ac_functional functional = functional_of(&f, adjoint);
    ac_status status = ac_adjoint_run(adjoint, &functional, &value);
    if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK)
        slope = dot(f.n, x, ac_adjoint_by_configuration(adjoint)) +
                dot(f.n, y, ac_adjoint_by_velocity(adjoint));
    ac_adjoint_free(adjoint);
    close(&there);
    return slope;
}

/* d/ds of the slope along the field, and of the field, by central differences with one Richardson step. */
static double difference(subject *s, const double *u, const double *v, const double *y, double h,
                         double field, int n, double *dx)
{
    static double x[4][MOST];
    const double at[4] = {h, -h, 0.5 * h, -0.5 * h};
    double slope[4];
    for (int k = 0; k < 4; ++k) slope[k] = slope_at(s, u, v, y, at[k], field, x[k]);
    for (int i = 0; i < n; ++i)
        dx[i] = (4.0 * (x[2][i] - x[3][i]) / h - (x[0][i] - x[1][i]) / (2.0 * h)) / 3.0;
    return (4.0 * (slope[2] - slope[3]) / h - (slope[0] - slope[1]) / (2.0 * h)) / 3.0;
}

static void check(subject *s)
{
    static double u[MOST], v[MOST], x[MOST], y[MOST], w[MOST], dx[MOST], du[STEPS * INPUTS],
        eu[STEPS * INPUTS], Hq[MOST], Hv[MOST], Hu[STEPS * INPUTS];
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value, run_value, slope, h = s->file ? 2e-5 : 2e-4;
    const char *name = s->file ? "beam" : s->m->name;
    rig *r = open(s);
    dice d = {3};
    double sizes[3] = {0.0};
    admissible(r, 11, &sizes[0], u, v);
    admissible(r, FIELD, &sizes[1], NULL, x);
    admissible(r, 5, &sizes[2], NULL, w);
    dice_vector(&d, r->system->n, 0.3, y);
    CHECK(adjoint_of(s, &adjoint) == AC_OK);
    const ac_functional functional = functional_of(&f, adjoint);
    CHECK(f.inputs <= INPUTS && f.n <= MOST);
    ac_status status = ac_adjoint_linearise(adjoint, &functional, &value);
    if (status == AC_OK) status = ac_adjoint_second(adjoint, &(ac_adjoint_direction){NULL, v, w}, &slope);
    if (status != AC_OK) printf("  %s, %s: %s\n", name, s->scheme, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    CHECK(ac_adjoint_run(adjoint, &functional, &run_value) == AC_OK);
    if (status == AC_OK) {
        const double *second_q = ac_adjoint_second_by_configuration(adjoint),
                     *second_v = ac_adjoint_second_by_velocity(adjoint),
                     *by_q = ac_adjoint_by_configuration(adjoint), *by_v = ac_adjoint_by_velocity(adjoint);
        CHECK_NEAR(value, run_value, 1e-12 * fabs(value));
        double whole = dot(f.n, by_q, v) + dot(f.n, by_v, w),
               parts = fabs(dot(f.n, by_q, v)) + fabs(dot(f.n, by_v, w));
        if (!(fabs(slope - whole) <= 1e-9 * parts))
            printf("  %s, %s: tangent %.12g, adjoint %.12g\n", name, s->scheme, slope, whole);
        CHECK(fabs(slope - whole) <= 1e-9 * parts);

        double exact = dot(f.n, x, second_q) + dot(f.n, y, second_v),
               near = difference(s, u, w, y, h, sizes[1], f.n, dx), size;
        exact += dot(f.n, dx, by_q);
        size = fabs(dot(f.n, x, second_q)) + fabs(dot(f.n, y, second_v)) + fabs(dot(f.n, dx, by_q));
        double bound = s->file ? 1e-6 : 1e-7;
        if (!(fabs(exact - near) <= bound * size))
            printf("  %s, %s: second derivative %.12g, differences %.12g, size %.3g\n", name, s->scheme,
                   exact, near, size);
        CHECK(fabs(exact - near) <= bound * size);

        /* symmetry, inputs included */
        int inputs = STEPS * f.inputs;
        dice_vector(&d, inputs, 1.0, du);
        dice_vector(&d, inputs, 1.0, eu);
        CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){du, v, w}, NULL) == AC_OK);
        memcpy(Hq, second_q, (size_t)f.n * sizeof *Hq);
        memcpy(Hv, second_v, (size_t)f.n * sizeof *Hv);
        memcpy(Hu, ac_adjoint_second_by_input(adjoint, 0), (size_t)inputs * sizeof *Hu);
        double one = dot(f.n, x, Hq) + dot(f.n, y, Hv) + dot(inputs, eu, Hu),
               scale = fabs(dot(f.n, x, Hq)) + fabs(dot(f.n, y, Hv)) + fabs(dot(inputs, eu, Hu));
        CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){eu, x, y}, NULL) == AC_OK);
        double other = dot(f.n, v, second_q) + dot(f.n, w, second_v) +
                       dot(inputs, du, ac_adjoint_second_by_input(adjoint, 0));
        if (!(fabs(one - other) <= 1e-10 * scale))
            printf("  %s, %s: u.Hv %.15g, v.Hu %.15g, size %.3g\n", name, s->scheme, one, other, scale);
        CHECK(fabs(one - other) <= 1e-10 * scale);
    }
    ac_adjoint_free(adjoint);
    close(s);
}

static const char *const schemes[] = {"midpoint", "trapezoidal"};

TEST(every_mechanism_has_second_derivatives)
{
    for (int k = 0; k < mechanism_count; ++k)
        for (int e = 0; e < 2; ++e) check(&(subject){.m = &mechanisms[k], .scheme = schemes[e]});
}

#define SOFT(more)                                            \
    "gravity: [0, 0, -9.81]\n"                                \
    "beams:\n"                                                \
    "  strip:\n"                                              \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"        \
    "    d1: [0, 0, 1]\n"                                     \
    "    section: {rectangle: {width: 4 cm, height: 5 cm}}\n" \
    "    material: {young: 1e5, poisson: 0.3, density: 1000}\n" more

TEST(beams_have_second_derivatives)
{
    static const char *const texts[] = {
        SOFT("    elements: 4\n    damping: 0.01\n"
             "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: 2}\n"
             "simulate: {step: 1 ms, steps: 1}\n"),
        SOFT("    elements: 2\n    order: 2\n"
             "joints:\n  - {spherical: [ground, strip.start]}\n"
             "simulate: {step: 1 ms, steps: 1}\n"),
        SOFT("    elements: 4\n    model: vertex\n"
             "joints:\n  - {fixed: [ground, strip.start]}\n"
             "simulate: {step: 1 ms, steps: 1}\n"),
        SOFT("    elements: 3\n"
             "bodies:\n  rod: {solid: {rod: {length: 1, mass: 1}}, position: [1, 0, -1], rotation: {axis: "
             "[0, 1, 0], angle: -90 deg}}\n"
             "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0]}\n"
             "  - {revolute: [strip.end, rod], at: {rod: end}, axis: [0, 1, 0]}\n"
             "  - {revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0]}\n"
             "simulate: {step: 1 ms, steps: 1}\n"),
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
        check(&(subject){.file = texts[k], .scheme = "midpoint", .h = 1e-3});
}

/* What has none is refused with the reason. */
TEST(refusals_name_their_reason)
{
    subject s = {.m = mechanism_named("mixed chain"), .scheme = "energy-momentum"};
    functional_data f;
    ac_adjoint *adjoint = NULL;
    rig *r = open(&s);
    CHECK(adjoint_of(&s, &adjoint) == AC_OK);
    ac_functional functional = functional_of(&f, adjoint);
    double value;
    CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){0}, NULL) == AC_BAD_INPUT);
    CHECK(ac_adjoint_linearise(adjoint, &functional, &value) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r->ctx), "energy-momentum") != NULL);
    ac_adjoint_free(adjoint);
    s.scheme = "midpoint";
    CHECK(adjoint_of(&s, &adjoint) == AC_OK);
    functional.node_along = NULL;
    CHECK(ac_adjoint_linearise(adjoint, &functional, &value) == AC_OK);
    CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){0}, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r->ctx), "no second derivatives") != NULL);
    ac_adjoint_free(adjoint);
    close(&s);
}

RUN_TESTS(CASE(every_mechanism_has_second_derivatives), CASE(beams_have_second_derivatives),
          CASE(refusals_name_their_reason))
