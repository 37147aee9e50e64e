/* Free parameters of beams in problem files: what is written in a section, a material or a curve is
 * followed, which reading the file verifies against the same file with other values; the design found is a
 * minimum; what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

static ac_context *ctx;

static ac_status parse(const char *text, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
}

/* A beam 'rod' of these pieces on a hinge; a, b and l are parameters, those in `free` are free. */
static void write(char *text, size_t size, const char *curve, const char *rest, const char *free)
{
    snprintf(text, size,
             "parameters: {a: 0.02, b: 0.03, l: 1}\n"
             "beams:\n"
             "  rod:\n"
             "    %s\n"
             "    d1: [0, 1, 0]\n"
             "    elements: 3\n"
             "    %s\n"
             "joints:\n"
             "  - {revolute: [ground, rod.start], at: {ground: [0, 0, 0], rod.start: [0, 0, 0]}, axis: [0, "
             "0, 1], name: "
             "hub}\n"
             "optimize:\n"
             "  intervals: 3\n"
             "  duration: 0.3\n"
             "  parameters: {%s}\n"
             "  controls: [{joint: hub, name: u}]\n"
             "  quantities: {E: {energy: system}, p: {momentum: rod, along: y}}\n"
             "  conditions: [{expression: p, equals: 0.02, at: end}]\n"
             "  objective: [{effort: 1}, {end: E + a + b + l}]\n",
             curve, rest, free);
}

#define STRAIGHT "straight: {from: [0, 0, 0], to: [1, 0, 0]}"
#define LONGER "straight: {from: [0, 0, 0], to: [=l, 0, 0]}"
#define A "a: {from: 0.01, to: 0.025}"
#define B "b: {from: 0.026, to: 0.05}"
#define L "l: {from: 0.5, to: 2}"

#define TAPERED                                                                                             \
    "section: [{at: 0, rectangle: {width: =a, height: =b}}, {at: 0.4, rectangle: {width: 0.02, height: "    \
    "=2*b}}, {at: 1, rectangle: {width: =b/2, height: =a}}]\n    material: {young: =4e6*a, density: 1000, " \
    "shear_viscosity: =100*b}"

static const struct {
    const char *curve, *rest, *free;
} FILES[] = {
    {STRAIGHT, "section: {rectangle: {width: =a, height: =b}}\n    material: {young: 1e5, density: 1000}",
     A ", " B},
    {STRAIGHT,
     "section: {rectangle: {width: =b, height: =a, shear_factors: [0.8, =30*b]}}\n    material: {young: 1e5, "
     "density: 1000}",
     A ", " B},
    {STRAIGHT,
     "section: {circle: {radius: =a*2}}\n    material: {young: =1e5+a, poisson: =b*10, density: =1e4*a}",
     A ", " B},
    {LONGER,
     "section: {tube: {radius: =b, inner_radius: =a}}\n    material: {young: 1e5, shear: =4e6*a, density: "
     "1000}",
     A ", " B ", " L},
    {LONGER,
     "section: [{i_section: {width: =b, height: =2*a, web: =a/10, flange: =b/10}}]\n    material: {young: "
     "1e6, density: 1000}",
     A ", " B ", " L},
    {LONGER,
     "model: vertex\n    stiffness: {shear: [=100*a, 3], axial: =l*9, bending: [0.1, =5*a], torsion: =b}\n   "
     " inertia: {mass: =10*b, rotary: [1e-4, =0.01*a]}",
     A ", " B ", " L},
    {LONGER,
     "model: edge\n    section: {circle: {radius: =a}}\n    material: {young: 1e5, density: 1000}\n    "
     "damping: =b",
     A ", " B ", " L},
    {LONGER,
     "order: 2\n    section: {circle: {radius: =a}}\n    material: {young: 1e5, density: 1000}\n    masses: "
     "[{at: end, mass: =b}, {at: start, mass: 0.1}]",
     A ", " B ", " L},
    {LONGER, TAPERED, A ", " B ", " L},
    {LONGER, "model: vertex\n    " TAPERED, A ", " B ", " L},
    {LONGER, "model: edge\n    " TAPERED, A ", " B ", " L},
    {LONGER, "order: 2\n    " TAPERED, A ", " B ", " L},
    {STRAIGHT,
     "stiffness: [{at: 0, shear: [=100*a, 3], axial: 9, bending: [0.1, =5*a], torsion: =b}, {at: =20*b, "
     "shear: [2, 3], axial: =300*b, bending: [0.1, 0.1], torsion: 0.03}, {at: 1, shear: [2, 3], axial: 4, "
     "bending: [0.1, 0.1], torsion: 0.03}]\n    inertia: [{at: 0, mass: =10*b, rotary: [1e-4, =0.01*a]}, "
     "{at: 1, mass: =3*a, rotary: [1e-4, 1e-4]}]",
     A ", " B},
};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

