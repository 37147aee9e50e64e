/* Stable sorting in place: insertion in short pieces, which are merged by rotations (Kim and Kutzner 2004, SymMerge). */
#include <stdbool.h>
#include <string.h>

#include "math/math.h"

enum { PIECE = 12 };

typedef struct sorting {
    unsigned char *base;
    size_t size;
    int (*compare)(const void *, const void *);
} sorting;

static unsigned char *at(const sorting *s, size_t k)
{
    return s->base + k * s->size;
}

static bool less(const sorting *s, size_t i, size_t k)
{
    return s->compare(at(s, i), at(s, k)) < 0;
}

/* Exchanges two ranges of bytes. */
static void exchange(unsigned char *a, unsigned char *b, size_t bytes)
{
    unsigned char part[64];
    for (size_t n; bytes > 0; bytes -= n, a += n, b += n) {
        n = bytes < sizeof part ? bytes : sizeof part;
        memcpy(part, a, n);
        memcpy(a, b, n);
        memcpy(b, part, n);
    }
}

/* [from, middle) and [middle, to) change places. */
static void rotate(const sorting *s, size_t from, size_t middle, size_t to)
{
    size_t left = middle - from, right = to - middle;
    while (left != right) {
        if (left > right) {
            exchange(at(s, middle - left), at(s, middle), right * s->size);
            left -= right;
        } else {
            exchange(at(s, middle - left), at(s, middle + right - left), left * s->size);
            right -= left;
        }
    }
    exchange(at(s, middle - left), at(s, middle), left * s->size);
}

/* Moves the element at `from` down to `to`. */
static void insert(const sorting *s, size_t from, size_t to)
{
    for (; from > to; --from) exchange(at(s, from), at(s, from - 1), s->size);
}

static void sort_piece(const sorting *s, size_t from, size_t to)
{
    for (size_t k = from + 1; k < to; ++k) {
        size_t place = k;
        while (place > from && less(s, k, place - 1)) --place;
        insert(s, k, place);
    }
}

/* Merges the sorted ranges [from, middle) and [middle, to). Symmetric places in both halves are compared; what belongs to the
 * other half is rotated there, and each half is merged on its own. */
static void merge(const sorting *s, size_t from, size_t middle, size_t to)
{
    if (from == middle || middle == to || !less(s, middle, middle - 1)) return;
    if (to - from == 2) {
        insert(s, middle, from);
        return;
    }
    size_t half = from + (to - from) / 2, sum = half + middle;
    size_t low = middle > half ? sum - to : from, high = middle > half ? half : middle;
    while (low < high) {
        size_t k = low + (high - low) / 2;
        if (less(s, sum - 1 - k, k))
            high = k;
        else
            low = k + 1;
    }
    size_t end = sum - low;
    if (low < middle && middle < end) rotate(s, low, middle, end);
    merge(s, from, low, half);
    merge(s, half, end, to);
}

void ac_sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const sorting s = {base, size, compare};
    for (size_t k = 0; k < count; k += PIECE) sort_piece(&s, k, k + PIECE < count ? k + PIECE : count);
    for (size_t width = PIECE; width < count; width *= 2)
        for (size_t k = 0; k + width < count; k += 2 * width)
            merge(&s, k, k + width, k + 2 * width < count ? k + 2 * width : count);
}
