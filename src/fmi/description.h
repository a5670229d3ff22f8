/* What modelDescription.xml says, FMI 2 and 3 alike.
 *
 * Reading is lenient: what is missing or wrong is said by the schema (schema.h) and the rules
 * (fmi_rules_check), and is here as if it were absent. Texts and arrays live in the arena.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMI_DESCRIPTION_H
#define FMI_DESCRIPTION_H

#include "base/map.h"
#include "base/source.h"
#include "fmi/schema.h"
#include "fmi/unzip.h"

/* Types of FMI 3; of FMI 2 a Real is a Float64, an Integer an Int32. */
typedef enum fmi_type {
    FMI_FLOAT32,
    FMI_FLOAT64,
    FMI_INT8,
    FMI_UINT8,
    FMI_INT16,
    FMI_UINT16,
    FMI_INT32,
    FMI_UINT32,
    FMI_INT64,
    FMI_UINT64,
    FMI_BOOLEAN,
    FMI_STRING,
    FMI_BINARY,
    FMI_ENUMERATION,
    FMI_CLOCK,
    FMI_TYPES
} fmi_type;

typedef enum fmi_causality {
    FMI_PARAMETER,
    FMI_CALCULATED_PARAMETER,
    FMI_INPUT,
    FMI_OUTPUT,
    FMI_LOCAL,
    FMI_INDEPENDENT,
    FMI_STRUCTURAL,
    FMI_CAUSALITIES
} fmi_causality;

typedef enum fmi_variability {
    FMI_CONSTANT,
    FMI_FIXED,
    FMI_TUNABLE,
    FMI_DISCRETE,
    FMI_CONTINUOUS,
    FMI_VARIABILITIES
} fmi_variability;

typedef enum fmi_initial { FMI_EXACT, FMI_APPROX, FMI_CALCULATED, FMI_NO_INITIAL } fmi_initial;

/* Their names; of types those of FMI 3. */
extern const char *const fmi_type_names[],
    *const fmi_causality_names[], *const fmi_variability_names[], *const fmi_initial_names[];

typedef struct fmi_list { // of value references, or of numbers from 1 (FMI 2)
    uint32_t *at;
    int n;
    bool given;
} fmi_list;

typedef struct fmi_dimension {
    int64_t start;      // -1: it is the value of a variable
    uint32_t reference; // ... of this one
    bool has_reference;
} fmi_dimension;

typedef struct fmi_variable {
    int node; // of the tree
    const char *name, *description, *unit, *display_unit, *declared;
    const char *const *starts; // texts; one, or one for each element
    int n_starts;              // 0: none is given
    fmi_type type;
    fmi_causality causality;
    fmi_variability variability;
    fmi_initial initial;          // as it is, defaults included
    bool pair_fits, initial_fits; // causality and variability go together; and allow that initial
    uint32_t reference;
    bool has_derivative, reinit, multiple_sets, is_alias;
    uint32_t derivative;      // FMI 3: the reference of its integral; FMI 2: its number from 1
    int integral;             // the variable that it is the derivative of; -1: none
    double min, max, nominal; // NaN: not given
    fmi_dimension *dimensions;
    int n_dimensions;
    int64_t size; // elements, with the start values of structural parameters; 1 of a scalar
    fmi_list clocks;
} fmi_variable;

typedef struct fmi_unknown { // a line of the model structure
    int node, variable;      // variable -1: there is no such one
    uint32_t number;         // as it is written
    fmi_list dependencies;
    int n_kinds;
    bool kinds_given;
} fmi_unknown;

typedef struct fmi_unknowns {
    fmi_unknown *at;
    int n;
} fmi_unknowns;

typedef struct fmi_interface { // model exchange, co-simulation
    int node;                  // -1: it is not offered
    const char *identifier;    // of the library
    bool needs_tool, once, keeps_state, serializes_state, directional, adjoint;
    bool wants_accepted;                                        // completedIntegratorStep
    bool variable_step, event_mode, early_return, intermediate; // of co-simulation
    double fixed_step;                                          // NaN: none
} fmi_interface;

typedef struct fmi_named { // a unit, or a type
    int node;
    const char *name;
    fmi_type type;    // of a type
    const char *unit; // likewise
    double min, max, nominal;
} fmi_named;

typedef struct fmi_description {
    int fmi; // 2 or 3
    const char *version, *name, *token, *summary, *tool, *author, *model_version, *made;
    bool structured; // names are
    fmi_interface exchange, steps, scheduled;
    ARRAY(fmi_named) units, types;
    ARRAY(fmi_variable) variables; // aliases of FMI 3 included
    fmi_unknowns outputs, derivatives, clocked, initial, indicators;
    int n_indicators;                    // scalars
    double start, stop, tolerance, step; // NaN: not given
    sym_table names;
    map by_name, by_type, by_unit; // symbols of names, each to a number + 1
    map by_reference;              // value references likewise, to the first variable
} fmi_description;

/* An FMU in memory: what was read of it. */
typedef struct fmi_file {
    fmi_archive archive;
    fmi_xml xml;
    char *words; // the text of the description, n_words and a NUL
    size_t n_words;
    fmi_description d;
} fmi_file;

/* The description of an FMU, from its bytes. RESULT_OK, RESULT_E_MEMORY, or RESULT_E_FORMAT where it
 * cannot be read at all: the fault says why. What can be read may still be wrong. fault_at: the byte of the
 * text that the fault is about. Inside a guard; f->xml and f->words are given back by fmi_file_done. */
int fmi_file_open(fmi_file *f, arena *a, const void *bytes, size_t n, const fmi_unpacker *u,
                  result_fault *fault, size_t *fault_at);
void fmi_file_done(fmi_file *f, mem *m);

/* Sizes of arrays and numbers of event indicators, by the start values that are there now. */
void fmi_description_resize(fmi_description *d);

/* The variable of that reference (the first, where there are several of FMI 2); -1: none. */
int fmi_variable_of(const fmi_description *d, uint32_t reference);
/* One of the model structure: FMI 2 numbers variables from 1. */
int fmi_variable_numbered(const fmi_description *d, uint32_t number);
/* What a map above has for a name; -1: nothing. */
int fmi_named_in(const fmi_description *d, const map *names, const char *name);
const fmi_named *fmi_type_of(const fmi_description *d, const fmi_variable *v); // NULL: none

/* Everything that the standard asks of a description: schema and rules, said as diagnostics. base: the
 * offset of its text in the space of spans. */
void fmi_rules_check(const fmi_file *f, uint32_t base, diag_sink *d);

#endif
