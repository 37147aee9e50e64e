/* The kernels for four numbers side by side. */
#include "math/math.h"

typedef uint64_t four_words __attribute__((vector_size(4 * sizeof(double)), aligned(16)));
typedef int64_t four_masks __attribute__((vector_size(4 * sizeof(double)), aligned(16)));

#define KERNEL static inline __attribute__((always_inline))
#define NAME(function) four_##function
#define NUMBER ac_four
#define WORD four_words
#define MASK four_masks
#define SIGN (UINT64_C(1) << 63)
#define EVERY(x) ((ac_four){x, x, x, x})
#define ALL(bit) ((four_masks)(-(bit)))
#define PICK(mask, a, b) \
    ((ac_four)(((four_words)(mask) & (four_words)(a)) | (~(four_words)(mask) & (four_words)(b))))
#define PICK_WORD(mask, a) ((four_words)(mask) & (a))
#define AS_WORD(x) ((four_words)(x))
#define AS_NUMBER(x) ((ac_four)(x))

#include "math/kernels.h"

/* Angles beyond the reach of the kernel are rare: each alone. */
void ac_four_sincos(const ac_four *x, ac_four *sine, ac_four *cosine)
{
    for (int l = 0; l < 4; ++l)
        if (!((*x)[l] < 0x1p20 && (*x)[l] > -0x1p20)) {
            ac_four s, c;
            for (int i = 0; i < 4; ++i) {
                double own[2];
                ac_sincos((*x)[i], &own[0], &own[1]);
                s[i] = own[0];
                c[i] = own[1];
            }
            *sine = s;
            *cosine = c;
            return;
        }
    four_sincos(x, sine, cosine);
}

void ac_four_exp(const ac_four *x, ac_four *out)
{
    four_exp(x, out);
}

void ac_four_atan2(const ac_four *y, const ac_four *x, ac_four *out)
{
    four_angle(y, NULL, x, NULL, out);
}
