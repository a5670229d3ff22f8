/* Who holds what of a shared model.
 *
 *     match unknowns and equations ─► graph of pairs ─► parts ─► order ─► rows of a part, counted anew
 *
 * The first process does this. What is cut out of the program of the model are the rows of a part with all that
 * they need, and elements of y, w and p that nobody there reads are left out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/precond.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <math.h>
#include <string.h>

typedef struct share_job {
    const vinc_problem *base;
    const run_share_options *o;
    text *why;
    arena *a, *scratch;
    int *row_of, *unknown_of; // the matching
    int *part, *count;        // process by unknown; unknowns by process
} share_job;

/* ---- what cannot be shared ------------------------------------------------------------------- */

const char *share_obstacle(const vinc_problem *b, int size)
{
    if (b->blocks > 1) return "derivatives that accompany a run (--sens)";
    if (b->project || b->reselect || b->regularity)
        return "constraints between states (an index above 1)";
    if (b->unknown_level) return "a formulation of higher index";
    if (b->accept || b->step_limit) return "delay() and spatialDistribution()";
    if (b->n < size) return "fewer unknowns than processes";
    return NULL;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Entries that are not small in their rows: of rows with derivatives those by derivatives, of others those by
 * unknowns that have none. */
static vinc_pattern share_strong(share_job *j, const double *dy, const double *dyp, double part)
{
    const vinc_problem *p = j->base;
    const vinc_pattern *a = p->jac;
    double *most = arena_array(j->scratch, double, 2 * a->n_rows), *most_p = most + a->n_rows;
    int *start = arena_array(j->scratch, int, a->n_cols + 1), n = 0;
    int *row = arena_array(j->scratch, int, a->nnz);
    for (int c = 0; c < a->n_cols; c++)
        for (int k = a->start[c]; k < a->start[c + 1]; k++) {
            double *own = &most[a->row[k]], *rate = &most_p[a->row[k]];
            *rate = fmax(*rate, fabs(dyp[k]));
            if (!problem_differential(p, c)) *own = fmax(*own, fabs(dy[k]));
        }
    for (int c = 0; c < a->n_cols; c++) {
        for (int k = a->start[c]; k < a->start[c + 1]; k++) {
            int r = a->row[k];
            bool by_rate = most_p[r] > 0;
            if (!by_rate && problem_differential(p, c)) continue;
            double size = fabs(by_rate ? dyp[k] : dy[k]), all = by_rate ? most_p[r] : most[r];
            if (size > 0 && size >= part * all) row[n++] = r;
        }
        start[c + 1] = n;
    }
    return (vinc_pattern){a->n_rows, a->n_cols, n, start, row};
}

/* An equation for each unknown, one in which it counts: preconditioners and pivots live of that. */
static int share_match(share_job *j)
{
    static const double PART_OF_ROW[] = {0.5, 0.1, 1e-3, 0}; // choice; the first that does
    const vinc_problem *b = j->base;
    size_t n = (size_t)b->n, nnz = (size_t)b->jac->nnz;
    j->unknown_of = arena_array(j->scratch, int, n);
    arena_mark mark = arena_here(j->scratch);
    double *dy = arena_array(j->scratch, double, 2 * nnz);
    int *work = arena_array(j->scratch, int, 3 * n), open = 0;
    bool known = !b->jacobian(b->user, j->o->t, j->o->y, j->o->yp, dy, dy + nnz);
    known = known && problem_finite(dy, 2 * (int)nnz);
    for (size_t k = 0; k < sizeof PART_OF_ROW / sizeof *PART_OF_ROW && known; k++) {
        arena_mark tried = arena_here(j->scratch);
        vinc_pattern strong = share_strong(j, dy, dy + nnz, PART_OF_ROW[k]);
        open = la_precond_match(&strong, j->row_of, j->unknown_of, work);
        arena_release(j->scratch, tried);
        if (open < 0) return arena_release(j->scratch, mark), VINC_OK;
    }
    open = la_precond_match(b->jac, j->row_of, j->unknown_of, work); // by structure alone
    arena_release(j->scratch, mark);
    if (open < 0) return VINC_OK;
    text_printf(j->why, "by their structure the equations do not determine %s",
                b->unknown_name(b->user, open));
    return VINC_E_PROBLEM;
}

int share_pairs(const vinc_problem *base, const run_share_options *o, text *why, int *row_of,
                arena *scratch)
{
    share_job j = {.base = base, .o = o, .why = why, .scratch = scratch, .row_of = row_of};
    return share_match(&j);
}

/* Pairs that read each other, both ways and each once. */
static void share_graph(share_job *j, int **start, int **neighbour)
{
    const vinc_pattern *a = j->base->jac;
    int n = a->n_cols, *at = arena_array(j->scratch, int, n + 2);
    int *seen = arena_array(j->scratch, int, n), *list;
    for (int pass = 0; pass < 2; pass++) {
        list = pass ? arena_array(j->scratch, int, at[n + 1]) : NULL;
        for (int c = 0; c < n; c++)
            for (int k = a->start[c]; k < a->start[c + 1]; k++) {
                int r = j->unknown_of[a->row[k]];
                if (r == c) continue;
                if (pass) {
                    list[at[c + 1]++] = r;
                    list[at[r + 1]++] = c;
                } else {
                    at[c + 2]++;
                    at[r + 2]++;
                }
            }
        for (int c = 0; c < n && !pass; c++) at[c + 2] += at[c + 1];
    }
    // at[c + 1] is now the end of c, and so the start of c + 1.
    for (int c = 0; c < n; c++) seen[c] = -1;
    int to = 0, from = 0;
    for (int c = 0; c < n; c++) {
        int end = at[c + 1];
        for (int k = from; k < end; k++)
            if (seen[list[k]] != c) seen[list[to++] = list[k]] = c;
        from = end;
        at[c + 1] = to;
    }
    *start = at;
    *neighbour = list;
}

static int share_partition(share_job *j)
{
    int n = j->base->n, size = j->o->size, *start, *neighbour;
    j->part = arena_array(j->scratch, int, n);
    if (size > 1) {
        arena_mark mark = arena_here(j->scratch);
        share_graph(j, &start, &neighbour);
        if (j->o->team->partition(n, start, neighbour, j->part)) return VINC_E_MEMORY;
        arena_release(j->scratch, mark);
    }
    bool empty = false;
    for (int i = 0; i < n; i++) j->count[j->part[i]]++;
    for (int q = 0; q < size; q++) empty = empty || !j->count[q];
    if (empty) { // a graph too small to be cut well
        memset(j->count, 0, (size_t)size * sizeof *j->count);
        for (int i = 0; i < n; i++) j->count[j->part[i] = (int)((long)i * size / n)]++;
    }
    return VINC_OK;
}

/* Columns that share no row, of the whole pattern, so that all processes agree. */
static void share_color(share_job *j, share_cuts *out)
{
    int n = j->base->n, *color = arena_array(j->a, int, n);
    arena_mark mark = arena_here(j->scratch);
    out->n_colors = problem_color(j->base->jac, color, arena_array(j->scratch, int, n));
    arena_release(j->scratch, mark);
    out->color = color;
}

static int share_cut_all(share_job *j, share_cuts *out)
{
    int n = j->base->n, size = j->o->size;
    const char *obstacle = share_obstacle(j->base, size);
    if (obstacle)
        text_printf(j->why,
                    "a run of several processes does not do this: %s. Run it in one process",
                    obstacle);
    j->row_of = arena_array(j->a, int, n);
    j->count = arena_array(j->a, int, size);
    int rc = obstacle ? VINC_E_PROBLEM : share_match(j);
    double word = rc ? SHARE_FAILS : SHARE_PART;
    if (!rc || !j->o->handed) j->o->team->from_first(&word, 1);
    if (!rc) rc = share_partition(j);
    if (rc) return rc;
    int *first = arena_array(j->a, int, size), *next = arena_array(j->scratch, int, size);
    int *order = arena_array(j->a, int, n);
    for (int q = 1; q < size; q++) next[q] = first[q] = first[q - 1] + j->count[q - 1];
    for (int i = 0; i < n; i++) order[next[j->part[i]]++] = i;
    *out = (share_cuts){.n = n,
                        .size = size,
                        .row_of = j->row_of,
                        .order = order,
                        .count = j->count,
                        .place = first};
    if (j->o->products) share_color(j, out);
    return VINC_OK;
}

int share_cut(const vinc_problem *base, const run_share_options *o, text *why, arena *a,
              arena *scratch, share_cuts *out)
{
    share_job j = {.base = base, .o = o, .why = why, .a = a, .scratch = scratch};
    return share_cut_all(&j, out);
}

/* ---- a part ---------------------------------------------------------------------------------- */

static unsigned share_offers(const vinc_problem *b)
{
    return (b->roots ? SHARE_ROOTS : 0u) | (b->event ? SHARE_EVENT : 0u) |
           (b->rhs ? SHARE_RHS : 0u) | (b->unsized ? SHARE_UNSIZED : 0u) |
           (b->rate ? SHARE_RATE : 0u) | (b->output_project ? SHARE_OUTPUT_PROJECT : 0u) |
           (b->project_within ? SHARE_PROJECT_WITHIN : 0u) |
           (b->next_time_event ? SHARE_TIME_EVENTS : 0u) | (b->finish ? SHARE_FINISH : 0u) |
           (b->check ? SHARE_CHECK : 0u) | (b->violation ? SHARE_VIOLATION : 0u) |
           (b->energy ? SHARE_ENERGY : 0u) | (b->outputs ? SHARE_OUTPUTS : 0u);
}

static uint8_t *share_flags(const int *own, int n, const uint8_t *all, arena *a)
{
    uint8_t *flags = arena_array(a, uint8_t, n);
    for (int k = 0; k < n; k++) flags[k] = all ? all[own[k]] : 1;
    return flags;
}

/* What is known of each unknown of the part. */
static void piece_describe(const vinc_problem *b, const int *own, const share_cuts *c, arena *a,
                           share_piece *out)
{
    int n = out->head.n;
    out->nominal = arena_array(a, double, n);
    for (int k = 0; k < n; k++) out->nominal[k] = problem_nominal(b, own[k]);
    out->differential = share_flags(own, n, b->differential, a);
    out->unsized = share_flags(own, n, b->unsized, a);
    out->rate = share_flags(own, n, b->rate, a);
    out->color = arena_array(a, int, c->color ? n : 0);
    for (int k = 0; c->color && k < n; k++) out->color[k] = c->color[own[k]];
}

/* Own unknowns first, then those of others that are read, process by process: also those that are read without
 * a derivative, as in conditions. */
static int *piece_number_y(const share_cuts *c, int q, const uint8_t *used, arena *a,
                           share_piece *out)
{
    int *to = arena_array(a, int, c->n), first = c->place[q], n = c->count[q], n_halo = 0, at = 0;
    for (int k = 0; k < c->n; k++) n_halo += used[c->order[k]] && (k < first || k >= first + n);
    out->numbers = arena_array(a, int, n_halo);
    out->ask = arena_array(a, int, c->size);
    for (int k = 0, of = 0; k < c->n; k++) {
        int i = c->order[k];
        while (of + 1 < c->size && k >= c->place[of + 1]) of++;
        if (of == q) to[i] = k - first;
        if (of == q || !used[i]) continue;
        out->numbers[at] = k;
        to[i] = n + at++;
        out->ask[of]++;
    }
    out->head.n_halo = n_halo;
    return to;
}

/* Own equations first, then others that a kernel computes beside them. */
static int *piece_number_out(const share_cuts *c, int q, const uint8_t *used, int extent, arena *a,
                             share_piece *out)
{
    int *to = arena_array(a, int, extent), n = c->count[q];
    uint8_t *own = arena_array(a, uint8_t, extent);
    for (int k = 0; k < n; k++) {
        int row = c->row_of[c->order[c->place[q] + k]];
        to[row] = k;
        own[row] = 1;
    }
    for (int i = 0; i < extent; i++)
        if (used[i] && !own[i]) to[i] = n + out->head.n_beside++;
    return to;
}

/* The first `kept` stay, of the others those that are used. How many there are. */
static int *number_used(const uint8_t *used, int extent, int kept, arena *a, int *count)
{
    int *to = arena_array(a, int, extent);
    *count = kept;
    for (int i = 0; i < extent; i++) to[i] = i < kept ? i : used[i] ? (*count)++ : -1;
    return to;
}

void share_piece_cut(run_state *s, const share_cuts *c, int q, bool products, arena *scratch,
                     arena *kept, share_piece *out)
{
    const vinc_problem *b = run_problem(s);
    const tape_program *whole = s->model->system.residual.program;
    const int *own = c->order + c->place[q];
    int n = c->count[q];
    int n_out = whole->extent[TAPE_OUT] > c->n ? whole->extent[TAPE_OUT] : c->n, n_w;
    *out = (share_piece){.head = {.n = n,
                                  .n_all = c->n,
                                  .first = c->place[q],
                                  .n_given = s->model->formulation.n_w,
                                  .n_roots = b->n_roots,
                                  .n_colors = c->n_colors,
                                  .offers = share_offers(b),
                                  .autonomous = b->autonomous != 0,
                                  .rhs_from_yp = b->rhs_from_yp != 0,
                                  .outputs_of_states = b->outputs_of_states != 0,
                                  .products = products,
                                  .work_residual = b->work_residual / c->size,
                                  .work_jacobian = b->work_jacobian / c->size,
                                  .work_rhs = b->work_rhs}};
    piece_describe(b, own, c, kept, out);

    bool *wanted = arena_array(scratch, bool, n_out);
    for (int k = 0; k < n; k++) wanted[c->row_of[own[k]]] = true;
    const tape_program *rows = tape_program_slice(whole, wanted, scratch, arena_inner(scratch));
    uint8_t *used[TAPE_N_KINDS] = {0};
    used[TAPE_Y] = used[TAPE_YP] = arena_array(scratch, uint8_t, c->n);
    used[TAPE_OUT] = arena_array(scratch, uint8_t, n_out);
    used[TAPE_W] = arena_array(scratch, uint8_t, whole->extent[TAPE_W]);
    used[TAPE_P] = arena_array(scratch, uint8_t, whole->extent[TAPE_P]);
    tape_program_uses(rows, used);
    if (c->all_read) memset(used[TAPE_Y], 1, (size_t)c->n);
    tape_numbers to = {0};
    to.of[TAPE_Y] = to.of[TAPE_YP] = piece_number_y(c, q, used[TAPE_Y], kept, out);
    to.of[TAPE_OUT] = piece_number_out(c, q, used[TAPE_OUT], n_out, scratch, out);
    to.of[TAPE_W] =
        number_used(used[TAPE_W], whole->extent[TAPE_W], out->head.n_given, scratch, &n_w);
    to.of[TAPE_P] = number_used(used[TAPE_P], whole->extent[TAPE_P], 0, scratch, &out->head.n_p);
    out->p = arena_array(kept, double, out->head.n_p);
    for (int i = 0; i < whole->extent[TAPE_P]; i++)
        if (to.of[TAPE_P][i] >= 0) out->p[to.of[TAPE_P][i]] = s->p[i];
    out->rows = tape_program_renumber(rows, &to, scratch, kept);
}
