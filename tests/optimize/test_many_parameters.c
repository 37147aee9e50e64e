/* Any number of free parameters: derivatives with twenty and forty of them, a place that depends on all, an optimum that
 * is known in closed form. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "problem/build/build.h"
#include "test.h"

enum { MOST = 40, TEXT = 4000 };

static ac_context *ctx;
static const double PI = 3.14159265358979323846;

static void must(ac_status status, const char *what)
{
    if (status != AC_OK) printf("%s: %s\n", what, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

/* A chain of bodies, the last one on a spring and under a force. */
static ac_system *chain(int bodies)
{
    ac_system *system = NULL;
    const double gravity[3] = {0, 0, -9.81};
    if (!ctx) ctx = ac_context_new(NULL);
    must(ac_system_new(ctx, &system), "new");
    must(ac_system_set_gravity(system, gravity), "gravity");
    for (int k = 0; k < bodies; ++k) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        ac_body b = {.name = name, .mass = 1, .inertia = {0.1, 0.1, 0.02, 0, 0, 0}};
        b.pose = ac_pose_identity();
        must(ac_system_add_body(system, &b, NULL), name);
    }
    for (int k = 0; k < bodies; ++k) {
        static const double across[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0}; /* turns about y */
        char name[16];
        snprintf(name, sizeof name, "j%d", k);
        ac_joint j = {.name = name, .type = AC_REVOLUTE, .a = k == 0 ? AC_GROUND : k - 1, .b = k};
        j.frame_a = j.frame_b = ac_pose_identity();
        for (int i = 0; i < 9; ++i) j.frame_a.rotation[i] = j.frame_b.rotation[i] = across[i];
        j.frame_a.position[2] = k == 0 ? 0.0 : -0.5;
        j.frame_b.position[2] = 0.5;
        j.has_coordinates = true;
        j.coordinates[0] = 0.05;
        must(ac_system_add_joint(system, &j, NULL), name);
    }
    ac_spring s = {.name = "s",
                   .a = {AC_GROUND, {2, 0, 1}},
                   .b = {bodies - 1, {0.1, 0, 0}},
                   .stiffness = 3,
                   .damping = 0.4,
                   .length = 0.5};
    must(ac_system_add_spring(system, &s), "spring");
    ac_load force = {.name = "f", .type = AC_LOAD_FORCE, .point = {bodies - 1, {0.2, 0, 0}}};
    must(ac_signal_constant(ctx, 0.4, &force.value[0]), "signal");
    must(ac_system_add_load(system, &force), "load");
    must(ac_system_finish(system, NULL), "finish");
    return system;
}

/* "1 + 0.01*(p0 - 1)*1 + ..": one at the start, different in every parameter */
static void write_sum(int count, double value, bool curved, char text[TEXT])
{
    int used = snprintf(text, TEXT, "%.17g", value);
    for (int k = 0; k < count; ++k) {
        used += snprintf(text + used, (size_t)(TEXT - used), "+%g*(p%d-1)%s", 0.01 * (1 + k % 7), k,
                         curved ? "^2" : "");
        if (curved && k > 0)
            used += snprintf(text + used, (size_t)(TEXT - used), "+0.01*(p%d-1)*(p%d-1)", k, k - 1);
    }
}

static void depend(ac_optimization *o, ac_datum datum, int object, int side, int component, const char *text)
{
    const ac_dependence d = {datum, object, side, component, text};
    must(ac_optimization_add_dependence(o, &d, NULL, NULL), text);
}

