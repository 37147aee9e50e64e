/* Slopes of director beams straight between twists of their nodes; see beam_twist.c. */
#ifndef ACTIO_MECHANICS_BEAM_TWIST_H
#define ACTIO_MECHANICS_BEAM_TWIST_H

#include "model/system.h"

typedef struct ac_beam_slope {
    const double *x, *y;        /* coordinates of the two nodes: gradients of rows and columns */
    const double *left, *right; /* the same where rows and columns move */
    double outer[6];            /* c_i */
    double curvature[6];        /* w_i */
} ac_beam_slope;

/* block = the slope, 12 x 12 */
void ac_beam_twist_slope(const ac_beam_element *element, const ac_beam_slope *slope, double block[144]);

#endif
