/* Impulses of contacts that support each other: a crate on four corners has one corner more than its freedoms need.
 *
 * All Lambda + Z y, Z the null space of J^T, hold the same motion. Of these the smallest is taken in which contacts push, if
 * there is one: min |y|^2 with the signs of the normal impulses as conditions, by coordinate ascent in its dual (Hildreth).
 * A contact then pulls only if no distribution lets all of them push.
 */
#include <math.h>
#include <string.h>

#include "integrate/impacts/impacts.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9, PUSHES = 1e-10;
enum { SWEEPS = 200 };

ac_status ac_spread_create(ac_stepper *s, int most_rows, int freedoms, ac_spread *spread)
{
    size_t rows = (size_t)most_rows;
    AC_NEW(s->ctx, spread->transposed, rows * (size_t)freedoms);
    AC_NEW(s->ctx, spread->Z, rows * rows);
    AC_NEW(s->ctx, spread->dual, rows);
    AC_NEW(s->ctx, spread->lambda, rows);
    AC_NEW(s->ctx, spread->doubles, ac_row_space_doubles(freedoms, most_rows));
    AC_NEW(s->ctx, spread->ints, ac_row_space_ints(freedoms, most_rows));
    return AC_OK;
}

void ac_spread_destroy(ac_context *ctx, ac_spread *spread)
{
    void *blocks[] = {spread->transposed, spread->Z,       spread->dual,
                      spread->lambda,     spread->doubles, spread->ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}

/* Z for the rows that are active; returns its columns. */
static int find_freedom(ac_impacts *im)
{
    const ac_jump *j = &im->jump;
    ac_spread *spread = &im->spread;
    ac_row_space space;
    for (int r = 0; r < j->rows; ++r)
        for (int i = 0; i < j->freedoms; ++i) spread->transposed[i * j->rows + r] = j->J[r * j->freedoms + i];
    ac_row_space_place(&space, j->freedoms, j->rows, spread->doubles, spread->ints);
    ac_row_space_factor(&space, spread->transposed, RANK_TOLERANCE, j->freedoms);
    ac_row_space_null(&space, spread->Z);
    return j->rows - space.rank;
}

/* lambda += Z x Z_r, the change of all rows along the constraint of row r. */
static void move_along(const ac_spread *spread, int rows, int k, int r, double x, double *lambda)
{
    const double *own = spread->Z + (size_t)r * (size_t)k;
    for (int i = 0; i < rows; ++i) {
        double sum = 0.0;
        for (int c = 0; c < k; ++c) sum += spread->Z[i * k + c] * own[c];
        lambda[i] += x * sum;
    }
}

/* One sweep over the contacts; returns the largest pull that it met. */
static double sweep(ac_impacts *im, int k, double push, double *lambda)
{
    ac_spread *spread = &im->spread;
    double worst = 0.0;
    for (int c = 0; c < im->stepper->system->contact_count; ++c) {
        if (!im->touches[c].closed || im->stepper->system->contacts[c].keep) continue;
        int r = ac_touch_first_row(im, c);
        double square = 0.0, own = push * lambda[r];
        for (int i = 0; i < k; ++i) square += spread->Z[r * k + i] * spread->Z[r * k + i];
        worst = ac_max(worst, -own);
        if (!(square > RANK_TOLERANCE)) continue;
        double next = ac_max(0.0, spread->dual[r] - own / square), change = next - spread->dual[r];
        spread->dual[r] = next;
        if (change != 0.0) move_along(spread, im->jump.rows, k, r, push * change, lambda);
    }
    return worst;
}

void ac_spread_impulses(ac_impacts *im, double push, double *lambda)
{
    const ac_jump *j = &im->jump;
    ac_spread *spread = &im->spread;
    if (j->space.rank >= j->rows) return;
    int k = find_freedom(im);
    for (int c = 0; c < k; ++c) { /* the shortest of them */
        double part = 0.0;
        for (int r = 0; r < j->rows; ++r) part += spread->Z[r * k + c] * lambda[r];
        for (int r = 0; r < j->rows; ++r) lambda[r] -= part * spread->Z[r * k + c];
    }
    double most = 0.0, worst = INFINITY;
    size_t bytes = (size_t)j->rows * sizeof *lambda;
    for (int r = 0; r < j->rows; ++r) most = ac_max(most, fabs(lambda[r]));
    memcpy(spread->lambda, lambda, bytes);
    memset(spread->dual, 0, bytes);
    for (int n = 0; n < SWEEPS && worst > PUSHES * most; ++n) worst = sweep(im, k, push, spread->lambda);
    if (worst <= PUSHES * most) memcpy(lambda, spread->lambda, bytes);
}
