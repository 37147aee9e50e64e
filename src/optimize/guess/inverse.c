/* Inverse dynamics: the controls that a guessed motion needs.
 *
 * The rows of the dynamics at a node are linear in the controls of the intervals beside it and in the
 * multipliers of the node. With the same controls on both sides they are solved in the least-squares
 * sense, node by node; an interval begins with the mean of what its two ends need. Every kind of control
 * takes part, and fewer controls than freedoms do what they can. */
#include <string.h>

#include "math/math.h"
#include "optimize/judge/reduce.h"
#include "optimize/problem/optimization.h"
#include "linalg/dense.h"

static const double RANK_TOLERANCE = 1e-9;

typedef struct inverse {
    ac_optimization *o;
    int rows,
        columns; /* of the system of a node at the most: rows of the dynamics; controls and multipliers */
    double *c, *jacobian, *A, *b, *x, *need, *work;
    int *ints;
    ac_row_space space;
} inverse;

static ac_status create(ac_optimization *o, inverse *s)
{
    s->o = o;
    s->rows = o->layout.width;
    s->columns = o->description.control_count + o->layout.used_constraints;
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    AC_NEW(o->ctx, s->c, o->layout.rows);
    AC_NEW(o->ctx, s->jacobian, o->layout.jacobian.entries);
    AC_NEW(o->ctx, s->A, rows * columns);
    AC_NEW(o->ctx, s->b, rows);
    AC_NEW(o->ctx, s->x, columns);
    AC_NEW(o->ctx, s->need, (size_t)(o->layout.N + 1) * (size_t)o->description.control_count + 1);
    AC_NEW(o->ctx, s->work, ac_row_space_doubles(s->columns, s->rows));
    AC_NEW(o->ctx, s->ints, ac_row_space_ints(s->columns, s->rows));
    ac_row_space_place(&s->space, s->columns, s->rows, s->work, s->ints);
    return AC_OK;
}

static void destroy(inverse *s)
{
    void *blocks[] = {s->c, s->jacobian, s->A, s->b, s->x, s->need, s->work, s->ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->o->ctx, blocks[k]);
}

/* Place of an unknown in the system of a node, -1: it is held. */
static int place_of(const ac_optimization *o, int node, int variable)
{
    int control = variable - o->layout.first.control, multiplier = variable - ac_multiplier(o, node);
    if (control >= 0 && control < o->layout.N * o->description.control_count) {
        int interval = control / o->description.control_count;
        return interval == node || interval == node - 1 ? control % o->description.control_count : -1;
    }
    return multiplier >= 0 && multiplier < o->layout.used_constraints
               ? o->description.control_count + multiplier
               : -1;
}

static void solve_node(inverse *s, int node)
{
    ac_optimization *o = s->o;
    int count = node == o->layout.N ? o->layout.end.row_count : o->layout.width;
    memset(s->A, 0, (size_t)s->rows * (size_t)s->columns * sizeof *s->A);
    memset(s->b, 0, (size_t)s->rows * sizeof *s->b);
    for (int r = 0; r < count; ++r) {
        int row = o->layout.dynamics_row[node] + r;
        s->b[r] = -s->c[row];
        for (int e = o->layout.jacobian.start[row]; e < o->layout.jacobian.start[row + 1]; ++e) {
            int k = place_of(o, node, o->layout.jacobian.column[e]);
            if (k >= 0) s->A[r * s->columns + k] += s->jacobian[e];
        }
    }
    ac_least_squares(&s->space, s->A, s->b, RANK_TOLERANCE, s->x);
    memcpy(s->need + node * o->description.control_count, s->x,
           (size_t)o->description.control_count * sizeof *s->x);
    for (int k = 0; k < o->layout.used_constraints; ++k)
        if (ac_has_multiplier(o, node, k))
            o->point.x[ac_multiplier(o, node) + k] = s->x[o->description.control_count + k];
}

static void put_controls(const inverse *s)
{
    ac_optimization *o = s->o;
    for (int n = 0; n < o->layout.N; ++n)
        for (int k = 0; k < o->description.control_count; ++k) {
            double sum = 0.0, share = 0.0;
            for (int node = n; node <= n + 1; ++node) {
                if (!ac_has_dynamics(o, node)) continue;
                sum += s->need[node * o->description.control_count + k];
                share += 1.0;
            }
            double value = share > 0.0 ? sum / share : 0.0;
            o->point.x[ac_control_variable(o, n) + k] = ac_min(
                o->description.controls[k].given.high, ac_max(o->description.controls[k].given.low, value));
        }
}

ac_status ac_guess_inverse(ac_optimization *o)
{
    /* spins that nothing controls react to wrong forces with large turns: the guess needs the right ones */
    bool wanted = o->description.guess.inverse_dynamics || (!o->description.guess.motion && ac_has_spins(o));
    if (!wanted || o->transcription >= AC_COLLOCATION_QP || o->description.control_count == 0) return AC_OK;
    inverse s = {0};
    ac_status status = create(o, &s);
    if (status == AC_OK) {
        for (int i = 0; i < o->layout.N * o->description.control_count; ++i)
            o->point.x[o->layout.first.control + i] = 0.0;
        for (int i = 0; i < (o->layout.N + 1) * o->layout.used_constraints; ++i)
            o->point.x[o->layout.first.multiplier + i] = 0.0;
        o->point.fresh = false;
        ac_evaluate_at(o, o->point.x);
        ac_evaluate_rows(o, s.c);
        ac_evaluate_jacobian(o, s.jacobian);
        for (int n = 0; n <= o->layout.N; ++n)
            if (ac_has_dynamics(o, n)) solve_node(&s, n);
        put_controls(&s);
        o->point.fresh = false;
        ac_evaluate_at(o, o->point.x);
    }
    destroy(&s);
    return status;
}
