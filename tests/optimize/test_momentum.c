/* Momentum and energy as quantities: their values, what forces make of them, and what is refused. */
#include <math.h>
#include <string.h>

#include "actio/optimize.h"
#include "test.h"

static ac_context *ctx;

/* A free body of mass 2 that moves and turns, and a mass point. */
static ac_system *body_and_point(bool moving)
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    const double gravity[3] = {0, 0, -10};
    if (moving) CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    ac_body b = {.name = "b", .mass = 2, .inertia = {0.3, 0.4, 0.5, 0, 0, 0}, .pose = ac_pose_identity()};
    b.pose.position[0] = 1.0;
    b.placed = true;
    b.moving = moving;
    if (moving) {
        b.velocity[1] = 3.0;
        b.angular_velocity[2] = 4.0;
    }
    ac_point_mass p = {.name = "p", .mass = 0.5, .dimension = 3, .placed = true, .position = {0, 2, 1}};
    p.moving = moving;
    p.velocity[0] = -1.0;
    CHECK(ac_system_add_body(system, &b, NULL) == AC_OK);
    CHECK(ac_system_add_point_mass(system, &p, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static ac_optimization *problem(const ac_system *system, const char *formulation, int intervals)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.intervals = intervals;
    s.duration = 0.5;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    return o;
}

static ac_status add(ac_optimization *o, const char *name, ac_quantity_type type, int node, int direction,
                     bool about_centre)
{
    ac_quantity q = {.name = name, .type = type, .point = {node, {0}}, .about_centre = about_centre};
    q.direction[direction] = 1.0;
    return ac_optimization_add_quantity(o, &q);
}

static void add_control(ac_optimization *o, const char *name, ac_load_type type, int coordinate)
{
    ac_control c = {.name = name,
                    .type = type,
                    .point = {0, {0}},
                    .coordinate = coordinate,
                    .low = -3,
                    .high = 3,
                    .rate = INFINITY};
    CHECK(ac_optimization_add_control(o, &c) == AC_OK);
}

static ac_status add_condition(ac_optimization *o, const char *text, ac_condition_place place, double value)
{
    ac_condition c = {.expression = text, .place = place, .low = value, .high = value};
    return ac_optimization_add_condition(o, &c, NULL, NULL);
}

static void add_objective(ac_optimization *o, ac_objective_type type, double weight, const char *text)
{
    ac_objective c = {.type = type, .weight = weight, .expression = text};
    CHECK(ac_optimization_add_objective(o, &c, NULL, NULL) == AC_OK);
}

TEST(values_are_those_of_mechanics)
{
    ac_system *system = body_and_point(true);
    ac_optimization *o = problem(system, "reduced", 4);
    add_control(o, "u", AC_LOAD_FORCE, 0);
    CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 1, false) == AC_OK);
    CHECK(add(o, "spin", AC_QUANTITY_ANGULAR_MOMENTUM, 0, 2, true) == AC_OK);
    CHECK(add(o, "about_origin", AC_QUANTITY_ANGULAR_MOMENTUM, 0, 2, false) == AC_OK);
    CHECK(add(o, "kinetic", AC_QUANTITY_KINETIC_ENERGY, 0, 0, false) == AC_OK);
    CHECK(add(o, "potential", AC_QUANTITY_POTENTIAL_ENERGY, AC_WHOLE_SYSTEM, 0, false) == AC_OK);
    CHECK(add(o, "all", AC_QUANTITY_MOMENTUM, AC_WHOLE_SYSTEM, 0, false) == AC_OK);
    CHECK(add(o, "turning", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, 2, false) == AC_OK);
    CHECK(add(o, "energy", AC_QUANTITY_KINETIC_ENERGY, AC_WHOLE_SYSTEM, 0, false) == AC_OK);
    add_objective(o, AC_OBJECTIVE_EFFORT, 1.0, NULL);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    const double at_start[] = {6.0,          0.5 * 4, 0.5 * 4 + 2 * 3 * 1, 0.5 * 2 * 9 + 0.5 * 0.5 * 16,
                               0.5 * 10 * 1, -0.5,    8.0 + 0.5 * 2 * 1,   13.0 + 0.25};
    for (int k = 0; k < 8; ++k) CHECK_NEAR(ac_optimization_quantity_value(o, k, 0), at_start[k], 1e-12);
    /* no force but gravity along z */
    for (int n = 1; n < 4; ++n) CHECK_NEAR(ac_optimization_quantity_value(o, 5, n), -0.5, 1e-9);
    CHECK(strcmp(ac_optimization_quantity_unit(o, 0), "kg m/s") == 0);
    CHECK(strcmp(ac_optimization_quantity_unit(o, 1), "kg m^2/s") == 0);
    CHECK(strcmp(ac_optimization_quantity_unit(o, 3), "J") == 0);
    CHECK(strcmp(ac_optimization_control_unit(o, 0), "N") == 0);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* Momentum maps change exactly by what acts: limit times duration. */
