/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pages.h"

mem pages_mem(pages *p, mem m)
{
    (void)p;
    return m;
}

void pages_keep(pages *p, bool keeps)
{
    (void)p;
    (void)keeps;
}

void pages_done(pages *p)
{
    (void)p;
}

void pages_return_holes(pages *p)
{
    (void)p;
}
