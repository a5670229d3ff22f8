/* Nothing can be loaded.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BROWSER_DLFCN_H
#define BROWSER_DLFCN_H

#include <stddef.h>

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_LOCAL = 0 };

static inline void *dlopen(const char *file, int mode)
{
    return (void)file, (void)mode, NULL;
}

static inline void *dlsym(void *library, const char *name)
{
    return (void)library, (void)name, NULL;
}

static inline char *dlerror(void)
{
    static char words[] = "a browser loads no libraries";
    return words;
}

static inline int dlclose(void *library)
{
    return (void)library, 0;
}

#endif
