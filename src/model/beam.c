/* Beams: from a row of frames to nodes, elements and their mass.
 *
 * Consistent mass of an element, l/6 [2 1; 1 2] x diag(A_rho, M_rho^1, M_rho^2, 0) on (x, d1, d2, d3): the diagonal blocks
 * become mass and Euler tensor of the nodes, the others couple neighbours. The director d3 has no mass of its own.
 *
 * Strains at the middle of an element, with mean directors and differences over the length l; each is quadratic:
 *   Gamma_i = (d_i^a + d_i^b) . (x^b - x^a) / 2l,    K_i = (d_k^a . d_j^b - d_j^a . d_k^b) / 2l,   (i, j, k) cyclic
 */
#include <stdio.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"

static const double FRAME_TOLERANCE = 1e-6;

void ac_beam_strains(const double x[24], double length, double strain[6])
{
    const double *a = x, *b = x + 12, half = 0.5 / length;
    double r[3];
    sub3(b, a, r);
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const double *da = a + 3, *db = b + 3;
        strain[i] = half * (dot3(da + 3 * i, r) + dot3(db + 3 * i, r));
        strain[3 + i] = half * (dot3(da + 3 * k, db + 3 * j) - dot3(da + 3 * j, db + 3 * k));
    }
}

void ac_beam_stresses(const ac_system *system, int element, const double strain[6], double stress[6])
{
    const ac_beam_element *e = &system->beam_elements[element];
    const double *stiffness = system->beams[e->beam].stiffness;
    for (int i = 0; i < 6; ++i) stress[i] = stiffness[i] * (strain[i] - e->reference[i]);
}

/* --- checks -------------------------------------------------------------------------------------------------------- */

static ac_status check_section(ac_system *system, const ac_beam *beam)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"shear stiffness", beam->shear[0]},     {"shear stiffness", beam->shear[1]},
        {"axial stiffness", beam->axial},        {"bending stiffness", beam->bending[0]},
        {"bending stiffness", beam->bending[1]}, {"torsional stiffness", beam->torsion},
        {"mass per length", beam->mass},         {"inertia per length", beam->inertia[0]},
        {"inertia per length", beam->inertia[1]},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        if (!(parts[k].value > 0.0) || !isfinite(parts[k].value)) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': %s must be positive", beam->name ? beam->name : "",
                           parts[k].name);
        }
    }
    if (!(beam->damping >= 0.0) || !isfinite(beam->damping)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': damping must not be negative", beam->name ? beam->name : "");
    }
    return AC_OK;
}

static ac_status check_frames(ac_system *system, const ac_beam *beam)
{
    const char *name = beam->name ? beam->name : "";
    if (beam->elements < 1) return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s' needs at least one element", name);
    for (int k = 0; k <= beam->elements; ++k) {
        const ac_pose *frame = &beam->frames[k];
        for (int i = 0; i < 3; ++i) {
            if (!isfinite(frame->position[i])) {
                return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the position of node %d is not finite", name, k);
            }
        }
        if (!ac_rotation_check(frame->rotation, FRAME_TOLERANCE)) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the frame of node %d is not orthonormal and right handed",
                           name, k);
        }
        if (beam->point_masses && !(beam->point_masses[k] >= 0.0 && isfinite(beam->point_masses[k]))) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the mass at node %d must not be negative", name, k);
        }
    }
    return AC_OK;
}

/* --- pieces -------------------------------------------------------------------------------------------------------- */

static ac_status add_beam_node(ac_system *system, const ac_beam *beam, int k, int *number)
{
    char name[256];
    ac_node *node;
    snprintf(name, sizeof name, "%.200s[%d]", beam->name ? beam->name : "", k);
    AC_TRY(ac_system_add_node(system, name, &node, number));
    node->kind = AC_NODE_BODY;
    node->size = 12;
    node->dimension = 3;
    node->beam = system->beam_count;
    node->mass = beam->point_masses ? beam->point_masses[k] : 0.0;
    node->placed = true;
    node->pose = beam->frames[k];
    ac_rotation_polish(node->pose.rotation);
    node->moving = beam->moving;
    double arm[3];
    sub3(node->pose.position, beam->frames[0].position, arm);
    copy3(beam->velocity, node->velocity);
    add_cross3(beam->angular_velocity, arm, node->velocity);
    copy3(beam->angular_velocity, node->spin);
    return AC_OK;
}

static ac_status add_element(ac_system *system, const ac_beam *beam, int first, int k)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->beam_elements, &system->beam_element_capacity,
                   system->beam_element_count + 1, sizeof(ac_beam_element)));
    AC_TRY(ac_grow(system->ctx, (void **)&system->mass_pairs, &system->mass_pair_capacity, system->mass_pair_count + 1,
                   sizeof(ac_mass_pair)));
    ac_node *a = &system->nodes[first + k], *b = a + 1;
    double gap[3], x[24];
    sub3(b->pose.position, a->pose.position, gap);
    double length = norm3(gap);
    if (!(length > 0.0)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': nodes %d and %d coincide", beam->name ? beam->name : "", k, k + 1);
    }
    ac_beam_element *e = &system->beam_elements[system->beam_element_count++];
    *e = (ac_beam_element){.beam = system->beam_count, .node = first + k, .length = length};
    ac_node_set_pose(a, a->pose.position, a->pose.rotation, x);
    ac_node_set_pose(b, b->pose.position, b->pose.rotation, x + 12);
    ac_beam_strains(x, length, e->reference);
    for (int i = 0; i < 3; ++i) e->reference[3 + i] += beam->precurvature[i];

    ac_node *ends[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        ends[s]->mass += length / 3.0 * beam->mass;
        ends[s]->euler[0] += length / 3.0 * beam->inertia[0];
        ends[s]->euler[4] += length / 3.0 * beam->inertia[1];
    }
    system->mass_pairs[system->mass_pair_count++] = (ac_mass_pair){
        first + k, first + k + 1, length / 6.0 * beam->mass,
        {length / 6.0 * beam->inertia[0], length / 6.0 * beam->inertia[1], 0.0}};
    return AC_OK;
}

ac_status ac_system_add_beam(ac_system *system, const ac_beam *beam, int *first_node)
{
    int first = system->node_count, number;
    if (system->finished) return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(check_section(system, beam));
    AC_TRY(check_frames(system, beam));
    AC_TRY(ac_grow(system->ctx, (void **)&system->beams, &system->beam_capacity, system->beam_count + 1,
                   sizeof(ac_beam_data)));
    char *name = ac_copy_text(system->ctx, beam->name ? beam->name : "");
    if (!name) return ac_out_of_memory(system->ctx);
    ac_beam_data *data = &system->beams[system->beam_count];
    *data = (ac_beam_data){
        .name = name,
        .first_node = first,
        .first_element = system->beam_element_count,
        .elements = beam->elements,
        .stiffness = {beam->shear[0], beam->shear[1], beam->axial, beam->bending[0], beam->bending[1], beam->torsion},
        .damping = beam->damping,
    };
    ac_status status = AC_OK;
    for (int k = 0; k <= beam->elements && status == AC_OK; ++k) status = add_beam_node(system, beam, k, &number);
    for (int k = 0; k < beam->elements && status == AC_OK; ++k) status = add_element(system, beam, first, k);
    for (int k = data->first_element; k < system->beam_element_count; ++k) data->length += system->beam_elements[k].length;
    ++system->beam_count; /* also when it failed: the name is kept there */
    if (first_node) *first_node = first;
    return status;
}
