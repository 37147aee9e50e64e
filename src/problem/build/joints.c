/* Joints of a problem file: from points and axes to the two joint frames.
 *
 * Zero of the joint coordinates: when both nodes are placed, the initial configuration (the frame of the
 * second side is that of the first one, seen from the second body); otherwise the body frames are
 * parallel. A node of a beam counts with world axes as it is given, for nobody thinks in the axes of its
 * section. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"
#include "problem/build/parameters.h"
#include "problem/build/relations.h"

static const double LEAST_ACROSS = 1e-6; /* of x_axis, beside its axis */

/* ---- coordinates of the joint types ---- */

int ac_joint_coordinate(ac_joint_type type, const char *word)
{
    const ac_motion *motion = ac_joint_find(type)->motion;
    for (int k = 0; motion[k].kind != AC_MOTION_NONE; ++k)
        if (motion[k].kind <= AC_MOTION_TURN && strcmp(motion[k].name, word) == 0) return k;
    return -1;
}

int ac_joint_coordinate_count(ac_joint_type type)
{
    return ac_row_coordinates(ac_joint_find(type));
}

bool ac_joint_coordinate_turns(ac_joint_type type, int coordinate)
{
    return ac_joint_find(type)->motion[coordinate].kind == AC_MOTION_TURN;
}

bool ac_joint_is_ball(ac_joint_type type)
{
    return ac_row_is_ball(ac_joint_find(type));
}

const char *ac_joint_axis(ac_joint_type type, int k)
{
    static const char *const axes[] = {"x", "y", "z"};
    const ac_motion *motion = &ac_joint_find(type)->motion[k];
    return motion->kind == AC_MOTION_SHIFT || motion->kind == AC_MOTION_TURN ? axes[motion->axis] : NULL;
}

static bool is_rigid(ac_joint_type type)
{
    return ac_joint_find(type)->motion[0].kind == AC_MOTION_NONE;
}

static bool has_length(ac_joint_type type)
{
    return ac_row_has(ac_joint_find(type), AC_MOTION_SWING);
}

/* A joint that shifts or turns along an axis needs to know it. */
static bool needs_axis(ac_joint_type type)
{
    return ac_joint_axis(type, 0) != NULL;
}

/* A joint while it is being read. */
typedef struct draft {
    ac_joint_type type;
    const ac_value *entry;
    const ac_joint_input *input;
    int nodes[2];
    const ac_built_node *built[2];
    bool both_placed, flat;
    bool known[2];
    double place[2][3];    /* in the body frames */
    ac_num initial_length; /* of a distance joint whose length is not given */
    bool follows;          /* what depends on free parameters becomes dependences */
    ac_num followed[2][3]; /* the same, with what depends on free parameters */
    ac_num turn[9];        /* from the first body frame to the second, in the initial configuration */
    ac_num axes[2][9];     /* of the joint, in the body frames */
    ac_pose frame[2];
} draft;

/* ---- where ---- */

/* The place of a side, from one in the world. */
static ac_status put_place(ac_builder *b, draft *d, int side, const ac_num world[3])
{
    AC_TRY(ac_place_from_world(b, d->nodes[side], world, d->followed[side]));
    for (int k = 0; k < 3; ++k) d->place[side][k] = d->followed[side][k].v;
    return AC_OK;
}

static ac_status place_in_world(ac_builder *b, draft *d)
{
    double numbers[3] = {0};
    int count;
    const ac_value *at = d->input->at;
    ac_nodes nodes = {{0, 0, 0}};
    ac_num world[3];
    if (has_length(d->type))
        return ac_fail_at(b->ctx, at->place,
                          "at of a distance joint must name a point on each node: {node: point, ...}");
    if (!d->both_placed)
        return ac_fail_at(
            b->ctx, at->place,
            "'%s' has no position, so a place in the world says nothing about it; use at: {node: point, ...}",
            d->built[d->built[0]->placed ? 1 : 0]->name);
    AC_TRY(ac_read_numbers(&b->reader, at, "at", AC_DIM_LENGTH, d->flat ? 1 : 3, 3, numbers, &count));
    if (d->follows) AC_TRY(ac_follow_list(b, at, &nodes));
    for (int k = 0; k < 3; ++k) world[k] = (ac_num){numbers[k], nodes.node[k]};
    for (int side = 0; side < 2; ++side) {
        if (d->built[side]->kind == AC_BUILT_POINT) continue;
        AC_TRY(put_place(b, d, side, world));
        d->known[side] = true;
    }
    return AC_OK;
}

