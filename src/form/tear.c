/* Tearing.
 *
 * In a block of simultaneous equations, derivatives of states that are in y are free: they are y', and each
 * leaves one equation as a row of F. For the rest, an equation with one undetermined unknown is solved for
 * it where that is safe; when there is none, an unknown is torn: it goes to y, and one equation stays as a
 * row. Torn are first the unknowns that no equation can be solved for, then the one that makes most
 * equations solvable, then the one that occurs most often (in the spirit of F. E. Cellier and E. Kofman,
 * Continuous System Simulation, Springer 2006, 7.3).
 *
 * Where constraints are differentiated, equations as they are written are looked at as well: one with a
 * single unknown on one side defines it, unless the definitions so far lead back to it. What is left
 * without a definition is torn, if that is fewer than above; and blocks that are solved one after the
 * other, none of them explicitly, become one block where it takes fewer unknowns than they do apart:
 * the place where two profiles touch is given by an angle and one coordinate, whatever the order in which
 * their slopes and places could be found.
 *
 * Many simultaneous equations are torn twice, the first time for the count: if rows would have more entries
 * than the equations had as written, only what adds none is substituted (H. M. Markowitz, Management Sci. 3
 * (1957) 255-269). Heads in a net of pipes would be chains over all pipes on their way, and factors dense;
 * the sparse factors find a better order.
 *
 * Values that are found from others in a chain magnify the errors of these: y[i + 1] = 4 y[i] - y[i - 1] - x[i],
 * each row of a well-conditioned tridiagonal system solved for its last unknown, takes a digit every two rows.
 * That is elimination with pivots off the diagonal (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
 * SIAM 2002, 9.3). So coefficients that are known are brought to size 1 by units of rows and unknowns
 * (D. Ruiz, RAL-TR-2001-034), what an error of size 1 in the torn unknowns may become is carried along, and where
 * it grows too far another unknown is torn. Where rows are curves, each of them adds its degree as well: coefficients that
 * depend on what is searched for are taken at a typical point, and what follows by curves may grow less far.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/solver.h"

#include <math.h>
#include <stdlib.h>

enum {
    // Instances of a block that are looked at as they are written: a choice, each asks for a walk through
    // the definitions so far.
    DEFINED_MAX = 400,
    // Simultaneous equations from which on entries are counted: nets of pipes with 94 of them take the
    // same instructions either way, with 278 four fifths, with 643 three fifths, with 2638 a quarter.
    COUNTED_LEAST = 200,
    JOINED_MAX =
        3000, // instances of a system whose blocks are joined: a choice, for the same reason
    UNIT_ROUNDS =
        10, // of units; each halves the distance of the largest coefficients from 1, in powers
};

/* By how much an error of a torn unknown may be magnified in what follows from it: rounding stays below 1e-10 then. Rows
 * with known coefficients are linear, so that Newton's method leaves little else; chains of 50 rows have the same errors
 * with 1e3 and with 1e6, and circuits with conductances far apart keep the unknowns that they had. */
static const double GROWTH_MAX = 1e5;

/* ... in what follows by curves, of which Newton's method leaves more than rounding. Ten to sixty squares in a ring, and forty
 * pipes, are solved with 10 to 200; with 400 the pipes are refused at their start, with 1e5 the squares take ten times
 * the steps. With 100 the wheelset of the test set has one unknown more. */
static const double BENT_GROWTH_MAX = 200;

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
    v->share = arena_array(a, double, nnz);
    v->curved = arena_array(a, uint8_t, nnz);
    v->growth = arena_array(a, double, v->n);
    v->bent = arena_array(a, uint8_t, v->n);
    v->slot = arena_array(a, int, v->n);
    v->of_row = arena_array(a, double, v->n);
    v->of_col = arena_array(a, double, v->n);
    v->definitions = arena_array(a, int, v->n);
    for (int j = 0; j < v->n; j++) v->next_in[j + 1] = v->next_in[j] + v->uses[j];
    int *fill = arena_array(a, int, v->n);
    for (int i = 0; i < v->n; i++)
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
            int j = v->sig.col[e];
            v->rows_of[v->next_in[j] + fill[j]] = i;
            v->entry_of[v->next_in[j] + fill[j]++] = e;
        }
}

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
    bool trial;        // nothing is placed: how many would be torn?
    const int *by;     // by unknown: the equation that is to give it, -1: none; NULL: whichever can
} tearing;

