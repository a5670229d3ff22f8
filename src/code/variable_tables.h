/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_VARIABLE_TABLES_H
#define CODE_VARIABLE_TABLES_H

#include "image/variables.h"
#include "structure/structure.h"

void code_list_variables(const structure *s, arena *a, image_variables *x);

#endif
