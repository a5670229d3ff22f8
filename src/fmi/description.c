/* From the tree of modelDescription.xml to a description.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/description.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fmi_type_names[] = {
    "Float32", "Float64", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
    "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock", NULL};
const char *const fmi_causality_names[] = {
    "parameter",   "calculatedParameter", "input", "output", "local",
    "independent", "structuralParameter", NULL};
const char *const fmi_variability_names[] = {"constant", "fixed",      "tunable",
                                             "discrete", "continuous", NULL};
const char *const fmi_initial_names[] = {"exact", "approx", "calculated", NULL};

typedef struct reader {
    fmi_file *f;
    const fmi_xml *x;
    fmi_description *d;
    arena *a;
} reader;

/* ---- attributes ------------------------------------------------------------------------------ */

static const char *word_of(const reader *r, int node, const char *name)
{
    return node < 0 ? NULL : fmi_attribute(r->x, node, name);
}

static const char *kept(const reader *r, int node, const char *name)
{
    const char *words = word_of(r, node, name);
    return words ? arena_strndup(r->a, words, strlen(words)) : NULL;
}

static bool truth(const reader *r, int node, const char *name)
{
    const char *words = word_of(r, node, name);
    return words && (!strcmp(words, "true") || !strcmp(words, "1"));
}

/* A text without the blanks around it. */
static const char *trimmed(const char *words, size_t *n)
{
    static const char blanks[] = " \t\r\n";
    words += strspn(words, blanks);
    *n = strlen(words);
    while (*n && strchr(blanks, words[*n - 1])) --*n;
    return words;
}

static double real_of(const reader *r, int node, const char *name)
{
    const char *words = word_of(r, node, name);
    size_t n;
    double x;
    if (!words) return NAN;
    words = trimmed(words, &n);
    return fmi_real(words, n, &x) ? x : NAN;
}

static bool count_of(const reader *r, int node, const char *name, uint64_t *out)
{
    const char *words = word_of(r, node, name);
    if (!words || !fmi_is_value(words, "u64", 3)) return false;
    *out = strtoull(words, NULL, 10);
    return true;
}

static bool number_of(const reader *r, int node, const char *name, uint32_t *out)
{
    uint64_t x;
    if (!count_of(r, node, name, &x) || x > UINT32_MAX) return false;
    *out = (uint32_t)x;
    return true;
}

static int choice_of(const reader *r, int node, const char *name, const char *const *names,
                     int otherwise)
{
    const char *words = word_of(r, node, name);
    for (int i = 0; words && names[i]; i++)
        if (!strcmp(words, names[i])) return i;
    return otherwise;
}

/* How many words are in a text, and each of them. */
static int split(const reader *r, const char *words, const char *const **out)
{
    static const char blanks[] = " \t\r\n";
    int n = 0;
    for (const char *p = words + strspn(words, blanks); *p; n++) {
        p += strcspn(p, blanks);
        p += strspn(p, blanks);
    }
    const char **list = arena_array(r->a, const char *, n + 1);
    const char *p = words + strspn(words, blanks);
    for (int i = 0; i < n; i++) {
        size_t k = strcspn(p, blanks);
        list[i] = arena_strndup(r->a, p, k);
        p += k;
        p += strspn(p, blanks);
    }
    *out = list;
    return n;
}

