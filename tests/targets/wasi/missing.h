/* What wasi-libc does not declare; stubs.c defines it. */
#ifndef ACTIO_TARGETS_MISSING_H
#define ACTIO_TARGETS_MISSING_H

int flock(int file, int what);
char *realpath(const char *path, char *resolved);

#endif
