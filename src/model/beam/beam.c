/* Beams: from a row of frames to nodes, elements and their mass.
 *
 * Strains of an element of order 1 with the nodes a and b; l is its length (edge model: of the edge that
 * starts at a), lb the length over which the frames differ; (i, j, k) cyclic:
 *   director   Gamma_i = (d_i^a + d_i^b) . (x^b - x^a) / 2l    K_i = (d_k^a . d_j^b - d_j^a . d_k^b) / 2 lb
 *   vertex     the same Gamma_i                                K_i times 4 / (1 + sum d_m^a . d_m^b) (Cayley)
 *   edge       Gamma_i = d_i^a . (x^b - x^a) / l               as for vertex
 *   dual       Gamma = 2 w' / l, K = 2 w / l with the dual quaternion (c + w) + eps (c' + w') of b seen from a
 * Elements of order 2 are in beam_order.c.
 *
 * Consistent mass of an element, l/6 [2 1; 1 2] x diag(A_rho, M_rho^1, M_rho^2, 0) on (x, d1, d2, d3): the
 * diagonal blocks become mass and Euler tensor of the nodes, the others couple neighbours. The director d3
 * has no mass of its own. In the edge model and for dual quaternions masses are lumped.
 *
 * Edge model: node 0 has the place of the first vertex and the frame at the end, node k from 1 on vertex k
 * and the frame of the edge that follows it, the last node the last vertex and the frame at the end. Nodes
 * 0 and 1 share their place (a joint).
 *
 * Sharp corner: two nodes at the same place with the frames of the two pieces, held together by a fixed
 * joint; no element is between them.
 */
#include <stdio.h>

#include "base/dual_quaternion.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "model/beam/beam.h"
#include "model/beam/strain.h"

static const double FRAME_TOLERANCE = 1e-6;

void ac_beam_strains(const ac_system *system, int element, const double *x, double strain[6])
{
    const ac_beam_element *e = &system->mesh.elements[element];
    ac_beam_model model = system->beams[e->beam].model;
    if (model == AC_BEAM_DIRECTOR) {
        ac_director_strains(e, x, strain);
        return;
    }
    if (model == AC_BEAM_DUAL_QUATERNION) {
        double Xi[8];
        ac_dual_relative(x + AC_DUAL_AT, x + AC_NODE_MAX + AC_DUAL_AT, Xi);
        double by = 2.0 / e->length;
        for (int i = 0; i < 3; ++i) {
            strain[i] = by * Xi[5 + i];
            strain[3 + i] = by * Xi[1 + i];
        }
        return;
    }
    double over = e->length > 0.0 ? 1.0 / e->length : 0.0, form[7];
    bool edge = model == AC_BEAM_EDGE;
    ac_rod_forms(edge ? over : 0.5 * over, edge ? 0.0 : 0.5 * over, 0.5 / e->bend, x, form);
    for (int i = 0; i < 3; ++i) {
        strain[i] = e->length > 0.0 ? form[i] : e->reference[i];
        strain[3 + i] = ac_rod_curvature(form[3 + i], form[6]);
    }
}

void ac_beam_stresses(const ac_system *system, int element, const double strain[6], double stress[6])
{
    const ac_beam_element *e = &system->mesh.elements[element];
    for (int i = 0; i < 6; ++i) stress[i] = e->stiffness[i] * (strain[i] - e->reference[i]);
}

int ac_beam_points(const ac_beam_data *beam)
{
    return beam->elements * beam->order;
}

