/* What other programs draw of a result: parts with a surface, and where each part is at every chosen moment.
 *
 * Bodies and points are rigid parts. Distance joints and springs are bars of length 1 along z, stretched
 * between two places. Beams are swept cross-sections: every point of the mesh belongs to a place of the beam
 * and moves with it.
 */
#ifndef ACTIO_SHOW_SCENE_ANIMATION_H
#define ACTIO_SHOW_SCENE_ANIMATION_H

#include "problem/scene/scene.h"
#include "show/scene/mesh.h"
#include "show/scene/motion.h"

typedef struct ac_animation_part {
    const char *name;
    ac_mesh mesh;
    int colour;      /* number in the palette; -1: of links */
    bool stretched;  /* a bar; then the scale along z is its length */
    double *poses;   /* frames x AC_POSE_SIZE */
    double *lengths; /* frames, for bars */
    /* beams */
    int rings;                   /* places; 0: not a beam */
    int *ring, *cell;            /* of the points and triangles of the mesh, as in ac_swept_surface */
    double *ring_poses;          /* frames x rings x AC_POSE_SIZE */
    double *stress[AC_STRESSES]; /* frames x stations x 3; NULL when they are not known */
    int *station, stations;      /* of each cell */
} ac_animation_part;

typedef struct ac_animation {
    ac_context *ctx;
    ac_recorded_motion motion;
    ac_scene scene;
    ac_row_choice choice;
    double *times;
    double size, mark; /* of the whole motion, and of small things in it; m */
    ac_animation_part *parts;
    int count, capacity;
    double up[3]; /* against gravity */
} ac_animation;

/* Gathers everything for at most `limit` moments of the window. */
ac_status ac_animation_make(ac_context *ctx, ac_result *result, const ac_report_window *window, long limit,
                            ac_animation *animation);
void ac_animation_free(ac_animation *animation);

/* A point or normal (place false) k of a part's mesh in the world, at a frame. */
void ac_animation_point(const ac_animation_part *part, long frame, int k, bool place, double out[3]);
/* Position and directions of a pose: out = R x + r for a point, R x for a normal (place false). */
void ac_pose_apply(const double pose[AC_POSE_SIZE], const double x[3], bool place, double out[3]);

extern const unsigned ac_animation_palette[];
enum { AC_ANIMATION_COLOURS = 8 };
extern const unsigned ac_animation_link_colour;

#endif
