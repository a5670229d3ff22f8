/* What is to be fitted to what: parameters, observables, conditions and data, and the model with all of
 * them in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/fit_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char EXTENDED[] = "VincoloFit__";

int fit_fail(vinc_ctx *ctx, const char *code, const char *format, ...)
{
    va_list args;
    char words[600];
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    diag_error(&ctx->diags, code, (span){0}, "%s", words);
    return VINC_E_OPTION;
}

text *fit_words(fit_problem *p)
{
    text_clear(&p->words);
    return &p->words;
}

static int find_variable(const vinc_model *m, const char *name)
{
    return flat_find(m->flat, name);
}

bool fit_in_model(const fit_problem *p, const char *name)
{
    return find_variable(p->plain, name) >= 0;
}

void fit_setting_text(const fit_problem *p, const char *name, double value, text *out)
{
    int v = find_variable(p->plain, name);
    bool is_start = v >= 0 && p->plain->structure->vars[v].role != STRUCTURE_PARAMETER;
    text_printf(out, is_start ? "%s(start = %.17g)" : "%s = %.17g", name, value);
}

static fit_parameter *find_parameter(const fit_problem *p, const char *name)
{
    for (int i = 0; i < p->n_parameters; i++)
        if (!strcmp(p->parameters[i].name, name)) return &p->parameters[i];
    return NULL;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static int check_parameter(fit_problem *p, fit_parameter *q)
{
    if (find_parameter(p, q->name))
        return fit_fail(p->ctx, "C187", "the parameter '%s' is named twice", q->name);
    if (!isfinite(q->value))
        return fit_fail(p->ctx, "C187", "the parameter '%s' has no value to begin with", q->name);
    if (!(q->lower < q->upper) && q->estimated)
        return fit_fail(p->ctx, "C187", "the bounds [%g, %g] of '%s' leave no room", q->lower,
                        q->upper, q->name);
    if (q->log && !(q->value > 0 && q->upper > 0))
        return fit_fail(p->ctx, "C187",
                        "'%s' is to be fitted on a logarithmic scale: its value and its upper "
                        "bound must be positive",
                        q->name);
    if (q->log && q->lower < 0)
        return fit_fail(p->ctx, "C187",
                        "'%s' is to be fitted on a logarithmic scale: its lower "
                        "bound %g must not be negative",
                        q->name, q->lower);
    if (q->estimated && (q->value < q->lower || q->value > q->upper))
        return fit_fail(p->ctx, "C187", "'%s' = %g lies outside its bounds [%g, %g]", q->name,
                        q->value, q->lower, q->upper);
    q->number = q->estimated ? p->n_estimated++ : -1;
    p->parameters[p->n_parameters++] = *q;
    return VINC_OK;
}

static int parameters_of_table(fit_problem *p, const fit_table *t)
{
    int name = fit_table_column(t, "parameter"), nominal = fit_table_column(t, "nominal"),
        lower = fit_table_column(t, "lower"), upper = fit_table_column(t, "upper"),
        scale = fit_table_column(t, "scale"), estimated = fit_table_column(t, "estimated");
    if (name < 0 || nominal < 0)
        return fit_fail(p->ctx, "C187", "%s: columns 'parameter' and 'nominal' are needed",
                        t->path);
    p->parameters = arena_array(p->a, fit_parameter, t->n_rows);
    for (int i = 1; i < t->n_rows; i++) {
        fit_parameter q = {
            .name = fit_cell(t, i, name), .lower = -INFINITY, .upper = INFINITY, .estimated = true};
        if (!fit_number(fit_cell(t, i, nominal), &q.value))
            return fit_fail(p->ctx, "C187", "%s: the value '%s' of '%s' is no number", t->path,
                            fit_cell(t, i, nominal), q.name);
        if (lower >= 0) fit_number(fit_cell(t, i, lower), &q.lower);
        if (upper >= 0) fit_number(fit_cell(t, i, upper), &q.upper);
        if (scale >= 0) q.log = !strncmp(fit_cell(t, i, scale), "log", 3);
        if (estimated >= 0) q.estimated = strcmp(fit_cell(t, i, estimated), "0") != 0;
        if (q.log && q.lower < 0) q.lower = 0;
        int rc = check_parameter(p, &q);
        if (rc) return rc;
    }
    return VINC_OK;
}

static void skip_blanks(const char **p)
{
    while (isspace((unsigned char)**p)) ++*p;
}

static double value_in_model(const fit_problem *p, const char *name)
{
    int v = find_variable(p->plain, name);
    const structure *s = p->plain->structure;
    if (v < 0 || !s || s->vars[v].role != STRUCTURE_PARAMETER) return NAN;
    return s->p_default[s->vars[v].place];
}

static bool is_input(const fit_problem *p, const char *name)
{
    int v = find_variable(p->plain, name);
    return v >= 0 && p->plain->structure && p->plain->structure->vars[v].role == STRUCTURE_INPUT;
}

/* k = 1 [0.1, 10] log, c, ... An input that is given no value is 0, or at the bound next to it. */
int fit_parameters_of_text(fit_problem *p, const char *words)
{
    int room = 2;
    for (const char *c = words; *c; c++) room += *c == ',';
    p->parameters = arena_array(p->a, fit_parameter, room);
    for (const char *c = words; skip_blanks(&c), *c;) {
        fit_parameter q = {.lower = -INFINITY, .upper = INFINITY, .estimated = true};
        const char *begin = c;
        while (*c && !strchr("=,[ \t", *c)) c++;
        if (*c == '[' && isdigit((unsigned char)c[1])) { // x[2] = ..., or bounds right after a name
            const char *close = strchr(c, ']');
            if (close && !memchr(c, ',', (size_t)(close - c))) c = close + 1;
        }
        q.name = arena_strndup(p->a, begin, (size_t)(c - begin));
        skip_blanks(&c);
        char *end;
        if (*c == '=') {
            q.value = strtod(++c, &end);
            if (end == c) return fit_fail(p->ctx, "C187", "no number after '%s ='", q.name);
            c = end;
        } else q.value = value_in_model(p, q.name);
        skip_blanks(&c);
        if (*c == '[') {
            q.lower = strtod(++c, &end);
            c = end;
            skip_blanks(&c);
            if (*c == ',') q.upper = strtod(c + 1, &end), c = end;
            skip_blanks(&c);
            if (*c++ != ']')
                return fit_fail(p->ctx, "C187", "the bounds of '%s' are written [low, high]",
                                q.name);
        }
        if (isnan(q.value) && is_input(p, q.name)) q.value = fmin(fmax(0, q.lower), q.upper);
        skip_blanks(&c);
        if (!strncmp(c, "log10", 5)) q.log = true, c += 5;
        else if (!strncmp(c, "log", 3)) q.log = true, c += 3;
        else if (!strncmp(c, "lin", 3)) c += 3;
        if (q.log && q.lower < 0) q.lower = 0;
        skip_blanks(&c);
        if (*c && *c != ',' && *c != ';')
            return fit_fail(p->ctx, "C187", "'%.20s' after '%s' cannot be read", c, q.name);
        if (*c) c++;
        int rc = check_parameter(p, &q);
        if (rc) return rc;
    }
    return p->n_parameters ? VINC_OK : fit_fail(p->ctx, "C187", "--params names no parameter");
}

