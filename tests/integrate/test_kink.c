/* Runs in which tension kinks a beam say so instead of asking for a smaller step. */
#include <stdio.h>
#include <stdlib.h>

#include "actio/actio.h"
#include "support/beam_text.h"

#define LOAD                                                                    \
    "bodies: {load: {solid: {sphere: {radius: 10 cm, mass: 100}}}}\n"           \
    "joints:\n"                                                                 \
    "  - {revolute: [ground, cable.start], axis: [0, 1, 0], angle_rate: 0.3}\n" \
    "  - {fixed: [cable.end, load], at: {load: [0, 0, 0.1]}}\n"                 \
    "gravity: [0, 0, -9.81]\n"                                                  \
    "simulate: {step: 5 ms, steps: 1}\n"
#define STRING                                           \
    "joints:\n"                                          \
    "  - {spherical: [ground, string.start]}\n"          \
    "  - {spherical: [ground, string.end]}\n"            \
    "loads: [{force: [0, 0, 0.5], on: \"string[8]\"}]\n" \
    "simulate: {step: 0.1 ms, steps: 1, max_iterations: 1}\n"

typedef struct outcome {
    ac_status status;
    bool warned, kinked;
    char remark[AC_REMARK_SIZE];
} outcome;

static outcome run(ac_context *ctx, const char *beam, int elements, const char *model, const char *rest,
                   int steps)
{
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    outcome o = {AC_OK, false, false, ""};
    char text[2000], warning[AC_REMARK_SIZE];
    snprintf(text, sizeof text, "beams:\n  %s, elements: %d, model: %s}\n%s", beam, elements, model, rest);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    o.warned = ac_system_warning(ac_problem_system(problem), 0, warning, sizeof warning);
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim) == AC_OK);
    CHECK(!ac_simulation_kink(sim, o.remark, sizeof o.remark));
    for (int n = 0; n < steps && o.status == AC_OK; ++n) o.status = ac_simulation_step(sim);
    o.kinked = ac_simulation_kink(sim, o.remark, sizeof o.remark);
    CHECK(o.kinked == (o.remark[0] != '\0'));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    return o;
}

static outcome swing(ac_context *ctx, int elements, const char *model, int steps)
{
    return run(ctx,
               "cable: {straight: {from: [0, 0, 0], to: [0, 0, -5]}, section: {circle: {radius: 3 mm}}, "
               "material: {young: 100 GPa, density: 7000}",
               elements, model, LOAD, steps);
}

static outcome pluck(ac_context *ctx, const char *model, int steps)
{
    return run(ctx,
               "string: {straight: {from: [0, 0, 0], to: [0.65, 0, 0]}, rest_length: 0.6475, "
               "section: {circle: {radius: 0.25 mm}}, material: {young: 200 GPa, density: 7850}",
               40, model, STRING, steps);
}

/* It bounces on its cable, with up to twice its weight; the cable is drawn without tension. */
TEST(a_run_that_fails_names_the_beam_and_what_helps)
{
    ac_context *ctx = ac_context_new(NULL);
    outcome o = swing(ctx, 30, "director", 400);
    const char *message = ac_context_message(ctx);
    CHECK(o.status == AC_NOT_CONVERGED && !o.warned && o.kinked);
    CHECK(strstr(message, "beam 'cable' is pulled with ") && strstr(message, "N: its elements are too long"));
    CHECK(strstr(message, "elements, or model: edge") && !strstr(message, "smaller step"));
    ac_context_free(ctx);
}

/* Fewer iterations than any step needs. */
TEST(a_step_that_fails_at_once_tells_it_of_a_beam_drawn_under_tension)
{
    ac_context *ctx = ac_context_new(NULL);
    outcome o = pluck(ctx, "director", 1), edges = pluck(ctx, "edge", 0);
    const char *message = ac_context_message(ctx);
    CHECK(o.status == AC_NOT_CONVERGED && o.warned && !o.kinked);
    CHECK(strstr(message, "Newton's method did not converge") && !strstr(message, "body '"));
    CHECK(strstr(message,
                 "beam 'string' is pulled with 151.6 N: its elements are too long and kink, which the "
                 "material would not; take at least 162 elements, or model: edge"));
    CHECK(!edges.warned);
    ac_context_free(ctx);
}