void ac_beam_at_point(const ac_system *system, const ac_beam_data *beam, int k, const double *q,
                      double strain[6], double stress[6], double *uniformity)
{
    const double *reference, *stiffness;
    if (beam->order > 1) {
        const ac_high_element *e = &system->mesh.high[beam->first_element + k / beam->order];
        const ac_beam_point *point = &e->points[k % beam->order];
        double fields[AC_BEAM_FIELDS];
        ac_beam_fields(point, e->order, q + system->nodes[e->node].q, fields);
        ac_beam_field_strains(fields, strain);
        reference = point->reference;
        stiffness = point->stiffness;
    } else {
        const ac_beam_element *e = &system->mesh.elements[beam->first_element + k];
        ac_beam_strains(system, beam->first_element + k, q + system->nodes[e->node].q, strain);
        reference = e->reference;
        stiffness = e->stiffness;
    }
    double sum = 0.0, whole[6];
    for (int i = 0; i < 6; ++i) {
        double beyond = strain[i] - reference[i];
        stress[i] = stiffness[i] * beyond;
        sum += stress[i] * (strain[i] - 0.5 * beyond);
        whole[i] = strain[i];
        strain[i] = beyond;
    }
    if (beam->energy) sum += ac_beam_add_function(system, beam, k, whole, stress);
    if (uniformity) *uniformity = sum;
}

/* --- checks --------------------------------------------------------------------------------------------- */

const char *ac_beam_name(const ac_beam *beam)
{
    return beam->name ? beam->name : "";
}

static int order_of(const ac_beam *beam)
{
    return beam->order > 0 ? beam->order : 1;
}

/* Elements of the system: those of the edge model stand for a vertex and the edge before it, so there is
 * one more. */
static int pieces_of(const ac_beam *beam)
{
    return beam->elements + (beam->model == AC_BEAM_EDGE);
}

static int nodes_of(const ac_beam *beam)
{
    return pieces_of(beam) * order_of(beam) + 1 + beam->corner_count;
}

/* The number that names, messages and results have for a node of the system. */
static int place_of(const ac_beam *beam, int node)
{
    return beam->model == AC_BEAM_EDGE && node > 0 ? node - 1 : node;
}

static ac_status check_values(ac_system *system, const ac_beam *beam, const ac_beam_values *v,
                              const char *where)
{
    static const char *const names[9] = {"shear stiffness",   "shear stiffness",    "axial stiffness",
                                         "bending stiffness", "bending stiffness",  "torsional stiffness",
                                         "mass per length",   "inertia per length", "inertia per length"};
    for (int k = 0; k < 9; ++k) {
        double value = k < 6 ? v->stiffness[k] : k == 6 ? v->mass : v->inertia[k - 7];
        if (!(value > 0.0) || !isfinite(value))
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': %s must be positive%s", ac_beam_name(beam),
                           names[k], where);
    }
    return AC_OK;
}

ac_status ac_beam_values_at(ac_system *system, const ac_beam *beam, double s, ac_beam_values *values)
{
    char where[64] = "";
    if (beam->profile) {
        *values = (ac_beam_values){{0}, 0, {0}};
        beam->profile(beam->profile_data, s, values);
        snprintf(where, sizeof where, ", it is not at %.4g of the length", s);
    } else {
        *values = (ac_beam_values){
            {beam->shear[0], beam->shear[1], beam->axial, beam->bending[0], beam->bending[1], beam->torsion},
            beam->mass,
            {beam->inertia[0], beam->inertia[1]}};
    }
    return check_values(system, beam, values, where);
}

static ac_status check_numbers(ac_system *system, const ac_beam *beam)
{
    if (!(beam->damping >= 0.0) || !isfinite(beam->damping)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': damping must not be negative",
                       ac_beam_name(beam));
    }
    if (!(beam->rest_length >= 0.0) || !isfinite(beam->rest_length)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the rest length must not be negative",
                       ac_beam_name(beam));
    }
    for (int i = 0; i < 6; ++i) {
        double value = i < 2 ? beam->relaxation[i] : beam->ambient[i - 2];
        if (!(value >= 0.0) || !isfinite(value))
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': %s must not be negative",
                           ac_beam_name(beam), i < 2 ? "viscosities" : "ambient parameters");
        if (i >= 2 && value > 0.0 && beam->model != AC_BEAM_DUAL_QUATERNION)
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "beam '%s': ambient parameters are for the model dual_quaternion only",
                           ac_beam_name(beam));
    }
    return AC_OK;
}

/* Beams of dual quaternions have their own elements and masses; a system has these or the others. */
static ac_status check_alone(ac_system *system, const ac_beam *beam)
{
    bool dual = beam->model == AC_BEAM_DUAL_QUATERNION;
    if (system->beam_count == 0 || dual == (system->mesh.dual_nodes > 0)) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT,
                   "beam '%s': beams of dual quaternions and beams of other models cannot be in one system",
                   ac_beam_name(beam));
}

