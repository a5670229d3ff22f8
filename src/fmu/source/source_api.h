/* What of the interface of Vincolo an FMU needs, for FMUs that are compiled from their sources: handles,
 * names and meanings are those of vincolo.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOURCE_API_H
#define SOURCE_API_H

#include "fmu/source/source_model.h"

#include <stddef.h>
#include <stdint.h>

enum {
    VINC_OK = 0,
    VINC_TERMINATED = 2,
    VINC_EVENT = 3,
    VINC_E_MEMORY = -1,
    VINC_E_OPTION = -3,
    VINC_E_NEWTON = -5,
    VINC_E_ERROR = -6,
    VINC_E_EVALUATION = -7,
    VINC_E_STOPPED = -9,
    VINC_E_ZENO = -13
};

typedef struct vinc_ctx vinc_ctx;
typedef struct vinc_model vinc_model;
typedef struct vinc_sim vinc_sim;
typedef struct vinc_state vinc_state;

typedef enum vinc_type {
    VINC_REAL,
    VINC_INTEGER,
    VINC_BOOLEAN,
    VINC_STRING,
    VINC_ENUMERATION
} vinc_type;

typedef enum vinc_severity { VINC_NOTE, VINC_WARNING, VINC_ERROR } vinc_severity;
typedef struct vinc_diagnostic {
    vinc_severity severity;
    const char *code, *file;
    int line, column;
    const char *text;
} vinc_diagnostic;

typedef struct vinc_sim_options {
    int has_start, has_stop;
    double t_start, t_stop, rel_tol;
    int lend;
} vinc_sim_options;

typedef struct vinc_event_report {
    int changed, states_changed, terminated;
    double next_time;
} vinc_event_report;

typedef struct vinc_slopes {
    const int *unknowns, *knowns;
    int n_unknowns, n_knowns, transposed;
} vinc_slopes;

SOURCE_HIDDEN_BEGIN

vinc_ctx *vinc_ctx_new(const void *options);
void vinc_ctx_free(vinc_ctx *ctx);
int vinc_ctx_n_diagnostics(const vinc_ctx *ctx);
vinc_diagnostic vinc_ctx_diagnostic(const vinc_ctx *ctx, int i);
void vinc_ctx_clear(vinc_ctx *ctx);
vinc_model *vinc_model_of(vinc_ctx *ctx, const source_model *of); // in place of loading a text
void vinc_model_free(vinc_model *model);

int vinc_sim_new(vinc_model *model, const vinc_sim_options *options, vinc_sim **out);
void vinc_sim_free(vinc_sim *sim);
int vinc_sim_n_diagnostics(const vinc_sim *sim);
vinc_diagnostic vinc_sim_diagnostic(const vinc_sim *sim, int i);
int vinc_sim_n_values(const vinc_sim *sim);
const char *vinc_sim_value_name(const vinc_sim *sim, int i);
vinc_type vinc_sim_value_type(const vinc_sim *sim, int i);
int vinc_sim_find(const vinc_sim *sim, const char *name);
int vinc_sim_set(vinc_sim *sim, const char *name, double value);
int vinc_sim_set_input(vinc_sim *sim, int i, double value);
int vinc_sim_values(vinc_sim *sim, const int *list, int n, double *out);
int vinc_sim_n_texts(const vinc_sim *sim);
const char *vinc_sim_text_name(const vinc_sim *sim, int i);
int vinc_sim_text(vinc_sim *sim, int i, const char **out);
int vinc_sim_n_clocks(const vinc_sim *sim);
double vinc_sim_clock_time(const vinc_sim *sim, int i);
double vinc_sim_time(const vinc_sim *sim);
double vinc_sim_end(const vinc_sim *sim);

int vinc_sim_start(vinc_sim *sim);
int vinc_sim_step(vinc_sim *sim, double limit);
int vinc_sim_advance(vinc_sim *sim, double t);
int vinc_sim_extend(vinc_sim *sim, double t_stop);

int vinc_sim_lend(vinc_sim *sim);
int vinc_sim_n_states(const vinc_sim *sim);
int vinc_sim_state_value(const vinc_sim *sim, int i);
int vinc_sim_place(vinc_sim *sim, double t, const double *x);
int vinc_sim_states(vinc_sim *sim, double *x, double *nominal);
int vinc_sim_rates(vinc_sim *sim, double *rates);
int vinc_sim_n_indicators(const vinc_sim *sim);
int vinc_sim_indicators(vinc_sim *sim, double *g);
int vinc_sim_before_event(vinc_sim *sim);
int vinc_sim_event(vinc_sim *sim, vinc_event_report *out);
int vinc_sim_accept(vinc_sim *sim, int *event);
int vinc_sim_slopes(vinc_sim *sim, const vinc_slopes *of, const double *v, double *out);

int vinc_sim_save(vinc_sim *sim, vinc_state **out);
int vinc_sim_restore(vinc_sim *sim, const vinc_state *state);
void vinc_state_free(vinc_state *state);
size_t vinc_state_size(const vinc_state *state);
int vinc_state_write(const vinc_state *state, void *bytes, size_t size);
int vinc_state_read(vinc_sim *sim, const void *bytes, size_t size, vinc_state **out);

SOURCE_HIDDEN_END

#endif
