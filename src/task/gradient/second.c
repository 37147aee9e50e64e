/* Second derivatives of the functional of a problem by its parameters and controls, along a direction.
 *
 * The adjoint of the tangent (adjoint/second/second.c) needs how the derivatives of numbers, start and loads by each parameter change along
 * the direction: slopes of slopes (model/slope.h), by the rules of the product. Where one of the data has none (ac_values_bend), its row
 * alone is taken from the exact slopes at six values before and behind the present ones, by differences of sixth order; so is a load over
 * time that has none, and no other. Nothing is simulated for that. Products are repeated with closer values until they agree, and how far
 * they agree is their error. The functional itself is a function of all parameters together, with exact second derivatives.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adjoint/second/second.h"
#include "base/base.h"
#include "math/math.h"
#include "problem/build/slopes.h"
#include "problem/certify/certify.h"
#include "task/gradient/gradient.h"

/* Largest change of a parameter between neighbours, relative, where truncation and rounding are alike; between whole gradients. */
static const double STEP = 4e-3, GRADIENT_STEP = 1e-3;
static const double CLOSER = 0.1;
static const double FINER = 0.25,
                    AGREES =
                        1e-9;    /* values of differences from product to product; the rest beside its size */
static const double NEAR = 1e-4; /* extrapolation beside a difference: the next one is not needed */
enum { TRIALS = 3, LOAD_TRIALS = 5, MOST_FINER = 6, MOST_HALVINGS = 8 };
static const double WEIGHTS[AC_STENCIL] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};
static const int PLACES[AC_STENCIL] = {-3, -2, -1, 1, 2, 3};

typedef struct ac_parameter_bends {
    ac_parameter_curvature curvature;
    ac_values *values;                 /* of all parameters, at the present values */
    ac_optimization *functional;       /* as a function of all of them; NULL: it depends on none */
    ac_values *neighbours[AC_STENCIL]; /* along the last direction */
    double step;                       /* between them; 0: no parameter changes */
    double finer;                      /* share of the usual step */
    bool *differs;                     /* per parameter: its row is taken from neighbours */
    bool differed;                     /* was anything, in the last product? */
    double error;                      /* of the last second derivative, by that */
    char *reason;                      /* why there are neighbours; NULL: slopes of slopes are exact */
    double *direction;                 /* the last one */
    bool linearised;
    double *inputs;
} ac_parameter_bends;

void ac_gradient_forget_second(ac_gradient *g)
{
    ac_parameter_bends *s = g->second;
    if (!s) return;
    ac_optimization_free(s->functional);
    ac_values_free(s->values);
    for (int k = 0; k < AC_STENCIL; ++k) ac_values_free(s->neighbours[k]);
    void *blocks[] = {s->inputs, s->reason, s->direction, s->differs, s};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(g->ctx, blocks[k]);
    g->second = NULL;
}

/* Values of all parameters, once or more. */
static ac_status open_values(ac_gradient *g, ac_values **values, int times)
{
    const char **names;
    AC_NEW(g->ctx, names, g->count + 1);
    for (int j = 0; j < g->count; ++j) names[j] = g->parameters[j].name;
    ac_status status = AC_OK;
    for (int k = 0; k < times && status == AC_OK; ++k)
        status = ac_values_open(g->ctx, g->problem, names, g->count, true, &values[k]);
    ac_release(g->ctx, names);
    return status;
}

/* --- neighbours along the direction --- */

static double size_of(const ac_gradient_parameter_data *p)
{
    return p->value != 0.0 ? fabs(p->value) : 1.0;
}

static void choose_step(const ac_gradient *g, const double *direction)
{
    double most = 0.0;
    for (int j = 0; j < g->count; ++j) most = ac_max(most, fabs(direction[j]) / size_of(&g->parameters[j]));
    g->second->step = most > 0.0 ? STEP * g->second->finer / most : 0.0;
}

typedef struct adding {
    ac_number_changes *to;
    int parameter;
    double weight;
} adding;

static ac_status add_slope(void *user, const ac_number_key *key, double slope)
{
    const adding *own = user;
    return ac_number_changes_add(own->to, key, own->parameter, own->weight * slope);
}

