/* Formulation with multipliers: unknowns q_b and lambda, one sparse system.
 *
 *   [ a B      b G(q_c)^T ] [ delta q  ]   [ a (p + left) - b G(q_c)^T mu ]        B = -d left / d q_b
 *   [ G(q_b)   0          ] [ delta mu ] = [ -g(q_b)                      ]        q_c = q_a, or the mean configuration
 *
 * With a = h / (mean mass), b = 1 the condition number does not grow as h shrinks; a = 1, b = c h is the
 * published, unscaled form (mu is lambda then). For forces at the mean configuration B also holds b/2 sum
 * mu g''. Redundant closure equations are left out; the others imply them. They are chosen anew in every step: in large
 * systems from sparse rows (tree/loop_rows.h), and only when the pivots of the sparse matrix say that the choice has become a bad one.
 * Further rows of the stepper have a slot each, behind those of the system; slots without a row are left out, too.
 */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "math/math.h"
#include "tree/loop_rows.h"

static const double RANK_TOLERANCE = 1e-9;

/* In large systems the choice of independent rows is kept until the ratio of pivots has fallen to this part of what it
 * was. */
static const double LOST = 1e-3;

typedef struct multipliers {
    int n, m;              /* m: of the system and of further rows */
    int own;               /* rows of the system */
    int slots, mass_count; /* of the system, for which the pattern is */
    double a, b, mean_mass;
    ac_sparse *matrix;
    int *place_G, *place_GT; /* of every slot of every row */
    int *place_mass;         /* of every number of every mass entry */
    int *place_diagonal;     /* of closure rows */
    bool *omitted;           /* per row */
    double *mu, *base_mu, *base_q, *x, *force, *weight, *older;
    int *row_of;            /* of a further row that holds: its place among all m */
    double *values, *slope; /* of further rows; n */
    /* choice of independent closure rows */
    int closures, freedoms; /* closures: those of the system */
    bool chosen, fresh;     /* there is one; it has not been factorised yet */
    double pivots;          /* ratio of the pivots with it at first */
    ac_joint_state *state;
    double *columns, *J, *block;
    int *ints;
    ac_row_space space;
    bool large; /* many freedoms, no further rows: `loops` instead of the dense matrix */
    ac_loop_rows loops;
    ac_status choice; /* of the last choice: out of memory is reported with the next factors */
} multipliers;

/* --- making and freeing --- */

typedef struct mark_target {
    const ac_system *system;
    ac_sparse *matrix;
    ac_status status;
} mark_target;

static void mark_block(void *target, const int *nodes, int count, const double *block, int size)
{
    mark_target *t = target;
    int at[AC_MORE_MAX];
    (void)block;
    ac_block_coordinates(t->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c)
            if (t->status == AC_OK) t->status = ac_sparse_mark(t->matrix, at[r], at[c]);
}

/* The row of a slot may depend on all coordinates of its nodes. */
static ac_status mark_slot(ac_stepper *s, multipliers *d, int slot)
{
    int nodes[AC_MORE_NODES], at[AC_MORE_MAX], row = d->n + d->own + slot, size = 0;
    int count = s->more.nodes(s->more.user, slot, nodes);
    for (int i = 0; i < count; ++i) size += s->system->nodes[nodes[i]].size;
    ac_block_coordinates(s->system, nodes, count, at);
    AC_TRY(ac_sparse_mark(d->matrix, row, row));
    for (int i = 0; i < size; ++i) {
        AC_TRY(ac_sparse_mark(d->matrix, row, at[i]));
        AC_TRY(ac_sparse_mark(d->matrix, at[i], row));
        for (int j = 0; s->scheme->at_mean && j < size; ++j) AC_TRY(ac_sparse_mark(d->matrix, at[i], at[j]));
    }
    return AC_OK;
}

