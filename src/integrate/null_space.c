/* Null space formulation with explicit dense matrices (d'Alembert type).
 *
 *   P(q_c)^T (p + left) = 0,  g(q_b) = 0,   q_c = q_a or the mean configuration,   P = P_tree P_closure
 *
 * Unknowns are all coordinates of q_b. For q_c = mean, P depends on q_b; with p + left = c h G^T lambda at
 * the solution, its derivative is that of c h G^T lambda with the opposite sign, so
 *
 *   B' = B + c h / 2 sum lambda g''
 *
 * is the exact slope there, lambda being recovered by least squares. Everything is dense: this formulation
 * is for comparison and for small systems; the reduced formulation and the one with multipliers are the
 * fast ones.
 */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
enum { LARGEST = 2000 };

typedef struct null_space {
    int n, freedoms, rank;
    int own, loops;  /* rows of the system, and of them those of closed loops */
    int m, closures; /* the same with the further rows that hold now */
    double mass;     /* mean mass, for scaling */
    ac_joint_state *scratch;
    double *columns, *twists;
    double *P; /* n x freedoms at q_c, tree */
    double *J, *N;
    double *PN; /* n x k: null space matrix at q_c */
    double *G;  /* m x n, dense */
    int most;   /* further rows */
    double *B;  /* n x n */
    double *K;  /* n x n, iteration matrix */
    double *r, *g, *lambda, *delta, *base_q, *older, *f;
    int *pivot;
    bool *omitted;
    double *block;
    int *ints;
    ac_row_space closure, full;
    double *unit; /* of the freedoms */
} null_space;

/* --- making and freeing --- */

/* Nothing of the past but a configuration, which is not asked for without one. */
static void enter(ac_stepper *s)
{
    (void)s;
}

static ac_status restart(ac_stepper *s)
{
    null_space *d = s->data;
    d->mass = ac_mass_diagonal(s->system, d->f);
    return AC_OK;
}

static size_t closure_doubles(const null_space *d)
{
    return ac_row_space_doubles(d->loops + d->most, d->freedoms);
}

static size_t closure_ints(const null_space *d)
{
    return ac_row_space_ints(d->loops + d->most, d->freedoms);
}

/* Takes the present number of further rows. */
static void count_rows(const ac_stepper *s, null_space *d)
{
    d->m = d->own + s->more.count;
    d->closures = d->loops + s->more.count;
    ac_row_space_place(&d->closure, d->closures, d->freedoms, d->block, d->ints);
    ac_row_space_place(&d->full, d->m, d->n, d->block + closure_doubles(d), d->ints + closure_ints(d));
}

static ac_status create(ac_stepper *s)
{
    const ac_system *system = s->system;
    ac_context *ctx = s->ctx;
    null_space *d;
    AC_NEW(ctx, d, 1);
    s->data = d;
    d->n = system->n;
    d->own = d->m = system->constraints.count;
    d->freedoms = system->tree.freedoms;
    d->loops = d->closures = d->m - system->constraints.closure;
    d->most = s->more.most;
    if (d->n > LARGEST) {
        return ac_fail(ctx, AC_BAD_INPUT,
                       "the null-space formulation works with dense matrices, up to %d coordinates (here "
                       "%d); use reduced or multipliers",
                       LARGEST, d->n);
    }
    size_t n = (size_t)d->n, m = (size_t)d->own + (size_t)d->most, u = (size_t)d->freedoms;
    size_t c = (size_t)d->loops + (size_t)d->most;
    size_t nodes = (size_t)system->node_count;
    AC_NEW(ctx, d->scratch, nodes);
    const struct {
        double **vector;
        size_t size;
    } vectors[] = {
        {&d->columns, 6 * u}, {&d->twists, 6 * nodes}, {&d->P, n * u}, {&d->J, c * u},  {&d->N, u * u},
        {&d->PN, n * u},      {&d->G, m * n},          {&d->B, n * n}, {&d->K, n * n},  {&d->r, n},
        {&d->g, m},           {&d->lambda, m},         {&d->delta, n}, {&d->base_q, n}, {&d->older, n},
        {&d->f, n + m},       {&d->unit, u},
    };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        AC_NEW(ctx, *vectors[k].vector, vectors[k].size);
    AC_NEW(ctx, d->pivot, n + m);
    AC_NEW(ctx, d->omitted, m);
    size_t doubles = closure_doubles(d) + ac_row_space_doubles(d->own + d->most, d->n);
    AC_NEW(ctx, d->block, doubles);
    AC_NEW(ctx, d->ints, closure_ints(d) + ac_row_space_ints(d->own + d->most, d->n));
    count_rows(s, d);
    return restart(s);
}

