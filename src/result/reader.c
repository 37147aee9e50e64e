/* Reading result files: the index, texts and summary at once, the rows of a channel when they are asked for.
 *
 * A file may be foreign, cut short or damaged. Nothing that it says about sizes is believed before it is
 * compared with the size of the file itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "actio/result.h"
#include "base/base.h"
#include "math/math.h"
#include "result/layout.h"

enum { TEXTS_MAX = 64, TABLES_MAX = 64 };

typedef struct text_list {
    char *block; /* `count` texts of `size` bytes each, closed by a zero */
    size_t size;
    long count;
} text_list;

typedef struct read_table {
    char *name;
    long number, rows;
    text_list names, units, labels, places;
    ac_channel *channels;
    int channel_count;
} read_table;

typedef struct read_text {
    char *name;
    text_list text;
} read_text;

struct ac_result {
    ac_context *ctx;
    char *path;
    unsigned long long file_size;
    hid_t file;
    read_text texts[TEXTS_MAX];
    int text_count;
    read_table tables[TABLES_MAX];
    int table_count;
    text_list number_names, number_units;
    double *numbers;
    long number_count;
};

static ac_status damaged(ac_result *r, const char *what)
{
    return ac_fail(r->ctx, AC_BAD_INPUT, "%s: the result file is damaged: %s cannot be read", r->path, what);
}

/* ---- small pieces of HDF5 ---- */

/* Number of values of a list, and the bytes of each; -1 when it is not a plain list that fits into the
 * file. */
static long list_size(const ac_result *r, hid_t dataset, size_t value_size)
{
    hid_t space = H5Dget_space(dataset);
    if (space < 0) return -1;
    hssize_t count = H5Sget_simple_extent_npoints(space);
    int rank = H5Sget_simple_extent_ndims(space);
    H5Sclose(space);
    if (count < 0 || rank < 0 || rank > 1 || value_size == 0 || value_size > r->file_size) return -1;
    if ((unsigned long long)count > r->file_size / value_size || count > INT_MAX) return -1;
    return (long)count;
}

static bool is_fixed_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
}

static ac_status read_texts_of(ac_result *r, hid_t dataset, hid_t type, text_list *list, const char *what)
{
    size_t stored = H5Tget_size(type);
    long count = is_fixed_text(type) ? list_size(r, dataset, stored) : -1;
    if (count < 0) return damaged(r, what);
    char *raw = ac_allocate(r->ctx, (size_t)count, stored);
    list->size = stored + 1;
    list->count = count;
    list->block = ac_allocate(r->ctx, (size_t)count, list->size);
    bool done = raw && list->block &&
                (count == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) >= 0);
    for (long i = 0; done && i < count; ++i)
        memcpy(list->block + (size_t)i * list->size, raw + (size_t)i * stored, stored);
    bool memory = raw && list->block;
    ac_release(r->ctx, raw);
    if (!memory) return ac_out_of_memory(r->ctx);
    return done ? AC_OK : damaged(r, what);
}

static ac_status read_text_list(ac_result *r, hid_t place, const char *name, text_list *list)
{
    hid_t dataset = H5Dopen2(place, name, H5P_DEFAULT);
    if (dataset < 0) return damaged(r, name);
    hid_t type = H5Dget_type(dataset);
    ac_status status = type < 0 ? damaged(r, name) : read_texts_of(r, dataset, type, list, name);
    if (type >= 0) H5Tclose(type);
    H5Dclose(dataset);
    return status;
}

