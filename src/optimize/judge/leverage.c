/* Dead points: controls that move nothing at the start.
 *
 * A control on a joint coordinate y has leverage where y changes with some motion that the joints allow,
 * dy/dq . P u != 0. At a dead point of a mechanism, such as a slider crank in one line that is pushed at its slider, it has
 * none: whatever the control is, the mechanism stays there, and a solver sees equations without a gradient.
 */
#include <math.h>
#include <stdio.h>

#include "linalg/dense.h"
#include "math/math.h"
#include "optimize/judge/doubts.h"
#include "tree/kinematics.h"

static const double RANK = 1e-9;     /* of the closure, as in assembly */
static const double LEVERAGE = 1e-9; /* rate of the coordinate, in parts of the largest velocity: none */
enum { ENTRIES_MOST = 1000000 };

typedef struct motions {
    const ac_system *system;
    int m, n, k; /* loop equations, tree freedoms, motions */
    double *doubles, *columns, *J, *N, *u, *twists, *v;
    int *ints;
} motions;

static ac_status create(ac_context *ctx, motions *w)
{
    const ac_system *system = w->system;
    size_t n = (size_t)w->n, m = (size_t)w->m, nodes = (size_t)system->node_count;
    size_t space = w->m > 0 ? ac_row_space_doubles(w->m, w->n) : 0;
    AC_NEW(ctx, w->doubles, space + 6 * n + m * n + n * n + n + 6 * nodes + (size_t)system->n);
    w->columns = w->doubles + space;
    w->J = w->columns + 6 * n;
    w->N = w->J + m * n;
    w->u = w->N + n * n;
    w->twists = w->u + n;
    w->v = w->twists + 6 * nodes;
    if (w->m > 0) AC_NEW(ctx, w->ints, ac_row_space_ints(w->m, w->n));
    return AC_OK;
}

/* A basis of the motions that the joints allow at the start. */
static void find_motions(motions *w)
{
    const ac_system *system = w->system;
    ac_row_space space;
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    w->k = w->n;
    if (w->m == 0) {
        for (int i = 0; i < w->n; ++i) w->N[i * w->n + i] = 1.0;
        return;
    }
    ac_closure_jacobian(system, w->columns, system->initial.q, w->J);
    ac_row_space_place(&space, w->m, w->n, w->doubles, w->ints);
    ac_row_space_factor(&space, w->J, RANK, w->m);
    w->k = w->n - space.rank;
    ac_row_space_null(&space, w->N);
}

static bool has_leverage(const motions *w, const ac_measure *measure)
{
    const ac_system *system = w->system;
    double x[AC_ELEMENT_MAX], dx[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX];
    ac_measure_gather(system, measure, system->initial.q, x);
    ac_measure_evaluate(system, measure, x, 0.0, gradient, NULL);
    for (int c = 0; c < w->k; ++c) {
        double rate = 0.0, size = 0.0;
        for (int i = 0; i < w->n; ++i) w->u[i] = w->N[i * w->k + c];
        ac_tree_twists(system, w->columns, system->initial.q, w->u, w->twists);
        ac_tree_velocity(system, system->initial.q, w->twists, w->v);
        ac_measure_gather(system, measure, w->v, dx);
        for (int i = 0; i < ac_measure_size(system, measure); ++i) rate += gradient[i] * dx[i];
        for (int i = 0; i < system->n; ++i) size = ac_max(size, fabs(w->v[i]));
        if (fabs(rate) > LEVERAGE * size) return true;
    }
    return false;
}

/* The first control on a joint without leverage; -1: none. */
static int first_dead(const ac_optimization *o, const motions *w)
{
    for (int k = 0; k < o->description.control_count; ++k) {
        const ac_control *control = &o->description.controls[k].given;
        if (control->type != AC_LOAD_JOINT) continue;
        const ac_joint_data *joint = &w->system->joints[control->joint];
        if (joint->first_measure < 0 || ac_row_is_ball(joint->row)) continue;
        if (!has_leverage(w, &w->system->measures[joint->first_measure + control->coordinate])) return k;
    }
    return -1;
}

ac_status ac_name_dead_point(const ac_optimization *o, char *text, size_t size)
{
    const ac_system *system = o->system;
    motions w = {.system = system,
                 .m = system->constraints.count - system->constraints.closure,
                 .n = system->tree.freedoms};
    *text = '\0';
    bool large = (double)w.n * (w.n + 2.0 * w.m) > ENTRIES_MOST;
    if (o->description.phases || !o->settings.start_fixed || large || w.n == 0) return AC_OK;
    ac_status status = create(o->ctx, &w);
    if (status == AC_OK) {
        find_motions(&w);
        int k = first_dead(o, &w);
        if (k >= 0)
            snprintf(
                text, size,
                "the start is a dead point: no motion from there changes the coordinate of joint '%.60s', so "
                "control '%.60s' has no leverage; start beside it",
                system->joints[o->description.controls[k].given.joint].name, o->description.controls[k].name);
    }
    ac_release(o->ctx, w.doubles);
    ac_release(o->ctx, w.ints);
    return status;
}

ac_status ac_optimization_dead_point(const ac_optimization *optimization, char *text, size_t size)
{
    return ac_name_dead_point(optimization, text, size);
}