static bool ends_in_csv(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".csv");
}

static int read_parameters(fit_problem *p)
{
    if (!p->o->params) return fit_fail(p->ctx, "C187", "no parameter is to be fitted (--params)");
    if (!ends_in_csv(p->o->params)) return fit_parameters_of_text(p, p->o->params);
    fit_table *t = fit_table_read(p->ctx, p->o->params, p->a);
    return t ? parameters_of_table(p, t) : VINC_E_OPTION;
}

/* ---- observables and data -------------------------------------------------------------------- */

static int scale_of(fit_problem *p, const char *word, fit_observable *q)
{
    static const char *const words[] = {"lin", "log", "log10"};
    if (!*word) return VINC_OK;
    for (int i = 0; i < 3; i++)
        if (!strcmp(word, words[i])) return q->scale = (fit_scale)i, VINC_OK;
    return fit_fail(p->ctx, "C188", "'%s': the transformation '%s' is not lin, log or log10",
                    q->name, word);
}

static int noise_of(fit_problem *p, const char *word, fit_observable *q)
{
    if (!*word || !strcmp(word, "normal")) return VINC_OK;
    if (!strcmp(word, "laplace")) return q->kind = FIT_LAPLACE, VINC_OK;
    if (!strcmp(word, "lognormal")) return q->scale = FIT_LOG, VINC_OK;
    return fit_fail(p->ctx, "C188",
                    "'%s': the distribution '%s' is not normal, lognormal or laplace", q->name,
                    word);
}

