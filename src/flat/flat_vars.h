/* The variables of a flat model: what is known of each, and what it is called.
 *
 * A model of a million elements has a million variables and few declarations. Variables that agree in all
 * but their names share a record; one that changes leaves it. Names of elements of long arrays are not
 * written: a path says what its components are called and which sizes they have, and whoever wants a name
 * has it written where he says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FLAT_VARS_H
#define FLAT_FLAT_VARS_H

#include "base/diag.h"
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

/* A component on the path to elements, r[3] in r[3].p.v. Elements are counted with the last subscript of the
 * innermost component first. */
typedef struct flat_piece {
    const char *name;
    const int *dims;  // subscripts
    int n_dims, size; // size: so many elements are counted here
    int index;        // all are of this one; -1: the element says which
} flat_piece;

typedef struct flat_names { // of variables from `first` on
    int first;
    int from;                 // of the list of names; of a path: the element that `first` is
    int n_pieces;             // 0: they are in the list
    const flat_piece *pieces; // the innermost first
} flat_names;

typedef struct flat_vars {
    int n;
    int_array of; // by variable: its record
    ARRAY(flat_var) records;
    ARRAY(flat_names) names; // ascending
    ARRAY(const char *) list;
} flat_vars;

/* What is known of variable v; until a variable is added or changed. */
static inline const flat_var *flat_vars_at(const flat_vars *x, int v)
{
    return &x->records.at[x->of.at[v]];
}
void flat_vars_reserve(flat_vars *x, arena *a, int n, int n_listed); // room for so many, and names
int flat_vars_add(flat_vars *x, arena *a, flat_var v, const char *name); // its number
/* n elements of a path, from element `from` on, that share a record: the number of the first. The pieces live
 * as long as the model, and names are short enough (flat_path_fits). */
int flat_vars_add_path(flat_vars *x, arena *a, flat_var v, flat_names path, int n);
bool flat_path_fits(const flat_piece *pieces, int n_pieces);
/* The same with the record that variable `like` has. */
void flat_vars_add_like(flat_vars *x, arena *a, int like, const char *name);
void flat_vars_add_path_like(flat_vars *x, arena *a, int like, flat_names path, int n);
void flat_vars_put(flat_vars *x, arena *a, int v, flat_var is); // v alone is this from now on
void flat_vars_put_all(flat_vars *x, int v, flat_var is);       // v and those that share its record
void flat_vars_rename(flat_vars *x, int v, const char *name);   // one that is in the list
void flat_vars_forget(flat_vars *x, int n);                     // all but the first n
void flat_vars_copy(flat_vars *x, arena *a);                    // its lists become its own
/* Those of another model that are marked, in their order, into x, which is empty. They share records as they did
 * there; sizes along paths are copied, and names are of the context that both have. */
void flat_vars_pick(flat_vars *x, arena *a, const flat_vars *of, const uint8_t *marks,
                    arena *scratch);

/* The name of variable v: kept by the model, or written to the label. */
const char *flat_vars_name(const flat_vars *x, int v, expr_label *label);
bool flat_vars_keep_name(const flat_vars *x, int v);                // is it kept?
int flat_vars_find(const flat_vars *x, const char *name, size_t n); // -1: none is called so
int flat_vars_find_element(const flat_vars *x, const char *name,
                           size_t n); // the same of those whose names are not kept
/* The element of a path that is called so; -1: none. */
int flat_path_element(const flat_piece *pieces, int n_pieces, const char *name, size_t n);

#endif