static ac_status mark_pattern(ac_stepper *s, multipliers *d)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    mark_target target = {system, d->matrix, AC_OK};
    AC_TRY(ac_mass_mark(system, d->matrix));
    ac_stepper_evaluate(s);
    ac_stepper_slopes(s, mark_block, &target);
    AC_TRY(target.status);
    for (int row = 0; row < c->count; ++row) {
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            AC_TRY(ac_sparse_mark(d->matrix, d->n + row, c->coordinate[e]));
            AC_TRY(ac_sparse_mark(d->matrix, c->coordinate[e], d->n + row));
        }
        if (row >= c->closure) AC_TRY(ac_sparse_mark(d->matrix, d->n + row, d->n + row));
        if (!s->scheme->at_mean) continue;
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) /* second derivatives of the constraints */
            for (int f = c->start[row]; f < c->start[row + 1]; ++f)
                AC_TRY(ac_sparse_mark(d->matrix, c->coordinate[e], c->coordinate[f]));
    }
    for (int slot = 0; slot < s->more.most; ++slot) AC_TRY(mark_slot(s, d, slot));
    return ac_sparse_freeze(d->matrix);
}

/* Where entries of the mass matrix stand among the values of the matrix, in their order. */
typedef struct mass_target {
    const ac_sparse *matrix;
    int *place;
    double *value, factor;
} mass_target;

static void find_mass(void *target, int row, int column, double value)
{
    mass_target *t = target;
    (void)value;
    *t->place++ = ac_sparse_find(t->matrix, row, column);
}

static void add_mass(void *target, int row, int column, double value)
{
    mass_target *t = target;
    (void)row, (void)column;
    t->value[*t->place++] += t->factor * value;
}

static ac_status find_places(ac_stepper *s, multipliers *d)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    int slots = c->start[c->count];
    AC_NEW(s->ctx, d->place_G, slots);
    AC_NEW(s->ctx, d->place_GT, slots);
    AC_NEW(s->ctx, d->place_mass, d->mass_count);
    AC_NEW(s->ctx, d->place_diagonal, d->m);
    for (int row = 0; row < c->count; ++row) {
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            d->place_G[e] = ac_sparse_find(d->matrix, d->n + row, c->coordinate[e]);
            d->place_GT[e] = ac_sparse_find(d->matrix, c->coordinate[e], d->n + row);
        }
        d->place_diagonal[row] = ac_sparse_find(d->matrix, d->n + row, d->n + row);
    }
    for (int row = c->count; row < d->m; ++row)
        d->place_diagonal[row] = ac_sparse_find(d->matrix, d->n + row, d->n + row);
    mass_target target = {.matrix = d->matrix, .place = d->place_mass};
    ac_mass_each(system, find_mass, &target);
    return AC_OK;
}

typedef struct weigh_target {
    const ac_system *system;
    double *weight, h;
} weigh_target;

static void weigh_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const weigh_target *t = target;
    int row = 0;
    for (int i = 0; i < count; ++i) {
        const ac_node *node = &t->system->nodes[nodes[i]];
        for (int k = 0; k < node->size; ++k, ++row) {
            double stiffness = t->h * fabs(block[row * size + row]);
            if (isfinite(stiffness)) t->weight[node->q + k] += stiffness;
        }
    }
}

/* Residual weights: displacement that a unit of a (p + left) stands for, from the diagonal of B at the
 * start: one for each vector of a node, because the directions that are stiff turn with it; vectors
 * without mass and stiffness take their node's. */
static void find_weights(ac_stepper *s, multipliers *d)
{
    const ac_system *system = s->system;
    d->mean_mass = ac_mass_diagonal(system, d->weight);
    weigh_target target = {system, d->weight, s->interval.h};
    ac_stepper_slopes(s, weigh_block, &target);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double most = 0.0;
        for (int k = 0; k < node->size; ++k) most = ac_max(most, d->weight[node->q + k]);
        for (int k = 0; k < node->size; k += node->dimension) {
            double mass = 0.0, *own = d->weight + node->q + k;
            for (int c = 0; c < node->dimension; ++c) mass = ac_max(mass, own[c]);
            for (int c = 0; c < node->dimension; ++c) own[c] = d->mean_mass / (mass > 0.0 ? mass : most);
        }
    }
}

static void enter(ac_stepper *s)
{
    multipliers *d = s->data;
    memset(d->mu, 0, (size_t)d->m * sizeof *d->mu);
    ac_sparse_forget(d->matrix);
    d->chosen = false;
}

