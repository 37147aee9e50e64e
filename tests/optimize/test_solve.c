/* Optimal control solved: known optima, the two formulations, contradictions named, momentum under controls.
 */
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/problem/prepare.h"
#include "integrate/stepper.h"
#include "action/momentum.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *problem_of(const char *path, const char *const *settings, int count)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    ac_status status = ac_problem_read(ctx, path, settings, count, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

static ac_status run(const char *path, const char *const *settings, int count, ac_summary *summary)
{
    ac_problem *problem = problem_of(path, settings, count);
    summary->count = 0;
    if (!problem) return AC_BAD_INPUT;
    ac_status status = ac_run(ctx, problem, NULL, NULL, NULL, summary);
    ac_problem_free(problem);
    return status;
}

/* Values from an independent transcription of the same discrete Lagrangian. */
TEST(swing_up_of_the_pendulum)
{
    static const char *const meshes[] = {"parameters.N=50", "parameters.N=100", "parameters.N=200",
                                         "parameters.N=400"};
    static const double cost[] = {18.43659146, 18.34928384, 18.32743109, 18.32196628};
    for (int k = 0; k < 4; ++k) {
        ac_summary summary;
        CHECK(run("examples/control/pendulum-swing-up.yaml", &meshes[k], 1, &summary) == AC_OK);
        CHECK_NEAR(summary_of(&summary, "objective"), cost[k], 1e-8);
    }
}

TEST(reduced_and_multipliers_have_the_same_optimum)
{
    static const struct {
        const char *path, *mesh; /* coarser where the optimum takes long; NULL: as in the file */
    } cases[] = {{"examples/control/four-bar.yaml", NULL},
                 {"examples/control/periodic-swing.yaml", NULL},
                 {"examples/control/crane.yaml", NULL},
                 {"examples/control/two-link-pendulum.yaml", NULL},
                 {"examples/control/robot-arm.yaml", NULL},
                 {"examples/control/satellite.yaml", NULL},
                 {"examples/control/obstacle.yaml", NULL},
                 {"examples/control/satellite-two-rotors.yaml", "parameters.N=20"},
                 {"examples/control/pitcher.yaml", "parameters.N=20"},
                 {"examples/control/flexible-arm.yaml", "parameters.N=12"},
                 {"examples/control/pendulum-swing-up.yaml", NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const char *reduced[] = {"optimize.formulation=reduced", cases[k].mesh},
                   *multipliers[] = {"optimize.formulation=multipliers", cases[k].mesh};
        int count = cases[k].mesh ? 2 : 1;
        ac_summary a, b;
        CHECK(run(cases[k].path, reduced, count, &a) == AC_OK);
        CHECK(run(cases[k].path, multipliers, count, &b) == AC_OK);
        double one = summary_of(&a, "objective"), two = summary_of(&b, "objective");
        CHECK_NEAR(two, one, 1e-8 * fabs(one));
        CHECK_NEAR(summary_of(&a, "resimulation_error"), 0.0, 1e-8);
    }
}

TEST(refining_continues_from_the_coarse_solution)
{
    const char *settings[] = {"parameters.N=16", "optimize.refine=[32, 64]"};
    char scratch[SCRATCH_SIZE];
    const char *with_refine = scratch_path(scratch, "refine.yaml");
    FILE *in = fopen("examples/control/two-link-pendulum.yaml", "r"), *out = fopen(with_refine, "w");
    CHECK(in && out);
    if (!in || !out) return;
    for (int c = fgetc(in); c != EOF; c = fgetc(in)) fputc(c, out);
    fputs("  refine: [2]\n", out);
    fclose(in);
    fclose(out);
    ac_summary summary;
    CHECK(run(with_refine, settings, 2, &summary) == AC_OK);
    CHECK_NEAR(summary_of(&summary, "objective"), 80.195154760, 1e-7);
    CHECK_NEAR(summary_of(&summary, "intervals"), 64, 0);
    remove(with_refine);
}

/* The goal is out of reach: not solved, and the message names a condition. */
TEST(contradictions_are_named)
{
    const char *settings[] = {"parameters.l2=0.5", "optimize.max_iterations=300"};
    ac_summary summary;
    CHECK(run("examples/control/robot-arm.yaml", settings, 2, &summary) == AC_NOT_CONVERGED);
    const char *message = ac_context_message(ctx);
    CHECK(strstr(message, "largest violation") != NULL);
    CHECK(strstr(message, "condition '") || strstr(message, "dynamics at") || strstr(message, "momentum at"));
    CHECK(summary_of(&summary, "violation") > 1e-6);
}

static int stop_at_five(void *user, int iteration, double objective, double violation)
{
    (void)user, (void)objective, (void)violation;
    return iteration >= 5;
}

TEST(an_interrupted_solve_keeps_a_point)
{
    const char *settings[] = {"parameters.N=50"};
    ac_problem *problem = problem_of("examples/control/pendulum-swing-up.yaml", settings, 1);
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_solve(o, stop_at_five, NULL) == AC_INTERRUPTED);
    CHECK(strstr(ac_context_message(ctx), "interrupted after") != NULL);
    CHECK(isfinite(ac_optimization_result(o)->objective));
    ac_problem_free(problem);
}

