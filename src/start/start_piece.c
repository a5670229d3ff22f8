/* Some rows of the system of start values by themselves.
 *
 * A block of one row would be searched for with evaluations of all rows: of a grid with a thousand loads, a
 * thousand blocks of one row each, that is a million. So what a few rows depend on is picked out of the
 * programs of the whole (tape/pick.c), differentiated and interpreted: the same bits at the cost of these
 * rows. What does not move meanwhile is copied once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "start/search.h"

#include <math.h>
#include <string.h>

/* Rows from which on it pays to make code for a few of them: choice, some hundred times what making and
 * interpreting it costs against evaluating one row of compiled code. */
enum { PIECE_SYSTEM_MIN = 400 };
/* ... and the part of them that a piece may have. */
enum { PIECE_PART_MAX = 8 };

typedef struct piece_making {
    start_pieces *of;
    start_piece *to;
} piece_making;

bool start_pieces_open(start_pieces *x, start *a, const start_entries *q, arena *memory)
{
    const code_fn *f = q ? start_residual_fn(a) : &a->m->system.residual;
    *x = (start_pieces){.a = a, .q = q, .memory = memory, .n_rows = q ? q->m : a->m->n};
    if (x->n_rows < PIECE_SYSTEM_MIN || a->relax || !f->program) return false;
    if (a->m->events.delays.n_out || a->m->events.profiles.n_out) return false; // read w
    x->rows = tape_picker_new(f->program, memory);
    if (!x->rows) return false;
    if (q && a->x->extra.program) x->extra = tape_picker_new(a->x->extra.program, memory);
    if (q && a->n_active && !x->extra) return false;
    x->z_of_rate = arena_array(memory, int, a->m->n + 1);
    int n_z = q ? a->n_z : a->m->n;
    x->column = arena_array(memory, int, n_z + 1);
    for (int i = 0; i < a->m->n; i++) x->z_of_rate[i] = -1;
    for (int k = 0; k < n_z - a->m->n; k++) x->z_of_rate[a->z_yp[k]] = a->m->n + k;
    for (int z = 0; z < n_z; z++) x->column[z] = -1;
    x->open = true;
    return true;
}

/* Unknowns of the piece stay unknowns; all else is a number now. */
static tape_ref piece_leaf(void *user, tape_ref r)
{
    piece_making *m = user;
    start *a = m->of->a;
    int i = tape_index_of(r), z = -1;
    double value = 0;
    switch (tape_kind_of(r)) {
    case TAPE_Y:
        z = i;
        value = a->y[i];
        break;
    case TAPE_YP:
        z = m->of->z_of_rate[i];
        value = a->yp[i];
        break;
    case TAPE_P: value = run_parameters(a->s)[i]; break;
    case TAPE_W: value = run_discrete_values(a->s)[i]; break;
    default: return r;
    }
    if (z >= 0 && m->of->column[z] >= 0) return tape_y(m->of->column[z]);
    array_push(m->of->memory, &m->to->given, value);
    return tape_p(m->to->given.n - 1);
}

/* Entries of the whole, in the order of the pattern of the piece; others of its rows and columns are zero. */
static void piece_find_entries(start_pieces *of, start_piece *x, const int *row_at)
{
    const start_entries *q = of->q;
    const vinc_pattern *p = &x->slopes.pattern;
    for (int k = 0; k < p->nnz; k++) x->entry[k] = -1;
    for (int c = 0; c < x->n_cols; c++)
        for (int e = q->begin[x->cols[c]]; e < q->begin[x->cols[c] + 1]; e++) {
            int row = row_at[q->row[e]], k = p->start[c];
            if (row < 0) continue;
            while (k < p->start[c + 1] && p->row[k] != row) k++;
            if (k < p->start[c + 1]) x->entry[k] = e;
            else array_push(of->memory, &x->zero, e);
        }
}

static bool is_worth_a_piece(const start_pieces *of, int n_rows)
{
    return of->open && (long)n_rows * PIECE_PART_MAX <= of->n_rows;
}

/* From the rows in t to programs of their values and slopes, and room to run them. */
static void piece_finish(const start_pieces *of, start_piece *x, tape_builder *t)
{
    arena *s = of->memory;
    tape_program_builder *program = tape_program_new(s);
    tape_program_kernel(program, tape_finish(t, s));
    x->values = tape_program_finish(program);
    tape_ref *wrt = arena_array(s, tape_ref, x->n_cols + 1);
    for (int k = 0; k < x->n_cols; k++) wrt[k] = tape_y(k);
    x->slopes = tape_program_derive(x->values, wrt, x->n_cols, 0, arena_inner(s), s);
    size_t n_values = tape_program_scratch(x->values),
           n_slopes = tape_program_scratch(x->slopes.code);
    x->z = arena_array(s, double, x->n_cols + 1);
    x->out = arena_array(s, double, x->n_rows + x->slopes.pattern.nnz + 1);
    x->scratch = arena_array(s, double, (n_values > n_slopes ? n_values : n_slopes) + 1);
}

