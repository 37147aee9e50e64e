/* Momenta: projections, multipliers, momentum maps. */
#include "action/momentum.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "base/vector.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;

/* --- inverse of the mass matrix where it has one ------------------------------------------------------------------- */

/* Eigenvalues and vectors of a symmetric 3 x 3 matrix by Jacobi rotations; V has the vectors in its
 * columns. */
static void symmetric_eigen(const double A[9], double value[3], double V[9])
{
    double S[9];
    memcpy(S, A, sizeof S);
    identity3(V);
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (S[3 * p + q] == 0.0) continue;
                double theta = 0.5 * ac_atan2(2.0 * S[3 * p + q], S[4 * q] - S[4 * p]);
                double c, s;
                ac_sincos(theta, &s, &c);
                for (int k = 0; k < 3; ++k) { /* S <- S R */
                    double a = S[3 * k + p], b = S[3 * k + q];
                    S[3 * k + p] = c * a - s * b;
                    S[3 * k + q] = s * a + c * b;
                    a = V[3 * k + p];
                    b = V[3 * k + q];
                    V[3 * k + p] = c * a - s * b;
                    V[3 * k + q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) { /* S <- R^T S */
                    double a = S[3 * p + k], b = S[3 * q + k];
                    S[3 * p + k] = c * a - s * b;
                    S[3 * q + k] = s * a + c * b;
                }
            }
        }
    }
    for (int k = 0; k < 3; ++k) value[k] = S[4 * k];
}

static void pseudo_inverse(const double E[9], double inverse[9])
{
    double value[3], V[9];
    memset(inverse, 0, 9 * sizeof *inverse);
    symmetric_eigen(E, value, V);
    double most = ac_max(fabs(value[0]), ac_max(fabs(value[1]), fabs(value[2])));
    for (int k = 0; k < 3; ++k) {
        if (!(value[k] > 1e-12 * most)) continue;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) inverse[3 * i + j] += V[3 * i + k] * V[3 * j + k] / value[k];
    }
}

void ac_inverse_mass_apply(const ac_legendre *l, const double *p, double *v)
{
    bool coupled = l->system->mesh.mass_pair_count > 0;
    for (int i = 0; i < l->system->node_count; ++i) {
        const ac_node *node = &l->system->nodes[i];
        if (coupled && node->beam >= 0) continue;
        const double *inverse = l->inverse_mass + 9 * i, *pi = p + node->q;
        double *vi = v + node->q;
        for (int c = 0; c < node->dimension; ++c) vi[c] = pi[c] / node->mass;
        if (ac_node_turns(node) == 1) {
            vi[2] = inverse[0] * pi[2];
            vi[3] = inverse[0] * pi[3];
        } else if (ac_node_turns(node) == 3) {
            for (int I = 0; I < 3; ++I)
                for (int c = 0; c < 3; ++c)
                    vi[3 + 3 * I + c] = inverse[3 * I] * pi[3 + c] + inverse[3 * I + 1] * pi[6 + c] +
                                        inverse[3 * I + 2] * pi[9 + c];
        }
        for (int c = AC_BODY_SIZE; c < node->size; ++c) vi[c] = 0.0;
    }
    if (coupled) ac_coupled_inverse_apply(l, p, v);
}

/* --- making and freeing -------------------------------------------------------------------------------------------- */

/* Entries of G that stand in the same column, each pair once. */
static ac_status list_products(ac_legendre *l, const int *first, const int *entries, const int *row_of)
{
    int count = 0;
    for (int i = 0; i < l->system->n; ++i) count += (first[i + 1] - first[i]) * (first[i + 1] - first[i]);
    AC_NEW(l->ctx, l->normal.products, count + 1);
    for (int i = 0; i < l->system->n; ++i)
        for (int a = first[i]; a < first[i + 1]; ++a)
            for (int b = first[i]; b < first[i + 1]; ++b) {
                int place = ac_sparse_find(l->normal.matrix, row_of[entries[a]], row_of[entries[b]]);
                l->normal.products[l->normal.product_count++] = (ac_normal_product){place, entries[a],
                                                                                    entries[b]};
            }
    return AC_OK;
}

