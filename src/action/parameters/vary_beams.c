/* Beams by free parameters: stiffness, mass and inertia per length, damping and length, each the same
 * along the beam.
 *
 * Masses are linear in mass or inertia per length and in the length. Strains are inverse to the length, so
 * that the potential of a strain is again that of a spring of the given element:
 *
 *   w D/2 (s - r)^2   with w = w0 L/L0, s = s0 L0/L   is   k/2 (s0 - r L/L0)^2,   k = w0 D L0/L
 */
#include <math.h>
#include <string.h>

#include "action/chart/chart.h"
#include "action/parameters/vary.h"
#include "model/beam/strain.h"

enum { MASS = 6, INERTIA = 7, DAMPING = 9, LENGTH = 10 };

/* --- beginning --- */

static ac_status copy(ac_context *ctx, const void *from, int count, size_t size, void **to)
{
    *to = ac_allocate(ctx, (size_t)count + 1, size);
    if (!*to) return ac_out_of_memory(ctx);
    if (count > 0) memcpy(*to, from, (size_t)count * size);
    return AC_OK;
}

/* The length of beam for which a node has mass, and for which its directors have. */
static void find_shares(ac_variation *v, const ac_beam_data *beam)
{
    const ac_system *given = v->given;
    for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i) {
        v->inertia.turning_share[i] = given->nodes[i].euler[0] / beam->start.inertia[0];
        v->inertia.mass_share[i] = beam->model == AC_BEAM_EDGE ? 0.0 : v->inertia.turning_share[i];
    }
    for (int k = 0; beam->model == AC_BEAM_EDGE && k < beam->elements; ++k) {
        const ac_beam_element *e = &given->mesh.elements[beam->first_element + k];
        v->inertia.mass_share[e->node] += 0.5 * e->length;
        v->inertia.mass_share[e->node + 1] += 0.5 * e->length;
    }
}

ac_status ac_variation_begin_beams(ac_variation *v)
{
    const ac_system *given = v->given;
    ac_system *own = &v->system;
    AC_TRY(copy(v->ctx, given->mesh.mass_pairs, given->mesh.mass_pair_count, sizeof *own->mesh.mass_pairs,
                (void **)&own->mesh.mass_pairs));
    AC_NEW(v->ctx, v->of.beam, AC_BEAM_DATA * given->beam_count + 1);
    AC_NEW(v->ctx, v->inertia.mass_share, given->node_count + 1);
    AC_NEW(v->ctx, v->inertia.turning_share, given->node_count + 1);
    for (int k = 0; k < AC_BEAM_DATA * given->beam_count; ++k) v->of.beam[k] = -1;
    for (int b = 0; b < given->beam_count; ++b) find_shares(v, &given->beams[b]);
    return AC_OK;
}

/* --- data --- */

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

bool ac_beam_is_uniform(const ac_system *system, int number)
{
    const ac_beam_data *beam = &system->beams[number];
    const double *D = beam->start.stiffness;
    bool uniform = same(beam->start.mass, beam->end.mass) &&
                   same(beam->start.inertia[0], beam->end.inertia[0]) &&
                   same(beam->start.inertia[1], beam->end.inertia[1]);
    for (int i = 0; i < 6; ++i) uniform = uniform && same(D[i], beam->end.stiffness[i]);
    for (int k = 0; k < beam->elements; ++k)
        for (int i = 0; i < 6; ++i) {
            int e = beam->first_element + k;
            if (beam->order == 1) uniform = uniform && same(D[i], system->mesh.elements[e].stiffness[i]);
            for (int p = 0; beam->order > 1 && p < beam->order; ++p)
                uniform = uniform && same(D[i], system->mesh.high[e].points[p].stiffness[i]);
        }
    return uniform;
}

/* All frames alike, in a row along their third director. */
static bool is_straight(const ac_system *system, const ac_beam_data *beam)
{
    const ac_node *first = &system->nodes[beam->first_node];
    for (int n = 1; n < beam->nodes; ++n) {
        double gap[3], along = 0.0;
        for (int i = 0; i < 3; ++i) {
            gap[i] = first[n].pose.position[i] - first->pose.position[i];
            along += gap[i] * first->pose.rotation[3 * i + 2];
        }
        for (int i = 0; i < 3; ++i)
            if (fabs(gap[i] - along * first->pose.rotation[3 * i + 2]) > 1e-9 * beam->length) return false;
        for (int e = 0; e < 9; ++e)
            if (fabs(first[n].pose.rotation[e] - first->pose.rotation[e]) > 1e-9) return false;
    }
    return true;
}

