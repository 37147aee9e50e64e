/* Inertia of dual quaternions between two time nodes. */
#include "action/relative.h"

#include <string.h>

#include "base/dual_quaternion.h"
#include "base/vector.h"

enum { DUAL = 8 };

void ac_relative_masses(const ac_node *node, double m[8])
{
    double trace = node->euler[0] + node->euler[4] + node->euler[8];
    m[0] = node->ambient[0];
    m[4] = node->ambient[1];
    for (int i = 0; i < 3; ++i) {
        m[1 + i] = trace - node->euler[4 * i];
        m[5 + i] = node->mass;
    }
}

double ac_relative_by_mass(const ac_node *node, int i, int j, const double by[8])
{
    if (i != j) return 0.0;
    if (i < node->dimension) return by[5 + i];
    if (i >= AC_DUAL_AT) return by[i - AC_DUAL_AT];
    int director = (i - node->dimension) / node->dimension,
        component = (i - node->dimension) % node->dimension;
    if (component > 0) return 0.0; /* the same number stands there for all components */
    return by[1 + (director + 1) % 3] + by[1 + (director + 2) % 3];
}

void ac_relative_between(const double *a, const double *b, double y[DUAL])
{
    ac_dual_relative(a, b, y);
    y[0] -= y[0] < 0.0 ? -1.0 : 1.0;
}

/* The same, and the masses. */
static void look_at(const ac_node *node, const double *a, const double *b, double m[DUAL], double y[DUAL])
{
    ac_relative_masses(node, m);
    ac_relative_between(a, b, y);
}

void ac_relative_add(const ac_system *system, const double *qa, const double *qb, double h, int side,
                     double *out)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!ac_node_type_of(node)->relative) continue;
        const int at = node->q + AC_DUAL_AT;
        double m[DUAL], s[DUAL], pull[DUAL];
        look_at(node, qa + at, qb + at, m, s);
        for (int k = 0; k < DUAL; ++k) s[k] *= 4.0 / h * m[k];
        if (side == 0)
            ac_dual_pull_left(s, qb + at, pull);
        else
            ac_dual_pull_right(s, qa + at, pull);
        for (int k = 0; k < DUAL; ++k) out[at + k] += pull[k];
    }
}

void ac_relative_add_slope(const ac_system *system, const double *qa, const double *qb, double h,
                           const double *x, double *out)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!ac_node_type_of(node)->relative) continue;
        const int at = node->q + AC_DUAL_AT;
        double m[DUAL], y[DUAL], by[DUAL], first[DUAL], second[DUAL];
        look_at(node, qa + at, qb + at, m, y);
        ac_dual_relative(qa + at, x + at, by);
        for (int k = 0; k < DUAL; ++k) {
            by[k] *= m[k];
            y[k] *= m[k];
        }
        ac_dual_pull_left(by, qb + at, first);
        ac_dual_pull_left(y, x + at, second);
        for (int k = 0; k < DUAL; ++k) out[at + k] -= 4.0 / h * (first[k] + second[k]);
    }
}

double ac_relative_energy(const ac_system *system, const double *qa, const double *qb, double h,
                          double *translation)
{
    double sum = 0.0, place = 0.0;
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!ac_node_type_of(node)->relative) continue;
        const int at = node->q + AC_DUAL_AT;
        double m[DUAL], y[DUAL];
        look_at(node, qa + at, qb + at, m, y);
        for (int k = 0; k < DUAL; ++k) {
            double own = 2.0 / (h * h) * m[k] * y[k] * y[k];
            sum += own;
            if (k >= 4) place += own;
        }
    }
    if (translation) *translation = place;
    return sum;
}

void ac_relative_clear(const ac_system *system, double *momentum)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (ac_node_type_of(node)->relative)
            memset(momentum + node->q, 0, (size_t)node->size * sizeof *momentum);
    }
}

