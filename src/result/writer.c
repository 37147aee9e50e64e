/* Writing result files: rows are buffered in blocks and streamed, the file gets its name when it is complete.
 *
 * The datasets of a table are made when its first block is written, so that a short table gets a chunk of its
 * own size and a long one a chunk of one block. Every write is one whole chunk, or the last of its table.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actio/result.h"
#include "base/base.h"
#include "result/disk.h"
#include "result/layout.h"
#include "result/output_file.h"

enum { BLOCK_BYTES = 2 << 20, BLOCK_ROWS_MAX = 4096, PART_TRIES = 100 };

typedef struct stored_channel {
    char *name, *unit, *labels;
    char *place; /* of the dataset, from the group of the table */
    int width;
    size_t offset; /* of its block in the buffer, in rows of one number */
    hid_t dataset;
} stored_channel;

typedef struct stored_table {
    char *name;
    stored_channel *channels;
    int channel_count;
    size_t row_width;
    int block_rows;
    double *buffer; /* channel after channel, each block_rows x width */
    int buffered;
    bool made; /* the datasets exist */
    hsize_t rows;
} stored_table;

typedef struct stored_number {
    char *name, *unit;
    double value;
} stored_number;

struct ac_result_writer {
    ac_context *ctx;
    char *path, *part;
    ac_result_disk disk;
    hid_t file, link_properties;
    stored_table *tables;
    int table_count, table_capacity;
    stored_number *numbers;
    int number_count, number_capacity;
};

/* ---- failures ---- */

static ac_status system_failed(ac_result_writer *w, int error)
{
    return ac_fail(w->ctx, AC_IO_FAILED, "%s: the result could not be written: %s", w->path, strerror(error));
}

/* How a piece of work went: HDF5 says `done`, the disk may know better. */
static ac_status outcome(ac_result_writer *w, bool done)
{
    if (w->disk.error) return system_failed(w, w->disk.error);
    if (done) return AC_OK;
    return ac_fail(w->ctx, AC_IO_FAILED, "%s: the result could not be written: HDF5 refused it", w->path);
}

/* ---- small pieces of HDF5 ---- */

/* A list of texts, each padded to the longest; text(list, i) returns the i-th. */
static ac_status put_texts(ac_result_writer *w, hid_t place, const char *name, int count,
                           const char *(*text)(const void *list, int index), const void *list)
{
    size_t longest = 0;
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(text(list, i));
        if (length > longest) longest = length;
    }
    char *block = ac_allocate(w->ctx, (size_t)count, longest + 1);
    if (!block) return ac_out_of_memory(w->ctx);
    for (int i = 0; i < count; ++i) strcpy(block + (size_t)i * (longest + 1), text(list, i));
    hid_t type = ac_hdf5_text_type(longest);
    bool done = type >= 0 && ac_hdf5_put_dataset(place, name, w->link_properties, type, type, count, block);
    if (type >= 0) H5Tclose(type);
    ac_release(w->ctx, block);
    return outcome(w, done);
}

/* ---- making and freeing a writer ---- */

static void free_table(ac_result_writer *w, stored_table *t)
{
    for (int c = 0; c < t->channel_count; ++c) {
        stored_channel *channel = &t->channels[c];
        if (channel->dataset > 0) H5Dclose(channel->dataset);
        ac_release(w->ctx, channel->name);
        ac_release(w->ctx, channel->unit);
        ac_release(w->ctx, channel->labels);
        ac_release(w->ctx, channel->place);
    }
    ac_release(w->ctx, t->channels);
    ac_release(w->ctx, t->buffer);
    ac_release(w->ctx, t->name);
}

static void free_writer(ac_result_writer *w)
{
    for (int t = 0; t < w->table_count; ++t) free_table(w, &w->tables[t]);
    ac_release(w->ctx, w->tables);
    for (int i = 0; i < w->number_count; ++i) {
        ac_release(w->ctx, w->numbers[i].name);
        ac_release(w->ctx, w->numbers[i].unit);
    }
    ac_release(w->ctx, w->numbers);
    if (w->link_properties > 0) H5Pclose(w->link_properties);
    ac_release(w->ctx, w->path);
    ac_release(w->ctx, w->part);
    ac_release(w->ctx, w);
}

