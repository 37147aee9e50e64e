/* The adjoint of a simulation: forward with as much of the motion stored as fits, then backwards.
 *
 * Where the motion does not fit into the memory allowed, states are kept as checkpoints and stretches re-simulated.
 * A stretch that is too long is divided where the binomial schedule of Griewank says: with c checkpoints and each step
 * taken at most r + 1 times, binomial(c + r, c) stretches can be swept. A state restores the motion to the same bits, so
 * the gradient does not depend on the memory. What is given over time (by inputs, shares of parameters) is bounded by the memory, too: where it does
 * not fit, neighbouring intervals share a row.
 */
#include "adjoint/adjoint.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "adjoint/chart/chart.h"
#include "adjoint/impacts/path.h"
#include "adjoint/second/second.h"
#include "integrate/extended.h"
#include "tree/pullback.h"

enum { CHECKPOINTS_MAX = 64, LEAST_CAPACITY = 4 };

/* --- making --- */

static ac_status open_loads(ac_adjoint *d)
{
    d->input_count = d->discrete.input_count;
    AC_NEW(d->ctx, d->loads, d->input_count + 1);
    for (int k = 0; k < d->input_count; ++k) {
        const ac_input *input = &d->discrete.inputs[k];
        d->loads[k] = (ac_adjoint_load){input->load ? input->load_number : -1, input->component};
    }
    d->control_count = d->discrete.control_count;
    d->discrete.by_loads = true;
    AC_NEW(d->ctx, d->controls, (size_t)d->steps * (size_t)d->control_count + 1);
    return AC_OK;
}

static ac_status create_parts(ac_adjoint *d, const ac_simulation_settings *settings,
                              const ac_adjoint_parts *parts)
{
    ac_simulation_settings reduced = *settings;
    reduced.formulation = "reduced";
    reduced.free_step = false; /* it is put on intervals whose length is known */
    const char *scheme = ac_scheme_for(d->system, settings->scheme);
    AC_TRY(ac_interval_open(d->ctx, d->system, scheme, parts->controls, parts->user, &d->discrete));
    AC_TRY(open_loads(d));
    if (d->control_count > 0) d->forward.interval.controls = d->backward.interval.controls = &d->discrete;
    d->forward.interval.tau = d->backward.interval.tau = d->controls;
    AC_TRY(ac_stepper_create(&d->forward, d->ctx, d->system, settings));
    AC_TRY(ac_stepper_create(&d->backward, d->ctx, d->system, &reduced));
    if (d->forward.formulation->coordinates) AC_TRY(ac_chart_sweep_create(d->ctx, d, &d->chart));
    d->at_mean = d->forward.scheme->at_mean;
    return ac_legendre_create(d->ctx, d->system, true, &d->legendre);
}

static ac_status create_vectors(ac_adjoint *d)
{
    size_t n = (size_t)d->system->n, freedoms = (size_t)d->system->tree.freedoms;
    double **vectors[] = {&d->by_q,
                          &d->by_p,
                          &d->workspace.w,
                          &d->workspace.force,
                          &d->workspace.out_a,
                          &d->workspace.by_velocity};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(d->ctx, *vectors[k], n);
    AC_NEW(d->ctx, d->workspace.lambda, d->system->constraints.count + 1);
    AC_NEW(d->ctx, d->workspace.reduced, freedoms + 1);
    AC_NEW(d->ctx, d->workspace.y, freedoms + 1);
    AC_NEW(d->ctx, d->workspace.turned, freedoms + 1);
    AC_NEW(d->ctx, d->workspace.work, ac_tree_pullback_doubles(d->system));
    AC_NEW(d->ctx, d->workspace.inputs, d->input_count + 1);
    AC_NEW(d->ctx, d->workspace.by_inputs, d->input_count + 1);
    AC_NEW(d->ctx, d->amplitude, d->system->load_count + 1);
    return AC_OK;
}

