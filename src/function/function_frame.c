/* The variables of one call: sizes, defaults and declaration assignments.
 *
 * A declaration may use variables that are declared later; each is made ready when the first
 * expression that mentions it is evaluated.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"
#include "inst/tree.h"

#include <string.h>

function_frame function_begin(flat_builder *b, function_def *f, span at)
{
    function_frame fr = {.b = b, .f = f, .at = at};
    fr.locals = arena_array(b->env.a, function_local, f->n_all ? f->n_all : 1);
    for (int i = 0; i < f->n_all; i++) {
        function_local *l = &fr.locals[i];
        l->c = &f->all[i];
        l->v = value_error();
        l->link = (scope_name){l->c->name, &l->v, fr.names, &l->own};
        fr.names = &l->link;
    }
    return fr;
}

/* Is this the text of the function itself (or of a base class), where its variables are seen? */
static bool own_text(const function_def *f, const inst_class *cls)
{
    if (cls == f->cls || (cls && f->cls && cls->root == f->cls->root)) return true;
    for (int i = 0; i < f->n_all; i++)
        if (f->all[i].at.cls == cls) return true;
    for (int i = 0; i < f->n_sections; i++)
        if (f->sections[i].at.cls == cls) return true;
    return false;
}

scope function_scope(const function_frame *fr, scope at)
{
    at.b = fr->b;
    for (const function_frame *k = fr; k; k = k->outer)
        if (own_text(k->f, at.cls)) {
            at.names = k->names;
            break;
        }
    at.end = -1;
    at.mode = SCOPE_STRUCTURAL;
    at.in_function = true;
    return at;
}

/* ---- what an expression needs ---------------------------------------------------------------- */

typedef struct need {
    function_frame *fr;
    bool failed;
} need;

static void need_ref(void *user, const ast_ref *r)
{
    need *n = user;
    function_def *f = n->fr->f;
    for (int i = 0; i < f->n_all && !n->failed && !r->global; i++)
        if (f->all[i].name == r->at[0].name) n->failed = !function_ready(n->fr, i);
}

/* The names are those of this call, or of one around it whose declaration modifies a record:
 * R r(a = zeros(n)) names the n of the function. */
static bool frame_make_ready(function_frame *fr, const ast_expr *e, const scope_name *names)
{
    while (fr && fr->names != names) fr = fr->outer;
    need n = {fr, false};
    if (fr) eval_each_ref(e, need_ref, &n);
    return !n.failed;
}

