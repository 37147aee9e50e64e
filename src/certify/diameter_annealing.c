/* The diameter of one input by simulated annealing, as published: over all inputs and a second value of the one. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "certify/annealing.h"
#include "certify/diameter.h"

typedef struct pair_search {
    ac_search *search;
    ac_pair *best;
    double measure[2]; /* of the last evaluation */
} pair_search;

/* parts: all inputs, then the second value of the one */
static ac_status minus_change(void *user, const double *parts, double *value)
{
    pair_search *p = user;
    ac_search *s = p->search;
    *value = 0.0;
    AC_TRY(ac_search_measure(s, parts, parts[s->input], &p->measure[0]));
    if (s->failed) return AC_OK;
    AC_TRY(ac_search_measure(s, parts, parts[s->count], &p->measure[1]));
    if (s->failed) return AC_OK;
    *value = -fabs(p->measure[0] - p->measure[1]);
    return AC_OK;
}

static ac_status keep(void *user, const double *parts, double value, long evaluation)
{
    pair_search *p = user;
    const ac_search *s = p->search;
    bool first = p->measure[0] >= p->measure[1];
    (void)evaluation;
    p->best->found = -value;
    p->best->a = parts[first ? s->input : s->count];
    p->best->b = parts[first ? s->count : s->input];
    memcpy(p->best->others, parts, (size_t)s->count * sizeof *parts);
    return AC_OK;
}

ac_status ac_search_annealing(ac_search *s, ac_pair *best)
{
    int count = s->count + 1;
    double *space = ac_allocate(s->ctx, 2 * (size_t)count, sizeof *space);
    if (!space) return ac_out_of_memory(s->ctx);
    pair_search p = {.search = s, .best = best};
    ac_anneal anneal = {
        .schedule = &s->settings->annealing,
        .dice = {s->settings->seed, (uint64_t)s->start, AC_STREAM_SEARCH + 16u * (unsigned)s->input, 0},
        .count = count,
        .value = minus_change,
        .user = &p,
        .best = keep,
        .parts = space,
        .trial = space + count};
    for (int k = 0; k < count; ++k) anneal.parts[k] = ac_roll(&anneal.dice);
    ac_status status = ac_anneal_run(&anneal);
    ac_release(s->ctx, space);
    return status;
}
