/* Positions and the constraints between them, as equations without derivatives give them.
 *
 * Positions are the unknowns that occur differentiated, and what such equations define by them. An
 * equation between positions that defines nothing is a constraint. Constraints that share
 * coordinates belong to one set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STRUCTURE_LOOPS_H
#define STRUCTURE_LOOPS_H

#include "structure/internal.h"

typedef struct partial { // of an expression
    int column;
    expr d;
} partial;

typedef ARRAY(partial) partials;

typedef struct definition { // of the position in `column` by others
    int column;
    int place;   // among those of its set
    bool needed; // by a constraint
    expr value;
    partials by;
} definition;

typedef struct constraint {
    int row;
    bool equality; // of two positions, or of one and a constant: as connections say it
    expr f;
    partials by;
} constraint;

/* The members of each set, ascending: first by the number of the set, next by member; -1: none. */
typedef struct members {
    int *first, *next;
} members;

typedef struct loops {
    analysis *w;
    char *position; // by column
    int *open;      // by row without derivatives: unknowns that are no positions yet; -1: has some
    char *spent;    // by row: it is a definition
    ARRAY(definition) definitions; // each after what it needs
    ARRAY(constraint) constraints;
    int *defined; // by column: its definition, or -1
    int *parent;  // by column: sets of coordinates that constraints tie
    int *at;      // by column: its number among the coordinates of its set, or -1
    members coordinates_of, definitions_of, constraints_of;
    int *seen;     // by column: by which constraint it was met last, from 1
    double *value; // by column
} loops;

/* Of w->sig: positions, their definitions in order, constraints, sets. */
loops loops_find(analysis *w);
/* The set a column belongs to, as the number of one of its columns. */
int loops_set(loops *x, int column);

expr loops_var(const loops *x, int column); // the VAR node of a column
/* Partial derivatives of an expression by the columns it contains. */
partials loops_partials(loops *x, expr f);
bool loops_from_connection(const analysis *w, int row);

#endif
