/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_PACK_H
#define CODE_PACK_H

#include "base/arena.h"
#include "image/column.h"

/* n numbers, none of them negative. */
image_column code_pack(const int *of, int n, arena *a, arena *scratch);

#endif
