/* What remains of solves that fail or are interrupted, and what is said about them. */
#include <unistd.h>

#include "actio/plan.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

#define SLIDER                                             \
    "title: a slider\n"                                    \
    "parameters: {m: 2, goal: 1}\n"                        \
    "planar_bodies:\n"                                     \
    "  b: {mass: =m, inertia: 1, points: {p: [0.5, 0]}}\n" \
    "joints:\n"                                            \
    "  - {name: s, prismatic: [ground, b], at: {b: [0, 0]}, axis: [1, 0]}\n"
#define OPTIMIZE        \
    "optimize:\n"       \
    "  intervals: 20\n" \
    "  duration: 1\n"   \
    "  objective: [{effort: 1}]\n"
#define CONTROL "  controls: [{joint: s, name: u}]\n"
#define WEAK "  controls: [{joint: s, name: u, limit: 2}]\n"
#define TO_GOAL "  conditions: [{joint: s, equals: =goal, at: end}]\n  end_velocity: rest\n"

static ac_status read_text(const char *text, const char *const *settings, int count, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/actio-test-failures-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return AC_IO_FAILED;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, settings, count, problem);
    remove(path);
    return status;
}

static ac_status run(const char *text, const char *setting, ac_progress progress, void *user,
                     ac_summary *summary)
{
    ac_problem *problem;
    ac_status status = read_text(text, &setting, setting ? 1 : 0, &problem);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    summary->count = 0;
    if (!problem) return status;
    status = ac_run(ctx, problem, NULL, progress, user, summary);
    ac_problem_free(problem);
    return status;
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static int stop_later(void *user, double done, const char *words)
{
    (void)words;
    return done >= *(const double *)user;
}

static int stop_soon(void *user, int iteration, double objective, double violation)
{
    (void)user, (void)objective, (void)violation;
    return iteration >= 1;
}

static bool says(const char *words)
{
    bool found = strstr(ac_context_message(ctx), words) != NULL;
    if (!found) printf("no \"%s\" in: %s\n", words, ac_context_message(ctx));
    return found;
}

/* ---- what remains ---- */

TEST(an_interrupted_refinement_keeps_the_coarse_solution)
{
    ac_summary coarse, summary;
    double from = 0.3; /* rounds: 20, then 6000 intervals */
    CHECK(run(SLIDER OPTIMIZE CONTROL TO_GOAL, NULL, NULL, NULL, &coarse) == AC_OK);
    CHECK(run(SLIDER OPTIMIZE CONTROL TO_GOAL "  refine: [6000]\n", NULL, stop_later, &from, &summary) ==
          AC_INTERRUPTED);
    CHECK(says("with 6000 intervals: interrupted") && says("is kept"));
    CHECK(summary_of(&summary, "intervals") == 20.0);
    CHECK_NEAR(summary_of(&summary, "objective"), summary_of(&coarse, "objective"), 1e-12);
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
    CHECK_NEAR(summary_of(&summary, "resimulation_error"), 0.0, 1e-8);
    CHECK_NEAR(summary_of(&summary, "multiplier of s"), summary_of(&coarse, "multiplier of s"), 1e-12);
}

TEST(interrupted_starts_keep_the_best_solution)
{
    ac_summary one, summary;
    double from = 0.1;
    CHECK(run(SLIDER OPTIMIZE CONTROL TO_GOAL, NULL, NULL, NULL, &one) == AC_OK);
    CHECK(run(SLIDER OPTIMIZE CONTROL TO_GOAL "  starts: 2000\n", NULL, stop_later, &from, &summary) ==
          AC_INTERRUPTED);
    CHECK(says("further starts: interrupted") && says("is kept"));
    CHECK_NEAR(summary_of(&summary, "objective"), summary_of(&one, "objective"), 1e-6);
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
}

/* A point that was kept comes back as it was, from another mesh and formulation. */
TEST(a_kept_point_comes_back_whole)
{
    ac_problem *problem;
    ac_kept_point *kept = NULL;
    CHECK(read_text(SLIDER OPTIMIZE CONTROL TO_GOAL, NULL, 0, &problem) == AC_OK);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    double objective = ac_optimization_result(o)->objective, x = ac_optimization_configuration(o, 10)[0],
           u = ac_optimization_control_values(o, 7)[0], mu = ac_optimization_multiplier(o, 0);
    CHECK(ac_optimization_keep(o, &kept) == AC_OK);
    CHECK(ac_optimization_reformulate(o, "multipliers") == AC_OK);
    CHECK(ac_optimization_remesh(o, 50) == AC_OK);
    CHECK(ac_optimization_solve(o, stop_soon, NULL) == AC_INTERRUPTED);
    CHECK(ac_optimization_restore(o, kept) == AC_OK);
    CHECK(ac_optimization_intervals(o) == 20);
    CHECK(strcmp(ac_optimization_formulation(o), "reduced") == 0);
    CHECK(ac_optimization_result(o)->objective == objective);
    CHECK(ac_optimization_configuration(o, 10)[0] == x);
    CHECK(ac_optimization_control_values(o, 7)[0] == u);
    CHECK(ac_optimization_multiplier(o, 0) == mu);
    CHECK_NEAR(ac_optimization_momentum_defect(o), 0.0, 1e-10);
    ac_kept_point_free(kept);
    ac_problem_free(problem);
}

TEST(a_continuation_says_where_it_ended)
{
    static const char text[] = SLIDER OPTIMIZE WEAK TO_GOAL
        "  continuation: {parameter: goal, values: [0.1, 0.2, 0.9]}\n";
    ac_summary summary;
    CHECK(run(text, NULL, NULL, NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(says("for goal = 0.9, on the way: "));
    CHECK(says("what is kept is the solution for goal = 0.2"));
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
    CHECK(summary_of(&summary, "objective") > 0.0);
}

/* With phases, too; the result says how many starts were solved. */
TEST(starts_with_phases_follow_the_continuation)
{
    static const char text[] =
        "title: throw\nparameters: {way: 1}\npoints: {ball: {mass: 1, position: [0, 0]}}\n"
        "optimize:\n  intervals: 6\n  duration: 1\n  starts: 3\n  disturbance: 0.3\n"
        "  continuation: {parameter: way, values: [0.2, 0.6]}\n"
        "  controls: [{force: ball, name: f}]\n"
        "  quantities: {x: {of: ball, point: centre, along: x}}\n"
        "  objective: [{effort: 1}]\n  phases:\n"
        "    - {name: to, conditions: [{expression: x, equals: =way, at: end}]}\n"
        "    - {name: back, impact: {x: 0.5}, conditions: [{expression: x, equals: 0, at: end}]}\n";
    ac_summary summary, one;
    CHECK(run(text, NULL, NULL, NULL, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "starts"), 3.0, 0.0);
    CHECK_NEAR(summary_of(&summary, "starts_solved"), 3.0, 0.0);
    CHECK(summary_of(&summary, "best_start") >= 1.0);
    CHECK(run(text, "optimize.starts=1", NULL, NULL, &one) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "objective"), summary_of(&one, "objective"), 1e-8);
    CHECK(summary_of(&summary, "iterations") > 2.0 * summary_of(&one, "iterations"));
}

/* ---- redundant conditions ---- */

TEST(redundant_conditions_change_nothing)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers",
                                        "optimize.formulation=minimal",
                                        "optimize.formulation=collocation-qp"};
    for (int k = 0; k < 4; ++k) {
        ac_summary twice, point, once;
        CHECK(run(SLIDER OPTIMIZE CONTROL "  quantities: {x: {joint: s}}\n"
                                          "  conditions:\n"
                                          "    - {expression: x, equals: 1, at: end}\n"
                                          "    - {expression: 2*x, equals: 2, at: end}\n",
                  words[k], NULL, NULL, &twice) == AC_OK);
        CHECK_NEAR(summary_of(&twice, "objective"), 6.00375235, 1e-7);
        CHECK(run(SLIDER OPTIMIZE CONTROL "  conditions:\n"
                                          "    - {joint: s, equals: 1, at: end}\n"
                                          "    - {point: p, of: b, place: [1.5, 0], at: end}\n"
                                          "  end_velocity: rest\n",
                  words[k], NULL, NULL, &point) == AC_OK);
        CHECK(run(SLIDER OPTIMIZE CONTROL TO_GOAL, words[k], NULL, NULL, &once) == AC_OK);
        CHECK_NEAR(summary_of(&point, "objective"), summary_of(&once, "objective"), 1e-5);
    }
}

