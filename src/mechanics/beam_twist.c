/* Slopes of director beams straight between twists of their nodes.
 *
 * The slope of a beam element is sum_i [c_i (A_i x)(A_i y)^T + w_i A_i], 24 x 24, with the constant matrices A_i of its six quadratic
 * strains. A step needs it between twists (v_a, w_a, v_b, w_b) only: rows at one configuration L of the two nodes, columns at
 * another one, R. Each A_i touches four triples of coordinates, so the projection is written out: the outer products are taken of
 * projected gradients, twelve numbers each, and the second part is a few cross products, by
 *   l x (w x r) = [(l . r) 1 - r l^T] w.
 */
#include "mechanics/beam_twist.h"

#include <string.h>

#include "base/vector.h"

enum { NODE = 12, TWISTS = 12, STRAINS = 6 };

/* g = a x b - c x d, scaled */
static inline void cross_difference(double scale, const double *a, const double *b, const double *c,
                                    const double *d, double *g)
{
    g[0] = scale * ((a[1] * b[2] - a[2] * b[1]) - (c[1] * d[2] - c[2] * d[1]));
    g[1] = scale * ((a[2] * b[0] - a[0] * b[2]) - (c[2] * d[0] - c[0] * d[2]));
    g[2] = scale * ((a[0] * b[1] - a[1] * b[0]) - (c[0] * d[1] - c[1] * d[0]));
}

/* The gradients of the strains at x, projected to twists at the configuration `frames`. */
static void project_gradients(const ac_beam_element *e, const double *restrict x,
                              const double *restrict frames, double g[STRAINS][TWISTS])
{
    const double *da = x + 3, *db = x + NODE + 3, *fa = frames + 3, *fb = frames + NODE + 3;
    const double share = 0.5 / e->length, half = 0.5 / e->bend;
    double r[3];
    sub3(x + NODE, x, r);
    for (int c = 0; c < 3; ++c) r[c] *= share;
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            double d = share * (da[3 * i + c] + db[3 * i + c]);
            g[i][c] = -d;
            g[i][6 + c] = d;
        }
        cross3(fa + 3 * i, r, g[i] + 3);
        cross3(fb + 3 * i, r, g[i] + 9);
        int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        cross_difference(half, fa + k, db + j, fa + j, db + k, g[3 + i] + 3);
        cross_difference(half, fb + j, da + k, fb + k, da + j, g[3 + i] + 9);
    }
}

/* block += c g h^T for the shear and axial strains, which feel all twists */
static void add_forces(const double c[STRAINS], double g[STRAINS][TWISTS], double h[STRAINS][TWISTS],
                       double *restrict block)
{
    for (int r = 0; r < TWISTS; ++r) {
        double *restrict row = block + TWISTS * r;
        const double a = c[0] * g[0][r], b = c[1] * g[1][r], d = c[2] * g[2][r];
        for (int k = 0; k < TWISTS; ++k) row[k] = a * h[0][k] + b * h[1][k] + d * h[2][k];
    }
}

/* the same for the curvatures, which feel turns only */
static void add_moments(const double c[STRAINS], double g[STRAINS][TWISTS], double h[STRAINS][TWISTS],
                        double *restrict block)
{
    for (int r = 3; r < TWISTS; r += r == 5 ? 4 : 1) {
        double *restrict row = block + TWISTS * r;
        const double a = c[3] * g[3][r], b = c[4] * g[4][r], d = c[5] * g[5][r];
        for (int k = 3; k < 6; ++k) {
            row[k] += a * h[3][k] + b * h[4][k] + d * h[5][k];
            row[6 + k] += a * h[3][6 + k] + b * h[4][6 + k] + d * h[5][6 + k];
        }
    }
}

/* block(rows, columns) += hat(a) */
static void add_hat(double factor, const double a[3], int row, int column, double *block)
{
    double *at = block + TWISTS * row + column;
    at[1] -= factor * a[2];
    at[2] += factor * a[1];
    at[TWISTS] += factor * a[2];
    at[TWISTS + 2] -= factor * a[0];
    at[2 * TWISTS] -= factor * a[1];
    at[2 * TWISTS + 1] += factor * a[0];
}

/* block(rows, columns) += factor [(l . r) 1 - r l^T] */
static void add_turned(double factor, const double l[3], const double r[3], int row, int column,
                       double *block)
{
    double *at = block + TWISTS * row + column, along = factor * dot3(l, r);
    for (int i = 0; i < 3; ++i, at += TWISTS) {
        double f = factor * r[i];
        at[0] -= f * l[0];
        at[1] -= f * l[1];
        at[2] -= f * l[2];
        at[i] += along;
    }
}

/* block += sum w_i A_i between twists */
static void add_curvatures(const ac_beam_element *e, const double w[STRAINS], const double *left,
                           const double *right, double *block)
{
    const double share = 0.5 / e->length, half = 0.5 / e->bend;
    for (int end = 0; end < 2; ++end) { /* places with directors */
        const double *l = left + NODE * end + 3, *r = right + NODE * end + 3;
        double sum_l[3], sum_r[3];
        for (int c = 0; c < 3; ++c) {
            sum_l[c] = share * (w[0] * l[c] + w[1] * l[3 + c] + w[2] * l[6 + c]);
            sum_r[c] = share * (w[0] * r[c] + w[1] * r[3 + c] + w[2] * r[6 + c]);
        }
        add_hat(-1.0, sum_r, 6, 6 * end + 3, block);
        add_hat(1.0, sum_r, 0, 6 * end + 3, block);
        add_hat(1.0, sum_l, 6 * end + 3, 6, block);
        add_hat(-1.0, sum_l, 6 * end + 3, 0, block);
    }
    const double *la = left + 3, *lb = left + NODE + 3, *ra = right + 3, *rb = right + NODE + 3;
    for (int i = 0; i < 3; ++i) { /* directors of one end with those of the other */
        int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        double m = half * w[3 + i];
        add_turned(m, la + k, rb + j, 3, 9, block);
        add_turned(-m, la + j, rb + k, 3, 9, block);
        add_turned(m, lb + j, ra + k, 9, 3, block);
        add_turned(-m, lb + k, ra + j, 9, 3, block);
    }
}

void ac_beam_twist_slope(const ac_beam_element *e, const ac_beam_slope *s, double block[144])
{
    double g[STRAINS][TWISTS], h[STRAINS][TWISTS];
    project_gradients(e, s->x, s->left, g);
    project_gradients(e, s->y, s->right, h);
    add_forces(s->outer, g, h, block);
    add_moments(s->outer, g, h, block);
    add_curvatures(e, s->curvature, s->left, s->right, block);
}
