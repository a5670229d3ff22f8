/* Reading right-hand sides: expressions evaluated in the algebra of functions
 * sum c t^k e^(mu t), c and mu complex, which is closed under sums, products and derivatives.
 *
 * expression = ["+"|"-"] term {("+"|"-") term}
 * term       = power {("*"|"/") power}
 * power      = primary ["^" integer]
 * primary    = number | "t" | "pi" | ("exp"|"sin"|"cos") "(" expression ")" | "(" expression ")"
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/exact.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RHS_TERMS_MAX = 64, RHS_DEGREE_MAX = 20, RHS_DEPTH_MAX = 30 };

typedef struct term {
    double complex c, mu;
    int degree;
} term;

typedef struct quasi { // a quasi-polynomial
    int n;
    term t[RHS_TERMS_MAX];
} quasi;

typedef struct reader {
    const char *at, *begin;
    char *why;
    int depth;
    bool failed;
} reader;

static void rhs_fail(reader *r, const char *what)
{
    if (!r->failed)
        snprintf(r->why, PENCIL_WHY, "%s, at '%.20s' (character %d of the right-hand side)", what,
                 *r->at ? r->at : "the end", (int)(r->at - r->begin) + 1);
    r->failed = true;
}

/* ---- algebra --------------------------------------------------------------------------------- */

static bool rhs_near(double complex a, double complex b)
{
    return cabs(a - b) <= 1e-13 * (1 + cabs(a));
}

static void rhs_add_term(reader *r, quasi *q, term x)
{
    for (int i = 0; i < q->n; i++)
        if (q->t[i].degree == x.degree && rhs_near(q->t[i].mu, x.mu)) {
            q->t[i].c += x.c;
            if (cabs(q->t[i].c) <= 1e-15 * cabs(x.c)) q->t[i] = q->t[--q->n];
            return;
        }
    if (x.c == 0) return;
    if (q->n == RHS_TERMS_MAX || x.degree > RHS_DEGREE_MAX) {
        rhs_fail(r, "the right-hand side has too many terms or too high a power of t");
        return;
    }
    q->t[q->n++] = x;
}

static void rhs_add(reader *r, quasi *a, const quasi *b, double sign)
{
    for (int i = 0; i < b->n; i++) {
        term x = b->t[i];
        x.c *= sign;
        rhs_add_term(r, a, x);
    }
}

static void rhs_multiply(reader *r, quasi *a, const quasi *b)
{
    quasi p = {0};
    for (int i = 0; i < a->n && !r->failed; i++)
        for (int j = 0; j < b->n && !r->failed; j++)
            rhs_add_term(r, &p,
                         (term){a->t[i].c * b->t[j].c, a->t[i].mu + b->t[j].mu,
                                a->t[i].degree + b->t[j].degree});
    *a = p;
}

static bool is_constant(const quasi *q, double *value)
{
    *value = 0;
    if (q->n == 1) *value = creal(q->t[0].c);
    return q->n == 0 || (q->n == 1 && q->t[0].degree == 0 && q->t[0].mu == 0);
}

static quasi rhs_number(double x)
{
    quasi q = {0};
    if (x != 0) q.n = 1, q.t[0] = (term){x, 0, 0};
    return q;
}

// exp(s q) for q = a + b t.
static quasi rhs_exponential(reader *r, const quasi *q, double complex s, const char *where)
{
    double complex a = 0, b = 0;
    for (int i = 0; i < q->n; i++) {
        if (q->t[i].mu != 0 || q->t[i].degree > 1) {
            r->at = where;
            rhs_fail(r, "the argument of exp, sin and cos must be linear in t");
            return rhs_number(0);
        }
        if (q->t[i].degree) b = s * q->t[i].c;
        else a = s * q->t[i].c;
    }
    quasi e = {.n = 1};
    e.t[0] = (term){cexp(a), b, 0};
    return e;
}

/* ---- reading --------------------------------------------------------------------------------- */

static quasi rhs_expression(reader *r);

