/* Building arrays and taking them apart: Modelica Language Specification 3.6, sections 10.4
 * (constructors, concatenation, ranges) and 10.5 (indexing).
 *
 * Elements are handled through a small view that treats the scalars of a basic type and the groups
 * of fields of a record alike: every operation here only moves whole elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "value/value.h"

#include "base/whole.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A new array under construction. */
typedef struct builder {
    value v;
    expr *e;
    value *fields;
} builder;

static builder builder_begin(const value_env *env, const value *type, const int *dims, int n_dims)
{
    builder b = {0};
    if (type->type == VALUE_RECORD)
        b.v = value_new_record(env, type->record, dims, n_dims, &b.fields);
    else b.v = value_new(env, type->type, type->enum_id, dims, n_dims, &b.e);
    return b;
}

/* An array that belongs to nobody else, to be changed. */
static builder builder_of(const value *v)
{
    builder b = {.v = *v};
    if (v->type == VALUE_RECORD) b.fields = (value *)v->fields;
    else b.e = (expr *)v->at;
    return b;
}

static void builder_put(builder *b, int to, const value *from, int i, int n)
{
    if (!n) return;
    if (b->fields) {
        int per = b->v.record->n;
        memcpy(b->fields + (size_t)to * per, from->fields + (size_t)i * per,
               sizeof(value) * (size_t)n * (size_t)per);
    } else {
        memcpy(b->e + to, value_at(from) + i, sizeof(expr) * (size_t)n);
    }
}

/* A result without dimensions carries its element inside. */
static value builder_end(builder *b)
{
    if (!b->v.n_dims && b->e) {
        b->v.e = b->e[0];
        b->v.at = NULL;
    }
    return b->v;
}

static value too_large(const value_env *env, span at)
{
    diag_error(env->diags, "M306", at, "this array would have more than %d elements",
               VALUE_MAX_ELEMENTS);
    return value_error();
}

/* ---- { } ------------------------------------------------------------------------------------- */

/* The type that all the values have or convert to, as a value of that type. */
static bool common_type(const value_env *env, const value *v, int n, span at, value *type)
{
    *type = v[0];
    for (int i = 0; i < n; i++) {
        if (value_is_error(&v[i])) return false;
        if (value_accepts(type, &v[i]) && type->type <= VALUE_RECORD) continue;
        if (!value_accepts(&v[i], type) || v[i].type > VALUE_RECORD) {
            diag_error(env->diags, "M307", at,
                       "the elements of an array must have one type; these are %s and %s",
                       value_type_name(env, type), value_type_name(env, &v[i]));
            return false;
        }
        *type = v[i];
    }
    return true;
}

value value_array(const value_env *env, const value *v, int n, span at)
{
    int dims[VALUE_MAX_DIMS] = {n};
    if (!n) {
        expr *none;
        return value_new(env, VALUE_REAL, 0, dims, 1, &none);
    }
    value type;
    if (!common_type(env, v, n, at, &type)) return value_error();
    for (int i = 1; i < n; i++)
        if (!value_same_dims(&v[0], &v[i])) {
            diag_error(env->diags, "M308", at,
                       "the elements of an array must have one size; element 1 is %s, element %d "
                       "is %s",
                       value_type_name(env, &v[0]), i + 1, value_type_name(env, &v[i]));
            return value_error();
        }
    if (v[0].n_dims + 1 >= VALUE_MAX_DIMS || (int64_t)n * v[0].n > VALUE_MAX_ELEMENTS)
        return too_large(env, at);
    for (int d = 0; d < v[0].n_dims; d++) dims[d + 1] = v[0].dims[d];
    builder b = builder_begin(env, &type, dims, v[0].n_dims + 1);
    for (int i = 0; i < n; i++) {
        value x = value_convert(env, &type, v[i]);
        builder_put(&b, i * v[0].n, &x, 0, v[0].n);
    }
    return builder_end(&b);
}

/* ---- concatenation --------------------------------------------------------------------------- */

