/* Derivatives by the frames of tree joints.
 *
 * A turn by w about c moves a place by w x (x - c) and a director by w x d, where w and c are affine in the directors and the place of a
 * node: q' = Q(q, q) with Q bilinear, the first argument for w, the second for what is turned. Against f,
 *   f . Q(x, y) = w(x) . (N(y) - c(y) x F),   F = sum f,   N(y) = sum y x f over all that is carried. */
#include "tree/frames.h"

#include <string.h>

#include "base/vector.h"

/* A configuration, or a velocity, of which constants have none. */
typedef struct argument {
    const double *x;
    bool motion;
} argument;

/* An axis k of a node. The second one of a planar body is across its director; a point has the axes of the world. */
static void axis_of(const ac_system *system, int number, const argument *at, int k, double axis[3])
{
    const ac_node *node = number == AC_GROUND ? NULL : &system->nodes[number];
    const int directors = node ? ac_node_type_of(node)->directors : 0;
    axis[0] = axis[1] = axis[2] = 0.0;
    if (directors == 1 && k < 2) {
        const double *d = at->x + node->q + 2;
        axis[0] = k == 0 ? d[0] : -d[1];
        axis[1] = k == 0 ? d[1] : d[0];
    } else if (k < directors) {
        copy3(at->x + node->q + 3 * (1 + k), axis);
    } else {
        axis[k] = at->motion ? 0.0 : 1.0;
    }
}

/* A joint point; NULL: the reference point of the node. */
static void point_of(const ac_system *system, int number, const double *place, const argument *at,
                     double point[3])
{
    point[0] = point[1] = point[2] = 0.0;
    if (number != AC_GROUND) ac_reference(&system->nodes[number], at->x, point);
    for (int k = 0; place && k < 3; ++k) {
        double axis[3];
        axis_of(system, number, at, k, axis);
        for (int i = 0; i < 3; ++i) point[i] += place[k] * axis[i];
    }
}

/* F and N of a node and all that it carries, 3 and 3 numbers per node. */
static void sum_forces(const ac_system *system, const argument *at, const double *f, double *work)
{
    for (int n = 0; n < system->node_count; ++n) {
        const ac_node *node = &system->nodes[n];
        double *own = work + 6 * n;
        memset(own, 0, 6 * sizeof *own);
        for (int s = 0; s <= ac_node_type_of(node)->directors; ++s) {
            double x[3] = {0.0, 0.0, 0.0}, force[3] = {0.0, 0.0, 0.0};
            for (int i = 0; i < node->dimension; ++i) {
                x[i] = at->x[node->q + node->dimension * s + i];
                force[i] = f[node->q + node->dimension * s + i];
            }
            if (s == 0) copy3(force, own);
            add_cross3(x, force, own + 3);
        }
    }
    for (int k = system->node_count - 1; k >= 0; --k) {
        int n = system->tree.order[k], parent = system->nodes[n].parent;
        if (ac_node_turns(&system->nodes[n]) ==
            0) { /* what hangs on a point is shifted with it, not turned */
            double x[3];
            ac_reference(&system->nodes[n], at->x, x);
            cross3(x, work + 6 * n, work + 6 * n + 3);
        }
        if (parent == AC_GROUND) continue;
        for (int i = 0; i < 6; ++i) work[6 * parent + i] += work[6 * n + i];
    }
}

/* out += factor (moment about a point) . axes of a node */
static void add_turn(const ac_system *system, int number, const argument *axes, const double moment[3],
                     double factor, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double axis[3];
        axis_of(system, number, axes, k, axis);
        out[k] += factor * dot3(axis, moment);
    }
}

static void moment_about(const double point[3], const double sums[6], double moment[3])
{
    double across[3];
    cross3(point, sums, across);
    sub3(sums + 3, across, moment);
}

/* The quadratic part: f . Q(x, y), the sums being those of y. */
static void add_turns(const ac_system *system, const argument *x, const argument *y, double factor,
                      const double *work, ac_frame_pull *out)
{
    for (int n = 0; n < system->node_count; ++n) {
        const ac_node *node = &system->nodes[n];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        const double *sums = work + 6 * n;
        double here[3], there[3], moment[3], gap[3];
        point_of(system, n, joint ? ac_child_side(joint)->place : NULL, y, here);
        moment_about(here, sums, moment);
        add_turn(system, n, x, moment, -factor, out[n].turn[1]);
        if (!joint) continue;
        point_of(system, node->parent, ac_parent_side(joint)->place, y, there);
        moment_about(there, sums, moment);
        add_turn(system, node->parent, x, moment, factor, out[n].turn[0]);
        if (!ac_row_has(joint->row, AC_MOTION_SWING)) continue;
        sub3(here, there, gap);
        cross3(gap, sums, moment);
        add_turn(system, node->parent, x, moment, factor, out[n].swing);
    }
}

/* The linear part, at x. */
static void add_shifts(const ac_system *system, const argument *x, double factor, const double *work,
                       ac_frame_pull *out)
{
    for (int n = 0; n < system->node_count; ++n) {
        const ac_node *node = &system->nodes[n];
        if (node->joint < 0) continue;
        const ac_joint_data *joint = &system->joints[node->joint];
        const double *F = work + 6 * n;
        double here[3], there[3], gap[3];
        add_turn(system, node->parent, x, F, factor, out[n].place[0]);
        add_turn(system, n, x, F, -factor, out[n].place[1]);
        if (!ac_row_has(joint->row, AC_MOTION_SWING)) continue;
        point_of(system, n, ac_child_side(joint)->place, x, here);
        point_of(system, node->parent, ac_parent_side(joint)->place, x, there);
        sub3(here, there, gap);
        out[n].length += factor * dot3(F, gap) / joint->length;
    }
}

void ac_tree_pull_frames(const ac_system *system, const double *q, const double *f, double factor,
                         double *work, ac_frame_pull *out)
{
    const argument here = {q, false};
    sum_forces(system, &here, f, work);
    add_turns(system, &here, &here, factor, work, out);
    add_shifts(system, &here, factor, work, out);
}

void ac_tree_pull_frames_along(const ac_system *system, const double *q, const double *u, const double *f,
                               double factor, double *work, ac_frame_pull *out)
{
    const argument here = {q, false}, motion = {u, true};
    sum_forces(system, &motion, f, work);
    add_turns(system, &here, &motion, factor, work, out);
    sum_forces(system, &here, f, work);
    add_turns(system, &motion, &here, factor, work, out);
    add_shifts(system, &motion, factor, work, out);
}

void ac_tree_pull_frames_bent(const ac_system *system, const double *q, const double *u, const double *v,
                              const double *du, const double *f, double factor, double *work,
                              ac_frame_pull *out)
{
    const argument first = {u, true}, second = {v, true};
    ac_tree_pull_frames_along(system, q, du, f, factor, work, out);
    sum_forces(system, &second, f, work);
    add_turns(system, &first, &second, factor, work, out);
    sum_forces(system, &first, f, work);
    add_turns(system, &second, &first, factor, work, out);
}
