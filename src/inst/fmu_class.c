/* An FMU as a component: its class, written in Modelica from its description.
 *
 * Vincolo.FMI.ModelExchange and CoSimulation, marked by an annotation, stand for it. What the FMU has of
 * Real inputs and outputs become connectors, what it has of parameters become parameters. In model exchange
 * its states are states of the model, and its events are found by its indicators and its times; in
 * co-simulation it is stepped at equal distances.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat.h"
#include "import/fmu_plan.h"
#include "inst/tree.h"
#include "lang/lang.h"

#include <math.h>
#include <string.h>

typedef struct fmu_writer {
    const fmi_description *d;
    text *out;
    bool steps;
    const char *path; // as it is written, between quotes
    int nx, nu, ny, nz;
} fmu_writer;

/* ---- names and lists ------------------------------------------------------------------------- */

/* Between quotes, if it is not already. */
static void write_name(text *out, const char *name)
{
    bool plain = *name == '\'' && strchr(name + 1, '\'') == name + strlen(name) - 1;
    if (plain) {
        text_add(out, name);
        return;
    }
    text_char(out, '\'');
    for (; *name; name++) {
        if (*name == '\'' || *name == '\\') text_char(out, '\\');
        text_char(out, *name);
    }
    text_char(out, '\'');
}

static void write_port_name(text *out, const char *name)
{
    if (flat_is_identifier(name, strlen(name))) text_add(out, name);
    else write_name(out, name);
}

static void write_text(text *out, const char *words)
{
    text_char(out, '"');
    for (; *words; words++) {
        if (*words == '"' || *words == '\\') text_char(out, '\\');
        text_char(out, (unsigned char)*words < ' ' ? ' ' : *words);
    }
    text_char(out, '"');
}

/* All ports of one causality: name of each, with a comma between. */
static void write_ports(const fmu_writer *w, fmi_causality causality)
{
    char room[PLAN_NAME];
    int n = 0;
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        for (int e = 0; import_is_port(v, causality) && e < v->size; e++) {
            if (n++) text_add(w->out, ", ");
            write_port_name(w->out, import_element_name(w->d, v, e, room));
        }
    }
}

static int count_ports(const fmi_description *d, fmi_causality causality)
{
    int n = 0;
    for (int i = 0; i < d->variables.n; i++)
        if (import_is_port(&d->variables.at[i], causality)) n += (int)d->variables.at[i].size;
    return n;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_parameter(const fmi_variable *v)
{
    return v->causality == FMI_PARAMETER && !v->is_alias && v->n_starts && !v->n_dimensions &&
           v->type != FMI_STRING && v->type != FMI_BINARY && v->type != FMI_CLOCK;
}

static void write_start(text *out, const fmi_variable *v)
{
    const char *start = v->n_starts ? v->starts[0] : "0";
    if (v->type == FMI_BOOLEAN)
        start = !strcmp(start, "true") || !strcmp(start, "1") ? "true" : "false";
    text_add(out, start);
}

static void write_parameters(const fmu_writer *w)
{
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        if (!is_parameter(v)) continue;
        bool real = v->type == FMI_FLOAT64 || v->type == FMI_FLOAT32;
        text_printf(w->out, "  parameter %s ",
                    real                     ? "Real"
                    : v->type == FMI_BOOLEAN ? "Boolean"
                                             : "Integer");
        write_port_name(w->out, v->name);
        text_add(w->out, " = ");
        write_start(w->out, v);
        if (v->description) text_char(w->out, ' '), write_text(w->out, v->description);
        text_add(w->out, ";\n");
    }
}

static void write_connectors(const fmu_writer *w, fmi_causality causality, const char *type)
{
    char room[PLAN_NAME];
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        for (int e = 0; import_is_port(v, causality) && e < v->size; e++) {
            text_printf(w->out, "  .Vincolo.Interfaces.%s ", type);
            write_port_name(w->out, import_element_name(w->d, v, e, room));
            if (v->description) text_char(w->out, ' '), write_text(w->out, v->description);
            text_add(w->out, ";\n");
        }
    }
}

static void write_unit(const fmu_writer *w)
{
    text *out = w->out;
    int n = 0;
    text_printf(out,
                "protected\n  parameter .Vincolo.FMI.Unit 'vincolo unit' = "
                ".Vincolo.FMI.Unit(\"%s\", %d + (if inProcess then 2 else 0), \"",
                w->path, w->steps);
    for (int i = 0; i < w->d->variables.n; i++) {
        if (!is_parameter(&w->d->variables.at[i])) continue;
        for (const char *p = w->d->variables.at[i].name; *p; p++) {
            if (*p == '"' || *p == '\\') text_char(out, '\\');
            text_char(out, *p);
        }
        text_add(out, "\\n");
    }
    text_add(out, "\", {");
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        if (!is_parameter(v)) continue;
        if (n++) text_add(out, ", ");
        if (v->type == FMI_BOOLEAN) text_add(out, "if ");
        write_port_name(out, v->name);
        if (v->type == FMI_BOOLEAN) text_add(out, " then 1.0 else 0.0");
    }
    text_add(out, n ? "});\n" : "0.0});\n");
}

