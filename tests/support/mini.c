/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mini.h"
#include "flat_ask.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    mini *k;
    const char *at;
    int line;
} reader;

static void fail(const reader *r, const char *what)
{
    fprintf(stderr, "mini: line %d: %s near '%.20s'\n", r->line, what, r->at);
    abort();
}

static void blank(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool take(reader *r, const char *word)
{
    blank(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n)) return false;
    if (isalpha((unsigned char)word[0]) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}

static const char *name(reader *r, char *buffer)
{
    blank(r);
    const char *p = r->at;
    if (!isalpha((unsigned char)*p) && *p != '_') return NULL;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '[' || (*p == ']') ||
           (*p == ',' && memchr(r->at, '[', (size_t)(p - r->at)) && p[-1] != ']'))
        p++;
    size_t n = (size_t)(p - r->at);
    memcpy(buffer, r->at, n);
    buffer[n] = 0;
    r->at = p;
    return buffer;
}

static expr expression(reader *r);

static expr variable(reader *r, const char *id, int order)
{
    int v = flat_find(&r->k->flat, id);
    if (v < 0) fail(r, id);
    const flat_var *x = flat_at(&r->k->flat, v);
    return expr_var(&r->k->pool, v, order, (expr_type)x->type, 0);
}

static expr primary(reader *r)
{
    expr_pool *p = &r->k->pool;
    blank(r);
    if (take(r, "(")) {
        expr e = expression(r);
        if (!take(r, ")")) fail(r, ") expected");
        return e;
    }
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double x = strtod(r->at, &end);
        bool integer = !memchr(r->at, '.', (size_t)(end - r->at)) &&
                       !memchr(r->at, 'e', (size_t)(end - r->at));
        r->at = end;
        return integer ? expr_integer(p, (int64_t)x) : expr_real(p, x);
    }
    if (take(r, "time")) return p->time;
    if (take(r, "true")) return p->yes;
    if (take(r, "false")) return p->no;
    char buffer[200];
    const char *s = name(r, buffer);
    if (!s) fail(r, "expression expected");
    if (take(r, "(")) {
        expr args[3];
        int n = 0;
        if (!take(r, ")")) {
            do args[n++] = expression(r);
            while (n < 3 && take(r, ","));
            if (!take(r, ")")) fail(r, ") expected");
        }
        if (!strcmp(s, "der")) {
            const expr_node *x = expr_at(p, args[0]);
            if (x->op == EXPR_VAR)
                return expr_var(p, x->u.var.index, x->u.var.order + 1, TYPE_REAL, 0);
            return expr_1(p, EXPR_DER, args[0]);
        }
        for (int op = 1; op < EXPR_N_OPS; op++)
            if (!strcmp(operator_name((expr_op)op), s)) return expr_make(p, (expr_op)op, args, n);
        fail(r, "unknown function");
    }
    return variable(r, s, 0);
}

static expr power(reader *r)
{
    expr a = primary(r);
    return take(r, "^") ? expr_2(&r->k->pool, EXPR_POW, a, primary(r)) : a;
}

static expr term(reader *r)
{
    expr a = power(r);
    for (;;) {
        if (take(r, "*")) a = expr_mul(&r->k->pool, a, power(r));
        else if (take(r, "/")) a = expr_div(&r->k->pool, a, power(r));
        else return a;
    }
}

static expr sum(reader *r)
{
    expr_pool *p = &r->k->pool;
    bool minus = take(r, "-");
    expr a = term(r);
    if (minus) a = expr_neg(p, a);
    for (;;) {
        if (take(r, "+")) a = expr_add(p, a, term(r));
        else if (take(r, "-")) a = expr_sub(p, a, term(r));
        else return a;
    }
}

static expr relation(reader *r)
{
    static const struct {
        const char *text;
        expr_op op;
    } list[] = {{"<=", EXPR_LE}, {">=", EXPR_GE}, {"<>", EXPR_NE},
                {"==", EXPR_EQ}, {"<", EXPR_LT},  {">", EXPR_GT}};
    expr a = sum(r);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (take(r, list[k].text)) return expr_2(&r->k->pool, list[k].op, a, sum(r));
    return a;
}

