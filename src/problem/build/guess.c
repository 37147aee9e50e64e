/* Guesses for the task optimize. */
#include "problem/build/guess.h"

#include <stdio.h>
#include <string.h>

#include "actio/result.h"
#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "optimize/problem/prepare.h"
#include "problem/keys/schema_optimize.h"
#include "model/system.h"

enum { ROWS_MOST = 10000 };

/* ---- from conditions ---- */

/* Coordinates of a joint in the assembled configuration. */
static void initial_coordinates(const ac_system *system, int joint, double coordinates[3])
{
    const ac_joint_data *data = &system->joints[joint];
    memset(coordinates, 0, 3 * sizeof *coordinates);
    for (int c = 0; data->first_measure >= 0 && c < ac_row_coordinates(data->row); ++c)
        coordinates[c] = system->measures[data->first_measure + c].initial;
}

ac_status ac_guess_coordinate(ac_builder *b, ac_optimization *o, int joint, int coordinate, double end)
{
    double rows[6], packed[6];
    static const double s[2] = {0.0, 1.0};
    int width = ac_system_joint_coordinates(b->system, joint);
    initial_coordinates(b->system, joint, rows);
    memcpy(rows + 3, rows, 3 * sizeof *rows);
    rows[3 + coordinate] = end;
    for (int k = 0; k < 2; ++k)
        for (int c = 0; c < width; ++c) packed[k * width + c] = rows[3 * k + c];
    return ac_optimization_guess_joint(o, joint, 2, s, packed);
}

ac_status ac_guess_orientation(ac_builder *b, ac_optimization *o, int node, const double rotation[9])
{
    const ac_built_node *built = ac_built(b, node);
    const ac_node *data = &b->system->nodes[node];
    double position[3], now[9], body[9], turn[9], rows[6] = {0.0};
    static const double s[2] = {0.0, 1.0};
    if (data->joint >= 0) return AC_OK;
    ac_node_get_pose(data, b->system->initial.q + data->q, position, now);
    multiply_transposed3(now, built->axes, body); /* of the body frame */
    multiply_transposed3(rotation, body, turn);
    ac_rotation_log(turn, rows + 3);
    return ac_optimization_guess_turn(o, node, 2, s, rows);
}

/* ---- rows of the file ---- */

static ac_status read_rows(ac_builder *b, const ac_value *list, int width, double **s, double **values,
                           int *count)
{
    if (list->kind != AC_LIST || list->count < 1 || list->count > ROWS_MOST)
        return ac_fail_at(b->ctx, list->place, "a guess is a list of rows [s, %s] with s from 0 to 1",
                          width == 1 ? "coordinate" : "coordinates...");
    *s = ac_arena_take(&b->reader.arena, (size_t)list->count, sizeof **s);
    *values = ac_arena_take(&b->reader.arena, (size_t)list->count * (size_t)width, sizeof **values);
    if (!*s || !*values) return AC_NO_MEMORY;
    *count = 0;
    for (const ac_value *row = list->first; row; row = row->next) {
        double numbers[4];
        int found;
        AC_TRY(ac_read_numbers(&b->reader, row, "a row of the guess", AC_DIM_ANY, width + 1, width + 1,
                               numbers, &found));
        if (!(numbers[0] >= 0.0 && numbers[0] <= 1.0))
            return ac_fail_at(b->ctx, row->first->place,
                              "a row of the guess begins with s from 0 (start) to 1 (end), not %g",
                              numbers[0]);
        (*s)[*count] = numbers[0];
        for (int c = 0; c < width; ++c) (*values)[*count * width + c] = numbers[1 + c];
        ++*count;
    }
    return AC_OK;
}

