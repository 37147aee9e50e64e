/* A simulation from the text of a problem file, and states that travel as bytes. */
#ifndef ACTIO_TESTS_SUPPORT_TRIAL_H
#define ACTIO_TESTS_SUPPORT_TRIAL_H

#include <stdlib.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

typedef struct trial {
    ac_context *ctx;
    ac_problem *problem;
    ac_simulation *sim;
    ac_status status; /* of the last call */
} trial;

static inline trial begin_trial(const char *text)
{
    trial r = {.ctx = ac_context_new(NULL)};
    r.status = ac_problem_parse(r.ctx, "test.yaml", text, strlen(text), NULL, 0, &r.problem);
    if (r.status == AC_OK)
        r.status = ac_simulation_new(r.ctx, ac_problem_system(r.problem), ac_problem_simulation(r.problem),
                                     &r.sim);
    return r;
}

static inline void end_trial(trial *r)
{
    ac_simulation_free(r->sim);
    ac_problem_free(r->problem);
    ac_context_free(r->ctx);
}

static inline ac_state *through_bytes(ac_context *ctx, const ac_state *state)
{
    ac_state *read = NULL;
    size_t size = ac_state_bytes(state);
    void *bytes = malloc(size);
    ac_state_pack(state, bytes);
    CHECK(ac_state_unpack(ctx, bytes, size, &read) == AC_OK);
    free(bytes);
    return read;
}

#endif
