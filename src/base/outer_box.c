/* The distance of a box from a point, a segment or another box, to the third derivative. */
#include "base/outer.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

/* Distances are sqrt(phi + SOFT^2), so that touching shapes have derivatives. */
static const double SOFT = 1e-9;
static const double PARALLEL = 1e-12;

static double range_of(const ac_outer *o, int side)
{
    return side == 2 && o->endless ? INFINITY : 1.0;
}

/* ---- overlapping: the axis that separates most ---- */

/* A sum of terms f x_a x_b; an index -1 stands for the number one. */
enum { TERMS_MAX = 12 };
typedef struct polynomial {
    int count;
    struct {
        double f;
        int a, b;
    } term[TERMS_MAX];
} polynomial;

static void add_term(polynomial *p, double f, int a, int b)
{
    if (f == 0.0) return;
    p->term[p->count].f = f;
    p->term[p->count].a = a;
    p->term[p->count++].b = b;
}

static double at(const double *x, int a)
{
    return a < 0 ? 1.0 : x[a];
}

static double value_of(const polynomial *p, const double *x)
{
    double sum = 0.0;
    for (int t = 0; t < p->count; ++t) sum += p->term[t].f * at(x, p->term[t].a) * at(x, p->term[t].b);
    return sum;
}

static void slopes_of(const polynomial *p, const double *x, double *d)
{
    memset(d, 0, AC_OUTER_MAX * sizeof *d);
    for (int t = 0; t < p->count; ++t) {
        int a = p->term[t].a, b = p->term[t].b;
        if (a >= 0) d[a] += p->term[t].f * at(x, b);
        if (b >= 0) d[b] += p->term[t].f * at(x, a);
    }
}

/* factor times the second derivatives, added to the matrix */
static void add_bend(const polynomial *p, double factor, double dd[AC_OUTER_MAX][AC_OUTER_MAX])
{
    for (int t = 0; t < p->count; ++t) {
        int a = p->term[t].a, b = p->term[t].b;
        if (a < 0 || b < 0) continue;
        dd[a][b] += factor * p->term[t].f;
        dd[b][a] += factor * p->term[t].f;
    }
}

/* The slopes change so along w. */
static void bend_along(const polynomial *p, const double *w, double *d)
{
    memset(d, 0, AC_OUTER_MAX * sizeof *d);
    for (int t = 0; t < p->count; ++t) {
        int a = p->term[t].a, b = p->term[t].b;
        if (a < 0 || b < 0) continue;
        d[a] += p->term[t].f * w[b];
        d[b] += p->term[t].f * w[a];
    }
}

/* The gap along an axis: above / sqrt(below). */
typedef struct axis {
    polynomial above, below;
} axis;

/* above -= reach |p|: a shape reaches so far along the axis; false: without end */
static bool reaches(axis *x, double reach, const polynomial *p, const double *k)
{
    double value = value_of(p, k);
    if (value == 0.0 && isinf(reach)) return true;
    if (isinf(reach)) return false;
    for (int t = 0; t < p->count; ++t)
        add_term(&x->above, value < 0.0 ? reach * p->term[t].f : -reach * p->term[t].f, p->term[t].a,
                 p->term[t].b);
    return true;
}

/* above += |p| */
static void lies_off(axis *x, const polynomial *p, const double *k)
{
    double sign = value_of(p, k) < 0.0 ? -1.0 : 1.0;
    for (int t = 0; t < p->count; ++t) add_term(&x->above, sign * p->term[t].f, p->term[t].a, p->term[t].b);
}

/* r_a . m for m = unit vector i, or unit vector i times r_j, or r_j: the numbers i and j, -1 for none */
static polynomial product(int a, int i, int j)
{
    polynomial p = {0};
    if (j < 0) {
        add_term(&p, 1.0, 3 * a + i, -1);
    } else if (i < 0) {
        for (int c = 0; c < 3; ++c) add_term(&p, 1.0, 3 * a + c, 3 * j + c);
    } else {
        int next = (i + 1) % 3, last = (i + 2) % 3;
        add_term(&p, -1.0, 3 * a + next, 3 * j + last);
        add_term(&p, 1.0, 3 * a + last, 3 * j + next);
    }
    return p;
}

