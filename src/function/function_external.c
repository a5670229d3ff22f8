/* External functions: those of the language ("builtin") and those in C.
 *
 * external "builtin" y = sin(u) is the built-in function itself. What is in C is laid out once for
 * the sizes of a version (external/external.h): the arguments of the clause are inputs, outputs,
 * variables of the function, constants and sizes. It is executed at once when all of them are
 * literals, and while the model runs otherwise.
 * Modelica Language Specification 3.6, section 12.9.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external.h"
#include "function/function_def.h"

#include "lang/lang.h"

#include <string.h>

static const char *c_name(const function_def *f)
{
    return f->external->function ? f->external->function : inst_ast(f->cls)->name;
}

static bool is_language(const ast_external *e, const char *name)
{
    return e->language.at && e->language.n == strlen(name) &&
           !memcmp(e->language.at, name, e->language.n);
}

bool function_is_builtin(const function_def *f)
{
    return f->external && is_language(f->external, "builtin") && eval_find_builtin(c_name(f));
}

const char *function_builtin_name(const function_def *f)
{
    if (!function_is_builtin(f) || f->external->args.n != f->n_inputs) return NULL;
    for (int i = 0; i < f->n_inputs; i++) {
        const ast_expr *e = f->external->args.at[i];
        if (e->kind != AST_REF || e->ref->n != 1 || e->ref->at[0].subs.n ||
            e->ref->at[0].name != f->all[f->inputs[i]].name)
            return NULL;
    }
    return c_name(f);
}

/* Reports of the library have a meaning of their own here: they end a call, or are left out. */
static bool is_report(const function_def *f)
{
    return !strcmp(c_name(f), "ModelicaError") || !strcmp(c_name(f), "ModelicaInternal_print");
}

/* The function that is written here; NULL: there is none. */
static const external_function *own_function(const function_def *f)
{
    static const char *const path[] = {"Include", NULL};
    const external_function *c = f->external ? external_find(c_name(f)) : NULL;
    if (!c || !c->include) return c;
    const ast_expr *e = lang_annotation_value(f->external->annotation, path);
    if (!e || e->kind != AST_STRING) return NULL;
    size_t n = strlen(c->include); // the text is as in the file, quotes and all
    for (uint32_t i = 0; i + n <= e->string.n; i++)
        if (!memcmp(e->string.at + i, c->include, n)) return c;
    return NULL;
}

bool function_is_known(const function_def *f)
{
    return !f->external || function_is_builtin(f) || is_report(f) ||
           (!f->constructs && own_function(f));
}

const char *function_c_name(const function_def *f)
{
    return c_name(f);
}

bool function_is_foreign(const function_def *f)
{
    return f->external && !function_is_builtin(f) && !is_report(f);
}

bool function_only_reads(const function_def *f)
{
    const external_function *c = own_function(f);
    return c && c->reads;
}

bool function_has_effect(const function_def *f)
{
    return f && f->impure && !f->n_outputs && function_is_foreign(f);
}

bool function_is_error(const function_def *f)
{
    return f->external && !strcmp(c_name(f), "ModelicaError");
}

bool function_is_print(const function_def *f)
{
    return f->external && !strcmp(c_name(f), "ModelicaInternal_print");
}

/* ---- laying a call out ----------------------------------------------------------------------- */

typedef struct layout {
    function_frame *fr;
    scope s;
    external_routine *r;
    ARRAY(external_place) places;
    ARRAY(external_scalar) scalars;
    int_array outputs; // by output of the function: its place; -1: what is returned; -2: none
    bool by_columns;   // Fortran
} layout;

static bool layout_refuse(layout *l, const char *what)
{
    diag_error(l->fr->b->diags, "M433", l->fr->f->external->span, "the external function %s %s",
               c_name(l->fr->f), what);
    return false;
}

