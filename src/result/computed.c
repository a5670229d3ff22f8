/* Expressions in selections: columns that are computed from others, --vars 'T-273.15; sqrt(x^2+y^2)'.
 *
 *     sum     := product { ("+" | "-") product }
 *     product := signed { ("*" | "/") signed }
 *     signed  := ["+" | "-"] power
 *     power   := primary ["^" signed]
 *     primary := number | name | function "(" sum { "," sum } ")" | "(" sum ")"
 *
 * Names are those of columns, der(x) and subscripts included; a column of that name comes before a
 * function. Values are computed when they are asked for, row by row, by a list of steps on a stack.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "result/computed.h"

#include "base/text.h"
#include "result/whole_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMULA_STEPS = 64, FORMULA_STACK = 24, FORMULA_DEPTH = 40, UNIT_BYTES = 40 };

typedef enum computed_op {
    STEP_NUMBER,
    STEP_COLUMN,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_TIMES,
    STEP_OVER,
    STEP_POWER,
    STEP_MINUS,
    STEP_CALL
} computed_op;

typedef struct computed_function {
    const char *name;
    int arguments;
    bool keeps_unit;
    double (*one)(double);
    double (*two)(double, double);
} computed_function;

static const computed_function functions[] = {
    {"sin", 1, false, sin, NULL},     {"cos", 1, false, cos, NULL},
    {"tan", 1, false, tan, NULL},     {"asin", 1, false, asin, NULL},
    {"acos", 1, false, acos, NULL},   {"atan", 1, false, atan, NULL},
    {"sinh", 1, false, sinh, NULL},   {"cosh", 1, false, cosh, NULL},
    {"tanh", 1, false, tanh, NULL},   {"exp", 1, false, exp, NULL},
    {"log", 1, false, log, NULL},     {"log10", 1, false, log10, NULL},
    {"sqrt", 1, false, sqrt, NULL},   {"abs", 1, true, fabs, NULL},
    {"floor", 1, true, floor, NULL},  {"ceil", 1, true, ceil, NULL},
    {"min", 2, true, NULL, fmin},     {"max", 2, true, NULL, fmax},
    {"atan2", 2, false, NULL, atan2}, {"mod", 2, true, NULL, fmod},
};

typedef struct computed_step {
    computed_op op;
    union {
        double number;
        int column;
        const computed_function *function;
    } u;
} computed_step;

struct result_formula {
    int n;
    computed_step step[FORMULA_STEPS];
};

/* ---- values ---------------------------------------------------------------------------------- */

double computed_value(const result *r, const result_formula *f, size_t row)
{
    double s[FORMULA_STACK];
    int n = 0;
    for (int i = 0; i < f->n; i++) {
        const computed_step *x = &f->step[i];
        switch (x->op) {
        case STEP_NUMBER: s[n++] = x->u.number; break;
        case STEP_COLUMN: s[n++] = result_value(r, x->u.column, row); break;
        case STEP_MINUS: s[n - 1] = -s[n - 1]; break;
        case STEP_ADD: n--, s[n - 1] += s[n]; break;
        case STEP_SUBTRACT: n--, s[n - 1] -= s[n]; break;
        case STEP_TIMES: n--, s[n - 1] *= s[n]; break;
        case STEP_OVER: n--, s[n - 1] /= s[n]; break;
        case STEP_POWER: n--, s[n - 1] = pow(s[n - 1], s[n]); break;
        case STEP_CALL:
            n -= x->u.function->arguments - 1;
            s[n - 1] = x->u.function->one ? x->u.function->one(s[n - 1])
                                          : x->u.function->two(s[n - 1], s[n]);
            break;
        }
    }
    return s[0];
}

int computed_operand(const result_formula *f, int k)
{
    for (int i = 0; i < f->n; i++)
        if (f->step[i].op == STEP_COLUMN && !k--) return f->step[i].u.column;
    return -1;
}