static fmi_list list_of(const reader *r, int node, const char *name)
{
    const char *words = word_of(r, node, name);
    const char *const *parts;
    fmi_list l = {.given = words != NULL};
    int n = words && fmi_is_value(words, "*u32", 4) ? split(r, words, &parts) : 0;
    l.at = arena_array(r->a, uint32_t, n + 1);
    for (; l.n < n; l.n++) l.at[l.n] = (uint32_t)strtoul(parts[l.n], NULL, 10);
    return l;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static fmi_interface interface_of(const reader *r, const char *name)
{
    int node = fmi_child(r->x, 0, name);
    bool three = r->d->fmi == 3;
    fmi_interface i = {.node = node, .fixed_step = NAN};
    if (node < 0) return i;
    i.identifier = kept(r, node, "modelIdentifier");
    i.needs_tool = truth(r, node, "needsExecutionTool");
    i.once = truth(r, node, "canBeInstantiatedOnlyOncePerProcess");
    i.keeps_state = truth(r, node, three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate");
    i.serializes_state = truth(r, node, three ? "canSerializeFMUState" : "canSerializeFMUstate");
    i.directional =
        truth(r, node, three ? "providesDirectionalDerivatives" : "providesDirectionalDerivative");
    i.adjoint = truth(r, node, "providesAdjointDerivatives");
    i.wants_accepted = three ? truth(r, node, "needsCompletedIntegratorStep")
                             : !truth(r, node, "completedIntegratorStepNotNeeded");
    i.variable_step = truth(r, node, "canHandleVariableCommunicationStepSize");
    i.event_mode = truth(r, node, "hasEventMode");
    i.early_return = truth(r, node, "mightReturnEarlyFromDoStep");
    i.intermediate = truth(r, node, "providesIntermediateUpdate");
    i.fixed_step = real_of(r, node, "fixedInternalStepSize");
    return i;
}

/* The first of a name counts. */
static void name_in(const reader *r, map *names, const char *name, int number)
{
    uint64_t *at = map_put(names, map_key(sym_of(&r->d->names, name ? name : "")));
    if (!*at) *at = (uint64_t)number + 1;
}

int fmi_named_in(const fmi_description *d, const map *names, const char *name)
{
    sym known = sym_find_n(&d->names, name, strlen(name));
    const uint64_t *at = known ? map_find(names, map_key(known)) : NULL;
    return at ? (int)*at - 1 : -1;
}

static void read_units(const reader *r)
{
    int all = fmi_child(r->x, 0, "UnitDefinitions");
    for (int u = fmi_child(r->x, all, "Unit"); u >= 0; u = fmi_next(r->x, u, "Unit")) {
        fmi_named unit = {.node = u, .name = kept(r, u, "name")};
        name_in(r, &r->d->by_unit, unit.name, r->d->units.n);
        array_push(r->a, &r->d->units, unit);
    }
}

/* FMI 2: Real is Float64, Integer is Int32. FMI 3 types of types end in "Type". */
static fmi_type type_named(const char *tag, size_t n)
{
    if (n == 4 && !strncmp(tag, "Real", n)) return FMI_FLOAT64;
    if (n == 7 && !strncmp(tag, "Integer", n)) return FMI_INT32;
    for (int i = 0; i < FMI_TYPES; i++)
        if (strlen(fmi_type_names[i]) == n && !strncmp(fmi_type_names[i], tag, n))
            return (fmi_type)i;
    return FMI_TYPES;
}

static void read_types(const reader *r)
{
    int all = fmi_child(r->x, 0, "TypeDefinitions");
    for (int t = fmi_child(r->x, all, NULL); t >= 0; t = fmi_next(r->x, t, NULL)) {
        int inner = r->d->fmi == 2 ? fmi_child(r->x, t, NULL) : t;
        if (inner < 0) continue;
        const char *tag = fmi_words(r->x, r->x->nodes[inner].name);
        size_t n = strlen(tag), tail = r->d->fmi == 3 && n > 4 ? 4 : 0;
        fmi_named type = {.node = t,
                          .name = kept(r, t, "name"),
                          .type = type_named(tag, n - tail),
                          .unit = kept(r, inner, "unit"),
                          .min = real_of(r, inner, "min"),
                          .max = real_of(r, inner, "max"),
                          .nominal = real_of(r, inner, "nominal")};
        name_in(r, &r->d->by_type, type.name, r->d->types.n);
        array_push(r->a, &r->d->types, type);
    }
}

/* ---- variables ------------------------------------------------------------------------------- */

/* For each causality, by variability: which values of `initial` are possible, and which is the default.
 *     A exact   B calculated, or approx   C calculated, or any   D exact, not written   E none   - illegal
 * FMI 2.0.5, section 2.2.7; FMI 3.0.2, section 2.4.7.5. */
static const char *const initial_kinds[FMI_CAUSALITIES] = {
    [FMI_PARAMETER] = "-AA--", [FMI_CALCULATED_PARAMETER] = "-BB--",
    [FMI_INPUT] = "---DD",     [FMI_OUTPUT] = "A--CC",
    [FMI_LOCAL] = "ABBCC",     [FMI_INDEPENDENT] = "----E",
    [FMI_STRUCTURAL] = "-AA--"};

static void settle_initial(const reader *r, fmi_variable *v)
{
    char kind = initial_kinds[v->causality][v->variability];
    bool given = v->initial != FMI_NO_INITIAL;
    v->pair_fits = kind != '-';
    v->initial_fits = !given || (kind == 'A' && v->initial == FMI_EXACT) ||
                      (kind == 'B' && v->initial != FMI_EXACT) || kind == 'C' ||
                      (kind == 'D' && r->d->fmi == 3 && v->initial == FMI_EXACT);
    if (given) return;
    if (kind == 'A' || kind == 'D') v->initial = FMI_EXACT;
    if (kind == 'B' || kind == 'C') v->initial = FMI_CALCULATED;
}

static fmi_variability default_variability(const reader *r, const fmi_variable *v)
{
    bool number = v->type == FMI_FLOAT64 || v->type == FMI_FLOAT32;
    bool parameter = v->causality == FMI_PARAMETER || v->causality == FMI_STRUCTURAL ||
                     v->causality == FMI_CALCULATED_PARAMETER;
    if (r->d->fmi == 3 && parameter) return FMI_FIXED;
    return number ? FMI_CONTINUOUS : FMI_DISCRETE;
}

static void read_starts(const reader *r, int node, fmi_variable *v)
{
    const char *words = word_of(r, node, "start");
    bool is_text = v->type == FMI_STRING || v->type == FMI_BINARY;
    if (words && !is_text) {
        v->n_starts = split(r, words, &v->starts);
        return;
    }
    int n = words != NULL;
    for (int s = fmi_child(r->x, node, "Start"); s >= 0; s = fmi_next(r->x, s, "Start")) n++;
    const char **list = arena_array(r->a, const char *, n + 1);
    if (words) list[v->n_starts++] = arena_strndup(r->a, words, strlen(words));
    for (int s = fmi_child(r->x, node, "Start"); s >= 0; s = fmi_next(r->x, s, "Start")) {
        const char *value = kept(r, s, "value");
        list[v->n_starts++] = value ? value : "";
    }
    v->starts = list;
}

static void read_dimensions(const reader *r, int node, fmi_variable *v)
{
    static const char name[] = "Dimension";
    int n = 0;
    for (int k = fmi_child(r->x, node, name); k >= 0; k = fmi_next(r->x, k, name)) n++;
    v->dimensions = arena_array(r->a, fmi_dimension, n + 1);
    for (int k = fmi_child(r->x, node, name); k >= 0; k = fmi_next(r->x, k, name)) {
        fmi_dimension *to = &v->dimensions[v->n_dimensions++];
        uint64_t start;
        to->start = count_of(r, k, "start", &start) && start <= INT32_MAX ? (int64_t)start : -1;
        to->has_reference = number_of(r, k, "valueReference", &to->reference);
    }
}

/* node: the element of the variable; inner: that with its type, the same of FMI 3. */
static fmi_variable variable_at(const reader *r, int node, int inner)
{
    const char *tag = fmi_words(r->x, r->x->nodes[inner].name);
    fmi_variable v = {.node = node,
                      .name = kept(r, node, "name"),
                      .description = kept(r, node, "description"),
                      .unit = kept(r, inner, "unit"),
                      .display_unit = kept(r, inner, "displayUnit"),
                      .declared = kept(r, inner, "declaredType"),
                      .type = type_named(tag, strlen(tag)),
                      .reinit = truth(r, inner, "reinit"),
                      .multiple_sets = truth(r, node, "canHandleMultipleSetPerTimeInstant"),
                      .min = real_of(r, inner, "min"),
                      .max = real_of(r, inner, "max"),
                      .nominal = real_of(r, inner, "nominal"),
                      .integral = -1,
                      .size = 1};
    if (!v.name) v.name = "";
    if (v.type == FMI_TYPES) v.type = FMI_FLOAT64; // said by the schema
    v.causality = (fmi_causality)choice_of(r, node, "causality", fmi_causality_names, FMI_LOCAL);
    v.variability = (fmi_variability)choice_of(r, node, "variability", fmi_variability_names,
                                               default_variability(r, &v));
    v.initial = (fmi_initial)choice_of(r, node, "initial", fmi_initial_names, FMI_NO_INITIAL);
    settle_initial(r, &v);
    number_of(r, node, "valueReference", &v.reference);
    v.has_derivative = number_of(r, inner, "derivative", &v.derivative);
    v.clocks = list_of(r, node, "clocks");
    read_starts(r, inner, &v);
    if (r->d->fmi == 3) read_dimensions(r, node, &v);
    return v;
}

static void add_variable(const reader *r, fmi_variable v)
{
    fmi_description *d = r->d;
    int me = d->variables.n;
    name_in(r, &d->by_name, v.name, me);
    uint64_t *numbered = map_put(&d->by_reference, v.reference);
    if (!*numbered) *numbered = (uint64_t)me + 1;
    array_push(r->a, &d->variables, v);
}

static void read_variables(const reader *r)
{
    int all = fmi_child(r->x, 0, "ModelVariables");
    for (int k = fmi_child(r->x, all, NULL); k >= 0; k = fmi_next(r->x, k, NULL)) {
        int inner = r->d->fmi == 2 ? fmi_child(r->x, k, NULL) : k;
        fmi_variable v = variable_at(r, k, inner < 0 ? k : inner); // said by the schema
        add_variable(r, v);
        for (int s = fmi_child(r->x, k, "Alias"); s >= 0; s = fmi_next(r->x, s, "Alias")) {
            fmi_variable other = v;
            const char *name = kept(r, s, "name"), *unit = kept(r, s, "displayUnit");
            other.node = s;
            other.is_alias = true;
            other.name = name ? name : "";
            other.description = kept(r, s, "description");
            other.display_unit = unit ? unit : v.display_unit;
            add_variable(r, other);
        }
    }
}

int fmi_variable_of(const fmi_description *d, uint32_t reference)
{
    const uint64_t *found = map_find(&d->by_reference, reference);
    return found ? (int)*found - 1 : -1;
}

int fmi_variable_numbered(const fmi_description *d, uint32_t number)
{
    if (d->fmi == 3) return fmi_variable_of(d, number);
    return number >= 1 && number <= (uint32_t)d->variables.n ? (int)number - 1 : -1;
}

const fmi_named *fmi_type_of(const fmi_description *d, const fmi_variable *v)
{
    int i = v->declared ? fmi_named_in(d, &d->by_type, v->declared) : -1;
    return i < 0 ? NULL : &d->types.at[i];
}

/* The size of an array, by the start values of the parameters that its dimensions are; at most 2^31. */
static int64_t size_of(const fmi_description *d, const fmi_variable *v)
{
    int64_t size = 1;
    for (int i = 0; i < v->n_dimensions; i++) {
        int64_t n = v->dimensions[i].start;
        int by =
            v->dimensions[i].has_reference ? fmi_variable_of(d, v->dimensions[i].reference) : -1;
        if (by >= 0 && d->variables.at[by].n_starts)
            n = strtoll(d->variables.at[by].starts[0], NULL, 10);
        if (n < 0 || n > INT32_MAX || (n && size > INT32_MAX / n)) return -1;
        size *= n;
    }
    return size;
}

void fmi_description_resize(fmi_description *d)
{
    for (int i = 0; i < d->variables.n; i++)
        d->variables.at[i].size = size_of(d, &d->variables.at[i]);
    if (d->fmi == 2) return;
    d->n_indicators = 0;
    for (int i = 0; i < d->indicators.n; i++) {
        int v = d->indicators.at[i].variable;
        if (v >= 0 && d->variables.at[v].size > 0) d->n_indicators += (int)d->variables.at[v].size;
    }
}

/* What follows from others: integrals, and what declared types say. */
static void complete_variables(const reader *r)
{
    fmi_description *d = r->d;
    for (int i = 0; i < d->variables.n; i++) {
        fmi_variable *v = &d->variables.at[i];
        const fmi_named *type = fmi_type_of(d, v);
        if (v->has_derivative) v->integral = fmi_variable_numbered(d, v->derivative);
        if (!type) continue;
        if (!v->unit) v->unit = type->unit;
        if (isnan(v->min)) v->min = type->min;
        if (isnan(v->max)) v->max = type->max;
        if (isnan(v->nominal)) v->nominal = type->nominal;
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

static fmi_unknowns unknowns_in(const reader *r, int parent, const char *name, const char *number)
{
    fmi_unknowns all = {0};
    int n = 0;
    for (int k = fmi_child(r->x, parent, name); k >= 0; k = fmi_next(r->x, k, name)) n++;
    all.at = arena_array(r->a, fmi_unknown, n + 1);
    for (int k = fmi_child(r->x, parent, name); k >= 0; k = fmi_next(r->x, k, name)) {
        fmi_unknown *u = &all.at[all.n++];
        const char *kinds = word_of(r, k, "dependenciesKind");
        const char *const *parts;
        *u = (fmi_unknown){.node = k, .variable = -1, .kinds_given = kinds != NULL};
        if (number_of(r, k, number, &u->number))
            u->variable = fmi_variable_numbered(r->d, u->number);
        u->dependencies = list_of(r, k, "dependencies");
        u->n_kinds = kinds ? split(r, kinds, &parts) : 0;
    }
    return all;
}

static void read_structure(const reader *r)
{
    fmi_description *d = r->d;
    int all = fmi_child(r->x, 0, "ModelStructure");
    if (d->fmi == 2) {
        d->outputs = unknowns_in(r, fmi_child(r->x, all, "Outputs"), "Unknown", "index");
        d->derivatives = unknowns_in(r, fmi_child(r->x, all, "Derivatives"), "Unknown", "index");
        d->initial = unknowns_in(r, fmi_child(r->x, all, "InitialUnknowns"), "Unknown", "index");
        uint32_t n = 0;
        number_of(r, 0, "numberOfEventIndicators", &n);
        d->n_indicators = n < INT32_MAX ? (int)n : INT32_MAX;
        return;
    }
    d->outputs = unknowns_in(r, all, "Output", "valueReference");
    d->derivatives = unknowns_in(r, all, "ContinuousStateDerivative", "valueReference");
    d->clocked = unknowns_in(r, all, "ClockedState", "valueReference");
    d->initial = unknowns_in(r, all, "InitialUnknown", "valueReference");
    d->indicators = unknowns_in(r, all, "EventIndicator", "valueReference");
}

static void read_description(const reader *r)
{
    fmi_description *d = r->d;
    int experiment = fmi_child(r->x, 0, "DefaultExperiment");
    d->name = kept(r, 0, "modelName");
    d->token = kept(r, 0, d->fmi == 3 ? "instantiationToken" : "guid");
    d->summary = kept(r, 0, "description");
    d->tool = kept(r, 0, "generationTool");
    d->author = kept(r, 0, "author");
    d->model_version = kept(r, 0, "version");
    d->made = kept(r, 0, "generationDateAndTime");
    const char *names = word_of(r, 0, "variableNamingConvention");
    d->structured = names && !strcmp(names, "structured");
    d->exchange = interface_of(r, "ModelExchange");
    d->steps = interface_of(r, "CoSimulation");
    d->scheduled = interface_of(r, "ScheduledExecution");
    d->start = real_of(r, experiment, "startTime");
    d->stop = real_of(r, experiment, "stopTime");
    d->tolerance = real_of(r, experiment, "tolerance");
    d->step = real_of(r, experiment, "stepSize");
    read_units(r);
    read_types(r);
    read_variables(r);
    complete_variables(r);
    read_structure(r);
    fmi_description_resize(d);
}

/* ---- the file -------------------------------------------------------------------------------- */

enum { DESCRIPTION_MOST = 1 << 30 };

static int parse_words(fmi_file *f, mem *m, const fmi_unpacker *u, result_fault *fault,
                       size_t *fault_at)
{
    fmi_xml_fault said = {0};
    fmi_unpacked rc = u->parse(m, f->words, f->n_words, &f->xml, &said);
    *fault_at = said.at;
    switch (rc) {
    case FMI_UNPACKED: return RESULT_OK;
    case FMI_NO_MEMORY: return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    case FMI_DOCTYPE:
        return result_fail(fault, RESULT_E_FORMAT, "F112",
                           "the description has a document type: FMUs have none, and entities that "
                           "it may define are not expanded");
    case FMI_DEEP:
        return result_fail(fault, RESULT_E_FORMAT, "F111",
                           "more than %d elements lie inside of each other", FMI_XML_DEPTH);
    default:
        return result_fail(fault, RESULT_E_FORMAT, "F111",
                           "the description is not well-formed XML: %s", said.why);
    }
}

int fmi_file_open(fmi_file *f, arena *a, const void *bytes, size_t n, const fmi_unpacker *u,
                  result_fault *fault, size_t *fault_at)
{
    *f = (fmi_file){0};
    *fault_at = 0;
    if (!fmi_archive_open(&f->archive, a, bytes, n, fault)) return RESULT_E_FORMAT;
    const fmi_entry *e = fmi_archive_find(&f->archive, "modelDescription.xml");
    if (!e)
        return result_fail(fault, RESULT_E_FORMAT, "F110",
                           "the archive is no FMU: it has no modelDescription.xml");
    if (e->size > DESCRIPTION_MOST)
        return result_fail(fault, RESULT_E_FORMAT, "F106", "modelDescription.xml has %zu bytes",
                           e->size);
    int rc = fmi_archive_read(&f->archive, e, u, a->m, &f->words, fault);
    f->n_words = e->size;
    if (!rc) rc = parse_words(f, a->m, u, fault, fault_at);
    if (rc) return rc;
    const char *version = fmi_attribute(&f->xml, 0, "fmiVersion");
    bool two = version && !strcmp(version, "2.0"), three = version && !strncmp(version, "3.", 2);
    if (!two && !three)
        return result_fail(fault, RESULT_E_FORMAT, "F113",
                           "this is FMI %.40s: versions 2.0 and 3 can be read",
                           version ? version : "of no version");
    f->d.fmi = two ? 2 : 3;
    f->d.version = arena_strndup(a, version, strlen(version));
    sym_init(&f->d.names, a);
    map_init(&f->d.by_name, a);
    map_init(&f->d.by_type, a);
    map_init(&f->d.by_unit, a);
    map_init(&f->d.by_reference, a);
    read_description(&(reader){f, &f->xml, &f->d, a});
    return RESULT_OK;
}

void fmi_file_done(fmi_file *f, mem *m)
{
    if (f->words) mem_free(m, f->words, f->n_words + 1);
    f->words = NULL;
    fmi_xml_done(&f->xml, m);
}
