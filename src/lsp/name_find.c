/* What a name means.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/builtin.h"
#include "lsp/lsp.h"

#include <string.h>

enum { BASES_DEEP = 40, LOOKS_MOST = 100000 }; // what is deeper, or longer, goes in circles

static const lsp_found NOTHING;

static ast_class *class_of_found(const lsp_world *w, lsp_found of);
static lsp_found member_of(const lsp_world *w, lsp_found of, sym name);

static lsp_found found_class(ast_class *c)
{
    return c ? (lsp_found){LSP_A_CLASS, c, NULL, c->name, c->at, c->comment} : NOTHING;
}

static lsp_found found_component(ast_class *c, const ast_component *x)
{
    return (lsp_found){LSP_A_COMPONENT, c, x, x->name, x->at, x->comment};
}

static lsp_found found_built_in(sym name)
{
    return (lsp_found){.kind = LSP_BUILT_IN, .name = name};
}

ast_class *lsp_class_around(const lsp_world *w, const ast_class *c)
{
    if (c->parent) return c->parent;
    const ast_ref *within = &c->file->within;
    if (!c->file->has_within || !within->n) return NULL;
    ast_class *p = lang_top(w->library, within->at[0].name);
    for (int i = 1; p && i < within->n; i++) p = lang_child(w->library, p, within->at[i].name);
    return p;
}

const char *lsp_class_path(const lsp_world *w, const ast_class *c)
{
    const char *path = lang_class_path(c, w->a);
    const ast_class *top = c;
    while (top->parent) top = top->parent;
    if (!top->file || !top->file->has_within || !top->file->within.n) return path;
    mem m = mem_std();
    text t;
    text_init(&t, &m);
    lang_print_ref(&top->file->within, &t);
    text_printf(&t, ".%s", path);
    path = arena_strndup(w->a, text_str(&t), t.n);
    text_done(&t);
    return path;
}

/* ---- in a class ------------------------------------------------------------------------------ */

static lsp_found find_inside(const lsp_world *w, ast_class *c, sym name, int depth);
static lsp_found find_around(const lsp_world *w, ast_class *c, sym name, bool inherited);

static ast_class *class_of_ref(const lsp_world *w, ast_class *c, const ast_ref *r)
{
    return r->n ? class_of_found(w, lsp_find_ref(w, c, r, r->n - 1)) : NULL;
}

/* A class that c extends: its name is not looked for in what c inherits (5.6.1). */
static ast_class *class_of_base(const lsp_world *w, ast_class *c, const ast_ref *r)
{
    if (!r->n) return NULL;
    lsp_found f = r->global ? lsp_find_ref(w, c, r, 0) : find_around(w, c, r->at[0].name, false);
    for (int i = 1; f.kind && i < r->n; i++) f = member_of(w, f, r->at[i].name);
    return class_of_found(w, f);
}

/* The class that a short definition stands for, or that `class extends` extends. */
static ast_class *base_of_short(const lsp_world *w, ast_class *c, int depth)
{
    ast_class *around = lsp_class_around(w, c);
    if (c->body == AST_SHORT || c->body == AST_DER)
        return around      ? class_of_ref(w, around, &c->base)
               : c->base.n ? class_of_found(w, lsp_find_ref(w, NULL, &c->base, c->base.n - 1))
                           : NULL;
    for (int i = 0; c->body == AST_CLASS_EXTENDS && around && i < around->n_elements; i++) {
        const ast_element *e = around->elements[i];
        ast_class *base =
            e->kind == AST_EXTENDS ? class_of_base(w, around, &e->extends->type) : NULL;
        lsp_found f = base ? find_inside(w, base, c->name, depth + 1) : NOTHING;
        if (f.kind == LSP_A_CLASS && f.cls != c) return f.cls;
    }
    return NULL;
}

