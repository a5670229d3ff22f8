/* What the standard asks of a description beyond its schema: FMI 2.0.5, sections 2.2 and 3.3; FMI 3.0.2,
 * sections 2.4, 3.4 and 4.4. Each rule is a line of the list at the end.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/description.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rule_check {
    const fmi_file *f;
    const fmi_description *d;
    uint32_t base;
    diag_sink *sink;
    const char *code; // of the rule that speaks
    arena *a;
} rule_check;

static span node_span(const rule_check *c, int node)
{
    const fmi_node *n = &c->f->xml.nodes[node < 0 ? 0 : node];
    return (span){c->base + n->at,
                  c->base + n->at + 1 + (uint32_t)strlen(fmi_words(&c->f->xml, n->name))};
}

#define WRONG(node, ...)    diag_error(c->sink, c->code, node_span(c, node), __VA_ARGS__)
#define DOUBTFUL(node, ...) diag_warning(c->sink, c->code, node_span(c, node), __VA_ARGS__)

static bool is_number(const fmi_variable *v)
{
    return v->type == FMI_FLOAT64 || v->type == FMI_FLOAT32;
}

/* ---- rules of one variable ------------------------------------------------------------------- */

static void rule_name(const rule_check *c, const fmi_variable *v)
{
    int first = fmi_named_in(c->d, &c->d->by_name, v->name);
    if (first >= 0 && &c->d->variables.at[first] != v)
        WRONG(v->node, "the name '%.200s' is that of another variable, too", v->name);
}

static void rule_reference(const rule_check *c, const fmi_variable *v)
{
    int first = fmi_variable_of(c->d, v->reference);
    if (v->is_alias || first < 0 || &c->d->variables.at[first] == v) return;
    WRONG(v->node, "'%.200s' has the value reference %u, which is that of '%.200s'", v->name,
          v->reference, c->d->variables.at[first].name);
}

static void rule_pair(const rule_check *c, const fmi_variable *v)
{
    if (!v->pair_fits)
        WRONG(v->node, "'%.200s': causality %s and variability %s exclude each other", v->name,
              fmi_causality_names[v->causality], fmi_variability_names[v->variability]);
}

static void rule_initial(const rule_check *c, const fmi_variable *v)
{
    if (v->pair_fits && !v->initial_fits)
        WRONG(v->node,
              "'%.200s': a variable of causality %s and variability %s cannot be initial=\"%s\"",
              v->name, fmi_causality_names[v->causality], fmi_variability_names[v->variability],
              fmi_initial_names[v->initial]);
}

static void rule_start_needed(const rule_check *c, const fmi_variable *v)
{
    bool needed = v->causality == FMI_INPUT || v->initial == FMI_EXACT || v->initial == FMI_APPROX;
    if (needed && !v->n_starts && v->type != FMI_CLOCK)
        WRONG(v->node, "'%.200s' needs a start value: %s", v->name,
              v->causality == FMI_INPUT ? "it is an input" : "its initial is exact or approx");
}

static void rule_start_refused(const rule_check *c, const fmi_variable *v)
{
    if (!v->n_starts || !v->pair_fits) return;
    if (v->causality == FMI_INDEPENDENT)
        WRONG(v->node, "'%.200s' is the independent variable and has no start value", v->name);
    else if (v->initial == FMI_CALCULATED)
        WRONG(v->node, "'%.200s' has a start value, but is calculated", v->name);
}

static void rule_continuous(const rule_check *c, const fmi_variable *v)
{
    const char *said = fmi_attribute(&c->f->xml, v->node, "variability");
    if (v->variability == FMI_CONTINUOUS && !is_number(v) && v->type != FMI_CLOCK)
        WRONG(v->node, "'%.200s' is continuous, which only real numbers can be", v->name);
    else if (c->d->fmi == 2 && !said && !is_number(v))
        DOUBTFUL(v->node,
                 "'%.200s' does not say its variability, which by default is that of real numbers; "
                 "discrete is taken",
                 v->name);
}