static bool close_datasets(ac_result_writer *w)
{
    bool done = true;
    for (int t = 0; t < w->table_count; ++t) {
        for (int c = 0; c < w->tables[t].channel_count; ++c) {
            hid_t *dataset = &w->tables[t].channels[c].dataset;
            if (*dataset > 0 && H5Dclose(*dataset) < 0) done = false;
            *dataset = 0;
        }
    }
    return done;
}

/* Throws away what was written: nothing more goes to the disk, and the file is removed. */
static void discard_file(ac_result_writer *w)
{
    if (!w->disk.error) w->disk.error = ECANCELED;
    close_datasets(w);
    if (w->file > 0) ac_result_disk_close(&w->disk, w->file);
    w->file = 0;
    if (w->disk.descriptor >= 0) close(w->disk.descriptor);
    w->disk.descriptor = -1;
    if (w->part) unlink(w->part);
}

/* Takes away what runs to the same name left when they were killed: files "<path>.part-<process>" of processes that are
 * no more. They cannot be read. */
static void sweep_parts(const char *path)
{
    char pattern[PATH_MAX + 16];
    glob_t found;
    size_t used = 0;
    for (const char *at = path; *at && used + 2 < PATH_MAX; ++at) { /* letters that mean something to glob */
        if (strchr("*?[\\", *at)) pattern[used++] = '\\';
        pattern[used++] = *at;
    }
    snprintf(pattern + used, sizeof pattern - used, ".part-*");
    if (glob(pattern, 0, NULL, &found) != 0) return;
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        const char *process = strrchr(found.gl_pathv[k], '.') + sizeof ".part-" - 1;
        char *end;
        long number = strtol(process, &end, 10);
        bool ours = end != process && (*end == '\0' || *end == '-') && number > 0;
        if (ours && kill((pid_t)number, 0) != 0 && errno == ESRCH) unlink(found.gl_pathv[k]);
    }
    globfree(&found);
}

/* Claims a name beside the final one; "<path>.part-<process>", with a number behind it if that is taken. */
static ac_status claim_part(ac_result_writer *w)
{
    size_t size = strlen(w->path) + 64;
    char *name = ac_allocate(w->ctx, size, 1);
    if (!name) return ac_out_of_memory(w->ctx);
    int descriptor = -1;
    for (int i = 0; i < PART_TRIES; ++i) {
        if (i == 0)
            snprintf(name, size, "%s.part-%ld", w->path, (long)getpid());
        else
            snprintf(name, size, "%s.part-%ld-%d", w->path, (long)getpid(), i);
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) break;
    }
    if (descriptor < 0) {
        ac_release(w->ctx, name);
        return system_failed(w, errno);
    }
    w->disk.descriptor = descriptor;
    w->part = name;
    return AC_OK;
}

static ac_status start_file(ac_result_writer *w)
{
    w->file = ac_result_disk_create(&w->disk, w->part);
    w->link_properties = H5Pcreate(H5P_LINK_CREATE);
    if (w->file < 0 || w->link_properties < 0) return outcome(w, false);
    bool done = H5Pset_create_intermediate_group(w->link_properties, 1) >= 0 &&
                H5Pset_char_encoding(w->link_properties, H5T_CSET_UTF8) >= 0 &&
                ac_hdf5_put_text_attribute(w->file, "format", AC_RESULT_FORMAT) &&
                ac_hdf5_put_integer_attribute(w->file, "format_version", AC_RESULT_FORMAT_VERSION) &&
                ac_hdf5_put_text_attribute(w->file, "program", "actio " ACTIO_VERSION);
    return outcome(w, done);
}

static ac_status create(ac_context *ctx, const char *path, ac_result_writer *w)
{
    struct stat state;
    w->ctx = ctx;
    w->disk.descriptor = -1;
    char target[AC_OUTPUT_PATH];
    path = ac_output_target(path, target);
    w->path = ac_copy_text(ctx, path);
    if (!w->path) return ac_out_of_memory(ctx);
    if (stat(path, &state) == 0 && !S_ISREG(state.st_mode))
        return ac_fail(ctx, AC_IO_FAILED, "%s: the result could not be written: this is not a regular file",
                       path);
    sweep_parts(path);
    AC_TRY(claim_part(w));
    return start_file(w);
}

