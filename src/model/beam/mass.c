/* Masses of beams: mass and inertia per length at points along the beam, and the lengths with which they count in the nodes.
 *
 * Director and vertex model: consistent masses, by quadrature where values change along an element or its order is above 1.
 * Edge model and dual quaternions: lumped. The points stay with the system: what changes the values at one of them changes
 * the nodes by its lengths.
 */
#include "model/beam/beam.h"

/* --- points --- */

static ac_status add_pairs(ac_system *system, const ac_beam_span *span)
{
    int count = span->order * (span->order + 1) / 2;
    AC_TRY(ac_grow(system->ctx, (void **)&system->mesh.mass_pairs, &system->mesh.mass_pair_capacity,
                   system->mesh.mass_pair_count + count, sizeof(ac_mass_pair)));
    for (int b = 1; b <= span->order; ++b)
        for (int a = 0; a < b; ++a)
            system->mesh.mass_pairs[system->mesh.mass_pair_count++] = (ac_mass_pair){.a = span->node + a,
                                                                                     .b = span->node + b};
    return AC_OK;
}

/* Nodes and pairs of nodes get what they have of a point. */
static ac_status add_point(ac_system *system, const ac_mass_point *p)
{
    for (int a = 0; a <= p->order; ++a) {
        ac_node *node = &system->nodes[p->node + a];
        node->mass += p->mass[a] * p->density;
        for (int i = 0; i < 2; ++i) node->euler[4 * i] += (p->turning[a] + p->bending[a]) * p->inertia[i];
    }
    for (int k = 0; p->first_pair >= 0 && k < p->order * (p->order + 1) / 2; ++k) {
        ac_mass_pair *pair = &system->mesh.mass_pairs[p->first_pair + k];
        pair->mass += p->pair[k] * p->density;
        for (int i = 0; i < 2; ++i) pair->euler[i] += p->pair[k] * p->inertia[i];
    }
    AC_TRY(ac_grow(system->ctx, (void **)&system->mesh.mass_points, &system->mesh.mass_point_capacity,
                   system->mesh.mass_point_count + 1, sizeof(ac_mass_point)));
    system->mesh.mass_points[system->mesh.mass_point_count++] = *p;
    return AC_OK;
}

static ac_mass_point point_of(const ac_beam_span *span, double share, const ac_beam_values *values)
{
    return (ac_mass_point){.element = span->number,
                           .node = span->node,
                           .order = span->order,
                           .first_pair = -1,
                           .share = share,
                           .density = values->mass,
                           .inertia = {values->inertia[0], values->inertia[1]}};
}

/* --- elements --- */

ac_status ac_beam_add_masses(ac_system *system, const ac_beam *beam, const ac_beam_span *span, double *mass)
{
    const ac_gauss *rule = ac_gauss_rule(span->order + 1);
    int first = system->mesh.mass_pair_count;
    AC_TRY(add_pairs(system, span));
    for (int g = 0; g < rule->count; ++g) {
        double N[AC_ELEMENT_NODES], dN[AC_ELEMENT_NODES], length = rule->weight[g] * span->stretch[g],
                                                          share = ac_beam_share(span, rule->at[g]);
        ac_beam_values values;
        ac_beam_shapes(span->order, rule->at[g], N, dN);
        AC_TRY(ac_beam_values_at(system, beam, share, &values));
        ac_mass_point p = point_of(span, share, &values);
        p.first_pair = first;
        *mass += length * values.mass;
        for (int b = 0, k = 0; b <= span->order; ++b) {
            p.mass[b] = p.turning[b] = length * N[b] * N[b];
            for (int a = 0; a < b; ++a) p.pair[k++] = length * N[a] * N[b];
        }
        AC_TRY(add_point(system, &p));
    }
    return AC_OK;
}

/* The frame of an edge has the inertia of what is nearer to it than to the frames at the ends. */
static ac_status add_edge(ac_system *system, const ac_beam_span *span, const ac_beam_element *e,
                          ac_mass_point *p)
{
    bool first = e->length == 0.0;
    p->first_pair = system->mesh.mass_pair_count;
    AC_TRY(add_pairs(system, span));
    p->mass[0] = p->mass[1] = 0.5 * e->length;
    p->turning[0] = e->length;
    p->bending[0] = first ? 0.5 * e->bend : -0.5 * e->bend;
    p->bending[1] = 0.5 * e->bend;
    return add_point(system, p);
}

static ac_status add_dual(ac_system *system, const ac_beam *beam, const ac_beam_element *e, ac_mass_point *p)
{
    for (int end = 0; end < 2; ++end) {
        ac_node *node = &system->nodes[p->node + end];
        p->mass[end] = p->turning[end] = 0.5 * e->length;
        for (int i = 0; i < 2; ++i) node->ambient[i] += 0.5 * e->length * beam->ambient[i];
    }
    return add_point(system, p);
}

ac_status ac_beam_add_element_masses(ac_system *system, const ac_beam *beam, const ac_beam_span *span,
                                     const ac_beam_element *e, const ac_beam_values *values, double *mass)
{
    bool edges = beam->model == AC_BEAM_EDGE, lumped = edges || beam->model == AC_BEAM_DUAL_QUATERNION;
    double l = e->length;
    if (beam->profile && !lumped) return ac_beam_add_masses(system, beam, span, mass);
    ac_mass_point p = point_of(span, e->share[0], values);
    *mass += l * values->mass;
    if (edges) return add_edge(system, span, e, &p);
    if (lumped) return add_dual(system, beam, e, &p);
    p.first_pair = system->mesh.mass_pair_count;
    AC_TRY(add_pairs(system, span));
    for (int a = 0; a < 2; ++a) p.mass[a] = p.turning[a] = l / 3.0;
    p.pair[0] = l / 6.0;
    return add_point(system, &p);
}
