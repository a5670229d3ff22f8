/* Signatures of functions and records: inputs, outputs, and the types that arguments must have.
 *
 * Modelica Language Specification 3.6, sections 12.2 (declarations) and 12.6 (record constructors).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"
#include "inst/tree.h"

#include "lang/lang.h"

#include <string.h>

/* ---- signatures ------------------------------------------------------------------------------ */

static bool annotation_is_true(flat_builder *b, inst_class *cls, const char *name)
{
    const ast_mod *mod;
    scope at;
    return inst_annotation(b, cls, name, 0, &mod, &at) && mod && mod->value &&
           mod->value->kind == AST_BOOLEAN && mod->value->boolean;
}

bool function_hides_derivative(flat_builder *b, const function_def *f)
{
    const ast_mod *mod;
    scope at;
    for (int n = 0; inst_annotation(b, f->cls, "derivative", n, &mod, &at); n++)
        for (int i = 0; mod && i < mod->args.n; i++)
            if (mod->args.at[i].kind == AST_ARG_MOD &&
                !strcmp(mod->args.at[i].name.at[0].name, "noDerivative"))
                return true;
    return false;
}

/* One assignment without loops or choices of statements: writing it out costs nothing. */
static bool is_trivial(const function_def *f)
{
    if (f->n_outputs != 1 || f->n_all != f->n_inputs + 1) return false;
    if (!f->n_sections && !f->external) return f->all[f->outputs[0]].binding != NULL;
    if (f->n_sections != 1 || f->sections[0].section->body.n != 1) return false;
    const ast_stmt *t = f->sections[0].section->body.at[0];
    return t->kind == AST_ASSIGN && t->pair.left->kind == AST_REF && t->pair.left->ref->n == 1 &&
           !t->pair.left->ref->at[0].subs.n;
}

static void read_components(flat_builder *b, function_def *f)
{
    inst_components list = inst_components_of(b, f->cls);
    f->failed = list.n < 0;
    if (f->failed) return;
    f->all = list.at;
    f->n_all = list.n;
    f->inputs = arena_array(b->front, int, list.n ? list.n : 1);
    f->outputs = arena_array(b->front, int, list.n ? list.n : 1);
    for (int i = 0; i < list.n; i++) {
        const inst_component *c = &list.at[i];
        bool given = c->causality == AST_INPUT;
        if (f->is_record) // fields that a caller may set
            given = !c->is_protected && !(c->is_final && c->binding) &&
                    !(c->variability == AST_CONSTANT && c->binding);
        if (given) f->inputs[f->n_inputs++] = i;
        else if (c->causality == AST_OUTPUT && !f->is_record) f->outputs[f->n_outputs++] = i;
    }
}

static const value_record *make_record(flat_builder *b, const function_def *f)
{
    value_record *r = arena_new(b->front, value_record);
    sym *names = arena_array(b->front, sym, f->n_all ? f->n_all : 1);
    for (int i = 0; i < f->n_all; i++) names[i] = f->all[i].name;
    *r = (value_record){f->name, f->n_all, names, f->cls};
    return r;
}

struct functions *function_all(flat_builder *b)
{
    if (b->functions) return b->functions;
    b->functions = arena_new(b->front, struct functions);
    map_init(&b->functions->by_class, b->front);
    map_init(&b->functions->by_name, b->front);
    return b->functions;
}

function_def *function_find(flat_builder *b, inst_class *cls)
{
    uint64_t *slot = map_put(&function_all(b)->by_class, map_key(cls));
    if (*slot) return (function_def *)(uintptr_t)*slot;
    function_def *f = arena_new(b->front, function_def);
    *slot = map_key(f);
    const ast_class *ast = inst_ast(cls);
    f->cls = cls;
    // In a model that was flattened before, functions are declared inside under quoted full names.
    bool local = ast->parent && ast->parent == b->inst->root_ast;
    f->name = inst_plain_name(b, local ? ast->name : inst_name(b, cls));
    f->is_record = ast->restriction != AST_R_FUNCTION;
    if (!f->is_record && !function_find_der(b, f)) f->failed = true;
    if (f->failed) return f;
    if (f->derives) {
        f->failed = !function_finish_der(b, f);
        return f;
    }
    read_components(b, f);
    if (f->failed) return f;
    if (f->is_record) {
        f->record = make_record(b, f);
        return f;
    }
    f->n_sections = inst_sections_of(b, cls, &f->sections);
    f->external = inst_external(b, cls, &f->external_at);
    f->constructs =
        f->external && f->n_outputs == 1 && f->all[f->outputs[0]].type.kind == INST_EXTERNAL;
    // Code of others without inputs would be a constant: it is there for what it does.
    f->impure = (ast->flags & AST_IMPURE) ||
                (f->external && !f->n_inputs && !(ast->flags & AST_PURE) && !function_is_known(f));
    // What its body does not say about its derivative would be lost with the call.
    f->is_inline =
        (is_trivial(f) || annotation_is_true(b, cls, "Inline")) && !function_hides_derivative(b, f);
    if (!(ast->flags & AST_IS_PARTIAL) && !f->external) function_find_unset(b, f);
    if (ast->flags & AST_IS_PARTIAL) {
        // A partial function may be named (as the type of an argument), not called.
        f->n_sections = 0;
        f->external = NULL;
    }
    return f;
}

const value_record *function_record(flat_builder *b, inst_class *cls)
{
    return function_find(b, cls)->record;
}

/* ---- types of arguments ---------------------------------------------------------------------- */

const char *function_type_name(flat_builder *b, const inst_component *c)
{
    static const char *const names[] = {"Real", "Integer", "Boolean", "String"};
    switch (c->type.kind) {
    case INST_PREDEFINED:
        return c->type.type == TYPE_ENUM ? b->m->enums.at[c->type.enum_id].name
                                         : names[c->type.type];
    case INST_RECORD: return inst_name(b, c->type.cls);
    case INST_FUNCTION: return "a function";
    case INST_EXTERNAL: return b->m->objects.at[c->type.enum_id];
    case INST_OTHER: break;
    }
    return "something else";
}

value function_type_value(flat_builder *b, const inst_component *c)
{
    switch (c->type.kind) {
    case INST_PREDEFINED:
    case INST_EXTERNAL:
        return (value){.type = (uint8_t)c->type.type, .enum_id = (uint16_t)c->type.enum_id};
    case INST_RECORD:
        return (value){.type = VALUE_RECORD, .record = function_record(b, c->type.cls)};
    case INST_FUNCTION: return (value){.type = VALUE_FUNCTION};
    default: return value_error();
    }
}

value function_convert_to(const scope *s, const inst_component *c, value v)
{
    if (value_is_error(&v)) return v;
    value type = function_type_value(s->b, c);
    if (type.type == VALUE_RECORD && !type.record) return value_error();
    if (type.type != VALUE_ERROR && value_accepts(&type, &v))
        return value_convert(eval_env(s), &type, v);
    diag_error(s->b->diags, "M405", c->binding ? c->binding->span : c->decl->at,
               "'%s' is %s and cannot be %s", c->name, function_type_name(s->b, c),
               value_type_name(eval_env(s), &v));
    return value_error();
}
