/* The quadratic strains of a beam element by coordinates. */
#include "action/beam/beam_forms.h"

#include <string.h>

enum { SIZE = 24, END = 12 };

ac_beam_shares ac_beam_shares_of(const ac_system *system, int k)
{
    const ac_beam_element *e = &system->mesh.elements[k];
    const double over = e->length > 0.0 ? 1.0 / e->length : 0.0;
    const bool edge = system->beams[e->beam].model == AC_BEAM_EDGE;
    return (ac_beam_shares){edge ? over : 0.5 * over, edge ? 0.0 : 0.5 * over, 0.5 / e->bend};
}

void ac_strain_gradient(const ac_beam_shares *shares, int i, const double x[SIZE], double out[SIZE])
{
    const double *a = x, *b = x + END;
    memset(out, 0, SIZE * sizeof *out);
    if (i < 3) {
        const double *da = a + 3 + 3 * i, *db = b + 3 + 3 * i;
        double *oa = out + 3 + 3 * i, *ob = oa + END;
        for (int c = 0; c < 3; ++c) {
            double d = shares->a * da[c] + shares->b * db[c];
            out[END + c] = d;
            out[c] = -d;
            oa[c] = shares->a * (b[c] - a[c]);
            ob[c] = shares->b * (b[c] - a[c]);
        }
        return;
    }
    const double half = shares->half;
    int j = 3 + 3 * ((i + 1) % 3), k = 3 + 3 * ((i + 2) % 3);
    for (int c = 0; c < 3; ++c) {
        out[k + c] = half * b[j + c];
        out[END + j + c] = half * a[k + c];
        out[j + c] = -half * b[k + c];
        out[END + k + c] = -half * a[j + c];
    }
}

void ac_strain_add_hessian(const ac_beam_shares *shares, int i, double factor, double *matrix)
{
    const double value = factor * shares->half;
    for (int c = 0; c < 3; ++c) {
        if (i < 3) {
            for (int end = 0; end < 2; ++end) {
                int d = END * end + 3 + 3 * i + c;
                double share = factor * (end == 0 ? shares->a : shares->b);
                matrix[(END + c) * SIZE + d] += share;
                matrix[d * SIZE + END + c] += share;
                matrix[c * SIZE + d] -= share;
                matrix[d * SIZE + c] -= share;
            }
        } else {
            int j = 3 + 3 * ((i + 1) % 3) + c, k = 3 + 3 * ((i + 2) % 3) + c;
            matrix[k * SIZE + END + j] += value;
            matrix[(END + j) * SIZE + k] += value;
            matrix[j * SIZE + END + k] -= value;
            matrix[(END + k) * SIZE + j] -= value;
        }
    }
}

void ac_strain_add_outer(int i, double factor, const double u[SIZE], const double v[SIZE], double *matrix)
{
    int a = i < 3 ? 0 : 3 + 3 * ((i + 1) % 3), b = i < 3 ? 3 + 3 * i : 3 + 3 * ((i + 2) % 3);
    const int at[4] = {a, b, END + a, END + b};
    ac_add_outer_of_triples(at, 4, factor, u, v, SIZE, matrix);
}
