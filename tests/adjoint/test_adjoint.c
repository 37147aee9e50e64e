/* Gradients by the discrete adjoint against differences of whole runs: every mechanism, every scheme; checkpoints. */
#include "actio/adjoint.h"
#include "actio/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/momentum.h"
#include "problem/build/build.h"
#include "support/mechanisms.h"
#include "test.h"

enum { STEPS = 12, MOST = 4000 };

/* J = c . q + d . p + (c . q)^2 / 2 at the last node, half of it at the third; (c . (a + b)/2)^2 / 2 on every interval,
 * and the square of each input. */
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

static double at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                      double *by_p)
{
    const functional_data *f = user;
    (void)t;
    if (node != 3 && node != STEPS) return 0.0;
    double weight = node == 3 ? 0.5 : 1.0, y = dot(f->n, f->c, q);
    for (int i = 0; i < f->n && by_q; ++i) by_q[i] += weight * (1.0 + y) * f->c[i];
    for (int i = 0; i < f->n && by_p; ++i) by_p[i] += weight * f->d[i];
    return weight * (y + 0.5 * y * y + dot(f->n, f->d, p));
}

static double on_interval(void *user, long interval, double t, double h, const double *qa, const double *qb,
                          const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    const functional_data *f = user;
    double y = 0.5 * (dot(f->n, f->c, qa) + dot(f->n, f->c, qb)), sum = 0.5 * h * y * y;
    (void)interval, (void)t;
    for (int i = 0; i < f->n && by_a; ++i) by_a[i] += 0.5 * h * y * f->c[i];
    for (int i = 0; i < f->n && by_b; ++i) by_b[i] += 0.5 * h * y * f->c[i];
    for (int k = 0; k < f->inputs; ++k) sum += h * inputs[k] * inputs[k];
    for (int k = 0; k < f->inputs && by_inputs; ++k) by_inputs[k] += 2.0 * h * inputs[k];
    return sum;
}

static void roll(functional_data *f, int n, int inputs)
{
    dice d = {7};
    f->n = n;
    f->inputs = inputs;
    dice_vector(&d, n, 1.0, f->c);
    dice_vector(&d, n, 1.0, f->d);
}

typedef struct setting {
    const mechanism *m;
    const char *scheme, *formulation;
    size_t memory;
    const char *file; /* instead of a mechanism: the text of a problem file */
    double h;
} setting;

/* A system to be differentiated: drawn, or of a problem file. */
typedef struct subject {
    rig r;
    ac_problem *problem;
} subject;

static ac_status run(rig *r, const setting *s, functional_data *f, ac_adjoint **adjoint, double *value)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = s->scheme;
    settings.formulation = s->formulation;
    settings.step = s->file ? s->h : s->m->h;
    settings.steps = STEPS;
    ac_status status = ac_adjoint_new(r->ctx, r->system, &settings, s->memory, adjoint);
    if (status != AC_OK) return status;
    const ac_functional functional = {.user = f, .node = at_node, .interval = on_interval};
    roll(f, ac_adjoint_size(*adjoint), ac_adjoint_inputs(*adjoint));
    return ac_adjoint_run(*adjoint, &functional, value);
}

static double value_of(rig *r, const setting *s)
{
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value = NAN;
    ac_status status = run(r, s, &f, &adjoint, &value);
    if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    ac_adjoint_free(adjoint);
    return value;
}

static rig *open(subject *x, const setting *s)
{
    rig *r = &x->r;
    x->problem = NULL;
    rig_open(r, NULL);
    if (s->file) {
        ac_status status = ac_problem_parse(r->ctx, "beam", s->file, strlen(s->file), NULL, 0, &x->problem);
        if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
        CHECK(status == AC_OK);
        ac_system_free(r->system);
        r->system = (ac_system *)ac_problem_system(x->problem); /* whose start is moved here */
        return r;
    }
    s->m->draw(r);
    CHECK(rig_finish(r) == AC_OK);
    return r;
}

static void close(subject *x)
{
    if (x->problem) x->r.system = NULL;
    ac_problem_free(x->problem);
    rig_close(&x->r);
}