static double carried(const ac_variation *v, int node)
{
    const ac_node *given = &v->given->nodes[node];
    double own = v->inertia.mass_share[node] * v->given->beams[given->beam].start.mass,
           rest = given->mass - own;
    return fabs(rest) > 1e-12 * given->mass ? rest : 0.0;
}

int *ac_variation_beam_place(ac_variation *v, const ac_dependence *d, double *given)
{
    const ac_system *s = v->given;
    int at = d->object, c = d->component;
    if (d->datum == AC_DATUM_MASS) { /* what a node carries */
        *given = carried(v, at);
        return &v->of.mass[at];
    }
    if (at < 0 || at >= s->beam_count || !ac_beam_is_uniform(s, at)) return NULL;
    const ac_beam_data *beam = &s->beams[at];
    int *own = v->of.beam + AC_BEAM_DATA * at;
    switch (d->datum) {
    case AC_DATUM_BEAM_STIFFNESS:
        if (c < 0 || c > 5) return NULL;
        *given = beam->start.stiffness[c];
        return own + c;
    case AC_DATUM_BEAM_MASS: *given = beam->start.mass; return own + MASS;
    case AC_DATUM_BEAM_INERTIA:
        if (c < 0 || c > 1) return NULL;
        *given = beam->start.inertia[c];
        return own + INERTIA + c;
    case AC_DATUM_BEAM_DAMPING: *given = beam->damping; return own + DAMPING;
    case AC_DATUM_BEAM_LENGTH: *given = beam->length; return is_straight(s, beam) ? own + LENGTH : NULL;
    default: return NULL;
    }
}

static ac_jet datum(const ac_variation *v, int beam, int which, double given, bool *varies)
{
    int number = v->of.beam[AC_BEAM_DATA * beam + which];
    if (number < 0) return (ac_jet){.v = given};
    *varies = true;
    return v->dependents[number].jet;
}

bool ac_beam_length_varies(const ac_variation *v, int beam)
{
    return beam >= 0 && v->of.beam[AC_BEAM_DATA * beam + LENGTH] >= 0;
}

void ac_variation_beam_lengths(ac_variation *v)
{
    bool varies;
    for (int b = 0; b < v->given->beam_count; ++b) {
        double given = v->given->beams[b].length;
        ac_jet length = datum(v, b, LENGTH, given, &varies);
        v->length_ratio[b] = ac_jet_scaled(&v->jets, &length, 1.0 / given);
    }
}

/* --- masses --- */

/* share times density times L/L0 */
static ac_jet share_jet(ac_variation *v, int beam, int which, double share, bool *varies)
{
    const ac_beam_values *values = &v->given->beams[beam].start;
    double given = which == MASS ? values->mass : values->inertia[which - INERTIA];
    ac_jet density = datum(v, beam, which, given, varies),
           product = ac_jet_product(&v->jets, &density, &v->length_ratio[beam]);
    *varies = *varies || ac_beam_length_varies(v, beam);
    return ac_jet_scaled(&v->jets, &product, share);
}

bool ac_variation_beam_node(ac_variation *v, int node, ac_jet *mass, ac_jet turning[2])
{
    int beam = v->given->nodes[node].beam;
    bool varies = v->of.mass[node] >= 0;
    ac_jet load = {.v = carried(v, node)};
    if (v->of.mass[node] >= 0) load = v->dependents[v->of.mass[node]].jet;
    *mass = share_jet(v, beam, MASS, v->inertia.mass_share[node], &varies);
    *mass = ac_jet_sum(&v->jets, mass, 1.0, &load, 1.0);
    for (int i = 0; i < 2; ++i)
        turning[i] = share_jet(v, beam, INERTIA + i, v->inertia.turning_share[node], &varies);
    return varies;
}

bool ac_variation_beam_pair(ac_variation *v, int pair, ac_jet part[4])
{
    const ac_mass_pair *given = &v->given->mesh.mass_pairs[pair];
    int beam = v->given->nodes[given->a].beam;
    const ac_beam_values *values = &v->given->beams[beam].start;
    bool varies = false;
    part[0] = share_jet(v, beam, MASS, given->mass / values->mass, &varies);
    for (int i = 0; i < 2; ++i)
        part[1 + i] = share_jet(v, beam, INERTIA + i, given->euler[i] / values->inertia[i], &varies);
    part[3] = (ac_jet){.v = given->euler[2]};
    return varies;
}