/* Pattern of G G^T: rows that share a coordinate. first (n + 1), entries, row_of: workspace. */
static ac_status list_normal(ac_legendre *l, int *first, int *entries, int *row_of)
{
    const ac_constraints *c = &l->system->constraints;
    const int n = l->system->n;
    for (int e = 0; e < c->start[c->count]; ++e) ++first[c->coordinate[e] + 1];
    for (int i = 0; i < n; ++i) first[i + 1] += first[i];
    for (int row = 0; row < c->count; ++row)
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            row_of[e] = row;
            entries[first[c->coordinate[e]]++] = e;
        }
    for (int i = n; i > 0; --i) first[i] = first[i - 1];
    first[0] = 0;
    for (int i = 0; i < n; ++i)
        for (int a = first[i]; a < first[i + 1]; ++a)
            for (int b = first[i]; b < first[i + 1]; ++b)
                AC_TRY(ac_sparse_mark(l->normal.matrix, row_of[entries[a]], row_of[entries[b]]));
    AC_TRY(ac_sparse_freeze(l->normal.matrix));
    return list_products(l, first, entries, row_of);
}

static ac_status create_normal(ac_legendre *l)
{
    const ac_constraints *c = &l->system->constraints;
    int *work, entries = c->start[c->count], n = l->system->n;
    AC_TRY(ac_sparse_new(l->ctx, c->count, &l->normal.matrix));
    if (!l->normal.omitted) AC_NEW(l->ctx, l->normal.omitted, c->count);
    AC_NEW(l->ctx, l->normal.gradients, entries + 1);
    AC_NEW(l->ctx, l->normal.correction, c->count + 1);
    AC_NEW(l->ctx, l->normal.at, n);
    AC_NEW(l->ctx, work, n + 1 + 2 * entries);
    ac_status status = list_normal(l, work, work + n + 1, work + n + 1 + entries);
    ac_release(l->ctx, work);
    return status;
}

static ac_status create_closure(ac_legendre *l, int closures, int freedoms)
{
    size_t m = (size_t)closures, n = (size_t)freedoms;
    if (ac_legendre_is_large(l->system)) return ac_loops_create(l);
    AC_NEW(l->ctx, l->J, m * n);
    AC_NEW(l->ctx, l->K, n * n);
    AC_NEW(l->ctx, l->N, n * n);
    AC_NEW(l->ctx, l->NKN, n * n);
    AC_NEW(l->ctx, l->z, n);
    AC_NEW(l->ctx, l->pivot, n);
    AC_NEW(l->ctx, l->block, ac_row_space_doubles(closures, freedoms));
    AC_NEW(l->ctx, l->ints, ac_row_space_ints(closures, freedoms));
    ac_row_space_place(&l->space, closures, freedoms, l->block, l->ints);
    return AC_OK;
}

/* Directors whose row of the Euler tensor vanishes; all directors of a node whose tensor is singular in
 * another frame. */
static void mark_massless(const ac_node *node, const double inverse[9], bool *massless)
{
    if (ac_node_turns(node) == 1) massless[2] = massless[3] = inverse[0] == 0.0;
    if (ac_node_turns(node) < 3) return;
    for (int i = AC_BODY_SIZE; i < node->size; ++i) massless[i] = true;
    double product[9];
    multiply3(node->euler, inverse, product); /* a projection: the identity where the tensor is regular */
    for (int I = 0; I < 3; ++I)
        for (int i = 0; i < 3; ++i) massless[3 + 3 * I + i] = product[4 * I] < 1.0 - 1e-6;
}

