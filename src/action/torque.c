/* Torques on nodes. The reciprocal basis changes by -d^J (delta d_J . d^I). */
#include "action/torque.h"

#include <string.h>

#include "base/vector.h"

enum { FRAME = 3 };

/* d^I . d_J = 1 if I = J, else 0 */
static void reciprocal(const double *x, double dual[3][3])
{
    const double *d[3] = {x + FRAME, x + FRAME + 3, x + FRAME + 6};
    for (int I = 0; I < 3; ++I) cross3(d[(I + 1) % 3], d[(I + 2) % 3], dual[I]);
    double volume = dot3(d[0], dual[0]);
    for (int I = 0; I < 3; ++I)
        for (int i = 0; i < 3; ++i) dual[I][i] /= volume;
}

/* n: coordinates of the node, of which place and directors come first */
static void body_slopes(int n, const double *x, const double T[3], double *by_x, double *by_T)
{
    double dual[3][3];
    reciprocal(x, dual);
    for (int I = 0; I < 3; ++I) {
        for (int J = 0; J < 3; ++J) {
            double turned[3];
            cross3(T, dual[J], turned);
            for (int i = 0; i < 3; ++i)
                for (int c = 0; c < 3; ++c)
                    by_x[(FRAME + 3 * I + i) * n + FRAME + 3 * J + c] = -0.5 * turned[i] * dual[I][c];
        }
        for (int c = 0; c < 3; ++c) {
            double axis[3] = {0.0, 0.0, 0.0}, turned[3];
            axis[c] = 0.5;
            cross3(axis, dual[I], turned);
            for (int i = 0; i < 3; ++i) by_T[(FRAME + 3 * I + i) * 3 + c] = turned[i];
        }
    }
}

/* w . f = 1/2 sum_I d^I . (w_I x T) = 1/2 sum_I T . (d^I x w_I) */
static void body_curvature(int n, const double *x, const double T[3], const double *w, double *xx, double *xT)
{
    double dual[3][3];
    reciprocal(x, dual);
    for (int I = 0; I < 3; ++I) {
        double c[3], along[3];
        cross3(w + FRAME + 3 * I, T, c);
        for (int J = 0; J < 3; ++J) along[J] = 0.5 * dot3(dual[J], c);
        for (int J = 0; J < 3; ++J) {
            double turned[3];
            cross3(dual[J], w + FRAME + 3 * I, turned);
            for (int a = 0; a < 3; ++a) {
                int row = FRAME + 3 * J + a;
                for (int t = 0; t < 3; ++t) xT[row * 3 + t] -= 0.5 * dual[I][a] * turned[t];
                for (int K = 0; K < 3; ++K)
                    for (int b = 0; b < 3; ++b)
                        xx[row * n + FRAME + 3 * K + b] += along[K] * dual[I][a] * dual[J][b] +
                                                           along[J] * dual[K][a] * dual[I][b];
            }
        }
    }
}

static void planar_slopes(const double *q, double T, double *by_x, double *by_T)
{
    double x = q[2], y = q[3], square = x * x + y * y, a = T / square, b = 2.0 * a / square;
    by_x[10] = b * x * y;
    by_x[11] = b * y * y - a;
    by_x[14] = a - b * x * x;
    by_x[15] = -b * x * y;
    by_T[8] = -y / square;
    by_T[11] = x / square;
}

/* T n s with n = w_3 x - w_2 y and s = 1 / (x^2 + y^2) */
static void planar_curvature(const double *q, double T, const double *w, double *xx, double *xT)
{
    double x = q[2], y = q[3], s = 1.0 / (x * x + y * y), n = w[3] * x - w[2] * y;
    double sx = -2.0 * x * s * s, sy = -2.0 * y * s * s, s3 = 8.0 * s * s * s;
    xx[10] = T * (2.0 * w[3] * sx + n * (x * x * s3 - 2.0 * s * s));
    xx[11] = xx[14] = T * (w[3] * sy - w[2] * sx + n * x * y * s3);
    xx[15] = T * (-2.0 * w[2] * sy + n * (y * y * s3 - 2.0 * s * s));
    xT[8] = w[3] * s + n * sx;
    xT[11] = -w[2] * s + n * sy;
}

void ac_torque_add(const ac_node *node, const double *x, const double T[3], double factor, double *f)
{
    if (ac_node_turns(node) == 1) {
        double share = factor * T[2] / (x[2] * x[2] + x[3] * x[3]);
        f[2] -= share * x[3];
        f[3] += share * x[2];
    } else if (ac_node_turns(node) == 3) {
        double dual[3][3], turned[3];
        reciprocal(x, dual);
        for (int I = 0; I < 3; ++I) {
            cross3(T, dual[I], turned);
            for (int i = 0; i < 3; ++i) f[FRAME + 3 * I + i] += 0.5 * factor * turned[i];
        }
    }
}

void ac_torque_slopes(const ac_node *node, const double *x, const double T[3], double *by_x, double *by_T)
{
    memset(by_x, 0, (size_t)(node->size * node->size) * sizeof *by_x);
    memset(by_T, 0, (size_t)(node->size * 3) * sizeof *by_T);
    if (ac_node_turns(node) == 1) planar_slopes(x, T[2], by_x, by_T);
    if (ac_node_turns(node) == 3) body_slopes(node->size, x, T, by_x, by_T);
}

void ac_torque_curvature(const ac_node *node, const double *x, const double T[3], const double *w, double *xx,
                         double *xT)
{
    memset(xx, 0, (size_t)(node->size * node->size) * sizeof *xx);
    memset(xT, 0, (size_t)(node->size * 3) * sizeof *xT);
    if (ac_node_turns(node) == 1) planar_curvature(x, T[2], w, xx, xT);
    if (ac_node_turns(node) == 3) body_curvature(node->size, x, T, w, xx, xT);
}