/* The entry of instance j is determined: equations that contain it have one unknown fewer. */
static void tear_determined(tearing *t, int j)
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
        if (inside[j] && structure_order_of(v->b->s, v->list[j].entry) > 0) return true;
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

/* What errors of size 1 in the torn unknowns may become in the one that row i gives, that of entry e of sig. */
static double growth_of(const tearing *t, int i, int e)
{
    const solver *v = t->v;
    double sum = 0, most = 0;
    for (int k = v->sig.start[i]; k < v->sig.start[i + 1]; k++) {
        if (k == e || !t->inside[v->sig.col[k]]) continue;
        double growth = v->growth[v->sig.col[k]];
        if (isnan(v->share[k]) || v->curved[k]) most = fmax(most, growth); // as it is, at least
        if (!isnan(v->share[k])) sum += v->share[k] * growth;
    }
    return fmax(most, isnan(v->share[e]) ? sum : sum / v->share[e]);
}

/* Does what row i gives follow from torn unknowns by a curve? */
static bool is_bent(const tearing *t, int i, int e)
{
    const solver *v = t->v;
    for (int k = v->sig.start[i]; k < v->sig.start[i + 1]; k++) {
        int j = v->sig.col[k];
        if (k != e && t->inside[j] && v->growth[j] > 0 && (v->curved[k] || v->bent[j])) return true;
    }
    return false;
}

/* Row i gives the unknown of entry e of sig; false: it has to stay in y. */
static bool tear_assign(const tearing *t, int i, int e)
{
    solver *v = t->v;
    double growth = growth_of(t, i, e);
    bool bent = is_bent(t, i, e);
    if (growth > (bent ? BENT_GROWTH_MAX : GROWTH_MAX)) return false;
    if (!(t->trial ? v->ways[e] : solver_assign(v, i, v->sig.col[e]))) return false;
    v->growth[v->sig.col[e]] = growth;
    v->bent[v->sig.col[e]] = bent;
    return true;
}

static void tear_put(const tearing *t, int j)
{
    t->v->growth[j] = 1;
    t->v->bent[j] = 0;
    if (!t->trial) solver_put(t->v, j);
}

static void work_off(tearing *t)
{
    solver *v = t->v;
    for (int q = 0; q < t->queue.n; q++) {
        int i = t->queue.at[q], e = v->sig.start[i];
        if (t->used[i] || t->open[i] != 1) continue;
        while (!t->inside[v->sig.col[e]] || v->done[v->sig.col[e]]) e++;
        int j = v->sig.col[e];
        if ((t->by && t->by[j] != i) || !may_solve(v, i, j, t->inside)) continue;
        t->used[i] = tear_assign(t, i, e);
        if (!t->used[i] && !t->by) continue;
        if (!t->used[i]) tear_put(t, j); // it would fill the matrix
        if (t->used[i] && v->b->keep && has_acceleration(v, i, t->inside)) v->b->define--;
        tear_determined(t, j);
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

/* The one term of a sum in which a variable occurs. */
enum { SEVERAL_TERMS = -1 };

static void note_term(map *term_of, expr var, expr term)
{
    uint64_t *at = map_put(term_of, (uint64_t)var);
    *at = (uint64_t)(*at ? SEVERAL_TERMS : term);
}

/* False: the sum has more terms than a row of so many unknowns. */
static bool find_terms(form_builder *b, expr sum, int unknowns, map *term_of)
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
        case EXPR_VAR: note_term(term_of, e, e); break;
        default:
            vars.n = 0;
            dag_vars(&b->d, e, &vars);
            for (int k = 0; k < vars.n; k++) note_term(term_of, vars.at[k], e);
        }
    }
    return true;
}

