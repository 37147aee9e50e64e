/* Limits of numbers that depend on parameters. */
#include "problem/parameters/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "base/number/formula.h"

static const double INERTIA_TOLERANCE = 1e-9; /* relative, for moments that were rounded */

/* --- limits of the reader --- */

static ac_status take_limit(ac_limits *limits, const ac_reader *reader, const ac_limit *limit)
{
    ac_expression *expression = NULL;
    int inputs = reader->graph->inputs, *variable;
    AC_TRY(ac_grow(limits->ctx, (void **)&limits->list, &limits->capacity, limits->count + 1,
                   sizeof *limits->list));
    AC_NEW(limits->ctx, variable, inputs);
    for (int k = 0; k < inputs; ++k) variable[k] = k < reader->free_count ? k : -1;
    ac_status status = ac_graph_expression(limits->ctx, reader->graph, limit->node, variable,
                                           reader->free_count, &expression);
    ac_release(limits->ctx, variable);
    AC_TRY(status);
    limits->list[limits->count++] = (struct ac_kept_limit){limit, expression};
    return AC_OK;
}

ac_status ac_limits_take(ac_context *ctx, const ac_reader *reader, ac_limits *limits)
{
    *limits = (ac_limits){.ctx = ctx};
    for (const ac_limit *l = reader->limits; l; l = l->next) AC_TRY(take_limit(limits, reader, l));
    return AC_OK;
}

void ac_limits_free(ac_limits *limits)
{
    if (!limits->ctx) return;
    for (int k = 0; k < limits->count; ++k) ac_expression_free(limits->list[k].expression);
    ac_release(limits->ctx, limits->list);
    *limits = (ac_limits){0};
}

ac_status ac_limits_check(const ac_limits *limits, const double *x)
{
    for (int k = limits->count - 1; k >= 0; --k) { /* the list of the reader runs backwards */
        const ac_limit *l = limits->list[k].limit;
        double number = ac_expression_value(limits->list[k].expression, x);
        char shown[AC_NUMBER_SIZE];
        if (number > 0.0 || (l->may_be_zero && number >= 0.0)) continue;
        ac_write_short(shown, number);
        if (l->whole) return ac_fail_at(limits->ctx, l->value->place, "%s", l->words);
        if (l->may_be_zero)
            return ac_fail_at(limits->ctx, l->value->place, "%s must not be negative, but is %s", l->words,
                              shown);
        return ac_fail_at(limits->ctx, l->value->place, "%s must be positive, not %s", l->words, shown);
    }
    return AC_OK;
}

/* --- inertias --- */

/* Principal moments are not negative and none is larger than the sum of the others. */
bool ac_inertia_wrong(const double inertia[9], char *words, size_t size)
{
    double m[3], axes[9];
    char a[AC_NUMBER_SIZE], c[AC_NUMBER_SIZE], d[AC_NUMBER_SIZE];
    ac_principal_axes(inertia, m, axes);
    double slack = INERTIA_TOLERANCE * fabs(m[0]);
    words[0] = '\0';
    if (!isfinite(m[0]) || !isfinite(m[1]) || !isfinite(m[2]))
        snprintf(words, size, "inertia is too large");
    else if (m[2] < -slack)
        snprintf(words, size, "inertia must not have a negative principal moment, but has %s",
                 ac_write_short(a, m[2]));
    else if (!(m[0] > 0))
        snprintf(words, size, "inertia must not be zero; use points: for a mass without extent");
    else if (m[0] > m[1] + m[2] + slack)
        snprintf(words, size,
                 "inertia breaks the triangle inequality: principal moment %s is larger than %s + "
                 "%s; no mass can have that",
                 ac_write_short(a, m[0]), ac_write_short(c, m[1]), ac_write_short(d, m[2]));
    return words[0] != '\0';
}

ac_status ac_description_check(ac_context *ctx, const ac_description *description)
{
    static const int entry[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    for (int k = 0; k < description->count; ++k) {
        const ac_body *body = &description->pieces[k].as.body;
        char words[240];
        double inertia[9];
        if (description->pieces[k].kind != AC_PIECE_BODY || !description->pieces[k].inertia_varies) continue;
        for (int e = 0; e < 9; ++e) inertia[e] = body->inertia[entry[e]];
        if (ac_inertia_wrong(inertia, words, sizeof words))
            return ac_fail(ctx, AC_BAD_INPUT, "body '%s': %s", body->name, words);
    }
    return AC_OK;
}
