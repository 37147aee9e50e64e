/* Descriptions of beam elements of order 1 and 2. */
#ifndef ACTIO_ACTION_BEAM_BEAM_DESCRIBE_H
#define ACTIO_ACTION_BEAM_BEAM_DESCRIBE_H

#include "action/element.h"

ac_status ac_beam_describe(const ac_system *system, int k, ac_describing *to);
void ac_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers);
ac_status ac_high_beam_describe(const ac_system *system, int k, ac_describing *to);
void ac_high_beam_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers);

#endif
