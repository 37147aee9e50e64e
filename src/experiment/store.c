/* A sink that keeps the measured channels of a run in memory. */
#include <string.h>

#include "base/base.h"
#include "experiment/parts.h"

enum { FIRST_ROWS = 256 };

ac_status ac_store_want(ac_store *store, const char *channel)
{
    AC_TRY(ac_grow(store->ctx, (void **)&store->wanted, &store->wanted_capacity, store->wanted_count + 1,
                   sizeof *store->wanted));
    store->wanted[store->wanted_count++] = channel;
    return AC_OK;
}

/* Whether `text` is the channel's name, or its name and a component. */
static bool names_channel(const char *text, const char *channel)
{
    size_t length = strlen(channel);
    return strncmp(text, channel, length) == 0 &&
           (!text[length] || (text[length] == '.' && !strchr(text + length, '/')));
}

static bool is_wanted(const ac_store *store, const char *channel)
{
    for (int i = 0; i < store->wanted_count; ++i) {
        if (names_channel(store->wanted[i], channel)) return true;
    }
    return false;
}

static ac_status keep_channel(ac_store *store, ac_kept_table *table, const ac_channel *channel, int offset)
{
    ac_kept_channel *kept = &table->channels[table->channel_count++];
    kept->name = ac_copy_text(store->ctx, channel->name);
    kept->labels = ac_copy_text(store->ctx, channel->labels);
    kept->width = channel->width;
    kept->offset = offset;
    return kept->name && kept->labels ? AC_OK : ac_out_of_memory(store->ctx);
}

static ac_status store_table(void *user, const char *name, const ac_channel *channels, int count, int *number)
{
    ac_store *store = user;
    if (store->table_count == AC_KEPT_TABLES)
        return ac_fail(store->ctx, AC_BAD_INPUT, "a run has too many tables");
    *number = store->table_count;
    ac_kept_table *table = &store->tables[store->table_count++];
    table->name = ac_copy_text(store->ctx, name);
    if (!table->name) return ac_out_of_memory(store->ctx);
    AC_NEW(store->ctx, table->channels, count);
    for (int pass = 0; pass < 2; ++pass) { /* the time first */
        for (int c = 0, offset = 0; c < count; offset += channels[c].width, ++c) {
            bool time = strcmp(channels[c].name, "time") == 0 || strcmp(channels[c].name, "iteration") == 0;
            if (time == (pass == 0) && (time || is_wanted(store, channels[c].name)))
                AC_TRY(keep_channel(store, table, &channels[c], offset));
        }
    }
    return AC_OK;
}

static ac_status grow_rows(ac_store *store, ac_kept_table *table)
{
    long capacity = table->capacity ? 2 * table->capacity : FIRST_ROWS;
    for (int c = 0; c < table->channel_count; ++c) {
        ac_kept_channel *channel = &table->channels[c];
        size_t width = (size_t)channel->width;
        double *larger = ac_allocate(store->ctx, (size_t)capacity * width, sizeof *larger);
        if (!larger) return ac_out_of_memory(store->ctx);
        if (channel->values) memcpy(larger, channel->values, (size_t)table->rows * width * sizeof *larger);
        ac_release(store->ctx, channel->values);
        channel->values = larger;
    }
    table->capacity = capacity;
    return AC_OK;
}

static ac_status store_row(void *user, int number, const double *row)
{
    ac_store *store = user;
    ac_kept_table *table = &store->tables[number];
    if (table->rows == table->capacity) AC_TRY(grow_rows(store, table));
    for (int c = 0; c < table->channel_count; ++c) {
        ac_kept_channel *channel = &table->channels[c];
        size_t width = (size_t)channel->width;
        memcpy(channel->values + (size_t)table->rows * width, row + channel->offset, width * sizeof *row);
    }
    ++table->rows;
    return AC_OK;
}

ac_sink ac_store_sink(ac_store *store)
{
    return (ac_sink){store, store_table, store_row};
}

static int find_component(const ac_kept_channel *kept, const char *wanted)
{
    const ac_channel channel = {.name = kept->name, .labels = kept->labels, .width = kept->width};
    return ac_component_find(&channel, wanted);
}

bool ac_store_find(const ac_store *store, const char *table, const char *channel, ac_kept_column *column)
{
    for (int t = 0; t < store->table_count; ++t) {
        const ac_kept_table *kept = &store->tables[t];
        if (table && strcmp(kept->name, table) != 0) continue;
        for (int c = 0; c < kept->channel_count; ++c) {
            const ac_kept_channel *candidate = &kept->channels[c];
            if (!names_channel(channel, candidate->name)) continue;
            const char *component = channel + strlen(candidate->name);
            *column = (ac_kept_column){kept, candidate, 0, candidate->width};
            if (!*component) return true;
            column->first = find_component(candidate, component + 1);
            column->width = 1;
            if (column->first >= 0) return true;
        }
    }
    return false;
}

void ac_store_free(ac_store *store)
{
    for (int t = 0; t < store->table_count; ++t) {
        ac_kept_table *table = &store->tables[t];
        for (int c = 0; c < table->channel_count; ++c) {
            ac_release(store->ctx, table->channels[c].name);
            ac_release(store->ctx, table->channels[c].labels);
            ac_release(store->ctx, table->channels[c].values);
        }
        ac_release(store->ctx, table->channels);
        ac_release(store->ctx, table->name);
    }
    ac_release(store->ctx, store->wanted);
    *store = (ac_store){0};
}
