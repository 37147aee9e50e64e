/* The functions that make scalars of quadratic maps, with first, second and third derivatives. */
#include "base/outer.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"

/* Distances are sqrt(phi + SOFT^2): differentiable even where two axes meet, and right to rounding
 * elsewhere. */
static const double SOFT = 1e-9;

/* --- one or two maps --- */

static double length(double k, double f[3])
{
    double y = sqrt(k);
    f[0] = 0.5 / y;
    f[1] = -0.25 / (y * k);
    f[2] = 0.375 / (y * k * k);
    return y;
}

/* Of all angles with this cosine and sine the one nearest to `winding`. */
static double angle(double c, double s, double winding)
{
    static const double FULL = 6.283185307179586;
    double y = ac_atan2(s, c), away = winding - y;
    return fabs(away) > 0.5 * FULL ? y + FULL * round(away / FULL) : y;
}

static void angle_slopes(double c, double s, ac_outer_value *v)
{
    double r2 = c * c + s * s, r4 = r2 * r2;
    v->d[0] = -s / r2;
    v->d[1] = c / r2;
    v->dd[0][0] = 2.0 * c * s / r4;
    v->dd[0][1] = v->dd[1][0] = (s * s - c * c) / r4;
    v->dd[1][1] = -v->dd[0][0];
}

static void angle_third(double c, double s, const double w[2], double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    double r2 = c * c + s * s, r6 = r2 * r2 * r2;
    double ccc = 2.0 * s * (s * s - 3.0 * c * c) / r6, ccs = 2.0 * c * (c * c - 3.0 * s * s) / r6;
    cube[0][0] = ccc * w[0] + ccs * w[1];
    cube[0][1] = cube[1][0] = ccs * w[0] - ccc * w[1];
    cube[1][1] = -ccc * w[0] - ccs * w[1];
}

/* g(c) = phi / sin(phi) with c = cos(phi), and three derivatives. From (1 - c^2) g' = c g - 1; near c = 1
 * by its series in 1 - c, whose coefficients are a_k = a_(k-1) k / (2 k + 1). */
static void rotation_factor(double c, double g[4])
{
    double e = 1.0 - c;
    if (fabs(e) < 0.3) {
        double a = 1.0, power[4] = {1.0, 0.0, 0.0, 0.0}; /* e^k and its derivatives by e */
        memset(g, 0, 4 * sizeof *g);
        for (int k = 0; k < 40; ++k) {
            for (int i = 0; i < 4; ++i) g[i] += a * (i % 2 ? -power[i] : power[i]);
            for (int i = 3; i > 0; --i) power[i] = e * power[i] + i * power[i - 1];
            power[0] *= e;
            a *= (k + 1.0) / (2.0 * k + 3.0);
        }
        return;
    }
    double r = ac_max(1.0 - c * c, DBL_MIN);
    g[0] = ac_acos(ac_max(c, -1.0)) / sqrt(r);
    g[1] = (c * g[0] - 1.0) / r;
    g[2] = (g[0] + 3.0 * c * g[1]) / r;
    g[3] = (4.0 * g[1] + 5.0 * c * g[2]) / r;
}

/* The angle with cosine c; between 0 and pi, the ends rounded off by SOFT. */
static double arc(double c, double f[3])
{
    double r = ac_max(1.0 - c * c, 0.0) + SOFT * SOFT, root = sqrt(r);
    f[0] = -1.0 / root;
    f[1] = -c / (r * root);
    f[2] = -(1.0 / r + 3.0 * c * c / (r * r)) / root;
    return ac_atan2(root, c);
}

/* --- segments --- */

/* F(s, t) = |p + s u - t v|^2 = kappa . m(s, t); the maps stand in this order: p.p, p.u, u.u, p.v, v.v,
 * u.v, without those of a vector that is not there. */
enum { PP, PU, UU, PV, VV, UV, GRAM };

typedef struct closest {
    double K[GRAM];      /* the maps, zero where there is none */
    int place[GRAM];     /* where each stands in kappa, -1: nowhere */
    double s, t;         /* the places */
    bool free_s, free_t; /* inside their ranges */
    double phi, m[GRAM]; /* least F and its derivatives by the maps */
    double a[GRAM][2];   /* -d(s, t) / d kappa */
} closest;

