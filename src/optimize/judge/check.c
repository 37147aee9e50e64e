/* Checking a problem before it is solved: exact derivatives against differences, and conditions that depend
 * on others. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "optimize/judge/band.h"
#include "optimize/judge/doubts.h"
#include "optimize/judge/reduce.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "linalg/dense.h"

enum { COLUMNS_MOST = 300 };
static const double DENSE_MOST = 4e5; /* entries of the matrix whose rank is taken */
static const double DEPENDENT = 1e-9;

typedef struct check_space {
    double *x, *mu, *jacobian, *hessian, *gradient[3], *rows[2], *scratch;
} check_space;

/* A number between -1 and 1 that looks random and is always the same. */
static double wobble(int k)
{
    return ac_sin(12.9898 * (k + 1)) * ac_cos(78.233 * (k + 3));
}

static ac_status allocate(ac_optimization *o, check_space *s)
{
    size_t n = (size_t)o->layout.variables, m = (size_t)o->layout.rows;
    AC_NEW(o->ctx, s->x, n);
    AC_NEW(o->ctx, s->mu, m);
    AC_NEW(o->ctx, s->jacobian, o->layout.jacobian.entries);
    AC_NEW(o->ctx, s->hessian, o->layout.hessian.entries);
    for (int k = 0; k < 3; ++k) AC_NEW(o->ctx, s->gradient[k], n);
    for (int k = 0; k < 2; ++k) AC_NEW(o->ctx, s->rows[k], m);
    AC_NEW(o->ctx, s->scratch, o->layout.jacobian.entries);
    return AC_OK;
}

static void release(ac_optimization *o, check_space *s)
{
    void *blocks[] = {s->x,           s->mu,          s->jacobian, s->hessian, s->gradient[0],
                      s->gradient[1], s->gradient[2], s->rows[0],  s->rows[1], s->scratch};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(o->ctx, blocks[k]);
}

/* Gradient of the Lagrangian at the present point. */
static void lagrangian_gradient(ac_optimization *o, check_space *s, double *g)
{
    ac_evaluate_objective(o, g);
    ac_evaluate_jacobian(o, s->scratch);
    for (int e = 0; e < o->layout.jacobian.entries; ++e)
        g[o->layout.jacobian.column[e]] += s->mu[o->layout.jacobian.row[e]] * s->scratch[e];
}

/* Derivatives by unknown k against central differences. */
static void check_column(ac_optimization *o, check_space *s, int k, double worst[3])
{
    double old = s->x[k], step = 1e-6 * ac_max(1.0, fabs(old)), f[2];
    for (int side = 0; side < 2; ++side) {
        s->x[k] = old + (side == 0 ? step : -step);
        ac_evaluate_at(o, s->x);
        f[side] = ac_evaluate_objective(o, NULL);
        ac_evaluate_rows(o, s->rows[side]);
        lagrangian_gradient(o, s, s->gradient[side]);
    }
    s->x[k] = old;
    worst[0] = ac_max(worst[0], fabs((f[0] - f[1]) / (2.0 * step) - s->gradient[2][k]) /
                                    (1.0 + fabs(s->gradient[2][k])));
    for (int r = 0; r < o->layout.rows; ++r) {
        double exact = 0.0, difference = (s->rows[0][r] - s->rows[1][r]) / (2.0 * step);
        int at = o->layout.jacobian.start[r] == o->layout.jacobian.start[r + 1]
                     ? -1
                     : ac_pattern_find(&o->layout.jacobian, r, k);
        if (at >= 0 && o->layout.jacobian.column[at] == k) exact = s->jacobian[at];
        worst[1] = ac_max(worst[1], fabs(exact - difference) / (1.0 + fabs(exact)));
    }
    for (int i = 0; i < o->layout.variables; ++i) {
        int row = i > k ? i : k, column = i > k ? k : i;
        double exact = 0.0, difference = (s->gradient[0][i] - s->gradient[1][i]) / (2.0 * step);
        int at = o->layout.hessian.start[row] == o->layout.hessian.start[row + 1]
                     ? -1
                     : ac_pattern_find(&o->layout.hessian, row, column);
        if (at >= 0 && o->layout.hessian.column[at] == column) exact = s->hessian[at];
        worst[2] = ac_max(worst[2], fabs(exact - difference) / (1.0 + fabs(exact)));
    }
}

