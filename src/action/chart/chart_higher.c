/* Higher derivatives of the chart along given directions: what a Lagrangian in joint coordinates needs. With freedoms ordered from
 * the root outwards, a <= b <= d <= c,
 *
 *   d_a d_b d_c x = w_a x (w_b x D_c),      d_a d_b d_d d_c x = w_a x (w_b x (w_d x D_c))
 *
 * stands for all orders of the indices. Sums go over ordered lists and give each of them all its orders. */
#include <string.h>

#include "action/chart/chart.h"
#include "base/vector.h"

/* One over the number of orders that are counted more than once: lists are sorted, so equal freedoms are neighbours. */
static double share_of(const int *list, int count)
{
    double share = 1.0;
    for (int k = 1, run = 1; k < count; ++k) {
        run = list[k] == list[k - 1] ? run + 1 : 1;
        share /= run;
    }
    return share;
}

/* --- by blocks: places and directors --- */

typedef struct along {
    const ac_chart *c;
    const ac_chart_point *p;
    const double *mu, *nu;
    double *out; /* of the block */
    int width, T;
} along;

static double both(const along *s, int a, int b)
{
    return s->mu[a] * s->nu[b] + s->mu[b] * s->nu[a];
}

/* The second derivative by `list` (sorted) is x. */
static void add_second(const along *s, const int list[2], const double x[3])
{
    double factor = share_of(list, 2) * both(s, list[0], list[1]);
    for (int e = 0; e < s->width; ++e) s->out[e] += factor * x[e];
}

static void add_third(const along *s, const int list[3], const double x[3])
{
    double share = share_of(list, 3);
    for (int k = 0; k < 3; ++k) {
        double factor = share * both(s, list[(k + 1) % 3], list[(k + 2) % 3]);
        for (int e = 0; e < s->width; ++e) s->out[e * s->T + list[k]] += factor * x[e];
    }
}

/* All derivatives of one block of coordinates along its path: of the second order, or of the third. */
static void of_block(const along *s, const int *path, int count, int at, bool third)
{
    for (int k = 0; k < count; ++k) {
        int last = path[k];
        double d[3] = {0.0, 0.0, 0.0}, b2[3], b3[3];
        for (int e = 0; e < s->width; ++e) d[e] = s->p->D[(at + e) * s->c->span + last];
        for (int j = 0; j <= k; ++j) {
            if (!ac_chart_turns(s->c, path[j], last)) continue;
            cross3(s->p->axis + 3 * path[j], d, b2);
            if (!third) add_second(s, (const int[2]){path[j], last}, b2);
            for (int i = 0; third && i <= j; ++i) {
                if (!ac_chart_turns(s->c, path[i], last)) continue;
                cross3(s->p->axis + 3 * path[i], b2, b3);
                add_third(s, (const int[3]){path[i], path[j], last}, b3);
            }
        }
    }
}

static void of_all(along *s, double *out, bool third)
{
    const ac_system *system = s->c->system;
    int stride = third ? s->T : 1;
    memset(out, 0, (size_t)s->c->n * (size_t)stride * sizeof *out);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int count;
        const int *path = ac_chart_path(s->c, i, &count);
        s->width = node->dimension;
        for (int at = node->q; at < node->q + node->size; at += s->width) {
            s->out = out + at * stride;
            of_block(s, path, count, at, third);
        }
    }
}

void ac_chart_second_along(const ac_chart *c, const ac_chart_point *p, const double *mu, const double *nu,
                           double *x)
{
    along s = {.c = c, .p = p, .mu = mu, .nu = nu, .T = c->freedoms};
    of_all(&s, x, false);
}

void ac_chart_third_along(const ac_chart *c, const ac_chart_point *p, const double *mu, const double *nu,
                          double *S)
{
    along s = {.c = c, .p = p, .mu = mu, .nu = nu, .T = c->freedoms};
    of_all(&s, S, true);
}

/* --- by moments --- */

/* The fourth derivative by `list` (sorted) is `value`: each pair of places is a row and a column, the others lie along mu and
 * nu. */
static void add_fourth(int T, const int list[4], double value, const double *mu, const double *nu, double *H)
{
    double share = value * share_of(list, 4);
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) {
            int other[2], used = 0;
            for (int k = 0; k < 4; ++k)
                if (k != i && k != j) other[used++] = list[k];
            double term = share * (mu[other[0]] * nu[other[1]] + mu[other[1]] * nu[other[0]]);
            H[list[i] * T + list[j]] += term;
            H[list[j] * T + list[i]] += term;
        }
}

void ac_chart_fourth(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu,
                     const double *nu, double *H)
{
    int T = c->freedoms;
    ac_chart_moments(c, p, f, c->moments);
    for (int last = 0; last < T; ++last) {
        int count, own = 0;
        const int *path = ac_chart_path(c, c->holder[last], &count);
        while (path[own] != last) ++own;
        for (int kd = 0; kd <= own; ++kd) {
            int d = path[kd];
            double m[9], mw[3];
            if (!ac_chart_turns(c, d, last)) continue;
            for (int k = 0; k < 3; ++k) { /* moments of w_d x D */
                const double *m0 = c->moments + 9 * last, *w = p->axis + 3 * d;
                int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
                for (int e = 0; e < 3; ++e) m[3 * k + e] = w[k1] * m0[3 * k2 + e] - w[k2] * m0[3 * k1 + e];
            }
            double trace = m[0] + m[4] + m[8];
            for (int kb = 0; kb <= kd; ++kb) {
                int b = path[kb];
                if (!ac_chart_turns(c, b, last)) continue;
                apply3(m, p->axis + 3 * b, mw);
                for (int ka = 0; ka <= kb; ++ka) {
                    int a = path[ka];
                    if (!ac_chart_turns(c, a, last)) continue;
                    const double *wa = p->axis + 3 * a;
                    add_fourth(T, (const int[4]){a, b, d, last},
                               dot3(wa, mw) - trace * dot3(wa, p->axis + 3 * b), mu, nu, H);
                }
            }
        }
    }
}
