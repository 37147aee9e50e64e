/* States as bytes and as files: a mark, the head, the numbers, a check sum.
 *
 * Bytes are those of the machine. A file of another kind of machine, or one that was damaged, does not have
 * the mark or the sum that it should have.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "integrate/state.h"
#include "base/checksum.h"

/* The number makes another order of bytes fail, the size of the head another layout. */
typedef struct mark {
    char text[16];
    double number;
    uint64_t head, bytes;
} mark;

static const char TEXT[16] = "actio state 2\n";
static const double NUMBER = 3.0000000000000004;

static size_t number_bytes(const ac_state_head *head)
{
    return ac_state_numbers(head) * sizeof(double);
}

size_t ac_state_bytes(const ac_state *state)
{
    return sizeof(mark) + sizeof state->head + number_bytes(&state->head) + sizeof(uint64_t);
}

void ac_state_pack(const ac_state *state, void *bytes)
{
    unsigned char *at = bytes;
    size_t total = ac_state_bytes(state);
    mark m;
    memset(&m, 0, sizeof m);
    memcpy(m.text, TEXT, sizeof m.text);
    m.number = NUMBER;
    m.head = sizeof state->head;
    m.bytes = total;
    memcpy(at, &m, sizeof m);
    memcpy(at + sizeof m, &state->head, sizeof state->head);
    memcpy(at + sizeof m + sizeof state->head, state->numbers, number_bytes(&state->head));
    uint64_t sum = ac_checksum(AC_CHECKSUM_START, at, total - sizeof sum);
    memcpy(at + total - sizeof sum, &sum, sizeof sum);
}

/* Why these are not the bytes of a state; NULL: they are. */
static const char *damage(const unsigned char *bytes, size_t size, mark *m, ac_state_head *head)
{
    uint64_t sum;
    if (size < sizeof *m + sizeof *head + sizeof sum) return "it is too short for a state";
    memcpy(m, bytes, sizeof *m);
    if (memcmp(m->text, TEXT, sizeof TEXT) != 0) return "it is not a state";
    if (m->number != NUMBER || m->head != sizeof *head) return "it was written on another kind of machine";
    if (m->bytes != size) return "a part of it is missing";
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    if (sum != ac_checksum(AC_CHECKSUM_START, bytes, size - sizeof sum))
        return "it is damaged: its check sum is wrong";
    memcpy(head, bytes + sizeof *m, sizeof *head);
    if (size != sizeof *m + sizeof *head + number_bytes(head) + sizeof sum) return "its sizes do not fit";
    return NULL;
}

ac_status ac_state_unpack(ac_context *ctx, const void *bytes, size_t size, ac_state **state)
{
    mark m;
    ac_state_head head;
    const char *wrong = damage(bytes, size, &m, &head);
    if (wrong) return ac_fail(ctx, AC_BAD_INPUT, "the state cannot be read: %s", wrong);
    AC_TRY(ac_state_create(ctx, &head, state));
    memcpy((*state)->numbers, (const unsigned char *)bytes + sizeof m + sizeof head, number_bytes(&head));
    return AC_OK;
}

/* --- files ------------------------------------------------------------------------------------------------- */

static ac_status write_all(ac_context *ctx, const char *path, const void *bytes, size_t size)
{
    remove(path); /* what an earlier one left, or a link: not followed */
    FILE *file = fopen(path, "wbx");
    if (!file) return ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(errno));
    bool good = fwrite(bytes, 1, size, file) == size;
    good = fflush(file) == 0 && good;
    good = good && fsync(fileno(file)) == 0;
    int reason = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    return good ? AC_OK : ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(reason));
}

ac_status ac_state_write(const ac_state *state, const char *path)
{
    ac_context *ctx = state->ctx;
    size_t size = ac_state_bytes(state), length = strlen(path);
    char *beside = ac_allocate(ctx, length + 6, 1);
    unsigned char *bytes = ac_allocate(ctx, size, 1);
    ac_status status = beside && bytes ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        snprintf(beside, length + 6, "%s.part", path);
        ac_state_pack(state, bytes);
        status = write_all(ctx, beside, bytes, size);
        if (status == AC_OK && rename(beside, path) != 0)
            status = ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(errno));
        if (status != AC_OK) remove(beside);
    }
    ac_release(ctx, bytes);
    ac_release(ctx, beside);
    return status;
}

static ac_status read_all(ac_context *ctx, FILE *file, const char *path, unsigned char **bytes, size_t *size)
{
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (end < 0 || fseek(file, 0, SEEK_SET) != 0)
        return ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(errno));
    AC_NEW(ctx, *bytes, (size_t)end + 1);
    *size = fread(*bytes, 1, (size_t)end, file);
    return *size == (size_t)end ? AC_OK : ac_fail(ctx, AC_IO_FAILED, "%s: cannot be read", path);
}

ac_status ac_state_read(ac_context *ctx, const char *path, ac_state **state)
{
    FILE *file = fopen(path, "rb");
    if (!file) return ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(errno));
    unsigned char *bytes = NULL;
    size_t size = 0;
    mark m;
    ac_state_head head;
    ac_status status = read_all(ctx, file, path, &bytes, &size);
    fclose(file);
    if (status == AC_OK) {
        const char *wrong = damage(bytes, size, &m, &head);
        status = wrong ? ac_fail(ctx, AC_BAD_INPUT, "%s: %s", path, wrong)
                       : ac_state_unpack(ctx, bytes, size, state);
    }
    ac_release(ctx, bytes);
    return status;
}
