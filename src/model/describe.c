/* Describing a system: adding nodes, joints, springs and loads, with the checks that need no other part. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"

ac_pose ac_pose_identity(void)
{
    return (ac_pose){{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

ac_status ac_system_new(ac_context *ctx, ac_system **system)
{
    AC_NEW(ctx, *system, 1);
    (*system)->ctx = ctx;
    return AC_OK;
}

void ac_constraints_free(ac_context *ctx, ac_constraints *c)
{
    ac_forms_free(ctx, &c->forms);
    ac_release(ctx, c->start);
    ac_release(ctx, c->coordinate);
    ac_release(ctx, c->origin);
    ac_release(ctx, c->owner);
    ac_release(ctx, c->size);
    memset(c, 0, sizeof *c);
}

void ac_system_free(ac_system *system)
{
    if (!system) return;
    ac_context *ctx = system->ctx;
    for (int i = 0; i < system->node_count; ++i) ac_release(ctx, system->nodes[i].name);
    for (int i = 0; i < system->joint_count; ++i) ac_release(ctx, system->joints[i].name);
    for (int i = 0; i < system->spring_count; ++i) ac_release(ctx, system->springs[i].name);
    for (int i = 0; i < system->load_count; ++i) {
        ac_release(ctx, system->loads[i].name);
        for (int k = 0; k < 3; ++k) ac_signal_free(system->loads[i].value[k]);
    }
    for (int i = 0; i < system->relations.count; ++i) {
        ac_release(ctx, system->relations.list[i].name);
        ac_signal_free(system->relations.list[i].signal);
    }
    for (int i = 0; i < system->beam_count; ++i) {
        ac_release(ctx, system->beams[i].name);
        ac_expression_free(system->beams[i].energy);
        ac_expression_free(system->beams[i].potential);
        for (int k = 0; k < 2; ++k) {
            ac_expression_free(system->beams[i].named[k].whole);
            ac_release(ctx, system->beams[i].named[k].values);
        }
    }
    for (int i = 0; i < system->contact_count; ++i) ac_release(ctx, (char *)system->contacts[i].name);
    ac_forms_free(ctx, &system->measure_forms);
    ac_forms_free(ctx, &system->described.forms);
    ac_forms_free(ctx, &system->load.forces.forms);
    ac_constraints_free(ctx, &system->constraints);
    void *blocks[] = {system->nodes,
                      system->joints,
                      system->measures,
                      system->springs,
                      system->loads,
                      system->relations.list,
                      system->tree.order,
                      system->inertia.entries,
                      system->gravity_force,
                      system->initial.q,
                      system->initial.v,
                      system->initial.u,
                      system->initial.state,
                      system->beams,
                      system->mesh.elements,
                      system->mesh.high,
                      system->mesh.functions,
                      system->mesh.mass_pairs,
                      system->mesh.mass_points,
                      system->contacts,
                      system->described.start,
                      system->described.parts,
                      system->load.forces.entries,
                      system->load.forces.torques,
                      system->load.maps,
                      system->coupling.pairs};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_release(ctx, system);
}

ac_status ac_system_set_gravity(ac_system *system, const double gravity[3])
{
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(gravity[i])) return ac_fail(system->ctx, AC_BAD_INPUT, "gravity must be finite");
    }
    copy3(gravity, system->gravity);
    return AC_OK;
}

ac_status ac_system_add_node(ac_system *system, const char *name, ac_node **node, int *number)
{
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(ac_grow(system->ctx, (void **)&system->nodes, &system->node_capacity, system->node_count + 1,
                   sizeof(ac_node)));
    char *copy = ac_copy_text(system->ctx, name ? name : "");
    if (!copy) return ac_out_of_memory(system->ctx);
    *node = &system->nodes[system->node_count];
    memset(*node, 0, sizeof **node);
    (*node)->name = copy;
    (*node)->pose = ac_pose_identity();
    (*node)->beam = -1;
    if (number) *number = system->node_count;
    ++system->node_count;
    return AC_OK;
}

/* Euler tensor E = tr(J)/2 I - J from the inertia tensor; its eigenvalues must not be negative. */
static ac_status euler_tensor(ac_system *system, const ac_body *body, double E[9])
{
    const double *j = body->inertia;
    const double J[9] = {j[0], j[3], j[5], j[3], j[1], j[4], j[5], j[4], j[2]};
    double trace = j[0] + j[1] + j[2];
    for (int i = 0; i < 9; ++i) E[i] = (i % 4 == 0 ? 0.5 * trace : 0.0) - J[i];
    double limit = -1e-9 * trace;
    double minor01 = E[0] * E[4] - E[1] * E[1], minor12 = E[4] * E[8] - E[5] * E[5],
           minor02 = E[0] * E[8] - E[2] * E[2];
    double determinant = E[0] * minor12 - E[1] * (E[1] * E[8] - E[5] * E[2]) +
                         E[2] * (E[1] * E[5] - E[4] * E[2]);
    bool good = trace >= 0.0 && E[0] >= limit && E[4] >= limit && E[8] >= limit && minor01 >= limit * trace &&
                minor12 >= limit * trace && minor02 >= limit * trace && determinant >= limit * trace * trace;
    if (!good) {
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "body '%s': the inertia is not that of a body; each principal moment must be at least "
                       "zero and at most the sum of the other two",
                       body->name ? body->name : "");
    }
    for (int i = 0; i < 9; ++i)
        if (fabs(E[i]) < 1e-14 * trace) E[i] = 0.0;
    return AC_OK;
}