static bool layout_scalar(layout *l, expr e)
{
    const expr_pool *p = l->fr->b->pool;
    const expr_node *n = expr_at(p, e);
    external_scalar x = {.from = -1};
    if (n->op == EXPR_VAR && n->u.var.index >= FLAT_FORMAL) x.from = n->u.var.index - FLAT_FORMAL;
    else if (n->op == EXPR_STRING) x.text = function_resource(l->fr->b, n->u.string);
    else if (!expr_number(p, e, &x.number) && n->type != TYPE_OBJECT)
        return layout_refuse(l, "has an argument that is computed: its arguments must be inputs, "
                                "outputs, variables, constants or sizes");
    array_push(l->fr->b->model, &l->scalars, x);
    return true;
}

static bool layout_value(layout *l, const value *v, bool out)
{
    static const uint8_t kinds[] = {
        [VALUE_REAL] = EXTERNAL_REAL,       [VALUE_INTEGER] = EXTERNAL_INTEGER,
        [VALUE_BOOLEAN] = EXTERNAL_INTEGER, [VALUE_STRING] = EXTERNAL_STRING,
        [VALUE_ENUM] = EXTERNAL_INTEGER,    [VALUE_OBJECT] = EXTERNAL_OBJECT};
    if (v->type > VALUE_OBJECT) return layout_refuse(l, "takes a record, which is not passed to C");
    if (v->n_dims && (v->type == VALUE_STRING || v->type == VALUE_OBJECT))
        return layout_refuse(l, "takes an array of Strings or objects, which is not passed to C");
    external_place p = {kinds[v->type], v->n_dims, out, l->scalars.n, v->n};
    if (l->places.n == EXTERNAL_ARGS) return layout_refuse(l, "has too many arguments");
    array_push(l->fr->b->model, &l->places, p);
    int rows = v->n_dims == 2 ? v->dims[0] : 1, cols = v->n_dims == 2 ? v->dims[1] : v->n;
    for (int k = 0; k < v->n; k++) {
        bool turned = l->by_columns && v->n_dims == 2;
        if (!layout_scalar(l, value_at(v)[turned ? k % rows * cols + k / rows : k])) return false;
    }
    return true;
}

static int output_named(const function_def *f, const ast_expr *e)
{
    for (int o = 0; e && e->kind == AST_REF && e->ref->n == 1 && o < f->n_outputs; o++)
        if (f->all[f->outputs[o]].name == e->ref->at[0].name && !e->ref->at[0].subs.n) return o;
    return -1;
}

/* As the clause says. */
static bool layout_clause(layout *l)
{
    const ast_external *e = l->fr->f->external;
    int returned = output_named(l->fr->f, e->result);
    if (e->result && returned < 0) return layout_refuse(l, "gives its result to no output");
    if (returned >= 0) l->outputs.at[returned] = EXTERNAL_RETURNED;
    for (int i = 0; i < e->args.n; i++) {
        value v;
        int o = output_named(l->fr->f, e->args.at[i]);
        if (o >= 0) l->outputs.at[o] = l->places.n;
        if (!eval_expr(&l->s, e->args.at[i], &v) || !layout_value(l, &v, o >= 0)) return false;
    }
    return true;
}

/* Without arguments in the clause: inputs with their sizes, then outputs; a single scalar output is
 * returned (section 12.9.1). */
static bool layout_standard(layout *l)
{
    const function_def *f = l->fr->f;
    const value_env *env = &l->fr->b->env;
    const value *single = f->n_outputs == 1 ? &l->fr->locals[f->outputs[0]].v : NULL;
    for (int i = 0; i < f->n_inputs + f->n_outputs; i++) {
        int o = i - f->n_inputs;
        const value *v = &l->fr->locals[o < 0 ? f->inputs[i] : f->outputs[o]].v;
        if (o >= 0 && single && !single->n_dims) {
            l->outputs.at[o] = EXTERNAL_RETURNED;
            continue;
        }
        if (o >= 0) l->outputs.at[o] = l->places.n;
        if (!layout_value(l, v, o >= 0)) return false;
        for (int d = 0; d < v->n_dims; d++) {
            value size = value_integer(env, v->dims[d]);
            if (!layout_value(l, &size, false)) return false;
        }
    }
    return true;
}