/* Lengths, masses, inertias and centres of mass; one place, stiffness, load and quantity depend on all. */
static ac_optimization *many(const ac_system *system, int count, const char *formulation, bool free_time)
{
    static const char *const none[3] = {NULL, NULL, NULL};
    char text[TEXT], curved[TEXT];
    int bodies = count / 4;
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.intervals = 2;
    s.duration = 0.3;
    s.free_duration = free_time;
    s.least_duration = 0.1;
    s.most_duration = 1.0;
    must(ac_optimization_new(ctx, system, &s, &o), "new");
    for (int k = 0; k < count; ++k) {
        char name[16];
        snprintf(name, sizeof name, "p%d", k);
        must(ac_optimization_add_parameter(o, &(ac_parameter){name, 1.0, 0.5, 2.0}), name);
    }
    for (int k = 0; k < bodies; ++k) {
        snprintf(text, sizeof text, "-0.5*p%d", 4 * k);
        if (k + 1 < bodies) depend(o, AC_DATUM_JOINT_PLACE, k + 1, 0, 2, text);
        snprintf(text, sizeof text, "p%d*p%d", 4 * k + 1, 4 * k);
        depend(o, AC_DATUM_MASS, k, 0, 0, text);
        snprintf(text, sizeof text, "0.1*p%d*p%d^2", 4 * k + 2, 4 * k);
        depend(o, AC_DATUM_INERTIA, k, 0, 1, text);
        snprintf(text, sizeof text, "0.1*(p%d-1)", 4 * k + 3);
        depend(o, AC_DATUM_CENTRE, k, 0, 0, text);
    }
    write_sum(count, 0.5, true, curved);
    depend(o, AC_DATUM_JOINT_PLACE, 1, 1, 2, curved);
    write_sum(count, 0.1, true, text);
    depend(o, AC_DATUM_SPRING_PLACE, 0, 1, 0, text);
    write_sum(count, 3.0, true, text);
    depend(o, AC_DATUM_STIFFNESS, 0, 0, 0, text);
    write_sum(count, 0.4, true, text);
    depend(o, AC_DATUM_LOAD, 0, 0, 0, text);
    ac_control u = {
        .name = "u", .type = AC_LOAD_JOINT, .low = -50, .high = 50, .rate = INFINITY, .guess = 0.3};
    must(ac_optimization_add_control(o, &u), "u");
    write_sum(count, 0.3, true, text);
    ac_quantity x = {.name = "x",
                     .type = AC_QUANTITY_POINT,
                     .point = {bodies - 1, {0.3, 0, 0}},
                     .direction = {0.6, 0, 0.8}};
    for (int c = 0; c < 3; ++c) x.place_expression[0][c] = c == 0 ? text : none[c];
    must(ac_optimization_add_quantity(o, &x), "x");
    ac_condition at_end = {.expression = "x*p1 - x_rate*p0", .place = AC_AT_END, .low = -1e3, .high = 1e3};
    must(ac_optimization_add_condition(o, &at_end, NULL, NULL), "end");
    write_sum(count, 0.0, true, text);
    ac_condition all = {.expression = text, .place = AC_AT_START, .low = -1e3, .high = 1e3};
    must(ac_optimization_add_condition(o, &all, NULL, NULL), "all");
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0},
                 energy = {.type = AC_OBJECTIVE_ENERGY, .weight = 0.1},
                 running = {.type = AC_OBJECTIVE_RUNNING, .weight = 1.0, .expression = "(x - p3)^2"};
    must(ac_optimization_add_objective(o, &effort, NULL, NULL), "effort");
    must(ac_optimization_add_objective(o, &energy, NULL, NULL), "energy");
    must(ac_optimization_add_objective(o, &running, NULL, NULL), "running");
    return o;
}

TEST(twenty_and_forty_parameters_have_exact_derivatives)
{
    static const char *const words[] = {"reduced", "multipliers"};
    for (int count = 20; count <= MOST; count += 20) {
        ac_system *system = chain(count / 4);
        for (int w = 0; w < (count == 20 ? 2 : 1); ++w) {
            ac_optimization *o = many(system, count, words[w], w == 0);
            double differences[3] = {NAN, NAN, NAN};
            int dependent;
            char name[128];
            CHECK(ac_optimization_parameters(o) == count);
            ac_optimization_disturb(o, 7, 0.2);
            must(ac_optimization_check(o, differences, &dependent, name), "check");
            CHECK_NEAR(differences[0], 0.0, 2e-6);
            CHECK_NEAR(differences[1], 0.0, 2e-6);
            CHECK_NEAR(differences[2], 0.0, 3e-5);
            ac_optimization_free(o);
        }
        ac_system_free(system);
    }
}