ac_status ac_result_create(ac_context *ctx, const char *path, ac_result_writer **writer)
{
    ac_result_writer *w;
    *writer = NULL;
    AC_NEW(ctx, w, 1);
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = create(ctx, path, w);
    if (status == AC_OK) {
        *writer = w;
    } else {
        discard_file(w);
        free_writer(w);
    }
    ac_hdf5_silence_end(&silence);
    return status;
}

/* ---- texts and numbers ---- */

static ac_status put_text(ac_result_writer *w, const char *name, const char *text)
{
    char *place = ac_allocate(w->ctx, strlen(name) + sizeof "/text/", 1);
    if (!place) return ac_out_of_memory(w->ctx);
    strcpy(place, "/text/");
    strcat(place, name);
    bool again = H5Lexists(w->file, "/text", H5P_DEFAULT) > 0 && H5Lexists(w->file, place, H5P_DEFAULT) > 0;
    if (again) H5Ldelete(w->file, place, H5P_DEFAULT);
    hid_t type = ac_hdf5_text_type(strlen(text));
    bool done = type >= 0 && ac_hdf5_put_dataset(w->file, place, w->link_properties, type, type, -1, text);
    if (type >= 0) H5Tclose(type);
    ac_release(w->ctx, place);
    return outcome(w, done);
}

ac_status ac_result_put_text(ac_result_writer *writer, const char *name, const char *text)
{
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = put_text(writer, name, text);
    ac_hdf5_silence_end(&silence);
    return status;
}

ac_status ac_result_put_number(ac_result_writer *writer, const char *name, double value, const char *unit)
{
    ac_result_writer *w = writer;
    AC_TRY(
        ac_grow(w->ctx, (void **)&w->numbers, &w->number_capacity, w->number_count + 1, sizeof *w->numbers));
    stored_number number = {ac_copy_text(w->ctx, name), ac_copy_text(w->ctx, unit), value};
    if (!number.name || !number.unit) {
        ac_release(w->ctx, number.name);
        ac_release(w->ctx, number.unit);
        return ac_out_of_memory(w->ctx);
    }
    w->numbers[w->number_count++] = number;
    return AC_OK;
}

/* ---- tables ---- */

static ac_status copy_channels(ac_result_writer *w, stored_table *t, const ac_channel *channels, int count)
{
    AC_NEW(w->ctx, t->channels, count);
    t->channel_count = count;
    for (int c = 0; c < count; ++c) {
        stored_channel *channel = &t->channels[c];
        if (channels[c].width < 1)
            return ac_fail(w->ctx, AC_BAD_INPUT, "channel %s: its width is %d, must be 1 or more",
                           channels[c].name, channels[c].width);
        channel->name = ac_copy_text(w->ctx, channels[c].name);
        channel->unit = ac_copy_text(w->ctx, channels[c].unit);
        channel->labels = ac_copy_text(w->ctx, channels[c].labels);
        if (!channel->name || !channel->unit || !channel->labels) return ac_out_of_memory(w->ctx);
        channel->width = channels[c].width;
        channel->offset = t->row_width;
        t->row_width += (size_t)channel->width;
    }
    return AC_OK;
}

static ac_status start_table(ac_result_writer *w, stored_table *t, const char *name,
                             const ac_channel *channels, int count)
{
    t->name = ac_copy_text(w->ctx, name);
    if (!t->name) return ac_out_of_memory(w->ctx);
    AC_TRY(copy_channels(w, t, channels, count));
    size_t rows = t->row_width ? BLOCK_BYTES / (t->row_width * sizeof(double)) : 1;
    t->block_rows = rows < 1 ? 1 : rows > BLOCK_ROWS_MAX ? BLOCK_ROWS_MAX : (int)rows;
    AC_NEW(w->ctx, t->buffer, (size_t)t->block_rows * t->row_width);
    return AC_OK;
}

ac_status ac_result_put_table(ac_result_writer *writer, const char *name, const ac_channel *channels,
                              int channel_count, int *table)
{
    ac_result_writer *w = writer;
    AC_TRY(ac_grow(w->ctx, (void **)&w->tables, &w->table_capacity, w->table_count + 1, sizeof *w->tables));
    stored_table t = {0};
    ac_status status = start_table(w, &t, name, channels, channel_count);
    if (status != AC_OK) {
        free_table(w, &t);
        return status;
    }
    *table = w->table_count;
    w->tables[w->table_count++] = t;
    return AC_OK;
}

