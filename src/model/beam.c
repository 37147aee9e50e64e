/* Beams: from a row of frames to nodes, elements and their mass.
 *
 * Strains of an element with the nodes a and b; l is its length (edge model: of the edge that starts at a),
 * lb the length over
 * which the frames differ; (i, j, k) cyclic:
 *   director   Gamma_i = (d_i^a + d_i^b) . (x^b - x^a) / 2l     K_i = (d_k^a . d_j^b - d_j^a . d_k^b) / 2 lb
 *   vertex     the same Gamma_i                                 K_i times 4 / (1 + sum d_m^a . d_m^b)
 * (Cayley)
 *   edge       Gamma_i = d_i^a . (x^b - x^a) / l                as for vertex
 *
 * Consistent mass of an element, l/6 [2 1; 1 2] x diag(A_rho, M_rho^1, M_rho^2, 0) on (x, d1, d2, d3): the
 * diagonal blocks
 * become mass and Euler tensor of the nodes, the others couple neighbours. The director d3 has no mass of
 * its own. In the edge
 * model masses are lumped.
 *
 * Edge model: node 0 has the place of the first vertex and the frame at the end, node k from 1 on vertex k
 * and the frame of the
 * edge that follows it, the last node the last vertex and the frame at the end. Nodes 0 and 1 share their
 * place (a joint).
 */
#include <stdio.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"

static const double FRAME_TOLERANCE = 1e-6;

void ac_beam_strains(const ac_system *system, int element, const double x[24], double strain[6])
{
    const ac_beam_element *e = &system->beam_elements[element];
    ac_beam_model model = system->beams[e->beam].model;
    const double *a = x, *b = x + 12, *da = a + 3, *db = b + 3;
    double r[3], half = 0.5 / e->bend;
    sub3(b, a, r);
    if (model != AC_BEAM_DIRECTOR)
        half *= 4.0 / (1.0 + dot3(da, db) + dot3(da + 3, db + 3) + dot3(da + 6, db + 6));
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double along = model == AC_BEAM_EDGE ? dot3(da + 3 * i, r)
                                             : 0.5 * (dot3(da + 3 * i, r) + dot3(db + 3 * i, r));
        strain[i] = e->length > 0.0 ? along / e->length : e->reference[i];
        strain[3 + i] = half * (dot3(da + 3 * k, db + 3 * j) - dot3(da + 3 * j, db + 3 * k));
    }
}

void ac_beam_stresses(const ac_system *system, int element, const double strain[6], double stress[6])
{
    const ac_beam_element *e = &system->beam_elements[element];
    for (int i = 0; i < 6; ++i) stress[i] = e->stiffness[i] * (strain[i] - e->reference[i]);
}

/* --- checks
 * --------------------------------------------------------------------------------------------------------
 * */

static const char *name_of(const ac_beam *beam)
{
    return beam->name ? beam->name : "";
}

static ac_status check_section(ac_system *system, const ac_beam *beam)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"shear stiffness", beam->shear[0]},      {"shear stiffness", beam->shear[1]},
        {"axial stiffness", beam->axial},         {"bending stiffness", beam->bending[0]},
        {"bending stiffness", beam->bending[1]},  {"torsional stiffness", beam->torsion},
        {"mass per length", beam->mass},          {"inertia per length", beam->inertia[0]},
        {"inertia per length", beam->inertia[1]},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        if (!(parts[k].value > 0.0) || !isfinite(parts[k].value)) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': %s must be positive", name_of(beam),
                           parts[k].name);
        }
    }
    for (int k = 0; beam->element_stiffness && k < 6 * beam->elements; ++k) {
        if (!(beam->element_stiffness[k] > 0.0) || !isfinite(beam->element_stiffness[k])) {
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "beam '%s': the stiffness of element %d must be positive", name_of(beam), k / 6);
        }
    }
    if (!(beam->damping >= 0.0) || !isfinite(beam->damping)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': damping must not be negative", name_of(beam));
    }
    if (!(beam->rest_length >= 0.0) || !isfinite(beam->rest_length)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the length at rest must not be negative",
                       name_of(beam));
    }
    return AC_OK;
}

