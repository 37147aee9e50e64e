/* Quantities of the motion: momentum, angular momentum, kinetic, potential and total energy of a row of
 * nodes (one body, one beam, everything). Each is a function of a configuration q, a velocity w and the
 * free parameters p; it is given entry by entry, in an order that does not depend on values, so that sums
 * over many bodies stay sparse. */
#ifndef ACTIO_ACTION_DESCRIBE_BALANCE_H
#define ACTIO_ACTION_DESCRIBE_BALANCE_H

#include "action/describe/numbers.h"

typedef enum ac_balance_kind {
    AC_BALANCE_MOMENTUM, /* e . sum (M w) of the places */
    AC_BALANCE_ANGULAR,  /* e . sum x X (M w) over places and directors */
    AC_BALANCE_KINETIC,  /* w . M w / 2 */
    AC_BALANCE_POTENTIAL,
    AC_BALANCE_ENERGY /* kinetic and potential */
} ac_balance_kind;

typedef struct ac_balance_source {
    ac_balance_kind kind;
    int first, last;   /* nodes */
    int beam;          /* whose strains count; AC_ALL_SPRINGS: these and all springs, AC_NO_SPRINGS: none */
    bool about_centre; /* of an angular momentum: the body's own centre, else `about`, a place of the world */
    double along[3], about[3];
} ac_balance_source;

enum { AC_ALL_SPRINGS = -1, AC_NO_SPRINGS = -2 };

/* By a coordinate (of the parameters behind them too), a velocity, or a parameter that enters by data. */
typedef enum ac_balance_by { AC_BALANCE_BY_Q, AC_BALANCE_BY_W, AC_BALANCE_BY_P } ac_balance_by;

/* Derivatives come in pieces that add up; each pair comes once. Members may be NULL. */
typedef struct ac_balance_sink {
    void *user;
    void (*slope)(void *user, ac_balance_by by, int i, double value);
    void (*curve)(void *user, ac_balance_by by1, int i, ac_balance_by by2, int j, double value);
} ac_balance_sink;

typedef struct ac_balance_point {
    const double *q, *w; /* w may be NULL for a potential */
    const double *measure_windings;
} ac_balance_point;

/* Adds a scalar that only this file evaluates. */
ac_status ac_scalars_add_balance(ac_scalars *set, const ac_balance_source *source, int *number);

static inline bool ac_balance_moves(const ac_balance_source *source)
{
    return source->kind != AC_BALANCE_POTENTIAL;
}

double ac_balance_evaluate(const ac_balance_source *source, const ac_discrete *discrete,
                           const ac_balance_point *point, const ac_balance_sink *sink);
/* balance_numbers.c: derivative along changes of the numbers that vary (one slope per key). */
double ac_balance_by_numbers(const ac_balance_source *source, const ac_discrete *discrete,
                             const ac_balance_point *point, const ac_varying *varying, const double *slopes);
/* The same at a momentum p that need not be M w; w is M^-1 p, needed for kinetic energies only. */
double ac_balance_of_momentum(const ac_balance_source *source, const ac_discrete *discrete,
                              const ac_balance_point *point, const double *p);

#endif
