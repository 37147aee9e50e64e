/* Straight and curved beams for tests with few words. */
#ifndef ACTIO_TESTS_SUPPORT_BEAMS_H
#define ACTIO_TESTS_SUPPORT_BEAMS_H

#include <math.h>
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

/* A straight beam along x from the origin; returns its first node. Relaxation times of viscosities: shear and torsion,
 * stretch and bending; ambient: inertia and stiffness of the scalar parts of dual quaternions. */
static inline int add_ambient(ac_system *system, const char *name, const beam_data *d,
                              const double relaxation[2], const double ambient[4], const double spin[3])
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
                    .relaxation = {relaxation[0], relaxation[1]},
                    .ambient = {ambient[0], ambient[1], ambient[2], ambient[3]},
                    .moving = spin != NULL};
    if (spin) memcpy(beam.angular_velocity, spin, 3 * sizeof *spin);
    CHECK(ac_system_add_beam(system, &beam, &first) == AC_OK);
    free(frames);
    return first;
}

static inline int add_viscous(ac_system *system, const char *name, const beam_data *d,
                              const double relaxation[2], const double spin[3])
{
    static const double none[4] = {0.0};
    return add_ambient(system, name, d, relaxation, none, spin);
}

static inline int add_straight(ac_system *system, const char *name, const beam_data *d, const double spin[3])
{
    static const double none[2] = {0, 0};
    return add_viscous(system, name, d, none, spin);
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

/* A free beam of 8 elements along x that turns, bent by a precurvature that its initial state does not have; `velocity`:
 * of its first end. */
static inline void add_noodle(ac_system *system, ac_beam_model model, const double velocity[3])
{
    enum { ELEMENTS = 8 };
    ac_pose frames[ELEMENTS + 2];
    int edges = model == AC_BEAM_EDGE;
    for (int k = 0; k <= ELEMENTS + edges; ++k) {
        frames[k] = (ac_pose){.position = {1.0 * (edges && k > 0 ? k - 1 : k) / ELEMENTS, 0, 0}};
        memcpy(frames[k].rotation, ALONG_X, sizeof ALONG_X);
    }
    ac_beam beam = {.name = "noodle",
                    .model = model,
                    .elements = ELEMENTS,
                    .frames = frames,
                    .shear = {50, 60},
                    .axial = 100,
                    .bending = {0.2, 0.1},
                    .torsion = 0.1,
                    .mass = 1,
                    .inertia = {0.01, 0.02},
                    .precurvature = {0.5, 1.0, 0.7},
                    .moving = true,
                    .velocity = {velocity[0], velocity[1], velocity[2]},
                    .angular_velocity = {1, 2, 3}};
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
}

/* A body on a hinge at a node of a beam. */
static inline void add_hand(ac_system *system, int node)
{
    int hand = -1;
    ac_body body = {.name = "hand", .mass = 0.2, .inertia = {0.01, 0.02, 0.03, 0, 0, 0}};
    body.pose = ac_pose_identity();
    CHECK(ac_system_add_body(system, &body, &hand) == AC_OK);
    ac_joint wrist = {.name = "wrist",
                      .type = AC_REVOLUTE,
                      .a = node,
                      .b = hand,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity()};
    wrist.frame_b.position[0] = -0.1;
    wrist.has_coordinates = true;
    CHECK(ac_system_add_joint(system, &wrist, NULL) == AC_OK);
}

/* Holds a node by a joint whose axes are those of the ground, not those of the beam. */
static inline void hold_by_axes_of_ground(ac_system *system, ac_joint_type type, int node)
{
    ac_joint joint = {.name = "support",
                      .type = type,
                      .a = AC_GROUND,
                      .b = node,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity()};
    for (int i = 0; i < 9; ++i) joint.frame_b.rotation[i] = ALONG_X[3 * (i % 3) + i / 3];
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

/* The 45 degree bend of Bathe and Bolourchi (1979): an eighth of a circle of radius 100, clamped, with a load of 600 across
 * its plane at the last node, whose number is returned. */
static inline int add_bend(ac_context *ctx, ac_system *system, ac_beam_model model, int order, int elements)
{
    int last = order * elements;
    ac_pose *frames = calloc((size_t)last + 1, sizeof *frames);
    for (int k = 0; k <= last; ++k) {
        double a = acos(-1.0) / 4 * k / last, c = cos(a), s = sin(a);
        const double rotation[9] = {0, c, s, 0, -s, c, 1, 0, 0}; /* d1 = z, d2 = -radial, d3 = tangent */
        frames[k] = (ac_pose){.position = {100 - 100 * c, 100 * s, 0}};
        memcpy(frames[k].rotation, rotation, sizeof rotation);
    }
    ac_beam beam = {.name = "bend",
                    .model = model,
                    .order = order,
                    .elements = elements,
                    .frames = frames,
                    .shear = {5e6, 5e6},
                    .axial = 1e7,
                    .bending = {1e7 / 12, 1e7 / 12},
                    .torsion = 1e7 / 12,
                    .mass = 1,
                    .inertia = {1, 1}};
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    ac_joint clamp = {.name = "clamp", .type = AC_FIXED, .a = AC_GROUND, .b = 0, .frame_a = frames[0]};
    clamp.frame_b = ac_pose_identity();
    CHECK(ac_system_add_joint(system, &clamp, NULL) == AC_OK);
    push(ctx, system, AC_LOAD_FORCE, last, 0, 0, 600);
    free(frames);
    return last;
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

/* Linear and angular momentum of a free system stay to rounding in every scheme, the energy of energy-momentum too. */
static inline void check_momenta(ac_context *ctx, const ac_system *system)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    for (int s = 0; s < 3; ++s) {
        ac_simulation *sim = start(ctx, system, schemes[s], "auto", 2e-3);
        double *row = calloc((size_t)row_width(sim), sizeof *row), first[6] = {0}, H0 = 0.0, worst = 0.0,
               energy = 0.0;
        int at = channel_at(sim, true, "momentum/linear"), H = channel_at(sim, true, "energy/hamiltonian");
        for (int n = 0; n < 200; ++n) {
            ac_status status = ac_simulation_step(sim);
            CHECK(status == AC_OK);
            if (status != AC_OK) break;
            CHECK(ac_simulation_node_row(sim, false, row) == AC_OK);
            for (int i = 0; i < 6; ++i) {
                if (n == 0) first[i] = row[at + i];
                worst = fmax(worst, fabs(row[at + i] - first[i]));
            }
            if (n == 0) H0 = row[H];
            energy = fmax(energy, fabs(row[H] - H0));
        }
        CHECK_NEAR(worst, 0.0, 2e-12);
        if (s == 2) CHECK_NEAR(energy, 0.0, 1e-11);
        if (s != 2) CHECK(energy < 0.02 * fabs(H0));
        free(row);
        ac_simulation_free(sim);
    }
}

/* Both formulations take the same steps as the reduced one. */
static inline void check_formulations(ac_context *ctx, const ac_system *system, const char *scheme, int steps)
{
    static const char *const formulations[] = {"multipliers", "null-space"};
    int n = ac_system_sizes(system).coordinates;
    for (int f = 0; f < 2; ++f) {
        ac_simulation *a = start(ctx, system, scheme, "reduced", 5e-3);
        ac_simulation *b = start(ctx, system, scheme, formulations[f], 5e-3);
        for (int k = 0; k < steps; ++k)
            CHECK(ac_simulation_step(a) == AC_OK && ac_simulation_step(b) == AC_OK);
        const double *qa = ac_simulation_configuration(a), *qb = ac_simulation_configuration(b);
        for (int i = 0; i < n; ++i) CHECK_NEAR(qa[i], qb[i], 1e-11);
        ac_simulation_free(a);
        ac_simulation_free(b);
    }
}

#endif
