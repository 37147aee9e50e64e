/* Free parameters, checked as a whole: the problem is read again with another value of each, and
 * everything that the derivatives are made of must be what the expressions that were followed say. So
 * nothing that depends on a parameter is missed. */
#include <stdio.h>
#include <string.h>

#include "actio/signal.h"
#include "base/base.h"
#include "optimize/problem/prepare.h"
#include "problem/build/parameters.h"
#include "problem/certify/certify.h"

/* Another value, away from the nearer bound. */
static double other_value(double value, double low, double high)
{
    double room = value - low > high - value ? low - value : high - value;
    return value + 0.137 * room;
}

/* The search may go to both bounds: the problem must be one there too. Loops that do not close there are no
 * matter of the input; the search keeps them closed. */
static ac_status verify_bounds(ac_context *ctx, const ac_problem *problem, int parameter, int *bound)
{
    const ac_optimization *o = ac_problem_optimization(problem);
    const char *name = ac_optimization_parameter_name(o, parameter);
    double bounds[2];
    ac_optimization_parameter_bounds(o, parameter, &bounds[0], &bounds[1]);
    for (int side = 0; side < 2; ++side) {
        char setting[AC_NAME_SIZE + 48], message[400];
        ac_problem *other = NULL;
        snprintf(setting, sizeof setting, "parameters.%s=%.17g", name, bounds[side]);
        ac_status status = ac_problem_variation(problem, setting, &other);
        ac_problem_free(other);
        if (status == AC_NO_MEMORY) return status;
        if (status != AC_BAD_INPUT) continue;
        *bound = side;
        snprintf(message, sizeof message, "%s", ac_context_message(ctx));
        return ac_fail(ctx, AC_BAD_INPUT, "the parameter '%s' may become %.10g: %s", name, bounds[side],
                       message);
    }
    return AC_OK;
}

/* The system that the problem has with another value of a parameter, against the one that the expressions give; values is
 * workspace. */
static ac_status verify_parameter(const ac_problem *problem, int parameter, double *values)
{
    ac_optimization *o = ac_problem_optimization(problem);
    char setting[AC_NAME_SIZE + 48];
    ac_problem *other = NULL;
    double low, high;
    for (int j = 0; j < ac_optimization_parameters(o); ++j) values[j] = ac_optimization_parameter_value(o, j);
    ac_optimization_parameter_bounds(o, parameter, &low, &high);
    values[parameter] = other_value(values[parameter], low, high);
    snprintf(setting, sizeof setting, "parameters.%s=%.17g", ac_optimization_parameter_name(o, parameter),
             values[parameter]);
    ac_status status = ac_problem_variation(problem, setting, &other);
    if (status == AC_OK) status = ac_optimization_compare(o, values, ac_problem_system(other));
    ac_problem_free(other);
    return status;
}

static ac_status verify_all(ac_context *ctx, const ac_problem *problem, double *values, int *parameter,
                            int *bound)
{
    ac_optimization *o = ac_problem_optimization(problem);
    for (int k = 0; k < ac_optimization_parameters(o); ++k) {
        char message[400];
        *parameter = k;
        *bound = -1;
        ac_status status = verify_parameter(problem, k, values);
        if (status == AC_OK) {
            AC_TRY(verify_bounds(ctx, problem, k, bound));
            continue;
        }
        if (status != AC_BAD_INPUT) return status;
        snprintf(message, sizeof message, "%s", ac_context_message(ctx));
        return ac_fail(ctx, AC_BAD_INPUT, "the parameter '%s' is free: %s",
                       ac_optimization_parameter_name(o, k), message);
    }
    return AC_OK;
}

ac_status ac_verify_parameters(ac_context *ctx, const ac_problem *problem, int *parameter, int *bound)
{
    ac_optimization *o = ac_problem_optimization(problem);
    double *values;
    if (!o) return AC_OK;
    AC_NEW(ctx, values, ac_optimization_parameters(o) + 1);
    ac_status status = verify_all(ctx, problem, values, parameter, bound);
    ac_release(ctx, values);
    return status;
}

/* The same problem with the parameters that were found. */
ac_status ac_problem_at_optimum(const ac_problem *problem, ac_problem **optimum)
{
    enum { SIZE = AC_NAME_SIZE + 48 };
    ac_optimization *o = ac_problem_optimization(problem);
    int count = ac_optimization_parameters(o);
    ac_context *ctx = ac_problem_context(problem);
    *optimum = NULL;
    char(*text)[SIZE] = ac_allocate(ctx, (size_t)count + 1, sizeof *text);
    const char **settings = ac_allocate(ctx, (size_t)count + 1, sizeof *settings);
    ac_status status = text && settings ? AC_OK : ac_out_of_memory(ctx);
    for (int k = 0; status == AC_OK && k < count; ++k) {
        snprintf(text[k], SIZE, "parameters.%s=%.17g", ac_optimization_parameter_name(o, k),
                 ac_optimization_parameter_value(o, k));
        settings[k] = text[k];
    }
    if (status == AC_OK) status = ac_problem_vary(ctx, problem, settings, count, optimum);
    ac_release(ctx, text);
    ac_release(ctx, settings);
    return status;
}
