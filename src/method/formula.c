/* Reading formulas. Every line is a keyword with its values; the rows of A follow its keyword.
 *
 * number = ["+"|"-"] product {("+"|"-") product};  product = value {("*"|"/") value}
 * value  = decimal | "sqrt" "(" number ")" | "(" number ")"
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMULA_DEPTH_MAX = 20, NONE = -1 };

#define SUM_TOL 1e-8 // decimals of ten digits must do

typedef struct reader {
    const char *at, *end;
    const char *file;
    int line, depth;
    char *why;
    bool failed;
    bool kind_given;
    int n_rows, n_b, n_c, n_embedded, n_alpha, n_beta; // NONE: not given
    int widths[METHOD_STAGES_MAX];
} reader;

static void formula_fail(reader *r, int line, const char *what)
{
    if (!r->failed && line) snprintf(r->why, METHOD_WHY, "%s:%d: %s", r->file, line, what);
    else if (!r->failed) snprintf(r->why, METHOD_WHY, "%s: %s", r->file, what);
    r->failed = true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double formula_sum(reader *r, const char **p);

static double formula_value(reader *r, const char **p)
{
    double x = NAN;
    if (++r->depth > FORMULA_DEPTH_MAX) return r->depth--, NAN;
    bool root = strncmp(*p, "sqrt(", 5) == 0;
    if (root || **p == '(') {
        *p += root ? 5 : 1;
        x = formula_sum(r, p);
        if (**p != ')') x = NAN;
        else (*p)++;
        if (root) x = sqrt(x);
    } else if (isdigit((unsigned char)**p) || **p == '.') {
        char *end = NULL;
        x = strtod(*p, &end);
        *p = end;
    }
    r->depth--;
    return x;
}

static double formula_product(reader *r, const char **p)
{
    double x = formula_value(r, p);
    while (**p == '*' || **p == '/') {
        char op = *(*p)++;
        double y = formula_value(r, p);
        x = op == '*' ? x * y : x / y;
    }
    return x;
}

static double formula_sum(reader *r, const char **p)
{
    double x = 0, sign = 1;
    if (**p == '-' || **p == '+') sign = *(*p)++ == '-' ? -1 : 1;
    for (;;) {
        x += sign * formula_product(r, p);
        if (**p != '+' && **p != '-') return x;
        sign = *(*p)++ == '-' ? -1 : 1;
    }
}

bool method_formula_number(const char *word, double *x)
{
    reader r = {0};
    *x = formula_sum(&r, &word);
    return !*word && isfinite(*x);
}

/* ---- lines ----------------------------------------------------------------------------------- */

// The next word of a line; "" at its end.
static void next_word(const char **p, char *word, size_t room)
{
    size_t n = 0;
    while (**p == ' ' || **p == '\t' || **p == ',' || **p == '\r') (*p)++;
    while (**p && !strchr(" \t,\r", **p)) {
        if (n + 1 < room) word[n++] = **p;
        (*p)++;
    }
    word[n] = 0;
}

// All values left on the line; how many, or NONE after a failure.
static int formula_values(reader *r, const char *p, double *to, int most)
{
    char word[80], what[METHOD_WHY];
    int n = 0;
    for (;;) {
        next_word(&p, word, sizeof word);
        if (!*word) return n;
        if (n == most) {
            snprintf(what, sizeof what, "more than %d values", most);
            return formula_fail(r, r->line, what), NONE;
        }
        const char *q = word;
        to[n] = formula_sum(r, &q);
        if (*q || !isfinite(to[n])) {
            snprintf(what, sizeof what,
                     "'%.60s' is not a number; write 0.25, 1/4 or 1-sqrt(2)/2 (real, without "
                     "blanks inside)",
                     word);
            return formula_fail(r, r->line, what), NONE;
        }
        n++;
    }
}

static void read_kind(reader *r, const char *p, method_formula *f)
{
    static const char *const names[] = {"runge-kutta", "multistep", "one-leg", "second-order"};
    char word[32];
    next_word(&p, word, sizeof word);
    for (int k = 0; k < 4; k++)
        if (strcmp(word, names[k]) == 0) {
            f->kind = (formula_kind)k;
            r->kind_given = true;
            return;
        }
    formula_fail(r, r->line, "kind must be runge-kutta, multistep, one-leg or second-order");
}

static void read_row(reader *r, const char *p, method_formula *f)
{
    if (r->n_rows == METHOD_STAGES_MAX) {
        formula_fail(r, r->line, "more than 13 stages");
        return;
    }
    r->widths[r->n_rows] = formula_values(r, p, f->tableau.a[r->n_rows], METHOD_STAGES_MAX);
    r->n_rows++;
}

