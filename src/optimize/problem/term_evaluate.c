/* Terms: values of leaves and the chain rule over them. */
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "math/math.h"
#include "optimize/problem/speed.h"
#include "optimize/problem/term.h"

/* --- leaves --- */

enum { LEAF_MAX = 2 * AC_SCALAR_MAX + 1 };

/* Value and derivatives of a leaf by its own variables; H is LEAF_MAX wide. */
typedef struct leaf_value {
    double value, g[LEAF_MAX], H[LEAF_MAX][LEAF_MAX];
} leaf_value;

static void put_block(leaf_value *v, int row, int column, int n, const double *block, double factor)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) v->H[row + i][column + j] = factor * block[i * n + j];
}

/* y at a node, or the mean of both ends */
static void value_leaf(const ac_leaf *leaf, bool interval, const ac_scalars *s, const ac_term_point *p,
                       leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count;
    double factor = interval ? 0.5 : 1.0;
    v->value = factor * ac_scalar_evaluate(s, leaf->index, p->a, p->winding_a[leaf->index], v->g, H);
    put_block(v, 0, 0, n, H, factor);
    if (interval) {
        v->value += factor * ac_scalar_evaluate(s, leaf->index, p->b, p->winding_b[leaf->index], v->g + n, H);
        put_block(v, n, n, n, H, factor);
    }
    for (int i = 0; i < leaf->count; ++i) v->g[i] *= factor;
}

/* (y(b) - y(a)) / h */
static void quotient_leaf(const ac_leaf *leaf, const ac_scalars *s, const ac_term_point *p, leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count, last = 2 * n;
    double h = p->h;
    double ya = ac_scalar_evaluate(s, leaf->index, p->a, p->winding_a[leaf->index], v->g, H);
    put_block(v, 0, 0, n, H, -1.0 / h);
    double yb = ac_scalar_evaluate(s, leaf->index, p->b, p->winding_b[leaf->index], v->g + n, H);
    put_block(v, n, n, n, H, 1.0 / h);
    v->value = (yb - ya) / h;
    for (int i = 0; i < n; ++i) v->g[i] /= -h;
    for (int i = n; i < last; ++i) v->g[i] /= h;
    v->g[last] = -v->value / h;
    v->H[last][last] = 2.0 * v->value / (h * h);
    for (int i = 0; i < last; ++i) v->H[i][last] = v->H[last][i] = -v->g[i] / h;
}

/* grad y(q) . velocity */
static void speed_leaf(const ac_leaf *leaf, const ac_scalars *s, const ac_term_point *p, leaf_value *v)
{
    double H[AC_SCALAR_MAX * AC_SCALAR_MAX], third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int n = s->list[leaf->index].count, plain = s->list[leaf->index].plain; /* parameters have no velocity */
    const int *at = ac_scalar_coordinates(s, leaf->index);
    ac_scalar_evaluate(s, leaf->index, p->a, p->winding_a[leaf->index], v->g + n, H);
    ac_scalar_third(s, leaf->index, p->a, p->velocity, third);
    put_block(v, 0, 0, n, third, 1.0);
    v->value = 0.0;
    for (int i = 0; i < plain; ++i) v->value += v->g[n + i] * p->velocity[at[i]];
    for (int i = 0; i < n; ++i) {
        v->g[i] = 0.0;
        for (int j = 0; j < plain; ++j) {
            v->g[i] += H[i * n + j] * p->velocity[at[j]];
            v->H[i][n + j] = v->H[n + j][i] = H[i * n + j];
        }
    }
}

/* a function of t = steps h */
static void signal_leaf(const ac_leaf *leaf, const ac_term_point *p, leaf_value *v)
{
    double first, second;
    v->value = ac_signal_derivatives(leaf->signal, p->steps * p->h, &first, &second);
    v->g[0] = first * p->steps;
    v->H[0][0] = second * p->steps * p->steps;
}

