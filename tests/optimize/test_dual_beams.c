/* Beams of unit dual quaternions in the transcription: the derivatives of their chart to third order, exact derivatives of
 * objective, conditions and Lagrangian with bodies, joints and viscosity, and optima that shooting finds, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/chart/chart.h"
#include "actio/optimize.h"
#include "actio/plan.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "support/beams.h"
#include "support/numeric.h"
#include "test.h"

static ac_context *ctx;

static const beam_data BEAM = {AC_BEAM_DUAL_QUATERNION, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1};

/* A beam on a joint to the ground (or free) that carries a body on a hinge. */
static ac_system *arm(ac_joint_type type, bool held)
{
    ac_system *system = NULL;
    const double gravity[3] = {0.1, -0.3, -0.2};
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    if (held) CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int first = add_viscous(system, "rod", &BEAM, (const double[2]){0.003, 0.005}, NULL);
    add_hand(system, first + last_node(&BEAM));
    if (held) hold_by_axes_of_ground(system, type, first);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

/* --- the chart --- */

typedef struct charted {
    ac_chart chart;
    ac_chart_point point;
    ac_joint_state *state;
    const double *f, *mu;
    double *V;
    int wanted; /* 0: D^T f, 1: D mu, 2: (D mu) . f by xi, that is V^T f */
} charted;

static void chart_at(void *user, const double *xi, double *y)
{
    charted *c = user;
    const ac_chart *chart = &c->chart;
    int T = chart->freedoms;
    ac_chart_evaluate(chart, ac_chart_start(chart), xi, c->state, &c->point);
    if (c->wanted == 2) ac_chart_along(chart, &c->point, c->mu, c->V);
    const double *M = c->wanted == 2 ? c->V : c->point.D;
    for (int k = 0; k < (c->wanted == 1 ? chart->n : T); ++k) y[k] = 0.0;
    for (int i = 0; i < chart->n; ++i)
        for (int k = 0; k < T; ++k) {
            if (c->wanted == 1) y[i] += M[i * T + k] * c->mu[k];
            if (c->wanted != 1) y[k] += M[i * T + k] * c->f[i];
        }
}

static void check_chart(const ac_system *system, unsigned seed)
{
    charted c = {0};
    dice d = {seed};
    int n = system->n, T = system->tree.freedoms;
    CHECK(ac_chart_create(ctx, system, &c.chart) == AC_OK);
    CHECK(!ac_chart_swings_dual(&c.chart));
    double *xi = numbers(T), *f = numbers(n), *mu = numbers(T), *H = numbers(T * T);
    c.point = (ac_chart_point){numbers(n), numbers(n * T), numbers(3 * T)};
    c.state = calloc((size_t)system->node_count, sizeof *c.state);
    c.V = numbers(n * T);
    dice_vector(&d, T, 0.3, xi);
    dice_vector(&d, n, 1.0, f);
    dice_vector(&d, T, 1.0, mu);
    c.f = f;
    c.mu = mu;
    memcpy(c.point.q, system->initial.q, (size_t)n * sizeof *f);
    ac_chart_evaluate(&c.chart, ac_chart_start(&c.chart), xi, c.state, &c.point);
    ac_chart_second(&c.chart, &c.point, f, H);
    CHECK(jacobian_error(chart_at, &c, T, T, xi, H) < 1e-8);
    ac_chart_evaluate(&c.chart, ac_chart_start(&c.chart), xi, c.state, &c.point);
    ac_chart_along(&c.chart, &c.point, mu, c.V);
    c.wanted = 1;
    CHECK(jacobian_error(chart_at, &c, T, n, xi, c.V) < 1e-8);
    memset(H, 0, (size_t)(T * T) * sizeof *H);
    ac_chart_evaluate(&c.chart, ac_chart_start(&c.chart), xi, c.state, &c.point);
    ac_chart_third(&c.chart, &c.point, f, mu, H);
    c.wanted = 2;
    CHECK(jacobian_error(chart_at, &c, T, T, xi, H) < 1e-8);
    ac_chart_destroy(&c.chart);
    free(xi);
    free(f);
    free(mu);
    free(H);
    free(c.V);
    free(c.state);
    free(c.point.q);
    free(c.point.D);
    free(c.point.axis);
}

TEST(the_chart_has_derivatives_of_third_order)
{
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_SPHERICAL, AC_PRISMATIC, AC_CYLINDRICAL, AC_FIXED};
    for (unsigned t = 0; t < sizeof types / sizeof *types; ++t) {
        ac_system *system = arm(types[t], true);
        check_chart(system, 7 + t);
        ac_system_free(system);
    }
    ac_system *system = arm(AC_FIXED, false);
    check_chart(system, 3);
    ac_system_free(system);
}

