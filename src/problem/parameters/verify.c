/* Free parameters, checked as a whole: the problem is built again with other values, and all numbers that have
 * derivatives must be those of the expressions that were followed. So nothing that depends on a parameter is missed.
 *
 * All parameters change at once; only if that fails, one after another, which finds the one that is wrong. Limits of
 * numbers at the bounds of a parameter are expressions (limits.h), and nothing is built for them. */
#include <stdio.h>
#include <string.h>

#include "actio/signal.h"
#include "base/base.h"
#include "optimize/problem/prepare.h"
#include "problem/build/parameters.h"
#include "problem/certify/certify.h"
#include "problem/parameters/limits.h"

enum { SETTING_SIZE = AC_NAME_SIZE + 48 };

/* Another value, away from the nearer bound. */
static double other_value(double value, double low, double high)
{
    double room = value - low > high - value ? low - value : high - value;
    return value + 0.137 * room;
}

/* The problem with these values; `only`: of this parameter alone, -1: of all. */
static ac_status vary(const ac_problem *problem, const double *values, int only, ac_problem **variation)
{
    const ac_optimization *o = ac_problem_optimization(problem);
    ac_context *ctx = ac_problem_context(problem);
    int all = ac_optimization_parameters(o), count = 0;
    *variation = NULL;
    char(*text)[SETTING_SIZE] = ac_allocate(ctx, (size_t)all + 1, sizeof *text);
    const char **settings = ac_allocate(ctx, (size_t)all + 1, sizeof *settings);
    ac_status status = text && settings ? AC_OK : ac_out_of_memory(ctx);
    for (int k = 0; status == AC_OK && k < all; ++k) {
        if (only >= 0 && k != only) continue;
        snprintf(text[count], SETTING_SIZE, "parameters.%s=%.17g", ac_optimization_parameter_name(o, k),
                 values[k]);
        settings[count] = text[count];
        ++count;
    }
    if (status == AC_OK) status = ac_problem_vary_in_axes(problem, settings, count, variation);
    ac_release(ctx, text);
    ac_release(ctx, settings);
    return status;
}

static void start_values(const ac_optimization *o, double *values)
{
    for (int j = 0; j < ac_optimization_parameters(o); ++j) values[j] = ac_optimization_parameter_value(o, j);
}

static void set_bounds(const ac_optimization *o, int side, double *values)
{
    for (int j = 0; j < ac_optimization_parameters(o); ++j) {
        double bounds[2];
        ac_optimization_parameter_bounds(o, j, &bounds[0], &bounds[1]);
        values[j] = bounds[side];
    }
}

static ac_status no_problem_at(ac_context *ctx, const ac_optimization *o, int parameter, double value)
{
    char message[400];
    snprintf(message, sizeof message, "%s", ac_context_message(ctx));
    return ac_fail(ctx, AC_BAD_INPUT, "the parameter '%s' may become %.10g: %s",
                   ac_optimization_parameter_name(o, parameter), value, message);
}

/* Limits of numbers at both bounds of each parameter. */
static ac_status check_limits(ac_context *ctx, const ac_optimization *o, const ac_limits *limits,
                              double *values, int *parameter, int *bound)
{
    for (int k = 0; k < ac_optimization_parameters(o); ++k)
        for (int side = 0; side < 2; ++side) {
            double bounds[2];
            ac_optimization_parameter_bounds(o, k, &bounds[0], &bounds[1]);
            start_values(o, values);
            values[k] = bounds[side];
            if (ac_limits_check(limits, values) == AC_OK) continue;
            *parameter = k;
            *bound = side;
            return no_problem_at(ctx, o, k, bounds[side]);
        }
    return AC_OK;
}

static ac_status verify_limits(const ac_builder *b, const ac_optimization *o, double *values, int *parameter,
                               int *bound)
{
    ac_limits limits;
    ac_status status = ac_limits_take(b->ctx, &b->reader, &limits);
    if (status == AC_OK) status = check_limits(b->ctx, o, &limits, values, parameter, bound);
    ac_limits_free(&limits);
    return status;
}