/* Whether HDF5 can hold the name as a path: no empty part and no part that means "here". */
static bool usable_as_path(const char *name)
{
    while (1) {
        size_t length = strcspn(name, "/");
        if (length == 0 || (length == 1 && name[0] == '.')) return false;
        if (!name[length]) return true;
        name += length + 1;
    }
}

static hid_t make_dataset(ac_result_writer *w, hid_t group, const char *place, int width, hsize_t chunk_rows)
{
    hsize_t size[2] = {0, (hsize_t)width}, limit[2] = {H5S_UNLIMITED, (hsize_t)width};
    hsize_t chunk[2] = {chunk_rows, (hsize_t)width};
    hid_t space = H5Screate_simple(2, size, limit);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(creation, 2, chunk);
    H5Pset_fletcher32(creation);
    H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    H5Pset_chunk_cache(access, 1, 0, 1.0); /* whole chunks are written: nothing to cache */
    hid_t dataset = H5Dcreate2(group, place, H5T_IEEE_F64LE, space, w->link_properties, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

/* The dataset of one channel under its own name, or under a number where HDF5 cannot hold the name. */
static ac_status make_channel(ac_result_writer *w, hid_t group, stored_table *t, int index,
                              hsize_t chunk_rows)
{
    stored_channel *channel = &t->channels[index];
    char numbered[32];
    snprintf(numbered, sizeof numbered, "channel %d", index + 1);
    const char *place = channel->name;
    hid_t dataset = usable_as_path(place) ? make_dataset(w, group, place, channel->width, chunk_rows) : -1;
    if (dataset < 0) {
        place = numbered;
        dataset = make_dataset(w, group, place, channel->width, chunk_rows);
    }
    if (dataset < 0) return outcome(w, false);
    channel->dataset = dataset;
    channel->place = ac_copy_text(w->ctx, place);
    if (!channel->place) return ac_out_of_memory(w->ctx);
    bool done = ac_hdf5_put_text_attribute(dataset, "unit", channel->unit) &&
                ac_hdf5_put_text_attribute(dataset, "labels", channel->labels) &&
                (strcmp(place, channel->name) == 0 ||
                 ac_hdf5_put_text_attribute(dataset, "name", channel->name));
    return outcome(w, done);
}

static ac_status make_datasets(ac_result_writer *w, stored_table *t)
{
    hid_t group = H5Gcreate2(w->file, t->name, w->link_properties, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return outcome(w, false);
    hsize_t chunk_rows = t->buffered > 0 ? (hsize_t)t->buffered : 1;
    ac_status status = AC_OK;
    for (int c = 0; c < t->channel_count && status == AC_OK; ++c)
        status = make_channel(w, group, t, c, chunk_rows);
    H5Gclose(group);
    t->made = status == AC_OK;
    return status;
}

static bool write_block(const stored_table *t, const stored_channel *channel)
{
    hsize_t width = (hsize_t)channel->width, count[2] = {(hsize_t)t->buffered, width};
    hsize_t start[2] = {t->rows, 0}, size[2] = {t->rows + count[0], width};
    if (H5Dset_extent(channel->dataset, size) < 0) return false;
    hid_t file_space = H5Dget_space(channel->dataset), memory_space = H5Screate_simple(2, count, NULL);
    const double *block = t->buffer + channel->offset * (size_t)t->block_rows;
    bool done = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(channel->dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, block) >=
                    0;
    H5Sclose(memory_space);
    H5Sclose(file_space);
    return done;
}

static ac_status flush_table(ac_result_writer *w, stored_table *t)
{
    if (!t->made) AC_TRY(make_datasets(w, t));
    if (t->buffered == 0) return AC_OK;
    for (int c = 0; c < t->channel_count; ++c) AC_TRY(outcome(w, write_block(t, &t->channels[c])));
    t->rows += (hsize_t)t->buffered;
    t->buffered = 0;
    return AC_OK;
}

static ac_status check_row(ac_result_writer *w, const stored_table *t, const double *row)
{
    for (int c = 0; c < t->channel_count; ++c) {
        const stored_channel *channel = &t->channels[c];
        for (int i = 0; i < channel->width; ++i) {
            if (!isfinite(row[channel->offset + (size_t)i]))
                return ac_fail(w->ctx, AC_BAD_INPUT,
                               "channel %s of table %s is not a finite number in row %lld", channel->name,
                               t->name, (long long)t->rows + t->buffered);
        }
    }
    return AC_OK;
}

ac_status ac_result_append(ac_result_writer *writer, int table, const double *row)
{
    stored_table *t = &writer->tables[table];
    AC_TRY(check_row(writer, t, row));
    if (t->buffered == t->block_rows) {
        ac_hdf5_silence silence = ac_hdf5_silence_begin();
        ac_status status = flush_table(writer, t);
        ac_hdf5_silence_end(&silence);
        AC_TRY(status);
    }
    for (int c = 0; c < t->channel_count; ++c) {
        const stored_channel *channel = &t->channels[c];
        size_t width = (size_t)channel->width;
        double *target = t->buffer + channel->offset * (size_t)t->block_rows + (size_t)t->buffered * width;
        memcpy(target, row + channel->offset, width * sizeof *row);
    }
    ++t->buffered;
    return AC_OK;
}

/* ---- lists ---- */

static const char *text_in(const void *list, int i)
{
    return ((const char *const *)list)[i];
}

static ac_status put_list_values(ac_result_writer *w, hid_t group, const char *labels,
                                 const ac_result_list *list)
{
    hsize_t size[2] = {(hsize_t)list->count, (hsize_t)list->width};
    hid_t dataset = make_dataset(w, group, "values", list->width, size[0]);
    bool done = dataset >= 0 && H5Dset_extent(dataset, size) >= 0 &&
                H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list->values) >= 0 &&
                ac_hdf5_put_text_attribute(dataset, "labels", labels);
    if (dataset >= 0) done = H5Dclose(dataset) >= 0 && done;
    return outcome(w, done);
}

static ac_status put_list(ac_result_writer *w, const char *place, const char *labels,
                          const ac_result_list *list)
{
    hid_t group = H5Gcreate2(w->file, place, w->link_properties, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return outcome(w, false);
    ac_status status = put_texts(w, group, "names", (int)list->count, text_in, list->names);
    if (status == AC_OK) status = put_texts(w, group, "words", (int)list->count, text_in, list->words);
    if (status == AC_OK) status = put_list_values(w, group, labels, list);
    H5Gclose(group);
    return status;
}

ac_status ac_result_put_list(ac_result_writer *writer, const char *name, const char *labels,
                             const ac_result_list *list)
{
    for (long k = 0; k < list->count * list->width; ++k) {
        if (isfinite(list->values[k])) continue;
        return ac_fail(writer->ctx, AC_BAD_INPUT, "a number of '%s' in the list %s is not finite",
                       list->names[k / list->width], name);
    }
    char *place = ac_allocate(writer->ctx, strlen(name) + sizeof AC_RESULT_LISTS, 1);
    if (!place) return ac_out_of_memory(writer->ctx);
    strcpy(place, AC_RESULT_LISTS);
    strcat(place, name);
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = put_list(writer, place, labels, list);
    ac_hdf5_silence_end(&silence);
    ac_release(writer->ctx, place);
    return status;
}

/* ---- completing the file ---- */

static const char *channel_name(const void *list, int i)
{
    return ((const stored_channel *)list)[i].name;
}

static const char *channel_unit(const void *list, int i)
{
    return ((const stored_channel *)list)[i].unit;
}

static const char *channel_labels(const void *list, int i)
{
    return ((const stored_channel *)list)[i].labels;
}

static const char *channel_place(const void *list, int i)
{
    return ((const stored_channel *)list)[i].place;
}

static const char *number_name(const void *list, int i)
{
    return ((const stored_number *)list)[i].name;
}

static const char *number_unit(const void *list, int i)
{
    return ((const stored_number *)list)[i].unit;
}

static ac_status put_index_lists(ac_result_writer *w, hid_t group, const stored_table *t)
{
    AC_TRY(put_texts(w, group, "names", t->channel_count, channel_name, t->channels));
    AC_TRY(put_texts(w, group, "units", t->channel_count, channel_unit, t->channels));
    AC_TRY(put_texts(w, group, "labels", t->channel_count, channel_labels, t->channels));
    AC_TRY(put_texts(w, group, "datasets", t->channel_count, channel_place, t->channels));
    int *widths;
    AC_NEW(w->ctx, widths, t->channel_count);
    for (int c = 0; c < t->channel_count; ++c) widths[c] = t->channels[c].width;
    bool done = ac_hdf5_put_dataset(group, "widths", w->link_properties, H5T_STD_I32LE, H5T_NATIVE_INT,
                                    t->channel_count, widths);
    ac_release(w->ctx, widths);
    return outcome(w, done);
}

static ac_status put_index(ac_result_writer *w, int number)
{
    stored_table *t = &w->tables[number];
    AC_TRY(flush_table(w, t));
    char *place = ac_allocate(w->ctx, strlen(t->name) + sizeof "/index/", 1);
    if (!place) return ac_out_of_memory(w->ctx);
    strcpy(place, "/index/");
    strcat(place, t->name);
    hid_t group = H5Gcreate2(w->file, place, w->link_properties, H5P_DEFAULT, H5P_DEFAULT);
    ac_release(w->ctx, place);
    if (group < 0) return outcome(w, false);
    ac_status status = put_index_lists(w, group, t);
    if (status == AC_OK && (!ac_hdf5_put_integer_attribute(group, "number", number) ||
                            !ac_hdf5_put_integer_attribute(group, "rows", (long long)t->rows)))
        status = outcome(w, false);
    H5Gclose(group);
    return status;
}

static ac_status put_summary(ac_result_writer *w)
{
    AC_TRY(put_texts(w, w->file, "/summary/names", w->number_count, number_name, w->numbers));
    AC_TRY(put_texts(w, w->file, "/summary/units", w->number_count, number_unit, w->numbers));
    double *values;
    AC_NEW(w->ctx, values, w->number_count);
    for (int i = 0; i < w->number_count; ++i) values[i] = w->numbers[i].value;
    bool done = ac_hdf5_put_dataset(w->file, "/summary/values", w->link_properties, H5T_IEEE_F64LE,
                                    H5T_NATIVE_DOUBLE, w->number_count, values);
    ac_release(w->ctx, values);
    return outcome(w, done);
}

/* Brings the folder's new entry to the disk. Not every file system can; the result is complete in any
 * case. */
static void settle_folder(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder) return;
    if (slash) {
        memcpy(folder, path, length + 1);
        folder[length ? length : 1] = '\0';
    }
    int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    (void)fsync(descriptor);
    close(descriptor);
}

static ac_status complete(ac_result_writer *w)
{
    for (int t = 0; t < w->table_count; ++t) AC_TRY(put_index(w, t));
    AC_TRY(put_summary(w));
    AC_TRY(outcome(w, close_datasets(w)));
    hid_t file = w->file;
    w->file = 0;
    AC_TRY(outcome(w, ac_result_disk_close(&w->disk, file) >= 0));
    int descriptor = w->disk.descriptor;
    w->disk.descriptor = -1;
    bool settled = fsync(descriptor) == 0 || errno == EINVAL;
    if (close(descriptor) != 0 || !settled) return system_failed(w, errno);
    if (rename(w->part, w->path) != 0) return system_failed(w, errno);
    settle_folder(w->path);
    return AC_OK;
}

ac_status ac_result_commit(ac_result_writer *writer)
{
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    ac_status status = complete(writer);
    if (status != AC_OK) discard_file(writer);
    free_writer(writer);
    ac_hdf5_silence_end(&silence);
    return status;
}

ac_status ac_result_rename(ac_result_writer *writer, const char *path)
{
    char *copy = ac_copy_text(writer->ctx, path);
    if (!copy) return ac_out_of_memory(writer->ctx);
    ac_release(writer->ctx, writer->path);
    writer->path = copy;
    return AC_OK;
}

void ac_result_abandon(ac_result_writer *writer)
{
    if (!writer) return;
    ac_hdf5_silence silence = ac_hdf5_silence_begin();
    discard_file(writer);
    free_writer(writer);
    ac_hdf5_silence_end(&silence);
}
