/* Sorting, tearing and assignment.
 *
 * The equations are sorted into blocks of simultaneous ones. In a block, derivatives of states that
 * are in y are free: they are y', and each leaves one equation as a row of F. For the rest, an
 * equation with one undetermined unknown is solved for it where that is safe; when there is none,
 * an unknown is torn: it goes to y, and one equation stays as a row. Torn are first the unknowns
 * that no equation can be solved for, then the one that makes most equations solvable, then the one
 * that occurs most often (in the spirit of F. E. Cellier and E. Kofman, Continuous System
 * Simulation, Springer 2006, 7.3).
 *
 * Solved unknowns vanish from F: their values are substituted. Where that would fill the Jacobian
 * (a sum over everything that is used everywhere) the unknown is kept in y instead. Many simultaneous
 * equations are torn twice, the first time for the count: if rows would have more entries than the
 * equations had as written, only what adds none is substituted (H. M. Markowitz, Management Sci. 3 (1957)
 * 255-269). Heads in a net of pipes would be chains over all pipes on their way, and factors dense; the
 * sparse factors find a better order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/heap.h"
#include "form/build.h"
#include "graph/graph.h"
#include "structure/families.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 60,    // with fewer instances the matrix is dense anyway: always substitute
    DEPS_MAX = 24, // components of y a substituted value may depend on
    // Simultaneous equations from which on entries are counted: nets of pipes with 94 of them take the
    // same instructions either way, with 278 four fifths, with 643 three fifths, with 2638 a quarter.
    COUNTED_LEAST = 200,
};

static const double COEFFICIENT_WEAK = 1e-6; // a coefficient beside the others of its equation

typedef struct deps {
    int n; // DEPS_MAX + 1: too many to count
    int one;
    const int *at; // ascending; NULL: `one` alone
} deps;

typedef struct solver {
    form_builder *b;
    const form_instance *list;
    int n;
    graph_pattern sig; // instances by entries (columns are instance numbers of the matched entries)
    int *instance;     // by entry: instance whose entry it is, or -1
    int *uses;         // by instance: number of equations its entry occurs in
    deps *deps;        // by entry: of assigned ones
    bool *done;        // by instance: its entry is placed
    int *next_in;      // sig by columns, NULL until something is torn: start of a column
    int *rows_of;      // ... rows
    int *entry_of;     // ... entries of sig
    uint8_t *ways;     // by entry of sig, in blocks that are torn: can the row be solved for it?
    int_array vars;    // scratch
    heap candidates;   // entries, while a block is torn
    bool *inertial;    // by instance: its entry occurs in an equation that is not differentiated
    bool loop;         // the equations are simultaneous
    bool counting;     // ... and torn for the count: nothing is substituted yet
    bool lean;         // ... and nothing that adds entries is substituted
    int n_torn;        // counting: so many
} solver;

/* 0: it is not written out. */
static expr raw_function(const solver *v, int i)
{
    const form_instance *x = &v->list[i];
    const expr *instead = v->b->instead;
    if (instead && instead[x->equation] && x->derivative == v->b->s->equations.at[x->equation].c)
        return instead[x->equation];
    return v->b->s->equations.at[v->list[i].equation].f[v->list[i].derivative];
}

/* ... with what is known of it by its family: of equations that are as they were. */
static family_question question(const solver *v, int i)
{
    const form_instance *x = &v->list[i];
    const structure_equation *e = &v->b->s->equations.at[x->equation];
    family_question q = {NULL, &v->b->d, x->equation, e->lhs, e->rhs, raw_function(v, i)};
    if (!x->derivative && q.f == e->f[0]) q.of = v->b->s->families;
    return q;
}

static expr function(const solver *v, int i)
{
    const family_question q = question(v, i);
    return family_written(&q).f;
}

static expr solve_variable(const solver *v, int i)
{
    return v->b->s->entries.at[v->list[i].entry].var;
}

/* ---- incidence ------------------------------------------------------------------------------- */

