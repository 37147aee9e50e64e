/* Inside of the adjoint: the simulator that goes forward, the one that stands on an interval for transposed solves, the
 * doors of the action, and the motion between two checkpoints. */
#ifndef ACTIO_ADJOINT_ADJOINT_H
#define ACTIO_ADJOINT_ADJOINT_H

#include "actio/adjoint.h"
#include "action/interval.h"
#include "action/momentum.h"
#include "adjoint/parameters.h"
#include "adjoint/times.h"
#include "integrate/state.h"
#include "tree/frames.h"

/* Numbers that a functional follows along the motion, such as angles that are counted on: found at each node from those at the node
 * before (NULL: at the first), and kept with the motion. */
typedef struct ac_escort {
    void *user;
    int count;
    void (*pass)(void *user, const double *q, const double *winding, const double *before, double *now);
} ac_escort;

/* A stretch of the motion, stored. */
typedef struct ac_stored_motion {
    long first, capacity; /* node that it begins with; intervals */
    double *q, *p;        /* n per node */
    double *winding;      /* one per measure and node */
    double
        *coordinates; /* one per tree freedom and node, where the equations are those of joint coordinates */
    double *escort; /* of every node; behind them of every checkpoint, and of the present node and the next */
} ac_stored_motion;

/* Which component of which load an input is; a control: -1. */
typedef struct ac_adjoint_load {
    int load, component;
} ac_adjoint_load;

/* Workspace of the sweep backwards. */
typedef struct ac_adjoint_workspace {
    double *w, *force, *lambda, *reduced, *y, *inputs, *by_inputs, *out_a, *by_velocity;
    double *turned, *work; /* constraint forces turned with a node, by tree freedoms (sweep.c) */
} ac_adjoint_workspace;

/* What goes along with the motion as it is simulated from checkpoints, such as its tangent. */
typedef struct ac_follower {
    void *user;
    void (*begin)(void *user, long first); /* from here on nodes are stored */
    void (*before_step)(void *user);
    ac_status (*after_step)(void *user);
    void (*keep)(void *user, int checkpoint), (*go_back)(void *user, int checkpoint);
    ac_status (*sweep)(void *user, long first, long count); /* backwards through what is stored */
} ac_follower;

struct ac_adjoint {
    ac_context *ctx;
    const ac_system *system;
    long steps;
    double h;
    size_t memory; /* 0: no limit */
    bool at_mean;
    ac_stepper forward, backward; /* backward: always reduced */
    struct ac_chart_sweep *chart; /* where the equations are those of joint coordinates, else NULL (chart/) */
    ac_discrete discrete;
    ac_legendre legendre; /* for multipliers */
    ac_stored_motion stored;
    ac_state **checkpoints;
    int checkpoint_count;
    long steps_taken;

    ac_escort escort;
    const ac_follower *follower; /* NULL: none */

    ac_adjoint_watcher watch; /* NULL: nobody watches the sweep */
    void *watch_user;

    const ac_functional *functional;
    double value;
    struct { /* the expression that made the value no number, and when; NULL: not known */
        const char *text;
        double t;
    } lost;
    double *by_q, *by_p; /* adjoint of the node that the sweep has reached, n each */
    ac_adjoint_workspace workspace;
    int input_count, control_count; /* controls stand before loads */
    double *controls;               /* per interval; the caller sets them */
    ac_adjoint_load *loads;         /* per input */
    long stretch;                   /* intervals that share a row of what is given over time */
    double *by_input;               /* per stretch */
    double *amplitude;              /* per load: derivative by a factor of its values */
    ac_adjoint_parameters parameters;
    ac_adjoint_times *times;  /* NULL: all steps have the length h */
    struct ac_second *second; /* of ac_adjoint_linearise; NULL: never called */
    struct ac_path *path;     /* of a motion with contacts; NULL: there are none */
};

/* What an adjoint may have besides: controls, whose values are in `controls` (rows of control_count, one per interval), zero at first;
 * an escort. */
typedef struct ac_adjoint_parts {
    ac_add_controls controls;
    void *user; /* of the controls */
    ac_escort escort;
} ac_adjoint_parts;
ac_status ac_adjoint_create(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                            size_t memory, const ac_adjoint_parts *parts, ac_adjoint **adjoint);
/* Fails: the value is not a number, and which expression is the reason. */
ac_status ac_adjoint_fail_value(const ac_adjoint *adjoint);
/* Room for what is given over time: as many intervals share a row as the memory asks for. */
ac_status ac_adjoint_create_rows(ac_adjoint *adjoint);
static inline long ac_adjoint_rows(const ac_adjoint *adjoint)
{
    return (adjoint->steps + adjoint->stretch - 1) / adjoint->stretch;
}
/* The length of an interval. */
static inline double ac_adjoint_length(const ac_adjoint *adjoint, long interval)
{
    return adjoint->times ? adjoint->times->h[interval - adjoint->times->first] : adjoint->h;
}
/* The escort at a node of the stored stretch. */
const double *ac_adjoint_escorted(const ac_adjoint *adjoint, long node);
/* ... and at the right end of the interval that begins there; not to be read at the last node. */
const double *ac_adjoint_escorted_after(const ac_adjoint *adjoint, long node);

