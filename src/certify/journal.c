/* Journals of certifications. */
#include "certify/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/base.h"

static const char MAGIC[8] = {'a', 'c', 'j', 'o', 'u', 'r', 'n', '1'};

typedef struct head {
    char magic[8];
    uint64_t fingerprint;
} head;

typedef struct record {
    uint32_t series, width;
    int64_t block, count;
} record;

typedef struct entry {
    record what;
    int file;
    long offset; /* of the numbers */
} entry;

struct ac_journal {
    ac_context *ctx;
    FILE **files; /* the journal itself (may be NULL), then the parts */
    const char **names;
    int file_count;
    bool writes;
    entry *entries;
    int count, capacity;
};

static uint64_t sum_of(const record *what, const double *numbers)
{
    uint64_t sum = ac_checksum(AC_CHECKSUM_START, what, sizeof *what);
    return ac_checksum(sum, numbers, (size_t)what->count * what->width * sizeof *numbers);
}

static ac_status add_entry(ac_journal *j, const record *what, int file, long offset)
{
    AC_TRY(ac_grow(j->ctx, (void **)&j->entries, &j->capacity, j->count + 1, sizeof *j->entries));
    j->entries[j->count++] = (entry){*what, file, offset};
    return AC_OK;
}

/* One record, checked; false in *whole at the end of the file or where it was cut off. */
static ac_status read_record(ac_journal *j, FILE *file, record *what, bool *whole)
{
    uint64_t sum;
    *whole = false;
    if (fread(what, sizeof *what, 1, file) != 1) return AC_OK;
    if (what->count < 1 || what->count > 1 << 24 || what->width < 1 || what->width > 1 << 20) return AC_OK;
    size_t size = (size_t)what->count * what->width;
    double *numbers = ac_allocate(j->ctx, size, sizeof *numbers);
    if (!numbers) return ac_out_of_memory(j->ctx);
    *whole = fread(numbers, sizeof *numbers, size, file) == size && fread(&sum, sizeof sum, 1, file) == 1 &&
             sum == sum_of(what, numbers);
    ac_release(j->ctx, numbers);
    return AC_OK;
}

static ac_status read_records(ac_journal *j, int number, uint64_t fingerprint)
{
    FILE *file = j->files[number];
    head top;
    if (fread(&top, sizeof top, 1, file) != 1 || memcmp(top.magic, MAGIC, sizeof MAGIC) != 0)
        return ac_fail(j->ctx, AC_BAD_INPUT, "%s is not a journal of a certification", j->names[number]);
    if (top.fingerprint != fingerprint)
        return ac_fail(
            j->ctx, AC_BAD_INPUT,
            "the journal %s belongs to another problem or to other settings; remove it to begin anew",
            j->names[number]);
    for (;;) {
        long begin = ftell(file);
        record what;
        bool whole;
        AC_TRY(read_record(j, file, &what, &whole));
        if (!whole) return fseek(file, begin, SEEK_SET) == 0 ? AC_OK : AC_IO_FAILED;
        AC_TRY(add_entry(j, &what, number, begin + (long)sizeof what));
    }
}

static ac_status cannot(ac_journal *j, const char *what, const char *name)
{
    return ac_fail(j->ctx, AC_IO_FAILED, "cannot %s the journal %s: %s", what, name, strerror(errno));
}

static ac_status begin_file(ac_journal *j, const char *path, uint64_t fingerprint)
{
    head top = {.fingerprint = fingerprint};
    memcpy(top.magic, MAGIC, sizeof MAGIC);
    j->files[0] = fopen(path, "w+bx");
    if (!j->files[0]) return cannot(j, "write", path);
    return fwrite(&top, sizeof top, 1, j->files[0]) == 1 && fflush(j->files[0]) == 0
               ? AC_OK
               : cannot(j, "write", path);
}