static const fmi_named *unit_named(const rule_check *c, const char *name)
{
    int i = fmi_named_in(c->d, &c->d->by_unit, name);
    return i < 0 ? NULL : &c->d->units.at[i];
}

static void rule_unit(const rule_check *c, const fmi_variable *v)
{
    if (v->unit && !unit_named(c, v->unit))
        WRONG(v->node, "the unit '%.80s' of '%.200s' is not defined", v->unit, v->name);
}

static void rule_display_unit(const rule_check *c, const fmi_variable *v)
{
    const fmi_named *unit = v->unit ? unit_named(c, v->unit) : NULL;
    if (!v->display_unit || (v->unit && !unit)) return;
    static const char tag[] = "DisplayUnit";
    for (int k = unit ? fmi_child(&c->f->xml, unit->node, tag) : -1; k >= 0;
         k = fmi_next(&c->f->xml, k, tag)) {
        const char *name = fmi_attribute(&c->f->xml, k, "name");
        if (name && !strcmp(name, v->display_unit)) return;
    }
    if (unit && !strcmp(v->display_unit, v->unit)) return;
    WRONG(v->node, "the display unit '%.80s' of '%.200s' is not one of its unit", v->display_unit,
          v->name);
}

static void rule_declared(const rule_check *c, const fmi_variable *v)
{
    const fmi_named *type = fmi_type_of(c->d, v);
    if (v->declared && !type)
        WRONG(v->node, "the type '%.80s' of '%.200s' is not defined", v->declared, v->name);
    else if (type && type->type != v->type)
        WRONG(v->node, "'%.200s' is of type %s, but its declared type '%.80s' is of %s", v->name,
              fmi_type_names[v->type], v->declared,
              type->type == FMI_TYPES ? "none" : fmi_type_names[type->type]);
}

static void rule_derivative(const rule_check *c, const fmi_variable *v)
{
    if (!v->has_derivative || v->is_alias) return;
    const fmi_variable *x = v->integral < 0 ? NULL : &c->d->variables.at[v->integral];
    if (!x)
        WRONG(v->node, "'%.200s' is the derivative of a variable that is not there (%u)", v->name,
              v->derivative);
    else if (!is_number(v) || !is_number(x) || v->variability != FMI_CONTINUOUS ||
             x->variability != FMI_CONTINUOUS)
        WRONG(v->node,
              "'%.200s' cannot be the derivative of '%.200s': both must be continuous real numbers",
              v->name, x->name);
    else if (x->size != v->size)
        WRONG(v->node, "'%.200s' has another size than '%.200s', whose derivative it is", v->name,
              x->name);
}

static void rule_bounds(const rule_check *c, const fmi_variable *v)
{
    double x;
    if (v->min > v->max)
        WRONG(v->node, "'%.200s': min %g is larger than max %g", v->name, v->min, v->max);
    if (v->nominal <= 0)
        WRONG(v->node, "'%.200s': nominal is %g, and must be positive", v->name, v->nominal);
    bool countable = v->type != FMI_STRING && v->type != FMI_BINARY && v->type != FMI_BOOLEAN;
    for (int i = 0; countable && i < v->n_starts; i++)
        if (fmi_real(v->starts[i], strlen(v->starts[i]), &x) && (x < v->min || x > v->max)) {
            DOUBTFUL(v->node, "'%.200s': the start value %g lies outside of min and max", v->name,
                     x);
            break;
        }
}

/* name, name[1,2].part, der(name), der(name,2); names in quotes may hold more. */
static const char *after_identifier(const char *p)
{
    do {
        if (*p == '\'') {
            for (p++; *p && *p != '\''; p++)
                if (*p == '\\' && p[1]) p++;
            if (*p++ != '\'') return NULL;
        } else {
            if (!isalpha((unsigned char)*p) && *p != '_') return NULL;
            while (isalnum((unsigned char)*p) || *p == '_') p++;
        }
        if (*p == '[') {
            do {
                p++;
                if (!isdigit((unsigned char)*p)) return NULL;
                while (isdigit((unsigned char)*p)) p++;
            } while (*p == ',');
            if (*p++ != ']') return NULL;
        }
    } while (*p == '.' && *++p);
    return p;
}

