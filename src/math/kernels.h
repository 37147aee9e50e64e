/* The functions of which runs consist, written once for one number and for four: sine and cosine, exponential, arcus tangent.
 * one.h and four.h include this file with their NUMBER; there are no branches, so every lane takes the same operations.
 *
 * An accurate value is a sum of two numbers: the number and what rounding took from it (Dekker 1971, Knuth: The Art of Computer
 * Programming 2, 4.2.2). Coefficients are minimax fits in 140 bits; their relative errors, in powers of two, stand beside them. */

/* sum + error = a + b, exactly */
#define TWO_SUM(sum, error, a, b)          \
    const NUMBER sum = (a) + (b);          \
    const NUMBER error##_part = sum - (a); \
    const NUMBER error = ((a) - (sum - error##_part)) + ((b)-error##_part)
/* the same where |a| >= |b| or a = 0 */
#define FAST_TWO_SUM(sum, error, a, b) \
    const NUMBER sum = (a) + (b);      \
    const NUMBER error = ((a)-sum) + (b)
/* high + low = a, each with half of the digits */
#define SPLIT(high, low, a)                       \
    const NUMBER high##_wide = 134217729.0 * (a); \
    const NUMBER high = high##_wide - (high##_wide - (a)), low = (a)-high
/* product + error = a b, exactly */
#define TWO_PRODUCT(product, error, a, b)                                                 \
    SPLIT(error##_ah, error##_al, a);                                                     \
    SPLIT(error##_bh, error##_bl, b);                                                     \
    const NUMBER product = (a) * (b);                                                     \
    const NUMBER error = ((error##_ah * error##_bh - product) + error##_ah * error##_bl + \
                          error##_al * error##_bh) +                                      \
                         error##_al * error##_bl

/* An angle as quarter turns (the last two bits of `quarters`) and a rest r + low, |r| <= pi/4. pi/2 is a sum of three parts of 33 bits
 * and a rest (Cody and Waite), so products with up to 2^20 turns are exact. */
KERNEL void NAME(reduce)(const NUMBER *x, WORD *quarters, NUMBER *r, NUMBER *low)
{
    const NUMBER magic = *x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = magic - 0x1.8p52;
    *quarters = (WORD)AS_WORD(magic);
    const NUMBER first = *x - n * 0x1.921fb544p+0;
    TWO_SUM(second, second_error, first, -(n * 0x1.0b4611a6p-34));
    TWO_SUM(third, third_error, second, -(n * 0x1.3198a2ep-69));
    const NUMBER rest = (second_error + third_error) - n * 0x1.b839a252049c1p-104;
    *r = third + rest;
    *low = (third - *r) + rest;
}

/* sin and cos of r + low, |r| <= pi/4: sums of a number and its error */
KERNEL void NAME(circular)(const NUMBER *angle, const NUMBER *low, NUMBER sine[2], NUMBER cosine[2])
{
    const NUMBER r = *angle, z = r * r, w = z * z;
    /* 2^-58, 2^-64 */
    const NUMBER S = (-0.16666666666666632 + z * 0.00833333333332249) +
                     w * ((-0.0001984126982985788 + z * 2.7557313706900636e-06) +
                          w * (-2.5050760200160847e-08 + z * 1.5896905580478565e-10));
    const NUMBER C = (0.0416666666666666 + z * -0.0013888888888874483) +
                     w * ((2.4801587289678652e-05 + z * -2.75573144031311e-07) +
                          w * (2.087572955002806e-09 + z * -1.1359946956683634e-11));
    const NUMBER half = 0.5 * z, near = 1.0 - half;
    sine[0] = r;
    sine[1] = z * r * S + (*low - half * *low);
    cosine[0] = near;
    cosine[1] = ((1.0 - near) - half) + (w * C - r * *low);
}

/* Sine and cosine of an angle of so many quarter turns more, from those of |x|; `sign` is the sign bit of x. */
KERNEL void NAME(turned)(const WORD *quarters, const WORD *sign, const NUMBER *s, const NUMBER *c,
                         NUMBER *sine, NUMBER *cosine)
{
    const WORD difference = (AS_WORD(*s) ^ AS_WORD(*c)) & -(*quarters & 1); /* odd quarters exchange them */
    *sine = AS_NUMBER(AS_WORD(*s) ^ difference ^ ((*quarters << 62) & SIGN) ^ *sign);
    *cosine = AS_NUMBER(AS_WORD(*c) ^ difference ^ (((*quarters + 1) << 62) & SIGN));
}

/* sin x and cos x for |x| < 2^20 */
KERNEL void NAME(sincos)(const NUMBER *x, NUMBER *sine, NUMBER *cosine)
{
    WORD quarters;
    NUMBER r, low, s[2], c[2];
    const WORD sign = AS_WORD(*x) & SIGN;
    const NUMBER size = AS_NUMBER(AS_WORD(*x) ^ sign);
    NAME(reduce)(&size, &quarters, &r, &low);
    NAME(circular)(&r, &low, s, c);
    s[0] += s[1];
    c[0] += c[1];
    NAME(turned)(&quarters, &sign, &s[0], &c[0], sine, cosine);
}

/* exp(x + low) = (e[0] + e[1]) 2^(twice[0]) 2^(twice[1]); e[1] is an error of e[0], relative 2^-58 */
KERNEL void NAME(exponential)(const NUMBER *x, const NUMBER *low, NUMBER e[2], WORD twice[2])
{
    NUMBER y = PICK(*x > 800.0, EVERY(800.0), *x);
    y = PICK(y < -800.0, EVERY(-800.0), y);
    const NUMBER magic = y * 0x1.71547652b82fep+0 + 0x1.8p52, k = magic - 0x1.8p52, half = 0.5 * k + 0x1.8p52;
    twice[0] = AS_WORD(half) - AS_WORD(EVERY(0x1.8p52));
    twice[1] = AS_WORD(magic) - AS_WORD(EVERY(0x1.8p52)) - twice[0];

    const NUMBER first = y - k * 0x1.62e42fefa2p-1, second = k * 0x1.9ef35793c7673p-41 - *low;
    const NUMBER r = first - second, rest = (first - r) - second, z = r * r, w = z * z;
    /* 2^-63 */
    const NUMBER P = (0.16666666666666685 + r * 0.04166666666666667) +
                     z * (0.008333333333315904 + r * 0.001388888888888202) +
                     w * ((0.00019841269898851312 + r * 2.480158733046797e-05) +
                          z * (2.755723264474611e-06 + r * 2.755726845714877e-07) +
                          w * (2.5112741049660428e-08 + r * 2.0916521160387018e-09));
    const NUMBER whole = 1.0 + r, part = ((1.0 - whole) + r) + (rest * whole + (0.5 * z + z * r * P));
    e[0] = whole + part;
    e[1] = (whole - e[0]) + part;
}

/* x 2^k for |k| < 1023 */
#define SCALED(x, k) ((x)*AS_NUMBER(((k) + 1023) << 52))

KERNEL void NAME(exp)(const NUMBER *x, NUMBER *out)
{
    NUMBER e[2];
    WORD twice[2];
    const NUMBER low = EVERY(0.0);
    NAME(exponential)(x, &low, e, twice);
    *out = SCALED(SCALED(e[0], twice[0]), twice[1]);
}

/* The angle of (x + x_low, y + y_low); without errors (NULL) they are zero.
 * The quotient t of the smaller and the larger, above tan(pi/8) of their difference and their sum, gives k pi/4 +- atan t. */
KERNEL void NAME(angle)(const NUMBER *y, const NUMBER *y_low, const NUMBER *x, const NUMBER *x_low,
                        NUMBER *out)
{
    const WORD y_sign = AS_WORD(*y) & SIGN;
    const NUMBER ax = AS_NUMBER(AS_WORD(*x) & ~SIGN), ay = AS_NUMBER(AS_WORD(*y) ^ y_sign);
    const MASK swap = ay > ax, left = ALL(AS_WORD(*x) >> 63);
    NUMBER large = PICK(swap, ay, ax), small = PICK(swap, ax, ay);

    /* (inf, inf) is (1, 1), (inf, a) is (1, 0 a), (0, 0) is (1, 0); sizes without overflow */
    const MASK infinite = large > 0x1.fffffffffffffp1023;
    small = PICK(infinite, PICK(small > 0x1.fffffffffffffp1023, EVERY(1.0), 0.0 * small), small);
    large = PICK(infinite | (large == 0.0), EVERY(1.0), large);
    const NUMBER scale = PICK(large > 0x1p900, EVERY(0x1p-600),
                              PICK(large < 0x1p-900, EVERY(0x1p600), EVERY(1.0)));
    large *= scale;
    small *= scale;

    const MASK beyond = small > 0.41421356237309503 * large;
    TWO_SUM(less, less_error, small, -large);
    TWO_SUM(more, more_error, large, small);
    const NUMBER top = PICK(beyond, less, small), bottom = PICK(beyond, more, large);
    NUMBER top_low = PICK(beyond, less_error, EVERY(0.0)), bottom_low = PICK(beyond, more_error, EVERY(0.0));
    if (y_low) {
        const NUMBER large_low = PICK(swap, *y_low, *x_low), small_low = PICK(swap, *x_low, *y_low);
        top_low += PICK(beyond, small_low - large_low, small_low);
        bottom_low += PICK(beyond, large_low + small_low, large_low);
    }
    const NUMBER inverse = 1.0 / bottom;
    NUMBER t = top / bottom;
    TWO_PRODUCT(back, back_error, t, bottom);
    const NUMBER t_low = (((top - back) - back_error) + (top_low - t * bottom_low)) *
                         inverse; /* beside t, not after it */

    const NUMBER z = t * t, w = z * z, v = w * w;
    /* 2^-59 */
    const NUMBER Q = ((0.333333333333332 + z * -0.19999999999953869) +
                      w * (0.14285714280229497 + z * -0.11111110785287914)) +
                     v * (((0.09090897814260268 + z * -0.07692061272577987) +
                           w * (0.06663116493642786 + z * -0.05847981966667795)) +
                          v * ((0.05039728607148336 + z * -0.03807543735559283) + w * 0.01791919475478209));
    NUMBER rest = (t_low - z * t_low) - z * t * Q;

    NUMBER eighths = PICK(beyond, EVERY(1.0), EVERY(0.0));
    eighths = PICK(swap, 2.0 - eighths, eighths);
    eighths = PICK(left, 4.0 - eighths, eighths);
    const WORD turn = (PICK_WORD(swap, SIGN) ^ PICK_WORD(left, SIGN));
    t = AS_NUMBER(AS_WORD(t) ^ turn);
    rest = AS_NUMBER(AS_WORD(rest) ^ turn);
    const NUMBER base = eighths * 0x1.921fb54442d18p-1;
    FAST_TWO_SUM(sum, error, base, t);
    const NUMBER angle = sum + (error + (eighths * 0x1.1a62633145c07p-55 + rest));
    *out = AS_NUMBER(AS_WORD(angle) ^ y_sign);
}
