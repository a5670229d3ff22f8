/* Does what was recorded satisfy the model?
 *
 * The equations of the flat model are evaluated as they were written, row by row, with the values in the
 * result: what formulation, tapes, method and interpolation made of them has no part in it. Residuals are
 * measured by what the tolerance allows (allowed.h). Initial equations are held against the first row.
 * Discrete variables may change where two rows have one time; one that changes there must have a value
 * that some when-clause, fired or not, gives it with the values before or after. A condition of a when-clause does not
 * become true between rows of different times, for it would be an event. Assertions hold at every row.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/allowed.h"
#include "inspect/inspect.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIES = 256, TEXT_MOST = 200 };

typedef enum claim_kind { ALWAYS, AT_START } claim_kind;

typedef struct claim {
    uint8_t kind;
    bool checked;
    bool fires;    // what a when-clause gives a variable
    expr lhs, rhs; // as written
    int left, right;
    int_array needs;
    const char *why; // it may not be checked; NULL: it can be
    span at;
} claim;

/* The condition of a when-clause. */
typedef struct trigger {
    expr condition;
    int node, before; // before: 1 true, 0 false, -1: too near to tell, or not known
    int_array needs;
    span at;
} trigger;

typedef struct rows {
    const flat_model *m;
    const result *r;
    arena *a;
    allowed x;
    ARRAY(claim) claims;
    ARRAY(trigger) triggers;
    int_array held;     // columns of discrete variables
    int_array held_var; // ... and these
    const claim *worst;
    inspect_recorded *out;
} rows;

/* ---- what is claimed ------------------------------------------------------------------------- */

/* hold(u) of a clock: of u there are values at ticks alone, which rows do not tell. */
static bool holds_clock(const rows *w, const flat_equation *e)
{
    expr sides[2] = {e->lhs, e->rhs};
    int_array nodes = expr_reach(w->m->pool, sides, 2, w->a);
    for (int i = 0; i < nodes.n; i++)
        if (expr_at(w->m->pool, nodes.at[i])->op == EXPR_HOLD) return true;
    return false;
}

/* Error-level assertions of the model; those in when-clauses and functions are made where these are evaluated. */
static void claims_of_asserts(rows *w)
{
    expr_pool *p = w->m->pool;
    for (int i = 0; i < w->m->asserts_written.n; i++) {
        const flat_statement *q = &w->m->asserts_written.at[i];
        if (q->kind != FLAT_ASSERT || !q->level || q->clock || q->call) continue;
        claim c = {.kind = ALWAYS, .lhs = q->value, .rhs = expr_boolean(p, true), .at = q->at};
        array_push(w->a, &w->claims, c);
    }
}

static void claims_of(rows *w, const flat_equations *list, claim_kind kind, const bool *skip)
{
    for (int i = 0; i < list->n; i++) {
        const flat_equation *e = &list->at[i];
        claim c = {.kind = (uint8_t)kind, .lhs = e->lhs, .rhs = e->rhs, .at = e->at};
        const expr_node *left = expr_at(w->m->pool, e->lhs);
        bool hidden =
            left->op == EXPR_VAR && left->u.var.index < w->m->vars.n &&
            flat_at(w->m, left->u.var.index)->flags & FLAT_HIDDEN; // a condition, made later
        if ((skip && skip[i]) || holds_clock(w, e)) continue;
        if (!hidden) array_push(w->a, &w->claims, c);
        trigger q = {.condition = e->rhs, .before = -1, .at = e->at};
        if (hidden && kind == ALWAYS) array_push(w->a, &w->triggers, q);
    }
}

static void prepare_claims(rows *w, double rel_tol, double abs_tol)
{
    int n = w->claims.n, m = w->triggers.n;
    expr *roots = arena_array(w->a, expr, 2 * n + m + 1);
    for (int i = 0; i < m; i++) roots[2 * n + i] = w->triggers.at[i].condition;
    for (int i = 0; i < n; i++) {
        roots[2 * i] = w->claims.at[i].lhs;
        roots[2 * i + 1] = w->claims.at[i].rhs;
    }
    allowed_begin(&w->x, w->m, w->r, rel_tol, abs_tol, roots, 2 * n + m, w->a);
    for (int i = 0; i < m; i++) {
        trigger *q = &w->triggers.at[i];
        q->node = allowed_node_of(&w->x, roots[2 * n + i]);
        q->needs = allowed_needs(&w->x, q->node, q->node, w->a);
        for (int k = 0; k < q->needs.n && q->node >= 0; k++) // made of others, or of the past
            if (allowed_is_hidden(&w->x, q->needs.at[k]) ||
                w->x.nodes.at[q->needs.at[k]].op == EXPR_PRE)
                q->node = -1;
    }
    for (int i = 0; i < n; i++) {
        claim *c = &w->claims.at[i];
        c->left = allowed_node_of(&w->x, roots[2 * i]);
        c->right = allowed_node_of(&w->x, roots[2 * i + 1]);
        c->needs = allowed_needs(&w->x, c->left, c->right, w->a);
        for (int k = 0; k < c->needs.n; k++) c->fires |= allowed_is_hidden(&w->x, c->needs.at[k]);
        const allowed_node *v = &w->x.nodes.at[c->left];
        c->fires = c->fires && v->op == EXPR_VAR && v->column > 0;
        const char *why = allowed_missing(&w->x, c->needs.at, c->needs.n);
        c->why = why;
    }
}

