/* A motion with phases beyond its nodes: unrolled over many cycles, and replayed by the collision integrator and by the hybrid
 * reference, with what differs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/replay.h"
#include "base/base.h"
#include "math/math.h"
#include "task/optimize.h"

/* A table of configurations as the monitor writes them: places and orientations only, and arrows behind them. */
typedef struct pose_table {
    ac_stepper stepper;
    ac_monitor monitor;
    ac_stream stream;
    ac_channel *channels;
    char (*names)[AC_CHANNEL_NAME_SIZE];
    int count, *from, arrows; /* channels of the monitor, and where their numbers stand in its row */
    double *row, *q;
} pose_table;

static bool is_pose(const char *name)
{
    static const char *const groups[] = {"body/", "point/", "beam/"}, *const ends[] = {"/position",
                                                                                       "/rotation",
                                                                                       "/director"};
    bool group = false, end = false;
    for (size_t k = 0; k < 3; ++k) {
        size_t length = strlen(name), back = strlen(ends[k]);
        group = group || strncmp(name, groups[k], strlen(groups[k])) == 0;
        end = end || (length > back && strcmp(name + length - back, ends[k]) == 0);
    }
    return strcmp(name, "time") == 0 || (group && end);
}

static void add_arrows(const ac_optimization *phase, pose_table *t)
{
    for (int k = 0; k < t->arrows; ++k) {
        const char *control = ac_optimization_control_name(phase, k);
        bool turns = ac_optimization_control_turns(phase, k);
        char(*names)[AC_CHANNEL_NAME_SIZE] = t->names + 2 * k;
        snprintf(names[0], sizeof *names, "actuator/%s/place", control);
        snprintf(names[1], sizeof *names, "actuator/%s/%s", control, turns ? "torque" : "force");
        t->channels[t->count + 2 * k] = (ac_channel){names[0], "m", "x y z", 3};
        t->channels[t->count + 2 * k + 1] = (ac_channel){names[1], turns ? "N m" : "N", "x y z", 3};
    }
}

static ac_status open_poses(const ac_optimize_run *run, const char *name, bool arrows, pose_table *t)
{
    ac_context *ctx = run->job->ctx;
    const ac_optimization *phase = ac_optimization_phase(run->o, 0);
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = 1.0;
    settings.forces = false;
    AC_TRY(ac_stepper_create(&t->stepper, ctx, run->system, &settings));
    AC_TRY(ac_monitor_create(&t->monitor, &t->stepper, &settings));
    t->arrows = arrows ? ac_optimization_controls(phase) : 0;
    int all = t->monitor.node_count, width = 0;
    AC_NEW(ctx, t->channels, all + 2 * t->arrows);
    AC_NEW(ctx, t->names, 2 * t->arrows + 1);
    AC_NEW(ctx, t->from, all);
    for (int k = 0; k < all; width += t->monitor.node_channels[k++].width) {
        if (!is_pose(t->monitor.node_channels[k].name)) continue;
        t->from[t->count] = width;
        t->channels[t->count++] = t->monitor.node_channels[k];
    }
    AC_NEW(ctx, t->row, width);
    AC_NEW(ctx, t->q, run->system->n);
    add_arrows(phase, t);
    return ac_stream_open(&t->stream, run->job, name, t->channels, t->count + 2 * t->arrows);
}

static void close_poses(const ac_optimize_run *run, pose_table *t)
{
    ac_context *ctx = run->job->ctx;
    ac_stream_close(&t->stream);
    ac_monitor_destroy(&t->monitor);
    ac_stepper_destroy(&t->stepper);
    void *blocks[] = {t->channels, t->names, t->from, t->row, t->q};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}

/* The row of a configuration of a phase, in the world of the first cycle; returns where arrows go. */
static ac_status fill_poses(const ac_optimize_run *run, pose_table *t, int cycle, int phase, double time,
                            const double *q, double **arrows)
{
    ac_stepper *s = &t->stepper;
    memcpy(s->qa, q, (size_t)run->system->n * sizeof *q);
    AC_TRY(ac_optimization_unroll(run->o, cycle, phase, s->qa));
    memcpy(s->qb, s->qa, (size_t)run->system->n * sizeof *q);
    s->t = time;
    AC_TRY(ac_monitor_node(&t->monitor, s, t->row));
    double *to = t->stream.row;
    for (int k = 0; k < t->count; to += t->channels[k++].width)
        memcpy(to, t->row + t->from[k], (size_t)t->channels[k].width * sizeof *to);
    *arrows = to;
    return AC_OK;
}

