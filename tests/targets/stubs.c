/* What a target without the heavy libraries lacks: results are kept in memory instead of HDF5. WebAssembly has
 * one process and one thread, too, so that samples are worked on in their order. */
#include <stdlib.h>
#include <string.h>

#include "actio/result.h"
#include "base/base.h"
#include "task/design/design.h"

/* ---- results in memory ---- */

enum { TEXTS = 64, NUMBERS = 512, TABLES = 64 };

typedef struct text {
    char *name, *words;
} text;

typedef struct number {
    char *name, *unit;
    double value;
} number;

typedef struct table {
    char *name;
    ac_channel *channels;
    int count, width;
    double *rows;
    int row_count, room;
} table;

typedef struct kept {
    ac_context *ctx;
    char *path;
    text texts[TEXTS];
    number numbers[NUMBERS];
    table tables[TABLES];
    int text_count, number_count, table_count;
} kept;

struct ac_result_writer {
    kept kept;
};
struct ac_result {
    kept kept;
};

static kept *last; /* the one that was committed last */

static void forget(kept *k)
{
    for (int t = 0; k && t < k->text_count; ++t) {
        free(k->texts[t].name);
        free(k->texts[t].words);
    }
    for (int n = 0; k && n < k->number_count; ++n) {
        free(k->numbers[n].name);
        free(k->numbers[n].unit);
    }
    for (int t = 0; k && t < k->table_count; ++t) {
        for (int c = 0; c < k->tables[t].count; ++c) free((char *)k->tables[t].channels[c].name);
        free(k->tables[t].name);
        free(k->tables[t].channels);
        ac_release(k->ctx, k->tables[t].rows);
    }
    free(k ? k->path : NULL);
    free(k);
}

static ac_status full(const kept *k)
{
    return ac_fail(k->ctx, AC_NO_MEMORY, "tests/targets/stubs.c has no room for so much");
}

ac_status ac_result_create(ac_context *ctx, const char *path, ac_result_writer **writer)
{
    kept *k = calloc(1, sizeof *k);
    if (!k) return ac_out_of_memory(ctx);
    k->ctx = ctx;
    k->path = strdup(path);
    *writer = (ac_result_writer *)k;
    return AC_OK;
}

ac_status ac_result_put_text(ac_result_writer *writer, const char *name, const char *words)
{
    kept *k = &writer->kept;
    if (k->text_count == TEXTS) return full(k);
    k->texts[k->text_count++] = (text){strdup(name), strdup(words)};
    return AC_OK;
}

ac_status ac_result_put_number(ac_result_writer *writer, const char *name, double value, const char *unit)
{
    kept *k = &writer->kept;
    if (k->number_count == NUMBERS) return full(k);
    k->numbers[k->number_count++] = (number){strdup(name), strdup(unit), value};
    return AC_OK;
}

ac_status ac_result_put_table(ac_result_writer *writer, const char *name, const ac_channel *channels,
                              int channel_count, int *place)
{
    kept *k = &writer->kept;
    if (k->table_count == TABLES) return full(k);
    table *t = &k->tables[k->table_count];
    *place = k->table_count++;
    t->name = strdup(name);
    t->channels = calloc((size_t)channel_count + 1, sizeof *t->channels);
    t->count = channel_count;
    for (int c = 0; c < channel_count; ++c) {
        t->channels[c] = (ac_channel){strdup(channels[c].name), "", "", channels[c].width};
        t->width += channels[c].width;
    }
    return AC_OK;
}

ac_status ac_result_append(ac_result_writer *writer, int place, const double *row)
{
    table *t = &writer->kept.tables[place];
    size_t width = (size_t)t->width;
    AC_TRY(ac_grow(writer->kept.ctx, (void **)&t->rows, &t->room, t->row_count + 1, width * sizeof *row));
    memcpy(t->rows + (size_t)t->row_count++ * width, row, width * sizeof *row);
    return AC_OK;
}

ac_status ac_result_put_list(ac_result_writer *writer, const char *name, const char *labels,
                             const ac_result_list *list)
{
    (void)writer, (void)name, (void)labels, (void)list;
    return AC_OK;
}

