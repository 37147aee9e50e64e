/* Several phases as one programme.
 *
 * A phase is an optimal control problem of its own: controls, conditions, objective, mesh, what it holds. Unknowns and rows of
 * the phases stand one after another; behind them stand those of the junctions, at which the end of one phase meets the start
 * of another one (or of itself). Free parameters are unknowns that all phases share; they stand last, as in a phase.
 *
 * At a junction:
 *
 *   q_0 = S q_N - l d                     the same configuration, or mirrored, relabelled and shifted by the length l along d
 *   D_0^T (M v_0 - M S v_N - G^T I) = 0   impulses I of what the next phase holds, of what bounces, and of constraints
 *   grad s . (v_0 + e S v_N) = 0          a quantity that bounces with restitution e; what is held has no rate (holds.c)
 *   I grad s . (v_0 + S v_N) / 2 + L = 0  of which e >= 0 is an unknown: its impulse I takes the energy L
 *
 * Where tangential velocity is lost, the velocity v_c at the end of compression is an unknown, too, with impulses C on what is
 * held, on what bounces and of constraints, but not along the surface. The laws are those of contacts
 * (integrate/impacts/strike.c): f is the part of the tangential velocity that is lost, s_t the quantities along the surface.
 *
 *   D_0^T (M v_c - M S v_N - G^T C) = 0,  grad s . v_c = 0
 *   grad s_t . (v_0 - (1 - f + e) v_c + e S v_N) = 0
 *   C grad s . (S v_N + e v_0) / 2 + L = 0   instead of the loss above: (1 - e^2) of the normal energy
 *
 * With nothing new that is held and nothing that bounces the impulses are zero: a smooth connection. Constraints are those that
 * the formulation has as rows: joints that close loops, and in redundant coordinates, where D_0 is the identity, all of them.
 * Their rows at the start of a phase that meets another one follow from the first row here, so they are not posed there. */
#ifndef ACTIO_OPTIMIZE_PHASES_PHASES_H
#define ACTIO_OPTIMIZE_PHASES_PHASES_H

#include "optimize/problem/optimization.h"

/* A quantity that bounces, or one along the surface on which that happens. */
typedef struct ac_bounce_data {
    int scalar;               /* of the next phase */
    double restitution, loss; /* loss: not positive where the restitution is known */
    int lossy;                /* number among those with a given loss; -1: none of them */
    double tangential;        /* part of the velocity along the surface that is lost */
    int normal;               /* along: the quantity that bounces; -1: it bounces itself */
} ac_bounce_data;

typedef struct ac_junction_data {
    int from, to;
    int map_count;
    ac_map_entry *map; /* S */
    double *shift;     /* n: d at the places of nodes; NULL: none */
    double low, high, guess;
    int bounce_count,
        along_count; /* quantities that bounce; behind them those along which velocity is lost */
    ac_bounce_data *bounce;
    int lossy_count;
    /* layout, in the unknowns and rows of the whole */
    int length, impulses, impulse_count; /* length: -1 without a shift */
    int strikes;                         /* the impulses and those of constraints behind them */
    int restitutions;                    /* unknown ones, of given losses */
    int ended, pressures;                /* rates and impulses at the end of compression */
    int places, jumps, compressions;     /* first rows: of momenta at the end of compression */
    int rates, rate_count;               /* rows of rates: bounces, losses, the end of compression */
} ac_junction_data;

/* A bounded sum over all phases; total: the sum that is its part, of each phase. */
typedef struct ac_shared_total {
    ac_total_data bounds;
    int phases, *total;
} ac_shared_total;

struct ac_meeting;

typedef struct ac_phases {
    int count, capacity;
    ac_optimization **list;
    char (*names)[AC_LABEL_SIZE];
    int *first_variable, *first_row;       /* per phase */
    int **jacobian_entry, **hessian_entry; /* per phase: place of its entries in those of the whole */
    double *scratch;                       /* entries or gradients of one phase */
    ac_junction_data *junctions;
    int junction_count, junction_capacity;
    int shared_count, shared_capacity;
    ac_shared_total *shared;
    int shares, sums; /* first unknown and first row of these */
    int per_length;   /* junction by whose length the objective is divided; -1: none */
    double *work;     /* of junctions */
} ac_phases;

/* The unknown of the whole that unknown i of a phase is. */
int ac_phases_unknown(const ac_optimization *o, int phase, int i);
/* The unknowns of a phase become those of the whole. */
void ac_phases_give_unknowns(ac_optimization *o, int phase);
/* Parameters are shared: all phases have the same ones, and something depends on each. */
ac_status ac_phases_check_parameters(const ac_optimization *o);

