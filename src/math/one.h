/* The kernels for one number. */
#ifndef ACTIO_MATH_ONE_H
#define ACTIO_MATH_ONE_H

#include <stdint.h>
#include <string.h>

#define KERNEL static inline
#define NAME(function) one_##function
#define NUMBER double
#define WORD uint64_t
#define MASK int
#define SIGN (UINT64_C(1) << 63)
#define EVERY(x) (x)
#define ALL(bit) ((bit) != 0)
#define PICK(mask, a, b) ((mask) ? (a) : (b))
#define PICK_WORD(mask, a) ((mask) ? (a) : 0)
#define AS_WORD(x) one_as_word(x)
#define AS_NUMBER(x) one_as_number(x)

KERNEL uint64_t one_as_word(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

KERNEL double one_as_number(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#include "math/kernels.h"

#endif
