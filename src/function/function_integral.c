/* Integrals: the operators with iterators
 *
 *     Vincolo.integral(f for z in 0:h, y in -z:z, x in a(y, z):b(y, z))
 *     Vincolo.solid({x, y, z, density} for u in ..., v in ..., w in ...)
 *
 * Bounds may depend on the other iterators, in any order that is not circular. With each coordinate
 * u = a + (b - a) s the integral is one over the unit cube, so that its derivative by whatever it
 * depends on is again such an integral. A solid is given by points and the density there, as
 * functions of three coordinates (a body), two (a shell) or one (a wire); the determinant, area or
 * length of an element is derived.
 *
 * What an integral depends on are the arguments of a function that is kept, and whose program is
 * the quadrature (routine/quadrature.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "function/function_program.h"
#include "inst/inst.h"
#include "routine/quadrature.h"

#include <stdio.h>
#include <string.h>

enum { DIMS = QUADRATURE_DIMS, DERIVATIVES = 2 }; // of integrals, by what they depend on

#define LITERAL_TOL 1e-10

typedef struct region {
    const scope *s;
    flat_builder *b;
    span at;
    int dims;
    const ast_iterator *it[DIMS]; // the outermost first
    expr u[DIMS];                 // coordinates, as they are written in bounds and functions
    expr first[DIMS], last[DIMS]; // bounds, as they are written
    expr low[DIMS], high[DIMS];   // ... as functions of s
    expr unit[DIMS];              // s
    expr of_unit[DIMS];           // coordinates as functions of s
} region;

/* ---- coordinates and bounds ------------------------------------------------------------------ */

static bool bound_value(const scope *s, const ast_expr *e, expr *out)
{
    value v = eval_value(s, e);
    if (value_is_error(&v)) return false;
    if (!value_is_scalar(&v) || !value_is_numeric(&v)) {
        diag_error(s->b->diags, "M450", e->span, "a bound must be a number, not %s",
                   value_type_name(eval_env(s), &v));
        return false;
    }
    *out = value_to_real(eval_env(s), v).e;
    return true;
}

static bool depends_on(const region *r, expr e, expr var)
{
    int_array vars = expr_vars(r->b->pool, &e, 1, r->b->env.a);
    for (int i = 0; i < vars.n; i++)
        if (vars.at[i] == var) return true;
    return false;
}

/* Coordinates that others depend on come before them. */
static bool region_sort(region *r)
{
    for (int k = 0; k < r->dims; k++) {
        int next = -1;
        for (int i = k; i < r->dims && next < 0; i++) {
            next = i;
            for (int j = k; j < r->dims && next >= 0; j++)
                if (depends_on(r, r->first[i], r->u[j]) || depends_on(r, r->last[i], r->u[j]))
                    next = -1;
        }
        if (next < 0) {
            diag_error(r->b->diags, "M450", r->it[k]->at,
                       "the bounds of '%s' depend on each other, or on '%s' itself: one coordinate "
                       "needs bounds that are free of the others, the next may depend on it",
                       r->it[k]->name, r->it[k]->name);
            return false;
        }
        region old = *r;
        for (int i = next; i > k; i--) {
            r->it[i] = old.it[i - 1];
            r->u[i] = old.u[i - 1];
            r->first[i] = old.first[i - 1];
            r->last[i] = old.last[i - 1];
        }
        r->it[k] = old.it[next];
        r->u[k] = old.u[next];
        r->first[k] = old.first[next];
        r->last[k] = old.last[next];
    }
    return true;
}

static bool region_read(region *r, scope *inner, scope_name *names, value *values)
{
    for (int k = 0; k < r->dims; k++) {
        r->u[k] = function_stand_in(r->b);
        values[k] = value_scalar(eval_env(r->s), r->u[k]);
        names[k] = (scope_name){r->it[k]->name, &values[k], inner->names, NULL};
        inner->names = &names[k];
    }
    for (int k = 0; k < r->dims; k++) {
        const ast_expr *range = r->it[k]->range;
        if (!range || range->kind != AST_RANGE || range->range.step) {
            diag_error(r->b->diags, "M450", range ? range->span : r->it[k]->at,
                       "an integral needs bounds: '%s in a:b'", r->it[k]->name);
            return false;
        }
        if (!bound_value(inner, range->range.first, &r->first[k]) ||
            !bound_value(inner, range->range.last, &r->last[k]))
            return false;
    }
    return region_sort(r);
}

