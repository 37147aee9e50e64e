/* What is wrong with the beams of a system that cannot go on. */
#ifndef ACTIO_ACTION_BEAM_BEAM_TROUBLE_H
#define ACTIO_ACTION_BEAM_BEAM_TROUBLE_H

#include "action/beam/beam_kink.h"

/* Why a search may fail, apart from steps that are too large: assembly strained a beam, or sheared it,
 * which is reported of a motion only, as an equilibrium leaves that behind; or tension kinks one. An empty
 * text and false if nothing is so. */
bool ac_beam_trouble(const ac_system *system, const ac_kink *kink, bool moving, char *text, size_t size);
/* The kink that was seen, unless it comes from a beam that assembly strained or sheared. */
bool ac_seen_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size);

/* What is doubtful about the beams at the start, number k from 0 on; false: there are no more. */
bool ac_beam_warning(const ac_system *system, int k, char *text, size_t size);

#endif