static ac_status create(ac_stepper *s)
{
    const ac_system *system = s->system;
    ac_context *ctx = s->ctx;
    multipliers *d;
    AC_NEW(ctx, d, 1);
    s->data = d;
    d->n = system->n;
    d->own = system->constraints.count;
    d->m = d->own + s->more.most;
    d->slots = system->constraints.start[d->own];
    d->mass_count = ac_mass_each(system, NULL, NULL);
    d->closures = d->own - system->constraints.closure;
    d->freedoms = system->tree.freedoms;
    AC_TRY(ac_sparse_new(ctx, d->n + d->m, &d->matrix));
    AC_TRY(mark_pattern(s, d));
    AC_TRY(find_places(s, d));
    AC_NEW(ctx, d->omitted, d->m);
    AC_NEW(ctx, d->mu, d->m);
    AC_NEW(ctx, d->base_mu, d->m);
    AC_NEW(ctx, d->base_q, d->n);
    AC_NEW(ctx, d->x, d->n + d->m);
    AC_NEW(ctx, d->force, d->n);
    AC_NEW(ctx, d->weight, d->n);
    AC_NEW(ctx, d->older, d->n);
    find_weights(s, d);
    int most = d->closures + s->more.most;
    if (most == 0) return AC_OK;
    AC_NEW(ctx, d->row_of, s->more.most);
    AC_NEW(ctx, d->values, s->more.most);
    AC_NEW(ctx, d->slope, d->n);
    d->large = s->more.most == 0 && d->freedoms > AC_DENSE_FREEDOMS;
    if (d->large) return ac_loop_rows_create(ctx, system, &d->loops);
    AC_NEW(ctx, d->state, system->node_count);
    AC_NEW(ctx, d->columns, 6 * d->freedoms);
    AC_NEW(ctx, d->J, (size_t)most * (size_t)d->freedoms);
    AC_NEW(ctx, d->block, ac_row_space_doubles(most, d->freedoms));
    AC_NEW(ctx, d->ints, ac_row_space_ints(most, d->freedoms));
    return AC_OK;
}

static void destroy(ac_stepper *s)
{
    multipliers *d = s->data;
    ac_sparse_free(d->matrix);
    ac_loop_rows_destroy(&d->loops);
    void *blocks[] = {d->place_G, d->place_GT, d->place_mass, d->place_diagonal, d->omitted, d->mu,
                      d->base_mu, d->base_q,   d->x,          d->force,          d->weight,  d->older,
                      d->state,   d->columns,  d->J,          d->block,          d->ints,    d->row_of,
                      d->values,  d->slope};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static ac_status restart(ac_stepper *s)
{
    const multipliers *d = s->data;
    const ac_constraints *c = &s->system->constraints;
    if (c->start[c->count] != d->slots ||
        ac_mass_each(s->system, NULL, NULL) != d->mass_count) { /* another pattern */
        destroy(s);
        return create(s);
    }
    enter(s);
    ac_stepper_evaluate(s);
    find_weights(s, s->data);
    return AC_OK;
}

static int unknowns(const ac_stepper *s)
{
    const multipliers *d = s->data;
    return d->n + d->own - d->closures + s->system->initial.closure_rank;
}

/* --- one step --- */

/* Where the further rows that hold now stand; slots without one are left out. */
static void place_rows(ac_stepper *s, multipliers *d)
{
    for (int row = d->own; row < d->m; ++row) d->omitted[row] = true;
    for (int k = 0; k < s->more.count; ++k) {
        d->row_of[k] = d->own + s->more.slot(s->more.user, k);
        d->omitted[d->row_of[k]] = false;
    }
    for (int row = d->own; row < d->m; ++row)
        if (d->omitted[row]) d->mu[row] = 0.0;
}

static void omit(multipliers *d, int row, bool omitted)
{
    d->omitted[row] = omitted;
    if (omitted) d->mu[row] = 0.0;
}

/* Which closure rows and further rows are implied by the others at q_a. */
static void omit_redundant(ac_stepper *s, multipliers *d)
{
    const ac_system *system = s->system;
    int rows = d->closures + s->more.count;
    place_rows(s, d);
    d->chosen = d->fresh = true;
    if (rows == 0) return;
    if (d->large) {
        d->choice = ac_loop_rows_choose(&d->loops, s->qa, RANK_TOLERANCE);
        for (int k = 0; k < rows && d->choice == AC_OK; ++k)
            omit(d, system->constraints.closure + k, d->loops.choice.dependent[k]);
        return;
    }
    ac_row_space_place(&d->space, rows, d->freedoms, d->block, d->ints);
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], s->qa, &d->state[i]);
    ac_tree_columns(system, d->state, s->qa, d->columns);
    ac_closure_jacobian(system, d->columns, s->qa, d->J);
    if (s->more.count > 0)
        s->more.jacobian(s->more.user, d->columns, s->qa, d->J + (size_t)d->closures * (size_t)d->freedoms);
    ac_row_space_factor(&d->space, d->J, RANK_TOLERANCE, rows);
    for (int k = 0; k < rows; ++k) {
        int number = d->space.order[k];
        int row = number < d->closures ? system->constraints.closure + number
                                       : d->row_of[number - d->closures];
        omit(d, row, k >= d->space.rank);
    }
}