/* --- unrolled --- */

static void put_arrows(const ac_optimize_run *run, const pose_table *t, int cycle, int number, int node,
                       double *to)
{
    const ac_optimization *phase = ac_optimization_phase(run->o, number);
    int interval = node < ac_optimization_intervals(phase) ? node : node - 1;
    for (int k = 0; k < t->arrows; ++k, to += 6) {
        ac_action action;
        bool turns = ac_optimization_control_turns(phase, k);
        ac_optimization_control_action(phase, run->system, k, interval,
                                       ac_optimization_configuration(phase, node),
                                       ac_optimization_near(phase, node), &action);
        memcpy(to, action.place, sizeof action.place);
        memcpy(to + 3, turns ? action.torque : action.force, sizeof action.force);
        ac_optimization_unroll_arrow(run->o, cycle, number, turns, to, to + 3);
    }
}

static ac_status put_cycles(const ac_optimize_run *run, pose_table *t, int cycles)
{
    int phases = ac_optimization_phases(run->o);
    double begin = 0.0, *arrows;
    for (int cycle = 0; cycle < cycles; ++cycle)
        for (int k = 0; k < phases; ++k) {
            const ac_optimization *phase = ac_optimization_phase(run->o, k);
            bool last = cycle + 1 == cycles && k + 1 == phases;
            int N = ac_optimization_intervals(phase);
            double h = ac_optimization_duration(phase) / N;
            for (int n = 0; n < N + last; ++n) { /* the next phase begins where this one ends */
                AC_TRY(fill_poses(run, t, cycle, k, begin + n * h, ac_optimization_configuration(phase, n),
                                  &arrows));
                put_arrows(run, t, cycle, k, n, arrows);
                AC_TRY(ac_stream_put(&t->stream));
            }
            begin += N * h;
        }
    return AC_OK;
}

static ac_status write_unrolled(const ac_optimize_run *run, int cycles)
{
    pose_table t;
    memset(&t, 0, sizeof t);
    ac_status status = open_poses(run, "unrolled", run->options->forces, &t);
    if (status == AC_OK) status = put_cycles(run, &t, cycles);
    close_poses(run, &t);
    return status;
}

/* --- replays --- */

typedef struct watcher {
    const ac_optimize_run *run;
    pose_table table;
} watcher;

static ac_status watch_node(void *user, int cycle, int phase, double time, const double *q)
{
    watcher *w = user;
    double *arrows;
    AC_TRY(fill_poses(w->run, &w->table, cycle, phase, time, q, &arrows));
    return ac_stream_put_diagnostic(&w->table.stream);
}

static ac_status replay(ac_optimize_run *run, ac_replay_method method, int cycles)
{
    static const char *const names[] = {"collision", "hybrid"};
    ac_phase_replays *r = &run->replays[method];
    watcher w;
    memset(&w, 0, sizeof w);
    w.run = run;
    const ac_replay_watch watch = {&w, watch_node};
    AC_NEW(run->job->ctx, r->rows, cycles * ac_optimization_phases(run->o) + 1);
    ac_status status = run->options->resimulated ? open_poses(run, names[method], false, &w.table) : AC_OK;
    if (status == AC_OK)
        status = ac_optimization_replay(run->o, run->system, method, cycles,
                                        run->options->resimulated ? &watch : NULL, r->rows, &r->count,
                                        r->remark);
    close_poses(run, &w.table);
    return status;
}

