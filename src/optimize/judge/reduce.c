/* Dependent equations at the ends of a motion are reduced to independent ones.
 *
 * The place of a point on a sphere is three equations for two freedoms. All three together have no unique
 * multipliers, and a solver that cannot compute them stops at any feasible point. What depends on others
 * follows from the equations that contain one configuration only: loops there, and conditions. An equation
 * counts as dependent when its gradient depends on those of the others at the guess, and at a point beside
 * it too: a configuration may be singular by chance, dependence is not. The guess satisfies the conditions
 * if it can, so that those equations stay whose gradients are large where the motion ends.
 *
 * Limits along the motion, too: one whose gradient at an end depends on the equations there is decided by them. If they put
 * it at its bound, only the sum of both multipliers is unique, and the solver would let them grow. */
#include "optimize/judge/reduce.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

static const double RANK = 1e-9;     /* of a gradient: so much left of it counts as nothing */
static const double BESIDE = 0.2;    /* rad or m: how far the point beside the guess is away */
static const double PART = 1e-9;     /* least part of a gradient in another one that counts */
static const double ROOM = 0.1;      /* of a dependent condition, in parts of the typical length */
static const double AT_BOUND = 1e-3; /* of 1 and the bound: so near the guess is at it */
enum { ENTRIES_MOST = 1000000 };     /* of the small matrices; larger ones are not looked at */

typedef struct end {
    int node, rows, columns;
    int equations;        /* rows that are; limits follow */
    int *row, *condition; /* row of the programme; number of its condition, -1: it stays (a loop, or asked
                             of all nodes). Loops come first */
    double *J, *Q, *R;    /* gradients; orthonormal ones, and the coefficients of the others in them */
    int *list;            /* numbers of the independent rows, in the order of Q */
    int count;
    bool *dropped;
    double *parts; /* of the independent rows in one */
} end;

enum { LOOPS, CONDITIONS, LIMITS, PASSES };

/* Which kind of row a block has that contains the configuration of one node only; PASSES: it has others. */
static int kind_of(const ac_optimization *o, const ac_row_block *block, int node)
{
    if (block->place != node) return PASSES;
    if (block->kind == AC_ROW_CONSTRAINT) return LOOPS;
    if (block->kind != AC_ROW_CONDITION) return PASSES;
    const ac_condition_data *c = &o->description.conditions[block->item];
    if (c->place == AC_ON_INTERVALS || c->term.interval || c->term.velocities || c->hidden) return PASSES;
    return c->low == c->high ? CONDITIONS : LIMITS;
}

static void collect(const ac_optimization *o, end *e)
{
    e->rows = 0;
    for (int pass = 0; pass < PASSES; ++pass) {
        for (int b = 0; b < o->layout.block_count; ++b) {
            const ac_row_block *block = &o->layout.blocks[b];
            if (kind_of(o, block, e->node) != pass) continue;
            for (int i = 0; i < block->count; ++i, ++e->rows) {
                if (!e->row) continue; /* they are counted first */
                e->row[e->rows] = block->first + i;
                bool of_end = pass != LOOPS && o->description.conditions[block->item].place <= AC_AT_END;
                e->condition[e->rows] = of_end || pass == LIMITS ? block->item : -1;
            }
        }
        if (pass == CONDITIONS) e->equations = e->rows;
    }
}

static ac_status create(ac_optimization *o, end *e)
{
    size_t rows = (size_t)e->rows, columns = (size_t)e->columns;
    AC_NEW(o->ctx, e->row, 3 * rows);
    e->condition = e->row + rows;
    e->list = e->condition + rows;
    AC_NEW(o->ctx, e->dropped, rows);
    AC_NEW(o->ctx, e->J, rows * (2 * columns + rows + 1));
    e->Q = e->J + rows * columns;
    e->R = e->Q + rows * columns;
    e->parts = e->R + rows * rows;
    collect(o, e);
    return AC_OK;
}

static void destroy(ac_optimization *o, end *e)
{
    ac_release(o->ctx, e->row);
    ac_release(o->ctx, e->dropped);
    ac_release(o->ctx, e->J);
}

