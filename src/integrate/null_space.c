/* Null space formulation with explicit dense matrices (d'Alembert type), and the reduced form of schemes whose constraint
 * forces act at the mean configuration.
 *
 *   P(q_c)^T (p + left) = 0,  g(q_b) = 0,   q_c = q_a or the mean configuration,   P = P_tree P_closure
 *
 * Unknowns are all coordinates of q_b, or (reduced) the increments of the tree freedoms. For q_c = mean, P depends on q_b;
 * with p + left = c h G^T lambda at the solution, its derivative is that of c h G^T lambda with the opposite sign, so
 *
 *   B' = B + c h / 2 sum lambda g''
 *
 * is the exact slope there, lambda being recovered by least squares. Everything is dense: this formulation is for comparison
 * and for small systems; the reduced formulation by recursion and the one with multipliers are the fast ones.
 */
#include <math.h>
#include <string.h>

#include "integrate/stepper.h"
#include "linalg/dense.h"

static const double RANK_TOLERANCE = 1e-9;
enum { LARGEST = 2000 };

typedef struct null_space {
    bool reduced; /* unknowns are increments of the tree freedoms */
    int n, m, freedoms, closures, rank;
    double mass; /* mean mass, for scaling */
    ac_joint_state *state_a, *state_b, *base, *scratch;
    double *columns, *twists;
    double *P;   /* n x freedoms at q_c, tree */
    double *P_b; /* n x freedoms at q_b */
    double *J, *N, *N_b;
    double *PN; /* n x k: null space matrix at q_c */
    double *G;  /* m x n, dense */
    double *B;  /* n x n */
    double *K;  /* n x n, iteration matrix */
    double *r, *g, *x, *lambda, *delta, *base_q, *older, *f, *increment[4], *start;
    int *pivot;
    bool *omitted;
    double *block;
    int *ints;
    ac_row_space closure, closure_b, full;
    double *work;
} null_space;

/* --- making and freeing -------------------------------------------------------------------------------------------- */

static ac_status create_sized(ac_stepper *s, bool reduced)
{
    const ac_system *system = s->system;
    ac_context *ctx = s->ctx;
    null_space *d;
    AC_NEW(ctx, d, 1);
    s->data = d;
    d->reduced = reduced;
    d->n = system->n;
    d->m = system->constraints.count;
    d->freedoms = system->tree_freedoms;
    d->closures = d->m - system->constraints.closure;
    if (d->n > LARGEST) {
        return ac_fail(ctx, AC_BAD_INPUT,
                       "the null-space formulation works with dense matrices, up to %d coordinates (here "
                       "%d); use reduced "
                       "or multipliers",
                       LARGEST, d->n);
    }
    size_t n = (size_t)d->n, m = (size_t)d->m, u = (size_t)d->freedoms, c = (size_t)d->closures;
    size_t nodes = (size_t)system->node_count;
    ac_joint_state **states[] = {&d->state_a, &d->state_b, &d->base, &d->scratch};
    for (size_t k = 0; k < 4; ++k) {
        AC_NEW(ctx, *states[k], nodes);
        memcpy(*states[k], system->state0, nodes * sizeof **states[k]);
    }
    const struct {
        double **vector;
        size_t size;
    } vectors[] = {
        {&d->columns, 6 * u},
        {&d->twists, 6 * nodes},
        {&d->P, n * u},
        {&d->P_b, n * u},
        {&d->J, c * u},
        {&d->N, u * u},
        {&d->N_b, u * u},
        {&d->PN, n * u},
        {&d->G, m * n},
        {&d->B, n * n},
        {&d->K, n * n},
        {&d->r, n},
        {&d->g, m},
        {&d->x, n + m},
        {&d->lambda, m},
        {&d->delta, n},
        {&d->base_q, n},
        {&d->older, n},
        {&d->f, n + m},
        {&d->increment[0], u},
        {&d->increment[1], u},
        {&d->increment[2], u},
        {&d->increment[3], u},
        {&d->start, u},
        {&d->work, n * u + u * u},
    };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        AC_NEW(ctx, *vectors[k].vector, vectors[k].size);
    AC_NEW(ctx, d->pivot, n + m);
    AC_NEW(ctx, d->omitted, m);
    size_t closure_size = ac_row_space_doubles(d->closures, d->freedoms);
    AC_NEW(ctx, d->block, 2 * closure_size + ac_row_space_doubles(d->m, d->n));
    AC_NEW(ctx, d->ints, 2 * c + m);
    ac_row_space_place(&d->closure, d->closures, d->freedoms, d->block, d->ints);
    ac_row_space_place(&d->closure_b, d->closures, d->freedoms, d->block + closure_size, d->ints + c);
    ac_row_space_place(&d->full, d->m, d->n, d->block + 2 * closure_size, d->ints + 2 * c);
    double sum = 0.0;
    for (int k = 0; k < system->mass_count; ++k) sum += system->mass[k].coefficient;
    d->mass = sum / system->mass_count;
    return AC_OK;
}