static void make_signature(solver *v)
{
    form_builder *b = v->b;
    arena *a = b->scratch;
    v->instance = arena_array(a, int, b->s->entries.n);
    memset(v->instance, 0xff, (size_t)b->s->entries.n * sizeof *v->instance);
    for (int i = 0; i < v->n; i++) v->instance[v->list[i].entry] = i;

    v->sig = (graph_pattern){.n_rows = v->n, .n_cols = v->n};
    v->sig.start = arena_array(a, int, v->n + 1);
    v->uses = arena_array(a, int, v->n);
    v->inertial = arena_array(a, bool, v->n);
    int_array col = {0}, vars = {0};
    array_reserve(a, &col, 4 * v->n);
    for (int i = 0; i < v->n; i++) {
        v->sig.start[i] = col.n;
        vars.n = 0;
        const family_question q = question(v, i);
        family_vars(&q, &vars);
        for (int k = 0; k < vars.n; k++) {
            int e = structure_entry_of(b->s, vars.at[k]);
            if (e < 0 || v->instance[e] < 0) continue;
            array_push(a, &col, v->instance[e]);
            v->uses[v->instance[e]]++;
            if (!v->list[i].derivative) v->inertial[v->instance[e]] = true;
        }
    }
    v->sig.start[v->n] = col.n;
    v->sig.col = col.at;
}

/* What only tearing needs. */
static void make_columns(solver *v)
{
    arena *a = v->b->scratch;
    int nnz = v->sig.start[v->n], n_entries = v->b->s->entries.n;
    v->candidates.item = arena_array(a, int, n_entries);
    v->candidates.at = arena_array(a, int, n_entries);
    v->candidates.key = arena_array(a, double, n_entries);
    for (int e = 0; e < n_entries; e++) v->candidates.at[e] = -1;
    v->next_in = arena_array(a, int, v->n + 1);
    v->rows_of = arena_array(a, int, nnz);
    v->entry_of = arena_array(a, int, nnz);
    v->ways = arena_array(a, uint8_t, nnz);
    for (int j = 0; j < v->n; j++) v->next_in[j + 1] = v->next_in[j] + v->uses[j];
    int *fill = arena_array(a, int, v->n);
    for (int i = 0; i < v->n; i++)
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
            int j = v->sig.col[e];
            v->rows_of[v->next_in[j] + fill[j]] = i;
            v->entry_of[v->next_in[j] + fill[j]++] = e;
        }
}

/* ---- dependence of assigned values on y ------------------------------------------------------ */

/* Components that the value of entry j by equation i depends on, at most DEPS_MAX. */
static deps deps_of(solver *v, int i, int j, expr value)
{
    form_builder *b = v->b;
    int set[DEPS_MAX + 1], n = 0;
    const family_question of = question(v, i);
    v->vars.n = 0;
    family_solution_vars(&of, solve_variable(v, j), value, &v->vars);
    for (int k = 0; k < v->vars.n && n <= DEPS_MAX; k++) {
        int e = structure_entry_of(b->s, v->vars.at[k]);
        if (e < 0) continue;
        form_place at = b->f->places[e];
        int m = 1, component = at.at;
        const int *list = &component;
        if (at.where == FORM_ASSIGNED) {
            m = v->deps[e].n;
            if (m > DEPS_MAX) return (deps){.n = DEPS_MAX + 1};
            list = v->deps[e].at ? v->deps[e].at : &v->deps[e].one;
        }
        for (int q = 0; q < m && n <= DEPS_MAX; q++) {
            int p = n;
            while (p > 0 && set[p - 1] > list[q]) p--;
            if (p > 0 && set[p - 1] == list[q]) continue;
            memmove(set + p + 1, set + p, (size_t)(n - p) * sizeof *set);
            set[p] = list[q];
            n++;
        }
    }
    if (n > DEPS_MAX) return (deps){.n = DEPS_MAX + 1};
    if (n <= 1) return (deps){.n = n, .one = n ? set[0] : 0};
    int *copy = arena_array(b->scratch, int, n);
    memcpy(copy, set, (size_t)n * sizeof *copy);
    return (deps){.n = n, .at = copy};
}

