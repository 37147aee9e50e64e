/* Equilibria with multipliers: Newton's method for all coordinates and the multipliers of all constraints at once,
 *
 *   [ V'' - f' + sum lambda g''   G^T ] [ dq      ]     [ grad V - f + G^T lambda ]
 *   [ G                           0   ] [ dlambda ] = - [ g                       ]
 *
 * The iterates leave the constraints; at the end the state of the tree is read from the coordinates. The solutions are those of
 * the reduced equations, which test each other. Redundant equations of loops are left out.
 */
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/load.h"
#include "equilibrium/solver.h"
#include "linalg/sparse.h"
#include "math/math.h"
#include "tree/joint.h"

static const double LARGEST = 0.5; /* of one correction: turn of a director, or length over the typical one */
static const double ROUNDING = 1e-9; /* corrections below this need not become smaller */
enum { MOST_HALVINGS = 12 };

struct ac_redundant {
    int n, m;
    ac_sparse *matrix;
    bool marking; /* the pattern is collected, nothing is added */
    double *step, *trial, *q, *lambda, *g;
};

/* --- the matrix --- */

static ac_status put(ac_redundant *d, int row, int column, double value)
{
    if (d->marking) return ac_sparse_mark(d->matrix, row, column);
    ac_sparse_add(d->matrix, row, column, value);
    return AC_OK;
}

static ac_status put_block(ac_equilibrium *e, const int *nodes, int count, const double *block, double factor)
{
    int at[AC_ELEMENT_MAX], size = 0;
    for (int i = 0; i < count; ++i) size += e->system->nodes[nodes[i]].size;
    ac_block_coordinates(e->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) AC_TRY(put(e->redundant, at[r], at[c], factor * block[r * size + c]));
    return AC_OK;
}

static ac_status put_forces(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double x[AC_ELEMENT_MAX], block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(system); ++k) {
            if (!ac_element_conservative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, e->now.q, x);
            ac_element_hessian(kind, system, k, x, e->winding, block);
            AC_TRY(put_block(e, place.nodes, place.node_count, block, 1.0));
        }
    }
    for (int k = 0; k < system->load_count; ++k) {
        int nodes[2];
        int count = ac_load_slope(system, k, e->settings.time, 0.0, e->now.q, e->winding, nodes, block);
        AC_TRY(put_block(e, nodes, count, block, -ac_equilibrium_level(e, k)));
    }
    return AC_OK;
}

static bool is_omitted(const ac_equilibrium *e, int row)
{
    const int first = e->system->constraints.closure;
    return row >= first && e->newton.omitted[row - first];
}

static ac_status put_row(ac_equilibrium *e, int row)
{
    ac_redundant *d = e->redundant;
    const ac_constraints *c = &e->system->constraints;
    const int *coordinate = c->coordinate + c->start[row], slots = c->start[row + 1] - c->start[row];
    double gradient[2 * AC_NODE_MAX];
    bool left_out = !d->marking && is_omitted(e, row);
    if (row >= c->closure) AC_TRY(put(d, d->n + row, d->n + row, left_out ? 1.0 : 0.0));
    if (left_out) return AC_OK;
    ac_constraint_gradient(e->system, row, e->now.q, gradient);
    for (int s = 0; s < slots; ++s) {
        AC_TRY(put(d, d->n + row, coordinate[s], gradient[s]));
        AC_TRY(put(d, coordinate[s], d->n + row, gradient[s]));
    }
    for (int p = c->forms.product_start[row]; p < c->forms.product_start[row + 1]; ++p) {
        const ac_product *product = &c->forms.products[p];
        const int i = coordinate[product->i], j = coordinate[product->j];
        AC_TRY(put(d, i, j, e->balance.lambda[row] * product->a));
        AC_TRY(put(d, j, i, e->balance.lambda[row] * product->a));
    }
    return AC_OK;
}

static ac_status put_all(ac_equilibrium *e)
{
    AC_TRY(put_forces(e));
    for (int row = 0; row < e->redundant->m; ++row) AC_TRY(put_row(e, row));
    return AC_OK;
}

/* --- life --- */

ac_status ac_redundant_create(ac_equilibrium *e)
{
    const int n = e->system->n, m = e->system->constraints.count;
    size_t size = (size_t)n + (size_t)m;
    ac_redundant *d;
    if (!e->settings.multipliers) return AC_OK;
    if (e->settings.follow)
        return ac_fail(e->ctx, AC_BAD_INPUT, "load paths are followed in the reduced formulation");
    AC_NEW(e->ctx, e->redundant, 1);
    d = e->redundant;
    d->n = n;
    d->m = m;
    AC_NEW(e->ctx, d->step, size);
    AC_NEW(e->ctx, d->trial, size);
    AC_NEW(e->ctx, d->q, (size_t)n);
    AC_NEW(e->ctx, d->lambda, (size_t)m + 1);
    AC_NEW(e->ctx, d->g, (size_t)m + 1);
    AC_TRY(ac_sparse_new(e->ctx, n + m, &d->matrix));
    d->marking = true;
    AC_TRY(put_all(e));
    d->marking = false;
    return ac_sparse_freeze(d->matrix);
}

