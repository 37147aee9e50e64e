/* Targets that approach the wanted one (Schubert et al. 2023, remark 1).
 *
 * A quantity at the end, mostly a momentum, must reach a target. At first it has no weight; then its target lies at a part
 * of the way from what the last solution reached to what is wanted, so that each solution is a good guess for the next;
 * when what is reached is near, the target is the one wanted.
 */
#include <math.h>

#include "adjoint/shoot.h"

enum { STAGES = 100 };

ac_status ac_optimization_approach(ac_optimization *o, const ac_shooting_approach *approach,
                                   ac_constant_lookup lookup, void *user)
{
    ac_optimization_description *d = &o->description;
    if (d->aim.active) return ac_fail(o->ctx, AC_BAD_INPUT, "there is an approach already");
    if (!(approach->weight > 0.0) || !(approach->part > 0.0 && approach->part <= 1.0) ||
        !(approach->tolerance > 0.0))
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "an approach needs a positive weight and tolerance, and a part above 0 and at most 1");
    ac_status status = ac_term_create(o->ctx, approach->quantity, false, d->names, d->name_count, &d->scalars,
                                      lookup, user, &d->aim.term);
    if (status != AC_OK) {
        ac_term_destroy(&d->aim.term);
        return status;
    }
    d->aim.active = true;
    d->aim.target = approach->target;
    d->aim.weight = approach->weight;
    d->aim.part = approach->part;
    d->aim.tolerance = approach->tolerance;
    return AC_OK;
}

/* The quantity at the end of the motion with controls u. */
static ac_status reach(ac_shooting *s, const double *u, double *value)
{
    ac_objective_functional *f = &s->objective;
    const ac_adjoint *d = s->adjoint;
    const ac_term *term = &s->o->description.aim.term;
    size_t last = (size_t)d->steps * (size_t)d->system->n;
    double objective;
    AC_TRY(ac_shooting_evaluate(s, u, &objective, NULL));
    AC_TRY(ac_adjoint_velocity(s->adjoint, d->stored.q + last, d->stored.p + last, f->v));
    ac_term_point point = ac_objective_point(f, d->steps);
    point.a = d->stored.q + last;
    point.velocity = f->v;
    point.steps = (double)d->steps;
    *value = ac_term_evaluate(term, &s->o->description.scalars, &point, 0);
    return AC_OK;
}

/* What a stage took joins that of the stages before. */
static void add_stage(ac_shooting *s, const ac_shooting_outcome *outcome)
{
    s->place[AC_PLACE_ITERATIONS] += outcome->iterations;
    s->place[AC_PLACE_PRODUCTS] += outcome->products;
    s->place[AC_PLACE_SADDLES] += outcome->saddles_left;
}

ac_status ac_shooting_approach_target(ac_shooting *s, const ac_shooting_settings *settings, double *u,
                                      ac_shooting_outcome *outcome)
{
    const ac_optimization_description *d = &s->o->description;
    ac_objective_functional *f = &s->objective;
    ac_shooting_settings rest = *settings;
    double *place = s->place;
    ac_status status = AC_OK;
    for (; status == AC_OK; rest.search = NULL) {
        double reached = 0.0;
        f->approach_weight = place[AC_PLACE_WEIGHT];
        f->approach_target = place[AC_PLACE_TARGET];
        s->done = (int)place[AC_PLACE_ITERATIONS];
        rest.max_iterations = settings->max_iterations - s->done;
        status = ac_shooting_minimise(s, &rest, u, outcome);
        add_stage(s, outcome);
        outcome->stages = (int)++place[AC_PLACE_STAGE];
        if (place[AC_PLACE_LAST] != 0.0 || status != AC_OK) break;
        status = reach(s, u, &reached);
        bool last = outcome->stages >= STAGES || fabs(reached - d->aim.target) <= d->aim.tolerance;
        place[AC_PLACE_LAST] = last;
        place[AC_PLACE_WEIGHT] = d->aim.weight;
        place[AC_PLACE_TARGET] = last ? d->aim.target : reached + d->aim.part * (d->aim.target - reached);
    }
    outcome->iterations = (int)place[AC_PLACE_ITERATIONS];
    outcome->products = (int)place[AC_PLACE_PRODUCTS];
    outcome->saddles_left = (int)place[AC_PLACE_SADDLES];
    return status;
}
