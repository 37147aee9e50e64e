/* Unit dual quaternions in the chart. Every freedom moves the poses further out by a screw s = w + eps m in world axes, as a
 * left factor exp(xi s / 2), so that with freedoms ordered from the root outwards, a <= b <= c,
 *
 *   d_c q~ = s_c q~ / 2,      d_b d_c q~ = s_b s_c q~ / 4,      d_a d_b d_c q~ = s_a s_b s_c q~ / 8
 *
 * Sums along a direction mu follow from S_c = sum over a <= c of mu_a s_a and the sum S of all on the path of the node:
 *
 *   V_c  = sum_a mu_a d_a d_c q~     = [S_c s_c + s_c (S - S_c)] q~ / 4
 *   T_bc = sum_a mu_a d_a d_b d_c q~ = s_b V_c / 2 + (S_b x s_b) d_c q~ / 2,     s r - r s = 2 s x r
 *
 * A swing, which is no screw, must not carry such a node. */
#include <string.h>

#include "action/chart/chart.h"
#include "base/dual_quaternion.h"
#include "base/vector.h"

enum { DUAL = 8, SCREW = 6 }; /* a screw as a twist (m, w) at the origin */

static const double ORIGIN[3] = {0.0, 0.0, 0.0};

ac_status ac_chart_begin_dual(ac_chart *c)
{
    if (c->system->mesh.dual_nodes == 0) return AC_OK;
    AC_NEW(c->ctx, c->screws, SCREW * c->freedoms);
    AC_NEW(c->ctx, c->sums, SCREW * c->freedoms);
    AC_NEW(c->ctx, c->wrenches, 2 * SCREW * c->freedoms);
    return AC_OK;
}

void ac_chart_end_dual(ac_chart *c)
{
    ac_release(c->ctx, c->screws);
    ac_release(c->ctx, c->sums);
    ac_release(c->ctx, c->wrenches);
    ac_release(c->ctx, c->columns);
    ac_release(c->ctx, c->forces);
}

bool ac_chart_swings_dual(const ac_chart *c)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        int count;
        const int *path = ac_chart_path(c, i, &count);
        for (int k = 0; c->system->nodes[i].kind == AC_NODE_DUAL && k < count; ++k)
            if (c->motion[path[k]] == AC_MOTION_SWING) return true;
    }
    return false;
}

/* The screws, from the velocity that each freedom gives the place of the node it moves. */
static void find_screws(const ac_chart *c, const ac_chart_point *p)
{
    for (int f = 0; f < c->freedoms; ++f) {
        const ac_node *node = &c->system->nodes[c->holder[f]];
        double *s = c->screws + SCREW * f, x[3] = {0.0, 0.0, 0.0}, arm[3];
        memset(s, 0, SCREW * sizeof *s);
        for (int e = 0; e < node->dimension; ++e) {
            x[e] = p->q[node->q + e];
            s[e] = p->D[(node->q + e) * c->span + f];
        }
        if (c->motion[f] != AC_MOTION_TURN) continue;
        copy3(p->axis + 3 * f, s + 3);
        cross3(x, s + 3, arm);
        add3(s, arm, s);
    }
}

/* S_c of all freedoms */
static void find_sums(const ac_chart *c, const double *mu)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        int count;
        const int *path = ac_chart_path(c, i, &count);
        for (int k = 0; k < count; ++k)
            for (int e = 0; e < SCREW; ++e) {
                double before = k > 0 ? c->sums[SCREW * path[k - 1] + e] : 0.0;
                c->sums[SCREW * path[k] + e] = before + mu[path[k]] * c->screws[SCREW * path[k] + e];
            }
    }
}

static void column(const ac_chart *c, const ac_node *node, const double *D, int f, double out[DUAL])
{
    for (int e = 0; e < DUAL; ++e) out[e] = D[(node->q + AC_DUAL_AT + e) * c->span + f];
}

