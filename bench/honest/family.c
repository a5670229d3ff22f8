/* Problems from text. A file holds families of one kind, each:
 *
 *     family NAME [stiff] [jumps]          stiff: not for explicit methods; jumps: of values
 *     draw k uniform|log|whole FROM TO     a number from the seed; a parameter of the model
 *     set y0 = EXPRESSION                  a parameter that follows from others
 *     stop EXPRESSION                      end of the run
 *     step EXPRESSION                      longest step of the reference
 *     model                                declarations and equations, in Modelica
 *     reference
 *     integrate x = RATE from START        a differential equation; compared if the model has x
 *     state x = EXPRESSION                 what a differentiated variable is
 *     value z = EXPRESSION                 what another variable, or der(x), is, from the states
 *     let e = EXPRESSION                   an abbreviation
 *     when EXPRESSION : x = EXPRESSION     x jumps where the first expression becomes positive
 *     end
 *
 * Derivatives of states that no line gives are those of the series. Numbers are those of the
 * command: doubles, and what is drawn has four digits. Nominals are read off the declarations.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "honest.h"

typedef struct reader {
    const char *path;
    int line;
    FILE *file;
    problem *p;
    uint64_t random;
    size_t model_room;
} reader;

static void wrong(const reader *r, const char *what)
{
    fprintf(stderr, "%s:%d: %s\n", r->path, r->line, what);
    exit(2);
}

// splitmix64: G. L. Steele, D. Lea & C. H. Flood, OOPSLA 2014
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void write_model(reader *r, const char *text)
{
    problem *p = r->p;
    size_t have = p->model ? strlen(p->model) : 0, more = strlen(text);
    if (have + more + 1 > r->model_room)
        p->model = realloc(p->model, r->model_room = 2 * (have + more) + 1000);
    memcpy(p->model + have, text, more + 1);
}

static int expression(reader *r, const char *text)
{
    int i = series_parse(r->p->s, text);
    if (i < 0) wrong(r, r->p->s->error);
    return i;
}

static double constant(reader *r, const char *text) // of parameters
{
    int i = expression(r, text);
    series_coefficient(r->p->s, 0);
    return (double)r->p->s->at[i].v[0];
}

static void draw(reader *r, const char *rest)
{
    char name[NAME], how[16], from[40], to[40], line[160], digits[40];
    if (sscanf(rest, "%63s %15s %39s %39s", name, how, from, to) != 4)
        wrong(r, "draw NAME HOW FROM TO");
    double a = constant(r, from), b = constant(r, to),
           u = (double)(random_bits(&r->random) >> 11) * 0x1p-53, x;
    if (!strcmp(how, "log")) x = a * pow(b / a, u);
    else if (!strcmp(how, "whole")) x = floor(a + u * (b - a + 1));
    else x = a + u * (b - a);
    snprintf(digits, sizeof digits, "%.4g", x);
    snprintf(line, sizeof line, "  parameter Real %s = %s;\n", name, digits);
    write_model(r, line);
    if (r->p->n_parameters == MAX_PARAMETERS) wrong(r, "too many parameters");
    series_name(r->p->s, name,
                r->p->parameter[r->p->n_parameters++] =
                    series_number(r->p->s, strtod(digits, NULL)));
}

static void set(reader *r, const char *name, const char *text)
{
    char line[400];
    series_name(r->p->s, name, expression(r, text));
    snprintf(line, sizeof line, "  parameter Real %s = %s;\n", name, text);
    write_model(r, line);
}

static column *add_column(reader *r, const char *name, column_sort sort, int node)
{
    problem *p = r->p;
    if (p->n_columns == MAX_COLUMNS) wrong(r, "too many columns");
    column *c = &p->columns[p->n_columns++];
    *c = (column){.sort = sort, .node = node, .shift = -1, .nominal = 1};
    strncpy(c->name, name, NAME - 1);
    return c;
}

// A column that others may be computed from: what follows sees it through a shift.
static column *add_named(reader *r, const char *name, column_sort sort, int node)
{
    column *c = add_column(r, name, sort, node);
    series_name(r->p->s, name, c->shift = series_shift(r->p->s, node));
    return c;
}

/* Rates may name any unknown: unknowns are named in a first pass, rates read in a second. */
typedef struct pending {
    char rate[400], start[200];
    int line;
} pending;

static void add_reset(reader *r, char *rest)
{
    problem *p = r->p;
    char *colon = strchr(rest, ':'), *equals = colon ? strchr(colon, '=') : NULL, name[NAME];
    if (!equals || p->n_resets == MAX_RESETS) wrong(r, "when EXPRESSION : x = EXPRESSION");
    *colon = *equals = 0;
    if (sscanf(colon + 1, "%63s", name) != 1) wrong(r, "a name is missing");
    int state = -1, node = series_find(p->s, name);
    for (int i = 0; i < p->n_states; i++)
        if (p->s->at[node].a == p->unknown[i] || node == p->unknown[i]) state = i;
    if (state < 0) wrong(r, "no state of that name");
    /* A switch whose condition is the expression, so that it is looked for as others are. */
    char text[400];
    snprintf(text, sizeof text, "if %s > 0 then 1 else 0", rest);
    p->reset[p->n_resets].when = expression(r, text);
    p->reset[p->n_resets].state = state;
    p->reset[p->n_resets++].value = expression(r, equals + 1);
}

static char *name_and_text(reader *r, char *rest, char *name)
{
    char *equals = strchr(rest, '=');
    if (!equals || sscanf(rest, "%63[^= ]", name) != 1) wrong(r, "NAME = EXPRESSION");
    return equals + 1;
}

