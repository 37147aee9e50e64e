/* A live session: a tracker or a simulation that steps by the clock, commands that come in between, snapshots that go out.
 *
 * Commands are lines of words (see command.c). What they do to the tracker is kept as events with the number of the step,
 * so that a recorded session is a problem file. Every function may be called from any thread.
 */
#ifndef ACTIO_LIVE_SESSION_H
#define ACTIO_LIVE_SESSION_H

#include <pthread.h>
#include <stdio.h>

#include "actio/live.h"
#include "live/simulation.h"
#include "model/system.h"
#include "problem/track/track.h"
#include "track/follow.h"

/* A target that a user made: the pointer's, or one that was pinned. */
typedef struct ac_hold {
    bool used, oriented;
    int node;
    double place[3];           /* of the point, relative to the centre of mass, node axes */
    double at[3], rotation[9]; /* target */
    double first[9];           /* orientation when it was taken */
} ac_hold;

/* The newest sample of a live target. */
typedef struct ac_live_sample {
    bool known;
    long step;
    double position[3], rotation[9];
} ac_live_sample;

enum { AC_LIVE_PENDING = 256, AC_LIVE_EVENTS = 200000, AC_LIVE_CLIENT = 40, AC_LIVE_REPLY = 256 };

/* What the pointer holds. */
typedef struct ac_grip {
    bool held;
    int slot;                       /* number of the target that it leads */
    double numbers[AC_ACT_NUMBERS]; /* node, its point, and the goal that it is pulled to */
} ac_grip;

/* The newest state as clients get it: JSON, one line. */
typedef struct ac_live_snapshot {
    char *text;
    size_t size, length;
    long number;
} ac_live_snapshot;

/* What is drawn, for the present parameters. */
typedef struct ac_live_scene {
    char *text;        /* JSON; NULL: that of the problem */
    long number, made; /* how often it has changed; and when the text was made */
    enum { AC_DRAWN_UNKNOWN, AC_DRAWN_YES, AC_DRAWN_NO } drawn[AC_LIVE_SLIDERS]; /* by each parameter? */
} ac_live_scene;

typedef struct ac_session {
    ac_context *ctx;
    const ac_problem *problem;
    const ac_system *system;
    ac_track_settings start;   /* settings of the problem */
    const ac_tracked *targets; /* of the problem */
    const int *reserve;        /* nodes that wait outside */
    int reserve_count;
    int target_count;
    const char *folder;
    const ac_track_data *file; /* the task track of the problem; its events come by themselves */
    int file_events;           /* how many of them have come */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* a new snapshot, or the end */
    bool running, ended, limited;
    long single_steps; /* asked for while paused */
    ac_track *track;   /* NULL: a simulation */
    ac_live_simulation *simulation;
    int pending_count;
    ac_track_event pending[AC_LIVE_PENDING];
    int event_count;
    ac_track_event *events; /* since the start, AC_LIVE_EVENTS; NULL: a simulation */
    ac_act *acts;           /* the same of a simulation */
    ac_grip grip;
    ac_hold *holds;          /* per number of a target; those of the problem are not used */
    ac_live_sample *samples; /* per target of the problem */
    double limits[3];        /* force, torque, speed of the targets that a user makes; 0: none */
    ac_deadlines late, computing;
    char writer[AC_LIVE_CLIENT]; /* who has the controls; "": nobody */
    double writer_time;          /* of its last command, s */
    long refused, commands;
    int clients, mark;

    ac_live_scene scene;
    char *controls; /* JSON: the task, and of a simulation what can be set; constant */
    ac_live_snapshot snapshot;
} ac_session;

ac_status ac_session_open(ac_context *ctx, const ac_problem *problem, const ac_live_settings *settings,
                          ac_session *session);
void ac_session_close(ac_session *session);

/* One step if there is one to do. late: how late it comes, s. Returns whether a step was made. */
bool ac_session_step(ac_session *session, double late);
/* Writes the snapshot and wakes those who wait for it. */
void ac_session_publish(ac_session *session);
void ac_session_end(ac_session *session);
/* Waits up to `seconds` for a snapshot newer than `*number`; copies it (at most `size` bytes). Returns its length, 0: there
 * was none, -1: the session has ended. */
long ac_session_wait(ac_session *session, long *number, double seconds, char *text, size_t size);

/* Carries out the commands of one client. Returns an HTTP status: 200, 400 (malformed), 409 (another client has the controls, or
 * the file exists), 429 (too many at once). `reply` gets a word or a reason. */
int ac_session_command(ac_session *session, char *text, char reply[AC_LIVE_REPLY]);

/* controls.c, snapshot.c: what can be set, once; the state, now. */
ac_status ac_session_describe(ac_session *session);
void ac_session_write(ac_session *session);

/* scene.c: a parameter was set. */
void ac_session_scene_change(ac_session *session, int parameter);
/* What is drawn now; kept until it changes. The session is locked. */
const char *ac_session_scene(ac_session *session);

/* Whether a place is near enough to be led there: at most a million typical lengths away. */
bool ac_live_is_near(const ac_session *session, const double place[3]);

/* targets.c: what a user does to targets; each returns an HTTP status and may write a reason. */
int ac_hold_take(ac_session *session, int node, const double place[3], const double at[3], bool oriented,
                 char reply[AC_LIVE_REPLY]);
int ac_hold_move(ac_session *session, const double at[3], char reply[AC_LIVE_REPLY]);
int ac_hold_turn(ac_session *session, const double theta[3], char reply[AC_LIVE_REPLY]);
/* Removes the target with this number. */
int ac_hold_drop(ac_session *session, int slot, char reply[AC_LIVE_REPLY]);
void ac_holds_forget(ac_session *session);
/* A sample for the live target `name`: 3 numbers, or 6 with its rotation vector. */
int ac_live_sample_add(ac_session *session, const char *name, const double *x, int count,
                       char reply[AC_LIVE_REPLY]);
/* The velocity of a sample that is applied before step `number`, from the one before it. */
void ac_live_sample_velocity(ac_session *session, ac_track_event *event, long number);
/* One line of a stream: NAME X Y Z [RX RY RZ]; a line that is not understood is counted. */
void ac_live_sample_line(ac_session *session, char *line);
/* Appends an event of the tracker, to be applied before the next step. */
int ac_session_push(ac_session *session, const ac_track_event *event, char reply[AC_LIVE_REPLY]);

/* record.c: a simulation starts: what was set until now is where a recording begins. */
void ac_session_begin_acts(ac_session *session);
/* Something that was done to the simulation before its next step. Names of sliders by their number. */
void ac_session_add_act(ac_session *session, ac_act_kind kind, int slider, const double *x);
/* The session as a problem file; 200, 409 or 500. */
int ac_session_record(const ac_session *session, const char *name, char reply[AC_LIVE_REPLY]);

double ac_live_clock(void);

#endif
