/* What the task "modes" keeps. */
#ifndef ACTIO_TASK_MODES_H
#define ACTIO_TASK_MODES_H

#include "problem/build/build.h"
#include "problem/keys/schema_equilibrium.h"

typedef struct ac_modes_data {
    ac_equilibrium_settings equilibrium;
    int count;
    double near; /* Hz */
    bool initial, each_step;
} ac_modes_data;

ac_status ac_read_modes(ac_builder *builder, const ac_value *section, ac_modes_data *data);

#endif
