/* Calls of functions: arguments, vectorisation, and how a call is evaluated.
 *
 * Modelica Language Specification 3.6, section 12.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"
#include "inst/tree.h"

#include "lang/lang.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct binding {
    value v;
    bool given;
    span at;
    const ast_expr *e; // NULL: not an expression of the call
} binding;

static int call_input_named(const function_def *f, sym name)
{
    for (int i = 0; i < f->n_inputs; i++)
        if (f->all[f->inputs[i]].name == name) return i;
    return -1;
}

static value no_such_input(const scope *s, const function_def *f, const ast_named *a)
{
    const char *kind = f->is_record ? "field" : "input";
    const char **names = arena_array(eval_env(s)->a, const char *, f->n_inputs + 1);
    for (int i = 0; i < f->n_inputs; i++) names[i] = f->all[f->inputs[i]].name;
    const char *near = diag_nearest(a->name, names, f->n_inputs);
    mem m = value_arena_mem(eval_env(s)->a);
    text list;
    text_init(&list, &m);
    for (int i = 0; i < f->n_inputs && i < 8; i++)
        text_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (f->n_inputs > 8) text_add(&list, " ...");
    if (near)
        diag_error(s->b->diags, "M406", a->at, "'%s' has no %s '%s'; did you mean '%s'?", f->name,
                   kind, a->name, near);
    else
        diag_error(s->b->diags, "M406", a->at, "'%s' has no %s '%s'; it has: %s", f->name, kind,
                   a->name, f->n_inputs ? text_str(&list) : "none");
    return value_error();
}

/* A function with some of its inputs bound. */
static value function_value(const scope *s, function_def *f, const sym *names, const value *values,
                            int n)
{
    value_record *r = arena_new(s->b->front, value_record);
    *r = (value_record){f->name, n, names, f};
    return (value){.type = VALUE_FUNCTION, .n = 1, .record = r, .fields = values};
}

static function_def *function_of(const value *v)
{
    return (function_def *)v->record->class_;
}

/* The name of a function where a function is asked for. */
static value function_argument(const scope *s, const ast_expr *e)
{
    if (e->kind != AST_REF) return eval_value(s, e);
    const value *local = e->ref->n == 1 ? eval_local(s, e->ref->at[0].name) : NULL;
    if (local) return *local;
    inst_class *cls = inst_class_at(s, e->ref);
    if (!cls) return value_error();
    return function_value(s, function_find(s->b, cls), NULL, NULL, 0);
}

static value call_argument(const scope *s, const function_def *f, int input, const ast_expr *e)
{
    if (f->all[f->inputs[input]].type.kind == INST_FUNCTION) return function_argument(s, e);
    return eval_value(s, e);
}

/* Positional arguments fill the inputs that are still free, from left to right. */
static bool bind_arguments(const scope *s, const function_def *f, const ast_call *c, binding *list,
                           span at)
{
    int k = 0, free = 0;
    for (int i = 0; i < f->n_inputs; i++) free += !list[i].given;
    if (c->args.n > free) {
        diag_error(s->b->diags, "M407", at, "'%s' takes at most %d argument%s, not %d", f->name,
                   free, free == 1 ? "" : "s", c->args.n + c->n_named);
        return false;
    }
    for (int i = 0; i < c->args.n; i++, k++) {
        while (list[k].given) k++;
        list[k] = (binding){call_argument(s, f, k, c->args.at[i]), true, c->args.at[i]->span,
                            c->args.at[i]};
        if (value_is_error(&list[k].v)) return false;
    }
    for (int i = 0; i < c->n_named; i++) {
        const ast_named *a = &c->named[i];
        k = call_input_named(f, a->name);
        if (k < 0) return no_such_input(s, f, a), false;
        if (list[k].given) {
            diag_error(s->b->diags, "M408", a->at, "'%s' of '%s' is given twice", a->name, f->name);
            return false;
        }
        list[k] = (binding){call_argument(s, f, k, a->value), true, a->value->span, a->value};
        if (value_is_error(&list[k].v)) return false;
    }
    return true;
}

