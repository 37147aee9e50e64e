/* The extended scheme: where its energy equation has a root near the last step, the energy of all intervals is the
 * same to round-off; elsewhere the nominal step is taken. Steps stay within their bounds. */
#include "actio/actio.h"
#include "integrate/extended.h"
#include "observe/simulation.h"
#include "problem/build/build.h"
#include "test.h"

static const char PENDULUM[] = "gravity: [0, -9.81]\n"
                               "planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}\n"
                               "joints: [{revolute: [ground, arm], at: {arm: start}, angle: 60 deg}]\n"
                               "simulate: {step: 20 ms, duration: 4 s, free_step: true%s}\n";

/* The kinetic energy of its nodes is a function of both ends of an interval. */
static const char FLYING_BEAM[] =
    "beams:\n"
    "  strip:\n"
    "    model: dual_quaternion\n"
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
    "    elements: 2\n"
    "    section: {rectangle: {width: 0.05, height: 0.02}}\n"
    "    material: {young: 1e6, density: 1000}\n"
    "bodies: {tip: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [1, 0, 0], velocity: [0, 0.5, 1], "
    "angular_velocity: [1, 2, "
    "0.5]}}\n"
    "joints: [{fixed: [strip.end, tip], at: {tip: origin}}]\n"
    "simulate: {step: 0.1 ms, duration: 20 ms, free_step: true, scheme: trapezoidal%s}\n";

static ac_status begin_with(ac_context *ctx, const char *form, const char *more, ac_problem **problem,
                            ac_simulation **sim)
{
    char text[1024];
    int length = snprintf(text, sizeof text, form, more);
    ac_status status = ac_problem_parse(ctx, "test.yaml", text, (size_t)length, NULL, 0, problem);
    return status == AC_OK
               ? ac_simulation_new(ctx, ac_problem_system(*problem), ac_problem_simulation(*problem), sim)
               : status;
}

static ac_status begin(ac_context *ctx, const char *more, ac_problem **problem, ac_simulation **sim)
{
    return begin_with(ctx, PENDULUM, more, problem, sim);
}

static void check_energies(const char *more)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    CHECK(begin(ctx, more, &problem, &sim) == AC_OK);
    double row[16], first = 0.0, before = 0.0;
    long same = 0;
    ac_status status = sim ? AC_OK : AC_BAD_INPUT;
    while (status == AC_OK && ac_simulation_mesh_steps(sim) < 200) {
        status = ac_simulation_step(sim);
        CHECK(status == AC_OK && ac_simulation_interval_row(sim, row) == AC_OK);
        double h = sim->stepper.h;
        if (before == 0.0) first = row[1];
        same += fabs(row[1] - first) <= 1e-12;
        CHECK(h <= 4.0 * 0.02 && h > 0.0);
        before = h;
    }
    if (sim) {
        const ac_extended *x = sim->stepper.extended;
        CHECK_NEAR(ac_simulation_time(sim), 4.0, 1e-15);
        CHECK(same >= x->found && x->found > x->missed / 2);
        CHECK(x->found + x->missed == ac_simulation_steps_taken(sim));
        CHECK(x->longest > 1.1 * 0.02);
    }
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(energies_of_intervals_agree_where_there_is_a_step)
{
    check_energies("");
    check_energies(", formulation: multipliers");
    check_energies(", formulation: null-space");
    check_energies(", scheme: trapezoidal");
}

/* Steps are found for nodes of dual quaternions, too. */
TEST(beams_of_dual_quaternions_keep_the_energy_of_intervals)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    double row[16], first = 0.0;
    long same = 0;
    CHECK(begin_with(ctx, FLYING_BEAM, "", &problem, &sim) == AC_OK);
    for (int k = 0; sim && k < 100; ++k) {
        CHECK(ac_simulation_step(sim) == AC_OK && ac_simulation_interval_row(sim, row) == AC_OK);
        if (k == 0) first = row[1];
        same += fabs(row[1] - first) <= 1e-13 * first;
    }
    if (sim) CHECK(same >= sim->stepper.extended->found && sim->stepper.extended->found > 50);
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(what_cannot_have_a_free_step_is_refused)
{
    static const struct {
        const char *more, *message;
    } cases[] = {{", scheme: energy-momentum", "keeps the energy"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_simulation *sim = NULL;
        CHECK(begin(ctx, cases[k].more, &problem, &sim) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), cases[k].message) != NULL);
        ac_simulation_free(sim);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

RUN_TESTS(CASE(energies_of_intervals_agree_where_there_is_a_step),
          CASE(beams_of_dual_quaternions_keep_the_energy_of_intervals),
          CASE(what_cannot_have_a_free_step_is_refused))
