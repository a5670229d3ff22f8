/* Functions that are kept: formal execution, CALL nodes, writing calls out, derivatives.
 *
 * The body is executed once on formal arguments and stored as a straight list of nodes, so that
 * writing out a call is one pass over the list without a search and without memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"
#include "function/function_program.h"
#include "function/function_text.h"

#include <string.h>

/* ---- formal arguments ------------------------------------------------------------------------ */

/* Is this scalar part of what distinguishes one kept version of a function from another? */
static bool is_structural(const expr_pool *p, expr e)
{
    return expr_is_literal(p, e) && expr_at(p, e)->type != TYPE_REAL;
}

static bool same_shape(const value *a, const value *b)
{
    if (a->type != b->type || a->enum_id != b->enum_id || !value_same_dims(a, b)) return false;
    if (a->type != VALUE_RECORD && a->type != VALUE_FUNCTION) return true;
    if (a->record->n != b->record->n) return false;
    if (a->type == VALUE_FUNCTION && a->record->class_ != b->record->class_) return false;
    for (int i = 0; a->type == VALUE_FUNCTION && i < a->record->n; i++)
        if (a->record->names[i] != b->record->names[i]) return false;
    for (int i = 0; i < a->n * a->record->n; i++)
        if (!same_shape(&a->fields[i], &b->fields[i])) return false;
    return true;
}

static int count_all(const value *v, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) count += value_count(&v[i]);
    return count;
}

static expr *all_scalars(arena *a, const value *v, int n, int count)
{
    expr *list = arena_array(a, expr, count ? count : 1), *at = list;
    for (int i = 0; i < n; i++) {
        value_scalars(&v[i], at);
        at += value_count(&v[i]);
    }
    return list;
}

static bool matches(flat_builder *b, const function_version *v, const value *inputs,
                    const expr *args)
{
    for (int i = 0; i < v->n_inputs; i++)
        if (!same_shape(&v->inputs[i], &inputs[i])) return false;
    expr *formal = all_scalars(b->env.a, v->inputs, v->n_inputs, v->g->n_args);
    for (int k = 0; k < v->g->n_args; k++)
        if ((is_structural(b->pool, args[k]) || is_structural(b->pool, formal[k])) &&
            args[k] != formal[k])
            return false;
    return true;
}

static void make_formals(flat_builder *b, function_version *v, const value *inputs, int n)
{
    value_env env = b->env;
    env.a = b->front;
    int n_args = count_all(inputs, n);
    expr *args = all_scalars(b->env.a, inputs, n, n_args), *at = args;
    for (int k = 0; k < n_args; k++)
        if (!is_structural(b->pool, args[k])) {
            const expr_node *node = expr_at(b->pool, args[k]);
            args[k] = expr_var(b->pool, FLAT_FORMAL + k, 0, (expr_type)node->type, node->enum_id);
        }
    value *formals = arena_array(b->front, value, n ? n : 1);
    for (int i = 0; i < n; i++) {
        formals[i] = value_copy(&env, value_with_scalars(&b->env, &inputs[i], at));
        at += value_count(&inputs[i]);
    }
    v->inputs = formals;
    v->n_inputs = n;
    v->g->n_args = n_args;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static int coded(const expr *nodes, int n, expr e)
{
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        if (nodes[mid] == e) return mid;
        if (nodes[mid] < e) lo = mid + 1;
        else hi = mid - 1;
    }
    return ~e;
}