static ac_status create(ac_stepper *s)
{
    return create_sized(s, false);
}

static ac_status create_reduced(ac_stepper *s)
{
    return create_sized(s, true);
}

static void destroy(ac_stepper *s)
{
    null_space *d = s->data;
    void *blocks[] = {d->state_a,
                      d->state_b,
                      d->base,
                      d->scratch,
                      d->columns,
                      d->twists,
                      d->P,
                      d->P_b,
                      d->J,
                      d->N,
                      d->N_b,
                      d->PN,
                      d->G,
                      d->B,
                      d->K,
                      d->r,
                      d->g,
                      d->x,
                      d->lambda,
                      d->delta,
                      d->base_q,
                      d->older,
                      d->f,
                      d->increment[0],
                      d->increment[1],
                      d->increment[2],
                      d->increment[3],
                      d->start,
                      d->pivot,
                      d->omitted,
                      d->block,
                      d->ints,
                      d->work};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static int unknowns(const ac_stepper *s)
{
    const null_space *d = s->data;
    return d->reduced ? d->freedoms - s->system->closure_rank : d->n;
}

/* --- matrices ------------------------------------------------------------------------------------------------------ */

/* P_tree at q, column by column. */
static void tree_matrix(const ac_stepper *s, null_space *d, const ac_joint_state *state, const double *q,
                        double *P)
{
    const ac_system *system = s->system;
    double *unit = d->work, *velocity = d->f;
    ac_tree_columns(system, state, q, d->columns);
    for (int j = 0; j < d->freedoms; ++j) {
        for (int i = 0; i < d->freedoms; ++i) unit[i] = i == j ? 1.0 : 0.0;
        ac_tree_twists(system, d->columns, q, unit, d->twists);
        ac_tree_velocity(system, q, d->twists, velocity);
        for (int i = 0; i < d->n; ++i) P[i * d->freedoms + j] = velocity[i];
    }
}

/* PN = P N, n x k */
static int project_basis(null_space *d)
{
    int u = d->freedoms, k = d->closures > 0 ? u - d->closure.rank : u;
    if (d->closures == 0) {
        memcpy(d->PN, d->P, (size_t)d->n * (size_t)u * sizeof *d->PN);
        return k;
    }
    for (int i = 0; i < d->n; ++i)
        for (int c = 0; c < k; ++c) {
            double sum = 0.0;
            for (int j = 0; j < u; ++j) sum += d->P[i * u + j] * d->N[j * k + c];
            d->PN[i * k + c] = sum;
        }
    return k;
}

/* The null space matrix and the choice of independent closure rows at q_c. */
static void build_null_space(ac_stepper *s, null_space *d, const double *q, int rank_limit)
{
    const ac_system *system = s->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &d->scratch[i]);
    tree_matrix(s, d, d->scratch, q, d->P);
    if (d->closures > 0) {
        ac_closure_jacobian(system, d->columns, q, d->J);
        ac_row_space_factor(&d->closure, d->J, RANK_TOLERANCE, rank_limit);
        ac_row_space_null(&d->closure, d->N);
        for (int k = 0; k < d->closures; ++k)
            d->omitted[system->constraints.closure + d->closure.order[k]] = k >= d->closure.rank;
    }
    project_basis(d);
}

