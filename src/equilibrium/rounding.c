/* How large a residual is that rounding alone leaves.
 *
 * Coordinates are known to their last digit. Joints turn all that they carry: with an angle rounded to eps, springs at the
 * distances l_k are off by eps l_k, and their moments about the joint by eps sum k l_k^2. This grows with the third power
 * of the length of a row of springs (2000 m of 2000 N/m: 1e-3 N m), while the state is as exact as numbers can be. The
 * level is measured: all freedoms of the tree, and then all coordinates, are moved by a small part of their size with
 * signs and sizes that do not repeat (a spring at 45 degrees does not feel equal steps across it), and the change of the
 * residual is scaled down to the last digit.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "math/math.h"

static const double PART = 1e-9; /* far above rounding, far below what bends the forces */

/* 0.8 to 1.2 with either sign, the same in every run. */
static double last_digit(unsigned k)
{
    k = (k + 1u) * 2654435761u;
    k ^= k >> 15;
    k *= 2246822519u;
    double size = 0.8 + 0.4 * ((k >> 17) & 1023u) / 1023.0;
    return (k >> 16) & 1u ? size : -size;
}

static double largest_coordinate(const ac_equilibrium *e)
{
    double far = e->system->length_scale;
    for (int i = 0; i < e->system->n; ++i) far = ac_max(far, fabs(e->now.q[i]));
    return far;
}

/* Squared change of the residual against `before`, for the last digit. */
static double change(ac_equilibrium *e, const double *before)
{
    double sum = 0.0;
    ac_equilibrium_evaluate(e);
    ac_equilibrium_force(e); /* leaves the residual in `move` */
    for (int j = 0; j < e->freedoms; ++j) {
        double d = (e->newton.move[j] - before[j]) * DBL_EPSILON / PART;
        sum += d * d / e->metric.weight[j];
    }
    return sum;
}

double ac_equilibrium_rounding(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double *residual = e->newton.by_load, *delta = e->newton.delta, sum = 0.0;
    double far = largest_coordinate(e);
    ac_equilibrium_evaluate(e);
    ac_equilibrium_force(e);
    memcpy(residual, e->newton.move, (size_t)e->freedoms * sizeof *residual);
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    for (int j = 0; j < e->freedoms; ++j) {
        const double *c = e->columns + 6 * j;
        bool turns = c[3] != 0.0 || c[4] != 0.0 || c[5] != 0.0;
        delta[j] = last_digit((unsigned)j) * (turns ? 1.0 : far);
    }
    ac_equilibrium_move(e, delta, PART);
    sum += change(e, residual);
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    for (int i = 0; i < system->n; ++i) e->now.q[i] *= 1.0 + PART * last_digit((unsigned)i);
    sum += change(e, residual);
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    ac_equilibrium_evaluate(e);
    return sqrt(sum);
}