/* One row for each phase of each replay. */
static ac_status write_differences(const ac_optimize_run *run)
{
    static const ac_channel channels[] = {{"replay/method", "1", "", 1}, /* of ac_replay_method */
                                          {"replay/cycle", "1", "", 1},
                                          {"replay/phase", "1", "", 1},
                                          {"replay/duration", "s", "found replayed", 2},
                                          {"replay/energy", "J", "found replayed", 2},
                                          {"replay/loss", "J", "found replayed", 2},
                                          {"replay/place_difference", "1", "", 1},
                                          {"replay/velocity_difference", "1/s", "", 1},
                                          {"replay/followed", "s", "", 1}};
    ac_stream rows = {0};
    ac_status status = ac_stream_open(&rows, run->job, "replays", channels, 9);
    for (int method = 0; method < 2; ++method)
        for (int k = 0; status == AC_OK && k < run->replays[method].count; ++k) {
            const ac_phase_replay *r = &run->replays[method].rows[k];
            const double row[] = {method,      r->cycle,        r->phase,    r->found_duration,
                                  r->duration, r->found_energy, r->energy,   r->found_loss,
                                  r->loss,     r->place,        r->velocity, r->followed};
            memcpy(rows.row, row, sizeof row);
            status = ac_stream_put_diagnostic(&rows);
        }
    ac_stream_close(&rows);
    return status;
}

ac_status ac_write_replays(ac_optimize_run *run)
{
    int cycles = run->options->unroll;
    if (ac_optimization_phases(run->o) == 0 || cycles == 0) return AC_OK;
    if (ac_optimization_is_cycle(run->o))
        AC_TRY(write_unrolled(run, cycles));
    else
        cycles = 1;
    if (!run->solved)
        return AC_OK; /* a motion that does not satisfy its conditions is nothing to compare with */
    for (int method = 0; method < 2; ++method) AC_TRY(replay(run, (ac_replay_method)method, cycles));
    return write_differences(run);
}

/* How long the replay stays with the motion found, over all cycles. */
static double followed(const ac_phase_replays *r)
{
    double sum = 0.0;
    for (int k = 0; k <= r->count; ++k) { /* the last one was not completed */
        sum += r->rows[k].followed;
        if (r->rows[k].followed < r->rows[k].duration) break;
    }
    return sum;
}

/* Largest differences of the first cycle: later ones grow with the instability of the motion. */
static void summarise(ac_summary *summary, const char *method, int phases, const ac_phase_replays *r)
{
    double time = 0.0, place = 0.0, velocity = 0.0, energy = 0.0, loss = 0.0, defect = 0.0;
    char name[AC_CHANNEL_NAME_SIZE];
    for (int k = 0; k < phases && k < r->count; ++k) {
        const ac_phase_replay *row = &r->rows[k];
        time = ac_max(time, fabs(row->duration - row->found_duration));
        place = ac_max(place, row->place);
        velocity = ac_max(velocity, row->velocity);
        energy = ac_max(energy, fabs(row->energy - row->found_energy));
        loss = ac_max(loss, fabs(row->loss - row->found_loss));
    }
    for (int k = 0; k < phases && k <= r->count; ++k) defect = ac_max(defect, r->rows[k].defect);
    const struct {
        const char *what;
        double value;
        const char *unit;
    } all[] = {{"time", time, "s"},
               {"place", place, "1"},
               {"velocity", velocity, "1/s"},
               {"energy", energy, "J"},
               {"loss", loss, "J"}};
    snprintf(name, sizeof name, "%s_cycles", method);
    int cycles = r->count / phases;
    ac_summary_add(summary, name, cycles, "1");
    snprintf(name, sizeof name, "%s_followed", method);
    ac_summary_add(summary, name, followed(r), "s");
    if (defect > 0.0 && isfinite(defect)) ac_summary_add(summary, "hybrid_defect", defect, "1");
    for (size_t k = 0; k < sizeof all / sizeof *all && r->count >= phases; ++k) {
        snprintf(name, sizeof name, "%s_%s_error", method, all[k].what);
        ac_summary_add(summary, name, all[k].value, all[k].unit);
    }
    if (r->remark[0]) ac_summary_note(summary, AC_NOTE_VERDICT, "%s replay: %s", method, r->remark);
}

void ac_summarise_replays(const ac_optimize_run *run)
{
    static const char *const names[] = {"collision", "hybrid"};
    for (int k = 0; k < 2 && run->replays[k].rows; ++k)
        summarise(run->job->summary, names[k], ac_optimization_phases(run->o), &run->replays[k]);
}
