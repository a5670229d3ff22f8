/* External functions: those of the language ("builtin") and the ones whose meaning is known here.
 *
 * external "builtin" y = sin(u) is the built-in function itself. The C functions that the standard
 * library uses on Strings are executed when their arguments are literals; others stay calls.
 * Modelica Language Specification 3.6, section 12.9.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_def.h"

#include "lang/lang.h"

#include <string.h>

typedef struct call {
    function_frame *fr;
    const value_env *env;
    value *args;
    int n;
    bool guarded;
} call;

/* The result of the call, or a value without type when there is none. */
typedef value known_function(call *c);

/* ---- arguments that are literals ------------------------------------------------------------- */

static const char *string_arg(const call *c, int i)
{
    return expr_at(c->env->p, c->args[i].e)->u.string;
}

static int64_t integer_arg(const call *c, int i)
{
    return expr_at(c->env->p, c->args[i].e)->u.integer;
}

/* ---- the functions --------------------------------------------------------------------------- */

static value nothing(void)
{
    return (value){.type = VALUE_TUPLE};
}

static value k_error(call *c)
{
    if (c->guarded) return nothing(); // only if that case is reached
    diag_error(c->env->diags, "M424", c->fr->at, "%s", string_arg(c, 0));
    return value_error();
}

static value k_ignored(call *c)
{
    (void)c;
    return nothing();
}

static value k_length(call *c)
{
    return value_integer(c->env, (int64_t)strlen(string_arg(c, 0)));
}

static value k_substring(call *c)
{
    const char *s = string_arg(c, 0);
    int64_t n = (int64_t)strlen(s), first = integer_arg(c, 1), last = integer_arg(c, 2);
    if (first < 1) first = 1;
    if (last > n) last = n;
    if (last < first) return value_string(c->env, "");
    return value_string(c->env,
                        arena_strndup(c->env->a, s + first - 1, (size_t)(last - first + 1)));
}

static int fold_case(int ch)
{
    return ch >= 'A' && ch <= 'Z' ? ch + 32 : ch;
}

/* Modelica.Utilities.Types.Compare: Less = 1, Equal = 2, Greater = 3. */
static value k_compare(call *c)
{
    const char *a = string_arg(c, 0), *b = string_arg(c, 1);
    bool sensitive = integer_arg(c, 2) != 0;
    int x, y;
    do {
        x = (unsigned char)*a++, y = (unsigned char)*b++;
        if (!sensitive) x = fold_case(x), y = fold_case(y);
    } while (x && x == y);
    const inst_component *out = &c->fr->f->all[c->fr->f->outputs[0]];
    int order = x < y ? 1 : x == y ? 2 : 3;
    if (out->type.type != TYPE_ENUM) return value_integer(c->env, order);
    return value_scalar(c->env, expr_enum(c->env->p, out->type.enum_id, order));
}

static value k_skip_space(call *c)
{
    const char *s = string_arg(c, 0);
    int64_t n = (int64_t)strlen(s), i = integer_arg(c, 1);
    if (i < 1) i = 1;
    while (i <= n && strchr(" \t\n\r\f\v", s[i - 1])) i++;
    return value_integer(c->env, i);
}

/* Bernstein's hash as the standard library defines it: 32-bit arithmetic with wrap-around. */
static value k_hash(call *c)
{
    uint32_t h = 0;
    for (const char *s = string_arg(c, 0); *s; s++) h = 31 * h + (unsigned char)*s;
    return value_integer(c->env, (int32_t)h);
}

static const struct {
    const char *name, *types; // of the arguments: s, i, b
    known_function *call;
} known[] = {
    {"ModelicaError", "s", k_error},
    {"ModelicaInternal_print", "ss", k_ignored},
    {"ModelicaStrings_compare", "ssb", k_compare},
    {"ModelicaStrings_hashString", "s", k_hash},
    {"ModelicaStrings_length", "s", k_length},
    {"ModelicaStrings_skipWhiteSpace", "si", k_skip_space},
    {"ModelicaStrings_substring", "sii", k_substring},
};

enum { N_KNOWN = sizeof known / sizeof *known };

static int find_known(const char *name)
{
    for (int i = 0; i < N_KNOWN; i++)
        if (!strcmp(known[i].name, name)) return i;
    return -1;
}

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

bool function_is_known(const function_def *f)
{
    return !f->external || function_is_builtin(f) || find_known(c_name(f)) >= 0;
}

bool function_is_error(const function_def *f)
{
    return f->external && !strcmp(c_name(f), "ModelicaError");
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

static bool types_match(const call *c, const char *types)
{
    if ((int)strlen(types) != c->n) return false;
    for (int i = 0; i < c->n; i++) {
        value_type want = types[i] == 's'   ? VALUE_STRING
                          : types[i] == 'i' ? VALUE_INTEGER
                                            : VALUE_BOOLEAN;
        if (c->args[i].type != want || c->args[i].n_dims) return false;
    }
    return true;
}

static bool call_known(function_frame *fr, const scope *s, int k, bool guarded)
{
    const ast_external *e = fr->f->external;
    call c = {.fr = fr, .env = &fr->b->env, .n = e->args.n, .guarded = guarded};
    bool literal = true;
    c.args = arena_array(c.env->a, value, c.n ? c.n : 1);
    for (int i = 0; i < c.n; i++) {
        if (!eval_expr(s, e->args.at[i], &c.args[i])) return false;
        literal &= value_is_literal(c.env, &c.args[i]);
    }
    if (types_match(&c, known[k].types) && literal) return set_result(fr, known[k].call(&c));
    if (known[k].call == k_error && !literal && !guarded) {
        diag_error(fr->b->diags, "M424", fr->at, "%s reports an error here", fr->f->name);
        return false;
    }
    if (known[k].call == k_error || known[k].call == k_ignored) return true;
    diag_error(fr->b->diags, "M425", fr->at, "%s needs arguments that are known", fr->f->name);
    return false;
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
    int k = find_known(c_name(fr->f));
    if (k >= 0) return call_known(fr, &s, k, guarded);
    diag_error(fr->b->diags, "M426", fr->at, "the external function %s is not known here",
               c_name(fr->f));
    return false;
}
