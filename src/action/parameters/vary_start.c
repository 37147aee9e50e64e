/* The start by free parameters: given coordinates and rates of the joints of the tree.
 *
 * Freedoms of a joint whose walk is aligned are its coordinates, with the opposite sign if it is reversed, so the increment of a freedom and its
 * rate are, up to that sign, those of the coordinate. Balls turn by what their three numbers are together, and are refused. */
#include <string.h>

#include "action/parameters/vary.h"

static const ac_joint_data *joint_of(const ac_variation *v, const ac_dependence *d)
{
    return d->object < 0 || d->object >= v->given->joint_count ? NULL : &v->given->joints[d->object];
}

static const ac_node *child_of(const ac_system *system, int joint)
{
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].joint == joint) return &system->nodes[i];
    return NULL;
}

const char *ac_variation_start_refusal(const ac_variation *v, const ac_dependence *d)
{
    const ac_joint_data *joint = joint_of(v, d);
    bool rate = d->datum == AC_DATUM_START_RATE;
    if (d->datum != AC_DATUM_START_COORDINATE && !rate) return NULL;
    const ac_node *child = joint ? child_of(v->given, d->object) : NULL;
    if (!joint || d->component < 0 || d->component >= ac_row_coordinates(joint->row))
        return "there is no such coordinate";
    if (ac_row_is_ball(joint->row))
        return "the coordinates of a ball turn together, and cannot be free; use a joint with an angle";
    if (!child) return "the joint closes a loop; give the coordinate of another joint of the loop";
    if (!child->walk.aligned)
        return "the second body of this joint carries the first one; give the bodies of the joint in the "
               "other order";
    if (rate ? !joint->has_rates : !joint->has_coordinates || joint->hint) return "it is not given";
    return NULL;
}

int *ac_variation_start_place(ac_variation *v, const ac_dependence *d, double *given)
{
    const ac_joint_data *joint = joint_of(v, d);
    bool rate = d->datum == AC_DATUM_START_RATE;
    if (!joint || ac_variation_start_refusal(v, d)) return NULL;
    *given = (rate ? joint->rates : joint->coordinates)[d->component];
    return &v->of.start[6 * d->object + 3 * rate + d->component];
}

const ac_jet *ac_variation_start(const ac_variation *v, const ac_node *node, int freedom, bool rate,
                                 double *factor, double *change)
{
    *change = 0.0;
    if (!v->starts || node->joint < 0 || !node->walk.aligned) return NULL;
    const ac_joint_data *joint = &v->given->joints[node->joint];
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        if (step->freedoms != 1 || step->freedom != freedom || step->number > 2) continue;
        int number = v->of.start[6 * node->joint + 3 * rate + step->number];
        if (number < 0) continue;
        const ac_jet *jet = &v->dependents[number].jet;
        *factor = joint->reversed ? -1.0 : 1.0;
        *change = *factor * (jet->v - (rate ? joint->rates : joint->coordinates)[step->number]);
        return jet;
    }
    return NULL;
}

void ac_variation_start_increments(const ac_variation *v, const ac_node *node, bool rate, double *out)
{
    double factor;
    for (int f = 0; f < node->freedoms; ++f) ac_variation_start(v, node, f, rate, &factor, &out[f]);
}
