/* Signs of the eigenvalues of a sparse symmetric matrix, definite or not: L D L^T row by row, with pivots of one and two
 * rows. Pivots are taken where the fewest entries are left, as far as they are large beside the rest of their rows; where
 * none of the sparsest is, the search of Rook (Ashcraft, Grimes, Lewis) finds one that is. L is not kept. */
#include <math.h>
#include <stdbool.h>

#include "linalg/inertia.h"
#include "math/math.h"

static const double STABLE = 0.1; /* a pivot beside the largest entry of its row */
static const double ROOK = 0.64;  /* (1 + sqrt 17) / 8: growth is bounded */
enum { TRIES = 24, SCALINGS = 3 };

typedef struct sparse_row { /* without the diagonal; both halves are kept */
    int count, capacity, column_capacity;
    int *column;
    double *value;
    /* the largest entry, where it is, and the next one; of the row as it was when they were looked for */
    bool known;
    int at;
    double most, second;
} sparse_row;

typedef struct elimination {
    ac_context *ctx;
    int n, least; /* least: no row has fewer entries */
    sparse_row *rows;
    double *diagonal;
    int *first, *next, *before; /* rows by their number of entries, doubly linked; first[n]: none yet */
    int *place;                 /* of a column in the row at work, counted from 1 */
    int *list;                  /* rows that the pivot meets, ... */
    double *a, *b;              /* ... and their entries in its two columns */
    int met;
} elimination;

/* --- rows by the number of their entries --- */

static void take_out(elimination *s, int i)
{
    if (s->before[i] >= 0)
        s->next[s->before[i]] = s->next[i];
    else
        s->first[s->rows[i].count] = s->next[i];
    if (s->next[i] >= 0) s->before[s->next[i]] = s->before[i];
}

static void put_in(elimination *s, int i)
{
    int count = s->rows[i].count;
    s->before[i] = -1;
    s->next[i] = s->first[count];
    if (s->next[i] >= 0) s->before[s->next[i]] = i;
    s->first[count] = i;
    if (count < s->least) s->least = count;
}

/* --- entries --- */

static ac_status append(elimination *s, int i, int column, double value)
{
    sparse_row *r = &s->rows[i];
    AC_TRY(ac_grow(s->ctx, (void **)&r->column, &r->column_capacity, r->count + 1, sizeof *r->column));
    AC_TRY(ac_grow(s->ctx, (void **)&r->value, &r->capacity, r->count + 1, sizeof *r->value));
    r->column[r->count] = column;
    r->value[r->count++] = value;
    return AC_OK;
}

static void drop(sparse_row *r, int column)
{
    for (int k = 0; k < r->count; ++k)
        if (r->column[k] == column) {
            --r->count;
            r->column[k] = r->column[r->count];
            r->value[k] = r->value[r->count];
            return;
        }
}

static void look_for_largest(sparse_row *r)
{
    r->known = true;
    r->at = -1;
    r->most = r->second = 0.0;
    for (int k = 0; k < r->count; ++k) {
        double size = fabs(r->value[k]);
        if (size > r->most) {
            r->second = r->most;
            r->most = size;
            r->at = r->column[k];
        } else if (size > r->second) {
            r->second = size;
        }
    }
}

static double largest_but(sparse_row *r, int but)
{
    if (!r->known) look_for_largest(r);
    return r->at == but ? r->second : r->most;
}

/* --- pivots --- */

static bool stands_alone(elimination *s, int p)
{
    return fabs(s->diagonal[p]) >= STABLE * largest_but(&s->rows[p], -1);
}

/* Is the inverse of the pair times the rest of its rows bounded? */
static bool stands_paired(elimination *s, int p, int q, double between)
{
    double a = s->diagonal[p], c = s->diagonal[q], det = fabs(a * c - between * between);
    double x = largest_but(&s->rows[p], q), y = largest_but(&s->rows[q], p);
    return det > 0.0 && STABLE * (fabs(c) * x + fabs(between) * y) <= det &&
           STABLE * (fabs(between) * x + fabs(a) * y) <= det;
}

