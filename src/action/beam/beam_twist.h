/* Slopes of beams straight between twists of their nodes; see beam_twist.c. */
#ifndef ACTIO_ACTION_BEAM_BEAM_TWIST_H
#define ACTIO_ACTION_BEAM_BEAM_TWIST_H

#include "action/beam/beam_forms.h"

/* Director beams: sum_i [(A_i x)(c_i A_i y + d_i A_i z)^T + w_i A_i] */
typedef struct ac_beam_slope {
    const double *x, *y;        /* coordinates of the two nodes: gradients of rows and columns */
    const double *left, *right; /* the same where rows and columns move */
    const double *z;            /* NULL: no damping */
    double outer[6];            /* c_i */
    double damped[6];           /* d_i */
    double curvature[6];        /* w_i */
} ac_beam_slope;

/* Rods: sum_j [rows_j columns_j^T + w_j A_j], vectors by twists */
typedef struct ac_rod_slope {
    const double *left, *right;
    double rows[AC_BEAM_FORMS][AC_BEAM_TWISTS], columns[AC_BEAM_FORMS][AC_BEAM_TWISTS];
    double curvature[AC_BEAM_FORMS];
} ac_rod_slope;

/* block = the slope, 12 x 12 */
void ac_beam_twist_slope(const ac_beam_element *element, const ac_beam_slope *slope, double block[144]);
void ac_rod_twist_slope(const ac_beam_shares *shares, ac_rod_slope *slope, double block[144]);

/* g_j = A_j x by twists at the configuration `frames`, all forms */
void ac_rod_twist_project(const ac_beam_shares *shares, const double *x, const double *frames,
                          double g[AC_BEAM_FORMS][AC_BEAM_TWISTS]);

#endif
