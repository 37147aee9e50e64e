/* Slopes of beams straight between twists of their nodes.
 *
 * The slope of a beam element is a sum of outer products of gradients A_i x and of w_i A_i, 24 x 24, with the
 * constant matrices A_i of its quadratic forms: six strains, and for rods the trace of the relative rotation.
 * A step needs it between twists (v_a, w_a, v_b, w_b) only: rows at one configuration L of the two nodes,
 * columns at another one, R. Each A_i touches few triples of coordinates, so the projection is written out:
 * the outer products are taken of projected gradients, twelve numbers each, and the second part is a few
 * cross products, by
 *   l x (w x r) = [(l . r) 1 - r l^T] w.
 */
#include "action/beam/beam_twist.h"

#include <string.h>

#include "base/vector.h"

enum { NODE = 12, TWISTS = AC_BEAM_TWISTS, STRAINS = 6, TRACE = AC_BEAM_TRACE };

/* g = a x b - c x d, scaled */
static inline void cross_difference(double scale, const double *a, const double *b, const double *c,
                                    const double *d, double *g)
{
    g[0] = scale * ((a[1] * b[2] - a[2] * b[1]) - (c[1] * d[2] - c[2] * d[1]));
    g[1] = scale * ((a[2] * b[0] - a[0] * b[2]) - (c[2] * d[0] - c[0] * d[2]));
    g[2] = scale * ((a[0] * b[1] - a[1] * b[0]) - (c[0] * d[1] - c[1] * d[0]));
}

/* The gradients of the strains at x, projected to twists at the configuration `frames`. */
static inline void project_strains(const ac_beam_shares *shares, const double *restrict x,
                                   const double *restrict frames, double g[][TWISTS])
{
    const double *da = x + 3, *db = x + NODE + 3, *fa = frames + 3, *fb = frames + NODE + 3;
    double ra[3], rb[3];
    sub3(x + NODE, x, ra);
    for (int c = 0; c < 3; ++c) {
        rb[c] = shares->b * ra[c];
        ra[c] *= shares->a;
    }
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c) {
            double d = shares->a * da[3 * i + c] + shares->b * db[3 * i + c];
            g[i][c] = -d;
            g[i][6 + c] = d;
        }
        cross3(fa + 3 * i, ra, g[i] + 3);
        cross3(fb + 3 * i, rb, g[i] + 9);
        int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
        cross_difference(shares->half, fa + k, db + j, fa + j, db + k, g[3 + i] + 3);
        cross_difference(shares->half, fb + j, da + k, fb + k, da + j, g[3 + i] + 9);
    }
}

void ac_rod_twist_project(const ac_beam_shares *shares, const double *x, const double *frames,
                          double g[AC_BEAM_FORMS][TWISTS])
{
    const double *da = x + 3, *db = x + NODE + 3, *fa = frames + 3, *fb = frames + NODE + 3;
    memset(g, 0, AC_BEAM_FORMS * sizeof *g);
    project_strains(shares, x, frames, g);
    for (int i = 0; i < 9; i += 3) {
        add_cross3(fa + i, db + i, g[TRACE] + 3);
        add_cross3(fb + i, da + i, g[TRACE] + 9);
    }
}

/* block = sum g h^T for the shear and axial strains, which feel all twists */
static inline void set_forces(double g[][TWISTS], double h[][TWISTS], double *restrict block)
{
    for (int r = 0; r < TWISTS; ++r) {
        double *restrict row = block + TWISTS * r;
        const double a = g[0][r], b = g[1][r], d = g[2][r];
        for (int k = 0; k < TWISTS; ++k) row[k] = a * h[0][k] + b * h[1][k] + d * h[2][k];
    }
}

/* block += sum g h^T for the curvatures, which feel turns only */
static inline void add_moments(double g[][TWISTS], double h[][TWISTS], double *restrict block)
{
    for (int r = 3; r < TWISTS; r += r == 5 ? 4 : 1) {
        double *restrict row = block + TWISTS * r;
        const double a = g[3][r], b = g[4][r], d = g[5][r];
        for (int k = 3; k < 6; ++k) {
            row[k] += a * h[3][k] + b * h[4][k] + d * h[5][k];
            row[6 + k] += a * h[3][6 + k] + b * h[4][6 + k] + d * h[5][6 + k];
        }
    }
}

