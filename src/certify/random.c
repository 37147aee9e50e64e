/* Philox 4x32-10. */
#include "certify/random.h"

enum { ROUNDS = 10 };

static uint32_t high_product(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

void ac_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u}, weyl[2] = {0x9E3779B9u, 0xBB67AE85u};
    uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; ++round) {
        uint32_t high0 = high_product(multiplier[0], x[0]), low0 = multiplier[0] * x[0];
        uint32_t high1 = high_product(multiplier[1], x[2]), low1 = multiplier[1] * x[2];
        x[0] = high1 ^ x[1] ^ k[0];
        x[1] = low1;
        x[2] = high0 ^ x[3] ^ k[1];
        x[3] = low0;
        k[0] += weyl[0];
        k[1] += weyl[1];
    }
    for (int i = 0; i < 4; ++i) out[i] = x[i];
}

double ac_random(uint64_t seed, unsigned stream, uint64_t item, unsigned index)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)item, (uint32_t)(item >> 32), index, stream};
    uint32_t word[4];
    ac_philox(counter, key, word);
    uint64_t bits = ((uint64_t)word[0] << 20) | (word[1] >> 12); /* 52 of them, and a half below the last */
    return ((double)bits + 0.5) * 0x1p-52;
}

double ac_roll(ac_dice *dice)
{
    return ac_random(dice->seed, dice->stream, dice->item, dice->index++);
}