/* Where each scalar of the outputs is. */
static bool layout_results(layout *l)
{
    const function_def *f = l->fr->f;
    int n = 0;
    for (int o = 0; o < f->n_outputs; o++) n += value_count(&l->fr->locals[f->outputs[o]].v);
    int *results = arena_array(l->fr->b->model, int, n + 1);
    n = 0;
    for (int o = 0; o < f->n_outputs; o++) {
        const value *v = &l->fr->locals[f->outputs[o]].v;
        int at = l->outputs.at[o];
        if (at < EXTERNAL_RETURNED) return layout_refuse(l, "does not set all outputs");
        int rows = v->n_dims == 2 ? v->dims[0] : 1, cols = v->n_dims == 2 ? v->dims[1] : v->n;
        for (int k = 0; k < v->n; k++) {
            int turned = l->by_columns && v->n_dims == 2 ? k % cols * rows + k / cols : k;
            results[n++] = at == EXTERNAL_RETURNED ? at : l->places.at[at].first + turned;
        }
    }
    l->r->results = results;
    l->r->n_out = n;
    return true;
}

/* Does what is passed fit the function in C? */
static bool layout_fits(layout *l, const external_function *f)
{
    bool fits = (int)strlen(f->types) == l->places.n + 1 && f->value;
    for (int i = 0; fits && i < l->places.n; i++) {
        const external_place *p = &l->places.at[i];
        char c = f->types[i + 1];
        bool number = p->kind <= EXTERNAL_INTEGER;
        fits = c == 's'   ? p->kind == EXTERNAL_STRING
               : c == 'o' ? p->kind == EXTERNAL_OBJECT
                          : number && (p->n_dims > 0) == (c == 'R' || c == 'I');
    }
    bool makes = f->types[0] == 'o';
    if (fits && makes == l->fr->f->constructs) return true;
    return layout_refuse(l, "is declared with arguments that it does not have");
}

/* Texts come back from functions of the library alone: nobody would own them. */
static bool layout_foreign(layout *l)
{
    for (int i = 0; i < l->places.n; i++)
        if (l->places.at[i].kind == EXTERNAL_STRING && l->places.at[i].out)
            return layout_refuse(l, "gives back a String, which only functions of the standard "
                                    "library do here");
    return true;
}

/* The call of the external function with the values of the frame; NULL after a message. */
const external_routine *function_layout(function_frame *fr)
{
    flat_builder *b = fr->b;
    const function_def *f = fr->f;
    const external_function *c = own_function(f);
    bool ours = c != NULL;
    if (!c) c = function_load(fr, c_name(f));
    if (!c) return NULL;
    layout l = {.fr = fr, .r = arena_new(b->model, external_routine)};
    l.s = function_scope(fr, f->external_at);
    l.s.names = fr->names;
    l.by_columns = is_language(f->external, "FORTRAN 77");
    for (int o = 0; o < f->n_outputs; o++) array_push(b->env.a, &l.outputs, EXTERNAL_RETURNED - 1);
    for (int i = 0; i < f->n_all; i++)
        if (!function_ready(fr, i)) return NULL;
    bool said = f->external->has_call;
    if (!(said ? layout_clause(&l) : layout_standard(&l))) return NULL;
    if (!layout_results(&l) || (ours && !layout_fits(&l, c))) return NULL;
    if (!ours && !layout_foreign(&l)) return NULL;
    l.r->f = c;
    l.r->name = f->name;
    l.r->n_args = l.places.n;
    l.r->args = l.places.at;
    l.r->n_scalars = l.scalars.n;
    l.r->scalars = l.scalars.at;
    l.r->constructs = f->constructs;
    return l.r;
}

/* ---- execution ------------------------------------------------------------------------------- */