/* The memory allowed: a quarter for what is given over time, half for the stored stretch, a quarter for checkpoints. */
ac_status ac_adjoint_create_rows(ac_adjoint *d)
{
    size_t numbers = (size_t)d->input_count + (size_t)d->parameters.count;
    double bytes = (double)numbers * (double)d->steps * sizeof(double), room = 0.25 * (double)d->memory;
    d->stretch = 1; /* a gradient by controls is wanted interval by interval */
    if (d->memory > 0 && d->control_count == 0 && bytes > room)
        d->stretch = room > bytes / (double)d->steps ? (long)ceil(bytes / room) : d->steps;
    ac_release(d->ctx, d->by_input);
    ac_release(d->ctx, d->parameters.over_time);
    d->parameters.over_time = NULL;
    size_t rows = (size_t)ac_adjoint_rows(d);
    d->by_input = ac_allocate(d->ctx, rows * (size_t)d->input_count + 1, sizeof(double));
    d->parameters.over_time = ac_allocate(d->ctx, rows * (size_t)d->parameters.count + 1, sizeof(double));
    return d->by_input && d->parameters.over_time ? AC_OK : ac_out_of_memory(d->ctx);
}

static ac_status create_store(ac_adjoint *d)
{
    size_t n = (size_t)d->system->n, measures = (size_t)d->system->measure_count,
           escort = (size_t)d->escort.count, memory = d->memory,
           coordinates = d->chart ? (size_t)d->system->tree.freedoms : 0;
    size_t node = (2 * n + measures + escort + coordinates) * sizeof(double), state_size;
    ac_state *first = NULL;
    AC_NEW(d->ctx, d->checkpoints, CHECKPOINTS_MAX);
    AC_TRY(ac_stepper_new_state(d->ctx, &d->forward, false, &first));
    state_size = ac_state_bytes(first) + escort * sizeof(double);
    d->checkpoints[d->checkpoint_count++] = first;
    long capacity = d->steps;
    if (d->system->contact_count > 0) {
        capacity = 1; /* the path is stored instead */
    } else if (memory > 0 && (size_t)capacity * node > memory / 2) {
        capacity = (long)(memory / 2 / node);
        if (capacity < LEAST_CAPACITY) capacity = LEAST_CAPACITY;
        if (capacity > d->steps) capacity = d->steps;
        while (d->checkpoint_count < CHECKPOINTS_MAX &&
               (size_t)(d->checkpoint_count + 1) * state_size <= memory / 4) {
            AC_TRY(ac_stepper_new_state(d->ctx, &d->forward, false, &d->checkpoints[d->checkpoint_count]));
            ++d->checkpoint_count;
        }
    }
    d->stored.capacity = capacity;
    AC_NEW(d->ctx, d->stored.q, (size_t)(capacity + 1) * n);
    AC_NEW(d->ctx, d->stored.p, (size_t)(capacity + 1) * n);
    AC_NEW(d->ctx, d->stored.winding, (size_t)(capacity + 1) * measures + 1);
    AC_NEW(d->ctx, d->stored.coordinates, (size_t)(capacity + 1) * coordinates + 1);
    AC_NEW(d->ctx, d->stored.escort, ((size_t)(capacity + d->checkpoint_count) + 4) * escort + 1);
    return AC_OK;
}

static ac_status create(ac_adjoint *d, const ac_simulation_settings *settings, const ac_adjoint_parts *parts)
{
    if (settings->steps < 1) return ac_fail(d->ctx, AC_BAD_INPUT, "an adjoint needs at least one step");
    d->escort = parts->escort;
    AC_TRY(create_parts(d, settings, parts));
    if (d->forward.extended) AC_TRY(ac_adjoint_find_times(d));
    AC_TRY(create_vectors(d));
    AC_TRY(ac_adjoint_create_rows(d));
    if (d->system->contact_count > 0) AC_TRY(ac_path_create(d));
    return create_store(d);
}

ac_status ac_adjoint_new(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                         size_t memory, ac_adjoint **adjoint)
{
    return ac_adjoint_create(ctx, system, settings, memory, &(ac_adjoint_parts){0}, adjoint);
}

