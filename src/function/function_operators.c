/* Operators of records in the text of functions that are kept.
 *
 * A function that adds two Complex numbers is printed as it is written, a + b; the record beside it is then
 * printed with its operators. Where nobody computes with the record as a whole, it is printed without.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_text.h"

#include "inst/tree.h"
#include "lang/lang.h"

#include <stdio.h>
#include <string.h>

/* ---- what is computed with ------------------------------------------------------------------- */

static const inst_component *operand_component(const function_def *f, sym name)
{
    for (int i = 0; f && i < f->n_all; i++)
        if (f->all[i].name == name) return &f->all[i];
    return NULL;
}

static inst_class *operand_ref(const scope *s, const function_def *f, const ast_ref *r)
{
    const inst_component *k = s->names && !r->global ? operand_component(f, r->at[0].name) : NULL;
    for (int i = 1; k && k->type.kind == INST_RECORD && i < r->n; i++)
        k = operand_component(function_find(s->b, k->type.cls), r->at[i].name);
    if (k) return k->type.kind == INST_RECORD ? k->type.cls : NULL;
    value v;
    diag_sink mark = *s->b->diags;
    bool record = inst_ref(s, r, &v) && v.type == VALUE_RECORD;
    eval_forget(s, &mark);
    return record ? (inst_class *)v.record->class_ : NULL;
}

static inst_class *operand_call(const scope *s, const function_def *f, const ast_call *c)
{
    diag_sink mark = *s->b->diags;
    callee to = c->f.n ? inst_callee(s, &c->f) : (callee){.kind = CALLEE_NONE};
    eval_forget(s, &mark);
    if (to.kind == CALLEE_RECORD) return to.cls;
    if (to.kind == CALLEE_NONE) return c->args.n ? function_operand(s, f, c->args.at[0]) : NULL;
    const function_def *g = to.kind == CALLEE_FUNCTION ? function_find(s->b, to.cls) : NULL;
    if (!g || !g->n_outputs) return NULL;
    const inst_component *k = &g->all[g->outputs[0]];
    return k->type.kind == INST_RECORD ? k->type.cls : NULL;
}

inst_class *function_operand(const scope *s, const function_def *f, const ast_expr *e)
{
    inst_class *found = NULL;
    if (!e) return NULL;
    switch ((ast_expr_kind)e->kind) {
    case AST_REF: return operand_ref(s, f, e->ref);
    case AST_UNARY: return function_operand(s, f, e->arg);
    case AST_CHAIN:
        for (int i = 0; i < e->chain.n && !found; i++)
            found = function_operand(s, f, e->chain.at[i]);
        return found;
    case AST_IF: return function_operand(s, f, e->cond.values[0]);
    case AST_ARRAY: return e->list.n ? function_operand(s, f, e->list.at[0]) : NULL;
    case AST_SELECT: return function_operand(s, f, e->select.base);
    case AST_COMPREHENSION:
    case AST_CALL: return operand_call(s, f, e->call);
    default: return NULL;
    }
}

/* ---- constructors ---------------------------------------------------------------------------- */

/* One input for each field, by its name. */
static bool is_field_by_field(flat_builder *b, const function_def *record, inst_class *cls)
{
    const function_def *f = function_find(b, cls);
    if (!f || f->failed || f->n_inputs != record->n_all) return false;
    for (int i = 0; i < f->n_inputs; i++)
        if (f->all[f->inputs[i]].name != record->all[i].name) return false;
    return true;
}

static bool is_constructor(const function_operator *op)
{
    return !strcmp(op->name, "'constructor'");
}

bool function_calls_constructor(const scope *s, inst_class *cls, const ast_call *c)
{
    const function_def *record = function_find(s->b, cls);
    function_operator op;
    for (int i = 0; record && function_operator_at(s->b, cls, i, &op); i++)
        if (is_constructor(&op))
            return op.n != 1 || !is_field_by_field(s->b, record, op.at[0]) ||
                   c->args.n + c->n_named != record->n_all;
    return false;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static ast_element *element_of(arena *a, ast_class *cls)
{
    ast_element *e = arena_new(a, ast_element);
    *e = (ast_element){.kind = AST_CLASS, .class_ = cls};
    return e;
}

/* operator 'op' function ...; function ...; end 'op'; NULL: one of them cannot be written down. */
static ast_class *class_of_operator(flat_builder *b, flat_text *t, const function_operator *op)
{
    ast_class *out = arena_new(b->front, ast_class);
    *out = (ast_class){.name = op->name, .restriction = AST_R_OPERATOR, .body = AST_LONG};
    out->elements = arena_array(b->front, ast_element *, op->n + 1);
    for (int i = 0; i < op->n; i++) {
        function_def *f = function_find(b, op->at[i]);
        const ast_class *cls = f && !f->failed ? function_clone(b, f, t, b->front) : NULL;
        if (!cls) return NULL;
        ast_class *named = arena_new(b->front, ast_class);
        char name[16];
        *named = *cls;
        snprintf(name, sizeof name, "f%d", i + 1);
        named->name = sym_of(b->lib->syms, name);
        out->elements[out->n_elements++] = element_of(b->front, named);
    }
    return out;
}

/* Other places print a value of the record as R(field, field): one constructor must take that. */
static bool takes_fields(flat_builder *b, const function_def *record, inst_class *cls)
{
    function_operator op;
    for (int i = 0; function_operator_at(b, cls, i, &op); i++) {
        if (!is_constructor(&op)) continue;
        for (int k = 0; k < op.n; k++)
            if (is_field_by_field(b, record, op.at[k])) return true;
        return false;
    }
    return true;
}

bool function_print_operators(flat_builder *b, inst_class *cls)
{
    enum { OPERATORS_MAX = 32 };
    function_def *f = function_find(b, cls);
    flat_text *of = f ? function_text_of(b, f) : NULL;
    function_operator op;
    if (!of || !of->declaration) return false;
    if (of->operators) return of->operators->declaration != NULL;
    flat_text *t = of->operators = arena_new(b->model, flat_text);
    t->name = of->name;
    t->plain = of->plain;
    t->declaration = ""; // until it is there: operators may use each other
    const ast_class *plain = takes_fields(b, f, cls) ? function_clone(b, f, t, b->front) : NULL;
    t->declaration = function_printed(b, plain);
    if (!plain) return false;
    ast_class out = *plain;
    out.flags |= AST_OPERATOR;
    out.elements = arena_array(b->front, ast_element *, plain->n_elements + OPERATORS_MAX);
    memcpy(out.elements, plain->elements, sizeof *out.elements * (size_t)plain->n_elements);
    for (int i = 0; i < OPERATORS_MAX && function_operator_at(b, cls, i, &op); i++) {
        ast_class *one = class_of_operator(b, t, &op);
        if (one) out.elements[out.n_elements++] = element_of(b->front, one);
    }
    t->declaration = function_printed(b, &out);
    return true;
}
