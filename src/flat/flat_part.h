/* A part of a flat model, for a run of several processes: what one of them needs to compute its states.
 *
 * Models whose continuous unknowns are states, each with an equation in which its derivative alone occurs, and
 * variables that are given by an assignment, can be divided before anything is analysed. Each array of states is cut
 * into pieces of equal size, one for each process, so that fields of one grid stay together. The part of a
 * process has the equations of its states, the assignments that these read, and in place of states of others
 * (the halo) variables of the same name, whose equation only holds a place.
 *
 * Which part a state belongs to follows from the flat model alone: every process comes to the same answer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FLAT_FLAT_PART_H
#define FLAT_FLAT_PART_H

#include "flat/flat.h"

typedef struct flat_division {
    flat_model *m;
    int size, n_states, n_varying;
    const int *equation; // by variable: the one that gives it or its derivative; -1: none
    const int *initial;  // by variable: the initial equation that gives it; -1: none
    const int
        *place; // by variable: of a state, its place in the order of all, process by process; -1
    const int *state; // by place: the variable
    const int *first; // by process, and one more: the place of its first state
} flat_division;

/* False, and a sentence in why: the model is not divided. All of `out` lies in a. */
bool flat_divide(flat_model *m, int size, arena *a, flat_division *out, const char **why);

typedef struct flat_part {
    int rank, size, n_all; // states of all
    const int *first;      // as in the division
    int n_own, n_halo;
    const int *var;   // variables of the part: own states by their places, then the halo by theirs
    const int *place; // of the halo
    int n_also;
    const int *also; // variables of the whole that were asked for
    int n_written;   // equations of the whole, for reports
} flat_part;

/* The part of one process, with further variables of the whole; in a, with nothing of the whole but names. The whole, which
 * lies in `from`, is of no use afterwards. */
flat_model *flat_restrict(const flat_division *d, int rank, const int *also, int n_also,
                          arena *from, arena *a, arena *scratch, flat_part *part);

/* Marks of variables that a process needs. */
typedef enum flat_mark { FLAT_UNUSED, FLAT_OWN, FLAT_HALO, FLAT_GIVEN } flat_mark;
/* How many of them vary in time. marks: by variable, zero before. */
int flat_mark_part(const flat_division *d, int rank, const int *also, int n_also, arena *scratch,
                   uint8_t *marks);
bool flat_part_is_small(const flat_division *d, int needs);

#endif