/* ---- contradictions are named ---- */

TEST(contradictions_are_named)
{
    static const char *const words[] = {"optimize.formulation=reduced", "optimize.formulation=multipliers",
                                        "optimize.formulation=collocation-qp"};
    ac_summary summary;
    for (int k = 0; k < 3; ++k) {
        CHECK(run(SLIDER OPTIMIZE CONTROL "  quantities: {x: {joint: s}}\n"
                                          "  conditions:\n"
                                          "    - {expression: x, equals: 1, at: end, name: near}\n"
                                          "    - {expression: x, equals: 2, at: end, name: far}\n",
                  words[k], NULL, NULL, &summary) == AC_NOT_CONVERGED);
        CHECK(says("condition 'near' at the end") && says("condition 'far' at the end"));
        CHECK(run(SLIDER OPTIMIZE WEAK TO_GOAL, words[k], NULL, NULL, &summary) == AC_NOT_CONVERGED);
        CHECK(says("condition 's' at the end") && says("rest at the end") &&
              says("the limits of control 'u'"));
    }
}

/* A control without room is no unknown to the solver, but it is what stands in the way. */
TEST(controls_without_room_are_named)
{
    ac_summary summary;
    CHECK(run(SLIDER OPTIMIZE "  controls: [{joint: s, name: u, limit: 0}]\n" TO_GOAL, NULL, NULL, NULL,
              &summary) == AC_NOT_CONVERGED);
    CHECK(says("condition 's' at the end") && says("the limits of control 'u'"));
}