/* Keep the nodes that depend on formal arguments; the list is ascending, so arguments come first. */
static void store_body(flat_builder *b, flat_function *g, const expr *results)
{
    arena *scratch = b->env.a;
    expr_pool *p = b->pool;
    int_array all = expr_reach(p, results, g->n_results, scratch);
    expr *nodes = arena_array(b->model, expr, all.n ? all.n : 1);
    int_array args = {0};
    int *first = arena_array(b->model, int, all.n + 1), n = 0;
    for (int i = 0; i < all.n; i++) {
        expr e = all.at[i];
        const expr_node *node = expr_at(p, e);
        bool depends = node->op == EXPR_VAR && node->u.var.index >= FLAT_FORMAL;
        int arity = expr_arity(p, e), start = args.n;
        for (int k = 0; k < arity; k++) {
            int code = coded(nodes, n, expr_args(p, e)[k]);
            depends |= code >= 0;
            array_push(b->model, &args, code);
        }
        if (!depends) {
            args.n = start;
            continue;
        }
        first[n] = start;
        nodes[n++] = e;
    }
    first[n] = args.n;
    int *list = arena_array(b->model, int, g->n_results ? g->n_results : 1);
    for (int k = 0; k < g->n_results; k++) list[k] = coded(nodes, n, results[k]);
    g->nodes = nodes;
    g->n_nodes = n;
    g->first = first;
    g->args = args.at;
    g->results = list;
    g->work = arena_array(b->model, expr, n ? n : 1);
    g->last = arena_array(b->model, expr, g->n_args ? g->n_args : 1);
}

static void store_outputs(flat_builder *b, function_version *v, const function_frame *fr)
{
    value_env env = b->env;
    env.a = b->front;
    const function_def *f = fr->f;
    value *outputs = arena_array(b->front, value, f->n_outputs ? f->n_outputs : 1);
    for (int i = 0; i < f->n_outputs; i++)
        outputs[i] = value_copy(&env, fr->locals[f->outputs[i]].v);
    v->outputs = outputs;
    v->n_outputs = f->n_outputs;
    v->g->n_results = count_all(outputs, f->n_outputs);
}

/* Declared sizes first: a recursive call needs them, and so does a function without a body. Sets
 * *open when they are not known before the body has run. */
static bool version_declare(flat_builder *b, function_version *v, function_frame *fr, bool *open)
{
    const function_def *f = fr->f;
    *open = false;
    for (int i = 0; i < f->n_outputs; i++) {
        if (!function_ready(fr, f->outputs[i])) return false;
        *open |= fr->locals[f->outputs[i]].resizable;
    }
    if (!*open) store_outputs(b, v, fr);
    return true;
}

/* Was the body given up because something in it is not known yet, and not because it is wrong? */
static bool is_unknown(const diag_sink *diags)
{
    static const char *const codes[] = {"M305", "M310", "M313", "M321", "M330",
                                        "M331", "M332", "M421", "M425", "M426"};
    for (size_t i = 0; diags->last && i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(diags->last->code, codes[i])) return true;
    return !diags->last;
}

/* A function in C: a routine. What is not known here stays a call that can be printed. */
static bool make_foreign(flat_builder *b, function_version *v, function_frame *fr, bool open)
{
    flat_function *g = v->g;
    diag_sink mark = *b->diags;
    const external_routine *r = open ? NULL : function_layout(fr);
    g->why = "it is an external function";
    if (!r) {
        const diag *last = b->diags->last;
        if (!last || strcmp(last->code, "M426") != 0) return false;
        g->why = arena_strndup(b->model, last->text, strlen(last->text));
        scope s = {.b = b};
        eval_forget(&s, &mark);
        return true;
    }
    external_routine *own = arena_new(b->model, external_routine);
    *own = *r;
    own->n_in = g->n_args;
    g->constructs = own->constructs;
    tape_function *routine = arena_new(b->model, tape_function);
    *routine = external_tape_function(own);
    routine->impure = v->impure;
    g->routine = routine;
    routine_set_put(function_routines(b->m), v->number, routine);
    return true;
}

