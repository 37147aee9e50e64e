/* Gaps in the drawing that assembly closes by straining a beam are told. */
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

TEST(a_node_that_is_only_turned_strains_nothing)
{
    ac_context *ctx = ac_context_new(NULL);
    char text[AC_REMARK_SIZE];
    const char *bent = "{revolute: [a.end, b.start], axis: [0, 1, 0], angle: 0.5}",
               *folded = "{revolute: [a.end, b.start], axis: [0, 1, 0], angle: 2}";
    ac_problem *problem = rods(ctx, 0.0, 1, bent);
    CHECK_NEAR(ac_problem_assembly(problem)->turned, 0.5, 1e-9);
    CHECK(ac_problem_assembly(problem)->strained < 1e-12);
    CHECK(!ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
    ac_problem_free(problem);
    problem = rods(ctx, 0.0, 1, folded);
    CHECK(ac_system_warning(ac_problem_system(problem), 0, text, sizeof text));
    CHECK_TEXT(
        text,
        "beam 'b' starts bent by more than a quarter turn between its nodes 'b[0]' and 'b[1]', where it "
        "resists no longer: draw it nearer to its joints, or give it more elements");
    CHECK(!ac_system_warning(ac_problem_system(problem), 1, text, sizeof text));
    ac_problem_free(problem);
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
    for (int i = 0; i < system->node_count; ++i) {
        const char *name = system->nodes[i].name, *said = ac_node_words(system, i, words);
        if (strcmp(name, "arm") == 0) CHECK_TEXT(said, "body 'arm'");
        if (strcmp(name, "bob") == 0) CHECK_TEXT(said, "point 'bob'");
        if (strcmp(name, "rod[2]") == 0) CHECK_TEXT(said, "node 'rod[2]' of beam 'rod'");
    }
    CHECK_TEXT(ac_node_words(system, AC_GROUND, words), "ground");
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_gap_strains_the_element_that_closes_it), CASE(rounded_drawings_are_closed_without_a_word),
          CASE(a_node_that_is_only_turned_strains_nothing), CASE(a_step_that_fails_tells_it),
          CASE(nodes_are_named_as_what_they_are))
