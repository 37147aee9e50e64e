/* Search for the diameter of one input: the largest change of the measure when this input alone changes.
 *
 * It is a maximum over the other inputs and two values A, B of this one. Every method is a line of the table in
 * diameter.c; what it returns is attained, so it is a lower bound of the true diameter. */
#ifndef ACTIO_CERTIFY_DIAMETER_H
#define ACTIO_CERTIFY_DIAMETER_H

#include "actio/certify.h"

/* What a search works on; one for each worker. */
typedef struct ac_search {
    ac_context *ctx;
    const ac_uncertain *inputs;
    int count;
    const ac_certify_settings *settings;
    const ac_sample_run *run;
    int input;  /* the one whose diameter is searched */
    long start; /* number of the start */
    long runs;
    bool failed;        /* a run failed and nothing says what that counts as: the diameter is unbounded */
    double slope;       /* largest |dF/dX| times range seen */
    const double *scan; /* measures of a grid of ac_scan_points for each input; NULL: none */
    double *point;      /* values of all inputs for a run; scratch */
    double *gradient[2];
} ac_search;

/* The best pair so far, in parts of the ranges (0 to 1). */
typedef struct ac_pair {
    double found;
    double a, b;    /* a gives the larger measure */
    double *others; /* all inputs; that of the search itself is not used */
} ac_pair;

/* The measure at `others` (parts of the ranges) with the searched input at part `at`. Sets `failed` where there is none. */
ac_status ac_search_measure(ac_search *search, const double *others, double at, double *measure);
/* The same with the gradient by the parts of the ranges: exact if the runner has one, else by differences. */
ac_status ac_search_gradient(ac_search *search, const double *others, double at, double measure,
                             double *gradient);

ac_status ac_search_joint(ac_search *search, ac_pair *best);
ac_status ac_search_annealing(ac_search *search, ac_pair *best);

/* Points along an input in the joint search, and whether its lines are those of a grid over all inputs. */
int ac_scan_points(const ac_certify_settings *settings, int count);
bool ac_scan_is_grid(const ac_certify_settings *settings, int count);
/* Runs the search of start `start` for `input`; `scan`: the measures of the grid, or NULL. Numbers: found, a, b (values), runs, failed, slope, values of all inputs. */
enum { AC_DIAMETER_NUMBERS = 6 };
ac_status ac_diameter_search_once(ac_context *ctx, const ac_uncertain *inputs, int count,
                                  const ac_certify_settings *settings, const ac_sample_run *run,
                                  const double *scan, int input, long start, double *numbers);

/* Grid: values of point number `point` (count of them), and all sub-diameters from the measures of all points. */
long ac_grid_points(int grid, int count); /* -1: too many */
void ac_grid_values(const ac_uncertain *inputs, int count, int grid, long point, double *x);
/* The largest change along `input`, and the two points that attain it. */
double ac_grid_extremes(int count, int grid, const double *measures, int input, long *high, long *low);
void ac_grid_diameter(const ac_uncertain *inputs, int count, int grid, const double *measures, int input,
                      ac_sub_diameter *sub, double *where);

#endif
