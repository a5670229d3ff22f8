/* String variables are what their equations say they are.
 *
 * A text is no number and has no place among the unknowns. Where an equation or the end of an
 * algorithm section gives a String variable its value, every use of the variable becomes that value;
 * variables that equations set equal share it. A comparison of texts then becomes one of numbers:
 * "#" + String(n) == "#12" says n == 12, and a comparison with a choice is a choice of comparisons.
 * What remains is written out where a message needs it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED_MAX = 1000 }; // comparisons that one comparison becomes

typedef struct string_table {
    analysis *w;
    int *up;             // by flat variable: one that is equal to it, at the end itself
    expr *value;         // of the last one: its definition, 0: none
    bool *busy;          // it is being followed
    int *given_by;       // of the last one: its equation
    bool *held;          // of the last one: a when-clause gives it values
    bool *consumed;      // by flat equation
    flat_equations more; // of hidden variables
    int compared;
    dag_rewriter rewriter;
} string_table;

static bool is_string_var(const analysis *w, expr e)
{
    const expr_node *n = expr_at(w->p, e);
    return n->op == EXPR_VAR && n->type == TYPE_STRING && n->u.var.index < w->m->vars.n;
}

static int string_root(string_table *t, int v)
{
    while (t->up[v] != v) v = t->up[v] = t->up[t->up[v]];
    return v;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* A piece of a text that is known. */
typedef struct piece {
    const char *at;
    size_t n;
} piece;

static piece literal_text(const expr_pool *p, expr e)
{
    const expr_node *n = expr_at(p, e);
    return n->op == EXPR_STRING ? (piece){n->u.string, strlen(n->u.string)} : (piece){0};
}

static bool piece_is(piece x, const char *word)
{
    return strlen(word) == x.n && !memcmp(x.at, word, x.n);
}

/* The word without the spaces that fill it up to its least length: 1; 0: it is too short or has
 * others; -1: the length is not known. */
static int without_filling(const expr_pool *p, expr e, piece *word)
{
    double width = 0, left = 1;
    const expr *arg = expr_args(p, e);
    int n = expr_arity(p, e);
    if (n > 1 && !expr_number(p, arg[1], &width)) return -1;
    if (n > 2 && !expr_number(p, arg[2], &left)) return -1;
    size_t all = word->n;
    while (left == 0 && word->n && word->at[0] == ' ') word->at++, word->n--;
    while (left != 0 && word->n && word->at[word->n - 1] == ' ') word->n--;
    return word->n == all ? (double)all >= width : (double)all == width;
}

/* String(e, minimumLength, leftJustified) == word; 0: there is no such number to compare with. */
static expr compare_converted(string_table *t, expr converted, piece word)
{
    expr_pool *p = t->w->p;
    expr e = expr_args(p, converted)[0];
    const expr_node n = *expr_at(p, e);
    if (n.type == TYPE_REAL || n.type == TYPE_STRING) return 0;
    if (expr_arity(p, converted) == 2 && expr_at(p, expr_args(p, converted)[1])->op == EXPR_STRING)
        return 0; // a format
    int filled = without_filling(p, converted, &word);
    if (filled <= 0) return filled < 0 ? 0 : p->no;
    if (n.type == TYPE_BOOLEAN) {
        if (piece_is(word, "true")) return e;
        return piece_is(word, "false") ? expr_1(p, EXPR_NOT, e) : p->no;
    }
    if (n.type == TYPE_ENUM) {
        const flat_enumeration *of = &t->w->m->enums.at[n.enum_id];
        for (int i = 0; i < of->n; i++)
            if (piece_is(word, of->literals[i]))
                return expr_2(p, EXPR_EQ, e, expr_enum(p, n.enum_id, i + 1));
        return p->no;
    }
    char same[32] = {0};
    if (word.n >= sizeof same) return p->no;
    memcpy(same, word.at, word.n);
    long long k = strtoll(same, NULL, 10);
    snprintf(same, sizeof same, "%lld", k);
    return piece_is(word, same) ? expr_2(p, EXPR_EQ, e, expr_integer(p, k)) : p->no;
}

/* e == word as a comparison of numbers, or 0. */
static expr compare_with(string_table *t, expr e, piece word)
{
    expr_pool *p = t->w->p;
    const expr_node n = *expr_at(p, e);
    piece x = literal_text(p, e);
    if (++t->compared > COMPARED_MAX) return 0;
    if (x.at) return x.n == word.n && !memcmp(x.at, word.at, x.n) ? p->yes : p->no;
    if (n.op == EXPR_IF) {
        expr yes = compare_with(t, n.u.arg[1], word), no = compare_with(t, n.u.arg[2], word);
        return yes && no ? expr_3(p, EXPR_IF, n.u.arg[0], yes, no) : 0;
    }
    if (n.op == EXPR_TOSTRING) return compare_converted(t, e, word);
    if (n.op != EXPR_ADD) return 0;
    piece first = literal_text(p, n.u.arg[0]), last = literal_text(p, n.u.arg[1]);
    if (first.at) {
        if (first.n > word.n || memcmp(first.at, word.at, first.n)) return p->no;
        return compare_with(t, n.u.arg[1], (piece){word.at + first.n, word.n - first.n});
    }
    if (!last.at) return 0;
    size_t rest = word.n - last.n;
    if (last.n > word.n || memcmp(last.at, word.at + rest, last.n)) return p->no;
    return compare_with(t, n.u.arg[0], (piece){word.at, rest});
}