/* u = a + (b - a) s, and bounds of s. */
static expr_subst region_to_unit(region *r)
{
    expr_pool *p = r->b->pool;
    expr_subst to;
    expr_subst_init(&to, p, r->b->env.a);
    for (int k = 0; k < r->dims; k++) {
        r->low[k] = expr_subst_apply(&to, r->first[k]);
        r->high[k] = expr_subst_apply(&to, r->last[k]);
        r->unit[k] = function_stand_in(r->b);
        r->of_unit[k] =
            expr_add(p, r->low[k], expr_mul(p, expr_sub(p, r->high[k], r->low[k]), r->unit[k]));
        expr_subst_init(&to, p, r->b->env.a);
        for (int i = 0; i <= k; i++) expr_subst_set(&to, r->u[i], r->of_unit[i]);
    }
    return to;
}

/* ---- the function that is kept --------------------------------------------------------------- */

typedef struct integrand {
    const expr *f; // over the unit cube
    int n;
    bool region;
    const expr *written; // over the coordinates, for the text; NULL: it is not printed
} integrand;

/* What expressions depend on but for s: variables and time. */
static int_array free_variables(const region *r, const expr *e, int n)
{
    flat_builder *b = r->b;
    int_array all = expr_reach(b->pool, e, n, b->env.a), out = {0};
    for (int i = 0; i < all.n; i++) {
        bool own = false;
        for (int k = 0; k < r->dims; k++) own = own || all.at[i] == r->unit[k];
        if (!own && (expr_at(b->pool, all.at[i])->op == EXPR_VAR || all.at[i] == b->pool->time))
            array_push(b->env.a, &out, all.at[i]);
    }
    return out;
}

typedef struct integral_names {
    const region *r;
} integral_names;

static const char *integral_var_name(void *user, int var, expr_label *label)
{
    integral_names *x = user;
    const expr_pool *p = x->r->b->pool;
    for (int k = 0; k < x->r->dims; k++)
        if (expr_at(p, x->r->u[k])->u.var.index == var) return x->r->it[k]->name;
    snprintf(label->text, sizeof label->text, "'arg %d'", var - FLAT_FORMAL + 1);
    return label->text;
}

static const char *integral_call_text(void *user, int function, int output, int k)
{
    return flat_call_text(((integral_names *)user)->r->b->m, function, output, k);
}

static const char *integral_function_name(void *user, int function)
{
    return ((integral_names *)user)->r->b->m->functions.at[function]->name;
}

static void integral_print(integral_names *x, expr e, text *out)
{
    expr_pool p = *x->r->b->pool;
    p.context = (expr_context){.user = x,
                               .var_name = integral_var_name,
                               .function_name = integral_function_name,
                               .call_text = integral_call_text};
    expr_print(&p, e, EXPR_MODELICA, 0, out);
}

static const char *text_of_result(flat_builder *b, const char *format, const char *name, int i)
{
    mem m = value_arena_mem(b->model);
    text t;
    text_init(&t, &m);
    text_printf(&t, format, name, i);
    return text_str(&t);
}

