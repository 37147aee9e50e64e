/* Trapezoidal rule (Stoermer-Verlet): L_d = h/2 [L(q_a, v) + L(q_b, v)], v = (q_b - q_a) / h.
 *
 *   D1 L_d = -M v - h/2 grad V(q_a),   D2 L_d = M v - h/2 grad V(q_b),   -D2 D1 L_d = M/h */
#include <string.h>

#include "action/relative.h"
#include "action/scheme/scheme.h"

static void begin(ac_interval *iv)
{
    const ac_system *system = iv->system;
    double half = 0.5 * iv->h;
    for (int i = 0; i < system->n; ++i) iv->constant[i] = half * system->gravity_force[i];
    ac_potential_add_gradient(system, iv->qa, iv->winding, -half, iv->constant);
    ac_interval_add_inputs(iv, AC_AT_TIME_NODE, iv->qa, half, iv->constant);
}

static void left(const ac_interval *iv, double *out)
{
    for (int i = 0; i < iv->system->n; ++i) out[i] = iv->constant[i] - iv->momentum[i];
    ac_relative_add(iv->system, iv->qa, iv->qb, iv->h, 0, out);
    ac_interval_add_damping(iv, iv->qa, 0.5 * iv->h, out);
}

static void right(const ac_interval *iv, const double *p, double *out)
{
    const ac_system *system = iv->system;
    double half = 0.5 * iv->h;
    (void)p;
    for (int i = 0; i < system->n; ++i) out[i] = iv->momentum[i] + half * system->gravity_force[i];
    ac_potential_add_gradient(system, iv->qb, iv->winding, -half, out);
    ac_relative_add(system, iv->qa, iv->qb, iv->h, 1, out);
    ac_interval_add_damping(iv, iv->qb, half, out);
    ac_interval_add_inputs(iv, AC_AT_TIME_NODE, iv->qb, half, out);
}

static bool slope(const ac_interval *iv, const ac_element_kind *kind, int k, const ac_element_place *place,
                  double *block)
{
    if (!ac_element_dissipative(kind, iv->system, k)) return false;
    memset(block, 0, (size_t)(place->size * place->size) * sizeof *block);
    if (kind->secant_slope) {
        double xa[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX];
        ac_element_gather(iv->system, place, iv->qa, xa);
        ac_element_gather(iv->system, place, iv->qb, xb);
        kind->secant_slope(iv->system, k, xa, xb, 0.5, block);
        return true;
    }
    ac_interval_damping_slope(iv, kind, k, place, iv->qa, 0.0, -0.5, block);
    return true;
}

static bool twist_slope(const ac_interval *iv, const ac_element_kind *kind, int k, int at, double *block)
{
    const ac_damping_slope damping = {iv->velocity + at, 0.0, 0.5};
    if (kind->twist_secant && ac_element_dissipative(kind, iv->system, k)) {
        kind->twist_secant(iv->system, k, iv->qa + at, iv->qb + at, 0.5, block);
        return true;
    }
    if (!kind->twist_hessian || !ac_element_dissipative(kind, iv->system, k)) return false;
    kind->twist_hessian(iv->system, k, iv->qa + at, iv->qa + at, iv->qb + at, 0.0, &damping, block);
    return true;
}

static double potential(const ac_interval *iv)
{
    return 0.5 * (ac_potential_energy(iv->system, iv->qa, iv->winding) +
                  ac_potential_energy(iv->system, iv->qb, iv->winding));
}

extern const ac_scheme ac_scheme_trapezoidal;
const ac_scheme ac_scheme_trapezoidal = {
    .name = "trapezoidal",
    .stations = AC_TRAPEZOIDAL,
    .at_mean = false,
    .published_factor = 1.0,
    .begin = begin,
    .left = left,
    .right = right,
    .slope = slope,
    .twist_slope = twist_slope,
    .potential = potential,
};
