/* The numbers of an interval: every number of a system that enters its discrete equations, by a key, and derivatives by
 * them.
 *
 * Masses, forces of gravity, coefficients of quadratic maps (constraints, elements, inputs), numbers of laws and damping:
 * whatever a parameter of a description does to the motion, it does through these. Two systems of the same kind have the
 * same keys, except that numbers which vanish may be left out. The derivative of the equations along weights by all
 * numbers that vary is one pass over them, however many parameters there are behind them.
 */
#ifndef ACTIO_ACTION_DESCRIBE_NUMBERS_H
#define ACTIO_ACTION_DESCRIBE_NUMBERS_H

#include "action/describe/discrete.h"
#include "model/slope.h"

typedef enum ac_number_kind {
    AC_NUMBER_MASS,       /* i, j: entry of the mass matrix; owner 1: none, see ac_relative_by_mass */
    AC_NUMBER_GRAVITY,    /* i: force on a coordinate */
    AC_NUMBER_CONSTRAINT, /* owner: row; coefficient of x_i x_j, of x_i (j = -1), or the constant (both -1) */
    AC_NUMBER_LAW,        /* owner: part; row: which number */
    AC_NUMBER_DAMPING,    /* owner: part */
    AC_NUMBER_MAP,        /* owner: scalar; row: which of its maps; coefficient as above */
    AC_NUMBER_FUNCTION, /* owner: scalar whose outer function is one of the user; row: which of its numbers (outer.h) */
    AC_NUMBER_INPUT, /* owner: input; row: coordinate on which it acts; coefficient as above */
    AC_NUMBER_KINDS
} ac_number_kind;

typedef struct ac_number_key {
    int kind, owner, row, i, j;
} ac_number_key;

typedef struct ac_number {
    ac_number_key key;
    double value;
} ac_number;

int ac_number_compare(const ac_number_key *a, const ac_number_key *b);
/* Why a system is not of the same kind as another: tree, constraints, loads; NULL: it is. */
const char *ac_systems_mismatch(const ac_system *a, const ac_system *b);
/* number_slopes.c: derivatives of all numbers by one parameter, those of the data of the system being given; a key may come
 * more than once, and counts as the sum. */
typedef ac_status (*ac_number_sink)(void *user, const ac_number_key *key, double slope);
ac_status ac_number_slopes(const ac_discrete *discrete, const ac_system_slope *slope, ac_number_sink sink,
                           void *user);

/* An element of which a number varies: its parts; `looped`: its laws alone, and the numbers of its parts may be found by a loop of
 * their own. A node with masses that vary and an inertia of both ends (action/relative.h): their keys. */
typedef struct ac_varying_element {
    int first, end;
    bool looped;
} ac_varying_element;

typedef struct ac_varying_node {
    int node, first, end;
} ac_varying_node;

/* Numbers that vary, by ascending keys, and where those of each thing begin. */
typedef struct ac_varying {
    int count;
    ac_number_key *keys;
    int first[AC_NUMBER_KINDS + 1];
    /* first key of each part, scalar, input, row, and the end */
    int *law, *damping, *map, *function, *input, *constraint;
    double *
        scale; /* per scalar whose map changes as a whole: 1 / (coefficient of its first key, which stands for all); 0: key by key;
                      NULL: all of them */
    int element_count, node_count;
    ac_varying_element *elements;
    ac_varying_node *nodes;
} ac_varying;

/* Takes over `keys`, also on failure. */
ac_status ac_varying_create(const ac_discrete *discrete, ac_number_key *keys, int count, ac_varying *varying);
void ac_varying_destroy(ac_context *ctx, ac_varying *varying);
/* Finds maps that change as a whole, such as the strains of a beam with its length: `proportional` says whether the derivatives of number b
 * by all parameters are those of number a times the ratio. What is gathered by their first number is then that of all. */
typedef bool (*ac_proportional)(void *user, int a, int b, double ratio);
ac_status ac_varying_find_scales(const ac_discrete *discrete, ac_varying *varying,
                                 ac_proportional proportional, void *user);