static double form_at(const double *K, double s, double t)
{
    return K[PP] + 2.0 * s * K[PU] + s * s * K[UU] - 2.0 * t * K[PV] + t * t * K[VV] - 2.0 * s * t * K[UV];
}

static double clamp(double x)
{
    return ac_min(1.0, ac_max(0.0, x));
}

/* Takes (s, t) if it is better. */
static void offer(closest *c, double s, double t, bool free_s, bool free_t)
{
    double phi = form_at(c->K, s, t);
    if (!(phi < c->phi)) return;
    c->phi = phi;
    c->s = s;
    c->t = t;
    c->free_s = free_s;
    c->free_t = free_t;
}

static void along_s(closest *c, double t)
{
    double s = c->K[UU] > 0.0 ? (t * c->K[UV] - c->K[PU]) / c->K[UU] : 0.0;
    offer(c, clamp(s), t, s > 0.0 && s < 1.0, false);
}

static void along_t(closest *c, double s)
{
    double t = c->K[VV] > 0.0 ? (c->K[PV] + s * c->K[UV]) / c->K[VV] : 0.0;
    offer(c, s, clamp(t), false, t > 0.0 && t < 1.0);
}

static void find_places(closest *c, const bool segment[2])
{
    const double *K = c->K;
    double det = K[UU] * K[VV] - K[UV] * K[UV];
    c->phi = HUGE_VAL; /* it stays there when every distance overflows */
    c->s = c->t = 0.0;
    c->free_s = c->free_t = false;
    if (segment[0] && segment[1] && det > 1e-10 * K[UU] * K[VV]) {
        double s = (K[UV] * K[PV] - K[VV] * K[PU]) / det, t = (K[UU] * K[PV] - K[UV] * K[PU]) / det;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            offer(c, s, t, true, true);
            return;
        }
    }
    if (segment[0]) {
        along_s(c, 0.0);
        if (segment[1]) along_s(c, 1.0);
    }
    if (segment[1]) {
        along_t(c, 0.0);
        if (segment[0]) along_t(c, 1.0);
    }
    if (!segment[0] && !segment[1]) offer(c, 0.0, 0.0, false, false);
}

/* Derivatives of m by s and t. */
static void slopes_of(const closest *c, double M[GRAM][2])
{
    memset(M, 0, GRAM * sizeof *M);
    if (c->free_s) {
        M[PU][0] = 2.0;
        M[UU][0] = 2.0 * c->s;
        M[UV][0] = -2.0 * c->t;
    }
    if (c->free_t) {
        M[PV][1] = -2.0;
        M[VV][1] = 2.0 * c->t;
        M[UV][1] = -2.0 * c->s;
    }
}

/* (s, t) moves by -(d2F)^-1 M with the maps. */
static void moves_of(closest *c, double M[GRAM][2])
{
    double ss = c->free_s ? 2.0 * c->K[UU] : 1.0, tt = c->free_t ? 2.0 * c->K[VV] : 1.0;
    double st = c->free_s && c->free_t ? -2.0 * c->K[UV] : 0.0, det = ss * tt - st * st;
    for (int k = 0; k < GRAM; ++k) {
        c->a[k][0] = (tt * M[k][0] - st * M[k][1]) / det;
        c->a[k][1] = (ss * M[k][1] - st * M[k][0]) / det;
    }
}

static void look_at(const ac_outer *o, const double *kappa, closest *c, double M[GRAM][2])
{
    const bool there[GRAM] = {true,          o->segment[0], o->segment[0],
                              o->segment[1], o->segment[1], o->segment[0] && o->segment[1]};
    for (int k = 0, next = 0; k < GRAM; ++k) {
        c->place[k] = there[k] ? next++ : -1;
        c->K[k] = there[k] ? kappa[c->place[k]] : 0.0;
    }
    find_places(c, o->segment);
    const double m[GRAM] = {1.0, 2.0 * c->s, c->s * c->s, -2.0 * c->t, c->t * c->t, -2.0 * c->s * c->t};
    memcpy(c->m, m, sizeof m);
    slopes_of(c, M);
    moves_of(c, M);
}

