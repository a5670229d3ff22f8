/* Name lookup: from the class a name is used in outwards.
 *
 * In each class: its elements, inherited ones included, then its imports; then the class around it,
 * unless it is encapsulated; at the top the predefined names and the classes of the library
 * (Modelica Language Specification 3.6, section 5.3). Results are kept per class and name.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"
#include "inst/tree.h"

#include <stdio.h>
#include <string.h>

/* ---- the top --------------------------------------------------------------------------------- */

static inst_class *find_predefined(flat_builder *b, sym name)
{
    for (int i = 0; i < b->inst->prelude->n_classes; i++)
        if (b->inst->prelude->classes[i]->name == name)
            return inst_handle(b, b->inst->prelude->classes[i]);
    return NULL;
}

static inst_class *find_top(flat_builder *b, sym name)
{
    inst_class *known = find_predefined(b, name);
    if (known) return known;
    if (eval_find_builtin(name)) return NULL; // do not search the disk for sin
    ast_class *c = lang_top(b->lib, name);
    return c ? inst_handle(b, c) : NULL;
}

/* ---- imports --------------------------------------------------------------------------------- */

typedef struct import_list {
    const ast_import **at;
    int n;
} import_list;

static const import_list *imports_of(flat_builder *b, const ast_class *c)
{
    uint64_t *slot = map_find(&b->inst->imports, map_key(c));
    if (slot) return (const import_list *)(uintptr_t)*slot;
    import_list *l = arena_new(b->front, import_list);
    for (int i = 0; i < c->n_elements; i++) l->n += c->elements[i]->kind == AST_IMPORT;
    l->at = arena_array(b->front, const ast_import *, l->n ? l->n : 1);
    l->n = 0;
    for (int i = 0; i < c->n_elements; i++)
        if (c->elements[i]->kind == AST_IMPORT) l->at[l->n++] = c->elements[i]->import;
    *map_put(&b->inst->imports, map_key(c)) = map_key(l);
    return l;
}

static bool element_found(flat_builder *b, inst_element *el, inst_found *f)
{
    *f = (inst_found){0};
    if (!el) return false;
    if (el->comp) f->component = el;
    else f->cls = inst_element_class(b, el);
    return f->component || f->cls;
}

/* A literal of an enumeration, which other tools let be imported: taken, with a warning. */
static bool literal_found(flat_builder *b, inst_class *in, sym name, const ast_import *im,
                          inst_found *f)
{
    const inst_primitive *p = in ? inst_primitive_of(b, in) : NULL;
    if (!p || p->kind != PRE_ENUM) return false;
    const flat_enumeration *e = &b->m->enums.at[p->enum_id];
    int i = 0;
    while (i < e->n && e->literals[i] != name) i++;
    if (i == e->n) return false;
    *f = (inst_found){.cls = in, .literal = name};
    const diag *d = b->diags->first;
    while (d && (d->at.begin != im->name.span.begin || strcmp(d->code, "M197") != 0)) d = d->next;
    if (!d)
        diag_warning(b->diags, "M197", im->name.span,
                     "the literal '%s' of an enumeration is imported, which only elements of "
                     "packages can be; write '%s.%s' where it is used",
                     name, in->ast->name, name);
    return true;
}

/* The package or element that an import names, from the top. im is NULL if it names the package that
 * elements are imported from. */
static bool import_path(flat_builder *b, const ast_ref *r, const ast_import *im, inst_found *f)
{
    *f = (inst_found){.cls = find_top(b, r->at[0].name)};
    for (int i = 1; i < r->n; i++) {
        inst_class *in = f->cls;
        inst_element *el = in ? inst_find(b, in, r->at[i].name) : NULL;
        if (!element_found(b, el, f))
            return im && i == r->n - 1 && literal_found(b, in, r->at[i].name, im, f);
        if (im && i == r->n - 1) b->verbs->use_import(b, in, el, im);
        else b->verbs->use_member(b, in, el, r, i);
    }
    return f->cls || f->component;
}

