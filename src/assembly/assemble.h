/* What the files of assembly share: assemble.c (configuration and velocity of the start), start_conflict.c (given
 * coordinates that contradict each other), start_rank.c (starts whose motion is not unique) and large_loops.c (the
 * same for many loops).
 */
#ifndef ACTIO_ASSEMBLY_ASSEMBLE_H
#define ACTIO_ASSEMBLY_ASSEMBLE_H

#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "model/slope.h"
#include "tree/loop_rows.h"

typedef struct ac_assembling {
    int m, n; /* closure rows, tree freedoms */
    double *columns, *twists, *J, *g, *delta, *scale, *N, *A, *b, *z, *trial_q;
    double *initial; /* initial configuration: poses where given, else from the joint coordinates */
    double *relations,
        *relation_rates; /* rows of the relations by tree freedoms, and what they should give */
    bool *given;         /* per freedom: it must not move while loops are closed */
    ac_joint_state *trial;
    ac_row_space space;
    double *block;
    int *ints;
    double rank_tolerance;
    bool large; /* instead of J and `space`: */
    ac_loop_rows loops;
    ac_sparse *saddle;
    double *x;
    ac_status status; /* of the sparse systems */
} ac_assembling;

/* Systems with loops and more tree freedoms than this are assembled by sparse matrices. */
enum { AC_ASSEMBLY_DENSE = 400 };

/* Every joint at its given coordinates, or nearest to the initial poses. */
void ac_assembly_guess(ac_system *system);
/* Closes all loops without moving given freedoms (if `frozen`); returns the remaining gap. */
double ac_assembly_close(ac_system *system, ac_assembling *w, bool frozen);
/* Moves freedoms that are not given a little, each attempt further: from the guess to another initial state. */
void ac_assembly_disturb(ac_system *system, ac_assembling *w, int attempt);
/* hints.c: closes the loops, which are closed, on the branch that the hints mean. */
ac_status ac_assembly_follow_hints(ac_system *system, ac_assembling *w);
/* The largest gap that counts as closed. */
double ac_assembly_limit(const ac_system *system);
/* The loops cannot be closed with all given coordinates: the message says which ones contradict each other. */
ac_status ac_assembly_conflict(ac_system *system, ac_assembling *w, double gap);
/* Refuses rates of joints that cannot hold together. */
ac_status ac_assembly_check_rates(const ac_system *system);
/* How many motions the assembled start has beyond those of its neighbours. */
ac_status ac_assembly_extra_motions(ac_system *system, ac_assembling *w);
/* Of a finished system: motions that it would have if equations that depend on others but for a few digits were left out,
 * such as those of axes that are not quite parallel. */
ac_status ac_assembly_almost_moves(ac_system *system, int *motions);

/* start_velocity.c: tree velocities that meet all given velocities, the rates w->delta of joints, and relations, if there are
 * such. */
ac_status ac_system_infer_velocities(ac_system *system, const ac_assembling *w);
/* start_relations.c: rows and rates of the relations at the start; do the velocities meet them? An error if they do not, or if
 * the sums are not what they should be. */
ac_status ac_assembly_relation_rows(ac_system *system, ac_assembling *w);
bool ac_assembly_relations_met(const ac_system *system, const ac_assembling *w);
ac_status ac_assembly_check_relations(ac_system *system, ac_assembling *w);
ac_status ac_assembly_relation_sums(ac_system *system);

/* large_loops.c: the shortest correction w->delta, scaled, with J delta = b; the rank of the loops at the start; velocities. */
ac_status ac_large_create(ac_system *system, ac_assembling *w);
void ac_large_destroy(ac_assembling *w, ac_context *ctx);
ac_status ac_large_correction(ac_system *system, ac_assembling *w, bool frozen);
ac_status ac_large_rank(ac_system *system, ac_assembling *w, int *rank);
ac_status ac_large_velocities(ac_system *system, ac_assembling *w);

/* Scale of each freedom: the inverse of how far the nodes behind it move for a unit of it. */
ac_status ac_assembly_scales(ac_context *ctx, const ac_system *system, const double *columns, double *scale);

/* start_slopes.c: slope->q and slope->v, the derivative of the assembled start; rest lengths that are those of the start.
 * AC_BAD_INPUT, with the reason: the loops cannot follow. */
ac_status ac_start_slopes(ac_system_slope *slope);
/* start_bends.c: the same of a slope of a slope. AC_BAD_INPUT, with the reason: it is not known. */
ac_status ac_start_bends(ac_system_slope *slope);
/* unbent.c: initial poses and velocities of a system whose beams were carried as a whole. */
ac_status ac_unbent_slopes(ac_system_slope *slope);

#endif
