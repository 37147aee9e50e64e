/* The mechanisms that tests of formulations, schemes and memory run through. */
#ifndef ACTIO_TESTS_SUPPORT_MECHANISMS_H
#define ACTIO_TESTS_SUPPORT_MECHANISMS_H

#include "support/rig.h"

typedef struct mechanism {
    const char *name;
    void (*draw)(rig *r); /* everything but rig_finish */
    double h;             /* a step that suits it */
    bool free_base;       /* nothing holds it, and no force acts from outside */
    bool conservative;    /* no dampers and no loads */
} mechanism;

extern const mechanism mechanisms[];
extern const int mechanism_count;

const mechanism *mechanism_named(const char *name);

/* Lengths of a four-bar in the (x, y) plane: ground from the origin along x, crank at the origin at `angle`,
 * the elbow of coupler and rocker above (+1) or below (-1) the diagonal. */
typedef struct four_bar {
    double crank, coupler, rocker, base, angle, branch;
} four_bar;

/* Ends of the bars: p[0] origin, p[1] crank end, p[2] rocker end, p[3] ground pivot. */
void four_bar_points(const four_bar *bar, double p[4][3]);
void draw_four_bar(rig *r, const four_bar *bar);        /* rigid bodies in space: three redundant equations */
void draw_planar_four_bar(rig *r, const four_bar *bar); /* planar bodies */

#endif