/* The partner of p with the fewest entries; -1: none. */
static int find_partner(elimination *s, int p)
{
    const sparse_row *r = &s->rows[p];
    int best = -1;
    for (int k = 0; k < r->count; ++k) {
        int q = r->column[k];
        if (best >= 0 && s->rows[q].count >= s->rows[best].count) continue;
        if (stands_paired(s, p, q, r->value[k])) best = q;
    }
    return best;
}

static void search_rook(elimination *s, int start, int *p, int *q)
{
    double before = 0.0;
    *p = start;
    *q = -1;
    for (;;) {
        sparse_row *r = &s->rows[*p];
        double most = largest_but(r, -1);
        int at = r->at;
        if (at < 0 || fabs(s->diagonal[*p]) >= ROOK * most) {
            *q = -1;
            return;
        }
        if (*q >= 0 && most <= before) return; /* largest in both rows */
        before = most;
        *q = *p;
        *p = at;
    }
}

/* Of the rows with the fewest entries the pivot that meets the fewest others; q = -1: a pivot of one row. */
static void choose(elimination *s, int *p, int *q)
{
    int tries = 0, start = -1, best = s->n + s->n;
    *p = *q = -1;
    while (s->first[s->least] < 0) ++s->least;
    for (int count = s->least; count < s->n && count < best && tries < TRIES; ++count)
        for (int i = s->first[count]; i >= 0 && tries < TRIES; i = s->next[i], ++tries) {
            if (start < 0) start = i;
            bool alone = stands_alone(s, i);
            int partner = alone ? -1 : find_partner(s, i);
            if (!alone && partner < 0) continue;
            int meets = alone ? count : count + s->rows[partner].count - 2;
            if (meets >= best) continue;
            best = meets;
            *p = i;
            *q = partner;
        }
    if (best == s->n + s->n) search_rook(s, start, p, q);
}

/* --- elimination --- */

/* The rows that p and q meet, with their entries there. */
static void gather(elimination *s, int p, int q)
{
    const sparse_row *r = &s->rows[p];
    s->met = 0;
    for (int k = 0; k < r->count; ++k) {
        if (r->column[k] == q) continue;
        s->place[r->column[k]] = s->met + 1;
        s->list[s->met] = r->column[k];
        s->a[s->met] = r->value[k];
        s->b[s->met++] = 0.0;
    }
    r = q >= 0 ? &s->rows[q] : NULL;
    for (int k = 0; r && k < r->count; ++k) {
        int i = r->column[k];
        if (i == p) continue;
        if (s->place[i] == 0) {
            s->place[i] = s->met + 1;
            s->list[s->met] = i;
            s->a[s->met++] = 0.0;
        }
        s->b[s->place[i] - 1] = r->value[k];
    }
    for (int k = 0; k < s->met; ++k) s->place[s->list[k]] = 0;
}

typedef struct pivot { /* [a b; b c]; of one row: c = 1, b = 0 */
    int p, q;
    double a, b, c, det;
} pivot;

/* What the elimination takes from the entry of rows i and j of the list: the same bits as from j and i, so that both halves
 * have the same entries. */
static double correction(const elimination *s, const pivot *d, int i, int j)
{
    double ai = s->a[i], bi = s->b[i], aj = s->a[j], bj = s->b[j];
    return d->det == 0.0 ? 0.0 : (d->c * (ai * aj) - d->b * (ai * bj + bi * aj) + d->a * (bi * bj)) / d->det;
}

/* Row number k of the list. */
static ac_status update(elimination *s, const pivot *d, int k)
{
    int i = s->list[k];
    sparse_row *r = &s->rows[i];
    r->known = false;
    drop(r, d->p);
    if (d->q >= 0) drop(r, d->q);
    for (int t = 0; t < r->count; ++t) s->place[r->column[t]] = t + 1;
    s->diagonal[i] -= correction(s, d, k, k);
    ac_status status = AC_OK;
    for (int j = 0; j < s->met && status == AC_OK; ++j) {
        int column = s->list[j];
        double change = j == k ? 0.0 : correction(s, d, k, j);
        if (change == 0.0) continue;
        if (s->place[column] > 0)
            r->value[s->place[column] - 1] -= change;
        else
            status = append(s, i, column, -change);
    }
    for (int t = 0; t < r->count; ++t) s->place[r->column[t]] = 0;
    return status;
}