static bool is_structured(const char *name)
{
    if (strncmp(name, "der(", 4) != 0) {
        const char *end = after_identifier(name);
        return end && !*end;
    }
    const char *end = after_identifier(name + 4);
    if (end && *end == ',') {
        if (!isdigit((unsigned char)*++end)) return false;
        while (isdigit((unsigned char)*end)) end++;
    }
    return end && !strcmp(end, ")");
}

static void rule_structured(const rule_check *c, const fmi_variable *v)
{
    if (c->d->structured && !is_structured(v->name))
        WRONG(v->node, "'%.200s' is no name of the convention 'structured'", v->name);
}

/* A state is what a line of the structure is the derivative of. */
static void rule_reinit(const rule_check *c, const fmi_variable *v)
{
    if (!v->reinit || v->is_alias) return;
    for (int i = 0; i < c->d->derivatives.n; i++) {
        int k = c->d->derivatives.at[i].variable, x = k < 0 ? -1 : c->d->variables.at[k].integral;
        if (x >= 0 && &c->d->variables.at[x] == v) return;
    }
    WRONG(v->node, "'%.200s' has reinit=\"true\", but is no state", v->name);
}

static void rule_items(const rule_check *c, const fmi_variable *v)
{
    const fmi_named *type = v->type == FMI_ENUMERATION ? fmi_type_of(c->d, v) : NULL;
    if (!type || v->is_alias) return;
    int inner = c->d->fmi == 2 ? fmi_child(&c->f->xml, type->node, NULL) : type->node;
    for (int i = 0; i < v->n_starts; i++) {
        bool found = false;
        for (int k = fmi_child(&c->f->xml, inner, "Item"); k >= 0 && !found;
             k = fmi_next(&c->f->xml, k, "Item")) {
            const char *value = fmi_attribute(&c->f->xml, k, "value");
            found = value && strtoll(value, NULL, 10) == strtoll(v->starts[i], NULL, 10);
        }
        if (!found)
            WRONG(v->node, "'%.200s': the start value %.40s is no item of '%.80s'", v->name,
                  v->starts[i], v->declared);
    }
}

static void rule_dimensions(const rule_check *c, const fmi_variable *v)
{
    for (int i = 0; i < v->n_dimensions && !v->is_alias; i++) {
        const fmi_dimension *n = &v->dimensions[i];
        int by = n->has_reference ? fmi_variable_of(c->d, n->reference) : -1;
        const fmi_variable *x = by < 0 ? NULL : &c->d->variables.at[by];
        if (n->has_reference == (n->start >= 0))
            WRONG(
                v->node,
                "a dimension of '%.200s' must have a start value or a value reference, one of them",
                v->name);
        else if (n->has_reference &&
                 (!x || x->type != FMI_UINT64 || x->n_dimensions ||
                  (x->causality != FMI_STRUCTURAL && x->variability != FMI_CONSTANT)))
            WRONG(v->node,
                  "a dimension of '%.200s' is no structural parameter or constant of type UInt64",
                  v->name);
    }
    if (v->size < 0) WRONG(v->node, "'%.200s' has more elements than can be", v->name);
}

static void rule_starts_fit(const rule_check *c, const fmi_variable *v)
{
    if (v->n_starts > 1 && v->size >= 0 && v->n_starts != v->size && !v->is_alias)
        WRONG(v->node, "'%.200s' has %lld elements, but %d start values", v->name,
              (long long)v->size, v->n_starts);
}

static void rule_clocks(const rule_check *c, const fmi_variable *v)
{
    for (int i = 0; i < v->clocks.n && !v->is_alias; i++) {
        int k = fmi_variable_of(c->d, v->clocks.at[i]);
        if (k < 0 || c->d->variables.at[k].type != FMI_CLOCK)
            WRONG(v->node, "'%.200s': %u is the value reference of no clock", v->name,
                  v->clocks.at[i]);
    }
}

