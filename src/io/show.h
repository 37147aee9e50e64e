/* What other programs draw of a result: parts with a surface, and where each part is at every chosen moment.
 *
 * Bodies and points are rigid parts. Distance joints, springs and pieces of beams are bars of length 1 along
 * z, stretched between two places.
 */
#ifndef ACTIO_IO_SHOW_H
#define ACTIO_IO_SHOW_H

#include "io/mesh.h"
#include "io/motion.h"
#include "io/scene_read.h"

typedef struct ac_show_part {
    const char *name;
    ac_mesh mesh;
    int colour;      /* number in the palette; -1: of links */
    bool stretched;  /* a bar; then the scale along z is its length */
    double *poses;   /* frames x AC_POSE_SIZE */
    double *lengths; /* frames, for bars */
} ac_show_part;

typedef struct ac_show {
    ac_context *ctx;
    ac_motion motion;
    ac_scene scene;
    ac_row_choice choice;
    double *times;
    double size, mark; /* of the whole motion, and of small things in it; m */
    ac_show_part *parts;
    int count, capacity;
    double up[3]; /* against gravity */
} ac_show;

/* Gathers everything for at most `limit` moments of the window. */
ac_status ac_show_make(ac_context *ctx, ac_result *result, const ac_report_window *window, long limit,
                       ac_show *show);
void ac_show_free(ac_show *show);

/* Position and directions of a pose: out = R x + r for a point, R x for a normal (place false). */
void ac_pose_apply(const double pose[AC_POSE_SIZE], const double x[3], bool place, double out[3]);

extern const unsigned ac_show_palette[];
enum { AC_SHOW_COLOURS = 8 };
extern const unsigned ac_show_link_colour;

#endif
