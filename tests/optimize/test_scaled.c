/* A programme in units of its own: the same solution and the same multipliers, seen by the solver in other
 * units. */
#include <math.h>

#include "actio/context.h"
#include "optimize/nlp/nlp.h"
#include "test.h"

/* (1000 x - 3)^2 + (y - 1000 x)^2 / 2 with x y = 0.002, x at most 0.0018. */
static double seen; /* largest x at which it was evaluated */

static bool objective(void *user, const double *x, double *f)
{
    double a = 1e3 * x[0] - 3.0, b = x[1] - 1e3 * x[0];
    (void)user;
    seen = fmax(seen, fabs(x[0]));
    *f = a * a + 0.5 * b * b;
    return true;
}

static bool gradient(void *user, const double *x, double *g)
{
    double a = 1e3 * x[0] - 3.0, b = x[1] - 1e3 * x[0];
    (void)user;
    g[0] = 2e3 * a - 1e3 * b;
    g[1] = b;
    return true;
}

static bool values(void *user, const double *x, double *c)
{
    (void)user;
    c[0] = x[0] * x[1];
    return true;
}

static bool jacobian(void *user, const double *x, double *entries)
{
    (void)user;
    entries[0] = x[1];
    entries[1] = x[0];
    return true;
}

static bool hessian(void *user, const double *x, double sigma, const double *mu, double *entries)
{
    (void)user, (void)x;
    entries[0] = sigma * 3e6;
    entries[1] = -sigma * 1e3 + mu[0];
    entries[2] = sigma;
    return true;
}

TEST(the_solution_and_its_multipliers_do_not_depend_on_the_units)
{
    static const double lower[] = {0.0, -INFINITY}, upper[] = {0.0018, INFINITY}, level[] = {0.002};
    static const int row[] = {0, 1, 1}, column[] = {0, 0, 1}, first_row[] = {0, 0}, both[] = {0, 1};
    const ac_nlp nlp = {.variables = 2,
                        .constraints = 1,
                        .lower = lower,
                        .upper = upper,
                        .low = level,
                        .high = level,
                        .jacobian_entries = 2,
                        .hessian_entries = 3,
                        .jacobian_row = first_row,
                        .jacobian_column = both,
                        .hessian_row = row,
                        .hessian_column = column,
                        .objective = objective,
                        .gradient = gradient,
                        .values = values,
                        .jacobian = jacobian,
                        .hessian = hessian};
    const ac_nlp_options options = {.tolerance = 1e-9, .max_iterations = 100};
    /* of the unknowns, of the row, of the objective */
    const double units[][4] = {{1.0, 1.0, 1.0, 1.0},   {1e-3, 1.0, 1.0, 1.0},    {1e-3, 10.0, 1.0, 1.0},
                               {1e-3, 1.0, 1e-3, 1.0}, {1e-3, 1.0, 1e-3, 100.0}, {1e-3, 1.0, 10.0, 0.1}};
    ac_context *ctx = ac_context_new(NULL);
    for (int k = 0; k < 6; ++k) {
        double x[2] = {0.001, 1.0}, mu[1] = {0.0}, at_lower[2] = {0.0}, at_upper[2] = {0.0};
        ac_nlp_result result;
        const ac_nlp_units own = {units[k], units[k] + 2, units[k][3]};
        seen = 0.0;
        CHECK(ac_nlp_solve_scaled(ctx, &nlp, &own, &options, x, mu, at_lower, at_upper, &result) == AC_OK);
        CHECK_NEAR(result.objective, 1.44 + 0.5 * pow(0.002 / 0.0018 - 1.8, 2.0), 1e-6);
        CHECK(result.outcome == AC_NLP_SOLVED);
        CHECK(seen < 0.00181);
        CHECK_NEAR(x[0], 0.0018, 1e-9);
        CHECK_NEAR(x[1], 0.002 / 0.0018, 1e-6);
        /* stationary: gradient of the objective + mu grad c + multiplier of the bound = 0 */
        double b = x[1] - 1.8, price = -b / 0.0018;
        CHECK_NEAR(mu[0], price, 1e-4 * fabs(price));
        CHECK_NEAR(at_upper[0], -(2e3 * (1.8 - 3.0) - 1e3 * b + price * x[1]), 0.1);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(the_solution_and_its_multipliers_do_not_depend_on_the_units))
