/* Beams that joints with given angles and speeds carry begin as rigid pieces. */
#include <math.h>

#include "actio/actio.h"
#include "base/vector.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "support/beam_text.h"
#include "test.h"

#define ROD "beams:\n  rod:\n" BEAM_CURVE "    d1: [0, 1, 0]\n    elements: 4\n" BEAM_SECTION BEAM_MATERIAL

static const ac_system *read(ac_context *ctx, const char *text, ac_problem **problem)
{
    CHECK(parse(ctx, text, problem) == AC_OK);
    if (!*problem) printf("%s\n", ac_context_message(ctx));
    return *problem ? ac_problem_system(*problem) : NULL;
}

/* Largest stress resultant in the beam. */
static double stress_in(const ac_system *system, int beam)
{
    double most = 0.0;
    const ac_beam_data *b = &system->beams[beam];
    for (int k = 0; k < ac_beam_points(b); ++k) {
        double strain[6], stress[6];
        ac_beam_at_point(system, b, k, system->initial.q, strain, stress, NULL);
        for (int i = 0; i < 6; ++i) most = fmax(most, fabs(stress[i]));
    }
    return most;
}

/* How far the nodes of a beam are from moving like the first one: the velocities of places and directors. */
static double strain_rate(const ac_system *system, int beam, double omega_out[3])
{
    const ac_beam_data *b = &system->beams[beam];
    const ac_node *first = &system->nodes[b->first_node];
    const double *q = system->initial.q, *v = system->initial.v;
    double omega[3] = {0}, most = 0.0;
    for (int d = 3; d < 12; d += 3) add_cross3(q + first->q + d, v + first->q + d, omega);
    for (int c = 0; c < 3; ++c) omega[c] *= 0.5;
    for (int i = b->first_node; i < b->first_node + b->nodes; ++i) {
        int at = system->nodes[i].q;
        for (int d = 0; d < 12; d += 3) {
            double expected[3] = {0}, arm[3];
            copy3(q + at + d, arm);
            if (d == 0) {
                sub3(q + at, q + first->q, arm);
                copy3(v + first->q, expected);
            }
            add_cross3(omega, arm, expected);
            for (int c = 0; c < 3; ++c) most = fmax(most, fabs(v[at + d + c] - expected[c]));
        }
    }
    copy3(omega, omega_out);
    return most;
}

TEST(a_given_angle_turns_the_whole_beam)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        ROD "joints:\n  - {revolute: [ground, rod.start], at: [0, 0, 0], axis: [0, 0, 1], "
            "angle: 60 deg, angle_rate: 3}\nsimulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        const double *end = system->initial.q + system->nodes[4].q,
                     *speed = system->initial.v + system->nodes[4].q;
        double omega[3];
        CHECK_NEAR(end[0], 0.5, 1e-14);
        CHECK_NEAR(end[1], sqrt(0.75), 1e-14);
        CHECK_NEAR(stress_in(system, 0), 0.0, 1e-10);
        CHECK_NEAR(speed[0], -3 * sqrt(0.75), 1e-13);
        CHECK_NEAR(speed[1], 1.5, 1e-13);
        CHECK_NEAR(strain_rate(system, 0, omega), 0.0, 1e-13);
        CHECK_NEAR(omega[2], 3.0, 1e-13);
        CHECK_NEAR(ac_problem_assembly(problem)->turned, acos(0.5), 1e-12);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The second beam hangs on the first one, a weight on the second: all of it is carried. */
TEST(what_a_beam_carries_comes_along)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        "bodies:\n  weight: {mass: 1, inertia: [1, 1, 1]}\n" ROD
        "  next:\n    straight: {from: [1, 0, 0], to: [1, 1, 0]}\n    elements: 2\n" BEAM_SECTION
            BEAM_MATERIAL "joints:\n  - {revolute: [ground, rod.start], at: [0, 0, 0], axis: [0, 0, 1], "
        "angle: 90 deg, angle_rate: 1}\n"
        "  - {fixed: [rod.end, next.start]}\n  - {fixed: [next.end, weight], at: {weight: centre}}\n"
        "simulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        int weight = 0; /* bodies are read before beams */
        const double *x = system->initial.q + system->nodes[weight].q,
                     *v = system->initial.v + system->nodes[weight].q;
        double omega[3];
        CHECK_TEXT(ac_system_node_name(system, weight), "weight");
        CHECK_NEAR(x[0], -1.0, 1e-13);
        CHECK_NEAR(x[1], 1.0, 1e-13);
        CHECK_NEAR(v[0], -1.0, 1e-13);
        CHECK_NEAR(v[1], -1.0, 1e-13);
        for (int beam = 0; beam < 2; ++beam) {
            CHECK_NEAR(stress_in(system, beam), 0.0, 1e-9);
            CHECK_NEAR(strain_rate(system, beam, omega), 0.0, 1e-12);
        }
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Crank and slider with a beam between them: closed, with the speed of a rigid coupler. */
TEST(in_a_loop_beams_move_as_rigid_couplers)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        "bodies:\n  crank: {solid: {rod: {length: 0.5, mass: 1}}}\n  slider: {mass: 1, inertia: [1, 1, 1]}\n"
        "beams:\n  rod:\n    straight: {from: [0.5, 0, 0], to: [1.5, 0, 0]}\n    d1: [0, 1, 0]\n"
        "    elements: 4\n" BEAM_SECTION BEAM_MATERIAL
        "joints:\n  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 0, 1], angle: 90 deg, "
        "angle_rate: 2}\n"
        "  - {revolute: [crank, rod.start], at: {crank: end}, axis: [0, 0, 1]}\n"
        "  - {revolute: [rod.end, slider], at: {slider: centre}, axis: [0, 0, 1]}\n"
        "  - {prismatic: [ground, slider], at: {slider: centre}, axis: [1, 0, 0]}\n"
        "simulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        const ac_node *slider = &system->nodes[1];
        double omega[3];
        CHECK_TEXT(slider->name, "slider");
        CHECK_NEAR(system->initial.q[slider->q], sqrt(0.75), 1e-9);
        CHECK_NEAR(system->initial.v[slider->q], -1.0,
                   1e-9); /* the coupler's ends move alike when the crank is upright */
        CHECK_NEAR(stress_in(system, 0), 0.0, 1e-6);
        CHECK_NEAR(strain_rate(system, 0, omega), 0.0, 1e-9);
        CHECK_NEAR(omega[2], 0.0, 1e-9);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Clamped at its start, turned at its end: no rigid piece can do that, so the beam is bent by what is
 * given. */
