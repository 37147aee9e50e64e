/* Rods of the edge model: what users count is vertices and edges, and torques act where the vertices are. */
#include <math.h>
#include <stdlib.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

/* A solved problem and what is recorded of it. */
typedef struct solved {
    ac_context *ctx;
    ac_problem *problem;
    ac_equilibrium *equilibrium;
    double *row;
} solved;

static void solve(const char *text, int elements, solved *s)
{
    char setting[64];
    const char *const settings[1] = {setting};
    bool done = false;
    *s = (solved){.ctx = ac_context_new(NULL)};
    snprintf(setting, sizeof setting, "parameters.n=%d", elements);
    ac_status status = ac_problem_parse(s->ctx, "f.yaml", text, strlen(text), settings, 1, &s->problem);
    if (status == AC_OK)
        status = ac_equilibrium_new(s->ctx, ac_problem_system(s->problem), ac_problem_equilibrium(s->problem),
                                    &s->equilibrium);
    while (status == AC_OK && !done) status = ac_equilibrium_next(s->equilibrium, &done);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("%s\n", ac_context_message(s->ctx));
    int count = 0, width = 0;
    const ac_channel *channels = s->equilibrium ? ac_equilibrium_channels(s->equilibrium, &count) : NULL;
    for (int c = 0; c < count; ++c) width += channels[c].width;
    s->row = calloc((size_t)width + 1, sizeof *s->row);
    if (s->equilibrium) ac_equilibrium_row(s->equilibrium, s->row);
}

static void leave(solved *s)
{
    free(s->row);
    ac_equilibrium_free(s->equilibrium);
    ac_problem_free(s->problem);
    ac_context_free(s->ctx);
}

/* A component by its label; NAN when there is none. */
static double value(const solved *s, const char *name, const char *label)
{
    int count = 0;
    const ac_channel *channels = s->equilibrium ? ac_equilibrium_channels(s->equilibrium, &count) : NULL;
    const double *at = s->row;
    for (int c = 0; c < count; at += channels[c++].width) {
        if (strcmp(channels[c].name, name) != 0) continue;
        int component = ac_component_find(&channels[c], label);
        return component < 0 ? NAN : at[component];
    }
    return NAN;
}

static double numbered(const solved *s, const char *name, int place, const char *label)
{
    char text[AC_LABEL_SIZE];
    snprintf(text, sizeof text, "%d.%s", place, label);
    return value(s, name, text);
}

#define ROD(model, from_to, stiffness)                                                \
    "title: t\nparameters: {n: 4}\nbeams:\n"                                          \
    "  rod: {model: " model ", straight: " from_to ", d1: [0, 0, 1], elements: =n,\n" \
    "        stiffness: " stiffness ", inertia: {mass: 1, rotary: [1e-4, 1e-4]}}\n"
#define ALONG_X "{from: [0, 0, 0], to: [1, 0, 0]}"
#define CLAMPED "joints: [{fixed: [ground, rod.start]}]\n"
#define STIFF "{shear: [1e6, 1e6], axial: 1e6, bending: [100, 100], torsion: 100}"