/* For which of its unknowns can row i be solved? In a long sum what an unknown occurs in tells, if it is one
 * term. */
static void find_ways_of(solver *v, int i, const char *inside)
{
    enum { LONG_ROW = 32 };
    int first = v->sig.start[i], end = v->sig.start[i + 1];
    map term_of;
    map_init(&term_of, v->b->scratch);
    bool found =
        end - first > LONG_ROW && find_terms(v->b, solver_function(v, i), end - first, &term_of);
    for (int e = first; e < end; e++) {
        expr guard;
        int j = v->sig.col[e];
        if (!inside[j] || !may_solve(v, i, j, inside)) continue;
        const uint64_t *term = found ? map_find(&term_of, (uint64_t)solver_variable(v, j)) : NULL;
        bool alone = term && *term != (uint64_t)SEVERAL_TERMS;
        v->ways[e] =
            alone ? solver_solves_term(v, i, j, (expr)*term) : solver_solve(v, i, j, &guard) != 0;
    }
}

static void find_ways(solver *v, const int *block, int n, const char *inside)
{
    for (int k = 0; k < n; k++) find_ways_of(v, block[k], inside);
}

/* ---- coefficients ---------------------------------------------------------------------------- */

enum {
    PARTS_MAX = 64
}; // of a row, for each of its unknowns: beyond, what is left is not looked into

/* A point at which unknowns have their start values, or their nominal values where they start at 0. Those of the block go
 * along a line from there, each in a way of its own, and one of them may be moved by a hundredth. */
typedef struct typical_point {
    const solver *v;
    const int *slot;
    double along; // the line, of which 0 is the point itself
    int moved;    // entry, -1: none
} typical_point;

static const double TYPICAL_MOVE = 0.01;

static double typical_size(const solver *v, int entry)
{
    const structure *s = v->b->s;
    const structure_attributes *x = structure_attributes_of(s, entry);
    const expr tries[] = {x->start, x->nominal};
    double size;
    for (int k = 0; k < 2; k++)
        if (tries[k] && structure_eval(s, s->p_default, tries[k], v->b->scratch, &size) &&
            size != 0)
            return size;
    return 1;
}

static double typical_value(void *user, int var, int order)
{
    enum { WAYS = 7 };
    const typical_point *at = user;
    const structure *s = at->v->b->s;
    if (var < s->n_flat && !order && s->vars[var].role == STRUCTURE_PARAMETER)
        return s->p_default[s->vars[var].place];
    int entry = structure_entry_at(s, var, order), j = entry < 0 ? -1 : at->v->instance[entry];
    if (entry < 0) return 0; // a discrete variable, which is off
    double size = typical_size(at->v, entry);
    if (entry == at->moved) size *= 1 + TYPICAL_MOVE;
    if (j >= 0 && at->slot[j]) size *= 1 + at->along * (1 + at->slot[j] % WAYS / (double)WAYS);
    return size;
}

static double evaluate_typical(const solver *v, expr e, const int *slot, double along, int moved)
{
    typical_point at = {v, slot, along, moved};
    const char *why;
    double x;
    return expr_eval(v->b->s->pool, e, 0, typical_value, &at, v->b->scratch, &x, &why) ? NAN : x;
}

/* Is e no straight line along the line? *value is that of the point. Where it has no value there, nothing is known. */
static bool is_curved(const solver *v, expr e, const int *slot, double *value)
{
    static const double ROUNDING = 1e-9; // of one and the same sum
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = evaluate_typical(v, e, slot, k, -1);
    *value = x[0];
    return fabs(x[0] - 2 * x[1] + x[2]) > ROUNDING * (fabs(x[0]) + 2 * fabs(x[1]) + fabs(x[2]));
}