/* A side that was not given: follows from the initial state, or is the origin of the world. */
static ac_status missing_side(ac_builder *b, draft *d, int side)
{
    int other = 1 - side;
    ac_num world[3];
    if (!has_length(d->type) && d->both_placed && d->known[other]) {
        AC_TRY(ac_place_to_world(b, d->nodes[other], d->followed[other], world));
        AC_TRY(put_place(b, d, side, world));
    } else if (is_rigid(d->type) && d->both_placed) {
        memset(d->place[side], 0, sizeof d->place[side]);
    } else if (d->nodes[side] != AC_GROUND || !d->known[other]) {
        const char *name = d->built[d->nodes[side] == AC_GROUND ? other : side]->name;
        return ac_fail_at(b->ctx, d->entry->place,
                          "where does the joint sit on '%s'? give at: {%s: origin}, or another point of it",
                          name, name);
    }
    d->known[side] = true;
    return AC_OK;
}

/* Given places, and what of them depends on free parameters. */
static ac_status read_sides(ac_builder *b, draft *d, const ac_value *at)
{
    AC_TRY(ac_read_sides(b, at, d->nodes, d->known, d->place));
    for (const ac_value *value = at->first; value; value = value->next) {
        int node;
        ac_nodes nodes = {{0, 0, 0}};
        AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
        int side = node == d->nodes[0] ? 0 : 1;
        if (d->follows) AC_TRY(ac_follow_place(b, value, &nodes));
        for (int k = 0; k < 3; ++k) d->followed[side][k] = (ac_num){d->place[side][k], nodes.node[k]};
    }
    return AC_OK;
}

static ac_status find_places(ac_builder *b, draft *d)
{
    const ac_value *at = d->input->at;
    d->follows = b->free != NULL;
    for (int side = 0; side < 2; ++side) {
        const ac_built_node *node = d->built[side];
        d->known[side] = node->kind == AC_BUILT_POINT || node->of_beam;
    }
    if (at && at->kind == AC_LIST)
        AC_TRY(place_in_world(b, d));
    else if (at && at->kind == AC_MAP)
        AC_TRY(read_sides(b, d, at));
    else if (at)
        return ac_fail_at(b->ctx, at->place,
                          "at must be a place in the world [x, y, z] or {node: point, ...}");
    for (int side = 1; side >= 0; --side)
        if (!d->known[side]) AC_TRY(missing_side(b, d, side));
    return AC_OK;
}

/* ---- frames ---- */

/* The coordinate axis that z is farthest from, the first of those that are about as far: a small turn of z from a coordinate axis
 * changes nothing, so that frames are functions of parameters there. */
static int farthest_axis(const ac_num z[3])
{
    static const double ABOUT = 0.1;
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(z[i].v) < fabs(z[k].v) - ABOUT) k = i;
    return k;
}

/* x: the part of `wish` perpendicular to z, else of a coordinate axis */
static void complete_frame(ac_graph *s, const ac_num z[3], const ac_num *wish, ac_num rotation[9])
{
    ac_num x[3] = {{0}}, y[3], along = wish ? ac_num_dot3(s, wish, z) : ac_num_of(0.0);
    int k = farthest_axis(z);
    for (int i = 0; i < 3 && wish; ++i) x[i] = ac_num_subtract(s, wish[i], ac_num_multiply(s, along, z[i]));
    if (!(norm3((const double[3]){x[0].v, x[1].v, x[2].v}) > 1e-6))
        for (int i = 0; i < 3; ++i)
            x[i] = ac_num_subtract(s, ac_num_of(i == k ? 1 : 0), ac_num_multiply(s, z[k], z[i]));
    ac_num length = ac_num_unary(s, OP_SQRT, ac_num_dot3(s, x, x));
    for (int i = 0; i < 3; ++i) x[i] = ac_num_divide(s, x[i], length);
    ac_num_cross3(s, z, x, y);
    for (int i = 0; i < 3; ++i) {
        rotation[3 * i] = x[i];
        rotation[3 * i + 1] = y[i];
        rotation[3 * i + 2] = z[i];
    }
}

