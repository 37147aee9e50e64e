/* Channels of an equilibrium: load, energy, stability, configuration, and for beams strains,
 * stress resultants and the momentum maps (maps.c); `variation` is the largest difference of force, moment
 * and isotropy along the beam. */
#include <stdio.h>
#include <string.h>

#include "action/beam/beam_maps.h"
#include "equilibrium/solver.h"
#include "observe/actions.h"

enum { NAME_SIZE = 320, COMMON = AC_EQUILIBRIUM_COMMON };

typedef struct beam_quantity {
    const char *name, *unit, *labels; /* those of one place */
    ac_beam_site site;
    int numbers; /* for each place */
} beam_quantity;

#define ROTATION "xx xy xz yx yy yz zx zy zz"

static const beam_quantity BEAM[] = {
    {"position", "m", "x y z", AC_SITE_NODES, 3},
    {"rotation", "1", ROTATION, AC_SITE_NODES, 9},
    {"edge_rotation", "1", ROTATION, AC_SITE_EDGES, 9},
    {"strain", "1", "1 2 3", AC_SITE_STRETCHES, 3},
    {"curvature", "1/m", "1 2 3", AC_SITE_BENDS, 3},
    {"force", "N", "1 2 3", AC_SITE_STRETCHES, 3},
    {"moment", "N m", "1 2 3", AC_SITE_BENDS, 3},
    {"node_force", "N", "1 2 3", AC_SITE_NODES, 3},
    {"node_moment", "N m", "1 2 3", AC_SITE_NODES, 3},
    {"wrench", "N, N m", "nx ny nz mx my mz", AC_SITE_STRETCHES, 6},
    {"isotropy", "N m", "d3", AC_SITE_STRETCHES, 1},
    {"uniformity", "N", "H", AC_SITE_STRETCHES, 1},
};
enum { BEAM_COUNT = sizeof BEAM / sizeof *BEAM };

static int beam_width(const ac_beam_data *beam, int quantity)
{
    return BEAM[quantity].numbers * ac_beam_sites(beam, BEAM[quantity].site);
}

static const struct {
    const char *name, *unit;
} FIRST[COMMON] = {
    {"time", "1"},
    {"load/factor", "1"},
    {"energy/potential", "J"},
    {"stability/negative", "1"},
    {"stability/neutral", "1"},
    {"event", "1"},
    {"newton/iterations", "1"},
    {"newton/residual", "N"},
};

static void add(ac_equilibrium *e, const char *group, const char *owner, const char *quantity,
                const char *unit, const char *labels, int width)
{
    char *name = e->names + (size_t)NAME_SIZE * (size_t)e->channel_count;
    if (owner) {
        snprintf(name, NAME_SIZE, "%s/%.200s/%s", group, owner, quantity);
    } else {
        snprintf(name, NAME_SIZE, "%s", quantity);
    }
    e->channels[e->channel_count++] = (ac_channel){name, unit, labels, width};
}

/* Loads and springs as forces and torques at their places. */
static void add_forces(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    for (int k = 0; k < system->load_count + system->spring_count; ++k) {
        int spring = k - system->load_count;
        char label[AC_ACTION_LABEL_SIZE];
        const char *group = spring < 0 ? "load" : "spring";
        if (spring < 0)
            ac_load_label(system, k, label);
        else
            ac_spring_label(system, spring, label);
        bool turns = spring < 0 ? ac_load_turns(system, k)
                                : ac_measure_turns(system, system->springs[spring].measure);
        add(e, group, label, "place", "m", "x y z", 3);
        add(e, group, label, turns ? "torque" : "force", turns ? "N m" : "N", "x y z", 3);
    }
}

