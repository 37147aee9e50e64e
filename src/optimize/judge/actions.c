/* The controls of a solved problem as forces and torques that can be seen. */
#include "base/vector.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

/* The measure of the joint coordinate that a control acts on; -1 when it acts otherwise. */
static int measure_of(const ac_optimization *o, const ac_control *c)
{
    if (c->type != AC_LOAD_JOINT) return -1;
    const ac_joint_data *joint = &o->system->joints[c->joint];
    return joint->first_measure < 0 ? -1 : joint->first_measure + c->coordinate;
}

bool ac_optimization_control_turns(const ac_optimization *o, int control)
{
    const ac_control *c = &o->description.controls[control].given;
    int measure = measure_of(o, c);
    return measure >= 0 ? ac_measure_turns(o->system, measure) : c->type != AC_LOAD_FORCE;
}

/* The world direction of component k, in the axes of a node if it follows it. */
static void direction_of(const ac_system *system, int number, bool follows, int k, const double *q,
                         double direction[3])
{
    double position[3], rotation[9], unit[3] = {0.0, 0.0, 0.0};
    unit[k] = 1.0;
    copy3(unit, direction);
    if (number == AC_GROUND || !follows) return;
    const ac_node *node = &system->nodes[number];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply3(rotation, unit, direction);
}

void ac_optimization_control_action(const ac_optimization *o, const ac_system *system, int control,
                                    int interval, const double *q, const double *measure_windings,
                                    ac_action *action)
{
    const ac_control_data *data = &o->description.controls[control];
    const ac_control *c = &data->given;
    double value =
        o->point.tau[(size_t)interval * (size_t)o->description.discrete.input_count + (size_t)data->input];
    int measure = measure_of(o, c);
    if (measure >= 0) {
        ac_measure_action(system, measure, q, measure_windings, value, action);
        return;
    }
    double direction[3], place[3] = {0.0, 0.0, 0.0};
    bool joint = c->type == AC_LOAD_JOINT;
    const ac_joint_data *held = joint ? &system->joints[c->joint] : NULL;
    const ac_side *side = joint ? (held->b.node == AC_GROUND ? &held->a : &held->b) : NULL;
    int node = joint ? side->node : c->point.node;
    bool point = ac_node_turns(&system->nodes[node]) == 0;
    direction_of(system, joint ? held->a.node : node, c->follows && !point, c->coordinate, q, direction);
    int before = c->type == AC_LOAD_TORQUE ? ac_beam_edge_before(system, node) : AC_GROUND;
    if (before != AC_GROUND) { /* it takes half of it */
        double other[3];
        direction_of(system, before, c->follows, c->coordinate, q, other);
        for (int i = 0; i < 3; ++i) direction[i] = 0.5 * (direction[i] + other[i]);
    }
    if (joint && held->b.node == AC_GROUND) value = -value; /* action and reaction */
    if (joint) copy3(side->place, place);
    if (c->type == AC_LOAD_FORCE && !point) sub3(c->point.place, system->nodes[node].centre, place);
    if (data->moves) ac_place_values(&o->description.variation, &data->source, place);
    ac_node_world(system, node, q, place, action->place);
    for (int i = 0; i < 3; ++i) {
        action->force[i] = c->type == AC_LOAD_FORCE ? value * direction[i] : 0.0;
        action->torque[i] = c->type == AC_LOAD_FORCE ? 0.0 : value * direction[i];
    }
}
