/* Energy that comes from nowhere is remarked, in the summary and in the result file; energy that loads
 * bring is not, nor the small waves of steps that are short enough. */
#include <unistd.h>

#include "observe/simulation.h"
#include "support/beam_text.h"
#include "support/scratch.h"

#define CANTILEVER(settings)                                                                   \
    "beams: {bar: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 20,\n" \
    "  section: {rectangle: {width: 2 cm, height: 1 cm}},\n"                                   \
    "  material: {young: 210 GPa, poisson: 0.3, density: 7850}}}\n"                            \
    "joints: [{fixed: [ground, bar.start]}]\n"                                                 \
    "loads: [{force: [0, 1, 1], on: bar.end}]\n"                                               \
    "simulate: {duration: 4 s, " settings "}\n"

#define ROPE(settings)                                                                          \
    "gravity: [0, 0, -9.81]\n"                                                                  \
    "beams: {rope: {straight: {from: [0, 0, 0], to: [2, 0, 0]}, elements: 50, model: vertex,\n" \
    "  damping: 1 ms, section: {circle: {radius: 5 mm}},\n"                                     \
    "  material: {young: 5 MPa, poisson: 0.45, density: 1100}}}\n"                              \
    "joints: [{fixed: [ground, rope.start]}]\n"                                                 \
    "simulate: {step: 2 ms, " settings "}\n"

#define BOOM(scheme)                                                                         \
    "bodies: {sat: {solid: {box: {size: [0.3, 0.3, 0.3], mass: 20}}, position: [0, 0, 0],\n" \
    "  angular_velocity: [0.5, 0.3, 2]}}\n"                                                  \
    "beams: {boom: {straight: {from: [0.15, 0, 0], to: [2.15, 0, 0]}, d1: [0, 1, 0],\n"      \
    "  elements: 20, section: {rectangle: {width: 2 cm, height: 0.5 mm}},\n"                 \
    "  material: {young: 200 GPa, density: 7800}, masses: [{at: end, mass: 0.5}]}}\n"        \
    "joints: [{fixed: [sat, boom.start]}]\n"                                                 \
    "simulate: {step: 5 ms, steps: 20, scheme: " scheme "}\n"

#define PENDULUM(settings)                                                             \
    "gravity: [0, -9.81]\n"                                                            \
    "planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}\n"                     \
    "joints: [{name: hinge, revolute: [ground, arm], at: {arm: start}, angle: 0.3}]\n" \
    "loads: [{joint: hinge, value: \"=8 + 4*sin(5*t)\"}]\n"                            \
    "simulate: {step: 2 ms, steps: 300, " settings "}\n"

/* The remark of a run, also as the result file has it. */
static void remark_of(const char *text, char remark[AC_REMARK_SIZE])
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_result *result = NULL;
    ac_summary summary = {.count = 0};
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "energy.h5");
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    CHECK(ac_run(ctx, problem, path, NULL, NULL, &summary) == AC_OK);
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    const char *kept = ac_result_text(result, "remark");
    CHECK_TEXT(kept ? kept : "", summary.remark);
    snprintf(remark, AC_REMARK_SIZE, "%s", summary.remark);
    ac_result_close(result);
    ac_problem_free(problem);
    ac_context_free(ctx);
    unlink(path);
}

/* The motion between the nodes is sound, at the nodes 1000 times the work of the load is found. */
TEST(energy_from_nowhere_is_remarked)
{
    char remark[AC_REMARK_SIZE];
    remark_of(CANTILEVER("step: 10 ms, scheme: midpoint"), remark);
    CHECK(strstr(remark, "the energy rises by 3.27 J that no load gives"));
    CHECK(strstr(remark, "use scheme: energy-momentum, a smaller step or damping of the beams"));
    remark_of(ROPE("scheme: midpoint, duration: 5, record_every: 100"), remark);
    CHECK(strstr(remark, "that no load gives"));
}

/* The motion at the nodes stretches the boom with kilonewtons, although next to nothing pulls it. */
TEST(energy_from_nowhere_kinks_no_beam)
{
    char remark[AC_REMARK_SIZE];
    remark_of(BOOM("midpoint"), remark);
    CHECK(strstr(remark, "that no load gives") && !strstr(remark, "kink"));
    remark_of(BOOM("energy-momentum"), remark);
    CHECK_TEXT(remark, "");
}

/* Rods of vertices and edges resist any bend: they may bend further, and it is not remarked. */
TEST(the_largest_bend_is_told_of_every_beam)
{
    static const char *const models[] = {"director", "vertex", "edge"};
    for (int k = 0; k < 3; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        ac_summary summary = {.count = 0};
        double bend = 0.0, torque = k == 0 ? 0.02 : 0.05;
        char text[600], scratch[SCRATCH_SIZE];
        const char *path = scratch_path(scratch, "bend.h5");
        snprintf(text, sizeof text,
                 "beams: {rod: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 6, model: %s, section: "
                 "{circle: {radius: 1 cm}}, material: {young: 1 MPa, density: 1000}}}\n"
                 "joints: [{fixed: [ground, rod.start]}]\nloads: [{torque: [0, %g, 0], on: rod.end}]\n"
                 "equilibrium: {steps: 10}\n",
                 models[k], torque);
        CHECK(parse(ctx, text, &problem) == AC_OK);
        CHECK(ac_run(ctx, problem, path, NULL, NULL, &summary) == AC_OK);
        for (int i = 0; i < summary.count; ++i)
            if (strcmp(summary.entry[i].name, "largest_bend") == 0) bend = summary.entry[i].value;
        CHECK(k == 0 ? bend > 0.4 && bend < 0.6 : bend > 0.8 && bend < 0.9);
        CHECK(!strstr(summary.remark, "bends"));
        ac_problem_free(problem);
        ac_context_free(ctx);
        unlink(path);
    }
}

TEST(sound_runs_are_not_remarked)
{
    char remark[AC_REMARK_SIZE];
    remark_of(CANTILEVER("step: 10 ms"), remark);
    CHECK_TEXT(remark, "");
    remark_of(ROPE("duration: 0.1"), remark);
    CHECK_TEXT(remark, "");
    remark_of(PENDULUM("scheme: midpoint"), remark);
    CHECK_TEXT(remark, "");
    remark_of(PENDULUM("scheme: trapezoidal"), remark);
    CHECK_TEXT(remark, "");
}

/* With the energy-momentum scheme the energy changes by the work of the loads, to rounding. */
TEST(the_work_of_loads_is_what_the_energy_gains)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    double row[64], work = 0.0, start = 0.0, least = 0.0, most = 0.0;
    enum { HAMILTONIAN = 1 };
    CHECK(parse(ctx, PENDULUM("scheme: energy-momentum"), &problem) == AC_OK);
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim) == AC_OK);
    CHECK(ac_simulation_keeps_energy(sim));
    for (int n = 0; n < 300; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        ac_simulation_watch_node(sim, row);
        if (n == 0) start = row[HAMILTONIAN];
        CHECK_NEAR(row[HAMILTONIAN] - start - work, 0.0, 1e-10);
        work += ac_simulation_load_work(sim);
        least = fmin(least, work);
        most = fmax(most, work);
    }
    CHECK(most - least > 5.0);
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(energy_from_nowhere_is_remarked), CASE(energy_from_nowhere_kinks_no_beam),
          CASE(the_largest_bend_is_told_of_every_beam), CASE(sound_runs_are_not_remarked),
          CASE(the_work_of_loads_is_what_the_energy_gains))
