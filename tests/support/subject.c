/* What the adjoint is tested with. */
#include "support/subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/momentum.h"
#include "model/joint_rows.h"
#include "problem/build/build.h"
#include "test.h"

/* --- a pair of bodies for every joint --- */

static void draw_pair(rig *r, ac_joint_type type)
{
    dice d = {31};
    static const double origin[3] = {0, 0, 0}, first[3] = {0.5, 0.1, 0}, knee[3] = {0.9, 0.2, 0.1},
                        second[3] = {1.4, 0.1, 0.3}, axis[3] = {0.3, 1, 0.2};
    double turned[2][9];
    for (int k = 0; k < 2; ++k) dice_rotation(&d, turned[k]);
    rig_gravity(r, 0.5, 0, -9.81);
    int a = rig_odd_body(r, "first", &d, first, turned[0], false);
    int b = rig_odd_body(r, "second", &d, second, turned[1], false);
    rig_joint(r, "shoulder", AC_SPHERICAL, AC_GROUND, a, origin, axis, NULL);
    if (type == AC_DISTANCE)
        rig_distance(r, "knee", a, b, knee, second);
    else
        rig_joint(r, "knee", type, a, b, knee, axis, NULL);
}

#define DRAW(type, name, about, ...)     \
    static void draw_pair_##type(rig *r) \
    {                                    \
        draw_pair(r, type);              \
    }
AC_JOINT_ROWS(DRAW)

#define PAIR(type, word, about, ...) {.name = "pair: " word, .draw = draw_pair_##type, .h = 0.005},

/* --- beams --- */

#define STRIP(material, more)                                                    \
    "gravity: [0, 0, -9.81]\n"                                                   \
    "beams:\n"                                                                   \
    "  strip:\n"                                                                 \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"                           \
    "    d1: [0, 0, 1]\n"                                                        \
    "    section: {rectangle: {width: 4 cm, height: 5 cm}}\n"                    \
    "    material: {young: 1e5, poisson: 0.3, density: 1000" material "}\n" more \
    "simulate: {step: 1 ms, steps: 1}\n"
#define VISCOUS ", shear_viscosity: 10, bulk_viscosity: 1"

#define HINGE "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0], angle_rate: 2}\n"
#define CLAMP "joints:\n  - {fixed: [ground, strip.start]}\n"
#define LOOP                                                                                         \
    "bodies:\n"                                                                                      \
    "  rod: {solid: {rod: {length: 1, mass: 1}}, position: [1, 0, -1], rotation: {axis: [0, 1, 0], " \
    "angle: -90 deg}}\n"                                                                             \
    "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0]}\n"                              \
    "  - {revolute: [strip.end, rod], at: {rod: end}, axis: [0, 1, 0]}\n"                            \
    "  - {revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0]}\n"
#define TIP                                                             \
    "bodies:\n  tip: {solid: {sphere: {radius: 4 cm, mass: 0.3}}}\n"    \
    "joints:\n  - {revolute: [ground, strip.start], axis: [0, 1, 0]}\n" \
    "  - {spherical: [strip.end, tip], at: {tip: [0, 0, 0.05]}}\n"
#define BEAM(title, material, text)                                           \
    {                                                                         \
        .name = title, .file = STRIP(material, text), .h = 1e-3, .beam = true \
    }
/* dual quaternions: trapezoidal alone, with a limit of the step */
#define DUAL(title, material, text)                                                             \
    {                                                                                           \
        .name = title, .file = STRIP(material, "    model: dual_quaternion\n" text), .h = 1e-3, \
        .beam = true, .scheme = "trapezoidal"                                                   \
    }

static const subject others[] = {
    AC_JOINT_ROWS(PAIR) /* */
    BEAM("director beam, hinged, damped", "", "    elements: 4\n    damping: 0.01\n" HINGE),
    BEAM("director beam of order 2", "",
         "    elements: 2\n    order: 2\njoints:\n  - {spherical: [ground, strip.start]}\n"),
    BEAM("director beam with a body", "", "    elements: 3\n" TIP),
    BEAM("director beam in a loop", "", "    elements: 3\n" LOOP),
    BEAM("director beam, viscous", VISCOUS, "    elements: 3\n" CLAMP),
    BEAM("free director beam", "", "    elements: 3\n"),
    BEAM("vertex rod, clamped", "", "    elements: 4\n    model: vertex\n" CLAMP),
    BEAM("edge rod, clamped", "", "    elements: 4\n    model: edge\n" CLAMP),
    DUAL("dual quaternion beam, hinged", "", "    elements: 4\n" HINGE),
    DUAL("dual quaternion beam, viscous", VISCOUS, "    elements: 3\n" CLAMP),
    DUAL("free dual quaternion beam", "", "    elements: 3\n"),
    DUAL("dual quaternion beam with a body", "", "    elements: 3\n" TIP),
};

const subject *subject_number(int k)
{
    static subject of_mechanism;
    int count = (int)(sizeof others / sizeof *others);
    if (k >= mechanism_count) return k - mechanism_count < count ? &others[k - mechanism_count] : NULL;
    of_mechanism = (subject){.name = mechanisms[k].name, .draw = mechanisms[k].draw, .h = mechanisms[k].h};
    return &of_mechanism;
}

const subject *subject_named(const char *name)
{
    const subject *s;
    for (int k = 0; (s = subject_number(k)); ++k)
        if (strcmp(s->name, name) == 0) return s;
    CHECK(!"there is such a subject");
    return subject_number(0);
}

