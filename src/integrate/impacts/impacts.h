/* Impacts: a stepper whose system has contacts.
 *
 * The discrete path has further nodes where gaps close. The time t_j of such a node is an unknown between two
 * nodes of the mesh: the step equation is solved with the length h_1 for which the gap vanishes at q_b
 * (resolve.c). There the momentum jumps (strike.c), and the rest h_2 of the step follows. A closed contact is a
 * set of constraint rows, made from the place of impact (touch.c); it opens when its force pulls.
 *
 * Elastic and lossy impacts balance the energies of the two intervals, E(q_j-1, q_j; h_1) - F_t =
 * E(q_j, q_j+1; h_2), along the normal impulse; everything else follows from the projected momentum balance.
 */
#ifndef ACTIO_INTEGRATE_IMPACTS_IMPACTS_H
#define ACTIO_INTEGRATE_IMPACTS_IMPACTS_H

#include "model/gap.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "tree/solver.h"

enum { AC_TOUCH_ROWS = 3, AC_NOT_MOVING = -1, AC_MOST_RELEASES = 2 };
/* Parts of a step: shorter intervals are merged with their neighbour. */
#define AC_SHORT_INTERVAL 1e-8
/* Closed contacts that move at less than this part of the largest velocity are at rest, as well as velocities are written. */
#define AC_SLOW_START 1e-6

/* A violation that lasts. */
typedef struct ac_doubt {
    long nodes, step; /* how many; the last interval in which it was seen */
    double from, until, worst;
} ac_doubt;

/* State of one contact. */
typedef struct ac_touch {
    bool closed;
    bool armed;           /* its gap counts */
    bool passes;          /* ... but not in this step: it closes where it is ignored */
    int released;         /* how often in this interval, because it pulled */
    bool opens;           /* at the node at which the present interval ends */
    double opening;       /* so long after q_a; infinite: not in this interval */
    double left, leaving; /* normal force at q_a in the interval before, in the one solved last */
    bool handed_over;     /* a transfer has released it in this interval */
    int bounces;          /* since the last node of the mesh */
    int rows;             /* while it sticks: the gap and along the surface; 0: the gap alone */
    ac_point anchor[2];   /* on the striking node, on the other */
    ac_point direction[AC_TOUCH_ROWS]; /* of the rows, in the axes of the other: normal first */
    double creep
        [AC_TOUCH_ROWS]; /* of a sphere that spins and rolls: the row's value at q_b is so much times h^2 */
    double gap, rate;    /* at q_a */
    double acceleration; /* of the gap over the last interval */
    int struck_rows;     /* of the impact last: impulses, normal first, N s */
    double struck[AC_TOUCH_ROWS];
    double impulse;                /* normal, of the interval solved last, N s */
    double normal_force, force[3]; /* of the contact at q_a, N (joint limits: N m), world axes */
    ac_doubt doubts[AC_VIOLATION_COUNT];
    bool seen[AC_VIOLATION_COUNT]; /* kinds of violations, ever */
} ac_touch;

/* What is found for one configuration: masses, active rows, velocities. */
typedef struct ac_jump {
    int freedoms, rows, most_rows, kept; /* kept = freedoms - rank */
    ac_joint_state *state;
    double *columns, *inertia, *twists, *full; /* full: n */
    double *mass;                              /* projected, freedoms squared */
    double *J, *N, *MN, *K, *z;
    int *pivot;
    ac_row_space space;
    double *space_block;
    int *space_ints;
    ac_tree_pair pair;
    bool open;             /* all of this is that of q_a */
    ac_tree_solver solver; /* where a tree alone gives the rates ... */
    double *wrenches, *weight;
    bool recursive; /* ... : no loops, no masses between nodes */
} ac_jump;

/* Workspace of spread.c. */
typedef struct ac_spread {
    double *transposed, *Z, *dual, *lambda, *doubles;
    int *ints;
} ac_spread;

/* What is found at the end of the solved interval before it is accepted. */
typedef struct ac_ahead {
    double *speeds;             /* n: velocities of the coordinates at q_b ... */
    bool known;                 /* ... of the interval solved last */
    double *leaving, *arriving; /* rows: impulses of the interval at q_a, at q_b */
    double *forces[2];          /* contacts: normal forces over half of an interval, and over all of it */
    ac_touch *kept;             /* contacts, while those at q_b are looked at */
} ac_ahead;