// One line without comment: a keyword with its values, or a row of A.
static void formula_read_line(reader *r, const char *p, bool *in_rows, method_formula *f)
{
    char word[32];
    const char *rest = p;
    next_word(&rest, word, sizeof word);
    if (!*word) return;
    if (*in_rows && (strchr("+-.(", word[0]) || isdigit((unsigned char)word[0]) ||
                     strncmp(word, "sqrt", 4) == 0)) {
        read_row(r, p, f);
        return;
    }
    *in_rows = false;
    if (strcmp(word, "method") == 0) {
        while (*rest == ' ' || *rest == '\t') rest++;
        snprintf(f->name, sizeof f->name, "%.*s", (int)strcspn(rest, "\r"), rest);
    } else if (strcmp(word, "kind") == 0) read_kind(r, rest, f);
    else if (strcmp(word, "A") == 0) {
        *in_rows = true;
        r->n_rows = 0;
        next_word(&rest, word, sizeof word);
        if (*word) formula_fail(r, r->line, "the rows of A begin on the next line");
    } else if (strcmp(word, "b") == 0)
        r->n_b = formula_values(r, rest, f->tableau.b, METHOD_STAGES_MAX);
    else if (strcmp(word, "c") == 0)
        r->n_c = formula_values(r, rest, f->tableau.c, METHOD_STAGES_MAX);
    else if (strcmp(word, "embedded") == 0)
        r->n_embedded = formula_values(r, rest, f->tableau.b_embedded, METHOD_STAGES_MAX);
    else if (strcmp(word, "alpha") == 0)
        r->n_alpha = formula_values(r, rest, f->multistep.alpha, METHOD_STEPS_MAX + 1);
    else if (strcmp(word, "beta") == 0)
        r->n_beta = formula_values(r, rest, f->multistep.beta, METHOD_STEPS_MAX + 1);
    else {
        char what[METHOD_WHY];
        snprintf(
            what, sizeof what,
            "'%s' is not known here; a line begins with method, kind, A, b, c, embedded, alpha "
            "or beta",
            word);
        formula_fail(r, r->line, what);
    }
}

/* ---- what belongs together ------------------------------------------------------------------- */

static void check_tableau(reader *r, method_formula *f)
{
    method_tableau *t = &f->tableau;
    char what[METHOD_WHY] = "";
    if (r->n_b == NONE) {
        formula_fail(r, 0, "the line 'b' with the weights is missing");
        return;
    }
    int s = t->stages = r->n_b;
    if (r->n_rows == NONE) snprintf(what, sizeof what, "the rows of A are missing");
    else if (r->n_rows != s)
        snprintf(what, sizeof what, "A has %d row%s but b has %d weights: each stage needs its row",
                 r->n_rows, r->n_rows == 1 ? "" : "s", s);
    else if (s == 0) snprintf(what, sizeof what, "b is empty");
    else if (r->n_c != NONE && r->n_c != s)
        snprintf(what, sizeof what, "c has %d values for %d stages", r->n_c, s);
    else if (r->n_embedded != NONE && r->n_embedded != s)
        snprintf(what, sizeof what, "embedded has %d weights for %d stages", r->n_embedded, s);
    for (int i = 0; i < s && !*what; i++) {
        double row = 0;
        for (int j = 0; j < s; j++) row += t->a[i][j];
        if (r->widths[i] != s)
            snprintf(what, sizeof what,
                     "row %d of A has %d entries for %d stages; write the zeros too", i + 1,
                     r->widths[i], s);
        else if (r->n_c == NONE) t->c[i] = row;
        else if (!(fabs(row - t->c[i]) <= SUM_TOL * fmax(1, fabs(row))))
            snprintf(what, sizeof what,
                     "c[%d] = %.10g, but row %d of A sums to %.10g: they must agree (or leave out "
                     "c)",
                     i + 1, t->c[i], i + 1, row);
    }
    if (*what) formula_fail(r, 0, what);
}

static void check_multistep(reader *r, method_formula *f)
{
    method_multistep *m = &f->multistep;
    double sum_beta = 0;
    for (int i = 0; i <= METHOD_STEPS_MAX; i++) sum_beta += m->beta[i];
    m->steps = r->n_alpha - 1;
    if (r->n_alpha == NONE || r->n_beta == NONE)
        formula_fail(r, 0,
                     r->n_alpha == NONE ? "the line 'alpha' is missing"
                                        : "the line 'beta' is missing");
    else if (r->n_alpha != r->n_beta)
        formula_fail(
            r, 0, "alpha and beta need equally many values, newest time first (write the zeros)");
    else if (m->steps < 1) formula_fail(r, 0, "a formula needs at least two times");
    else if (m->alpha[0] == 0) formula_fail(r, 0, "alpha of the newest time must not be zero");
    else if (f->kind == FORMULA_ONE_LEG && !(fabs(sum_beta - 1) <= SUM_TOL))
        formula_fail(r, 0, "the betas of a one-leg formula must sum to 1 (scale the alphas)");
}

int method_formula_read(const char *text, size_t n, const char *file, method_formula *out,
                        char *why)
{
    reader r = {.at = text, .end = text + n, .file = file, .why = why};
    r.n_rows = r.n_b = r.n_c = r.n_embedded = r.n_alpha = r.n_beta = NONE;
    bool in_rows = false;
    char line[2000];
    *out = (method_formula){0};
    while (r.at < r.end && !r.failed) {
        const char *stop = memchr(r.at, '\n', (size_t)(r.end - r.at));
        size_t length = (size_t)((stop ? stop : r.end) - r.at);
        r.line++;
        if (length >= sizeof line || memchr(r.at, 0, length)) {
            formula_fail(&r, r.line, "this is not a text of a method");
            break;
        }
        memcpy(line, r.at, length);
        line[length] = 0;
        line[strcspn(line, "#")] = 0;
        formula_read_line(&r, line, &in_rows, out);
        r.at += length + (stop != NULL);
    }
    if (!r.failed && !r.kind_given && r.n_alpha != NONE) out->kind = FORMULA_MULTISTEP;
    if (!r.failed && out->kind == FORMULA_RUNGE_KUTTA) check_tableau(&r, out);
    else if (!r.failed) check_multistep(&r, out);
    if (!r.failed && !*out->name) snprintf(out->name, sizeof out->name, "%.60s", file);
    return r.failed ? -1 : 0;
}