static bool meets_slots(const solver *v, expr e, const int *slot, int_array *vars)
{
    vars->n = 0;
    dag_vars(&v->b->d, e, vars);
    for (int q = 0; q < vars->n; q++) {
        int entry = structure_entry_of(v->b->s, vars->at[q]);
        if (entry >= 0 && v->instance[entry] >= 0 && slot[v->instance[entry]]) return true;
    }
    return false;
}

/* share[e] := the coefficient of row i where it is known, else NaN; where it depends on what is searched for, that of a
 * typical point, and curved[e]. slot: by instance, its entry in the row + 1. */
static void find_coefficients(solver *v, int i, const char *inside, int *slot)
{
    typedef struct part {
        expr e;
        double factor;
    } part;
    form_builder *b = v->b;
    const structure *s = b->s;
    ARRAY(part) open = {0};
    int_array vars = {0};
    int first = v->sig.start[i], end = v->sig.start[i + 1], parts = 0;
    for (int e = first; e < end; e++) {
        v->share[e] = v->curved[e] = 0;
        if (inside[v->sig.col[e]]) slot[v->sig.col[e]] = e + 1;
    }
    array_push(b->scratch, &open, ((part){solver_function(v, i), 1}));
    while (open.n) {
        part x = open.at[--open.n];
        expr_node n = *expr_at(s->pool, x.e);
        double k;
        bool left = false;
        if (++parts > PARTS_MAX * (end - first)) n.op = EXPR_NONE; // sums of sums that are shared
        switch ((expr_op)n.op) {
        case EXPR_ADD:
        case EXPR_SUB:
            array_push(b->scratch, &open,
                       ((part){n.u.arg[1], n.op == EXPR_SUB ? -x.factor : x.factor}));
            array_push(b->scratch, &open, ((part){n.u.arg[0], x.factor}));
            continue;
        case EXPR_NEG: array_push(b->scratch, &open, ((part){n.u.arg[0], -x.factor})); continue;
        case EXPR_MUL: left = form_settled(b, n.u.arg[0], &k); // fall through
        case EXPR_DIV:
            if (left || form_settled(b, n.u.arg[1], &k)) {
                k = n.op == EXPR_DIV ? x.factor / k : x.factor * k;
            } else { // linear all the same?
                k = NAN;
                left = n.op == EXPR_MUL && !meets_slots(v, n.u.arg[0], slot, &vars);
                if (!left && meets_slots(v, n.u.arg[1], slot, &vars)) break;
            }
            array_push(b->scratch, &open, ((part){n.u.arg[left], k}));
            continue;
        case EXPR_IF:
            array_push(b->scratch, &open, ((part){n.u.arg[2], NAN}));
            array_push(b->scratch, &open, ((part){n.u.arg[1], NAN}));
            continue;
        default: break;
        }
        double value = 0;
        bool curved =
            n.op != EXPR_VAR && meets_slots(v, x.e, slot, &vars) && is_curved(v, x.e, slot, &value);
        vars.n = 0;
        dag_vars(&b->d, x.e, &vars);
        for (int q = 0; q < vars.n; q++) {
            int entry = structure_entry_of(s, vars.at[q]), j = entry < 0 ? -1 : v->instance[entry];
            if (j < 0 || !slot[j]) continue;
            double slope = n.op == EXPR_VAR ? 1 : NAN;
            if (curved)
                slope = (evaluate_typical(v, x.e, slot, 0, entry) - value) /
                        (typical_size(v, entry) * TYPICAL_MOVE);
            v->share[slot[j] - 1] += x.factor * slope;
            v->curved[slot[j] - 1] |= curved;
        }
    }
    for (int e = first; e < end; e++) slot[v->sig.col[e]] = 0;
}

/* Sizes of coefficients, in units in which the largest of each row and of each unknown is 1. Those that are not known
 * stay NaN. */
