/* Elimination of the velocity-level equations, from the leaves of the tree to its root.
 *
 * A node and the joint to its parent form [D G^T; G 0] with the coupling [C; H] to the parent. With D = L L^T, Y = L^-1 G^T,
 * S S^T = Y^T Y, c = L^-1 C and U = S^-1 (H - Y^T c) the parent's block becomes D_p - c^T c + U^T U: it stays positive
 * definite, and nothing fills in. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "track/small.h"
#include "track/track.h"

/* rows <- L^-1 rows for a matrix with `n` rows of six numbers. */
static void forward_rows(int n, const double *L, double *rows)
{
    for (int i = 0; i < n; ++i) {
        double *row = rows + 6 * i;
        for (int k = 0; k < i; ++k) {
            double l = L[6 * i + k];
            const double *other = rows + 6 * k;
            for (int j = 0; j < 6; ++j) row[j] -= l * other[j];
        }
        for (int j = 0; j < 6; ++j) row[j] *= L[6 * i + i];
    }
}

static void add_square(int rows, const double *A, double sign, double *block)
{
    for (int k = 0; k < rows; ++k) {
        const double *row = A + 6 * k;
        for (int i = 0; i < 6; ++i) {
            double a = sign * row[i];
            for (int j = 0; j <= i; ++j) block[6 * i + j] += a * row[j];
        }
    }
}

static void factor_link(ac_track *t, ac_track_link *l)
{
    ac_small_factor(6, l->D);
    if (l->coupled) forward_rows(6, l->D, l->C);
    for (int k = 0; k < l->rows; ++k) ac_small_forward(6, l->D, l->G + 6 * k);
    for (int i = 0; i < l->rows; ++i)
        for (int j = 0; j <= i; ++j) l->S[6 * i + j] = dot6(l->G + 6 * i, l->G + 6 * j);
    ac_small_factor(l->rows, l->S);
    if (l->parent == AC_GROUND) return;
    if (l->coupled)
        for (int k = 0; k < l->rows; ++k)
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) l->H[6 * k + j] -= l->G[6 * k + i] * l->C[6 * i + j];
    forward_rows(l->rows, l->S, l->H);
    double *parent = t->links[l->parent].D;
    add_square(l->rows, l->H, 1.0, parent);
    if (l->coupled) add_square(6, l->C, -1.0, parent);
}

/* The tree alone: x (6 per node), sigma (per joint row); b and g are not changed. y: in sigma and x. */
static void solve_tree(const ac_track *t, const double *b, const double *g, double *x, double *sigma)
{
    const ac_system *system = t->system;
    memcpy(x, b, 6 * (size_t)t->nodes * sizeof *x);
    for (int n = t->nodes - 1; n >= 0; --n) {
        int i = system->order[n];
        const ac_track_link *l = &t->links[i];
        double *y = x + 6 * i, z[6];
        ac_small_forward(6, l->D, y);
        for (int k = 0; k < l->rows; ++k) z[k] = (g ? g[l->first_row + k] : 0.0) - dot6(l->G + 6 * k, y);
        ac_small_forward(l->rows, l->S, z);
        if (l->rows > 0) memcpy(sigma + l->first_row, z, (size_t)l->rows * sizeof *z);
        if (l->parent == AC_GROUND) continue;
        double *p = x + 6 * l->parent;
        for (int k = 0; k < l->rows; ++k)
            for (int j = 0; j < 6; ++j) p[j] += l->H[6 * k + j] * z[k];
        if (l->coupled)
            for (int k = 0; k < 6; ++k)
                for (int j = 0; j < 6; ++j) p[j] -= l->C[6 * k + j] * y[k];
    }
    for (int n = 0; n < t->nodes; ++n) {
        int i = system->order[n];
        const ac_track_link *l = &t->links[i];
        double *y = x + 6 * i, *z = sigma + l->first_row;
        if (l->parent != AC_GROUND) {
            const double *p = x + 6 * l->parent;
            for (int k = 0; k < l->rows; ++k) z[k] -= dot6(l->H + 6 * k, p);
            if (l->coupled)
                for (int k = 0; k < 6; ++k) y[k] -= dot6(l->C + 6 * k, p);
        }
        if (l->rows > 0) {
            for (int k = 0; k < l->rows; ++k) z[k] = -z[k];
            ac_small_backward(l->rows, l->S, z);
            for (int k = 0; k < l->rows; ++k)
                for (int j = 0; j < 6; ++j) y[j] -= l->G[6 * k + j] * z[k];
        }
        ac_small_backward(6, l->D, y);
    }
}

/* --- the border --- */

