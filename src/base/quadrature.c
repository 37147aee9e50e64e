/* Gauss quadrature on halves: an interval is halved where the function may switch, and where three and five points
 * disagree. */
#include "base/quadrature.h"

#include <float.h>
#include <math.h>

#include "math/math.h"

enum { MOST_HALVINGS = 12 }; /* of smooth stretches */
static const double AGREES = 1e-11;

/* Points and weights on [0, 1]. */
static const double POINT3[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double WEIGHT3[3] = {0.27777777777777778, 0.44444444444444444, 0.27777777777777778};
const double ac_gauss_point[AC_GAUSS] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155,
                                         0.95308992296933200};
const double ac_gauss_weight[AC_GAUSS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                          0.23931433524968324, 0.11846344252809454};

/* The integral over a stretch on which the function is smooth. */
static double smooth(const ac_integrand *f, double from, double width, int halvings)
{
    double three = 0.0, five = 0.0, most = 0.0;
    for (int k = 0; k < 3; ++k) three += WEIGHT3[k] * f->value(f->user, from + width * POINT3[k]);
    for (int k = 0; k < AC_GAUSS; ++k) {
        double y = f->value(f->user, from + width * ac_gauss_point[k]);
        five += ac_gauss_weight[k] * y;
        most = ac_max(most, fabs(y));
    }
    if (!(fabs(five - three) > AGREES * most) || halvings >= MOST_HALVINGS) return width * five;
    double half = 0.5 * width;
    return smooth(f, from, half, halvings + 1) + smooth(f, from + half, half, halvings + 1);
}

typedef struct stretch {
    double from, width;
} stretch;

/* Halves the stretches on which the function may switch until they are shorter than `least`; what is smooth is integrated
 * at once. A function that may switch nearly everywhere is taken as smooth where too many stretches are left. */
static double integral(const ac_integrand *f, double t, double h, double least)
{
    enum { MOST = 64 };
    stretch open[2 * MOST] = {{t, h}};
    int count = 1;
    double sum = 0.0;
    while (count > 0) {
        stretch next[2 * MOST];
        int left = 0;
        bool split = count <= MOST;
        for (int k = 0; k < count; ++k) {
            stretch s = open[k];
            if (!f->switches || !split || !f->switches(f->user, s.from, s.from + s.width)) {
                sum += smooth(f, s.from, s.width, 0);
            } else if (s.width <= least) {
                sum += s.width * f->value(f->user, s.from + 0.5 * s.width);
                if (f->impulse) sum += f->impulse(f->user, s.from, s.from + s.width);
            } else {
                double half = 0.5 * s.width;
                next[left++] = (stretch){s.from, half};
                next[left++] = (stretch){s.from + half, half};
            }
        }
        for (int k = 0; k < left; ++k) open[k] = next[k];
        count = left;
    }
    return sum;
}

double ac_mean_over(const ac_integrand *f, double t, double h)
{
    /* what cannot be halved further is as short as rounding leaves it */
    double least = 4.0 * DBL_EPSILON * ac_max(fabs(t) + h, h);
    return integral(f, t, h, least) / h;
}