/* The search may go to both bounds: the problem must be one there too. Loops that do not close there are no
 * matter of the input; the search keeps them closed. */
static ac_status verify_bound(ac_context *ctx, const ac_problem *problem, int side, double *values,
                              int *parameter, int *bound)
{
    const ac_optimization *o = ac_problem_optimization(problem);
    ac_problem *other = NULL;
    set_bounds(o, side, values);
    ac_status status = vary(problem, values, -1, &other);
    ac_problem_free(other);
    if (status == AC_NO_MEMORY || status == AC_OK) return status;
    for (int k = 0; k < ac_optimization_parameters(o); ++k) {
        set_bounds(o, side, values);
        status = vary(problem, values, k, &other);
        ac_problem_free(other);
        if (status == AC_NO_MEMORY) return status;
        if (status != AC_BAD_INPUT) continue;
        *parameter = k;
        *bound = side;
        return no_problem_at(ctx, o, k, values[k]);
    }
    return AC_OK;
}

/* The system that the problem has with other values of all parameters, or of one, against the one that the expressions
 * give. */
static ac_status compare(const ac_problem *problem, int only, double *values)
{
    ac_optimization *o = ac_problem_optimization(problem);
    ac_problem *other = NULL;
    start_values(o, values);
    for (int k = 0; k < ac_optimization_parameters(o); ++k) {
        double low, high;
        if (only >= 0 && k != only) continue;
        ac_optimization_parameter_bounds(o, k, &low, &high);
        values[k] = other_value(values[k], low, high);
    }
    ac_status status = vary(problem, values, only, &other);
    if (status == AC_OK) status = ac_optimization_compare(o, values, ac_problem_system(other));
    ac_problem_free(other);
    return status;
}

static ac_status verify_all(const ac_builder *b, const ac_problem *problem, double *values, int *parameter,
                            int *bound)
{
    ac_context *ctx = b->ctx;
    ac_optimization *o = ac_problem_optimization(problem);
    ac_status status = compare(problem, -1, values);
    for (int k = 0; status != AC_OK && status != AC_NO_MEMORY && k < ac_optimization_parameters(o); ++k) {
        char message[400];
        ac_status one = compare(problem, k, values);
        *parameter = k;
        if (one == AC_OK) continue;
        if (one != AC_BAD_INPUT) return one;
        snprintf(message, sizeof message, "%s", ac_context_message(ctx));
        return ac_fail(ctx, AC_BAD_INPUT, "the parameter '%s' is free: %s",
                       ac_optimization_parameter_name(o, k), message);
    }
    if (status == AC_NO_MEMORY) return status;
    AC_TRY(verify_limits(b, o, values, parameter, bound));
    AC_TRY(verify_bound(ctx, problem, 0, values, parameter, bound));
    return verify_bound(ctx, problem, 1, values, parameter, bound);
}

ac_status ac_verify_parameters(const ac_builder *b, const ac_problem *problem, int *parameter, int *bound)
{
    ac_optimization *o = ac_problem_optimization(problem);
    double *values;
    if (!o || ac_optimization_parameters(o) == 0) return AC_OK;
    AC_NEW(b->ctx, values, ac_optimization_parameters(o) + 1);
    ac_status status = verify_all(b, problem, values, parameter, bound);
    ac_release(b->ctx, values);
    return status;
}

ac_status ac_problem_at_optimum(const ac_problem *problem, ac_problem **optimum)
{
    ac_optimization *o = ac_problem_optimization(problem);
    ac_context *ctx = ac_problem_context(problem);
    double *values;
    *optimum = NULL;
    AC_NEW(ctx, values, ac_optimization_parameters(o) + 1);
    start_values(o, values); /* after a solution: those that were found */
    ac_status status = vary(problem, values, -1, optimum);
    ac_release(ctx, values);
    return status;
}