int ac_track_cholesky(int n, double *A, int stride, int *order, double tolerance)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        order[i] = i;
        largest = fmax(largest, A[i * stride + i]);
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (A[i * stride + i] > A[best * stride + best]) best = i;
        if (!(A[best * stride + best] > tolerance * largest)) return k;
        if (best != k) { /* rows and columns of the symmetric matrix, lower and upper half */
            for (int j = 0; j < n; ++j) {
                double swap = A[k * stride + j];
                A[k * stride + j] = A[best * stride + j];
                A[best * stride + j] = swap;
            }
            for (int i = 0; i < n; ++i) {
                double swap = A[i * stride + k];
                A[i * stride + k] = A[i * stride + best];
                A[i * stride + best] = swap;
            }
            int swap = order[k];
            order[k] = order[best];
            order[best] = swap;
        }
        double root = sqrt(A[k * stride + k]);
        A[k * stride + k] = root;
        for (int i = k + 1; i < n; ++i) A[i * stride + k] /= root;
        for (int i = k + 1; i < n; ++i)
            for (int j = k + 1; j <= i; ++j) {
                A[i * stride + j] -= A[i * stride + k] * A[j * stride + k];
                A[j * stride + i] = A[i * stride + j];
            }
    }
    return n;
}

void ac_track_cholesky_solve(int n, const double *A, int stride, const int *order, int rank, double *x,
                             double *work)
{
    for (int i = 0; i < rank; ++i) {
        double sum = x[order[i]];
        for (int k = 0; k < i; ++k) sum -= A[i * stride + k] * work[k];
        work[i] = sum / A[i * stride + i];
    }
    for (int i = rank - 1; i >= 0; --i) {
        double sum = work[i];
        for (int k = i + 1; k < rank; ++k) sum -= A[k * stride + i] * work[k];
        work[i] = sum / A[i * stride + i];
    }
    for (int i = 0; i < n; ++i) x[order[i]] = i < rank ? work[i] : 0.0;
}

static void add_row_force(const ac_track_row *row, double factor, double *b)
{
    for (int e = 0; e < 2; ++e)
        if (row->node[e] != AC_GROUND)
            for (int j = 0; j < 6; ++j) b[6 * row->node[e] + j] += factor * row->by[e][j];
}

static double *column_of(const ac_track *t, double *columns, int k)
{
    return columns + (size_t)k * 6 * (size_t)t->nodes;
}

/* column = K_tree^-1 of a row */
static void tree_column(ac_track *t, const ac_track_row *row, double *column)
{
    memset(t->right, 0, 6 * (size_t)t->nodes * sizeof *t->right);
    add_row_force(row, 1.0, t->right);
    solve_tree(t, t->right, NULL, column, t->sigma);
}

void ac_track_factor(ac_track *t)
{
    static const double REDUNDANT = 1e-9;
    for (int n = t->nodes - 1; n >= 0; --n) factor_link(t, &t->links[t->system->order[n]]);
    int n = t->border_count;
    for (int k = 0; k < n; ++k) tree_column(t, &t->border[k], column_of(t, t->border_columns, k));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            t->border_matrix[i * n + k] = ac_track_row_rate(&t->border[i],
                                                            column_of(t, t->border_columns, k)) +
                                          (i == k ? t->border[i].soft : 0.0);
    t->border_rank = ac_track_cholesky(n, t->border_matrix, n, t->border_order, REDUNDANT);
}

/* x -= (columns of the border) s with s = S^-1 (B x - value) */
static void correct(ac_track *t, bool with_value, double *x, double *s)
{
    int n = t->border_count;
    for (int k = 0; k < n; ++k)
        s[k] = ac_track_row_rate(&t->border[k], x) - (with_value ? t->border[k].value : 0.0);
    ac_track_cholesky_solve(n, t->border_matrix, n, t->border_order, t->border_rank, s, t->border_work);
    for (int k = 0; k < n; ++k) {
        const double *column = column_of(t, t->border_columns, k);
        for (int j = 0; j < 6 * t->nodes; ++j) x[j] -= column[j] * s[k];
    }
}

void ac_track_factor_control(ac_track *t)
{
    int n = t->control_count;
    double *s = t->border_work + t->border_capacity;
    for (int k = 0; k < n; ++k) {
        double *column = column_of(t, t->control_columns, k);
        tree_column(t, &t->control[k], column);
        if (t->border_count > 0) correct(t, false, column, s);
        for (int i = 0; i < n; ++i) t->W[i * n + k] = ac_track_row_rate(&t->control[i], column);
    }
}

void ac_track_solve(ac_track *t, const double *b, const double *g, bool border, double *x, double *sigma,
                    double *s)
{
    solve_tree(t, b, g, x, sigma ? sigma : t->sigma);
    if (!border || t->border_count == 0) return;
    double *own = t->border_work + t->border_capacity;
    correct(t, true, x, own);
    if (s) memcpy(s, own, (size_t)t->border_count * sizeof *s);
    if (!sigma) return;
    /* once more with the forces of the border, for the multipliers of the tree */
    memcpy(t->right, b, 6 * (size_t)t->nodes * sizeof *b);
    for (int k = 0; k < t->border_count; ++k) add_row_force(&t->border[k], -own[k], t->right);
    solve_tree(t, t->right, g, x, sigma);
}
