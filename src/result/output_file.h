/* A file that is there whole or not at all: written beside its name, renamed at the end. */
#ifndef ACTIO_RESULT_OUTPUT_FILE_H
#define ACTIO_RESULT_OUTPUT_FILE_H

#include <stdio.h>

#include "actio/context.h"

typedef struct ac_output_file {
    ac_context *ctx;
    FILE *stream;
    char *path, *part;
} ac_output_file;

ac_status ac_output_open(ac_context *ctx, const char *path, ac_output_file *file);
/* Ends the writing: with AC_OK the file gets its name, else it is thrown away. Returns `status`, or why the
 * file could not be written. */
ac_status ac_output_close(ac_output_file *file, ac_status status);

#endif