/* ---- residuals ------------------------------------------------------------------------------- */

/* In units of what is allowed; -1: it cannot be told. */
static double ratio(const allowed *x, const claim *c)
{
    double d = fabs(x->value[c->left] - x->value[c->right]),
           off = x->off[c->left] + x->off[c->right];
    if (x->unknown[c->left] || x->unknown[c->right] || isinf(off)) return -1;
    if (x->value[c->left] == x->value[c->right]) return 0;
    return isfinite(d) && off > 0 ? d / off : INFINITY;
}

/* Count on in mixed radix; false after the last. */
static bool next_choice(allowed *x, const int *open, const int *radix, int n)
{
    for (int i = 0; i < n; i++) {
        if (++x->choice[open[i]] < radix[i]) return true;
        x->choice[open[i]] = 0;
    }
    return false;
}

/* The least residual over the alternatives of relations and jumps that are too near to tell. */
static double least_ratio(allowed *x, const claim *c, arena *a)
{
    double best = ratio(x, c);
    if (!(best > INSPECT_ROW_LIMIT)) return best;
    arena_mark mark = arena_here(a);
    int *open = arena_array(a, int, c->needs.n + 1), *radix = arena_array(a, int, c->needs.n + 1);
    int n = 0;
    for (int i = 0; i < c->needs.n; i++) {
        int k = allowed_alternatives(x, c->needs.at[i]);
        if (k > 1) open[n] = c->needs.at[i], radix[n++] = k;
    }
    for (int tries = 0;
         tries < MOST_TRIES && best > INSPECT_ROW_LIMIT && next_choice(x, open, radix, n);
         tries++) {
        allowed_again(x, c->needs.at, c->needs.n);
        best = fmin(best, ratio(x, c)); // -1: with that alternative nothing can be told
    }
    for (int i = 0; i < n; i++) x->choice[open[i]] = 0;
    if (n) allowed_again(x, c->needs.at, c->needs.n);
    arena_release(a, mark);
    return best;
}

