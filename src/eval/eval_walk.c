/* Visiting the component references of expressions and statements.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "eval/eval.h"

static void each(const ast_exprs *list, eval_visit *visit, void *user)
{
    for (int i = 0; i < list->n; i++)
        if (list->at[i]) eval_each_ref(list->at[i], visit, user);
}

/* Iterators of a reduction are no references: sum(i for i in 1:3). */
typedef struct outside {
    const ast_iterators *iters;
    eval_visit *visit;
    void *user;
} outside;

static void visit_outside(void *user, const ast_ref *r)
{
    const outside *x = user;
    for (int i = 0; i < x->iters->n && !r->global; i++)
        if (r->at[0].name == x->iters->at[i].name) return;
    x->visit(x->user, r);
}

static void each_call(const ast_call *c, eval_visit *visit, void *user)
{
    outside x = {&c->iters, visit, user};
    if (c->iters.n) each(&c->args, visit_outside, &x);
    else each(&c->args, visit, user);
    for (int i = 0; i < c->n_named; i++) eval_each_ref(c->named[i].value, visit, user);
    for (int i = 0; i < c->iters.n; i++)
        if (c->iters.at[i].range) eval_each_ref(c->iters.at[i].range, visit, user);
}

void eval_each_ref(const ast_expr *e, eval_visit *visit, void *user)
{
    switch ((ast_expr_kind)e->kind) {
    case AST_REF:
        visit(user, e->ref);
        for (int i = 0; i < e->ref->n; i++) each(&e->ref->at[i].subs, visit, user);
        break;
    case AST_UNARY: eval_each_ref(e->arg, visit, user); break;
    case AST_CHAIN: each(&(ast_exprs){e->chain.at, e->chain.n}, visit, user); break;
    case AST_IF:
        each(&(ast_exprs){e->cond.tests, e->cond.n}, visit, user);
        each(&(ast_exprs){e->cond.values, e->cond.n + 1}, visit, user);
        break;
    case AST_ARRAY:
    case AST_TUPLE: each(&e->list, visit, user); break;
    case AST_MATRIX:
        for (int i = 0; i < e->rows.n; i++) each(&e->rows.at[i], visit, user);
        break;
    case AST_CALL:
    case AST_PARTIAL:
    case AST_COMPREHENSION: each_call(e->call, visit, user); break;
    case AST_SELECT:
        eval_each_ref(e->select.base, visit, user);
        each(&e->select.subs, visit, user);
        break;
    case AST_RANGE:
        eval_each_ref(e->range.first, visit, user);
        if (e->range.step) eval_each_ref(e->range.step, visit, user);
        eval_each_ref(e->range.last, visit, user);
        break;
    default: break;
    }
}

void eval_each_ref_in(const ast_stmts *body, eval_visit *visit, void *user)
{
    for (int i = 0; i < body->n; i++) {
        const ast_stmt *t = body->at[i];
        switch ((ast_stmt_kind)t->kind) {
        case AST_EQUATION:
        case AST_CONNECT:
        case AST_ASSIGN:
            eval_each_ref(t->pair.left, visit, user);
            eval_each_ref(t->pair.right, visit, user);
            break;
        case AST_CALL_STMT: eval_each_ref(t->call, visit, user); break;
        case AST_FOR:
            for (int k = 0; k < t->loop.iters.n; k++)
                if (t->loop.iters.at[k].range)
                    eval_each_ref(t->loop.iters.at[k].range, visit, user);
            eval_each_ref_in(&t->loop.body, visit, user);
            break;
        case AST_IF_STMT:
        case AST_WHEN:
        case AST_WHILE:
            for (int k = 0; k < t->branches.n; k++) {
                if (t->branches.at[k].test) eval_each_ref(t->branches.at[k].test, visit, user);
                eval_each_ref_in(&t->branches.at[k].body, visit, user);
            }
            break;
        default: break;
        }
    }
}
