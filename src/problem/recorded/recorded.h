/* A recorded session of a live simulation: what a user did, at which step.
 *
 * Applied in the same order at the same steps it gives the same motion to the last bit, whether it comes from a page or
 * from a problem file. */
#ifndef ACTIO_PROBLEM_RECORDED_RECORDED_H
#define ACTIO_PROBLEM_RECORDED_RECORDED_H

#include "problem/build/build.h"

typedef enum ac_act_kind {
    AC_ACT_SET,     /* a parameter: name; x = value */
    AC_ACT_INPUT,   /* the force or torque in a joint coordinate: name; x = value */
    AC_ACT_GRAB,    /* a point of a node is pulled: x = node, point 3, goal 3 */
    AC_ACT_MOVE,    /* its goal: x = goal 3 */
    AC_ACT_RELEASE, /* it is pulled no more */
    AC_ACT_KINDS
} ac_act_kind;

enum { AC_ACT_NAME = 96, AC_ACT_NUMBERS = 7 };

typedef struct ac_act {
    long step; /* it comes before the step with this number (0: the first) */
    ac_act_kind kind;
    char name[AC_ACT_NAME];
    double x[AC_ACT_NUMBERS];
} ac_act;

typedef struct ac_recorded {
    ac_context *ctx;
    bool given; /* the file is a recording */
    int count, capacity;
    ac_act *acts;
} ac_recorded;

/* The word of a kind, whether a name follows and how many numbers; NULL: no such kind. */
const char *ac_act_word(int kind, bool *named, int *numbers);
/* The list `events` of the task simulate. */
ac_status ac_read_acts(ac_builder *builder, const ac_value *list, ac_recorded *recorded);
void ac_recorded_clear(ac_recorded *recorded);

#endif