static int read_observables(fit_problem *p, const fit_table *t)
{
    int name = fit_table_column(t, "observable"), formula = fit_table_column(t, "formula"),
        transform = fit_table_column(t, "transformation"), noise = fit_table_column(t, "noise"),
        kind = fit_table_column(t, "distribution"), rc = VINC_OK;
    if (name < 0 || formula < 0)
        return fit_fail(p->ctx, "C188", "%s: columns 'observable' and 'formula' are needed",
                        t->path);
    p->observables = arena_array(p->a, fit_observable, t->n_rows);
    for (int i = 1; i < t->n_rows && !rc; i++) {
        fit_observable *q = &p->observables[p->n_observables++];
        *q = (fit_observable){.name = fit_cell(t, i, name),
                              .formula = fit_cell(t, i, formula),
                              .noise = noise < 0 ? "1" : fit_cell(t, i, noise)};
        if (transform >= 0) rc = scale_of(p, fit_cell(t, i, transform), q);
        if (!rc && kind >= 0) rc = noise_of(p, fit_cell(t, i, kind), q);
    }
    return rc;
}

/* The columns of a plain table are variables of the model. */
static int observables_of_header(fit_problem *p, const fit_table *t)
{
    int rc = VINC_OK;
    p->observables = arena_array(p->a, fit_observable, t->n_columns);
    for (int c = 1; c < t->n_columns && !rc; c++) {
        fit_observable *q = &p->observables[p->n_observables++];
        const char *name = fit_cell(t, 0, c);
        if (find_variable(p->plain, name) < 0)
            return fit_fail(p->ctx, "C189", "%s: column '%s' is no variable of %s", t->path, name,
                            p->plain->flat->name);
        *q = (fit_observable){
            .name = name, .formula = name, .noise = p->o->noise ? p->o->noise : "1"};
        if (p->o->distribution) rc = noise_of(p, p->o->distribution, q);
    }
    return rc;
}

static int by_time(const void *x, const void *y)
{
    const fit_datum *a = x, *b = y;
    if (a->t != b->t) return a->t < b->t ? -1 : 1;
    return a->observable - b->observable;
}

static int find_case(const fit_problem *p, const char *name)
{
    for (int i = 0; i < p->n_cases; i++)
        if (!strcmp(p->cases[i].name, name)) return i;
    return -1;
}

