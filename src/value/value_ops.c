/* Operators on values: Modelica Language Specification 3.6, sections 3.4, 3.5 and 10.6.
 *
 * One table says how each operator of the syntax works on arrays and which node it makes of two
 * scalars. Two scalars of basic types take the short path at the top of value_binary.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "value/value.h"

#include "lang/lang.h"

typedef enum shape {
    SHAPE_EQUAL,   // both of the same size
    SHAPE_SPREAD,  // or one of them scalar
    SHAPE_PRODUCT, // matrix product
    SHAPE_DIVIDE,  // anything by a scalar
    SHAPE_POWER,   // scalars, or a square matrix and a number
    SHAPE_SCALAR,  // scalars only
} shape;

typedef enum operands { NUMBERS, NUMBERS_OR_STRINGS, BOOLEANS, COMPARABLE } operands;

static const struct {
    expr_op op;
    shape shape;
    operands operands;
    bool real; // the result is Real whatever the operands are
} ops[AST_N_OPS] = {
    [AST_OR] = {EXPR_OR, SHAPE_EQUAL, BOOLEANS, false},
    [AST_AND] = {EXPR_AND, SHAPE_EQUAL, BOOLEANS, false},
    [AST_LT] = {EXPR_LT, SHAPE_SCALAR, COMPARABLE, false},
    [AST_LE] = {EXPR_LE, SHAPE_SCALAR, COMPARABLE, false},
    [AST_GT] = {EXPR_GT, SHAPE_SCALAR, COMPARABLE, false},
    [AST_GE] = {EXPR_GE, SHAPE_SCALAR, COMPARABLE, false},
    [AST_EQ] = {EXPR_EQ, SHAPE_SCALAR, COMPARABLE, false},
    [AST_NE] = {EXPR_NE, SHAPE_SCALAR, COMPARABLE, false},
    [AST_ADD] = {EXPR_ADD, SHAPE_EQUAL, NUMBERS_OR_STRINGS, false},
    [AST_SUB] = {EXPR_SUB, SHAPE_EQUAL, NUMBERS, false},
    [AST_ADD_EW] = {EXPR_ADD, SHAPE_SPREAD, NUMBERS_OR_STRINGS, false},
    [AST_SUB_EW] = {EXPR_SUB, SHAPE_SPREAD, NUMBERS, false},
    [AST_MUL] = {EXPR_MUL, SHAPE_PRODUCT, NUMBERS, false},
    [AST_DIV] = {EXPR_DIV, SHAPE_DIVIDE, NUMBERS, true},
    [AST_MUL_EW] = {EXPR_MUL, SHAPE_SPREAD, NUMBERS, false},
    [AST_DIV_EW] = {EXPR_DIV, SHAPE_SPREAD, NUMBERS, true},
    [AST_POW] = {EXPR_POW, SHAPE_POWER, NUMBERS, true},
    [AST_POW_EW] = {EXPR_POW, SHAPE_SPREAD, NUMBERS, true},
};

/* ---- elements -------------------------------------------------------------------------------- */

expr value_make(const value_env *env, expr_op op, const expr *args, int n)
{
    expr e = expr_make(env->p, op, args, n);
    if (!env->no_event) return e;
    expr_class class = operator_class(op);
    if ((class != CLASS_REL && class != CLASS_EVENT) || expr_is_literal(env->p, e)) return e;
    return expr_1(env->p, EXPR_NOEVENT, e);
}

static inline expr make_2(const value_env *env, expr_op op, expr a, expr b)
{
    if (env->no_event) return value_make(env, op, (expr[]){a, b}, 2);
    return expr_2(env->p, op, a, b);
}

