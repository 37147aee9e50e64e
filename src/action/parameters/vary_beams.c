/* Beams by free parameters: stiffness, mass and inertia per length, the same along the beam or at each place where the mesh takes
 * them; damping and length.
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
#include "math/math.h"
#include "model/beam/strain.h"

enum { STRAINS = 6, MASS = 6, INERTIA = 7, DAMPING = 9, LENGTH = 10, RELAXATION = 11 };

/* --- beginning --- */

static ac_status copy(ac_context *ctx, const void *from, int count, size_t size, void **to)
{
    *to = ac_allocate(ctx, (size_t)count + 1, size);
    if (!*to) return ac_out_of_memory(ctx);
    if (count > 0) memcpy(*to, from, (size_t)count * size);
    return AC_OK;
}

/* What the nodes of a beam have of its mass points, and beside them. */
static void find_points(ac_variation *v, const ac_beam_data *beam)
{
    const ac_system *given = v->given;
    for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i)
        v->inertia.carried[i] = given->nodes[i].mass;
    for (int p = beam->first_mass_point; p < beam->first_mass_point + beam->mass_points; ++p) {
        const ac_mass_point *point = &given->mesh.mass_points[p];
        for (int a = 0; a <= point->order; ++a) {
            int *range = v->inertia.points[point->node + a];
            if (range[1] == 0) range[0] = p;
            range[1] = p + 1;
            v->inertia.carried[point->node + a] -= point->mass[a] * point->density;
        }
    }
    for (int i = beam->first_node; i < beam->first_node + beam->nodes; ++i)
        if (!(fabs(v->inertia.carried[i]) > 1e-12 * given->nodes[i].mass)) v->inertia.carried[i] = 0.0;
}

ac_status ac_variation_begin_beams(ac_variation *v)
{
    const ac_system *given = v->given;
    ac_system *own = &v->system;
    AC_TRY(copy(v->ctx, given->mesh.mass_pairs, given->mesh.mass_pair_count, sizeof *own->mesh.mass_pairs,
                (void **)&own->mesh.mass_pairs));
    AC_TRY(ac_variation_no_numbers(v->ctx, AC_BEAM_DATA * given->beam_count, &v->of.beam));
    AC_TRY(ac_variation_no_numbers(v->ctx, 6 * ac_strain_points(given), &v->of.strain));
    AC_TRY(ac_variation_no_numbers(v->ctx, 3 * given->mesh.mass_point_count, &v->of.mass_point));
    AC_NEW(v->ctx, v->inertia.carried, given->node_count + 1);
    AC_NEW(v->ctx, v->inertia.points, given->node_count + 1);
    for (int b = 0; b < given->beam_count; ++b) find_points(v, &given->beams[b]);
    return AC_OK;
}

/* --- data --- */

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * ac_max(fabs(a), fabs(b));
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

/* The stiffness against a strain at a strain point. */
static double stiffness_at(const ac_system *system, int point, int strain)
{
    int beyond = point - system->mesh.element_count;
    if (beyond < 0) return system->mesh.elements[point].stiffness[strain];
    return system->mesh.high[beyond / AC_BEAM_ORDER_MAX].points[beyond % AC_BEAM_ORDER_MAX].stiffness[strain];
}

/* Mass per length (0) or inertia at a mass point. */
static double density_at(const ac_system *system, int point, int which)
{
    const ac_mass_point *p = &system->mesh.mass_points[point];
    return which == 0 ? p->density : p->inertia[which - 1];
}

/* Values at one place along the beam. */
static int *place_along(ac_variation *v, const ac_dependence *d, double *given)
{
    const ac_beam_data *beam = &v->given->beams[d->object];
    int k = d->side - 1, which = d->datum == AC_DATUM_BEAM_MASS ? 0 : 1 + d->component;
    if (d->datum == AC_DATUM_BEAM_STIFFNESS) {
        if (k >= ac_beam_points(beam) || d->component < 0 || d->component > 5) return NULL;
        int point = ac_beam_strain_point(v->given, beam, k);
        *given = stiffness_at(v->given, point, d->component);
        return &v->of.strain[6 * point + d->component];
    }
    if (k >= beam->mass_points || which < 0 || which > 2) return NULL;
    *given = density_at(v->given, beam->first_mass_point + k, which);
    return &v->of.mass_point[3 * (beam->first_mass_point + k) + which];
}

