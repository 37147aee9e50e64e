/* The named quantities of the task optimize, the variables of its expressions. */
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "problem/build/beams.h"
#include "problem/build/functional.h"
#include "problem/shape/beam_curve.h"
#include "problem/shape/hulls.h"
#include "problem/build/optimize.h"
#include "problem/keys/schema_optimize.h"

static ac_status read_distance(ac_builder *b, const ac_quantity_input *input, ac_quantity *q)
{
    int nodes[2] = {0};
    bool known[2] = {false, false};
    double places[2][3] = {{0}};
    AC_TRY(ac_read_pair(b, input->distance, "distance", nodes));
    if (input->at && input->at->kind != AC_MAP)
        return ac_fail_at(b->ctx, input->at->place, "at must name the points: {node: point, ...}");
    if (input->at) AC_TRY(ac_read_sides(b, input->at, nodes, known, places));
    ac_point *points[2] = {&q->point, &q->second_point};
    for (int k = 0; k < 2; ++k) {
        if (!known[k]) copy3(ac_built(b, nodes[k])->centre, places[k]);
        points[k]->node = nodes[k];
        ac_to_node_axes(b, nodes[k], places[k], points[k]->place);
        const ac_value *given = NULL;
        for (const ac_value *value = known[k] && input->at ? input->at->first : NULL; value;
             value = value->next) {
            int node;
            AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
            if (node == nodes[k]) given = value;
        }
        AC_TRY(ac_point_expressions(b, given, nodes[k], q->place_expression[k]));
    }
    q->type = AC_QUANTITY_DISTANCE;
    return AC_OK;
}

/* Kinds that belong to one node. */
static ac_status read_of_node(ac_builder *b, const ac_value *entry, const ac_quantity_input *input,
                              ac_quantity *q)
{
    int node;
    double axis[3], rotation[9];
    if (!input->of.at) return ac_fail_at(b->ctx, entry->place, "'of' is missing: the body or point");
    AC_TRY(ac_find_node(b, input->of.text, input->of.at->place, &node));
    q->point.node = node;
    if (input->pose) {
        ac_pose pose;
        q->type = AC_QUANTITY_POSE;
        AC_TRY(ac_read_frame(b, input->pose, &pose));
        copy3(pose.position, q->place);
        memcpy(q->rotation, pose.rotation, sizeof q->rotation);
        return AC_OK;
    }
    if (input->axis && input->from && input->to) {
        q->type = AC_QUANTITY_ANGLE;
        AC_TRY(ac_read_along(b, input->axis, "axis", axis));
        ac_to_node_axes(b, node, axis, q->axis);
        AC_TRY(ac_read_along(b, input->from, "from", q->direction));
        return ac_read_along(b, input->to, "to", q->second);
    }
    if (!input->along)
        return ac_fail_at(b->ctx, entry->place, "'along' is missing: a direction of the world");
    AC_TRY(ac_read_along(b, input->along, "along", q->direction));
    if (input->turn_from) {
        q->type = AC_QUANTITY_TURN;
        AC_TRY(ac_read_rotation(b, input->turn_from, rotation));
        multiply3(rotation, ac_built(b, node)->axes, q->rotation);
        return AC_OK;
    }
    if (input->axis) {
        q->type = AC_QUANTITY_DIRECTION;
        AC_TRY(ac_read_along(b, input->axis, "axis", axis));
        ac_to_node_axes(b, node, axis, q->axis);
        return AC_OK;
    }
    q->type = AC_QUANTITY_POINT;
    bool centre = input->point->kind == AC_SCALAR && strcmp(input->point->text, "centre") == 0;
    AC_TRY(ac_read_point(b, centre ? NULL : input->point, node, &q->point));
    return ac_point_expressions(b, centre ? NULL : input->point, node, q->place_expression[0]);
}

/* The body, point or beam that a quantity of the motion is about. */
static ac_status find_mover(ac_builder *b, const ac_given_word *of, ac_quantity *q)
{
    char name[AC_NAME_SIZE];
    AC_TRY(ac_read_reference(&b->reader, of->text, of->at->place, name));
    int beam = ac_names_find(&b->beam_names, name);
    q->whole_beam = beam >= 0;
    if (beam >= 0) {
        q->point.node = b->beams[beam].first_node;
        return AC_OK;
    }
    AC_TRY(ac_find_node(b, of->text, of->at->place, &q->point.node));
    if (q->point.node == AC_GROUND)
        return ac_fail_at(b->ctx, of->at->place,
                          "the ground does not move; name a body, point or beam, or system");
    return AC_OK;
}

