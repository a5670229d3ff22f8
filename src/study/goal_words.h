/* The words of goals and constraints as Modelica.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_GOAL_WORDS_H
#define STUDY_GOAL_WORDS_H

#include "api/api.h"

/* What a model is extended by: states for integrals, and their equations. The caller has made both texts. */
typedef struct goal_words {
    text *states, *equations;
    int n_integrals;
} goal_words;

/* n characters of an expression to `out`, with integral(E) replaced by a state, and final(E) by (E): the
 * whole is meant at the end of the run where one of them occurs, *at_end says so (may be NULL). VINC_OK, or
 * VINC_E_OPTION, said; option: "--goal". */
int goal_words_add(vinc_model *model, const char *option, const char *words, size_t n,
                   goal_words *w, text *out, bool *at_end);

#endif