/* phi_kl = -M_k . a_l */
static double bend(const closest *c, double M[GRAM][2], int k, int l)
{
    return -(M[k][0] * c->a[l][0] + M[k][1] * c->a[l][1]);
}

static void segments(const ac_outer *o, const double *kappa, ac_outer_value *v)
{
    closest c;
    double M[GRAM][2], f[3];
    look_at(o, kappa, &c, M);
    v->y = length(ac_max(c.phi, 0.0) + SOFT * SOFT, f);
    for (int k = 0; k < GRAM; ++k) {
        if (c.place[k] < 0) continue;
        v->d[c.place[k]] = f[0] * c.m[k];
        for (int l = 0; l < GRAM; ++l)
            if (c.place[l] >= 0)
                v->dd[c.place[k]][c.place[l]] = f[1] * c.m[k] * c.m[l] + f[0] * bend(&c, M, k, l);
    }
}

/* x^T (d2 m_k / d(s, t)^2) y */
static double curve(const closest *c, int k, const double x[2], const double y[2])
{
    if (k == UU) return c->free_s ? 2.0 * x[0] * y[0] : 0.0;
    if (k == VV) return c->free_t ? 2.0 * x[1] * y[1] : 0.0;
    if (k == UV) return c->free_s && c->free_t ? -2.0 * (x[0] * y[1] + x[1] * y[0]) : 0.0;
    return 0.0;
}

/* phi_klm = a_l^T m_k'' a_m + a_k^T m_l'' a_m + a_k^T m_m'' a_l */
static void segments_third(const ac_outer *o, const double *kappa, const double *w,
                           double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    closest c;
    double M[GRAM][2], f[3], along = 0.0, a[2] = {0.0, 0.0}, W[GRAM] = {0.0}, bent[GRAM] = {0.0};
    look_at(o, kappa, &c, M);
    length(ac_max(c.phi, 0.0) + SOFT * SOFT, f);
    for (int k = 0; k < GRAM; ++k) {
        if (c.place[k] < 0) continue;
        W[k] = w[c.place[k]];
        along += c.m[k] * W[k];
        for (int i = 0; i < 2; ++i) a[i] += c.a[k][i] * W[k];
    }
    for (int k = 0; k < GRAM; ++k) bent[k] = -(M[k][0] * a[0] + M[k][1] * a[1]); /* sum_l phi_kl w_l */
    for (int k = 0; k < GRAM; ++k) {
        for (int l = 0; l < GRAM; ++l) {
            if (c.place[k] < 0 || c.place[l] < 0) continue;
            double third = curve(&c, k, c.a[l], a) + curve(&c, l, c.a[k], a);
            for (int m = 0; m < GRAM; ++m)
                if (W[m] != 0.0) third += W[m] * curve(&c, m, c.a[k], c.a[l]);
            cube[c.place[k]][c.place[l]] =
                f[2] * c.m[k] * c.m[l] * along +
                f[1] * (bend(&c, M, k, l) * along + c.m[k] * bent[l] + bent[k] * c.m[l]) + f[0] * third;
        }
    }
}

/* --- least --- */

static int least_of(const ac_outer *o, const double *kappa)
{
    int best = 0;
    for (int k = 1; k < o->maps; ++k)
        if (kappa[k] < kappa[best]) best = k;
    return best;
}

/* --- all --- */

