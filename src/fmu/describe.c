/* modelDescription.xml: what an importer is told of a model.
 *
 * Elements and attributes are those of the schemas of FMI 2.0.4 and 3.0.2. The list of variables is the
 * same for both; what differs is how it is written.
 *
 * Parameters whose value is a number can be set; one that is computed from others is calculated, so that
 * it follows them. Start values can be set where the model fixes them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/describe.h"

#include "flat/units.h"
#include "fmu/fmu.h"
#include "run/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum variable_causality {
    IS_INDEPENDENT,
    IS_PARAMETER,
    IS_CALCULATED,
    IS_INPUT,
    IS_OUTPUT,
    IS_LOCAL
} variable_causality;
static const char *const causalities[] = {"independent", "parameter", "calculatedParameter",
                                          "input",       "output",    "local"};

typedef enum variable_variability {
    IS_CONSTANT,
    IS_FIXED,
    IS_DISCRETE,
    IS_CONTINUOUS
} variable_variability;
static const char *const variabilities[] = {"constant", "fixed", "discrete", "continuous"};

typedef struct fmu_variable {
    const char *name;
    const flat_var *flat; // NULL: none
    uint8_t type, causality, variability;
    bool exact;        // its start value is given and can be changed
    double start;      // of those, of inputs and of constants
    int derivative_of; // variable of the list; -1: none
} fmu_variable;

typedef struct listing {
    const fmu_subject *x;
    arena *a;
    text *out;
    const flat_model *flat;
    fmu_variable *at; // by value reference
    int n, n_columns, n_states, n_indicators;
    int *state, *rate; // by state: variables
    int *place;        // in the file, from 1: what FMI 2 calls an index
} listing;

/* ---- text ------------------------------------------------------------------------------------ */

/* Control characters have no place in XML. */
static void xml_escaped(text *out, const char *words)
{
    for (const char *p = words; *p; p++) switch (*p) {
        case '&': text_add(out, "&amp;"); break;
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '"': text_add(out, "&quot;"); break;
        default: text_char(out, (unsigned char)*p < ' ' ? ' ' : *p);
        }
}

static void attribute(text *out, const char *name, const char *value)
{
    if (!value || !*value) return;
    text_printf(out, " %s=\"", name);
    xml_escaped(out, value);
    text_char(out, '"');
}

static void attribute_real(text *out, const char *name, double x)
{
    text_printf(out, " %s=\"", name);
    text_real(out, x);
    text_char(out, '"');
}

/* ---- the list -------------------------------------------------------------------------------- */

/* der(der(x)) is der(x,2) to FMI; blanks have no place in names but between quotes. */
static const char *fmu_name(listing *l, const char *name)
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

/* Is it bound to a number, and may it be given another one? */
static bool is_settable(const structure *s, int v)
{
    const flat_var *f = &s->flat->vars.at[v];
    double number;
    if (f->flags & (FLAT_FINAL | FLAT_STRUCTURAL) || f->variability == FLAT_CONSTANT) return false;
    if (s->vars[v].role != STRUCTURE_PARAMETER) return false;
    expr e = s->vars[v].value;
    if (!e && f->attr) e = f->attr->start;
    return !e || expr_number(s->pool, e, &number);
}

static void classify(const structure *s, int v, fmu_variable *q)
{
    const flat_var *f = &s->flat->vars.at[v];
    q->flat = f;
    q->variability = f->variability == FLAT_CONSTANT                           ? IS_CONSTANT
                     : f->variability == FLAT_PARAMETER                        ? IS_FIXED
                     : f->type != TYPE_REAL || f->variability == FLAT_DISCRETE ? IS_DISCRETE
                                                                               : IS_CONTINUOUS;
    q->causality = f->causality == FLAT_INPUT && s->vars[v].role == STRUCTURE_INPUT ? IS_INPUT
                   : f->causality == FLAT_OUTPUT                                    ? IS_OUTPUT
                                                                                    : IS_LOCAL;
    if (q->variability == IS_FIXED) q->causality = is_settable(s, v) ? IS_PARAMETER : IS_CALCULATED;
    if (q->variability == IS_CONSTANT) q->causality = IS_LOCAL;
    bool unknown = s->vars[v].role == STRUCTURE_UNKNOWN || s->vars[v].role == STRUCTURE_ALIAS;
    q->exact = q->variability == IS_CONSTANT || q->causality == IS_PARAMETER ||
               (unknown && q->variability == IS_CONTINUOUS && f->attr && f->attr->fixed == 1);
}

