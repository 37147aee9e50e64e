/* Bounded sums over all phases: each phase has a sum of its own (ac_optimization_add_total), and what is bounded is the sum of these.
 * Every phase has a share s of it, an unknown, so that the rows of the whole stay those of its phases:
 *
 *   sum of the phase - s = 0     of every phase; one-sided where the sum of all has one bound
 *   low <= sum of all s <= high
 */
#include <math.h>
#include <string.h>

#include "optimize/phases/phases.h"

static void add_pattern_entry(ac_optimization *o, int row, int column, double value, double *values)
{
    if (values) {
        values[ac_pattern_find(&o->layout.jacobian, row, column)] += value;
    } else {
        ac_pattern_mark(&o->layout.jacobian, row, column);
    }
}

ac_status ac_optimization_share_total(ac_optimization *whole, const int *totals)
{
    ac_phases *p = whole->description.phases;
    if (!p) return ac_fail(whole->ctx, AC_BAD_INPUT, "a sum over all phases needs phases");
    for (int k = 0; k < p->count; ++k)
        if (totals[k] < 0 || totals[k] >= p->list[k]->description.total_count)
            return ac_fail(whole->ctx, AC_BAD_INPUT, "phase '%s' has no sum %d", p->names[k], totals[k]);
    AC_TRY(ac_grow(whole->ctx, (void **)&p->shared, &p->shared_capacity, p->shared_count + 1,
                   sizeof *p->shared));
    ac_shared_total *s = &p->shared[p->shared_count];
    *s = (ac_shared_total){.bounds = p->list[0]->description.totals[totals[0]], .phases = p->count};
    AC_NEW(whole->ctx, s->total, p->count);
    memcpy(s->total, totals, (size_t)p->count * sizeof *totals);
    ++p->shared_count;
    return AC_OK;
}

void ac_shared_free(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int s = 0; s < p->shared_count; ++s) ac_release(o->ctx, p->shared[s].total);
    ac_release(o->ctx, p->shared);
}

ac_status ac_shared_place(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int s = 0; s < p->shared_count; ++s)
        if (p->shared[s].phases != p->count)
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "the sum '%s' over all phases was described before the last phase",
                           p->shared[s].bounds.name);
    p->shares = o->layout.variables;
    p->sums = o->layout.rows;
    o->layout.variables += p->shared_count * p->count;
    o->layout.rows += p->shared_count;
    return AC_OK;
}

/* The row of the whole that a phase has for its part. */
static int part_row(const ac_phases *p, int k, const ac_shared_total *s)
{
    const ac_optimization_layout *layout = &p->list[k]->layout;
    for (int b = 0; b < layout->block_count; ++b)
        if (layout->blocks[b].kind == AC_ROW_TOTAL && layout->blocks[b].item == s->total[k])
            return p->first_row[k] + layout->blocks[b].first;
    return -1;
}

static int share(const ac_phases *p, int k, int s)
{
    return p->shares + s * p->count + k;
}

void ac_shared_guess(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    if (p->shared_count == 0) return;
    ac_phases_evaluate_at(o, o->point.x);
    for (int s = 0; s < p->shared_count; ++s)
        for (int k = 0; k < p->count; ++k)
            o->point.x[share(p, k, s)] = ac_evaluate_total(p->list[k], p->shared[s].total[k], NULL);
}

void ac_shared_bound_rows(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int s = 0; s < p->shared_count; ++s) {
        const ac_shared_total *t = &p->shared[s];
        for (int k = 0; k < p->count; ++k) {
            int row = part_row(p, k, t);
            o->layout.bounds.low[row] = isfinite(t->bounds.low) ? 0.0 : -INFINITY;
            o->layout.bounds.high[row] = isfinite(t->bounds.high) ? 0.0 : INFINITY;
        }
        o->layout.bounds.low[p->sums + s] = t->bounds.low;
        o->layout.bounds.high[p->sums + s] = t->bounds.high;
    }
}

void ac_shared_rows(const ac_optimization *o, double *c)
{
    const ac_phases *p = o->description.phases;
    for (int s = 0; s < p->shared_count; ++s) {
        c[p->sums + s] = 0.0;
        for (int k = 0; k < p->count; ++k) {
            c[part_row(p, k, &p->shared[s])] -= o->point.x[share(p, k, s)];
            c[p->sums + s] += o->point.x[share(p, k, s)];
        }
    }
}

void ac_shared_jacobian(ac_optimization *o, double *values)
{
    const ac_phases *p = o->description.phases;
    for (int s = 0; s < p->shared_count; ++s)
        for (int k = 0; k < p->count; ++k) {
            add_pattern_entry(o, part_row(p, k, &p->shared[s]), share(p, k, s), -1.0, values);
            add_pattern_entry(o, p->sums + s, share(p, k, s), 1.0, values);
        }
}