/* The function as text: y := Vincolo.integral({...} for z in 0:h, ...). */
static const flat_pieces *integral_text(region *r, const char *name, const integrand *x, int n,
                                        const expr *args, int n_args)
{
    flat_builder *b = r->b;
    expr_pool *p = b->pool;
    mem m = value_arena_mem(b->model);
    flat_pieces *out = arena_new(b->model, flat_pieces);
    flat_text *t = out->text = arena_new(b->model, flat_text);
    *t = (flat_text){.plain = name, .name = flat_quoted(b->model, name)};
    expr_subst named;
    expr_subst_init(&named, p, b->env.a);
    for (int k = 0; k < n_args; k++)
        expr_subst_set(&named, args[k], expr_var(p, FLAT_FORMAL + k, 0, TYPE_REAL, 0));
    text d;
    text_init(&d, &m);
    text_printf(&d, "  function %s\n", t->name);
    for (int k = 0; k < n_args; k++) text_printf(&d, "    input Real 'arg %d';\n", k + 1);
    text_printf(&d, "    output Real y[%d];\n  algorithm\n    y := Vincolo.integral({", n);
    integral_names names = {.r = r};
    for (int i = 0; i < n; i++) {
        if (i) text_add(&d, ", ");
        integral_print(&names, expr_subst_apply(&named, x->written[i]), &d);
    }
    for (int k = 0; k < r->dims; k++) {
        text_printf(&d, "%s %s in ", k ? "," : "} for", r->it[k]->name);
        integral_print(&names, expr_subst_apply(&named, r->first[k]), &d);
        text_char(&d, ':');
        integral_print(&names, expr_subst_apply(&named, r->last[k]), &d);
    }
    text_printf(&d, ");\n  end %s;\n", t->name);
    t->declaration = text_str(&d);
    out->between = arena_array(b->model, const char *, n_args + 1);
    out->first = arena_array(b->model, const char *, n);
    out->last = arena_array(b->model, const char *, n);
    for (int k = 0; k < n_args; k++) out->between[k] = k ? ", " : "";
    for (int i = 0; i < n; i++) {
        out->first[i] = text_of_result(b, "(%s(", t->name, i);
        out->last[i] = text_of_result(b, "%.0s))[%d]", "", i + 1);
    }
    return out;
}

/* The results of the program, in formal arguments: equal lists are the same integral. */
struct function_integrals {
    struct function_integrals *next;
    const expr *list;
    int n, n_args, number;
    bool region;
};

static expr *integral_list(region *r, const integrand *x, const expr *args, int n_args, int *n)
{
    flat_builder *b = r->b;
    expr_pool *p = b->pool;
    int dims = r->dims;
    *n = x->n + dims + (x->region ? 2 * dims : 0);
    expr *list = arena_array(b->front, expr, *n);
    memcpy(list, x->f, sizeof *list * (size_t)x->n);
    memcpy(list + x->n, r->of_unit, sizeof *list * (size_t)dims);
    if (x->region) {
        memcpy(list + x->n + dims, r->low, sizeof *list * (size_t)dims);
        memcpy(list + x->n + 2 * dims, r->high, sizeof *list * (size_t)dims);
    }
    expr_subst formal;
    expr_subst_init(&formal, p, b->env.a);
    for (int k = 0; k < n_args + dims; k++) {
        expr from = k < n_args ? args[k] : r->unit[k - n_args];
        const expr_node *node = expr_at(p, from);
        expr_subst_set(&formal, from,
                       expr_var(p, FLAT_FORMAL + k, 0, (expr_type)node->type, node->enum_id));
    }
    for (int i = 0; i < *n; i++) list[i] = expr_subst_apply(&formal, list[i]);
    return list;
}

static const routine_integral *integral_program(region *r, const integrand *x, const expr *list,
                                                int n, int n_args)
{
    flat_builder *b = r->b;
    flat_function own = {.n_args = n_args + r->dims};
    program_builder w;
    program_begin(&w, b, &own);
    int *results = arena_array(b->env.a, int, n);
    for (int i = 0; i < n; i++) results[i] = program_value(&w, list[i]);
    routine_integral *q = arena_new(b->model, routine_integral);
    const char **name = arena_array(b->model, const char *, r->dims);
    for (int k = 0; k < r->dims; k++) name[k] = r->it[k]->name;
    *q = (routine_integral){.dims = r->dims, .n = x->n, .region = x->region, .name = name};
    q->at = r->at;
    q->integrand = program_end(&w, results, n);
    if (q->integrand) return q;
    diag_error(b->diags, "M451", r->at, "the integral cannot be computed: %s", w.why);
    return NULL;
}

static int integral_keep(region *r, const integrand *x, int_array args, int derivatives);

