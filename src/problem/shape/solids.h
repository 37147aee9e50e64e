/* Solids of uniform density: mass properties and named points.
 *
 * Each solid has its own frame: z is its axis; rods, cylinders, double cones start at the origin, cones and
 * pyramids have their base there, boxes, spheres and discs are centred there. */
#ifndef ACTIO_PROBLEM_SHAPE_SOLIDS_H
#define ACTIO_PROBLEM_SHAPE_SOLIDS_H

#include <stdbool.h>

#include "actio/model.h"
#include "base/number/graph.h"

typedef enum ac_shape {
    AC_SHAPE_BOX,
    AC_SHAPE_SPHERE,
    AC_SHAPE_CYLINDER,
    AC_SHAPE_CONE,
    AC_SHAPE_DOUBLE_CONE,
    AC_SHAPE_PYRAMID,
    AC_SHAPE_TETRAHEDRON,
    AC_SHAPE_ROD,
    AC_SHAPE_DISC
} ac_shape;

typedef struct ac_solid ac_solid;
struct ac_solid {
    ac_shape shape;
    const char *name; /* NULL when it has none */
    double size[3];   /* box */
    double radius, inner_radius;
    double length;        /* rod, cylinder, cone; half of a double cone; height of a pyramid */
    double edge;          /* pyramid */
    double corners[4][3]; /* tetrahedron */
    double mass;
    ac_pose pose;           /* of its frame in the body frame */
    ac_solid *next;         /* the next solid of the same body */
    struct ac_sizes *sizes; /* that depend on free parameters; NULL: none does */
};

typedef struct ac_mass_properties {
    double mass;
    double centre[3];
    double inertia[9]; /* about the centre */
} ac_mass_properties;

/* Sizes of a solid that may depend on parameters, with the meaning that they have in ac_solid. */
typedef struct ac_sizes {
    ac_num mass, size[3], radius, inner_radius, length, edge;
    ac_num position[3], rotation[9]; /* of its frame in the body frame */
    ac_num corners[4][3];
} ac_sizes;

/* The formulas of all solids but the tetrahedron. */
ac_num ac_volume_formula(ac_graph *s, ac_shape shape, const ac_sizes *sizes);
/* Height of the centre on the axis and the three moments about it, in the solid's own frame. */
void ac_inertia_formula(ac_graph *s, ac_shape shape, const ac_sizes *sizes, ac_num *height,
                        ac_num moments[3]);

/* The named points of all solids but the tetrahedron, k = 0, 1, ..., in the solid's own frame; false after the last. */
bool ac_point_formula(ac_graph *s, ac_shape shape, const ac_sizes *sizes, int k, const char **name,
                      ac_num place[3]);

/* Volume; 0 for rods and discs. */
double ac_solid_volume(const ac_solid *solid);
/* Mass, centre and inertia in the solid's own frame. */
ac_mass_properties ac_solid_properties(const ac_solid *solid);
/* The named points, k = 0, 1, ...; false after the last. `place` is in the solid's own frame. */
bool ac_solid_point(const ac_solid *solid, int k, const char **name, double place[3]);

/* The properties of a part seen from a frame in which the part has the given pose. */
ac_mass_properties ac_mass_moved(const ac_mass_properties *part, const ac_pose *pose);
/* total = total + part (parallel axis theorem) */
void ac_mass_add(ac_mass_properties *total, const ac_mass_properties *part);

/* Eigenvalues (largest first) and right-handed eigenvectors (columns) of a symmetric 3 x 3 matrix. */
void ac_principal_axes(const double matrix[9], double moments[3], double axes[9]);

#endif
