/* Optimality of the present point, from the functions of the programme alone.
 *
 * First order    g + J^T mu - z_low + z_high = 0 for the unknowns that are not fixed; multipliers vanish away
 *                from bounds, and are not so large that rounding of J makes a gradient of them.
 * Second order   d^T H d >= 0 for all d that keep the active conditions and bounds to first order.
 *                Inertia decides (nlp/convex.c). Where it says no, inverse iteration looks for a direction:
 *                only one that keeps the conditions and has negative curvature counts.
 *                H depends on the multipliers, and those of an interior point are not exact: limits that are
 *                not active keep a rest of the barrier, which the other multipliers balance. Where nothing
 *                else bends the Lagrangian, the sign of that rest would decide. Curvature must therefore be
 *                negative with the multipliers of the active conditions alone, too.
 */
#include "optimize/judge/optimality.h"

#include <math.h>
#include <string.h>

#include "linalg/sparse.h"
#include "math/math.h"
#include "optimize/judge/equilibrate.h"
#include "optimize/nlp/convex.h"

static const double NEAR_BOUND = 1e-6; /* what the interior point leaves beside a bound that is active */
static const double SHIFT = 1e-9;      /* curvature that counts as none, in parts of the largest entry of H */
static const double STRAIGHT = 1e-12;  /* largest entry of H that is round-off, in parts of the gradient */
static const double NEGATIVE = 1e-7;  /* least negative curvature that counts, relative along its direction */
static const double KEEPS = 1e-7;     /* a direction keeps the conditions to this */
static const double ROUNDED = 1e-15;  /* of the largest entry of a row: what its others are known to */
static const double REGULAR = 1e-13;  /* -delta I of the equations in least squares */
static const double PROXIMAL = 1e-10; /* added to the diagonal of H in a Newton step */
static const double LARGEST_SUM =
    1e3; /* of terms that an error is measured by, in parts of the objective's size */
enum { INVERSE_STEPS = 12, BISECTIONS = 6, REFINEMENTS = 2 };

/* The active part of the programme: free unknowns, active rows, and both numbered anew. */
typedef struct active {
    double *g, *J, *H;   /* entries as in the patterns */
    int *variable, *row; /* new number, -1: fixed or not active */
    int *of_variable;    /* old number of a free unknown */
    double near;         /* so near to a bound is at it, whatever its multiplier */
    double *scale;       /* of the active rows: largest entry among free unknowns */
    ac_form form;
    int *places; /* of the form */
    double *values;
} active;

static ac_status allocate(ac_optimization *o, active *a)
{
    size_t h = (size_t)o->layout.hessian.entries, j = (size_t)o->layout.jacobian.entries;
    memset(a, 0, sizeof *a);
    AC_NEW(o->ctx, a->g, o->layout.variables);
    AC_NEW(o->ctx, a->J, j + 1);
    AC_NEW(o->ctx, a->H, h + 1);
    AC_NEW(o->ctx, a->variable, o->layout.variables);
    AC_NEW(o->ctx, a->of_variable, o->layout.variables);
    AC_NEW(o->ctx, a->row, o->layout.rows + 1);
    AC_NEW(o->ctx, a->scale, o->layout.rows + 1);
    AC_NEW(o->ctx, a->places, 2 * (h + j) + 1);
    AC_NEW(o->ctx, a->values, h + j + 1);
    return AC_OK;
}

static void release(ac_optimization *o, active *a)
{
    void *blocks[] = {a->g, a->J, a->H, a->variable, a->of_variable, a->row, a->scale, a->places, a->values};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(o->ctx, blocks[k]);
}

static bool is_fixed(const ac_optimization *o, int i)
{
    return o->layout.bounds.lower[i] == o->layout.bounds.upper[i];
}

/* An interior point leaves either a small distance or a small multiplier; `unit` is that of the distance. */
static bool holds(const ac_optimization *o, double near, double unit, double distance, double bound,
                  double multiplier)
{
    return isfinite(bound) && (distance <= near * ac_max(unit, fabs(bound)) ||
                               multiplier * unit / o->layout.unit.objective > distance / unit);
}