static void set_scales(const ac_stepper *s, multipliers *d, bool unscaled)
{
    d->a = unscaled ? s->scheme->published_factor : s->interval.h / d->mean_mass;
    d->b = unscaled ? s->scheme->published_factor * ac_stepper_multiplier_factor(s) * s->interval.h : 1.0;
}

static void prepare(ac_stepper *s)
{
    multipliers *d = s->data;
    set_scales(s, d, s->unscaled);
    if (s->more.most > 0 || (d->closures > 0 && !(d->large && d->chosen))) omit_redundant(s, d);
}

static void guess(ac_stepper *s, ac_guess kind)
{
    multipliers *d = s->data;
    for (int i = 0; i < d->n; ++i) {
        double q = s->qa[i];
        if (kind == AC_GUESS_RESTING) {
            s->qb[i] = q;
        } else if (s->past == 0) {
            s->qb[i] = s->speeds      ? q + s->h * s->speeds[i]
                       : s->step == 0 ? q + s->h * s->system->initial.v[i]
                                      : q;
        } else if (kind == AC_GUESS_REPEATED || s->past == 1) {
            s->qb[i] = 2.0 * q - s->before[i];
        } else {
            s->qb[i] = 3.0 * (q - s->before[i]) + d->older[i];
        }
    }
    if (kind == AC_GUESS_RESTING) memset(d->mu, 0, (size_t)d->m * sizeof *d->mu);
    if (kind == AC_GUESS_RESTING && d->large) omit_redundant(s, d);
}

static const double *force_configuration(const ac_stepper *s)
{
    return s->scheme->at_mean ? s->interval.mean : s->qa;
}

/* Forces and values of further rows; values of rows that do not hold are zero. */
static void add_more(ac_stepper *s, multipliers *d)
{
    if (s->more.most == 0) return;
    memset(d->x + d->n + d->own, 0, (size_t)s->more.most * sizeof *d->x);
    s->more.values(s->more.user, s->qb, d->values);
    for (int k = 0; k < s->more.count; ++k) {
        double factor = d->b * d->mu[d->row_of[k]];
        d->x[d->n + d->row_of[k]] = d->values[k];
        if (factor == 0.0) continue;
        s->more.gradient(s->more.user, k, force_configuration(s), d->slope);
        for (int i = 0; i < d->n; ++i) d->force[i] -= factor * d->slope[i];
    }
}

static double residual(ac_stepper *s)
{
    multipliers *d = s->data;
    ac_stepper_evaluate(s);
    for (int i = 0; i < d->n; ++i) d->force[i] = d->a * (s->p[i] + s->left[i]);
    ac_constraints_add_force(s->system, force_configuration(s), d->mu, 0, d->own, -d->b, d->force);
    ac_constraints_value(s->system, s->qb, 0, d->x + d->n);
    add_more(s, d);
    double most = 0.0, unit = s->interval.h / (d->a * d->mean_mass);
    for (int row = 0; row < d->m; ++row) {
        double size = fabs(d->x[d->n + row]) / s->system->length_scale;
        if (size > most || isnan(size)) {
            most = size;
            s->last.worst_row = row < d->own ? row : -1;
            s->last.worst_is_constraint = true;
        }
    }
    s->last.gap = most;
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        for (int k = node->q; k < node->q + node->size; ++k) {
            double size = fabs(d->force[k]) * d->weight[k] * unit / s->system->length_scale;
            if (size > most || isnan(size)) {
                most = size;
                s->last.worst_row = node->u;
                s->last.worst_is_constraint = false;
            }
        }
    }
    return most;
}

typedef struct add_target {
    const ac_system *system;
    ac_sparse *matrix;
    double factor;
} add_target;

static void add_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const add_target *t = target;
    int at[AC_MORE_MAX];
    ac_block_coordinates(t->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c)
            ac_sparse_add(t->matrix, at[r], at[c], t->factor * block[r * size + c]);
}

