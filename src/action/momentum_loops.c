/* Momenta of large systems with loops: the consistent velocity v from one sparse system,
 *
 *   [ M  G^T ] [ v  ]   [ p ]
 *   [ G  0   ] [ mu ] = [ 0 ]
 *
 * with the rows of G that are independent. A dense basis of the motions, as small systems take it, would cost the cube of
 * their number. The choice of rows is kept while the pivots say that it is good.
 */
#include <math.h>
#include <string.h>

#include "action/momentum.h"
#include "action/inertia.h"
#include "base/vector.h"

static const double LOST = 1e-3; /* part of the first ratio of pivots at which rows are chosen anew */

bool ac_legendre_is_large(const ac_system *system)
{
    return system->tree.freedoms > AC_DENSE_FREEDOMS && system->mesh.mass_pair_count == 0;
}

ac_status ac_loops_create(ac_legendre *l)
{
    const ac_system *system = l->system;
    const ac_constraints *c = &system->constraints;
    int n = system->n;
    AC_TRY(ac_sparse_new(l->ctx, n + c->count, &l->saddle.matrix));
    AC_TRY(ac_loop_rows_create(l->ctx, system, &l->saddle.loops));
    AC_NEW(l->ctx, l->saddle.x, n + c->count);
    AC_NEW(l->ctx, l->normal.omitted, c->count);
    AC_TRY(ac_mass_mark(system, l->saddle.matrix));
    for (int row = 0; row < c->count; ++row) {
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            AC_TRY(ac_sparse_mark(l->saddle.matrix, n + row, c->coordinate[e]));
            AC_TRY(ac_sparse_mark(l->saddle.matrix, c->coordinate[e], n + row));
        }
        if (row >= c->closure) AC_TRY(ac_sparse_mark(l->saddle.matrix, n + row, n + row));
    }
    return ac_sparse_freeze(l->saddle.matrix);
}

static void fill(ac_legendre *l, const double *q)
{
    const ac_system *system = l->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    int n = system->n;
    ac_sparse_clear(l->saddle.matrix);
    ac_mass_fill(system, l->saddle.matrix);
    for (int row = 0; row < c->count; ++row) {
        if (l->normal.omitted[row]) {
            ac_sparse_add(l->saddle.matrix, n + row, n + row, 1.0);
            continue;
        }
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            ac_sparse_add(l->saddle.matrix, n + row, c->coordinate[e], gradient[e - c->start[row]]);
            ac_sparse_add(l->saddle.matrix, c->coordinate[e], n + row, gradient[e - c->start[row]]);
        }
    }
}

static ac_status factor(ac_legendre *l, const double *q)
{
    for (int pass = 0; pass < 2; ++pass) {
        bool fresh = !l->saddle.chosen;
        if (fresh) AC_TRY(ac_legendre_omit(l, q));
        fill(l, q);
        ac_status status = ac_sparse_factor(l->saddle.matrix);
        double ratio = status == AC_OK ? ac_sparse_pivot_ratio(l->saddle.matrix) : 0.0;
        if (status == AC_NO_MEMORY) return status;
        l->saddle.chosen = ratio > LOST * (fresh ? 0.0 : l->saddle.pivots);
        if (fresh) l->saddle.pivots = ratio;
        if (l->saddle.chosen) return AC_OK;
        if (fresh) break;
    }
    return ac_fail(l->ctx, AC_SINGULAR, "a motion of the system has no inertia");
}

/* u of one joint: its columns times u are the twist of its child less what the parent carries. */
static void joint_rates(const ac_legendre *l, int i, const double *q, double *u)
{
    const ac_node *node = &l->system->nodes[i];
    double rest[6], here[3], there[3], arm[3], normal[36];
    const double *S = l->columns + 6 * node->u;
    int pivot[6], k = node->freedoms;
    memcpy(rest, l->twists + 6 * i, sizeof rest);
    if (node->parent != AC_GROUND) {
        const double *carrier = l->twists + 6 * node->parent;
        ac_reference(node, q, here);
        ac_reference(&l->system->nodes[node->parent], q, there);
        sub3(here, there, arm);
        for (int c = 0; c < 6; ++c) rest[c] -= carrier[c];
        cross3(arm, carrier + 3, here);
        add3(rest, here, rest); /* - w x arm */
    }
    for (int a = 0; a < k; ++a) {
        u[a] = dot6(S + 6 * a, rest);
        for (int b = 0; b < k; ++b) normal[a * k + b] = dot6(S + 6 * a, S + 6 * b);
    }
    if (ac_lu_factor(k, normal, pivot)) ac_lu_solve(k, normal, pivot, u);
}

ac_status ac_loops_project(ac_legendre *l, const double *q, const double *p)
{
    const ac_system *system = l->system;
    size_t n = (size_t)system->n, m = (size_t)system->constraints.count;
    AC_TRY(factor(l, q));
    memcpy(l->saddle.x, p, n * sizeof *p);
    memset(l->saddle.x + n, 0, m * sizeof *p);
    AC_TRY(ac_sparse_solve(l->saddle.matrix, l->saddle.x));
    memcpy(l->velocity, l->saddle.x, n * sizeof *p);
    for (int i = 0; i < system->node_count;
         ++i) { /* sum of d x (w x d) over three directors is 2 w, of one in a plane w */
        const ac_node *node = &system->nodes[i];
        double *twist = l->twists + 6 * i;
        ac_node_wrench(node, q + node->q, l->velocity + node->q, twist);
        for (int c = 3; c < 6 && ac_node_turns(node) == 3; ++c) twist[c] *= 0.5;
    }
    for (int i = 0; i < system->node_count; ++i) joint_rates(l, i, q, l->u + system->nodes[i].u);
    ac_mass_apply(system, l->velocity, l->projected);
    return AC_OK;
}
