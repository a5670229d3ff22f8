/* Expressions and modifications as Modelica text.
 *
 * Parentheses are put where the grammar needs them, so that the text parses to an equal tree.
 * The depth of a tree is bounded by the parser, so recursion is safe.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lang/lang_print.h"

#include <string.h>

/* Where an expression may stand without parentheses: at its own level or a lower one. */
enum {
    LEVEL_ANY, // if-expression
    LEVEL_RANGE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_RELATION,
    LEVEL_SUM, // also with a sign in front
    LEVEL_TERM,
    LEVEL_FACTOR,
    LEVEL_PRIMARY
};

static const uint8_t op_level[] = {
#define X(name, text, level) (level) + 1, // AST_OPS counts from 1 for "or"
    AST_OPS(X)
#undef X
};

static int ast_level_of(const ast_expr *e)
{
    switch (e->kind) {
    case AST_IF: return LEVEL_ANY;
    case AST_RANGE: return LEVEL_RANGE;
    case AST_UNARY: return e->op == AST_NOT ? LEVEL_NOT : LEVEL_SUM;
    case AST_CHAIN: return op_level[e->chain.ops[0]];
    case AST_INTEGER: return e->integer < 0 ? LEVEL_SUM : LEVEL_PRIMARY;
    case AST_REAL: return e->real < 0 ? LEVEL_SUM : LEVEL_PRIMARY;
    default: return LEVEL_PRIMARY;
    }
}

static void print_at(const ast_expr *e, int level, text *out)
{
    if (ast_level_of(e) >= level) {
        lang_print_expr(e, out);
    } else {
        text_char(out, '(');
        lang_print_expr(e, out);
        text_char(out, ')');
    }
}

void print_simple_expr(const ast_expr *e, text *out)
{
    print_at(e, LEVEL_RANGE, out);
}

/* ---- lists and references -------------------------------------------------------------------- */

void print_exprs(ast_exprs list, text *out)
{
    for (int i = 0; i < list.n; i++) {
        if (i) text_add(out, ", ");
        if (list.at[i]) lang_print_expr(list.at[i], out);
    }
}

void print_subscripts(ast_exprs list, text *out)
{
    if (!list.n) return;
    text_char(out, '[');
    print_exprs(list, out);
    text_char(out, ']');
}

void lang_print_ref(const ast_ref *r, text *out)
{
    for (int i = 0; i < r->n; i++) {
        if (i || r->global) text_char(out, '.');
        text_add(out, r->at[i].name ? r->at[i].name : "?");
        print_subscripts(r->at[i].subs, out);
    }
}

