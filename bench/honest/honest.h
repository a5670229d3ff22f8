/* Every recorded value against a reference of higher precision.
 *
 * A problem is text: a Modelica model as a user would write it, and beside it, in a small language
 * of its own, what its variables are as functions of time (series.c) or an ordinary differential
 * equation for them that is integrated here in quadruple precision (integrate.c). Nothing of the
 * library is linked: the command is run as a user would run it, and its CSV is compared (judge.c).
 * Problems come in families (problems/KIND.txt); numbers are drawn from a seed.
 * SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <quadmath.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __float128 real;

/* ---- series.c: expressions as Taylor series in time ------------------------------------------ */

enum { ORDER = 32, MAX_NODES = 1500, MAX_NAMES = 150, NAME = 64 };

typedef struct series_node {
    int op, a, b, c;                 // arguments are nodes with smaller numbers
    real x;                          // a number, a parameter, or what is added to a state
    bool mode;                       // of a switch: first branch
    real v[ORDER + 1], w[ORDER + 1]; // Taylor coefficients; w: of a companion (cos beside sin ...)
} series_node;

typedef struct series {
    int n, n_names;
    bool frozen; // switches keep their mode; otherwise the sign of the condition decides
    series_node at[MAX_NODES];
    struct {
        char text[NAME];
        int node;
    } names[MAX_NAMES];
    const char *cursor, *error; // while a text is read
} series;

int series_parse(series *s, const char *text); // the node of an expression, -1: see error
int series_number(series *s, real x);          // of a number or parameter, whose x may be changed
int series_unknown(series *s);                 // its coefficients are set by whoever integrates
int series_shift(series *s, int a);            // a plus a number x, at first 0
void series_name(series *s, const char *name, int i);
int series_find(const series *s, const char *name); // -1: none
int series_time(series *s);
bool series_is_switch(const series *s, int i);
void series_coefficient(series *s, int k); // the k-th of all nodes, after those before
real series_horner(const real *v, int order, real h);

/* ---- family.c: what the files say ------------------------------------------------------------ */

enum { MAX_PARAMETERS = 24, MAX_STATES = 24, MAX_COLUMNS = 64, MAX_RESETS = 8, MAX_EVENTS = 4000 };

typedef enum { STATE, VALUE, DERIVATIVE, N_SORTS } column_sort; // of a column

typedef struct column {
    char name[NAME];
    column_sort sort;
    int node, shift; // shift: the column as those that follow see it; -1: they do not
    double nominal;
    bool optional; // compared if the result has it
} column;

typedef struct problem {
    char kind[NAME], family[NAME], name[NAME + 8];
    bool stiff, jumps;
    double stop, longest_step; // of the reference; 0: as the series allows
    char *model;               // text
    series *s;
    int n_parameters, parameter[MAX_PARAMETERS]; // nodes of what was drawn
    int n_states, unknown[MAX_STATES], rate[MAX_STATES], start[MAX_STATES];
    int n_resets;
    struct {
        int when, state, value;
    } reset[MAX_RESETS];
    int n_columns;
    column columns[MAX_COLUMNS];
    int n_events; // times at which switches changed in the last integration
    double events[MAX_EVENTS];
} problem;

/* The i-th family of a file, with numbers of the given draw; NULL after the last. Exits, with the
 * line, if the text is wrong. */
problem *family_draw(const char *path, int i, uint64_t seed, int draw);
void problem_free(problem *p);

/* ---- integrate.c ----------------------------------------------------------------------------- */

/* States at the n times, [time][state], from those at the first. `accuracy`: of a step, relative.
 * false: no solution. */
bool integrate(problem *p, const double *times, int n, double accuracy, const real *start,
               real *out);

/* ---- judge.c --------------------------------------------------------------------------------- */

typedef struct judged {
    int problem; // its number
    double tol;
    char method[32];            // empty: the automatic choice
    char failure[200];          // empty: it ran
    double error[N_SORTS], end; // in tol
    bool wrong;                 // an error above 100 tol that no condition explains
    char worst[NAME]; // the largest of those, or of all: its column, time, error and condition
    double worst_time, worst_error, condition;
    double seconds, doubt; // doubt: of the reference
} judged;

typedef struct judge {
    const char *vincolo, *folder;
    int points;
    double limit; // seconds for a run
} judge;

typedef struct reference {
    int n; // points
    double *times;
    real *states; // integrated, [time][state]
    real **moved; // the same with a parameter or a state on the way moved; NULL until asked for
    real **near;  // at each point: where one moved shortly before it, [which][state]; NULL, too
    double doubt; // difference of two integrations, in tol 1e-10
    bool failed;
    int n_events; // times at which switches changed
    double events[MAX_EVENTS];
} reference;

reference *reference_new(problem *p, const judge *j);
void reference_free(const problem *p, reference *r);
void judge_run(const judge *j, problem *p, reference *r, judged *out);