/* From world axes to those of a beam's node as given. */
static void axis_of_beam(ac_builder *b, ac_graph *s, const draft *d, int side, ac_num axis[3])
{
    ac_num world[3], R[9];
    if (!d->built[side]->of_beam) return;
    ac_built_rotation(b, d->nodes[side], R);
    memcpy(world, axis, sizeof world);
    ac_num_apply3(s, R, true, world, axis);
}

/* A direction, with what of it depends where the joint is followed. */
static ac_status read_axis(ac_builder *b, const draft *d, const ac_value *value, ac_num axis[3])
{
    double numbers[3];
    AC_TRY(ac_read_direction(b, value, "axis", d->flat ? 2 : 3, numbers));
    for (int i = 0; i < 3; ++i) axis[i] = ac_num_of(numbers[i]);
    return d->follows ? ac_follow_direction(b, value, numbers, axis) : AC_OK;
}

static ac_status read_axis_sides(ac_builder *b, ac_graph *s, draft *d, bool known[2], ac_num axis[2][3])
{
    for (const ac_value *value = d->input->axis->first; value; value = value->next) {
        int node;
        AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
        if (node != d->nodes[0] && node != d->nodes[1])
            return ac_fail_at(b->ctx, value->key_place,
                              "'%s' is not joined here; the nodes are '%s' and '%s'", ac_built(b, node)->name,
                              d->built[0]->name, d->built[1]->name);
        int side = node == d->nodes[0] ? 0 : 1;
        AC_TRY(read_axis(b, d, value, axis[side]));
        axis_of_beam(b, s, d, side, axis[side]);
        known[side] = true;
    }
    return AC_OK;
}

/* The axis on each side; `known[1]` stays false when it follows from the first. */
static ac_status find_axis(ac_builder *b, ac_graph *s, draft *d, bool known[2], ac_num axis[2][3])
{
    const ac_value *value = d->input->axis;
    if (!value && d->flat && ac_row_count(ac_joint_find(d->type), AC_MOTION_TURN) > 0) {
        axis[0][2] = ac_num_of(1.0);
        known[0] = true;
        return AC_OK;
    }
    if (!value)
        return ac_fail_at(b->ctx, d->entry->place, "'axis' is missing; a %s joint needs one",
                          ac_joint_type_names[d->type]);
    if (value->kind == AC_MAP)
        AC_TRY(read_axis_sides(b, s, d, known, axis));
    else {
        AC_TRY(read_axis(b, d, value, axis[0]));
        axis_of_beam(b, s, d, 0, axis[0]);
        known[0] = true;
    }
    if (!known[0] && !known[1])
        return ac_fail_at(b->ctx, value->place, "axis is empty; give a direction [x, y, z]");
    if (!known[0]) ac_num_apply3(s, d->turn, true, axis[1], axis[0]);
    return AC_OK;
}

/* The two axes of a cross, each given in its node: z of the first frame, x of the second; the other axes of the
 * frames are such that the joint is at zero as it is given. */
