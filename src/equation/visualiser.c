/* Visualisers of the standard library.
 *
 * The library leaves the drawing to the tool: its components have parts of the class PartialShape, which
 * name a shape, a place r, an orientation R, an origin and two directions in the object, and sizes. A
 * shape begins at its origin and extends along its length. This is what ModelicaServices.Animation.Shape
 * is for (documentation of Modelica.Mechanics.MultiBody, 4.0.0).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/equation.h"
#include "lang/lang.h"

#include <stddef.h>
#include <string.h>

/* Values of shapeType that are drawn. Any other is the name of a file, which is not read: a box of its
 * size stands for it. */
static const char *const shapes[] = {"box",  "beam", "sphere",    "cylinder", "pipecylinder",
                                     "pipe", "cone", "gearwheel", "spring"};

/* Members of the class, as expressions in it, and where they go. */
static const struct member {
    const char *text;
    int n;
    size_t at;
    bool may_lack;
} members[] = {
    {"r", 3, offsetof(flat_visualiser, r), false},
    {"R.T", 9, offsetof(flat_visualiser, R), false},
    {"r_shape", 3, offsetof(flat_visualiser, begin), false},
    {"lengthDirection", 3, offsetof(flat_visualiser, along), false},
    {"widthDirection", 3, offsetof(flat_visualiser, across), false},
    {"length", 1, offsetof(flat_visualiser, size[0]), false},
    {"width", 1, offsetof(flat_visualiser, size[1]), false},
    {"height", 1, offsetof(flat_visualiser, size[2]), false},
    {"extra", 1, offsetof(flat_visualiser, extra), true},
    {"color", 3, offsetof(flat_visualiser, colour), true},
};
enum { N_MEMBERS = sizeof members / sizeof *members };
static const char shape_type[] = "shapeType";

typedef struct visualisers {
    flat_builder *b;
    const ast_expr *type, *member[N_MEMBERS]; // parsed once
} visualisers;

/* The text of an expression is added once, however many models are flattened. */
static const ast_expr *text_parsed(flat_builder *b, const char *words)
{
    source_set *all = &b->lib->sources;
    const source *src = NULL;
    for (int i = 0; i < all->files.n && !src; i++)
        if (all->files.at[i].text == words) src = &all->files.at[i];
    if (!src) src = source_add(all, "(visualisers)", words, strlen(words));
    return src ? lang_parse_expr(src, b->front, b->lib->syms, b->diags) : NULL;
}

static inst_class *shape_part(flat_builder *b, inst_class *part)
{
    static const char name[] =
        "Modelica.Utilities.Internal.PartialModelicaServices.Animation.PartialShape";
    if (strcmp(part->ast->name, "PartialShape") == 0 && strcmp(inst_name(b, part), name) == 0)
        return part;
    for (int i = 0; i < part->n_bases; i++) {
        inst_class *found = part->bases[i] ? shape_part(b, part->bases[i]) : NULL;
        if (found) return found;
    }
    return NULL;
}

static const char *form_of(const scope *s, const ast_expr *type)
{
    value v;
    if (!type || !eval_structural(s, type, &v)) return NULL;
    const expr_node *x = v.type == VALUE_STRING && !v.n_dims ? expr_at(s->b->pool, v.e) : NULL;
    for (size_t i = 0; x && x->op == EXPR_STRING && i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(x->u.string, shapes[i]) == 0) return shapes[i];
    return x && x->op == EXPR_STRING ? FLAT_VISUAL_FILE : NULL;
}

static void unsay(diag_sink *now, diag_sink before)
{
    if (before.last) before.last->next = NULL;
    *now = before;
}

static bool take_members(visualisers *w, const scope *s, flat_visualiser *d)
{
    for (int k = 0; k < N_MEMBERS; k++) {
        value v;
        diag_sink held = *w->b->diags;
        if (!w->member[k]) w->member[k] = text_parsed(w->b, members[k].text);
        if (w->member[k] && eval_expr(s, w->member[k], &v) && v.n == members[k].n) {
            memcpy((char *)d + members[k].at, value_at(&v), (size_t)v.n * sizeof(expr));
            continue;
        }
        if (!members[k].may_lack) return false;
        unsay(w->b->diags, held);
    }
    return true;
}

/* One that cannot be drawn is left out: the model runs without it. */
static void take_visualiser(visualisers *w, inst_class *part, const inst_node *n, int e)
{
    flat_builder *b = w->b;
    diag_sink held = *b->diags;
    arena_mark mark = arena_here(b->scratch);
    scope s = inst_scope(b, part, n, e);
    if (!w->type) w->type = text_parsed(b, shape_type);
    flat_visualiser d = {.form = form_of(&s, w->type), .instance = inst_instance_name(&s)};
    bool ok = d.form && take_members(w, &s, &d);
    arena_release(b->scratch, mark);
    if (ok) {
        array_push(b->model, &b->m->visualisers, d);
        return;
    }
    unsay(b->diags, held);
}

static void visit(visualisers *w, inst_node *n, int member)
{
    int first, last;
    if (n->kind == NODE_MEMBER) {
        visit(w, n->target, n->index);
        return;
    }
    if (n->kind != NODE_COMPOSITE && n->kind != NODE_SPLIT) return;
    inst_class *part = n->kind == NODE_COMPOSITE ? shape_part(w->b, n->cls) : NULL;
    inst_elements(n, member, &first, &last);
    for (int e = first; part && e < last; e++) take_visualiser(w, part, n, e);
    for (int i = 0; i < n->children.n; i++) visit(w, n->children.at[i], member);
}

void equation_visualisers(flat_builder *b)
{
    visualisers w = {.b = b};
    visit(&w, b->inst->root, -1);
}
