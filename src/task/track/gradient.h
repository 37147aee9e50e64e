/* The gradient of a tracking functional by the forces on the first target. */
#ifndef ACTIO_TASK_TRACK_GRADIENT_H
#define ACTIO_TASK_TRACK_GRADIENT_H

#include "problem/track/track.h"
#include "task/stream.h"

/* Writes the table `gradient`, and into the summary the functional, its derivative in the direction that was given,
 * the same by differences, and the largest hidden constraint of the adjoint. */
ac_status ac_track_gradient_write(const ac_run_job *job, const ac_track_data *data, const ac_system *system);

#endif