void ac_relative_lift(const ac_system *system, const double *q, double *p)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!ac_node_type_of(node)->relative) continue;
        double wrench[6], spin[3] = {0.0}, m[DUAL], *own = p + node->q;
        const double *x = q + node->q;
        ac_node_wrench(node, x, own, wrench);
        ac_relative_masses(node, m);
        for (int I = 0; I < 3; ++I) { /* spin about director I from its angular momentum there */
            const double *d = x + 3 + 3 * I;
            double rate = m[1 + I] > 0.0 ? dot3(d, wrench + 3) / m[1 + I] : 0.0;
            for (int c = 0; c < 3; ++c) spin[c] += rate * d[c];
        }
        memset(own, 0, (size_t)node->size * sizeof *own);
        copy3(wrench, own);
        for (int I = 0; I < 3; ++I) {
            double turned[3];
            cross3(spin, x + 3 + 3 * I, turned);
            for (int c = 0; c < 3; ++c) own[3 + 3 * I + c] = node->euler[4 * I] * turned[c];
        }
    }
}

void ac_relative_follow(const ac_system *system, const double *before, double *q)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (!ac_node_type_of(node)->relative) continue;
        memcpy(q + node->q + AC_DUAL_AT, before + node->q + AC_DUAL_AT, 4 * sizeof *q);
    }
}

/* --- derivatives --- */

typedef double matrix[DUAL][DUAL];

/* column k = conj(unit k) b, and conj(a) unit k */
static void left_matrix(const double *b, matrix J)
{
    for (int k = 0; k < DUAL; ++k) {
        double unit[DUAL] = {0.0}, column[DUAL];
        unit[k] = 1.0;
        ac_dual_relative(unit, b, column);
        for (int i = 0; i < DUAL; ++i) J[i][k] = column[i];
    }
}

static void right_matrix(const double *a, matrix J)
{
    for (int k = 0; k < DUAL; ++k) {
        double unit[DUAL] = {0.0}, column[DUAL];
        unit[k] = 1.0;
        ac_dual_relative(a, unit, column);
        for (int i = 0; i < DUAL; ++i) J[i][k] = column[i];
    }
}

/* out += factor A^T diag(m) B */
static void add_product(double factor, matrix A, const double m[DUAL], matrix B, double *out)
{
    for (int l = 0; l < DUAL; ++l)
        for (int i = 0; i < DUAL; ++i) {
            double ai = factor * m[l] * A[l][i];
            if (ai == 0.0) continue;
            for (int j = 0; j < DUAL; ++j) out[i * DUAL + j] += ai * B[l][j];
        }
}

/* out += factor times the second derivative of s . (conj(a) b) by a and b */
static void add_mixed(double factor, const double s[DUAL], double *out)
{
    for (int i = 0; i < DUAL; ++i) {
        double unit[DUAL] = {0.0}, row[DUAL];
        unit[i] = 1.0;
        ac_dual_pull_right(s, unit, row);
        for (int j = 0; j < DUAL; ++j) out[i * DUAL + j] += factor * row[j];
    }
}

static void transpose(const double *in, double *out)
{
    for (int i = 0; i < DUAL; ++i)
        for (int j = 0; j < DUAL; ++j) out[j * DUAL + i] = in[i * DUAL + j];
}

static void node_slopes(const ac_node *node, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                        void *user)
{
    const int first = node->q + AC_DUAL_AT;
    const double *a = p->a + first, *b = p->b + first, factor = 4.0 / p->h;
    double m[DUAL], y[DUAL], s[DUAL], aa[DUAL * DUAL] = {0.0}, ab[DUAL * DUAL] = {0.0}, ba[DUAL * DUAL],
                                                bb[DUAL * DUAL] = {0.0};
    matrix A, B;
    int at[DUAL];
    look_at(node, a, b, m, y);
    for (int k = 0; k < DUAL; ++k) {
        s[k] = m[k] * y[k];
        at[k] = first + k;
    }
    left_matrix(b, A);
    right_matrix(a, B);
    add_product(factor, A, m, A, aa);
    add_product(factor, A, m, B, ab);
    add_product(factor, B, m, B, bb);
    add_mixed(factor, s, ab);
    transpose(ab, ba);
    sinks->block(user, &(ac_slope_block){DUAL, DUAL, at, AC_LEFT, aa, ab});
    sinks->block(user, &(ac_slope_block){DUAL, DUAL, at, AC_RIGHT, ba, bb});
}