static void find_shares(solver *v, const int *block, int n, const char *inside)
{
    double *of_row = v->of_row, *of_col = v->of_col;
    for (int k = 0; k < n; k++) find_coefficients(v, block[k], inside, v->slot);
    for (int round = 0; round < UNIT_ROUNDS; round++) {
        for (int k = 0; k < n; k++) of_row[block[k]] = of_col[block[k]] = 0;
        for (int k = 0; k < n; k++)
            for (int e = v->sig.start[block[k]]; e < v->sig.start[block[k] + 1]; e++) {
                double x = fabs(v->share[e]);
                int j = v->sig.col[e];
                if (!inside[j] || !isfinite(x)) continue;
                of_row[block[k]] = fmax(of_row[block[k]], x);
                of_col[j] = fmax(of_col[j], x);
            }
        for (int k = 0; k < n; k++)
            for (int e = v->sig.start[block[k]]; e < v->sig.start[block[k] + 1]; e++) {
                int j = v->sig.col[e];
                if (inside[j] && v->share[e] != 0)
                    v->share[e] /= sqrt(of_row[block[k]]) * sqrt(of_col[j]);
            }
    }
    for (int k = 0; k < n; k++)
        for (int e = v->sig.start[block[k]]; e < v->sig.start[block[k] + 1]; e++) {
            double x = fabs(v->share[e]);
            v->share[e] = isfinite(x) ? x : NAN;
        }
}

/* Nothing is determined but what y' is. */
static void tear_begin(tearing *t)
{
    solver *v = t->v;
    t->queue.n = t->changed.n = 0;
    heap_clear(t->candidates);
    for (int k = 0; k < t->n; k++) {
        int i = t->block[k];
        t->open[i] = t->used[i] = 0;
        v->done[i] = false;
        v->growth[i] = 0; // until it is determined
        v->bent[i] = 0;
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++)
            t->open[i] += t->inside[v->sig.col[e]];
        if (t->open[i] == 1) array_push(v->b->scratch, &t->queue, i);
    }
    for (int k = 0; k < t->n; k++) {
        int low = solver_lower(v, t->block[k]);
        if (low < 0) continue;
        if (!t->trial) form_put_derivative(v->b, v->list[t->block[k]].entry, low);
        v->growth[t->block[k]] = 1;
        tear_determined(t, t->block[k]);
    }
}