static ac_status check_derivatives(ac_optimization *o, double worst[3])
{
    check_space s = {0};
    ac_status status = allocate(o, &s);
    if (status == AC_OK) {
        for (int i = 0; i < o->layout.variables; ++i)
            s.x[i] = o->point.x[i] + 0.05 * wobble(i) *
                                         (o->layout.bounds.lower[i] == o->layout.bounds.upper[i] ? 0.0
                                          : i >= o->layout.first.parameter ? fabs(o->point.x[i])
                                          : i == o->layout.first.time      ? 0.1
                                                                           : 1.0);
        for (int r = 0; r < o->layout.rows; ++r) s.mu[r] = wobble(r + 1000);
        ac_evaluate_at(o, s.x);
        ac_evaluate_objective(o, s.gradient[2]);
        ac_evaluate_jacobian(o, s.jacobian);
        ac_evaluate_hessian(o, 1.0, s.mu, s.hessian);
        int stride = 1 + o->layout.variables / COLUMNS_MOST;
        worst[0] = worst[1] = worst[2] = 0.0;
        for (int k = o->layout.variables - 1; k >= 0; k -= stride) check_column(o, &s, k, worst);
        for (int j = 0; stride > 1 && j < o->layout.parameters; ++j)
            check_column(o, &s, o->layout.first.parameter + j, worst);
    }
    release(o, &s);
    return status;
}

/* --- dependent equations --- */

/* Rows that somebody asked for. The others say how the motion goes on from its start, node after node,
 * and cannot depend on each other, although they come close to it when a guess is so far from a motion
 * that small changes grow a great deal until the end. */
static bool is_asked(const ac_optimization *o, const ac_row_block *block)
{
    bool defined = o->layout.first.velocity[1] >= 0; /* the velocity at the end is that of the motion */
    switch (block->kind) {
    case AC_ROW_CONDITION:
    case AC_ROW_PERIODIC:
    case AC_ROW_HOLD:
    case AC_ROW_HOLD_RATE: return true;
    case AC_ROW_DYNAMICS:
    case AC_ROW_VELOCITY: return block->place == o->layout.N && !defined;
    default: return false;
    }
}

/* Which rows are wanted: all, or those that nobody asked for. */
static void want_rows(const ac_optimization *o, bool asked_too, bool *wanted)
{
    const ac_phases *p = o->description.phases;
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        for (int r = block->first; r < block->first + block->count; ++r)
            wanted[r] = asked_too || !is_asked(o, block);
    }
    for (int k = 0; p && k < p->count; ++k) want_rows(p->list[k], asked_too, wanted + p->first_row[k]);
    for (int s = 0; p && s < p->shared_count; ++s) wanted[p->sums + s] = asked_too;
    for (int k = 0; p && k < p->junction_count; ++k) { /* of a cycle: asked for, like periodicity */
        const ac_junction_data *j = &p->junctions[k];
        int end = k + 1 < p->junction_count ? p->junctions[k + 1].places : o->layout.rows;
        for (int r = j->places; r < end; ++r) wanted[r] = asked_too || j->to > j->from;
    }
}

static int take_rows(const ac_optimization *o, bool asked_too, bool *taken)
{
    int count = 0;
    want_rows(o, asked_too, taken);
    for (int r = 0; r < o->layout.rows; ++r) {
        taken[r] = taken[r] && o->layout.bounds.low[r] == o->layout.bounds.high[r];
        count += taken[r];
    }
    return count;
}

/* The rows taken, each scaled to its largest entry, without the columns of what is fixed. */
static void fill_dense(const ac_optimization *o, const double *values, const bool *taken, double *J,
                       int *which)
{
    const ac_pattern *p = &o->layout.jacobian;
    size_t k = 0, columns = (size_t)o->layout.variables;
    for (int r = 0; r < o->layout.rows; ++r) {
        if (!taken[r]) continue;
        double size = 0.0;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e) size = ac_max(size, fabs(values[e]));
        for (int e = p->start[r]; e < p->start[r + 1] && size > 0.0; ++e)
            if (o->layout.bounds.lower[p->column[e]] != o->layout.bounds.upper[p->column[e]])
                J[k * columns + (size_t)p->column[e]] = values[e] / size;
        which[k++] = r;
    }
}

/* Which of the rows taken depend on the others: how many, and the first are noted. Large problems:
 * elimination along time. */
static ac_status count_rows(ac_optimization *o, const double *values, const bool *taken, int rows, int *count)
{
    int columns = o->layout.variables;
    *count = 0;
    if (rows == 0) return AC_OK;
    if ((double)rows * columns > DENSE_MOST) return ac_band_dependent(o, values, DEPENDENT, taken, count);
    ac_row_space space;
    double *J = ac_allocate(o->ctx, (size_t)rows * (size_t)columns + ac_row_space_doubles(rows, columns),
                            sizeof *J);
    int *ints = ac_allocate(o->ctx, ac_row_space_ints(rows, columns) + (size_t)rows, sizeof *ints);
    ac_status status = J && ints ? AC_OK : ac_out_of_memory(o->ctx);
    if (status == AC_OK) {
        int *which = ints + ac_row_space_ints(rows, columns);
        fill_dense(o, values, taken, J, which);
        ac_row_space_place(&space, rows, columns, J + (size_t)rows * (size_t)columns, ints);
        ac_row_space_factor(&space, J, DEPENDENT, rows);
        *count = rows - space.rank;
        for (int i = space.rank; i < rows; ++i) ac_note_dependent(o, which[space.order[i]]);
    }
    ac_release(o->ctx, J);
    ac_release(o->ctx, ints);
    return status;
}

