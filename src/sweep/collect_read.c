/* Reading what is collected.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "sweep/collect.h"
#include "sweep/collect_functions.h"

#include "base/array.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const collect_word collect_words[] = {
    {"final", COLLECT_FINAL, "final(x)", "the value at the end"},
    {"initial", COLLECT_INITIAL, "initial(x)", "the value at the start"},
    {"max", COLLECT_MAX, "max(x)", "the largest value, also between steps"},
    {"min", COLLECT_MIN, "min(x)", "the smallest value"},
    {"range", COLLECT_RANGE, "range(x)", "the largest less the smallest"},
    {"argmax", COLLECT_ARGMAX, "argmax(x)", "the time of the largest value, the first of several"},
    {"argmin", COLLECT_ARGMIN, "argmin(x)", "the time of the smallest value"},
    {"at", COLLECT_AT, "at(x, t)", "the value at time t, after an event there"},
    {"first", COLLECT_FIRST, "first(x < 0)",
     "the first time at which a condition holds; NaN: never"},
    {"count", COLLECT_COUNT, "count(x < 0)",
     "how often a condition begins to hold; count(events), count(steps)"},
    {"duration", COLLECT_DURATION, "duration(x < 0)", "for how long a condition holds"},
    {"integral", COLLECT_INTEGRAL, "integral(x)", "the integral over time"},
    {"mean", COLLECT_MEAN, "mean(x)", "the integral over the time that passed"},
    {"rms", COLLECT_RMS, "rms(x)", "the root of the mean of the square"},
    {0},
};

typedef ARRAY(collect_op) op_list;

typedef struct collect_reader {
    sweep_collect *c;
    const char *all, *at;
    arena *a;
    diag_sink *d;
    op_list *ops; // of the program that is read
    bool signal;  // inside a functional
    int depth;    // of nesting
    bool failed;
} collect_reader;

static void refuse_here(collect_reader *r, const char *why)
{
    if (!r->failed) {
        char words[500];
        snprintf(words, sizeof words, "%s", why);
        diag_error(r->d, "C191", (span){0}, "--collect '%s', at character %d: %s", r->all,
                   (int)(r->at - r->all) + 1, words);
    }
    r->failed = true;
}

static void skip_blanks(collect_reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool takes(collect_reader *r, const char *sign)
{
    skip_blanks(r);
    size_t n = strlen(sign);
    if (strncmp(r->at, sign, n)) return false;
    bool word = isalpha((unsigned char)*sign);
    if (word && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')) return false;
    r->at += n;
    return true;
}

static void expect(collect_reader *r, const char *sign)
{
    char why[60];
    if (takes(r, sign)) return;
    snprintf(why, sizeof why, "'%s' is expected", sign);
    refuse_here(r, why);
}

static void emit(collect_reader *r, collect_code code, int where, double number)
{
    if (r->failed) return;
    array_push(r->a, r->ops, ((collect_op){code, where, number}));
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *skip_name(const char *at)
{
    for (;;) {
        if (*at == '\'') {
            const char *end = strchr(at + 1, '\'');
            if (!end) return at;
            at = end + 1;
        } else {
            while (isalnum((unsigned char)*at) || *at == '_') at++;
        }
        if (*at == '[') {
            const char *end = strchr(at, ']');
            if (!end) return at;
            at = end + 1;
        }
        if (*at != '.') return at;
        at++;
    }
}

/* der(x), with everything between its brackets. */
static const char *skip_derivative(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (!depth && *at == ')') return at + 1;
    }
    return at;
}

