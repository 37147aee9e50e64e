/* An allocator for tests: counts, and fails on request. The size of a block stands before it. */
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16 };

static void *allocate(void *user, size_t size)
{
    memory *m = user;
    ++m->calls;
    if (m->calls == m->fail_at || (m->fail_from > 0 && m->calls >= m->fail_from)) return NULL;
    unsigned char *block = malloc(size + HEAD);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    ++m->held;
    m->bytes += size;
    if (m->bytes > m->most_bytes) m->most_bytes = m->bytes;
    return block + HEAD;
}

static void release(void *user, void *block)
{
    memory *m = user;
    size_t size;
    if (!block) return;
    unsigned char *whole = (unsigned char *)block - HEAD;
    memcpy(&size, whole, sizeof size);
    --m->held;
    m->bytes -= size;
    free(whole);
}

ac_context *memory_context(memory *m)
{
    ac_allocator allocator = {allocate, release, m};
    return ac_context_new(&allocator);
}
