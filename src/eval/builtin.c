/* Built-in functions: finding one, binding its arguments, calling it. eval/builtin.h has the rules.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static const eval_family *const families[] = {&eval_math_functions, &eval_array_functions,
                                              &eval_event_functions, &eval_clock_functions,
                                              &eval_other_functions};
enum { N_FAMILIES = sizeof families / sizeof *families };

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const eval_builtin *)entry)->name);
}

const eval_builtin *eval_find_builtin(const char *name)
{
    const eval_builtin *f = NULL;
    for (int k = 0; k < N_FAMILIES && !f; k++)
        f = bsearch(name, families[k]->at, (size_t)families[k]->n, sizeof *f, compare_name);
    return f;
}

const eval_builtin *eval_builtin_at(int i)
{
    for (int k = 0; k < N_FAMILIES; i -= families[k++]->n)
        if (i < families[k]->n) return &families[k]->at[i];
    return NULL;
}

static int compare_names(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

int eval_builtin_names(arena *a, const char *const **names)
{
    ARRAY(const char *) list = {0};
    for (int i = 0; eval_builtin_at(i); i++) array_push(a, &list, eval_builtin_at(i)->name);
    qsort(list.at, (size_t)list.n, sizeof *list.at, compare_names);
    *names = list.at;
    return list.n;
}

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct builtin_argument {
    const char *name;
    int n; // characters
    bool optional, structural, repeated;
} builtin_argument;

/* The next argument of a list, or false after the last one. */
static bool next_argument(const char **list, builtin_argument *a)
{
    const char *p = *list;
    while (*p == ' ') p++;
    if (!*p) return false;
    *a = (builtin_argument){.optional = *p == '['};
    p += a->optional;
    a->name = p;
    a->n = (int)strcspn(p, " #]");
    p += a->n;
    a->structural = *p == '#';
    p += strcspn(p, " ");
    a->repeated = !strncmp(p, " ...", 4);
    *list = a->repeated ? p + 4 : p;
    return true;
}

/* How many arguments it takes. */
static void argument_range(const eval_builtin *f, int *least, int *most)
{
    builtin_argument a;
    *least = *most = 0;
    for (const char *p = f->args; next_argument(&p, &a);) {
        *least += !a.optional;
        *most = a.repeated ? INT_MAX : *most + 1;
    }
}

static int argument_place(const eval_builtin *f, const char *name)
{
    builtin_argument a;
    int k = 0, n = (int)strlen(name);
    if (!(f->flags & BUILTIN_NAMED)) return -1;
    for (const char *p = f->args; next_argument(&p, &a); k++)
        if (a.n == n && !memcmp(a.name, name, (size_t)n)) return k;
    return -1;
}

static value argument_count(const scope *s, const eval_builtin *f, int n, int least, int most,
                            span at)
{
    if (least == most)
        diag_error(s->b->diags, "M355", at, "%s() takes %d argument%s, not %d", f->name, least,
                   least == 1 ? "" : "s", n);
    else
        diag_error(s->b->diags, "M355", at, "%s() takes %s%d argument%s, not %d", f->name,
                   n < least ? "at least " : "at most ", n < least ? least : most,
                   (n < least ? least : most) == 1 ? "" : "s", n);
    return value_error();
}

/* A function of values alone. */
static value call_values(const scope *s, const eval_builtin *f, const ast_expr *const *args, int n,
                         span at)
{
    value few[4], *v = n <= 4 ? few : arena_array(eval_env(s)->a, value, n);
    builtin_argument a = {0};
    const char *list = f->args;
    for (int i = 0; i < n; i++) {
        if (!a.repeated) next_argument(&list, &a);
        v[i] = a.structural ? eval_literal(s, args[i]) : eval_value(s, args[i]);
        if (value_is_error(&v[i])) return value_error();
    }
    return f->values(eval_env(s), v, n, at);
}

/* Is the value what the entry says? Records bring operators of their own. */
static bool has_result(const eval_builtin *f, const value *v)
{
    static const uint8_t types[] = {[RESULT_REAL] = VALUE_REAL,
                                    [RESULT_INTEGER] = VALUE_INTEGER,
                                    [RESULT_BOOLEAN] = VALUE_BOOLEAN,
                                    [RESULT_STRING] = VALUE_STRING,
                                    [RESULT_CLOCK] = VALUE_CLOCK};
    if (v->type >= VALUE_RECORD || f->result == RESULT_AS_ARGUMENTS) return true;
    return f->result != RESULT_NONE && v->type == types[f->result];
}

static value builtin_call_bound(const scope *s, const eval_builtin *f, const ast_call *call,
                                const ast_expr *const *args, int n, span at)
{
    if ((f->flags & BUILTIN_IN_EQUATION) && s->in_function) {
        diag_error(s->b->diags, "M350", at, "%s() cannot be used in a function", f->name);
        return value_error();
    }
    value v = f->call ? f->call(s, f, call, args, n, at) : call_values(s, f, args, n, at);
    bool fits = has_result(f, &v);
    assert(fits);
    (void)fits;
    return v;
}

value eval_call_builtin(const scope *s, const eval_builtin *f, const ast_call *call, span at)
{
    if (f->flags & BUILTIN_SYNTAX) return builtin_call_bound(s, f, call, NULL, 0, at);
    int n = call->args.n + call->n_named, least, most;
    argument_range(f, &least, &most);
    if (n < least || n > most) return argument_count(s, f, n, least, most, at);
    if (!call->n_named)
        return builtin_call_bound(s, f, call, (const ast_expr *const *)call->args.at, n, at);
    const ast_expr *bound[8] = {0};
    for (int i = 0; i < call->args.n && i < 8; i++) bound[i] = call->args.at[i];
    for (int i = 0; i < call->n_named; i++) {
        int k = argument_place(f, call->named[i].name);
        if (k < 0 || k >= n || bound[k]) {
            diag_error(s->b->diags, "M356", call->named[i].at,
                       k < 0 ? "%s() has no argument '%s'"
                             : "%s() is given its argument '%s' twice, or another is missing",
                       f->name, call->named[i].name);
            return value_error();
        }
        bound[k] = call->named[i].value;
    }
    return builtin_call_bound(s, f, call, bound, n, at);
}

const eval_builtin *eval_called_builtin(const scope *s, const ast_call *c)
{
    if (c->f.n != 1 || c->f.global || c->n_named || c->iters.n) return NULL;
    for (const scope_name *k = s->names; k; k = k->next)
        if (k->name == c->f.at[0].name) return NULL;
    bool other = s->b->verbs->callee(s, &c->f).kind != CALLEE_NONE;
    return other ? NULL : eval_find_builtin(c->f.at[0].name);
}

/* ---- for the families ------------------------------------------------------------------------ */

value builtin_wrong(const scope *s, const char *name, const char *wants, const value *got, span at)
{
    if (!value_is_error(got))
        diag_error(s->b->diags, "M320", at, "%s() needs %s, not %s", name, wants,
                   value_type_name(eval_env(s), got));
    return value_error();
}

value builtin_map(const scope *s, expr_op op, value v, expr before)
{
    const value_env *env = eval_env(s);
    int n = value_count(&v);
    expr one, *list = n == 1 ? &one : arena_array(env->a, expr, n ? n : 1);
    value_scalars(&v, list);
    for (int i = 0; i < n; i++)
        list[i] = before ? expr_2(env->p, op, before, list[i]) : expr_1(env->p, op, list[i]);
    return value_with_scalars(env, &v, list);
}