/* ---- rules of the whole ---------------------------------------------------------------------- */

static void rule_interfaces(const rule_check *c)
{
    const fmi_description *d = c->d;
    const fmi_interface *kinds[] = {&d->exchange, &d->steps, &d->scheduled};
    int n = 0;
    for (int i = 0; i < 3; i++) {
        if (kinds[i]->node < 0) continue;
        n++;
        const char *p = kinds[i]->identifier ? kinds[i]->identifier : "";
        bool fine = isalpha((unsigned char)*p) || *p == '_';
        for (; *p; p++) fine &= isalnum((unsigned char)*p) || *p == '_';
        if (!fine)
            WRONG(kinds[i]->node, "the model identifier '%.80s' is no name of C",
                  kinds[i]->identifier ? kinds[i]->identifier : "");
    }
    if (!n) WRONG(0, "the FMU offers neither model exchange nor co-simulation");
}

static void rule_independent(const rule_check *c)
{
    int n = 0;
    for (int i = 0; i < c->d->variables.n; i++) {
        const fmi_variable *v = &c->d->variables.at[i];
        if (v->causality != FMI_INDEPENDENT || v->is_alias) continue;
        n++;
        if (!is_number(v))
            WRONG(v->node, "'%.200s' is independent, and must be a real number", v->name);
    }
    if (n > 1 || (c->d->fmi == 3 && !n))
        WRONG(fmi_child(&c->f->xml, 0, "ModelVariables"),
              "there are %d independent variables, and must be %s", n,
              c->d->fmi == 3 ? "one" : "at most one");
}

static void check_twice(const rule_check *c, const char *what, const fmi_named *list, int n,
                        const map *names)
{
    for (int i = 0; i < n; i++)
        if (list[i].name && fmi_named_in(c->d, names, list[i].name) != i)
            WRONG(list[i].node, "the %s '%.80s' is defined twice", what, list[i].name);
}

static void rule_twice(const rule_check *c)
{
    check_twice(c, "unit", c->d->units.at, c->d->units.n, &c->d->by_unit);
    check_twice(c, "type", c->d->types.at, c->d->types.n, &c->d->by_type);
}

static void rule_experiment(const rule_check *c)
{
    const fmi_description *d = c->d;
    int node = fmi_child(&c->f->xml, 0, "DefaultExperiment");
    if (d->stop < (isnan(d->start) ? 0 : d->start))
        WRONG(node, "the default experiment ends at %g, before it starts", d->stop);
    if (d->tolerance <= 0)
        WRONG(node, "the tolerance of the default experiment is %g", d->tolerance);
    if (d->step <= 0) WRONG(node, "the step size of the default experiment is %g", d->step);
}

static void rule_structure_there(const rule_check *c)
{
    const fmi_unknowns *lists[] = {&c->d->outputs, &c->d->derivatives, &c->d->clocked,
                                   &c->d->initial, &c->d->indicators};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < lists[k]->n; i++) {
            const fmi_unknown *u = &lists[k]->at[i];
            if (u->variable < 0)
                WRONG(u->node, "%u is no variable: the model structure leads nowhere", u->number);
            for (int j = 0; j < u->dependencies.n; j++)
                if (fmi_variable_numbered(c->d, u->dependencies.at[j]) < 0)
                    WRONG(u->node, "the dependency %u is no variable", u->dependencies.at[j]);
        }
}

static void rule_kinds(const rule_check *c)
{
    const fmi_unknowns *lists[] = {&c->d->outputs, &c->d->derivatives, &c->d->clocked,
                                   &c->d->initial, &c->d->indicators};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < lists[k]->n; i++) {
            const fmi_unknown *u = &lists[k]->at[i];
            if (u->kinds_given && (!u->dependencies.given || u->n_kinds != u->dependencies.n))
                WRONG(u->node, "there are %d kinds of dependencies, and %d dependencies",
                      u->n_kinds, u->dependencies.n);
        }
}

