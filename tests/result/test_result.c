/* Result files: everything written is read back, nothing is left half written, bad files are named as
 * such. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "actio/result.h"
#include "support/memory.h"
#include "test.h"

#ifdef ACTIO_SANITIZED
/* HDF5 1.10 loses the header of an object whose checksum is wrong, 424 bytes for every damaged file that is opened. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}
#endif

enum { ROWS = 10007 };

static const ac_channel channels[] = {
    {"time", "s", "", 1},
    {"body/link[17]/position", "m", "x y z", 3},
    {"body/a b.c/rotation", "1", "", 9},
    {"body", "1", "", 1},            /* a group of that name exists: HDF5 needs another place */
    {"body/./position", "m", "", 1}, /* a part that HDF5 would swallow */
    {"", "1", "", 1},
    {"gel\xC3\xA4nder/h\xC3\xB6he", "m", "", 2},
};
enum { CHANNELS = sizeof channels / sizeof *channels, WIDTH = 1 + 3 + 9 + 1 + 1 + 1 + 2 };

static char folder[] = "/tmp/actio-result-XXXXXX";

static void path_of(char *path, const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
}

/* Number of files in the test's folder. */
static int files(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') ++count;
    }
    closedir(dir);
    return count;
}

static void fill(double *row, long i)
{
    for (int k = 0; k < WIDTH; ++k) row[k] = (double)i + 0.01 * k;
}

static ac_status write_file(ac_context *ctx, const char *path, long rows, ac_result_writer **writer)
{
    int table = -1, other = -1;
    double row[WIDTH];
    ac_status status = ac_result_create(ctx, path, writer);
    if (status != AC_OK) return status;
    if ((status = ac_result_put_text(*writer, "title", "An \xC3\xA9xample")) != AC_OK) return status;
    if ((status = ac_result_put_text(*writer, "status", "first")) != AC_OK) return status;
    if ((status = ac_result_put_text(*writer, "status", "solved")) != AC_OK) return status;
    if ((status = ac_result_put_text(*writer, "message", "")) != AC_OK) return status;
    if ((status = ac_result_put_table(*writer, "nodes", channels, CHANNELS, &table)) != AC_OK) return status;
    if ((status = ac_result_put_table(*writer, "intervals", channels, 1, &other)) != AC_OK) return status;
    for (long i = 0; i < rows; ++i) {
        fill(row, i);
        if ((status = ac_result_append(*writer, table, row)) != AC_OK) return status;
    }
    if ((status = ac_result_put_number(*writer, "steps", (double)rows, "1")) != AC_OK) return status;
    return ac_result_put_number(*writer, "a/b c", 0.1, "m/s");
}

