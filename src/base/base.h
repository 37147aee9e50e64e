/* Failure and memory inside the library.
 *
 * Every fallible function returns ac_status; the first one that fails writes the message with place and
 * reason (ac_fail), the others only pass it on (AC_TRY). Memory comes from the context's allocator.
 */
#ifndef ACTIO_BASE_BASE_H
#define ACTIO_BASE_BASE_H

#include <stdarg.h>
#include <stddef.h>

#include "actio/context.h"

/* Keeps the message with place and reason. */
void ac_keep_message(ac_context *ctx, const char *format, ...) AC_PRINTF(2, 3);

static inline ac_status ac_answer(ac_status status)
{
    return status;
}

/* ac_fail(ctx, status, format, ...): keeps the message and returns `status`, so that a failure is one
 * line. */
#define ac_fail(ctx, status, ...) (ac_keep_message((ctx), __VA_ARGS__), ac_answer((ac_status)(status)))
#define ac_out_of_memory(ctx) ac_fail((ctx), AC_NO_MEMORY, "out of memory")

/* Passes a failure on. */
#define AC_TRY(call)                                        \
    do {                                                    \
        ac_status ac_try_status_ = (call);                  \
        if (ac_try_status_ != AC_OK) return ac_try_status_; \
    } while (0)

/* Zeroed memory for `count` things of `size` bytes; NULL when there is none (count 0 gives a valid block). */
void *ac_allocate(ac_context *ctx, size_t count, size_t size);
void ac_release(ac_context *ctx, void *block);
/* A copy of a string; NULL when out of memory. */
char *ac_copy_text(ac_context *ctx, const char *text);
/* Grows an array by doubling so that it holds at least `needed` elements of `size` bytes. */
ac_status ac_grow(ac_context *ctx, void **array, int *capacity, int needed, size_t size);

/* AC_NEW(ctx, pointer, count): allocates or leaves with AC_NO_MEMORY. */
#define AC_NEW(ctx, pointer, count)                                         \
    do {                                                                    \
        (pointer) = ac_allocate((ctx), (size_t)(count), sizeof *(pointer)); \
        if (!(pointer)) return ac_out_of_memory(ctx);                       \
    } while (0)

#endif
