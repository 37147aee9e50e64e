/* Problem files with one beam, put together from pieces, and the messages about them. */
#ifndef ACTIO_TESTS_SUPPORT_BEAM_TEXT_H
#define ACTIO_TESTS_SUPPORT_BEAM_TEXT_H

#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

#define BEAM_CURVE "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
#define BEAM_SECTION "    section: {circle: {radius: 0.01}}\n"
#define BEAM_MATERIAL "    material: {young: 1e6, density: 1000}\n"

static inline ac_status parse(ac_context *ctx, const char *text, ac_problem **problem)
{
    return ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
}

/* A file whose beam 'arm' is made of these three pieces is refused with this message. */
static inline void expect_message(const char *curve, const char *section, const char *rest,
                                  const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    char text[2000];
    snprintf(text, sizeof text, "beams:\n  arm:\n%s%s%ssimulate: {step: 1e-3, steps: 1}\n", curve, section,
             rest);
    CHECK(parse(ctx, text, &problem) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

#endif