static lsp_found find_literal(ast_class *c, sym name)
{
    for (int i = 0; i < c->n_literals; i++)
        if (c->literals[i].name == name)
            return (lsp_found){LSP_A_LITERAL,         c, NULL, name, c->literals[i].at,
                               c->literals[i].comment};
    return NOTHING;
}

/* Where the classes of a package lie that are files of their own: a document knows nothing of its folder,
 * the library does. */
static ast_class *with_folder(const lsp_world *w, ast_class *c)
{
    if (c->dir || c->parent || c->file != w->file || c->restriction != AST_R_PACKAGE) return c;
    ast_class *around = lsp_class_around(w, c);
    ast_class *kept =
        around ? lang_child(w->library, around, c->name) : lang_top(w->library, c->name);
    return kept && kept->dir ? kept : c;
}

static lsp_found find_own(const lsp_world *w, ast_class *c, sym name)
{
    if (c->body == AST_ENUM) return find_literal(c, name);
    const ast_element *e = lang_element(c, name);
    if (e && e->kind == AST_COMPONENT) return found_component(c, e->component);
    return found_class(lang_child(w->library, e ? c : with_folder(w, c), name));
}

/* What `extends Base(redeclare package Medium = Water)` puts in the place of a name of Base. */
static lsp_found find_redeclared(const lsp_world *w, ast_class *c, const ast_mod *m, sym name)
{
    for (int i = 0; m && i < m->args.n; i++) {
        const ast_arg *a = &m->args.at[i];
        const ast_element *e = a->kind == AST_ARG_ELEMENT ? a->element : NULL;
        if (!e || lang_element_name(e) != name) continue;
        if (e->kind == AST_COMPONENT) return found_component(c, e->component);
        const ast_ref *base = &e->class_->base;
        lsp_found f = e->class_->body == AST_SHORT && base->n && base->at[0].name != name
                          ? lsp_find_ref(w, c, base, base->n - 1)
                          : NOTHING;
        if (f.kind) return f;
    }
    return NOTHING;
}

static lsp_found find_inherited(const lsp_world *w, ast_class *c, sym name, int depth)
{
    ast_class *base = base_of_short(w, c, depth);
    lsp_found f = base && base != c ? find_inside(w, base, name, depth + 1) : NOTHING;
    for (int i = 0; !f.kind && i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind == AST_EXTENDS && !w->care->declared)
            f = find_redeclared(w, c, e->extends->mod, name);
        if (f.kind) return f;
        base = e->kind == AST_EXTENDS ? class_of_base(w, c, &e->extends->type) : NULL;
        if (base && base != c) f = find_inside(w, base, name, depth + 1);
    }
    return f;
}

/* In c or what it inherits, not around it. */
static lsp_found find_inside(const lsp_world *w, ast_class *c, sym name, int depth)
{
    c = lang_whole(c);
    if (!c || depth > BASES_DEEP || w->care->depth > BASES_DEEP || ++w->care->looks > LOOKS_MOST)
        return NOTHING;
    lsp_found f = find_own(w, c, name);
    if (f.kind) return f;
    w->care->depth++;
    f = find_inherited(w, c, name, depth);
    w->care->depth--;
    return f;
}

/* ---- imports and the top --------------------------------------------------------------------- */

static lsp_found find_top(const lsp_world *w, sym name)
{
    for (int i = 0; !w->file->has_within && i < w->file->n_classes; i++)
        if (w->file->classes[i]->name == name) return found_class(w->file->classes[i]);
    return found_class(lang_top(w->library, name));
}

static lsp_found find_from_top(const lsp_world *w, const ast_ref *r)
{
    lsp_found f = find_top(w, r->at[0].name);
    for (int i = 1; f.kind && i < r->n; i++) f = member_of(w, f, r->at[i].name);
    return f;
}

