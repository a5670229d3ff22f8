/* What passes between an integrator and an FMU: requests in a box.
 *
 * The FMU runs in a process of its own, or in this one; both are asked in the same way. A request and
 * its answer lie in the box, which both processes share, at one address; a byte each way says that
 * there is one. Numbers of all types are doubles here. Several things are asked for at once, because
 * the way there costs more than the question.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef IMPORT_BOX_H
#define IMPORT_BOX_H

#include "fmi/description.h"

typedef enum box_request {
    BOX_OPEN,       // load the library, make an instance
    BOX_SET,        // values of `set`, before the start
    BOX_INITIALIZE, // with start, stop, tolerance and inputs; ends in the first event
    BOX_EVALUATE,   // what `ask` says
    BOX_EVENT,      // enter an event, iterate it, leave it
    BOX_STEP,       // of co-simulation, from t over h
    BOX_TERMINATE,
    BOX_CLOSE
} box_request;

enum {
    BOX_PLACE = 1,      // set time and states
    BOX_INPUTS = 2,     // set continuous inputs
    BOX_ALL_INPUTS = 4, // ... and discrete ones: events and steps only
    BOX_RATES = 8,
    BOX_INDICATORS = 16,
    BOX_VALUES = 32,  // of everything that is recorded
    BOX_SLOPES = 64,  // d rates / d states
    BOX_ACCEPT = 128, // the integrator keeps this step
    BOX_FIXED = 256   // values of what does not vary in a run
};

/* Statuses are those of the standard, and some of ours. */
enum {
    FMI_OK,
    FMI_WARNING,
    FMI_DISCARD,
    FMI_ERROR,
    FMI_FATAL,
    FMI_PENDING,
    BOX_NO_LIBRARY,  // it cannot be loaded, or lacks a function: `words` says which
    BOX_NO_INSTANCE, // it does not make one
    BOX_ENDLESS,     // an event that does not settle
    BOX_DIED,        // the process is gone: `words` says how
    BOX_STOPPED      // stopped from outside or by a limit
};

enum { BOX_WORDS = 500, BOX_LOG = 6000 };

typedef struct import_box {
    box_request request;
    int status;
    const char *call; // the function of the standard that gave it
    char words[BOX_WORDS];
    unsigned ask;
    bool event_mode; // co-simulation with events of its own; false also where it does not take it
    double t, h, start, stop, tolerance; // stop +inf: not known
    /* answers */
    bool terminate, states_changed, event_asked, early;
    double next;    // time event; +inf: none
    double reached; // of a step
    size_t n_log;
    char log[BOX_LOG]; // what the FMU said, a line each
    /* arrays, behind the box */
    double *x, *rates, *nominal, *indicators, *inputs, *values, *fixed, *set;
    double *slopes; // n_states by columns; NULL: not offered
    void *raw;      // as large as the largest group of values
} import_box;

/* Scalars of one type that are read or set together. */
typedef struct box_group {
    uint32_t *references;
    int n;           // variables
    size_t n_values; // scalars
    int *slots;      // of each scalar: its place in the array of doubles
} box_group;
typedef struct box_groups {
    box_group of[FMI_TYPES];
} box_groups;

typedef struct box_text { // a String to be set
    uint32_t reference;
    const char *value;
} box_text;

/* What both sides know, made before they part. */
typedef struct import_plan {
    const fmi_description *d;
    const fmi_interface *kind;
    bool steps;          // co-simulation
    const char *library; // path
    const char *resources;
    int n_states, n_indicators, n_values, n_fixed, n_inputs, n_set;
    box_groups values, fixed, inputs, discrete_inputs, set, structural; // structural: in `set`, too
    const box_text *texts;
    int n_texts;
    uint32_t *states, *derivatives; // references of arrays or scalars, in the order of the states
    int n_state_variables;
    bool event_mode; // of co-simulation, is used
} import_plan;

/* An FMU of either version, from its side of the box (fmi2_calls.c, fmi3_calls.c). A request that fails
 * leaves its status and the call that gave it. */
typedef struct import_callee {
    const import_plan *plan;
    import_box *box;
    const struct import_calls *calls;
    void *library, *instance;
    void *functions; // of the version; begins with those of both
    bool in_event;   // event mode
} import_callee;

/* Functions that are the same in both versions but for their names. */
typedef struct import_functions {
    void (*release)(void *);
    int (*exit_initialization)(void *), (*terminate)(void *), (*enter_event)(void *);
    int (*set_time)(void *, double);
    int (*set_states)(void *, const double *, size_t);
    int (*states)(void *, double *, size_t), (*nominals)(void *, double *, size_t);
    int (*rates)(void *, double *, size_t), (*indicators)(void *, double *, size_t);
} import_functions;

typedef struct import_symbol {
    const char *name;
    size_t at;  // in the struct of functions
    int needed; // 1 by model exchange, 2 by co-simulation, 3 both
} import_symbol;

typedef struct import_calls {
    const import_symbol *symbols; // ends with a NULL name
    size_t size;                  // of the struct of functions
    void *(*instantiate)(import_callee *c);
    int (*get)(import_callee *c, fmi_type type, const box_group *g, void *raw);
    int (*set)(import_callee *c, fmi_type type, const box_group *g, const void *raw);
    int (*set_texts)(import_callee *c);
    int (*configure)(import_callee *c, bool enter);
    int (*enter_initialization)(import_callee *c);
    int (*update)(import_callee *c, bool *again); // one pass of an event
    int (*leave_event)(import_callee *c);
    int (*slope)(import_callee *c, const double *seed, double *out);
    int (*accept)(import_callee *c);
    int (*step)(import_callee *c);
} import_calls;

extern const import_calls import_fmi2, import_fmi3;

/* One request, answered in this process. */
void import_answer(import_callee *c);
/* A line of the FMU, for the log of the box. */
void import_log(import_box *box, int status, const char *words);
/* Bytes of a value of the type, as the library has it. */
size_t import_value_bytes(int fmi, fmi_type type);

#endif