/* Control characters, also those of two bytes (U+0080 to U+009F), could steer a terminal. Files of this library have none. */
static void make_plain(text_list *list)
{
    unsigned char *block = (unsigned char *)list->block;
    size_t end = (size_t)list->count * list->size;
    for (size_t i = 0; i < end; ++i) {
        unsigned char c = block[i];
        bool two = c == 0xC2 && i + 1 < end && block[i + 1] >= 0x80 && block[i + 1] < 0xA0;
        if ((c > 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || two) block[i] = '?';
        if (two) block[++i] = '?';
    }
}

/* Texts that are shown. */
static ac_status read_words(ac_result *r, hid_t place, const char *name, text_list *list)
{
    AC_TRY(read_text_list(r, place, name, list));
    make_plain(list);
    return AC_OK;
}

/* A list of `count` numbers of the given memory type into `values`. */
static ac_status read_numbers(ac_result *r, hid_t place, const char *name, hid_t type, long count,
                              void *values)
{
    hid_t dataset = H5Dopen2(place, name, H5P_DEFAULT);
    if (dataset < 0) return damaged(r, name);
    bool done = list_size(r, dataset, 1) == count &&
                (count == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    return done ? AC_OK : damaged(r, name);
}

static bool read_integer_attribute(hid_t object, const char *name, long long *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute);
    bool done = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, H5T_NATIVE_LLONG, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return done;
}

/* Whether the file says that it is one of ours; `*damaged` when what it says cannot be read. */
static bool has_our_format(hid_t file, bool *damaged)
{
    char text[sizeof AC_RESULT_FORMAT + 1] = "";
    htri_t there = H5Aexists(file, "format");
    hid_t attribute = there > 0 ? H5Aopen(file, "format", H5P_DEFAULT) : -1;
    *damaged = there < 0 || (there > 0 && attribute < 0);
    if (attribute < 0) return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool fits = is_fixed_text(type) && H5Tget_size(type) < sizeof text &&
                H5Sget_simple_extent_npoints(space) == 1;
    bool ours = fits && H5Aread(attribute, type, text) >= 0 && strcmp(text, AC_RESULT_FORMAT) == 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return ours;
}

/* ---- opening ---- */

static ac_status open_file(ac_result *r)
{
    struct stat state;
    if (stat(r->path, &state) != 0) return ac_fail(r->ctx, AC_IO_FAILED, "%s: %s", r->path, strerror(errno));
    if (!S_ISREG(state.st_mode))
        return ac_fail(r->ctx, AC_BAD_INPUT, "%s: this is not a result file", r->path);
    FILE *probe = fopen(r->path, "rb");
    if (!probe) return ac_fail(r->ctx, AC_IO_FAILED, "%s: %s", r->path, strerror(errno));
    fclose(probe);
    r->file_size = (unsigned long long)state.st_size;
    if (H5Fis_hdf5(r->path) <= 0)
        return ac_fail(r->ctx, AC_BAD_INPUT, "%s: this is not a result file (it is not HDF5)", r->path);
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0)
        return ac_fail(r->ctx, AC_BAD_INPUT, "%s: the result file is damaged or cut short", r->path);
    bool unreadable = false;
    if (!has_our_format(r->file, &unreadable))
        return unreadable ? damaged(r, "its beginning")
                          : ac_fail(r->ctx, AC_BAD_INPUT,
                                    "%s: this HDF5 file was not written by actio, or it is damaged", r->path);
    long long version = 0;
    if (!read_integer_attribute(r->file, "format_version", &version) || version < 1)
        return damaged(r, "the format version");
    if (version > AC_RESULT_FORMAT_VERSION)
        return ac_fail(r->ctx, AC_BAD_INPUT,
                       "%s: format version %lld was written by a newer actio; this one reads %d", r->path,
                       version, AC_RESULT_FORMAT_VERSION);
    return AC_OK;
}

/* The name of the i-th link of a group, to be freed by the caller; NULL on failure. */
static char *link_name(ac_result *r, hid_t group, hsize_t i)
{
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    if (length < 0) return NULL;
    char *name = ac_allocate(r->ctx, (size_t)length + 1, 1);
    if (!name) return NULL;
    H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, (size_t)length + 1, H5P_DEFAULT);
    return name;
}

static long link_count(hid_t group)
{
    H5G_info_t info;
    return H5Gget_info(group, &info) < 0 || info.nlinks > INT_MAX ? -1 : (long)info.nlinks;
}

static ac_status read_all_texts(ac_result *r)
{
    if (H5Lexists(r->file, "text", H5P_DEFAULT) <= 0) return AC_OK;
    hid_t group = H5Gopen2(r->file, "text", H5P_DEFAULT);
    if (group < 0) return damaged(r, "text");
    long count = link_count(group);
    ac_status status = count < 0 || count > TEXTS_MAX ? damaged(r, "text") : AC_OK;
    for (long i = 0; status == AC_OK && i < count; ++i) {
        read_text *text = &r->texts[r->text_count++];
        text->name = link_name(r, group, (hsize_t)i);
        status = text->name ? read_words(r, group, text->name, &text->text) : damaged(r, "text");
        if (status == AC_OK && text->text.count != 1) status = damaged(r, text->name);
    }
    H5Gclose(group);
    return status;
}