static ac_status cross_frames(ac_builder *b, ac_graph *s, draft *d, const bool known[2], ac_num axis[2][3])
{
    ac_num second[3], z[3], R[9];
    if (!known[0] || !known[1]) return AC_OK; /* the second follows from x_axis */
    ac_num_apply3(s, d->turn, true, axis[1], second);
    double along = ac_num_dot3(s, axis[0], second).v;
    if (fabs(along) > 0.9)
        return ac_fail_at(
            b->ctx, d->input->axis->place,
            "the two axes of a %s joint must be perpendicular to each other, but they are almost "
            "parallel in the initial configuration",
            ac_joint_type_names[d->type]);
    complete_frame(s, axis[0], second, d->axes[0]);
    ac_num_apply3(s, d->turn, false, axis[0], z);
    complete_frame(s, axis[1], z, R); /* with z and x of the frame in the places of x and z */
    for (int i = 0; i < 3; ++i) {
        d->axes[1][3 * i] = R[3 * i + 2];
        d->axes[1][3 * i + 1] = ac_num_scale(s, -1.0, R[3 * i + 1]);
        d->axes[1][3 * i + 2] = R[3 * i];
    }
    return AC_OK;
}

static ac_status read_x_axis(ac_builder *b, ac_graph *s, const draft *d, ac_num x[3])
{
    const ac_given_vector *given = &d->input->x_axis;
    ac_nodes nodes = {{0, 0, 0}};
    if (given->at && d->follows && ac_sets_values(b)) AC_TRY(ac_follow_list(b, given->at, &nodes));
    for (int k = 0; k < 3; ++k) x[k] = (ac_num){given->x[k], nodes.node[k]};
    axis_of_beam(b, s, d, 0, x);
    return AC_OK;
}

/* x_axis is the part across the axis: along it there is none. */
static ac_status check_x_axis(ac_builder *b, const draft *d, const ac_num axis[3], const ac_num x[3])
{
    const double a[3] = {axis[0].v, axis[1].v, axis[2].v}, wish[3] = {x[0].v, x[1].v, x[2].v};
    double across[3];
    cross3(a, wish, across);
    if (!d->input->x_axis.at || norm3(across) > LEAST_ACROSS * norm3(a) * ac_max(1.0, norm3(wish)))
        return AC_OK;
    return ac_fail_at(
        b->ctx, d->input->x_axis.at->place,
        "x_axis of the joint must not be parallel to its axis, or zero: it is the direction across it");
}

static ac_status axis_frames(ac_builder *b, ac_graph *s, draft *d)
{
    bool known[2] = {false, false};
    ac_num axis[2][3] = {{{0}}}, x_axis[3];
    AC_TRY(find_axis(b, s, d, known, axis));
    AC_TRY(read_x_axis(b, s, d, x_axis));
    AC_TRY(check_x_axis(b, d, axis[0], x_axis));
    complete_frame(s, axis[0], d->input->x_axis.at ? x_axis : NULL, d->axes[0]);
    ac_num_multiply3(s, d->turn, false, d->axes[0], d->axes[1]);
    if (ac_row_count(ac_joint_find(d->type), AC_MOTION_TURN) == 2) return cross_frames(b, s, d, known, axis);
    if (known[0] && known[1]) {
        const ac_num *R = d->axes[1], x[3] = {R[0], R[3], R[6]};
        ac_num rotation[9];
        complete_frame(s, axis[1], x, rotation);
        memcpy(d->axes[1], rotation, sizeof rotation);
    }
    return AC_OK;
}

