/* Many small things with one lifetime: taken one by one, given back all at once. */
#ifndef ACTIO_PROBLEM_TEXT_ARENA_H
#define ACTIO_PROBLEM_TEXT_ARENA_H

#include <stddef.h>

#include "actio/context.h"

typedef struct ac_arena {
    ac_context *ctx;
    struct ac_arena_block *blocks;
    size_t used, size; /* of the newest block */
} ac_arena;

void ac_arena_begin(ac_arena *arena, ac_context *ctx);
void ac_arena_end(ac_arena *arena);

/* Zeroed memory; NULL when there is none (the message is then set). */
void *ac_arena_take(ac_arena *arena, size_t count, size_t size);
/* A terminated copy of `length` bytes. */
char *ac_arena_text(ac_arena *arena, const char *text, size_t length);

#endif