TEST(the_free_duration_stays_in_its_bounds)
{
    ac_summary summary;
    const char *settings[] = {"optimize.most_duration=0.15", "parameters.T=0.12", "parameters.N=20"};
    CHECK(run("examples/control/pitcher.yaml", settings, 3, &summary) == AC_OK);
    double T = summary_of(&summary, "duration");
    CHECK(T >= 0.1 - 1e-9 && T <= 0.15 + 1e-9);
}

TEST(the_same_seed_gives_the_same_solution)
{
    double cost[2];
    for (int k = 0; k < 2; ++k) {
        ac_problem *problem = problem_of("examples/control/two-link-pendulum.yaml", NULL, 0);
        ac_optimization *o = ac_problem_optimization(problem);
        ac_optimization_disturb(o, 11, 0.2);
        ac_status status = ac_optimization_solve(o, NULL, NULL);
        CHECK(status == AC_OK || status == AC_NOT_CONVERGED);
        cost[k] = ac_optimization_result(o)->objective;
        ac_problem_free(problem);
    }
    CHECK(cost[0] == cost[1]);
}

/* --- momentum under controls --- */

static ac_system *free_pair(ac_joint_type type)
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        ac_body b = {
            .name = k == 0 ? "a" : "b", .mass = 1.0 + k, .inertia = {0.3, 0.4, 0.5, 0.01, 0.02, -0.03}};
        b.pose = ac_pose_identity();
        CHECK(ac_system_add_body(system, &b, NULL) == AC_OK);
    }
    ac_joint j = {.name = "j",
                  .type = type,
                  .a = 0,
                  .b = 1,
                  .frame_a = ac_pose_identity(),
                  .frame_b = ac_pose_identity(),
                  .has_coordinates = true};
    j.frame_a.position[0] = 0.4;
    j.frame_b.position[1] = -0.3;
    for (int c = 0; c < 3; ++c) j.coordinates[c] = 0.1 * (c + 1);
    CHECK(ac_system_add_joint(system, &j, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

/* Joint controls leave the momenta of a free pair alone; a torque on a body changes the angular momentum by
 * h times itself. */
static void check_momentum(ac_joint_type type, bool torque, const char *scheme)
{
    enum { STEPS = 40 };
    ac_system *system = free_pair(type);
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.intervals = STEPS;
    s.duration = 0.4;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    int coordinates = ac_system_joint_coordinates(system, 0);
    for (int c = 0; c < (torque ? 3 : coordinates); ++c) {
        char name[16];
        snprintf(name, sizeof name, "u%d", c);
        ac_control control = {.name = name,
                              .type = torque ? AC_LOAD_TORQUE : AC_LOAD_JOINT,
                              .point = {1, {0}},
                              .coordinate = c,
                              .low = -INFINITY,
                              .high = INFINITY,
                              .rate = INFINITY,
                              .guess = 0.7 - 0.5 * c};
        CHECK(ac_optimization_add_control(o, &control) == AC_OK);
    }
    CHECK(ac_optimization_prepare(o) == AC_OK);
    ac_stepper stepper;
    ac_simulation_settings simulation;
    memset(&stepper, 0, sizeof stepper);
    ac_simulation_defaults(&simulation);
    simulation.step = 0.01;
    simulation.scheme = scheme;
    stepper.interval.controls = ac_optimization_inputs(o);
    stepper.interval.tau = ac_optimization_input_values(o, 0);
    CHECK(ac_stepper_create(&stepper, ctx, system, &simulation) == AC_OK);
    for (int k = 0; k < STEPS; ++k) {
        const double about[3] = {0, 0, 0};
        double linear[3], angular[3];
        stepper.interval.tau = ac_optimization_input_values(o, k);
        if (k > 0) ac_stepper_advance(&stepper);
        CHECK(ac_stepper_solve(&stepper) == AC_OK);
        ac_momentum_maps(system, stepper.qb, stepper.right, about, linear, angular);
        for (int i = 0; i < 3; ++i) {
            double expected = torque ? (k + 1) * 0.01 * (0.7 - 0.5 * i) : 0.0;
            CHECK_NEAR(linear[i], 0.0, 1e-11);
            CHECK_NEAR(angular[i], expected, 1e-11);
        }
    }
    ac_stepper_destroy(&stepper);
    ac_optimization_free(o);
    ac_system_free(system);
}

TEST(momentum_changes_exactly_by_the_applied_forces)
{
    static const ac_joint_type types[] = {AC_SPHERICAL, AC_CYLINDRICAL, AC_REVOLUTE,
                                          AC_PRISMATIC, AC_PLANAR,      AC_UNIVERSAL};
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
        for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
            check_momentum(types[k], false, *scheme);
            check_momentum(types[k], true, *scheme);
        }
}

/* A moving free system cannot come to rest by internal controls: told before the solve. */
TEST(impossible_rest_is_told_before_the_solve)
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        ac_body b = {.name = k == 0 ? "a" : "b",
                     .mass = 1.0,
                     .inertia = {0.3, 0.4, 0.5},
                     .placed = k == 0,
                     .moving = k == 0,
                     .velocity = {1, 0, 0}};
        b.pose = ac_pose_identity();
        CHECK(ac_system_add_body(system, &b, NULL) == AC_OK);
    }
    ac_joint j = {.name = "j",
                  .type = AC_REVOLUTE,
                  .a = 0,
                  .b = 1,
                  .frame_a = ac_pose_identity(),
                  .frame_b = ac_pose_identity()};
    CHECK(ac_system_add_joint(system, &j, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.end_rest = true;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    ac_control control = {.name = "u", .type = AC_LOAD_JOINT, .low = -1, .high = 1, .rate = INFINITY};
    CHECK(ac_optimization_add_control(o, &control) == AC_OK);
    ac_objective objective = {.type = AC_OBJECTIVE_EFFORT, .weight = 1};
    CHECK(ac_optimization_add_objective(o, &objective, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "contradict") != NULL);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* A condition that is given twice is found before the solve. */
TEST(dependent_conditions_are_found)
{
    ac_problem *problem = problem_of("examples/control/two-link-pendulum.yaml", NULL, 0);
    ac_optimization *o = ac_problem_optimization(problem);
    ac_condition again = {
        .name = "again", .expression = "theta1", .place = AC_AT_END, .low = 1.5, .high = 1.5};
    CHECK(ac_optimization_add_condition(o, &again, NULL, NULL) == AC_OK);
    double differences[3];
    int dependent = -1;
    char name[128];
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
    CHECK(dependent == 1);
    CHECK(name[0] != '\0');
    ac_problem_free(problem);
}

/* Springs and rates at the end: discrete mechanics of the angles and collocation on (q, p) are the same,
 * the others agree to the order of the mesh. */
TEST(all_formulations_take_springs_and_rates_at_the_end)
{
    static const char text[] =
        "title: rates and springs in all formulations\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  upper: {solid: {rod: {length: 0.5, mass: 2}}}\n"
        "  lower: {solid: {rod: {length: 0.4, mass: 1}}}\n"
        "joints:\n"
        "  - {name: shoulder, revolute: [ground, upper], at: {ground: [0, 0], upper: start}, angle: -90 "
        "deg}\n"
        "  - {name: elbow, revolute: [upper, lower], at: {upper: end, lower: start}, angle: 10 deg}\n"
        "springs:\n"
        "  - {between: [ground, lower], at: {ground: [0.3, 0.3], lower: end}, stiffness: 10, length: 0.4}\n"
        "  - {joint: elbow, stiffness: 3, rest: 0}\n"
        "optimize:\n"
        "  intervals: 80\n"
        "  duration: 1\n"
        "  controls:\n"
        "    - {joint: shoulder, name: tau1}\n"
        "    - {joint: elbow, name: tau2}\n"
        "  quantities:\n"
        "    tip_x: {point: end, of: lower, along: x}\n"
        "    tip_y: {point: end, of: lower, along: y}\n"
        "  objective: [{effort: 1}]\n"
        "  conditions:\n"
        "    - {point: end, of: lower, place: [0.5, -0.4], at: end}\n"
        "    - {expression: tip_x_rate, equals: 1, at: end}\n"
        "    - {expression: tip_y_rate, equals: 0, at: end}\n";
    static const char *const words[] = {"reduced", "multipliers", "minimal", "collocation-qp",
                                        "collocation-qv"};
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "rates.yaml");
    double cost[5];
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs(text, file);
    fclose(file);
    for (int k = 0; k < 5; ++k) {
        char setting[64];
        snprintf(setting, sizeof setting, "optimize.formulation=%s", words[k]);
        const char *settings[] = {setting};
        ac_summary summary;
        CHECK(run(path, settings, 1, &summary) == AC_OK);
        cost[k] = summary_of(&summary, "objective");
    }
    remove(path);
    CHECK_NEAR(cost[1], cost[0], 1e-8);
    CHECK_NEAR(cost[3], cost[2], 1e-8);
    CHECK_NEAR(cost[2], cost[0], 1e-3 * cost[0]);
    CHECK_NEAR(cost[4], cost[0], 1e-3 * cost[0]);
}

/* The multiplier of a condition tells how the objective changes with its bound. */
TEST(multipliers_are_sensitivities)
{
    static const char *const settings[] = {"parameters.far=2.001", "parameters.far=1.999",
                                           "parameters.far=2"};
    static const char text[] =
        "title: cart\n"
        "parameters: {far: 2}\n"
        "planar_bodies: {cart: {mass: 3, inertia: 1}}\n"
        "joints: [{prismatic: [ground, cart], at: {ground: [0, 0], cart: origin}, axis: [1, 0, 0], "
        "name: rail, slide: 0}]\n"
        "optimize:\n"
        "  intervals: 20\n"
        "  duration: 1.5\n"
        "  controls: [{joint: rail, name: push}]\n"
        "  objective: [{effort: 1}]\n"
        "  conditions: [{joint: rail, equals: =far, at: end}]\n"
        "  end_velocity: rest\n";
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "cart.yaml");
    double cost[3], multiplier = NAN;
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs(text, file);
    fclose(file);
    for (int k = 0; k < 3; ++k) {
        ac_summary summary;
        CHECK(run(path, &settings[k], 1, &summary) == AC_OK);
        cost[k] = summary_of(&summary, "objective");
        multiplier = summary_of(&summary, "multiplier of rail");
    }
    remove(path);
    CHECK_NEAR(-multiplier, (cost[0] - cost[1]) / 0.002, 1e-6 * fabs(multiplier));
    CHECK(fabs(multiplier) > 1.0);
}

RUN_TESTS(CASE(all_formulations_take_springs_and_rates_at_the_end), CASE(multipliers_are_sensitivities),
          CASE(swing_up_of_the_pendulum), CASE(reduced_and_multipliers_have_the_same_optimum),
          CASE(refining_continues_from_the_coarse_solution), CASE(contradictions_are_named),
          CASE(an_interrupted_solve_keeps_a_point), CASE(the_free_duration_stays_in_its_bounds),
          CASE(the_same_seed_gives_the_same_solution), CASE(momentum_changes_exactly_by_the_applied_forces),
          CASE(impossible_rest_is_told_before_the_solve), CASE(dependent_conditions_are_found))
