/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_LOOK_TABLES_H
#define CODE_LOOK_TABLES_H

#include "code/functions.h"
#include "image/about.h"
#include "image/looks.h"

bool code_lower_looks(lowering *l, image_looks *x);
image_summary code_summary(const form_system *f, arena *a, arena *scratch);

#endif
