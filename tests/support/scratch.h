/* Files that a test writes for itself: in the folder for temporary files, under names that no other run
 * has. */
#ifndef ACTIO_TESTS_SUPPORT_SCRATCH_H
#define ACTIO_TESTS_SUPPORT_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SCRATCH_SIZE = 512 };

static inline const char *scratch_path(char path[SCRATCH_SIZE], const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, SCRATCH_SIZE, "%s/actio-test-%ld-%s", folder && folder[0] ? folder : "/tmp",
             (long)getpid(), name);
    return path;
}

#endif