/* Momentum and energy of a node, a beam or everything. */
static ac_status read_motion(ac_builder *b, const ac_value *entry, const ac_quantity_input *input,
                             const ac_given_word *of, ac_quantity *q)
{
    bool angular = q->type == AC_QUANTITY_ANGULAR_MOMENTUM;
    bool directed = angular || q->type == AC_QUANTITY_MOMENTUM;
    bool whole = strcmp(of->text, "system") == 0;
    int dimension = 3, count;
    q->point.node = AC_WHOLE_SYSTEM;
    if (!whole) {
        AC_TRY(find_mover(b, of, q));
        const ac_built_node *built = ac_built(b, q->point.node);
        dimension = built->dimension;
        if (angular && built->kind == AC_BUILT_POINT && !input->about)
            return ac_fail_at(b->ctx, of->at->place,
                              "a mass point does not turn; 'about' is missing: the place that its angular "
                              "momentum is about");
    }
    if (directed && !input->along)
        return ac_fail_at(b->ctx, entry->place, "'along' is missing: a direction of the world");
    if (!directed && input->along)
        return ac_fail_at(b->ctx, input->along->key_place, "an energy has no direction");
    if (directed) AC_TRY(ac_read_along(b, input->along, "along", q->direction));
    q->about_centre = angular && !whole && !q->whole_beam && !input->about;
    if (!input->about) return AC_OK;
    return ac_read_numbers(&b->reader, input->about, "about", AC_DIM_LENGTH, dimension < 3 ? dimension : 2, 3,
                           q->place, &count);
}

ac_status ac_describe_quantity(ac_builder *b, const ac_value *entry, ac_quantity *q)
{
    ac_quantity_input input;
    *q = (ac_quantity){.name = entry->key};
    AC_TRY(ac_section_read(&b->reader, &ac_section_quantity, entry, &input, sizeof input));
    AC_TRY(ac_check_word(b, entry->key, entry->key_place));
    int kinds = (input.joint.at != NULL) + (input.point != NULL) + (input.distance != NULL) +
                (input.axis && !input.joint.at) + (input.turn_from != NULL) + (input.clearance != NULL) +
                (input.signal != NULL) + (input.pose != NULL);
    const ac_given_word *moving[] = {&input.momentum, &input.angular_momentum, &input.kinetic_energy,
                                     &input.potential_energy, &input.energy};
    static const ac_quantity_type moving_types[] = {AC_QUANTITY_MOMENTUM, AC_QUANTITY_ANGULAR_MOMENTUM,
                                                    AC_QUANTITY_KINETIC_ENERGY, AC_QUANTITY_POTENTIAL_ENERGY,
                                                    AC_QUANTITY_ENERGY};
    const ac_given_word *motion = NULL;
    for (int k = 0; k < 5; ++k) {
        kinds += moving[k]->at != NULL;
        if (!moving[k]->at) continue;
        motion = moving[k];
        q->type = moving_types[k];
    }
    if (kinds != 1)
        return ac_fail_at(
            b->ctx, entry->place,
            "a quantity needs exactly one of joint, point, distance, axis, turn_from, pose, clearance, "
            "momentum, angular_momentum, kinetic_energy, potential_energy, energy and signal");
    if (input.about && q->type != AC_QUANTITY_ANGULAR_MOMENTUM)
        return ac_fail_at(b->ctx, input.about->key_place, "about goes with angular_momentum");
    if (motion) return read_motion(b, entry, &input, motion, q);
    if (input.unit.at && !input.signal)
        return ac_fail_at(b->ctx, input.unit.at->key_place, "only a signal needs a unit");
    if (input.signal) {
        q->type = AC_QUANTITY_SIGNAL;
        const char *const *units = ac_signal_units();
        for (int k = 0; units[k] && input.unit.at; ++k)
            if (strcmp(units[k], input.unit.text) == 0) q->unit = units[k];
        AC_TRY(ac_read_signal(&b->reader, input.signal, "signal", AC_DIM_ANY, &q->signal));
    } else if (input.joint.at) {
        AC_TRY(ac_read_joint_quantity(b, &input.joint, &input.coordinate, input.axis, q));
    } else if (input.clearance) {
        AC_TRY(ac_read_clearance(b, input.clearance, q));
    } else if (input.distance) {
        AC_TRY(read_distance(b, &input, q));
    } else {
        AC_TRY(read_of_node(b, entry, &input, q));
    }
    return AC_OK;
}

ac_status ac_read_quantity(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_quantity q;
    AC_TRY(ac_describe_quantity(b, entry, &q));
    ac_status status = ac_follow_quantity(b, entry, &q, ac_optimization_quantities(o));
    if (status != AC_OK) {
        ac_signal_free(q.signal);
        return status;
    }
    return ac_build_failed(b, ac_optimization_add_quantity(o, &q), entry->key_place);
}