ac_status ac_adjoint_create(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                            size_t memory, const ac_adjoint_parts *parts, ac_adjoint **adjoint)
{
    ac_adjoint *d;
    *adjoint = NULL;
    if (!system->finished) return ac_fail(ctx, AC_BAD_INPUT, "the system is not finished");
    AC_TRY(ac_refuse_relations(ctx, system, "a gradient"));
    AC_NEW(ctx, d, 1);
    d->ctx = ctx;
    d->system = system;
    d->steps = settings->steps;
    d->h = settings->step;
    d->memory = memory;
    ac_status status = create(d, settings, parts);
    if (status != AC_OK) {
        ac_adjoint_free(d);
        return status;
    }
    *adjoint = d;
    return AC_OK;
}

void ac_adjoint_free(ac_adjoint *d)
{
    if (!d) return;
    for (int k = 0; k < d->checkpoint_count; ++k) ac_state_free(d->checkpoints[k]);
    if (d->forward.ctx) ac_stepper_destroy(&d->forward);
    if (d->backward.ctx) ac_stepper_destroy(&d->backward);
    if (d->legendre.ctx) ac_legendre_destroy(&d->legendre);
    ac_adjoint_end_parameters(d);
    ac_adjoint_end_times(d);
    ac_second_free(d->second);
    ac_chart_sweep_free(d->chart);
    ac_path_destroy(d);
    ac_discrete_destroy(&d->discrete);
    void *blocks[] = {d->checkpoints,
                      d->stored.q,
                      d->stored.p,
                      d->stored.winding,
                      d->stored.coordinates,
                      d->stored.escort,
                      d->by_q,
                      d->by_p,
                      d->workspace.w,
                      d->workspace.force,
                      d->workspace.lambda,
                      d->workspace.reduced,
                      d->workspace.y,
                      d->workspace.inputs,
                      d->workspace.by_inputs,
                      d->workspace.out_a,
                      d->workspace.by_velocity,
                      d->loads,
                      d->by_input,
                      d->amplitude,
                      d->controls,
                      d->workspace.turned,
                      d->workspace.work};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    ac_release(d->ctx, d);
}

/* --- forward --- */

/* Escorts are rows: of the nodes of the stored stretch, of checkpoints, of the present node, of the next. */
static double *escort_row(const ac_adjoint *d, long row)
{
    return d->stored.escort + row * d->escort.count;
}

static long checkpoint_row(const ac_adjoint *d, int checkpoint)
{
    return d->stored.capacity + 1 + checkpoint;
}

static double *present_escort(const ac_adjoint *d)
{
    return escort_row(d, checkpoint_row(d, d->checkpoint_count));
}

static void copy_escort(const ac_adjoint *d, const double *from, double *to)
{
    if (d->escort.count > 0) memcpy(to, from, (size_t)d->escort.count * sizeof *to);
}

const double *ac_adjoint_escorted(const ac_adjoint *d, long node)
{
    return d->path ? ac_path_escort(d, d->path->present) : escort_row(d, node - d->stored.first);
}

const double *ac_adjoint_escorted_after(const ac_adjoint *d, long node)
{
    if (!d->path) return escort_row(d, node + 1 - d->stored.first);
    return d->path->present + 1 < d->path->count ? ac_path_escort(d, d->path->present + 1) : NULL;
}

/* The present node becomes a node of the stored stretch. */
static void store(ac_adjoint *d)
{
    const ac_stepper *s = &d->forward;
    size_t n = (size_t)d->system->n, measures = (size_t)d->system->measure_count,
           k = (size_t)(s->step - d->stored.first);
    memcpy(d->stored.q + k * n, s->qa, n * sizeof(double));
    memcpy(d->stored.p + k * n, s->p, n * sizeof(double));
    memcpy(d->stored.winding + k * measures, s->winding, measures * sizeof(double));
    if (d->chart) {
        size_t T = (size_t)d->system->tree.freedoms;
        memcpy(d->stored.coordinates + k * T, s->formulation->coordinates(s), T * sizeof(double));
    }
    copy_escort(d, present_escort(d), escort_row(d, (long)k));
}