static ac_status read_summary(ac_result *r)
{
    AC_TRY(read_words(r, r->file, "summary/names", &r->number_names));
    AC_TRY(read_words(r, r->file, "summary/units", &r->number_units));
    r->number_count = r->number_names.count;
    if (r->number_units.count != r->number_count) return damaged(r, "the summary");
    AC_NEW(r->ctx, r->numbers, r->number_count);
    return read_numbers(r, r->file, "summary/values", H5T_NATIVE_DOUBLE, r->number_count, r->numbers);
}

static ac_status read_channels(ac_result *r, hid_t group, read_table *t)
{
    AC_TRY(read_words(r, group, "names", &t->names));
    AC_TRY(read_words(r, group, "units", &t->units));
    AC_TRY(read_words(r, group, "labels", &t->labels));
    AC_TRY(read_text_list(r, group, "datasets", &t->places));
    long count = t->names.count;
    if (t->units.count != count || t->labels.count != count || t->places.count != count)
        return damaged(r, t->name);
    t->channel_count = (int)count;
    AC_NEW(r->ctx, t->channels, count);
    int *widths;
    AC_NEW(r->ctx, widths, count);
    ac_status status = read_numbers(r, group, "widths", H5T_NATIVE_INT, count, widths);
    for (long c = 0; status == AC_OK && c < count; ++c) {
        size_t i = (size_t)c;
        t->channels[c] = (ac_channel){.name = t->names.block + i * t->names.size,
                                      .unit = t->units.block + i * t->units.size,
                                      .labels = t->labels.block + i * t->labels.size,
                                      .width = widths[c]};
        if (widths[c] < 1 || (unsigned long long)widths[c] > r->file_size)
            status = damaged(r, t->channels[c].name);
    }
    ac_release(r->ctx, widths);
    return status;
}

static ac_status read_table_index(ac_result *r, hid_t index, long i)
{
    read_table *t = &r->tables[r->table_count++];
    t->name = link_name(r, index, (hsize_t)i);
    if (!t->name) return damaged(r, "the index");
    hid_t group = H5Gopen2(index, t->name, H5P_DEFAULT);
    if (group < 0) return damaged(r, t->name);
    long long number = 0, rows = -1;
    bool done = read_integer_attribute(group, "number", &number) &&
                read_integer_attribute(group, "rows", &rows) && rows >= 0 &&
                (unsigned long long)rows <= r->file_size && number >= 0 && number < TABLES_MAX;
    ac_status status = done ? read_channels(r, group, t) : damaged(r, t->name);
    t->number = (long)number;
    t->rows = (long)rows;
    H5Gclose(group);
    return status;
}

static int by_number(const void *a, const void *b)
{
    const read_table *first = a, *second = b;
    return (first->number > second->number) - (first->number < second->number);
}

static ac_status read_index(ac_result *r)
{
    if (H5Lexists(r->file, "index", H5P_DEFAULT) <= 0) return AC_OK;
    hid_t index = H5Gopen2(r->file, "index", H5P_DEFAULT);
    if (index < 0) return damaged(r, "the index");
    long count = link_count(index);
    ac_status status = count < 0 || count > TABLES_MAX ? damaged(r, "the index") : AC_OK;
    for (long i = 0; status == AC_OK && i < count; ++i) status = read_table_index(r, index, i);
    H5Gclose(index);
    ac_sort(r->tables, (size_t)r->table_count, sizeof *r->tables, by_number);
    return status;
}

static ac_status read_everything(ac_result *r)
{
    AC_TRY(open_file(r));
    AC_TRY(read_all_texts(r));
    AC_TRY(read_summary(r));
    return read_index(r);
}

static void free_result(ac_result *r)
{
    if (r->file > 0) H5Fclose(r->file);
    for (int i = 0; i < r->text_count; ++i) {
        ac_release(r->ctx, r->texts[i].name);
        ac_release(r->ctx, r->texts[i].text.block);
    }
    for (int t = 0; t < r->table_count; ++t) {
        read_table *table = &r->tables[t];
        ac_release(r->ctx, table->name);
        ac_release(r->ctx, table->names.block);
        ac_release(r->ctx, table->units.block);
        ac_release(r->ctx, table->labels.block);
        ac_release(r->ctx, table->places.block);
        ac_release(r->ctx, table->channels);
    }
    ac_release(r->ctx, r->number_names.block);
    ac_release(r->ctx, r->number_units.block);
    ac_release(r->ctx, r->numbers);
    ac_release(r->ctx, r->path);
    ac_release(r->ctx, r);
}