/* ---- equations ------------------------------------------------------------------------------- */

/* {states, inputs}, or a number where there are none. */
static void write_arguments(const fmu_writer *w, bool states)
{
    text_char(w->out, '{');
    for (int i = 1; states && i <= w->nx; i++)
        text_printf(w->out, "%s'vincolo x'[%d]", i > 1 ? ", " : "", i);
    if (states && w->nx && w->nu) text_add(w->out, ", ");
    write_ports(w, FMI_INPUT);
    text_add(w->out, !w->nu && !(states && w->nx) ? "0.0}" : "}");
}

/* outputs = name[first + 1 ...] */
static void write_outputs(const fmu_writer *w, const char *name, int first)
{
    char room[PLAN_NAME];
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        for (int e = 0; import_is_port(v, FMI_OUTPUT) && e < v->size; e++) {
            text_add(w->out, "  ");
            write_port_name(w->out, import_element_name(w->d, v, e, room));
            text_printf(w->out, " = %s[%d];\n", name, ++first);
        }
    }
}

static void write_discrete_changes(const fmu_writer *w)
{
    char room[PLAN_NAME];
    for (int i = 0; i < w->d->variables.n; i++) {
        const fmi_variable *v = &w->d->variables.at[i];
        if (!import_is_port(v, FMI_INPUT) || v->variability == FMI_CONTINUOUS) continue;
        for (int e = 0; e < v->size; e++) {
            text_add(w->out, "change(");
            write_port_name(w->out, import_element_name(w->d, v, e, room));
            text_add(w->out, "), ");
        }
    }
}

static void write_exchange(const fmu_writer *w)
{
    text *out = w->out;
    int n = w->nx + w->ny + w->nz + 1;
    if (w->nx) text_printf(out, "  Real 'vincolo x'[%d];\n", w->nx);
    if (w->nz) text_printf(out, "  Boolean 'vincolo up'[%d];\n", w->nz);
    text_printf(out, "  Real 'vincolo all'[%d];\n", n);
    text_printf(out, "  discrete Real 'vincolo after'[%d](each start = 0, each fixed = true);\n",
                w->nx + 1);
    if (w->nx) {
        text_add(out,
                 "initial equation\n  'vincolo x' = .Vincolo.FMI.start('vincolo unit', time, ");
        write_arguments(w, false);
        text_printf(out, ", %d);\n", w->nx);
    }
    text_printf(out,
                "equation\n  'vincolo all' = .Vincolo.FMI.evaluate('vincolo unit', "
                "pre('vincolo after'[%d]), time, ",
                w->nx + 1);
    write_arguments(w, true);
    text_printf(out, ", %d, %d);\n", w->nx, n);
    for (int i = 1; i <= w->nx; i++)
        text_printf(out, "  der('vincolo x'[%d]) = 'vincolo all'[%d];\n", i, i);
    write_outputs(w, "'vincolo all'", w->nx);
    for (int i = 1; i <= w->nz; i++)
        text_printf(out, "  'vincolo up'[%d] = 'vincolo all'[%d] > 0;\n", i, w->nx + w->ny + i);
    text_add(out, "  when {");
    for (int i = 1; i <= w->nz; i++) text_printf(out, "change('vincolo up'[%d]), ", i);
    write_discrete_changes(w);
    text_printf(out,
                "time >= 'vincolo all'[%d]} then\n    'vincolo after' = "
                ".Vincolo.FMI.event('vincolo unit', pre('vincolo after'[%d]), time, ",
                n, w->nx + 1);
    write_arguments(w, true);
    text_printf(out, ", %d);\n", w->nx + 1);
    for (int i = 1; i <= w->nx; i++)
        text_printf(out, "    reinit('vincolo x'[%d], 'vincolo after'[%d]);\n", i, i);
    text_printf(out,
                "  end when;\n  when 'vincolo after'[%d] < 0 then\n"
                "    terminate(\"the FMU ends the simulation\");\n  end when;\n",
                w->nx + 1);
}

static void write_steps(const fmu_writer *w)
{
    text *out = w->out;
    if (w->ny) text_printf(out, "  discrete Real 'vincolo y'[%d];\n", w->ny);
    text_add(out, "equation\n  when {initial(), sample(0, step)} then\n    ");
    if (w->ny) text_add(out, "'vincolo y' = ");
    text_add(out, ".Vincolo.FMI.step('vincolo unit', time, ");
    write_arguments(w, false);
    text_printf(out, ", %d);\n  end when;\n", w->ny);
    write_outputs(w, "'vincolo y'", 0);
}

