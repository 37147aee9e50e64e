/* What the adjoint is tested with: mechanisms, pairs of bodies for every joint, beams of every kind; and a functional of their motion
 * with all its derivatives. */
#ifndef ACTIO_TESTS_SUPPORT_SUBJECT_H
#define ACTIO_TESTS_SUPPORT_SUBJECT_H

#include "actio/adjoint.h"
#include "actio/problem.h"
#include "support/mechanisms.h"

enum { SUBJECT_MOST = 1000 }; /* coordinates */

/* A system to be differentiated: drawn, or of a problem file. */
typedef struct subject {
    const char *name;
    void (*draw)(rig *r); /* everything but rig_finish; NULL: of the file */
    const char *file;     /* text of a problem file */
    double h;
    bool beam;
    const char *scheme; /* the only one that it has, with the reduced formulation alone; NULL: it has all */
    /* while it is open */
    rig r;
    ac_problem *problem;
} subject;

/* All of them, in the order of mechanisms, joints, beams; NULL: there are no more. */
const subject *subject_number(int k);
const subject *subject_named(const char *name);
bool subject_has(const subject *s, const char *scheme, const char *formulation);

rig *subject_open(subject *s);
void subject_close(subject *s);
ac_status subject_adjoint(subject *s, const char *scheme, const char *formulation, long steps, size_t memory,
                          ac_adjoint **adjoint);

/* A motion that joints allow at the start, as tree velocities (may be NULL) and of the coordinates, divided by its size; 0: by its
 * largest entry, which is then the size. */
void admissible(rig *r, unsigned seed, double *size, double *u, double *v);
/* The start moved along tree velocities. */
void move_start(rig *r, const double *u, double by);

/* J = f(c . q, d . p) with f = x y + x^2/2 + x^3/6 at the last node and at the first, half of it at the fourth;
 * h (y^2 + y^3/3)/2 with y = c . (a + b)/2 on every interval, and of each input h u^2 (1 + y). */
typedef struct functional_data {
    int n, inputs;
    long steps;
    double c[SUBJECT_MOST], d[SUBJECT_MOST];
} functional_data;

ac_functional functional_of(functional_data *f, const ac_adjoint *adjoint, long steps);

double dot(int n, const double *x, const double *y);
/* Sum of absolute values: the size of what may cancel in the product. */
double dot_size(int n, const double *x, const double *y);
void add_to(int n, double factor, const double *x, double *to);

#endif
