/* Inverse dynamics: the controls that a guessed motion needs.
 *
 * The rows of the dynamics at a node are linear in the controls of the intervals beside it and in the
 * multipliers of the node. With the same controls on both sides they are solved in the least-squares
 * sense, node by node; an interval begins with the mean of what its two ends need. Every kind of control
 * takes part, and fewer controls than freedoms do what they can. */
#include <math.h>
#include <string.h>

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
    s->rows = o->width;
    s->columns = o->control_count + o->used_constraints;
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    AC_NEW(o->ctx, s->c, o->rows);
    AC_NEW(o->ctx, s->jacobian, o->jacobian.entries);
    AC_NEW(o->ctx, s->A, rows * columns);
    AC_NEW(o->ctx, s->b, rows);
    AC_NEW(o->ctx, s->x, columns);
    AC_NEW(o->ctx, s->need, (size_t)(o->N + 1) * (size_t)o->control_count + 1);
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
    int control = variable - o->control_start, multiplier = variable - ac_multiplier(o, node);
    if (control >= 0 && control < o->N * o->control_count) {
        int interval = control / o->control_count;
        return interval == node || interval == node - 1 ? control % o->control_count : -1;
    }
    return multiplier >= 0 && multiplier < o->used_constraints ? o->control_count + multiplier : -1;
}

static void solve_node(inverse *s, int node)
{
    ac_optimization *o = s->o;
    int count = node == o->N ? o->end_row_count : o->width;
    memset(s->A, 0, (size_t)s->rows * (size_t)s->columns * sizeof *s->A);
    memset(s->b, 0, (size_t)s->rows * sizeof *s->b);
    for (int r = 0; r < count; ++r) {
        int row = o->dynamics_row[node] + r;
        s->b[r] = -s->c[row];
        for (int e = o->jacobian.start[row]; e < o->jacobian.start[row + 1]; ++e) {
            int k = place_of(o, node, o->jacobian.column[e]);
            if (k >= 0) s->A[r * s->columns + k] += s->jacobian[e];
        }
    }
    ac_least_squares(&s->space, s->A, s->b, RANK_TOLERANCE, s->x);
    memcpy(s->need + node * o->control_count, s->x, (size_t)o->control_count * sizeof *s->x);
    for (int k = 0; k < o->used_constraints; ++k)
        if (ac_has_multiplier(o, node, k)) o->x[ac_multiplier(o, node) + k] = s->x[o->control_count + k];
}

static void put_controls(const inverse *s)
{
    ac_optimization *o = s->o;
    for (int n = 0; n < o->N; ++n)
        for (int k = 0; k < o->control_count; ++k) {
            double sum = 0.0, share = 0.0;
            for (int node = n; node <= n + 1; ++node) {
                if (!ac_has_dynamics(o, node)) continue;
                sum += s->need[node * o->control_count + k];
                share += 1.0;
            }
            double value = share > 0.0 ? sum / share : 0.0;
            o->x[ac_control_variable(o, n) + k] = fmin(o->controls[k].given.high,
                                                       fmax(o->controls[k].given.low, value));
        }
}

ac_status ac_guess_inverse(ac_optimization *o)
{
    /* spins that nothing controls answer to wrong forces with large turns: the guess needs the right ones */
    bool wanted = o->inverse_dynamics || (!o->motion && ac_has_spins(o));
    if (!wanted || o->transcription >= AC_COLLOCATION_QP || o->control_count == 0) return AC_OK;
    inverse s = {0};
    ac_status status = create(o, &s);
    if (status == AC_OK) {
        for (int i = 0; i < o->N * o->control_count; ++i) o->x[o->control_start + i] = 0.0;
        for (int i = 0; i < (o->N + 1) * o->used_constraints; ++i) o->x[o->multiplier_start + i] = 0.0;
        o->fresh = false;
        ac_evaluate_at(o, o->x);
        ac_evaluate_rows(o, s.c);
        ac_evaluate_jacobian(o, s.jacobian);
        for (int n = 0; n <= o->N; ++n)
            if (ac_has_dynamics(o, n)) solve_node(&s, n);
        put_controls(&s);
        o->fresh = false;
        ac_evaluate_at(o, o->x);
    }
    destroy(&s);
    return status;
}