/* A datum has derivatives by what it depends on and no more. */
TEST(jets_are_as_large_as_what_a_datum_depends_on)
{
    ac_system *system = chain(MOST / 4);
    ac_optimization *o = many(system, MOST, "reduced", false);
    const ac_variation *v = &o->description.variation;
    must(ac_optimization_prepare(o), "prepare");
    for (int k = 0; k < v->inertia.count; ++k) CHECK(v->inertia.entries[k].jet.count <= 2);
    for (int j = 2; j < v->given->joint_count; ++j)
        for (int c = 0; c < 6; ++c) CHECK(v->joint_place[6 * j + c].count <= 1);
    CHECK(v->joint_place[6 + 5].count == MOST);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* Forty oscillators must turn over in the same time without any force. With the midpoint rule each needs
 * k = 4 m/h^2 tan^2(pi/2N). */
TEST(forty_stiffnesses_are_found_together)
{
    enum { N = 10 };
    static char text[20000];
    size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    ADD("title: Oscillators\nparameters:\n");
    for (int k = 0; k < MOST; ++k) ADD("  k%d: 8\n", k);
    ADD("points:\n");
    for (int k = 0; k < MOST; ++k) ADD("  p%d: {mass: %g, position: [1, %d]}\n", k, 1.0 + 0.05 * k, k);
    ADD("  pushed: {mass: 1, position: [0, -1]}\nsprings:\n");
    for (int k = 0; k < MOST; ++k)
        ADD("  - {between: [ground, p%d], at: {ground: [0, %d]}, stiffness: =k%d, length: 0}\n", k, k, k);
    ADD("optimize:\n  intervals: %d\n  duration: 1 s\n  parameters:\n", N);
    for (int k = 0; k < MOST; ++k) ADD("    k%d: {from: 1, to: 60}\n", k);
    ADD("  controls:\n    - {force: pushed, component: x, name: u}\n  objective: [{effort: 1}]\n");
    ADD("  quantities:\n");
    for (int k = 0; k < MOST; ++k) ADD("    x%d: {of: p%d, point: centre, along: x}\n", k, k);
    ADD("  conditions:\n");
    for (int k = 0; k < MOST; ++k) ADD("    - {expression: x%d, equals: -1, at: end}\n", k);
    ac_problem *problem = NULL;
    ac_summary summary = {0};
    if (!ctx) ctx = ac_context_new(NULL);
    must(ac_problem_parse(ctx, "oscillators", text, used, NULL, 0, &problem), "read");
    if (problem) must(ac_run(ctx, problem, NULL, NULL, NULL, &summary), "run");
    ac_optimization *o = problem ? ac_problem_optimization(problem) : NULL;
    double h = 1.0 / N, root = tan(PI / (2.0 * N));
    CHECK(o && ac_optimization_parameters(o) == MOST);
    for (int k = 0; o && k < MOST; ++k)
        CHECK_NEAR(ac_optimization_parameter_value(o, k), 4.0 * (1.0 + 0.05 * k) / (h * h) * root * root,
                   1e-6);
    ac_problem_free(problem);
}

/* Mass, centre, inertia and points of several solids together; the limits are those of actio check. */
TEST(several_solids_have_exact_derivatives)
{
    static const char text[] =
        "parameters: {l: 0.8, r: 0.05, x: 0.1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  a:\n"
        "    solids:\n"
        "      - {name: bar, cylinder: {length: =l, radius: =r, density: 700}, position: [=x, 0, 0]}\n"
        "      - {box: {size: [=l, 0.1, 0.1], mass: 2}, rotation: [0.2, 0.3, 0.1]}\n"
        "      - {tetrahedron: {corners: [[0, 0, =x], [=l, 0, 0], [0, 0.6, 0], [0, 0, 0.7]], density: 30}}\n"
        "joints: [{name: pin, revolute: [ground, a], at: {a: bar.end}, axis: [0, 1, 0], angle: 0.3}]\n"
        "optimize:\n"
        "  duration: 0.5\n"
        "  intervals: 4\n"
        "  parameters: {l: {from: 0.5, to: 1}, r: {from: 0.02, to: 0.1}, x: {from: 0.05, to: 0.3}}\n"
        "  controls: [{name: u, joint: pin}]\n"
        "  conditions: [{joint: pin, at: end, equals: 1.0}]\n"
        "  objective: [{effort: 1}, {end: (l - 0.7)^2 + (x - 0.2)^2}]\n";
    ac_problem *problem = NULL;
    double differences[3] = {1.0, 1.0, 1.0};
    char dependent[128];
    int count;
    if (!ctx) ctx = ac_context_new(NULL);
    must(ac_problem_parse(ctx, "solids", text, strlen(text), NULL, 0, &problem), "read");
    if (problem)
        must(ac_optimization_check(ac_problem_optimization(problem), differences, &count, dependent),
             "check");
    for (int k = 0; k < 3; ++k) CHECK(differences[k] < 1e-6);
    ac_problem_free(problem);
}

RUN_TESTS(CASE(several_solids_have_exact_derivatives),
          CASE(twenty_and_forty_parameters_have_exact_derivatives),
          CASE(jets_are_as_large_as_what_a_datum_depends_on), CASE(forty_stiffnesses_are_found_together))
