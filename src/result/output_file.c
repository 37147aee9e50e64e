/* A file that is there whole or not at all. A link stays a link: what it points to is written. Devices and pipes are
 * written as they are. */
#include "result/output_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

const char *ac_output_target(const char *path, char target[AC_OUTPUT_PATH])
{
    struct stat state;
    bool link = lstat(path, &state) == 0 && S_ISLNK(state.st_mode);
    if (!link) return path;
    if (realpath(path, target)) return target;
    ssize_t length = readlink(path, target, AC_OUTPUT_PATH - 1); /* it points to what is not there yet */
    const char *slash = strrchr(path, '/');
    if (length <= 0 || (target[0] != '/' && slash)) return path;
    target[length] = '\0';
    return target;
}

int ac_output_error(FILE *stream)
{
    if (!ferror(stream)) return 0;
    errno = 0; /* the stream does not keep its reason: the next byte has the same one */
    if (write(fileno(stream), "\n", 1) < 0 && errno != 0) return errno;
    return EIO;
}

ac_status ac_output_open(ac_context *ctx, const char *path, ac_output_file *file)
{
    char target[AC_OUTPUT_PATH];
    struct stat state;
    *file = (ac_output_file){.ctx = ctx};
    path = ac_output_target(path, target);
    size_t size = strlen(path) + ENDING_SIZE;
    file->path = ac_copy_text(ctx, path);
    file->part = ac_allocate(ctx, size, 1);
    ac_status status = file->path && file->part ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        file->direct = stat(path, &state) == 0 && !S_ISREG(state.st_mode);
        if (file->direct)
            strcpy(file->part, path);
        else
            snprintf(file->part, size, "%s.part-%ld", path, (long)getpid());
        if (!file->direct) remove(file->part); /* of a run that was killed, or a link: not followed */
        file->stream = fopen(file->part, file->direct ? "wb" : "wbx");
        if (!file->stream) status = not_written(file, errno);
    }
    if (status != AC_OK) forget(file);
    return status;
}

ac_status ac_output_close(ac_output_file *file, ac_status status)
{
    int error = ac_output_error(file->stream);
    if (fclose(file->stream) != 0 && error == 0) error = errno;
    bool named = file->direct || status != AC_OK || error != 0 || rename(file->part, file->path) == 0;
    if (!named) error = errno;
    if (status == AC_OK && error != 0) status = not_written(file, error);
    if (status != AC_OK && !file->direct) unlink(file->part);
    forget(file);
    return status;
}
