/* Free physical parameters solved: known optima, sweeps of fixed designs, both formulations, warm starts,
 * refusals. */
#include <stdlib.h>
#include <unistd.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/result.h"
#include "actio/run.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;
static char file_name[SCRATCH_SIZE], result_name[SCRATCH_SIZE];
static const double PI = 3.14159265358979323846;

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static ac_status run_into(const char *path, const char *const *settings, int count, const char *result,
                          ac_summary *summary)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    summary->count = 0;
    ac_status status = ac_problem_read(ctx, path, settings, count, &problem);
    if (status == AC_OK) status = ac_run(ctx, problem, result, NULL, NULL, summary);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    ac_problem_free(problem);
    return status;
}

static ac_status run(const char *path, const char *const *settings, int count, ac_summary *summary)
{
    return run_into(path, settings, count, NULL, summary);
}

static void write_file(const char *first, const char *second, const char *third)
{
    scratch_path(file_name, "design.yaml");
    scratch_path(result_name, "design.actio");
    FILE *out = fopen(file_name, "w");
    CHECK(out != NULL);
    if (!out) return;
    fprintf(out, "%s%s%s", first, second, third);
    fclose(out);
}

/* --- known optima --- */

/* Half a swing of m x'' = -k x in time T without any control: with the midpoint rule k = 4 m/h^2
 * tan^2(pi/2N). */
TEST(stiffness_of_an_oscillator_that_must_turn_over)
{
    write_file("title: Oscillator\n"
               "parameters: {k: 5}\n"
               "planar_bodies:\n"
               "  block: {mass: 2, inertia: 1}\n"
               "joints:\n"
               "  - {prismatic: [ground, block], axis: [1, 0], at: {ground: [0, 0], block: origin}, slide: "
               "1, name: rail}\n"
               "springs:\n"
               "  - {joint: rail, stiffness: =k, rest: 0}\n"
               "optimize:\n"
               "  intervals: 50\n"
               "  duration: 1.5 s\n"
               "  parameters: {k: {from: 1, to: 20}}\n"
               "  controls: [{joint: rail, name: u}]\n"
               "  objective: [{effort: 1}]\n"
               "  conditions: [{joint: rail, equals: -1, at: end}]\n"
               "  end_velocity: rest\n",
               "", "");
    double h = 1.5 / 50, t = tan(PI / 100), expected = 8.0 / (h * h) * t * t;
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        CHECK(run(file_name, &words[k], 1, &summary) == AC_OK);
        CHECK_NEAR(summary_of(&summary, "parameter_k"), expected, 1e-6);
        CHECK_NEAR(summary_of(&summary, "parameter_k"), 2.0 * PI * PI / 2.25,
                   6e-3); /* m (pi/T)^2 (1 + 2/3 (pi/2N)^2) */
        CHECK_NEAR(summary_of(&summary, "objective"), 0.0, 1e-10);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    }
}

/* Half a period of small swings: l = g h^2 / (4 sin^2(pi/2N)), because gravity is linear in redundant
 * coordinates. */
TEST(length_of_a_pendulum_with_a_given_period)
{
    write_file("title: Pendulum\n"
               "parameters: {l: 0.8}\n"
               "gravity: [0, -9.81]\n"
               "points:\n"
               "  bob: {mass: 1, position: [0.001, -1]}\n"
               "joints:\n"
               "  - {distance: [ground, bob], at: {ground: [0, 0]}, length: =l}\n"
               "optimize:\n"
               "  intervals: 40\n"
               "  duration: 1 s\n"
               "  parameters: {l: {from: 0.3, to: 3}}\n"
               "  controls: [{force: bob, component: x, name: u}]\n"
               "  objective: [{effort: 1e6}]\n"
               "  quantities: {x: {of: bob, point: centre, along: x}}\n"
               "  conditions: [{expression: x/l + 0.001/sqrt(1.000001), equals: 0, at: end}]\n"
               "  end_velocity: rest\n",
               "", "");
    double h = 1.0 / 40, s = sin(PI / 80), expected = 9.81 * h * h / (4.0 * s * s);
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        CHECK(run(file_name, &words[k], 1, &summary) == AC_OK);
        CHECK_NEAR(summary_of(&summary, "parameter_l"), expected, 2e-6);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    }
}

