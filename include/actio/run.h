/* Running a problem: from the problem to its result file, for any task. */
#ifndef ACTIO_RUN_H
#define ACTIO_RUN_H

#include "actio/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then, in tasks that take steps at least after each hundredth of them, with the share done (0 to 1) and a
 * few words; returns nonzero to stop. */
typedef int (*ac_progress)(void *user, double done, const char *words);

/* One number of the short table that a run ends with. */
typedef struct ac_summary_entry {
    char name[64];
    char unit[16];
    double value;
} ac_summary_entry;

enum { AC_SUMMARY_MAX = 256, AC_NOTES_MAX = 32, AC_REMARK_SIZE = 512, AC_PATH_SIZE = 4096 };

/* Notes beside the numbers, by kind. */
typedef enum ac_note_kind {
    AC_NOTE_ASSEMBLY, /* what assembly changed of the start that was given */
    AC_NOTE_CHOICE,   /* a choice of the program, with its reason */
    AC_NOTE_WARNING,  /* what is doubtful about the start */
    AC_NOTE_VERDICT,  /* the verdict: stable, optimal, at a limit */
    AC_NOTE_REMARK    /* what is doubtful about the result */
} ac_note_kind;

typedef struct ac_note {
    ac_note_kind kind;
    char text[AC_REMARK_SIZE];
} ac_note;

/* "assembly", "choice", ... */
AC_API const char *ac_note_kind_name(ac_note_kind kind);

typedef struct ac_summary {
    char status
        [24];    /* "solved", "not_solved"; of a certification "certified", "not_certified", "shard_done" */
    bool denied; /* the task is complete, and what was to be shown does not hold */
    int count;
    ac_summary_entry entry[AC_SUMMARY_MAX];
    int note_count;
    ac_note note[AC_NOTES_MAX];
    char remark[AC_REMARK_SIZE]; /* all remarks in one line; empty: none */
    char scheme[32];             /* that a simulation takes, and why; empty: the task has none */
    char scheme_reason[AC_REMARK_SIZE];
    char path[AC_PATH_SIZE]; /* of the result file; empty: there is none */
} ac_summary;

/* Solves the problem and writes `path` (NULL: no file). AC_OK: the task is complete; the status of the
 * summary is its outcome. AC_NOT_CONVERGED or AC_INTERRUPTED: not solved; the file holds what was reached and the
 * message says where it stopped. A complete result is never replaced by one that is not: that goes beside it, to
 * `path` with `.unsolved` before its ending. */
AC_API ac_status ac_run(ac_context *ctx, const ac_problem *problem, const char *path, ac_progress progress,
                        void *user, ac_summary *summary);

/* The same, from the last checkpoint of an earlier run of the same problem to the same path that was killed or
 * interrupted: a simulation continues with the same bits as if not interrupted, an optimisation begins with the best
 * point that was found. Without a checkpoint it starts at the beginning. AC_BAD_INPUT if the checkpoint is of another
 * problem or damaged. */
AC_API ac_status ac_run_resume(ac_context *ctx, const ac_problem *problem, const char *path,
                               ac_progress progress, void *user, ac_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
