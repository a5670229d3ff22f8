/* An instance of an FMU, for both versions of the standard: a context, the compiled model and a run.
 *
 * What is set before the end of initialization is kept as a list and given to the run when it starts:
 * at the end of initialization, or when a value is asked for before. Calls give a fmu_status and pass
 * messages of the run to the logger.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_RUNTIME_INSTANCE_H
#define FMU_RUNTIME_INSTANCE_H

#include "vincolo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These files are compiled by any compiler, too: they are among the sources of FMUs. */
#if defined(_WIN32)
#define FMU_SHOWN __declspec(dllexport)
#define FMU_PRINTS
#elif defined(__GNUC__)
#define FMU_SHOWN  __attribute__((visibility("default")))
#define FMU_PRINTS __attribute__((format(printf, 3, 4)))
#else
#define FMU_SHOWN
#define FMU_PRINTS
#endif

/* The numbers are those of fmi2Status and fmi3Status. */
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

typedef enum fmu_mode {
    FMU_INSTANTIATED,
    FMU_INITIALIZATION,
    FMU_EVENT,
    FMU_CONTINUOUS, // of model exchange
    FMU_STEP,       // of co-simulation
    FMU_TERMINATED
} fmu_mode;

typedef struct fmu_setting {
    uint32_t reference;
    double value;
} fmu_setting;

typedef struct fmu_array { // of FMI 3: its elements have the value references from `reference` on
    uint32_t reference, n;
} fmu_array;

typedef struct fmu_texts { // records of instance_texts.c
    char *bytes;
    size_t n;
} fmu_texts;

typedef struct fmu_instance fmu_instance;
struct fmu_instance {
    bool steps; // co-simulation
    bool event_mode, early_return;
    fmu_mode mode;
    void *environment; // of the importer
    char *name;
    void (*log)(const fmu_instance *x, fmu_status status, const char *category, const char *text);
    void (*logger)(void); // of the importer: log knows its type
    void (*intermediate)(void);
    bool (*between)(fmu_instance *x, double t, double *until); // after a step inside; true: return
    bool logs;

    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;  // started; NULL: not yet
    int n_told;     // of its messages
    int *column;    // by variable: its number in the run; NULL: the same
    uint8_t *types; // vinc_type by variable
    int n_variables, n_states, n_indicators;
    fmu_array *arrays; // by reference
    int n_arrays;
    bool has_stop, has_tolerance;
    double t_start, t_stop, tolerance;
    double duration; // of the experiment of the model
    fmu_setting *settings;
    int n_settings, n_room;
    double next_time; // of an event
    bool terminated;
    double *numbers; // room for states or indicators

    int n_clocks;
    bool entered;       // event mode, from continuous time: its event has not been handled
    bool updated;       // discrete states have been: clocks have ticked, and are over
    bool evaluated;     // the event has been handled to tell of its ticks; it can be taken back
    vinc_state *before; // ... to this
    vinc_event_report report; // ... what came of it

    int n_texts;
    int *text_place;  // by String: its number in the run; -1: it is not there
    char **said;      // by String: what was handed out; NULL: nothing yet
    fmu_texts texts;  // that were set
    fmu_texts loaded; // ... when the model was compiled
    int n_loads;      // times that it was
    uint64_t shape;   // of the names and types of all variables
    void *source;     // of fmu_load: the text of the model
    size_t n_source;
    char *folder; // of the resources
};

/* resources: the folder of the model, with or without a separator at the end. The functions of logging
 * are set before. False: said by the logger. */
bool fmu_open(fmu_instance *x, const char *name, const char *token, const char *resources);
void fmu_close(fmu_instance *x); // and all that it holds, itself included

/* ---- for the files of an instance ------------------------------------------------------------ */

/* ctx and model; false: said. In fmu_load.c a text of the resources, in FMUs that were compiled from their
 * sources what was printed. */
bool fmu_load(fmu_instance *x, const char *token, const char *resources);
bool fmu_load_again(fmu_instance *x, const fmu_texts *set); // model, for these; false: said
void fmu_load_close(fmu_instance *x);
/* What importers see of a text: files of the resources without their folder. To be freed; NULL: no memory. */
char *fmu_text_shown(const fmu_instance *x, const char *words);
/* What the model has: numbers and types of variables. */
fmu_status fmu_map(fmu_instance *x);
/* The run with what has been set so far, unless there is one; none any more. */
fmu_status fmu_start(fmu_instance *x);
void fmu_stop(fmu_instance *x);
bool fmu_is_variable(const fmu_instance *x, uint32_t reference);
fmu_status fmu_load_for_texts(fmu_instance *x); // where others are set than when it was compiled
/* One text that is set after the other, from *at = 0 on: the number of the String, and the text; NULL after
 * the last. */
