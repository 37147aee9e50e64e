/* How steps begin, and what that saves: increments are predicted by the trend of the last ones, and
 * corrections that Newton's method needs in full are made in full. */
#include <math.h>
#include <stdio.h>

#include "observe/simulation.h"
#include "support/beam_text.h"

/* --- trends ---------------------------------------------------------------------------------- */

enum { FREEDOMS = 5 };

typedef struct increments {
    double value[4][FREEDOMS];
    double *u[4];
} increments;

/* u[k] is k steps before u[0]: a parabola of time, and a ringing that changes its sign. */
static increments draw_increments(double constant, double slope, double bend, double ringing)
{
    increments in;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < FREEDOMS; ++j) {
            double t = -k, own = 1.0 + 0.3 * j;
            in.value[k][j] = own * (constant + slope * t + bend * t * t) +
                             (k % 2 == 0 ? ringing : -ringing) * cos(1.7 * j);
        }
    return in;
}

static ac_trend trend_of(increments in)
{
    const double unit[FREEDOMS] = {1.0, 1.0, 2.0, 1.0, 0.5};
    for (int k = 0; k < 4; ++k) in.u[k] = in.value[k];
    return ac_trend_of(FREEDOMS, unit, in.u);
}

/* The largest error of u[0] as predicted. */
static double miss_of(ac_trend trend, increments in)
{
    double truth[FREEDOMS], most = 0.0;
    memcpy(truth, in.value[0], sizeof truth);
    for (int k = 0; k < 4; ++k) in.u[k] = in.value[k];
    ac_trend_continue(trend, FREEDOMS, in.u);
    for (int j = 0; j < FREEDOMS; ++j) most = fmax(most, fabs(in.value[0][j] - truth[j]));
    return most;
}

TEST(each_trend_is_exact_for_its_motion)
{
    CHECK_NEAR(miss_of(AC_TREND_PARABOLA, draw_increments(1.0, -0.2, 0.3, 0.0)), 0.0, 1e-14);
    CHECK_NEAR(miss_of(AC_TREND_LINE, draw_increments(1.0, -0.2, 0.0, 0.0)), 0.0, 1e-14);
    CHECK_NEAR(miss_of(AC_TREND_RINGING, draw_increments(1.0, -0.2, 0.0, 0.4)), 0.0, 1e-14);
    CHECK_NEAR(miss_of(AC_TREND_SWAPPED, draw_increments(1.0, 0.0, 0.0, 0.4)), 0.0, 1e-14);
    CHECK_NEAR(miss_of(AC_TREND_REPEATED, draw_increments(1.0, 0.0, 0.0, 0.0)), 0.0, 1e-14);
    CHECK_NEAR(miss_of(AC_TREND_RESTING, draw_increments(0.0, 0.0, 0.0, 0.0)), 0.0, 0.0);
    /* the ringing of size 1 is seven times as large on a parabola, and of the other sign */
    CHECK_NEAR(miss_of(AC_TREND_PARABOLA, draw_increments(0.0, 0.0, 0.0, 1.0)), 8.0, 1e-12);
}

TEST(the_trend_of_the_last_increment_is_found)
{
    CHECK(trend_of(draw_increments(1.0, -0.2, 0.3, 0.0)) == AC_TREND_PARABOLA);
    CHECK(trend_of(draw_increments(1.0, -0.2, 0.3, 1e-3)) == AC_TREND_PARABOLA);
    CHECK(trend_of(draw_increments(1.0, -0.2, 0.0, 0.4)) == AC_TREND_RINGING);
    increments noise = draw_increments(0.0, 0.0, 0.0, 0.0);
    noise.value[1][0] = noise.value[2][2] = noise.value[3][4] = 1.0;
    CHECK(trend_of(noise) == AC_TREND_RESTING);
    memcpy(noise.value[0], noise.value[1], sizeof noise.value[0]);
    CHECK(trend_of(noise) == AC_TREND_REPEATED);
    memcpy(noise.value[0], noise.value[2], sizeof noise.value[0]);
    CHECK(trend_of(noise) == AC_TREND_SWAPPED);
}

/* --- what a step costs ----------------------------------------------------------------------- */

typedef struct cost {
    ac_status status;
    long steps, retries;
    int most;
    double mean;
} cost;

static cost cost_of(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    cost c = {AC_OK, 0, 0, 0, 0.0};
    CHECK(parse(ctx, text, &problem) == AC_OK);
    const ac_simulation_settings *settings = ac_problem_simulation(problem);
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), settings, &sim) == AC_OK);
    while (c.steps < settings->steps && (c.status = ac_simulation_step(sim)) == AC_OK) {
        const ac_stepper *s = &sim->stepper;
        c.retries += s->last.retries;
        if (s->last.iterations > c.most) c.most = s->last.iterations;
        c.mean += s->last.iterations;
        ++c.steps;
    }
    c.mean /= (double)c.steps;
    ac_simulation_free(sim);
    ac_problem_free(problem);
    return c;
}

