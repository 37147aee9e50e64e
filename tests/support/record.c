/* Running simulations in tests. */
#include "support/record.h"

#include <stdlib.h>
#include <string.h>

ac_simulation_settings record_settings(const char *scheme, const char *formulation, double h)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = scheme;
    settings.formulation = formulation;
    settings.step = h;
    settings.multipliers = true;
    settings.momenta = true;
    return settings;
}

static int row_length(const ac_channel *channels, int count)
{
    int length = 0;
    for (int k = 0; k < count; ++k) length += channels[k].width;
    return length;
}

ac_status record_open(record *r, ac_context *ctx, const ac_system *system,
                      const ac_simulation_settings *settings)
{
    memset(r, 0, sizeof *r);
    r->status = ac_simulation_new(ctx, system, settings, &r->simulation);
    if (r->status != AC_OK) return r->status;
    int count;
    const ac_channel *channels = ac_simulation_node_channels(r->simulation, &count);
    r->node = calloc((size_t)row_length(channels, count), sizeof *r->node);
    channels = ac_simulation_interval_channels(r->simulation, &count);
    r->interval = calloc((size_t)row_length(channels, count), sizeof *r->interval);
    return AC_OK;
}

void record_close(record *r)
{
    ac_simulation_free(r->simulation);
    free(r->node);
    free(r->interval);
    memset(r, 0, sizeof *r);
}

ac_status record_steps(record *r, long steps)
{
    for (long k = 0; k < steps && r->status == AC_OK; ++k) r->status = ac_simulation_step(r->simulation);
    return r->status;
}

ac_status record_node(record *r, bool last)
{
    if (r->status == AC_OK) r->status = ac_simulation_node_row(r->simulation, last, r->node);
    return r->status;
}

ac_status record_interval(record *r)
{
    if (r->status == AC_OK) r->status = ac_simulation_interval_row(r->simulation, r->interval);
    return r->status;
}

/* The channel in one of the two tables and its place in the row. */
static const ac_channel *find(const record *r, const char *name, bool node, int *place)
{
    int count;
    const ac_channel *channels = node ? ac_simulation_node_channels(r->simulation, &count)
                                      : ac_simulation_interval_channels(r->simulation, &count);
    *place = 0;
    for (int k = 0; k < count; ++k) {
        if (strcmp(channels[k].name, name) == 0) return &channels[k];
        *place += channels[k].width;
    }
    return NULL;
}

const double *record_at(const record *r, const char *name)
{
    int place;
    if (find(r, name, true, &place)) return r->node + place;
    if (find(r, name, false, &place)) return r->interval + place;
    return NULL;
}

int record_width(const record *r, const char *name)
{
    int place;
    const ac_channel *channel = find(r, name, true, &place);
    if (!channel) channel = find(r, name, false, &place);
    return channel ? channel->width : 0;
}
