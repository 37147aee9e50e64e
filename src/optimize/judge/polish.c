/* The last digits of a search that has ended near an optimum: Newton steps on its first-order conditions.
 *
 * An interior point measures its error in parts of the multipliers, and stops early where these are large: near dependent conditions,
 * with stiff springs or light bodies. From there the equations of what is active are solved exactly, first with the multipliers as they
 * are, then with small ones, for multipliers of 1e12 balance any gradient within rounding. Only points with a smaller error and without another
 * violation are kept.
 */
#include <math.h>

#include "math/math.h"
#include "optimize/judge/optimality.h"
#include "optimize/problem/prepare.h"

/* Steps of an attempt; so many of the first may help nothing; so many of the second do without the multipliers before. */
enum { STEPS = 8, PATIENCE = 3, ANEW = 4 };

/* The largest violation of rows and bounds, in their units. */
static double violation_of(ac_optimization *o, double *c)
{
    double most = 0.0;
    ac_evaluate_rows(o, c);
    for (int r = 0; r < o->layout.rows; ++r) {
        double excess = ac_max(o->layout.bounds.low[r] - c[r], c[r] - o->layout.bounds.high[r]);
        most = ac_max(most, excess / o->layout.unit.row[r]);
        if (isnan(c[r])) return INFINITY;
    }
    for (int i = 0; i < o->layout.variables; ++i) {
        double x = o->point.x[i],
               excess = ac_max(o->layout.bounds.lower[i] - x, x - o->layout.bounds.upper[i]);
        most = ac_max(most, excess / o->layout.unit.unknown[i]);
    }
    return most;
}

/* A polishing: the best point so far, and what it may violate. */
typedef struct polishing {
    ac_kept_point *best;
    double *c, violation;
} polishing;

static ac_status consider(ac_optimization *o, polishing *p, ac_optimality *result, bool *better)
{
    ac_optimality next = {0};
    *better = false;
    if (!(violation_of(o, p->c) <= p->violation)) return AC_OK;
    AC_TRY(ac_judge_first_order(o, INFINITY, &next));
    *better = next.error < result->error;
    if (!*better) return AC_OK;
    ac_kept_point_free(p->best);
    p->best = NULL;
    *result = next;
    return ac_optimization_keep(o, &p->best);
}

/* A few steps from the best point; their errors need not fall one by one. */
static ac_status attempt(ac_optimization *o, bool anew, polishing *p, ac_optimality *result)
{
    bool made = true, better;
    int patience = anew ? STEPS : PATIENCE;
    for (int k = 0; k < STEPS && patience > 0 && made && result->error > o->settings.tolerance; ++k) {
        AC_TRY(ac_newton_step(o, anew && k < ANEW, &made));
        if (made) AC_TRY(consider(o, p, result, &better));
        patience -= !made || !better;
    }
    return ac_optimization_restore_point(o, p->best);
}

ac_status ac_polish(ac_optimization *o, ac_optimality *result)
{
    polishing p = {0};
    if (result->error <= o->settings.tolerance) return AC_OK;
    p.c = ac_allocate(o->ctx, (size_t)o->layout.rows + 1, sizeof *p.c);
    if (!p.c) return ac_out_of_memory(o->ctx);
    p.violation = ac_max(violation_of(o, p.c), o->settings.tolerance);
    ac_status status = ac_optimization_keep(o, &p.best);
    if (status == AC_OK) status = attempt(o, false, &p, result);
    if (status == AC_OK && result->error > ac_optimality_limit(o, result))
        status = attempt(o, true, &p, result);
    ac_kept_point_free(p.best);
    ac_release(o->ctx, p.c);
    return status;
}
