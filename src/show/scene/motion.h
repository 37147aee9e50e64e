/* What moves in a result: the places and orientations that are recorded over time.
 *
 *   body/NAME/position   3 (2 for planar bodies)     body/NAME/rotation   9, row by row, or director (2)
 *   point/NAME/position  1 to 3
 *   beam/NAME/position   3 n                         beam/NAME/rotation   9 n (may be missing)
 *   beam/NAME/force, beam/NAME/moment, beam/NAME/strain, beam/NAME/curvature
 *                        3 m (may be missing), at m stations along the beam; moment and curvature may be known at
 *                        the m + 1 ends of these stations
 *   beam/NAME/node_force, beam/NAME/node_moment
 *                        3 n (may be missing)
 *   GROUP/NAME/place     3, with GROUP/NAME/force, GROUP/NAME/torque or both: arrows; GROUP is load, spring,
 *                        actuator (a control of optimal control) or reaction
 *
 * A motion is one table with such channels. Poses are handed out as position and unit quaternion.
 */
#ifndef ACTIO_SHOW_SCENE_MOTION_H
#define ACTIO_SHOW_SCENE_MOTION_H

#include "show/scene/sampling.h"

typedef enum ac_mover_kind {
    AC_MOVER_BODY,
    AC_MOVER_PLANAR,
    AC_MOVER_POINT,
    AC_MOVER_BEAM,
    AC_MOVER_ARROW
} ac_mover_kind;

enum { AC_POSE_SIZE = 7, AC_MOVER_NAME_SIZE = 320 };

typedef struct ac_mover {
    ac_mover_kind kind;
    char name[AC_MOVER_NAME_SIZE];
    int position;      /* channel */
    int rotation;      /* channel: rotation, director, or vector of an arrow; -1 when there is none */
    int places;        /* poses per row: 1, or the nodes of a beam */
    bool torque;       /* of an arrow */
    const char *group; /* of an arrow, "" otherwise */
    int stress[4];     /* channels of a beam: ac_stress_names, -1 when there are none */
    int stations;      /* at which these are known */
    int resultants[2]; /* channels of force and moment at the places of a beam, -1 when there are none */
} ac_mover;

typedef struct ac_recorded_motion {
    ac_context *ctx;
    ac_result *result;
    int table;
    int time; /* channel, -1 when there is none */
    ac_mover *movers;
    int count, capacity;
} ac_recorded_motion;

extern const char *const ac_mover_kind_names[];
enum { AC_STRESSES = 4 };
extern const char *const ac_stress_names[AC_STRESSES];

/* Finds what moves in a table; `count` 0 when nothing does. */
ac_status ac_recorded_find(ac_context *ctx, ac_result *result, int table, ac_recorded_motion *motion);
void ac_recorded_free(ac_recorded_motion *motion);
/* The first table in which something moves; AC_BAD_INPUT when there is none. */
ac_status ac_recorded_first(ac_context *ctx, ac_result *result, ac_recorded_motion *motion);
/* Numbers per row that the mover's poses take. */
int ac_mover_size(const ac_mover *mover);
/* Poses (x, y, z, then quaternion x, y, z, w) of the chosen rows: count * places * AC_POSE_SIZE numbers;
 * of an arrow: place and vector, 6 numbers. */
ac_status ac_recorded_poses(const ac_recorded_motion *motion, const ac_mover *mover,
                            const ac_row_choice *choice, double *poses);
/* Force, moment, strain or curvature of a beam in the chosen rows, where it is known: 3 numbers for each
 * station; the mean of both ends where it is known there. */
ac_status ac_recorded_stress(const ac_recorded_motion *motion, const ac_mover *mover, int kind,
                             const ac_row_choice *choice, double *values);
/* The station that stands for the piece between places k and k + 1 of a beam, for every k; `poses` are those
 * of one row. Pieces without length (corners) have none of their own and take the next one. */
void ac_mover_stations(const ac_mover *mover, const double *poses, int *station);
/* The times of the rows, or their numbers where there is no time. */
ac_status ac_recorded_times(const ac_recorded_motion *motion, const ac_row_choice *choice, double *times);

/* The unit quaternion x, y, z, w of a rotation matrix. */
void ac_quaternion_of(const double R[9], double quaternion[4]);

#endif
