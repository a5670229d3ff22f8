/* Which variables an FMU has.
 *
 * Parameters whose value is a number can be set; one that is computed from others is calculated, so that
 * it follows them. Start values can be set where the model fixes them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/fmu_listing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* der(der(x)) is der(x,2) to FMI; blanks have no place in names but between quotes. */
static const char *fmu_name(fmu_listing *l, const char *name)
{
    int order = 0;
    size_t n = strlen(name);
    while (n > 5 && !strncmp(name, "der(", 4) && name[n - 1] == ')') {
        name += 4;
        n -= 5;
        order++;
    }
    char *plain = arena_alloc(l->a, n + 20), *p = plain;
    if (order) p += sprintf(p, "der(");
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '\'') quoted = !quoted;
        if (name[i] != ' ' || quoted) *p++ = name[i];
    }
    if (order > 1) p += sprintf(p, ",%d", order);
    if (order) *p++ = ')';
    *p = 0;
    return plain;
}

/* Flat text does not tell which parameters decided sizes and conditions: a new value of one of these
 * would change nothing. Both lists have one order, so that the next one is where the last one was. */
static bool decided_structure(fmu_listing *l, const char *name)
{
    const flat_model *m = l->x->written;
    for (int k = 0; k < m->vars.n; k++) {
        int i = (l->at_written + k) % m->vars.n;
        if (strcmp(FLAT_NAME(m, i), name) != 0) continue;
        l->at_written = i;
        return flat_at(m, i)->flags & FLAT_STRUCTURAL;
    }
    return false;
}

/* Is it bound to a number, and may it be given another one? */
static bool is_settable(fmu_listing *l, const structure *s, int v)
{
    const flat_var *f = flat_at(s->flat, v);
    double number;
    if (f->flags & (FLAT_FINAL | FLAT_STRUCTURAL) || f->variability == FLAT_CONSTANT) return false;
    if (decided_structure(l, FLAT_NAME(s->flat, v))) return false;
    if (s->vars[v].role != STRUCTURE_PARAMETER) return false;
    expr e = s->vars[v].value;
    if (!e && f->attr) e = f->attr->start;
    return !e || expr_number(s->pool, e, &number);
}

static void classify(fmu_listing *l, const structure *s, int v, fmu_variable *q)
{
    const flat_var *f = flat_at(s->flat, v);
    q->flat = f;
    q->var = v;
    q->variability = f->variability == FLAT_CONSTANT                           ? IS_CONSTANT
                     : f->variability == FLAT_PARAMETER                        ? IS_FIXED
                     : f->type != TYPE_REAL || f->variability == FLAT_DISCRETE ? IS_DISCRETE
                                                                               : IS_CONTINUOUS;
    q->causality = f->causality == FLAT_INPUT && s->vars[v].role == STRUCTURE_INPUT ? IS_INPUT
                   : f->causality == FLAT_OUTPUT                                    ? IS_OUTPUT
                                                                                    : IS_LOCAL;
    if (q->variability == IS_FIXED)
        q->causality = is_settable(l, s, v) ? IS_PARAMETER : IS_CALCULATED;
    if (q->variability == IS_CONSTANT) q->causality = IS_LOCAL;
    if (l->x->fmi == 3 && q->variability == IS_DISCRETE) q->clock = s->vars[v].clock;
    bool unknown = s->vars[v].role == STRUCTURE_UNKNOWN || s->vars[v].role == STRUCTURE_ALIAS;
    q->exact = q->variability == IS_CONSTANT || q->causality == IS_PARAMETER ||
               (unknown && q->variability == IS_CONTINUOUS && f->attr && f->attr->fixed == 1);
}

static int fmu_find_variable(const fmu_listing *l, const char *name)
{
    for (int i = 0; i < FMU_FIRST_VARIABLE + l->n_columns; i++)
        if (l->at[i].name && !strcmp(l->at[i].name, name)) return i;
    return -1;
}