static void read_variable(collect_reader *r, const char *name, size_t n)
{
    sweep_collect *c = r->c;
    int i = 0;
    while (i < c->n_variables &&
           (strlen(c->variables[i]) != n || strncmp(c->variables[i], name, n)))
        i++;
    if (i == COLLECT_MOST) {
        refuse_here(r, "there are too many variables");
        return;
    }
    if (i == c->n_variables) c->variables[c->n_variables++] = arena_strndup(r->a, name, n);
    emit(r, COLLECT_VARIABLE, i, 0);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void read_sum(collect_reader *r);
static void read_condition(collect_reader *r);

static collect_program program_of(const op_list *l)
{
    return (collect_program){l->at, l->n, false};
}

/* A functional of a signal; its result is a number of the expression around it. */
static void add_functional(collect_reader *r, collect_functional f)
{
    sweep_collect *c = r->c;
    if (c->n_functionals == COLLECT_MOST) {
        refuse_here(r, "there are too many functionals");
        return;
    }
    c->functionals[c->n_functionals] = f;
    emit(r, COLLECT_RESULT, c->n_functionals++, 0);
}

static void read_functional(collect_reader *r, const collect_word *w)
{
    op_list *outside = r->ops, list = {0};
    collect_functional f = {.kind = w->kind};
    if (r->signal) {
        refuse_here(r, "a functional inside of another");
        return;
    }
    expect(r, "(");
    skip_blanks(r);
    if (w->kind == COLLECT_COUNT && (takes(r, "events") || takes(r, "steps"))) {
        f.kind = r->at[-2] == 't' ? COLLECT_EVENTS : COLLECT_STEPS;
        expect(r, ")");
        add_functional(r, f);
        return;
    }
    bool condition =
        w->kind == COLLECT_FIRST || w->kind == COLLECT_COUNT || w->kind == COLLECT_DURATION;
    r->ops = &list;
    r->signal = true;
    if (condition) read_condition(r);
    else read_sum(r);
    r->signal = false;
    r->ops = outside;
    if (w->kind == COLLECT_AT) {
        expect(r, ",");
        char *end;
        skip_blanks(r);
        f.t = strtod(r->at, &end);
        if (end == r->at || !isfinite(f.t)) refuse_here(r, "the time must be a number: at(x, 3.5)");
        r->at = end;
    }
    skip_blanks(r);
    if (!r->failed && !condition && strchr("<>=", *r->at) && *r->at)
        refuse_here(r, "a condition is for first(), count() and duration()");
    expect(r, ")");
    f.signal = program_of(&list);
    add_functional(r, f);
}

static void read_name(collect_reader *r)
{
    const char *name = r->at, *end = skip_name(name);
    size_t n = (size_t)(end - name);
    const char *bracket = end;
    while (isspace((unsigned char)*bracket)) bracket++;
    bool called = *bracket == '(';
    if (called && n == 3 && !strncmp(name, "der", 3)) {
        end = skip_derivative(bracket);
        called = false;
        n = (size_t)(end - name);
    }
    r->at = end;
    if (!called) {
        if (n == 4 && !strncmp(name, "time", 4) && r->signal) {
            emit(r, COLLECT_TIME, 0, 0);
            return;
        }
        op_list *outside = r->ops, list = {0};
        if (!r->signal) r->ops = &list;
        read_variable(r, name, n);
        r->ops = outside;
        if (!r->signal)
            add_functional(
                r, (collect_functional){.kind = COLLECT_FINAL, .signal = program_of(&list)});
        return;
    }
    for (const collect_word *w = collect_words; w->name; w++)
        if (strlen(w->name) == n && !strncmp(w->name, name, n)) {
            read_functional(r, w);
            return;
        }
    int f = collect_function_find(name, n);
    if (f < 0) {
        r->at = name;
        char why[300], known[200] = "";
        for (const collect_word *w = collect_words; w->name; w++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", w->name);
        }
        snprintf(why, sizeof why, "'%.*s' is no function; those of a trajectory are %s",
                 (int)(n < 40 ? n : 40), name, known);
        refuse_here(r, why);
        return;
    }
    expect(r, "(");
    read_sum(r);
    expect(r, ")");
    emit(r, COLLECT_FUNCTION, f, 0);
}

static void read_primary(collect_reader *r)
{
    skip_blanks(r);
    if (++r->depth > COLLECT_DEPTH) refuse_here(r, "it is nested too deeply");
    if (r->failed) return;
    if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
        char *end;
        double x = strtod(r->at, &end);
        r->at = end;
        emit(r, COLLECT_NUMBER, 0, x);
    } else if (takes(r, "(")) {
        read_sum(r);
        expect(r, ")");
    } else if (isalpha((unsigned char)*r->at) || *r->at == '_' || *r->at == '\'') {
        read_name(r);
    } else {
        refuse_here(r, *r->at ? "a number, a name or '(' is expected" : "something is missing");
    }
    r->depth--;
}