value value_cat(const value_env *env, int dim, const value *v, int n, span at)
{
    value type;
    if (!n || !common_type(env, v, n, at, &type)) return value_error();
    if (dim < 1 || dim > v[0].n_dims) {
        diag_error(env->diags, "M309", at, "dimension %d does not exist in %s", dim,
                   value_type_name(env, &v[0]));
        return value_error();
    }
    int dims[VALUE_MAX_DIMS], along = 0;
    int64_t total = 0;
    for (int i = 0; i < n; i++) {
        bool fits = v[i].n_dims == v[0].n_dims;
        for (int d = 0; fits && d < v[0].n_dims; d++)
            fits = d == dim - 1 || v[i].dims[d] == v[0].dims[d];
        if (!fits) {
            diag_error(env->diags, "M309", at,
                       "arrays joined along dimension %d must agree in the others; these are %s "
                       "and %s",
                       dim, value_type_name(env, &v[0]), value_type_name(env, &v[i]));
            return value_error();
        }
        along += v[i].dims[dim - 1];
        total += v[i].n;
        if (total > VALUE_MAX_ELEMENTS) return too_large(env, at);
    }
    int outer = 1, inner = 1;
    for (int d = 0; d < v[0].n_dims; d++) {
        dims[d] = d == dim - 1 ? along : v[0].dims[d];
        if (d < dim - 1) outer *= dims[d];
        if (d > dim - 1) inner *= dims[d];
    }
    builder b = builder_begin(env, &type, dims, v[0].n_dims);
    for (int i = 0, shift = 0; i < n; i++) {
        value x = value_convert(env, &type, v[i]);
        int block = x.dims[dim - 1] * inner;
        for (int o = 0; o < outer && block; o++)
            builder_put(&b, o * along * inner + shift, &x, o * block, block);
        shift += block;
    }
    return builder_end(&b);
}

/* Dimensions of size 1 appended up to n. */
static value promote(const value_env *env, value v, int n)
{
    if (v.n_dims >= n || v.type > VALUE_RECORD) return v;
    int dims[VALUE_MAX_DIMS];
    for (int d = 0; d < n; d++) dims[d] = d < v.n_dims ? v.dims[d] : 1;
    builder b = builder_begin(env, &v, dims, n);
    builder_put(&b, 0, &v, 0, v.n);
    return builder_end(&b);
}

value value_matrix(const value_env *env, const value *const *rows, const int *n, int n_rows,
                   span at)
{
    int n_dims = 2;
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n[i]; j++)
            if (rows[i][j].n_dims > n_dims) n_dims = rows[i][j].n_dims;
    value *done = arena_array(env->a, value, n_rows);
    for (int i = 0; i < n_rows; i++) {
        value *row = arena_array(env->a, value, n[i]);
        for (int j = 0; j < n[i]; j++) row[j] = promote(env, rows[i][j], n_dims);
        done[i] = n[i] == 1 ? row[0] : value_cat(env, 2, row, n[i], at);
        if (value_is_error(&done[i])) return value_error();
        if (i && n_dims == 2 && done[i].dims[1] != done[0].dims[1]) {
            diag_error(env->diags, "M309", at,
                       "the rows of a matrix must be equally long: row 1 has %d element%s, row %d "
                       "has %d",
                       done[0].dims[1], done[0].dims[1] == 1 ? "" : "s", i + 1, done[i].dims[1]);
            return value_error();
        }
    }
    return n_rows == 1 ? done[0] : value_cat(env, 1, done, n_rows, at);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static value range_error(const value_env *env, span at, const char *why)
{
    diag_error(env->diags, "M310", at, "%s", why);
    return value_error();
}

/* How many elements; rounding of the quotient must not lose the last one (0:0.1:0.3 has four). */
static double range_count(double first, double step, double last)
{
    double q = (last - first) / step;
    return q < 0 ? 0 : floor(q * (1 + 4 * DBL_EPSILON)) + 1;
}

