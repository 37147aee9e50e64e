/* Gradients by named parameters of a problem file. The numbers of its description are expressions of the parameters; their
 * derivatives become those of the system and of its start (problem/build/slopes.c), which the adjoint takes.
 *
 * The problem is read at neighbouring values of the parameters, to see that they change neither the kind of the problem nor its
 * duration. What has no exact derivative has no gradient, and the reason is given.
 *
 * Parameters are taken in groups, so that the file is read a few times and not once for each: several of them together, and where that is
 * refused, half of them and the other half, down to the one that is the reason. Groups are small, as expressions and dependences cost
 * as much as the square of the number of parameters that they may have. */
#include "task/gradient/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adjoint/impacts/path.h"
#include "base/base.h"
#include "math/math.h"
#include "observe/choice.h"
#include "problem/build/build.h"
#include "problem/build/slopes.h"
#include "problem/certify/certify.h"

static const double STEP = 2e-4; /* of a parameter, relative; of one that is zero, absolute */
static const double WEIGHTS[AC_STENCIL] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};
/* The same with fewer neighbours: second and fourth order. */
static const double NEAR_WEIGHTS[AC_STENCIL] = {0, 0, -1.0 / 2, 1.0 / 2, 0, 0},
                    MIDDLE_WEIGHTS[AC_STENCIL] = {0, 1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12, 0};
static const int PLACES[AC_STENCIL] = {-3, -2, -1, 1, 2, 3};

/* Neighbours at which other things happen at contacts come closer, by this factor and so many times. */
static const double NEARER = 0.1;

enum { NEAREST = 3, /* of the neighbours */ GROUP = 32 /* most parameters of a group */, MOST_CLOSER = 3 };

/* --- neighbouring problems --- */

static void forget(ac_gradient_parameter_data *p)
{
    ac_system_slope_free(p->slope);
    for (int k = 0; k < AC_STENCIL; ++k) ac_problem_free(p->others[k]);
    memset(p, 0, sizeof *p);
}

static const char *other_run(const ac_problem *a, const ac_problem *b)
{
    const ac_simulation_settings *s = ac_problem_simulation(a), *t = ac_problem_simulation(b);
    const ac_optimization_settings *x = ac_optimization_given(ac_problem_functional(a)),
                                   *y = ac_optimization_given(ac_problem_functional(b));
    if (s && (s->step != t->step || s->steps != t->steps)) return "the step or the duration changes";
    return x->duration != y->duration || x->intervals != y->intervals ? "the step or the duration changes"
                                                                      : NULL;
}

static ac_status refuse(ac_gradient *g, const ac_gradient_parameter_data *p, const char *reason)
{
    return ac_fail(g->ctx, AC_BAD_INPUT,
                   "there is no gradient by the parameter '%s': %s when it is changed a little", p->name,
                   reason);
}

static double step_of(const ac_gradient_parameter_data *p)
{
    return (p->value != 0.0 ? STEP * fabs(p->value) : STEP) * ac_pow(NEARER, p->closer);
}

/* The problem at neighbour k, unless it is there already. */
static ac_status read_neighbour(ac_gradient *g, ac_gradient_parameter_data *p, int k)
{
    double step = step_of(p), there = p->value + PLACES[k] * step;
    char setting[128];
    if (p->others[k]) return AC_OK;
    snprintf(setting, sizeof setting, "parameters.%s=%.17g", p->name, there);
    ac_status status = ac_problem_variation(g->problem, setting, &p->others[k]);
    if (status == AC_NO_MEMORY) return status;
    if (status != AC_OK) {
        char reason[600];
        snprintf(reason, sizeof reason, "%s", ac_context_message(g->ctx));
        return ac_fail(g->ctx, AC_BAD_INPUT,
                       "there is no gradient by the parameter '%s': with %.10g the problem is not valid (%s)",
                       p->name, there, reason);
    }
    const char *other = other_run(g->problem, p->others[k]);
    if (!other) other = ac_systems_mismatch(ac_problem_system(g->problem), ac_problem_system(p->others[k]));
    return other ? refuse(g, p, other) : AC_OK;
}

