/* After a solve that ended where the violation cannot be lowered: the multipliers there are those of the
 * search for any point at all, so what the user asked for and has large ones is in conflict. */
#include "optimize/judge/conflict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

enum { NAMES_MOST = 5 };
static const double ROW_COUNTS = 1e-3, BOUND_COUNTS = 1e-6; /* of the largest multiplier */

typedef struct wish { /* something that the user asked for */
    double size;
    char name[96];
} wish;

typedef struct wishes {
    wish list[NAMES_MOST]; /* largest first */
    int count;
} wishes;

/* Adds a wish; one that is there already keeps the larger size. */
static void add(wishes *w, double size, const char *name)
{
    int k = 0;
    while (k < w->count && strcmp(w->list[k].name, name) != 0) ++k;
    if (k < w->count) {
        w->list[k].size = ac_max(w->list[k].size, size);
    } else if (w->count < NAMES_MOST) {
        k = w->count++;
        w->list[k].size = size;
    } else if (size > w->list[--k].size) {
        w->list[k].size = size;
    } else {
        return;
    }
    snprintf(w->list[k].name, sizeof w->list[k].name, "%s", name);
    for (; k > 0 && w->list[k].size > w->list[k - 1].size; --k) {
        wish other = w->list[k];
        w->list[k] = w->list[k - 1];
        w->list[k - 1] = other;
    }
}

/* What the user asked for that makes the rows of a block; false: they are laws of mechanics. */
static bool wish_of(const ac_optimization *o, const ac_row_block *block, char *name, size_t size)
{
    switch (block->kind) {
    case AC_ROW_CONDITION: {
        const ac_condition_data *c = &o->description.conditions[block->item];
        snprintf(name, size, "condition '%.48s'%s", c->name,
                 c->place == AC_AT_START ? " at the start"
                 : c->place == AC_AT_END ? " at the end"
                                         : "");
        return true;
    }
    case AC_ROW_START:
        snprintf(name, size, "the initial %s at the start", block->item ? "velocity" : "configuration");
        return true;
    case AC_ROW_PERIODIC: snprintf(name, size, "periodicity"); return true;
    case AC_ROW_DYNAMICS:
    case AC_ROW_VELOCITY:
        if (block->place != o->layout.N || !o->settings.end_rest) return false;
        snprintf(name, size, "rest at the end");
        return true;
    case AC_ROW_TURN:
    case AC_ROW_STEP: snprintf(name, size, "the limit of turns in an interval"); return true;
    case AC_ROW_RATE:
        snprintf(name, size, "the rate of control '%.48s'", o->description.controls[block->item].name);
        return true;
    default: return false;
    }
}

static double largest_row(const ac_optimization *o)
{
    double most = 0.0;
    for (int r = 0; r < o->layout.rows; ++r) most = ac_max(most, fabs(o->found.multipliers[r]));
    return most;
}

static double of_bound(const ac_optimization *o, int unknown)
{
    return ac_max(fabs(o->found.at_lower[unknown]), fabs(o->found.at_upper[unknown]));
}

static void collect_rows(const ac_optimization *o, double least, wishes *w)
{
    char name[96];
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        double size = 0.0;
        for (int i = 0; i < block->count; ++i)
            size = ac_max(size, fabs(o->found.multipliers[block->first + i]));
        if (size >= least && wish_of(o, block, name, sizeof name)) add(w, size, name);
    }
}

/* Unknowns with one value only are none to the solver: what would push them out of it follows from the
 * rows. */
static ac_status push_of_fixed(ac_optimization *o)
{
    const ac_pattern *p = &o->layout.jacobian;
    double *values = ac_allocate(o->ctx, (size_t)p->entries + 1, sizeof *values);
    if (!values) return ac_out_of_memory(o->ctx);
    ac_evaluate_at(o, o->point.x);
    ac_evaluate_jacobian(o, values);
    for (int i = 0; i < o->layout.variables; ++i)
        if (o->layout.bounds.lower[i] == o->layout.bounds.upper[i])
            o->found.at_lower[i] = o->found.at_upper[i] = 0.0;
    for (int e = 0; e < p->entries; ++e)
        if (o->layout.bounds.lower[p->column[e]] == o->layout.bounds.upper[p->column[e]])
            o->found.at_lower[p->column[e]] -= o->found.multipliers[p->row[e]] * values[e];
    ac_release(o->ctx, values);
    return AC_OK;
}

static void collect_bounds(const ac_optimization *o, double least, wishes *w)
{
    char name[96];
    for (int k = 0; k < o->description.control_count; ++k) {
        double sum = 0.0;
        for (int n = 0; n < o->layout.N; ++n) sum += of_bound(o, ac_control_variable(o, n) + k);
        snprintf(name, sizeof name, "the limits of control '%.48s'", o->description.controls[k].name);
        if (sum >= least * o->layout.N) add(w, sum, name);
    }
    if (o->layout.by_time && of_bound(o, o->layout.first.time) >= least)
        add(w, of_bound(o, o->layout.first.time), "the limits of the duration");
    for (int j = 0; j < o->layout.parameters; ++j) {
        double size = of_bound(o, o->layout.first.parameter + j);
        snprintf(name, sizeof name, "the bounds of parameter '%.48s'", ac_optimization_parameter_name(o, j));
        if (size >= least) add(w, size, name);
    }
}

ac_status ac_name_conflict(ac_optimization *o, char *text, size_t size)
{
    wishes w = {.count = 0};
    double most = largest_row(o);
    text[0] = '\0';
    if (!(most > 0.0) || !isfinite(most)) return AC_OK;
    AC_TRY(push_of_fixed(o));
    collect_rows(o, ROW_COUNTS * most, &w);
    collect_bounds(o, BOUND_COUNTS * most, &w);
    size_t used = 0;
    for (int k = 0; k < w.count && used + sizeof w.list[k].name + 2 < size; ++k)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "", w.list[k].name);
    return AC_OK;
}