TEST(everything_written_in_a_beam_is_followed)
{
    for (int k = 0; k < FILE_COUNT; ++k) {
        char text[4000], name[128];
        ac_problem *problem = NULL;
        double differences[3] = {NAN, NAN, NAN};
        int dependent, before = test_failures;
        write(text, sizeof text, FILES[k].curve, FILES[k].rest, FILES[k].free);
        ac_status status = parse(text, &problem);
        CHECK(status == AC_OK);
        if (status != AC_OK) printf("file %d: %s\n", k, ac_context_message(ctx));
        if (status != AC_OK) continue;
        ac_optimization *o = ac_problem_optimization(problem);
        ac_optimization_disturb(o, 3, 0.1);
        CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
        CHECK_NEAR(differences[0], 0.0, 2e-6);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 1e-4);
        if (test_failures > before)
            printf("file %d: %g %g %g\n", k, differences[0], differences[1], differences[2]);
        ac_problem_free(problem);
    }
}

TEST(what_is_refused)
{
    static const struct {
        const char *curve, *rest, *free, *message;
    } files[] = {
        {STRAIGHT,
         "section: [{at: 0, circle: {radius: 0.02}}, {at: 1, circle: {radius: 0.03}}]\n    material: {young: "
         "1e5, density: 1000}\n    precurvature: [0, =a, 0]",
         A, "f.yaml:9:23: the parameter 'a' is free, and what that changes cannot be followed here"},
        {"arc: {from: [0, 0, 0], centre: [0, 0, =l], axis: [0, 1, 0], angle: 1}",
         "section: {circle: {radius: 0.02}}\n    material: {young: 1e5, density: 1000}", L,
         "f.yaml:4:43: the parameter 'l' is free, and what that changes cannot be followed here"},
        {LONGER,
         "rest_length: 1\n    section: {circle: {radius: 0.02}}\n    material: {young: 1e5, density: 1000}",
         L, "f.yaml:4:38: the parameter 'l' is free, and what that changes cannot be followed here"},
        {"straight: {from: [0, 0, 0], to: [1, =l - 1, 0]}",
         "section: {circle: {radius: 0.02}}\n    material: {young: 1e5, density: 1000}", L,
         "changes with it in a way that cannot be followed"},
        {STRAIGHT, "section: {circle: {radius: =a}}\n    material: {young: 1e5, density: 1000}",
         "a: {from: -0.001, to: 0.025}", "f.yaml:14:26: the parameter 'a' may become -0.001: "},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        char text[4000];
        ac_problem *problem = NULL;
        write(text, sizeof text, files[k].curve, files[k].rest, files[k].free);
        CHECK(parse(text, &problem) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), files[k].message) != NULL);
        if (!strstr(ac_context_message(ctx), files[k].message)) printf("%s\n", ac_context_message(ctx));
        ac_problem_free(problem);
    }
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

/* Everything is drawn in the world: positions of bodies, places of joints and a beam between them follow
 * three lengths, with a load over time at a place that moves and a free duration. */
static const char DRAWN[] =
    "parameters: {l: 0.5, w: 0.3, off: 0.1}\n"
    "gravity: [0, -9.81, 0]\n"
    "beams:\n"
    "  rod:\n"
    "    straight: {from: [=l, 0, 0], to: [=l + w, 0, 0]}\n"
    "    elements: 2\n"
    "    stiffness: {shear: [150, 150], axial: 300, bending: [2, 2], torsion: 1.5}\n"
    "    inertia: {mass: 0.1, rotary: [1e-4, 1e-4]}\n"
    "bodies:\n"
    "  arm: {solid: {box: {size: [=l, 0.1, 0.1], mass: 1}}, position: [=l/2, 0, 0]}\n"
    "  hand: {solid: {sphere: {radius: 0.05, mass: 0.2}}, position: [=l + w + off, 0, 0]}\n"
    "  drone: {solid: {sphere: {radius: 0.05, mass: 0.2}}, position: [=2*l, 1, =off]}\n"
    "joints:\n"
    "  - {revolute: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], name: hub}\n"
    "  - {fixed: [arm, rod.start], at: [=l, 0, 0], name: clamp}\n"
    "  - {revolute: [rod.end, hand], at: {hand: [=-off, 0, 0]}, axis: [0, 0, 1], name: wrist}\n"
    "loads:\n"
    "  - {on: arm, force: [0, \"=0.1*l*sin(t)\", 0], at: [=l/4, 0, 0]}\n"
    "optimize:\n"
    "  intervals: 4\n"
    "  duration: 0.2\n"
    "  free_duration: true\n"
    "  least_duration: 0.1\n"
    "  most_duration: 0.4\n"
    "  parameters: {l: {from: 0.3, to: 1}, w: {from: 0.2, to: 0.6}, off: {from: 0.05, to: 0.2}}\n"
    "  controls: [{joint: hub, name: u, limit: 50}, {force: hand, at: [=off/2, 0, 0], component: y, name: f, "
    "limit: 5}]\n"
    "  objective: [{effort: 1}, {duration: 1}, {end: (l - 0.6)^2 + w}]\n"
    "  conditions: [{joint: hub, equals: 0.1, at: end}]\n";

