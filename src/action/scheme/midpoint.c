/* Midpoint rule: L_d = h L((q_a + q_b) / 2, (q_b - q_a) / h).
 *
 *   D1 L_d = -M v - h/2 grad V(mean),   D2 L_d = M v - h/2 grad V(mean),   -D2 D1 L_d = M/h + h/4 V''(mean)
 * Dampers act at the mean, inputs at the time nodes. */
#include <string.h>

#include "action/scheme/scheme.h"

static void begin(ac_interval *iv)
{
    const ac_system *system = iv->system;
    for (int i = 0; i < system->n; ++i) iv->constant[i] = 0.5 * iv->h * system->gravity_force[i];
    ac_interval_add_inputs(iv, AC_AT_TIME_NODE, iv->qa, 0.5 * iv->h, iv->constant);
}

static void left(const ac_interval *iv, double *out)
{
    const int n = iv->system->n;
    const double *restrict constant = iv->constant, *restrict momentum = iv->momentum;
    double *restrict force = iv->force, *restrict sum = out;
    memset(force, 0, (size_t)n * sizeof *force);
    ac_potential_add_gradient(iv->system, iv->mean, iv->winding, -0.5 * iv->h, force);
    ac_interval_add_damping(iv, iv->mean, 0.5 * iv->h, force);
    for (int i = 0; i < n; ++i) sum[i] = constant[i] - momentum[i] + force[i];
}

static void right(const ac_interval *iv, const double *p, double *out)
{
    const ac_system *system = iv->system;
    (void)p;
    for (int i = 0; i < system->n; ++i)
        out[i] = iv->momentum[i] + 0.5 * iv->h * system->gravity_force[i] + iv->force[i];
    ac_interval_add_inputs(iv, AC_AT_TIME_NODE, iv->qb, 0.5 * iv->h, out);
}

static void energy_slope(const ac_interval *iv, const ac_element_kind *kind, int k,
                         const ac_element_place *place, double *block)
{
    double x[AC_ELEMENT_MAX];
    ac_element_gather(iv->system, place, iv->mean, x);
    ac_element_hessian(kind, iv->system, k, x, iv->winding, block);
    for (int i = 0; i < place->size * place->size; ++i) block[i] *= 0.25 * iv->h;
}

static bool slope(const ac_interval *iv, const ac_element_kind *kind, int k, const ac_element_place *place,
                  double *block)
{
    return ac_interval_slope_at_mean(iv, kind, k, place, energy_slope, block);
}

static bool twist_slope(const ac_interval *iv, const ac_element_kind *kind, int k, int at, double *block)
{
    const ac_damping_slope damping = {iv->velocity + at, 0.25 * iv->h, 0.5};
    if (!kind->twist_hessian) return false;
    kind->twist_hessian(iv->system, k, iv->mean + at, iv->qa + at, iv->qb + at, 0.25 * iv->h,
                        ac_element_dissipative(kind, iv->system, k) ? &damping : NULL, block);
    return true;
}

static double potential(const ac_interval *iv)
{
    return ac_potential_energy(iv->system, iv->mean, iv->winding);
}

extern const ac_scheme ac_scheme_midpoint;
const ac_scheme ac_scheme_midpoint = {
    .name = "midpoint",
    .stations = AC_MIDPOINT,
    .at_mean = false,
    .published_factor = 1.0,
    .begin = begin,
    .left = left,
    .right = right,
    .slope = slope,
    .twist_slope = twist_slope,
    .potential = potential,
};