/* The places of forces of controls belong to the slope as well. */
static ac_status slope_controls(ac_gradient *g, ac_values *v, int parameter, ac_system_slope *slope)
{
    ac_optimization *functional = NULL;
    if (!ac_gradient_pushes_points(g)) return AC_OK;
    AC_TRY(ac_values_functional(v, &functional));
    ac_status status = ac_values_functional_slope(v, functional, parameter, slope);
    ac_optimization_free(functional);
    return status;
}

static ac_status take_slope(ac_gradient *g, ac_values *v, const ac_discrete *other, int parameter,
                            double weight, ac_number_changes *numbers, double *start)
{
    const size_t n = (size_t)g->shooting.adjoint->system->n;
    ac_system_slope *slope = NULL;
    adding own = {numbers, parameter, weight};
    AC_TRY(ac_values_slope(v, parameter, &slope));
    ac_status status = slope_controls(g, v, parameter, slope);
    if (status == AC_OK) status = ac_number_slopes(other, slope, add_slope, &own);
    for (size_t i = 0; i < n; ++i) {
        start[2 * (size_t)parameter * n + i] += weight * slope->q[i];
        start[(2 * (size_t)parameter + 1) * n + i] += weight * slope->v[i];
    }
    ac_system_slope_free(slope);
    return status;
}

static ac_status take_neighbour(ac_gradient *g, ac_values *v, double weight, ac_number_changes *numbers,
                                double *start)
{
    const ac_adjoint *d = g->shooting.adjoint;
    ac_discrete other;
    AC_TRY(ac_interval_open(g->ctx, ac_values_system(v), d->discrete.scheme_name, ac_shooting_inputs, g->o,
                            &other));
    ac_status status = AC_OK;
    for (int j = 0; j < g->count && status == AC_OK; ++j)
        if (g->second->differs[j]) status = take_slope(g, v, &other, j, weight, numbers, start);
    ac_discrete_destroy(&other);
    return status;
}

static ac_status set_neighbour(ac_gradient *g, const double *direction, int k, double *x)
{
    for (int j = 0; j < g->count; ++j)
        x[j] = g->parameters[j].value + PLACES[k] * g->second->step * direction[j];
    return ac_values_set(g->second->neighbours[k], x);
}

static ac_status set_neighbours(ac_gradient *g, const double *direction, double *x)
{
    for (int k = 0; k < AC_STENCIL; ++k) AC_TRY(set_neighbour(g, direction, k, x));
    return AC_OK;
}

/* The mean of a load over an interval has a second derivative as long as no jump and no kink of it passes a time node: neighbours are
 * taken so close that none does. False: there are none. */
static bool keep_jumps(ac_gradient *g, const double *direction, double *x)
{
    ac_parameter_bends *s = g->second;
    const ac_adjoint *d = g->shooting.adjoint;
    for (int trial = 0; trial < LOAD_TRIALS; ++trial) {
        bool alike = true;
        for (int k = 0; k < AC_STENCIL && alike; ++k)
            alike = ac_values_loads_switch_alike(s->values, s->neighbours[k], d->steps, d->h);
        if (alike) return true;
        s->step *= CLOSER;
        if (set_neighbours(g, direction, x) != AC_OK) return false;
    }
    return false;
}

static void clear_row(const ac_gradient *g, int parameter, ac_number_changes *numbers, double *start)
{
    const size_t n = (size_t)g->shooting.adjoint->system->n;
    int kept = 0;
    for (int k = 0; k < numbers->count; ++k)
        if (numbers->list[k].parameter != parameter) numbers->list[kept++] = numbers->list[k];
    numbers->count = kept;
    memset(start + 2 * (size_t)parameter * n, 0, 2 * n * sizeof *start);
}

/* The rows that differ, from all neighbours. */
static ac_status take_neighbours(ac_gradient *g, ac_number_changes *numbers, double *start)
{
    ac_parameter_bends *s = g->second;
    bool any = false;
    for (int j = 0; j < g->count; ++j) {
        any = any || s->differs[j];
        if (s->differs[j]) clear_row(g, j, numbers, start);
    }
    for (int k = 0; k < AC_STENCIL && any; ++k)
        AC_TRY(take_neighbour(g, s->neighbours[k], WEIGHTS[k] / s->step, numbers, start));
    return AC_OK;
}