static ac_status check_frames(ac_system *system, const ac_beam *beam)
{
    const char *name = name_of(beam);
    int least = beam->model == AC_BEAM_EDGE ? 3 : 1;
    if (beam->elements < least) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s' needs at least %d element%s", name, least,
                       least > 1 ? "s" : "");
    }
    for (int k = 0; k <= beam->elements; ++k) {
        const ac_pose *frame = &beam->frames[k];
        for (int i = 0; i < 3; ++i) {
            if (!isfinite(frame->position[i])) {
                return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the position of node %d is not finite",
                               name, k);
            }
        }
        if (!ac_rotation_check(frame->rotation, FRAME_TOLERANCE)) {
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "beam '%s': the frame of node %d is not orthonormal and right handed", name, k);
        }
        if (beam->point_masses && !(beam->point_masses[k] >= 0.0 && isfinite(beam->point_masses[k]))) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the mass at node %d must not be negative",
                           name, k);
        }
    }
    return AC_OK;
}

/* --- pieces
 * --------------------------------------------------------------------------------------------------------
 * */

static ac_status add_beam_node(ac_system *system, const ac_beam *beam, int k)
{
    char name[256];
    ac_node *node;
    snprintf(name, sizeof name, "%.200s[%d]", name_of(beam), k);
    AC_TRY(ac_system_add_node(system, name, &node, NULL));
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

/* Lengths of an element: of the drawn gap, or an equal share of the length at rest. */
static ac_status element_lengths(ac_system *system, const ac_beam *beam, int k, ac_beam_element *e)
{
    bool edges = beam->model == AC_BEAM_EDGE;
    const ac_node *a = &system->nodes[e->node];
    double gap[3];
    sub3(a[1].pose.position, a[0].pose.position, gap);
    double drawn = norm3(gap);
    int shares = edges ? beam->elements - 1 : beam->elements;
    bool stretches = !(edges && k == 0); /* the frame at the first end has no edge of its own */
    if (stretches && !(drawn > 0.0)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': nodes %d and %d coincide", name_of(beam), k,
                       k + 1);
    }
    if (stretches) e->length = beam->rest_length > 0.0 ? beam->rest_length / shares : drawn;
    e->bend = e->length;
    return AC_OK;
}

/* Edge model: the curvature at a vertex stands for half of both edges; at the ends for half an edge. */
static void share_edges(ac_system *system, const ac_beam_data *beam)
{
    ac_beam_element *e = system->beam_elements + beam->first_element;
    e[0].bend = 0.5 * e[1].length;
    for (int k = 1; k < beam->elements - 1; ++k) e[k].bend = 0.5 * (e[k].length + e[k + 1].length);
    e[beam->elements - 1].bend = 0.5 * e[beam->elements - 1].length;
}

static void set_reference(ac_system *system, const ac_beam *beam, int element)
{
    ac_beam_element *e = &system->beam_elements[element];
    const ac_node *a = &system->nodes[e->node];
    static const double straight[6] = {0, 0, 1, 0, 0, 0};
    double x[24];
    for (int s = 0; s < 2; ++s) ac_node_set_pose(&a[s], a[s].pose.position, a[s].pose.rotation, x + 12 * s);
    memcpy(e->reference, straight, sizeof straight);
    if (!(beam->rest_length > 0.0)) ac_beam_strains(system, element, x, e->reference);
    for (int i = 0; i < 3; ++i) e->reference[3 + i] += beam->precurvature[i];
}

static void add_node_mass(ac_node *node, const ac_beam *beam, double length, double turning)
{
    node->mass += length * beam->mass;
    node->euler[0] += turning * beam->inertia[0];
    node->euler[4] += turning * beam->inertia[1];
}

