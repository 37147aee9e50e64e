/* A file that is there whole or not at all. */
#include "result/output_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { ENDING_SIZE = 32 };

static ac_status not_written(const ac_output_file *file, int error)
{
    return ac_fail(file->ctx, AC_IO_FAILED, "%s: could not be written: %s", file->path, strerror(error));
}

static void forget(ac_output_file *file)
{
    ac_release(file->ctx, file->path);
    ac_release(file->ctx, file->part);
    *file = (ac_output_file){0};
}

ac_status ac_output_open(ac_context *ctx, const char *path, ac_output_file *file)
{
    *file = (ac_output_file){.ctx = ctx};
    size_t size = strlen(path) + ENDING_SIZE;
    file->path = ac_copy_text(ctx, path);
    file->part = ac_allocate(ctx, size, 1);
    ac_status status = file->path && file->part ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        snprintf(file->part, size, "%s.part-%ld", path, (long)getpid());
        file->stream = fopen(file->part, "wb");
        if (!file->stream) status = not_written(file, errno);
    }
    if (status != AC_OK) forget(file);
    return status;
}

ac_status ac_output_close(ac_output_file *file, ac_status status)
{
    int error = ferror(file->stream) ? EIO : 0;
    if (fclose(file->stream) != 0 && error == 0) error = errno;
    if (status == AC_OK && error == 0 && rename(file->part, file->path) != 0) error = errno;
    if (status == AC_OK && error != 0) status = not_written(file, error);
    if (status != AC_OK) unlink(file->part);
    forget(file);
    return status;
}
