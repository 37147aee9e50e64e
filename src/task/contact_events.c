/* Events of contacts as rows: when, where, which contact and what happened, with the balance of energy and momentum.
 * Kinds are numbers: 0 impact, 1 closes, 2 transfer, 3 rests, 4 opens. Contacts are counted from 0. A second table has
 * what is doubtful, over which time; its kinds are those of ac_contact_violation_kind. */
#include "task/contact_events.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "integrate/impacts/impacts.h"
#include "observe/simulation.h"
#include "task/checkpoint.h"

static const ac_channel channels[] = {
    {"time", "s", "", 1},
    {"event/contact", "1", "", 1},
    {"event/kind", "1", "", 1},
    {"event/place", "m", "x y z", 3},
    {"event/normal", "1", "x y z", 3},
    {"event/approach", "1", "", 1},
    {"event/separation", "1", "", 1},
    {"event/normal_impulse", "1", "", 1},
    {"event/impulse", "N s", "x y z", 3},
    {"event/energy_before", "J", "", 1},
    {"event/energy_after", "J", "", 1},
    {"event/loss", "J", "", 1},
    {"event/interval_energy", "J", "", 1},
    {"event/momentum_before", "kg m/s", "x y z", 3},
    {"event/momentum_after", "kg m/s", "x y z", 3},
    {"event/angular_before", "kg m^2/s", "x y z", 3},
    {"event/angular_after", "kg m^2/s", "x y z", 3},
};

static const ac_channel doubt_channels[] = {
    {"time", "s", "", 1},           {"violation/until", "s", "", 1}, {"violation/contact", "1", "", 1},
    {"violation/kind", "1", "", 1}, {"violation/worst", "1", "", 1}, {"violation/nodes", "1", "", 1},
};

ac_status ac_contact_stream_open(ac_contact_stream *stream, const ac_run_job *job, const ac_system *system)
{
    stream->on = ac_system_contacts(system) > 0;
    if (!stream->on) return AC_OK;
    AC_TRY(ac_stream_open(&stream->rows, job, "events", channels, (int)(sizeof channels / sizeof *channels)));
    return ac_stream_open(&stream->doubts, job, "violations", doubt_channels,
                          (int)(sizeof doubt_channels / sizeof *doubt_channels));
}

int ac_contact_stream_width(const ac_contact_stream *stream, int table)
{
    if (!stream->on) return -1;
    return table == stream->rows.table     ? stream->rows.width
           : table == stream->doubts.table ? stream->doubts.width
                                           : -1;
}

void ac_contact_stream_close(ac_contact_stream *stream)
{
    ac_stream_close(&stream->rows);
    ac_stream_close(&stream->doubts);
}

/* To the sink, and to the log of checkpoints. */
static ac_status put_row(const ac_stream *rows)
{
    AC_TRY(ac_stream_put(rows));
    ac_checkpoint_row(rows->job->checkpoint, rows->table, rows->row, rows->width);
    return AC_OK;
}

static double *put3(const double x[3], double *at)
{
    copy3(x, at);
    return at + 3;
}

static void fill(const ac_contact_event *e, double *at)
{
    *at++ = e->time;
    *at++ = e->contact;
    *at++ = e->kind;
    at = put3(e->place, at);
    at = put3(e->normal, at);
    *at++ = e->approach;
    *at++ = e->separation;
    *at++ = e->normal_impulse;
    at = put3(e->impulse, at);
    *at++ = e->energy_before;
    *at++ = e->energy_after;
    *at++ = e->energy_before - e->energy_after;
    *at++ = e->interval_energy;
    at = put3(e->momentum_before, at);
    at = put3(e->momentum_after, at);
    at = put3(e->angular_before, at);
    put3(e->angular_after, at);
}

static ac_status put_violation(ac_contact_stream *stream, const ac_simulation *simulation)
{
    ac_contact_violation v = ac_simulation_contact_violation(simulation, stream->doubts_passed++);
    const double row[] = {v.from, v.until, v.contact, v.kind, v.worst, (double)v.nodes};
    memcpy(stream->doubts.row, row, sizeof row);
    return put_row(&stream->doubts);
}

ac_status ac_contact_stream_put(ac_contact_stream *stream, const ac_simulation *simulation)
{
    int count = ac_simulation_contact_events(simulation);
    for (; stream->on && stream->passed < count; ++stream->passed) {
        fill(ac_simulation_contact_event(simulation, stream->passed), stream->rows.row);
        AC_TRY(put_row(&stream->rows));
    }
    while (stream->on && stream->doubts_passed < simulation->stepper.impacts->ended_count)
        AC_TRY(put_violation(stream, simulation));
    return AC_OK;
}

ac_status ac_contact_stream_finish(ac_contact_stream *stream, const ac_simulation *simulation)
{
    AC_TRY(ac_contact_stream_put(stream, simulation));
    while (stream->on && stream->doubts_passed < ac_simulation_contact_violations(simulation))
        AC_TRY(put_violation(stream, simulation));
    return AC_OK;
}

void ac_contact_summary(const ac_simulation *simulation, ac_summary *summary)
{
    if (!simulation->stepper.impacts) return;
    ac_event_totals t = ac_impacts_totals(simulation->stepper.impacts);
    if (t.events == 0) return;
    ac_summary_add(summary, "contact_events", (double)t.events, "1");
    ac_summary_add(summary, "impacts", (double)t.impacts, "1");
    if (t.impacts > 0) ac_summary_add(summary, "first_impact", t.first, "s");
    ac_summary_add(summary, "impact_loss", t.loss, "J");
}

void ac_contact_remarks(const ac_simulation *simulation, ac_summary *summary)
{
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_simulation_contact_remark(simulation, k, text, sizeof text); ++k)
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
}
