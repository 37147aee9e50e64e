/* Momenta of systems whose mass couples nodes (beams): inverse of the mass matrix, and projection.
 *
 * Along a beam the mass matrix is tridiagonal for positions, for d1 and for d2, so M^{-1} is one sweep forth
 * and back;
 * d3 has no mass and gets no velocity. The projected mass P^T M P is sparse. Loops are closed by the Schur
 * complement
 *   (J K^{-1} J^T) mu = J K^{-1} r,   u = K^{-1} (r - J^T mu)     on the independent rows of J.
 */
#include <string.h>

#include "mechanics/momentum.h"

enum { FIELDS = 3 }; /* position, d1, d2 */

static double own_mass(const ac_node *node, int field)
{
    return field == 0 ? node->mass : node->euler[4 * (field - 1)];
}

static double shared_mass(const ac_mass_pair *pair, int field)
{
    return field == 0 ? pair->mass : pair->euler[field - 1];
}

/* --- inverse mass
 * -------------------------------------------------------------------------------------------------- */

/* Pivots of the tridiagonal matrices, three per node. */
static void factor_beam(const ac_system *system, const ac_beam_data *beam, double *pivot)
{
    for (int k = 0; k <= beam->elements; ++k) {
        double *own = pivot + FIELDS * (beam->first_node + k);
        for (int f = 0; f < FIELDS; ++f) {
            own[f] = own_mass(&system->nodes[beam->first_node + k], f);
            if (k == 0) continue;
            double shared = shared_mass(&system->mass_pairs[beam->first_element + k - 1], f);
            if (shared != 0.0) own[f] -= shared * shared / own[f - FIELDS];
        }
    }
}

static void solve_beam(const ac_system *system, const ac_beam_data *beam, const double *pivot,
                       const double *p, double *v)
{
    int first = system->nodes[beam->first_node].q;
    memcpy(v + first, p + first, 12 * (size_t)(beam->elements + 1) * sizeof *v);
    for (int k = 0; k <= beam->elements; ++k) {
        double *own = v + first + 12 * k;
        const double *above = pivot + FIELDS * (beam->first_node + k - 1);
        for (int f = 0; f < FIELDS && k > 0; ++f) {
            double shared = shared_mass(&system->mass_pairs[beam->first_element + k - 1], f);
            double share = shared != 0.0 ? shared / above[f] : 0.0;
            for (int c = 3 * f; c < 3 * f + 3; ++c) own[c] -= share * own[c - 12];
        }
        for (int c = 9; c < 12; ++c) own[c] = 0.0;
    }
    for (int k = beam->elements; k >= 0; --k) {
        double *own = v + first + 12 * k;
        const double *here = pivot + FIELDS * (beam->first_node + k);
        for (int f = 0; f < FIELDS; ++f) {
            double shared = k < beam->elements ? shared_mass(&system->mass_pairs[beam->first_element + k], f)
                                               : 0.0;
            for (int c = 3 * f; c < 3 * f + 3; ++c) {
                if (k < beam->elements) own[c] -= shared * own[c + 12];
                own[c] = here[f] > 0.0 ? own[c] / here[f] : 0.0;
            }
        }
    }
}

void ac_coupled_inverse_apply(const ac_legendre *l, const double *p, double *v)
{
    for (int b = 0; b < l->system->beam_count; ++b)
        solve_beam(l->system, &l->system->beams[b], l->mass_pivot, p, v);
}

/* --- making and freeing
 * -------------------------------------------------------------------------------------------- */

ac_status ac_coupled_create(ac_legendre *l)
{
    const ac_system *system = l->system;
    int closures = system->constraints.count - system->constraints.closure;
    size_t m = (size_t)closures, n = (size_t)system->tree_freedoms;
    AC_NEW(l->ctx, l->mass_pivot, FIELDS * system->node_count);
    for (int b = 0; b < system->beam_count; ++b) factor_beam(system, &system->beams[b], l->mass_pivot);
    AC_TRY(ac_tree_sparse_create(l->ctx, system, false, &l->mass));
    if (closures == 0) return AC_OK;
    AC_NEW(l->ctx, l->J, m * n);
    AC_NEW(l->ctx, l->N, m * n); /* K^{-1} J^T, row by row */
    AC_NEW(l->ctx, l->NKN, m * m);
    AC_NEW(l->ctx, l->z, m);
    AC_NEW(l->ctx, l->pivot, m);
    AC_NEW(l->ctx, l->block, ac_row_space_doubles(closures, system->tree_freedoms));
    AC_NEW(l->ctx, l->ints, ac_row_space_ints(closures, system->tree_freedoms));
    ac_row_space_place(&l->space, closures, system->tree_freedoms, l->block, l->ints);
    return AC_OK;
}

void ac_coupled_destroy(ac_legendre *l)
{
    ac_release(l->ctx, l->mass_pivot);
    ac_tree_sparse_destroy(&l->mass);
}

/* --- projection
 * ---------------------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Takes from u what would open the loops. */
static ac_status close_loops(ac_legendre *l, const double *q, double rank_tolerance)
{
    int n = l->system->tree_freedoms;
    ac_closure_jacobian(l->system, l->columns, q, l->J);
    ac_row_space_factor(&l->space, l->J, rank_tolerance, l->space.rows);
    int rank = l->space.rank;
    for (int a = 0; a < rank; ++a) {
        double *column = l->N + (size_t)a * (size_t)n;
        memcpy(column, l->J + (size_t)l->space.order[a] * (size_t)n, (size_t)n * sizeof *column);
        AC_TRY(ac_sparse_solve(l->mass.matrix, column));
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
    ac_tree_sparse_inertia(&l->mass, pair, 1.0);
    AC_TRY(ac_sparse_factor(l->mass.matrix));
    memcpy(l->u, l->reduced, (size_t)system->tree_freedoms * sizeof *l->u);
    AC_TRY(ac_sparse_solve(l->mass.matrix, l->u));
    return system->constraints.count > system->constraints.closure ? close_loops(l, q, rank_tolerance)
                                                                   : AC_OK;
}
