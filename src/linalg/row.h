/* Sums along rows of dense matrices, with the same bits everywhere. */
#ifndef ACTIO_LINALG_ROW_H
#define ACTIO_LINALG_ROW_H

/* a . b as the sum of eight sums, which a processor forms side by side; each compiler has the same ones. */
static inline double ac_row_dot(int n, const double *a, const double *b)
{
    typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));
    double sum = 0.0;
    int j = 0;
    if (n >= 16) {
        four even = {0}, odd = {0};
        for (; j + 8 <= n; j += 8) {
            even += *(const four *)(a + j) * *(const four *)(b + j);
            odd += *(const four *)(a + j + 4) * *(const four *)(b + j + 4);
        }
        even += odd;
        sum = (even[0] + even[2]) + (even[1] + even[3]);
    }
    for (; j < n; ++j) sum += a[j] * b[j];
    return sum;
}

/* b += f a */
static inline void ac_row_add(int n, double f, const double *restrict a, double *restrict b)
{
    for (int j = 0; j < n; ++j) b[j] += f * a[j];
}

#endif
