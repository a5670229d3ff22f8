/* Functions of values alone: sizes, constructors, reductions, algebra.
 *
 * Sizes and dimension numbers must be literals here: parameters in arguments marked # have been
 * replaced by their values.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <float.h>
#include <limits.h>
#include <string.h>

/* ---- checks ---------------------------------------------------------------------------------- */

static value needs(const value_env *env, span at, const char *name, const char *wants,
                   const value *got)
{
    diag_error(env->diags, "M320", at, "%s needs %s, not %s", name, wants,
               value_type_name(env, got));
    return value_error();
}

static bool literal_size(const value_env *env, const char *name, const value *v, span at, int *n)
{
    int64_t i;
    if (!value_literal_integer(env, v, &i)) {
        if (v->type != VALUE_INTEGER || v->n_dims)
            needs(env, at, name, "Integer scalars for sizes", v);
        else
            diag_error(env->diags, "M321", at,
                       "a size in %s must be known when the model is flattened", name);
        return false;
    }
    if (i < 0 || i > VALUE_MAX_ELEMENTS) {
        diag_error(env->diags, "M321", at, "%s cannot make an array of size %lld", name,
                   (long long)i);
        return false;
    }
    *n = (int)i;
    return true;
}

/* Sizes from arguments, followed by the dimensions of `inner` if it is given. */
static bool literal_sizes(const value_env *env, const char *name, const value *args, int n,
                          const value *inner, span at, int *dims, int *n_dims)
{
    int64_t total = inner ? inner->n : 1;
    int extra = inner ? inner->n_dims : 0;
    if (n + extra > VALUE_MAX_DIMS) n = VALUE_MAX_DIMS - extra;
    bool zero = false;
    for (int i = 0; i < n; i++) {
        if (!literal_size(env, name, &args[i], at, &dims[i])) return false;
        zero |= dims[i] == 0;
        total = total > VALUE_MAX_ELEMENTS ? total : total * dims[i];
    }
    for (int i = 0; i < extra; i++) dims[n + i] = inner->dims[i];
    *n_dims = n + extra;
    if (zero || total <= VALUE_MAX_ELEMENTS) return true;
    diag_error(env->diags, "M306", at, "this array would have more than %d elements",
               VALUE_MAX_ELEMENTS);
    return false;
}