static bool make_body(const scope *s, function_version *v, function_def *f, span at)
{
    flat_builder *b = s->b;
    flat_function *g = v->g;
    diag_sink mark = *b->diags;
    function_frame fr = function_begin(b, f, at);
    for (int i = 0; i < f->n_inputs; i++) {
        fr.locals[f->inputs[i]].v = v->inputs[i];
        fr.locals[f->inputs[i]].ready = true;
    }
    bool open;
    if (!version_declare(b, v, &fr, &open)) return false;
    if (function_is_foreign(f)) return make_foreign(b, v, &fr, open);
    bool no_event = b->env.no_event, ok = eval_enter(s, at);
    scope_checks own = {0}, *checks = b->checks;
    expr guard = b->guard;
    bool in_body = b->in_body;
    if (ok) {
        b->env.no_event = true;
        b->functions->guarded++; // assertions of the body are not those of this call
        b->checks = &own;
        b->guard = 0;
        b->in_body = true;
        ok = function_run(&fr);
        b->in_body = in_body;
        b->guard = guard;
        b->checks = checks;
        b->functions->guarded--;
        b->env.no_event = no_event;
        eval_leave(s);
    }
    if (!ok) {
        const char *why = b->diags->last ? b->diags->last->text : "its body cannot be written out";
        g->why = arena_strndup(b->model, why, strlen(why));
        if (open || !is_unknown(b->diags)) return false;
        eval_forget(s, &mark);
        function_compile(s, v, f, at);
        return true;
    }
    store_outputs(b, v, &fr);
    if (!v->recursive) {
        v->checks = own;
        store_body(b, g, all_scalars(b->env.a, v->outputs, v->n_outputs, g->n_results));
    } else {
        g->why = "it calls itself";
        function_compile(s, v, f, at);
    }
    return true;
}

/* ---- derivative annotations ------------------------------------------------------------------ */

static bool lists_name(const ast_mod *mod, const char *list, sym name)
{
    for (int i = 0; i < mod->args.n; i++) {
        const ast_arg *a = &mod->args.at[i];
        if (a->kind != AST_ARG_MOD || a->name.n != 1 || strcmp(a->name.at[0].name, list)) continue;
        const ast_expr *v = a->mod ? a->mod->value : NULL;
        if (v && v->kind == AST_REF && v->ref->n == 1 && v->ref->at[0].name == name) return true;
    }
    return false;
}

static int order_of(const ast_mod *mod)
{
    for (int i = 0; i < mod->args.n; i++) {
        const ast_arg *a = &mod->args.at[i];
        if (a->kind == AST_ARG_MOD && a->name.n == 1 && !strcmp(a->name.at[0].name, "order") &&
            a->mod && a->mod->value && a->mod->value->kind == AST_INTEGER)
            return (int)a->mod->value->integer;
    }
    return 1;
}

static function_version *version_of(const scope *s, function_def *f, const value *inputs, span at);

/* Has the derivative a place for that of input i? */
static bool has_derivative(const function_version *v, const function_def *f, const ast_mod *mod,
                           int i)
{
    sym name = f->all[f->inputs[i]].name;
    return v->inputs[i].type == VALUE_REAL && !lists_name(mod, "noDerivative", name) &&
           !lists_name(mod, "zeroDerivative", name);
}

/* What the derivative needs of the scalars of each input. Of order 1: derivatives of its own
 * inputs, and those listed in zeroDerivative must be 0. Of higher order: the function has been made
 * by differentiating one with `first` inputs, `added` of which move, and each block of `added`
 * inputs that follows must be the derivatives of the one before. */
static void find_needs(flat_builder *b, function_version *v, const function_def *f,
                       const ast_mod *mod, int order, int added)
{
    int n_args = v->g->n_args ? v->g->n_args : 1, arg = 0, next = v->g->n_args;
    int first = v->n_inputs - (order - 1) * added, k = first;
    int *der_at = arena_array(b->model, int, n_args), *is = arena_array(b->model, int, n_args);
    int *start = arena_array(b->env.a, int, v->n_inputs + 1);
    bool *need = arena_array(b->model, bool, n_args);
    for (int i = 0; i < v->n_inputs; i++) start[i + 1] = start[i] + value_count(&v->inputs[i]);
    for (int i = 0; i < v->n_inputs; i++) {
        bool moves = has_derivative(v, f, mod, i), last = i >= v->n_inputs - added;
        int block = order == 1 || last || !moves ? -1 : i < first ? k++ : i + added;
        bool own = order == 1 ? moves : last;
        bool zero = lists_name(mod, "zeroDerivative", f->all[f->inputs[i]].name);
        for (int j = 0; j < value_count(&v->inputs[i]); j++, arg++) {
            der_at[arg] = own ? next++ : -1;
            is[arg] = block >= 0 ? start[block] + j : -1;
            need[arg] = own || zero || block >= 0;
        }
    }
    v->g->der_at = der_at;
    v->g->total_is = is;
    // A second derivative is one in time: it needs the first as one call, not by parts.
    const flat_function *d = b->m->functions.at[v->g->derivative];
    if (order > 1 || d->order > 1 || function_hides_derivative(b, f)) v->g->total_needs = need;
}