/* alike.c: after the map of a junction the mechanism has the same masses, joints and forces. */
ac_status ac_junction_check_alike(const ac_optimization *whole, const ac_junction_data *j);

/* --- whole.c: what the functions of the same names do for a problem with phases --- */
ac_status ac_phases_layout(ac_optimization *o);
void ac_phases_layout_destroy(ac_optimization *o);
void ac_phases_free(ac_optimization *o);
void ac_phases_evaluate_at(ac_optimization *o, const double *x);
double ac_phases_objective(ac_optimization *o, double *gradient);
void ac_phases_rows(ac_optimization *o, double *c);
void ac_phases_jacobian(ac_optimization *o, double *values);
void ac_phases_hessian(ac_optimization *o, double sigma, const double *mu, double *values);
void ac_phases_bound_rows(ac_optimization *o);
void ac_phases_row_name(const ac_optimization *o, int row, char *text, size_t size);
void ac_phases_rebase(ac_optimization *o);
ac_status ac_phases_patterns(ac_optimization *o);
/* References of the local coordinates of all phases: how many, and copies from or to a list. */
size_t ac_phases_states(const ac_optimization *o);
void ac_phases_copy_states(const ac_optimization *o, ac_joint_state *list, bool back);

/* --- shared.c: sums over all phases; values NULL: marks the pattern --- */
ac_status ac_shared_place(ac_optimization *o);
void ac_shared_free(ac_optimization *o);
void ac_shared_guess(ac_optimization *o);
void ac_shared_bound_rows(ac_optimization *o);
void ac_shared_rows(const ac_optimization *o, double *c);
void ac_shared_jacobian(ac_optimization *o, double *values);

/* --- guess.c --- */
ac_status ac_phases_guess(ac_optimization *o);
/* The lengths of junctions begin where another problem with the same phases has them. */
void ac_phases_guess_lengths(ac_optimization *o, const ac_optimization *from);
/* A copy of the guessed lengths (NULL without junctions), and these again, which frees the copy. */
ac_status ac_phases_take_lengths(const ac_optimization *o, double **lengths);
void ac_phases_give_lengths(ac_optimization *o, double *lengths);
/* The motion becomes the guess, and the layout is taken down. */
ac_status ac_phases_keep_motion(ac_optimization *o);
/* Another number of intervals, in which all phases share as they did; the motion becomes the guess. */
ac_status ac_phases_remesh(ac_optimization *o, int intervals);

/* --- meeting.c: the point where two phases meet --- */
size_t ac_junction_doubles(const ac_optimization *o);
/* The largest gap of coordinates between phases that should meet, and which these are. In local coordinates the rows do not
 * see it where a body is half a turn away. */
double ac_junction_gap(ac_optimization *o, int *from, int *to);
/* Rows of all junctions. */
void ac_junction_rows(ac_optimization *o, double *c);

/* --- junction.c, junction_curvature.c: derivatives by local coordinates; junction_redundant.c: by coordinates ---
 * values NULL: marks the pattern. */
void ac_junction_jacobian(ac_optimization *o, double *values);
void ac_junction_hessian(ac_optimization *o, const double *mu, double *values);
void ac_junction_redundant_jacobian(ac_optimization *o, const struct ac_meeting *m, double *values);
void ac_junction_redundant_hessian(ac_optimization *o, const struct ac_meeting *m, const double *mu,
                                   double *values);

/* A velocity behind impulses. Matrices are n x W; there are none in redundant coordinates. */
typedef struct ac_behind {
    int rates, jumps; /* in the whole: its first unknown, the first row of its momentum */
    const double *w;  /* rates: v = D w */
    double *v, *P;    /* n: velocity; gap of the momenta */
    double *V, *MV;   /* derivative of v by y; times M */
} ac_behind;
/* That with which the next phase begins, and that at the end of compression. */
enum { AC_AFTER, AC_ENDED, AC_BEHIND_MOST };

/* Everything of a junction at the present point; matrices are n x W, row by row, and there are none in redundant
 * coordinates. Local coordinates are the freedoms, then the free parameters: W of them at the start and at the end. */
typedef struct ac_meeting {
    const ac_junction_data *j;
    ac_optimization *a, *b; /* the phase that ends, the one that begins */
    bool charted;
    int n, T, W;               /* coordinates, freedoms, local coordinates */
    int ya, wa, yb, parameter; /* first unknowns in the whole */
    ac_chart_point end, start;
    int behind_count;
    ac_behind behind[AC_BEHIND_MOST];
    /* D of the end and the derivative of v_N by y mapped by S; times M */
    double *SD, *SV, *MD0, *MSD, *MSV;
    double *VN;
    double *F, *Sv; /* n: gap of the configurations; velocity before, mapped */
    double length;
} ac_meeting;

