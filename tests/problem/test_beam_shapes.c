/* Order of elements, sections that change along a beam, and corners in problem files: what they become, and
 * a message for every mistake. */
#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "support/beam_text.h"
#include "test.h"

static const char *const CURVE = BEAM_CURVE;
static const char *const LINE = "    polyline: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\n";
static const char *const SECTION = BEAM_SECTION;

/* As expect_message, with the material of all these beams. */
static void expect(const char *curve, const char *section, const char *rest, const char *message)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s", BEAM_MATERIAL, rest);
    expect_message(curve, section, text, message);
}

TEST(mistakes_in_order_and_corners_are_reported)
{
    expect(CURVE, SECTION, "    order: 3\n", "f.yaml:6:12: order must be between 1 and 2, not 3");
    expect(CURVE, SECTION, "    order: 2\n    model: vertex\n",
           "f.yaml:6:12: rods (model vertex and edge) have order 1, not 2");
    expect("    frames: [{position: [0, 0, 0], rotation: [0, 0, 0]}, {position: [0, 0, 1], rotation: [0, 0, "
           "0]}]\n",
           SECTION, "    order: 2\n",
           "f.yaml:3:13: elements of order 2 have a node in their middle: frames must be an odd number, at "
           "least 3, "
           "not 2");
    expect(CURVE, SECTION, "    corners: sharp\n", "f.yaml:6:5: only a polyline has corners");
    expect(LINE, SECTION, "    model: edge\n    corners: sharp\n",
           "f.yaml:7:14: a rod of the edge model cannot have sharp corners");
    expect(LINE, SECTION, "    corners: round\n",
           "f.yaml:6:14: corners cannot be 'round'; it is one of: sharp, smooth");
    expect(LINE, SECTION, "joints:\n  - {fixed: [ground, arm.corner2]}\n",
           "f.yaml:7:22: the beam 'arm' has no node 'corner2'; it has start, middle, end, corner1 to corner1 "
           "and the "
           "numbers 0 to 21");
}

TEST(mistakes_in_stations_are_reported)
{
    expect(CURVE, "    section: [{at: 0, circle: {radius: 1}}, {circle: {radius: 2}}]\n", "",
           "f.yaml:4:45: 'at' is missing in this entry of a list of stations");
    expect(CURVE, "    section: {at: 0, circle: {radius: 1}}\n", "",
           "f.yaml:4:15: 'at' needs a second station; leave it out, or give a list");
    expect(CURVE, "    section: [{at: 0, circle: {radius: 1}}, {at: 1.5, circle: {radius: 2}}]\n", "",
           "f.yaml:4:50: at must be between 0 and 1, not 1.5");
    expect(CURVE, "    section: [{at: 1, circle: {radius: 1}}, {at: 0, circle: {radius: 2}}]\n", "",
           "f.yaml:4:50: the stations must be in the order of the beam, from 0 to 1");
    expect(CURVE, "    section: [{at: 0, circle: {radius: 1}}, {at: 1, rectangle: {width: 2, height: 1}}]\n",
           "",
           "f.yaml:4:53: between two stations only the dimensions can change, not the shape; for a step give "
           "both "
           "shapes at the same place");
    expect(CURVE, "    section: [{at: 0, circle: {radius: 1}}, {at: 1, circle: {radius: 0}}]\n", "",
           "f.yaml:4:70: radius must be positive, not 0");
    expect(
        CURVE,
        "    section: [{at: 0, circle: {radius: 1}}, {at: 1, circle: {radius: 2, shear_factors: [1, 1]}}]\n",
        "", "f.yaml:4:61: give shear_factors in all sections of a beam, or in none");
    expect(CURVE, "    section: []\n", "", "f.yaml:4:14: section must have at least one entry");
    expect(CURVE, "    section: 3\n", "",
           "f.yaml:4:14: an entry of section must be a map of keys and values");
    expect(CURVE,
           "    section: [{at: 0.31, circle: {radius: 1}}, {at: 0.31, circle: {radius: 2}}, {at: 0.31, "
           "circle: {radius: "
           "2}}]\n",
           "", "f.yaml:4:86: there are three stations at 0.31; a step needs two");
    expect(CURVE, "    section: [{at: 0.31, circle: {radius: 1}}, {at: 0.31, circle: {radius: 2}}]\n",
           "    elements: 10\n",
           "f.yaml:4:48: there is a step at 0.31 of the length, but no element ends there; the nearest end "
           "is at 0.3: "
           "choose another number of elements");
}