/* Would substituting a value with these dependences fill the matrix? Where states are chosen while
 * running, what constraints contain is substituted all the same: the choice and the start values look at
 * how they depend on the candidates, and at nothing between. */
static bool fills(const solver *v, int i, const deps *d)
{
    int uses = v->uses[i] - 1; // beside its own equation
    const structure_entry *e = &v->b->s->entries.at[v->list[i].entry];
    if (v->b->f->groups.n && e->order < v->b->s->unknowns.at[e->unknown].d) return false;
    if (v->n <= SMALL || v->b->dense || uses <= 1) return false;
    if (d->n > DEPS_MAX) return true;
    if (v->lean) return d->n * uses > d->n + uses;
    return d->n * uses > 4 * (d->n + uses) + 16;
}

/* ---- placing --------------------------------------------------------------------------------- */

/* The value of e where it is a number or depends on parameters alone. */
static bool settled(form_builder *b, expr e, double *x)
{
    if (expr_number(b->s->pool, e, x)) return true;
    const expr_node *n = expr_at(b->s->pool, e);
    if (n->op == EXPR_VAR && !n->u.var.order && n->u.var.index < b->s->n_flat &&
        b->s->vars[n->u.var.index].role == STRUCTURE_PARAMETER) {
        *x = b->s->p_default[b->s->vars[n->u.var.index].place];
        return !isnan(*x);
    }
    b->vars.n = 0;
    dag_vars(&b->d, e, &b->vars);
    for (int k = 0; k < b->vars.n; k++) {
        int v = expr_at(b->s->pool, b->vars.at[k])->u.var.index;
        if (v >= b->s->n_flat || b->s->vars[v].role != STRUCTURE_PARAMETER) return false;
    }
    return b->vars.n > 0 && structure_eval(b->s, b->s->p_default, e, b->scratch, x);
}

bool form_safe_divisor(form_builder *b, expr e)
{
    double x;
    return settled(b, e, &x) && x != 0 && isfinite(x);
}

/* Would solving equation i for the entry of instance j divide by a coefficient that is negligible
 * beside the others (a leakage, say)? Errors would come back multiplied. */
static bool weak(solver *v, int i, int j, expr divisor)
{
    form_builder *b = v->b;
    double own, other;
    if (!settled(b, divisor, &own) || fabs(own) >= COEFFICIENT_WEAK) return false;
    for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
        const char *why = NULL;
        if (v->sig.col[e] == j) continue;
        expr d = expr_diff(b->s->pool, function(v, i), solve_variable(v, v->sig.col[e]), b->scratch,
                           &why);
        if (d && settled(b, d, &other) && fabs(own) < COEFFICIENT_WEAK * fabs(other)) return true;
    }
    return false;
}

/* Solve equation i for the entry of instance j; 0 when it is not safe. */
static expr solve_for(solver *v, int i, int j, expr *guard)
{
    form_builder *b = v->b;
    const family_question q = question(v, i);
    expr value = family_solve(&q, solve_variable(v, j), guard);
    if (!value) return 0;
    if (*guard && (!form_safe_divisor(b, *guard) || (v->loop && weak(v, i, j, *guard)))) return 0;
    return value;
}

/* The component of y whose derivative the entry of instance j is, or -1. */
static int lower_component(const solver *v, int j)
{
    int e = v->list[j].entry;
    const structure_entry *x = &v->b->s->entries.at[e];
    if (x->order == 0 || x->order > v->b->s->unknowns.at[x->unknown].d) return -1;
    form_place low = v->b->f->places[e - 1];
    if (low.where != FORM_IN_Y || v->b->bound[e - 1]) return -1;
    // A dummy that is kept as an unknown is algebraic: its derivative is an unknown of its own.
    return v->b->f->unknowns.at[low.at].differential ? low.at : -1;
}

/* Derivatives in the equation of instance i that are solved for without being written: their values are
 * to be put in for them, so they are written now. */
