/* Slopes of rods by all 24 coordinates, for formulations that do not move by twists; see rod.c. */
#include <string.h>

#include "action/beam/rod.h"
#include "model/beam/strain.h"

enum { SIZE = 24, STRAINS = 6, END = 12 };

typedef struct rod_strains { /* at one configuration */
    double kappa[3], tau;
    double g[STRAINS][SIZE]; /* gradients of Gamma_i and kappa_i */
    double g_tau[SIZE];
} rod_strains;

static double extent(const ac_beam_element *e, int i)
{
    return i < 3 ? e->length : e->bend;
}

static void evaluate(const ac_rod *rod, const double x[SIZE], rod_strains *s)
{
    for (int i = 0; i < STRAINS; ++i) ac_strain_gradient(&rod->shares, i, x, s->g[i]);
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
static void gradient_of(const rod_strains *s, int i, double out[SIZE])
{
    memcpy(out, s->g[i], SIZE * sizeof *out);
    if (i < 3) return;
    double f = 4.0 / (1.0 + s->tau), f_tau = -f * s->kappa[i - 3] / (1.0 + s->tau);
    for (int c = 0; c < SIZE; ++c) out[c] = f * out[c] + f_tau * s->g_tau[c];
}

/* matrix += factor times the second derivative of strain i */
static void add_hessian_of(const ac_rod *rod, const rod_strains *s, int i, double factor, double *matrix)
{
    if (i < 3) {
        ac_strain_add_hessian(&rod->shares, i, factor, matrix);
        return;
    }
    double t = 1.0 + s->tau, f = 4.0 / t, kappa = s->kappa[i - 3];
    ac_strain_add_hessian(&rod->shares, i, factor * f, matrix);
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

void ac_rod_hessian(const ac_rod *rod, const double *x, double *hessian)
{
    const ac_beam_element *e = rod->e;
    double stress[STRAINS];
    rod_strains s;
    ac_rod_stresses(rod, x, stress);
    evaluate(rod, x, &s);
    memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], weight = extent(e, i);
        gradient_of(&s, i, g);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) hessian[r * SIZE + c] += weight * e->stiffness[i] * g[r] * g[c];
        add_hessian_of(rod, &s, i, weight * stress[i], hessian);
    }
}

void ac_rod_discrete_slope(const ac_rod *rod, const double *xa, const double *xb, double *slope)
{
    const ac_beam_element *e = rod->e;
    double mean[SIZE], stress_a[STRAINS], stress_b[STRAINS];
    rod_strains a, b, m;
    ac_rod_stresses(rod, xa, stress_a);
    ac_rod_stresses(rod, xb, stress_b);
    for (int c = 0; c < SIZE; ++c) mean[c] = 0.5 * (xa[c] + xb[c]);
    evaluate(rod, xa, &a);
    evaluate(rod, xb, &b);
    evaluate(rod, mean, &m);
    memset(slope, 0, SIZE * SIZE * sizeof *slope);
    double ta = 1.0 + a.tau, tb = 1.0 + b.tau, f = 4.0 / (ta * tb), tm = 0.5 * (ta + tb);
    for (int i = 0; i < STRAINS; ++i) {
        double D[SIZE], end[SIZE], weight = extent(e, i), pull = weight * 0.5 * (stress_a[i] + stress_b[i]);
        double kappa = i < 3 ? 0.0 : 0.5 * (a.kappa[i - 3] + b.kappa[i - 3]);
        for (int c = 0; c < SIZE; ++c) D[c] = i < 3 ? m.g[i][c] : f * (tm * m.g[i][c] - kappa * m.g_tau[c]);
        gradient_of(&b, i, end);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c)
                slope[r * SIZE + c] += 0.5 * weight * e->stiffness[i] * D[r] * end[c];
        if (i < 3) {
            ac_strain_add_hessian(&rod->shares, i, 0.5 * pull, slope);
            continue;
        }
        ac_strain_add_hessian(&rod->shares, i, 0.5 * pull * f * tm, slope);
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

/* out = the second derivative of strain i times v */
static void turned_gradient(const ac_rod *rod, const rod_strains *s, int i, const double v[SIZE],
                            double out[SIZE])
{
    ac_strain_gradient(&rod->shares, i, v, out);
    if (i < 3) return;
    double t = 1.0 + s->tau, f = 4.0 / t, kappa = s->kappa[i - 3] / t, own = 0.0, trace = 0.0;
    for (int c = 0; c < SIZE; ++c) {
        own += s->g[i][c] * v[c];
        trace += s->g_tau[c] * v[c];
    }
    for (int c = 0; c < SIZE; ++c)
        out[c] = f * (out[c] + ((2.0 * kappa * trace - own) * s->g_tau[c] - trace * s->g[i][c]) / t);
    for (int c = 3; c < END; ++c) {
        out[c] -= f * kappa * v[END + c];
        out[END + c] -= f * kappa * v[c];
    }
}

void ac_rod_force_slopes(const ac_rod *rod, const double *x, const double *v, double *by_x, double *by_v)
{
    rod_strains s;
    evaluate(rod, x, &s);
    memset(by_x, 0, SIZE * SIZE * sizeof *by_x);
    memset(by_v, 0, SIZE * SIZE * sizeof *by_v);
    for (int i = 0; i < STRAINS; ++i) {
        double g[SIZE], gv[SIZE], rate = 0.0, eta = ac_beam_relaxation(rod->beam, i),
                                  factor = -extent(rod->e, i) * eta * rod->e->stiffness[i];
        gradient_of(&s, i, g);
        turned_gradient(rod, &s, i, v, gv);
        for (int c = 0; c < SIZE; ++c) rate += g[c] * v[c];
        add_hessian_of(rod, &s, i, factor * rate, by_x);
        for (int r = 0; r < SIZE; ++r)
            for (int c = 0; c < SIZE; ++c) {
                by_x[r * SIZE + c] += factor * g[r] * gv[c];
                by_v[r * SIZE + c] += factor * g[r] * g[c];
            }
    }
}