/* A tapered bar: the mass of a frustum is exact; values at the ends are those of the sections. */
TEST(a_tapered_section_is_evaluated_along_the_beam)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const double pi = 3.14159265358979323846;
    const char *text = "beams:\n"
                       "  arm:\n"
                       "    straight: {from: [0, 0, 0], to: [2, 0, 0]}\n"
                       "    elements: 4\n"
                       "    order: 2\n"
                       "    section:\n"
                       "      - {at: 0, circle: {radius: 0.2}}\n"
                       "      - {at: 1, circle: {radius: 0.1}}\n"
                       "    material: {young: 1 MPa, density: 1000}\n"
                       "joints:\n"
                       "  - {fixed: [ground, arm.start]}\n"
                       "simulate: {step: 1e-3, steps: 1}\n";
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    ac_beam_info info = ac_system_beam(ac_problem_system(problem), 0);
    CHECK(info.order == 2 && info.elements == 4 && info.nodes == 9);
    CHECK_NEAR(info.mass, 1000 * pi * 2 * (0.04 + 0.02 + 0.01) / 3, 1e-11);
    int count;
    const ac_beam_station *stations = ac_problem_beam_stations(problem, 0, &count);
    CHECK(count == 2);
    for (int k = 0; k < 2; ++k) {
        double r = k == 0 ? 0.2 : 0.1;
        const ac_beam_values *end = k == 0 ? &info.start : &info.end;
        CHECK_TEXT(stations[k].shape, "circle");
        CHECK(stations[k].at == k);
        CHECK_NEAR(stations[k].area, pi * r * r, 1e-16);
        CHECK_NEAR(stations[k].moments[0], pi * r * r * r * r / 4, 1e-17);
        CHECK_NEAR(stations[k].values.stiffness[2], 1e6 * pi * r * r, 1e-9);
        CHECK_NEAR(end->stiffness[4], 1e6 * pi * r * r * r * r / 4, 1e-10);
        CHECK_NEAR(end->mass, 1000 * pi * r * r, 1e-11);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(steps_and_given_stations_are_evaluated)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const char *text = "beams:\n"
                       "  arm:\n"
                       "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
                       "    elements: 4\n"
                       "    section: [{at: 0.5, rectangle: {width: 1, height: 1}}, {at: 0.5, tube: {radius: "
                       "1, inner_radius: 0.5}}]\n"
                       "    stiffness:\n"
                       "      - {at: 0.5, shear: [1, 1], axial: 10, bending: [1, 1], torsion: 1}\n"
                       "      - {at: 0.5, shear: [1, 1], axial: 20, bending: [1, 1], torsion: 1}\n"
                       "      - {at: 1, shear: [1, 1], axial: 40, bending: [1, 1], torsion: 1}\n"
                       "    inertia: [{at: 0, mass: 1, rotary: [1, 1]}, {at: 1, mass: 3, rotary: [1, 1]}]\n"
                       "joints:\n"
                       "  - {fixed: [ground, arm.start]}\n"
                       "simulate: {step: 1e-3, steps: 1}\n";
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    const ac_system *system = ac_problem_system(problem);
    static const double axial[4] = {10, 10, 25, 35};
    for (int k = 0; k < 4; ++k) CHECK_NEAR(system->mesh.elements[k].stiffness[2], axial[k], 1e-12);
    CHECK_NEAR(ac_system_beam(system, 0).mass, 2.0, 1e-14);
    int count;
    const ac_beam_station *stations = ac_problem_beam_stations(problem, 0, &count);
    CHECK(count == 3); /* those of the stiffness, which are more */
    CHECK_TEXT(stations[0].shape, "rectangle");
    CHECK_TEXT(stations[1].shape, "tube");
    CHECK_NEAR(stations[0].values.stiffness[2], 10, 1e-14);
    CHECK_NEAR(stations[1].values.stiffness[2], 20, 1e-14);
    CHECK_NEAR(stations[1].values.mass, 2, 1e-14);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Two inner places, one of them without a change of direction: one corner. */
TEST(a_polyline_has_corners_where_it_turns)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        for (int smooth = 0; smooth < 2; ++smooth) {
            ac_problem *problem = NULL;
            char text[1000];
            snprintf(text, sizeof text,
                     "beams:\n"
                     "  arm:\n"
                     "    polyline: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]]\n"
                     "    corners: %s\n"
                     "    elements: 6\n"
                     "    order: %d\n"
                     "    section: {circle: {radius: 0.01}}\n"
                     "    material: {young: 1e6, density: 1000}\n"
                     "    masses: [{at: corner1, mass: 5}, {at: corner2, mass: 7}, {at: middle, mass: 9}]\n"
                     "joints:\n"
                     "  - {fixed: [ground, arm.start]}\n"
                     "simulate: {step: 1e-3, steps: 1}\n",
                     smooth ? "smooth" : "sharp", order);
            CHECK(parse(ctx, text, &problem) == AC_OK);
            if (!problem) printf("%s\n", ac_context_message(ctx));
            const ac_system *system = ac_problem_system(problem);
            ac_system_size size = ac_system_sizes(system);
            CHECK(size.nodes == 6 * order + 1 + !smooth);
            CHECK(size.joints == 1 + !smooth);
            CHECK(size.freedoms == 36 * order);
            int turn = 4 * order; /* the first node of the corner */
            const ac_node *nodes = system->nodes;
            CHECK(nodes[2 * order].mass > 5 && nodes[turn].mass > 7 && nodes[3 * order].mass > 9);
            const double *before = system->initial.q + nodes[turn].q,
                         *after = system->initial.q + nodes[turn + 1].q;
            CHECK_NEAR(before[0], 2, 1e-15);
            CHECK_NEAR(before[9], smooth ? sqrt(0.5) : 1, 1e-15);
            CHECK_NEAR(after[1], smooth ? 0.5 / order : 0, 1e-15);
            CHECK_NEAR(after[10], 1, 1e-14); /* d3 along y */
            CHECK_NEAR(system->beams[0].length, 3, 1e-14);
            ac_problem_free(problem);
        }
    }
    ac_context_free(ctx);
}