static expr logic(reader *r)
{
    expr_pool *p = &r->k->pool;
    bool no = take(r, "not");
    expr a = relation(r);
    if (no) a = expr_1(p, EXPR_NOT, a);
    for (;;) {
        if (take(r, "and")) a = expr_2(p, EXPR_AND, a, logic(r));
        else if (take(r, "or")) a = expr_2(p, EXPR_OR, a, logic(r));
        else return a;
    }
}

static expr expression(reader *r)
{
    if (!take(r, "if")) return logic(r);
    expr c = expression(r);
    if (!take(r, "then")) fail(r, "then expected");
    expr a = expression(r);
    if (!take(r, "else")) fail(r, "else expected");
    return expr_3(&r->k->pool, EXPR_IF, c, a, expression(r));
}

static void declaration(reader *r, flat_variability variability, expr_type type)
{
    mini *k = r->k;
    char buffer[200];
    const char *s = name(r, buffer);
    if (!s) fail(r, "name expected");
    flat_attributes *attr = arena_new(&k->a, flat_attributes);
    *attr = (flat_attributes){.fixed = -1};
    const char *called = sym_of(&k->syms, s);
    flat_var x = {.type = (uint8_t)type, .attr = attr};
    x.variability = (uint8_t)variability;
    x.decl = flat_declare(&k->a, "", 0, (span){(uint32_t)r->line, (uint32_t)r->line + 1});
    if (variability == FLAT_PARAMETER && take(r, "=")) x.binding = expression(r);
    for (;;) {
        if (take(r, "start")) attr->start = expression(r);
        else if (take(r, "nominal")) attr->nominal = expression(r);
        else if (take(r, "fixed")) attr->fixed = 1;
        else if (take(r, "prefer")) attr->state_select = FLAT_SELECT_PREFER;
        else if (take(r, "always")) attr->state_select = FLAT_SELECT_ALWAYS;
        else if (take(r, "avoid")) attr->state_select = FLAT_SELECT_AVOID;
        else if (take(r, "never")) attr->state_select = FLAT_SELECT_NEVER;
        else if (take(r, "input")) x.causality = FLAT_INPUT;
        else break;
    }
    flat_vars_add(&k->flat.vars, &k->a, x, called);
}

static void equation(reader *r, bool initial)
{
    mini *k = r->k;
    flat_equation e = {.instance = "", .at = {(uint32_t)r->line, (uint32_t)r->line + 1}};
    if (take(r, "flow")) e.origin = FLAT_FROM_FLOW;
    else if (take(r, "potential")) e.origin = FLAT_FROM_POTENTIAL;
    if (e.origin) e.set = atoi(r->at), r->at += strspn(r->at, "0123456789 ");
    e.lhs = expression(r);
    if (!take(r, "=")) fail(r, "= expected");
    e.rhs = expression(r);
    if (initial) array_push(&k->a, &k->flat.initial_equations, e);
    else array_push(&k->a, &k->flat.equations, e);
}

/* ---- when-clauses ---------------------------------------------------------------------------- */

static expr quoted(reader *r)
{
    blank(r);
    const char *end = *r->at == '"' ? strchr(r->at + 1, '"') : NULL;
    if (!end) fail(r, "\"text\" expected");
    char buffer[200] = "";
    memcpy(buffer, r->at + 1, (size_t)(end - r->at - 1));
    r->at = end + 1;
    return expr_string(&r->k->pool, sym_of(&r->k->syms, buffer));
}

static void expect(reader *r, const char *word)
{
    if (!take(r, word)) fail(r, word);
}

static int target(reader *r)
{
    char buffer[200];
    const char *s = name(r, buffer);
    if (!s) fail(r, "name expected");
    return expr_at(&r->k->pool, variable(r, s, 0))->u.var.index;
}

