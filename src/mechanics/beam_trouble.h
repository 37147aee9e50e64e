/* What is wrong with the beams of a system that cannot go on. */
#ifndef ACTIO_MECHANICS_BEAM_TROUBLE_H
#define ACTIO_MECHANICS_BEAM_TROUBLE_H

#include "mechanics/beam_kink.h"

/* Why a search may fail, apart from steps that are too large: assembly strained a beam, or tension kinks one. An empty
 * text and false if neither is so. */
bool ac_beam_trouble(const ac_system *system, const ac_kink *kink, char *text, size_t size);
/* The kink that was seen, unless it comes from a beam that assembly strained. */
bool ac_seen_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size);

#endif
