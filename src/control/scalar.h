/* Scalars of one configuration: joint coordinates, places of points, distances, components of directions,
 * anything that is
 * a small function of quadratic maps, y = psi(kappa(q)), with exact derivatives to the third.
 *
 *   value    y = kappa            length   y = sqrt(kappa)           angle   y = atan2(sine, cosine), near a
 * given value
 */
#ifndef ACTIO_CONTROL_SCALAR_H
#define ACTIO_CONTROL_SCALAR_H

#include "model/system.h"

typedef struct ac_scalar {
    ac_measure_kind kind;
    int first_form;
    int start, count; /* the coordinates it touches: a piece of the list */
    double sign;
} ac_scalar;

typedef struct ac_scalars {
    ac_context *ctx;
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
/* A measure of the system (joint coordinate, distance). */
ac_status ac_scalars_add_measure(ac_scalars *set, const ac_system *system, int measure, int *number);

/* Value; gradient (count) and hessian (count x count) may be NULL. `near_value` places angles. */
double ac_scalar_evaluate(const ac_scalars *set, int k, const double *q, double near_value, double *gradient,
                          double *hessian);
/* third (count x count) = derivative of the Hessian along w, a vector of all coordinates. */
void ac_scalar_third(const ac_scalars *set, int k, const double *q, const double *w, double *third);

static inline const int *ac_scalar_coordinates(const ac_scalars *set, int k)
{
    return set->coordinate + set->list[k].start;
}

#endif
