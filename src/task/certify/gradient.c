/* Gradients of the measure by the inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adjoint/adjoint.h"
#include "base/base.h"
#include "base/expression.h"
#include "model/system.h"
#include "observe/quantity.h"
#include "task/certify/runner_data.h"

/* Does the adjoint give derivatives by loads? The system must stay where it is, and the measure must follow from the
 * configurations at time nodes. */
static bool has_adjoint(const ac_runner *r)
{
    bool constant = r->values || r->parameters == 0;
    return constant && r->c->channel_count == 0 && ac_problem_system(r->base)->contact_count == 0 &&
           !r->settings.free_step;
}

bool ac_runner_has_slopes(const ac_runner *r)
{
    return has_adjoint(r) && r->c->robust.control_count > 0;
}

/* What the present sweep is of: an expression of the variables at time nodes, with a weight each. */
typedef struct functional {
    ac_runner *r;
    const ac_expression *expression;
    long only;     /* node with weight 1; -1: all of them ... */
    double weight; /* ... with this one */
    ac_course *course;
} functional;

/* What a run that ended without a value returns. */
static int give_up(ac_runner *r, ac_status status)
{
    if (status == AC_NO_MEMORY) return -1;
    snprintf(r->reason, sizeof r->reason, "%s", ac_context_message(r->ctx));
    return 1;
}

/* Of how near the turns of steps come to their limit. */
static double at_intervals(void *user, long interval, double t, double h, const double *qa, const double *qb,
                           const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    (void)interval, (void)t, (void)h, (void)inputs, (void)by_inputs;
    return ac_runner_tight_step(((functional *)user)->r, qa, qb, by_a, by_b);
}

static double at_nodes(void *user, long node, double t, const double *q, const double *p, double *by_q,
                       double *by_p)
{
    const functional *f = user;
    ac_runner *r = f->r;
    (void)t, (void)p, (void)by_p;
    if (!by_q || (f->only >= 0 && node != f->only)) return 0.0;
    double weight = f->only >= 0 ? 1.0 : f->weight;
    ac_expression_derivatives(f->expression, r->nodes + node * r->variables.count, r->variables.slopes, NULL);
    ac_runner_measure_by_parameters(r, q, weight, r->variables.slopes);
    for (int k = 0; k < r->own->quantity_count; ++k)
        ac_quantity_add_slope(r->system, r->simulation->stepper.winding, &r->own->quantities[k], q,
                              weight * r->variables.slopes[k], by_q);
    return 0.0;
}

/* Keeps the variables of every time node, and where the measure is the largest and the smallest. */
static void keep_node(void *user, const double *variables, double measure)
{
    ac_runner *r = user;
    size_t bytes = (size_t)r->variables.count * sizeof *variables;
    memcpy(r->nodes + r->node_count * r->variables.count, variables, bytes);
    if (r->node_count == 0 || measure > r->highest) {
        r->highest = measure;
        r->highest_node = r->node_count;
    }
    if (r->node_count == 0 || measure < r->lowest) {
        r->lowest = measure;
        r->lowest_node = r->node_count;
    }
    ++r->node_count;
}

static ac_status make_room(ac_runner *r)
{
    if (!r->variables.slopes) {
        AC_NEW(r->ctx, r->variables.slopes, r->variables.count + r->c->input_count);
        AC_NEW(r->ctx, r->nodes, (r->steps + 1) * r->variables.count);
    }
    r->other = r->variables.slopes + r->variables.count;
    return AC_OK;
}

/* It holds numbers of the system, so it belongs to the present values (see set_parameters in runner.c). */
static ac_status open_adjoint(ac_runner *r)
{
    AC_TRY(make_room(r));
    return r->adjoint ? AC_OK : ac_adjoint_new(r->ctx, r->system, &r->settings, 0, &r->adjoint);
}

/* Forward, forward again with what is stored, backwards; and a run for each parameter where one has no derivative. */
int ac_runner_gradient_runs(ac_runner *r)
{
    if (!has_adjoint(r) || open_adjoint(r) != AC_OK) return 0;
    ac_status status = ac_runner_begin_parameters(r);
    ac_runner_end_parameters(r);
    return status == AC_OK ? 3 : 3 + r->parameters;
}

static double see_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                       double *by_p)
{
    const functional *f = user;
    double *winding = f->r->simulation->stepper.winding;
    (void)node, (void)p, (void)by_q, (void)by_p;
    ac_runner_look(f->r, winding, q, t, f->course);
    ac_measures_wind(f->r->system, q, winding);
    return 0.0;
}

static double see_interval(void *user, long interval, double t, double h, const double *qa, const double *qb,
                           const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    const functional *f = user;
    (void)interval, (void)t, (void)h, (void)inputs, (void)by_a, (void)by_b, (void)by_inputs;
    f->course->tight += ac_runner_tight_step(f->r, qa, qb, NULL, NULL);
    return 0.0;
}

