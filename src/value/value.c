/* Values: making them, asking about them, converting between types. value/value.h is the contract.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "value/value.h"

#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

value value_scalar(const value_env *env, expr e)
{
    const expr_node *node = expr_at(env->p, e);
    return (value){
        .type = node->type, .enum_id = node->type >= TYPE_ENUM ? node->enum_id : 0, .n = 1, .e = e};
}

value value_real(const value_env *env, double x)
{
    return (value){.type = VALUE_REAL, .n = 1, .e = expr_real(env->p, x)};
}

value value_integer(const value_env *env, int64_t i)
{
    return (value){.type = VALUE_INTEGER, .n = 1, .e = expr_integer(env->p, i)};
}

value value_boolean(const value_env *env, bool b)
{
    return (value){.type = VALUE_BOOLEAN, .n = 1, .e = expr_boolean(env->p, b)};
}

value value_string(const value_env *env, const char *s)
{
    return (value){.type = VALUE_STRING, .n = 1, .e = expr_string(env->p, sym_of(env->syms, s))};
}

static int dims_product(const int *dims, int n)
{
    int64_t total = 1;
    for (int i = 0; i < n; i++) total = total > VALUE_MAX_ELEMENTS ? total : total * dims[i];
    for (int i = 0; i < n; i++)
        if (dims[i] == 0) return 0;
    return (int)total;
}

static const int *copy_dims(const value_env *env, const int *dims, int n)
{
    if (!n) return NULL;
    int *copy = arena_array(env->a, int, n);
    memcpy(copy, dims, sizeof *copy * (size_t)n);
    return copy;
}

value value_new(const value_env *env, value_type type, int enum_id, const int *dims, int n_dims,
                expr **slots)
{
    value v = {.type = (uint8_t)type,
               .n_dims = (uint8_t)n_dims,
               .enum_id = (uint16_t)enum_id,
               .n = dims_product(dims, n_dims),
               .dims = copy_dims(env, dims, n_dims)};
    *slots = arena_array(env->a, expr, v.n ? v.n : 1);
    v.at = *slots;
    return v;
}

value value_new_record(const value_env *env, const value_record *record, const int *dims,
                       int n_dims, value **slots)
{
    value v = {.type = VALUE_RECORD,
               .n_dims = (uint8_t)n_dims,
               .n = dims_product(dims, n_dims),
               .dims = copy_dims(env, dims, n_dims),
               .record = record};
    int n = v.n * record->n;
    *slots = arena_array(env->a, value, n ? n : 1);
    v.fields = *slots;
    return v;
}

value value_tuple(const value_env *env, const value *v, int n)
{
    value *fields = arena_array(env->a, value, n ? n : 1);
    if (n) memcpy(fields, v, sizeof *v * (size_t)n);
    return (value){.type = VALUE_TUPLE, .n = n, .fields = fields};
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int n_fields(const value *v)
{
    if (v->type == VALUE_TUPLE) return v->n;
    return v->type == VALUE_RECORD || v->type == VALUE_FUNCTION ? v->n * v->record->n : 0;
}

bool value_is_literal(const value_env *env, const value *v)
{
    if (v->type <= VALUE_OBJECT) {
        const expr *at = value_at(v);
        for (int i = 0; i < v->n; i++)
            if (!expr_is_literal(env->p, at[i])) return false;
        return true;
    }
    for (int i = 0; i < n_fields(v); i++)
        if (!value_is_literal(env, &v->fields[i])) return false;
    return v->type != VALUE_ERROR;
}

bool value_literal_integer(const value_env *env, const value *v, int64_t *i)
{
    if (v->n_dims || v->type != VALUE_INTEGER) return false;
    const expr_node *node = expr_at(env->p, v->e);
    *i = node->u.integer;
    return node->op == EXPR_INTEGER;
}

bool value_literal_boolean(const value_env *env, const value *v, bool *b)
{
    if (v->n_dims || v->type != VALUE_BOOLEAN) return false;
    const expr_node *node = expr_at(env->p, v->e);
    if (node->op != EXPR_BOOLEAN) return false;
    *b = node->u.integer != 0;
    return true;
}

bool value_same_dims(const value *a, const value *b)
{
    if (a->n_dims != b->n_dims) return false;
    for (int i = 0; i < a->n_dims; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

static void *arena_text_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    if (!new_bytes) return NULL;
    void *q = arena_alloc(user, new_bytes);
    if (p) memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    return q;
}

mem value_arena_mem(arena *a)
{
    return (mem){
        .resize = arena_text_resize, .user = a, .guard = a->m->guard, .watch = a->m->watch};
}

static void text_dims(text *t, const int *dims, int n)
{
    for (int i = 0; i < n; i++) text_printf(t, i ? ", %d" : "[%d", dims[i]);
    if (n) text_char(t, ']');
}

const char *value_dims_name(const value_env *env, const int *dims, int n)
{
    if (!n) return "scalar";
    mem m = value_arena_mem(env->a);
    text t;
    text_init(&t, &m);
    text_dims(&t, dims, n);
    return text_str(&t);
}

const char *value_type_name(const value_env *env, const value *v)
{
    static const char *const names[] = {
        "Real",   "Integer",        "Boolean",  "String", "enumeration", "Clock", "external object",
        "record", "several values", "function", "error"};
    const char *base = names[v->type];
    if (v->type == VALUE_RECORD && v->record->name) base = v->record->name;
    if (v->type == VALUE_ENUM && env->model && v->enum_id < env->model->enums.n)
        base = env->model->enums.at[v->enum_id].name;
    if (v->type == VALUE_OBJECT && env->model && v->enum_id < env->model->objects.n)
        base = env->model->objects.at[v->enum_id];
    if (!v->n_dims) return base;
    mem m = value_arena_mem(env->a);
    text t;
    text_init(&t, &m);
    text_add(&t, base);
    text_dims(&t, v->dims, v->n_dims);
    return text_str(&t);
}

/* ---- converting ------------------------------------------------------------------------------ */