static ac_status check_mass(ac_system *system, const char *what, const char *name, double mass)
{
    if (mass > 0.0 && isfinite(mass)) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT, "%s '%s': mass must be positive", what, name ? name : "");
}

ac_status ac_system_add_body(ac_system *system, const ac_body *body, int *number)
{
    double E[9];
    ac_node *node;
    AC_TRY(check_mass(system, "body", body->name, body->mass));
    AC_TRY(euler_tensor(system, body, E));
    if (body->placed && !ac_rotation_check(body->pose.rotation, 1e-6)) {
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "body '%s': the rotation is not orthonormal and right handed", body->name);
    }
    AC_TRY(ac_system_add_node(system, body->name, &node, number));
    node->kind = AC_NODE_BODY;
    node->size = 12;
    node->dimension = 3;
    node->mass = body->mass;
    memcpy(node->euler, E, sizeof E);
    copy3(body->centre, node->centre);
    node->placed = body->placed;
    node->moving = body->moving;
    node->velocity_follows = body->moving && body->velocity_follows;
    node->spin_follows = body->moving && body->spin_follows;
    double offset[3];
    if (body->placed) node->pose = body->pose;
    ac_rotation_polish(node->pose.rotation);
    apply3(node->pose.rotation, body->centre, offset);
    add3(node->pose.position, offset, node->pose.position);
    copy3(body->angular_velocity, node->spin);
    copy3(body->velocity, node->velocity);
    if (!node->spin_follows) add_cross3(body->angular_velocity, offset, node->velocity);
    return AC_OK;
}

ac_status ac_system_add_planar_body(ac_system *system, const ac_planar_body *body, int *number)
{
    ac_node *node;
    AC_TRY(check_mass(system, "planar body", body->name, body->mass));
    if (!(body->inertia >= 0.0) || !isfinite(body->inertia)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "planar body '%s': inertia must not be negative",
                       body->name);
    }
    AC_TRY(ac_system_add_node(system, body->name, &node, number));
    node->kind = AC_NODE_PLANAR;
    node->size = 4;
    node->dimension = 2;
    node->mass = body->mass;
    node->euler[0] = body->inertia;
    node->centre[0] = body->centre[0];
    node->centre[1] = body->centre[1];
    node->placed = body->placed;
    node->moving = body->moving;
    node->velocity_follows = body->moving && body->velocity_follows;
    node->spin_follows = body->moving && body->spin_follows;
    double c = ac_cos(body->angle), s = ac_sin(body->angle),
           w = node->spin_follows ? 0.0 : body->angular_velocity;
    ac_rotation_z(body->angle, node->pose.rotation);
    double x = c * body->centre[0] - s * body->centre[1], y = s * body->centre[0] + c * body->centre[1];
    node->pose.position[0] = body->position[0] + x;
    node->pose.position[1] = body->position[1] + y;
    node->velocity[0] = body->velocity[0] - w * y;
    node->velocity[1] = body->velocity[1] + w * x;
    node->spin[2] = w;
    return AC_OK;
}