TEST(what_must_bend_is_bent)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        ROD "joints:\n  - {fixed: [ground, rod.start]}\n"
            "  - {revolute: [ground, rod.end], axis: [0, 0, 1], angle: 10 deg, angle_rate: 1}\n"
            "simulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        const double *end = system->initial.q + system->nodes[4].q;
        CHECK_NEAR(system->initial.q[0], 0.0, 1e-15);
        CHECK_NEAR(end[0], 1.0, 1e-14);
        CHECK_NEAR(end[4], cos(0.17453292519943295), 1e-13); /* d1 = y as drawn */
        CHECK_NEAR(system->initial.v[system->nodes[4].q + 3], -cos(0.17453292519943295), 1e-12);
        CHECK(stress_in(system, 0) > 1e-3);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Whoever is given the velocity, the body, the beam or the joint: all of it moves. */
TEST(the_velocity_of_one_is_that_of_all)
{
    static const char *const given[][3] = {
        {", angular_velocity: [0, 0, 5]", "", ""},
        {"", "    velocity: [0, 0, 0]\n    angular_velocity: [0, 0, 5]\n", ""},
        {"", "", ", angle_rate: 5"}};
    for (int k = 0; k < 3; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        char text[1000];
        double omega[3];
        snprintf(text, sizeof text,
                 "bodies:\n  hub: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]%s}\n" ROD "%s"
                 "joints:\n  - {revolute: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"
                 "  - {fixed: [hub, rod.start]}\nsimulate: {step: 1e-3, steps: 1}\n",
                 given[k][0], given[k][1], given[k][2]);
        const ac_system *system = read(ctx, text, &problem);
        if (system) {
            CHECK_NEAR(ac_problem_assembly(problem)->velocity_change, 0.0, 1e-12);
            CHECK_NEAR(strain_rate(system, 0, omega), 0.0, 1e-12);
            CHECK_NEAR(omega[2], 5.0, 1e-12);
            CHECK_NEAR(system->initial.v[system->nodes[0].q + 4], 5.0, 1e-12); /* d1 of the hub */
        }
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

/* The same with rigid bodies, in a loop too: the velocity of the coupler sets both cranks in motion. */
TEST(joints_take_the_velocity_of_what_they_carry)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        "planar_bodies:\n  left: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: 2, mass: 1}}, position: [1, 1], velocity: [3, 0], "
        "angular_velocity: 0}\n"
        "  right: {solid: {rod: {length: 1, mass: 1}}}\n"
        "joints:\n  - {revolute: [ground, left], at: {left: start}, angle: 90 deg}\n"
        "  - {revolute: [left, coupler], at: {left: end, coupler: start}, angle: -90 deg}\n"
        "  - {revolute: [coupler, right], at: {coupler: end, right: end}, angle: 90 deg}\n"
        "  - {revolute: [ground, right], at: {ground: [2, 0], right: start}}\n"
        "simulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        CHECK_NEAR(ac_problem_assembly(problem)->velocity_change, 0.0, 1e-12);
        for (int i = 0; i < 3; ++i) {
            const double *v = system->initial.v + system->nodes[i].q;
            CHECK_NEAR(v[0], i == 1 ? 3.0 : 1.5, 1e-12);
            CHECK_NEAR(v[1], 0.0, 1e-12);
        }
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A body without a place is parallel to the world's axes when its joint on a beam is at zero, and axes are
 * the world's. */
TEST(joints_on_beams_count_in_the_axes_of_the_world)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const ac_system *system = read(
        ctx,
        "bodies:\n  fore: {mass: 1, inertia: [1, 2, 3]}\n  aft: {mass: 1, inertia: [1, 2, 3]}\n" ROD
        "joints:\n  - {revolute: [rod.end, fore], at: {fore: centre}, axis: [0, 0, 1], angle: 90 deg}\n"
        "  - {revolute: [aft, rod.start], at: {aft: centre}, axis: [0, 0, 1]}\n"
        "simulate: {step: 1e-3, steps: 1}\n",
        &problem);
    if (system) {
        const double *fore = system->initial.q + system->nodes[0].q,
                     *aft = system->initial.q + system->nodes[1].q;
        const double turned[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1}, along[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int i = 0; i < 9; ++i) CHECK_NEAR(fore[3 + i], turned[i], 1e-13);
        for (int i = 0; i < 9; ++i) CHECK_NEAR(aft[3 + i], along[i], 1e-13);
        CHECK_NEAR(stress_in(system, 0), 0.0, 1e-10);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_given_angle_turns_the_whole_beam), CASE(what_a_beam_carries_comes_along),
          CASE(in_a_loop_beams_move_as_rigid_couplers), CASE(what_must_bend_is_bent),
          CASE(the_velocity_of_one_is_that_of_all), CASE(joints_take_the_velocity_of_what_they_carry),
          CASE(joints_on_beams_count_in_the_axes_of_the_world))