static bool frame_evaluate(function_frame *fr, const ast_expr *e, scope at, value *out)
{
    scope s = function_scope(fr, at);
    if (!eval_enter(&s, e->span)) return false; // it may call the function again
    bool ok = frame_make_ready(fr, e, s.names) && eval_expr(&s, e, out);
    eval_leave(&s);
    return ok;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

int function_dims_count(const inst_component *c)
{
    int n = 0;
    for (int i = 0; i < c->n_dims_lists; i++) n += c->dims[i]->n;
    return n;
}

/* The declared sizes; a ':' takes the size from v if it is given, else 0, and sets *open. */
bool function_dims(function_frame *fr, const inst_component *c, const value *v, int *dims,
                   int *n_dims, bool *open)
{
    int n = 0;
    *open = false;
    for (int i = 0; i < c->n_dims_lists; i++)
        for (int k = 0; k < c->dims[i]->n; k++, n++) {
            const ast_expr *e = c->dims[i]->at[k];
            if (n >= VALUE_MAX_DIMS) return false;
            if (e->kind == AST_COLON) {
                *open = true;
                dims[n] = v && n < v->n_dims ? v->dims[n] : 0;
                continue;
            }
            value size;
            int64_t x;
            scope s = function_scope(fr, c->dims_at[i]);
            if (!frame_evaluate(fr, e, c->dims_at[i], &size)) return false;
            if (size.n_dims == 1 && (size.type == VALUE_ENUM || size.type == VALUE_BOOLEAN)) {
                dims[n] = size.n;
                continue;
            }
            if (!value_literal_integer(&fr->b->env, &size, &x) || x < 0 || x > FLAT_MAX_ELEMENTS) {
                if (value_is_literal(&fr->b->env, &size))
                    diag_error(fr->b->diags, "M401", e->span, "'%s' cannot have this size",
                               c->name);
                else eval_not_literal(&s, "a size in a function", &size, e->span);
                return false;
            }
            dims[n] = (int)x;
        }
    *n_dims = n;
    return true;
}

/* ---- default values -------------------------------------------------------------------------- */

static bool default_record(function_frame *fr, const inst_component *c, const int *dims, int n_dims,
                           value *out)
{
    function_def *f = function_find(fr->b, c->modified ? c->modified : c->type.cls);
    if (!f || f->failed) return false;
    function_frame inner = function_begin(fr->b, f, fr->at);
    inner.outer = fr;
    value *fields, one = value_new_record(&fr->b->env, f->record, NULL, 0, &fields);
    scope s = {.b = fr->b};
    if (!eval_enter(&s, c->decl->at)) return false; // a record may contain itself
    bool ok = true;
    for (int i = 0; ok && i < f->n_all; i++) {
        ok = function_ready(&inner, i);
        fields[i] = inner.locals[i].v;
    }
    eval_leave(&s);
    if (!ok) return false;
    if (!n_dims) {
        *out = one;
        return true;
    }
    value *slots;
    *out = value_new_record(&fr->b->env, f->record, dims, n_dims, &slots);
    for (int i = 0; i < out->n * f->n_all; i++) slots[i] = fields[i % f->n_all];
    return true;
}

static bool default_value(function_frame *fr, const inst_component *c, const int *dims, int n_dims,
                          value *out)
{
    const value_env *env = &fr->b->env;
    expr zero = 0;
    int64_t total = 1;
    for (int i = 0; i < n_dims; i++)
        if ((total *= dims[i]) > FLAT_MAX_ELEMENTS) {
            diag_error(fr->b->diags, "M306", c->decl->at, "'%s' would have more than %d elements",
                       c->name, FLAT_MAX_ELEMENTS);
            return false;
        }
    switch (c->type.kind) {
    case INST_RECORD: return default_record(fr, c, dims, n_dims, out);
    case INST_PREDEFINED:
    case INST_EXTERNAL: break;
    default:
        diag_error(fr->b->diags, "M402", c->decl->at, "'%s' has a type that a function cannot use",
                   c->name);
        return false;
    }
    switch (c->type.type) {
    case TYPE_REAL: zero = env->p->zero; break;
    case TYPE_INTEGER: zero = expr_integer(env->p, 0); break;
    case TYPE_BOOLEAN: zero = env->p->no; break;
    case TYPE_STRING: zero = value_string(env, "").e; break;
    case TYPE_ENUM: zero = expr_enum(env->p, c->type.enum_id, 1); break;
    case TYPE_CLOCK: return false; // refused above
    case TYPE_OBJECT:              // there is none yet
        zero = expr_var(env->p, FLAT_NO_VAR, 0, TYPE_OBJECT, c->type.enum_id);
        break;
    }
    if (!n_dims) {
        *out = value_scalar(env, zero);
        return true;
    }
    expr *slots;
    *out = value_new(env, (value_type)c->type.type, c->type.enum_id, dims, n_dims, &slots);
    for (int i = 0; i < out->n; i++) slots[i] = zero;
    return true;
}

/* ---- one variable ---------------------------------------------------------------------------- */

static bool frame_check_binding(function_frame *fr, const inst_component *c, const value *v,
                                const int *dims, int n_dims)
{
    value want = {.n_dims = (uint8_t)n_dims, .dims = dims};
    if (value_same_dims(v, &want)) return true;
    diag_error(fr->b->diags, "M403", c->binding->span,
               "'%s' has size %s, but its value has size %s", c->name,
               value_dims_name(&fr->b->env, dims, n_dims),
               value_dims_name(&fr->b->env, v->dims, v->n_dims));
    return false;
}

static bool make_local(function_frame *fr, function_local *l)
{
    const inst_component *c = l->c;
    int dims[VALUE_MAX_DIMS], n_dims;
    value v;
    if (!c->binding) {
        if (!function_dims(fr, c, NULL, dims, &n_dims, &l->resizable)) return false;
        return default_value(fr, c, dims, n_dims, &l->v);
    }
    if (!frame_evaluate(fr, c->binding, c->binding_at, &v)) return false;
    scope s = function_scope(fr, c->at);
    v = function_convert_to(&s, c, v);
    if (value_is_error(&v)) return false;
    if (!function_dims(fr, c, &v, dims, &n_dims, &l->resizable)) return false;
    if (!frame_check_binding(fr, c, &v, dims, n_dims)) return false;
    l->resizable = false;
    l->v = v;
    return true;
}

bool function_ready(function_frame *fr, int i)
{
    function_local *l = &fr->locals[i];
    if (l->ready) return !value_is_error(&l->v);
    if (l->busy) {
        diag_error(fr->b->diags, "M404", l->c->decl->at, "'%s' is declared in terms of itself",
                   l->c->name);
        return false;
    }
    l->busy = true;
    bool ok = make_local(fr, l);
    l->busy = false;
    l->ready = true;
    if (!ok) l->v = value_error();
    return ok;
}