/* The element of this name in the package that im imports from. */
static bool import_element(flat_builder *b, const ast_import *im, sym name, inst_found *f)
{
    inst_class *in = f->cls;
    inst_element *el = in ? inst_find(b, in, name) : NULL;
    bool seen = el && (im->kind == AST_IMPORT_LIST || !(el->flags & AST_PROTECTED));
    if (!seen || !element_found(b, el, f)) return literal_found(b, in, name, im, f);
    b->verbs->use_import(b, in, el, im);
    return true;
}

/* import A.*: the name is in one of the packages. */
static int find_in_packages(flat_builder *b, const import_list *l, sym name, inst_found *f)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        inst_found other;
        if (l->at[i]->kind != AST_IMPORT_ALL) continue;
        if (!import_path(b, &l->at[i]->name, NULL, &other)) continue;
        if (!import_element(b, l->at[i], name, &other)) continue;
        bool same =
            other.component == f->component && other.cls == f->cls && other.literal == f->literal;
        if (n && !same) b->verbs->use_ambiguous(b, l->at[i], name);
        if (!n++) *f = other;
    }
    return n > 0;
}

/* 1 found, 0 not imported, -1 imported under this name, but the import leads nowhere (reported). */
static int find_import(flat_builder *b, inst_class *c, sym name, inst_found *f)
{
    const import_list *l = imports_of(b, c->ast);
    for (int i = 0; i < l->n; i++) { // qualified imports come first
        const ast_import *im = l->at[i];
        if (im->kind == AST_IMPORT_ALL) continue;
        bool here = false, listed = false;
        if (im->kind == AST_IMPORT_ALIAS) here = im->alias.name == name;
        if (im->kind == AST_IMPORT_NAME) here = im->name.at[im->name.n - 1].name == name;
        for (int k = 0; im->kind == AST_IMPORT_LIST && k < im->n_list; k++)
            listed = listed || im->list[k].name == name;
        if (!here && !listed) continue;
        bool ok = import_path(b, &im->name, listed ? NULL : im, f);
        if (ok && listed) ok = import_element(b, im, name, f);
        if (ok) return 1;
        if (b->verbs->unknown_import(b, c, im)) return -1;
        diag_error(b->diags, "M102", im->name.span,
                   "the import '%s' leads to no class; is the library on the search path?",
                   inst_ref_text(b, &im->name, im->name.n));
        return -1;
    }
    return find_in_packages(b, l, name, f);
}

/* ---- from inside out ------------------------------------------------------------------------- */

static bool lookup_from(flat_builder *b, inst_class *c, sym name, inst_found *f)
{
    if (!c) return (f->cls = find_top(b, name)) != NULL;
    if (element_found(b, inst_find(b, c, name), f)) return true;
    int k = find_import(b, c, name, f);
    if (k) return k > 0;
    if (c->ast->flags & AST_ENCAPSULATED) return (f->cls = find_predefined(b, name)) != NULL;
    return inst_lookup(b, c->parent, name, f);
}

bool inst_lookup(flat_builder *b, inst_class *from, sym name, inst_found *f)
{
    *f = (inst_found){0};
    if (!from) return lookup_from(b, NULL, name, f);
    uint64_t *slot = map_find(&from->names, map_key(name));
    if (slot) {
        if (*slot) *f = *(inst_found *)(uintptr_t)*slot;
        return *slot != 0;
    }
    bool ok = lookup_from(b, from, name, f);
    if (from->state != INST_READY) return ok;
    inst_found *keep = NULL;
    if (ok) *(keep = arena_new(b->front, inst_found)) = *f;
    *map_put(&from->names, map_key(name)) = map_key(keep);
    return ok;
}

/* The base class of an extends clause is not looked for among inherited elements. */
static bool lookup_base(flat_builder *b, inst_class *c, sym name, inst_found *f)
{
    *f = (inst_found){0};
    ast_element *e = lang_element(c->ast, name);
    if (e && e->kind == AST_CLASS) return element_found(b, inst_find(b, c, name), f);
    if (c->ast->dir && lang_child(b->lib, c->ast, name))
        return element_found(b, inst_find(b, c, name), f);
    int k = find_import(b, c, name, f);
    if (k) return k > 0;
    if (c->ast->flags & AST_ENCAPSULATED) return (f->cls = find_predefined(b, name)) != NULL;
    return inst_lookup(b, c->parent, name, f);
}

