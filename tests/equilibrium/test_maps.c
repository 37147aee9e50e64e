/* Momentum maps along rods at rest: what is constant exactly, what is with order 2, and how loads change
 * both. */
#include <stdlib.h>

#include "actio/actio.h"
#include "base/vector.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "test.h"

enum { MOST = 400 };

/* The maps along the one rod of a problem, and what its nodes carry. */
typedef struct maps {
    int nodes, points, values; /* nodes; elements; values of uniformity */
    double position[MOST][3], wrench[MOST][6], isotropy[MOST], uniformity[MOST], variation[3];
    double weight[MOST]; /* per node, N */
    double rotation[MOST][9], node_force[MOST][3], node_moment[MOST][3];
} maps;

/* Copies a channel of the rod; returns its width. */
static int copy(ac_equilibrium *equilibrium, const double *row, const char *name, double *out)
{
    int count;
    const ac_channel *channels = ac_equilibrium_channels(equilibrium, &count);
    for (int c = 0; c < count; row += channels[c++].width) {
        if (strcmp(channels[c].name, name) != 0) continue;
        memcpy(out, row, (size_t)channels[c].width * sizeof *out);
        return channels[c].width;
    }
    CHECK(!"the channel is there");
    return 0;
}

static void read_maps(ac_equilibrium *e, maps *m)
{
    int count, width = 0;
    const ac_channel *channels = ac_equilibrium_channels(e, &count);
    for (int c = 0; c < count; ++c) width += channels[c].width;
    double *row = calloc((size_t)width, sizeof *row);
    ac_equilibrium_row(e, row);
    m->nodes = copy(e, row, "beam/rod/position", m->position[0]) / 3;
    m->points = copy(e, row, "beam/rod/wrench", m->wrench[0]) / 6;
    CHECK(copy(e, row, "beam/rod/isotropy", m->isotropy) == m->points);
    m->values = copy(e, row, "beam/rod/uniformity", m->uniformity);
    copy(e, row, "beam/rod/variation", m->variation);
    CHECK(copy(e, row, "beam/rod/rotation", m->rotation[0]) == 9 * m->nodes);
    CHECK(copy(e, row, "beam/rod/node_force", m->node_force[0]) == 3 * m->nodes);
    CHECK(copy(e, row, "beam/rod/node_moment", m->node_moment[0]) == 3 * m->nodes);
    free(row);
}

static void solve(const char *text, const char *model, int elements, maps *m)
{
    memset(m, 0, sizeof *m);
    char one[64], two[64];
    const char *const settings[2] = {one, two};
    bool done = false;
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *equilibrium = NULL;
    snprintf(one, sizeof one, "beams.rod.model=%s", model);
    snprintf(two, sizeof two, "beams.rod.elements=%d", elements);
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, 2, &problem);
    CHECK(status == AC_OK);
    if (status == AC_OK)
        status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem),
                                    &equilibrium);
    while (status == AC_OK && !done) status = ac_equilibrium_next(equilibrium, &done);
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        const ac_system *system = ac_problem_system(problem);
        read_maps(equilibrium, m);
        for (int k = 0; k < system->node_count; ++k) /* edge model: the first two share their place */
            m->weight[k > 0 ? k - (system->node_count - m->nodes) : 0] +=
                system->gravity_force[system->nodes[k].q + 2];
    } else {
        printf("%s\n", ac_context_message(ctx));
    }
    ac_equilibrium_free(equilibrium);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Inclined and twisted by 90 degrees between its clamps. */
#define D1 "[0.21093317450270535, -0.36372087909593848, 0.90731158815695145]"
#define D1_BACK "[-0.21093317450270535, 0.36372087909593848, -0.90731158815695145]"
#define D2 "[0.96065307620325069, 0.24872048460185572, -0.12362761714378381]"
#define D3 "[-0.18070103230320278, 0.89768883397817534, 0.40187298276378447]"
#define BETWEEN_CLAMPS(bending, precurvature, gravity)                                                     \
    "title: t\n" gravity "beams:\n"                                                                        \
    "  rod:\n"                                                                                             \
    "    spline:\n"                                                                                        \
    "      from: {position: [0, -0.4, 0], directors: [" D1 ", " D2 ", " D3 "]}\n"                          \
    "      to: {position: [0, 0.4, 0], directors: [" D2 ", " D1_BACK ", " D3 "]}\n"                        \
    "    rest_length: 1\n" precurvature "    stiffness: {shear: [200, 200], axial: 200, bending: " bending \
    ", torsion: 1}\n"                                                                                      \
    "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"                                                       \
    "joints: [{fixed: [ground, rod.start]}, {fixed: [ground, rod.end]}]\n"                                 \
    "equilibrium: {tolerance: 1e-12}\n"

