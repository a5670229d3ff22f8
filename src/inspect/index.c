/* The numerical index at a point: by ranks of the derivative array.
 *
 * With F and its first k total derivatives in hand, the derivatives x' are determined by t and x if
 * and only if their columns in the Jacobian of the array are independent of each other and of the
 * columns of all higher derivatives: rank [T H] = n + rank H. The index is the smallest such k (S.
 * L. Campbell and C. W. Gear, Numer. Math. 72 (1995) 173-196). Done for each block of the model as
 * written, with what comes from other blocks taken as given: the largest of these numbers is a lower
 * bound. How far each block must be differentiated so that it gives others the derivatives they need is
 * an upper bound. Offsets alone can be arbitrarily far above the index (G. Reissig, W. S. Martinson
 * and P. I. Barton, SIAM J. Sci. Comput. 21 (2000) 1987-1990), because derivatives that other blocks
 * contain may cancel: where the bounds differ, the array of all equations decides.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "inspect/point.h"
#include "inspect/sparse_rank.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

enum { BLOCK_MAX = 300, WHOLE_MAX = 2000, TOTAL_MAX = 2000, DEEPER = 2, DIFFERENTIATIONS_MAX = 50 };
typedef struct written { // the model as written
    const inspect_point *p;
    const structure *s;
    arena *a;
    int n;
    int *eqs, *vars, *column; // flat equations, flat variables, column of a flat variable
    graph_pattern sig;
    graph_offsets g;
} written;

static void index_collect(written *w)
{
    const structure *s = w->s;
    w->n = s->written.n;
    w->eqs = s->written.at;
    w->vars = arena_array(w->a, int, w->n);
    w->column = arena_array(w->a, int, s->n_flat);
    int n = 0;
    for (int v = 0; v < s->n_flat; v++) {
        uint8_t role = s->vars[v].role;
        bool unknown =
            role == STRUCTURE_UNKNOWN || role == STRUCTURE_ALIAS || role == STRUCTURE_KNOWN;
        w->column[v] = unknown && n < w->n ? n : -1;
        if (w->column[v] >= 0) w->vars[n++] = v;
    }
    dag d;
    dag_init(&d, s->pool, w->a);
    int_array col = {0}, order = {0}, vars = {0};
    w->sig = (graph_pattern){.n_rows = w->n, .n_cols = w->n};
    w->sig.start = arena_array(w->a, int, w->n + 1);
    for (int i = 0; i < w->n; i++) {
        expr sides[2];
        flat_sides(s->flat, &s->flat->equations.at[w->eqs[i]], sides);
        w->sig.start[i] = col.n;
        vars.n = 0;
        dag_vars(&d, sides[0], &vars);
        dag_vars(&d, sides[1], &vars);
        for (int k = 0; k < vars.n; k++) {
            const expr_node *x = expr_at(s->pool, vars.at[k]);
            int j = x->u.var.index < s->n_flat ? w->column[x->u.var.index] : -1, q;
            if (j < 0) continue;
            for (q = w->sig.start[i]; q < col.n && col.at[q] != j; q++) continue;
            if (q < col.n) {
                if (x->u.var.order > order.at[q]) order.at[q] = x->u.var.order;
                continue;
            }
            array_push(w->a, &col, j);
            array_push(w->a, &order, x->u.var.order);
        }
    }
    w->sig.start[w->n] = col.n;
    w->sig.col = col.at;
    w->sig.order = order.at;
}

/* ---- one block ------------------------------------------------------------------------------- */

typedef struct block {
    written *w;
    int n;
    const int *rows;
    int *cols, *top; // unknowns (columns), order from which on their derivatives are unknown
    int *c, *d;      // offsets of the block alone
    int index;       // structural, of the block alone
    int found;       // by numbers, of the block alone
    int n_free;      // values of x and its derivatives below `top` that no constraint holds
} block;