TEST(largest_momentum_at_the_end)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_system *system = body_and_point(false);
        ac_optimization *o = problem(system, words[k], 8);
        add_control(o, "u", AC_LOAD_FORCE, 0);
        add_control(o, "m", AC_LOAD_TORQUE, 2);
        CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 0, false) == AC_OK);
        CHECK(add(o, "spin", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, 2, false) == AC_OK);
        CHECK(strcmp(ac_optimization_control_unit(o, 1), "N m") == 0);
        add_objective(o, AC_OBJECTIVE_END, -1.0, "p + spin");
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK_NEAR(ac_optimization_result(o)->objective, -3.0, 1e-6);
        CHECK_NEAR(ac_optimization_quantity_value(o, 0, 8), 1.5, 1e-6);
        CHECK_NEAR(ac_optimization_quantity_value(o, 1, 8), 1.5, 1e-6);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

/* A constant force is the cheapest way to a momentum: u = p/T, effort p^2/(2T). */
TEST(momentum_as_boundary_condition)
{
    ac_system *system = body_and_point(false);
    ac_optimization *o = problem(system, "reduced", 8);
    add_control(o, "u", AC_LOAD_FORCE, 0);
    CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 0, false) == AC_OK);
    CHECK(add_condition(o, "p", AC_AT_END, 0.8) == AC_OK);
    add_objective(o, AC_OBJECTIVE_EFFORT, 1.0, NULL);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    CHECK_NEAR(ac_optimization_result(o)->objective, 0.8 * 0.8 / (2 * 0.5), 1e-7);
    for (int n = 0; n < 8; ++n) CHECK_NEAR(ac_optimization_control_values(o, n)[0], 1.6, 1e-6);
    ac_optimization_free(o);
    ac_system_free(system);
}

TEST(what_is_refused)
{
    ac_system *system = body_and_point(false);
    ac_optimization *o = problem(system, "reduced", 8);
    CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 0, false) == AC_OK);
    CHECK(add_condition(o, "p_rate", AC_AT_END, 0.0) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "have no rate") != NULL);
    CHECK(add_condition(o, "p", AC_AT_NODES, 0.0) == AC_BAD_INPUT);
    CHECK(add(o, "g", AC_QUANTITY_MOMENTUM, AC_GROUND, 0, false) == AC_BAD_INPUT);
    CHECK(add(o, "w", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, 0, true) == AC_BAD_INPUT);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* The message names the expression, or says that the objective has no lower bound. */
TEST(failures_are_explained)
{
    ac_system *system = body_and_point(false);
    ac_optimization *o = problem(system, "reduced", 4);
    double differences[3];
    int dependent;
    char name[128];
    add_control(o, "u", AC_LOAD_FORCE, 0);
    CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 0, false) == AC_OK);
    add_objective(o, AC_OBJECTIVE_END, 1.0, "log(p - 7)");
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "the expression \"log(p - 7)\" is not a number at node 4") != NULL);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "the expression \"log(p - 7)\" is not a number at node 4") != NULL);
    ac_optimization_free(o);
    o = problem(system, "reduced", 4);
    const ac_control push = {.name = "u",
                             .type = AC_LOAD_FORCE,
                             .point = {0, {0}},
                             .low = -INFINITY,
                             .high = INFINITY,
                             .rate = INFINITY};
    CHECK(ac_optimization_add_control(o, &push) == AC_OK);
    CHECK(add(o, "p", AC_QUANTITY_MOMENTUM, 0, 0, false) == AC_OK);
    add_objective(o, AC_OBJECTIVE_END, -1.0, "p");
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "no lower bound") != NULL);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(values_are_those_of_mechanics), CASE(largest_momentum_at_the_end),
          CASE(momentum_as_boundary_condition), CASE(what_is_refused), CASE(failures_are_explained))
