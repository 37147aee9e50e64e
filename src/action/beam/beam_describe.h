/* Descriptions of beam elements of order 1 and 2. */
#ifndef ACTIO_ACTION_BEAM_BEAM_DESCRIBE_H
#define ACTIO_ACTION_BEAM_BEAM_DESCRIBE_H

#include "action/element.h"

ac_status ac_beam_describe(const ac_system *system, int k, ac_describing *to);
void ac_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers);
/* The strains of an element, or of one of its strain points, as maps: three of stretch, three of bending, and the trace map of
 * rods. */
ac_status ac_beam_describe_strains(const ac_system *system, int k, ac_describing *to);
ac_status ac_high_beam_describe_strains(const ac_system *system, int k, int point, ac_describing *to);
ac_status ac_high_beam_describe(const ac_system *system, int k, ac_describing *to);
void ac_high_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers);

#endif