static void rhs_blanks(reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool rhs_take(reader *r, char c)
{
    rhs_blanks(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static quasi in_parentheses(reader *r)
{
    if (!rhs_take(r, '(')) rhs_fail(r, "'(' is missing");
    quasi q = r->failed ? rhs_number(0) : rhs_expression(r);
    if (!rhs_take(r, ')')) rhs_fail(r, "')' is missing");
    return q;
}

static quasi rhs_function(reader *r, const char *name, const char *where)
{
    quasi x = in_parentheses(r);
    if (r->failed) return x;
    if (strcmp(name, "exp") == 0) return rhs_exponential(r, &x, 1, where);
    quasi plus = rhs_exponential(r, &x, I, where), minus = rhs_exponential(r, &x, -I, where);
    bool sine = strcmp(name, "sin") == 0;
    double complex c = sine ? -0.5 * I : 0.5;
    plus.t[0].c *= c;
    minus.t[0].c *= sine ? -c : c;
    rhs_add(r, &plus, &minus, 1);
    return plus;
}

static quasi rhs_primary(reader *r)
{
    rhs_blanks(r);
    const char *where = r->at;
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end = NULL;
        double x = strtod(r->at, &end);
        if (!isfinite(x) || end == r->at) rhs_fail(r, "a number cannot be read");
        else r->at = end;
        return rhs_number(x);
    }
    if (*r->at == '(') return in_parentheses(r);
    char name[8] = "";
    size_t n = 0;
    while (isalpha((unsigned char)where[n]) && n < sizeof name - 1) name[n] = where[n], n++;
    r->at += n;
    if (strcmp(name, "pi") == 0) return rhs_number(M_PI);
    if (strcmp(name, "t") == 0 || strcmp(name, "time") == 0) {
        quasi t = {.n = 1};
        t.t[0] = (term){1, 0, 1};
        return t;
    }
    if (strcmp(name, "exp") == 0 || strcmp(name, "sin") == 0 || strcmp(name, "cos") == 0)
        return rhs_function(r, name, where);
    r->at = where;
    rhs_fail(r, "a number, t, pi, exp, sin, cos or '(' is expected");
    return rhs_number(0);
}

static quasi rhs_power(reader *r)
{
    quasi x = rhs_primary(r);
    if (r->failed || !rhs_take(r, '^')) return x;
    char *end = NULL;
    long k = strtol(r->at, &end, 10);
    if (end == r->at || k < 0 || k > RHS_DEGREE_MAX) {
        rhs_fail(r, "an exponent must be an integer from 0 to 20");
        return x;
    }
    r->at = end;
    quasi p = rhs_number(1);
    while (k-- > 0 && !r->failed) rhs_multiply(r, &p, &x);
    return p;
}

static quasi rhs_product(reader *r)
{
    quasi x = rhs_power(r);
    while (!r->failed) {
        bool divide = false;
        if (rhs_take(r, '/')) divide = true;
        else if (!rhs_take(r, '*')) break;
        const char *where = r->at;
        quasi y = rhs_power(r);
        double c = 0;
        if (divide && !r->failed) {
            if (!is_constant(&y, &c) || c == 0) {
                r->at = where;
                rhs_fail(r, "only division by a number that is not zero is possible");
            }
            y = rhs_number(1 / c);
        }
        rhs_multiply(r, &x, &y);
    }
    return x;
}

static quasi rhs_expression(reader *r)
{
    quasi sum = {0};
    if (++r->depth > RHS_DEPTH_MAX) rhs_fail(r, "parentheses are nested too deeply");
    double sign = rhs_take(r, '-') ? -1 : (rhs_take(r, '+'), 1);
    while (!r->failed) {
        quasi x = rhs_product(r);
        rhs_add(r, &sum, &x, sign);
        if (rhs_take(r, '+')) sign = 1;
        else if (rhs_take(r, '-')) sign = -1;
        else break;
    }
    r->depth--;
    return sum;
}

/* ---- the generating system ------------------------------------------------------------------- */

static int rhs_find(const pencil_rhs *h, double rate, double freq, int degree, bool sine)
{
    for (int i = 0; i < h->m; i++)
        if (h->w[i].degree == degree && h->w[i].sine == sine &&
            rhs_near(h->w[i].rate + h->w[i].freq * I, rate + freq * I))
            return i;
    return -1;
}

// All degrees up to the one given, so that the set is closed under differentiation.
static void rhs_need(pencil_rhs *h, double rate, double freq, int degree)
{
    for (int k = 0; k <= degree; k++) {
        if (rhs_find(h, rate, freq, k, false) < 0)
            h->w[h->m++] = (pencil_function){rate, freq, k, false};
        if (freq != 0 && rhs_find(h, rate, freq, k, true) < 0)
            h->w[h->m++] = (pencil_function){rate, freq, k, true};
    }
}

static void rhs_generate(arena *a, pencil_rhs *h)
{
    size_t m = (size_t)h->m;
    h->s = arena_array(a, double, m *m);
    h->w0 = arena_array(a, double, m);
    for (int i = 0; i < h->m; i++) {
        pencil_function w = h->w[i];
        h->w0[i] = w.degree == 0 && !w.sine;
        h->s[(size_t)i + (size_t)i * m] = w.rate;
        if (w.degree)
            h->s[(size_t)i + (size_t)rhs_find(h, w.rate, w.freq, w.degree - 1, w.sine) * m] = 1;
        if (w.freq != 0)
            h->s[(size_t)i + (size_t)rhs_find(h, w.rate, w.freq, w.degree, !w.sine) * m] =
                w.sine ? w.freq : -w.freq;
    }
}

static void rhs_fill_row(pencil_rhs *h, int row, const quasi *q)
{
    for (int i = 0; i < q->n; i++) {
        term x = q->t[i];
        double scale = 1, freq = cimag(x.mu);
        for (int k = 2; k <= x.degree; k++) scale *= k; // w has t^k / k!
        if (freq < 0) continue;                         // its conjugate stands for both
        int cosine = rhs_find(h, creal(x.mu), freq, x.degree, false);
        double *at = h->k + row;
        at[(size_t)cosine * (size_t)h->n] += (freq > 0 ? 2 : 1) * scale * creal(x.c);
        if (freq > 0)
            at[(size_t)rhs_find(h, creal(x.mu), freq, x.degree, true) * (size_t)h->n] -=
                2 * scale * cimag(x.c);
    }
}

int pencil_read_rhs(arena *a, const char *source, int n, pencil_rhs *out, char *why)
{
    reader r = {.at = source, .begin = source, .why = why};
    quasi *q = arena_array(a, quasi, n);
    *out = (pencil_rhs){.n = n};
    int most = 0;
    for (int i = 0; i < n && !r.failed; i++) {
        q[i] = rhs_expression(&r);
        for (int k = 0; k < q[i].n; k++) most += 2 * (q[i].t[k].degree + 1);
        rhs_blanks(&r);
        if (r.failed) break;
        if (i + 1 < n && !rhs_take(&r, ';'))
            rhs_fail(
                &r,
                *r.at ? "';' is expected"
                      : "the right-hand side needs one expression for each row, separated by ';'");
    }
    if (!r.failed && *r.at) rhs_fail(&r, "more expressions than rows");
    if (r.failed) return -1;
    out->w = arena_array(a, pencil_function, most + 1);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < q[i].n; k++)
            if (cimag(q[i].t[k].mu) >= 0)
                rhs_need(out, creal(q[i].t[k].mu), cimag(q[i].t[k].mu), q[i].t[k].degree);
    rhs_generate(a, out);
    out->k = arena_array(a, double, (size_t)n *(size_t)out->m);
    for (int i = 0; i < n; i++) rhs_fill_row(out, i, &q[i]);
    return 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_argument(text *o, const char *name, double rate)
{
    text_add(o, name);
    if (rate == -1) text_add(o, "(-t)");
    else if (rate == 1) text_add(o, "(t)");
    else text_printf(o, "(%.9g*t)", rate);
}

static void print_factor(text *o, const pencil_function *w, bool *star)
{
    if (w->degree) text_printf(o, "%st", *star ? "*" : ""), *star = true;
    if (w->degree > 1) text_printf(o, "^%d", w->degree);
    if (w->rate != 0) text_add(o, *star ? "*" : ""), *star = true;
    if (w->rate != 0) print_argument(o, "exp", w->rate);
    if (w->freq != 0) text_add(o, *star ? "*" : ""), *star = true;
    if (w->freq != 0) print_argument(o, w->sine ? "sin" : "cos", w->freq);
}

void pencil_print_function(const pencil_rhs *h, const double *row, int stride, text *o)
{
    bool any = false;
    double size = 0;
    for (int i = 0; i < h->m; i++) size = fmax(size, fabs(row[(size_t)i * (size_t)stride]));
    for (int i = 0; i < h->m; i++) {
        double c = row[(size_t)i * (size_t)stride];
        if (fabs(c) <= 1e-13 * size) continue;
        for (int k = 2; k <= h->w[i].degree; k++) c /= k;
        if (any) text_add(o, c < 0 ? " - " : " + ");
        else if (c < 0) text_char(o, '-');
        c = fabs(c);
        bool plain = h->w[i].degree == 0 && h->w[i].rate == 0 && h->w[i].freq == 0;
        bool star = plain || fabs(c - 1) > 1e-12;
        if (star) text_printf(o, "%.9g", c);
        print_factor(o, &h->w[i], &star);
        any = true;
    }
    if (!any) text_char(o, '0');
}
