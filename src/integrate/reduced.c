/* Reduced formulation: the unknowns are the increments of the tree freedoms, nothing else.
 *
 *   r = P(q_a)^T (p + left(q_a, q_b)) = 0,    q_b = F(u, q_a),    K = P(q_a)^T B P(q_b),   B = -d left / d q_b
 *
 * The update is multiplicative, q_b <- F(delta, q_b), so that K is exact without the tangent of the
 * exponential map. Trees are solved by recursion at linear cost. Loops take the dense matrix of the tree
 * and P_closure, the null space of J = G_closure P_tree, from a rank-revealing factorisation, at both ends
 * of the interval:
 *
 *   delta = particular(J_b delta = -g) + N_b z,    N_a^T K N_b z = N_a^T (r - K particular)
 *
 * so that redundant constraints and changes of rank need no attention.
 *
 * Schemes whose constraint forces act at the mean take P there instead of at q_a; what the change of P
 * with q_b adds to K is found in reaction.c.
 */
#include <math.h>
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "integrate/reaction.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "mechanics/tree_blocks.h"
#include "mechanics/tree_sparse.h"

static const double RANK_TOLERANCE = 1e-9, LAST_TOLERANCE = 1e-14;

typedef struct reduced {
    int freedoms, closures; /* of the tree; closure equations */
    bool recursive;         /* no loops, elements only along the tree */
    bool sparse;            /* no loops, elements between short trees */
    bool coupled;           /* there are elements */
    bool weighted;
    ac_joint_state *state_a, *state_b, *base; /* per node: ends of the interval, start of the correction */
    double *columns_a, *columns_b; /* joint twists: where constraint forces act, at the right end */
    ac_reaction reaction;          /* schemes at the mean */
    double *own, *sum;             /* per node: wrench of the residual, and of the subtree */
    double *r, *weight, *delta, *scaled;
    double applied;       /* the part of delta by which the present q_b has moved */
    double *unit;         /* per freedom: 1 for turns, 1 / typical length for shifts */
    double *carried;      /* what rounding left of the equations of the last step */
    double *increment[4]; /* of this interval and of the three before */
    ac_tree_solver solver;

    ac_tree_sparse projected; /* sparse */
    ac_tree_blocks blocks;    /* instead of it, when trees are coupled in a row */
    bool in_blocks;
    bool
        factored; /* `blocks` holds factors, of a matrix of this step or an earlier one, for the step factor_h */
    double factor_h, last; /* size of the last correction */
    double ratio;          /* of it to the one before while old factors are in use; 0: the matrix is exact */
    int corrections;       /* of this attempt */
    int usual;             /* corrections of a step that starts with new factors */
    int age, surplus;      /* steps since then, and their corrections beyond the usual ones */
    bool stale;            /* new factors would have paid by now */

    /* dense */
    double *K, *J, *g, *N_a, *N_b, *KN, *NKN, *z, *rhs;
    int *pivot;
    int rank_limit; /* of J at q_b */
    ac_row_space space_a, space_b;
    double *space_block, *fit_block;
    int *space_ints, *fit_ints;
} reduced;

static void copy_states(const ac_stepper *s, const ac_joint_state *from, ac_joint_state *to)
{
    memcpy(to, from, (size_t)s->system->node_count * sizeof *to);
}

/* --- making and freeing
 * -------------------------------------------------------------------------------------------- */

static ac_status create_closure(ac_stepper *s, reduced *d)
{
    ac_context *ctx = s->ctx;
    int m = d->closures, n = d->freedoms;
    size_t square = (size_t)n * (size_t)n;
    AC_NEW(ctx, d->K, square);
    AC_NEW(ctx, d->pivot, n);
    if (m == 0) return AC_OK;
    AC_NEW(ctx, d->J, (size_t)m * (size_t)n);
    AC_NEW(ctx, d->g, m);
    AC_NEW(ctx, d->N_a, square);
    AC_NEW(ctx, d->N_b, square);
    AC_NEW(ctx, d->KN, square);
    AC_NEW(ctx, d->NKN, square);
    AC_NEW(ctx, d->z, n);
    AC_NEW(ctx, d->rhs, n);
    AC_NEW(ctx, d->space_block, 2 * ac_row_space_doubles(m, n));
    AC_NEW(ctx, d->space_ints, 2 * ac_row_space_ints(m, n));
    ac_row_space_place(&d->space_a, m, n, d->space_block, d->space_ints);
    ac_row_space_place(&d->space_b, m, n, d->space_block + ac_row_space_doubles(m, n),
                       d->space_ints + ac_row_space_ints(m, n));
    AC_NEW(ctx, d->fit_block, ac_row_space_doubles(n, n));
    AC_NEW(ctx, d->fit_ints, ac_row_space_ints(n, n));
    return AC_OK;
}

