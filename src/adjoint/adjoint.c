/* The adjoint of a simulation: forward with as much of the motion stored as fits, then backwards.
 *
 * Where the motion does not fit into the memory allowed, states are kept as checkpoints and stretches simulated again.
 * A stretch that is too long is divided where the binomial schedule of Griewank says: with c checkpoints and each step
 * taken at most r + 1 times, binomial(c + r, c) stretches can be swept. A state restores the motion to the same bits, so
 * the gradient does not depend on the memory.
 */
#include "adjoint/adjoint.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "adjoint/second.h"
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

static ac_status create_parts(ac_adjoint *d, const ac_simulation_settings *settings, ac_add_controls controls,
                              void *user)
{
    ac_simulation_settings reduced = *settings;
    reduced.formulation = "reduced";
    const char *scheme = ac_scheme_for(d->system, settings->scheme);
    AC_TRY(ac_interval_open(d->ctx, d->system, scheme, controls, user, &d->discrete));
    AC_TRY(open_loads(d));
    if (d->control_count > 0) d->forward.interval.controls = d->backward.interval.controls = &d->discrete;
    d->forward.interval.tau = d->backward.interval.tau = d->controls;
    AC_TRY(ac_stepper_create(&d->forward, d->ctx, d->system, settings));
    AC_TRY(ac_stepper_create(&d->backward, d->ctx, d->system, &reduced));
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
    AC_NEW(d->ctx, d->by_input, (size_t)d->steps * (size_t)d->input_count + 1);
    AC_NEW(d->ctx, d->amplitude, d->system->load_count + 1);
    return AC_OK;
}

/* Half of the memory for the stored stretch, at most the rest for checkpoints. */
static ac_status create_store(ac_adjoint *d, size_t memory)
{
    size_t n = (size_t)d->system->n, measures = (size_t)d->system->measure_count;
    size_t node = (2 * n + measures) * sizeof(double), state_size;
    ac_state *first = NULL;
    AC_TRY(ac_stepper_new_state(d->ctx, &d->forward, false, &first));
    state_size = ac_state_bytes(first);
    AC_NEW(d->ctx, d->checkpoints, CHECKPOINTS_MAX);
    d->checkpoints[d->checkpoint_count++] = first;
    long capacity = d->steps;
    if (memory > 0 && (size_t)capacity * node > memory) {
        capacity = (long)(memory / 2 / node);
        if (capacity < LEAST_CAPACITY) capacity = LEAST_CAPACITY;
        if (capacity > d->steps) capacity = d->steps;
        while (d->checkpoint_count < CHECKPOINTS_MAX &&
               (size_t)(d->checkpoint_count + 1) * state_size <= memory / 2) {
            AC_TRY(ac_stepper_new_state(d->ctx, &d->forward, false, &d->checkpoints[d->checkpoint_count]));
            ++d->checkpoint_count;
        }
    }
    d->stored.capacity = capacity;
    AC_NEW(d->ctx, d->stored.q, (size_t)(capacity + 1) * n);
    AC_NEW(d->ctx, d->stored.p, (size_t)(capacity + 1) * n);
    AC_NEW(d->ctx, d->stored.winding, (size_t)(capacity + 1) * measures + 1);
    return AC_OK;
}

static ac_status create(ac_adjoint *d, const ac_simulation_settings *settings, size_t memory,
                        ac_add_controls controls, void *user)
{
    if (settings->steps < 1) return ac_fail(d->ctx, AC_BAD_INPUT, "an adjoint needs at least one step");
    AC_TRY(create_parts(d, settings, controls, user));
    AC_TRY(create_vectors(d));
    return create_store(d, memory);
}

ac_status ac_adjoint_new(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                         size_t memory, ac_adjoint **adjoint)
{
    return ac_adjoint_create(ctx, system, settings, memory, NULL, NULL, adjoint);
}