void ac_redundant_destroy(ac_equilibrium *e)
{
    ac_redundant *d = e->redundant;
    if (!d) return;
    ac_sparse_free(d->matrix);
    void *blocks[] = {d->step, d->trial, d->q, d->lambda, d->g, d};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
    e->redundant = NULL;
}

/* --- Newton's method --- */

/* x = minus the residual */
static void residual(ac_equilibrium *e, double *x)
{
    ac_redundant *d = e->redundant;
    ac_equilibrium_balance(e);
    ac_constraints_add_force(e->system, e->now.q, e->balance.lambda, 0, d->m, 1.0, e->balance.total);
    ac_constraints_value(e->system, e->now.q, 0, d->g);
    for (int i = 0; i < d->n; ++i) x[i] = -e->balance.total[i];
    for (int row = 0; row < d->m; ++row) x[d->n + row] = is_omitted(e, row) ? 0.0 : -d->g[row];
}

static double size_of(const ac_equilibrium *e, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < e->system->node_count; ++i) {
        const ac_node *node = &e->system->nodes[i];
        for (int c = 0; c < node->size; ++c)
            most = ac_max(most, fabs(x[node->q + c]) / (c < node->dimension ? e->system->length_scale : 1.0));
    }
    return most;
}

/* Independent closure equations at the present state of the tree. */
static ac_status choose_rows(ac_equilibrium *e)
{
    AC_TRY(ac_equilibrium_choose_closures(e));
    for (int k = 0; k < e->closures; ++k)
        if (e->newton.omitted[k]) e->balance.lambda[e->system->constraints.closure + k] = 0.0;
    return AC_OK;
}

static void go(ac_equilibrium *e, double factor)
{
    ac_redundant *d = e->redundant;
    for (int i = 0; i < d->n; ++i) e->now.q[i] = d->q[i] + factor * d->step[i];
    for (int row = 0; row < d->m; ++row)
        e->balance.lambda[row] = d->lambda[row] + factor * d->step[d->n + row];
}

/* As far as the next correction with the same matrix becomes smaller; it is left in `trial`. */
static ac_status search_line(ac_equilibrium *e, double size, bool *fell)
{
    ac_redundant *d = e->redundant;
    double factor = size > LARGEST ? LARGEST / size : 1.0;
    memcpy(d->q, e->now.q, (size_t)d->n * sizeof *d->q);
    memcpy(d->lambda, e->balance.lambda, (size_t)d->m * sizeof *d->lambda);
    for (int half = 0; half < MOST_HALVINGS; ++half, factor *= 0.5) {
        go(e, factor);
        residual(e, d->trial);
        AC_TRY(ac_sparse_solve(d->matrix, d->trial));
        double next = size_of(e, d->trial);
        *fell = next <= (1.0 - 0.25 * factor) * size || (size < ROUNDING && isfinite(next));
        if (*fell) return AC_OK;
    }
    go(e, 0.0);
    return AC_OK;
}

static ac_status correct(ac_equilibrium *e, double *size)
{
    ac_redundant *d = e->redundant;
    residual(e, d->step);
    ac_sparse_clear(d->matrix);
    AC_TRY(put_all(e));
    ac_status status = ac_sparse_factor(d->matrix);
    if (status == AC_SINGULAR)
        return ac_fail(
            e->ctx, AC_SINGULAR,
            "the system can move without a change of its potential: it needs more supports or springs, "
            "or the reduced formulation, which holds such motions");
    AC_TRY(status);
    AC_TRY(ac_sparse_solve(d->matrix, d->step));
    *size = size_of(e, d->step);
    return AC_OK;
}

/* The tree at the coordinates that were found. */
static void take_state(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    for (int k = 0; k < system->node_count; ++k) {
        const int i = system->tree.order[k];
        ac_joint_read_state(system, &system->nodes[i], e->now.q, &e->now.state[i]);
    }
    ac_tree_forward(system, e->now.state, e->now.q);
    for (int c = 0; c < e->closures; ++c)
        e->balance.mu[c] = e->balance.lambda[system->constraints.closure + c];
    ac_equilibrium_evaluate(e);
    e->point.residual = ac_equilibrium_force(e);
}

static ac_status iterate(ac_equilibrium *e)
{
    double size = 0.0;
    for (e->point.iterations = 1; e->point.iterations <= e->settings.max_iterations; ++e->point.iterations) {
        bool fell = false;
        ++e->effort.corrections;
        AC_TRY(correct(e, &size));
        if (!isfinite(size)) break;
        AC_TRY(search_line(e, size, &fell));
        if (size <= e->settings.tolerance || (!fell && size < ROUNDING)) {
            take_state(e);
            return AC_OK;
        }
        if (!fell) break;
    }
    return ac_equilibrium_not_found(e);
}

ac_status ac_redundant_newton(ac_equilibrium *e)
{
    ac_equilibrium_evaluate(e);
    AC_TRY(ac_equilibrium_multipliers(e));
    AC_TRY(choose_rows(e));
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    ac_status status = iterate(e);
    if (status != AC_OK) ac_equilibrium_state_copy(e, &e->before, &e->now);
    return status;
}