/* --- against fixed designs --- */

static const char HEAD[] =
    "title: Arm\n"
    "gravity: [0, -9.81]\n"
    "parameters: {l: 0.6, k: 4, rho: 1.2, half: =l/2}\n"
    "planar_bodies:\n"
    "  link: {mass: =rho*l, inertia: =rho*l^3/12, centre: [=half, 0], points: {tip: [=l, 0]}}\n"
    "joints:\n"
    "  - {revolute: [ground, link], at: {ground: [0, 0], link: origin}, angle: =-pi/2, name: hinge}\n"
    "springs:\n"
    "  - {joint: hinge, stiffness: =k, rest: =pi/2}\n"
    "optimize:\n"
    "  intervals: 30\n"
    "  duration: 1.5 s\n"
    "  controls: [{joint: hinge, name: u}]\n"
    "  objective:\n"
    "    - {effort: 1}\n"
    "    - {end: 0.1*k + 3*(l - 0.8)^2}\n"
    "  quantities: {height: {of: link, point: tip, along: y}}\n"
    "  conditions:\n"
    "    - {joint: hinge, equals: =pi/2, at: end}\n"
    "    - {expression: height - 2*half, at_most: 0.1, at: end}\n"
    "  end_velocity: rest\n";
static const char FREE[] = "  parameters: {l: {from: 0.3, to: 1.2}, k: {from: 0, to: 60}}\n";

static double fixed_design(double l, double k)
{
    char words[2][64];
    const char *settings[2] = {words[0], words[1]};
    ac_summary summary;
    snprintf(words[0], sizeof words[0], "parameters.l=%.17g", l);
    snprintf(words[1], sizeof words[1], "parameters.k=%.17g", k);
    write_file(HEAD, "", "");
    CHECK(run(file_name, settings, 2, &summary) == AC_OK);
    return summary_of(&summary, "objective");
}

TEST(optimal_design_is_the_minimum_of_fixed_designs)
{
    ac_summary summary;
    write_file(HEAD, FREE, "");
    CHECK(run(file_name, NULL, 0, &summary) == AC_OK);
    double l = summary_of(&summary, "parameter_l"), k = summary_of(&summary, "parameter_k"), step = 1e-3;
    double best = summary_of(&summary, "objective");
    CHECK(l > 0.31 && l < 1.19 && k > 0.01 && k < 59);
    CHECK_NEAR(fixed_design(l, k), best, 1e-8);
    double l1 = fixed_design(l + step, k), l2 = fixed_design(l - step, k), k1 = fixed_design(l, k + step),
           k2 = fixed_design(l, k - step);
    CHECK(l1 > best && l2 > best && k1 > best && k2 > best);
    CHECK_NEAR((l1 - l2) / (2.0 * step), 0.0, 1e-4);
    CHECK_NEAR((k1 - k2) / (2.0 * step), 0.0, 1e-4);
}

TEST(both_formulations_find_the_same_design)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers",
                                        "optimize.hessian=limited-memory"};
    static const char *const names[] = {"objective", "parameter_reach", "parameter_stiffness",
                                        "parameter_hook"};
    ac_summary summary[3];
    for (int k = 0; k < 3; ++k) {
        CHECK(run("examples/control/balanced-arm.yaml", &words[k], 1, &summary[k]) == AC_OK);
        CHECK_NEAR(summary_of(&summary[k], "resimulation_error"), 0.0, 1e-6);
    }
    for (int k = 1; k < 3; ++k)
        for (int e = 0; e < 4; ++e) {
            double first = summary_of(&summary[0], names[e]), other = summary_of(&summary[k], names[e]);
            CHECK_NEAR(other, first, (k == 1 ? 1e-6 : 1e-3) * fabs(first));
        }
}