/* V_c of a node, by the k-th freedom of its path */
static void along_of(const ac_chart *c, const ac_chart_point *p, const ac_node *node, const int *path,
                     int count, int k, double out[DUAL])
{
    const double *s = c->screws + SCREW * path[k], *S = c->sums + SCREW * path[k],
                 *all = c->sums + SCREW * path[count - 1];
    double rest[SCREW], d[DUAL], y[DUAL], second[DUAL];
    for (int e = 0; e < SCREW; ++e) rest[e] = all[e] - S[e];
    column(c, node, p->D, path[k], d);
    ac_dual_move(d, ORIGIN, S, out);
    ac_dual_move(p->q + node->q + AC_DUAL_AT, ORIGIN, rest, y);
    ac_dual_move(y, ORIGIN, s, second);
    for (int e = 0; e < DUAL; ++e) out[e] += second[e];
}

void ac_chart_dual_along(const ac_chart *c, const ac_chart_point *p, const double *mu, double *V)
{
    find_screws(c, p);
    find_sums(c, mu);
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        int count;
        const int *path = ac_chart_path(c, i, &count);
        for (int k = 0; node->kind == AC_NODE_DUAL && k < count; ++k) {
            double v[DUAL];
            along_of(c, p, node, path, count, k, v);
            for (int e = 0; e < DUAL; ++e) V[(node->q + AC_DUAL_AT + e) * c->span + path[k]] = v[e];
        }
    }
}

/* Per freedom c the sums over all nodes of the wrenches of f on d_c q~ and, unless `plain`, on V_c: s . wrench = f . s y / 2. */
static void gather_wrenches(const ac_chart *c, const ac_chart_point *p, const double *f, bool plain)
{
    memset(c->wrenches, 0, 2 * SCREW * (size_t)c->freedoms * sizeof *c->wrenches);
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        const double *force = f + node->q + AC_DUAL_AT;
        int count;
        const int *path = ac_chart_path(c, i, &count);
        for (int k = 0; node->kind == AC_NODE_DUAL && k < count; ++k) {
            double y[DUAL], *wrench = c->wrenches + 2 * SCREW * path[k];
            column(c, node, p->D, path[k], y);
            ac_dual_add_wrench(y, ORIGIN, force, wrench);
            if (plain) continue;
            along_of(c, p, node, path, count, k, y);
            ac_dual_add_wrench(y, ORIGIN, force, wrench + SCREW);
        }
    }
}

/* out = a x b of screws */
static void cross_screws(const double *a, const double *b, double out[SCREW])
{
    double second[3];
    cross3(a + 3, b + 3, out + 3);
    cross3(a + 3, b, out);
    cross3(a, b + 3, second);
    add3(out, second, out);
}

/* H += the sum over pairs b <= c that both move a node; mu: of third derivatives along it */
static void add_pairs(const ac_chart *c, bool third, double *H)
{
    int W = c->span;
    for (int last = 0; last < c->freedoms; ++last) {
        const double *wrench = c->wrenches + 2 * SCREW * last;
        int count;
        const int *path = ac_chart_path(c, c->holder[last], &count);
        for (int k = 0; k < count; ++k) {
            int b = path[k];
            const double *s = c->screws + SCREW * b;
            double turned[SCREW], value;
            if (third) {
                cross_screws(c->sums + SCREW * b, s, turned);
                value = dot6(s, wrench + SCREW) + dot6(turned, wrench);
            } else {
                value = dot6(s, wrench);
            }
            H[b * W + last] += value;
            if (b == last) break;
            H[last * W + b] += value;
        }
    }
}

void ac_chart_dual_second(const ac_chart *c, const ac_chart_point *p, const double *f, double *H)
{
    find_screws(c, p);
    gather_wrenches(c, p, f, true);
    add_pairs(c, false, H);
}

void ac_chart_dual_third(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu,
                         double *H)
{
    find_screws(c, p);
    find_sums(c, mu);
    gather_wrenches(c, p, f, false);
    add_pairs(c, true, H);
}