value value_range(const value_env *env, value first, const value *step, value last, span at)
{
    if (value_is_error(&first) || value_is_error(&last) || (step && value_is_error(step)))
        return value_error();
    if (!value_is_scalar(&first) || !value_is_scalar(&last) || (step && !value_is_scalar(step)))
        return range_error(env, at, "the bounds and the step of a range must be scalars");
    bool numeric = value_is_numeric(&first) && value_is_numeric(&last);
    bool ordinal = first.type == last.type && first.enum_id == last.enum_id &&
                   (first.type == VALUE_ENUM || first.type == VALUE_BOOLEAN) && !step;
    if ((!numeric && !ordinal) || (step && !value_is_numeric(step)))
        return range_error(env, at,
                           "the bounds of a range must be two numbers, or two values of one "
                           "enumeration or Boolean without a step");
    double x0, x1, dx = 1;
    if (!expr_number(env->p, first.e, &x0) || !expr_number(env->p, last.e, &x1) ||
        (step && !expr_number(env->p, step->e, &dx)))
        return range_error(env, at,
                           "the bounds of a range must be known when the model is flattened");
    if (dx == 0) return range_error(env, at, "the step of a range must not be 0");
    double count = range_count(x0, dx, x1);
    if (!(count <= VALUE_MAX_ELEMENTS)) return too_large(env, at);

    bool real =
        first.type == VALUE_REAL || (step && step->type == VALUE_REAL) || last.type == VALUE_REAL;
    value_type type = real ? VALUE_REAL : first.type;
    int n = (int)count;
    expr *slots;
    value r = value_new(env, type, first.enum_id, &n, 1, &slots);
    for (int i = 0; i < n; i++) {
        double x = x0 + i * dx;
        if (type == VALUE_REAL) slots[i] = expr_real(env->p, x);
        if (type == VALUE_INTEGER) slots[i] = expr_integer(env->p, whole_number(x));
        if (type == VALUE_BOOLEAN) slots[i] = expr_boolean(env->p, x != 0);
        if (type == VALUE_ENUM) slots[i] = expr_enum(env->p, first.enum_id, whole_number(x));
    }
    return r;
}

/* ---- subscripts ------------------------------------------------------------------------------ */

/* The index (from 0) that a literal means: Integer and enumerations count from 1, false is 0. */
static bool elements_index_of(const value_env *env, expr e, int64_t *index)
{
    const expr_node *node = expr_at(env->p, e);
    *index = node->u.integer - (node->op != EXPR_BOOLEAN);
    return node->op == EXPR_INTEGER || node->op == EXPR_ENUM || node->op == EXPR_BOOLEAN;
}

static bool in_range(const value_env *env, int64_t index, int size, const char *name, span at)
{
    if (index >= 0 && index < size) return true;
    if (!size)
        diag_error(env->diags, "M311", at, "'%s' has no elements here, so it has no element %lld",
                   name, (long long)index + 1);
    else
        diag_error(env->diags, "M311", at, "subscript %lld of '%s' is outside 1 ... %d",
                   (long long)index + 1, name, size);
    return false;
}

bool value_subscript(const value_env *env, const value *v, int size, const char *name, span at,
                     subscript *out)
{
    if (value_is_error(v)) return false;
    if (v->n_dims > 1 || (v->n && (v->type == VALUE_REAL || v->type == VALUE_STRING)) ||
        v->type > VALUE_OBJECT) {
        diag_error(env->diags, "M312", at,
                   "a subscript of '%s' must be an Integer or a vector of Integers, not %s", name,
                   value_type_name(env, v));
        return false;
    }
    int64_t index;
    if (!v->n_dims) {
        if (!elements_index_of(env, v->e, &index)) {
            *out = (subscript){.kind = SUB_SYMBOLIC, .e = v->e};
            return true;
        }
        if (!in_range(env, index, size, name, at)) return false;
        *out = (subscript){.kind = SUB_INDEX, .index = (int)index};
        return true;
    }
    int *list = arena_array(env->a, int, v->n ? v->n : 1);
    for (int i = 0; i < v->n; i++) {
        if (!elements_index_of(env, v->at[i], &index)) {
            diag_error(env->diags, "M313", at,
                       "a vector of subscripts of '%s' must be known when the model is flattened",
                       name);
            return false;
        }
        if (!in_range(env, index, size, name, at)) return false;
        list[i] = (int)index;
    }
    *out = (subscript){.kind = SUB_SET, .n = v->n, .at = list};
    return true;
}

/* e == k (from 0), with the literal of e's type. */
static expr is_index(const value_env *env, expr e, int k)
{
    const expr_node *node = expr_at(env->p, e);
    expr literal;
    if (node->type == TYPE_BOOLEAN) return k ? e : expr_1(env->p, EXPR_NOT, e);
    if (node->type == TYPE_ENUM) literal = expr_enum(env->p, node->enum_id, k + 1);
    else literal = expr_integer(env->p, k + 1);
    return value_make(env, EXPR_EQ, (expr[]){e, literal}, 2);
}

