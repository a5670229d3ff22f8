/* Tables of the structure that the search for start values, and messages, read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_START_TABLES_H
#define CODE_START_TABLES_H

#include "image/claims.h"
#include "image/entries.h"
#include "image/equations.h"
#include "structure/structure.h"

void code_list_entries(const structure *s, arena *a, arena *scratch, image_entries *x);
void code_list_claims(const structure *s, arena *a, arena *scratch, image_claims *x);
void code_list_equations(const structure *s, arena *a, arena *scratch, image_equations *x);

#endif