/* The derivative takes the inputs and then the derivatives of the Real ones, but for those that
 * the annotation excludes; one of order n those of the inputs that order n - 1 has added (12.7.1).
 * The first annotation that fits counts. */
static void find_derivative(const scope *s, function_version *v, function_def *f, span at)
{
    flat_builder *b = s->b;
    const ast_mod *mod = NULL;
    scope where;
    for (int k = 0; inst_annotation(b, f->cls, "derivative", k, &mod, &where); k++) {
        if (!mod || !mod->value || mod->value->kind != AST_REF) continue;
        inst_class *cls = inst_class_at(&where, mod->value->ref);
        function_def *d = cls ? function_find(b, cls) : NULL;
        if (!d || d->failed) continue;
        value *inputs = arena_array(b->env.a, value, 2 * v->n_inputs + 1);
        int order = order_of(mod), added = d->n_inputs - v->n_inputs, n = v->n_inputs, moving = 0;
        if (order < 1 || added < 0 || (order - 1) * added > v->n_inputs) continue;
        for (int i = 0; i < v->n_inputs; i++) {
            bool moves = has_derivative(v, f, mod, i);
            inputs[i] = v->inputs[i];
            moving += moves && i < v->n_inputs - (order - 1) * added;
            if (order == 1 ? moves : i >= v->n_inputs - added) inputs[n++] = v->inputs[i];
        }
        if (n != d->n_inputs || moving != added) continue;
        const function_version *derivative = version_of(s, d, inputs, at);
        if (!derivative || derivative->g->n_results != v->g->n_results) continue;
        v->g->derivative = derivative->number;
        v->g->order = order;
        find_needs(b, v, f, mod, order, added);
        return;
    }
}

/* A function in C whose derivative annotation names another routine is differentiated by that one. */
static void use_derivative(flat_builder *b, function_version *v)
{
    flat_function *g = v->g;
    if (!g->routine || g->constructs || g->derivative < 0 || g->order != 1) return;
    const flat_function *d = b->m->functions.at[g->derivative];
    if (!d->routine) return;
    g->routine = routine_annotated(b->model, g->routine, d->routine, g->der_at);
    routine_set_put(b->m->routines, v->number, g->routine);
}

/* ---- versions -------------------------------------------------------------------------------- */

