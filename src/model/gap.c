/* Gaps of contacts.
 *
 *   plane       g = n . (x - y) - r                 n fixed in the node of y
 *   sphere      g = |x - y| - r - R,  within: R - r - |x - y|
 *   ellipsoid   g = c (S - 1),  within: c (1 - S),   S = sum (e_i . (x - y) / a_i)^2,  c = half the smallest a
 *   limit       g = y - limit,  upper: limit - y
 */
#include "model/gap.h"

#include <math.h>

#include "base/vector.h"
#include "math/math.h"

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

void ac_direction_value(const ac_system *system, const ac_point *direction, const double *q, double e[3])
{
    const ac_node *node = node_of(system, direction->node);
    const double *d = direction->place;
    copy3(d, e);
    if (!node || ac_node_turns(node) == 0) return;
    const double *x = q + node->q;
    if (ac_node_turns(node) == 1) {
        e[0] = d[0] * x[2] - d[1] * x[3];
        e[1] = d[0] * x[3] + d[1] * x[2];
        e[2] = 0.0;
        return;
    }
    for (int i = 0; i < 3; ++i) e[i] = d[0] * x[3 + i] + d[1] * x[6 + i] + d[2] * x[9 + i];
}

void ac_place_value(const ac_system *system, const ac_point *point, const double *q, double x[3])
{
    const ac_node *node = node_of(system, point->node);
    if (node && ac_node_turns(node) == 0) {
        x[0] = x[1] = x[2] = 0.0;
    } else {
        ac_direction_value(system, point, q, x);
    }
    for (int i = 0; node && i < node->dimension; ++i) x[i] += q[node->q + i];
}

void ac_node_direction_gradient(const ac_node *node, const double d[3], const double f[3], double *at)
{
    if (ac_node_turns(node) == 0) return;
    if (ac_node_turns(node) == 1) {
        at[2] += d[0] * f[0] + d[1] * f[1];
        at[3] += d[0] * f[1] - d[1] * f[0];
        return;
    }
    for (int I = 0; I < 3; ++I)
        for (int i = 0; i < 3; ++i) at[3 + 3 * I + i] += d[I] * f[i];
}

void ac_node_place_gradient(const ac_node *node, const double place[3], const double f[3], double *at)
{
    for (int i = 0; i < node->dimension; ++i) at[i] += f[i];
    ac_node_direction_gradient(node, place, f, at);
}

void ac_direction_gradient(const ac_system *system, const ac_point *direction, const double f[3], double *out)
{
    const ac_node *node = node_of(system, direction->node);
    if (node) ac_node_direction_gradient(node, direction->place, f, out + node->q);
}

void ac_place_gradient(const ac_system *system, const ac_point *point, const double f[3], double *out)
{
    const ac_node *node = node_of(system, point->node);
    if (node) ac_node_place_gradient(node, point->place, f, out + node->q);
}

void ac_direction_of(const ac_system *system, int number, const double *q, const double e[3],
                     double direction[3])
{
    const ac_node *node = node_of(system, number);
    copy3(e, direction);
    if (!node || ac_node_turns(node) == 0) return;
    double position[3], rotation[9];
    ac_node_get_pose(node, q + node->q, position, rotation);
    apply_transposed3(rotation, e, direction);
}

void ac_place_of(const ac_system *system, int number, const double *q, const double x[3], double place[3])
{
    const ac_node *node = node_of(system, number);
    double own[3];
    copy3(x, own);
    for (int i = 0; node && i < node->dimension; ++i) own[i] -= q[node->q + i];
    ac_direction_of(system, number, q, own, place);
}

/* d = x - y */
static void difference(const ac_system *system, const ac_contact *c, const double *q, double d[3])
{
    double x[3], y[3];
    ac_place_value(system, &c->point, q, x);
    ac_place_value(system, &c->other, q, y);
    sub3(x, y, d);
}

