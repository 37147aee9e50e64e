/* Runs of a system with uncertain inputs.
 *
 * Inputs that are loads, and controls, hold one value in every time step and are changed in place. Inputs that are parameters are set as values on the finished system, without reading or
 * allocating anything; where that cannot be done, or gives another measure in a test, the file is read again for each
 * run. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/state.h"
#include "base/base.h"
#include "base/number.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"
#include "problem/build/optimize.h"
#include "problem/build/values.h"
#include "problem/tasks.h"
#include "observe/quantity.h"
#include "task/certify/runner_data.h"

static const double SAME = 1e-6; /* measures of a chaotic motion may differ by more */
enum { TESTS = 2 };

/* ---- loads ---- */

static ac_driven *find_drive(ac_runner *r, int load, int component)
{
    for (int k = 0; k < r->drive_count; ++k)
        if (r->drives[k].load == load && r->drives[k].component == component) return &r->drives[k];
    ac_driven *d = &r->drives[r->drive_count++];
    *d = (ac_driven){.load = load, .component = component, .control = -1};
    return d;
}

static ac_status find_drives(ac_runner *r)
{
    const ac_certification *c = r->c;
    AC_NEW(r->ctx, r->drives, c->input_count + c->robust.control_count);
    for (int k = 0; k < c->input_count; ++k)
        if (!c->targets[k].parameter[0]) find_drive(r, c->targets[k].load, c->targets[k].component);
    for (int k = 0; k < c->robust.control_count; ++k)
        find_drive(r, c->robust.controls[k].load, c->robust.controls[k].component)->control = k;
    AC_NEW(r->ctx, r->time, r->steps);
    for (long n = 0; n < r->steps; ++n) r->time[n] = (double)n * r->settings.step;
    const ac_system *system = ac_problem_system(r->base);
    for (int k = 0; k < r->drive_count; ++k) {
        ac_driven *d = &r->drives[k];
        const ac_signal *signal = system->loads[d->load].value[d->component];
        AC_NEW(r->ctx, d->nominal, r->steps);
        AC_NEW(r->ctx, d->values, r->steps);
        for (long n = 0; n < r->steps; ++n)
            d->nominal[n] = signal ? ac_signal_mean(signal, r->time[n], r->settings.step) : 0.0;
    }
    return AC_OK;
}

/* The own system takes tables instead of its signals. */
static ac_status install_drives(ac_runner *r)
{
    ac_system *system = (ac_system *)r->system; /* it is ours */
    for (int k = 0; k < r->drive_count; ++k) {
        ac_driven *d = &r->drives[k];
        ac_signal **value = &system->loads[d->load].value[d->component];
        AC_TRY(ac_signal_steps(r->ctx, (int)r->steps, r->time, d->nominal, &d->signal));
        ac_signal_free(*value);
        *value = d->signal;
    }
    return AC_OK;
}

static void drive_loads(ac_runner *r, const double *x)
{
    const ac_certification *c = r->c;
    for (int k = 0; k < r->drive_count; ++k) {
        ac_driven *d = &r->drives[k];
        bool free = r->controls && d->control >= 0;
        memcpy(d->values, free ? r->controls + d->control * r->steps : d->nominal,
               (size_t)r->steps * sizeof *d->values);
    }
    for (int k = 0; k < c->input_count; ++k) {
        const ac_input_target *target = &c->targets[k];
        if (target->parameter[0]) continue;
        double *values = find_drive(r, target->load, target->component)->values;
        for (long n = 0; n < r->steps; ++n)
            if (target->interval < 0 || target->interval == n) values[n] += x[k];
    }
    for (int k = 0; k < r->drive_count; ++k) {
        double *time, *value;
        ac_signal_points(r->drives[k].signal, &time, &value);
        memcpy(value, r->drives[k].values, (size_t)r->steps * sizeof *value);
    }
}

/* ---- the system ---- */