static ac_status check_mesh(ac_system *system, const ac_beam *beam)
{
    const char *name = ac_beam_name(beam);
    int order = order_of(beam), least = beam->model == AC_BEAM_EDGE ? 2 : 1;
    if (beam->order < 0 || order > AC_BEAM_ORDER_MAX)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the order must be 1 or 2", name);
    if (order > 1 && beam->model == AC_BEAM_DUAL_QUATERNION)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': beams of dual quaternions have order 1", name);
    if (order > 1 && beam->model != AC_BEAM_DIRECTOR)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': rods (vertex and edge model) have order 1",
                       name);
    if (beam->elements < least)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s' needs at least %d element%s", name, least,
                       least > 1 ? "s" : "");
    if (beam->corner_count > 0 && beam->model == AC_BEAM_EDGE)
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': a rod of the edge model has no sharp corners",
                       name);
    for (int c = 0; c < beam->corner_count; ++c) {
        int node = beam->corners[c], before = c > 0 ? beam->corners[c - 1] : -1;
        if (node <= before + 1 || node >= nodes_of(beam) - 2 || (node - c) % order != 0)
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': node %d is no place for a corner", name,
                           node);
    }
    return AC_OK;
}

static ac_status check_frames(ac_system *system, const ac_beam *beam)
{
    const char *name = ac_beam_name(beam);
    for (int k = 0; k < nodes_of(beam); ++k) {
        const ac_pose *frame = &beam->frames[k];
        for (int i = 0; i < 3; ++i) {
            if (!isfinite(frame->position[i])) {
                return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the position of node %d is not finite",
                               name, place_of(beam, k));
            }
        }
        if (!ac_rotation_check(frame->rotation, FRAME_TOLERANCE)) {
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "beam '%s': the frame of node %d is not orthonormal and right handed", name,
                           place_of(beam, k));
        }
        if (beam->point_masses && !(beam->point_masses[k] >= 0.0 && isfinite(beam->point_masses[k]))) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': the mass at node %d must not be negative",
                           name, place_of(beam, k));
        }
    }
    return AC_OK;
}

/* --- pieces --------------------------------------------------------------------------------------------- */

/* The dual quaternion of the initial pose, with the sign that is nearer to the one before. */
static void find_unit(ac_node *node, bool follows)
{
    double q[8] = {0.0};
    for (int i = 0; follows && i < 4; ++i) q[i] = node[-1].unit[i];
    ac_dual_from_pose(node->pose.position, node->pose.rotation, q);
    memcpy(node->unit, q, sizeof node->unit);
}

static ac_status add_beam_node(ac_system *system, const ac_beam *beam, int k)
{
    char name[256];
    ac_node *node;
    bool edge = beam->model == AC_BEAM_EDGE && k == 1; /* at the first vertex, too */
    snprintf(name, sizeof name, "%.200s[%d]%s", ac_beam_name(beam), place_of(beam, k), edge ? " edge" : "");
    AC_TRY(ac_system_add_node(system, name, &node, NULL));
    bool dual = beam->model == AC_BEAM_DUAL_QUATERNION;
    node->kind = dual ? AC_NODE_DUAL : AC_NODE_BODY;
    node->size = dual ? AC_NODE_MAX : AC_BODY_SIZE;
    system->mesh.dual_nodes += dual;
    node->dimension = 3;
    node->beam = system->beam_count;
    node->mass = beam->point_masses ? beam->point_masses[k] : 0.0;
    node->placed = true;
    node->pose = beam->frames[k];
    ac_rotation_polish(node->pose.rotation);
    if (dual) find_unit(node, k > 0);
    node->moving = beam->moving;
    double arm[3];
    sub3(node->pose.position, beam->frames[0].position, arm);
    copy3(beam->velocity, node->velocity);
    add_cross3(beam->angular_velocity, arm, node->velocity);
    copy3(beam->angular_velocity, node->spin);
    return AC_OK;
}