/* Bounds and places of conditions may depend on parameters, too. */
TEST(conditions_follow_parameters)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    const char *cut = strstr(HEAD, "  conditions:");
    char head[2000];
    snprintf(head, sizeof head, "%.*s", (int)(cut - HEAD), HEAD);
    write_file(head, FREE,
               "  conditions:\n"
               "    - {joint: hinge, equals: =pi/2 + (l - half - half), at: end}\n"
               "    - {expression: l*k, equals: =2*rho*l, at: end}\n"
               "    - {expression: 0.1, at_least: =l/5 - 0.03, at_most: =l, at: end}\n"
               "  end_velocity: rest\n");
    double l[2];
    for (int k = 0; k < 2; ++k) {
        ac_summary summary;
        CHECK(run(file_name, &words[k], 1, &summary) == AC_OK);
        l[k] = summary_of(&summary, "parameter_l");
        CHECK_NEAR(summary_of(&summary, "parameter_k"), 2.4, 1e-8);
        CHECK(l[k] < 0.65 + 1e-6 && l[k] > 0.1);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-7);
    }
    CHECK_NEAR(l[0], l[1], 1e-6);
    write_file(head, FREE, "  conditions: [{point: tip, of: link, place: [=l*sin(k), =half], at: end}]\n");
    for (int k = 0; k < 2; ++k) {
        ac_problem *problem = NULL;
        double differences[3] = {NAN, NAN, NAN};
        int dependent;
        char name[128];
        CHECK(ac_problem_read(ctx, file_name, &words[k], 1, &problem) == AC_OK);
        CHECK(ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name) ==
              AC_OK);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 2e-5);
        ac_problem_free(problem);
    }
}

/* --- guesses --- */

TEST(earlier_results_continuation_and_refinement_carry_the_parameters)
{
    ac_summary first, second, third, fourth;
    char guess[SCRATCH_SIZE + 32];
    write_file(HEAD, FREE, "");
    snprintf(guess, sizeof guess, "  guess: {file: %s}\n", result_name);
    unlink(result_name);
    CHECK(run_into(file_name, NULL, 0, result_name, &first) == AC_OK);
    ac_result *result = NULL;
    double stored = NAN;
    CHECK(ac_result_open(ctx, result_name, &result) == AC_OK);
    CHECK(ac_result_number(result, "parameter_l", &stored));
    CHECK_NEAR(stored, summary_of(&first, "parameter_l"), 1e-15);
    ac_result_close(result);
    write_file(HEAD, FREE, guess);
    CHECK(run(file_name, NULL, 0, &second) == AC_OK);
    CHECK(summary_of(&second, "iterations") < 0.7 * summary_of(&first, "iterations"));
    write_file(HEAD, FREE, "  continuation: {parameter: rho, values: [0.5, 0.8]}\n");
    CHECK(run(file_name, NULL, 0, &third) == AC_OK);
    write_file(HEAD, FREE, "  refine: [30]\n");
    const char *const coarse = "optimize.intervals=15";
    CHECK(run(file_name, &coarse, 1, &fourth) == AC_OK);
    const ac_summary *others[] = {&second, &third, &fourth};
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(summary_of(others[k], "parameter_l"), summary_of(&first, "parameter_l"), 1e-6);
        CHECK_NEAR(summary_of(others[k], "parameter_k"), summary_of(&first, "parameter_k"), 1e-5);
        CHECK_NEAR(summary_of(others[k], "objective"), summary_of(&first, "objective"), 1e-8);
    }
    unlink(result_name);
}

/* --- solids --- */