/* Of a kind of violation, over all contacts. */
typedef struct ac_violation_sum {
    long count;
    double time, worst;
    int contact;
} ac_violation_sum;

/* Numbers of all events. */
typedef struct ac_event_totals {
    long events, impacts;
    double first, loss; /* time of the first impact; energy */
} ac_event_totals;

typedef struct ac_impacts {
    ac_stepper *stepper;
    double mesh_h, touch; /* regular step; gaps below are closed */
    long mesh_step;       /* nodes of the mesh reached by q_a */
    double mesh_end;      /* time of the next node of the mesh */
    bool to_mesh;         /* the interval ends at a node of the mesh */
    bool fresh;           /* the momentum at q_a has jumped, or it has just been looked at */
    int at_this_step;     /* impacts since the last node of the mesh */
    ac_touch *touches;
    bool *were_closed; /* contacts, before an event */
    bool *resting;     /* contacts that come to rest together */
    bool *striking;    /* contacts that strike together */
    ac_jump jump;
    ac_spread spread;
    double *p, *rates, *gradient, *rows; /* momentum at q_a; tree velocities; n; rows of one contact */
    double *speeds;                      /* n: rates as velocities of the coordinates */
    ac_ahead ahead;
    double *p_before, *rates_before; /* at q_a before impulses */
    double *push;                    /* n: direction in which the energy equation scales the impulse */
    double *work, *before, *lambda;  /* freedoms, freedoms, rows */
    double *carried;                 /* rounding left by the interval before, tree freedoms */
    double energy, target;           /* of the last interval; wanted from this one */
    bool energy_known;               /* false: there was no such interval */
    double slope;                    /* of the energy along `push` */
    bool balance;                    /* the energy equation belongs to this interval */
    ac_contact_event *events;
    int event_count, event_capacity;
    ac_event_totals earlier; /* events before the state from which the motion goes on */
    ac_violation_sum violations[AC_VIOLATION_COUNT];
    ac_contact_violation *ended;
    int ended_count, ended_capacity;
} ac_impacts;

ac_status ac_impacts_create(ac_stepper *stepper, const ac_simulation_settings *settings);
void ac_impacts_destroy(ac_stepper *stepper);
/* As after it was made. */
ac_status ac_impacts_restart(ac_stepper *stepper);
/* The next interval: to the next node of the mesh, or to the impact before it. */
ac_status ac_impacts_solve(ac_stepper *stepper);
/* Before the stepper advances. */
void ac_impacts_advance(ac_stepper *stepper);
/* Nodes of the mesh reached by the newest configuration. */
long ac_impacts_mesh_steps(const ac_stepper *stepper, bool solved);
ac_event_totals ac_impacts_totals(const ac_impacts *impacts);
/* p without the part that closed contacts carry at q; p may be the result. */
ac_status ac_impacts_project(ac_stepper *stepper, const double *q, const double *p, double *projected);

/* --- touch.c --- */

/* Closes a contact at q: it sticks there, or slides. */
void ac_touch_close(ac_impacts *impacts, int contact, const double *q, bool sticks);
void ac_touch_open(ac_impacts *impacts, int contact);
/* Spheres that stick touch elsewhere now. */
void ac_touch_roll(ac_impacts *impacts, const double *q);
/* How those that spin about the normal creep, with the rates at q_a. */
void ac_touch_spin(ac_impacts *impacts);
/* Counts the rows of closed contacts. */
void ac_touch_count(ac_impacts *impacts);
/* The number of the first row of a closed contact, after those of the loops. */
int ac_touch_first_row(const ac_impacts *impacts, int contact);
void ac_touch_values(const void *impacts, const double *q, double *g);
void ac_touch_jacobian(void *impacts, const double *columns, const double *q, double *J);
int ac_touch_slot(const void *impacts, int row);
int ac_touch_nodes(const void *impacts, int slot, int nodes[AC_MORE_NODES]);
void ac_touch_gradient(void *impacts, int row, const double *q, double *gradient);
void ac_touch_curvature(const void *impacts, int row, const double *q, double *block);
/* Velocities at a contact as rows of the tree freedoms: normal (of the gap per its steepness), then tangential ones; returns how many. */
int ac_touch_rates(ac_impacts *impacts, int contact, const double *q, bool tangential, double *rows);
/* Adds the contact's impulse on the rows of ac_touch_rates as a vector of the world. */
void ac_touch_impulse(const ac_impacts *impacts, int contact, const double *q, const double *lambda, int rows,
                      double world[3]);

