/* SPDX-License-Identifier: BSD-3-Clause */
#include "rules/interface.h"

#include "rules/rule.h"
#include "rules/rules.h"

#include <stdio.h>

typedef struct comparison {
    flat_builder *b;
    map pairs; // classes compared, or being compared: their interfaces may contain each other
    int depth;
} comparison;

static const char *gap_text(flat_builder *b, const char *format, const char *name, const char *why)
{
    int n = snprintf(NULL, 0, format, name, why);
    char *t = arena_alloc(b->front, (size_t)n + 1);
    snprintf(t, (size_t)n + 1, format, name, why);
    return t;
}

/* ---- kinds of classes ------------------------------------------------------------------------ */

/* Kinds that are compatible with each other have the same number. A general class may hold anything
 * and is compared by what it holds. */
static int kind_group(flat_builder *b, inst_class *c)
{
    if (inst_is_connector(b, c)) return 3;
    switch (inst_restriction(b, c)) {
    case AST_R_FUNCTION: return 1;
    case AST_R_PACKAGE: return 2;
    case AST_R_MODEL:
    case AST_R_BLOCK: return 4;
    case AST_R_RECORD:
    case AST_R_TYPE: return 5;
    default: return 0;
    }
}

static const char *kind_gap(flat_builder *b, inst_class *have, inst_class *want)
{
    int x = kind_group(b, have), y = kind_group(b, want);
    if (!x || !y || x == y) return NULL;
    return gap_text(b, "it is a %s and not a %s", rules_kind_text(have->ast),
                    rules_kind_text(want->ast));
}

/* ---- predefined types ------------------------------------------------------------------------ */

static const char *primitive_gap(flat_builder *b, inst_class *have, inst_class *want)
{
    const inst_primitive *p = inst_primitive_of(b, have), *q = inst_primitive_of(b, want);
    if (p->kind != q->kind) return "its type is another one";
    if (p->kind != PRE_ENUM || p->enum_id == q->enum_id) return NULL;
    if (b->m->enums.at[q->enum_id].n == 0) return NULL; // enumeration(:) takes all
    return "its enumeration has other literals";
}

/* ---- classes and components ------------------------------------------------------------------ */

static const char *class_gap(comparison *c, inst_class *have, inst_class *want);

static const char *component_gap(comparison *c, const interface_view *have,
                                 const interface_view *want)
{
    const char *gap = primitive_gap(c->b, have->cls, want->cls);
    if (gap) return gap;
    if (have->n_dims != want->n_dims) return "its number of dimensions is another one";
    if (have->flow != want->flow) return "one is 'flow' or 'stream' and the other not";
    if (have->causality != want->causality) return "one is 'input' or 'output' and the other not";
    if (have->variability > want->variability) return "it varies more";
    if (have->conditional != want->conditional) return "one has a condition and the other not";
    return class_gap(c, have->cls, want->cls);
}

static int count_dims(const inst_component *c)
{
    int n = 0;
    for (int i = 0; i < c->n_dims_lists; i++) n += c->dims[i]->n;
    return n;
}

static uint8_t declared_variability(const inst_component *c)
{
    static const uint8_t table[] = {[AST_CONTINUOUS] = FLAT_CONTINUOUS,
                                    [AST_DISCRETE] = FLAT_DISCRETE,
                                    [AST_PARAMETER] = FLAT_PARAMETER,
                                    [AST_CONSTANT] = FLAT_CONSTANT};
    bool discrete = c->type.kind == INST_PREDEFINED && c->type.type != TYPE_REAL;
    uint8_t v = table[c->variability];
    return discrete && v > FLAT_DISCRETE ? FLAT_DISCRETE : v;
}

static interface_view view_of(const inst_component *c)
{
    return (interface_view){.cls = c->type.cls,
                            .variability = declared_variability(c),
                            .causality = c->causality,
                            .flow = c->decl->flow,
                            .n_dims = count_dims(c),
                            .conditional = c->decl->condition != NULL};
}

static const inst_component *component_named(inst_components list, int guess, sym name)
{
    if (guess < list.n && list.at[guess].name == name) return &list.at[guess];
    for (int i = 0; i < list.n; i++)
        if (list.at[i].name == name) return &list.at[i];
    return NULL;
}

