/* Beam elements: potential l/2 sum D_i (s_i - s_i^ref)^2 of six strains that are quadratic in the
 * coordinates of two nodes,
 * with damping of Kelvin-Voigt type, f = - l sum eta D_i (ds_i/dt) grad s_i.
 *
 * Each strain is s_i = x^T A_i x / 2 with few and constant numbers in A_i, so everything below is exact:
 *   grad V = l sum N_i A_i x,    V'' = l sum [D_i (A_i x)(A_i x)^T + N_i A_i],    N_i = D_i (s_i - s_i^ref)
 * and the discrete derivative between xa and xb is l sum (N_i(xa) + N_i(xb))/2 A_i (xa + xb)/2. The Cayley
 * curvatures of rods
 * are quotients of quadratic maps, with exact derivatives of their own.
 */
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "mechanics/beam_twist.h"
#include "mechanics/element.h"
#include "model/beam_strain.h"

enum { SIZE = 24, STRAINS = 6, END = 12 };

static int beam_count(const ac_system *system)
{
    return system->beam_element_count;
}

static int beam_nodes(const ac_system *system, int k, int nodes[2])
{
    nodes[0] = system->beam_elements[k].node;
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
    return system->beams[system->beam_elements[k].beam].damping > 0.0;
}

/* Weight of strain i in the energy: the length that it stands for. */
static double extent(const ac_beam_element *e, int i)
{
    return i < 3 ? e->length : e->bend;
}

/* out = A_i x: the gradient of the quadratic strain i at x, which is linear in x. wa and wb: shares of the
 * two frames. */
static void strain_gradient(const ac_beam_element *e, int i, double wa, double wb, const double x[SIZE],
                            double out[SIZE])
{
    const double *a = x, *b = x + END;
    memset(out, 0, SIZE * sizeof *out);
    if (i < 3) {
        if (!(e->length > 0.0)) return;
        const double *da = a + 3 + 3 * i, *db = b + 3 + 3 * i;
        double *oa = out + 3 + 3 * i, *ob = oa + END, share_a = wa / e->length, share_b = wb / e->length;
        for (int c = 0; c < 3; ++c) {
            double d = share_a * da[c] + share_b * db[c];
            out[END + c] = d;
            out[c] = -d;
            oa[c] = share_a * (b[c] - a[c]);
            ob[c] = share_b * (b[c] - a[c]);
        }
        return;
    }
    const double half = 0.5 / e->bend;
    int j = 3 + 3 * ((i + 1) % 3), k = 3 + 3 * ((i + 2) % 3);
    for (int c = 0; c < 3; ++c) {
        out[k + c] = half * b[j + c];
        out[END + j + c] = half * a[k + c];
        out[j + c] = -half * b[k + c];
        out[END + k + c] = -half * a[j + c];
    }
}

/* matrix += factor A_i */
static void add_strain_hessian(const ac_beam_element *e, int i, double wa, double wb, double factor,
                               double *matrix)
{
    if (i < 3 && !(e->length > 0.0)) return;
    const double value = i < 3 ? factor / e->length : 0.5 * factor / e->bend;
    for (int c = 0; c < 3; ++c) {
        if (i < 3) {
            for (int end = 0; end < 2; ++end) {
                int d = END * end + 3 + 3 * i + c;
                double share = (end == 0 ? wa : wb) * value;
                matrix[(END + c) * SIZE + d] += share;
                matrix[d * SIZE + END + c] += share;
                matrix[c * SIZE + d] -= share;
                matrix[d * SIZE + c] -= share;
            }
        } else {
            int j = 3 + 3 * ((i + 1) % 3) + c, k = 3 + 3 * ((i + 2) % 3) + c;
            matrix[k * SIZE + END + j] += value;
            matrix[(END + j) * SIZE + k] += value;
            matrix[j * SIZE + END + k] -= value;
            matrix[(END + k) * SIZE + j] -= value;
        }
    }
}

/* matrix += factor u v^T for gradients of strain i: only four triples of their numbers are not zero. */
static void add_outer(int i, double factor, const double u[SIZE], const double v[SIZE], double *matrix)
{
    int a = i < 3 ? 0 : 3 + 3 * ((i + 1) % 3), b = i < 3 ? 3 + 3 * i : 3 + 3 * ((i + 2) % 3);
    const int at[4] = {a, b, END + a, END + b};
    for (int r = 0; r < 4; ++r)
        for (int x = 0; x < 3; ++x) {
            double scaled = factor * u[at[r] + x], *row = matrix + (at[r] + x) * SIZE;
            for (int c = 0; c < 4; ++c)
                for (int y = 0; y < 3; ++y) row[at[c] + y] += scaled * v[at[c] + y];
        }
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
    return &system->beam_elements[k];
}