/* Which variables a list names; those twice are said. The array has one entry for each variable. */
static unsigned char *marks_of(const rule_check *c, const fmi_unknowns *list, const char *what)
{
    unsigned char *mark = arena_array(c->a, unsigned char, c->d->variables.n + 1);
    for (int i = 0; i < list->n; i++) {
        int v = list->at[i].variable;
        if (v < 0) continue;
        if (mark[v])
            WRONG(list->at[i].node, "'%.200s' is twice among the %s", c->d->variables.at[v].name,
                  what);
        mark[v] = 1;
    }
    return mark;
}

static void compare_marks(const rule_check *c, const unsigned char *is, const unsigned char *must,
                          const char *element, const char *what)
{
    int node = fmi_child(&c->f->xml, fmi_child(&c->f->xml, 0, "ModelStructure"), element);
    if (node < 0) node = fmi_child(&c->f->xml, 0, "ModelStructure");
    for (int i = 0; i < c->d->variables.n; i++) {
        const fmi_variable *v = &c->d->variables.at[i];
        if (is[i] && !must[i])
            WRONG(node, "'%.200s' is among the %s of the model structure, and should not", v->name,
                  what);
        if (!is[i] && must[i])
            WRONG(node, "'%.200s' is missing among the %s of the model structure", v->name, what);
    }
}

static void rule_outputs(const rule_check *c)
{
    unsigned char *must = arena_array(c->a, unsigned char, c->d->variables.n + 1);
    for (int i = 0; i < c->d->variables.n; i++)
        must[i] = c->d->variables.at[i].causality == FMI_OUTPUT && !c->d->variables.at[i].is_alias;
    compare_marks(c, marks_of(c, &c->d->outputs, "outputs"), must,
                  c->d->fmi == 2 ? "Outputs" : "Output", "outputs");
}

static void rule_derivatives(const rule_check *c)
{
    marks_of(c, &c->d->derivatives, "derivatives");
    for (int i = 0; i < c->d->derivatives.n; i++) {
        const fmi_unknown *u = &c->d->derivatives.at[i];
        const fmi_variable *v = u->variable < 0 ? NULL : &c->d->variables.at[u->variable];
        if (v && !v->has_derivative)
            WRONG(u->node,
                  "'%.200s' is among the derivatives of states, but does not say of which state",
                  v->name);
    }
}

static bool is_found(const fmi_variable *v)
{
    return v->initial == FMI_APPROX || v->initial == FMI_CALCULATED;
}

static void rule_initial_unknowns(const rule_check *c)
{
    const fmi_description *d = c->d;
    unsigned char *must = arena_array(c->a, unsigned char, d->variables.n + 1);
    for (int i = 0; i < d->variables.n; i++) {
        const fmi_variable *v = &d->variables.at[i];
        if (v->is_alias || v->type == FMI_CLOCK) continue;
        must[i] = (v->causality == FMI_OUTPUT && is_found(v) && !v->clocks.n) ||
                  v->causality == FMI_CALCULATED_PARAMETER;
    }
    for (int i = 0; i < d->derivatives.n; i++) {
        int v = d->derivatives.at[i].variable, x = v < 0 ? -1 : d->variables.at[v].integral;
        if (v >= 0 && is_found(&d->variables.at[v])) must[v] = 1;
        if (x >= 0 && is_found(&d->variables.at[x])) must[x] = 1;
    }
    compare_marks(c, marks_of(c, &d->initial, "initial unknowns"), must,
                  d->fmi == 2 ? "InitialUnknowns" : "InitialUnknown", "initial unknowns");
}

static void rule_indicators(const rule_check *c)
{
    marks_of(c, &c->d->indicators, "event indicators");
    for (int i = 0; i < c->d->indicators.n; i++) {
        const fmi_unknown *u = &c->d->indicators.at[i];
        const fmi_variable *v = u->variable < 0 ? NULL : &c->d->variables.at[u->variable];
        if (v && (!is_number(v) || v->variability != FMI_CONTINUOUS))
            WRONG(u->node, "the event indicator '%.200s' must be a continuous real number",
                  v->name);
    }
}

