/* Shooting: from an optimal control problem to a function of its controls with an exact gradient, and its minimisation. */
#include "adjoint/shoot.h"

#include <math.h>
#include <string.h>

#include "adjoint/descent.h"
#include "optimize/problem/prepare.h"

/* --- value and gradient --- */

ac_status ac_shooting_inputs(void *user, ac_discrete *discrete)
{
    return ac_optimization_add_inputs(user, discrete);
}

static void wind(void *user, long node, const double *q, const double *winding)
{
    ac_objective_wind(user, node, q, winding);
}

/* What a simulation from given controls cannot follow; conditions matter only where it is to be optimal. */
static ac_status refuse(const ac_optimization *o, bool optimal)
{
    const ac_optimization_settings *s = &o->settings;
    const char *what = NULL;
    if (s->free_duration) what = "a free duration";
    if (!s->start_fixed || !s->start_velocity) what = "a free start";
    if (s->periodic || (optimal && s->end_rest)) what = "rest at the end or periodicity";
    if (o->description.variation.count > 0) what = "free parameters";
    if (optimal && o->description.condition_count > 0) what = "conditions";
    if (o->description.phases) what = "phases";
    for (int k = 0; optimal && k < o->description.control_count; ++k)
        if (isfinite(o->description.controls[k].given.rate)) what = "bounds on the rate of a control";
    if (!what) return AC_OK;
    return ac_fail(o->ctx, AC_BAD_INPUT,
                   "shooting cannot follow %s; write what is wanted at the end as a weighted term of the "
                   "objective, or use "
                   "the method transcription",
                   what);
}

static ac_status create(ac_shooting *s, const ac_simulation_settings *settings, size_t memory)
{
    ac_optimization *o = s->o;
    int N = o->settings.intervals;
    AC_TRY(ac_adjoint_create(s->ctx, o->system, settings, memory, ac_shooting_inputs, o, &s->adjoint));
    AC_TRY(ac_objective_open(o, s->adjoint, &s->objective));
    s->adjoint->pass = wind;
    s->adjoint->pass_user = &s->objective;
    s->size = N * o->description.control_count;
    AC_NEW(s->ctx, s->low, s->size + 1);
    AC_NEW(s->ctx, s->high, s->size + 1);
    for (int k = 0; k < s->size; ++k) {
        s->low[k] = o->description.controls[k % o->description.control_count].given.low;
        s->high[k] = o->description.controls[k % o->description.control_count].given.high;
    }
    return AC_OK;
}

ac_status ac_shooting_open(ac_optimization *o, bool optimal, ac_shooting *s)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = o->settings.scheme;
    settings.steps = o->settings.intervals;
    settings.step = o->settings.duration / o->settings.intervals;
    *s = (ac_shooting){.ctx = o->ctx, .o = o};
    AC_TRY(refuse(o, optimal));
    return ac_shooting_open_simulation(o, &settings, 0, s);
}

ac_status ac_shooting_open_simulation(ac_optimization *o, const ac_simulation_settings *settings,
                                      size_t memory, ac_shooting *s)
{
    *s = (ac_shooting){.ctx = o->ctx, .o = o};
    ac_status status = create(s, settings, memory);
    if (status != AC_OK) ac_shooting_close(s);
    return status;
}

void ac_shooting_close(ac_shooting *s)
{
    if (!s->ctx) return;
    ac_objective_close(&s->objective);
    ac_adjoint_free(s->adjoint);
    ac_release(s->ctx, s->low);
    ac_release(s->ctx, s->high);
    memset(s, 0, sizeof *s);
}

ac_status ac_shooting_evaluate(ac_shooting *s, const double *u, double *value, double *gradient)
{
    ac_adjoint *d = s->adjoint;
    memcpy(d->controls, u, (size_t)s->size * sizeof *u);
    s->objective.status = AC_OK;
    ++s->evaluations;
    ac_status status = gradient ? ac_adjoint_run(d, &s->objective.functional, value)
                                : ac_adjoint_value(d, &s->objective.functional, value);
    if (s->objective.status != AC_OK) return s->objective.status;
    AC_TRY(status);
    int controls = d->control_count;
    for (int k = 0; gradient && k < s->size; ++k)
        gradient[k] = ac_adjoint_by_input(d, k / controls)[k % controls];
    return AC_OK;
}

/* --- the public face --- */

ac_status ac_optimization_gradient(ac_optimization *o, const double *controls, double *value,
                                   double *gradient)
{
    ac_shooting s;
    double *u = NULL;
    AC_TRY(ac_shooting_open(o, false, &s));
    ac_status status = AC_OK;
    if (!controls) {
        u = ac_allocate(s.ctx, (size_t)s.size + 1, sizeof *u);
        if (!u) status = ac_out_of_memory(s.ctx);
        for (int k = 0; u && k < s.size; ++k)
            u[k] = o->description.controls[k % o->description.control_count].given.guess;
    }
    if (status == AC_OK) status = ac_shooting_evaluate(&s, controls ? controls : u, value, gradient);
    ac_release(s.ctx, u);
    ac_shooting_close(&s);
    return status;
}

/* The motion found becomes the outcome of the problem, with its controls. */
static ac_status hand_over(ac_shooting *s, const double *u, const ac_shooting_outcome *outcome,
                           const char *words)
{
    ac_adjoint *d = s->adjoint;
    const double *q = d->stored.q + (size_t)d->steps * (size_t)d->system->n,
                 *p = d->stored.p + (size_t)d->steps * (size_t)d->system->n;
    AC_TRY(ac_legendre_project(&d->legendre, q, p));
    AC_TRY(ac_optimization_guess_motion(s->o, (int)d->steps + 1, d->stored.q, u, s->o->settings.duration));
    return ac_optimization_adopt(s->o, outcome->value, outcome->iterations, d->legendre.u, words);
}

static ac_status evaluate(void *user, const double *u, double *value, double *gradient)
{
    ac_shooting *s = user;
    ac_status status = ac_shooting_evaluate(s, u, value, gradient);
    if (status == AC_NOT_CONVERGED) { /* a simulation that fails is no better than anything */
        *value = INFINITY;
        return AC_OK;
    }
    return status;
}

/* Keeps the best point, whatever the search ended with. */
static ac_status keep(ac_shooting *s, ac_status status, const double *u, const ac_shooting_outcome *outcome)
{
    double value;
    char *message = ac_copy_text(s->ctx, ac_context_message(s->ctx));
    if (!message) return ac_out_of_memory(s->ctx);
    ac_status kept = ac_shooting_evaluate(s, u, &value, NULL);
    if (kept == AC_OK)
        kept = hand_over(s, u, outcome, status == AC_OK ? "the gradient vanishes" : "not solved");
    if (kept == AC_OK && status != AC_OK) ac_fail(s->ctx, status, "%s", message);
    ac_release(s->ctx, message);
    return kept == AC_OK ? status : kept;
}

ac_status ac_optimization_shoot(ac_optimization *o, const ac_shooting_settings *settings, double *controls,
                                ac_shooting_outcome *outcome)
{
    ac_shooting s;
    AC_TRY(ac_shooting_open(o, true, &s));
    ac_descent_problem problem = {s.ctx, s.size, s.low, s.high, evaluate, &s};
    ac_status status = ac_descend(&problem, settings, controls, outcome);
    if (status == AC_OK || status == AC_NOT_CONVERGED || status == AC_INTERRUPTED)
        status = keep(&s, status, controls, outcome);
    ac_shooting_close(&s);
    return status;
}