static ac_status add_masses(ac_system *system, const ac_beam *beam, const ac_beam_element *e)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->mass_pairs, &system->mass_pair_capacity,
                   system->mass_pair_count + 1, sizeof(ac_mass_pair)));
    double l = e->length;
    ac_node *a = &system->nodes[e->node], *b = a + 1;
    ac_mass_pair *pair = &system->mass_pairs[system->mass_pair_count++];
    *pair = (ac_mass_pair){.a = e->node, .b = e->node + 1};
    if (beam->model == AC_BEAM_EDGE) {
        bool first = l == 0.0;
        add_node_mass(a, beam, 0.5 * l, first ? 0.5 * e->bend : l - 0.5 * e->bend);
        add_node_mass(b, beam, 0.5 * l, 0.5 * e->bend);
        return AC_OK;
    }
    add_node_mass(a, beam, l / 3.0, l / 3.0);
    add_node_mass(b, beam, l / 3.0, l / 3.0);
    pair->mass = l / 6.0 * beam->mass;
    for (int i = 0; i < 2; ++i) pair->euler[i] = l / 6.0 * beam->inertia[i];
    return AC_OK;
}

/* The two nodes at the first vertex of the edge model stay together. */
static ac_status join_first(ac_system *system, const ac_beam *beam, int first)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s start", name_of(beam));
    ac_joint joint = {.name = name, .type = AC_SPHERICAL, .a = first, .b = first + 1};
    joint.frame_a = joint.frame_b = ac_pose_identity();
    return ac_system_add_joint(system, &joint, NULL);
}

static ac_status add_elements(ac_system *system, const ac_beam *beam, const ac_beam_data *data)
{
    const double stiffness[6] = {beam->shear[0],   beam->shear[1],   beam->axial,
                                 beam->bending[0], beam->bending[1], beam->torsion};
    AC_TRY(ac_grow(system->ctx, (void **)&system->beam_elements, &system->beam_element_capacity,
                   system->beam_element_count + beam->elements, sizeof(ac_beam_element)));
    for (int k = 0; k < beam->elements; ++k) {
        ac_beam_element *e = &system->beam_elements[data->first_element + k];
        *e = (ac_beam_element){.beam = system->beam_count, .node = data->first_node + k};
        AC_TRY(element_lengths(system, beam, k, e));
        memcpy(e->stiffness, beam->element_stiffness ? beam->element_stiffness + 6 * k : stiffness,
               sizeof stiffness);
    }
    system->beam_element_count += beam->elements;
    if (beam->model == AC_BEAM_EDGE) share_edges(system, data);
    for (int k = 0; k < beam->elements; ++k) {
        set_reference(system, beam, data->first_element + k);
        AC_TRY(add_masses(system, beam, &system->beam_elements[data->first_element + k]));
    }
    return beam->model == AC_BEAM_EDGE ? join_first(system, beam, data->first_node) : AC_OK;
}

ac_status ac_system_add_beam(ac_system *system, const ac_beam *beam, int *first_node)
{
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(check_section(system, beam));
    AC_TRY(check_frames(system, beam));
    AC_TRY(ac_grow(system->ctx, (void **)&system->beams, &system->beam_capacity, system->beam_count + 1,
                   sizeof(ac_beam_data)));
    char *name = ac_copy_text(system->ctx, name_of(beam));
    if (!name) return ac_out_of_memory(system->ctx);
    ac_beam_data *data = &system->beams[system->beam_count];
    *data = (ac_beam_data){.name = name,
                           .model = beam->model,
                           .first_node = system->node_count,
                           .first_element = system->beam_element_count,
                           .elements = beam->elements,
                           .damping = beam->damping,
                           .line_mass = beam->mass};
    ac_status status = AC_OK;
    for (int k = 0; k <= beam->elements && status == AC_OK; ++k) status = add_beam_node(system, beam, k);
    if (status == AC_OK) status = add_elements(system, beam, data);
    for (int k = data->first_element; k < system->beam_element_count; ++k)
        data->length += system->beam_elements[k].length;
    ++system->beam_count; /* also when it failed: the name is kept there */
    if (first_node) *first_node = data->first_node;
    return status;
}

int ac_system_beams(const ac_system *system)
{
    return system->beam_count;
}

ac_beam_info ac_system_beam(const ac_system *system, int beam)
{
    const ac_beam_data *data = &system->beams[beam];
    ac_beam_info info = {.name = data->name,
                         .first_node = data->first_node,
                         .elements = data->elements,
                         .length = data->length,
                         .mass = data->length * data->line_mass};
    memcpy(info.stiffness, system->beam_elements[data->first_element].stiffness, sizeof info.stiffness);
    return info;
}
