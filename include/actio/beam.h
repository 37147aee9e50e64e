/* Data of a beam: cross-sections with a material, reference curves.
 *
 * An `ac_beam` needs its stiffness and inertia in numbers and one frame for each node. Both follow from what
 * is known of a real beam: its section and material by `ac_beam_section_compute` and
 * `ac_beam_section_values`, the frames by a curve:
 *
 *    ac_beam_section tube = {.shape = AC_BEAM_TUBE, .radius = 0.02, .inner_radius = 0.018};
 *    ac_beam_material steel = {.young = 210e9, .poisson = 0.3, .density = 7850};
 *    ac_curve_shape quarter = {.type = AC_CURVE_ARC, .from = {1, 0, 0}, .axis = {0, 0, 1}, .angle = 1.5};
 *    ac_beam beam = {.name = "bow"};
 *    ac_beam_section_compute(ctx, &tube, steel.poisson);
 *    ac_beam_section_values(ctx, &tube, &steel, &values);
 *    ac_beam_set_values(&beam, &values);
 *    ac_curve_new(ctx, &quarter, &curve);
 *    ac_curve_fill(curve, &beam);
 *    ac_system_add_beam(system, &beam, &first_node);
 *    ac_curve_free(curve);
 */
#ifndef ACTIO_BEAM_H
#define ACTIO_BEAM_H

#include "actio/expression.h"
#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ac_beam_shape {
    AC_BEAM_NO_SHAPE,
    AC_BEAM_RECTANGLE,
    AC_BEAM_CIRCLE,
    AC_BEAM_TUBE,
    AC_BEAM_I_SECTION
} ac_beam_shape;

/* A cross-section, with its centroid at the axis of the beam: the dimensions of its shape, m, and the
 * properties that follow from them. */
typedef struct ac_beam_section {
    ac_beam_shape shape;
    double width, height;        /* rectangle, I-section: along d1, d2 */
    double radius, inner_radius; /* circle, tube */
    double web, flange;          /* I-section: thicknesses */
    double area;
    double moment[2];       /* about d1 (integral of x2^2) and d2 (integral of x1^2) */
    double torsion;         /* Saint-Venant's torsion constant */
    double shear_factor[2]; /* along d1, d2 */
} ac_beam_section;

typedef struct ac_beam_material {
    double young;   /* Young's modulus, Pa */
    double poisson; /* Poisson's ratio */
    double shear;   /* modulus, Pa; 0: young / (2 (1 + poisson)) */
    double density; /* kg/m^3 */
} ac_beam_material;

/* Computes the properties from the shape, its dimensions and Poisson's ratio, on which the shear factors of
 * circle and tube depend. */
AC_API ac_status ac_beam_section_compute(ac_context *ctx, ac_beam_section *section, double poisson);
/* Stiffness and inertia of a beam of that section and material. The properties may come from elsewhere than
 * `ac_beam_section_compute`, then the shape is AC_BEAM_NO_SHAPE; any of them may be changed before. */
AC_API ac_status ac_beam_section_values(ac_context *ctx, const ac_beam_section *section,
                                        const ac_beam_material *material, ac_beam_values *values);
/* Stiffness and inertia of a beam that is the same everywhere. */
AC_API void ac_beam_set_values(ac_beam *beam, const ac_beam_values *values);

/* Energies per length that are given as functions.
 *    of strains   W(u1, u2, u3, v1, v2, v3, s) instead of the quadratic energy, J/m: u is the curvature beyond that without
 *                 stress (bending about d1 and d2, twist), v1 and v2 shear, v3 stretch (1 without stress)
 *    of place     U(x, y, z, s) beside it, J/m, of the place of the axis
 * s is the length from the start, m. Stiffness of the beam then only scales and damps; it should be that of W without
 * strain. */
typedef enum ac_beam_energy { AC_BEAM_OF_STRAINS, AC_BEAM_OF_PLACE } ac_beam_energy;

/* Compiles the text of such an energy; see ac_expression_parse. The caller frees it. */
AC_API ac_status ac_beam_energy_parse(ac_context *ctx, ac_beam_energy kind, const char *text,
                                      ac_constant_lookup lookup, void *user, int *column,
                                      ac_expression **expression);
/* Second derivatives of an energy of strains without strain, at the length s: GA_1, GA_2, EA, EI_1, EI_2, GJ. Fails if one
 * of them is not positive. */
AC_API ac_status ac_beam_energy_stiffness(ac_context *ctx, const ac_expression *energy, double s,
                                          double stiffness[6]);
/* Gives a beam of the system (from 0 on) such an energy. The expression is copied. Energies of strains are for the director
 * and the vertex model. */
AC_API ac_status ac_system_add_beam_energy(ac_system *system, int beam, ac_beam_energy kind,
                                           const ac_expression *expression);

typedef enum ac_curve_type {
    AC_CURVE_STRAIGHT,
    AC_CURVE_POLYLINE,
    AC_CURVE_ARC,
    AC_CURVE_SPLINE,
    AC_CURVE_FRAMES
} ac_curve_type;

/* A reference curve and how it is divided. Each type takes the fields that are named with it:
 *    straight   from, to
 *    polyline   places; sharp corners unless `smooth_corners`, smooth ones in the edge model
 *    arc        from, centre, axis, angle: counter-clockwise about the axis, at most a full turn
 *    spline     frames (two), length: a cubic between two frames whose d3 are its tangents there
 *    frames     frames: of the places where elements end (order 2: and of their middles)
 * In a straight line, a polyline and an arc the frames have d3 along the curve; they begin with d1 and are
 * carried along without twist. Elements have equal lengths, those of a polyline as far as its pieces let
 * them. */
typedef struct ac_curve_shape {
    ac_curve_type type;
    ac_beam_model model;
    int order;    /* of the elements, 1 or 2; 0 means 1 */
    int elements; /* 0: 20 of order 1, 10 of order 2; of given frames as many as follow from their number */
    double from[3], to[3];
    double centre[3], axis[3], angle;
    const double (*places)[3];
    const ac_pose *frames;
    int count;     /* of places or frames */
    double length; /* of the spline's tangents; 0: the distance of its ends */
    /* First director at the start, made perpendicular to the curve; zero: the coordinate axis farthest
     * from it. */
    double d1[3];
    bool smooth_corners;
    bool any_direction; /* d3 of given frames need not point along the beam */
} ac_curve_shape;

/* Frames of all nodes of a beam along a curve. */
typedef struct ac_curve ac_curve;

AC_API ac_status ac_curve_new(ac_context *ctx, const ac_curve_shape *shape, ac_curve **curve);
AC_API void ac_curve_free(ac_curve *curve);

/* Gives the beam its model, order, elements, frames and corners. The curve keeps what they point to: it is
 * freed after the beam is added. */
AC_API void ac_curve_fill(const ac_curve *curve, ac_beam *beam);
/* How many nodes the beam has. */
AC_API int ac_curve_nodes(const ac_curve *curve);
/* The frame of a node, from 0 on. */
AC_API ac_pose ac_curve_frame(const ac_curve *curve, int node);
/* The node after `piece` pieces from the start, elements x order to the end; at a sharp corner the first
 * one of the two. -1 when there is none. Numbers of nodes count from the first one of the beam. */
AC_API int ac_curve_node(const ac_curve *curve, int piece);
/* The node at an inner place of a polyline, from 1 on; -1 when there is none. */
AC_API int ac_curve_corner(const ac_curve *curve, int number);

#ifdef __cplusplus
}
#endif
#endif
