/* The matrix of the reduced formulation, K = P(q_a)^T B P(q_b): inertia of the nodes, slopes of elements and
 * loads, and what the change of P adds where constraint forces act at the mean; by recursion along the tree,
 * in blocks, sparse or dense.
 */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "integrate/reduced.h"

/* The configuration at which constraint forces act. */
const double *ac_reduced_force_configuration(const ac_stepper *s)
{
    return s->scheme->at_mean ? s->interval.mean : s->qa;
}

static ac_tree_pair pair_of(const ac_stepper *s, const ac_reduced *d)
{
    return (ac_tree_pair){s->system, ac_reduced_force_configuration(s), s->qb, d->columns_a, d->columns_b};
}

/* The same for the matrix that is collected. */
static ac_tree_pair collected_pair(const ac_stepper *s, const ac_reduced *d)
{
    ac_tree_pair pair = pair_of(s, d);
    if (!d->transposed) return pair;
    return (ac_tree_pair){pair.system, pair.qb, pair.qa, pair.columns_b, pair.columns_a};
}

typedef struct sink_target {
    ac_stepper *stepper;
    ac_reduced *data;
    double *K; /* NULL: along the tree only, or sparse */
} sink_target;

/* Adds a block on twists: diagonal blocks to their nodes, the others to the coupling of the child with its
 * parent, or straight into the matrix. */
static void put_block(const sink_target *t, int i, int j, const double block[36])
{
    const ac_tree_pair own = collected_pair(t->stepper, t->data), *pair = &own;
    double turned[36];
    const double *projected = block;
    if (t->data->transposed) {
        for (int row = 0; row < 6; ++row)
            for (int column = 0; column < 6; ++column) turned[6 * row + column] = block[6 * column + row];
        projected = turned;
        int swap = i;
        i = j;
        j = swap;
    }
    if (t->data->sparse && !t->K) {
        if (t->data->in_blocks) {
            ac_tree_blocks_add(&t->data->blocks, pair, i, j, projected);
        } else {
            ac_tree_sparse_add(&t->data->projected, pair, i, j, projected);
        }
        return;
    }
    if (i != j && t->K) {
        ac_tree_matrix_pair(pair, i, j, projected, t->K);
        return;
    }
    ac_tree_solver *solver = &t->data->solver;
    double *out = solver->inertia + 36 * i;
    if (i != j)
        out = pair->system->nodes[i].parent == j ? solver->coupling + 72 * i : solver->coupling + 72 * j + 36;
    for (int k = 0; k < 36; ++k) out[k] += projected[k];
}

/* Projects the blocks of an element to twists. */
static void collect(void *target, const int *nodes, int count, const double *block, int size)
{
    const sink_target *t = target;
    const ac_stepper *s = t->stepper;
    const ac_system *system = s->system;
    ac_tree_pair pair = pair_of(s, t->data);
    int row = 0;
    for (int i = 0; i < count; ++i) {
        const ac_node *left = &system->nodes[nodes[i]];
        int column = 0;
        for (int j = 0; j < count; ++j) {
            const ac_node *right = &system->nodes[nodes[j]];
            double projected[36];
            ac_node_project(left, pair.qa + left->q, right, s->qb + right->q, block + row * size + column,
                            size, projected);
            column += right->size;
            put_block(t, nodes[i], nodes[j], projected);
        }
        row += left->size;
    }
}

static void collect_twists(void *target, int left, int right, const double block[36])
{
    put_block(target, left, right, block);
}

/* What the step equation leaves, before it is split; closed loops know their multipliers from r. */
const double *ac_reduced_forces_left(ac_stepper *s, ac_reduced *d)
{
    double *restrict f = d->reaction.rest;
    const double *restrict p = s->p, *restrict left = s->left;
    if (d->closures > 0)
        ac_row_space_solve_transposed(&d->dense.space_a, d->r,
                                      d->reaction.mu + s->system->constraints.closure);
    for (int i = 0; i < s->system->n; ++i) f[i] = p[i] + left[i];
    for (int row = 0; row < s->more.count; ++row) {
        double mu = d->reaction.mu[s->system->constraints.count + row], *gradient = s->scratch[0];
        s->more.gradient(s->more.user, row, s->interval.mean, gradient);
        for (int i = 0; i < s->system->n; ++i) f[i] -= mu * gradient[i];
    }
    return f;
}

