/* Beams and equilibria in problem files: what they become, and a message for every mistake. */
#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "support/beam_text.h"
#include "test.h"

static const char *const START = "beams:\n  arm:\n";
static const char *const CURVE = BEAM_CURVE;
static const char *const MATERIAL = BEAM_MATERIAL;
static const char *const SECTION = BEAM_SECTION;
static const char *const END = "simulate: {step: 1e-3, steps: 1}\n";

TEST(mistakes_in_beams_are_reported)
{
    char good[200];
    snprintf(good, sizeof good, "%s%s", SECTION, MATERIAL);
    expect_message("    straight: {from: [0, 0, 0], to: [0, 0, 0]}\n", good, "",
                   "f.yaml:3:15: the beam has no length: from and to coincide");
    expect_message(
        "    elements: 3\n", good, "",
        "f.yaml:2:3: the beam 'arm' needs exactly one of straight, polyline, arc, spline and frames");
    expect_message(
        CURVE, SECTION, "",
        "f.yaml:2:3: the beam 'arm' needs section and material, or stiffness (or energy) and inertia");
    expect_message(CURVE, "    section: {circle: {radius: 0}}\n", MATERIAL,
                   "f.yaml:4:32: radius must be positive, not 0");
    expect_message(CURVE, "    section: {rectangle: {width: 1, height: -1}}\n", MATERIAL,
                   "f.yaml:4:45: height must be positive, not -1");
    expect_message(CURVE, "    section: {tube: {radius: 1, inner_radius: 2}}\n", MATERIAL,
                   "f.yaml:4:21: inner_radius must be smaller than radius");
    expect_message(CURVE, "    section: {}\n", MATERIAL,
                   "f.yaml:4:14: a section needs a shape: rectangle, circle, tube or i_section");
    expect_message(CURVE, SECTION, "    material: {young: -1, density: 1}\n",
                   "f.yaml:5:23: young must be positive, not -1");
    expect_message(CURVE, good, "    elements: 0\n",
                   "f.yaml:6:15: elements must be between 1 and 1000000, not 0");
    expect_message(
        CURVE, good, "    energy: u1^2\n",
        "f.yaml:6:13: the energy must resist every strain: its second derivative by v1 without strain is "
        "0 at s = 0; it must be positive");
    expect_message(CURVE, good, "    energy: u4^2\n", "f.yaml:6:13: unknown name 'u4'");
    expect_message(CURVE, good, "    potential: 3*z*\n",
                   "f.yaml:6:16: the expression ends where a number or name is expected");
    expect_message(CURVE, "    inertia: {mass: 1, rotary: [1, 1]}\n    energy: v1^2\n",
                   "    stiffness: {shear: [1, 1], axial: 1, bending: [1, 1], torsion: 1}\n",
                   "f.yaml:6:5: a beam has an energy or a stiffness; the stiffness follows from the energy");
    expect_message(CURVE, good, "    d1: [1, 0, 0]\n",
                   "f.yaml:6:9: d1 must not be parallel to the axis of the beam");
    expect_message("    polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 0]]\n", good, "",
                   "f.yaml:3:38: two neighbouring places of polyline coincide");
    expect_message(
        "    frames: [{position: [0, 0, 0], directors: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}, {position: [0, "
        "0, 1], "
        "rotation: [0, 0, 0]}]\n",
        good, "",
        "f.yaml:3:47: directors must be orthonormal and right handed; use a rotation vector or "
        "expressions for exact values");
    expect_message(
        "    frames: [{position: [0, 0, 0], rotation: [0, 0, 0]}, {position: [0, 0, 0], rotation: [0, 0, "
        "0]}]\n",
        good, "", "f.yaml:3:58: two neighbouring frames are at the same place");
    expect_message(CURVE, good, "    damping: -1\n", "f.yaml:6:14: damping must not be negative, but is -1");
    expect_message(
        CURVE, good, "joints:\n  - {fixed: [ground, arm.tip]}\n",
        "f.yaml:7:22: the beam 'arm' has no node 'tip'; it has start, middle, end and the numbers 0 to 20");
    expect_message(
        CURVE, good, "    elements: 3\njoints:\n  - {fixed: [ground, arm.middle]}\n",
        "f.yaml:8:22: the beam 'arm' has no node in the middle; give it an even number of elements");
    expect_message(CURVE, good, "joints:\n  - {fixed: [ground, \"arn[2]\"]}\n",
                   "f.yaml:7:22: there is no beam called 'arn'; did you mean 'arm'?");
    expect_message(
        CURVE, good, "    masses: [{at: 21, mass: 1}]\n",
        "f.yaml:6:19: the beam 'arm' has no node '21'; it has start, middle, end and the numbers 0 to 20");
}

