/* Decimal numbers as text, the same in every locale. */
#ifndef ACTIO_BASE_NUMBER_H
#define ACTIO_BASE_NUMBER_H

#include <stdbool.h>

enum { AC_NUMBER_SIZE = 32 };

/* Reads digits[.digits][e[+-]digits] without a sign from the start of `text` and lets `*end` point behind it.
 * False when there is no number or it has too many digits; a number that is too large gives infinity. */
bool ac_read_decimal(const char *text, double *value, const char **end);

/* Writes 17 significant digits with a decimal point into `text` (AC_NUMBER_SIZE bytes) and returns it. */
const char *ac_write_decimal(char *text, double value);

/* The same with as few digits as give the value back, for people to read. */
const char *ac_write_short(char *text, double value);

#endif