ac_status ac_system_add_point_mass(ac_system *system, const ac_point_mass *point, int *number)
{
    ac_node *node;
    AC_TRY(check_mass(system, "point", point->name, point->mass));
    if (point->dimension < 1 || point->dimension > 3) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "point '%s': dimension must be 1, 2 or 3", point->name);
    }
    AC_TRY(ac_system_add_node(system, point->name, &node, number));
    node->kind = AC_NODE_POINT;
    node->size = node->dimension = point->dimension;
    node->mass = point->mass;
    node->placed = point->placed;
    node->moving = point->moving;
    for (int i = 0; i < point->dimension; ++i) {
        node->pose.position[i] = point->position[i];
        node->velocity[i] = point->velocity[i];
    }
    return AC_OK;
}

static ac_status check_node(ac_system *system, const char *what, const char *name, int node)
{
    if (node >= AC_GROUND && node < system->node_count) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT, "%s '%s': there is no node %d", what, name ? name : "", node);
}

/* A joint frame relative to the reference point of its node. */
static void place_side(const ac_system *system, int node, const ac_pose *frame, ac_side *side)
{
    side->node = node;
    copy3(frame->position, side->place);
    memcpy(side->axes, frame->rotation, sizeof side->axes);
    if (node != AC_GROUND) sub3(side->place, system->nodes[node].centre, side->place);
    if (node != AC_GROUND && ac_node_turns(&system->nodes[node]) == 0)
        memset(side->place, 0, sizeof side->place);
}

/* Which joints points and planar bodies can have. */
static ac_status check_kinds(ac_system *system, const ac_joint *joint)
{
    const ac_node *a = joint->a == AC_GROUND ? NULL : &system->nodes[joint->a];
    const ac_node *b = joint->b == AC_GROUND ? NULL : &system->nodes[joint->b];
    const char *name = joint->name ? joint->name : "";
    if (a && b && a->dimension != b->dimension) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': '%s' lives in %d dimensions and '%s' in %d",
                       name, a->name, a->dimension, b->name, b->dimension);
    }
    const ac_joint_row *row = ac_joint_find(joint->type);
    int shifts = ac_row_count(row, AC_MOTION_SHIFT), turns = ac_row_count(row, AC_MOTION_TURN);
    bool swing = ac_row_has(row, AC_MOTION_SWING), ball = ac_row_is_ball(row);
    bool point = (a && ac_node_turns(a) == 0) || (b && ac_node_turns(b) == 0);
    bool plane = (a && a->dimension < 3) || (b && b->dimension < 3);
    if (point && turns > 0 && shifts < 2) {
        return ac_fail(
            system->ctx, AC_BAD_INPUT,
            "joint '%s': a point has no orientation; use spherical, distance, prismatic, planar or fixed",
            name);
    }
    bool free_in_plane = shifts == 2 && turns == 1;
    if (plane && !swing && ((shifts + turns > 1 && !free_in_plane) || (ball && !point))) {
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "joint '%s': in the plane a joint is revolute, prismatic, planar, fixed or distance",
                       name);
    }
    bool line = (a && a->dimension == 1) || (b && b->dimension == 1);
    if (line && row->motion[0].kind != AC_MOTION_NONE) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': a point on a line can only be fixed", name);
    }
    double tilt = fabs(joint->frame_a.rotation[6 + row->motion[free_in_plane ? 2 : 0].axis]);
    if (plane && turns > 0 && fabs(tilt - 1.0) > 1e-9) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': in the plane the axis of a %s joint is z",
                       name, row->name);
    }
    if (plane && shifts == 1 && tilt > 1e-9) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': the axis of the slide must lie in the plane",
                       name);
    }
    return AC_OK;
}