static void write_rates(solver *v, int i)
{
    form_builder *b = v->b;
    expr guard;
    for (int e = v->sig.start[i]; b->n_unwritten && e < v->sig.start[i + 1]; e++) {
        int j = v->sig.col[e], entry = v->list[j].entry;
        if (!b->unwritten[entry]) continue;
        const family_question q = question(v, j);
        b->unwritten[entry] = 0;
        b->n_unwritten--;
        dag_rewriter_set(&b->solved, solve_variable(v, j),
                         family_solve(&q, solve_variable(v, j), &guard));
    }
}

static void solve_assign(solver *v, int i, int j, expr value, expr guard)
{
    form_builder *b = v->b;
    int e = v->list[j].entry;
    write_rates(v, i);
    form_assignment x = {.entry = e,
                         .as_solved = value,
                         .equation = v->list[i].equation,
                         .derivative = v->list[i].derivative,
                         .guard = guard};
    const family_question q = question(v, i);
    x.value = family_rewrite(&q, value, &b->subst);
    b->f->places[e] = form_place_at(FORM_ASSIGNED, b->f->assignments.n);
    array_push(b->a, &b->f->assignments, x);
    dag_rewriter_set(&b->subst, solve_variable(v, j), x.value);
    if (!b->implicit)
        dag_rewriter_set(&b->solved, solve_variable(v, j), family_rewrite(&q, value, &b->solved));
}

static void add_row(solver *v, int i)
{
    const form_instance *x = &v->list[i];
    int level = v->b->level ? v->b->s->equations.at[x->equation].c - x->derivative : 0;
    const family_question q = question(v, i);
    form_row_put(v->b, family_rewrite(&q, q.f, &v->b->subst),
                 level ? FORM_ROW_CONSTRAINT : FORM_ROW_EQUATION, x->equation, x->derivative,
                 level);
}

static void put_algebraic(solver *v, int j)
{
    int e = v->list[j].entry;
    if (v->counting)
        v->b->f->places[e] = form_place_at(FORM_IN_Y, v->b->f->unknowns.n + v->n_torn++);
    else form_put(v->b, e, false, v->b->level ? v->b->level[e] : 0);
}

/* Try to assign; false when the unknown has to stay in y. */
static bool try_assign(solver *v, int i, int j)
{
    expr guard, value = solve_for(v, i, j, &guard);
    if (!value) return false;
    deps d = deps_of(v, i, j, value);
    if (fills(v, j, &d)) return false;
    v->deps[v->list[j].entry] = d;
    if (v->counting) v->b->f->places[v->list[j].entry] = form_place_at(FORM_ASSIGNED, 0);
    else solve_assign(v, i, j, value, guard);
    return true;
}

/* Is the derivative of instance i given by its equation in a way that is known of its family, over variables
 * that stay? Then nothing has to be written. */
static bool solve_unwritten(solver *v, int i)
{
    form_builder *b = v->b;
    expr guard, var = solve_variable(v, i);
    const family_question q = question(v, i);
    int slot = b->implicit || q.f ? -1 : family_solves_unwritten(&q, var, &guard);
    if (slot < 0 || (guard && !form_safe_divisor(b, guard))) return false;
    if (!family_keeps(&q, &b->solved)) {
        dag_rewriter_set(&b->solved, var, family_solve_rewritten(&q, var, &b->solved));
        return true;
    }
    if (!family_solution_operates(&q, slot)) return false;
    if (!b->unwritten) b->unwritten = arena_array(b->scratch, char, b->s->entries.n);
    b->unwritten[v->list[i].entry] = 1;
    b->n_unwritten++;
    return true;
}

static void place_single(solver *v, int i)
{
    // The block's one equation need not be matched to itself after form_instance: i determines i.
    form_builder *b = v->b;
    int low = lower_component(v, i);
    if (low < 0 && try_assign(v, i, i)) return;
    if (low >= 0) form_put_derivative(b, v->list[i].entry, low);
    else put_algebraic(v, i);
    add_row(v, i);
    // For the right-hand side it is solved for all the same.
    write_rates(v, i);
    if (low >= 0 && solve_unwritten(v, i)) return;
    expr guard, value = b->implicit ? 0 : solve_for(v, i, i, &guard);
    const family_question q = question(v, i);
    if (!value) b->implicit = true;
    else dag_rewriter_set(&b->solved, solve_variable(v, i), family_rewrite(&q, value, &b->solved));
}