/* An array without elements has whatever type is wanted: {} of an empty comprehension has none. */
static bool is_empty(const value *v)
{
    return v->n == 0 && v->n_dims > 0;
}

static int field_of(const value_record *r, sym name, int hint)
{
    if (hint < r->n && r->names[hint] == name) return hint;
    for (int i = 0; i < r->n; i++)
        if (r->names[i] == name) return i;
    return -1;
}

static bool records_agree(const value *type, const value *v)
{
    if (type->record == v->record) return true;
    if (type->record->n != v->record->n) return false;
    for (int f = 0; f < type->record->n; f++) {
        int g = field_of(v->record, type->record->names[f], f);
        if (g < 0) return false;
        if (type->n && v->n && !value_accepts(&type->fields[f], &v->fields[g])) return false;
    }
    return true;
}

bool value_accepts(const value *type, const value *v)
{
    if (is_empty(v)) return v->type != VALUE_ERROR && v->type != VALUE_TUPLE;
    if (type->type == VALUE_RECORD && v->type == VALUE_RECORD) return records_agree(type, v);
    if (type->type == v->type && (v->type == VALUE_ENUM || v->type == VALUE_OBJECT))
        return type->enum_id == v->enum_id;
    return type->type == v->type || (type->type == VALUE_REAL && v->type == VALUE_INTEGER);
}

static inline expr real_literal(const value_env *env, expr e)
{
    const expr_node *node = expr_at(env->p, e);
    return node->op == EXPR_INTEGER ? expr_real(env->p, (double)node->u.integer) : e;
}

value value_to_real(const value_env *env, value v)
{
    if (v.type != VALUE_INTEGER) return v;
    if (!v.n_dims) {
        v.e = real_literal(env, v.e);
        v.type = VALUE_REAL;
        return v;
    }
    expr *slots;
    value r = value_new(env, VALUE_REAL, 0, v.dims, v.n_dims, &slots);
    for (int i = 0; i < v.n; i++) slots[i] = real_literal(env, v.at[i]);
    return r;
}