static bool check_count(const value_env *env, const value *v, int n, span at)
{
    if (n <= v->n_dims) return true;
    diag_error(env->diags, "M314", at, "%d subscript%s for %s, which has %d dimension%s", n,
               n == 1 ? "" : "s", value_type_name(env, v), v->n_dims, v->n_dims == 1 ? "" : "s");
    return false;
}

static int chosen(const subscript *s, int size)
{
    return s->kind == SUB_ALL ? size : s->kind == SUB_SET ? s->n : 1;
}

static int position(const subscript *s, int i)
{
    return s->kind == SUB_ALL ? i : s->kind == SUB_SET ? s->at[i] : s->index;
}

/* Copy the chosen elements of dimension d and the following ones; `from` counts elements. */
static void elements_gather(const value *v, const subscript *s, int d, int from, builder *b,
                            int *to)
{
    if (d == v->n_dims) {
        builder_put(b, (*to)++, v, from, 1);
        return;
    }
    int n = chosen(&s[d], v->dims[d]);
    for (int i = 0; i < n; i++)
        elements_gather(v, s, d + 1, from * v->dims[d] + position(&s[d], i), b, to);
}

static value index_symbolic(const value_env *env, value v, subscript *s, int d, span at)
{
    expr e = s[d].e;
    if (!v.dims[d]) {
        diag_error(env->diags, "M311", at, "an array without elements cannot be subscripted");
        return value_error();
    }
    value r = value_error();
    for (int k = v.dims[d] - 1; k >= 0; k--) {
        s[d] = (subscript){.kind = SUB_INDEX, .index = k};
        value x = value_index(env, v, s, v.n_dims, at);
        r = k == v.dims[d] - 1 ? x : value_if(env, is_index(env, e, k), x, r, at);
    }
    return r;
}

value value_index(const value_env *env, value v, const subscript *s, int n, span at)
{
    if (value_is_error(&v) || !n) return v;
    if (v.type > VALUE_RECORD) {
        diag_error(env->diags, "M314", at, "%s cannot be subscripted", value_type_name(env, &v));
        return value_error();
    }
    if (!check_count(env, &v, n, at)) return value_error();
    if (n == 1 && v.n_dims == 1 && s->kind == SUB_INDEX && v.type <= VALUE_OBJECT)
        return (value){.type = v.type, .enum_id = v.enum_id, .n = 1, .e = v.at[s->index]};

    subscript all[VALUE_MAX_DIMS];
    int dims[VALUE_MAX_DIMS], n_dims = 0;
    int64_t total = 1;
    for (int d = 0; d < v.n_dims; d++) {
        all[d] = d < n ? s[d] : (subscript){.kind = SUB_ALL};
        if (all[d].kind == SUB_INDEX || all[d].kind == SUB_SYMBOLIC) continue;
        dims[n_dims++] = chosen(&all[d], v.dims[d]);
        total = total > VALUE_MAX_ELEMENTS ? total : total * dims[n_dims - 1];
    }
    if (total > VALUE_MAX_ELEMENTS) return too_large(env, at);
    for (int d = 0; d < v.n_dims; d++)
        if (all[d].kind == SUB_SYMBOLIC) return index_symbolic(env, v, all, d, at);
    builder b = builder_begin(env, &v, dims, n_dims);
    int to = 0;
    elements_gather(&v, all, 0, 0, &b, &to);
    return builder_end(&b);
}

value value_element(const value_env *env, const value *v, int i)
{
    subscript s = {.kind = SUB_INDEX, .index = i};
    return value_index(env, *v, &s, 1, (span){0});
}

/* ---- assignment to a part -------------------------------------------------------------------- */

typedef struct scatter {
    const value_env *env;
    const subscript *s;
    builder *b;
    const value *x;
    span at;
    bool failed;
} scatter;

