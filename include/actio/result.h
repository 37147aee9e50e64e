/* Result files: tables of named channels, numbers, texts, in HDF5.
 *
 * A writer streams: rows are appended as they come and never gathered, so the memory of a long run is
 * bounded. It writes beside the final name; the file appears under its name only when it is complete
 * (ac_result_commit). A run that fails half way commits too: it keeps what was reached and says so in its
 * status text.
 */
#ifndef ACTIO_RESULT_H
#define ACTIO_RESULT_H

#include <stdbool.h>

#include "actio/channel.h"
#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_result_writer ac_result_writer;

AC_API ac_status ac_result_create(ac_context *ctx, const char *path, ac_result_writer **writer);
/* A text such as "problem" (the file as it was), "title", "task", "status", "message". */
AC_API ac_status ac_result_put_text(ac_result_writer *writer, const char *name, const char *text);
/* A number of the summary, in the order given. */
AC_API ac_status ac_result_put_number(ac_result_writer *writer, const char *name, double value,
                                      const char *unit);
/* Starts a table; rows are the channels one after another. Returns its number. */
AC_API ac_status ac_result_put_table(ac_result_writer *writer, const char *name, const ac_channel *channels,
                                     int channel_count, int *table);
/* Appends one row. A value that is not finite is refused (AC_BAD_INPUT, the message names the channel). */
AC_API ac_status ac_result_append(ac_result_writer *writer, int table, const double *row);
/* Things of one kind, each with a name, a word and some numbers, such as the solids of the scene. `labels`: of the
 * numbers, separated by blanks. */
typedef struct ac_result_list {
    const char *const *names, *const *words;
    const double *values; /* count x width */
    long count;
    int width;
} ac_result_list;
/* The name may contain slashes, as in "scene/solids". */
AC_API ac_status ac_result_put_list(ac_result_writer *writer, const char *name, const char *labels,
                                    const ac_result_list *list);
/* Completes the file and gives it its name. The writer is freed in every case. */
AC_API ac_status ac_result_commit(ac_result_writer *writer);
/* The name that the file gets, instead of the one it was created with. */
AC_API ac_status ac_result_rename(ac_result_writer *writer, const char *path);
/* Throws the unfinished file away. NULL is allowed. */
AC_API void ac_result_abandon(ac_result_writer *writer);

typedef struct ac_result ac_result;

/* HDF5 is kept from tidying up when the program ends, which goes wrong after a damaged file; a program that
 * leaves files of its own to that calls H5open first. */
AC_API ac_status ac_result_open(ac_context *ctx, const char *path, ac_result **result);
AC_API void ac_result_close(ac_result *result);
/* NULL when the file holds no text of that name. */
AC_API const char *ac_result_text(const ac_result *result, const char *name);
AC_API int ac_result_number_count(const ac_result *result);
AC_API const char *ac_result_number_name(const ac_result *result, int index, double *value,
                                         const char **unit);
AC_API bool ac_result_number(const ac_result *result, const char *name, double *value);
AC_API int ac_result_table_count(const ac_result *result);
AC_API const char *ac_result_table_name(const ac_result *result, int table);
AC_API long ac_result_rows(const ac_result *result, int table);
AC_API const ac_channel *ac_result_channels(const ac_result *result, int table, int *count);
/* Finds a channel by its name in any table. */
AC_API bool ac_result_find(const ac_result *result, const char *name, int *table, int *channel);
/* Reads rows first, first+stride, ... of one channel: `count` rows of its width into `values`. */
AC_API ac_status ac_result_read(ac_result *result, int table, int channel, long first, long stride,
                                long count, double *values);

/* Reads a list; it is empty when the file holds none of that name. */
AC_API ac_status ac_result_read_list(ac_result *result, const char *name, ac_result_list *list);
AC_API void ac_result_free_list(ac_result *result, ac_result_list *list);

#ifdef __cplusplus
}
#endif
#endif
