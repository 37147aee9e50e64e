/* Relations of joint coordinates in a step: further constraint rows, the forces that hold them, the work of what drives. */
#ifndef ACTIO_INTEGRATE_RELATIONS_H
#define ACTIO_INTEGRATE_RELATIONS_H

#include "action/momentum.h"
#include "integrate/stepper.h"

typedef struct ac_relations {
    ac_stepper *stepper;
    double *base;    /* per measure: its value at q_a, angles without full turns */
    double *change;  /* per relation: how far it goes on the interval */
    double *missed;  /* ... and by how much rounding left it beyond that on the interval before */
    double *impulse; /* ... what holds it at the node q_a of the solved interval, N s or N m s */
    double *last;    /* ... and at a node that no interval follows */
    double *
        work; /* ... what it has done at the nodes before q_a; in schemes at the mean on the intervals before */
    double *now; /* ... and at q_a, or on the solved interval */
    double *lambda, *gradient, *twists;
    double *moved, *S, *wanted, *space; /* of the projection */
    int *ints;
} ac_relations;

/* Makes the rows of a system that has relations. */
ac_status ac_relations_create(ac_stepper *stepper);
void ac_relations_destroy(ac_stepper *stepper);
void ac_relations_restart(ac_stepper *stepper);
/* Refuses a position that jumps on the interval. */
ac_status ac_relations_look(ac_stepper *stepper);
/* What the rows want at the end of the interval of the stepper, which may be a part of its step. */
void ac_relations_begin(ac_stepper *stepper);
/* The interval is solved: forces and work at its left node. */
void ac_relations_solved(ac_stepper *stepper);
void ac_relations_accept(ac_stepper *stepper);

/* The force (or torque) on the sum of a relation at the left node, or at the last one. */
double ac_relations_force(const ac_stepper *stepper, int relation, bool last);
/* Work of what is prescribed from the start to the left node, or to the last one. */
double ac_relations_work(const ac_stepper *stepper, bool last);
/* f <- f without what relations carry of p + left = G^T lambda (of p - p+ at the last node), times `factor`. */
void ac_relations_take_off(const ac_stepper *stepper, const double *q, bool last, double factor, double *f);
/* p <- the nearest momentum with the rates that relations have at the time t; finds the forces of the last node. */
ac_status ac_relations_project(ac_stepper *stepper, ac_legendre *legendre, const double *q, double t,
                               double *p);
/* What is prescribed on the interval, in words, for messages; false: nothing is. */
bool ac_relations_trouble(const ac_stepper *stepper, char *text, size_t size);

/* What a state keeps of them. */
size_t ac_relations_history(const ac_stepper *stepper);
void ac_relations_save(const ac_stepper *stepper, bool solved, double *at);
void ac_relations_load(ac_stepper *stepper, const double *at);

#endif