ac_status ac_legendre_create(ac_context *ctx, const ac_system *system, bool with_multipliers, ac_legendre *l)
{
    l->ctx = ctx;
    l->system = system;
    int nodes = system->node_count, freedoms = system->tree.freedoms;
    int closures = system->constraints.count - system->constraints.closure;
    AC_NEW(ctx, l->inverse_mass, 9 * nodes);
    AC_NEW(ctx, l->massless, system->n);
    AC_NEW(ctx, l->reduced, freedoms);
    AC_NEW(ctx, l->u, freedoms);
    AC_NEW(ctx, l->twists, 6 * nodes);
    AC_NEW(ctx, l->velocity, system->n);
    AC_NEW(ctx, l->projected, system->n);
    AC_NEW(ctx, l->state, nodes);
    AC_NEW(ctx, l->columns, 6 * freedoms);
    AC_NEW(ctx, l->own, 6 * nodes);
    AC_NEW(ctx, l->weight, freedoms);
    AC_NEW(ctx, l->scratch, system->n);
    AC_TRY(ac_tree_solver_create(ctx, system, false, &l->solver));
    bool coupled = system->mesh.mass_pair_count > 0;
    if (coupled) AC_TRY(ac_coupled_create(l));
    if (closures > 0 && !coupled) AC_TRY(create_closure(l, closures, freedoms));
    ac_legendre_restart(l);
    if (with_multipliers) AC_TRY(create_normal(l));
    return AC_OK;
}

void ac_legendre_restart(ac_legendre *l)
{
    const ac_system *system = l->system;
    l->normal.ready = false;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (ac_node_turns(node) == 3) pseudo_inverse(node->euler, l->inverse_mass + 9 * i);
        if (ac_node_turns(node) == 1)
            l->inverse_mass[9 * i] = node->euler[0] > 0.0 ? 1.0 / node->euler[0] : 0.0;
        mark_massless(node, l->inverse_mass + 9 * i, l->massless + node->q);
    }
    if (l->mass_pivot) ac_coupled_restart(l);
}

void ac_legendre_destroy(ac_legendre *l)
{
    if (!l->ctx) return;
    void *blocks[] = {l->inverse_mass,
                      l->massless,
                      l->reduced,
                      l->u,
                      l->twists,
                      l->velocity,
                      l->projected,
                      l->state,
                      l->columns,
                      l->own,
                      l->weight,
                      l->K,
                      l->J,
                      l->N,
                      l->NKN,
                      l->z,
                      l->block,
                      l->scratch,
                      l->pivot,
                      l->ints,
                      l->normal.omitted,
                      l->normal.products,
                      l->normal.gradients,
                      l->normal.correction,
                      l->normal.at,
                      l->saddle.x};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(l->ctx, blocks[k]);
    ac_tree_solver_destroy(l->ctx, &l->solver);
    ac_coupled_destroy(l);
    ac_sparse_free(l->normal.matrix);
    ac_sparse_free(l->saddle.matrix);
    ac_loop_rows_destroy(&l->saddle.loops);
}

/* --- projection ---------------------------------------------------------------------------------------------------- */

/* u = N z with N^T K N z = N^T P^T p */
static ac_status project_loops(ac_legendre *l, const double *q, const ac_tree_pair *pair)
{
    const ac_system *system = l->system;
    int n = system->tree.freedoms;
    ac_closure_jacobian(system, l->columns, q, l->J);
    ac_row_space_factor(&l->space, l->J, RANK_TOLERANCE, l->space.rows);
    memset(l->K, 0, (size_t)n * (size_t)n * sizeof *l->K);
    ac_tree_matrix(pair, l->solver.inertia, l->K);
    ac_row_space_null(&l->space, l->N);
    int k = n - l->space.rank;
    for (int a = 0; a < k; ++a) {
        l->z[a] = 0.0;
        for (int i = 0; i < n; ++i) l->z[a] += l->N[i * k + a] * l->reduced[i];
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += l->K[i * n + j] * l->N[j * k + a];
            l->weight[i] = sum;
        }
        for (int b = 0; b < k; ++b) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += l->N[i * k + b] * l->weight[i];
            l->NKN[b * k + a] = sum;
        }
    }
    if (!ac_lu_factor(k, l->NKN, l->pivot))
        return ac_fail(l->ctx, AC_SINGULAR, "a motion of the system has no inertia");
    ac_lu_solve(k, l->NKN, l->pivot, l->z);
    for (int i = 0; i < n; ++i) {
        l->u[i] = 0.0;
        for (int a = 0; a < k; ++a) l->u[i] += l->N[i * k + a] * l->z[a];
    }
    return AC_OK;
}

