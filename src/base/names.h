/* Names of many things, which are numbered.
 *
 * A model of a million elements has a million variables. Names of elements of long arrays are not written: a path says
 * what its components are called and which sizes they have, and the caller says where a name is to be written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/array.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for a name that is written on request. */
typedef struct name_label {
    char text[128];
} name_label;

/* A component on the path to elements, r[3] in r[3].p.v. Elements are counted with the last subscript of the
 * innermost component first. */
typedef struct name_piece {
    const char *name;
    const int *dims;  // n_dims: subscripts
    int n_dims, size; // size: number of elements
    int index;        // all are of this one; -1: the element says which
} name_piece;

typedef struct name_family { // names from `first` on
    int first;
    int from;                 // of the list of names; of a path: the element that `first` is
    int n_pieces;             // 0: they are in the list
    const name_piece *pieces; // the innermost first
} name_family;

typedef struct name_table {
    int n;
    ARRAY(name_family) families; // ascending
    ARRAY(const char *) list;
} name_table;

void names_add(name_table *x, arena *a, const char *name);
/* n elements of a path from element `from` on. The pieces live as long as the table, and names are short enough. */
void names_add_family(name_table *x, arena *a, name_family path, int n);
bool names_path_fits(const name_piece *pieces, int n_pieces);
void names_put(name_table *x, int i, const char *name); // in place of one that is in the list
void names_forget(name_table *x, int n);                // all but the first n
void names_copy(name_table *x, arena *a);               // its lists become its own
/* Those of another table that are marked, in their order, behind those that are there; sizes along paths are copied. */
void names_pick(name_table *x, arena *a, const name_table *of, const uint8_t *marks);

const char *names_at(const name_table *x, int i,
                     name_label *label); // kept, or written to the label
/* The name until the end of the block in which this is written. */
#define NAME_AT(x, i) names_at((x), (i), &(name_label){{0}})
/* The name of the derivative of order `times`, der(der(x)) for 2: written to a text, or kept by the table or the arena. */
void names_write(const name_table *x, int i, int times, text *out);
const char *names_in(const name_table *x, int i, int times, arena *a);
bool names_keep(const name_table *x, int i);                     // is it kept?
int names_find(const name_table *x, const char *name, size_t n); // -1: nothing is called so
/* The same of those whose names are not kept. */
int names_find_element(const name_table *x, const char *name, size_t n);
/* The element of a path that is called so; -1: none. */
int names_path_element(const name_piece *pieces, int n_pieces, const char *name, size_t n);

#endif
