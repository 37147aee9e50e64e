/* Reference curves: places, frames without twist, corners, numbers of nodes; beams along them; messages. */
#include <math.h>

#include "actio/beam.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "support/memory.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static ac_curve *laid(ac_context *ctx, ac_curve_shape shape)
{
    ac_curve *curve = NULL;
    ac_status status = ac_curve_new(ctx, &shape, &curve);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    return curve;
}

static void column(const ac_pose *pose, int k, double d[3])
{
    for (int i = 0; i < 3; ++i) d[i] = pose->rotation[3 * i + k];
}

static void check_triple(const double x[3], double a, double b, double c, double tolerance)
{
    CHECK_NEAR(x[0], a, tolerance);
    CHECK_NEAR(x[1], b, tolerance);
    CHECK_NEAR(x[2], c, tolerance);
}

TEST(a_straight_line)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_curve *curve = laid(
        ctx, (ac_curve_shape){.from = {1, 2, 3}, .to = {1, 2, 7}, .d1 = {5, 0, 5}, .elements = 8});
    CHECK(ac_curve_nodes(curve) == 9);
    for (int k = 0; k < 9; ++k) {
        ac_pose pose = ac_curve_frame(curve, k);
        static const double as_world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        check_triple(pose.position, 1, 2, 3 + 0.5 * k, 1e-15);
        for (int i = 0; i < 9; ++i) CHECK_NEAR(pose.rotation[i], as_world[i], 1e-15);
    }
    CHECK(ac_curve_node(curve, 0) == 0 && ac_curve_node(curve, 8) == 8 && ac_curve_node(curve, 9) == -1);
    CHECK(ac_curve_corner(curve, 1) == -1);
    ac_curve_free(curve);
    curve = laid(ctx, (ac_curve_shape){.to = {1, 0, 0}, .order = 2}); /* as many elements as suit */
    ac_beam beam = {0};
    ac_curve_fill(curve, &beam);
    CHECK(beam.elements == 10 && beam.order == 2 && ac_curve_nodes(curve) == 21 && beam.corner_count == 0);
    ac_curve_free(curve);
    ac_context_free(ctx);
}

/* Places on the circle, d3 along it, and d1, which began across the plane, stays there: no twist. */
TEST(an_arc)
{
    ac_context *ctx = ac_context_new(NULL);
    static const double angles[] = {1.5707963267948966, -2.0, 6.283185307179586};
    for (int a = 0; a < 3; ++a) {
        ac_curve *curve = laid(ctx, (ac_curve_shape){.type = AC_CURVE_ARC,
                                                     .from = {3, 1, 0},
                                                     .centre = {1, 1, 0},
                                                     .axis = {0, 0, 20},
                                                     .angle = angles[a],
                                                     .d1 = {0, 0, 1},
                                                     .elements = 16});
        for (int k = 0; k <= 16; ++k) {
            ac_pose pose = ac_curve_frame(curve, k);
            double t = angles[a] * k / 16, way = angles[a] > 0 ? 1 : -1, d[3];
            check_triple(pose.position, 1 + 2 * cos(t), 1 + 2 * sin(t), 0, 1e-14);
            column(&pose, 2, d);
            check_triple(d, -way * sin(t), way * cos(t), 0, 1e-14);
            column(&pose, 0, d);
            check_triple(d, 0, 0, 1, 1e-13);
        }
        ac_curve_free(curve);
    }
    ac_context_free(ctx);
}

/* Around three edges of a cube and back to the first direction: a frame that is carried along without
 * twist turns by the solid angle of the octant that its tangent went around, a quarter turn. */
TEST(frames_are_carried_without_twist)
{
    ac_context *ctx = ac_context_new(NULL);
    static const double places[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}};
    ac_curve *curve = laid(
        ctx, (ac_curve_shape){
                 .type = AC_CURVE_POLYLINE, .places = places, .count = 5, .elements = 4, .d1 = {0, 1, 0}});
    ac_pose first = ac_curve_frame(curve, 0), last = ac_curve_frame(curve, ac_curve_nodes(curve) - 1);
    double d[3];
    column(&first, 0, d);
    check_triple(d, 0, 1, 0, 0);
    column(&last, 0, d);
    check_triple(d, 0, 0, 1, 1e-14);
    ac_curve_free(curve);
    ac_context_free(ctx);
}

