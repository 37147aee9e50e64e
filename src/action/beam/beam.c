/* Beam elements: potential l/2 sum D_i (s_i - s_i^ref)^2 of six strains that are quadratic in the
 * coordinates of two nodes, with damping of Kelvin-Voigt type, f = - l sum eta_i D_i (ds_i/dt) grad s_i.
 *
 * Each strain is s_i = x^T A_i x / 2 with few and constant numbers in A_i, so everything below is exact:
 *   grad V = l sum N_i A_i x,    V'' = l sum [D_i (A_i x)(A_i x)^T + N_i A_i],    N_i = D_i (s_i - s_i^ref)
 * and the discrete derivative between xa and xb is l sum (N_i(xa) + N_i(xb))/2 A_i (xa + xb)/2. The Cayley
 * curvatures of rods are quotients of quadratic maps, with exact derivatives of their own: rod.c.
 *
 * The slope of damping joins that of the energy without further outer products, because A_i is constant:
 *   - by_x df/dx - by_v df/dv = l sum eta_i D_i [(A_i x)(A_i (by_x v + by_v x))^T + by_x (ds_i/dt) A_i]
 */
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "action/beam/beam_bent.h"
#include "action/beam/beam_force.h"
#include "action/beam/beam_twist.h"
#include "action/beam/beam_describe.h"
#include "action/element.h"
#include "action/beam/rod.h"
#include "model/beam/strain.h"

enum { SIZE = 24, STRAINS = 6 };

static int beam_count(const ac_system *system)
{
    return system->mesh.element_count - system->mesh.dual_elements;
}

static int beam_nodes(const ac_system *system, int k, int nodes[2])
{
    nodes[0] = system->mesh.elements[k].node;
    nodes[1] = nodes[0] + 1;
    return 2;
}

static bool beam_conservative(const ac_system *system, int k)
{
    (void)system;
    (void)k;
    return true;
}

static bool beam_dissipative(const ac_system *system, int k)
{
    return ac_beam_damped(&system->beams[system->mesh.elements[k].beam]);
}

/* Weight of strain i in the energy: the length that it stands for. */
static double extent(const ac_beam_element *e, int i)
{
    return i < 3 ? e->length : e->bend;
}

/* Strains beyond the reference times stiffness. */
static void stresses(const ac_system *system, int k, const double x[SIZE], double stress[STRAINS])
{
    double strain[STRAINS];
    ac_beam_strains(system, k, x, strain);
    ac_beam_stresses(system, k, strain, stress);
}

static const ac_beam_element *element_of(const ac_system *system, int k)
{
    return &system->mesh.elements[k];
}

static bool is_rod(const ac_system *system, int k)
{
    return system->beams[system->mesh.elements[k].beam].model != AC_BEAM_DIRECTOR;
}

/* --- energy and its derivatives ------------------------------------------------------------------------- */

static double beam_energy(const ac_system *system, int k, const double *x, const double *winding)
{
    const ac_beam_element *e = element_of(system, k);
    double stress[STRAINS], sum = 0.0;
    (void)winding;
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) sum += extent(e, i) * stress[i] * stress[i] / e->stiffness[i];
    return 0.5 * sum;
}

static void sum_gradients(const double x[SIZE], const double weight[STRAINS], double gradient[SIZE])
{
    memset(gradient, 0, SIZE * sizeof *gradient);
    ac_add_director_forces(x, weight, gradient);
}

static void beam_gradient(const ac_system *system, int k, const double *x, const double *winding,
                          double *gradient)
{
    double stress[STRAINS];
    (void)winding;
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        memset(gradient, 0, SIZE * sizeof *gradient);
        ac_rod_add_gradient(&rod, x, 1.0, gradient);
        return;
    }
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) stress[i] *= 0.5; /* l / 2l */
    sum_gradients(x, stress, gradient);
}

