/* J = G_closure P_tree by rows, sparse, and which of its rows are independent: for systems with many loops.
 *
 * A loop is closed by the motion of its own joints: a row of J has entries from both bodies that it joins up to where
 * their branches of the tree meet. Beyond that a common motion moves both alike and changes no row of a closed loop.
 */
#ifndef ACTIO_TREE_LOOP_ROWS_H
#define ACTIO_TREE_LOOP_ROWS_H

#include "linalg/row_choice.h"
#include "tree/kinematics.h"

/* Loops in systems with more tree freedoms than this are treated by sparse matrices. */
enum { AC_DENSE_FREEDOMS = 150 };

typedef struct ac_loop_rows {
    ac_context *ctx;
    const ac_system *system;
    int *start, *column; /* of every closure row */
    double *value;
    int *meeting; /* per closure row: the node where its branches meet, or the ground */
    ac_joint_state *state;
    double *columns; /* joint twists */
    ac_row_choice choice;
} ac_loop_rows;

ac_status ac_loop_rows_create(ac_context *ctx, const ac_system *system, ac_loop_rows *rows);
void ac_loop_rows_destroy(ac_loop_rows *rows);
/* The values at q, for the joint twists there. */
void ac_loop_rows_evaluate(ac_loop_rows *rows, const double *columns, const double *q);
/* Evaluates at q and finds the rows that the others imply: choice.dependent, choice.rank. */
ac_status ac_loop_rows_choose(ac_loop_rows *rows, const double *q, double tolerance);

#endif