/* Three frames in a row: places along z and turns about y. */
static void expect_frames(const double z[3], const double turn[3], const char *rest, const char *message)
{
    char text[400];
    snprintf(text, sizeof text,
             "    frames:\n"
             "      - {position: [0, 0, %g], rotation: [0, %g, 0]}\n"
             "      - {position: [0, 0, %g], rotation: [0, %g, 0]}\n"
             "      - {position: [0, 0, %g], rotation: [0, %g, 0]}\n",
             z[0], turn[0], z[1], turn[1], z[2], turn[2]);
    expect_message(text, SECTION, rest, message);
}

TEST(frames_that_do_not_follow_the_curve_are_refused)
{
    static const double even[3] = {0, 1, 2}, back[3] = {0, 1, 0.5}, down[3] = {0, -1, -2};
    static const double none[3] = {0, 0, 0}, across[3] = {1.5708, 1.5708, 1.5708}, flip[3] = {0, 3.1, 0};
    static const double bent[3] = {-0.9, 0.9, 0.9};
    expect_frames(
        even, across, MATERIAL,
        "f.yaml:4:9: d3 of this frame makes 90 degrees with the line to the frame after it, more than "
        "60: it has to point along the beam");
    expect_frames(
        down, none, MATERIAL,
        "f.yaml:4:9: d3 of this frame makes 180 degrees with the line to the frame after it, more than "
        "60: it has to point along the beam");
    expect_frames(
        back, none, MATERIAL,
        "f.yaml:5:9: d3 of this frame makes 180 degrees with the line to the frame after it, more than "
        "60: it has to point along the beam");
    expect_frames(even, flip, MATERIAL,
                  "f.yaml:5:9: d3 of this frame makes 178 degrees with the line to the frame before it, more "
                  "than 60: it has to point along the beam");
    expect_frames(
        even, bent, MATERIAL,
        "f.yaml:5:9: this frame is turned by 103 degrees from the one before; less than 90 is needed");
    /* given stiffnesses belong to the axes of the frames, whichever they are; a fold stays one */
    expect_frames(
        even, flip,
        "    stiffness: {shear: [1, 1], axial: 1, bending: [1, 1], torsion: 1}\n"
        "    inertia: {mass: 1, rotary: [1, 1]}\n",
        "f.yaml:5:9: this frame is turned by 178 degrees from the one before; less than 90 is needed");
}

TEST(a_beam_is_not_a_node)
{
    char good[200];
    snprintf(good, sizeof good, "%s%s", SECTION, MATERIAL);
    expect_message(
        CURVE, good, "joints:\n  - {fixed: [ground, arm]}\n",
        "f.yaml:7:22: 'arm' is a beam: name one of its nodes, 'arm.start', 'arm.middle', 'arm.end' or "
        "'arm[0]'");
}

