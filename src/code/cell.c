/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/cell.h"

#include "flat/flat_function.h"
#include "structure/dag.h"

#include <stdlib.h>

typedef struct cutter {
    lowering *l;
    code_cells *c;
    bool *moving;       // by element of w: an input, a delayed value, or pre of what moves
    int *owner;         // by node: the first item that reaches it, + 1
    expr *live;         // by node: when does it depend on what moves? 0: never
    expr *calls;        // by node: when is an impure call below it due? NULL: there are none
    expr_subst mute[2]; // without calls of pure functions, without those of impure ones
    expr *needs; // by node: when is the value of another call below it read? NULL: there are none
    int *join;   // by item: another one of its cell (union-find)
    int_array stack;
    int n_nodes;
    const cell_items *items;
} cutter;

/* ---- which items share work ------------------------------------------------------------------ */

static int head_of(cutter *x, int i)
{
    while (x->join[i] != i) i = x->join[i] = x->join[x->join[i]];
    return i;
}

static void cell_join(cutter *x, int i, int j)
{
    i = head_of(x, i);
    j = head_of(x, j);
    if (i < j) x->join[j] = i;
    else x->join[i] = j;
}

// More than an operator and its leaves: worth sharing.
static bool is_work(const expr_pool *p, expr e)
{
    for (int k = 0; k < expr_arity(p, e); k++)
        if (expr_arity(p, expr_args(p, e)[k])) return true;
    return false;
}

static void claim(cutter *x, expr root, int item)
{
    const expr_pool *p = x->l->p;
    x->stack.n = 0;
    array_push(x->l->scratch, &x->stack, root);
    while (x->stack.n) {
        expr e = x->stack.at[--x->stack.n];
        if (x->owner[e]) {
            if (is_work(p, e)) cell_join(x, x->owner[e] - 1, item);
            continue;
        }
        x->owner[e] = item + 1;
        for (int k = 0; k < expr_arity(p, e); k++)
            array_push(x->l->scratch, &x->stack, expr_args(p, e)[k]);
    }
}

/* ---- when they depend on what moves ---------------------------------------------------------- */

static expr either(expr_pool *p, expr a, expr b)
{
    if (!a || !b || a == b) return a ? a : b;
    if (a == p->yes || b == p->yes) return p->yes;
    return expr_2(p, EXPR_OR, a, b);
}

static bool moves(const cutter *x, const expr_node *n)
{
    const structure *s = x->l->s;
    if (n->op == EXPR_TIME) return true;
    if (n->op != EXPR_VAR) return false;
    int v = n->u.var.index;
    if (v < s->n_flat) return s->vars[v].role != STRUCTURE_PARAMETER;
    return v - s->n_flat >= s->n_w || x->moving[v - s->n_flat];
}

/* When each node depends on one of those that are marked in `when`. Arguments have smaller numbers
 * than what is made of them. */
static void cell_spread(cutter *x, expr *when)
{
    expr_pool *p = x->l->p;
    for (expr e = 1; e < x->n_nodes; e++) {
        if (!x->owner[e]) continue;
        expr_node n = *expr_at(p, e);
        if (n.op == EXPR_IF) {
            expr yes = when[n.u.arg[1]], no = when[n.u.arg[2]];
            expr chosen = yes == no
                              ? yes
                              : expr_3(p, EXPR_IF, n.u.arg[0], yes ? yes : p->no, no ? no : p->no);
            when[e] = either(p, when[n.u.arg[0]], chosen);
            continue;
        }
        for (int k = 0; k < expr_arity(p, e); k++)
            when[e] = either(p, when[e], when[expr_args(p, e)[k]]);
    }
}

static void cell_find_live(cutter *x)
{
    for (expr e = 1; e < x->n_nodes; e++)
        if (x->owner[e] && moves(x, expr_at(x->l->p, e))) x->live[e] = x->l->p->yes;
    cell_spread(x, x->live);
}

static bool is_call(const cutter *x, expr e, bool impure)
{
    const expr_node *n = expr_at(x->l->p, e);
    return n->op == EXPR_CALL && x->l->s->flat->functions.at[n->u.call.function]->impure == impure;
}