ac_status ac_system_add_joint(ac_system *system, const ac_joint *joint, int *number)
{
    const char *name = joint->name ? joint->name : "";
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(check_node(system, "joint", name, joint->a));
    AC_TRY(check_node(system, "joint", name, joint->b));
    if (joint->a == joint->b)
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s' connects a node with itself", name);
    if (!ac_rotation_check(joint->frame_a.rotation, 1e-6) ||
        !ac_rotation_check(joint->frame_b.rotation, 1e-6)) {
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "joint '%s': a joint frame is not orthonormal and right handed", name);
    }
    if (!ac_joint_find(joint->type))
        return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': unknown type", name);
    AC_TRY(check_kinds(system, joint));
    AC_TRY(ac_grow(system->ctx, (void **)&system->joints, &system->joint_capacity, system->joint_count + 1,
                   sizeof(ac_joint_data)));
    char *copy = ac_copy_text(system->ctx, name);
    if (!copy) return ac_out_of_memory(system->ctx);
    ac_joint_data *data = &system->joints[system->joint_count];
    memset(data, 0, sizeof *data);
    data->name = copy;
    data->type = joint->type;
    data->row = ac_joint_find(joint->type);
    place_side(system, joint->a, &joint->frame_a, &data->a);
    place_side(system, joint->b, &joint->frame_b, &data->b);
    data->length = joint->length;
    data->has_coordinates = joint->has_coordinates;
    data->has_rates = joint->has_rates;
    data->hint = joint->has_coordinates && joint->hint;
    copy3(joint->coordinates, data->coordinates);
    copy3(joint->rates, data->rates);
    data->first_measure = -1;
    if (number) *number = system->joint_count;
    ++system->joint_count;
    return AC_OK;
}

/* The squared distance of two points as a measure. */
static ac_status length_measure(ac_system *system, const ac_point *a, const ac_point *b, int *measure)
{
    const ac_point *point[2] = {a, b};
    AC_TRY(ac_grow(system->ctx, (void **)&system->measures, &system->measure_capacity,
                   system->measure_count + 1, sizeof(ac_measure)));
    ac_measure *m = &system->measures[system->measure_count];
    *m = (ac_measure){.kind = AC_MEASURE_LENGTH, .first_form = system->measure_forms.count};
    ac_affine3 x[2];
    int q = 0;
    for (int k = 0; k < 2; ++k) {
        const ac_node *node = point[k]->node == AC_GROUND ? NULL : &system->nodes[point[k]->node];
        double place[3];
        copy3(point[k]->place, place);
        if (node) sub3(place, node->centre, place);
        x[k] = ac_node_point(node, q, place);
        if (!node) continue;
        m->end = point[k]->node;
        for (int i = 0; i < 3; ++i) m->place[i] = ac_node_turns(node) == 0 ? 0.0 : place[i];
        m->nodes[m->node_count++] = point[k]->node;
        q += node->size;
    }
    ac_affine3 gap = ac_affine_difference(&x[1], &x[0]);
    AC_TRY(ac_forms_begin(system->ctx, &system->measure_forms, 0.0));
    AC_TRY(ac_forms_add_dot(system->ctx, &system->measure_forms, &gap, &gap, 1.0));
    *measure = system->measure_count++;
    return AC_OK;
}

static ac_status add_spring_data(ac_system *system, const char *name, ac_spring_data data)
{
    AC_TRY(ac_grow(system->ctx, (void **)&system->springs, &system->spring_capacity, system->spring_count + 1,
                   sizeof(ac_spring_data)));
    data.name = ac_copy_text(system->ctx, name ? name : "");
    if (!data.name) return ac_out_of_memory(system->ctx);
    system->springs[system->spring_count++] = data;
    return AC_OK;
}

ac_status ac_system_add_spring(ac_system *system, const ac_spring *spring)
{
    const char *name = spring->name ? spring->name : "";
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(check_node(system, "spring", name, spring->a.node));
    AC_TRY(check_node(system, "spring", name, spring->b.node));
    if (spring->a.node == spring->b.node) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "spring '%s' connects a node with itself", name);
    }
    int measure = -1;
    AC_TRY(length_measure(system, &spring->a, &spring->b, &measure));
    ac_spring_data data = {.measure = measure,
                           .stiffness = spring->stiffness,
                           .damping = spring->damping,
                           .rest = spring->length,
                           .between_points = true};
    for (int k = 0; k < 2; ++k) {
        const ac_point *end = k == 0 ? &spring->a : &spring->b;
        data.end_node[k] = end->node;
        copy3(end->place, data.end_place[k]);
        if (end->node != AC_GROUND) sub3(end->place, system->nodes[end->node].centre, data.end_place[k]);
    }
    return add_spring_data(system, name, data);
}

