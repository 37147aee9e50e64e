/* Numbers of a system that change in proportion to each other with all parameters, as those of equal elements of a beam do: what is
 * gathered by them is summed up first, and multiplied by derivatives once for each group.
 */
#ifndef ACTIO_ADJOINT_NUMBER_GROUPS_H
#define ACTIO_ADJOINT_NUMBER_GROUPS_H

#include "actio/actio.h"

typedef struct ac_number_slope { /* of a number that varies by a parameter */
    int number, parameter;
    double slope;
} ac_number_slope;

typedef struct ac_number_groups {
    int count;
    int *group;           /* per number */
    double *own;          /* per number: its ratio to the first of its group */
    int *start, *members; /* per group: its numbers; one more */
    double *ratio;        /* per member: to the first of its group */
    int *first;           /* per group: first of the slopes of its first number, and the end in `last` */
    int *last;
} ac_number_groups;

/* slopes: by ascending numbers, then parameters. On failure nothing is kept. */
ac_status ac_number_groups_create(ac_context *ctx, const ac_number_slope *slopes, int slope_count,
                                  int numbers, ac_number_groups *groups);
void ac_number_groups_destroy(ac_context *ctx, ac_number_groups *groups);
/* Are the derivatives of number b those of number a times the ratio, to rounding? `groups` is an ac_number_groups. */
bool ac_number_groups_proportional(void *groups, int a, int b, double ratio);
/* to (per parameter) += slopes^T by */
void ac_number_groups_add(const ac_number_groups *groups, const ac_number_slope *slopes, const double *by,
                          double *to);

#endif