static bool is_rod(const ac_system *system, int k)
{
    return system->beams[system->beam_elements[k].beam].model != AC_BEAM_DIRECTOR;
}

/* --- rods: K_i = 4 kappa_i / (1 + tau), kappa_i the quadratic curvature, tau the trace of the relative
 * rotation ---------- */

typedef struct rod_strains { /* at one configuration */
    double wa, wb;
    double kappa[3], tau;
    double g[STRAINS][SIZE]; /* gradients of Gamma_i and kappa_i */
    double g_tau[SIZE];
} rod_strains;

static void rod_evaluate(const ac_system *system, int k, const double x[SIZE], rod_strains *s)
{
    const ac_beam_element *e = element_of(system, k);
    bool edge = system->beams[e->beam].model == AC_BEAM_EDGE;
    s->wa = edge ? 1.0 : 0.5;
    s->wb = edge ? 0.0 : 0.5;
    for (int i = 0; i < STRAINS; ++i) strain_gradient(e, i, s->wa, s->wb, x, s->g[i]);
    memset(s->g_tau, 0, sizeof s->g_tau);
    s->tau = 0.0;
    for (int c = 3; c < END; ++c) {
        s->tau += x[c] * x[END + c];
        s->g_tau[c] = x[END + c];
        s->g_tau[END + c] = x[c];
    }
    for (int i = 0; i < 3; ++i) {
        s->kappa[i] = 0.0; /* homogeneous of degree two */
        for (int c = 0; c < SIZE; ++c) s->kappa[i] += 0.5 * s->g[3 + i][c] * x[c];
    }
}

/* out = gradient of strain i */
static void rod_gradient_of(const rod_strains *s, int i, double out[SIZE])
{
    memcpy(out, s->g[i], SIZE * sizeof *out);
    if (i < 3) return;
    double f = 4.0 / (1.0 + s->tau), f_tau = -f * s->kappa[i - 3] / (1.0 + s->tau);
    for (int c = 0; c < SIZE; ++c) out[c] = f * out[c] + f_tau * s->g_tau[c];
}

/* matrix += factor times the second derivative of strain i */
static void rod_add_hessian_of(const ac_beam_element *e, const rod_strains *s, int i, double factor,
                               double *matrix)
{
    if (i < 3) {
        add_strain_hessian(e, i, s->wa, s->wb, factor, matrix);
        return;
    }
    double t = 1.0 + s->tau, f = 4.0 / t, kappa = s->kappa[i - 3];
    add_strain_hessian(e, i, s->wa, s->wb, factor * f, matrix);
    for (int c = 3; c < END; ++c) {
        matrix[c * SIZE + END + c] -= factor * f * kappa / t;
        matrix[(END + c) * SIZE + c] -= factor * f * kappa / t;
    }
    for (int r = 0; r < SIZE; ++r)
        for (int c = 0; c < SIZE; ++c)
            matrix[r * SIZE + c] += factor * f / t *
                                    (2.0 * kappa / t * s->g_tau[r] * s->g_tau[c] - s->g[i][r] * s->g_tau[c] -
                                     s->g_tau[r] * s->g[i][c]);
}

static void rod_gradient(const ac_system *system, int k, const double x[SIZE], const double stress[STRAINS],
                         double *gradient)
{
    const ac_beam_element *e = element_of(system, k);
    rod_strains s;
    rod_evaluate(system, k, x, &s);
    memset(gradient, 0, SIZE * sizeof *gradient);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], weight = extent(e, i) * stress[i];
        rod_gradient_of(&s, i, g);
        for (int c = 0; c < SIZE; ++c) gradient[c] += weight * g[c];
    }
}

static void rod_hessian(const ac_system *system, int k, const double x[SIZE], const double stress[STRAINS],
                        double *hessian)
{
    const ac_beam_element *e = element_of(system, k);
    rod_strains s;
    rod_evaluate(system, k, x, &s);
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], weight = extent(e, i);
        rod_gradient_of(&s, i, g);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) hessian[r * SIZE + c] += weight * e->stiffness[i] * g[r] * g[c];
        rod_add_hessian_of(e, &s, i, weight * stress[i], hessian);
    }
}

/* Discrete derivative of strain i: for the quotient K_b - K_a = 4 [(1 + tau_m) dkappa - kappa_m dtau] / (1 +
 * tau_a)(1 + tau_b)
 * with the means tau_m, kappa_m; dkappa and dtau are exact with gradients at the mean configuration. */
