/* Building small mechanisms for tests. */
#include "support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"
#include "tree/kinematics.h"

void rig_open(rig *r, ac_context *ctx)
{
    memset(r, 0, sizeof *r);
    r->own_context = !ctx;
    r->ctx = ctx ? ctx : ac_context_new(NULL);
    r->status = r->ctx ? ac_system_new(r->ctx, &r->system) : AC_NO_MEMORY;
}

void rig_close(rig *r)
{
    ac_system_free(r->system);
    if (r->own_context) ac_context_free(r->ctx);
    memset(r, 0, sizeof *r);
}

void rig_gravity(rig *r, double x, double y, double z)
{
    const double gravity[3] = {x, y, z};
    if (r->status == AC_OK) r->status = ac_system_set_gravity(r->system, gravity);
}

static int add_body(rig *r, const ac_body *body)
{
    int node = AC_GROUND;
    if (r->status == AC_OK) r->status = ac_system_add_body(r->system, body, &node);
    return node;
}

int rig_body(rig *r, const char *name, double mass, const double inertia[3], const double position[3],
             const double rotation[9])
{
    ac_body body = {.name = name, .mass = mass, .placed = true, .pose = ac_pose_identity()};
    copy3(inertia, body.inertia);
    copy3(position, body.pose.position);
    if (rotation) memcpy(body.pose.rotation, rotation, sizeof body.pose.rotation);
    return add_body(r, &body);
}

/* Inertia of a cloud of random mass points, so that it belongs to a real body. */
static void cloud_inertia(dice *d, double mass, double J[6])
{
    double E[9] = {0};
    for (int k = 0; k < 6; ++k) {
        double x[3];
        dice_vector(d, 3, 0.6, x);
        for (int i = 0; i < 9; ++i) E[i] += mass / 6.0 * x[i / 3] * x[i % 3];
    }
    double trace = E[0] + E[4] + E[8];
    J[0] = trace - E[0];
    J[1] = trace - E[4];
    J[2] = trace - E[8];
    J[3] = -E[1];
    J[4] = -E[5];
    J[5] = -E[2];
}

int rig_odd_body(rig *r, const char *name, dice *d, const double position[3], const double rotation[9],
                 bool moving)
{
    ac_body body = {.name = name, .mass = dice_between(d, 0.5, 2.0), .placed = true, .moving = moving};
    cloud_inertia(d, body.mass, body.inertia);
    dice_vector(d, 3, 0.3, body.centre);
    copy3(position, body.pose.position);
    memcpy(body.pose.rotation, rotation, sizeof body.pose.rotation);
    dice_vector(d, 3, 1.0, body.velocity);
    dice_vector(d, 3, 2.0, body.angular_velocity);
    return add_body(r, &body);
}

int rig_rod(rig *r, const char *name, const double a[3], const double b[3], double density)
{
    double along[3], e1[3], e2[3], R[9], centre[3];
    sub3(b, a, along);
    double length = norm3(along), mass = density * length, J = mass * length * length / 12.0;
    ac_perpendicular(along, e1, e2);
    for (int i = 0; i < 3; ++i) {
        R[3 * i] = along[i] / length;
        R[3 * i + 1] = e1[i];
        R[3 * i + 2] = e2[i];
        centre[i] = 0.5 * (a[i] + b[i]);
    }
    const double inertia[3] = {0.0, J, J};
    return rig_body(r, name, mass, inertia, centre, R);
}

int rig_planar(rig *r, const char *name, double mass, double inertia, double x, double y, double angle)
{
    int node = AC_GROUND;
    ac_planar_body body = {
        .name = name, .mass = mass, .inertia = inertia, .placed = true, .position = {x, y}, .angle = angle};
    if (r->status == AC_OK) r->status = ac_system_add_planar_body(r->system, &body, &node);
    return node;
}

int rig_planar_rod(rig *r, const char *name, const double a[2], const double b[2], double density)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy), mass = density * length;
    return rig_planar(r, name, mass, mass * length * length / 12.0, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]),
                      atan2(dy, dx));
}

int rig_point(rig *r, const char *name, double mass, int dimension, double x, double y, double z)
{
    int node = AC_GROUND;
    ac_point_mass point = {
        .name = name, .mass = mass, .dimension = dimension, .placed = true, .position = {x, y, z}};
    if (r->status == AC_OK) r->status = ac_system_add_point_mass(r->system, &point, &node);
    return node;
}