void ac_legendre_columns(ac_legendre *l, const double *q)
{
    const ac_system *system = l->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &l->state[i]);
    ac_tree_columns(system, l->state, q, l->columns);
}

ac_status ac_legendre_project(ac_legendre *l, const double *q, const double *p)
{
    const ac_system *system = l->system;
    ac_tree_pair pair = {system, q, q, l->columns, l->columns};
    ac_legendre_columns(l, q);
    ac_tree_project(system, l->columns, q, p, l->own, l->reduced);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_wrench(node, q + node->q, p + node->q, l->own + 6 * i);
    }
    if (l->saddle.matrix) return ac_loops_project(l, q, p);
    if (system->mesh.mass_pair_count == 0) ac_inertia_nodes(&pair, 1.0, l->solver.inertia);
    if (system->mesh.mass_pair_count > 0) {
        AC_TRY(ac_coupled_project(l, q, &pair, RANK_TOLERANCE));
    } else if (system->constraints.count > system->constraints.closure) {
        AC_TRY(project_loops(l, q, &pair));
    } else {
        int stuck = ac_tree_solve(&pair, &l->solver, l->own, NULL, false, l->u, l->weight);
        if (stuck != AC_GROUND) {
            return ac_fail(
                l->ctx, AC_SINGULAR,
                "node '%s' has no inertia in a direction in which it can move; a thin rod must not be "
                "free to spin about itself, or needs a radius (cylinder)",
                system->nodes[stuck].name);
        }
    }
    ac_tree_twists(system, l->columns, q, l->u, l->twists);
    ac_tree_velocity(system, q, l->twists, l->velocity);
    ac_mass_apply(system, l->velocity, l->projected);
    return AC_OK;
}

/* --- multipliers --------------------------------------------------------------------------------------------------- */

ac_status ac_legendre_omit(ac_legendre *l, const double *q)
{
    const ac_constraints *c = &l->system->constraints;
    int rows = c->count - c->closure;
    if (rows == 0) return AC_OK;
    if (l->saddle.matrix) {
        AC_TRY(ac_loop_rows_choose(&l->saddle.loops, q, RANK_TOLERANCE));
        memcpy(l->normal.omitted + c->closure, l->saddle.loops.choice.dependent,
               (size_t)rows * sizeof *l->normal.omitted);
        return AC_OK;
    }
    ac_legendre_columns(l, q);
    ac_closure_jacobian(l->system, l->columns, q, l->J);
    ac_row_space_factor(&l->space, l->J, RANK_TOLERANCE, l->space.rows);
    for (int k = 0; k < rows; ++k) l->normal.omitted[c->closure + l->space.order[k]] = k >= l->space.rank;
    return AC_OK;
}

/* lambda += (G G^T)^{-1} G (b - G^T lambda) */
static ac_status improve(ac_legendre *l, const double *b, double *lambda)
{
    const ac_constraints *c = &l->system->constraints;
    const double *g = l->normal.gradients; /* zero in omitted rows */
    for (int i = 0; i < l->system->n; ++i) l->scratch[i] = b[i];
    for (int row = 0; row < c->count; ++row)
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            l->scratch[c->coordinate[e]] -= lambda[row] * g[e];
    for (int row = 0; row < c->count; ++row) {
        l->normal.correction[row] = 0.0;
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            l->normal.correction[row] += g[e] * l->scratch[c->coordinate[e]];
    }
    AC_TRY(ac_sparse_solve(l->normal.matrix, l->normal.correction));
    for (int row = 0; row < c->count; ++row) lambda[row] += l->normal.correction[row];
    return AC_OK;
}