/* A freedom turns or shifts, in every configuration. */
static void find_units(const ac_stepper *s, reduced *d)
{
    const ac_system *system = s->system;
    ac_tree_columns(system, d->state_a, s->qa, d->columns_a);
    for (int j = 0; j < d->freedoms; ++j) {
        const double *turn = d->columns_a + 6 * j + 3;
        bool turning = turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0;
        d->unit[j] = turning ? 1.0 : 1.0 / system->length_scale;
    }
}

static ac_status create(ac_stepper *s)
{
    const ac_system *system = s->system;
    reduced *d;
    AC_NEW(s->ctx, d, 1);
    s->data = d;
    size_t nodes = (size_t)system->node_count, n = (size_t)system->tree_freedoms;
    d->freedoms = system->tree_freedoms;
    d->closures = system->constraints.count - system->constraints.closure;
    d->recursive = d->closures == 0 && system->tree_coupled;
    d->sparse = d->closures == 0 && !d->recursive && ac_tree_sparse_pays(system);
    d->coupled = s->scheme->at_mean || system->spring_count + system->load_count + system->beam_count > 0;
    if (s->scheme->at_mean) AC_TRY(ac_reaction_create(s->ctx, system, &d->reaction));
    AC_NEW(s->ctx, d->state_a, nodes);
    AC_NEW(s->ctx, d->state_b, nodes);
    AC_NEW(s->ctx, d->base, nodes);
    AC_NEW(s->ctx, d->columns_a, 6 * n);
    AC_NEW(s->ctx, d->columns_b, 6 * n);
    AC_NEW(s->ctx, d->own, 6 * nodes);
    AC_NEW(s->ctx, d->sum, 6 * nodes);
    AC_NEW(s->ctx, d->r, n);
    AC_NEW(s->ctx, d->weight, n);
    AC_NEW(s->ctx, d->delta, n);
    AC_NEW(s->ctx, d->scaled, n);
    AC_NEW(s->ctx, d->carried, n);
    AC_NEW(s->ctx, d->unit, n);
    for (int k = 0; k < 4; ++k) AC_NEW(s->ctx, d->increment[k], n);
    AC_TRY(ac_tree_solver_create(s->ctx, system, d->coupled && d->recursive, &d->solver));
    copy_states(s, system->state0, d->state_a);
    copy_states(s, system->state0, d->state_b);
    find_units(s, d);
    if (d->sparse) {
        AC_TRY(ac_tree_blocks_create(s->ctx, system, &d->blocks, &d->in_blocks));
        if (!d->in_blocks) AC_TRY(ac_tree_sparse_create(s->ctx, system, true, &d->projected));
        return AC_OK;
    }
    if (!d->recursive) AC_TRY(create_closure(s, d));
    return AC_OK;
}

