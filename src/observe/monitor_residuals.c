/* Residuals of all constraints. They are watched at every step, and nearly all rows say that the directors
 * of a node are orthonormal: those are written out here, with the operations of the general quadratic maps in
 * the same order, so that the numbers are the same bits.
 */
#include "observe/monitor_residuals.h"

#include <math.h>

#include "tree/kinematics.h"

/* The larger of both; a number that is none is passed over. */
static inline double larger(double most, double value)
{
    double size = fabs(value);
    return size > most ? size : most;
}

/* --- positions ------------------------------------------------------------------------------------------- */

static inline double norm_violation(int dimension, const double *d)
{
    double value = -0.5;
    for (int i = 0; i < dimension; ++i) value += 0.5 * d[i] * d[i];
    return value;
}

static inline double angle_violation(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double directors_violation(const ac_node *node, const double *q)
{
    const double *d = q + node->dimension;
    double most = 0.0;
    if (ac_node_turns(node) == 1) most = larger(most, norm_violation(2, d));
    if (ac_node_turns(node) < 3) return most;
    for (int I = 0; I < 3; ++I) {
        most = larger(most, norm_violation(3, d + 3 * I));
        most = larger(most, angle_violation(d + 3 * I, d + 3 * ((I + 1) % 3)));
    }
    for (int k = AC_DUAL_AT; k + 8 <= node->size; k += 8) { /* unit dual quaternion */
        double unit = -0.5, along = 0.0;
        for (int i = k; i < k + 4; ++i) {
            unit += 0.5 * q[i] * q[i];
            along += q[i] * q[4 + i];
        }
        most = larger(most, larger(fabs(unit), along));
    }
    return most;
}

double ac_largest_violation(const ac_system *system, const double *q, double *g)
{
    const ac_constraints *c = &system->constraints;
    double most = 0.0;
    for (int i = 0; i < system->node_count; ++i)
        most = larger(most, directors_violation(&system->nodes[i], q + system->nodes[i].q));
    ac_constraints_value(system, q, c->internal, g);
    for (int row = 0; row < c->count - c->internal; ++row) most = larger(most, g[row]);
    return most;
}

/* --- velocities ------------------------------------------------------------------------------------------ */

static inline double norm_rate(int dimension, const double *d, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < dimension; ++i) sum += d[i] * v[i];
    return sum;
}

static inline double angle_rate(const double *a, const double *b, const double *va, const double *vb)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += b[i] * va[i];
        sum += a[i] * vb[i];
    }
    return sum;
}

static double directors_rate(const ac_node *node, const double *q, const double *v, const bool *skip)
{
    const double *d = q + node->dimension, *vd = v + node->dimension;
    double most = 0.0;
    bool left_out[3] = {false, false, false};
    if (ac_node_turns(node) == 0) return most;
    for (int I = 0; skip && I < (ac_node_turns(node) == 3 ? 3 : 1); ++I)
        left_out[I] = skip[node->dimension + 3 * I]; /* a director has mass in all its numbers or in none */
    if (ac_node_turns(node) == 1) return left_out[0] ? most : larger(most, norm_rate(2, d, vd));
    for (int I = 0; I < 3; ++I) {
        int a = 3 * I, J = (I + 1) % 3, b = 3 * J;
        if (left_out[I]) continue;
        most = larger(most, norm_rate(3, d + a, vd + a));
        if (!left_out[J]) most = larger(most, angle_rate(d + a, d + b, vd + a, vd + b));
    }
    return most;
}

/* The row of a joint, 0 if it touches a coordinate to be skipped. */
static double joint_rate(const ac_system *system, int row, const double *q, const double *v, const bool *skip)
{
    const ac_constraints *c = &system->constraints;
    double sum = 0.0, gradient[AC_ELEMENT_MAX];
    ac_constraint_gradient(system, row, q, gradient);
    for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
        if (skip && skip[c->coordinate[e]]) return 0.0;
        sum += gradient[e - c->start[row]] * v[c->coordinate[e]];
    }
    return sum;
}

double ac_largest_rate(const ac_system *system, const double *q, const double *v, const bool *skip)
{
    const ac_constraints *c = &system->constraints;
    double most = 0.0;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        most = larger(most, directors_rate(node, q + node->q, v + node->q, skip ? skip + node->q : NULL));
    }
    for (int row = c->internal; row < c->count; ++row)
        most = larger(most, joint_rate(system, row, q, v, skip));
    return most;
}
