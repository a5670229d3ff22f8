/* Conversions, connectors, and what stands alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <string.h>

static value call_connector(const scope *s, const eval_builtin *f, const ast_call *c,
                            const ast_expr *const *a, int n, span at)
{
    (void)f, (void)a, (void)n;
    value v;
    return s->b->verbs->connector_call(s, c, at, &v) ? v : value_error();
}

static value call_instance_name(const scope *s, const eval_builtin *f, const ast_call *c,
                                const ast_expr *const *a, int n, span at)
{
    (void)f, (void)c, (void)a, (void)n, (void)at;
    const value_env *env = eval_env(s);
    sym path = s->b->verbs->instance(s), model = s->b->m->name;
    const char *dot = model ? strrchr(model, '.') : NULL; // MyLib.Vehicle is Vehicle here
    if (dot) model = dot + 1;
    mem m = value_arena_mem(env->a);
    text t;
    text_init(&t, &m);
    text_printf(&t, "%s%s%s", model ? model : "", *path ? "." : "", path);
    return value_string(env, text_str(&t));
}

/* pure(f(x)) declares that a call of an impure function may be treated as pure. */
static value call_pure(const scope *s, const eval_builtin *f, const ast_call *c,
                       const ast_expr *const *a, int n, span at)
{
    (void)f, (void)c, (void)n, (void)at;
    return eval_value(s, a[0]);
}

static value call_string(const scope *s, const eval_builtin *f, const ast_call *c,
                         const ast_expr *const *a, int n, span at)
{
    (void)f, (void)a, (void)n;
    return eval_to_string(s, c, at);
}

static value call_integer(const scope *s, const eval_builtin *f, const ast_call *c,
                          const ast_expr *const *a, int n, span at)
{
    (void)f, (void)c, (void)n;
    value v = eval_value(s, a[0]);
    return value_is_error(&v) ? v : eval_to_integer(s, v, at);
}

static value call_statement(const scope *s, const eval_builtin *f, const ast_call *c,
                            const ast_expr *const *a, int n, span at)
{
    (void)c, (void)a, (void)n;
    diag_error(s->b->diags, "M354", at,
               "%s() has no value: it stands alone, as an equation or a "
               "statement",
               f->name);
    return value_error();
}

static const eval_builtin other_functions[] = {
    // sorted by name
    {"Integer", "e", RESULT_INTEGER, 0, "3.7.1", NULL, .call = call_integer},
    {"String", "", RESULT_STRING, BUILTIN_SYNTAX, "3.7.1", "String(12) == \"12\"",
     .call = call_string},
    {"actualStream", "v", RESULT_REAL, BUILTIN_IN_EQUATION, "15.3", NULL, .call = call_connector},
    {"assert", "", RESULT_NONE, BUILTIN_SYNTAX, "8.3.7", NULL, .call = call_statement},
    {"cardinality", "c", RESULT_INTEGER, BUILTIN_IN_EQUATION, "3.7.4.3", NULL,
     .call = call_connector},
    {"getInstanceName", "", RESULT_STRING, 0, "3.7.4.4", NULL, .call = call_instance_name},
    {"inStream", "v", RESULT_REAL, BUILTIN_IN_EQUATION, "15.2", NULL, .call = call_connector},
    {"pure", "call", RESULT_AS_ARGUMENTS, 0, "12.3", NULL, .call = call_pure},
    {"reinit", "", RESULT_NONE, BUILTIN_SYNTAX, "8.3.6", NULL, .call = call_statement},
    {"terminate", "", RESULT_NONE, BUILTIN_SYNTAX, "8.3.8", NULL, .call = call_statement},
};

const eval_family eval_other_functions = {other_functions,
                                          sizeof other_functions / sizeof *other_functions};