/* The run whose functionals are swept: the adjoint keeps its motion. */
static int run_forward(ac_runner *r, const double *x, double *measure, double *tight)
{
    ac_course course = {.low = INFINITY, .high = -INFINITY, .watch = keep_node, .user = r};
    functional f = {.r = r, .course = &course};
    const ac_functional of = {.user = &f, .node = see_node, .interval = see_interval};
    double ignored;
    r->node_count = 0;
    ac_status status = ac_runner_set(r, x);
    if (status == AC_OK) status = open_adjoint(r);
    for (int k = 0; k < r->system->measure_count; ++k)
        r->simulation->stepper.winding[k] = r->system->measures[k].initial;
    if (status == AC_OK) status = ac_adjoint_value(r->adjoint, &of, &ignored);
    if (tight) *tight = course.tight;
    return status == AC_OK ? ac_runner_conclude(r, &course, measure) : give_up(r, status);
}

static functional measure_of(ac_runner *r)
{
    functional f = {.r = r, .expression = r->own->expression, .only = r->steps};
    switch (r->c->take) {
    case AC_TAKE_LARGEST: f.only = r->highest_node; break;
    case AC_TAKE_SMALLEST: f.only = r->lowest_node; break;
    case AC_TAKE_MEAN:
        f.only = -1;
        f.weight = 1.0 / (double)r->node_count;
        break;
    default: break;
    }
    return f;
}

/* Sweeps; `again`: along the motion that the adjoint keeps. */
static int sweep(ac_runner *r, const ac_functional *of, bool again)
{
    double ignored;
    ac_status status = again ? ac_adjoint_run_again(r->adjoint, of, &ignored)
                             : ac_adjoint_run(r->adjoint, of, &ignored);
    return status == AC_OK ? 0 : give_up(r, status);
}

static double by_load(const ac_runner *r, const ac_input_target *target)
{
    double sum = 0.0;
    for (int i = 0; i < ac_adjoint_inputs(r->adjoint); ++i) {
        int load, component;
        ac_adjoint_input(r->adjoint, i, &load, &component);
        if (load != target->load || component != target->component) continue;
        for (long n = 0; n < r->steps; ++n)
            if (target->interval < 0 || target->interval == n) sum += ac_adjoint_by_input(r->adjoint, n)[i];
    }
    return sum;
}

/* Where the system has no derivative by a parameter: by a difference. */
static int by_parameter(ac_runner *r, const double *x, int k, double measure, double *slope)
{
    const ac_uncertain *input = &r->c->inputs[k];
    double step = 1e-4 * (input->high - input->low), moved = NAN;
    if (x[k] > 0.5 * (input->low + input->high)) step = -step;
    memcpy(r->other, x, (size_t)r->c->input_count * sizeof *r->other);
    r->other[k] += step;
    int outcome = ac_runner_run(r, r->other, &moved, NULL, NULL, NULL);
    *slope = (moved - measure) / step;
    return outcome;
}

int ac_runner_gradient(ac_runner *r, const double *x, double *measure, double *gradient)
{
    int outcome = run_forward(r, x, measure, NULL), number = 0;
    if (outcome != 0) return outcome;
    ac_status status = ac_runner_begin_parameters(r);
    if (status == AC_NO_MEMORY) return -1;
    functional f = measure_of(r);
    const ac_functional of_measure = {.user = &f, .node = at_nodes};
    outcome = sweep(r, &of_measure, false);
    for (int k = 0; k < r->c->input_count && outcome == 0; ++k) {
        bool parameter = r->c->targets[k].parameter[0] != '\0';
        if (!parameter) gradient[k] = by_load(r, &r->c->targets[k]);
        if (parameter && status == AC_OK) gradient[k] = ac_runner_by_parameter(r, number++);
    }
    ac_runner_end_parameters(r);
    for (int k = 0; k < r->c->input_count && outcome == 0 && status != AC_OK; ++k)
        if (r->c->targets[k].parameter[0]) outcome = by_parameter(r, x, k, *measure, &gradient[k]);
    return outcome;
}

/* ---- by controls ---- */

/* One value in each step, control by control. */
static void by_controls(const ac_runner *r, double *slopes)
{
    for (int k = 0; k < r->drive_count; ++k) {
        const ac_driven *d = &r->drives[k];
        if (d->control < 0) continue;
        for (int i = 0; i < ac_adjoint_inputs(r->adjoint); ++i) {
            int load, component;
            ac_adjoint_input(r->adjoint, i, &load, &component);
            if (load != d->load || component != d->component) continue;
            for (long n = 0; n < r->steps; ++n)
                slopes[d->control * r->steps + n] = ac_adjoint_by_input(r->adjoint, n)[i];
        }
    }
}

int ac_runner_slopes(ac_runner *r, const double *x, double *measure, double *tight, double *slopes)
{
    long width = r->c->robust.control_count * r->steps;
    double *second = slopes + width;
    int outcome = run_forward(r, x, measure, tight);
    memset(second, 0, (size_t)width * sizeof *second);
    if (outcome != 0) return outcome;
    functional f = measure_of(r);
    const ac_functional of_measure = {.user = &f, .node = at_nodes};
    const ac_functional of_turns = {.user = &f, .interval = at_intervals};
    outcome = sweep(r, &of_measure, true);
    if (outcome == 0) by_controls(r, slopes);
    if (outcome != 0 || *tight == 0.0) return outcome;
    outcome = sweep(r, &of_turns, true);
    if (outcome == 0) by_controls(r, second);
    return outcome;
}