static bool read_line(reader *r, char *line, size_t size)
{
    if (!fgets(line, (int)size, r->file)) return false;
    r->line++;
    line[strcspn(line, "\r\n")] = 0;
    return true;
}

static void read_reference(reader *r)
{
    problem *p = r->p;
    pending late[MAX_STATES];
    char line[600], word[32], name[NAME];
    int n_late = 0, skip;
    long begin = ftell(r->file);
    int begin_line = r->line;
    /* First the unknowns, by name, in the order of the lines; then everything else. */
    while (read_line(r, line, sizeof line) && strcmp(line, "end")) {
        if (sscanf(line, "%31s %n", word, &skip) != 1 || strcmp(word, "integrate")) continue;
        char *text = name_and_text(r, line + skip, name), *from = strstr(text, " from ");
        if (!from || n_late == MAX_STATES) wrong(r, "integrate x = RATE from START");
        *from = 0;
        strncpy(late[n_late].rate, text, sizeof late->rate - 1),
            late[n_late].rate[sizeof late->rate - 1] = 0;
        strncpy(late[n_late].start, from + 6, sizeof late->start - 1),
            late[n_late].start[sizeof late->start - 1] = 0;
        late[n_late].line = r->line;
        p->start[n_late] = expression(r, late[n_late].start);
        p->unknown[n_late++] = series_unknown(p->s);
        add_named(r, name, STATE, p->unknown[n_late - 1])->optional = true;
    }
    p->n_states = n_late;
    fseek(r->file, begin, SEEK_SET);
    r->line = begin_line;
    n_late = 0;
    while (read_line(r, line, sizeof line) && strcmp(line, "end")) {
        if (sscanf(line, "%31s %n", word, &skip) != 1) continue;
        char *rest = line + skip, of[NAME + 8];
        if (*word == '#') continue;
        if (!strcmp(word, "when")) {
            add_reset(r, rest);
            continue;
        }
        char *text = name_and_text(r, rest, name);
        if (!strcmp(word, "integrate")) {
            p->rate[n_late] = expression(r, late[n_late].rate);
            snprintf(of, sizeof of, "der(%s)", name);
            add_named(r, of, DERIVATIVE, p->rate[n_late++])->optional = true;
        } else if (!strcmp(word, "state")) add_named(r, name, STATE, expression(r, text));
        else if (!strcmp(word, "value")) {
            add_named(r, name, strncmp(name, "der(", 4) ? VALUE : DERIVATIVE, expression(r, text));
        } else if (!strcmp(word, "let")) series_name(p->s, name, expression(r, text));
        else wrong(r, "integrate, state, value, let, when or end");
    }
}

static void read_family(reader *r, const char *heading)
{
    problem *p = r->p;
    char line[600], word[32], name[NAME];
    int skip;
    p->stiff = strstr(heading, " stiff");
    p->jumps = strstr(heading, " jumps");
    series_time(p->s);
    snprintf(line, sizeof line, "model %s\n", p->family);
    write_model(r, line);
    while (read_line(r, line, sizeof line) && strcmp(line, "model")) {
        if (sscanf(line, "%31s %n", word, &skip) != 1 || *word == '#') continue;
        char *rest = line + skip;
        if (!strcmp(word, "draw")) draw(r, rest);
        else if (!strcmp(word, "set")) {
            char *text = name_and_text(r, rest, name);
            set(r, name, text);
        } else if (!strcmp(word, "stop")) p->stop = constant(r, rest);
        else if (!strcmp(word, "step")) p->longest_step = constant(r, rest);
        else wrong(r, "draw, set, stop, step or model");
    }
    while (read_line(r, line, sizeof line) && strcmp(line, "reference")) {
        write_model(r, line);
        write_model(r, "\n");
    }
    snprintf(line, sizeof line, "end %s;\n", p->family);
    write_model(r, line);
    read_reference(r);
    if (p->s->error) wrong(r, p->s->error);
}

/* Nominals are read off the declarations, `Real x(... nominal = NUMBER ...)`. */
static void read_nominals(problem *p)
{
    for (int i = 0; i < p->n_columns; i++) {
        char text[NAME + 8];
        snprintf(text, sizeof text, "Real %s(", p->columns[i].name);
        const char *at = strstr(p->model, text), *end = at ? strchr(at, ';') : NULL;
        const char *nominal = at ? strstr(at, "nominal = ") : NULL;
        if (nominal && nominal < end) p->columns[i].nominal = strtod(nominal + 10, NULL);
    }
}

problem *family_draw(const char *path, int i, uint64_t seed, int number)
{
    char line[600];
    const char *slash = strrchr(path, '/');
    reader r = {
        .path = path, .file = fopen(path, "r"), .random = seed * 1000003 + (uint64_t)number};
    if (!r.file) wrong(&r, "cannot be read");
    r.p = calloc(1, sizeof *r.p);
    r.p->s = calloc(1, sizeof *r.p->s);
    sscanf(slash ? slash + 1 : path, "%63[^.]", r.p->kind);
    while (read_line(&r, line, sizeof line))
        if (!strncmp(line, "family ", 7) && i-- == 0) {
            if (sscanf(line + 7, "%63s", r.p->family) != 1) wrong(&r, "family NAME");
            for (const char *c = r.p->family; *c; c++) r.random = r.random * 31 + (unsigned char)*c;
            snprintf(r.p->name, sizeof r.p->name, "%s-%d", r.p->family, number);
            read_family(&r, line);
            read_nominals(r.p);
            fclose(r.file);
            return r.p;
        }
    fclose(r.file);
    problem_free(r.p);
    return NULL;
}

void problem_free(problem *p)
{
    if (!p) return;
    free(p->s);
    free(p->model);
    free(p);
}