/* Of the rows noted from `first` on, those that were asked for come first; `count` of them stay. */
static void keep_noted(ac_optimization *o, int first, int count, bool *others)
{
    int *list = o->found.dependent_rows, next = first;
    take_rows(o, false, others);
    for (int k = first; k < o->found.dependent_count; ++k) {
        int row = list[k];
        if (others[row]) continue;
        memmove(list + next + 1, list + next, (size_t)(k - next) * sizeof *list);
        list[next++] = row;
    }
    if (o->found.dependent_count > first + count) o->found.dependent_count = first + count;
}

/* Of the rows noted from `first` on, those that a solve leaves out come first, and take the place of others. */
static void prefer_left_out(ac_optimization *o, int first)
{
    int old[AC_DEPENDENT_NAMED], *list = o->found.dependent_rows, count = o->found.dependent_count,
                                 used = first;
    memcpy(old, list, sizeof old);
    for (int k = 0, row = ac_left_out_row(o, 0); row >= 0 && used < count; row = ac_left_out_row(o, ++k))
        list[used++] = row;
    for (int k = first, last = used; k < count && used < count; ++k) {
        bool again = false;
        for (int l = first; l < last; ++l) again = again || list[l] == old[k];
        if (!again) list[used++] = old[k];
    }
}

/* Equations whose gradients depend on those of the others at the guess. */
static ac_status count_dependent(ac_optimization *o, int *count)
{
    int first = o->found.dependent_count, among_others = 0;
    double *values = ac_allocate(o->ctx, (size_t)o->layout.jacobian.entries, sizeof *values);
    bool *taken = ac_allocate(o->ctx, (size_t)o->layout.rows, sizeof *taken);
    ac_status status = values && taken ? AC_OK : ac_out_of_memory(o->ctx);
    if (status == AC_OK) {
        ac_evaluate_jacobian(o, values);
        status = count_rows(o, values, taken, take_rows(o, true, taken), count);
    }
    if (status == AC_OK && *count > 0) {
        int noted = o->found.dependent_count;
        status = count_rows(o, values, taken, take_rows(o, false, taken), &among_others);
        o->found.dependent_count = noted;
    }
    if (status == AC_OK) {
        *count = *count > among_others ? *count - among_others : 0;
        keep_noted(o, first, *count, taken);
        prefer_left_out(o, first);
    }
    ac_release(o->ctx, values);
    ac_release(o->ctx, taken);
    return status;
}

/* Conditions that are left out because nothing changes what they are about. */
static int count_conserved(ac_optimization *o)
{
    int count = 0;
    for (int k = 0; k < o->description.condition_count; ++k) {
        if (!o->description.conditions[k].conserved) continue;
        ac_note_dependent(o, -1 - k);
        ++count;
    }
    return count;
}

void ac_note_left_out(ac_optimization *o)
{
    o->found.dependent_count = 0;
    count_conserved(o);
    for (int k = 0, row = ac_left_out_row(o, 0); row >= 0; row = ac_left_out_row(o, ++k))
        ac_note_dependent(o, row);
}

ac_status ac_optimization_check(ac_optimization *o, double differences[3], int *dependent_count,
                                char *dependent)
{
    char doubt[192];
    AC_TRY(ac_optimization_prepare(o));
    if (ac_name_not_a_number(o, doubt, sizeof doubt))
        return ac_fail(o->ctx, AC_NOT_CONVERGED, "at the guess %s", doubt);
    double *x = ac_allocate(o->ctx, (size_t)o->layout.variables, sizeof *x);
    if (!x) return ac_out_of_memory(o->ctx);
    memcpy(x, o->point.x, (size_t)o->layout.variables * sizeof *x);
    ac_status status = check_derivatives(o, differences);
    ac_evaluate_at(o, x);
    ac_release(o->ctx, x);
    o->found.dependent_count = 0;
    dependent[0] = '\0';
    int conserved = count_conserved(o);
    ac_pose_exactly(o, true);
    if (status == AC_OK) status = count_dependent(o, dependent_count);
    ac_pose_exactly(o, false);
    if (status != AC_OK) return status;
    *dependent_count += conserved;
    if (*dependent_count > 0) ac_optimization_dependent_name(o, 0, dependent);
    return AC_OK;
}

bool ac_optimization_dependent_name(const ac_optimization *o, int number, char *name)
{
    if (number < 0 || number >= o->found.dependent_count || !o->layout.ready) return false;
    int row = o->found.dependent_rows[number];
    if (row < 0) {
        ac_conserved_name(o, -1 - row, name, 128);
    } else {
        ac_row_name(o, row, name, 128);
    }
    return true;
}
