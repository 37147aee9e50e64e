/* Adjoint variables of the motion found: multipliers mu of the equations of motion, as velocities D mu.
 *
 * The row of a node is D^T (p + left) = 0, or right - p at the last one; so a change of the momentum by an impulse changes
 * the objective by D mu times the impulse. Where no row is posed, the objective does not depend on the momentum. */
#include <string.h>

#include "optimize/problem/optimization.h"

static void take_rows(const ac_optimization *o, int node, double *by)
{
    const ac_optimization_layout *l = &o->layout;
    int first = l->dynamics_row[node], count = node == l->N ? l->end.row_count : l->width;
    const double *D = l->charted ? ac_point_of(o, node).D : NULL;
    for (int r = 0; r < count && first >= 0; ++r) {
        int f = node == l->N ? l->end.rows[r] : r;
        double mu = o->found.multipliers[first + r];
        if (!D) by[f] = mu;
        for (int i = 0; D && i < l->n; ++i) by[i] += mu * D[i * l->span + f];
    }
}

bool ac_optimization_adjoint(const ac_optimization *o, int node, double *by)
{
    size_t n = (size_t)o->system->n;
    if (o->description.phases || o->transcription >= AC_COLLOCATION_QP) return false;
    if (!o->found.adjoint && (!o->layout.ready || o->found.outcome.rounds == 0)) return false;
    memset(by, 0, n * sizeof *by);
    if (o->found.adjoint)
        memcpy(by, o->found.adjoint + (size_t)node * n, n * sizeof *by);
    else
        take_rows(o, node, by);
    for (size_t i = 0; i < n; ++i) by[i] = ac_objective_asked(o, by[i]);
    return true;
}