static value_type result_type(expr_op op, const value *a, const value *b)
{
    switch (operator_class(op)) {
    case CLASS_REL:
    case CLASS_LOGIC: return VALUE_BOOLEAN;
    default: break;
    }
    switch (op) {
    case EXPR_SIGN:
    case EXPR_INT: return VALUE_INTEGER;
    case EXPR_NEG:
    case EXPR_ABS:
    case EXPR_NOEVENT:
    case EXPR_PRE: return a->type;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_IDIV:
    case EXPR_MOD:
    case EXPR_REM: return a->type == b->type ? a->type : VALUE_REAL;
    default: return op == EXPR_EDGE || op == EXPR_CHANGE ? VALUE_BOOLEAN : VALUE_REAL;
    }
}

value value_map_1(const value_env *env, expr_op op, value a)
{
    value_type type = result_type(op, &a, NULL);
    int enum_id = type == VALUE_ENUM ? a.enum_id : 0;
    if (!a.n_dims)
        return (value){.type = (uint8_t)type,
                       .enum_id = (uint16_t)enum_id,
                       .n = 1,
                       .e = value_make(env, op, &a.e, 1)};
    expr *slots;
    value r = value_new(env, type, enum_id, a.dims, a.n_dims, &slots);
    for (int i = 0; i < a.n; i++) slots[i] = value_make(env, op, &a.at[i], 1);
    return r;
}