void print_iterators(ast_iterators list, text *out)
{
    for (int i = 0; i < list.n; i++) {
        if (i) text_add(out, ", ");
        text_add(out, list.at[i].name);
        if (!list.at[i].range) continue;
        text_add(out, " in ");
        lang_print_expr(list.at[i].range, out);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void print_string(ast_string s, text *out)
{
    text_char(out, '"');
    text_add_n(out, s.at ? s.at : "", s.n);
    text_char(out, '"');
}

// A Real reads back as a Real only with a point or an exponent.
static void print_ast_real(double x, text *out)
{
    size_t before = out->n;
    text_real(out, x);
    if (!strpbrk(text_str(out) + before, ".en")) text_add(out, ".0");
}

// 2 .* x keeps its blanks: 2.*x would be a product with the number "2.".
static void print_op(ast_op op, text *out)
{
    bool tight = op == AST_MUL || op == AST_DIV || op == AST_POW;
    text_printf(out, tight ? "%s" : " %s ", lang_op_text(op));
}

// Operands of a chain stand one level above it; the first term of a sum may have a sign.
static void print_chain(const ast_expr *e, text *out)
{
    int level = op_level[e->chain.ops[0]] + 1;
    for (int i = 0; i < e->chain.n; i++) {
        const ast_expr *x = e->chain.at[i];
        if (i) print_op((ast_op)e->chain.ops[i - 1], out);
        bool sign = i == 0 && level == LEVEL_SUM + 1 && x->kind != AST_CHAIN;
        print_at(x, sign ? LEVEL_SUM : level, out);
    }
}

static void print_unary(const ast_expr *e, text *out)
{
    text_add(out, lang_op_text((ast_op)e->op));
    if (e->op == AST_NOT) text_char(out, ' ');
    print_at(e->arg, e->op == AST_NOT ? LEVEL_RELATION : LEVEL_TERM, out);
}

static void print_cond(const ast_cond *c, text *out)
{
    for (int i = 0; i < c->n; i++) {
        text_add(out, i ? " elseif " : "if ");
        print_simple_expr(c->tests[i], out);
        text_add(out, " then ");
        print_simple_expr(c->values[i], out);
    }
    text_add(out, " else ");
    print_simple_expr(c->values[c->n], out);
}

static void print_ast_call(const ast_call *c, text *out)
{
    lang_print_ref(&c->f, out);
    text_char(out, '(');
    print_exprs(c->args, out);
    for (int i = 0; i < c->n_named; i++) {
        text_printf(out, "%s%s = ", i || c->args.n ? ", " : "", c->named[i].name);
        lang_print_expr(c->named[i].value, out);
    }
    if (c->iters.n) text_add(out, " for ");
    print_iterators(c->iters, out);
    text_char(out, ')');
}

static void print_range(const ast_expr *e, text *out)
{
    const ast_expr *parts[] = {e->range.first, e->range.step, e->range.last};
    for (int i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        if (i) text_char(out, ':');
        print_at(parts[i], LEVEL_OR, out);
    }
}

static void print_ast_rows(const ast_expr *e, text *out)
{
    text_char(out, '[');
    for (int i = 0; i < e->rows.n; i++) {
        if (i) text_add(out, "; ");
        print_exprs(e->rows.at[i], out);
    }
    text_char(out, ']');
}

static void print_select(const ast_expr *e, text *out)
{
    if (e->select.base->kind != AST_TUPLE) text_char(out, '(');
    lang_print_expr(e->select.base, out);
    if (e->select.base->kind != AST_TUPLE) text_char(out, ')');
    if (e->select.field) text_printf(out, ".%s", e->select.field);
    print_subscripts(e->select.subs, out);
}

void lang_print_expr(const ast_expr *e, text *out)
{
    switch ((ast_expr_kind)e->kind) {
    case AST_INTEGER: text_printf(out, "%lld", (long long)e->integer); break;
    case AST_REAL: print_ast_real(e->real, out); break;
    case AST_STRING: print_string(e->string, out); break;
    case AST_BOOLEAN: text_add(out, e->boolean ? "true" : "false"); break;
    case AST_REF: lang_print_ref(e->ref, out); break;
    case AST_UNARY: print_unary(e, out); break;
    case AST_CHAIN: print_chain(e, out); break;
    case AST_IF: print_cond(&e->cond, out); break;
    case AST_RANGE: print_range(e, out); break;
    case AST_ARRAY:
        text_char(out, '{');
        print_exprs(e->list, out);
        text_char(out, '}');
        break;
    case AST_COMPREHENSION:
        text_char(out, '{');
        print_exprs(e->call->args, out);
        text_add(out, " for ");
        print_iterators(e->call->iters, out);
        text_char(out, '}');
        break;
    case AST_MATRIX: print_ast_rows(e, out); break;
    case AST_PARTIAL: text_add(out, "function "); // fall through
    case AST_CALL: print_ast_call(e->call, out); break;
    case AST_TUPLE:
        text_char(out, '(');
        print_exprs(e->list, out);
        text_char(out, ')');
        break;
    case AST_SELECT: print_select(e, out); break;
    case AST_END: text_add(out, "end"); break;
    case AST_COLON: text_char(out, ':'); break;
    }
}

/* ---- modifications --------------------------------------------------------------------------- */

void print_comment(ast_string s, text *out)
{
    if (!s.at) return;
    text_char(out, ' ');
    print_string(s, out);
}

void print_annotation(const ast_mod *m, text *out)
{
    if (!m) return;
    text_add(out, " annotation");
    lang_print_mod(m, out);
}

static void print_element_arg(const ast_arg *arg, text *out)
{
    const ast_element *e = arg->element;
    if (e->flags & AST_REDECLARE) text_add(out, "redeclare ");
    if (arg->each) text_add(out, "each ");
    print_flags(e->flags & (uint16_t)~AST_REDECLARE, out);
    if (e->kind == AST_CLASS) print_class(e->class_, 0, out);
    else print_component(e->component, out);
}

static void print_arg(const ast_arg *arg, text *out)
{
    switch ((ast_arg_kind)arg->kind) {
    case AST_ARG_MOD:
        text_printf(out, "%s%s", arg->each ? "each " : "", arg->final ? "final " : "");
        lang_print_ref(&arg->name, out);
        if (arg->mod) lang_print_mod(arg->mod, out);
        break;
    case AST_ARG_ELEMENT: print_element_arg(arg, out); break;
    case AST_ARG_BREAK_NAME:
        text_add(out, "break ");
        lang_print_ref(&arg->name, out);
        break;
    case AST_ARG_BREAK_CONNECT:
        text_add(out, "break ");
        lang_print_stmt(arg->connect, 0, out);
        break;
    }
    print_comment(arg->comment, out);
}

void lang_print_mod(const ast_mod *m, text *out)
{
    if (m->has_args) text_char(out, '(');
    for (int i = 0; i < m->args.n; i++) {
        if (i) text_add(out, ", ");
        print_arg(&m->args.at[i], out);
    }
    if (m->has_args) text_char(out, ')');
    if (m->value || m->is_break) text_add(out, m->assign ? " := " : " = ");
    if (m->value) lang_print_expr(m->value, out);
    else if (m->is_break) text_add(out, "break");
}
