/* Spins without inertia: a thin rod between ball joints can turn about its own axis, and nothing resists.
 *
 * Such a spin is neutral: neither energy nor constraints nor loads know of it, and the matrix of a step is singular
 * along it. It is held by a little inertia about the axis, without any change of the inertia across it:
 *
 *   E = lambda a a^T   becomes   (lambda - epsilon) a a^T + epsilon (1 - a a^T),   J_axis = 2 epsilon
 *
 * The momentum of the spin is conserved, because everything is symmetric about the axis, also in the discrete action;
 * a spin of zero stays zero, and then the inertia about the axis does not show in the motion. Bodies are left alone,
 * and the step says that inertia is missing, where something acts on the spin.
 */
#include <math.h>

#include "action/describe/actor.h"
#include "base/vector.h"

static const double SHARE = 1e-6;   /* epsilon / lambda */
static const double ON_AXIS = 1e-9; /* of the typical length, or rad */

/* The axis of a body without inertia about it. */
static bool thin_axis(const ac_node *node, double axis[3], double *lambda)
{
    const double *E = node->euler;
    int best = 0;
    if (node->kind != AC_NODE_BODY || node->beam >= 0) return false;
    for (int k = 1; k < 3; ++k)
        if (E[4 * k] > E[4 * best]) best = k;
    *lambda = E[0] + E[4] + E[8];
    if (!(E[4 * best] > 0.0)) return false;
    for (int k = 0; k < 3; ++k) axis[k] = E[3 * k + best] / sqrt(E[4 * best] * *lambda);
    for (int k = 0; k < 9; ++k)
        if (fabs(E[k] - *lambda * axis[k / 3] * axis[k % 3]) > 1e-12 * *lambda) return false;
    return true;
}

static bool along(const double axis[3], const double x[3], double slack)
{
    double across[3];
    cross3(axis, x, across);
    return norm3(across) <= slack;
}

/* Does the joint leave the spin of this side free, and is it the same in every spin? */
static bool joint_allows(const ac_joint_data *joint, const ac_side *side, const double axis[3], double slack)
{
    const double z[3] = {side->axes[2], side->axes[5], side->axes[8]};
    if (!along(axis, side->place, slack)) return false;
    if (ac_row_has(joint->row, AC_MOTION_BALL)) return true;
    return (joint->type == AC_REVOLUTE || joint->type == AC_CYLINDRICAL) && along(axis, z, ON_AXIS);
}

/* A point of a node on which something acts: beside the axis it acts on the spin. */
static void bind_point(ac_system *system, int i, const double place[3])
{
    double axis[3], lambda;
    if (i == AC_GROUND || !system->nodes[i].held) return;
    system->nodes[i].held = thin_axis(&system->nodes[i], axis, &lambda) &&
                            along(axis, place, ON_AXIS * system->length_scale);
}

static void bind_joint(ac_system *system, const ac_joint_data *joint, const ac_side *side)
{
    double axis[3], lambda;
    if (side->node == AC_GROUND || !system->nodes[side->node].held) return;
    system->nodes[side->node].held = thin_axis(&system->nodes[side->node], axis, &lambda) &&
                                     joint_allows(joint, side, axis, ON_AXIS * system->length_scale);
}

/* What does not act through a point of a node may act on its spin. */
static void bind_actor(void *user, const ac_actor *actor)
{
    ac_system *system = user;
    for (int k = 0; k < actor->count; ++k) {
        if (actor->places[k])
            bind_point(system, actor->nodes[k], actor->places[k]);
        else
            system->nodes[actor->nodes[k]].held = false;
    }
}

/* Leaves `held` only at thin bodies on whose spin nothing acts. */
static void find_free_spins(ac_system *system)
{
    double axis[3], lambda;
    for (int i = 0; i < system->node_count; ++i)
        system->nodes[i].held = thin_axis(&system->nodes[i], axis, &lambda);
    for (int j = 0; j < system->joint_count; ++j) {
        bind_joint(system, &system->joints[j], &system->joints[j].a);
        bind_joint(system, &system->joints[j], &system->joints[j].b);
    }
    ac_each_actor(system, bind_actor, system);
}

void ac_system_hold_spins(ac_system *system)
{
    ac_assembly *a = &system->initial.assembly;
    a->held_node = AC_GROUND;
    a->held_count = 0;
    find_free_spins(system);
    for (int i = 0; i < system->node_count; ++i) {
        ac_node *node = &system->nodes[i];
        double axis[3], lambda;
        if (!node->held || !thin_axis(node, axis, &lambda)) continue;
        for (int k = 0; k < 9; ++k) {
            double outer = axis[k / 3] * axis[k % 3], one = k % 4 == 0 ? 1.0 : 0.0;
            node->euler[k] = (1.0 - SHARE) * lambda * outer + SHARE * lambda * (one - outer);
        }
        if (a->held_count++ == 0) a->held_node = i;
    }
}
