/* From a class to its flat model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLATTEN_FLATTEN_H
#define FLATTEN_FLATTEN_H

#include "flat/flat.h"
#include "lang/library.h"

/* Flatten the class. What the model needs goes to `model`; the instance tree and all else that only
 * flattening needs goes to `front`, which is given back afterwards. Names are interned in lib->syms
 * and spans count in lib->sources, so both must outlive the model; nothing of it points into a
 * syntax tree. NULL after errors, which are in `diags`. An override that names no parameter is an
 * error; one of a final parameter or a constant too. */
flat_model *flat_build(lang_library *lib, ast_class *cls, const flat_override *overrides,
                       int n_overrides, arena *model, arena *front, diag_sink *diags);

#endif
