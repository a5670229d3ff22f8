/* Expressions of the syntax tree to values: operators, references, choices, ranges.
 *
 * The depth of a syntax tree is bounded by the parser, so recursion over it is safe; chains of
 * operators and lists are loops. Scalars, the common case, allocate nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"

#include "base/watch.h"
#include "lang/lang.h"

#include <string.h>

/* ---- limits and messages --------------------------------------------------------------------- */

bool eval_work(const scope *s, int64_t amount, span at)
{
    mem_tick(s->b->front->m, 4);
    s->b->work += amount;
    if (s->b->work <= FLAT_MAX_WORK) return true;
    if (s->b->work - amount <= FLAT_MAX_WORK)
        diag_error(s->b->diags, "M330", at,
                   "flattening takes more than %d steps; a loop here runs too long, or a function "
                   "calls itself without an end",
                   FLAT_MAX_WORK);
    return false;
}

/* What calls itself more than once has the most calls where it is deepest: these count for more, so that one without
 * an end is found soon. */
bool eval_enter(const scope *s, span at)
{
    enum { DEEP = 24, WORK_OF_DEEP = 64 };
    if (s->b->depth >= DEEP && !eval_work(s, WORK_OF_DEEP, at)) return false;
    if (s->b->depth < FLAT_MAX_DEPTH) {
        s->b->depth++;
        return true;
    }
    diag_error(s->b->diags, "M331", at,
               "evaluation is nested more than %d deep; a function or a constant depends on itself",
               FLAT_MAX_DEPTH);
    return false;
}

void eval_forget(const scope *s, const diag_sink *mark)
{
    *s->b->diags = *mark;
    if (s->b->diags->last) s->b->diags->last->next = NULL;
}

value eval_not_literal(const scope *s, const char *what, const value *v, span at)
{
    const expr_pool *p = s->b->pool;
    if (v->type > VALUE_OBJECT) {
        diag_error(s->b->diags, "M332", at, "%s must be known when the model is flattened", what);
        return value_error();
    }
    arena *a = eval_env(s)->a;
    int_array vars = expr_vars(p, value_at(v), v->n, a);
    expr_label label;
    if (vars.n && p->context.var_name)
        diag_error(
            s->b->diags, "M332", at,
            "%s must be known when the model is flattened, but it depends on '%s'", what,
            p->context.var_name(p->context.user, expr_at(p, vars.at[0])->u.var.index, &label));
    else diag_error(s->b->diags, "M332", at, "%s must be known when the model is flattened", what);
    return value_error();
}

/* ---- operators ------------------------------------------------------------------------------- */

static value eval_binary(const scope *s, ast_op op, value a, value b, span at)
{
    if (a.type == VALUE_RECORD || b.type == VALUE_RECORD)
        return s->b->verbs->overload(s, op, &a, &b, at);
    return value_binary(eval_env(s), op, a, b, at);
}

/* false and ..., true or ...: what follows is not evaluated (it may have no value then). */
static bool decides(const scope *s, ast_op op, const value *a)
{
    bool b;
    return (op == AST_AND || op == AST_OR) && value_literal_boolean(eval_env(s), a, &b) &&
           b == (op == AST_OR);
}

/* Strings are compared now: there are none when the model runs. In the making of an object and in an
 * assertion nothing is decided by them, so that a flat model can be given other texts. */
static void know_strings(const scope *s, ast_op op, const ast_expr *const *e, value *a, value *b)
{
    if (op < AST_LT || op > AST_NE || a->type != VALUE_STRING || b->type != VALUE_STRING) return;
    bool equality = op == AST_EQ || op == AST_NE;
    if (s->b->open_texts && equality && s->mode == SCOPE_SYMBOLIC && !s->in_function) return;
    *a = eval_literal(s, e[0]);
    *b = eval_literal(s, e[1]);
}

void eval_guard(flat_builder *b, expr c)
{
    b->guard = b->guard ? expr_2(b->pool, EXPR_AND, b->guard, c) : c;
}