/* The gradient of a gap with the slope f by x and -f by y. */
static void spread(const ac_system *system, const ac_contact *c, const double f[3], double *gradient)
{
    const double back[3] = {-f[0], -f[1], -f[2]};
    ac_place_gradient(system, &c->point, f, gradient);
    ac_place_gradient(system, &c->other, back, gradient);
}

static double plane(const ac_system *system, const ac_contact *c, const double *q, double *gradient)
{
    ac_point normal = {.node = c->other.node};
    double d[3], n[3];
    copy3(c->normal, normal.place);
    difference(system, c, q, d);
    ac_direction_value(system, &normal, q, n);
    if (gradient) {
        spread(system, c, n, gradient);
        ac_direction_gradient(system, &normal, d, gradient);
    }
    return dot3(n, d) - c->radius;
}

static double sphere(const ac_system *system, const ac_contact *c, const double *q, double *gradient)
{
    double d[3], f[3], sign = c->inside ? -1.0 : 1.0;
    difference(system, c, q, d);
    double length = norm3(d);
    for (int i = 0; i < 3; ++i) f[i] = length > 0.0 ? sign * d[i] / length : 0.0;
    if (gradient) spread(system, c, f, gradient);
    return c->inside ? c->other_radius - c->radius - length : length - c->radius - c->other_radius;
}

static double ellipsoid(const ac_system *system, const ac_contact *c, const double *q, double *gradient)
{
    double d[3], f[3] = {0.0}, S = 0.0;
    double factor = 0.5 * ac_min(c->axes[0], ac_min(c->axes[1], c->axes[2])) * (c->inside ? -1.0 : 1.0);
    difference(system, c, q, d);
    for (int k = 0; k < 3; ++k) {
        ac_point axis = {.node = c->other.node};
        double e[3], slope[3];
        axis.place[k] = 1.0;
        ac_direction_value(system, &axis, q, e);
        double y = dot3(e, d) / c->axes[k], by_y = 2.0 * factor * y / c->axes[k];
        S += y * y;
        for (int i = 0; i < 3; ++i) {
            f[i] += by_y * e[i];
            slope[i] = by_y * d[i];
        }
        if (gradient) ac_direction_gradient(system, &axis, slope, gradient);
    }
    if (gradient) spread(system, c, f, gradient);
    return factor * (S - 1.0);
}

static double limit(const ac_system *system, const ac_contact *c, const double *q, const double *winding,
                    double *gradient)
{
    int number = system->joints[c->joint].first_measure + c->coordinate;
    const ac_measure *m = &system->measures[number];
    double x[AC_ELEMENT_MAX], slope[AC_ELEMENT_MAX], sign = c->upper ? -1.0 : 1.0;
    ac_measure_gather(system, m, q, x);
    double y = ac_measure_evaluate(system, m, x, winding[number], slope, NULL);
    for (int e = 0, at = 0; gradient && e < m->node_count; ++e) {
        const ac_node *node = &system->nodes[m->nodes[e]];
        for (int i = 0; i < node->size; ++i) gradient[node->q + i] += sign * slope[at++];
    }
    return sign * (y - c->limit);
}

double ac_gap_value(const ac_system *system, const ac_contact *c, const double *q, const double *winding,
                    double *gradient)
{
    if (gradient) memset(gradient, 0, (size_t)system->n * sizeof *gradient);
    switch (c->surface) {
    case AC_SURFACE_PLANE: return plane(system, c, q, gradient);
    case AC_SURFACE_SPHERE: return sphere(system, c, q, gradient);
    case AC_SURFACE_ELLIPSOID: return ellipsoid(system, c, q, gradient);
    default: return limit(system, c, q, winding, gradient);
    }
}

/* x - y in parts of the distance at which it touches, in the axes of the ellipsoid. */
static void in_parts(const ac_system *system, const ac_contact *c, const double *q, double u[3])
{
    double d[3];
    difference(system, c, q, d);
    if (c->surface == AC_SURFACE_SPHERE) {
        for (int i = 0; i < 3; ++i) u[i] = d[i] / (c->radius + c->other_radius);
        return;
    }
    ac_direction_of(system, c->other.node, q, d, u);
    for (int i = 0; i < 3; ++i) u[i] /= c->axes[i];
}