static void rod_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                         const double *stress_a, const double *stress_b, double *gradient, double *slope)
{
    const ac_beam_element *e = element_of(system, k);
    double mean[SIZE];
    rod_strains a, b, m;
    for (int c = 0; c < SIZE; ++c) mean[c] = 0.5 * (xa[c] + xb[c]);
    rod_evaluate(system, k, xa, &a);
    rod_evaluate(system, k, xb, &b);
    rod_evaluate(system, k, mean, &m);
    memset(gradient, 0, SIZE * sizeof *gradient);
    if (slope) memset(slope, 0, SIZE * SIZE * sizeof *slope);
    double ta = 1.0 + a.tau, tb = 1.0 + b.tau, f = 4.0 / (ta * tb), tm = 0.5 * (ta + tb);
    for (int i = 0; i < STRAINS; ++i) {
        double D[SIZE], end[SIZE], weight = extent(e, i), pull = weight * 0.5 * (stress_a[i] + stress_b[i]);
        double kappa = i < 3 ? 0.0 : 0.5 * (a.kappa[i - 3] + b.kappa[i - 3]);
        for (int c = 0; c < SIZE; ++c) D[c] = i < 3 ? m.g[i][c] : f * (tm * m.g[i][c] - kappa * m.g_tau[c]);
        for (int c = 0; c < SIZE; ++c) gradient[c] += pull * D[c];
        if (!slope) continue;
        rod_gradient_of(&b, i, end);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c)
                slope[r * SIZE + c] += 0.5 * weight * e->stiffness[i] * D[r] * end[c];
        if (i < 3) {
            add_strain_hessian(e, i, m.wa, m.wb, 0.5 * pull, slope);
            continue;
        }
        add_strain_hessian(e, i, m.wa, m.wb, 0.5 * pull * f * tm, slope);
        for (int c = 3; c < END; ++c) {
            slope[c * SIZE + END + c] -= 0.5 * pull * f * kappa;
            slope[(END + c) * SIZE + c] -= 0.5 * pull * f * kappa;
        }
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c)
                slope[r * SIZE + c] += pull * (f * 0.5 * (b.g_tau[c] * m.g[i][r] - b.g[i][c] * m.g_tau[r]) -
                                               D[r] * b.g_tau[c] / tb);
    }
}

/* --- energy and its derivatives
 * -------------------------------------------------------------------------------------- */

static double beam_energy(const ac_system *system, int k, const double *x, const double *memory)
{
    const ac_beam_element *e = element_of(system, k);
    double stress[STRAINS], sum = 0.0;
    (void)memory;
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) sum += extent(e, i) * stress[i] * stress[i] / e->stiffness[i];
    return 0.5 * sum;
}

/* gradient += sum weight_i A_i x, written out: forces and moments of the resultants on the two nodes. */
static inline void add_sum_of_gradients(const double *restrict x, const double *restrict weight,
                                        double *restrict gradient)
{
    const double *N = weight, *M = weight + 3;
    const ac_triple a1 = ac_triple_of(x + 3), a2 = ac_triple_of(x + 6), a3 = ac_triple_of(x + 9);
    const ac_triple b1 = ac_triple_of(x + 15), b2 = ac_triple_of(x + 18), b3 = ac_triple_of(x + 21);
    const ac_triple r = ac_triple_difference(ac_triple_of(x + END), ac_triple_of(x));
    const ac_triple force = ac_triple_mix3(N[0], ac_triple_sum(a1, b1), N[1], ac_triple_sum(a2, b2), N[2],
                                           ac_triple_sum(a3, b3));
    const ac_triple r1 = ac_triple_scaled(N[0], r), r2 = ac_triple_scaled(N[1], r),
                    r3 = ac_triple_scaled(N[2], r);
    ac_triple_put(ac_triple_difference(ac_triple_of(gradient), force), gradient);
    ac_triple_add(ac_triple_sum(r1, ac_triple_mix(M[1], b3, -M[2], b2)), gradient + 3);
    ac_triple_add(ac_triple_sum(r2, ac_triple_mix(M[2], b1, -M[0], b3)), gradient + 6);
    ac_triple_add(ac_triple_sum(r3, ac_triple_mix(M[0], b2, -M[1], b1)), gradient + 9);
    gradient += END;
    ac_triple_add(force, gradient);
    ac_triple_add(ac_triple_sum(r1, ac_triple_mix(M[2], a2, -M[1], a3)), gradient + 3);
    ac_triple_add(ac_triple_sum(r2, ac_triple_mix(M[0], a3, -M[2], a1)), gradient + 6);
    ac_triple_add(ac_triple_sum(r3, ac_triple_mix(M[1], a1, -M[0], a2)), gradient + 9);
}