ac_status ac_adjoint_create(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                            size_t memory, ac_add_controls controls, void *user, ac_adjoint **adjoint)
{
    ac_adjoint *d;
    *adjoint = NULL;
    if (!system->finished) return ac_fail(ctx, AC_BAD_INPUT, "the system is not finished");
    AC_NEW(ctx, d, 1);
    d->ctx = ctx;
    d->system = system;
    d->steps = settings->steps;
    d->h = settings->step;
    ac_status status = create(d, settings, memory, controls, user);
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
    ac_second_free(d->second);
    ac_discrete_destroy(&d->discrete);
    void *blocks[] = {d->checkpoints,
                      d->stored.q,
                      d->stored.p,
                      d->stored.winding,
                      d->by_q,
                      d->by_p,
                      d->workspace.w,
                      d->workspace.force,
                      d->workspace.lambda,
                      d->workspace.reduced,
                      d->workspace.y,
                      d->workspace.inputs,
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

static void store(ac_adjoint *d, long k, const double *q, const double *p)
{
    size_t n = (size_t)d->system->n, measures = (size_t)d->system->measure_count;
    memcpy(d->stored.q + (size_t)k * n, q, n * sizeof *q);
    memcpy(d->stored.p + (size_t)k * n, p, n * sizeof *p);
    memcpy(d->stored.winding + (size_t)k * measures, d->forward.winding, measures * sizeof(double));
}

void ac_adjoint_pass_node(const ac_adjoint *d)
{
    const ac_stepper *s = &d->forward;
    if (d->pass) d->pass(d->pass_user, s->step, s->qa, s->winding);
}

ac_status ac_adjoint_step(ac_adjoint *d)
{
    d->forward.interval.tau = d->controls + d->forward.step * d->control_count;
    AC_TRY(ac_stepper_solve(&d->forward));
    ++d->steps_taken;
    ac_stepper_advance(&d->forward);
    ac_adjoint_pass_node(d);
    return AC_OK;
}

/* Steps from the present node, `count` of them, all stored. */
static ac_status run_stored(ac_adjoint *d, long count)
{
    store(d, 0, d->forward.qa, d->forward.p);
    for (long k = 1; k <= count; ++k) {
        AC_TRY(ac_adjoint_step(d));
        store(d, k, d->forward.qa, d->forward.p);
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
    ac_adjoint_take_node(d, d->steps, q, p);
}

/* Backwards through the stored stretch. */
static ac_status sweep_back(ac_adjoint *d, long first, long count)
{
    size_t n = (size_t)d->system->n;
    if (first + count == d->steps)
        begin_back(d, d->stored.q + (size_t)count * n, d->stored.p + (size_t)count * n);
    for (long k = count - 1; k >= 0; --k) AC_TRY(ac_adjoint_step_back(d, first, k));
    return AC_OK;
}

/* A stretch that fits: forward from the checkpoint, then backwards. */
static ac_status sweep_stored(ac_adjoint *d, const ac_state *from, long first, long count)
{
    AC_TRY(ac_stepper_set_state(&d->forward, from));
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
            AC_TRY(ac_stepper_set_state(&d->forward, d->checkpoints[used]));
            for (long k = 0; k < before; ++k) AC_TRY(ac_adjoint_step(d));
            size_t n = (size_t)d->system->n;
            AC_TRY(run_stored(d, count - before));
            if (first + count == d->steps)
                begin_back(d, d->stored.q + (size_t)(count - before) * n,
                           d->stored.p + (size_t)(count - before) * n);
            for (long k = count - before - 1; k >= 0; --k) AC_TRY(ac_adjoint_step_back(d, first + before, k));
            count = before;
            continue;
        }
        long before = divide(pieces, left) * capacity;
        AC_TRY(ac_stepper_set_state(&d->forward, d->checkpoints[used]));
        for (long k = 0; k < before; ++k) AC_TRY(ac_adjoint_step(d));
        AC_TRY(ac_stepper_get_state(&d->forward, false, d->checkpoints[used + 1]));
        AC_TRY(sweep(d, used + 1, first + before, count - before));
        count = before;
    }
    return count > 0 ? sweep_stored(d, d->checkpoints[used], first, count) : AC_OK;
}

static void begin_run(ac_adjoint *d, const ac_functional *functional)
{
    d->functional = functional;
    d->value = 0.0;
    d->steps_taken = 0;
    memset(d->by_input, 0, (size_t)d->steps * (size_t)d->input_count * sizeof *d->by_input);
    memset(d->amplitude, 0, (size_t)d->system->load_count * sizeof *d->amplitude);
    ac_adjoint_begin_parameters(d);
}

static ac_status end_run(ac_adjoint *d, double *value)
{
    ac_mass_apply(d->system, d->by_p, d->workspace.by_velocity);
    ac_adjoint_finish_parameters(d);
    if (value) *value = d->value;
    if (!isfinite(d->value)) return ac_fail(d->ctx, AC_NOT_CONVERGED, "the functional is not a number");
    return AC_OK;
}

ac_status ac_adjoint_run(ac_adjoint *d, const ac_functional *functional, double *value)
{
    begin_run(d, functional);
    ac_stepper_restart(&d->forward);
    AC_TRY(ac_stepper_get_state(&d->forward, false, d->checkpoints[0]));
    ac_adjoint_pass_node(d);
    AC_TRY(sweep(d, 0, 0, d->steps));
    return end_run(d, value);
}

ac_status ac_adjoint_run_again(ac_adjoint *d, const ac_functional *functional, double *value)
{
    if (d->stored.capacity < d->steps) return ac_adjoint_run(d, functional, value);
    begin_run(d, functional);
    AC_TRY(sweep_back(d, 0, d->steps));
    return end_run(d, value);
}

/* The functional at the node that is reached, and on the interval before it, which began at `from`. */
static void take_value(ac_adjoint *d, const double *from)
{
    const ac_functional *f = d->functional;
    const ac_stepper *s = &d->forward;
    double t = (double)(s->step - 1) * d->h;
    if (from) {
        ac_adjoint_set_inputs(d, s->step - 1, t);
        if (f->interval)
            d->value += f->interval(f->user, s->step - 1, t, d->h, from, s->qa, d->workspace.inputs, NULL,
                                    NULL, NULL);
    }
    if (f->node) d->value += f->node(f->user, s->step, (double)s->step * d->h, s->qa, s->p, NULL, NULL);
}

ac_status ac_adjoint_value(ac_adjoint *d, const ac_functional *functional, double *value)
{
    size_t bytes = (size_t)d->system->n * sizeof(double);
    bool whole = d->stored.capacity >= d->steps;
    d->functional = functional;
    d->value = 0.0;
    d->steps_taken = 0;
    ac_stepper_restart(&d->forward);
    ac_adjoint_pass_node(d);
    take_value(d, NULL);
    if (whole) store(d, 0, d->forward.qa, d->forward.p);
    for (long k = 1; k <= d->steps; ++k) {
        memcpy(d->by_q, d->forward.qa, bytes);
        AC_TRY(ac_adjoint_step(d));
        take_value(d, d->by_q);
        if (whole) store(d, k, d->forward.qa, d->forward.p);
    }
    *value = d->value;
    if (!isfinite(d->value)) return ac_fail(d->ctx, AC_NOT_CONVERGED, "the functional is not a number");
    return AC_OK;
}

/* --- what was found --- */

void ac_adjoint_watch(ac_adjoint *d, ac_adjoint_watcher watcher, void *user)
{
    d->watch = watcher;
    d->watch_user = user;
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
    return d->by_input + interval * d->input_count;
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