static int add_datum(fit_problem *p, const fit_table *t, int row, int the_case, fit_datum d)
{
    fit_case *c = &p->cases[the_case];
    const fit_observable *q = &p->observables[d.observable];
    if (!isfinite(d.t))
        return fit_fail(p->ctx, "C189", "%s: row %d: the time is no finite number", t->path, row);
    if (p->o->run && p->o->run->has_stop && d.t > p->o->run->t_stop)
        return fit_fail(p->ctx, "C189",
                        "%s: row %d: the time %g lies behind the end of the run, %g", t->path, row,
                        d.t, p->o->run->t_stop);
    if (d.t < p->t_start)
        return fit_fail(p->ctx, "C189", "%s: row %d: the time %g lies before the start, %g",
                        t->path, row, d.t, p->t_start);
    if (!isfinite(d.value))
        return fit_fail(
            p->ctx, "C189",
            "%s: row %d: the value of '%s' is no finite number; where there is none the "
            "field is empty, or the row left out",
            t->path, row, q->name);
    if (q->scale != FIT_LIN && !(d.value > 0))
        return fit_fail(p->ctx, "C189",
                        "%s: row %d: '%s' is compared by logarithms, and %g has none", t->path, row,
                        q->name, d.value);
    if (!c->data) c->data = arena_array(p->a, fit_datum, t->n_rows * t->n_columns);
    c->data[c->n_data++] = d;
    c->needed = true;
    p->n_data++;
    return VINC_OK;
}

/* The number of a formula of noise. */
static int formula_of(fit_problem *p, const char *words, int room)
{
    for (int i = 0; i < p->n_formulas; i++)
        if (!strcmp(p->formulas[i].text, words)) return i;
    if (!p->formulas) p->formulas = arena_array(p->a, fit_formula, room);
    p->formulas[p->n_formulas] = (fit_formula){.text = words};
    return p->n_formulas++;
}

/* Rows of several experiments must not be taken for those of one. */
static int check_conditions(const fit_problem *p, const fit_table *t, int column)
{
    if (p->conditions && column < 0 && p->conditions->n_rows > 2)
        return fit_fail(
            p->ctx, "C189",
            "%s: a column 'condition' is needed, which says of which of the %d conditions "
            "of %s each row is",
            t->path, p->conditions->n_rows - 1, p->conditions->path);
    for (int i = 2; i < t->n_rows && column >= 0 && !p->conditions; i++)
        if (strcmp(fit_cell(t, i, column), fit_cell(t, 1, column)) != 0)
            return fit_fail(
                p->ctx, "C189",
                "%s: rows are of several conditions ('%s', '%s'); say what each of them "
                "sets by --conditions FILE.csv",
                t->path, fit_cell(t, 1, column), fit_cell(t, i, column));
    return VINC_OK;
}

static int read_long(fit_problem *p, const fit_table *t)
{
    int name = fit_table_column(t, "observable"), condition = fit_table_column(t, "condition"),
        time = fit_table_column(t, "time"), value = fit_table_column(t, "value"),
        noise = fit_table_column(t, "noise");
    if (time < 0 || value < 0)
        return fit_fail(p->ctx, "C189", "%s: columns 'time' and 'value' are needed", t->path);
    int rc = check_conditions(p, t, condition);
    for (int i = 1; i < t->n_rows && !rc; i++) {
        fit_datum d = {.observable = -1, .noise = NAN};
        int at = condition < 0 || !p->conditions ? 0 : find_case(p, fit_cell(t, i, condition));
        for (int k = 0; k < p->n_observables; k++)
            if (!strcmp(p->observables[k].name, fit_cell(t, i, name))) d.observable = k;
        if (d.observable < 0)
            return fit_fail(p->ctx, "C189", "%s: row %d: there is no observable '%s'", t->path, i,
                            fit_cell(t, i, name));
        if (at < 0)
            return fit_fail(p->ctx, "C189", "%s: row %d: there is no condition '%s'", t->path, i,
                            fit_cell(t, i, condition));
        if (!*fit_cell(t, i, value)) continue; // there is none
        if (!fit_number(fit_cell(t, i, time), &d.t) || !fit_number(fit_cell(t, i, value), &d.value))
            return fit_fail(p->ctx, "C189", "%s: row %d: time '%s' and value '%s' must be numbers",
                            t->path, i, fit_cell(t, i, time), fit_cell(t, i, value));
        d.formula = -1;
        if (noise >= 0 && *fit_cell(t, i, noise) && !fit_number(fit_cell(t, i, noise), &d.noise))
            d.formula = formula_of(p, fit_cell(t, i, noise), t->n_rows);
        if (!isnan(d.noise) && !(d.noise > 0))
            return fit_fail(p->ctx, "C189", "%s: row %d: the noise %s must be positive", t->path, i,
                            fit_cell(t, i, noise));
        if (isnan(d.noise) && d.formula < 0 && !*p->observables[d.observable].noise)
            return fit_fail(p->ctx, "C189", "%s: row %d: no noise is given for '%s'", t->path, i,
                            p->observables[d.observable].name);
        rc = add_datum(p, t, i, at, d);
    }
    return rc;
}

