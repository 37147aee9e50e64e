/* The table "events" of a simulation with contacts, their numbers in the summary, and what is doubtful. */
#ifndef ACTIO_TASK_CONTACT_EVENTS_H
#define ACTIO_TASK_CONTACT_EVENTS_H

#include "actio/simulate.h"
#include "task/stream.h"

typedef struct ac_contact_stream {
    ac_stream rows;
    bool on;
    int passed; /* events that are in the table */
} ac_contact_stream;

/* Starts the table if the system has contacts. */
ac_status ac_contact_stream_open(ac_contact_stream *stream, const ac_run_job *job, const ac_system *system);
/* Hands on the events that are new. */
ac_status ac_contact_stream_put(ac_contact_stream *stream, const ac_simulation *simulation);
/* Number of impacts and the energy they took. */
void ac_contact_summary(const ac_simulation *simulation, ac_summary *summary);
/* A remark for everything that is doubtful. */
void ac_contact_remarks(const ac_simulation *simulation, ac_summary *summary);

#endif
