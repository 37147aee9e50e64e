/* The stepper: state and workspace of a simulation, and the interface of a formulation.
 *
 * A formulation decides how the step equation p + left - h G^T lambda = 0, g(q_b) = 0 is solved: with
 * multipliers, projected by the null space matrix, or reduced to minimal dimension. Newton's method drives
 * it through the functions below; all formulations give the same configurations to round-off, except that
 * of joint coordinates, whose discrete Lagrangian is another one. A new formulation is one file and one line
 * in stepper.c.
 */
#ifndef ACTIO_INTEGRATE_STEPPER_H
#define ACTIO_INTEGRATE_STEPPER_H

#include "actio/simulate.h"
#include "action/scheme/scheme.h"
#include "action/beam/beam_kink.h"

typedef struct ac_stepper ac_stepper;

typedef enum ac_guess {
    AC_GUESS_EXTRAPOLATED, /* from the last increments */
    AC_GUESS_REPEATED,     /* the last increment again */
    AC_GUESS_RESTING       /* no motion */
} ac_guess;

typedef struct ac_formulation {
    const char *name;
    ac_status (*create)(ac_stepper *stepper);
    void (*destroy)(ac_stepper *stepper);
    int (*unknowns)(const ac_stepper *stepper);
    /* Back to where `create` leaves it: the start of the system, q_a being there. */
    ac_status (*restart)(ac_stepper *stepper);
    /* Takes over at the present q_a, without a past. */
    void (*enter)(ac_stepper *stepper);
    /* What it remembers beside the stepper, as numbers: how many; written as they are once the interval is
     * accepted, if it is solved; read, q_a being there. Writing drops kept factors, so that a run that goes
     * on and one that is read again take the same steps. */
    size_t (*history)(const ac_stepper *stepper);
    void (*save)(ac_stepper *stepper, bool solved, double *numbers);
    void (*load)(ac_stepper *stepper, const double *numbers);
    /* What depends on the left node only. */
    void (*prepare)(ac_stepper *stepper);
    /* Whether q_b itself is the iterate, so that it may be put from outside. */
    bool iterates_nodes;
    /* Puts a first q_b. */
    void (*guess)(ac_stepper *stepper, ac_guess kind);
    /* Evaluates the equations at q_b; returns the size of the residual in units of the configuration, and
     * sets the gap. */
    double (*residual)(ac_stepper *stepper);
    /* The same again, without evaluation, where weights change with the matrix; NULL: they do not. */
    double (*measure)(ac_stepper *stepper);
    /* Newton correction at q_b, kept inside; returns its largest component through `size`. */
    ac_status (*correct)(ac_stepper *stepper, double *size);
    /* q_b <- iterate of the last correct() moved by factor times the correction. */
    void (*apply)(ac_stepper *stepper, double factor);
    /* The largest component of the correction that the last matrix would make of the present residual;
     * infinite where the matrix is not kept. NULL: it never is. */
    double (*foresee)(ac_stepper *stepper);
    /* After the solve: the residual that rounding left is carried over with the momentum `right`, so
     * that rounding errors do not add up. */
    void (*carry)(ac_stepper *stepper);
    /* The part of that residual that is not carried over with the momentum, by tree freedoms; NULL: there is none. */
    double *(*carried)(ac_stepper *stepper);
    /* lambda of p + left = G^T lambda on the solved interval: of the closed loops, then of the further rows. */
    void (*impulses)(ac_stepper *stepper, double *lambda);
    /* Kinetic energy of the solved interval; NULL: that of the velocities of the coordinates. */
    double (*kinetic)(const ac_stepper *stepper);
    /* Joint coordinates of q_a, one per tree freedom, of a formulation whose equations are those of joint coordinates: it has a
     * discrete Lagrangian of its own (action/chart/chart_interval.h), so its adjoint and tangent are those of that. NULL: the
     * equations are those of places and directors, which all such formulations share. */
    const double *(*coordinates)(const ac_stepper *stepper);
    /* The step is accepted: remembers increments, lets a and b change places. */
    void (*accept)(ac_stepper *stepper);
    /* The iteration matrix of the present iterate as published, dense; the caller releases it. */
    ac_status (*matrix)(ac_stepper *stepper, double **matrix, int *size);
} ac_formulation;