/* From communication point to point: as the FMU asks, as its experiment has it, or a part of that. */
static double step_of(const fmi_description *d)
{
    const double PARTS = 500;
    double length = isfinite(d->stop) ? d->stop - (isfinite(d->start) ? d->start : 0) : 1;
    if (d->steps.fixed_step > 0) return d->steps.fixed_step;
    if (d->step > 0) return d->step;
    return length > 0 ? length / PARTS : 1 / PARTS;
}

static void write_class(const fmu_writer *w)
{
    text *out = w->out;
    const char *name = w->steps ? "CoSimulation" : "ModelExchange";
    text_printf(out, "model %s\n  parameter String file = \"%s\";\n", name, w->path);
    text_add(out,
             "  parameter Boolean inProcess = false \"faster; its crash is the end of all\";\n");
    if (w->steps) {
        text_add(out, "  parameter Real step(unit = \"s\") = ");
        text_real(out, step_of(w->d));
        text_add(out, " \"from one step to the next\";\n");
    }
    write_parameters(w);
    write_connectors(w, FMI_INPUT, "RealInput");
    write_connectors(w, FMI_OUTPUT, "RealOutput");
    write_unit(w);
    if (w->steps) write_steps(w);
    else write_exchange(w);
    text_printf(out, "end %s;\n", name);
}

/* ---- the class ------------------------------------------------------------------------------- */

static int n_states(const fmi_description *d)
{
    int64_t n = 0;
    for (int i = 0; i < d->derivatives.n; i++) {
        int v = d->derivatives.at[i].variable;
        if (v >= 0 && d->variables.at[v].size > 0) n += d->variables.at[v].size;
    }
    return (int)n;
}

static bool describe_fmu(flat_builder *b, const inst_node *n, fmu_writer *w, import_file *x,
                         const char *path)
{
    *x = (import_file){.m = b->front->m, .diags = b->diags, .sources = &b->lib->sources};
    if (import_open(x, path)) {
        diag_note(b->diags, n->decl->at, "it is the FMU of '%s'", n->name);
        return false;
    }
    w->d = &x->f.d;
    if ((w->steps ? w->d->steps : w->d->exchange).node < 0) {
        diag_error(b->diags, "F185", n->decl->at, "%s is not for %s", path,
                   w->steps ? "co-simulation" : "model exchange");
        return false;
    }
    w->nx = w->steps ? 0 : n_states(w->d);
    w->nu = count_ports(w->d, FMI_INPUT);
    w->ny = count_ports(w->d, FMI_OUTPUT);
    w->nz = w->steps ? 0 : w->d->n_indicators;
    write_class(w);
    return true;
}

/* The text is added once, however many components there are. */
static const source *class_source(source_set *all, const char *path, const text *words)
{
    for (int i = 0; i < all->files.n; i++)
        if (!strcmp(all->files.at[i].path, path) && all->files.at[i].n == words->n &&
            !memcmp(all->files.at[i].text, text_str(words), words->n))
            return &all->files.at[i];
    return source_add(all, arena_strndup(all->a, path, strlen(path)),
                      arena_strndup(all->a, text_str(words), words->n), words->n);
}

static inst_class *parse_class(flat_builder *b, const inst_node *n, const source *src)
{
    ast_file *f = src ? lang_parse(src, b->front, b->lib->syms, b->diags) : NULL;
    if (!f || !f->n_classes) return NULL;
    return inst_new_class(b, f->classes[0], n->type->parent, (inst_env){0});
}

inst_class *inst_fmu_class(flat_builder *b, inst_node *n)
{
    static const char *const mark[] = {"__Vincolo", "fmu", NULL};
    const ast_class *ast = inst_ast(n->type);
    const ast_expr *kind = ast->annotation ? lang_annotation_value(ast->annotation, mark) : NULL;
    if (!kind || kind->kind != AST_STRING) return n->type;
    if (n->family && n->family->node == n) return inst_apart(b, false), NULL;
    inst_env env = inst_sub(b, n->env, sym_of(b->lib->syms, "file"), n);
    const inst_layer *layer = inst_value_layer(b, env, "file");
    const ast_expr *file = layer && layer->mod ? layer->mod->value : NULL;
    if (!file || file->kind != AST_STRING || !file->string.n) {
        diag_error(b->diags, "F190", n->decl->at,
                   "the FMU of '%s' must be named by a text: (file = \"tank.fmu\")", n->name);
        return NULL;
    }
    if (!b->lib->allow_external) {
        diag_error(b->diags, "F191", n->decl->at,
                   "'%s' is an FMU, and code of others is run only with --allow-external", n->name);
        return NULL;
    }
    import_file x = {0};
    text words;
    text_init(&words, b->front->m);
    char *path = arena_strndup(b->front, file->string.at, file->string.n);
    fmu_writer w = {.out = &words, .path = path, .steps = kind->string.at[0] == 'c'};
    inst_class *made = NULL;
    if (describe_fmu(b, n, &w, &x, path))
        made = parse_class(b, n, class_source(&b->lib->sources, path, &words));
    import_close(&x);
    text_done(&words);
    return made;
}
