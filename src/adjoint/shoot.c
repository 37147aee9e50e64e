/* Shooting: from an optimal control problem to a function of its controls with an exact gradient, and its minimisation. What its
 * words promise: docs/verdicts.md. */
#include "adjoint/shoot.h"

#include <math.h>
#include <string.h>

#include "adjoint/descent.h"
#include "adjoint/segments.h"
#include "optimize/problem/prepare.h"

/* --- value and gradient --- */

ac_status ac_shooting_inputs(void *user, ac_discrete *discrete)
{
    return ac_optimization_add_inputs(user, discrete);
}

/* What a simulation from given controls cannot follow; conditions matter only where it must be optimal. */
static ac_status refuse(const ac_optimization *o, bool optimal)
{
    const ac_optimization_settings *s = &o->settings;
    const char *what = NULL;
    if (s->free_duration) what = "a free duration";
    if (!s->start_fixed || !s->start_velocity) what = "a free start";
    if (s->periodic || (optimal && s->end_rest)) what = "rest at the end or periodicity";
    if (o->description.variation.count > 0) what = "free parameters";
    if (optimal && o->description.condition_count + o->description.total_count > 0) what = "conditions";
    if (o->description.phases) what = "phases";
    for (int k = 0; optimal && k < o->description.control_count; ++k)
        if (isfinite(o->description.controls[k].given.rate)) what = "bounds on the rate of a control";
    if (!what) return AC_OK;
    return ac_fail(o->ctx, AC_BAD_INPUT,
                   "shooting cannot follow %s; write what is wanted at the end as a weighted term of the "
                   "objective, or use the method transcription",
                   what);
}

static ac_status create(ac_shooting *s, const ac_simulation_settings *settings, size_t memory)
{
    ac_optimization *o = s->o;
    int N = o->settings.intervals;
    const ac_adjoint_parts parts = {ac_shooting_inputs, o, ac_objective_escort(o)};
    AC_TRY(ac_adjoint_create(s->ctx, o->system, settings, memory, &parts, &s->adjoint));
    AC_TRY(ac_objective_open(o, s->adjoint, &s->objective));
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
    if (o->system->contact_count > 0)
        return ac_fail(
            o->ctx, AC_BAD_INPUT,
            "shooting does not follow contacts, whose impacts it would leave out; pose the motion with "
            "phases, or leave out the contacts");
    ac_simulation_defaults(&settings);
    settings.scheme = o->settings.scheme;
    settings.steps = o->settings.intervals;
    settings.step = o->settings.duration / o->settings.intervals;
    *s = (ac_shooting){.ctx = o->ctx, .o = o};
    AC_TRY(refuse(o, optimal));
    AC_TRY(ac_shooting_open_simulation(o, &settings, 0, s));
    if (optimal) s->objective.sign = 1.0; /* a search minimises */
    return AC_OK;
}

ac_status ac_shooting_open_simulation(ac_optimization *o, const ac_simulation_settings *settings,
                                      size_t memory, ac_shooting *s)
{
    *s = (ac_shooting){.ctx = o->ctx, .o = o};
    ac_status status = create(s, settings, memory);
    if (status != AC_OK) ac_shooting_close(s);
    if (status == AC_OK && ac_optimization_maximises(o)) s->objective.sign = -1.0;
    return status;
}

