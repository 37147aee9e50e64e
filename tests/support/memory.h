/* An allocator for tests: counts, and fails on request. */
#ifndef ACTIO_TESTS_SUPPORT_MEMORY_H
#define ACTIO_TESTS_SUPPORT_MEMORY_H

#include "actio/context.h"

typedef struct memory {
    long calls;               /* allocations asked for */
    long held;                /* blocks not released yet */
    long fail_at;             /* this call fails (from 1), and only this one; 0: none */
    long fail_from;           /* this call fails (from 1) and all later ones; 0: none */
    size_t bytes, most_bytes; /* not released yet; the most of them at one time */
} memory;

/* A context whose memory is counted in `m`. */
ac_context *memory_context(memory *m);

#endif