void rig_moving(rig *r, int node, const double velocity[3], const double spin[3])
{
    if (r->status != AC_OK) return;
    ac_node *n = &r->system->nodes[node];
    n->moving = true;
    copy3(velocity, n->velocity);
    if (spin) copy3(spin, n->spin);
}

/* A frame of the world in the user's frame of a node. */
static ac_pose in_node(const rig *r, int number, const double x[3], const double axes[9])
{
    ac_pose frame;
    copy3(x, frame.position);
    memcpy(frame.rotation, axes, sizeof frame.rotation);
    if (number == AC_GROUND) return frame;
    const ac_node *node = &r->system->nodes[number];
    double arm[3];
    sub3(x, node->pose.position, arm);
    apply_transposed3(node->pose.rotation, arm, frame.position);
    add3(frame.position, node->centre, frame.position);
    transposed_multiply3(node->pose.rotation, axes, frame.rotation);
    return frame;
}

static int add_joint(rig *r, const ac_joint *joint)
{
    int number = -1;
    if (r->status == AC_OK) r->status = ac_system_add_joint(r->system, joint, &number);
    return number;
}

/* The same for joints that came later: shifts, then turns, as their row says. */
static void pose_of_row(const ac_joint_row *row, const double *c, double shift[3], double turn[9])
{
    for (int k = 0; k < AC_ROW_MAX; ++k) {
        double theta[3] = {0.0, 0.0, 0.0}, own[9], before[9];
        if (row->motion[k].kind == AC_MOTION_SHIFT) shift[row->motion[k].axis] += *c++;
        if (row->motion[k].kind != AC_MOTION_TURN) continue;
        theta[row->motion[k].axis] = *c++;
        ac_rotation_exp(theta, own);
        memcpy(before, turn, sizeof before);
        multiply3(before, own, turn);
    }
}

/* Pose of frame b in frame a for given joint coordinates. */
static void relative_pose(ac_joint_type type, const double *c, double shift[3], double turn[9])
{
    double theta[3] = {0, 0, 0};
    shift[0] = shift[1] = shift[2] = 0.0;
    if (type == AC_SPHERICAL) copy3(c, theta);
    if (type == AC_REVOLUTE) theta[2] = c[0];
    if (type == AC_PRISMATIC) shift[2] = c[0];
    if (type == AC_CYLINDRICAL) {
        shift[2] = c[0];
        theta[2] = c[1];
    }
    if (type == AC_PLANAR) {
        shift[0] = c[0];
        shift[1] = c[1];
        theta[2] = c[2];
    }
    ac_rotation_exp(theta, turn);
    if (type == AC_UNIVERSAL) { /* about z, then about x */
        double first[9], second[9];
        ac_rotation_exp((double[3]){0.0, 0.0, c[0]}, first);
        ac_rotation_exp((double[3]){c[1], 0.0, 0.0}, second);
        multiply3(first, second, turn);
    }
    if (type > AC_UNIVERSAL) pose_of_row(ac_joint_find(type), c, shift, turn);
}

int rig_joint(rig *r, const char *name, ac_joint_type type, int a, int b, const double point[3],
              const double axis[3], const double *coordinates)
{
    if (r->status != AC_OK) return -1;
    static const double zero[3] = {0, 0, 0};
    double length = norm3(axis), z[3], e1[3], e2[3], frame_a[9], frame_b[9], shift[3], turn[9], offset[3],
           x_b[3];
    for (int i = 0; i < 3; ++i) z[i] = axis[i] / length;
    ac_perpendicular(z, e1, e2);
    for (int i = 0; i < 3; ++i) {
        frame_a[3 * i] = e1[i];
        frame_a[3 * i + 1] = e2[i];
        frame_a[3 * i + 2] = z[i];
    }
    relative_pose(type, coordinates ? coordinates : zero, shift, turn);
    apply3(frame_a, shift, offset);
    add3(point, offset, x_b);
    multiply3(frame_a, turn, frame_b);
    ac_joint joint = {.name = name, .type = type, .a = a, .b = b};
    joint.frame_a = in_node(r, a, point, frame_a);
    joint.frame_b = in_node(r, b, x_b, frame_b);
    if (r->posed) {
        joint.has_coordinates = true;
        if (coordinates) copy3(coordinates, joint.coordinates);
    }
    return add_joint(r, &joint);
}

