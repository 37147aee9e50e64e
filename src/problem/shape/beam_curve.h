/* Reference curves of beams, as problem files describe them. */
#ifndef ACTIO_PROBLEM_SHAPE_BEAM_CURVE_H
#define ACTIO_PROBLEM_SHAPE_BEAM_CURVE_H

#include "problem/build/build.h"
#include "problem/keys/schema_beams.h"
#include "model/beam/curve.h"

/* The curve of the beam that an entry describes, freed by ac_curve_free. */
/* A place and a frame, by rotation or directors. */
ac_status ac_read_frame(ac_builder *builder, const ac_value *entry, ac_pose *pose);
ac_status ac_beam_curve(ac_builder *builder, const ac_value *entry, const ac_beam_input *input,
                        ac_curve **curve);

#endif
