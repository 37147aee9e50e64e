/* The controls of the task optimize: joint torques and forces, forces and torques on bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "problem/build/functional.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_optimize.h"

/* Bounds and guesses do not enter derivatives at given controls. */
static void ignore_bounds(ac_builder *b, const ac_control_input *input)
{
    const ac_value *ignored[] = {input->limit, input->low, input->high, input->rate, input->guess};
    for (size_t k = 0; ac_sets_values(b) && k < sizeof ignored / sizeof *ignored; ++k)
        ac_follow_drawing(&b->reader, ignored[k]);
}

static ac_status control_numbers(ac_builder *b, const ac_control_input *input, ac_dimension dimension,
                                 ac_control *control)
{
    double limit;
    control->low = -INFINITY;
    control->high = INFINITY;
    control->rate = INFINITY;
    if (input->limit) {
        if (input->low || input->high)
            return ac_fail_at(b->ctx, input->limit->key_place, "give either limit, or low and high");
        AC_TRY(ac_read_number(&b->reader, input->limit, "limit", dimension, &limit));
        if (!(limit >= 0.0))
            return ac_fail_at(b->ctx, input->limit->place,
                              "limit must not be negative, but is %g: it bounds the size of the control",
                              limit);
        control->low = -limit;
        control->high = limit;
    }
    if (input->low) AC_TRY(ac_read_number(&b->reader, input->low, "low", dimension, &control->low));
    if (input->high) AC_TRY(ac_read_number(&b->reader, input->high, "high", dimension, &control->high));
    if (input->rate) AC_TRY(ac_read_number(&b->reader, input->rate, "rate", AC_DIM_NUMBER, &control->rate));
    if (input->guess) AC_TRY(ac_read_number(&b->reader, input->guess, "guess", dimension, &control->guess));
    ignore_bounds(b, input);
    return AC_OK;
}

/* One control for each component that is asked for. */
static ac_status add_components(ac_builder *b, ac_optimization *o, const ac_value *entry,
                                const ac_control_input *input, ac_control *control, int first, int count)
{
    static const char letters[] = "xyz";
    for (int k = first; k < first + count; ++k) {
        char name[AC_NAME_SIZE];
        if (input->component.at && input->component.choice != k) continue;
        snprintf(name, sizeof name, "%.80s_%c", input->name.text, letters[k]);
        control->name = input->component.at || count == 1 ? input->name.text : name;
        control->coordinate = k;
        AC_TRY(ac_build_failed(b, ac_optimization_add_control(o, control), entry->place));
    }
    return AC_OK;
}

/* Where a force acts, as expressions of free parameters. For derivatives they are dependences of each of its controls; the
 * point of a body in principal axes has none. */
static ac_status control_place(ac_builder *b, ac_optimization *o, const ac_control_input *input, int node,
                               ac_control *control)
{
    ac_nodes nodes;
    bool wanted = ac_sets_values(b);
    if (!input->at && !wanted) return AC_OK;
    AC_TRY(ac_follow_point(b, input->at, node, &nodes));
    for (int c = 0; c < 3 && (!wanted || !control->follows); ++c) /* else all follows from the dependence */
        AC_TRY(ac_number_name(b, nodes.node[c], &control->place_expression[c]));
    if (!wanted) return AC_OK;
    int count = input->component.at ? 1 : ac_built(b, node)->dimension;
    for (int k = 0; input->force.at && k < count; ++k)
        for (size_t c = 0; c < 3; ++c)
            AC_TRY(ac_keep_functional_number(b, AC_PART_CONTROL, ac_optimization_controls(o) + k, c,
                                             nodes.node[c]));
    return AC_OK;
}

ac_status ac_read_control(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_control_input input;
    ac_control control = {0};
    AC_TRY(ac_section_read(&b->reader, &ac_section_control, entry, &input, sizeof input));
    AC_TRY(ac_check_word(b, input.name.text, input.name.at->place));
    if ((input.joint.at != NULL) + (input.force.at != NULL) + (input.torque.at != NULL) != 1)
        return ac_fail_at(b->ctx, entry->place, "a control needs exactly one of joint, force and torque");
    control.follows = input.frame.choice == 1;
    if (input.joint.at) {
        int which;
        control.type = AC_LOAD_JOINT;
        AC_TRY(ac_find_joint(b, &input.joint, &control.joint));
        if (ac_joint_is_ball(b->joints[control.joint].type)) {
            AC_TRY(control_numbers(b, &input, AC_DIM_TORQUE, &control));
            return add_components(b, o, entry, &input, &control, 0, 3);
        }
        AC_TRY(ac_find_coordinate(b, &input.joint, &input.coordinate, &control.joint, &which));
        AC_TRY(control_numbers(b, &input, ac_is_angle(b, control.joint, which) ? AC_DIM_TORQUE : AC_DIM_FORCE,
                               &control));
        control.coordinate = which;
        control.name = input.name.text;
        return ac_build_failed(b, ac_optimization_add_control(o, &control), entry->place);
    }
    const ac_given_word *on = input.force.at ? &input.force : &input.torque;
    if (input.coordinate.at)
        return ac_fail_at(b->ctx, input.coordinate.at->key_place,
                          "coordinate goes with joint; a force or torque has a component");
    int node;
    AC_TRY(ac_find_node(b, on->text, on->at->place, &node));
    if (node == AC_GROUND)
        return ac_fail_at(b->ctx, on->at->place,
                          "a control on the ground moves nothing; name a body or point");
    const ac_built_node *built = ac_built(b, node);
    control.type = input.force.at ? AC_LOAD_FORCE : AC_LOAD_TORQUE;
    AC_TRY(ac_read_point(b, input.at, node, &control.point));
    AC_TRY(control_place(b, o, &input, node, &control));
    AC_TRY(control_numbers(b, &input, input.force.at ? AC_DIM_FORCE : AC_DIM_TORQUE, &control));
    bool flat_torque = input.torque.at && built->kind == AC_BUILT_PLANAR;
    if (input.torque.at && built->kind == AC_BUILT_POINT)
        return ac_fail_at(b->ctx, on->at->place, "the mass point '%s' cannot turn, so it takes no torque",
                          built->name);
    return add_components(b, o, entry, &input, &control, flat_torque ? 2 : 0,
                          flat_torque       ? 1
                          : input.torque.at ? 3
                                            : built->dimension);
}