/* Lengths of an element of order 1: of the given gap, or an equal share of the rest length. */
static ac_status element_length(ac_system *system, const ac_beam *beam, int k, ac_beam_span *span)
{
    bool edges = beam->model == AC_BEAM_EDGE;
    const ac_node *a = &system->nodes[span->node];
    double gap[3];
    sub3(a[1].pose.position, a[0].pose.position, gap);
    double initial = norm3(gap);
    bool stretches = !(edges && k == 0); /* the frame at the first end has no edge of its own */
    if (stretches && !(initial > 0.0)) {
        int node = place_of(beam, span->node - system->beams[system->beam_count].first_node);
        return ac_fail(system->ctx, AC_BAD_INPUT, "beam '%s': nodes %d and %d coincide", ac_beam_name(beam),
                       node, node + 1);
    }
    if (stretches) span->length = beam->rest_length > 0.0 ? beam->rest_length / beam->elements : initial;
    for (int g = 0; g < 2; ++g) span->stretch[g] = 0.5 * span->length;
    return AC_OK;
}

/* Edge model: the curvature at a vertex stands for half of both edges; at the ends for half an edge. */
static void share_edges(ac_system *system, const ac_beam_data *beam)
{
    ac_beam_element *e = system->mesh.elements + beam->first_element;
    e[0].bend = 0.5 * e[1].length;
    for (int k = 1; k < beam->elements - 1; ++k) e[k].bend = 0.5 * (e[k].length + e[k + 1].length);
    e[beam->elements - 1].bend = 0.5 * e[beam->elements - 1].length;
}

static void set_reference(ac_system *system, const ac_beam *beam, int element)
{
    ac_beam_element *e = &system->mesh.elements[element];
    const ac_node *a = &system->nodes[e->node];
    static const double straight[6] = {0, 0, 1, 0, 0, 0};
    double x[2 * AC_NODE_MAX] = {0.0};
    for (int s = 0; s < 2; ++s)
        ac_node_set_pose(&a[s], a[s].pose.position, a[s].pose.rotation, x + a->size * s);
    memcpy(e->reference, straight, sizeof straight);
    if (!(beam->rest_length > 0.0)) ac_beam_strains(system, element, x, e->reference);
    for (int i = 0; i < 3; ++i) e->reference[3 + i] += beam->precurvature[i];
}

static ac_status check_corner(ac_system *system, const ac_beam *beam, int node)
{
    double gap[3];
    sub3(system->nodes[node + 1].pose.position, system->nodes[node].pose.position, gap);
    if (norm3(gap) <= FRAME_TOLERANCE * system->beams[system->beam_count].length) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT,
                   "beam '%s': the two nodes of a corner must stand at the same place", ac_beam_name(beam));
}

/* Nodes and lengths of all elements, and where they are along the beam. */
static ac_status measure_spans(ac_system *system, const ac_beam *beam, ac_beam_data *data,
                               ac_beam_span *spans)
{
    int node = data->first_node, corner = 0;
    for (int k = 0; k < pieces_of(beam); ++k, node += data->order) {
        ac_beam_span *span = &spans[k];
        if (corner < beam->corner_count && beam->corners[corner] == node - data->first_node) {
            ++corner;
            ++node;
        }
        span->number = k;
        span->node = node;
        span->order = data->order;
        AC_TRY(data->order > 1 ? ac_high_element_measure(system, beam, k, span)
                               : element_length(system, beam, k, span));
        span->from = data->length;
        span->to = data->length += span->length;
    }
    for (int k = 0; k < pieces_of(beam); ++k) {
        spans[k].from /= data->length;
        spans[k].to /= data->length;
    }
    return AC_OK;
}

static ac_status fill_element(ac_system *system, const ac_beam *beam, const ac_beam_span *span,
                              ac_beam_element *e, ac_beam_values *values)
{
    bool edges = beam->model == AC_BEAM_EDGE;
    e->share[0] = 0.5 * (span->from + span->to);
    e->share[1] = edges ? span->to : e->share[0];
    AC_TRY(ac_beam_values_at(system, beam, e->share[0], values));
    memcpy(e->stiffness, values->stiffness, sizeof e->stiffness);
    if (!edges) return AC_OK;
    ac_beam_values vertex;
    AC_TRY(ac_beam_values_at(system, beam, e->share[1], &vertex));
    memcpy(e->stiffness + 3, vertex.stiffness + 3, 3 * sizeof *e->stiffness);
    return AC_OK;
}