/* Component c of m, for axes with r_j. */
static polynomial component(int c, int i, int j)
{
    polynomial p = {0};
    if (i < 0) {
        add_term(&p, 1.0, 3 * j + c, -1);
    } else if (c == (i + 1) % 3) {
        add_term(&p, -1.0, 3 * j + (i + 2) % 3, -1);
    } else if (c == (i + 2) % 3) {
        add_term(&p, 1.0, 3 * j + (i + 1) % 3, -1);
    }
    return p;
}

/* The normal of face i of the box (j = -1), of face j of the other (i = -1), or across an edge of each;
 * the sides of the other shape are numbered from 1. */
static bool make_axis(const ac_outer *o, const double *k, int i, int j, axis *x)
{
    polynomial off = product(0, i, j);
    memset(x, 0, sizeof *x);
    lies_off(x, &off, k);
    if (j < 0) {
        if (isinf(o->half[i])) return false;
        add_term(&x->above, -o->half[i], -1, -1);
        add_term(&x->below, 1.0, -1, -1);
    } else {
        double size = 0.0;
        for (int c = 0; c < 3; ++c) {
            polynomial m = component(c, i, j);
            if (!reaches(x, o->half[c], &m, k)) return false;
            if (c != i) add_term(&x->below, 1.0, 3 * j + c, 3 * j + c);
            size += k[3 * j + c] * k[3 * j + c];
        }
        if (value_of(&x->below, k) <= PARALLEL * size) return false;
    }
    for (int side = 1; side <= o->sides; ++side) {
        polynomial r = product(side, i, j);
        bool own = i < 0 && side != j; /* sides of a box are at right angles */
        if (side == j && i >= 0) continue;
        if (!own && !reaches(x, range_of(o, side - 1), &r, k)) return false;
    }
    return true;
}

static double gap_along(const axis *x, const double *k)
{
    return value_of(&x->above, k) / sqrt(value_of(&x->below, k));
}

/* The largest gap, positive when the shapes are apart. */
static double widest_gap(const ac_outer *o, const double *k, axis *best)
{
    double widest = -INFINITY;
    memset(best, 0, sizeof *best);
    for (int i = -1; i < 3; ++i)
        for (int j = i < 0 ? 1 : 0; j <= o->sides; ++j) {
            axis x;
            if (i < 0 && (o->sides < 3 || isinf(range_of(o, j - 1)))) continue;
            if (!make_axis(o, k, i, j > 0 ? j : -1, &x)) continue;
            double gap = gap_along(&x, k);
            if (!(gap > widest)) continue;
            widest = gap;
            *best = x;
        }
    return widest;
}

/* above g with g = below^(-1/2), and its derivatives */
static void along_axis(const ac_outer *o, const axis *x, const double *k, ac_outer_value *v)
{
    double N = value_of(&x->above, k), Q = value_of(&x->below, k), g = 1.0 / sqrt(Q);
    double Na[AC_OUTER_MAX], Qa[AC_OUTER_MAX], ga[AC_OUTER_MAX];
    slopes_of(&x->above, k, Na);
    slopes_of(&x->below, k, Qa);
    v->y = N * g;
    for (int a = 0; a < o->maps; ++a) {
        ga[a] = -0.5 * g / Q * Qa[a];
        v->d[a] = Na[a] * g + N * ga[a];
    }
    for (int a = 0; a < o->maps; ++a)
        for (int b = 0; b < o->maps; ++b)
            v->dd[a][b] = Na[a] * ga[b] + Na[b] * ga[a] + 0.75 * N * g / (Q * Q) * Qa[a] * Qa[b];
    add_bend(&x->above, g, v->dd);
    add_bend(&x->below, -0.5 * N * g / Q, v->dd);
}