/* Where all conditions are satisfied, nothing contradicts: the search has stalled. */
TEST(a_stalled_search_is_no_contradiction)
{
    static const char acrobot[] =
        "title: a swing-up that is hard\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  l1: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  l2: {solid: {rod: {length: 1, mass: 1}}}\n"
        "joints:\n"
        "  - {name: s, revolute: [ground, l1], at: {l1: start}, angle: -90 deg}\n"
        "  - {name: e, revolute: [l1, l2], at: {l1: end, l2: start}, angle: 0}\n"
        "optimize:\n"
        "  intervals: 100\n"
        "  duration: 4 s\n"
        "  controls: [{joint: e, name: u, limit: 20}]\n"
        "  objective: [{effort: 1}]\n"
        "  conditions: [{joint: s, equals: 90 deg, at: end}, {joint: e, equals: 0, at: end}]\n"
        "  end_velocity: rest\n";
    ac_summary summary;
    ac_status status = run(acrobot, NULL, NULL, NULL, &summary);
    CHECK(summary_of(&summary, "violation") < 1e-8);
    CHECK(status == AC_OK || (status == AC_NOT_CONVERGED && says("feasible, but not optimal")));
    CHECK(status == AC_OK || strstr(ac_context_message(ctx), "contradict") == NULL);
}

/* ---- what is refused before the solve stands somewhere ---- */

