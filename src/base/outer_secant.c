/* Secants of outer functions, for schemes that keep energy exactly: y_b - y_a = D . (kappa_b - kappa_a).
 *
 *   value     D = 1
 *   length    D = 1 / (y_a + y_b)
 *   angle     with d = y_b - y_a and m = (y_a + y_b) / 2 the differences of sine and cosine are 2 cos(m) sin(d/2) and
 *             -2 sin(m) sin(d/2), hence D = w(d) (-sin(m), cos(m)) for (cosine, sine), w(d) = (d/2) / sin(d/2)
 *   cayley    y = 4 kappa / t:  D = 4 / (t_a t_b) (t_m, -kappa_m) with the means t_m, kappa_m
 *   function  D = mean of the gradient between both ends
 */
#include <math.h>
#include <string.h>

#include "base/outer.h"

/* w(d) and its derivative */
static double angle_factor(double difference, double *slope)
{
    double half = 0.5 * difference;
    if (fabs(half) < 1e-4) {
        *slope = difference / 12.0;
        return 1.0 + difference * difference / 24.0;
    }
    double s = sin(half);
    *slope = 0.5 * (s - half * cos(half)) / (s * s);
    return half / s;
}

static void angle(const double da[2], const double db[2], ac_outer_secant *s)
{
    double middle = 0.5 * (s->ya + s->yb), c = cos(middle), n = sin(middle), dw,
           w = angle_factor(s->yb - s->ya, &dw);
    const double along[2] = {-n, c}, across[2] = {-c, -n};
    for (int m = 0; m < 2; ++m) {
        s->D[m] = w * along[m];
        for (int k = 0; k < 2; ++k) {
            s->by_a[m][k] = (0.5 * w * across[m] - dw * along[m]) * da[k];
            s->by_b[m][k] = (0.5 * w * across[m] + dw * along[m]) * db[k];
        }
    }
}

static void cayley(const double *a, const double *b, ac_outer_secant *s)
{
    double f = 4.0 / (a[1] * b[1]), t = 0.5 * (a[1] + b[1]), kappa = 0.5 * (a[0] + b[0]);
    s->D[0] = f * t;
    s->D[1] = -f * kappa;
    s->by_a[1][0] = s->by_b[1][0] = -0.5 * f;
    s->by_a[0][1] = f * (0.5 - t / a[1]);
    s->by_b[0][1] = f * (0.5 - t / b[1]);
    s->by_a[1][1] = f * kappa / a[1];
    s->by_b[1][1] = f * kappa / b[1];
}

bool ac_outer_has_secant(const ac_outer *o)
{
    return o->kind == AC_OUTER_VALUE || o->kind == AC_OUTER_LENGTH || o->kind == AC_OUTER_ANGLE ||
           o->kind == AC_OUTER_CAYLEY || o->kind == AC_OUTER_FUNCTION;
}

void ac_outer_secant_between(const ac_outer *o, const double *a, const double *b, double winding,
                             ac_outer_secant *s)
{
    ac_outer_value va, vb;
    ac_outer_evaluate(o, a, winding, &va);
    ac_outer_evaluate(o, b, winding, &vb);
    for (int m = 0; m < o->maps; ++m) {
        s->D[m] = 0.0;
        memset(s->by_a[m], 0, (size_t)o->maps * sizeof s->by_a[m][0]);
        memset(s->by_b[m], 0, (size_t)o->maps * sizeof s->by_b[m][0]);
    }
    s->ya = (va.y - o->offset) / o->factor;
    s->yb = (vb.y - o->offset) / o->factor;
    double sum = s->ya + s->yb;
    if (o->kind == AC_OUTER_LENGTH) {
        s->D[0] = 1.0 / sum;
        s->by_a[0][0] = -va.d[0] / (o->factor * sum * sum);
        s->by_b[0][0] = -vb.d[0] / (o->factor * sum * sum);
    } else if (o->kind == AC_OUTER_ANGLE) {
        const double da[2] = {va.d[0] / o->factor, va.d[1] / o->factor},
                     db[2] = {vb.d[0] / o->factor, vb.d[1] / o->factor};
        angle(da, db, s);
    } else if (o->kind == AC_OUTER_CAYLEY) {
        cayley(a, b, s);
    } else if (o->kind == AC_OUTER_FUNCTION) {
        ac_function_secant(o, a, b, s);
    } else {
        s->D[0] = 1.0;
    }
    s->ya = va.y;
    s->yb = vb.y;
    if (o->factor == 1.0) return;
    for (int m = 0; m < o->maps; ++m) {
        s->D[m] *= o->factor;
        for (int k = 0; k < o->maps; ++k) {
            s->by_a[m][k] *= o->factor;
            s->by_b[m][k] *= o->factor;
        }
    }
}