static ac_status find_frames(ac_builder *b, draft *d)
{
    ac_graph *s = b->reader.graph;
    for (int k = 0; k < 9; ++k) d->axes[0][k] = ac_num_of(k % 4 == 0 ? 1.0 : 0.0);
    memcpy(d->axes[1], d->turn, sizeof d->turn);
    if (!needs_axis(d->type) && d->input->axis)
        return ac_fail_at(b->ctx, d->input->axis->key_place, "a %s joint has no axis",
                          ac_joint_type_names[d->type]);
    if (needs_axis(d->type)) AC_TRY(axis_frames(b, s, d));
    for (int side = 0; side < 2; ++side) {
        copy3(d->place[side], d->frame[side].position);
        for (int k = 0; k < 9; ++k) d->frame[side].rotation[k] = d->axes[side][k].v;
    }
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

/* ---- coordinates ---- */

static ac_dimension coordinate_dimension(ac_joint_type type, int coordinate, bool rate)
{
    bool angle = ac_joint_is_ball(type) || ac_joint_coordinate_turns(type, coordinate);
    if (rate) return angle ? AC_DIM_ANGULAR_VELOCITY : AC_DIM_VELOCITY;
    return angle ? AC_DIM_ANGLE : AC_DIM_LENGTH;
}

static ac_status read_coordinate_list(ac_builder *b, const draft *d, const ac_value *list, const char *what,
                                      bool rate, double out[3])
{
    int count = ac_joint_coordinate_count(d->type), k = 0;
    if (list->kind != AC_LIST || list->count != count)
        return ac_fail_at(b->ctx, list->place, "%s of a %s joint must be a list of %d number%s", what,
                          ac_joint_type_names[d->type], count, count == 1 ? "" : "s");
    for (const ac_value *value = list->first; value; value = value->next, ++k)
        AC_TRY(ac_read_number(&b->reader, value, what, coordinate_dimension(d->type, k, rate), &out[k]));
    return AC_OK;
}

static ac_status read_coordinates(ac_builder *b, const draft *d, bool rate, bool *given, double out[3])
{
    const ac_joint_input *in = d->input;
    const ac_value *list = rate ? in->rates : in->coordinates;
    const char *what = rate ? "rates" : "coordinates";
    const ac_given_number *numbers = rate ? in->rate : in->coordinate;
    const char *const *words = ac_coordinate_words();
    *given = list != NULL;
    ac_datum datum = rate ? AC_DATUM_START_RATE : AC_DATUM_START_COORDINATE;
    if (list) AC_TRY(read_coordinate_list(b, d, list, what, rate, out));
    int c = 0;
    for (const ac_value *value = list ? list->first : NULL; value; value = value->next)
        AC_TRY(ac_depend(b, datum, b->joint_count, 0, c++, value));
    for (int k = 0; words[k]; ++k) {
        const ac_given_number *number = &numbers[k];
        if (!number->at) continue;
        int coordinate = ac_joint_coordinate(d->type, words[k]);
        if (coordinate < 0)
            return ac_fail_at(b->ctx, number->at->key_place, "a %s joint has no coordinate '%s'%s",
                              ac_joint_type_names[d->type], words[k],
                              ac_joint_is_ball(d->type) ? "; use coordinates: and rates: with three numbers"
                                                        : "");
        if (list)
            return ac_fail_at(b->ctx, number->at->key_place, "give either %s or '%s', not both", what,
                              number->at->key);
        AC_TRY(ac_depend(b, datum, b->joint_count, 0, coordinate, number->at));
        out[coordinate] = number->value;
        *given = true;
    }
    return AC_OK;
}

/* ---- length ---- */

static ac_status find_length(ac_builder *b, draft *d, double *length)
{
    const ac_given_number *given = &d->input->length;
    if (!has_length(d->type)) {
        if (given->at)
            return ac_fail_at(b->ctx, given->at->key_place, "a %s joint has no length",
                              ac_joint_type_names[d->type]);
        return AC_OK;
    }
    *length = given->value;
    if (given->at) return AC_OK;
    for (int side = 0; side < 2; ++side)
        if (!d->built[side]->placed)
            return ac_fail_at(
                b->ctx, d->entry->place,
                "'length' is missing; it cannot be taken from the initial state because '%s' has no position",
                d->built[side]->name);
    ac_num first[3], second[3], square = ac_num_of(0.0);
    ac_graph *s = b->reader.graph;
    AC_TRY(ac_place_to_world(b, d->nodes[0], d->followed[0], first));
    AC_TRY(ac_place_to_world(b, d->nodes[1], d->followed[1], second));
    for (int k = 0; k < 3; ++k) {
        ac_num gap = ac_num_subtract(s, second[k], first[k]);
        square = ac_num_add(s, square, ac_num_multiply(s, gap, gap));
    }
    d->initial_length = ac_num_unary(s, OP_SQRT, square);
    if (ac_graph_failed(s)) return AC_NO_MEMORY;
    *length = d->initial_length.v;
    if (!(*length > 0))
        return ac_fail_at(b->ctx, d->entry->place,
                          "the two points of the distance joint coincide; use a spherical joint");
    return AC_OK;
}

/* ---- the joint ---- */

#define COMMA_NAME(type, name, ...) ", " name

static ac_status find_type(ac_builder *b, draft *d)
{
    static const char names[] = AC_JOINT_ROWS(COMMA_NAME);
    int type = -1;
    for (int k = 0; k < AC_JOINT_TYPE_COUNT; ++k) {
        if (!d->input->type[k]) continue;
        if (type >= 0)
            return ac_fail_at(b->ctx, d->input->type[k]->key_place,
                              "a joint has one type, not both %s and %s", ac_joint_type_names[type],
                              ac_joint_type_names[k]);
        type = k;
    }
    if (type < 0)
        return ac_fail_at(
            b->ctx, d->entry->place,
            "a joint needs a type and two nodes, such as revolute: [ground, crank]; types are %s", names + 2);
    d->type = (ac_joint_type)type;
    return AC_OK;
}

static bool is_flat(const ac_built_node *node)
{
    return node->kind == AC_BUILT_PLANAR || (node->kind == AC_BUILT_POINT && node->dimension < 3);
}

static ac_status find_nodes(ac_builder *b, draft *d)
{
    AC_TRY(ac_read_pair(b, d->input->type[d->type], ac_joint_type_names[d->type], d->nodes));
    for (int side = 0; side < 2; ++side) d->built[side] = ac_built(b, d->nodes[side]);
    d->both_placed = d->built[0]->placed && d->built[1]->placed;
    d->flat = is_flat(d->built[0]) || is_flat(d->built[1]);
    ac_graph *s = b->reader.graph;
    ac_num axes[2][9]; /* of the world, seen from each node when the joint is at zero */
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 9; ++k) axes[side][k] = ac_num_of(k % 4 == 0 ? 1.0 : 0.0);
        if (d->both_placed || d->built[side]->of_beam) ac_built_rotation(b, d->nodes[side], axes[side]);
    }
    ac_num_multiply3(s, axes[1], true, axes[0], d->turn);
    return ac_graph_failed(s) ? AC_NO_MEMORY : AC_OK;
}