static bool at_a_bound(const ac_optimization *o, double near, int i)
{
    double unit = o->layout.unit.unknown[i], x = o->point.x[i], low = o->layout.bounds.lower[i],
           high = o->layout.bounds.upper[i];
    return holds(o, near, unit, x - low, low, o->found.at_lower[i]) ||
           holds(o, near, unit, high - x, high, o->found.at_upper[i]);
}

static bool is_active(const ac_optimization *o, double near, int r, double c)
{
    double mu = o->found.multipliers[r], unit = o->layout.unit.row[r], low = o->layout.bounds.low[r],
           high = o->layout.bounds.high[r];
    return low == high || holds(o, near, unit, c - low, low, -mu) || holds(o, near, unit, high - c, high, mu);
}

static void number_active(const ac_optimization *o, const double *c, active *a)
{
    a->form.variables = a->form.equations = 0;
    for (int i = 0; i < o->layout.variables; ++i) {
        bool stays = is_fixed(o, i) || at_a_bound(o, a->near, i);
        a->variable[i] = stays ? -1 : a->form.variables;
        if (!stays) a->of_variable[a->form.variables++] = i;
    }
    for (int r = 0; r < o->layout.rows; ++r)
        a->row[r] = is_active(o, a->near, r, c[r]) ? a->form.equations++ : -1;
}

/* Entries of J in active rows and free columns, rows scaled to their largest; rows without such an entry do
 * not restrict anything and are left out. */
static void take_jacobian(const ac_optimization *o, active *a, int *row, int *column, double *values)
{
    int used = 0, equations = 0;
    const ac_pattern *p = &o->layout.jacobian;
    for (int r = 0; r < o->layout.rows; ++r) {
        double most = 0.0;
        if (a->row[r] < 0) continue;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e)
            if (a->variable[p->column[e]] >= 0)
                most = ac_max(most, fabs(a->J[e] * o->layout.unit.unknown[p->column[e]]));
        a->row[r] = most > 0.0 ? equations++ : -1;
        if (a->row[r] < 0) continue;
        a->scale[a->row[r]] = most;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e) {
            if (a->variable[p->column[e]] < 0 || a->J[e] == 0.0) continue;
            row[used] = a->row[r];
            column[used] = a->variable[p->column[e]];
            values[used++] = a->J[e] * o->layout.unit.unknown[p->column[e]] / most;
        }
    }
    a->form.equations = equations;
    a->form.jacobian_entries = used;
    a->form.jacobian_row = row;
    a->form.jacobian_column = column;
    a->form.jacobian = values;
}

static void take_hessian(const ac_optimization *o, active *a, int *row, int *column, double *values)
{
    int used = 0;
    const ac_pattern *p = &o->layout.hessian;
    for (int e = 0; e < p->entries; ++e) {
        int i = a->variable[p->row[e]], k = a->variable[p->column[e]];
        if (i < 0 || k < 0 || a->H[e] == 0.0) continue;
        row[used] = i;
        column[used] = k;
        values[used++] = a->H[e] * o->layout.unit.unknown[p->row[e]] * o->layout.unit.unknown[p->column[e]] /
                         o->layout.unit.objective;
    }
    a->form.hessian_entries = used;
    a->form.hessian_row = row;
    a->form.hessian_column = column;
    a->form.hessian = values;
}

static ac_status take_active(ac_optimization *o, double near, active *a)
{
    AC_TRY(allocate(o, a));
    a->near = near;
    double *c = ac_allocate(o->ctx, (size_t)o->layout.rows + 1, sizeof *c);
    if (!c) return ac_out_of_memory(o->ctx);
    ac_evaluate_rows(o, c);
    number_active(o, c, a);
    ac_release(o->ctx, c);
    ac_evaluate_objective(o, a->g);
    ac_evaluate_jacobian(o, a->J);
    ac_evaluate_hessian(o, 1.0, o->found.multipliers, a->H);
    int h = o->layout.hessian.entries, j = o->layout.jacobian.entries;
    take_jacobian(o, a, a->places, a->places + j, a->values);
    take_hessian(o, a, a->places + 2 * j, a->places + 2 * j + h, a->values + j);
    return AC_OK;
}