/* The start value of an unknown, as it is given: the one that was found may differ by a rounding. */
static double start_of(const vinc_sim *sim, const structure *s, int v)
{
    const structure_var *q = &s->vars[v];
    bool alias = q->role == STRUCTURE_ALIAS;
    const structure_unknown *u = &s->unknowns.at[alias ? s->vars[q->of].place : q->place];
    double start = run_start_of(sim->state, u->first + (alias ? q->order : 0));
    return alias && q->negated ? -start : start;
}

static void list_columns(fmu_listing *l)
{
    vinc_sim *sim = l->x->sim;
    const structure *s = run_model(sim->state)->s;
    int *all = arena_array(l->a, int, l->n_columns);
    double *values = arena_array(l->a, double, l->n_columns);
    for (int i = 0; i < l->n_columns; i++) all[i] = i;
    if (vinc_sim_values(sim, all, l->n_columns, values)) // one of them: the others have values
        for (int i = 0; i < l->n_columns; i++) vinc_sim_values(sim, &i, 1, &values[i]);
    for (int i = 0; i < l->n_columns; i++) {
        fmu_variable *q = &l->at[FMU_FIRST_VARIABLE + i];
        const char *name = code_column_name(sim->code, i, l->a);
        const code_column c = code_column_in(&sim->code->outputs, i);
        *q = (fmu_variable){.name = fmu_name(l, name), .type = c.type, .derivative_of = -1};
        int k = c.times ? s->n_flat : c.var;
        if (k < s->n_flat) {
            classify(l, s, k, q);
        } else { // a derivative, of which there may be a variable of that name, too
            q->causality = IS_LOCAL;
            q->variability = IS_CONTINUOUS;
            if (fmu_find_variable(l, q->name) != FMU_FIRST_VARIABLE + i) q->name = NULL;
        }
        q->start = values[i];
        if (k < s->n_flat && q->exact && q->variability == IS_CONTINUOUS)
            q->start = start_of(sim, s, k);
        if (!isfinite(q->start)) q->exact = false;
    }
}

/* States that are variables, with derivatives that are; the others get names of their own. */
static void list_states(fmu_listing *l)
{
    int made = FMU_FIRST_VARIABLE + l->n_columns;
    for (int i = 0; i < l->n_states; i++, made += 2) {
        int number = vinc_sim_state_value(l->x->sim, i);
        // A parameter that the start decides is a state of ours that stays: to others it is none.
        if (number >= 0 && l->at[FMU_FIRST_VARIABLE + number].variability != IS_CONTINUOUS)
            number = -1;
        l->state[i] = number < 0 ? -1 : FMU_FIRST_VARIABLE + number;
        l->rate[i] = -1;
        if (number >= 0) {
            const char *name = code_column_name(l->x->sim->code, number, l->a);
            char *der = arena_alloc(l->a, strlen(name) + 6);
            sprintf(der, "der(%s)", name);
            l->rate[i] = fmu_find_variable(l, fmu_name(l, der));
        }
        if (l->rate[i] < 0) {
            char *state = arena_alloc(l->a, 60), *rate = arena_alloc(l->a, 60);
            sprintf(state, "'vincolo state %d'", i + 1);
            sprintf(rate, "der('vincolo state %d')", i + 1);
            l->state[i] = made;
            l->rate[i] = made + 1;
            l->at[made] = (fmu_variable){.name = state,
                                         .causality = IS_LOCAL,
                                         .variability = IS_CONTINUOUS,
                                         .derivative_of = -1};
            l->at[made + 1] = l->at[made];
            l->at[made + 1].name = rate;
        }
        l->at[l->rate[i]].derivative_of = l->state[i];
    }
}

static void list_indicators(fmu_listing *l)
{
    int first = l->first_indicator;
    for (int i = 0; i < l->n_indicators; i++) {
        char *name = arena_alloc(l->a, 60);
        sprintf(name, "'vincolo event indicator %d'", i + 1);
        l->at[first + i] = (fmu_variable){
            .name = name, .causality = IS_LOCAL, .variability = IS_CONTINUOUS, .derivative_of = -1};
    }
}