TEST(a_polyline_has_corners)
{
    ac_context *ctx = ac_context_new(NULL);
    static const double places[][3] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {3, 2, 0}};
    ac_curve_shape shape = {.type = AC_CURVE_POLYLINE, .places = places, .count = 4, .elements = 10};
    ac_curve *curve = laid(ctx, shape);
    ac_beam beam = {0};
    ac_curve_fill(curve, &beam);
    /* six elements for three metres, two for each of the others; only the first inner place is a corner */
    CHECK(ac_curve_nodes(curve) == 12 && beam.corner_count == 1 && beam.corners[0] == 6);
    CHECK(ac_curve_corner(curve, 1) == 6 && ac_curve_corner(curve, 2) == 9 &&
          ac_curve_corner(curve, 3) == -1);
    CHECK(ac_curve_node(curve, 6) == 6 && ac_curve_node(curve, 7) == 8 && ac_curve_node(curve, 10) == 11);
    for (int k = 6; k < 8; ++k) {
        double d[3];
        check_triple(beam.frames[k].position, 3, 0, 0, 0);
        column(&beam.frames[k], 2, d);
        check_triple(d, k == 6, k == 7, 0, 1e-15);
    }
    ac_curve_free(curve);
    shape.smooth_corners = true;
    curve = laid(ctx, shape);
    ac_curve_fill(curve, &beam);
    double d[3];
    column(&beam.frames[6], 2, d);
    CHECK(ac_curve_nodes(curve) == 11 && beam.corner_count == 0);
    check_triple(d, sqrt(0.5), sqrt(0.5), 0, 1e-15);
    ac_curve_free(curve);
    ac_context_free(ctx);
}

/* The cubic between two frames: its ends are the frames, and between parallel ones in line it is straight,
 * turned evenly. */
TEST(a_spline)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_pose ends[2] = {ac_pose_identity(), ac_pose_identity()};
    ends[1].position[2] = 2;
    ac_rotation_z(1.2, ends[1].rotation);
    ac_curve_shape shape = {.type = AC_CURVE_SPLINE, .frames = ends, .count = 2, .elements = 6};
    ac_curve *curve = laid(ctx, shape);
    for (int k = 0; k <= 6; ++k) {
        ac_pose pose = ac_curve_frame(curve, k);
        double R[9];
        ac_rotation_z(1.2 * k / 6, R);
        check_triple(pose.position, 0, 0, 2.0 * k / 6, 1e-15);
        for (int i = 0; i < 9; ++i) CHECK_NEAR(pose.rotation[i], R[i], 1e-14);
    }
    ac_curve_free(curve);
    /* x = s^2 (3 - 2s), z = 3 s (1 - s)(1 - 2s) with tangents of length 3 */
    ends[1] = ac_pose_identity();
    ends[1].position[0] = 1;
    shape.length = 3;
    curve = laid(ctx, shape);
    for (int k = 0; k <= 6; ++k) {
        double s = k / 6.0, d[3];
        ac_pose pose = ac_curve_frame(curve, k);
        check_triple(pose.position, s * s * (3 - 2 * s), 0, 3 * s * (1 - s) * (1 - 2 * s), 1e-14);
        column(&pose, 1, d);
        check_triple(d, 0, 1, 0, 1e-14);
    }
    ac_curve_free(curve);
    ac_context_free(ctx);
}

TEST(given_frames)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_pose frames[5];
    for (int k = 0; k < 5; ++k) {
        frames[k] = ac_pose_identity();
        frames[k].position[2] = k * k;
        ac_rotation_z(0.3 * k, frames[k].rotation);
    }
    ac_curve *curve = laid(
        ctx, (ac_curve_shape){.type = AC_CURVE_FRAMES, .frames = frames, .count = 5, .order = 2});
    ac_beam beam = {0};
    ac_curve_fill(curve, &beam);
    CHECK(beam.elements == 2 && beam.order == 2 && ac_curve_nodes(curve) == 5);
    CHECK(memcmp(beam.frames, frames, sizeof frames) == 0);
    ac_curve_free(curve);
    ac_context_free(ctx);
}

/* One node more, the frames of the edges half way between those of the vertices. */
TEST(the_edge_model_is_staggered)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_curve *curve = laid(ctx, (ac_curve_shape){.type = AC_CURVE_ARC,
                                                 .model = AC_BEAM_EDGE,
                                                 .from = {1, 0, 0},
                                                 .axis = {0, 0, 1},
                                                 .angle = PI / 2,
                                                 .elements = 4});
    CHECK(ac_curve_nodes(curve) == 6);
    CHECK(ac_curve_node(curve, 0) == 0 && ac_curve_node(curve, 1) == 2 && ac_curve_node(curve, 4) == 5);
    for (int k = 0; k < 6; ++k) {
        ac_pose pose = ac_curve_frame(curve, k);
        double at = PI / 8 * (k == 0 ? 0 : k - 1), d[3];
        double turned = k == 0 ? 0 : k == 5 ? PI / 2 : at + PI / 16;
        column(&pose, 2, d);
        check_triple(pose.position, cos(at), sin(at), 0, 1e-15);
        check_triple(d, -sin(turned), cos(turned), 0, 1e-14);
    }
    ac_curve_free(curve);
    ac_context_free(ctx);
}

