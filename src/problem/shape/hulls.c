/* The shapes between which a clearance is asked for: spheres, capsules, boxes and half-spaces that nodes
 * carry. */
#include "problem/shape/hulls.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/build/beams.h"
#include "problem/build/functional.h"
#include "problem/build/optimize.h"
#include "problem/keys/schema_table.h"

typedef struct hull_input {
    ac_given_word of;
    const ac_value *at, *from, *to, *normal, *box, *rotation;
    ac_given_number radius;
} hull_input;

static const ac_field hull_fields[] = {
    {"of", AC_FIELD_TEXT, IN(hull_input, of), .required = true,
     .about = "the body, point or node of a beam that carries it, or `ground`; in conditions also a beam"},
    {"at", AC_FIELD_VALUE, IN(hull_input, at), .form = "point", .unit = "m",
     .standard = "bodies: `centre`; ground: `origin`",
     .about = "centre of a sphere or box, a point of a plane"},
    {"from", AC_FIELD_VALUE, IN(hull_input, from), .form = "point", .unit = "m", .standard = "",
     .about = "first end of the axis of a capsule"},
    {"to", AC_FIELD_VALUE, IN(hull_input, to), .form = "point", .unit = "m", .standard = "",
     .about = "second end"},
    {"radius", AC_FIELD_NUMBER, IN(hull_input, radius), .dimension = AC_DIM_LENGTH,
     .bound = AC_BOUND_NOT_NEGATIVE, BY_DEFAULT(0), .about = "of a sphere or capsule; rounding of a box"},
    {"normal", AC_FIELD_VALUE, IN(hull_input, normal), .form = "direction", .unit = "", .standard = "",
     .about = "makes it a half-space: the direction out of it, in the axes of the body"},
    {"box", AC_FIELD_VALUE, IN(hull_input, box), .form = "list of numbers", .unit = "m", .standard = "",
     .about = "makes it a box: its sizes; two of them: without end along z"},
    {"rotation", AC_FIELD_VALUE, IN(hull_input, rotation), .form = FORM_ROTATION, .unit = "rad",
     .standard = "none", .about = "of a box in the axes of the body"},
};

const ac_section ac_section_hull = {
    .title = "clearance",
    .about = "A list of two shapes; the clearance is the distance of their surfaces, negative when they "
             "overlap. A shape is a sphere (`at`, `radius`), a capsule (`from`, `to`, `radius`), a "
             "half-space (`at`, `normal`) or a box (`at`, `box`); all pairs except two half-spaces are "
             "supported. In a condition `of` may name a whole beam, which is then a chain of capsules with "
             "the `radius` between its nodes. Shapes of the ground are drawn with the motion.",
    FIELDS(hull_fields),
};

/* ---- drawing ---- */

static bool same_solid(const ac_solid *a, const ac_solid *b)
{
    bool same = a->shape == b->shape && a->radius == b->radius && a->length == b->length;
    for (int i = 0; i < 3; ++i)
        same = same && a->size[i] == b->size[i] && a->pose.position[i] == b->pose.position[i];
    for (int i = 0; i < 9; ++i) same = same && a->pose.rotation[i] == b->pose.rotation[i];
    return same;
}

static ac_status draw(ac_builder *b, ac_shape shape, const double place[3], const double rotation[9],
                      double radius, double length, const double size[3])
{
    ac_solid *solid = ac_arena_take(&b->reader.arena, 1, sizeof *solid);
    if (!solid) return AC_NO_MEMORY;
    memset(solid, 0, sizeof *solid);
    solid->shape = shape;
    copy3(place, solid->pose.position);
    memcpy(solid->pose.rotation, rotation, 9 * sizeof *rotation);
    solid->radius = radius;
    solid->length = length;
    if (size) copy3(size, solid->size);
    for (const ac_solid *other = b->ground.solids; other; other = other->next) {
        if (same_solid(solid, other)) return AC_OK; /* several clearances may name the same */
    }
    solid->next = b->ground.solids;
    b->ground.solids = solid;
    return AC_OK;
}

static ac_status draw_hull(ac_builder *b, const ac_hull *hull)
{
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double axis[3], x[3], y[3], rotation[9], size[3];
    switch (hull->type) {
    case AC_HULL_SPHERE: return draw(b, AC_SHAPE_SPHERE, hull->place, straight, hull->radius, 0.0, NULL);
    case AC_HULL_BOX:
        copy3(hull->size, size);
        if (size[2] == 0.0) size[2] = 0.2 * ac_min(size[0], size[1]);
        return draw(b, AC_SHAPE_BOX, hull->place, hull->rotation, 0.0, 0.0, size);
    case AC_HULL_CAPSULE: break;
    case AC_HULL_HALF_SPACE: return AC_OK; /* it has no end */
    }
    sub3(hull->end, hull->place, axis);
    double length = norm3(axis);
    for (int i = 0; i < 3; ++i) axis[i] /= length;
    ac_perpendicular(axis, x, y);
    for (int i = 0; i < 3; ++i) {
        rotation[3 * i] = x[i];
        rotation[3 * i + 1] = y[i];
        rotation[3 * i + 2] = axis[i];
    }
    AC_TRY(draw(b, AC_SHAPE_CYLINDER, hull->place, rotation, hull->radius, length, NULL));
    AC_TRY(draw(b, AC_SHAPE_SPHERE, hull->place, straight, hull->radius, 0.0, NULL));
    return draw(b, AC_SHAPE_SPHERE, hull->end, straight, hull->radius, 0.0, NULL);
}