static bool is_there(const rule_check *c, const char *folder, const char *identifier)
{
    size_t n = strlen(folder), k = strlen(identifier);
    for (int i = 0; i < c->f->archive.n_entries; i++) {
        const char *name = c->f->archive.entries[i].name, *slash = strrchr(name, '/');
        if (strncmp(name, folder, n) || !slash) continue;
        if (!strncmp(slash + 1, identifier, k) && slash[1 + k] == '.') return true;
    }
    return false;
}

static void rule_binary(const rule_check *c)
{
    const fmi_interface *kinds[] = {&c->d->exchange, &c->d->steps, &c->d->scheduled};
    bool sources = false;
    for (int i = 0; i < c->f->archive.n_entries; i++)
        sources |= !strncmp(c->f->archive.entries[i].name, "sources/", 8);
    for (int i = 0; i < 3; i++)
        if (kinds[i]->node >= 0 && kinds[i]->identifier && !sources &&
            !is_there(c, "binaries/", kinds[i]->identifier))
            WRONG(kinds[i]->node,
                  "the archive has neither a library '%.80s' in binaries/ nor sources",
                  kinds[i]->identifier);
}

/* ---- the list -------------------------------------------------------------------------------- */

static const struct {
    const char *code;
    int fmi; // the version that has the rule; 0: both
    void (*variable)(const rule_check *c, const fmi_variable *v);
    void (*whole)(const rule_check *c);
} rules[] = {
    {"F130", 0, rule_name, NULL},
    {"F131", 3, rule_reference, NULL},
    {"F132", 0, rule_pair, NULL},
    {"F133", 0, rule_initial, NULL},
    {"F134", 0, rule_start_needed, NULL},
    {"F135", 0, rule_start_refused, NULL},
    {"F136", 0, rule_continuous, NULL},
    {"F137", 0, rule_unit, NULL},
    {"F138", 0, rule_display_unit, NULL},
    {"F139", 0, rule_declared, NULL},
    {"F140", 0, rule_derivative, NULL},
    {"F141", 0, rule_bounds, NULL},
    {"F142", 0, NULL, rule_independent},
    {"F143", 0, rule_structured, NULL},
    {"F144", 0, NULL, rule_structure_there},
    {"F145", 0, NULL, rule_outputs},
    {"F146", 0, NULL, rule_derivatives},
    {"F147", 0, NULL, rule_initial_unknowns},
    {"F148", 0, NULL, rule_kinds},
    {"F149", 3, NULL, rule_indicators},
    {"F150", 0, NULL, rule_interfaces},
    {"F151", 0, NULL, rule_binary},
    {"F152", 0, rule_items, NULL},
    {"F153", 0, rule_reinit, NULL},
    {"F154", 3, rule_dimensions, NULL},
    {"F155", 3, rule_starts_fit, NULL},
    {"F156", 0, NULL, rule_experiment},
    {"F157", 0, NULL, rule_twice},
    {"F158", 3, rule_clocks, NULL},
};

void fmi_rules_check(const fmi_file *f, uint32_t base, diag_sink *sink)
{
    rule_check c = {.f = f, .d = &f->d, .base = base, .sink = sink, .a = sink->a};
    fmi_schema_check(&f->xml, f->d.fmi == 2 ? fmi2_elements : fmi3_elements, base, sink);
    if (strcmp(fmi_words(&f->xml, f->xml.nodes[0].name), fmi2_elements[0].name) != 0) return;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        c.code = rules[i].code;
        if (rules[i].fmi && rules[i].fmi != f->d.fmi) continue;
        if (rules[i].whole) rules[i].whole(&c);
        for (int k = 0; rules[i].variable && k < f->d.variables.n; k++)
            rules[i].variable(&c, &f->d.variables.at[k]);
    }
}
