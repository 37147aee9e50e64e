/* Writing, finding and reading checkpoints. */
#include "task/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/base.h"
#include "task/stream.h"

static const char MARK[16] = "actio resume 2\n";

typedef struct head {
    char mark[16];
    uint64_t key;
    ac_checkpoint_mark rows; /* what of the log belongs to it */
    uint64_t size, sum;
} head;

static uint64_t key_of(const ac_problem *problem)
{
    uint64_t key = ac_checksum(AC_CHECKSUM_START, ACTIO_VERSION, sizeof ACTIO_VERSION);
    const char *text = ac_problem_text(problem), *setting;
    key = ac_checksum(key, text, strlen(text) + 1);
    for (int k = 0; (setting = ac_problem_setting(problem, k)) != NULL; ++k)
        key = ac_checksum(key, setting, strlen(setting) + 1);
    return key;
}

static char *beside(ac_context *ctx, const char *path, const char *ending)
{
    size_t size = strlen(path) + strlen(ending) + 1;
    char *name = ac_allocate(ctx, size, 1);
    if (name) snprintf(name, size, "%s%s", path, ending);
    return name;
}

static void give_up(ac_checkpoint *c)
{
    fclose(c->rows);
    c->rows = NULL;
}

/* --- finding --- */

static ac_status read_found(ac_checkpoint *c, FILE *file)
{
    head h;
    if (fread(&h, sizeof h, 1, file) != 1 || memcmp(h.mark, MARK, sizeof MARK) != 0 || h.size > SIZE_MAX / 2)
        return ac_fail(c->ctx, AC_BAD_INPUT, "%s: this is not a checkpoint of actio", c->path);
    if (h.key != c->key)
        return ac_fail(
            c->ctx, AC_BAD_INPUT,
            "%s: the checkpoint is of another problem file, other settings (--set) or another version; run "
            "without --resume to start again",
            c->path);
    AC_NEW(c->ctx, c->found, h.size);
    c->found_size = (size_t)h.size;
    c->found_rows = h.rows;
    bool whole = fread(c->found, 1, c->found_size, file) == c->found_size;
    if (!whole || ac_checksum(AC_CHECKSUM_START, c->found, c->found_size) != h.sum)
        return ac_fail(c->ctx, AC_BAD_INPUT,
                       "%s: the checkpoint is damaged; run without --resume to start again", c->path);
    return AC_OK;
}

static ac_status find(ac_checkpoint *c)
{
    FILE *file = fopen(c->path, "rb");
    if (!file && errno == ENOENT) return AC_OK;
    if (!file) return ac_fail(c->ctx, AC_IO_FAILED, "%s: %s", c->path, strerror(errno));
    c->left = true; /* also when it is not for us */
    ac_status status = read_found(c, file);
    fclose(file);
    return status;
}