/* a == b as a comparison of numbers, or 0. */
static expr compare_texts(string_table *t, expr a, expr b)
{
    expr_pool *p = t->w->p;
    if (a == b) return p->yes;
    if (literal_text(p, b).at) return compare_with(t, a, literal_text(p, b));
    if (literal_text(p, a).at) return compare_with(t, b, literal_text(p, a));
    if (++t->compared > COMPARED_MAX) return 0;
    if (expr_at(p, a)->op != EXPR_IF) {
        expr swap = a;
        a = b;
        b = swap;
    }
    const expr_node n = *expr_at(p, a);
    if (n.op != EXPR_IF) return 0;
    expr yes = compare_texts(t, n.u.arg[1], b), no = compare_texts(t, n.u.arg[2], b);
    return yes && no ? expr_3(p, EXPR_IF, n.u.arg[0], yes, no) : 0;
}

static expr string_after(void *user, expr old, expr rebuilt)
{
    string_table *t = user;
    expr_pool *p = t->w->p;
    (void)old;
    const expr_node n = *expr_at(p, rebuilt);
    if (n.op != EXPR_EQ && n.op != EXPR_NE) return rebuilt;
    if (expr_at(p, n.u.arg[0])->type != TYPE_STRING) return rebuilt;
    t->compared = 0;
    expr same = compare_texts(t, n.u.arg[0], n.u.arg[1]);
    if (!same) return rebuilt;
    return n.op == EXPR_EQ ? same : expr_1(p, EXPR_NOT, same);
}

/* ---- definitions ----------------------------------------------------------------------------- */

static expr string_before(void *user, expr e)
{
    string_table *t = user;
    if (!is_string_var(t->w, e)) return 0;
    int v = string_root(t, expr_at(t->w->p, e)->u.var.index);
    if (!t->value[v] || t->busy[v]) return e;
    t->busy[v] = true;
    t->value[v] = dag_rewrite(&t->rewriter, t->value[v]);
    t->busy[v] = false;
    return t->value[v];
}

/* Does e contain a past value of a String? Then it is no definition. */
static bool has_past(analysis *w, expr e)
{
    arena_mark here = arena_here(w->scratch);
    int_array nodes = expr_reach(w->p, &e, 1, w->scratch);
    bool found = false;
    for (int i = 0; i < nodes.n && !found; i++) {
        const expr_node *n = expr_at(w->p, nodes.at[i]);
        found = n->op == EXPR_PRE && n->type == TYPE_STRING;
    }
    arena_release(w->scratch, here);
    return found;
}

static bool string_report(string_table *t, const flat_equation *e, int v)
{
    const flat_model *m = t->w->m;
    diag_error(t->w->sink, "S154", e->at,
               "this equation gives the String '%s' a value, but it has one already; remove one of "
               "the two",
               FLAT_NAME(m, v));
    diag_note(t->w->sink, m->equations.at[t->given_by[v]].at, "the other one is here");
    return false;
}

/* s1 = s2 */
static bool string_unite(string_table *t, int i, int a, int b)
{
    a = string_root(t, a);
    b = string_root(t, b);
    if (a == b || (t->value[a] && t->value[b]))
        return string_report(t, &t->w->m->equations.at[i], a);
    int keep = t->value[b] ? b : a;
    t->up[keep == a ? b : a] = keep;
    t->consumed[i] = true;
    if (!t->value[keep]) t->given_by[keep] = i;
    return true;
}

static bool string_define(string_table *t, int i)
{
    analysis *w = t->w;
    const flat_equation *e = &w->m->equations.at[i];
    bool left = is_string_var(w, e->lhs), right = is_string_var(w, e->rhs);
    if (left && right)
        return string_unite(t, i, expr_at(w->p, e->lhs)->u.var.index,
                            expr_at(w->p, e->rhs)->u.var.index);
    if (!left && !right) return true; // it can only be checked
    expr value = left ? e->rhs : e->lhs;
    int v = string_root(t, expr_at(w->p, left ? e->lhs : e->rhs)->u.var.index);
    t->consumed[i] = true;
    if (has_past(w, value)) {
        t->given_by[v] = i;
        return t->held[v] = true;
    }
    if (t->value[v]) return string_report(t, e, v);
    t->value[v] = value;
    t->given_by[v] = i;
    return true;
}

static bool strings_occur(const analysis *w)
{
    for (int i = 1; i < w->p->n; i++) {
        const expr_node *n = &w->p->node[i];
        if (n->op == EXPR_VAR && n->type == TYPE_STRING) return true;
        if (n->op == EXPR_TOSTRING) return true;
    }
    return false;
}