/* Joint coordinates: open trees of bodies with gravity and springs, by the trapezoidal rule. */
static bool has_minimal(const subject *s, const char *scheme)
{
    subject x = *s;
    if (s->beam || strcmp(scheme, "trapezoidal") != 0) return false;
    const ac_system *system = subject_open(&x)->system;
    bool has = system->constraints.count == system->constraints.closure && system->load_count == 0;
    for (int k = 0; k < system->spring_count; ++k) has = has && system->springs[k].damping == 0.0;
    subject_close(&x);
    return has;
}

bool subject_has(const subject *s, const char *scheme, const char *formulation)
{
    if (strcmp(formulation, "minimal") == 0) return has_minimal(s, scheme);
    return !s->scheme || (strcmp(s->scheme, scheme) == 0 && strcmp(formulation, "reduced") == 0);
}

/* --- opening --- */

rig *subject_open(subject *s)
{
    rig *r = &s->r;
    s->problem = NULL;
    rig_open(r, NULL);
    if (s->file) {
        ac_status status = ac_problem_parse(r->ctx, s->name, s->file, strlen(s->file), NULL, 0, &s->problem);
        if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
        CHECK(status == AC_OK);
        ac_system_free(r->system);
        r->system = (ac_system *)ac_problem_system(s->problem); /* whose start is moved here */
        return r;
    }
    s->draw(r);
    ac_status status = rig_finish(r);
    if (status != AC_OK) printf("  %s: %s\n", s->name, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    return r;
}

void subject_close(subject *s)
{
    if (s->problem) s->r.system = NULL;
    ac_problem_free(s->problem);
    rig_close(&s->r);
}

ac_status subject_adjoint(subject *s, const char *scheme, const char *formulation, long steps, size_t memory,
                          ac_adjoint **adjoint)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = scheme;
    settings.formulation = formulation;
    settings.step = s->h;
    settings.steps = steps;
    return ac_adjoint_new(s->r.ctx, s->r.system, &settings, memory, adjoint);
}

void admissible(rig *r, unsigned seed, double *size, double *u, double *v)
{
    ac_legendre legendre = {0};
    double p[SUBJECT_MOST];
    dice d = {seed};
    dice_vector(&d, r->system->n, 1.0, p);
    CHECK(ac_legendre_create(r->ctx, r->system, false, &legendre) == AC_OK);
    CHECK(ac_legendre_project(&legendre, r->system->initial.q, p) == AC_OK);
    if (*size == 0.0) *size = largest_entry(r->system->n, legendre.velocity);
    for (int j = 0; u && j < r->system->tree.freedoms; ++j) u[j] = legendre.u[j] / *size;
    for (int i = 0; i < r->system->n; ++i) v[i] = legendre.velocity[i] / *size;
    ac_legendre_destroy(&legendre);
}

void move_start(rig *r, const double *u, double by)
{
    ac_system *system = r->system;
    ac_joint_state *state = malloc((size_t)system->node_count * sizeof *state);
    double step[SUBJECT_MOST];
    for (int j = 0; j < system->tree.freedoms; ++j) step[j] = by * u[j];
    ac_tree_move(system, step, system->initial.state, state, system->initial.q);
    memcpy(system->initial.state, state, (size_t)system->node_count * sizeof *state);
    free(state);
}

/* --- the functional --- */

double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

double dot_size(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += fabs(x[i] * y[i]);
    return sum;
}

void add_to(int n, double factor, const double *x, double *to)
{
    for (int i = 0; to && i < n; ++i) to[i] += factor * x[i];
}

static double weight_of(const functional_data *f, long node)
{
    return node == f->steps || node == 0 ? 1.0 : node == 4 ? 0.5 : 0.0;
}

static double at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                      double *by_p)
{
    const functional_data *f = user;
    double weight = weight_of(f, node), x = dot(f->n, f->c, q), y = dot(f->n, f->d, p);
    (void)t;
    add_to(f->n, weight * (y + x + 0.5 * x * x), f->c, by_q);
    add_to(f->n, weight * x, f->d, by_p);
    return weight * (x * y + 0.5 * x * x + x * x * x / 6.0);
}

static void at_node_along(void *user, long node, double t, const double *q, const double *p, const double *dq,
                          const double *dp, double *by_q, double *by_p)
{
    const functional_data *f = user;
    double weight = weight_of(f, node), x = dot(f->n, f->c, q), dx = dot(f->n, f->c, dq),
           dy = dot(f->n, f->d, dp);
    (void)t, (void)p;
    add_to(f->n, weight * (dy + dx + x * dx), f->c, by_q);
    add_to(f->n, weight * dx, f->d, by_p);
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
    add_to(f->n, 0.5 * by, f->c, by_a);
    add_to(f->n, 0.5 * by, f->c, by_b);
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
    add_to(f->n, 0.5 * by, f->c, by_a);
    add_to(f->n, 0.5 * by, f->c, by_b);
}

ac_functional functional_of(functional_data *f, const ac_adjoint *adjoint, long steps)
{
    dice d = {7};
    f->n = ac_adjoint_size(adjoint);
    f->inputs = ac_adjoint_inputs(adjoint);
    f->steps = steps;
    CHECK(f->n <= SUBJECT_MOST);
    dice_vector(&d, f->n, 0.5, f->c);
    dice_vector(&d, f->n, 0.5, f->d);
    return (ac_functional){f, at_node, on_interval, at_node_along, on_interval_along, .by_time = NULL};
}