static void sum_gradients(const double x[SIZE], const double weight[STRAINS], double gradient[SIZE])
{
    memset(gradient, 0, SIZE * sizeof *gradient);
    add_sum_of_gradients(x, weight, gradient);
}

static void beam_gradient(const ac_system *system, int k, const double *x, const double *memory,
                          double *gradient)
{
    double stress[STRAINS];
    (void)memory;
    stresses(system, k, x, stress);
    if (is_rod(system, k)) {
        rod_gradient(system, k, x, stress, gradient);
        return;
    }
    for (int i = 0; i < STRAINS; ++i) stress[i] *= 0.5; /* l / 2l */
    sum_gradients(x, stress, gradient);
}

/* The coordinates of the two nodes of an element lie side by side. */
static const double *ends_of(const ac_system *system, int k, const double *q)
{
    return q + system->nodes[system->beam_elements[k].node].q;
}

static void add_rod_gradient(const ac_system *system, int k, const double *q, double factor, double *out)
{
    const double *x = ends_of(system, k, q);
    double stress[STRAINS], gradient[SIZE];
    out += x - q;
    stresses(system, k, x, stress);
    rod_gradient(system, k, x, stress, gradient);
    for (int c = 0; c < SIZE; ++c) out[c] += factor * gradient[c];
}

/* Strains of a few elements first, then their forces: short ways that a processor can take side by side. */
static void beam_add_gradients(const ac_system *system, const double *restrict q, double factor,
                               double *restrict out)
{
    enum { FEW = 8 };
    double weight[FEW][STRAINS];
    for (int first = 0; first < system->beam_element_count; first += FEW) {
        int left = system->beam_element_count - first, count = left < FEW ? left : FEW;
        for (int k = first; k < first + count; ++k) {
            const ac_beam_element *e = &system->beam_elements[k];
            double *w = weight[k - first];
            if (is_rod(system, k)) {
                add_rod_gradient(system, k, q, factor, out);
                continue;
            }
            ac_director_strains(e, ends_of(system, k, q), w);
            for (int i = 0; i < STRAINS; ++i) /* l / 2l */
                w[i] = 0.5 * factor * e->stiffness[i] * (w[i] - e->reference[i]);
        }
        for (int k = first; k < first + count; ++k) {
            const double *x = ends_of(system, k, q);
            if (!is_rod(system, k)) add_sum_of_gradients(x, weight[k - first], out + (x - q));
        }
    }
}

static void beam_hessian(const ac_system *system, int k, const double *x, const double *memory,
                         double *hessian)
{
    const ac_beam_element *e = element_of(system, k);
    const double *D = e->stiffness, length = e->length;
    double stress[STRAINS], g[SIZE];
    (void)memory;
    stresses(system, k, x, stress);
    if (is_rod(system, k)) {
        rod_hessian(system, k, x, stress, hessian);
        return;
    }
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (int i = 0; i < STRAINS; ++i) {
        strain_gradient(e, i, 0.5, 0.5, x, g);
        add_outer(i, length * D[i], g, g, hessian);
        add_strain_hessian(e, i, 0.5, 0.5, length * stress[i], hessian);
    }
}

static void beam_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                          const double *memory, double *gradient, double *slope)
{
    const ac_beam_element *e = element_of(system, k);
    const double *D = e->stiffness, length = e->length;
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS], half[STRAINS];
    (void)memory;
    stresses(system, k, xa, stress_a);
    stresses(system, k, xb, stress_b);
    if (is_rod(system, k)) {
        rod_discrete(system, k, xa, xb, stress_a, stress_b, gradient, slope);
        return;
    }
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    for (int i = 0; i < STRAINS; ++i) half[i] = 0.25 * (stress_a[i] + stress_b[i]);
    sum_gradients(mean, half, gradient);
    if (!slope) return;
    memset(slope, 0, SIZE * SIZE * sizeof *slope);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], end[SIZE];
        strain_gradient(e, i, 0.5, 0.5, mean, g);
        strain_gradient(e, i, 0.5, 0.5, xb, end);
        add_outer(i, 0.5 * length * D[i], g, end, slope);
        add_strain_hessian(e, i, 0.5, 0.5, length * half[i], slope);
    }
}

static void beam_stresses(const ac_system *system, const double *q, double *stress)
{
    for (int k = 0; k < system->beam_element_count; ++k)
        stresses(system, k, q + system->nodes[system->beam_elements[k].node].q, stress + STRAINS * k);
}