static ac_status eliminate(elimination *s, int p, int q, int *negative)
{
    pivot d = {.p = p, .q = q, .a = s->diagonal[p], .c = q >= 0 ? s->diagonal[q] : 1.0};
    for (int k = 0; q >= 0 && k < s->rows[p].count; ++k)
        if (s->rows[p].column[k] == q) d.b = s->rows[p].value[k];
    d.det = d.a * d.c - d.b * d.b;
    *negative += d.det < 0.0 ? 1 : q >= 0 && d.a < 0.0 ? 2 : 0;
    gather(s, p, q);
    take_out(s, p);
    if (q >= 0) take_out(s, q);
    for (int k = 0; k < s->met; ++k) {
        take_out(s, s->list[k]);
        ac_status status = update(s, &d, k);
        put_in(s, s->list[k]);
        AC_TRY(status);
    }
    return AC_OK;
}

/* --- the matrix --- */

/* Congruence by a diagonal matrix, which changes no sign: the largest entry of each row near one. */
static void scale(int n, const int *start, const int *row, const double *value, double *factor, double *most)
{
    for (int i = 0; i < n; ++i) factor[i] = 1.0;
    for (int pass = 0; pass < SCALINGS; ++pass) {
        for (int j = 0; j < n; ++j) {
            most[j] = 0.0;
            for (int k = start[j]; k < start[j + 1]; ++k)
                most[j] = ac_max(most[j], fabs(value[k]) * factor[row[k]] * factor[j]);
        }
        for (int j = 0; j < n; ++j)
            if (most[j] > 0.0) factor[j] /= sqrt(most[j]);
    }
}

static ac_status fill(elimination *s, const int *start, const int *row, const double *value)
{
    double *factor = s->a;
    scale(s->n, start, row, value, factor, s->b);
    for (int j = 0; j < s->n; ++j)
        for (int k = start[j]; k < start[j + 1]; ++k) {
            double entry = value[k] * factor[row[k]] * factor[j];
            if (row[k] == j)
                s->diagonal[j] += entry;
            else if (entry != 0.0)
                AC_TRY(append(s, j, row[k], entry));
        }
    for (int j = 0; j <= s->n; ++j) s->first[j] = -1;
    s->least = s->n;
    for (int j = 0; j < s->n; ++j) put_in(s, j);
    return AC_OK;
}

static ac_status create(elimination *s)
{
    size_t n = (size_t)s->n;
    AC_NEW(s->ctx, s->rows, n);
    AC_NEW(s->ctx, s->diagonal, n);
    AC_NEW(s->ctx, s->first, n + 1);
    AC_NEW(s->ctx, s->next, n);
    AC_NEW(s->ctx, s->before, n);
    AC_NEW(s->ctx, s->place, n);
    AC_NEW(s->ctx, s->list, n);
    AC_NEW(s->ctx, s->a, n);
    AC_NEW(s->ctx, s->b, n);
    return AC_OK;
}

static void destroy(elimination *s)
{
    for (int i = 0; s->rows && i < s->n; ++i) {
        ac_release(s->ctx, s->rows[i].column);
        ac_release(s->ctx, s->rows[i].value);
    }
    void *blocks[] = {s->rows, s->diagonal, s->first, s->next, s->before, s->place, s->list, s->a, s->b};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
}

static ac_status count(elimination *s, const int *start, const int *row, const double *value, int *negative)
{
    AC_TRY(create(s));
    AC_TRY(fill(s, start, row, value));
    for (int left = s->n; left > 0;) {
        int p, q;
        choose(s, &p, &q);
        AC_TRY(eliminate(s, p, q, negative));
        for (int k = 0; k < 2; ++k) { /* rows that are done need no memory */
            int i = k == 0 ? p : q;
            if (i < 0) continue;
            ac_release(s->ctx, s->rows[i].column);
            ac_release(s->ctx, s->rows[i].value);
            s->rows[i] = (sparse_row){0};
            --left;
        }
    }
    return AC_OK;
}

ac_status ac_negative_eigenvalues_sparse(ac_context *ctx, int n, const int *start, const int *row,
                                         const double *value, int *negative)
{
    elimination s = {.ctx = ctx, .n = n};
    *negative = 0;
    ac_status status = count(&s, start, row, value, negative);
    destroy(&s);
    return status;
}