/* --- strains --- */

bool ac_variation_strain(const ac_variation *v, ac_jets *jets, int beam, int strain, double weight,
                         double reference, ac_jet data[3])
{
    const ac_beam_data *given = &v->given->beams[beam];
    bool varies = ac_beam_length_varies(v, beam);
    ac_jet D = datum(v, beam, strain, given->start.stiffness[strain], &varies),
           eta = datum(v, beam, DAMPING, given->damping, &varies);
    if (!varies) return false;
    ac_jet inverse = ac_jet_inverse(jets, &v->length_ratio[beam]);
    eta.v += ac_beam_relaxation(given, strain) - given->damping;
    ac_jet k = ac_jet_product(jets, &D, &inverse), c = ac_jet_product(jets, &k, &eta);
    data[0] = ac_jet_scaled(jets, &k, weight);
    data[1] = ac_jet_scaled(jets, &c, weight);
    data[2] = ac_jet_scaled(jets, &v->length_ratio[beam], reference);
    return true;
}

bool ac_variation_strain_values(const ac_variation *v, int beam, int strain, double weight, double reference,
                                double data[3])
{
    const ac_beam_data *given = &v->given->beams[beam];
    bool varies = ac_beam_length_varies(v, beam);
    double D = datum(v, beam, strain, given->start.stiffness[strain], &varies).v,
           eta = datum(v, beam, DAMPING, given->damping, &varies).v, ratio = v->length_ratio[beam].v;
    data[0] = weight * D / ratio;
    data[1] = data[0] * (eta + ac_beam_relaxation(given, strain) - given->damping);
    data[2] = ratio * reference;
    return varies;
}

/* --- comparing --- */

/* A strain of a described beam as a spring on the strain of the given one, whose length is `given`. */
static void described_strain(const ac_system *system, const ac_beam_data *beam, int k, int i, double given,
                             double data[3])
{
    double weight, D, reference, ratio = given / beam->length;
    int e = beam->first_element + k / beam->order;
    if (beam->order > 1) {
        const ac_beam_point *point = &system->mesh.high[e].points[k % beam->order];
        weight = point->weight;
        D = point->stiffness[i];
        reference = point->reference[i];
    } else {
        const ac_beam_element *element = &system->mesh.elements[e];
        weight = i < 3 ? element->length : element->bend;
        D = element->stiffness[i];
        reference = element->reference[i];
    }
    data[0] = weight * D * ratio * ratio;
    data[1] = data[0] * ac_beam_relaxation(beam, i);
    data[2] = reference / ratio;
}

static bool near_by(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1.0, fmax(fabs(a), fabs(b)));
}

const char *ac_variation_beam_difference(const ac_variation *v, int number, const ac_system *other)
{
    static const char *const words[] = {"stiffness", "damping", "shape without stress"};
    const ac_beam_data *given = &v->given->beams[number], *wanted = &other->beams[number];
    if (given->nodes != wanted->nodes || given->elements != wanted->elements) return "mesh";
    if (!near_by(given->length * v->length_ratio[number].v, wanted->length)) return "length";
    for (int k = 0; k < given->elements * given->order; ++k)
        for (int i = 0; i < 6; ++i) {
            double own[3], data[3], varied[3];
            described_strain(v->given, given, k, i, given->length, own);
            described_strain(other, wanted, k, i, given->length, data);
            double weight = own[0] / given->start.stiffness[i];
            if (ac_variation_strain_values(v, number, i, weight, own[2], varied))
                memcpy(own, varied, sizeof own);
            for (int e = 0; e < 3; ++e)
                if (!near_by(own[e], data[e])) return words[e];
        }
    return NULL;
}

/* --- the first configuration --- */

/* Nodes of a beam hang on their neighbours, as in the chart; then what carries the beam carries all of it. */
ac_status ac_variation_link(ac_variation *v)
{
    AC_NEW(v->ctx, v->links, 1);
    v->links->ctx = v->ctx;
    v->links->system = v->given;
    return ac_chart_link(v->links);
}

void ac_variation_unlink(ac_variation *v)
{
    if (!v->links) return;
    ac_release(v->ctx, v->links->parent);
    ac_release(v->ctx, v->links->order);
    ac_release(v->ctx, v->links->start);
    ac_release(v->ctx, v->links);
    v->links = NULL;
}

const ac_joint_state *ac_variation_starts(const ac_variation *v)
{
    return ac_chart_start(v->links);
}
