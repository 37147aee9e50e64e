/* A live simulation: impulses of the user, parameters that are set while it moves. */
#include "live/simulation.h"

#include "actio/simulate.h"
#include "problem/build/build.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *problem_of(const char *text)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    ac_status status = ac_problem_parse(ctx, "text", text, strlen(text), NULL, 0, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static ac_live_simulation *open_text(const char *text, ac_problem **problem)
{
    ac_live_simulation *s = NULL;
    *problem = problem_of(text);
    CHECK(*problem && ac_live_simulation_new(ctx, *problem, &s) == AC_OK);
    return s;
}

static void close_both(ac_live_simulation *s, ac_problem *problem)
{
    ac_live_simulation_free(s);
    ac_problem_free(problem);
}

static const char slider[] = "parameters: {mass: 0.5, copies: 1}\n"
                             "bodies:\n"
                             "  block: {mass: =mass, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                             "joints:\n"
                             "  - {prismatic: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], name: rail}\n"
                             "simulate: {step: 10 ms, duration: 1 s}\n";

static double place(const ac_live_simulation *s)
{
    double position[3], rotation[9];
    ac_live_pose(s, 0, position, rotation);
    return position[0];
}

/* An impulse h F at each node but the first: x_N = h^2 F/m N (N - 1)/2. */
TEST(a_force_in_a_joint_is_an_impulse_in_every_step)
{
    enum { N = 50 };
    ac_problem *problem;
    ac_live_simulation *s = open_text(slider, &problem);
    const ac_live_slider *list;
    CHECK(ac_live_sliders(s, true, &list) == 1);
    CHECK_TEXT(list[0].name, "rail");
    CHECK_TEXT(list[0].unit, "N");
    ac_live_set_input(s, 0, 2.0);
    for (int k = 0; k < N; ++k) CHECK(ac_live_simulation_step(s));
    CHECK_NEAR(place(s), 1e-4 * 2.0 / 0.5 * N * (N - 1) / 2, 1e-12);
    CHECK_NEAR(ac_live_read(s).t, 0.01 * N, 1e-12);
    ac_live_set_input(s, 0, 1e9);
    CHECK_NEAR(list[0].value, list[0].high, 0);
    close_both(s, problem);
}

TEST(a_body_that_is_pulled_comes_to_the_goal_and_stays)
{
    ac_problem *problem;
    ac_live_simulation *s = open_text(slider, &problem);
    const double point[3] = {0}, goal[3] = {0.7, 3, 0}; /* the rail allows x only */
    ac_live_simulation_grab(s, 0, point);
    ac_live_simulation_pull_to(s, goal);
    for (int k = 0; k < 300; ++k) CHECK(ac_live_simulation_step(s));
    CHECK_NEAR(place(s), 0.7, 1e-3);
    CHECK_NEAR(ac_live_read(s).distance, 3.0, 1e-3);
    CHECK(ac_live_read(s).residual < 1e-12);
    ac_live_simulation_let_go(s);
    CHECK(ac_live_simulation_step(s));
    CHECK_NEAR(ac_live_read(s).force, 0.0, 0.0);
    ac_live_simulation_reset(s);
    CHECK_NEAR(place(s), 0.0, 1e-15);
    close_both(s, problem);
}

static const char pendulum[] =
    "parameters: {g: 9.81, length: 1, mass: 1, unused: 3}\n"
    "gravity: [0, =-g]\n"
    "planar_bodies:\n"
    "  rod: {solid: {rod: {length: =length, mass: =mass}}}\n"
    "joints:\n"
    "  - {revolute: [ground, rod], at: {ground: [0, 0], rod: start}, angle: -30 deg, name: pin}\n"
    "simulate: {step: 1 ms, duration: 1 s}\n";

