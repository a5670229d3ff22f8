/* The compiled model: plain data that any number of runs share.
 *
 * Whoever has it can run it, save it and send it (image/image_file.h). Members that are LOCAL belong to the process that
 * compiled or loaded the model: machine code, and what it was compiled from.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMAGE_IMAGE_MODEL_H
#define IMAGE_IMAGE_MODEL_H

#include "base/names.h"
#include "image/about.h"
#include "image/claims.h"
#include "image/entries.h"
#include "image/equations.h"
#include "image/formulation.h"
#include "image/image_clocks.h"
#include "image/image_columns.h"
#include "image/image_events.h"
#include "image/image_initial.h"
#include "image/image_system.h"
#include "image/image_value.h"
#include "image/looks.h"
#include "image/variables.h"
#include "image/words.h"
#include "image/work.h"
#include "routine/routine_rows.h"

// clang-format off

typedef struct code_model code_model;
#define CODE_MODEL(X)                                                                                                            \
    X(COUNT, n, "components of y, and rows of F")                                                                                \
    X(COUNT, n_p, "numbers in p: parameters, then constants of the model")                                                       \
    X(COUNT, n_w, "elements of w, the work array")                                                                               \
    X(COUNT, n_w_common, "elements of w that all formulations of the model have")                                                \
    X(NUMBERS, double, p_default, x->n_p, "values of p; NaN: there is none")                                                     \
    X(PART, routine_rows, routines, "functions that are executed, of this model and its system of start values")                 \
    X(PART, name_table, names, "of variables")                                                                                   \
    X(PART, image_variables, variables, "what can be set from outside")                                                          \
    X(PART, image_entries, entries, "unknowns and their derivatives")                                                            \
    X(PART, image_formulation, formulation, "where every unknown lives, which rows the system has")                              \
    X(PART, code_parameters, parameters, "values that parameters decide")                                                        \
    X(PART, code_system, system, "the system that is integrated")                                                                \
    X(PART, code_choice, choice, "of states, while running")                                                                     \
    X(PART, code_layers, layers, "in which dependent unknowns are found")                                                        \
    X(SHARED, code_manifold, manifold, "NULL: no projection after steps")                                                        \
    X(SHARED, code_rank, rank, "NULL: nothing can lose rank")                                                                    \
    X(PART, code_events, events, "relations, discrete variables, actions")                                                       \
    X(PART, code_clocks, clocks, "what ticks")                                                                                   \
    X(PART, code_outputs, outputs, "what can be recorded")                                                                       \
    X(PART, code_invariants, invariants, "what the motion is said to keep")                                                      \
    X(PART, code_inputs, inputs, "driven from outside")                                                                          \
    X(PART, code_initial, start, "the system of start values")                                                                   \
    X(PART, image_claims, claims, "initial equations of discrete variables that must hold")                                      \
    X(PART, image_equations, equations, "words of equations")                                                                    \
    X(PART, image_about, about, "name and experiment")                                                                           \
    X(PART, image_summary, summary, "what is said of the model in a few words")                                                  \
    X(PART, image_looks, looks, "units, comments and limits of variables; not of the system of start values")                    \
    X(PART, word_table, words, "other words of messages")                                                                        \
    X(LINK, code_model, initial, "the model whose system gives the start values: this one, or another one")                      \
    X(LOCAL, const struct form_system *, form, "what it was compiled from; NULL: it was loaded")                                 \
    X(LOCAL, const struct structure *, s, "the same; its expressions are a view: nothing is made in them")                       \
    X(LOCAL, mem *, m, "of machine code")                                                                                        \
    X(LOCAL, struct code_origin *, origin, "NULL: form, s and all in them are there for good")                                   \
    X(LOCAL, struct code_list *, functions, "functions with their names, to be compiled")                                        \
    X(LOCAL, routine_codes *, codes, "machine code of routines, shared with the system of start values")                         \
    X(LOCAL, size_t, scratch, "doubles for any function")
struct code_model {
    CODE_MODEL(IMAGE_MEMBER)
};

// clang-format on

static inline const code_entry *code_entry_of(const code_model *m, int entry)
{
    return &m->parameters.entries[image_at(&m->entries.attributes, entry)];
}

static inline const code_range *code_range_of(const code_model *m, int entry)
{
    return &m->parameters.ranges.at[code_entry_of(m, entry)->range];
}

#endif
