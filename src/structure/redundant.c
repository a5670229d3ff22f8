/* Loops with more constraints than coordinates: what can be left out.
 *
 * A four-bar linkage of spatial joints has 20 constraints for 18 coordinates and moves all the
 * same; Bricard's has as many as coordinates, and moves. What is redundant shows only in numbers:
 *
 *   1. Positions are the unknowns that occur differentiated, and what equations without derivatives
 *      define by them. An equation between positions that defines nothing is a constraint.
 *   2. Constraints that share coordinates are taken together. Where they are at least as many as
 * the coordinates, the start position is moved onto them (Gauss-Newton, least norm), and the
 *      Jacobian there decides by QR with pivoting which of them follow from the others. A position
 *      that happens to be singular must not decide: one nearby is asked too.
 *   3. Those are left out. As many unknowns, the reactions, are then no longer determined; the ones
 *      that the pivots leave over are set to 0. One of many distributions of load is what such a
 *      model has; the warning names both.
 *
 * M. Wojtyra and J. Fraczek, "Solvability of reactions in rigid multibody systems with redundant
 * nonholonomic constraints", Multibody Syst. Dyn. 30 (2013) 153-171, discuss which reactions are
 * unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/dense.h"
#include "structure/internal.h"

#include <math.h>
#include <string.h>

enum { COORDINATES_MAX = 300, DEFINITIONS_MAX = 4000, ITERATIONS = 60, SHOWN = 6 };
static const double RANK = 1e-7;   // of the pivots of rows of length 1
static const double CLOSED = 1e-9; // violation of a constraint at the position found
static const double NEARBY = 0.03; // how far the second position is from the first
static const double LATE = 1e-3;   // weight of what may well be left out or set to 0

typedef struct partial { // of an expression
    int column;
    expr d;
} partial;

typedef ARRAY(partial) partials;

typedef struct definition { // of the position in `column` by others
    int column;
    bool needed; // by a constraint
    expr value;
    partials by;
} definition;

typedef struct constraint {
    int row;
    bool equality; // of two positions, or of one and a constant: as connections say it
    expr f;
    partials by;
} constraint;

typedef struct loops {
    analysis *w;
    char *position; // by column
    int *open;      // by row without derivatives: unknowns that are no positions yet; -1: has some
    char *spent;    // by row: it is a definition
    ARRAY(definition) definitions; // each after what it needs
    ARRAY(constraint) constraints;
    int *defined;  // by column: its definition, or -1
    int *parent;   // by column: sets of coordinates that constraints tie
    int *at;       // by column: its number among the coordinates of the set at hand, or -1
    double *value; // by column
} loops;

/* ---- positions ------------------------------------------------------------------------------- */

static expr column_var(const loops *x, int j)
{
    return expr_var(x->w->p, x->w->columns.at[j], 0, TYPE_REAL, 0);
}

static partials partials_of(loops *x, expr f)
{
    analysis *w = x->w;
    partials out = {0};
    int_array vars = {0};
    dag_vars(&w->d, f, &vars);
    for (int k = 0; k < vars.n; k++) {
        const expr_node *n = expr_at(w->p, vars.at[k]);
        if (n->u.var.index >= w->s->n_flat || w->column[n->u.var.index] < 0) continue;
        const char *why = NULL;
        partial q = {w->column[n->u.var.index], expr_diff(w->p, f, vars.at[k], w->scratch, &why)};
        if (q.d) array_push(w->scratch, &out, q);
    }
    return out;
}

static bool from_connection(const analysis *w, int row)
{
    int flat = w->eqs.at[row].flat;
    if (flat < 0 || flat >= w->m->equations.n) return false;
    flat_origin o = (flat_origin)w->m->equations.at[flat].origin;
    return o == FLAT_FROM_POTENTIAL || o == FLAT_FROM_FLOW;
}

/* Row i defines its one unknown that is no position, if it can be solved for it. */
static int define(loops *x, int i)
{
    analysis *w = x->w;
    const signature *m = &w->sig;
    int j = -1;
    for (int e = m->start[i]; e < m->start[i + 1]; e++)
        if (!x->position[m->col[e]]) j = m->col[e];
    expr guard, f = expr_sub(w->p, w->eqs.at[i].lhs, w->eqs.at[i].rhs);
    expr value = dag_solve(&w->d, f, column_var(x, j), &guard);
    if (!value || guard) return -1;
    definition q = {.column = j, .value = value};
    x->defined[j] = x->definitions.n;
    x->spent[i] = 1;
    array_push(w->scratch, &x->definitions, q);
    return j;
}

