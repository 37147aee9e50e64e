/* The continuous limit of the discrete adjoint: adjoint variables and gradients by the controls against the adjoint equation of
 * Pontryagin, x' = f(x, u), psi' = -f_x^T psi, psi(T) = J_x, and the condition R u + f_u^T psi, both of order 2 (Schubert et al. 2023,
 * remark 2). The double pendulum is integrated here in its angles and momenta, with derivatives by complex steps. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "adjoint/shoot.h"
#include "problem/build/build.h"
#include "test.h"

/* Two bars, hinges at their upper ends; angles from the hanging position, that of the lower bar relative to the upper. */
#define BARS                                                                                                \
    "parameters: {N: 50}\n"                                                                                 \
    "gravity: [0, -9.81]\n"                                                                                 \
    "planar_bodies:\n"                                                                                      \
    "  upper: {mass: 1.2, inertia: 0.05, points: {top: [0, 0.4], low: [0, -0.3]}}\n"                        \
    "  lower: {mass: 0.8, inertia: 0.03, points: {top: [0, 0.25]}}\n"                                       \
    "joints:\n"                                                                                             \
    "  - {name: one, revolute: [ground, upper], at: {ground: [0, 0], upper: top}, angle: 0.5}\n"            \
    "  - {name: two, revolute: [upper, lower], at: {upper: low, lower: top}, angle: -0.3, angle_rate: 1}\n" \
    "springs:\n"                                                                                            \
    "  - {joint: two, stiffness: 3}\n"                                                                      \
    "optimize:\n"                                                                                           \
    "  method: shooting\n"                                                                                  \
    "  duration: 1 s\n"                                                                                     \
    "  intervals: =N\n"                                                                                     \
    "  controls:\n"                                                                                         \
    "    - {name: torque, joint: two, guess: 1}\n"                                                          \
    "  quantities: {a: {joint: one}, b: {joint: two}}\n"                                                    \
    "  objective:\n"                                                                                        \
    "    - {effort: 0.2}\n"                                                                                 \
    "    - {end: \"3*(a - 1)^2 + 2*(b + 0.5)^2 + 0.3*a_rate^2 + 0.1*(a_rate + b_rate)^2\"}\n"

static const double R = 0.2, DURATION = 1.0;
enum { STATE = 4, FINE = 20000, MOST = 200 };

static double torque(double t)
{
    return 0.2 + 0.3 * sin(4.0 * t);
}

/* Absolute angles x[0], x[1], their momenta x[2], x[3]: rates v = M^-1 p. */
static void rates(const double complex *x, double complex *v)
{
    const double M = 0.05 + 1.2 * 0.4 * 0.4 + 0.8 * 0.7 * 0.7, m = 0.03 + 0.8 * 0.25 * 0.25;
    double complex c = 0.8 * 0.7 * 0.25 * ccos(x[1] - x[0]), det = M * m - c * c;
    v[0] = (m * x[2] - c * x[3]) / det;
    v[1] = (M * x[3] - c * x[2]) / det;
}

static void slope(const double complex *x, double u, double complex *f)
{
    const double g = 9.81;
    rates(x, f);
    double complex turn = 0.8 * 0.7 * 0.25 * csin(x[1] - x[0]) * f[0] * f[1];
    double complex at_joint = u - 3.0 * (x[1] - x[0]);
    f[2] = turn - (1.2 * 0.4 + 0.8 * 0.7) * g * csin(x[0]) - at_joint;
    f[3] = -turn - 0.8 * 0.25 * g * csin(x[1]) + at_joint;
}

static double complex at_end(const double complex *x)
{
    double complex v[2], a = x[0] - 1.0, b = x[1] - x[0] + 0.5;
    rates(x, v);
    return 3.0 * a * a + 2.0 * b * b + 0.3 * v[0] * v[0] + 0.1 * v[1] * v[1];
}

static void real_slope(const double *x, double u, double *f)
{
    double complex z[STATE], fz[STATE];
    for (int i = 0; i < STATE; ++i) z[i] = x[i];
    slope(z, u, fz);
    for (int i = 0; i < STATE; ++i) f[i] = creal(fz[i]);
}

/* out = f_x^T psi */
static void transposed(const double *x, double u, const double *psi, double *out)
{
    for (int k = 0; k < STATE; ++k) {
        double complex z[STATE], f[STATE];
        for (int i = 0; i < STATE; ++i) z[i] = x[i] + (i == k ? 1e-30 * I : 0.0);
        slope(z, u, f);
        out[k] = 0.0;
        for (int i = 0; i < STATE; ++i) out[k] += cimag(f[i]) / 1e-30 * psi[i];
    }
}

static double x[2 * FINE + 1][STATE], psi[FINE + 1][STATE]; /* x at half steps, too */