static ac_status open_own(ac_journal *j, const char *path, uint64_t fingerprint)
{
    j->names[0] = path;
    if (!path) return AC_OK;
    int descriptor = open(path, (j->writes ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 && errno == ELOOP && j->writes) remove(path); /* a link: not followed */
    j->files[0] = descriptor < 0 ? NULL : fdopen(descriptor, j->writes ? "r+b" : "rb");
    if (!j->files[0]) return j->writes ? begin_file(j, path, fingerprint) : AC_OK;
    AC_TRY(read_records(j, 0, fingerprint));
    if (!j->writes) return AC_OK;
    long end = ftell(j->files[0]); /* what was cut off goes */
    return ftruncate(fileno(j->files[0]), end) == 0 ? AC_OK : cannot(j, "write", path);
}

static ac_status open_all(ac_journal *j, const char *path, uint64_t fingerprint, const char *const *parts,
                          int part_count)
{
    j->files = ac_allocate(j->ctx, (size_t)part_count + 1, sizeof *j->files);
    j->names = ac_allocate(j->ctx, (size_t)part_count + 1, sizeof *j->names);
    if (!j->files || !j->names) return ac_out_of_memory(j->ctx);
    j->file_count = part_count + 1;
    AC_TRY(open_own(j, path, fingerprint));
    for (int k = 0; k < part_count; ++k) {
        j->names[k + 1] = parts[k];
        j->files[k + 1] = fopen(parts[k], "rb");
        if (!j->files[k + 1]) return cannot(j, "read", parts[k]);
        AC_TRY(read_records(j, k + 1, fingerprint));
    }
    return AC_OK;
}

ac_status ac_journal_open(ac_context *ctx, const char *path, uint64_t fingerprint, const char *const *parts,
                          int part_count, bool writes, ac_journal **journal)
{
    ac_journal *j;
    *journal = NULL;
    AC_NEW(ctx, j, 1);
    j->ctx = ctx;
    j->writes = writes;
    ac_status status = open_all(j, path, fingerprint, parts, part_count);
    if (status != AC_OK) {
        ac_journal_close(j);
        return status;
    }
    *journal = j;
    return AC_OK;
}

void ac_journal_close(ac_journal *j)
{
    if (!j) return;
    for (int k = 0; k < j->file_count && j->files; ++k)
        if (j->files[k]) fclose(j->files[k]);
    ac_release(j->ctx, j->files);
    ac_release(j->ctx, j->names);
    ac_release(j->ctx, j->entries);
    ac_release(j->ctx, j);
}

long ac_journal_blocks(const ac_journal *j)
{
    return j->count;
}

static const entry *find_entry(const ac_journal *j, unsigned series, long block)
{
    for (int k = 0; k < j->count; ++k)
        if (j->entries[k].what.series == series && j->entries[k].what.block == block) return &j->entries[k];
    return NULL;
}

bool ac_journal_knows(const ac_journal *j, unsigned series, long block)
{
    return find_entry(j, series, block) != NULL;
}

ac_status ac_journal_find(ac_journal *j, unsigned series, long block, long count, int width, double *numbers,
                          bool *known)
{
    const entry *e = find_entry(j, series, block);
    *known = e != NULL;
    if (!e) return AC_OK;
    if (e->what.count != count || e->what.width != (uint32_t)width)
        return ac_fail(j->ctx, AC_BAD_INPUT, "the journal %s belongs to other settings", j->names[e->file]);
    size_t size = (size_t)count * (size_t)width;
    if (fseek(j->files[e->file], e->offset, SEEK_SET) != 0 ||
        fread(numbers, sizeof *numbers, size, j->files[e->file]) != size)
        return cannot(j, "read", j->names[e->file]);
    return AC_OK;
}

ac_status ac_journal_keep(ac_journal *j, unsigned series, long block, long count, int width,
                          const double *numbers)
{
    const record what = {series, (uint32_t)width, block, count};
    FILE *file = j->files[0];
    if (!file || !j->writes) return AC_OK;
    size_t size = (size_t)count * (size_t)width;
    uint64_t sum = sum_of(&what, numbers);
    if (fseek(file, 0, SEEK_END) != 0) return cannot(j, "write", j->names[0]);
    long begin = ftell(file);
    if (fwrite(&what, sizeof what, 1, file) != 1 || fwrite(numbers, sizeof *numbers, size, file) != size ||
        fwrite(&sum, sizeof sum, 1, file) != 1 || fflush(file) != 0)
        return cannot(j, "write", j->names[0]);
    return add_entry(j, &what, 0, begin + (long)sizeof what);
}
