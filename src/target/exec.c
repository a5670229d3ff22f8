/* Pages are written first and made executable afterwards. Where a system refuses that, the caller
 * interprets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "target/exec.h"

#include <string.h>
#include <sys/mman.h>

void *exec_map(const void *code, size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    memcpy(p, code, n);
    if (mprotect(p, n, PROT_READ | PROT_EXEC)) {
        munmap(p, n);
        return NULL;
    }
    __builtin___clear_cache((char *)p, (char *)p + n);
    return p;
}

void exec_unmap(void *code, size_t n)
{
    if (code) munmap(code, n);
}
