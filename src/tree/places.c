/* Derivatives by places of tree joints. */
#include "tree/places.h"

#include <string.h>

#include "base/vector.h"

static void carry_up(const ac_system *system, double *F)
{
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k], parent = system->nodes[i].parent;
        if (parent != AC_GROUND) add3(F + 3 * parent, F + 3 * i, F + 3 * parent);
    }
}

void ac_tree_sum_forces(const ac_system *system, const double *q, const double *f, double *F)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double wrench[6];
        if (ac_node_type_of(node)->complete) { /* its place follows from other coordinates */
            ac_node_wrench(node, q + node->q, f + node->q, wrench);
            copy3(wrench, F + 3 * i);
            continue;
        }
        for (int c = 0; c < 3; ++c) F[3 * i + c] = c < node->dimension ? f[node->q + c] : 0.0;
    }
    carry_up(system, F);
}

void ac_tree_sum_bent(const ac_system *system, const double *q, const double *f, const double *work,
                      double *bent)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double wrench[6] = {0.0};
        if (ac_node_type_of(node)->complete)
            ac_node_wrench_slope(node, q + node->q, f + node->q, work + 6 * i, wrench);
        copy3(wrench, bent + 3 * i);
    }
    carry_up(system, bent);
}

static void rotation_of(const ac_system *system, int number, const double *q, double R[9])
{
    double position[3];
    identity3(R);
    if (number == AC_GROUND) return;
    const ac_node *node = &system->nodes[number];
    ac_node_get_pose(node, q + node->q, position, R);
}

/* out += factor R^T x */
static void add_turned_back(const ac_system *system, int number, const double *q, const double x[3],
                            double factor, double out[3])
{
    double R[9], back[3];
    rotation_of(system, number, q, R);
    apply_transposed3(R, x, back);
    for (int i = 0; i < 3; ++i) out[i] += factor * back[i];
}

static void gap_of(const ac_system *system, const ac_joint_data *joint, const double *q, double gap[3])
{
    double x_a[3], x_b[3], axes[9];
    ac_side_frame(system, ac_parent_side(joint), q, x_a, axes);
    ac_side_frame(system, ac_child_side(joint), q, x_b, axes);
    sub3(x_b, x_a, gap);
}

void ac_tree_pull_place(const ac_system *system, int child, const double *q, const double *F,
                        ac_place_pull *out)
{
    const ac_node *node = &system->nodes[child];
    const ac_joint_data *joint = &system->joints[node->joint];
    double gap[3];
    add_turned_back(system, node->parent, q, F + 3 * child, 1.0, out->a);
    add_turned_back(system, child, q, F + 3 * child, -1.0, out->b);
    if (!ac_row_has(joint->row, AC_MOTION_SWING)) return;
    gap_of(system, joint, q, gap);
    out->length += dot3(F + 3 * child, gap) / joint->length;
}

void ac_tree_pull_place_motion(const ac_system *system, int child, const double *q, const double *columns,
                               const double *y, const double *work, const double *bent, ac_place_pull *out)
{
    static const double still[6] = {0};
    const ac_node *node = &system->nodes[child];
    const ac_joint_data *joint = &system->joints[node->joint];
    const double *F = work + 6 * system->node_count + 6 * child, *own = work + 6 * child,
                 *parent = node->parent == AC_GROUND ? still : work + 6 * node->parent;
    double by_a[3], by_b[3], gap[3], speed[3];
    cross3(F, parent + 3, by_a); /* F . (w x r) = (F x w) . r */
    cross3(F, own + 3, by_b);
    for (int i = 0; bent && i < 3; ++i) {
        by_a[i] += bent[3 * child + i];
        by_b[i] += bent[3 * child + i];
    }
    add_turned_back(system, node->parent, q, by_a, 1.0, out->a);
    add_turned_back(system, child, q, by_b, -1.0, out->b);
    if (!ac_row_has(joint->row, AC_MOTION_SWING)) return;
    gap_of(system, joint, q, gap);
    cross3(parent + 3, gap, speed);
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        for (int f = 0; step->kind == AC_MOTION_SWING && f < step->freedoms; ++f)
            for (int i = 0; i < 3; ++i)
                speed[i] += columns[6 * (node->u + step->freedom + f) + i] * y[node->u + step->freedom + f];
    }
    out->length += (dot3(F, speed) + (bent ? dot3(bent + 3 * child, gap) : 0.0)) / joint->length;
}