static value eval_chain(const scope *s, const ast_expr *e)
{
    value a = eval_value(s, e->chain.at[0]);
    for (int i = 1; i < e->chain.n && !value_is_error(&a); i++) {
        ast_op op = (ast_op)e->chain.ops[i - 1];
        if (decides(s, op, &a)) continue;
        expr before = s->b->guard;
        if ((op == AST_AND || op == AST_OR) && a.type == VALUE_BOOLEAN && !a.n_dims)
            eval_guard(s->b, op == AST_AND ? a.e : expr_1(s->b->pool, EXPR_NOT, a.e));
        value b = eval_value(s, e->chain.at[i]);
        s->b->guard = before;
        if (a.type == VALUE_STRING)
            know_strings(s, op, (const ast_expr *const *)e->chain.at + i - 1, &a, &b);
        span at = {e->chain.at[0]->span.begin, e->chain.at[i]->span.end};
        a = eval_binary(s, op, a, b, at);
    }
    return a;
}

static value eval_unary(const scope *s, const ast_expr *e)
{
    value a = eval_value(s, e->arg);
    if (a.type == VALUE_RECORD) return s->b->verbs->overload(s, (ast_op)e->op, &a, NULL, e->span);
    return value_unary(eval_env(s), (ast_op)e->op, a, e->span);
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool is_condition(const scope *s, const value *c, span at)
{
    if (value_is_error(c)) return false;
    if (c->type == VALUE_BOOLEAN && !c->n_dims) return true;
    diag_error(s->b->diags, "M333", at, "a condition must be a Boolean, not %s",
               value_type_name(eval_env(s), c));
    return false;
}

/* The branch that a condition selects once parameters have their values, or -1. */
static int eval_selected(const scope *s, const ast_cond *c)
{
    for (int i = 0; i < c->n; i++) {
        value t;
        bool b;
        if (!eval_structural(s, c->tests[i], &t)) return -1;
        if (!value_literal_boolean(eval_env(s), &t, &b)) return -1;
        if (b) return i;
    }
    return c->n;
}

static value eval_merge(const scope *s, const ast_cond *c, const value *tests, const value *values,
                        const int *branch, int n)
{
    value r = values[n];
    for (int i = n - 1; i >= 0; i--)
        r = value_if(eval_env(s), tests[i].e, values[i], r,
                     span_join(c->values[branch[i]]->span, c->values[branch[n]]->span));
    return r;
}

/* Conditions that are literals select. If a branch has no value or the branches differ in size,
 * the conditions decide with parameters replaced: the choice is then structural. */
static value eval_if(const scope *s, const ast_expr *e)
{
    const ast_cond *c = &e->cond;
    const value_env *env = eval_env(s);
    diag_sink mark = *s->b->diags;
    value *tests = arena_array(env->a, value, c->n);
    value *values = arena_array(env->a, value, c->n + 1);
    int *branch = arena_array(env->a, int, c->n + 1), n = 0, last = c->n;
    for (int i = 0; i < c->n; i++) {
        bool b;
        tests[n] = eval_value(s, c->tests[i]);
        if (!is_condition(s, &tests[n], c->tests[i]->span)) return value_error();
        if (!value_literal_boolean(env, &tests[n], &b)) {
            branch[n++] = i;
        } else if (b) {
            last = i;
            break;
        }
    }
    branch[n] = last;
    if (!n) return eval_value(s, c->values[last]);

    bool failed = false;
    expr before = s->b->guard;
    for (int i = 0; i <= n; i++) {
        expr others = s->b->guard;
        if (i < n) eval_guard(s->b, tests[i].e);
        values[i] = eval_value(s, c->values[branch[i]]);
        failed |= value_is_error(&values[i]);
        s->b->guard = others;
        if (i < n) eval_guard(s->b, expr_1(s->b->pool, EXPR_NOT, tests[i].e));
    }
    s->b->guard = before;
    bool clock = !failed && values[n].type == VALUE_CLOCK; // which one must be known now
    value r = failed || clock ? value_error() : eval_merge(s, c, tests, values, branch, n);
    if (!value_is_error(&r)) return r;
    if (clock)
        diag_error(s->b->diags, "M364", e->span,
                   "a choice between clocks must be known before the simulation: its conditions "
                   "may depend on parameters only");
    diag_sink reported = *s->b->diags;
    int k = eval_selected(s, c);
    if (k < 0) {
        eval_forget(s, &reported);
        return value_error();
    }
    eval_forget(s, &mark);
    return eval_value(s, c->values[k]);
}

/* ---- references and subscripts --------------------------------------------------------------- */

static const scope_name *local_name(const scope *s, sym name)
{
    const scope_name *n = s->names;
    while (n && n->name != name) n = n->next;
    return n;
}

/* The whole value: its elements are shared from now on. */
static value local_whole(const scope_name *n)
{
    if (n->own) *n->own = false;
    return *n->value;
}

const value *eval_local(const scope *s, sym name)
{
    const scope_name *n = local_name(s, name);
    if (n && n->own) *n->own = false;
    return n ? n->value : NULL;
}

/* A subscript out of range in the body of a function is checked where the function is called: sizes of its
 * arguments may be such that a branch must not be taken. */
static bool subscript_later(const scope *s, const value *v, int size, const char *array, span at)
{
    flat_builder *b = s->b;
    const expr_node *n = v->n_dims || value_is_error(v) ? NULL : expr_at(b->pool, v->e);
    if (!b->in_body || !b->checks || !size || !n || n->op != EXPR_INTEGER) return false;
    if (n->u.integer >= 1 && n->u.integer <= size) return false;
    eval_add_check(
        b,
        (scope_check){.sub = v->e, .array = sym_of(b->lib->syms, array), .size = size, .at = at});
    return true;
}

bool eval_subscript(const scope *s, const ast_expr *e, int size, const char *what, subscript *out)
{
    if (e->kind == AST_COLON) {
        *out = (subscript){.kind = SUB_ALL};
        return true;
    }
    scope inner = *s;
    inner.end = size;
    value v = eval_value(&inner, e);
    if (value_is_error(&v)) return false;
    if (!value_is_literal(eval_env(s), &v)) { // a parameter chooses now, a variable later
        value literal;
        diag_sink mark = *s->b->diags;
        if (!eval_structural(&inner, e, &literal)) eval_forget(s, &mark);
        else if (value_is_literal(eval_env(s), &literal)) v = literal;
    }
    if (subscript_later(s, &v, size, what, e->span)) {
        *out = (subscript){.kind = SUB_INDEX, .index = 0};
        return true;
    }
    return value_subscript(eval_env(s), &v, size, what, e->span, out);
}

/* The bounds of an Integer that is chosen among literals, in at most *steps nodes. */
static bool bounds_of(const expr_pool *p, expr e, int *steps, int64_t *low, int64_t *high)
{
    const expr_node *n = expr_at(p, e);
    int64_t a[2], b[2];
    if (--*steps < 0) return false;
    if (n->op == EXPR_INTEGER) {
        *low = *high = n->u.integer;
        return *low > INT32_MIN && *low < INT32_MAX;
    }
    bool choice = n->op == EXPR_IF;
    if (!choice && n->op != EXPR_ADD && n->op != EXPR_SUB) return false;
    for (int k = 0; k < 2; k++)
        if (!bounds_of(p, n->u.arg[k + choice], steps, &a[k], &b[k])) return false;
    if (choice) {
        *low = a[0] < a[1] ? a[0] : a[1];
        *high = b[0] > b[1] ? b[0] : b[1];
    } else {
        *low = n->op == EXPR_ADD ? a[0] + a[1] : a[0] - b[1];
        *high = n->op == EXPR_ADD ? b[0] + b[1] : b[0] - a[1];
    }
    return true;
}

void eval_add_check(flat_builder *b, scope_check c)
{
    enum { SEEN = 64 }; // looked at for the same one
    scope_checks *list = b->checks;
    b->particular = true;
    if (c.guard && b->guard) c.guard = expr_2(b->pool, EXPR_AND, b->guard, c.guard);
    else if (b->guard) c.guard = b->guard;
    if (c.guard == b->pool->no || (!c.array && c.sub == b->pool->yes)) return;
    for (int i = list->n - 1, k = 0; i >= 0 && k < SEEN; i--, k++) {
        const scope_check *o = &list->at[i];
        if (o->guard == c.guard && o->sub == c.sub && o->size == c.size) return;
    }
    array_push(b->front, list, c);
}

void eval_check_subscripts(const scope *s, const char *array, const subscript *subs,
                           const int *dims, int n, span at)
{
    flat_builder *b = s->b;
    expr_pool *p = b->pool;
    if (!b->checks || (s->mode != SCOPE_SYMBOLIC && !s->in_function)) return;
    for (int d = 0; d < n; d++) {
        expr e = subs[d].e;
        if (subs[d].kind != SUB_SYMBOLIC || expr_at(p, e)->type != TYPE_INTEGER) continue;
        int64_t low, high;
        int steps = 256;
        if (bounds_of(p, e, &steps, &low, &high) && low >= 1 && high <= dims[d]) continue;
        eval_add_check(
            b, (scope_check){
                   .sub = e, .array = sym_of(b->lib->syms, array), .size = dims[d], .at = at});
    }
}

value eval_index(const scope *s, value v, const ast_exprs *subs, const char *name, span at)
{
    if (!subs->n || value_is_error(&v)) return v;
    subscript list[VALUE_MAX_DIMS];
    if (subs->n > v.n_dims || v.type > VALUE_RECORD) {
        diag_error(s->b->diags, "M314", at, "%d subscript%s for '%s', which is %s", subs->n,
                   subs->n == 1 ? "" : "s", name, value_type_name(eval_env(s), &v));
        return value_error();
    }
    for (int i = 0; i < subs->n; i++)
        if (!eval_subscript(s, subs->at[i], v.dims[i], name, &list[i])) return value_error();
    eval_check_subscripts(s, name, list, v.dims, subs->n, at);
    return value_index(eval_env(s), v, list, subs->n, at);
}

/* The rest of a reference, from part `first` on, applied to the value of what comes before. */
static value parts_value(const scope *s, value v, const ast_ref *r, int first)
{
    for (int i = first; i < r->n; i++) {
        const ast_part *part = &r->at[i];
        if (i) v = value_field(eval_env(s), v, part->name, part->at);
        v = eval_index(s, v, &part->subs, part->name, r->span);
    }
    return v;
}

static value eval_ref(const scope *s, const ast_expr *e)
{
    const ast_ref *r = e->ref;
    const scope_name *local = r->global ? NULL : local_name(s, r->at[0].name);
    if (local && !r->at[0].subs.n) return parts_value(s, local_whole(local), r, 1);
    if (local) {
        value v = eval_index(s, *local->value, &r->at[0].subs, r->at[0].name, r->span);
        return r->n == 1 ? v : parts_value(s, v, r, 1);
    }
    value v;
    return s->b->verbs->ref(s, r, &v) ? v : value_error();
}

static value eval_select(const scope *s, const ast_expr *e)
{
    value v = eval_value(s, e->select.base);
    if (e->select.field) return value_field(eval_env(s), v, e->select.field, e->span);
    return eval_index(s, v, &e->select.subs, "(...)", e->span);
}

/* ---- constructors ---------------------------------------------------------------------------- */

static value *eval_list(const scope *s, const ast_exprs *list)
{
    value *v = arena_array(eval_env(s)->a, value, list->n ? list->n : 1);
    for (int i = 0; i < list->n; i++) v[i] = eval_value(s, list->at[i]);
    return v;
}

static value eval_matrix(const scope *s, const ast_expr *e)
{
    arena *a = eval_env(s)->a;
    const value **rows = arena_array(a, const value *, e->rows.n);
    int *n = arena_array(a, int, e->rows.n);
    for (int i = 0; i < e->rows.n; i++) {
        rows[i] = eval_list(s, &e->rows.at[i]);
        n[i] = e->rows.at[i].n;
        for (int j = 0; j < n[i]; j++)
            if (value_is_error(&rows[i][j])) return value_error();
    }
    return value_matrix(eval_env(s), rows, n, e->rows.n, e->span);
}

static value eval_range(const scope *s, const ast_expr *e)
{
    value first = eval_literal(s, e->range.first), step;
    if (e->range.step) step = eval_literal(s, e->range.step);
    value last = eval_literal(s, e->range.last);
    return value_range(eval_env(s), first, e->range.step ? &step : NULL, last, e->span);
}

/* ---- the evaluator --------------------------------------------------------------------------- */

static value eval_node(const scope *s, const ast_expr *e)
{
    const value_env *env = eval_env(s);
    for (const scope_known *k = s->known; k; k = k->next)
        if (k->e == e) return k->v;
    switch ((ast_expr_kind)e->kind) {
    case AST_INTEGER: return value_integer(env, e->integer);
    case AST_REAL: return value_real(env, e->real);
    case AST_BOOLEAN: return value_boolean(env, e->boolean);
    case AST_STRING: return value_string(env, lang_string(env->a, e->string));
    case AST_REF: return eval_ref(s, e);
    case AST_UNARY: return eval_unary(s, e);
    case AST_CHAIN: return eval_chain(s, e);
    case AST_IF: return eval_if(s, e);
    case AST_RANGE: return eval_range(s, e);
    case AST_ARRAY: return value_array(env, eval_list(s, &e->list), e->list.n, e->span);
    case AST_COMPREHENSION:
        return eval_reduction(s, NULL, e->call->args.at[0], &e->call->iters, e->span);
    case AST_MATRIX: return eval_matrix(s, e);
    case AST_CALL: {
        value v = eval_call(s, e);
        if (v.type == VALUE_TUPLE && v.n) return v.fields[0];
        if (v.type != VALUE_TUPLE) return v;
        diag_error(s->b->diags, "M334", e->span, "this function has no result to be used here");
        return value_error();
    }
    case AST_PARTIAL: return s->b->verbs->partial(s, e);
    case AST_SELECT: return eval_select(s, e);
    case AST_END:
        if (s->end >= 0) return value_integer(env, s->end);
        diag_error(s->b->diags, "M335", e->span, "'end' has a value only inside subscripts");
        return value_error();
    case AST_TUPLE:
        diag_error(s->b->diags, "M336", e->span,
                   "a list in parentheses may only stand on the left of a function call");
        return value_error();
    case AST_COLON:
        diag_error(s->b->diags, "M335", e->span, "':' has a meaning only as a subscript");
        return value_error();
    }
    return value_error();
}

value eval_value(const scope *s, const ast_expr *e)
{
    if (s->b->nesting >= EVAL_NESTING) {
        diag_error(s->b->diags, "M331", e->span,
                   "evaluation is nested too deep; a function or a constant depends on itself");
        return value_error();
    }
    s->b->nesting++;
    value v = eval_node(s, e);
    s->b->nesting--;
    return v;
}

bool eval_expr(const scope *s, const ast_expr *e, value *out)
{
    value_env *env = &s->b->env;
    bool no_event = env->no_event;
    env->no_event = s->in_function;
    *out = eval_value(s, e);
    env->no_event = no_event;
    return !value_is_error(out);
}

bool eval_structural(const scope *s, const ast_expr *e, value *out)
{
    scope inner = *s;
    inner.mode = SCOPE_STRUCTURAL;
    scope_checks *checks = s->b->checks;
    if (!s->in_function) s->b->checks = NULL; // asked for a second time, or for a size
    bool ok = eval_expr(&inner, e, out);
    s->b->checks = checks;
    return ok;
}

value eval_literal(const scope *s, const ast_expr *e)
{
    value v = eval_value(s, e);
    if (value_is_error(&v) || s->mode == SCOPE_STRUCTURAL || value_is_literal(eval_env(s), &v))
        return v;
    return eval_structural(s, e, &v) ? v : value_error();
}

/* ---- literals for instantiation -------------------------------------------------------------- */

bool eval_integer(const scope *s, const ast_expr *e, const char *what, int64_t *out)
{
    value v;
    if (!eval_structural(s, e, &v)) return false;
    if (v.n_dims == 1 && (v.type == VALUE_ENUM || v.type == VALUE_BOOLEAN)) {
        *out = v.n; // Real x[E]: a type stands for the vector of its values
        return true;
    }
    if (v.type != VALUE_INTEGER || v.n_dims) {
        diag_error(s->b->diags, "M337", e->span, "%s must be an Integer, not %s", what,
                   value_type_name(eval_env(s), &v));
        return false;
    }
    if (value_literal_integer(eval_env(s), &v, out)) return true;
    eval_not_literal(s, what, &v, e->span);
    return false;
}

bool eval_boolean(const scope *s, const ast_expr *e, const char *what, bool *out)
{
    value v;
    if (!eval_structural(s, e, &v)) return false;
    if (v.type != VALUE_BOOLEAN || v.n_dims) {
        diag_error(s->b->diags, "M337", e->span, "%s must be a Boolean, not %s", what,
                   value_type_name(eval_env(s), &v));
        return false;
    }
    if (value_literal_boolean(eval_env(s), &v, out)) return true;
    eval_not_literal(s, what, &v, e->span);
    return false;
}
