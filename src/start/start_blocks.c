/* Start values block by block, in order.
 *
 * Newton's method for everything at once begins at a point where every equation must have a value and a
 * slope: der(x) = -sqrt(x) has none at x = 0, although an initial equation gives x = 1. So what follows
 * from fixed values is solved first, then what follows from that, and so on (start_order.c); what is left
 * free is changed as little as possible. Blocks of one row are solved all at once, level by level. Of a large
 * system only the rows of the block, or of the level, are evaluated (start_piece.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "newton/iterate.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

/* Evaluations of all equations that a block may take where its solution is a guess: twice a search that
 * comes to rest at once, with all the halvings of its last step (measured on heat exchangers: 25; where
 * it does not come to rest, it would take two thousand). */
enum { GUESS_EVALUATIONS = 50 };
/* ... and of blocks of one row for which no guess is found: where each takes evaluations of all equations, and so many
 * in a row have none, the others of their level will not either. */
enum { GUESSES_IN_VAIN = 32 };
/* ... and of trials on the way of one step: where a hundredth of it does not help, the block is left. */
enum { GUESS_TRIALS = 7 };
/* Rows of a level in blocks of several, from which on one sparse search finds all of them. No point that
 * is drawn at random is near a solution of so many: they begin where they are. */
enum { TOGETHER_ROWS = 100 };
/* ... or so many blocks, where each of them would take evaluations of all equations: choice, a search that fails costs
 * as much as one of them. */
enum { TOGETHER_BLOCKS = 16 };

typedef struct blocks {
    start_order o;
    start *a;
    least_report *report;
    bool scatter;           // blocks that are not solved begin elsewhere, too
    bool guess;             // ... are left as they are
    int left, trials;       // evaluations that a guess may still take, in all and with this slope
    const start_block *now; // solved at present
    int *at;                // by row: its place in what is solved at present, or -1
    int *seen, n_seen;      // by place in z: the last block that it was found in
    start_pieces pieces;
    start_piece *piece; // what is solved at present, by itself; NULL: with all rows
    int *guess_level;   // by guess: the level of its unknown
    double *r, *size;   // all residuals, and how large their terms are
    int *row, *z, n;    // rows to be solved now, each for its unknown
    bool sloped;        // slopes of a point on their way are there
    double *best, *found, *step;
    /* Of the block that is solved: its Jacobian, and of entry k of the system, in list, the place in it. */
    vinc_pattern pattern;
    int_array list, place;
} blocks;

static bool evaluate(blocks *b)
{
    if (!b->piece) return start_residual(b->a, b->r) >= 0;
    start_piece_residual(b->piece, b->r);
    return !run_stops(b->a->s);
}

static void find_slopes(blocks *b)
{
    if (b->piece) start_piece_jacobian(b->piece);
    else start_jacobian(b->a);
}

/* z has moved in what is solved. A piece takes it from there. */
static void spread(blocks *b)
{
    if (!b->piece) start_spread(b->a, b->a->z);
}

/* Its unknowns, then the others in its rows: they do not move, but say how large the terms are. */
static start_block with_known(blocks *b, const start_block *x)
{
    const graph_pattern *g = &b->o.by_row;
    int_array cols = {0};
    b->n_seen++;
    for (int k = 0; k < x->n_cols; k++) {
        b->seen[x->cols[k]] = b->n_seen;
        array_push(b->o.scratch, &cols, x->cols[k]);
    }
    for (int i = 0; i < x->n_rows; i++)
        for (int e = g->start[x->rows[i]]; e < g->start[x->rows[i] + 1]; e++) {
            if (b->seen[g->col[e]] == b->n_seen) continue;
            b->seen[g->col[e]] = b->n_seen;
            array_push(b->o.scratch, &cols, g->col[e]);
        }
    return (start_block){x->n_rows, cols.n, x->level, x->rows, cols.at};
}

/* From here to leave() only the rows of x are of interest. */
static void enter(blocks *b, const start_block *x, start_piece *piece)
{
    for (int i = 0; i < x->n_rows; i++) b->at[x->rows[i]] = i;
    b->now = x;
    b->piece = start_piece_make(&b->pieces, x, b->at, piece) ? piece : NULL;
}

static void leave(blocks *b)
{
    if (b->piece) start_piece_spread(b->piece);
    else start_spread(b->a, b->a->z);
    b->piece = NULL;
    for (int i = 0; i < b->now->n_rows; i++) b->at[b->now->rows[i]] = -1;
}

