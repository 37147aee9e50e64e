/* Reference curves of beams: frames of the nodes along a line, a polyline, an arc, or as given. */
#ifndef ACTIO_IO_BEAM_CURVE_H
#define ACTIO_IO_BEAM_CURVE_H

#include "io/problem_build.h"
#include "io/schema_beams.h"

typedef struct ac_curve {
    int order, elements;
    int nodes;       /* elements x order + 1, and one more for each sharp corner */
    ac_pose *frames; /* of the nodes, in the reader's arena */
    int *corners;    /* nodes at which a sharp corner is */
    int corner_count;
    int *inner; /* nodes at the inner places of a polyline */
    int inner_count;
    double *ends; /* shares of the length at which elements end */
} ac_curve;

/* The curve of the beam that an entry describes. */
ac_status ac_beam_curve(ac_builder *builder, const ac_value *entry, const ac_beam_input *input,
                        ac_curve *curve);
/* The node at the end of `place` pieces of elements, the first one of a corner. */
int ac_curve_node(const ac_curve *curve, int place);

#endif
