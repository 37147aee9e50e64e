/* Phases of an optimisation in its results: forces of what they hold, when they begin, what happens where they meet. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"
#include "task/optimize.h"

static int find_hold(const ac_optimize_run *run, const char *name)
{
    for (int k = 0; k < run->hold_count; ++k)
        if (strcmp(run->holds[k], name) == 0) return k;
    return -1;
}

ac_status ac_collect_holds(ac_optimize_run *run)
{
    int most = 0;
    for (int p = 0; p < ac_optimization_phases(run->o); ++p)
        most += ac_optimization_holds(ac_optimization_phase(run->o, p));
    AC_NEW(run->job->ctx, run->holds, most + 1);
    for (int p = 0; p < ac_optimization_phases(run->o); ++p) {
        const ac_optimization *phase = ac_optimization_phase(run->o, p);
        for (int k = 0; k < ac_optimization_holds(phase); ++k) {
            const char *name = ac_optimization_hold_name(phase, k);
            if (find_hold(run, name) >= 0) continue;
            snprintf(run->holds[run->hold_count++], AC_CHANNEL_NAME_SIZE, "%s", name);
        }
    }
    return AC_OK;
}

void ac_put_holds(const ac_optimize_run *run, int node, double *at)
{
    for (int k = 0; k < run->hold_count; ++k) at[k] = 0.0;
    for (int k = 0; run->hold_count > 0 && k < ac_optimization_holds(run->o); ++k)
        at[find_hold(run, ac_optimization_hold_name(run->o, k))] = ac_optimization_hold_force(run->o, k,
                                                                                              node);
}

static ac_status write_list(const ac_optimize_run *run)
{
    static const ac_channel channels[] = {
        {"phase", "1", "", 1}, {"time", "s", "", 1}, {"duration", "s", "", 1}, {"intervals", "1", "", 1}};
    ac_stream rows = {0};
    double begin = 0.0;
    ac_status status = ac_stream_open(&rows, run->job, "phases", channels, 4);
    for (int k = 0; k < ac_optimization_phases(run->o) && status == AC_OK; ++k) {
        const ac_optimization *phase = ac_optimization_phase(run->o, k);
        rows.row[0] = k;
        rows.row[1] = begin;
        rows.row[2] = ac_optimization_duration(phase);
        rows.row[3] = ac_optimization_intervals(phase);
        begin += rows.row[2];
        status = ac_stream_put(&rows);
    }
    ac_stream_close(&rows);
    return status;
}

/* Time at which a phase ends. */
static double end_of(const ac_optimize_run *run, int phase)
{
    double end = 0.0;
    for (int k = 0; k <= phase; ++k) end += ac_optimization_duration(ac_optimization_phase(run->o, k));
    return end;
}

static ac_status write_junctions(const ac_optimize_run *run)
{
    static const ac_channel channels[] = {{"time", "s", "", 1},
                                          {"junction/from", "1", "", 1},
                                          {"junction/to", "1", "", 1},
                                          {"junction/length", "m", "", 1},
                                          {"junction/energy_before", "J", "", 1},
                                          {"junction/energy_after", "J", "", 1},
                                          {"junction/loss", "J", "", 1}};
    ac_stream rows = {0};
    ac_status status = ac_stream_open(&rows, run->job, "junctions", channels, 7);
    for (int k = 0; k < ac_optimization_junctions(run->o) && status == AC_OK; ++k) {
        ac_junction_outcome j;
        status = ac_optimization_junction(run->o, k, &j);
        if (status != AC_OK) break;
        const double row[7] = {end_of(run, j.from),
                               j.from,
                               j.to,
                               j.length,
                               j.energy_before,
                               j.energy_after,
                               j.energy_before - j.energy_after};
        memcpy(rows.row, row, sizeof row);
        status = ac_stream_put(&rows);
    }
    ac_stream_close(&rows);
    return status;
}

ac_status ac_write_phases(const ac_optimize_run *run)
{
    if (ac_optimization_phases(run->o) == 0) return AC_OK;
    AC_TRY(write_list(run));
    return ac_optimization_junctions(run->o) > 0 ? write_junctions(run) : AC_OK;
}

static void summarise_transport(ac_summary *summary, const ac_transport *t)
{
    ac_summary_add(summary, "absolute_work", t->absolute_work, "J");
    ac_summary_add(summary, "positive_work", t->positive_work, "J");
    if (t->weight_times_length == 0.0) return;
    ac_summary_add(summary, "transport_absolute", t->absolute_work / t->weight_times_length, "1");
    ac_summary_add(summary, "transport_positive", t->positive_work / t->weight_times_length, "1");
    ac_summary_add(summary, "transport_net", t->work / t->weight_times_length, "1");
}

/* An impact that adds energy: several rates that are prescribed at one instant may ask for it where the impulse on one changes
 * another. */
static void note_gains(const ac_optimize_run *run)
{
    static const double ROUNDING = 1e-9;
    for (int k = 0; k < ac_optimization_junctions(run->o); ++k) {
        ac_junction_outcome j;
        if (ac_optimization_junction(run->o, k, &j) != AC_OK) return;
        double gain = j.energy_after - j.energy_before;
        if (!(gain > ROUNDING * ac_max(1.0, j.energy_before))) continue;
        ac_summary_note(
            run->job->summary, AC_NOTE_VERDICT,
            "the impact between phases '%s' and '%s' adds %.6g J, which no contact does: several rates are "
            "prescribed there. Let one bounce, with `tangential` and `along` for those along its surface",
            ac_optimization_phase_name(run->o, j.from), ac_optimization_phase_name(run->o, j.to), gain);
    }
}

void ac_summarise_phases(const ac_optimize_run *run)
{
    ac_summary *summary = run->job->summary;
    const ac_transport *t = &run->transport;
    char name[AC_CHANNEL_NAME_SIZE];
    for (int k = 0; k < ac_optimization_phases(run->o); ++k) {
        snprintf(name, sizeof name, "duration_%.80s", ac_optimization_phase_name(run->o, k));
        ac_summary_add(summary, name, ac_optimization_duration(ac_optimization_phase(run->o, k)), "s");
    }
    if (ac_optimization_junctions(run->o) == 0) return;
    if (t->length != 0.0) ac_summary_add(summary, "length", t->length, "m");
    ac_summary_add(summary, "impact_loss", t->loss, "J");
    if (t->balanced) ac_summary_add(summary, "work_less_loss", t->work - t->loss, "J");
    summarise_transport(summary, t);
    note_gains(run);
}
