/* Who does which piece of the work: threads, ranks of a parallel machine, shards of a batch system, journals.
 *
 * A series is a row of items, each of which gives `width` numbers and depends on its own number only. Items come in blocks;
 * blocks are what ranks and shards share and what a journal keeps. Numbers are taken in the order of the items, on every
 * rank, so that sums and choices over them are the same for any number of workers. */
#ifndef ACTIO_CERTIFY_PIECES_H
#define ACTIO_CERTIFY_PIECES_H

#include "actio/certify.h"

typedef struct ac_pieces ac_pieces;

enum { AC_SERIES_MAX = 1 << 20 }; /* most that one part of the work may have */

typedef struct ac_series {
    unsigned number; /* in the journal; below AC_SERIES_MAX, another one for each series */
    const char *name;
    long items;
    int block, width;
    void *user;
    bool together;   /* several items at once, where runs may be done together (ac_sample_run.together) */
    bool everywhere; /* every shard does all of it, because a later series needs it */
    int scratch;     /* numbers of working space for each item */
    /* The numbers of `count` items from `first` on, by one worker; one item unless the series is done together. */
    ac_status (*work)(void *user, ac_context *ctx, const ac_sample_run *run, long first, int count,
                      double *scratch, double *numbers);
    /* Takes the numbers of items first, first + 1, ... */
    ac_status (*take)(void *user, long first, long count, const double *numbers);
    double before, share; /* of the whole, for the progress */
} ac_series;

ac_status ac_pieces_open(ac_context *ctx, const ac_sample_source *source, const ac_certify_work *work,
                         ac_pieces **pieces);
void ac_pieces_close(ac_pieces *pieces);
/* Removes the journal of a run that would end in the same way again; that of a shard stays. `pieces` may be NULL. */
void ac_pieces_forget(const ac_pieces *pieces);
/* Blocks that the journal knew from a run before; those of parts do not count. */
long ac_pieces_kept(const ac_pieces *pieces);
/* Runs a series; false in *complete when blocks of other shards are missing. */
ac_status ac_pieces_run(ac_pieces *pieces, const ac_series *series, bool *complete);
/* A runner of this thread, for single runs between series. */
const ac_sample_run *ac_pieces_runner(const ac_pieces *pieces);

#endif