static void dense_gradient(const ac_system *system, const double *q, double *G)
{
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    memset(G, 0, (size_t)c->count * (size_t)system->n * sizeof *G);
    for (int row = 0; row < c->count; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            G[(size_t)row * (size_t)system->n + (size_t)c->coordinate[e]] = gradient[e - c->start[row]];
    }
}

typedef struct add_target {
    const ac_system *system;
    double *matrix;
} add_target;

static void add_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const add_target *t = target;
    int at[AC_ELEMENT_MAX], n = t->system->n;
    ac_block_coordinates(t->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) t->matrix[at[r] * n + at[c]] += block[r * size + c];
}

/* B' = M/h + slopes (+ c h / 2 sum lambda g'' at the mean) */
static void build_slope(ac_stepper *s, null_space *d)
{
    const ac_system *system = s->system;
    memset(d->B, 0, (size_t)d->n * (size_t)d->n * sizeof *d->B);
    for (int k = 0; k < system->mass_count; ++k) {
        const ac_mass_entry *e = &system->mass[k];
        for (int i = 0; i < e->dimension; ++i)
            d->B[(e->row + i) * d->n + e->column + i] += e->coefficient / s->interval.h;
    }
    add_target target = {system, d->B};
    ac_stepper_slopes(s, add_block, &target);
    if (!s->scheme->at_mean) return;
    const ac_constraints *c = &system->constraints;
    double factor = 0.5 * ac_stepper_multiplier_factor(s) * s->interval.h;
    dense_gradient(system, s->interval.mean, d->G);
    int limit = d->m - d->closures + (d->closures > 0 ? d->closure.rank : 0);
    ac_row_space_factor(&d->full, d->G, RANK_TOLERANCE, limit);
    for (int i = 0; i < d->n; ++i) d->f[i] = (s->p[i] + s->left[i]) / (2.0 * factor);
    ac_row_space_solve_transposed(&d->full, d->f, d->lambda);
    for (int row = 0; row < d->m; ++row) {
        const int *coordinate = c->coordinate + c->start[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            double value = factor * d->lambda[row] * p->a;
            d->B[coordinate[p->i] * d->n + coordinate[p->j]] += value;
            d->B[coordinate[p->j] * d->n + coordinate[p->i]] += value;
        }
    }
}

/* --- one step ------------------------------------------------------------------------------------------------------ */

static void prepare(ac_stepper *s)
{
    null_space *d = s->data;
    build_null_space(s, d, s->qa, d->closures);
    d->rank = d->closures > 0 ? d->closure.rank : 0;
}

static void guess(ac_stepper *s, ac_guess kind)
{
    null_space *d = s->data;
    const double *u1 = d->increment[1], *u2 = d->increment[2], *u3 = d->increment[3];
    if (d->reduced) {
        double *u = d->increment[0];
        for (int j = 0; j < d->freedoms; ++j) {
            u[j] = 0.0;
            if (kind == AC_GUESS_RESTING) continue;
            if (s->step == 0)
                u[j] = s->h * s->system->u0[j];
            else if (kind == AC_GUESS_REPEATED || s->step < 3)
                u[j] = u1[j];
            else
                u[j] = 3.0 * (u1[j] - u2[j]) + u3[j];
        }
        ac_tree_move(s->system, u, d->state_a, d->state_b, s->qb);
        return;
    }
    for (int i = 0; i < d->n; ++i) {
        double q = s->qa[i];
        if (kind == AC_GUESS_RESTING)
            s->qb[i] = q;
        else if (s->step == 0)
            s->qb[i] = q + s->h * s->system->v0[i];
        else if (kind == AC_GUESS_REPEATED || s->step == 1)
            s->qb[i] = 2.0 * q - s->before[i];
        else
            s->qb[i] = 3.0 * (q - s->before[i]) + d->older[i];
    }
}