/* The functions that every formulation has, under these names in its file. */
#define AC_FORMULATION_FUNCTIONS                                                                    \
    .create = create, .destroy = destroy, .unknowns = unknowns, .restart = restart, .enter = enter, \
    .history = history, .save = save, .load = load, .prepare = prepare, .guess = guess,             \
    .residual = residual, .correct = correct, .apply = apply, .carry = carry, .carried = carried,   \
    .impulses = impulses, .accept = accept

const ac_formulation *ac_formulation_find(const char *name);

/* What is carried over of the residual that rounding leaves in a step equation, for each connected part of the
 * system (carry.c). */
typedef enum ac_carry_way { AC_CARRY_WHOLE, AC_CARRY_TOTAL, AC_CARRY_NOTHING } ac_carry_way;

typedef struct ac_carry {
    int parts;                     /* 0: the whole, everywhere */
    int *part;                     /* per node */
    ac_carry_way *way;             /* per part */
    bool totals, wholes;           /* of at least one part the total, the whole */
    bool nothing;                  /* of no part anything */
    int *first_support, *supports; /* per part: joints that hold it on the ground */
    double *work, *rates, *space;
    int *order;
} ac_carry;

enum {
    AC_MORE_NODES = AC_RELATION_TERMS,
    AC_MORE_MAX = AC_RELATION_MAX
}; /* of a further row: nodes, coordinates */

/* Constraint rows beyond those of the system: q_b must satisfy them, and their forces act where those of the other
 * constraints do. `count` of them hold now; each has a slot of its own among all `most`. */
typedef struct ac_more_rows {
    int most, count;
    void *user;
    void (*values)(const void *user, const double *q, double *g);
    void (*jacobian)(void *user, const double *columns, const double *q, double *J); /* by tree freedoms */
    /* The slot of a row that holds. */
    int (*slot)(const void *user, int row);
    /* The nodes on which the row of a slot can depend; returns how many. */
    int (*nodes)(const void *user, int slot, int nodes[AC_MORE_NODES]);
    /* gradient (n) = dg/dq of a row that holds. */
    void (*gradient)(void *user, int row, const double *q, double *gradient);
    /* Its second derivatives on the coordinates of the nodes of its slot, as a block. */
    void (*curvature)(const void *user, int row, const double *q, double *block);
} ac_more_rows;

/* When Newton's method ends, and what counts as rounding. */
typedef struct ac_step_limits {
    double tolerance;
    double turn; /* largest turn of a node in a step */
    int max_iterations;
    double reach;    /* length scale times the rounding error, the smallest meaningful residual */
    double fine;     /* the shortest distance over which positions decide about turns */
    double rounding; /* corrections below this move q_b by its own rounding only, in rad or lengths */
} ac_step_limits;

/* How the last step went. */
typedef struct ac_step_outcome {
    int iterations, retries;
    int worst_row; /* constraint row or freedom with the largest residual, for messages */
    bool worst_is_constraint;
    double residual;
    bool singular; /* no factorisation could be made; the message says why */
    double gap;    /* the largest constraint residual at q_b, in parts of the typical length */
} ac_step_outcome;

/* How far beams were bent so far. */
typedef struct ac_step_bends {
    double largest;  /* between neighbouring nodes, rad, ... */
    double yielding; /* ... and of beams of the director model */
    ac_kink kink;    /* the worst that was seen */
} ac_step_bends;

struct ac_stepper {
    ac_context *ctx;
    const ac_system *system;
    const ac_scheme *scheme;
    const ac_formulation *formulation;
    void *data; /* of the formulation */
    bool unscaled, decoupled;

    double h, t;     /* step, time of the left node */
    double t0;       /* of a mesh of equal steps: t = t0 + step h */
    double end;      /* time of the right node */
    double h_before; /* length of the interval before; 0: this is the first */
    long step;       /* number of the interval, from 0 */
    int past;        /* increments before q_a that are known, as far as they count: at most 3 */
    double *rates;   /* tree velocities at q_a where nothing is known of the past; NULL: those of the start */
    double *speeds;  /* the same as velocities of the coordinates */
    ac_more_rows more;
    struct ac_impacts *impacts;     /* of a system with contacts, else NULL */
    struct ac_relations *relations; /* where coordinates are coupled or prescribed, else NULL */
    struct ac_extended *extended;   /* where the step is free, else NULL */
    double *qa, *qb, *p;            /* nodes of the interval; momentum handed to q_a */
    double *left, *right;
    double *scratch[2]; /* n each */
    double *before;     /* configuration before q_a; holds q_a itself at the start */
    double *winding;    /* per measure */
    ac_carry carry;
    ac_interval interval;
    ac_step_limits limits;
    ac_step_outcome last;
    ac_step_bends bends;
};