/* The coordinates of the two nodes of an element lie side by side. */
static const double *ends_of(const ac_system *system, int k, const double *q)
{
    return q + system->nodes[system->mesh.elements[k].node].q;
}

static double beam_add_energies(const ac_system *system, const double *q, double sum)
{
    for (int k = 0; k < beam_count(system); ++k) sum += beam_energy(system, k, ends_of(system, k, q), NULL);
    return sum;
}

/* Strains of a few elements first, then their forces: short ways that a processor can take side by side. */
static void beam_add_gradients(const ac_system *system, const double *restrict q, double factor,
                               double *restrict out)
{
    enum { FEW = 8 };
    double weight[FEW][STRAINS];
    for (int first = 0; first < beam_count(system); first += FEW) {
        int left = beam_count(system) - first, count = left < FEW ? left : FEW;
        for (int k = first; k < first + count; ++k) {
            const ac_beam_element *e = &system->mesh.elements[k];
            double *w = weight[k - first];
            if (is_rod(system, k)) {
                const ac_rod rod = ac_rod_of(system, k);
                const double *x = ends_of(system, k, q);
                ac_rod_add_gradient(&rod, x, factor, out + (x - q));
                continue;
            }
            ac_director_strains(e, ends_of(system, k, q), w);
            for (int i = 0; i < STRAINS; ++i) /* l / 2l */
                w[i] = 0.5 * factor * e->stiffness[i] * (w[i] - e->reference[i]);
        }
        for (int k = first; k < first + count; ++k) {
            const double *x = ends_of(system, k, q);
            if (!is_rod(system, k)) ac_add_director_forces(x, weight[k - first], out + (x - q));
        }
    }
}

static void beam_hessian(const ac_system *system, int k, const double *x, const double *winding,
                         double *hessian)
{
    const ac_beam_element *e = element_of(system, k);
    const double *D = e->stiffness, length = e->length;
    const ac_beam_shares shares = ac_beam_shares_of(system, k);
    double stress[STRAINS], g[SIZE];
    (void)winding;
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        ac_rod_hessian(&rod, x, hessian);
        return;
    }
    stresses(system, k, x, stress);
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (int i = 0; i < STRAINS; ++i) {
        ac_strain_gradient(&shares, i, x, g);
        ac_strain_add_outer(i, length * D[i], g, g, hessian);
        ac_strain_add_hessian(&shares, i, length * stress[i], hessian);
    }
}

static void discrete_rod(const ac_rod *rod, const double *xa, const double *xb, double *gradient,
                         double *slope)
{
    double mean[SIZE], stress[STRAINS];
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    ac_rod_stresses(rod, xa, stress);
    memset(gradient, 0, SIZE * sizeof *gradient);
    ac_rod_add_discrete(rod, xa, stress, xb, mean, 1.0, gradient);
    if (slope) ac_rod_discrete_slope(rod, xa, xb, slope);
}

static void beam_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                          const double *winding, double *gradient, double *slope)
{
    const ac_beam_element *e = element_of(system, k);
    const ac_beam_shares shares = ac_beam_shares_of(system, k);
    const double *D = e->stiffness, length = e->length;
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS], half[STRAINS];
    (void)winding;
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        discrete_rod(&rod, xa, xb, gradient, slope);
        return;
    }
    stresses(system, k, xa, stress_a);
    stresses(system, k, xb, stress_b);
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    for (int i = 0; i < STRAINS; ++i) half[i] = 0.25 * (stress_a[i] + stress_b[i]);
    sum_gradients(mean, half, gradient);
    if (!slope) return;
    memset(slope, 0, SIZE * SIZE * sizeof *slope);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], end[SIZE];
        ac_strain_gradient(&shares, i, mean, g);
        ac_strain_gradient(&shares, i, xb, end);
        ac_strain_add_outer(i, 0.5 * length * D[i], g, end, slope);
        ac_strain_add_hessian(&shares, i, length * half[i], slope);
    }
}