/* ---- tearing --------------------------------------------------------------------------------- */

typedef struct tearing {
    solver *v;
    const int *block; // instances
    int n;
    int *open;    // by instance: undetermined unknowns in its equation
    char *inside; // by instance: in this block
    char *used;   // by instance: its equation is spent on an assignment
    int_array queue;
    heap *candidates;  // entries, by how much tearing them promises
    int_array changed; // rows whose unknowns may rank differently now
    bool defining;     // the scores are those of b->define > 0
} tearing;

/* The entry of instance j is determined: equations that contain it have one unknown fewer. */
static void solve_determined(tearing *t, int j)
{
    solver *v = t->v;
    v->done[j] = true;
    for (int q = v->next_in[j]; q < v->next_in[j + 1]; q++) {
        int i = v->rows_of[q];
        if (!t->inside[i]) continue;
        if (--t->open[i] <= 2) array_push(v->b->scratch, &t->changed, i); // see score
        if (t->open[i] == 1) array_push(v->b->scratch, &t->queue, i);
    }
}

/* Does the equation of instance i contain a highest derivative that is an unknown of the block? */
static bool has_acceleration(const solver *v, int i, const char *inside)
{
    for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
        int j = v->sig.col[e];
        if (inside[j] && v->b->s->entries.at[v->list[j].entry].order > 0) return true;
    }
    return false;
}

/* May the equation of instance i, one of motion or a constraint, be solved for the entry of j?
 * Where such equations stay rows, only if it defines a point without inertia: as the end of a rod
 * follows from its middle and its angle. */
static bool may_solve(const solver *v, int i, int j, const char *inside)
{
    if (!v->b->keep || !has_acceleration(v, i, inside)) return true;
    return v->b->define > 0 && v->list[i].derivative > 0 && !v->inertial[j];
}

static void work_off(tearing *t)
{
    solver *v = t->v;
    for (int q = 0; q < t->queue.n; q++) {
        int i = t->queue.at[q];
        if (t->used[i] || t->open[i] != 1) continue;
        int j = -1;
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1] && j < 0; e++)
            if (t->inside[v->sig.col[e]] && !v->done[v->sig.col[e]]) j = v->sig.col[e];
        if (j < 0 || !may_solve(v, i, j, t->inside) || !try_assign(v, i, j)) continue;
        if (v->b->keep && has_acceleration(v, i, t->inside)) v->b->define--;
        t->used[i] = 1;
        solve_determined(t, j);
    }
    t->queue.n = 0;
}

/* Once j is determined, will row i be solvable for the one unknown that is left? */
static bool would_solve(const tearing *t, int i, int j)
{
    const solver *v = t->v;
    if (t->open[i] != 2) return false;
    for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
        int k = v->sig.col[e];
        if (k != j && t->inside[k] && !v->done[k]) return v->ways[e];
    }
    return false;
}

static int64_t score(const tearing *t, int j)
{
    const solver *v = t->v;
    int64_t count = 0, solves = 0, ways = 0;
    for (int q = v->next_in[j]; q < v->next_in[j + 1]; q++) {
        int i = v->rows_of[q];
        if (!t->inside[i] || t->used[i]) continue;
        count++;
        ways += v->ways[v->entry_of[q]];
        solves += would_solve(t, i, j);
    }
    if (t->defining && !v->inertial[j] && ways) return 0; // its definition will do
    return (ways ? 0 : (int64_t)1 << 40) + (solves << 20) + count;
}

static void offer(tearing *t, int j)
{
    solver *v = t->v;
    if (v->done[j]) return;
    heap_set(t->candidates, v->list[j].entry, -(double)score(t, j));
}

