/* Flattening from end to end.
 *
 *     class ─► instance tree ─► variables ─► connections ─► equations ─► flat model
 *
 * The rules of the language (rules/rules.h) are asked on the way.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "flatten/flatten.h"

#include "connect/connect.h"
#include "function/function.h"
#include "lang/lang.h"
#include "rules/rules.h"

#include <math.h>
#include <string.h>

/* ---- annotations ----------------------------------------------------------------------------- */

static double number_at(const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    double sign = 1;
    while (e && e->kind == AST_UNARY && e->op == AST_SUB) sign = -sign, e = e->arg;
    if (e && e->kind == AST_REAL) return sign * e->real;
    if (e && e->kind == AST_INTEGER) return sign * (double)e->integer;
    return NAN;
}

static sym text_at(flat_builder *b, const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    if (!e || e->kind != AST_STRING) return NULL;
    return sym_of(b->lib->syms, lang_string(b->front, e->string));
}

// storage = V or storage = "V".
static sym name_at(flat_builder *b, const ast_mod *a, const char *group, const char *name)
{
    const char *const path[] = {group, name, NULL};
    const ast_expr *e = lang_annotation_value(a, path);
    if (!e || e->kind != AST_REF) return text_at(b, a, group, name);
    text t;
    text_init(&t, b->front->m);
    lang_print_expr(e, &t);
    sym s = sym_of(b->lib->syms, text_str(&t));
    text_done(&t);
    return s;
}

static void read_annotations(flat_builder *b, const ast_class *c)
{
    flat_experiment *e = &b->m->experiment;
    *e = (flat_experiment){.start = NAN, .stop = NAN, .tolerance = NAN, .interval = NAN};
    const ast_mod *a = c->annotation;
    if (!a) return;
    e->start = number_at(a, "experiment", "StartTime");
    e->stop = number_at(a, "experiment", "StopTime");
    e->tolerance = number_at(a, "experiment", "Tolerance");
    e->interval = number_at(a, "experiment", "Interval");
    e->method = text_at(b, a, "__Vincolo", "method");
    e->formulation = text_at(b, a, "__Vincolo", "formulation");
    e->linear = text_at(b, a, "__Vincolo", "linear");
    e->storage = name_at(b, a, "__Vincolo", "storage");
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* What the evaluator asks for, by the room that knows. */
static const scope_verbs verbs = {
    .ref = inst_ref,
    .element = inst_element_value,
    .index_values = inst_index_values,
    .callee = inst_callee,
    .no_callee = inst_no_callee,
    .instance = inst_instance_name,
    .call = function_call,
    .construct = function_construct,
    .call_value = function_call_value,
    .partial = function_partial,
    .overload = function_overload,
    .sum = function_sum,
    .overload_string = function_overload_string,
    .integral = function_integral,
    .connector_call = connect_call,
    .active_state = machine_active,
    .use_class = rules_class,
    .use_first = rules_first,
    .use_member = rules_member,
    .use_import = rules_import,
    .use_ambiguous = rules_ambiguous,
    .unknown = rules_unknown,
    .unknown_element = rules_unknown_element,
    .unknown_import = rules_unknown_import,
    .use_outer = rules_outer,
    .use_conditional = rules_conditional,
    .use_time = rules_time,
};

static bool flatten(flat_builder *b, ast_class *c)
{
    if (!inst_build_tree(b, c) || !connect_expand(b)) return false;
    rules_tree(b);
    b->env.a = b->scratch;
    if (!inst_number(b)) return false;
    // From here on an error does not hide the next one.
    bool ok = inst_fill(b) && inst_check_circular(b);
    ok = connect_collect(b) && ok;
    ok = equation_write(b) && ok;
    flat_bind_parameters(b->m, b->scratch);
    if (ok) rules_variability(b);
    function_tell_unset(b);
    ok = equation_drawings(b) && ok;
    equation_visualisers(b);
    ok = equation_invariants(b) && ok;
    inst_mark_structural(b);
    return ok && connect_write(b) && machine_write(b) && lagrange_write(b) &&
           inst_check_overrides(b) && !b->diags->n_errors && flat_check(b->m, b->diags, b->scratch);
}

/* What an attempt came to. */
typedef struct attempt {
    flat_model *m;
    bool shared; // components shared nodes,
    bool apart;  // and must not
    inst_sharing next;
} attempt;

static attempt flatten_once(lang_library *lib, ast_class *cls, const flat_override *overrides,
                            int n_overrides, inst_sharing sharing, arena *model, arena *front,
                            diag_sink *diags)
{
    flat_model *m = flat_new(model, lib->syms);
    flat_builder *b = arena_new(front, flat_builder);
    int errors = diags->n_errors;
    *b = (flat_builder){.lib = lib,
                        .m = m,
                        .pool = m->pool,
                        .model = model,
                        .front = front,
                        .scratch = arena_inner(front),
                        .diags = diags,
                        .verbs = &verbs};
    b->env = (value_env){.p = m->pool, .a = front, .syms = lib->syms, .diags = diags, .model = m};
    map_init(&b->by_name, front);
    bool ok = inst_start(b, overrides, n_overrides);
    b->inst->sharing = sharing;
    m->name = inst_plain_name(b, lang_class_path(cls, front));
    m->comment = lang_string(model, cls->comment);
    read_annotations(b, cls);
    ok = ok && flatten(b, cls);
    m->offender = NULL;
    arena_done(b->scratch);
    attempt x = {.shared = b->inst->n_families > 0, .apart = b->inst->apart, .next = b->inst->next};
    if (!ok && !x.apart && diags->n_errors == errors)
        diag_error(diags, "M199", cls->at, "'%s' cannot be flattened", cls->name);
    if (ok && !x.apart && diags->n_errors == errors) x.m = m;
    return x;
}

/* Was a text wrong that was read on the way? It is read once, and its errors are said once. */
static bool is_text_wrong(const diag_sink *now, const diag_sink *before)
{
    const diag *d = before->last ? before->last->next : now->first;
    while (d && strncmp(d->code, "L0", 2)) d = d->next;
    return d != NULL;
}

/* Messages are those of single components: an attempt that has any is made again with those. */
flat_model *flat_build(lang_library *lib, ast_class *cls, const flat_override *overrides,
                       int n_overrides, arena *model, arena *front, diag_sink *diags)
{
    for (inst_sharing sharing = INST_SHARE_ALL;;) {
        diag_sink before = *diags;
        arena *own = arena_inner(front); // texts that are read on the way may lie in `front`
        attempt x = flatten_once(lib, cls, overrides, n_overrides, sharing, model, own, diags);
        if (x.m || !(x.shared || x.apart) || is_text_wrong(diags, &before)) return x.m;
        sharing = x.next;
        diag_forget_since(diags, before);
        arena_done(own); // of the model there is little yet, or it has errors
    }
}
