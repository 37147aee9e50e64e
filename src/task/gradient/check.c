/* The gradient of a problem against differences of whole simulations, for actio check: all parameters of the functional of a
 * simulation, or the controls of shooting. A long motion is compared over its first steps. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "problem/build/build.h"
#include "task/gradient/gradient.h"
#include "task/task.h"

/* Numbers of configurations that the simulations may compute, about a second; what a step takes besides, in such numbers; and the steps
 * that are taken at least. */
static const double WORK = 3e6, STEP = 10.0;
static const long LEAST_STEPS = 10;
/* A relative error beyond this limit, that of the derivatives of an optimisation, is one if it is so many times the doubt of the
 * differences, and these agree among themselves. In a motion that hardly follows from its data they do not. */
static const double WRONG = 1e-4, DOUBTS = 10.0, AGREEMENT = 1e-2;

/* Simulations for the differences by one parameter, and how many a gradient costs. */
enum { RUNS = 6, RUNS_OF_GRADIENT = 3 };

/* open: the differences do not tell */
static void take(ac_gradient_comparison *c, const char *name, double error, bool open)
{
    bool wrong = !(error <= WRONG);
    if (wrong && open) {
        if (c->undecided++ == 0) snprintf(c->unsure, sizeof c->unsure, "%s", name);
        return;
    }
    ++c->derivatives;
    c->differs |= wrong;
    if (error <= c->error && c->derivatives > 1) return;
    c->error = error;
    snprintf(c->worst, sizeof c->worst, "%s", name);
}

/* --- the functional of a simulation, by its parameters --- */

static long stretch_for(const ac_problem *problem)
{
    int runs = RUNS_OF_GRADIENT + RUNS * ac_problem_parameters(problem);
    double numbers = STEP + ac_system_sizes(ac_problem_system(problem)).coordinates;
    double steps = WORK / (runs * numbers);
    return steps > (double)LEAST_STEPS ? (long)steps : LEAST_STEPS;
}

static ac_status compare_parameters(ac_gradient *g, ac_gradient_comparison *c)
{
    AC_TRY(ac_gradient_run(g, NULL));
    for (int k = 0; k < ac_gradient_parameters(g); ++k) {
        double slope, doubt;
        ac_status status = ac_gradient_difference(g, k, &slope, &doubt);
        if (status == AC_BAD_INPUT) { /* other things happen nearby */
            take(c, ac_gradient_parameter(g, k, NULL), INFINITY, true);
            continue;
        }
        AC_TRY(status);
        bool open = fabs(slope - ac_gradient_by_parameter(g, k)) <= DOUBTS * doubt ||
                    doubt > AGREEMENT * fabs(slope);
        take(c, ac_gradient_parameter(g, k, NULL), ac_gradient_error(g, k, slope), open);
    }
    return AC_OK;
}

static ac_status check_functional(ac_context *ctx, const ac_problem *problem, ac_gradient_comparison *c)
{
    ac_gradient *g = NULL;
    AC_TRY(ac_gradient_new_stretch(ctx, problem, NULL, 0, 0, stretch_for(problem), &g));
    c->steps = ac_gradient_steps(g, NULL);
    ac_status status = compare_parameters(g, c);
    ac_gradient_free(g);
    return status;
}

/* --- the objective of shooting, by its controls --- */

static ac_status compare_controls(ac_optimization *o, double *u, double *gradient, ac_gradient_comparison *c)
{
    double value, error, doubt;
    ac_optimization_guessed_controls(o, u);
    AC_TRY(ac_optimization_gradient(o, u, &value, gradient));
    AC_TRY(ac_optimization_check_gradient(o, u, gradient, &error, &doubt));
    take(c, "", error, error <= DOUBTS * doubt || doubt > AGREEMENT);
    return AC_OK;
}

static ac_status check_shooting(ac_context *ctx, ac_optimization *o, ac_gradient_comparison *c)
{
    int size = ac_optimization_controls(o) * ac_optimization_intervals(o);
    double *u;
    AC_NEW(ctx, u, 2 * (size_t)size + 1);
    c->steps = ac_optimization_intervals(o);
    ac_status status = compare_controls(o, u, u + size, c);
    ac_release(ctx, u);
    return status;
}

ac_status ac_gradient_check(ac_context *ctx, const ac_problem *problem, ac_gradient_comparison *c)
{
    const ac_optimize_data *optimize = ac_problem_data(problem, &ac_task_optimize);
    *c = (ac_gradient_comparison){0};
    if (ac_problem_simulation(problem) && ac_problem_functional(problem))
        return check_functional(ctx, problem, c);
    if (optimize && optimize->options.shooting) return check_shooting(ctx, optimize->optimization, c);
    return AC_OK;
}