/* d/dt of the integral, from the arguments and their derivatives. */
static void integral_differentiate(region *r, const integrand *x, flat_function *g, int_array args,
                                   int derivatives)
{
    flat_builder *b = r->b;
    expr_pool *p = b->pool;
    int n = g->n_results;
    expr *slope = arena_array(b->env.a, expr, n * args.n), *rate = arena_array(b->env.a, expr, n);
    const char *why = NULL;
    if (!expr_jacobian(p, x->f, n, args.at, args.n, b->env.a, slope, &why)) return;
    int_array all = {0};
    for (int k = 0; k < args.n; k++) array_push(b->env.a, &all, args.at[k]);
    int *der_at = arena_array(b->model, int, args.n);
    for (int i = 0; i < n; i++) rate[i] = p->zero;
    for (int k = 0; k < args.n; k++) {
        der_at[k] = -1;
        if (expr_at(p, args.at[k])->type != TYPE_REAL) continue;
        expr d = function_stand_in(b);
        der_at[k] = all.n;
        array_push(b->env.a, &all, d);
        for (int i = 0; i < n; i++)
            rate[i] = expr_add(p, rate[i], expr_mul(p, slope[i * args.n + k], d));
    }
    integrand y = {.f = rate, .n = n};
    int number = integral_keep(r, &y, all, derivatives - 1);
    if (number < 0) return;
    g->derivative = number;
    g->order = 1;
    g->der_at = der_at;
}

/* The number of the function; -1 after a message. */
static int integral_keep(region *r, const integrand *x, int_array args, int derivatives)
{
    flat_builder *b = r->b;
    if (b->m->functions.n >= INT16_MAX || args.n > PROGRAM_SCALARS) {
        diag_error(b->diags, "M430", r->at, "more than %d functions or arguments",
                   args.n > PROGRAM_SCALARS ? PROGRAM_SCALARS : INT16_MAX);
        return -1;
    }
    struct functions *all = function_all(b);
    int count;
    const expr *list = integral_list(r, x, args.at, args.n, &count);
    for (const struct function_integrals *k = all->integrals; k; k = k->next)
        if (k->n == count && k->n_args == args.n && k->region == x->region &&
            !memcmp(k->list, list, sizeof *list * (size_t)count))
            return k->number;
    const routine_integral *q = integral_program(r, x, list, count, args.n);
    if (!q) return -1;
    flat_function *g = arena_new(b->model, flat_function);
    routine_program *program = arena_new(b->model, routine_program);
    int number = b->m->functions.n, n = x->n - (x->region ? INTEGRAL_HIDDEN : 0);
    array_push(b->model, &b->m->functions, g);
    mem m = value_arena_mem(b->env.a);
    text name;
    text_init(&name, &m);
    text_printf(&name, "integral %d", ++all->n_integrals);
    struct function_integrals *kept = arena_new(b->front, struct function_integrals);
    *kept = (struct function_integrals){all->integrals, list, count, args.n, number, x->region};
    all->integrals = kept;
    *g = (flat_function){.name = sym_of(b->lib->syms, text_str(&name)),
                         .n_args = args.n,
                         .n_results = n,
                         .why = "it is an integral",
                         .derivative = -1,
                         .memo = arena_array(b->model, double, args.n + n + 1)};
    *program = (routine_program){.name = g->name, .integral = q, .n_args = args.n, .n_results = n};
    program_keep(b->m, number, program);
    if (x->written) g->text = integral_text(r, g->name, x, n, args.at, args.n);
    if (derivatives) integral_differentiate(r, x, g, args, derivatives);
    return number;
}

static bool is_moving(const flat_builder *b, int_array args)
{
    for (int k = 0; k < args.n; k++)
        if (!expr_var_is_constant(b->pool, args.at[k])) return true;
    return false;
}

