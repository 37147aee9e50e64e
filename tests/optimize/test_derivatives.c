/* Exact derivatives of objective, conditions and Lagrangian against differences, for systems with every
 * joint, control, quantity and formulation; and problems small enough to know the answer. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "support/joints.h"
#include "test.h"

static ac_context *ctx;

static void setup(void)
{
    if (!ctx) ctx = ac_context_new(NULL);
}

static ac_joint joint(ac_joint_type type, int a, int b, const double at_a[3], const double at_b[3])
{
    ac_joint j = {.type = type, .a = a, .b = b, .frame_a = ac_pose_identity(), .frame_b = ac_pose_identity()};
    static int number;
    static char names[200][16];
    snprintf(names[number], sizeof names[0], "j%d", number);
    j.name = names[number++];
    for (int i = 0; i < 3; ++i) {
        j.frame_a.position[i] = at_a[i];
        j.frame_b.position[i] = at_b[i];
    }
    return j;
}

static int body(ac_system *system, const char *name, double mass)
{
    ac_body b = {
        .name = name, .mass = mass, .inertia = {0.3 * mass, 0.4 * mass, 0.5 * mass, 0.01, 0.02, -0.01}};
    b.pose = ac_pose_identity();
    int node = -1;
    CHECK(ac_system_add_body(system, &b, &node) == AC_OK);
    return node;
}

/* A body on a joint of the given type to the ground (or free), with a second body on a revolute joint. */
static ac_system *pair(ac_joint_type type, bool grounded, bool springs)
{
    setup();
    ac_system *system = NULL;
    const double gravity[3] = {0.3, -0.2, -9.81}, p1[3] = {0.1, 0.2, 0.3}, p2[3] = {-0.3, 0.1, 0.05},
                 zero[3] = {0, 0, 0};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int a = body(system, "a", 1.0), b = body(system, "b", 0.7), j1 = -1, j2 = -1;
    ac_joint first = joint(type, grounded ? AC_GROUND : a, grounded ? a : b, p1, p2);
    first.length = 0.4;
    if (type == AC_DISTANCE && grounded) {
        first.frame_a.position[0] = 0.5;
    }
    CHECK(ac_system_add_joint(system, &first, &j1) == AC_OK);
    if (grounded) {
        ac_joint second = joint(AC_REVOLUTE, a, b, p2, p1);
        second.has_coordinates = true;
        second.coordinates[0] = 0.3;
        CHECK(ac_system_add_joint(system, &second, &j2) == AC_OK);
    }
    if (springs) {
        ac_spring s = {.name = "s",
                       .a = {AC_GROUND, {1, 1, 1}},
                       .b = {b, {0.1, 0, 0}},
                       .stiffness = 3,
                       .damping = 0.4,
                       .length = 0.5};
        CHECK(ac_system_add_spring(system, &s) == AC_OK);
        if (j2 >= 0) {
            ac_joint_spring js = {.name = "js", .joint = j2, .stiffness = 2, .damping = 0.3, .rest = 0.1};
            CHECK(ac_system_add_joint_spring(system, &js) == AC_OK);
        }
        ac_load load = {.name = "l", .type = AC_LOAD_TORQUE, .point = {b, {0, 0, 0}}, .follows = true};
        CHECK(ac_signal_expression(ctx, "0.7 + 2*sin(3*t) + t^2", &load.value[1]) == AC_OK);
        CHECK(ac_system_add_load(system, &load) == AC_OK);
        if (j2 >= 0) {
            ac_load in_joint = {.name = "m", .type = AC_LOAD_JOINT, .joint = j2};
            CHECK(ac_signal_expression(ctx, "1.5*cos(2*t)", &in_joint.value[0]) == AC_OK);
            CHECK(ac_system_add_load(system, &in_joint) == AC_OK);
        }
    }
    (void)zero;
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("finish: %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

static void add_control(ac_optimization *o, const char *name, ac_load_type type, int joint_number, int node,
                        int coordinate, bool follows)
{
    ac_control c = {.name = name,
                    .type = type,
                    .joint = joint_number,
                    .point = {node, {0.1, -0.2, 0.3}},
                    .coordinate = coordinate,
                    .follows = follows,
                    .low = -50,
                    .high = 50,
                    .rate = 400,
                    .guess = 0.3};
    ac_status status = ac_optimization_add_control(o, &c);
    if (status != AC_OK) printf("%s: %s\n", name, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void condition(ac_optimization *o, const char *text, ac_condition_place place, double low, double high)
{
    ac_condition c = {.expression = text, .place = place, .low = low, .high = high};
    ac_status status = ac_optimization_add_condition(o, &c, NULL, NULL);
    if (status != AC_OK) printf("%s: %s\n", text, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void objective(ac_optimization *o, ac_objective_type type, double weight, const char *text)
{
    ac_objective c = {.type = type, .weight = weight, .expression = text};
    CHECK(ac_optimization_add_objective(o, &c, NULL, NULL) == AC_OK);
}

static void quantity(ac_optimization *o, ac_quantity q)
{
    ac_status status = ac_optimization_add_quantity(o, &q);
    if (status != AC_OK) printf("%s: %s\n", q.name, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

/* Everything the vocabulary has, in one problem. */
static void everything(ac_optimization *o, const ac_system *system, bool ends)
{
    ac_system_size size = ac_system_sizes(system);
    for (int j = 0; j < size.joints; ++j)
        for (int c = 0; c < ac_system_joint_coordinates(system, j); ++c) {
            char name[32];
            snprintf(name, sizeof name, "u%d_%d", j, c);
            add_control(o, name, AC_LOAD_JOINT, j, 0, c, j % 2 == 0);
        }
    add_control(o, "push", AC_LOAD_FORCE, 0, 1, 2, true);
    add_control(o, "pull", AC_LOAD_FORCE, 0, 0, 0, false);
    add_control(o, "twist", AC_LOAD_TORQUE, 0, 0, 1, true);
    quantity(o, (ac_quantity){.name = "x",
                              .type = AC_QUANTITY_POINT,
                              .point = {1, {0.3, 0.1, 0.2}},
                              .direction = {0.6, 0, 0.8}});
    quantity(o, (ac_quantity){.name = "gap",
                              .type = AC_QUANTITY_DISTANCE,
                              .point = {1, {0.3, 0.1, 0.2}},
                              .second_point = {AC_GROUND, {2, 1, 1}}});
    quantity(o, (ac_quantity){.name = "tilt",
                              .type = AC_QUANTITY_DIRECTION,
                              .point = {1, {0}},
                              .axis = {0, 0, 1},
                              .direction = {1, 0, 0}});
    quantity(o, (ac_quantity){.name = "angle",
                              .type = AC_QUANTITY_ANGLE,
                              .point = {0, {0}},
                              .axis = {1, 0, 0},
                              .direction = {1, 0, 0},
                              .second = {0, 1, 0}});
    quantity(o, (ac_quantity){.name = "turn",
                              .type = AC_QUANTITY_TURN,
                              .point = {1, {0}},
                              .direction = {0, 1, 0},
                              .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}});
    quantity(o,
             (ac_quantity){
                 .name = "p", .type = AC_QUANTITY_MOMENTUM, .point = {1, {0}}, .direction = {0.6, 0, 0.8}});
    quantity(o, (ac_quantity){.name = "spin",
                              .type = AC_QUANTITY_ANGULAR_MOMENTUM,
                              .point = {0, {0}},
                              .direction = {0.6, 0.8, 0},
                              .about_centre = true});
    quantity(o, (ac_quantity){.name = "whole",
                              .type = AC_QUANTITY_ANGULAR_MOMENTUM,
                              .point = {AC_WHOLE_SYSTEM, {0}},
                              .direction = {0, 0.6, 0.8},
                              .place = {0.3, -0.4, 0.5}});
    quantity(o, (ac_quantity){
                    .name = "kinetic", .type = AC_QUANTITY_KINETIC_ENERGY, .point = {AC_WHOLE_SYSTEM, {0}}});
    quantity(o, (ac_quantity){.name = "height", .type = AC_QUANTITY_POTENTIAL_ENERGY, .point = {1, {0}}});
    condition(o, "p*spin + kinetic", AC_ON_INTERVALS, -1000, 1000);
    if (ends) condition(o, "whole*kinetic + height*p", AC_AT_END, -1000, 1000);
    if (ends) objective(o, AC_OBJECTIVE_END, 0.3, "spin*x_rate + whole^2");
    objective(o, AC_OBJECTIVE_RUNNING, 0.2, "0.1*whole*x + 0.05*kinetic*height_rate");
    condition(o, "x + 0.3*gap^2", AC_AT_END, 0.1, 0.1);
    condition(o, "turn*tilt + t", AC_AT_END, -10, 10);
    condition(o, "gap*angle", AC_AT_NODES, -100, 100);
    condition(o, "push*gap_rate + x*T", AC_ON_INTERVALS, -1000, 1000);
    if (ends) condition(o, "gap_rate*angle + x_rate^2", AC_AT_END, -100, 100);
    if (ends) objective(o, AC_OBJECTIVE_END, -0.7, "x_rate*angle_rate + tilt");
    objective(o, AC_OBJECTIVE_EFFORT, 0.3, NULL);
    objective(o, AC_OBJECTIVE_DURATION, 0.2, NULL);
    objective(o, AC_OBJECTIVE_ENERGY, 0.15, NULL);
    objective(o, AC_OBJECTIVE_RUNNING, 1.1, "(x - sin(t))^2 + 0.1*angle_rate^2 + twist*gap");
    objective(o, AC_OBJECTIVE_ABSOLUTE, 0.5, "pull*x_rate");
    objective(o, AC_OBJECTIVE_RUNNING, 0.4, "push*push_speed + pull*pull_speed + twist*twist_speed");
    if (ac_system_joint_coordinates(system, 0) > 0)
        objective(o, AC_OBJECTIVE_RUNNING, 0.4, "u0_0*u0_0_speed");
}

static void check_scheme(const ac_system *system, const char *formulation, const char *scheme, bool free_time,
                         bool ends, bool periodic)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.scheme = scheme;
    s.intervals = 3;
    s.duration = 0.6;
    s.free_duration = free_time;
    s.least_duration = 0.1;
    s.most_duration = 2.0;
    s.periodic = periodic;
    if (periodic) s.start_velocity = s.start_fixed = false;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    if (!o) return;
    everything(o, system, ends);
    ac_optimization_disturb(o, 7, 0.2);
    double differences[3];
    int dependent;
    char name[128];
    ac_status status = ac_optimization_check(o, differences, &dependent, name);
    if (status != AC_OK) printf("check: %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK_NEAR(differences[0], 0.0, 2e-6);
    CHECK_NEAR(differences[1], 0.0, 2e-6);
    CHECK_NEAR(differences[2], 0.0, 2e-5);
    ac_optimization_free(o);
}

static void check_problem(const ac_system *system, const char *formulation, bool free_time, bool ends,
                          bool periodic)
{
    check_scheme(system, formulation, "midpoint", free_time, ends, periodic);
}

TEST(reduced_formulation_has_exact_derivatives_for_every_joint)
{
    for (int k = 0; k < TYPE_COUNT; ++k) {
        if (TYPES[k] == AC_FIXED) continue; /* nothing moves in it */
        ac_system *system = pair(TYPES[k], true, true);
        int before = test_failures;
        check_problem(system, "reduced", false, false, false);
        if (test_failures > before) printf("joint type %d\n", (int)TYPES[k]);
        ac_system_free(system);
        if (TYPES[k] == AC_DISTANCE) continue;
        system = pair(TYPES[k], false, true);
        check_problem(system, "reduced", false, false, false);
        ac_system_free(system);
    }
}

TEST(multiplier_formulation_has_exact_derivatives_for_every_joint)
{
    for (int k = 0; k < TYPE_COUNT; ++k) {
        if (TYPES[k] == AC_FIXED) continue; /* nothing moves in it */
        ac_system *system = pair(TYPES[k], true, true);
        check_problem(system, "multipliers", false, false, false);
        ac_system_free(system);
    }
}

TEST(free_time_rates_at_the_end_and_periodicity)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_system *system = pair(AC_SPHERICAL, true, true);
        check_problem(system, words[k], true, false, false);
        check_problem(system, words[k], true, true, false);
        check_problem(system, words[k], false, true, true);
        ac_system_free(system);
    }
}

TEST(trapezoidal_scheme)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_system *system = pair(AC_SPHERICAL, true, true);
        check_scheme(system, words[k], "trapezoidal", true, false, false);
        check_scheme(system, words[k], "trapezoidal", false, true, true);
        ac_system_free(system);
        system = pair(AC_REVOLUTE, true, true);
        check_scheme(system, words[k], "trapezoidal", false, false, false);
        ac_system_free(system);
    }
}

/* What has no discrete action, and what was not transcribed, is refused with a reason. */
TEST(schemes_that_are_refused)
{
    ac_system *system = pair(AC_REVOLUTE, true, false);
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.scheme = "energy-momentum";
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK); /* it may be shot */
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "no discrete action") != NULL);
    ac_optimization_free(o);
    s.scheme = "trapezoidal";
    s.formulation = "minimal";
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "midpoint scheme only") != NULL);
    ac_system_free(system);
}

