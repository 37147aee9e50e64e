/* Stability: the signs of the Hessian on the motions that the constraints allow.
 *
 * L D L^T of the bordered matrix [K J^T; J 0] within its envelope counts its eigenvalues by sign
 * (Sylvester); each independent
 * closure equation contributes one of each sign, the rest belongs to the reduced Hessian. */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"

static const double ZERO = 1e-12; /* relative to the largest pivot seen */

typedef struct envelope {
    int n;
    int *first;    /* of each row: its first column */
    size_t *start; /* place of column 0 of each row, if the row began there */
    double *value;
} envelope;

static ac_status allocate(ac_equilibrium *e, envelope *v)
{
    AC_NEW(e->ctx, v->first, v->n);
    AC_NEW(e->ctx, v->start, v->n + 1);
    size_t total = 0;
    for (int i = 0; i < v->n; ++i) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(e->tangent.matrix, i, &count, &rows, &values);
        v->first[i] = count > 0 && rows[0] < i ? rows[0] : i;
        v->start[i] = total;
        total += (size_t)(i - v->first[i] + 1);
    }
    v->start[v->n] = total;
    AC_NEW(e->ctx, v->value, total);
    return AC_OK;
}

static double *at(envelope *v, int row, int column)
{
    return v->value + v->start[row] + (column - v->first[row]);
}

/* The symmetric part of the matrix. */
static void fill(ac_equilibrium *e, envelope *v)
{
    for (int j = 0; j < v->n; ++j) {
        int count;
        const int *rows;
        const double *values;
        ac_sparse_column(e->tangent.matrix, j, &count, &rows, &values);
        for (int k = 0; k < count; ++k) {
            int high = rows[k] > j ? rows[k] : j, low = rows[k] > j ? j : rows[k];
            if (low >= v->first[high]) *at(v, high, low) += high == low ? values[k] : 0.5 * values[k];
        }
    }
}

static void factor(envelope *v, int *negative, int *neutral)
{
    double largest = 0.0;
    for (int i = 0; i < v->n; ++i) {
        for (int j = v->first[i]; j < i; ++j) {
            int from = v->first[i] > v->first[j] ? v->first[i] : v->first[j];
            double sum = *at(v, i, j);
            for (int k = from; k < j; ++k) sum -= *at(v, i, k) * *at(v, j, k);
            *at(v, i, j) = sum; /* L D so far */
        }
        double pivot = *at(v, i, i);
        for (int j = v->first[i]; j < i; ++j) {
            double *entry = at(v, i, j), scaled = *entry / *at(v, j, j);
            pivot -= *entry * scaled;
            *entry = scaled;
        }
        largest = fmax(largest, fabs(pivot));
        if (fabs(pivot) <= ZERO * largest) {
            ++*neutral;
            pivot = ZERO * largest;
        } else if (pivot < 0.0) {
            ++*negative;
        }
        *at(v, i, i) = pivot;
    }
}

ac_status ac_rest_stability(ac_equilibrium *e, int *negative, int *neutral)
{
    envelope v = {.n = e->size};
    *negative = *neutral = 0;
    ac_status status = allocate(e, &v);
    if (status == AC_OK) {
        fill(e, &v);
        factor(&v, negative, neutral);
        for (int c = 0; c < e->closures; ++c) *negative -= !e->omitted[c];
    }
    ac_release(e->ctx, v.first);
    ac_release(e->ctx, v.start);
    ac_release(e->ctx, v.value);
    return status;
}