/* The measure of a joint coordinate; measures of joints are made when the first one is asked for. */
ac_status ac_joint_measure(ac_system *system, const char *what, const char *name, int joint, int coordinate,
                           int *measure)
{
    if (joint < 0 || joint >= system->joint_count) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "%s '%s': there is no joint %d", what, name, joint);
    }
    ac_joint_data *data = &system->joints[joint];
    if (ac_row_is_ball(data->row) || coordinate < 0 || coordinate >= ac_row_coordinates(data->row)) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "%s '%s': joint '%s' (%s) has no coordinate %d to act on",
                       what, name, data->name, data->row->name, coordinate);
    }
    if (data->first_measure < 0) AC_TRY(ac_joint_measures(system, joint));
    *measure = data->first_measure + coordinate;
    return AC_OK;
}

ac_status ac_system_add_joint_spring(ac_system *system, const ac_joint_spring *spring)
{
    int measure = -1;
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    AC_TRY(ac_joint_measure(system, "spring", spring->name ? spring->name : "", spring->joint,
                            spring->coordinate, &measure));
    ac_spring_data data = {
        .measure = measure, .stiffness = spring->stiffness, .damping = spring->damping, .rest = spring->rest};
    return add_spring_data(system, spring->name, data);
}

static ac_status check_load(ac_system *system, const ac_load *load, int *measure)
{
    const char *name = load->name ? load->name : "";
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    if (load->type == AC_LOAD_JOINT)
        return ac_joint_measure(system, "load", name, load->joint, load->coordinate, measure);
    AC_TRY(check_node(system, "load", name, load->point.node));
    if (load->point.node == AC_GROUND)
        return ac_fail(system->ctx, AC_BAD_INPUT, "load '%s' acts on the ground", name);
    const ac_node *node = &system->nodes[load->point.node];
    if (load->type == AC_LOAD_TORQUE && ac_node_turns(node) == 0) {
        return ac_fail(system->ctx, AC_BAD_INPUT, "load '%s': a torque cannot act on a point", name);
    }
    if (load->type == AC_LOAD_TORQUE && ac_node_turns(node) == 1 && (load->value[0] || load->value[1])) {
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "load '%s': a torque on a planar body has a z component only", name);
    }
    return AC_OK;
}

ac_status ac_system_add_load(ac_system *system, const ac_load *load)
{
    int measure = -1;
    ac_status status = check_load(system, load, &measure);
    if (status == AC_OK) {
        status = ac_grow(system->ctx, (void **)&system->loads, &system->load_capacity, system->load_count + 1,
                         sizeof(ac_load_data));
    }
    char *copy = status == AC_OK ? ac_copy_text(system->ctx, load->name ? load->name : "") : NULL;
    if (status == AC_OK && !copy) status = ac_out_of_memory(system->ctx);
    if (status != AC_OK) {
        for (int k = 0; k < 3; ++k) ac_signal_free(load->value[k]);
        return status;
    }
    ac_load_data *data = &system->loads[system->load_count++];
    memset(data, 0, sizeof *data);
    data->name = copy;
    data->type = load->type;
    data->node = load->type == AC_LOAD_JOINT ? AC_GROUND : load->point.node;
    data->follows = load->follows;
    data->constant = load->constant;
    data->measure = measure;
    data->before = AC_GROUND;
    if (data->node != AC_GROUND) {
        const ac_node *node = &system->nodes[data->node];
        if (load->type == AC_LOAD_TORQUE) data->before = ac_beam_edge_before(system, data->node);
        sub3(load->point.place, node->centre, data->place);
        if (ac_node_turns(node) == 0) memset(data->place, 0, sizeof data->place);
    }
    for (int k = 0; k < 3; ++k) data->value[k] = load->value[k];
    return AC_OK;
}
