/* Handing on what rounding left of a step equation.
 *
 * Added to the momentum of the next node it makes up for itself: momentum errors do not add up. Schemes
 * that keep the energy need more care where there are beams: a stiff beam changes the momentum of a node
 * by much more than the node has, and the rest e, seen as momentum, costs the energy (p_next - p) . M^{-1}
 * e instead of 2 v . e. There only the total force and torque of the rest are handed on, as the momentum
 * of a rigid motion of all nodes: that keeps linear and angular momentum and costs nothing. Where the
 * ground holds the system there is no momentum to keep.
 */
#include <string.h>

#include "base/vector.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"

/* Total force, and torque about `centre`, of f at q. */
static void total_wrench(const ac_system *system, const double *q, const double *f, const double centre[3],
                         double total[6])
{
    memset(total, 0, 6 * sizeof *total);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double w[6], x[3], arm[3];
        ac_node_wrench(node, q + node->q, f + node->q, w);
        ac_reference(node, q, x);
        sub3(x, centre, arm);
        add_cross3(arm, w, w + 3);
        for (int k = 0; k < 6; ++k) total[k] += w[k];
    }
}

/* Velocities of all coordinates in a rigid motion about `centre`. */
static void rigid_velocity(const ac_system *system, const double *q, const double twist[6],
                           const double centre[3], double *v)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double own[6], x[3], arm[3];
        memcpy(own, twist, sizeof own);
        ac_reference(node, q, x);
        sub3(x, centre, arm);
        add_cross3(twist + 3, arm, own);
        ac_node_tangent(node, q + node->q, own, v + node->q);
    }
}

static void hand_on_total(ac_stepper *s, double factor, const double *rest)
{
    const ac_system *system = s->system;
    double *velocity = s->scratch[0], *momentum = s->scratch[1];
    double total[6], inertia[36], centre[3];
    int pivot[6];
    ac_reference(&system->nodes[0], s->interval.mean, centre);
    total_wrench(system, s->interval.mean, rest, centre, total);
    for (int k = 0; k < 6; ++k) {
        double unit[6] = {0.0}, column[6];
        unit[k] = 1.0;
        rigid_velocity(system, s->qb, unit, centre, velocity);
        ac_mass_apply(system, velocity, momentum);
        total_wrench(system, s->qb, momentum, centre, column);
        for (int i = 0; i < 6; ++i) inertia[6 * i + k] = column[i];
    }
    if (!ac_lu_factor(6, inertia, pivot)) return; /* a motion without inertia: nothing to keep */
    ac_lu_solve(6, inertia, pivot, total);
    rigid_velocity(system, s->qb, total, centre, velocity);
    ac_mass_apply(system, velocity, momentum);
    for (int i = 0; i < system->n; ++i) s->right[i] += factor * momentum[i];
}

static bool is_held(const ac_system *system)
{
    for (int j = 0; j < system->joint_count; ++j)
        if (system->joints[j].a.node == AC_GROUND || system->joints[j].b.node == AC_GROUND) return true;
    return false;
}

static bool keeps_energy_of_beams(const ac_stepper *s)
{
    return s->scheme->at_mean && s->system->beam_count > 0;
}

bool ac_stepper_hands_on(const ac_stepper *s)
{
    return !keeps_energy_of_beams(s) || !is_held(s->system);
}

void ac_stepper_hand_on(ac_stepper *s, double factor, const double *rest)
{
    if (!ac_stepper_hands_on(s)) return;
    if (keeps_energy_of_beams(s)) {
        hand_on_total(s, factor, rest);
        return;
    }
    for (int i = 0; i < s->system->n; ++i) s->right[i] += factor * rest[i];
}
