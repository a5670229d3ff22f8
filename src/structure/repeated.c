/* Dependent equations that structure does not see.
 *
 * A circuit without ground has as many equations as unknowns, each matched to one, and still no
 * solution: the sums of currents add up to 0 = 0. All equations that are linear in unknowns with
 * integer coefficients are therefore eliminated exactly. First an equation with an unknown that no
 * other one contains is set aside, again and again: it can be part of no dependence. In a sound
 * model nothing is left; otherwise the rest is eliminated with integers, remembering which
 * equations each combination was made of. A combination without unknowns names the culprits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "structure/internal.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 20000000, SHOWN = 6, SMALL = 400 };

typedef struct item {
    int col;
    int64_t coef;
} item;

typedef struct row {
    item *at;
    int n;
    int made_of; // node of the tree of combinations
    int equation;
    bool gone, core;
    int first_col; // as read; -1: none
} row;

typedef struct pair { // a leaf: left is -1 - row number
    int left, right;
} pair;

typedef struct elimination {
    analysis *w;
    ARRAY(row) rows;
    int n_cols;
    int *col_of; // by pool node: column + 1
    int *count;  // by column: rows that contain it
    ARRAY(pair) tree;
    long work;
} elimination;

/* ---- linear equations ------------------------------------------------------------------------ */

static bool has_unknown(elimination *x, expr e, int_array *vars)
{
    vars->n = 0;
    dag_vars(&x->w->d, e, vars);
    for (int k = 0; k < vars->n; k++)
        if (x->w->column[expr_at(x->w->p, vars->at[k])->u.var.index] >= 0) return true;
    return false;
}

typedef struct part {
    expr e;
    int64_t coef;
} part;

typedef struct reader {
    ARRAY(part) stack;
    ARRAY(item) items;
    int_array vars;
} reader;

static bool integer_of(const expr_pool *p, expr e, int64_t *k)
{
    double x;
    if (!expr_number(p, e, &x) || !(x >= -1000 && x <= 1000)) return false;
    *k = (int64_t)x;
    return (double)*k == x;
}

/* The terms of a side of an equation; false when it is not linear with integer coefficients. */
static bool read_side(elimination *x, reader *r, expr side, int64_t sign)
{
    analysis *w = x->w;
    arena *a = w->scratch;
    r->stack.n = 0;
    part first = {side, sign};
    array_push(a, &r->stack, first);
    while (r->stack.n) {
        part q = r->stack.at[--r->stack.n];
        const expr_node *n = expr_at(w->p, q.e);
        int64_t k;
        part left = {n->u.arg[0], q.coef}, right = {n->u.arg[1], q.coef};
        switch ((expr_op)n->op) {
        case EXPR_VAR:
            if (w->column[n->u.var.index] < 0) break;
            if (!x->col_of[q.e]) x->col_of[q.e] = ++x->n_cols;
            item it = {x->col_of[q.e] - 1, q.coef};
            array_push(a, &r->items, it);
            break;
        case EXPR_SUB:
        case EXPR_ADD:
            if (n->op == EXPR_SUB) right.coef = -q.coef;
            array_push(a, &r->stack, right);
            array_push(a, &r->stack, left);
            break;
        case EXPR_NEG:
            left.coef = -q.coef;
            array_push(a, &r->stack, left);
            break;
        case EXPR_MUL:
            if (integer_of(w->p, n->u.arg[0], &k)) {
                right.coef = q.coef * k;
                array_push(a, &r->stack, right);
                break;
            }
            if (integer_of(w->p, n->u.arg[1], &k)) {
                left.coef = q.coef * k;
                array_push(a, &r->stack, left);
                break;
            }
            if (has_unknown(x, q.e, &r->vars)) return false;
            break;
        default:
            if (has_unknown(x, q.e, &r->vars)) return false;
        }
        if (llabs(q.coef) > 1000000) return false;
    }
    return true;
}

static int by_column(const void *a, const void *b)
{
    const item *p = a, *q = b;
    return p->col < q->col ? -1 : p->col > q->col;
}