static void along_axis_third(const ac_outer *o, const axis *x, const double *k, const double *w,
                             double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    double N = value_of(&x->above, k), Q = value_of(&x->below, k), g = 1.0 / sqrt(Q), dN = 0.0, dQ = 0.0;
    double Na[AC_OUTER_MAX], Qa[AC_OUTER_MAX], dNa[AC_OUTER_MAX], dQa[AC_OUTER_MAX];
    slopes_of(&x->above, k, Na);
    slopes_of(&x->below, k, Qa);
    bend_along(&x->above, w, dNa);
    bend_along(&x->below, w, dQa);
    for (int a = 0; a < o->maps; ++a) {
        dN += Na[a] * w[a];
        dQ += Qa[a] * w[a];
    }
    double g1 = -0.5 * g / Q, g2 = 0.75 * g / (Q * Q), g3 = -1.875 * g / (Q * Q * Q); /* of g by Q */
    for (int a = 0; a < o->maps; ++a)
        for (int b = 0; b < o->maps; ++b)
            cube[a][b] = g1 * (dNa[a] * Qa[b] + dNa[b] * Qa[a] + Na[a] * dQa[b] + Na[b] * dQa[a]) +
                         g2 * (dQ * (Na[a] * Qa[b] + Na[b] * Qa[a]) + dN * Qa[a] * Qa[b] +
                               N * (dQa[a] * Qa[b] + Qa[a] * dQa[b])) +
                         g3 * N * dQ * Qa[a] * Qa[b];
    add_bend(&x->above, g1 * dQ, cube);
    add_bend(&x->below, g1 * dN + g2 * N * dQ, cube);
}

/* ---- apart: the closest features ---- */

/* A corner, edge or face of the box (signs of its fixed coordinates, 0: along it) and the place s on the
 * other. */
typedef struct features {
    double sign[3], z[4]; /* z = (1, s) */
    bool loose[4];        /* s is inside its range */
    double phi;           /* squared distance */
} features;

/* c + s_1 r_1 + .. without the number `left_out` */
static void place_on(const ac_outer *o, const double *k, const double *z, int left_out, double w[3])
{
    for (int i = 0; i < 3; ++i) {
        w[i] = 0.0;
        for (int a = 0; a <= o->sides; ++a) w[i] += a == left_out ? 0.0 : z[a] * k[3 * a + i];
    }
}

static void excess_of(const ac_outer *o, const features *f, const double w[3], double e[3])
{
    for (int i = 0; i < 3; ++i) e[i] = f->sign[i] != 0.0 ? w[i] - f->sign[i] * o->half[i] : 0.0;
}

/* A place s of the other shape against the whole box. */
static void offer_place(const ac_outer *o, const double *k, const double z[4], features *best)
{
    features f = {.phi = 0.0};
    double w[3];
    memcpy(f.z, z, sizeof f.z);
    place_on(o, k, z, -1, w);
    for (int i = 0; i < 3; ++i) {
        double out = fabs(w[i]) - o->half[i];
        if (!(out > 0.0)) continue;
        f.sign[i] = w[i] < 0.0 ? -1.0 : 1.0;
        f.phi += out * out;
    }
    if (f.phi < best->phi) *best = f;
}

/* A corner of the box against the whole other shape. */
static void offer_corner(const ac_outer *o, const double *k, const double sign[3], features *best)
{
    features f = {.z = {1.0}};
    double e[3], w[3];
    memcpy(f.sign, sign, sizeof f.sign);
    excess_of(o, &f, k, e);
    for (int a = 1; a <= o->sides; ++a) {
        double along = 0.0, square = 0.0, range = range_of(o, a - 1);
        for (int i = 0; i < 3; ++i) {
            double r = sign[i] != 0.0 ? k[3 * a + i] : 0.0;
            along -= r * e[i];
            square += r * r;
        }
        if (square == 0.0) continue;
        f.z[a] = ac_min(range, ac_max(-range, along / square));
        f.loose[a] = fabs(f.z[a]) < range;
    }
    place_on(o, k, f.z, -1, w);
    excess_of(o, &f, w, e);
    for (int i = 0; i < 3; ++i) f.phi += e[i] * e[i];
    if (f.phi < best->phi) *best = f;
}

/* Edge i of the box, its other coordinates fixed by `sign`, against side a of the other shape, on which
 * the rest of z is fixed and gives the place w. */