/* ---- first order ---- */

/* What multipliers times distances from bounds leave. */
static double complementarity(const ac_optimization *o, const double *c)
{
    double most = 0.0;
    for (int i = 0; i < o->layout.variables; ++i) {
        if (is_fixed(o, i)) continue;
        if (isfinite(o->layout.bounds.lower[i]))
            most = ac_max(most, fabs(o->found.at_lower[i] * (o->point.x[i] - o->layout.bounds.lower[i])));
        if (isfinite(o->layout.bounds.upper[i]))
            most = ac_max(most, fabs(o->found.at_upper[i] * (o->layout.bounds.upper[i] - o->point.x[i])));
    }
    for (int r = 0; r < o->layout.rows; ++r) {
        double mu = o->found.multipliers[r],
               away = mu > 0.0 ? o->layout.bounds.high[r] - c[r] : c[r] - o->layout.bounds.low[r];
        if (o->layout.bounds.low[r] == o->layout.bounds.high[r] || mu == 0.0) continue;
        most = ac_max(most, isfinite(away) ? fabs(mu * away) : fabs(mu));
    }
    return most;
}

ac_status ac_objective_size(ac_optimization *o, double *slope, double *bend)
{
    const ac_layout_units *unit = &o->layout.unit;
    const ac_pattern *p = &o->layout.hessian;
    int n = o->layout.variables, m = o->layout.rows;
    double *g = ac_allocate(o->ctx, (size_t)n + (size_t)p->entries + (size_t)m + 1, sizeof *g);
    if (!g) return ac_out_of_memory(o->ctx);
    double *H = g + n, *mu = H + p->entries;
    *slope = *bend = 0.0;
    ac_evaluate_objective(o, g);
    for (int i = 0; i < n; ++i)
        if (!is_fixed(o, i)) *slope = ac_max(*slope, fabs(g[i]) * unit->unknown[i] / unit->objective);
    for (int r = 0; r < m; ++r) mu[r] = 0.0;
    ac_evaluate_hessian(o, 1.0, mu, H);
    for (int e = 0; e < p->entries; ++e)
        *bend = ac_max(*bend,
                       fabs(H[e]) * unit->unknown[p->row[e]] * unit->unknown[p->column[e]] / unit->objective);
    ac_release(o->ctx, g);
    return AC_OK;
}

/* What rounding makes of the entries of J, times the multipliers: with 1e17 times an entry that is nothing but rounding they
 * balance any gradient, and prove nothing. An entry is known to rounding of the largest one of its row. */
static double blur(const ac_optimization *o, const double *J)
{
    const ac_pattern *p = &o->layout.jacobian;
    double most = 0.0;
    for (int r = 0; r < o->layout.rows; ++r) {
        double size = 0.0;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e)
            size = ac_max(size, fabs(J[e]) * o->layout.unit.unknown[p->column[e]]);
        most = ac_max(most, fabs(o->found.multipliers[r]) * size);
    }
    return ROUNDED * most / o->layout.unit.objective;
}

/* The gradient of the Lagrangian in the units of the unknowns, largest entry; `terms`: the largest sum of the sizes of what is added up
 * in an entry. The gradient of the objective comes in, once in each list, both are overwritten. */
