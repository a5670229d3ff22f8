/* Function declarations that stand alone.
 *
 * A function that is kept is printed with the flat model. Its text is the syntax tree of the class
 * with every name from outside replaced: constants by their values, types by predefined ones,
 * functions and records by the quoted full name under which they are declared beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_text.h"

#include "inst/tree.h"
#include "lang/lang.h"

#include <string.h>

typedef struct clone {
    flat_builder *b;
    arena *a;
    function_def *f;
    flat_text *self;
    bool failed;
} clone;

/* Iterators around an expression. */
typedef struct bound {
    sym name;
    const struct bound *next;
} bound;

static ast_expr *clone_expr(clone *c, const scope *s, const ast_expr *e, const bound *names);

/* ---- small parts ----------------------------------------------------------------------------- */

static ast_expr *new_expr(clone *c, ast_expr_kind kind)
{
    ast_expr *e = arena_new(c->a, ast_expr);
    e->kind = (uint8_t)kind;
    return e;
}

static ast_ref name_ref(clone *c, const char *first, const char *second)
{
    ast_part *parts = arena_array(c->a, ast_part, 2);
    parts[0].name = sym_of(c->b->lib->syms, first);
    if (second) parts[1].name = sym_of(c->b->lib->syms, second);
    return (ast_ref){.at = parts, .n = second ? 2 : 1};
}

static ast_expr *ref_expr(clone *c, const char *first, const char *second)
{
    ast_expr *e = new_expr(c, AST_REF);
    e->ref = arena_new(c->a, ast_ref);
    *e->ref = name_ref(c, first, second);
    return e;
}

static ast_expr *call_expr(clone *c, const char *f, int n)
{
    ast_expr *e = new_expr(c, AST_CALL);
    e->call = arena_new(c->a, ast_call);
    e->call->f = name_ref(c, f, NULL);
    e->call->args = (ast_exprs){arena_array(c->a, ast_expr *, n ? n : 1), n};
    return e;
}

static void need(clone *c, flat_text *t)
{
    for (int i = 0; i < c->self->needs.n; i++)
        if (c->self->needs.at[i] == t) return;
    if (t != c->self) array_push(c->b->model, &c->self->needs, t);
}

static const char *class_name(clone *c, inst_class *cls)
{
    flat_text *t = function_text_of(c->b, function_find(c->b, cls));
    if (!t) {
        c->failed = true;
        return "?";
    }
    need(c, t);
    return t->name;
}

static const char *enum_name(clone *c, int id)
{
    return flat_quoted(c->b->model, c->b->m->enums.at[id].name);
}

/* ---- values ---------------------------------------------------------------------------------- */

static ast_expr *value_expr(clone *c, const value *v);

static ast_expr *negated(clone *c, ast_expr *e)
{
    ast_expr *n = new_expr(c, AST_UNARY);
    n->op = AST_SUB;
    n->arg = e;
    return n;
}

static ast_expr *literal_expr(clone *c, expr x)
{
    const expr_node *node = expr_at(c->b->pool, x);
    ast_expr *e = NULL;
    switch (node->op) {
    case EXPR_REAL:
        e = new_expr(c, AST_REAL);
        e->real = node->u.real < 0 ? -node->u.real : node->u.real;
        return node->u.real < 0 ? negated(c, e) : e;
    case EXPR_INTEGER:
        e = new_expr(c, AST_INTEGER);
        e->integer = node->u.integer < 0 ? -node->u.integer : node->u.integer;
        return node->u.integer < 0 ? negated(c, e) : e;
    case EXPR_BOOLEAN:
        e = new_expr(c, AST_BOOLEAN);
        e->boolean = node->u.integer != 0;
        return e;
    case EXPR_STRING: {
        mem m = value_arena_mem(c->a);
        text t;
        text_init(&t, &m);
        text_modelica(&t, node->u.string);
        e = new_expr(c, AST_STRING);
        e->string = (ast_string){arena_strndup(c->a, t.at + 1, t.n - 2), (uint32_t)t.n - 2};
        return e;
    }
    case EXPR_ENUM: {
        const flat_enumeration *en = &c->b->m->enums.at[node->enum_id];
        return ref_expr(c, enum_name(c, node->enum_id), en->literals[node->u.integer - 1]);
    }
    default: c->failed = true; return new_expr(c, AST_END);
    }
}

