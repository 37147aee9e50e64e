/* Gradients by the parameters of a file, against differences of whole simulations. */
#ifndef ACTIO_TESTS_SUPPORT_GRADIENTS_H
#define ACTIO_TESTS_SUPPORT_GRADIENTS_H

#include <math.h>
#include <string.h>

#include "actio/gradient.h"
#include "problem/build/build.h"
#include "test.h"

typedef struct gradient_subject {
    const char *name, *text;
} gradient_subject;

static inline ac_problem *read_problem(ac_context *ctx, const char *text, const char *scheme,
                                       const char *formulation)
{
    char settings[2][64];
    const char *const list[] = {settings[0], settings[1]};
    ac_problem *problem = NULL;
    snprintf(settings[0], sizeof settings[0], "simulate.scheme=%s", scheme);
    snprintf(settings[1], sizeof settings[1], "simulate.formulation=%s", formulation);
    bool simulated = strstr(text, "simulate:");
    ac_status status = ac_problem_parse(ctx, "test", text, strlen(text), list, simulated ? 2 : 0, &problem);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

/* All parameters of a file against differences. */
static inline void compare(const gradient_subject *s, const char *scheme, const char *formulation)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = read_problem(ctx, s->text, scheme, formulation);
    ac_gradient *gradient = NULL;
    double value = NAN;
    ac_status status = problem ? ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient) : AC_BAD_INPUT;
    if (status == AC_OK) status = ac_gradient_run(gradient, &value);
    if (status != AC_OK) printf("  %s, %s: %s\n", s->name, scheme, ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        CHECK(ac_gradient_parameters(gradient) == ac_problem_parameters(problem));
        if (ac_gradient_skipped(gradient, 0)) printf("  %s: %s\n", s->name, ac_gradient_skipped(gradient, 0));
        CHECK(!ac_gradient_skipped(gradient, 0));
    }
    for (int k = 0; status == AC_OK && k < ac_gradient_parameters(gradient); ++k) {
        double slope = NAN, at, by = ac_gradient_by_parameter(gradient, k);
        const char *name = ac_gradient_parameter(gradient, k, &at);
        CHECK(ac_gradient_difference(gradient, k, &slope, NULL) == AC_OK);
        /* of the differences: rounding of the simulation over the distance of neighbouring values */
        double rounding = 1e-12 * (1.0 + fabs(value)) / (2e-4 * fabs(at));
        bool good = fabs(by - slope) <= 1e-7 * fabs(slope) + 10.0 * rounding;
        if (!good)
            printf("  %s, %s, %s, by %s: %.12g, differences %.12g\n", s->name, scheme, formulation, name, by,
                   slope);
        CHECK(good);
    }
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Schemes take turns; beams of dual quaternions have one. */
static inline const char *scheme_for(const gradient_subject *s, int k)
{
    if (strstr(s->text, "dual_quaternion")) return "trapezoidal";
    return k % 2 ? "midpoint" : "energy-momentum";
}

#endif