static void check_contents(ac_context *ctx, const char *path, long rows)
{
    ac_result *result = NULL;
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    if (!result) {
        printf("%s\n", ac_context_message(ctx));
        return;
    }
    CHECK_TEXT(ac_result_text(result, "title"), "An \xC3\xA9xample");
    CHECK_TEXT(ac_result_text(result, "status"), "solved");
    CHECK_TEXT(ac_result_text(result, "message"), "");
    CHECK(ac_result_text(result, "nothing") == NULL);
    double value = 0;
    const char *unit = NULL;
    CHECK(ac_result_number_count(result) == 2);
    CHECK_TEXT(ac_result_number_name(result, 1, &value, &unit), "a/b c");
    CHECK_TEXT(unit, "m/s");
    CHECK(value == 0.1);
    CHECK(ac_result_number(result, "steps", &value) && value == (double)rows);
    CHECK(!ac_result_number(result, "stops", &value));
    CHECK(ac_result_table_count(result) == 2);
    CHECK_TEXT(ac_result_table_name(result, 0), "nodes");
    CHECK_TEXT(ac_result_table_name(result, 1), "intervals");
    CHECK(ac_result_rows(result, 0) == rows);
    CHECK(ac_result_rows(result, 1) == 0);
    int count = 0;
    const ac_channel *read = ac_result_channels(result, 0, &count);
    CHECK(count == CHANNELS);
    double *values = malloc((size_t)(rows + 1) * 9 * sizeof *values);
    for (int c = 0, offset = 0; c < count && c < CHANNELS; offset += channels[c].width, ++c) {
        CHECK_TEXT(read[c].name, channels[c].name);
        CHECK_TEXT(read[c].unit, channels[c].unit);
        CHECK_TEXT(read[c].labels, channels[c].labels);
        CHECK(read[c].width == channels[c].width);
        int table = -1, channel = -1;
        CHECK(ac_result_find(result, channels[c].name, &table, &channel) && table == 0 && channel == c);
        CHECK(ac_result_read(result, 0, c, 0, 1, rows, values) == AC_OK);
        int wrong = 0;
        for (long i = 0; i < rows; ++i) {
            for (int k = 0; k < channels[c].width; ++k)
                wrong += values[i * channels[c].width + k] != (double)i + 0.01 * (offset + k);
        }
        CHECK(wrong == 0);
    }
    if (rows > 100) {
        CHECK(ac_result_read(result, 0, 0, 3, 7, 10, values) == AC_OK);
        CHECK(values[0] == 3 && values[9] == 66);
    }
    CHECK(ac_result_read(result, 0, 0, 0, 1, rows + 1, values) == AC_BAD_INPUT);
    CHECK(ac_result_read(result, 0, 0, rows - 1, 5, 2, values) == AC_BAD_INPUT);
    CHECK(ac_result_read(result, 0, 99, 0, 1, 1, values) == AC_BAD_INPUT);
    free(values);
    ac_result_close(result);
}

TEST(what_is_written_is_read_back)
{
    static const long sizes[] = {0, 1, 5, ROWS};
    ac_context *ctx = ac_context_new(NULL);
    char path[256];
    path_of(path, "result.h5");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        ac_result_writer *writer = NULL;
        CHECK(write_file(ctx, path, sizes[i], &writer) == AC_OK);
        CHECK(ac_result_commit(writer) == AC_OK);
        CHECK(files() == 1);
        check_contents(ctx, path, sizes[i]);
    }
    unlink(path);
    ac_context_free(ctx);
}

TEST(nothing_appears_before_it_is_complete)
{
    ac_context *ctx = ac_context_new(NULL);
    char path[256];
    path_of(path, "result.h5");
    ac_result_writer *writer = NULL, *second = NULL;
    CHECK(write_file(ctx, path, 20, &writer) == AC_OK);
    CHECK(access(path, F_OK) != 0);
    CHECK(write_file(ctx, path, 30, &second) == AC_OK);
    ac_result_abandon(writer);
    CHECK(ac_result_commit(second) == AC_OK);
    check_contents(ctx, path, 30);
    CHECK(files() == 1);
    CHECK(write_file(ctx, path, 40, &writer) == AC_OK);
    ac_result_abandon(writer);
    ac_result_abandon(NULL);
    check_contents(ctx, path, 30); /* the earlier file is untouched */
    CHECK(files() == 1);
    unlink(path);
    ac_context_free(ctx);
}

TEST(numbers_that_are_not_finite_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    char path[256];
    double row[WIDTH];
    path_of(path, "result.h5");
    ac_result_writer *writer = NULL;
    CHECK(write_file(ctx, path, 3, &writer) == AC_OK);
    fill(row, 3);
    row[2] = NAN;
    CHECK(ac_result_append(writer, 0, row) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx),
               "channel body/link[17]/position of table nodes is not a finite number in row 3");
    CHECK(ac_result_commit(writer) == AC_OK);
    check_contents(ctx, path, 3);
    unlink(path);
    ac_context_free(ctx);
}

TEST(a_place_that_cannot_be_written_is_named)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result_writer *writer = NULL;
    CHECK(ac_result_create(ctx, "/nowhere/at/all.h5", &writer) == AC_IO_FAILED);
    CHECK_TEXT(ac_context_message(ctx),
               "/nowhere/at/all.h5: the result could not be written: No such file or directory");
    CHECK(ac_result_create(ctx, folder, &writer) == AC_IO_FAILED);
    CHECK(files() == 0);
    ac_context_free(ctx);
}