/* The unknown of the highest score, of equal ones the first entry; -1: none is left. */
static int choose_tear(tearing *t)
{
    const solver *v = t->v;
    bool defining = v->b->define > 0;
    if (defining != t->defining || !t->candidates->n) {
        t->defining = defining;
        heap_clear(t->candidates);
        for (int k = 0; k < t->n; k++) offer(t, t->block[k]);
    } else {
        for (int q = 0; q < t->changed.n; q++)
            for (int e = v->sig.start[t->changed.at[q]]; e < v->sig.start[t->changed.at[q] + 1];
                 e++)
                if (t->inside[v->sig.col[e]]) offer(t, v->sig.col[e]);
    }
    t->changed.n = 0;
    while (t->candidates->n) {
        int j = v->instance[heap_pop(t->candidates)];
        if (!v->done[j]) return j;
    }
    return -1;
}

/* How often each variable occurs in the terms of a sum: once as a term of its own, twice or more as
 * anything else. False: the sum has more terms than a row of so many unknowns. */
static bool count_in_terms(form_builder *b, expr sum, int unknowns, map *count)
{
    const expr_pool *p = b->s->pool;
    int_array open = {0}, vars = {0};
    int terms = 0;
    array_push(b->scratch, &open, sum);
    while (open.n) {
        expr e = open.at[--open.n];
        const expr_node *x = expr_at(p, e);
        if (++terms > 8 * unknowns) return false; // sums of sums that are shared
        switch ((expr_op)x->op) {
        case EXPR_ADD:
        case EXPR_SUB: array_push(b->scratch, &open, x->u.arg[1]); // fall through
        case EXPR_NEG: array_push(b->scratch, &open, x->u.arg[0]); break;
        case EXPR_VAR: *map_put(count, (uint64_t)e) += 1; break;
        default:
            vars.n = 0;
            dag_vars(&b->d, e, &vars);
            for (int k = 0; k < vars.n; k++) *map_put(count, (uint64_t)vars.at[k]) += 2;
        }
    }
    return true;
}

/* For which of its unknowns can row i be solved? A long sum can for each that is a term by itself, which
 * one look at it tells. */
static void find_ways_of(solver *v, int i, const char *inside)
{
    enum { LONG_ROW = 32 };
    int first = v->sig.start[i], end = v->sig.start[i + 1];
    map count;
    map_init(&count, v->b->scratch);
    bool counted =
        end - first > LONG_ROW && count_in_terms(v->b, function(v, i), end - first, &count);
    for (int e = first; e < end; e++) {
        expr guard;
        if (!inside[v->sig.col[e]] || !may_solve(v, i, v->sig.col[e], inside)) continue;
        const uint64_t *times =
            counted ? map_find(&count, (uint64_t)solve_variable(v, v->sig.col[e])) : NULL;
        v->ways[e] = (times && *times == 1) || solve_for(v, i, v->sig.col[e], &guard) != 0;
    }
}

static void find_ways(solver *v, const int *block, int n, const char *inside)
{
    for (int k = 0; k < n; k++) find_ways_of(v, block[k], inside);
}

/* Derivatives of what is in y are determined; the rest is open. */
static void tear_begin(tearing *t)
{
    solver *v = t->v;
    for (int k = 0; k < t->n; k++) {
        int i = t->block[k];
        t->open[i] = 0;
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++)
            t->open[i] += t->inside[v->sig.col[e]];
    }
    for (int k = 0; k < t->n; k++) {
        int low = lower_component(v, t->block[k]);
        if (low < 0) continue;
        form_put_derivative(v->b, v->list[t->block[k]].entry, low);
        solve_determined(t, t->block[k]);
    }
}

static void tear_all(tearing *t)
{
    tear_begin(t);
    for (;;) {
        work_off(t);
        int j = choose_tear(t);
        if (j < 0) break;
        put_algebraic(t->v, j);
        solve_determined(t, j);
    }
}

