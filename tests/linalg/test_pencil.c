/* Modes of small systems against closed forms, and against each other: the symmetric way and the general one. */
#include "linalg/pencil.h"

#include <stdlib.h>

#include "support/numeric.h"
#include "test.h"

enum { MOST = 12 };

static int solve(ac_context *ctx, int n, const double *M, const double *C, const double *K, double near,
                 ac_exponent *modes, double *x)
{
    ac_pencil p = {n, M, C, K};
    int found = 0;
    for (int k = 0; k < 2 * n; ++k) modes[k].x = x + 2 * k * n;
    CHECK(ac_pencil_modes(ctx, &p, near, 2 * n, modes, &found) == AC_OK);
    return found;
}

/* |(s^2 M + s C + K) x| beside |x| */
static double residual(int n, const double *M, const double *C, const double *K, const ac_exponent *m)
{
    double worst = 0.0, largest = 0.0, s2re = m->re * m->re - m->im * m->im, s2im = 2.0 * m->re * m->im;
    for (int i = 0; i < n; ++i) {
        double re = 0.0, im = 0.0;
        for (int j = 0; j < n; ++j) {
            double a = s2re * M[i * n + j] + (C ? m->re * C[i * n + j] : 0.0) + K[i * n + j];
            double b = s2im * M[i * n + j] + (C ? m->im * C[i * n + j] : 0.0);
            re += a * m->x[j] - b * m->x[n + j];
            im += b * m->x[j] + a * m->x[n + j];
        }
        worst = fmax(worst, hypot(re, im));
        largest = fmax(largest, hypot(m->x[i], m->x[n + i]));
    }
    return worst / largest;
}

/* m s^2 + c s + k = 0 */
TEST(one_mass)
{
    ac_context *ctx = ac_context_new(NULL);
    const double cases[][3] = {{2, 0.3, 8}, {2, 20, 8}, {1, 0, 4}, {1, -0.1, 4}, {3, 0.5, -2}, {0, 2, 6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double m = cases[k][0], c = cases[k][1], s = cases[k][2], x[8], square = c * c - 4.0 * m * s;
        ac_exponent modes[2];
        int found = solve(ctx, 1, &m, &c, &s, 0.0, modes, x);
        if (m == 0.0) {
            CHECK(found == 1);
            CHECK_NEAR(modes[0].re, -s / c, 1e-12);
        } else if (square < 0.0) {
            CHECK(found == 1);
            CHECK_NEAR(modes[0].re, -c / (2.0 * m), 1e-12);
            CHECK_NEAR(modes[0].im, sqrt(-square) / (2.0 * m), 1e-12);
        } else {
            CHECK(found == 2);
            CHECK_NEAR(modes[0].re + modes[1].re, -c / m, 1e-9);
            CHECK_NEAR(modes[0].re * modes[1].re, s / m, 1e-9);
        }
    }
    ac_context_free(ctx);
}

/* A free chain of n equal masses and springs: w_k = 2 sin(k pi / 2 n), one of them 0. */
TEST(free_chain_both_ways)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int n = 2; n <= MOST; ++n) {
        double M[MOST * MOST] = {0}, K[MOST * MOST] = {0}, none[MOST * MOST] = {0};
        static double x[4 * MOST * MOST];
        for (int i = 0; i < n; ++i) M[i * n + i] = 1.0;
        for (int i = 0; i + 1 < n; ++i) {
            K[i * n + i] += 1.0;
            K[(i + 1) * n + i + 1] += 1.0;
            K[i * n + i + 1] = K[(i + 1) * n + i] = -1.0;
        }
        for (int general = 0; general < 2; ++general) {
            ac_exponent modes[2 * MOST];
            CHECK(solve(ctx, n, M, general ? none : NULL, K, 0.0, modes, x) == n);
            CHECK(modes[0].im == 0.0 && modes[0].re == 0.0);
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(modes[k].im, 2.0 * sin(1.5707963267948966 * k / n), 1e-12);
                CHECK_NEAR(residual(n, M, NULL, K, &modes[k]), 0.0, 1e-8);
            }
        }
    }
    ac_context_free(ctx);
}

/* Damping proportional to mass and stiffness, C = a M + b K: s^2 + (a + b w^2) s + w^2 = 0. One mass is missing, and one
 * direction is unstable in some. */
