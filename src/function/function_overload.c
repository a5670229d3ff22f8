/* Operators of operator records: Modelica Language Specification 3.6, chapter 14.
 *
 * An operator of two values is looked for among the functions that the record classes of both
 * declare for it; if none fits, the operand that is not a record is converted by a constructor of
 * the other's class. What is declared for scalars works on arrays as the built-in operators do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"
#include "inst/tree.h"
#include "lang/lang.h"

#include <string.h>

typedef function_operator candidates;

static void overload_add(candidates *c, inst_class *cls)
{
    for (int i = 0; i < c->n; i++)
        if (c->at[i] == cls) return;
    if (cls && c->n < FUNCTION_CANDIDATES) c->at[c->n++] = cls;
}

/* The class that declares operators, one for all components that have it, however they are modified:
 * behind instances and short names. */
static inst_class *declaring(flat_builder *b, inst_class *c)
{
    for (int i = 0; i < FLAT_MAX_DEPTH; i++) {
        inst_class *as_written = inst_handle(b, c->ast);
        if (c->of) c = c->of;
        else if (as_written != c && as_written->parent == c->parent) c = as_written;
        else if (c->ast->body == AST_SHORT && inst_expand(b, c) && c->bases[0]) c = c->bases[0];
        else break;
    }
    return c;
}

/* The functions of C.'name': one function of that name, or those in an operator of that name. */
static void overload_collect(flat_builder *b, inst_class *record, const char *name, candidates *out)
{
    char quoted[32];
    size_t n = strlen(name);
    if (n + 3 > sizeof quoted) return;
    quoted[0] = '\'';
    memcpy(quoted + 1, name, n);
    memcpy(quoted + n + 1, "'", 2);
    inst_element *el = inst_find(b, declaring(b, record), sym_of(b->lib->syms, quoted));
    inst_class *op = el && el->class_ ? inst_element_class(b, el) : NULL;
    if (!op || !inst_expand(b, op)) return;
    if (inst_restriction(b, op) == AST_R_FUNCTION) {
        overload_add(out, op);
        return;
    }
    for (int i = 0; i < op->ast->n_elements; i++) {
        const ast_element *e = op->ast->elements[i];
        if (e->kind != AST_CLASS || e->class_->restriction != AST_R_FUNCTION) continue;
        inst_element *f = inst_find(b, op, e->class_->name);
        if (f && f->class_) overload_add(out, inst_element_class(b, f));
    }
}

bool function_operator_at(flat_builder *b, inst_class *record, int i, function_operator *out)
{
    const ast_class *ast = declaring(b, record)->ast;
    *out = (function_operator){0};
    for (int k = 0; k < ast->n_elements; k++) {
        const ast_element *e = ast->elements[k];
        size_t n = e->kind == AST_CLASS ? strlen(e->class_->name) : 0;
        char bare[32];
        if (n < 3 || n > sizeof bare || e->class_->name[0] != '\'' || i-- > 0) continue;
        memcpy(bare, e->class_->name + 1, n - 2);
        bare[n - 2] = 0;
        out->name = e->class_->name;
        overload_collect(b, record, bare, out);
        return true;
    }
    return false;
}

static inst_class *class_of(const value *v)
{
    return v && v->type == VALUE_RECORD ? (inst_class *)v->record->class_ : NULL;
}

/* The one candidate that takes these values, or NULL. */
static inst_class *matching(flat_builder *b, const candidates *c, const value *args, int n)
{
    for (int i = 0; i < c->n; i++)
        if (function_matches(b, function_find(b, c->at[i]), args, n)) return c->at[i];
    return NULL;
}