static void destroy(ac_stepper *s)
{
    reduced *d = s->data;
    void *blocks[] = {d->state_a,
                      d->state_b,
                      d->base,
                      d->columns_a,
                      d->columns_b,
                      d->own,
                      d->sum,
                      d->r,
                      d->weight,
                      d->delta,
                      d->scaled,
                      d->carried,
                      d->unit,
                      d->increment[0],
                      d->increment[1],
                      d->increment[2],
                      d->increment[3],
                      d->K,
                      d->pivot,
                      d->J,
                      d->g,
                      d->N_a,
                      d->N_b,
                      d->KN,
                      d->NKN,
                      d->z,
                      d->rhs,
                      d->space_block,
                      d->space_ints,
                      d->fit_block,
                      d->fit_ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_reaction_destroy(s->ctx, &d->reaction);
    ac_tree_solver_destroy(s->ctx, &d->solver);
    ac_tree_sparse_destroy(&d->projected);
    ac_tree_blocks_destroy(s->ctx, &d->blocks);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static int unknowns(const ac_stepper *s)
{
    const reduced *d = s->data;
    return d->freedoms - s->system->closure_rank;
}

static void enter(ac_stepper *s)
{
    reduced *d = s->data;
    for (int i = 0; i < s->system->node_count; ++i)
        ac_joint_read_state(s->system, &s->system->nodes[i], s->qa, &d->state_a[i]);
}

/* --- the matrix
 * ---------------------------------------------------------------------------------------------------- */

/* The configuration at which constraint forces act. */
static const double *force_configuration(const ac_stepper *s)
{
    return s->scheme->at_mean ? s->interval.mean : s->qa;
}

static ac_tree_pair pair_of(const ac_stepper *s, const reduced *d)
{
    return (ac_tree_pair){s->system, force_configuration(s), s->qb, d->columns_a, d->columns_b};
}

typedef struct sink_target {
    ac_stepper *stepper;
    reduced *data;
    double *K; /* NULL: along the tree only, or sparse */
} sink_target;

/* Adds a block on twists: diagonal blocks to their nodes, the others to the coupling of the child with its
 * parent, or straight into the matrix. */
static void put_block(const sink_target *t, const ac_tree_pair *pair, int i, int j,
                      const double projected[36])
{
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
            put_block(t, &pair, nodes[i], nodes[j], projected);
        }
        row += left->size;
    }
}

static void collect_twists(void *target, int left, int right, const double block[36])
{
    const sink_target *t = target;
    ac_tree_pair pair = pair_of(t->stepper, t->data);
    put_block(t, &pair, left, right, block);
}

/* Multipliers of the present iterate, see reaction.h. */
static void split_forces(ac_stepper *s, reduced *d)
{
    double *f = d->reaction.rest;
    if (d->closures > 0)
        ac_row_space_solve_transposed(&d->space_a, d->r, d->reaction.mu + s->system->constraints.closure);
    for (int i = 0; i < s->system->n; ++i) f[i] = s->p[i] + s->left[i];
    ac_reaction_split(&d->reaction, s->interval.mean, f);
}

/* Slopes of elements and loads, and of the projection where it depends on q_b. */
static void collect_all(ac_stepper *s, reduced *d, double *K)
{
    sink_target target = {s, d, K};
    ac_stepper_twist_slopes(s, collect, collect_twists, &target);
    if (!s->scheme->at_mean) return;
    split_forces(s, d);
    ac_reaction_curvature(&d->reaction, collect, &target);
    ac_reaction_turning(&d->reaction, d->state_a, s->interval.mean, s->qb, d->columns_a, collect_twists,
                        &target);
}

/* delta = K^{-1} r by recursion; sets the weights too. */
static ac_status solve_tree(ac_stepper *s, reduced *d)
{
    ac_tree_pair pair = pair_of(s, d);
    ac_tree_inertia(&pair, 1.0 / s->interval.h, d->solver.inertia);
    if (d->coupled) {
        memset(d->solver.coupling, 0, 72 * (size_t)s->system->node_count * sizeof(double));
        collect_all(s, d, NULL);
    }
    int stuck = ac_tree_solve(&pair, &d->solver, d->own, d->carried, d->coupled, d->delta, d->weight);
    if (stuck == AC_GROUND) return AC_OK;
    return ac_fail(s->ctx, AC_SINGULAR,
                   "node '%s' has no inertia in a direction in which it can move; a thin rod must not be "
                   "free to spin about "
                   "itself, or needs a radius (cylinder)",
                   s->system->nodes[stuck].name);
}

static void dense_matrix(ac_stepper *s, reduced *d, double *K)
{
    ac_tree_pair pair = pair_of(s, d);
    memset(K, 0, (size_t)d->freedoms * (size_t)d->freedoms * sizeof *K);
    ac_tree_inertia(&pair, 1.0 / s->interval.h, d->solver.inertia);
    if (d->coupled) collect_all(s, d, K);
    ac_tree_matrix(&pair, d->solver.inertia, K);
    ac_tree_matrix_masses(&pair, 1.0 / s->interval.h, K);
}