static int read_wide(fit_problem *p, const fit_table *t)
{
    for (int i = 1; i < t->n_rows; i++)
        for (int c = 1; c < t->n_columns; c++) {
            fit_datum d = {.observable = c - 1, .noise = NAN, .formula = -1};
            const char *cell = fit_cell(t, i, c);
            if (!*cell) continue;
            if (!fit_number(fit_cell(t, i, 0), &d.t) || !fit_number(cell, &d.value))
                return fit_fail(p->ctx, "C189", "%s: row %d: '%s' is no number", t->path, i, cell);
            int rc = add_datum(p, t, i, 0, d);
            if (rc) return rc;
        }
    return VINC_OK;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static int read_conditions(fit_problem *p)
{
    const fit_table *t = p->conditions;
    int name = t ? fit_table_column(t, "condition") : -1,
        rest = t ? fit_table_column(t, "preequilibration") : -1;
    if (t && name < 0)
        return fit_fail(p->ctx, "C197", "%s: a column 'condition' is needed", t->path);
    p->n_cases = t ? t->n_rows - 1 : 1;
    p->cases = arena_array(p->a, fit_case, p->n_cases);
    for (int i = 0; i < p->n_cases; i++)
        p->cases[i] = (fit_case){
            .name = t ? fit_cell(t, i + 1, name) : "", .row = t ? i + 1 : -1, .rest = -1};
    for (int i = 0; t && rest >= 0 && i < p->n_cases; i++) {
        const char *from = fit_cell(t, i + 1, rest);
        if (!*from) continue;
        p->cases[i].rest = find_case(p, from);
        if (p->cases[i].rest < 0)
            return fit_fail(p->ctx, "C197",
                            "%s: condition '%s' begins from '%s', which is not there", t->path,
                            p->cases[i].name, from);
    }
    for (int c = 0; t && c < t->n_columns; c++) {
        if (c == name || c == rest) continue;
        if (find_variable(p->plain, fit_cell(t, 0, c)) < 0 && !find_parameter(p, fit_cell(t, 0, c)))
            return fit_fail(p->ctx, "C197", "%s: column '%s' is no parameter or variable of %s",
                            t->path, fit_cell(t, 0, c), p->plain->flat->name);
        for (int i = 1; i < t->n_rows; i++) {
            double x;
            const char *cell = fit_cell(t, i, c);
            bool number = *cell && fit_number(cell, &x);
            if (!*cell || (number ? isfinite(x) : find_parameter(p, cell) != NULL)) continue;
            return fit_fail(p->ctx, "C197", "%s: row %d: '%s' in column '%s' is %s", t->path, i,
                            cell, fit_cell(t, 0, c),
                            number ? "no finite number"
                                   : "neither a number nor one of the parameters");
        }
    }
    return VINC_OK;
}

/* ---- the extended model ---------------------------------------------------------------------- */

static int extend_model(fit_problem *p)
{
    text *t = fit_words(p);
    text_printf(t, "model %s\n  extends %s;\n", EXTENDED, p->plain->flat->name);
    for (int i = 0; i < p->n_parameters; i++) {
        fit_parameter *q = &p->parameters[i];
        q->own = find_variable(p->plain, q->name) < 0;
        if (q->own) text_printf(t, "  parameter Real %s = %.17g;\n", q->name, q->value);
    }
    for (int i = 0; i < p->n_observables; i++) {
        const fit_observable *q = &p->observables[i];
        text_printf(t, "  Real vincolo_y%d = %s;\n", i, q->formula);
        text_printf(t, "  Real vincolo_s%d = %s;\n", i, *q->noise ? q->noise : "1");
    }
    for (int i = 0; i < p->n_formulas; i++)
        text_printf(t, "  Real vincolo_n%d = %s;\n", i, p->formulas[i].text);
    text_printf(t, "end %s;\n", EXTENDED);
    return api_model_extend(p->plain, "the observables", t, EXTENDED, &p->model);
}

static int find_quantity(fit_problem *p, const code_model *m, const char *what, int i,
                         fit_quantity *q)
{
    char name[40];
    snprintf(name, sizeof name, "vincolo_%s%d", what, i);
    q->sign = 1;
    int k = q->column = code_find_column(m, name);
    if (k < 0) return fit_fail(p->ctx, "C188", "%s: it cannot be observed", name);
    code_column c = code_column_in(&m->outputs, k);
    if (c.alias) {
        q->sign = c.alias < 0 ? -1 : 1;
        q->column = c.at;
        c = code_column_in(&m->outputs, c.at);
    }
    q->output = c.constant ? -1 : p->n_outputs;
    if (q->output >= 0) p->outputs[p->n_outputs++] = code_output_of(c);
    return VINC_OK;
}

int fit_read(fit_problem *p)
{
    const vinc_fit_options *o = p->o;
    const api_compiled *made;
    int rc = api_compile(p->plain, NULL, API_STRUCTURE, NULL, &made);
    if (!rc) rc = read_parameters(p);
    if (rc) return rc;
    if (o->conditions && !(p->conditions = fit_table_read(p->ctx, o->conditions, p->a)))
        return VINC_E_OPTION;
    rc = read_conditions(p);
    if (rc) return rc;
    fit_table *data = fit_table_read(p->ctx, o->data, p->a), *observables = NULL;
    if (!data) return VINC_E_OPTION;
    bool is_long = fit_table_column(data, "observable") >= 0;
    if (is_long && !o->observables)
        return fit_fail(p->ctx, "C188",
                        "%s names observables: their table is needed (--observables)", o->data);
    if (o->observables && !(observables = fit_table_read(p->ctx, o->observables, p->a)))
        return VINC_E_OPTION;
    double start = p->plain->about.start;
    p->t_start = isnan(start) ? 0 : start;
    rc = observables ? read_observables(p, observables) : observables_of_header(p, data);
    if (!rc) rc = is_long ? read_long(p, data) : read_wide(p, data);
    if (!rc && !p->n_data) rc = fit_fail(p->ctx, "C189", "%s holds no value", o->data);
    if (rc) return rc;
    for (int i = 0; i < p->n_cases; i++) {
        if (p->cases[i].n_data)
            qsort(p->cases[i].data, (size_t)p->cases[i].n_data, sizeof *p->cases[i].data, by_time);
        if (p->cases[i].needed && p->cases[i].rest >= 0) p->cases[p->cases[i].rest].needed = true;
    }
    rc = extend_model(p);
    if (!rc)
        rc = api_compile(p->model, NULL, API_TAPES, o->run ? o->run->formulation : NULL, &made);
    if (rc) return rc;
    p->outputs = arena_array(p->a, int, 2 * p->n_observables + p->n_formulas + 1);
    for (int i = 0; i < p->n_formulas && !rc; i++)
        rc = find_quantity(p, made->code, "n", i, &p->formulas[i].sd);
    for (int i = 0; i < p->n_observables && !rc; i++) {
        rc = find_quantity(p, made->code, "y", i, &p->observables[i].y);
        if (!rc) rc = find_quantity(p, made->code, "s", i, &p->observables[i].sd);
    }
    return rc;
}