#define SATELLITE(order, damping)                                                                           \
    "bodies:\n"                                                                                             \
    "  sat: {solid: {box: {size: [0.3, 0.3, 0.3], mass: 20}}, angular_velocity: [0.5, 0.3, 2]}\n"           \
    "beams:\n"                                                                                              \
    "  boom: {straight: {from: [0.15, 0, 0], to: [2.15, 0, 0]}, d1: [0, 1, 0], elements: 20, order: " order \
    ", damping: " damping ", section: {rectangle: {width: 2 cm, height: 0.5 mm}},\n"                        \
    "    material: {young: 200 GPa, density: 7800}, masses: [{at: end, mass: 0.5}]}\n"                      \
    "joints: [{fixed: [sat, boom.start], at: {sat: [0.15, 0, 0]}}]\n"                                       \
    "simulate: {step: 5 ms, steps: 300}\n"

#define CABLE                                                                                   \
    "gravity: [0, 0, -9.81]\n"                                                                  \
    "bodies: {load: {solid: {sphere: {radius: 10 cm, mass: 100}}}}\n"                           \
    "beams: {cable: {straight: {from: [0, 0, 0], to: [0, 0, -5]}, elements: 30, model: edge,\n" \
    "  section: {circle: {radius: 3 mm}}, material: {young: 100 GPa, density: 7000}}}\n"        \
    "joints:\n"                                                                                 \
    "  - {revolute: [ground, cable.start], axis: [0, 1, 0], angle_rate: 0.3}\n"                 \
    "  - {fixed: [cable.end, load], at: {load: [0, 0, 0.1]}}\n"                                 \
    "simulate: {step: 5 ms, steps: 1200}\n"

/* The step resolves the bending of a long boom and nothing else of it: it rings. */
TEST(undamped_beams_that_ring_need_no_second_guess)
{
    ac_context *ctx = ac_context_new(NULL);
    cost one = cost_of(ctx, SATELLITE("1", "0")), two = cost_of(ctx, SATELLITE("2", "0"));
    cost damped = cost_of(ctx, SATELLITE("1", "0.5 ms")), cable = cost_of(ctx, CABLE);
    CHECK(one.status == AC_OK && two.status == AC_OK && damped.status == AC_OK && cable.status == AC_OK);
    CHECK(one.retries <= 3 && one.mean < 10.0);
    CHECK(two.retries <= 3 && two.mean < 9.0);
    CHECK(cable.retries == 0 && cable.mean < 7.0);
    CHECK(damped.retries == 0 && damped.mean < 5.0);
    ac_context_free(ctx);
}

/* A soft motion hardly shows in the residual, and what it stretches does: a correction is judged by the
 * next. */
TEST(the_first_push_on_a_stiff_beam_is_one_newton_iteration_like_others)
{
    ac_context *ctx = ac_context_new(NULL);
    cost micro = cost_of(ctx, "beams: {a: {straight: {from: [0, 0, 0], to: [100 um, 0, 0]}, elements: 10,\n"
                              "  section: {rectangle: {width: 10 um, height: 1 um}},\n"
                              "  material: {young: 160 GPa, poisson: 0.22, density: 2330}}}\n"
                              "joints: [{fixed: [ground, a.start]}]\n"
                              "loads: [{force: [0, 1e-6, 1e-6], on: a.end}]\n"
                              "simulate: {step: 0.05 us, steps: 100}\n");
    CHECK(micro.status == AC_OK && micro.retries == 0 && micro.most <= 10);
    ac_context_free(ctx);
}

#define COIL                                                                                                 \
    "  coil: {arc: {from: [0.1, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: 270 deg}, elements: 30,\n" \
    "    model: vertex, section: {circle: {radius: 2 mm}}, material: {young: 200 GPa, density: 7800},\n"     \
    "    masses: [{at: end, mass: 0.2}]}\n"
#define BENT                                                                               \
    "  bent: {straight: {from: [0, 2, 0], to: [0.6, 2, 0]}, d1: [0, 1, 0], elements: 3,\n" \
    "    section: {i_section: {width: 1 cm, height: 2 cm, web: 1 mm, flange: 1 mm}},\n"    \
    "    material: {young: 70 GPa, density: 2700}, precurvature: [0, 0, 0.5]}\n"
#define CLAMPED "gravity: [0, 0, -9.81]\nsimulate: {step: 1 ms, steps: 200}\njoints:\n"

/* Parts that nothing connects are solved together: each iteration serves all of them. */
TEST(separate_beams_together_cost_fewer_iterations_than_one_after_the_other)
{
    ac_context *ctx = ac_context_new(NULL);
    cost coil = cost_of(ctx, CLAMPED "  - {fixed: [ground, coil.start]}\nbeams:\n" COIL);
    cost bent = cost_of(ctx, CLAMPED "  - {fixed: [ground, bent.start]}\nbeams:\n" BENT);
    cost both = cost_of(ctx, CLAMPED "  - {fixed: [ground, coil.start]}\n"
                                     "  - {fixed: [ground, bent.start]}\nbeams:\n" COIL BENT);
    CHECK(coil.status == AC_OK && bent.status == AC_OK && both.status == AC_OK);
    CHECK(both.retries == 0 && both.mean < 0.8 * (coil.mean + bent.mean));
    ac_context_free(ctx);
}

