/* Which rows of a table are shown, and the reading of them.
 *
 * A result may have millions of rows; a screen has a few thousand columns. For an animation every k-th row
 * is taken, and the last one. For a plot the rows are put into buckets, and the smallest and the largest
 * value of each bucket are kept in their order, so that no peak is lost.
 */
#ifndef ACTIO_SHOW_SCENE_SAMPLING_H
#define ACTIO_SHOW_SCENE_SAMPLING_H

#include "actio/report.h"

/* Rows first, first + stride, ..., and `last` as the final one: `count` in all. */
typedef struct ac_row_choice {
    long first, stride, last, count;
} ac_row_choice;

/* The channel of a table, -1 when there is none of that name. */
int ac_table_channel(const ac_result *result, int table, const char *name);

/* At most `limit` of the rows, evenly, with the first and the last. */
ac_row_choice ac_choose_rows(long first, long count, long limit);
ac_status ac_read_chosen(ac_result *result, int table, int channel, const ac_row_choice *choice,
                         double *values);

/* How `count` rows are put into buckets for a plot of about `limit` points. */
typedef struct ac_bucketing {
    long first, count;
    long size;   /* rows of a bucket; 1: every row is a point of its own */
    long points; /* that come out */
} ac_bucketing;

ac_bucketing ac_make_buckets(long first, long count, long limit);
/* Fills `points` rows of the channel's width. `time`: the rows where the points stand, not the extremes. */
ac_status ac_read_buckets(ac_context *ctx, ac_result *result, int table, int channel,
                          const ac_bucketing *buckets, bool time, double *values);

#endif