static void inspect(block *b, int *position)
{
    written *w = b->w;
    graph_pattern sub = {.n_rows = b->n, .n_cols = b->n};
    sub.start = arena_array(w->a, int, b->n + 1);
    int_array col = {0}, order = {0};
    b->cols = arena_array(w->a, int, b->n);
    b->top = arena_array(w->a, int, b->n);
    for (int i = 0; i < b->n; i++) {
        b->cols[i] = w->g.match.col_of[b->rows[i]];
        position[b->cols[i]] = i + 1;
        b->top[i] = 1;
    }
    for (int i = 0; i < b->n; i++) {
        sub.start[i] = col.n;
        for (int e = w->sig.start[b->rows[i]]; e < w->sig.start[b->rows[i] + 1]; e++) {
            int j = position[w->sig.col[e]] - 1;
            if (j < 0) continue;
            array_push(w->a, &col, j);
            array_push(w->a, &order, w->sig.order[e]);
            if (w->sig.order[e] > b->top[j]) b->top[j] = w->sig.order[e];
        }
    }
    sub.start[b->n] = col.n;
    sub.col = col.at;
    sub.order = order.at;
    graph_offsets g;
    graph_differentiate(&sub, DIFFERENTIATIONS_MAX, w->a, w->a, &g);
    for (int i = 0; i < b->n; i++) position[b->cols[i]] = 0;
    b->index = graph_index(&sub, &g);
    b->c = g.c;
    b->d = g.d;
}

/* The Jacobian of (F, ..., F^(k)) by the derivatives from `top` on: columns of order top first.
 * NULL: an entry has no value. */
static sparse_row *index_jacobian(const block *b, expr **f, int k)
{
    const written *w = b->w;
    const structure *s = w->s;
    int m = b->n * (k + 1), *at = arena_array(w->a, int, s->n_flat); // place in the block + 1
    sparse_row *rows = arena_array(w->a, sparse_row, m);
    int_array vars = {0};
    dag d;
    dag_init(&d, s->pool, w->a);
    for (int j = 0; j < b->n; j++) at[w->vars[b->cols[j]]] = j + 1;
    for (int level = 0; level <= k; level++)
        for (int i = 0; i < b->n; i++) {
            sparse_row *r = &rows[i + level * b->n];
            vars.n = 0;
            dag_vars(&d, f[level][i], &vars);
            r->col = arena_array(w->a, int, vars.n);
            r->x = arena_array(w->a, double, vars.n);
            for (int v = 0; v < vars.n; v++) {
                const expr_node *y = expr_at(s->pool, vars.at[v]);
                int j = y->u.var.index < s->n_flat ? at[y->u.var.index] - 1 : -1;
                int q = j < 0 ? -1 : y->u.var.order - b->top[j];
                if (q < 0 || q > level) continue;
                vars.at[r->n] = vars.at[v];
                r->col[r->n++] = j + q * b->n;
            }
            point_slopes(w->p, f[level][i], vars.at, r->n, r->x);
            for (int v = 0; v < r->n; v++)
                if (!isfinite(r->x[v])) return NULL;
        }
    return rows;
}

/* -1: cannot be said (w->p has no values there). */
static int block_index(block *b, int from)
{
    written *w = b->w;
    const structure *s = w->s;
    arena_mark here = arena_here(w->a);
    int deepest = b->index + DEEPER, result = -1;
    expr **f = arena_array(w->a, expr *, deepest + 1);
    for (int k = 0; k <= deepest && result < 0; k++) {
        f[k] = arena_array(w->a, expr, b->n);
        const char *why = NULL;
        if (k == 0) {
            for (int i = 0; i < b->n; i++) {
                expr sides[2];
                flat_sides(s->flat, &s->flat->equations.at[w->eqs[b->rows[i]]], sides);
                f[0][i] = expr_sub(s->pool, sides[0], sides[1]);
            }
        } else if (!expr_total_diff(s->pool, f[k - 1], b->n, w->a, f[k], &why)) {
            break;
        }
        if (k < from) continue;
        const sparse_row *rows = index_jacobian(b, f, k);
        if (!rows) break;
        int m = b->n * (k + 1), all = sparse_rank(w->a, rows, m, 0, m);
        if (all == b->n + sparse_rank(w->a, rows, m, b->n, m)) {
            result = k;
            b->n_free = all - m;
            for (int j = 0; j < b->n; j++) b->n_free += b->top[j];
        }
    }
    arena_release(w->a, here);
    return result;
}

/* The index by the array of all equations, which is known to be at least `from`. A block that is singular
 * by its numbers hides a constraint on what other blocks give it, which shows only here. */