static ac_status read_neighbours(ac_gradient *g, ac_gradient_parameter_data *p)
{
    for (int k = 0; k < AC_STENCIL; ++k) AC_TRY(read_neighbour(g, p, k));
    return AC_OK;
}

/* --- the parameters --- */

static ac_status skip(ac_gradient *g)
{
    g->skipped[g->skipped_count] = ac_copy_text(g->ctx, ac_context_message(g->ctx));
    if (!g->skipped[g->skipped_count]) return ac_out_of_memory(g->ctx);
    ++g->skipped_count;
    return AC_OK;
}

static bool load_varies(void *user, int load, int component)
{
    const ac_gradient_parameter_data *p = user;
    return ac_values_load_varies(p->group.values, p->own, load, component);
}

static double load_slope(void *user, int load, int component, double t, double h)
{
    const ac_gradient_parameter_data *p = user;
    return ac_values_load_slope(p->group.values, p->own, load, component, t, h);
}

bool ac_gradient_pushes_points(const ac_gradient *g)
{
    const ac_discrete *d = &g->shooting.adjoint->discrete;
    bool pushes = false;
    for (int k = 0; k < d->control_count; ++k) pushes |= d->inputs[k].scalar < 0;
    return pushes;
}

/* A derivative that is not known: the reason comes with its place, as far as it has one. */
static ac_status refuse_derivative(ac_gradient *g, const ac_gradient_parameter_data *p, ac_status status)
{
    char reason[1200];
    if (status != AC_BAD_INPUT) return status;
    snprintf(reason, sizeof reason, "%s", ac_context_message(g->ctx));
    return ac_fail(g->ctx, AC_BAD_INPUT, "there is no gradient by the parameter '%s': %s", p->name, reason);
}

static ac_status differentiate(ac_gradient *g, ac_gradient_parameter_data *p)
{
    ac_status status = ac_values_slope(p->group.values, p->own, &p->slope);
    if (status == AC_OK) status = ac_path_check_parameter(g->shooting.adjoint, p->slope);
    if (status == AC_OK)
        status = ac_values_functional_slope(p->group.values, p->group.functional, p->own, p->slope);
    return refuse_derivative(g, p, status);
}

static ac_status take_parameter(ac_gradient *g, const ac_gradient_parameter_data *wanted)
{
    ac_gradient_parameter_data *p = &g->parameters[g->count];
    *p = *wanted;
    ac_status status = differentiate(g, p);
    if (status == AC_OK) {
        g->actions[g->count++] = (ac_parameter_action){
            .name = p->name, .slope = p->slope, .user = p, .load_varies = load_varies, .load = load_slope};
        return AC_OK;
    }
    forget(p);
    return status;
}

/* Is the problem with all these parameters changed one of the same kind? By different shares, so that ratios change, too. */
static bool stay_alike(ac_gradient *g, const ac_gradient_parameter_data *wanted, int count)
{
    ac_problem *other = NULL;
    char texts[GROUP][128];
    const char *settings[GROUP];
    for (int k = 0; k < count; ++k) {
        const double share = 0.5 + 0.5 * fmod(0.6180339887498949 * (k + 1), 1.0);
        snprintf(texts[k], sizeof texts[k], "parameters.%s=%.17g", wanted[k].name,
                 wanted[k].value + share * step_of(&wanted[k]));
        settings[k] = texts[k];
    }
    bool alike = ac_problem_vary(g->ctx, g->problem, settings, count, &other) == AC_OK &&
                 !other_run(g->problem, other) &&
                 !ac_systems_mismatch(ac_problem_system(g->problem), ac_problem_system(other));
    ac_problem_free(other);
    return alike;
}

static ac_status open_group(ac_gradient *g, ac_gradient_parameter_data *wanted, int count)
{
    ac_gradient_group *group = &g->groups[g->group_count++];
    const char *names[GROUP];
    for (int k = 0; k < count; ++k) names[k] = wanted[k].name;
    AC_TRY(ac_values_open(g->ctx, g->problem, names, count, true, &group->values));
    AC_TRY(ac_values_functional(group->values, &group->functional));
    for (int k = 0; k < count; ++k) {
        wanted[k].group = *group;
        wanted[k].own = k;
    }
    return AC_OK;
}

