/* The surface of a beam: its cross-section swept along its places. Every point of the mesh belongs to one
 * place (its ring) and is given in the frame of that place, so that a motion of the places deforms the
 * whole. */
#ifndef ACTIO_SHOW_SCENE_SWEEP_H
#define ACTIO_SHOW_SCENE_SWEEP_H

#include "show/scene/mesh.h"

typedef enum ac_outline_shape {
    AC_OUTLINE_ROUND,
    AC_OUTLINE_RECTANGLE,
    AC_OUTLINE_I_SECTION
} ac_outline_shape;

/* A cross-section in the plane of the first two directors: width along d1, height along d2. */
typedef struct ac_outline {
    ac_outline_shape shape;
    double width, height, web, flange; /* of rectangles and I-sections */
    double radius, inner_radius;       /* of round ones */
} ac_outline;

typedef struct ac_swept_surface {
    ac_mesh mesh;
    int *ring; /* of each point */
    int *cell; /* of each triangle: between the rings cell and cell + 1 */
    int ring_capacity, cell_capacity;
} ac_swept_surface;

/* Sweeps the outlines of `rings` places (at least two), with both ends closed. Their dimensions may differ
 * from place to place; where their shapes do, all have the first one. */
ac_status ac_swept_surface_make(ac_context *ctx, const ac_outline *outlines, int rings,
                                ac_swept_surface *sweep);
void ac_swept_surface_free(ac_swept_surface *sweep);

#endif
