/* Strains of a director beam between two nodes, written out for the loops that spend their time here; see beam.c. */
#ifndef ACTIO_MODEL_BEAM_STRAIN_H
#define ACTIO_MODEL_BEAM_STRAIN_H

#include "base/vector.h"
#include "model/system.h"

static inline void ac_director_strains(const ac_beam_element *e, const double *restrict x, double strain[6])
{
    const double *a = x + 3, *b = x + 15, share = 0.5 / e->length, half = 0.5 / e->bend;
    const double r[3] = {share * (x[12] - x[0]), share * (x[13] - x[1]), share * (x[14] - x[2])};
    strain[0] = (a[0] + b[0]) * r[0] + (a[1] + b[1]) * r[1] + (a[2] + b[2]) * r[2];
    strain[1] = (a[3] + b[3]) * r[0] + (a[4] + b[4]) * r[1] + (a[5] + b[5]) * r[2];
    strain[2] = (a[6] + b[6]) * r[0] + (a[7] + b[7]) * r[1] + (a[8] + b[8]) * r[2];
    strain[3] = half * (dot3(a + 6, b + 3) - dot3(a + 3, b + 6));
    strain[4] = half * (dot3(a, b + 6) - dot3(a + 6, b));
    strain[5] = half * (dot3(a + 3, b) - dot3(a, b + 3));
}

#endif