static void drop_system(ac_runner *r)
{
    ac_simulation_free(r->simulation);
    ac_problem_free(r->problem);
    for (int k = 0; k < r->drive_count && r->problem; ++k)
        r->drives[k].signal = NULL; /* the system had them */
    r->simulation = NULL;
    r->problem = NULL;
    r->own = NULL;
    r->system = NULL;
}

static ac_status new_system(ac_runner *r, const double *x)
{
    char number[AC_NUMBER_SIZE];
    int n = 0;
    drop_system(r);
    for (int k = 0; k < r->c->input_count && x; ++k) {
        if (!r->c->targets[k].parameter[0]) continue;
        snprintf(r->text[n++], AC_SETTING_SIZE, "parameters.%s=%s", r->c->targets[k].parameter,
                 ac_write_decimal(number, x[k]));
    }
    AC_TRY(ac_problem_vary(r->ctx, r->base, r->texts, n, &r->problem));
    r->own = ac_problem_certification(r->problem);
    r->system = ac_problem_system(r->problem);
    AC_TRY(install_drives(r));
    return ac_simulation_new(r->ctx, r->system, &r->settings, &r->simulation);
}

/* ---- values ---- */

static void drop_values(ac_runner *r)
{
    ac_simulation_free(r->simulation);
    r->simulation = NULL;
    for (int k = 0; k < r->followed.quantity_count && r->places; ++k)
        for (int i = 0; i < 6; ++i) ac_expression_free(r->places[k][i / 3][i % 3]);
    ac_release(r->ctx, r->places);
    r->places = NULL;
    ac_certification_clear(&r->followed);
    r->followed = (ac_certification){0};
    for (int k = 0; k < r->drive_count && r->values; ++k) {
        ac_signal_free(r->drives[k].signal);
        r->drives[k].signal = NULL;
    }
    ac_values_free(r->values);
    r->values = NULL;
    r->own = NULL;
    r->system = NULL;
}

/* Places of quantities as functions of the parameters, and of poses that follow from them. */
static ac_status follow_places(ac_runner *r)
{
    const ac_certification *c = &r->followed;
    AC_NEW(r->ctx, r->places, c->quantity_count + 1);
    for (int k = 0; k < c->quantity_count; ++k)
        for (int i = 0; i < 6; ++i) {
            const char *text = c->quantities[k].place_expression[i / 3][i % 3];
            if (text) AC_TRY(ac_values_named(r->values, text, &r->places[k][i / 3][i % 3]));
        }
    return AC_OK;
}

static void move_places(ac_runner *r)
{
    for (int k = 0; k < r->followed.quantity_count; ++k)
        for (int i = 0; i < 6; ++i) {
            const ac_expression *e = r->places[k][i / 3][i % 3];
            ac_quantity *q = &r->followed.quantities[k];
            if (e)
                (i < 3 ? &q->point : &q->second_point)->place[i % 3] = ac_expression_value(e, r->values->x);
        }
}

static ac_status make_values(ac_runner *r, const char *const *names)
{
    AC_TRY(ac_values_new(r->ctx, r->base, names, r->parameters, &r->values));
    ac_builder *b = &r->values->builder;
    AC_TRY(ac_read_certify(b, b->root.task[AC_TASK_certify], &r->followed));
    AC_TRY(follow_places(r));
    for (int k = 0; k < r->drive_count; ++k) {
        ac_driven *d = &r->drives[k];
        AC_TRY(ac_signal_steps(r->ctx, (int)r->steps, r->time, d->nominal, &d->signal));
        ac_description_load(&r->values->description, d->load)->as.load.value[d->component] = d->signal;
    }
    AC_TRY(ac_values_set(r->values, ac_values_numbers(r->values)));
    r->own = &r->followed;
    r->system = ac_values_system(r->values);
    return ac_simulation_new(r->ctx, r->system, &r->settings, &r->simulation);
}

