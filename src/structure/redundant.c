/* Loops with more constraints than coordinates: what can be left out.
 *
 * A four-bar linkage of spatial joints has 20 constraints for 18 coordinates and moves all the
 * same; Bricard's has as many as coordinates, and moves. What is redundant shows only in numbers:
 *
 *   1. Positions are the unknowns that occur differentiated, and what equations without derivatives
 *      define by them. An equation between positions that defines nothing is a constraint.
 *   2. Constraints that share coordinates are taken together. Where they, or a part of them, are no
 *      fewer than the coordinates, the start position is moved onto them (Gauss-Newton, least norm), and the
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
#include "newton/iterate.h"
#include "newton/newton.h"
#include "structure/loops.h"

#include <math.h>
#include <string.h>

enum { COORDINATES_MAX = 700, REACTIONS_MAX = 8000, SHOWN = 6 };
static const double PIVOT_MIN = 1e-7;       // of the pivots of rows of length 1
static const double VIOLATION_MAX = 1e-9;   // violation of a constraint at the position found
static const double DISTANCE_NEARBY = 0.03; // how far the second position is from the first
static const double WEIGHT_LATE = 1e-3;     // weight of what may well be left out or set to 0

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
    int root;
    int n, m; // coordinates, constraints
    const int *coordinate, *constraint;
    double *r, *jac; // m; n by m: the gradient of each constraint
    double *slope;   // of every definition of the set by the coordinates
    double *step, *work;
    int *iwork;
} set;

static double *slope_of(const loops *x, const set *q, int d)
{
    return q->slope + (size_t)x->definitions.at[d].place * (size_t)q->n;
}

static void add_slopes(loops *x, const set *q, const partials *by, double *out)
{
    memset(out, 0, (size_t)q->n * sizeof *out);
    for (int k = 0; k < by->n; k++) {
        int j = by->at[k].column, d = x->defined[j];
        double c = number(x, by->at[k].d);
        if (d < 0 && x->at[j] >= 0) out[x->at[j]] += c;
        if (d < 0) continue;
        const double *slope = slope_of(x, q, d);
        for (int i = 0; i < q->n; i++) out[i] += c * slope[i];
    }
}

/* Values of what is defined, constraints and their gradients; the largest violation. */
static double evaluate(loops *x, set *q)
{
    double most = 0;
    for (int d = x->definitions_of.first[q->root]; d >= 0; d = x->definitions_of.next[d]) {
        const definition *y = &x->definitions.at[d];
        x->value[y->column] = number(x, y->value);
        add_slopes(x, q, &y->by, slope_of(x, q, d));
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
typedef struct closure {
    loops *x;
    set *q;
} closure;

static double closure_step(void *user, bool anew, double *measure)
{
    const closure *c = user;
    set *q = c->q;
    double *a = q->work, *b = a + (size_t)q->n * (size_t)q->m, *work = b + q->m;
    (void)anew;
    *measure = evaluate(c->x, q);
    if (*measure < VIOLATION_MAX) return 0;
    for (int i = 0; i < q->m; i++)
        for (int j = 0; j < q->n; j++) a[i + j * q->m] = q->jac[j + i * q->n];
    memcpy(b, q->r, (size_t)q->m * sizeof *b);
    if (!(*measure < INFINITY) ||
        la_least_norm(q->m, q->n, a, b, q->step, PIVOT_MIN, work, q->iwork) < 0)
        return -1;
    return *measure;
}

static double closure_move(void *user, double factor)
{
    const closure *c = user;
    for (int j = 0; j < c->q->n; j++) c->x->value[c->q->coordinate[j]] -= factor * c->q->step[j];
    return 0;
}

static bool close_set(loops *x, set *q)
{
    static const newton_verbs verbs = {.correction = closure_step, .trial = closure_move};
    newton_course course;
    return newton_iterate(&verbs, &(closure){x, q}, &newton_for_closure, &course) == NEWTON_OK;
}

/* How many constraints are independent here; the others stand last in perm. */
static int independent(const loops *x, const set *q, int *perm)
{
    double *a = q->work, *tau = a + (size_t)q->n * (size_t)q->m;
    memcpy(a, q->jac, (size_t)q->n * (size_t)q->m * sizeof *a);
    for (int i = 0; i < q->m; i++) {
        double size = 0;
        for (int j = 0; j < q->n; j++) size = fmax(size, fabs(a[j + i * q->n]));
        if (!x->constraints.at[q->constraint[i]].equality)
            size /= WEIGHT_LATE; // rather leave out these
        for (int j = 0; size > 0 && j < q->n; j++) a[j + i * q->n] /= size;
    }
    la_qr f = {.m = q->n, .n = q->m, .a = a, .tau = tau, .perm = perm, .work = tau + q->m};
    return la_qr_factor(&f, PIVOT_MIN * WEIGHT_LATE);
}

/* A direction in which the coordinates are free, into q->step; false when there is none. */
static bool free_direction(const set *q)
{
    double *a = q->work, *z = a + (size_t)q->n * (size_t)q->m;
    double *work = z + (size_t)q->n * (size_t)q->n;
    for (int i = 0; i < q->m; i++)
        for (int j = 0; j < q->n; j++) a[i + j * q->m] = q->jac[j + i * q->n];
    int rank = la_null(q->m, q->n, a, z, PIVOT_MIN, work);
    if (rank < 0 || rank == q->n) return false;
    memset(q->step, 0, (size_t)q->n * sizeof *q->step);
    for (int k = 0; k < q->n - rank; k++) // all at once: no freedom shall be missed
        for (int j = 0; j < q->n; j++) q->step[j] += z[j + k * q->n] / (1 + k);
    return true;
}

/* The coordinates in each constraint, definitions inserted. */
static graph_pattern coordinates_of(loops *x, const set *q)
{
    arena *a = x->w->scratch;
    graph_pattern g = {.n_rows = q->m, .n_cols = q->n, .start = arena_array(a, int, q->m + 1)};
    int_array col = {0}, stack = {0};
    for (int i = 0; i < q->m; i++) {
        const partials *by = &x->constraints.at[q->constraint[i]].by;
        int stamp = q->constraint[i] + 1;
        g.start[i] = col.n;
        for (int k = 0; k < by->n; k++) array_push(a, &stack, by->at[k].column);
        while (stack.n) {
            int j = stack.at[--stack.n], d = x->defined[j];
            if (x->seen[j] == stamp) continue;
            x->seen[j] = stamp;
            if (d < 0 && x->at[j] >= 0) array_push(a, &col, x->at[j]);
            for (int k = 0; d >= 0 && k < x->definitions.at[d].by.n; k++)
                array_push(a, &stack, x->definitions.at[d].by.at[k].column);
        }
    }
    g.start[q->m] = col.n;
    g.col = col.at;
    return g;
}

/* Do the constraints belong to several components? */
static bool of_several(loops *x, const set *q, text *of_whom)
{
    int_array rows = {0};
    for (int i = 0; i < q->m; i++)
        array_push(x->w->scratch, &rows, x->constraints.at[q->constraint[i]].row);
    *of_whom = structure_owners(x->w, &x->w->eqs, &rows);
    return strchr(text_str(of_whom), ' ') != NULL;
}

/* Is there a part with more constraints than coordinates, or of several components as many, though
 * others of the set may be free? As a loop on which a pendulum hangs. As many in one place, a
 * constraint that is written twice, are left to formulations that find the least multipliers. */
static bool is_crowded(loops *x, const set *q)
{
    arena *a = x->w->scratch;
    graph_pattern g = coordinates_of(x, q);
    graph_matching m = graph_match(&g, NULL, a, a);
    int_array rows = {0}, cols = {0};
    text of_whom;
    if (m.n < q->m) return true;
    graph_under(&g, &m, a, &rows, &cols);
    return rows.n < q->m && of_several(x, q, &of_whom);
}

static set make_set(loops *x, int root, bool *worth)
{
    arena *a = x->w->scratch;
    set q = {.root = root};
    int_array coordinates = {0}, constraints = {0};
    size_t n_definitions = 0;
    for (int j = x->coordinates_of.first[root]; j >= 0; j = x->coordinates_of.next[j]) {
        x->at[j] = coordinates.n;
        array_push(a, &coordinates, j);
    }
    for (int i = x->constraints_of.first[root]; i >= 0; i = x->constraints_of.next[i])
        array_push(a, &constraints, i);
    for (int d = x->definitions_of.first[root]; d >= 0; d = x->definitions_of.next[d])
        x->definitions.at[d].place = (int)n_definitions++;
    q.n = coordinates.n, q.coordinate = coordinates.at;
    q.m = constraints.n, q.constraint = constraints.at;
    *worth =
        q.n > 1 && q.m && q.n <= COORDINATES_MAX && q.m <= 2 * COORDINATES_MAX && is_crowded(x, &q);
    if (!*worth) return q;
    size_t n = (size_t)q.n, m = (size_t)q.m;
    size_t work = la_least_norm_work(q.m, q.n) + la_qr_work(q.n, q.m) + la_null_work(q.m, q.n);
    q.r = arena_array(a, double, m);
    q.jac = arena_array(a, double, n *m);
    q.slope = arena_array(a, double, n *n_definitions);
    q.step = arena_array(a, double, n);
    q.work = arena_array(a, double, n *m + n * n + m + n + work);
    q.iwork = arena_array(a, int, n + m);
    return q;
}

static void warn_open_loop(loops *x, const set *q, double miss)
{
    text of_whom;
    if (q->m <= q->n || !isfinite(miss)) return; // as many as there are coordinates: perhaps later
    if (!of_several(x, q, &of_whom)) return;     // no loop
    diag_warning(x->w->sink, "S106", x->w->eqs.at[x->constraints.at[q->constraint[0]].row].at,
                 "the %d constraints of %s on %d coordinates are not met together: the nearest "
                 "position found misses them by %.2g; check lengths, fixed points and start values",
                 q->m, text_str(&of_whom), q->n, miss);
}

/* The constraints of one set that follow from its others; marked by row. Their number. */
static int drop_from_set(loops *x, int root, char *drop)
{
    bool worth;
    set q = make_set(x, root, &worth);
    if (!worth) return 0;
    if (!close_set(x, &q)) {
        warn_open_loop(x, &q, evaluate(x, &q));
        return 0;
    }
    arena *a = x->w->scratch;
    int *perm = arena_array(a, int, q.m), *other = arena_array(a, int, q.m);
    double *here = arena_array(a, double, q.n);
    int rank = independent(x, &q, perm);
    if (rank < 0 || rank == q.m) return 0;
    for (int j = 0; j < q.n; j++) here[j] = x->value[q.coordinate[j]];
    if (free_direction(&q)) {
        for (int j = 0; j < q.n; j++) x->value[q.coordinate[j]] += DISTANCE_NEARBY * q.step[j];
        int more = close_set(x, &q) ? independent(x, &q, other) : -1;
        if (more > rank) {
            rank = more;
            memcpy(perm, other, (size_t)q.m * sizeof *perm);
        }
        for (int j = 0; j < q.n; j++) x->value[q.coordinate[j]] = here[j];
        evaluate(x, &q);
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
    graph_matching s = graph_match(&w->sig, NULL, a, a);
    int_array rows = {0}, cols = {0};
    if (s.n < w->sig.n_rows) return false;
    graph_under(&w->sig, &s, a, &rows, &cols);
    if (cols.n - rows.n != count || cols.n > REACTIONS_MAX) return false;
    int m = rows.n, n = cols.n, *column_at = arena_array(a, int, w->sig.n_cols);
    for (int j = 0; j < w->sig.n_cols; j++) column_at[j] = -1;
    double *jac = arena_array(a, double, (size_t)m *(size_t)n);
    char *at_connector = arena_array(a, char, n);
    for (int j = 0; j < n; j++) column_at[cols.at[j]] = j;
    for (int d = 0; d < x->definitions.n; d++)
        x->value[x->definitions.at[d].column] = number(x, x->definitions.at[d].value);
    for (int i = 0; i < m; i++) {
        const structure_equation *e = structure_write(w, rows.at[i]);
        partials by = loops_partials(x, expr_sub(w->p, e->lhs, e->rhs));
        for (int k = 0; k < by.n; k++) {
            int j = column_at[by.at[k].column];
            if (j < 0) continue;
            jac[i + j * m] += number(x, by.at[k].d); // of w and of der(w)
            if (isnan(jac[i + j * m])) return false;
            at_connector[j] |= loops_from_connection(w, rows.at[i]);
        }
    }
    // What a joint calls its reaction is more telling than the flow at its connector.
    for (int j = 0; j < n; j++)
        for (int i = 0; !at_connector[j] && i < m; i++) jac[i + j * m] *= WEIGHT_LATE;
    int *perm = arena_array(a, int, n);
    la_qr f = {.m = m, .n = n, .a = jac, .perm = perm};
    f.tau = arena_array(a, double, n + m);
    f.work = arena_array(a, double, la_qr_work(m, n));
    if (la_qr_factor(&f, PIVOT_MIN * WEIGHT_LATE * WEIGHT_LATE) < m) return false;
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
    text of_whom = structure_owners(w, as_was, dropped);
    diag_warning(w->sink, "S103", as_was->at[dropped->at[0]].at,
                 "%d constraint%s%s%s follow%s from the others and %s left out; the reaction%s %s "
                 "%s not unique and set to 0",
                 n, n == 1 ? "" : "s", of_whom.n ? " of " : "", text_str(&of_whom),
                 n == 1 ? "s" : "", n == 1 ? "is" : "are", n == 1 ? "" : "s", text_str(&t),
                 n == 1 ? "is" : "are");
    for (int k = 0; k < n && k < SHOWN; k++) {
        const structure_equation *e = &as_was->at[dropped->at[k]];
        text_clear(&t);
        expr_print_equation(w->p, e->lhs, e->rhs, 60, &t);
        const char *of = e->flat >= 0 ? w->m->equations.at[e->flat].instance : "";
        diag_note(w->sink, e->at, "left out%s%s: %s", *of ? " of " : "", of, text_str(&t));
    }
}

static void start_values(loops *x)
{
    analysis *w = x->w;
    for (int j = 0; j < w->sig.n_cols; j++) {
        const flat_attributes *attr = flat_at(w->m, w->columns.at[j])->attr;
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
    w->scratch = arena_inner(a);
    loops x = loops_find(w);
    int n = x.constraints.n ? w->sig.n_cols : 0, total = 0;
    if (n) start_values(&x);
    char *drop = arena_array(w->scratch, char, n);
    for (int j = 0; j < n; j++) {
        if (loops_set(&x, j) != j || !x.position[j]) continue;
        arena_mark mark = arena_here(w->scratch);
        total += drop_from_set(&x, j, drop);
        arena_release(w->scratch, mark);
    }
    if (!total) arena_done(w->scratch); // as a rule
    w->scratch = a;
    if (!total) return;

    structure_write_all(w);
    structure_equations as_was = w->eqs, kept = {0};
    int_array dropped = {0}, released = {0};
    array_reserve(a, &kept, as_was.n);
    for (int i = 0; i < as_was.n; i++) {
        if (drop[i]) array_push(a, &dropped, i);
        else array_push(a, &kept, as_was.at[i]);
    }
    w->eqs = kept;
    structure_forget_families(w); // others follow them now
    structure_signature(w, &w->eqs, w->column, w->columns.n, &w->sig);
    if (!release(&x, total, &released)) {
        w->eqs = as_was; // nothing was gained; the count says what is wrong
        return;
    }
    for (int k = 0; k < total; k++) {
        structure_equation e = as_was.at[dropped.at[k]];
        e.lhs = loops_var(&x, released.at[k]);
        e.rhs = w->p->zero;
        array_push(a, &w->eqs, e);
    }
    warn(&x, &dropped, &released, &as_was);
}