/* The number of unknowns that are torn, one by one. */
static int tear_by_score(tearing *t)
{
    tear_begin(t);
    for (int torn = 0;; torn++) {
        work_off(t);
        int j = choose_tear(t);
        if (j < 0) return torn;
        tear_put(t, j);
        tear_determined(t, j);
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Entries of a row that stays: components of y that it, or a value in it, depends on. */
static int count_entries(const tearing *t, int i, int *seen)
{
    const solver *v = t->v;
    int count = 0;
    for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
        int entry = v->list[v->sig.col[e]].entry, m = 1;
        image_place at = v->b->f->places[entry];
        int component = at.at;
        const int *list = &component;
        if (!t->inside[v->sig.col[e]]) continue;
        if (at.where == IMAGE_ASSIGNED) {
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

/* Would substituting as usual leave rows with more entries than the equations have? Places are as they were
 * afterwards. */
static bool tearing_fills(tearing *t)
{
    solver *v = t->v;
    form_builder *b = v->b;
    image_place *places = arena_array(b->scratch, image_place, t->n);
    int most = b->f->unknowns.n + t->n, define = b->define;
    if (v->n_counted < most) { // rows are in one block each, and so are their marks
        size_t had = (size_t)v->n_counted * sizeof *v->counted;
        v->n_counted = 2 * most;
        v->counted =
            arena_resize(b->scratch, v->counted, had, 2 * (size_t)most * sizeof *v->counted);
    }
    for (int k = 0; k < t->n; k++) places[k] = b->f->places[v->list[t->block[k]].entry];
    v->counting = true;
    v->n_torn = 0;
    tear_by_score(t);
    v->counting = false;
    int64_t written = 0, rows = 0;
    for (int k = 0; k < t->n; k++) {
        int i = t->block[k];
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++)
            written += t->inside[v->sig.col[e]];
        if (!t->used[i]) rows += count_entries(t, i, v->counted);
    }
    for (int k = 0; k < t->n; k++) b->f->places[v->list[t->block[k]].entry] = places[k];
    b->define = define;
    return rows > written;
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* Does what gives this unknown lead back to unknown j? */
static bool leads_back(const tearing *t, const int *by, int from, int j, int_array *stack)
{
    solver *v = t->v;
    stack->n = 0;
    array_push(v->b->scratch, stack, from);
    while (stack->n) {
        int k = stack->at[--stack->n];
        if (k == j) return true;
        if (v->seen[k] == v->stamp || by[k] < 0) continue;
        v->seen[k] = v->stamp;
        for (int e = v->sig.start[by[k]]; e < v->sig.start[by[k] + 1]; e++)
            if (t->inside[v->sig.col[e]] && v->sig.col[e] != k)
                array_push(v->b->scratch, stack, v->sig.col[e]);
    }
    return false;
}

/* Is the unknown j alone on one side of equation i, both differentiated as often? */
static bool is_written_for(const solver *v, int i, int j)
{
    const structure *s = v->b->s;
    const structure_equation *q = &s->equations.at[v->list[i].equation];
    const expr sides[] = {q->lhs, q->rhs};
    for (int k = 0; k < 2; k++) {
        if (!sides[k] || expr_at(s->pool, sides[k])->op != EXPR_VAR) continue;
        int e = structure_entry_of(s, sides[k]), own = v->list[j].entry;
        if (e >= 0 && e + v->list[i].derivative == own &&
            s->entries.at[e].unknown == s->entries.at[own].unknown)
            return true;
    }
    return false;
}

static int define_compare(const void *x, const void *y)
{
    const form_instance *a = *(const form_instance *const *)x,
                        *b = *(const form_instance *const *)y;
    return a->equation != b->equation ? a->equation - b->equation : a->derivative - b->derivative;
}

/* In the order in which they are written, equations with an unknown alone on one side, then others, each for the first
 * unknown that it can be solved for. by: see tearing. The number of unknowns without one. */
static int tear_define(tearing *t, int *by)
{
    solver *v = t->v;
    arena *a = v->b->scratch;
    int_array stack = {0};
    const form_instance **order = arena_array(a, const form_instance *, t->n);
    if (!v->seen) v->seen = arena_array(a, int, v->n);
    tear_begin(t);
    for (int k = 0; k < t->n; k++) {
        order[k] = &v->list[t->block[k]];
        by[t->block[k]] = -1;
    }
    qsort(order, (size_t)t->n, sizeof *order, define_compare);
    int torn = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < t->n; k++) {
            int i = (int)(order[k] - v->list);
            for (int e = v->sig.start[i]; e < v->sig.start[i + 1] && !t->used[i]; e++) {
                int j = v->sig.col[e];
                if (!t->inside[j] || v->done[j] || by[j] >= 0 || !v->ways[e]) continue;
                if (!pass && !is_written_for(v, i, j)) continue;
                bool back = false;
                v->stamp++;
                for (int f = v->sig.start[i]; f < v->sig.start[i + 1] && !back; f++)
                    back = v->sig.col[f] != j && t->inside[v->sig.col[f]] &&
                           leads_back(t, by, v->sig.col[f], j, &stack);
                if (back) continue;
                by[j] = i;
                t->used[i] = 1;
            }
        }
    for (int k = 0; k < t->n; k++) torn += !v->done[t->block[k]] && by[t->block[k]] < 0;
    return torn;
}

static void tear_by_definitions(tearing *t, const int *by)
{
    t->by = by;
    tear_begin(t);
    for (int k = 0; k < t->n; k++) {
        int j = t->block[k];
        if (t->v->done[j] || by[j] >= 0) continue;
        tear_put(t, j);
        tear_determined(t, j);
    }
    work_off(t);
}

/* Does the block differentiate a constraint? */
static bool has_constraint(const solver *v, const int *block, int n)
{
    for (int k = 0; k < n; k++)
        if (v->b->s->equations.at[v->list[block[k]].equation].c) return true;
    return false;
}

static tearing tear_new(solver *v, const int *block, int n, solve_marks *m)
{
    tearing t = {
        .v = v, .block = block, .n = n, .open = m->open, .inside = m->inside, .used = m->used};
    if (!v->next_in) make_columns(v);
    t.candidates = &v->candidates;
    v->loop = true;
    for (int k = 0; k < n; k++) t.inside[block[k]] = 1;
    find_ways(v, block, n, t.inside);
    find_shares(v, block, n, t.inside);
    return t;
}

static void tear_end(tearing *t)
{
    for (int k = 0; k < t->n; k++) t->inside[t->block[k]] = 0;
    t->v->loop = false;
}

/* The least number of unknowns that are torn, and *by, by definitions; NULL: these leave no fewer, or are not asked. */
static int tear_least(tearing *t, int **by)
{
    *by = NULL;
    t->trial = true;
    int torn = t->n;
    if (t->n <= DEFINED_MAX) torn = tear_by_score(t);
    if (t->n <= DEFINED_MAX && has_constraint(t->v, t->block, t->n)) {
        int defined = tear_define(t, t->v->definitions);
        if (defined < torn) *by = t->v->definitions;
        if (defined < torn) torn = defined;
    }
    t->trial = false;
    return torn;
}

void solver_tear(solver *v, const int *block, int n, solve_marks *m)
{
    tearing t = tear_new(v, block, n, m);
    v->b->implicit = true;
    int *by = NULL;
    if (!v->b->keep && has_constraint(v, block, n)) tear_least(&t, &by);
    v->lean = !by && n > COUNTED_LEAST && tearing_fills(&t);
    if (by) tear_by_definitions(&t, by);
    else tear_by_score(&t);
    v->lean = false;
    for (int k = 0; k < n; k++)
        if (!t.used[block[k]]) solver_row(v, block[k]);
    tear_end(&t);
}

/* ---- blocks that are solved together --------------------------------------------------------- */

typedef struct joining {
    solver *v;
    solve_marks *m;
    graph_blocks sorted;
    int *of;     // by instance: its block
    int *parent; // by block: of those that may be joined
    char *stuck; // by block: it may be joined with others
} joining;

static int join_order(const solver *v, int i)
{
    return structure_order_of(v->b->s, v->list[i].entry);
}

/* Not explicit, and of one order: positions are joined with positions, velocities with velocities. */
static bool is_stuck(solver *v, const int *block, int n)
{
    expr guard;
    for (int k = 0; k < n; k++)
        if (join_order(v, block[k]) != join_order(v, *block) || solver_lower(v, block[k]) >= 0)
            return false;
    return n > 1 || !solver_solve(v, *block, *block, &guard);
}

static int join_count(joining *x, const int *block, int n)
{
    int *by;
    tearing t = tear_new(x->v, block, n, x->m);
    int torn = tear_least(&t, &by);
    for (int k = 0; k < n; k++) {
        x->v->done[block[k]] = false;
        x->m->used[block[k]] = 0;
    }
    tear_end(&t);
    return torn;
}

/* The blocks in order, those of one root together, with what is between them. */
static graph_blocks join_components(const joining *x)
{
    const solver *v = x->v;
    arena *a = v->b->scratch;
    int_array col = {0};
    int *first = arena_array(a, int, x->sorted.n), *last = arena_array(a, int, x->sorted.n);
    int *more = arena_array(a, int, v->n);  // by instance: one that it is to depend on, + 1
    for (int k = 0; k < x->sorted.n; k++) { // a ring of those of one root
        if (!x->stuck[k]) continue;
        int root = graph_root(x->parent, k), own = x->sorted.item[x->sorted.start[k]] + 1;
        if (!first[root]) first[root] = own;
        else more[last[root] - 1] = own;
        last[root] = own;
        more[own - 1] = first[root];
    }
    graph_pattern q = {.n_rows = v->n, .n_cols = v->n, .start = arena_array(a, int, v->n + 1)};
    for (int i = 0; i < v->n; i++) {
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++)
            array_push(a, &col, v->sig.col[e]);
        if (more[i]) array_push(a, &col, more[i] - 1);
        q.start[i + 1] = col.n;
    }
    q.col = col.at;
    return graph_components(&q, a, a);
}

/* Those of a root are not to be joined: without the blocks that differentiate nothing, if there are any; or not at all. */
static void join_drop(joining *x, int root)
{
    bool free = false;
    for (int round = 0; round < 2 && !free; round++)
        for (int k = 0; k < x->sorted.n; k++) {
            const int *block = x->sorted.item + x->sorted.start[k];
            int n = x->sorted.start[k + 1] - x->sorted.start[k];
            if (!x->stuck[k] || graph_root(x->parent, k) != root) continue;
            if (!round && has_constraint(x->v, block, n)) continue;
            x->stuck[k] = 0;
            free = true;
        }
}

/* Unknowns that the blocks in `block` take apart; 0: they are fewer than two. *root is theirs. */
static int join_apart(joining *x, const int *block, int n, int *root)
{
    int apart = 0, parts = 0;
    for (int i = 0; i < n; i++) {
        int k = x->of[block[i]], from = x->sorted.start[k];
        if (!x->stuck[k] || block[i] != x->sorted.item[from]) continue;
        apart += join_count(x, x->sorted.item + from, x->sorted.start[k + 1] - from);
        *root = graph_root(x->parent, k);
        parts++;
    }
    return parts < 2 ? 0 : apart;
}

/* Blocks of `joined` that take no fewer unknowns than theirs do apart are not joined. True: there are some. */
static bool join_refuse(joining *x, const graph_blocks *joined)
{
    bool refused = false;
    for (int k = 0; k < joined->n; k++) {
        const int *block = joined->item + joined->start[k];
        int n = joined->start[k + 1] - joined->start[k], root = -1;
        if (n < 2) continue;
        int apart = join_apart(x, block, n, &root);
        if (!apart || (has_constraint(x->v, block, n) && join_count(x, block, n) < apart)) continue;
        join_drop(x, root);
        refused = true;
    }
    return refused;
}

static bool differentiates(const solver *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->list[i].derivative) return true;
    return false;
}

graph_blocks solver_join(solver *v, graph_blocks sorted, solve_marks *m)
{
    arena *a = v->b->scratch;
    joining x = {.v = v, .m = m, .sorted = sorted};
    if (v->b->keep || v->n > JOINED_MAX || !differentiates(v)) return sorted;
    x.of = arena_array(a, int, v->n);
    x.parent = arena_array(a, int, sorted.n);
    x.stuck = arena_array(a, char, sorted.n);
    for (int k = 0; k < sorted.n; k++) {
        const int *block = sorted.item + sorted.start[k];
        int n = sorted.start[k + 1] - sorted.start[k];
        x.parent[k] = k;
        x.stuck[k] = is_stuck(v, block, n);
        for (int i = 0; i < n; i++) x.of[block[i]] = k;
    }
    bool any = false;
    for (int i = 0; i < v->n; i++)
        for (int e = v->sig.start[i]; e < v->sig.start[i + 1]; e++) {
            int j = v->sig.col[e], own = x.of[i], other = x.of[j];
            if (own == other || !x.stuck[own] || !x.stuck[other] ||
                join_order(v, i) != join_order(v, j))
                continue;
            x.parent[graph_root(x.parent, own)] = graph_root(x.parent, other);
            any = true;
        }
    while (any) {
        graph_blocks joined = join_components(&x);
        any = join_refuse(&x, &joined);
        if (!any) return joined;
    }
    return sorted;
}