/* velocity.c: the velocity that belongs to a momentum, and derivatives by it taken back: by_q and by_p are added to. */
ac_status ac_adjoint_velocity(ac_adjoint *adjoint, const double *q, const double *p, double *v);
ac_status ac_adjoint_pull_velocity(ac_adjoint *adjoint, const double *q, const double *p, const double *by_v,
                                   double *by_q, double *by_p);

/* velocity_second.c: workspace of both, n numbers and rows; v and its change dv along (dq, dp); by_q, by_p += change of
 * ac_adjoint_pull_velocity along (dq, dp) where by_v changes by dby_v. */
typedef struct ac_velocity_work {
    double *v, *dv, *a, *da, *shift, *force, *mu, *dmu, *nu, *dnu, *rows;
} ac_velocity_work;
ac_status ac_adjoint_velocity_work(ac_adjoint *adjoint, double **block, ac_velocity_work *work);
ac_status ac_adjoint_velocity_along(ac_adjoint *adjoint, const double *q, const double *p, const double *dq,
                                    const double *dp, ac_velocity_work *work);
ac_status ac_adjoint_bend_velocity(ac_adjoint *adjoint, const double *q, const double *dq, const double *by_v,
                                   const double *dby_v, ac_velocity_work *work, double *by_q, double *by_p);

/* parameters.c: the gradient is wanted by these parameters, too; once, before the first run. `actions` stay where they
 * are. AC_BAD_INPUT: a parameter changes what cannot be followed, such as the topology. */
ac_status ac_adjoint_set_parameters(ac_adjoint *adjoint, const ac_parameter_action *actions, int count);
void ac_adjoint_end_parameters(ac_adjoint *adjoint);
/* The sweep: before it; on an interval, whose weights are wl and those of the momentum passed on, with w, the multipliers
 * `lambda` and the part of the adjoint of b that later intervals leave; and after it. */
void ac_adjoint_begin_parameters(ac_adjoint *adjoint);
ac_status ac_adjoint_take_parameters(ac_adjoint *adjoint, long number, double t,
                                     const ac_discrete_point *point, const double *wl);
void ac_adjoint_finish_parameters(ac_adjoint *adjoint);
/* to (parameters) += what was gathered by numbers, which is then zero again; what frames of joints carry (per node). */
void ac_adjoint_hand_over(ac_adjoint *adjoint, double *to);
void ac_adjoint_take_frames(ac_adjoint *adjoint, const ac_frame_pull *by, double *to);
/* Derivative of the value of a load on [t, t + h] by a parameter. */
double ac_adjoint_load_slope(const ac_adjoint *adjoint, int parameter, int input, double t, double h);
/* Derivatives of the functional at the present values per parameter, and the share of the stretch that an interval belongs to. */
const double *ac_adjoint_by_parameters(const ac_adjoint *adjoint);
double *ac_adjoint_parameters_over_time(const ac_adjoint *adjoint, long interval);
/* sweep.c: are constraint forces at a time node turned by freedoms of the tree? */
bool ac_adjoint_in_tree(const ac_adjoint *adjoint, long node);
/* Do rows of constraints vary? */
static inline bool ac_adjoint_geometry_varies(const ac_adjoint *adjoint)
{
    const int *first = adjoint->parameters.varying.first;
    return adjoint->parameters.count > 0 && first[AC_NUMBER_CONSTRAINT] < first[AC_NUMBER_CONSTRAINT + 1];
}

/* The value of the functional alone: the simulation without the sweep. */
ac_status ac_adjoint_value(ac_adjoint *adjoint, const ac_functional *functional, double *value);

/* The motion and what follows it, from the start on and backwards by stretches of at most `capacity` intervals. */
ac_status ac_adjoint_sweep_with(ac_adjoint *adjoint, const ac_follower *follower, long capacity);

/* One step of the forward simulation; the escort follows. */
ac_status ac_adjoint_step(ac_adjoint *adjoint);
void ac_adjoint_pass_node(ac_adjoint *adjoint);

/* sweep.c: the inputs of an interval, as the simulator takes them, in adjoint->inputs; of a part [t, t + h] of it. */
void ac_adjoint_set_inputs(ac_adjoint *adjoint, long number, double t);
void ac_adjoint_set_part_inputs(ac_adjoint *adjoint, long number, double t, double h);
/* sweep.c: out (and by_b, unless NULL) -= (d/dq) (w . G^T mu), the constraint forces being p + left of the interval on which the backward
 * stepper stands. */
ac_status ac_adjoint_turn_forces(ac_adjoint *adjoint, double *out, double *by_b);
/* sweep.c: derivatives by the inputs of an interval go to those over time and by amplitudes. */
void ac_adjoint_keep_inputs(ac_adjoint *adjoint, long number, const double *by_inputs);
/* sweep.c: from node k + 1 to node k of the stored motion, whose first interval has the number `first`. */
ac_status ac_adjoint_step_back(ac_adjoint *adjoint, long first, long k);
/* The functional at a node: its value is added, its derivatives go to the adjoint of the node. */
void ac_adjoint_take_node(ac_adjoint *adjoint, long number, const double *q, const double *p);

#endif