/* Neighbours that are no valid systems, such as loops that cannot be closed there, are taken closer. */
static ac_status bend_between(ac_gradient *g, const double *direction, ac_number_changes *numbers,
                              double *start)
{
    double *x;
    ac_status status = AC_OK;
    choose_step(g, direction);
    if (g->second->step == 0.0) return AC_OK;
    AC_NEW(g->ctx, x, g->count + 1);
    for (int trial = 0; trial < TRIALS; ++trial, g->second->step *= CLOSER) {
        status = set_neighbours(g, direction, x);
        if (status == AC_OK && !keep_jumps(g, direction, x)) {
            status = ac_fail(g->ctx, AC_BAD_INPUT,
                             "there is no second derivative: a jump or a bend of a load that moves with a "
                             "parameter lies at a time node, where the first derivative has a kink; change "
                             "its time or the step a little");
            break;
        }
        if (status == AC_OK) status = take_neighbours(g, numbers, start);
        if (status == AC_OK || status == AC_NO_MEMORY) break;
    }
    ac_release(g->ctx, x);
    return status;
}

/* --- slopes of slopes --- */

static ac_status bend_parameter(ac_gradient *g, const double *direction, const ac_system_slope *along,
                                int parameter, ac_number_changes *numbers, double *start)
{
    const ac_discrete *discrete = &g->shooting.adjoint->discrete;
    const size_t n = (size_t)discrete->system->n;
    ac_system_slope *slope = NULL;
    adding own = {numbers, parameter, 1.0};
    AC_TRY(ac_values_bend(g->second->values, direction, along, parameter, &slope));
    ac_status status = ac_number_slopes(discrete, slope, add_slope, &own);
    memcpy(start + 2 * (size_t)parameter * n, slope->q, n * sizeof *start);
    memcpy(start + (2 * (size_t)parameter + 1) * n, slope->v, n * sizeof *start);
    ac_system_slope_free((ac_system_slope *)slope->of);
    ac_system_slope_free(slope);
    return status;
}

/* Differences are taken for the reason of the message: the first one is kept. */
static ac_status keep_reason(ac_gradient *g, ac_status status)
{
    ac_parameter_bends *s = g->second;
    if (status != AC_BAD_INPUT) return status;
    s->differed = true;
    if (!s->reason) s->reason = ac_copy_text(g->ctx, ac_context_message(g->ctx));
    return s->reason ? AC_OK : ac_out_of_memory(g->ctx);
}

/* The rows that are known exactly; `differs` has the others. */
static ac_status bend_exactly(ac_gradient *g, const double *direction, ac_number_changes *numbers,
                              double *start)
{
    ac_parameter_bends *s = g->second;
    ac_system_slope *along = NULL;
    ac_status status = ac_gradient_pushes_points(g)
                           ? ac_fail(g->ctx, AC_BAD_INPUT, "a control acts at a point")
                           : ac_values_slope_along(s->values, direction, &along);
    for (int j = 0; j < g->count; ++j) s->differs[j] = status == AC_BAD_INPUT;
    if (status != AC_OK) return keep_reason(g, status);
    for (int j = 0; j < g->count && status == AC_OK; ++j) {
        status = bend_parameter(g, direction, along, j, numbers, start);
        s->differs[j] = status == AC_BAD_INPUT;
        status = keep_reason(g, status);
    }
    ac_system_slope_free(along);
    return status;
}

static ac_status bend(void *user, const double *direction, ac_number_changes *numbers, double *start)
{
    ac_gradient *g = user;
    ac_parameter_bends *s = g->second;
    memcpy(s->direction, direction, (size_t)g->count * sizeof *direction);
    memset(start, 0, 2 * (size_t)g->count * (size_t)g->shooting.adjoint->system->n * sizeof *start);
    numbers->count = 0;
    s->differed = false;
    AC_TRY(bend_exactly(g, direction, numbers, start));
    if (!ac_values_load_bends(s->values, -1)) {
        ac_status status = ac_fail(g->ctx, AC_BAD_INPUT, "a load jumps, or is a table with parameters");
        AC_TRY(keep_reason(g, status));
    }
    if (!s->differed) return AC_OK;
    if (!s->neighbours[0]) AC_TRY(open_values(g, s->neighbours, AC_STENCIL));
    return bend_between(g, direction, numbers, start);
}

