/* Sine, cosine, tangent. */
#include <math.h>

#include "math/math.h"
#include "math/one.h"

/* 2/pi, the 64 bits behind the point and so on: 1024 for the largest exponent and 256 for the digits of the rest */
static const uint64_t TWO_OVER_PI[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* 64 bits of 2/pi from the one with the weight 2^-first on */
static uint64_t two_over_pi(int first)
{
    int word = (first - 1) / 64, shift = (first - 1) % 64;
    uint64_t bits = TWO_OVER_PI[word] << shift;
    return shift ? bits | TWO_OVER_PI[word + 1] >> (64 - shift) : bits;
}

/* low word of a b + *carry; the high word becomes the carry */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *carry)
{
    const uint64_t half = UINT64_C(0xffffffff), al = a & half, ah = a >> 32, bl = b & half, bh = b >> 32;
    uint64_t low = al * bl, middle = ah * bl + (low >> 32), other = al * bh + (middle & half);
    uint64_t high = ah * bh + (middle >> 32) + (other >> 32), sum = (other << 32 | (low & half)) + *carry;
    *carry = high + (sum < *carry);
    return sum;
}

/* reduce() of any angle x >= 2^20 (Payne and Hanek): m 2^e times those bits of 2/pi that make no whole turns. */
static void reduce_large(double x, uint64_t *quarters, double *r, double *low)
{
    const uint64_t bits = one_as_word(x), m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int e = (int)(bits >> 52) - 1075; /* >= -32 */
    /* the product counts quarter turns; with the bits from weight 2^(1 - e) on, its top two bits are worth 2 and 1 */
    const int first = e - 1;
    uint64_t carry = 0, words[3];
    if (first >= 1) {
        for (int k = 2; k >= 0; --k) words[k] = multiply(m, two_over_pi(first + 64 * k), &carry);
    } else { /* e <= 1: bits in front of the point are zero */
        for (int k = 2; k >= 0; --k) {
            const int from = first + 64 * k;
            words[k] = multiply(m, from >= 1 ? two_over_pi(from) : TWO_OVER_PI[0] >> (1 - from), &carry);
        }
    }
    uint64_t turns = words[0] >> 62, fraction = words[0] << 2 | words[1] >> 62,
             rest = words[1] << 2 | words[2] >> 62;
    const int round = (int)(fraction >> 63); /* to the nearest quarter turn */
    if (round) {
        fraction = ~fraction;
        rest = ~rest;
    }
    *quarters = turns + (uint64_t)round;
    /* 2^-128 (fraction, rest) as a sum of two numbers: shifted so that the first 53 bits are a number */
    int shift = 0;
    for (; shift < 64 && !(fraction >> 63); ++shift) {
        fraction = fraction << 1 | rest >> 63;
        rest <<= 1;
    }
    const double scale = one_as_number((uint64_t)(1023 - 64 - shift) << 52) * (round ? -1.0 : 1.0);
    const double a = (double)(fraction >> 11 << 11) * scale;
    const double b = ((double)(fraction & 2047) + (double)rest * 0x1p-64) * scale;
    TWO_PRODUCT(product, error, a, 0x1.921fb54442d18p+0);
    const double more = error + (a * 0x1.1a62633145c07p-54 + b * 0x1.921fb54442d18p+0);
    *r = product + more;
    *low = (product - *r) + more;
}

/* Not a number for infinities. */
void ac_sincos(double x, double *sine, double *cosine)
{
    if (fabs(x) < 0x1p20) {
        one_sincos(&x, sine, cosine);
        return;
    }
    const uint64_t sign = one_as_word(x) & SIGN;
    uint64_t quarters;
    double r, low, s[2], c[2];
    if (!(fabs(x) < INFINITY)) {
        *sine = *cosine = x - x;
        return;
    }
    reduce_large(fabs(x), &quarters, &r, &low);
    one_circular(&r, &low, s, c);
    s[0] += s[1];
    c[0] += c[1];
    one_turned(&quarters, &sign, &s[0], &c[0], sine, cosine);
}

double ac_sin(double x)
{
    double s, c;
    ac_sincos(x, &s, &c);
    return s;
}

double ac_cos(double x)
{
    double s, c;
    ac_sincos(x, &s, &c);
    return c;
}

/* sin/cos, or -cos/sin in every second quarter; the error of the quotient is its rest. */
double ac_tan(double x)
{
    uint64_t quarters;
    double r, low, s[2], c[2], size = fabs(x);
    if (!(size < INFINITY)) return x - x;
    if (size < 0x1p20)
        one_reduce(&size, &quarters, &r, &low);
    else
        reduce_large(size, &quarters, &r, &low);
    one_circular(&r, &low, s, c);
    if (r == 0.0) return x;
    FAST_TWO_SUM(sine, sine_low, s[0], s[1]);
    FAST_TWO_SUM(cosine, cosine_low, c[0], c[1]);
    const int odd = quarters & 1;
    const double top = odd ? -cosine : sine, bottom = odd ? sine : cosine;
    const double top_low = odd ? -cosine_low : sine_low, bottom_low = odd ? sine_low : cosine_low;
    const double t = top / bottom;
    TWO_PRODUCT(back, back_error, t, bottom);
    const double tangent = t + (((top - back) - back_error) + (top_low - t * bottom_low)) / bottom;
    return x < 0.0 ? -tangent : tangent;
}