/* A cantilever with a force at its end and another at rod[2]: everything is where its name says. */
TEST(numbers_are_those_of_vertices_and_edges)
{
    static const char text[] = ROD("edge", ALONG_X, STIFF) CLAMPED
        "loads: [{force: [0, 0, -1e-3], on: rod.end}, {force: [0, 0, -2e-3], on: \"rod[2]\"}]\n"
        "equilibrium: {tolerance: 1e-14, forces: true}\n";
    solved s;
    solve(text, 4, &s);
    for (int k = 0; k <= 4; ++k) {
        CHECK_NEAR(numbered(&s, "beam/rod/position", k, "x"), 0.25 * k, 1e-8);
        CHECK_NEAR(fabs(numbered(&s, "beam/rod/moment", k, "2")),
                   2.5e-4 * (4 - k) + 5e-4 * (k < 2 ? 2 - k : 0), 1e-8);
    }
    for (int k = 0; k < 4; ++k) {
        double force = k < 2 ? -3e-3 : -1e-3;
        CHECK_NEAR(numbered(&s, "beam/rod/force", k, "1"), force, 1e-9);
        CHECK_NEAR(numbered(&s, "beam/rod/wrench", k, "nz"), force, 1e-9);
        CHECK(isfinite(numbered(&s, "beam/rod/strain", k, "1")));
        CHECK(isfinite(numbered(&s, "beam/rod/isotropy", k, "d3")));
        CHECK(isfinite(numbered(&s, "beam/rod/uniformity", k, "H")));
        CHECK(isfinite(numbered(&s, "beam/rod/edge_rotation", k, "zz")));
    }
    static const char *const of_edges[] = {"force",    "strain",     "wrench",
                                           "isotropy", "uniformity", "edge_rotation"};
    static const char *const labels[] = {"1", "1", "nx", "d3", "H", "xx"};
    for (int c = 0; c < 6; ++c) {
        char name[64];
        snprintf(name, sizeof name, "beam/rod/%s", of_edges[c]);
        CHECK(isfinite(numbered(&s, name, 3, labels[c])) && !isfinite(numbered(&s, name, 4, labels[c])));
    }
    CHECK(!isfinite(numbered(&s, "beam/rod/position", 5, "x")));
    CHECK(!isfinite(numbered(&s, "beam/rod/rotation", 5, "xx")));
    CHECK(!isfinite(numbered(&s, "beam/rod/curvature", 5, "1")));
    /* the load is drawn at the node that it is on */
    CHECK_NEAR(value(&s, "load/2/place", "x"), numbered(&s, "beam/rod/position", 2, "x"), 0.0);
    ac_beam_info info = ac_system_beam(ac_problem_system(s.problem), 0);
    CHECK(info.elements == 4 && info.places == 5 && info.nodes == 6 && info.model == AC_BEAM_EDGE);
    CHECK(ac_system_beam_node(ac_problem_system(s.problem), 0, 0) == 0);
    CHECK(ac_system_beam_node(ac_problem_system(s.problem), 0, 1) == 2);
    CHECK_TEXT(ac_system_node_name(ac_problem_system(s.problem), 2), "rod[1]");
    CHECK_TEXT(ac_system_node_name(ac_problem_system(s.problem), 5), "rod[4]");
    leave(&s);
}

/* A rod bent to a quarter circle: the frame of a vertex is half way between its edges, and those of edges
 * are given. */
TEST(frames_of_vertices_are_half_way)
{
    static const char text[] = ROD("edge", ALONG_X, STIFF) CLAMPED
        "loads: [{torque: [0, -157.07963267948966, 0], on: rod.end}]\nequilibrium: {steps: 4}\n";
    solved s;
    solve(text, 20, &s);
    double last = numbered(&s, "beam/rod/rotation", 20, "xz"); /* d3 . x */
    CHECK(fabs(last) < 0.01);
    for (int k = 1; k < 20; ++k) {
        double angle = acos(numbered(&s, "beam/rod/rotation", k, "xz")),
               before = acos(numbered(&s, "beam/rod/edge_rotation", k - 1, "xz")),
               behind = acos(numbered(&s, "beam/rod/edge_rotation", k, "xz"));
        CHECK(behind > before + 0.05);
        CHECK_NEAR(angle, 0.5 * (before + behind), 1e-9);
        CHECK_NEAR(angle, 1.5707963267948966 * k / 20, 0.003);
    }
    leave(&s);
}

/* Torsion by a torque in the middle, both ends clamped: half of it goes each way, whatever the mesh. */
TEST(a_torque_in_the_middle_goes_both_ways)
{
    static const char text[] =
        ROD("edge", ALONG_X,
            "{shear: [1e4, 1e4], axial: 1e4, bending: [1, 1], torsion: 1}") "joints: [{fixed: [ground, "
                                                                            "rod.start]}, {fixed: [ground, "
                                                                            "rod.end]}]\n"
                                                                            "loads: [{torque: [0.1, 0, 0], "
                                                                            "on: rod.middle}]\nequilibrium: "
                                                                            "{tolerance: 1e-13}\n";
    for (int n = 4; n <= 40; n += n == 4 ? 6 : 30) {
        solved s;
        solve(text, n, &s);
        CHECK_NEAR(numbered(&s, "beam/rod/wrench", 0, "mx"), 0.05, 1e-10);
        CHECK_NEAR(numbered(&s, "beam/rod/wrench", n - 1, "mx"), -0.05, 1e-10);
        CHECK_NEAR(numbered(&s, "beam/rod/moment", n / 2, "3"), 0.0, 1e-10); /* the mean of both sides */
        leave(&s);
    }
}