static void beam_stresses(const ac_system *system, const double *q, double *stress)
{
    for (int k = 0; k < beam_count(system); ++k)
        stresses(system, k, q + system->nodes[system->mesh.elements[k].node].q, stress + STRAINS * k);
}

/* The same numbers as one by one, without gathering. */
static void beam_add_discretes(const ac_system *system, const double *restrict qa,
                               const double *restrict stress_a, const double *restrict qb,
                               const double *restrict mean, double factor, double *restrict out)
{
    for (int k = 0; k < beam_count(system); ++k) {
        const ac_beam_element *e = &system->mesh.elements[k];
        int at = system->nodes[e->node].q;
        double gradient[SIZE], half[STRAINS], b[STRAINS];
        if (is_rod(system, k)) {
            const ac_rod rod = ac_rod_of(system, k);
            ac_rod_add_discrete(&rod, qa + at, stress_a + STRAINS * k, qb + at, mean + at, factor, out + at);
            continue;
        }
        ac_director_strains(e, qb + at, b);
        for (int i = 0; i < STRAINS; ++i)
            half[i] = 0.25 * (stress_a[STRAINS * k + i] + e->stiffness[i] * (b[i] - e->reference[i]));
        sum_gradients(mean + at, half, gradient);
        for (int c = 0; c < SIZE; ++c) out[at + c] += factor * gradient[c];
    }
}

/* --- slopes between twists ------------------------------------------------------------------------------ */

/* Rates of the strains at x. */
static void rates(const ac_system *system, int k, const double *x, const double *v, double rate[STRAINS])
{
    const ac_beam_shares shares = ac_beam_shares_of(system, k);
    ac_strain_rates(&shares, x, v, rate);
}

/* Adds the slope of damping at its x to that of the energy. */
static void twist_damped(const ac_system *system, int k, const ac_damping_slope *damping,
                         const ac_beam_slope *undamped, double *block)
{
    const ac_beam_element *e = element_of(system, k);
    ac_beam_slope slope = *undamped;
    double rate[STRAINS], z[SIZE];
    rates(system, k, slope.x, damping->v, rate);
    for (int c = 0; c < SIZE; ++c) z[c] = damping->by_x * damping->v[c] + damping->by_v * slope.x[c];
    for (int i = 0; i < STRAINS; ++i) {
        slope.damped[i] = e->length * e->stiffness[i] * ac_beam_relaxation(&system->beams[e->beam], i);
        slope.curvature[i] += slope.damped[i] * damping->by_x * rate[i];
    }
    slope.z = z;
    ac_beam_twist_slope(e, &slope, block);
}

static void beam_twist_hessian(const ac_system *system, int k, const double *x, const double *left,
                               const double *right, double factor, const ac_damping_slope *damping,
                               double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double stress[STRAINS];
    ac_beam_slope slope = {.x = x, .y = x, .left = left, .right = right};
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        ac_rod_twist_hessian(&rod, x, left, right, factor, damping, block);
        return;
    }
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) {
        slope.outer[i] = factor * e->length * e->stiffness[i];
        slope.curvature[i] = factor * e->length * stress[i];
    }
    if (damping) {
        twist_damped(system, k, damping, &slope, block);
    } else {
        ac_beam_twist_slope(e, &slope, block);
    }
}

static void beam_twist_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                                const double *left, double factor, const ac_damping_slope *damping,
                                double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS];
    ac_beam_slope slope = {.x = mean, .y = xb, .left = left, .right = xb};
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        ac_rod_twist_discrete(&rod, xa, xb, left, factor, damping, block);
        return;
    }
    stresses(system, k, xa, stress_a);
    stresses(system, k, xb, stress_b);
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    for (int i = 0; i < STRAINS; ++i) {
        slope.outer[i] = 0.5 * factor * e->length * e->stiffness[i];
        slope.curvature[i] = 0.25 * factor * e->length * (stress_a[i] + stress_b[i]);
    }
    if (damping) {
        twist_damped(system, k, damping, &slope, block);
    } else {
        ac_beam_twist_slope(e, &slope, block);
    }
}

