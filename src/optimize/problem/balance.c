/* Energy balance as a condition.
 *
 *   sum_n h u_n . speed_n - (H(q_N, v_N) - H(q_0, v_0))    within the tolerance
 *
 * The left side is the error of the discretisation, of second order for smooth controls and of any size for impulses at
 * joints that rest: without the condition the least work is a motion that takes its energy from there. */
#include <math.h>
#include <stdio.h>

#include "optimize/problem/optimization.h"

static const char *const ENERGY = "_energy";

static ac_status check(const ac_optimization *o, double tolerance)
{
    const ac_discrete *d = &o->description.discrete;
    bool damped = false;
    for (int k = 0; k < d->spring_count; ++k) damped = damped || d->springs[k].damping != 0.0;
    if (!(tolerance > 0.0))
        return ac_fail(o->ctx, AC_BAD_INPUT, "the tolerance of the energy balance must be above zero");
    if (damped || d->input_count > o->description.control_count)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "the energy balance counts the work of controls; %s work, too: bound a total that "
                       "includes it",
                       damped ? "dampers do" : "loads do");
    return o->description.control_count > 0
               ? AC_OK
               : ac_fail(o->ctx, AC_BAD_INPUT, "the energy balance needs controls; add them before it");
}

ac_status ac_optimization_balance_energy(ac_optimization *o, double tolerance)
{
    const ac_quantity energy = {
        .name = ENERGY, .type = AC_QUANTITY_ENERGY, .point = {.node = AC_WHOLE_SYSTEM}};
    int total;
    char text[2 * AC_LABEL_SIZE + 16];
    AC_TRY(check(o, tolerance));
    AC_TRY(ac_optimization_add_quantity(o, &energy));
    AC_TRY(ac_optimization_add_total(o, "energy balance", -tolerance, tolerance, &total));
    for (int e = 0; e < 2; ++e) {
        ac_objective part = {.type = e == 0 ? AC_OBJECTIVE_START : AC_OBJECTIVE_END,
                             .weight = e == 0 ? 1.0 : -1.0,
                             .expression = ENERGY};
        AC_TRY(ac_optimization_add_to_total(o, total, &part, NULL, NULL));
    }
    for (int k = 0; k < o->description.control_count; ++k) {
        const char *name = o->description.controls[k].name;
        ac_objective part = {.type = AC_OBJECTIVE_RUNNING, .weight = 1.0, .expression = text};
        snprintf(text, sizeof text, "%s*%s_speed", name, name);
        AC_TRY(ac_optimization_add_to_total(o, total, &part, NULL, NULL));
    }
    return AC_OK;
}
