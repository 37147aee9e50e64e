/* Rods: beam elements whose curvatures come from the Cayley transform; see rod.c. */
#ifndef ACTIO_ACTION_BEAM_ROD_H
#define ACTIO_ACTION_BEAM_ROD_H

#include "action/beam/beam_twist.h"
#include "action/element.h"

typedef struct ac_rod {
    const ac_beam_element *e;
    ac_beam_shares shares;
    const ac_beam_data *beam;
} ac_rod;

ac_rod ac_rod_of(const ac_system *system, int k);

void ac_rod_stresses(const ac_rod *rod, const double *x, double stress[6]);
/* out += factor times the gradient, the discrete derivative, the force of damping */
void ac_rod_add_gradient(const ac_rod *rod, const double *x, double factor, double *out);
void ac_rod_add_discrete(const ac_rod *rod, const double *xa, const double *stress_a, const double *xb,
                         const double *mean, double factor, double *out);
void ac_rod_add_force(const ac_rod *rod, const double *x, const double *v, double factor, double *out);

/* Slopes by coordinates, 24 x 24 */
void ac_rod_hessian(const ac_rod *rod, const double *x, double *hessian);
void ac_rod_discrete_slope(const ac_rod *rod, const double *xa, const double *xb, double *slope);
void ac_rod_force_slopes(const ac_rod *rod, const double *x, const double *v, double *by_x, double *by_v);

/* Slopes between twists, 12 x 12; see element.h */
void ac_rod_twist_hessian(const ac_rod *rod, const double *x, const double *left, const double *right,
                          double factor, const ac_damping_slope *damping, double *block);
void ac_rod_twist_discrete(const ac_rod *rod, const double *xa, const double *xb, const double *left,
                           double factor, const ac_damping_slope *damping, double *block);

#endif
