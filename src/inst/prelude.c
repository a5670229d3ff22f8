/* How instantiation begins: predefined classes, and the class to be flattened.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inst/tree.h"

#include "lang/lang.h"

#include <string.h>

/* Predefined classes, as if they were declared around everything. */
static const char prelude[] =
    "type Real end Real; type Integer end Integer; type Boolean end Boolean;\n"
    "type String end String; type Clock end Clock; partial class ExternalObject end "
    "ExternalObject;\n"
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n";

/* The text is added once, however many models are flattened. */
static const source *prelude_source(source_set *all)
{
    for (int i = 0; i < all->files.n; i++)
        if (all->files.at[i].text == prelude) return &all->files.at[i];
    return source_add(all, "(built-in)", prelude, strlen(prelude));
}

static ast_class *prelude_class(const struct inst *in, sym name)
{
    for (int i = 0; i < in->prelude->n_classes; i++)
        if (in->prelude->classes[i]->name == name) return in->prelude->classes[i];
    return NULL;
}

bool inst_start(flat_builder *b, const flat_override *overrides, int n_overrides)
{
    struct inst *in = b->inst = arena_new(b->front, struct inst);
    sym_table *t = b->lib->syms;
    in->overrides = overrides;
    in->n_overrides = n_overrides;
    map_init(&in->globals, b->front);
    map_init(&in->imports, b->front);
    map_init(&in->refs, b->front);
    map_init(&in->callees, b->front);
    map_init(&in->enum_ids, b->front);
    map_init(&in->attributes, b->front);
    map_init(&in->declarations, b->front);
    map_init(&in->comments, b->front);
    map_init(&in->siblings, b->front);
    ast_class *nothing = arena_new(b->front, ast_class); // what stands around top-level classes
    nothing->name = sym_of(t, "");
    in->top = inst_new_class(b, nothing, NULL, (inst_env){0});
    in->top->state = INST_READY;
    const source *src = prelude_source(&b->lib->sources);
    if (!src) return false;
    in->prelude = lang_parse(src, b->front, t, b->diags);
    static const char *const names[] = {
        [PRE_REAL] = "Real",     [PRE_INTEGER] = "Integer", [PRE_BOOLEAN] = "Boolean",
        [PRE_STRING] = "String", [PRE_CLOCK] = "Clock",     [PRE_EXTERNAL] = "ExternalObject"};
    for (int i = PRE_REAL; i <= PRE_EXTERNAL; i++)
        if (names[i]) in->predefined[i] = prelude_class(in, sym_of(t, names[i]));
    in->s_start = sym_of(t, "start");
    in->s_fixed = sym_of(t, "fixed");
    in->s_min = sym_of(t, "min");
    in->s_max = sym_of(t, "max");
    in->s_nominal = sym_of(t, "nominal");
    in->s_unit = sym_of(t, "unit");
    in->s_display_unit = sym_of(t, "displayUnit");
    in->s_quantity = sym_of(t, "quantity");
    in->s_state_select = sym_of(t, "stateSelect");
    in->s_time = sym_of(t, "time");
    in->s_empty = sym_of(t, "");
    return true;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static bool check_class(flat_builder *b, ast_class *c)
{
    static const uint8_t fine[] = {AST_R_CLASS, AST_R_MODEL, AST_R_BLOCK};
    bool ok = false;
    for (size_t i = 0; i < sizeof fine; i++) ok = ok || c->restriction == fine[i];
    if (!ok) {
        diag_error(b->diags, "M107", c->at, "'%s' is a %s; only a model or block can be flattened",
                   c->name, lang_restriction_text((ast_restriction)c->restriction));
        return false;
    }
    if (c->flags & AST_IS_PARTIAL) {
        diag_error(b->diags, "M108", c->at,
                   "'%s' is partial: it is meant to be extended; flatten a model that extends it",
                   c->name);
        return false;
    }
    return true;
}

bool inst_build_tree(flat_builder *b, ast_class *c)
{
    struct inst *in = b->inst;
    if (!check_class(b, c)) return false;
    in->root_ast = c;
    inst_class *handle = inst_handle(b, c);
    if (!handle || !(in->root = inst_new_root(b, handle))) return false;
    in->root->deep = true;
    bool ok = true;
    for (int i = 0; i < in->root->children.n; i++) // grows when an inner component is added
        ok = inst_deep(b, in->root->children.at[i]) && ok;
    return ok;
}
