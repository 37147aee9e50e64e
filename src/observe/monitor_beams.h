/* What is observed of beams: nodes, strains and stress resultants, one channel of each for a whole beam. */
#ifndef ACTIO_OBSERVE_MONITOR_BEAMS_H
#define ACTIO_OBSERVE_MONITOR_BEAMS_H

#include "model/system.h"

typedef struct ac_beam_channel {
    const char *quantity, *unit, *labels; /* those of one place */
    ac_beam_site site;
    int numbers; /* for each place */
} ac_beam_channel;

enum { AC_BEAM_CHANNELS = 11 };
extern const ac_beam_channel ac_beam_channels[AC_BEAM_CHANNELS];

/* 0: the beam has no such channel. */
int ac_beam_channel_width(const ac_beam_data *beam, int channel);
/* Writes the row of one beam, all its channels; returns the place after it. `twists` has six numbers per
 * node. */
double *ac_beam_put_row(const ac_system *system, const ac_beam_data *beam, const double *q,
                        const double *twists, double *at);

#endif