static int whole_index(written *w, int *position, int from, int *n_free)
{
    block b = {.w = w, .n = w->n};
    if (w->n > WHOLE_MAX) return -1;
    int *rows = arena_array(w->a, int, w->n);
    for (int i = 0; i < w->n; i++) rows[i] = i;
    b.rows = rows;
    inspect(&b, position);
    int found = block_index(&b, from);
    *n_free = b.n_free;
    return found;
}

/* How often the equations of the block have to be differentiated so that unknown j is known up to its
 * derivative needed[j], at most: what that takes from other blocks is added to `needed`. */
static int block_demands(const block *b, int *needed, bool *grows)
{
    const written *w = b->w;
    bool alike = b->found > b->index; // offsets do not serve: all are differentiated as often
    int further = 0, most = 0;
    for (int j = 0; j < b->n; j++) {
        int open = needed[b->cols[j]] - (alike ? b->top[j] : b->d[j]);
        if (open > further) further = open;
    }
    for (int i = 0; i < b->n; i++) {
        int times = further + (alike ? b->found : b->c[i]);
        if (times > most) most = times;
        for (int e = w->sig.start[b->rows[i]]; e < w->sig.start[b->rows[i] + 1]; e++) {
            int *need = &needed[w->sig.col[e]];
            if (w->sig.order[e] + times <= *need) continue;
            *need = w->sig.order[e] + times;
            *grows = true;
        }
    }
    return most;
}

/* How often some equation is differentiated where each block gives what the others need of it. */
static int demands(const block *blocks, int n, arena *a)
{
    int *needed = arena_array(a, int, blocks->w->n), most = 0;
    for (int j = 0; j < blocks->w->n; j++) needed[j] = 1;
    for (bool grows = true; grows;) { // blocks that need others come last
        grows = false;
        for (int k = n - 1; k >= 0 && most <= DIFFERENTIATIONS_MAX; k--) {
            int times = block_demands(&blocks[k], needed, &grows);
            if (times > most) most = times;
        }
        if (most > DIFFERENTIATIONS_MAX) break;
    }
    return most;
}

static const char *index_between(arena *a, int low, int high)
{
    text t;
    text_init(&t, a->m);
    text_printf(&t,
                "the index is between %d and %d: derivatives that blocks of the model need of each "
                "other may cancel, and the array that decides is computed for up to %d unknowns",
                low, high, WHOLE_MAX);
    const char *words = arena_strndup(a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

static const char undetermined[] =
    "the derivative array does not determine the derivatives at the initial point: "
    "the point is singular, or the index is higher than by structure";

/* ---- the model ------------------------------------------------------------------------------- */

int inspect_index(const inspect_point *p, arena *a, int *n_free, const char **reason)
{
    written w = {.p = p, .s = p->s, .a = a};
    *reason = NULL;
    *n_free = 0;
    if (p->s->written.n > TOTAL_MAX) {
        *reason = "the numerical index is computed for up to 2000 unknowns";
        return -1;
    }
    index_collect(&w);
    int *position = arena_array(a, int, w.n), low = 0;
    if (!graph_differentiate(&w.sig, DIFFERENTIATIONS_MAX, a, a, &w.g)) return -1;
    graph_blocks sorted = graph_blt(&w.sig, w.g.match.row_of, w.g.c, w.g.d, a, a);
    block *blocks = arena_array(a, block, sorted.n + 1);
    for (int k = 0; k < sorted.n; k++) {
        block *b = &blocks[k];
        *b = (block){.w = &w,
                     .n = sorted.start[k + 1] - sorted.start[k],
                     .rows = sorted.item + sorted.start[k]};
        if (b->n > BLOCK_MAX) {
            *reason = "the numerical index is computed for blocks of up to 300 unknowns";
            return -1;
        }
        inspect(b, position);
        b->found = block_index(b, 0);
        int found = b->found;
        if (found < 0 && (found = whole_index(&w, position, 0, n_free)) >= 0) return found;
        if (found < 0) {
            *reason = undetermined;
            return -1;
        }
        if (found > low) low = found;
        *n_free += b->n_free;
    }
    int high = sorted.n ? demands(blocks, sorted.n, a) : 0;
    if (high <= low) return low;
    int found = whole_index(&w, position, low, n_free);
    if (found < 0) *reason = w.n > WHOLE_MAX ? index_between(a, low, high) : undetermined;
    return found;
}
