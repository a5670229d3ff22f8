/* Following variables to the coordinates of a mechanical system.
 *
 * Equations are taken one after another, each for the one unknown it has left, as long as there is
 * such an equation: that reaches definitions through any number of levels, connections and
 * functions. What then is left is matched, equations to unknowns, or to derivatives of those that
 * are differentiated.
 *
 * - Unknowns that equations without coordinates determine, directly and through others, are
 *   independent of q.
 * - Where every equation of a part (it shares no unknown with the rest) is matched, the variables
 *   that are differentiated are states of their own, at fixed q as good as given. Their derivatives
 *   are unknowns, and definitions are followed once more.
 * - Everything else is open. It is never taken as independent; who needs it is refused.
 *
 * An unknown is a variable (order 0) or the derivative of a state (order 1). The derivative of a
 * variable that is defined is the total derivative of its definition.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "equation/follow.h"

#include "graph/graph.h"

#include <string.h>

typedef enum standing {
    OPEN,
    FREE_OF_Q,  // independent of the coordinates
    COORDINATE, // one of q
    DEFINED,    // by q: value[key] says how
    NO_VALUE    // by q, but not differentiable
} standing;

typedef struct follow_row {
    expr lhs, rhs;
    span at;
    int first, n; // keys: f->key.at[first ...]
    int open;     // keys that are OPEN
    bool blocked; // it cannot be solved: part of an algorithm, or second derivatives
    bool used;    // it defines an unknown
} follow_row;

/* By key, 2*variable + order. */
struct follow {
    flat_builder *b;
    int n_keys;
    uint8_t *standing;
    expr *value;
    int_array key;
    ARRAY(follow_row) rows;
    graph_pattern rows_of; // by key
    int_array ready;       // rows that may have one unknown left
    bool states_known;     // derivatives of states are unknowns
    expr_subst definitions;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static expr follow_var(const follow *f, int key)
{
    return expr_var(f->b->pool, key / 2, key % 2, TYPE_REAL, 0);
}

static void add_key(follow *f, follow_row *r, int key)
{
    for (int i = r->first; i < f->key.n; i++)
        if (f->key.at[i] == key) return;
    array_push(f->b->scratch, &f->key, key);
}

static void add_keys(follow *f, follow_row *r, const expr *e, int n)
{
    flat_builder *b = f->b;
    int_array vars = expr_vars(b->pool, e, n, b->scratch);
    for (int i = 0; i < vars.n; i++) {
        const expr_node *x = expr_at(b->pool, vars.at[i]);
        if (x->type != TYPE_REAL) continue; // constant between events
        if (x->u.var.index >= b->m->vars.n) continue;
        r->blocked = r->blocked || x->u.var.order > 1;
        add_key(f, r, 2 * x->u.var.index + (x->u.var.order > 0));
    }
}

static void add_row(follow *f, follow_row r)
{
    r.n = f->key.n - r.first;
    array_push(f->b->scratch, &f->rows, r);
}

// der(expression) becomes the derivatives of variables.
static expr write_out_der(follow *f, expr e)
{
    flat_builder *b = f->b;
    if (!b->pool->has_der) return e;
    expr_subst s;
    expr_subst_init(&s, b->pool, b->scratch);
    int_array nodes = expr_reach(b->pool, &e, 1, b->scratch);
    for (int i = 0; i < nodes.n; i++) {
        if (expr_at(b->pool, nodes.at[i])->op != EXPR_DER) continue;
        expr arg = expr_subst_apply(&s, expr_at(b->pool, nodes.at[i])->u.arg[0]), out = 0;
        if (expr_total_diff(b->pool, &arg, 1, b->scratch, &out, NULL))
            expr_subst_set(&s, nodes.at[i], out);
    }
    return expr_subst_apply(&s, e);
}

static void read_equations(follow *f)
{
    const flat_model *m = f->b->m;
    for (int i = 0; i < m->equations.n; i++) {
        const flat_equation *e = &m->equations.at[i];
        expr side[2] = {write_out_der(f, e->lhs), write_out_der(f, e->rhs)};
        follow_row r = {.lhs = side[0], .rhs = side[1], .at = e->at, .first = f->key.n};
        add_keys(f, &r, side, 2);
        add_row(f, r);
    }
}

static void read_statements(follow *f, follow_row *r, const flat_statements *body, int_array *set)
{
    for (int i = 0; i < body->n; i++) {
        const flat_statement *st = &body->at[i];
        if (st->value) add_keys(f, r, &st->value, 1);
        if (st->kind == FLAT_ASSIGN && flat_at(f->b->m, st->var)->type == TYPE_REAL) {
            add_key(f, r, 2 * st->var);
            array_push(f->b->scratch, set, st->var);
        }
        for (int k = 0; k < st->branches.n; k++) {
            if (st->branches.at[k].condition) add_keys(f, r, &st->branches.at[k].condition, 1);
            read_statements(f, r, &st->branches.at[k].body, set);
        }
    }
}

/* An algorithm section ties all it reads to all it assigns: one row for each variable assigned. */
static void read_algorithms(follow *f)
{
    flat_builder *b = f->b;
    for (int i = 0; i < b->m->algorithms.n; i++) {
        const flat_algorithm *a = &b->m->algorithms.at[i];
        if (a->initial) continue;
        follow_row r = {.at = a->at, .first = f->key.n, .blocked = true};
        int_array set = {0};
        read_statements(f, &r, &a->body, &set);
        for (int k = 0; k < set.n; k++) {
            bool again = false;
            for (int j = 0; j < k; j++) again = again || set.at[j] == set.at[k];
            if (!again) add_row(f, r);
        }
    }
}

static void index_rows(follow *f)
{
    arena *a = f->b->scratch;
    graph_pattern g = {.n_rows = f->rows.n, .n_cols = f->n_keys};
    g.start = arena_array(a, int, f->rows.n + 1);
    int_array col = {0};
    for (int i = 0; i < f->rows.n; i++) {
        g.start[i] = col.n;
        for (int k = 0; k < f->rows.at[i].n; k++)
            array_push(a, &col, f->key.at[f->rows.at[i].first + k]);
    }
    g.start[f->rows.n] = col.n;
    g.col = col.at;
    f->rows_of = graph_transpose(&g, a);
}

static void count_open(follow *f)
{
    for (int i = 0; i < f->rows.n; i++) {
        follow_row *r = &f->rows.at[i];
        r->open = 0;
        for (int k = 0; k < r->n; k++) r->open += f->standing[f->key.at[r->first + k]] == OPEN;
        if (r->open == 1) array_push(f->b->scratch, &f->ready, i);
    }
}

/* ---- definitions ----------------------------------------------------------------------------- */

static void close_key(follow *f, int key, standing s)
{
    if (f->standing[key] != OPEN) return;
    f->standing[key] = (uint8_t)s;
    for (int k = f->rows_of.start[key]; k < f->rows_of.start[key + 1]; k++) {
        follow_row *r = &f->rows.at[f->rows_of.col[k]];
        if (--r->open == 1) array_push(f->b->scratch, &f->ready, f->rows_of.col[k]);
    }
}

static bool depends_on_q(const follow *f, int key)
{
    return f->standing[key] == COORDINATE || f->standing[key] == DEFINED ||
           f->standing[key] == NO_VALUE;
}

// der(z) of a variable that is defined, when it is first asked for.
static bool have_derivative(follow *f, int key)
{
    flat_builder *b = f->b;
    if (f->standing[key] != DEFINED || f->value[key]) return f->standing[key] != NO_VALUE;
    expr d = 0;
    if (!expr_total_diff(b->pool, &f->value[key - 1], 1, b->scratch, &d, NULL)) {
        f->standing[key] = NO_VALUE;
        return false;
    }
    // States of other parts are in it, and their derivatives may depend on q.
    int_array vars = expr_vars(b->pool, &d, 1, b->scratch);
    for (int i = 0; i < vars.n; i++) {
        const expr_node *x = expr_at(b->pool, vars.at[i]);
        if (x->type != TYPE_REAL || x->u.var.order != 1) continue;
        int inner = 2 * x->u.var.index + 1;
        if (f->standing[inner] == OPEN || f->standing[inner] == NO_VALUE) {
            f->standing[key] = NO_VALUE;
            return false;
        }
    }
    f->value[key] = expr_subst_apply(&f->definitions, d);
    expr_subst_set(&f->definitions, follow_var(f, key), f->value[key]);
    return true;
}

static void define(follow *f, int key, expr solved)
{
    f->value[key] = expr_subst_apply(&f->definitions, solved);
    expr_subst_set(&f->definitions, follow_var(f, key), f->value[key]);
    close_key(f, key, DEFINED);
    if (key % 2 == 0) close_key(f, key + 1, DEFINED);
}

static void solve_row(follow *f, follow_row *r)
{
    int key = -1;
    bool by_q = false;
    for (int k = 0; k < r->n; k++) {
        int x = f->key.at[r->first + k];
        if (f->standing[x] == OPEN) key = x;
        else by_q = by_q || depends_on_q(f, x);
    }
    if (key % 2 && !f->states_known) return;
    if (!by_q) {
        r->used = true;
        close_key(f, key, FREE_OF_Q);
        if (key % 2 == 0) close_key(f, key + 1, FREE_OF_Q);
        return;
    }
    if (r->blocked) return;
    for (int k = 0; k < r->n; k++) {
        int x = f->key.at[r->first + k];
        if (x != key && !have_derivative(f, x)) return;
    }
    expr solved = expr_solve_affine(f->b->pool, r->lhs, r->rhs, follow_var(f, key), f->b->scratch);
    if (!solved) return;
    r->used = true;
    define(f, key, solved);
}

static void take_definitions(follow *f)
{
    while (f->ready.n) {
        follow_row *r = &f->rows.at[array_last(&f->ready)];
        f->ready.n--;
        if (!r->used && r->open == 1) solve_row(f, r);
    }
}

/* ---- what is left ---------------------------------------------------------------------------- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static bool is_left(const follow_row *r)
{
    return !r->used && r->open > 0;
}

/* Rows that are left, joined by the open variables they share: parent[variable]. */
static int *join_parts(follow *f)
{
    int n = f->n_keys / 2, *parent = arena_array(f->b->scratch, int, n + 1);
    for (int v = 0; v < n; v++) parent[v] = v;
    for (int i = 0; i < f->rows.n; i++) {
        const follow_row *r = &f->rows.at[i];
        int first = -1;
        for (int k = 0; is_left(r) && k < r->n; k++) {
            int key = f->key.at[r->first + k];
            if (f->standing[key] != OPEN) continue;
            if (first >= 0) parent[root_of(parent, key / 2)] = root_of(parent, first);
            first = key / 2;
        }
    }
    return parent;
}

/* Rows that are left against what they can determine: derivatives where there are any. */
static graph_matching match_rows(follow *f, const bool *differentiated)
{
    arena *a = f->b->scratch;
    graph_pattern g = {.n_rows = f->rows.n, .n_cols = f->n_keys};
    g.start = arena_array(a, int, f->rows.n + 1);
    int_array col = {0};
    for (int i = 0; i < f->rows.n; i++) {
        const follow_row *r = &f->rows.at[i];
        g.start[i] = col.n;
        for (int k = 0; is_left(r) && k < r->n; k++) {
            int key = f->key.at[r->first + k];
            if (f->standing[key] == OPEN && (key % 2 || !differentiated[key / 2]))
                array_push(a, &col, key);
        }
    }
    g.start[f->rows.n] = col.n;
    g.col = col.at;
    return graph_match(&g, NULL, a, a);
}

static void spread(const follow *f, const graph_matching *match, int_array *queue, bool *touched)
{
    while (queue->n) {
        int v = array_last(queue);
        queue->n--;
        for (int key = 2 * v; key < 2 * v + 2; key++)
            for (int k = f->rows_of.start[key]; k < f->rows_of.start[key + 1]; k++) {
                int row = f->rows_of.col[k], col = match->col_of[row];
                if (!is_left(&f->rows.at[row]) || col < 0 || touched[col / 2]) continue;
                touched[col / 2] = true;
                array_push(f->b->scratch, queue, col / 2);
            }
    }
}

/* By variable: may it depend on q? One that no row determines may; one whose row contains q or such
 * a variable, too. The others are determined by a square part of the rows without q. */
static bool *touched_by_q(follow *f, const graph_matching *match, const bool *differentiated)
{
    arena *a = f->b->scratch;
    int n = f->n_keys / 2;
    bool *touched = arena_array(a, bool, n + 1);
    int_array queue = {0};
    for (int v = 0; v < n; v++) {
        int row = match->row_of[2 * v + differentiated[v]];
        touched[v] = f->standing[2 * v] == OPEN && row < 0;
        for (int k = 0; row >= 0 && k < f->rows.at[row].n; k++)
            touched[v] = touched[v] || depends_on_q(f, f->key.at[f->rows.at[row].first + k]);
        if (touched[v]) array_push(a, &queue, v);
    }
    spread(f, match, &queue, touched);
    return touched;
}

static void judge_parts(follow *f)
{
    arena *a = f->b->scratch;
    int n = f->n_keys / 2, *parent = join_parts(f);
    bool *irregular = arena_array(a, bool, n + 1), *differentiated = arena_array(a, bool, n + 1);
    for (int v = 0; v < n; v++) irregular[v] = differentiated[v] = false;
    for (int i = 0; i < f->rows.n; i++)
        for (int k = 0; is_left(&f->rows.at[i]) && k < f->rows.at[i].n; k++) {
            int key = f->key.at[f->rows.at[i].first + k];
            if (key % 2 && f->standing[key] == OPEN) differentiated[key / 2] = true;
        }
    graph_matching match = match_rows(f, differentiated);
    for (int i = 0; i < f->rows.n; i++) {
        const follow_row *r = &f->rows.at[i];
        for (int k = 0; is_left(r) && match.col_of[i] < 0 && k < r->n; k++) {
            int key = f->key.at[r->first + k];
            if (f->standing[key] == OPEN) irregular[root_of(parent, key / 2)] = true;
        }
    }
    const bool *touched = touched_by_q(f, &match, differentiated);
    for (int v = 0; v < n; v++) {
        if (f->standing[2 * v] != OPEN) continue;
        bool state = differentiated[v] && !irregular[root_of(parent, v)];
        if (!touched[v] || state) close_key(f, 2 * v, FREE_OF_Q);
        if (!touched[v]) close_key(f, 2 * v + 1, FREE_OF_Q);
    }
}

follow *follow_new(flat_builder *b, const expr *q, int n, const bool *independent)
{
    follow *f = arena_new(b->scratch, follow);
    *f = (follow){.b = b, .n_keys = 2 * b->m->vars.n};
    f->standing = arena_array(b->scratch, uint8_t, f->n_keys + 1);
    f->value = arena_array(b->scratch, expr, f->n_keys + 1);
    for (int k = 0; k < f->n_keys; k++) {
        f->standing[k] = independent[k / 2] ? FREE_OF_Q : OPEN;
        f->value[k] = 0;
    }
    for (int i = 0; i < n; i++)
        for (int order = 0; order < 2; order++)
            f->standing[2 * expr_at(b->pool, q[i])->u.var.index + order] = COORDINATE;
    expr_subst_init(&f->definitions, b->pool, b->scratch);
    read_equations(f);
    read_algorithms(f);
    index_rows(f);
    count_open(f);
    take_definitions(f);
    judge_parts(f);
    f->states_known = true;
    count_open(f);
    take_definitions(f);
    return f;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void refuse(follow *f, int key, const char *what, span at)
{
    flat_builder *b = f->b;
    const char *name = FLAT_NAME(b->m, key / 2);
    const follow_row *found = NULL;
    for (int i = 0; i < f->rows.n && !found; i++) {
        const follow_row *r = &f->rows.at[i];
        for (int k = 0; k < r->n && !found; k++)
            if (!r->used && f->key.at[r->first + k] / 2 == key / 2) found = r;
    }
    const char *why = "no equation of the model determines it";
    if (f->standing[key] == NO_VALUE) why = "its definition cannot be differentiated";
    else if (found && !found->lhs) why = "it is computed in an algorithm section";
    else if (found) why = "its equations cannot be solved for one unknown after another";
    diag_error(b->diags, "M447", at,
               "'%s' contains %s%s%s, which cannot be followed to the coordinates 'q': %s; write "
               "it as an expression of q, der(q) and time, or add it to 'q' with a constraint in "
               "'Phi'",
               what, key % 2 ? "der(" : "'", name, key % 2 ? ")" : "'", why);
    if (found)
        diag_note(b->diags, found->at,
                  found->lhs ? "'%s' is in this equation" : "'%s' is assigned here", name);
}

expr follow_to_coordinates(follow *f, expr e, const char *what, span at)
{
    flat_builder *b = f->b;
    int_array vars = expr_vars(b->pool, &e, 1, b->scratch);
    for (int i = 0; i < vars.n; i++) {
        const expr_node *x = expr_at(b->pool, vars.at[i]);
        if (x->type != TYPE_REAL || x->u.var.order > 1 || expr_var_is_constant(b->pool, vars.at[i]))
            continue;
        int key = 2 * x->u.var.index + x->u.var.order;
        if (f->standing[key] != OPEN && have_derivative(f, key)) continue;
        refuse(f, key, what, at);
        return 0;
    }
    return expr_subst_apply(&f->definitions, e);
}
