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

#include "base/vector.h"
#include "model/system.h"

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

/* Springs and loads on joint coordinates act on the spins of their nodes. */
static void bind_measured(ac_system *system, int measure)
{
    const ac_measure *m = &system->measures[measure];
    for (int e = 0; e < m->node_count; ++e) system->nodes[m->nodes[e]].held = false;
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
    for (int s = 0; s < system->spring_count; ++s) {
        const ac_spring_data *spring = &system->springs[s];
        if (!spring->between_points) bind_measured(system, spring->measure);
        for (int e = 0; e < 2 && spring->between_points; ++e)
            bind_point(system, spring->end_node[e], spring->end_place[e]);
    }
    for (int k = 0; k < system->load_count; ++k) {
        const ac_load_data *load = &system->loads[k];
        if (load->measure >= 0) {
            bind_measured(system, load->measure);
        } else if (load->type == AC_LOAD_TORQUE || load->follows) {
            system->nodes[load->node].held = false;
        } else {
            bind_point(system, load->node, load->place);
        }
    }
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
