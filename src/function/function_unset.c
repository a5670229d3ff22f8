/* Variables of functions that are read before anything has given them a value.
 *
 * The specification leaves such a value open; it is 0 here, and nobody meant that. Only what is certain is told: a
 * scalar for which no statement before, on whatever path, has a value.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"
#include "function/function_def.h"

typedef struct reader {
    function_def *f;
    bool *given; // by place in f->all
    span at;     // of the statement
} reader;

static int place_of(const function_def *f, const ast_ref *r)
{
    for (int i = 0; i < f->n_all && !r->global; i++)
        if (f->all[i].name == r->at[0].name) return i;
    return -1;
}

static void read_ref(void *user, const ast_ref *r)
{
    reader *x = user;
    int i = place_of(x->f, r);
    if (i < 0 || x->given[i]) return;
    x->given[i] = true; // said once
    if (!x->f->unset) {
        x->f->unset = x->f->all[i].name;
        x->f->unset_at = x->at;
    }
}

static void read_expr(reader *x, const ast_expr *e)
{
    if (e) eval_each_ref(e, read_ref, x);
}

static void write_left(reader *x, const ast_expr *e)
{
    if (!e) return;
    if (e->kind == AST_TUPLE)
        for (int i = 0; i < e->list.n; i++) write_left(x, e->list.at[i]);
    if (e->kind != AST_REF) return;
    int i = place_of(x->f, e->ref);
    if (i >= 0) x->given[i] = true;
}

static void read_body(reader *x, const ast_stmts *body)
{
    for (int i = 0; i < body->n; i++) {
        const ast_stmt *t = body->at[i];
        x->at = t->span;
        switch ((ast_stmt_kind)t->kind) {
        case AST_ASSIGN:
            read_expr(x, t->pair.right);
            write_left(x, t->pair.left);
            break;
        case AST_CALL_STMT: read_expr(x, t->call); break;
        case AST_IF_STMT:
        case AST_WHILE:
            for (int k = 0; k < t->branches.n; k++) {
                x->at = t->span;
                read_expr(x, t->branches.at[k].test);
                read_body(x, &t->branches.at[k].body);
            }
            break;
        case AST_FOR:
            for (int k = 0; k < t->loop.iters.n; k++) {
                int own = -1;
                for (int j = 0; j < x->f->n_all; j++)
                    if (x->f->all[j].name == t->loop.iters.at[k].name) own = j;
                if (own >= 0) x->given[own] = true; // another variable of that name
                read_expr(x, t->loop.iters.at[k].range);
            }
            read_body(x, &t->loop.body);
            break;
        default: break;
        }
    }
}

void function_find_unset(flat_builder *b, function_def *f)
{
    reader x = {.f = f, .given = arena_array(b->front, bool, f->n_all + 1)};
    for (int i = 0; i < f->n_all; i++) {
        const inst_component *c = &f->all[i];
        x.given[i] = c->causality == AST_INPUT || c->binding || c->n_dims_lists ||
                     c->type.kind != INST_PREDEFINED || c->variability >= AST_PARAMETER;
    }
    for (int k = 0; k < f->n_sections; k++) read_body(&x, &f->sections[k].section->body);
    if (f->unset) array_push(b->front, &function_all(b)->unset, f);
}

void function_tell_unset(flat_builder *b)
{
    const struct functions *all = function_all(b);
    for (int i = 0; i < all->unset.n; i++) {
        const function_def *f = all->unset.at[i];
        diag_warning(b->diags, "M437", f->unset_at,
                     "'%s' of the function '%s' is read before it has a value; it is 0 here",
                     f->unset, f->name);
    }
}