/* A path of a file that comes along is where it lies in the FMU. */
static const char *shown_text(const fmu_listing *l, const char *words)
{
    const fmu_carried *c = l->x->carried;
    for (int i = 0; i < c->files.n; i++) {
        if (strcmp(c->files.at[i].path, words) != 0) continue;
        char *name = arena_alloc(l->a, strlen(c->files.at[i].name) + sizeof FMU_SHOWN_FILES);
        sprintf(name, FMU_SHOWN_FILES "%s", c->files.at[i].name);
        return name;
    }
    return arena_strndup(l->a, words, strlen(words));
}

/* Strings: a parameter that is a text can be given another one, for which the model is compiled anew.
 * Sources hold the model as it is: what changes while it runs is not among theirs. */
static void list_texts(fmu_listing *l)
{
    const code_model *m = run_model(l->x->sim->state);
    for (int i = 0; i < vinc_sim_n_texts(l->x->sim); i++) {
        const structure_string *of = m->s->strings.at;
        while (of->var != m->events.told[i]) of++;
        const flat_var *f = flat_at(m->s->flat, of->var);
        bool literal = expr_at(m->s->pool, of->value)->op == EXPR_STRING;
        const char *words = NULL;
        fmu_variable *q = &l->at[l->first_text + i];
        if (vinc_sim_text(l->x->sim, i, &words)) continue;
        *q = (fmu_variable){.name = fmu_name(l, FLAT_NAME(m->s->flat, of->var)),
                            .flat = f,
                            .var = of->var,
                            .type = TYPE_STRING,
                            .causality = f->causality == FLAT_OUTPUT ? IS_OUTPUT : IS_LOCAL,
                            .variability = f->variability == FLAT_CONSTANT    ? IS_CONSTANT
                                           : f->variability == FLAT_PARAMETER ? IS_FIXED
                                                                              : IS_DISCRETE,
                            .text = shown_text(l, words),
                            .derivative_of = -1};
        if (q->variability == IS_FIXED) {
            bool bound = f->binding && expr_at(m->s->pool, f->binding)->op == EXPR_STRING;
            bool given = bound && !(f->flags & FLAT_FINAL) &&
                         !decided_structure(l, FLAT_NAME(m->s->flat, of->var));
            q->causality = given && !l->x->source ? IS_PARAMETER : IS_CALCULATED;
        }
        q->exact = q->variability == IS_CONSTANT || q->causality == IS_PARAMETER;
        if (l->x->source && !literal) q->name = NULL;
    }
}

/* FMI 3: one clock for each part that ticks by itself, under the name of a Clock of the model where it has one. */
static void list_clocks(fmu_listing *l)
{
    const structure *s = run_model(l->x->sim->state)->s;
    for (int i = 0; i < s->subs.n; i++) {
        char *name = arena_alloc(l->a, 60);
        sprintf(name, "'vincolo clock %d'", i + 1);
        l->at[l->first_clock + i] = (fmu_variable){.name = name,
                                                   .type = TYPE_CLOCK,
                                                   .causality = IS_LOCAL,
                                                   .variability = IS_DISCRETE,
                                                   .derivative_of = -1};
    }
    for (int v = 0; v < s->n_flat; v++) {
        const flat_var *f = flat_at(s->flat, v);
        if (f->type != TYPE_CLOCK || !s->vars[v].clock || f->flags & FLAT_HIDDEN) continue;
        fmu_variable *q = &l->at[l->first_clock + s->vars[v].clock - 1];
        bool output = f->causality == FLAT_OUTPUT;
        if (q->flat && (!output || q->causality == IS_OUTPUT)) continue;
        q->flat = f;
        q->var = v;
        q->name = fmu_name(l, FLAT_NAME(s->flat, v));
        if (output) q->causality = IS_OUTPUT;
    }
}

