/* The plan of an optimisation through the C interface: a slider that moves from rest to rest.
 *
 * With N intervals of h = T/N and a constant force on each, the least effort 1/2 int u^2 for a way A of a mass m
 * is 6 A^2 m^2 / T^3 * N^2 / (N^2 - 1): the least norm under sum u = 0 and sum (N - k - 1/2) u_k = A m / h^2. */
#include "actio/plan.h"
#include "test.h"

static ac_context *ctx;

static const double T = 2.0;

static double least_effort(double m, double A, int N)
{
    return 6.0 * A * A * m * m / (T * T * T) * N * N / (N * N - 1.0);
}

static ac_system *slider(double mass)
{
    ac_system *system = NULL;
    int node = 0;
    ac_body body = {.name = "slider", .mass = mass, .inertia = {1, 1, 1, 0, 0, 0}};
    ac_joint guide = {.name = "guide",
                      .type = AC_PRISMATIC,
                      .a = AC_GROUND,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity()};
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_body(system, &body, &node) == AC_OK);
    CHECK(ac_system_add_joint(system, &guide, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

/* `end`: an expression of the place a that is zero at the end. */
static ac_optimization *move(const ac_system *system, const char *end, double guess)
{
    ac_optimization *o = NULL;
    ac_optimization_settings settings;
    ac_optimization_defaults(&settings);
    settings.intervals = 10;
    settings.duration = T;
    settings.start_fixed = settings.start_velocity = settings.end_rest = true;
    const ac_control control = {
        .name = "u", .type = AC_LOAD_JOINT, .low = -INFINITY, .high = INFINITY, .rate = INFINITY};
    const ac_quantity place = {.name = "a", .type = AC_QUANTITY_JOINT};
    const ac_condition reached = {.expression = end, .place = AC_AT_END};
    const ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1};
    const double s[] = {0, 1}, places[] = {0, guess};
    CHECK(ac_optimization_new(ctx, system, &settings, &o) == AC_OK);
    CHECK(ac_optimization_add_control(o, &control) == AC_OK);
    CHECK(ac_optimization_add_quantity(o, &place) == AC_OK);
    CHECK(ac_optimization_add_condition(o, &reached, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_guess_joint(o, 0, 2, s, places) == AC_OK);
    return o;
}

TEST(finer_meshes_follow_each_other_and_are_simulated_again)
{
    ac_system *system = slider(0.5);
    ac_optimization *o = move(system, "a - 1", 0.7);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    ac_resimulation again;
    ac_optimization_plan_defaults(&plan);
    plan.refine[plan.refine_count++] = 20;
    plan.refine[plan.refine_count++] = 40;
    CHECK(ac_optimization_run_plan(o, &plan, NULL, &outcome) == AC_OK);
    CHECK(outcome.solved && outcome.tried && outcome.reached == o);
    CHECK(outcome.rounds == 3 && ac_optimization_intervals(o) == 40);
    CHECK(outcome.time > ac_optimization_result(o)->time); /* of all three meshes */
    CHECK(outcome.functions_time > ac_optimization_result(o)->functions_time);
    CHECK_NEAR(ac_optimization_result(o)->objective, least_effort(0.5, 1, 40), 1e-8);
    CHECK(ac_optimization_resimulate(o, NULL, &again) == AC_OK);
    CHECK(again.steps == 40);
    CHECK_NEAR(again.difference, 0.0, 1e-9);
    CHECK_TEXT(again.remark, "");
    ac_optimization_free(o);
    ac_system_free(system);
}

/* Between the nodes of the coarse mesh directors are shorter than one; the body of the fine one is rigid all the same, so that the
 * simulator makes the same motion. */
TEST(a_free_body_stays_rigid_on_a_finer_mesh)
{
    ac_system *system = NULL;
    int node = 0;
    ac_optimization *o = NULL;
    ac_optimization_settings settings;
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    ac_resimulation again;
    const ac_planar_body body = {.name = "body", .mass = 1.0, .inertia = 0.5};
    const ac_control torque = {.name = "u",
                               .type = AC_LOAD_TORQUE,
                               .coordinate = 2,

                               .low = -INFINITY,
                               .high = INFINITY,
                               .rate = INFINITY};
    const ac_quantity end = {
        .name = "c", .type = AC_QUANTITY_POINT, .point = {0, {1, 0, 0}}, .direction = {0, 1, 0}};
    const ac_condition reached = {.expression = "c - 0.8", .place = AC_AT_END};
    const ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1};
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_planar_body(system, &body, &node) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_optimization_defaults(&settings);
    settings.intervals = 5;
    settings.duration = T;
    settings.start_fixed = settings.start_velocity = settings.end_rest = true;
    CHECK(ac_optimization_new(ctx, system, &settings, &o) == AC_OK);
    CHECK(ac_optimization_add_control(o, &torque) == AC_OK);
    CHECK(ac_optimization_add_quantity(o, &end) == AC_OK);
    CHECK(ac_optimization_add_condition(o, &reached, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    ac_optimization_plan_defaults(&plan);
    plan.refine[plan.refine_count++] = 10;
    ac_status status = ac_optimization_run_plan(o, &plan, NULL, &outcome);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK && ac_optimization_intervals(o) == 10);
    for (int n = 0; n <= 10; ++n) {
        const double *q = ac_optimization_configuration(o, n);
        CHECK_NEAR(q[2] * q[2] + q[3] * q[3], 1.0, 1e-12);
    }
    CHECK(ac_optimization_resimulate(o, NULL, &again) == AC_OK);
    CHECK_NEAR(again.difference, 0.0, 1e-8);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* Two places satisfy the condition; the guess leads to the expensive one. */
TEST(the_best_of_several_starts_is_kept)
{
    ac_system *system = slider(0.5);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    ac_optimization_plan_defaults(&plan);
    ac_optimization *o = move(system, "(a + 1) * (a - 2)", 0.6);
    CHECK(ac_optimization_run_plan(o, &plan, NULL, &outcome) == AC_OK);
    CHECK_NEAR(ac_optimization_result(o)->objective, least_effort(0.5, 2, 10), 1e-7);
    ac_optimization_free(o);

    o = move(system, "(a + 1) * (a - 2)", 0.6);
    plan.starts = 8;
    CHECK(ac_optimization_run_plan(o, &plan, NULL, &outcome) == AC_OK);
    CHECK(outcome.rounds == 8);
    CHECK_NEAR(ac_optimization_result(o)->objective, least_effort(0.5, 1, 10), 1e-7);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* ---- continuation: the place of the end moves ---- */

typedef struct steps {
    const ac_system *system;
    int made, released;
    double limit; /* beyond it the condition cannot be satisfied */
    int fails;    /* so many problems cannot be solved */
    bool forked;  /* two places satisfy the condition */
    int stop_at;  /* iteration; 0: never */
} steps;

static ac_status problem_at(void *user, double value, ac_optimization **o)
{
    steps *s = user;
    char end[64];
    bool fails = value > s->limit || s->made < s->fails;
    snprintf(end, sizeof end,
             fails       ? "a * a + %.17g"
             : s->forked ? "(a / %.17g + 1) * (a - 2)"
                         : "a - %.17g",
             value);
    *o = move(s->system, end, s->forked ? 1.2 : 0.0);
    ++s->made;
    return AC_OK;
}

static void release(void *user, ac_optimization *o)
{
    ++((steps *)user)->released;
    ac_optimization_free(o);
}

static int stop(void *user, const ac_plan_progress *now)
{
    const steps *s = user;
    return s->stop_at > 0 && now->iteration >= s->stop_at;
}

TEST(a_parameter_is_continued_by_the_hook)
{
    ac_system *system = slider(0.5);
    ac_optimization *o = move(system, "a - 1", 0.0);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    steps s = {.system = system, .limit = INFINITY};
    const ac_plan_hooks hooks = {&s, stop, problem_at, release};
    ac_optimization_plan_defaults(&plan);
    snprintf(plan.parameter, sizeof plan.parameter, "way");
    plan.values[plan.value_count++] = 0.3;
    plan.values[plan.value_count++] = 0.6;
    CHECK(ac_optimization_run_plan(o, &plan, NULL, &outcome) == AC_BAD_INPUT); /* nothing makes the steps */
    CHECK(ac_optimization_run_plan(o, &plan, &hooks, &outcome) == AC_OK);
    CHECK(s.made == 2 && s.released == 2 && outcome.reached == o);
    CHECK_NEAR(ac_optimization_result(o)->objective, least_effort(0.5, 1, 10), 1e-8);
    ac_optimization_free(o);
    ac_system_free(system);
}

TEST(a_continuation_that_stops_leaves_its_last_solution)
{
    ac_system *system = slider(0.5);
    ac_optimization *o = move(system, "a - 1", 0.0);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    steps s = {.system = system, .limit = 0.5};
    const ac_plan_hooks hooks = {&s, NULL, problem_at, release};
    ac_optimization_plan_defaults(&plan);
    snprintf(plan.parameter, sizeof plan.parameter, "way");
    plan.values[plan.value_count++] = 0.3;
    plan.values[plan.value_count++] = 0.6;
    CHECK(ac_optimization_run_plan(o, &plan, &hooks, &outcome) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "for way = 0.6, on the way") != NULL);
    CHECK(!outcome.solved && outcome.reached != o);
    CHECK(s.made == 2 && s.released == 1); /* the solution on the way stays with the caller */
    CHECK_NEAR(ac_optimization_result(outcome.reached)->objective, least_effort(0.5, 0.3, 10), 1e-8);
    ac_optimization_free(outcome.reached);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* The place -1 is cheaper than 2, and the first guess leads to 2. */
TEST(every_start_follows_the_continuation)
{
    ac_system *system = slider(0.5);
    ac_optimization *o = move(system, "(a + 1) * (a - 2)", 0.6);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    steps s = {.system = system, .limit = INFINITY, .forked = true};
    const ac_plan_hooks hooks = {&s, stop, problem_at, release};
    ac_optimization_plan_defaults(&plan);
    snprintf(plan.parameter, sizeof plan.parameter, "way");
    plan.values[plan.value_count++] = 0.3;
    plan.values[plan.value_count++] = 0.6;
    plan.starts = 8;
    CHECK(ac_optimization_run_plan(o, &plan, &hooks, &outcome) == AC_OK);
    CHECK(s.made == 16 && s.released == 16 && outcome.reached == o && outcome.rounds == 8);
    CHECK(outcome.starts_solved == 8 && outcome.best_start > 1);
    CHECK_NEAR(ac_optimization_result(o)->objective, least_effort(0.5, 1, 10), 1e-7);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* The first start ends on the way, or all of them do. */
TEST(starts_that_end_on_the_way_are_not_the_last)
{
    for (int fails = 1; fails <= 2; ++fails) {
        ac_system *system = slider(0.5);
        ac_optimization *o = move(system, "a - 1", 0.0);
        ac_optimization_plan plan;
        ac_plan_outcome outcome;
        steps s = {.system = system, .limit = INFINITY, .fails = fails};
        const ac_plan_hooks hooks = {&s, stop, problem_at, release};
        ac_optimization_plan_defaults(&plan);
        snprintf(plan.parameter, sizeof plan.parameter, "way");
        plan.values[plan.value_count++] = 0.3;
        plan.values[plan.value_count++] = 0.6;
        plan.starts = 2;
        ac_status status = ac_optimization_run_plan(o, &plan, &hooks, &outcome);
        CHECK(status == (fails == 1 ? AC_OK : AC_NOT_CONVERGED));
        CHECK(outcome.starts_solved == 2 - fails && outcome.best_start == (fails == 1 ? 2 : 0));
        CHECK((outcome.reached == o) == (fails == 1));
        CHECK(s.made == (fails == 1 ? 3 : 2) && s.released == (fails == 1 ? 3 : 1));
        if (fails == 2) {
            CHECK(strstr(ac_context_message(ctx), "none of 2 starts was solved; the last: for way = 0.3"));
            ac_optimization_free(outcome.reached);
        }
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

TEST(a_plan_can_be_stopped)
{
    ac_system *system = slider(0.5);
    ac_optimization *o = move(system, "a - 1", 0.0);
    ac_optimization_plan plan;
    ac_plan_outcome outcome;
    steps s = {.system = system, .stop_at = 1};
    const ac_plan_hooks hooks = {&s, stop, NULL, NULL};
    ac_optimization_plan_defaults(&plan);
    CHECK(ac_optimization_run_plan(o, &plan, &hooks, &outcome) == AC_INTERRUPTED);
    CHECK(!outcome.solved && outcome.tried);
    ac_optimization_free(o);
    ac_system_free(system);
}

RUN_TESTS(CASE(finer_meshes_follow_each_other_and_are_simulated_again),
          CASE(a_free_body_stays_rigid_on_a_finer_mesh), CASE(the_best_of_several_starts_is_kept),
          CASE(a_parameter_is_continued_by_the_hook),
          CASE(a_continuation_that_stops_leaves_its_last_solution),
          CASE(every_start_follows_the_continuation), CASE(starts_that_end_on_the_way_are_not_the_last),
          CASE(a_plan_can_be_stopped))
