/* The variables of an FMU, as an importer sees them, and words about them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_FMU_LISTING_H
#define FMU_FMU_LISTING_H

#include "fmu/depends.h"
#include "fmu/describe.h"
#include "fmu/fmu.h"
#include "run/verbs.h"

typedef enum variable_causality {
    IS_INDEPENDENT,
    IS_PARAMETER,
    IS_CALCULATED,
    IS_INPUT,
    IS_OUTPUT,
    IS_LOCAL
} variable_causality;

typedef enum variable_variability {
    IS_CONSTANT,
    IS_FIXED,
    IS_DISCRETE,
    IS_CONTINUOUS
} variable_variability;

enum { FMU_DIMS_MAX = 8 };
typedef struct fmu_variable {
    const char *name;
    const flat_var *flat; // NULL: none
    int var;              // ... its number
    uint8_t type, causality, variability;
    bool exact;        // its start value is given and can be changed
    double start;      // of those, of inputs and of constants
    const char *text;  // of a String: the same
    int clock;         // its clock + 1; 0: none
    int derivative_of; // variable of the list; -1: none
    int of;            // the first element of its array; itself where it is none
    int n_elements;    // of the array that begins here; 1: none does
    int dims[FMU_DIMS_MAX], n_dims;
} fmu_variable;

typedef struct fmu_listing {
    const fmu_subject *x;
    arena *a;
    text *out;
    const flat_model *flat;
    fmu_variable *at; // by value reference
    int n, n_columns, n_states, n_indicators;
    int first_indicator, first_text, first_clock; // value references
    int *state, *rate;                            // by state: variables
    int *place;                                   // in the file, from 1: what FMI 2 calls an index
    fmu_depends *depends;                         // NULL: nobody knows
    int *known;                                   // by known of them: a variable
    bool *seen;                                   // by variable: room for who writes a list
    int at_written; // of the flat model as it was written: where the last one was found
} fmu_listing;

/* Fill it; x, a, out and flat are set. */
void fmu_list_variables(fmu_listing *l);
void fmu_group_arrays(fmu_listing *l);                // arrays.c; of FMI 3
const char *fmu_unit_of(const fmu_listing *l, int i); // NULL: it has none

static inline bool fmu_is_written(const fmu_listing *l, int i)
{
    return l->at[i].name != NULL;
}

static inline bool fmu_has_start(const fmu_variable *q)
{
    return q->exact || q->causality == IS_INPUT;
}

/* ---- XML ------------------------------------------------------------------------------------- */

void fmu_escaped(text *out, const char *words);
void fmu_attribute(text *out, const char *name, const char *value); // none where there is no value
void fmu_attribute_real(text *out, const char *name, double x);

/* A page about the model, for people. */
void fmu_page(const fmu_listing *l, text *out);
/* Terminals (FMI 3), and an icon (terminals.c). */
void fmu_terminals(fmu_listing *l, text *out);
void fmu_icon_svg(const fmu_listing *l, text *out);
void fmu_icon_png(const fmu_listing *l, text *out);

#endif