/* Section, material and curve make a beam that weighs and measures what it should. */
TEST(a_beam_of_section_and_curve)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = NULL;
        ac_beam_section section = {AC_BEAM_TUBE, .radius = 0.02, .inner_radius = 0.018};
        ac_beam_material steel = {.young = 210e9, .poisson = 0.3, .density = 7850};
        ac_beam_values values;
        ac_beam beam = {.name = "bow"};
        ac_curve *curve = laid(ctx, (ac_curve_shape){.type = AC_CURVE_ARC,
                                                     .model = (ac_beam_model)m,
                                                     .from = {1, 0, 0},
                                                     .axis = {0, 0, 1},
                                                     .angle = PI / 2,
                                                     .elements = 100});
        CHECK(ac_beam_section_compute(ctx, &section, steel.poisson) == AC_OK);
        CHECK(ac_beam_section_values(ctx, &section, &steel, &values) == AC_OK);
        ac_beam_set_values(&beam, &values);
        ac_curve_fill(curve, &beam);
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
        int nodes = ac_curve_nodes(curve);
        ac_curve_free(curve); /* the system has its own copy */
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_beam_info info = ac_system_beam(system, 0);
        double length = 200 * sin(PI / 400), area = PI * (0.02 * 0.02 - 0.018 * 0.018);
        CHECK(info.nodes == nodes);
        CHECK_NEAR(info.length, length, 1e-13);
        CHECK_NEAR(info.mass, 7850 * area * length, 1e-12);
        CHECK_NEAR(info.end.stiffness[3], 210e9 * PI / 4 * (pow(0.02, 4) - pow(0.018, 4)), 1e-9);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

