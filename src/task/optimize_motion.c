/* The motion found, put into the stepper interval by interval and written as the simulator would write it. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "action/inertia.h"
#include "optimize/plan/replay.h"
#include "task/optimize.h"

/* Place and force or torque of the controls, as channels of the nodes. */
static void add_arrow_channels(ac_optimize_run *run, ac_channel *channels,
                               char (*names)[AC_CHANNEL_NAME_SIZE])
{
    for (int k = 0; k < run->arrows; ++k) {
        bool turns = ac_optimization_control_turns(run->o, k);
        const char *control = ac_optimization_control_name(run->o, k);
        snprintf(names[2 * k], AC_CHANNEL_NAME_SIZE, "actuator/%s/place", control);
        snprintf(names[2 * k + 1], AC_CHANNEL_NAME_SIZE, "actuator/%s/%s", control,
                 turns ? "torque" : "force");
        channels[2 * k] = (ac_channel){names[2 * k], "m", "x y z", 3};
        channels[2 * k + 1] = (ac_channel){names[2 * k + 1], turns ? "N m" : "N", "x y z", 3};
    }
}

/* The channels of the monitor, then quantities and arrows, or controls. */
static ac_status create_channels(ac_optimize_run *run)
{
    ac_context *ctx = run->job->ctx;
    ac_optimization *whole = run->o;
    AC_TRY(ac_collect_holds(run));
    if (ac_optimization_phases(whole) > 0) run->o = ac_optimization_phase(whole, 0);
    int controls = ac_optimization_controls(run->o), name = 0;
    run->arrows = run->options->forces ? controls : 0;
    AC_NEW(ctx, run->shown, ac_optimization_quantities(run->o) + 1);
    for (int k = 0; k < ac_optimization_quantities(run->o); ++k)
        if (ac_optimization_quantity_name(run->o, k)[0] != '_') run->shown[run->shown_count++] = k;
    int holds = run->hold_count, quantities = holds + run->shown_count;
    const ac_channel *given[2] = {run->monitor.node_channels, run->monitor.interval_channels};
    const int count[2] = {run->monitor.node_count, run->monitor.interval_count},
              more[2] = {quantities, controls};
    const char *words[2] = {"nodes", "intervals"};
    AC_NEW(ctx, run->names, quantities + 3 * controls + 1);
    for (int t = 0; t < 2; ++t) {
        int arrows = t == 0 ? 2 * run->arrows : 0;
        AC_NEW(ctx, run->channels[t], count[t] + more[t] + arrows);
        for (int k = 0; k < count[t]; ++k) run->channels[t][k] = given[t][k];
        for (int k = 0; k < more[t]; ++k) {
            if (t == 0 && k < holds) {
                snprintf(run->names[name], AC_CHANNEL_NAME_SIZE, "hold/%s", run->holds[k]);
                run->channels[t][count[t] + k] = (ac_channel){run->names[name++], "N or N m", "", 1};
                continue;
            }
            const char *text = t == 0 ? ac_optimization_quantity_name(run->o, run->shown[k - holds])
                                      : ac_optimization_control_name(run->o, k);
            snprintf(run->names[name], AC_CHANNEL_NAME_SIZE, "%s/%s", t == 0 ? "quantity" : "control", text);
            const char *unit = t == 0 ? ac_optimization_quantity_unit(run->o, run->shown[k - holds])
                                      : ac_optimization_control_unit(run->o, k);
            run->channels[t][count[t] + k] = (ac_channel){run->names[name++], unit, "", 1};
        }
        if (t == 0)
            add_arrow_channels(run, run->channels[t] + count[t] + more[t],
                               run->names + quantities + controls);
        AC_TRY(ac_stream_open(t == 0 ? &run->nodes : &run->intervals, run->job, words[t], run->channels[t],
                              count[t] + more[t] + arrows));
    }
    return AC_OK;
}

/* The controls of the interval that begins at the node (of the last one, at the last node). */
static void put_arrows(const ac_optimize_run *run, int node, double *at)
{
    int interval = node < ac_optimization_intervals(run->o) ? node : node - 1;
    for (int k = 0; k < run->arrows; ++k, at += 6) {
        ac_action action;
        ac_optimization_control_action(run->o, run->system, k, interval,
                                       ac_optimization_configuration(run->o, node),
                                       ac_optimization_near(run->o, node), &action);
        memcpy(at, action.place, sizeof action.place);
        memcpy(at + 3, ac_optimization_control_turns(run->o, k) ? action.torque : action.force,
               sizeof action.force);
    }
}

