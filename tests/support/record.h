/* Running simulations in tests and reading their channels by name. */
#ifndef ACTIO_TESTS_SUPPORT_RECORD_H
#define ACTIO_TESTS_SUPPORT_RECORD_H

#include "actio/simulate.h"
#include "observe/simulation.h"

/* A simulation with rows for its channels. */
typedef struct record {
    ac_simulation *simulation;
    ac_status status;
    double *node, *interval; /* rows, filled by record_node and record_interval */
} record;

/* Defaults with these names and this step, multipliers and momenta recorded. */
ac_simulation_settings record_settings(const char *scheme, const char *formulation, double h);
ac_status record_open(record *r, ac_context *ctx, const ac_system *system,
                      const ac_simulation_settings *settings);
void record_close(record *r);
ac_status record_steps(record *r, long steps);
/* Row of the left node of the newest interval, of the newest node (last), and of the interval. */
ac_status record_node(record *r, bool last);
ac_status record_interval(record *r);
/* Where a channel stands in its row, NULL if there is none of that name. */
const double *record_at(const record *r, const char *channel);
int record_width(const record *r, const char *channel);

#endif