int rig_distance(rig *r, const char *name, int a, int b, const double on_a[3], const double on_b[3])
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (r->status != AC_OK) return -1;
    ac_joint joint = {.name = name, .type = AC_DISTANCE, .a = a, .b = b};
    joint.frame_a = in_node(r, a, on_a, axes);
    joint.frame_b = in_node(r, b, on_b, axes);
    return add_joint(r, &joint);
}

void rig_rates(rig *r, int joint, double first, double second, double third)
{
    if (r->status != AC_OK) return;
    const double rates[3] = {first, second, third};
    r->system->joints[joint].has_rates = true;
    copy3(rates, r->system->joints[joint].rates);
}

void rig_given(rig *r, int joint, double first, double second, double third)
{
    if (r->status != AC_OK) return;
    const double coordinates[3] = {first, second, third};
    r->system->joints[joint].has_coordinates = true;
    copy3(coordinates, r->system->joints[joint].coordinates);
}

static ac_point place_on(const rig *r, int node, const double x[3])
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ac_pose frame = in_node(r, node, x, axes);
    ac_point point = {.node = node};
    copy3(frame.position, point.place);
    return point;
}

void rig_spring(rig *r, int a, int b, const double on_a[3], const double on_b[3], double stiffness,
                double damping, double length)
{
    if (r->status != AC_OK) return;
    ac_spring spring = {"spring", place_on(r, a, on_a), place_on(r, b, on_b), stiffness, damping, length};
    r->status = ac_system_add_spring(r->system, &spring);
}

void rig_joint_spring(rig *r, int joint, int coordinate, double stiffness, double damping, double rest)
{
    if (r->status != AC_OK) return;
    ac_joint_spring spring = {"joint spring", joint, coordinate, stiffness, damping, rest};
    r->status = ac_system_add_joint_spring(r->system, &spring);
}

static void add_load(rig *r, ac_load load, const char *const text[3])
{
    for (int k = 0; k < 3 && r->status == AC_OK; ++k)
        if (text[k]) r->status = ac_signal_expression(r->ctx, text[k], &load.value[k]);
    if (r->status == AC_OK) {
        r->status = ac_system_add_load(r->system, &load);
        return;
    }
    for (int k = 0; k < 3; ++k) ac_signal_free(load.value[k]);
}

void rig_force(rig *r, int node, const double world_point[3], bool follows, const char *x, const char *y,
               const char *z)
{
    const char *const text[3] = {x, y, z};
    if (r->status != AC_OK) return;
    ac_load load = {
        .name = "force", .type = AC_LOAD_FORCE, .point = place_on(r, node, world_point), .follows = follows};
    add_load(r, load, text);
}

void rig_torque(rig *r, int node, bool follows, const char *x, const char *y, const char *z)
{
    const char *const text[3] = {x, y, z};
    ac_load load = {.name = "torque", .type = AC_LOAD_TORQUE, .point = {.node = node}, .follows = follows};
    if (r->status == AC_OK) add_load(r, load, text);
}

void rig_joint_load(rig *r, int joint, int coordinate, const char *value)
{
    const char *const text[3] = {value, NULL, NULL};
    ac_load load = {.name = "joint load", .type = AC_LOAD_JOINT, .joint = joint, .coordinate = coordinate};
    if (r->status == AC_OK) add_load(r, load, text);
}

ac_status rig_finish(rig *r)
{
    if (r->status == AC_OK) r->status = ac_system_finish(r->system, &r->assembly);
    return r->status;
}

void rig_moved(dice *d, const ac_system *system, double *q)
{
    double *increment = numbers(system->tree.freedoms);
    ac_joint_state *state = calloc((size_t)system->node_count + 1, sizeof *state);
    if (!state) abort();
    dice_vector(d, system->tree.freedoms, 0.05, increment);
    memcpy(q, system->initial.q, (size_t)system->n * sizeof *q);
    ac_tree_move(system, increment, system->initial.state, state, q);
    free(increment);
    free(state);
}