/* 1/2 sum mu g'' of the further rows */
static void collect_more(ac_stepper *s, ac_reduced *d, const sink_target *target)
{
    double block[AC_MORE_MAX * AC_MORE_MAX];
    for (int row = 0; row < s->more.count; ++row) {
        int nodes[AC_MORE_NODES], size = 0;
        int count = s->more.nodes(s->more.user, s->more.slot(s->more.user, row), nodes);
        for (int i = 0; i < count; ++i) size += s->system->nodes[nodes[i]].size;
        s->more.curvature(s->more.user, row, s->interval.mean, block);
        for (int i = 0; i < size * size; ++i)
            block[i] *= 0.5 * d->reaction.mu[s->system->constraints.count + row];
        collect((void *)target, nodes, count, block, size);
    }
}

void ac_reduced_split_forces(ac_stepper *s, ac_reduced *d)
{
    ac_reaction_split(&d->reaction, s->interval.mean, ac_reduced_forces_left(s, d));
}

/* Slopes of elements and loads, and of the projection where it depends on q_b. */
static void collect_all(ac_stepper *s, ac_reduced *d, double *K)
{
    sink_target target = {s, d, K};
    ac_stepper_twist_slopes(s, collect, collect_twists, &target);
    if (!s->scheme->at_mean) return;
    ac_reaction_split_joined(&d->reaction, s->interval.mean, ac_reduced_forces_left(s, d));
    ac_reaction_curvature(&d->reaction, collect, &target);
    collect_more(s, d, &target);
    ac_reaction_turning(&d->reaction, d->state_a, s->interval.mean, s->qb, d->columns_a, collect_twists,
                        &target);
}

/* delta = K^{-1} r by recursion; sets the weights too. */
ac_status ac_reduced_solve_tree(ac_stepper *s, ac_reduced *d)
{
    return ac_reduced_solve_recursive(s, d, d->own, d->carried, d->delta);
}

ac_status ac_reduced_solve_recursive(ac_stepper *s, ac_reduced *d, const double *wrenches,
                                     const double *joints, double *x)
{
    ac_tree_pair pair = collected_pair(s, d);
    ac_inertia_nodes(&pair, 1.0 / s->interval.h, d->solver.inertia);
    if (d->coupled) {
        memset(d->solver.coupling, 0, 72 * (size_t)s->system->node_count * sizeof(double));
        collect_all(s, d, NULL);
    }
    int stuck = ac_tree_solve(&pair, &d->solver, wrenches, joints, d->coupled, x, d->weight);
    if (stuck == AC_GROUND) return AC_OK;
    return ac_fail(s->ctx, AC_SINGULAR,
                   "node '%s' has no inertia in a direction in which it can move; a thin rod must not be "
                   "free to spin about itself, or needs a radius (cylinder)",
                   s->system->nodes[stuck].name);
}

void ac_reduced_dense_matrix(ac_stepper *s, ac_reduced *d, double *K)
{
    ac_tree_pair pair = collected_pair(s, d);
    memset(K, 0, (size_t)d->freedoms * (size_t)d->freedoms * sizeof *K);
    ac_inertia_nodes(&pair, 1.0 / s->interval.h, d->solver.inertia);
    if (d->coupled) collect_all(s, d, K);
    ac_tree_matrix(&pair, d->solver.inertia, K);
    ac_inertia_dense_pairs(&pair, 1.0 / s->interval.h, K);
}

void ac_reduced_sparse_matrix(ac_stepper *s, ac_reduced *d)
{
    ac_tree_pair pair = collected_pair(s, d);
    if (d->in_blocks) {
        ac_inertia_in_blocks(&pair, 1.0 / s->interval.h, &d->blocks);
    } else {
        ac_inertia_sparse(&pair, 1.0 / s->interval.h, &d->projected);
    }
    collect_all(s, d, NULL);
}

void ac_reduced_weigh(ac_reduced *d)
{
    for (int j = 0; j < d->freedoms; ++j) {
        double diagonal = d->in_blocks ? ac_tree_blocks_diagonal(&d->blocks, j)
                          : d->sparse  ? ac_tree_sparse_diagonal(&d->projected, j)
                                       : d->dense.K[(size_t)j * (size_t)d->freedoms + (size_t)j];
        diagonal = fabs(diagonal);
        d->weight[j] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
    }
}