static const char *elements_gap(comparison *c, inst_class *have, inst_class *want)
{
    inst_components x = inst_components_of(c->b, have), y = inst_components_of(c->b, want);
    for (int i = 0; i < y.n && x.n >= 0; i++) {
        if (y.at[i].is_protected) continue;
        const inst_component *same = component_named(x, i, y.at[i].name);
        if (!same || same->is_protected)
            return gap_text(c->b, "it has no %selement '%s'", same ? "public " : "", y.at[i].name);
        interface_view p = view_of(same), q = view_of(&y.at[i]);
        const char *gap = component_gap(c, &p, &q);
        if (gap) return gap_text(c->b, "its '%s' does not fit: %s", same->name, gap);
    }
    return NULL;
}

/* A class that extends another has all its elements without looking. */
static bool extends_text(flat_builder *b, inst_class *c, const ast_class *base, int depth)
{
    if (c->ast == base) return true;
    if (depth > FLAT_MAX_DEPTH || !inst_expand(b, c)) return false;
    for (int i = 0; i < c->n_bases; i++)
        if (c->bases[i] && extends_text(b, c->bases[i], base, depth + 1)) return true;
    return false;
}

static const ast_class *behind_names(flat_builder *b, inst_class *c)
{
    for (int i = 0; c->ast->body == AST_SHORT && i < FLAT_MAX_DEPTH; i++) {
        if (!inst_expand(b, c) || !c->bases[0]) break;
        c = c->bases[0];
    }
    return c->ast;
}

static const char *classes_gap(comparison *c, inst_class *have, inst_class *want, int depth)
{
    if (depth > FLAT_MAX_DEPTH || !inst_expand(c->b, want)) return NULL;
    for (int i = 0; i < want->ast->n_elements; i++) {
        const ast_element *e = want->ast->elements[i];
        if (e->kind != AST_CLASS || (e->flags & AST_PROTECTED)) continue;
        const inst_element *el = inst_find(c->b, have, e->class_->name);
        if (!el || !el->class_)
            return gap_text(c->b, "it has no %s '%s'", "class", e->class_->name);
    }
    const char *gap = NULL;
    for (int i = 0; i < want->n_bases && !gap; i++)
        if (want->bases[i]) gap = classes_gap(c, have, want->bases[i], depth + 1);
    return gap;
}

static const char *class_gap(comparison *c, inst_class *have, inst_class *want)
{
    if (have->ast == want->ast || c->depth > FLAT_MAX_DEPTH) return NULL;
    uint64_t key = hash_u64(map_key(have) ^ hash_u64(map_key(want)));
    if ((*map_put(&c->pairs, key))++) return NULL;
    if (!inst_expand(c->b, have) || !inst_expand(c->b, want)) return NULL;
    const char *gap = kind_gap(c->b, have, want);
    if (!gap) gap = primitive_gap(c->b, have, want);
    if (gap || inst_primitive_of(c->b, want)->kind) return gap;
    if (extends_text(c->b, have, behind_names(c->b, want), 0)) return NULL;
    c->depth++;
    gap = elements_gap(c, have, want);
    c->depth--;
    if (!gap) gap = classes_gap(c, have, want, 0);
    return gap;
}

static comparison compare_begin(flat_builder *b)
{
    comparison c = {.b = b};
    map_init(&c.pairs, b->front);
    return c;
}

static int type_dims(flat_builder *b, inst_class *c)
{
    const inst_primitive *p = inst_expand(b, c) ? inst_primitive_of(b, c) : NULL;
    int n = 0;
    for (int i = 0; p && i < p->n_dims; i++) n += p->dims[i]->n;
    return n;
}

const char *interface_gap(flat_builder *b, inst_class *have, inst_class *want)
{
    comparison c = compare_begin(b);
    const char *gap = class_gap(&c, have, want);
    if (!gap && type_dims(b, have) != type_dims(b, want))
        gap = "its number of dimensions is another one";
    return gap;
}

const char *interface_component_gap(flat_builder *b, const interface_view *have,
                                    const interface_view *want)
{
    comparison c = compare_begin(b);
    return component_gap(&c, have, want);
}