static ast_expr *array_expr(clone *c, const value *v)
{
    if (!v->n) { // fill(0.0, sizes)
        ast_expr *e = call_expr(c, "fill", v->n_dims + 1);
        e->call->args.at[0] = new_expr(c, AST_REAL);
        for (int d = 0; d < v->n_dims; d++) {
            e->call->args.at[d + 1] = new_expr(c, AST_INTEGER);
            e->call->args.at[d + 1]->integer = v->dims[d];
        }
        return e;
    }
    ast_expr *e = new_expr(c, AST_ARRAY);
    e->list = (ast_exprs){arena_array(c->a, ast_expr *, v->dims[0]), v->dims[0]};
    for (int i = 0; i < v->dims[0]; i++) {
        value x = value_element(&c->b->env, v, i);
        e->list.at[i] = value_expr(c, &x);
    }
    return e;
}

static ast_expr *value_expr(clone *c, const value *v)
{
    if (v->n_dims) return array_expr(c, v);
    if (v->type <= VALUE_OBJECT) return literal_expr(c, v->e);
    if (v->type != VALUE_RECORD || !v->record->class_) {
        c->failed = true;
        return new_expr(c, AST_END);
    }
    ast_expr *e = call_expr(c, class_name(c, (inst_class *)v->record->class_), v->record->n);
    for (int i = 0; i < v->record->n; i++) e->call->args.at[i] = value_expr(c, &v->fields[i]);
    return e;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool is_local(const clone *c, const scope *s, const ast_ref *r, const bound *names)
{
    if (r->global) return false;
    for (; names; names = names->next)
        if (names->name == r->at[0].name) return true;
    for (int i = 0; s->names && i < c->f->n_all; i++)
        if (c->f->all[i].name == r->at[0].name) return true;
    return false;
}

static ast_exprs clone_list(clone *c, const scope *s, ast_exprs list, const bound *names)
{
    ast_exprs out = {arena_array(c->a, ast_expr *, list.n ? list.n : 1), list.n};
    for (int i = 0; i < list.n; i++)
        out.at[i] = list.at[i] ? clone_expr(c, s, list.at[i], names) : NULL;
    return out;
}

/* A constant from outside with a subscript that moves, c[i]: its values, of which one is selected. NULL: it is
 * something else. */
static ast_expr *clone_element(clone *c, const scope *s, const ast_expr *e, const bound *names)
{
    ast_ref whole = *e->ref;
    value v;
    const ast_part *last = &e->ref->at[e->ref->n - 1];
    if (!last->subs.n) return NULL;
    whole.at = arena_array(c->a, ast_part, whole.n);
    memcpy(whole.at, e->ref->at, sizeof *whole.at * (size_t)whole.n);
    whole.at[whole.n - 1].subs = (ast_exprs){0};
    if (!inst_ref(s, &whole, &v)) return NULL;
    ast_expr *out = new_expr(c, AST_SELECT);
    out->select.base = value_expr(c, &v);
    out->select.subs = clone_list(c, s, last->subs, names);
    return out;
}

static ast_expr *clone_ref(clone *c, const scope *s, const ast_expr *e, const bound *names)
{
    if (!is_local(c, s, e->ref, names)) {
        value v;
        callee f = {.kind = CALLEE_NONE};
        diag_sink mark = *c->b->diags;
        if (inst_ref(s, e->ref, &v)) return value_expr(c, &v);
        eval_forget(s, &mark);
        ast_expr *element = clone_element(c, s, e, names);
        if (element) return element;
        eval_forget(s, &mark);
        f = inst_callee(s, e->ref); // a function as an argument
        if (f.kind == CALLEE_FUNCTION) return ref_expr(c, class_name(c, f.cls), NULL);
        eval_forget(s, &mark);
        c->failed = true;
        return new_expr(c, AST_END);
    }
    ast_expr *out = new_expr(c, AST_REF);
    out->ref = arena_new(c->a, ast_ref);
    *out->ref = *e->ref;
    out->ref->at = arena_array(c->a, ast_part, e->ref->n);
    for (int i = 0; i < e->ref->n; i++) {
        out->ref->at[i] = e->ref->at[i];
        out->ref->at[i].subs = clone_list(c, s, e->ref->at[i].subs, names);
    }
    return out;
}

/* Iterators nest from the last to the first in expressions and from the first to the last in
 * loops; their ranges see all of them here, which is right for any text that is legal. */
static ast_iterators clone_iterators(clone *c, const scope *s, const ast_iterators *iters,
                                     const bound **names)
{
    ast_iterators out = {arena_array(c->a, ast_iterator, iters->n ? iters->n : 1), iters->n};
    for (int i = 0; i < iters->n; i++) {
        bound *one = arena_new(c->a, bound);
        *one = (bound){iters->at[i].name, *names};
        *names = one;
    }
    for (int i = 0; i < iters->n; i++) {
        out.at[i] = iters->at[i];
        if (out.at[i].range) out.at[i].range = clone_expr(c, s, iters->at[i].range, *names);
    }
    return out;
}

static callee clone_callee(clone *c, const scope *s, const ast_ref *r, const bound *names,
                           ast_ref *out)
{
    *out = *r;
    if (!r->n || is_local(c, s, r, names)) return (callee){.kind = CALLEE_NONE};
    callee f = inst_callee(s, r);
    switch (f.kind) {
    case CALLEE_FUNCTION:
    case CALLEE_RECORD: {
        const char *builtin = function_builtin_name(function_find(c->b, f.cls));
        *out = name_ref(c, builtin ? builtin : class_name(c, f.cls), NULL);
        break;
    }
    case CALLEE_ENUM: *out = name_ref(c, enum_name(c, f.enum_id), NULL); break;
    case CALLEE_NONE: break; // built in
    default: c->failed |= f.kind != CALLEE_TYPE;
    }
    return f;
}

/* The printed record lets all fields be set, the original only some: arguments go by name. */
static void name_fields(clone *c, const function_def *r, ast_call *call)
{
    int n = call->args.n;
    if (r->n_inputs == r->n_all || n > r->n_inputs) return;
    ast_named *named = arena_array(c->a, ast_named, n + call->n_named + 1);
    for (int i = 0; i < n; i++)
        named[i] = (ast_named){.name = r->all[r->inputs[i]].name, .value = call->args.at[i]};
    memcpy(named + n, call->named, sizeof *named * (size_t)call->n_named);
    call->named = named;
    call->n_named += n;
    call->args.n = 0;
}

static void need_operators(clone *c, inst_class *record)
{
    function_operator op;
    if (record && function_operator_at(c->b, record, 0, &op))
        c->failed |= !function_print_operators(c->b, record);
}

static ast_call *clone_call(clone *c, const scope *s, const ast_call *call, const bound *names)
{
    ast_call *out = arena_new(c->a, ast_call);
    out->iters = clone_iterators(c, s, &call->iters, &names);
    callee f = clone_callee(c, s, &call->f, names, &out->f);
    out->args = clone_list(c, s, call->args, names);
    out->named = arena_array(c->a, ast_named, call->n_named ? call->n_named : 1);
    out->n_named = call->n_named;
    for (int i = 0; i < call->n_named; i++) {
        out->named[i] = call->named[i];
        out->named[i].value = clone_expr(c, s, call->named[i].value, names);
    }
    if (f.kind == CALLEE_RECORD && function_calls_constructor(s, f.cls, call))
        need_operators(c, f.cls);
    else if (f.kind == CALLEE_RECORD) name_fields(c, function_find(c->b, f.cls), out);
    else if (f.kind == CALLEE_NONE && call->args.n) // sum, product
        need_operators(c, function_operand(s, c->f, call->args.at[0]));
    return out;
}

static ast_expr *clone_expr(clone *c, const scope *s, const ast_expr *e, const bound *names)
{
    ast_expr *out = new_expr(c, (ast_expr_kind)e->kind);
    *out = *e;
    switch ((ast_expr_kind)e->kind) {
    case AST_REF: return clone_ref(c, s, e, names);
    case AST_UNARY:
        need_operators(c, function_operand(s, c->f, e));
        out->arg = clone_expr(c, s, e->arg, names);
        break;
    case AST_CHAIN:
        need_operators(c, function_operand(s, c->f, e));
        out->chain.at = clone_list(c, s, (ast_exprs){e->chain.at, e->chain.n}, names).at;
        break;
    case AST_IF:
        out->cond.tests = clone_list(c, s, (ast_exprs){e->cond.tests, e->cond.n}, names).at;
        out->cond.values = clone_list(c, s, (ast_exprs){e->cond.values, e->cond.n + 1}, names).at;
        break;
    case AST_RANGE:
        out->range.first = clone_expr(c, s, e->range.first, names);
        if (e->range.step) out->range.step = clone_expr(c, s, e->range.step, names);
        out->range.last = clone_expr(c, s, e->range.last, names);
        break;
    case AST_ARRAY:
    case AST_TUPLE: out->list = clone_list(c, s, e->list, names); break;
    case AST_MATRIX:
        out->rows.at = arena_array(c->a, ast_exprs, e->rows.n);
        for (int i = 0; i < e->rows.n; i++)
            out->rows.at[i] = clone_list(c, s, e->rows.at[i], names);
        break;
    case AST_COMPREHENSION:
    case AST_CALL:
    case AST_PARTIAL: out->call = clone_call(c, s, e->call, names); break;
    case AST_SELECT:
        out->select.base = clone_expr(c, s, e->select.base, names);
        out->select.subs = clone_list(c, s, e->select.subs, names);
        break;
    default: break;
    }
    return out;
}

/* ---- statements ------------------------------------------------------------------------------ */

static ast_stmts clone_body(clone *c, const scope *s, const ast_stmts *body, const bound *names);

static ast_stmt *clone_stmt(clone *c, const scope *s, const ast_stmt *t, const bound *names)
{
    ast_stmt *out = arena_new(c->a, ast_stmt);
    *out = *t;
    out->comment = (ast_string){0};
    out->annotation = NULL;
    switch ((ast_stmt_kind)t->kind) {
    case AST_EQUATION:
    case AST_CONNECT:
    case AST_ASSIGN:
        out->pair.left = clone_expr(c, s, t->pair.left, names);
        out->pair.right = clone_expr(c, s, t->pair.right, names);
        break;
    case AST_CALL_STMT: out->call = clone_expr(c, s, t->call, names); break;
    case AST_FOR:
        out->loop.iters = clone_iterators(c, s, &t->loop.iters, &names);
        out->loop.body = clone_body(c, s, &t->loop.body, names);
        break;
    case AST_IF_STMT:
    case AST_WHEN:
    case AST_WHILE:
        out->branches.at = arena_array(c->a, ast_branch, t->branches.n);
        for (int i = 0; i < t->branches.n; i++) {
            const ast_branch *b = &t->branches.at[i];
            out->branches.at[i].test = b->test ? clone_expr(c, s, b->test, names) : NULL;
            out->branches.at[i].body = clone_body(c, s, &b->body, names);
        }
        break;
    default: break;
    }
    return out;
}

static ast_stmts clone_body(clone *c, const scope *s, const ast_stmts *body, const bound *names)
{
    ast_stmts out = {arena_array(c->a, ast_stmt *, body->n ? body->n : 1), body->n};
    for (int i = 0; i < body->n; i++) out.at[i] = clone_stmt(c, s, body->at[i], names);
    return out;
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* A class of external objects is declared with its constructor. */
static ast_ref object_ref(clone *c, inst_class *cls)
{
    inst_element *el = inst_find(c->b, cls, sym_of(c->b->lib->syms, "constructor"));
    if (el && el->class_) return name_ref(c, class_name(c, inst_element_class(c->b, el)), NULL);
    c->failed = true;
    return name_ref(c, "Real", NULL);
}

static ast_ref type_ref(clone *c, const inst_component *k)
{
    static const char *const names[] = {"Real", "Integer", "Boolean", "String"};
    switch (k->type.kind) {
    case INST_PREDEFINED:
        return name_ref(
            c, k->type.type == TYPE_ENUM ? enum_name(c, k->type.enum_id) : names[k->type.type],
            NULL);
    case INST_RECORD:
    case INST_FUNCTION: return name_ref(c, class_name(c, k->type.cls), NULL);
    case INST_EXTERNAL: return object_ref(c, k->type.cls);
    default: c->failed = true; return name_ref(c, "Real", NULL);
    }
}

static void add_arg(clone *c, ast_mod *list, const char *name, ast_mod *mod)
{
    ast_arg *more = arena_array(c->a, ast_arg, list->args.n + 1);
    if (list->args.n) memcpy(more, list->args.at, sizeof *more * (size_t)list->args.n);
    more[list->args.n] =
        (ast_arg){.kind = AST_ARG_MOD, .name = name_ref(c, name, NULL), .mod = mod};
    list->args.at = more;
    list->args.n++;
    list->has_args = true;
}

/* R r(a = x): what the fields of the modified class are bound to and those of the class are not. NULL: nothing. */
static ast_mod *clone_modified(clone *c, const function_frame *fr, const inst_component *k)
{
    const function_def *plain = function_find(c->b, k->type.cls);
    const function_def *to = k->modified ? function_find(c->b, k->modified) : NULL;
    ast_mod *out = NULL;
    if (!to) return NULL;
    if (!plain || plain->n_all != to->n_all) {
        c->failed = true;
        return NULL;
    }
    for (int i = 0; i < to->n_all; i++) {
        const inst_component *field = &to->all[i];
        ast_mod *mod = field->type.kind == INST_RECORD ? clone_modified(c, fr, field) : NULL;
        if (field->binding && field->binding != plain->all[i].binding) {
            scope s = function_scope(fr, field->binding_at);
            if (!mod) mod = arena_new(c->a, ast_mod);
            mod->value = clone_expr(c, &s, field->binding, NULL);
        }
        if (!mod) continue;
        if (!out) out = arena_new(c->a, ast_mod);
        add_arg(c, out, field->name, mod);
        out->args.at[out->args.n - 1].each = function_dims_count(k) > 0;
    }
    return out;
}

static ast_element *clone_component(clone *c, const function_frame *fr, const inst_component *k)
{
    ast_element *e = arena_new(c->a, ast_element);
    ast_component *d = arena_new(c->a, ast_component);
    *e = (ast_element){.kind = AST_COMPONENT, .component = d};
    *d = (ast_component){.name = k->name, .type = type_ref(c, k), .causality = k->causality};
    // All fields of a record can be set: a call hands over all of them.
    if (!c->f->is_record && k->causality == AST_NO_CAUSALITY) e->flags = AST_PROTECTED;
    d->dims.at = arena_array(c->a, ast_expr *, function_dims_count(k) + 1);
    for (int i = 0; i < k->n_dims_lists; i++) {
        scope s = function_scope(fr, k->dims_at[i]);
        ast_exprs list = clone_list(c, &s, *k->dims[i], NULL);
        for (int j = 0; j < list.n; j++) d->dims.at[d->dims.n++] = list.at[j];
    }
    if (k->type.kind == INST_RECORD) d->mod = clone_modified(c, fr, k);
    if (k->binding) {
        scope s = function_scope(fr, k->binding_at);
        if (!d->mod) d->mod = arena_new(c->a, ast_mod);
        d->mod->value = clone_expr(c, &s, k->binding, NULL);
    }
    return e;
}

/* annotation(derivative(order = 1, ...) = df, LateInline = true): what calls depend on. */
static ast_mod *clone_annotation(clone *c)
{
    static const char *const flags[] = {"Inline", "LateInline"};
    ast_mod *out = arena_new(c->a, ast_mod);
    const ast_mod *mod;
    scope at;
    for (int n = 0; inst_annotation(c->b, c->f->cls, "derivative", n, &mod, &at); n++) {
        if (!mod->value || mod->value->kind != AST_REF) continue;
        callee f = inst_callee(&at, mod->value->ref);
        if (f.kind != CALLEE_FUNCTION) continue;
        ast_mod *copy = arena_new(c->a, ast_mod);
        *copy = *mod;
        copy->value = ref_expr(c, class_name(c, f.cls), NULL);
        add_arg(c, out, "derivative", copy);
    }
    for (int i = 0; i < 2; i++)
        if (inst_annotation(c->b, c->f->cls, flags[i], 0, &mod, &at))
            add_arg(c, out, flags[i], (ast_mod *)mod);
    return out->args.n ? out : NULL;
}

static ast_external *clone_external(clone *c, const function_frame *fr)
{
    if (!c->f->external) return NULL;
    ast_external *out = arena_new(c->a, ast_external);
    scope s = function_scope(fr, c->f->external_at);
    s.names = fr->names;
    *out = *c->f->external;
    out->annotation = NULL;
    out->args = clone_list(c, &s, out->args, NULL);
    return out;
}

static ast_class *clone_class(clone *c)
{
    const function_def *f = c->f;
    const ast_class *ast = inst_ast(f->cls);
    ast_class *out = arena_new(c->a, ast_class);
    function_frame fr = function_begin(c->b, c->f, (span){0});
    out->name = sym_of(c->b->lib->syms, c->self->name);
    out->restriction = f->is_record ? AST_R_RECORD : AST_R_FUNCTION;
    out->body = AST_LONG;
    out->flags = ast->flags & (AST_IMPURE | AST_PURE | AST_IS_PARTIAL);
    if (f->derives) {
        out->body = AST_DER;
        out->base = name_ref(c, class_name(c, f->derives->cls), NULL);
        out->der_by = f->der->der_by;
        out->n_der_by = f->der->n_der_by;
        return out;
    }
    out->elements = arena_array(c->a, ast_element *, f->n_all ? f->n_all : 1);
    out->n_elements = f->n_all;
    for (int i = 0; i < f->n_all; i++) out->elements[i] = clone_component(c, &fr, &f->all[i]);
    if (f->is_record) return out;
    out->sections = arena_array(c->a, ast_section, f->n_sections ? f->n_sections : 1);
    for (int i = 0; i < f->n_sections; i++) {
        scope s = function_scope(&fr, f->sections[i].at);
        ast_section *section = &out->sections[out->n_sections++];
        *section = (ast_section){.algorithm = true};
        section->body = clone_body(c, &s, &f->sections[i].section->body, NULL);
    }
    out->external = clone_external(c, &fr);
    out->annotation = clone_annotation(c);
    return out;
}

static const ast_class *clone_finish(clone *c, ast_class *cls, const diag_sink *mark)
{
    scope s = {.b = c->b};
    eval_forget(&s, mark);
    return c->failed ? NULL : cls;
}

const ast_class *function_clone(flat_builder *b, function_def *f, flat_text *t, arena *a)
{
    clone c = {.b = b, .a = a, .f = f, .self = t};
    diag_sink mark = *b->diags;
    return clone_finish(&c, clone_class(&c), &mark);
}

/* (, y) := f(inputs) */
const ast_class *function_clone_output(flat_builder *b, function_def *f, flat_text *t, int o,
                                       arena *a)
{
    clone c = {.b = b, .a = a, .f = f, .self = t};
    diag_sink mark = *b->diags;
    ast_class *out = clone_class(&c);
    function_frame fr = function_begin(b, f, (span){0});
    ast_expr *call = call_expr(&c, class_name(&c, f->cls), f->n_inputs);
    ast_expr *left = new_expr(&c, AST_TUPLE);
    left->list = (ast_exprs){arena_array(a, ast_expr *, o + 1), o + 1};
    out->n_elements = 0;
    int k = 0;
    for (int i = 0; i < f->n_all; i++) {
        ast_element *e = clone_component(&c, &fr, &f->all[i]);
        bool is_input = f->all[i].causality == AST_INPUT;
        if (is_input) call->call->args.at[k++] = ref_expr(&c, f->all[i].name, NULL);
        if (i == f->outputs[o]) left->list.at[o] = ref_expr(&c, f->all[i].name, NULL);
        if (is_input || i == f->outputs[o]) out->elements[out->n_elements++] = e;
    }
    ast_stmt *t1 = arena_new(a, ast_stmt);
    *t1 = (ast_stmt){.kind = AST_ASSIGN, .pair = {left, call}};
    ast_stmt **body = arena_new(a, ast_stmt *);
    *body = t1;
    out->sections = arena_new(a, ast_section);
    *out->sections = (ast_section){.algorithm = true, .body = {body, 1}};
    out->n_sections = 1;
    out->external = NULL;
    out->annotation = NULL;
    return clone_finish(&c, out, &mark);
}