/* Sets the parameters, by values or by a file that is read again. */
static ac_status set_parameters(ac_runner *r, const double *x)
{
    int n = 0;
    r->present[0] = NAN; /* until it is there */
    if (!r->values) return new_system(r, x);
    for (int k = 0; k < r->c->input_count; ++k)
        if (r->c->targets[k].parameter[0]) r->numbers[n++] = x[k];
    ac_adjoint_free(r->adjoint); /* of the values before */
    r->adjoint = NULL;
    AC_TRY(ac_values_set(r->values, r->numbers));
    move_places(r);
    return AC_OK;
}

/* Is the present system the one of these inputs? */
static bool fits(const ac_runner *r, const double *x)
{
    int n = 0;
    for (int k = 0; k < r->c->input_count; ++k)
        if (r->c->targets[k].parameter[0] && r->present[n++] != x[k]) return false;
    return r->simulation != NULL;
}

ac_status ac_runner_set(ac_runner *r, const double *x)
{
    int n = 0;
    if (!fits(r, x)) {
        AC_TRY(set_parameters(r, x));
        for (int k = 0; k < r->c->input_count; ++k)
            if (r->c->targets[k].parameter[0]) r->present[n++] = x[k];
    }
    drive_loads(r, x);
    double *at = r->variables.values + r->c->quantity_count + r->c->channel_count;
    for (int k = 0; k < r->c->input_count; ++k)
        if (r->c->targets[k].parameter[0]) *at++ = x[k];
    return AC_OK;
}

/* ---- the measure ---- */

static double value_at(ac_runner *r, const double *winding, const double *q, double t)
{
    const ac_certification *own = r->own;
    int n = own->quantity_count;
    for (int k = 0; k < n; ++k)
        r->variables.values[k] = ac_quantity_value(r->system, winding, &own->quantities[k], q);
    for (int k = 0; k < own->channel_count; ++k)
        r->variables.values[n + k] = (r->variables.channels[k].interval
                                          ? r->variables.interval_row
                                          : r->variables.node_row)[r->variables.channels[k].place];
    r->variables.values[r->variables.count - 1] = t;
    return ac_expression_value(own->expression, r->variables.values);
}

void ac_runner_look(ac_runner *r, const double *winding, const double *q, double t, ac_course *c)
{
    r->looked = q;
    c->last = value_at(r, winding, q, t);
    c->low = ac_min(c->low, c->last);
    c->high = ac_max(c->high, c->last);
    c->sum += c->last;
    ++c->count;
    if (c->watch) c->watch(c->user, r->variables.values, c->last);
}

static double taken(const ac_runner *r, const ac_course *c)
{
    switch (r->c->take) {
    case AC_TAKE_LARGEST: return c->high;
    case AC_TAKE_SMALLEST: return c->low;
    case AC_TAKE_MEAN: return c->sum / (double)c->count;
    default: return c->last;
    }
}

int ac_runner_conclude(ac_runner *r, const ac_course *c, double *measure)
{
    *measure = taken(r, c);
    if (!isfinite(*measure)) snprintf(r->reason, sizeof r->reason, "the measure is not a finite number");
    return isfinite(*measure) ? 0 : 1;
}

/* ---- a run ---- */

static ac_status look(ac_runner *r, bool last, double t, ac_course *c)
{
    ac_simulation *s = r->simulation;
    r->looked_last = last;
    if (r->c->channel_count > 0) {
        AC_TRY(ac_simulation_node_row(s, last, r->variables.node_row));
        AC_TRY(ac_simulation_interval_row(s, r->variables.interval_row));
    }
    ac_runner_look(r, s->stepper.winding, last ? ac_simulation_configuration(s) : ac_simulation_previous(s),
                   t, c);
    return AC_OK;
}

static ac_status go(ac_runner *r, const double *x, ac_course *c)
{
    AC_TRY(ac_runner_set(r, x));
    AC_TRY(ac_simulation_restart(r->simulation));
    bool all = c->watch || r->c->take != AC_TAKE_LAST;
    for (long n = 0; n < r->steps; ++n) {
        AC_TRY(ac_simulation_step(r->simulation));
        c->tight += ac_runner_tight_step(r, ac_simulation_previous(r->simulation),
                                         ac_simulation_configuration(r->simulation), NULL, NULL);
        if (all) AC_TRY(look(r, false, (double)n * r->settings.step, c));
    }
    return look(r, true, (double)r->steps * r->settings.step, c);
}

