/* The functional of a simulation along its motion. */
#include "task/functional_value.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "integrate/impacts/impacts.h"
#include "observe/simulation.h"
#include "problem/build/build.h"

ac_status ac_functional_value_open(const ac_problem *problem, const ac_simulation *simulation,
                                   ac_functional_value *v)
{
    const ac_stepper *s = &simulation->stepper;
    const ac_simulation_settings *settings = ac_problem_simulation(problem);
    ac_optimization *o = ac_problem_functional(problem);
    if (!o) return AC_OK;
    AC_NEW(s->ctx, v->winding, s->system->measure_count + 1);
    AC_NEW(s->ctx, v->p, s->system->n);
    AC_TRY(ac_following_open(o, (double)settings->steps * settings->step, &v->following));
    ac_following_begin(&v->following, s->qa, s->p, s->winding);
    return AC_OK;
}

void ac_functional_value_close(ac_context *ctx, ac_functional_value *v)
{
    ac_release(ctx, v->winding);
    ac_release(ctx, v->p);
    ac_following_close(&v->following);
}

void ac_functional_value_pass(ac_functional_value *v, const ac_simulation *simulation)
{
    const ac_stepper *s = &simulation->stepper;
    if (!v->following.adjoint) return;
    memcpy(v->winding, s->winding, (size_t)s->system->measure_count * sizeof *v->winding);
    ac_stepper_wind(s, s->qb, v->winding);
    ac_following_pass(&v->following, s->t, s->h, s->qa, s->qb, v->winding);
}

/* The momentum at the end of the last interval, which closed contacts allow. */
static ac_status take_end(ac_functional_value *v, ac_stepper *s)
{
    memcpy(v->p, s->right, (size_t)s->system->n * sizeof *v->p);
    if (s->more.count == 0 || s->scheme->at_mean) return AC_OK;
    return ac_impacts_project(s, s->qb, s->right, v->p);
}

void ac_functional_value_add(ac_functional_value *v, ac_simulation *simulation, ac_summary *summary)
{
    ac_stepper *s = &simulation->stepper;
    double value;
    if (!v->following.adjoint || take_end(v, s) != AC_OK) return;
    if (ac_following_end(&v->following, s->qb, v->p, &value) == AC_OK && isfinite(value))
        ac_summary_add(summary, "functional", value, "1");
}
