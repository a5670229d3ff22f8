/* Functions of the model: bodies written out, derivatives found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flat/flat_function.h"

#include <string.h>

const tape_function *flat_routine(const flat_model *m, int function)
{
    return m->functions.at[function]->routine;
}

/* ---- what the pool asks ---------------------------------------------------------------------- */

static expr decode(const flat_function *g, int code)
{
    return code >= 0 ? g->work[code] : ~code;
}

static void kept_write_out(expr_pool *p, flat_function *g, const expr *args)
{
    arena *a = p->a;
    expr few[8];
    for (int i = 0; i < g->n_nodes; i++) {
        const expr_node node = *expr_at(p, g->nodes[i]);
        int n = g->first[i + 1] - g->first[i];
        if (node.op == EXPR_VAR) {
            g->work[i] = args[node.u.var.index - FLAT_FORMAL];
            continue;
        }
        expr *list = n <= 8 ? few : arena_array(a, expr, n);
        for (int k = 0; k < n; k++) list[k] = decode(g, g->args[g->first[i] + k]);
        g->work[i] = node.op == EXPR_CALL ? expr_call(p, node.u.call.function, node.u.call.output,
                                                      (expr_type)node.type, node.enum_id, list, n)
                                          : expr_make(p, (expr_op)node.op, list, n);
    }
    if (g->n_args) memcpy(g->last, args, sizeof *args * (size_t)g->n_args);
}

static expr kept_inline_call(void *user, int function, int output, const expr *args, int n)
{
    flat_model *m = user;
    flat_function *g = m->functions.at[function];
    if (g->why || g->busy || output >= g->n_results || n != g->n_args) return 0;
    if (g->n_args && g->n_nodes && (!g->work[0] || memcmp(g->last, args, sizeof *args * (size_t)n)))
        kept_write_out(m->pool, g, args);
    return decode(g, g->results[output]);
}

/* The arguments that a result depends on, going back through the body. */
static bool *kept_find_uses(const expr_pool *p, const flat_function *g, int output)
{
    bool *uses = arena_array(p->a, bool, g->n_args);
    arena_mark here = arena_here(p->a);
    bool *reached = arena_array(p->a, bool, g->n_nodes + 1);
    if (g->results[output] >= 0) reached[g->results[output]] = true;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const expr_node *node = expr_at(p, g->nodes[i]);
        if (!reached[i]) continue;
        if (node->op == EXPR_VAR) uses[node->u.var.index - FLAT_FORMAL] = true;
        for (int k = g->first[i]; k < g->first[i + 1]; k++)
            if (g->args[k] >= 0) reached[g->args[k]] = true;
    }
    arena_release(p->a, here);
    return uses;
}

static const bool *kept_call_uses(void *user, int function, int output, int n)
{
    flat_model *m = user;
    flat_function *g = m->functions.at[function];
    if (g->why || g->busy || output >= g->n_results || n != g->n_args || !n) return NULL;
    if (!g->uses) g->uses = arena_array(m->pool->a, bool *, g->n_results);
    if (!g->uses[output]) g->uses[output] = kept_find_uses(m->pool, g, output);
    return g->uses[output];
}

static expr kept_derivative(flat_model *m, const flat_function *g, int output, const expr *list)
{
    const flat_function *d = m->functions.at[g->derivative];
    if (d->is_inline) {
        expr e = kept_inline_call(m, g->derivative, output, list, d->n_args);
        if (e) return e;
    }
    return expr_call(m->pool, g->derivative, output, TYPE_REAL, 0, list, d->n_args);
}

static const bool *kept_total_needs(void *user, int function, int n)
{
    const flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    return g->derivative >= 0 && n == g->n_args ? g->total_needs : NULL;
}

static expr kept_total_call(void *user, int function, int output, const expr *args, const expr *d,
                            int n)
{
    flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    int n_list = m->functions.at[g->derivative]->n_args;
    expr few[16], *list = n_list <= 16 ? few : arena_array(m->pool->a, expr, n_list);
    for (int k = 0; k < n_list; k++) list[k] = k < n ? args[k] : m->pool->zero;
    for (int k = 0; k < n; k++) {
        if (g->total_is[k] >= 0 && d[k] != args[g->total_is[k]]) return 0;
        if (g->der_at[k] >= 0) list[g->der_at[k]] = d[k];
        else if (g->total_needs[k] && g->total_is[k] < 0 && d[k] != m->pool->zero) return 0;
    }
    return kept_derivative(m, g, output, list);
}

static expr kept_partial_call(void *user, int function, int output, const expr *args, int n, int k)
{
    flat_model *m = user;
    const flat_function *g = m->functions.at[function];
    if (g->derivative < 0 || n != g->n_args || g->der_at[k] < 0 || g->order > 1) return 0;
    if (g->total_needs && !g->why) return 0; // the body tells it, and for all arguments
    int n_list = m->functions.at[g->derivative]->n_args;
    expr_pool *p = m->pool;
    expr few[16], *list = n_list <= 16 ? few : arena_array(p->a, expr, n_list);
    for (int i = 0; i < n_list; i++) list[i] = i < n ? args[i] : p->zero;
    list[g->der_at[k]] = p->one;
    return kept_derivative(m, g, output, list);
}

const char *flat_call_text(const flat_model *m, int function, int output, int k)
{
    const flat_function *g = m->functions.at[function];
    if (!g->text) return NULL;
    if (g->constructs) output = 0;
    if (!g->n_args && !k) return g->text->first[output];
    if (k == g->n_args) return g->text->last[output];
    return k ? g->text->between[k] : g->text->first[output];
}

static const char *kept_name(void *user, int function)
{
    const flat_model *m = user;
    return m->functions.at[function]->name;
}

static const char *kept_call_text(void *user, int function, int output, int k)
{
    return flat_call_text(user, function, output, k);
}

static bool kept_call_value(void *user, int function, int output, const double *args, int n,
                            double *result)
{
    enum { CALL_RESULTS = 256 };
    const flat_model *m = user;
    double room[CALL_RESULTS], *out = room, *memo = m->functions.at[function]->memo;
    const tape_function *f = flat_routine(m, function);
    if (!f || n != f->n_in || f->n_out > CALL_RESULTS || output >= f->n_out) return false;
    if (memo) out = memo + 1 + n;
    if (!memo || memo[0] == 0 || memcmp(memo + 1, args, sizeof *args * (size_t)n)) {
        f->value(f->user, NULL, args, out);
        if (memo) memo[0] = 1, memcpy(memo + 1, args, sizeof *args * (size_t)n);
    }
    *result = out[output];
    return *result == *result;
}

void flat_attach_functions(flat_model *m)
{
    m->pool->context.inline_call = kept_inline_call;
    m->pool->context.call_uses = kept_call_uses;
    m->pool->context.partial_call = kept_partial_call;
    m->pool->context.total_needs = kept_total_needs;
    m->pool->context.total_call = kept_total_call;
    m->pool->context.call_text = kept_call_text;
    m->pool->context.call_value = kept_call_value;
    if (!m->pool->context.function_name) m->pool->context.function_name = kept_name;
}