/* Sort, and add up what belongs together. */
static int normalise(item *it, int n)
{
    qsort(it, (size_t)n, sizeof *it, by_column);
    int m = 0;
    for (int k = 0; k < n; k++) {
        if (m && it[m - 1].col == it[k].col) it[m - 1].coef += it[k].coef;
        else it[m++] = it[k];
        if (!it[m - 1].coef) m--;
    }
    return m;
}

/* What its family knows of an equation depends on which of its slots are unknowns: all that is 1 in kinds. */
static family *family_in(const elimination *x, int equation, const expr **slots, uint64_t *kinds)
{
    family *q = family_of(x->w->families, equation, slots);
    *kinds = 0;
    for (int k = 0; q && k < q->sides->n_slots; k++)
        *kinds |= (uint64_t)(x->w->column[expr_at(x->w->p, (*slots)[k])->u.var.index] >= 0) << k;
    return q;
}

/* Keep for the family what was read of one of its members. */
static void tell_family(elimination *x, family *q, const expr *slots, uint64_t kinds, bool linear,
                        const row *read)
{
    int n = q->sides->n_slots;
    q->integers.kinds = kinds;
    q->integers.linear = linear;
    q->integers.known = true;
    if (!linear) return;
    int64_t *coef = arena_array(x->w->families->a, int64_t, n + 1);
    for (int k = 0; k < n; k++)
        for (int j = 0; kinds >> k & 1 && j < read->n; j++)
            if (read->at[j].col == x->col_of[slots[k]] - 1) coef[k] = read->at[j].coef;
    q->integers.coef = coef;
}

/* The terms of a member of a family that is linear; slots are met from left to right, as terms are. */
static void read_slots(elimination *x, reader *r, const family *q, const expr *slots)
{
    for (int k = 0; k < q->sides->n_slots; k++) {
        if (!(q->integers.kinds >> k & 1)) continue;
        if (!x->col_of[slots[k]]) x->col_of[slots[k]] = ++x->n_cols;
        if (q->integers.coef[k])
            array_push(x->w->scratch, &r->items,
                       ((item){x->col_of[slots[k]] - 1, q->integers.coef[k]}));
    }
}

static void read_equations(elimination *x)
{
    analysis *w = x->w;
    reader r = {0};
    x->col_of = arena_sparse(w->scratch, int, w->p->n);
    for (int i = 0; i < w->eqs.n; i++) {
        const expr *slots;
        uint64_t kinds;
        family *of = family_in(x, i, &slots, &kinds);
        bool known = of && of->integers.known && of->integers.kinds == kinds, linear = true;
        if (known && !of->integers.linear) continue;
        r.items.n = 0;
        if (known) {
            read_slots(x, &r, of, slots);
        } else {
            const structure_equation *e = structure_write(w, i);
            linear = read_side(x, &r, e->lhs, 1) && read_side(x, &r, e->rhs, -1);
        }
        row q = {.n = linear ? normalise(r.items.at, r.items.n) : 0, .equation = i};
        q.at = arena_array(w->scratch, item, q.n);
        if (q.n) memcpy(q.at, r.items.at, (size_t)q.n * sizeof *q.at);
        if (of && !known) tell_family(x, of, slots, kinds, linear, &q);
        if (linear) array_push(w->scratch, &x->rows, q);
    }
}

/* ---- setting aside --------------------------------------------------------------------------- */

/* Rows of each column, by counting; those that are gone apart. */
static void transpose(elimination *x, int **start, int **list)
{
    arena *a = x->w->scratch;
    int *s = arena_array(a, int, x->n_cols + 2), nnz = 0;
    for (int i = 0; i < x->rows.n; i++)
        for (int k = 0; k < x->rows.at[i].n && !x->rows.at[i].gone; k++, nnz++)
            s[x->rows.at[i].at[k].col + 2]++;
    for (int j = 0; j < x->n_cols; j++) s[j + 2] += s[j + 1];
    int *l = arena_array(a, int, nnz);
    for (int i = 0; i < x->rows.n; i++)
        for (int k = 0; k < x->rows.at[i].n && !x->rows.at[i].gone; k++)
            l[s[x->rows.at[i].at[k].col + 1]++] = i;
    *start = s;
    *list = l;
}

