/* Words of a compiled model: names and places for messages (image/words.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MODEL_WORDS_H
#define CODE_MODEL_WORDS_H

#include "code/columns.h"

/* An expression in Modelica, cut where it is long; kept in `known`, by expression. */
const char *code_words(lowering *l, expr e, map *known);
void code_list_words(lowering *l, const code_outputs *outputs, word_table *x);

#endif
