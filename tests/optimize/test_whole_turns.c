/* Angles of axes beyond half a turn: the axis is kept from passing over the normal of its plane, where turns
 * are lost. */
#include <math.h>

#include "actio/optimize.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static ac_system *free_body(void)
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    ac_body body = {.name = "box", .mass = 2.0, .inertia = {0.1, 0.2, 0.3, 0, 0, 0}};
    body.pose = ac_pose_identity();
    CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void push_everywhere(ac_optimization *o)
{
    static const char *const names[] = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    for (int k = 0; k < 6; ++k) {
        ac_control c = {.name = names[k],
                        .type = k < 3 ? AC_LOAD_FORCE : AC_LOAD_TORQUE,
                        .point = {0, {0, 0, 0}},
                        .coordinate = k % 3,
                        .low = -INFINITY,
                        .high = INFINITY,
                        .rate = INFINITY};
        CHECK(ac_optimization_add_control(o, &c) == AC_OK);
    }
}

/* A free body whose x axis is to turn by an angle while an off-centre point arrives at a place. */
static ac_optimization *turning(const ac_system *system, int intervals, double angle)
{
    static const char *const places[] = {"px", "py", "pz"};
    static const double goal[] = {1.0, 0.5, 0.2};
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.intervals = intervals;
    s.duration = 2.0;
    s.end_rest = true;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    push_everywhere(o);
    ac_quantity turn = {.name = "angle",
                        .type = AC_QUANTITY_ANGLE,
                        .point = {0, {0, 0, 0}},
                        .axis = {1, 0, 0},
                        .direction = {1, 0, 0},
                        .second = {0, 1, 0}};
    CHECK(ac_optimization_add_quantity(o, &turn) == AC_OK);
    ac_condition end = {.expression = "angle", .place = AC_AT_END, .low = angle, .high = angle};
    CHECK(ac_optimization_add_condition(o, &end, NULL, NULL) == AC_OK);
    for (int k = 0; k < 3; ++k) {
        ac_quantity place = {.name = places[k], .type = AC_QUANTITY_POINT, .point = {0, {0.5, 0, 0}}};
        place.direction[k] = 1.0;
        CHECK(ac_optimization_add_quantity(o, &place) == AC_OK);
        ac_condition there = {.expression = places[k], .place = AC_AT_END, .low = goal[k], .high = goal[k]};
        CHECK(ac_optimization_add_condition(o, &there, NULL, NULL) == AC_OK);
    }
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0};
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    return o;
}

TEST(a_free_body_turns_by_more_than_half_a_turn)
{
    static const double angles[] = {4.0, 5.0, -5.0, 9.0};
    ac_system *system = free_body();
    for (int k = 0; k < 4; ++k) {
        ac_optimization *o = turning(system, 30, angles[k]);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_result(o)->iterations < 200);
        CHECK_NEAR(ac_optimization_quantity_value(o, 0, 30), angles[k], 1e-7);
        for (int n = 0; n < 30; ++n) { /* every step is less than half a turn, so the turns are real */
            double step = ac_optimization_quantity_value(o, 0, n + 1) -
                          ac_optimization_quantity_value(o, 0, n);
            CHECK(fabs(step) < acos(-1.0));
        }
        ac_optimization_free(o);
    }
    ac_system_free(system);
}

TEST(less_than_half_a_turn_needs_nothing)
{
    ac_system *system = free_body();
    ac_optimization *near = turning(system, 4, 3.0), *far = turning(system, 4, -3.3);
    CHECK(near->description.condition_count == 4);
    CHECK(far->description.condition_count == 5);
    CHECK(ac_optimization_conditions(far) == 4); /* those reported are the ones that were asked for */
    CHECK(ac_optimization_prepare(near) == AC_OK);
    CHECK(ac_optimization_prepare(far) == AC_OK);
    CHECK(far->layout.rows == near->layout.rows + 4);
    ac_optimization_free(near);
    ac_optimization_free(far);
    ac_system_free(system);
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(a_free_body_turns_by_more_than_half_a_turn), CASE(less_than_half_a_turn_needs_nothing))