static bool find_definitions(string_table *t)
{
    analysis *w = t->w;
    bool ok = true;
    for (int v = 0; v < w->m->vars.n; v++) {
        const flat_var *x = flat_at(w->m, v);
        t->up[v] = v;
        if (x->type == TYPE_STRING && x->variability <= FLAT_PARAMETER) t->value[v] = x->binding;
    }
    for (int i = 0; i < w->m->equations.n; i++) {
        const flat_equation *e = &w->m->equations.at[i];
        if (expr_at(w->p, e->lhs)->type == TYPE_STRING) ok = string_define(t, i) && ok;
    }
    for (int v = 0; v < w->m->vars.n && ok; v++) {
        const flat_var *x = flat_at(w->m, v);
        int r = string_root(t, v);
        if (x->type != TYPE_STRING || x->variability <= FLAT_PARAMETER) continue;
        if (t->value[r] || t->held[r] || x->causality == FLAT_INPUT) continue;
        diag_error(w->sink, "S101", x->decl->at, "no equation determines the String '%s'",
                   FLAT_NAME(w->m, v));
        ok = false;
    }
    return ok;
}

/* Strings of when-clauses, after all others are known. */
static void hold_strings(string_table *t)
{
    analysis *w = t->w;
    int n = w->m->vars.n;
    for (int v = 0; v < n; v++) {
        if (flat_at(w->m, v)->type != TYPE_STRING || !t->held[v] || string_root(t, v) != v)
            continue;
        flat_equation e = w->m->equations.at[t->given_by[v]];
        bool left = is_string_var(w, e.lhs);
        expr value = left ? e.rhs : e.lhs;
        t->value[v] = structure_held_text(w, v, &e, value, &t->rewriter, &t->more);
    }
}

/* t NULL: no text depends on another one. */
static void list_strings(analysis *w, string_table *t)
{
    for (int v = 0; v < w->m->vars.n; v++) {
        const flat_var *x = flat_at(w->m, v);
        if (x->type != TYPE_STRING) continue;
        structure_string q = {v, t ? t->value[string_root(t, v)] : x->binding};
        if (q.value && t) q.value = dag_rewrite(&t->rewriter, q.value);
        if (q.value) array_push(w->s->a, &w->s->strings, q);
    }
}

bool structure_strings(analysis *w)
{
    flat_model *m = w->m;
    if (!strings_occur(w)) {
        list_strings(w, NULL);
        return true;
    }
    string_table t = {.w = w};
    flat_own(m, w->a);
    flat_write_out(m, w->a);
    t.up = arena_array(w->scratch, int, m->vars.n + 1);
    t.value = arena_array(w->scratch, expr, m->vars.n + 1);
    t.busy = arena_array(w->scratch, bool, m->vars.n + 1);
    t.held = arena_array(w->scratch, bool, m->vars.n + 1);
    t.given_by = arena_array(w->scratch, int, m->vars.n + 1);
    t.consumed = arena_array(w->scratch, bool, m->equations.n + 1);
    dag_rewriter_init(&t.rewriter, &w->d, &t);
    t.rewriter.before = string_before;
    t.rewriter.after = string_after;
    if (!find_definitions(&t)) return false;
    hold_strings(&t);
    int n = 0, written = w->n_as_written;
    for (int i = 0; i < m->equations.n; i++) {
        flat_equation e = m->equations.at[i];
        if (i < written && t.consumed[i]) w->n_as_written--;
        if (t.consumed[i]) continue;
        e.lhs = dag_rewrite(&t.rewriter, e.lhs);
        e.rhs = dag_rewrite(&t.rewriter, e.rhs);
        m->equations.at[n++] = e;
    }
    m->equations.n = n;
    for (int i = 0; i < t.more.n; i++) {
        flat_equation e = t.more.at[i];
        e.rhs = dag_rewrite(&t.rewriter, e.rhs);
        array_push(w->a, &m->equations, e);
    }
    for (int i = 0; i < m->initial_equations.n; i++) {
        flat_equation *e = &m->initial_equations.at[i];
        e->lhs = dag_rewrite(&t.rewriter, e->lhs);
        e->rhs = dag_rewrite(&t.rewriter, e->rhs);
    }
    n = 0;
    for (int i = 0; i < w->s->actions.n; i++) {
        structure_action a = w->s->actions.at[i];
        if (a.fire) a.fire = dag_rewrite(&t.rewriter, a.fire);
        if (a.value) a.value = dag_rewrite(&t.rewriter, a.value);
        if (a.message) a.message = dag_rewrite(&t.rewriter, a.message);
        if (a.kind != FLAT_ASSERT || a.value != w->p->yes) w->s->actions.at[n++] = a;
    }
    w->s->actions.n = n;
    for (int v = 0; v < m->vars.n; v++) {
        flat_var x = *flat_at(m, v);
        if (!x.binding || x.type == TYPE_STRING) continue;
        x.binding = dag_rewrite(&t.rewriter, x.binding);
        flat_vars_put(&m->vars, w->a, v, x);
    }
    list_strings(w, &t);
    return true;
}
