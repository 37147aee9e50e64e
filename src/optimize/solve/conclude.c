/* From how the rounds of a solve have ended to the words of the outcome: solved, or why not. What the words promise:
 * docs/verdicts.md. */
#include "optimize/solve/conclude.h"

#include <stdio.h>

#include "math/math.h"
#include "optimize/judge/conflict.h"
#include "optimize/judge/doubts.h"
#include "optimize/judge/optimality.h"
#include "optimize/judge/reduce.h"
#include "optimize/phases/phases.h"

/* Coordinates that differ by more do not meet. */
static const double APART = 1e-3;

static ac_status conclude_endless(ac_optimization *o, double first, double reached)
{
    const ac_optimization_outcome *out = &o->found.outcome;
    o->found.endless = true;
    return ac_fail(
        o->ctx, AC_NOT_CONVERGED,
        "the objective seems to have no %s bound: it went from %.3g to %.3g; bound the controls or add an "
        "effort (%s, %d iterations)",
        ac_optimization_maximises(o) ? "upper" : "lower", ac_objective_asked(o, first) + 0.0, reached,
        out->words, out->iterations);
}

/* Phases that are half a turn apart satisfy the rows of their junction. */
static ac_status check_junctions(ac_optimization *o)
{
    int from, to;
    if (!o->description.phases || ac_junction_gap(o, &from, &to) <= APART) return AC_OK;
    o->found.outcome.words = "phases do not meet";
    return ac_fail(
        o->ctx, AC_NOT_CONVERGED,
        "where phase '%s' ends and phase '%s' begins, a body is half a turn away; give phase '%s' a "
        "guess that begins where the other one ends",
        ac_optimization_phase_name(o, from), ac_optimization_phase_name(o, to),
        ac_optimization_phase_name(o, to));
}

/* Nodes that satisfy everything, with another motion between them. */
static ac_status check_sides(ac_optimization *o)
{
    char text[512];
    AC_TRY(ac_name_changed_side(o, text, sizeof text));
    if (!text[0]) return AC_OK;
    o->found.outcome.words = "a distance or a bound changes sides within an interval";
    return ac_fail(o->ctx, AC_NOT_CONVERGED, "%s", text);
}

static ac_status conclude_solved(ac_optimization *o, const ac_ending *end)
{
    ac_optimization_outcome *out = &o->found.outcome;
    AC_TRY(check_junctions(o));
    AC_TRY(check_sides(o));
    if (end->outcome == AC_NLP_SOLVED && out->violation > ac_max(1e-3, 1.001 * end->violation))
        return ac_fail(
            o->ctx, AC_NOT_CONVERGED,
            "the motion found turns by whole turns between two nodes; give another guess or more intervals "
            "(largest violation %.3g: %s)",
            out->violation, out->worst);
    if (!end->held) return AC_OK;
    out->words = "the reference of the turns still moves";
    return ac_fail(o->ctx, AC_NOT_CONVERGED,
                   "the reference of the turns still moves after %d %s, so this is no optimum yet; raise "
                   "rounds (%d iterations; largest violation %.3g: %s)",
                   out->rounds, out->rounds == 1 ? "round" : "rounds", out->iterations, out->violation,
                   out->worst);
}

static ac_status conclude_stalled(ac_optimization *o)
{
    ac_optimization_outcome *out = &o->found.outcome;
    out->words = "feasible, but not optimal: the search stalled";
    return ac_fail(
        o->ctx, AC_NOT_CONVERGED,
        "%s (%d iterations, objective %.6g, error of the first-order conditions %.3g); try another "
        "guess, starts, another number of intervals or a larger tolerance",
        out->words, out->iterations, out->objective, out->optimality);
}

