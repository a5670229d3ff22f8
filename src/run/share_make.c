/* How a model is spread over processes.
 *
 *     match unknowns and equations ─► graph of pairs ─► parts ─► numbers ─► rows of this part ─► neighbours
 *
 * All processes know the pattern of the whole; each makes code for its own rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/precond.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <math.h>
#include <string.h>

typedef struct share_job {
    run_share *x;
    const run_share_options *o;
    text *why;
    arena scratch, scratch_kept; // the second: programs, until they are code
    int *row_of, *unknown_of;    // the matching
    int *part;                   // process by unknown
    int *local;                  // by unknown: own number, or n + place in the halo, or -1
    const tape_program *rows;    // of this part
} share_job;

/* ---- what cannot be shared ------------------------------------------------------------------- */

static const char *share_obstacle(const vinc_problem *b, int size)
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
    const vinc_problem *p = j->x->base;
    const vinc_pattern *a = p->jac;
    double *most = arena_array(&j->scratch, double, 2 * a->n_rows), *most_p = most + a->n_rows;
    int *start = arena_array(&j->scratch, int, a->n_cols + 1), n = 0;
    int *row = arena_array(&j->scratch, int, a->nnz);
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
    const vinc_problem *b = j->x->base;
    size_t n = (size_t)b->n, nnz = (size_t)b->jac->nnz;
    j->row_of = arena_array(&j->scratch, int, n);
    j->unknown_of = arena_array(&j->scratch, int, n);
    arena_mark mark = arena_here(&j->scratch);
    double *dy = arena_array(&j->scratch, double, 2 * nnz);
    int *work = arena_array(&j->scratch, int, 3 * n), open = 0;
    bool known = !b->jacobian(b->user, j->o->t, j->o->y, j->o->yp, dy, dy + nnz);
    known = known && problem_finite(dy, 2 * (int)nnz);
    for (size_t k = 0; k < sizeof PART_OF_ROW / sizeof *PART_OF_ROW && known; k++) {
        arena_mark tried = arena_here(&j->scratch);
        vinc_pattern strong = share_strong(j, dy, dy + nnz, PART_OF_ROW[k]);
        open = la_precond_match(&strong, j->row_of, j->unknown_of, work);
        arena_release(&j->scratch, tried);
        if (open < 0) return arena_release(&j->scratch, mark), VINC_OK;
    }
    open = la_precond_match(b->jac, j->row_of, j->unknown_of, work); // by structure alone
    arena_release(&j->scratch, mark);
    if (open < 0) return VINC_OK;
    text_printf(j->why, "by their structure the equations do not determine %s",
                b->unknown_name(b->user, open));
    return VINC_E_PROBLEM;
}

/* Pairs that read each other, both ways and each once. */
static void share_graph(share_job *j, int **start, int **neighbour)
{
    const vinc_pattern *a = j->x->base->jac;
    int n = a->n_cols, *at = arena_array(&j->scratch, int, n + 2);
    int *seen = arena_array(&j->scratch, int, n), *list;
    for (int pass = 0; pass < 2; pass++) {
        list = pass ? arena_array(&j->scratch, int, at[n + 1]) : NULL;
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
    run_share *x = j->x;
    int n = x->base->n, size = j->o->size, *start, *neighbour;
    j->part = arena_array(&j->scratch, int, n);
    memset(j->part, 0, (size_t)n * sizeof *j->part);
    x->count = arena_array(&x->a, int, size);
    x->place = arena_array(&x->a, int, size);
    if (size > 1) {
        arena_mark mark = arena_here(&j->scratch);
        share_graph(j, &start, &neighbour);
        if (j->o->team->partition(n, start, neighbour, j->part)) return VINC_E_MEMORY;
        arena_release(&j->scratch, mark);
    }
    bool empty = false;
    for (int i = 0; i < n; i++) x->count[j->part[i]]++;
    for (int q = 0; q < size; q++) empty = empty || !x->count[q];
    if (empty) { // a graph too small to be cut well
        memset(x->count, 0, (size_t)size * sizeof *x->count);
        for (int i = 0; i < n; i++) x->count[j->part[i] = (int)((long)i * size / n)]++;
    }
    for (int q = 1; q < size; q++) x->place[q] = x->place[q - 1] + x->count[q - 1];
    return VINC_OK;
}

static void share_number(share_job *j)
{
    run_share *x = j->x;
    int n = x->base->n, me = j->o->rank;
    int *next = arena_array(&j->scratch, int, j->o->size);
    memcpy(next, x->place, (size_t)j->o->size * sizeof *next);
    x->order = arena_array(&x->a, int, n);
    for (int i = 0; i < n; i++) x->order[next[j->part[i]]++] = i;
    x->n = x->count[me];
    x->own = x->order + x->place[me];
    x->row = arena_array(&x->a, int, x->n);
    j->local = arena_array(&j->scratch, int, n);
    for (int i = 0; i < n; i++) j->local[i] = -1;
    for (int k = 0; k < x->n; k++) {
        x->row[k] = j->row_of[x->own[k]];
        j->local[x->own[k]] = k;
    }
}

/* ---- what the rows read ---------------------------------------------------------------------- */

static void share_note_read(share_job *j, tape_kind kind, int i)
{
    if ((kind == TAPE_Y || kind == TAPE_YP) && j->local[i] == -1) j->local[i] = j->x->n;
}

static void share_reads_of_tape(share_job *j, const tape *t)
{
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref of[] = {in->a, in->b, in->c, in->d};
        int from = in->op == TAPE_STORE, n = from ? 2 : 0;
        if (in->op < TAPE_N_OPS) n = tape_op_operands((tape_op)in->op);
        for (int k = from; k < n; k++)
            share_note_read(j, tape_kind_of(of[k]), tape_index_of(of[k]));
    }
    for (int k = 0; k < t->n_args; k++)
        share_note_read(j, tape_kind_of(t->args[k]), tape_index_of(t->args[k]));
}

