/* All joints, each as a row of elementary motions that lead from the joint frame of side a to that of side b.
 *
 *   shift  along an axis of the frame reached so far         turn   about such an axis
 *   ball   turn about any axis                               swing  on a sphere of the joint's length
 *
 * Shifts (or a swing) come first, then turns (or a ball); two turns have different axes. A motion with a name
 * is a coordinate of the joint. A ball with a name counts as three, its rotation vector, and stands alone; behind shifts or a swing it
 * has no name. Freedoms, constraint rows, tangents, retractions, measures, the keys of the problem file and their
 * documentation follow from a line of this table.
 *
 *   JOINT(type, name, description, motions)
 */
#ifndef ACTIO_MODEL_JOINT_ROWS_H
#define ACTIO_MODEL_JOINT_ROWS_H

#define AC_JOINT_ROWS(JOINT)                                                                                \
    JOINT(AC_SPHERICAL, "spherical", "two nodes share a point; coordinates: rotation vector",               \
          AC_ROW_BALL("rotation"))                                                                          \
    JOINT(AC_CYLINDRICAL, "cylindrical", "share a line; coordinates: slide along it, angle about it",       \
          AC_ROW_SHIFT(2, "slide"), AC_ROW_TURN(2, "angle"))                                                \
    JOINT(AC_REVOLUTE, "revolute", "share a line and cannot slide; coordinate: angle",                      \
          AC_ROW_TURN(2, "angle"))                                                                          \
    JOINT(AC_PRISMATIC, "prismatic", "slide along a line without turning; coordinate: slide",               \
          AC_ROW_SHIFT(2, "slide"))                                                                         \
    JOINT(AC_PLANAR, "planar", "a plane of one slides on that of the other; coordinates: x, y, angle",      \
          AC_ROW_SHIFT(0, "x"), AC_ROW_SHIFT(1, "y"), AC_ROW_TURN(2, "angle"))                              \
    JOINT(AC_FIXED, "fixed", "no motion between the two", AC_ROW_NONE)                                      \
    JOINT(AC_DISTANCE, "distance", "two points stay a fixed length apart", AC_ROW_SWING, AC_ROW_BALL(NULL)) \
    JOINT(AC_UNIVERSAL, "universal",                                                                        \
          "share a point, and an axis of one stays perpendicular to an axis of the other (cross of a "      \
          "cardan shaft); coordinates: angle about the axis of the first, second_angle about that of the "  \
          "second",                                                                                         \
          AC_ROW_TURN(2, "angle"), AC_ROW_TURN(0, "second_angle"))

#define AC_ROW_SHIFT(axis, name)    \
    {                               \
        AC_MOTION_SHIFT, axis, name \
    }
#define AC_ROW_TURN(axis, name)    \
    {                              \
        AC_MOTION_TURN, axis, name \
    }
#define AC_ROW_BALL(name)       \
    {                           \
        AC_MOTION_BALL, 0, name \
    }
#define AC_ROW_SWING             \
    {                            \
        AC_MOTION_SWING, 0, NULL \
    }
#define AC_ROW_NONE             \
    {                           \
        AC_MOTION_NONE, 0, NULL \
    }

#endif
