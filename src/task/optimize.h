/* The task "optimize" while it runs; its parts share what they found. */
#ifndef ACTIO_TASK_OPTIMIZE_H
#define ACTIO_TASK_OPTIMIZE_H

#include "actio/adjoint.h"
#include "actio/plan.h"
#include "actio/replay.h"
#include "optimize/problem/prepare.h"
#include "observe/monitor.h"
#include "integrate/stepper.h"
#include "problem/build/build.h"
#include "problem/plan/plan.h"
#include "observe/energy.h"
#include "task/stream.h"

enum { AC_CHANNEL_NAME_SIZE = 128, AC_HISTORY_WIDTH = 7 };

/* A motion with phases, replayed. */
typedef struct ac_phase_replays {
    ac_phase_replay *rows;
    int count;
    char remark[AC_REPLAY_REMARK_SIZE];
} ac_phase_replays;

typedef struct ac_optimize_run {
    const ac_run_job *job;
    ac_problem_plan_run plan;
    const ac_optimize_options *options;
    ac_optimization *o; /* whose point is written */
    const ac_system *system;
    const ac_problem *problem;      /* that `o` belongs to */
    ac_problem *optimum;            /* with the parameters found; NULL: none is free */
    const ac_optimization *solving; /* the present solve is of this one */
    double least_violation;         /* of the checkpoints so far */
    double start, last_progress, shooting_time;
    int iterations;
    /* replaying the motion */
    ac_stepper stepper;
    ac_monitor monitor;
    ac_stream nodes, intervals;
    ac_energy_watch energy;
    ac_channel *channels[2];
    char (*names)[AC_CHANNEL_NAME_SIZE];
    int *shown, shown_count;             /* quantities that the user named */
    char (*holds)[AC_CHANNEL_NAME_SIZE]; /* what phases hold: names of the quantities */
    int hold_count;
    int arrows; /* controls that are recorded as forces and torques */
    /* of the solver, rows of AC_HISTORY_WIDTH: iteration, objective, violation; shooting: more */
    double *history;
    int history_count, history_capacity;
    bool history_lost; /* for want of memory */
    double *search;    /* of the checkpoint of a shooting, which goes on; NULL: it begins */
    int search_size;
    ac_transport transport;
    int tight_turns; /* intervals in which the limit of turns stops the motion */
    bool solved;
    ac_resimulation again;
    ac_phase_replays replays[2]; /* by ac_replay_method */
} ac_optimize_run;

/* optimize_history.c: what the plan reports while it works, `user` is the run; one iteration */
int ac_note_plan(void *user, const ac_plan_progress *now);
int ac_note_iteration(ac_optimize_run *run, int iteration, double done, double objective, double violation);
int ac_note_shooting(ac_optimize_run *run, const ac_shooting_progress *now);
ac_status ac_write_history(const ac_optimize_run *run);

/* optimize_resume.c: the motion reached becomes a checkpoint: at once, or if it is better and some time has passed; a
 * checkpoint that was found becomes the guess */
void ac_checkpoint_motion(ac_optimize_run *run, double violation);
void ac_consider_motion(ac_optimize_run *run, double violation, double now);
ac_status ac_resume_motion(ac_optimize_run *run);
/* the same for the controls of shooting; `u`: those of the guess, then of the checkpoint, if there is one */
void ac_consider_controls(ac_optimize_run *run, const ac_shooting_progress *now, bool last);
ac_status ac_resume_controls(ac_optimize_run *run, double *u);

/* optimize_shoot.c */
ac_status ac_solve_shooting(ac_optimize_run *run);

/* optimize_motion.c: the motion found, as the monitor of the simulator sees it */
ac_status ac_write_motion(ac_optimize_run *run);

/* phases/results.c: what phases hold, one name for each quantity; their forces at a node of the present phase; tables of
 * phases and junctions, and their numbers in the summary */
ac_status ac_collect_holds(ac_optimize_run *run);
void ac_put_holds(const ac_optimize_run *run, int node, double *at);
ac_status ac_write_phases(const ac_optimize_run *run);
void ac_summarise_phases(const ac_optimize_run *run);

/* optimize_adjoint.c: the table of adjoint variables, if it is asked for */
ac_status ac_write_adjoint(const ac_optimize_run *run);

/* phases/replays.c: many cycles of the motion found, and its replays; their numbers in the summary */
ac_status ac_write_replays(ac_optimize_run *run);
void ac_summarise_replays(const ac_optimize_run *run);

/* optimize_again.c: from the first node with its momentum, by the simulator, under the controls found */
ac_status ac_simulate_again(ac_optimize_run *run);

#endif