/* A parameter by itself; `required`: without it there is no gradient at all. */
static ac_status take_single(ac_gradient *g, ac_gradient_parameter_data *wanted, bool required)
{
    ac_status status = read_neighbour(g, wanted, NEAREST);
    if (status == AC_OK) status = refuse_derivative(g, wanted, open_group(g, wanted, 1));
    if (status != AC_OK) forget(wanted);
    if (status == AC_OK) status = take_parameter(g, wanted);
    return status == AC_OK || required || status == AC_NO_MEMORY ? status : skip(g);
}

static ac_status take_group(ac_gradient *g, ac_gradient_parameter_data *wanted, int count, bool required)
{
    if (count == 1) return take_single(g, wanted, required);
    if (count > GROUP || !stay_alike(g, wanted, count) || open_group(g, wanted, count) != AC_OK) {
        AC_TRY(take_group(g, wanted, count / 2, required));
        return take_group(g, wanted + count / 2, count - count / 2, required);
    }
    for (int k = 0; k < count; ++k) {
        ac_status status = take_parameter(g, &wanted[k]);
        if (status == AC_BAD_INPUT) status = take_single(g, &wanted[k], required); /* the group may be why */
        AC_TRY(status);
    }
    return AC_OK;
}

static ac_status find_parameter(ac_gradient *g, const char *name, ac_gradient_parameter_data *wanted)
{
    for (int k = 0; k < ac_problem_parameters(g->problem); ++k) {
        double value;
        if (strcmp(ac_problem_parameter(g->problem, k, &value), name) != 0) continue;
        snprintf(wanted->name, sizeof wanted->name, "%s", name);
        wanted->value = value;
        return AC_OK;
    }
    return ac_fail(g->ctx, AC_BAD_INPUT,
                   "the file has no parameter '%.60s' that is a number; a gradient is by parameters that are "
                   "numbers, or formulas "
                   "without other parameters",
                   name);
}

static ac_status take_parameters(ac_gradient *g, const char *const *names, int count)
{
    int room = names ? count : ac_problem_parameters(g->problem);
    ac_gradient_parameter_data *wanted;
    ac_status status = AC_OK;
    AC_NEW(g->ctx, g->parameters, room + 1);
    AC_NEW(g->ctx, g->actions, room + 1);
    AC_NEW(g->ctx, g->skipped, room + 1);
    AC_NEW(g->ctx, g->groups, 3 * room + 1); /* one for each, and those that were refused */
    AC_NEW(g->ctx, wanted, room + 1);
    for (int k = 0; k < room && status == AC_OK; ++k)
        status = find_parameter(g, names ? names[k] : ac_problem_parameter(g->problem, k, NULL), &wanted[k]);
    if (status == AC_OK && room > 0) status = take_group(g, wanted, room, names != NULL);
    ac_release(g->ctx, wanted);
    return status;
}

/* The functional may depend on a parameter by itself. */
static ac_status mark_objective(ac_gradient *g)
{
    for (int j = 0; j < g->count; ++j) {
        ac_gradient_parameter_data *p = &g->parameters[j];
        const ac_marked_objective marked = {
            .o = p->group.functional, .slope = p->slope, .own = p->own, .parameter = j};
        ac_status status = ac_objective_mark(&g->shooting.objective, &marked);
        AC_TRY(refuse_derivative(g, p, status));
    }
    return AC_OK;
}

/* --- making --- */

static ac_status open_run(const ac_gradient *g, const ac_problem *problem, size_t memory,
                          ac_shooting *shooting)
{
    ac_optimization *o = ac_problem_functional(problem);
    const ac_simulation_settings *given = ac_problem_simulation(problem);
    if (!given) return ac_shooting_open(o, false, shooting);
    ac_simulation_settings settings = *given;
    settings.scheme = g->scheme;
    if (g->most_steps > 0 && settings.steps > g->most_steps) settings.steps = g->most_steps;
    return ac_shooting_open_simulation(o, &settings, memory, shooting);
}