ac_status ac_equilibrium_make_channels(ac_equilibrium *e)
{
    static const char *const axes[] = {"x", "x y", "x y z"};
    const ac_system *system = e->system;
    int most = COMMON + 2 * system->node_count + system->measure_count +
               (BEAM_COUNT + 1) * system->beam_count + 2 * (system->load_count + system->spring_count);
    AC_NEW(e->ctx, e->channels, most);
    AC_NEW(e->ctx, e->names, (size_t)most * NAME_SIZE);
    for (int k = 0; k < COMMON; ++k) add(e, NULL, NULL, FIRST[k].name, FIRST[k].unit, "", 1);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->beam >= 0) continue;
        const ac_node_type *type = ac_node_type_of(node);
        add(e, type->word, node->name, "position", "m", node->dimension > 1 ? axes[node->dimension - 1] : "",
            node->dimension);
        if (type->channel) add(e, type->word, node->name, type->channel, "1", type->components, type->width);
    }
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        for (int k = 0; k < BEAM_COUNT; ++k)
            if (beam_width(beam, k) > 0)
                add(e, "beam", beam->name, BEAM[k].name, BEAM[k].unit, BEAM[k].labels, beam_width(beam, k));
        add(e, "beam", beam->name, "variation", "N, N m, N m", "force moment isotropy", AC_BEAM_VARIATIONS);
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        for (int c = 0; c < ac_row_coordinates(joint->row) && joint->first_measure >= 0; ++c) {
            const ac_motion *motion = &joint->row->motion[c];
            add(e, "joint", joint->name, motion->name, motion->kind == AC_MOTION_TURN ? "rad" : "m", "", 1);
        }
    }
    if (e->settings.forces) add_forces(e);
    return AC_OK;
}

/* --- rows --- */

static double *put_beam(const ac_system *system, const double *q, const ac_beam_data *beam, double *at)
{
    at = ac_beam_put_frames(system, beam, q, at);
    at = ac_beam_put_strains(system, beam, q, at);
    int count = ac_beam_sites(beam, AC_SITE_STRETCHES), nodes = ac_beam_sites(beam, AC_SITE_NODES);
    ac_beam_at_nodes(system, q, beam, at, at + 3 * nodes);
    double *wrench = at + 6 * nodes, *isotropy = wrench + 6 * count, *uniformity = isotropy + count;
    ac_beam_transmitted(system, q, beam, wrench, isotropy);
    ac_beam_uniformity(system, q, beam, uniformity);
    at = uniformity + count;
    ac_beam_variation(beam, wrench, isotropy, at);
    return at + AC_BEAM_VARIATIONS;
}

static double *put_node(const ac_node *node, const double *q, double *at)
{
    const double *x = q + node->q;
    for (int i = 0; i < node->dimension; ++i) *at++ = x[i];
    return ac_node_put_orientation(node, x, at);
}

static void put_forces(const ac_equilibrium *e, double *at)
{
    const ac_system *system = e->system;
    const double *q = e->now.q;
    for (int k = 0; k < system->load_count + system->spring_count; ++k, at += 6) {
        int spring = k - system->load_count;
        ac_action action;
        bool turns = spring < 0 ? ac_load_turns(system, k)
                                : ac_measure_turns(system, system->springs[spring].measure);
        if (spring < 0)
            ac_load_action(system, k, e->settings.time, q, e->winding, ac_equilibrium_level(e, k), &action);
        else
            ac_spring_action(system, spring, q, NULL, e->winding, &action);
        memcpy(at, action.place, sizeof action.place);
        memcpy(at + 3, turns ? action.torque : action.force, sizeof action.force);
    }
}

void ac_equilibrium_row(ac_equilibrium *e, double *at)
{
    const ac_system *system = e->system;
    const ac_equilibrium_point *p = &e->point;
    const double *q = e->now.q;
    const double common[COMMON] = {p->path,    p->factor, p->energy,     p->negative,
                                   p->neutral, p->event,  p->iterations, p->residual};
    memcpy(at, common, sizeof common);
    at += COMMON;
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam < 0) at = put_node(&system->nodes[i], q, at);
    for (int b = 0; b < system->beam_count; ++b) at = put_beam(system, q, &system->beams[b], at);
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        for (int c = 0; c < ac_row_coordinates(joint->row) && joint->first_measure >= 0; ++c) {
            double x[AC_ELEMENT_MAX];
            const ac_measure *measure = &system->measures[joint->first_measure + c];
            ac_measure_gather(system, measure, q, x);
            *at++ = ac_measure_evaluate(system, measure, x, e->winding[joint->first_measure + c], NULL, NULL);
        }
    }
    if (e->settings.forces) put_forces(e, at);
}

const ac_channel *ac_equilibrium_channels(const ac_equilibrium *e, int *count)
{
    *count = e->channel_count;
    return e->channels;
}