static int basis_size(const null_space *d)
{
    return d->closures > 0 ? d->freedoms - d->closure.rank : d->freedoms;
}

/* For messages: the tree freedom that moves most in column c of the null space matrix. */
static int freedom_behind(const null_space *d, int c)
{
    if (d->closures == 0) return c;
    int k = basis_size(d), best = 0;
    for (int j = 1; j < d->freedoms; ++j)
        if (fabs(d->N[j * k + c]) > fabs(d->N[best * k + c])) best = j;
    return best;
}

/* For messages: the first freedom of the node on which a force is not a number. */
static int freedom_without_number(const ac_stepper *s)
{
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        for (int k = node->q; k < node->q + node->size; ++k)
            if (isnan(s->left[k])) return node->u;
    }
    return 0;
}

static double residual(ac_stepper *s)
{
    null_space *d = s->data;
    ac_stepper_evaluate(s);
    if (s->scheme->at_mean) build_null_space(s, d, s->interval.mean, d->rank);
    int k = basis_size(d), worst = -1;
    double most = 0.0;
    for (int c = 0; c < k; ++c) {
        double sum = 0.0, inertia = 0.0;
        for (int i = 0; i < d->n; ++i) {
            sum += d->PN[i * k + c] * (s->p[i] + s->left[i]);
            inertia += d->PN[i * k + c] * d->PN[i * k + c];
        }
        d->r[c] = sum;
        double size = fabs(sum) * s->interval.h / (d->mass * inertia);
        if (size > most || isnan(size)) {
            most = size;
            worst = c;
        }
    }
    if (worst >= 0) {
        s->worst_row = isnan(most) ? freedom_without_number(s) : freedom_behind(d, worst);
        s->worst_is_constraint = false;
    }
    ac_constraints_value(s->system, s->qb, 0, d->g);
    s->gap = 0.0;
    for (int row = 0; row < d->m; ++row) {
        double size = fabs(d->g[row]) / s->system->length_scale;
        s->gap = fmax(s->gap, size);
        if (size > most || isnan(size)) {
            most = size;
            s->worst_row = row;
            s->worst_is_constraint = true;
        }
    }
    return most;
}

/* K = [ (h / mass) PN^T B' ; G(q_b) on independent rows ] */
static int stacked_matrix(ac_stepper *s, null_space *d, double scale)
{
    int k = basis_size(d), rows = k, n = d->n;
    for (int c = 0; c < k; ++c)
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += d->PN[i * k + c] * d->B[i * n + j];
            d->K[c * n + j] = scale * sum;
        }
    dense_gradient(s->system, s->qb, d->G);
    for (int row = 0; row < d->m; ++row) {
        if (d->omitted[row]) continue;
        if (rows < n)
            memcpy(d->K + (size_t)rows * (size_t)n, d->G + (size_t)row * (size_t)n, (size_t)n * sizeof *d->K);
        ++rows;
    }
    return rows;
}