static ac_status add_elements(ac_system *system, const ac_beam *beam, ac_beam_data *data,
                              const ac_beam_span *spans)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->mesh.elements, &system->mesh.element_capacity,
                   system->mesh.element_count + pieces_of(beam), sizeof(ac_beam_element)));
    for (int k = 0; k < pieces_of(beam); ++k)
        system->mesh.elements[data->first_element + k] = (ac_beam_element){.beam = system->beam_count,
                                                                           .node = spans[k].node,
                                                                           .length = spans[k].length,
                                                                           .bend = spans[k].length};
    system->mesh.element_count += pieces_of(beam);
    if (beam->model == AC_BEAM_DUAL_QUATERNION) system->mesh.dual_elements += pieces_of(beam);
    if (beam->model == AC_BEAM_EDGE) share_edges(system, data);
    for (int k = 0; k < pieces_of(beam); ++k) {
        ac_beam_element *e = &system->mesh.elements[data->first_element + k];
        ac_beam_values values;
        AC_TRY(fill_element(system, beam, &spans[k], e, &values));
        set_reference(system, beam, data->first_element + k);
        AC_TRY(ac_beam_add_element_masses(system, beam, &spans[k], e, &values, &data->mass));
    }
    return AC_OK;
}

static ac_status add_high_elements(ac_system *system, const ac_beam *beam, ac_beam_data *data,
                                   const ac_beam_span *spans)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->mesh.high, &system->mesh.high_capacity,
                   system->mesh.high_count + beam->elements, sizeof(ac_high_element)));
    for (int k = 0; k < pieces_of(beam); ++k) {
        AC_TRY(ac_high_element_fill(system, beam, &spans[k], &system->mesh.high[data->first_element + k]));
        AC_TRY(ac_beam_add_masses(system, beam, &spans[k], &data->mass));
    }
    system->mesh.high_count += beam->elements;
    return AC_OK;
}

static ac_status add_pieces(ac_system *system, const ac_beam *beam, ac_beam_data *data, ac_beam_span *spans)
{
    for (int k = 0; k < data->nodes; ++k) AC_TRY(add_beam_node(system, beam, k));
    AC_TRY(measure_spans(system, beam, data, spans));
    AC_TRY(data->order > 1 ? add_high_elements(system, beam, data, spans)
                           : add_elements(system, beam, data, spans));
    data->pairs = system->mesh.mass_pair_count - data->first_pair;
    data->mass_points = system->mesh.mass_point_count - data->first_mass_point;
    for (int c = 0; c < beam->corner_count; ++c)
        AC_TRY(check_corner(system, beam, data->first_node + beam->corners[c]));
    return AC_OK;
}

ac_status ac_system_add_beam(ac_system *system, const ac_beam *beam, int *first_node)
{
    ac_beam_values start, end;
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(ac_beam_values_at(system, beam, 0.0, &start));
    AC_TRY(ac_beam_values_at(system, beam, 1.0, &end));
    AC_TRY(check_numbers(system, beam));
    AC_TRY(check_alone(system, beam));
    AC_TRY(check_mesh(system, beam));
    AC_TRY(check_frames(system, beam));
    AC_TRY(ac_grow(system->ctx, (void **)&system->beams, &system->beam_capacity, system->beam_count + 1,
                   sizeof(ac_beam_data)));
    ac_beam_span *spans = ac_allocate(system->ctx, (size_t)pieces_of(beam), sizeof *spans);
    char *name = spans ? ac_copy_text(system->ctx, ac_beam_name(beam)) : NULL;
    if (!name) {
        ac_release(system->ctx, spans);
        return ac_out_of_memory(system->ctx);
    }
    int order = order_of(beam);
    ac_beam_data *data = &system->beams[system->beam_count];
    *data = (ac_beam_data){.name = name,
                           .model = beam->model,
                           .order = order,
                           .first_node = system->node_count,
                           .nodes = nodes_of(beam),
                           .first_element = order > 1 ? system->mesh.high_count : system->mesh.element_count,
                           .elements = pieces_of(beam),
                           .first_pair = system->mesh.mass_pair_count,
                           .first_mass_point = system->mesh.mass_point_count,
                           .damping = beam->damping,
                           .relaxation = {beam->relaxation[0], beam->relaxation[1]},
                           .ambient = {beam->ambient[2], beam->ambient[3]},
                           .start = start,
                           .end = end};
    if (first_node) *first_node = data->first_node;
    ac_status status = add_pieces(system, beam, data, spans);
    ac_release(system->ctx, spans);
    ++system->beam_count; /* also when it failed: the name is kept there */
    return status;
}