static const char ISOTROPIC[] = BETWEEN_CLAMPS("[1, 1]", "", "");
static const char CURVED[] = BETWEEN_CLAMPS("[1, 3]", "    precurvature: [0.5, 1, 2]\n", "");
static const char HEAVY[] = BETWEEN_CLAMPS("[1, 2]", "    precurvature: [0, 0.3, 1]\n",
                                           "gravity: [0, 0, -10]\n");

/* Place of value k of the uniformity: the middle of its element or edge. */
static double height(const maps *m, int k)
{
    return 0.5 * (m->position[k][2] + m->position[k + 1][2]);
}

/* Largest and mean value of the uniformity plus the potential of the weight per length. */
static void spread(const maps *m, double weight, double *range, double *mean)
{
    double least = INFINITY, most = -INFINITY;
    *mean = 0.0;
    for (int k = 0; k < m->values; ++k) {
        double value = m->uniformity[k] + weight * height(m, k);
        least = fmin(least, value);
        most = fmax(most, value);
        *mean += value / m->values;
    }
    *range = most - least;
}

/* All values, those at the clamps as well; and both models have the same limit. */
TEST(uniformity_is_constant_with_order_two_in_both_models)
{
    static const char *const texts[] = {ISOTROPIC, CURVED, HEAVY}, *const models[] = {"vertex", "edge"};
    for (int t = 0; t < 3; ++t) {
        double limit[2];
        for (int edges = 0; edges < 2; ++edges) {
            double range[3], mean[3];
            for (int k = 0; k < 3; ++k) {
                static maps m;
                solve(texts[t], models[edges], 40 << k, &m);
                CHECK(m.values == 40 << k);
                spread(&m, t == 2 ? -10.0 : 0.0, &range[k], &mean[k]);
            }
            CHECK(range[2] > 1e-6); /* there is something to measure ... */
            CHECK(range[2] < 5e-3 * fabs(mean[2]));
            for (int k = 0; k < 2; ++k) CHECK_NEAR(log2(range[k] / range[k + 1]), 2.0, 0.15);
            double once = (4.0 * mean[1] - mean[0]) / 3.0, again = (4.0 * mean[2] - mean[1]) / 3.0;
            double next = edges ? 8.0 : 16.0; /* half lengths at the ends: h^3 follows h^2, otherwise h^4 */
            limit[edges] = (next * again - once) / (next - 1.0);
            for (int k = 0; k < 2; ++k)
                CHECK(fabs(mean[k + 1] - limit[edges]) < 0.3 * fabs(mean[k] - limit[edges]));
        }
        CHECK_NEAR(limit[0], limit[1], 1e-6 * fabs(limit[0]));
    }
}

enum { MODELS = 3 };
static const char *const models[MODELS] = {"vertex", "edge", "dual_quaternion"};

/* Without loads force, moment and (equal bending stiffness) isotropy are those of the first end
 * everywhere. */
TEST(maps_of_rigid_motions_are_constant_to_rounding)
{
    for (int k = 0; k < MODELS; ++k) {
        static maps m;
        solve(ISOTROPIC, models[k], 20, &m);
        CHECK(m.points == 20 && m.nodes == 21);
        for (int i = 0; i < 3; ++i) CHECK(m.variation[i] < 1e-11);
        CHECK(fabs(m.wrench[0][1]) > 1.0 && fabs(m.isotropy[0]) > 0.1);
    }
}

/* Across a node the force changes by its weight and the moment by that of the weight. */
TEST(weight_changes_force_and_moment_exactly)
{
    for (int model = 0; model < MODELS; ++model) {
        static maps m;
        solve(HEAVY, models[model], 20, &m);
        double total = 0.0;
        for (int k = 0; k < m.nodes; ++k) total += m.weight[k];
        CHECK_NEAR(total, -10.0, 1e-12);
        for (int k = 1; k < m.points; ++k) {
            const double f = m.weight[k], *r = m.position[k];
            const double load[6] = {0, 0, f, r[1] * f, -r[0] * f, 0};
            for (int i = 0; i < 6; ++i) CHECK_NEAR(m.wrench[k][i] - m.wrench[k - 1][i], -load[i], 1e-10);
        }
    }
}

