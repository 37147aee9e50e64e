/* Certification: how likely is it that a system fails under uncertain inputs?
 *
 * The inputs X of a system are independent random numbers with bounded ranges; a run gives the measure Y = F(X);
 * the system fails when Y exceeds its threshold a. Concentration of measure (McDiarmid) bounds the probability of
 * failure by the mean of Y and the diameter of F alone:
 *
 *   D_k = sup |F(.., A, ..) - F(.., B, ..)|   over all values A, B of input k and all values of the others
 *   D_F = sqrt(sum D_k^2)
 *   P[Y > a] <= exp(-2 CF^2),  CF = (a - <Y> - alpha)+ / D_F,  alpha = D_F sqrt(log(1/eps')/m)
 *
 * with probability 1 - eps' over the m samples of the mean <Y>. The diameter is found by a global search: it is a lower
 * bound of the true one, and a certificate is as good as this search, which the result therefore describes.
 *
 * Random numbers depend on the seed, the number of the sample and the number of the input only, so that results do not
 * depend on the number of workers.
 */
#ifndef ACTIO_CERTIFY_H
#define ACTIO_CERTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ac_distribution {
    AC_UNIFORM,
    AC_TRUNCATED_NORMAL, /* mean and deviation are those before truncation */
    AC_TRIANGULAR,       /* with its mode */
    AC_GIVEN_SAMPLES     /* one of a list of numbers, each as likely as any other */
} ac_distribution;

/* One uncertain input. Inputs are independent of each other. */
typedef struct ac_uncertain {
    const char *name;
    ac_distribution distribution;
    double low, high; /* the range; given samples: set by ac_uncertain_check to that of the list */
    double mean, deviation, mode;
    const double *samples;
    int sample_count;
    double slope_limit; /* a known bound of |dF/dX| over all inputs; 0: none is known */
} ac_uncertain;

/* Refuses empty ranges, modes and means outside of them, lists without numbers. */
AC_API ac_status ac_uncertain_check(ac_context *ctx, ac_uncertain *input);
/* The value that is exceeded with probability 1 - p. */
AC_API double ac_uncertain_quantile(const ac_uncertain *input, double p);
/* Input number `input` of sample number `sample`. `stream` separates independent sets of samples. */
AC_API double ac_uncertain_draw(const ac_uncertain *input, uint64_t seed, unsigned stream, uint64_t sample,
                                unsigned number);

enum { AC_RUNS_TOGETHER = 16 }; /* most runs at once */

/* Runs the system once. Returns 0: `*measure` is set; positive: the run failed, which counts as a failure of the
 * system; negative: give up, the context has the message. */
typedef struct ac_sample_run {
    void *user;
    int (*run)(void *user, const double *x, double *measure);
    /* The same with dF/dX; may be NULL. `gradient_runs`: how many runs it counts as; 0: one. */
    int (*gradient)(void *user, const double *x, double *measure, double *gradient);
    int gradient_runs;
    /* The same with how near the run came to a failure, 0 far from it: robust controls keep away from there; may be NULL. */
    int (*run_tight)(void *user, const double *x, double *measure, double *tight);
    /* The same with derivatives by the controls behind the inputs: of the measure, then of `tight`; may be NULL. */
    int (*slopes)(void *user, const double *x, double *measure, double *tight, double *slopes);
    /* Up to `together` runs at once, which may be faster than one after another; may be NULL. `x` is a list of rows, `tight`
     * may be NULL; `outcomes` are what single runs would return. Returns negative to give up. */
    int (*run_together)(void *user, int count, const double *const *x, double *measures, double *tight,
                        int *outcomes);
    int together;
    /* Why the last run failed; may be NULL. */
    const char *(*reason)(void *user);
} ac_sample_run;

/* Makes one runner for each worker, in the worker's own context. */
typedef struct ac_sample_source {
    void *user;
    ac_status (*open)(void *user, ac_context *ctx, ac_sample_run *run);
    void (*close)(void *user, ac_sample_run *run);
} ac_sample_source;

typedef enum ac_diameter_search {
    AC_SEARCH_STARTS,    /* a scan, then ascents in all numbers along exact gradients from its best pairs */
    AC_SEARCH_ANNEALING, /* simulated annealing as published */
    AC_SEARCH_GRID       /* all points of a grid */
} ac_diameter_search;

/* Which bound of the probability of a failure decides. */
typedef enum ac_certify_bound {
    AC_CERTIFY_BEST, /* the smallest of the three, each at a third of the error 1 - confidence (union bound) */
    AC_CERTIFY_MCDIARMID,
    AC_CERTIFY_HOEFFDING,
    AC_CERTIFY_CLOPPER_PEARSON
} ac_certify_bound;

/* Simulated annealing (Kirkpatrick) with the published schedule. */
typedef struct ac_annealing {
    long evaluations;      /* at most */
    int per_temperature;   /* trials, after which the temperature falls */
    int accepted;          /* successive ones, after which it falls, too */
    int rejected;          /* successive ones, after which the search ends */
    double factor, lowest; /* of the temperature, which starts at 1 */
    double boltzmann;
    double width; /* of a neighbourhood, in parts of the range */
} ac_annealing;