static void offer_edges(const ac_outer *o, const double *k, int i, const double sign[3], int a,
                        const double z[4], const double w[3], features *best)
{
    features f = {.phi = 0.0};
    double e[3], along = 0.0, square = 0.0, size = 0.0;
    const double *r = k + 3 * (size_t)a;
    memcpy(f.sign, sign, sizeof f.sign);
    memcpy(f.z, z, sizeof f.z);
    excess_of(o, &f, w, e);
    for (int c = 0; c < 3; ++c) {
        size += r[c] * r[c];
        if (c == i) continue;
        along -= r[c] * e[c];
        square += r[c] * r[c];
    }
    if (square <= PARALLEL * size) return;
    f.z[a] = along / square;
    f.loose[a] = true;
    if (!(fabs(f.z[a]) < range_of(o, a - 1)) || !(fabs(w[i] + f.z[a] * r[i]) < o->half[i])) return;
    for (int c = 0; c < 3; ++c) {
        double out = c == i ? 0.0 : e[c] + f.z[a] * r[c];
        f.phi += out * out;
    }
    if (f.phi < best->phi) *best = f;
}

/* Signs number `code` of the box, edge `along` left out; false: there is no such corner or edge. */
static bool signs_of(const ac_outer *o, int code, int along, double sign[3])
{
    for (int i = 0; i < 3; ++i) {
        sign[i] = i == along ? 0.0 : code >> i & 1 ? 1.0 : -1.0;
        if (sign[i] == 0.0 && code >> i & 1) return false; /* it was there already */
        if (sign[i] == 0.0 || !isinf(o->half[i])) continue;
        if (along >= 0 || code >> i & 1) return false;
        sign[i] = 0.0; /* a box without end has edges for corners */
    }
    return true;
}

/* Corner number `code` of the other shape, or its edge along side a; false: there is none. */
static bool corner_of(const ac_outer *o, const double *k, int code, int a, double z[4])
{
    z[0] = 1.0;
    for (int b = 1; b <= 3; ++b) z[b] = 0.0;
    for (int b = 1; b <= o->sides; ++b) {
        bool up = code >> (b - 1) & 1;
        if (up && b == a) return false;
        if (b == a) continue;
        if (!isinf(range_of(o, b - 1))) {
            z[b] = up ? 1.0 : -1.0;
            continue;
        }
        for (int i = 0; i < 3; ++i)
            if (up || (k[3 * b + i] != 0.0 && !isinf(o->half[i]))) return false;
    }
    return true;
}

static void offer_all_edges(const ac_outer *o, const double *k, features *best)
{
    for (int a = 1; a <= o->sides; ++a)
        for (int code = 0; code < 1 << o->sides; ++code) {
            double z[4], w[3], sign[3];
            if (!corner_of(o, k, code, a, z)) continue;
            place_on(o, k, z, a, w);
            for (int i = 0; i < 3; ++i)
                for (int edge = 0; edge < 8; ++edge)
                    if (signs_of(o, edge, i, sign)) offer_edges(o, k, i, sign, a, z, w, best);
        }
}

static void find_features(const ac_outer *o, const double *k, features *best)
{
    best->phi = HUGE_VAL;
    for (int code = 0; code < 1 << o->sides; ++code) {
        double z[4];
        if (corner_of(o, k, code, 0, z)) offer_place(o, k, z, best);
    }
    if (o->sides == 0) return;
    for (int code = 0; code < 8; ++code) {
        double sign[3];
        if (signs_of(o, code, -1, sign)) offer_corner(o, k, sign, best);
    }
    offer_all_edges(o, k, best);
}

/* F(s) = |e|^2 with e = c + s_1 r_1 + .. - corner in the coordinates that are fixed; phi = F at its least. */
typedef struct least {
    features at;
    double e[3], r[4][3];          /* in these coordinates */
    double K[4][4];                /* inverse of d2F by the loose s */
    double a[AC_OUTER_MAX][4];     /* ds by the maps */
    double mixed[AC_OUTER_MAX][4]; /* dF by map and s */
} least;