/* The same numbers as one by one, without gathering. */
static void beam_add_discretes(const ac_system *system, const double *restrict qa,
                               const double *restrict stress_a, const double *restrict qb,
                               const double *restrict mean, double factor, double *restrict out)
{
    for (int k = 0; k < system->beam_element_count; ++k) {
        const ac_beam_element *e = &system->beam_elements[k];
        int at = system->nodes[e->node].q;
        double gradient[SIZE], half[STRAINS], b[STRAINS];
        if (is_rod(system, k)) {
            beam_discrete(system, k, qa + at, qb + at, NULL, gradient, NULL);
        } else {
            ac_director_strains(e, qb + at, b);
            for (int i = 0; i < STRAINS; ++i)
                half[i] = 0.25 * (stress_a[STRAINS * k + i] + e->stiffness[i] * (b[i] - e->reference[i]));
            sum_gradients(mean + at, half, gradient);
        }
        for (int c = 0; c < SIZE; ++c) out[at + c] += factor * gradient[c];
    }
}

static bool beam_twist_hessian(const ac_system *system, int k, const double *x, const double *left,
                               const double *right, double factor, double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double stress[STRAINS];
    ac_beam_slope slope = {.x = x, .y = x, .left = left, .right = right};
    if (is_rod(system, k)) return false;
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) {
        slope.outer[i] = factor * e->length * e->stiffness[i];
        slope.curvature[i] = factor * e->length * stress[i];
    }
    ac_beam_twist_slope(e, &slope, block);
    return true;
}

static bool beam_twist_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                                const double *left, double factor, double *block)
{
    const ac_beam_element *e = element_of(system, k);
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS];
    ac_beam_slope slope = {.x = mean, .y = xb, .left = left, .right = xb};
    if (is_rod(system, k)) return false;
    stresses(system, k, xa, stress_a);
    stresses(system, k, xb, stress_b);
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    for (int i = 0; i < STRAINS; ++i) {
        slope.outer[i] = 0.5 * factor * e->length * e->stiffness[i];
        slope.curvature[i] = 0.25 * factor * e->length * (stress_a[i] + stress_b[i]);
    }
    ac_beam_twist_slope(e, &slope, block);
    return true;
}

static void beam_force(const ac_system *system, int k, const double *x, const double *v, const double *memory,
                       double *f, double *by_x, double *by_v)
{
    const ac_beam_element *e = element_of(system, k);
    double eta = system->beams[e->beam].damping, hessian[SIZE * SIZE];
    rod_strains s;
    (void)memory;
    rod_evaluate(system, k, x, &s);
    memset(f, 0, SIZE * sizeof *f);
    if (by_x) {
        memset(by_x, 0, SIZE * SIZE * sizeof *by_x);
        memset(by_v, 0, SIZE * SIZE * sizeof *by_v);
    }
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], gv[SIZE] = {0}, rate = 0.0, factor = -extent(e, i) * eta * e->stiffness[i];
        if (is_rod(system, k)) {
            rod_gradient_of(&s, i, g);
        } else {
            memcpy(g, s.g[i], sizeof g);
        }
        for (int c = 0; c < SIZE; ++c) rate += g[c] * v[c];
        for (int c = 0; c < SIZE; ++c) f[c] += factor * rate * g[c];
        if (!by_x) continue;
        memset(hessian, 0, sizeof hessian);
        if (is_rod(system, k)) {
            rod_add_hessian_of(e, &s, i, 1.0, hessian);
        } else {
            add_strain_hessian(e, i, 0.5, 0.5, 1.0, hessian);
        }
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) gv[r] += hessian[r * SIZE + c] * v[c];
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) {
                by_x[r * SIZE + c] += factor * (g[r] * gv[c] + rate * hessian[r * SIZE + c]);
                by_v[r * SIZE + c] += factor * g[r] * g[c];
            }
    }
}

extern const ac_element_kind ac_element_beam;
const ac_element_kind ac_element_beam = {
    .name = "beam",
    .count = beam_count,
    .nodes = beam_nodes,
    .conservative = beam_conservative,
    .dissipative = beam_dissipative,
    .energy = beam_energy,
    .gradient = beam_gradient,
    .add_gradients = beam_add_gradients,
    .hessian = beam_hessian,
    .discrete = beam_discrete,
    .stresses = beam_stresses,
    .add_discretes = beam_add_discretes,
    .twist_hessian = beam_twist_hessian,
    .twist_discrete = beam_twist_discrete,
    .force = beam_force,
};