/* Reading compares mass, inertia, centre and points of the solid with those at other sizes. */
TEST(sizes_of_solids_are_followed)
{
    static const char *const solids[] = {
        "{rod: {length: =l, mass: =3*l}}",
        "{rod: {length: =l, mass: 2, along: y}, position: [=l/4, 0.1, =d]}",
        "{box: {size: [=l, =d, 0.2], density: 700}}",
        "{box: {size: [0.1, =l, =d], mass: 2}, position: [0, =l, 0]}",
        "{cylinder: {length: =l, radius: =d, inner_radius: =d/2, density: 900, along: x}}",
        "{sphere: {radius: =l, density: 500}, position: [=d, 0, 0]}",
        "{disc: {radius: =l, mass: =2*d}}",
    };
    static const char *const points[] = {"end", "middle", "x+", "z-", "end", "centre", "[=l, 0, =d]"};
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    if (!ctx) ctx = ac_context_new(NULL);
    for (size_t k = 0; k < sizeof solids / sizeof *solids; ++k) {
        char text[2000];
        snprintf(text, sizeof text,
                 "title: Solid\n"
                 "parameters: {l: 0.5, d: 0.3}\n"
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  body: {solid: %s}\n"
                 "  other: {mass: 1, inertia: [0.1, 0.2, 0.15]}\n"
                 "joints:\n"
                 "  - {spherical: [ground, body], at: {ground: [0, 0, 0], body: origin}, coordinates: [0.1, "
                 "0.2, 0.3]}\n"
                 "  - {revolute: [body, other], axis: [0, 1, 0], at: {body: %s, other: [0.1, =d, 0]}, angle: "
                 "0.3, name: j}\n"
                 "springs:\n"
                 "  - {between: [ground, body], at: {ground: [1, =d, 1]}, stiffness: =10*l, length: 0.2}\n"
                 "optimize:\n"
                 "  intervals: 3\n"
                 "  duration: 0.5 s\n"
                 "  parameters: {l: {from: 0.2, to: 2}, d: {from: 0.1, to: 1}}\n"
                 "  controls: [{joint: j, name: u}]\n"
                 "  objective: [{effort: 1}, {energy: 0.3}]\n"
                 "  quantities: {far: {distance: [ground, body], at: {body: %s}}}\n"
                 "  conditions: [{expression: far, at_least: 0.01}]\n",
                 solids[k], points[k], points[k]);
        write_file(text, "", "");
        for (int f = 0; f < 2; ++f) {
            ac_problem *problem = NULL;
            double differences[3] = {NAN, NAN, NAN};
            int dependent;
            char name[128];
            ac_status status = ac_problem_read(ctx, file_name, &words[f], 1, &problem);
            if (status == AC_OK)
                status = ac_optimization_check(ac_problem_optimization(problem), differences, &dependent,
                                               name);
            if (status != AC_OK) printf("%s: %s\n", solids[k], ac_context_message(ctx));
            CHECK(status == AC_OK);
            CHECK_NEAR(differences[0], 0.0, 2e-6);
            CHECK_NEAR(differences[1], 0.0, 2e-6);
            CHECK_NEAR(differences[2], 0.0, 3e-5);
            ac_problem_free(problem);
        }
    }
}

/* --- refusals --- */

/* A crank whose rocker ends on a movable foot. */
static const char LOOP[] =
    "title: Loop\n"
    "parameters: {foot: 1}\n"
    "ground: {points: {foot: [=foot, 0]}}\n"
    "planar_bodies:\n"
    "  crank: {mass: 1, inertia: 0.1, points: {a: [0, 0], b: [0.3, 0]}}\n"
    "  rod: {mass: 1, inertia: 0.1, points: {a: [0, 0], b: [0.9, 0]}}\n"
    "  rocker: {mass: 1, inertia: 0.1, points: {a: [0, 0], b: [0.6, 0]}}\n"
    "joints:\n"
    "  - {revolute: [ground, crank], at: {ground: [0, 0], crank: a}, angle: 1.2, name: motor}\n"
    "  - {revolute: [crank, rod], at: {crank: b, rod: a}, angle: -1, hint: true}\n"
    "  - {revolute: [ground, rocker], at: {ground: foot, rocker: a}, angle: 1.5, hint: true}\n"
    "  - {revolute: [rod, rocker], at: {rod: b, rocker: b}}\n"
    "optimize:\n"
    "  intervals: 10\n"
    "  duration: 1 s\n"
    "  parameters: {foot: {from: 0.8, to: 1.1}}\n"
    "  controls: [{joint: motor, name: u}]\n"
    "  objective: [{effort: 1}, {end: (foot - 0.9)^2}]\n"
    "  conditions: [{joint: motor, equals: 2, at: end}";