/* The scheme of the run; all motions that are compared have it. */
static ac_status choose_scheme(ac_gradient *g)
{
    const ac_simulation_settings *given = ac_problem_simulation(g->problem);
    double joints;
    if (!given) return AC_OK;
    ac_simulation_settings settings = *given;
    AC_TRY(ac_choose_scheme(g->ctx, ac_problem_system(g->problem), &settings, &joints));
    g->scheme = settings.scheme;
    return AC_OK;
}

static ac_status create(ac_gradient *g, const char *const *names, int count, size_t memory)
{
    g->o = ac_problem_functional(g->problem);
    if (!g->o)
        return ac_fail(g->ctx, AC_BAD_INPUT,
                       "the file has no functional: add functional to simulate, or take the task optimize");
    AC_TRY(choose_scheme(g));
    AC_TRY(open_run(g, g->problem, memory, &g->shooting));
    AC_TRY(take_parameters(g, names, count));
    AC_TRY(ac_adjoint_set_parameters(g->shooting.adjoint, g->actions, g->count));
    AC_TRY(mark_objective(g));
    AC_NEW(g->ctx, g->controls, g->shooting.size + 1);
    AC_NEW(g->ctx, g->by_controls, g->shooting.size + 1);
    if (g->shooting.size > 0) ac_optimization_guessed_controls(g->o, g->controls);
    return AC_OK;
}

ac_status ac_gradient_new_stretch(ac_context *ctx, const ac_problem *problem, const char *const *names,
                                  int count, size_t memory, long most_steps, ac_gradient **gradient)
{
    ac_gradient *g;
    *gradient = NULL;
    AC_NEW(ctx, g, 1);
    g->ctx = ctx;
    g->problem = problem;
    g->most_steps = most_steps;
    ac_status status = create(g, names, count, memory);
    if (status != AC_OK) {
        ac_gradient_free(g);
        return status;
    }
    *gradient = g;
    return AC_OK;
}

ac_status ac_gradient_new(ac_context *ctx, const ac_problem *problem, const char *const *names, int count,
                          size_t memory, ac_gradient **gradient)
{
    return ac_gradient_new_stretch(ctx, problem, names, count, memory, 0, gradient);
}

void ac_gradient_free(ac_gradient *g)
{
    if (!g) return;
    ac_gradient_forget_second(g);
    ac_kept_impulses_close(&g->kept);
    ac_shooting_close(&g->shooting);
    for (int j = 0; g->parameters && j < g->count; ++j) forget(&g->parameters[j]);
    for (int k = 0; k < g->group_count; ++k) {
        ac_optimization_free(g->groups[k].functional);
        ac_values_free(g->groups[k].values);
    }
    for (int k = 0; k < g->skipped_count; ++k) ac_release(g->ctx, g->skipped[k]);
    void *blocks[] = {g->parameters, g->groups, g->actions, g->skipped, g->controls, g->by_controls};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(g->ctx, blocks[k]);
    ac_release(g->ctx, g);
}

/* --- running --- */

ac_status ac_gradient_keep_adjoint(ac_gradient *g)
{
    return g->kept.rows ? AC_OK : ac_kept_impulses_open(g->shooting.adjoint, &g->kept);
}

ac_status ac_gradient_run(ac_gradient *g, double *value)
{
    ac_status status = ac_shooting_evaluate(&g->shooting, g->controls, &g->value, g->by_controls);
    if (value) *value = g->value;
    return status;
}

/* How much the functional differs from that of the neighbours of a parameter; `alike`: the same happens at contacts, and
 * the same steps keep the energy. */
static ac_status run_neighbours(ac_gradient *g, ac_gradient_parameter_data *p, double change[AC_STENCIL],
                                bool *alike)
{
    *alike = true;
    AC_TRY(read_neighbours(g, p));
    for (int k = 0; k < AC_STENCIL && *alike; ++k) {
        ac_shooting other;
        double value = 0.0;
        AC_TRY(open_run(g, p->others[k], 0, &other));
        ac_status status = ac_shooting_evaluate(&other, g->controls, &value, NULL);
        if (status == AC_OK || (status == AC_BAD_INPUT && other.adjoint->path))
            *alike = status == AC_OK && ac_paths_alike(g->shooting.adjoint, other.adjoint) &&
                     ac_adjoint_times_alike(g->shooting.adjoint, other.adjoint);
        ac_shooting_close(&other);
        if (*alike) AC_TRY(status);
        change[k] = value - g->value;
    }
    return AC_OK;
}

