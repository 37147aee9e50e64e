/* Numbers with their first two derivatives by the parameters that they depend on.
 *
 * A jet lists its parameters, so that its size is that of what it depends on, however many parameters are free. Jets that
 * are computed from others live in a pool, which is emptied as a whole and keeps its memory: computing the same jets
 * again allocates nothing.
 */
#ifndef ACTIO_ACTION_PARAMETERS_JET_H
#define ACTIO_ACTION_PARAMETERS_JET_H

#include <stdbool.h>

#include "base/base.h"

typedef struct ac_jet {
    double v;
    int count;     /* parameters that it depends on */
    const int *by; /* their numbers, rising */
    double *d;     /* by them */
    double *dd;    /* count x count; NULL: all are zero */
} ac_jet;

/* Memory for jets, in pieces that stay where they are. */
typedef struct ac_jets {
    ac_context *ctx;
    int count, capacity, at; /* pieces, and the one in use */
    struct ac_jet_piece {
        char *memory;
        size_t size, used;
    } * pieces;
    bool failed; /* out of memory: the jets since then are numbers */
} ac_jets;

void ac_jets_reset(ac_jets *pool, ac_context *ctx);
void ac_jets_free(ac_jets *pool);
/* AC_NO_MEMORY when one of the jets since the last reset could not be made. */
ac_status ac_jets_check(const ac_jets *pool);

/* Room for a jet with these parameters; derivatives are zero. */
ac_jet ac_jet_of(ac_jets *pool, double v, const int *by, int count, bool bends);
/* factor_a a + factor_b b */
ac_jet ac_jet_sum(ac_jets *pool, const ac_jet *a, double factor_a, const ac_jet *b, double factor_b);
ac_jet ac_jet_scaled(ac_jets *pool, const ac_jet *a, double factor);
ac_jet ac_jet_product(ac_jets *pool, const ac_jet *a, const ac_jet *b);
ac_jet ac_jet_inverse(ac_jets *pool, const ac_jet *a);
ac_jet ac_jet_root(ac_jets *pool, const ac_jet *a);

/* The place of a parameter in a rising list; -1: it is not there. */
int ac_jet_place(const int *by, int count, int parameter);

#endif