static ac_status put_node(ac_optimize_run *run, int node, bool last)
{
    double *row = run->nodes.row, *arrows = row + run->nodes.width - 6 * run->arrows,
           *quantities = arrows - run->shown_count;
    AC_TRY(last ? ac_monitor_last_node(&run->monitor, &run->stepper, true, row)
                : ac_monitor_node(&run->monitor, &run->stepper, row));
    ac_energy_watch_row(&run->energy, row, true);
    for (int k = 0; k < run->shown_count; ++k)
        quantities[k] = ac_optimization_quantity_value(run->o, run->shown[k], node);
    ac_put_holds(run, node, quantities - run->hold_count);
    put_arrows(run, node, arrows);
    return ac_stream_put(&run->nodes);
}

static ac_status put_interval(ac_optimize_run *run, int interval)
{
    int controls = ac_optimization_controls(run->o);
    double *row = run->intervals.row;
    AC_TRY(ac_monitor_interval(&run->monitor, &run->stepper, row));
    memcpy(row + run->intervals.width - controls, ac_optimization_control_values(run->o, interval),
           (size_t)controls * sizeof *row);
    return ac_stream_put(&run->intervals);
}

/* Puts the motion found into the stepper, interval by interval, and writes what the monitor sees. */
static ac_status replay(ac_optimize_run *run, double begin, bool last)
{
    ac_stepper *s = &run->stepper;
    size_t n = (size_t)run->system->n;
    int N = ac_optimization_intervals(run->o);
    const double *v0 = ac_optimization_first_velocity(run->o);
    for (int k = 0; k < N; ++k) {
        s->interval.tau = ac_optimization_input_values(run->o, k);
        memcpy(s->qa, ac_optimization_configuration(run->o, k), n * sizeof *s->qa);
        memcpy(s->qb, ac_optimization_configuration(run->o, k + 1), n * sizeof *s->qb);
        memcpy(s->winding, ac_optimization_near(run->o, k),
               (size_t)run->system->measure_count * sizeof *s->winding);
        s->t = begin + k * s->h;
        s->end = begin + (k + 1) * s->h;
        s->step = k;
        s->h_before = k > 0 ? s->h : 0.0;
        s->interval.t = s->t;
        s->scheme->begin(&s->interval);
        ac_stepper_evaluate(s);
        if (k > 0) {
            memcpy(s->p, s->right, n * sizeof *s->p);
        } else if (v0) {
            ac_mass_apply(run->system, v0, s->p);
        } else {
            for (size_t i = 0; i < n; ++i) s->p[i] = -s->left[i];
        }
        s->scheme->right(&s->interval, s->p, s->right);
        AC_TRY(put_node(run, k, false));
        AC_TRY(put_interval(run, k));
    }
    memcpy(s->winding, ac_optimization_near(run->o, N),
           (size_t)run->system->measure_count * sizeof *s->winding);
    if (!last) return AC_OK; /* the next phase begins there */
    const double *vN = ac_optimization_last_velocity(run->o);
    if (run->hold_count > 0 && vN) ac_mass_apply(run->system, vN, s->right);
    return put_node(run, N, true);
}

/* Phase after phase; the whole has no motion of its own. */
static ac_status replay_phases(ac_optimize_run *run, ac_optimization *whole)
{
    double begin = 0.0;
    int count = ac_optimization_phases(whole);
    ac_stepper *s = &run->stepper;
    for (int k = 0; k < count; ++k) {
        run->o = ac_optimization_phase(whole, k);
        s->interval.controls = ac_optimization_inputs(run->o);
        s->h = s->interval.h = ac_optimization_duration(run->o) / ac_optimization_intervals(run->o);
        AC_TRY(replay(run, begin, k + 1 == count));
        begin += ac_optimization_duration(run->o);
    }
    return AC_OK;
}

ac_status ac_write_motion(ac_optimize_run *run)
{
    ac_simulation_settings settings;
    ac_optimization *whole = run->o;
    bool phases = ac_optimization_phases(whole) > 0;
    ac_simulation_defaults(&settings);
    settings.forces = run->options->forces;
    settings.reactions = run->options->reactions;
    settings.energies = run->options->energies;
    if (phases) run->o = ac_optimization_phase(whole, 0);
    ac_status status = ac_replay_stepper(run->o, run->system, NULL, &run->stepper);
    if (status == AC_OK) status = ac_monitor_create(&run->monitor, &run->stepper, &settings);
    run->o = whole;
    if (status == AC_OK)
        ac_energy_watch_channels(&run->energy, run->monitor.node_channels, run->monitor.node_count);
    if (status == AC_OK && strcmp(run->stepper.scheme->name, "energy-momentum") == 0) run->energy.on = false;
    if (status == AC_OK) status = create_channels(run);
    if (status == AC_OK) status = phases ? replay_phases(run, whole) : replay(run, 0.0, true);
    run->o = whole;
    return status;
}
