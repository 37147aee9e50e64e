/* Factors kept from step to step, for beams: a factorisation costs as much as several corrections, and along
 * a beam the matrix, seen from the nodes, changes with the strains only. An exact matrix leaves the square of
 * a correction, an old one leaves a part of it: how much is watched, and the exact matrix is taken when it is
 * too much, or when old factors have cost more than new ones.
 */

#include "integrate/reduced.h"
#include "math/math.h"

/* What an old matrix leaves of a correction is not taken for less than the first, and until two corrections
 * show more, for the second. */
static const double LEFT_AT_LEAST = 1e-3, LEFT_AT_FIRST = 0.02;
/* What new factors cost, in corrections. */
enum { PRICE = 8 };
/* A first correction above this, in rad or lengths, is not trusted to old factors. */
static const double FAR = 1e-2;
/* What is left of the error counts as rounding below the first; corrections above the second are never
 * taken for rounding; all that remains of corrections below the third, or below the rounding of the
 * coordinates, is the rounding of the residual. */
static const double ROUNDED = 1e-15, NOT_ROUNDED = 1.1e-9, NOISE = 1e-14;

/* Will old factors, which leave `ratio` of a correction, do with fewer corrections than new ones cost? */
static bool still_pays(double size, double ratio)
{
    return ratio < 1.0 && ac_log(ROUNDED / size) >= PRICE * ac_log(ratio);
}

ac_status ac_reduced_correct_kept(ac_stepper *s, ac_reduced *d)
{
    const ac_tree_pair ends = {.system = s->system, .qa = s->qa, .qb = s->qb};
    bool at_start = d->kept.corrections == 0;
    if (d->kept.factored && d->kept.h == s->interval.h && !(at_start && d->kept.stale)) {
        ac_tree_blocks_solve(&d->blocks, &ends, d->r, d->delta);
        double size = ac_reduced_largest(d->freedoms, d->delta, d->unit, NULL);
        double noise = ac_max(NOISE, s->limits.rounding);
        d->kept.ratio = at_start        ? LEFT_AT_FIRST
                        : size <= noise ? 0.0
                                        : ac_max(LEFT_AT_LEAST, size / d->kept.last);
        d->kept.last = size;
        bool good = at_start ? size <= FAR : size <= noise || still_pays(size, d->kept.ratio);
        if (good) {
            ++d->kept.corrections;
            return AC_OK;
        }
    }
    ac_tree_joint_columns(s->system, d->state_b, s->qb, d->columns_b);
    ac_reduced_sparse_matrix(s, d);
    ac_reduced_weigh(d);
    d->kept.ratio = 0.0;
    d->kept.stale = false;
    d->kept.age = d->kept.surplus = 0;
    if (at_start) d->kept.usual = 0;
    d->kept.factored = ac_tree_blocks_factor(&d->blocks, &ends);
    d->kept.h = s->interval.h;
    if (!d->kept.factored) return ac_fail(s->ctx, AC_SINGULAR, "the reduced matrix is singular");
    ac_tree_blocks_solve(&d->blocks, &ends, d->r, d->delta);
    d->kept.last = ac_reduced_largest(d->freedoms, d->delta, d->unit, NULL);
    ++d->kept.corrections;
    return AC_OK;
}

double ac_reduced_judged(const ac_reduced *d, double size)
{
    return d->kept.ratio * size > ROUNDED ? ac_max(size, NOT_ROUNDED) : size;
}

/* Factors that grow old cost more corrections in every step. New ones pay when all steps together would
 * have gained their price, had each step cost as much as the last one. */
void ac_reduced_grow_older(ac_reduced *d)
{
    if (d->kept.usual == 0 || d->kept.corrections < d->kept.usual) d->kept.usual = d->kept.corrections;
    int more = d->kept.corrections - d->kept.usual;
    ++d->kept.age;
    d->kept.surplus += more;
    d->kept.stale = d->kept.age * more - d->kept.surplus >= PRICE;
}