void ac_relative_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_slope_sinks *sinks,
                        void *user)
{
    const ac_system *system = d->system;
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i)
        if (ac_node_type_of(&system->nodes[i])->relative) node_slopes(&system->nodes[i], p, sinks, user);
}

/* phi = (4/h) sum m_i y_i z_i with z = conj(wa) b + conj(a) wb: twice by a and b */
static void node_curvature(const ac_node *node, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    const int first = node->q + AC_DUAL_AT;
    const double *a = p->a + first, *b = p->b + first, *wa = wl + first, *wb = wr + first;
    const double factor = 4.0 / p->h;
    double m[DUAL], y[DUAL], z[DUAL], second[DUAL], s[DUAL], t[DUAL], sum = 0.0;
    double aa[DUAL * DUAL] = {0.0}, ab[DUAL * DUAL] = {0.0}, bb[DUAL * DUAL] = {0.0};
    matrix A, B, Aw, Bw;
    int at[DUAL];
    look_at(node, a, b, m, y);
    ac_dual_relative(wa, b, z);
    ac_dual_relative(a, wb, second);
    for (int k = 0; k < DUAL; ++k) {
        z[k] += second[k];
        s[k] = m[k] * y[k];
        t[k] = m[k] * z[k];
        sum += s[k] * z[k];
        at[k] = first + k;
    }
    left_matrix(b, A);
    right_matrix(a, B);
    left_matrix(wb, Aw);
    right_matrix(wa, Bw);
    add_product(factor, A, m, Aw, aa);
    add_product(factor, Aw, m, A, aa);
    add_product(factor, A, m, Bw, ab);
    add_product(factor, Aw, m, B, ab);
    add_product(factor, B, m, Bw, bb);
    add_product(factor, Bw, m, B, bb);
    add_mixed(factor, t, ab);
    sinks->block(user, &(ac_curvature_block){DUAL, at, aa, ab, bb});
    if (!by_h) return;
    double by_a[DUAL], by_b[DUAL], more[DUAL]; /* gradient of sum m y z */
    ac_dual_pull_left(t, b, by_a);
    ac_dual_pull_left(s, wb, more);
    for (int k = 0; k < DUAL; ++k) by_a[k] += more[k];
    ac_dual_pull_right(t, a, by_b);
    ac_dual_pull_right(s, wa, more);
    for (int k = 0; k < DUAL; ++k) by_b[k] += more[k];
    for (int k = 0; k < DUAL; ++k) {
        sinks->entry(user, AC_BY_A, at[k], AC_BY_H, 0, -factor / p->h * by_a[k]);
        sinks->entry(user, AC_BY_B, at[k], AC_BY_H, 0, -factor / p->h * by_b[k]);
    }
    sinks->entry(user, AC_BY_H, 0, AC_BY_H, 0, 2.0 * factor / (p->h * p->h) * sum);
}

/* phi = (4/h) sum m_i y_i z_i with z = conj(wa) b + conj(a) wb */
void ac_relative_by_masses(const ac_node *node, const ac_discrete_point *p, const double *wl,
                           const double *wr, double by[8])
{
    const int at = node->q + AC_DUAL_AT;
    double m[DUAL], y[DUAL], z[DUAL], second[DUAL];
    look_at(node, p->a + at, p->b + at, m, y);
    ac_dual_relative(wl + at, p->b + at, z);
    ac_dual_relative(p->a + at, wr + at, second);
    for (int k = 0; k < DUAL; ++k) by[k] = 4.0 / p->h * y[k] * (z[k] + second[k]);
}

static bool is_zero(const double x[DUAL])
{
    for (int k = 0; k < DUAL; ++k)
        if (x[k] != 0.0) return false;
    return true;
}

