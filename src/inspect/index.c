/* The numerical index at a point: by ranks of the derivative array.
 *
 * With F and its first k total derivatives in hand, the derivatives x' are determined by t and x if
 * and only if their columns in the Jacobian of the array are independent of each other and of the
 * columns of all higher derivatives: rank [T H] = n + rank H. The index is the smallest such k (S.
 * L. Campbell and C. W. Gear, Numer. Math. 72 (1995) 173-196). Done for each block of the model as
 * written, with what comes from other blocks taken as given; a block whose unknowns other blocks
 * differentiate counts as much more as its offsets do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "graph/graph.h"
#include "inspect/point.h"
#include "la/dense.h"
#include "structure/dag.h"

#include <math.h>
#include <string.h>

enum { BLOCK_MAX = 300, WHOLE_MAX = 100, TOTAL_MAX = 2000, DEEPER = 2 };
/* Pivots below this count as none: stiff parts of one array differ by eight powers of ten and more,
 * round-off in its entries stays far below. */
static const double PIVOT_MIN = 1e-12;

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
    int index;       // structural, of the block alone
    int shift;       // further differentiations that other blocks ask for
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
    int global = 0;
    for (int i = 0; i < b->n; i++) {
        sub.start[i] = col.n;
        if (w->g.c[b->rows[i]] > global) global = w->g.c[b->rows[i]];
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
    graph_differentiate(&sub, 50, w->a, w->a, &g);
    int local = 0;
    for (int i = 0; i < b->n; i++) {
        if (g.c[i] > local) local = g.c[i];
        position[b->cols[i]] = 0;
    }
    b->index = graph_index(&sub, &g);
    b->shift = global - local;
}

/* Rank of an m by n matrix by columns (destroyed), rows and columns scaled to size 1. */
static int rank_of(arena *a, double *x, int m, int n)
{
    if (!m || !n) return 0;
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(x[i + j * m]));
        for (int j = 0; j < n && most > 0; j++) x[i + j * m] /= most;
    }
    for (int j = 0; j < n; j++) {
        double most = 0;
        for (int i = 0; i < m; i++) most = fmax(most, fabs(x[i + j * m]));
        for (int i = 0; i < m && most > 0; i++) x[i + j * m] /= most;
    }
    la_qr q = {.m = m, .n = n, .a = x};
    q.tau = arena_array(a, double, m < n ? m : n);
    q.perm = arena_array(a, int, n);
    q.work = arena_array(a, double, la_qr_work(m, n));
    return la_qr_factor(&q, PIVOT_MIN);
}

/* The Jacobian of (F, ..., F^(k)) by the derivatives from `top` on: columns of order top first. */
static bool index_jacobian(const block *b, expr **f, int k, double *x)
{
    const written *w = b->w;
    const structure *s = w->s;
    int m = b->n * (k + 1), *at = arena_array(w->a, int, s->n_flat); // place in the block + 1
    double *slope = arena_array(w->a, double, m);
    int_array vars = {0}, cols = {0};
    dag d;
    dag_init(&d, s->pool, w->a);
    for (int j = 0; j < b->n; j++) at[w->vars[b->cols[j]]] = j + 1;
    for (int level = 0; level <= k; level++)
        for (int i = 0; i < b->n; i++) {
            int n = 0;
            vars.n = cols.n = 0;
            dag_vars(&d, f[level][i], &vars);
            for (int v = 0; v < vars.n; v++) {
                const expr_node *y = expr_at(s->pool, vars.at[v]);
                int j = y->u.var.index < s->n_flat ? at[y->u.var.index] - 1 : -1;
                int q = j < 0 ? -1 : y->u.var.order - b->top[j];
                if (q < 0 || q > level) continue;
                vars.at[n++] = vars.at[v];
                array_push(w->a, &cols, j + q * b->n);
            }
            point_slopes(w->p, f[level][i], vars.at, n, slope);
            for (int v = 0; v < n; v++) {
                if (!isfinite(slope[v])) return false;
                x[(i + level * b->n) + (size_t)cols.at[v] * (size_t)m] = slope[v];
            }
        }
    return true;
}

/* -1: cannot be said (w->p has no values there). */
static int block_index(const block *b)
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
        int m = b->n * (k + 1);
        size_t size = (size_t)m * (size_t)m;
        double *x = arena_array(w->a, double, size), *h = arena_array(w->a, double, size);
        if (!index_jacobian(b, f, k, x)) break;
        size_t higher = (size_t)m * (size_t)(b->n * k);
        memcpy(h, x + (size_t)m * (size_t)b->n, higher * sizeof *h);
        if (rank_of(w->a, x, m, m) == b->n + rank_of(w->a, h, m, b->n * k)) result = k;
    }
    arena_release(w->a, here);
    return result;
}

/* A block that is singular by its numbers hides a constraint on what other blocks give it: its index
 * shows in the array of all equations. */
static int whole_index(written *w, int *position)
{
    block b = {.w = w, .n = w->n};
    if (w->n > WHOLE_MAX) return -1;
    int *rows = arena_array(w->a, int, w->n);
    for (int i = 0; i < w->n; i++) rows[i] = i;
    b.rows = rows;
    inspect(&b, position);
    return block_index(&b);
}

/* ---- the model ------------------------------------------------------------------------------- */

int inspect_index(const inspect_point *p, arena *a, const char **reason)
{
    written w = {.p = p, .s = p->s, .a = a};
    *reason = NULL;
    if (p->s->written.n > TOTAL_MAX) {
        *reason = "the numerical index is computed for up to 2000 unknowns";
        return -1;
    }
    index_collect(&w);
    int *position = arena_array(a, int, w.n), index = 0;
    if (!graph_differentiate(&w.sig, 50, a, a, &w.g)) return -1;
    graph_blocks sorted = graph_blt(&w.sig, w.g.match.row_of, w.g.c, w.g.d, a, a);
    for (int k = 0; k < sorted.n; k++) {
        block b = {.w = &w,
                   .n = sorted.start[k + 1] - sorted.start[k],
                   .rows = sorted.item + sorted.start[k]};
        if (b.n > BLOCK_MAX) {
            *reason = "the numerical index is computed for blocks of up to 300 unknowns";
            return -1;
        }
        inspect(&b, position);
        int found = block_index(&b);
        if (found < 0 && (found = whole_index(&w, position)) >= 0) return found;
        if (found < 0) {
            *reason =
                "the derivative array does not determine the derivatives at the initial point: "
                "the point is singular, or the index is higher than by structure";
            return -1;
        }
        if (found + b.shift > index) index = found + b.shift;
    }
    return index;
}
