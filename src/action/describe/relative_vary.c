/* Inertia of dual quaternions by free parameters: phi = (4/h) sum m_i y_i z_i is linear in the masses m (relative.h), so that
 * derivatives by a parameter are those with the derivatives of the masses. */
#include "action/relative.h"
#include "base/dual_quaternion.h"

enum { DUAL = 8 };

/* Of the eight masses of a node by a parameter; false: none depends on it. */
static bool masses_by(const ac_jet m[DUAL], int parameter, double by[DUAL])
{
    bool any = false;
    for (int k = 0; k < DUAL; ++k) {
        int at = ac_jet_place(m[k].by, m[k].count, parameter);
        by[k] = at < 0 ? 0.0 : m[k].d[at];
        any = any || at >= 0;
    }
    return any;
}

static void node_slopes(const ac_discrete_point *p, int at, const double by[DUAL], int parameter,
                        ac_slope_sink sink, void *user)
{
    double s[DUAL], pull[DUAL];
    ac_relative_between(p->a + at, p->b + at, s);
    for (int k = 0; k < DUAL; ++k) s[k] *= 4.0 / p->h * by[k];
    ac_dual_pull_left(s, p->b + at, pull);
    for (int k = 0; k < DUAL; ++k) sink(user, 0, at + k, AC_BY_P, parameter, pull[k]);
    ac_dual_pull_right(s, p->a + at, pull);
    for (int k = 0; k < DUAL; ++k) sink(user, 1, at + k, AC_BY_P, parameter, pull[k]);
}

void ac_relative_parameter_slopes(const ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink,
                                  void *user)
{
    const ac_jet *masses = d->vary->inertia.relative;
    for (int i = 0; masses && i < d->system->node_count; ++i) {
        const ac_node *node = &d->system->nodes[i];
        double by[DUAL];
        for (int j = 0; ac_node_type_of(node)->relative && j < d->vary->count; ++j)
            if (masses_by(masses + DUAL * i, j, by)) node_slopes(p, node->q + AC_DUAL_AT, by, j, sink, user);
    }
}

/* By a parameter and the ends, and by it and the step: those of (4/h) sum by_k y_k z_k. */
static void node_curvature(const ac_discrete_point *p, int at, const double by[DUAL], const double y[DUAL],
                           const double z[DUAL], const double *wa, const double *wb, int parameter, bool by_h,
                           ac_curvature_sink sink, void *user)
{
    const double factor = 4.0 / p->h;
    double s[DUAL], t[DUAL], first[DUAL], second[DUAL], sum = 0.0;
    for (int k = 0; k < DUAL; ++k) {
        s[k] = factor * by[k] * y[k];
        t[k] = factor * by[k] * z[k];
        sum += s[k] * z[k];
    }
    ac_dual_pull_left(t, p->b + at, first);
    ac_dual_pull_left(s, wb, second);
    for (int k = 0; k < DUAL; ++k) sink(user, AC_BY_A, at + k, AC_BY_P, parameter, first[k] + second[k]);
    ac_dual_pull_right(t, p->a + at, first);
    ac_dual_pull_right(s, wa, second);
    for (int k = 0; k < DUAL; ++k) sink(user, AC_BY_B, at + k, AC_BY_P, parameter, first[k] + second[k]);
    if (by_h) sink(user, AC_BY_P, parameter, AC_BY_H, 0, -sum / p->h);
}

/* By two parameters: the second derivatives of the masses. */
static void put_bends(const ac_discrete_point *p, const ac_jet m[DUAL], const double y[DUAL],
                      const double z[DUAL], ac_curvature_sink sink, void *user)
{
    for (int k = 0; k < DUAL; ++k)
        for (int a = 0; m[k].dd && a < m[k].count; ++a)
            for (int b = 0; b <= a; ++b)
                sink(user, AC_BY_P, m[k].by[a], AC_BY_P, m[k].by[b],
                     4.0 / p->h * m[k].dd[a * m[k].count + b] * y[k] * z[k]);
}

void ac_relative_parameter_curvature(const ac_discrete *d, const ac_discrete_point *p, bool by_h,
                                     const double *wl, const double *wr, ac_curvature_sink sink, void *user)
{
    const ac_jet *masses = d->vary->inertia.relative;
    for (int i = 0; masses && i < d->system->node_count; ++i) {
        const ac_node *node = &d->system->nodes[i];
        const int at = node->q + AC_DUAL_AT;
        double by[DUAL], y[DUAL], z[DUAL], second[DUAL];
        if (!ac_node_type_of(node)->relative) continue;
        ac_relative_between(p->a + at, p->b + at, y);
        ac_dual_relative(wl + at, p->b + at, z);
        ac_dual_relative(p->a + at, wr + at, second);
        for (int k = 0; k < DUAL; ++k) z[k] += second[k];
        for (int j = 0; j < d->vary->count; ++j)
            if (masses_by(masses + DUAL * i, j, by))
                node_curvature(p, at, by, y, z, wl + at, wr + at, j, by_h, sink, user);
        put_bends(p, masses + DUAL * i, y, z, sink, user);
    }
}