static value clash(const scope *s, ast_op op, const value *a, const value *b, span at)
{
    if (b)
        diag_error(s->b->diags, "M301", at, "'%s' cannot combine %s and %s", lang_op_text(op),
                   value_type_name(eval_env(s), a), value_type_name(eval_env(s), b));
    else
        diag_error(s->b->diags, "M301", at, "'%s' cannot be applied to %s", lang_op_text(op),
                   value_type_name(eval_env(s), a));
    return value_error();
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* v as a record of this class by one of its constructors; false when there is none. */
static bool converted(const scope *s, inst_class *record, value *v, span at)
{
    candidates c = {0};
    overload_collect(s->b, record, "constructor", &c);
    inst_class *f = matching(s->b, &c, v, 1);
    if (!f) return false;
    *v = function_call_with(s, f, v, 1, at);
    return !value_is_error(v);
}

static const char *element_name(ast_op op)
{
    const char *name = lang_op_text(op);
    return name[0] == '.' ? name + 1 : name;
}

/* Sets *found false, without a message, when no function fits. */
static value apply(const scope *s, ast_op op, const value *a, const value *b, bool *found, span at)
{
    value args[2] = {*a};
    int n = 1;
    if (b) args[n++] = *b;
    candidates c = {0};
    for (int i = 0; i < n; i++)
        if (class_of(&args[i])) overload_collect(s->b, class_of(&args[i]), element_name(op), &c);
    inst_class *f = matching(s->b, &c, args, n);
    for (int i = 0; !f && i < n && n == 2; i++) {
        value saved = args[i];
        inst_class *other = class_of(&args[1 - i]);
        if (!other || class_of(&args[i]) || !converted(s, other, &args[i], at)) continue;
        f = matching(s->b, &c, args, n);
        if (!f) args[i] = saved;
    }
    *found = f != NULL;
    return f ? function_call_with(s, f, args, n, at) : value_error();
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static value overload_element(const value *v, int i)
{
    if (!v->n_dims) return *v;
    if (v->type == VALUE_RECORD)
        return (value){.type = VALUE_RECORD,
                       .n = 1,
                       .record = v->record,
                       .fields = v->fields + (size_t)i * (size_t)v->record->n};
    return (value){.type = v->type, .enum_id = v->enum_id, .n = 1, .e = v->at[i]};
}

static value scalars(const scope *s, ast_op op, const value *a, const value *b, span at)
{
    bool found;
    value v = apply(s, op, a, b, &found, at);
    return found ? v : clash(s, op, a, b, at);
}

static value each_element(const scope *s, ast_op op, const value *a, const value *b, span at)
{
    const value *dims = a->n_dims ? a : b;
    value *list = arena_array(eval_env(s)->a, value, dims->n ? dims->n : 1);
    if (!eval_work(s, dims->n, at)) return value_error();
    for (int i = 0; i < dims->n; i++) {
        value x = overload_element(a, i), y;
        if (b) y = overload_element(b, i);
        list[i] = scalars(s, op, &x, b ? &y : NULL, at);
        if (value_is_error(&list[i])) return value_error();
    }
    return function_fold(s, list, dims->n, dims->dims, dims->n_dims, at);
}

/* The sum of products of a row of a and a column of b; '0' when there are none. */
static value overload_dot(const scope *s, const value *a, int row, const value *b, int col,
                          int cols, int inner, span at)
{
    value sum = value_error();
    for (int k = 0; k < inner; k++) {
        value x = overload_element(a, row * inner + k), y = overload_element(b, k * cols + col);
        value product = scalars(s, AST_MUL, &x, &y, at);
        if (value_is_error(&product)) return product;
        sum = k ? scalars(s, AST_ADD, &sum, &product, at) : product;
        if (value_is_error(&sum)) return sum;
    }
    if (inner) return sum;
    inst_class *record = class_of(a) ? class_of(a) : class_of(b);
    candidates zero = {0};
    overload_collect(s->b, record, "0", &zero);
    return zero.n ? function_call_with(s, zero.at[0], NULL, 0, at) : clash(s, AST_MUL, a, b, at);
}

static value overload_multiply(const scope *s, const value *a, const value *b, span at)
{
    if (a->n_dims > 2 || b->n_dims > 2 || a->dims[a->n_dims - 1] != b->dims[0])
        return clash(s, AST_MUL, a, b, at);
    int rows = a->n_dims == 2 ? a->dims[0] : 1, cols = b->n_dims == 2 ? b->dims[1] : 1;
    int dims[2], n = 0;
    if (a->n_dims == 2) dims[n++] = rows;
    if (b->n_dims == 2) dims[n++] = cols;
    if (!eval_work(s, (int64_t)rows * cols, at)) return value_error();
    value *list = arena_array(eval_env(s)->a, value, rows * cols + 1);
    for (int i = 0; i < rows * cols; i++) {
        list[i] = overload_dot(s, a, i / cols, b, i % cols, cols, b->dims[0], at);
        if (value_is_error(&list[i])) return value_error();
    }
    return n ? function_fold(s, list, rows * cols, dims, n, at) : list[0];
}

value function_overload(const scope *s, ast_op op, const value *a, const value *b, span at)
{
    if (value_is_error(a) || (b && value_is_error(b))) return value_error();
    if (!b && (op == AST_ADD || op == AST_ADD_EW)) return *a;
    bool found, elementwise = lang_op_text(op)[0] == '.', arrays = a->n_dims || (b && b->n_dims);
    if (!elementwise || !arrays) {
        value v = apply(s, op, a, b, &found, at); // also functions declared for arrays
        if (found) return v;
    }
    if (!b) return a->n_dims ? each_element(s, op, a, NULL, at) : clash(s, op, a, b, at);
    if (!a->n_dims && !b->n_dims) return clash(s, op, a, b, at);
    bool spread = !a->n_dims || !b->n_dims;
    switch (op) {
    case AST_ADD:
    case AST_SUB: spread = false; break;
    case AST_MUL:
        if (!spread) return overload_multiply(s, a, b, at);
        break;
    case AST_DIV: spread = !b->n_dims; break;
    case AST_ADD_EW:
    case AST_SUB_EW:
    case AST_MUL_EW:
    case AST_DIV_EW:
    case AST_POW_EW: break;
    default: return clash(s, op, a, b, at);
    }
    bool same = value_same_dims(a, b) && op != AST_DIV;
    return spread || same ? each_element(s, op, a, b, at) : clash(s, op, a, b, at);
}

value function_sum(const scope *s, const value *v, span at)
{
    value sum = value_error();
    for (int i = 0; i < v->n; i++) {
        value x = overload_element(v, i);
        sum = i ? scalars(s, AST_ADD, &sum, &x, at) : x;
        if (value_is_error(&sum)) return sum;
    }
    if (v->n) return sum;
    candidates zero = {0};
    overload_collect(s->b, class_of(v), "0", &zero);
    return zero.n ? function_call_with(s, zero.at[0], NULL, 0, at) : clash(s, AST_ADD, v, v, at);
}

/* ---- constructors and String ----------------------------------------------------------------- */

static bool takes(const scope *s, const function_def *f, const value *args, const ast_call *c)
{
    for (int i = 0; i < c->n_named; i++) {
        bool known = false;
        for (int k = c->args.n; k < f->n_inputs; k++)
            known |= f->all[f->inputs[k]].name == c->named[i].name;
        if (!known) return false;
    }
    for (int i = 0; i < c->args.n; i++) { // array arguments may be repeated over
        value x = args[i].n_dims && args[i].n ? overload_element(&args[i], 0) : args[i];
        if (i >= f->n_inputs) return false;
        const inst_component *in = &f->all[f->inputs[i]];
        value type = {.type = (uint8_t)in->type.type, .enum_id = (uint16_t)in->type.enum_id};
        if (in->type.kind == INST_RECORD)
            type = (value){.type = VALUE_RECORD, .record = function_record(s->b, in->type.cls)};
        if ((type.type == VALUE_RECORD && !type.record) || !value_accepts(&type, &x)) return false;
    }
    return true;
}

inst_class *function_constructor(const scope *s, inst_class *cls, const ast_call *c, span at)
{
    (void)at;
    candidates list = {0};
    overload_collect(s->b, cls, "constructor", &list);
    if (list.n < 2) return list.n ? list.at[0] : NULL;
    value *args = arena_array(eval_env(s)->a, value, c->args.n + 1);
    for (int i = 0; i < c->args.n; i++) {
        args[i] = eval_value(s, c->args.at[i]);
        if (value_is_error(&args[i])) return list.at[0];
    }
    for (int i = 0; i < list.n; i++) {
        const function_def *f = function_find(s->b, list.at[i]);
        if (!f->failed && takes(s, f, args, c)) return list.at[i];
    }
    return list.at[0]; // its message says what does not fit
}

value function_overload_string(const scope *s, const value *v, const ast_call *c, span at)
{
    candidates list = {0};
    overload_collect(s->b, class_of(v), "String", &list);
    if (list.n) return function_call(s, list.at[0], c, at);
    diag_error(s->b->diags, "M357", at, "String() cannot convert %s",
               value_type_name(eval_env(s), v));
    return value_error();
}