static ac_status read_joint_rows(ac_builder *b, ac_optimization *o, const ac_value *map)
{
    if (map->kind != AC_MAP) return ac_fail_at(b->ctx, map->place, "joints must be a map of joints to rows");
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        double *s = NULL, *values = NULL;
        int joint, count = 0;
        ac_value key = {.kind = AC_SCALAR, .place = entry->key_place, .text = entry->key};
        ac_given_word word = {.at = &key, .text = entry->key};
        AC_TRY(ac_find_joint(b, &word, &joint));
        int width = ac_system_joint_coordinates(b->system, joint);
        if (width == 0)
            return ac_fail_at(b->ctx, entry->key_place, "the joint '%s' has no coordinates", entry->key);
        AC_TRY(read_rows(b, entry, width, &s, &values, &count));
        AC_TRY(ac_build_failed(b, ac_optimization_guess_joint(o, joint, count, s, values), entry->place));
    }
    return AC_OK;
}

static ac_status read_turn_rows(ac_builder *b, ac_optimization *o, const ac_value *map)
{
    if (map->kind != AC_MAP) return ac_fail_at(b->ctx, map->place, "turns must be a map of bodies to rows");
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        double *s = NULL, *values = NULL;
        int node, count = 0;
        AC_TRY(ac_find_node(b, entry->key, entry->key_place, &node));
        if (node == AC_GROUND) return ac_fail_at(b->ctx, entry->key_place, "the ground does not turn");
        AC_TRY(read_rows(b, entry, 3, &s, &values, &count));
        AC_TRY(ac_build_failed(b, ac_optimization_guess_turn(o, node, count, s, values), entry->place));
    }
    return AC_OK;
}

/* Places of the frames of bodies, or of points. */
static ac_status read_position_rows(ac_builder *b, ac_optimization *o, const ac_value *map)
{
    if (map->kind != AC_MAP)
        return ac_fail_at(b->ctx, map->place, "positions must be a map of bodies and points to rows");
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        double *s = NULL, *values = NULL;
        int count = 0;
        ac_point point = {0};
        AC_TRY(ac_find_node(b, entry->key, entry->key_place, &point.node));
        if (point.node == AC_GROUND) return ac_fail_at(b->ctx, entry->key_place, "the ground does not move");
        const ac_built_node *built = ac_built(b, point.node);
        const double back[3] = {-built->centre[0], -built->centre[1], -built->centre[2]};
        if (ac_node_turns(&b->system->nodes[point.node]) > 0) ac_to_directors(built, back, point.place);
        AC_TRY(read_rows(b, entry, b->system->nodes[point.node].dimension, &s, &values, &count));
        AC_TRY(ac_build_failed(b, ac_optimization_guess_place(o, &point, count, s, values), entry->place));
    }
    return AC_OK;
}

/* ---- an earlier result ---- */

typedef struct earlier {
    ac_context *ctx;
    ac_result *result;
    const ac_system *system;
    int nodes, controls;
    double *q, *u, *column;
    double duration;
} earlier;

/* One channel into rows of a table. */
static ac_status take_channel(earlier *e, const char *name, int width, double *out, int stride, long rows)
{
    int table, channel, count;
    if (!ac_result_find(e->result, name, &table, &channel))
        return ac_fail(e->ctx, AC_BAD_INPUT, "the result has no channel %s", name);
    const ac_channel *channels = ac_result_channels(e->result, table, &count);
    if (channels[channel].width != width || ac_result_rows(e->result, table) < rows)
        return ac_fail(e->ctx, AC_BAD_INPUT, "the channel %s of the result does not fit this problem", name);
    AC_TRY(ac_result_read(e->result, table, channel, 0, 1, rows, e->column));
    for (long r = 0; r < rows; ++r)
        for (int c = 0; c < width; ++c) out[r * stride + c] = e->column[r * width + c];
    return AC_OK;
}

