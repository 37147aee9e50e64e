/* Cross-sections of beams: areas, second moments, torsion constants, shear factors from shapes. */
#ifndef ACTIO_IO_BEAM_SECTION_H
#define ACTIO_IO_BEAM_SECTION_H

typedef enum ac_beam_shape {
    AC_BEAM_NO_SHAPE,
    AC_BEAM_RECTANGLE,
    AC_BEAM_CIRCLE,
    AC_BEAM_TUBE,
    AC_BEAM_I_SECTION
} ac_beam_shape;

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

/* Computes the properties from the shape and Poisson's ratio. */
void ac_beam_section_compute(ac_beam_section *section, double poisson);

#endif
