/* Cross-sections of beams inside the library: without a check at every call, for what changes along a
 * beam. */
#ifndef ACTIO_MODEL_BEAM_SECTION_H
#define ACTIO_MODEL_BEAM_SECTION_H

#include "actio/beam.h"
#include "base/number/graph.h"

/* Sizes of a section, its properties, and what a beam of it resists and weighs, as formulas of parameters or as numbers
 * (g NULL). */
typedef struct ac_section_sizes {
    ac_num width, height, radius, inner_radius, web, flange, poisson;
} ac_section_sizes;

typedef struct ac_section_formula {
    ac_num area, moment[2], torsion, factor[2];
} ac_section_formula;

typedef struct ac_beam_formula {
    ac_num stiffness[6], mass, inertia[2];
} ac_beam_formula;

void ac_section_formulas(ac_graph *g, ac_beam_shape shape, const ac_section_sizes *sizes,
                         ac_section_formula *formula);
void ac_beam_formulas(ac_graph *g, const ac_section_formula *section, ac_num young, ac_num shear,
                      ac_num density, ac_beam_formula *formula);
/* The shear modulus of an isotropic material. */
ac_num ac_shear_formula(ac_graph *g, ac_num young, ac_num poisson);

/* Do the dimensions make sense? */
ac_status ac_beam_section_check(ac_context *ctx, const ac_beam_section *section);
/* Does the material? Sets the shear modulus where it is zero. */
ac_status ac_beam_material_check(ac_context *ctx, ac_beam_material *material);
/* The properties of a section that is in order, and what a beam of it resists and weighs. */
void ac_beam_section_properties(ac_beam_section *section, double poisson);
ac_beam_values ac_beam_values_of(const ac_beam_section *section, const ac_beam_material *material);

#endif
