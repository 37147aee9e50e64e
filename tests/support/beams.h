/* Straight and curved beams for tests with few words. */
#ifndef ACTIO_TESTS_SUPPORT_BEAMS_H
#define ACTIO_TESTS_SUPPORT_BEAMS_H

#include <stdlib.h>

#include "actio/model.h"
#include "actio/simulate.h"
#include "test.h"

typedef struct beam_data {
    ac_beam_model model;
    int elements; /* as a user counts them */
    double length, shear, axial, bending[2], torsion, mass, inertia;
    double damping;
    int order; /* 0: 1 */
} beam_data;

/* Along x, d1 = z, so that bending in the plane of x and z is about d2 = -y... the frame is (z, -y, x) by
 * columns. */
static const double ALONG_X[9] = {0, 0, 1, 0, -1, 0, 1, 0, 0};

/* A straight beam along x from the origin; answers its first node. */
static inline int add_straight(ac_system *system, const char *name, const beam_data *d, const double spin[3])
{
    int edges = d->model == AC_BEAM_EDGE, order = d->order > 0 ? d->order : 1;
    int nodes = order * d->elements + 1 + edges, first = -1;
    ac_pose *frames = calloc((size_t)nodes, sizeof *frames);
    for (int k = 0; k < nodes; ++k) {
        int place = edges && k > 0 ? k - 1 : k;
        frames[k].position[0] = d->length * place / (order * d->elements);
        memcpy(frames[k].rotation, ALONG_X, sizeof ALONG_X);
    }
    ac_beam beam = {.name = name,
                    .model = d->model,
                    .order = order,
                    .elements = d->elements,
                    .frames = frames,
                    .shear = {d->shear, d->shear},
                    .axial = d->axial,
                    .bending = {d->bending[0], d->bending[1]},
                    .torsion = d->torsion,
                    .mass = d->mass,
                    .inertia = {d->inertia, d->inertia},
                    .damping = d->damping,
                    .moving = spin != NULL};
    if (spin) memcpy(beam.angular_velocity, spin, 3 * sizeof *spin);
    CHECK(ac_system_add_beam(system, &beam, &first) == AC_OK);
    free(frames);
    return first;
}

static inline int last_node(const beam_data *d)
{
    return d->elements * (d->order > 0 ? d->order : 1) + (d->model == AC_BEAM_EDGE);
}

static inline void hold(ac_system *system, ac_joint_type type, int node, const double place[3])
{
    ac_joint joint = {.name = "support", .type = type, .a = AC_GROUND, .b = node};
    joint.frame_a = joint.frame_b = ac_pose_identity();
    memcpy(joint.frame_a.position, place, 3 * sizeof *place);
    if (type == AC_FIXED) memcpy(joint.frame_a.rotation, ALONG_X, sizeof ALONG_X);
    CHECK(ac_system_add_joint(system, &joint, NULL) == AC_OK);
}

/* A constant force or torque on a node, world axes. */
static inline void push(ac_context *ctx, ac_system *system, ac_load_type type, int node, double x, double y,
                        double z)
{
    ac_load load = {.name = "load", .type = type, .point = {.node = node}};
    const double value[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) CHECK(ac_signal_constant(ctx, value[i], &load.value[i]) == AC_OK);
    CHECK(ac_system_add_load(system, &load) == AC_OK);
}

/* A beam that the model refuses, with its message. */
static inline void expect_bad_beam(ac_context *ctx, const ac_beam *beam, const char *message)
{
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, beam, NULL) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_system_free(system);
}

static inline ac_simulation *start(ac_context *ctx, const ac_system *system, const char *scheme,
                                   const char *formulation, double step)
{
    ac_simulation_settings settings;
    ac_simulation *sim = NULL;
    ac_simulation_defaults(&settings);
    settings.scheme = scheme;
    settings.formulation = formulation;
    settings.step = step;
    CHECK(ac_simulation_new(ctx, system, &settings, &sim) == AC_OK);
    return sim;
}

/* Where a channel begins in a row of nodes or intervals; -1 if there is none. */
static inline int channel_at(const ac_simulation *sim, bool node, const char *name)
{
    int count, at = 0;
    const ac_channel *channels = node ? ac_simulation_node_channels(sim, &count)
                                      : ac_simulation_interval_channels(sim, &count);
    for (int c = 0; c < count; at += channels[c].width, ++c)
        if (strcmp(channels[c].name, name) == 0) return at;
    return -1;
}

/* Numbers in a row of nodes. */
static inline int row_width(const ac_simulation *sim)
{
    int count, width = 0;
    const ac_channel *channels = ac_simulation_node_channels(sim, &count);
    for (int c = 0; c < count; ++c) width += channels[c].width;
    return width;
}

#endif