static double lagrangian_slope(const ac_optimization *o, const double *J, double *r, double *sizes,
                               double *terms)
{
    const ac_pattern *p = &o->layout.jacobian;
    const ac_layout_units *unit = &o->layout.unit;
    double most = 0.0;
    *terms = 0.0;
    for (int i = 0; i < o->layout.variables; ++i) {
        sizes[i] = fabs(r[i]) + o->found.at_lower[i] + o->found.at_upper[i];
        r[i] += o->found.at_upper[i] - o->found.at_lower[i];
    }
    for (int e = 0; e < p->entries; ++e) {
        double term = o->found.multipliers[p->row[e]] * J[e];
        r[p->column[e]] += term;
        sizes[p->column[e]] += fabs(term);
    }
    for (int i = 0; i < o->layout.variables; ++i) {
        if (is_fixed(o, i)) continue;
        most = ac_max(most, fabs(r[i]) * unit->unknown[i]);
        *terms = ac_max(*terms, sizes[i] * unit->unknown[i]);
    }
    return most;
}

/* Error and terms in parts of the objective's size. */
static ac_status error_of(ac_optimization *o, ac_optimality *result)
{
    size_t n = (size_t)o->layout.variables, j = (size_t)o->layout.jacobian.entries;
    double slope, bend, terms, *r = ac_allocate(o->ctx, 2 * n + j + (size_t)o->layout.rows + 1, sizeof *r);
    if (!r) return ac_out_of_memory(o->ctx);
    double *J = r + 2 * n, *c = J + j, unit = o->layout.unit.objective;
    ac_evaluate_objective(o, r);
    ac_evaluate_jacobian(o, J);
    ac_evaluate_rows(o, c);
    ac_status status = ac_objective_size(o, &slope, &bend);
    double size = status == AC_OK ? ac_max(slope, ac_min(1.0, bend)) : 1.0;
    result->size = size > 0.0 ? size : 1.0;
    double error = ac_max(lagrangian_slope(o, J, r, r + n, &terms), complementarity(o, c)) / unit;
    error = ac_max(error, blur(o, J));
    result->error = isfinite(error) && isfinite(terms) ? error / result->size : INFINITY;
    result->terms = terms / unit / result->size;
    ac_release(o->ctx, r);
    return status;
}

double ac_optimality_limit(const ac_optimization *o, const ac_optimality *result)
{
    return o->settings.tolerance * ac_min(ac_max(1.0, result->terms), LARGEST_SUM);
}

/* [H + shift I or I, A^T; A, -delta I]; the form without H: least squares. */
static ac_status matrix_of(ac_context *ctx, const ac_form *f, bool with_hessian, double diagonal,
                           double delta, ac_sparse **matrix)
{
    int n = f->variables;
    AC_TRY(ac_sparse_new(ctx, n + f->equations, matrix));
    for (int i = 0; i < n + f->equations; ++i) AC_TRY(ac_sparse_mark(*matrix, i, i));
    for (int e = 0; e < f->jacobian_entries; ++e) {
        AC_TRY(ac_sparse_mark(*matrix, n + f->jacobian_row[e], f->jacobian_column[e]));
        AC_TRY(ac_sparse_mark(*matrix, f->jacobian_column[e], n + f->jacobian_row[e]));
    }
    for (int e = 0; e < f->hessian_entries && with_hessian; ++e) {
        AC_TRY(ac_sparse_mark(*matrix, f->hessian_row[e], f->hessian_column[e]));
        AC_TRY(ac_sparse_mark(*matrix, f->hessian_column[e], f->hessian_row[e]));
    }
    AC_TRY(ac_sparse_freeze(*matrix));
    for (int i = 0; i < n + f->equations; ++i) ac_sparse_add(*matrix, i, i, i < n ? diagonal : -delta);
    for (int e = 0; e < f->jacobian_entries; ++e) {
        ac_sparse_add(*matrix, n + f->jacobian_row[e], f->jacobian_column[e], f->jacobian[e]);
        ac_sparse_add(*matrix, f->jacobian_column[e], n + f->jacobian_row[e], f->jacobian[e]);
    }
    for (int e = 0; e < f->hessian_entries && with_hessian; ++e) {
        int i = f->hessian_row[e], k = f->hessian_column[e];
        ac_sparse_add(*matrix, i, k, f->hessian[e]);
        if (i != k) ac_sparse_add(*matrix, k, i, f->hessian[e]);
    }
    return ac_sparse_factor(*matrix);
}