/* Inverse of the symmetric matrix of loose s by sweeps; what depends on others is fixed. */
static void invert(least *l, int sides)
{
    double M[4][4] = {{0.0}};
    for (int a = 1; a <= sides; ++a)
        for (int b = 1; b <= sides; ++b)
            for (int i = 0; i < 3; ++i) M[a][b] += 2.0 * l->r[a][i] * l->r[b][i];
    for (int p = 1; p <= sides; ++p) {
        double full = 0.0;
        for (int i = 0; i < 3; ++i) full += 2.0 * l->r[p][i] * l->r[p][i];
        if (l->at.loose[p] && M[p][p] <= PARALLEL * full) l->at.loose[p] = false;
        if (!l->at.loose[p]) continue;
        double pivot = M[p][p];
        for (int a = 1; a <= sides; ++a)
            for (int b = 1; b <= sides; ++b)
                if (a != p && b != p) M[a][b] -= M[a][p] * M[p][b] / pivot;
        for (int a = 1; a <= sides; ++a)
            if (a != p) {
                M[a][p] /= pivot;
                M[p][a] /= pivot;
            }
        M[p][p] = -1.0 / pivot;
    }
    for (int a = 1; a <= sides; ++a)
        for (int b = 1; b <= sides; ++b) l->K[a][b] = l->at.loose[a] && l->at.loose[b] ? -M[a][b] : 0.0;
}

static void restrict_to_fixed(const ac_outer *o, const double *k, least *l)
{
    double w[3];
    place_on(o, k, l->at.z, -1, w);
    excess_of(o, &l->at, w, l->e);
    for (int a = 0; a <= o->sides; ++a)
        for (int i = 0; i < 3; ++i) l->r[a][i] = l->at.sign[i] != 0.0 ? k[3 * a + i] : 0.0;
}

static void find_least(const ac_outer *o, const double *k, least *l)
{
    memset(l, 0, sizeof *l);
    find_features(o, k, &l->at);
    restrict_to_fixed(o, k, l);
    invert(l, o->sides);
    for (int a = 1; a <= o->sides;
         ++a) /* exactly the least, also between sides that are not quite at right angles */
        for (int b = 1; b <= o->sides; ++b)
            for (int i = 0; i < 3; ++i) l->at.z[a] -= l->K[a][b] * 2.0 * l->r[b][i] * l->e[i];
    restrict_to_fixed(o, k, l);
    l->at.phi = l->e[0] * l->e[0] + l->e[1] * l->e[1] + l->e[2] * l->e[2];
    for (int m = 0; m < o->maps; ++m) {
        int a = m / 3, i = m % 3;
        bool fixed = l->at.sign[i] != 0.0;
        for (int s = 1; s <= o->sides; ++s)
            l->mixed[m][s] = fixed && l->at.loose[s]
                                 ? 2.0 * ((a == s ? l->e[i] : 0.0) + l->at.z[a] * l->r[s][i])
                                 : 0.0;
        for (int s = 1; s <= o->sides; ++s)
            for (int t = 1; t <= o->sides; ++t) l->a[m][s] -= l->K[s][t] * l->mixed[m][t];
    }
}

/* phi_m = F_m, phi_mn = F_mn + F_ms ds/dn */
static double slope(const least *l, int m)
{
    return 2.0 * l->at.z[m / 3] * l->e[m % 3];
}

static double bend(const least *l, int sides, int m, int n)
{
    bool direct = m % 3 == n % 3 && l->at.sign[m % 3] != 0.0;
    double sum = direct ? 2.0 * l->at.z[m / 3] * l->at.z[n / 3] : 0.0;
    for (int s = 1; s <= sides; ++s) sum += l->mixed[m][s] * l->a[n][s];
    return sum;
}

/* Derivatives of the square root. */
static double length(double phi, double f[3])
{
    double k = phi + SOFT * SOFT, y = sqrt(k);
    f[0] = 0.5 / y;
    f[1] = -0.25 / (y * k);
    f[2] = 0.375 / (y * k * k);
    return y;
}

