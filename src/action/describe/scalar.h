/* Scalars of one configuration: joint coordinates, places of points, distances, clearances, components of
 * directions, anything that is a small function of quadratic maps, y = psi(kappa(q)), with exact
 * derivatives to the third. The functions psi are in outer.h.
 */
#ifndef ACTIO_ACTION_DESCRIBE_SCALAR_H
#define ACTIO_ACTION_DESCRIBE_SCALAR_H

#include "base/outer.h"
#include "action/parameters/vary.h"
#include "model/system.h"

enum { AC_SCALAR_MAX = AC_ELEMENT_MAX + AC_GAP_DATA };

typedef struct ac_varied ac_varied;

typedef struct ac_scalar {
    ac_outer outer;
    int first_form;
    int start, count; /* the coordinates it touches: a piece of the list */
    int plain; /* of them: coordinates of q, which come first; the others are moving data behind them */
    ac_varied *varied; /* its map depends on moving data; NULL: it does not */
    /* a quantity of the motion: only motion.h evaluates it; NULL: it is none */
    struct ac_balance_source *motion;
    int measure;           /* of the system that it is, or the square of it; -1: none */
    int joint, coordinate; /* of the joint whose coordinate it is; -1: none */
} ac_scalar;

typedef struct ac_scalars {
    ac_context *ctx;
    const struct ac_discrete *discrete; /* the controls whose speeds terms may use */
    int count, capacity;
    ac_scalar *list;
    ac_forms forms; /* over slots: slot s of a scalar is its s-th coordinate */
    int *coordinate;
    int coordinate_count, coordinate_capacity;
} ac_scalars;

void ac_scalars_begin(ac_scalars *set, ac_context *ctx);
void ac_scalars_end(ac_scalars *set);

/* A scalar from maps that the caller adds to set->forms with coordinates of q as indices (ac_forms_begin and
 * terms, twice for an angle: cosine, sine), starting at map number first_form. */
ac_status ac_scalars_close(ac_scalars *set, ac_measure_kind kind, int first_form, int *number);
/* The same with any outer function; its number of maps is that of those added. */
ac_status ac_scalars_close_outer(ac_scalars *set, const ac_outer *outer, int first_form, int *number);
/* A measure of the system (joint coordinate, distance), as what it is or as another kind: the square of a length. */
ac_status ac_scalars_add_measure(ac_scalars *set, const ac_system *system, int measure, ac_measure_kind kind,
                                 int *number);

/* scalar_vary.c: a scalar of one map that depends on parameters by moving data (value or length), and its maps at other
 * values. */
ac_status ac_scalars_add_varied(ac_scalars *set, ac_variation *v, ac_measure_kind kind, const ac_gap *gap,
                                int *number);
ac_status ac_scalars_update(ac_scalars *set, const ac_variation *v);
void ac_varied_free(ac_context *ctx, ac_varied *varied);
double ac_varied_evaluate(const ac_scalars *set, int k, const double *q, double *gradient, double *hessian);
void ac_varied_third(const ac_scalars *set, int k, const double *q, const double *w, double *third);

/* Value; gradient (count) and hessian (count x count) may be NULL. `winding` places angles. Scalars of the
 * motion are zero here and have no derivatives. */
double ac_scalar_evaluate(const ac_scalars *set, int k, const double *q, double winding, double *gradient,
                          double *hessian);
/* third (count x count) = derivative of the Hessian along w, a vector of all coordinates. */
void ac_scalar_third(const ac_scalars *set, int k, const double *q, const double *w, double *third);
/* Discrete derivative between two configurations (count numbers) and its derivatives by both (count x count, may be
 * NULL); not for scalars that depend on parameters. */
void ac_scalar_secant(const ac_scalars *set, int k, const double *qa, const double *qb, double winding,
                      double ends[2], double *D, double *by_a, double *by_b);

static inline const int *ac_scalar_coordinates(const ac_scalars *set, int k)
{
    return set->coordinate + set->list[k].start;
}

#endif
