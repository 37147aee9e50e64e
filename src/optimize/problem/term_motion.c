/* Leaves of terms that are quantities of the motion: their local variables, and the chain rule from
 * configuration and velocity to the ends of an interval and its length.
 *
 *   at a node    q, w are those of the node
 *   interval     q = (a + b) / 2, w = (b - a) / h
 *   rate         (V(b) - V(a)) / h of a potential
 */
#include <string.h>

#include "action/describe/balance.h"
#include "optimize/problem/term.h"

struct ac_balance_leaf {
    bool interval, rate;
    int size; /* coordinates and the moving data behind them */
    int *first,
        *second; /* per coordinate: local variable of the leaf for a, for b or the velocity; -1: none */
    int *p;      /* parameters as data */
    int h;
    double *q, *w; /* of the interval */
    double *zero;  /* values near which angles are, while it is made */
};

/* --- local variables --- */

typedef struct collecting {
    ac_term *term;
    ac_leaf *leaf;
    int capacity;
    ac_status status;
} collecting;

static void collect(collecting *c, ac_ref_kind kind, int index, int *place)
{
    ac_leaf *leaf = c->leaf;
    if (*place >= 0 || c->status != AC_OK) return;
    c->status = ac_grow(c->term->ctx, (void **)&leaf->refs, &c->capacity, leaf->count + 1,
                        sizeof *leaf->refs);
    if (c->status == AC_OK) c->status = ac_term_ref(c->term, kind, index, &leaf->refs[leaf->count]);
    if (c->status == AC_OK) *place = leaf->count++;
}

static void collect_slope(void *user, ac_balance_by by, int i, double value)
{
    collecting *c = user;
    ac_balance_leaf *m = c->leaf->motion;
    (void)value;
    if (by == AC_BALANCE_BY_P) {
        collect(c, AC_REF_P, i, &m->p[i]);
        return;
    }
    if (m->interval || by == AC_BALANCE_BY_Q) collect(c, AC_REF_A, i, &m->first[i]);
    if (m->interval) collect(c, AC_REF_B, i, &m->second[i]);
    if (!m->interval && by == AC_BALANCE_BY_W) collect(c, AC_REF_VELOCITY, i, &m->second[i]);
}

ac_status ac_balance_leaf_create(ac_term *term, ac_leaf *leaf, const ac_scalars *scalars, bool rate)
{
    const ac_discrete *discrete = scalars->discrete;
    const ac_system *system = discrete->system;
    AC_NEW(term->ctx, leaf->motion, 1);
    ac_balance_leaf *m = leaf->motion;
    m->interval = term->interval;
    m->rate = rate;
    int parameters = discrete->vary ? discrete->vary->count : 0;
    m->size = system->n + (discrete->vary ? discrete->vary->moving_count : 0);
    AC_NEW(term->ctx, m->p, parameters + 1);
    AC_NEW(term->ctx, m->first, m->size);
    AC_NEW(term->ctx, m->second, m->size);
    AC_NEW(term->ctx, m->q, m->size);
    AC_NEW(term->ctx, m->w, m->size);
    AC_NEW(term->ctx, m->zero, system->measure_count + 1);
    for (int i = 0; i < m->size; ++i) m->first[i] = m->second[i] = -1;
    for (int j = 0; j < parameters; ++j) m->p[j] = -1;
    m->h = -1;
    memcpy(m->q, system->initial.q, (size_t)system->n * sizeof *m->q);
    collecting c = {term, leaf, 0, AC_OK};
    const ac_balance_point point = {m->q, m->w, m->zero};
    const ac_balance_sink sink = {&c, collect_slope, NULL};
    ac_balance_evaluate(scalars->list[leaf->index].motion, discrete, &point, &sink);
    if (term->interval) collect(&c, AC_REF_H, 0, &m->h);
    return c.status;
}

void ac_balance_leaf_destroy(ac_context *ctx, ac_leaf *leaf)
{
    ac_balance_leaf *m = leaf->motion;
    if (!m) return;
    void *blocks[] = {m->first, m->second, m->p, m->q, m->w, m->zero};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_release(ctx, m);
    leaf->motion = NULL;
}