static ac_status joint_name(ac_builder *b, const draft *d, const char **name)
{
    const ac_given_word *given = &d->input->name;
    char text[3 * AC_NAME_SIZE];
    bool fresh;
    if (given->at) {
        AC_TRY(ac_check_name(&b->reader, given->text, given->at->place, "joint"));
        AC_TRY(ac_copy_name(&b->reader, given->text, name));
        AC_TRY(ac_names_add(&b->joint_names, *name, b->joint_count, &fresh));
        if (!fresh)
            return ac_fail_at(b->ctx, given->at->place, "the name '%s' is taken by another joint", *name);
        return AC_OK;
    }
    int length = snprintf(text, sizeof text, "%s-%s", d->built[0]->name, d->built[1]->name);
    if (ac_names_find(&b->joint_names, text) >= 0)
        length = snprintf(text, sizeof text, "%s-%s %d", d->built[0]->name, d->built[1]->name,
                          b->joint_count + 1);
    *name = ac_arena_text(&b->reader.arena, text, (size_t)length);
    if (!*name) return AC_NO_MEMORY;
    return ac_names_add(&b->joint_names, *name, b->joint_count, &fresh);
}

static void frame_in_directors(const ac_built_node *node, const ac_pose *frame, ac_pose *out)
{
    ac_to_directors(node, frame->position, out->position);
    transposed_multiply3(node->axes, frame->rotation, out->rotation);
}

/* Frames that depend on parameters whose values are set. */
static ac_status depend_axes(ac_builder *b, const draft *d, int number)
{
    for (int side = 0; side < 2; ++side) {
        ac_num axes[9];
        memcpy(axes, d->axes[side], sizeof axes);
        AC_TRY(ac_axes_to_directors(b, d->nodes[side], axes));
        for (int k = 0; k < 9; ++k) {
            const ac_followed what = {(ac_datum)AC_JOINT_AXES, number, side, k, axes[k].node};
            if (!what.node) continue;
            if (!d->follows)
                return ac_fail_at(
                    b->ctx, d->entry->place,
                    "the axes of this joint depend on a parameter by the initial state, which cannot "
                    "be followed here");
            AC_TRY(ac_depend_number(b, &what, d->entry->place));
        }
    }
    return AC_OK;
}

