/* Decimal numbers as text: strtod and printf follow the locale of the program, files must not. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 400 };

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') ++text;
    return text;
}

/* The end of the number that starts at `text`, or `text` itself when there is none; `*point` is its point. */
static const char *number_end(const char *text, const char **point)
{
    const char *end = skip_digits(text);
    size_t digits = (size_t)(end - text);
    *point = NULL;
    if (*end == '.') {
        const char *fraction = skip_digits(end + 1);
        digits += (size_t)(fraction - end - 1);
        *point = end;
        end = fraction;
    }
    if (digits == 0) return text;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        if (*exponent == '+' || *exponent == '-') ++exponent;
        const char *exponent_end = skip_digits(exponent);
        if (exponent_end > exponent) end = exponent_end;
    }
    return end;
}

bool ac_read_decimal(const char *text, double *value, const char **end)
{
    const char *point;
    *end = number_end(text, &point);
    size_t length = (size_t)(*end - text);
    if (length == 0 || length > DIGITS_MAX) return false;

    const char *local_point = localeconv()->decimal_point;
    char digits[DIGITS_MAX + 32];
    size_t before = point ? (size_t)(point - text) : length;
    memcpy(digits, text, before);
    size_t written = before;
    if (point) {
        size_t width = strlen(local_point) < 16 ? strlen(local_point) : 16;
        memcpy(digits + written, local_point, width);
        written += width;
        memcpy(digits + written, point + 1, length - before - 1);
        written += length - before - 1;
    }
    digits[written] = '\0';
    *value = strtod(digits, NULL);
    return true;
}

/* Puts a point where the locale has its own decimal mark. */
static const char *with_point(char *text)
{
    const char *local_point = localeconv()->decimal_point;
    char *mark = strcmp(local_point, ".") != 0 ? strstr(text, local_point) : NULL;
    if (mark) {
        size_t width = strlen(local_point);
        *mark = '.';
        memmove(mark + 1, mark + width, strlen(mark + width) + 1);
    }
    return text;
}

/* Whole numbers are common and need no printf. */
static bool write_whole(char *text, double value)
{
    if (!(fabs(value) < 1e9) || value != floor(value) || (value == 0 && signbit(value))) return false;
    char digits[AC_NUMBER_SIZE];
    int count = 0;
    for (long left = labs((long)value); left > 0 || count == 0; left /= 10)
        digits[count++] = (char)('0' + left % 10);
    if (value < 0) *text++ = '-';
    while (count > 0) *text++ = digits[--count];
    *text = '\0';
    return true;
}

const char *ac_write_decimal(char *text, double value)
{
    if (write_whole(text, value)) return text;
    snprintf(text, AC_NUMBER_SIZE, "%.17g", value);
    return with_point(text);
}

const char *ac_write_short(char *text, double value)
{
    for (int digits = 6; digits <= 17; ++digits) {
        snprintf(text, AC_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return with_point(text);
}