TEST(drawn_places_are_followed)
{
    ac_problem *problem = NULL;
    double differences[3] = {NAN, NAN, NAN};
    int dependent;
    char name[128];
    ac_summary summary = {.count = 0};
    ac_status status = parse(DRAWN, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status != AC_OK) return;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_optimization_disturb(o, 3, 0.1);
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
    CHECK_NEAR(differences[0], 0.0, 2e-6);
    CHECK_NEAR(differences[1], 0.0, 2e-6);
    CHECK_NEAR(differences[2], 0.0, 1e-4);
    ac_problem_free(problem);
    problem = NULL;
    CHECK(parse(DRAWN, &problem) == AC_OK);
    status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    ac_problem_free(problem);
}

static ac_status solve(const char *const *settings, int count, ac_summary *summary)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    summary->count = 0;
    ac_status status = ac_problem_read(ctx, "examples/control/tuned-arm.yaml", settings, count, &problem);
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    return status;
}

/* Any other stiffness or length costs more, and the motion is that of the arm with the values found. */
TEST(the_design_found_is_a_minimum)
{
    ac_summary best, other;
    CHECK(solve(NULL, 0, &best) == AC_OK);
    double bending = summary_of(&best, "parameter_bending"), reach = summary_of(&best, "parameter_reach");
    CHECK(bending > 1.01 && bending < 5.9 && reach > 0.81 && reach < 1.19);
    CHECK_NEAR(summary_of(&best, "resimulation_error"), 0.0, 1e-8);
    for (int k = 0; k < 4; ++k) {
        double factor = k % 2 == 0 ? 0.97 : 1.03, value = factor * (k < 2 ? bending : reach);
        const char *word = k < 2 ? "bending" : "reach";
        char settings[3][96];
        const char *list[3] = {settings[0], settings[1], settings[2]};
        snprintf(settings[0], sizeof settings[0], "parameters.%s=%.9g", word, value);
        snprintf(settings[1], sizeof settings[1], "optimize.parameters.%s.from=%.9g", word, value - 1e-6);
        snprintf(settings[2], sizeof settings[2], "optimize.parameters.%s.to=%.9g", word, value + 1e-6);
        CHECK(solve(list, 3, &other) == AC_OK);
        CHECK(summary_of(&other, "objective") > summary_of(&best, "objective") + 1e-7);
    }
}

/* However stiff the arm is against stretch: stresses are unknowns, with free parameters too. */
TEST(stiff_arms_are_designed_as_soft_ones_are)
{
    const char *const stiff[][2] = {{"parameters.axial=1e4", "optimize.max_iterations=100"},
                                    {"parameters.axial=1e5", "optimize.max_iterations=100"}};
    ac_summary found;
    for (int k = 0; k < 2; ++k) {
        CHECK(solve(stiff[k], 2, &found) == AC_OK);
        double bending = summary_of(&found, "parameter_bending"),
               reach = summary_of(&found, "parameter_reach");
        CHECK(bending > 2.5 && bending < 3.1 && reach > 0.85 && reach < 0.88);
        CHECK_NEAR(summary_of(&found, "resimulation_error"), 0.0, 1e-8);
    }
}

/* The same design with stresses that are unknowns and with those that follow from the motion. */
TEST(stresses_as_unknowns_do_not_change_the_design)
{
    const char *const eliminated[] = {"optimize.stresses=eliminated"};
    ac_summary unknown, other;
    CHECK(solve(NULL, 0, &unknown) == AC_OK);
    CHECK(solve(eliminated, 1, &other) == AC_OK);
    const char *const names[] = {"objective", "parameter_bending", "parameter_reach"};
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(summary_of(&unknown, names[k]), summary_of(&other, names[k]), 1e-5);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(everything_written_in_a_beam_is_followed), CASE(what_is_refused),
          CASE(drawn_places_are_followed), CASE(the_design_found_is_a_minimum),
          CASE(stiff_arms_are_designed_as_soft_ones_are), CASE(stresses_as_unknowns_do_not_change_the_design))