static ac_status take_node(earlier *e, const ac_node *node)
{
    char name[160];
    int n = e->system->n, d = node->dimension;
    snprintf(name, sizeof name, "%s/%.100s/position", ac_node_type_of(node)->word, node->name);
    AC_TRY(take_channel(e, name, d, e->q + node->q, n, e->nodes));
    if (ac_node_turns(node) == 0) return AC_OK;
    snprintf(name, sizeof name, "body/%.100s/%s", node->name, d == 3 ? "rotation" : "director");
    AC_TRY(take_channel(e, name, d == 3 ? 9 : 2, e->q + node->q + d, n, e->nodes));
    for (int r = 0; d == 3 && r < e->nodes; ++r) { /* rows of the rotation to directors */
        double *R = e->q + (long)r * n + node->q + 3, columns[9];
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) columns[3 * I + i] = R[3 * i + I];
        memcpy(R, columns, sizeof columns);
    }
    return AC_OK;
}

static ac_status take_motion(earlier *e, ac_optimization *o)
{
    int table, channel;
    if (!ac_result_find(e->result, "time", &table, &channel))
        return ac_fail(e->ctx, AC_BAD_INPUT, "the result has no times");
    long rows = ac_result_rows(e->result, table);
    if (rows < 2 || rows > 10000000) return ac_fail(e->ctx, AC_BAD_INPUT, "the result has no motion");
    e->nodes = (int)rows;
    e->controls = ac_optimization_controls(o);
    AC_NEW(e->ctx, e->q, (size_t)rows * (size_t)e->system->n);
    AC_NEW(e->ctx, e->u, (size_t)rows * (size_t)(e->controls + 1));
    AC_NEW(e->ctx, e->column, (size_t)rows * 12);
    AC_TRY(ac_result_read(e->result, table, channel, 0, 1, rows, e->column));
    e->duration = e->column[rows - 1] - e->column[0];
    for (int i = 0; i < e->system->node_count; ++i) AC_TRY(take_node(e, &e->system->nodes[i]));
    for (int k = 0; k < e->controls; ++k) {
        char name[160];
        int at, which;
        snprintf(name, sizeof name, "control/%.100s", ac_optimization_control_name(o, k));
        if (!ac_result_find(e->result, name, &at, &which))
            continue; /* a simulation, or another set of controls */
        AC_TRY(take_channel(e, name, 1, e->u + k, e->controls, rows - 1));
    }
    return ac_optimization_guess_motion(o, e->nodes, e->q, e->u, e->duration);
}

/* Parameters that were free there and are free here. */
static ac_status take_parameters(const earlier *e, ac_optimization *o)
{
    for (int k = 0; k < ac_optimization_parameters(o); ++k) {
        char name[160];
        double value;
        snprintf(name, sizeof name, "parameter_%.100s", ac_optimization_parameter_name(o, k));
        if (ac_result_number(e->result, name, &value)) AC_TRY(ac_optimization_guess_parameter(o, k, value));
    }
    return AC_OK;
}

static ac_status read_earlier(ac_builder *b, ac_optimization *o, const char *path)
{
    earlier e = {.ctx = b->ctx, .system = b->system};
    AC_TRY(ac_result_open(b->ctx, path, &e.result));
    ac_status status = take_motion(&e, o);
    if (status == AC_OK) status = take_parameters(&e, o);
    ac_release(b->ctx, e.q);
    ac_release(b->ctx, e.u);
    ac_release(b->ctx, e.column);
    ac_result_close(e.result);
    return status;
}

ac_status ac_read_guess(ac_builder *b, ac_optimization *o, const ac_value *section,
                        ac_optimization_plan *plan)
{
    ac_guess_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_guess, section, &input, sizeof input));
    if (input.joints) AC_TRY(read_joint_rows(b, o, input.joints));
    if (input.turns) AC_TRY(read_turn_rows(b, o, input.turns));
    if (input.positions) AC_TRY(read_position_rows(b, o, input.positions));
    plan->simulated_guess = input.simulate.on;
    plan->reduced_guess = input.reduced.on;
    ac_optimization_go_directly(o, input.reduced.at && !input.reduced.on);
    ac_optimization_guess_inverse(o, input.inverse_dynamics.on);
    ac_optimization_guess_near(o, input.near.on);
    if (!input.file.at) return AC_OK;
    return ac_build_failed(b, read_earlier(b, o, input.file.text), input.file.at->place);
}
