/* Derivatives of the names of an objective by one parameter, at a given motion.
 *
 *   quantity of a configuration   by data that move points, by frames of joints that turn (turned.c), by numbers of its own
 *   energies, momenta, speeds     by the numbers of the interval that vary: whatever changes masses, weights, laws and maps
 *   a parameter                   by itself
 */
#include <stdlib.h>
#include <string.h>

#include "action/describe/balance.h"
#include "adjoint/objective.h"
#include "math/math.h"
#include "optimize/problem/quantity_slope.h"
#include "optimize/problem/speed.h"

/* --- numbers --- */

typedef struct gathering {
    ac_context *ctx;
    int count, capacity;
    ac_number *list;
} gathering;

static ac_status gather(void *user, const ac_number_key *key, double slope)
{
    gathering *g = user;
    AC_TRY(ac_grow(g->ctx, (void **)&g->list, &g->capacity, g->count + 1, sizeof *g->list));
    g->list[g->count++] = (ac_number){*key, slope};
    return AC_OK;
}

static int compare(const void *a, const void *b)
{
    return ac_number_compare(&((const ac_number *)a)->key, &((const ac_number *)b)->key);
}

/* Each key once, with the sum of its slopes. */
static ac_status keep_numbers(const ac_discrete *d, gathering *g, ac_marked_numbers *numbers)
{
    ac_number_key *keys;
    int kept = -1;
    if (g->count > 0) ac_sort(g->list, (size_t)g->count, sizeof *g->list, compare);
    AC_NEW(g->ctx, numbers->slopes, g->count + 1);
    AC_NEW(g->ctx, keys, g->count + 1);
    for (int k = 0; k < g->count; ++k) {
        if (kept < 0 || ac_number_compare(&keys[kept], &g->list[k].key) != 0) keys[++kept] = g->list[k].key;
        numbers->slopes[kept] += g->list[k].value;
    }
    return ac_varying_create(d, keys, kept + 1, &numbers->varying);
}

static bool takes_numbers(const ac_leaf *leaf)
{
    return leaf->kind == AC_LEAF_MOTION || leaf->kind == AC_LEAF_SPEED;
}

ac_status ac_marked_open_numbers(const ac_discrete *d, ac_marked_objective *m)
{
    gathering all = {.ctx = d->ctx};
    bool any = false;
    for (int k = 0; k < m->o->description.objective_count; ++k)
        for (int l = 0; l < m->o->description.objectives[k].term.leaf_count; ++l)
            any = any || takes_numbers(&m->o->description.objectives[k].term.leaves[l]);
    if (!any || !m->slope) return AC_OK;
    m->numbers.discrete = d;
    ac_status status = ac_number_slopes(d, m->slope, gather, &all);
    if (status == AC_OK) status = keep_numbers(d, &all, &m->numbers);
    ac_release(d->ctx, all.list);
    return status;
}

void ac_marked_close_numbers(ac_context *ctx, ac_marked_objective *m)
{
    ac_varying_destroy(ctx, &m->numbers.varying);
    ac_release(ctx, m->numbers.slopes);
    m->numbers = (ac_marked_numbers){0};
}

/* --- leaves --- */

static double share_of(const ac_marked_objective *m, int parameter)
{
    return parameter == m->own ? 1.0 : 0.0;
}

/* By data that move points, after an evaluation of its term with derivatives. */
static double by_moving_data(const ac_marked_objective *m, const ac_term *term, const ac_leaf *leaf)
{
    const ac_variation *v = &m->o->description.variation;
    const int n = m->o->system->n;
    double sum = 0.0;
    for (int i = 0; i < leaf->count; ++i) {
        const ac_ref *ref = &term->refs[leaf->refs[i]];
        if ((ref->kind != AC_REF_A && ref->kind != AC_REF_B) || ref->index < n) continue;
        const ac_jet *jet = &v->moving[ref->index - n].jet;
        for (int a = 0; a < jet->count; ++a) sum += leaf->g[i] * jet->d[a] * share_of(m, jet->by[a]);
    }
    return sum;
}