// By node: when a call below it matters; NULL if there are none.
static expr *cell_find_calls(cutter *x, bool impure)
{
    expr *when = NULL;
    for (expr e = 1; e < x->n_nodes; e++) {
        if (!x->owner[e] || !is_call(x, e, impure)) continue;
        if (!when) {
            when = arena_array(x->l->scratch, expr, x->n_nodes);
            expr_subst_init(&x->mute[impure], x->l->p, x->l->scratch);
        }
        when[e] = x->l->p->yes;
        expr_subst_set(&x->mute[impure], e, x->l->p->zero);
    }
    if (when) cell_spread(x, when);
    return when;
}

static void find_moving(cutter *x)
{
    const structure *s = x->l->s;
    x->moving = arena_array(x->l->scratch, bool, s->n_w + 1);
    for (int k = 0; k < s->inputs.n; k++)
        for (int d = 0; d < 2; d++) x->moving[s->vars[s->inputs.at[k]].place + d] = true;
    for (int k = 0; k < s->delays.n; k++)
        for (int d = 0; d < structure_delay_size(&s->delays.at[k]); d++)
            x->moving[s->delays.at[k].place + d] = true;
    for (int k = 0; k < s->before.n; k++) x->moving[s->before.at[k].place] = true;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void number_cells(cutter *x, int n)
{
    code_cells *c = x->c;
    int *cell = c->cell = arena_array(x->l->a, int, n);
    c->first = arena_array(x->l->a, int, n + 1);
    c->item = arena_array(x->l->a, int, n);
    for (int i = 0; i < n; i++) cell[i] = head_of(x, i) == i ? c->n++ : cell[head_of(x, i)];
    for (int i = 0; i < n; i++) c->first[cell[i] + 1]++;
    for (int k = 0; k < c->n; k++) c->first[k + 1] += c->first[k];
    int *next = arena_array(x->l->scratch, int, c->n + 1);
    for (int k = 0; k < c->n; k++) next[k] = c->first[k];
    for (int i = 0; i < n; i++) c->item[next[cell[i]]++] = i;
    c->n_items = n;
}

// When is the cell live? 0: never.
static expr cell_live(cutter *x, int cell)
{
    const code_cells *c = x->c;
    const cell_items *items = x->items;
    expr live = 0;
    for (int k = c->first[cell]; k < c->first[cell + 1]; k++) {
        int i = c->item[k];
        live = either(x->l->p, live, x->live[items->fire ? items->fire[i] : items->value[i]]);
        if (items->fire && items->follow) live = either(x->l->p, live, items->fire[i]);
    }
    return live;
}

static expr muted(expr_subst *mute, expr e)
{
    return mute ? expr_subst_apply(mute, e) : e;
}

// A cell, with calls that are not to be made left out of it.
static const tape *lower_outputs(cutter *x, int cell, expr_subst *mute, expr live)
{
    lowering *l = x->l;
    const cell_items *items = x->items;
    const code_cells *c = x->c;
    tape_builder *b = tape_builder_new(l->scratch);
    int out = 0;
    lower_begin(l);
    for (int k = c->first[cell]; k < c->first[cell + 1]; k++) {
        int i = c->item[k];
        l->at = items->at[i];
        if (items->fire)
            tape_store(b, tape_out(out++), lower_expr(l, b, muted(mute, items->fire[i])));
        tape_store(b, tape_out(out++), lower_expr(l, b, muted(mute, items->value[i])));
    }
    tape_store(b, tape_out(out), lower_expr(l, b, muted(mute, live ? live : l->p->no)));
    return tape_finish(b, l->a);
}

// When a call in the cell matters; the value of an item with a condition is read where it holds.
static expr calls_of(cutter *x, int cell, const expr *when)
{
    expr_pool *p = x->l->p;
    const cell_items *items = x->items;
    expr due = 0;
    for (int k = x->c->first[cell]; when && k < x->c->first[cell + 1]; k++) {
        int i = x->c->item[k];
        expr value = when[items->value[i]];
        if (items->fire && value) value = expr_3(p, EXPR_IF, items->fire[i], value, p->no);
        if (items->fire) due = either(p, due, when[items->fire[i]]);
        due = either(p, due, value);
    }
    return due;
}

static const tape *lower_question(lowering *l, expr e)
{
    tape_builder *b = tape_builder_new(l->scratch);
    lower_begin(l);
    tape_store(b, tape_out(0), lower_expr(l, b, e));
    return tape_finish(b, l->a);
}

/* The tapes of a cell with calls that do not always matter: those of an impure function, or else of
 * others under conditions. */
static void lower_calls(cutter *x, int cell)
{
    lowering *l = x->l;
    code_cells *c = x->c;
    expr due = x->items->fire ? 0 : calls_of(x, cell, x->calls);
    bool impure = due != 0;
    if (!impure) due = calls_of(x, cell, x->needs);
    if (!due || (!impure && due == l->p->yes)) return;
    c->asks[cell] = lower_question(l, due);
    c->impure[cell] = impure;
    // After an impure call the cell is due again when something changes.
    c->quiet[cell] = lower_outputs(x, cell, &x->mute[impure], impure ? 0 : cell_live(x, cell));
}

/* ---- when-clauses that do not fire ----------------------------------------------------------- */

enum { FIRES_ITEMS_MIN = 8, CLAUSES_MAX = 8 }; // of a cell with `fires`

static bool is_still(const cutter *x, expr e)
{
    return !x->live[e] && !(x->calls && x->calls[e]) && !(x->needs && x->needs[e]);
}

/* Of `if a then ... elseif b then ... else past` a and b, each once; false: it is something else. */
static bool push_clauses(const cutter *x, int item, expr *clause, int *n)
{
    for (expr e = x->items->value[item]; e != x->items->past[item];) {
        const expr_node *node = expr_at(x->l->p, e);
        if (node->op != EXPR_IF || !is_still(x, node->u.arg[0])) return false;
        int k = 0;
        while (k < *n && clause[k] != node->u.arg[0]) k++;
        if (k == CLAUSES_MAX) return false;
        clause[k] = node->u.arg[0];
        if (k == *n) ++*n;
        e = node->u.arg[2];
    }
    return true;
}

static const tape *lower_fires(cutter *x, int cell)
{
    const code_cells *c = x->c;
    expr clause[CLAUSES_MAX], any = x->l->p->no;
    int n = 0;
    if (c->first[cell + 1] - c->first[cell] < FIRES_ITEMS_MIN) return NULL;
    for (int k = c->first[cell]; k < c->first[cell + 1]; k++)
        if (!push_clauses(x, c->item[k], clause, &n)) return NULL;
    for (int k = 0; k < n; k++) any = k ? either(x->l->p, any, clause[k]) : clause[k];
    return lower_question(x->l, any);
}

/* By element of w: the cells that read it, each once. */
static void list_users(cutter *x)
{
    code_cells *c = x->c;
    const expr *fire = x->items->fire, *value = x->items->value;
    lowering *l = x->l;
    dag d;
    dag_init(&d, l->p, l->scratch);
    int_array vars = {0}, slot = {0}, cell = {0};
    int *seen = arena_array(l->scratch, int, l->s->n_w + 1); // cell + 1
    c->n_w = l->s->n_w;
    c->user_start = arena_array(l->a, int, c->n_w + 2);
    for (int k = 0; k < c->n; k++) {
        vars.n = 0;
        dag_vars(&d, l->p->zero, &vars);
        for (int j = c->first[k]; j < c->first[k + 1]; j++) {
            dag_more_vars(&d, value[c->item[j]], &vars);
            if (fire) dag_more_vars(&d, fire[c->item[j]], &vars);
        }
        for (int j = 0; j < vars.n; j++) {
            int at = expr_at(l->p, vars.at[j])->u.var.index - l->s->n_flat;
            if (at < 0 || at >= c->n_w || seen[at] == k + 1) continue;
            seen[at] = k + 1;
            c->user_start[at + 1]++;
            array_push(l->scratch, &slot, at);
            array_push(l->scratch, &cell, k);
        }
    }
    for (int at = 0; at < c->n_w; at++) c->user_start[at + 1] += c->user_start[at];
    c->user = arena_array(l->a, int, slot.n);
    int *next = arena_array(l->scratch, int, c->n_w + 1);
    for (int at = 0; at < c->n_w; at++) next[at] = c->user_start[at];
    for (int k = 0; k < slot.n; k++) c->user[next[slot.at[k]]++] = cell.at[k];
}

static void lower_all_calls(cutter *x)
{
    code_cells *c = x->c;
    lowering *l = x->l;
    x->calls = x->items->fire ? NULL : cell_find_calls(x, true);
    x->needs = cell_find_calls(x, false);
    if (!x->calls && !x->needs) return;
    c->quiet = arena_array(l->a, const tape *, c->n);
    c->asks = arena_array(l->a, const tape *, c->n);
    c->impure = arena_array(l->a, bool, c->n);
    for (int k = 0; k < c->n && !l->failed; k++) lower_calls(x, k);
}

/* ---- long ones ------------------------------------------------------------------------------- */

enum { LONG_MIN = 500 }; // instructions: of shorter tapes events run few

static void list_long(lowering *l, const tape *t, code_fn *f)
{
    code_listed listed = {"a long cell of discrete equations", "", CODE_OFTEN, f};
    if (t && t->n_ins >= LONG_MIN) code_tape(l, &listed, t);
}

static void compile_long(cutter *x)
{
    code_cells *c = x->c;
    lowering *l = x->l;
    int most = 0;
    for (int k = 0; k < c->n; k++)
        if (c->program[k]->n_ins > most) most = c->program[k]->n_ins;
    if (most < LONG_MIN) return;
    c->long_program = arena_array(l->a, code_fn, c->n);
    c->long_quiet = arena_array(l->a, code_fn, c->n);
    for (int k = 0; k < c->n; k++) {
        list_long(l, c->program[k], &c->long_program[k]);
        if (c->quiet) list_long(l, c->quiet[k], &c->long_quiet[k]);
    }
}

bool cell_lower(lowering *l, const cell_items *items, code_cells *c)
{
    cutter x = {.l = l, .c = c, .n_nodes = l->p->n, .items = items};
    int n = items->n;
    *c = (code_cells){0};
    if (!n) return true;
    x.owner = arena_array(l->scratch, int, x.n_nodes);
    x.live = arena_array(l->scratch, expr, x.n_nodes);
    x.join = arena_array(l->scratch, int, n);
    for (int i = 0; i < n; i++) {
        x.join[i] = i;
        claim(&x, items->value[i], i);
        if (items->fire) claim(&x, items->fire[i], i);
    }
    find_moving(&x);
    if (items->follow) cell_find_live(&x);
    number_cells(&x, n);
    list_users(&x);
    l->what = items->what;
    c->program = arena_array(l->a, const tape *, c->n);
    for (int k = 0; k < c->n && !l->failed; k++)
        c->program[k] = lower_outputs(&x, k, NULL, cell_live(&x, k));
    if (items->follow) lower_all_calls(&x);
    if (items->past) c->fires = arena_array(l->a, const tape *, c->n);
    for (int k = 0; c->fires && k < c->n && !l->failed; k++) c->fires[k] = lower_fires(&x, k);
    if (!l->failed) compile_long(&x);
    return !l->failed;
}

static size_t larger_scratch(const tape *t, size_t most)
{
    return t && tape_scratch(t) > most ? tape_scratch(t) : most;
}

size_t cell_scratch(const code_cells *c)
{
    size_t most = 0;
    for (int k = 0; k < c->n; k++) {
        most = larger_scratch(c->program[k], most);
        if (c->asks) most = larger_scratch(c->quiet[k], larger_scratch(c->asks[k], most));
        if (c->fires) most = larger_scratch(c->fires[k], most);
    }
    return most;
}