static int set_aside(elimination *x)
{
    arena *a = x->w->scratch;
    int *start, *list, left = 0;
    for (int i = 0; i < x->rows.n; i++) left += !x->rows.at[i].gone;
    transpose(x, &start, &list);
    x->count = arena_array(a, int, x->n_cols);
    int_array queue = {0};
    for (int j = 0; j < x->n_cols; j++) {
        x->count[j] = start[j + 1] - start[j];
        if (x->count[j] == 1) array_push(a, &queue, j);
    }
    for (int q = 0; q < queue.n; q++) {
        int j = queue.at[q];
        if (x->count[j] != 1) continue;
        for (int e = start[j]; e < start[j + 1]; e++) {
            row *r = &x->rows.at[list[e]];
            if (r->gone) continue;
            r->gone = true;
            left--;
            for (int k = 0; k < r->n; k++)
                if (--x->count[r->at[k].col] == 1) array_push(a, &queue, r->at[k].col);
            break;
        }
    }
    return left;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void leaves(elimination *x, int node, char *seen, int_array *out)
{
    arena *a = x->w->scratch;
    char *visited = arena_array(a, char, x->tree.n);
    int_array stack = {0};
    array_push(a, &stack, node);
    while (stack.n) {
        int k = stack.at[--stack.n];
        if (visited[k]) continue;
        visited[k] = 1;
        pair p = x->tree.at[k];
        if (p.left < 0) {
            int i = -1 - p.left;
            if (!seen[i]) array_push(a, out, i);
            seen[i] = 1;
            continue;
        }
        array_push(a, &stack, p.left);
        array_push(a, &stack, p.right);
    }
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static const flat_equation *flat_of(const elimination *x, int row_number)
{
    int i = x->w->eqs.at[x->rows.at[row_number].equation].flat;
    return i < 0 ? NULL : &x->w->m->equations.at[i];
}

/* The connectors whose flows are in the combination: names of flow variables without their last
 * part. */
static void list_connectors(elimination *x, const int_array *rows, text *out)
{
    analysis *w = x->w;
    int_array vars = {0};
    int n = 0;
    const char *last = "";
    size_t last_n = 0;
    for (int k = 0; k < rows->n; k++) {
        const flat_equation *e = flat_of(x, rows->at[k]);
        if (e && e->origin == FLAT_FROM_FLOW) dag_vars(&w->d, e->lhs, &vars);
    }
    for (int k = 0; k < vars.n; k++) {
        int v = expr_at(w->p, vars.at[k])->u.var.index;
        const char *name = flat_name_in(w->m, v, w->scratch);
        const char *dot = strrchr(name, '.');
        size_t len = dot ? (size_t)(dot - name) : strlen(name);
        if (len == last_n && !strncmp(name, last, len)) continue;
        last = name;
        last_n = len;
        if (n++ < SHOWN) text_printf(out, "%s'%.*s'", n > 1 ? ", " : "", (int)len, name);
    }
    if (n > SHOWN) text_printf(out, " and %d more", n - SHOWN);
}

static void note_rows(elimination *x, const int_array *rows)
{
    analysis *w = x->w;
    text t = structure_text(w);
    for (int k = 0; k < rows->n && k < SHOWN; k++) {
        const structure_equation *e = structure_write(w, x->rows.at[rows->at[k]].equation);
        text_clear(&t);
        expr_print_equation(w->p, e->lhs, e->rhs, 60, &t);
        diag_note(w->sink, e->at, "equation %s", text_str(&t));
    }
}

static void report_rows(elimination *x, const int_array *list)
{
    analysis *w = x->w;
    int_array rows = *list;
    int flows = 0, first_flow = -1;
    for (int k = 0; k < rows.n; k++) {
        const flat_equation *e = flat_of(x, rows.at[k]);
        if (!e || e->origin != FLAT_FROM_FLOW) continue;
        if (!flows++) first_flow = rows.at[k];
    }
    text t = structure_text(w);
    if (flows) {
        list_connectors(x, &rows, &t);
        diag_error(w->sink, "S105", flat_of(x, first_flow)->at,
                   "nothing fixes the level of the potentials of the connectors %s: a reference is "
                   "missing (connect a ground, a reservoir, a fixed point)",
                   text_str(&t));
        diag_note(w->sink, (span){0, 0},
                  "the %d sums of flows in this part add up to 0 = 0, so one equation is missing",
                  flows);
        return;
    }
    diag_error(w->sink, "S104", w->eqs.at[x->rows.at[rows.at[0]].equation].at,
               "%d equations are linearly dependent: one of them says nothing new, so one equation "
               "is missing elsewhere",
               rows.n);
    note_rows(x, &rows);
}

static void report_nothing(elimination *x, const int_array *rows)
{
    diag_error(x->w->sink, "S104", x->w->eqs.at[x->rows.at[rows->at[0]].equation].at,
               "%d equations have the same on both sides and say nothing, so as many are missing",
               rows->n);
    note_rows(x, rows);
}

static void report_repeated(elimination *x, const row *r)
{
    int_array rows = {0};
    leaves(x, r->made_of, arena_array(x->w->scratch, char, x->rows.n), &rows);
    qsort(rows.at, (size_t)rows.n, sizeof(int), by_number);
    report_rows(x, &rows);
}

/* ---- elimination of the rest ----------------------------------------------------------------- */

/* a := alpha a - beta b with the column of the pivot gone; false on overflow or too much work. */
static bool combine(elimination *x, row *a, const row *b, int64_t ca, int64_t cb)
{
    arena *ar = x->w->scratch;
    item *out = arena_array(ar, item, a->n + b->n);
    int i = 0, j = 0, n = 0;
    int64_t alpha = cb, beta = ca;
    if (cb == 1 || cb == -1) { // the usual case: keep the row's own scale
        alpha = 1;
        beta = ca * cb;
    }
    while (i < a->n || j < b->n) {
        int64_t c;
        int col;
        if (j == b->n || (i < a->n && a->at[i].col < b->at[j].col)) {
            col = a->at[i].col;
            c = alpha * a->at[i++].coef;
        } else if (i == a->n || b->at[j].col < a->at[i].col) {
            col = b->at[j].col;
            c = -beta * b->at[j++].coef;
        } else {
            col = a->at[i].col;
            c = alpha * a->at[i++].coef - beta * b->at[j++].coef;
        }
        if (llabs(c) > 1000000) return false;
        if (c) out[n++] = (item){col, c};
    }
    x->work += a->n + b->n;
    pair p = {a->made_of, b->made_of};
    array_push(ar, &x->tree, p);
    a->at = out;
    a->n = n;
    a->made_of = x->tree.n - 1;
    return x->work < WORK_MAX;
}

/* Gaussian elimination; a row list for each column is kept as a growing list that may hold stale
 * numbers. Short rows are pivots first: they make no fill. */
static void eliminate_rows(elimination *x)
{
    arena *a = x->w->scratch;
    int n = x->rows.n, found = 0;
    int_array *users = arena_array(a, int_array, x->n_cols);
    for (int i = 0; i < n; i++) {
        row *r = &x->rows.at[i];
        pair leaf = {-1 - i, 0};
        array_push(a, &x->tree, leaf);
        r->made_of = x->tree.n - 1;
        for (int k = 0; k < r->n && !r->gone; k++) array_push(a, &users[r->at[k].col], i);
    }
    // Rows by length, by counting sort once; combinations are taken where they end up.
    int_array bucket[4] = {{0}};
    for (int i = 0; i < n; i++)
        if (!x->rows.at[i].gone) {
            int len = x->rows.at[i].n, b = len <= 1 ? 0 : len == 2 ? 1 : len <= 8 ? 2 : 3;
            array_push(a, &bucket[b], i);
        }
    for (int b = 0; b < 4; b++)
        for (int q = 0; q < bucket[b].n; q++) {
            row *r = &x->rows.at[bucket[b].at[q]];
            if (r->gone) continue;
            r->gone = true;
            if (!r->n) {
                if (found++ < 5) report_repeated(x, r);
                continue;
            }
            int best = -1; // a unit coefficient in the column with fewest rows
            for (int k = 0; k < r->n; k++)
                if ((best < 0 || users[r->at[k].col].n < users[r->at[best].col].n) &&
                    llabs(r->at[k].coef) == 1)
                    best = k;
            if (best < 0) best = 0;
            int col = r->at[best].col;
            int64_t cb = r->at[best].coef;
            for (int u = 0, known = users[col].n; u < known;
                 u++) { // without those that are added here
                int other = users[col].at[u];
                row *o = &x->rows.at[other];
                if (o->gone) continue;
                int64_t ca = 0;
                for (int k = 0; k < o->n && !ca; k++)
                    if (o->at[k].col == col) ca = o->at[k].coef;
                if (!ca) continue;
                if (!combine(x, o, r, ca, cb)) return;
                for (int k = 0; k < r->n; k++) array_push(a, &users[r->at[k].col], other);
            }
        }
}

/* ---- large rests ----------------------------------------------------------------------------- */

typedef struct merging {
    elimination *x;
    int *up;           // by column: parent
    int8_t *sign;      // relative to it
    char *zero;        // by root
    int *part;         // by column: parent in the forest of connected parts
    char *reported;    // by root of part
    int_array nothing; // rows without a column: both sides are the same
} merging;

static int root_of(merging *g, int col, int *sign)
{
    int s = 1, r = col;
    while (g->up[r] != r) {
        s *= g->sign[r];
        r = g->up[r];
    }
    *sign = s;
    while (g->up[col] != r && col != r) { // shorten the path
        int next = g->up[col], own = g->sign[col];
        g->up[col] = r;
        g->sign[col] = (int8_t)s;
        s *= own;
        col = next;
    }
    return r;
}

static int part_of(merging *g, int col)
{
    while (g->part[col] != col) col = g->part[col] = g->part[g->part[col]];
    return col;
}

/* All rows connected with this one are named together. */
static void report_part(merging *g, int col)
{
    elimination *x = g->x;
    int root = part_of(g, col);
    if (g->reported[root]) return;
    g->reported[root] = 1;
    int_array rows = {0};
    for (int i = 0; i < x->rows.n; i++)
        if (x->rows.at[i].core && x->rows.at[i].first_col >= 0 &&
            part_of(g, x->rows.at[i].first_col) == root)
            array_push(x->w->scratch, &rows, i);
    report_rows(x, &rows);
}

/* Rows over representatives; those that say a = +-b or a = 0 merge and go. True when one did. */
static bool merge_pass(merging *g, int_array *active)
{
    elimination *x = g->x;
    int left = 0;
    bool changed = false;
    for (int q = 0; q < active->n; q++) {
        row *r = &x->rows.at[active->at[q]];
        int n = 0;
        for (int k = 0; k < r->n; k++) {
            int sign, root = root_of(g, r->at[k].col, &sign);
            if (!g->zero[root]) r->at[n++] = (item){root, sign * r->at[k].coef};
        }
        r->n = normalise(r->at, n);
        if (r->first_col < 0) {
            array_push(x->w->scratch, &g->nothing, active->at[q]);
        } else if (r->n == 0) {
            report_part(g, r->first_col);
        } else if (r->n == 1) {
            g->zero[r->at[0].col] = 1;
            changed = true;
        } else if (r->n == 2 && llabs(r->at[0].coef) == llabs(r->at[1].coef)) {
            g->up[r->at[0].col] = r->at[1].col;
            g->sign[r->at[0].col] = r->at[0].coef == r->at[1].coef ? -1 : 1;
            changed = true;
        } else {
            active->at[left++] = active->at[q];
        }
    }
    active->n = left;
    return changed;
}

/* Pass factors through columns that are in exactly two rows. */
static void pass_factors(merging *g, const int_array *active)
{
    elimination *x = g->x;
    arena *a = x->w->scratch;
    for (int i = 0; i < x->rows.n; i++) x->rows.at[i].gone = true;
    for (int q = 0; q < active->n; q++) x->rows.at[active->at[q]].gone = false;
    if (!set_aside(x)) return;
    for (int i = 0; i < x->rows.n; i++)
        if (x->rows.at[i].gone) x->rows.at[i].n = 0;
    int *start, *list;
    transpose(x, &start, &list);
    double *factor = arena_array(a, double, x->rows.n);
    int_array queue = {0};
    for (int first = 0; first < x->rows.n; first++) {
        if (x->rows.at[first].gone || factor[first] != 0) continue;
        bool fits = true;
        queue.n = 0;
        factor[first] = 1;
        array_push(a, &queue, first);
        for (int q = 0; q < queue.n; q++) {
            const row *r = &x->rows.at[queue.at[q]];
            for (int k = 0; k < r->n; k++) {
                int j = r->at[k].col;
                if (start[j + 1] - start[j] != 2) {
                    fits = false; // not of this simple kind
                    continue;
                }
                int o = list[start[j]] == queue.at[q] ? list[start[j] + 1] : list[start[j]];
                int64_t other = 0;
                const row *ro = &x->rows.at[o];
                int lo = 0, hi = ro->n; // rows are sorted by column
                while (lo < hi) {
                    int mid = (lo + hi) / 2;
                    if (ro->at[mid].col < j) lo = mid + 1;
                    else hi = mid;
                }
                other = ro->at[lo].coef;
                double want = -factor[queue.at[q]] * (double)r->at[k].coef / (double)other;
                if (factor[o] == 0) {
                    factor[o] = want;
                    array_push(a, &queue, o);
                } else if (factor[o] != want) {
                    fits = false;
                }
            }
        }
        if (fits) report_part(g, x->rows.at[first].first_col);
    }
}

static void merge_large(elimination *x)
{
    arena *a = x->w->scratch;
    merging g = {.x = x};
    g.up = arena_array(a, int, x->n_cols);
    g.sign = arena_array(a, int8_t, x->n_cols);
    g.zero = arena_array(a, char, x->n_cols);
    g.part = arena_array(a, int, x->n_cols);
    g.reported = arena_array(a, char, x->n_cols);
    for (int j = 0; j < x->n_cols; j++) {
        g.up[j] = g.part[j] = j;
        g.sign[j] = 1;
    }
    int_array active = {0};
    for (int i = 0; i < x->rows.n; i++) {
        row *r = &x->rows.at[i];
        r->core = !r->gone;
        r->first_col = r->n ? r->at[0].col : -1;
        if (r->gone) continue;
        array_push(a, &active, i);
        for (int k = 1; k < r->n; k++)
            g.part[part_of(&g, r->at[k].col)] = part_of(&g, r->at[0].col);
    }
    for (int pass = 0; pass < 20 && merge_pass(&g, &active); pass++) continue;
    if (g.nothing.n) report_nothing(x, &g.nothing);
    pass_factors(&g, &active);
}

bool structure_dependent(analysis *w)
{
    elimination x = {.w = w};
    int errors = w->sink->n_errors;
    arena *scratch = w->scratch; // nothing of this is needed after it
    w->scratch = arena_inner(scratch);
    read_equations(&x);
    int left = set_aside(&x);
    if (left > SMALL) merge_large(&x);
    else if (left) eliminate_rows(&x);
    arena_done(w->scratch);
    w->scratch = scratch;
    return w->sink->n_errors == errors;
}