/* A limit on the size of files stands for a full disk: every write beyond it fails. */
TEST(a_full_disk_leaves_nothing_behind)
{
    ac_context *ctx = ac_context_new(NULL);
    char path[256];
    path_of(path, "result.h5");
    struct rlimit saved, limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &saved);
    for (rlim_t size = 0; size < 1600000; size = size * 3 / 2 + 512) {
        limit = saved;
        limit.rlim_cur = size;
        setrlimit(RLIMIT_FSIZE, &limit);
        ac_result_writer *writer = NULL;
        ac_status status = write_file(ctx, path, ROWS, &writer);
        if (status == AC_OK)
            status = ac_result_commit(writer);
        else
            ac_result_abandon(writer);
        setrlimit(RLIMIT_FSIZE, &saved);
        CHECK(status == AC_IO_FAILED);
        CHECK(strstr(ac_context_message(ctx), "the result could not be written") != NULL);
        CHECK(files() == 0);
    }
    ac_result_writer *writer = NULL; /* and the library still works */
    CHECK(write_file(ctx, path, 50, &writer) == AC_OK);
    CHECK(ac_result_commit(writer) == AC_OK);
    check_contents(ctx, path, 50);
    unlink(path);
    ac_context_free(ctx);
}

static void copy_part(const char *from, const char *to, long bytes)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    for (long i = 0; i < bytes; ++i) {
        int c = fgetc(in);
        if (c == EOF) break;
        fputc(c, out);
    }
    fclose(in);
    fclose(out);
}

TEST(foreign_and_damaged_files_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    ac_result_writer *writer = NULL;
    char path[256], cut[256];
    path_of(path, "result.h5");
    path_of(cut, "cut.h5");
    CHECK(ac_result_open(ctx, cut, &result) == AC_IO_FAILED);
    CHECK(ac_result_open(ctx, folder, &result) == AC_BAD_INPUT);
    CHECK(ac_result_open(ctx, __FILE__, &result) != AC_OK);
    CHECK(write_file(ctx, path, 100, &writer) == AC_OK);
    CHECK(ac_result_commit(writer) == AC_OK);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    for (long bytes = 0; bytes < size; bytes += size / 40) {
        copy_part(path, cut, bytes);
        CHECK(ac_result_open(ctx, cut, &result) == AC_BAD_INPUT);
        CHECK(result == NULL);
        CHECK(strstr(ac_context_message(ctx), "cut.h5: ") != NULL);
    }
    unlink(cut);
    unlink(path);
    ac_context_free(ctx);
}

/* A byte that changed on the disk, wherever these bytes stand in the file. */
static void change(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "r+b");
    int changed = 0;
    char at[16];
    for (long i = 0; fseek(file, i, SEEK_SET) == 0 && fread(at, 1, length, file) == length; ++i) {
        if (memcmp(at, bytes, length) != 0) continue;
        fseek(file, i, SEEK_SET);
        fputc(at[0] ^ 1, file);
        ++changed;
    }
    fclose(file);
    CHECK(changed > 0);
}

/* Texts, names and numbers have checksums, as the rows have: in the header of a small dataset, in the chunk of a large one. */
TEST(changed_bytes_of_texts_and_numbers_are_noticed)
{
    static const double speed = 0.1;
    static const struct {
        const char *bytes;
        size_t length;
    } places[] = {{"solved", 6}, {"a/b c", 5}, {"link[17]", 8}, {(const char *)&speed, 8}, {"endless", 7}};
    ac_context *ctx = ac_context_new(NULL);
    char path[256], *text = calloc(100001, 1);
    path_of(path, "result.h5");
    memset(text, 'x', 100000);
    memcpy(text + 50000, "endless", 7);
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        ac_result_writer *writer = NULL;
        ac_result *result = NULL;
        CHECK(write_file(ctx, path, 0, &writer) == AC_OK);
        CHECK(ac_result_put_text(writer, "problem", text) == AC_OK);
        CHECK(ac_result_commit(writer) == AC_OK);
        CHECK(ac_result_open(ctx, path, &result) == AC_OK);
        if (result) CHECK_TEXT(ac_result_text(result, "problem"), text);
        ac_result_close(result);
        change(path, places[k].bytes, places[k].length);
        CHECK(ac_result_open(ctx, path, &result) == AC_BAD_INPUT);
        ac_result_close(result);
    }
    unlink(path);
    free(text);
    ac_context_free(ctx);
}

