/* The numbers of a page: one block of bytes, little-endian, in which the page finds its arrays by place. */
#ifndef ACTIO_SHOW_REPORT_NUMBERS_H
#define ACTIO_SHOW_REPORT_NUMBERS_H

#include <stdio.h>

#include "actio/context.h"

typedef struct ac_numbers {
    ac_context *ctx;
    unsigned char *bytes;
    size_t length, capacity;
} ac_numbers;

void ac_numbers_free(ac_numbers *numbers);

/* Each appends an array, aligned to 8 bytes, and returns its place. */
ac_status ac_numbers_doubles(ac_numbers *numbers, const double *values, size_t count, size_t *place);
ac_status ac_numbers_floats(ac_numbers *numbers, const double *values, size_t count, size_t *place);

/* Writes bytes as base64, without line ends. */
void ac_write_base64(FILE *out, const unsigned char *bytes, size_t length);

#endif