void ac_adjoint_pass_node(ac_adjoint *d)
{
    const ac_stepper *s = &d->forward;
    double *now = present_escort(d), *next = now + d->escort.count;
    long row = s->step - d->stored.first;
    if (d->escort.count == 0) return;
    d->escort.pass(d->escort.user, s->qa, s->winding, s->step > 0 ? now : NULL, next);
    copy_escort(d, next, now);
    if (row >= 0 && row <= d->stored.capacity) copy_escort(d, now, escort_row(d, row));
}

ac_status ac_adjoint_step(ac_adjoint *d)
{
    const ac_follower *f = d->follower;
    d->forward.interval.tau = d->controls + d->forward.step * d->control_count;
    if (f) f->before_step(f->user);
    AC_TRY(d->forward.extended ? ac_extended_solve(&d->forward) : ac_stepper_solve(&d->forward));
    ++d->steps_taken;
    ac_stepper_advance(&d->forward);
    ac_adjoint_pass_node(d);
    return f ? f->after_step(f->user) : AC_OK;
}

static ac_status keep_checkpoint(ac_adjoint *d, int k)
{
    copy_escort(d, present_escort(d), escort_row(d, checkpoint_row(d, k)));
    if (d->follower) d->follower->keep(d->follower->user, k);
    return ac_stepper_get_state(&d->forward, false, d->checkpoints[k]);
}

static ac_status return_to(ac_adjoint *d, int k)
{
    copy_escort(d, escort_row(d, checkpoint_row(d, k)), present_escort(d));
    if (d->follower) d->follower->go_back(d->follower->user, k);
    return ac_stepper_set_state(&d->forward, d->checkpoints[k]);
}

/* Steps from the present node, `count` of them, all stored. */
static ac_status run_stored(ac_adjoint *d, long count)
{
    d->stored.first = d->forward.step;
    store(d);
    if (d->follower) d->follower->begin(d->follower->user, d->stored.first);
    for (long k = 1; k <= count; ++k) {
        AC_TRY(ac_adjoint_step(d));
        store(d);
    }
    return AC_OK;
}

/* --- backwards --- */

/* The adjoint begins at the last node. */
static void begin_back(ac_adjoint *d, const double *q, const double *p)
{
    size_t bytes = (size_t)d->system->n * sizeof(double);
    memset(d->by_q, 0, bytes);
    memset(d->by_p, 0, bytes);
    memset(d->workspace.turned, 0, (size_t)d->system->tree.freedoms * sizeof *d->workspace.turned);
    ac_adjoint_begin_times(d);
    if (d->chart)
        ac_chart_sweep_begin(d, q, p);
    else
        ac_adjoint_take_node(d, d->steps, q, p);
}

/* Backwards through the stored stretch. */
static ac_status sweep_back(ac_adjoint *d, long first, long count)
{
    size_t n = (size_t)d->system->n;
    if (d->follower) return d->follower->sweep(d->follower->user, first, count);
    if (first + count == d->steps)
        begin_back(d, d->stored.q + (size_t)count * n, d->stored.p + (size_t)count * n);
    for (long k = count - 1; k >= 0; --k)
        AC_TRY(d->chart ? ac_chart_step_back(d, first, k) : ac_adjoint_step_back(d, first, k));
    return AC_OK;
}

/* A stretch that fits: forward from the checkpoint, then backwards. */
static ac_status sweep_stored(ac_adjoint *d, int from, long first, long count)
{
    AC_TRY(return_to(d, from));
    AC_TRY(run_stored(d, count));
    return sweep_back(d, first, count);
}

/* Stretches that c checkpoints sweep when each is run at most r + 1 times: binomial(c + r, c), at most `most`. */
static long reach(int c, int r, long most)
{
    double count = 1.0;
    for (int k = 1; k <= c && count < (double)most; ++k) count = count * (r + k) / k;
    return count < (double)most ? (long)count : most;
}

