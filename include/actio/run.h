/* Running a problem: from the problem to its result file, whatever the task is. */
#ifndef ACTIO_RUN_H
#define ACTIO_RUN_H

#include "actio/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then with the share done (0 to 1) and a few words; answers nonzero to stop. */
typedef int (*ac_progress)(void *user, double done, const char *words);

/* One number of the short table that a run ends with. */
typedef struct ac_summary_entry {
    char name[64];
    char unit[16];
    double value;
} ac_summary_entry;

enum { AC_SUMMARY_MAX = 64, AC_REMARK_SIZE = 512 };

typedef struct ac_summary {
    int count;
    ac_summary_entry entry[AC_SUMMARY_MAX];
    char remark[AC_REMARK_SIZE]; /* what the numbers alone do not say; empty: nothing */
} ac_summary;

/* Solves the problem and writes `path` (NULL: no file). AC_OK: solved. AC_NOT_CONVERGED or AC_INTERRUPTED:
 * not solved; the file holds what was reached and the message says where it stopped. */
AC_API ac_status ac_run(ac_context *ctx, const ac_problem *problem, const char *path, ac_progress progress,
                        void *user, ac_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