static void evaluate_leaf(const ac_term *term, const ac_leaf *leaf, const ac_scalars *s,
                          const ac_term_point *p, leaf_value *v)
{
    for (int i = 0; i < leaf->count; ++i) memset(v->H[i], 0, (size_t)leaf->count * sizeof v->H[i][0]);
    switch (leaf->kind) {
    case AC_LEAF_VALUE: value_leaf(leaf, term->interval, s, p, v); break;
    case AC_LEAF_RATE:
        if (term->interval) {
            quotient_leaf(leaf, s, p, v);
        } else {
            speed_leaf(leaf, s, p, v);
        }
        break;
    case AC_LEAF_SPEED:
        v->value = ac_speed_evaluate(s->discrete, leaf->index, leaf->at, leaf->count / 2, p->a, p->b, p->h,
                                     v->g, v->H[0], LEAF_MAX);
        break;
    case AC_LEAF_MOTION: break; /* of term_motion.c */
    case AC_LEAF_CONTROL:
        v->value = p->tau[leaf->index];
        v->g[0] = 1.0;
        break;
    case AC_LEAF_TIME:
        v->value = p->steps * p->h;
        v->g[0] = p->steps;
        break;
    case AC_LEAF_SIGNAL: signal_leaf(leaf, p, v); break;
    case AC_LEAF_PARAMETER:
        v->value = p->parameters[leaf->index];
        v->g[0] = 1.0;
        break;
    case AC_LEAF_HELPER:
        v->value = p->helpers[leaf->index];
        v->g[0] = 1.0;
        break;
    case AC_LEAF_DURATION:
        v->value = p->count * p->h;
        v->g[0] = p->count;
        break;
    }
}

/* --- second derivatives --- */

/* Contributions come leaf by leaf, then for every two names in which the expression bends. They are
 * counted, then written down, when the term is made; later they are added to their pairs in the same
 * order. */
typedef struct walk {
    const ac_term *term;
    long long *keys; /* NULL: counting, or adding */
    int at;
    bool adding;
    double factor;
} walk;

static void contribute(void *user, int i, int j, double value)
{
    walk *w = user;
    const ac_term *term = w->term;
    if (w->adding) {
        term->hessian[term->order[w->at]] += w->factor * value;
    } else if (w->keys) {
        long long row = i > j ? i : j, column = i > j ? j : i;
        w->keys[w->at] = row * term->ref_count + column;
    }
    ++w->at;
}

static void walk_leaf(walk *w, const ac_leaf *leaf, const leaf_value *v)
{
    for (int i = 0; i < leaf->count; ++i)
        for (int j = 0; j <= i; ++j) {
            double twice = i != j && leaf->refs[i] == leaf->refs[j] ? 2.0 : 1.0;
            contribute(w, leaf->refs[i], leaf->refs[j], v ? twice * v->H[i][j] : 0.0);
        }
}

/* weight (g_k g_l^T + g_l g_k^T), or weight g_k g_k^T */
static void walk_product(walk *w, const ac_leaf *a, const ac_leaf *b)
{
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < (a == b ? i + 1 : b->count); ++j) {
            bool same = a->refs[i] == b->refs[j] && !(a == b && i == j);
            contribute(w, a->refs[i], b->refs[j], (same ? 2.0 : 1.0) * a->g[i] * b->g[j]);
        }
}

static void walk_marking(walk *w, const ac_scalars *scalars)
{
    const ac_term *term = w->term;
    w->at = 0;
    for (int k = 0; k < term->leaf_count; ++k) {
        if (term->leaves[k].kind == AC_LEAF_MOTION) {
            ac_balance_leaf_mark(&term->leaves[k], scalars, contribute, w);
        } else {
            walk_leaf(w, &term->leaves[k], NULL);
        }
    }
    for (int k = 0; k < term->leaf_count; ++k)
        for (int l = 0; l <= k; ++l)
            if (ac_expression_bends(term->expression, k, l))
                walk_product(w, &term->leaves[k], &term->leaves[l]);
}