const char *fmu_text_set(const fmu_texts *t, size_t *at, uint32_t *number);
bool fmu_texts_copy(fmu_texts *to, const fmu_texts *from); // false: no memory
bool fmu_texts_read(const fmu_instance *x, const char *bytes,
                    size_t n); // are they records of this FMU?
void fmu_texts_close(fmu_instance *x);
bool fmu_note_array(fmu_instance *x, uint32_t reference,
                    uint32_t n); // in their order; false: no memory

/* ---- for both versions ----------------------------------------------------------------------- */

/* True if there is an instance, and a and b are not NULL; for n = 0 values they may be. Otherwise false, and the
 * instance, if there is one, logs an error that names the call. A call with one array passes it twice. */
bool fmu_given(const fmu_instance *x, const char *call, size_t n, const void *a, const void *b);
/* A call outside the modes (1 << FMU_EVENT | ...) in which it is allowed: false, and said. */
bool fmu_allowed(fmu_instance *x, unsigned modes, const char *call);

fmu_status fmu_enter_initialization(fmu_instance *x);
fmu_status fmu_exit_initialization(fmu_instance *x);
fmu_status fmu_reset(fmu_instance *x);

/* kind: what the importer takes the variables for; others are refused. */
fmu_status fmu_values(fmu_instance *x, vinc_type kind, const uint32_t *references, size_t n,
                      double *out);
fmu_status fmu_set(fmu_instance *x, vinc_type kind, const uint32_t *references, size_t n,
                   const double *values);

/* Texts stay until they are asked for again. */
fmu_status fmu_text_values(fmu_instance *x, const uint32_t *references, size_t n, const char **out);
fmu_status fmu_set_texts(fmu_instance *x, const uint32_t *references, size_t n,
                         const char *const *values);

uint32_t fmu_n_elements(const fmu_instance *x, uint32_t reference); // 1: of a scalar
bool fmu_is_enumeration(const fmu_instance *x, uint32_t reference);

/* ---- model exchange -------------------------------------------------------------------------- */

fmu_status fmu_place(fmu_instance *x, double t, const double *states, size_t n);
fmu_status fmu_states(fmu_instance *x, double *states, double *nominals, size_t n);
fmu_status fmu_rates(fmu_instance *x, double *rates, size_t n);
fmu_status fmu_indicators(fmu_instance *x, double *g, size_t n);
fmu_status fmu_n_indicators(fmu_instance *x, size_t *n);
fmu_status fmu_enter_event(fmu_instance *x);
fmu_status fmu_event(fmu_instance *x, vinc_event_report *out);
fmu_status fmu_accept(fmu_instance *x, bool *event);

/* Which clocks tick in this event? The event is handled for that; a value that is set takes that back. */
fmu_status fmu_clocks(fmu_instance *x, const uint32_t *references, size_t n, bool *out);
fmu_status fmu_take_back(fmu_instance *x);

/* ---- co-simulation --------------------------------------------------------------------------- */

typedef struct fmu_step {
    bool event, terminated, early;
    double last; // the time reached
} fmu_step;
fmu_status fmu_advance(fmu_instance *x, double t, double h, fmu_step *out);

/* ---- state and derivatives ------------------------------------------------------------------- */

typedef struct fmu_kept fmu_kept;
fmu_status fmu_keep(fmu_instance *x, fmu_kept **out); // *out is used again where it is not NULL
fmu_status fmu_return(fmu_instance *x, const fmu_kept *kept);
void fmu_kept_free(fmu_kept *kept); // NULL is fine
fmu_status fmu_kept_size(fmu_instance *x, const fmu_kept *kept, size_t *size);
fmu_status fmu_kept_write(fmu_instance *x, const fmu_kept *kept, void *bytes, size_t size);
fmu_status fmu_kept_read(fmu_instance *x, const void *bytes, size_t size, fmu_kept **out);

/* out = J v with J = d unknowns / d knowns; transposed: out = J^T v. */
fmu_status fmu_product(fmu_instance *x, const uint32_t *unknowns, size_t n_unknowns,
                       const uint32_t *knowns, size_t n_knowns, bool transposed, const double *v,
                       double *out);

/* The result of a call of the library, with its messages to the logger. */
fmu_status fmu_told(fmu_instance *x, int rc);
void fmu_say(const fmu_instance *x, fmu_status status, const char *format, ...) FMU_PRINTS;

#endif
