/* Random numbers that are functions of their number: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC11).
 *
 * No number depends on the one before, so any worker can compute any of them. */
#ifndef ACTIO_CERTIFY_RANDOM_H
#define ACTIO_CERTIFY_RANDOM_H

#include <stdint.h>

void ac_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Uniform in (0, 1), never 0 or 1: number `index` of `item` in `stream`. */
double ac_random(uint64_t seed, unsigned stream, uint64_t item, unsigned index);

/* A row of such numbers. */
typedef struct ac_dice {
    uint64_t seed, item;
    unsigned stream, index;
} ac_dice;

double ac_roll(ac_dice *dice);

/* Streams; sets of samples use their own number. */
enum { AC_STREAM_SAMPLES, AC_STREAM_MEAN, AC_STREAM_SEARCH, AC_STREAM_ROBUST, AC_STREAM_REPORT };

#endif