static void read_power(collect_reader *r)
{
    read_primary(r);
    if (r->failed || !takes(r, "^")) return;
    bool negative = takes(r, "-");
    read_primary(r);
    if (negative) emit(r, COLLECT_NEGATE, 0, 0);
    emit(r, COLLECT_POWER, 0, 0);
}

static void read_unary(collect_reader *r)
{
    if (r->failed) return;
    if (takes(r, "-")) {
        if (++r->depth > COLLECT_DEPTH) refuse_here(r, "it is nested too deeply");
        read_unary(r);
        r->depth--;
        emit(r, COLLECT_NEGATE, 0, 0);
    } else {
        takes(r, "+");
        read_power(r);
    }
}

static void read_product(collect_reader *r)
{
    read_unary(r);
    while (!r->failed) {
        collect_code code = takes(r, "*")   ? COLLECT_MULTIPLY
                            : takes(r, "/") ? COLLECT_DIVIDE
                                            : COLLECT_NUMBER;
        if (code == COLLECT_NUMBER) return;
        read_unary(r);
        emit(r, code, 0, 0);
    }
}

static void read_sum(collect_reader *r)
{
    read_product(r);
    while (!r->failed) {
        collect_code code = takes(r, "+")   ? COLLECT_ADD
                            : takes(r, "-") ? COLLECT_SUBTRACT
                                            : COLLECT_NUMBER;
        if (code == COLLECT_NUMBER) return;
        read_product(r);
        emit(r, code, 0, 0);
    }
}

/* A relation becomes its margin: of a < b it is b - a. A bracket may hold a condition or a sum; what
 * follows it decides. */
static void read_relation(collect_reader *r)
{
    skip_blanks(r);
    if (*r->at == '(') {
        const char *begin = r->at, *end = skip_derivative(begin);
        while (isspace((unsigned char)*end)) end++;
        bool whole = *end == ')' || !*end || !strncmp(end, "and", 3) || !strncmp(end, "or", 2);
        if (whole) {
            if (++r->depth > COLLECT_DEPTH) refuse_here(r, "it is nested too deeply");
            expect(r, "(");
            if (!r->failed) read_condition(r);
            expect(r, ")");
            r->depth--;
            return;
        }
    }
    read_sum(r);
    bool upper = takes(r, "<"), lower = !upper && takes(r, ">");
    if (!upper && !lower) {
        emit(r, COLLECT_TRUTH, 0, 0);
        return;
    }
    bool equal = *r->at == '=';
    r->at += equal;
    read_sum(r);
    // a > b: the difference is the other way round
    emit(r, equal ? COLLECT_LESS_EQUAL : COLLECT_LESS, lower, 0);
}

static void read_negation(collect_reader *r)
{
    if (r->failed) return;
    if (takes(r, "not")) {
        if (++r->depth > COLLECT_DEPTH) refuse_here(r, "it is nested too deeply");
        read_negation(r);
        r->depth--;
        emit(r, COLLECT_NEGATE, 0, 0);
    } else {
        read_relation(r);
    }
}

static void read_conjunction(collect_reader *r)
{
    read_negation(r);
    while (!r->failed && takes(r, "and")) {
        read_negation(r);
        emit(r, COLLECT_AND, 0, 0);
    }
}

static void read_condition(collect_reader *r)
{
    read_conjunction(r);
    while (!r->failed && takes(r, "or")) {
        read_conjunction(r);
        emit(r, COLLECT_OR, 0, 0);
    }
}

/* ---- items ----------------------------------------------------------------------------------- */

/* "name =", where it is no relation. */
static const char *read_item_name(collect_reader *r)
{
    skip_blanks(r);
    const char *name = r->at, *end = name;
    while (isalnum((unsigned char)*end) || *end == '_') end++;
    const char *sign = end;
    while (isspace((unsigned char)*sign)) sign++;
    if (end == name || isdigit((unsigned char)*name) || *sign != '=' || sign[1] == '=') return NULL;
    r->at = sign + 1;
    return arena_strndup(r->a, name, (size_t)(end - name));
}