typedef struct ac_certify_settings {
    double threshold;
    bool at_least;     /* the measure must not fall below the threshold (else: must not exceed it) */
    double tolerance;  /* eps: the probability of failure that can be borne */
    double confidence; /* 1 - eps' */
    ac_certify_bound bound;
    bool sharp_margin; /* alpha with the factor 1/sqrt(2) that McDiarmid's inequality allows */
    long samples;      /* m */
    long mean_samples; /* of a second, independent set whose mean is taken as exact; 0: none */
    uint64_t seed;
    ac_diameter_search search;
    int starts;      /* ascents for each input */
    int grid;        /* points for each input */
    int line_points; /* along each input in the scan; 0: by the number of inputs */
    ac_annealing annealing;
    bool has_failed_measure;
    double failed_measure; /* measure of a failed run in mean and diameter */
} ac_certify_settings;

AC_API void ac_certify_defaults(ac_certify_settings *settings);

/* How the work is done; nothing of this changes results. All zero: one process, one worker, nothing kept. */
typedef struct ac_certify_work {
    int workers;          /* threads; 0: 1 */
    const char *journal;  /* a file that keeps finished pieces, so that a killed run continues; NULL: none */
    uint64_t fingerprint; /* of the problem: a journal of another one is refused */
    unsigned part; /* which of several certifications and searches with the same journal this is, from 0 */
    int shard, shards;        /* only the pieces of shard 1..shards; 0: all */
    const char *const *parts; /* journals of shards to be put together */
    int part_count;
    /* Several processes: number of this one, how many, and an exchange after which everybody has the `count` numbers of
     * everybody, in the order of their numbers. */
    int rank, ranks;
    int (*gather)(void *user, const double *mine, long count, double *all);
    void *gather_user;
    /* Called now and then; nonzero stops. */
    int (*progress)(void *user, double done, const char *words);
    void *progress_user;
    /* Every sample as it is known, in order; may be NULL. */
    ac_status (*sample)(void *user, int set, long number, const double *x, double measure, bool failed);
    void *sample_user;
} ac_certify_work;

/* The outcome for one input. */
typedef struct ac_sub_diameter {
    double value;  /* used in the bound */
    double found;  /* by the search */
    bool by_slope; /* the value is the known bound of the slope times the range, which is rigorous */
    double a, b;   /* the two values of the input, a gives the larger measure */
    double slope;  /* largest |dF/dX| that the search saw, times the range; 0: no gradients */
    long runs;
} ac_sub_diameter;

typedef struct ac_certificate {
    double mean, mean_exact; /* of the samples; of the second set, if there is one */
    double margin_hit;       /* alpha */
    double diameter;
    double confidence_factor, needed_factor; /* of McDiarmid's bound and of the tolerance */
    double confidence_factor_exact;
    double bound;              /* the one that decides: certified when it is at most the tolerance */
    ac_certify_bound decisive; /* which one that is; never AC_CERTIFY_BEST */
    double mcdiarmid;          /* with the sampled mean */
    double bound_exact;        /* McDiarmid, with the mean taken as exact */
    double hoeffding;          /* from the number of failures */
    double clopper_pearson;    /* the same, exact */
    /* The same with the steepest slope that the search saw taken all over the range of an input: rigorous where no slope is
     * steeper, as for a measure that is affine in its inputs. Not below `diameter`; equal to it without gradients. */
    double gradient_diameter, gradient_bound;
    double rate, rate_low, rate_high;  /* failures counted, with the interval of Clopper and Pearson */
    double lowest, highest, deviation; /* of the measure over all samples */
    /* samples that the bound of Hoeffding would need for the tolerance without a failure */
    double runs_hoeffding;
    double runs_monte_carlo; /* the same for Clopper and Pearson */
    double largest_diameter; /* up to which McDiarmid's bound meets the tolerance; 0: at no diameter */
    bool certified;
    long runs, sample_runs, search_runs;
    long failures;           /* samples beyond the threshold or failed */
    long failed;             /* samples whose run failed */
    long first_failed;       /* its number; -1: none */
    bool search_failed;      /* a run failed while the diameter was searched */
    bool complete;           /* false: a shard, whose pieces are in its journal */
    long kept;               /* blocks of work that the journal knew at the start */
    char reason[256];        /* why the first failed run did */
    ac_sub_diameter *inputs; /* one for each input */
    double *where; /* inputs x inputs: the values of all inputs at which the diameter of each was found */
} ac_certificate;

/* Certifies. The certificate's lists are released with ac_certificate_clear. */
AC_API ac_status ac_certify(ac_context *ctx, const ac_uncertain *inputs, int input_count,
                            const ac_certify_settings *settings, const ac_sample_source *source,
                            const ac_certify_work *work, ac_certificate *certificate);
AC_API void ac_certificate_clear(ac_context *ctx, ac_certificate *certificate);

/* --- the formulas alone --- */

/* sqrt(log(1/eps')/m), the part of the confidence factor that m samples cost; sharp: with 1/sqrt(2). */
AC_API double ac_margin_share(double confidence, long samples, bool sharp);
/* exp(-2 (margin)+^2 / diameter^2); 1 for a margin below zero, 0 for diameter 0 and a positive margin. */
AC_API double ac_mcdiarmid(double margin, double diameter);
/* failures/m + sqrt(log(1/eps')/(2m)) */
AC_API double ac_hoeffding(long failures, long samples, double confidence);
/* The exact two-sided interval of a probability from counts. */
AC_API void ac_clopper_pearson(long failures, long samples, double confidence, double *low, double *high);

#ifdef __cplusplus
}
#endif
#endif