int *ac_variation_beam_place(ac_variation *v, const ac_dependence *d, double *given)
{
    const ac_system *s = v->given;
    int at = d->object, c = d->component;
    bool values = d->datum >= AC_DATUM_BEAM_STIFFNESS && d->datum <= AC_DATUM_BEAM_INERTIA;
    if (d->datum == AC_DATUM_MASS) { /* what a node carries */
        *given = v->inertia.carried[at];
        return &v->of.mass[at];
    }
    if (at < 0 || at >= s->beam_count) return NULL;
    if (values && d->side > 0) return place_along(v, d, given);
    if (values && !ac_beam_is_uniform(s, at)) return NULL;
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
    case AC_DATUM_BEAM_RELAXATION:
        if (c < 0 || c > 1) return NULL;
        *given = beam->relaxation[c];
        return own + RELAXATION + c;
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

/* The same at a place along the beam, where it may have a number of its own. */
static ac_jet datum_along(const ac_variation *v, int own, int beam, int which, double given, bool *varies)
{
    if (own < 0) return datum(v, beam, which, given, varies);
    *varies = true;
    return v->dependents[own].jet;
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

/* density times L/L0 at a mass point; which: mass (0) or inertia */
static ac_jet density_jet(ac_variation *v, int beam, int point, int which, bool *varies)
{
    ac_jet density = datum_along(v, v->of.mass_point[3 * point + which], beam, MASS + which,
                                 density_at(v->given, point, which), varies);
    *varies = *varies || ac_beam_length_varies(v, beam);
    return ac_jet_product(&v->jets, &density, &v->length_ratio[beam]);
}

bool ac_variation_beam_node(ac_variation *v, int node, ac_jet *mass, ac_jet turning[2])
{
    int beam = v->given->nodes[node].beam;
    bool varies = v->of.mass[node] >= 0;
    *mass = (ac_jet){.v = v->inertia.carried[node]};
    if (v->of.mass[node] >= 0) *mass = v->dependents[v->of.mass[node]].jet;
    turning[0] = turning[1] = (ac_jet){.v = 0.0};
    for (int p = v->inertia.points[node][0]; p < v->inertia.points[node][1]; ++p) {
        const ac_mass_point *point = &v->given->mesh.mass_points[p];
        int a = node - point->node;
        if (a < 0 || a > point->order) continue;
        ac_jet density = density_jet(v, beam, p, 0, &varies);
        *mass = ac_jet_sum(&v->jets, mass, 1.0, &density, point->mass[a]);
        for (int i = 0; i < 2; ++i) {
            ac_jet inertia = density_jet(v, beam, p, 1 + i, &varies);
            turning[i] = ac_jet_sum(&v->jets, &turning[i], 1.0, &inertia,
                                    point->turning[a] + point->bending[a]);
        }
    }
    return varies;
}

bool ac_variation_beam_pair(ac_variation *v, int pair, ac_jet part[4])
{
    const ac_mass_pair *given = &v->given->mesh.mass_pairs[pair];
    int beam = v->given->nodes[given->a].beam;
    const int *range = v->inertia.points[given->a];
    bool varies = false;
    for (int k = 0; k < 3; ++k) part[k] = (ac_jet){.v = 0.0};
    part[3] = (ac_jet){.v = given->euler[2]};
    for (int p = range[0]; p < range[1]; ++p) {
        const ac_mass_point *point = &v->given->mesh.mass_points[p];
        int which = pair - point->first_pair;
        if (point->first_pair < 0 || which < 0 || which >= point->order * (point->order + 1) / 2) continue;
        for (int k = 0; k < 3; ++k) {
            ac_jet density = density_jet(v, beam, p, k, &varies);
            part[k] = ac_jet_sum(&v->jets, &part[k], 1.0, &density, point->pair[which]);
        }
    }
    return varies;
}

void ac_variation_relative(ac_variation *v, int node)
{
    const ac_node *given = &v->given->nodes[node];
    const ac_jet *mass = v->inertia.nodes + 10 * node, *euler = mass + 1;
    ac_jet *m = v->inertia.relative + 8 * node;
    for (int k = 0; k < 2; ++k) {
        m[4 * k] = ac_jet_scaled(&v->jets, &v->length_ratio[given->beam], given->ambient[k]);
        v->system.nodes[node].ambient[k] = m[4 * k].v;
    }
    for (int k = 0; k < 3; ++k) {
        m[1 + k] = ac_jet_sum(&v->jets, &euler[4 * ((k + 1) % 3)], 1.0, &euler[4 * ((k + 2) % 3)], 1.0);
        m[5 + k] = *mass;
    }
}

/* --- strains --- */

static ac_jet stiffness_jet(const ac_variation *v, const ac_strain_place *at, bool *varies)
{
    return datum_along(v, v->of.strain[6 * at->point + at->strain], at->beam, at->strain,
                       stiffness_at(v->given, at->point, at->strain), varies);
}

static ac_jet viscosity_jet(const ac_variation *v, const ac_strain_place *at, bool *varies)
{
    int which = ac_beam_viscosity(at->strain);
    return datum(v, at->beam, RELAXATION + which, v->given->beams[at->beam].relaxation[which], varies);
}

/* Values without stress of both scalar parts of dual quaternions, over the length l0 of the given beam:
 * r_0^2 = 4/l0^2 - ratio^2 K^2 and r_0 r_1 = -ratio^2 K . W with the ratio of lengths. */
static ac_jet scalar_reference(const ac_variation *v, ac_jets *jets, const ac_strain_place *at)
{
    const ac_beam_element *e = &v->given->mesh.elements[at->point];
    const ac_triple W = ac_triple_of(e->reference), K = ac_triple_of(e->reference + 3);
    const ac_jet *ratio = &v->length_ratio[at->beam], constant = {.v = 4.0 / (e->length * e->length)};
    if (at->reference == 0.0 || ac_triple_dot(K, K) == 0.0) return (ac_jet){.v = at->reference};
    ac_jet square = ac_jet_product(jets, ratio, ratio),
           sum = ac_jet_sum(jets, &constant, 1.0, &square, -ac_triple_dot(K, K)),
           root = ac_jet_root(jets, &sum);
    if (at->strain == STRAINS) return root;
    ac_jet inverse = ac_jet_inverse(jets, &root), share = ac_jet_product(jets, &square, &inverse);
    return ac_jet_scaled(jets, &share, -ac_triple_dot(K, W));
}

/* Scalar parts of dual quaternions are inverse to the length as their values without stress are: k/2 (s0 - r0)^2. */
static bool scalar_part(const ac_variation *v, ac_jets *jets, const ac_strain_place *at, ac_jet data[3])
{
    if (!ac_beam_length_varies(v, at->beam)) return false;
    ac_jet inverse = ac_jet_inverse(jets, &v->length_ratio[at->beam]);
    data[0] = ac_jet_scaled(jets, &inverse,
                            at->weight * v->given->beams[at->beam].ambient[at->strain - STRAINS]);
    data[1] = (ac_jet){.v = 0.0};
    data[2] = scalar_reference(v, jets, at);
    return true;
}

bool ac_variation_strain(const ac_variation *v, ac_jets *jets, const ac_strain_place *at, ac_jet data[3])
{
    const ac_beam_data *given = &v->given->beams[at->beam];
    bool varies = ac_beam_length_varies(v, at->beam);
    if (at->strain >= STRAINS) return scalar_part(v, jets, at, data);
    ac_jet D = stiffness_jet(v, at, &varies), eta = datum(v, at->beam, DAMPING, given->damping, &varies),
           viscosity = viscosity_jet(v, at, &varies);
    if (!varies) return false;
    ac_jet inverse = ac_jet_inverse(jets, &v->length_ratio[at->beam]),
           relaxation = ac_jet_sum(jets, &eta, 1.0, &viscosity, 1.0);
    ac_jet k = ac_jet_product(jets, &D, &inverse), c = ac_jet_product(jets, &k, &relaxation);
    data[0] = ac_jet_scaled(jets, &k, at->weight);
    data[1] = ac_jet_scaled(jets, &c, at->weight);
    data[2] = ac_jet_scaled(jets, &v->length_ratio[at->beam], at->reference);
    return true;
}

bool ac_variation_strain_values(const ac_variation *v, const ac_strain_place *at, double data[3])
{
    bool varies = ac_beam_length_varies(v, at->beam);
    double D = stiffness_jet(v, at, &varies).v,
           eta = datum(v, at->beam, DAMPING, v->given->beams[at->beam].damping, &varies).v +
                 viscosity_jet(v, at, &varies).v,
           ratio = v->length_ratio[at->beam].v;
    data[0] = at->weight * D / ratio;
    data[1] = data[0] * eta;
    data[2] = ratio * at->reference;
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
    return fabs(a - b) <= 1e-9 * ac_max(1.0, ac_max(fabs(a), fabs(b)));
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
            ac_strain_place at = {number, ac_beam_strain_point(v->given, given, k), i, 0.0, own[2]};
            at.weight = own[0] / stiffness_at(v->given, at.point, i);
            if (ac_variation_strain_values(v, &at, varied)) memcpy(own, varied, sizeof own);
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
