/* The projected system P(q_a)^T B P(q_b) x = r of a tree solved by recursion, at a cost linear in the number
 * of nodes.
 *
 * Leaves first, each node eliminates its own joint and hands the rest of its inertia to the parent. Left and
 * right factors belong to different configurations (q_a and q_b), so nothing is symmetric:
 *
 *   E = I X_b + C_cp,  U = I S_b,  D = S_a^T U,  V = X_a^T U + C_pc S_b
 *   I_parent += X_a^T E + C_pc X_b - V D^{-1} S_a^T E,       w_parent += X_a^T w - V D^{-1} S_a^T w
 *
 * with C_cp, C_pc the coupling of child and parent by elements (springs in the joint). Then, from the root
 * outwards,
 *   u = D^{-1} (S_a^T w - S_a^T E xi_parent),   xi = X_b xi_parent + S_b u.
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linalg/dense.h"
#include "tree/spread.h"

void ac_shift_block(const double A[36], const double r_left[3], const double r_right[3], double out[36])
{
    double half[36]; /* A X(r_right): columns 3..5 of each row become row(3..5) - row(0..2) x ... */
    for (int i = 0; i < 6; ++i) {
        const double *row = A + 6 * i;
        double *target = half + 6 * i;
        /* a . (omega x r) = (r x a) . omega */
        target[0] = row[0];
        target[1] = row[1];
        target[2] = row[2];
        target[3] = row[3] + r_right[1] * row[2] - r_right[2] * row[1];
        target[4] = row[4] + r_right[2] * row[0] - r_right[0] * row[2];
        target[5] = row[5] + r_right[0] * row[1] - r_right[1] * row[0];
    }
    for (int j = 0; j < 6; ++j) {
        double a = half[j], b = half[6 + j], c = half[12 + j];
        out[j] = a;
        out[6 + j] = b;
        out[12 + j] = c;
        out[18 + j] = half[18 + j] + r_left[1] * c - r_left[2] * b;
        out[24 + j] = half[24 + j] + r_left[2] * a - r_left[0] * c;
        out[30 + j] = half[30 + j] + r_left[0] * b - r_left[1] * a;
    }
}

/* wrench of a child seen at the parent: torque += r x force */
static void shift_wrench(const double w[6], const double r[3], double out[6])
{
    memcpy(out, w, 6 * sizeof *out);
    add_cross3(r, w, out + 3);
}

/* twist of the parent seen at the child: velocity += omega x r */
static void shift_twist(const double xi[6], const double r[3], double out[6])
{
    memcpy(out, xi, 6 * sizeof *out);
    add_cross3(xi + 3, r, out);
}

/* D^{-1} of one joint, and its diagonal as the scale of the residual. */
static bool factor_joint(const ac_tree_pair *t, const ac_node *node, const double U[6][6], double *inverse,
                         double *weight)
{
    int f = node->freedoms;
    if (f == 1) {
        double D = dot6(t->columns_a + 6 * node->u, U[0]);
        inverse[0] = 1.0 / D;
        weight[node->u] = fabs(inverse[0]);
        return D != 0.0 && isfinite(D);
    }
    double D[36];
    int pivot[6];
    for (int i = 0; i < f; ++i)
        for (int j = 0; j < f; ++j) D[i * f + j] = dot6(t->columns_a + 6 * (node->u + i), U[j]);
    for (int i = 0; i < f; ++i) weight[node->u + i] = 1.0 / fabs(D[i * f + i]);
    if (!ac_lu_factor(f, D, pivot)) return false;
    for (int j = 0; j < f; ++j) {
        double column[6] = {0};
        column[j] = 1.0;
        ac_lu_solve(f, D, pivot, column);
        for (int i = 0; i < f; ++i) inverse[i * f + j] = column[i];
    }
    return true;
}

/* The joint of a node while it is eliminated: U = I S_b, D^{-1}, D^{-1} times its right-hand side, and the arms from the parent. */
typedef struct elimination {
    const ac_node *node;
    const double *I, *w;
    double U[6][6], inverse[36], Dw[6], r_a[3], r_b[3];
} elimination;

/* row = row k of D^{-1} times the rows of `factor` */
static inline void inverse_row(const elimination *e, int k, double factor[6][6], double row[6])
{
    int f = e->node->freedoms;
    for (int c = 0; c < 6; ++c) row[c] = 0.0;
    for (int l = 0; l < f; ++l)
        for (int c = 0; c < 6; ++c) row[c] += e->inverse[k * f + l] * factor[l][c];
}

/* Nothing but the joint connects node and parent: the parent gets I - U D^{-1} S_a^T I and w - U D^{-1} S_a^T w, shifted. */
static inline void add_to_parent(const ac_tree_pair *t, const elimination *e, double *up, double *I_parent,
                                 double *w_parent)
{
    int f = e->node->freedoms;
    double L[6][6], reduced[36], shifted[36], rest[6], carried[6];
    for (int k = 0; k < f; ++k) apply_transposed6(e->I, t->columns_a + 6 * (e->node->u + k), L[k]);
    memcpy(rest, e->w, sizeof rest);
    memcpy(reduced, e->I, sizeof reduced);
    for (int k = 0; k < f; ++k) {
        double row[6];
        inverse_row(e, k, L, row);
        for (int a = 0; a < 6; ++a)
            for (int c = 0; c < 6; ++c) reduced[6 * a + c] -= e->U[k][a] * row[c];
        for (int a = 0; a < 6; ++a) rest[a] -= e->U[k][a] * e->Dw[k];
        /* row X(r_b) for the way back */
        memcpy(up + 6 * k, row, sizeof row);
        add_cross3(e->r_b, row, up + 6 * k + 3);
    }
    ac_shift_block(reduced, e->r_a, e->r_b, shifted);
    for (int a = 0; a < 36; ++a) I_parent[a] += shifted[a];
    shift_wrench(rest, e->r_a, carried);
    for (int a = 0; a < 6; ++a) w_parent[a] += carried[a];
}