static ac_status correct_stacked(ac_stepper *s, null_space *d)
{
    double scale = s->interval.h / d->mass;
    int k = basis_size(d), rows = stacked_matrix(s, d, scale), at = k;
    if (rows != d->n)
        return ac_fail(s->ctx, AC_SINGULAR, "the rank of the constraints changes within the step");
    for (int c = 0; c < k; ++c) d->delta[c] = scale * d->r[c];
    for (int row = 0; row < d->m; ++row)
        if (!d->omitted[row]) d->delta[at++] = -d->g[row];
    if (!ac_lu_factor(d->n, d->K, d->pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "the iteration matrix is singular");
    ac_lu_solve(d->n, d->K, d->pivot, d->delta);
    return AC_OK;
}

/* K = (P N)^T B' P_b (N_b), k x k; answers k. Fills P_b and N_b. */
static int reduced_matrix(ac_stepper *s, null_space *d)
{
    int n = d->n, u = d->freedoms, k = basis_size(d), kb = u;
    tree_matrix(s, d, d->state_b, s->qb, d->P_b);
    if (d->closures > 0) {
        ac_closure_jacobian(s->system, d->columns, s->qb, d->J);
        ac_row_space_factor(&d->closure_b, d->J, RANK_TOLERANCE, d->rank);
        ac_row_space_null(&d->closure_b, d->N_b);
        kb = u - d->closure_b.rank;
    }
    /* work (k x u) = (P N)^T B' P_b */
    double *BP = d->work; /* n x u */
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < u; ++j) {
            double sum = 0.0;
            for (int l = 0; l < n; ++l) sum += d->B[i * n + l] * d->P_b[l * u + j];
            BP[i * u + j] = sum;
        }
    for (int c = 0; c < k; ++c)
        for (int j = 0; j < u; ++j) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += d->PN[i * k + c] * BP[i * u + j];
            d->B[c * u + j] = sum; /* B is not needed any more */
        }
    for (int c = 0; c < k; ++c)
        for (int j = 0; j < kb; ++j) {
            double sum = 0.0;
            if (d->closures == 0) {
                sum = d->B[c * u + j];
            } else {
                for (int l = 0; l < u; ++l) sum += d->B[c * u + l] * d->N_b[l * kb + j];
            }
            d->K[c * kb + j] = sum;
        }
    return k == kb ? k : -1;
}

static ac_status correct_reduced(ac_stepper *s, null_space *d)
{
    int u = d->freedoms, k = reduced_matrix(s, d);
    if (k < 0) return ac_fail(s->ctx, AC_SINGULAR, "the rank of the constraints changes within the step");
    memset(d->delta, 0, (size_t)u * sizeof *d->delta);
    if (d->closures > 0) {
        for (int c = 0; c < d->closures; ++c) d->f[c] = -d->g[s->system->constraints.closure + c];
        ac_row_space_solve(&d->closure_b, d->f, d->delta);
    }
    for (int c = 0; c < k; ++c) {
        d->x[c] = d->r[c];
        for (int j = 0; j < u; ++j) d->x[c] -= d->B[c * u + j] * d->delta[j];
    }
    if (!ac_lu_factor(k, d->K, d->pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "the iteration matrix is singular");
    ac_lu_solve(k, d->K, d->pivot, d->x);
    for (int j = 0; j < u; ++j) {
        if (d->closures == 0) {
            d->delta[j] += d->x[j];
        } else {
            for (int c = 0; c < k; ++c) d->delta[j] += d->N_b[j * k + c] * d->x[c];
        }
    }
    return AC_OK;
}

/* The largest correction, in rad or parts of the typical length: of the coordinates, and of the tree freedoms. */
static double largest_change(const ac_stepper *s, const null_space *d)
{
    double most = 0.0;
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        for (int k = 0; k < node->size; ++k) {
            double scale = k < node->dimension ? 1.0 / s->system->length_scale : 1.0;
            most = fmax(most, fabs(d->delta[node->q + k]) * scale);
        }
    }
    return most;
}

static double largest_increment(const ac_stepper *s, const null_space *d)
{
    double most = 0.0;
    for (int j = 0; j < d->freedoms; ++j) {
        const double *turn = d->columns + 6 * j + 3;
        bool turning = turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0;
        most = fmax(most, fabs(d->delta[j]) * (turning ? 1.0 : 1.0 / s->system->length_scale));
    }
    return most;
}