/* Gravity changes under way and the motion goes on, with the energy of the new gravity; another length starts it again. */
TEST(parameters_are_set_while_it_moves)
{
    ac_problem *problem;
    ac_live_simulation *s = open_text(pendulum, &problem);
    const ac_live_slider *list;
    CHECK(ac_live_sliders(s, false, &list) == 3); /* not the one that nothing depends on */
    CHECK_TEXT(list[0].name, "g");
    for (int k = 0; k < 100; ++k) ac_live_simulation_step(s);
    double x = place(s);
    CHECK(ac_live_set_parameter(s, 0, 0.0));
    CHECK_NEAR(place(s), x, 1e-14);
    for (int k = 0; k < 20; ++k) CHECK(ac_live_simulation_step(s));
    double energy = ac_live_read(s).energy;
    for (int k = 0; k < 500; ++k) CHECK(ac_live_simulation_step(s));
    CHECK(energy > 0.1); /* kinetic alone: nothing pulls any more */
    CHECK_NEAR(ac_live_read(s).energy, energy, 1e-9);
    CHECK(ac_live_set_parameter(s, 1, 2.0));
    CHECK_NEAR(ac_live_read(s).t, 0.0, 0.0);
    CHECK_NEAR(place(s), cos(acos(-1.0) / 6), 1e-12);

    CHECK(ac_live_simulation_step(s));
    CHECK(!ac_live_set_parameter(s, 2, -1.0));
    CHECK(strstr(ac_context_message(ctx), "mass = -1") != NULL);
    CHECK_NEAR(list[2].value, 1.0, 0.0);
    CHECK(ac_live_simulation_step(s));
    close_both(s, problem);
}

/* The same acts before the same steps give the same bits; in a replay parameters that stand together are set at once. */
TEST(a_replay_ends_in_the_same_bits)
{
    ac_problem *problem;
    ac_live_simulation *s = open_text(pendulum, &problem), *again = NULL;
    ac_act acts[] = {{0, AC_ACT_SET, "length", {1.5}},
                     {0, AC_ACT_SET, "mass", {2.0}},
                     {30, AC_ACT_INPUT, "pin", {0.7}},
                     {40, AC_ACT_SET, "g", {4.0}},
                     {50, AC_ACT_GRAB, "", {0, 0.1, 0, 0, 1, 1, 0}},
                     {70, AC_ACT_MOVE, "", {0.5, 1, 0}},
                     {90, AC_ACT_RELEASE, "", {0}}};
    const ac_recorded recorded = {.count = 7, .acts = acts};
    int done = 0;
    CHECK(ac_live_set_parameter(s, 1, 1.5) && ac_live_set_parameter(s, 2, 2.0));
    for (int k = 0; k < 120; ++k) {
        if (k == 30) ac_live_set_input(s, 0, 0.7);
        if (k == 40) CHECK(ac_live_set_parameter(s, 0, 4.0));
        if (k == 50) ac_live_simulation_grab(s, 0, acts[4].x + 1);
        if (k == 50) ac_live_simulation_pull_to(s, acts[4].x + 4);
        if (k == 70) ac_live_simulation_pull_to(s, acts[5].x);
        if (k == 90) ac_live_simulation_let_go(s);
        CHECK(ac_live_simulation_step(s));
        if (k % 7 == 0) ac_live_read(s); /* to look changes nothing */
    }
    CHECK(ac_live_simulation_new(ctx, problem, &again) == AC_OK);
    for (int k = 0; k < 120; ++k)
        CHECK(ac_live_replay(again, &recorded, &done) == AC_OK && ac_live_simulation_step(again));
    CHECK(done == 7);
    CHECK(ac_live_checksum(s) == ac_live_checksum(again));
    CHECK(ac_live_simulation_step(again));
    CHECK(ac_live_checksum(s) != ac_live_checksum(again));

    acts[0] = (ac_act){121, AC_ACT_SET, "nothing", {1.0}};
    done = 0;
    CHECK(ac_live_replay(again, &recorded, &done) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "event 1, set at step 121: there is no such parameter: nothing"));
    acts[0] = (ac_act){121, AC_ACT_SET, "length", {1.0}};
    CHECK(ac_live_replay(again, &recorded, &done) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "would start again"));
    ac_live_simulation_free(again);
    close_both(s, problem);
}

RUN_TESTS(CASE(a_replay_ends_in_the_same_bits), CASE(a_force_in_a_joint_is_an_impulse_in_every_step),
          CASE(a_body_that_is_pulled_comes_to_the_goal_and_stays), CASE(parameters_are_set_while_it_moves))