/* Unknowns of others, process by process: also those without a derivative, as in conditions. */
static void share_find_halo(share_job *j)
{
    run_share *x = j->x;
    int size = j->o->size;
    for (int q = 0; q < j->rows->n_steps; q++) {
        const tape_step *s = &j->rows->steps[q];
        if (s->kind == TAPE_STEP_SUM) continue;
        share_reads_of_tape(j, s->kernel);
        for (int k = 0; s->kind == TAPE_STEP_MAP && k < s->kernel->extent[TAPE_X]; k++)
            for (int i = 0; i < s->n; i++)
                share_note_read(j, s->access[k].array, tape_element(&s->access[k], i));
    }
    for (int k = 0; k < x->base->n; k++) x->n_halo += j->local[x->order[k]] >= x->n;
    x->halo = arena_array(&x->a, int, x->n_halo);
    int *numbers = arena_array(&x->a, int, x->n_halo), at = 0;
    int *ask = arena_array(&j->scratch, int, size);
    for (int k = 0; k < x->base->n; k++) {
        int i = x->order[k];
        if (j->local[i] < x->n) continue;
        numbers[at] = k;
        x->halo[at] = i;
        j->local[i] = x->n + at++;
        ask[j->part[i]]++;
    }
    x->shared.column = numbers;

    // What others ask of this one, by own number.
    int *asked = arena_array(&j->scratch, int, size), n_peers = 0, n_send = 0;
    const team *t = j->o->team;
    t->count_asked(ask, asked);
    for (int q = 0; q < size; q++) n_send += asked[q], n_peers += ask[q] || asked[q];
    x->send = arena_array(&x->a, int, n_send);
    t->asked(numbers, ask, asked, x->send);
    for (int k = 0; k < n_send; k++) x->send[k] -= x->place[j->o->rank];
    int *rank = arena_array(&x->a, int, n_peers);
    int *send = arena_array(&x->a, int, n_peers + 1),
        *receive = arena_array(&x->a, int, n_peers + 1);
    for (int q = 0, p = 0; q < size; q++) {
        if (!ask[q] && !asked[q]) continue;
        rank[p] = q;
        send[p + 1] = send[p] + 2 * asked[q]; // y and y'
        receive[p + 1] = receive[p] + 2 * ask[q];
        p++;
    }
    x->peers = (team_peers){n_peers, rank, send, receive};
    x->sent = arena_array(&x->a, double, 2 * n_send);
    x->received = arena_array(&x->a, double, 2 * x->n_halo);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The pattern in the numbers of this part; rows of a column ascend. */
static int share_pattern(share_job *j, const vinc_pattern *of)
{
    run_share *x = j->x;
    int n_cols = x->n + x->n_halo, at = 0, *place_of = arena_array(&j->scratch, int, x->base->n);
    int *start = arena_array(&x->a, int, n_cols + 1), *row = arena_array(&x->a, int, of->nnz);
    x->entry = arena_array(&x->a, int, of->nnz);
    for (int k = 0; k < x->n; k++) place_of[x->row[k]] = k;
    for (int c = 0; c < n_cols; c++) {
        int i = c < x->n ? x->own[c] : x->halo[c - x->n], first = at;
        for (int k = of->start[i]; k < of->start[i + 1]; k++) {
            int r = place_of[of->row[k]], to = at++;
            for (; to > first && row[to - 1] > r; to--) {
                row[to] = row[to - 1];
                x->entry[to] = x->entry[to - 1];
            }
            row[to] = r;
            x->entry[to] = k;
        }
        start[c + 1] = at;
    }
    x->jac = (vinc_pattern){x->n, n_cols, at, start, row};
    return at == of->nnz ? VINC_OK : VINC_E_PROBLEM; // every column is read
}

static int share_compile(share_job *j, const tape_program *p, tape_code **code, size_t *scratch)
{
    if (tape_compile_program(p, &(tape_options){0}, j->x->m, code)) return VINC_E_MEMORY;
    size_t needs = tape_code_scratch(*code);
    if (needs > *scratch) *scratch = needs;
    return VINC_OK;
}

static int share_code(share_job *j)
{
    run_share *x = j->x;
    int n = x->base->n, n_w = x->n_given;
    size_t scratch = 0;
    tape_program_derivative d =
        tape_program_jacobian(j->rows, n, n, x->n_given, &j->scratch, &j->scratch_kept);
    int rc = share_pattern(j, &d.pattern);
    if (!rc) rc = share_compile(j, j->rows, &x->residual, &scratch);
    if (!rc) rc = share_compile(j, d.code, &x->jacobian, &scratch);
    if (rc) return rc;
    if (j->rows->extent[TAPE_W] > n_w) n_w = j->rows->extent[TAPE_W];
    if (d.code->extent[TAPE_W] > n_w) n_w = d.code->extent[TAPE_W];
    if (j->o->products) {
        tape_program_tangent t =
            tape_program_product(j->rows, n, x->n_given, NULL, 0, &j->scratch, &j->scratch_kept);
        rc = share_compile(j, t.code, &x->product, &scratch);
        if (rc) return rc;
        x->v = t.v;
        x->vp = t.vp;
        x->w_product = arena_array(&x->a, double, t.n_w);
    }
    x->w = arena_array(&x->a, double, n_w);
    x->scratch = arena_array(&x->a, double, scratch);
    return VINC_OK;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static uint8_t *share_flags(run_share *x, const uint8_t *all)
{
    uint8_t *own = arena_array(&x->a, uint8_t, x->n);
    for (int k = 0; k < x->n; k++) own[k] = all ? all[x->own[k]] : 1;
    return own;
}

static void share_arrays(share_job *j)
{
    run_share *x = j->x;
    const vinc_problem *b = x->base;
    x->nominal = arena_array(&x->a, double, x->n);
    for (int k = 0; k < x->n; k++) x->nominal[k] = problem_nominal(b, x->own[k]);
    x->differential = share_flags(x, b->differential);
    x->unsized = share_flags(x, b->unsized);
    x->rate = share_flags(x, b->rate);
    x->y = arena_array(&x->a, double, b->n);
    x->yp = arena_array(&x->a, double, b->n);
    x->r = arena_array(&x->a, double, b->n);
    x->ordered = arena_array(&x->a, double, b->n);
    x->dy = arena_array(&x->a, double, x->jac.nnz);
    x->dyp = arena_array(&x->a, double, x->jac.nnz);
}

/* Of the whole pattern, so that all processes agree. */
static void share_color(share_job *j)
{
    run_share *x = j->x;
    int n = x->base->n, *color = arena_array(&j->scratch, int, n);
    int *own = arena_array(&x->a, int, x->n);
    x->shared.n_colors = problem_color(x->base->jac, color, arena_array(&j->scratch, int, n));
    for (int k = 0; k < x->n; k++) own[k] = color[x->own[k]];
    x->shared.color = own;
}

static int share_make(void *job)
{
    share_job *j = job;
    run_share *x = j->x;
    int rc = share_match(j);
    if (!rc) rc = share_partition(j);
    if (rc) return rc;
    share_number(j);
    arena_mark mark = arena_here(&j->scratch);
    bool *wanted = arena_array(&j->scratch, bool, x->base->n);
    for (int k = 0; k < x->n; k++) wanted[x->row[k]] = true;
    j->rows = tape_program_slice(x->s->model->system.residual.program, wanted, &j->scratch,
                                 &j->scratch_kept);
    arena_release(&j->scratch, mark);
    share_find_halo(j);
    rc = share_code(j);
    if (rc) return rc;
    share_arrays(j);
    if (j->o->products) share_color(j);
    x->shared.n_all = x->base->n;
    x->shared.first = x->place[j->o->rank];
    share_fill(x);
    return VINC_OK;
}

int run_share_new(run_state *s, const run_share_options *o, text *why, run_share **out)
{
    const vinc_problem *b = run_problem(s);
    const char *obstacle = share_obstacle(b, o->size);
    *out = NULL;
    if (obstacle) {
        text_printf(why, "a run of several processes does not do this: %s. Run it in one process",
                    obstacle);
        return VINC_E_PROBLEM;
    }
    run_share *x = mem_try(s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (run_share){.s = s, .base = b, .m = s->m, .n_given = s->model->form->n_w};
    x->shared = (la_shared){.team = o->team, .rank = o->rank, .size = o->size};
    arena_init(&x->a, s->m);
    share_job j = {.x = x, .o = o, .why = why};
    arena_init(&j.scratch, s->m);
    arena_init(&j.scratch_kept, s->m);
    int rc = mem_guarded(s->m, share_make, &j, VINC_E_MEMORY);
    arena_done(&j.scratch);
    arena_done(&j.scratch_kept);
    if (rc) run_share_free(x);
    else *out = x;
    return rc;
}

void run_share_free(run_share *x)
{
    if (!x) return;
    tape_code_free(x->residual);
    tape_code_free(x->jacobian);
    tape_code_free(x->product);
    arena_done(&x->a);
    mem_free(x->m, x, sizeof *x);
}