/* An admissible direction at the start: as tree velocities and as velocity of the coordinates. */
static void admissible(rig *r, double *u, double *v)
{
    ac_legendre legendre = {0};
    double p[MOST];
    dice d = {11};
    dice_vector(&d, r->system->n, 1.0, p);
    CHECK(ac_legendre_create(r->ctx, r->system, false, &legendre) == AC_OK);
    CHECK(ac_legendre_project(&legendre, r->system->initial.q, p) == AC_OK);
    double size = largest_entry(r->system->n, legendre.velocity);
    for (int j = 0; j < r->system->tree.freedoms; ++j) u[j] = legendre.u[j] / size;
    for (int i = 0; i < r->system->n; ++i) v[i] = legendre.velocity[i] / size;
    ac_legendre_destroy(&legendre);
}

/* The start moved along the direction. */
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

static double moved_value(const setting *s, const double *u, const double *v, double by, bool velocity)
{
    subject x;
    rig *r = open(&x, s);
    if (velocity)
        for (int i = 0; i < r->system->n; ++i) r->system->initial.v[i] += by * v[i];
    else
        move_start(r, u, by);
    double value = value_of(r, s);
    close(&x);
    return value;
}

/* Central differences with one Richardson step. */
static double difference(const setting *s, const double *u, const double *v, bool velocity)
{
    double h = velocity ? 1e-3 : s->file ? 1e-5 : 1e-4, d[2];
    for (int k = 0; k < 2; ++k) {
        double step = k == 0 ? h : 0.5 * h;
        d[k] = (moved_value(s, u, v, step, velocity) - moved_value(s, u, v, -step, velocity)) / (2.0 * step);
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void check_start(const setting *s)
{
    subject x;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double u[MOST], v[MOST], value;
    rig *r = open(&x, s);
    const char *name = s->file ? "beam" : s->m->name;
    admissible(r, u, v);
    ac_status status = run(r, s, &f, &adjoint, &value);
    if (status != AC_OK) printf("  %s, %s: %s\n", name, s->scheme, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        double by_velocity = dot(f.n, ac_adjoint_by_velocity(adjoint), v);
        double by_place = dot(f.n, ac_adjoint_by_configuration(adjoint), v);
        double velocity = difference(s, u, v, true), place = difference(s, u, v, false);
        double rounding = s->file ? 1e-6 : 1e-7; /* of differences: beams allow small steps only */
        bool good = fabs(by_velocity - velocity) <= rounding * (1e-3 + fabs(velocity)) &&
                    fabs(by_place - place) <= rounding * (1e-1 + fabs(place));
        if (!good)
            printf("  %s, %s: velocity %.12g %.12g, place %.12g %.12g\n", name, s->scheme, by_velocity,
                   velocity, by_place, place);
        CHECK(good);
    }
    ac_adjoint_free(adjoint);
    close(&x);
}

TEST(gradients_by_the_start_agree_with_differences)
{
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            check_start(&(setting){&mechanisms[k], *scheme, "reduced", 0, NULL, 0});
}

#define SOFT(more)                                            \
    "gravity: [0, 0, -9.81]\n"                                \
    "beams:\n"                                                \
    "  strip:\n"                                              \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"        \
    "    d1: [0, 0, 1]\n"                                     \
    "    section: {rectangle: {width: 4 cm, height: 5 cm}}\n" \
    "    material: {young: 1e5, poisson: 0.3, density: 1000}\n" more

/* Beams: blocks along a beam, rods, elements of order 2, damping, a loop through a beam. */
TEST(beams_have_gradients)
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
             "[0, 1, 0], angle: "
             "-90 deg}}\n"
             "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0]}\n"
             "  - {revolute: [strip.end, rod], at: {rod: end}, axis: [0, 1, 0]}\n"
             "  - {revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0]}\n"
             "simulate: {step: 1 ms, steps: 1}\n"),
    };
    static const char *const schemes[] = {"midpoint", "energy-momentum"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
        for (int e = 0; e < 2; ++e) check_start(&(setting){NULL, schemes[e], "reduced", 0, texts[k], 1e-3});
}

TEST(the_formulation_does_not_matter)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    static const char *const names[] = {"mixed chain", "four-bar in space", "spatial loop"};
    for (int k = 0; k < 3; ++k) {
        double first[MOST];
        for (int f = 0; f < 3; ++f) {
            subject x;
            functional_data data;
            ac_adjoint *adjoint = NULL;
            double value;
            setting s = {mechanism_named(names[k]), "midpoint", formulations[f], 0, NULL, 0};
            rig *r = open(&x, &s);
            CHECK(run(r, &s, &data, &adjoint, &value) == AC_OK);
            const double *by = ac_adjoint_by_velocity(adjoint);
            if (f == 0) memcpy(first, by, (size_t)data.n * sizeof *by);
            CHECK(largest_difference(data.n, by, first) <= 1e-9 * largest_entry(data.n, first));
            ac_adjoint_free(adjoint);
            close(&x);
        }
    }
}