bool start_piece_make(start_pieces *of, const start_block *b, const int *row_at, start_piece *x)
{
    start *a = of->a;
    arena *s = of->memory;
    if (!is_worth_a_piece(of, b->n_rows)) return false;
    *x = (start_piece){.of = of, .n_rows = b->n_rows, .n_cols = b->n_cols};
    x->rows = b->rows;
    x->cols = b->cols;
    x->offset = arena_array(s, double, b->n_rows + 1);
    int *wanted = arena_array(s, int, b->n_rows + 1), *at = arena_array(s, int, b->n_rows + 1);
    tape_ref *value = arena_array(s, tape_ref, b->n_rows + 1);
    tape_builder *t = tape_builder_new(s);
    piece_making making = {of, x};
    run_refresh(a->s, a->t, a->y, a->yp);
    for (int k = 0; k < b->n_cols; k++) of->column[b->cols[k]] = k;
    for (int part = 0; part < 2; part++) {
        int n = 0;
        for (int i = 0; i < b->n_rows; i++) {
            int k = b->rows[i] - a->n_rows;
            if ((k >= 0) != part) continue;
            int row = part ? a->active[k] : a->rows[b->rows[i]];
            int entry = part ? a->x->rows[row].entry : -1;
            if (entry >= 0) x->offset[i] = run_start_of(a->s, entry);
            wanted[n] = row;
            at[n++] = i;
        }
        if (!n) continue;
        tape_pick(part ? of->extra : of->rows, wanted, n, t, piece_leaf, &making, value);
        for (int i = 0; i < n; i++)
            tape_store(t, tape_out(at[i]), value[i] == TAPE_NONE ? tape_const(t, 0) : value[i]);
    }
    for (int k = 0; k < b->n_cols; k++) of->column[b->cols[k]] = -1;
    piece_finish(of, x, t);
    x->entry = arena_array(s, int, x->slopes.pattern.nnz + 1);
    piece_find_entries(of, x, row_at);
    return true;
}

bool start_piece_of_residual(start_pieces *of, const int *rows, int n_rows, const int *cols,
                             int n_cols, start_piece *x)
{
    start *a = of->a;
    arena *s = of->memory;
    if (!is_worth_a_piece(of, n_rows)) return false;
    *x = (start_piece){.of = of, .n_rows = n_rows, .n_cols = n_cols, .rows = rows, .cols = cols};
    tape_ref *value = arena_array(s, tape_ref, n_rows + 1);
    tape_builder *t = tape_builder_new(s);
    run_refresh(a->s, a->t, a->y, a->yp);
    for (int k = 0; k < n_cols; k++) of->column[cols[k]] = k;
    tape_pick(of->rows, rows, n_rows, t, piece_leaf, &(piece_making){of, x}, value);
    for (int k = 0; k < n_cols; k++) of->column[cols[k]] = -1;
    for (int i = 0; i < n_rows; i++)
        tape_store(t, tape_out(i), value[i] == TAPE_NONE ? tape_const(t, 0) : value[i]);
    piece_finish(of, x, t);
    return true;
}

static void piece_run(start_piece *x, const tape_program *p)
{
    const start *a = x->of->a;
    tape_args args = {.t = a->t,
                      .p = x->given.at,
                      .y = x->z,
                      .out = x->out,
                      .scratch = x->scratch,
                      .run = run_routines(a->s)};
    tape_program_run(p, &args);
}

static void piece_gather(start_piece *x)
{
    for (int k = 0; k < x->n_cols; k++) x->z[k] = x->of->a->z[x->cols[k]];
}

void start_piece_evaluate(start_piece *x, const double *z, double *r, double *j)
{
    memcpy(x->z, z, (size_t)x->n_cols * sizeof *z);
    piece_run(x, x->values);
    memcpy(r, x->out, (size_t)x->n_rows * sizeof *r);
    if (!j) return;
    const vinc_pattern *p = &x->slopes.pattern;
    piece_run(x, x->slopes.code);
    memset(j, 0, (size_t)x->n_rows * (size_t)x->n_cols * sizeof *j);
    for (int k = 0; k < x->n_cols; k++)
        for (int e = p->start[k]; e < p->start[k + 1]; e++)
            j[p->row[e] + k * x->n_rows] = x->out[e];
}

void start_piece_residual(start_piece *x, double *r)
{
    piece_gather(x);
    piece_run(x, x->values);
    for (int i = 0; i < x->n_rows; i++) r[x->rows[i]] = x->out[i] - x->offset[i];
}

static double *piece_place(const start_entries *q, int e)
{
    double *of[] = {q->a->dy, q->a->dyp, q->a->edy, q->a->edyp};
    return &of[q->where[e]][q->source[e]];
}

void start_piece_jacobian(start_piece *x)
{
    const start_entries *q = x->of->q;
    piece_gather(x);
    piece_run(x, x->slopes.code);
    for (int k = 0; k < x->slopes.pattern.nnz; k++)
        if (x->entry[k] >= 0) *piece_place(q, x->entry[k]) = x->out[k];
    for (int k = 0; k < x->zero.n; k++) *piece_place(q, x->zero.at[k]) = 0;
}

void start_piece_spread(const start_piece *x)
{
    start *a = x->of->a;
    for (int k = 0; k < x->n_cols; k++) {
        int z = x->cols[k];
        if (z < a->m->n) a->y[z] = a->z[z];
        else a->yp[a->z_yp[z - a->m->n]] = a->z[z];
    }
}
