/* Values of parameters on a finished system: the same system as that of the file read again with the parameter set,
 * for all examples; every kind of datum; refusals; no allocation. */
#include <glob.h>
#include <stdlib.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "problem/build/values.h"
#include "problem/certify/certify.h"
#include "support/memory.h"
#include "test.h"

static ac_problem *parse(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_status status = ac_problem_parse(ctx, "text", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static ac_problem *read_at(const ac_problem *problem, const char *name, double value)
{
    char setting[160];
    ac_problem *other = NULL;
    snprintf(setting, sizeof setting, "parameters.%s=%.17g", name, value);
    return ac_problem_variation(problem, setting, &other) == AC_OK ? other : NULL;
}

/* Both systems move alike. */
static void compare_motions(ac_context *ctx, const ac_problem *problem, const ac_system *a,
                            ac_simulation *restarted)
{
    ac_simulation *fresh = NULL;
    int n = ac_system_sizes(a).coordinates;
    CHECK(ac_simulation_new(ctx, a, ac_problem_simulation(problem), &fresh) == AC_OK);
    CHECK(ac_simulation_restart(restarted) == AC_OK);
    for (int k = 0; fresh && k < 8; ++k) {
        if (ac_simulation_step(fresh) != AC_OK) break;
        CHECK(ac_simulation_step(restarted) == AC_OK);
        double most = 0.0, size = 1.0;
        for (int i = 0; i < n; ++i) {
            size = fmax(size, fabs(ac_simulation_configuration(fresh)[i]));
            most = fmax(most, fabs(ac_simulation_configuration(fresh)[i] -
                                   ac_simulation_configuration(restarted)[i]));
        }
        CHECK(most <= 1e-9 * size);
    }
    ac_simulation_free(fresh);
}

/* Sets the parameter to a few values; returns whether it can be set at all. */
static bool try_parameter(ac_context *ctx, const ac_problem *problem, const char *name)
{
    static const double factors[] = {1.01, 0.97, 1.03};
    ac_values *values = NULL;
    ac_simulation *simulation = NULL;
    int failed = test_failures;
    if (ac_values_new(ctx, problem, &name, 1, &values) != AC_OK) return false;
    double start = ac_values_numbers(values)[0];
    bool moves = strcmp(ac_problem_task(problem), "simulate") == 0 && ac_values_system(values)->n < 400;
    if (moves)
        CHECK(ac_simulation_new(ctx, ac_values_system(values), ac_problem_simulation(problem), &simulation) ==
              AC_OK);
    for (int k = 0; k < 3; ++k) {
        double there = start == 0.0 ? 0.01 * (k + 1) : start * factors[k];
        ac_problem *other = read_at(problem, name, there);
        if (!other) continue;
        ac_status status = ac_values_set(values, &there);
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        const char *difference = ac_system_difference(ac_problem_system(other), ac_values_system(values));
        if (difference) printf("differs in %s\n", difference);
        CHECK(!difference);
        if (simulation) compare_motions(ctx, problem, ac_problem_system(other), simulation);
        ac_problem_free(other);
    }
    if (test_failures > failed) printf("  %s: %s\n", ac_problem_title(problem), name);
    ac_simulation_free(simulation);
    ac_values_free(values);
    return true;
}

static int try_all(ac_context *ctx, const ac_problem *problem)
{
    ac_builder b;
    ac_system *system = NULL;
    int accepted = 0;
    ac_builder_begin(&b, ctx);
    CHECK(ac_problem_describe(problem, &b, &system) == AC_OK);
    for (const ac_value *p = b.root.parameters ? b.root.parameters->first : NULL; p; p = p->next)
        accepted += try_parameter(ctx, problem, p->key);
    ac_system_free(system);
    ac_builder_end(&b);
    return accepted;
}

TEST(examples_agree_with_reading_again)
{
    glob_t files;
    int accepted = 0;
    CHECK(glob("examples/[!r]*/*.yaml", 0, NULL, &files) == 0);
    CHECK(glob("examples/r[!e]*/*.yaml", GLOB_APPEND, NULL, &files) == 0);
    for (size_t k = 0; k < files.gl_pathc; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        CHECK(ac_problem_read(ctx, files.gl_pathv[k], NULL, 0, &problem) == AC_OK);
        if (problem) accepted += try_all(ctx, problem);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    globfree(&files);
    printf("%d parameters of examples\n", accepted);
    CHECK(accepted >= 25);
}

/* Every kind of number that can depend on a parameter, in a loop, a tree and a beam. */
static const char LOOP[] =
    "title: four-bar\n"
    "parameters: {l1: 1, l2: 3, l3: 2.5, base: 3, m: 1, k: 20, c: 0.3, rest: 0.1, g: 9.81, a: 2, w: 3, phi: "
    "1.1, rate: 0.4,"
    " x: 0.2, f: 1.5, v: 0.7}\n"
    "gravity: [0, =-g]\n"
    "planar_bodies:\n"
    "  crank: {solid: {rod: {length: =l1, mass: =m}}, points: {side: [=x, 0.1]}}\n"
    "  coupler: {solid: {rod: {length: =l2, mass: =3*m}}}\n"
    "  rocker: {solid: {rod: {length: =l3, mass: 2.5}}}\n"
    "  box: {solid: {box: {size: [=x, 0.3, 0.2], density: 500}}, position: [5, =x], angle: 0.3, velocity: "
    "[=v, 0],"
    " angular_velocity: =2*v}\n"
    "points:\n"
    "  bob: {mass: =m, position: [=6+x, 0], velocity: [0, =v]}\n"
    "joints:\n"
    "  - {revolute: [ground, crank], at: {crank: start}, angle: =phi, angle_rate: =rate, name: motor}\n"
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, angle: -0.9, hint: true}\n"
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, name: knee}\n"
    "  - {revolute: [ground, rocker], at: {ground: [=base, 0], rocker: start}, angle: 1.8, hint: true}\n"
    "springs:\n"
    "  - {joint: motor, stiffness: =k, damping: =c, rest: =rest}\n"
    "  - {between: [box, bob], stiffness: =k/2, length: =0.5+rest}\n"
    "  - {between: [ground, crank], at: {ground: [0, =2*base], crank: side}, stiffness: =k, length: 0.4}\n"
    "loads:\n"
    "  - {joint: motor, value: =a*sin(w*t)}\n"
    "  - {force: [=f, =f*t], on: box}\n"
    "  - {force: [=f, 0], on: crank, at: side, frame: body}\n"
    "  - {torque: {table: [[0, =f], [=0.5*f, 2]]}, on: box}\n"
    "simulate: {step: 5 ms, duration: 1}\n";

static const char BEAM[] =
    "title: beam\n"
    "parameters: {L: 1, w: 0.02, h: 0.03, E: 2e9, rho: 1000, d: 1e-3, tip: 0.2, f: 3, om: 0.5, mass: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  hub: {solid: {cylinder: {radius: =2*w, length: 0.1, mass: =mass}}}\n"
    "beams:\n"
    "  arm:\n"
    "    straight: {from: [0, 0, 0], to: [=L, 0, 0]}\n"
    "    elements: 4\n"
    "    section: {rectangle: {width: =w, height: =h}}\n"
    "    material: {young: =E, poisson: 0.3, density: =rho}\n"
    "    damping: =d\n"
    "    masses: [{at: end, mass: =tip}]\n"
    "joints:\n"
    "  - {revolute: [ground, hub], at: {hub: origin}, axis: [0, 0, 1], angle_rate: =om, name: motor}\n"
    "  - {fixed: [hub, arm.start], at: {hub: origin}}\n"
    "loads:\n"
    "  - {force: [0, 0, =f], on: arm.end}\n"
    "simulate: {step: 2 ms, duration: 0.1}\n";

/* Solids of all kinds, by mass or density, and places on them. */
static const char SOLIDS[] =
    "title: solids\n"
    "parameters: {r: 0.2, l: 0.5, d: 700, m: 2, a: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  cone: {solid: {cone: {radius: =r, length: =l, density: =d}}}\n"
    "  twin: {solid: {double_cone: {radius: =r, length: =l/2, mass: =m}}}\n"
    "  roof: {solid: {pyramid: {edge: =a, height: =l, density: =d}, position: [0, =a, 0]}}\n"
    "  tube: {solid: {cylinder: {radius: =r, inner_radius: =r/2, length: =l, density: =d}}}\n"
    "  plate: {solid: {disc: {radius: =r, mass: =m}}}\n"
    "  globe: {solid: {sphere: {radius: =r, density: =d}}}\n"
    "joints:\n"
    "  - {spherical: [ground, cone], at: {cone: apex}}\n"
    "  - {spherical: [cone, twin], at: {cone: base, twin: start}}\n"
    "  - {spherical: [twin, roof], at: {twin: end, roof: apex}}\n"
    "  - {spherical: [roof, tube], at: {roof: base, tube: start}}\n"
    "  - {spherical: [tube, plate], at: {tube: end, plate: [=r, 0, 0]}}\n"
    "  - {revolute: [ground, globe], at: {globe: centre}, axis: [0, 0, 1]}\n"
    "simulate: {step: 5 ms, duration: 1}\n";

static const char BALL[] =
    "title: ball\n"
    "parameters: {m: 1, drop: 0.3, g: 9.81, v: 0.4}\n"
    "gravity: [0, 0, =-g]\n"
    "bodies:\n"
    "  ball: {solid: {sphere: {radius: 0.1, mass: =m}}, position: [0, 0, =drop+0.1], velocity: [=v, 0, 0]}\n"
    "contacts:\n"
    "  - {body: ball, restitution: 0.5}\n"
    "simulate: {step: 50 ms, duration: 1}\n";

/* In joint coordinates, whose stepper has springs and an origin of its own. */
static const char ANGLES[] =
    "title: two bodies\n"
    "parameters: {l: 0.8, m: 1.2, k: 20, rest: 0.4, a: 0.7, turn: 0.3, kt: 2}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {solid: {cylinder: {length: =l, radius: 0.05, mass: =m, along: z}}}\n"
    "  b: {solid: {cylinder: {length: 0.6, radius: 0.04, mass: 0.5}}}\n"
    "  free: {solid: {box: {size: [0.1, 0.2, 0.3], mass: 1}}, position: [3, 0, 0], rotation: [0.1, =turn, "
    "0.2], "
    "angular_velocity: [2, 3, 1]}\n"
    "joints:\n"
    "  - {name: hinge, revolute: [ground, a], at: {a: start}, axis: [0, 1, 0.2], angle: =a}\n"
    "  - {spherical: [a, b], at: {a: end, b: start}, coordinates: [0.1, =turn, 0.2], rates: [0.3, 2, 1]}\n"
    "springs: [{between: [ground, b], at: {ground: [1, 0, 0], b: end}, stiffness: =k, length: =rest}, "
    "{joint: "
    "hinge, stiffness: =kt}]\n"
    "simulate: {step: 5 ms, steps: 20, scheme: trapezoidal, formulation: minimal}\n";

/* Inertias that turn their principal axes, with joints, springs and loads at these bodies. */
static const char AXES[] =
    "title: axes\n"
    "parameters: {m: 1, j: 0.02, l: 0.4}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {axes: principal, mass: =m, inertia: [0.3, 0.2, 0.25, =j, 0.02, =0.02*m], centre: [=l/4, 0.1, "
    "0.2], "
    "points: {tip: [=l, 0.1, 0]}}\n"
    "  b: {axes: principal, solids: [{cylinder: {length: =l, radius: 0.05, mass: =m}}, {box: {size: [0.1, "
    "0.2, "
    "0.3], mass: 0.5}, position: [0.1, =l/2, 0]}], points: {grip: [0, 0, 0.1]}}\n"
    "  c: {axes: principal, mass: 1, inertia: [0.3, 0.2, 0.25, =j, 0.01, 0.02], position: [3, 0, 1], "
    "rotation: "
    "{axis: [1, 2, 0], angle: 0.4}, angular_velocity: [1, 0.2, =l]}\n"
    "joints:\n"
    "  - {revolute: [ground, a], name: hip, at: {a: [0.05, 0, 0.1]}, axis: [0, 1, 0.2], angle: =l}\n"
    "  - {spherical: [a, b], at: {a: tip, b: grip}}\n"
    "springs: [{between: [ground, b], at: {ground: [1, 0, =l], b: [0.1, 0.2, 0]}, stiffness: 20, length: "
    "0.5, "
    "damping: 0.1}]\n"
    "loads: [{on: b, force: [1, 0, =m], at: [0.3, 0, 0.1]}]\n"
    "simulate: {step: 5 ms, duration: 1}\n";

/* Solids that are drawn only and carry joints, and axes that turn from a coordinate axis in either direction. */
static const char DRAWN[] =
    "title: drawn\n"
    "parameters: {l: 0.5, r: 0.05, off: 0, e: 0, f: 0, d: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  upper: {mass: 1, inertia: [0.02, 0.02, 0.001], solid: {cylinder: {radius: =r, length: =l}, position: "
    "[=off, 0, =-l/2]}}\n"
    "  lower: {mass: 1, inertia: [0.02, 0.02, 0.001], solids: [{cone: {radius: 0.1, length: =l}, name: "
    "tip}]}\n"
    "joints:\n"
    "  - {revolute: [ground, upper], at: {ground: [0, 0, 0], upper: start}, axis: [=e, 1, =f], angle_rate: "
    "1}\n"
    "  - {revolute: [upper, lower], at: {upper: end, lower: tip.base}, axis: [1, =d, =e], angle: 0.2}\n"
    "simulate: {step: 5 ms, duration: 1}\n";

static void check_text(const char *text, const char *const *names, int count)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, text);
    for (int k = 0; problem && k < count; ++k) {
        bool set = try_parameter(ctx, problem, names[k]);
        if (!set) printf("%s: %s\n", names[k], ac_context_message(ctx));
        CHECK(set);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(every_kind_of_number)
{
    static const char *const loop[] = {"l1", "l2", "l3", "base", "m", "k",    "c", "rest",
                                       "g",  "a",  "w",  "phi",  "x", "rate", "f", "v"};
    static const char *const solids[] = {"r", "l", "d", "m", "a"};
    static const char *const ball[] = {"m", "drop", "g", "v"};
    static const char *const beam[] = {"L", "w", "h", "E", "rho", "d", "tip", "f", "om", "mass"};
    static const char *const axes[] = {"m", "j", "l"};
    static const char *const drawn[] = {"l", "r", "off", "e", "f", "d"};
    static const char *const angles[] = {"l", "m", "k", "rest", "a", "turn", "kt"};
    check_text(LOOP, loop, 16);
    check_text(AXES, axes, 3);
    check_text(DRAWN, drawn, 6);
    check_text(BEAM, beam, 10);
    check_text(BALL, ball, 4);
    check_text(SOLIDS, solids, 5);
    check_text(ANGLES, angles, 7);
}

/* Derivatives of the data are those of differences, and each number of the system that depends is among them. */
TEST(slopes_are_exact)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, LOOP);
    static const char *const names[] = {"l1", "x", "m", "k", "phi", "f", "v", "base", "rest", "g", "a", "w"};
    enum { COUNT = 12, MOST = 200 };
    ac_values *values = NULL;
    CHECK(ac_values_new(ctx, problem, names, COUNT, &values) == AC_OK);
    int count = 0, seen[COUNT] = {0};
    double start[COUNT], there[COUNT], slope[MOST], side[2][MOST], load[COUNT], at[COUNT];
    memcpy(start, ac_values_numbers(values), sizeof start);
    const ac_data_slope *slopes = ac_values_slopes(values, &count);
    CHECK(count > 20 && count <= MOST);
    for (int k = 0; k < count; ++k) {
        slope[k] = slopes[k].slope;
        ++seen[slopes[k].parameter];
        CHECK(slopes[k].datum >= 0 && slopes[k].datum <= AC_LOAD_POINT);
    }
    for (int j = 0; j < COUNT - 2; ++j) CHECK(seen[j] > 0); /* a and w stand in a load only */
    for (int j = 0; j < COUNT; ++j) {
        double h = 1e-5 * fabs(start[j]), value[2];
        for (int s = 0; s < 2; ++s) {
            memcpy(there, start, sizeof start);
            there[j] += s == 0 ? -h : h;
            CHECK(ac_values_set(values, there) == AC_OK);
            slopes = ac_values_slopes(values, &count);
            for (int k = 0; k < count; ++k) side[s][k] = slopes[k].value;
            value[s] = ac_values_load_slopes(values, 0, 0, 0.37, load);
        }
        CHECK(ac_values_set(values, start) == AC_OK);
        for (int k = 0; k < count; ++k)
            if (slopes[k].parameter == j)
                CHECK_NEAR(slope[k], (side[1][k] - side[0][k]) / (2.0 * h), 1e-7 * (1.0 + fabs(slope[k])));
        ac_values_load_slopes(values, 0, 0, 0.37, at);
        CHECK_NEAR(at[j], (value[1] - value[0]) / (2.0 * h), 1e-7 * (1.0 + fabs(at[j])));
    }
    CHECK(fabs(at[COUNT - 1]) > 0.1 && fabs(at[COUNT - 2]) > 0.1);
    ac_values_free(values);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A failure names the parameter and leaves the system as it was. */
