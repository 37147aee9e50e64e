/* What is recorded of a system at rest: load, energy, stability, configuration, and for beams strains,
 * stress resultants and
 * the momentum maps, which are constant along a beam that carries no load:
 *   wrench      force n and moment m + r x n about the origin, which the part before an element exerts on
 * the rest of it
 *   isotropy    <m, d3>, constant for sections with equal stiffness about d1 and d2
 *   variation   largest difference of force, moment and isotropy along the beam
 *   uniformity  <m, u> + <n, v> - W, constant in the limit of short elements
 */
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "equilibrium/solver.h"
#include "mechanics/actions.h"
#include "mechanics/element.h"

enum { NAME_SIZE = 320, COMMON = 8 };

extern const ac_element_kind ac_element_beam, ac_element_high_beam;

typedef struct beam_quantity {
    const char *name, *unit, *labels; /* those of one node or strain point */
    int per_node, per_element;
} beam_quantity;

static const beam_quantity BEAM[] = {
    {"position", "m", "x y z", 3, 0},
    {"rotation", "1", "xx xy xz yx yy yz zx zy zz", 9, 0},
    {"strain", "1", "1 2 3", 0, 3},
    {"curvature", "1/m", "1 2 3", 0, 3},
    {"force", "N", "1 2 3", 0, 3},
    {"moment", "N m", "1 2 3", 0, 3},
    {"wrench", "N, N m", "nx ny nz mx my mz", 0, 6},
    {"isotropy", "N m", "", 0, 1},
    {"uniformity", "N", "", 0, 1},
};
enum { BEAM_COUNT = sizeof BEAM / sizeof *BEAM, VARIATIONS = 3 };

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

ac_status ac_rest_channels(ac_equilibrium *e)
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
        bool point = node->kind == AC_NODE_POINT;
        add(e, point ? "point" : "body", node->name, "position", "m",
            node->dimension > 1 ? axes[node->dimension - 1] : "", node->dimension);
        if (node->kind == AC_NODE_BODY)
            add(e, "body", node->name, "rotation", "1", "xx xy xz yx yy yz zx zy zz", 9);
        if (node->kind == AC_NODE_PLANAR) add(e, "body", node->name, "director", "1", "x y", 2);
    }
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        for (int k = 0; k < BEAM_COUNT; ++k)
            add(e, "beam", beam->name, BEAM[k].name, BEAM[k].unit, BEAM[k].labels,
                BEAM[k].per_node * beam->nodes + BEAM[k].per_element * ac_beam_points(beam));
        add(e, "beam", beam->name, "variation", "N, N m, N m", "force moment isotropy", VARIATIONS);
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        for (int c = 0; c < joint->family->coordinates && joint->first_measure >= 0; ++c) {
            const char *name = joint->family->coordinate_names[c];
            add(e, "joint", joint->name, name, name[0] == 'a' ? "rad" : "m", "", 1);
        }
    }
    if (e->settings.forces) add_forces(e);
    return AC_OK;
}

/* --- rows
 * ----------------------------------------------------------------------------------------------------------
 * */

/* What the beam transmits behind each node of element k: the forces on the nodes up to there, as a wrench about
 * the origin, and its turning about d3 of the node. */
static void put_transmitted(const ac_system *system, const double *q, const ac_beam_data *beam, int k,
                            double *wrench, double *isotropy)
{
    const ac_element_kind *kind = beam->order > 1 ? &ac_element_high_beam : &ac_element_beam;
    int number = beam->first_element + k;
    ac_element_place place = ac_element_where(system, kind, number);
    const double *x = q + system->nodes[place.nodes[0]].q;
    double gradient[AC_ELEMENT_MAX], sum[6] = {0};
    kind->gradient(system, number, x, NULL, gradient);
    for (int a = 0; a < beam->order; ++a) {
        double own[6], about[3];
        const double *here = x + 12 * a;
        int point = beam->order * k + a;
        ac_node_wrench(&system->nodes[place.nodes[a]], here, gradient + 12 * a, own);
        add_cross3(here, own, own + 3);
        for (int i = 0; i < 6; ++i) wrench[6 * point + i] = -(sum[i] += own[i]);
        cross3(here, sum, about);
        for (int i = 0; i < 3; ++i) about[i] = sum[3 + i] - about[i];
        isotropy[point] = -dot3(about, here + 9);
    }
}

