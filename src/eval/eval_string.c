/* Conversions: String(v, options), Integer(e), E(i). Modelica 3.6, section 3.7.1.
 *
 * A String of a literal is a literal. Otherwise a TOSTRING node is made with the arguments
 * (value, minimumLength, leftJustified, significantDigits), the last one for Real only, or
 * (value, format); options at their defaults at the end are left out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"

#include "base/format.h"

#include <stdio.h>
#include <string.h>

enum { STRING_CHARACTERS = 10000 }; // a longer minimumLength is not padded to

typedef struct options {
    value min_length, left, digits, format;
    bool has_format;
} options;

static bool read_string_options(const scope *s, const ast_call *c, options *o)
{
    const value_env *env = eval_env(s);
    *o = (options){value_integer(env, 0), value_boolean(env, true), value_integer(env, 6), {0}, 0};
    struct {
        const char *name;
        value *slot;
        value_type type;
    } known[] = {{"minimumLength", &o->min_length, VALUE_INTEGER},
                 {"minimumWidth", &o->min_length, VALUE_INTEGER},
                 {"leftJustified", &o->left, VALUE_BOOLEAN},
                 {"significantDigits", &o->digits, VALUE_INTEGER},
                 {"format", &o->format, VALUE_STRING}};
    for (int i = 0; i < c->n_named; i++) {
        const ast_named *a = &c->named[i];
        int k = 0;
        while (k < 5 && strcmp(known[k].name, a->name)) k++;
        if (k == 5) {
            diag_error(s->b->diags, "M356", a->at, "String() has no argument '%s'", a->name);
            return false;
        }
        value v = eval_value(s, a->value);
        if (value_is_error(&v)) return false;
        if (v.type != known[k].type || v.n_dims) {
            diag_error(s->b->diags, "M357", a->value->span, "'%s' of String() cannot be %s",
                       a->name, value_type_name(env, &v));
            return false;
        }
        *known[k].slot = v;
        o->has_format |= k == 4;
    }
    return true;
}

static const char *by_format(const scope *s, const expr_node *v, const char *format, span at)
{
    char buffer[FORMAT_MAX];
    if (!format_is_safe(format)) {
        diag_error(s->b->diags, "M358", at,
                   "\"%s\" is not a format of String(), such as \"8.3f\" or \"d\"", format);
        return NULL;
    }
    format_number(format, v->op == EXPR_REAL ? v->u.real : (double)v->u.integer, buffer,
                  sizeof buffer);
    return arena_strndup(eval_env(s)->a, buffer, strlen(buffer));
}

static const char *literal_text(const scope *s, const value *v, int64_t digits)
{
    const flat_model *m = s->b->m;
    const expr_node *node = expr_at(s->b->pool, v->e);
    char buffer[64];
    switch (v->type) {
    case VALUE_BOOLEAN: return node->u.integer ? "true" : "false";
    case VALUE_ENUM:
        if (v->enum_id < m->enums.n && node->u.integer >= 1 &&
            node->u.integer <= m->enums.at[v->enum_id].n)
            return m->enums.at[v->enum_id].literals[node->u.integer - 1];
        return "?";
    case VALUE_STRING: return node->u.string;
    case VALUE_REAL:
        if (digits < 1 || digits > 40) digits = 6;
        if (node->op == EXPR_REAL)
            snprintf(buffer, sizeof buffer, "%.*g", (int)digits, node->u.real);
        else snprintf(buffer, sizeof buffer, "%lld", (long long)node->u.integer);
        break;
    default: snprintf(buffer, sizeof buffer, "%lld", (long long)node->u.integer);
    }
    return arena_strndup(eval_env(s)->a, buffer, strlen(buffer));
}

static value padded(const scope *s, const char *str, int64_t width, bool left)
{
    const value_env *env = eval_env(s);
    size_t n = strlen(str);
    if (width < 0 || width > STRING_CHARACTERS || n >= (size_t)width) return value_string(env, str);
    char *buffer = arena_alloc(env->a, (size_t)width + 1);
    memset(buffer, ' ', (size_t)width);
    memcpy(left ? buffer : buffer + (size_t)width - n, str, n);
    return value_string(env, buffer);
}

static value make_node(const scope *s, const value *v, const options *o)
{
    const value_env *env = eval_env(s);
    expr list[4] = {v->e, o->min_length.e, o->left.e, o->digits.e};
    int n = v->type == VALUE_REAL ? 4 : 3;
    if (o->has_format) {
        list[1] = o->format.e;
        n = 2;
    } else {
        if (n == 4 && list[3] == expr_integer(env->p, 6)) n = 3;
        if (n == 3 && list[2] == env->p->yes) n = 2;
        if (n == 2 && list[1] == expr_integer(env->p, 0)) n = 1;
    }
    return (value){.type = VALUE_STRING, .n = 1, .e = expr_make(env->p, EXPR_TOSTRING, list, n)};
}

value eval_to_string(const scope *s, const ast_call *c, span at)
{
    const value_env *env = eval_env(s);
    if (c->args.n != 1) {
        diag_error(s->b->diags, "M355", at, "String() takes one argument and named options");
        return value_error();
    }
    options o;
    value v = eval_value(s, c->args.at[0]);
    if (v.type == VALUE_RECORD) return s->b->verbs->overload_string(s, &v, c, at);
    if (value_is_error(&v) || !read_string_options(s, c, &o)) return value_error();
    if (!value_is_scalar(&v)) {
        diag_error(s->b->diags, "M357", at, "String() converts a scalar, not %s",
                   value_type_name(env, &v));
        return value_error();
    }
    int64_t width, digits;
    bool left;
    if (!value_is_literal(env, &v) || !value_literal_integer(env, &o.min_length, &width) ||
        !value_literal_integer(env, &o.digits, &digits) ||
        !value_literal_boolean(env, &o.left, &left) ||
        (o.has_format && !value_is_literal(env, &o.format)))
        return make_node(s, &v, &o);
    if (!o.has_format) return padded(s, literal_text(s, &v, digits), width, left);
    if (v.type > VALUE_INTEGER) return padded(s, literal_text(s, &v, 6), 0, true);
    const char *str = by_format(s, expr_at(env->p, v.e), expr_at(env->p, o.format.e)->u.string, at);
    return str ? value_string(env, str) : value_error();
}

/* ---- enumerations ---------------------------------------------------------------------------- */