/* The package inside that holds a class of this name: Basic.Resistor for Resistor; NULL: none, or several do. */
static const char *deeper(flat_builder *b, inst_class *in, sym name)
{
    const sym *children;
    const char *found = NULL;
    int n = in->ast->dir ? lang_child_names(b->lib, in->ast, &children) : 0;
    for (int i = 0; i < n; i++) {
        ast_class *c = lang_child(b->lib, in->ast, children[i]);
        if (!c || c->restriction != AST_R_PACKAGE || !strcmp(c->name, "Examples")) continue;
        if (!lang_child(b->lib, c, name)) continue;
        if (found) return NULL;
        size_t size = strlen(c->name) + strlen(name) + 2;
        char *path = arena_array(b->front, char, size);
        snprintf(path, size, "%s.%s", c->name, name);
        found = path;
    }
    return found;
}

static void report_missing(flat_builder *b, inst_class *from, inst_class *in, const ast_ref *r,
                           int i, bool extends)
{
    sym name = r->at[i].name;
    if (!in && !r->global && from && b->verbs->unknown(b, from, name, r->at[i].at, extends)) return;
    const char *near = in ? inst_nearest_element(b, in, name) : inst_nearest(b, from, name);
    const char *where = in ? inst_name(b, in) : NULL;
    if (in && !near) near = deeper(b, in, name);
    if (near && strcmp(near, name) == 0) near = NULL; // an import of that name that leads nowhere
    if (where && near)
        diag_error(b->diags, "M103", r->at[i].at,
                   "there is no class '%s' in '%s'; did you mean '%s'?", name, where, near);
    else if (where)
        diag_error(b->diags, "M103", r->at[i].at, "there is no class '%s' in '%s'", name, where);
    else if (near)
        diag_error(b->diags, "M103", r->at[i].at, "there is no class '%s' here; did you mean '%s'?",
                   name, near);
    else
        diag_error(b->diags, "M103", r->at[i].at,
                   "there is no class '%s' here; declare or import it, or add its library to the "
                   "search path",
                   name);
}

inst_class *inst_lookup_class(flat_builder *b, inst_class *from, const ast_ref *r, bool extends)
{
    inst_found f;
    int errors = b->diags->n_errors;
    bool ok = r->global         ? lookup_from(b, NULL, r->at[0].name, &f)
              : extends && from ? lookup_base(b, from, r->at[0].name, &f)
                                : inst_lookup(b, from, r->at[0].name, &f);
    inst_class *in = NULL;
    int i = 0;
    for (; ok && i < r->n - 1 && f.cls; i++) {
        in = f.cls;
        inst_element *el = inst_find(b, in, r->at[i + 1].name);
        ok = element_found(b, el, &f);
        if (ok) b->verbs->use_member(b, in, el, r, i + 1);
        if (!ok) i++;
        if (!ok) break;
    }
    if (!ok) {
        if (b->diags->n_errors == errors) report_missing(b, from, in, r, i, extends);
        return NULL;
    }
    if (!f.cls) {
        diag_error(b->diags, "M104", r->at[i].at, "'%s' is a component, not a class",
                   r->at[i].name);
        return NULL;
    }
    return f.cls;
}

inst_class *inst_try_class(flat_builder *b, inst_class *from, const ast_ref *r)
{
    inst_found f;
    if (!inst_lookup(b, r->global ? NULL : from, r->at[0].name, &f)) return NULL;
    for (int i = 1; f.cls && i < r->n; i++)
        if (!element_found(b, inst_find(b, f.cls, r->at[i].name), &f)) return NULL;
    return f.cls;
}

/* ---- did you mean ---------------------------------------------------------------------------- */

typedef ARRAY(const char *) names;