/* Connections first: what a joint says of two known frames shall be a constraint, not they. */
static void find_positions(loops *x)
{
    analysis *w = x->w;
    const signature *m = &w->sig;
    arena *a = w->scratch;
    int *count = arena_array(a, int, m->n_cols + 1), *rows;
    for (int e = 0; e < m->start[m->n_rows]; e++) {
        count[m->col[e] + 1]++;
        if (m->order[e] > 0) x->position[m->col[e]] = 1;
    }
    for (int j = 0; j < m->n_cols; j++) count[j + 1] += count[j];
    rows = arena_array(a, int, m->start[m->n_rows]);
    int *fill = arena_array(a, int, m->n_cols);
    int_array queue[2] = {{0}, {0}};
    int next[2] = {0, 0};
    for (int i = 0; i < m->n_rows; i++) {
        bool fixed = m->start[i] < m->start[i + 1];
        for (int e = m->start[i]; e < m->start[i + 1]; e++) {
            rows[count[m->col[e]] + fill[m->col[e]]++] = i;
            fixed &= m->order[e] == 0;
            x->open[i] += !x->position[m->col[e]];
        }
        if (!fixed) x->open[i] = -1;
        if (x->open[i] == 1) array_push(a, &queue[!from_connection(w, i)], i);
    }
    while (next[0] < queue[0].n || next[1] < queue[1].n) {
        int k = next[0] == queue[0].n, i = queue[k].at[next[k]++];
        int j = x->open[i] == 1 && x->definitions.n < DEFINITIONS_MAX ? define(x, i) : -1;
        if (j < 0) continue;
        x->position[j] = 1;
        for (int e = count[j]; e < count[j + 1]; e++)
            if (x->open[rows[e]] > 0 && --x->open[rows[e]] == 1)
                array_push(a, &queue[!from_connection(w, rows[e])], rows[e]);
    }
}

/* ---- sets of constraints --------------------------------------------------------------------- */