/* By known of the dependencies: the variable that it is; -1: none that is written. */
static void list_knowns(fmu_listing *l)
{
    const code_model *m = run_model(l->x->sim->state);
    const structure *s = m->s;
    fmu_depends *d = l->depends = fmu_depends_of(l->x->sim, l->a);
    if (!d) return;
    l->known = arena_array(l->a, int, fmu_known_all(d));
    for (int k = 0; k < fmu_known_all(d); k++) l->known[k] = -1;
    l->known[FMU_KNOWN_TIME] = FMU_TIME;
    for (int i = 0; i < l->n_states; i++) l->known[FMU_KNOWN_STATES + i] = l->state[i];
    for (int i = 0; i < d->n_inputs; i++)
        l->known[fmu_known_input(d, i)] = fmu_find_variable(l, fmu_name(l, m->inputs.list[i].name));
    for (int i = 0; i < l->n; i++) {
        const flat_var *f = l->at[i].causality == IS_PARAMETER ? l->at[i].flat : NULL;
        if (f && l->at[i].type != TYPE_STRING)
            l->known[fmu_known_parameter(d, s->vars[l->at[i].var].place)] = i;
    }
}

void fmu_list_variables(fmu_listing *l)
{
    l->n_columns = vinc_sim_n_values(l->x->sim);
    l->n_states = l->x->exchange ? vinc_sim_n_states(l->x->sim) : 0;
    l->n_indicators = l->x->exchange ? vinc_sim_n_indicators(l->x->sim) : 0;
    l->first_indicator = FMU_FIRST_VARIABLE + l->n_columns + 2 * vinc_sim_n_states(l->x->sim);
    l->first_text = l->first_indicator + vinc_sim_n_indicators(l->x->sim);
    l->first_clock = l->first_text + vinc_sim_n_texts(l->x->sim);
    l->n = l->first_clock + (l->x->fmi == 3 ? vinc_sim_n_clocks(l->x->sim) : 0);
    l->at = arena_array(l->a, fmu_variable, l->n);
    l->state = arena_array(l->a, int, l->n_states);
    l->rate = arena_array(l->a, int, l->n_states);
    memset(l->at, 0, (size_t)l->n * sizeof *l->at);
    l->at[FMU_TIME] = (fmu_variable){.name = "time",
                                     .causality = IS_INDEPENDENT,
                                     .variability = IS_CONTINUOUS,
                                     .derivative_of = -1};
    list_columns(l);
    list_states(l);
    if (l->x->fmi == 3) list_indicators(l);
    list_texts(l);
    if (l->x->fmi == 3) list_clocks(l);
    for (int i = 0; i < l->n; i++) l->at[i].of = i, l->at[i].n_elements = 1;
    list_knowns(l); // by the names of elements
    if (l->x->fmi == 3) fmu_group_arrays(l);
    l->place = arena_array(l->a, int, l->n);
    for (int i = 0, n = 0; i < l->n; i++) l->place[i] = fmu_is_written(l, i) ? ++n : 0;
    l->seen = arena_array(l->a, bool, l->n);
}

const char *fmu_unit_of(const fmu_listing *l, int i)
{
    int c = i - FMU_FIRST_VARIABLE;
    if (i == FMU_TIME) return "s";
    const code_model *m = l->x->sim->code;
    return c >= 0 && c < l->n_columns ? code_look_of(m, code_column_in(&m->outputs, c))->unit
                                      : NULL;
}

/* ---- XML ------------------------------------------------------------------------------------- */

/* Control characters have no place in XML. */
void fmu_escaped(text *out, const char *words)
{
    for (const char *p = words; *p; p++) switch (*p) {
        case '&': text_add(out, "&amp;"); break;
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '"': text_add(out, "&quot;"); break;
        case '\t':
        case '\n':
        case '\r': text_printf(out, "&#%d;", *p); break;
        default: text_char(out, (unsigned char)*p < ' ' ? ' ' : *p);
        }
}

void fmu_attribute(text *out, const char *name, const char *value)
{
    if (!value || !*value) return;
    text_printf(out, " %s=\"", name);
    fmu_escaped(out, value);
    text_char(out, '"');
}

void fmu_attribute_real(text *out, const char *name, double x)
{
    text_printf(out, " %s=\"", name);
    text_real(out, x);
    text_char(out, '"');
}
