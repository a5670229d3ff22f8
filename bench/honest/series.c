/* Expressions in time, parameters and unknowns, evaluated as Taylor series in quadruple precision.
 *
 * The coefficient k of every node follows from coefficients 0 ... k of its arguments by the
 * classical recurrences (R. E. Moore, Interval Analysis, 1966, ch. 11; A. Jorba & M. Zou, Exp.
 * Math. 14 (2005) 99-117), so all of them are computed order by order, and whoever integrates sets
 * coefficient k + 1 of an unknown from coefficient k of its rate.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "honest.h"

enum {
    NUM,
    TIME,
    UNKNOWN,
    ADD,
    SUB,
    MUL,
    DIV,
    POW,
    NEG,
    SHIFT,
    SWITCH,
    SIN,
    COS,
    TAN,
    EXP,
    LOG,
    SQRT,
    TANH,
    ATAN,
    ASIN,
    ERF,
    FLOOR
};

static const struct {
    const char *name;
    int op;
} functions[] = {{"sin", SIN},   {"cos", COS},   {"tan", TAN},    {"exp", EXP},
                 {"log", LOG},   {"sqrt", SQRT}, {"tanh", TANH},  {"atan", ATAN},
                 {"asin", ASIN}, {"erf", ERF},   {"floor", FLOOR}};

static int make(series *s, int op, int a, int b, int c)
{
    if (a < 0 || b < 0 || c < 0 || s->error) return -1;
    if (s->n == MAX_NODES) {
        s->error = "too many operations";
        return -1;
    }
    s->at[s->n] = (series_node){.op = op, .a = a, .b = b, .c = c};
    return s->n++;
}

int series_number(series *s, real x)
{
    int i = make(s, NUM, 0, 0, 0);
    if (i >= 0) s->at[i].x = x;
    return i;
}

int series_unknown(series *s)
{
    return make(s, UNKNOWN, 0, 0, 0);
}

int series_shift(series *s, int a)
{
    return make(s, SHIFT, a, 0, 0);
}

int series_time(series *s)
{
    int i = series_find(s, "t");
    if (i < 0) series_name(s, "t", i = make(s, TIME, 0, 0, 0));
    return i;
}

bool series_is_switch(const series *s, int i)
{
    return s->at[i].op == SWITCH;
}

void series_name(series *s, const char *name, int i)
{
    if (i < 0 || s->n_names == MAX_NAMES) {
        if (!s->error) s->error = "too many names";
        return;
    }
    strncpy(s->names[s->n_names].text, name, NAME - 1);
    s->names[s->n_names++].node = i;
}

int series_find(const series *s, const char *name)
{
    for (int i = s->n_names; i-- > 0;)
        if (!strcmp(s->names[i].text, name)) return s->names[i].node;
    return -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int sum(series *s);

static bool accept(series *s, const char *word)
{
    size_t n = strlen(word);
    while (isspace((unsigned char)*s->cursor)) s->cursor++;
    if (strncmp(s->cursor, word, n) ||
        (isalpha((unsigned char)*word) && isalnum((unsigned char)s->cursor[n])))
        return false;
    s->cursor += n;
    return true;
}

static int expect(series *s, const char *word, int i)
{
    if (accept(s, word)) return i;
    if (!s->error) s->error = word;
    return -1;
}

// if LEFT > RIGHT then SUM else SUM; also < in place of >
static int conditional(series *s)
{
    int left = sum(s), greater = accept(s, ">") ? 1 : 0;
    if (!greater) expect(s, "<", 0);
    int right = sum(s);
    int condition = greater ? make(s, SUB, left, right, 0) : make(s, SUB, right, left, 0);
    expect(s, "then", 0);
    int yes = sum(s);
    expect(s, "else", 0);
    int no = sum(s);
    return make(s, SWITCH, condition, yes, no);
}

static int call(series *s, const char *name)
{
    int a = sum(s), b = accept(s, ",") ? sum(s) : 0;
    expect(s, ")", 0);
    if (!strcmp(name, "abs")) return make(s, SWITCH, a, a, make(s, NEG, a, 0, 0));
    if (!strcmp(name, "max")) return make(s, SWITCH, make(s, SUB, a, b, 0), a, b);
    if (!strcmp(name, "min")) return make(s, SWITCH, make(s, SUB, a, b, 0), b, a);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!strcmp(name, functions[k].name)) return make(s, functions[k].op, a, 0, 0);
    s->error = "no such function";
    return -1;
}

// NUMBER | NAME | NAME(SUM, SUM) | der(NAME) | (SUM) | if ...
static int primary(series *s)
{
    char name[NAME] = "";
    size_t n = 0;
    if (accept(s, "(")) return expect(s, ")", sum(s));
    if (accept(s, "if")) return conditional(s);
    if (isdigit((unsigned char)*s->cursor) ||
        *s->cursor == '.') { // the number that the command reads: a double
        char *end;
        double x = strtod(s->cursor, &end);
        s->cursor = end;
        return series_number(s, x);
    }
    while ((isalnum((unsigned char)*s->cursor) || strchr("_.[]", *s->cursor)) && *s->cursor &&
           n < NAME - 8)
        name[n++] = *s->cursor++;
    if (n && !strcmp(name, "der") && *s->cursor == '(')
        while (n < NAME - 1 && (name[n++] = *s->cursor++) != ')') {
        }
    else if (n && accept(s, "(")) return call(s, name);
    int i = !strcmp(name, "t")    ? series_time(s)
            : !strcmp(name, "pi") ? series_number(s, M_PI)
                                  : series_find(s, name);
    if (i < 0 && !s->error) s->error = "unknown name";
    return i;
}

// PRIMARY [^ FACTOR]; whole exponents to 8 are products, others constants
static int power(series *s)
{
    int a = primary(s);
    if (!accept(s, "^")) return a;
    bool minus = accept(s, "-");
    int b = primary(s), product = a;
    if (a < 0 || b < 0) return -1;
    real r = s->at[b].x;
    if (s->at[b].op == NUM && !minus && r == floorq(r) && r >= 1 && r <= 8) {
        for (int k = 1; k < (int)r; k++) product = make(s, MUL, product, a, 0);
        return product;
    }
    return make(s, POW, a, minus ? make(s, NEG, b, 0, 0) : b, 0);
}

static int factor(series *s)
{
    if (accept(s, "-")) return make(s, NEG, factor(s), 0, 0);
    return power(s);
}

static int product(series *s)
{
    int a = factor(s);
    for (;;) {
        if (accept(s, "*")) a = make(s, MUL, a, factor(s), 0);
        else if (accept(s, "/")) a = make(s, DIV, a, factor(s), 0);
        else return a;
    }
}

static int sum(series *s)
{
    int a = product(s);
    for (;;) {
        if (accept(s, "+")) a = make(s, ADD, a, product(s), 0);
        else if (accept(s, "-")) a = make(s, SUB, a, product(s), 0);
        else return a;
    }
}

int series_parse(series *s, const char *text)
{
    s->cursor = text;
    int i = sum(s);
    while (isspace((unsigned char)*s->cursor)) s->cursor++;
    if (*s->cursor && !s->error) s->error = "end of line expected";
    return s->error ? -1 : i;
}

/* ---- coefficients ---------------------------------------------------------------------------- */