/* Without winding: the derivatives of an angle only, as its value is the dearer part. */
static void evaluate(const ac_outer *o, const double *kappa, const double *winding, ac_outer_value *v)
{
    double f[3], g[4];
    for (int a = 0; a < o->maps; ++a) {
        v->d[a] = 0.0;
        memset(v->dd[a], 0, (size_t)o->maps * sizeof v->dd[a][0]);
    }
    switch (o->kind) {
    case AC_OUTER_VALUE:
        v->y = kappa[0];
        v->d[0] = 1.0;
        break;
    case AC_OUTER_LENGTH:
        v->y = length(kappa[0], f);
        v->d[0] = f[0];
        v->dd[0][0] = f[1];
        break;
    case AC_OUTER_ANGLE:
        v->y = winding ? angle(kappa[0], kappa[1], (*winding - o->offset) / o->factor) : 0.0;
        angle_slopes(kappa[0], kappa[1], v);
        break;
    case AC_OUTER_LOG:
        rotation_factor(kappa[1], g);
        v->y = kappa[0] * g[0];
        v->d[0] = g[0];
        v->d[1] = kappa[0] * g[1];
        v->dd[0][1] = v->dd[1][0] = g[1];
        v->dd[1][1] = kappa[0] * g[2];
        break;
    case AC_OUTER_ARC:
        v->y = arc(kappa[0], f);
        v->d[0] = f[0];
        v->dd[0][0] = f[1];
        break;
    case AC_OUTER_SEGMENTS: segments(o, kappa, v); break;
    case AC_OUTER_LEAST: {
        int best = least_of(o, kappa);
        v->y = kappa[best];
        v->d[best] = 1.0;
        break;
    }
    case AC_OUTER_BOX: ac_box_evaluate(o, kappa, v); break;
    case AC_OUTER_CAYLEY:
        v->d[0] = 4.0 / kappa[1];
        v->y = v->d[0] * kappa[0];
        v->d[1] = -v->y / kappa[1];
        v->dd[0][1] = v->dd[1][0] = -v->d[0] / kappa[1];
        v->dd[1][1] = -2.0 * v->d[1] / kappa[1];
        break;
    case AC_OUTER_SIGNED:
        v->d[0] = 1.0;
        v->d[1] = v->d[2] = kappa[1] < 0.0 ? 2.0 : -2.0;
        v->y = kappa[0] + v->d[1] * (kappa[1] + kappa[2]);
        break;
    case AC_OUTER_FUNCTION: ac_function_evaluate(o, kappa, v); break;
    }
    v->y = o->factor * v->y + o->offset;
    if (o->factor == 1.0) return;
    for (int a = 0; a < o->maps; ++a) {
        v->d[a] *= o->factor;
        for (int b = 0; b < o->maps; ++b) v->dd[a][b] *= o->factor;
    }
}

void ac_outer_evaluate(const ac_outer *o, const double *kappa, double winding, ac_outer_value *v)
{
    evaluate(o, kappa, &winding, v);
}

void ac_outer_slopes(const ac_outer *o, const double *kappa, ac_outer_value *v)
{
    evaluate(o, kappa, NULL, v);
}

void ac_outer_third(const ac_outer *o, const double *kappa, const double *s,
                    double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    double f[3], g[4];
    for (int a = 0; a < o->maps; ++a) memset(cube[a], 0, (size_t)o->maps * sizeof cube[a][0]);
    switch (o->kind) {
    case AC_OUTER_LENGTH:
        length(kappa[0], f);
        cube[0][0] = f[2] * s[0];
        break;
    case AC_OUTER_ANGLE: angle_third(kappa[0], kappa[1], s, cube); break;
    case AC_OUTER_LOG:
        rotation_factor(kappa[1], g);
        cube[0][1] = cube[1][0] = g[2] * s[1];
        cube[1][1] = g[2] * s[0] + kappa[0] * g[3] * s[1];
        break;
    case AC_OUTER_ARC:
        arc(kappa[0], f);
        cube[0][0] = f[2] * s[0];
        break;
    case AC_OUTER_SEGMENTS: segments_third(o, kappa, s, cube); break;
    case AC_OUTER_BOX: ac_box_third(o, kappa, s, cube); break;
    case AC_OUTER_CAYLEY: {
        double t = kappa[1], t3 = t * t * t;
        cube[0][1] = cube[1][0] = 8.0 * s[1] / t3;
        cube[1][1] = 8.0 * s[0] / t3 - 24.0 * kappa[0] * s[1] / (t3 * t);
        break;
    }
    case AC_OUTER_FUNCTION: ac_function_third(o, kappa, s, cube); break;
    case AC_OUTER_VALUE:
    case AC_OUTER_SIGNED:
    case AC_OUTER_LEAST: break;
    }
    if (o->factor == 1.0) return;
    for (int a = 0; a < o->maps; ++a)
        for (int b = 0; b < o->maps; ++b) cube[a][b] *= o->factor;
}