/* --- messages -------------------------------------------------------------------------------- */

#define ARC(scheme)                                                                                      \
    "beams: {b: {arc: {from: [1, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: 120 deg}, elements: " \
    "12,\n"                                                                                              \
    "  model: edge, section: {rectangle: {width: 1 cm, height: 5 mm}},\n"                                \
    "  material: {young: 1 GPa, density: 1200}, angular_velocity: [5, 3, 8],\n"                          \
    "  masses: [{at: start, mass: 0.05}, {at: end, mass: 0.1}]}}\n"                                      \
    "simulate: {step: 2 ms, steps: 2000, scheme: " scheme "}\n"

/* Spun, the arc straightens and rolls over about its own axis at some hundred rad/s. */
TEST(steps_of_beams_that_fail_recommend_elements_and_damping)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(cost_of(ctx, ARC("energy-momentum")).status == AC_NOT_CONVERGED);
    CHECK(
        strstr(ac_context_message(ctx), "use a smaller step, more elements or a little damping of the beam"));
    CHECK(cost_of(ctx, ARC("midpoint, max_iterations: 1")).status == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx),
                 "try a smaller step, the energy-momentum scheme, more elements or a little damping of the "
                 "beam"));
    CHECK(cost_of(ctx, ARC("energy-momentum, max_iterations: 1")).status == AC_NOT_CONVERGED);
    CHECK(
        strstr(ac_context_message(ctx), "try a smaller step, more elements or a little damping of the beam"));
    ac_context_free(ctx);
}

#define GRASS(scheme)                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                         \
    "beams:\n  blade: {straight: {from: [0, 0, 0], to: [0, 0, 0.38]}, elements: 10, d1: [1, 0, 0],\n"  \
    "    section: [{at: 0, rectangle: {width: 6 mm, height: 0.6 mm}},\n"                               \
    "              {at: 1, rectangle: {width: 1 mm, height: 0.2 mm}}],\n"                              \
    "    material: {young: 1 GPa, density: 600}, damping: 3 ms}\n"                                     \
    "  stiff: {straight: {from: [1, 0, 0], to: [1, 0, 1]}, elements: 2, section: {circle: {radius: 1 " \
    "cm}},\n"                                                                                          \
    "    material: {young: 1 GPa, density: 600}}\n"                                                    \
    "joints: [{fixed: [ground, blade.start]}, {fixed: [ground, stiff.start]}]\n"                       \
    "loads: [{force: [0, 0.004, 0], on: blade.end}]\n"                                                 \
    "simulate: {step: 5 ms, steps: 1, scheme: " scheme "}\n"

/* The one at which the step fails has some, another one has none. */
TEST(a_beam_that_is_damped_is_not_told_to_be)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(cost_of(ctx, GRASS("energy-momentum, max_iterations: 1")).status == AC_NOT_CONVERGED);
    CHECK(
        strstr(ac_context_message(ctx), "of beam 'blade'; try a smaller step or more elements of the beam"));
    CHECK(cost_of(ctx, GRASS("midpoint, max_iterations: 1")).status == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx),
                 "try a smaller step, the energy-momentum scheme, or more elements of the beam"));
    ac_context_free(ctx);
}

/* Dual quaternions have no energy-momentum scheme that could help. */
TEST(a_beam_of_dual_quaternions_is_advised_what_it_can_take)
{
    ac_context *ctx = ac_context_new(NULL);
    cost failed = cost_of(
        ctx, "beams: {b: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 4, model: dual_quaternion,\n"
             "  section: {circle: {radius: 1 cm}}, material: {young: 1 GPa, density: 1200},\n"
             "  angular_velocity: [30, 20, 5]}}\n"
             "simulate: {step: 18 us, steps: 30, max_iterations: 1}\n");
    CHECK(failed.status == AC_NOT_CONVERGED);
    CHECK(
        strstr(ac_context_message(ctx), "try a smaller step, more elements or a little damping of the beam"));
    ac_context_free(ctx);
}

RUN_TESTS(CASE(each_trend_is_exact_for_its_motion), CASE(the_trend_of_the_last_increment_is_found),
          CASE(undamped_beams_that_ring_need_no_second_guess),
          CASE(the_first_push_on_a_stiff_beam_is_one_newton_iteration_like_others),
          CASE(separate_beams_together_cost_fewer_iterations_than_one_after_the_other),
          CASE(steps_of_beams_that_fail_recommend_elements_and_damping),
          CASE(a_beam_that_is_damped_is_not_told_to_be),
          CASE(a_beam_of_dual_quaternions_is_advised_what_it_can_take))