/* b/2 sum mu g'' where constraint forces act at the mean. */
static void add_curvature(ac_stepper *s, multipliers *d)
{
    const ac_constraints *c = &s->system->constraints;
    for (int row = 0; row < d->own; ++row) {
        if (d->omitted[row]) continue;
        const int *coordinate = c->coordinate + c->start[row];
        double factor = 0.5 * d->b * d->mu[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            ac_sparse_add(d->matrix, coordinate[p->i], coordinate[p->j], factor * p->a);
            ac_sparse_add(d->matrix, coordinate[p->j], coordinate[p->i], factor * p->a);
        }
    }
}

/* The same of a further row. */
static void add_more_curvature(ac_stepper *s, multipliers *d, int k, const int *nodes, int count, int size)
{
    double block[AC_MORE_MAX * AC_MORE_MAX];
    add_target target = {s->system, d->matrix, 0.5 * d->b * d->mu[d->row_of[k]]};
    s->more.curvature(s->more.user, k, s->interval.mean, block);
    add_block(&target, nodes, count, block, size);
}

/* Rows and columns of the further rows that hold. */
static void fill_more(ac_stepper *s, multipliers *d)
{
    for (int k = 0; k < s->more.count; ++k) {
        int nodes[AC_MORE_NODES], at[AC_MORE_MAX], size = 0, row = d->n + d->row_of[k];
        if (d->omitted[d->row_of[k]]) continue;
        int count = s->more.nodes(s->more.user, d->row_of[k] - d->own, nodes);
        for (int i = 0; i < count; ++i) size += s->system->nodes[nodes[i]].size;
        ac_block_coordinates(s->system, nodes, count, at);
        s->more.gradient(s->more.user, k, s->qb, d->slope);
        for (int i = 0; i < size; ++i) ac_sparse_add(d->matrix, row, at[i], d->slope[at[i]]);
        s->more.gradient(s->more.user, k, force_configuration(s), d->slope);
        for (int i = 0; i < size; ++i) ac_sparse_add(d->matrix, at[i], row, d->b * d->slope[at[i]]);
        if (s->scheme->at_mean) add_more_curvature(s, d, k, nodes, count, size);
    }
}

static void fill_matrix(ac_stepper *s, multipliers *d)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    double *value = ac_sparse_values(d->matrix), gradient[AC_ELEMENT_MAX];
    mass_target masses = {.place = d->place_mass, .value = value, .factor = d->a / s->interval.h};
    ac_sparse_clear(d->matrix);
    ac_mass_each(system, add_mass, &masses);
    add_target target = {system, d->matrix, d->a};
    ac_stepper_slopes(s, add_block, &target);
    if (s->scheme->at_mean) add_curvature(s, d);
    const double *q_force = force_configuration(s);
    for (int row = 0; row < d->m; ++row)
        if (d->omitted[row]) value[d->place_diagonal[row]] = 1.0;
    fill_more(s, d);
    for (int row = 0; row < d->own; ++row) {
        if (d->omitted[row]) continue;
        int start = c->start[row], end = c->start[row + 1];
        ac_constraint_gradient(system, row, s->qb, gradient);
        for (int e = start; e < end; ++e) value[d->place_G[e]] = gradient[e - start];
        ac_constraint_gradient(system, row, q_force, gradient);
        for (int e = start; e < end; ++e) value[d->place_GT[e]] = d->b * gradient[e - start];
    }
}

/* Factorises; a choice of rows that was good in an earlier step is made anew where it is no longer. */
static ac_status factor(ac_stepper *s, multipliers *d)
{
    AC_TRY(d->choice);
    fill_matrix(s, d);
    ac_status status = ac_sparse_factor(d->matrix);
    double ratio = status == AC_OK ? ac_sparse_pivot_ratio(d->matrix) : 0.0;
    if (d->fresh) d->pivots = ratio;
    bool bad = d->large && !d->fresh && !(ratio > LOST * d->pivots);
    d->fresh = false;
    if (!bad || status == AC_NO_MEMORY) return status;
    omit_redundant(s, d);
    AC_TRY(d->choice);
    fill_matrix(s, d);
    AC_TRY(ac_sparse_factor(d->matrix));
    d->pivots = ac_sparse_pivot_ratio(d->matrix);
    d->fresh = false;
    return AC_OK;
}