int ac_runner_run(ac_runner *r, const double *x, double *measure, double *tight, ac_runner_watch watch,
                  void *user)
{
    ac_course c = {.low = INFINITY, .high = -INFINITY, .watch = watch, .user = user};
    ac_status status = go(r, x, &c);
    if (status == AC_NO_MEMORY) return -1;
    if (status != AC_OK) {
        snprintf(r->reason, sizeof r->reason, "%s", ac_context_message(r->ctx));
        return 1;
    }
    if (tight) *tight = c.tight;
    return ac_runner_conclude(r, &c, measure);
}

/* ---- reasons and controls ---- */

const char *ac_runner_reason(const ac_runner *r)
{
    return r->reason;
}

void ac_runner_set_controls(ac_runner *r, const double *controls)
{
    r->controls = controls;
}

void ac_runner_get_controls(const ac_runner *r, double *controls)
{
    for (int k = 0; k < r->drive_count; ++k)
        if (r->drives[k].control >= 0)
            memcpy(controls + r->drives[k].control * r->steps, r->drives[k].nominal,
                   (size_t)r->steps * sizeof *controls);
}

/* ---- beginning and end ---- */

/* Inputs of a test: quantiles that differ from input to input. */
static void test_inputs(const ac_runner *r, int test, double *x)
{
    for (int k = 0; k < r->c->input_count; ++k)
        x[k] = ac_uncertain_quantile(&r->c->inputs[k], fmod(0.13 + 0.37 * test + 0.29 * k, 1.0));
}

/* The place of a channel in one of the two rows. */
static bool find_channel(const ac_seen_channel *wanted, const ac_channel *channels, int count, int *place)
{
    for (int k = 0, at = 0; k < count; at += channels[k].width, ++k) {
        if (strcmp(channels[k].name, wanted->channel) != 0) continue;
        int component = ac_component_find(&channels[k], wanted->component);
        *place = at + component;
        return component >= 0;
    }
    return false;
}

static int row_width(const ac_channel *channels, int count)
{
    int width = 0;
    for (int k = 0; k < count; ++k) width += channels[k].width;
    return width;
}

static ac_status find_channels(ac_runner *r)
{
    int nodes, intervals;
    const ac_channel *node = ac_simulation_node_channels(r->simulation, &nodes);
    const ac_channel *interval = ac_simulation_interval_channels(r->simulation, &intervals);
    AC_NEW(r->ctx, r->variables.channels, r->c->channel_count + 1);
    AC_NEW(r->ctx, r->variables.node_row, row_width(node, nodes));
    AC_NEW(r->ctx, r->variables.interval_row, row_width(interval, intervals));
    for (int k = 0; k < r->c->channel_count; ++k) {
        const ac_seen_channel *wanted = &r->c->channels[k];
        if (find_channel(wanted, node, nodes, &r->variables.channels[k].place)) continue;
        r->variables.channels[k].interval = true;
        if (find_channel(wanted, interval, intervals, &r->variables.channels[k].place)) continue;
        return ac_fail(r->ctx, AC_BAD_INPUT,
                       "a simulation of this system has no channel %s with a component %s", wanted->channel,
                       wanted->component);
    }
    return AC_OK;
}

/* Measures of a few samples, with values and with the file read again, are the same up to what rounding makes of them. */
static bool same_measures(ac_runner *r, const double *measures, double *x)
{
    for (int k = 0; k < TESTS; ++k) {
        double measure = NAN;
        test_inputs(r, k, x);
        int outcome = ac_runner_run(r, x, &measure, NULL, NULL, NULL);
        if ((outcome != 0) != isnan(measures[k])) return false;
        if (outcome == 0 && !(fabs(measure - measures[k]) <= SAME * (1.0 + fabs(measure)))) return false;
    }
    return true;
}

