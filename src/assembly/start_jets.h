/* Poses with derivatives by time and by two changes of data: what second derivatives of the start are made of.
 *
 * Each set of directions has a coefficient, and a product distributes every set over its factors. The velocity is the coefficient of time.
 */
#ifndef ACTIO_ASSEMBLY_START_JETS_H
#define ACTIO_ASSEMBLY_START_JETS_H

#include "assembly/assemble.h"

/* Sets of directions as bits: time, and the changes `of` and `along` of a slope of a slope. */
enum { AC_BEND_TIME = 1, AC_BEND_OF = 2, AC_BEND_ALONG = 4, AC_BEND_LEVELS = 8 };

typedef struct ac_bend_vector {
    double at[AC_BEND_LEVELS][3];
} ac_bend_vector;

typedef struct ac_bend_matrix {
    double at[AC_BEND_LEVELS][9];
} ac_bend_matrix;

typedef struct ac_bend_pose {
    ac_bend_vector x;
    ac_bend_matrix R;
} ac_bend_pose;

void ac_bend_multiply(const ac_bend_matrix *A, const ac_bend_matrix *B, ac_bend_matrix *out);
void ac_bend_apply(const ac_bend_matrix *A, const ac_bend_vector *x, ac_bend_vector *out);
void ac_bend_compose(const ac_bend_pose *a, const ac_bend_pose *b, ac_bend_pose *out);
void ac_bend_invert(ac_bend_pose *a);
/* exp of a rotation vector. */
void ac_bend_exponential(const ac_bend_vector *w, ac_bend_matrix *out);
/* out <- (1 + time [spin]) exp(turn) R */
void ac_bend_turned(const ac_bend_vector *turn, const ac_bend_vector *spin, const double R[9],
                    ac_bend_matrix *out);

/* The coefficient of a set of directions of a map of coordinates that have n numbers for each set; `at`: their places, NULL: as they
 * are. */
double ac_bend_map(const ac_forms *forms, int map, const int *at, const double *q, int n, int level);
/* The slope whose members are the coefficients of a set without time; NULL: of the data themselves. */
const ac_system_slope *ac_bend_slope(const ac_system_slope *slope, int level);

/* Coordinates of a node from its pose, n per level. */
void ac_bend_coordinates(const ac_system *system, int node, const ac_bend_pose *pose, double *q);

/* Increments of the freedoms of the tree beside the assembled state, with their derivatives, and which of them loops determine:
 * [0] as configurations, [1] as velocities. */
typedef struct ac_bend_loops {
    int m, n;                            /* closure rows, tree freedoms */
    double (*increment)[AC_BEND_LEVELS]; /* per freedom */
    bool *unknown[2];
    bool rests; /* nothing moves at the start, whatever the data */
} ac_bend_loops;

/* start_bends.c: all poses with the present increments, and their coordinates, n per level. */
ac_status ac_bend_nodes(const ac_system_slope *slope, const ac_bend_loops *loops, ac_bend_pose *poses,
                        double *q);
/* The same with loops, where there are some. */
ac_status ac_bend_start(const ac_system_slope *slope, ac_bend_pose *poses, double *q);
/* unbent.c: poses of a system whose beams were carried as a whole; their curves stay. */
ac_status ac_unbent_bends(const ac_system_slope *slope, ac_bend_pose *poses);
/* start_bend_loops.c: increments for which loops stay closed. AC_BAD_INPUT, with the reason: they are not determined. */
ac_status ac_bend_loops_close(const ac_system_slope *slope, ac_bend_loops *loops, ac_bend_pose *poses,
                              double *q);
void ac_bend_loops_free(ac_context *ctx, ac_bend_loops *loops);
/* Is a joint moved by increments beside its assembled state, instead of by the coordinates that it is given? */
bool ac_bend_is_based(const ac_system_slope *slope, const ac_bend_loops *loops, const ac_node *node);

#endif