static lsp_found find_imported(const lsp_world *w, ast_class *c, sym name)
{
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind != AST_IMPORT || !e->import->name.n) continue;
        const ast_import *m = e->import;
        bool named = m->kind == AST_IMPORT_NAME
                         ? m->name.at[m->name.n - 1].name == name
                         : m->kind == AST_IMPORT_ALIAS && m->alias.name == name;
        bool listed = m->kind == AST_IMPORT_ALL;
        for (int k = 0; k < m->n_list; k++) listed |= m->list[k].name == name;
        lsp_found f = named || listed ? find_from_top(w, &m->name) : NOTHING;
        if (f.kind && listed) f = member_of(w, f, name);
        if (f.kind) return f;
    }
    return NOTHING;
}

static lsp_found find_built_in(const lsp_world *w, sym name)
{
    static const char *const words[] = {
        "Real",           "Integer",     "Boolean",     "String",
        "Clock",          "time",        "der",         "initial",
        "pure",           "StateSelect", "Connections", "ExternalObject",
        "AssertionLevel", "Vincolo",     "Subtask",     "end"};
    const eval_builtin *b;
    (void)w;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name)) return found_built_in(name);
    for (int i = 0; (b = eval_builtin_at(i)); i++)
        if (!strcmp(b->name, name)) return found_built_in(name);
    return NOTHING;
}

/* In c and around it; inherited: also in what c inherits, not only the classes around it. */
static lsp_found find_around(const lsp_world *w, ast_class *c, sym name, bool inherited)
{
    lsp_found f = NOTHING;
    bool closed = false;
    for (; c && !f.kind && !closed; c = lsp_class_around(w, c)) {
        if (lang_whole(c)) f = inherited ? find_inside(w, c, name, 0) : find_own(w, c, name);
        if (!f.kind && lang_whole(c)) f = find_imported(w, c, name);
        if (!f.kind && c->name == name && !c->parent) f = found_class(c);
        closed = c->flags & AST_ENCAPSULATED;
        inherited = true;
    }
    if (!f.kind) f = find_top(w, name);
    return f.kind ? f : find_built_in(w, name);
}

lsp_found lsp_find(const lsp_world *w, ast_class *c, sym name)
{
    return find_around(w, c, name, true);
}

lsp_found lsp_find_ref(const lsp_world *w, ast_class *c, const ast_ref *r, int k)
{
    lsp_found f = r->global ? find_top(w, r->at[0].name) : lsp_find(w, c, r->at[0].name);
    if (r->global && !f.kind) f = find_built_in(w, r->at[0].name);
    for (int i = 1; f.kind && i <= k; i++) f = lsp_member(w, c, f, r->at[i].name);
    return f;
}

/* ---- members --------------------------------------------------------------------------------- */

static ast_class *class_of_found(const lsp_world *w, lsp_found of)
{
    if (of.kind == LSP_A_CLASS) return of.cls;
    if (of.kind != LSP_A_COMPONENT || !of.component->type.n) return NULL;
    return class_of_ref(w, of.cls, &of.component->type);
}

/* Is it a number, a text or the like? The name of its built-in type; NULL: it is not. */
static const char *simple_type(const lsp_world *w, lsp_found of)
{
    for (int depth = 0; depth < BASES_DEEP; depth++) {
        if (of.kind == LSP_BUILT_IN) return of.name;
        if (of.kind == LSP_A_COMPONENT) {
            of = lsp_find_ref(w, of.cls, &of.component->type, of.component->type.n - 1);
            continue;
        }
        ast_class *c = of.kind == LSP_A_CLASS ? lang_whole(of.cls) : NULL;
        if (!c) return NULL;
        if (c->body == AST_ENUM) return "enumeration";
        const ast_ref *base = c->body == AST_SHORT ? &c->base : NULL;
        ast_class *in = base ? lsp_class_around(w, c) : c;
        for (int i = 0; !base && i < c->n_elements; i++)
            if (c->elements[i]->kind == AST_EXTENDS) base = &c->elements[i]->extends->type;
        if (!base || !base->n) return NULL;
        of = lsp_find_ref(w, in, base, base->n - 1);
    }
    return NULL;
}