static void note(rows *w, claim *c, double found)
{
    inspect_recorded *o = w->out;
    if (found < 0) return;
    c->checked = true;
    if (found <= o->worst) return;
    w->worst = c;
    o->worst = found;
    o->at = c->at;
    o->t = result_time(w->r, w->x.row);
    o->left = w->x.value[c->left];
    o->right = w->x.value[c->right];
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_past(const allowed *x, const claim *c)
{
    for (int i = 0; i < c->needs.n; i++)
        if (x->nodes.at[c->needs.at[i]].op == EXPR_PRE) return true;
    return false;
}

static void check_row(rows *w)
{
    for (int i = 0; i < w->claims.n; i++) {
        claim *c = &w->claims.at[i];
        if (c->kind == AT_START && w->x.row > 0) continue;
        double found = least_ratio(&w->x, c, w->a);
        // The values before the start are not recorded, and an event there may have changed them.
        if (c->kind == AT_START && found > INSPECT_ROW_LIMIT && has_past(&w->x, c)) {
            c->why = "a value before the start";
            continue;
        }
        note(w, c, found);
    }
}

/* Does it depend on another discrete variable, or on something that jumped, too? Then it may have been
 * given its value in a round of the event iteration of which no row tells. */
static bool on_others(const rows *w, const claim *c)
{
    const allowed *x = &w->x;
    for (int i = 0; i < c->needs.n; i++) {
        int k = c->needs.at[i];
        const allowed_node *q = &x->nodes.at[k];
        if (k == c->left || q->op != EXPR_VAR || q->column <= 0) continue;
        if (w->r->columns[q->column].constant) continue;
        double now = result_value(w->r, q->column, x->row);
        if (q->type != TYPE_REAL || now != result_value(w->r, q->column, x->row - 1)) return true;
    }
    return false;
}

/* A variable that jumped has a value that a when-clause gives it. */
static void check_jumps(rows *w)
{
    allowed *x = &w->x;
    for (int i = 0; i < w->claims.n; i++) {
        claim *c = &w->claims.at[i];
        const allowed_node *v = &x->nodes.at[c->left];
        if (!c->fires || x->value[c->left] == result_value(w->r, v->column, x->row - 1)) continue;
        x->jumping = c->left;
        allowed_again(x, c->needs.at, c->needs.n);
        double found = least_ratio(x, c, w->a);
        x->jumping = -1;
        allowed_again(x, c->needs.at, c->needs.n);
        if (found <= INSPECT_ROW_LIMIT || !on_others(w, c)) note(w, c, found);
    }
}

static void find_held(rows *w)
{
    for (int v = 0; v < w->m->vars.n; v++) {
        const flat_var *q = flat_at(w->m, v);
        if (q->variability != FLAT_DISCRETE || q->type == TYPE_STRING) continue;
        int column = result_find(w->r, FLAT_NAME(w->m, v));
        if (column < 0 || w->r->columns[column].constant) continue;
        array_push(w->a, &w->held, column);
        array_push(w->a, &w->held_var, v);
    }
}

static int truth_of(const rows *w, const trigger *q)
{
    if (q->node < 0 || w->x.unknown[q->node]) return -1;
    for (int i = 0; i < q->needs.n; i++)
        if (w->x.unknown[q->needs.at[i]] ||
            allowed_alternatives((allowed *)&w->x, q->needs.at[i]) > 1)
            return -1;
    return w->x.value[q->node] != 0;
}

/* A when-clause whose condition becomes true between rows should have fired at an event, which has rows of its own. */
static void check_triggers(rows *w, bool event)
{
    inspect_recorded *o = w->out;
    for (int i = 0; i < w->triggers.n; i++) {
        trigger *q = &w->triggers.at[i];
        int now = truth_of(w, q);
        if (!event && now == 1 && q->before == 0 && o->worst < INFINITY) {
            text t;
            text_init(&t, w->a->m);
            text_add(&t, "when ");
            expr_print(w->m->pool, q->condition, EXPR_MODELICA, 0, &t);
            w->worst = NULL;
            o->worst = INFINITY;
            o->claim = arena_strndup(w->a, text_str(&t), t.n);
            text_done(&t);
            o->at = q->at;
            o->t = result_time(w->r, w->x.row);
            o->left = 0;
            o->right = 1;
        }
        q->before = now;
    }
}

/* Between events discrete variables keep their values. */
static void check_held(rows *w, size_t row)
{
    inspect_recorded *o = w->out;
    for (int i = 0; i < w->held.n && o->worst < INFINITY; i++) {
        double before = result_value(w->r, w->held.at[i], row - 1);
        double now = result_value(w->r, w->held.at[i], row);
        if (before == now) continue;
        const flat_var *q = flat_at(w->m, w->held_var.at[i]);
        w->worst = NULL;
        o->worst = INFINITY;
        o->claim = flat_name_in(w->m, w->held_var.at[i], w->a);
        o->at = q->decl->at;
        o->t = result_time(w->r, row);
        o->left = before;
        o->right = now;
    }
}

static void name_worst(rows *w)
{
    text t;
    if (!w->worst) return;
    text_init(&t, w->a->m);
    expr_print_equation(w->m->pool, w->worst->lhs, w->worst->rhs, TEXT_MOST, &t);
    w->out->claim = arena_strndup(w->a, text_str(&t), t.n);
    text_done(&t);
}

void inspect_rows(const flat_model *model, const result *r, double rel_tol, double abs_tol,
                  const bool *skip, arena *a, inspect_recorded *out)
{
    const flat_model *m = flat_in_full(model, a);
    rows w = {.m = m, .r = r, .a = a, .out = out};
    *out = (inspect_recorded){.n_rows = r->n_rows};
    claims_of(&w, &m->equations, ALWAYS, skip);
    claims_of(&w, &m->initial_equations, AT_START, NULL);
    claims_of_asserts(&w);
    out->n_claims = w.claims.n;
    find_held(&w);
    prepare_claims(&w, rel_tol, abs_tol);
    for (size_t row = 0; row < r->n_rows; row++) {
        allowed_at(&w.x, row);
        check_row(&w);
        bool event = row && result_time(r, row) == result_time(r, row - 1);
        check_triggers(&w, event);
        if (!row) continue;
        if (event) check_jumps(&w);
        else check_held(&w, row);
    }
    for (int i = 0; i < out->n_claims; i++) {
        const claim *c = &w.claims.at[i];
        out->n_checked += c->checked;
        if (!c->checked) out->unchecked = c->why ? c->why : "a value that no row tells";
    }
    name_worst(&w);
}
