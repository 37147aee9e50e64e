/* Beams begin unbent: where joints carry them, they are carried as a whole.
 *
 * A joint whose angle or speed is given would otherwise place or drive one node of a beam and leave the
 * others where they were placed, and the motion would begin with a torn beam. So a twin of the system, in which
 * every beam is one rigid body, is assembled first; its poses and velocities become the initial ones of the
 * system itself. If the twin cannot be assembled, or cannot have the given speeds, the joints bend the beams
 * already at the start, and the initial state stays as it is.
 */
#include <math.h>

#include "assembly/start_jets.h"
#include "base/vector.h"
#include "math/math.h"

typedef struct twin {
    ac_system *system;
    int *node; /* of the twin, for each node */
    ac_assembly assembly;
} twin;

static bool is_asked_for(const ac_system *system)
{
    bool given = false;
    for (int i = 0; i < system->node_count; ++i) given |= system->nodes[i].moving;
    for (int j = 0; j < system->joint_count; ++j)
        given |= system->joints[j].has_coordinates || system->joints[j].has_rates;
    return given && system->beam_count > 0;
}

static int first_of_beam(const ac_system *system, int node)
{
    int beam = system->nodes[node].beam;
    return beam < 0 ? node : system->beams[beam].first_node;
}

/* The frame of a node in that of the first node of its beam, as given. */
static ac_pose within_beam(const ac_system *system, int node)
{
    const ac_pose *first = &system->nodes[first_of_beam(system, node)].pose,
                  *here = &system->nodes[node].pose;
    ac_pose inside;
    double gap[3];
    sub3(here->position, first->position, gap);
    apply_transposed3(first->rotation, gap, inside.position);
    transposed_multiply3(first->rotation, here->rotation, inside.rotation);
    return inside;
}

static ac_status copy_nodes(const ac_system *system, twin *t)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node *copy;
        if (first_of_beam(system, i) != i) {
            t->node[i] = t->node[first_of_beam(system, i)];
            continue;
        }
        AC_TRY(ac_system_add_node(t->system, node->name, &copy, &t->node[i]));
        char *name = copy->name;
        *copy = *node;
        copy->name = name;
        copy->beam = -1;
        if (system->initial.unbent) { /* it is made again, from the start that it gave */
            copy->placed = node->given_placed;
            copy->moving = node->given_moving;
            copy->velocity_follows = node->given_velocity_follows;
            copy->spin_follows = node->given_spin_follows;
        }
        if (node->beam < 0) continue;
        copy->mass = 1.0; /* any: only its place matters */
        for (int k = 0; k < 9; ++k) copy->euler[k] = k % 4 == 0 ? 1.0 : 0.0;
    }
    return AC_OK;
}

/* The joint frame of a side, in the axes of the twin's node. */
static ac_pose side_of_twin(const ac_system *system, const ac_side *side)
{
    ac_pose frame;
    copy3(side->place, frame.position);
    memcpy(frame.rotation, side->axes, sizeof frame.rotation);
    if (side->node == AC_GROUND || system->nodes[side->node].beam < 0) return frame;
    ac_pose inside = within_beam(system, side->node);
    apply3(inside.rotation, side->place, frame.position);
    add3(frame.position, inside.position, frame.position);
    multiply3(inside.rotation, side->axes, frame.rotation);
    return frame;
}

static int node_of_twin(const twin *t, int node)
{
    return node == AC_GROUND ? AC_GROUND : t->node[node];
}

static ac_status copy_joints(const ac_system *system, twin *t)
{
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        ac_joint copy = {.name = joint->name,
                         .type = joint->type,
                         .a = node_of_twin(t, joint->a.node),
                         .b = node_of_twin(t, joint->b.node),
                         .frame_a = side_of_twin(system, &joint->a),
                         .frame_b = side_of_twin(system, &joint->b),
                         .length = joint->length,
                         .has_coordinates = joint->has_coordinates,
                         .hint = joint->hint,
                         .has_rates = joint->has_rates};
        if (copy.a == copy.b) continue; /* within a beam */
        copy3(joint->coordinates, copy.coordinates);
        copy3(joint->rates, copy.rates);
        for (int side = 0; side < 2;
             ++side) { /* joints count from the user's frame, sides from the centre of mass */
            int node = side == 0 ? joint->a.node : joint->b.node;
            double *place = side == 0 ? copy.frame_a.position : copy.frame_b.position;
            if (node != AC_GROUND) add3(place, t->system->nodes[t->node[node]].centre, place);
        }
        AC_TRY(ac_system_add_joint(t->system, &copy, NULL));
    }
    return AC_OK;
}

/* Did the twin get the speeds that were asked for? */
static bool moves_as_given(const twin *t)
{
    double most = 0.0;
    for (int i = 0; i < t->system->n; ++i) most = ac_max(most, fabs(t->system->initial.v[i]));
    return t->assembly.velocity_change <= 1e-9 * (1.0 + most);
}

