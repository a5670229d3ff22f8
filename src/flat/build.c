/* Flattening from end to end.
 *
 *     class ─► instance tree ─► variables ─► connections ─► equations ─► flat model
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/build.h"

#include "flat/function.h"
#include "flat/inst.h"

#include <math.h>
#include <string.h>

/* Predefined classes, as if they were declared around everything. */
static const char prelude[] =
    "type Real end Real; type Integer end Integer; type Boolean end Boolean;\n"
    "type String end String; type Clock end Clock; partial class ExternalObject end "
    "ExternalObject;\n"
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n";

/* ---- setting up ------------------------------------------------------------------------------ */

static ast_class *prelude_class(const struct inst *in, sym name)
{
    for (int i = 0; i < in->prelude->n_classes; i++)
        if (in->prelude->classes[i]->name == name) return in->prelude->classes[i];
    return NULL;
}

static bool start(flat_builder *b)
{
    struct inst *in = b->inst = arena_new(b->front, struct inst);
    sym_table *t = b->lib->syms;
    map_init(&in->globals, b->front);
    map_init(&in->imports, b->front);
    map_init(&in->refs, b->front);
    map_init(&in->callees, b->front);
    map_init(&in->enum_ids, b->front);
    map_init(&in->attributes, b->front);
    ast_class *nothing = arena_new(b->front, ast_class); // what stands around top-level classes
    nothing->name = sym_of(t, "");
    in->top = inst_new_class(b, nothing, NULL, (inst_env){0});
    in->top->state = INST_READY;
    const source *src = source_add(&b->lib->sources, "(built-in)", prelude, strlen(prelude));
    if (!src) return false;
    in->prelude = lang_parse(src, b->front, t, b->diags);
    static const char *const names[] = {
        [PRE_REAL] = "Real",     [PRE_INTEGER] = "Integer", [PRE_BOOLEAN] = "Boolean",
        [PRE_STRING] = "String", [PRE_CLOCK] = "Clock",     [PRE_EXTERNAL] = "ExternalObject"};
    for (int i = PRE_REAL; i <= PRE_EXTERNAL; i++)
        if (names[i]) in->predefined[i] = prelude_class(in, sym_of(t, names[i]));
    in->s_start = sym_of(t, "start");
    in->s_fixed = sym_of(t, "fixed");
    in->s_min = sym_of(t, "min");
    in->s_max = sym_of(t, "max");
    in->s_nominal = sym_of(t, "nominal");
    in->s_unit = sym_of(t, "unit");
    in->s_display_unit = sym_of(t, "displayUnit");
    in->s_quantity = sym_of(t, "quantity");
    in->s_state_select = sym_of(t, "stateSelect");
    in->s_time = sym_of(t, "time");
    in->s_empty = sym_of(t, "");
    return true;
}

static const char *var_name(void *user, int var)
{
    const flat_model *m = user;
    if (var >= FLAT_NO_VAR)
        return m->builder && m->builder->inst->offender ? m->builder->inst->offender : "a variable";
    return var >= 0 && var < m->vars.n ? m->vars.at[var].name : "?";
}

static bool var_is_constant(void *user, int var)
{
    const flat_model *m = user;
    return var >= 0 && var < m->vars.n && m->vars.at[var].variability <= FLAT_PARAMETER;
}

static const char *enum_literal(void *user, int id, int64_t literal)
{
    const flat_model *m = user;
    if (id < 0 || id >= m->enums.n || literal < 1 || literal > m->enums.at[id].n) return NULL;
    return m->enums.at[id].literals[literal - 1];
}

/* ---- annotations ----------------------------------------------------------------------------- */

static double number_at(const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    double sign = 1;
    while (e && e->kind == AST_UNARY && e->op == AST_SUB) sign = -sign, e = e->arg;
    if (e && e->kind == AST_REAL) return sign * e->real;
    if (e && e->kind == AST_INTEGER) return sign * (double)e->integer;
    return NAN;
}

static sym text_at(flat_builder *b, const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    if (!e || e->kind != AST_STRING) return NULL;
    return sym_of(b->lib->syms, lang_string(b->front, e->string));
}

// storage = V or storage = "V".
static sym name_at(flat_builder *b, const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    if (!e || e->kind != AST_REF) return text_at(b, a, group, name);
    text t;
    text_init(&t, b->front->m);
    lang_print_expr(e, &t);
    sym s = sym_of(b->lib->syms, text_str(&t));
    text_done(&t);
    return s;
}

static void read_annotations(flat_builder *b, const ast_class *c)
{
    flat_experiment *e = &b->m->experiment;
    *e = (flat_experiment){NAN, NAN, NAN, NAN, NULL, NULL, NULL};
    const ast_mod *a = c->annotation;
    if (!a) return;
    e->start = number_at(a, "experiment", "StartTime");
    e->stop = number_at(a, "experiment", "StopTime");
    e->tolerance = number_at(a, "experiment", "Tolerance");
    e->interval = number_at(a, "experiment", "Interval");
    e->method = text_at(b, a, "__Vincolo", "method");
    e->formulation = text_at(b, a, "__Vincolo", "formulation");
    e->storage = name_at(b, a, "__Vincolo", "storage");
}

/* ---- scratch memory -------------------------------------------------------------------------- */

/* The scratch arena takes its chunks from `front`, so that there is nothing to give back when
 * memory runs out in the middle. */