/* --- joints within beams -------------------------------------------------------------------------------- */

/* The two nodes at the first vertex of the edge model stay together. */
static ac_status join_first(ac_system *system, const ac_beam_data *beam)
{
    char name[256];
    snprintf(name, sizeof name, "%.200s start", beam->name);
    ac_joint joint = {.name = name, .type = AC_SPHERICAL, .a = beam->first_node, .b = beam->first_node + 1};
    joint.frame_a = joint.frame_b = ac_pose_identity();
    return ac_system_add_joint(system, &joint, NULL);
}

/* The two nodes at a sharp corner keep place and rotation against each other. */
static ac_status join_corner(ac_system *system, const ac_beam_data *beam, int number, int node)
{
    char name[256];
    const double *before = system->nodes[node].pose.rotation, *after = system->nodes[node + 1].pose.rotation;
    snprintf(name, sizeof name, "%.200s corner %d", beam->name, number);
    ac_joint joint = {.name = name, .type = AC_FIXED, .a = node, .b = node + 1};
    joint.frame_a = joint.frame_b = ac_pose_identity();
    transposed_multiply3(before, after, joint.frame_a.rotation);
    return ac_system_add_joint(system, &joint, NULL);
}

static int first_node_of(const ac_system *system, const ac_beam_data *beam, int k)
{
    return beam->order > 1 ? system->mesh.high[beam->first_element + k].node
                           : system->mesh.elements[beam->first_element + k].node;
}

ac_status ac_system_join_beams(ac_system *system)
{
    system->user_joints = system->joint_count;
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        int corners = 0;
        if (beam->model == AC_BEAM_EDGE) AC_TRY(join_first(system, beam));
        for (int k = 1; k < beam->elements; ++k) {
            int end = first_node_of(system, beam, k - 1) + beam->order;
            if (first_node_of(system, beam, k) != end) AC_TRY(join_corner(system, beam, ++corners, end));
        }
    }
    return AC_OK;
}

int ac_system_beams(const ac_system *system)
{
    return system->beam_count;
}

ac_beam_info ac_system_beam(const ac_system *system, int beam)
{
    const ac_beam_data *data = &system->beams[beam];
    return (ac_beam_info){.name = data->name,
                          .model = data->model,
                          .order = data->order,
                          .elements = data->elements - (data->model == AC_BEAM_EDGE),
                          .first_node = data->first_node,
                          .nodes = data->nodes,
                          .places = ac_beam_sites(data, AC_SITE_NODES),
                          .length = data->length,
                          .mass = data->mass,
                          .start = data->start,
                          .end = data->end};
}

bool ac_system_beam_stiffness_shares(const ac_system *system, int number, int k, double share[2])
{
    const ac_beam_data *beam = &system->beams[number];
    const int element = beam->first_element + k / beam->order;
    if (k < 0 || k >= ac_beam_points(beam)) return false;
    for (int c = 0; c < 2; ++c)
        share[c] = beam->order > 1 ? system->mesh.high[element].points[k % beam->order].share
                                   : system->mesh.elements[element].share[c];
    return true;
}

bool ac_system_beam_mass_share(const ac_system *system, int number, int k, double *share)
{
    const ac_beam_data *beam = &system->beams[number];
    if (k < 0 || k >= beam->mass_points) return false;
    *share = system->mesh.mass_points[beam->first_mass_point + k].share;
    return true;
}