static ac_status correct(ac_stepper *s, double *size)
{
    multipliers *d = s->data;
    AC_TRY(factor(s, d));
    for (int i = 0; i < d->n; ++i) d->x[i] = d->force[i];
    for (int row = 0; row < d->m; ++row) d->x[d->n + row] = d->omitted[row] ? 0.0 : -d->x[d->n + row];
    AC_TRY(ac_sparse_solve(d->matrix, d->x));
    memcpy(d->base_q, s->qb, (size_t)d->n * sizeof *d->base_q);
    memcpy(d->base_mu, d->mu, (size_t)d->m * sizeof *d->base_mu);
    *size = 0.0;
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        for (int k = 0; k < node->size; ++k) {
            double scale = k < node->dimension ? 1.0 / s->system->length_scale : 1.0;
            *size = ac_max(*size, fabs(d->x[node->q + k]) * scale);
        }
    }
    return AC_OK;
}

static void apply(ac_stepper *s, double factor)
{
    multipliers *d = s->data;
    for (int i = 0; i < d->n; ++i) s->qb[i] = d->base_q[i] + factor * d->x[i];
    for (int row = 0; row < d->m; ++row) d->mu[row] = d->base_mu[row] + factor * d->x[d->n + row];
}

static void carry(ac_stepper *s)
{
    multipliers *d = s->data;
    ac_stepper_carry_over(s, s->scheme->published_factor / d->a, d->force);
}

/* With the momentum. */
static double *carried(ac_stepper *s)
{
    (void)s;
    return NULL;
}

static void impulses(ac_stepper *s, double *lambda)
{
    const multipliers *d = s->data;
    for (int k = 0; k < d->closures; ++k) lambda[k] = d->mu[d->own - d->closures + k] * d->b / d->a;
    for (int k = 0; k < s->more.count; ++k) lambda[d->closures + k] = d->mu[d->row_of[k]] * d->b / d->a;
}

static void accept(ac_stepper *s)
{
    multipliers *d = s->data;
    memcpy(d->older, s->before, (size_t)d->n * sizeof *d->older);
}

/* --- the past: multipliers, which start the next ones, and the configuration before the last two --- */

static size_t history(const ac_stepper *s)
{
    const multipliers *d = s->data;
    return (size_t)d->m + (size_t)d->n;
}

static void save(ac_stepper *s, bool solved, double *numbers)
{
    multipliers *d = s->data;
    ac_sparse_forget(d->matrix);
    d->chosen = false;
    memcpy(numbers, d->mu, (size_t)d->m * sizeof *numbers);
    memcpy(numbers + d->m, solved ? s->before : d->older, (size_t)d->n * sizeof *numbers);
}

static void load(ac_stepper *s, const double *numbers)
{
    multipliers *d = s->data;
    ac_sparse_forget(d->matrix);
    d->chosen = false;
    memcpy(d->mu, numbers, (size_t)d->m * sizeof *numbers);
    memcpy(d->older, numbers + d->m, (size_t)d->n * sizeof *numbers);
}

/* --- condition number --- */

static ac_status matrix(ac_stepper *s, double **matrix_out, int *size)
{
    multipliers *d = s->data;
    int full = d->n + d->m, kept = 0;
    double *dense;
    AC_NEW(s->ctx, dense, (size_t)full * (size_t)full);
    if (s->unscaled) fill_matrix(s, d);
    ac_sparse_to_dense(d->matrix, dense);
    for (int i = 0; i < full; ++i) {
        if (i >= d->n && d->omitted[i - d->n]) continue;
        int column = 0;
        for (int j = 0; j < full; ++j) {
            if (j >= d->n && d->omitted[j - d->n]) continue;
            dense[(size_t)kept * (size_t)full + (size_t)column++] =
                dense[(size_t)i * (size_t)full + (size_t)j];
        }
        ++kept;
    }
    for (int i = 0; i < kept; ++i) /* close up the rows */
        memmove(dense + (size_t)i * (size_t)kept, dense + (size_t)i * (size_t)full,
                (size_t)kept * sizeof *dense);
    *matrix_out = dense;
    *size = kept;
    return AC_OK;
}

extern const ac_formulation ac_formulation_multipliers;
const ac_formulation ac_formulation_multipliers = {
    .name = "multipliers",
    AC_FORMULATION_FUNCTIONS,
    .iterates_nodes = true,
    .matrix = matrix,
};
