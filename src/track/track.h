/* Inside of a tracker.
 *
 * Velocity-level equations of all nodes, each with a twist of six numbers (components that a node does not
 * have are held at zero):
 *
 *     D dv + G^T sigma = b      D = M - h df/dv, symmetric, one block per node and per tree joint
 *     G dv             = g      rows of the joints; sigma = -h rho
 *
 * Tree joints are eliminated from the leaves to the root (eliminate.c), block by block without fill. What
 * does not fit the tree - joints that close loops, dampers across it, servo constraints - is a border of
 * rows B, whose small matrix B K^-1 B^T is factorised with pivoting, so that redundant loops are ordinary.
 */
#ifndef ACTIO_TRACK_TRACK_H
#define ACTIO_TRACK_TRACK_H

#include "actio/track.h"
#include "model/system.h"

/* The same number of several right-hand sides, which are solved side by side. */
enum { AC_TRACK_LANES = 4 };
typedef double ac_lanes __attribute__((vector_size(AC_TRACK_LANES * sizeof(double))));

/* One node in the elimination. */
typedef struct ac_track_link {
    int parent, first_row, rows; /* rows of its joint, counted from the first joint row; 0: open */
    bool coupled;                /* a damper acts between it and its parent */
    double D[36];                /* then its factor L */
    double G[36];                /* joint rows by the node, 6 numbers each; then L^-1 of them */
    double H[36];                /* joint rows by the parent; then S^-1 (H - G C) with their factors */
    double S[36];                /* factor of G D^-1 G^T */
    double C[36];                /* damping between node (rows) and parent (columns); then L^-1 C */
    double mass, inertia[9];     /* of the node now, world axes; zero if it is absent */
} ac_track_link;

/* A row of the border: coefficients of at most two nodes. */
typedef struct ac_track_row {
    int node[2]; /* AC_GROUND: none */
    double by[2][6];
    double soft; /* 0: an equation; else B v - soft s = value */
    double value;
} ac_track_row;

typedef struct ac_track_goal { /* a target */
    bool used, placed, fresh;  /* fresh: placed for the first time, nothing known of the step before */
    bool idle;                 /* not followed for a while */
    ac_track_target target;
    double place[3]; /* relative to the reference point, node axes */
    ac_track_place at;
    int rows, component[6]; /* components in use: 0 to 2 position, 3 to 5 rotation */
    double before[6];       /* residual of the step before */
    double winding[6];      /* control of the step before (mixed conditions) */
    double control[6];
} ac_track_goal;

typedef struct ac_track_damper { /* of a spring */
    int spring;
    enum { AC_DAMPER_NODE, AC_DAMPER_TREE, AC_DAMPER_ACROSS } how;
} ac_track_damper;

/* What does not fit the tree. */
typedef struct ac_track_border {
    int count, capacity;
    ac_track_row *rows;
    double *columns;     /* K^-1 of the rows, 6 per node each ... */
    double *multipliers; /* ... and the multipliers, per joint row each */
    double *matrix;      /* factor of B K^-1 B^T */
    int *order, rank;
    double *work;
    double *forces;
} ac_track_border;

/* Rows of the targets, and what is applied to them. */
typedef struct ac_track_control_rows {
    int count, capacity;
    ac_track_row *rows;
    double *columns;             /* K^-1 of the rows, 6 per node each ... */
    double *multipliers;         /* ... and the multipliers, per joint row each */
    double *W, *factor, *weight; /* capacity^2 each; weight: P M P^T or the identity */
    int *order;
    double *r, *u, *rate, *work; /* capacity each; residual, control, wanted velocity */
    double *known;               /* what cancels known forces, per row */
} ac_track_control_rows;

/* Right-hand sides and solutions of K. */
typedef struct ac_track_sides {
    double *load, *right, *rows;       /* 6 per node, 6 per node, per joint row */
    double *sigma;                     /* per joint row */
    ac_lanes *lane_twists, *lane_rows; /* several side by side */
} ac_track_sides;

/* Twists of one step, 6 per node: without forces of constraints, without control, at its end. */
typedef struct ac_track_trial {
    double *base, *free, *new, *change;
} ac_track_trial;

/* Wrenches, 6 per node. */
typedef struct ac_track_forces {
    double *all;
    double *known; /* gravity and loads alone */
    double *next;  /* of the next step, from outside */
} ac_track_forces;

/* How nodes turn, see turn.c. */
typedef struct ac_track_turning {
    double *momentum; /* 3 per node: angular momentum after the step before */
    double *lacking;  /* inertia that a node gets about all its axes, as it has none about one */
    bool *freely;     /* nodes that are no spheres, and whose directions no joint holds */
} ac_track_turning;

struct ac_track {
    ac_context *ctx;
    const ac_system *system;
    ac_track_settings settings;
    ac_yukawa_gain gain;
    int nodes, rows;      /* rows of joints */
    void *block;          /* everything below but the next */
    double *start_twists; /* 6 per node */

    long steps;
    double *q, *q_new, *stage_q, *twists; /* n, n, n, 6 per node */
    double *winding;                      /* winding of angles, per measure */
    bool *wound;                          /* measures on which springs or loads act */
    double *gradients;                    /* of the rows of joints: those of linear rows are constant */
    bool *present, *closed;               /* nodes, joints */
    double *kardan;                       /* 3 per node, with the Kardan chart */
    ac_track_turning turning;

    ac_track_link *links;
    double *phi, *reaction; /* per joint row */
    ac_track_forces forces;
    double *coordinates; /* n: workspace */
    ac_track_damper *dampers;
    int damper_count;