TEST(what_cannot_be_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, LOOP);
    static const char *const names[] = {"l2", "m"};
    const char *unknown = "mm", *tree = "n";
    ac_values *values = NULL, *other = NULL;
    CHECK(ac_values_new(ctx, problem, &unknown, 1, &other) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "there is no parameter 'mm'"));
    CHECK(ac_values_new(ctx, problem, names, 0, &other) == AC_BAD_INPUT);
    CHECK(ac_values_new(ctx, problem, names, 2, &values) == AC_OK);
    CHECK(ac_values_count(values) == 2);
    CHECK_TEXT(ac_values_name(values, 1), "m");
    double before = ac_values_system(values)->initial.q[5];
    CHECK(ac_values_set(values, (double[2]){9.0, 1.0}) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "with l2 = 9: joint"));
    CHECK(ac_values_system(values)->initial.q[5] == before && ac_values_numbers(values)[0] == 3.0);
    CHECK(ac_values_set(values, (double[2]){3.0, -1.0}) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "with m = -1: "));
    CHECK(ac_values_set(values, (double[2]){3.0, NAN}) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "'m' is not a finite number"));
    CHECK(ac_values_system(values)->initial.q[5] == before);
    ac_values_free(values);
    ac_problem_free(problem);

    problem = parse(
        ctx, "title: x\n"
             "parameters: {n: 3, s: 0.01}\n"
             "bodies:\n"
             "  link: {repeat: =n, solid: {rod: {length: 1, mass: 1}}}\n"
             "joints:\n"
             "  - {spherical: [ground, link(1)], at: {link(1): start}}\n"
             "  - {repeat: =n-1, spherical: [link(i), link(i+1)], at: {link(i): end, link(i+1): start}}\n"
             "simulate: {step: =s, duration: 1}\n");
    CHECK(ac_values_new(ctx, problem, &tree, 1, &values) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "text:4:") && strstr(ac_context_message(ctx), "'n'"));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* What the reader would refuse is refused when it is set, in the words of the reader and with the parameter's name. */