/* c == 0: always; otherwise where c holds. */
static void assign_element(scatter *t, int to, int from, expr c)
{
    if (!c) {
        builder_put(t->b, to, t->x, from, 1);
    } else if (t->b->e) {
        t->b->e[to] = expr_3(t->env->p, EXPR_IF, c, value_at(t->x)[from], t->b->e[to]);
    } else {
        int per = t->b->v.record->n;
        for (int f = 0; f < per; f++) {
            value *slot = &t->b->fields[to * per + f];
            *slot = value_if(t->env, c, t->x->fields[from * per + f], *slot, t->at);
            t->failed |= value_is_error(slot);
        }
    }
}

static void scatter_at(scatter *t, int d, int to, int from, expr c)
{
    const value *v = &t->b->v;
    if (d == v->n_dims) {
        assign_element(t, to, from, c);
        return;
    }
    const subscript *s = &t->s[d];
    int size = v->dims[d];
    if (s->kind == SUB_SYMBOLIC) {
        for (int k = 0; k < size; k++) {
            expr hit = is_index(t->env, s->e, k);
            scatter_at(t, d + 1, to * size + k, from,
                       c ? expr_2(t->env->p, EXPR_AND, c, hit) : hit);
        }
        return;
    }
    int n = chosen(s, size);
    for (int i = 0; i < n; i++)
        scatter_at(t, d + 1, to * size + position(s, i), s->kind == SUB_INDEX ? from : from * n + i,
                   c);
}

value value_assign(const value_env *env, value v, bool own, const subscript *s, int n, value x,
                   span at)
{
    if (value_is_error(&v) || value_is_error(&x)) return value_error();
    if (!check_count(env, &v, n, at)) return value_error();
    subscript all[VALUE_MAX_DIMS];
    int dims[VALUE_MAX_DIMS], n_dims = 0;
    for (int d = 0; d < v.n_dims; d++) {
        all[d] = d < n ? s[d] : (subscript){.kind = SUB_ALL};
        if (all[d].kind == SUB_SET || all[d].kind == SUB_ALL)
            dims[n_dims++] = chosen(&all[d], v.dims[d]);
    }
    value part = v;
    part.dims = dims;
    part.n_dims = (uint8_t)n_dims;
    if (!value_accepts(&v, &x) || !value_same_dims(&part, &x)) {
        diag_error(env->diags, "M315", at, "%s cannot be assigned to a part that is %s",
                   value_type_name(env, &x), value_type_name(env, &part));
        return value_error();
    }
    x = value_convert(env, &v, x);
    builder b = own ? builder_of(&v) : builder_begin(env, &v, v.dims, v.n_dims);
    if (!own) builder_put(&b, 0, &v, 0, v.n);
    scatter t = {env, all, &b, &x, at, false};
    scatter_at(&t, 0, 0, 0, 0);
    return t.failed ? value_error() : builder_end(&b);
}

/* ---- fields ---------------------------------------------------------------------------------- */

value value_field(const value_env *env, value v, sym name, span at)
{
    if (value_is_error(&v)) return v;
    int f = -1;
    for (int i = 0; v.type == VALUE_RECORD && i < v.record->n; i++)
        if (v.record->names[i] == name) f = i;
    if (f < 0) {
        const char *near =
            v.type == VALUE_RECORD
                ? diag_nearest(name, (const char *const *)v.record->names, v.record->n)
                : NULL;
        diag_error(env->diags, "M316", at, "%s has no field '%s'%s%s%s", value_type_name(env, &v),
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        return value_error();
    }
    if (!v.n_dims) return v.fields[f];

    // An array of records: the field of every element, its dimensions after those of the array.
    int dims[VALUE_MAX_DIMS], n_dims = v.n_dims, per = v.record->n;
    memcpy(dims, v.dims, sizeof *dims * (size_t)n_dims);
    value *list = arena_array(env->a, value, v.n ? v.n : 1);
    for (int i = 0; i < v.n; i++) list[i] = v.fields[i * per + f];
    value r = value_array(env, list, v.n, at);
    if (value_is_error(&r)) return r;
    for (int d = 1; d < r.n_dims && n_dims < VALUE_MAX_DIMS; d++) dims[n_dims++] = r.dims[d];
    int *copy = arena_array(env->a, int, n_dims);
    memcpy(copy, dims, sizeof *dims * (size_t)n_dims);
    r.dims = copy;
    r.n_dims = (uint8_t)n_dims;
    return r;
}