TEST(a_beam_becomes_nodes_and_elements)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const char *text = "beams:\n"
                       "  arm:\n"
                       "    arc: {from: [1, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: 90 deg}\n"
                       "    elements: 8\n"
                       "    section: {rectangle: {width: 2 cm, height: 1 cm}}\n"
                       "    material: {young: 1 GPa, poisson: 0.25, density: 2000}\n"
                       "    masses: [{at: end, mass: 3}]\n"
                       "bodies:\n"
                       "  tip: {mass: 1, inertia: [1, 1, 1], position: [0, 1.1, 0]}\n"
                       "joints:\n"
                       "  - {fixed: [ground, arm.start]}\n"
                       "  - {spherical: [arm.end, tip]}\n"
                       "simulate: {step: 1e-3, steps: 1}\n";
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    const ac_system *system = ac_problem_system(problem);
    ac_system_size size = ac_system_sizes(system);
    CHECK(size.nodes == 10 && size.loops == 0 && size.freedoms == 6 * 8 + 3);
    const double *end = system->initial.q + system->nodes[9].q;
    CHECK_NEAR(end[0], 0, 1e-15);
    CHECK_NEAR(end[1], 1, 1e-15);
    CHECK_NEAR(end[9], -1, 1e-14); /* d3 along the tangent */
    const double *D = system->mesh.elements[0].stiffness;
    CHECK_NEAR(D[2], 1e9 * 2e-4, 1e-6);
    CHECK_NEAR(D[3], 1e9 * 0.02 * 1e-6 / 12, 1e-9);
    CHECK_NEAR(D[4], 1e9 * 0.01 * 8e-6 / 12, 1e-9);
    CHECK_NEAR(D[0], 5.0 / 6.0 * 0.4e9 * 2e-4, 1e-6);
    CHECK(system->nodes[9].mass > 3.0);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(too_many_supports_are_reported)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const char *const tasks[] = {"equilibrium: {}\n", END};
    char text[1000];
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text,
                 "%s%s%s%s    elements: 1\njoints:\n  - {fixed: [ground, arm.start]}\n  - {fixed: [ground, "
                 "arm.end]}\n  - {spherical: [ground, arm.end]}\n%s",
                 START, CURVE, SECTION, MATERIAL, tasks[k]);
        CHECK(parse(ctx, text, &problem) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx),
                     "1: the supports hold the whole system: nothing is left that could move") != NULL);
    }
    ac_context_free(ctx);
}

/* A body without a place comes to the beam that carries it, not the beam to the body. */
TEST(a_body_comes_to_its_beam)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char text[1000];
    snprintf(text, sizeof text,
             "bodies:\n  block: {solid: {box: {size: [0.3, 0.3, 0.3], mass: 2}}}\n%s%s%s%s    elements: 4\n"
             "joints:\n  - {fixed: [ground, arm.start]}\n"
             "  - {revolute: [arm.end, block], at: {block: z+}, axis: [0, 1, 0]}\n%s",
             START, CURVE, SECTION, MATERIAL, END);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    CHECK_NEAR(ac_problem_assembly(problem)->moved, 0.0, 1e-12);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* `origin` and `centre` of a node are its place, as where nothing is said; copies and corners have names. */
TEST(a_node_has_a_point_of_its_own)
{
    static const char *const places[] = {"", ", at: origin", ", at: centre", ", at: [0, 0, 0]"};
    ac_context *ctx = ac_context_new(NULL);
    for (int k = 0; k < 4; ++k) {
        ac_problem *problem = NULL;
        char text[1000];
        snprintf(text, sizeof text,
                 "beams:\n  arm:\n    repeat: 2\n    polyline: [[0, =i, 0], [1, =i, 0], [1, =i, 1]]\n%s%s"
                 "    elements: 8\n    masses: [{at: corner1, mass: 7}]\n"
                 "joints:\n  - {fixed: [ground, arm(i).start], repeat: 2}\n"
                 "springs:\n  - {between: [arm(1).end, arm(2).end], stiffness: 1, at: {arm(1).end: centre}}\n"
                 "loads:\n  - {force: [0, 1, 0], on: arm(2).end%s}\nsimulate: {step: 1e-3, steps: 1}\n",
                 SECTION, MATERIAL, places[k]);
        CHECK(parse(ctx, text, &problem) == AC_OK);
        const ac_system *system = ac_problem_system(problem);
        const ac_load_data *point = &system->loads[0];
        CHECK_TEXT(system->nodes[point->node].name, "arm(2)[9]");
        CHECK(point->place[0] == 0.0 && point->place[1] == 0.0 && point->place[2] == 0.0);
        CHECK(system->nodes[4].mass > 7.0 && system->nodes[14].mass > 7.0);
        ac_problem_free(problem);
    }
    ac_context_free(ctx);
}

#define STRAIGHT(name, from, to, more)                                                  \
    "  " name ": {straight: {from: " from ", to: " to "}, d1: [0, 1, 0], elements: 6, " \
    "stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 1], torsion: 1}, "         \
    "inertia: {mass: 1, rotary: [1e-4, 1e-4]}" more "}\n"
