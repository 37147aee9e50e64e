/* The arena: a list of blocks that grow, freed together. */
#include "problem/text/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"

enum { FIRST_BLOCK = 1 << 14, LARGEST_BLOCK = 1 << 20 };

typedef struct ac_arena_block {
    struct ac_arena_block *next;
    max_align_t data[];
} ac_arena_block;

void ac_arena_begin(ac_arena *arena, ac_context *ctx)
{
    *arena = (ac_arena){.ctx = ctx};
}

void ac_arena_end(ac_arena *arena)
{
    while (arena->blocks) {
        ac_arena_block *next = arena->blocks->next;
        ac_release(arena->ctx, arena->blocks);
        arena->blocks = next;
    }
    arena->used = arena->size = 0;
}

static ac_arena_block *new_block(ac_arena *arena, size_t needed)
{
    size_t size = arena->size ? 2 * arena->size : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < needed) size = needed;
    ac_arena_block *block = ac_allocate(arena->ctx, 1, sizeof *block + size);
    if (!block) return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
    arena->size = size;
    return block;
}

void *ac_arena_take(ac_arena *arena, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        ac_out_of_memory(arena->ctx);
        return NULL;
    }
    size_t needed = (count * size + unit - 1) / unit * unit;
    int fits = arena->blocks && needed <= arena->size - arena->used;
    if (!fits && !new_block(arena, needed)) {
        ac_out_of_memory(arena->ctx);
        return NULL;
    }
    void *place = (char *)arena->blocks->data + arena->used;
    arena->used += needed;
    return place;
}

char *ac_arena_text(ac_arena *arena, const char *text, size_t length)
{
    char *copy = ac_arena_take(arena, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}
