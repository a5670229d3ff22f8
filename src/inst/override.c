/* Values from the command line: -p NAME=VALUE.
 *
 * A value for a parameter takes the place of its binding before sizes and conditions are decided; a
 * value for a variable becomes its fixed start value.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include <stdio.h>
#include <string.h>

struct inst_override_value {
    sym name;
    ast_expr *e;
    bool used, bad;
    bool known; // x is what e gives, converted
    value x;
};

static void override_prepare(flat_builder *b)
{
    struct inst *in = b->inst;
    in->values = arena_array(b->front, struct inst_override_value, in->n_overrides);
    for (int i = 0; i < in->n_overrides; i++) {
        const flat_override *o = &in->overrides[i];
        struct inst_override_value *v = &in->values[i];
        size_t n = strlen(o->value);
        char *name = arena_strndup(b->front, o->name, strlen(o->name));
        v->name = sym_of_n(b->lib->syms, name, text_squeeze_name(name));
        char option[200]; // what messages name as the place; they outlive the model
        snprintf(option, sizeof option, "%.120s %.70s", o->place ? o->place : "-p", o->name);
        const source *src =
            source_add(&b->lib->sources, option, arena_strndup(b->lib->sources.a, o->value, n), n);
        v->e = src ? lang_parse_expr(src, b->front, b->lib->syms, b->diags) : NULL;
        v->bad = !v->e;
    }
}

static bool override_refuse(flat_builder *b, const inst_node *n, struct inst_override_value *v)
{
    bool final = n->is_final || (n->binding && n->binding->final);
    if (n->variability != FLAT_CONSTANT && !final) return false;
    diag_error(b->diags, "M190", v->e->span, "'%s' is %s and cannot be changed", v->name,
               n->variability == FLAT_CONSTANT ? "a constant" : "final");
    diag_note(b->diags, n->decl->at, "it is declared here");
    return true;
}

/* The value for this element: given for it alone, "k[2]", or as part of the array, "k"; then *whole. */
static struct inst_override_value *override_find(flat_builder *b, const inst_node *n, sym name,
                                                 bool *whole)
{
    struct inst *in = b->inst;
    const char *subscripts = n->n_dims ? strrchr(name, '[') : NULL;
    size_t length = subscripts ? (size_t)(subscripts - name) : 0;
    *whole = false;
    for (int i = 0; i < in->n_overrides; i++)
        if (in->values[i].name == name) return &in->values[i];
    *whole = true;
    for (int i = 0; i < in->n_overrides && length; i++)
        if (!strncmp(in->values[i].name, name, length) && !in->values[i].name[length])
            return &in->values[i];
    return NULL;
}

/* Does one of the names begin like those of n? Making the name of every element takes longer. */
static bool override_may_name(const struct inst *in, const inst_node *n)
{
    const inst_node *top = n;
    while (top->parent && top->parent->parent) top = top->parent;
    size_t length = strlen(top->name);
    for (int i = 0; i < in->n_overrides; i++)
        if (!strncmp(in->values[i].name, top->name, length)) return true;
    return false;
}

static bool override_fits(const inst_node *n, const value *x, bool whole)
{
    if (!whole) return !x->n_dims;
    bool fits = x->n_dims == n->n_dims;
    for (int k = 0; k < n->n_dims && fits; k++) fits = x->dims[k] == n->dims[k];
    return fits;
}

int inst_override(flat_builder *b, inst_node *n, int e, expr *out)
{
    struct inst *in = b->inst;
    for (const inst_node *p = n; p; p = p->parent)
        if (p->kind == NODE_PACKAGE) return 0;
    if (!in->values) override_prepare(b);
    if (!override_may_name(in, n)) return 0;
    sym name = inst_path_sym(b, n, e);
    bool whole;
    struct inst_override_value *v = override_find(b, n, name, &whole);
    if (!v) return 0;
    if (v->bad) return -1;
    v->used = true;
    if (override_refuse(b, n, v)) return v->bad = true, -1;
    *out = v->known ? value_at(&v->x)[whole ? e % n->size : 0] : 0;
    if (v->known) return 1;
    scope s = inst_scope(b, in->root->cls, in->root, 0);
    value x, type = {.type = n->type_id, .enum_id = (uint16_t)n->enum_id, .n = 1};
    if (!eval_structural(&s, v->e, &x)) return v->bad = true, -1;
    if (whole) {
        type.n_dims = (uint8_t)n->n_dims;
        type.dims = n->dims;
        type.n = n->size;
    }
    if (!override_fits(n, &x, whole) || !value_accepts(&type, &x)) {
        diag_error(b->diags, "M114", v->e->span, "'%s' is %s, but its value is %s", v->name,
                   value_type_name(&b->env, &type), value_type_name(&b->env, &x));
        return v->bad = true, -1;
    }
    v->x = value_convert(&b->env, &type, x);
    v->known = true;
    *out = value_at(&v->x)[whole ? e % n->size : 0];
    return 1;
}

bool inst_check_overrides(flat_builder *b)
{
    struct inst *in = b->inst;
    bool ok = true;
    if (in->n_overrides && !in->values) override_prepare(b);
    for (int i = 0; i < in->n_overrides; i++) {
        struct inst_override_value *v = &in->values[i];
        if (v->used || v->bad) continue;
        ok = false;
        const char **names = arena_array(b->front, const char *, b->m->vars.n + 1);
        for (int k = 0; k < b->m->vars.n; k++) names[k] = flat_name_in(b->m, k, b->front);
        const char *near = diag_nearest(v->name, names, b->m->vars.n);
        diag_error(b->diags, "M191", v->e->span,
                   "the model has no parameter or variable '%s'%s%s%s", v->name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return ok;
}