/* A function of the configuration that takes an impulse at the start of the next phase: a quantity that is held or bounces,
 * or a constraint. Behind its coordinates stand the moving data that it depends on, which take no impulse. */
typedef struct ac_strike {
    int count, plain, scalar; /* plain: coordinates alone; scalar: -1 of a constraint, which is quadratic */
    int row;                  /* of a constraint */
    int at[AC_SCALAR_MAX];
    double gradient[AC_SCALAR_MAX], hessian[AC_SCALAR_MAX * AC_SCALAR_MAX];
} ac_strike;

void ac_meet(ac_optimization *o, const ac_junction_data *j, ac_meeting *m);
/* The unknown that local coordinate f is, of the start or the end with first unknown `first`. */
static inline int ac_meeting_unknown(const ac_meeting *m, int first, int f)
{
    return f < m->T ? first + f : m->parameter + f - m->T;
}
/* Derivatives of the moving datum that coordinate i of a strike is. */
static inline const ac_jet *ac_strike_jet(const ac_meeting *m, const ac_strike *strike, int i)
{
    return ac_moving_jet(m->b, strike->at[i]);
}
/* Is there a velocity at the end of compression? */
static inline bool ac_has_compression(const ac_junction_data *j)
{
    return j->along_count > 0;
}
/* The unknown that is impulse k before velocity `behind`; -1: nothing acts there. */
int ac_strike_unknown(const ac_meeting *m, int behind, int k);
/* Restitution of a quantity that bounces, or of that across the surface: given, or that of the present point. */
double ac_junction_restitution(const ac_optimization *o, const ac_junction_data *j, int bounce);
void ac_strike_evaluate(const ac_meeting *m, int k, ac_strike *strike);
/* third (count x count): derivative of its second derivatives along w */
void ac_strike_third(const ac_meeting *m, const ac_strike *strike, const double *w, double *third);

/* Rates of a function at a junction, weighted and added: grad s . (sum behind_k v_k + before S v_N). */
typedef struct ac_rate_sum {
    double behind[AC_BEHIND_MOST], before;
} ac_rate_sum;
double ac_rate_sum_value(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum);
/* The velocity of the coordinates of which this sum is the rate. */
double ac_rate_sum_velocity(const ac_meeting *m, ac_rate_sum sum, int coordinate);
/* Derivatives by local coordinate g at the start and at the end, and by rate g (of a freedom alone). */
typedef struct ac_rate_slope {
    double yb, w[AC_BEHIND_MOST], ya, wa;
} ac_rate_slope;
ac_rate_slope ac_rate_sum_slope(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, int g);

/* A row of rates: sums with fixed weights, times unknowns, plus a number. */
enum { AC_RATE_TERMS = 2, AC_RATE_WEIGHTS = 2 };
typedef struct ac_rate_term {
    ac_rate_sum sum;
    int weight[AC_RATE_WEIGHTS]; /* unknowns; -1: one */
} ac_rate_term;
typedef struct ac_rate_row {
    int strike; /* number of the function */
    int count;
    ac_rate_term term[AC_RATE_TERMS];
    double add;
    int weight[AC_RATE_WEIGHTS]; /* all unknowns that are weights; -1: fewer */
} ac_rate_row;
/* Row k of the junction's rows of rates. */
ac_rate_row ac_rate_row_of(const ac_meeting *m, int k);
/* The sum at the present weights, or its derivative by one or two of them (-1: none). */
ac_rate_sum ac_rate_row_sum(const ac_optimization *o, const ac_rate_row *row, int by, int and_by);
/* out (W x W) += factor X^T Y */
void ac_meeting_product(const ac_meeting *m, double factor, const double *X, const double *Y, double *out);
/* Workspace behind that of the meeting: n numbers, W x W numbers, n x W numbers. */
double *ac_meeting_vector(const ac_optimization *o, const ac_meeting *m, int k);
double *ac_meeting_square(const ac_optimization *o, const ac_meeting *m, int k);
double *ac_meeting_matrix(const ac_optimization *o, const ac_meeting *m, int k);
enum {
    AC_MEETING_MATRICES = 10,
    AC_MEETING_VECTORS = 6,
    AC_MORE_MATRICES = 4,
    AC_MORE_VECTORS = 4,
    AC_MORE_SQUARES = 2
};

#endif
