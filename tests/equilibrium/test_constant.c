/* Loads that are constant beside one that grows: self weight first, then the load that is followed. */
#include <stdlib.h>

#include "actio/actio.h"
#include "equilibrium/solver.h"
#include "problem/build/build.h"
#include "test.h"

enum { MOST = 2000 };

typedef struct outcome {
    ac_status status;
    ac_equilibrium_point first, last, level;
    int points, limits;
    double limit, second; /* load factors of the first two limit points */
    double q[MOST], q_first[MOST], q_level[MOST];
    int n;
    double tip_slope[3]; /* d position of the last node / d factor at the first point of a path */
    double force;        /* size of the first load as recorded at the first point */
    char message[512];
} outcome;

static double recorded_force(ac_equilibrium *e)
{
    int count, width = 0, at = -1;
    const ac_channel *channels = ac_equilibrium_channels(e, &count);
    for (int c = 0; c < count; width += channels[c++].width)
        if (strncmp(channels[c].name, "load/", 5) == 0 && strstr(channels[c].name, "/force") && at < 0)
            at = width;
    if (at < 0) return NAN;
    double *row = calloc((size_t)width, sizeof *row);
    ac_equilibrium_row(e, row);
    double force = sqrt(row[at] * row[at] + row[at + 1] * row[at + 1] + row[at + 2] * row[at + 2]);
    free(row);
    return force;
}

static void note(outcome *o, ac_equilibrium *e)
{
    const ac_equilibrium_point *p = ac_equilibrium_at(e);
    size_t bytes = (size_t)e->system->n * sizeof *o->q;
    CHECK(e->system->n <= MOST);
    o->n = e->system->n;
    if (o->points++ == 0) {
        const double *tangent = e->now.tangent + e->system->nodes[e->system->node_count - 1].u;
        o->first = *p;
        o->force = recorded_force(e);
        memcpy(o->q_first, ac_equilibrium_configuration(e), bytes);
        for (int i = 0; i < 3 && e->settings.follow; ++i)
            o->tip_slope[i] = tangent[i] / e->now.tangent_factor;
    }
    if (p->event == AC_EVENT_LEVEL) {
        o->level = *p;
        memcpy(o->q_level, ac_equilibrium_configuration(e), bytes);
    }
    if (p->event == AC_EVENT_LIMIT && o->limits < 2) *(o->limits == 0 ? &o->limit : &o->second) = p->factor;
    if (p->event == AC_EVENT_LIMIT) ++o->limits;
    o->last = *p;
    memcpy(o->q, ac_equilibrium_configuration(e), bytes);
}

static void solve(const char *text, const char *one, const char *two, outcome *o)
{
    const char *const settings[2] = {one, two};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *e = NULL;
    *o = (outcome){0};
    o->status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, one ? two ? 2 : 1 : 0,
                                 &problem);
    if (o->status == AC_OK)
        o->status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &e);
    for (bool done = false; o->status == AC_OK && !done;) {
        o->status = ac_equilibrium_next(e, &done);
        if (o->status == AC_OK && !done) note(o, e);
    }
    snprintf(o->message, sizeof o->message, "%s", o->status == AC_OK ? "" : ac_context_message(ctx));
    if (o->status != AC_OK) printf("%s\n", o->message);
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static double distance(const outcome *a, const double *qa, const double *qb)
{
    double most = 0.0;
    for (int i = 0; i < a->n; ++i) most = fmax(most, fabs(qa[i] - qb[i]));
    return most;
}