/* Takes values instead of reading the file for each run, where that gives the same. */
static ac_status try_values(ac_runner *r)
{
    double measures[TESTS];
    const char **names = ac_allocate(r->ctx, (size_t)r->parameters, sizeof *names);
    double *x = ac_allocate(r->ctx, (size_t)r->c->input_count, sizeof *x);
    ac_status status = names && x ? AC_OK : ac_out_of_memory(r->ctx);
    for (int k = 0; k < TESTS && status == AC_OK; ++k) {
        test_inputs(r, k, x);
        measures[k] = NAN;
        int outcome = ac_runner_run(r, x, &measures[k], NULL, NULL, NULL);
        if (outcome < 0) status = ac_out_of_memory(r->ctx);
        if (outcome != 0) measures[k] = NAN;
    }
    for (int k = 0, n = 0; k < r->c->input_count && status == AC_OK; ++k)
        if (r->c->targets[k].parameter[0]) names[n++] = r->c->targets[k].parameter;
    if (status == AC_OK) {
        drop_system(r);
        r->present[0] = NAN;
        status = make_values(r, names);
        if (status == AC_OK && !same_measures(r, measures, x)) status = AC_BAD_INPUT;
        if (status != AC_OK) drop_values(r);
        if (status != AC_OK && status != AC_NO_MEMORY) status = new_system(r, NULL);
        r->present[0] = NAN;
    }
    ac_release(r->ctx, names);
    ac_release(r->ctx, x);
    return status;
}

static ac_status begin(ac_runner *r)
{
    const ac_certification *c = r->c;
    r->settings = c->simulation;
    r->settings.forces = r->settings.forces && c->channel_count > 0;
    r->steps = r->settings.steps;
    for (int k = 0; k < c->input_count; ++k) r->parameters += c->targets[k].parameter[0] != '\0';
    AC_NEW(r->ctx, r->text, r->parameters + 1);
    AC_NEW(r->ctx, r->texts, r->parameters + 1);
    for (int k = 0; k < r->parameters; ++k) r->texts[k] = r->text[k];
    AC_NEW(r->ctx, r->present, r->parameters + 1);
    AC_NEW(r->ctx, r->numbers, r->parameters + 1);
    r->present[0] = NAN;
    AC_TRY(find_drives(r));
    r->variables.count = c->quantity_count + c->channel_count + r->parameters + 1;
    AC_NEW(r->ctx, r->variables.values, r->variables.count);
    AC_TRY(new_system(r, NULL));
    AC_TRY(find_channels(r));
    return r->parameters > 0 ? try_values(r) : AC_OK;
}

ac_status ac_runner_new(ac_context *ctx, const ac_problem *problem, ac_runner **runner)
{
    AC_NEW(ctx, *runner, 1);
    (*runner)->ctx = ctx;
    (*runner)->base = problem;
    (*runner)->c = ac_problem_certification(problem);
    ac_status status = begin(*runner);
    if (status == AC_OK) return AC_OK;
    ac_runner_free(*runner);
    *runner = NULL;
    return status;
}

void ac_runner_free(ac_runner *r)
{
    if (!r) return;
    ac_runner_close_group(r);
    ac_runner_end_parameters(r);
    ac_adjoint_free(r->adjoint);
    ac_release(r->ctx, r->variables.slopes);
    ac_release(r->ctx, r->nodes);
    if (r->values) drop_values(r);
    drop_system(r);
    for (int k = 0; k < r->drive_count; ++k) {
        ac_release(r->ctx, r->drives[k].nominal);
        ac_release(r->ctx, r->drives[k].values);
    }
    ac_release(r->ctx, r->drives);
    ac_release(r->ctx, r->present);
    ac_release(r->ctx, r->numbers);
    ac_release(r->ctx, r->time);
    ac_release(r->ctx, r->text);
    ac_release(r->ctx, r->texts);
    ac_release(r->ctx, r->variables.values);
    ac_release(r->ctx, r->variables.channels);
    ac_release(r->ctx, r->variables.node_row);
    ac_release(r->ctx, r->variables.interval_row);
    ac_release(r->ctx, r);
}