void ac_shooting_close(ac_shooting *s)
{
    if (!s->ctx) return;
    ac_objective_close(&s->objective);
    ac_adjoint_free(s->adjoint);
    ac_release(s->ctx, s->low);
    ac_release(s->ctx, s->high);
    ac_release(s->ctx, s->memory);
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

/* --- the search --- */

/* Does the search consist of several? */
static bool is_composed(const ac_shooting *s, const ac_shooting_settings *settings)
{
    return settings->segments > 1 || s->o->description.aim.active;
}

/* What the search in hand knows, then where the whole of them stands; without memory nothing is reported. */
static void compose_memory(ac_shooting *s, ac_shooting_progress *now)
{
    int size = now->search_size, whole = size + AC_PLACE_NUMBERS;
    if (ac_grow(s->ctx, (void **)&s->memory, &s->memory_capacity, whole, sizeof *s->memory) != AC_OK) {
        now->search = NULL;
        return;
    }
    memcpy(s->memory, now->search, (size_t)size * sizeof *s->memory);
    memcpy(s->memory + size, s->place, sizeof s->place);
    now->search = s->memory;
    now->search_size = whole;
}

/* Takes this apart again: what is left in the settings is of the search in hand. */
static ac_status resume_place(ac_shooting *s, ac_shooting_settings *settings)
{
    if (!settings->search || !is_composed(s, settings)) return AC_OK;
    int size = settings->search_size - AC_PLACE_NUMBERS;
    const double *place = settings->search + size;
    if (size < 0 || !(place[AC_PLACE_STAGE] >= 0.0) || !(place[AC_PLACE_ITERATIONS] >= 0.0) ||
        (place[AC_PLACE_JOINED] != 0.0 && settings->segments <= 1))
        return ac_fail(s->ctx, AC_BAD_INPUT, "the search that is to go on is of another method or problem");
    memcpy(s->place, place, sizeof s->place);
    settings->search_size = size;
    return AC_OK;
}

int ac_shooting_report(ac_shooting *s, const ac_shooting_settings *settings, const ac_shooting_progress *now,
                       const double *q, const double *p)
{
    ac_shooting_progress full = *now;
    const ac_functional *f = &s->objective.functional;
    double squares = 0.0;
    if (!settings->progress) return 0;
    for (int k = 0; k < s->size; ++k) squares += now->controls[k] * now->controls[k];
    full.iteration += s->done;
    if (s->limit > 0.0) full.search = NULL; /* a search that goes on begins with the method of the file */
    if (full.search && is_composed(s, settings)) compose_memory(s, &full);
    full.effort = sqrt(squares);
    full.target = f->node(f->user, s->adjoint->steps, s->o->settings.duration, q, p, NULL, NULL);
    return settings->progress(settings->user, &full);
}

typedef struct descending { /* a search by gradients */
    ac_shooting *shooting;
    const ac_shooting_settings *settings;
} descending;

static ac_status evaluate(void *user, const double *u, double *value, double *gradient)
{
    const descending *d = user;
    ac_status status = ac_shooting_evaluate(d->shooting, u, value, gradient);
    if (status == AC_NOT_CONVERGED) { /* a simulation that fails is no better than anything */
        *value = INFINITY;
        return AC_OK;
    }
    return status;
}

static int report(void *user, const ac_shooting_progress *now)
{
    const descending *d = user;
    const ac_adjoint *adjoint = d->shooting->adjoint;
    size_t last = (size_t)adjoint->steps * (size_t)adjoint->system->n;
    return ac_shooting_report(d->shooting, d->settings, now, adjoint->stored.q + last,
                              adjoint->stored.p + last);
}

/* Starts of segments: of an earlier search, of the guessed motion, or of the simulation with the guessed controls. */
static ac_status begin_segments(ac_segments *function, ac_shooting_settings *settings, const double *u)
{
    ac_optimization *o = function->shooting->o;
    const ac_optimization_description *d = &o->description;
    bool several = function->second->segments > 1,
         guessed = several && (d->guess.count > d->guess.of_conditions || d->guess.motion);
    if (several && settings->search) return ac_segments_resume(function, settings);
    if (guessed) AC_TRY(ac_optimization_put_guess(o));
    return ac_segments_begin(function, u, guessed ? ac_optimization_configuration(o, 0) : NULL);
}

/* Newton or Gauss-Newton in a number of segments. */
static ac_status search(ac_shooting *s, const ac_shooting_settings *settings, int segments, double *u,
                        ac_shooting_outcome *outcome)
{
    ac_segments function;
    ac_shooting_settings own = *settings;
    AC_TRY(ac_segments_open(s, settings, segments, settings->method == AC_SHOOT_NEWTON, &function));
    function.problem.limit = s->limit;
    ac_status status = begin_segments(&function, &own, u);
    if (status == AC_OK) status = ac_newton(&function.problem, &own, u, outcome);
    outcome->value = function.base_value;
    ac_segments_close(&function);
    return status;
}

/* In segments, then in one: what is found must be a simulated motion. */
static ac_status search_segments(ac_shooting *s, const ac_shooting_settings *settings, double *u,
                                 ac_shooting_outcome *outcome)
{
    int done = s->done;
    ac_shooting_settings rest = *settings;
    if (settings->segments <= 1) return search(s, settings, 1, u, outcome);
    if (s->place[AC_PLACE_JOINED] == 0.0) {
        AC_TRY(search(s, settings, settings->segments, u, outcome));
        s->place[AC_PLACE_JOINED] = 1.0;
        s->place[AC_PLACE_SEGMENT_ITERATIONS] = outcome->iterations;
        s->place[AC_PLACE_SEGMENT_PRODUCTS] = outcome->products;
        rest.search = NULL;
    }
    int iterations = (int)s->place[AC_PLACE_SEGMENT_ITERATIONS];
    rest.max_iterations -= iterations;
    s->done += iterations;
    ac_status status = search(s, &rest, 1, u, outcome);
    s->done = done;
    outcome->iterations += iterations;
    outcome->products += (int)s->place[AC_PLACE_SEGMENT_PRODUCTS];
    s->place[AC_PLACE_JOINED] = 0.0;
    return status;
}

/* What was found by gradients is judged by second derivatives; from a point that is no minimum the search goes on by Newton's
 * method. */
static ac_status verify(ac_shooting *s, const ac_shooting_settings *settings, double *u,
                        ac_shooting_outcome *outcome)
{
    const int done = s->done, iterations = outcome->iterations, products = outcome->products;
    ac_shooting_settings own = *settings;
    own.method = AC_SHOOT_NEWTON;
    own.segments = 1;
    own.search = NULL;
    own.max_iterations -= iterations;
    s->limit = outcome->limit;
    s->done += iterations;
    ac_status status = search(s, &own, 1, u, outcome);
    s->done = done;
    s->limit = 0.0;
    outcome->iterations += iterations;
    outcome->products += products;
    return status;
}

ac_status ac_shooting_minimise(ac_shooting *s, const ac_shooting_settings *settings, double *u,
                               ac_shooting_outcome *outcome)
{
    outcome->least_curvature = NAN;
    outcome->second_order = outcome->saddles_left = 0;
    if (settings->method == AC_SHOOT_NEWTON || settings->method == AC_SHOOT_GAUSS_NEWTON)
        return search_segments(s, settings, u, outcome);
    descending user = {s, settings};
    const ac_descent_problem problem = {s->ctx, s->size, s->low, s->high, evaluate, report, &user};
    return ac_descend(&problem, settings, u, outcome);
}

/* --- the public face --- */

/* Controls of the guess, where none are given; the caller releases them. */
static ac_status guessed_controls(const ac_shooting *s, const double *controls, double **u)
{
    *u = ac_allocate(s->ctx, (size_t)s->size + 1, sizeof **u);
    if (!*u) return ac_out_of_memory(s->ctx);
    if (!controls)
        ac_optimization_guessed_controls(s->o, *u);
    else
        memcpy(*u, controls, (size_t)s->size * sizeof *controls);
    return AC_OK;
}

ac_status ac_optimization_gradient(ac_optimization *o, const double *controls, double *value,
                                   double *gradient)
{
    ac_shooting s;
    double *u = NULL;
    AC_TRY(ac_shooting_open(o, false, &s));
    ac_status status = guessed_controls(&s, controls, &u);
    if (status == AC_OK) status = ac_shooting_evaluate(&s, u, value, gradient);
    ac_release(s.ctx, u);
    ac_shooting_close(&s);
    return status;
}

/* H times the direction at u; the gradient is workspace. */
static ac_status multiply(ac_shooting *s, const double *u, const double *direction, double *slope,
                          double *product)
{
    ac_segments function;
    double value;
    AC_TRY(ac_segments_open(s, NULL, 1, true, &function));
    ac_status status = ac_segments_linearise(&function, u, &value, product);
    if (status == AC_OK) status = ac_segments_multiply(&function, direction, product);
    if (status == AC_OK && slope) *slope = function.second->slope;
    ac_segments_close(&function);
    return status;
}

ac_status ac_optimization_second(ac_optimization *o, const double *controls, const double *direction,
                                 double *slope, double *product)
{
    ac_shooting s;
    double *u = NULL;
    AC_TRY(ac_shooting_open(o, false, &s));
    ac_status status = guessed_controls(&s, controls, &u);
    if (status == AC_OK) status = multiply(&s, u, direction, slope, product);
    ac_release(s.ctx, u);
    ac_shooting_close(&s);
    return status;
}

typedef struct kept_adjoint {
    size_t n;
    double *by_momentum; /* per node */
} kept_adjoint;

static void keep_node(void *user, long node, double t, const double *q, const double *by_q,
                      const double *by_p)
{
    const kept_adjoint *kept = user;
    (void)t, (void)q, (void)by_q;
    memcpy(kept->by_momentum + (size_t)node * kept->n, by_p, kept->n * sizeof *by_p);
}

/* The motion found becomes the outcome of the problem, with its controls and its adjoint variables. */
static ac_status hand_over(ac_shooting *s, const double *u, const ac_shooting_outcome *outcome,
                           const char *words)
{
    ac_adjoint *d = s->adjoint;
    const double *q = d->stored.q + (size_t)d->steps * (size_t)d->system->n,
                 *p = d->stored.p + (size_t)d->steps * (size_t)d->system->n;
    AC_TRY(ac_legendre_project(&d->legendre, q, p));
    AC_TRY(ac_optimization_guess_motion(s->o, (int)d->steps + 1, d->stored.q, u, s->o->settings.duration));
    AC_TRY(ac_optimization_adopt(s->o, outcome->value, outcome->iterations, d->legendre.u, words));
    ac_optimization_outcome *out = &s->o->found.outcome;
    out->optimality = outcome->gradient;
    out->optimality_limit = outcome->limit;
    out->second_order = outcome->second_order;
    out->saddles_left = outcome->saddles_left;
    kept_adjoint kept = {.n = (size_t)d->system->n};
    const size_t numbers = ((size_t)d->steps + 1) * kept.n;
    double value;
    AC_NEW(s->ctx, s->o->found.momenta, numbers);
    memcpy(s->o->found.momenta, d->stored.p, numbers * sizeof *d->stored.p);
    AC_NEW(s->ctx, s->o->found.adjoint, numbers);
    kept.by_momentum = s->o->found.adjoint;
    ac_adjoint_watch(d, keep_node, &kept);
    ac_status status = ac_adjoint_run_again(d, &s->objective.functional, &value);
    ac_adjoint_watch(d, NULL, NULL);
    return s->objective.status != AC_OK ? s->objective.status : status;
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

/* Segments need products, products need second derivatives of the scheme. */
static ac_status refuse_settings(const ac_shooting *s, const ac_shooting_settings *settings)
{
    bool products = settings->method == AC_SHOOT_NEWTON || settings->method == AC_SHOOT_GAUSS_NEWTON;
    if (settings->segments > 1 && !products)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "shooting in segments needs the update newton or gauss-newton, which close the gaps "
                       "between them");
    if (settings->segments > s->o->settings.intervals)
        return ac_fail(s->ctx, AC_BAD_INPUT, "there are %d segments but only %d intervals",
                       settings->segments, s->o->settings.intervals);
    return AC_OK;
}

ac_status ac_optimization_shoot(ac_optimization *o, const ac_shooting_settings *settings, double *controls,
                                ac_shooting_outcome *outcome)
{
    ac_shooting s;
    ac_shooting_settings own = *settings;
    AC_TRY(ac_shooting_open(o, true, &s));
    ac_status status = refuse_settings(&s, settings);
    if (status == AC_OK) status = resume_place(&s, &own);
    if (status == AC_OK)
        status = o->description.aim.active ? ac_shooting_approach_target(&s, &own, controls, outcome)
                                           : ac_shooting_minimise(&s, &own, controls, outcome);
    if (status == AC_OK && own.method != AC_SHOOT_NEWTON) status = verify(&s, &own, controls, outcome);
    outcome->evaluations = (int)s.evaluations;
    if (status == AC_OK || status == AC_NOT_CONVERGED || status == AC_INTERRUPTED)
        status = keep(&s, status, controls, outcome);
    ac_shooting_close(&s);
    return status;
}
