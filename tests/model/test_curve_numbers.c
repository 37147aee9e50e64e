/* Curves of beams as numbers with a past: the recorded frames are those that are laid, and their tangents those of differences, also where
 * the curve is straight and at corners. */
#include "model/beam/curve.h"
#include "test.h"

enum { MOST = 64, NODES = 40, FRAMES = 5 };

static unsigned long state = 7;

static double drawn(double low, double high)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
}

typedef struct subject {
    ac_curve_shape shape;
    double places[FRAMES][3];
    ac_pose frames[FRAMES];
    int count; /* of numbers */
} subject;

/* Number k of a curve, as curve.h lists them. */
static double *number_of(subject *s, int k)
{
    ac_curve_shape *c = &s->shape;
    double *const lists[] = {c->from, c->to, c->centre, c->axis};
    if (k < AC_CURVE_ANGLE) return &lists[k / 3][k % 3];
    if (k == AC_CURVE_ANGLE) return &c->angle;
    if (k == AC_CURVE_LENGTH) return &c->length;
    if (k < AC_CURVE_ENTRIES) return &c->d1[k - AC_CURVE_D1];
    k -= AC_CURVE_ENTRIES;
    if (c->type == AC_CURVE_POLYLINE) return &s->places[k / 3][k % 3];
    ac_pose *pose = &s->frames[k / AC_CURVE_POSE];
    k %= AC_CURVE_POSE;
    return k < 3 ? &pose->position[k] : &pose->rotation[k - 3];
}

static void point_at(subject *s)
{
    s->shape.places = (const double(*)[3])s->places;
    s->shape.frames = s->frames;
}

/* Rotations about z by small angles, one after another. */
static void draw_frame(ac_pose *pose, double angle, double x)
{
    const double R[9] = {cos(angle), 0, sin(angle), 0, 1, 0, -sin(angle), 0, cos(angle)};
    memcpy(pose->rotation, R, sizeof R);
    for (int i = 0; i < 3; ++i) pose->position[i] = drawn(-0.1, 0.1);
    pose->position[2] += x;
}

static subject draw(ac_curve_type type, ac_beam_model model, bool plain)
{
    subject s = {.shape = {.type = type, .model = model, .elements = 7, .count = FRAMES}};
    s.count = AC_CURVE_ENTRIES + (type == AC_CURVE_POLYLINE ? 3 * FRAMES
                                  : type >= AC_CURVE_SPLINE ? AC_CURVE_POSE * FRAMES
                                                            : 0);
    for (int i = 0; i < 3; ++i) {
        s.shape.from[i] = plain ? 0.0 : drawn(-0.1, 0.1);
        s.shape.to[i] = (i == 0) + (plain ? 0.0 : drawn(-0.3, 0.3));
        s.shape.centre[i] = s.shape.from[i] + (i == 0 ? 0.7 : 0.0);
        s.shape.axis[i] = i == 2;
        s.shape.d1[i] = plain ? i == 2 : drawn(-1.0, 1.0);
    }
    s.shape.angle = plain ? -1.2 : 2.3;
    s.shape.length = plain ? 0.0 : 1.1; /* of a spline; 0: the distance of its ends */
    for (int k = 0; k < FRAMES; ++k)
        for (int i = 0; i < 3; ++i) s.places[k][i] = (i == 0) * k + (plain ? 0.0 : drawn(-0.3, 0.3));
    for (int k = 0; k < FRAMES; ++k) draw_frame(&s.frames[k], plain ? 0.0 : 0.2 * k, k);
    if (type == AC_CURVE_SPLINE) s.shape.count = 2;
    if (type == AC_CURVE_SPLINE) s.count = AC_CURVE_ENTRIES + 2 * AC_CURVE_POSE;
    if (type == AC_CURVE_FRAMES) s.shape.elements = 0;
    s.shape.smooth_corners = model == AC_BEAM_EDGE;
    return s;
}

