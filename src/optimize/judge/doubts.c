/* Why a solve has failed that the solver itself cannot name: expressions that are not numbers, objectives
 * without a lower bound. */
#include "optimize/judge/doubts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/expression.h"

/* A fall by this factor, with all conditions satisfied, is taken for one without end. */
static const double ENDLESS = 1e4;
static const double FEASIBLE = 1e2; /* times the tolerance, as in solve/solve.c */

/* The order of what is not finite: 0 the value, 1 the slope, 2 the curvature; -1: nothing. */
static int order_of_failure(const ac_optimization *o, const ac_term *term, int place)
{
    ac_term_point p = ac_term_place(o, term, place);
    if (!isfinite(ac_term_evaluate(term, &o->description.scalars, &p, 2))) return 0;
    for (int i = 0; i < term->ref_count; ++i)
        if (!isfinite(term->gradient[i])) return 1;
    bool exact = strcmp(o->settings.hessian, "limited-memory") != 0;
    for (int i = 0; i < term->pair_count && exact; ++i)
        if (!isfinite(term->hessian[i])) return 2;
    return -1;
}

/* Names the operation of the expression that fails, else a quantity in it; the term has been evaluated. */
static void name_cause(const ac_term *term, char *text, size_t size)
{
    if (ac_expression_edge(term->expression, term->names, text, size) >= 0) return;
    for (int k = 0; k < term->leaf_count; ++k)
        for (int i = 0; i < term->leaves[k].count; ++i)
            if (!isfinite(term->leaves[k].g[i])) {
                snprintf(text, size, "%s", term->leaves[k].word);
                return;
            }
}

static bool report(const ac_optimization *o, const ac_term *term, int first, int last, char *text,
                   size_t size)
{
    static const char *const parts[] = {"", "slope of the ", "curvature of the "};
    for (int place = first; place <= last; ++place) {
        int order = order_of_failure(o, term, place);
        char cause[128] = "";
        if (order < 0) continue;
        name_cause(term, cause, sizeof cause);
        snprintf(text, size, "the %sexpression \"%.100s\" is not a number %s %d%s%s", parts[order],
                 term->text, term->interval ? "on interval" : "at node", place, cause[0] ? ": " : "", cause);
        return true;
    }
    return false;
}

bool ac_name_not_a_number(const ac_optimization *o, char *text, size_t size)
{
    for (int k = 0; k < o->description.objective_count; ++k) {
        const ac_objective_data *objective = &o->description.objectives[k];
        if (objective->type < AC_OBJECTIVE_START) continue;
        bool interval = objective->term.interval;
        int first = objective->type == AC_OBJECTIVE_END ? o->layout.N : 0;
        int last = interval ? o->layout.N - 1 : first;
        if (report(o, &objective->term, first, last, text, size)) return true;
    }
    for (int k = 0; k < o->description.condition_count; ++k) {
        const ac_condition_data *c = &o->description.conditions[k];
        if (c->conserved) continue;
        bool inner = c->place == AC_AT_INNER_NODES;
        int first = c->place == AC_AT_END ? o->layout.N : inner ? 1 : 0;
        int last = c->place == AC_AT_START                ? 0
                   : c->place == AC_ON_INTERVALS || inner ? o->layout.N - 1
                                                          : o->layout.N;
        if (report(o, &c->term, first, last, text, size)) return true;
    }
    return false;
}

bool ac_seems_unbounded(const ac_optimization *o, double first_objective)
{
    const ac_optimization_outcome *out = &o->found.outcome;
    return o->found.excess <= FEASIBLE * o->settings.tolerance &&
           ac_objective_asked(o, out->objective) < -ENDLESS * (1.0 + fabs(first_objective));
}