static double bend_load(void *user, int parameter, int load, int component, double t, double h)
{
    const ac_gradient *g = user;
    const ac_parameter_bends *s = g->second;
    double sum = 0.0;
    if (ac_values_load_bends(s->values, load))
        return ac_values_load_bend(s->values, s->direction, parameter, load, component, t, h);
    for (int k = 0; s->step != 0.0 && k < AC_STENCIL; ++k)
        sum += WEIGHTS[k] / s->step *
               ac_values_load_slope(s->neighbours[k], parameter, load, component, t, h);
    return sum;
}

const char *ac_gradient_second_differs(const ac_gradient *g)
{
    return g->second ? g->second->reason : NULL;
}

double ac_gradient_second_error(const ac_gradient *g)
{
    return g->second ? g->second->error : 0.0;
}

/* --- opening --- */

static ac_status refuse(ac_gradient *g, const char *name, const char *reason)
{
    return ac_fail(g->ctx, AC_BAD_INPUT,
                   "there is no second derivative by the parameter '%s': %s; name the others with -p", name,
                   reason);
}

/* All names of the functional must have second derivatives. */
static ac_status check_parameters(ac_gradient *g)
{
    const ac_objective_functional *f = &g->shooting.objective;
    const ac_adjoint_parameters *p = &g->shooting.adjoint->parameters;
    for (int k = 0; k < p->slope_count; ++k)
        if (p->varying.keys[p->slopes[k].number].kind == AC_NUMBER_FUNCTION)
            return refuse(g, g->parameters[p->slopes[k].parameter].name,
                          "it changes the energy of a beam that is given as a function");
    for (int k = 0; k < f->marked_count; ++k)
        for (int e = 0; e < f->o->description.objective_count; ++e) {
            const ac_term *term = &f->marked[k].o->description.objectives[e].term;
            for (int l = 0; l < term->leaf_count; ++l) {
                const char *reason = ac_leaf_lacks_second(&f->marked[k], &term->leaves[l]);
                if (reason) return refuse(g, g->parameters[f->marked[k].parameter].name, reason);
            }
        }
    return AC_OK;
}

/* Does the functional depend on a parameter by itself? */
static bool depends(const ac_gradient *g)
{
    const ac_objective_functional *f = &g->shooting.objective;
    bool any = false;
    for (int k = 0; k < f->marked_count; ++k)
        for (int e = 0; e < f->o->description.objective_count; ++e)
            any = any || ac_term_is_marked(&f->marked[k], &f->marked[k].o->description.objectives[e].term);
    return any;
}

static ac_status join_functional(ac_gradient *g)
{
    ac_parameter_bends *s = g->second;
    if (!depends(g)) return AC_OK;
    AC_TRY(ac_values_functional(s->values, &s->functional));
    if (ac_values_weigh_curves(s->values, s->functional))
        return ac_fail(g->ctx, AC_BAD_INPUT,
                       "there is no second derivative of energies and momenta by the curve, rest length or "
                       "precurvature of a beam that is not straight");
    return ac_objective_join(&g->shooting.objective, s->functional);
}

static ac_status fill_second(ac_gradient *g)
{
    ac_adjoint *d = g->shooting.adjoint;
    ac_parameter_bends *s = g->second;
    s->curvature = (ac_parameter_curvature){g, bend, bend_load};
    AC_NEW(g->ctx, s->inputs, (size_t)d->steps * (size_t)d->input_count + 1);
    if (g->count > 0) {
        AC_NEW(g->ctx, s->direction, g->count);
        AC_NEW(g->ctx, s->differs, g->count);
        AC_TRY(open_values(g, &s->values, 1));
        AC_TRY(join_functional(g));
    }
    d->parameters.curvature = &s->curvature;
    return AC_OK;
}

