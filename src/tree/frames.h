/* Derivatives by the frames of tree joints while the states of the joints are held: what a joint carries moves as a whole.
 *
 * With f, g the turns of the frames of parent and child, and places a, b in their axes, the child and all that it carries
 *   shift by R_p a' - R_c b' + (l'/l) gap,   turn by R_p f about the joint point of the parent and by -R_c g about that of the child,
 * and the gap of a distance joint alone turns by R_p s, with the directions in which it swings. The change q' is a linear or quadratic
 * function of the configuration, of which derivatives of any order along motions follow. */
#ifndef ACTIO_TREE_FRAMES_H
#define ACTIO_TREE_FRAMES_H

#include "tree/kinematics.h"

/* By the joint of a node; of a node that no joint holds `turn[1]` alone, about its reference point. Side 0: the parent's. */
typedef struct ac_frame_pull {
    double place[2][3], turn[2][3];
    double swing[3], length;
} ac_frame_pull;

/* Doubles of workspace. */
static inline size_t ac_tree_frames_doubles(const ac_system *system)
{
    return 6 * (size_t)system->node_count;
}

/* out (per node) += factor f . q'; f . dq' along u; f . d(dq' along u), where q changes by v and u by du. */
void ac_tree_pull_frames(const ac_system *system, const double *q, const double *f, double factor,
                         double *work, ac_frame_pull *out);
void ac_tree_pull_frames_along(const ac_system *system, const double *q, const double *u, const double *f,
                               double factor, double *work, ac_frame_pull *out);
void ac_tree_pull_frames_bent(const ac_system *system, const double *q, const double *u, const double *v,
                              const double *du, const double *f, double factor, double *work,
                              ac_frame_pull *out);

#endif
