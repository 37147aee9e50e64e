/* Samples over the two inputs that matter most. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "certify/certify.h"
#include "certify/random.h"
#include "task/certify/certify.h"

/* The two inputs with the largest diameters, in their order. */
static void choose(const ac_certificate *out, int count, int chosen[2])
{
    chosen[0] = 0;
    chosen[1] = -1;
    for (int k = 1; k < count; ++k)
        if (out->inputs[k].value > out->inputs[chosen[0]].value) chosen[0] = k;
    for (int k = 0; k < count; ++k)
        if (k != chosen[0] && (chosen[1] < 0 || out->inputs[k].value > out->inputs[chosen[1]].value))
            chosen[1] = k;
}

static ac_status put_rows(ac_certify_task *t, const int chosen[2], double *x)
{
    const ac_certification *c = t->c;
    long count = t->settings.samples < AC_CERTIFY_DOTS ? t->settings.samples : AC_CERTIFY_DOTS;
    for (long k = 0; k < count; ++k) {
        ac_draw_inputs(c->inputs, c->input_count, t->settings.seed, AC_STREAM_SAMPLES, k, x);
        t->scatter.row[0] = t->beyond[k];
        t->scatter.row[1] = x[chosen[0]];
        t->scatter.row[2] = x[chosen[1]];
        AC_TRY(ac_stream_put(&t->scatter));
    }
    return AC_OK;
}

ac_status ac_certify_scatter(ac_certify_task *t, const ac_certificate *out)
{
    const ac_certification *c = t->c;
    int chosen[2];
    choose(out, c->input_count, chosen);
    if (c->input_count < 2) return AC_OK;
    char(*texts)[AC_CERTIFY_NAME] = ac_certify_texts(t, 2);
    if (!texts) return ac_out_of_memory(t->job->ctx);
    for (int k = 0; k < 2; ++k) snprintf(texts[k], AC_CERTIFY_NAME, "scatter/%s", c->inputs[chosen[k]].name);
    const char *const names[] = {"scatter/failure", texts[0], texts[1]};
    AC_TRY(ac_certify_table(t, &t->scatter, "scatter", names, 3));
    double *x = ac_allocate(t->job->ctx, (size_t)c->input_count, sizeof *x);
    if (!x) return ac_out_of_memory(t->job->ctx);
    ac_status status = put_rows(t, chosen, x);
    ac_release(t->job->ctx, x);
    return status;
}