ac_status ac_result_commit(ac_result_writer *writer)
{
    forget(last);
    last = &writer->kept;
    return AC_OK;
}

ac_status ac_result_rename(ac_result_writer *writer, const char *path)
{
    free(writer->kept.path);
    writer->kept.path = strdup(path);
    return AC_OK;
}

void ac_result_abandon(ac_result_writer *writer)
{
    if (writer) forget(&writer->kept);
}

ac_status ac_result_open(ac_context *ctx, const char *path, ac_result **result)
{
    if (!last || strcmp(last->path, path) != 0) return ac_fail(ctx, AC_IO_FAILED, "%s: no such result", path);
    *result = (ac_result *)last;
    return AC_OK;
}

void ac_result_close(ac_result *result)
{
    (void)result;
}

const char *ac_result_text(const ac_result *result, const char *name)
{
    for (int t = 0; t < result->kept.text_count; ++t)
        if (strcmp(result->kept.texts[t].name, name) == 0) return result->kept.texts[t].words;
    return NULL;
}

int ac_result_number_count(const ac_result *result)
{
    return result->kept.number_count;
}

const char *ac_result_number_name(const ac_result *result, int index, double *value, const char **unit)
{
    const number *n = &result->kept.numbers[index];
    if (value) *value = n->value;
    if (unit) *unit = n->unit;
    return n->name;
}

bool ac_result_number(const ac_result *result, const char *name, double *value)
{
    for (int n = 0; n < result->kept.number_count; ++n) {
        if (strcmp(result->kept.numbers[n].name, name) != 0) continue;
        *value = result->kept.numbers[n].value;
        return true;
    }
    return false;
}

int ac_result_table_count(const ac_result *result)
{
    return result->kept.table_count;
}

const char *ac_result_table_name(const ac_result *result, int place)
{
    return result->kept.tables[place].name;
}

long ac_result_rows(const ac_result *result, int place)
{
    return result->kept.tables[place].row_count;
}

const ac_channel *ac_result_channels(const ac_result *result, int place, int *count)
{
    if (count) *count = result->kept.tables[place].count;
    return result->kept.tables[place].channels;
}

bool ac_result_find(const ac_result *result, const char *name, int *place, int *channel)
{
    for (int t = 0; t < result->kept.table_count; ++t)
        for (int c = 0; c < result->kept.tables[t].count; ++c) {
            if (strcmp(result->kept.tables[t].channels[c].name, name) != 0) continue;
            *place = t;
            *channel = c;
            return true;
        }
    return false;
}

ac_status ac_result_read(ac_result *result, int place, int channel, long first, long stride, long count,
                         double *values)
{
    const table *t = &result->kept.tables[place];
    size_t width = (size_t)t->channels[channel].width, at = 0;
    for (int c = 0; c < channel; ++c) at += (size_t)t->channels[c].width;
    for (long k = 0; k < count; ++k) {
        const double *row = t->rows + (size_t)(first + k * stride) * (size_t)t->width;
        memcpy(values + (size_t)k * width, row + at, width * sizeof *values);
    }
    return AC_OK;
}

ac_status ac_result_read_list(ac_result *result, const char *name, ac_result_list *list)
{
    (void)result, (void)name;
    *list = (ac_result_list){0};
    return AC_OK;
}

void ac_result_free_list(ac_result *result, ac_result_list *list)
{
    (void)result, (void)list;
}

/* ---- one process ---- */

#ifdef __wasi__

int flock(int file, int what)
{
    (void)file, (void)what;
    return 0;
}

char *realpath(const char *path, char *resolved)
{
    return resolved ? strcpy(resolved, path) : strdup(path);
}

ac_status ac_processes_run(const ac_processes *pool, const int *items, int count)
{
    for (int k = 0; k < count; ++k) {
        double *numbers = NULL;
        int size = 0;
        AC_TRY(pool->work(pool->user, items[k], &numbers, &size));
        AC_TRY(pool->take(pool->user, items[k], numbers, size, ac_context_message(pool->ctx)));
    }
    return AC_OK;
}

#endif
