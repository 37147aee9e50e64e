/* Momenta without the coordinates that have no mass: pattern, values and solution of the projection. */
#include "action/massive.h"

#include <string.h>

#include "action/inertia.h"

static const double SLACK = 1e-13; /* of a row, in parts of one over the mean mass */

static ac_status mark(ac_massive *massive)
{
    const ac_system *system = massive->system;
    const ac_constraints *c = &system->constraints;
    for (int i = 0; i < system->n + c->count; ++i) AC_TRY(ac_sparse_mark(massive->matrix, i, i));
    AC_TRY(ac_mass_mark(system, massive->matrix));
    for (int row = 0; row < c->count; ++row) {
        if (!massive->kept[row]) continue;
        for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
            AC_TRY(ac_sparse_mark(massive->matrix, system->n + row, c->coordinate[s]));
            AC_TRY(ac_sparse_mark(massive->matrix, c->coordinate[s], system->n + row));
        }
    }
    return ac_sparse_freeze(massive->matrix);
}

ac_status ac_massive_create(ac_context *ctx, const ac_system *system, const bool *massless,
                            ac_massive *massive)
{
    const ac_constraints *c = &system->constraints;
    massive->system = system;
    massive->massless = massless;
    AC_NEW(ctx, massive->kept, c->count);
    AC_NEW(ctx, massive->x, system->n + c->count);
    for (int row = 0; row < c->count; ++row) {
        massive->kept[row] = true;
        for (int s = c->start[row]; s < c->start[row + 1]; ++s)
            if (massless[c->coordinate[s]]) massive->kept[row] = false;
    }
    ac_massive_restart(massive, system);
    AC_TRY(ac_sparse_new(ctx, system->n + c->count, &massive->matrix));
    return mark(massive);
}

void ac_massive_restart(ac_massive *massive, const ac_system *system)
{
    double sum = 0.0;
    for (int k = 0; k < system->inertia.count; ++k) sum += system->inertia.entries[k].coefficient;
    massive->slack = SLACK * system->inertia.count / sum;
}

void ac_massive_destroy(ac_context *ctx, ac_massive *massive)
{
    ac_sparse_free(massive->matrix);
    ac_release(ctx, massive->kept);
    ac_release(ctx, massive->x);
    memset(massive, 0, sizeof *massive);
}

static void fill(ac_massive *massive, const double *q)
{
    const ac_system *system = massive->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    ac_sparse_clear(massive->matrix);
    for (int i = 0; i < system->n; ++i)
        if (massive->massless[i]) ac_sparse_add(massive->matrix, i, i, 1.0);
    ac_mass_fill(system, massive->matrix);
    for (int row = 0; row < c->count; ++row) {
        int place = system->n + row;
        ac_sparse_add(massive->matrix, place, place, massive->kept[row] ? -massive->slack : 1.0);
        if (!massive->kept[row]) continue;
        ac_constraint_gradient(system, row, q, gradient);
        for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
            double value = gradient[s - c->start[row]];
            ac_sparse_add(massive->matrix, place, c->coordinate[s], value);
            ac_sparse_add(massive->matrix, c->coordinate[s], place, value);
        }
    }
}

ac_status ac_massive_energy(ac_massive *massive, const double *q, const double *p, double *energy)
{
    const ac_system *system = massive->system;
    memset(massive->x, 0, (size_t)(system->n + system->constraints.count) * sizeof *massive->x);
    for (int i = 0; i < system->n; ++i) massive->x[i] = massive->massless[i] ? 0.0 : p[i];
    fill(massive, q);
    AC_TRY(ac_sparse_factor(massive->matrix));
    AC_TRY(ac_sparse_solve(massive->matrix, massive->x));
    *energy = 0.0; /* v . M v = v . p, because G v = 0 */
    for (int i = 0; i < system->n; ++i)
        if (!massive->massless[i]) *energy += 0.5 * massive->x[i] * p[i];
    return AC_OK;
}