static value convert_record(const value_env *env, const value *type, value v)
{
    const value_record *r = type->record;
    value *slots;
    value out = value_new_record(env, r, v.dims, v.n_dims, &slots);
    for (int i = 0; i < v.n; i++)
        for (int f = 0; f < r->n; f++) {
            int g = field_of(v.record, r->names[f], f);
            const value *field = &v.fields[i * v.record->n + g];
            slots[i * r->n + f] = type->n ? value_convert(env, &type->fields[f], *field) : *field;
        }
    return out;
}

value value_convert(const value_env *env, const value *type, value v)
{
    if (is_empty(&v)) {
        v.type = type->type;
        v.enum_id = type->enum_id;
        v.record = type->record;
        return v;
    }
    if (type->type == VALUE_REAL && v.type == VALUE_INTEGER) return value_to_real(env, v);
    if (type->type == VALUE_RECORD) return convert_record(env, type, v);
    return v;
}

/* ---- scalars of a value ---------------------------------------------------------------------- */

int value_count(const value *v)
{
    if (v->type <= VALUE_OBJECT) return v->n;
    int count = 0;
    for (int i = 0; i < n_fields(v); i++) count += value_count(&v->fields[i]);
    return count;
}

static expr *put_scalars(const value *v, expr *out)
{
    if (v->type <= VALUE_OBJECT) {
        const expr *at = value_at(v);
        for (int i = 0; i < v->n; i++) *out++ = at[i];
        return out;
    }
    for (int i = 0; i < n_fields(v); i++) out = put_scalars(&v->fields[i], out);
    return out;
}

void value_scalars(const value *v, expr *out)
{
    put_scalars(v, out);
}

static value take_scalars(const value_env *env, const value *shape, const expr **from)
{
    value v = *shape;
    if (v.type <= VALUE_OBJECT && !v.n_dims) {
        v.e = *(*from)++;
    } else if (v.type <= VALUE_OBJECT) {
        expr *slots = arena_array(env->a, expr, v.n ? v.n : 1);
        for (int i = 0; i < v.n; i++) slots[i] = *(*from)++;
        v.at = slots;
    } else if (v.type != VALUE_ERROR) {
        int n = n_fields(shape);
        value *slots = arena_array(env->a, value, n ? n : 1);
        for (int i = 0; i < n; i++) slots[i] = take_scalars(env, &shape->fields[i], from);
        v.fields = slots;
    }
    return v;
}

value value_with_scalars(const value_env *env, const value *shape, const expr *scalars)
{
    return take_scalars(env, shape, &scalars);
}

value value_copy(const value_env *env, value v)
{
    v.dims = copy_dims(env, v.dims, v.n_dims);
    if (v.type <= VALUE_OBJECT) {
        if (!v.n_dims) return v;
        expr *at = arena_array(env->a, expr, v.n ? v.n : 1);
        if (v.n) memcpy(at, v.at, sizeof *at * (size_t)v.n);
        v.at = at;
        return v;
    }
    int n = n_fields(&v);
    value *fields = arena_array(env->a, value, n ? n : 1);
    for (int i = 0; i < n; i++) fields[i] = value_copy(env, v.fields[i]);
    v.fields = fields;
    return v;
}

bool value_equal(const value *a, const value *b)
{
    if (a->type != b->type || !value_same_dims(a, b)) return false;
    if (a->type <= VALUE_OBJECT) {
        const expr *x = value_at(a), *y = value_at(b);
        for (int i = 0; i < a->n; i++)
            if (x[i] != y[i]) return false;
        return true;
    }
    if (a->type == VALUE_FUNCTION && a->record->class_ != b->record->class_) return false;
    if (n_fields(a) != n_fields(b)) return false;
    for (int i = 0; i < n_fields(a); i++)
        if (!value_equal(&a->fields[i], &b->fields[i])) return false;
    return a->type != VALUE_ERROR;
}
