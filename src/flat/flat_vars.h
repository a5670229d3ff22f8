/* The variables of a flat model: what is known of each, and what it is called.
 *
 * A model of a million elements has a million variables and few declarations. Variables that agree in all
 * but their names share a record; one that changes leaves it. Names are in a table of their own (base/names.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FLAT_VARS_H
#define FLAT_FLAT_VARS_H

#include "base/diag.h"
#include "base/names.h"
#include "base/text.h"
#include "expr/shape.h"

typedef struct flat_attributes flat_attributes; // flat/flat.h
typedef struct flat_declaration flat_declaration;

enum { // flat_var.flags
    FLAT_PROTECTED = 1,
    FLAT_FINAL = 2,      // its binding may not be changed from outside (final, or a constant)
    FLAT_STRUCTURAL = 4, // its value decided sizes or conditions: a new value means flattening anew
    FLAT_FLOW = 8,
    FLAT_SIGNAL_IN = 16, // an input, of the model or of a component, to which nothing was bound
    FLAT_HIDDEN = 32,    // its name begins with $: made by the compiler, and not shown
    FLAT_IN_COMMON = 128 // other variables may have this record, too (flat_vars.c)
};

/* A variable without its name. */
typedef struct flat_var {
    uint8_t type, variability, causality, flags;
    expr binding; // of a constant or parameter, 0: none; bindings of variables are equations
    const flat_attributes *attr;
    const flat_declaration *decl;
} flat_var;

typedef struct flat_vars {
    int n;
    int_array of; // by variable: its record
    ARRAY(flat_var) records;
    name_table names;
} flat_vars;

/* What is known of variable v; until a variable is added or changed. */
static inline const flat_var *flat_vars_at(const flat_vars *x, int v)
{
    return &x->records.at[x->of.at[v]];
}
void flat_vars_reserve(flat_vars *x, arena *a, int n, int n_listed); // room for so many, and names
int flat_vars_add(flat_vars *x, arena *a, flat_var v, const char *name); // its number
/* n elements of a path, from element `from` on, that share a record: the number of the first. The pieces live
 * as long as the model, and names are short enough (names_path_fits). */
int flat_vars_add_path(flat_vars *x, arena *a, flat_var v, name_family path, int n);
/* The same with the record that variable `like` has. */
void flat_vars_add_like(flat_vars *x, arena *a, int like, const char *name);
void flat_vars_add_path_like(flat_vars *x, arena *a, int like, name_family path, int n);
void flat_vars_put(flat_vars *x, arena *a, int v, flat_var is); // v alone is this from now on
void flat_vars_put_all(flat_vars *x, int v, flat_var is);       // v and those that share its record
void flat_vars_rename(flat_vars *x, int v, const char *name);   // one that is in the list
void flat_vars_forget(flat_vars *x, int n);                     // all but the first n
void flat_vars_copy(flat_vars *x, arena *a);                    // its lists become its own
/* Those of another model that are marked, in their order, into x, which is empty. They share records as they did
 * there; sizes along paths are copied, and names are of the context that both have. */
void flat_vars_pick(flat_vars *x, arena *a, const flat_vars *of, const uint8_t *marks,
                    arena *scratch);

#endif
