/* Newton steps on the first-order conditions lead back to an optimum that was left a little, with bounds that are active or not, and with
 * multipliers that are none. */
#include <stdlib.h>
#include <string.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "optimize/judge/optimality.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static double noise(void)
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

static ac_problem *solved(const char *file, const char *setting)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_problem_read(ctx, file, &setting, setting ? 1 : 0, &problem) == AC_OK);
    if (!problem) return NULL;
    CHECK(ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL) == AC_OK);
    return problem;
}

/* Moves the unknowns by at most `size`, within their bounds, and the multipliers of equations by as much in parts. */
static void disturb(ac_optimization *o, double size)
{
    for (int i = 0; i < o->layout.variables; ++i) {
        double low = o->layout.bounds.lower[i], high = o->layout.bounds.upper[i];
        o->point.x[i] = fmin(high, fmax(low, o->point.x[i] + size * noise()));
    }
    for (int r = 0; r < o->layout.rows; ++r)
        if (o->layout.bounds.low[r] == o->layout.bounds.high[r])
            o->found.multipliers[r] *= 1.0 + size * noise();
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
}

static const struct {
    const char *file, *setting;
} problems[] = {
    {"examples/control/two-link-pendulum.yaml", NULL},
    {"examples/control/pendulum-swing-up.yaml", NULL},
    {"examples/control/four-bar.yaml", NULL},
    {"examples/control/two-link-pendulum.yaml", "optimize.formulation=multipliers"},
    {"examples/control/obstacle.yaml", NULL},
};

TEST(steps_lead_back_to_the_optimum)
{
    srand(11);
    for (size_t k = 0; k < sizeof problems / sizeof *problems; ++k) {
        ac_problem *problem = solved(problems[k].file, problems[k].setting);
        if (!problem) continue;
        ac_optimization *o = ac_problem_optimization(problem);
        double objective = ac_evaluate_objective(o, NULL);
        for (int trial = 0; trial < 3; ++trial) {
            ac_optimality at = {0};
            disturb(o, 1e-6);
            CHECK(ac_judge_first_order(o, INFINITY, &at) == AC_OK);
            CHECK(at.error > 1e-8);
            CHECK(ac_polish(o, &at) == AC_OK);
            CHECK(at.error <= o->settings.tolerance);
            CHECK(at.error <= o->settings.tolerance);
            CHECK_NEAR(ac_evaluate_objective(o, NULL), objective, 1e-8 * fmax(1.0, fabs(objective)));
            if (at.error > o->settings.tolerance) printf("%s: %g\n", problems[k].file, at.error);
        }
        ac_problem_free(problem);
    }
}

/* Where multipliers are lost, those by least squares and the steps find them again. */
TEST(multipliers_are_found_again)
{
    ac_problem *problem = solved("examples/control/four-bar.yaml", NULL);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_optimality at = {0};
    memset(o->found.multipliers, 0, (size_t)o->layout.rows * sizeof *o->found.multipliers);
    CHECK(ac_judge_first_order(o, o->settings.tolerance, &at) == AC_OK);
    CHECK(ac_polish(o, &at) == AC_OK);
    CHECK(at.error <= o->settings.tolerance);
    ac_problem_free(problem);
}

/* What an error may be: the tolerance, in parts of the terms that it is left by. */
TEST(errors_are_measured_by_their_terms)
{
    ac_problem *problem = solved("examples/control/two-link-pendulum.yaml", NULL);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    double tolerance = o->settings.tolerance;
    const double terms[] = {1e-3, 1.0, 50.0, 1e3, 1e5}, limits[] = {1, 1, 50, 1e3, 1e3};
    for (int k = 0; k < 5; ++k) {
        const ac_optimality at = {.terms = terms[k]};
        CHECK_NEAR(ac_optimality_limit(o, &at), limits[k] * tolerance, 1e-6 * limits[k] * tolerance);
    }
    ac_problem_free(problem);
}

/* Multipliers of which rounding makes a gradient are no proof; steps with small ones find the optimum all the same. */
TEST(huge_multipliers_are_left)
{
    ac_problem *problem = solved("examples/control/two-link-pendulum.yaml", NULL);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_optimality at = {0};
    double objective = ac_evaluate_objective(o, NULL);
    for (int r = 0; r < o->layout.rows; ++r)
        if (o->layout.bounds.low[r] == o->layout.bounds.high[r]) o->found.multipliers[r] += 1e10 * noise();
    CHECK(ac_judge_first_order(o, INFINITY, &at) == AC_OK);
    CHECK(at.error > ac_optimality_limit(o, &at));
    CHECK(ac_polish(o, &at) == AC_OK);
    CHECK(at.error <= o->settings.tolerance);
    CHECK_NEAR(ac_evaluate_objective(o, NULL), objective, 1e-8 * objective);
    ac_problem_free(problem);
}

TEST(tidy_up)
{
    ac_context_free(ctx);
}

RUN_TESTS(CASE(steps_lead_back_to_the_optimum), CASE(multipliers_are_found_again),
          CASE(errors_are_measured_by_their_terms), CASE(huge_multipliers_are_left), CASE(tidy_up))