/* --- the chain rule --- */

/* What a coordinate, velocity or parameter is in local variables, to first order. */
typedef struct parts {
    int count, at[3];
    double by[3];
} parts;

typedef struct chain {
    const ac_leaf *leaf;
    double h, factor; /* factor: of everything */
    int side;         /* of a rate: 0 for a, 1 for b */
    bool slopes;
    ac_pair_sink sink;
    void *user;
} chain;

static void add_part(parts *x, int at, double by)
{
    x->at[x->count] = at;
    x->by[x->count++] = by;
}

static parts parts_of(const chain *c, ac_balance_by by, int i)
{
    const ac_balance_leaf *m = c->leaf->motion;
    parts x = {0};
    if (by == AC_BALANCE_BY_P) {
        add_part(&x, m->p[i], 1.0);
    } else if (m->rate) {
        add_part(&x, c->side == 0 ? m->first[i] : m->second[i], 1.0);
    } else if (!m->interval) {
        add_part(&x, by == AC_BALANCE_BY_Q ? m->first[i] : m->second[i], 1.0);
    } else if (by == AC_BALANCE_BY_Q) {
        add_part(&x, m->first[i], 0.5);
        add_part(&x, m->second[i], 0.5);
    } else {
        add_part(&x, m->first[i], -1.0 / c->h);
        add_part(&x, m->second[i], 1.0 / c->h);
        add_part(&x, m->h, -m->w[i] / c->h);
    }
    return x;
}

static void put(const chain *c, int i, int j, double value)
{
    c->sink(c->user, c->leaf->refs[i], c->leaf->refs[j], value);
}

/* First derivatives, and the second ones of what is not linear: w by h, and the quotient of a rate. */
static void take_slope(void *user, ac_balance_by by, int i, double value)
{
    const chain *c = user;
    const ac_balance_leaf *m = c->leaf->motion;
    parts x = parts_of(c, by, i);
    double scaled = c->factor * value;
    for (int k = 0; c->slopes && k < x.count; ++k) c->leaf->g[x.at[k]] += scaled * x.by[k];
    if (!c->sink) return;
    if (m->rate) put(c, x.at[0], m->h, -scaled / c->h);
    if (m->rate || !m->interval || by != AC_BALANCE_BY_W) return;
    put(c, m->first[i], m->h, scaled / (c->h * c->h));
    put(c, m->second[i], m->h, -scaled / (c->h * c->h));
    put(c, m->h, m->h, 2.0 * scaled * m->w[i] / (c->h * c->h));
}

static void take_curve(void *user, ac_balance_by by1, int i, ac_balance_by by2, int j, double value)
{
    const chain *c = user;
    parts x = parts_of(c, by1, i), y = parts_of(c, by2, j);
    bool same = by1 == by2 && i == j;
    for (int k = 0; k < x.count; ++k)
        for (int l = 0; l < (same ? k + 1 : y.count); ++l) {
            double twice = !same && x.at[k] == y.at[l] ? 2.0 : 1.0;
            put(c, x.at[k], y.at[l], twice * c->factor * value * x.by[k] * y.by[l]);
        }
}

static double evaluate(chain *c, const ac_scalars *scalars, const ac_balance_point *point)
{
    const ac_balance_sink sink = {c, take_slope, c->sink ? take_curve : NULL};
    bool wanted = c->slopes || c->sink;
    return ac_balance_evaluate(scalars->list[c->leaf->index].motion, scalars->discrete, point,
                               wanted ? &sink : NULL);
}

static double evaluate_rate(chain *c, const ac_scalars *scalars, const double *a, const double *b,
                            const double *measure_windings)
{
    double value = 0.0;
    for (c->side = 0; c->side < 2; ++c->side) {
        const ac_balance_point point = {c->side == 0 ? a : b, NULL, measure_windings};
        c->factor = (c->side == 0 ? -1.0 : 1.0) / c->h;
        value += c->factor * evaluate(c, scalars, &point);
    }
    int h = c->leaf->motion->h;
    if (c->slopes) c->leaf->g[h] = -value / c->h;
    if (c->sink) put(c, h, h, 2.0 * value / (c->h * c->h));
    return value;
}