TEST(refusals_have_a_place)
{
    static const char velocity[] = SLIDER OPTIMIZE CONTROL "  quantities: {x: {joint: s}}\n"
                                                           "  conditions:\n"
                                                           "    - {expression: x, equals: 1, at: end}\n"
                                                           "    - {expression: x_rate, equals: 0, at: end}\n"
                                                           "  end_velocity: rest\n";
    static const char formulation[] = SLIDER "loads: [{joint: s, value: 1}]\n" OPTIMIZE CONTROL TO_GOAL
                                             "  formulation: minimal\n";
    static const char momentum[] =
        "title: a wheel on a body\n"
        "planar_bodies:\n"
        "  b: {mass: 1, inertia: 1, position: [0, 0], angular_velocity: 1}\n"
        "  w: {mass: 1, inertia: 1}\n"
        "joints: [{name: s, revolute: [b, w], at: {b: [0, 0], w: [0, 0]}, angle: 0}]\n" OPTIMIZE CONTROL
        "  end_velocity: rest\n";
    ac_summary summary;
    CHECK(run(velocity, NULL, NULL, NULL, &summary) == AC_BAD_INPUT);
    CHECK(says(".yaml:15:7: the velocity at the end is given"));
    CHECK(run(formulation, NULL, NULL, NULL, &summary) == AC_BAD_INPUT);
    CHECK(says(".yaml:15:16: minimal coordinates and collocation"));
    CHECK(run(momentum, NULL, NULL, NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(says(".yaml:11:17: the conditions contradict each other"));
}

TEST(dependent_conditions_have_names)
{
    ac_problem *problem;
    double differences[3];
    int count = 0;
    char name[128];
    CHECK(read_text(SLIDER OPTIMIZE CONTROL "  quantities: {x: {joint: s}}\n"
                                            "  conditions:\n"
                                            "    - {expression: x, equals: 1, at: end, name: one}\n"
                                            "    - {expression: 2*x, equals: 2, at: end, name: two}\n"
                                            "    - {expression: 3*x, equals: 3, at: end, name: three}\n",
                    NULL, 0, &problem) == AC_OK);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(!ac_optimization_dependent_name(o, 0, name));
    CHECK(ac_optimization_check(o, differences, &count, name) == AC_OK);
    CHECK(count == 2);
    for (int k = 0; k < 2; ++k) {
        CHECK(ac_optimization_dependent_name(o, k, name));
        CHECK(strstr(name, "condition '") == name);
    }
    CHECK(!ac_optimization_dependent_name(o, 2, name));
    CHECK(!ac_optimization_dependent_name(o, -1, name));
    ac_problem_free(problem);
}

/* ---- bounds of parameters ---- */

TEST(bounds_without_a_system_are_refused)
{
    static const char text[] = SLIDER OPTIMIZE CONTROL TO_GOAL "  parameters: {m: {from: -1, to: 10}}\n";
    ac_problem *problem;
    CHECK(read_text(text, NULL, 0, &problem) == AC_BAD_INPUT);
    CHECK(problem == NULL);
    CHECK(says(".yaml:14:26: the parameter 'm' may become -1: "));
    CHECK(says(".yaml:4:13: mass must be positive"));
    ac_problem_free(problem);
}

/* ---- turns ---- */

TEST(wide_tolerances_and_large_steps_are_no_lost_turns)
{
    ac_summary summary;
    CHECK(run(SLIDER "optimize:\n"
                     "  intervals: 1\n"
                     "  duration: 10\n"
                     "  tolerance: 1\n"
                     "  objective: [{effort: 1}]\n"
                     "  conditions: [{joint: s, equals: 1, at: end}]\n" WEAK,
              NULL, NULL, NULL, &summary) == AC_OK);
    CHECK(summary_of(&summary, "violation") > 1e-2); /* as wide as it was asked for */
    static const char wheel[] = "title: a wheel\n"
                                "planar_bodies: {b: {mass: 1, inertia: 1}}\n"
                                "joints: [{name: j, revolute: [ground, b], at: {b: [0, 0]}}]\n"
                                "optimize:\n"
                                "  formulation: minimal\n"
                                "  intervals: 5\n"
                                "  duration: 1\n"
                                "  controls: [{joint: j, name: u}]\n"
                                "  objective: [{effort: 1}]\n"
                                "  conditions: [{joint: j, equals: 12, at: end}]\n"
                                "  end_velocity: rest\n";
    CHECK(run(wheel, NULL, NULL, NULL, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "objective"), 900.0, 1e-5);
    CHECK_NEAR(summary_of(&summary, "violation"), 0.0, 1e-8);
}

TEST(what_is_unclear_is_refused_or_named)
{
    ac_problem *problem;
    CHECK(read_text(SLIDER
                    "optimize:\n  intervals: 5\n  duration: 3\n  free_duration: true\n  most_duration: 2\n"
                    "  objective: [{effort: 1}]\n" CONTROL,
                    NULL, 0, &problem) == AC_BAD_INPUT);
    CHECK(says("must be between least_duration and most_duration"));
    CHECK(read_text(SLIDER OPTIMIZE CONTROL "  conditions: [{joint: s, equals: =max(1, 2), at: end}]\n", NULL,
                    0, &problem) == AC_BAD_INPUT);
    CHECK(says("put an expression with commas into quotes"));
    /* two conditions on one joint have names of their own */
    CHECK(read_text(SLIDER OPTIMIZE CONTROL
                    "  conditions: [{joint: s, equals: 1, at: end}, {joint: s, at_most: 2}]\n",
                    NULL, 0, &problem) == AC_OK);
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK_TEXT(ac_optimization_condition_name(o, 0), "s");
    CHECK_TEXT(ac_optimization_condition_name(o, 1), "s (2)");
    ac_problem_free(problem);
}

/* A rod that is to stand up within a second turns by up to 3 rad in an interval at next to no cost: such a motion is none, and is taken only
 * where no start has another one. */
TEST(starts_with_another_motion_than_the_simulator_do_not_win)
{
    static const char swing[] =
        "parameters: {N: 5, T: 1}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}\n"
        "joints: [{name: h, revolute: [ground, arm], at: {arm: start}, angle: -90 deg}]\n"
        "optimize:\n  intervals: =N\n  duration: =T\n  turn_limit: 3\n"
        "  controls: [{joint: h, name: u}]\n  quantities: {phi: {joint: h}}\n"
        "  objective: [{effort: 1}]\n"
        "  conditions: [{expression: sin(phi), equals: 1, at: end}]\n"
        "  end_velocity: rest\n";
    int passed = 0, flawed = 0;
    for (int N = 4; N <= 5; ++N)
        for (int k = 0; k < 4; ++k) {
            char settings[2][32];
            const char *const all[] = {settings[0], settings[1]};
            ac_problem *problem;
            ac_optimization_plan plan;
            ac_plan_outcome outcome;
            ac_resimulation again;
            int tight;
            snprintf(settings[0], sizeof settings[0], "parameters.N=%d", N);
            snprintf(settings[1], sizeof settings[1], "parameters.T=%g", 0.5 + 0.25 * k);
            CHECK(read_text(swing, all, 2, &problem) == AC_OK);
            if (!problem) return;
            ac_optimization *o = ac_problem_optimization(problem);
            ac_optimization_plan_defaults(&plan);
            plan.starts = 12;
            CHECK(ac_optimization_run_plan(o, &plan, NULL, &outcome) == AC_OK);
            CHECK(ac_optimization_tight_turns(o, &tight) == AC_OK);
            CHECK(ac_optimization_resimulate(o, NULL, &again) == AC_OK);
            bool sound = tight == 0 && again.alone;
            CHECK(outcome.passed_start == 0 ||
                  (sound && outcome.passed_objective < ac_optimization_result(o)->objective));
            passed += outcome.passed_start > 0;
            flawed += !sound;
            ac_problem_free(problem);
        }
    CHECK(passed >= 2 && flawed >= 2);
}

/* Where a value, a slope or a curvature is not finite, the operation and its argument are named. */
TEST(operations_at_their_edges_are_named)
{
    static const struct {
        const char *objective, *words;
    } edges[] = {
        {"sqrt(p)", "slope of the expression \"sqrt(p)\" is not a number at node 20: sqrt(x) at x = 0"},
        {"2 + (p*1)^0.5", "is not a number at node 20: x^y at x = 0, y = 0.5"},
        {"p^1.5", "curvature of the expression \"p^1.5\" is not a number at node 20: x^y at x = 0, y = 1.5"},
        {"acos(1 - p)", "acos(x) at x = 1"},
        {"atan2(2*p, p)", "atan2(x, y) at x = 0, y = 0"},
        {"1/p", "the expression \"1/p\" is not a number at node 20: x/y at x = 1, y = 0"},
        {"log(p - 3)", "the expression \"log(p - 3)\" is not a number at node 20: log(x) at x = -3"},
        {"sqrt(p + q)*0 + log(2 + p)", "sqrt(x) at x = 0"},
    };
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k) {
        char text[1024];
        ac_summary summary;
        snprintf(text, sizeof text,
                 SLIDER "optimize:\n  intervals: 20\n  duration: 1\n" CONTROL
                        "  quantities: {p: {joint: s}, q: {signal: \"=0*t\"}}\n"
                        "  objective: [{effort: 1}, {end: \"%s\"}]\n",
                 edges[k].objective);
        CHECK(run(text, NULL, NULL, NULL, &summary) == AC_NOT_CONVERGED);
        CHECK(says(edges[k].words));
    }
}

RUN_TESTS(CASE(starts_with_another_motion_than_the_simulator_do_not_win),
          CASE(operations_at_their_edges_are_named), CASE(what_is_unclear_is_refused_or_named),
          CASE(an_interrupted_refinement_keeps_the_coarse_solution),
          CASE(interrupted_starts_keep_the_best_solution), CASE(a_kept_point_comes_back_whole),
          CASE(a_continuation_says_where_it_ended), CASE(starts_with_phases_follow_the_continuation),
          CASE(redundant_conditions_change_nothing), CASE(contradictions_are_named),
          CASE(controls_without_room_are_named), CASE(a_stalled_search_is_no_contradiction),
          CASE(refusals_have_a_place), CASE(dependent_conditions_have_names),
          CASE(bounds_without_a_system_are_refused), CASE(wide_tolerances_and_large_steps_are_no_lost_turns))
