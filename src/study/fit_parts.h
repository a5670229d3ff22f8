/* Parameter estimation: what its files share.
 *
 * The model is extended by one variable for each observable and one for each standard deviation, and by
 * the parameters that only these have. So the model compiler differentiates them all. A case is one
 * condition: settings of parameters, the state of rest that it may begin from, and its data.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef STUDY_FIT_PARTS_H
#define STUDY_FIT_PARTS_H

#include "run/vary.h"
#include "study/study.h"

/* ---- tables of texts (fit_table.c) ----------------------------------------------------------- */

typedef struct fit_table {
    const char *path;
    int n_rows, n_columns;
    const char **cells; // row by row, the header first
} fit_table;

/* NULL after a diagnostic. */
fit_table *fit_table_read(vinc_ctx *ctx, const char *path, arena *a);
int fit_table_column(const fit_table *t, const char *name); // -1: none
static inline const char *fit_cell(const fit_table *t, int row, int column)
{
    return t->cells[(size_t)row * (size_t)t->n_columns + (size_t)column];
}
bool fit_number(const char *words, double *value);

/* ---- the problem (fit_problem.c) ------------------------------------------------------------- */

typedef struct fit_parameter {
    const char *name;
    double value, lower, upper; // as they are, not on the scale
    bool log;                   // estimated on a scale of log10
    bool estimated;
    bool own;   // only observables, noise or conditions have it
    int number; // among those that are estimated; -1: it is not
} fit_parameter;

typedef enum fit_scale { FIT_LIN, FIT_LOG, FIT_LOG10 } fit_scale;
typedef enum fit_noise { FIT_NORMAL, FIT_LAPLACE } fit_noise;

/* A column of the extended model. */
typedef struct fit_quantity {
    int output; // of the model; -1: it is constant
    int column; // ... this one
    double sign;
} fit_quantity;

typedef struct fit_observable {
    const char *name, *formula, *noise; // noise "": by row
    fit_scale scale;
    fit_noise kind;
    fit_quantity y, sd;
} fit_observable;

typedef struct fit_datum {
    int observable;
    double t, value, noise; // noise NaN: that of the observable, or a formula
    int formula;            // of its noise, by number; -1: none
} fit_datum;

typedef struct fit_formula { // a standard deviation that some rows have
    const char *text;
    fit_quantity sd;
} fit_formula;

typedef struct fit_case {
    const char *name;
    int row;         // of the table of conditions; -1: none
    int rest;        // the case of rest that it begins from; -1: none
    bool needed;     // it has data, or is begun from
    fit_datum *data; // by time
    int n_data;
} fit_case;

typedef struct fit_problem {
    vinc_ctx *ctx;
    arena *a;
    vinc_model *plain, *model;
    const vinc_fit_options *o;
    fit_parameter *parameters;
    int n_parameters, n_estimated;
    fit_observable *observables;
    int n_observables;
    fit_formula *formulas;
    int n_formulas;
    fit_table *conditions; // NULL: none
    fit_case *cases;
    int n_cases, n_data;
    int *outputs, n_outputs; // of the model, that quantities need
    int *asked, n_asked;     // parameters of the model that may move
    int *order;              // column of the variation by number of the estimated, and back
    double t_start;
    text words; // what is being written: here, so that it is freed where memory runs out meanwhile
} fit_problem;

text *fit_words(fit_problem *p); // empty; until the next call

bool fit_in_model(const fit_problem *p, const char *name); // as it was given
/* "k = 1", or "x(start = 1)" where it is a start value. */
void fit_setting_text(const fit_problem *p, const char *name, double value, text *out);
/* Parameters "k = 1 [0.1, 10] log, c" of p->plain, whose structure is there. */
int fit_parameters_of_text(fit_problem *p, const char *words);
int fit_read(fit_problem *p); // VINC_OK, or why not, said
int fit_fail(vinc_ctx *ctx, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- likelihood (fit_value.c) ---------------------------------------------------------------- */

/* Runs of all cases, which so many threads share: the same bits for any number of them. */
typedef struct fit_runs fit_runs;
int fit_runs_new(fit_problem *p, int threads, fit_runs **out);
void fit_runs_free(fit_runs *r);

typedef struct fit_value {
    double f;      // negative log-likelihood
    double *g, *h; // gradient, and information, n and n n, on the scales; NULL: not wanted
    double *model; // by datum in the order of the cases: values; NULL: not wanted
    double *sd;    // ... and standard deviations
} fit_value;

/* x: the estimated parameters on their scales. VINC_OK; < 0: it has no value there. */
int fit_evaluate(fit_runs *r, const double *x, fit_value *out);
const char *fit_failure(const fit_runs *r); // of the last evaluation; "": none
double fit_scaled(const fit_parameter *q, double value);
double fit_unscaled(const fit_parameter *q, double x);

/* ---- steps (fit.c) --------------------------------------------------------------------------- */

/* d := the solution of (h + lambda diag h) d = -g for what is not held; a: n n of room. False: the matrix
 * is not positive definite. */
bool fit_step(int n, const double *h, const double *g, const uint8_t *held, double lambda,
              double *a, double *d);

typedef struct fit_end {
    double f, f_start;
    int status, iterations, evaluations; // status: 0 converged, 1 iterations ran out, < 0 no value
    double *x;
} fit_end;

typedef struct fit_search {
    fit_problem *p;
    fit_runs *runs;
    int n;
    double *x, *g, *h, *trial, *g_new, *h_new, *d, *a, *lower, *upper;
    uint8_t *held;
} fit_search;

/* From x on, at most so many iterations. VINC_OK, or what stops all searches. */
int fit_search_from(fit_search *s, const double *x, int most, fit_end *out);

/* ---- profiles (fit_profile.c) ---------------------------------------------------------------- */

typedef struct
    fit_curve { // by values of a parameter: what the likelihood loses, the others fitted anew
    double *x, *loss;
    size_t n;
} fit_curve;

static const double FIT_LOSS_95 =
    1.920729410347062; // half of the quantile of chi^2 with one degree

/* Around the optimum s->x, where the negative log-likelihood is f: intervals into the list, curves of all
 * parameters. s->x stays as it is. */
int fit_profiles(fit_search *s, double f, vinc_fit_parameter *list, fit_curve **curves);

/* ---- figures (fit_figure.c) and the report page (fit_page.c) ---------------------------------- */

typedef struct fit_trace_curve { // of an observable in a case, between its data as well
    double *t, *y;
    size_t n;
} fit_trace_curve;

typedef struct fit_picture {
    fit_problem *p;
    fit_runs *runs;
    const double *x;          // the estimates, on their scales
    const double *model, *sd; // by datum
    const vinc_fit *told;
    const fit_curve *profiles; // NULL: not asked for
    fit_trace_curve *curves;   // by case, then by observable
    plot_figure **figure;      // the one that is drawn: freed where memory runs out meanwhile
} fit_picture;

int fit_trace(fit_picture *f); // the curves, by one more run of each case
typedef enum fit_shown { FIT_ALL, FIT_DATA, FIT_PROFILES } fit_shown;
plot_figure *fit_draw(const fit_picture *f, fit_shown shown); // NULL: no memory
int fit_page(const fit_picture *f, const char *path);         // VINC_OK, or why not, said

#endif