static flat_statement statement(reader *r)
{
    flat_statement s = {.instance = "", .at = {(uint32_t)r->line, (uint32_t)r->line + 1}};
    if (take(r, "reinit")) {
        s.kind = FLAT_REINIT;
        expect(r, "(");
        s.var = target(r);
        expect(r, ",");
        s.value = expression(r);
        expect(r, ")");
    } else if (take(r, "terminate")) {
        s.kind = FLAT_TERMINATE;
        s.message = quoted(r);
    } else if (take(r, "assert") || take(r, "warn")) {
        s.kind = FLAT_ASSERT;
        s.level = r->at[-1] == 't';
        s.value = expression(r);
        expect(r, ",");
        s.message = quoted(r);
    } else {
        s.kind = FLAT_ASSIGN;
        s.var = target(r);
        expect(r, "=");
        s.value = expression(r);
    }
    return s;
}

static void when(reader *r)
{
    mini *k = r->k;
    flat_statement s = {
        .kind = FLAT_WHEN, .instance = "", .at = {(uint32_t)r->line, (uint32_t)r->line + 1}};
    do {
        flat_branch b = {.condition = expression(r)};
        expect(r, ":");
        do array_push(&k->a, &b.body, statement(r));
        while (take(r, ";"));
        array_push(&k->a, &s.branches, b);
    } while (take(r, "elsewhen"));
    array_push(&k->a, &k->flat.whens, s);
}

static const char *var_name(void *user, int var, expr_label *label)
{
    return flat_name(&((mini *)user)->flat, var, label);
}

static bool var_is_constant(void *user, int var)
{
    return flat_at(&((mini *)user)->flat, var)->variability <= FLAT_PARAMETER;
}

void mini_init(mini *k, const char *lines)
{
    *k = (mini){.m = mem_std()};
    arena_init(&k->a, &k->m);
    arena_init(&k->scratch, &k->m);
    sym_init(&k->syms, &k->a);
    expr_init(&k->pool, &k->a);
    diag_init(&k->sink, &k->a);
    k->pool.context =
        (expr_context){.user = k, .var_name = var_name, .var_is_constant = var_is_constant};
    k->flat.name = "Mini";
    k->flat.comment = "";
    k->flat.pool = &k->pool;
    reader r = {.k = k, .at = lines, .line = 1};
    while (*r.at) {
        blank(&r);
        if (*r.at != '\n' && *r.at) {
            if (take(&r, "parameter")) declaration(&r, FLAT_PARAMETER, TYPE_REAL);
            else if (take(&r, "Real")) declaration(&r, FLAT_CONTINUOUS, TYPE_REAL);
            else if (take(&r, "discrete")) declaration(&r, FLAT_DISCRETE, TYPE_REAL);
            else if (take(&r, "Boolean")) declaration(&r, FLAT_DISCRETE, TYPE_BOOLEAN);
            else if (take(&r, "when")) when(&r);
            else if (!strncmp(r.at, "assert ", 7) || !strncmp(r.at, "warn ", 5))
                array_push(&k->a, &k->flat.asserts, statement(&r));
            else equation(&r, take(&r, "initial"));
            blank(&r);
            if (*r.at && *r.at != '\n') fail(&r, "end of line expected");
        }
        if (*r.at == '\n') r.at++;
        r.line++;
    }
}

void mini_done(mini *k)
{
    arena_done(&k->scratch);
    arena_done(&k->a);
}

const char *mini_messages(mini *k)
{
    text t;
    text_init(&t, &k->m);
    for (const diag *d = k->sink.first; d; d = d->next) {
        text_printf(&t, "%s %u: %s\n", d->code, d->at.begin, d->text);
        for (const diag *n = d->notes; n; n = n->next)
            text_printf(&t, "  note %u: %s\n", n->at.begin, n->text);
    }
    const char *s = arena_strndup(&k->a, text_str(&t), t.n);
    text_done(&t);
    return s;
}
