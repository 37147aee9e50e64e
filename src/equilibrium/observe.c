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
#include "mechanics/element.h"

enum { NAME_SIZE = 320, COMMON = 8 };

extern const ac_element_kind ac_element_beam;

typedef struct beam_quantity {
    const char *name, *unit;
    int per_node, per_element;
} beam_quantity;

static const beam_quantity BEAM[] = {
    {"position", "m", 3, 0},    {"rotation", "1", 9, 0},   {"strain", "1", 0, 3},
    {"curvature", "1/m", 0, 3}, {"force", "N", 0, 3},      {"moment", "N m", 0, 3},
    {"wrench", "N, N m", 0, 6}, {"isotropy", "N m", 0, 1}, {"uniformity", "N", 0, 1},
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

ac_status ac_rest_channels(ac_equilibrium *e)
{
    static const char *const axes[] = {"x", "x y", "x y z"};
    const ac_system *system = e->system;
    int most = COMMON + 2 * system->node_count + system->measure_count +
               (BEAM_COUNT + 1) * system->beam_count;
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
            add(e, "beam", beam->name, BEAM[k].name, BEAM[k].unit, "",
                BEAM[k].per_node * (beam->elements + 1) + BEAM[k].per_element * beam->elements);
        add(e, "beam", beam->name, "variation", "N, N m, N m", "force moment isotropy", VARIATIONS);
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        for (int c = 0; c < joint->family->coordinates && joint->first_measure >= 0; ++c) {
            const char *name = joint->family->coordinate_names[c];
            add(e, "joint", joint->name, name, name[0] == 'a' ? "rad" : "m", "", 1);
        }
    }
    return AC_OK;
}

/* --- rows
 * ----------------------------------------------------------------------------------------------------------
 * */

/* The quantities of element k, each written into its own channel. */
static void put_element(const ac_system *system, const double *q, const ac_beam_data *beam, int k,
                        double *const out[])
{
    int number = beam->first_element + k;
    const ac_beam_element *e = &system->beam_elements[number];
    const ac_node *node = &system->nodes[e->node];
    const double *x = q + node->q;
    double strain[6], stress[6], gradient[24], wrench[6], sum = 0.0;
    ac_beam_strains(system, number, x, strain);
    ac_beam_stresses(system, number, strain, stress);
    ac_element_beam.gradient(system, number, x, NULL, gradient);
    ac_node_wrench(node, x, gradient, wrench);
    for (int i = 0; i < 3; ++i) {
        out[0][3 * k + i] = strain[i] - e->reference[i];
        out[1][3 * k + i] = strain[3 + i] - e->reference[3 + i];
        out[2][3 * k + i] = stress[i];
        out[3][3 * k + i] = stress[3 + i];
        out[4][6 * k + i] = -wrench[i];
        out[4][6 * k + 3 + i] = -wrench[3 + i];
    }
    add_cross3(x, out[4] + 6 * k, out[4] + 6 * k + 3);
    out[5][k] = -dot3(wrench + 3, x + 9);
    for (int i = 0; i < 6; ++i) {
        double energy = 0.5 * stress[i] * (strain[i] - e->reference[i]);
        sum += stress[i] * strain[i] - energy;
    }
    out[6][k] = sum;
}

/* How much the momentum maps vary along the beam. The frame at the first end of the edge model carries no
 * force and is left
 * out. */
static void put_variation(const ac_beam_data *beam, const double *wrench, const double *isotropy,
                          double out[VARIATIONS])
{
    int first = beam->model == AC_BEAM_EDGE ? 1 : 0;
    out[0] = out[1] = out[2] = 0.0;
    for (int k = first; k < beam->elements; ++k) {
        for (int i = 0; i < 6; ++i)
            out[i / 3] = fmax(out[i / 3], fabs(wrench[6 * k + i] - wrench[6 * first + i]));
        out[2] = fmax(out[2], fabs(isotropy[k] - isotropy[first]));
    }
}

static double *put_beam(const ac_system *system, const double *q, const ac_beam_data *beam, double *at)
{
    const double *x = q + system->nodes[beam->first_node].q;
    double *out[7];
    for (int k = 0; k <= beam->elements; ++k, at += 3) memcpy(at, x + 12 * k, 3 * sizeof *at);
    for (int k = 0; k <= beam->elements; ++k)
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) *at++ = x[12 * k + 3 + 3 * I + i];
    for (int c = 0; c < 7; ++c) {
        out[c] = at;
        at += BEAM[2 + c].per_element * beam->elements;
    }
    for (int k = 0; k < beam->elements; ++k) put_element(system, q, beam, k, out);
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
}

const ac_channel *ac_equilibrium_channels(const ac_equilibrium *e, int *count)
{
    *count = e->channel_count;
    return e->channels;
}