/* The joints of corners come behind those of the file: springs and loads find theirs. */
TEST(joints_keep_their_numbers_beside_corners)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    const char *text = "beams:\n"
                       "  arm:\n"
                       "    polyline: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]\n"
                       "    elements: 6\n"
                       "    section: {circle: {radius: 0.01}}\n"
                       "    material: {young: 1e6, density: 1000}\n"
                       "joints:\n"
                       "  - {revolute: [ground, arm.start], axis: [0, 0, 1], name: hinge}\n"
                       "springs: [{joint: hinge, stiffness: 1}]\n"
                       "loads: [{joint: hinge, value: 2}]\n"
                       "simulate: {step: 1e-3, steps: 1}\n";
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    const ac_system *system = ac_problem_system(problem);
    CHECK(system->joint_count == 3);
    CHECK_TEXT(ac_system_joint_name(system, 0), "hinge");
    CHECK_TEXT(ac_system_joint_name(system, 2), "arm corner 2");
    CHECK(system->springs[0].measure == system->joints[0].first_measure);
    CHECK(system->loads[0].measure == system->joints[0].first_measure);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Lee's frame as one beam with a corner: the limits for short elements are 18.5466 and -9.3961; elements of
 * order 2 come near with the fourth power of their length. */
TEST(a_hinged_frame_of_one_beam_has_the_known_limit_loads)
{
    ac_context *ctx = ac_context_new(NULL);
    double limit[2][2] = {{0}};
    for (int k = 0; k < 2; ++k) {
        ac_problem *problem = NULL;
        ac_summary summary;
        char text[1000];
        snprintf(text, sizeof text,
                 "beams:\n"
                 "  frame:\n"
                 "    polyline: [[0, 0, 0], [0, 120, 0], [120, 120, 0]]\n"
                 "    d1: [0, 0, 1]\n"
                 "    elements: %d\n"
                 "    order: 2\n"
                 "    stiffness: {shear: [16.62e6, 16.62e6], axial: 43.2e6, bending: [14.4e6, 1e10], "
                 "torsion: 1e10}\n"
                 "    inertia: {mass: 1, rotary: [1, 1]}\n"
                 "joints:\n"
                 "  - {revolute: [ground, frame.start], axis: [0, 0, 1]}\n"
                 "  - {revolute: [ground, frame.end], axis: [0, 0, 1]}\n"
                 "loads: [{force: [0, -1000, 0], on: \"frame[%d]\"}]\n"
                 "equilibrium: {path: {step: 6, points: 90}}\n",
                 10 << k, k == 0 ? 13 : 25);
        CHECK(parse(ctx, text, &problem) == AC_OK);
        CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
        for (int i = 0; i < summary.count; ++i) {
            if (strcmp(summary.entry[i].name, "limit_1_factor") == 0) limit[k][0] = summary.entry[i].value;
            if (strcmp(summary.entry[i].name, "limit_2_factor") == 0) limit[k][1] = summary.entry[i].value;
        }
        ac_problem_free(problem);
    }
    CHECK_NEAR(limit[1][0], 18.5466, 0.005);
    CHECK_NEAR(limit[1][1], -9.3961, 0.01);
    for (int i = 0; i < 2; ++i)
        CHECK_NEAR((16 * limit[1][i] - limit[0][i]) / 15, i == 0 ? 18.5466 : -9.3961, 3e-3);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(mistakes_in_order_and_corners_are_reported), CASE(mistakes_in_stations_are_reported),
          CASE(a_tapered_section_is_evaluated_along_the_beam), CASE(steps_and_given_stations_are_evaluated),
          CASE(a_polyline_has_corners_where_it_turns), CASE(joints_keep_their_numbers_beside_corners),
          CASE(a_hinged_frame_of_one_beam_has_the_known_limit_loads))
