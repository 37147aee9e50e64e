/* How late a loop is: counted in classes that double, so that the worst case and the tail are kept without
 * storing every step. */
#include <math.h>
#include <string.h>

#include "actio/track.h"
#include "math/math.h"

static const double FIRST_CLASS = 1e-7; /* s */

void ac_deadlines_start(ac_deadlines *deadlines, double period)
{
    memset(deadlines, 0, sizeof *deadlines);
    deadlines->period = period;
}

void ac_deadlines_add(ac_deadlines *deadlines, double late)
{
    int k = 0;
    if (!(late > 0.0)) late = 0.0; /* early, or a clock that went back */
    for (double end = FIRST_CLASS; k < AC_DEADLINE_CLASSES - 1 && late >= end; end *= 2.0) ++k;
    ++deadlines->classes[k];
    ++deadlines->count;
    if (late > deadlines->period) ++deadlines->missed;
    if (late > deadlines->worst) deadlines->worst = late;
    deadlines->sum += late;
}

double ac_deadlines_quantile(const ac_deadlines *deadlines, double share)
{
    long wanted = (long)ceil(share * (double)deadlines->count), seen = 0;
    double end = FIRST_CLASS;
    for (int k = 0; k < AC_DEADLINE_CLASSES - 1; ++k, end *= 2.0) {
        seen += deadlines->classes[k];
        if (seen >= wanted) return ac_min(end, deadlines->worst > 0.0 ? deadlines->worst : end);
    }
    return deadlines->worst;
}
