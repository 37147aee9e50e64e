/* Timing for benchmarks: process CPU time, minimum of several repeats, and the slope of a log-log fit. */
#ifndef ACTIO_BENCH_BENCH_H
#define ACTIO_BENCH_BENCH_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Slope of log(y) over log(x). */
static inline double bench_exponent(int count, const double *x, const double *y)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

/* One line of the report; `bound` is what the figure must not exceed, 0 if it is only told. Answers 1 if
 * it exceeds. */
static inline int bench_report(const char *name, double value, const char *unit, double bound)
{
    if (bound > 0.0) {
        printf("%-58s %10.3g %-8s (at most %g) %s\n", name, value, unit, bound,
               value <= bound ? "ok" : "EXCEEDED");
    } else {
        printf("%-58s %10.3g %s\n", name, value, unit);
    }
    return bound > 0.0 && !(value <= bound);
}

#endif
