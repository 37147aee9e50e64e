/* Numbers of quantities of a functional that depend on parameters. */
#include <string.h>

#include "base/base.h"
#include "problem/build/functional.h"
#include "problem/build/optimize.h"
#include "problem/keys/schema_optimize.h"

ac_status ac_keep_functional_number(ac_builder *b, ac_functional_part part, int object, size_t at, int node)
{
    if (!node || !b->functional) return AC_OK;
    ac_functional_number *own = ac_arena_take(&b->reader.arena, 1, sizeof *own);
    if (!own) return AC_NO_MEMORY;
    *own = (ac_functional_number){part, object, at, node, b->functional->first};
    b->functional->first = own;
    return AC_OK;
}

ac_status ac_keep_numbers(ac_builder *b, int number, size_t at, const ac_num *numbers, int count)
{
    for (int k = 0; k < count; ++k)
        AC_TRY(ac_keep_functional_number(b, AC_PART_NUMBER, number, at + (size_t)k * sizeof(double),
                                         numbers[k].node));
    return AC_OK;
}

/* x, y, z, or a vector of the world. */
static ac_status follow_along(ac_builder *b, const ac_value *value, const double direction[3], int number,
                              size_t at)
{
    ac_num out[3];
    AC_TRY(ac_follow_direction(b, value, direction, out));
    return ac_keep_numbers(b, number, at, out, 3);
}

/* A direction in the axes of the body. */
static ac_status follow_axis(ac_builder *b, const ac_value *value, int node, int number)
{
    double given[3];
    ac_num out[3];
    AC_TRY(ac_read_along(b, value, "axis", given));
    AC_TRY(ac_follow_direction(b, value, given, out));
    AC_TRY(ac_place_to_directors(b, node, out));
    return ac_keep_numbers(b, number, offsetof(ac_quantity, axis), out, 3);
}

/* Swing and twist: in the axes of the first node, which the frame of the joint keeps. */
static ac_status follow_joint_axis(ac_builder *b, const ac_value *value, int joint, int number)
{
    const double *frame = b->joints[joint].frame_a.rotation;
    ac_graph *s = b->reader.graph;
    ac_num A[9], given[3], out[3];
    double axis[3];
    if (!value) return AC_OK;
    AC_TRY(ac_read_along(b, value, "axis", axis));
    AC_TRY(ac_follow_direction(b, value, axis, given));
    for (int k = 0; k < 9; ++k) A[k] = ac_num_of(frame[k]);
    ac_num_apply3(s, A, true, given, out);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    return ac_keep_numbers(b, number, offsetof(ac_quantity, axis), out, 3);
}

static ac_status follow_turn(ac_builder *b, const ac_value *value, int node, int number)
{
    ac_graph *s = b->reader.graph;
    ac_num R[9], A[9], out[9];
    double given[9];
    AC_TRY(ac_read_rotation(b, value, given));
    AC_TRY(ac_follow_rotation(b, value, false, given, R));
    for (int k = 0; k < 9; ++k) A[k] = ac_num_of(ac_built(b, node)->axes[k]);
    ac_num_multiply3(s, R, false, A, out);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    return ac_keep_numbers(b, number, offsetof(ac_quantity, rotation), out, 9);
}

static ac_status follow_about(ac_builder *b, const ac_value *value, int number)
{
    ac_nodes nodes;
    AC_TRY(ac_follow_list(b, value, &nodes));
    for (int k = 0; k < 3; ++k)
        AC_TRY(ac_keep_functional_number(b, AC_PART_NUMBER, number,
                                         offsetof(ac_quantity, place) + (size_t)k * sizeof(double),
                                         nodes.node[k]));
    return AC_OK;
}

/* A number, an expression of t, or the points of a table. */
static ac_status follow_signal(ac_builder *b, const ac_value *value, int number)
{
    const ac_value *table = value->kind == AC_MAP ? value->first : NULL;
    int node;
    size_t k = 0;
    if (!table) {
        AC_TRY(ac_follow(&b->reader, value, &node));
        return ac_keep_functional_number(b, AC_PART_SIGNAL, number, 0, node);
    }
    for (const ac_value *point = table->first; point; point = point->next, ++k) {
        AC_TRY(ac_follow(&b->reader, point->first, &node));
        AC_TRY(ac_keep_functional_number(b, AC_PART_TIME, number, k, node));
        AC_TRY(ac_follow(&b->reader, point->last, &node));
        AC_TRY(ac_keep_functional_number(b, AC_PART_POINT, number, k, node));
    }
    return AC_OK;
}

static ac_status follow(ac_builder *b, const ac_quantity_input *input, const ac_quantity *q, int number)
{
    const size_t first = offsetof(ac_quantity, direction), second = offsetof(ac_quantity, second);
    switch (q->type) {
    case AC_QUANTITY_DIRECTION:
    case AC_QUANTITY_POINT:
    case AC_QUANTITY_TURN:
    case AC_QUANTITY_MOMENTUM:
    case AC_QUANTITY_ANGULAR_MOMENTUM:
        AC_TRY(follow_along(b, input->along, q->direction, number, first));
        if (q->type == AC_QUANTITY_TURN) return follow_turn(b, input->turn_from, q->point.node, number);
        if (q->type == AC_QUANTITY_DIRECTION) return follow_axis(b, input->axis, q->point.node, number);
        return input->about ? follow_about(b, input->about, number) : AC_OK;
    case AC_QUANTITY_ANGLE:
        AC_TRY(follow_axis(b, input->axis, q->point.node, number));
        AC_TRY(follow_along(b, input->from, q->direction, number, first));
        return follow_along(b, input->to, q->second, number, second);
    case AC_QUANTITY_SWING:
    case AC_QUANTITY_TWIST: return follow_joint_axis(b, input->axis, q->joint, number);
    case AC_QUANTITY_CLEARANCE:
        AC_TRY(ac_follow_hull(b, input->clearance->first, &q->hull[0], number, 0));
        return ac_follow_hull(b, input->clearance->last, &q->hull[1], number, 1);
    case AC_QUANTITY_SIGNAL: return follow_signal(b, input->signal, number);
    default: return AC_OK; /* nothing, or nothing that is followed */
    }
}

ac_status ac_follow_quantity(ac_builder *b, const ac_value *entry, const ac_quantity *q, int number)
{
    ac_quantity_input input;
    if (!b->functional) return AC_OK;
    ac_functional_quantity *own = ac_arena_take(&b->reader.arena, 1, sizeof *own);
    if (!own) return AC_NO_MEMORY;
    *own = (ac_functional_quantity){number, *q, b->functional->quantities};
    own->quantity.signal = NULL; /* it is the functional's */
    b->functional->quantities = own;
    AC_TRY(ac_section_read(&b->reader, &ac_section_quantity, entry, &input, sizeof input));
    return follow(b, &input, q, number);
}