/* ---- reading ---- */

static ac_status read_point(ac_builder *b, const ac_value *value, int node, double out[3])
{
    ac_point point;
    AC_TRY(ac_read_point(b, value, node, &point));
    copy3(point.place, out);
    return AC_OK;
}

static ac_status read_box(ac_builder *b, const hull_input *input, ac_hull *hull)
{
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int count;
    AC_TRY(ac_read_numbers(&b->reader, input->box, "box", AC_DIM_LENGTH, 2, 3, hull->size, &count));
    if (input->rotation) AC_TRY(ac_read_rotation(b, input->rotation, rotation));
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {rotation[k], rotation[3 + k], rotation[6 + k]};
        double turned[3];
        ac_to_node_axes(b, hull->node, axis, turned);
        for (int i = 0; i < 3; ++i) hull->rotation[3 * i + k] = turned[i];
    }
    hull->type = AC_HULL_BOX;
    return AC_OK;
}

/* A capsule between every two nodes that follow one another. */
static ac_status read_chain(ac_builder *b, const ac_value *entry, const hull_input *input,
                            const ac_built_beam *beam, ac_shapes *shapes)
{
    if (input->at || input->from || input->to || input->normal || input->box || input->rotation)
        return ac_fail_at(b->ctx, entry->place,
                          "a whole beam takes a radius only; a shape at one of its nodes is {of: %s[1], ...}",
                          beam->name);
    shapes->name = beam->name;
    shapes->count = beam->curve->places - 1;
    shapes->list = ac_arena_take(&b->reader.arena, (size_t)shapes->count, sizeof *shapes->list);
    if (!shapes->list) return AC_NO_MEMORY;
    memset(shapes->list, 0, (size_t)shapes->count * sizeof *shapes->list);
    for (int k = 0; k < shapes->count; ++k) {
        ac_hull *hull = &shapes->list[k];
        char name[AC_NAME_SIZE + 16];
        *hull = (ac_hull){.type = AC_HULL_CAPSULE, .radius = input->radius.value, .stretched = true};
        for (int end = 0; end < 2; ++end) {
            snprintf(name, sizeof name, "%s[%d]", beam->name, k + end);
            AC_TRY(ac_find_node(b, name, input->of.at->place, end == 0 ? &hull->node : &hull->end_node));
            AC_TRY(read_point(b, NULL, end == 0 ? hull->node : hull->end_node,
                              end == 0 ? hull->place : hull->end));
        }
    }
    return AC_OK;
}

static ac_status read_single(ac_builder *b, const ac_value *entry, const hull_input *input, ac_hull *hull)
{
    double normal[3];
    memset(hull, 0, sizeof *hull);
    AC_TRY(ac_find_node(b, input->of.text, input->of.at->place, &hull->node));
    bool capsule = input->from || input->to;
    if (capsule + (input->normal != NULL) + (input->box != NULL) > 1 ||
        (capsule && (!input->from || !input->to || input->at)))
        return ac_fail_at(
            b->ctx, entry->place,
            "a shape is a sphere (at), a capsule (from, to), a half-space (normal) or a box (box)");
    hull->radius = input->radius.value;
    AC_TRY(read_point(b, capsule ? input->from : input->at, hull->node, hull->place));
    if (capsule) {
        hull->type = AC_HULL_CAPSULE;
        AC_TRY(read_point(b, input->to, hull->node, hull->end));
    } else if (input->normal) {
        hull->type = AC_HULL_HALF_SPACE;
        AC_TRY(ac_read_direction(b, input->normal, "normal", 2, normal));
        ac_to_node_axes(b, hull->node, normal, hull->normal);
    } else if (input->box) {
        AC_TRY(read_box(b, input, hull));
    } else {
        hull->type = AC_HULL_SPHERE;
    }
    return hull->node == AC_GROUND ? draw_hull(b, hull) : AC_OK;
}

/* ---- what depends on parameters ---- */