/* Numbers that may change alone: the axis of an arc is across its radius, frames are rotations, no length is another one. */
static bool may_move(const subject *s, int k)
{
    if (k < AC_CURVE_ENTRIES) {
        const double *d1 = s->shape.d1;
        bool arc = s->shape.type == AC_CURVE_ARC, wish = d1[0] != 0.0 || d1[1] != 0.0 || d1[2] != 0.0,
             own = k < AC_CURVE_AXIS || (k >= AC_CURVE_ANGLE && (k < AC_CURVE_D1 || wish));
        return own && (k != AC_CURVE_LENGTH || s->shape.length > 0.0) &&
               !(arc && k < AC_CURVE_AXIS && k % 3 == 2);
    }
    return s->shape.type == AC_CURVE_POLYLINE || (k - AC_CURVE_ENTRIES) % AC_CURVE_POSE < 3;
}

static void lay(ac_context *ctx, subject s, int k, double shift, ac_pose frames[NODES], int *nodes)
{
    ac_curve *curve = NULL;
    if (k >= 0) *number_of(&s, k) += shift;
    point_at(&s);
    ac_status status = ac_curve_new(ctx, &s.shape, &curve);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    *nodes = 0;
    if (!curve) return;
    *nodes = curve->nodes;
    memcpy(frames, curve->frames, (size_t)curve->nodes * sizeof *frames);
    ac_curve_free(curve);
}

static void compare(ac_context *ctx, subject s)
{
    const double h = 1e-4;
    ac_graph *g = NULL;
    ac_graph_work w = {0};
    ac_num x[AC_CURVE_ENTRIES + FRAMES * AC_CURVE_POSE], poses[NODES][AC_CURVE_POSE];
    double values[MOST * 2], dx[MOST * 2] = {0.0};
    ac_pose at[NODES], moved[2][NODES];
    int nodes, same;
    point_at(&s);
    CHECK(ac_graph_new(ctx, &g) == AC_OK);
    for (int k = 0; k < s.count; ++k) x[k] = ac_num_input(g, values[k] = *number_of(&s, k));
    CHECK(ac_curve_record(ctx, g, &s.shape, x, poses) == AC_OK);
    CHECK(ac_graph_fit(g, ctx, &w) == AC_OK);
    ac_graph_evaluate(g, &w, values);
    lay(ctx, s, -1, 0.0, at, &nodes);
    for (int n = 0; n < nodes; ++n)
        for (int e = 0; e < AC_CURVE_POSE; ++e) {
            double laid = e < 3 ? at[n].position[e] : at[n].rotation[e - 3];
            CHECK_NEAR(poses[n][e].v, laid, 2e-14);
            CHECK_NEAR(poses[n][e].node ? w.v[poses[n][e].node] : poses[n][e].v, laid, 2e-14);
        }
    for (int k = 0; k < s.count; ++k) {
        if (!may_move(&s, k)) continue;
        dx[k] = 1.0;
        ac_graph_tangent(g, &w, dx);
        dx[k] = 0.0;
        lay(ctx, s, k, h, moved[0], &same);
        lay(ctx, s, k, -h, moved[1], &same);
        for (int n = 0; n < nodes; ++n)
            for (int e = 0; e < AC_CURVE_POSE; ++e) {
                double to = e < 3 ? moved[0][n].position[e] : moved[0][n].rotation[e - 3],
                       from = e < 3 ? moved[1][n].position[e] : moved[1][n].rotation[e - 3];
                CHECK_NEAR(w.d[poses[n][e].node], (to - from) / (2.0 * h), 2e-6);
            }
    }
    ac_graph_work_free(&w);
    ac_graph_free(g);
}

static void compare_type(ac_curve_type type, bool straight)
{
    static const ac_beam_model models[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE};
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m)
        for (int k = 0; k < 3; ++k) compare(ctx, draw(type, models[m], straight && k == 0));
    ac_context_free(ctx);
}

TEST(straight_lines)
{
    compare_type(AC_CURVE_STRAIGHT, true);
}

TEST(arcs)
{
    compare_type(AC_CURVE_ARC, true);
}

/* Where a corner vanishes, the mesh is another one. */
TEST(polylines)
{
    compare_type(AC_CURVE_POLYLINE, false);
}

TEST(splines)
{
    compare_type(AC_CURVE_SPLINE, true);
}

TEST(given_frames)
{
    compare_type(AC_CURVE_FRAMES, true);
}

RUN_TESTS(CASE(straight_lines), CASE(arcs), CASE(polylines), CASE(splines), CASE(given_frames))