static bool input_check_type(const scope *s, const function_def *f, const inst_component *c,
                             binding *a)
{
    value type = function_type_value(s->b, c);
    if (type.type == VALUE_RECORD && !type.record) return false;
    bool fits = type.type != VALUE_ERROR && value_accepts(&type, &a->v);
    if (fits && a->v.n_dims >= function_dims_count(c)) {
        a->v = value_convert(eval_env(s), &type, a->v);
        return true;
    }
    if (!fits)
        diag_error(s->b->diags, "M409", a->at, "'%s' of '%s' must be %s, not %s", c->name, f->name,
                   function_type_name(s->b, c), value_type_name(eval_env(s), &a->v));
    else
        diag_error(s->b->diags, "M410", a->at, "'%s' of '%s' has %d dimension%s, not %d: %s",
                   c->name, f->name, function_dims_count(c), function_dims_count(c) == 1 ? "" : "s",
                   a->v.n_dims, value_type_name(eval_env(s), &a->v));
    return false;
}

static bool input_check_size(function_frame *fr, const inst_component *c, const binding *a)
{
    int dims[VALUE_MAX_DIMS], n_dims;
    bool open;
    if (!function_dims(fr, c, &a->v, dims, &n_dims, &open)) return false;
    value want = {.n_dims = (uint8_t)n_dims, .dims = dims};
    if (value_same_dims(&a->v, &want)) return true;
    diag_error(fr->b->diags, "M411", a->at, "'%s' of '%s' must have size %s, not %s", c->name,
               fr->f->name, value_dims_name(&fr->b->env, dims, n_dims),
               value_dims_name(&fr->b->env, a->v.dims, a->v.n_dims));
    return false;
}

/* ---- one call -------------------------------------------------------------------------------- */

static value outputs_of(function_frame *fr)
{
    const function_def *f = fr->f;
    if (f->n_outputs == 1) return fr->locals[f->outputs[0]].v;
    value *list = arena_array(fr->b->env.a, value, f->n_outputs ? f->n_outputs : 1);
    for (int i = 0; i < f->n_outputs; i++) list[i] = fr->locals[f->outputs[i]].v;
    return value_tuple(&fr->b->env, list, f->n_outputs);
}

static value make_record_value(function_frame *fr)
{
    value *fields;
    value v = value_new_record(&fr->b->env, fr->f->record, NULL, 0, &fields);
    for (int i = 0; i < fr->f->n_all; i++) {
        if (!function_ready(fr, i)) return value_error();
        fields[i] = fr->locals[i].v;
    }
    return v;
}

static value run_body(const scope *s, function_frame *fr, span at)
{
    if (!eval_enter(s, at)) return value_error();
    value_env *env = &s->b->env;
    bool no_event = env->no_event;
    env->no_event = true;
    bool ok = function_run(fr);
    env->no_event = no_event;
    eval_leave(s);
    return ok ? outputs_of(fr) : value_error();
}

static bool all_literal(const scope *s, const value *inputs, int n)
{
    for (int i = 0; i < n; i++)
        if (!value_is_literal(eval_env(s), &inputs[i])) return false;
    return true;
}

// Its default may call a function, and that one this again.
static bool input_by_default(const scope *s, function_frame *fr, int input, span at)
{
    if (!eval_enter(s, at)) return false;
    bool ok = function_ready(fr, input);
    eval_leave(s);
    return ok;
}