static void refused(ac_curve_shape shape, const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_curve *curve = NULL;
    CHECK(ac_curve_new(ctx, &shape, &curve) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    CHECK(curve == NULL);
    ac_context_free(ctx);
}

TEST(lines_that_cannot_be)
{
    static const double back[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}},
                        same[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    refused((ac_curve_shape){0}, "the beam has no length: from and to coincide");
    refused((ac_curve_shape){.to = {1, 0, 0}, .d1 = {-3, 0, 0}},
            "d1 must not be parallel to the axis of the beam");
    refused((ac_curve_shape){.to = {1, 0, 0}, .elements = -1},
            "elements must be between 1 and 1000000, not -1");
    refused((ac_curve_shape){.to = {1, 0, 0}, .order = 3}, "the order must be 1 or 2, not 3");
    refused((ac_curve_shape){.to = {1, 0, 0}, .order = 2, .model = AC_BEAM_EDGE},
            "rods (model vertex and edge) have order 1, not 2");
    refused((ac_curve_shape){.type = (ac_curve_type)9}, "there is no curve of type 9");
    ac_curve_shape arc = {.type = AC_CURVE_ARC, .from = {1, 0, 0}, .angle = 1};
    refused(arc, "axis must not be zero; it is a direction");
    arc.axis[0] = 1;
    refused(arc, "axis must be perpendicular to the line from centre to from");
    refused((ac_curve_shape){.type = AC_CURVE_ARC, .axis = {0, 0, 1}, .angle = 1},
            "the arc has no radius: from and centre coincide");
    refused((ac_curve_shape){.type = AC_CURVE_ARC, .from = {1, 0, 0}, .axis = {0, 0, 1}, .angle = 7},
            "angle must not be zero, and at most a full turn");
    ac_curve_shape line = {.type = AC_CURVE_POLYLINE, .places = back, .count = 1};
    refused(line, "polyline must be a list of at least two places [x, y, z]");
    line.count = 3;
    refused(line, "place 2: the polyline turns back on itself here");
    line.places = same;
    refused(line, "place 2: two neighbouring places of polyline coincide");
    line.elements = 1;
    refused(line, "a polyline of 2 pieces needs at least 2 elements, not 1");
}

TEST(frames_that_cannot_be)
{
    ac_pose frames[3] = {ac_pose_identity(), ac_pose_identity(), ac_pose_identity()};
    ac_curve_shape shape = {.type = AC_CURVE_FRAMES, .frames = frames, .count = 1};
    refused(shape, "frames must have at least two entries");
    shape.count = 3;
    refused(shape, "frame 1: two neighbouring frames are at the same place");
    frames[1].position[2] = 1;
    frames[2].position[2] = 2;
    shape.elements = 3;
    refused(shape, "3 frames make 2 elements; leave 'elements' out");
    shape.elements = 0;
    ac_rotation_z(2, frames[2].rotation);
    refused(shape,
            "frame 2: this frame is turned by 115 degrees from the one before; less than 90 is needed");
    frames[2].rotation[0] = 3;
    refused(shape, "frame 2: the frame is not orthonormal and right handed");
    frames[2] = frames[1];
    frames[2].position[0] = 1;
    refused(shape, "frame 1: d3 of this frame makes 90 degrees with the line to the frame after it, more "
                   "than 60: it has "
                   "to point along the beam");
    shape.type = AC_CURVE_SPLINE;
    refused(shape, "a spline is between two frames, not 3");
    shape.count = 2;
    frames[1] = frames[0];
    refused(shape, "the beam has no length: from and to coincide");
    shape = (ac_curve_shape){.type = AC_CURVE_FRAMES, .frames = frames, .count = 2, .order = 2};
    refused(shape,
            "elements of order 2 have a node in their middle: frames must be an odd number, at least 3, "
            "not 2");
}

TEST(numbers_that_are_not_finite)
{
    static const double places[][3] = {{0, 0, 0}, {1, INFINITY, 0}, {2, 0, 0}};
    ac_pose frames[2] = {ac_pose_identity(), ac_pose_identity()};
    refused((ac_curve_shape){.to = {NAN, 0, 0}}, "to must be finite");
    refused((ac_curve_shape){.to = {1, 0, 0}, .from = {0, -INFINITY, 0}}, "from must be finite");
    refused((ac_curve_shape){.to = {1, 0, 0}, .d1 = {0, 0, NAN}}, "d1 must be finite");
    ac_curve_shape arc = {.type = AC_CURVE_ARC, .from = {1, 0, 0}, .axis = {0, 0, 1}, .angle = NAN};
    refused(arc, "angle must be finite");
    arc.axis[1] = NAN;
    refused(arc, "axis must be finite");
    arc.centre[2] = INFINITY;
    refused(arc, "centre must be finite");
    refused((ac_curve_shape){.type = AC_CURVE_POLYLINE, .places = places, .count = 3},
            "place 1: its numbers must be finite");
    frames[1].position[2] = 1;
    ac_curve_shape spline = {.type = AC_CURVE_SPLINE, .frames = frames, .count = 2, .length = NAN};
    refused(spline, "length must be finite");
    spline.length = 0;
    frames[1].rotation[3] = NAN;
    refused(spline, "frame 1: its numbers must be finite");
    spline.type = AC_CURVE_FRAMES;
    refused(spline, "frame 1: its numbers must be finite");
    /* a field that the type makes no use of may be anything */
    ac_context *ctx = ac_context_new(NULL);
    ac_curve_free(laid(ctx, (ac_curve_shape){.to = {1, 0, 0}, .angle = NAN, .centre = {NAN, 0, 0}}));
    ac_context_free(ctx);
}

TEST(every_allocation_may_fail)
{
    static const double places[][3] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}};
    for (int edge = 0; edge < 2; ++edge) {
        ac_curve_shape shape = {.type = AC_CURVE_POLYLINE,
                                .model = edge ? AC_BEAM_EDGE : AC_BEAM_DIRECTOR,
                                .places = places,
                                .count = 3};
        for (long at = 1;; ++at) {
            memory m = {0};
            ac_context *ctx = memory_context(&m);
            ac_curve *curve = NULL;
            m.fail_at = m.calls + at;
            ac_status status = ac_curve_new(ctx, &shape, &curve);
            ac_curve_free(curve);
            ac_context_free(ctx);
            CHECK(m.held == 0);
            if (status == AC_OK) {
                CHECK(at > 8);
                break;
            }
            CHECK(status == AC_NO_MEMORY);
        }
    }
}

RUN_TESTS(CASE(a_straight_line), CASE(an_arc), CASE(frames_are_carried_without_twist),
          CASE(a_polyline_has_corners), CASE(a_spline), CASE(given_frames), CASE(the_edge_model_is_staggered),
          CASE(a_beam_of_section_and_curve), CASE(lines_that_cannot_be), CASE(frames_that_cannot_be),
          CASE(numbers_that_are_not_finite), CASE(every_allocation_may_fail))