/* How many stretches of `pieces` go before the next checkpoint, c being left behind it. */
static long divide(long pieces, int c)
{
    int r = 0;
    if (c == 0) return pieces - 1;
    while (reach(c + 1, r, pieces) < pieces) ++r;
    long before = reach(c + 1, r > 0 ? r - 1 : 0, pieces - 1);
    return before < 1 ? 1 : before;
}

/* The stretch from checkpoint `used` on. Recursion is as deep as there are checkpoints, or repeats the last stretch. */
static ac_status sweep(ac_adjoint *d, int used, long first, long count)
{
    long capacity = d->stored.capacity;
    while (count > capacity) {
        long pieces = (count + capacity - 1) / capacity;
        int left = d->checkpoint_count - used - 2;
        if (used + 1 == d->checkpoint_count) { /* none is left: the last piece, from the beginning */
            long before = (pieces - 1) * capacity;
            AC_TRY(return_to(d, used));
            for (long k = 0; k < before; ++k) AC_TRY(ac_adjoint_step(d));
            AC_TRY(run_stored(d, count - before));
            AC_TRY(sweep_back(d, first + before, count - before));
            count = before;
            continue;
        }
        long before = divide(pieces, left) * capacity;
        AC_TRY(return_to(d, used));
        for (long k = 0; k < before; ++k) AC_TRY(ac_adjoint_step(d));
        AC_TRY(keep_checkpoint(d, used + 1));
        AC_TRY(sweep(d, used + 1, first + before, count - before));
        count = before;
    }
    return count > 0 ? sweep_stored(d, used, first, count) : AC_OK;
}

static void begin_run(ac_adjoint *d, const ac_functional *functional)
{
    d->functional = functional;
    d->value = 0.0;
    d->lost.text = NULL;
    d->steps_taken = 0;
    memset(d->by_input, 0, (size_t)ac_adjoint_rows(d) * (size_t)d->input_count * sizeof *d->by_input);
    memset(d->amplitude, 0, (size_t)d->system->load_count * sizeof *d->amplitude);
    ac_adjoint_begin_parameters(d);
}

/* Where times are unknowns, functionals of intervals need their derivatives by them. */
static ac_status check_functional(const ac_adjoint *d, const ac_functional *functional)
{
    if (!ac_adjoint_steps_are_free(d) || !functional->interval || functional->by_time) return AC_OK;
    return ac_fail(d->ctx, AC_BAD_INPUT,
                   "the lengths of the steps are unknowns (free_step): the functional needs derivatives by "
                   "them (by_time)");
}

ac_status ac_adjoint_fail_value(const ac_adjoint *d)
{
    if (!d->lost.text) return ac_fail(d->ctx, AC_NOT_CONVERGED, "the functional is not a number");
    return ac_fail(d->ctx, AC_NOT_CONVERGED, "the expression \"%.100s\" is not a number at t = %.6g s",
                   d->lost.text, d->lost.t);
}

static ac_status end_run(ac_adjoint *d, double *value)
{
    ac_mass_apply(d->system, d->by_p, d->workspace.by_velocity);
    ac_adjoint_finish_parameters(d);
    if (value) *value = d->value;
    if (!isfinite(d->value)) return ac_adjoint_fail_value(d);
    return AC_OK;
}

static ac_status sweep_all(ac_adjoint *d)
{
    ac_stepper_restart(&d->forward);
    d->stored.first = 0;
    ac_adjoint_pass_node(d);
    AC_TRY(keep_checkpoint(d, 0));
    return sweep(d, 0, 0, d->steps);
}

ac_status ac_adjoint_run(ac_adjoint *d, const ac_functional *functional, double *value)
{
    AC_TRY(check_functional(d, functional));
    begin_run(d, functional);
    if (d->path) AC_TRY(ac_path_record(d));
    AC_TRY(d->path ? ac_path_sweep(d) : sweep_all(d));
    return end_run(d, value);
}

ac_status ac_adjoint_sweep_with(ac_adjoint *d, const ac_follower *follower, long capacity)
{
    const long given = d->stored.capacity;
    d->stored.capacity = capacity < given ? capacity : given;
    d->follower = follower;
    d->steps_taken = 0;
    ac_status status = sweep_all(d);
    d->follower = NULL;
    d->stored.capacity = given;
    return status;
}

