/* Measures: lengths, slides and angles of one or two nodes, as functions of quadratic maps.
 *
 *   value    y = kappa
 *   length   y = sqrt(kappa),            kappa = |x_b - x_a|^2
 *   angle    y = atan2(sine, cosine),    sine = a_y . b_x, cosine = a_x . b_x, continued over full turns
 */
#include <string.h>

#include "base/chain.h"
#include "model/system.h"

_Static_assert((int)AC_CHAIN_MAX >= (int)AC_ELEMENT_MAX, "a measure may touch all coordinates of an element");

int ac_measure_size(const ac_system *system, const ac_measure *measure)
{
    int size = 0;
    for (int k = 0; k < measure->node_count; ++k) size += system->nodes[measure->nodes[k]].size;
    return size;
}

void ac_measure_gather(const ac_system *system, const ac_measure *measure, const double *q, double *x)
{
    int place = 0;
    for (int k = 0; k < measure->node_count; ++k) {
        const ac_node *node = &system->nodes[measure->nodes[k]];
        memcpy(x + place, q + node->q, (size_t)node->size * sizeof *x);
        place += node->size;
    }
}

ac_outer ac_measure_outer(ac_measure_kind kind)
{
    return (ac_outer){.kind = kind == AC_MEASURE_ANGLE    ? AC_OUTER_ANGLE
                              : kind == AC_MEASURE_LENGTH ? AC_OUTER_LENGTH
                                                          : AC_OUTER_VALUE,
                      .maps = kind == AC_MEASURE_ANGLE ? 2 : 1,
                      .factor = 1.0};
}

ac_chain ac_measure_chain(const ac_system *system, const ac_measure *m)
{
    return (ac_chain){&system->measure_forms, m->first_form, ac_measure_size(system, m),
                      ac_measure_outer(m->kind)};
}

double ac_measure_evaluate(const ac_system *system, const ac_measure *m, const double *x, double winding,
                           double *gradient, double *hessian)
{
    const ac_chain chain = ac_measure_chain(system, m);
    return ac_chain_evaluate(&chain, x, winding, gradient, hessian);
}

void ac_measures_wind(const ac_system *system, const double *q, double *winding)
{
    double x[AC_ELEMENT_MAX];
    for (int k = 0; k < system->measure_count; ++k) {
        const ac_measure *m = &system->measures[k];
        if (m->kind != AC_MEASURE_ANGLE) continue;
        ac_measure_gather(system, m, q, x);
        winding[k] = ac_measure_evaluate(system, m, x, winding[k], NULL, NULL);
    }
}

void ac_measure_discrete(const ac_system *system, const ac_measure *m, const double *xa, const double *xb,
                         double winding, double *ya, double *yb, double *D, double *slope)
{
    const ac_chain chain = ac_measure_chain(system, m);
    double ends[2];
    ac_chain_secant(&chain, xa, xb, winding, ends, D, NULL, slope);
    *ya = ends[0];
    *yb = ends[1];
}
