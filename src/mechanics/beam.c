/* Beam elements: potential l/2 sum D_i (s_i - s_i^ref)^2 of six strains that are quadratic in the coordinates of two nodes,
 * with damping of Kelvin-Voigt type, f = - l sum eta D_i (ds_i/dt) grad s_i.
 *
 * Each strain is s_i = x^T A_i x / 2 with few and constant numbers in A_i, so everything below is exact:
 *   grad V = l sum N_i A_i x,    V'' = l sum [D_i (A_i x)(A_i x)^T + N_i A_i],    N_i = D_i (s_i - s_i^ref)
 * and the discrete derivative between xa and xb is l sum (N_i(xa) + N_i(xb))/2 A_i (xa + xb)/2.
 */
#include <string.h>

#include "base/vector.h"
#include "mechanics/element.h"

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

/* out = A_i x: the gradient of strain i at x, which is linear in x. */
static void strain_gradient(int i, double length, const double x[SIZE], double out[SIZE])
{
    const double half = 0.5 / length, *a = x, *b = x + END;
    memset(out, 0, SIZE * sizeof *out);
    if (i < 3) {
        const double *da = a + 3 + 3 * i, *db = b + 3 + 3 * i;
        double *oa = out + 3 + 3 * i, *ob = oa + END;
        for (int c = 0; c < 3; ++c) {
            double d = half * (da[c] + db[c]);
            out[END + c] = d;
            out[c] = -d;
            oa[c] = ob[c] = half * (b[c] - a[c]);
        }
        return;
    }
    int j = 3 + 3 * ((i + 1) % 3), k = 3 + 3 * ((i + 2) % 3);
    for (int c = 0; c < 3; ++c) {
        out[k + c] = half * b[j + c];
        out[END + j + c] = half * a[k + c];
        out[j + c] = -half * b[k + c];
        out[END + k + c] = -half * a[j + c];
    }
}

/* matrix += factor A_i */
static void add_strain_hessian(int i, double length, double factor, double *matrix)
{
    const double value = 0.5 * factor / length;
    for (int c = 0; c < 3; ++c) {
        if (i < 3) {
            for (int end = 0; end < 2; ++end) {
                int d = END * end + 3 + 3 * i + c;
                matrix[(END + c) * SIZE + d] += value;
                matrix[d * SIZE + END + c] += value;
                matrix[c * SIZE + d] -= value;
                matrix[d * SIZE + c] -= value;
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

/* Strains beyond the reference times stiffness. */
static void stresses(const ac_system *system, int k, const double x[SIZE], double stress[STRAINS])
{
    double strain[STRAINS];
    ac_beam_strains(x, system->beam_elements[k].length, strain);
    ac_beam_stresses(system, k, strain, stress);
}

static const double *stiffness_of(const ac_system *system, int k)
{
    return system->beams[system->beam_elements[k].beam].stiffness;
}

static double beam_energy(const ac_system *system, int k, const double *x, const double *memory)
{
    const double *D = stiffness_of(system, k);
    double stress[STRAINS], sum = 0.0;
    (void)memory;
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) sum += stress[i] * stress[i] / D[i];
    return 0.5 * system->beam_elements[k].length * sum;
}

/* gradient = sum weight_i A_i x, written out: forces and moments of the resultants on the two nodes. */
static void sum_gradients(const double x[SIZE], const double weight[STRAINS], double gradient[SIZE])
{
    const double *a = x, *b = x + END, *N = weight, *M = weight + 3;
    for (int c = 0; c < 3; ++c) {
        double r = b[c] - a[c], force = 0.0;
        const double da[3] = {a[3 + c], a[6 + c], a[9 + c]}, db[3] = {b[3 + c], b[6 + c], b[9 + c]};
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            force += N[i] * (da[i] + db[i]);
            gradient[3 + 3 * i + c] = N[i] * r + M[j] * db[k] - M[k] * db[j];
            gradient[END + 3 + 3 * i + c] = N[i] * r - M[j] * da[k] + M[k] * da[j];
        }
        gradient[END + c] = force;
        gradient[c] = -force;
    }
}

static void beam_gradient(const ac_system *system, int k, const double *x, const double *memory, double *gradient)
{
    double stress[STRAINS];
    (void)memory;
    stresses(system, k, x, stress);
    for (int i = 0; i < STRAINS; ++i) stress[i] *= 0.5; /* l / 2l */
    sum_gradients(x, stress, gradient);
}

static void beam_hessian(const ac_system *system, int k, const double *x, const double *memory, double *hessian)
{
    const double *D = stiffness_of(system, k), length = system->beam_elements[k].length;
    double stress[STRAINS], g[SIZE];
    (void)memory;
    stresses(system, k, x, stress);
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (int i = 0; i < STRAINS; ++i) {
        strain_gradient(i, length, x, g);
        for (int r = 0; r < SIZE; ++r) {
            double factor = length * D[i] * g[r];
            if (factor == 0.0) continue;
            for (int c = 0; c < SIZE; ++c) hessian[r * SIZE + c] += factor * g[c];
        }
        add_strain_hessian(i, length, length * stress[i], hessian);
    }
}

static void beam_discrete(const ac_system *system, int k, const double *xa, const double *xb, const double *memory,
                          double *gradient, double *slope)
{
    const double *D = stiffness_of(system, k), length = system->beam_elements[k].length;
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS], half[STRAINS];
    (void)memory;
    stresses(system, k, xa, stress_a);
    stresses(system, k, xb, stress_b);
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    for (int i = 0; i < STRAINS; ++i) half[i] = 0.25 * (stress_a[i] + stress_b[i]);
    sum_gradients(mean, half, gradient);
    if (!slope) return;
    memset(slope, 0, SIZE * SIZE * sizeof *slope);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], end[SIZE];
        strain_gradient(i, length, mean, g);
        strain_gradient(i, length, xb, end);
        for (int r = 0; r < SIZE; ++r) {
            double factor = 0.5 * length * D[i] * g[r];
            if (factor == 0.0) continue;
            for (int c = 0; c < SIZE; ++c) slope[r * SIZE + c] += factor * end[c];
        }
        add_strain_hessian(i, length, length * half[i], slope);
    }
}

static void beam_force(const ac_system *system, int k, const double *x, const double *v, const double *memory, double *f,
                       double *by_x, double *by_v)
{
    const double *D = stiffness_of(system, k), length = system->beam_elements[k].length;
    double eta = system->beams[system->beam_elements[k].beam].damping;
    (void)memory;
    memset(f, 0, SIZE * sizeof *f);
    if (by_x) {
        memset(by_x, 0, SIZE * SIZE * sizeof *by_x);
        memset(by_v, 0, SIZE * SIZE * sizeof *by_v);
    }
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], gv[SIZE], rate = 0.0, factor = -length * eta * D[i];
        strain_gradient(i, length, x, g);
        for (int c = 0; c < SIZE; ++c) rate += g[c] * v[c];
        for (int c = 0; c < SIZE; ++c) f[c] += factor * rate * g[c];
        if (!by_x) continue;
        strain_gradient(i, length, v, gv);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) {
                by_x[r * SIZE + c] += factor * g[r] * gv[c];
                by_v[r * SIZE + c] += factor * g[r] * g[c];
            }
        add_strain_hessian(i, length, factor * rate, by_x);
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
    .hessian = beam_hessian,
    .discrete = beam_discrete,
    .force = beam_force,
};
