/* modelDescription.xml: what an importer is told of a model.
 *
 * Elements and attributes are those of the schemas of FMI 2.0.4 and 3.0.2. The list of variables is the
 * same for both; what differs is how it is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/describe.h"

#include "flat/units.h"
#include "fmu/fmu_listing.h"
#include "fmu/source_print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const causalities[] = {"independent", "parameter", "calculatedParameter",
                                          "input",       "output",    "local"};
static const char *const variabilities[] = {"constant", "fixed", "discrete", "continuous"};

/* ---- units and types ------------------------------------------------------------------------- */

static void write_unit(text *out, const char *name)
{
    static const char *const base[] = {"m", "kg", "s", "A", "K", "mol", "cd"};
    unit u;
    text_add(out, "    <Unit");
    fmu_attribute(out, "name", name);
    bool known = unit_parse(name, &u);
    for (int i = 0; known && i < UNIT_BASES; i++) known = u.power[i] % UNIT_PARTS == 0;
    if (!known) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">\n      <BaseUnit");
    for (int i = 0; i < UNIT_BASES; i++)
        if (u.power[i]) text_printf(out, " %s=\"%d\"", base[i], u.power[i] / UNIT_PARTS);
    if (u.factor != 1) fmu_attribute_real(out, "factor", u.factor);
    text_add(out, "/>\n    </Unit>\n");
}

static void write_units(fmu_listing *l)
{
    const char **seen = arena_array(l->a, const char *, l->n);
    int n = 0;
    text_add(l->out, "  <UnitDefinitions>\n");
    for (int i = 0; i < l->n; i++) {
        const char *name = fmu_unit_of(l, i);
        int k = 0;
        if (!name || !*name) continue;
        while (k < n && strcmp(seen[k], name) != 0) k++;
        if (k < n) continue;
        seen[n++] = name;
        write_unit(l->out, name);
    }
    text_add(l->out, "  </UnitDefinitions>\n");
}