static double *entries(const end *e, double *matrix, int row)
{
    return matrix + (size_t)row * (size_t)e->columns;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Gradients by the configuration of the node. */
static void take_gradients(const ac_optimization *o, const end *e, const double *values)
{
    int first = ac_y(o, e->node);
    memset(e->J, 0, (size_t)e->rows * (size_t)e->columns * sizeof *e->J);
    for (int k = 0; k < e->rows; ++k)
        for (int i = o->layout.jacobian.start[e->row[k]]; i < o->layout.jacobian.start[e->row[k] + 1]; ++i) {
            int at = o->layout.jacobian.column[i] - first;
            if (at >= 0 && at < e->columns &&
                o->layout.bounds.lower[first + at] != o->layout.bounds.upper[first + at])
                entries(e, e->J, k)[at] = values[i];
        }
}

/* A parameter or the duration may satisfy a row instead. */
static bool has_others(const ac_optimization *o, const end *e, int k)
{
    int first = ac_y(o, e->node);
    for (int i = o->layout.jacobian.start[e->row[k]]; i < o->layout.jacobian.start[e->row[k] + 1]; ++i) {
        int at = o->layout.jacobian.column[i];
        if ((at < first || at >= first + e->columns) &&
            o->layout.bounds.lower[at] != o->layout.bounds.upper[at])
            return true;
    }
    return false;
}

/* What is left of row k beside the independent ones, into the next place of Q; its length. Twice is enough. */
static double orthogonalise(const end *e, int k)
{
    double *rest = entries(e, e->Q, e->count);
    memcpy(rest, entries(e, e->J, k), (size_t)e->columns * sizeof *rest);
    memset(e->parts, 0, (size_t)e->rows * sizeof *e->parts);
    for (int pass = 0; pass < 2; ++pass)
        for (int l = 0; l < e->count; ++l) {
            const double *q = entries(e, e->Q, l);
            double part = product(e->columns, q, rest);
            e->parts[l] += part;
            for (int i = 0; i < e->columns; ++i) rest[i] -= part * q[i];
        }
    return sqrt(product(e->columns, rest, rest));
}

static double length_of(const end *e, int k)
{
    const double *row = entries(e, e->J, k);
    return sqrt(product(e->columns, row, row));
}

static bool is_independent(const end *e, int k)
{
    double length = length_of(e, k);
    return length > 0.0 && orthogonalise(e, k) > RANK * length;
}

static void keep(end *e, int k)
{
    double left = orthogonalise(e, k), *q = entries(e, e->Q, e->count);
    for (int i = 0; i < e->columns; ++i) q[i] /= left;
    for (int l = 0; l < e->count; ++l) e->R[l * e->rows + e->count] = e->parts[l];
    e->R[e->count * e->rows + e->count] = left;
    e->list[e->count++] = k;
}

/* Loops first, then the conditions, each time the one of which most is left. */
static void choose_independent(const ac_optimization *o, end *e)
{
    bool *open = e->dropped;
    e->count = 0;
    for (int k = 0; k < e->equations; ++k) {
        open[k] = e->condition[k] >= 0;
        if (!open[k] && e->count < e->columns && is_independent(e, k)) keep(e, k);
    }
    for (;;) {
        int best = -1;
        double most = 0.0;
        for (int k = 0; k < e->equations && e->count < e->columns; ++k) {
            if (!open[k] || !is_independent(e, k)) continue;
            double left = orthogonalise(e, k);
            if (left <= most) continue;
            most = left;
            best = k;
        }
        if (best < 0) break;
        keep(e, best);
        open[best] = false;
    }
    for (int k = e->equations; k < e->rows; ++k) open[k] = length_of(e, k) > 0.0 && !is_independent(e, k);
    for (int k = 0; k < e->rows; ++k) open[k] = open[k] && !has_others(o, e, k);
}

/* The same rows at another point: what does not depend on the others there is not dropped. */
static void confirm(end *e)
{
    int count = e->count;
    e->count = 0;
    for (int l = 0; l < count && e->count < e->columns; ++l)
        if (is_independent(e, e->list[l])) keep(e, e->list[l]);
    for (int k = 0; k < e->equations; ++k) {
        if (!e->dropped[k] || e->count >= e->columns || !is_independent(e, k)) continue;
        keep(e, k);
        e->dropped[k] = false;
    }
    for (int k = e->equations; k < e->rows; ++k) e->dropped[k] = e->dropped[k] && !is_independent(e, k);
}

/* Coefficients of the independent rows, in their order, in row k: parts. */
static void take_apart(end *e, int k)
{
    orthogonalise(e, k);
    for (int l = e->count - 1; l >= 0; --l) {
        for (int j = l + 1; j < e->count; ++j) e->parts[l] -= e->R[l * e->rows + j] * e->parts[j];
        e->parts[l] /= e->R[l * e->rows + l];
    }
}

static bool is_at(double value, double bound)
{
    return isfinite(bound) && fabs(value - bound) <= AT_BOUND * (1.0 + fabs(bound));
}

/* Limits stay limits unless the equations put them at a bound; c: the rows at the point of the gradients. */
static void keep_limits_inside(const ac_optimization *o, end *e, const double *c)
{
    for (int k = e->equations; k < e->rows; ++k) {
        if (!e->dropped[k]) continue;
        const ac_condition_data *limit = &o->description.conditions[e->condition[k]];
        double value = c[e->row[k]];
        take_apart(e, k);
        for (int l = 0; l < e->count; ++l) {
            int row = e->row[e->list[l]];
            value += e->parts[l] * (o->layout.bounds.low[row] - c[row]);
        }
        e->dropped[k] = is_at(value, limit->low) || is_at(value, limit->high);
    }
}

/* Conditions of which a dropped one is made have no unique multipliers either. */
static void mark(ac_optimization *o, end *e)
{
    for (int k = e->equations; k < e->rows; ++k)
        if (e->dropped[k]) o->description.conditions[e->condition[k]].eased[e->node > 0] = true;
    for (int k = 0; k < e->equations; ++k) {
        if (!e->dropped[k]) continue;
        o->description.conditions[e->condition[k]].dependent = true;
        o->description.conditions[e->condition[k]].shared = true;
        take_apart(e, k);
        for (int l = 0; l < e->count; ++l) {
            int condition = e->condition[e->list[l]];
            bool counts = fabs(e->parts[l]) * length_of(e, e->list[l]) > PART * length_of(e, k);
            if (condition >= 0 && counts) o->description.conditions[condition].shared = true;
        }
    }
}

static void move_aside(ac_optimization *o, const end *e, double *x)
{
    for (int i = 0; i < e->columns; ++i) {
        int at = ac_y(o, e->node) + i;
        if (o->layout.bounds.lower[at] != o->layout.bounds.upper[at])
            x[at] += BESIDE * ac_sin(12.9898 * (i + 1)) * ac_cos(78.233 * (i + 3));
    }
    ac_evaluate_at(o, x);
}

static ac_status reduce_end(ac_optimization *o, int node)
{
    end e = {.node = node, .columns = o->layout.width};
    size_t n = (size_t)o->layout.variables;
    collect(o, &e);
    bool any = false;
    for (int k = 0; k < o->description.condition_count; ++k)
        any = any || o->description.conditions[k].place <= AC_AT_END;
    if (!any || e.rows == 0 || (double)e.rows * (e.columns + e.rows) > ENTRIES_MOST) return AC_OK;
    double *values = ac_allocate(o->ctx, (size_t)o->layout.jacobian.entries + 2 * n + (size_t)o->layout.rows,
                                 sizeof *values);
    ac_status status = values ? create(o, &e) : ac_out_of_memory(o->ctx);
    if (status == AC_OK) {
        double *x = values + o->layout.jacobian.entries, *moved = x + n, *c = moved + n;
        bool any_dropped = false;
        memcpy(x, o->point.x, n * sizeof *x);
        memcpy(moved, o->point.x, n * sizeof *x);
        ac_evaluate_jacobian(o, values);
        take_gradients(o, &e, values);
        choose_independent(o, &e);
        ac_evaluate_rows(o, c);
        keep_limits_inside(o, &e, c);
        for (int k = 0; k < e.rows; ++k) any_dropped = any_dropped || e.dropped[k];
        if (any_dropped) {
            move_aside(o, &e, moved);
            ac_evaluate_jacobian(o, values);
            take_gradients(o, &e, values);
            confirm(&e);
            mark(o, &e);
            ac_evaluate_at(o, x);
        }
    }
    destroy(o, &e);
    ac_release(o->ctx, values);
    return status;
}

static void let_go(ac_condition_data *c)
{
    c->dependent = c->eased[0] = c->eased[1] = false;
}

ac_status ac_reduce_dependent(ac_optimization *o)
{
    for (int k = 0; k < o->description.condition_count; ++k) {
        o->description.conditions[k].shared = false;
        let_go(&o->description.conditions[k]);
    }
    o->layout.room = ROOM * o->system->length_scale;
    if (!o->settings.start_fixed && !o->settings.periodic) AC_TRY(reduce_end(o, 0));
    AC_TRY(reduce_end(o, o->layout.N));
    ac_layout_bound_rows(o);
    return AC_OK;
}

bool ac_has_spins(const ac_optimization *o)
{
    for (int f = 0; o->layout.end.spin && f < o->layout.freedoms; ++f)
        if (o->layout.end.spin[f]) return true;
    return false;
}

bool ac_has_dependent(const ac_optimization *o)
{
    for (int k = 0; k < o->description.condition_count; ++k) {
        const ac_condition_data *c = &o->description.conditions[k];
        if (c->dependent || c->eased[0] || c->eased[1]) return true;
    }
    for (int r = 0; o->layout.left_out && r < o->layout.rows; ++r)
        if (o->layout.left_out[r]) return true;
    return ac_has_spins(o);
}

void ac_forget_dependent(ac_optimization *o)
{
    for (int k = 0; k < o->description.condition_count; ++k) let_go(&o->description.conditions[k]);
    ac_release(o->ctx, o->layout.end.spin);
    ac_release(o->ctx, o->layout.left_out);
    o->layout.end.spin = NULL;
    o->layout.left_out = NULL;
    ac_hold_all_again(o);
    ac_layout_bound_rows(o);
}

void ac_pose_exactly(ac_optimization *o, bool exactly)
{
    o->layout.room = exactly ? 0.0 : ROOM * o->system->length_scale;
    ac_layout_bound_rows(o);
}