/* --- the transcription --- */

static ac_optimization *problem_of(const ac_system *system, const char *formulation, bool free_time)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.scheme = "trapezoidal";
    s.formulation = formulation;
    s.intervals = 2;
    s.duration = 0.04;
    s.free_duration = free_time;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    if (!o) return NULL;
    for (int j = 0; j < ac_system_sizes(system).joints; ++j) {
        if (ac_system_joint_coordinates(system, j) == 0) continue;
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
    ac_control push = {.name = "push",
                       .type = AC_LOAD_FORCE,
                       .point = {1, {0, 0.1, 0}},
                       .follows = true,
                       .low = -9,
                       .high = 9,
                       .rate = INFINITY,
                       .guess = 0.1},
               twist = {.name = "twist",
                        .type = AC_LOAD_TORQUE,
                        .point = {1, {0, 0, 0}},
                        .coordinate = 1,
                        .low = -9,
                        .high = 9,
                        .rate = INFINITY,
                        .guess = 0.1};
    CHECK(ac_optimization_add_control(o, &push) == AC_OK);
    CHECK(ac_optimization_add_control(o, &twist) == AC_OK);
    ac_quantity tip = {.name = "tip",
                       .type = AC_QUANTITY_POINT,
                       .point = {2, {0.1, 0, 0}},
                       .direction = {0, 0.6, 0.8}},
                energy = {.name = "E", .type = AC_QUANTITY_ENERGY, .point = {AC_WHOLE_SYSTEM, {0}}};
    CHECK(ac_optimization_add_quantity(o, &tip) == AC_OK);
    CHECK(ac_optimization_add_quantity(o, &energy) == AC_OK);
    ac_condition end = {
        .expression = "tip + tip_rate^2 + 0.01*E", .place = AC_AT_END, .low = 0.1, .high = 0.1};
    CHECK(ac_optimization_add_condition(o, &end, NULL, NULL) == AC_OK);
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0};
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    return o;
}

static void guess_drawn(ac_optimization *o, const ac_system *system)
{
    double *q = numbers(3 * system->n);
    double controls[20];
    CHECK(o->description.control_count <= 10);
    for (int k = 0; k < 20; ++k) controls[k] = 0.1 * (k % 5) - 0.2;
    for (size_t k = 0; k < 3; ++k)
        memcpy(q + k * (size_t)system->n, system->initial.q, (size_t)system->n * sizeof *q);
    CHECK(ac_optimization_guess_motion(o, 3, q, controls, 0.04) == AC_OK);
    free(q);
}

TEST(the_transcription_has_exact_derivatives)
{
    static const char *const words[] = {"reduced", "multipliers"};
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_SPHERICAL};
    for (int t = 0; t < 3; ++t)
        for (int w = 0; w < 4; ++w) {
            ac_system *system = arm(t < 2 ? types[t] : AC_FIXED, t < 2);
            ac_optimization *o = problem_of(system, words[w % 2], w / 2);
            if (!o) continue;
            double differences[3] = {NAN, NAN, NAN};
            int dependent, before = test_failures;
            char name[128] = "";
            guess_drawn(o, system);
            ac_optimization_disturb(o, 5, 0.1);
            ac_status status = ac_optimization_check(o, differences, &dependent, name);
            CHECK(status == AC_OK);
            CHECK_NEAR(differences[0], 0.0, 2e-6);
            CHECK_NEAR(differences[1], 0.0, 2e-6);
            CHECK_NEAR(differences[2], 0.0, 2e-5);
            if (test_failures > before)
                printf("support %d, %s, case %d: %s, %g %g %g\n", t, words[w % 2], w, ac_context_message(ctx),
                       differences[0], differences[1], differences[2]);
            ac_optimization_free(o);
            ac_system_free(system);
        }
}

