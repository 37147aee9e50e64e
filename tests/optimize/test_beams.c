/* Beams under control: exact derivatives for every kind of element, and a chart in which turning a beam
 * strains nothing. */
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "action/load.h"
#include "support/beams.h"
#include "test.h"

static ac_context *ctx;

static const beam_data KINDS[] = {
    {AC_BEAM_DIRECTOR, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.0, 1},
    {AC_BEAM_DIRECTOR, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_DIRECTOR, 1, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.01, 2},
    {AC_BEAM_VERTEX, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_EDGE, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.0, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

/* A beam on a hinge (or free), with a body at its end. */
static ac_system *arm(const beam_data *kind, bool held)
{
    ac_system *system = NULL;
    const double gravity[3] = {0.1, -0.3, -0.2};
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    if (held) CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int first = add_straight(system, "rod", kind, NULL);
    add_hand(system, first + last_node(kind));
    if (held) hold_by_axes_of_ground(system, AC_REVOLUTE, first);
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

static ac_optimization *problem_with(const ac_system *system, const char *formulation, const char *stresses,
                                     bool free_time)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.stresses = stresses;
    s.intervals = 2;
    s.duration = 0.4;
    s.free_duration = free_time;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    if (!o) return NULL;
    ac_system_size size = ac_system_sizes(system);
    for (int j = 0; j < size.joints; ++j) {
        char name[16];
        snprintf(name, sizeof name, "u%d", j);
        ac_control c = {.name = name,
                        .type = AC_LOAD_JOINT,
                        .joint = j,
                        .low = -9,
                        .high = 9,
                        .rate = INFINITY,
                        .guess = 0.2};
        CHECK(ac_optimization_add_control(o, &c) == AC_OK);
    }
    ac_quantity tip = {
        .name = "tip", .type = AC_QUANTITY_POINT, .point = {1, {0.1, 0, 0}}, .direction = {0, 0.6, 0.8}};
    CHECK(ac_optimization_add_quantity(o, &tip) == AC_OK);
    ac_condition end = {.expression = "tip + tip_rate^2", .place = AC_AT_END, .low = 0.1, .high = 0.1};
    CHECK(ac_optimization_add_condition(o, &end, NULL, NULL) == AC_OK);
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0},
                 energy = {.type = AC_OBJECTIVE_ENERGY, .weight = 0.3};
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_add_objective(o, &energy, NULL, NULL) == AC_OK);
    return o;
}

static ac_optimization *problem_of(const ac_system *system, const char *formulation, bool free_time)
{
    return problem_with(system, formulation, "unknown", free_time);
}

/* The system in the initial state is taken for a motion that was found: its stresses then belong to the disturbed one. */
static void guess_drawn(ac_optimization *o, const ac_system *system)
{
    double *q = malloc(3 * (size_t)system->n * sizeof *q);
    double controls[16]; /* of two intervals */
    CHECK(o->description.control_count <= 8);
    for (int k = 0; k < 16; ++k) controls[k] = 0.1 * (k % 5) - 0.2;
    for (size_t k = 0; q && k < 3; ++k)
        memcpy(q + k * (size_t)system->n, system->initial.q, (size_t)system->n * sizeof *q);
    CHECK(q && ac_optimization_guess_motion(o, 3, q, controls, 0.4) == AC_OK);
    free(q);
}

TEST(every_kind_of_element_has_exact_derivatives)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < KIND_COUNT; ++k) {
        ac_system *system = arm(&KINDS[k], true);
        for (int w = 0; w < 8; ++w) {
            ac_optimization *o = problem_with(system, words[w % 2], ac_optimization_stresses()[w / 4],
                                              w / 2 % 2);
            if (!o) continue;
            double differences[3];
            int dependent, before = test_failures;
            char name[128];
            guess_drawn(o, system);
            ac_optimization_disturb(o, 5, 0.1);
            CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
            CHECK_NEAR(differences[0], 0.0, 2e-6);
            CHECK_NEAR(differences[1], 0.0, 2e-6);
            CHECK_NEAR(differences[2], 0.0, 2e-5);
            double stress = 0.0;
            for (int i = 0; i < o->layout.N * o->description.discrete.stress_count; ++i)
                stress = fmax(stress, fabs(o->point.x[o->layout.first.stress + i]));
            CHECK((stress > 1e-3) == (w < 4));
            if (test_failures > before) printf("kind %d, %s, case %d\n", k, words[w % 2], w);
            ac_optimization_free(o);
        }
        ac_system_free(system);
    }
}

/* Stresses as unknowns change the search and not the solution, and stiffness does not change the search. */
TEST(stiff_beams_are_solved_as_soft_ones_are)
{
    static const char *const cases[][3] = {
        {"parameters.axial=300", "parameters.N=24", "optimize.stresses=unknown"},
        {"parameters.axial=300", "parameters.N=24", "optimize.stresses=eliminated"},
        {"parameters.axial=1e5", "parameters.N=24", "optimize.stresses=unknown"},
        {"parameters.axial=1e6", "parameters.N=24", "optimize.stresses=unknown"},
    };
    double objective[4];
    if (!ctx) ctx = ac_context_new(NULL);
    for (int k = 0; k < 4; ++k) {
        ac_problem *problem = NULL;
        CHECK(ac_problem_read(ctx, "examples/control/flexible-arm.yaml", cases[k], 3, &problem) == AC_OK);
        if (!problem) return;
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        CHECK(ac_optimization_result(o)->iterations <= 80);
        CHECK(ac_optimization_momentum_defect(o) < 1e-9);
        objective[k] = ac_optimization_result(o)->objective;
        ac_problem_free(problem);
    }
    CHECK_NEAR(objective[1], objective[0], 1e-7 * objective[0]);
    CHECK_NEAR(objective[3], objective[2], 1e-2 * objective[2]); /* both cannot stretch */
}

