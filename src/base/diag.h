/* Diagnostics: what a person reads when a model is wrong.
 *
 * A diagnostic has a severity, a stable code (a letter for the stage and three digits, documented
 * in docs/messages), a place in the source, one sentence that names the thing and the way out,
 * and notes with places of their own. The library collects them in a sink; only the command prints.
 *
 *     pendulum.mo:5:9: error: 'lamda' is not declared here; did you mean 'lambda'? [M101]
 *         5 |   der(vx) = -lamda*x;
 *           |             ^~~~~
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/source.h"
#include "base/text.h"

#include <stdarg.h>

typedef enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR } diag_severity;

typedef struct diag {
    diag_severity severity;
    char code[8];
    span at;
    const char *text;
    struct diag *notes; // linked by next
    struct diag *next;
} diag;

typedef struct diag_sink {
    arena *a; // texts live here
    diag *first, *last;
    int n_errors, n_warnings;
    int limit; // errors kept; further ones are only counted. 0: DIAG_LIMIT
} diag_sink;

enum { DIAG_LIMIT = 50 };

void diag_init(diag_sink *s, arena *a);
void diag_error(diag_sink *s, const char *code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_warning(diag_sink *s, const char *code, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Attach a note to the newest diagnostic. */
void diag_note(diag_sink *s, span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int diag_count(const diag_sink *s);                   // those kept, without notes
const diag *diag_at(const diag_sink *s, int i);       // the i-th of them; NULL: there is none
void diag_forget_since(diag_sink *s, diag_sink held); // all that came after this copy of it
void diag_copy(diag_sink *to, const diag_sink *s);    // append copies of all, texts included

/* Each diagnostic with its notes as text; colour adds terminal escapes. */
void diag_print_all(const diag_sink *s, const source_set *sources, bool colour, text *out);

/* "Did you mean": the candidate nearest to name, or NULL when none is near enough
 * (Damerau–Levenshtein, at most a third of the letters). */
const char *diag_nearest(const char *name, const char *const *candidates, int n);
/* Twice the number of edits (insert, delete, replace, swap neighbours) from a to b, where another
 * case is half an edit. F. Damerau, Commun. ACM 7 (1964) 171-176. At most DIAG_LONGEST letters. */
enum { DIAG_LONGEST = 100 };
int diag_distance(const char *a, const char *b);

#endif