/* Places that depend on free parameters. */
static ac_status depend_joint(ac_builder *b, const draft *d, int number)
{
    if (!b->free) return AC_OK;
    AC_TRY(ac_depend(b, AC_DATUM_JOINT_LENGTH, number, 0, 0, d->input->length.at));
    const ac_followed length = {AC_DATUM_JOINT_LENGTH, number, 0, 0, d->initial_length.node};
    if (length.node) AC_TRY(ac_depend_number(b, &length, d->entry->place));
    for (int side = 0; side < 2; ++side) {
        ac_nodes nodes;
        bool depends = false;
        if (d->built[side]->kind == AC_BUILT_POINT) continue;
        ac_num own[3] = {d->followed[side][0], d->followed[side][1], d->followed[side][2]};
        AC_TRY(ac_place_to_directors(b, d->nodes[side], own));
        for (int k = 0; k < 3; ++k) {
            nodes.node[k] = own[k].node;
            depends = depends || nodes.node[k];
        }
        if (depends && !d->follows)
            return ac_fail_at(b->ctx, d->entry->place,
                              "where this joint sits on '%s' depends on a free parameter by the initial "
                              "state, which cannot be followed here; give at: {%s: point}",
                              d->built[side]->name, d->built[side]->name);
        if (depends) AC_TRY(ac_depend_nodes(b, AC_DATUM_JOINT_PLACE, number, side, &nodes));
    }
    return depend_axes(b, d, number);
}

static ac_status read_joint(ac_builder *b, const ac_value *entry)
{
    ac_joint_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_joint, entry, &input, sizeof input));
    draft d = {.entry = entry, .input = &input};
    ac_joint joint = {0};
    ac_joint_relations relations;
    if (input.screw && !input.type[AC_CYLINDRICAL]) input.type[AC_CYLINDRICAL] = input.screw;
    AC_TRY(find_type(b, &d));
    AC_TRY(find_nodes(b, &d));
    AC_TRY(find_places(b, &d));
    AC_TRY(find_frames(b, &d));
    AC_TRY(find_length(b, &d, &joint.length));
    AC_TRY(read_coordinates(b, &d, false, &joint.has_coordinates, joint.coordinates));
    AC_TRY(read_coordinates(b, &d, true, &joint.has_rates, joint.rates));
    joint.hint = input.hint.on;
    if (input.hint.on && !joint.has_coordinates)
        return ac_fail_at(b->ctx, entry->place, "hint: true needs an initial coordinate (angle, slide, ...)");
    AC_TRY(joint_name(b, &d, &joint.name));

    AC_TRY(ac_grow(b->ctx, (void **)&b->joints, &b->joint_capacity, b->joint_count + 1, sizeof *b->joints));
    b->joints[b->joint_count++] = (ac_built_joint){joint.name, d.type,     d.nodes[0],
                                                   d.nodes[1], d.frame[0], d.frame[1]};
    AC_TRY(depend_joint(b, &d, b->joint_count - 1));
    joint.type = d.type;
    joint.a = d.nodes[0];
    joint.b = d.nodes[1];
    frame_in_directors(d.built[0], &d.frame[0], &joint.frame_a);
    frame_in_directors(d.built[1], &d.frame[1], &joint.frame_b);
    ac_status status = ac_read_relations(b, &input, &joint, b->joint_count - 1, &relations);
    if (status == AC_OK)
        status = ac_build_piece(b, &(ac_piece){.kind = AC_PIECE_JOINT, .as.joint = joint}, entry->place);
    return ac_add_relations(b, &relations, status, entry->place);
}

ac_status ac_build_joints(ac_builder *b)
{
    return ac_build_entries(b, b->root.joints, read_joint);
}