static void sparse_matrix(ac_stepper *s, reduced *d)
{
    ac_tree_pair pair = pair_of(s, d);
    if (d->in_blocks) {
        ac_tree_blocks_inertia(&d->blocks, &pair, 1.0 / s->interval.h);
    } else {
        ac_tree_sparse_inertia(&d->projected, &pair, 1.0 / s->interval.h);
    }
    collect_all(s, d, NULL);
}

/* --- one step
 * ------------------------------------------------------------------------------------------------------ */

/* The null space of the closure at q, columns_a being those of q. */
static void open_closure(ac_stepper *s, reduced *d, const double *q, double tolerance, int rank_limit)
{
    ac_closure_jacobian(s->system, d->columns_a, q, d->J);
    ac_row_space_factor(&d->space_a, d->J, tolerance, rank_limit);
    ac_row_space_null(&d->space_a, d->N_a);
}

static void prepare(ac_stepper *s)
{
    reduced *d = s->data;
    ac_tree_columns(s->system, d->state_a, s->qa, d->columns_a);
    if (d->closures > 0) open_closure(s, d, s->qa, RANK_TOLERANCE, d->closures);
}

static void guess(ac_stepper *s, ac_guess kind)
{
    reduced *d = s->data;
    double *u = d->increment[0], *u1 = d->increment[1], *u2 = d->increment[2], *u3 = d->increment[3];
    d->corrections = 0;
    if (kind != AC_GUESS_EXTRAPOLATED) d->factored = false;
    for (int j = 0; j < d->freedoms; ++j) {
        u[j] = 0.0;
        if (kind == AC_GUESS_RESTING) continue;
        if (s->step == 0) {
            u[j] = s->h * s->system->u0[j];
        } else if (kind == AC_GUESS_REPEATED || s->step == 1) {
            u[j] = u1[j];
        } else if (s->step == 2) {
            u[j] = 2.0 * u1[j] - u2[j];
        } else {
            u[j] = 3.0 * (u1[j] - u2[j]) + u3[j];
        }
    }
    /* off the constraints a redundant equation looks independent: the rank of q_a holds at q_b, too. The
     * last attempt takes every equation that is not redundant to the last digit, for nodes that lie almost
     * in a singular configuration. */
    if (kind == AC_GUESS_RESTING && d->closures > 0) {
        ac_tree_columns(s->system, d->state_a, s->qa, d->columns_a);
        open_closure(s, d, s->qa, LAST_TOLERANCE, d->closures);
    }
    d->rank_limit = d->closures > 0 ? d->space_a.rank : 0;
    ac_tree_move(s->system, u, d->state_a, d->state_b, s->qb);
}

/* The wrench of p + left on a body, directors d. */
static inline void body_residual(const double *restrict d, const double *restrict p,
                                 const double *restrict left, double *restrict wrench)
{
    double t0 = 0.0, t1 = 0.0, t2 = 0.0;
    ac_triple_put(ac_triple_sum(ac_triple_of(p), ac_triple_of(left)), wrench);
    for (int I = 0; I < 9; I += 3) {
        double f0 = p[3 + I] + left[3 + I], f1 = p[4 + I] + left[4 + I], f2 = p[5 + I] + left[5 + I];
        t0 += d[I + 1] * f2 - d[I + 2] * f1;
        t1 += d[I + 2] * f0 - d[I] * f2;
        t2 += d[I] * f1 - d[I + 1] * f0;
    }
    ac_triple_put((ac_triple){{t0, t1}, t2}, wrench + 3);
}