/* By numbers of the quantity itself. */
static double by_own_numbers(const ac_marked_objective *m, const ac_term *term, const ac_leaf *leaf,
                             const ac_term_point *p)
{
    const ac_quantity_slope *slope = ac_quantity_slope_of(m->o, m->own, leaf);
    bool rates = leaf->kind == AC_LEAF_RATE, at_node = !term->interval;
    double rate = 0.0;
    if (!slope) return 0.0;
    if (leaf->kind == AC_LEAF_SIGNAL) return slope->of_signal.at(slope->of_signal.user, p->steps * p->h);
    if (leaf->kind == AC_LEAF_MOTION) return ac_quantity_slope_motion(m->o, slope, leaf, p);
    double a = ac_quantity_slope_value(m->o, slope, p->a, p->winding_a[leaf->index],
                                       rates && at_node ? p->velocity : NULL, &rate);
    if (at_node) return rates ? rate : a;
    double b = ac_quantity_slope_value(m->o, slope, p->b, p->winding_b[leaf->index], NULL, &rate);
    return rates ? (b - a) / p->h : 0.5 * (a + b);
}

static double leaf_slope(const ac_marked_objective *m, const ac_term *term, const ac_leaf *leaf,
                         const ac_term_point *p)
{
    const ac_marked_numbers *numbers = &m->numbers;
    switch (leaf->kind) {
    case AC_LEAF_PARAMETER: return share_of(m, leaf->index);
    case AC_LEAF_VALUE:
    case AC_LEAF_RATE:
        return by_moving_data(m, term, leaf) + ac_leaf_turned(m, term, leaf, p) +
               by_own_numbers(m, term, leaf, p);
    case AC_LEAF_SIGNAL: return by_own_numbers(m, term, leaf, p);
    case AC_LEAF_SPEED:
        return ac_speed_by_numbers(numbers->discrete, leaf->index, p->a, p->b, p->h, &numbers->varying,
                                   numbers->slopes);
    case AC_LEAF_MOTION:
        return ac_balance_leaf_by_numbers(leaf, m->o->description.scalars.list[leaf->index].motion,
                                          numbers->discrete, p, &numbers->varying, numbers->slopes) +
               by_own_numbers(m, term, leaf, p);
    default: return 0.0;
    }
}

double ac_marked_slope(const ac_marked_objective *m, const ac_term *term, const ac_term_point *point)
{
    const ac_term_point own = ac_marked_point(m, point);
    const double *e = term->names + term->leaf_count;
    double sum = 0.0;
    ac_term_evaluate(term, &m->o->description.scalars, &own, 1);
    for (int k = 0; k < term->leaf_count; ++k)
        if (e[k] != 0.0) sum += e[k] * leaf_slope(m, term, &term->leaves[k], &own);
    return sum;
}

/* --- what depends --- */

static bool is_own(const ac_marked_objective *m, int parameter)
{
    return m->own < 0 || parameter == m->own;
}

static bool moves(const ac_marked_objective *m, const ac_term *term, const ac_leaf *leaf)
{
    const ac_variation *v = &m->o->description.variation;
    const int n = m->o->system->n;
    bool any = false;
    for (int i = 0; i < leaf->count; ++i) {
        const ac_ref *ref = &term->refs[leaf->refs[i]];
        if ((ref->kind != AC_REF_A && ref->kind != AC_REF_B) || ref->index < n) continue;
        const ac_jet *jet = &v->moving[ref->index - n].jet;
        for (int a = 0; a < jet->count; ++a) any = any || is_own(m, jet->by[a]);
    }
    return any;
}

bool ac_term_is_marked(const ac_marked_objective *m, const ac_term *term)
{
    bool found = false;
    for (int i = 0; i < term->ref_count; ++i)
        found = found || (term->refs[i].kind == AC_REF_P && is_own(m, term->refs[i].index));
    for (int k = 0; k < term->leaf_count && !found; ++k) {
        const ac_leaf *leaf = &term->leaves[k];
        found = moves(m, term, leaf) || ac_leaf_turns(m, leaf) || ac_quantity_slope_of(m->o, m->own, leaf) ||
                (takes_numbers(leaf) && m->numbers.varying.count > 0);
    }
    return found;
}
