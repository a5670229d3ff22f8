/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE // madvise
#include "result/large_block.h"

#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE MADV_NORMAL
#endif

void large_block_expect(void *at, size_t bytes)
{
    const uintptr_t PAGE = (uintptr_t)2 << 20;
    uintptr_t begin = ((uintptr_t)at + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)at + bytes) / PAGE * PAGE;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE); // advice: it may be refused
}
