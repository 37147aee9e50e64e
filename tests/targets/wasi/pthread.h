/* One thread: a second one does not start, so that the first does all work, and locks have nothing to do. */
#ifndef ACTIO_TARGETS_PTHREAD_H
#define ACTIO_TARGETS_PTHREAD_H

#include <errno.h>

typedef int pthread_t, pthread_attr_t, pthread_mutex_t, pthread_mutexattr_t, pthread_once_t, pthread_cond_t;
enum { PTHREAD_ONCE_INIT = 0, PTHREAD_MUTEX_RECURSIVE = 1 };

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                                 void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (*once == PTHREAD_ONCE_INIT) run();
    *once = 1;
    return 0;
}

static inline int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    *attributes = 0;
    return 0;
}

static inline int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type)
{
    *attributes = type;
    return 0;
}

static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
    *lock = attributes ? *attributes : 0;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

#endif
