/* The start of a motion in joint coordinates.
 *
 * The coordinates are counted from the start, where they are zero. So what moves the start moves their origin: where a coordinate is
 * a shift or an angle, this is the same as another first value. The three turns of a ball and the two swings of a distance
 * joint are other coordinates of another origin: with a ball's R = Rx Ry Rz R_0, a turn of R_0 is a turn of the child's frame, and
 * the gap E(x) s_0 of a distance joint, E being products of turns about e_1 and e_2, turns with the frame e_1, e_2, s_0. So the
 * derivative by the start is then that by these frames, which the sweep gathers (tree/frames.h). */
#include <math.h>
#include <string.h>

#include "adjoint/chart/chart.h"
#include "base/vector.h"

static bool turns(const ac_walk_step *step)
{
    return (step->kind == AC_MOTION_BALL && step->freedoms == 3) ||
           (step->kind == AC_MOTION_SWING && step->freedoms == 2);
}

bool ac_chart_origin_turns(const ac_system *system)
{
    for (int i = 0; i < system->node_count; ++i)
        for (int k = 0; k < system->nodes[i].walk.count; ++k)
            if (turns(&system->nodes[i].walk.step[k])) return true;
    return false;
}

/* The turn of a ball about axis k of the parent's frame, in axes of the child: S R_0^T e_k. */
static double by_ball(const ac_system *system, const ac_node *node, const ac_joint_state *start, int k,
                      const ac_frame_pull *by)
{
    const double back[3] = {start->turn[3 * k], start->turn[3 * k + 1], start->turn[3 * k + 2]};
    double own[3];
    copy3(back, own);
    if (node->joint >= 0) apply3(ac_child_side(&system->joints[node->joint])->axes, back, own);
    return -dot3(by->turn[1], own); /* which counts against it */
}

/* How the frame e_1, e_2, s turns when s turns by e_k: by e_k + t s, as e_1 stays across s and the axis to which it was taken
 * perpendicular (ac_perpendicular). */
static void swing_turn(const ac_joint_state *start, int k, double turn[3])
{
    const double *s = start->shift, *e1 = start->basis, *e2 = e1 + 3;
    double axis[3] = {0.0, 0.0, 0.0}, moved[3], across[3], length[3];
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(s[i]) < fabs(s[least])) least = i;
    axis[least] = 1.0;
    cross3(e1 + 3 * k, s, moved);
    cross3(moved, axis, across);
    cross3(s, axis, length);
    double twist = dot3(e2, across) / norm3(length) / norm3(s);
    for (int i = 0; i < 3; ++i) turn[i] = e1[3 * k + i] + twist * s[i];
}

static double by_swing(const ac_system *system, const ac_node *node, const ac_joint_state *start, int k,
                       const ac_frame_pull *by)
{
    double turn[3], own[3];
    swing_turn(start, k, turn);
    apply3(ac_parent_side(&system->joints[node->joint])->axes, turn, own);
    return dot3(by->swing, own);
}

/* by (tree freedoms): those of balls and swings become the derivatives by their origin. */
static void take_origin(const ac_adjoint *d, double *by)
{
    const ac_system *system = d->system;
    const ac_chart_sweep *s = d->chart;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const ac_joint_state *start = &s->on.end[0].at.reference[i];
        for (int k = 0; k < node->walk.count; ++k) {
            const ac_walk_step *step = &node->walk.step[k];
            for (int c = 0; turns(step) && c < step->freedoms; ++c)
                by[node->u + step->freedom + c] = step->kind == AC_MOTION_BALL
                                                      ? by_ball(system, node, start, c, &s->all[i])
                                                      : by_swing(system, node, start, c, &s->all[i]);
        }
    }
}

/* Parameters move the start with what their frames carry, which is gathered already: by_q takes it along once more, so it is taken off. */
ac_status ac_chart_finish_start(ac_adjoint *d, const double *q, const double *p)
{
    ac_chart_sweep *s = d->chart;
    const ac_system *system = d->system;
    memset(s->now, 0, (size_t)system->node_count * sizeof *s->now);
    if (s->carries) {
        ac_chart_spread(s, 0, s->pi, s->work[0]);
        ac_tree_pull_frames(system, q, s->by_q, 1.0, s->frame_work, s->now);
        ac_tree_pull_frames_along(system, q, s->work[0], p, 1.0, s->frame_work, s->now);
        ac_chart_add_frames(d);
    }
    memset(s->rhs, 0, (size_t)s->on.T * sizeof *s->rhs);
    ac_chart_project(s, 0, 1.0, d->by_q, s->rhs);
    take_origin(d, s->rhs);
    AC_TRY(ac_chart_solve_mass(d, 0, s->rhs, s->x));
    ac_chart_spread_mass(s, 0, s->x, d->by_q);
    if (d->parameters.count == 0) return AC_OK;
    if (s->carries) ac_tree_pull_frames(system, q, d->by_q, -1.0, s->frame_work, s->now);
    ac_adjoint_take_frames(d, s->now, d->parameters.total);
    return AC_OK;
}