/* At a node the force and moment are the means of what both stretches transmit there, in the axes of the section. */
TEST(nodes_have_what_both_sides_transmit)
{
    static const char *const texts[] = {ISOTROPIC, HEAVY};
    for (int model = 0; model < MODELS; ++model)
        for (int t = 0; t < 2; ++t) {
            static maps m;
            solve(texts[t], models[model], 20, &m);
            for (int k = 0; k < m.nodes; ++k) {
                const double *R = m.rotation[k], *r = m.position[k];
                const double *before = m.wrench[k > 0 ? k - 1 : 0],
                             *behind = m.wrench[k < m.points ? k : k - 1];
                double force[3], moment[3];
                apply3(R, m.node_force[k], force);
                apply3(R, m.node_moment[k], moment);
                add_cross3(r, force, moment);
                for (int i = 0; i < 3; ++i) {
                    CHECK_NEAR(force[i], 0.5 * (before[i] + behind[i]), 1e-11);
                    CHECK_NEAR(moment[i], 0.5 * (before[3 + i] + behind[3 + i]), 1e-11);
                }
            }
        }
}

/* A cantilever with a load F and a couple M at its end: F (l - x) + M at node x, for every model and order, at the clamp too. */
TEST(nodes_of_a_cantilever_have_its_moments)
{
    static const char form[] =
        "title: t\n"
        "beams:\n"
        "  rod:\n"
        "    order: %d\n"
        "    straight: {from: [0, 0, 0], to: [2, 0, 0]}\n"
        "    d1: [0, 1, 0]\n"
        "    stiffness: {shear: [1e9, 1e9], axial: 1e9, bending: [1e9, 1e9], torsion: 1e9}\n"
        "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"
        "joints: [{fixed: [ground, rod.start]}]\n"
        "loads: [{force: [7, 0, 10], on: rod.end}, {torque: [3, 0, 5], on: rod.end}]\n"
        "equilibrium: {}\n";
    for (int way = 0; way < MODELS + 1; ++way)
        for (int elements = 2; elements <= 9; elements += 3) {
            static maps m;
            char text[1000];
            snprintf(text, sizeof text, form, way == MODELS ? 2 : 1);
            solve(text, way == MODELS ? "director" : models[way], elements, &m);
            CHECK(m.nodes == (way == MODELS ? 2 : 1) * elements + 1);
            for (int k = 0; k < m.nodes; ++k) {
                double left = 2.0 - m.position[k][0];
                CHECK_NEAR(m.node_force[k][1], 10.0, 1e-5);
                CHECK_NEAR(m.node_force[k][2], 7.0, 1e-5);
                CHECK_NEAR(m.node_moment[k][0], -10.0 * left, 1e-5);
                CHECK_NEAR(m.node_moment[k][1], 5.0, 1e-5);
                CHECK_NEAR(m.node_moment[k][2], 3.0, 1e-5);
            }
        }
}

/* A cantilever: what the first edge transmits is all that hangs on the rod but the weight of its first
 * node. */
TEST(the_first_edge_transmits_weight_and_load)
{
    static const char text[] =
        "title: t\n"
        "gravity: [0, 0, -10]\n"
        "beams:\n"
        "  rod:\n"
        "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
        "    d1: [0, 0, 1]\n"
        "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [50, 50], torsion: 50}\n"
        "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"
        "joints: [{fixed: [ground, rod.start]}]\n"
        "loads: [{force: [1, 2, 3], on: rod.end}, {torque: [0.5, 0, 0], on: rod.end}]\n"
        "equilibrium: {}\n";
    static maps m;
    solve(text, "edge", 10, &m);
    CHECK_NEAR(m.wrench[0][0], 1.0, 1e-9);
    CHECK_NEAR(m.wrench[0][1], 2.0, 1e-9);
    CHECK_NEAR(m.wrench[0][2], 3.0 - 10.0 - m.weight[0], 1e-9);
    CHECK_NEAR(m.weight[0], -0.5, 1e-12);
    const double *tip = m.position[m.nodes - 1];
    double moment = 0.5 + tip[1] * 3.0 - tip[2] * 2.0;
    for (int k = 1; k < m.nodes; ++k) moment += m.position[k][1] * m.weight[k];
    CHECK_NEAR(m.wrench[0][3], moment, 1e-9);
}

RUN_TESTS(CASE(uniformity_is_constant_with_order_two_in_both_models),
          CASE(maps_of_rigid_motions_are_constant_to_rounding), CASE(weight_changes_force_and_moment_exactly),
          CASE(nodes_have_what_both_sides_transmit), CASE(nodes_of_a_cantilever_have_its_moments),
          CASE(the_first_edge_transmits_weight_and_load))