/* Velocity of the reference point and angular velocity of a node from the velocities of its coordinates. */
static void velocities_of(const ac_node *node, const double *q, const double *v, double velocity[3],
                          double spin[3])
{
    for (int c = 0; c < 3; ++c) velocity[c] = c < node->dimension ? v[c] : 0.0;
    ac_node_spin(node, q, v, spin);
}

/* The twin's state becomes the initial one; beams move as rigid bodies. From the last node to the first one:
 * the initial pose of the first node of a beam is needed for all the others. */
static void take_over(const twin *t, ac_system *system)
{
    for (int i = system->node_count - 1; i >= 0; --i) {
        ac_node *node = &system->nodes[i];
        const ac_node *rigid = &t->system->nodes[t->node[i]];
        const double *q = t->system->initial.q + rigid->q, *v = t->system->initial.v + rigid->q;
        ac_pose pose = {{0}, {0}}, inside = node->beam < 0 ? ac_pose_identity() : within_beam(system, i);
        double arm[3];
        ac_node_get_pose(rigid, q, pose.position, pose.rotation);
        velocities_of(rigid, q, v, node->velocity, node->spin);
        apply3(pose.rotation, inside.position, arm);
        add3(pose.position, arm, node->pose.position);
        multiply3(pose.rotation, inside.rotation, node->pose.rotation);
        add_cross3(node->spin, arm, node->velocity);
        node->given_placed = node->placed;
        node->given_moving = node->moving;
        node->given_velocity_follows = node->velocity_follows;
        node->given_spin_follows = node->spin_follows;
        node->placed = node->moving = true;
        node->velocity_follows = node->spin_follows = false;
    }
    system->initial.unbent = true;
}

static ac_status assemble_twin(const ac_system *system, ac_context *ctx, twin *t)
{
    AC_TRY(ac_system_new(ctx, &t->system));
    AC_NEW(ctx, t->node, system->node_count);
    AC_TRY(copy_nodes(system, t));
    AC_TRY(copy_joints(system, t));
    return ac_system_finish(t->system, &t->assembly);
}

/* What the twin's assembly moved counts as moved by that of the system. */
static void hand_over_report(const twin *t, ac_system *system)
{
    ac_assembly *a = &system->initial.assembly;
    *a = (ac_assembly){.held_node = a->held_node,
                       .held_count = a->held_count,
                       .coordinate_joint = -1,
                       .velocity_joint = -1,
                       .velocity_node = AC_GROUND,
                       .moved = t->assembly.moved,
                       .moved_node = AC_GROUND,
                       .turned = t->assembly.turned,
                       .turned_node = AC_GROUND,
                       .iterations = t->assembly.iterations};
    for (int i = system->node_count - 1; i >= 0; --i) {
        if (t->node[i] == t->assembly.moved_node) a->moved_node = i;
        if (t->node[i] == t->assembly.turned_node) a->turned_node = i;
    }
}

/* --- derivatives --- */

/* Data of the twin: places and frames within a beam follow the given curve. */
static void slope_twin(const ac_system_slope *slope, const twin *t, ac_system_slope *to)
{
    const ac_system *system = slope->system;
    int copied = 0;
    for (int i = 0; i < system->node_count; ++i)
        if (first_of_beam(system, i) == i) to->nodes[t->node[i]] = slope->nodes[i];
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        const ac_side *sides[2] = {&joint->a, &joint->b};
        if (node_of_twin(t, joint->a.node) == node_of_twin(t, joint->b.node)) continue;
        ac_joint_slope *by = &to->joints[copied++];
        *by = slope->joints[j];
        for (int e = 0; e < 2; ++e) {
            int node = sides[e]->node, beam = node == AC_GROUND ? -1 : system->nodes[node].beam;
            const ac_node_slope *within = &slope->nodes[node == AC_GROUND ? 0 : node];
            double place[3], arm[3];
            if (beam < 0) continue;
            ac_pose inside = within_beam(system, node);
            copy3(by->place[e], place);
            apply3(inside.rotation, place, by->place[e]);
            add3(by->place[e], within->within_place, by->place[e]);
            apply3(inside.rotation, sides[e]->place, arm);
            add_cross3(within->within_turn, arm, by->place[e]);
            copy3(by->turn[e], place);
            apply3(inside.rotation, place, by->turn[e]);
            add3(by->turn[e], within->within_turn, by->turn[e]);
        }
    }
}