void computed_free(mem *m, result_formula *f)
{
    mem_free(m, f, sizeof *f);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What is known of the unit of a part: a number fits any. */
typedef struct computed_unit {
    bool number;
    double value; // of a number
    char words[UNIT_BYTES];
} computed_unit;

typedef struct computed_reader {
    const result *r;
    result_formula *f;
    const char *p, *end, *text;
    int height, depth;
    bool wrong;       // it is no expression
    char missing[80]; // a name that is no column
} computed_reader;

static computed_unit read_sum(computed_reader *x);

static void blanks(computed_reader *x)
{
    while (x->p < x->end && (*x->p == ' ' || *x->p == '\t')) x->p++;
}

static bool take(computed_reader *x, char c)
{
    blanks(x);
    if (x->p >= x->end || *x->p != c) return false;
    x->p++;
    return true;
}

static void add_step(computed_reader *x, computed_step s, int grows)
{
    x->height += grows;
    if (x->f->n == FORMULA_STEPS || x->height > FORMULA_STACK) x->wrong = true;
    if (!x->wrong) x->f->step[x->f->n++] = s;
}

/* The length of a name with its dots and subscripts; der(...) is one. */
static size_t name_length(const char *p, const char *end)
{
    const char *s = p;
    while (s < end) {
        if (*s == '\'') {
            for (s++; s < end && *s != '\''; s++)
                if (*s == '\\') s++;
            s += s < end;
        } else if (isalnum((unsigned char)*s) || *s == '_' || *s == '.' ||
                   (unsigned char)*s > 127) {
            s++;
        } else if (*s == '[' || (*s == '(' && s - p == 3 && !strncmp(p, "der", 3))) {
            int open = 0;
            do {
                open += *s == '[' || *s == '(';
                open -= *s == ']' || *s == ')';
                s++;
            } while (s < end && open);
        } else {
            break;
        }
    }
    return (size_t)(s - p);
}

static int column_named(const result *r, const char *p, size_t n)
{
    char name[512];
    if (n >= sizeof name) return -1;
    memcpy(name, p, n);
    name[n] = 0;
    return result_find(r, name);
}

static computed_unit read_call(computed_reader *x, const computed_function *f)
{
    computed_unit first = {.number = true};
    for (int k = 0; k < f->arguments && !x->wrong; k++) {
        computed_unit u = read_sum(x);
        if (!k) first = u;
        if (k + 1 < f->arguments && !take(x, ',')) x->wrong = true;
    }
    if (!take(x, ')')) x->wrong = true;
    add_step(x, (computed_step){.op = STEP_CALL, .u.function = f}, 1 - f->arguments);
    return f->keeps_unit ? first : (computed_unit){0};
}

static computed_unit read_name(computed_reader *x)
{
    size_t n = name_length(x->p, x->end);
    int c = column_named(x->r, x->p, n);
    computed_unit u = {0};
    if (c >= 0) {
        x->p += n;
        snprintf(u.words, sizeof u.words, "%s", x->r->columns[c].look->unit);
        add_step(x, (computed_step){.op = STEP_COLUMN, .u.column = c}, 1);
        return u;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == n && !strncmp(functions[i].name, x->p, n)) {
            x->p += n;
            if (take(x, '(')) return read_call(x, &functions[i]);
            x->p -= n;
        }
    if (!x->missing[0])
        snprintf(x->missing, sizeof x->missing, "%.*s", (int)(n < 79 ? n : 79), x->p);
    x->wrong = true;
    return u;
}

static computed_unit read_primary(computed_reader *x)
{
    computed_unit u = {0};
    blanks(x);
    if (x->p >= x->end || x->wrong || x->depth > FORMULA_DEPTH) return x->wrong = true, u;
    char c = *x->p;
    if (isdigit((unsigned char)c) || c == '.') {
        char digits[64], *after;
        size_t n = (size_t)(x->end - x->p) < sizeof digits - 1 ? (size_t)(x->end - x->p)
                                                               : sizeof digits - 1;
        memcpy(digits, x->p, n);
        digits[n] = 0;
        u.number = true;
        u.value = strtod(digits, &after);
        if (after == digits || digits[1] == 'x' || digits[1] == 'X') return x->wrong = true, u;
        x->p += after - digits;
        add_step(x, (computed_step){.op = STEP_NUMBER, .u.number = u.value}, 1);
        return u;
    }
    if (take(x, '(')) {
        u = read_sum(x);
        if (!take(x, ')')) x->wrong = true;
        return u;
    }
    if (isalpha((unsigned char)c) || c == '_' || c == '\'' || (unsigned char)c > 127)
        return read_name(x);
    x->wrong = true;
    return u;
}

static computed_unit read_signed(computed_reader *x);

static computed_unit read_power(computed_reader *x)
{
    computed_unit u = read_primary(x);
    if (x->wrong || !take(x, '^')) return u;
    read_signed(x);
    add_step(x, (computed_step){.op = STEP_POWER}, -1);
    return (computed_unit){0};
}

static computed_unit read_signed(computed_reader *x)
{
    x->depth++;
    bool minus = take(x, '-');
    if (!minus) take(x, '+');
    computed_unit u = read_power(x);
    if (minus) add_step(x, (computed_step){.op = STEP_MINUS}, 0);
    x->depth--;
    return u;
}

static computed_unit read_product(computed_reader *x)
{
    computed_unit u = read_signed(x);
    while (!x->wrong) {
        bool times = take(x, '*');
        if (!times && !take(x, '/')) break;
        computed_unit v = read_signed(x);
        add_step(x, (computed_step){.op = times ? STEP_TIMES : STEP_OVER}, -1);
        if (v.number) u.number = false; // 2*x and x/2 have the unit of x
        else u = times && u.number ? v : (computed_unit){0};
    }
    return u;
}

static computed_unit read_sum(computed_reader *x)
{
    const double CELSIUS = 273.15; // 0 degC in K
    x->depth++;
    computed_unit u = read_product(x);
    while (!x->wrong) {
        bool plus = take(x, '+');
        if (!plus && !take(x, '-')) break;
        computed_unit v = read_product(x);
        add_step(x, (computed_step){.op = plus ? STEP_ADD : STEP_SUBTRACT}, -1);
        if (!plus && v.number && v.value == CELSIUS && !strcmp(u.words, "K"))
            snprintf(u.words, sizeof u.words, "degC");
        else if (u.number) u = v;
        else if (!v.number && strcmp(u.words, v.words) != 0) u = (computed_unit){0};
    }
    x->depth--;
    return u;
}

/* Is it meant as an expression, right or wrong? */
static bool has_operator(const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t name = name_length(s + i, s + n);
        i += name;
        if (i < n && !name && strchr("+-*/^(", s[i])) return true;
        if (!name) i++;
        else if (i < n && strchr("+-*/^(", s[i])) return true;
    }
    return false;
}