typedef struct chunks {
    arena *from;
    mem m;
    arena scratch;
} chunks;

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    chunks *c = user;
    return arena_resize(c->from, p, old_bytes, new_bytes);
}

static arena *new_scratch(arena *front)
{
    chunks *c = arena_new(front, chunks);
    c->from = front;
    c->m = (mem){resize, c, front->m->guard};
    arena_init(&c->scratch, &c->m);
    return &c->scratch;
}

/* ---- the chain ------------------------------------------------------------------------------- */

static bool check_class(flat_builder *b, ast_class *c)
{
    static const uint8_t fine[] = {AST_R_CLASS, AST_R_MODEL, AST_R_BLOCK};
    bool ok = false;
    for (size_t i = 0; i < sizeof fine; i++) ok = ok || c->restriction == fine[i];
    if (!ok) {
        diag_error(b->diags, "M107", c->at, "'%s' is a %s; only a model or block can be flattened",
                   c->name, lang_restriction_text((ast_restriction)c->restriction));
        return false;
    }
    if (c->flags & AST_IS_PARTIAL) {
        diag_error(b->diags, "M108", c->at,
                   "'%s' is partial: it is meant to be extended; flatten a model that extends it",
                   c->name);
        return false;
    }
    return true;
}

static bool flatten(flat_builder *b, ast_class *c)
{
    struct inst *in = b->inst;
    if (!check_class(b, c)) return false;
    b->inst->root_ast = c;
    inst_class *handle = inst_handle(b, c);
    if (!handle || !(in->root = inst_new_root(b, handle))) return false;
    in->root->deep = true;
    bool ok = true;
    for (int i = 0; i < in->root->children.n; i++) // grows when an inner component is added
        ok = inst_deep(b, in->root->children.at[i]) && ok;
    if (!ok) return false;
    b->env.a = b->scratch;
    if (!inst_number(b)) return false;
    // From here on an error does not hide the next one.
    ok = inst_fill(b) && inst_check_circular(b);
    ok = inst_connections(b) && ok;
    ok = inst_equations(b) && ok;
    ok = inst_drawings(b) && ok;
    inst_mark_structural(b);
    return ok && inst_connect_equations(b) && inst_check_overrides(b) && inst_check_model(b);
}

flat_model *flat_build(lang_library *lib, ast_class *cls, const flat_override *overrides,
                       int n_overrides, arena *model, arena *front, diag_sink *diags)
{
    flat_model *m = arena_new(model, flat_model);
    flat_builder *b = arena_new(front, flat_builder);
    int errors = diags->n_errors;
    *b = (flat_builder){.lib = lib, .m = m, .model = model, .front = front, .diags = diags};
    b->scratch = new_scratch(front);
    b->pool = m->pool = arena_new(model, expr_pool);
    expr_init(m->pool, model);
    m->pool->syms = lib->syms;
    m->builder = b;
    m->pool->context = (expr_context){.user = m,
                                      .var_name = var_name,
                                      .var_is_constant = var_is_constant,
                                      .enum_literal = enum_literal};
    function_attach(m);
    map_init(&m->by_name, model);
    b->env = (value_env){.p = m->pool, .a = front, .syms = lib->syms, .diags = diags, .model = m};
    bool ok = start(b);
    m->name = flat_plain_name(b, lang_class_path(cls, front));
    m->comment = lang_string(model, cls->comment);
    b->inst->overrides = overrides;
    b->inst->n_overrides = n_overrides;
    read_annotations(b, cls);
    ok = ok && flatten(b, cls);
    m->builder = NULL;
    arena_done(b->scratch);
    if (!ok && diags->n_errors == errors)
        diag_error(diags, "M199", cls->at, "'%s' cannot be flattened", cls->name);
    return diags->n_errors == errors ? m : NULL;
}

/* ---- asking ---------------------------------------------------------------------------------- */

int flat_find(const flat_model *m, sym name)
{
    const uint64_t *slot = map_find(&m->by_name, map_key(name));
    return slot ? (int)*slot - 1 : -1;
}

static void mark_assigned(const flat_statements *l, bool *assigned)
{
    for (int i = 0; i < l->n; i++) {
        if (l->at[i].kind == FLAT_ASSIGN) assigned[l->at[i].var] = true;
        for (int k = 0; k < l->at[i].branches.n; k++)
            mark_assigned(&l->at[i].branches.at[k].body, assigned);
    }
}

int flat_count_equations(const flat_model *m, arena *scratch)
{
    arena_mark at = arena_here(scratch);
    int n = m->equations.n;
    bool *assigned = arena_array(scratch, bool, m->vars.n + 1);
    // A variable counts once per section that assigns it.
    mark_assigned(&m->whens, assigned);
    for (int i = 0; i < m->vars.n; i++) n += assigned[i];
    for (int k = 0; k < m->algorithms.n; k++) {
        if (m->algorithms.at[k].initial) continue;
        memset(assigned, 0, (size_t)m->vars.n * sizeof *assigned);
        mark_assigned(&m->algorithms.at[k].body, assigned);
        for (int i = 0; i < m->vars.n; i++) n += assigned[i];
    }
    arena_release(scratch, at);
    return n;
}

int flat_count_unknowns(const flat_model *m)
{
    int n = 0;
    for (int i = 0; i < m->vars.n; i++)
        n += m->vars.at[i].variability > FLAT_PARAMETER && m->vars.at[i].causality != FLAT_INPUT;
    return n;
}
