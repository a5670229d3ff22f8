/* One thread: locks are free, and no other can be begun.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_PTHREAD_H
#define BROWSER_PTHREAD_H

#include <errno.h>
#include <stddef.h>

#define __NEED_pthread_t // wasi-libc has the types, but no functions of them
#define __NEED_pthread_attr_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_mutexattr_t
#define __NEED_pthread_cond_t
#define __NEED_pthread_condattr_t
#include <bits/alltypes.h>

enum { PTHREAD_MUTEX_RECURSIVE = 1 };

static inline int pthread_mutexattr_init(pthread_mutexattr_t *a)
{
    return (void)a, 0;
}

static inline int pthread_mutexattr_settype(pthread_mutexattr_t *a, int type)
{
    return (void)a, (void)type, 0;
}

static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *a)
{
    return (void)a, 0;
}

static inline int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    return (void)m, (void)a, 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *m)
{
    return (void)m, 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *m)
{
    return (void)m, 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *m)
{
    return (void)m, 0;
}

static inline int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
    return (void)c, (void)a, 0;
}

static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) // nobody else would signal
{
    return (void)c, (void)m, 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *c)
{
    return (void)c, 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *c)
{
    return (void)c, 0;
}

static inline int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *),
                                 void *user)
{
    return (void)t, (void)a, (void)run, (void)user, EAGAIN;
}

static inline int pthread_join(pthread_t t, void **result)
{
    return (void)t, (void)result, EINVAL;
}

#endif
