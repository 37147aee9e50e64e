/* Velocities and accelerations of a configuration with what a phase holds:
 *
 *   [ M  G^T ] [ x ]   [ p               ]     p: momentum or force;  G: constraints of the system, quantities that are held
 *   [ G   0  ] [ y ] = [ rates - v G'' v ]
 */
#include <string.h>

#include "action/inertia.h"
#include "action/interval.h"
#include "optimize/replay/replay.h"

/* A row of G on its coordinates. */
typedef struct equation_row {
    int count, stride; /* stride: of the second derivatives, which go on to the data behind the coordinates */
    const int *at;
    double gradient[AC_SCALAR_MAX], hessian[AC_SCALAR_MAX * AC_SCALAR_MAX];
} equation_row;

static void system_row(const ac_equations *e, int k, const double *q, equation_row *row)
{
    const ac_constraints *c = &e->system->constraints;
    int own = e->rows[k];
    row->count = c->start[own + 1] - c->start[own];
    row->at = c->coordinate + c->start[own];
    if (q) ac_constraint_gradient(e->system, own, q, row->gradient);
}

static void held_row(const ac_equations *e, int k, const double *q, equation_row *row)
{
    const ac_scalars *scalars = &e->phase->description.scalars;
    int scalar = e->scalars[k];
    row->count = scalars->list[scalar].plain;
    row->stride = scalars->list[scalar].count;
    row->at = ac_scalar_coordinates(scalars, scalar);
    if (q)
        ac_scalar_evaluate(scalars, scalar, q, e->phase->point.scalar_windings[scalar], row->gradient,
                           row->hessian);
}

static void row_of(const ac_equations *e, int k, const double *q, equation_row *row)
{
    if (k < e->constraints)
        system_row(e, k, q, row);
    else
        held_row(e, k - e->constraints, q, row);
}

static ac_status mark(ac_equations *e)
{
    const ac_system *system = e->system;
    equation_row row;
    AC_TRY(ac_mass_mark(system, e->matrix));
    for (int k = 0; k < e->size - system->n; ++k) {
        row_of(e, k, NULL, &row);
        for (int i = 0; i < row.count; ++i) {
            AC_TRY(ac_sparse_mark(e->matrix, system->n + k, row.at[i]));
            AC_TRY(ac_sparse_mark(e->matrix, row.at[i], system->n + k));
        }
    }
    return ac_sparse_freeze(e->matrix);
}

/* Rows of loops that the transcription has as equations are independent; those of the tree are anyway. */
static void choose_rows(ac_equations *e)
{
    const ac_optimization_layout *layout = &e->phase->layout;
    while (e->constraints < e->system->constraints.closure) {
        e->rows[e->constraints] = e->constraints;
        ++e->constraints;
    }
    for (int k = 0; k < layout->used_constraints; ++k)
        if (layout->constraint_rows[k] >= e->system->constraints.closure)
            e->rows[e->constraints++] = layout->constraint_rows[k];
}

ac_status ac_equations_open(ac_optimization *phase, int count, const int *scalars, ac_equations *e)
{
    const ac_system *system = phase->system;
    *e = (ac_equations){.system = system, .phase = phase, .count = count};
    AC_NEW(phase->ctx, e->rows, system->constraints.count + 1);
    AC_NEW(phase->ctx, e->scalars, count + 1);
    choose_rows(e);
    e->size = system->n + e->constraints + count;
    AC_NEW(phase->ctx, e->right, e->size);
    AC_NEW(phase->ctx, e->curve, system->constraints.count + 1);
    /* a phase may hold nothing */
    if (count > 0) memcpy(e->scalars, scalars, (size_t)count * sizeof *scalars);
    AC_TRY(ac_sparse_new(phase->ctx, e->size, &e->matrix));
    return mark(e);
}

void ac_equations_close(ac_context *ctx, ac_equations *e)
{
    if (e->matrix) ac_sparse_free(e->matrix);
    ac_release(ctx, e->rows);
    ac_release(ctx, e->scalars);
    ac_release(ctx, e->right);
    ac_release(ctx, e->curve);
    *e = (ac_equations){0};
}

ac_status ac_equations_factor(ac_equations *e, const double *q)
{
    const ac_system *system = e->system;
    equation_row row = {0};
    ac_sparse_clear(e->matrix);
    ac_mass_fill(system, e->matrix);
    for (int k = 0; k < e->size - system->n; ++k) {
        row_of(e, k, q, &row);
        for (int i = 0; i < row.count; ++i) {
            ac_sparse_add(e->matrix, system->n + k, row.at[i], row.gradient[i]);
            ac_sparse_add(e->matrix, row.at[i], system->n + k, row.gradient[i]);
        }
    }
    return ac_sparse_factor(e->matrix);
}

/* Rows -(v G'' v) of what is held. */
static void bend(const ac_equations *e, const double *q, const double *v, double *out)
{
    equation_row row;
    for (int k = 0; k < e->count; ++k) {
        held_row(e, k, q, &row);
        for (int i = 0; i < row.count; ++i)
            for (int j = 0; j < row.count; ++j)
                out[k] -= v[row.at[i]] * row.hessian[i * row.stride + j] * v[row.at[j]];
    }
}

ac_status ac_equations_solve(ac_equations *e, const double *q, const double *p, const double *rates,
                             const double *curve, double *out)
{
    int n = e->system->n;
    double *held = e->right + n + e->constraints;
    memset(e->right, 0, (size_t)e->size * sizeof *e->right);
    memcpy(e->right, p, (size_t)n * sizeof *p);
    if (curve) {
        ac_constraints_curve(e->system, curve, curve, e->curve);
        for (int k = 0; k < e->constraints; ++k) e->right[n + k] = -e->curve[e->rows[k]];
        bend(e, q, curve, held);
    }
    for (int k = 0; rates && k < e->count; ++k) held[k] += rates[k];
    AC_TRY(ac_sparse_solve(e->matrix, e->right));
    memcpy(out, e->right, (size_t)n * sizeof *out);
    return AC_OK;
}
