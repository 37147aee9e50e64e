/* Checksums: FNV-1a over bytes, for files and tables of names; and one over numbers, a word at a time, for states of runs
 * that must agree to the last bit. */
#ifndef ACTIO_BASE_CHECKSUM_H
#define ACTIO_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define AC_CHECKSUM_START UINT64_C(14695981039346656037)
#define AC_CHECKSUM_FACTOR UINT64_C(1099511628211)

static inline uint64_t ac_checksum(uint64_t sum, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * AC_CHECKSUM_FACTOR;
    return sum;
}

static inline uint64_t ac_checksum_numbers(uint64_t sum, const double *x, int count)
{
    for (int k = 0; k < count; ++k) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        sum = (sum ^ bits) * AC_CHECKSUM_FACTOR;
        sum ^= sum >> 29;
    }
    return sum;
}

#endif