static bool is_vector(const value *v, int n)
{
    return value_is_numeric(v) && v->n_dims == 1 && (n < 0 || v->n == n);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static value array_ndims(const value_env *env, const value *args, int n, span at)
{
    (void)n, (void)at;
    return value_integer(env, args[0].n_dims);
}

static value array_size(const value_env *env, const value *args, int n, span at)
{
    const value *v = &args[0];
    if (v->type > VALUE_RECORD) return needs(env, at, "size()", "an array", v);
    int n_dims = v->n_dims;
    expr *slots;
    value all = value_new(env, VALUE_INTEGER, 0, &n_dims, 1, &slots);
    for (int d = 0; d < n_dims; d++) slots[d] = expr_integer(env->p, v->dims[d]);
    if (n == 1) return all;
    subscript s;
    int64_t k;
    if (value_literal_integer(env, &args[1], &k) && (k < 1 || k > n_dims)) {
        diag_error(env->diags, "M322", at, "%s has no dimension %lld", value_type_name(env, v),
                   (long long)k);
        return value_error();
    }
    if (!value_subscript(env, &args[1], n_dims, "size", at, &s)) return value_error();
    return value_index(env, all, &s, 1, at);
}

/* The same elements with other dimensions. */
static value reshape(const value_env *env, const value *v, const int *dims, int n_dims)
{
    value r = *v;
    int *copy = arena_array(env->a, int, n_dims ? n_dims : 1);
    if (n_dims) memcpy(copy, dims, sizeof *dims * (size_t)n_dims);
    r.dims = n_dims ? copy : NULL;
    r.n_dims = (uint8_t)n_dims;
    if (v->type > VALUE_OBJECT) return r;
    if (!n_dims) r.e = value_at(v)[0];
    if (n_dims && !v->n_dims) {
        expr *slot = arena_new(env->a, expr);
        *slot = v->e;
        r.at = slot;
    }
    return r;
}

static value array_promote(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    int k, dims[VALUE_MAX_DIMS];
    const value *v = &args[0];
    if (!literal_size(env, "promote()", &args[1], at, &k)) return value_error();
    if (k < v->n_dims || k > VALUE_MAX_DIMS)
        return needs(env, at, "promote()", "at most as many dimensions as asked for", v);
    for (int d = 0; d < k; d++) dims[d] = d < v->n_dims ? v->dims[d] : 1;
    return reshape(env, v, dims, k);
}

static value array_scalar(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    if (args[0].n != 1 || args[0].type > VALUE_RECORD)
        return needs(env, at, "scalar()", "an array with one element", &args[0]);
    return reshape(env, &args[0], NULL, 0);
}

static value array_vector(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    int large = 0;
    for (int d = 0; d < v->n_dims; d++) large += v->dims[d] > 1;
    if (large > 1 || v->type > VALUE_RECORD)
        return needs(env, at, "vector()", "an array with at most one dimension larger than 1", v);
    return reshape(env, v, &v->n, 1);
}

static value array_matrix(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    int dims[2] = {v->n_dims > 0 ? v->dims[0] : 1, v->n_dims > 1 ? v->dims[1] : 1};
    bool fits = v->type <= VALUE_RECORD;
    for (int d = 2; d < v->n_dims; d++) fits &= v->dims[d] == 1;
    if (!fits) return needs(env, at, "matrix()", "an array with at most two dimensions", v);
    return reshape(env, v, dims, 2);
}

/* ---- constructors ---------------------------------------------------------------------------- */

static value filled(const value_env *env, value what, const int *dims, int n_dims)
{
    if (what.type == VALUE_RECORD) {
        value *slots;
        value r = value_new_record(env, what.record, dims, n_dims, &slots);
        int group = what.n * what.record->n;
        for (int i = 0; group && i < r.n * what.record->n; i++) slots[i] = what.fields[i % group];
        return r;
    }
    expr *slots;
    value r = value_new(env, what.type, what.enum_id, dims, n_dims, &slots);
    const expr *from = value_at(&what);
    for (int i = 0; i < r.n; i++) slots[i] = from[what.n == 1 ? 0 : i % what.n];
    return r;
}

static value array_fill(const value_env *env, const value *args, int n, span at)
{
    int dims[VALUE_MAX_DIMS], n_dims;
    if (args[0].type > VALUE_RECORD) return needs(env, at, "fill()", "a value", &args[0]);
    if (!literal_sizes(env, "fill()", args + 1, n - 1, &args[0], at, dims, &n_dims))
        return value_error();
    return filled(env, args[0], dims, n_dims);
}

static value array_zeros(const value_env *env, const value *args, int n, span at)
{
    int dims[VALUE_MAX_DIMS], n_dims;
    if (!literal_sizes(env, "zeros()", args, n, NULL, at, dims, &n_dims)) return value_error();
    return filled(env, value_integer(env, 0), dims, n_dims);
}

static value array_ones(const value_env *env, const value *args, int n, span at)
{
    int dims[VALUE_MAX_DIMS], n_dims;
    if (!literal_sizes(env, "ones()", args, n, NULL, at, dims, &n_dims)) return value_error();
    return filled(env, value_integer(env, 1), dims, n_dims);
}

static value diagonal(const value_env *env, value_type type, const expr *at, int step, int n)
{
    int dims[2] = {n, n};
    expr *slots;
    value r = value_new(env, type, 0, dims, 2, &slots);
    expr zero = type == VALUE_REAL ? env->p->zero : expr_integer(env->p, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) slots[i * n + j] = i == j ? at[i * step] : zero;
    return r;
}

static value array_identity(const value_env *env, const value *args, int n, span at)
{
    int dims[VALUE_MAX_DIMS], n_dims;
    value twice[2] = {args[0], args[0]};
    (void)n;
    if (!literal_sizes(env, "identity()", twice, 2, NULL, at, dims, &n_dims)) return value_error();
    expr one = expr_integer(env->p, 1);
    return diagonal(env, VALUE_INTEGER, &one, 0, dims[0]);
}

static value array_diagonal(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    if (!is_vector(v, -1) || (int64_t)v->n * v->n > VALUE_MAX_ELEMENTS)
        return needs(env, at, "diagonal()", "a vector of numbers", v);
    return diagonal(env, v->type, v->at, 1, v->n);
}

static value array_linspace(const value_env *env, const value *args, int n, span at)
{
    int k;
    (void)n;
    if (!literal_size(env, "linspace()", &args[2], at, &k)) return value_error();
    for (int i = 0; i < 2; i++)
        if (args[i].n_dims || !value_is_numeric(&args[i]))
            return needs(env, at, "linspace()", "numbers as bounds", &args[i]);
    if (k < 2) {
        diag_error(env->diags, "M321", at, "linspace() needs at least 2 points, not %d", k);
        return value_error();
    }
    expr_pool *p = env->p;
    expr a = value_to_real(env, args[0]).e, b = value_to_real(env, args[1]).e;
    expr width = expr_sub(p, b, a), *slots;
    value r = value_new(env, VALUE_REAL, 0, &k, 1, &slots);
    for (int i = 0; i < k; i++) {
        expr part = expr_div(p, expr_mul(p, width, expr_real(p, i)), expr_real(p, k - 1));
        slots[i] = expr_add(p, a, part);
    }
    return r;
}

static value array_cat(const value_env *env, const value *args, int n, span at)
{
    int dim;
    if (!literal_size(env, "cat()", &args[0], at, &dim)) return value_error();
    return value_cat(env, dim, args + 1, n - 1, at);
}

static value array_from_list(const value_env *env, const value *args, int n, span at)
{
    return value_array(env, args, n, at);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static value array_sum(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    if (!value_is_numeric(v)) return needs(env, at, "sum()", "an array of numbers", v);
    expr e = v->type == VALUE_REAL ? env->p->zero : expr_integer(env->p, 0);
    for (int i = 0; i < v->n; i++) e = i ? expr_add(env->p, e, value_at(v)[i]) : value_at(v)[0];
    return (value){.type = v->type, .n = 1, .e = e};
}

/* Of an array of records, by their operator. */
static value call_sum(const scope *s, const eval_builtin *f, const ast_call *c,
                      const ast_expr *const *a, int n, span at)
{
    (void)c;
    value v = eval_value(s, a[0]);
    if (value_is_error(&v)) return v;
    if (v.type == VALUE_RECORD) return s->b->verbs->sum(s, &v, at);
    return f->values(eval_env(s), &v, n, at);
}

static value array_product(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    if (!value_is_numeric(v)) return needs(env, at, "product()", "an array of numbers", v);
    expr e = v->type == VALUE_REAL ? env->p->one : expr_integer(env->p, 1);
    for (int i = 0; i < v->n; i++) e = i ? expr_mul(env->p, e, value_at(v)[i]) : value_at(v)[0];
    return (value){.type = v->type, .n = 1, .e = e};
}

/* The least (or greatest) value of a type: what the maximum (minimum) of nothing is. */
static expr extreme(const value_env *env, const value *v, bool least)
{
    int n = env->model && v->enum_id < env->model->enums.n ? env->model->enums.at[v->enum_id].n : 1;
    switch (v->type) {
    case VALUE_REAL: return expr_real(env->p, least ? -DBL_MAX : DBL_MAX);
    case VALUE_INTEGER: return expr_integer(env->p, least ? -INT_MAX : INT_MAX);
    case VALUE_BOOLEAN: return expr_boolean(env->p, !least);
    default: return expr_enum(env->p, v->enum_id, least ? 1 : n);
    }
}

static expr pick_extreme(const value_env *env, expr_op op, value_type type, expr a, expr b)
{
    if (type == VALUE_BOOLEAN) return expr_2(env->p, op == EXPR_MIN ? EXPR_AND : EXPR_OR, a, b);
    return expr_2(env->p, op, a, b);
}

/* Of neighbours, then of what they gave, and so on: each element is in as many operations as n has bits, and so is its
 * derivative. One after the other it would be n of them. */
static expr extreme_of(const value_env *env, expr_op op, value_type type, const expr *at, int n)
{
    if (n == 1) return at[0];
    int left = 1;
    while (left < n - left) left *= 2;
    return pick_extreme(env, op, type, extreme_of(env, op, type, at, left),
                        extreme_of(env, op, type, at + left, n - left));
}

static value extremum(const value_env *env, expr_op op, const value *args, int n, span at)
{
    const char *name = op == EXPR_MIN ? "min()" : "max()";
    value v = args[0];
    if (n == 2) {
        value pair = value_array(env, args, 2, at);
        if (value_is_error(&pair)) return pair;
        if (args[0].n_dims) return needs(env, at, name, "one array or two scalars", &args[0]);
        v = pair;
    }
    if (v.type > VALUE_OBJECT || v.type == VALUE_STRING)
        return needs(env, at, name, "numbers, Booleans or enumeration values", &v);
    expr e =
        v.n ? extreme_of(env, op, v.type, value_at(&v), v.n) : extreme(env, &v, op == EXPR_MAX);
    return (value){.type = v.type, .enum_id = v.enum_id, .n = 1, .e = e};
}

static value array_min(const value_env *env, const value *args, int n, span at)
{
    return extremum(env, EXPR_MIN, args, n, at);
}

static value array_max(const value_env *env, const value *args, int n, span at)
{
    return extremum(env, EXPR_MAX, args, n, at);
}

/* ---- algebra --------------------------------------------------------------------------------- */

static value array_transpose(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    if (v->n_dims < 2 || v->type > VALUE_OBJECT)
        return needs(env, at, "transpose()", "an array with two dimensions or more", v);
    int dims[VALUE_MAX_DIMS], rows = v->dims[0], cols = v->dims[1];
    memcpy(dims, v->dims, sizeof *dims * v->n_dims);
    dims[0] = cols, dims[1] = rows;
    int inner = v->n ? v->n / (rows * cols) : 0;
    expr *slots;
    value r = value_new(env, v->type, v->enum_id, dims, v->n_dims, &slots);
    for (int i = 0; v->n && i < rows; i++)
        for (int j = 0; j < cols; j++)
            for (int k = 0; k < inner; k++)
                slots[(j * rows + i) * inner + k] = v->at[(i * cols + j) * inner + k];
    return r;
}

static value array_outer_product(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    for (int i = 0; i < 2; i++)
        if (!is_vector(&args[i], -1))
            return needs(env, at, "outerProduct()", "two vectors of numbers", &args[i]);
    int one = 1, a_dims[2] = {args[0].n, one}, b_dims[2] = {one, args[1].n};
    return value_binary(env, AST_MUL, reshape(env, &args[0], a_dims, 2),
                        reshape(env, &args[1], b_dims, 2), at);
}

static value array_symmetric(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    const value *v = &args[0];
    if (v->n_dims != 2 || v->dims[0] != v->dims[1] || !value_is_numeric(v))
        return needs(env, at, "symmetric()", "a square matrix of numbers", v);
    expr *slots;
    value r = value_new(env, v->type, 0, v->dims, 2, &slots);
    int m = v->dims[0];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) slots[i * m + j] = v->at[i <= j ? i * m + j : j * m + i];
    return r;
}

static value array_cross(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    for (int i = 0; i < 2; i++)
        if (!is_vector(&args[i], 3))
            return needs(env, at, "cross()", "two vectors of size 3", &args[i]);
    const expr *x = args[0].at, *y = args[1].at;
    int dims = 3;
    bool real = args[0].type == VALUE_REAL || args[1].type == VALUE_REAL;
    expr *slots;
    value r = value_new(env, real ? VALUE_REAL : VALUE_INTEGER, 0, &dims, 1, &slots);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        slots[i] = expr_sub(env->p, expr_mul(env->p, x[j], y[k]), expr_mul(env->p, x[k], y[j]));
    }
    return r;
}