static void come_closer(ac_gradient_parameter_data *p)
{
    for (int k = 0; k < AC_STENCIL; ++k) {
        ac_problem_free(p->others[k]);
        p->others[k] = NULL;
    }
    ++p->closer;
}

static double weigh(const double *weights, const double *change, double step)
{
    double sum = 0.0;
    for (int k = 0; k < AC_STENCIL; ++k) sum += weights[k] * change[k];
    return sum / step;
}

ac_status ac_gradient_difference(ac_gradient *g, int parameter, double *slope, double *doubt)
{
    ac_gradient_parameter_data *p = &g->parameters[parameter];
    double change[AC_STENCIL] = {0.0};
    bool alike = false;
    for (;; come_closer(p)) {
        AC_TRY(run_neighbours(g, p, change, &alike));
        if (alike || p->closer == MOST_CLOSER) break;
    }
    if (!alike)
        return ac_fail(g->ctx, AC_BAD_INPUT,
                       "the derivative by '%s' cannot be compared with differences: nearby, %s", p->name,
                       ac_adjoint_steps_are_free(g->shooting.adjoint) ? "other steps keep the energy"
                                                                      : "other things happen at contacts");
    const double step = step_of(p);
    *slope = weigh(WEIGHTS, change, step);
    double middle = weigh(MIDDLE_WEIGHTS, change, step);
    double apart = ac_max(fabs(*slope - middle), fabs(middle - weigh(NEAR_WEIGHTS, change, step)));
    if (doubt) *doubt = 10.0 * apart; /* the orders share most of their rounding */
    return AC_OK;
}

/* --- what was found --- */

int ac_gradient_parameters(const ac_gradient *g)
{
    return g->count;
}

const char *ac_gradient_parameter(const ac_gradient *g, int parameter, double *value)
{
    if (value) *value = g->parameters[parameter].value;
    return g->parameters[parameter].name;
}

double ac_gradient_by_parameter(const ac_gradient *g, int parameter)
{
    return ac_adjoint_by_parameters(g->shooting.adjoint)[parameter];
}

double ac_gradient_error(const ac_gradient *g, int parameter, double slope)
{
    double by = ac_gradient_by_parameter(g, parameter);
    double size = ac_max(ac_max(fabs(by), fabs(slope)),
                         1e-6 * fabs(g->value) / ac_max(fabs(g->parameters[parameter].value), 1e-3));
    return size > 0.0 ? fabs(by - slope) / size : 0.0;
}

double ac_gradient_over_time(const ac_gradient *g, long interval, int parameter)
{
    return ac_adjoint_parameters_over_time(g->shooting.adjoint, interval)[parameter];
}

const char *ac_gradient_skipped(const ac_gradient *g, int k)
{
    return k < g->skipped_count ? g->skipped[k] : NULL;
}

int ac_gradient_loads(const ac_gradient *g)
{
    return ac_problem_system(g->problem)->load_count;
}

const char *ac_gradient_load(const ac_gradient *g, int load, double *by_amplitude)
{
    const char *name = ac_problem_system(g->problem)->loads[load].name;
    if (by_amplitude) *by_amplitude = ac_adjoint_by_amplitude(g->shooting.adjoint, load);
    return name ? name : "";
}

const ac_adjoint *ac_gradient_adjoint(const ac_gradient *g)
{
    return g->shooting.adjoint;
}

long ac_gradient_steps(const ac_gradient *g, double *step)
{
    if (step) *step = g->shooting.adjoint->h;
    return g->shooting.adjoint->steps;
}

double ac_gradient_time(const ac_gradient *g, long node)
{
    return ac_adjoint_time(g->shooting.adjoint, node);
}

const ac_channel *ac_gradient_adjoint_channels(const ac_gradient *g, int *count)
{
    *count = g->kept.impulses.count;
    return g->kept.impulses.channels;
}

const double *ac_gradient_adjoint_row(const ac_gradient *g, long row)
{
    return ac_kept_impulses_row(&g->kept, row);
}
