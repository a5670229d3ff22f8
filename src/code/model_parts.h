/* The compiled model, made of parts: each is declared in the header of the file that lowers it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CODE_MODEL_PARTS_H
#define CODE_MODEL_PARTS_H

#include "code/clock_lower.h"
#include "code/columns.h"
#include "code/event_lower.h"
#include "code/initial.h"
#include "code/invariants.h"
#include "code/layers.h"
#include "code/look_tables.h"
#include "code/manifold.h"
#include "code/model.h"
#include "code/model_words.h"
#include "code/rank_matrix.h"
#include "code/variable_tables.h"
#include "image/claims.h"
#include "image/entries.h"
#include "image/equations.h"
#include "image/formulation.h"
#include "routine/routine_rows.h"

struct code_model {
    const form_system *form;
    const structure *s;  // its expressions are a view: nothing is made in them
    mem *m;              // machine code
    code_origin *origin; // NULL: form, s and all in them are there for good
    int n, n_p, n_w;     // in p behind the parameters: numbers
    int n_w_common;      // elements of w that all formulations of the model have
    const double *p_default;
    size_t scratch; // doubles for any function
    code_list functions;
    routine_rows routines; // that they call, and those of the system of start values

    image_formulation formulation;
    name_table names; // of variables
    image_variables variables;
    code_parameters parameters;
    code_system system;
    code_choice choice;      // of states, while running
    code_layers layers;      // in which dependent unknowns are found
    code_manifold *manifold; // NULL: no projection after steps
    code_rank *rank;         // NULL: nothing can lose rank
    code_events events;
    code_clocks clocks;
    code_outputs outputs;
    code_invariants invariants;
    code_inputs inputs;
    word_table words;

    /* The system of start values: of another model where the formulation is not `dummy`. */
    struct code_model *initial;
    code_initial start;
    image_entries entries;
    image_claims claims;
    image_equations equations;
    image_about about;
    image_summary summary;
    image_looks looks; // not of the system of start values
};

static inline const code_entry *code_entry_of(const code_model *m, int entry)
{
    return &m->parameters.entries[image_at(&m->entries.attributes, entry)];
}

static inline const code_range *code_range_of(const code_model *m, int entry)
{
    return &m->parameters.ranges.at[code_entry_of(m, entry)->range];
}

#endif