ac_status ac_result_open(ac_context *ctx, const char *path, ac_result **result)
{
    ac_result *r;
    *result = NULL;
    AC_NEW(ctx, r, 1);
    r->ctx = ctx;
    r->path = ac_copy_text(ctx, path);
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = r->path ? read_everything(r) : ac_out_of_memory(ctx);
    if (status == AC_OK)
        *result = r;
    else
        free_result(r);
    ac_hdf5_silence_end(&silence);
    return status;
}

void ac_result_close(ac_result *result)
{
    if (!result) return;
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    free_result(result);
    ac_hdf5_silence_end(&silence);
}

/* ---- looking around ---- */

const char *ac_result_text(const ac_result *result, const char *name)
{
    for (int i = 0; i < result->text_count; ++i) {
        if (strcmp(result->texts[i].name, name) == 0) return result->texts[i].text.block;
    }
    return NULL;
}

int ac_result_number_count(const ac_result *result)
{
    return (int)result->number_count;
}

const char *ac_result_number_name(const ac_result *result, int index, double *value, const char **unit)
{
    size_t i = (size_t)index;
    if (value) *value = result->numbers[i];
    if (unit) *unit = result->number_units.block + i * result->number_units.size;
    return result->number_names.block + i * result->number_names.size;
}

bool ac_result_number(const ac_result *result, const char *name, double *value)
{
    for (int i = 0; i < ac_result_number_count(result); ++i) {
        if (strcmp(ac_result_number_name(result, i, NULL, NULL), name) != 0) continue;
        *value = result->numbers[i];
        return true;
    }
    return false;
}

int ac_result_table_count(const ac_result *result)
{
    return result->table_count;
}

const char *ac_result_table_name(const ac_result *result, int table)
{
    return result->tables[table].name;
}

long ac_result_rows(const ac_result *result, int table)
{
    return result->tables[table].rows;
}

const ac_channel *ac_result_channels(const ac_result *result, int table, int *count)
{
    *count = result->tables[table].channel_count;
    return result->tables[table].channels;
}

bool ac_result_find(const ac_result *result, const char *name, int *table, int *channel)
{
    for (int t = 0; t < result->table_count; ++t) {
        for (int c = 0; c < result->tables[t].channel_count; ++c) {
            if (strcmp(result->tables[t].channels[c].name, name) != 0) continue;
            *table = t;
            *channel = c;
            return true;
        }
    }
    return false;
}

/* ---- rows ---- */

static hid_t open_channel(ac_result *r, const read_table *t, int channel)
{
    hid_t group = H5Gopen2(r->file, t->name, H5P_DEFAULT);
    if (group < 0) return -1;
    hid_t dataset = H5Dopen2(group, t->places.block + (size_t)channel * t->places.size, H5P_DEFAULT);
    H5Gclose(group);
    return dataset;
}

static bool has_shape(hid_t space, long rows, int width)
{
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, NULL) < 0)
        return false;
    return size[0] == (hsize_t)rows && size[1] == (hsize_t)width;
}

static bool read_rows(hid_t dataset, const read_table *t, int channel, long first, long stride, long count,
                      double *values)
{
    hid_t space = H5Dget_space(dataset);
    if (space < 0) return false;
    hsize_t width = (hsize_t)t->channels[channel].width;
    hsize_t start[2] = {(hsize_t)first, 0}, step[2] = {(hsize_t)stride, 1}, size[2] = {(hsize_t)count, width};
    hid_t memory = H5Screate_simple(2, size, NULL);
    bool done = has_shape(space, t->rows, t->channels[channel].width) &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, step, size, NULL) >= 0 &&
                H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0) H5Sclose(memory);
    H5Sclose(space);
    return done;
}

static bool known_range(const read_table *t, long first, long stride, long count)
{
    if (first < 0 || stride < 1 || count < 0) return false;
    if (count == 0) return true;
    return first < t->rows && (t->rows - 1 - first) / stride >= count - 1;
}

