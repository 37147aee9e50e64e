/* Conditions on momentum that nothing changes: found before the solve, left out when they hold, refused
 * when they cannot. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "test.h"

static ac_context *ctx;

#define PAIR(velocity)                                               \
    "title: two bodies\n"                                            \
    "planar_bodies:\n"                                               \
    "  a: {mass: 1, inertia: 0.1, position: [0, 0]" velocity "}\n"   \
    "  b: {mass: 2, inertia: 0.1, position: [0.5, 0]" velocity "}\n" \
    "joints:\n"                                                      \
    "  - {name: j, revolute: [a, b], at: [0.25, 0]}\n"
#define HINGE "  - {name: hinge, revolute: [ground, a], at: [0, 0]}\n"
#define OPTIMIZE                                                     \
    "optimize:\n"                                                    \
    "  intervals: 10\n"                                              \
    "  duration: 1\n"                                                \
    "  objective: [{effort: 1}]\n"                                   \
    "  quantities:\n"                                                \
    "    L: {angular_momentum: system, along: z}\n"                  \
    "    far: {angular_momentum: system, along: z, about: [3, 1]}\n" \
    "    px: {momentum: system, along: x}\n"                         \
    "    py: {momentum: system, along: y}\n"                         \
    "    pa: {momentum: a, along: x}\n"
#define CONTROL "  controls: [{joint: j, name: u}]\n"
#define FORCE "  controls: [{joint: j, name: u}, {force: a, component: x, name: f}]\n"
#define END(expression) \
    "  conditions:\n    - {joint: j, equals: 1, at: end}\n    - {expression: " expression ", at: end}\n"

static ac_problem *read_text(const char *text, const char *setting)
{
    ac_problem *problem = NULL;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-conserved-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, &setting, setting ? 1 : 0, &problem);
    remove(path);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

/* Number of dependent conditions, with the name of the first; -1: it is refused. */
static int check(const char *text, const char *setting, char name[128])
{
    ac_problem *problem = read_text(text, setting);
    double differences[3];
    int count = -1;
    if (!problem) return -2;
    ac_status status = ac_optimization_check(ac_problem_optimization(problem), differences, &count, name);
    if (status != AC_OK) count = -1;
    CHECK(status == AC_OK || status == AC_NOT_CONVERGED);
    ac_problem_free(problem);
    return count;
}

static bool says(const char *words)
{
    bool found = strstr(ac_context_message(ctx), words) != NULL;
    if (!found) printf("no \"%s\" in: %s\n", words, ac_context_message(ctx));
    return found;
}

static ac_status solve(const char *text, const char *setting, ac_summary *summary)
{
    ac_problem *problem = read_text(text, setting);
    summary->count = 0;
    if (!problem) return AC_BAD_INPUT;
    ac_status status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    ac_problem_free(problem);
    return status;
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static const char *const formulations[] = {"optimize.formulation=reduced",
                                           "optimize.formulation=multipliers"};

TEST(conditions_that_hold_anyway_are_named_and_left_out)
{
    for (int k = 0; k < 2; ++k) {
        char name[128];
        ac_summary with, without;
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("L, equals: 0"), formulations[k], name) == 1);
        CHECK(strcmp(name,
                     "condition 'L' at the end: angular momentum about z is conserved, it holds anyway") ==
              0);
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("2*L + px - far, equals: 0"), formulations[k], name) == 1);
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("py, at_least: -1"), formulations[k], name) == 1);
        CHECK(solve(PAIR("") OPTIMIZE CONTROL END("L, equals: 0"), formulations[k], &with) == AC_OK);
        CHECK(solve(PAIR("") OPTIMIZE CONTROL "  conditions: [{joint: j, equals: 1, at: end}]\n",
                    formulations[k], &without) == AC_OK);
        CHECK_NEAR(summary_of(&with, "objective"), summary_of(&without, "objective"), 1e-12);
        CHECK_NEAR(summary_of(&with, "multiplier of j"), summary_of(&without, "multiplier of j"), 1e-12);
        CHECK(summary_of(&with, "multiplier of L") == 0.0);
    }
}

TEST(conditions_that_cannot_hold_are_refused_before_the_solve)
{
    for (int k = 0; k < 2; ++k) {
        char name[128];
        ac_summary summary;
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("L, equals: 0.5"), formulations[k], name) == -1);
        CHECK(says(".yaml:20:7: condition 'L' cannot be satisfied: angular momentum about z is conserved"));
        CHECK(solve(PAIR("") OPTIMIZE CONTROL END("L, equals: 0.5"), formulations[k], &summary) ==
              AC_NOT_CONVERGED);
        CHECK(says("L is 0 from the start to the end and cannot become 0.5"));
        CHECK(isnan(summary_of(&summary, "iterations")));
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("px, at_most: -1"), formulations[k], name) == -1);
        CHECK(says("momentum along x is conserved") && says("cannot become at most -1"));
        CHECK(check(PAIR("") OPTIMIZE CONTROL END("px + py, at_least: 2"), formulations[k], name) == -1);
        CHECK(says("cannot become at least 2"));
    }
}

/* Three masses that drift by [1, 2]: p = [3, 6]; about the origin L = 2 . 0.5 . 2 = 2, about [3, 1] it is
 * L - (3 . 6 - 1 . 3). */