static void destroy(ac_stepper *s)
{
    null_space *d = s->data;
    void *blocks[] = {d->scratch, d->columns, d->twists,  d->P,     d->J,      d->N,     d->PN,     d->G,
                      d->B,       d->K,       d->r,       d->g,     d->lambda, d->delta, d->base_q, d->older,
                      d->f,       d->pivot,   d->omitted, d->block, d->ints,   d->unit};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static int unknowns(const ac_stepper *s)
{
    const null_space *d = s->data;
    return d->n;
}

/* --- matrices --- */

/* P_tree at q, column by column. */
static void tree_matrix(const ac_stepper *s, null_space *d, const ac_joint_state *state, const double *q,
                        double *P)
{
    const ac_system *system = s->system;
    double *unit = d->unit, *velocity = d->f;
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
        if (s->more.count > 0)
            s->more.jacobian(s->more.user, d->columns, q, d->J + (size_t)d->loops * (size_t)d->freedoms);
        ac_row_space_factor(&d->closure, d->J, RANK_TOLERANCE, rank_limit);
        ac_row_space_null(&d->closure, d->N);
        for (int k = 0; k < d->closures; ++k)
            d->omitted[system->constraints.closure + d->closure.order[k]] = k >= d->closure.rank;
    }
    project_basis(d);
}

static void dense_gradient(const ac_stepper *s, const double *q, double *G)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    memset(G, 0, (size_t)c->count * (size_t)system->n * sizeof *G);
    for (int row = 0; row < c->count; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            G[(size_t)row * (size_t)system->n + (size_t)c->coordinate[e]] = gradient[e - c->start[row]];
    }
    for (int k = 0; k < s->more.count; ++k)
        s->more.gradient(s->more.user, k, q, G + (size_t)(c->count + k) * (size_t)system->n);
}

typedef struct add_target {
    const ac_system *system;
    double *matrix;
} add_target;

static void add_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const add_target *t = target;
    int at[AC_MORE_MAX], n = t->system->n;
    ac_block_coordinates(t->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) t->matrix[at[r] * n + at[c]] += block[r * size + c];
}

/* B += factor sum lambda g'' of the further rows */
static void add_more_curvature(ac_stepper *s, null_space *d, double factor)
{
    double block[AC_MORE_MAX * AC_MORE_MAX];
    add_target target = {s->system, d->B};
    for (int k = 0; k < s->more.count; ++k) {
        int nodes[AC_MORE_NODES], size = 0;
        int count = s->more.nodes(s->more.user, s->more.slot(s->more.user, k), nodes);
        for (int i = 0; i < count; ++i) size += s->system->nodes[nodes[i]].size;
        s->more.curvature(s->more.user, k, s->interval.mean, block);
        for (int i = 0; i < size * size; ++i) block[i] *= factor * d->lambda[d->own + k];
        add_block(&target, nodes, count, block, size);
    }
}

static void add_mass(void *stepper, int row, int column, double value)
{
    ac_stepper *s = stepper;
    null_space *d = s->data;
    d->B[row * d->n + column] += value / s->interval.h;
}

/* B' = M/h + slopes (+ c h / 2 sum lambda g'' at the mean) */
static void build_slope(ac_stepper *s, null_space *d)
{
    const ac_system *system = s->system;
    memset(d->B, 0, (size_t)d->n * (size_t)d->n * sizeof *d->B);
    ac_mass_each(system, add_mass, s);
    add_target target = {system, d->B};
    ac_stepper_slopes(s, add_block, &target);
    if (!s->scheme->at_mean) return;
    const ac_constraints *c = &system->constraints;
    double factor = 0.5 * ac_stepper_multiplier_factor(s) * s->interval.h;
    dense_gradient(s, s->interval.mean, d->G);
    int limit = d->m - d->closures + (d->closures > 0 ? d->closure.rank : 0);
    ac_row_space_factor(&d->full, d->G, RANK_TOLERANCE, limit);
    for (int i = 0; i < d->n; ++i) d->f[i] = (s->p[i] + s->left[i]) / (2.0 * factor);
    ac_row_space_solve_transposed(&d->full, d->f, d->lambda);
    add_more_curvature(s, d, factor);
    for (int row = 0; row < d->own; ++row) {
        const int *coordinate = c->coordinate + c->start[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            double value = factor * d->lambda[row] * p->a;
            d->B[coordinate[p->i] * d->n + coordinate[p->j]] += value;
            d->B[coordinate[p->j] * d->n + coordinate[p->i]] += value;
        }
    }
}

/* --- one step --- */

static void prepare(ac_stepper *s)
{
    null_space *d = s->data;
    count_rows(s, d);
    build_null_space(s, d, s->qa, d->closures);
    d->rank = d->closures > 0 ? d->closure.rank : 0;
}