static value call_once(const scope *s, function_def *f, const binding *list, span at)
{
    function_frame fr = function_begin(s->b, f, at);
    value *inputs = arena_array(eval_env(s)->a, value, f->n_inputs ? f->n_inputs : 1);
    for (int i = 0; i < f->n_inputs; i++) {
        function_local *l = &fr.locals[f->inputs[i]];
        l->ready = list[i].given;
        if (l->ready) l->v = list[i].v;
    }
    for (int i = 0; i < f->n_inputs; i++) {
        function_local *l = &fr.locals[f->inputs[i]];
        if (!list[i].given && !l->c->binding && !l->c->modified) {
            diag_error(s->b->diags, "M412", at, "'%s' needs a value for its input '%s'", f->name,
                       l->c->name);
            return value_error();
        }
        if (list[i].given ? !input_check_size(&fr, l->c, &list[i])
                          : !input_by_default(s, &fr, f->inputs[i], at))
            return value_error();
        inputs[i] = l->v;
    }
    if (f->is_record) return make_record_value(&fr);
    if (f->derives) return function_call_der(s, f, inputs, at);
    if (function_is_builtin(f) || ((!f->impure || function_only_reads(f)) && function_is_known(f) &&
                                   all_literal(s, inputs, f->n_inputs)))
        return run_body(s, &fr, at);
    f->calls_itself |= f->running > 0;
    if (f->is_inline && !f->calls_itself) {
        diag_sink mark = *s->b->diags;
        f->running++;
        value v = run_body(s, &fr, at);
        f->running--;
        if (!value_is_error(&v) && !f->calls_itself) return v;
        eval_forget(s, &mark); // it cannot be written out: then it is kept
    }
    return function_keep(s, f, inputs, at);
}

/* ---- calls with arrays where scalars are expected -------------------------------------------- */

/* The dimensions over which a call is repeated; -1 after a message. */
static int repeat_dims(const scope *s, const function_def *f, const binding *list, const int **dims)
{
    int n = 0;
    const char *first = NULL;
    for (int i = 0; i < f->n_inputs; i++) {
        const inst_component *c = &f->all[f->inputs[i]];
        if (!list[i].given) continue;
        int extra = list[i].v.n_dims - function_dims_count(c);
        if (!extra) continue;
        bool same = !n || extra == n;
        for (int d = 0; n && same && d < n; d++) same = (*dims)[d] == list[i].v.dims[d];
        if (!same) {
            diag_error(s->b->diags, "M413", list[i].at,
                       "'%s' is applied to every element of '%s' and '%s', but their sizes differ",
                       f->name, first, c->name);
            return -1;
        }
        n = extra;
        *dims = list[i].v.dims;
        first = c->name;
    }
    return n;
}

/* Element k of the repeated dimensions. */
static value slice(const scope *s, value v, const int *dims, int n, int k)
{
    subscript subs[VALUE_MAX_DIMS];
    for (int d = n - 1; d >= 0; d--) {
        subs[d] = (subscript){.kind = SUB_INDEX, .index = k % dims[d]};
        k /= dims[d];
    }
    return value_index(eval_env(s), v, subs, n, (span){0});
}

/* Put the first n dimensions of a list of values in place of its length. */
value function_fold(const scope *s, const value *list, int count, const int *dims, int n, span at)
{
    value v = value_array(eval_env(s), list, count, at);
    if (value_is_error(&v) || n == 1) return v;
    int total = n + v.n_dims - 1, *copy = arena_array(eval_env(s)->a, int, total);
    memcpy(copy, dims, sizeof *dims * (size_t)n);
    for (int d = 1; d < v.n_dims; d++) copy[n + d - 1] = v.dims[d];
    v.dims = copy;
    v.n_dims = (uint8_t)total;
    return v;
}

static value call_repeated(const scope *s, function_def *f, const binding *list, const int *dims,
                           int n, span at)
{
    arena *a = eval_env(s)->a;
    int count = 1;
    for (int d = 0; d < n; d++) count *= dims[d];
    if (!f->is_record && f->n_outputs != 1) {
        diag_error(s->b->diags, "M429", at,
                   "'%s' has %d outputs and cannot be applied to every element of an array; call "
                   "it in a loop",
                   f->name, f->n_outputs);
        return value_error();
    }
    if (!eval_work(s, count, at)) return value_error();
    value *results = arena_array(a, value, count + 1);
    binding *one = arena_array(a, binding, f->n_inputs + 1);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < f->n_inputs; i++) {
            one[i] = list[i];
            if (list[i].given && list[i].v.n_dims > function_dims_count(&f->all[f->inputs[i]]))
                one[i].v = slice(s, list[i].v, dims, n, k);
        }
        results[k] = call_once(s, f, one, at);
        if (value_is_error(&results[k])) return results[k];
    }
    return function_fold(s, results, count, dims, n, at);
}

