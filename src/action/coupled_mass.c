/* Momenta of systems whose mass couples nodes (beams): inverse of the mass matrix, and projection.
 *
 * Along a beam the mass matrix is banded for positions, for d1 and for d2, with `order` neighbours on each
 * side: M = L D L^T and M^{-1} is one sweep forth and back. d3 has no mass and gets no velocity. The
 * projected mass P^T M P is a block matrix near its diagonal, or sparse. Loops are closed by the Schur
 * complement
 *   (J K^{-1} J^T) mu = J K^{-1} r,   u = K^{-1} (r - J^T mu)     on the independent rows of J.
 */
#include <string.h>

#include "action/inertia.h"
#include "action/momentum.h"

enum { FIELDS = 3, WIDE = AC_BEAM_ORDER_MAX + 1, PER_NODE = FIELDS * WIDE }; /* fields: position, d1, d2 */

static double own_mass(const ac_node *node, int field)
{
    return field == 0 ? node->mass : node->euler[4 * (field - 1)];
}

/* --- inverse mass --------------------------------------------------------------------------------------- */

/* Row of a node in the factors: D first, then the entries of L for the node 1, 2, ... places before it. */
static double *row_of(double *factors, int node, int field)
{
    return factors + PER_NODE * (size_t)node + WIDE * field;
}

static void factor_field(const ac_beam_data *beam, int field, double *factors)
{
    for (int k = 0; k < beam->nodes; ++k) {
        double *own = row_of(factors, beam->first_node + k, field);
        int reach = k < beam->order ? k : beam->order;
        for (int j = reach; j >= 1; --j) { /* L D of the row, farthest first */
            const double *other = own - PER_NODE * j;
            for (int i = j + 1; i <= reach && i - j <= beam->order; ++i) own[j] -= own[i] * other[i - j];
        }
        for (int j = 1; j <= reach; ++j) {
            double pivot = own[-PER_NODE * j], product = own[j];
            own[j] = product != 0.0 ? product / pivot : 0.0;
            own[0] -= own[j] * product;
        }
    }
}

static void factor_beam(const ac_system *system, const ac_beam_data *beam, double *factors)
{
    for (int f = 0; f < FIELDS; ++f) {
        for (int k = beam->first_node; k < beam->first_node + beam->nodes; ++k)
            row_of(factors, k, f)[0] = own_mass(&system->nodes[k], f);
        for (int p = beam->first_pair; p < beam->first_pair + beam->pairs; ++p) {
            const ac_mass_pair *pair = &system->mesh.mass_pairs[p];
            row_of(factors, pair->b, f)[pair->b - pair->a] += ac_shared_mass(pair, f);
        }
        factor_field(beam, f, factors);
    }
}

static void solve_beam(const ac_system *system, const ac_beam_data *beam, const double *factors,
                       const double *p, double *v)
{
    int first = system->nodes[beam->first_node].q;
    const double *rows = factors + PER_NODE * (size_t)beam->first_node;
    memcpy(v + first, p + first, 12 * (size_t)beam->nodes * sizeof *v);
    for (int k = 0; k < beam->nodes; ++k) {
        double *own = v + first + 12 * k;
        int reach = k < beam->order ? k : beam->order;
        for (int j = 1; j <= reach; ++j)
            for (int c = 0; c < 9; ++c) own[c] -= rows[PER_NODE * k + WIDE * (c / 3) + j] * own[c - 12 * j];
        for (int c = 9; c < 12; ++c) own[c] = 0.0;
    }
    for (int k = beam->nodes - 1; k >= 0; --k) {
        double *own = v + first + 12 * k;
        int left = beam->nodes - 1 - k, reach = left < beam->order ? left : beam->order;
        for (int c = 0; c < 9; ++c) {
            double pivot = rows[PER_NODE * k + WIDE * (c / 3)];
            own[c] = pivot > 0.0 ? own[c] / pivot : 0.0;
        }
        for (int j = 1; j <= reach; ++j)
            for (int c = 0; c < 9; ++c)
                own[c] -= rows[PER_NODE * (k + j) + WIDE * (c / 3) + j] * own[c + 12 * j];
    }
}

void ac_coupled_inverse_apply(const ac_legendre *l, const double *p, double *v)
{
    for (int b = 0; b < l->system->beam_count; ++b)
        solve_beam(l->system, &l->system->beams[b], l->mass_pivot, p, v);
}

/* --- making and freeing --- */

void ac_coupled_restart(ac_legendre *l)
{
    const ac_system *system = l->system;
    memset(l->mass_pivot, 0, PER_NODE * (size_t)system->node_count * sizeof *l->mass_pivot);
    for (int b = 0; b < system->beam_count; ++b) factor_beam(system, &system->beams[b], l->mass_pivot);
}

