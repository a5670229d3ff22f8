/* Modifications as layers.
 *
 * What reaches an element is a list of layers, outermost first: arguments of modifications written
 * around the class, on the component, in extends clauses, in type aliases. An outer modification
 * overrides an inner one (Modelica Language Specification 3.6, section 7.2), so the first layer
 * with a value wins, and merging is never done. An argument a.b.c = v stays one layer that descends
 * name by name.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <string.h>

inst_env inst_join(flat_builder *b, inst_env first, inst_env second)
{
    if (!second.n) return first;
    if (!first.n) return second;
    inst_layer *at = arena_array(b->front, inst_layer, first.n + second.n);
    memcpy(at, first.at, (size_t)first.n * sizeof *at);
    memcpy(at + first.n, second.at, (size_t)second.n * sizeof *at);
    return (inst_env){at, first.n + second.n};
}

inst_env inst_append(flat_builder *b, inst_env env, inst_layer layer)
{
    inst_layer *at = arena_array(b->front, inst_layer, env.n + 1);
    if (env.n) memcpy(at, env.at, (size_t)env.n * sizeof *at);
    at[env.n] = layer;
    return (inst_env){at, env.n + 1};
}

static span layer_span(const inst_layer *l)
{
    if (l->element) return l->element->span;
    if (l->arg) return l->arg->span;
    return l->mod ? l->mod->span : (span){0};
}

/* The layer that an argument of a modification gives for the element `name`; false if it is about
 * another element. */
static bool layer_of_arg(const inst_layer *l, const ast_arg *arg, sym name, inst_node *parent,
                         inst_layer *out)
{
    *out = (inst_layer){.arg = arg,
                        .at = l->at,
                        .base = arg->each ? parent : l->base,
                        .tail = arg->each ? 0 : l->tail,
                        .origin = l->mod,
                        .family = l->family,
                        .final = arg->final || l->final};
    if (arg->kind == AST_ARG_ELEMENT) {
        out->element = arg->element;
        return lang_element_name(arg->element) == name;
    }
    if (arg->kind != AST_ARG_MOD || arg->name.at[0].name != name) return false;
    out->used = 1;
    if (arg->name.n == 1) out->mod = arg->mod;
    return true;
}

/* How many layers l contributes for `name`; they are written to out if it is not NULL. */
static int sub_layer(const inst_layer *l, sym name, inst_node *parent, inst_layer *out)
{
    inst_layer made;
    int n = 0;
    if (l->redeclares) { // a class that redeclares elements it inherits
        ast_element *e = lang_element(l->redeclares->ast, name);
        if (!e || !inst_redeclares(e)) return 0;
        made = (inst_layer){.element = e, .at = l->redeclares, .base = l->base};
        if (out) out[0] = made;
        return 1;
    }
    if (l->arg && !l->mod && !l->element) { // a.b = v on its way down
        if (l->used >= l->arg->name.n || l->arg->name.at[l->used].name != name) return 0;
        made = *l;
        made.used++;
        if (made.used == l->arg->name.n) made.mod = l->arg->mod;
        if (l->arg->each) made.base = parent;
        if (out) out[0] = made;
        return 1;
    }
    if (!l->mod) return 0;
    for (int i = 0; i < l->mod->args.n; i++) {
        if (!layer_of_arg(l, &l->mod->args.at[i], name, parent, &made)) continue;
        if (out) out[n] = made;
        n++;
    }
    return n;
}

inst_env inst_sub_in(arena *a, inst_env env, sym name, inst_node *parent)
{
    int n = 0;
    for (int i = 0; i < env.n; i++) n += sub_layer(&env.at[i], name, parent, NULL);
    if (!n) return (inst_env){0};
    inst_layer *at = arena_array(a, inst_layer, n);
    n = 0;
    for (int i = 0; i < env.n; i++) n += sub_layer(&env.at[i], name, parent, at + n);
    return (inst_env){at, n};
}

inst_env inst_sub(flat_builder *b, inst_env env, sym name, inst_node *parent)
{
    return inst_sub_in(b->front, env, name, parent);
}

static bool has_value(const inst_layer *l)
{
    return l->mod && (l->mod->value || l->mod->is_break);
}

const inst_layer *inst_value_layer(flat_builder *b, inst_env env, const char *name)
{
    const inst_layer *first = NULL;
    for (int i = 0; i < env.n; i++) {
        const inst_layer *l = &env.at[i];
        if (!has_value(l)) continue;
        if (!first) {
            first = l;
            continue;
        }
        if (l->origin && l->origin == first->origin && l->at == first->at) {
            diag_error(b->diags, "M110", layer_span(l),
                       "'%s' is given a value twice in one modification; keep one of them", name);
            diag_note(b->diags, layer_span(first), "the first one is here");
            break;
        }
        if (l->final) {
            diag_error(b->diags, "M111", layer_span(first),
                       "'%s' is final and cannot be changed from outside; remove this modification",
                       name);
            diag_note(b->diags, layer_span(l), "it was made final here");
            break;
        }
    }
    return first && !first->mod->is_break ? first : NULL;
}

bool inst_is_broken(const ast_mod *mod, sym name)
{
    for (int i = 0; mod && i < mod->args.n; i++)
        if (mod->args.at[i].kind == AST_ARG_BREAK_NAME && mod->args.at[i].name.n &&
            mod->args.at[i].name.at[0].name == name)
            return true;
    return false;
}

static bool check_name(flat_builder *b, inst_class *cls, sym name, span at)
{
    if (inst_find(b, cls, name)) return true;
    if (b->verbs->unknown_element(b, cls, name, at)) return false;
    const char *near = inst_nearest_element(b, cls, name);
    const char *all = near ? NULL : inst_parameters(b, cls);
    const char *ends = near || all ? NULL : inst_connectors(b, cls);
    diag_error(b->diags, "M112", at, "'%s' has no element '%s' to modify%s%s%s", inst_name(b, cls),
               name,
               near   ? "; did you mean '"
               : all  ? "; its parameters are "
               : ends ? "; it has no parameters, and the connectors "
                      : "",
               near   ? near
               : all  ? all
               : ends ? ends
                      : "",
               near ? "'?" : "");
    return false;
}

bool inst_check_names(flat_builder *b, inst_env env, inst_class *cls)
{
    bool ok = true;
    for (int i = 0; i < env.n; i++) {
        const inst_layer *l = &env.at[i];
        if (l->arg && !l->mod && !l->element && l->used < l->arg->name.n) {
            const ast_part *p = &l->arg->name.at[l->used];
            ok = check_name(b, cls, p->name, p->at) && ok;
        }
        for (int j = 0; l->mod && j < l->mod->args.n; j++) {
            const ast_arg *arg = &l->mod->args.at[j];
            if (arg->kind == AST_ARG_MOD)
                ok = check_name(b, cls, arg->name.at[0].name, arg->name.at[0].at) && ok;
            else if (arg->kind == AST_ARG_ELEMENT)
                ok = check_name(b, cls, lang_element_name(arg->element), arg->span) && ok;
        }
    }
    return ok;
}