/* The given start, and a free one with the condition that the motor is where it was given. */
TEST(loops_follow_their_lengths_from_a_given_start)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers"};
    static const char *const starts[] = {
        "]\n", ", {joint: motor, equals: 1.2, at: start}]\n  start: free\n  start_velocity: initial\n"};
    double found[4];
    if (!ctx) ctx = ac_context_new(NULL);
    for (int k = 0; k < 4; ++k) {
        ac_problem *problem = NULL;
        double differences[3];
        int dependent;
        char name[128];
        ac_summary summary;
        write_file(LOOP, starts[k / 2], "");
        CHECK(ac_problem_read(ctx, file_name, &words[k % 2], 1, &problem) == AC_OK);
        CHECK(ac_optimization_check(ac_problem_optimization(problem), differences, &dependent, name) ==
              AC_OK);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 2e-5);
        ac_problem_free(problem);
        CHECK(run(file_name, &words[k % 2], 1, &summary) == AC_OK);
        found[k] = summary_of(&summary, "parameter_foot");
        CHECK_NEAR(found[k], found[0], 1e-6);
        CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-6);
    }
    CHECK(found[0] > 0.8 && found[0] < 1.1);
}

TEST(the_library_refuses_what_does_not_fit)
{
    if (!ctx) ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    ac_point_mass point = {.name = "p", .mass = 2, .dimension = 2, .placed = true};
    CHECK(ac_system_add_point_mass(system, &point, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_optimization_defaults(&s);
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    ac_dependence mass = {.datum = AC_DATUM_MASS, .expression = "m"};
    CHECK(ac_optimization_add_dependence(o, &mass, NULL, NULL) == AC_BAD_INPUT);
    ac_parameter m = {"m", 2, 3, 1};
    CHECK(ac_optimization_add_parameter(o, &m) == AC_BAD_INPUT);
    m = (ac_parameter){"m", 2, 3, 4};
    CHECK(ac_optimization_add_parameter(o, &m) == AC_BAD_INPUT);
    m = (ac_parameter){"T", 2, 1, 4};
    CHECK(ac_optimization_add_parameter(o, &m) == AC_BAD_INPUT);
    m = (ac_parameter){"m", 2, 1, 4};
    CHECK(ac_optimization_add_parameter(o, &m) == AC_OK);
    CHECK(ac_optimization_add_parameter(o, &m) == AC_BAD_INPUT); /* the name is taken */
    ac_dependence wrong = {.datum = AC_DATUM_MASS, .expression = "2*m"};
    CHECK(ac_optimization_add_dependence(o, &wrong, NULL, NULL) ==
          AC_BAD_INPUT); /* the system has 2, not 4 */
    wrong = (ac_dependence){.datum = AC_DATUM_MASS, .object = 7, .expression = "m"};
    CHECK(ac_optimization_add_dependence(o, &wrong, NULL, NULL) == AC_BAD_INPUT);
    wrong = (ac_dependence){.datum = AC_DATUM_INERTIA, .expression = "m"};
    CHECK(ac_optimization_add_dependence(o, &wrong, NULL, NULL) == AC_BAD_INPUT);
    wrong = (ac_dependence){.datum = AC_DATUM_MASS, .expression = "m + nothing"};
    CHECK(ac_optimization_add_dependence(o, &wrong, NULL, NULL) == AC_BAD_INPUT);
    CHECK(ac_optimization_add_dependence(o, &mass, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_add_dependence(o, &mass, NULL, NULL) == AC_BAD_INPUT); /* twice */
    CHECK(ac_optimization_guess_parameter(o, 1, 2.0) == AC_BAD_INPUT);
    CHECK(ac_optimization_guess_parameter(o, 0, 9.0) == AC_OK); /* put into the bounds */
    CHECK(ac_optimization_parameters(o) == 1);
    CHECK_TEXT(ac_optimization_parameter_name(o, 0), "m");
    ac_optimization_free(o);
    ac_system_free(system);
    remove(file_name);
}

RUN_TESTS(CASE(stiffness_of_an_oscillator_that_must_turn_over),
          CASE(length_of_a_pendulum_with_a_given_period),
          CASE(optimal_design_is_the_minimum_of_fixed_designs), CASE(both_formulations_find_the_same_design),
          CASE(earlier_results_continuation_and_refinement_carry_the_parameters),
          CASE(conditions_follow_parameters), CASE(sizes_of_solids_are_followed),
          CASE(loops_follow_their_lengths_from_a_given_start), CASE(the_library_refuses_what_does_not_fit))