ac_status ac_adjoint_run_again(ac_adjoint *d, const ac_functional *functional, double *value)
{
    if (!d->path && d->stored.capacity < d->steps) return ac_adjoint_run(d, functional, value);
    begin_run(d, functional);
    AC_TRY(d->path ? ac_path_sweep(d) : sweep_back(d, 0, d->steps));
    return end_run(d, value);
}

/* The functional at the node that is reached, and on the interval before it, which began at `from`. */
static void take_value(ac_adjoint *d, const double *from)
{
    const ac_functional *f = d->functional;
    const ac_stepper *s = &d->forward;
    if (from) {
        double t = ac_adjoint_time(d, s->step - 1), h = ac_adjoint_length(d, s->step - 1);
        ac_adjoint_set_inputs(d, s->step - 1, t);
        if (f->interval)
            d->value += f->interval(f->user, s->step - 1, t, h, from, s->qa, d->workspace.inputs, NULL, NULL,
                                    NULL);
    }
    if (f->node) d->value += f->node(f->user, s->step, ac_adjoint_time(d, s->step), s->qa, s->p, NULL, NULL);
}

/* The value along the motion, simulated once. */
static ac_status find_value(ac_adjoint *d)
{
    size_t bytes = (size_t)d->system->n * sizeof(double);
    bool whole = d->stored.capacity >= d->steps;
    d->value = 0.0;
    d->steps_taken = 0;
    ac_stepper_restart(&d->forward);
    d->stored.first = 0;
    ac_adjoint_pass_node(d);
    take_value(d, NULL);
    store(d);
    for (long k = 1; k <= d->steps; ++k) {
        memcpy(d->by_q, d->forward.qa, bytes);
        if (!whole) d->stored.first = k - 1; /* the present interval alone */
        if (!whole) store(d);
        AC_TRY(ac_adjoint_step(d));
        take_value(d, d->by_q);
        store(d);
    }
    return AC_OK;
}

ac_status ac_adjoint_value(ac_adjoint *d, const ac_functional *functional, double *value)
{
    d->functional = functional;
    d->lost.text = NULL;
    AC_TRY(d->path ? ac_path_record(d) : find_value(d));
    if (d->path) ac_path_value(d);
    *value = d->value;
    if (!isfinite(d->value)) return ac_adjoint_fail_value(d);
    return AC_OK;
}

/* --- what was found --- */

void ac_adjoint_watch(ac_adjoint *d, ac_adjoint_watcher watcher, void *user)
{
    d->watch = watcher;
    d->watch_user = user;
}

long ac_adjoint_steps(const ac_adjoint *d)
{
    return d->steps;
}

double ac_adjoint_time(const ac_adjoint *d, long node)
{
    return d->times ? d->times->t[node - d->times->first] : (double)node * d->h;
}

int ac_adjoint_size(const ac_adjoint *d)
{
    return d->system->n;
}

long ac_adjoint_steps_taken(const ac_adjoint *d)
{
    return d->steps_taken;
}

int ac_adjoint_inputs(const ac_adjoint *d)
{
    return d->input_count;
}

void ac_adjoint_input(const ac_adjoint *d, int input, int *load, int *component)
{
    *load = d->loads[input].load;
    *component = d->loads[input].component;
}

const double *ac_adjoint_by_input(const ac_adjoint *d, long interval)
{
    return d->by_input + interval / d->stretch * d->input_count;
}

long ac_adjoint_stretch(const ac_adjoint *d)
{
    return d->stretch;
}

const double *ac_adjoint_by_configuration(const ac_adjoint *d)
{
    return d->by_q;
}

const double *ac_adjoint_by_velocity(const ac_adjoint *d)
{
    return d->workspace.by_velocity;
}

double ac_adjoint_by_amplitude(const ac_adjoint *d, int load)
{
    return d->amplitude[load];
}