/* The version of the function for these sizes, made if it is new; NULL after a message. */
static function_version *version_of(const scope *s, function_def *f, const value *inputs, span at)
{
    flat_builder *b = s->b;
    int n_args = count_all(inputs, f->n_inputs);
    const expr *args = all_scalars(b->env.a, inputs, f->n_inputs, n_args);
    for (int i = 0; i < f->versions.n; i++) {
        function_version *v = f->versions.at[i];
        if (!matches(b, v, inputs, args)) continue;
        v->recursive |= v->g->busy;
        return v;
    }
    if (b->m->functions.n >= INT16_MAX) {
        diag_error(b->diags, "M430", at, "more than %d functions", INT16_MAX);
        return NULL;
    }
    function_version *v = arena_new(b->front, function_version);
    flat_function *g = arena_new(b->model, flat_function);
    *v = (function_version){.g = g, .number = b->m->functions.n, .impure = f->impure};
    array_push(b->model, &b->m->functions, g);
    array_push(b->front, &f->versions, v);
    g->name = f->name;
    g->is_inline = f->is_inline;
    g->impure = f->impure;
    g->derivative = -1;
    make_formals(b, v, inputs, f->n_inputs);
    g->busy = true;
    bool ok = make_body(s, v, f, at);
    g->busy = false;
    if (!ok) { // the next call reports its own reason
        int k = 0;
        while (f->versions.at[k] != v) k++;
        f->versions.at[k] = array_last(&f->versions);
        f->versions.n--;
        return NULL;
    }
    g->text = function_pieces_of(b, f, v);
    find_derivative(s, v, f, at);
    if (function_is_foreign(f)) use_derivative(b, v);
    return v;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static value result(const value_env *env, const value *shape, int function, const expr **args,
                    int n_args, int *next)
{
    int n = value_count(shape);
    expr *old = arena_array(env->a, expr, n ? n : 1);
    value_scalars(shape, old);
    for (int i = 0; i < n; i++) {
        const expr_node *node = expr_at(env->p, old[i]);
        expr call = expr_call(env->p, function, (*next)++, (expr_type)node->type, node->enum_id,
                              *args, n_args);
        if (n_args) *args = expr_args(env->p, call); // shared with the outputs that follow
        old[i] = call;
    }
    return value_with_scalars(env, shape, old);
}

/* A subscript or assertion of the body that is wrong whenever the function is called, called for certain. */
static bool wrong_for_certain(flat_builder *b, const function_version *of, const scope_check *c,
                              span at)
{
    const expr_node *n = expr_at(b->pool, c->sub);
    if (c->guard || b->guard || b->in_body) return false;
    if (!c->array) return c->sub == b->pool->no && !function_assertion_fails(b, of->g->name, c, at);
    if (n->op != EXPR_INTEGER) return false;
    value v = value_scalar(&b->env, c->sub);
    subscript unused;
    return !value_subscript(&b->env, &v, c->size, c->array, c->at, &unused);
}

/* What the body demands, for the arguments of a call. */
static bool check_call(flat_builder *b, const function_version *v, const expr *args, span at)
{
    for (int i = 0; i < v->checks.n; i++)
        if (wrong_for_certain(b, v, &v->checks.at[i], at)) return false;
    if (!b->checks || !v->checks.n) return true;
    const expr *formal = all_scalars(b->env.a, v->inputs, v->n_inputs, v->g->n_args);
    expr_subst s;
    expr call = expr_call(b->pool, v->number, 0, TYPE_REAL, 0, args, v->g->n_args);
    expr_subst_init(&s, b->pool, b->env.a);
    for (int k = 0; k < v->g->n_args; k++)
        if (formal[k] != args[k]) expr_subst_set(&s, formal[k], args[k]);
    for (int i = 0; i < v->checks.n; i++) {
        scope_check c = v->checks.at[i];
        if (c.guard) c.guard = expr_subst_apply(&s, c.guard);
        c.sub = expr_subst_apply(&s, c.sub);
        if (c.message) c.message = expr_subst_apply(&s, c.message);
        c.call = call;
        eval_add_check(b, c);
    }
    return true;
}

value function_keep(const scope *s, function_def *f, const value *inputs, span at)
{
    const value_env *env = eval_env(s);
    const function_version *v = version_of(s, f, inputs, at);
    if (!v) return value_error();
    const flat_function *g = v->g;
    if (g->busy && !v->outputs) {
        diag_error(s->b->diags, "M431", at, "%s calls itself, and the size of its result is open",
                   f->name);
        return value_error();
    }
    s->b->functions->bodiless |= g->why && !g->busy && !v->recursive && !g->routine;
    const expr *args = all_scalars(env->a, inputs, v->n_inputs, g->n_args);
    if (!check_call(s->b, v, args, at)) return value_error();
    int next = g->constructs ? s->b->m->n_objects++ : 0;
    if (next > INT16_MAX) {
        diag_error(s->b->diags, "M430", at, "more than %d external objects", INT16_MAX);
        return value_error();
    }
    value *list = arena_array(env->a, value, v->n_outputs ? v->n_outputs : 1);
    for (int i = 0; i < v->n_outputs; i++)
        list[i] = result(env, &v->outputs[i], v->number, &args, g->n_args, &next);
    if (v->n_outputs == 1) return list[0];
    value all = value_tuple(env, list, v->n_outputs);
    if (!v->n_outputs && v->impure)
        all.e = expr_call(env->p, v->number, 0, TYPE_REAL, 0, args, g->n_args); // for its effect
    return all;
}
