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
#include "math/math.h"

/* w(d) and its derivative */
static double angle_factor(double difference, double *slope)
{
    double half = 0.5 * difference;
    if (fabs(half) < 1e-4) {
        *slope = difference / 12.0;
        return 1.0 + difference * difference / 24.0;
    }
    double s, c;
    ac_sincos(half, &s, &c);
    *slope = 0.5 * (s - half * c) / (s * s);
    return half / s;
}

static void angle(const double da[2], const double db[2], ac_outer_secant *s)
{
    double c, n, dw, w = angle_factor(s->yb - s->ya, &dw);
    ac_sincos(0.5 * (s->ya + s->yb), &n, &c);
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

/* --- along changes of both ends --- */

/* w''(d) of an angle; its closed form loses digits where d is small. */
static double angle_bend(double difference)
{
    double u = 0.5 * difference, u2 = u * u, s, c;
    ac_sincos(u, &s, &c);
    if (fabs(u) < 0.1)
        return 0.25 *
               (1.0 / 3 + u2 * (7.0 / 30 + u2 * (31.0 / 504 + u2 * (127.0 / 10800 + u2 * 73.0 / 38016))));
    return 0.25 * (u / s - 2.0 * c * (s - u * c) / (s * s * s));
}

static void bend_length(const ac_outer_value *a, const ac_outer_value *b, double da, double db,
                        ac_outer_secant *s)
{
    double sum = a->y + b->y, by = (a->d[0] * da + b->d[0] * db) / sum, square = sum * sum;
    s->by_a[0][0] = (2.0 * a->d[0] * by - a->dd[0][0] * da) / square;
    s->by_b[0][0] = (2.0 * b->d[0] * by - b->dd[0][0] * db) / square;
}

/* by_a = (w/2 across - w' along) grad y_a, and for b with + w' */
static void bend_angle(const ac_outer_value ends[2], const double *const change[2], ac_outer_secant *s)
{
    double rates[2], bent[2][2];
    for (int e = 0; e < 2; ++e) {
        const ac_outer_value *v = &ends[e];
        rates[e] = v->d[0] * change[e][0] + v->d[1] * change[e][1];
        for (int k = 0; k < 2; ++k) bent[e][k] = v->dd[k][0] * change[e][0] + v->dd[k][1] * change[e][1];
    }
    double difference = ends[1].y - ends[0].y, n, c, dw, w = angle_factor(difference, &dw),
           ddw = angle_bend(difference), apart = rates[1] - rates[0], mean = 0.5 * (rates[0] + rates[1]);
    ac_sincos(0.5 * (ends[0].y + ends[1].y), &n, &c);
    const double along[2] = {-n, c}, across[2] = {-c, -n};
    for (int m = 0; m < 2; ++m) {
        double common = 0.5 * (dw * apart * across[m] - w * mean * along[m]),
               own = ddw * apart * along[m] + dw * mean * across[m];
        for (int k = 0; k < 2; ++k) {
            s->by_a[m][k] = (common - own) * ends[0].d[k] +
                            (0.5 * w * across[m] - dw * along[m]) * bent[0][k];
            s->by_b[m][k] = (common + own) * ends[1].d[k] +
                            (0.5 * w * across[m] + dw * along[m]) * bent[1][k];
        }
    }
}

/* D = (2/t_a + 2/t_b, -2 (kappa_a + kappa_b) / (t_a t_b)) */
static void bend_cayley(const double *a, const double *b, const double *da, const double *db,
                        ac_outer_secant *s)
{
    double f = 2.0 / (a[1] * b[1]), ra = da[1] / a[1], rb = db[1] / b[1], kappa = a[0] + b[0],
           change = da[0] + db[0];
    s->by_a[0][1] = 4.0 * ra / (a[1] * a[1]);
    s->by_b[0][1] = 4.0 * rb / (b[1] * b[1]);
    s->by_a[1][0] = s->by_b[1][0] = f * (ra + rb);
    s->by_a[1][1] = f / a[1] * (change - kappa * (2.0 * ra + rb));
    s->by_b[1][1] = f / b[1] * (change - kappa * (ra + 2.0 * rb));
}

static ac_outer_value plain_value(const ac_outer *o, const double *kappa, double winding)
{
    ac_outer_value v;
    ac_outer_evaluate(o, kappa, winding, &v);
    v.y = (v.y - o->offset) / o->factor;
    for (int m = 0; m < o->maps; ++m) {
        v.d[m] /= o->factor;
        for (int k = 0; k < o->maps; ++k) v.dd[m][k] /= o->factor;
    }
    return v;
}

void ac_outer_bend_secant(const ac_outer *o, const double *a, const double *b, double winding,
                          const double *along_a, const double *along_b, ac_outer_secant *s)
{
    const ac_outer_value ends[2] = {plain_value(o, a, winding), plain_value(o, b, winding)};
    const double *const change[2] = {along_a, along_b};
    ac_outer_secant here;
    *s = (ac_outer_secant){0};
    ac_outer_secant_between(o, a, b, winding, &here);
    if (o->kind == AC_OUTER_LENGTH) bend_length(&ends[0], &ends[1], along_a[0], along_b[0], s);
    if (o->kind == AC_OUTER_ANGLE) bend_angle(ends, change, s);
    if (o->kind == AC_OUTER_CAYLEY) bend_cayley(a, b, along_a, along_b, s);
    if (o->kind == AC_OUTER_FUNCTION) ac_function_bend_secant(o, a, b, along_a, along_b, s);
    for (int m = 0; m < o->maps; ++m) {
        s->ya += o->factor * ends[0].d[m] * along_a[m];
        s->yb += o->factor * ends[1].d[m] * along_b[m];
        for (int k = 0; k < o->maps; ++k) {
            s->by_a[m][k] *= o->factor;
            s->by_b[m][k] *= o->factor;
            s->D[m] += here.by_a[m][k] * along_a[k] + here.by_b[m][k] * along_b[k];
        }
    }
}
