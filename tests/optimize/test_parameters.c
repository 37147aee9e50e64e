/* Free physical parameters: exact derivatives for every datum that may depend on them, in both
 * formulations; what is refused. */
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

static int body(ac_system *system, const char *name, double mass)
{
    ac_body b = {
        .name = name, .mass = mass, .inertia = {0.3 * mass, 0.4 * mass, 0.5 * mass, 0.01, 0.02, -0.01}};
    b.pose = ac_pose_identity();
    int node = -1;
    CHECK(ac_system_add_body(system, &b, &node) == AC_OK);
    return node;
}

static ac_joint joint(const char *name, ac_joint_type type, int a, int b, const double at_a[3],
                      const double at_b[3])
{
    ac_joint j = {.name = name,
                  .type = type,
                  .a = a,
                  .b = b,
                  .frame_a = ac_pose_identity(),
                  .frame_b = ac_pose_identity()};
    for (int i = 0; i < 3; ++i) {
        j.frame_a.position[i] = at_a[i];
        j.frame_b.position[i] = at_b[i];
    }
    return j;
}

/* Two bodies, the first on a joint of the given type, with springs and a load. */
static ac_system *pair(ac_joint_type type)
{
    setup();
    ac_system *system = NULL;
    const double gravity[3] = {0.3, -0.2, -9.81}, p1[3] = {0.1, 0.2, 0.3}, p2[3] = {-0.3, 0.1, 0.05};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int a = body(system, "a", 1.0), b = body(system, "b", 0.7), second_number = -1;
    ac_joint first = joint("first", type, AC_GROUND, a, p1, p2),
             second = joint("second", AC_REVOLUTE, a, b, p2, p1);
    first.length = 0.4;
    second.has_coordinates = true;
    second.coordinates[0] = 0.3;
    CHECK(ac_system_add_joint(system, &first, NULL) == AC_OK);
    CHECK(ac_system_add_joint(system, &second, &second_number) == AC_OK);
    ac_spring s = {.name = "s",
                   .a = {AC_GROUND, {1, 1, 1}},
                   .b = {b, {0.1, 0, 0}},
                   .stiffness = 3,
                   .damping = 0.4,
                   .length = 0.5};
    CHECK(ac_system_add_spring(system, &s) == AC_OK);
    ac_joint_spring js = {.name = "js", .joint = second_number, .stiffness = 2, .damping = 0.3, .rest = 0.1};
    CHECK(ac_system_add_joint_spring(system, &js) == AC_OK);
    ac_load load = {.name = "l", .type = AC_LOAD_TORQUE, .point = {b, {0, 0, 0}}, .follows = true};
    CHECK(ac_signal_constant(ctx, 0.7, &load.value[1]) == AC_OK);
    CHECK(ac_system_add_load(system, &load) == AC_OK);
    ac_load torque = {.name = "t", .type = AC_LOAD_JOINT, .joint = second_number};
    CHECK(ac_signal_constant(ctx, 0.2, &torque.value[0]) == AC_OK);
    CHECK(ac_system_add_load(system, &torque) == AC_OK);
    ac_load force = {.name = "f", .type = AC_LOAD_FORCE, .point = {b, {0.2, 0.1, 0}}};
    CHECK(ac_signal_constant(ctx, 0.4, &force.value[0]) == AC_OK);
    CHECK(ac_signal_constant(ctx, -0.3, &force.value[2]) == AC_OK);
    CHECK(ac_system_add_load(system, &force) == AC_OK);
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("finish: %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

/* At m = 1, l = 0.5, k = 3 these are what the system has. */
static const ac_dependence DEPENDENCES[] = {
    {AC_DATUM_MASS, 0, 0, 0, "m^2"},
    {AC_DATUM_MASS, 1, 0, 0, "0.7*m*l/0.5"},
    {AC_DATUM_INERTIA, 1, 0, 0, "0.21*m"},
    {AC_DATUM_INERTIA, 1, 0, 3, "0.01*l*m/0.5"},
    {AC_DATUM_INERTIA, 0, 0, 4, "0.02*(l/0.5)^2"},
    {AC_DATUM_GRAVITY, 0, 0, 2, "-9.81*m*l/0.5"},
    {AC_DATUM_STIFFNESS, 0, 0, 0, "k"},
    {AC_DATUM_DAMPING, 0, 0, 0, "0.4*k*l/1.5"},
    {AC_DATUM_REST, 0, 0, 0, "l"},
    {AC_DATUM_STIFFNESS, 1, 0, 0, "2*k^2/9"},
    {AC_DATUM_DAMPING, 1, 0, 0, "0.1*k*m"},
    {AC_DATUM_REST, 1, 0, 0, "0.1*m^3"},
    {AC_DATUM_SPRING_PLACE, 0, 0, 1, "2*l"},
    {AC_DATUM_SPRING_PLACE, 0, 1, 0, "0.1*m*exp(l - 0.5)"},
    {AC_DATUM_LOAD, 0, 0, 1, "0.7*l*k/1.5 + 0.3*(m - 1)*t"},
    {AC_DATUM_LOAD, 1, 0, 0, "0.2*l^2*m/0.25 + 0.4*l*sin(3*t*m)"},
    {AC_DATUM_JOINT_PLACE, 0, 0, 0, "0.1*l*m/0.5"},
    {AC_DATUM_JOINT_PLACE, 0, 1, 1, "0.1*sin(l)/sin(0.5)"},
    {AC_DATUM_JOINT_PLACE, 1, 0, 0, "-0.3*exp(l - 0.5)*m"},
    {AC_DATUM_JOINT_PLACE, 1, 1, 2, "0.3*l^2/0.25"},
    {AC_DATUM_CENTRE, 0, 0, 0, "0.3*(l - 0.5) + (l - 0.5)^2"},
    {AC_DATUM_CENTRE, 1, 0, 2, "0.2*(m - 1)*l"},
    {AC_DATUM_LOAD_PLACE, 2, 0, 0, "0.2*l*m/0.5"},
    {AC_DATUM_LOAD, 2, 0, 2, "-0.3*m*k/3*cos(t*l)"},
    {AC_DATUM_JOINT_LENGTH, 0, 0, 0, "0.4*l^2*m/0.25"},
};
enum { ALL = sizeof DEPENDENCES / sizeof *DEPENDENCES, LENGTH = ALL - 1 };

static void must(ac_status status, const char *what)
{
    if (status != AC_OK) printf("%s: %s\n", what, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void add_parameters(ac_optimization *o)
{
    static const ac_parameter parameters[] = {
        {"m", 1.0, 0.2, 5.0}, {"l", 0.5, 0.1, 2.0}, {"k", 3.0, 0.1, 20.0}};
    for (int k = 0; k < 3; ++k) must(ac_optimization_add_parameter(o, &parameters[k]), parameters[k].name);
}

static void add_control(ac_optimization *o, const char *name, ac_load_type type, int joint_number,
                        int coordinate)
{
    ac_control c = {.name = name,
                    .type = type,
                    .joint = joint_number,
                    .point = {1, {0, 0, 0}},
                    .coordinate = coordinate,
                    .low = -50,
                    .high = 50,
                    .rate = 400,
                    .guess = 0.3};
    if (type == AC_LOAD_FORCE) c.point.place[1] = 0.1;
    if (type == AC_LOAD_FORCE) c.place_expression[1] = "0.1*m*l^2/0.25";
    must(ac_optimization_add_control(o, &c), name);
}

static void condition(ac_optimization *o, const char *text, ac_condition_place place)
{
    ac_condition c = {.expression = text, .place = place, .low = -1000, .high = 1000};
    must(ac_optimization_add_condition(o, &c, NULL, NULL), text);
}

static void objective(ac_optimization *o, ac_objective_type type, double weight, const char *text)
{
    ac_objective c = {.type = type, .weight = weight, .expression = text};
    must(ac_optimization_add_objective(o, &c, NULL, NULL), text ? text : "objective");
}

static void describe(ac_optimization *o, const ac_system *system, bool ends)
{
    for (int j = 0; j < 2; ++j)
        for (int c = 0; c < ac_system_joint_coordinates(system, j); ++c) {
            char name[32];
            snprintf(name, sizeof name, "u%d_%d", j, c);
            add_control(o, name, AC_LOAD_JOINT, j, c);
        }
    add_control(o, "push", AC_LOAD_FORCE, 0, 2);
    ac_quantity x = {.name = "x",
                     .type = AC_QUANTITY_POINT,
                     .point = {1, {0.3, 0.1, 0.2}},
                     .direction = {0.6, 0, 0.8},
                     .place_expression = {{"0.3*m*l/0.5", NULL, NULL}}};
    ac_quantity gap = {.name = "gap",
                       .type = AC_QUANTITY_DISTANCE,
                       .point = {1, {0.3, 0.1, 0.2}},
                       .second_point = {AC_GROUND, {2, 1, 1}},
                       .place_expression = {{NULL, "0.1*m", NULL}, {"4*l", NULL, NULL}}};
    ac_quantity angle = {.name = "angle", .type = AC_QUANTITY_JOINT, .joint = 1};
    must(ac_optimization_add_quantity(o, &x), "x");
    must(ac_optimization_add_quantity(o, &gap), "gap");
    must(ac_optimization_add_quantity(o, &angle), "angle");
    condition(o, "x + 0.3*gap^2*m", AC_AT_END);
    condition(o, "gap*angle - l*k", AC_AT_NODES);
    condition(o, "push*gap_rate + x*T*l", AC_ON_INTERVALS);
    condition(o, "u1_0*u1_0_speed + push*push_speed*m", AC_ON_INTERVALS);
    if (ac_system_joint_coordinates(system, 0) > 0) condition(o, "u0_0*u0_0_speed*l", AC_ON_INTERVALS);
    if (ends) condition(o, "gap_rate*angle*k + x_rate^2", AC_AT_END);
    if (ends) objective(o, AC_OBJECTIVE_END, -0.7, "x_rate*angle_rate*l");
    objective(o, AC_OBJECTIVE_EFFORT, 0.3, NULL);
    objective(o, AC_OBJECTIVE_ENERGY, 0.15, NULL);
    objective(o, AC_OBJECTIVE_START, 0.2, "m*k^2 + x*l");
    objective(o, AC_OBJECTIVE_RUNNING, 1.1, "(x - sin(t))^2*m + 0.1*angle_rate^2 + push*gap");
    objective(o, AC_OBJECTIVE_ABSOLUTE, 0.5, "push*x_rate*l");
}

typedef struct setting {
    const char *formulation;
    bool free_time, ends, periodic;
} setting;

/* Dependences from `first` to `last`. */
static void check_derivatives(const ac_system *system, setting how, int first, int last)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = how.formulation;
    s.intervals = 3;
    s.duration = 0.6;
    s.free_duration = how.free_time;
    s.least_duration = 0.1;
    s.most_duration = 2.0;
    s.periodic = how.periodic;
    if (how.periodic) s.start_velocity = s.start_fixed = false;
    must(ac_optimization_new(ctx, system, &s, &o), "new");
    add_parameters(o);
    for (int k = first; k <= last; ++k) {
        ac_dependence d = DEPENDENCES[k];
        must(ac_optimization_add_dependence(o, &d, NULL, NULL), d.expression);
    }
    describe(o, system, how.ends);
    ac_optimization_disturb(o, 7, 0.2);
    double differences[3] = {NAN, NAN, NAN};
    int dependent, before = test_failures;
    char name[128];
    must(ac_optimization_check(o, differences, &dependent, name), "check");
    CHECK_NEAR(differences[0], 0.0, 2e-6);
    CHECK_NEAR(differences[1], 0.0, 2e-6);
    CHECK_NEAR(differences[2], 0.0, 3e-5);
    if (test_failures > before)
        printf("  %s, dependences %d to %d (%s)%s%s\n", how.formulation, first, last,
               DEPENDENCES[first].expression, how.free_time ? ", free time" : "", how.ends ? ", ends" : "");
    ac_optimization_free(o);
}

TEST(every_datum_has_exact_derivatives_in_both_formulations)
{
    ac_system *system = pair(AC_SPHERICAL);
    for (int k = 0; k < LENGTH; ++k) {
        check_derivatives(system, (setting){"reduced", false, false, false}, k, k);
        check_derivatives(system, (setting){"multipliers", false, false, false}, k, k);
    }
    ac_system_free(system);
}

TEST(all_of_them_at_once_for_every_joint)
{
    for (int t = 0; t < TYPE_COUNT; ++t) {
        if (TYPES[t] == AC_FIXED) continue; /* nothing moves in it */
        ac_system *system = pair(TYPES[t]);
        int last = TYPES[t] == AC_DISTANCE ? LENGTH : LENGTH - 1;
        check_derivatives(system, (setting){"reduced", false, false, false}, 0, last);
        check_derivatives(system, (setting){"multipliers", false, false, false}, 0, last);
        ac_system_free(system);
    }
}

TEST(with_free_time_rates_at_the_ends_and_periodicity)
{
    static const char *const words[] = {"reduced", "multipliers"};
    static const ac_joint_type types[] = {AC_SPHERICAL, AC_DISTANCE};
    for (int k = 0; k < 2; ++k)
        for (int t = 0; t < 2; ++t) {
            ac_system *system = pair(types[t]);
            check_derivatives(system, (setting){words[k], true, false, false}, 0, LENGTH - 1 + t);
            check_derivatives(system, (setting){words[k], true, true, false}, 0, LENGTH - 1 + t);
            check_derivatives(system, (setting){words[k], false, true, true}, 0, LENGTH - 1 + t);
            ac_system_free(system);
        }
}

/* Starts from disturbed guesses: parameters too, within their bounds, and the same for the same seed. */
TEST(disturbed_guesses_have_other_parameters)
{
    ac_system *system = pair(AC_REVOLUTE);
    double found[4][3];
    for (int run = 0; run < 4; ++run) {
        static const unsigned long seeds[] = {3, 3, 4, 3};
        ac_optimization_settings s;
        ac_optimization *o = NULL;
        ac_optimization_defaults(&s);
        s.intervals = 3;
        must(ac_optimization_new(ctx, system, &s, &o), "new");
        add_parameters(o);
        for (int k = 0; k <= 8; ++k)
            must(ac_optimization_add_dependence(o, &DEPENDENCES[k], NULL, NULL), "on");
        describe(o, system, false);
        ac_optimization_disturb(o, seeds[run], run == 3 ? 0.0 : 1.0);
        must(ac_optimization_prepare(o), "prepare");
        for (int j = 0; j < 3; ++j) {
            double low, high, value = found[run][j] = ac_optimization_parameter_value(o, j);
            ac_optimization_parameter_bounds(o, j, &low, &high);
            CHECK(low <= value && value <= high);
        }
        ac_optimization_free(o);
    }
    CHECK_NEAR(found[3][1], 0.5, 0.0);
    for (int j = 0; j < 3; ++j) {
        CHECK_NEAR(found[1][j], found[0][j], 0.0);
        CHECK(fabs(found[2][j] - found[0][j]) > 1e-3);
        CHECK(fabs(found[0][j] - found[3][j]) > 1e-3);
    }
    ac_system_free(system);
}

/* A body and a point that no joint holds: where they are drawn, and a spring between them. */
TEST(drawn_positions_have_exact_derivatives)
{
    static const char *const words[] = {"reduced", "multipliers"};
    static const ac_dependence on[] = {
        {AC_DATUM_POSITION, 0, 0, 0, "0.2*m*l"},
        {AC_DATUM_POSITION, 0, 0, 2, "0.3*exp(l - 0.5)*m^2"},
        {AC_DATUM_CENTRE, 0, 0, 1, "(m - 1)*l + 0.1"},
        {AC_DATUM_POSITION, 1, 0, 1, "4*l^2"},
        {AC_DATUM_MASS, 0, 0, 0, "2*m*l"},
        {AC_DATUM_STIFFNESS, 0, 0, 0, "k"},
    };
    setup();
    for (int w = 0; w < 4; ++w) {
        ac_system *system = NULL;
        ac_optimization_settings s;
        ac_optimization *o = NULL;
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        ac_body free_body = {
            .name = "a", .mass = 1, .centre = {0, 0.1, 0}, .inertia = {0.3, 0.4, 0.5, 0, 0, 0}};
        static const double turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
        free_body.placed = true;
        free_body.pose = ac_pose_identity();
        memcpy(free_body.pose.rotation, turned, sizeof turned);
        free_body.pose.position[0] = 0.1;
        free_body.pose.position[2] = 0.3;
        ac_point_mass point = {
            .name = "p", .mass = 0.5, .dimension = 3, .placed = true, .position = {0, 1, 1}};
        ac_spring spring = {
            .name = "s", .a = {1, {0}}, .b = {0, {0.1, 0, 0.2}}, .stiffness = 3, .length = 0.4};
        must(ac_system_add_body(system, &free_body, NULL), "body");
        must(ac_system_add_point_mass(system, &point, NULL), "point");
        must(ac_system_add_spring(system, &spring), "spring");
        must(ac_system_finish(system, NULL), "finish");
        ac_optimization_defaults(&s);
        s.formulation = words[w % 2];
        s.intervals = 3;
        s.free_duration = w > 1;
        must(ac_optimization_new(ctx, system, &s, &o), "new");
        add_parameters(o);
        for (size_t k = 0; k < sizeof on / sizeof *on; ++k)
            must(ac_optimization_add_dependence(o, &on[k], NULL, NULL), on[k].expression);
        ac_control push = {
            .name = "u", .type = AC_LOAD_FORCE, .low = -5, .high = 5, .rate = INFINITY, .guess = 0.3};
        push.point.place[0] = 0.2;
        must(ac_optimization_add_control(o, &push), "u");
        ac_quantity gap = {.name = "gap",
                           .type = AC_QUANTITY_DISTANCE,
                           .point = {0, {0.3, 0.1, 0.2}},
                           .second_point = {1, {0}}};
        must(ac_optimization_add_quantity(o, &gap), "gap");
        condition(o, "gap*k", AC_AT_NODES);
        condition(o, "gap_rate + gap*l", AC_AT_END);
        objective(o, AC_OBJECTIVE_EFFORT, 0.3, NULL);
        objective(o, AC_OBJECTIVE_ENERGY, 0.15, NULL);
        objective(o, AC_OBJECTIVE_START, 1.0, "gap^2*m");
        ac_optimization_disturb(o, 7, 0.2);
        double differences[3] = {NAN, NAN, NAN};
        int dependent;
        char name[128];
        must(ac_optimization_check(o, differences, &dependent, name), "check");
        CHECK_NEAR(differences[0], 0.0, 2e-6);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 3e-5);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

RUN_TESTS(CASE(drawn_positions_have_exact_derivatives), CASE(disturbed_guesses_have_other_parameters),
          CASE(every_datum_has_exact_derivatives_in_both_formulations),
          CASE(all_of_them_at_once_for_every_joint), CASE(with_free_time_rates_at_the_ends_and_periodicity))