/* Component of the gradient of the objective, in units. */
static double slope_of(const ac_optimization *o, const active *a, int i)
{
    return a->g[i] * o->layout.unit.unknown[i] / o->layout.unit.objective;
}

/* Multipliers that make the gradient of the Lagrangian shortest; those of limits and bounds with the wrong
 * sign become zero, and the error shows it. */
static void take_multipliers(ac_optimization *o, const active *a, const double *y)
{
    double *z = a->g;
    for (int r = 0; r < o->layout.rows; ++r) {
        double mu = a->row[r] < 0
                        ? 0.0
                        : y[a->form.variables + a->row[r]] * o->layout.unit.objective / a->scale[a->row[r]];
        bool below = o->layout.bounds.low[r] < o->layout.bounds.high[r] &&
                     !isfinite(o->layout.bounds.high[r]),
             above = o->layout.bounds.low[r] < o->layout.bounds.high[r] && !isfinite(o->layout.bounds.low[r]);
        o->found.multipliers[r] = (below && mu > 0.0) || (above && mu < 0.0) ? 0.0 : mu;
    }
    for (int e = 0; e < o->layout.jacobian.entries; ++e)
        z[o->layout.jacobian.column[e]] += o->found.multipliers[o->layout.jacobian.row[e]] * a->J[e];
    for (int i = 0; i < o->layout.variables; ++i) {
        bool low = isfinite(o->layout.bounds.lower[i]) &&
                   o->point.x[i] - o->layout.bounds.lower[i] <= o->layout.bounds.upper[i] - o->point.x[i];
        bool bounded = a->variable[i] < 0 && !is_fixed(o, i);
        o->found.at_lower[i] = bounded && low ? ac_max(0.0, z[i]) : 0.0;
        o->found.at_upper[i] = bounded && !low ? ac_max(0.0, -z[i]) : 0.0;
    }
}

static ac_status solve_multipliers(ac_optimization *o)
{
    active a;
    ac_sparse *matrix = NULL;
    ac_status status = take_active(o, NEAR_BOUND, &a);
    int n = status == AC_OK ? a.form.variables : 0;
    double *y = status == AC_OK ? ac_allocate(o->ctx, (size_t)(n + a.form.equations) + 1, sizeof *y) : NULL;
    if (status == AC_OK && !y) status = ac_out_of_memory(o->ctx);
    if (status == AC_OK) status = matrix_of(o->ctx, &a.form, false, 1.0, REGULAR, &matrix);
    for (int i = 0; i < n && status == AC_OK; ++i) y[i] = -slope_of(o, &a, a.of_variable[i]);
    if (status == AC_OK) status = ac_sparse_solve(matrix, y);
    if (status == AC_OK) take_multipliers(o, &a, y);
    ac_sparse_free(matrix);
    ac_release(o->ctx, y);
    release(o, &a);
    return status == AC_SINGULAR ? AC_OK : status; /* the multipliers stay what they were */
}

/* All multipliers into a list, or back from it. */
static void copy_multipliers(ac_optimization *o, double *list, bool back)
{
    double *own[] = {o->found.multipliers, o->found.at_lower, o->found.at_upper};
    const int sizes[] = {o->layout.rows, o->layout.variables, o->layout.variables};
    for (int k = 0; k < 3; list += sizes[k++]) {
        size_t bytes = (size_t)sizes[k] * sizeof *list;
        if (back)
            memcpy(own[k], list, bytes);
        else
            memcpy(list, own[k], bytes);
    }
}

ac_status ac_judge_first_order(ac_optimization *o, double limit, ac_optimality *result)
{
    AC_TRY(error_of(o, result));
    if (result->error <= limit) return AC_OK;
    size_t count = (size_t)o->layout.rows + 2 * (size_t)o->layout.variables;
    const ac_optimality before = *result;
    double *kept = ac_allocate(o->ctx, count + 1, sizeof *kept);
    if (!kept) return ac_out_of_memory(o->ctx);
    copy_multipliers(o, kept, false);
    ac_status status = solve_multipliers(o);
    if (status == AC_OK) status = error_of(o, result);
    bool replaced = result->error < before.error;
    if (!replaced) {
        copy_multipliers(o, kept, true);
        *result = before;
    }
    result->replaced = replaced;
    ac_release(o->ctx, kept);
    return status;
}

