/* Assembly of systems with many loops: corrections and velocities from sparse systems, where dense ones would cost the cube
 * of the number of freedoms.
 *
 *   [ D  J^T ] [ x ]   [ D target ]
 *   [ J  0   ] [ y ] = [ b        ]
 *
 * gives the x nearest to the target, in the weights D, with J x = b. Rows of J that the others imply are left out.
 */
#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "math/math.h"

static const double FREE = 1e-6;   /* weight of velocities that are not given, which have to give way */
static const double STILL = 1e-15; /* change of the velocities, of the largest, after which they stay */
enum { MOST_PASSES = 30 };

ac_status ac_large_create(ac_system *system, ac_assembling *w)
{
    ac_context *ctx = system->ctx;
    AC_TRY(ac_loop_rows_create(ctx, system, &w->loops));
    AC_TRY(ac_sparse_new(ctx, w->n + w->m, &w->saddle));
    AC_NEW(ctx, w->x, w->n + w->m);
    for (int j = 0; j < w->n; ++j) AC_TRY(ac_sparse_mark(w->saddle, j, j));
    for (int r = 0; r < w->m; ++r) {
        AC_TRY(ac_sparse_mark(w->saddle, w->n + r, w->n + r));
        for (int e = w->loops.start[r]; e < w->loops.start[r + 1]; ++e) {
            AC_TRY(ac_sparse_mark(w->saddle, w->n + r, w->loops.column[e]));
            AC_TRY(ac_sparse_mark(w->saddle, w->loops.column[e], w->n + r));
        }
    }
    return ac_sparse_freeze(w->saddle);
}

void ac_large_destroy(ac_assembling *w, ac_context *ctx)
{
    ac_loop_rows_destroy(&w->loops);
    ac_sparse_free(w->saddle);
    ac_release(ctx, w->x);
}

static ac_status choose(ac_assembling *w)
{
    ac_loop_rows *l = &w->loops;
    return ac_row_choice_find(&l->choice, l->start, l->column, l->value, w->rank_tolerance);
}

/* The factors of the matrix above; weight NULL: one for all. */
static ac_status factor(ac_assembling *w, const double *weight)
{
    const ac_loop_rows *l = &w->loops;
    ac_sparse_clear(w->saddle);
    for (int j = 0; j < w->n; ++j) ac_sparse_add(w->saddle, j, j, weight ? weight[j] : 1.0);
    for (int r = 0; r < w->m; ++r) {
        if (l->choice.dependent[r]) {
            ac_sparse_add(w->saddle, w->n + r, w->n + r, 1.0);
            continue;
        }
        for (int e = l->start[r]; e < l->start[r + 1]; ++e) {
            ac_sparse_add(w->saddle, w->n + r, l->column[e], l->value[e]);
            ac_sparse_add(w->saddle, l->column[e], w->n + r, l->value[e]);
        }
    }
    ac_sparse_forget(w->saddle);
    return ac_sparse_factor(w->saddle);
}

ac_status ac_large_correction(ac_system *system, ac_assembling *w, bool frozen)
{
    ac_loop_rows *l = &w->loops;
    ac_loop_rows_evaluate(l, w->columns, system->initial.q);
    for (int e = 0; e < l->start[w->m]; ++e) {
        int j = l->column[e];
        l->value[e] *= frozen && w->given[j] ? 0.0 : w->scale[j];
    }
    AC_TRY(choose(w));
    AC_TRY(factor(w, NULL));
    memset(w->x, 0, (size_t)w->n * sizeof *w->x);
    for (int r = 0; r < w->m; ++r) w->x[w->n + r] = l->choice.dependent[r] ? 0.0 : w->b[r];
    AC_TRY(ac_sparse_solve(w->saddle, w->x));
    memcpy(w->delta, w->x, (size_t)w->n * sizeof *w->delta);
    return AC_OK;
}

ac_status ac_large_rank(ac_system *system, ac_assembling *w, int *rank)
{
    ac_loop_rows_evaluate(&w->loops, w->columns, system->initial.q);
    AC_TRY(choose(w));
    *rank = w->loops.choice.rank;
    return AC_OK;
}

/* The velocities nearest to the given ones that keep the loops closed, J u = 0, and of these the shortest: the others
 * are held to what they were in the pass before by a weight that vanishes beside that of the given ones. From rest this
 * converges to the shortest, by the weight in each pass. */
ac_status ac_large_velocities(ac_system *system, ac_assembling *w)
{
    double *u = system->initial.u, *weight = w->delta, *target = w->z;
    for (int j = 0; j < w->n; ++j) {
        if (!w->given[j]) u[j] = 0.0;
        weight[j] = w->given[j] ? 1.0 : FREE;
        target[j] = u[j];
    }
    AC_TRY(factor(w, weight));
    for (int pass = 0; pass < MOST_PASSES; ++pass) {
        double most = 0.0, change = 0.0;
        for (int j = 0; j < w->n; ++j) w->x[j] = weight[j] * (w->given[j] ? target[j] : u[j]);
        memset(w->x + w->n, 0, (size_t)w->m * sizeof *w->x);
        AC_TRY(ac_sparse_solve(w->saddle, w->x));
        for (int j = 0; j < w->n; ++j) {
            most = ac_max(most, fabs(w->x[j]));
            change = ac_max(change, fabs(w->x[j] - u[j]));
            u[j] = w->x[j];
        }
        if (change <= STILL * most) break;
    }
    return AC_OK;
}
