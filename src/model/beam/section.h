/* Cross-sections of beams inside the library: without a check at every call, for what changes along a
 * beam. */
#ifndef ACTIO_MODEL_BEAM_SECTION_H
#define ACTIO_MODEL_BEAM_SECTION_H

#include "actio/beam.h"

/* Do the dimensions make sense? */
ac_status ac_beam_section_check(ac_context *ctx, const ac_beam_section *section);
/* Does the material? Sets the shear modulus where it is zero. */
ac_status ac_beam_material_check(ac_context *ctx, ac_beam_material *material);
/* The properties of a section that is in order, and what a beam of it resists and weighs. */
void ac_beam_section_properties(ac_beam_section *section, double poisson);
ac_beam_values ac_beam_values_of(const ac_beam_section *section, const ac_beam_material *material);

#endif