static value array_skew(const value_env *env, const value *args, int n, span at)
{
    (void)n;
    if (!is_vector(&args[0], 3)) return needs(env, at, "skew()", "a vector of size 3", &args[0]);
    value x = value_to_real(env, args[0]);
    expr_pool *p = env->p;
    int dims[2] = {3, 3};
    expr *slots;
    value r = value_new(env, VALUE_REAL, 0, dims, 2, &slots);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        slots[4 * i] = p->zero;
        slots[3 * j + k] = expr_neg(p, x.at[i]);
        slots[3 * k + j] = x.at[i];
    }
    return r;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const eval_builtin array_functions[] = {
    // sorted by name
    {"array", "A ...", RESULT_AS_ARGUMENTS, BUILTIN_REDUCES, "10.4", "sum(array(1, 2, 3)) == 6",
     .values = array_from_list},
    {"cat", "k# A ...", RESULT_AS_ARGUMENTS, 0, "10.4.2", "size(cat(1, {1, 2}, {3}), 1) == 3",
     .values = array_cat},
    {"cross", "x y", RESULT_AS_ARGUMENTS, 0, "10.3.5", "cross({1, 0, 0}, {0, 1, 0})*{0, 0, 5} == 5",
     .values = array_cross},
    {"diagonal", "v", RESULT_AS_ARGUMENTS, 0, "10.3.3", "sum(diagonal({1, 2})*{1, 10}) == 21",
     .values = array_diagonal},
    {"fill", "s n# ...", RESULT_AS_ARGUMENTS, 0, "10.3.3", "sum(fill(2, 3, 2)) == 12",
     .values = array_fill},
    {"identity", "n#", RESULT_INTEGER, 0, "10.3.3", "sum(identity(3)*{1, 2, 3}) == 6",
     .values = array_identity},
    {"linspace", "x1 x2 n#", RESULT_REAL, 0, "10.3.3", "abs(sum(linspace(1, 2, 5)) - 7.5) < 1e-15",
     .values = array_linspace},
    {"matrix", "A", RESULT_AS_ARGUMENTS, 0, "10.3.2", "size(matrix({1, 2, 3}), 2) == 1",
     .values = array_matrix},
    {"max", "x [y]", RESULT_AS_ARGUMENTS, BUILTIN_REDUCES, "10.3.4",
     "max({1, 5, 3}) == 5 and max(2, 4) == 4", .values = array_max},
    {"min", "x [y]", RESULT_AS_ARGUMENTS, BUILTIN_REDUCES, "10.3.4",
     "min({4, 5, 3}) == 3 and min(2, 4) == 2", .values = array_min},
    {"ndims", "A", RESULT_INTEGER, 0, "10.3.1", "ndims([1, 2; 3, 4]) == 2", .values = array_ndims},
    {"ones", "n# ...", RESULT_INTEGER, 0, "10.3.3", "sum(ones(2, 3)) == 6", .values = array_ones},
    {"outerProduct", "x y", RESULT_AS_ARGUMENTS, 0, "10.3.5",
     "sum(outerProduct({1, 2}, {3, 4})) == 21", .values = array_outer_product},
    {"product", "A", RESULT_AS_ARGUMENTS, BUILTIN_REDUCES, "10.3.4", "product({2, 3, 4}) == 24",
     .values = array_product},
    {"promote", "A n#", RESULT_AS_ARGUMENTS, 0, "10.3.2", "ndims(promote({1, 2}, 3)) == 3",
     .values = array_promote},
    {"scalar", "A", RESULT_AS_ARGUMENTS, 0, "10.3.2", "scalar([7]) == 7", .values = array_scalar},
    {"size", "A [i#]", RESULT_INTEGER, 0, "10.3.1", "size([1, 2, 3; 4, 5, 6], 2) == 3",
     .values = array_size},
    {"skew", "x", RESULT_REAL, 0, "10.3.5", "abs(sum(skew({1, 2, 3})*{1, 2, 3})) < 1e-15",
     .values = array_skew},
    {"sum", "A", RESULT_AS_ARGUMENTS, BUILTIN_REDUCES, "10.3.4", "sum({1, 2, 3}) == 6",
     .values = array_sum, .call = call_sum},
    {"symmetric", "A", RESULT_AS_ARGUMENTS, 0, "10.3.5", "sum(symmetric([1, 2; 3, 4])) == 9",
     .values = array_symmetric},
    {"transpose", "A", RESULT_AS_ARGUMENTS, 0, "10.3.5", "sum(transpose([1, 2; 3, 4])*{1, 0}) == 3",
     .values = array_transpose},
    {"vector", "A", RESULT_AS_ARGUMENTS, 0, "10.3.2", "ndims(vector([1; 2])) == 1",
     .values = array_vector},
    {"zeros", "n# ...", RESULT_INTEGER, 0, "10.3.3", "sum(zeros(2, 3)) == 0",
     .values = array_zeros},
};

const eval_family eval_array_functions = {array_functions,
                                          sizeof array_functions / sizeof *array_functions};