#define CURVED(curve, more)                                                     \
    "  ring: {" curve ", d1: [0, 1, 0], elements: 12, "                         \
    "stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 1], torsion: 1}, " \
    "inertia: {mass: 1, rotary: [1e-4, 1e-4]}" more "}\n"
#define POSTS \
    "beams:\n" STRAIGHT("left", "[0, 0, 0]", "[0, 0, 1]", "") STRAIGHT("right", "[1, 0, 0]", "[1, 0, 1]", "")
#define TOP STRAIGHT("top", "[0, 0, 1]", "[1, 0, 1]", "")
#define MIDDLE STRAIGHT("mid", "[0, 0, 0.5]", "[1, 0, 0.5]", "")
#define FRAME_JOINTS                                                                   \
    "joints:\n  - {fixed: [ground, left.start]}\n  - {fixed: [left.end, top.start]}\n" \
    "  - {fixed: [top.end, right.end]}\n  - {fixed: [ground, right.start]}\n"

/* A beam connects what is joined to it, whatever its model; loops are those of the whole, as for rigid
 * links. */
TEST(beams_are_part_of_loops)
{
    static const struct {
        const char *text;
        int loops;
    } cases[] = {
        {POSTS "joints: [{fixed: [ground, left.start]}, {fixed: [ground, right.start]}]\n", 0},
        {POSTS TOP FRAME_JOINTS, 1},
        {POSTS TOP MIDDLE FRAME_JOINTS
         "  - {fixed: ['left[3]', mid.start]}\n  - {fixed: ['right[3]', mid.end]}\n",
         2},
        {"beams:\n" CURVED("arc: {from: [1, 0, 0], centre: [0, 0, 0], axis: [0, 1, 0], angle: 360 deg}",
                           "") "joints: [{fixed: [ring.start, ring.end]}]\n",
         1},
        {"beams:\n" CURVED("polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0]]",
                           "") "joints: [{spherical: [ring.start, ring.end]}]\n",
         1},
        {"beams:\n" CURVED("polyline: [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]]",
                           "") "joints: [{fixed: [ground, ring.start]}]\n",
         0},
        {"beams:\n" STRAIGHT("rod", "[0, 0, 0]", "[1, 0, 0]",
                             ", model: edge") "joints: [{fixed: [ground, rod.start]}]\n",
         0},
        {"beams:\n" STRAIGHT(
             "rod", "[0, 0, 0]", "[1, 0, 0]",
             ", model: edge") "joints: [{fixed: [ground, rod.start]}, {spherical: [ground, rod.end]}]\n",
         1},
        {"beams:\n" STRAIGHT(
             "coupler", "[0, 0, 1]", "[1, 0, 1]",
             "") "bodies: {crank: {solid: {rod: {length: 1, mass: 1, along: z}}}, "
                 "rocker: {solid: {rod: {length: 1, mass: 1, along: z}}}}\n"
                 "joints:\n  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0]}\n"
                 "  - {revolute: [crank, coupler.start], at: {crank: end}, axis: [0, 1, 0]}\n"
                 "  - {revolute: [rocker, coupler.end], at: {rocker: end}, axis: [0, 1, 0]}\n"
                 "  - {revolute: [ground, rocker], at: {ground: [1, 0, 0], rocker: start}, axis: [0, 1, "
                 "0]}\n",
         1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        char text[4000];
        snprintf(text, sizeof text, "%s%s", cases[k].text, END);
        CHECK(parse(ctx, text, &problem) == AC_OK);
        if (!problem) printf("%s\n", ac_context_message(ctx));
        if (problem) CHECK(ac_system_sizes(ac_problem_system(problem)).loops == cases[k].loops);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
}

RUN_TESTS(CASE(mistakes_in_beams_are_reported), CASE(frames_that_do_not_follow_the_curve_are_refused),
          CASE(a_beam_is_not_a_node), CASE(a_beam_becomes_nodes_and_elements),
          CASE(too_many_supports_are_reported), CASE(a_body_comes_to_its_beam),
          CASE(a_node_has_a_point_of_its_own), CASE(beams_are_part_of_loops))