static value call_checked(const scope *s, function_def *f, binding *list, span at)
{
    const int *dims = NULL;
    for (int i = 0; i < f->n_inputs; i++)
        if (list[i].given && !input_check_type(s, f, &f->all[f->inputs[i]], &list[i]))
            return value_error();
    int n = repeat_dims(s, f, list, &dims);
    if (n < 0) return value_error();
    return n ? call_repeated(s, f, list, dims, n, at) : call_once(s, f, list, at);
}

/* Evaluate arguments that are not Real again with parameters replaced by their values. False if
 * nothing changes. */
static bool replace_parameters(const scope *s, const function_def *f, binding *list)
{
    bool changed = false;
    scope inner = *s;
    inner.mode = SCOPE_STRUCTURAL;
    for (int i = 0; i < f->n_inputs; i++) {
        binding *a = &list[i];
        if (!a->given || !a->e) continue;
        if (value_is_literal(eval_env(s), &a->v)) continue;
        if (a->v.type == VALUE_REAL || a->v.type >= VALUE_RECORD) continue;
        value v = call_argument(&inner, f, i, a->e);
        if (value_is_error(&v) || value_equal(&v, &a->v)) continue;
        a->v = v;
        changed = true;
    }
    return changed;
}

/* A call whose sizes or loops depend on parameters needs their values now. */
static value call_bound_function(const scope *s, function_def *f, binding *list, span at)
{
    struct functions *fs = s->b->functions;
    if (s->mode == SCOPE_STRUCTURAL) return call_checked(s, f, list, at);
    size_t bytes = sizeof *list * (size_t)(f->n_inputs + 1);
    binding *again = arena_alloc(eval_env(s)->a, bytes);
    memcpy(again, list, bytes);
    diag_sink mark = *s->b->diags;
    fs->bodiless = false;
    value v = call_checked(s, f, list, at);
    bool bad = value_is_error(&v);
    if (!bad && !fs->bodiless) return v;
    diag_sink reported = *s->b->diags;
    if (!replace_parameters(s, f, again)) {
        eval_forget(s, &reported);
        return v;
    }
    eval_forget(s, &mark);
    value w = call_checked(s, f, again, at);
    fs->bodiless = false;
    if (!value_is_error(&w) || bad) return w;
    eval_forget(s, &reported);
    return v;
}

static value call_with(const scope *s, function_def *f, const value *bound, const ast_call *c,
                       span at)
{
    if (f->failed) return value_error();
    binding *list = arena_array(eval_env(s)->a, binding, f->n_inputs + 1);
    for (int i = 0; bound && i < bound->record->n; i++) {
        int k = call_input_named(f, bound->record->names[i]);
        if (k >= 0) list[k] = (binding){bound->fields[i], true, at, NULL};
    }
    if (!bind_arguments(s, f, c, list, at)) return value_error();
    return call_bound_function(s, f, list, at);
}

value function_call(const scope *s, inst_class *cls, const ast_call *c, span at)
{
    return call_with(s, function_find(s->b, cls), NULL, c, at);
}

value function_construct(const scope *s, inst_class *cls, const ast_call *c, span at)
{
    if (inst_primitive_of(s->b, cls)->kind == PRE_EXTERNAL) {
        inst_element *el = inst_find(s->b, cls, sym_of(s->b->lib->syms, "constructor"));
        if (el && el->class_)
            return call_with(s, function_find(s->b, inst_element_class(s->b, el)), NULL, c, at);
        diag_error(s->b->diags, "M435", at, "'%s' has no function 'constructor'",
                   inst_name(s->b, cls));
        return value_error();
    }
    if (inst_ast(cls)->flags & AST_OPERATOR) {
        inst_class *own = function_constructor(s, cls, c, at);
        if (own) cls = own;
    }
    return call_with(s, function_find(s->b, cls), NULL, c, at);
}

value function_call_value(const scope *s, const value *f, const ast_call *c, span at)
{
    return call_with(s, function_of(f), f, c, at);
}

