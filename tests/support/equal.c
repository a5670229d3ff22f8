/* The depth of a tree is bounded by the parser, so recursion is safe.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equal.h"

#include <string.h>

static bool equal_mod(const ast_mod *x, const ast_mod *y);
static bool equal_stmts(ast_stmts x, ast_stmts y);
static bool equal_class(const ast_class *x, const ast_class *y);

static bool equal_string(ast_string x, ast_string y)
{
    if (!x.at || !y.at) return !x.at && !y.at;
    return x.n == y.n && memcmp(x.at, y.at, x.n) == 0;
}

/* Names are compared as text: the trees may come from different symbol tables. */
static bool equal_name(sym x, sym y)
{
    return x == y || (x && y && strcmp(x, y) == 0);
}

static bool equal_exprs(ast_exprs x, ast_exprs y)
{
    if (x.n != y.n) return false;
    for (int i = 0; i < x.n; i++)
        if (!equal_expr(x.at[i], y.at[i])) return false;
    return true;
}

static bool equal_ref(const ast_ref *x, const ast_ref *y)
{
    if (x->n != y->n || x->global != y->global) return false;
    for (int i = 0; i < x->n; i++)
        if (!equal_name(x->at[i].name, y->at[i].name) || !equal_exprs(x->at[i].subs, y->at[i].subs))
            return false;
    return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool equal_iterators(ast_iterators x, ast_iterators y)
{
    if (x.n != y.n) return false;
    for (int i = 0; i < x.n; i++)
        if (!equal_name(x.at[i].name, y.at[i].name) || !equal_expr(x.at[i].range, y.at[i].range))
            return false;
    return true;
}

static bool equal_call(const ast_call *x, const ast_call *y)
{
    if (x->n_named != y->n_named || !equal_ref(&x->f, &y->f) || !equal_exprs(x->args, y->args) ||
        !equal_iterators(x->iters, y->iters))
        return false;
    for (int i = 0; i < x->n_named; i++)
        if (!equal_name(x->named[i].name, y->named[i].name) ||
            !equal_expr(x->named[i].value, y->named[i].value))
            return false;
    return true;
}

static bool equal_cond(const ast_cond *x, const ast_cond *y)
{
    if (x->n != y->n) return false;
    for (int i = 0; i < x->n; i++)
        if (!equal_expr(x->tests[i], y->tests[i]) || !equal_expr(x->values[i], y->values[i]))
            return false;
    return equal_expr(x->values[x->n], y->values[x->n]);
}

static bool equal_rows(const ast_expr *x, const ast_expr *y)
{
    if (x->rows.n != y->rows.n) return false;
    for (int i = 0; i < x->rows.n; i++)
        if (!equal_exprs(x->rows.at[i], y->rows.at[i])) return false;
    return true;
}

bool equal_expr(const ast_expr *x, const ast_expr *y)
{
    if (!x || !y) return x == y;
    if (x->kind != y->kind) return false;
    switch ((ast_expr_kind)x->kind) {
    case AST_INTEGER: return x->integer == y->integer;
    case AST_REAL: return memcmp(&x->real, &y->real, sizeof x->real) == 0;
    case AST_STRING: return equal_string(x->string, y->string);
    case AST_BOOLEAN: return x->boolean == y->boolean;
    case AST_REF: return equal_ref(x->ref, y->ref);
    case AST_UNARY: return x->op == y->op && equal_expr(x->arg, y->arg);
    case AST_CHAIN:
        return equal_exprs((ast_exprs){x->chain.at, x->chain.n},
                           (ast_exprs){y->chain.at, y->chain.n}) &&
               memcmp(x->chain.ops, y->chain.ops, (size_t)x->chain.n - 1) == 0;
    case AST_IF: return equal_cond(&x->cond, &y->cond);
    case AST_RANGE:
        return equal_expr(x->range.first, y->range.first) &&
               equal_expr(x->range.step, y->range.step) && equal_expr(x->range.last, y->range.last);
    case AST_ARRAY:
    case AST_TUPLE: return equal_exprs(x->list, y->list);
    case AST_MATRIX: return equal_rows(x, y);
    case AST_COMPREHENSION:
    case AST_CALL:
    case AST_PARTIAL: return equal_call(x->call, y->call);
    case AST_SELECT:
        return equal_expr(x->select.base, y->select.base) &&
               equal_name(x->select.field, y->select.field) &&
               equal_exprs(x->select.subs, y->select.subs);
    case AST_END:
    case AST_COLON: return true;
    }
    return false;
}

/* ---- modifications and elements -------------------------------------------------------------- */

static bool equal_constraint(const ast_constraint *x, const ast_constraint *y)
{
    if (!x || !y) return x == y;
    return equal_ref(&x->type, &y->type) && equal_mod(x->mod, y->mod) &&
           equal_string(x->comment, y->comment) && equal_mod(x->annotation, y->annotation);
}

static bool equal_component(const ast_component *x, const ast_component *y)
{
    return equal_name(x->name, y->name) && equal_ref(&x->type, &y->type) &&
           x->variability == y->variability && x->causality == y->causality && x->flow == y->flow &&
           equal_exprs(x->dims, y->dims) && equal_mod(x->mod, y->mod) &&
           equal_expr(x->condition, y->condition) &&
           equal_constraint(x->constraint, y->constraint) && equal_string(x->comment, y->comment) &&
           equal_mod(x->annotation, y->annotation);
}

static bool equal_import(const ast_import *x, const ast_import *y)
{
    if (x->kind != y->kind || x->n_list != y->n_list || !equal_ref(&x->name, &y->name) ||
        !equal_name(x->alias.name, y->alias.name) || !equal_string(x->comment, y->comment) ||
        !equal_mod(x->annotation, y->annotation))
        return false;
    for (int i = 0; i < x->n_list; i++)
        if (!equal_name(x->list[i].name, y->list[i].name)) return false;
    return true;
}

static bool equal_element(const ast_element *x, const ast_element *y)
{
    if (x->kind != y->kind || x->flags != y->flags) return false;
    switch ((ast_element_kind)x->kind) {
    case AST_IMPORT: return equal_import(x->import, y->import);
    case AST_EXTENDS:
        return equal_ref(&x->extends->type, &y->extends->type) &&
               equal_mod(x->extends->mod, y->extends->mod) &&
               equal_mod(x->extends->annotation, y->extends->annotation);
    case AST_COMPONENT: return equal_component(x->component, y->component);
    case AST_CLASS: return equal_class(x->class_, y->class_);
    }
    return false;
}

static bool equal_arg(const ast_arg *x, const ast_arg *y)
{
    if (x->kind != y->kind || x->each != y->each || x->final != y->final ||
        !equal_ref(&x->name, &y->name) || !equal_string(x->comment, y->comment))
        return false;
    switch ((ast_arg_kind)x->kind) {
    case AST_ARG_MOD: return equal_mod(x->mod, y->mod);
    case AST_ARG_ELEMENT: return equal_element(x->element, y->element);
    case AST_ARG_BREAK_NAME: return true;
    case AST_ARG_BREAK_CONNECT:
        return equal_expr(x->connect->pair.left, y->connect->pair.left) &&
               equal_expr(x->connect->pair.right, y->connect->pair.right);
    }
    return false;
}

static bool equal_mod(const ast_mod *x, const ast_mod *y)
{
    if (!x || !y) return x == y;
    if (x->args.n != y->args.n || x->has_args != y->has_args || x->is_break != y->is_break ||
        x->assign != y->assign || !equal_expr(x->value, y->value))
        return false;
    for (int i = 0; i < x->args.n; i++)
        if (!equal_arg(&x->args.at[i], &y->args.at[i])) return false;
    return true;
}

/* ---- equations and statements ---------------------------------------------------------------- */

static bool equal_stmt(const ast_stmt *x, const ast_stmt *y)
{
    if (x->kind != y->kind || !equal_string(x->comment, y->comment) ||
        !equal_mod(x->annotation, y->annotation))
        return false;
    switch ((ast_stmt_kind)x->kind) {
    case AST_EQUATION:
    case AST_CONNECT:
    case AST_ASSIGN:
        return equal_expr(x->pair.left, y->pair.left) && equal_expr(x->pair.right, y->pair.right);
    case AST_CALL_STMT: return equal_expr(x->call, y->call);
    case AST_IF_STMT:
    case AST_WHEN:
    case AST_WHILE:
        if (x->branches.n != y->branches.n) return false;
        for (int i = 0; i < x->branches.n; i++)
            if (!equal_expr(x->branches.at[i].test, y->branches.at[i].test) ||
                !equal_stmts(x->branches.at[i].body, y->branches.at[i].body))
                return false;
        return true;
    case AST_FOR:
        return equal_iterators(x->loop.iters, y->loop.iters) &&
               equal_stmts(x->loop.body, y->loop.body);
    case AST_BREAK:
    case AST_RETURN: return true;
    }
    return false;
}

static bool equal_stmts(ast_stmts x, ast_stmts y)
{
    if (x.n != y.n) return false;
    for (int i = 0; i < x.n; i++)
        if (!equal_stmt(x.at[i], y.at[i])) return false;
    return true;
}

/* ---- classes --------------------------------------------------------------------------------- */

static bool equal_external(const ast_external *x, const ast_external *y)
{
    if (!x || !y) return x == y;
    return equal_string(x->language, y->language) && equal_expr(x->result, y->result) &&
           equal_name(x->function, y->function) && equal_exprs(x->args, y->args) &&
           x->has_call == y->has_call && equal_mod(x->annotation, y->annotation);
}

static bool equal_head(const ast_class *x, const ast_class *y)
{
    return equal_name(x->name, y->name) && x->restriction == y->restriction && x->body == y->body &&
           x->flags == y->flags && equal_string(x->comment, y->comment) &&
           equal_mod(x->annotation, y->annotation) &&
           equal_constraint(x->constraint, y->constraint) && equal_ref(&x->base, &y->base) &&
           equal_mod(x->mod, y->mod) && x->causality == y->causality &&
           x->open_enum == y->open_enum && equal_exprs(x->dims, y->dims);
}

static bool equal_class(const ast_class *x, const ast_class *y)
{
    if (!equal_head(x, y) || x->n_elements != y->n_elements || x->n_sections != y->n_sections ||
        x->n_literals != y->n_literals || x->n_der_by != y->n_der_by)
        return false;
    for (int i = 0; i < x->n_elements; i++)
        if (!equal_element(x->elements[i], y->elements[i])) return false;
    for (int i = 0; i < x->n_sections; i++) {
        const ast_section *s = &x->sections[i], *t = &y->sections[i];
        if (s->algorithm != t->algorithm || s->initial != t->initial ||
            !equal_stmts(s->body, t->body))
            return false;
    }
    for (int i = 0; i < x->n_literals; i++)
        if (!equal_name(x->literals[i].name, y->literals[i].name) ||
            !equal_string(x->literals[i].comment, y->literals[i].comment) ||
            !equal_mod(x->literals[i].annotation, y->literals[i].annotation))
            return false;
    for (int i = 0; i < x->n_der_by; i++)
        if (!equal_name(x->der_by[i].name, y->der_by[i].name)) return false;
    return equal_external(x->external, y->external);
}

bool equal_file(const ast_file *x, const ast_file *y)
{
    if (x->has_within != y->has_within || x->n_classes != y->n_classes ||
        !equal_ref(&x->within, &y->within))
        return false;
    for (int i = 0; i < x->n_classes; i++)
        if (!equal_class(x->classes[i], y->classes[i])) return false;
    return true;
}
