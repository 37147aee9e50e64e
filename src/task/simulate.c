/* The task "simulate": steps through time, streams the rows of nodes and intervals, watches all of them.
 *
 * The numbers of the summary are gathered from the rows as they pass, recorded or not, by the names of their
 * channels; a channel that is not there gives no number. Of a node that is not recorded the row has only what
 * can be watched at little cost (ac_simulation_watch_node): all channels of the rules must be among it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/simulate.h"
#include "base/base.h"
#include "integrate/extended.h"
#include "live/simulation.h"
#include "math/math.h"
#include "observe/choice.h"
#include "observe/energy.h"
#include "observe/simulation.h"
#include "actio/state.h"
#include "problem/build/optimize.h"
#include "problem/tasks.h"
#include "task/functional_value.h"
#include "task/checkpoint.h"
#include "task/contact_events.h"
#include "task/resolution.h"
#include "task/stream.h"

static const double EIGHTH_TURN = 0.78539816339744830962;

typedef enum statistic { LOWEST, HIGHEST, LARGEST, MEAN, SUM, RANGE } statistic;

/* One number of the summary: a statistic of one component of a channel. */
typedef struct watch_rule {
    const char *table, *channel;
    int component;
    statistic take;
    const char *name;
} watch_rule;

static const watch_rule rules[] = {
    {"intervals", "newton/iterations", 0, MEAN, "newton_iterations_mean"},
    {"intervals", "newton/iterations", 0, HIGHEST, "newton_iterations_max"},
    {"intervals", "newton/retries", 0, SUM, "newton_retries"},
    {"intervals", "energy/discrete", 0, LOWEST, "energy_discrete_min"},
    {"intervals", "energy/discrete", 0, HIGHEST, "energy_discrete_max"},
    {"nodes", "energy/hamiltonian", 0, LOWEST, "energy_hamiltonian_min"},
    {"nodes", "energy/hamiltonian", 0, HIGHEST, "energy_hamiltonian_max"},
    {"nodes", "residual/constraints", 0, LARGEST, "residual_constraints_max"},
    {"intervals", "residual/velocity", 0, LARGEST, "residual_velocity_max"},
    {"nodes", "residual/hidden_constraints", 0, LARGEST, "residual_hidden_constraints_max"},
    {"nodes", "momentum/linear", 0, RANGE, "momentum_linear_x_range"},
    {"nodes", "momentum/linear", 1, RANGE, "momentum_linear_y_range"},
    {"nodes", "momentum/linear", 2, RANGE, "momentum_linear_z_range"},
    {"nodes", "momentum/angular", 0, RANGE, "momentum_angular_x_range"},
    {"nodes", "momentum/angular", 1, RANGE, "momentum_angular_y_range"},
    {"nodes", "momentum/angular", 2, RANGE, "momentum_angular_z_range"},
    {"intervals", "speed", 0, HIGHEST, "speed_max"},
    {"intervals", "newton/condition", 0, LOWEST, "condition_min"},
    {"intervals", "newton/condition", 0, HIGHEST, "condition_max"},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

typedef struct watch {
    const watch_rule *rule;
    const char *unit;
    int offset; /* of the number in the row */
    double low, high, sum;
} watch;

/* A table on its way to the sink, with what is watched. */
typedef struct stream {
    ac_stream rows;
    long count;    /* rows that came */
    bool recorded; /* the newest row went to the sink */
    watch watches[RULE_COUNT];
    int watch_count;
} stream;

typedef struct simulation_run {
    const ac_run_job *job;
    ac_simulation *simulation;
    ac_live_simulation *live; /* of a recorded session, which owns the simulation; NULL: there is none */
    const ac_recorded *recorded;
    int acts_done;
    ac_simulation_settings own; /* with the scheme that is chosen */
    const ac_simulation_settings *settings;
    long record_every;
    stream nodes, intervals;
    ac_energy_watch energy;
    ac_resolution resolution;
    ac_contact_stream contacts;
    ac_functional_value functional;
    double start, in_steps, cpu_start; /* s */
    double wall_before, cpu_before;    /* of the runs that this one goes on from */
    ac_pace pace;
    /* checkpoints */
    ac_state *state;
    unsigned char *pending; /* the last one that may be written */
    size_t pending_size;
    ac_checkpoint_mark pending_rows;
    long pending_step; /* 0: there is none */
} simulation_run;

/* ---- watching ---- */

static void find_watches(stream *s, const char *table, const ac_channel *channels, int count)
{
    for (int r = 0; r < RULE_COUNT; ++r) {
        if (strcmp(rules[r].table, table) != 0) continue;
        for (int c = 0, offset = 0; c < count; offset += channels[c].width, ++c) {
            if (strcmp(channels[c].name, rules[r].channel) != 0 || rules[r].component >= channels[c].width)
                continue;
            s->watches[s->watch_count++] = (watch){.rule = &rules[r],
                                                   .unit = channels[c].unit,
                                                   .offset = offset + rules[r].component,
                                                   .low = INFINITY,
                                                   .high = -INFINITY};
            break;
        }
    }
}

static void watch_row(stream *s)
{
    for (int i = 0; i < s->watch_count; ++i) {
        watch *w = &s->watches[i];
        double value = s->rows.row[w->offset];
        if (value < w->low) w->low = value;
        if (value > w->high) w->high = value;
        w->sum += value;
    }
}

static double watched_value(const watch *w, long count)
{
    switch (w->rule->take) {
    case LOWEST: return w->low;
    case HIGHEST: return w->high;
    case LARGEST: return ac_max(fabs(w->low), fabs(w->high));
    case MEAN: return w->sum / (double)count;
    case SUM: return w->sum;
    default: return w->high - w->low;
    }
}

/* Adds the number of a rule, if the stream has its channel and any rows. */
static void summarise_rule(const stream *s, const watch_rule *rule, ac_summary *summary)
{
    for (int i = 0; i < s->watch_count && s->count > 0; ++i) {
        const watch *w = &s->watches[i];
        if (w->rule == rule) ac_summary_add(summary, rule->name, watched_value(w, s->count), w->unit);
    }
}

/* ---- streaming ---- */

static ac_status start_stream(simulation_run *run, stream *s, const char *name, const ac_channel *channels,
                              int count)
{
    find_watches(s, name, channels, count);
    return ac_stream_open(&s->rows, run->job, name, channels, count);
}

/* The channel of the first number that is not finite: of the watched ones, or of the whole row. */
static const char *not_finite(const stream *s, bool whole)
{
    if (whole) return ac_stream_not_finite(&s->rows);
    for (int i = 0; i < s->watch_count; ++i)
        if (!isfinite(s->rows.row[s->watches[i].offset])) return s->watches[i].rule->channel;
    return NULL;
}

/* A number that is not finite ends the run as a failed step does: what came before is kept. */
static ac_status check_row(const simulation_run *run, const stream *s, bool whole)
{
    const char *wrong = not_finite(s, whole);
    if (!wrong) return AC_OK;
    char spring[1024];
    if (ac_simulation_spring_trouble(run->simulation, spring, sizeof spring))
        return ac_fail(run->job->ctx, AC_NOT_CONVERGED, "step %ld, t = %g s: %s",
                       ac_simulation_steps_taken(run->simulation), ac_simulation_time(run->simulation),
                       spring);
    return ac_fail(run->job->ctx, AC_NOT_CONVERGED, "step %ld, t = %g s: %s is not a finite number",
                   ac_simulation_steps_taken(run->simulation), ac_simulation_time(run->simulation), wrong);
}

/* Is the row that comes next one of those to be recorded? */
static bool is_due(const simulation_run *run, const stream *s)
{
    return s->count % run->record_every == 0;
}

static ac_status pass_on(simulation_run *run, const stream *s)
{
    ac_checkpoint_row(run->job->checkpoint, s->rows.table, s->rows.row, s->rows.width);
    return ac_stream_pass_on(&s->rows);
}

/* `whole`: all numbers of the row are there. */
static ac_status pass_row(simulation_run *run, stream *s, bool whole, bool due)
{
    s->recorded = true; /* nothing is left to record if the row is refused */
    AC_TRY(check_row(run, s, whole));
    watch_row(s);
    s->recorded = due;
    ++s->count;
    return due ? pass_on(run, s) : AC_OK;
}

static ac_status pass_node(simulation_run *run)
{
    bool due = is_due(run, &run->nodes);
    if (due) {
        AC_TRY(ac_simulation_node_row(run->simulation, false, run->nodes.rows.row));
    } else {
        ac_simulation_watch_node(run->simulation, run->nodes.rows.row);
    }
    ac_energy_watch_row(&run->energy, run->nodes.rows.row, due);
    ac_energy_watch_interval(&run->energy, run->simulation);
    return pass_row(run, &run->nodes, due, due);
}

static ac_status pass_last_node(simulation_run *run)
{
    AC_TRY(ac_simulation_node_row(run->simulation, true, run->nodes.rows.row));
    ac_energy_watch_row(&run->energy, run->nodes.rows.row, true);
    return pass_row(run, &run->nodes, true, true);
}

static ac_status pass_interval(simulation_run *run)
{
    AC_TRY(ac_simulation_interval_row(run->simulation, run->intervals.rows.row));
    AC_TRY(ac_resolution_watch(&run->resolution, run->simulation));
    return pass_row(run, &run->intervals, true, is_due(run, &run->intervals));
}

/* The last rows are always recorded, also those of a run that stopped early. */
static ac_status finish_streams(simulation_run *run)
{
    AC_TRY(ac_contact_stream_finish(&run->contacts, run->simulation));
    AC_TRY(pass_last_node(run));
    bool left = run->intervals.count > 0 && !run->intervals.recorded;
    return left ? pass_on(run, &run->intervals) : AC_OK;
}

/* ---- checkpoints ---- */

/* At steps that depend on nothing but their number kept factors are dropped, as in taking a state: from there a run can
 * go on with the same bits. Of these states the last one is written when SECONDS have passed, and when the run is
 * interrupted. */
enum { PIECES = 200, LEAST_STEPS = 20 };
static const double SECONDS = 2.0;

typedef struct resume_numbers {
    long nodes, intervals;
    bool node_recorded, interval_recorded;
    ac_energy_watch energy;
    double in_steps, wall, cpu;
    struct {
        double low, high, sum;
    } watches[2 * RULE_COUNT];
} resume_numbers;

static long checkpoint_steps(const simulation_run *run)
{
    long steps = (run->settings->steps + PIECES - 1) / PIECES;
    return steps < LEAST_STEPS ? LEAST_STEPS : steps;
}

static void take_numbers(const simulation_run *run, resume_numbers *n)
{
    memset(n, 0, sizeof *n);
    n->nodes = run->nodes.count;
    n->intervals = run->intervals.count;
    n->node_recorded = run->nodes.recorded;
    n->interval_recorded = run->intervals.recorded;
    n->energy = run->energy;
    n->in_steps = run->in_steps;
    n->wall = run->wall_before + ac_wall_seconds() - run->start;
    n->cpu = run->cpu_before + ac_cpu_seconds() - run->cpu_start;
    const stream *streams[2] = {&run->nodes, &run->intervals};
    for (int s = 0, k = 0; s < 2; ++s)
        for (int i = 0; i < streams[s]->watch_count; ++i, ++k) {
            const watch *w = &streams[s]->watches[i];
            n->watches[k].low = w->low;
            n->watches[k].high = w->high;
            n->watches[k].sum = w->sum;
        }
}

static void put_numbers(simulation_run *run, const resume_numbers *n)
{
    run->nodes.count = n->nodes;
    run->intervals.count = n->intervals;
    run->nodes.recorded = n->node_recorded;
    run->intervals.recorded = n->interval_recorded;
    run->energy = n->energy;
    run->in_steps = n->in_steps;
    run->wall_before = n->wall;
    run->cpu_before = n->cpu;
    stream *streams[2] = {&run->nodes, &run->intervals};
    for (int s = 0, k = 0; s < 2; ++s)
        for (int i = 0; i < streams[s]->watch_count; ++i, ++k) {
            watch *w = &streams[s]->watches[i];
            w->low = n->watches[k].low;
            w->high = n->watches[k].high;
            w->sum = n->watches[k].sum;
        }
}

/* What stands between these and the state: a row, and what the functional knows. */
static size_t row_bytes(const simulation_run *run)
{
    return (size_t)run->intervals.rows.width * sizeof(double);
}

static size_t bytes_ahead(const simulation_run *run)
{
    return sizeof(resume_numbers) + row_bytes(run) + ac_following_bytes(&run->functional.following);
}

static void write_pending(simulation_run *run)
{
    if (!run->job->checkpoint || run->pending_step == 0) return;
    ac_checkpoint_write(run->job->checkpoint, run->pending_rows, run->pending, run->pending_size);
    run->pending_step = 0;
}

/* After step n, from 1 on. */
static ac_status consider_checkpoint(simulation_run *run, long n, double now)
{
    if (!run->state || n % checkpoint_steps(run) != 0 || n == run->settings->steps) return AC_OK;
    AC_TRY(ac_simulation_get_state(run->simulation, run->state));
    if (!run->job->checkpoint) return AC_OK;
    resume_numbers numbers;
    take_numbers(run, &numbers);
    memcpy(run->pending, &numbers, sizeof numbers);
    memcpy(run->pending + sizeof numbers, run->intervals.rows.row, row_bytes(run));
    ac_following_save(&run->functional.following, run->pending + sizeof numbers + row_bytes(run));
    ac_state_pack(run->state, run->pending + bytes_ahead(run));
    run->pending_rows = ac_checkpoint_position(run->job->checkpoint);
    run->pending_step = n;
    if (now - run->job->checkpoint->last >= SECONDS) write_pending(run);
    return AC_OK;
}

static int width_of(const void *user, int table)
{
    const simulation_run *run = user;
    if (table == run->nodes.rows.table) return run->nodes.rows.width;
    if (table == run->intervals.rows.table) return run->intervals.rows.width;
    return ac_contact_stream_width(&run->contacts, table);
}

/* The state that was found, and the rows up to there. */
static ac_status resume(simulation_run *run)
{
    ac_checkpoint *c = run->job->checkpoint;
    resume_numbers numbers;
    size_t ahead = bytes_ahead(run);
    ac_state *state = NULL;
    if (c->found_size < ahead)
        return ac_fail(run->job->ctx, AC_BAD_INPUT, "%s: the checkpoint is of another task", c->path);
    memcpy(&numbers, c->found, sizeof numbers);
    memcpy(run->intervals.rows.row, c->found + sizeof numbers, row_bytes(run));
    ac_following_load(&run->functional.following, c->found + sizeof numbers + row_bytes(run));
    AC_TRY(ac_state_unpack(run->job->ctx, c->found + ahead, c->found_size - ahead, &state));
    ac_status status = ac_simulation_set_state(run->simulation, state);
    ac_state_free(state);
    AC_TRY(status);
    AC_TRY(ac_checkpoint_replay(c, run->job->sink, width_of, run));
    put_numbers(run, &numbers);
    ac_summary_note(run->job->summary, AC_NOTE_CHOICE, "resumed after step %ld, t = %g s",
                    ac_simulation_steps_taken(run->simulation), ac_simulation_time(run->simulation));
    return AC_OK;
}

/* Recorded sessions start anew: their bits would change if factors were dropped. */
static ac_status prepare_checkpoints(simulation_run *run)
{
    if (run->live) return AC_OK;
    AC_TRY(ac_state_new(run->job->ctx, run->simulation, &run->state));
    run->pending_size = bytes_ahead(run) + ac_state_bytes(run->state);
    AC_NEW(run->job->ctx, run->pending, run->pending_size);
    return run->job->checkpoint && run->job->checkpoint->found ? resume(run) : AC_OK;
}

/* ---- stepping ---- */

static ac_status report_progress(simulation_run *run, double now)
{
    const ac_run_job *job = run->job;
    if (!job->progress ||
        !ac_pace_due(&run->pace, now, ac_simulation_mesh_steps(run->simulation), run->settings->steps))
        return AC_OK;
    long taken = ac_simulation_steps_taken(run->simulation);
    double time = ac_simulation_time(run->simulation);
    char words[96];
    snprintf(words, sizeof words, "t = %.6g s, %.3g steps/s", time, (double)taken / (now - run->start));
    if (job->progress(job->progress_user, (double)taken / (double)run->settings->steps, words) == 0)
        return AC_OK;
    return ac_fail(job->ctx, AC_INTERRUPTED, "interrupted after step %ld, t = %g s", taken, time);
}

/* One step; in a recorded session after what the user did before it. */
static ac_status advance(simulation_run *run)
{
    if (!run->live) return ac_simulation_step(run->simulation);
    AC_TRY(ac_live_replay(run->live, run->recorded, &run->acts_done));
    return ac_live_simulation_step(run->live) ? AC_OK : AC_NOT_CONVERGED;
}

/* A recorded session counts the steps of the integrator, which impacts divide; a simulation those of its mesh. */
static bool is_done(const simulation_run *run)
{
    long taken = run->live ? ac_simulation_steps_taken(run->simulation)
                           : ac_simulation_mesh_steps(run->simulation);
    return taken >= run->settings->steps;
}

static ac_status take_steps(simulation_run *run)
{
    double before = run->start;
    while (!is_done(run)) {
        AC_TRY(advance(run));
        double after = ac_wall_seconds();
        run->in_steps += after - before;
        AC_TRY(pass_node(run));
        AC_TRY(pass_interval(run));
        ac_functional_value_pass(&run->functional, run->simulation);
        AC_TRY(ac_contact_stream_put(&run->contacts, run->simulation));
        AC_TRY(consider_checkpoint(run, ac_simulation_steps_taken(run->simulation), after));
        AC_TRY(report_progress(run, after));
        before = ac_wall_seconds();
    }
    return AC_OK;
}

/* Whether elements bent too far. */
static void remark_bend(const simulation_run *run, ac_summary *summary)
{
    double bend = ac_simulation_yielding_bend(run->simulation);
    if (bend > EIGHTH_TURN)
        ac_summary_note(summary, AC_NOTE_REMARK,
                        "a beam bends by up to %.0f degrees between two nodes; beyond 45 its elements resist "
                        "less than the material: use more of them",
                        45.0 * bend / EIGHTH_TURN);
}

/* Energy from nowhere comes first: it bends beams, too. The tension that it brings is not one of the beams. */
static void remark(simulation_run *run, ac_summary *summary)
{
    char text[AC_REMARK_SIZE];
    bool beams = ac_problem_system(run->job->problem)->beam_count > 0;
    double rounding = ac_resolution_energy(&run->resolution);
    bool energy = !run->live && ac_energy_remark(&run->energy, rounding, beams, text, sizeof text);
    bool kink = !energy && ac_simulation_kink(run->simulation, text, sizeof text);
    if (energy) /* another reason than vibrations */
        ac_resolution_cause(&run->resolution, run->simulation, text, sizeof text);
    if (energy || kink || ac_energy_across_remark(&run->energy, text, sizeof text))
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
    if (!kink) remark_bend(run, summary);
    ac_resolution_remarks(&run->resolution, summary);
    ac_contact_remarks(run->simulation, summary);
}

static void summarise(simulation_run *run)
{
    ac_summary *summary = run->job->summary;
    long taken = ac_simulation_steps_taken(run->simulation);
    double steps = taken > 0 ? (double)taken : 1;
    ac_summary_add(summary, "steps", (double)taken, "1");
    ac_summary_add(summary, "time", ac_simulation_time(run->simulation), "s");
    ac_summary_add(summary, "unknowns", ac_simulation_unknowns(run->simulation), "1");
    bool across = ac_energy_is_across(&run->energy);
    for (int r = 0; r < RULE_COUNT; ++r) {
        if (across && strcmp(rules[r].channel, "energy/hamiltonian") == 0) {
            if (rules[r].take == LOWEST) ac_summary_add_energy(summary, &run->energy);
            continue;
        }
        summarise_rule(&run->intervals, &rules[r], summary);
        summarise_rule(&run->nodes, &rules[r], summary);
    }
    double bend = ac_simulation_largest_bend(run->simulation);
    if (bend > 0.0) ac_summary_add(summary, "largest_bend", bend, "rad");
    ac_contact_summary(run->simulation, summary);
    if (ac_simulation_mesh_steps(run->simulation) == run->settings->steps)
        ac_functional_value_add(&run->functional, run->simulation, summary);
    const ac_extended *free_steps = run->simulation->stepper.extended;
    if (free_steps) {
        ac_summary_add(summary, "steps_that_keep_energy", (double)free_steps->found, "1");
        ac_summary_add(summary, "steps_of_fixed_length", (double)free_steps->missed, "1");
    }
    if (run->live) {
        uint64_t sum = ac_live_checksum(run->live);
        ac_summary_add(summary, "checksum_high", (double)(sum >> 32), "1");
        ac_summary_add(summary, "checksum_low", (double)(sum & UINT64_C(0xffffffff)), "1");
    }
    remark(run, summary);
    ac_summary_add(summary, "wall_time", run->wall_before + ac_wall_seconds() - run->start, "s");
    ac_summary_add(summary, "cpu_time", run->cpu_before + ac_cpu_seconds() - run->cpu_start, "s");
    ac_summary_add(summary, "time_per_step", run->in_steps / steps, "s");
}

static ac_status finish(void *user)
{
    simulation_run *run = user;
    ac_status finished = finish_streams(run);
    summarise(run);
    return finished;
}

static ac_status choose_scheme(simulation_run *run)
{
    const ac_system *system = ac_problem_system(run->job->problem);
    const char *choice = run->own.scheme;
    double joints;
    AC_TRY(ac_choose_scheme(run->job->ctx, system, &run->own, &joints));
    ac_summary *summary = run->job->summary;
    const char *scheme = joints > 0.0 ? "energy-momentum" : ac_scheme_for(system, choice);
    snprintf(summary->scheme, sizeof summary->scheme, "%s", scheme);
    if (joints > 0.0)
        snprintf(summary->scheme_reason, sizeof summary->scheme_reason,
                 "forces of the joints make oscillations of %.3g rad/s, at which midpoint is unstable with "
                 "steps above %.2g s",
                 joints, ac_most_swing / joints);
    else
        snprintf(summary->scheme_reason, sizeof summary->scheme_reason, "%s",
                 ac_scheme_reason(system, choice));
    ac_summary_note(summary, AC_NOTE_CHOICE, "scheme %s: %s", scheme, summary->scheme_reason);
    return AC_OK;
}

/* A simulation of the problem, or of a recorded session of it. */
static ac_status open_simulation(simulation_run *run)
{
    const ac_run_job *job = run->job;
    const ac_simulate_data *data = ac_problem_data(job->problem, &ac_task_simulate);
    run->recorded = &data->recorded;
    if (!data->recorded.given)
        return ac_simulation_new(job->ctx, ac_problem_system(job->problem), run->settings, &run->simulation);
    AC_TRY(ac_live_simulation_new(job->ctx, job->problem, &run->live));
    run->simulation = ac_live_integrator(run->live);
    return AC_OK;
}

static ac_status simulate(simulation_run *run)
{
    const ac_run_job *job = run->job;
    AC_TRY(choose_scheme(run));
    AC_TRY(open_simulation(run));
    int count = 0;
    const ac_channel *channels = ac_simulation_node_channels(run->simulation, &count);
    AC_TRY(start_stream(run, &run->nodes, "nodes", channels, count));
    AC_TRY(
        ac_resolution_open(&run->resolution, job->ctx, ac_problem_system(job->problem), run->settings->step));
    ac_energy_watch_open(&run->energy, run->simulation);
    channels = ac_simulation_interval_channels(run->simulation, &count);
    AC_TRY(start_stream(run, &run->intervals, "intervals", channels, count));
    AC_TRY(ac_contact_stream_open(&run->contacts, run->job, ac_problem_system(job->problem)));
    if (!run->live) AC_TRY(ac_functional_value_open(job->problem, run->simulation, &run->functional));
    run->start = run->pace.reported = ac_wall_seconds();
    run->cpu_start = ac_cpu_seconds();
    AC_TRY(prepare_checkpoints(run));
    ac_status status = take_steps(run);
    if (status == AC_INTERRUPTED || status == AC_IO_FAILED) write_pending(run);
    if (status == AC_OK) status = ac_resolution_refuse(job->ctx, &run->resolution);
    return ac_finish_run(job->ctx, status, finish, run);
}

static ac_status run_simulation(const ac_run_job *job)
{
    simulation_run *run;
    AC_NEW(job->ctx, run, 1);
    run->job = job;
    run->own = *ac_problem_simulation(job->problem);
    run->settings = &run->own;
    run->record_every = ac_problem_record_every(job->problem);
    ac_status status = simulate(run);
    if (!run->live) ac_simulation_free(run->simulation);
    ac_live_simulation_free(run->live);
    ac_state_free(run->state);
    ac_release(job->ctx, run->pending);
    ac_resolution_close(&run->resolution);
    ac_stream_close(&run->nodes.rows);
    ac_stream_close(&run->intervals.rows);
    ac_contact_stream_close(&run->contacts);
    ac_functional_value_close(job->ctx, &run->functional);
    ac_release(job->ctx, run);
    return status;
}

static ac_status read_simulate(ac_builder *b, const ac_value *section, void *data)
{
    ac_simulate_data *simulate = data;
    return ac_read_simulate(b, section, &simulate->settings, &simulate->record_every, &simulate->recorded);
}

/* Forces at the start are needed for its row in the results. */
static ac_status finish_simulate(ac_builder *b, const ac_value *section, void *data)
{
    ac_simulate_data *simulate = data;
    if (simulate->settings.forces) AC_TRY(ac_check_springs(b, true));
    if (simulate->recorded.given) return AC_OK; /* the functional knows nothing of what the user does */
    return ac_build_functional(b, section, &simulate->settings, &simulate->functional);
}

static void release_simulate(void *data)
{
    ac_simulate_data *simulate = data;
    ac_optimization_free(simulate->functional);
    ac_recorded_clear(&simulate->recorded);
}

const ac_task ac_task_simulate = {
    .name = "simulate",
    .purpose = "simulate",
    .size = sizeof(ac_simulate_data),
    .read = read_simulate,
    .finish = finish_simulate,
    .release = release_simulate,
    .run = run_simulation,
};
