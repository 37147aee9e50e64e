/* Gaps in the initial state that assembly closes by straining a beam are reported. */
#include <stdio.h>

#include "actio/actio.h"
#include "model/system.h"
#include "support/beam_text.h"

/* Two rods on the ground, end to start, with a gap between them; `joint` closes it. */
static ac_problem *rods(ac_context *ctx, double gap, int order, const char *joint)
{
    ac_problem *problem = NULL;
    char text[1500];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nbeams:\n"
        "  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, section: {circle: {radius: 4 mm}}, "
        "material: {young: 200 GPa, density: 7800}}\n"
        "  b: {straight: {from: [%.17g, 0, 0], to: [2, 0, 0]}, elements: 20, order: %d, section: {circle: "
        "{radius: 4 mm}}, material: {young: 200 GPa, density: 7800}}\n"
        "joints:\n  - {fixed: [ground, a.start]}\n  - {fixed: [ground, b.end]}\n  - %s\n"
        "simulate: {step: 1 ms, steps: 1}\n",
        1.0 + gap, order, joint);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    return problem;
}

static const char HINGE[] = "{revolute: [a.end, b.start], axis: [0, 1, 0]}";

TEST(a_gap_strains_the_element_that_closes_it)
{
    ac_context *ctx = ac_context_new(NULL);
    char text[AC_REMARK_SIZE];
    for (int order = 1; order <= 2; ++order) {
        ac_problem *problem = rods(ctx, 0.1, order, HINGE);
        const ac_assembly *a = ac_problem_assembly(problem);
        CHECK_NEAR(a->strained, 0.1 / (0.9 / (20 * order)), 1e-9);
        CHECK_TEXT(ac_system_node_name(ac_problem_system(problem), a->strained_node), "b[0]");
        CHECK(ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
        if (order == 1)
            CHECK_TEXT(text,
                       "to close the joints, assembly strained beam 'b' by 222 % between its nodes 'b[0]' "
                       "and 'b[1]': draw it closed; a beam that starts under tension has a rest_length");
        CHECK(!ac_system_warning(ac_problem_system(problem), 1, text, sizeof text));
        ac_problem_free(problem);
    }
    ac_context_free(ctx);
}

TEST(rounded_drawings_are_closed_without_a_word)
{
    ac_context *ctx = ac_context_new(NULL);
    char text[AC_REMARK_SIZE];
    ac_problem *problem = rods(ctx, 1e-4, 1, HINGE);
    CHECK_NEAR(ac_problem_assembly(problem)->strained, 20 * 1e-4 / 0.9999, 1e-9);
    /* 0.2 % of steel are 22 kN: an element of 5 cm bears 64 kN */
    CHECK(!ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
    CHECK_TEXT(text, "");
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The frame that an element measures its strain in is the mean of both ends: at the angle a between them
 * it is off by half of it, and the strain by 2 sin(a/2) / 2. */
TEST(a_node_that_is_only_turned_shears_its_element)
{
    ac_context *ctx = ac_context_new(NULL);
    char text[AC_REMARK_SIZE];
    const char *bent = "{revolute: [a.end, b.start], axis: [0, 1, 0], angle: 0.5}",
               *folded = "{revolute: [a.end, b.start], axis: [0, 1, 0], angle: 2}";
    ac_problem *problem = rods(ctx, 0.0, 1, bent);
    CHECK_NEAR(ac_problem_assembly(problem)->turned, 0.5, 1e-9);
    CHECK(ac_problem_assembly(problem)->strained < 1e-12);
    CHECK_NEAR(ac_problem_assembly(problem)->sheared, sin(0.25), 1e-9);
    CHECK(ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
    CHECK_TEXT(text,
               "to meet the joints, assembly turned a node of beam 'b', which shears it by 24.7 % between "
               "its nodes 'b[0]' and 'b[1]': to simulate it, take model: edge, or draw it bent as the joints "
               "hold it");
    CHECK(!ac_system_warning(ac_problem_system(problem), 1, text, sizeof text));
    ac_problem_free(problem);
    problem = rods(ctx, 0.0, 1, folded);
    CHECK(ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
    CHECK_TEXT(
        text,
        "beam 'b' starts bent by more than a quarter turn between its nodes 'b[0]' and 'b[1]', where it "
        "resists no longer: draw it nearer to its joints, or give it more elements");
    CHECK(ac_system_warning(ac_problem_system(problem), 1, text, sizeof text));
    CHECK(strstr(text, "which shears it by 84.1 %"));
    CHECK(!ac_system_warning(ac_problem_system(problem), 2, text, sizeof text));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A strip that is clamped, with 20 degrees given at its other end. Returns how many steps went well. */
static int turn_end(ac_context *ctx, const char *kind, const char *held, const char *turned)
{
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    char text[1000], remark[AC_REMARK_SIZE];
    int taken = 0;
    snprintf(
        text, sizeof text,
        "beams:\n  s: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 20, %s, section: "
        "{rectangle: {width: 2 cm, height: 1 mm}}, material: {young: 200 GPa, density: 7800}}\n"
        "joints:\n  - {fixed: [ground, s.%s]}\n"
        "  - {revolute: [ground, s.%s], axis: [0, 1, 0], angle: 20 deg}\n"
        "simulate: {step: 1 ms, steps: 1}\n",
        kind, held, turned);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    bool edge = strstr(kind, "edge") != NULL;
    double sheared = ac_problem_assembly(problem)->sheared, whole = sin(acos(-1.0) / 18.0);
    CHECK(ac_problem_assembly(problem)->strained < 1e-12);
    CHECK_NEAR(sheared, edge ? 0.0 : whole, 1e-9);
    CHECK(ac_system_warning(ac_problem_system(problem), 0, text, sizeof text) == !edge);
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim) == AC_OK);
    while (taken < 20 && ac_simulation_step(sim) == AC_OK) ++taken;
    CHECK(!ac_simulation_kink(sim, remark, sizeof remark));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    return taken;
}

TEST(a_given_angle_shears_all_but_edges_and_is_why_steps_fail)
{
    static const char *const kinds[] = {"order: 1", "order: 2", "model: vertex"};
    ac_context *ctx = ac_context_new(NULL);
    for (int k = 0; k < 3; ++k) {
        CHECK(turn_end(ctx, kinds[k], "start", "end") < 20);
        CHECK(strstr(ac_context_message(ctx), "which shears it by 17.4 % between its nodes"));
        CHECK(!strstr(ac_context_message(ctx), "pulled") && !strstr(ac_context_message(ctx), "smaller step"));
    }
    CHECK(turn_end(ctx, "order: 1", "end", "start") < 20);
    CHECK(turn_end(ctx, "model: edge", "start", "end") == 20);
    CHECK(turn_end(ctx, "model: edge", "end", "start") == 20);
    ac_context_free(ctx);
}

TEST(a_step_that_fails_tells_it)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = rods(ctx, 0.1, 1, HINGE);
    ac_simulation *sim = NULL;
    ac_status status = AC_OK;
    char text[AC_REMARK_SIZE];
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim) == AC_OK);
    for (int n = 0; n < 400 && status == AC_OK; ++n) status = ac_simulation_step(sim);
    CHECK(status == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "assembly strained beam 'b' by 222 %"));
    CHECK(!ac_simulation_kink(sim, text, sizeof text));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(nodes_are_named_as_what_they_are)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char words[AC_NODE_WORDS];
    CHECK(
        parse(
            ctx,
            "bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\npoints: {bob: {mass: 1, position: [0, 0, 0]}}\n"
            "beams:\n  rod: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, section: {circle: {radius: 0.01}}, "
            "material: {young: 1e6, density: 1000}}\nsimulate: {step: 1 ms, steps: 1}\n",
            &problem) == AC_OK);
    const ac_system *system = ac_problem_system(problem);
    static const char *const named[][2] = {
        {"arm", "body 'arm'"}, {"bob", "point 'bob'"}, {"rod[2]", "node 'rod[2]' of beam 'rod'"}};
    int found = 0;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < system->node_count; ++i) {
            if (strcmp(system->nodes[i].name, named[k][0]) != 0) continue;
            CHECK_TEXT(ac_node_words(system, i, words), named[k][1]);
            ++found;
        }
    CHECK(found == 3);
    CHECK_TEXT(ac_node_words(system, AC_GROUND, words), "ground");
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_gap_strains_the_element_that_closes_it), CASE(rounded_drawings_are_closed_without_a_word),
          CASE(a_node_that_is_only_turned_shears_its_element),
          CASE(a_given_angle_shears_all_but_edges_and_is_why_steps_fail), CASE(a_step_that_fails_tells_it),
          CASE(nodes_are_named_as_what_they_are))
