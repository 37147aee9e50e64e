/* Reference curves of beams: frames of the nodes along a line, a polyline, an arc, or as given. */
#ifndef ACTIO_IO_BEAM_CURVE_H
#define ACTIO_IO_BEAM_CURVE_H

#include "io/problem_build.h"
#include "io/schema_beams.h"

/* The frames (elements + 1, in the reader's arena) of the beam that an entry describes. */
ac_status ac_beam_frames(ac_builder *builder, const ac_value *entry, const ac_beam_input *input,
                         int *elements, ac_pose **frames);

#endif