TEST(control_characters_are_not_handed_on)
{
    static const ac_channel steering = {"a\x1b[2J", "m\x07", "x y\xC2\x9B", 2};
    ac_context *ctx = ac_context_new(NULL);
    ac_result_writer *writer = NULL;
    ac_result *result = NULL;
    char path[256];
    const char *unit;
    double value;
    int table, count;
    path_of(path, "result.h5");
    CHECK(ac_result_create(ctx, path, &writer) == AC_OK);
    CHECK(ac_result_put_text(writer, "title", "red\x1b[31m\n") == AC_OK);
    CHECK(ac_result_put_number(writer, "n\x1b", 1.0, "\x7F") == AC_OK);
    CHECK(ac_result_put_table(writer, "nodes", &steering, 1, &table) == AC_OK);
    CHECK(ac_result_append(writer, table, (double[]){1.0, 2.0}) == AC_OK);
    CHECK(ac_result_commit(writer) == AC_OK);
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    if (result) {
        double values[2];
        const ac_channel *read = ac_result_channels(result, 0, &count);
        CHECK_TEXT(ac_result_text(result, "title"), "red?[31m\n");
        CHECK_TEXT(ac_result_number_name(result, 0, &value, &unit), "n?");
        CHECK_TEXT(unit, "?");
        CHECK_TEXT(read[0].name, "a?[2J");
        CHECK_TEXT(read[0].unit, "m?");
        CHECK_TEXT(read[0].labels, "x y??");
        CHECK(ac_result_read(result, 0, 0, 0, 1, 1, values) == AC_OK && values[1] == 2.0);
    }
    ac_result_close(result);
    unlink(path);
    ac_context_free(ctx);
}

TEST(every_allocation_may_fail)
{
    char path[256];
    path_of(path, "result.h5");
    ac_status status = AC_NO_MEMORY;
    for (int blocks = 1; status != AC_OK && blocks < 500; ++blocks) {
        memory m = {0};
        ac_context *ctx = memory_context(&m);
        ac_result_writer *writer = NULL;
        m.calls = 0;
        m.fail_from = blocks + 1;
        status = write_file(ctx, path, 10, &writer);
        if (status == AC_OK)
            status = ac_result_commit(writer);
        else
            ac_result_abandon(writer);
        CHECK(status == AC_OK || status == AC_NO_MEMORY);
        CHECK(files() == (status == AC_OK));
        m.fail_from = 0;
        ac_context_free(ctx);
    }
    CHECK(status == AC_OK);
    status = AC_NO_MEMORY;
    for (int blocks = 1; status != AC_OK && blocks < 500; ++blocks) {
        memory m = {0};
        ac_context *ctx = memory_context(&m);
        ac_result *result = NULL;
        m.calls = 0;
        m.fail_from = blocks + 1;
        status = ac_result_open(ctx, path, &result);
        CHECK(status == AC_OK || (result == NULL && status != AC_IO_FAILED));
        ac_result_close(result);
        ac_context_free(ctx);
    }
    CHECK(status == AC_OK);
    unlink(path);
}

TEST(the_folder_is_removed)
{
    CHECK(rmdir(folder) == 0);
}

TEST(a_folder_is_made)
{
    CHECK(mkdtemp(folder) != NULL);
}

RUN_TESTS(CASE(a_folder_is_made), CASE(what_is_written_is_read_back),
          CASE(nothing_appears_before_it_is_complete), CASE(numbers_that_are_not_finite_are_refused),
          CASE(a_place_that_cannot_be_written_is_named), CASE(a_full_disk_leaves_nothing_behind),
          CASE(foreign_and_damaged_files_are_refused), CASE(changed_bytes_of_texts_and_numbers_are_noticed),
          CASE(control_characters_are_not_handed_on), CASE(every_allocation_may_fail),
          CASE(the_folder_is_removed))
