/* The tables "events" and "violations" of a simulation with contacts, and their numbers in the summary. */
#ifndef ACTIO_TASK_CONTACT_EVENTS_H
#define ACTIO_TASK_CONTACT_EVENTS_H

#include "actio/simulate.h"
#include "task/stream.h"

typedef struct ac_contact_stream {
    ac_stream rows, doubts;
    bool on;
    int passed, doubts_passed; /* that are in the tables */
} ac_contact_stream;

/* Starts the table if the system has contacts. */
ac_status ac_contact_stream_open(ac_contact_stream *stream, const ac_run_job *job, const ac_system *system);
/* The width of one of the tables; -1: it is another. */
int ac_contact_stream_width(const ac_contact_stream *stream, int table);
void ac_contact_stream_close(ac_contact_stream *stream);
/* Passes on the events that are new, and violations that have ended. */
ac_status ac_contact_stream_put(ac_contact_stream *stream, const ac_simulation *simulation);
/* At the end of the run: also those that last. */
ac_status ac_contact_stream_finish(ac_contact_stream *stream, const ac_simulation *simulation);
/* Number of impacts and the energy they took. */
void ac_contact_summary(const ac_simulation *simulation, ac_summary *summary);
/* A remark for everything that is doubtful. */
void ac_contact_remarks(const ac_simulation *simulation, ac_summary *summary);

#endif