/* Is z between the min and max of unknown k? A guess that is not leads nowhere. */
static bool in_bounds(const start *a, int k, double z)
{
    int e = start_entry(a, k < a->m->n ? k : a->z_yp[k - a->m->n]);
    if (e < 0) return true;
    const code_range *q =
        &a->m->parameters.ranges.at[start_attributes(a, e + (k >= a->m->n))->range];
    return z >= run_value(a->s, &q->min) && z <= run_value(a->s, &q->max);
}

/* ---- one block ------------------------------------------------------------------------------- */

static int block_eval(void *user, const double *z, double *r, double *j)
{
    blocks *b = user;
    start *a = b->a;
    const start_entries *q = &b->o.q;
    const start_block *x = b->now;
    if (j) b->trials = GUESS_TRIALS;
    if (b->guess && (b->left <= 0 || b->trials <= 0)) return 1;
    if (watch_look(run_mem(a->s)->watch)) return -1;
    b->left--;
    b->trials--;
    for (int k = 0; k < x->n_cols; k++) a->z[x->cols[k]] = z[k];
    spread(b);
    if (!evaluate(b)) return -1;
    for (int i = 0; i < x->n_rows; i++) {
        r[i] = b->r[x->rows[i]];
        if (!isfinite(r[i])) return 1;
    }
    if (!j) return 0;
    find_slopes(b);
    memset(j, 0, (size_t)b->pattern.nnz * sizeof *j);
    for (int k = 0; k < b->list.n; k++) j[b->place.at[k]] += start_value(q, b->list.at[k]);
    return 0;
}

/* The rows of a column ascend; an entry may have several sources. */
static void list_entries(blocks *b)
{
    const start_entries *q = &b->o.q;
    const start_block *x = b->now;
    arena *s = b->o.scratch;
    int_array row = {0};
    int *begin = arena_array(s, int, x->n_cols + 1);
    b->list = b->place = (int_array){0};
    for (int k = 0; k < x->n_cols; k++) {
        int first = b->list.n;
        for (int e = q->begin[x->cols[k]]; e < q->begin[x->cols[k] + 1]; e++) {
            int i = b->at[q->row[e]], to = b->list.n;
            if (i < 0) continue;
            array_push(s, &b->list, e);
            for (; to > first && b->at[q->row[b->list.at[to - 1]]] > i; to--)
                b->list.at[to] = b->list.at[to - 1];
            b->list.at[to] = e;
        }
        begin[k] = row.n;
        for (int p = first; p < b->list.n; p++) {
            int i = b->at[q->row[b->list.at[p]]];
            if (row.n == begin[k] || array_last(&row) != i) array_push(s, &row, i);
            array_push(s, &b->place, row.n - 1);
        }
    }
    begin[x->n_cols] = row.n;
    b->pattern = (vinc_pattern){x->n_rows, x->n_cols, row.n, begin, row.at};
}

/* least: the unknowns are more than the rows, and those that count change least. Values stay as they
 * were where it fails. */
static int block_solve(blocks *b, const start_block *of, bool least)
{
    start *a = b->a;
    arena *s = b->o.scratch;
    arena_mark here = arena_here(s);
    start_block all = with_known(b, of), *x = &all;
    start_piece piece;
    double *z = arena_array(s, double, x->n_cols + 1),
           *nominal = arena_array(s, double, x->n_cols + 1),
           *weight = arena_array(s, double, x->n_cols + 1),
           *given = arena_array(s, double, x->n_cols + 1);
    uint8_t *fixed = arena_array(s, uint8_t, x->n_cols + 1);
    enter(b, x, &piece);
    list_entries(b);
    b->left = GUESS_EVALUATIONS;
    b->trials = GUESS_TRIALS;
    for (int k = 0; k < x->n_cols; k++) {
        given[k] = z[k] = a->z[x->cols[k]];
        nominal[k] = a->nominal[x->cols[k]];
        weight[k] = least ? a->weight[x->cols[k]] : 0;
        fixed[k] = k >= of->n_cols;
    }
    least_problem p = {.m = x->n_rows,
                       .n = x->n_cols,
                       .eval = block_eval,
                       .user = b,
                       .pattern = &b->pattern,
                       .nominal = nominal,
                       .weight = weight,
                       .fixed = fixed,
                       .tol = a->tol};
    least_report report;
    int rc = least_solve(run_mem(a->s), &p, z, NULL, &report);
    bool few = x->n_rows < TOGETHER_ROWS;
    if (few && (rc == LEAST_UNDEFINED || (rc > 0 && b->scatter))) { // begin elsewhere
        memcpy(z, given, (size_t)x->n_cols * sizeof *z);
        p.scatter = true;
        rc = least_solve(run_mem(a->s), &p, z, NULL, &report);
    }
    b->report->iterations += report.iterations;
    bool taken = !rc || (b->guess && rc == LEAST_CONFLICT); // a compromise is a guess, too
    for (int k = 0; k < of->n_cols && b->guess && taken; k++)
        taken = in_bounds(a, of->cols[k], z[k]);
    for (int k = 0; k < x->n_cols; k++) a->z[x->cols[k]] = taken ? z[k] : given[k];
    leave(b);
    arena_release(s, here);
    return rc;
}

