/* From a class to its flat model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_BUILD_H
#define FLAT_BUILD_H

#include "flat/flat.h"
#include "lang/library.h"

/* A value from outside for a parameter, by its flat name ("n", "r[2].R"): replaces its binding
 * before sizes and conditions are decided. The value is a Modelica expression ("3", "true",
 * "{1, 2}"). */
typedef struct flat_override {
    const char *name, *value;
} flat_override;

/* Flatten the class. What the model needs goes to `model`, all else to `front`, which may be given
 * back afterwards; names are interned in lib->syms and comments point into the sources, so both
 * must outlive the model. NULL after errors, which are in `diags`. An override that names no
 * parameter is an error; one of a final parameter or a constant too. */
flat_model *flat_build(lang_library *lib, ast_class *cls, const flat_override *overrides,
                       int n_overrides, arena *model, arena *front, diag_sink *diags);

/* How many scalar equations the model has, and unknowns to be found from them: equations (those of
 * initialization aside), variables assigned in when-clauses and algorithms; variables that are
 * neither constants nor parameters nor top-level inputs. */
int flat_count_equations(const flat_model *m, arena *scratch);
int flat_count_unknowns(const flat_model *m);

#endif
