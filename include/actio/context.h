/* Status, messages and memory: what every call of the library shares.
 *
 * A context is made, used and freed by its owner. It holds the allocator and the message of the last
 * failure. The library never prints, exits or aborts on user input, and keeps no global state; two
 * threads may work at the same time when each has its own context. Optimisations wait for each other: the
 * linear solver of Ipopt is not re-entrant, and a lock of the process protects it.
 */
#ifndef ACTIO_CONTEXT_H
#define ACTIO_CONTEXT_H

#include <stddef.h>

#if defined(__GNUC__)
#define AC_API __attribute__((visibility("default")))
#define AC_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define AC_API
#define AC_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One list gives the codes and their words. */
#define AC_STATUS_LIST(X)                                  \
    X(AC_OK, "solved")                                     \
    X(AC_NOT_CONVERGED, "an iteration did not converge")   \
    X(AC_BAD_INPUT, "the input is wrong")                  \
    X(AC_NO_MEMORY, "out of memory")                       \
    X(AC_IO_FAILED, "a file could not be read or written") \
    X(AC_INTERRUPTED, "interrupted")                       \
    X(AC_SINGULAR, "a matrix is singular")

typedef enum ac_status {
#define AC_STATUS_CODE(code, text) code,
    AC_STATUS_LIST(AC_STATUS_CODE)
#undef AC_STATUS_CODE
} ac_status;

/* The words that belong to a status, never NULL. */
AC_API const char *ac_status_text(ac_status status);

/* The user's memory functions; each gets `user` as its first argument. */
typedef struct ac_allocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *block);
    void *user;
} ac_allocator;

typedef struct ac_context ac_context;

/* A new context; allocator NULL means malloc and free. NULL when out of memory. */
AC_API ac_context *ac_context_new(const ac_allocator *allocator);
AC_API void ac_context_free(ac_context *ctx);

/* The message of the last failure, with place and reason; "" when there was none. Owned by the context. */
AC_API const char *ac_context_message(const ac_context *ctx);

/* Library version, "major.minor.patch". */
AC_API const char *ac_version(void);

#ifdef __cplusplus
}
#endif
#endif