bool sweep_collect_read(sweep_collect *c, const char *words, arena *a, diag_sink *d)
{
    *c = (sweep_collect){0};
    collect_reader r = {.c = c, .all = words, .at = words, .a = a, .d = d};
    do {
        op_list list = {0};
        r.ops = &list;
        if (c->n_items == COLLECT_MOST) refuse_here(&r, "there are too many items");
        const char *name = read_item_name(&r);
        skip_blanks(&r);
        const char *begin = r.at;
        read_sum(&r);
        const char *end = r.at;
        skip_blanks(&r);
        if (!r.failed && *r.at && *r.at != ';') refuse_here(&r, "';' or the end is expected");
        if (r.failed) return false;
        while (end > begin && isspace((unsigned char)end[-1])) end--;
        if (!name) name = arena_strndup(a, begin, (size_t)(end - begin));
        for (int i = 0; i < c->n_items; i++)
            if (!strcmp(c->items[i].name, name)) refuse_here(&r, "it is collected twice");
        c->items[c->n_items++] = (collect_item){name, program_of(&list)};
        if (*r.at == ';') r.at++;
        skip_blanks(&r);
    } while (*r.at && !r.failed);
    return !r.failed;
}

/* ---- variables ------------------------------------------------------------------------------- */

static bool unknown_variable(const vinc_sim *sim, const char *name, diag_sink *d)
{
    const char *near = NULL, *other;
    for (int i = 0; !near && (other = vinc_sim_value_name(sim, i)) != NULL; i++)
        near = diag_nearest(name, &other, 1);
    diag_error(d, "C191", (span){0}, "--collect: there is no variable '%s'%s%s%s", name,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where steps are to end, and which programs have slopes. */
static bool settle_functionals(sweep_collect *c, double t_start, double t_stop, arena *a,
                               diag_sink *d)
{
    c->ends = arena_array(a, double, c->n_functionals + 1);
    for (int i = 0; i < c->n_functionals; i++) {
        collect_functional *f = &c->functionals[i];
        f->signal.slopes = true;
        for (int k = 0; k < f->signal.n; k++) {
            const collect_op *o = &f->signal.ops[k];
            if (o->code == COLLECT_TRUTH || (o->code == COLLECT_VARIABLE && c->slope[o->place] < 0))
                f->signal.slopes = false;
        }
        if (f->kind == COLLECT_AT && !(f->t >= t_start && f->t <= t_stop)) {
            diag_error(
                d, "C191", (span){0},
                "--collect: at(..., %.10g) lies outside of the run, which goes from %.10g to %.10g",
                f->t, t_start, t_stop);
            return false;
        }
        if (f->kind == COLLECT_AT) c->ends[c->n_ends++] = f->t;
        bool ends_only =
            f->kind == COLLECT_FINAL || f->kind == COLLECT_EVENTS || f->kind == COLLECT_STEPS;
        if (!ends_only) c->follows = true;
        if (!ends_only && f->kind != COLLECT_AT && f->kind != COLLECT_INITIAL) c->inside = true;
    }
    if (c->n_ends) qsort(c->ends, (size_t)c->n_ends, sizeof *c->ends, by_value);
    return true;
}

bool sweep_collect_bind(sweep_collect *c, vinc_sim *sim, double t_start, double t_stop, arena *a,
                        diag_sink *d)
{
    c->n_columns = c->n_variables;
    for (int i = 0; i < c->n_variables; i++) {
        c->columns[i] = code_find_column(sim->code, c->variables[i]);
        if (c->columns[i] < 0) return unknown_variable(sim, c->variables[i], d);
        size_t n = strlen(c->variables[i]) + 6;
        char *rate = arena_alloc(a, n);
        snprintf(rate, n, "der(%s)", c->variables[i]);
        int column = code_find_column(sim->code, rate);
        c->slope[i] = column < 0 ? -1 : c->n_columns;
        if (column >= 0) c->columns[c->n_columns++] = column;
    }
    return settle_functionals(c, t_start, t_stop, a, d);
}
