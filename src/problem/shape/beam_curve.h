/* Reference curves of beams, as problem files describe them. */
#ifndef ACTIO_PROBLEM_SHAPE_BEAM_CURVE_H
#define ACTIO_PROBLEM_SHAPE_BEAM_CURVE_H

#include "problem/build/build.h"
#include "problem/keys/schema_beams.h"
#include "model/beam/curve.h"

/* What the curve of a beam is made of, with numbers that can be set. */
typedef struct ac_drawn_curve {
    ac_curve_shape shape; /* has the places and frames below */
    double (*places)[3];
    ac_pose *frames;
    bool depends;                   /* on parameters whose values are set */
    bool turns;                     /* and frames with it, not the places alone */
    ac_num *numbers;                /* what it is made of, where it depends (model/beam/curve.h); else NULL */
    ac_num (*poses)[AC_CURVE_POSE]; /* then of all its nodes */
} ac_drawn_curve;

/* A place and a frame, by rotation or directors. */
ac_status ac_read_frame(ac_builder *builder, const ac_value *entry, ac_pose *pose);
/* The curve of the beam that an entry describes, freed by ac_curve_free; what it is made of is kept by the builder. */
ac_status ac_beam_curve(ac_builder *builder, const ac_value *entry, const ac_beam_input *input,
                        ac_drawn_curve **drawn, ac_curve **curve);
/* Every number that a curve is made of, k = 0, 1, ..; NULL: there are no more. */
double *ac_drawn_number(ac_drawn_curve *drawn, int k);
/* What of the curve of the beam that was added last depends on parameters whose values are set. */
ac_status ac_depend_curve(ac_builder *builder, const ac_beam_input *input);

#endif