static int find_variable(const listing *l, const char *name)
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

static void list_columns(listing *l)
{
    vinc_sim *sim = l->x->sim;
    const structure *s = run_model(sim->state)->s;
    const code_column *c = code_columns(sim->code);
    for (int i = 0, v = 0; i < l->n_columns; i++) {
        fmu_variable *q = &l->at[FMU_FIRST_VARIABLE + i];
        *q = (fmu_variable){.name = fmu_name(l, c[i].name), .type = c[i].type, .derivative_of = -1};
        int k = v;
        while (k < s->n_flat && strcmp(s->flat->vars.at[k].name, c[i].name) != 0) k++;
        if (k < s->n_flat) {
            classify(s, k, q);
            v = k + 1;
        } else { // a derivative, of which there may be a variable of that name, too
            q->causality = IS_LOCAL;
            q->variability = IS_CONTINUOUS;
            if (find_variable(l, q->name) != FMU_FIRST_VARIABLE + i) q->name = NULL;
        }
        vinc_sim_values(sim, &i, 1, &q->start);
        if (k < s->n_flat && q->exact && q->variability == IS_CONTINUOUS)
            q->start = start_of(sim, s, k);
        if (!isfinite(q->start)) q->exact = false;
    }
}

/* States that are variables, with derivatives that are; the others get names of their own. */
static void list_states(listing *l)
{
    int made = FMU_FIRST_VARIABLE + l->n_columns;
    for (int i = 0; i < l->n_states; i++, made += 2) {
        int number = vinc_sim_state_value(l->x->sim, i);
        l->state[i] = number < 0 ? -1 : FMU_FIRST_VARIABLE + number;
        l->rate[i] = -1;
        if (number >= 0) {
            const char *name = vinc_sim_value_name(l->x->sim, number);
            char *der = arena_alloc(l->a, strlen(name) + 6);
            sprintf(der, "der(%s)", name);
            l->rate[i] = find_variable(l, fmu_name(l, der));
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

static void list_indicators(listing *l)
{
    int first = l->n - l->n_indicators;
    for (int i = 0; i < l->n_indicators; i++) {
        char *name = arena_alloc(l->a, 60);
        sprintf(name, "'vincolo event indicator %d'", i + 1);
        l->at[first + i] = (fmu_variable){
            .name = name, .causality = IS_LOCAL, .variability = IS_CONTINUOUS, .derivative_of = -1};
    }
}

static bool is_written(const listing *l, int i)
{
    return l->at[i].name != NULL;
}

static void list_variables(listing *l)
{
    l->n_columns = vinc_sim_n_values(l->x->sim);
    l->n_states = l->x->exchange ? vinc_sim_n_states(l->x->sim) : 0;
    l->n_indicators = l->x->exchange ? vinc_sim_n_indicators(l->x->sim) : 0;
    l->n = FMU_FIRST_VARIABLE + l->n_columns + 2 * vinc_sim_n_states(l->x->sim) + l->n_indicators;
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
    l->place = arena_array(l->a, int, l->n);
    for (int i = 0, n = 0; i < l->n; i++) l->place[i] = is_written(l, i) ? ++n : 0;
}

/* ---- units and types ------------------------------------------------------------------------- */

static void write_unit(text *out, const char *name)
{
    static const char *const base[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    unit u;
    text_add(out, "    <Unit");
    attribute(out, "name", name);
    bool known = unit_parse(name, &u);
    for (int i = 0; known && i < UNIT_BASES; i++) known = u.power[i] % UNIT_PARTS == 0;
    if (!known) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">\n      <BaseUnit");
    for (int i = 0; i < UNIT_BASES; i++)
        if (u.power[i]) text_printf(out, " %s=\"%d\"", base[i], u.power[i] / UNIT_PARTS);
    if (u.factor != 1) attribute_real(out, "factor", u.factor);
    text_add(out, "/>\n    </Unit>\n");
}

static const char *unit_of_variable(const listing *l, int i)
{
    int c = i - FMU_FIRST_VARIABLE;
    if (i == FMU_TIME) return "s";
    return c < l->n_columns ? code_columns(l->x->sim->code)[c].unit : NULL;
}

static void write_units(listing *l)
{
    const char **seen = arena_array(l->a, const char *, l->n);
    int n = 0;
    text_add(l->out, "  <UnitDefinitions>\n");
    for (int i = 0; i < l->n; i++) {
        const char *name = unit_of_variable(l, i);
        int k = 0;
        if (!name || !*name) continue;
        while (k < n && strcmp(seen[k], name) != 0) k++;
        if (k < n) continue;
        seen[n++] = name;
        write_unit(l->out, name);
    }
    text_add(l->out, "  </UnitDefinitions>\n");
}

static void write_types(const listing *l)
{
    const flat_model *m = l->flat;
    text *out = l->out;
    bool any = false;
    for (int e = 0; e < m->enums.n; e++) {
        bool used = false;
        for (int i = 0; i < l->n && !used; i++)
            used = l->at[i].flat && l->at[i].type == TYPE_ENUM && l->at[i].flat->enum_id == e;
        if (!used) continue;
        if (!any) text_add(out, "  <TypeDefinitions>\n");
        any = true;
        text_add(out, l->x->fmi == 3 ? "    <EnumerationType" : "    <SimpleType");
        attribute(out, "name", m->enums.at[e].name);
        text_add(out, l->x->fmi == 3 ? ">\n" : "><Enumeration>\n");
        for (int k = 0; k < m->enums.at[e].n; k++) {
            text_add(out, "      <Item");
            attribute(out, "name", m->enums.at[e].literals[k]);
            text_printf(out, " value=\"%d\"/>\n", k + 1);
        }
        text_add(out,
                 l->x->fmi == 3 ? "    </EnumerationType>\n" : "    </Enumeration></SimpleType>\n");
    }
    if (any) text_add(out, "  </TypeDefinitions>\n");
}

/* ---- variables ------------------------------------------------------------------------------- */

static const char *type_name(int fmi, uint8_t type)
{
    switch (type) {
    case TYPE_INTEGER: return fmi == 3 ? "Int32" : "Integer";
    case TYPE_BOOLEAN: return "Boolean";
    case TYPE_ENUM: return "Enumeration";
    default: return fmi == 3 ? "Float64" : "Real";
    }
}

static bool has_start(const fmu_variable *q)
{
    return q->exact || q->causality == IS_INPUT;
}

static void write_start(text *out, const fmu_variable *q)
{
    if (!has_start(q)) return;
    if (q->type == TYPE_BOOLEAN) attribute(out, "start", q->start != 0 ? "true" : "false");
    else if (q->type == TYPE_REAL) attribute_real(out, "start", q->start);
    else text_printf(out, " start=\"%lld\"", (long long)q->start);
}

/* min, max, nominal where they are numbers, and fit the start value. */
static void write_range(const listing *l, const fmu_variable *q)
{
    const flat_attributes *a = q->flat ? q->flat->attr : NULL;
    double low, high, nominal;
    if (!a || q->type == TYPE_BOOLEAN) return;
    bool real = q->type == TYPE_REAL;
    bool has_low = a->min && expr_number(l->flat->pool, a->min, &low) && isfinite(low);
    bool has_high = a->max && expr_number(l->flat->pool, a->max, &high) && isfinite(high);
    if (has_start(q) && ((has_low && q->start < low) || (has_high && q->start > high))) return;
    if (has_low && real) attribute_real(l->out, "min", low);
    if (has_high && real) attribute_real(l->out, "max", high);
    if (has_low && !real) text_printf(l->out, " min=\"%lld\"", (long long)low);
    if (has_high && !real) text_printf(l->out, " max=\"%lld\"", (long long)high);
    if (real && a->nominal && expr_number(l->flat->pool, a->nominal, &nominal) && nominal > 0 &&
        isfinite(nominal))
        attribute_real(l->out, "nominal", nominal);
}

static void write_typed(const listing *l, int i)
{
    const fmu_variable *q = &l->at[i];
    if (q->type == TYPE_ENUM && q->flat)
        attribute(l->out, "declaredType", l->flat->enums.at[q->flat->enum_id].name);
    if (q->type == TYPE_REAL) attribute(l->out, "unit", unit_of_variable(l, i));
    if (q->flat && q->flat->attr && q->type == TYPE_REAL)
        attribute(l->out, "quantity", q->flat->attr->quantity);
    write_range(l, q);
    write_start(l->out, q);
}

static void write_variable(const listing *l, int i)
{
    const fmu_variable *q = &l->at[i];
    text *out = l->out;
    bool three = l->x->fmi == 3;
    text_printf(out, "    <%s", three ? type_name(3, q->type) : "ScalarVariable");
    attribute(out, "name", q->name);
    text_printf(out, " valueReference=\"%d\"", i);
    if (q->flat) attribute(out, "description", q->flat->comment);
    attribute(out, "causality", causalities[q->causality]);
    attribute(out, "variability", variabilities[q->variability]);
    if (q->causality != IS_INPUT && q->causality != IS_INDEPENDENT)
        attribute(out, "initial", q->exact ? "exact" : "calculated");
    if (!three) text_printf(out, "><%s", type_name(2, q->type));
    write_typed(l, i);
    if (q->derivative_of >= 0)
        text_printf(out, " derivative=\"%d\"",
                    three ? q->derivative_of : l->place[q->derivative_of]);
    text_add(out, three ? "/>\n" : "/></ScalarVariable>\n");
}

/* ---- structure ------------------------------------------------------------------------------- */

static bool is_initial_unknown(const listing *l, const bool *of_state, int i)
{
    const fmu_variable *q = &l->at[i];
    if (!is_written(l, i) || q->exact) return false;
    return q->causality == IS_OUTPUT || q->causality == IS_CALCULATED || of_state[i];
}

static void write_structure(const listing *l)
{
    text *out = l->out;
    bool three = l->x->fmi == 3, any = false;
    bool *of_state = arena_array(l->a, bool, l->n);
    for (int i = 0; i < l->n_states; i++) of_state[l->state[i]] = of_state[l->rate[i]] = true;
    text_add(out, "  <ModelStructure>\n");
    for (int i = 0; i < l->n; i++) {
        if (!is_written(l, i) || l->at[i].causality != IS_OUTPUT) continue;
        if (!three && !any) text_add(out, "    <Outputs>\n");
        any = true;
        if (three) text_printf(out, "    <Output valueReference=\"%d\"/>\n", i);
        else text_printf(out, "      <Unknown index=\"%d\"/>\n", l->place[i]);
    }
    if (!three && any) text_add(out, "    </Outputs>\n");
    if (!three && l->n_states) text_add(out, "    <Derivatives>\n");
    for (int i = 0; i < l->n_states; i++) {
        if (three)
            text_printf(out, "    <ContinuousStateDerivative valueReference=\"%d\"/>\n",
                        l->rate[i]);
        else text_printf(out, "      <Unknown index=\"%d\"/>\n", l->place[l->rate[i]]);
    }
    if (!three && l->n_states) text_add(out, "    </Derivatives>\n");
    any = false;
    for (int i = 0; i < l->n; i++) {
        if (!is_initial_unknown(l, of_state, i)) continue;
        if (!three && !any) text_add(out, "    <InitialUnknowns>\n");
        any = true;
        if (three) text_printf(out, "    <InitialUnknown valueReference=\"%d\"/>\n", i);
        else text_printf(out, "      <Unknown index=\"%d\"/>\n", l->place[i]);
    }
    if (!three && any) text_add(out, "    </InitialUnknowns>\n");
    for (int i = 0; three && i < l->n_indicators; i++)
        text_printf(out, "    <EventIndicator valueReference=\"%d\"/>\n",
                    l->n - l->n_indicators + i);
    text_add(out, "  </ModelStructure>\n");
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_kinds(const listing *l)
{
    const fmu_subject *x = l->x;
    text *out = l->out;
    bool three = x->fmi == 3, bytes = !run_model(x->sim->state)->events.delays.n_out;
    const char *state = three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate";
    const char *serial = three ? "canSerializeFMUState" : "canSerializeFMUstate";
    const char *slopes =
        three ? "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""
              : "providesDirectionalDerivative=\"true\"";
    if (x->exchange)
        text_printf(out, "  <ModelExchange modelIdentifier=\"%s\" %s=\"true\" %s=\"%s\" %s%s/>\n",
                    x->identifier, state, serial, bytes ? "true" : "false", slopes,
                    three ? " needsCompletedIntegratorStep=\"true\"" : "");
    if (x->steps)
        text_printf(out,
                    "  <CoSimulation modelIdentifier=\"%s\" %s=\"true\" %s=\"%s\" %s "
                    "canHandleVariableCommunicationStepSize=\"true\"%s/>\n",
                    x->identifier, state, serial, bytes ? "true" : "false", slopes,
                    three ? " hasEventMode=\"true\" providesIntermediateUpdate=\"true\" "
                            "canReturnEarlyAfterIntermediateUpdate=\"true\""
                          : "");
}

static void write_experiment(const listing *l)
{
    const sim_options *o = &l->x->sim->options;
    double interval = l->flat->experiment.interval;
    text_add(l->out, "  <DefaultExperiment");
    attribute_real(l->out, "startTime", o->t_start);
    attribute_real(l->out, "stopTime", o->t_stop);
    attribute_real(l->out, "tolerance", o->rel_tol);
    if (interval > 0) attribute_real(l->out, "stepSize", interval);
    text_add(l->out, "/>\n");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void page_rows(const listing *l, text *out, variable_causality causality, const char *title)
{
    bool any = false;
    for (int i = 0; i < l->n; i++) {
        const fmu_variable *q = &l->at[i];
        if (!is_written(l, i) || q->causality != causality || !q->flat) continue;
        if (!any) text_printf(out, "<h2>%s</h2>\n<table>\n", title);
        any = true;
        text_add(out, "<tr><td>");
        xml_escaped(out, q->name);
        text_add(out, "<td>");
        if (has_start(q) && q->type == TYPE_BOOLEAN)
            text_add(out, q->start != 0 ? "true" : "false");
        else if (has_start(q)) text_real(out, q->start);
        text_add(out, "<td>");
        xml_escaped(out, unit_of_variable(l, i));
        text_add(out, "<td>");
        xml_escaped(out, q->flat->comment ? q->flat->comment : "");
        text_char(out, '\n');
    }
    if (any) text_add(out, "</table>\n");
}

static void write_page(const listing *l, text *out)
{
    const structure *s = run_model(l->x->sim->state)->s;
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    xml_escaped(out, l->flat->name);
    text_add(out, "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto}"
                  "td{padding:0 1em 0 0;vertical-align:top}</style>\n<h1>");
    xml_escaped(out, l->flat->name);
    text_add(out, "</h1>\n<p>");
    xml_escaped(out, l->flat->comment ? l->flat->comment : "");
    text_printf(out,
                "</p>\n<p>%d unknowns, %d equations, structural index %d; %d free initial values, "
                "%d continuous states, %d event indicators.</p>\n<p>States:",
                s->n_unknowns_written, s->n_equations_written, s->index, s->n_free,
                vinc_sim_n_states(l->x->sim), vinc_sim_n_indicators(l->x->sim));
    int made = 0;
    for (int i = 0; i < l->n_states; i++) {
        bool own = l->state[i] < FMU_FIRST_VARIABLE + l->n_columns;
        if (own) {
            text_char(out, ' ');
            xml_escaped(out, l->at[l->state[i]].name);
        }
        made += !own;
    }
    if (made)
        text_printf(out,
                    "%s %d combinations of variables that constraints tie, chosen anew in events "
                    "where the present choice would become singular",
                    made < l->n_states ? ", and" : "", made);
    text_add(out, l->n_states ? ".</p>\n" : " none.</p>\n");
    page_rows(l, out, IS_INPUT, "Inputs");
    page_rows(l, out, IS_OUTPUT, "Outputs");
    page_rows(l, out, IS_PARAMETER, "Parameters");
    page_rows(l, out, IS_CALCULATED, "Parameters that follow from others");
    page_rows(l, out, IS_LOCAL, "Other variables");
    text_add(out, "</html>\n");
}

void fmu_describe(const fmu_subject *x, arena *scratch, text *out, text *page)
{
    const flat_model *flat = x->sim->model->flat;
    listing l = {.x = x, .a = scratch, .out = out, .flat = flat};
    list_variables(&l);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    attribute(out, "fmiVersion", x->fmi == 3 ? "3.0" : "2.0");
    attribute(out, "modelName", flat->name);
    attribute(out, x->fmi == 3 ? "instantiationToken" : "guid", x->token);
    attribute(out, "description", flat->comment);
    text_printf(out, " generationTool=\"Vincolo %s\" variableNamingConvention=\"structured\"",
                vinc_version());
    if (x->fmi == 2)
        text_printf(out, " numberOfEventIndicators=\"%d\"",
                    x->exchange ? vinc_sim_n_indicators(x->sim) : 0);
    text_add(out, ">\n");
    write_kinds(&l);
    write_units(&l);
    write_types(&l);
    text_add(
        out,
        "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
        "    <Category name=\"logStatusWarning\"/>\n    <Category name=\"logStatusDiscard\"/>\n"
        "    <Category name=\"logAll\"/>\n  </LogCategories>\n");
    write_experiment(&l);
    text_add(out, "  <ModelVariables>\n");
    for (int i = 0; i < l.n; i++)
        if (is_written(&l, i)) write_variable(&l, i);
    text_add(out, "  </ModelVariables>\n");
    write_structure(&l);
    text_add(out, "</fmiModelDescription>\n");
    write_page(&l, page);
}