TEST(values_that_make_no_system_are_refused)
{
    static const char text[] =
        "title: x\n"
        "parameters: {l: 1, m: 1, r: 0.2, k: 5, c: 0.1, d: 0.05, w: 0.02, j: 0.3, f: 0.01, b: 1}\n"
        "bodies:\n"
        "  arm: {solid: {rod: {length: =l, mass: =m}}}\n"
        "  pipe: {solid: {cylinder: {length: 1, radius: =r, inner_radius: 0.1, mass: 1}}}\n"
        "  block: {mass: 1, inertia: [0.2, 0.3, =j]}\n"
        "beams:\n"
        "  rod: {straight: {from: [0, 1, 0], to: [1, 1, 0]}, elements: 2, section: {rectangle: {width: =w, "
        "height: "
        "0.03}}, material: {young: 1e7, density: 1000}}\n"
        "  pole: {straight: {from: [0, 2, 0], to: [1, 2, 0]}, elements: 2, section: {i_section: {width: "
        "0.04, height: "
        "0.05, web: 0.005, flange: =f}}, material: {young: 1e7, density: 1000}}\n"
        "  knee: {polyline: [[0, 3, 0], [1, 3, 0], [1, =3+b, 0]], elements: 4, section: [{at: 0, circle: "
        "{radius: 0.01}}, {at: 0.5, circle: {radius: 0.01}}, {at: 0.5, circle: {radius: 0.02}}, {at: 1, "
        "circle: {radius: 0.02}}], material: {young: 1e7, density: 1000}}\n"
        "joints:\n"
        "  - {spherical: [ground, arm], at: {arm: start}}\n"
        "  - {distance: [arm, block], at: {arm: end, block: origin}, length: =d+0.5}\n"
        "springs:\n"
        "  - {between: [ground, block], at: {ground: [3, 0, 0], block: origin}, stiffness: =k, damping: =c, "
        "length: 0.1}\n"
        "simulate: {step: 0.001, duration: 1}\n";
    static const struct {
        const char *name, *message;
        double value;
    } cases[] = {
        {"l", "with l = -1: text:4:31: length must be positive, not -1", -1.0},
        {"m", "with m = 0: text:4:41: mass must be positive, not 0", 0.0},
        {"r", "with r = 0.05: text:5:48: inner_radius must be smaller than radius", 0.05},
        {"j", "with j = 0.7: body 'block': inertia breaks the triangle inequality", 0.7},
        {"w", "with w = -0.01: text:8:", -0.01},
        {"f", "with f = 0.03: text:9:", 0.03},
        {"d", "with d = -0.6: text:13:", -0.6},
        {"k", "with k = -1: text:15:", -1.0},
        {"c", "with c = -0.1: text:15:", -0.1},
        {"b", "there is a step at 0.5 of the length, but no element ends there", 1.2},
    };
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, text);
    for (size_t k = 0; problem && k < sizeof cases / sizeof *cases; ++k) {
        ac_values *values = NULL;
        CHECK(ac_values_new(ctx, problem, &cases[k].name, 1, &values) == AC_OK);
        if (!values) {
            printf("%s\n", ac_context_message(ctx));
            continue;
        }
        double before = ac_values_numbers(values)[0];
        CHECK(ac_values_set(values, &cases[k].value) == AC_BAD_INPUT);
        if (!strstr(ac_context_message(ctx), cases[k].message))
            printf("  %s: %s\n", cases[k].name, ac_context_message(ctx));
        CHECK(strstr(ac_context_message(ctx), cases[k].message));
        CHECK(!read_at(problem, cases[k].name, cases[k].value));
        CHECK(ac_values_numbers(values)[0] == before);
        CHECK(ac_values_set(values, &before) == AC_OK);
        ac_values_free(values);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static bool same_bits(const ac_system *a, const ac_system *b)
{
    size_t bytes = (size_t)a->n * sizeof(double);
    bool same = a->n == b->n && a->inertia.count == b->inertia.count &&
                memcmp(a->initial.q, b->initial.q, bytes) == 0 &&
                memcmp(a->initial.v, b->initial.v, bytes) == 0 &&
                memcmp(a->gravity_force, b->gravity_force, bytes) == 0;
    for (int k = 0; same && k < a->inertia.count; ++k)
        same = a->inertia.entries[k].coefficient == b->inertia.entries[k].coefficient;
    for (int k = 0; same && k < a->spring_count; ++k)
        same = a->springs[k].stiffness == b->springs[k].stiffness && a->springs[k].rest == b->springs[k].rest;
    return same;
}

/* A system at some values has the same bits whatever was set before, also those of the file read with these values. */
TEST(values_leave_no_trace)
{
    static const char *const names[] = {"l2", "m", "phi", "k", "a"};
    static const double there[5] = {3.05, 1.2, 1.15, 21.0, 2.1}, elsewhere[5] = {2.9, 0.7, 1.05, 15.0, 1.9};
    char settings[5][64];
    const char *list[5];
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, LOOP), *other = NULL;
    ac_values *values[2] = {NULL, NULL};
    for (int k = 0; k < 2; ++k) CHECK(ac_values_new(ctx, problem, names, 5, &values[k]) == AC_OK);
    for (int k = 0; k < 5; ++k) {
        snprintf(settings[k], sizeof settings[k], "parameters.%s=%.17g", names[k], there[k]);
        list[k] = settings[k];
    }
    CHECK(ac_problem_vary(ctx, problem, list, 5, &other) == AC_OK);
    for (int k = 0; k < 20; ++k) CHECK(ac_values_set(values[0], k % 2 == 0 ? elsewhere : there) == AC_OK);
    CHECK(!same_bits(ac_values_system(values[0]), ac_values_system(values[1])));
    CHECK(ac_values_set(values[1], there) == AC_OK);
    CHECK(same_bits(ac_values_system(values[0]), ac_values_system(values[1])));
    CHECK(same_bits(ac_values_system(values[0]), ac_problem_system(other)));
    for (int k = 0; k < 2; ++k) ac_values_free(values[k]);
    ac_problem_free(other);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Setting, restarting and stepping allocate nothing, and nothing leaks. */
TEST(turned_axes_leave_no_trace)
{
    static const char *const names[] = {"m", "j", "l"};
    static const double there[3] = {1.2, 0.04, 0.5}, elsewhere[3] = {0.8, 0.01, 0.35};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = parse(ctx, AXES);
    ac_values *values[2] = {NULL, NULL};
    int count = 1;
    for (int k = 0; k < 2; ++k) CHECK(ac_values_new(ctx, problem, names, 3, &values[k]) == AC_OK);
    for (int k = 0; k < 20; ++k) CHECK(ac_values_set(values[0], k % 2 == 0 ? elsewhere : there) == AC_OK);
    CHECK(!same_bits(ac_values_system(values[0]), ac_values_system(values[1])));
    CHECK(ac_values_set(values[1], there) == AC_OK);
    CHECK(same_bits(ac_values_system(values[0]), ac_values_system(values[1])));
    for (int i = 0; i < 3; ++i) { /* Euler tensors are diagonal in principal axes */
        const double *E = ac_values_system(values[0])->nodes[i].euler;
        CHECK(E[1] == 0.0 && E[2] == 0.0 && E[5] == 0.0 && E[0] <= E[4] && E[4] <= E[8]);
    }
    CHECK(ac_values_slopes(values[0], &count) == NULL && count == 0);
    for (int k = 0; k < 2; ++k) ac_values_free(values[k]);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(nothing_is_allocated)
{
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    ac_problem *problem = parse(ctx, LOOP);
    static const char *const names[] = {"l2", "m", "phi", "k", "a"};
    ac_values *values = NULL;
    ac_simulation *simulation = NULL;
    CHECK(ac_values_new(ctx, problem, names, 5, &values) == AC_OK);
    CHECK(ac_simulation_new(ctx, ac_values_system(values), ac_problem_simulation(problem), &simulation) ==
          AC_OK);
    long before = m.calls;
    for (int k = 0; k < 50; ++k) {
        CHECK(ac_values_set(values, (double[5]){3.0 + 0.001 * k, 1.0, 1.1 + 0.002 * k, 20.0, 2.0}) == AC_OK);
        CHECK(ac_simulation_restart(simulation) == AC_OK);
        for (int i = 0; i < 3; ++i) CHECK(ac_simulation_step(simulation) == AC_OK);
    }
    CHECK(m.calls == before);
    ac_simulation_free(simulation);
    ac_values_free(values);
    ac_problem_free(problem);
    ac_context_free(ctx);
    CHECK(m.held == 0);
}

/* Every allocation of the making may fail. */
TEST(memory_may_run_out)
{
    const char *name = "phi";
    long calls = 0;
    for (long fail = 0; fail == 0 || fail <= calls; fail += fail < 40 ? 1 : 1 + calls / 60) {
        memory m = {0};
        ac_context *ctx = memory_context(&m);
        ac_problem *problem = parse(ctx, LOOP);
        ac_values *values = NULL;
        long before = m.calls;
        m.fail_at = fail > 0 ? before + fail : 0;
        ac_status status = ac_values_new(ctx, problem, &name, 1, &values);
        if (fail == 0) calls = m.calls - before;
        CHECK(fail == 0 ? status == AC_OK : status == AC_NO_MEMORY || status == AC_OK);
        m.fail_at = 0;
        if (status == AC_OK) ac_values_free(values);
        ac_problem_free(problem);
        ac_context_free(ctx);
        CHECK(m.held == 0);
    }
    CHECK(calls > 100);
}

RUN_TESTS(CASE(examples_agree_with_reading_again), CASE(every_kind_of_number), CASE(slopes_are_exact),
          CASE(what_cannot_be_is_refused), CASE(values_that_make_no_system_are_refused),
          CASE(values_leave_no_trace), CASE(turned_axes_leave_no_trace), CASE(nothing_is_allocated),
          CASE(memory_may_run_out))