double ac_balance_leaf_evaluate(const ac_leaf *leaf, const ac_scalars *scalars, const ac_term_point *p,
                                bool slopes, ac_pair_sink sink, void *user)
{
    ac_balance_leaf *m = leaf->motion;
    const ac_discrete *d = scalars->discrete;
    int n = d->system->n;
    chain c = {.leaf = leaf, .h = p->h, .factor = 1.0, .slopes = slopes, .sink = sink, .user = user};
    if (slopes) memset(leaf->g, 0, (size_t)leaf->count * sizeof *leaf->g);
    if (m->rate) return evaluate_rate(&c, scalars, p->a, p->b, p->measure_windings);
    const ac_balance_point at_node = {p->a, p->velocity, p->measure_windings};
    if (!m->interval) return evaluate(&c, scalars, &at_node);
    for (int i = 0; i < m->size; ++i) m->q[i] = 0.5 * (p->a[i] + p->b[i]);
    for (int i = 0; i < n; ++i) m->w[i] = (p->b[i] - p->a[i]) / p->h;
    const ac_balance_point on_interval = {m->q, m->w, p->measure_windings};
    return evaluate(&c, scalars, &on_interval);
}

void ac_balance_leaf_mark(const ac_leaf *leaf, const ac_scalars *scalars, ac_pair_sink sink, void *user)
{
    const ac_balance_leaf *m = leaf->motion;
    const ac_balance_point point = {m->q, m->w, m->zero};
    chain c = {.leaf = leaf, .h = 1.0, .factor = 1.0, .sink = sink, .user = user};
    if (m->rate) {
        evaluate_rate(&c, scalars, m->q, m->q, m->zero);
    } else {
        evaluate(&c, scalars, &point);
    }
}

/* Of a quantity: its value, or its derivative by numbers. */
typedef struct other_leaf {
    const ac_balance_source *source;
    const ac_discrete *discrete;
    const ac_varying *varying; /* NULL: the value */
    const double *slopes;
} other_leaf;

static double other_value(const other_leaf *x, const ac_balance_point *point)
{
    return x->varying ? ac_balance_by_numbers(x->source, x->discrete, point, x->varying, x->slopes)
                      : ac_balance_evaluate(x->source, x->discrete, point, NULL);
}

static double evaluate_other(const ac_leaf *leaf, const other_leaf *x, const ac_term_point *p)
{
    const ac_balance_leaf *m = leaf->motion;
    const ac_balance_point at_a = {p->a, p->velocity, p->measure_windings},
                           at_b = {p->b, NULL, p->measure_windings};
    if (m->rate) return (other_value(x, &at_b) - other_value(x, &at_a)) / p->h;
    if (!m->interval) return other_value(x, &at_a);
    for (int i = 0; i < m->size; ++i) m->q[i] = 0.5 * (p->a[i] + p->b[i]);
    for (int i = 0; i < x->discrete->system->n; ++i) m->w[i] = (p->b[i] - p->a[i]) / p->h;
    const ac_balance_point mean = {m->q, m->w, p->measure_windings};
    return other_value(x, &mean);
}

double ac_balance_leaf_by_numbers(const ac_leaf *leaf, const ac_balance_source *source,
                                  const ac_discrete *discrete, const ac_term_point *p,
                                  const ac_varying *varying, const double *slopes)
{
    return evaluate_other(leaf, &(other_leaf){source, discrete, varying, slopes}, p);
}

double ac_balance_leaf_value(const ac_leaf *leaf, const ac_balance_source *source,
                             const ac_discrete *discrete, const ac_term_point *p)
{
    return evaluate_other(leaf, &(other_leaf){source, discrete, NULL, NULL}, p);
}
