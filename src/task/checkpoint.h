/* Checkpoints of a run: what is needed to go on after it was killed or interrupted.
 *
 * Beside the result OUT stand two files while a run is under way: OUT.rows, to which every recorded row is appended,
 * and OUT.checkpoint, written beside its name and renamed, which says how many bytes of the rows belong to it and
 * holds what the task wants to know again, with a checksum of both. Neither is ever a link that is followed. A run that ends takes both away; one that is interrupted leaves them.
 */
#ifndef ACTIO_TASK_CHECKPOINT_H
#define ACTIO_TASK_CHECKPOINT_H

#include <stdint.h>
#include <stdio.h>

#include "task/task.h"

/* A place in the rows: how many bytes stand before it, and their checksum. */
typedef struct ac_checkpoint_mark {
    int64_t bytes;
    uint64_t sum;
} ac_checkpoint_mark;

typedef struct ac_checkpoint {
    ac_context *ctx;
    char *path, *rows_path;
    FILE *rows; /* NULL: there is none, it failed, or another run has it */
    bool owned; /* the files are ours */
    bool left;  /* there is a checkpoint */
    bool resume;
    ac_checkpoint_mark written;
    uint64_t key; /* of problem file, overrides and program */
    double last;  /* when one was written, s */
    /* of the checkpoint that was found; NULL: none */
    unsigned char *found;
    size_t found_size;
    ac_checkpoint_mark found_rows;
} ac_checkpoint;

/* Prepares to write them beside the result `output`. `resume`: looks for an earlier one; AC_BAD_INPUT if it is of
 * another problem or damaged. Without, an earlier one is taken away. */
ac_status ac_checkpoint_begin(ac_checkpoint *checkpoint, ac_context *ctx, const ac_problem *problem,
                              const char *output, bool resume);
/* `keep`: leaves the files for another run. */
void ac_checkpoint_end(ac_checkpoint *checkpoint, bool keep);

/* A row goes to the log. A log that cannot be written is given up: the result itself says why. */
void ac_checkpoint_row(ac_checkpoint *checkpoint, int table, const double *row, int width);
ac_checkpoint_mark ac_checkpoint_position(const ac_checkpoint *checkpoint);
/* Writes a checkpoint whose rows end at that place. A failure is no matter of the run: there is no checkpoint
 * then. */
void ac_checkpoint_write(ac_checkpoint *checkpoint, ac_checkpoint_mark rows, const void *bytes, size_t size);
/* Hands the rows of the checkpoint that was found on to the sink; width(user, table) gives their widths. */
ac_status ac_checkpoint_replay(ac_checkpoint *checkpoint, const ac_sink *sink,
                               int (*width)(const void *user, int table), const void *user);

#endif