/* ---- rows of one unknown each ---------------------------------------------------------------- */

/* Where a row has no value with its unknown as it is: the power of ten with the smallest residual. */
static void look_around(blocks *b)
{
    enum { DECADES = 12 };
    start *a = b->a;
    bool search = false;
    evaluate(b);
    for (int k = 0; k < b->n; k++) {
        b->best[k] = isfinite(b->r[b->row[k]]) ? 0 : INFINITY;
        b->found[k] = a->z[b->z[k]];
        search = search || b->best[k] > 0;
    }
    for (int i = -2 * DECADES; search && i <= 2 * DECADES + 1; i++) {
        double size = (i & 1 ? -1 : 1) * pow(10, i >> 1);
        for (int k = 0; k < b->n; k++)
            if (b->best[k] > 0) a->z[b->z[k]] = size * a->nominal[b->z[k]];
        spread(b);
        evaluate(b);
        for (int k = 0; k < b->n; k++) {
            double r = fabs(b->r[b->row[k]]);
            if (!(r < b->best[k])) continue;
            b->best[k] = r;
            b->found[k] = a->z[b->z[k]];
        }
    }
    for (int k = 0; k < b->n; k++) a->z[b->z[k]] = b->found[k];
    spread(b);
}

/* How large the terms of each row are: of what its unknowns do to it. */
static void measure_rows(blocks *b)
{
    const start_entries *q = &b->o.q;
    const start *a = b->a;
    for (int i = 0; i < b->now->n_rows; i++) b->size[b->now->rows[i]] = 0;
    for (int k = 0; k < b->now->n_cols; k++) {
        int z = b->now->cols[k];
        for (int e = q->begin[z]; e < q->begin[z + 1]; e++) {
            double d = problem_term(start_value(q, e), fabs(a->z[z]) + a->nominal[z]);
            if (b->at[q->row[e]] >= 0) b->size[q->row[e]] = fmax(b->size[q->row[e]], d);
        }
    }
}

static double slope_of(const blocks *b, int k)
{
    const start_entries *q = &b->o.q;
    double slope = 0;
    for (int e = q->begin[b->z[k]]; e < q->begin[b->z[k] + 1]; e++)
        if (q->row[e] == b->row[k]) slope += start_value(q, e);
    return slope;
}

/* The steps by the slopes that are there: the largest. all: each row has one. */
static double single_steps(blocks *b, bool *all)
{
    const start *a = b->a;
    double most = 0;
    *all = true;
    for (int k = 0; k < b->n; k++) {
        double d = b->r[b->row[k]] / slope_of(b, k);
        b->step[k] = isfinite(d) ? d : 0;
        *all = *all && isfinite(d);
        most = fmax(most, fabs(b->step[k]) / (fabs(a->z[b->z[k]]) + a->nominal[b->z[k]]));
    }
    return most;
}

/* Newton's method in one unknown for each row, all at once. Where rows are linear, which most are, the first
 * slopes tell that the first step was enough. */
static double single_step(void *user, bool anew, double *measure)
{
    blocks *b = user;
    (void)anew, (void)measure;
    evaluate(b);
    bool all = false;
    double most = b->sloped ? single_steps(b, &all) : INFINITY;
    if (all && most <= newton_for_single_rows.solved) return most;
    find_slopes(b);
    b->sloped = true;
    return single_steps(b, &all);
}

static double single_move(void *user, double factor)
{
    blocks *b = user;
    start *a = b->a;
    for (int k = 0; k < b->n; k++) a->z[b->z[k]] -= factor * b->step[k];
    spread(b);
    return 0;
}