TEST(with_that_many_elements_or_edges_it_passes)
{
    ac_context *ctx = ac_context_new(NULL);
    outcome fine = swing(ctx, 45, "director", 60), edges = swing(ctx, 30, "edge", 60);
    CHECK(fine.status == AC_OK && !fine.kinked);
    CHECK(edges.status == AC_OK && !edges.kinked && !edges.warned);
    ac_context_free(ctx);
}

/* A blade that spins faster and faster: with the count asked for by the first failure it bears the rest of
 * the motion. */
TEST(what_a_growing_tension_asks_for_is_enough)
{
    static const char blade[] =
        "blade: {straight: {from: [0.3, 0, 0], to: [5.3, 0, 0]}, d1: [0, 1, 0], section: {rectangle: {width: "
        "25 cm, height: 2.5 cm}}, material: {young: 40 GPa, poisson: 0.3, density: 1600}, damping: 0.5 ms";
    static const char hub[] =
        "bodies: {hub: {solid: {cylinder: {length: 0.3, radius: 0.2, mass: 60, along: z}}, position: [0, 0, "
        "0]}}\n"
        "joints:\n  - {name: mast, revolute: [ground, hub], at: {hub: centre}, axis: [0, 0, 1]}\n"
        "  - {revolute: [hub, blade.start], at: {hub: [0.3, 0, 0]}, axis: [0, 1, 0]}\n"
        "loads: [{joint: mast, value: {table: [[0, 0], [0.3, 24000], [2.5, 24000], [2.6, 0]]}}]\n"
        "gravity: [0, 0, -9.81]\nsimulate: {step: 2 ms, steps: 1}\n";
    static const char ask[] = "take at least ";
    ac_context *ctx = ac_context_new(NULL);
    outcome coarse = run(ctx, blade, 20, "director", hub, 1500);
    CHECK(coarse.status == AC_NOT_CONVERGED && !coarse.warned);
    const char *asked = strstr(ac_context_message(ctx), ask);
    int count = asked ? atoi(asked + strlen(ask)) : 0;
    CHECK(count >= 30 && count <= 40);
    outcome fine = run(ctx, blade, count, "director", hub, 1500);
    CHECK(fine.status == AC_OK && !fine.kinked);
    ac_context_free(ctx);
}

TEST(a_run_that_ends_well_tells_that_its_beam_kinked)
{
    ac_context *ctx = ac_context_new(NULL);
    outcome o = swing(ctx, 40, "director", 40);
    CHECK(o.status == AC_OK && !o.warned && o.kinked);
    CHECK(strstr(o.remark, "beam 'cable' is pulled with ") && strstr(o.remark, "elements, or model: edge"));
    ac_context_free(ctx);
}

/* Bending vibrations of all wave lengths are no kink. */
TEST(a_beam_that_is_not_pulled_does_not_kink)
{
    ac_context *ctx = ac_context_new(NULL);
    outcome o = run(ctx,
                    "arm: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, section: {circle: {radius: 1 cm}}, "
                    "material: {young: 10 MPa, density: 1000}",
                    20, "director",
                    "joints: [{fixed: [ground, arm.start]}]\nloads: [{force: [0, 0, 2], on: \"arm[3]\"}]\n"
                    "simulate: {step: 1 ms, steps: 1}\n",
                    100);
    CHECK(o.status == AC_OK && !o.warned && !o.kinked);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_run_that_fails_names_the_beam_and_what_helps),
          CASE(a_step_that_fails_at_once_tells_it_of_a_beam_drawn_under_tension),
          CASE(with_that_many_elements_or_edges_it_passes), CASE(what_a_growing_tension_asks_for_is_enough),
          CASE(a_run_that_ends_well_tells_that_its_beam_kinked),
          CASE(a_beam_that_is_not_pulled_does_not_kink))