/* The integrals as expressions: n of them, hidden ones aside. False after a message. */
static bool integral_values(region *r, const integrand *x, expr *out)
{
    flat_builder *b = r->b;
    expr_pool *p = b->pool;
    int n = x->n - (x->region ? INTEGRAL_HIDDEN : 0);
    expr bounds[2 * DIMS];
    memcpy(bounds, r->low, sizeof r->low);
    memcpy(bounds + r->dims, r->high, sizeof r->high);
    int_array args = free_variables(r, x->f, x->n), of_bounds;
    of_bounds = free_variables(r, bounds, 2 * r->dims); // a factor 0 may have taken them away
    for (int i = 0; i < of_bounds.n; i++) {
        bool known = false;
        for (int k = 0; k < args.n; k++) known = known || args.at[k] == of_bounds.at[i];
        if (!known) array_push(b->env.a, &args, of_bounds.at[i]);
    }
    if (args.n) {
        int number = integral_keep(r, x, args, is_moving(b, args) ? DERIVATIVES : 0);
        for (int i = 0; i < n && number >= 0; i++)
            out[i] = expr_call(p, number, i, TYPE_REAL, 0, args.at, args.n);
        return number >= 0;
    }
    int count;
    const expr *list = integral_list(r, x, NULL, 0, &count);
    const routine_integral *q = integral_program(r, x, list, count, 0);
    double values[QUADRATURE_MOST];
    routine_cause cause;
    if (!q) return false;
    if (!routine_integrate(function_routines(b->m), q, NULL, LITERAL_TOL, values, &cause)) {
        mem m = value_arena_mem(b->env.a);
        text why;
        text_init(&why, &m);
        routine_integral_words(&cause, &why);
        diag_error(b->diags, "M452", r->at, "%s", text_str(&why));
        diag_note(b->diags, (span){0}, "%s", routine_integral_cure(cause.fault));
        return false;
    }
    for (int i = 0; i < n; i++) out[i] = expr_real(p, values[i]);
    return true;
}

/* ---- what is integrated ---------------------------------------------------------------------- */

static expr region_measure(const region *r)
{
    expr_pool *p = r->b->pool;
    expr measure = p->one;
    for (int k = 0; k < r->dims; k++)
        measure = expr_mul(p, measure, expr_sub(p, r->high[k], r->low[k]));
    return measure;
}

static bool too_many(const region *r, int n)
{
    if (n <= QUADRATURE_MOST - INTEGRAL_HIDDEN) return false;
    diag_error(r->b->diags, "M450", r->at, "at most %d integrals can be computed at once, not %d",
               QUADRATURE_MOST - INTEGRAL_HIDDEN, n);
    return true;
}

static value integral_plain(region *r, value v)
{
    expr_pool *p = r->b->pool;
    const value_env *env = eval_env(r->s);
    int n = value_count(&v);
    if (!value_is_numeric(&v) || too_many(r, n)) {
        if (!value_is_numeric(&v))
            diag_error(r->b->diags, "M450", r->at, "what is integrated must be Real, not %s",
                       value_type_name(env, &v));
        return value_error();
    }
    v = value_to_real(env, v);
    expr *written = arena_array(env->a, expr, n + 1), *f = arena_array(env->a, expr, n + 1);
    value_scalars(&v, written);
    expr_subst to = region_to_unit(r);
    expr measure = region_measure(r);
    for (int i = 0; i < n; i++) f[i] = expr_mul(p, expr_subst_apply(&to, written[i]), measure);
    if (n && !integral_values(r, &(integrand){f, n, false, written}, f)) return value_error();
    return value_with_scalars(env, &v, f);
}

static expr dot(expr_pool *p, const expr *a, const expr *b)
{
    expr sum = expr_mul(p, a[0], b[0]);
    for (int i = 1; i < 3; i++) sum = expr_add(p, sum, expr_mul(p, a[i], b[i]));
    return sum;
}

static void vector_product(expr_pool *p, const expr *a, const expr *b, expr *out)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = expr_sub(p, expr_mul(p, a[j], b[k]), expr_mul(p, a[k], b[j]));
    }
}

/* |det|, det and the product of the edges of an element, over that of the coordinates. */
static bool solid_element(const region *r, const expr *point, expr *out)
{
    expr_pool *p = r->b->pool;
    expr by[3 * DIMS], edge[DIMS][3], normal[3];
    const char *why = NULL;
    if (!expr_jacobian(p, point, 3, r->u, r->dims, r->b->env.a, by, &why)) {
        diag_error(r->b->diags, "M451", r->at, "the element of volume cannot be derived: %s",
                   why ? why : "");
        return false;
    }
    out[2] = p->one;
    for (int k = 0; k < r->dims; k++) {
        for (int i = 0; i < 3; i++) edge[k][i] = by[i * r->dims + k];
        out[2] = expr_mul(p, out[2], expr_1(p, EXPR_SQRT, dot(p, edge[k], edge[k])));
    }
    if (r->dims == 1) {
        out[0] = out[1] = out[2];
        out[2] = p->one; // a wire without length has no edge to compare with
        return true;
    }
    vector_product(p, edge[r->dims - 2], edge[r->dims - 1], normal);
    out[1] = r->dims == 3 ? dot(p, edge[0], normal) : expr_1(p, EXPR_SQRT, dot(p, normal, normal));
    out[0] = r->dims == 3 ? expr_1(p, EXPR_ABS, out[1]) : out[1];
    return true;
}