/* Is b->step[k] 1 where row k holds? */
static void search_singles(blocks *b)
{
    static const newton_verbs verbs = {.correction = single_step, .trial = single_move};
    newton_course course;
    start *a = b->a;
    b->sloped = false;
    look_around(b); // keeps where each began in b->found
    newton_iterate(&verbs, b, &newton_for_single_rows, &course);
    b->report->iterations += course.iterations;
    evaluate(b);
    measure_rows(b); // by the slopes of the last step
    for (int k = 0; k < b->n; k++) {
        double size = b->size[b->row[k]];
        b->step[k] = fabs(b->r[b->row[k]]) <= a->tol * (size > 0 ? size : 1);
    }
    for (int k = 0; k < b->n; k++) {
        if (b->guess && !in_bounds(a, b->z[k], a->z[b->z[k]])) b->step[k] = 0;
        if (b->step[k] == 0) a->z[b->z[k]] = b->found[k];
    }
}

/* Those that did not come to rest on their row are solved with damped steps, from where they began. */
static const start_block *solve_singles(blocks *b, int level)
{
    const start_block *first = b->o.square + b->o.level_start[level];
    const start_block *end = b->o.square + b->o.level_start[level + 1];
    arena_mark here = arena_here(b->o.scratch);
    start_piece piece;
    b->n = 0;
    for (const start_block *x = first; x < end; x++) {
        if (x->n_rows > 1) continue;
        b->row[b->n] = x->rows[0];
        b->z[b->n++] = x->cols[0];
    }
    if (!b->n) return NULL;
    start_block all = {b->n, b->n, level, b->row, b->z};
    all = with_known(b, &all);
    enter(b, &all, &piece);
    search_singles(b);
    leave(b);
    arena_release(b->o.scratch, here);
    int k = 0, vain = 0;
    for (const start_block *x = first; x < end && vain < GUESSES_IN_VAIN; x++) {
        if (x->n_rows > 1 || b->step[k++] != 0) continue;
        bool failed = block_solve(b, x, false);
        if (failed && !b->guess) return x;
        vain = failed && !b->pieces.open ? vain + 1 : 0;
    }
    return NULL;
}

/* ---- start values that were found ------------------------------------------------------------ */

/* The level of each unknown that has one, and of those that come after all levels. */
static void note_guess_levels(blocks *b)
{
    const start *a = b->a;
    arena *s = b->o.scratch;
    if (!a->x->n_guesses || b->guess) return;
    int *level = arena_array(s, int, a->n_z + 1);
    b->guess_level = arena_array(s, int, a->x->n_guesses);
    for (int z = 0; z < a->n_z; z++) level[z] = -1;
    for (int k = 0; k < b->o.n_square; k++)
        for (int i = 0; i < b->o.square[k].n_cols; i++)
            level[b->o.square[k].cols[i]] = b->o.square[k].level;
    for (int i = 0; i < b->o.under.n_cols; i++) level[b->o.under.cols[i]] = b->o.n_levels;
    for (int k = 0; k < a->x->n_guesses; k++) b->guess_level[k] = level[a->x->guess_of[k]];
}

/* Start values of what is not solved yet, that follow from what is. */
static void take_guesses(blocks *b, int level)
{
    start *a = b->a;
    int n = a->x->n_guesses;
    if (!n || b->guess) return;
    arena *s = b->o.scratch;
    arena_mark here = arena_here(s);
    double *value = arena_array(s, double, n);
    run_eval(a->s, &a->x->guess, a->t, a->y, a->yp, value, NULL);
    for (int k = 0; k < n; k++) {
        int z = a->x->guess_of[k];
        if (b->guess_level[k] >= level && !a->fixed[z] && isfinite(value[k])) a->z[z] = value[k];
    }
    start_spread(a, a->z);
    arena_release(s, here);
}

/* ---- many rows ------------------------------------------------------------------------------- */

/* The blocks of a level do not know of each other: where they have many rows, one sparse search finds all of
 * them, with as many evaluations as one of them takes. False: none is found, and each is looked for by
 * itself. */