/* Weight, a follower force and a torque act all the time; the force at the tip grows. */
#define CANTILEVER(constant, task)                                                     \
    "title: t\n"                                                                       \
    "parameters: {p: 1}\n"                                                             \
    "gravity: [0, 0, -9.81]\n"                                                         \
    "beams:\n"                                                                         \
    "  b:\n"                                                                           \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"                                 \
    "    d1: [0, 0, 1]\n"                                                              \
    "    elements: 12\n"                                                               \
    "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [20, 20], torsion: 20}\n" \
    "    inertia: {mass: 3, rotary: [1e-3, 1e-3]}\n"                                   \
    "joints: [{fixed: [ground, b.start]}]\n"                                           \
    "loads:\n"                                                                         \
    "  - {force: [4, 3, 0], on: b.middle, frame: body" constant "}\n"                  \
    "  - {torque: [2, 0, 1], on: \"b[4]\"" constant "}\n"                              \
    "  - {force: [0, =20*p, =12*p], on: b.end}\n" task

#define ALL ", constant: true"

static const char TOGETHER[] = CANTILEVER("", "equilibrium: {steps: 4, tolerance: 1e-12}\n");
static const char AFTER[] = CANTILEVER(ALL,
                                       "equilibrium: {steps: 3, constant_gravity: true, tolerance: 1e-12}\n");
static const char PATH[] = CANTILEVER(ALL, "equilibrium: {constant_gravity: true, tolerance: 1e-12,\n"
                                           "              path: {step: 0.05, points: 25, levels: [1]}}\n");

TEST(constant_and_growing_loads_end_where_all_loads_together_do)
{
    static outcome together, after, path;
    solve(TOGETHER, NULL, NULL, &together);
    solve(AFTER, NULL, NULL, &after);
    solve(PATH, NULL, NULL, &path);
    CHECK(together.status == AC_OK && after.status == AC_OK && path.status == AC_OK);
    CHECK(distance(&together, together.q, after.q) < 1e-9);
    CHECK(distance(&together, together.q, path.q_level) < 1e-9);
    CHECK_NEAR(after.last.energy, together.last.energy, 1e-9);
    CHECK_NEAR(path.level.energy, together.last.energy, 1e-9);
    CHECK_NEAR(path.level.factor, 1.0, 1e-9);
}

TEST(the_path_begins_with_the_constant_loads_alone)
{
    static outcome alone, path;
    solve(TOGETHER, "parameters.p=0", NULL, &alone);
    solve(PATH, NULL, NULL, &path);
    CHECK(alone.status == AC_OK && path.status == AC_OK);
    CHECK_NEAR(path.first.factor, 0.0, 0.0);
    CHECK(distance(&alone, alone.q, path.q_first) < 1e-9);
    CHECK_NEAR(path.first.energy, alone.last.energy, 1e-9);
    CHECK_NEAR(path.force, 5.0, 1e-12); /* recorded in full although the factor is zero */
}

/* The tangent of the path, d q / d factor, against the states with a little more and less of the growing
 * load. */
TEST(the_slope_by_the_load_factor_is_exact)
{
    static outcome path, more, less;
    solve(PATH, NULL, NULL, &path);
    solve(AFTER, "parameters.p=1e-4", NULL, &more);
    solve(AFTER, "parameters.p=-1e-4", NULL, &less);
    CHECK(path.status == AC_OK && more.status == AC_OK && less.status == AC_OK);
    const double *a = more.q + more.n - 12, *b = less.q + less.n - 12; /* the last node */
    for (int i = 0; i < 3; ++i) {
        double slope = (a[i] - b[i]) / 2e-4;
        CHECK_NEAR(path.tip_slope[i], slope, 1e-6);
    }
    CHECK(fabs(path.tip_slope[1]) > 0.01);
}

/* Weight that bends the rod far down: not found at once from the straight drawing, but in steps. */
TEST(heavy_constant_loads_are_reached_in_steps)
{
    static const char rod[] =
        "title: t\n"
        "parameters: {w: 150}\n"
        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  b:\n"
        "    straight: {from: [0, 0, 0], to: [1, 0, 0.2]}\n"
        "    d1: [0, 1, 0]\n"
        "    elements: 30\n"
        "    stiffness: {shear: [1e5, 1e5], axial: 1e5, bending: [1, 1], torsion: 1}\n"
        "    inertia: {mass: =w/9.81, rotary: [1e-3, 1e-3]}\n"
        "joints: [{fixed: [ground, b.start]}]\n"
        "loads: [{force: [-1, 0, 0], on: b.end}]\n"
        "equilibrium: {constant_gravity: true, tolerance: 1e-11, path: {step: 0.02, points: 3}}\n";
    static outcome path, slowly;
    char other[2000];
    snprintf(other, sizeof other, "%.*s", (int)(strstr(rod, "loads:") - rod), rod);
    strcat(other, "equilibrium: {steps: 100, tolerance: 1e-11}\n");
    solve(rod, NULL, NULL, &path);
    solve(other, NULL, NULL, &slowly);
    CHECK(path.status == AC_OK && slowly.status == AC_OK);
    CHECK(slowly.q[slowly.n - 10] < -0.5); /* hangs */
    CHECK(distance(&slowly, slowly.q, path.q_first) < 1e-8);
    CHECK(path.first.negative == 0);
}

static const char ARCH[] =
    "title: arch\n"
    "parameters: {p: 1}\n"
    "gravity: [0, 0, -1]\n"
    "beams:\n"
    "  b:\n"
    "    arc: {from: [-1, 0, 0], centre: [0, 0, -2], axis: [0, 1, 0], angle: =2*atan(0.5)}\n"
    "    d1: [0, 1, 0]\n"
    "    elements: 20\n"
    "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 100], torsion: 100}\n"
    "    inertia: {mass: 0.7, rotary: [1e-3, 1e-3]}\n"
    "joints:\n"
    "  - {revolute: [ground, b.start], axis: [0, 1, 0]}\n"
    "  - {revolute: [ground, b.end], axis: [0, 1, 0]}\n"
    "loads:\n"
    "  - {force: [=0.05*p, 0, =-p], on: b.middle, constant: false}\n"
    "equilibrium: {constant_gravity: true, path: {step: 0.02, points: 25}}\n";

/* The limit of the force under the dead weight is a point of the plane of both loads. Reached the other
 * way, with that force constant and the weight growing, the limit is at the full weight. */
TEST(the_limit_of_an_arch_does_not_depend_on_which_load_comes_first)
{
    static outcome force, light, weight;
    char text[2000], setting[64];
    solve(ARCH, NULL, NULL, &force);
    CHECK(force.status == AC_OK && force.limits >= 1);
    solve(ARCH, "gravity=[0, 0, 0]", NULL, &light);
    CHECK(light.status == AC_OK && light.limits >= 1);
    CHECK(light.limit > force.limit + 0.1); /* the weight takes its part */
    snprintf(text, sizeof text, "%s", ARCH);
    memcpy(strstr(text, "constant: false"), "constant: true ", 15);
    snprintf(setting, sizeof setting, "parameters.p=%.15g", force.limit);
    solve(text, setting, "equilibrium.constant_gravity=false", &weight);
    CHECK(weight.status == AC_OK && weight.limits >= 1);
    CHECK_NEAR(weight.limit, 1.0, 1e-5);
}

/* With weight and force growing together the path of this arch comes close to another one. Longer steps
 * must not go over to it. */
TEST(a_long_step_does_not_leave_the_path_for_another_one)
{
    static const char arch[] =
        "gravity: [0, 0, -10]\n"
        "beams:\n"
        "  b:\n"
        "    arc: {from: [-1, 0, 0], centre: [0, 0, -2], axis: [0, 1, 0], angle: =2*atan(0.5)}\n"
        "    d1: [0, 1, 0]\n"
        "    elements: 20\n"
        "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 100], torsion: 100}\n"
        "    inertia: {mass: 0.075, rotary: [1e-4, 1e-4]}\n"
        "joints:\n"
        "  - {revolute: [ground, b.start], axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, b.end], axis: [0, 1, 0]}\n"
        "loads:\n"
        "  - {force: [0, 0, -1], on: b.middle}\n"
        "  - {force: [0.1, 0, 0], on: b.middle, constant: true}\n"
        "equilibrium: {path: {step: 0.05, points: 60}}\n";
    static const char *const steps[] = {"equilibrium.path.step=0.05", "equilibrium.path.step=0.03"};
    static outcome path;
    for (int k = 0; k < 2; ++k) {
        solve(arch, steps[k], "equilibrium.path.points=90", &path);
        CHECK(path.status == AC_OK && path.limits >= 2);
        CHECK_NEAR(path.limit, 2.64909605, 1e-7);
        CHECK_NEAR(path.second, -4.26112727, 1e-7);
    }
}

/* Constant weight brings a hanging rod to rest that a load could only push round before. */
TEST(a_rod_on_a_ball_joint_hangs_before_it_is_pulled)
{
    static const char text[] = "title: t\n"
                               "gravity: [0, 0, -9.81]\n"
                               "beams:\n"
                               "  b:\n"
                               "    straight: {from: [0, 0, 0], to: [0.6, 0, -0.8]}\n"
                               "    elements: 10\n"
                               "    section: {circle: {radius: 1 cm}}\n"
                               "    material: {young: 100 MPa, density: 1100}\n"
                               "joints: [{spherical: [ground, b.start]}]\n"
                               "loads: [{force: [0, 1, 0], on: b.end}]\n"
                               "equilibrium: {constant_gravity: true, path: {step: 0.1, points: 6}}\n";
    static outcome path;
    solve(text, NULL, NULL, &path);
    CHECK(path.status == AC_OK);
    CHECK_NEAR(path.q_first[path.n - 12], 0.0, 1e-6);
    CHECK_NEAR(path.q_first[path.n - 10], -1.0, 1e-3);
    CHECK(path.first.neutral == 1 && path.last.neutral == 1); /* it spins about its own axis */
    /* a rigid rod would lean by the force over half the weight; this one bends a little beyond */
    double rigid = path.last.factor / (0.5 * 1100 * 3.14159265358979323846e-4 * 9.81);
    double lean = path.q[path.n - 11] / -path.q[path.n - 10];
    CHECK(lean > rigid && lean < 1.1 * rigid);
}

/* A hinged rod that swings down under its weight and a torque about the hinge, or on its end: whether the
 * torque is there from the beginning or grows does not matter. */
TEST(a_torque_on_a_hinged_rod_ends_where_it_does_when_it_grows)
{
    static const char text[] = "gravity: [0, 0, -9.81]\n"
                               "beams:\n"
                               "  b:\n"
                               "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
                               "    elements: 20\n"
                               "    section: {circle: {radius: 1 cm}}\n"
                               "    material: {young: 10 MPa, poisson: 0.5, density: 1100}\n"
                               "joints: [{revolute: [ground, b.start], axis: [0, 1, 0]}]\n"
                               "loads: [{torque: [0, 0.3, 0], on: b.end, constant: true}]\n"
                               "equilibrium: {constant_gravity: true, steps: 2}\n";
    static const char *const places[] = {"loads.0.on=b.start", "loads.0.on=b.end"};
    static outcome constant, growing;
    for (int k = 0; k < 2; ++k) {
        solve(text, places[k], NULL, &constant);
        solve(text, places[k], "loads.0.constant=false", &growing);
        CHECK(constant.status == AC_OK && growing.status == AC_OK);
        CHECK(constant.last.energy < -1.0);
        CHECK_NEAR(constant.last.energy, growing.last.energy, 1e-9);
    }
}

TEST(constant_belongs_to_systems_at_rest)
{
    static outcome bad;
    solve("title: t\npoints: {a: {mass: 1, position: [0, 0, 0]}}\n"
          "loads:\n  - {force: [1, 0, 0], on: a, constant: true}\n"
          "simulate: {step: 1 ms, steps: 1}\n",
          NULL, NULL, &bad);
    CHECK(bad.status == AC_BAD_INPUT);
    CHECK(strstr(bad.message, "f.yaml:4:31: 'constant' belongs to the tasks equilibrium and modes") != NULL);
}

RUN_TESTS(CASE(constant_and_growing_loads_end_where_all_loads_together_do),
          CASE(the_path_begins_with_the_constant_loads_alone), CASE(the_slope_by_the_load_factor_is_exact),
          CASE(heavy_constant_loads_are_reached_in_steps),
          CASE(the_limit_of_an_arch_does_not_depend_on_which_load_comes_first),
          CASE(a_long_step_does_not_leave_the_path_for_another_one),
          CASE(a_rod_on_a_ball_joint_hangs_before_it_is_pulled),
          CASE(a_torque_on_a_hinged_rod_ends_where_it_does_when_it_grows),
          CASE(constant_belongs_to_systems_at_rest))
