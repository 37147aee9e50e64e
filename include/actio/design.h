/* Design by surrogates: the minimum of a cost that is expensive to evaluate, such as the optimum of a manoeuvre as a
 * function of lengths and masses.
 *
 * A study proposes samples; whoever has it evaluates them, in any order and by any number of workers, and reports their
 * costs. The next samples depend on the costs only, so a study that is repeated with the costs that are known goes on
 * where it stopped:
 *
 *    ac_design_new(ctx, variables, 2, &settings, NULL, 0, &design);
 *    for (;;) {
 *        ac_design_ask(design, &count);
 *        if (count == 0) break;
 *        for (int k = 0; k < count; ++k) costs[k] = cost_of(ac_design_asked(design, k));
 *        ac_design_tell(design, costs);
 *    }
 *    ac_design_best(design);
 *
 * Surrogates: a cubic spline in one variable, whose minimum is the next sample; a Gaussian process in any number of
 * variables, whose next sample has the largest expected improvement. Where the surrogate does not lead to a better sample,
 * a pattern search polls the neighbours of the best one.
 */
#ifndef ACTIO_DESIGN_H
#define ACTIO_DESIGN_H

#include <stdbool.h>

#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_design ac_design;

enum { AC_DESIGN_VARIABLES_MAX = 16, AC_DESIGN_BATCH_MAX = 64, AC_DESIGN_EVALUATIONS_MAX = 1000 };

typedef enum ac_surrogate_type { AC_SURROGATE_SPLINE, AC_SURROGATE_GAUSSIAN } ac_surrogate_type;
/* At its ends the spline has no curvature, or the third derivative does not jump at its second and last but one knot. */
typedef enum ac_spline_ends { AC_SPLINE_NATURAL, AC_SPLINE_NOT_A_KNOT } ac_spline_ends;
typedef enum ac_sample_origin {
    AC_SAMPLE_GIVEN,
    AC_SAMPLE_SPREAD, /* spread evenly over the range */
    AC_SAMPLE_SURROGATE,
    AC_SAMPLE_POLL
} ac_sample_origin;

typedef struct ac_design_variable {
    const char *name; /* for messages */
    double low, high;
} ac_design_variable;

typedef struct ac_design_settings {
    ac_surrogate_type surrogate;
    ac_spline_ends ends;
    int samples;      /* at the beginning; given ones count */
    bool in_turn;     /* the first samples are proposed one by one, not together */
    int evaluations;  /* at most */
    int batch;        /* samples that the Gaussian process proposes at once */
    double tolerance; /* relative change of the least cost at which the study ends */
    bool poll;
    double mesh, least_mesh; /* of the poll, in parts of the range: at first, and where it ends */
    unsigned long seed;      /* of the samples that are spread */
} ac_design_settings;

/* For so many variables. */
AC_API void ac_design_defaults(int variables, ac_design_settings *settings);

/* `given`: first samples, row by row; may be NULL. */
AC_API ac_status ac_design_new(ac_context *ctx, const ac_design_variable *variables, int count,
                               const ac_design_settings *settings, const double *given, int given_count,
                               ac_design **design);
AC_API void ac_design_free(ac_design *design);

/* The next samples; 0 when the study has ended. The same ones until their costs are reported. */
AC_API ac_status ac_design_ask(ac_design *design, int *count);
AC_API const double *ac_design_asked(const ac_design *design, int sample);
/* The costs of all of them; one that is not finite: the sample has failed. */
AC_API ac_status ac_design_tell(ac_design *design, const double *costs);
/* Why the study ended; "" before. */
AC_API const char *ac_design_end(const ac_design *design);

/* The evaluated samples, in order. */
typedef struct ac_design_sample {
    const double *x;
    double cost;                 /* NaN: failed */
    double predicted, deviation; /* by the surrogate, before it was evaluated; NaN: by none */
    ac_sample_origin origin;
} ac_design_sample;

AC_API int ac_design_evaluations(const ac_design *design);
AC_API ac_design_sample ac_design_sample_of(const ac_design *design, int sample);
/* The number of the best sample; -1: none succeeded. */
AC_API int ac_design_best(const ac_design *design);

/* The surrogate of all samples so far. The deviation is the standard deviation of the Gaussian process; of a spline, the
 * largest change when one of its samples is left out. AC_BAD_INPUT with fewer than two samples that succeeded. */
AC_API ac_status ac_design_fit(ac_design *design);
AC_API void ac_design_predict(const ac_design *design, const double *x, double *mean, double *deviation);

#ifdef __cplusplus
}
#endif
#endif