static void add_names(flat_builder *b, inst_class *c, names *out, int depth)
{
    const sym *children;
    if (depth > 16) return;
    for (int i = 0; i < c->ast->n_elements; i++) {
        sym n = lang_element_name(c->ast->elements[i]);
        if (n) array_push(b->front, out, n);
    }
    for (int i = 0; i < c->ast->n_literals; i++)
        array_push(b->front, out, c->ast->literals[i].name);
    if (c->ast->dir) {
        int n = lang_child_names(b->lib, c->ast, &children);
        for (int i = 0; i < n; i++) array_push(b->front, out, children[i]);
    }
    for (int i = 0; c->state == INST_READY && i < c->n_bases; i++)
        if (c->bases[i]) add_names(b, c->bases[i], out, depth + 1);
}

const char *inst_nearest_element(flat_builder *b, inst_class *cls, sym name)
{
    names list = {0};
    add_names(b, cls, &list, 0);
    return diag_nearest(name, list.at, list.n);
}

static void add_parameters(flat_builder *b, inst_class *c, names *out, int depth)
{
    if (depth > 16) return;
    for (int i = 0; c->state == INST_READY && i < c->n_bases; i++)
        if (c->bases[i]) add_parameters(b, c->bases[i], out, depth + 1);
    for (int i = 0; i < c->ast->n_elements; i++) {
        const ast_element *e = c->ast->elements[i];
        if (e->kind == AST_COMPONENT && e->component->variability == AST_PARAMETER &&
            !(e->flags & (AST_PROTECTED | AST_FINAL)))
            array_push(b->front, out, e->component->name);
    }
}

static const char *some_of(flat_builder *b, const names *list)
{
    enum { NAMES_SHOWN = 10 };
    mem m = value_arena_mem(b->front);
    text t;
    text_init(&t, &m);
    for (int i = 0; i < list->n && i < NAMES_SHOWN; i++)
        text_printf(&t, "%s%s", i ? ", " : "", list->at[i]);
    if (list->n > NAMES_SHOWN) text_add(&t, ", ...");
    return list->n ? text_str(&t) : NULL;
}

const char *inst_parameters(flat_builder *b, inst_class *cls)
{
    names list = {0};
    add_parameters(b, cls, &list, 0);
    return some_of(b, &list);
}

static void add_connectors(flat_builder *b, inst_class *c, names *out, int depth)
{
    if (depth > 16) return;
    for (int i = 0; c->state == INST_READY && i < c->n_bases; i++)
        if (c->bases[i]) add_connectors(b, c->bases[i], out, depth + 1);
    for (int i = 0; i < c->ast->n_elements; i++) {
        const ast_element *e = c->ast->elements[i];
        inst_class *type = e->kind == AST_COMPONENT && !(e->flags & AST_PROTECTED)
                               ? inst_try_class(b, c, &e->component->type)
                               : NULL;
        if (type && type->ast && type->ast->restriction == AST_R_CONNECTOR)
            array_push(b->front, out, e->component->name);
    }
}

const char *inst_connectors(flat_builder *b, inst_class *cls)
{
    names list = {0};
    add_connectors(b, cls, &list, 0);
    return some_of(b, &list);
}

const char *inst_nearest(flat_builder *b, inst_class *from, sym name)
{
    names list = {0};
    for (inst_class *c = from; c; c = c->parent) {
        if (c == b->inst->top) break;
        add_names(b, c, &list, 0);
        const import_list *l = imports_of(b, c->ast);
        for (int i = 0; i < l->n; i++) {
            const ast_import *im = l->at[i];
            if (im->kind == AST_IMPORT_ALIAS) array_push(b->front, &list, im->alias.name);
            if (im->kind == AST_IMPORT_NAME)
                array_push(b->front, &list, im->name.at[im->name.n - 1].name);
        }
    }
    const sym *top;
    int n_top = lang_top_names(b->lib, &top);
    for (int i = 0; i < n_top; i++) array_push(b->front, &list, top[i]);
    for (int i = 0; i < b->inst->prelude->n_classes; i++)
        array_push(b->front, &list, b->inst->prelude->classes[i]->name);
    return diag_nearest(name, list.at, list.n);
}