/* Does a number of a part vary? Is the number of the part a map itself, which does not vary? */
bool ac_varying_part(const ac_discrete *discrete, const ac_varying *varying, int part);
bool ac_varying_is_plain(const ac_discrete *discrete, const ac_varying *varying, int part);

/* by (one per key) += derivative of wl . left + wr . right. */
void ac_numbers_pull(ac_discrete *discrete, const ac_discrete_point *point, const ac_varying *varying,
                     const double *wl, const double *wr, double *by);
/* numbers_energy.c: by += factor derivative of the energy of the interval, -dL_d/dh; midpoint and trapezoidal. */
void ac_numbers_pull_energy(ac_discrete *discrete, const ac_discrete_point *point, const ac_varying *varying,
                            double factor, double *by);
/* by += factor derivative of w . G(x)^T lambda; of eta . g(x), of rows from `first` on; of w . M v. */
void ac_numbers_pull_forces(const ac_varying *varying, int first, const double *x, const double *lambda,
                            const double *w, double factor, double *by);
void ac_numbers_pull_rows(const ac_varying *varying, int first, const double *x, const double *eta,
                          double factor, double *by);
void ac_numbers_pull_mass(const ac_varying *varying, const double *w, const double *v, double factor,
                          double *by);

/* balance_numbers.c: derivative of a scalar along changes of the numbers of its maps (one slope per key), and its value unless NULL. */
double ac_scalar_by_numbers(const ac_scalars *set, int k, const double *q, double winding,
                            const ac_varying *varying, const double *slopes, double *value);

/* x_i x_j, x_i or 1 */
static inline double ac_number_monomial(const ac_number_key *key, const double *x)
{
    return key->i < 0 ? 1.0 : key->j < 0 ? x[key->i] : x[key->i] * x[key->j];
}

/* Its derivative along w. */
static inline double ac_number_along(const ac_number_key *key, const double *x, const double *w)
{
    if (key->i < 0) return 0.0;
    return key->j < 0 ? w[key->i] : w[key->i] * x[key->j] + x[key->i] * w[key->j];
}

/* The derivative of that along v. */
static inline double ac_number_bent(const ac_number_key *key, const double *v, const double *w)
{
    return key->i < 0 || key->j < 0 ? 0.0 : w[key->i] * v[key->j] + v[key->i] * w[key->j];
}

/* numbers_rows.c: changes of constraints and of the mass matrix along changes of the numbers that vary:
 *   rows     out (rows) += dg(x)                    rates    out (rows) += dG(x) w
 *   forces   out (n) += factor dG(x)^T lambda       bent     out (n) += factor (d/dx) (w . dG(x)^T lambda)
 *   mass     out (n) += factor dM v */
void ac_numbers_rows(const ac_varying *varying, const double *numbers, const double *x, double *out);
void ac_numbers_rates(const ac_varying *varying, const double *numbers, const double *x, const double *w,
                      double *out);
void ac_numbers_forces(const ac_varying *varying, const double *numbers, const double *x,
                       const double *lambda, double factor, double *out);
void ac_numbers_bent(const ac_varying *varying, const double *numbers, const double *lambda, const double *w,
                     double factor, double *out);
void ac_numbers_mass(const ac_varying *varying, const double *numbers, const double *v, double factor,
                     double *out);
/* by += factor derivative by numbers of the change of w . G(x)^T lambda along dx */
void ac_numbers_pull_bent(const ac_varying *varying, const double *lambda, const double *dx, const double *w,
                          double factor, double *by);

/* numbers_bend.c: left, right += their change along changes of the numbers that vary. */
void ac_numbers_along(ac_discrete *discrete, const ac_discrete_point *point, const ac_varying *varying,
                      const double *numbers, double *left, double *right);
/* Second derivatives of wl . left + wr . right along changes of ends and inputs, and of numbers (NULL: none): by numbers all, by
 * ends and inputs what changes of numbers do; the rest is ac_discrete_bend. */
void ac_numbers_bend(ac_discrete *discrete, const ac_discrete_point *point, const ac_varying *varying,
                     const double *wl, const double *wr, const ac_interval_change *change,
                     const double *numbers, const ac_bent *out);

#endif
