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
 * With nothing new that is held and nothing that bounces the impulses are zero: a smooth connection. Constraints are those that
 * the formulation has as rows: joints that close loops, and in redundant coordinates, where D_0 is the identity, all of them.
 * Their rows at the start of a phase that meets another one follow from the first row here, so they are not posed there. */
#ifndef ACTIO_OPTIMIZE_PHASES_PHASES_H
#define ACTIO_OPTIMIZE_PHASES_PHASES_H

#include "optimize/problem/optimization.h"

typedef struct ac_junction_data {
    int from, to;
    int map_count;
    ac_map_entry *map; /* S */
    double *shift;     /* n: d at the places of nodes; NULL: none */
    double low, high, guess;
    int bounce_count;
    int *bounce;                /* scalars of the next phase */
    double *restitution, *loss; /* loss: not positive where the restitution is known */
    int *lossy;                 /* number among those with a given loss; -1: none of them */
    int lossy_count;
    /* layout, in the unknowns and rows of the whole */
    int length, impulses, impulse_count; /* length: -1 without a shift */
    int strikes;                         /* the impulses and those of constraints behind them */
    int restitutions;                    /* unknown ones, of given losses */
    int places, jumps, bounces, losses;  /* first rows */
} ac_junction_data;

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
    int per_length; /* junction by whose length the objective is divided; -1: none */
    double *work;   /* of junctions */
} ac_phases;

/* The unknown of the whole that unknown i of a phase is. */
int ac_phases_unknown(const ac_optimization *o, int phase, int i);
/* The unknowns of a phase become those of the whole. */
void ac_phases_give_unknowns(ac_optimization *o, int phase);
/* Parameters are shared: all phases have the same ones, and something depends on each. */
ac_status ac_phases_check_parameters(const ac_optimization *o);

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

/* Everything of a junction at the present point; matrices are n x W, row by row, and there are none in redundant
 * coordinates. Local coordinates are the freedoms, then the free parameters: W of them at the start and at the end. */
typedef struct ac_meeting {
    const ac_junction_data *j;
    ac_optimization *a, *b; /* the phase that ends, the one that begins */
    bool charted;
    int n, T, W;                   /* coordinates, freedoms, local coordinates */
    int ya, wa, yb, wb, parameter; /* first unknowns in the whole */
    ac_chart_point end, start;
    /* V: derivative of v by y; D of the end and V mapped by S; times M */
    double *V0, *SD, *SV, *MD0, *MV0, *MSD, *MSV;
    double *VN;
    double *F, *P, *Sv; /* n: gap of the configurations, of the momenta; velocity before, mapped */
    double *v;          /* n: velocity behind */
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
/* Restitution of a quantity that bounces: given, or that of the present point. */
double ac_junction_restitution(const ac_optimization *o, const ac_junction_data *j, int bounce);
void ac_strike_evaluate(const ac_meeting *m, int k, ac_strike *strike);
void ac_bounce_evaluate(const ac_meeting *m, int bounce, ac_strike *strike);
/* third (count x count): derivative of its second derivatives along w */
void ac_strike_third(const ac_meeting *m, const ac_strike *strike, const double *w, double *third);

/* Rates of a function before and behind the junction, weighted and added: grad s . (behind v_0 + before S v_N). Rows of bounces
 * and losses are of this form, and so are their derivatives by restitutions and impulses. */
typedef struct ac_rate_sum {
    double behind, before;
} ac_rate_sum;
double ac_rate_sum_value(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum);
/* Derivatives by local coordinate g at the start and at the end, and by rate g (of a freedom alone). */
typedef struct ac_rate_slope {
    double yb, wb, ya, wa;
} ac_rate_slope;
ac_rate_slope ac_rate_sum_slope(const ac_meeting *m, const ac_strike *strike, ac_rate_sum sum, int g);

/* The second derivatives of the rows of a bounce along mu (NULL: 1) are those of nu times sums of rates whose weights are fixed,
 * and the products of nu times the slopes of a sum with the unknown that is its weight. */
enum { AC_BOUNCE_PARTS = 4 };
typedef struct ac_bounce_part {
    ac_rate_sum sum;
    double nu;
    int weight; /* -1: fixed */
} ac_bounce_part;
int ac_bounce_parts(const ac_optimization *o, const ac_meeting *m, int bounce, const double *mu,
                    ac_bounce_part part[AC_BOUNCE_PARTS]);
/* out (W x W) += factor X^T Y */
void ac_meeting_product(const ac_meeting *m, double factor, const double *X, const double *Y, double *out);
/* Workspace behind that of the meeting: n numbers, W x W numbers, n x W numbers. */
double *ac_meeting_vector(const ac_optimization *o, const ac_meeting *m, int k);
double *ac_meeting_square(const ac_optimization *o, const ac_meeting *m, int k);
double *ac_meeting_matrix(const ac_optimization *o, const ac_meeting *m, int k);
enum {
    AC_MEETING_MATRICES = 8,
    AC_MEETING_VECTORS = 4,
    AC_MORE_MATRICES = 4,
    AC_MORE_VECTORS = 4,
    AC_MORE_SQUARES = 2
};

#endif
