/* Guesses from which no derivative leads away.
 *
 * A motion straight at the middle of an obstacle can pass it on neither side: the distance has no slope across, and neither has
 * anything else. Unknowns that depend on each other to first order, by rows of the Jacobian or by the objective, make up groups. A
 * group is asleep where its equations hold and the objective has no slope by it: every Newton step leaves it as it is. That is
 * as it should be, unless a limit that stops the motion bends along it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "optimize/judge/doubts.h"

static const double NONE = 1e-9;  /* slopes that are none, in parts of the largest of the row */
static const double HOLDS = 1e-6; /* a limit that is so near stops the motion */

typedef struct groups {
    int *of; /* unknown -> another one of its group; a root is its own */
    bool *awake;
    double *g, *J, *H, *c, *mu;
} groups;

static ac_status allocate(ac_optimization *o, groups *w)
{
    size_t n = (size_t)o->layout.variables, m = (size_t)o->layout.rows,
           j = (size_t)o->layout.jacobian.entries, h = (size_t)o->layout.hessian.entries;
    memset(w, 0, sizeof *w);
    AC_NEW(o->ctx, w->of, n);
    AC_NEW(o->ctx, w->awake, n);
    AC_NEW(o->ctx, w->g, n + 2 * m + j + h + 1);
    w->J = w->g + n;
    w->H = w->J + j;
    w->c = w->H + h;
    w->mu = w->c + m;
    return AC_OK;
}

static void release(ac_optimization *o, groups *w)
{
    ac_release(o->ctx, w->of);
    ac_release(o->ctx, w->awake);
    ac_release(o->ctx, w->g);
}

static bool is_fixed(const ac_optimization *o, int i)
{
    return o->layout.bounds.lower[i] == o->layout.bounds.upper[i];
}

static int root(const groups *w, int i)
{
    while (w->of[i] != i) i = w->of[i] = w->of[w->of[i]];
    return i;
}

static void join(groups *w, int i, int k)
{
    w->of[root(w, i)] = root(w, k);
}

static double largest(const double *x, int from, int to)
{
    double most = 0.0;
    for (int i = from; i < to; ++i) most = ac_max(most, fabs(x[i]));
    return most;
}

/* Joins what a row or the objective connects. */
static void find_groups(ac_optimization *o, groups *w)
{
    const ac_pattern *J = &o->layout.jacobian, *H = &o->layout.hessian;
    for (int i = 0; i < o->layout.variables; ++i) w->of[i] = i;
    for (int r = 0; r < o->layout.rows; ++r) {
        double most = largest(w->J, J->start[r], J->start[r + 1]);
        int first = -1;
        for (int e = J->start[r]; e < J->start[r + 1]; ++e) {
            if (is_fixed(o, J->column[e]) || !(fabs(w->J[e]) > NONE * most)) continue;
            if (first >= 0) join(w, J->column[e], first);
            first = J->column[e];
        }
    }
    memset(w->mu, 0, (size_t)o->layout.rows * sizeof *w->mu);
    ac_evaluate_hessian(o, 1.0, w->mu, w->H);
    double most = largest(w->H, 0, H->entries);
    for (int e = 0; e < H->entries; ++e)
        if (fabs(w->H[e]) > NONE * most) join(w, H->row[e], H->column[e]);
}

/* Wakes the groups that the objective pulls at, whose equations do not hold, or which a limit stops. */
static void wake(const ac_optimization *o, groups *w)
{
    const ac_pattern *J = &o->layout.jacobian;
    double slope = largest(w->g, 0, o->layout.variables);
    for (int i = 0; i < o->layout.variables; ++i) {
        if (is_fixed(o, i)) continue;
        double x = o->point.x[i];
        bool held = x - o->layout.bounds.lower[i] < HOLDS || o->layout.bounds.upper[i] - x < HOLDS;
        if (held || fabs(w->g[i]) > NONE * slope) w->awake[root(w, i)] = true;
    }
    for (int r = 0; r < o->layout.rows; ++r) {
        double room = ac_min(w->c[r] - o->layout.bounds.low[r], o->layout.bounds.high[r] - w->c[r]),
               most = largest(w->J, J->start[r], J->start[r + 1]);
        bool equation = o->layout.bounds.low[r] == o->layout.bounds.high[r];
        if (equation ? room > -HOLDS : room > HOLDS) continue;
        for (int e = J->start[r]; e < J->start[r + 1]; ++e)
            if (fabs(w->J[e]) > NONE * most) w->awake[root(w, J->column[e])] = true;
    }
}

/* Does the row bend along a group that is asleep? */
static bool bends_asleep(ac_optimization *o, groups *w, int row)
{
    const ac_pattern *H = &o->layout.hessian;
    memset(w->mu, 0, (size_t)o->layout.rows * sizeof *w->mu);
    w->mu[row] = 1.0;
    ac_evaluate_hessian(o, 0.0, w->mu, w->H);
    double most = largest(w->H, 0, H->entries);
    for (int e = 0; e < H->entries; ++e)
        if (fabs(w->H[e]) > NONE * most && !is_fixed(o, H->row[e]) && !w->awake[root(w, H->row[e])] &&
            !w->awake[root(w, H->column[e])])
            return true;
    return false;
}

/* The first limit that stops the motion and bends along a group that is asleep; -1: none. */
static int find_row(ac_optimization *o, groups *w)
{
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        if (block->kind != AC_ROW_CONDITION) continue;
        for (int r = block->first; r < block->first + block->count; ++r) {
            double low = o->layout.bounds.low[r], high = o->layout.bounds.high[r];
            if (low == high || ac_min(w->c[r] - low, high - w->c[r]) > HOLDS) continue;
            if (bends_asleep(o, w, r)) return r;
        }
    }
    return -1;
}

ac_status ac_name_symmetry(ac_optimization *o, char *text, size_t size)
{
    groups w;
    text[0] = '\0';
    if (o->description.phases) return AC_OK;
    ac_status status = allocate(o, &w);
    if (status == AC_OK) {
        ac_evaluate_objective(o, w.g);
        ac_evaluate_jacobian(o, w.J);
        ac_evaluate_rows(o, w.c);
        find_groups(o, &w);
        wake(o, &w);
        int row = find_row(o, &w);
        char name[128];
        if (row >= 0) {
            ac_row_name(o, row, name, sizeof name);
            snprintf(text, size,
                     "the motion is symmetric with respect to the %s: no derivative leads past it; give a "
                     "guess that passes "
                     "it on one side, or use starts",
                     name);
        }
    }
    release(o, &w);
    return status;
}
