/* Unit dual quaternions in the chart by free parameters. Parameters shift places x and leave the real parts r alone, so that the
 * dual part x r / 2 has the derivatives
 *
 *   x_p r / 2,      (x_bp r + x_p r_b) / 2,      (x_abp r + x_ap r_b + x_bp r_a + x_p r_ab) / 2
 *
 * by a parameter p and freedoms a and b. Sums with x_..p r follow from those of places, by forces on them that do the same
 * work. */
#include <string.h>

#include "action/chart/chart.h"
#include "base/dual_quaternion.h"

enum { DUAL_PART = AC_DUAL_AT + 4 };

ac_status ac_chart_follow_dual(ac_chart *c)
{
    ac_release(c->ctx, c->columns);
    ac_release(c->ctx, c->forces);
    c->columns = c->forces = NULL;
    if (c->system->mesh.dual_nodes == 0 || !c->vary) return AC_OK;
    AC_NEW(c->ctx, c->columns, c->n * c->span);
    AC_NEW(c->ctx, c->forces, c->n);
    return AC_OK;
}

static bool is_dual(const ac_chart *c, int node)
{
    return c->system->nodes[node].kind == AC_NODE_DUAL;
}

/* out = x r / 2 with the place of column `column` of the rows of x */
static void half_product(const ac_chart *c, const ac_node *node, const double *x, int column, const double *r,
                         double out[4])
{
    double place[4] = {0.0};
    for (int e = 0; e < 3; ++e) place[1 + e] = 0.5 * x[(node->q + e) * c->span + column];
    ac_quaternion_multiply(place, r, out);
}

void ac_chart_dual_columns(const ac_chart *c, const double *x, const double *r, double *rows)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        for (int column = c->freedoms; is_dual(c, i) && column < c->span; ++column) {
            double part[4];
            half_product(c, node, x, column, r + node->q + AC_DUAL_AT, part);
            for (int e = 0; e < 4; ++e) rows[(node->q + DUAL_PART + e) * c->span + column] += part[e];
        }
    }
}

void ac_chart_dual_forces(const ac_chart *c, const double *r, const double *f, double *out)
{
    memset(out, 0, (size_t)c->n * sizeof *out);
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        double force[4];
        if (!is_dual(c, i)) continue;
        ac_quaternion_quotient(f + node->q + DUAL_PART, r + node->q + AC_DUAL_AT,
                               force); /* f . (x r) = x . (f conj(r)) */
        for (int e = 0; e < 3; ++e) out[node->q + e] = 0.5 * force[1 + e];
    }
}

void ac_chart_dual_real(const ac_chart *c, const ac_chart_point *p, const double *mu, double *out)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        int first = c->system->nodes[i].q + AC_DUAL_AT, count;
        const int *path = ac_chart_path(c, i, &count);
        for (int e = first; is_dual(c, i) && e < first + 4; ++e) {
            out[e] = 0.0;
            for (int k = 0; k < count; ++k) out[e] += p->D[e * c->span + path[k]] * mu[path[k]];
        }
    }
}

/* By all parameters and the freedom f, which turns a node. */
static void add_turn(const ac_chart *c, const ac_node *node, const double *x, const double *r, int f,
                     const double *force, double *H)
{
    double real[4], part[4];
    for (int e = 0; e < 4; ++e) real[e] = r[(node->q + AC_DUAL_AT + e) * c->span + f];
    for (int column = c->freedoms; column < c->span; ++column) {
        double work = 0.0;
        half_product(c, node, x, column, real, part);
        for (int e = 0; e < 4; ++e) work += force[e] * part[e];
        H[f * c->span + column] += work;
        H[column * c->span + f] += work;
    }
}

void ac_chart_dual_turns(const ac_chart *c, const double *x, const double *r, const double *f, double *H)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        int count;
        const int *path = ac_chart_path(c, i, &count);
        for (int k = 0; is_dual(c, i) && k < count; ++k)
            add_turn(c, node, x, r, path[k], f + node->q + DUAL_PART, H);
    }
}