/* A guess that turns the hinge by a large angle leaves the beam straight. */
TEST(a_beam_is_carried_along_without_strain)
{
    for (int k = 0; k < KIND_COUNT; ++k) {
        ac_system *system = arm(&KINDS[k], true);
        ac_optimization *o = problem_of(system, "reduced", false);
        static const double s[2] = {0.0, 1.0}, angles[2] = {0.0, 2.5};
        CHECK(ac_optimization_guess_joint(o, 1, 2, s, angles) == AC_OK); /* the hinge */
        CHECK(ac_optimization_prepare(o) == AC_OK);
        for (int b = 0; b < ac_beam_points(&system->beams[0]); ++b) {
            double strain[6], stress[6];
            if (KINDS[k].model == AC_BEAM_EDGE && b == 0) continue; /* half an edge without stretch */
            ac_beam_at_point(system, &system->beams[0], b, ac_q(o, o->layout.N), strain, stress, NULL);
            for (int i = 3; i < 6; ++i) CHECK_NEAR(strain[i], 0.0, 1e-12);
        }
        const double *q = ac_q(o, o->layout.N), *tip = q + system->nodes[system->beams[0].nodes - 1].q;
        CHECK_NEAR(tip[0] * tip[0] + tip[1] * tip[1], 1.0, 1e-12);
        CHECK_NEAR(fabs(atan2(tip[1], tip[0])), 2.5, 1e-12);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

/* A free flexible system that starts at rest and is asked to end at rest keeps its momentum: those rows
 * are left out. */
TEST(momentum_of_a_free_beam_is_not_asked_for_twice)
{
    ac_system *system = arm(&KINDS[0], false);
    const char *words[] = {"reduced", "multipliers"};
    for (int w = 0; w < 2; ++w) {
        ac_optimization_settings s;
        ac_optimization *o = NULL;
        ac_optimization_defaults(&s);
        s.formulation = words[w];
        s.end_rest = true;
        s.intervals = 20;
        CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
        CHECK(ac_optimization_prepare(o) == AC_OK);
        CHECK(o->layout.end.row_count == o->layout.width - (w == 0 ? 6 : 12));
        ac_optimization_free(o);
    }
    ac_system_free(system);
    ac_context_free(ctx);
    ctx = NULL;
}

/* Torques on the vertices of an edge rod are those of the forward mechanics: loads, and a control of the
 * same kind. */
TEST(torques_on_vertices_are_those_of_loads)
{
    enum { PLACES = 4, N = 5 * 12 };
    const beam_data rod = {AC_BEAM_EDGE, 3, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.0, 1};
    for (int place = 0; place < PLACES; ++place)
        for (int follows = 0; follows < 2; ++follows) {
            ac_system *system = NULL;
            ac_discrete d;
            double loads[N] = {0}, inputs[N] = {0}, control[N] = {0}, tau[4] = {0}, largest = 0.0;
            if (!ctx) ctx = ac_context_new(NULL);
            CHECK(ac_system_new(ctx, &system) == AC_OK);
            add_straight(system, "rod", &rod, NULL);
            int node = ac_system_beam_node(system, 0, place), input = -1;
            ac_load load = {.name = "l", .type = AC_LOAD_TORQUE, .point = {.node = node}, .follows = follows};
            CHECK(ac_signal_constant(ctx, 0.7, &load.value[1]) == AC_OK);
            CHECK(ac_system_add_load(system, &load) == AC_OK);
            CHECK(ac_system_finish(system, NULL) == AC_OK && system->n == N);
            CHECK(ac_discrete_create(ctx, system, &d) == AC_OK);
            CHECK(ac_discrete_add_node_torque(&d, node, follows, 1, &input) == AC_OK && input == 0);
            d.control_count = 1;
            CHECK(ac_discrete_add_loads(&d) == AC_OK && d.input_count == 2);
            d.control_count = 2; /* to evaluate both */
            ac_loads_add(system, 0.0, 0.0, system->initial.q, NULL, 1.0, loads);
            tau[1] = 0.7;
            ac_discrete_add_controls(&d, AC_AT_TIME_NODE, system->initial.q, tau, 1.0, inputs);
            tau[0] = 0.7;
            tau[1] = 0.0;
            ac_discrete_add_controls(&d, AC_AT_TIME_NODE, system->initial.q, tau, 1.0, control);
            for (int i = 0; i < N; ++i) {
                CHECK_NEAR(inputs[i], loads[i], 1e-15);
                CHECK_NEAR(control[i], loads[i], 1e-15);
                largest = fmax(largest, fabs(loads[i]));
            }
            CHECK_NEAR(largest, place == 1 || place == 2 ? 0.175 : 0.35, 1e-15);
            ac_discrete_destroy(&d);
            ac_system_free(system);
        }
}

RUN_TESTS(CASE(every_kind_of_element_has_exact_derivatives), CASE(stiff_beams_are_solved_as_soft_ones_are),
          CASE(a_beam_is_carried_along_without_strain), CASE(momentum_of_a_free_beam_is_not_asked_for_twice),
          CASE(torques_on_vertices_are_those_of_loads))