/* What take_over draws, differentiated: poses and velocities of the twin, with nodes of beams on rigid arms. */
static void take_over_slopes(const twin *t, const ac_system_slope *from, ac_system_slope *slope)
{
    const ac_system *system = slope->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i], *rigid = &t->system->nodes[t->node[i]];
        const ac_node *first = &system->nodes[first_of_beam(system, i)];
        ac_node_slope *out = &slope->nodes[i];
        const double *q = t->system->initial.q + rigid->q, *v = t->system->initial.v + rigid->q,
                     *by_q = from->q + rigid->q, *by_v = from->v + rigid->q;
        double arm[3], by_arm[3], spin[3], velocity[3], by_spin[3], bent[3], turn[3], within[3];
        velocities_of(rigid, q, v, velocity, spin);
        velocities_of(rigid, q, by_q, out->place, turn);
        velocities_of(rigid, q, by_v, out->velocity, by_spin); /* w' is that of q and v' ... */
        ac_node_spin(rigid, by_q, v, bent);                    /* ... and of q' and v */
        add3(by_spin, bent, out->spin);
        copy3(turn, out->turn);
        if (node->beam < 0) continue;
        sub3(node->pose.position, first->pose.position, arm);
        cross3(turn, arm, by_arm);
        apply3(first->pose.rotation, out->within_place, within);
        add3(by_arm, within, by_arm);
        apply3(first->pose.rotation, out->within_turn, within);
        add3(out->turn, within, out->turn);
        add3(out->place, by_arm, out->place);
        add_cross3(out->spin, arm, out->velocity);
        add_cross3(spin, by_arm, out->velocity);
    }
}

ac_status ac_unbent_slopes(ac_system_slope *slope)
{
    twin t = {0};
    ac_system_slope *own = NULL;
    ac_status status = assemble_twin(slope->system, slope->ctx, &t);
    if (status == AC_OK) status = ac_system_slope_new(slope->ctx, t.system, &own);
    if (status == AC_OK) {
        slope_twin(slope, &t, own);
        status = ac_start_slopes(own);
    }
    if (status == AC_OK) take_over_slopes(&t, own, slope);
    ac_system_slope_free(own);
    if (t.system) ac_system_free(t.system);
    ac_release(slope->ctx, t.node);
    return status;
}

/* A slope of a slope of the twin, with its own ones; places and frames within beams stay, so that all levels follow the same rule. */
static ac_status bend_twin(const ac_system_slope *slope, const twin *t, ac_system_slope *own[3])
{
    const ac_system_slope *from[3] = {slope->of, slope->along, slope};
    for (int k = 0; k < 3; ++k) {
        AC_TRY(ac_system_slope_new(slope->ctx, t->system, &own[k]));
        slope_twin(from[k], t, own[k]);
    }
    own[2]->of = own[0];
    own[2]->along = own[1];
    return AC_OK;
}

/* Nodes of beams are carried by the poses of the twin. */
static void carry_nodes(const ac_system *system, const twin *t, const ac_bend_pose *from, ac_bend_pose *poses)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_pose inside = system->nodes[i].beam < 0 ? ac_pose_identity() : within_beam(system, i);
        ac_bend_pose place = {0};
        copy3(inside.position, place.x.at[0]);
        memcpy(place.R.at[0], inside.rotation, sizeof inside.rotation);
        ac_bend_compose(&from[t->node[i]], &place, &poses[i]);
    }
}

static ac_status bend_poses(const ac_system_slope *slope, const twin *t, ac_bend_pose *poses)
{
    ac_system_slope *own[3] = {NULL, NULL, NULL};
    ac_bend_pose *from;
    double *q;
    AC_NEW(slope->ctx, from, t->system->node_count + 1);
    q = ac_allocate(slope->ctx, AC_BEND_LEVELS * (size_t)t->system->n + 1, sizeof *q);
    ac_status status = q ? bend_twin(slope, t, own) : ac_out_of_memory(slope->ctx);
    if (status == AC_OK) status = ac_bend_start(own[2], from, q);
    if (status == AC_OK) carry_nodes(slope->system, t, from, poses);
    for (int k = 0; k < 3; ++k) ac_system_slope_free(own[k]);
    ac_release(slope->ctx, from);
    ac_release(slope->ctx, q);
    return status;
}

ac_status ac_unbent_bends(const ac_system_slope *slope, ac_bend_pose *poses)
{
    twin t = {0};
    ac_status status = assemble_twin(slope->system, slope->ctx, &t);
    if (status == AC_OK) status = bend_poses(slope, &t, poses);
    if (t.system) ac_system_free(t.system);
    ac_release(slope->ctx, t.node);
    return status;
}

ac_status ac_system_unbend(ac_system *system)
{
    twin t = {0};
    if (!is_asked_for(system)) return AC_OK;
    ac_status status = assemble_twin(system, system->ctx, &t);
    if (status == AC_OK && moves_as_given(&t)) {
        take_over(&t, system);
        hand_over_report(&t, system);
    }
    if (t.system) ac_system_free(t.system);
    ac_release(system->ctx, t.node);
    return status == AC_BAD_INPUT ? AC_OK : status;
}