value value_map_2(const value_env *env, expr_op op, value a, value b)
{
    value_type type = result_type(op, &a, &b);
    int enum_id = type == VALUE_ENUM ? a.enum_id : 0;
    if (!a.n_dims && !b.n_dims)
        return (value){.type = (uint8_t)type,
                       .enum_id = (uint16_t)enum_id,
                       .n = 1,
                       .e = make_2(env, op, a.e, b.e)};
    expr *slots;
    const value *dims = a.n_dims ? &a : &b;
    value r = value_new(env, type, enum_id, dims->dims, dims->n_dims, &slots);
    for (int i = 0; i < r.n; i++)
        slots[i] = make_2(env, op, a.n_dims ? a.at[i] : a.e, b.n_dims ? b.at[i] : b.e);
    return r;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool fits(operands want, const value *v)
{
    if (v->n_dims && !v->n) return v->type <= VALUE_OBJECT; // {} has no type of its own
    switch (want) {
    case NUMBERS: return v->type <= VALUE_INTEGER;
    case NUMBERS_OR_STRINGS: return v->type <= VALUE_INTEGER || v->type == VALUE_STRING;
    case BOOLEANS: return v->type == VALUE_BOOLEAN;
    case COMPARABLE: return v->type <= VALUE_ENUM;
    }
    return false;
}

static const char *wanted(operands want)
{
    static const char *const texts[] = {"numbers", "numbers or Strings", "Booleans",
                                        "scalars of one basic type"};
    return texts[want];
}

static bool types_agree(const value *a, const value *b)
{
    if ((a->n_dims && !a->n) || (b->n_dims && !b->n)) return true;
    if (value_is_numeric(a) && value_is_numeric(b)) return true;
    return a->type == b->type && (a->type != VALUE_ENUM || a->enum_id == b->enum_id);
}

static bool check_types(const value_env *env, ast_op op, const value *a, const value *b, span at)
{
    if (fits(ops[op].operands, a) && fits(ops[op].operands, b) && types_agree(a, b)) return true;
    bool ordinal = (a->type == VALUE_ENUM && value_is_numeric(b)) ||
                   (b->type == VALUE_ENUM && value_is_numeric(a));
    diag_error(env->diags, "M301", at, "'%s' cannot combine %s and %s: it takes %s%s",
               lang_op_text(op), value_type_name(env, a), value_type_name(env, b),
               wanted(ops[op].operands),
               ordinal ? "; Integer(e) is the number of an enumeration value" : "");
    return false;
}

static value size_clash(const value_env *env, ast_op op, const value *a, const value *b, span at)
{
    const char *hint = "";
    if (op == AST_ADD || op == AST_SUB)
        hint = !a->n_dims || !b->n_dims ? "; write .+ or .- to add a scalar to every element" : "";
    if (op == AST_DIV) hint = "; write ./ to divide element by element";
    if (op == AST_POW) hint = "; write .^ to raise every element";
    if (op >= AST_LT && op <= AST_NE) {
        diag_error(env->diags, "M302", at, "'%s' compares scalars, not %s and %s", lang_op_text(op),
                   value_type_name(env, a), value_type_name(env, b));
        return value_error();
    }
    diag_error(env->diags, "M302", at, "'%s' cannot combine %s and %s: their sizes do not fit%s",
               lang_op_text(op), value_type_name(env, a), value_type_name(env, b), hint);
    return value_error();
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The sum of a[i*step_a] * b[i*step_b]; 0 if n is 0. */
static expr vectors_dot(const value_env *env, const expr *a, int step_a, const expr *b, int step_b,
                        int n, bool real)
{
    expr_pool *p = env->p;
    if (!n) return real ? p->zero : expr_integer(p, 0);
    expr sum = expr_2(p, EXPR_MUL, a[0], b[0]);
    for (int i = 1; i < n; i++)
        sum = expr_2(p, EXPR_ADD, sum, expr_2(p, EXPR_MUL, a[i * step_a], b[i * step_b]));
    return sum;
}

/* Vectors count as rows on the left and as columns on the right. */
static value values_multiply(const value_env *env, value a, value b, span at)
{
    if (!a.n_dims || !b.n_dims) return value_map_2(env, EXPR_MUL, a, b);
    if (a.n_dims > 2 || b.n_dims > 2 || a.dims[a.n_dims - 1] != b.dims[0])
        return size_clash(env, AST_MUL, &a, &b, at);
    bool real = a.type == VALUE_REAL;
    int rows = a.n_dims == 2 ? a.dims[0] : 1, cols = b.n_dims == 2 ? b.dims[1] : 1;
    int inner = b.dims[0];
    if (a.n_dims == 1 && b.n_dims == 1)
        return (value){
            .type = a.type, .n = 1, .e = vectors_dot(env, a.at, 1, b.at, 1, inner, real)};
    int dims[2], n = 0;
    if (a.n_dims == 2) dims[n++] = rows;
    if (b.n_dims == 2) dims[n++] = cols;
    if ((int64_t)rows * cols > VALUE_MAX_ELEMENTS) return size_clash(env, AST_MUL, &a, &b, at);
    expr *slots;
    value r = value_new(env, a.type, 0, dims, n, &slots);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            slots[i * cols + j] =
                vectors_dot(env, a.at + i * inner, 1, b.at + j, cols, inner, real);
    return r;
}

static value values_power(const value_env *env, value a, value b, span at)
{
    if (!a.n_dims && !b.n_dims) return value_map_2(env, EXPR_POW, a, b);
    int64_t k = -1;
    double x;
    if (!b.n_dims && expr_number(env->p, b.e, &x) && x >= 0 && x <= 1e6) k = (int64_t)x;
    if (a.n_dims != 2 || a.dims[0] != a.dims[1] || b.n_dims)
        return size_clash(env, AST_POW, &a, &b, at);
    if (k < 0 || (double)k != x) {
        diag_error(env->diags, "M303", at,
                   "the power of a matrix needs an exponent that is a constant Integer, 0 or more");
        return value_error();
    }
    int n = a.dims[0];
    expr *slots;
    value r = value_new(env, VALUE_REAL, 0, a.dims, 2, &slots);
    for (int i = 0; i < n * n; i++) slots[i] = i % (n + 1) ? env->p->zero : env->p->one;
    for (; k; k >>= 1) {
        if (k & 1) r = values_multiply(env, r, a, at);
        if (k > 1) a = values_multiply(env, a, a, at);
    }
    return r;
}

/* ---- operators ------------------------------------------------------------------------------- */

value value_unary(const value_env *env, ast_op op, value a, span at)
{
    if (value_is_error(&a)) return a;
    bool is_not = op == AST_NOT;
    if (!fits(is_not ? BOOLEANS : NUMBERS, &a)) {
        diag_error(env->diags, "M301", at, "'%s' cannot be applied to %s: it takes %s",
                   lang_op_text(op), value_type_name(env, &a), wanted(is_not ? BOOLEANS : NUMBERS));
        return value_error();
    }
    if (is_not) return value_map_1(env, EXPR_NOT, a);
    return op == AST_SUB || op == AST_SUB_EW ? value_map_1(env, EXPR_NEG, a) : a;
}

value value_binary(const value_env *env, ast_op op, value a, value b, span at)
{
    if (value_is_error(&a) || value_is_error(&b)) return value_error();
    if (!check_types(env, op, &a, &b, at)) return value_error();
    if (a.type != b.type || ops[op].real) {
        a = value_to_real(env, a);
        b = value_to_real(env, b);
    }
    if (!a.n_dims && !b.n_dims) return value_map_2(env, ops[op].op, a, b);
    switch (ops[op].shape) {
    case SHAPE_PRODUCT: return values_multiply(env, a, b, at);
    case SHAPE_POWER: return values_power(env, a, b, at);
    case SHAPE_DIVIDE:
        if (!b.n_dims) return value_map_2(env, ops[op].op, a, b);
        break;
    case SHAPE_SPREAD:
        if (!a.n_dims || !b.n_dims) return value_map_2(env, ops[op].op, a, b);
        // fall through
    case SHAPE_EQUAL:
        if (value_same_dims(&a, &b)) return value_map_2(env, ops[op].op, a, b);
        break;
    case SHAPE_SCALAR: break;
    }
    return size_clash(env, op, &a, &b, at);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static value elements_choose(const value_env *env, expr c, value a, value b, span at);

static value choose_fields(const value_env *env, expr c, value a, value b, span at)
{
    int per = a.type == VALUE_TUPLE ? 1 : a.record->n, n = a.n * per;
    value *slots = arena_array(env->a, value, n ? n : 1);
    for (int i = 0; i < n; i++) {
        slots[i] = elements_choose(env, c, a.fields[i], b.fields[i], at);
        if (value_is_error(&slots[i])) return value_error();
    }
    a.fields = slots;
    return a;
}

static value elements_choose(const value_env *env, expr c, value a, value b, span at)
{
    if (!value_accepts(&a, &b)) {
        if (!value_accepts(&b, &a)) {
            diag_error(env->diags, "M304", at, "the branches differ in type: %s and %s",
                       value_type_name(env, &a), value_type_name(env, &b));
            return value_error();
        }
        a = value_convert(env, &b, a);
    }
    b = value_convert(env, &a, b);
    if (!value_same_dims(&a, &b)) {
        diag_error(env->diags, "M305", at, "the branches differ in size: %s and %s",
                   value_type_name(env, &a), value_type_name(env, &b));
        return value_error();
    }
    if (a.type == VALUE_FUNCTION &&
        (a.record->class_ != b.record->class_ || a.record->n != b.record->n)) {
        diag_error(env->diags, "M304", at, "the branches are two different functions");
        return value_error();
    }
    if (a.type > VALUE_OBJECT) return choose_fields(env, c, a, b, at);
    if (!a.n_dims) {
        a.e = expr_3(env->p, EXPR_IF, c, a.e, b.e);
        return a;
    }
    expr *slots;
    value r = value_new(env, a.type, a.enum_id, a.dims, a.n_dims, &slots);
    for (int i = 0; i < a.n; i++) slots[i] = expr_3(env->p, EXPR_IF, c, a.at[i], b.at[i]);
    return r;
}

value value_if(const value_env *env, expr c, value a, value b, span at)
{
    if (value_is_error(&a) || value_is_error(&b)) return value_error();
    return elements_choose(env, c, a, b, at);
}
