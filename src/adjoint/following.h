/* The value of an objective along a motion that is simulated elsewhere, interval by interval; no derivatives. */
#ifndef ACTIO_ADJOINT_FOLLOWING_H
#define ACTIO_ADJOINT_FOLLOWING_H

#include "adjoint/objective.h"

typedef struct ac_following {
    ac_adjoint *adjoint; /* follows angles and times, sweeps nothing; NULL: not open */
    ac_objective_functional objective;
    double value;
    double t[2], h; /* of the interval */
    double *escort; /* at its two ends */
} ac_following;

/* `until`: the end of the motion. */
ac_status ac_following_open(ac_optimization *o, double until, ac_following *following);
void ac_following_close(ac_following *following);
/* Begins at the first node; goes on by an interval from a to b, whose windings are those at b. p: momentum. */
void ac_following_begin(ac_following *following, const double *q, const double *p, const double *winding);
void ac_following_pass(ac_following *following, double t, double h, const double *a, const double *b,
                       const double *winding);
/* The last node is b; the value. */
ac_status ac_following_end(ac_following *following, const double *b, const double *p, double *value);

/* What it knows between two intervals, to go on from there. */
size_t ac_following_bytes(const ac_following *following);
void ac_following_save(const ac_following *following, unsigned char *bytes);
void ac_following_load(ac_following *following, const unsigned char *bytes);

#endif
