/* Controls that alternate from interval to interval.
 *
 * Where a motion is prescribed, each control follows from three nodes, and an error at the start is passed on with alternating signs:
 * a velocity that is not that of the discrete motion, by an error of first order. Differences of second order
 *
 *   s_n = u_n - 2 u_n+1 + u_n+2
 *
 * then alternate all the way, four times as large as the oscillation, where those of a smooth control are of the order of the
 * step squared.
 */
#include <math.h>

#include "math/math.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

enum { FEWEST = 8 };               /* intervals that show an oscillation */
static const double MOST_OF = 0.9; /* of all neighbours alternate */
static const double CHOICE =
    0.1; /* of the values of controls are left free at most: the motion is prescribed */
static const double VISIBLE = 1e-5; /* of the largest value */

static double value(const ac_optimization *o, int control, int interval)
{
    return ac_optimization_control_values(o, interval)[control];
}

static double second_difference(const ac_optimization *o, int control, int n)
{
    return value(o, control, n) - 2.0 * value(o, control, n + 1) + value(o, control, n + 2);
}

/* The first and the last interval may differ from all others. */
static bool rings(const ac_optimization *o, int control, double *size)
{
    int from = 1, to = o->layout.N - 1, turns = 0;
    double sum = 0.0, most = 0.0, before = 0.0;
    if (to - from < FEWEST) return false;
    for (int n = from; n < to; ++n) most = ac_max(most, fabs(value(o, control, n)));
    for (int n = from; n + 2 < to; ++n) {
        double s = second_difference(o, control, n);
        sum += fabs(s);
        turns += s * before < 0.0;
        before = s;
    }
    *size = 0.25 * sum / (to - from - 2);
    return turns >= MOST_OF * (to - from - 3) && *size > VISIBLE * most;
}

static bool find(const ac_optimization *o, int *number, ac_ringing_control *ringing)
{
    for (int k = 0; k < o->description.control_count; ++k) {
        double size;
        if (!rings(o, k, &size) || (*number)-- > 0) continue;
        *ringing = (ac_ringing_control){.name = ac_optimization_control_name(o, k),
                                        .unit = ac_optimization_control_unit(o, k),
                                        .size = size};
        return true;
    }
    return false;
}

static double values_of_controls(const ac_optimization *o)
{
    double sum = (double)o->layout.N * o->description.control_count;
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        sum += values_of_controls(ac_optimization_phase(o, k));
    return sum;
}

bool ac_optimization_ringing(const ac_optimization *o, int number, ac_ringing_control *ringing)
{
    const ac_optimization_outcome *out = &o->found.outcome;
    if (out->unknowns - out->constraints > CHOICE * values_of_controls(o)) return false;
    if (!o->description.phases) return find(o, &number, ringing);
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        if (find(ac_optimization_phase(o, k), &number, ringing)) {
            ringing->phase = ac_optimization_phase_name(o, k);
            return true;
        }
    return false;
}