static void write_types(const fmu_listing *l)
{
    const flat_model *m = l->flat;
    text *out = l->out;
    bool any = false;
    for (int e = 0; e < m->enums.n; e++) {
        bool used = false;
        for (int i = 0; i < l->n && !used; i++)
            used = l->at[i].flat && l->at[i].type == TYPE_ENUM && l->at[i].flat->decl->enum_id == e;
        if (!used) continue;
        if (!any) text_add(out, "  <TypeDefinitions>\n");
        any = true;
        text_add(out, l->x->fmi == 3 ? "    <EnumerationType" : "    <SimpleType");
        fmu_attribute(out, "name", m->enums.at[e].name);
        text_add(out, l->x->fmi == 3 ? ">\n" : "><Enumeration>\n");
        for (int k = 0; k < m->enums.at[e].n; k++) {
            text_add(out, "      <Item");
            fmu_attribute(out, "name", m->enums.at[e].literals[k]);
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
    case TYPE_STRING: return "String";
    case TYPE_CLOCK: return "Clock";
    default: return fmi == 3 ? "Float64" : "Real";
    }
}

/* Of an array: those of all elements. */
static void write_start(text *out, const fmu_variable *q)
{
    if (!fmu_has_start(q) || q->type == TYPE_STRING) return;
    text_add(out, " start=\"");
    for (int k = 0; k < q->n_elements; k++) {
        if (k) text_char(out, ' ');
        if (q->type == TYPE_BOOLEAN) text_add(out, q[k].start != 0 ? "true" : "false");
        else if (q->type == TYPE_REAL) text_real(out, q[k].start);
        else text_printf(out, "%lld", (long long)q[k].start);
    }
    text_char(out, '"');
}

/* min, max, nominal where they are numbers, and fit the start value. */
static void write_range(const fmu_listing *l, const fmu_variable *q)
{
    const flat_attributes *a = q->flat ? q->flat->attr : NULL;
    double low, high, nominal;
    if (!a || q->type == TYPE_BOOLEAN || q->type == TYPE_STRING) return;
    bool real = q->type == TYPE_REAL;
    bool has_low = a->min && expr_number(l->flat->pool, a->min, &low) && isfinite(low);
    bool has_high = a->max && expr_number(l->flat->pool, a->max, &high) && isfinite(high);
    for (int k = 0; k < q->n_elements && fmu_has_start(q); k++)
        if ((has_low && q[k].start < low) || (has_high && q[k].start > high)) return;
    if (has_low && real) fmu_attribute_real(l->out, "min", low);
    if (has_high && real) fmu_attribute_real(l->out, "max", high);
    if (has_low && !real) text_printf(l->out, " min=\"%lld\"", (long long)low);
    if (has_high && !real) text_printf(l->out, " max=\"%lld\"", (long long)high);
    if (real && a->nominal && expr_number(l->flat->pool, a->nominal, &nominal) && nominal > 0 &&
        isfinite(nominal))
        fmu_attribute_real(l->out, "nominal", nominal);
}

static void write_typed(const fmu_listing *l, int i)
{
    const fmu_variable *q = &l->at[i];
    if (q->type == TYPE_ENUM && q->flat)
        fmu_attribute(l->out, "declaredType", l->flat->enums.at[q->flat->decl->enum_id].name);
    if (q->type == TYPE_REAL) fmu_attribute(l->out, "unit", fmu_unit_of(l, i));
    if (q->flat && q->flat->attr && q->type == TYPE_REAL)
        fmu_attribute(l->out, "quantity", q->flat->attr->quantity);
    write_range(l, q);
    write_start(l->out, q);
}

/* What it ticks for it decides itself; other Clocks of the model that are the same one are its aliases. */
static void write_clock(const fmu_listing *l, int i)
{
    const structure *s = run_model(l->x->sim->state)->s;
    text *out = l->out;
    bool any = false;
    text_add(out, " intervalVariability=\"triggered\"");
    for (int v = 0; v < s->n_flat; v++) {
        const flat_var *f = flat_at(s->flat, v);
        if (f->type != TYPE_CLOCK || s->vars[v].clock != i - l->first_clock + 1 ||
            f->flags & FLAT_HIDDEN || v == l->at[i].var)
            continue;
        if (!any) text_char(out, '>');
        any = true;
        text_add(out, "<Alias");
        fmu_attribute(out, "name", FLAT_NAME(s->flat, v));
        fmu_attribute(out, "description", f->decl->comment);
        text_add(out, "/>");
    }
    text_add(out, any ? "</Clock>\n" : "/>\n");
}

static void write_variable(const fmu_listing *l, int i)
{
    const fmu_variable *q = &l->at[i];
    text *out = l->out;
    bool three = l->x->fmi == 3;
    text_printf(out, "    <%s", three ? type_name(3, q->type) : "ScalarVariable");
    fmu_attribute(out, "name", q->name);
    text_printf(out, " valueReference=\"%d\"", i);
    if (q->flat) fmu_attribute(out, "description", q->flat->decl->comment);
    fmu_attribute(out, "causality", causalities[q->causality]);
    fmu_attribute(out, "variability", variabilities[q->variability]);
    if (q->clock) text_printf(out, " clocks=\"%d\"", l->first_clock + q->clock - 1);
    if (q->type == TYPE_CLOCK) {
        write_clock(l, i);
        return;
    }
    if (q->causality != IS_INPUT && q->causality != IS_INDEPENDENT)
        fmu_attribute(out, "initial", q->exact ? "exact" : "calculated");
    if (!three) text_printf(out, "><%s", type_name(2, q->type));
    write_typed(l, i);
    bool told = q->type == TYPE_STRING && fmu_has_start(q);
    if (told && three) {
        text_add(out, "><Start value=\"");
        fmu_escaped(out, q->text);
        text_add(out, "\"/></String>\n");
        return;
    }
    if (told) {
        text_add(out, " start=\"");
        fmu_escaped(out, q->text);
        text_char(out, '"');
    }
    if (q->derivative_of >= 0)
        text_printf(out, " derivative=\"%d\"",
                    three ? q->derivative_of : l->place[q->derivative_of]);
    if (q->n_elements > 1) {
        text_char(out, '>');
        for (int d = 0; d < q->n_dims; d++)
            text_printf(out, "<Dimension start=\"%d\"/>", q->dims[d]);
        text_printf(out, "</%s>\n", type_name(3, q->type));
    } else {
        text_add(out, three ? "/>\n" : "/></ScalarVariable>\n");
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

static bool is_initial_unknown(const fmu_listing *l, const bool *of_state, int i)
{
    const fmu_variable *q = &l->at[i];
    if (!fmu_is_written(l, i) || q->exact || q->clock || q->type == TYPE_CLOCK) return false;
    return q->causality == IS_OUTPUT || q->causality == IS_CALCULATED || of_state[i];
}

/* Do states with values that are given determine the start, as they do later? */
static bool starts_plainly(const fmu_listing *l)
{
    int given = 0, states = 0;
    for (int i = 0; i < l->n; i++) given += l->at[i].exact && l->at[i].variability == IS_CONTINUOUS;
    for (int i = 0; i < l->n_states; i++) states += l->at[l->state[i]].exact;
    return given == states && states == l->n_states &&
           states == run_model(l->x->sim->state)->s->n_free;
}

/* On what unknown i depends; NULL: nobody knows, which stands for everything. */
static const uint64_t *element_dependencies(const fmu_listing *l, int i, bool initial)
{
    const fmu_depends *d = l->depends;
    const fmu_variable *q = &l->at[i];
    if (!d || (initial && q->causality != IS_CALCULATED && !starts_plainly(l))) return NULL;
    if (q->variability != IS_CONTINUOUS && q->variability != IS_FIXED) return NULL;
    const uint64_t *set = i < FMU_FIRST_VARIABLE + l->n_columns
                              ? d->columns + (size_t)(i - FMU_FIRST_VARIABLE) * (size_t)d->words
                              : NULL;
    for (int k = 0; k < l->n_states && !set; k++)
        if (l->rate[k] == i) set = d->rates + (size_t)k * (size_t)d->words;
    return set && !fmu_has(set, fmu_known_all(d)) ? set : NULL;
}

/* Of an array: on what any element does. */
static const uint64_t *dependencies_of(const fmu_listing *l, int i, bool initial)
{
    int n = l->at[i].n_elements;
    if (n == 1) return element_dependencies(l, i, initial);
    uint64_t *all = l->depends ? arena_array(l->a, uint64_t, l->depends->words) : NULL;
    for (int k = 0; k < n && all; k++) {
        const uint64_t *set = element_dependencies(l, i + k, initial);
        for (int w = 0; set && w < l->depends->words; w++) all[w] |= set[w];
        if (!set) all = NULL;
    }
    return all;
}

static void write_unknown(const fmu_listing *l, const char *element, int i, bool initial)
{
    text *out = l->out;
    bool three = l->x->fmi == 3;
    const uint64_t *set = dependencies_of(l, i, initial);
    if (three) text_printf(out, "    <%s valueReference=\"%d\"", element, i);
    else text_printf(out, "      <Unknown index=\"%d\"", l->place[i]);
    if (set) text_add(out, " dependencies=\"");
    int n = 0, last = 0;
    if (set) last = initial ? fmu_known_all(l->depends) : fmu_known_parameter(l->depends, 0);
    memset(l->seen, 0, (size_t)l->n * sizeof *l->seen);
    for (int k = 0; set && k < last; k++) {
        int known = fmu_has(set, k) && l->known[k] >= 0 ? l->at[l->known[k]].of : -1;
        if (known < 0 || l->seen[known]) continue;
        l->seen[known] = true;
        text_printf(out, "%s%d", n++ ? " " : "", three ? known : l->place[known]);
    }
    text_add(out, set ? "\"/>\n" : "/>\n");
}

/* Unknowns of one kind; FMI 2 has an element around them. */
static void write_unknowns(const fmu_listing *l, const char *element, const char *around,
                           const bool *these, const int *order, int n)
{
    bool any = false, two = l->x->fmi == 2, initial = !strcmp(element, "InitialUnknown");
    for (int i = 0; i < n; i++) {
        int v = order ? order[i] : i;
        if ((these && !these[v]) || l->at[v].of != v) continue;
        if (two && !any) text_printf(l->out, "    <%s>\n", around);
        any = true;
        write_unknown(l, element, v, initial);
    }
    if (two && any) text_printf(l->out, "    </%s>\n", around);
}

static void write_structure(const fmu_listing *l)
{
    bool *of_state = arena_array(l->a, bool, l->n), *initial = arena_array(l->a, bool, l->n);
    bool *output = arena_array(l->a, bool, l->n);
    for (int i = 0; i < l->n_states; i++) of_state[l->state[i]] = of_state[l->rate[i]] = true;
    for (int i = 0; i < l->n; i++) {
        initial[i] = is_initial_unknown(l, of_state, i);
        output[i] = fmu_is_written(l, i) && l->at[i].causality == IS_OUTPUT;
    }
    text_add(l->out, "  <ModelStructure>\n");
    write_unknowns(l, "Output", "Outputs", output, NULL, l->n);
    write_unknowns(l, "ContinuousStateDerivative", "Derivatives", NULL, l->rate, l->n_states);
    write_unknowns(l, "InitialUnknown", "InitialUnknowns", initial, NULL, l->n);
    for (int i = 0; l->x->fmi == 3 && i < l->n_indicators; i++)
        text_printf(l->out, "    <EventIndicator valueReference=\"%d\"/>\n",
                    l->first_indicator + i);
    text_add(l->out, "  </ModelStructure>\n");
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The end of the element of a kind: FMI 2 lists the sources there. */
static void end_kind(const fmu_listing *l, const char *element)
{
    if (!l->x->source || l->x->fmi == 3) {
        text_add(l->out, "/>\n");
        return;
    }
    text_add(l->out, ">\n    <SourceFiles>\n      <File name=\"model.c\"/>\n");
    for (const fmu_source_file *f = fmu_source_files; f->name; f++)
        if (f->fmi != 3 && f->name[strlen(f->name) - 1] == 'c')
            text_printf(l->out, "      <File name=\"%s\"/>\n", f->name);
    text_printf(l->out, "    </SourceFiles>\n  </%s>\n", element);
}

static void write_kinds(const fmu_listing *l)
{
    const fmu_subject *x = l->x;
    text *out = l->out;
    bool three = x->fmi == 3;
    const char *state = three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate";
    const char *serial = three ? "canSerializeFMUState" : "canSerializeFMUstate";
    const char *slopes =
        three ? "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""
              : "providesDirectionalDerivative=\"true\"";
    if (x->exchange) {
        text_printf(out, "  <ModelExchange modelIdentifier=\"%s\" %s=\"true\" %s=\"true\" %s%s",
                    x->identifier, state, serial, slopes,
                    three ? " needsCompletedIntegratorStep=\"true\"" : "");
        end_kind(l, "ModelExchange");
    }
    if (x->steps) {
        text_printf(out,
                    "  <CoSimulation modelIdentifier=\"%s\" %s=\"true\" %s=\"true\" %s "
                    "canHandleVariableCommunicationStepSize=\"true\"%s",
                    x->identifier, state, serial, slopes,
                    three ? " hasEventMode=\"true\" providesIntermediateUpdate=\"true\" "
                            "canReturnEarlyAfterIntermediateUpdate=\"true\""
                          : "");
        end_kind(l, "CoSimulation");
    }
}

static void write_experiment(const fmu_listing *l)
{
    const sim_options *o = &l->x->sim->options;
    double interval = l->flat->experiment.interval;
    text_add(l->out, "  <DefaultExperiment");
    fmu_attribute_real(l->out, "startTime", o->t_start);
    fmu_attribute_real(l->out, "stopTime", o->t_stop);
    fmu_attribute_real(l->out, "tolerance", o->rel_tol);
    if (interval > 0) fmu_attribute_real(l->out, "stepSize", interval);
    text_add(l->out, "/>\n");
}

void fmu_describe(const fmu_subject *x, arena *scratch, fmu_papers *to)
{
    text *out = &to->description;
    const flat_model *flat = x->sim->model->flat;
    fmu_listing l = {.x = x, .a = scratch, .out = out, .flat = flat};
    fmu_list_variables(&l);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    fmu_attribute(out, "fmiVersion", x->fmi == 3 ? "3.0" : "2.0");
    fmu_attribute(out, "modelName", flat->name);
    fmu_attribute(out, x->fmi == 3 ? "instantiationToken" : "guid", x->token);
    fmu_attribute(out, "description", flat->comment);
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
        if (fmu_is_written(&l, i)) write_variable(&l, i);
    text_add(out, "  </ModelVariables>\n");
    for (int i = 0; i < l.n; i += l.at[i].n_elements)
        if (l.at[i].n_elements > 1) text_printf(&to->arrays, "%d %d\n", i, l.at[i].n_elements);
    write_structure(&l);
    text_add(out, "</fmiModelDescription>\n");
    fmu_page(&l, &to->page);
    fmu_terminals(&l, &to->terminals);
    fmu_icon_svg(&l, &to->svg);
    fmu_icon_png(&l, &to->png);
}