/* How a number goes down with the element length: the logarithm of the ratio of its changes. */
static double order_of(const char *text, const char *name, int part, const char *label, double *limit)
{
    double x[4];
    for (int k = 0; k < 4; ++k) {
        solved s;
        int n = 8 << k;
        solve(text, n, &s);
        x[k] = numbered(&s, name, part * n / 8, label);
        leave(&s);
    }
    *limit = (4.0 * x[3] - x[2]) / 3.0;
    return log2(fabs((x[2] - x[1]) / (x[3] - x[2])));
}

#define WEAK "{shear: [1e5, 1e5], axial: 1e5, bending: [1, 1], torsion: 1}"

/* Bending by a torque in the middle between clamps, and torques along a cantilever (a line load): second
 * order, to the limits of the theory of small deflections. */
TEST(torques_at_vertices_have_order_two)
{
    static const char couple[] =
        ROD("edge", ALONG_X,
            WEAK) "joints: [{fixed: [ground, rod.start]}, {fixed: [ground, rod.end]}]\n"
                  "loads: [{torque: [0, 0.01, 0], on: rod.middle}]\nequilibrium: {tolerance: 1e-14}\n";
    static const char line[] = ROD("edge", ALONG_X, WEAK) CLAMPED
        "loads: [{torque: [0, =0.1/n, 0], on: \"rod[i]\", repeat: =n-1},\n"
        "        {torque: [0, =0.05/n, 0], on: rod.end}]\nequilibrium: {tolerance: 1e-14}\n";
    static const char follows[] = ROD("edge", ALONG_X, WEAK) CLAMPED
        "loads: [{torque: [0, =-0.1/n, 0], on: \"rod[i]\", frame: body, repeat: =n-1},\n"
        "        {torque: [0, =-0.05/n, 0], on: rod.end, frame: body}]\nequilibrium: {tolerance: 1e-14}\n";
    double limit;
    CHECK_NEAR(order_of(couple, "beam/rod/position", 2, "z", &limit), 2.0, 0.1);
    CHECK_NEAR(fabs(limit), 0.01 / 256.0, 1e-7); /* M x^2 (L / 2 - x) / 4 EI L at a quarter */
    CHECK_NEAR(order_of(couple, "beam/rod/wrench", 0, "my", &limit), 2.0, 0.1);
    CHECK_NEAR(fabs(limit), 0.01 / 4.0, 1e-6);
    CHECK_NEAR(order_of(line, "beam/rod/position", 8, "z", &limit), 2.0, 0.1);
    CHECK_NEAR(limit, -0.1 / 3.0, 1e-4); /* m L^3 / 3 EI */
    double other;
    CHECK_NEAR(order_of(follows, "beam/rod/position", 8, "z", &other), 2.0, 0.1);
    CHECK_NEAR(other, limit, 1e-7); /* in the plane the axis stays what it is; d2 is -y */
}

/* What users count is in messages, too. */
TEST(messages_count_edges)
{
    static const char one[] = ROD("edge", ALONG_X, STIFF) CLAMPED "equilibrium: {}\n";
    const char *const settings[1] = {"parameters.n=1"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    CHECK(ac_problem_parse(ctx, "f.yaml", one, strlen(one), settings, 1, &problem) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), "f.yaml:4:3: beam 'rod' needs at least 2 elements");
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(numbers_are_those_of_vertices_and_edges), CASE(frames_of_vertices_are_half_way),
          CASE(a_torque_in_the_middle_goes_both_ways), CASE(torques_at_vertices_have_order_two),
          CASE(messages_count_edges))