ac_status ac_stepper_create(ac_stepper *stepper, ac_context *ctx, const ac_system *system,
                            const ac_simulation_settings *settings);
void ac_stepper_destroy(ac_stepper *stepper);
/* One step by Newton's method with its retries; on success the interval is [q_a, q_b] and `right` is
 * filled. */
ac_status ac_stepper_solve(ac_stepper *stepper);
/* The same from q as the first q_b, without retries and without the limit of turns: to see whether the step
 * equation has a solution near q. Only for formulations that iterate on nodes. */
ac_status ac_stepper_solve_near(ac_stepper *stepper, const double *q);
/* Kinetic energy that belongs to the solved interval. */
double ac_stepper_kinetic(const ac_stepper *stepper);
/* Moves on: q_b becomes the left node of the next interval. */
void ac_stepper_advance(ac_stepper *stepper);
/* Back to the start of the system, whose values may have changed meanwhile; allocates nothing, unless the pattern of
 * a sparse matrix has changed with them. */
ac_status ac_stepper_restart(ac_stepper *stepper);
/* winding[k]: the value of measure k at q, continued from winding[k]. */
void ac_stepper_wind(const ac_stepper *stepper, const double *q, double *winding);

/* AC_NOT_CONVERGED with a message if q_b bends a beam beyond what its elements resist (bend.c). */
ac_status ac_stepper_check_bend(ac_stepper *stepper);
/* What the beams have to do with a step from q_a that fails: an empty text and false if nothing. */
bool ac_stepper_beam_trouble(const ac_stepper *stepper, char *text, size_t size);

/* --- for formulations --- */

/* Updates the interval and evaluates left. */
void ac_stepper_evaluate(ac_stepper *stepper);
/* Calls add(target, nodes, count, block, size) with the slope -d left/d q_b of each element and load. */
typedef void (*ac_block_sink)(void *target, const int *nodes, int count, const double *block, int size);
void ac_stepper_slopes(ac_stepper *stepper, ac_block_sink sink, void *target);
/* The same; elements that know their slope between twists hand it to `twists`, a block for each pair of
 * nodes. */
typedef void (*ac_twist_sink)(void *target, int left, int right, const double block[36]);
void ac_stepper_twist_slopes(ac_stepper *stepper, ac_block_sink sink, ac_twist_sink twists, void *target);
/* What predicts the next increment u[0] from the last one u[1] and those before it (trend.c). */
typedef enum ac_trend {
    AC_TREND_PARABOLA, /* through the last three */
    AC_TREND_LINE,     /* through the last two */
    AC_TREND_RINGING,  /* a line, and vibrations that change their sign in every step */
    AC_TREND_SWAPPED,  /* the last but one again */
    AC_TREND_REPEATED, /* the last one again */
    AC_TREND_RESTING,  /* no motion */
    AC_TREND_COUNT
} ac_trend;
void ac_trend_continue(ac_trend trend, int n, double *const u[4]);
/* The trend that would have predicted u[0] best; errors count in the given units. */
ac_trend ac_trend_of(int n, const double *unit, double *const u[4]);
/* part (per node): the number of what hangs together with it, from 0 on; returns how many there are
 * (parts.c). */
int ac_find_parts(const ac_system *system, int *part);
/* Finds the parts of the system for a scheme. */
ac_status ac_carry_create(ac_context *ctx, const ac_system *system, const ac_scheme *scheme, ac_carry *carry);
void ac_carry_destroy(ac_context *ctx, ac_carry *carry);
/* Is there anything to hand on? */
bool ac_stepper_carries(const ac_stepper *stepper);
/* Only totals of parts? Then internal forces of the constraints may be left in the rest: they have no
 * total. */
bool ac_stepper_carries_totals(const ac_stepper *stepper);
/* right += factor carry, what rounding left of the step equation (carry.c). */
void ac_stepper_carry_over(ac_stepper *stepper, double factor, const double *carry);
/* Factor c in c h G^T lambda: 1/2 on the first interval, else 1; 1/2 for schemes at the mean. */
double ac_stepper_multiplier_factor(const ac_stepper *stepper);

#endif