/* --- damping -------------------------------------------------------------------------------------------- */

/* out += factor f of a director beam */
static inline void add_director_force(const ac_beam_element *e, const ac_beam_data *beam,
                                      const double *restrict x, const double *restrict v, double factor,
                                      double *restrict out)
{
    const double share = 0.5 / e->length;
    const ac_beam_shares shares = {share, share, 0.5 / e->bend};
    double weight[STRAINS];
    ac_strain_rates(&shares, x, v, weight);
    for (int i = 0; i < STRAINS; ++i) /* l / 2l */
        weight[i] *= -0.5 * factor * ac_beam_relaxation(beam, i) * e->stiffness[i];
    ac_add_director_forces(x, weight, out);
}

static void add_force(const ac_system *system, int k, const double *x, const double *v, double factor,
                      double *out)
{
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        ac_rod_add_force(&rod, x, v, factor, out);
        return;
    }
    const ac_beam_element *e = element_of(system, k);
    add_director_force(e, &system->beams[e->beam], x, v, factor, out);
}

static void beam_add_forces(const ac_system *system, const double *q, const double *v, double factor,
                            double *out)
{
    for (int k = 0; k < beam_count(system); ++k) {
        int at = system->nodes[system->mesh.elements[k].node].q;
        if (beam_dissipative(system, k)) add_force(system, k, q + at, v + at, factor, out + at);
    }
}

static void beam_force(const ac_system *system, int k, const double *x, const double *v,
                       const double *winding, double *f, double *by_x, double *by_v)
{
    const ac_beam_element *e = element_of(system, k);
    const ac_beam_shares shares = ac_beam_shares_of(system, k);
    double rate[STRAINS];
    (void)winding;
    memset(f, 0, SIZE * sizeof *f);
    add_force(system, k, x, v, 1.0, f);
    if (!by_x) return;
    if (is_rod(system, k)) {
        const ac_rod rod = ac_rod_of(system, k);
        ac_rod_force_slopes(&rod, x, v, by_x, by_v);
        return;
    }
    memset(by_x, 0, SIZE * SIZE * sizeof *by_x);
    memset(by_v, 0, SIZE * SIZE * sizeof *by_v);
    rates(system, k, x, v, rate);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], gv[SIZE], eta = ac_beam_relaxation(&system->beams[e->beam], i),
                                  factor = -e->length * eta * e->stiffness[i];
        ac_strain_gradient(&shares, i, x, g);
        ac_strain_gradient(&shares, i, v, gv);
        ac_strain_add_outer(i, factor, g, gv, by_x);
        ac_strain_add_hessian(&shares, i, factor * rate[i], by_x);
        ac_strain_add_outer(i, factor, g, g, by_v);
    }
}

extern const ac_element_kind ac_element_beam;
const ac_element_kind ac_element_beam = {
    .name = "beam",
    .count = beam_count,
    .nodes = beam_nodes,
    .describe = ac_beam_describe,
    .numbers = ac_beam_numbers,
    .conservative = beam_conservative,
    .dissipative = beam_dissipative,
    .energy = beam_energy,
    .add_energies = beam_add_energies,
    .gradient = beam_gradient,
    .add_gradients = beam_add_gradients,
    .hessian = beam_hessian,
    .add_bent = ac_beam_add_bent,
    .add_bent_discrete = ac_beam_add_bent_discrete,
    .along = ac_beam_along,
    .discrete = beam_discrete,
    .stresses = beam_stresses,
    .add_discretes = beam_add_discretes,
    .twist_hessian = beam_twist_hessian,
    .twist_discrete = beam_twist_discrete,
    .force = beam_force,
    .add_forces = beam_add_forces,
};