static int enum_size(const scope *s, int enum_id)
{
    return enum_id < s->b->m->enums.n ? s->b->m->enums.at[enum_id].n : 0;
}

static value map_elements(const scope *s, value v, value_type type, int enum_id,
                          expr (*f)(const scope *s, expr e, int enum_id))
{
    const value_env *env = eval_env(s);
    if (!v.n_dims)
        return (value){.type = (uint8_t)type,
                       .enum_id = (uint16_t)(type == VALUE_ENUM ? enum_id : 0),
                       .n = 1,
                       .e = f(s, v.e, enum_id)};
    expr *slots;
    value r = value_new(env, type, type == VALUE_ENUM ? enum_id : 0, v.dims, v.n_dims, &slots);
    for (int i = 0; i < v.n; i++) slots[i] = f(s, v.at[i], enum_id);
    return r;
}

static expr ordinal(const scope *s, expr e, int enum_id)
{
    (void)enum_id;
    expr_pool *p = s->b->pool;
    const expr_node *node = expr_at(p, e);
    return node->op == EXPR_ENUM ? expr_integer(p, node->u.integer) : expr_1(p, EXPR_INT, e);
}

/* A value that is not known yet is chosen by comparing with each number. */
static expr literal_of(const scope *s, expr e, int enum_id)
{
    expr_pool *p = s->b->pool;
    const expr_node *node = expr_at(p, e);
    if (node->op == EXPR_INTEGER) return expr_enum(p, enum_id, node->u.integer);
    int n = enum_size(s, enum_id);
    expr r = expr_enum(p, enum_id, n);
    for (int i = n - 1; i >= 1; i--) {
        expr pair[2] = {e, expr_integer(p, i)};
        r = expr_3(p, EXPR_IF, value_make(eval_env(s), EXPR_EQ, pair, 2), expr_enum(p, enum_id, i),
                   r);
    }
    return r;
}

value eval_to_integer(const scope *s, value v, span at)
{
    if (v.type == VALUE_INTEGER) return v;
    if (v.type == VALUE_ENUM) return map_elements(s, v, VALUE_INTEGER, v.enum_id, ordinal);
    diag_error(s->b->diags, "M320", at,
               "Integer() needs an enumeration value, not %s; a Real is converted by integer(x)",
               value_type_name(eval_env(s), &v));
    return value_error();
}

value eval_to_enum(const scope *s, int enum_id, value v, span at)
{
    if (v.type == VALUE_ENUM && v.enum_id == enum_id) return v;
    if (v.type != VALUE_INTEGER) {
        diag_error(s->b->diags, "M320", at, "an enumeration value is made of an Integer, not of %s",
                   value_type_name(eval_env(s), &v));
        return value_error();
    }
    const expr *e = value_at(&v);
    for (int i = 0; i < v.n; i++) {
        const expr_node *node = expr_at(s->b->pool, e[i]);
        if (node->op != EXPR_INTEGER) continue;
        if (node->u.integer >= 1 && node->u.integer <= enum_size(s, enum_id)) continue;
        diag_error(s->b->diags, "M359", at, "%lld is outside 1 ... %d, the values of %s",
                   (long long)node->u.integer, enum_size(s, enum_id),
                   s->b->m->enums.at[enum_id].name);
        return value_error();
    }
    return map_elements(s, v, VALUE_ENUM, enum_id, literal_of);
}