static int refuse_formula(const computed_reader *x, result_fault *fault)
{
    const char *near[1];
    if (!x->missing[0])
        return result_fail(
            fault, RESULT_E_SYNTAX, "C608",
            "'%.*s' is no expression of variables: + - * / ^, sqrt(x), min(a, b) ... "
            "('vincolo help vars')",
            (int)(x->end - x->text < 200 ? x->end - x->text : 200), x->text);
    int n = result_nearest(x->r, x->missing, near, 1);
    return result_fail(fault, RESULT_E_UNKNOWN, "C607",
                       "there is no variable '%s' in the result, for '%.*s'%s%.100s%s", x->missing,
                       (int)(x->end - x->text < 200 ? x->end - x->text : 200), x->text,
                       n ? "; did you mean '" : "", n ? near[0] : "", n ? "'?" : "");
}

int computed_read(const result *r, const char *s, size_t n, result_formula **out,
                  char unit[COMPUTED_UNIT_BYTES], result_fault *fault)
{
    *out = NULL;
    if (!has_operator(s, n)) return RESULT_OK; // a name
    result_formula *f = mem_try(r->m, sizeof *f);
    if (!f) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    *f = (result_formula){0};
    computed_reader x = {.r = r, .f = f, .p = s, .end = s + n, .text = s};
    computed_unit u = read_sum(&x);
    blanks(&x);
    if (x.wrong || x.p < x.end) {
        computed_free(r->m, f);
        return refuse_formula(&x, fault);
    }
    snprintf(unit, COMPUTED_UNIT_BYTES, "%s", u.words);
    *out = f;
    return RESULT_OK;
}
