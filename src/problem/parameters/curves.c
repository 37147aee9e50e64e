/* Curves of beams that depend on parameters whose values are set: they are laid anew, and the poses of their nodes are variables of
 * what follows from the drawing, such as frames of joints in the axes of a node. */
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "base/vector.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"
#include "problem/build/slopes.h"

/* --- laying --- */

static bool same_mesh(const ac_curve *a, const ac_curve *b)
{
    bool same = a->nodes == b->nodes && a->corner_count == b->corner_count &&
                a->inner_count == b->inner_count;
    for (int k = 0; same && k < a->corner_count; ++k) same = a->corners[k] == b->corners[k];
    for (int k = 0; same && k < a->inner_count; ++k) same = a->inner[k] == b->inner[k];
    return same;
}

/* The same elements along the curve as in the file, with steps of the profile still at their ends. */
static ac_status check_mesh(ac_values *v, const ac_built_beam *beam, const ac_curve *curve)
{
    if (!same_mesh(curve, beam->curve))
        return ac_fail(v->inside, AC_BAD_INPUT, "the elements of beam '%s' lie otherwise along its curve",
                       beam->name);
    ac_status status = ac_profile_check_steps(&v->builder, beam->profile, curve->ends, curve->elements);
    return status == AC_OK ? AC_OK : ac_fail(v->inside, status, "%s", ac_context_message(v->ctx));
}

static ac_status lay(ac_values *v, int number)
{
    const ac_built_beam *beam = &v->builder.beams[number];
    ac_piece *piece = ac_description_beam(&v->description, number);
    ac_curve_fault fault;
    ac_curve *curve;
    AC_TRY(ac_curve_lay(v->inside, &beam->drawn->shape, &fault, &curve));
    ac_status status = check_mesh(v, beam, curve);
    if (status == AC_OK) memcpy(piece->frames, curve->frames, (size_t)curve->nodes * sizeof *piece->frames);
    ac_curve_free(curve);
    return status;
}

static const ac_pose *pose_of(const ac_values *v, int node)
{
    const ac_piece *piece = ac_description_node(&v->description, node);
    return &piece->frames[node - piece->first_node];
}

ac_status ac_values_lay_curves(ac_values *v)
{
    for (int k = 0; k < v->builder.beam_count; ++k)
        if (v->builder.beams[k].drawn->depends) AC_TRY(lay(v, k));
    for (int k = 0; k < ac_hidden_nodes(&v->builder); ++k) {
        const ac_pose *pose = pose_of(v, ac_hidden_node(&v->builder, k));
        double *x = v->x + v->count + 1 + AC_HIDDEN_POSE * k;
        memcpy(x, pose->position, sizeof pose->position);
        memcpy(x + 3, pose->rotation, sizeof pose->rotation);
    }
    return AC_OK;
}

/* --- derivatives --- */

ac_status ac_values_curve_motion(ac_values *v, int beam, int parameter, ac_curve_motion *motion)
{
    const ac_drawn_curve *drawn = v->builder.beams[beam].drawn;
    ac_drawn_curve *by;
    AC_TRY(ac_values_tangent(v, parameter));
    AC_TRY(ac_drawn_slope(v->ctx, drawn, &by));
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        if (slot->datum == AC_BEAM_CURVE && slot->object == beam)
            *ac_drawn_number(by, slot->component) = v->work.d[slot->node];
    }
    ac_status status = ac_curve_slopes(v->ctx, &drawn->shape, &by->shape, motion);
    ac_release(v->ctx, by);
    return status;
}

/* R' = [turn]x R */
static void put_slope(const ac_pose *pose, const ac_curve_motion *motion, double *slope)
{
    memcpy(slope, motion->place, sizeof motion->place);
    for (int c = 0; c < 3; ++c) {
        const double d[3] = {pose->rotation[c], pose->rotation[3 + c], pose->rotation[6 + c]};
        double by[3];
        cross3(motion->turn, d, by);
        for (int i = 0; i < 3; ++i) slope[3 + 3 * i + c] = by[i];
    }
}

static ac_status move_beam(ac_values *v, int number, int parameter)
{
    const ac_built_beam *beam = &v->builder.beams[number];
    int hidden = ac_hidden_nodes(&v->builder);
    ac_curve_motion *motion;
    AC_NEW(v->ctx, motion, beam->nodes);
    ac_status status = ac_values_curve_motion(v, number, parameter, motion);
    for (int k = 0; status == AC_OK && k < hidden; ++k) {
        int own = ac_hidden_node(&v->builder, k) - beam->first_node;
        if (own < 0 || own >= beam->nodes) continue;
        put_slope(pose_of(v, beam->first_node + own), &motion[own],
                  v->hidden_slope + AC_HIDDEN_POSE * (parameter * hidden + k));
    }
    ac_release(v->ctx, motion);
    return status;
}

ac_status ac_values_move_poses(ac_values *v)
{
    if (ac_hidden_nodes(&v->builder) == 0) return AC_OK;
    for (int j = 0; j < v->count; ++j)
        for (int k = 0; k < v->builder.beam_count; ++k)
            if (v->builder.beams[k].drawn->depends) AC_TRY(move_beam(v, k, j));
    return AC_OK;
}

const double *ac_values_pose_slopes(const ac_values *v, int parameter)
{
    return v->hidden_slope + AC_HIDDEN_POSE * parameter * ac_hidden_nodes(&v->builder);
}

/* A number of a curve whose derivative vanishes may still move poses at second order. */
static ac_status has_still_number(ac_values *v, bool *still)
{
    const ac_graph *g = v->builder.reader.graph;
    bool *inputs, *reached;
    *still = false;
    AC_NEW(v->ctx, inputs, v->inputs + g->count);
    reached = inputs + v->inputs;
    ac_status status = AC_OK;
    for (int j = 0; j < v->count && status == AC_OK && !*still; ++j) {
        inputs[j] = true;
        ac_graph_reach(g, inputs, reached);
        inputs[j] = false;
        status = ac_values_tangent(v, j);
        for (int k = 0; k < v->slot_count && status == AC_OK; ++k)
            *still = *still || (v->slots[k].datum == AC_BEAM_CURVE && reached[v->slots[k].node] &&
                                v->work.d[v->slots[k].node] == 0.0);
    }
    ac_release(v->ctx, inputs);
    return status;
}

ac_status ac_values_poses_move(ac_values *v, bool *move)
{
    int hidden = AC_HIDDEN_POSE * ac_hidden_nodes(&v->builder);
    AC_TRY(ac_values_move_poses(v));
    *move = false;
    if (hidden > 0) AC_TRY(has_still_number(v, move));
    for (int k = 0; k < v->count * hidden && !*move; ++k) *move = v->hidden_slope[k] != 0.0;
    return AC_OK;
}

/* --- expressions --- */

bool ac_values_depends(const ac_values *v, const ac_expression *expression, int parameter)
{
    bool depends = ac_expression_has(expression, parameter);
    for (int k = v->count + 1; k < v->inputs && !depends; ++k) depends = ac_expression_has(expression, k);
    return depends;
}