/* The limit of turns per interval is one of directors, 1 + 2 cos(turn), wherever the node is. */
TEST(turns_of_an_interval_are_those_of_the_directors)
{
    static const char *const words[] = {"reduced", "multipliers"};
    for (int w = 0; w < 2; ++w) {
        ac_system *system = arm(AC_REVOLUTE, true);
        ac_optimization *o = problem_of(system, words[w], false);
        double differences[3];
        int dependent, rows = 0;
        char name[128];
        guess_drawn(o, system);
        CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
        double *c = numbers(o->layout.rows), *x = numbers(o->layout.variables), *q = numbers(system->n);
        memcpy(x, o->point.x, (size_t)o->layout.variables * sizeof *x);
        ac_chart chart;
        ac_joint_state *state = calloc((size_t)system->node_count, sizeof *state);
        double *xi = numbers(system->tree.freedoms);
        CHECK(ac_chart_create(ctx, system, &chart) == AC_OK);
        memcpy(state, ac_chart_start(&chart), (size_t)system->node_count * sizeof *state);
        xi[0] = 0.7; /* the hinge at the ground carries all */
        ac_chart_move(&chart, xi, state);
        memcpy(q, system->initial.q, (size_t)system->n * sizeof *q);
        ac_chart_forward(&chart, state, q);
        if (o->layout.charted) x[ac_y(o, 1)] += 0.7;
        if (!o->layout.charted) memcpy(x + ac_y(o, 1), q, (size_t)system->n * sizeof *q);
        ac_evaluate_at(o, x);
        ac_evaluate_rows(o, c);
        for (int b = 0; b < o->layout.block_count; ++b) {
            const ac_row_block *block = &o->layout.blocks[b];
            if (block->kind != AC_ROW_TURN || block->place != 0) continue;
            CHECK_NEAR(c[block->first], 1.0 + 2.0 * cos(0.7), 1e-12);
            ++rows;
        }
        CHECK(rows == system->node_count);
        ac_chart_destroy(&chart);
        free(state);
        free(xi);
        free(c);
        free(x);
        free(q);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

/* A solution may have parameters with which the beam is stiffer than at the start: the intervals are judged there, too. */
TEST(intervals_are_judged_with_the_parameters_found)
{
    ac_system *system = arm(AC_REVOLUTE, true), *stiff = NULL;
    ac_optimization *o = problem_of(system, "reduced", false);
    beam_data beam = BEAM;
    ac_resimulation again;
    double differences[3];
    int dependent;
    char name[128];
    guess_drawn(o, system);
    CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
    CHECK(ac_optimization_resimulate(o, system, &again) == AC_OK);
    CHECK(strstr(again.remark, "stable") == NULL);
    for (int k = 0; k < 2; ++k) beam.bending[k] *= 1e6;
    beam.shear *= 1e6;
    beam.axial *= 1e6;
    CHECK(ac_system_new(ctx, &stiff) == AC_OK);
    int first = add_viscous(stiff, "rod", &beam, (const double[2]){0.003, 0.005}, NULL);
    add_hand(stiff, first + last_node(&beam));
    hold_by_axes_of_ground(stiff, AC_REVOLUTE, first);
    CHECK(ac_system_finish(stiff, NULL) == AC_OK);
    CHECK(ac_optimization_resimulate(o, stiff, &again) == AC_OK);
    CHECK(!isfinite(again.difference));
    CHECK(strstr(again.remark, "too long for the solution: its beams of dual quaternions are stable up to") !=
          NULL);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_system_free(stiff);
}

RUN_TESTS(CASE(the_chart_has_derivatives_of_third_order), CASE(the_transcription_has_exact_derivatives),
          CASE(turns_of_an_interval_are_those_of_the_directors),
          CASE(intervals_are_judged_with_the_parameters_found))