/* out += pull(t, x) + pull(s, w), without the second where `still` */
static void add_pulls(void (*pull)(const double s[DUAL], const double x[DUAL], double out[DUAL]),
                      const double t[DUAL], const double *x, const double s[DUAL], const double *w,
                      bool still, double *out)
{
    double first[DUAL], second[DUAL] = {0.0};
    pull(t, x, first);
    if (!still) pull(s, w, second);
    for (int k = 0; k < DUAL; ++k) out[k] += first[k] + second[k];
}

/* The same by both ends, with these masses times 4/h. */
static void pull_node(const ac_node *node, const ac_discrete_point *p, const double m[DUAL], const double *wl,
                      const double *wr, double *out_a, double *out_b)
{
    const int at = node->q + AC_DUAL_AT;
    const double *a = p->a + at, *b = p->b + at, *wa = wl + at, *wb = wr + at;
    const bool still = is_zero(wa); /* the weights of the first product of a sweep backwards */
    double s[DUAL], t[DUAL] = {0.0}, second[DUAL];
    ac_relative_between(a, b, s);
    if (!still) ac_dual_relative(wa, b, t);
    ac_dual_relative(a, wb, second);
    for (int k = 0; k < DUAL; ++k) {
        s[k] *= m[k];
        t[k] = m[k] * (t[k] + second[k]);
    }
    if (out_a) add_pulls(ac_dual_pull_left, t, b, s, wb, false, out_a + at);
    if (out_b) add_pulls(ac_dual_pull_right, t, a, s, wa, still, out_b + at);
}

void ac_relative_pull(const ac_system *system, const ac_discrete_point *p, const double *wl, const double *wr,
                      double *out_a, double *out_b)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double m[DUAL];
        if (!ac_node_type_of(node)->relative) continue;
        ac_relative_masses(node, m);
        for (int k = 0; k < DUAL; ++k) m[k] *= 4.0 / p->h;
        pull_node(node, p, m, wl, wr, out_a, out_b);
    }
}

void ac_relative_bend_masses(const ac_node *node, const ac_discrete_point *p, const double *wl,
                             const double *wr, const ac_interval_change *change, const double masses[8],
                             const ac_bent *out, double by[8])
{
    const int at = node->q + AC_DUAL_AT;
    const double *a = p->a + at, *b = p->b + at, factor = 4.0 / p->h;
    double y[DUAL], m[DUAL], s[DUAL], pull[DUAL];
    ac_relative_between(a, b, y);
    for (int k = 0; k < DUAL; ++k) {
        m[k] = factor * masses[k];
        s[k] = m[k] * y[k];
        by[k] = 0.0;
    }
    ac_dual_pull_left(s, b, pull);
    for (int k = 0; out->left && k < DUAL; ++k) out->left[at + k] += pull[k];
    ac_dual_pull_right(s, a, pull);
    for (int k = 0; out->right && k < DUAL; ++k) out->right[at + k] += pull[k];
    pull_node(node, p, m, wl, wr, out->a, out->b);
    if (!change) return;
    const double *da = change->a + at, *db = change->b + at;
    double z[DUAL], dy[DUAL], dz[DUAL], more[DUAL];
    ac_dual_relative(wl + at, b, z);
    ac_dual_relative(a, wr + at, more);
    for (int k = 0; k < DUAL; ++k) z[k] += more[k];
    ac_dual_relative(da, b, dy);
    ac_dual_relative(a, db, more);
    for (int k = 0; k < DUAL; ++k) dy[k] += more[k];
    ac_dual_relative(wl + at, db, dz);
    ac_dual_relative(da, wr + at, more);
    for (int k = 0; k < DUAL; ++k) by[k] = factor * (dy[k] * z[k] + y[k] * (dz[k] + more[k]));
}

void ac_relative_curvature(const ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    const ac_system *system = d->system;
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i)
        if (ac_node_type_of(&system->nodes[i])->relative)
            node_curvature(&system->nodes[i], p, by_h, wl, wr, sinks, user);
}
