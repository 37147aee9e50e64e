/* An allocator for tests: counts, and fails on request. */
#include "support/memory.h"

#include <stdlib.h>

static void *allocate(void *user, size_t size)
{
    memory *m = user;
    ++m->calls;
    if (m->calls == m->fail_at || (m->fail_from > 0 && m->calls >= m->fail_from)) return NULL;
    void *block = malloc(size ? size : 1);
    if (block) ++m->held;
    return block;
}

static void release(void *user, void *block)
{
    memory *m = user;
    if (block) --m->held;
    free(block);
}

ac_context *memory_context(memory *m)
{
    ac_allocator allocator = {allocate, release, m};
    return ac_context_new(&allocator);
}
