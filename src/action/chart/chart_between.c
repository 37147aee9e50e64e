/* The inverse of moving: increments that lead from one state to another. */

#include "action/chart/chart.h"
#include "base/vector.h"
#include "math/math.h"

/* R = Rx Ry Rz */
void ac_three_angles(const double R[9], double xi[3])
{
    xi[0] = ac_atan2(-R[5], R[8]);
    xi[1] = ac_asin(ac_min(1.0, ac_max(-1.0, R[2])));
    xi[2] = ac_atan2(-R[1], R[0]);
}

void ac_swings_between(const ac_node *node, const ac_joint_state *a, const ac_joint_state *b, double *xi)
{
    if (node->dimension == 2) {
        xi[0] = ac_atan2(a->shift[0] * b->shift[1] - a->shift[1] * b->shift[0],
                         a->shift[0] * b->shift[0] + a->shift[1] * b->shift[1]);
        return;
    }
    /* shift_b = exp(x1 e1) exp(x2 e2) shift_a, in the frame e1, e2, shift_a: the second turn first lifts
     * along e1 */
    double length = norm3(a->shift), along = dot3(b->shift, a->basis) / length, third[3];
    for (int i = 0; i < 3; ++i) third[i] = a->shift[i] / length;
    double up = dot3(b->shift, third) / length, side = dot3(b->shift, a->basis + 3) / length;
    double cross[3];
    cross3(a->basis, a->basis + 3, cross);
    double hand = dot3(cross, third) > 0.0 ? 1.0 : -1.0;
    xi[1] = hand * ac_asin(ac_min(1.0, ac_max(-1.0, along)));
    xi[0] = hand * ac_atan2(-side, up);
}

void ac_chart_between(const ac_chart *c, const ac_joint_state *reference, const ac_joint_state *state,
                      double *xi)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        const ac_joint_state *a = &reference[i], *b = &state[i];
        double R[9];
        multiply_transposed3(b->turn, a->turn, R);
        for (int k = 0; k < node->walk.count; ++k) {
            const ac_walk_step *step = &node->walk.step[k];
            int f = node->u + step->freedom;
            if (step->kind == AC_MOTION_SWING) {
                ac_swings_between(node, a, b, xi + f);
            } else if (step->kind == AC_MOTION_SHIFT) {
                xi[f] = ac_joint_slide(node, b, step->axis) - ac_joint_slide(node, a, step->axis);
            } else if (step->kind == AC_MOTION_TURN) {
                xi[f] = b->coordinate[step->number] - a->coordinate[step->number];
            } else if (step->freedoms == 3) {
                ac_three_angles(R, xi + f);
            } else {
                xi[f] = ac_atan2(R[3], R[0]);
            }
        }
    }
}
