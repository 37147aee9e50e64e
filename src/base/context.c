/* The context: allocator and message of the last failure. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { MESSAGE_SIZE = 2048, FIRST_CAPACITY = 8 };

struct ac_context {
    ac_allocator allocator;
    char message[MESSAGE_SIZE];
};

static void *default_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *block)
{
    (void)user;
    free(block);
}

ac_context *ac_context_new(const ac_allocator *allocator)
{
    ac_allocator a = {default_allocate, default_release, NULL};
    if (allocator) a = *allocator;
    ac_context *ctx = a.allocate(a.user, sizeof *ctx);
    if (!ctx) return NULL;
    ctx->allocator = a;
    ctx->message[0] = '\0';
    return ctx;
}

void ac_context_free(ac_context *ctx)
{
    if (ctx) ctx->allocator.release(ctx->allocator.user, ctx);
}

const char *ac_context_message(const ac_context *ctx)
{
    return ctx->message;
}

const char *ac_status_text(ac_status status)
{
    static const char *const texts[] = {
#define STATUS_TEXT(code, text) text,
        AC_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    size_t count = sizeof texts / sizeof *texts;
    return (size_t)status < count ? texts[status] : "unknown status";
}

const char *ac_version(void)
{
    return ACTIO_VERSION;
}

void ac_keep_message(ac_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
}

void *ac_allocate(ac_context *ctx, size_t count, size_t size)
{
    if (count == 0) count = 1;
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *block = ctx->allocator.allocate(ctx->allocator.user, count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

void ac_release(ac_context *ctx, void *block)
{
    if (block) ctx->allocator.release(ctx->allocator.user, block);
}

char *ac_copy_text(ac_context *ctx, const char *text)
{
    size_t length = strlen(text) + 1;
    char *copy = ac_allocate(ctx, length, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

ac_status ac_grow(ac_context *ctx, void **array, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return AC_OK;
    int wanted = *capacity > 0 ? *capacity : FIRST_CAPACITY;
    while (wanted < needed) {
        if (wanted > INT32_MAX / 2) return ac_out_of_memory(ctx);
        wanted *= 2;
    }
    void *larger = ac_allocate(ctx, (size_t)wanted, size);
    if (!larger) return ac_out_of_memory(ctx);
    if (*array) memcpy(larger, *array, (size_t)*capacity * size);
    ac_release(ctx, *array);
    *array = larger;
    *capacity = wanted;
    return AC_OK;
}
