/* Quantities of a configuration.
 *
 * The slope of a place along a direction is the force of a unit load there (action/load.h): both are B(q)^T. */
#include "observe/quantity.h"

#include <math.h>
#include <string.h>

#include "action/load.h"
#include "base/vector.h"

static void place_of(const ac_system *system, const ac_point *point, const double *q, double place[3])
{
    double origin[3], rotation[9], relative[3];
    copy3(point->place, place);
    if (point->node == AC_GROUND) return;
    const ac_node *node = &system->nodes[point->node];
    ac_node_get_pose(node, q + node->q, origin, rotation);
    for (int i = 0; i < 3; ++i) relative[i] = point->place[i] - node->centre[i];
    apply3(rotation, relative, place);
    for (int i = 0; i < 3; ++i) place[i] = ac_node_turns(node) == 0 ? origin[i] : origin[i] + place[i];
}

void ac_quantity_place(const ac_system *system, const ac_point *point, bool reference, const double *q,
                       double place[3])
{
    ac_point at = *point;
    if (reference) copy3(system->nodes[point->node].centre, at.place);
    place_of(system, &at, q, place);
}

static const ac_measure *measure_of(const ac_system *system, const ac_quantity *quantity, int *number)
{
    *number = system->joints[quantity->joint].first_measure + quantity->coordinate;
    return &system->measures[*number];
}

/* From the second place to the first. */
static double between(const ac_system *system, const ac_quantity *quantity, const double *q, double d[3])
{
    double a[3], b[3];
    place_of(system, &quantity->point, q, a);
    place_of(system, &quantity->second_point, q, b);
    for (int i = 0; i < 3; ++i) d[i] = a[i] - b[i];
    return norm3(d);
}

double ac_quantity_value(const ac_system *system, const double *winding, const ac_quantity *quantity,
                         const double *q)
{
    double a[3], rotation[9], origin[3], x[AC_ELEMENT_MAX];
    int number;
    switch (quantity->type) {
    case AC_QUANTITY_POINT: place_of(system, &quantity->point, q, a); return dot3(a, quantity->direction);
    case AC_QUANTITY_DISTANCE: return between(system, quantity, q, a);
    case AC_QUANTITY_DIRECTION: {
        const ac_node *node = &system->nodes[quantity->point.node];
        ac_node_get_pose(node, q + node->q, origin, rotation);
        apply3(rotation, quantity->axis, a);
        return dot3(a, quantity->direction);
    }
    default: {
        const ac_measure *measure = measure_of(system, quantity, &number);
        ac_measure_gather(system, measure, q, x);
        return ac_measure_evaluate(system, measure, x, winding[number], NULL, NULL);
    }
    }
}

/* How a place moves in the world when it moves in its node. */
static void carried(const ac_system *system, const ac_point *point, const double *q, const double by[3],
                    double out[3])
{
    double origin[3], rotation[9];
    copy3(by, out);
    if (point->node == AC_GROUND) return;
    const ac_node *node = &system->nodes[point->node];
    ac_node_get_pose(node, q + node->q, origin, rotation);
    apply3(rotation, by, out);
    for (int i = 0; i < 3 && ac_node_turns(node) == 0; ++i) out[i] = 0.0;
}

double ac_quantity_by_places(const ac_system *system, const ac_quantity *quantity, const double *q,
                             double by[2][3])
{
    double a[3], b[3], d[3];
    carried(system, &quantity->point, q, by[0], a);
    if (quantity->type == AC_QUANTITY_POINT) return dot3(a, quantity->direction);
    carried(system, &quantity->second_point, q, by[1], b);
    double length = between(system, quantity, q, d);
    for (int i = 0; i < 3; ++i) a[i] -= b[i];
    return length > 0.0 ? dot3(a, d) / length : 0.0;
}

/* By the coordinates of a node: of the place rho along d; without a place: of the axis rho along d. */
static void add_place(const ac_system *system, int number, const double rho[3], const double d[3], bool place,
                      double factor, double *by_q)
{
    if (number == AC_GROUND) return;
    const ac_node *node = &system->nodes[number];
    double f[AC_NODE_MAX] = {0.0}, at[3];
    for (int i = 0; i < 3; ++i) at[i] = place ? rho[i] - node->centre[i] : rho[i];
    ac_node_add_force(node, at, d, 1.0, f);
    for (int i = place ? 0 : node->dimension; i < node->size; ++i) by_q[node->q + i] += factor * f[i];
}

static void add_measure(const ac_system *system, const double *winding, const ac_quantity *quantity,
                        const double *q, double factor, double *by_q)
{
    int number, place = 0;
    const ac_measure *m = measure_of(system, quantity, &number);
    double x[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[number], f, NULL);
    for (int e = 0; e < m->node_count; ++e) {
        const ac_node *node = &system->nodes[m->nodes[e]];
        for (int i = 0; i < node->size; ++i) by_q[node->q + i] += factor * f[place + i];
        place += node->size;
    }
}

void ac_quantity_add_slope(const ac_system *system, const double *winding, const ac_quantity *quantity,
                           const double *q, double factor, double *by_q)
{
    const ac_point *point = &quantity->point, *second = &quantity->second_point;
    double d[3];
    switch (quantity->type) {
    case AC_QUANTITY_POINT:
        add_place(system, point->node, point->place, quantity->direction, true, factor, by_q);
        break;
    case AC_QUANTITY_DISTANCE: {
        double length = between(system, quantity, q, d);
        if (!(length > 0.0)) break; /* a kink */
        add_place(system, point->node, point->place, d, true, factor / length, by_q);
        add_place(system, second->node, second->place, d, true, -factor / length, by_q);
        break;
    }
    case AC_QUANTITY_DIRECTION:
        add_place(system, point->node, quantity->axis, quantity->direction, false, factor, by_q);
        break;
    default: add_measure(system, winding, quantity, q, factor, by_q);
    }
}