static ac_status open_second(ac_gradient *g)
{
    if (g->second) return AC_OK;
    AC_TRY(check_parameters(g));
    AC_NEW(g->ctx, g->second, 1);
    ac_status status = fill_second(g);
    if (status != AC_OK) ac_gradient_forget_second(g);
    return status;
}

static ac_status linearise(ac_gradient *g)
{
    ac_shooting *s = &g->shooting;
    if (g->second->linearised) return AC_OK;
    memcpy(s->adjoint->controls, g->controls, (size_t)s->size * sizeof *g->controls);
    s->objective.status = AC_OK;
    ac_status status = ac_adjoint_linearise(s->adjoint, &s->objective.functional, NULL);
    AC_TRY(s->objective.status);
    g->second->linearised = status == AC_OK;
    return status;
}

/* --- products --- */

static ac_status multiply(ac_gradient *g, const double *direction, const double *controls, double *product,
                          double *by_controls)
{
    ac_shooting *s = &g->shooting;
    ac_adjoint *d = s->adjoint;
    double *inputs = g->second->inputs;
    memset(inputs, 0, (size_t)d->steps * (size_t)d->input_count * sizeof *inputs);
    for (int k = 0; controls && k < s->size; ++k)
        inputs[k / d->control_count * d->input_count + k % d->control_count] = controls[k];
    AC_TRY(ac_adjoint_bend(
        d, &(ac_second_direction){.inputs = controls ? inputs : NULL, .parameters = direction}, NULL));
    AC_TRY(s->objective.status);
    memcpy(product, d->second->by_parameters->product, (size_t)g->count * sizeof *product);
    for (int k = 0; by_controls && k < s->size; ++k)
        by_controls[k] = ac_adjoint_second_by_input(d, k / d->control_count)[k % d->control_count];
    for (int j = 0; j < g->count; ++j)
        if (!isfinite(product[j]))
            return ac_fail(g->ctx, AC_NOT_CONVERGED, "the second derivative is not a number");
    return AC_OK;
}

/* Sum over the parameters of |a_j - b_j|, or of |a_j|, times their values. */
static double distance(const ac_gradient *g, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < g->count; ++j) sum += fabs(a[j] - (b ? b[j] : 0.0)) * size_of(&g->parameters[j]);
    return sum;
}

/* Repeats the product with closer neighbours until two agree, or begin to leave each other; `next`: a product and what it is by the
 * controls. */
static ac_status refine(ac_gradient *g, const double *direction, const double *controls, double *product,
                        double *by_controls, double *next)
{
    ac_parameter_bends *s = g->second;
    double last = INFINITY, *next_controls = by_controls ? next + g->count : NULL;
    for (int k = 0; k < MOST_FINER; ++k) {
        s->finer *= FINER;
        AC_TRY(multiply(g, direction, controls, next, next_controls));
        double apart = distance(g, next, product);
        if (!(apart < last)) break;
        s->error = 0.0;
        for (int j = 0; j < g->count; ++j) s->error += fabs(direction[j] * (next[j] - product[j]));
        memcpy(product, next, (size_t)g->count * sizeof *next);
        if (by_controls) memcpy(by_controls, next_controls, (size_t)g->shooting.size * sizeof *next);
        if (apart <= AGREES * distance(g, product, NULL)) break;
        last = apart;
    }
    return AC_OK;
}

ac_status ac_gradient_second(ac_gradient *g, const double *direction, const double *controls, double *product,
                             double *by_controls)
{
    double *next;
    AC_TRY(open_second(g));
    AC_TRY(linearise(g));
    g->second->finer = 1.0;
    g->second->error = 0.0;
    g->second->differed = false;
    AC_TRY(multiply(g, direction, controls, product, by_controls));
    if (!g->second->differed) return AC_OK;
    AC_NEW(g->ctx, next, g->count + g->shooting.size + 1);
    ac_status status = refine(g, direction, controls, product, by_controls, next);
    ac_release(g->ctx, next);
    return status;
}

