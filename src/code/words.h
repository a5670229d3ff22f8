/* Words of a compiled model: names and places for messages (image/words.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_WORDS_H
#define CODE_WORDS_H

#include "code/lower.h"
#include "image/words.h"

/* An expression in Modelica, cut where it is long; kept in `known`, by expression. */
const char *code_words(lowering *l, expr e, map *known);
void code_list_words(lowering *l, word_table *x);

#endif