// sum of j a_j b_(k-j), j from 1 to `last`, over k: the k-th coefficient of the integral of a' b
static real chain(const real *a, const real *b, int k, int last)
{
    real r = 0;
    for (int j = 1; j <= last; j++) r += (real)j * a[j] * b[k - j];
    return r / (real)k;
}

// sum of a_j b_(k-j), j from `first` to `last`
static real convolution(const real *a, const real *b, int first, int last, int k)
{
    real r = 0;
    for (int j = first; j <= last; j++) r += a[j] * b[k - j];
    return r;
}

// From the inverse g of y' = a' / g: y_k = (a_k - sum of j y_j g_(k-j) / k) / g_0.
static real over(const real *y, const real *a, const real *g, int k)
{
    return (a[k] - chain(y, g, k, k - 1)) / g[0];
}

static real first_coefficient(series_node *x, const series_node *a, const series_node *b)
{
    real u = a->v[0];
    switch (x->op) {
    case SIN: x->w[0] = cosq(u); return sinq(u);
    case COS: x->w[0] = sinq(u); return cosq(u);
    case TAN: x->w[0] = 1 + tanq(u) * tanq(u); return tanq(u);
    case EXP: return expq(u);
    case LOG: return logq(u);
    case SQRT: return sqrtq(u);
    case TANH: x->w[0] = 1 / (coshq(u) * coshq(u)); return tanhq(u);
    case ATAN: x->w[0] = 1 + u * u; return atanq(u);
    case ASIN: x->w[0] = sqrtq(1 - u * u); return asinq(u);
    case ERF: x->w[0] = 2 / sqrtq(M_PIq) * expq(-u * u); return erfq(u);
    case FLOOR: return floorq(u);
    default: return powq(u, b->v[0]);
    }
}

