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
    double t_start; // of the run, for means
} goal_words;

/* n characters of an expression to `out`, with integral(E) replaced by a state, mean(E) by one over the time
 * that passed, and final(E) by (E): the whole is meant at the end of the run where one of them occurs,
 * *at_end says so (may be NULL). max(E) and min(E) over the run are refused. VINC_OK, or VINC_E_OPTION,
 * said; option: "--goal". */
int goal_words_add(vinc_ctx *ctx, const char *option, const char *words, size_t n, goal_words *w,
                   text *out, bool *at_end);

/* When a run begins: as its options say, or the model, or at 0. */
double goal_words_start(const vinc_sim_options *run, const image_about *e);

#endif