/* ---- second order ---- */

static double largest(const double *x, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) most = ac_max(most, fabs(x[i]));
    return most;
}

/* d^T H d in parts of |d|^T |H| |d|. */
static double relative_curvature(const ac_form *f, const double *d)
{
    double sum = 0.0, size = 0.0;
    for (int e = 0; e < f->hessian_entries; ++e) {
        int i = f->hessian_row[e], k = f->hessian_column[e];
        double term = (i == k ? 1.0 : 2.0) * f->hessian[e] * d[i] * d[k];
        sum += term;
        size += fabs(term);
    }
    return size > 0.0 ? sum / size : 0.0;
}

/* How far the direction leaves the conditions; its largest entry is one. */
static double departure(const ac_form *f, const double *d, double *c)
{
    memset(c, 0, (size_t)f->equations * sizeof *c);
    for (int e = 0; e < f->jacobian_entries; ++e)
        c[f->jacobian_row[e]] += f->jacobian[e] * d[f->jacobian_column[e]];
    return largest(c, f->equations);
}

/* Inverse iteration with a shift just above the most negative curvature. */
static ac_status find_direction(ac_optimization *o, const ac_form *f, double shift, ac_optimality *result)
{
    int n = f->variables, m = f->equations;
    ac_sparse *matrix = NULL;
    double *y = ac_allocate(o->ctx, (size_t)n + 2 * (size_t)m + 1, sizeof *y);
    if (!y) return ac_out_of_memory(o->ctx);
    ac_status status = matrix_of(o->ctx, f, true, shift, 0.0, &matrix);
    for (int i = 0; i < n; ++i) y[i] = ac_sin(12.9898 * (i + 1)) * ac_cos(78.233 * (i + 3));
    for (int step = 0; step < INVERSE_STEPS && status == AC_OK; ++step) {
        memset(y + n, 0, (size_t)m * sizeof *y);
        status = ac_sparse_solve(matrix, y);
        double size = largest(y, n);
        for (int i = 0; i < n && size > 0.0; ++i) y[i] /= size;
    }
    if (status == AC_OK && departure(f, y, y + n + m) <= KEEPS) result->curvature = relative_curvature(f, y);
    if (status == AC_OK && result->curvature < -NEGATIVE) {
        result->direction = y;
        y = NULL;
    }
    ac_sparse_free(matrix);
    ac_release(o->ctx, y);
    return status == AC_SINGULAR ? AC_OK : status;
}

/* The least shift, within a factor, that makes the form convex; 0: none does. */
static ac_status least_shift(ac_context *ctx, const ac_form *f, double low, double most, double *shift)
{
    ac_convexity c = AC_NOT_CONVEX;
    double high = low;
    *shift = 0.0;
    while (c != AC_CONVEX && high < 1e3 * most) {
        low = high;
        high *= 100.0;
        AC_TRY(ac_form_is_convex(ctx, f, high, &c));
    }
    if (c != AC_CONVEX) return AC_OK;
    for (int k = 0; k < BISECTIONS; ++k) {
        double middle = sqrt(low * high);
        AC_TRY(ac_form_is_convex(ctx, f, middle, &c));
        if (c == AC_CONVEX)
            high = middle;
        else
            low = middle;
    }
    *shift = high;
    return AC_OK;
}

