/* Conditions of inner nodes that an end of the motion violates. From the end to the nearest inner node the motion must then go so
 * far in one interval, however short that is: effort grows with the number of intervals, and there is no limit of fine meshes. */
#include <math.h>

#include "math/math.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

/* Violations by more than this part of the bound count: ends satisfy their own conditions to the tolerance of the solver. */
static const double CLEAR = 1e-6;

static bool end_jumps(const ac_optimization *o, const ac_condition_data *c, bool at_end,
                      ac_jumping_condition *jump)
{
    ac_term_point p = ac_term_place(o, &c->term, at_end ? o->layout.N : 0);
    double value = ac_term_evaluate(&c->term, &o->description.scalars, &p, 0),
           bound = value < c->low ? c->low : c->high;
    if (value >= c->low && value <= c->high) return false;
    if (fabs(value) < CLEAR * CLEAR * fabs(bound)) value = 0.0; /* rounding */
    *jump = (ac_jumping_condition){.name = c->name, .at_end = at_end, .value = value, .bound = bound};
    return fabs(value - bound) > CLEAR * ac_max(1.0, fabs(bound));
}

static bool find(const ac_optimization *o, int *number, ac_jumping_condition *jump)
{
    for (int k = 0; k < o->description.condition_count; ++k) {
        const ac_condition_data *c = &o->description.conditions[k];
        if (c->place != AC_AT_INNER_NODES || c->conserved || c->apart >= 0 || o->layout.N < 2) continue;
        for (int end = 0; end < 2; ++end)
            if (end_jumps(o, c, end == 1, jump) && (*number)-- == 0) return true;
    }
    return false;
}

bool ac_optimization_jumping(const ac_optimization *o, int number, ac_jumping_condition *jump)
{
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        if (find(ac_optimization_phase(o, k), &number, jump)) {
            jump->phase = ac_optimization_phase_name(o, k);
            return true;
        }
    return !o->description.phases && find(o, &number, jump);
}
