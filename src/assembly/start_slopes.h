/* What the files of the derivative of the start share; see start_slopes.c. */
#ifndef ACTIO_ASSEMBLY_START_SLOPES_H
#define ACTIO_ASSEMBLY_START_SLOPES_H

#include "assembly/assemble.h"
#include "model/slope.h"

/* Nodes move by twists when the parameter changes, joints by increments of their freedoms. */
typedef struct ac_start_pass {
    ac_context *ctx;
    const ac_system *system;
    ac_system_slope *slope;
    int m, n;                       /* closure rows, tree freedoms */
    double *columns;                /* joint twists, 6 per freedom */
    double *xi, *w;                 /* 6 per node; per freedom */
    double *bent;                   /* derivatives of the joint twists */
    double *eta, *eta_slope, *by_u; /* twists of the motion and their derivatives; of its tree velocities */
    double *v, *v_slope;            /* of coordinates */
    double *g;                      /* closure rows */
    ac_forms rows;                  /* derivatives of the closure rows that vary ... */
    int *row;                       /* ... one per closure row: its map, -1: it does not vary */
    bool *fixed;                    /* per freedom: it is given */
    double *scale;
} ac_start_pass;

/* The twist that a node has from its parent. */
void ac_start_carry(const ac_start_pass *pass, const ac_node *node, const double *twists, double carried[6]);
/* How the frame of a side turns in the world: `turn` is that in the node, which moves by the twist xi. */
void ac_start_frame(const ac_start_pass *pass, const ac_side *side, const double turn[3], const double xi[6],
                    double by[3]);
/* Derivative of the world place of a side of a joint: `place` is that of its place in the node. */
void ac_start_side(const ac_start_pass *pass, const ac_side *side, const double place[3], const double xi[6],
                   double by[3]);
/* Derivatives of the closure rows along (q', p): of g, and of the derivative of g along v and v'. */
void ac_start_rows(const ac_start_pass *pass, const double *q_slope, double *out);
void ac_start_row_rates(const ac_start_pass *pass, const double *v, const double *v_slope, double *out);
/* start_velocity_slopes.c: v' at the start. */
ac_status ac_start_velocity_slopes(ac_start_pass *pass);

#endif