/* A pendulum with loads of a given amplitude: a force in the world, one that follows, a torque, one in the joint. */
static double driven(const char *scheme, double amplitude, int which, double *gradient)
{
    static const char *const profile = "0.7 + sin(31*t)";
    static const double inertia[3] = {0.1, 0.2, 0.25}, along[3] = {0.5, 0, 0}, origin[3] = {0, 0, 0},
                        axis[3] = {0, 1, 0}, end[3] = {1, 0, 0};
    char text[4][64];
    rig r;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value = NAN;
    const mechanism none = {.name = "driven", .h = 0.01};
    for (int k = 0; k < 4; ++k)
        snprintf(text[k], sizeof text[k], "%.17g*(%s)", k == which ? amplitude : 1.0, profile);
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    int body = rig_body(&r, "arm", 1.0, inertia, along, NULL);
    int joint = rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, origin, axis, NULL);
    rig_rates(&r, joint, 1.0, 0, 0);
    rig_force(&r, body, end, false, text[0], NULL, NULL);
    rig_force(&r, body, end, true, NULL, NULL, text[1]);
    rig_torque(&r, body, true, NULL, text[2], NULL);
    rig_joint_load(&r, joint, 0, text[3]);
    CHECK(rig_finish(&r) == AC_OK);
    CHECK(run(&r, &(setting){&none, scheme, "reduced", 0, NULL, 0}, &f, &adjoint, &value) == AC_OK);
    if (gradient && adjoint) *gradient = ac_adjoint_by_amplitude(adjoint, which);
    ac_adjoint_free(adjoint);
    rig_close(&r);
    return value;
}

TEST(gradients_by_loads_agree_with_differences)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
        for (int which = 0; which < 4; ++which) {
            double exact = NAN, h = 1e-3;
            driven(*scheme, 1.0, which, &exact);
            double d = (driven(*scheme, 1.0 + h, which, NULL) - driven(*scheme, 1.0 - h, which, NULL)) /
                       (2.0 * h);
            double fine = (driven(*scheme, 1.0 + 0.5 * h, which, NULL) -
                           driven(*scheme, 1.0 - 0.5 * h, which, NULL)) /
                          h;
            d = (4.0 * fine - d) / 3.0;
            if (!(fabs(exact - d) <= 1e-8 * fabs(d)))
                printf("  %s, load %d: %.12g %.12g\n", *scheme, which, exact, d);
            CHECK(fabs(exact - d) <= 1e-8 * fabs(d));
        }
}

/* From the smallest memory up to all: the same gradient; every step is taken again only where it must be. */
TEST(checkpoints_change_nothing)
{
    static const size_t memories[] = {0, 1, 3000, 6000, 12000};
    double first[MOST], by_input[2] = {0.0, 0.0};
    for (int k = 0; k < 5; ++k) {
        subject x;
        functional_data f;
        ac_adjoint *adjoint = NULL;
        double value;
        setting s = {mechanism_named("sprung chain"), "midpoint", "reduced", memories[k], NULL, 0};
        rig *r = open(&x, &s);
        CHECK(run(r, &s, &f, &adjoint, &value) == AC_OK);
        const double *by = ac_adjoint_by_configuration(adjoint);
        if (k == 0) memcpy(first, by, (size_t)f.n * sizeof *by);
        CHECK(memcmp(by, first, (size_t)f.n * sizeof *by) == 0);
        CHECK(ac_adjoint_steps_taken(adjoint) >= STEPS);
        if (k == 0) CHECK(ac_adjoint_steps_taken(adjoint) == STEPS);
        if (k == 1) CHECK(ac_adjoint_steps_taken(adjoint) > STEPS);
        if (f.inputs > 0 && k == 0) by_input[0] = ac_adjoint_by_input(adjoint, 5)[0];
        if (f.inputs > 0) by_input[1] = ac_adjoint_by_input(adjoint, 5)[0];
        CHECK(by_input[0] == by_input[1]);
        ac_adjoint_free(adjoint);
        close(&x);
    }
}

RUN_TESTS(CASE(gradients_by_the_start_agree_with_differences), CASE(beams_have_gradients),
          CASE(the_formulation_does_not_matter), CASE(gradients_by_loads_agree_with_differences),
          CASE(checkpoints_change_nothing))