static ac_status follow_point(ac_builder *b, const ac_value *value, int node, int number, size_t at)
{
    ac_nodes nodes;
    AC_TRY(ac_follow_point(b, value, node, &nodes));
    for (size_t c = 0; c < 3; ++c)
        AC_TRY(ac_keep_functional_number(b, AC_PART_NUMBER, number, at + c * sizeof(double), nodes.node[c]));
    return AC_OK;
}

/* Sizes and axes of a box. */
static ac_status follow_box(ac_builder *b, const hull_input *input, int node, int number, size_t at)
{
    double rotation[9];
    ac_num R[9];
    ac_nodes sizes;
    AC_TRY(ac_follow_list(b, input->box, &sizes));
    for (size_t c = 0; c < 3; ++c)
        AC_TRY(ac_keep_functional_number(b, AC_PART_NUMBER, number,
                                         at + offsetof(ac_hull, size) + c * sizeof(double), sizes.node[c]));
    if (!input->rotation) return AC_OK;
    AC_TRY(ac_read_rotation(b, input->rotation, rotation));
    AC_TRY(ac_follow_rotation(b, input->rotation, false, rotation, R));
    AC_TRY(ac_axes_to_directors(b, node, R));
    return ac_keep_numbers(b, number, at + offsetof(ac_hull, rotation), R, 9);
}

ac_status ac_follow_hull(ac_builder *b, const ac_value *entry, const ac_hull *hull, int number, int k)
{
    const size_t at = offsetof(ac_quantity, hull) + (size_t)k * sizeof(ac_hull);
    hull_input input;
    int radius;
    AC_TRY(ac_section_read(&b->reader, &ac_section_hull, entry, &input, sizeof input));
    bool capsule = hull->type == AC_HULL_CAPSULE;
    AC_TRY(ac_follow(&b->reader, input.radius.at, &radius));
    AC_TRY(ac_keep_functional_number(b, AC_PART_NUMBER, number, at + offsetof(ac_hull, radius), radius));
    AC_TRY(
        follow_point(b, capsule ? input.from : input.at, hull->node, number, at + offsetof(ac_hull, place)));
    if (capsule) return follow_point(b, input.to, hull->node, number, at + offsetof(ac_hull, end));
    if (hull->type == AC_HULL_BOX) return follow_box(b, &input, hull->node, number, at);
    if (hull->type != AC_HULL_HALF_SPACE) return AC_OK;
    double normal[3];
    ac_num n[3];
    AC_TRY(ac_read_direction(b, input.normal, "normal", 2, normal));
    AC_TRY(ac_follow_direction(b, input.normal, normal, n));
    AC_TRY(ac_place_to_directors(b, hull->node, n));
    return ac_keep_numbers(b, number, at + offsetof(ac_hull, normal), n, 3);
}

static const ac_built_beam *beam_called(const ac_builder *b, const char *text)
{
    int number = ac_names_find(&b->beam_names, text);
    return number < 0 ? NULL : &b->beams[number];
}

static ac_status read_shape(ac_builder *b, const ac_value *entry, ac_shapes *shapes)
{
    hull_input input;
    if (entry->kind != AC_MAP)
        return ac_fail_at(b->ctx, entry->place,
                          "a shape is a map such as {of: body, at: point, radius: 0.1}");
    AC_TRY(ac_section_read(&b->reader, &ac_section_hull, entry, &input, sizeof input));
    const ac_built_beam *beam = beam_called(b, input.of.text);
    if (beam) return read_chain(b, entry, &input, beam, shapes);
    shapes->count = 1;
    shapes->list = ac_arena_take(&b->reader.arena, 1, sizeof *shapes->list);
    if (!shapes->list) return AC_NO_MEMORY;
    AC_TRY(read_single(b, entry, &input, shapes->list));
    shapes->name = ac_built(b, shapes->list->node)->name;
    return AC_OK;
}

ac_status ac_read_shapes(ac_builder *b, const ac_value *list, ac_shapes shapes[2])
{
    if (list->kind != AC_LIST || list->count != 2)
        return ac_fail_at(b->ctx, list->place, "a clearance is between two shapes: [shape, shape]");
    AC_TRY(read_shape(b, list->first, &shapes[0]));
    return read_shape(b, list->first->next, &shapes[1]);
}

ac_status ac_read_clearance(ac_builder *b, const ac_value *list, ac_quantity *q)
{
    ac_shapes shapes[2];
    AC_TRY(ac_read_shapes(b, list, shapes));
    for (int k = 0; k < 2; ++k)
        if (shapes[k].count > 1)
            return ac_fail_at(
                b->ctx, (k == 0 ? list->first : list->last)->place,
                "a whole beam has as many distances as elements: ask for it in a condition, or name one "
                "of its nodes");
    q->type = AC_QUANTITY_CLEARANCE;
    q->hull[0] = shapes[0].list[0];
    q->hull[1] = shapes[1].list[0];
    return AC_OK;
}
