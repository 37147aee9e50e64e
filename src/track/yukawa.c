/* The control equation of the H1 methods on one step, -rho1 mu'' + rho0 mu = f0 (1 - s/h), 0 <= s <= h.
 *
 * Everything is linear, so that for a constant step the solution at its end is a pair of gains. By six quadratic
 * B-splines on the nodes {0, 1/8, 1/4, 1/2, 3/4, 1, 5/4, 11/8, 3/2}, restricted to [1/4, 5/4]: Neumann conditions take all of
 * them; mixed conditions as published take four, whose slope at the start is silently zero, or five
 * (S_0 - 2 S_1 added), which is the whole space. Exactly, with z = h sqrt(rho0/rho1):
 *   Neumann  mu(h) = (f0/rho0) tanh(z/2)/z
 *   mixed    mu(h) = mu(0)/cosh z + (f0/rho0) (tanh z/z - 1/cosh z)
 */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "track/small.h"
#include "track/track.h"

/* int S_i' S_j' */
static const double STIFFNESS[6][6] = {
    {64. / 27, -40. / 27, -8. / 9, 0, 0, 0},        {-40. / 27, 88. / 27, -10. / 9, -2. / 3, 0, 0},
    {-8. / 9, -10. / 9, 4, -4. / 3, -2. / 3, 0},    {0, -2. / 3, -4. / 3, 4, -10. / 9, -8. / 9},
    {0, 0, -2. / 3, -10. / 9, 88. / 27, -40. / 27}, {0, 0, 0, -8. / 9, -40. / 27, 64. / 27},
};
/* int S_i S_j */
static const double MASS[6][6] = {
    {1. / 45, 11. / 360, 1. / 360, 0, 0, 0},
    {11. / 360, 13. / 120, 77. / 1440, 1. / 480, 0, 0},
    {1. / 360, 77. / 1440, 11. / 80, 13. / 240, 1. / 480, 0},
    {0, 1. / 480, 13. / 240, 11. / 80, 77. / 1440, 1. / 360},
    {0, 0, 1. / 480, 77. / 1440, 13. / 120, 11. / 360},
    {0, 0, 0, 1. / 360, 11. / 360, 1. / 45},
};
static const double FALLING[6] = {5. / 96, 31. / 192, 5. / 32, 3. / 32, 19. / 576, 1. / 288};
static const double CONSTANT[6] = {1. / 18, 7. / 36, 1. / 4, 1. / 4, 7. / 36, 1. / 18};

/* The unknowns w of u = start * 1 + T w: columns of T. */
static int basis(ac_track_method method, ac_track_yukawa way, double T[6][6])
{
    memset(T, 0, 36 * sizeof(double));
    if (method == AC_TRACK_NEUMANN) {
        for (int i = 0; i < 6; ++i) T[i][i] = 1.0;
        return 6;
    }
    int n = 0;
    if (way == AC_YUKAWA_FULL) {
        T[0][0] = 1.0;
        T[1][0] = -2.0;
        n = 1;
    }
    for (int i = 2; i < 6; ++i) T[i][n++] = 1.0;
    return n;
}

/* mu(h) for the right-hand side `right` (six integrals) and the value `start` at 0. */
static double solve_splines(int n, double T[6][6], double A[6][6], const double *right, double start)
{
    double K[36] = {0}, b[6] = {0}, u[6];
    for (int i = 0; i < 6; ++i) {
        double r = right[i];
        for (int j = 0; j < 6; ++j) r -= A[i][j] * start;
        for (int a = 0; a < n; ++a) {
            b[a] += T[i][a] * r;
            for (int j = 0; j < 6; ++j)
                for (int c = 0; c < n; ++c) K[AC_SIX * a + c] += T[i][a] * A[i][j] * T[j][c];
        }
    }
    ac_small_factor(n, K);
    ac_small_forward(n, K, b);
    ac_small_backward(n, K, b);
    for (int i = 0; i < 6; ++i) {
        u[i] = start;
        for (int a = 0; a < n; ++a) u[i] += T[i][a] * b[a];
    }
    return (u[4] + 2.0 * u[5]) / 3.0;
}

static void spline_gains(ac_track_method method, ac_track_yukawa way, double z2, ac_yukawa_gain *gain)
{
    double T[6][6], A[6][6];
    static const double nothing[6] = {0};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) A[i][j] = STIFFNESS[i][j] / z2 + MASS[i][j];
    int n = basis(method, way, T);
    gain->b = solve_splines(n, T, A, FALLING, 0.0);
    gain->c = solve_splines(n, T, A, CONSTANT, 0.0);
    gain->a = method == AC_TRACK_MIXED ? solve_splines(n, T, A, nothing, 1.0) : 0.0;
}

static void exact_gains(ac_track_method method, double z, ac_yukawa_gain *gain)
{
    double fall = 2.0 * ac_exp(-z) / (1.0 + ac_exp(-2.0 * z)); /* 1/cosh z, without overflow */
    if (method == AC_TRACK_NEUMANN)
        *gain = (ac_yukawa_gain){.a = 0.0, .b = ac_tanh(0.5 * z) / z, .c = 1.0};
    else
        *gain = (ac_yukawa_gain){.a = fall, .b = ac_tanh(z) / z - fall, .c = 1.0 - fall};
}

bool ac_yukawa_gains(ac_track_method method, ac_track_yukawa way, double step, double rho0, double rho1,
                     ac_yukawa_gain *gain)
{
    *gain = (ac_yukawa_gain){.a = 0.0, .b = 1.0, .c = 1.0};
    if (!(step > 0.0) || !(rho0 > 0.0) || !isfinite(rho0)) return false;
    if (method != AC_TRACK_NEUMANN && method != AC_TRACK_MIXED) return true;
    if (!(rho1 > 0.0) || !isfinite(rho1)) return false;
    double z2 = step * step * rho0 / rho1;
    if (!(z2 > 1e-12) || !(z2 < 1e12)) return false;
    if (way == AC_YUKAWA_GREEN)
        exact_gains(method, sqrt(z2), gain);
    else
        spline_gains(method, way, z2, gain);
    return true;
}

double ac_yukawa_green(double rho0, double rho1, double length, double t, double s)
{
    /* cosh(r low) cosh(r (length - high)) / (rho1 r sinh(r length)), scaled so that nothing overflows */
    double r = sqrt(rho0 / rho1), low = ac_min(t, s), high = ac_max(t, s);
    double a = 1.0 + ac_exp(-2.0 * r * low), b = 1.0 + ac_exp(-2.0 * r * (length - high));
    double c = 1.0 - ac_exp(-2.0 * r * length);
    return 0.5 * a * b / c * ac_exp(r * (low - high)) / (rho1 * r);
}

bool ac_track_gains(const ac_track_settings *settings, ac_yukawa_gain *gain)
{
    return ac_yukawa_gains(settings->method, settings->yukawa, settings->step, settings->weights.rho0,
                           settings->weights.rho1, gain);
}

void ac_track_suggest(double step, double mass, double sample_interval, ac_track_method method,
                      ac_track_weights *weights, double *omega, double *z)
{
    static const double TURN = 6.28318530717958647692;
    ac_yukawa_gain gain;
    *omega = 0.1 * TURN / sample_interval;
    *z = 1.0;
    ac_yukawa_gains(method, AC_YUKAWA_GREEN, step, 1.0, step * step, &gain);
    weights->rho0 = step * gain.b / (mass * mass * *omega * *omega);
    weights->rho1 = weights->rho0 * step * step / (*z * *z);
}