/* Opens the log and locks it: one run at a time may have it. A link is not followed. */
static int lock_rows(const ac_checkpoint *c, int flags)
{
    int descriptor = open(c->rows_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
    if (descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    close(descriptor);
    errno = EWOULDBLOCK;
    return -1;
}

/* The log: that of the run which goes on, else a new one in place of what no run has. Without it there are no
 * checkpoints. */
static void open_rows(ac_checkpoint *c)
{
    int descriptor = lock_rows(c, 0);
    if (descriptor < 0 && errno == EWOULDBLOCK) return;
    if (descriptor < 0 || !c->resume) {
        bool kept = c->resume && errno != ENOENT; /* by somebody else, or a link */
        if (!kept) remove(c->rows_path);
        if (descriptor >= 0) close(descriptor);
        descriptor = kept ? -1 : lock_rows(c, O_CREAT | O_EXCL);
    }
    c->rows = descriptor >= 0 ? fdopen(descriptor, "r+b") : NULL;
    if (!c->rows && descriptor >= 0) close(descriptor);
    c->owned = c->rows != NULL;
}

/* Whether the log begins with the rows of the checkpoint. */
static bool rows_are_whole(const ac_checkpoint *c)
{
    unsigned char bytes[8192];
    ac_checkpoint_mark read = {0, AC_CHECKSUM_START};
    while (read.bytes < c->found_rows.bytes) {
        int64_t left = c->found_rows.bytes - read.bytes;
        size_t wanted = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        if (fread(bytes, 1, wanted, c->rows) != wanted) return false;
        read.bytes += (int64_t)wanted;
        read.sum = ac_checksum(read.sum, bytes, wanted);
    }
    return read.sum == c->found_rows.sum;
}

static ac_status find_rows(ac_checkpoint *c)
{
    if (!c->found) {
        if (c->rows && ftruncate(fileno(c->rows), 0) != 0) give_up(c);
        return AC_OK;
    }
    struct stat state;
    bool there = c->rows && fstat(fileno(c->rows), &state) == 0 && state.st_size >= c->found_rows.bytes;
    if (there && rows_are_whole(c)) return AC_OK;
    return ac_fail(c->ctx, AC_BAD_INPUT,
                   "%s: rows of the checkpoint are %s; run without --resume to start again", c->rows_path,
                   there ? "damaged" : "missing");
}

ac_status ac_checkpoint_begin(ac_checkpoint *c, ac_context *ctx, const ac_problem *problem,
                              const char *output, bool resume)
{
    *c = (ac_checkpoint){.ctx = ctx, .key = key_of(problem), .last = ac_wall_seconds(), .resume = resume};
    c->written.sum = AC_CHECKSUM_START;
    c->path = beside(ctx, output, ".checkpoint");
    c->rows_path = beside(ctx, output, ".rows");
    if (!c->path || !c->rows_path) return ac_out_of_memory(ctx);
    open_rows(c);
    struct stat state;
    if (resume && !c->owned && lstat(c->rows_path, &state) == 0)
        return S_ISLNK(state.st_mode)
                   ? ac_fail(ctx, AC_BAD_INPUT, "%s: this is a link; run without --resume to start again",
                             c->rows_path)
                   : ac_fail(ctx, AC_BAD_INPUT, "%s: another run is writing it; wait until it has ended",
                             output);
    if (resume)
        AC_TRY(find(c));
    else if (c->owned)
        remove(c->path);
    return find_rows(c);
}

void ac_checkpoint_end(ac_checkpoint *c, bool keep)
{
    bool clear = c->owned && !(keep && c->left);
    if (clear) remove(c->path);
    if (clear) remove(c->rows_path);
    if (c->rows) fclose(c->rows);
    ac_release(c->ctx, c->path);
    ac_release(c->ctx, c->rows_path);
    ac_release(c->ctx, c->found);
    *c = (ac_checkpoint){0};
}

/* --- rows --- */

static void count_row(ac_checkpoint *c, int32_t table, const double *row, int width)
{
    size_t size = (size_t)width * sizeof *row;
    c->written.bytes += (int64_t)(sizeof table + size);
    c->written.sum = ac_checksum(ac_checksum(c->written.sum, &table, sizeof table), row, size);
}

void ac_checkpoint_row(ac_checkpoint *c, int table, const double *row, int width)
{
    int32_t number = table;
    if (!c || !c->rows) return;
    bool good = fwrite(&number, sizeof number, 1, c->rows) == 1 &&
                fwrite(row, sizeof *row, (size_t)width, c->rows) == (size_t)width;
    count_row(c, number, row, width);
    if (!good) give_up(c);
}

ac_checkpoint_mark ac_checkpoint_position(const ac_checkpoint *c)
{
    return c->written;
}

ac_status ac_checkpoint_replay(ac_checkpoint *c, const ac_sink *sink,
                               int (*width)(const void *user, int table), const void *user)
{
    double *row = NULL;
    int room = 0;
    ac_status status = fseeko(c->rows, 0, SEEK_SET) == 0 ? AC_OK : AC_IO_FAILED;
    while (status == AC_OK && c->written.bytes < c->found_rows.bytes) {
        int32_t table;
        int numbers = fread(&table, sizeof table, 1, c->rows) == 1 ? width(user, table) : -1;
        if (numbers > room) status = ac_grow(c->ctx, (void **)&row, &room, numbers, sizeof *row);
        if (status != AC_OK) break;
        bool whole = numbers >= 0 && fread(row, sizeof *row, (size_t)numbers, c->rows) == (size_t)numbers;
        status = whole ? sink->row(sink->user, table, row)
                       : ac_fail(c->ctx, AC_BAD_INPUT, "%s: the rows of the checkpoint are damaged",
                                 c->rows_path);
        if (whole) count_row(c, table, row, numbers);
    }
    ac_release(c->ctx, row);
    if (status == AC_IO_FAILED) return ac_fail(c->ctx, status, "%s: %s", c->rows_path, strerror(errno));
    AC_TRY(status);
    if (ftruncate(fileno(c->rows), (off_t)c->found_rows.bytes) != 0 || fseeko(c->rows, 0, SEEK_END) != 0)
        give_up(c);
    return AC_OK;
}

/* --- writing --- */

static bool write_file(const ac_checkpoint *c, const char *name, const head *h, const void *bytes,
                       size_t size)
{
    remove(name);
    FILE *file = fopen(name, "wbx");
    if (!file) return false;
    bool good = fwrite(h, sizeof *h, 1, file) == 1 && fwrite(bytes, 1, size, file) == size &&
                fflush(file) == 0 && fsync(fileno(file)) == 0;
    good = fclose(file) == 0 && good;
    return good && rename(name, c->path) == 0;
}

void ac_checkpoint_write(ac_checkpoint *c, ac_checkpoint_mark rows, const void *bytes, size_t size)
{
    if (!c->rows) return;
    if (fflush(c->rows) != 0 || fsync(fileno(c->rows)) != 0) {
        give_up(c);
        return;
    }
    head h = {.key = c->key, .rows = rows, .size = size, .sum = ac_checksum(AC_CHECKSUM_START, bytes, size)};
    memcpy(h.mark, MARK, sizeof MARK);
    char *name = beside(c->ctx, c->path, ".part");
    bool good = name && write_file(c, name, &h, bytes, size);
    if (name && !good) remove(name);
    c->left = c->left || good;
    ac_release(c->ctx, name);
    c->last = ac_wall_seconds();
}