static void guess(ac_stepper *s, ac_guess kind)
{
    null_space *d = s->data;
    for (int i = 0; i < d->n; ++i) {
        double q = s->qa[i];
        if (kind == AC_GUESS_RESTING)
            s->qb[i] = q;
        else if (s->past == 0)
            s->qb[i] = s->speeds      ? q + s->h * s->speeds[i]
                       : s->step == 0 ? q + s->h * s->system->initial.v[i]
                                      : q;
        else if (kind == AC_GUESS_REPEATED || s->past == 1)
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
        s->last.worst_row = isnan(most) ? freedom_without_number(s) : freedom_behind(d, worst);
        s->last.worst_is_constraint = false;
    }
    ac_constraints_value(s->system, s->qb, 0, d->g);
    if (s->more.count > 0) s->more.values(s->more.user, s->qb, d->g + d->own);
    s->last.gap = 0.0;
    for (int row = 0; row < d->m; ++row) {
        double size = fabs(d->g[row]) / s->system->length_scale;
        s->last.gap = ac_max(s->last.gap, size);
        if (size > most || isnan(size)) {
            most = size;
            s->last.worst_row = row < d->own ? row : -1;
            s->last.worst_is_constraint = true;
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
    dense_gradient(s, s->qb, d->G);
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

/* The largest correction, in rad or parts of the typical length. */
static double largest_change(const ac_stepper *s, const null_space *d)
{
    double most = 0.0;
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        for (int k = 0; k < node->size; ++k) {
            double scale = k < node->dimension ? 1.0 / s->system->length_scale : 1.0;
            most = ac_max(most, fabs(d->delta[node->q + k]) * scale);
        }
    }
    return most;
}

static ac_status correct(ac_stepper *s, double *size)
{
    null_space *d = s->data;
    build_slope(s, d);
    AC_TRY(correct_stacked(s, d));
    memcpy(d->base_q, s->qb, (size_t)d->n * sizeof *d->base_q);
    *size = largest_change(s, d);
    return AC_OK;
}

static void apply(ac_stepper *s, double factor)
{
    null_space *d = s->data;
    for (int i = 0; i < d->n; ++i) s->qb[i] = d->base_q[i] + factor * d->delta[i];
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
    for (int i = 0; i < d->n; ++i) {
        d->f[i] = 0.0;
        for (int c = 0; c < k; ++c) d->f[i] += d->PN[i * k + c] * d->r[c];
    }
    ac_stepper_carry_over(s, s->scheme->published_factor, d->f);
}

/* With the momentum. */
static double *carried(ac_stepper *s)
{
    (void)s;
    return NULL;
}

/* J^T lambda = P^T (p + left) */
static void impulses(ac_stepper *s, double *lambda)
{
    null_space *d = s->data;
    if (d->closures == 0) return;
    for (int j = 0; j < d->freedoms; ++j) {
        d->unit[j] = 0.0;
        for (int i = 0; i < d->n; ++i) d->unit[j] += d->P[i * d->freedoms + j] * (s->p[i] + s->left[i]);
    }
    ac_row_space_solve_transposed(&d->closure, d->unit, lambda);
}

static void accept(ac_stepper *s)
{
    null_space *d = s->data;
    memcpy(d->older, s->before, (size_t)d->n * sizeof *d->older);
}

static size_t history(const ac_stepper *s)
{
    const null_space *d = s->data;
    return (size_t)d->n;
}

static void save(ac_stepper *s, bool solved, double *numbers)
{
    const null_space *d = s->data;
    memcpy(numbers, solved ? s->before : d->older, (size_t)d->n * sizeof *numbers);
}

static void load(ac_stepper *s, const double *numbers)
{
    null_space *d = s->data;
    memcpy(d->older, numbers, (size_t)d->n * sizeof *numbers);
}

static ac_status matrix(ac_stepper *s, double **matrix_out, int *size)
{
    null_space *d = s->data;
    build_slope(s, d);
    int k = d->n;
    if (stacked_matrix(s, d, 1.0) != k)
        return ac_fail(s->ctx, AC_SINGULAR, "the rank of the constraints changes within the step");
    double *copy;
    AC_NEW(s->ctx, copy, (size_t)k * (size_t)k);
    memcpy(copy, d->K, (size_t)k * (size_t)k * sizeof *copy);
    *matrix_out = copy;
    *size = k;
    return AC_OK;
}

extern const ac_formulation ac_formulation_null_space;
const ac_formulation ac_formulation_null_space = {
    .name = "null-space",
    AC_FORMULATION_FUNCTIONS,
    .iterates_nodes = true,
    .matrix = matrix,
};