static int compare_keys(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* From all keys to pairs without repetition, and the pair of every contribution. */
static ac_status take_keys(ac_term *term, const long long *keys, long long *sorted, int count)
{
    int used = 0;
    memcpy(sorted, keys, (size_t)count * sizeof *keys);
    ac_sort(sorted, (size_t)count, sizeof *sorted, compare_keys);
    for (int k = 0; k < count; ++k)
        if (k == 0 || sorted[k] != sorted[k - 1]) sorted[used++] = sorted[k];
    term->pair_count = used;
    AC_NEW(term->ctx, term->pairs, used + 1);
    AC_NEW(term->ctx, term->hessian, used + 1);
    AC_NEW(term->ctx, term->order, count + 1);
    for (int k = 0; k < used; ++k)
        term->pairs[k] = (ac_ref_pair){(int)(sorted[k] / term->ref_count),
                                       (int)(sorted[k] % term->ref_count)};
    for (int k = 0; k < count; ++k) {
        const long long *found = bsearch(&keys[k], sorted, (size_t)used, sizeof *sorted, compare_keys);
        term->order[k] = (int)(found - sorted);
    }
    return AC_OK;
}

ac_status ac_term_mark(ac_term *term, const ac_scalars *scalars)
{
    walk w = {.term = term, .factor = 1.0};
    walk_marking(&w, scalars);
    size_t count = (size_t)w.at;
    w.keys = ac_allocate(term->ctx, 2 * count + 1, sizeof *w.keys);
    if (!w.keys) return ac_out_of_memory(term->ctx);
    walk_marking(&w, scalars);
    ac_status status = take_keys(term, w.keys, w.keys + count, (int)count);
    ac_release(term->ctx, w.keys);
    return status;
}

/* --- the term --- */

static double leaf_slopes(const ac_term *term, const ac_leaf *leaf, const ac_scalars *s,
                          const ac_term_point *p, int order)
{
    if (leaf->kind == AC_LEAF_MOTION) return ac_balance_leaf_evaluate(leaf, s, p, order > 0, NULL, NULL);
    leaf_value v;
    evaluate_leaf(term, leaf, s, p, &v);
    memcpy(leaf->g, v.g, (size_t)leaf->count * sizeof *v.g);
    return v.value;
}

static void bend(const ac_term *term, const ac_scalars *s, const ac_term_point *p, const double *x,
                 const double *e)
{
    walk w = {.term = term, .adding = true};
    int count = term->leaf_count;
    memset(term->hessian, 0, (size_t)term->pair_count * sizeof *term->hessian);
    for (int k = 0; k < count; ++k) {
        const ac_leaf *leaf = &term->leaves[k];
        leaf_value v;
        w.factor = e[k];
        if (leaf->kind == AC_LEAF_MOTION) {
            ac_balance_leaf_evaluate(leaf, s, p, false, contribute, &w);
        } else {
            evaluate_leaf(term, leaf, s, p, &v);
            walk_leaf(&w, leaf, &v);
        }
    }
    for (int k = 0; k < count; ++k)
        for (int l = 0; l <= k; ++l) {
            double first;
            if (!ac_expression_bends(term->expression, k, l)) continue;
            ac_expression_along(term->expression, x, k, l, &first, &w.factor);
            walk_product(&w, &term->leaves[k], &term->leaves[l]);
        }
}

double ac_term_evaluate(const ac_term *term, const ac_scalars *s, const ac_term_point *p, int order)
{
    double *x = term->names, *e = x + term->leaf_count;
    for (int k = 0; k < term->leaf_count; ++k) x[k] = leaf_slopes(term, &term->leaves[k], s, p, order);
    if (order == 0) return ac_expression_value(term->expression, x);
    double value = ac_expression_derivatives(term->expression, x, e, NULL);
    memset(term->gradient, 0, (size_t)term->ref_count * sizeof *term->gradient);
    for (int k = 0; k < term->leaf_count; ++k)
        for (int i = 0; i < term->leaves[k].count; ++i)
            term->gradient[term->leaves[k].refs[i]] += e[k] * term->leaves[k].g[i];
    if (order > 1) bend(term, s, p, x, e);
    return value;
}

void ac_term_by_time(const ac_term *term, const ac_term_point *p, double *by_time, double *by_step)
{
    const double *e = term->names + term->leaf_count;
    *by_time = *by_step = 0.0;
    for (int k = 0; k < term->leaf_count; ++k) {
        const ac_leaf *leaf = &term->leaves[k];
        double first = 1.0, second;
        if (leaf->kind == AC_LEAF_DURATION) continue;
        if (leaf->kind == AC_LEAF_TIME || leaf->kind == AC_LEAF_SIGNAL) {
            if (leaf->kind == AC_LEAF_SIGNAL)
                ac_signal_derivatives(leaf->signal, p->steps * p->h, &first, &second);
            *by_time += e[k] * first;
            continue;
        }
        for (int i = 0; i < leaf->count; ++i)
            if (term->refs[leaf->refs[i]].kind == AC_REF_H) *by_step += e[k] * leaf->g[i];
    }
}
