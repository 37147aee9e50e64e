/* Products of derivatives of a director beam element with a vector, without its matrices: see action/element.h. */
#ifndef ACTIO_ACTION_BEAM_BEAM_BENT_H
#define ACTIO_ACTION_BEAM_BEAM_BENT_H

#include "action/element.h"

bool ac_beam_along(const ac_system *system, int k, const double *q, const double *w,
                   double y[AC_ELEMENT_PARTS], double slope[AC_ELEMENT_PARTS]);
bool ac_beam_add_bent(const ac_system *system, int k, const double *q, const double *w, double factor,
                      double *out);
bool ac_beam_add_bent_discrete(const ac_system *system, int k, const double *qa, const double *qb,
                               const double *w, double factor, double *out_a, double *out_b);

#endif