/* Strains, stresses and the map of uniformity at point k, each written into its own channel. */
static void put_point(const ac_system *system, const double *q, const ac_beam_data *beam, int k,
                      double *const out[])
{
    double strain[6], stress[6];
    ac_beam_at_point(system, beam, k, q, strain, stress, &out[6][k]);
    for (int i = 0; i < 3; ++i) {
        out[0][3 * k + i] = strain[i];
        out[1][3 * k + i] = strain[3 + i];
        out[2][3 * k + i] = stress[i];
        out[3][3 * k + i] = stress[3 + i];
    }
}

/* How much the momentum maps vary along the beam. The frame at the first end of the edge model carries no
 * force and is left
 * out. */
static void put_variation(const ac_beam_data *beam, const double *wrench, const double *isotropy,
                          double out[VARIATIONS])
{
    int first = beam->model == AC_BEAM_EDGE ? 1 : 0;
    out[0] = out[1] = out[2] = 0.0;
    for (int k = first; k < ac_beam_points(beam); ++k) {
        for (int i = 0; i < 6; ++i)
            out[i / 3] = fmax(out[i / 3], fabs(wrench[6 * k + i] - wrench[6 * first + i]));
        out[2] = fmax(out[2], fabs(isotropy[k] - isotropy[first]));
    }
}

static double *put_beam(const ac_system *system, const double *q, const ac_beam_data *beam, double *at)
{
    const double *x = q + system->nodes[beam->first_node].q;
    double *out[7];
    for (int k = 0; k < beam->nodes; ++k, at += 3) memcpy(at, x + 12 * k, 3 * sizeof *at);
    for (int k = 0; k < beam->nodes; ++k)
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) *at++ = x[12 * k + 3 + 3 * I + i];
    for (int c = 0; c < 7; ++c) {
        out[c] = at;
        at += BEAM[2 + c].per_element * ac_beam_points(beam);
    }
    for (int k = 0; k < beam->elements; ++k) put_transmitted(system, q, beam, k, out[4], out[5]);
    for (int k = 0; k < ac_beam_points(beam); ++k) put_point(system, q, beam, k, out);
    put_variation(beam, out[4], out[5], at);
    return at + VARIATIONS;
}

static double *put_node(const ac_node *node, const double *q, double *at)
{
    const double *x = q + node->q;
    for (int i = 0; i < node->dimension; ++i) *at++ = x[i];
    if (node->kind == AC_NODE_BODY) {
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) *at++ = x[3 + 3 * I + i];
    } else if (node->kind == AC_NODE_PLANAR) {
        *at++ = x[2];
        *at++ = x[3];
    }
    return at;
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
            ac_load_action(system, k, e->settings.time, q, e->memory, e->point.factor, &action);
        else
            ac_spring_action(system, spring, q, NULL, e->memory, &action);
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
        for (int c = 0; c < joint->family->coordinates && joint->first_measure >= 0; ++c) {
            double x[AC_ELEMENT_MAX];
            const ac_measure *measure = &system->measures[joint->first_measure + c];
            ac_measure_gather(system, measure, q, x);
            *at++ = ac_measure_evaluate(system, measure, x, e->memory[joint->first_measure + c], NULL, NULL);
        }
    }
    if (e->settings.forces) put_forces(e, at);
}

const ac_channel *ac_equilibrium_channels(const ac_equilibrium *e, int *count)
{
    *count = e->channel_count;
    return e->channels;
}