static ac_status judge_form(ac_optimization *o, const active *a, ac_optimality *result)
{
    const ac_form *f = &a->form;
    ac_convexity c;
    double most = largest(f->hessian, f->hessian_entries), slope = 0.0, shift;
    for (int i = 0; i < o->layout.variables; ++i) slope = ac_max(slope, fabs(slope_of(o, a, i)));
    if (most <= STRAIGHT * ac_max(result->size, slope) || f->variables <= f->equations) {
        result->second = AC_SECOND_HOLDS; /* linear, or without freedom */
        return AC_OK;
    }
    AC_TRY(ac_form_is_convex(o->ctx, f, SHIFT * most, &c));
    if (c == AC_CONVEX) result->second = AC_SECOND_HOLDS;
    if (c != AC_NOT_CONVEX) return AC_OK;
    AC_TRY(least_shift(o->ctx, f, SHIFT * most, most, &shift));
    if (shift > 0.0) AC_TRY(find_direction(o, f, shift, result));
    if (result->direction) result->second = AC_SECOND_FAILS;
    return AC_OK;
}

/* From free unknowns to all; the list is long enough for neither. */
static ac_status spread(ac_optimization *o, const active *a, ac_optimality *result)
{
    double *all;
    AC_NEW(o->ctx, all, o->layout.variables);
    for (int i = 0; i < a->form.variables; ++i)
        all[a->of_variable[i]] = result->direction[i] * o->layout.unit.unknown[a->of_variable[i]];
    ac_release(o->ctx, result->direction);
    result->direction = all;
    return AC_OK;
}

/* Again in units in which motion and controls are of one size. */
static ac_status judge_evenly(ac_optimization *o, active *a, ac_optimality *result)
{
    double *unit;
    AC_NEW(o->ctx, unit, a->form.variables + 1);
    ac_status status = ac_form_equilibrate(o->ctx, &a->form, a->values,
                                           a->values + o->layout.jacobian.entries, unit);
    if (status == AC_OK) status = judge_form(o, a, result);
    for (int i = 0; i < a->form.variables && result->direction; ++i) result->direction[i] *= unit[i];
    ac_release(o->ctx, unit);
    return status;
}

static ac_status judge_curvature(ac_optimization *o, ac_optimality *result)
{
    active a;
    result->second = AC_SECOND_UNKNOWN;
    result->direction = NULL;
    result->curvature = 0.0;
    ac_status status = take_active(o, NEAR_BOUND, &a);
    if (status == AC_OK) status = judge_form(o, &a, result);
    if (status == AC_OK && result->second == AC_SECOND_HOLDS && ac_control_bends_down(o, a.H))
        status = judge_evenly(o, &a, result);
    if (status == AC_OK && result->direction) status = spread(o, &a, result);
    release(o, &a);
    return status;
}

/* Multipliers by least squares, and the verdict with them. */
static ac_status judge_again(ac_optimization *o, double limit, ac_optimality *again)
{
    AC_TRY(solve_multipliers(o));
    AC_TRY(error_of(o, again));
    return again->error <= limit ? judge_curvature(o, again) : AC_OK;
}

ac_status ac_judge_second_order(ac_optimization *o, double limit, ac_optimality *result)
{
    AC_TRY(judge_curvature(o, result));
    if (result->second != AC_SECOND_FAILS || result->replaced) return AC_OK;
    ac_optimality again = {.replaced = true, .second = AC_SECOND_FAILS};
    double *kept = ac_allocate(o->ctx, (size_t)o->layout.rows + 2 * (size_t)o->layout.variables + 1,
                               sizeof *kept);
    if (!kept) return ac_out_of_memory(o->ctx);
    copy_multipliers(o, kept, false);
    ac_status status = judge_again(o, limit, &again);
    if (status == AC_OK && again.second != AC_SECOND_FAILS) {
        ac_release(o->ctx, result->direction);
        *result = again;
    } else {
        copy_multipliers(o, kept, true);
        ac_release(o->ctx, again.direction);
    }
    ac_release(o->ctx, kept);
    return status;
}

/* ---- a Newton step ---- */