static function_local *result_local(function_frame *fr)
{
    const ast_expr *r = fr->f->external->result;
    for (int i = 0; i < fr->f->n_outputs; i++) {
        function_local *l = &fr->locals[fr->f->outputs[i]];
        if (!r || (r->kind == AST_REF && r->ref->at[0].name == l->c->name)) return l;
    }
    return NULL;
}

static bool set_result(function_frame *fr, value v)
{
    if (value_is_error(&v)) return false;
    function_local *l = result_local(fr);
    if (v.type == VALUE_TUPLE || !l) return true;
    scope s = function_scope(fr, l->c->at);
    l->v = function_convert_to(&s, l->c, v);
    return !value_is_error(&l->v);
}

/* An error that is certain ends the call; one under a condition counts only if that is reached. */
static bool call_report(function_frame *fr, const scope *s, bool guarded)
{
    const ast_external *e = fr->f->external;
    value v = value_error();
    for (int i = 0; i < e->args.n; i++)
        if (!eval_expr(s, e->args.at[i], &v)) return false;
    if (guarded || !function_is_error(fr->f)) return true;
    const char *words = NULL;
    if (v.type == VALUE_STRING && !v.n_dims && expr_at(fr->b->pool, v.e)->op == EXPR_STRING)
        words = expr_at(fr->b->pool, v.e)->u.string;
    if (words) diag_error(fr->b->diags, "M424", fr->at, "%s", words);
    else diag_error(fr->b->diags, "M424", fr->at, "%s reports an error here", fr->f->name);
    return false;
}

static expr literal_like(flat_builder *b, expr old, double x, const char *words)
{
    const expr_node *n = expr_at(b->pool, old);
    switch ((expr_type)n->type) {
    case TYPE_INTEGER: return expr_integer(b->pool, (int64_t)x);
    case TYPE_BOOLEAN: return expr_boolean(b->pool, x != 0);
    case TYPE_ENUM: return expr_enum(b->pool, n->enum_id, (int64_t)x);
    case TYPE_STRING: return value_string(&b->env, words ? words : "").e;
    default: return expr_real(b->pool, x);
    }
}

/* For literals: the outputs of the frame become what comes out. */
static bool call_at_once(function_frame *fr, const external_routine *r)
{
    flat_builder *b = fr->b;
    const function_def *f = fr->f;
    char why[EXTERNAL_WHY] = "";
    double *out = arena_array(b->env.a, double, r->n_out + 1);
    const char **words = arena_array(b->env.a, const char *, r->n_out + 1);
    if (!external_once(r, out, words, b->env.a, why)) {
        diag_error(b->diags, "M434", fr->at, "%s has no value here: %s", f->name, why);
        return false;
    }
    for (int o = 0, k = 0; o < f->n_outputs; o++) {
        value *v = &fr->locals[f->outputs[o]].v;
        int n = value_count(v);
        expr *e = arena_array(b->env.a, expr, n + 1);
        value_scalars(v, e);
        for (int i = 0; i < n; i++, k++) e[i] = literal_like(b, e[i], out[k], words[k]);
        *v = value_with_scalars(&b->env, v, e);
    }
    return true;
}

bool function_external(function_frame *fr, bool guarded)
{
    const ast_external *e = fr->f->external;
    scope s = function_scope(fr, fr->f->external_at);
    s.names = fr->names;
    if (function_is_builtin(fr->f)) {
        ast_call c = {.args = e->args};
        return set_result(fr, eval_call_builtin(&s, eval_find_builtin(c_name(fr->f)), &c, fr->at));
    }
    if (is_report(fr->f)) return call_report(fr, &s, guarded);
    const external_routine *r = function_layout(fr);
    if (!r) return false;
    bool known = !fr->f->constructs && (!fr->f->impure || r->f->reads);
    for (int k = 0; k < r->n_scalars; k++) known &= r->scalars[k].from < 0;
    for (int k = 0; k < r->n_args; k++) known &= r->args[k].kind != EXTERNAL_OBJECT;
    if (known) return call_at_once(fr, r);
    diag_error(fr->b->diags, "M425", fr->at, "%s needs arguments that are known", fr->f->name);
    return false;
}
