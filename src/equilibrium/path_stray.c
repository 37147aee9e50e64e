/* Does a step of a load path end on the path it began on?
 *
 * Where two paths come close to each other, the corrector may go over to the other one, and all that is reported
 * of the path from there on is wrong. On a smooth path, a step that is short enough is nearly an arc: its
 * chord has the direction of the mean of both tangents, and the load factor changes by the mean of both
 * slopes, as on a parabola. That holds at limit points, too, and the less the curvature changes along the
 * step, the better. A step for which it does not hold is too long, whatever the reason.
 */
#include <math.h>

#include "equilibrium/path.h"
#include "math/math.h"

static const double ASIDE = 0.98; /* cosine between chord and mean tangent */
static const double SLIP = 0.3;   /* change of the load factor beside its slopes */
static const double FLAT =
    1e-4; /* change of it beside itself: next to a bifurcation slopes are known no better */

/* Cosine between the displacement of the step and the mean tangent. */
static double chord_along(const ac_equilibrium *e, const ac_equilibrium_state *from)
{
    const double *t = from->tangent, *u = e->now.tangent, *x = e->newton.travelled;
    double along = ac_path_dot(e, x, t) + ac_path_dot(e, x, u);
    double mean = ac_path_dot(e, t, t) + 2.0 * ac_path_dot(e, t, u) + ac_path_dot(e, u, u);
    return along / sqrt(mean * ac_path_dot(e, x, x));
}

/* Does a quantity change otherwise than its slopes say, all times the step? */
static bool differs(double change, double first, double last)
{
    return fabs(change - 0.5 * (first + last)) > SLIP * ac_max(fabs(change), ac_max(fabs(first), fabs(last)));
}

/* The same for one over the load factor, which is even where the factor goes to infinity, at a dead point
 * of a mechanism. */
static bool inverse_differs(double from, double to, double first, double last)
{
    return from == 0.0 || to == 0.0 ||
           differs(1.0 / to - 1.0 / from, -first / (from * from), -last / (to * to));
}

/* Does the load factor change otherwise than its slopes say? */
static bool slips(const ac_equilibrium *e, const ac_equilibrium_state *from, double step)
{
    double change = e->now.factor - from->factor, first = step * from->tangent_factor,
           last = step * e->now.tangent_factor;
    double most = ac_max(fabs(change), ac_max(fabs(first), fabs(last)));
    if (most <= FLAT * ac_max(fabs(from->factor), fabs(e->now.factor))) return false;
    return differs(change, first, last) && inverse_differs(from->factor, e->now.factor, first, last);
}

bool ac_path_strays(const ac_equilibrium *e, const ac_equilibrium_state *from, double step)
{
    if (e->path.load_scale > 0.0) return false; /* nothing moves but the load factor */
    return slips(e, from, step) || !(chord_along(e, from) > ASIDE);
}
