/* Reference curves of beams inside the library: their parts, and whom a message is about. */
#ifndef ACTIO_MODEL_BEAM_CURVE_H
#define ACTIO_MODEL_BEAM_CURVE_H

#include "actio/beam.h"
#include "base/base.h"
#include "base/number/graph.h"

enum { AC_BEAM_ELEMENTS_MAX = 1000000 };

struct ac_curve {
    ac_context *ctx;
    ac_beam_model model;
    int order, elements; /* edge model: edges */
    int places;          /* elements x order + 1, and one more for each sharp corner */
    int nodes;           /* the same, and one more in the edge model */
    ac_pose *frames;     /* of the nodes */
    int *corners;        /* places at which a sharp corner is */
    int corner_count;
    int *inner; /* places at the inner places of a polyline */
    int inner_count;
    double *ends; /* shares of the length at which elements end */
};

/* The input that a message is about: the curve, one of its places or frames, or another field of its
 * shape. */
typedef enum ac_curve_part {
    AC_CURVE_PART_ITSELF,
    AC_CURVE_PART_ENTRY,
    AC_CURVE_PART_D1,
    AC_CURVE_PART_AXIS,
    AC_CURVE_PART_ANGLE,
    AC_CURVE_PART_ORDER,
    AC_CURVE_PART_ELEMENTS
} ac_curve_part;

typedef struct ac_curve_fault {
    ac_curve_part part;
    int entry; /* number of the place or frame */
} ac_curve_fault;

/* A curve while it is laid. */
typedef struct ac_curve_work {
    ac_context *ctx;
    const ac_curve_shape *shape;
    ac_curve *curve;
    ac_curve_fault fault;
} ac_curve_work;

/* As ac_curve_new, and says what a failure is about. */
ac_status ac_curve_lay(ac_context *ctx, const ac_curve_shape *shape, ac_curve_fault *fault, ac_curve **curve);
/* The node of the beam at a place: the edge model has one more behind the first. */
static inline int ac_curve_node_at(const ac_curve *curve, int place)
{
    return place > 0 && curve->model == AC_BEAM_EDGE ? place + 1 : place;
}

/* ac_curve_fail(work, part, entry, format, ...): a message about one of the inputs, AC_BAD_INPUT. */
#define ac_curve_fail(work, about, number, ...) \
    ((work)->fault = (ac_curve_fault){(about), (number)}, ac_fail((work)->ctx, AC_BAD_INPUT, __VA_ARGS__))

/* beam_curve_lines.c: places and tangents, the latter as third columns of the frames */
ac_status ac_curve_lay_straight(ac_curve_work *work);
ac_status ac_curve_lay_arc(ac_curve_work *work);
ac_status ac_curve_lay_polyline(ac_curve_work *work);

/* beam_curve_frames.c: makes frames of tangents; whole frames of their own */
ac_status ac_curve_carry_frames(ac_curve_work *work);
ac_status ac_curve_lay_spline(ac_curve_work *work);
ac_status ac_curve_take_frames(ac_curve_work *work);

/* The numbers that a curve is made of, one after another: those of all curves, then the places of a polyline or whole frames (position,
 * rotation row by row). */
enum {
    AC_CURVE_FROM = 0,
    AC_CURVE_TO = 3,
    AC_CURVE_CENTRE = 6,
    AC_CURVE_AXIS = 9,
    AC_CURVE_ANGLE = 12,
    AC_CURVE_LENGTH = 13,
    AC_CURVE_D1 = 14,
    AC_CURVE_ENTRIES = 17,
    AC_CURVE_POSE = 12
};

/* curve_numbers.c: the frames of all nodes of a curve of this shape, as they follow from its numbers. */
ac_status ac_curve_record(ac_context *ctx, ac_graph *graph, const ac_curve_shape *shape,
                          const ac_num *numbers, ac_num (*frames)[AC_CURVE_POSE]);

/* x <- x / |x|; false when it is zero */
bool ac_curve_normalise(double x[3]);

#endif