/* What an active row is held at: its own value, or the bound that its multiplier, else its value, points to. */
static double held_at(const ac_optimization *o, int r, double c)
{
    double mu = o->found.multipliers[r], low = o->layout.bounds.low[r], high = o->layout.bounds.high[r];
    if (!isfinite(low) || !isfinite(high)) return isfinite(low) ? low : high;
    return mu > 0.0 || (mu == 0.0 && high - c < c - low) ? high : low;
}

/* Right-hand side of [H + eps I, A^T; A, -delta I] [d; mu] = [-g; b - c - delta mu_0] in the units of the form: where d is zero and
 * mu the present mu_0, neither eps nor delta is felt. With mu_0 = 0 multipliers stay small. */
static void fill_step(const ac_optimization *o, const active *a, const double *c, bool anew, double *y)
{
    for (int i = 0; i < a->form.variables; ++i) y[i] = -slope_of(o, a, a->of_variable[i]);
    for (int r = 0; r < o->layout.rows; ++r) {
        if (a->row[r] < 0) continue;
        double scale = a->scale[a->row[r]], mu = o->found.multipliers[r] * scale / o->layout.unit.objective;
        y[a->form.variables + a->row[r]] = (held_at(o, r, c[r]) - c[r]) / scale - (anew ? 0.0 : REGULAR * mu);
    }
}

/* Moves the point; multipliers of bounds are those of the new one. */
static void take_step(ac_optimization *o, const active *a, const double *y)
{
    double *x = o->point.x;
    for (int i = 0; i < o->layout.variables; ++i) {
        double low = o->layout.bounds.lower[i], high = o->layout.bounds.upper[i];
        if (a->variable[i] >= 0)
            x[i] += y[a->variable[i]] * o->layout.unit.unknown[i];
        else if (low < high)
            x[i] = x[i] - low <= high - x[i] ? low : high;
    }
    o->point.fresh = false;
    ac_evaluate_at(o, x);
    ac_evaluate_objective(o, a->g);
    ac_evaluate_jacobian(o, a->J);
    take_multipliers(o, a, y);
}

/* y <- matrix^-1 y with the last digits, too; `room`: twice as many numbers. */
static ac_status solve_exactly(ac_sparse *matrix, size_t size, double *y, double *room)
{
    double *rhs = room, *rest = room + size;
    memcpy(rhs, y, size * sizeof *y);
    AC_TRY(ac_sparse_solve(matrix, y));
    for (int k = 0; k < REFINEMENTS; ++k) {
        ac_sparse_multiply(matrix, y, rest);
        for (size_t i = 0; i < size; ++i) rest[i] = rhs[i] - rest[i];
        AC_TRY(ac_sparse_solve(matrix, rest));
        for (size_t i = 0; i < size; ++i) y[i] += rest[i];
    }
    return AC_OK;
}

static ac_status step_from(ac_optimization *o, const active *a, bool anew, bool *made)
{
    ac_sparse *matrix = NULL;
    size_t size = (size_t)a->form.variables + (size_t)a->form.equations;
    double *y = ac_allocate(o->ctx, 3 * size + (size_t)o->layout.rows + 1, sizeof *y), *c = y + 3 * size;
    if (!y) return ac_out_of_memory(o->ctx);
    ac_evaluate_rows(o, c);
    fill_step(o, a, c, anew, y);
    ac_status status = matrix_of(o->ctx, &a->form, true, PROXIMAL, REGULAR, &matrix);
    if (status == AC_OK) status = solve_exactly(matrix, size, y, y + size);
    *made = status == AC_OK;
    for (size_t i = 0; i < size && *made; ++i) *made = isfinite(y[i]);
    if (*made) take_step(o, a, y);
    ac_sparse_free(matrix);
    ac_release(o->ctx, y);
    return status == AC_SINGULAR ? AC_OK : status;
}

ac_status ac_newton_step(ac_optimization *o, bool anew, bool *made)
{
    active a;
    *made = false;
    ac_status status = take_active(o, -INFINITY,
                                   &a); /* by multipliers and distances alone: the rule then mends itself */
    if (status == AC_OK) status = step_from(o, &a, anew, made);
    release(o, &a);
    return status;
}