TEST(random_systems)
{
    ac_context *ctx = ac_context_new(NULL);
    dice d = {9};
    for (int trial = 0; trial < 40; ++trial) {
        int n = 2 + trial % (MOST - 1);
        double X[MOST * MOST], M[MOST * MOST] = {0}, K[MOST * MOST] = {0}, C[MOST * MOST], w[MOST];
        static double x[4 * MOST * MOST];
        ac_exponent modes[2 * MOST];
        dice_vector(&d, n * n, 1.0, X);
        for (int i = 0; i < n; ++i) X[i * n + i] += 3.0;
        for (int k = 0; k < n; ++k) w[k] = trial % 4 == 3 && k == 0 ? -4.0 : (1.0 + k) * (1.0 + k);
        for (int k = 0; k < n; ++k) /* M = X^T X but for the last, K = X^T diag(w) X */
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    M[i * n + j] += (trial % 5 == 4 && k == n - 1 ? 0.0 : 1.0) * X[k * n + i] * X[k * n + j];
                    K[i * n + j] += w[k] * X[k * n + i] * X[k * n + j];
                }
        int finite = trial % 5 == 4 ? n - 1 : n;
        CHECK(solve(ctx, n, M, NULL, K, 0.0, modes, x) == finite);
        for (int k = 0; k < finite; ++k) {
            double s = modes[k].im > 0.0 ? modes[k].im * modes[k].im : -modes[k].re * modes[k].re,
                   best = INFINITY;
            for (int i = 0; i < n; ++i) best = fmin(best, fabs(s - w[i]));
            CHECK_NEAR(best, 0.0, 1e-9);
            CHECK_NEAR(residual(n, M, NULL, K, &modes[k]), 0.0, 1e-7);
        }
        for (int i = 0; i < n * n; ++i) C[i] = 0.02 * M[i] + 0.01 * K[i];
        int found = solve(ctx, n, M, C, K, 3.0, modes, x);
        CHECK(found >= finite);
        for (int k = 0; k < found; ++k) {
            CHECK(modes[k].im >= 0.0);
            CHECK_NEAR(residual(n, M, C, K, &modes[k]), 0.0, 1e-6);
        }
    }
    ac_context_free(ctx);
}

/* A gyroscope: x'' - g y' + k x, y'' + g x' + k y: s = i (sqrt(g^2 + 4 k) +- g) / 2, also where k < 0 (held up by turning). */
TEST(gyroscope)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int trial = 0; trial < 2; ++trial) {
        double g = 5.0, k = trial == 0 ? 2.0 : -2.0, x[32];
        const double M[4] = {1, 0, 0, 1}, C[4] = {0, -g, g, 0}, K[4] = {k, 0, 0, k};
        ac_exponent modes[4];
        CHECK(solve(ctx, 2, M, C, K, 0.0, modes, x) == 2);
        double root = sqrt(g * g + 4.0 * k);
        CHECK_NEAR(modes[0].im, fabs(root - g) / 2.0, 1e-10);
        CHECK_NEAR(modes[1].im, (root + g) / 2.0, 1e-10);
        CHECK_NEAR(modes[0].re, 0.0, 1e-10);
    }
    ac_context_free(ctx);
}

TEST(nearest_to_a_frequency)
{
    ac_context *ctx = ac_context_new(NULL);
    double M[25] = {0}, K[25] = {0}, x[50];
    for (int i = 0; i < 5; ++i) {
        M[6 * i] = 1.0;
        K[6 * i] = (i + 1.0) * (i + 1.0);
    }
    ac_pencil p = {5, M, NULL, K};
    ac_exponent modes[2] = {{.x = x}, {.x = x + 10}};
    int found;
    CHECK(ac_pencil_modes(ctx, &p, 3.6, 2, modes, &found) == AC_OK);
    CHECK(found == 2);
    CHECK_NEAR(modes[0].im, 3.0, 1e-13);
    CHECK_NEAR(modes[1].im, 4.0, 1e-13);
    ac_context_free(ctx);
}

TEST(a_motion_without_inertia_and_stiffness_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    double M[4] = {1, 0, 0, 0}, K[4] = {1, 0, 0, 0}, x[8];
    ac_pencil p = {2, M, NULL, K};
    ac_exponent modes[2] = {{.x = x}, {.x = x + 4}};
    int found;
    CHECK(ac_pencil_modes(ctx, &p, 0.0, 2, modes, &found) == AC_SINGULAR);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(one_mass), CASE(free_chain_both_ways), CASE(random_systems), CASE(gyroscope),
          CASE(nearest_to_a_frequency), CASE(a_motion_without_inertia_and_stiffness_is_refused))