ac_status ac_coupled_create(ac_legendre *l)
{
    const ac_system *system = l->system;
    int closures = system->constraints.count - system->constraints.closure;
    size_t m = (size_t)closures, n = (size_t)system->tree.freedoms;
    if (system->tree.freedoms == system->initial.closure_rank)
        return ac_fail(l->ctx, AC_BAD_INPUT,
                       "the supports hold the whole system: nothing is left that could move");
    AC_NEW(l->ctx, l->mass_pivot, PER_NODE * system->node_count);
    ac_coupled_restart(l);
    AC_TRY(ac_tree_blocks_create(l->ctx, system, &l->blocks, &l->in_blocks));
    if (!l->in_blocks) AC_TRY(ac_tree_sparse_create(l->ctx, system, false, &l->mass));
    if (closures == 0) return AC_OK;
    AC_NEW(l->ctx, l->J, m * n);
    AC_NEW(l->ctx, l->N, m * n); /* K^{-1} J^T, row by row */
    AC_NEW(l->ctx, l->NKN, m * m);
    AC_NEW(l->ctx, l->z, m);
    AC_NEW(l->ctx, l->pivot, m);
    AC_NEW(l->ctx, l->block, ac_row_space_doubles(closures, system->tree.freedoms));
    AC_NEW(l->ctx, l->ints, ac_row_space_ints(closures, system->tree.freedoms));
    ac_row_space_place(&l->space, closures, system->tree.freedoms, l->block, l->ints);
    return AC_OK;
}

void ac_coupled_destroy(ac_legendre *l)
{
    ac_release(l->ctx, l->mass_pivot);
    ac_tree_blocks_destroy(l->ctx, &l->blocks);
    ac_tree_sparse_destroy(&l->mass);
}

/* --- projection --- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static ac_status factor_mass(ac_legendre *l, const ac_tree_pair *pair)
{
    if (!l->in_blocks) {
        ac_inertia_sparse(pair, 1.0, &l->mass);
        return ac_sparse_factor(l->mass.matrix);
    }
    ac_inertia_in_blocks(pair, 1.0, &l->blocks);
    if (ac_tree_blocks_factor(&l->blocks, NULL)) return AC_OK;
    return ac_fail(l->ctx, AC_SINGULAR, "a motion of the system has no inertia");
}

static ac_status solve_mass(ac_legendre *l, double *x)
{
    if (!l->in_blocks) return ac_sparse_solve(l->mass.matrix, x);
    ac_tree_blocks_solve(&l->blocks, NULL, x, x);
    return AC_OK;
}

/* Takes from u what would open the loops. */
static ac_status close_loops(ac_legendre *l, const double *q, double rank_tolerance)
{
    int n = l->system->tree.freedoms;
    ac_closure_jacobian(l->system, l->columns, q, l->J);
    ac_row_space_factor(&l->space, l->J, rank_tolerance, l->space.rows);
    int rank = l->space.rank;
    for (int a = 0; a < rank; ++a) {
        double *column = l->N + (size_t)a * (size_t)n;
        memcpy(column, l->J + (size_t)l->space.order[a] * (size_t)n, (size_t)n * sizeof *column);
        AC_TRY(solve_mass(l, column));
    }
    for (int a = 0; a < rank; ++a) {
        const double *row = l->J + (size_t)l->space.order[a] * (size_t)n;
        l->z[a] = dot(n, row, l->u);
        for (int b = 0; b < rank; ++b) l->NKN[a * rank + b] = dot(n, row, l->N + (size_t)b * (size_t)n);
    }
    if (!ac_lu_factor(rank, l->NKN, l->pivot)) {
        return ac_fail(l->ctx, AC_SINGULAR, "a motion of the system has no inertia");
    }
    ac_lu_solve(rank, l->NKN, l->pivot, l->z);
    for (int a = 0; a < rank; ++a)
        for (int i = 0; i < n; ++i) l->u[i] -= l->z[a] * l->N[(size_t)a * (size_t)n + (size_t)i];
    return AC_OK;
}

ac_status ac_coupled_project(ac_legendre *l, const double *q, const ac_tree_pair *pair, double rank_tolerance)
{
    const ac_system *system = l->system;
    AC_TRY(factor_mass(l, pair));
    memcpy(l->u, l->reduced, (size_t)system->tree.freedoms * sizeof *l->u);
    AC_TRY(solve_mass(l, l->u));
    return system->constraints.count > system->constraints.closure ? close_loops(l, q, rank_tolerance)
                                                                   : AC_OK;
}