/* Wrenches of the residual p + left on every node, their sums over subtrees, and the projection r. */
static void project(const ac_stepper *s, reduced *d)
{
    const ac_system *system = s->system;
    const double *q = force_configuration(s);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const double *p = s->p + node->q, *left = s->left + node->q;
        double f[AC_NODE_MAX];
        if (node->kind == AC_NODE_BODY) {
            body_residual(q + node->q + 3, p, left, d->sum + 6 * i);
            continue;
        }
        for (int c = 0; c < node->size; ++c) f[c] = p[c] + left[c];
        ac_node_wrench(node, q + node->q, f, d->sum + 6 * i);
    }
    if (d->recursive) memcpy(d->own, d->sum, 6 * (size_t)system->node_count * sizeof *d->own);
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->order[k];
        const ac_node *node = &system->nodes[i];
        const double *w = d->sum + 6 * i;
        if (ac_node_is_free(node)) {
            for (int j = 0; j < 6; j += 2)
                ac_pair_put(ac_pair_of(w + j) + ac_pair_of(d->carried + node->u + j), d->r + node->u + j);
            continue;
        }
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            d->r[j] = dot6(d->columns_a + 6 * j, w) + d->carried[j];
        if (node->parent == AC_GROUND) continue;
        double here[3], there[3], arm[3], *carrier = d->sum + 6 * node->parent;
        ac_reference(node, q, here);
        ac_reference(&system->nodes[node->parent], q, there);
        sub3(here, there, arm);
        for (int j = 0; j < 6; ++j) carrier[j] += w[j];
        add_cross3(arm, w, carrier + 3);
    }
}

/* The largest of |x| times its weight, and where it is; a number that is none counts as the largest. */
static double largest(int n, const double *restrict x, const double *restrict weight, int *where)
{
    enum { CHUNK = 32, LANES = 4 }; /* of each chunk only the largest is compared */
    double most = 0.0;
    int at = 0, i = 0;
    for (int first = 0; first < n && !isnan(most); first += CHUNK) {
        double own[LANES] = {0}, sum[LANES] = {0}; /* the sum keeps what is not a number */
        int last = first + CHUNK < n ? first + CHUNK : n;
        for (i = first; i + LANES <= last; i += LANES)
            for (int l = 0; l < LANES; ++l) {
                double a = fabs(x[i + l]) * weight[i + l];
                own[l] = a > own[l] ? a : own[l];
                sum[l] += a;
            }
        for (; i < last; ++i) {
            own[0] = fmax(own[0], fabs(x[i]) * weight[i]);
            sum[0] += fabs(x[i]) * weight[i];
        }
        double all = isnan(sum[0] + sum[1] + sum[2] + sum[3])
                         ? NAN
                         : fmax(fmax(own[0], own[1]), fmax(own[2], own[3]));
        if (all <= most) continue;
        most = all;
        at = first;
    }
    for (i = at; where && i < n; ++i) {
        double own = fabs(x[i]) * weight[i];
        if (!(own < most)) break;
    }
    if (where && n > 0) *where = i < n ? i : at;
    return most;
}

/* Size of the projected residual: for loops only the part along N_a counts. */
static double dynamic_size(ac_stepper *s, reduced *d)
{
    const double *r = d->r;
    if (d->closures > 0) {
        int k = d->freedoms - d->space_a.rank;
        for (int c = 0; c < k; ++c) {
            d->z[c] = 0.0;
            for (int j = 0; j < d->freedoms; ++j) d->z[c] += d->N_a[j * k + c] * d->r[j];
        }
        for (int j = 0; j < d->freedoms; ++j) {
            d->scaled[j] = 0.0;
            for (int c = 0; c < k; ++c) d->scaled[j] += d->N_a[j * k + c] * d->z[c];
        }
        r = d->scaled;
    }
    s->worst_is_constraint = false;
    return largest(d->freedoms, r, d->weight, &s->worst_row);
}

static void composite_weights(reduced *d)
{
    for (int j = 0; j < d->freedoms; ++j) {
        double diagonal = d->in_blocks ? ac_tree_blocks_diagonal(&d->blocks, j)
                          : d->sparse  ? ac_tree_sparse_diagonal(&d->projected, j)
                                       : d->K[(size_t)j * (size_t)d->freedoms + (size_t)j];
        diagonal = fabs(diagonal);
        d->weight[j] = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
    }
}

