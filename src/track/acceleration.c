/* Joints on acceleration level: the index-1 form
 *
 *     M v' - G^T rho = f,   G v' = -(G' v) - 2 alpha G v - alpha^2 Phi
 *
 * integrated by the classical Runge-Kutta method. Positions move by the exponential map of the mean twists of the stages,
 * so that directors stay orthonormal. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "track/track.h"

/* Accelerations at (q, t->twists) into `out`; multipliers into t->reaction. */
static void accelerations(ac_track *t, const double *q, double time, double *out)
{
    const ac_constraints *c = &t->system->constraints;
    double alpha = ac_max(0.0, t->settings.acceleration_level);
    ac_track_assemble(t, q, time, 1e-300); /* damping is explicit here */
    for (int i = 0; i < t->nodes; ++i) {
        const ac_track_link *l = &t->links[i];
        const double *v = t->twists + 6 * i;
        double L[3];
        for (int k = 0; k < l->rows; ++k) {
            double rate = dot6(l->G + 6 * k, v);
            if (l->parent != AC_GROUND) rate += dot6(l->H + 6 * k, t->twists + 6 * l->parent);
            t->sides.rows[l->first_row + k] = -ac_track_row_acceleration(t, q,
                                                                         l->first_row + k + c->internal) -
                                              2.0 * alpha * rate - alpha * alpha * t->phi[l->first_row + k];
        }
        memcpy(t->sides.load + 6 * i, t->forces.all + 6 * i, 6 * sizeof(double));
        apply3(l->inertia, v + 3, L);
        double gyroscopic[3];
        cross3(v + 3, L, gyroscopic);
        for (int k = 0; k < 3; ++k) t->sides.load[6 * i + 3 + k] -= gyroscopic[k];
    }
    for (int k = 0, row = c->closure; k < t->border.count; ++k) {
        if (t->border.rows[k].soft > 0.0) continue;
        while (!t->closed[c->owner[row]]) ++row;
        t->border.rows[k].value = -ac_track_row_acceleration(t, q, row) -
                                  2.0 * alpha * ac_track_row_rate(&t->border.rows[k], t->twists) -
                                  alpha * alpha * t->phi[row - c->internal];
        ++row;
    }
    ac_track_factor(t);
    ac_track_solve(t, t->sides.load, t->sides.rows, out, t->reaction, t->border.forces);
}

void ac_track_runge_kutta(ac_track *t)
{
    /* stages: t->base_twists holds v_k, t->free_twists the sum of velocities, t->new_twists that of accelerations */
    static const double place[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double h = t->settings.step, time = (double)t->steps * h, *q = t->stage_q;
    size_t bytes = 6 * (size_t)t->nodes * sizeof(double);
    int n = 6 * t->nodes;
    memcpy(t->trial.base, t->twists, bytes);
    memset(t->trial.free, 0, bytes);
    memset(t->trial.new, 0, bytes);
    memcpy(q, t->q, (size_t)t->system->n * sizeof *q);
    for (int s = 0; s < 4; ++s) {
        if (s > 0) { /* t->twists and t->change are velocity and acceleration of the stage before */
            ac_track_move(t, t->q, t->twists, place[s] * h, q);
            for (int k = 0; k < n; ++k) t->twists[k] = t->trial.base[k] + place[s] * h * t->trial.change[k];
        }
        accelerations(t, q, time + place[s] * h, t->trial.change);
        for (int k = 0; k < n; ++k) {
            t->trial.free[k] += weight[s] * t->twists[k] / 6.0;
            t->trial.new[k] += weight[s] * t->trial.change[k] / 6.0;
        }
    }
    for (int k = 0; k < n; ++k) t->trial.new[k] = t->trial.base[k] + h * t->trial.new[k];
    memcpy(t->twists, t->trial.base, bytes);
    ac_track_move(t, t->q, t->trial.free, h, t->q_new);
    t->largest_reaction = 0.0;
    for (int i = 0; i < t->nodes; ++i)
        for (int k = 0; k < t->links[i].rows; ++k)
            t->largest_reaction = ac_max(t->largest_reaction, fabs(t->reaction[t->links[i].first_row + k]));
}