/* Mass, first and second moments, of {x, y, z, density}. */
static value integral_solid(region *r, value v)
{
    enum { MOMENTS = 10 };
    flat_builder *b = r->b;
    expr_pool *p = b->pool;
    const value_env *env = eval_env(r->s);
    if (!value_is_numeric(&v) || v.n_dims != 1 || v.n != 4) {
        diag_error(b->diags, "M450", r->at,
                   "Vincolo.solid needs a point and the density there, {x, y, z, density}, not %s",
                   value_type_name(env, &v));
        return value_error();
    }
    v = value_to_real(env, v);
    expr given[4], f[MOMENTS + INTEGRAL_HIDDEN], written[MOMENTS + INTEGRAL_HIDDEN];
    value_scalars(&v, given);
    if (!solid_element(r, given, f + MOMENTS)) return value_error();
    expr dm = expr_mul(p, given[3], f[MOMENTS]);
    f[0] = dm;
    for (int i = 0; i < 3; i++) f[1 + i] = expr_mul(p, dm, given[i]);
    for (int i = 0; i < 3; i++) {
        f[4 + i] = expr_mul(p, f[1 + i], given[i]);
        f[7 + i] = expr_mul(p, f[1 + i], given[(i + 1) % 3]); // xy, yz, zx
    }
    memcpy(written, f, sizeof f);
    expr_subst to = region_to_unit(r);
    expr measure = region_measure(r);
    for (int i = 0; i < MOMENTS + INTEGRAL_HIDDEN; i++)
        f[i] = expr_mul(p, expr_subst_apply(&to, f[i]), measure);
    expr *slots, moments[MOMENTS];
    if (!integral_values(r, &(integrand){f, MOMENTS + INTEGRAL_HIDDEN, true, written}, moments))
        return value_error();
    value list = value_new(env, VALUE_REAL, 0, &(int){MOMENTS}, 1, &slots);
    memcpy(slots, moments, sizeof moments);

    static const char *const path[] = {"Vincolo", "Rotations", "fromMoments"};
    ast_part *parts = arena_array(b->front, ast_part, 3);
    ast_ref *ref = arena_new(b->front, ast_ref);
    for (int i = 0; i < 3; i++) parts[i] = (ast_part){.name = sym_of(b->lib->syms, path[i])};
    *ref = (ast_ref){.at = parts, .n = 3, .global = true, .span = r->at};
    inst_class *cls = inst_class_at(r->s, ref);
    return cls ? function_call_with(r->s, cls, &list, 1, r->at) : value_error();
}

value function_integral(const scope *s, const ast_expr *e)
{
    const ast_call *c = e->call;
    const char *name = c->f.at[1].name;
    region r = {.s = s, .b = s->b, .at = e->span, .dims = c->iters.n};
    bool solid = !strcmp(name, "solid");
    if (!solid && strcmp(name, "integral") != 0) {
        diag_error(s->b->diags, "M450", c->f.span,
                   "there is no operator Vincolo.%s with iterators; there are Vincolo.integral and "
                   "Vincolo.solid",
                   name);
        return value_error();
    }
    if (r.dims > DIMS) {
        diag_error(s->b->diags, "M450", e->span, "an integral has at most %d coordinates, not %d",
                   DIMS, r.dims);
        return value_error();
    }
    for (int k = 0; k < r.dims; k++) r.it[k] = &c->iters.at[k];
    scope inner = *s;
    scope_name names[DIMS];
    value values[DIMS];
    bool no_event = s->b->env.no_event;
    s->b->env.no_event = true;
    value v =
        region_read(&r, &inner, names, values) ? eval_value(&inner, c->args.at[0]) : value_error();
    if (!value_is_error(&v)) v = solid ? integral_solid(&r, v) : integral_plain(&r, v);
    s->b->env.no_event = no_event;
    return v;
}
