/* The quadratic forms of a beam element, s_j = x^T A_j x / 2 of the coordinates of its two nodes, and
 * their gradients A_j x where slopes are wanted by all 24 coordinates. */
#ifndef ACTIO_ACTION_BEAM_BEAM_FORMS_H
#define ACTIO_ACTION_BEAM_BEAM_FORMS_H

#include "model/system.h"

/* Three strains, three curvatures, and for rods the trace of the relative rotation. */
enum { AC_BEAM_FORMS = 7, AC_BEAM_TRACE = 6, AC_BEAM_TWISTS = 12 };

/* What the frames of the two nodes count for in a strain, over its length (0: none); 1/2 over that of a
 * curvature. */
typedef struct ac_beam_shares {
    double a, b, half;
} ac_beam_shares;

ac_beam_shares ac_beam_shares_of(const ac_system *system, int k);

/* out = A_i x of a strain or curvature */
void ac_strain_gradient(const ac_beam_shares *shares, int i, const double x[24], double out[24]);
/* matrix += factor A_i */
void ac_strain_add_hessian(const ac_beam_shares *shares, int i, double factor, double *matrix);
/* matrix += factor u v^T, `size` numbers in a row, where only the triples that start at `at` are not zero
 * in u and v. */
static inline void ac_add_outer_of_triples(const int *at, int count, double factor, const double *u,
                                           const double *v, int size, double *matrix)
{
    for (int r = 0; r < count; ++r)
        for (int x = at[r]; x < at[r] + 3; ++x) {
            double scaled = factor * u[x], *row = matrix + x * size;
            for (int c = 0; c < count; ++c)
                for (int y = at[c]; y < at[c] + 3; ++y) row[y] += scaled * v[y];
        }
}
/* matrix += factor u v^T for gradients of strain i */
void ac_strain_add_outer(int i, double factor, const double u[24], const double v[24], double *matrix);

#endif
