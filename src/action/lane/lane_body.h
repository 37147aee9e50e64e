/* Inertia, gravity and loads of one rigid body in vector lanes: loops for ensembles (ensemble/), over an interval of the midpoint
 * scheme. Each lane has the numbers of its own system.
 *
 * With mass m, Euler tensor E and directors d_I (the columns of R), as wrenches (force, moment about the centre of mass):
 *
 *   left     -m (x_b - x_a)/h,   -1/h sum_K A_K x d_K(b),        A_K = sum_I E_IK d_I(a)
 *   right     m (x_b - x_a)/h,    1/h sum_K A_K x d_K(b)
 *   weight    h/2 of the force of gravity, on both sides
 *   load      h/2 of the force or torque, at a to the left and at b to the right
 *
 * tests/action/test_lane_body.c compares all of them with the interval of action/interval.h to 1e-13 of the largest entry.
 */
#ifndef ACTIO_ACTION_LANE_LANE_BODY_H
#define ACTIO_ACTION_LANE_LANE_BODY_H

#include "action/lane/lane.h"
#include "model/system.h"

typedef struct ac_lane_body {
    ac_lane mass, euler[9], weight[3]; /* weight: force of gravity */
    ac_lane x_a[3], x_b[3], R_a[9], R_b[9];
    ac_lane weighted[9]; /* R_a times the Euler tensor */
} ac_lane_body;

/* A load: its number in the systems, its components on the interval, its place in the body. */
typedef struct ac_lane_load {
    int number;
    bool force, follows;
    ac_lane value[3], place[3];
} ac_lane_load;

/* Inertia, weight and the momentum P(q0)^T M v0 of a node in the system of one lane. */
void ac_lane_body_take(const ac_system *system, int node, int lane, ac_lane_body *body, ac_lane wrench[6]);
/* b becomes a. */
void ac_lane_body_advance(ac_lane_body *body);
/* sum = wrench + left, without weight and loads. */
void ac_lane_body_left(const ac_lane_body *body, double h, const ac_lane wrench[6], ac_lane sum[6]);
/* wrench = right with the weight, without loads. */
void ac_lane_body_right(const ac_lane_body *body, double h, ac_lane wrench[6]);
/* wrench += h/2 of the weight */
void ac_lane_body_add_weight(const ac_lane_body *body, double h, ac_lane wrench[6]);

void ac_lane_load_take(const ac_system *system, int number, ac_lane_load *load);
void ac_lane_load_place(const ac_system *system, int lane, ac_lane_load *load);
/* Its mean over [t, t + h] in one lane. */
void ac_lane_load_value(const ac_system *system, int lane, double t, double h, ac_lane_load *load);
/* wrench += h/2 of the load at b */
void ac_lane_load_add(const ac_lane_load *load, const ac_lane_body *body, double h, ac_lane wrench[6]);

/* B = -d left / d b between twists about a reference point, as the 16 numbers m/h, m/h a, m/h b (places from the reference
 * point) and nine for moments by spins, so that those of several bodies may be added. */
enum { AC_LANE_SLOPE = 16 };
void ac_lane_body_slope(const ac_lane_body *body, double h, const ac_lane reference[3],
                        ac_lane B[AC_LANE_SLOPE]);

/* out = B twist */
LANE_INLINE void ac_lane_slope_apply(const ac_lane *B, const ac_lane *twist, ac_lane *out)
{
    const ac_lane *spin = twist + 3, *mb = B + 4, *ma = B + 1;
    lane_cross(spin, mb, out);
    for (int i = 0; i < 3; ++i) out[i] += B[0] * twist[i];
    lane_apply(B + 7, spin, out + 3);
    lane_add_cross(ma, twist, out + 3);
}

/* out = B^T twist */
LANE_INLINE void ac_lane_slope_apply_transposed(const ac_lane *B, const ac_lane *twist, ac_lane *out)
{
    const ac_lane *spin = twist + 3, *mb = B + 4, *ma = B + 1, *X = B + 7;
    lane_cross(spin, ma, out);
    for (int i = 0; i < 3; ++i) {
        out[i] += B[0] * twist[i];
        out[3 + i] = X[i] * spin[0] + X[3 + i] * spin[1] + X[6 + i] * spin[2];
    }
    lane_add_cross(mb, twist, out + 3);
}

#endif
