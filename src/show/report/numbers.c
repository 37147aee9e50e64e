/* The numbers of a page: one block of bytes, and its text. */
#include "show/report/numbers.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"

enum { FIRST_CAPACITY = 1 << 16 };

void ac_numbers_free(ac_numbers *numbers)
{
    ac_release(numbers->ctx, numbers->bytes);
    numbers->bytes = NULL;
}

static ac_status reserve(ac_numbers *n, size_t more)
{
    size_t needed = n->length + more, capacity = n->capacity ? n->capacity : FIRST_CAPACITY;
    if (needed <= n->capacity) return AC_OK;
    while (capacity < needed) capacity *= 2;
    unsigned char *larger;
    AC_NEW(n->ctx, larger, capacity);
    if (n->bytes) memcpy(larger, n->bytes, n->length);
    ac_release(n->ctx, n->bytes);
    n->bytes = larger;
    n->capacity = capacity;
    return AC_OK;
}

/* Room for `size` bytes at a multiple of 8. */
static ac_status take(ac_numbers *n, size_t size, size_t *place)
{
    size_t padding = (8 - n->length % 8) % 8;
    AC_TRY(reserve(n, size + padding));
    memset(n->bytes + n->length, 0, padding);
    *place = n->length + padding;
    n->length += padding + size;
    return AC_OK;
}

static void put_bits(unsigned char *to, uint64_t bits, int size)
{
    for (int k = 0; k < size; ++k) to[k] = (unsigned char)(bits >> (8 * k));
}

ac_status ac_numbers_doubles(ac_numbers *numbers, const double *values, size_t count, size_t *place)
{
    AC_TRY(take(numbers, 8 * count, place));
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_bits(numbers->bytes + *place + 8 * i, bits, 8);
    }
    return AC_OK;
}

ac_status ac_numbers_floats(ac_numbers *numbers, const double *values, size_t count, size_t *place)
{
    AC_TRY(take(numbers, 4 * count, place));
    for (size_t i = 0; i < count; ++i) {
        float value = (float)values[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_bits(numbers->bytes + *place + 4 * i, bits, 4);
    }
    return AC_OK;
}

void ac_write_base64(FILE *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t word = (uint32_t)bytes[i] << 16;
        if (left > 1) word |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) word |= bytes[i + 2];
        text[used++] = digits[word >> 18];
        text[used++] = digits[word >> 12 & 63];
        text[used++] = left > 1 ? digits[word >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[word & 63] : '=';
        if (used == sizeof text || left <= 3) {
            fwrite(text, 1, used, out);
            used = 0;
        }
    }
}