/* The first factorisation gives the scale of the residual. */
static ac_status find_weights(ac_stepper *s, reduced *d)
{
    ac_tree_columns(s->system, d->state_b, s->qb, d->columns_b);
    if (d->recursive) {
        AC_TRY(solve_tree(s, d));
    } else {
        if (d->sparse) {
            sparse_matrix(s, d);
        } else {
            dense_matrix(s, d, d->K);
        }
        composite_weights(d);
    }
    d->weighted = true;
    return AC_OK;
}

/* The projection belongs to the present mean; its rank is that of q_a. */
static void follow_mean(ac_stepper *s, reduced *d)
{
    ac_tree_columns(s->system, d->state_a, s->interval.mean, d->columns_a);
    if (d->closures > 0) open_closure(s, d, s->interval.mean, LAST_TOLERANCE, d->rank_limit);
}

/* Size of the residual, with the weights of the last matrix. */
static double measure(ac_stepper *s)
{
    reduced *d = s->data;
    double most = dynamic_size(s, d);
    s->gap = 0.0;
    for (int k = 0; k < d->closures; ++k) {
        double size = fabs(d->g[k]) / s->system->length_scale;
        s->gap = fmax(s->gap, size);
        if (size > most || isnan(size)) {
            most = size;
            s->worst_row = s->system->constraints.closure + k;
            s->worst_is_constraint = true;
        }
    }
    return most;
}

static double residual(ac_stepper *s)
{
    reduced *d = s->data;
    ac_stepper_evaluate(s);
    if (s->scheme->at_mean) follow_mean(s, d);
    project(s, d);
    if (!d->weighted && find_weights(s, d) != AC_OK) {
        for (int j = 0; j < d->freedoms; ++j)
            if (isnan(d->r[j])) return NAN;
        s->singular = true; /* no inertia */
        return INFINITY;
    }
    if (d->closures > 0) ac_constraints_value(s->system, s->qb, s->system->constraints.closure, d->g);
    return measure(s);
}

/* delta for closed loops, see the head of the file. */
static ac_status correct_loops(ac_stepper *s, reduced *d)
{
    int n = d->freedoms;
    ac_closure_jacobian(s->system, d->columns_b, s->qb, d->J);
    ac_row_space_factor(&d->space_b, d->J, RANK_TOLERANCE, d->rank_limit);
    ac_row_space_null(&d->space_b, d->N_b);
    for (int k = 0; k < d->closures; ++k) d->g[k] = -d->g[k];
    ac_row_space_solve(&d->space_b, d->g, d->delta);
    for (int k = 0; k < d->closures; ++k) d->g[k] = -d->g[k];

    int ka = n - d->space_a.rank, kb = n - d->space_b.rank;
    for (int i = 0; i < n; ++i) {
        d->scaled[i] = d->r[i];
        for (int j = 0; j < n; ++j) d->scaled[i] -= d->K[i * n + j] * d->delta[j];
        for (int c = 0; c < kb; ++c) {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += d->K[i * n + j] * d->N_b[j * kb + c];
            d->KN[i * kb + c] = sum;
        }
    }
    for (int a = 0; a < ka; ++a) {
        d->rhs[a] = 0.0;
        for (int i = 0; i < n; ++i) d->rhs[a] += d->N_a[i * ka + a] * d->scaled[i];
        for (int c = 0; c < kb; ++c) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += d->N_a[i * ka + a] * d->KN[i * kb + c];
            d->NKN[a * kb + c] = sum;
        }
    }
    if (ka == kb && ac_lu_factor(ka, d->NKN, d->pivot)) {
        ac_lu_solve(ka, d->NKN, d->pivot, d->rhs);
        memcpy(d->z, d->rhs, (size_t)ka * sizeof *d->z);
    } else if (ka != kb) { /* the rank differs at the two ends */
        ac_row_space fit;
        ac_row_space_place(&fit, kb, ka, d->fit_block, d->fit_ints);
        ac_least_squares(&fit, d->NKN, d->rhs, RANK_TOLERANCE, d->z);
    } else {
        return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    }
    for (int j = 0; j < n; ++j)
        for (int c = 0; c < kb; ++c) d->delta[j] += d->N_b[j * kb + c] * d->z[c];
    return AC_OK;
}

