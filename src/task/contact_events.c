/* Events of contacts as rows: when, where, which contact and what happened, with the balance of energy and momentum.
 * Kinds are numbers: 0 impact, 1 closes, 2 transfer, 3 rests, 4 opens. Contacts are counted from 0. */
#include "task/contact_events.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"

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

ac_status ac_contact_stream_open(ac_contact_stream *stream, const ac_run_job *job, const ac_system *system)
{
    stream->on = ac_system_contacts(system) > 0;
    if (!stream->on) return AC_OK;
    return ac_stream_open(&stream->rows, job, "events", channels, (int)(sizeof channels / sizeof *channels));
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

ac_status ac_contact_stream_put(ac_contact_stream *stream, const ac_simulation *simulation)
{
    int count = ac_simulation_contact_events(simulation);
    for (; stream->on && stream->passed < count; ++stream->passed) {
        fill(ac_simulation_contact_event(simulation, stream->passed), stream->rows.row);
        AC_TRY(ac_stream_put(&stream->rows));
    }
    return AC_OK;
}

void ac_contact_summary(const ac_simulation *simulation, ac_summary *summary)
{
    int count = ac_simulation_contact_events(simulation), impacts = 0;
    double loss = 0.0, first = -1.0;
    for (int k = 0; k < count; ++k) {
        const ac_contact_event *e = ac_simulation_contact_event(simulation, k);
        loss += e->energy_before - e->energy_after;
        if (e->kind > AC_EVENT_TRANSFER) continue;
        ++impacts;
        if (first < 0.0) first = e->time;
    }
    if (count == 0) return;
    ac_summary_add(summary, "contact_events", count, "1");
    ac_summary_add(summary, "impacts", impacts, "1");
    if (first >= 0.0) ac_summary_add(summary, "first_impact", first, "s");
    ac_summary_add(summary, "impact_loss", loss, "J");
}

void ac_contact_remarks(const ac_simulation *simulation, ac_summary *summary)
{
    char text[AC_REMARK_SIZE];
    for (int k = 0; ac_simulation_contact_remark(simulation, k, text, sizeof text); ++k)
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
}
