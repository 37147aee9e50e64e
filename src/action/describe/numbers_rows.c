/* Constraints and the mass matrix along changes of their numbers. */
#include "action/describe/numbers.h"

static int first_of(const ac_varying *v, ac_number_kind kind)
{
    return v->first[kind];
}

static int end_of(const ac_varying *v, ac_number_kind kind)
{
    return v->first[kind + 1];
}

void ac_numbers_rows(const ac_varying *v, const double *numbers, const double *x, double *out)
{
    for (int k = first_of(v, AC_NUMBER_CONSTRAINT); k < end_of(v, AC_NUMBER_CONSTRAINT); ++k)
        out[v->keys[k].owner] += numbers[k] * ac_number_monomial(&v->keys[k], x);
}

void ac_numbers_rates(const ac_varying *v, const double *numbers, const double *x, const double *w,
                      double *out)
{
    for (int k = first_of(v, AC_NUMBER_CONSTRAINT); k < end_of(v, AC_NUMBER_CONSTRAINT); ++k)
        out[v->keys[k].owner] += numbers[k] * ac_number_along(&v->keys[k], x, w);
}

/* out += factor times the gradient of a monomial at x */
static void add_gradient(const ac_number_key *key, const double *x, double factor, double *out)
{
    if (key->i < 0) return;
    out[key->i] += key->j < 0 ? factor : factor * x[key->j];
    if (key->j >= 0) out[key->j] += factor * x[key->i];
}

void ac_numbers_forces(const ac_varying *v, const double *numbers, const double *x, const double *lambda,
                       double factor, double *out)
{
    for (int k = first_of(v, AC_NUMBER_CONSTRAINT); k < end_of(v, AC_NUMBER_CONSTRAINT); ++k)
        add_gradient(&v->keys[k], x, factor * numbers[k] * lambda[v->keys[k].owner], out);
}

void ac_numbers_bent(const ac_varying *v, const double *numbers, const double *lambda, const double *w,
                     double factor, double *out)
{
    for (int k = first_of(v, AC_NUMBER_CONSTRAINT); k < end_of(v, AC_NUMBER_CONSTRAINT); ++k)
        if (v->keys[k].j >= 0)
            add_gradient(&v->keys[k], w, factor * numbers[k] * lambda[v->keys[k].owner], out);
}

void ac_numbers_mass(const ac_varying *v, const double *numbers, const double *velocity, double factor,
                     double *out)
{
    for (int k = first_of(v, AC_NUMBER_MASS); k < end_of(v, AC_NUMBER_MASS); ++k)
        if (v->keys[k].owner == 0) out[v->keys[k].i] += factor * numbers[k] * velocity[v->keys[k].j];
}

void ac_numbers_pull_bent(const ac_varying *v, const double *lambda, const double *dx, const double *w,
                          double factor, double *by)
{
    for (int k = first_of(v, AC_NUMBER_CONSTRAINT); k < end_of(v, AC_NUMBER_CONSTRAINT); ++k)
        by[k] += factor * lambda[v->keys[k].owner] * ac_number_bent(&v->keys[k], dx, w);
}