/* Attributes of the built-in types (Modelica 3.6, 4.8): which of them have each. */
static const struct attribute {
    const char *name, *of;
} attributes[] = {
    {"start", "Real Integer Boolean String enumeration"},
    {"fixed", "Real Integer Boolean String enumeration"},
    {"unit", "Real"},
    {"displayUnit", "Real"},
    {"min", "Real Integer enumeration"},
    {"max", "Real Integer enumeration"},
    {"nominal", "Real"},
    {"quantity", "Real Integer Boolean String enumeration"},
    {"stateSelect", "Real"},
    {"unbounded", "Real"},
};

void lsp_each_attribute(const lsp_world *w, lsp_found of,
                        void (*take)(void *user, const char *name), void *user)
{
    const char *type = simple_type(w, of);
    for (size_t i = 0; type && i < sizeof attributes / sizeof *attributes; i++)
        if (strstr(attributes[i].of, type)) take(user, attributes[i].name);
}

static lsp_found member_of(const lsp_world *w, lsp_found of, sym name)
{
    ast_class *c = class_of_found(w, of);
    lsp_found f = c ? find_inside(w, c, name, 0) : NOTHING;
    if (f.kind) return f;
    if (of.kind == LSP_BUILT_IN) return found_built_in(name);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!strcmp(attributes[i].name, name) && simple_type(w, of)) return found_built_in(name);
    return NOTHING;
}

/* A type that was declared to be replaced, as the state of a medium, is here what its name means here. */
lsp_found lsp_member(const lsp_world *w, ast_class *c, lsp_found of, sym name)
{
    lsp_found f = member_of(w, of, name);
    if (f.kind || of.kind != LSP_A_COMPONENT || !c || c == of.cls || of.component->type.global)
        return f;
    ast_class *seen = class_of_ref(w, c, &of.component->type);
    return seen ? find_inside(w, seen, name, 0) : f;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void each_inside(const lsp_world *w, ast_class *c, lsp_take_name *take, void *user,
                        int depth)
{
    const sym *names;
    c = c ? lang_whole(c) : NULL;
    if (!c || depth > BASES_DEEP || ++w->care->looks > LOOKS_MOST) return;
    for (int i = 0; i < c->n_literals; i++) take(user, find_literal(c, c->literals[i].name));
    for (int i = 0; i < c->n_elements; i++) {
        const ast_element *e = c->elements[i];
        if (e->kind == AST_COMPONENT) take(user, found_component(c, e->component));
        if (e->kind == AST_CLASS) take(user, found_class(e->class_));
        if (e->kind == AST_EXTENDS) {
            ast_class *base = class_of_base(w, c, &e->extends->type);
            if (base != c) each_inside(w, base, take, user, depth + 1);
        }
    }
    ast_class *folder = with_folder(w, c);
    int n = folder->dir ? lang_child_names(w->library, folder, &names) : 0;
    for (int i = 0; i < n; i++) // those in files of their own are not read for their names
        if (!lang_element(c, names[i]))
            take(user, (lsp_found){.kind = LSP_A_CLASS, .name = names[i]});
    ast_class *base = base_of_short(w, c, depth);
    if (base && base != c) each_inside(w, base, take, user, depth + 1);
}

void lsp_each_member(const lsp_world *w, lsp_found of, lsp_take_name *take, void *user)
{
    each_inside(w, class_of_found(w, of), take, user, 0);
}

void lsp_each_visible(const lsp_world *w, ast_class *c, lsp_take_name *take, void *user)
{
    const sym *names;
    for (; c; c = lsp_class_around(w, c)) each_inside(w, c, take, user, 0);
    for (int i = 0; i < w->file->n_classes; i++) take(user, found_class(w->file->classes[i]));
    int n = lang_top_names(w->library, &names);
    for (int i = 0; i < n; i++) take(user, (lsp_found){.kind = LSP_A_CLASS, .name = names[i]});
    const eval_builtin *b;
    for (int i = 0; (b = eval_builtin_at(i)); i++) take(user, found_built_in(b->name));
}