static ac_status conclude_saddle(ac_optimization *o, const ac_ending *end)
{
    ac_optimization_outcome *out = &o->found.outcome;
    out->words = "stationary, but no optimum: the objective improves to second order";
    if (end->endless) return conclude_endless(o, end->first_objective, end->lowest);
    return ac_fail(o->ctx, AC_NOT_CONVERGED,
                   "%s (%d iterations, objective %.6g), and no search along that direction ended at an "
                   "optimum; try another guess or starts",
                   out->words, out->iterations, out->objective);
}

/* More equations than unknowns, or no step that satisfies them all: some depend on the others. */
static ac_status name_redundant(ac_optimization *o, const ac_ending *end, char *text, size_t size)
{
    char names[400] = "";
    if (end->outcome == AC_NLP_FAILED) AC_TRY(ac_name_redundant(o, names, sizeof names));
    if (names[0])
        snprintf(text, size, "what depends on the other conditions, or contradicts them: %s", names);
    return AC_OK;
}

/* Whether to try again beside a symmetric motion. Where it satisfies its conditions that is also why it failed. */
static ac_status find_symmetry(ac_optimization *o, bool feasible, char *doubt, size_t size)
{
    char text[512];
    AC_TRY(ac_name_symmetry(o, text, sizeof text));
    o->found.symmetric = text[0] != '\0';
    if (!doubt[0] && feasible) snprintf(doubt, size, "%s", text);
    return AC_OK;
}

ac_status ac_conclude(ac_optimization *o, const ac_ending *end)
{
    ac_optimization_outcome *out = &o->found.outcome;
    bool feasible = o->found.excess <= AC_FEASIBLE * o->settings.tolerance;
    if (end->outcome == AC_NLP_SOLVED && out->second_order < 0) return conclude_saddle(o, end);
    char doubt[512] = "";
    bool failed = end->outcome != AC_NLP_SOLVED && end->outcome != AC_NLP_STOPPED;
    if (failed) AC_TRY(ac_name_dead_point(o, doubt, sizeof doubt));
    if (failed && !doubt[0]) AC_TRY(ac_name_dependent_holds(o, doubt, sizeof doubt));
    if (failed && !doubt[0]) AC_TRY(name_redundant(o, end, doubt, sizeof doubt));
    if (failed) AC_TRY(find_symmetry(o, feasible, doubt, sizeof doubt));
    if (doubt[0])
        return ac_fail(o->ctx, AC_NOT_CONVERGED, "%s (%d iterations): %s; largest violation %.3g: %s",
                       out->words, out->iterations, doubt, out->violation, out->worst);
    switch (end->outcome) {
    case AC_NLP_SOLVED: return conclude_solved(o, end);
    case AC_NLP_STOPPED:
        return ac_fail(o->ctx, AC_INTERRUPTED, "interrupted after %d iterations; largest violation %.3g: %s",
                       out->iterations, out->violation, out->worst);
    case AC_NLP_INFEASIBLE:
        if (feasible) break;
        AC_TRY(ac_name_conflict(o, out->conflict, sizeof out->conflict));
        if (out->conflict[0] == '\0') break;
        return ac_fail(o->ctx, AC_NOT_CONVERGED, "%s (%d iterations): %s; largest violation %.3g: %s",
                       out->words, out->iterations, out->conflict, out->violation, out->worst);
    default: break;
    }
    if (ac_name_not_a_number(o, doubt, sizeof doubt))
        return ac_fail(o->ctx, AC_NOT_CONVERGED,
                       "%s (%d iterations): %s; give another guess, or conditions that "
                       "keep away from there",
                       out->words, out->iterations, doubt);
    if (ac_seems_unbounded(o, end->first_objective))
        return conclude_endless(o, end->first_objective, out->objective);
    if (feasible && (end->outcome == AC_NLP_INFEASIBLE || end->outcome == AC_NLP_ACCEPTABLE))
        return conclude_stalled(o);
    return ac_fail(o->ctx, AC_NOT_CONVERGED, "%s (%d iterations); largest violation %.3g: %s", out->words,
                   out->iterations, out->violation, out->worst);
}