static real next_coefficient(series_node *x, const series_node *a, const series_node *b, int k)
{
    real *v = x->v, *w = x->w, r = 0, e;
    switch (x->op) {
    case SIN: w[k] = -chain(a->v, v, k, k); return chain(a->v, w, k, k);
    case COS: w[k] = chain(a->v, v, k, k); return -chain(a->v, w, k, k);
    case EXP: return chain(a->v, v, k, k);
    case LOG: return over(v, a->v, a->v, k);
    case TAN: // v' = (1 + v^2) a'
        v[k] = chain(a->v, w, k, k), w[k] = convolution(v, v, 0, k, k);
        return v[k];
    case TANH: v[k] = chain(a->v, w, k, k), w[k] = -convolution(v, v, 0, k, k); return v[k];
    case ATAN: w[k] = convolution(a->v, a->v, 0, k, k); return over(v, a->v, w, k);
    case ASIN: // g^2 = 1 - a^2
        r = over(v, a->v, w, k);
        w[k] = (-convolution(a->v, a->v, 0, k, k) - convolution(w, w, 1, k - 1, k)) / (2 * w[0]);
        return r;
    case ERF: // w' = -2 a a' w
        v[k] = chain(a->v, w, k, k);
        for (int j = 1; j <= k; j++) r += (real)j * a->v[j] * convolution(a->v, w, 0, k - j, k - j);
        w[k] = -2 * r / (real)k;
        return v[k];
    case FLOOR: return 0;
    default: // powers: a y' = r y a'
        e = x->op == SQRT ? (real)0.5 : b->v[0];
        for (int j = 0; j < k; j++) r += (e * (real)(k - j) - (real)j) * a->v[k - j] * v[j];
        return r / ((real)k * a->v[0]);
    }
}

void series_coefficient(series *s, int k)
{
    for (int i = 0; i < s->n; i++) {
        series_node *x = &s->at[i];
        const series_node *a = &s->at[x->a], *b = &s->at[x->b], *c = &s->at[x->c];
        switch (x->op) {
        case NUM: x->v[k] = k ? 0 : x->x; break;
        case TIME:
        case UNKNOWN: break; // set by the caller
        case ADD: x->v[k] = a->v[k] + b->v[k]; break;
        case SUB: x->v[k] = a->v[k] - b->v[k]; break;
        case NEG: x->v[k] = -a->v[k]; break;
        case SHIFT: x->v[k] = a->v[k] + (k ? 0 : x->x); break;
        case MUL: x->v[k] = convolution(a->v, b->v, 0, k, k); break;
        case DIV: x->v[k] = (a->v[k] - convolution(x->v, b->v, 0, k - 1, k)) / b->v[0]; break;
        case SWITCH:
            if (!k && !s->frozen) x->mode = a->v[0] > 0;
            x->v[k] = x->mode ? b->v[k] : c->v[k];
            break;
        default: x->v[k] = k ? next_coefficient(x, a, b, k) : first_coefficient(x, a, b);
        }
    }
}

real series_horner(const real *v, int order, real h)
{
    real r = v[order];
    for (int k = order; k-- > 0;) r = r * h + v[k];
    return r;
}