/* --- jump.c --- */

ac_status ac_jump_create(ac_stepper *stepper, int most_rows, ac_jump *jump);
void ac_jump_destroy(ac_context *ctx, ac_jump *jump);
/* Masses and active rows at q. */
ac_status ac_jump_open(ac_impacts *impacts, const double *q);
/* x = N (N^T M N)^-1 N^T r for tree forces r; x and r may be the same. */
void ac_jump_solve(const ac_jump *jump, const double *r, double *x);
/* Tree velocities of the momentum p under the active rows. */
void ac_jump_rates(ac_impacts *impacts, const double *q, const double *p, double *rates);
/* The momentum of tree velocities. */
void ac_jump_momentum(ac_impacts *impacts, const double *q, const double *rates, double *p);
/* Tree velocities as velocities of the coordinates. */
void ac_jump_speeds(ac_impacts *impacts, const double *q, const double *rates, double *speeds);
/* Impulses of the active rows in the momentum p at q: J^T lambda = P^T p - M_r rates, with the rates that the rows allow. */
void ac_jump_carried(ac_impacts *impacts, const double *q, const double *p, const double *rates,
                     double *lambda);
/* Velocities at q_b, from the momentum that the solved interval leaves there, under the active rows, and what these carry of it:
 * impacts->ahead.speeds, impacts->ahead.arriving. */
ac_status ac_jump_ahead(ac_impacts *impacts);
double ac_jump_kinetic(const ac_jump *jump, const double *rates);
/* N and the factors of N^T M N for the rows that are active now. */
ac_status ac_jump_activate(ac_impacts *impacts, const double *q);
/* Rates at q_a before impulses; masses and rows only where they are needed for it. */
ac_status ac_jump_look(ac_impacts *impacts);
/* Rates at q_a under the active rows, with what rounding left of the last step equation. */
void ac_jump_node_rates(ac_impacts *impacts);
/* The momentum at q_a from the rates, which also start the next increment. */
void ac_jump_restart(ac_impacts *impacts);

/* --- strike.c --- */

/* All impacts of the present q_a: s->p becomes the momentum after them. */
ac_status ac_strike_all(ac_impacts *impacts);
/* A contact comes to rest at q_a: closes without an impact worth the name. */
ac_status ac_strike_rest(ac_impacts *impacts, int contact);
/* A contact opens at q_a. */
ac_status ac_strike_open(ac_impacts *impacts, int contact);

/* --- resolve.c --- */

/* Solves the interval of length h from q_a, with the energy equation of an impact at q_a if there is one. */
ac_status ac_resolve_interval(ac_impacts *impacts, double h);
/* Does the gap of this contact count at time t? */
bool ac_resolve_watched(const ac_impacts *impacts, int contact, double t);
/* The interval from q_a towards the next node of the mesh; ends at the first impact. */
ac_status ac_resolve_next(ac_impacts *impacts);

/* --- opening.c --- */

/* How far into the solved interval of length h sticking contacts open: touch->opening. Solves it again. */
ac_status ac_opening_find(ac_impacts *impacts, double h);

/* --- spread.c --- */

ac_status ac_spread_create(ac_stepper *stepper, int most_rows, int freedoms, ac_spread *spread);
void ac_spread_destroy(ac_context *ctx, ac_spread *spread);
/* Impulses of the active rows of q_a (loops, then contacts) become those in which contacts push, if the same motion allows it.
 * push: 1 or -1, the sign of a normal impulse that pushes. */
void ac_spread_impulses(ac_impacts *impacts, double push, double *lambda);

/* --- checks.c --- */

void ac_impacts_flag(ac_impacts *impacts, ac_contact_violation_kind kind, int contact, double t, double size);
/* Forces of closed contacts in the interval just solved, friction and penetration. */
ac_status ac_impacts_check(ac_impacts *impacts);
/* The impulse of an impact against the coefficient of friction. */
void ac_impacts_check_impulse(ac_impacts *impacts, int contact);
/* Violations that last, number k of them; false: there are no more. */
bool ac_impacts_doubt(const ac_impacts *impacts, int k, ac_contact_violation *violation);
/* The k-th kind of violation that was seen, in words; false: there are no more. */
bool ac_impacts_remark(const ac_impacts *impacts, int k, char *text, size_t size);

#endif