/* A four-bar: the loop's closure is a set of equations of the reduced formulation. */
static ac_system *four_bar(void)
{
    setup();
    ac_system *system = NULL;
    const double gravity[3] = {0, 0, -9.81}, start[3] = {-0.5, 0, 0}, end[3] = {0.5, 0, 0},
                 zero[3] = {0, 0, 0}, far[3] = {1.0, 0, 0};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int nodes[3];
    const char *names[] = {"crank", "coupler", "rocker"};
    for (int k = 0; k < 3; ++k) nodes[k] = body(system, names[k], 1.0 + k);
    ac_joint joints[4] = {joint(AC_REVOLUTE, AC_GROUND, nodes[0], zero, start),
                          joint(AC_REVOLUTE, nodes[0], nodes[1], end, start),
                          joint(AC_REVOLUTE, nodes[1], nodes[2], end, start),
                          joint(AC_REVOLUTE, AC_GROUND, nodes[2], far, end)};
    const double turns[3] = {1.3, -1.2, -1.5};
    for (int k = 0; k < 4; ++k) {
        /* axis y: z of the joint frame turned onto y */
        const double R[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
        memcpy(joints[k].frame_a.rotation, R, sizeof R);
        memcpy(joints[k].frame_b.rotation, R, sizeof R);
        if (k < 3) {
            joints[k].has_coordinates = joints[k].hint = true;
            joints[k].coordinates[0] = turns[k];
        }
        CHECK(ac_system_add_joint(system, &joints[k], NULL) == AC_OK);
    }
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

TEST(loops)
{
    ac_system *system = four_bar();
    check_problem(system, "reduced", false, false, false);
    check_problem(system, "reduced", true, true, false);
    check_problem(system, "multipliers", false, false, false);
    ac_system_free(system);
}

/* A planar double pendulum in minimal coordinates and by collocation. */
static ac_system *double_pendulum(bool springs)
{
    setup();
    ac_system *system = NULL;
    const double gravity[3] = {0, -9.81, 0}, start[3] = {-0.5, 0, 0}, end[3] = {0.5, 0, 0},
                 zero[3] = {0, 0, 0};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int a, b;
    ac_planar_body link = {.name = "a", .mass = 1, .inertia = 1.0 / 12};
    CHECK(ac_system_add_planar_body(system, &link, &a) == AC_OK);
    link.name = "b";
    CHECK(ac_system_add_planar_body(system, &link, &b) == AC_OK);
    ac_joint first = joint(AC_REVOLUTE, AC_GROUND, a, zero, start),
             second = joint(AC_REVOLUTE, a, b, end, start);
    first.has_coordinates = second.has_coordinates = true;
    first.coordinates[0] = -1.5;
    CHECK(ac_system_add_joint(system, &first, NULL) == AC_OK);
    CHECK(ac_system_add_joint(system, &second, NULL) == AC_OK);
    if (springs) {
        ac_spring cord = {
            .name = "s", .a = {AC_GROUND, {1, 1, 0}}, .b = {b, {0.2, 0.1, 0}}, .stiffness = 3, .length = 0.5};
        ac_joint_spring coil = {.name = "js", .joint = 1, .stiffness = 2, .rest = 0.1};
        CHECK(ac_system_add_spring(system, &cord) == AC_OK);
        CHECK(ac_system_add_joint_spring(system, &coil) == AC_OK);
    }
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

TEST(minimal_coordinates_and_collocation)
{
    const char *words[] = {"minimal", "collocation-qp", "collocation-qv", "reduced", "multipliers"};
    for (int k = 0; k < 10; ++k) {
        ac_system *system = double_pendulum(k >= 5);
        for (int time = 0; time < 2; ++time) {
            ac_optimization_settings s;
            ac_optimization *o = NULL;
            ac_optimization_defaults(&s);
            s.formulation = words[k % 5];
            s.intervals = 4;
            s.end_rest = k < 5;
            s.free_duration = time == 1;
            CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
            add_control(o, "u1", AC_LOAD_JOINT, 0, 0, 0, false);
            add_control(o, "u2", AC_LOAD_JOINT, 1, 0, 0, false);
            quantity(o, (ac_quantity){.name = "q1", .type = AC_QUANTITY_JOINT, .joint = 0});
            condition(o, "q1", AC_AT_END, 0.4, 0.4);
            if (k >= 5) condition(o, "q1_rate + q1*q1_rate^2", AC_AT_END, 0.2, 0.2);
            objective(o, AC_OBJECTIVE_EFFORT, 1.0, NULL);
            ac_optimization_disturb(o, 3, 0.3);
            double differences[3];
            int dependent;
            char name[128];
            CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
            CHECK_NEAR(differences[0], 0.0, 2e-6);
            CHECK_NEAR(differences[1], 0.0, 2e-6);
            CHECK_NEAR(differences[2], 0.0, 2e-5);
            CHECK(dependent == 0);
            ac_optimization_free(o);
        }
        ac_system_free(system);
    }
}

/* Increments taken from states lead back to the states. */
TEST(increments_between_states_are_the_inverse_of_moving)
{
    for (int k = 0; k < TYPE_COUNT; ++k) {
        if (TYPES[k] == AC_FIXED) continue; /* nothing moves in it */
        ac_system *system = pair(TYPES[k], true, false);
        ac_optimization_settings s;
        ac_optimization *o = NULL;
        ac_optimization_defaults(&s);
        CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
        CHECK(ac_optimization_prepare(o) == AC_OK);
        ac_joint_state moved[2];
        double xi[12], back[12] = {0.0};
        memcpy(moved, system->initial.state, sizeof moved);
        for (int f = 0; f < o->layout.freedoms; ++f) xi[f] = 0.3 * sin(1.0 + 2.0 * f);
        ac_chart_move(&o->description.chart, xi, moved);
        ac_chart_between(&o->description.chart, system->initial.state, moved, back);
        for (int f = 0; f < o->layout.freedoms; ++f) CHECK_NEAR(back[f], xi[f], 1e-12);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

RUN_TESTS(CASE(reduced_formulation_has_exact_derivatives_for_every_joint),
          CASE(multiplier_formulation_has_exact_derivatives_for_every_joint),
          CASE(free_time_rates_at_the_end_and_periodicity), CASE(trapezoidal_scheme),
          CASE(schemes_that_are_refused), CASE(loops), CASE(minimal_coordinates_and_collocation),
          CASE(increments_between_states_are_the_inverse_of_moving))
