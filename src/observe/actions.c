/* Actions: forces on coordinates, taken back to forces and torques at places.
 *
 * The wrench of a force on coordinates is A(q)^T f; what constraints inside a node (its directors are unit
 * vectors, at right angles) contribute vanishes in it. */
#include "observe/actions.h"

#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "action/element.h"
#include "action/load.h"
#include "tree/kinematics.h"

extern const ac_element_kind ac_element_spring;

void ac_node_world(const ac_system *system, int number, const double *q, const double place[3],
                   double world[3])
{
    double position[3], rotation[9], turned[3];
    copy3(place, world);
    if (number == AC_GROUND) return;
    const ac_node *node = &system->nodes[number];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply3(rotation, place, turned);
    for (int i = 0; i < 3; ++i) world[i] = position[i] + turned[i];
}

void ac_action_of(const ac_system *system, int number, const double *q, const double place[3],
                  const double *f, ac_action *action)
{
    const ac_node *node = &system->nodes[number];
    const double none[3] = {0.0, 0.0, 0.0};
    double wrench[6], centre[3], arm[3], turn[3];
    ac_node_world(system, number, q, place, action->place);
    ac_node_world(system, number, q, none, centre);
    ac_node_wrench(node, q + node->q, f, wrench);
    sub3(action->place, centre, arm);
    cross3(arm, wrench, turn);
    copy3(wrench, action->force);
    sub3(wrench + 3, turn, action->torque);
}

/* f: force on the coordinates of the nodes of a measure, one after another */
static void gathered_action(const ac_system *system, const ac_measure *m, const double *q, const double *f,
                            ac_action *action)
{
    int start = 0;
    for (int e = 0; e < m->node_count && m->nodes[e] != m->end; ++e) start += system->nodes[m->nodes[e]].size;
    ac_action_of(system, m->end, q, m->place, f + start, action);
}

void ac_measure_action(const ac_system *system, int measure, const double *q, const double *winding,
                       double value, ac_action *action)
{
    const ac_measure *m = &system->measures[measure];
    double x[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[measure], f, NULL);
    for (int i = 0; i < ac_measure_size(system, m); ++i) f[i] *= value;
    gathered_action(system, m, q, f, action);
}

bool ac_measure_turns(const ac_system *system, int measure)
{
    return system->measures[measure].kind == AC_MEASURE_ANGLE;
}

bool ac_load_turns(const ac_system *system, int k)
{
    const ac_load_data *load = &system->loads[k];
    return load->measure >= 0 ? ac_measure_turns(system, load->measure) : load->type == AC_LOAD_TORQUE;
}

bool ac_joint_turns(const ac_joint_data *joint)
{
    return ac_row_holds_turns(joint->row);
}

void ac_load_action(const ac_system *system, int k, double t, const double *q, const double *winding,
                    double factor, ac_action *action)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], f[AC_NODE_MAX];
    ac_load_values(load, t, 0.0, tau);
    for (int i = 0; i < 3; ++i) tau[i] *= factor;
    if (load->measure >= 0) {
        ac_measure_action(system, load->measure, q, winding, tau[0], action);
        return;
    }
    ac_action one;
    int nodes[2], count = ac_load_nodes(load, nodes);
    for (int e = 0; e < count; ++e) { /* several take a torque together; it is shown at the first */
        ac_load_on_node(system, k, tau, q, nodes[e], f);
        ac_action_of(system, nodes[e], q, load->place, f, &one);
        if (e == 0) *action = one;
        for (int i = 0; i < 3 && e > 0; ++i) action->torque[i] += one.torque[i];
    }
}

void ac_spring_action(const ac_system *system, int k, const double *q, const double *v, const double *winding,
                      ac_action *action)
{
    const ac_measure *m = &system->measures[system->springs[k].measure];
    int size = ac_measure_size(system, m);
    double x[AC_ELEMENT_MAX], rate[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX] = {0.0}, damping[AC_ELEMENT_MAX];
    ac_measure_gather(system, m, q, x);
    if (ac_element_conservative(&ac_element_spring, system, k)) {
        ac_element_gradient(&ac_element_spring, system, k, x, winding, f);
        for (int i = 0; i < size; ++i) f[i] = -f[i];
    }
    if (v && ac_element_dissipative(&ac_element_spring, system, k)) {
        ac_measure_gather(system, m, v, rate);
        ac_element_force(&ac_element_spring, system, k, x, rate, winding, damping, NULL, NULL);
        for (int i = 0; i < size; ++i) f[i] += damping[i];
    }
    gathered_action(system, m, q, f, action);
}

void ac_joint_action(const ac_system *system, int number, const double *q, const double *lambda,
                     ac_action *action)
{
    const ac_joint_data *joint = &system->joints[number];
    const ac_side *side = joint->b.node == AC_GROUND ? &joint->a : &joint->b;
    const ac_constraints *c = &system->constraints;
    const ac_node *node = &system->nodes[side->node];
    double f[AC_NODE_MAX] = {0.0}, gradient[AC_ELEMENT_MAX];
    for (int row = joint->first_row; row < joint->first_row + joint->rows; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            int own = c->coordinate[e] - node->q;
            if (own >= 0 && own < node->size) f[own] -= lambda[row] * gradient[e - c->start[row]];
        }
    }
    ac_action_of(system, side->node, q, side->place, f, action);
}
