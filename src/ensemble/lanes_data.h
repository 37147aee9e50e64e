/* What lanes keep: the bodies and freedoms of the tree in order, parents first, with the numbers of all lanes. */
#ifndef ACTIO_ENSEMBLE_LANES_DATA_H
#define ACTIO_ENSEMBLE_LANES_DATA_H

#include "action/lane/lane_body.h"
#include "ensemble/lanes.h"

enum { LANE_PAST = 3 };

/* A freedom of a joint: a shift, a turn, or one of the three of a ball. */
typedef struct ac_lane_freedom {
    ac_walk_step step;
    int body;
    int axis;        /* of the joint frame */
    int before;      /* the freedom next to it towards the ground; -1: none */
    int in_system;   /* its number there */
    ac_lane unit;    /* of a correction: 1 for turns, one over the typical length for shifts */
    ac_lane weight;  /* of its residual, so that it counts in units of the configuration */
    ac_lane b, from; /* coordinate of a shift or turn at q_b, and before a correction */
    ac_lane increment, past[LANE_PAST];
    ac_lane carried;                /* what rounding left of the last step equation */
    ac_lane pushed, r;              /* loads on it times h/2; its equation */
    ac_lane delta;                  /* correction */
    ac_lane axis_a[3], axis_b[3];   /* direction in the world ... */
    ac_lane twist_a[6], twist_b[6]; /* ... and the velocity about the reference point, with the spin */
} ac_lane_freedom;

typedef struct ac_lane_link {
    int node, parent, root; /* root: the body of this tree that hangs on the ground */
    int first, count;       /* freedoms */
    bool ball;
    ac_lane_body body;
    /* numbers of the systems */
    ac_lane place[3], axes[9];         /* joint frame in the parent ... */
    ac_lane own_place[3], own_axes[9]; /* ... and in the body itself */
    /* both ends of the interval */
    ac_lane turn_b[9], turn_from[9]; /* of a ball */
    ac_lane joint_a[3], joint_b[3];  /* joint points in the world */
    ac_lane reference[3];            /* roots: twists of the tree are about it */
    ac_lane wrench[6];            /* momentum and loads at q_a: force, and moment about the centre of mass */
    ac_lane sum[6];               /* of the residual over the subtree, about the reference point */
    ac_lane slope[AC_LANE_SLOPE]; /* of the subtree */
} ac_lane_link;

/* A load on a freedom (-1: none) or on a body. */
typedef struct ac_lane_push {
    ac_lane_load load;
    int freedom, body;
    double sign;
} ac_lane_push;

struct ac_lanes {
    ac_context *ctx;
    const ac_system *systems[AC_LANES];
    int body_count, freedom_count, load_count;
    ac_lane_link *bodies;
    ac_lane_freedom *freedoms;
    ac_lane_push *loads;
    ac_lane *matrix; /* freedoms x freedoms; only pairs of which one carries the other are used */
    double h, turn_limit, tolerance;
    double most_turned; /* 1 - cos of the limit */
    double near_limit;  /* cosine of a turn that is near the limit */
    ac_lane tight;      /* sum of squares of what cosines are below it */
    int max_iterations;
    long step;
    ac_lane goal;   /* a residual that is small enough */
    ac_lane length; /* typical */
    ac_lane_mask failed;
};

/* From the numbers of the systems to the first step. */
void ac_lanes_restart(ac_lanes *lanes);

#endif