    ac_track_border border;
    ac_track_control_rows control;
    ac_track_sides sides;
    ac_track_trial trial;

    int goal_count; /* capacity */
    ac_track_goal *goals;
    bool *given_up; /* servo constraints beyond their limit in this step */
    double residual, largest_reaction;
    int loosest;    /* joint with this residual; -1: none */
    bool phi_known; /* phi belongs to q */
    bool altered;   /* bodies or joints were put in since the last step */
    ac_track_counts counts;
};

/* matrices.c: inertia of a node, with what it lacks; M, G, forces at (q, twists, time) into the links and vectors, `h` for the damping. */
void ac_track_inertia(const ac_track *t, int node, const double *q, double block[36]);
void ac_track_assemble(ac_track *t, const double *q, double time, double h);
/* Is a joint closed, are its bodies there? */
bool ac_track_holds(const ac_track *t, int joint);
/* A row of the system at q on its two nodes, six numbers for each. */
void ac_track_joint_row(const ac_track *t, const double *q, int row, const int ends[2], double *const by[2]);
/* Acceleration of joint row `row` without that of the twists, d2/dt2 g - G v'. */
double ac_track_row_acceleration(const ac_track *t, const double *q, int row);
/* Everything but the border: used by gradients and projections, too. */
void ac_track_add_row(ac_track_row *rows, int *count, const ac_track_row *row);
/* v of the row by the twists. */
double ac_track_row_rate(const ac_track_row *row, const double *twists);

/* eliminate.c */
void ac_track_factor(ac_track *t); /* tree, then border */
/* x and sigma of K (x, sigma, s) = (b, g, border values); b (6 per node) is kept. sigma and s may be NULL. */
void ac_track_solve(ac_track *t, const double *b, const double *g, double *x, double *sigma, double *s);
/* The same, and the columns K^-1 P^T of the control rows with W = P K^-1 P^T, all side by side. */
void ac_track_solve_control(ac_track *t, const double *b, const double *g, double *x, double *sigma);
/* Pivoted Cholesky factorisation; returns the rank. Solves with what is independent, zero elsewhere. */
int ac_track_cholesky(int n, double *A, int stride, int *order, double tolerance);
void ac_track_cholesky_solve(int n, const double *A, int stride, const int *order, int rank, double *x,
                             double *work);

/* motion.c: moves q by h times the twists; consistency; projection onto the joints. */
void ac_track_move(ac_track *t, const double *from, const double *twists, double h, double *to);
/* The same for a step: bodies that turn freely keep their momentum. */
void ac_track_advance(ac_track *t, const double *from, const double *twists, double h, double *to);
/* The same step for nodes with a target alone, from q. */
void ac_track_goals_move(ac_track *t, const double *twists, double h, double *to);
/* Closes the joints in so many rounds; returns the gap that is left. */
double ac_track_project(ac_track *t, int rounds);
double ac_track_largest_gap(ac_track *t); /* of closed joints at q */
void ac_track_remember(ac_track *t);
/* branch.c: turns what closed joints carry to the states that were described; whether there was something to turn. */
bool ac_track_turn_back(ac_track *t);
/* A closed joint that is turned over nevertheless; -1: none. */
int ac_track_turned_joint(const ac_track *t);

/* tracker.c: the angular momentum of a node from its twist and its pose. */
void ac_track_find_momentum(ac_track *t, int node);
/* turn.c: theta = h xi of a body that has the inertia in its own axes and turns with omega, without torques. */
void ac_track_free_turn(const double inertia[9], const double omega[3], double h, const double R[9],
                        double theta[3]);
void ac_track_find_free_turns(ac_track *t);
/* out (6 per node) */
void ac_track_twists_here(const ac_track *t, double *twists);

/* goals.c: control rows and residuals */
/* Has it a place, is it followed, is its node there? */
bool ac_track_goal_active(const ac_track *t, const ac_track_goal *goal);
void ac_track_goal_rows(ac_track *t, const double *q);
void ac_track_goal_error(const ac_track *t, const ac_track_goal *goal, const double *q, double error[6]);
/* Servo constraints of all goals but those that are given up, into the border. */
void ac_track_servo_rows(ac_track *t, const double *q, const bool *given_up);

/* Control row i belongs to this goal and component. */
void ac_track_goal_of(const ac_track *t, int i, int *goal, int *component);

/* control.c: controls into t->u, one for each control row. */
/* Published methods, K at q_k+1: from the residuals there and of the step before. */
void ac_track_choose_published(ac_track *t, const double *q_new);
/* Damped methods, K at q_k and the free twists known: q_free is where they would lead. */
void ac_track_choose_damped(ac_track *t, const double *q_free);
/* Cancels known forces at the targets: control in t->u. */
void ac_track_cancel_known(ac_track *t);
/* Cuts forces and speeds to the limits of the targets; twists: those without t->u. */
unsigned ac_track_limit(ac_track *t, const double *twists);

/* kardan.c */
void ac_kardan_rotation(const double w[3], double R[9]);
void ac_kardan_angles(const double R[9], const double winding[3], double w[3]);
void ac_kardan_rates(const double w[3], const double omega[3], double rate[3]);

/* yukawa.c */
bool ac_track_gains(const ac_track_settings *settings, ac_yukawa_gain *gain);

/* acceleration.c: one Runge-Kutta step of the index-1 form with Baumgarte's terms. */
void ac_track_runge_kutta(ac_track *t);

#endif