static void step_forward(int k, double h)
{
    double f[4][STATE], y[STATE];
    const double t = k * h, weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, parts[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
        for (int i = 0; i < STATE; ++i) y[i] = x[k][i] + (s > 0 ? parts[s] * h * f[s - 1][i] : 0.0);
        real_slope(y, torque(t + parts[s] * h), f[s]);
    }
    for (int i = 0; i < STATE; ++i) {
        x[k + 1][i] = x[k][i];
        for (int s = 0; s < 4; ++s) x[k + 1][i] += h * weights[s] * f[s][i];
    }
}

static void step_back(int k, double h)
{
    double f[4][STATE], y[STATE];
    const double weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, parts[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
        int at = 2 * k - (s == 0 ? 0 : s == 3 ? 2 : 1);
        for (int i = 0; i < STATE; ++i) y[i] = psi[k][i] + (s > 0 ? parts[s] * h * f[s - 1][i] : 0.0);
        transposed(x[at], torque((k - parts[s]) * h), y, f[s]);
    }
    for (int i = 0; i < STATE; ++i) {
        psi[k - 1][i] = psi[k][i];
        for (int s = 0; s < 4; ++s) psi[k - 1][i] += h * weights[s] * f[s][i];
    }
}

/* The motion from the start of the file, then its adjoint. */
static void integrate(void)
{
    const double h = DURATION / FINE, angles[2] = {0.5, 0.2}, v[2] = {0.0, 1.0};
    double c = 0.8 * 0.7 * 0.25 * cos(angles[1] - angles[0]);
    memcpy(x[0], angles, sizeof angles);
    x[0][2] = (0.05 + 1.2 * 0.4 * 0.4 + 0.8 * 0.7 * 0.7) * v[0] + c * v[1];
    x[0][3] = c * v[0] + (0.03 + 0.8 * 0.25 * 0.25) * v[1];
    for (int k = 0; k < 2 * FINE; ++k) step_forward(k, 0.5 * h);
    for (int k = 0; k < STATE; ++k) {
        double complex z[STATE];
        for (int i = 0; i < STATE; ++i) z[i] = x[2 * FINE][i] + (i == k ? 1e-30 * I : 0.0);
        psi[FINE][k] = cimag(at_end(z)) / 1e-30;
    }
    for (int k = FINE; k > 0; --k) step_back(k, h);
}

typedef struct watched {
    const ac_system *system;
    long steps;
    double error; /* of the adjoint variables */
} watched;

/* Derivatives by impulses on both bars are rates of their angles: those of the unit vector along them. */
static void compare_node(void *user, long node, double t, const double *q, const double *by_q,
                         const double *by_p)
{
    watched *w = user;
    (void)t, (void)by_q;
    for (int i = 0; i < 2; ++i) {
        double spin[3];
        const ac_node *bar = &w->system->nodes[i];
        ac_node_spin(bar, q + bar->q, by_p + bar->q, spin);
        w->error = fmax(w->error, fabs(spin[2] - psi[node * FINE / w->steps][2 + i]));
    }
}

static void errors_with(int N, const char *scheme, double *variables, double *condition)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_shooting s;
    char intervals[32], chosen[48];
    const char *settings[] = {intervals, chosen};
    double u[MOST], gradient[MOST], value, h = DURATION / N;
    snprintf(intervals, sizeof intervals, "parameters.N=%d", N);
    snprintf(chosen, sizeof chosen, "optimize.scheme=%s", scheme);
    ac_status status = ac_problem_parse(ctx, "bars", BARS, strlen(BARS), settings, 2, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    CHECK(ac_shooting_open(ac_problem_optimization(problem), true, &s) == AC_OK);
    watched w = {ac_problem_system(problem), N, 0.0};
    for (int k = 0; k < N; ++k) u[k] = torque((k + 0.5) * h);
    ac_adjoint_watch(s.adjoint, compare_node, &w);
    CHECK(ac_shooting_evaluate(&s, u, &value, gradient) == AC_OK);
    *variables = w.error;
    *condition = 0.0;
    for (int k = 0; k < N; ++k) {
        const double *y = psi[(2 * k + 1) * FINE / (2 * N)];
        *condition = fmax(*condition, fabs(gradient[k] / h - (R * u[k] + y[3] - y[2])));
    }
    ac_shooting_close(&s);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(the_limit_is_the_adjoint_equation)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal"};
    integrate();
    for (int e = 0; e < 2; ++e) {
        double variables[3], condition[3];
        for (int k = 0; k < 3; ++k) errors_with(50 << k, schemes[e], &variables[k], &condition[k]);
        for (int k = 0; k < 2; ++k) {
            double order = log2(variables[k] / variables[k + 1]),
                   of_condition = log2(condition[k] / condition[k + 1]);
            printf("  %s: adjoint variables %.3g, order %.3f; condition %.3g, order %.3f\n", schemes[e],
                   variables[k + 1], order, condition[k + 1], of_condition);
            CHECK(order > 1.95 && order < 2.05);
            CHECK(of_condition > 1.95 && of_condition < 2.05);
        }
    }
}

RUN_TESTS(CASE(the_limit_is_the_adjoint_equation))
