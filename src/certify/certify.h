/* What certifications and robust controls share. */
#ifndef ACTIO_CERTIFY_CERTIFY_H
#define ACTIO_CERTIFY_CERTIFY_H

#include "actio/certify.h"

/* The confidence of each bound: if the smallest decides, the three share the error, for any of them may be wrong. */
double ac_bound_confidence(const ac_certify_settings *settings);
/* The inputs of a sample. */
void ac_draw_inputs(const ac_uncertain *inputs, int count, uint64_t seed, unsigned stream, long sample,
                    double *x);
/* One run; a measure that is not finite counts as failed. */
ac_status ac_measure_once(ac_context *ctx, const ac_sample_run *run, const double *x, double *measure,
                          bool *failed);
/* Several of them, together where there are more than one: rows of inputs, and pairs (measure, failed). */
ac_status ac_measure_several(ac_context *ctx, const ac_sample_run *run, int count, const double *x, int width,
                             double *numbers);

#endif
