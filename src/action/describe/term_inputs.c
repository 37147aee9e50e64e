/* Inputs on an interval: loads and controls, forces B(q)^T tau with tau constant on it. What a single input does is in
 * discrete_inputs.c. */
#include "action/term.h"

/* Forces on single freedoms may be left to the caller. */
static bool taken(const ac_discrete *d, int input)
{
    return !(d->projected && d->inputs[input].freedom >= 0);
}

static void add_forces(const ac_discrete *d, const ac_discrete_point *p, const double *tau, double factor,
                       double *const side[2])
{
    ac_station stations[2];
    for (int k = 0, count = ac_discrete_input_stations(d, p, stations); k < count; ++k)
        for (int s = 0; s < 2; ++s)
            if (stations[k].sides & (1 << s))
                ac_discrete_add_inputs(d, ac_station_place(&stations[k]), stations[k].x, tau, factor,
                                       side[s]);
}

static void values(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    add_forces(d, p, p->tau, 0.5 * p->h, side);
}

/* Loads over time change with the step, too. */
static void by_step(ac_discrete *d, const ac_discrete_point *p, double *const side[2])
{
    add_forces(d, p, p->tau, 0.5, side);
    if (p->tau_h) add_forces(d, p, p->tau_h, 0.5 * p->h, side);
}

static void slopes(ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks, void *user)
{
    ac_station stations[2];
    int count = ac_discrete_input_stations(d, p, stations);
    for (int k = 0; k < d->input_count; ++k)
        for (int e = 0; taken(d, k) && e < count; ++e)
            ac_discrete_input_slopes(d, p, &stations[e], k, sinks->entry, user);
}

static void curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                      const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    for (int k = 0; k < d->input_count; ++k) {
        if (!taken(d, k)) continue;
        ac_discrete_input_curvature(d, p, 0, k, by_h, wl, sinks->entry, user);
        ac_discrete_input_curvature(d, p, 1, k, by_h, wr, sinks->entry, user);
    }
}

extern const ac_term ac_term_inputs;
const ac_term ac_term_inputs = {
    .name = "inputs",
    .values = values,
    .by_step = by_step,
    .slopes = slopes,
    .curvature = curvature,
};
