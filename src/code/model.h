/* Code: lowers what a formulation decided to tapes and compiles them.
 *
 * A code_model is made once and immutable from then on: any number of runs, in any number of
 * threads, share it. What runs it is in run/, what finds start values in start/, what looks at it
 * in inspect/; they see its parts (model_parts.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MODEL_H
#define CODE_MODEL_H

#include "base/diag.h"
#include "base/text.h"
#include "form/form.h"
#include "image/image_model.h"
#include "image/image_origin.h"

#include <stdbool.h>

/* 0, or VINC_E_MODEL with diagnostics, VINC_E_MEMORY. The form, its structure and the flat model
 * must outlive the model. Only the machine code is held outside the arena: code_model_free. */
int code_lower(const form_system *form, arena *a, arena *scratch, mem *m, diag_sink *sink,
               code_model **out);
void code_model_free(code_model *model);                   // NULL is fine
void code_model_print(const code_model *model, text *out); // --dump=tape

void code_set_origin(code_model *model, code_origin *origin); // which outlives it
bool code_runs_without_tables(const code_model *model); // once it has begun
/* States are all that is solved for, nothing but their start values decides them, unless somebody sets
 * others, and the rest follows: the search for start values looks at equations for messages only. */
bool code_starts_as_given(const code_model *model);

/* Columns asked for one after the other; *near: where the last one was found, 0 in the beginning. */
code_column code_column_near(const code_model *model, int column, int *near);
bool code_add_name_of(const code_model *model, code_column c, text *out); // "der(x)"; false: cut
const image_look *code_look_of(const code_model *model, code_column c);   // what is said of it
const char *code_column_shows(const code_model *model, int column,
                              expr_label *label); // the name of its variable, kept or there
bool code_keeps_name(const code_model *model, int column); // ... by the model
const char *code_column_name(const code_model *model, int column,
                             arena *a); // made there, or the same
bool code_add_column_name(const code_model *model, int column, text *out); // "der(x)"; false: cut
int code_find_column(const code_model *model, const char *name);           // -1: there is none

image_about code_about(const flat_model *m); // what it is called, how it wants to run

#endif
