/* Second derivatives of gaps. Places and directions are linear in the coordinates of their node, x = X q, e = E q, so
 * that with d = x - y and D = [X, -Y]
 *
 *   plane       n . d             N^T D + D^T N
 *   sphere      |d|               D^T (1 - f f^T) D / |d|,   f = d / |d|
 *   ellipsoid   c sum (e . d / a)^2,   2 c / a^2 (grad y grad y^T + y y''),   y = e . d
 *
 * and those of joint limits are those of the measure.
 */
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "model/gap.h"

enum { WIDE = 2 * AC_NODE_MAX };

/* Rows of the linear maps on the coordinates of the moving nodes, point first. */
typedef struct maps {
    int size;
    double D[3][WIDE], E[3][WIDE]; /* of the difference; of a direction on the other node */
} maps;

int ac_gap_nodes(const ac_system *system, const ac_contact *c, int nodes[AC_ELEMENT_NODES])
{
    int count = 0;
    if (c->surface == AC_SURFACE_LIMIT) {
        const ac_measure *m = &system->measures[system->joints[c->joint].first_measure + c->coordinate];
        for (; count < m->node_count; ++count) nodes[count] = m->nodes[count];
        return count;
    }
    nodes[count++] = c->point.node;
    if (c->other.node != AC_GROUND) nodes[count++] = c->other.node;
    return count;
}

static void open_maps(const ac_system *system, const ac_point *point, const ac_point *other, maps *m)
{
    const ac_node *first = &system->nodes[point->node];
    memset(m, 0, sizeof *m);
    m->size = first->size;
    for (int i = 0; i < 3; ++i) {
        double f[3] = {0.0}, back[3] = {0.0};
        f[i] = 1.0;
        back[i] = -1.0;
        ac_node_place_gradient(first, point->place, f, m->D[i]);
        if (other->node == AC_GROUND) continue;
        ac_node_place_gradient(&system->nodes[other->node], other->place, back, m->D[i] + first->size);
    }
    if (other->node != AC_GROUND) m->size += system->nodes[other->node].size;
}

/* E of a direction on the other node; zero on the ground, where it does not change. */
static void turn(const ac_system *system, int first_size, const ac_point *direction, maps *m)
{
    memset(m->E, 0, sizeof m->E);
    for (int i = 0; direction->node != AC_GROUND && i < 3; ++i) {
        double f[3] = {0.0};
        f[i] = 1.0;
        ac_node_direction_gradient(&system->nodes[direction->node], direction->place, f,
                                   m->E[i] + first_size);
    }
}

/* block += factor (E^T D + D^T E) */
static void add_product(const maps *m, double factor, double *block)
{
    for (int a = 0; a < m->size; ++a)
        for (int b = 0; b < m->size; ++b) {
            double sum = 0.0;
            for (int i = 0; i < 3; ++i) sum += m->E[i][a] * m->D[i][b] + m->D[i][a] * m->E[i][b];
            block[a * m->size + b] += factor * sum;
        }
}

void ac_product_curvature(const ac_system *system, const ac_point *point, const ac_point *other,
                          const ac_point *direction, double *block)
{
    maps m;
    open_maps(system, point, other, &m);
    turn(system, system->nodes[point->node].size, direction, &m);
    memset(block, 0, (size_t)(m.size * m.size) * sizeof *block);
    add_product(&m, 1.0, block);
}

static void difference(const ac_system *system, const ac_contact *c, const double *q, double d[3])
{
    double x[3], y[3];
    ac_place_value(system, &c->point, q, x);
    ac_place_value(system, &c->other, q, y);
    sub3(x, y, d);
}

static void sphere(const ac_contact *c, const double d[3], const maps *m, double *block)
{
    double length = norm3(d), sign = c->inside ? -1.0 : 1.0;
    if (!(length > 0.0)) return;
    for (int a = 0; a < m->size; ++a)
        for (int b = 0; b < m->size; ++b) {
            double along_a = 0.0, along_b = 0.0, sum = 0.0;
            for (int i = 0; i < 3; ++i) {
                along_a += d[i] * m->D[i][a];
                along_b += d[i] * m->D[i][b];
                sum += m->D[i][a] * m->D[i][b];
            }
            block[a * m->size + b] += sign * (sum - along_a * along_b / (length * length)) / length;
        }
}

static void ellipsoid(const ac_system *system, const ac_contact *c, const double *q, const double d[3],
                      maps *m, double *block)
{
    double factor = 0.5 * ac_min(c->axes[0], ac_min(c->axes[1], c->axes[2])) * (c->inside ? -1.0 : 1.0);
    for (int k = 0; k < 3; ++k) {
        ac_point axis = {.node = c->other.node};
        double e[3], slope[WIDE], weight = 2.0 * factor / (c->axes[k] * c->axes[k]);
        axis.place[k] = 1.0;
        ac_direction_value(system, &axis, q, e);
        turn(system, system->nodes[c->point.node].size, &axis, m);
        for (int a = 0; a < m->size; ++a) {
            slope[a] = 0.0;
            for (int i = 0; i < 3; ++i) slope[a] += e[i] * m->D[i][a] + d[i] * m->E[i][a];
        }
        for (int a = 0; a < m->size; ++a)
            for (int b = 0; b < m->size; ++b) block[a * m->size + b] += weight * slope[a] * slope[b];
        add_product(m, weight * dot3(e, d), block);
    }
}

static void limit(const ac_system *system, const ac_contact *c, const double *q, const double *winding,
                  double *block)
{
    int number = system->joints[c->joint].first_measure + c->coordinate;
    const ac_measure *m = &system->measures[number];
    double x[AC_ELEMENT_MAX], slope[AC_ELEMENT_MAX];
    int size = ac_measure_size(system, m);
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[number], slope, block);
    for (int i = 0; c->upper && i < size * size; ++i) block[i] = -block[i];
}

void ac_gap_curvature(const ac_system *system, const ac_contact *c, const double *q, const double *winding,
                      double *block)
{
    if (c->surface == AC_SURFACE_LIMIT) {
        limit(system, c, q, winding, block);
        return;
    }
    if (c->surface == AC_SURFACE_PLANE) {
        ac_point normal = {.node = c->other.node};
        copy3(c->normal, normal.place);
        ac_product_curvature(system, &c->point, &c->other, &normal, block);
        return;
    }
    maps m;
    double d[3];
    open_maps(system, &c->point, &c->other, &m);
    memset(block, 0, (size_t)(m.size * m.size) * sizeof *block);
    difference(system, c, q, d);
    if (c->surface == AC_SURFACE_SPHERE) {
        sphere(c, d, &m, block);
    } else {
        ellipsoid(system, c, q, d, &m, block);
    }
}