double ac_gap_steepness(const ac_system *system, const ac_contact *c, const double *q)
{
    double u[3];
    if (c->surface != AC_SURFACE_ELLIPSOID) return 1.0;
    in_parts(system, c, q, u);
    for (int i = 0; i < 3; ++i) u[i] /= c->axes[i];
    return ac_min(c->axes[0], ac_min(c->axes[1], c->axes[2])) * norm3(u);
}

bool ac_gap_crossed(const ac_system *system, const ac_contact *c, const double *qa, const double *qb,
                    double *part)
{
    double a[3], b[3], way[3], nearest[3];
    if (c->inside || (c->surface != AC_SURFACE_SPHERE && c->surface != AC_SURFACE_ELLIPSOID)) return false;
    in_parts(system, c, qa, a);
    in_parts(system, c, qb, b);
    sub3(b, a, way);
    double square = dot3(way, way), along = -dot3(a, way);
    if (!(along > 0.0 && along < square)) return false;
    *part = along / square;
    for (int i = 0; i < 3; ++i) nearest[i] = a[i] + *part * way[i];
    return dot3(nearest, nearest) < 1.0;
}

/* The direction in which the gap of a surface opens. */
static void opening(const ac_system *system, const ac_contact *c, const double *q, double n[3])
{
    double d[3];
    difference(system, c, q, d);
    ac_point axis = {.node = c->other.node};
    if (c->surface == AC_SURFACE_PLANE) {
        copy3(c->normal, axis.place);
        ac_direction_value(system, &axis, q, n);
        return;
    }
    copy3(d, n);
    if (c->surface == AC_SURFACE_ELLIPSOID) {
        double own[3];
        ac_direction_of(system, c->other.node, q, d, own);
        for (int i = 0; i < 3; ++i) axis.place[i] = own[i] / (c->axes[i] * c->axes[i]);
        ac_direction_value(system, &axis, q, n);
    }
    double length = norm3(n);
    for (int i = 0; i < 3; ++i) n[i] = length > 0.0 ? (c->inside ? -n[i] : n[i]) / length : 0.0;
}

void ac_gap_place(const ac_system *system, const ac_contact *c, const double *q, double x[3],
                  double normal[3])
{
    if (c->surface == AC_SURFACE_LIMIT) {
        const ac_measure *m = &system->measures[system->joints[c->joint].first_measure + c->coordinate];
        ac_point seen = {.node = m->end};
        copy3(m->place, seen.place);
        ac_place_value(system, &seen, q, x);
        normal[0] = normal[1] = normal[2] = 0.0;
        return;
    }
    ac_place_value(system, &c->point, q, x);
    opening(system, c, q, normal);
    for (int i = 0; i < 3; ++i) x[i] -= c->radius * normal[i];
}

int ac_gap_tangents(const ac_system *system, const ac_contact *c, const double normal[3],
                    double tangents[2][3])
{
    if (c->surface == AC_SURFACE_LIMIT) return 0;
    int dimension = system->nodes[c->point.node].dimension;
    if (dimension == 1) return 0;
    if (dimension == 2) {
        const double along[3] = {normal[1], -normal[0], 0.0};
        copy3(along, tangents[0]);
        return 1;
    }
    int least = 0;
    double axis[3] = {0.0};
    for (int i = 1; i < 3; ++i)
        if (fabs(normal[i]) < fabs(normal[least])) least = i;
    axis[least] = 1.0;
    cross3(axis, normal, tangents[0]);
    double length = norm3(tangents[0]);
    for (int i = 0; i < 3; ++i) tangents[0][i] /= length;
    cross3(normal, tangents[0], tangents[1]);
    return 2;
}
