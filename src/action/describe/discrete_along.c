/* Derivatives of an interval along a direction: tangents of a motion, and how its adjoint equations change. */
#include "action/describe/discrete.h"

typedef struct following {
    const ac_interval_change *change;
    double *out[2];
} following;

static const double *change_by(const ac_interval_change *change, ac_by by)
{
    return by == AC_BY_A ? change->a : by == AC_BY_B ? change->b : by == AC_BY_TAU ? change->inputs : NULL;
}

static void follow(void *user, int side, int row, ac_by by, int column, double value)
{
    const following *s = user;
    const double *change = change_by(s->change, by);
    if (change) s->out[side][row] += value * change[column];
}

static void follow_block(void *user, const ac_slope_block *b)
{
    const following *s = user;
    for (int i = 0; i < b->rows; ++i) {
        double sum = 0.0;
        for (int j = 0; b->by_a && j < b->size; ++j) sum += b->by_a[i * b->size + j] * s->change->a[b->at[j]];
        for (int j = 0; b->by_b && j < b->size; ++j) sum += b->by_b[i * b->size + j] * s->change->b[b->at[j]];
        for (int side = 0; side < 2; ++side)
            if (b->sides & (1 << side)) s->out[side][b->at[i]] += sum;
    }
}

void ac_discrete_along(ac_discrete *d, const ac_discrete_point *point, const ac_interval_change *change,
                       double *left, double *right)
{
    following s = {change, {left, right}};
    const ac_slope_sinks sinks = {follow, follow_block};
    ac_discrete_slopes(d, point, false, &sinks, &s);
}

typedef struct bending {
    const ac_interval_change *change;
    const ac_pullback *out;
} bending;

static void bend(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    const bending *s = user;
    const ac_by by[2] = {by1, by2};
    const int at[2] = {i, j};
    int count = by1 == by2 && i == j ? 1 : 2;
    for (int k = 0; k < count; ++k) {
        const double *change = change_by(s->change, by[1 - k]);
        double *to = by[k] == AC_BY_A     ? s->out->a
                     : by[k] == AC_BY_B   ? s->out->b
                     : by[k] == AC_BY_TAU ? s->out->inputs
                                          : NULL;
        if (change && to) to[at[k]] += value * change[at[1 - k]];
    }
}

/* out += M x, or M^T x */
static void add_block(const ac_curvature_block *b, const double *M, bool transposed, const double *x,
                      double *out)
{
    for (int i = 0; M && i < b->size; ++i)
        for (int j = 0; j < b->size; ++j)
            out[b->at[i]] += (transposed ? M[j * b->size + i] : M[i * b->size + j]) * x[b->at[j]];
}

static void bend_block(void *user, const ac_curvature_block *b)
{
    const bending *s = user;
    add_block(b, b->aa, false, s->change->a, s->out->a);
    add_block(b, b->ab, false, s->change->b, s->out->a);
    add_block(b, b->ab, true, s->change->a, s->out->b);
    add_block(b, b->bb, false, s->change->b, s->out->b);
}

/* --- energy-momentum: elements by their secants, inputs at the mean --- */

typedef struct mean_bending {
    const ac_station *station;
    const double *w, *change[2];
    const ac_pullback *out;
    double factor, by_input; /* h/2 tau, and h/2 times the change of tau */
    double work;             /* change of the work of a unit */
} mean_bending;

static double change_of(const mean_bending *s, int i)
{
    return s->station->by[0] * s->change[0][i] + s->station->by[1] * s->change[1][i];
}

static void give_ends(const mean_bending *s, int i, double value)
{
    if (s->out->a) s->out->a[i] += s->station->by[0] * value;
    if (s->out->b) s->out->b[i] += s->station->by[1] * value;
}

static void bend_pair(void *user, int i, int j, double value)
{
    const mean_bending *s = user;
    give_ends(s, i, s->factor * value * change_of(s, j));
    if (i != j) give_ends(s, j, s->factor * value * change_of(s, i));
}

static void bend_force(void *user, int row, int column, double value)
{
    mean_bending *s = user;
    double slope = s->w[row] * value;
    give_ends(s, column, s->by_input * slope);
    s->work += slope * change_of(s, column);
}

static void bend_inputs(ac_discrete *d, const ac_discrete_point *p, const ac_interval_change *change,
                        const double *wl, const double *wr, const ac_pullback *out)
{
    ac_station stations[2];
    ac_discrete_take_mean(d, p);
    ac_discrete_input_stations(d, p, stations);
    for (int i = 0; i < d->system->n; ++i) d->weights[i] = wl[i] + wr[i];
    for (int k = 0; k < d->input_count; ++k) {
        const double half = 0.5 * p->h;
        mean_bending s = {.station = &stations[0],
                          .w = d->weights,
                          .change = {change->a, change->b},
                          .out = out,
                          .factor = half * p->tau[k],
                          .by_input = change->inputs ? half * change->inputs[k] : 0.0};
        ac_input_curvature(d, AC_AT_MEAN, k, stations[0].x, d->weights, bend_pair, &s);
        ac_input_slopes(d, AC_AT_MEAN, k, stations[0].x, bend_force, &s);
        if (out->inputs && (!d->inputs[k].load || d->by_loads)) out->inputs[k] += half * s.work;
    }
}

void ac_discrete_bend(ac_discrete *d, const ac_discrete_point *point, const double *wl, const double *wr,
                      const ac_interval_change *change, const ac_pullback *out)
{
    bending s = {change, out};
    if (d->scheme == AC_ENERGY_MOMENTUM) {
        ac_elements_bend(d, point, wl, wr, change, &(ac_bent){.a = out->a, .b = out->b});
        bend_inputs(d, point, change, wl, wr, out);
        return;
    }
    const ac_curvature_sinks sinks = {bend, bend_block};
    ac_discrete_curvature(d, point, false, wl, wr, &sinks, &s);
}
