/* Words of a compiled model, for messages (image/words.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MODEL_WORDS_H
#define CODE_MODEL_WORDS_H

#include "code/lower.h"
#include "image/words.h"

void code_list_words(lowering *l, word_table *x);

#endif
