/* What controls, quantities and conditions of the task optimize have in common: names, directions, joint
 * coordinates and points. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "optimize/problem/prepare.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"

const char *ac_where(const ac_value *value, char text[AC_WHERE_SIZE])
{
    if (!value) return NULL;
    if (value->place.line == 0) {
        snprintf(text, AC_WHERE_SIZE, "%.280s", value->place.source);
    } else {
        snprintf(text, AC_WHERE_SIZE, "%.280s:%d:%d", value->place.source, value->place.line,
                 value->place.column);
    }
    return text;
}

ac_status ac_check_word(ac_builder *b, const char *word, ac_place place)
{
    bool good = isalpha((unsigned char)word[0]) || word[0] == '_';
    for (const char *c = word; *c; ++c) good = good && (isalnum((unsigned char)*c) || *c == '_');
    if (good && strcmp(word, "t") != 0 && strcmp(word, "T") != 0 && strcmp(word, "pi") != 0) return AC_OK;
    return ac_fail_at(
        b->ctx, place,
        "'%.60s' cannot be used in expressions; a name has letters, digits and _ (but not t, T or pi)", word);
}

/* Parameters of the file, for expressions. */
int ac_look_up(void *user, const char *name, double *value)
{
    const ac_builder *b = user;
    return ac_parameter_number(&b->reader, name, value);
}

const char *ac_expression_text(const ac_given_word *word)
{
    return word->text[0] == '=' ? word->text + 1 : word->text;
}

/* x, y, z, or a vector. */
ac_status ac_read_along(ac_builder *b, const ac_value *value, const char *what, double direction[3])
{
    static const char *const words[] = {"x", "y", "z"};
    memset(direction, 0, 3 * sizeof *direction);
    for (int k = 0; value->kind == AC_SCALAR && k < 3; ++k) {
        if (strcmp(value->text, words[k]) != 0) continue;
        direction[k] = 1.0;
        return AC_OK;
    }
    if (value->kind == AC_SCALAR)
        return ac_fail_at(b->ctx, value->place, "%s must be x, y, z or a list of numbers", what);
    return ac_read_direction(b, value, what, 1, direction);
}

ac_status ac_find_coordinate(ac_builder *b, const ac_given_word *joint, const ac_given_word *coordinate,
                             int *number, int *which)
{
    AC_TRY(ac_find_joint(b, joint, number));
    ac_joint_type type = b->joints[*number].type;
    int count = ac_joint_coordinate_count(type);
    *which = 0;
    if (ac_joint_is_ball(type) || count == 0)
        return ac_fail_at(b->ctx, joint->at->place, "a %s joint has no coordinate that is a single number",
                          ac_joint_type_names[type]);
    if (!coordinate->at && count > 1)
        return ac_fail_at(b->ctx, joint->at->place, "which coordinate of the %s joint? add coordinate",
                          ac_joint_type_names[type]);
    if (!coordinate->at) return AC_OK;
    *which = ac_joint_coordinate(type, coordinate->text);
    if (*which >= 0) return AC_OK;
    return ac_fail_at(b->ctx, coordinate->at->place, "a %s joint has no coordinate '%s'",
                      ac_joint_type_names[type], coordinate->text);
}

/* A coordinate of any joint; `axis` belongs to swing and twist. */
ac_status ac_read_joint_quantity(ac_builder *b, const ac_given_word *joint, const ac_given_word *coordinate,
                                 const ac_value *axis, ac_quantity *q)
{
    q->type = AC_QUANTITY_JOINT;
    AC_TRY(ac_find_joint(b, joint, &q->joint));
    bool ball = ac_joint_is_ball(b->joints[q->joint].type);
    bool swing = coordinate->at && strcmp(coordinate->text, "swing") == 0;
    bool twist = coordinate->at && strcmp(coordinate->text, "twist") == 0;
    if (axis && !swing && !twist)
        return ac_fail_at(b->ctx, axis->key_place, "axis goes with the coordinates swing and twist");
    if (!ball) return ac_find_coordinate(b, joint, coordinate, &q->joint, &q->coordinate);
    if (!coordinate->at)
        return ac_fail_at(b->ctx, joint->at->place,
                          "which coordinate of the spherical joint? add coordinate: x, y, z, swing or twist");
    if (axis) {
        double given[3];
        AC_TRY(ac_read_along(b, axis, "axis", given));
        apply_transposed3(b->joints[q->joint].frame_a.rotation, given, q->axis);
    }
    if (swing) q->type = AC_QUANTITY_SWING;
    if (twist) q->type = AC_QUANTITY_TWIST;
    if (swing || twist) return AC_OK;
    q->coordinate = coordinate->text[0] - 'x'; /* of the rotation vector */
    if (q->coordinate >= 0 && q->coordinate < 3) return AC_OK;
    return ac_fail_at(b->ctx, coordinate->at->place, "a spherical joint has no coordinate '%s'",
                      coordinate->text);
}

bool ac_is_angle(const ac_builder *b, int joint, int coordinate)
{
    return ac_joint_coordinate_turns(b->joints[joint].type, coordinate);
}

/* Body axes to the axes that are simulated. */
void ac_to_node_axes(const ac_builder *b, int node, const double direction[3], double out[3])
{
    if (node == AC_GROUND) {
        copy3(direction, out);
    } else {
        ac_to_directors(ac_built(b, node), direction, out);
    }
}

/* The same as names of numbers that follow from free parameters. */
ac_status ac_point_expressions(ac_builder *b, const ac_value *value, int node, const char *out[3])
{
    ac_nodes nodes;
    AC_TRY(ac_follow_point(b, value, node, &nodes));
    for (int c = 0; c < 3; ++c) AC_TRY(ac_number_name(b, nodes.node[c], &out[c]));
    return AC_OK;
}

ac_status ac_read_point(ac_builder *b, const ac_value *value, int node, ac_point *point)
{
    double place[3];
    point->node = node;
    if (value) {
        AC_TRY(ac_read_place(b, value, node, place));
    } else {
        copy3(ac_built(b, node)->centre, place);
    }
    ac_to_node_axes(b, node, place, point->place);
    return AC_OK;
}