ac_status ac_gradient_hessian(ac_gradient *g, double *hessian)
{
    double *direction, error = 0.0;
    ac_status status = AC_OK;
    AC_NEW(g->ctx, direction, g->count + 1);
    for (int j = 0; j < g->count && status == AC_OK; ++j) {
        direction[j] = 1.0;
        status = ac_gradient_second(g, direction, NULL, hessian + (size_t)j * (size_t)g->count, NULL);
        error = ac_max(error, ac_gradient_second_error(g));
        direction[j] = 0.0;
    }
    if (g->second) g->second->error = error;
    ac_release(g->ctx, direction);
    return status;
}

/* --- differences --- */

/* The gradient at the parameters moved along the direction. */
static ac_status gradient_at(ac_gradient *g, const double *direction, double step, double *by)
{
    char(*texts)[128] = NULL;
    const char **pointers = NULL, **names = NULL;
    ac_problem *problem = NULL;
    ac_gradient *other = NULL;
    size_t count = (size_t)g->count + 1;
    texts = ac_allocate(g->ctx, count, sizeof *texts);
    pointers = ac_allocate(g->ctx, count, sizeof *pointers);
    names = ac_allocate(g->ctx, count, sizeof *names);
    ac_status status = texts && pointers && names ? AC_OK : ac_out_of_memory(g->ctx);
    for (int j = 0; status == AC_OK && j < g->count; ++j) {
        const ac_gradient_parameter_data *p = &g->parameters[j];
        snprintf(texts[j], sizeof texts[j], "parameters.%s=%.17g", p->name, p->value + step * direction[j]);
        pointers[j] = texts[j];
        names[j] = p->name;
    }
    if (status == AC_OK) status = ac_problem_vary(g->ctx, g->problem, pointers, g->count, &problem);
    if (status == AC_OK)
        status = ac_gradient_new_stretch(g->ctx, problem, names, g->count, 0, g->most_steps, &other);
    if (status == AC_OK) status = ac_gradient_run(other, NULL);
    for (int j = 0; status == AC_OK && j < g->count; ++j) by[j] = ac_gradient_by_parameter(other, j);
    ac_gradient_free(other);
    ac_problem_free(problem);
    ac_release(g->ctx, texts);
    ac_release(g->ctx, pointers);
    ac_release(g->ctx, names);
    return status;
}

/* (grad(x + step) - grad(x - step)) / 2 step; `by`: workspace. */
static ac_status central(ac_gradient *g, const double *direction, double step, double *by, double *slope)
{
    AC_TRY(gradient_at(g, direction, step, slope));
    AC_TRY(gradient_at(g, direction, -step, by));
    for (int j = 0; j < g->count; ++j) slope[j] = (slope[j] - by[j]) / (2.0 * step);
    return AC_OK;
}

/* Halves the step until the extrapolation of two differences is close to the second of them, or goes away from it. `work`: four times
 * as many numbers as parameters. */
static ac_status extrapolate(ac_gradient *g, const double *direction, double step, double *product,
                             double *work)
{
    size_t n = (size_t)g->count;
    double *wide = work, *narrow = work + n, *better = work + 2 * n, last = INFINITY;
    AC_TRY(central(g, direction, step, work + 3 * n, wide));
    for (int k = 0; k < MOST_HALVINGS; ++k) {
        step *= 0.5;
        AC_TRY(central(g, direction, step, work + 3 * n, narrow));
        for (size_t j = 0; j < n; ++j) better[j] = (4.0 * narrow[j] - wide[j]) / 3.0;
        double apart = distance(g, better, narrow);
        if (!(apart < last)) return AC_OK;
        memcpy(product, better, n * sizeof *better);
        if (apart <= NEAR * distance(g, better, NULL)) return AC_OK;
        memcpy(wide, narrow, n * sizeof *narrow);
        last = apart;
    }
    return AC_OK;
}

ac_status ac_gradient_second_difference(ac_gradient *g, const double *direction, double *product)
{
    double *work, most = 0.0;
    for (int j = 0; j < g->count; ++j) most = ac_max(most, fabs(direction[j]) / size_of(&g->parameters[j]));
    AC_NEW(g->ctx, work, 4 * (size_t)g->count + 1);
    memset(product, 0, (size_t)g->count * sizeof *product);
    ac_status status = extrapolate(g, direction, GRADIENT_STEP / (most > 0.0 ? most : 1.0), product, work);
    ac_release(g->ctx, work);
    return status;
}