static void apart(const ac_outer *o, const double *k, ac_outer_value *v)
{
    least l;
    double f[3];
    find_least(o, k, &l);
    v->y = length(l.at.phi, f);
    for (int m = 0; m < o->maps; ++m) {
        v->d[m] = f[0] * slope(&l, m);
        for (int n = 0; n < o->maps; ++n)
            v->dd[m][n] = f[1] * slope(&l, m) * slope(&l, n) + f[0] * bend(&l, o->sides, m, n);
    }
}

/* What changes along w while s follows. */
typedef struct changes {
    double z[4], e[3], r[4][3], mixed[AC_OUTER_MAX][4];
} changes;

static void follow(const ac_outer *o, const least *l, const double *w, changes *d)
{
    memset(d, 0, sizeof *d);
    for (int s = 1; s <= o->sides; ++s)
        for (int m = 0; m < o->maps; ++m) d->z[s] += l->a[m][s] * w[m];
    for (int i = 0; i < 3; ++i) {
        if (l->at.sign[i] == 0.0) continue;
        for (int a = 0; a <= o->sides; ++a) {
            d->r[a][i] = w[3 * a + i];
            d->e[i] += d->z[a] * l->r[a][i] + l->at.z[a] * w[3 * a + i];
        }
    }
    for (int m = 0; m < o->maps; ++m) {
        int a = m / 3, i = m % 3;
        for (int s = 1; s <= o->sides && l->at.sign[i] != 0.0; ++s)
            if (l->at.loose[s])
                d->mixed[m][s] = 2.0 *
                                 ((a == s ? d->e[i] : 0.0) + d->z[a] * l->r[s][i] + l->at.z[a] * d->r[s][i]);
    }
}

/* phi_mn along w: F_mn' + F_ms' a_n + a_m F_ns' + a_m F_ss' a_n */
static double bend_changes(const least *l, const changes *d, int sides, int m, int n)
{
    bool direct = m % 3 == n % 3 && l->at.sign[m % 3] != 0.0;
    int a = m / 3, b = n / 3;
    double sum = direct ? 2.0 * (d->z[a] * l->at.z[b] + l->at.z[a] * d->z[b]) : 0.0;
    for (int s = 1; s <= sides; ++s) {
        sum += d->mixed[m][s] * l->a[n][s] + l->a[m][s] * d->mixed[n][s];
        for (int t = 1; t <= sides; ++t)
            for (int i = 0; i < 3; ++i)
                sum += 2.0 * l->a[m][s] * l->a[n][t] * (d->r[s][i] * l->r[t][i] + l->r[s][i] * d->r[t][i]);
    }
    return sum;
}

static void apart_third(const ac_outer *o, const double *k, const double *w,
                        double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    least l;
    changes d;
    double f[3], along = 0.0, bent[AC_OUTER_MAX] = {0.0};
    find_least(o, k, &l);
    follow(o, &l, w, &d);
    length(l.at.phi, f);
    for (int m = 0; m < o->maps; ++m) {
        along += slope(&l, m) * w[m];
        for (int n = 0; n < o->maps; ++n) bent[m] += bend(&l, o->sides, m, n) * w[n];
    }
    for (int m = 0; m < o->maps; ++m)
        for (int n = 0; n < o->maps; ++n)
            cube[m][n] = f[2] * slope(&l, m) * slope(&l, n) * along +
                         f[1] * (bend(&l, o->sides, m, n) * along + bent[m] * slope(&l, n) +
                                 slope(&l, m) * bent[n]) +
                         f[0] * bend_changes(&l, &d, o->sides, m, n);
}

/* ---- both ---- */

void ac_box_evaluate(const ac_outer *o, const double *kappa, ac_outer_value *v)
{
    axis best;
    if (widest_gap(o, kappa, &best) > 0.0) {
        apart(o, kappa, v);
    } else {
        along_axis(o, &best, kappa, v);
    }
}

void ac_box_third(const ac_outer *o, const double *kappa, const double *w,
                  double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    axis best;
    if (widest_gap(o, kappa, &best) > 0.0) {
        apart_third(o, kappa, w, cube);
    } else {
        along_axis_third(o, &best, kappa, w, cube);
    }
}
