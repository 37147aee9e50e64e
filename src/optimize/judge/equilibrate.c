/* Quadratic forms in units of their own, see equilibrate.h. */
#include "optimize/judge/equilibrate.h"

#include <math.h>

#include "math/math.h"
#include "optimize/phases/phases.h"

enum { SWEEPS = 4 };
static const double NEGATIVE = 1e-9; /* of the largest entry by controls */

/* The first of all unknowns that are controls of a phase, and how many there are. */
static int controls_of(const ac_optimization *o, int phase, int *first)
{
    const ac_phases *p = o->description.phases;
    const ac_optimization *own = p ? p->list[phase] : o;
    *first = own->layout.first.control + (p ? p->first_variable[phase] : 0);
    return own->layout.N * own->description.control_count;
}

bool ac_control_bends_down(const ac_optimization *o, const double *H)
{
    const ac_pattern *p = &o->layout.hessian;
    int phases = o->description.phases ? o->description.phases->count : 1, first;
    double least = 0.0, most = 0.0;
    for (int k = 0; k < phases; ++k) {
        int count = controls_of(o, k, &first);
        for (int i = first; i < first + count; ++i) {
            bool free = isinf(o->layout.bounds.lower[i]) && isinf(o->layout.bounds.upper[i]);
            for (int e = p->start[i]; e < p->start[i + 1] && free; ++e) {
                if (p->column[e] != i) continue;
                least = ac_min(least, H[e]);
                most = ac_max(most, fabs(H[e]));
            }
        }
    }
    return least < -NEGATIVE * most;
}

/* The largest entry of each row, or of each column, into a list. */
static void largest(const ac_form *f, const int *index, const double *values, int count, double *size)
{
    for (int i = 0; i < count; ++i) size[i] = 0.0;
    for (int e = 0; e < f->jacobian_entries; ++e) size[index[e]] = ac_max(size[index[e]], fabs(values[e]));
    for (int i = 0; i < count; ++i)
        if (!(size[i] > 0.0)) size[i] = 1.0;
}

ac_status ac_form_equilibrate(ac_context *ctx, const ac_form *form, double *jacobian, double *hessian,
                              double *column)
{
    int n = form->variables, m = form->equations;
    double *size = ac_allocate(ctx, (size_t)n + (size_t)m + 1, sizeof *size);
    if (!size) return ac_out_of_memory(ctx);
    for (int i = 0; i < n; ++i) column[i] = 1.0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        largest(form, form->jacobian_row, jacobian, m, size);
        for (int e = 0; e < form->jacobian_entries; ++e) jacobian[e] /= size[form->jacobian_row[e]];
        largest(form, form->jacobian_column, jacobian, n, size);
        for (int e = 0; e < form->jacobian_entries; ++e) jacobian[e] /= size[form->jacobian_column[e]];
        for (int i = 0; i < n; ++i) column[i] /= size[i];
    }
    for (int e = 0; e < form->hessian_entries; ++e)
        hessian[e] *= column[form->hessian_row[e]] * column[form->hessian_column[e]];
    ac_release(ctx, size);
    return AC_OK;
}
