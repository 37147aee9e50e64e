/* Inside of a state: names of the methods it was taken with, and one block of numbers. */
#ifndef ACTIO_INTEGRATE_STATE_H
#define ACTIO_INTEGRATE_STATE_H

#include "actio/state.h"
#include "integrate/stepper.h"

enum { AC_METHOD_NAME = 24 };

/* What is not numbers of the system; written to files as it is. */
typedef struct ac_state_head {
    char scheme[AC_METHOD_NAME], formulation[AC_METHOD_NAME];
    double h, t;
    double t0; /* t = t0 + step h */
    long step;
    int past; /* increments that are known; AC_PAST_DROPPED, AC_PAST_OTHER: the numbers were put */
    int n, measures;
    size_t history; /* numbers that the formulation keeps ... */
    size_t steps;   /* ... and those of steps of changing length */
    double largest_bend, yielding_bend;
    ac_kink kink;
} ac_state_head;

/* There is no past: the numbers that were put are those of the state, or another configuration or momentum. */
enum { AC_PAST_DROPPED = -1, AC_PAST_OTHER = -2 };

struct ac_state {
    ac_context *ctx;
    ac_state_head head;
    double *numbers; /* q, p, winding, configuration before q, history, steps */
};

/* An empty state with that head. */
ac_status ac_state_create(ac_context *ctx, const ac_state_head *head, ac_state **state);
size_t ac_state_numbers(const ac_state_head *head);

/* The state of the newest node: the right one if the interval is solved. */
ac_status ac_stepper_new_state(ac_context *ctx, ac_stepper *stepper, bool solved, ac_state **state);
ac_status ac_stepper_get_state(ac_stepper *stepper, bool solved, ac_state *state);
/* The state becomes the left node of an interval that is not solved. */
ac_status ac_stepper_set_state(ac_stepper *stepper, const ac_state *state);

/* --- state_steps.c: where the length of steps changes --- */

/* Numbers behind those of the formulation; none where all steps are equal. */
size_t ac_steps_history(const ac_stepper *stepper);
void ac_steps_save(const ac_stepper *stepper, bool solved, double *numbers);
void ac_steps_load(ac_stepper *stepper, const double *numbers);
/* Without a past, or with other methods. `numbers` (NULL: none of these contacts) has closed contacts, which stay closed where the
 * configuration allows it; with another configuration or momentum (`other`) only those that are kept for ever. `known`: so is
 * the energy of the interval before. */
void ac_steps_enter(ac_stepper *stepper, const double *numbers, bool other, bool known);
/* The step of the settings. */
double ac_steps_nominal(const ac_stepper *stepper);
/* The time of the newest node; `regular` where all steps are equal. */
double ac_steps_time(const ac_stepper *stepper, bool solved, double regular);

#endif