/* the same for the trace */
static inline void add_trace(const double g[TWISTS], const double h[TWISTS], double *restrict block)
{
    for (int r = 3; r < TWISTS; r += r == 5 ? 4 : 1) {
        double *restrict row = block + TWISTS * r;
        for (int k = 3; k < 6; ++k) {
            row[k] += g[r] * h[k];
            row[6 + k] += g[r] * h[6 + k];
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

/* block(rows, columns) += (l . r) 1 - r l^T */
static void add_turned(const double l[3], const double r[3], int row, int column, double *block)
{
    double *at = block + TWISTS * row + column, along = dot3(l, r);
    for (int i = 0; i < 3; ++i, at += TWISTS) {
        at[0] -= r[i] * l[0];
        at[1] -= r[i] * l[1];
        at[2] -= r[i] * l[2];
        at[i] += along;
    }
}

/* Places with directors: block += sum w_i A_i of the strains of forces. */
static void add_force_curvatures(double share, int end, const double w[3], const double *left,
                                 const double *right, double *block)
{
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

/* Directors of one end, l, with those of the other, r: m of the curvatures, trace. */
static void add_turned_frames(const double m[3], double trace, const double *l, const double *r, int row,
                              int column, double *block)
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double mixed[3];
        for (int c = 0; c < 3; ++c)
            mixed[c] = m[j] * r[3 * k + c] - m[k] * r[3 * j + c] + trace * r[3 * i + c];
        add_turned(l + 3 * i, mixed, row, column, block);
    }
}

/* block += sum w_i A_i between twists */
static void add_curvatures(const ac_beam_shares *shares, const double w[STRAINS], double trace,
                           const double *left, const double *right, double *block)
{
    const double m[3] = {shares->half * w[3], shares->half * w[4], shares->half * w[5]};
    const double back[3] = {-m[0], -m[1], -m[2]};
    add_force_curvatures(shares->a, 0, w, left, right, block);
    add_force_curvatures(shares->b, 1, w, left, right, block);
    add_turned_frames(m, trace, left + 3, right + NODE + 3, 3, 9, block);
    add_turned_frames(back, trace, left + NODE + 3, right + 3, 9, 3, block);
}

/* h_i = c_i A_i y + d_i A_i z, projected */
static inline void project_columns(const ac_beam_shares *shares, const ac_beam_slope *s,
                                   double h[STRAINS][TWISTS])
{
    double d[STRAINS][TWISTS];
    project_strains(shares, s->y, s->right, h);
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < TWISTS; ++c) h[i][c] *= s->outer[i];
        for (int c = 3; c < 6; ++c) {
            h[3 + i][c] *= s->outer[3 + i];
            h[3 + i][6 + c] *= s->outer[3 + i];
        }
    }
    if (!s->z) return;
    project_strains(shares, s->z, s->right, d);
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < TWISTS; ++c) h[i][c] += s->damped[i] * d[i][c];
        for (int c = 3; c < 6; ++c) {
            h[3 + i][c] += s->damped[3 + i] * d[3 + i][c];
            h[3 + i][6 + c] += s->damped[3 + i] * d[3 + i][6 + c];
        }
    }
}

void ac_beam_twist_slope(const ac_beam_element *e, const ac_beam_slope *s, double block[144])
{
    const double share = 0.5 / e->length;
    const ac_beam_shares shares = {share, share, 0.5 / e->bend};
    double g[STRAINS][TWISTS], h[STRAINS][TWISTS];
    project_strains(&shares, s->x, s->left, g);
    project_columns(&shares, s, h);
    set_forces(g, h, block);
    add_moments(g, h, block);
    add_curvatures(&shares, s->curvature, 0.0, s->left, s->right, block);
}

void ac_rod_twist_slope(const ac_beam_shares *shares, ac_rod_slope *s, double block[144])
{
    set_forces(s->rows, s->columns, block);
    add_moments(s->rows, s->columns, block);
    add_trace(s->rows[TRACE], s->columns[TRACE], block);
    add_curvatures(shares, s->curvature, s->curvature[TRACE], s->left, s->right, block);
}