/* The same with the coupling C_cp, C_pc of node and parent by elements. */
static inline void add_coupled(const ac_tree_pair *t, const elimination *e, const double *C_cp,
                               const double *C_pc, double *up, double *I_parent, double *w_parent)
{
    static const double none[3] = {0, 0, 0};
    int f = e->node->freedoms;
    double E[36], left[36], right[36], carried[6], SE[6][6];
    ac_shift_block(e->I, none, e->r_b, E); /* I X_b */
    for (int a = 0; a < 36; ++a) E[a] += C_cp[a];
    ac_shift_block(E, e->r_a, none, left);     /* X_a^T E */
    ac_shift_block(C_pc, none, e->r_b, right); /* C_pc X_b */
    for (int a = 0; a < 36; ++a) I_parent[a] += left[a] + right[a];
    shift_wrench(e->w, e->r_a, carried);
    for (int a = 0; a < 6; ++a) w_parent[a] += carried[a];
    for (int k = 0; k < f; ++k) apply_transposed6(E, t->columns_a + 6 * (e->node->u + k), SE[k]);
    for (int k = 0; k < f; ++k) {
        double row[6], V[6], part[6];
        inverse_row(e, k, SE, row);
        shift_wrench(e->U[k], e->r_a, V);
        apply6(C_pc, t->columns_b + 6 * (e->node->u + k), part);
        for (int a = 0; a < 6; ++a) V[a] += part[a];
        for (int a = 0; a < 6; ++a) {
            for (int c = 0; c < 6; ++c) I_parent[6 * a + c] -= V[a] * row[c];
            w_parent[a] -= V[a] * e->Dw[k];
        }
        memcpy(up + 6 * k, row, sizeof row);
    }
}

/* Eliminates the joint of node i; keeps D^{-1} S_a^T E and D^{-1} S_a^T w for the way back. */
static bool eliminate(const ac_tree_pair *t, ac_tree_solver *d, int i, const double *joints, bool coupled,
                      double *x, double *weight)
{
    const ac_node *node = &t->system->nodes[i];
    int f = node->freedoms;
    elimination e;
    e.node = node;
    e.I = d->inertia + 36 * i;
    e.w = d->sum + 6 * i;
    for (int k = 0; k < f; ++k) {
        apply6(e.I, t->columns_b + 6 * (node->u + k), e.U[k]);
        e.Dw[k] = 0.0;
    }
    if (f > 0 && !factor_joint(t, node, (const double(*)[6])e.U, e.inverse, weight)) return false;
    for (int l = 0; l < f; ++l) {
        double r = dot6(t->columns_a + 6 * (node->u + l), e.w) + (joints ? joints[node->u + l] : 0.0);
        for (int k = 0; k < f; ++k) e.Dw[k] += e.inverse[k * f + l] * r;
    }
    memcpy(x + node->u, e.Dw, (size_t)f * sizeof *e.Dw);
    if (node->parent == AC_GROUND) return true;

    double *up = d->up + 6 * node->u, *I = d->inertia + 36 * node->parent, *w = d->sum + 6 * node->parent;
    ac_tree_arm(t->system, node, t->qa, e.r_a);
    ac_tree_arm(t->system, node, t->qb, e.r_b);
    if (coupled)
        add_coupled(t, &e, d->coupling + 72 * i, d->coupling + 72 * i + 36, up, I, w);
    else
        add_to_parent(t, &e, up, I, w);
    return true;
}

int ac_tree_solve(const ac_tree_pair *t, ac_tree_solver *d, const double *wrenches, const double *joints,
                  bool coupled, double *x, double *weight)
{
    const ac_system *system = t->system;
    memcpy(d->sum, wrenches, 6 * (size_t)system->node_count * sizeof *d->sum);
    for (int k = system->node_count - 1; k >= 0; --k) {
        if (!eliminate(t, d, system->tree.order[k], joints, coupled, x, weight)) return system->tree.order[k];
    }
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        double *xi = d->twist + 6 * i;
        memset(xi, 0, 6 * sizeof *xi);
        if (node->parent != AC_GROUND) {
            const double *carrier = d->twist + 6 * node->parent;
            double r_b[3];
            ac_tree_arm(system, node, t->qb, r_b);
            shift_twist(carrier, r_b, xi);
            for (int f = 0; f < node->freedoms; ++f)
                x[node->u + f] -= dot6(d->up + 6 * (node->u + f), carrier);
        }
        for (int f = 0; f < node->freedoms; ++f) {
            const double *column = t->columns_b + 6 * (node->u + f);
            for (int c = 0; c < 6; ++c) xi[c] += column[c] * x[node->u + f];
        }
    }
    return AC_GROUND;
}

ac_status ac_tree_solver_create(ac_context *ctx, const ac_system *system, bool coupled, ac_tree_solver *d)
{
    int nodes = system->node_count;
    AC_NEW(ctx, d->inertia, 36 * nodes);
    AC_NEW(ctx, d->up, 6 * system->tree.freedoms);
    if (coupled) AC_NEW(ctx, d->coupling, 72 * nodes);
    AC_NEW(ctx, d->twist, 6 * nodes);
    AC_NEW(ctx, d->sum, 6 * nodes);
    return AC_OK;
}

void ac_tree_solver_destroy(ac_context *ctx, ac_tree_solver *d)
{
    void *blocks[] = {d->inertia, d->up, d->coupling, d->twist, d->sum};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    memset(d, 0, sizeof *d);
}