static ac_status correct_dense(ac_stepper *s, reduced *d)
{
    int n = d->freedoms;
    dense_matrix(s, d, d->K);
    composite_weights(d);
    if (d->closures > 0) return correct_loops(s, d);
    if (!ac_lu_factor(n, d->K, d->pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    memcpy(d->delta, d->r, (size_t)n * sizeof *d->delta);
    ac_lu_solve(n, d->K, d->pivot, d->delta);
    return AC_OK;
}

/* Old factors serve as long as each correction is this much smaller than the one before; then the exact
 * matrix is taken. */
static const double CONTRACTION = 0.02;
/* What an old matrix leaves of a correction is not taken for less than this. */
static const double LEFT_AT_LEAST = 1e-3;
/* What new factors cost, in corrections. At the mean they cost more than they gain, for the constraint forces have to be found, too. */
enum { PRICE = 5 };
/* A first correction above this, in rad or lengths, is not trusted to old factors. */
static const double FAR = 1e-2;
/* What is left of the error counts as rounding below the first; corrections above the second are never
 * taken for rounding; all that remains of corrections below the third is the rounding of the residual. */
static const double ROUNDED = 4e-15, NOT_ROUNDED = 1.1e-9, NOISE = 1e-14;

static ac_status correct_blocks(ac_stepper *s, reduced *d)
{
    const ac_tree_pair ends = {.system = s->system, .qa = s->qa, .qb = s->qb};
    bool at_start = d->corrections == 0;
    if (d->factored && d->factor_h == s->interval.h && !(at_start && d->stale)) {
        ac_tree_blocks_solve(&d->blocks, &ends, d->r, d->delta);
        double size = largest(d->freedoms, d->delta, d->unit, NULL);
        bool good = at_start ? size <= FAR : size <= CONTRACTION * d->last || size <= NOISE;
        d->ratio = at_start ? CONTRACTION : size <= NOISE ? 0.0 : fmax(LEFT_AT_LEAST, size / d->last);
        d->last = size;
        if (good) {
            ++d->corrections;
            return AC_OK;
        }
    }
    ac_tree_columns(s->system, d->state_b, s->qb, d->columns_b);
    sparse_matrix(s, d);
    composite_weights(d);
    d->ratio = 0.0;
    d->stale = false;
    d->age = d->surplus = 0;
    if (at_start) d->usual = 0;
    d->factored = ac_tree_blocks_factor(&d->blocks, &ends);
    d->factor_h = s->interval.h;
    if (!d->factored) return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    ac_tree_blocks_solve(&d->blocks, &ends, d->r, d->delta);
    d->last = largest(d->freedoms, d->delta, d->unit, NULL);
    ++d->corrections;
    return AC_OK;
}

static ac_status correct_sparse(ac_stepper *s, reduced *d)
{
    if (d->in_blocks) return correct_blocks(s, d);
    sparse_matrix(s, d);
    composite_weights(d);
    memcpy(d->delta, d->r, (size_t)d->freedoms * sizeof *d->delta);
    AC_TRY(ac_sparse_factor(d->projected.matrix));
    return ac_sparse_solve(d->projected.matrix, d->delta);
}

static ac_status correct(ac_stepper *s, double *size)
{
    reduced *d = s->data;
    if (!d->in_blocks) ac_tree_columns(s->system, d->state_b, s->qb, d->columns_b);
    if (d->recursive) {
        AC_TRY(solve_tree(s, d));
    } else if (d->sparse) {
        AC_TRY(correct_sparse(s, d));
    } else {
        AC_TRY(correct_dense(s, d));
    }
    ac_joint_state *swap = d->base;
    d->base = d->state_b;
    d->state_b = swap;
    d->applied = 0.0;
    *size = d->in_blocks ? d->last : largest(d->freedoms, d->delta, d->unit, NULL);
    /* an exact matrix leaves the square of the correction, an old one leaves ratio times it: not rounding
     * yet */
    if (d->ratio * *size > ROUNDED) *size = fmax(*size, NOT_ROUNDED);
    return AC_OK;
}

/* The size of the residual changes with its weights, which old factors keep. */
static double measure_again(ac_stepper *s)
{
    const reduced *d = s->data;
    return d->in_blocks && d->ratio > 0.0 ? s->residual : measure(s);
}

static void apply(ac_stepper *s, double factor)
{
    reduced *d = s->data;
    const double more = factor - d->applied, *restrict delta = d->delta, *move = d->delta;
    double *restrict increment = d->increment[0];
    if (factor != 1.0) {
        d->factored = false;
        for (int j = 0; j < d->freedoms; ++j) d->scaled[j] = factor * delta[j];
        move = d->scaled;
    }
    for (int j = 0; j < d->freedoms; ++j) increment[j] += more * delta[j];
    d->applied = factor;
    ac_tree_move(s->system, move, d->base, d->state_b, s->qb);
}

/* The residual in tree coordinates, without what the closed loops carry; at the mean, as forces on the
 * nodes. */
static void carry(ac_stepper *s)
{
    reduced *d = s->data;
    if (s->scheme->at_mean) {
        if (!ac_stepper_hands_on(s)) return;
        split_forces(s, d);
        ac_stepper_hand_on(s, s->scheme->published_factor, d->reaction.rest);
        return;
    }
    if (d->closures > 0) dynamic_size(s, d);
    memcpy(d->carried, d->closures > 0 ? d->scaled : d->r, (size_t)d->freedoms * sizeof *d->carried);
}

/* Factors that grow old cost more corrections in every step. New ones pay when all steps together would have gained their
 * price, had the factors been renewed as often as they now need it. */
static void grow_older(const ac_stepper *s, reduced *d)
{
    if (d->usual == 0 || d->corrections < d->usual) d->usual = d->corrections;
    int more = d->corrections - d->usual;
    ++d->age;
    d->surplus += more;
    d->stale = !s->scheme->at_mean && d->age * more - d->surplus >= PRICE;
}

static void accept(ac_stepper *s)
{
    reduced *d = s->data;
    if (d->in_blocks) grow_older(s, d);
    double *oldest = d->increment[3];
    for (int k = 3; k > 0; --k) d->increment[k] = d->increment[k - 1];
    d->increment[0] = oldest;
    ac_joint_state *swap = d->state_a;
    d->state_a = d->state_b;
    d->state_b = swap;
}

/* --- condition number
 * ---------------------------------------------------------------------------------------------- */

static ac_status matrix(ac_stepper *s, double **matrix_out, int *size)
{
    reduced *d = s->data;
    int n = d->freedoms;
    double *K;
    AC_NEW(s->ctx, K, (size_t)n * (size_t)n);
    ac_tree_columns(s->system, d->state_b, s->qb, d->columns_b);
    dense_matrix(s, d, K);
    *size = n;
    if (d->closures > 0) {
        ac_closure_jacobian(s->system, d->columns_b, s->qb, d->J);
        ac_row_space_factor(&d->space_b, d->J, RANK_TOLERANCE, d->rank_limit);
        ac_row_space_null(&d->space_b, d->N_b);
        int ka = n - d->space_a.rank, kb = n - d->space_b.rank;
        for (int i = 0; i < n; ++i)
            for (int c = 0; c < kb; ++c) {
                double sum = 0.0;
                for (int j = 0; j < n; ++j) sum += K[i * n + j] * d->N_b[j * kb + c];
                d->KN[i * kb + c] = sum;
            }
        for (int a = 0; a < ka; ++a)
            for (int c = 0; c < kb; ++c) {
                double sum = 0.0;
                for (int i = 0; i < n; ++i) sum += d->N_a[i * ka + a] * d->KN[i * kb + c];
                K[a * kb + c] = sum;
            }
        *size = ka < kb ? ka : kb;
    }
    *matrix_out = K;
    return AC_OK;
}

extern const ac_formulation ac_formulation_reduced;
const ac_formulation ac_formulation_reduced = {
    .name = "reduced",
    .create = create,
    .destroy = destroy,
    .unknowns = unknowns,
    .enter = enter,
    .prepare = prepare,
    .guess = guess,
    .residual = residual,
    .measure = measure_again,
    .correct = correct,
    .apply = apply,
    .carry = carry,
    .accept = accept,
    .matrix = matrix,
};
