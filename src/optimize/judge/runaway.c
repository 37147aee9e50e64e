/* Searches without end: an objective that no condition keeps from falling is followed until numbers run out. What the solver
 * leaves there may look stationary in units of its own size. */
#include "optimize/judge/runaway.h"

#include <math.h>

#include "math/math.h"
#include "optimize/phases/phases.h"

static const double AWAY = 1e8;    /* times the scale of the problem */
static const double ENDLESS = 1e4; /* a fall of the objective by this factor */

static const ac_optimization *motion_of(const ac_optimization *o, int k)
{
    return o->description.phases ? o->description.phases->list[k] : o;
}

static int motions(const ac_optimization *o)
{
    return o->description.phases ? o->description.phases->count : 1;
}

/* The largest coordinate of a motion, or its largest turn or shift from its reference. */
static double reach_of(const ac_optimization *o)
{
    double most = 0.0;
    for (int n = 0; n <= o->layout.N; ++n)
        for (int i = 0; i < o->layout.n; ++i) most = ac_max(most, fabs(ac_q(o, n)[i]));
    for (int i = 0; i < ac_y(o, o->layout.N + 1); ++i) most = ac_max(most, fabs(o->point.x[i]));
    return most;
}

static double largest_reach(const ac_optimization *o)
{
    double most = 0.0;
    for (int k = 0; k < motions(o); ++k) most = ac_max(most, reach_of(motion_of(o, k)));
    return most;
}

/* A motion that begins with a given velocity goes as far as its bounded controls take it. */
static bool is_bounded(const ac_optimization *o)
{
    bool bounded = o->settings.start_velocity;
    for (int k = 0; k < o->description.control_count; ++k) {
        const ac_control *c = &o->description.controls[k].given;
        bounded = bounded && isfinite(c->low) && isfinite(c->high);
    }
    return bounded;
}

void ac_search_begins(ac_optimization *o)
{
    o->found.first_objective = ac_evaluate_objective(o, NULL);
    o->found.first_reach = largest_reach(o);
}

bool ac_fell_endlessly(ac_optimization *o)
{
    return ac_evaluate_objective(o, NULL) < -ENDLESS * (1.0 + fabs(o->found.first_objective));
}

bool ac_ran_away(ac_optimization *o)
{
    bool bounded = true;
    for (int k = 0; k < motions(o); ++k) bounded = bounded && is_bounded(motion_of(o, k));
    double scale = ac_max(o->system->length_scale, o->found.first_reach);
    return !bounded && ac_fell_endlessly(o) && largest_reach(o) > AWAY * scale;
}