bool function_matches(flat_builder *b, const function_def *f, const value *args, int n)
{
    if (f->failed || n > f->n_inputs) return false;
    for (int i = 0; i < f->n_inputs; i++) {
        const inst_component *c = &f->all[f->inputs[i]];
        if (i >= n) {
            if (!c->binding) return false;
            continue;
        }
        value type = function_type_value(b, c);
        if (type.type == VALUE_ERROR || (type.type == VALUE_RECORD && !type.record)) return false;
        if (args[i].n_dims != function_dims_count(c) || !value_accepts(&type, &args[i]))
            return false;
    }
    return true;
}

value function_call_with(const scope *s, inst_class *cls, const value *args, int n, span at)
{
    function_def *f = function_find(s->b, cls);
    if (f->failed) return value_error();
    binding *list = arena_array(eval_env(s)->a, binding, f->n_inputs + 1);
    if (n > f->n_inputs) return value_error();
    for (int i = 0; i < n; i++) list[i] = (binding){args[i], true, at, NULL};
    return call_bound_function(s, f, list, at);
}

/* ---- functions as values --------------------------------------------------------------------- */

value function_partial(const scope *s, const ast_expr *e)
{
    const ast_call *c = e->call;
    ast_expr name = {.kind = AST_REF, .span = c->f.span, .ref = (ast_ref *)&c->f};
    value v = function_argument(s, &name);
    if (value_is_error(&v)) return v;
    if (v.type != VALUE_FUNCTION) {
        diag_error(s->b->diags, "M407", c->f.span, "'%s' is not a function", c->f.at[0].name);
        return value_error();
    }
    function_def *f = function_of(&v);
    if (f->failed) return value_error();
    int bound = v.record->n, n = bound + c->n_named;
    sym *names = arena_array(s->b->front, sym, n + 1);
    value *values = arena_array(s->b->front, value, n + 1);
    for (int i = 0; i < n; i++) {
        const ast_named *a = i < bound ? NULL : &c->named[i - bound];
        names[i] = a ? a->name : v.record->names[i];
        if (a && call_input_named(f, a->name) < 0) return no_such_input(s, f, a);
        values[i] = a ? eval_value(s, a->value) : v.fields[i];
        if (value_is_error(&values[i])) return value_error();
    }
    return function_value(s, f, names, values, n);
}

/* ---- calls for their effect ------------------------------------------------------------------ */

/* The text that a call prints, where it prints it to the screen; 0. */
static expr printed_by(const expr_pool *p, expr call)
{
    if (expr_at(p, call)->op != EXPR_CALL || expr_arity(p, call) != 2) return 0;
    const expr_node *file = expr_at(p, expr_args(p, call)[1]);
    return file->op == EXPR_STRING && !file->u.string[0] ? expr_args(p, call)[0] : 0;
}

bool function_effect(const scope *s, const ast_expr *e, expr *call, expr *message)
{
    *call = *message = 0;
    callee f = inst_callee(s, &e->call->f);
    if (f.kind == CALLEE_FUNCTION && e->call->args.n == 1 && !e->call->n_named &&
        function_is_error(function_find(s->b, f.cls))) {
        value v;
        if (!eval_expr(s, e->call->args.at[0], &v)) return false;
        if (v.type == VALUE_STRING && !v.n_dims) {
            *message = v.e;
            return true;
        }
    }
    // Whether it is reached is not known here, so that nothing it reports is an error yet.
    struct functions *fs = function_all(s->b);
    value v;
    fs->guarded++;
    bool ok = eval_outputs(s, e, &v);
    fs->guarded--;
    if (!ok) return false;
    if (v.type == VALUE_TUPLE) {
        *call = v.n ? 0 : v.e;
        if (v.n && v.fields[0].n) v = v.fields[0];
    }
    if (v.type <= VALUE_OBJECT && v.n && expr_at(s->b->pool, value_at(&v)[0])->op == EXPR_CALL)
        *call = value_at(&v)[0];
    if (*call && f.kind == CALLEE_FUNCTION && function_is_print(function_find(s->b, f.cls)))
        *message = printed_by(s->b->pool, *call);
    return true;
}
