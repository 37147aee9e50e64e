/* Descent by gradients alone: it reaches its tolerance where values of the function no longer show the way, within bounds as well. */
#include <math.h>

#include "adjoint/descent.h"
#include "test.h"

enum { N = 30 };

/* f = 1000 + sum c (x - a)^2/2 + noise of 1e-11, as simulations round: gradients below 1e-6 do not show in its values. */
static const double OFFSET = 1000.0;

static double stiffness(int i)
{
    return pow(10.0, 3.0 * i / (N - 1));
}

static double centre(int i)
{
    return sin(1.0 + i);
}

static ac_status evaluate(void *user, const double *x, double *value, double *gradient)
{
    (void)user;
    double sum = 0.0;
    for (int i = 0; i < N; ++i) sum += x[i];
    *value = OFFSET + 1e-11 * sin(1e13 * sum);
    for (int i = 0; i < N; ++i) {
        gradient[i] = stiffness(i) * (x[i] - centre(i));
        *value += 0.5 * gradient[i] * (x[i] - centre(i));
    }
    return AC_OK;
}

typedef struct watched {
    double least, rise; /* how far a value lay above the least one, once that was near the minimum */
} watched;

static int report(void *user, const ac_shooting_progress *now)
{
    watched *w = user;
    w->least = fmin(w->least, now->value);
    if (w->least < OFFSET * (1.0 + 1e-12)) w->rise = fmax(w->rise, now->value - w->least);
    return 0;
}

static void descend(ac_shooting_method method, double bound)
{
    ac_context *ctx = ac_context_new(NULL);
    double low[N], high[N], x[N] = {0.0};
    watched w = {INFINITY, 0.0};
    ac_shooting_outcome outcome = {0};
    for (int i = 0; i < N; ++i) {
        low[i] = -bound;
        high[i] = bound;
    }
    const ac_descent_problem problem = {ctx, N, low, high, evaluate, report, &w};
    const ac_shooting_settings settings = {
        .method = method, .tolerance = 1e-11, .first_step = 0.1, .max_iterations = 2000};
    ac_status status = ac_descend(&problem, &settings, x, &outcome);
    if (status != AC_OK) printf("  method %d: %s\n", (int)method, ac_context_message(ctx));
    CHECK(status == AC_OK && outcome.gradient <= 1e-11);
    for (int i = 0; i < N; ++i) CHECK_NEAR(x[i], fmin(bound, fmax(-bound, centre(i))), 1.1e-11);
    CHECK(w.rise <= 1e-10 * OFFSET);
    ac_context_free(ctx);
}

TEST(tolerances_below_the_rounding_of_values_are_reached)
{
    static const ac_shooting_method methods[] = {AC_SHOOT_LBFGS, AC_SHOOT_BB1, AC_SHOOT_BB2};
    for (int m = 0; m < 3; ++m) {
        descend(methods[m], INFINITY);
        descend(methods[m], 0.5);
    }
}

RUN_TESTS(CASE(tolerances_below_the_rounding_of_values_are_reached))
