/* Mean values over an interval of functions with kinks and jumps. */
#ifndef ACTIO_BASE_QUADRATURE_H
#define ACTIO_BASE_QUADRATURE_H

#include <stdbool.h>

/* Points and weights of Gauss quadrature on [0, 1]. */
enum { AC_GAUSS = 5 };
extern const double ac_gauss_point[AC_GAUSS], ac_gauss_weight[AC_GAUSS];

/* A function of one variable that says where it may have kinks or jumps; `switches` may be NULL: nowhere. */
typedef struct ac_integrand {
    const void *user;
    double (*value)(const void *user, double t);
    bool (*switches)(const void *user, double from, double to);
    /* Its integral over a stretch that is too short to be halved, beside the value; NULL: nothing. */
    double (*impulse)(const void *user, double from, double to);
} ac_integrand;

/* Its mean over [t, t + h], h > 0: exact but for rounding where it is a polynomial between jumps. */
double ac_mean_over(const ac_integrand *f, double t, double h);

#endif
