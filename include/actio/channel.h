/* A channel is a named quantity of a result: what a column of a table means. */
#ifndef ACTIO_CHANNEL_H
#define ACTIO_CHANNEL_H

/* Names are paths: "energy/total", "body/crank/position", "joint/hinge/angle". */
typedef struct ac_channel {
    const char *name;
    const char *unit;   /* "m", "J", "N m s", "1" */
    const char *labels; /* of the components, separated by spaces ("x y z"); "" for a single number */
    int width;          /* number of components */
} ac_channel;

#endif
