/* A file that is there whole or not at all: written beside its name, renamed at the end. */
#ifndef ACTIO_RESULT_OUTPUT_FILE_H
#define ACTIO_RESULT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "actio/context.h"

enum { AC_OUTPUT_PATH = 4097 };

typedef struct ac_output_file {
    ac_context *ctx;
    FILE *stream;
    char *path, *part;
    bool direct; /* a device or a pipe: it is no file beside it that is renamed */
} ac_output_file;

/* Where a path that may be a link leads, in `target` or the path itself. */
const char *ac_output_target(const char *path, char target[AC_OUTPUT_PATH]);
/* Why writing to a stream failed, as in errno; 0: it did not. */
int ac_output_error(FILE *stream);

ac_status ac_output_open(ac_context *ctx, const char *path, ac_output_file *file);
/* Ends the writing: with AC_OK the file gets its name, else it is thrown away. Returns `status`, or why the
 * file could not be written. */
ac_status ac_output_close(ac_output_file *file, ac_status status);

#endif
