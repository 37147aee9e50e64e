/* Momentum and energy of bodies, beams and whole systems as quantities: the values that simulations
 * record, exact derivatives with free parameters in masses, springs and gravity, and balances that must
 * hold. */
#include <math.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/signal.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "support/beams.h"
#include "test.h"

static ac_context *ctx;

static const beam_data KINDS[] = {
    {AC_BEAM_DIRECTOR, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.0, 1},
    {AC_BEAM_DIRECTOR, 1, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.01, 2},
    {AC_BEAM_VERTEX, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_EDGE, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.0, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, STEPS = 5 };
static const double STEP = 0.02;

/* A beam with a body on a hinge at its end and a spring to the ground, hinged itself or free; in motion. */
static ac_system *flexible(const beam_data *kind, bool held, bool moving)
{
    ac_system *system = NULL;
    const double gravity[3] = {0.1, -0.3, -2.0}, spin[3] = {0.4, -0.3, 0.9}, about_z[3] = {0, 0, 0.8};
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int first = add_straight(system, "rod", kind, moving ? (held ? about_z : spin) : NULL), hand = -1,
        wrist = -1;
    ac_body body = {.name = "hand", .mass = 0.2, .inertia = {0.01, 0.02, 0.03, 0, 0, 0}};
    body.pose = ac_pose_identity();
    CHECK(ac_system_add_body(system, &body, &hand) == AC_OK);
    ac_joint joint = {.name = "wrist",
                      .type = AC_REVOLUTE,
                      .a = first + last_node(kind),
                      .b = hand,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity(),
                      .has_coordinates = true,
                      .coordinates = {0.2, 0, 0}};
    joint.frame_b.position[0] = -0.1;
    CHECK(ac_system_add_joint(system, &joint, &wrist) == AC_OK);
    ac_joint hinge = {.name = "hinge",
                      .type = AC_REVOLUTE,
                      .a = AC_GROUND,
                      .b = first,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity()};
    for (int i = 0; i < 9; ++i) hinge.frame_b.rotation[i] = ALONG_X[3 * (i % 3) + i / 3];
    if (held) CHECK(ac_system_add_joint(system, &hinge, NULL) == AC_OK);
    const ac_spring spring = {
        .name = "s", .a = {AC_GROUND, {0, 1, 0.5}}, .b = {hand, {0.1, 0, 0}}, .stiffness = 3, .length = 0.4};
    const ac_joint_spring soft = {.name = "t", .joint = wrist, .stiffness = 0.5, .rest = -0.1};
    CHECK(ac_system_add_spring(system, &spring) == AC_OK);
    CHECK(ac_system_add_joint_spring(system, &soft) == AC_OK);
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

static ac_optimization *problem(const ac_system *system, const char *formulation, bool free_time,
                                bool start_free)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.intervals = STEPS;
    s.duration = STEPS * STEP;
    s.free_duration = free_time;
    s.start_velocity = !start_free;
    s.stresses = "eliminated"; /* they follow from the motion, also at a guess */
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    return o;
}

static void add(ac_optimization *o, const char *name, ac_quantity_type type, int node, const double along[3],
                const double about[3])
{
    ac_quantity q = {.name = name, .type = type, .point = {node, {0}}, .whole_beam = node == 0};
    if (along) memcpy(q.direction, along, sizeof q.direction);
    if (about) memcpy(q.place, about, sizeof q.place);
    ac_status status = ac_optimization_add_quantity(o, &q);
    if (status != AC_OK) printf("%s: %s\n", name, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void push_wrist(ac_optimization *o)
{
    const ac_control c = {.name = "u", .type = AC_LOAD_JOINT, .low = -9, .high = 9, .rate = INFINITY};
    CHECK(ac_optimization_add_control(o, &c) == AC_OK);
}

static void aim(ac_optimization *o, ac_objective_type type, const char *text)
{
    const ac_objective c = {.type = type, .weight = 1.0, .expression = text};
    ac_status status = ac_optimization_add_objective(o, &c, NULL, NULL);
    if (status != AC_OK) printf("%s: %s\n", text ? text : "", ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void require(ac_optimization *o, const char *text, ac_condition_place place)
{
    const ac_condition c = {.expression = text, .place = place, .low = 0.1, .high = 0.1};
    ac_status status = ac_optimization_add_condition(o, &c, NULL, NULL);
    if (status != AC_OK) printf("%s: %s\n", text ? text : "", ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1}, PLACE[3] = {0.3, -0.2, 0.5};

/* --- values --- */

enum { CHANNELS = 7 };
static const char *const NAMES[CHANNELS] = {"energy/kinetic",  "energy/potential", "energy/hamiltonian",
                                            "momentum/linear", "momentum/angular", "momentum/angular_about/p",
                                            "momentum/linear"};
static const int COMPONENT[CHANNELS] = {0, 0, 0, 1, 2, 0, 2};

/* A simulation: configurations, channels at nodes, and the sum of the energies on intervals. */
typedef struct recorded {
    double q[(STEPS + 1) * 200], channel[STEPS + 1][CHANNELS], energies;
} recorded;

static void simulate(const ac_system *system, recorded *r)
{
    ac_simulation_settings settings;
    ac_simulation *sim = NULL;
    size_t n = (size_t)system->n;
    ac_simulation_defaults(&settings);
    settings.scheme = "midpoint";
    settings.step = STEP;
    settings.momentum_point_count = 1;
    snprintf(settings.momentum_points[0].name, sizeof settings.momentum_points[0].name, "p");
    memcpy(settings.momentum_points[0].place, PLACE, sizeof PLACE);
    CHECK(ac_simulation_new(ctx, system, &settings, &sim) == AC_OK);
    double *row = calloc((size_t)row_width(sim) + 100, sizeof *row);
    memcpy(r->q, system->initial.q, n * sizeof *r->q);
    r->energies = 0.0;
    for (int k = 0; k <= STEPS; ++k) {
        if (k < STEPS) CHECK(ac_simulation_step(sim) == AC_OK);
        CHECK(ac_simulation_node_row(sim, k == STEPS, row) == AC_OK);
        for (int c = 0; c < CHANNELS; ++c)
            r->channel[k][c] = row[channel_at(sim, true, NAMES[c]) + COMPONENT[c]];
        if (k == STEPS) break;
        memcpy(r->q + (size_t)(k + 1) * n, ac_simulation_configuration(sim), n * sizeof *r->q);
        CHECK(ac_simulation_interval_row(sim, row) == AC_OK);
        r->energies += STEP * row[channel_at(sim, false, "energy/discrete")];
    }
    free(row);
    ac_simulation_free(sim);
}

/* At every node and on the intervals quantities are what a simulation of the same motion records. */
TEST(quantities_are_what_simulations_record)
{
    static recorded r;
    static const double none[STEPS] = {0};
    for (int k = 0; k < 2 * KIND_COUNT; ++k) {
        ac_system *system = flexible(&KINDS[k / 2], k % 2 == 0, true);
        CHECK(system->n <= 200);
        simulate(system, &r);
        ac_optimization *o = problem(system, k < KIND_COUNT ? "reduced" : "multipliers", false, false);
        push_wrist(o);
        add(o, "kinetic", AC_QUANTITY_KINETIC_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        add(o, "potential", AC_QUANTITY_POTENTIAL_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        add(o, "energy", AC_QUANTITY_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        add(o, "py", AC_QUANTITY_MOMENTUM, AC_WHOLE_SYSTEM, Y, NULL);
        add(o, "Lz", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, Z, NULL);
        add(o, "Lx", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, X, PLACE);
        add(o, "pz", AC_QUANTITY_MOMENTUM, AC_WHOLE_SYSTEM, Z, NULL);
        aim(o, AC_OBJECTIVE_RUNNING, "energy");
        CHECK(ac_optimization_guess_motion(o, STEPS + 1, r.q, none, STEPS * STEP) == AC_OK);
        CHECK(ac_optimization_prepare(o) == AC_OK);
        for (int n = 0; n <= STEPS; ++n)
            for (int c = 0; c < CHANNELS; ++c) {
                double value = ac_optimization_quantity_value(o, c, n);
                CHECK_NEAR(value, r.channel[n][c], 1e-10);
                if (fabs(value - r.channel[n][c]) > 1e-10)
                    printf("kind %d: %s at node %d\n", k, ac_optimization_quantity_name(o, c), n);
            }
        CHECK_NEAR(ac_evaluate_objective(o, NULL), r.energies, 1e-11);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

/* What belongs to the beam and to the body is what belongs to the system, but for the springs. */
TEST(parts_add_up_to_the_whole)
{
    static const ac_quantity_type types[] = {AC_QUANTITY_MOMENTUM, AC_QUANTITY_ANGULAR_MOMENTUM,
                                             AC_QUANTITY_KINETIC_ENERGY, AC_QUANTITY_POTENTIAL_ENERGY};
    ac_system *system = flexible(&KINDS[0], true, true);
    ac_optimization *o = problem(system, "reduced", false, false);
    const double along[3] = {0.48, 0.6, 0.64};
    int hand = system->node_count - 1;
    push_wrist(o);
    for (int k = 0; k < 4; ++k) {
        char name[32];
        const int of[3] = {AC_WHOLE_SYSTEM, 0, hand};
        for (int p = 0; p < 3; ++p) {
            snprintf(name, sizeof name, "q%d_%d", k, p);
            add(o, name, types[k], of[p], k < 2 ? along : NULL, PLACE);
        }
    }
    aim(o, AC_OBJECTIVE_EFFORT, NULL);
    CHECK(ac_optimization_prepare(o) == AC_OK);
    for (int k = 0; k < 4; ++k) {
        double whole = ac_optimization_quantity_value(o, 3 * k, 0), sum = 0.0;
        for (int p = 1; p < 3; ++p) sum += ac_optimization_quantity_value(o, 3 * k + p, 0);
        for (int s = 0; k == 3 && s < 2; ++s) {
            double u = system->measures[system->springs[s].measure].initial - system->springs[s].rest;
            sum += 0.5 * system->springs[s].stiffness * u * u;
        }
        CHECK_NEAR(whole, sum, 1e-13);
        CHECK(fabs(whole) > 1e-3);
    }
    ac_optimization_free(o);
    ac_system_free(system);
}

/* --- derivatives --- */

static void add_all(ac_optimization *o, int hand)
{
    const double along[3] = {0.48, 0.6, 0.64};
    push_wrist(o);
    add(o, "p", AC_QUANTITY_MOMENTUM, AC_WHOLE_SYSTEM, along, NULL);
    add(o, "L", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, along, PLACE);
    add(o, "E", AC_QUANTITY_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
    add(o, "V", AC_QUANTITY_POTENTIAL_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
    add(o, "K", AC_QUANTITY_KINETIC_ENERGY, hand, NULL, NULL);
    add(o, "Vb", AC_QUANTITY_POTENTIAL_ENERGY, 0, NULL, NULL);
    add(o, "Lb", AC_QUANTITY_ANGULAR_MOMENTUM, 0, along, PLACE);
    aim(o, AC_OBJECTIVE_RUNNING, "0.3*E + u^2 + 0.1*V_rate^2");
    aim(o, AC_OBJECTIVE_END, "p*L + sin(V) + 0.2*K");
    require(o, "E + 0.1*p^2", AC_AT_END);
    require(o, "Lb - V*t", AC_ON_INTERVALS);
    require(o, "Vb", AC_AT_NODES);
}

static void check_derivatives(ac_optimization *o, const char *what)
{
    double differences[3] = {0};
    int dependent, before = test_failures;
    char name[128];
    ac_optimization_disturb(o, 5, 0.1);
    ac_status status = ac_optimization_check(o, differences, &dependent, name);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK_NEAR(differences[0], 0.0, 2e-6);
    CHECK_NEAR(differences[1], 0.0, 2e-6);
    CHECK_NEAR(differences[2], 0.0, 2e-5);
    if (test_failures > before)
        printf("%s: %g %g %g (%s)\n", what, differences[0], differences[1], differences[2], name);
}

TEST(derivatives_are_exact)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < KIND_COUNT; ++k)
        for (int w = 0; w < 2; ++w) {
            ac_system *system = flexible(&KINDS[k], true, false);
            ac_optimization *o = problem(system, words[w], k % 2 == 1, k > 1);
            add_all(o, system->node_count - 1);
            if (k > 1) require(o, "L + E", AC_AT_START);
            check_derivatives(o, words[w]);
            ac_optimization_free(o);
            ac_system_free(system);
        }
}

/* Two bodies with springs; masses, inertia, gravity and springs depend on parameters. */
TEST(derivatives_with_free_parameters)
{
    static const ac_dependence on[] = {
        {AC_DATUM_MASS, 0, 0, 0, "m^2"},         {AC_DATUM_MASS, 1, 0, 0, "0.5*m*k/3"},
        {AC_DATUM_INERTIA, 0, 0, 0, "0.3*m"},    {AC_DATUM_INERTIA, 0, 0, 3, "0.01*m^2"},
        {AC_DATUM_GRAVITY, 0, 0, 2, "-2*m*k/3"}, {AC_DATUM_STIFFNESS, 0, 0, 0, "k*m"},
        {AC_DATUM_REST, 0, 0, 0, "0.4*m^3"},     {AC_DATUM_SPRING_PLACE, 0, 1, 0, "0.1*k*m/3"},
    };
    const char *words[] = {"reduced", "multipliers"};
    const double gravity[3] = {0.1, -0.3, -2.0};
    for (int w = 0; w < 2; ++w) {
        ac_system *system = NULL;
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
        ac_body body = {.name = "b", .mass = 1, .inertia = {0.3, 0.4, 0.5, 0.01, 0, 0}};
        body.pose = ac_pose_identity();
        ac_point_mass point = {
            .name = "p", .mass = 0.5, .dimension = 3, .placed = true, .position = {0, 2, 1}};
        CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
        CHECK(ac_system_add_point_mass(system, &point, NULL) == AC_OK);
        ac_joint hinge = {.name = "hinge",
                          .type = AC_REVOLUTE,
                          .a = AC_GROUND,
                          .b = 0,
                          .frame_a = ac_pose_identity(),
                          .frame_b = ac_pose_identity()};
        hinge.frame_b.position[0] = -0.4;
        CHECK(ac_system_add_joint(system, &hinge, NULL) == AC_OK);
        const ac_spring spring = {
            .name = "s", .a = {1, {0}}, .b = {0, {0.1, 0, 0.2}}, .stiffness = 3, .length = 0.4};
        CHECK(ac_system_add_spring(system, &spring) == AC_OK);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_optimization *o = problem(system, words[w], true, false);
        const ac_parameter m = {"m", 1.0, 0.5, 2.0}, k = {"k", 3.0, 1.0, 5.0};
        CHECK(ac_optimization_add_parameter(o, &m) == AC_OK);
        CHECK(ac_optimization_add_parameter(o, &k) == AC_OK);
        for (size_t d = 0; d < sizeof on / sizeof *on; ++d)
            CHECK(ac_optimization_add_dependence(o, &on[d], NULL, NULL) == AC_OK);
        push_wrist(o);
        add(o, "p", AC_QUANTITY_MOMENTUM, AC_WHOLE_SYSTEM, Y, NULL);
        add(o, "L", AC_QUANTITY_ANGULAR_MOMENTUM, AC_WHOLE_SYSTEM, Z, PLACE);
        add(o, "E", AC_QUANTITY_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        add(o, "V", AC_QUANTITY_POTENTIAL_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        aim(o, AC_OBJECTIVE_RUNNING, "0.3*E*m + u^2 + 0.1*V_rate^2");
        aim(o, AC_OBJECTIVE_END, "p*L + sin(V)");
        require(o, "E + L", AC_AT_END);
        require(o, "L - V", AC_ON_INTERVALS);
        check_derivatives(o, words[w]);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

/* --- balances --- */

/* The largest energy that a torque within its bounds can bring into a beam on a hinge is what its work
 * adds, and both formulations find it. */
TEST(energy_as_objective_is_work_done)
{
    double found[2] = {0};
    const char *words[] = {"reduced", "multipliers"};
    for (int w = 0; w < 2; ++w) {
        const beam_data rod = {AC_BEAM_DIRECTOR, 2, 1.0, 4, 6, {0.4, 0.4}, 0.4, 0.3, 0.01, 0.0, 1};
        ac_system *system = flexible(&rod, true, false);
        ac_optimization *o = problem(system, words[w], false, false);
        const ac_control c = {
            .name = "u", .type = AC_LOAD_JOINT, .joint = 1, .low = -0.2, .high = 0.2, .rate = INFINITY};
        const ac_objective most = {.type = AC_OBJECTIVE_END, .weight = -1.0, .expression = "E"};
        CHECK(ac_optimization_add_control(o, &c) == AC_OK);
        add(o, "E", AC_QUANTITY_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
        CHECK(ac_optimization_add_objective(o, &most, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        found[w] = -ac_optimization_result(o)->objective;
        CHECK_NEAR(ac_optimization_quantity_value(o, 0, STEPS), found[w], 1e-9);
        CHECK(found[w] > ac_optimization_quantity_value(o, 0, 0) + 1e-4);
        ac_optimization_free(o);
        ac_system_free(system);
    }
    CHECK_NEAR(found[0], found[1], 1e-7);
}

TEST(what_is_refused)
{
    ac_system *system = flexible(&KINDS[0], true, false);
    ac_optimization *o = problem(system, "reduced", false, false);
    ac_quantity q = {.name = "p", .type = AC_QUANTITY_MOMENTUM, .point = {1, {0}}, .direction = {1, 0, 0}};
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "name the beam") != NULL);
    q.type = AC_QUANTITY_ANGULAR_MOMENTUM;
    q.whole_beam = q.about_centre = true;
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "is about a place") != NULL);
    add(o, "V", AC_QUANTITY_POTENTIAL_ENERGY, AC_WHOLE_SYSTEM, NULL, NULL);
    const ac_condition c = {.expression = "V_rate", .place = AC_AT_END};
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "on intervals, not at nodes") != NULL);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(quantities_are_what_simulations_record), CASE(parts_add_up_to_the_whole),
          CASE(derivatives_are_exact), CASE(derivatives_with_free_parameters),
          CASE(energy_as_objective_is_work_done), CASE(what_is_refused))