static bool solve_together(blocks *b, int level)
{
    start *a = b->a;
    arena *s = b->o.scratch;
    arena_mark here = arena_here(s);
    const start_block *first = b->o.square + b->o.level_start[level];
    const start_block *end = b->o.square + b->o.level_start[level + 1];
    int n = 0, n_blocks = 0;
    for (const start_block *x = first; x < end; x++) {
        if (x->n_rows == 1) continue;
        n += x->n_rows;
        n_blocks++;
    }
    if (n < TOGETHER_ROWS && (b->pieces.open || n_blocks < TOGETHER_BLOCKS)) return false;
    int *rows = arena_array(s, int, n), *cols = arena_array(s, int, n);
    double *given = arena_array(s, double, n);
    n = 0;
    for (const start_block *x = first; x < end; x++) {
        if (x->n_rows == 1) continue;
        memcpy(rows + n, x->rows, (size_t)x->n_rows * sizeof *rows);
        memcpy(cols + n, x->cols, (size_t)x->n_rows * sizeof *cols);
        n += x->n_rows;
    }
    start_block all = {n, n, level, rows, cols};
    for (int k = 0; k < n; k++) given[k] = a->z[cols[k]];
    all = with_known(b, &all);
    least_report report;
    start_piece piece;
    enter(b, &all, &piece);
    bool found = !start_solve_block(&b->o.q, &all, b->at, b->piece, b->r, &report);
    b->report->iterations += report.iterations;
    for (int k = 0; k < n && b->guess && found; k++) found = in_bounds(a, cols[k], a->z[cols[k]]);
    for (int k = 0; k < n && !found; k++) a->z[cols[k]] = given[k];
    leave(b);
    arena_release(s, here);
    return found;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The first block that was not solved, or NULL. */
static const start_block *solve_square(blocks *b)
{
    note_guess_levels(b);
    for (int level = 0; level < b->o.n_levels; level++) {
        if (level) take_guesses(b, level);
        const start_block *bad = solve_singles(b, level);
        if (bad) return bad;
        if (solve_together(b, level)) continue;
        for (int k = b->o.level_start[level]; k < b->o.level_start[level + 1]; k++) {
            const start_block *x = &b->o.square[k];
            if (x->n_rows == 1) continue;
            if (block_solve(b, x, false) && !b->guess) return x;
        }
    }
    return NULL;
}

/* Rows that the others have used up must hold by themselves, with their unknowns or without any. */
static bool solve_over(blocks *b)
{
    const start_block *x = &b->o.over;
    return !x->n_rows || !block_solve(b, x, false);
}

static bool rows_have_values(blocks *b, const start_block *x)
{
    evaluate(b);
    for (int i = 0; i < x->n_rows; i++)
        if (!isfinite(b->r[x->rows[i]])) return false;
    return true;
}

/* Where rows have no values with the unknowns that are free as they are: states keep their start
 * values, and what follows from them is found in the same way. */
static void guess_under(blocks *b, const start_block *under)
{
    start *a = b->a;
    uint8_t *known = arena_array(b->o.scratch, uint8_t, a->n_z + 1);
    memset(known, 1, (size_t)a->n_z);
    for (int k = 0; k < under->n_cols; k++) known[under->cols[k]] = a->weight[under->cols[k]] > 0;
    start_order_find(&b->o, known, NULL);
    solve_square(b);
}

static int solve_blocks(blocks *b)
{
    start *a = b->a;
    start_order_find(&b->o, a->fixed, NULL);
    const start_block under = b->o.under, *bad = NULL;
    if (!solve_over(b)) bad = &b->o.over;
    if (!bad) bad = solve_square(b);
    if (!bad && under.n_rows) {
        take_guesses(b, b->o.n_levels);
        if (!rows_have_values(b, &under)) guess_under(b, &under);
        if (block_solve(b, &under, true)) bad = &under;
    }
    if (!bad) return LEAST_OK;
    a->culprit = *bad; // its lists stay in the arena
    return LEAST_DIVERGED;
}

static void blocks_open(blocks *b)
{
    arena *s = b->a->sink->a;
    start_order_open(&b->o, b->a, s);
    int m = b->o.q.m, n = m < b->a->n_z ? m : b->a->n_z;
    b->at = arena_array(s, int, m + 1);
    b->seen = arena_array(s, int, b->a->n_z + 1);
    for (int i = 0; i < m; i++) b->at[i] = -1;
    b->r = arena_array(s, double, m + 1);
    b->size = arena_array(s, double, m + 1);
    b->row = arena_array(s, int, n + 1);
    b->z = arena_array(s, int, n + 1);
    b->best = arena_array(s, double, n + 1);
    b->found = arena_array(s, double, n + 1);
    b->step = arena_array(s, double, n + 1);
    start_pieces_open(&b->pieces, b->a, &b->o.q, s);
}

int start_blocks(start *a, bool scatter, least_report *report)
{
    arena_mark here = arena_here(a->sink->a);
    blocks b = {.a = a, .report = report, .scatter = scatter};
    *report = (least_report){.worst = -1};
    a->culprit = (start_block){0};
    blocks_open(&b);
    int rc = solve_blocks(&b);
    if (!rc) arena_release(a->sink->a, here);
    return rc;
}

/* By a declaration, not with the type alone. */
static bool given_alone(const start *a, int entry)
{
    const code_entry *e = start_attributes(a, entry);
    return e->given && !e->of_type;
}

/* An eliminated variable that has a start value and need not keep it. */
static bool guides(const start *a, const code_extra *x)
{
    return x->entry >= 0 && start_attributes(a, x->entry)->given && !run_is_fixed(a->s, x->entry) &&
           !image_order_of(&a->m->entries, x->entry);
}

/* A model says by stateSelect whose start values are meant: of the pressure, enthalpy and temperature of a
 * volume, all with start values, two are independent. */
static bool preferred(const start *a, int entry)
{
    return start_attributes(a, entry)->preferred;
}

bool start_any_guide(const start *a)
{
    for (int k = 0; k < a->x->n_extra; k++) {
        int e = a->x->rows[k].entry;
        if (guides(a, &a->x->rows[k]) && given_alone(a, e) && preferred(a, e)) return true;
    }
    for (int i = 0; i < a->m->n; i++) {
        int e = start_entry(a, i);
        if (e >= 0 && !a->m->system.differential[i] && given_alone(a, e) && preferred(a, e))
            return true;
    }
    return false;
}

static bool any_preferred(const start *a)
{
    for (int k = 0; k < a->n_active; k++) {
        int e = a->x->rows[a->active[k]].entry;
        if (e >= 0 && given_alone(a, e) && preferred(a, e)) return true;
    }
    return false;
}

/* In which order rows say where to begin: start values of eliminated variables that somebody gave, equations
 * without derivatives, initial equations, equations with derivatives; where some of the first are of
 * preferred states, the others come later. In a first, rough round start values of types come before
 * them, and later not at all. */
static int *guess_ranks(const start *a, const start_entries *q, int n_active, bool rough,
                        arena *scratch)
{
    enum { LEFT_OUT = -1, ROUGH, WISHES, ALGEBRA, INITIAL, LATER, DYNAMICS };
    int *rank = arena_array(scratch, int, q->m + 1);
    bool some = any_preferred(a);
    for (int i = 0; i < q->m; i++) {
        int k = i - a->n_rows;
        int e = k < 0 ? -1 : a->x->rows[a->active[k]].entry;
        if (k < n_active) rank[i] = k < 0 ? ALGEBRA : INITIAL;
        else if (given_alone(a, e)) rank[i] = some && !preferred(a, e) ? LATER : WISHES;
        else rank[i] = rough ? ROUGH : LEFT_OUT;
    }
    for (int z = a->m->n; z < a->n_z; z++)
        for (int e = q->begin[z]; e < q->begin[z + 1]; e++)
            if (q->row[e] < a->n_rows) rank[q->row[e]] = DYNAMICS;
    return rank;
}

/* Start values that somebody gave say where the solution is. What follows from them is found as if they
 * were fixed: the mass in a volume, of which pressure and temperature are given. Of more rows than
 * unknowns some are left out, and what is not solved stays as it is. Start values of types come first
 * in a first round: they are seldom near, but mostly where equations have values. */
void start_blocks_guess(start *a)
{
    arena_mark here = arena_here(a->sink->a);
    least_report report = {.worst = -1};
    blocks b = {.a = a, .report = &report, .guess = true};
    int n_active = a->n_active;
    for (int k = 0; k < a->x->n_extra; k++)
        if (guides(a, &a->x->rows[k])) a->active[a->n_active++] = k;
    blocks_open(&b);
    uint8_t *known = arena_array(b.o.scratch, uint8_t, a->n_z + 1);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < a->n_z; i++) {
            int e = i < a->m->n ? start_entry(a, i) : -1;
            bool given = e >= 0 && start_attributes(a, e)->given;
            known[i] = a->fixed[i] || (given && (!round || given_alone(a, e)));
        }
        start_order_find(&b.o, known, guess_ranks(a, &b.o.q, n_active, !round, b.o.scratch));
        solve_square(&b);
    }
    a->n_active = n_active;
    a->report->iterations += report.iterations;
    arena_release(a->sink->a, here);
}
