/* The gradient of a long motion by parameters, with the memory that it takes. */
#ifndef ACTIO_TESTS_SUPPORT_LONG_GRADIENT_H
#define ACTIO_TESTS_SUPPORT_LONG_GRADIENT_H

#include <stdio.h>
#include <string.h>

#include "actio/gradient.h"
#include "problem/build/build.h"
#include "support/memory.h"
#include "test.h"

enum { LONG_PARAMETERS = 4 };

typedef struct long_gradient {
    double value, by[LONG_PARAMETERS], amplitude;
    double over_time; /* all shares of the last parameter */
    long steps_taken, stretch;
    size_t bytes; /* beyond those of the problem */
} long_gradient;

/* A sprung pendulum with a load over time, and an angle that is counted on. */
static inline long_gradient long_gradient_of(long steps, size_t limit)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "parameters: {length: 1, mass: 1, stiffness: 2, push: 0.1}\n"
        "bodies:\n  rod: {solid: {rod: {length: =length, mass: =mass}}}\n"
        "joints:\n"
        "  - {name: hinge, revolute: [ground, rod], at: {rod: start}, axis: [0, 1, 0], angle: 20 deg}\n"
        "springs:\n  - {joint: hinge, stiffness: =stiffness, damping: 0.01}\n"
        "loads:\n  - {name: drive, joint: hinge, value: =push*sin(3*t)}\n"
        "simulate:\n  step: 1 ms\n  steps: 1\n"
        "  quantities: {phi: {joint: hinge}}\n"
        "  functional:\n    - {running: phi^2}\n    - {end: phi_rate}\n";
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    long_gradient found = {0};
    char setting[64];
    const char *settings[] = {setting};
    snprintf(setting, sizeof setting, "simulate.steps=%ld", steps);
    CHECK(ac_problem_parse(ctx, "pendulum", text, strlen(text), settings, 1, &problem) == AC_OK);
    size_t before = m.bytes;
    m.most_bytes = m.bytes;
    ac_status status = ac_gradient_new(ctx, problem, NULL, 0, limit, &gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, &found.value);
    if (status != AC_OK) printf("  %s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        const ac_adjoint *adjoint = ac_gradient_adjoint(gradient);
        found.bytes = m.most_bytes - before;
        found.stretch = ac_adjoint_stretch(adjoint);
        found.steps_taken = ac_adjoint_steps_taken(adjoint);
        found.amplitude = ac_adjoint_by_amplitude(adjoint, 0);
        for (int k = 0; k < LONG_PARAMETERS; ++k) found.by[k] = ac_gradient_by_parameter(gradient, k);
        for (long n = 0; n < steps; n += found.stretch)
            found.over_time += ac_gradient_over_time(gradient, n, LONG_PARAMETERS - 1);
    }
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return found;
}

#endif
