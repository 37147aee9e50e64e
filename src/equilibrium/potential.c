/* Have the loads a potential here? A torque that keeps its direction on a node that turns in space has none,
 * nor has a force that turns with its body. Then the tangent is not symmetric, its eigenvalues may be
 * complex, and the signs of its symmetric part say nothing about stability.
 *
 * With f' the slope of the loads, the part of the tangent that is not symmetric is (f'^T - f') / 2 between
 * the motions that the constraints allow: in equilibrium everything else in it is symmetric. One motion that is in
 * no way special shows whether it vanishes. It is compared with the loads themselves, so that neither
 * their size nor the stiffness matters. */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "action/element.h"
#include "action/load.h"
#include "math/math.h"

static const double ROUNDING = 1e-9; /* beside the slopes of the loads */

/* out += level (f' - f'^T) v for the load k; returns how large the terms of it are, N per unit of motion. */
static double add_skew(const ac_equilibrium *e, int k, const double *v, double *out)
{
    const ac_system *system = e->system;
    double slope[AC_ELEMENT_MAX * AC_ELEMENT_MAX], terms = 0.0, level = ac_equilibrium_level(e, k);
    int nodes[2], place[AC_ELEMENT_MAX], size = 0;
    bool turns[AC_ELEMENT_MAX];
    int count = ac_load_slope(system, k, e->settings.time, 0.0, e->now.q, e->winding, nodes, slope);
    for (int i = 0; i < count; ++i) {
        const ac_node *node = &system->nodes[nodes[i]];
        for (int c = 0; c < node->size; ++c, ++size) {
            place[size] = node->q + c;
            turns[size] = c >= node->dimension;
        }
    }
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            double term = level * slope[i * size + j], arm = system->length_scale;
            out[place[i]] += term * v[place[j]];
            out[place[j]] -= term * v[place[i]];
            terms += fabs(term * v[place[j]]) / (turns[i] ? arm : 1.0);
            terms += fabs(term * v[place[i]]) / (turns[j] ? arm : 1.0);
        }
    return terms;
}

/* Takes away what the constraints forbid, or carry. */
static ac_status leave_constraints(ac_equilibrium *e, double *x, double *lambda)
{
    AC_TRY(ac_legendre_multipliers(&e->legendre, e->now.q, x, lambda));
    ac_constraints_add_force(e->system, e->now.q, lambda, 0, e->system->constraints.count, -1.0, x);
    return AC_OK;
}

/* What the loads make of one motion; `work`: 2 n + constraints numbers. */
static ac_status is_symmetric(ac_equilibrium *e, double *work, bool *is)
{
    const ac_system *system = e->system;
    double *v = work, *f = v + system->n, *lambda = f + system->n, terms = 0.0, square = 0.0;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int c = 0; c < node->size; ++c)
            v[node->q + c] = ac_cos(1.0 + 3.0 * (node->q + c)) *
                             (c < node->dimension ? system->length_scale : 1.0);
    }
    AC_TRY(leave_constraints(e, v, lambda));
    for (int k = 0; k < system->load_count; ++k) terms += add_skew(e, k, v, f);
    AC_TRY(leave_constraints(e, f, lambda));
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int c = 0; c < node->size; ++c) {
            double part = f[node->q + c] / (c < node->dimension ? 1.0 : system->length_scale);
            square += part * part;
        }
    }
    *is = sqrt(square) <= ROUNDING * terms;
    return AC_OK;
}

ac_status ac_equilibrium_has_potential(ac_equilibrium *e, bool *has)
{
    double *work;
    *has = true;
    if (!ac_is_loaded(e->system)) return AC_OK;
    AC_NEW(e->ctx, work, 2 * (size_t)e->system->n + (size_t)e->system->constraints.count + 1);
    ac_status status = is_symmetric(e, work, has);
    ac_release(e->ctx, work);
    return status;
}
