/* The shapes of clearances in problem files. */
#ifndef ACTIO_PROBLEM_SHAPE_HULLS_H
#define ACTIO_PROBLEM_SHAPE_HULLS_H

#include "actio/optimize.h"
#include "problem/build/build.h"

extern const ac_section ac_section_hull;

/* What stands for one shape of a clearance: of a whole beam, one capsule for each element. */
typedef struct ac_shapes {
    const char *name; /* of the body or beam */
    ac_hull *list;
    int count;
} ac_shapes;

ac_status ac_read_shapes(ac_builder *builder, const ac_value *list, ac_shapes shapes[2]);
/* A list of two shapes; those that the ground carries are drawn with it. */
ac_status ac_read_clearance(ac_builder *builder, const ac_value *list, ac_quantity *quantity);

#endif
