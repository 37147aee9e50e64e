/* What the files of a load path share: one step (path_step.c), what happens on the way (path_events.c),
 * and the path (path.c). */
#ifndef ACTIO_EQUILIBRIUM_PATH_H
#define ACTIO_EQUILIBRIUM_PATH_H

#include "equilibrium/solver.h"

/* path_step.c: mean product of two displacements over the nodes, m^2 */
double ac_path_dot(const ac_equilibrium *e, const double *a, const double *b);
/* What the load that grows would move at the factor 1 if it pushed along the softest motion, m; 0: nothing
 * resists it. The tangent matrix must be factorised. */
ac_status ac_path_could_move(ac_equilibrium *e, double *distance);
/* The unit tangent at the start, towards larger load factors, and how much these count in the length of
 * the path; the tangent matrix must be factorised. */
ac_status ac_path_first_tangent(ac_equilibrium *e);
/* From `from` along its tangent by `step`; the new point becomes the present one, with its tangent. */
ac_status ac_path_step(ac_equilibrium *e, const ac_equilibrium_state *from, double step);
/* The present point is a step from `before`: others in between will be looked for along a parabola. */
void ac_path_note_bend(ac_equilibrium *e, double step);
/* Cosine between the tangent there and the present one. */
double ac_path_turn(const ac_equilibrium *e, const ac_equilibrium_state *from);
/* A step after which there is no point, which need not be the end. */
bool ac_path_no_point(ac_status status);
/* Stability of the present point. */
ac_status ac_path_judge(ac_equilibrium *e, ac_equilibrium_event event);

/* path_stray.c: does the step that has been taken from there not look like one along a smooth path? */
bool ac_path_strays(const ac_equilibrium *e, const ac_equilibrium_state *from, double step);

/* path_events.c: all that happens between `before` and the point `step` further, which is in `other` and
 * `later`; `negative`: eigenvalues at `before`. */
ac_status ac_path_find_events(ac_equilibrium *e, double step, int negative);
/* The vector of the eigenvalue that vanishes at the step `at` from `before`, of any length; the point at
 * this step becomes the present one. */
ac_status ac_path_vanishing(ac_equilibrium *e, double at, double *x);

#endif