static ac_status correct(ac_stepper *s, double *size)
{
    null_space *d = s->data;
    build_slope(s, d);
    AC_TRY(d->reduced ? correct_reduced(s, d) : correct_stacked(s, d));
    memcpy(d->base_q, s->qb, (size_t)d->n * sizeof *d->base_q);
    ac_joint_state *swap = d->base;
    d->base = d->state_b;
    d->state_b = swap;
    memcpy(d->start, d->increment[0], (size_t)d->freedoms * sizeof *d->start);
    *size = d->reduced ? largest_increment(s, d) : largest_change(s, d);
    return AC_OK;
}

static void apply(ac_stepper *s, double factor)
{
    null_space *d = s->data;
    if (!d->reduced) {
        for (int i = 0; i < d->n; ++i) s->qb[i] = d->base_q[i] + factor * d->delta[i];
        return;
    }
    for (int j = 0; j < d->freedoms; ++j) {
        d->x[j] = factor * d->delta[j];
        d->increment[0][j] = d->start[j] + d->x[j];
    }
    ac_tree_move(s->system, d->x, d->base, d->state_b, s->qb);
}

/* The shortest vector R with PN^T R = r. */
static void carry(ac_stepper *s)
{
    null_space *d = s->data;
    int k = basis_size(d);
    for (int a = 0; a < k; ++a)
        for (int b = 0; b < k; ++b) {
            double sum = 0.0;
            for (int i = 0; i < d->n; ++i) sum += d->PN[i * k + a] * d->PN[i * k + b];
            d->K[a * k + b] = sum;
        }
    if (!ac_lu_factor(k, d->K, d->pivot)) return;
    ac_lu_solve(k, d->K, d->pivot, d->r);
    for (int i = 0; i < d->n; ++i)
        for (int c = 0; c < k; ++c) s->right[i] += s->scheme->published_factor * d->PN[i * k + c] * d->r[c];
}

static void accept(ac_stepper *s)
{
    null_space *d = s->data;
    memcpy(d->older, s->before, (size_t)d->n * sizeof *d->older);
    double *oldest = d->increment[3];
    for (int k = 3; k > 0; --k) d->increment[k] = d->increment[k - 1];
    d->increment[0] = oldest;
    ac_joint_state *swap = d->state_a;
    d->state_a = d->state_b;
    d->state_b = swap;
}

static ac_status matrix(ac_stepper *s, double **matrix_out, int *size)
{
    null_space *d = s->data;
    build_slope(s, d);
    int k = d->n;
    if (d->reduced) {
        k = reduced_matrix(s, d);
    } else if (stacked_matrix(s, d, 1.0) != d->n) {
        k = -1;
    }
    if (k < 0) return ac_fail(s->ctx, AC_SINGULAR, "the rank of the constraints changes within the step");
    double *copy;
    AC_NEW(s->ctx, copy, (size_t)k * (size_t)k);
    memcpy(copy, d->K, (size_t)k * (size_t)k * sizeof *copy);
    *matrix_out = copy;
    *size = k;
    return AC_OK;
}

extern const ac_formulation ac_formulation_null_space, ac_formulation_mean_reduced;
const ac_formulation ac_formulation_null_space = {
    .name = "null-space",
    .create = create,
    .destroy = destroy,
    .unknowns = unknowns,
    .prepare = prepare,
    .guess = guess,
    .residual = residual,
    .correct = correct,
    .apply = apply,
    .carry = carry,
    .accept = accept,
    .matrix = matrix,
};

const ac_formulation ac_formulation_mean_reduced = {
    .name = "reduced",
    .create = create_reduced,
    .destroy = destroy,
    .unknowns = unknowns,
    .prepare = prepare,
    .guess = guess,
    .residual = residual,
    .correct = correct,
    .apply = apply,
    .carry = carry,
    .accept = accept,
    .matrix = matrix,
};