TEST(the_momentum_of_the_start_counts)
{
    char name[128];
    const char *moving = PAIR(", velocity: [1, 2]") OPTIMIZE CONTROL;
    static const struct {
        const char *end;
        int count;
    } cases[] = {{END("px, equals: 3"), 1},       {END("py, equals: 3"), -1},
                 {END("L, equals: 2"), 1},        {END("far, equals: -13"), 1},
                 {END("far, equals: -12.9"), -1}, {END("px*py, equals: 18"), 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[2000];
        snprintf(text, sizeof text, "%s%s", moving, cases[k].end);
        int count = check(text, NULL, name);
        if (count != cases[k].count) printf("%s: %d\n", cases[k].end, count);
        CHECK(count == cases[k].count);
    }
}

/* What acts from outside, and quantities that change, are left to the solve. */
TEST(momentum_that_may_change_is_no_such_condition)
{
    char name[128];
    static const char *const texts[] = {
        PAIR("") OPTIMIZE FORCE END("L, equals: 0.1"),
        PAIR("") OPTIMIZE FORCE END("px, equals: 0.1"),
        PAIR("") OPTIMIZE CONTROL END("pa, equals: 0.1"),
        PAIR("") HINGE OPTIMIZE CONTROL END("px, equals: 0.1"),
        PAIR("") HINGE OPTIMIZE CONTROL END("far, equals: 0.1"),
        PAIR("") "gravity: [0, -9.81]\n" OPTIMIZE CONTROL END("L, equals: 0.1"),
        PAIR("") HINGE
        "springs: [{name: s, joint: hinge, stiffness: 1}]\n" OPTIMIZE CONTROL END("L, equals: 0.1")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        int count = check(texts[k], NULL, name);
        if (count != 0) printf("%zu: %d %s\n", k, count, count < 0 ? ac_context_message(ctx) : name);
        CHECK(count == 0);
    }
    CHECK(check(PAIR("") OPTIMIZE CONTROL "  start_velocity: free\n" END("L, equals: 0.1"), NULL, name) >= 0);
}

/* Gravity leaves what is across it, a hinge what turns about it. */
TEST(parts_of_the_momentum_are_conserved)
{
    char name[128];
    CHECK(check(PAIR("") "gravity: [0, -9.81]\n" OPTIMIZE CONTROL END("px, equals: 0"), NULL, name) == 1);
    CHECK(check(PAIR("") "gravity: [0, -9.81]\n" OPTIMIZE CONTROL END("px, equals: 1"), NULL, name) == -1);
    CHECK(check(PAIR("") HINGE OPTIMIZE CONTROL END("L, equals: 0"), NULL, name) == 1);
    CHECK(check(PAIR("") HINGE OPTIMIZE CONTROL END("L, equals: 1"), NULL, name) == -1);
}

/* Rows of the motion alone do not depend on each other, however far the guess is from a motion. */
TEST(a_stiff_rod_has_no_dependent_conditions)
{
    static const char text[] =
        "parameters: {d: 1 cm, L: 1 m}\n"
        "beams:\n"
        "  rod:\n"
        "    straight: {from: [0, 0, 0], to: [=L, 0, 0]}\n"
        "    d1: [0, 1, 0]\n"
        "    elements: 3\n"
        "    section: {circle: {radius: =d/2}}\n"
        "    material: {young: 2 GPa, density: 1500}\n"
        "joints: [{revolute: [ground, rod.start], at: [0, 0, 0], axis: [0, 0, 1], name: hub}]\n"
        "optimize:\n"
        "  intervals: 20\n"
        "  duration: 1 s\n"
        "  stresses: eliminated\n"
        "  parameters: {L: {from: 0.8 m, to: 1.2 m}}\n"
        "  controls: [{joint: hub, name: torque}]\n"
        "  objective: [{effort: 1}, {end: (1.2 - L)^2}]\n"
        "  quantities: {angle: {joint: hub}}\n"
        "  conditions:\n"
        "    - {joint: hub, equals: 60 deg, at: end}\n"
        "    - {expression: angle_rate, equals: 0, at: end}\n"
        "%s";
    char name[128], twice[2000], once[2000];
    snprintf(once, sizeof once, text, "");
    snprintf(twice, sizeof twice, text,
             "    - {expression: 2*angle, equals: =2*pi/3, at: end, name: twice}\n");
    CHECK(check(once, NULL, name) == 0);
    CHECK(check(twice, NULL, name) == 1);
    CHECK(strstr(name, "condition '") == name);
}

/* A beam in a field of its own: the field acts from outside, and along z alone. */
#define FIELD(potential)                                                                               \
    "beams:\n"                                                                                         \
    "  rod: {model: vertex, straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 3,\n" \
    "    stiffness: {shear: [50, 50], axial: 100, bending: [1, 1], torsion: 1}, inertia: {mass: 0.3, " \
    "rotary: "                                                                                         \
    "[4e-3, 4e-3]}" potential "}\n"                                                                    \
    "points: {other: {mass: 1, position: [5, 0, 0]}}\n"                                                \
    "optimize: {intervals: 6, duration: 0.5 s, controls: [{force: other, component: y, name: fy}],\n"  \
    "  quantities: {pz: {momentum: rod, along: z}}, objective: [{effort: 1}],\n"                       \
    "  conditions: [{expression: pz, at: end, at_most: -0.1}]}\n"

TEST(a_field_of_a_beam_acts_from_outside)
{
    ac_summary summary;
    CHECK(solve(FIELD(", potential: '2*z'"), NULL, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "objective"), 0.0, 1e-9);
    CHECK(solve(FIELD(""), NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(says("momentum along z is conserved"));
}

RUN_TESTS(CASE(conditions_that_hold_anyway_are_named_and_left_out),
          CASE(conditions_that_cannot_hold_are_refused_before_the_solve),
          CASE(the_momentum_of_the_start_counts), CASE(momentum_that_may_change_is_no_such_condition),
          CASE(parts_of_the_momentum_are_conserved), CASE(a_stiff_rod_has_no_dependent_conditions),
          CASE(a_field_of_a_beam_acts_from_outside))