/* G(q) and the factors of G G^T. */
static ac_status factor_normal(ac_legendre *l, const double *q)
{
    const ac_constraints *c = &l->system->constraints;
    size_t bytes = (size_t)l->system->n * sizeof *q;
    if (l->normal.ready && memcmp(q, l->normal.at, bytes) == 0) return AC_OK;
    l->normal.ready = false;
    AC_TRY(ac_legendre_omit(l, q));
    for (int row = 0; row < c->count; ++row) {
        double *g = l->normal.gradients + c->start[row];
        ac_constraint_gradient(l->system, row, q, g);
        if (l->normal.omitted[row]) memset(g, 0, (size_t)(c->start[row + 1] - c->start[row]) * sizeof *g);
    }
    ac_sparse_clear(l->normal.matrix);
    double *values = ac_sparse_values(l->normal.matrix);
    for (int k = 0; k < l->normal.product_count; ++k)
        values[l->normal.products[k].place] += l->normal.gradients[l->normal.products[k].a] *
                                               l->normal.gradients[l->normal.products[k].b];
    for (int row = 0; row < c->count; ++row)
        if (l->normal.omitted[row]) ac_sparse_add(l->normal.matrix, row, row, 1.0);
    AC_TRY(ac_sparse_factor(l->normal.matrix));
    memcpy(l->normal.at, q, bytes);
    l->normal.ready = true;
    return AC_OK;
}

ac_status ac_legendre_multipliers(ac_legendre *l, const double *q, const double *b, double *lambda)
{
    const ac_constraints *c = &l->system->constraints;
    if (c->count == 0) return AC_OK;
    AC_TRY(factor_normal(l, q));
    memset(lambda, 0, (size_t)c->count * sizeof *lambda);
    AC_TRY(improve(l, b, lambda));
    return improve(l, b, lambda); /* refinement */
}

/* s += G^T (G G^T)^{-1} (r - G s) */
static ac_status lift(ac_legendre *l, const double *r, double *s)
{
    const ac_constraints *c = &l->system->constraints;
    const double *g = l->normal.gradients; /* zero in omitted rows */
    for (int row = 0; row < c->count; ++row) {
        l->normal.correction[row] = l->normal.omitted[row] ? 0.0 : r[row];
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            l->normal.correction[row] -= g[e] * s[c->coordinate[e]];
    }
    AC_TRY(ac_sparse_solve(l->normal.matrix, l->normal.correction));
    for (int row = 0; row < c->count; ++row)
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            s[c->coordinate[e]] += l->normal.correction[row] * g[e];
    return AC_OK;
}

ac_status ac_legendre_lift(ac_legendre *l, const double *q, const double *r, double *s)
{
    memset(s, 0, (size_t)l->system->n * sizeof *s);
    if (l->system->constraints.count == 0) return AC_OK;
    AC_TRY(factor_normal(l, q));
    AC_TRY(lift(l, r, s));
    return lift(l, r, s); /* refinement */
}

/* --- momentum maps ------------------------------------------------------------------------------------------------- */

void ac_momentum_maps(const ac_system *system, const double *q, const double *p, const double about[3],
                      double linear[3], double angular[3])
{
    for (int i = 0; i < 3; ++i) linear[i] = angular[i] = 0.0;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double wrench[6], x[3];
        ac_node_wrench(node, q + node->q, p + node->q, wrench);
        ac_reference(node, q, x);
        sub3(x, about, x);
        add3(linear, wrench, linear);
        add3(angular, wrench + 3, angular);
        add_cross3(x, wrench, angular);
    }
}