static int find(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void tie(loops *x, int j, const partials *by)
{
    for (int k = 0; k < by->n; k++)
        x->parent[find(x->parent, by->at[k].column)] = find(x->parent, j);
}

static bool is_equality(const analysis *w, const structure_equation *e)
{
    expr_op l = (expr_op)expr_at(w->p, e->lhs)->op, r = (expr_op)expr_at(w->p, e->rhs)->op;
    double number;
    return (l == EXPR_VAR || expr_number(w->p, e->lhs, &number)) &&
           (r == EXPR_VAR || expr_number(w->p, e->rhs, &number));
}

/* Constraints, and the definitions they need, each differentiated and tied to its set. */
static void find_constraints(loops *x)
{
    analysis *w = x->w;
    int_array needed = {0};
    char *seen = arena_array(w->scratch, char, w->sig.n_cols);
    for (int i = 0; i < w->sig.n_rows; i++) {
        if (x->open[i] != 0 || x->spent[i]) continue;
        constraint q = {.row = i, .equality = is_equality(w, &w->eqs.at[i])};
        q.f = expr_sub(w->p, w->eqs.at[i].lhs, w->eqs.at[i].rhs);
        q.by = partials_of(x, q.f);
        if (!q.by.n) continue;
        tie(x, q.by.at[0].column, &q.by);
        for (int k = 0; k < q.by.n; k++) array_push(w->scratch, &needed, q.by.at[k].column);
        array_push(w->scratch, &x->constraints, q);
    }
    while (needed.n) {
        int j = needed.at[--needed.n], d = x->defined[j];
        if (seen[j]) continue;
        seen[j] = 1;
        if (d < 0) continue;
        x->definitions.at[d].needed = true;
        x->definitions.at[d].by = partials_of(x, x->definitions.at[d].value);
        tie(x, j, &x->definitions.at[d].by);
        for (int k = 0; k < x->definitions.at[d].by.n; k++)
            array_push(w->scratch, &needed, x->definitions.at[d].by.at[k].column);
    }
    for (int j = 0; j < w->sig.n_cols; j++) x->position[j] = seen[j];
}

/* ---- numbers --------------------------------------------------------------------------------- */

static double value_of(void *user, int var, int order)
{
    const loops *x = user;
    const structure *s = x->w->s;
    if (var >= s->n_flat || order > 0) return 0;
    if (x->w->column[var] >= 0) return x->value[x->w->column[var]];
    return s->vars[var].role == STRUCTURE_PARAMETER ? s->p_default[s->vars[var].place] : 0;
}

static double number(loops *x, expr e)
{
    double y = NAN;
    const char *why = NULL;
    return expr_eval(x->w->p, e, 0, value_of, x, x->w->scratch, &y, &why) == 0 ? y : NAN;
}

typedef struct set { // constraints that share coordinates
    int n, m;        // coordinates, constraints
    const int *coordinate, *constraint;
    double *r, *jac; // m; n by m: the gradient of each constraint
    double *slope;   // of every definition by the coordinates
    double *step, *work;
    int *iwork;
} set;

static void add_slopes(loops *x, const set *q, const partials *by, double *out)
{
    memset(out, 0, (size_t)q->n * sizeof *out);
    for (int k = 0; k < by->n; k++) {
        int j = by->at[k].column, d = x->defined[j];
        double c = number(x, by->at[k].d);
        if (d < 0 && x->at[j] >= 0) out[x->at[j]] += c;
        for (int i = 0; d >= 0 && i < q->n; i++)
            out[i] += c * q->slope[(size_t)d * (size_t)q->n + (size_t)i];
    }
}

/* Values of what is defined, constraints and their gradients; the largest violation. */
static double evaluate(loops *x, set *q, int root)
{
    double most = 0;
    for (int d = 0; d < x->definitions.n; d++) {
        const definition *y = &x->definitions.at[d];
        if (!y->needed || find(x->parent, y->column) != root) continue;
        x->value[y->column] = number(x, y->value);
        add_slopes(x, q, &y->by, q->slope + (size_t)d * (size_t)q->n);
    }
    for (int i = 0; i < q->m; i++) {
        const constraint *c = &x->constraints.at[q->constraint[i]];
        q->r[i] = number(x, c->f);
        add_slopes(x, q, &c->by, q->jac + (size_t)i * (size_t)q->n);
        most = fmax(most, fabs(q->r[i]));
        if (isnan(q->r[i])) return NAN;
    }
    return most;
}

/* Move the coordinates onto the constraints with the least change. */
static bool close_set(loops *x, set *q, int root)
{
    double *a = q->work, *b = a + (size_t)q->n * (size_t)q->m, *work = b + q->m;
    for (int k = 0; k < ITERATIONS; k++) {
        double most = evaluate(x, q, root);
        if (!(most < INFINITY)) return false;
        if (most < CLOSED) return true;
        for (int i = 0; i < q->m; i++)
            for (int j = 0; j < q->n; j++) a[i + j * q->m] = q->jac[j + i * q->n];
        memcpy(b, q->r, (size_t)q->m * sizeof *b);
        if (la_least_norm(q->m, q->n, a, b, q->step, RANK, work, q->iwork) < 0) return false;
        for (int j = 0; j < q->n; j++) x->value[q->coordinate[j]] -= q->step[j];
    }
    return false;
}

/* How many constraints are independent here; the others stand last in perm. */
static int independent(const loops *x, const set *q, int *perm)
{
    double *a = q->work, *tau = a + (size_t)q->n * (size_t)q->m;
    memcpy(a, q->jac, (size_t)q->n * (size_t)q->m * sizeof *a);
    for (int i = 0; i < q->m; i++) {
        double size = 0;
        for (int j = 0; j < q->n; j++) size = fmax(size, fabs(a[j + i * q->n]));
        if (!x->constraints.at[q->constraint[i]].equality) size /= LATE; // rather leave out these
        for (int j = 0; size > 0 && j < q->n; j++) a[j + i * q->n] /= size;
    }
    la_qr f = {.m = q->n, .n = q->m, .a = a, .tau = tau, .perm = perm, .work = tau + q->m};
    return la_qr_factor(&f, RANK * LATE);
}

/* A direction in which the coordinates are free, into q->step; false when there is none. */
static bool free_direction(const set *q)
{
    double *a = q->work, *z = a + (size_t)q->n * (size_t)q->m;
    double *work = z + (size_t)q->n * (size_t)q->n;
    for (int i = 0; i < q->m; i++)
        for (int j = 0; j < q->n; j++) a[i + j * q->m] = q->jac[j + i * q->n];
    int rank = la_null(q->m, q->n, a, z, RANK, work);
    if (rank < 0 || rank == q->n) return false;
    memset(q->step, 0, (size_t)q->n * sizeof *q->step);
    for (int k = 0; k < q->n - rank; k++) // all at once: no freedom shall be missed
        for (int j = 0; j < q->n; j++) q->step[j] += z[j + k * q->n] / (1 + k);
    return true;
}

static set make_set(loops *x, int root, bool *worth)
{
    arena *a = x->w->scratch;
    set q = {0};
    int_array coordinates = {0}, constraints = {0};
    for (int j = 0; j < x->w->sig.n_cols; j++) {
        x->at[j] = -1;
        if (!x->position[j] || x->defined[j] >= 0 || find(x->parent, j) != root) continue;
        x->at[j] = coordinates.n;
        array_push(a, &coordinates, j);
    }
    for (int i = 0; i < x->constraints.n; i++)
        if (find(x->parent, x->constraints.at[i].by.at[0].column) == root)
            array_push(a, &constraints, i);
    q.n = coordinates.n, q.coordinate = coordinates.at;
    q.m = constraints.n, q.constraint = constraints.at;
    *worth = q.n > 1 && q.m >= q.n && q.n <= COORDINATES_MAX && q.m <= 2 * COORDINATES_MAX;
    if (!*worth) return q;
    size_t n = (size_t)q.n, m = (size_t)q.m;
    size_t work = la_least_norm_work(q.m, q.n) + la_qr_work(q.n, q.m) + la_null_work(q.m, q.n);
    q.r = arena_array(a, double, m);
    q.jac = arena_array(a, double, n *m);
    q.slope = arena_array(a, double, n *(size_t)x->definitions.n);
    q.step = arena_array(a, double, n);
    q.work = arena_array(a, double, n *m + n * n + m + n + work);
    q.iwork = arena_array(a, int, n + m);
    return q;
}

/* The constraints of one set that follow from its others; marked by row. Their number. */
static int drop_from_set(loops *x, int root, char *drop)
{
    bool worth;
    set q = make_set(x, root, &worth);
    if (!worth || !close_set(x, &q, root)) return 0;
    arena *a = x->w->scratch;
    int *perm = arena_array(a, int, q.m), *other = arena_array(a, int, q.m);
    double *here = arena_array(a, double, q.n);
    int rank = independent(x, &q, perm);
    if (rank < 0 || rank == q.m) return 0;
    for (int j = 0; j < q.n; j++) here[j] = x->value[q.coordinate[j]];
    if (free_direction(&q)) {
        for (int j = 0; j < q.n; j++) x->value[q.coordinate[j]] += NEARBY * q.step[j];
        int more = close_set(x, &q, root) ? independent(x, &q, other) : -1;
        if (more > rank) {
            rank = more;
            memcpy(perm, other, (size_t)q.m * sizeof *perm);
        }
        for (int j = 0; j < q.n; j++) x->value[q.coordinate[j]] = here[j];
        evaluate(x, &q, root);
    }
    for (int i = rank; i < q.m; i++) drop[x->constraints.at[q.constraint[perm[i]]].row] = 1;
    return q.m - rank;
}

/* ---- reactions ------------------------------------------------------------------------------- */

/* Of the unknowns that are no longer determined, those that the others can do without. */
static bool release(loops *x, int count, int_array *out)
{
    analysis *w = x->w;
    arena *a = w->scratch;
    sigma s;
    int_array rows = {0}, cols = {0};
    sigma_rank(&w->sig, a, a, &s);
    if (s.n_matched < w->sig.n_rows) return false;
    sigma_under(&w->sig, &s, a, &rows, &cols);
    if (cols.n - rows.n != count || cols.n > 2 * DEFINITIONS_MAX) return false;
    int m = rows.n, n = cols.n, *column_at = arena_array(a, int, w->sig.n_cols);
    for (int j = 0; j < w->sig.n_cols; j++) column_at[j] = -1;
    double *jac = arena_array(a, double, (size_t)m *(size_t)n);
    char *at_connector = arena_array(a, char, n);
    for (int j = 0; j < n; j++) column_at[cols.at[j]] = j;
    for (int d = 0; d < x->definitions.n; d++)
        x->value[x->definitions.at[d].column] = number(x, x->definitions.at[d].value);
    for (int i = 0; i < m; i++) {
        const structure_equation *e = &w->eqs.at[rows.at[i]];
        partials by = partials_of(x, expr_sub(w->p, e->lhs, e->rhs));
        for (int k = 0; k < by.n; k++) {
            int j = column_at[by.at[k].column];
            if (j < 0) continue;
            jac[i + j * m] = number(x, by.at[k].d);
            if (isnan(jac[i + j * m])) return false;
            at_connector[j] |= from_connection(w, rows.at[i]);
        }
    }
    // What a joint calls its reaction is more telling than the flow at its connector.
    for (int j = 0; j < n; j++)
        for (int i = 0; !at_connector[j] && i < m; i++) jac[i + j * m] *= LATE;
    int *perm = arena_array(a, int, n);
    la_qr f = {.m = m, .n = n, .a = jac, .perm = perm};
    f.tau = arena_array(a, double, n + m);
    f.work = arena_array(a, double, la_qr_work(m, n));
    if (la_qr_factor(&f, RANK * LATE * LATE) < m) return false;
    for (int k = m; k < n; k++) array_push(a, out, cols.at[perm[k]]);
    return true;
}

/* ---- the stage ------------------------------------------------------------------------------- */

static void warn(loops *x, const int_array *dropped, const int_array *released,
                 const structure_equations *as_was)
{
    analysis *w = x->w;
    text t = structure_text(w);
    int n = dropped->n;
    int *vars = arena_array(w->scratch, int, released->n);
    for (int k = 0; k < released->n; k++) vars[k] = w->columns.at[released->at[k]];
    structure_list_vars(w, vars, released->n, SHOWN, &t);
    diag_warning(w->sink, "S103", as_was->at[dropped->at[0]].at,
                 "%d constraint%s from the others and %s left out; the reaction%s %s %s not unique "
                 "and set to 0",
                 n, n == 1 ? " follows" : "s follow", n == 1 ? "is" : "are", n == 1 ? "" : "s",
                 text_str(&t), n == 1 ? "is" : "are");
    for (int k = 0; k < n && k < SHOWN; k++) {
        const structure_equation *e = &as_was->at[dropped->at[k]];
        text_clear(&t);
        expr_print(w->p, e->lhs, EXPR_MODELICA, 60, &t);
        text_add(&t, " = ");
        expr_print(w->p, e->rhs, EXPR_MODELICA, 60, &t);
        const char *of = e->flat >= 0 ? w->m->equations.at[e->flat].instance : "";
        diag_note(w->sink, e->at, "left out%s%s: %s", *of ? " of " : "", of, text_str(&t));
    }
}

static void start_values(loops *x)
{
    analysis *w = x->w;
    for (int j = 0; j < w->sig.n_cols; j++) {
        const flat_attributes *attr = w->m->vars.at[w->columns.at[j]].attr;
        double v;
        x->value[j] = attr && attr->start &&
                              structure_eval(w->s, w->s->p_default, attr->start, w->scratch, &v)
                          ? v
                          : 0;
    }
}

void structure_redundant(analysis *w)
{
    arena *a = w->scratch;
    structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    if (w->sig.n_rows != w->sig.n_cols) return;
    loops x = {.w = w};
    int n = w->sig.n_cols, total = 0;
    x.position = arena_array(a, char, n);
    x.open = arena_array(a, int, n);
    x.spent = arena_array(a, char, n);
    x.defined = arena_array(a, int, n);
    x.parent = arena_array(a, int, n);
    x.at = arena_array(a, int, n);
    x.value = arena_array(a, double, n);
    for (int j = 0; j < n; j++) {
        x.parent[j] = j;
        x.defined[j] = -1;
    }
    find_positions(&x);
    find_constraints(&x);
    start_values(&x);
    char *drop = arena_array(a, char, n);
    for (int j = 0; j < n; j++)
        if (find(x.parent, j) == j && x.position[j]) total += drop_from_set(&x, j, drop);
    if (!total) return;

    structure_equations as_was = w->eqs, kept = {0};
    int_array dropped = {0}, released = {0};
    array_reserve(a, &kept, as_was.n);
    for (int i = 0; i < as_was.n; i++) {
        if (drop[i]) array_push(a, &dropped, i);
        else array_push(a, &kept, as_was.at[i]);
    }
    w->eqs = kept;
    structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    if (!release(&x, total, &released)) {
        w->eqs = as_was; // nothing was gained; the count says what is wrong
        return;
    }
    for (int k = 0; k < total; k++) {
        structure_equation e = as_was.at[dropped.at[k]];
        e.lhs = column_var(&x, released.at[k]);
        e.rhs = w->p->zero;
        array_push(a, &w->eqs, e);
    }
    warn(&x, &dropped, &released, &as_was);
}