/* Entries of a row that stays: components of y that it, or a value in it, depends on. */
static int count_entries(const tearing *t, int i, int *seen)
{
    const solver *v = t->v;
    int count = 0;
    for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
        int entry = v->list[v->sig.col[e]].entry, m = 1;
        form_place at = v->b->f->places[entry];
        int component = at.at;
        const int *list = &component;
        if (!t->inside[v->sig.col[e]]) continue;
        if (at.where == FORM_ASSIGNED) {
            m = v->deps[entry].n;
            list = v->deps[entry].at ? v->deps[entry].at : &v->deps[entry].one;
        }
        if (m > DEPS_MAX) count += m;
        for (int q = 0; m <= DEPS_MAX && q < m; q++) {
            count += seen[list[q]] != i + 1;
            seen[list[q]] = i + 1;
        }
    }
    return count;
}

/* Would substituting as usual leave rows with more entries than the equations have? All is as it was
 * afterwards. */
static bool tearing_fills(tearing *t)
{
    solver *v = t->v;
    form_builder *b = v->b;
    form_place *places = arena_array(b->scratch, form_place, t->n);
    int *seen = arena_array(b->scratch, int, b->f->unknowns.n + t->n), define = b->define;
    for (int k = 0; k < t->n; k++) places[k] = b->f->places[v->list[t->block[k]].entry];
    v->counting = true;
    v->n_torn = 0;
    tear_all(t);
    v->counting = false;
    int64_t written = 0, rows = 0;
    for (int k = 0; k < t->n; k++) {
        int i = t->block[k];
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++)
            written += t->inside[v->sig.col[e]];
        if (!t->used[i]) rows += count_entries(t, i, seen);
    }
    for (int k = 0; k < t->n; k++) {
        b->f->places[v->list[t->block[k]].entry] = places[k];
        v->done[t->block[k]] = false;
        t->used[t->block[k]] = 0;
    }
    b->define = define;
    heap_clear(t->candidates);
    t->queue.n = t->changed.n = 0;
    return rows > written;
}

static void tear(solver *v, const int *block, int n, int *open, char *inside, char *used)
{
    tearing t = {.v = v, .block = block, .n = n, .open = open, .inside = inside, .used = used};
    t.candidates = &v->candidates;
    if (!v->next_in) make_columns(v);
    v->b->implicit = v->loop = true;
    for (int k = 0; k < n; k++) inside[block[k]] = 1;
    find_ways(v, block, n, inside);
    v->lean = n > COUNTED_LEAST && tearing_fills(&t);
    tear_all(&t);
    for (int k = 0; k < n; k++)
        if (!used[block[k]]) add_row(v, block[k]);
    for (int k = 0; k < n; k++) inside[block[k]] = 0;
    v->loop = v->lean = false;
}

/* Equations that are not written out are, with values put in for others, where algebraic unknowns occur:
 * room for their nodes is made at once. */
static void expect_nodes(const solver *v)
{
    enum { ANSWERS = 2 }; // residual, division
    int64_t more = 0;
    for (int i = 0; i < v->n; i++) {
        const expr *slots;
        const family_question q = question(v, i);
        const family *of = q.f ? NULL : family_of(q.of, q.equation, &slots);
        bool algebraic = false;
        for (int e = v->sig.start[i]; of && e < v->sig.start[i + 1] && !algebraic; e++)
            algebraic = !v->b->s->entries.at[v->list[v->sig.col[e]].entry].order;
        if (algebraic) more += of->sides->n_steps + ANSWERS;
    }
    if (more && more < INT32_MAX) expr_expect(v->b->s->pool, (int)more, (int)more);
}

void form_solve(form_builder *b, const form_instance *list, int n)
{
    solver v = {.b = b, .list = list, .n = n};
    arena *a = b->scratch;
    make_signature(&v);
    expect_nodes(&v);
    v.deps = arena_sparse(a, deps, b->s->entries.n);
    v.done = arena_array(a, bool, n);
    int *open = arena_array(a, int, n);
    char *inside = arena_array(a, char, n), *used = arena_array(a, char, n);

    graph_blocks sorted = graph_components(&v.sig, a, a); // instance i gives its own entry
    for (int k = 0; k < sorted.n; k++) {
        const int *block = sorted.item + sorted.start[k];
        int size = sorted.start[k + 1] - sorted.start[k];
        if (size == 1) place_single(&v, *block);
        else tear(&v, block, size, open, inside, used);
    }
}