ac_status ac_result_read(ac_result *result, int table, int channel, long first, long stride, long count,
                         double *values)
{
    if (table < 0 || table >= result->table_count || channel < 0 ||
        channel >= result->tables[table].channel_count)
        return ac_fail(result->ctx, AC_BAD_INPUT, "%s: there is no channel %d in table %d", result->path,
                       channel, table);
    const read_table *t = &result->tables[table];
    const char *name = t->channels[channel].name;
    if (!known_range(t, first, stride, count))
        return ac_fail(result->ctx, AC_BAD_INPUT, "%s: %s has %ld rows; rows %ld to %ld were asked for",
                       result->path, name, t->rows, first, first + (count - 1) * stride);
    if (count == 0) return AC_OK;
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    hid_t dataset = open_channel(result, t, channel);
    bool done = dataset >= 0 && read_rows(dataset, t, channel, first, stride, count, values);
    if (dataset >= 0) H5Dclose(dataset);
    ac_hdf5_silence_end(&silence);
    return done ? AC_OK : damaged(result, name);
}

/* ---- lists ---- */

/* The texts of a list one by one, in one piece of memory with their pointers. */
static ac_status list_texts(ac_result *r, hid_t group, const char *name, const char *const **texts,
                            long *count)
{
    text_list stored = {0};
    ac_status status = read_text_list(r, group, name, &stored);
    size_t pointers = (size_t)stored.count * sizeof(char *), bytes = (size_t)stored.count * stored.size;
    char *memory = status == AC_OK ? ac_allocate(r->ctx, 1, pointers + bytes + 1) : NULL;
    if (status == AC_OK && !memory) status = ac_out_of_memory(r->ctx);
    if (status == AC_OK) {
        const char **list = (const char **)(void *)memory;
        memcpy(memory + pointers, stored.block, bytes);
        for (long k = 0; k < stored.count; ++k) list[k] = memory + pointers + (size_t)k * stored.size;
        *texts = list;
        *count = stored.count;
    }
    ac_release(r->ctx, stored.block);
    return status;
}

static ac_status list_values(ac_result *r, hid_t group, ac_result_list *list)
{
    hsize_t size[2] = {0, 0};
    hid_t dataset = H5Dopen2(group, "values", H5P_DEFAULT);
    if (dataset < 0) return damaged(r, "values");
    hid_t space = H5Dget_space(dataset);
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, size, NULL) >= 0 && size[0] == (hsize_t)list->count &&
                size[1] >= 1 && size[1] <= INT_MAX && size[0] <= r->file_size / sizeof(double) / size[1];
    double *values = fits ? ac_allocate(r->ctx, (size_t)(size[0] * size[1]), sizeof *values) : NULL;
    list->values = values;
    list->width = fits ? (int)size[1] : 0;
    bool done = values && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (space >= 0) H5Sclose(space);
    H5Dclose(dataset);
    if (fits && !values) return ac_out_of_memory(r->ctx);
    return done ? AC_OK : damaged(r, "values");
}

static ac_status read_list(ac_result *r, const char *name, ac_result_list *list)
{
    long words = 0;
    hid_t lists = H5Gopen2(r->file, "list", H5P_DEFAULT);
    hid_t group = lists >= 0 ? H5Gopen2(lists, name, H5P_DEFAULT) : -1;
    if (lists >= 0) H5Gclose(lists);
    if (group < 0) return AC_OK;
    ac_status status = list_texts(r, group, "names", &list->names, &list->count);
    if (status == AC_OK) status = list_texts(r, group, "words", &list->words, &words);
    if (status == AC_OK && words != list->count) status = damaged(r, name);
    if (status == AC_OK) status = list_values(r, group, list);
    H5Gclose(group);
    return status;
}

ac_status ac_result_read_list(ac_result *result, const char *name, ac_result_list *list)
{
    *list = (ac_result_list){.count = 0};
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = read_list(result, name, list);
    ac_hdf5_silence_end(&silence);
    if (status != AC_OK) ac_result_free_list(result, list);
    return status;
}

void ac_result_free_list(ac_result *result, ac_result_list *list)
{
    ac_release(result->ctx, (void *)list->names);
    ac_release(result->ctx, (void *)list->words);
    ac_release(result->ctx, (void *)list->values);
    *list = (ac_result_list){.count = 0};
}
