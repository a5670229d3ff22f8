/* A linear layer in one piece of code.
 *
 * Rows and matrix, elimination and solution are one tape, compiled, as a step is (whole_step.c): of a mechanism with seven
 * bodies a stage of an explicit method is little else, and loops over lists of indices take most of it. What it computes has
 * the bits of the layer in pieces, but for the sign of zeros, and the same work is counted, so that it does not matter from
 * when on there is code. Where pivots do not serve or rounding counts the layer is solved in pieces, which look for other
 * pivots and refine.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/lists.h"
#include "problem/problem.h"
#include "run/whole_tape.h"

#include <math.h>
#include <string.h>

// clang-format off
/*  bound                       quantity                                             source */
enum { INSTRUCTIONS_MAX = 4000 }; // of the code                                     as of steps (whole_step.c)
static const double
    MAKING = 1500,                 // of the machine, to make one instruction        as of steps
    ENTRY_OF_LISTS = 26,           // ... in pieces, for each entry of factors       measured: 20 to 30 with 13 unknowns, elimination and solution
    PIVOTS_FAIR = 1e-3;            // smallest pivot over the largest                as in layered.c
// clang-format on

/* What the code leaves behind the solution: what says by not being 0 that pivots do not serve, and the least and the
 * largest of the inverse pivots. */
enum { PIECE_FAILS, PIECE_LEAST, PIECE_MOST, PIECE_REST };

static double instructions_of(const tape_program *p)
{
    double size = 0;
    for (int k = 0; k < p->n_steps; k++) {
        const tape_step *x = &p->steps[k];
        if (x->kind != TAPE_STEP_SUM && x->kernel->n_calls) return INFINITY;
        size += x->kind == TAPE_STEP_SUM ? 2.0 * x->start[x->n] : (double)x->n * x->kernel->n_ins;
    }
    return size;
}

/* Behind the last layer derivatives of what is chosen follow. */
static bool next_follows(const code_model *m, const code_layer *q)
{
    const code_fn *next = &m->choice.next;
    return q == &m->layers.at[m->layers.n - 1] && !q->corrected && next->program && next->n_out &&
           instructions_of(next->program) <= INSTRUCTIONS_MAX;
}

/* Instructions of the code, about. */
static double size_of_piece(const code_model *m, const code_layer *q, const la_lists *f)
{
    double next = next_follows(m, q) ? instructions_of(m->choice.next.program) : 0;
    double entries = f->n_values, updates = 0;
    for (int k = 0; k < f->steps; k++) {
        double u = f->start[2 * k + 1] - f->start[2 * k];
        updates += u * (f->start[2 * k + 2] - f->start[2 * k + 1]);
    }
    return instructions_of(q->matrix.program) + 2 * updates + 4 * entries + q->pattern.nnz + next;
}

/* ---- writing --------------------------------------------------------------------------------- */

static tape_ref *inputs_of(whole_writer *x, int n, tape_ref (*of)(int))
{
    tape_ref *refs = whole_refs(x, n);
    for (int k = 0; k < n; k++) refs[k] = of(k);
    return refs;
}

static tape_ref at_p(int k)
{
    return tape_p(k);
}
static tape_ref at_w(int k)
{
    return tape_w(k);
}
static tape_ref at_y(int k)
{
    return tape_y(k);
}
static tape_ref at_yp(int k)
{
    return tape_yp(k);
}

static void store_pivots(whole_writer *x, const whole_matrix *m)
{
    int n = x->pattern->n_cols;
    tape_ref least = tape_op1(x->b, TAPE_ABS, m->factors[0]), most = least;
    for (int k = 1; k < n; k++) {
        tape_ref size = tape_op1(x->b, TAPE_ABS, m->factors[k]);
        least = whole_op(x, TAPE_MIN, size, least);
        most = whole_op(x, TAPE_MAX, size, most);
    }
    whole_store(x, n + PIECE_FAILS, m->fails);
    whole_store(x, n + PIECE_LEAST, least);
    whole_store(x, n + PIECE_MOST, most);
}

/* Of the point at which the unknowns of the layer are b: behind what else is stored. */
static bool store_next(whole_writer *x, const code_layer *q, tape_ref *yp, const tape_ref *b)
{
    const code_model *m = x->s->model;
    tape_ref *y = whole_refs(x, m->n), *out = whole_refs(x, m->choice.next.n_out);
    memcpy(y, x->y, (size_t)m->n * sizeof *y);
    for (int i = 0; i < m->n; i++)
        if (m->system.role[i] != CODE_STATE) yp[i] = tape_const(x->b, 0);
    for (int k = 0; k < q->n; k++) {
        int u = q->unknown[k];
        if (m->system.role[u] == CODE_STATE) yp[u] = b[k];
        else y[u] = b[k];
    }
    if (!whole_program(x, m->choice.next.program,
                       (unroll_refs){.t = tape_t(), .y = y, .yp = yp, .out = out}))
        return false;
    for (int k = 0; k < m->choice.next.n_out; k++) whole_store(x, q->n + PIECE_REST + k, out[k]);
    return true;
}

static const tape *piece_tape(whole_writer *x, const code_layer *q)
{
    const code_model *m = x->s->model;
    const la_lists *f = x->step->lists;
    x->b = tape_builder_sized(&x->scratch, x->size);
    x->p = inputs_of(x, m->n_p, at_p);
    x->w = inputs_of(x, m->n_w, at_w);
    x->y = inputs_of(x, m->n, at_y);
    tape_ref *yp = inputs_of(x, m->n, at_yp), *out = whole_refs(x, q->matrix.n_out);
    if (!whole_program(x, q->matrix.program,
                       (unroll_refs){.t = tape_t(), .y = x->y, .yp = yp, .out = out}))
        return NULL;
    whole_matrix a = {.a = whole_refs(x, q->pattern.nnz), .fails = tape_const(x->b, 0)};
    for (int k = 0; k < q->pattern.nnz; k++) {
        double number;
        tape_ref r = q->value[k] >= 0 ? out[q->value[k]] : tape_w(-1 - q->value[k]);
        if (r == TAPE_NONE) return NULL;
        a.a[k] = tape_is_const(x->b, r, &number) && number == 0 ? TAPE_NONE : r;
    }
    tape_ref *weight = whole_refs(x, q->n), *b = whole_refs(x, q->n);
    for (int k = 0; k < q->n; k++) {
        weight[k] = tape_const(x->b, f->weight[k]);
        b[k] = k < q->n_rows ? tape_op1(x->b, TAPE_NEG, out[k]) : tape_const(x->b, 0);
    }
    if (!whole_eliminate(x, weight, &a)) return NULL;
    whole_solve(x, weight, &a, b);
    for (int k = 0; k < q->n; k++) whole_store(x, k, b[k]);
    store_pivots(x, &a);
    if (next_follows(m, q) && !store_next(x, q, yp, b)) return NULL;
    return tape_finish(x->b, &x->scratch);
}

/* ---- making and using it --------------------------------------------------------------------- */

typedef struct piece_job {
    whole_writer writer;
    const code_layer *q;
    layer_piece *piece;
} piece_job;

static int piece_make(void *job)
{
    piece_job *j = job;
    layer_piece *k = j->piece;
    mem *m = j->writer.s->m;
    const tape *t = piece_tape(&j->writer, j->q);
    if (!t || tape_compile(t, NULL, m, &k->code)) return VINC_OK;
    const code_model *model = j->writer.s->model;
    bool next = next_follows(model, j->q);
    size_t room = tape_code_scratch(k->code), n = (size_t)(j->q->n + PIECE_REST),
           more = next ? (size_t)model->choice.next.n_out : 0;
    k->bytes = (room + n + more) * sizeof *k->scratch;
    k->scratch = mem_try(m, k->bytes);
    if (k->scratch && tape_code_target(k->code) != &target_interpreter) {
        k->out = k->scratch + room;
        k->next = next ? k->out + n : NULL;
        return VINC_OK;
    }
    if (!k->scratch) k->bytes = 0;
    tape_code_free(k->code);
    k->code = NULL;
    return VINC_OK;
}

static void piece_try(run_state *s, const code_layer *q, const la_lists *f, layer_piece *k)
{
    method_whole by = {.lists = f};
    piece_job j = {.q = q, .piece = k};
    j.writer = (whole_writer){.s = s, .step = &by, .n = q->n, .pattern = &q->pattern};
    j.writer.size = (int)size_of_piece(s->model, q, f);
    k->tried = true;
    arena_init(&j.writer.scratch, s->m);
    mem_guarded(s->m, piece_make, &j, VINC_E_MEMORY); // without memory it is solved in pieces
    arena_done(&j.writer.scratch);
}

static layer_piece *piece_find(const code_model *m, const code_layer *q, run_layer *z,
                               const la_lists *f)
{
    size_t pivots = 2 * (size_t)q->n * sizeof *f->row, weights = (size_t)q->n * sizeof *f->weight;
    for (int i = 0; i < z->n_pieces; i++) {
        layer_piece *k = &z->piece[i];
        if (!memcmp(k->pivots, f->row, pivots) && !memcmp(k->weight, f->weight, weights)) return k;
    }
    if (z->n_pieces == LAYER_PIECES) return NULL;
    layer_piece *k = &z->piece[z->n_pieces++];
    *k = (layer_piece){0};
    memcpy(k->pivots, f->row, pivots);
    memcpy(k->weight, f->weight, weights);
    double size = size_of_piece(m, q, f), in_pieces = size + ENTRY_OF_LISTS * f->n_values;
    k->tried = size > INSTRUCTIONS_MAX;
    k->patience = (long)(MAKING * size / in_pieces);
    return k;
}

/* What combinations that are kept miss at the beginning is nothing where all that they combine is found here. */
static bool keeps_its_own(const code_model *m, const code_layer *q)
{
    for (int i = 0; i < q->n - q->n_rows; i++) {
        const image_group *g = &m->formulation.groups[q->kept[i]];
        for (int c = 0; c < g->n_columns; c++) {
            int j = 0;
            while (j < q->n && q->unknown[j] != g->columns[c]) j++;
            if (j == q->n) return false;
        }
    }
    return true;
}

/* Of mechanisms without events: lists keep their pivots, and in circuits whose switches open conductances change by many
 * powers of ten from one event to the next. */
bool layer_may_be_code(const code_model *m, int layer)
{
    const code_layer *q = &m->layers.at[layer];
    return m->formulation.n_groups && !m->events.n_single && !m->events.n_families_moving &&
           q->linear && q->n <= LAYER_UNKNOWNS_MAX && !m->inputs.n && !m->events.delays.n_out &&
           instructions_of(q->matrix.program) <= INSTRUCTIONS_MAX && keeps_its_own(m, q);
}

static const layer_piece *piece_of(run_state *s, const code_layer *q, run_layer *z)
{
    la_lists f;
    if (z->now) return z->now;
    if (z->la->is_deficient || !la_indexed_lists(z->la, &f)) return NULL;
    layer_piece *k = f.steps == f.n ? piece_find(s->model, q, z, &f) : NULL;
    if (k && !k->tried && ++k->asked > k->patience) piece_try(s, q, &f, k);
    return z->now = k && k->code ? k : NULL;
}

bool layer_in_one_piece(run_state *s, int layer, double t, const double *y, const double *yp,
                        double *found, const double **next)
{
    const code_layer *q = &s->model->layers.at[layer];
    run_layer *z = &s->layers.at[layer];
    const layer_piece *k = piece_of(s, q, z);
    if (!k) return false;
    tape_args args = run_args(s, t, y, yp);
    args.scratch = k->scratch;
    args.out = k->out;
    tape_eval(k->code, &args);
    const double *rest = k->out + q->n;
    double ratio = 1 / rest[PIECE_MOST] / (1 / rest[PIECE_LEAST]);
    if (rest[PIECE_FAILS] != 0 || !(ratio >= fmin(PIVOTS_FAIR, z->pivots_fair)) ||
        !problem_finite(k->out, q->n))
        return false;
    memcpy(found, k->out, (size_t)q->n * sizeof *found);
    *next = k->next;
    z->la->pivot_ratio = ratio;
    z->la->n_factor++;
    s->beside += z->la->work_factor;
    s->beside += z->la->work_solve;
    return true;
}

void layer_pieces_free(run_state *s, run_layer *z)
{
    for (int i = 0; i < z->n_pieces; i++) {
        tape_code_free(z->piece[i].code);
        if (z->piece[i].scratch) mem_free(s->m, z->piece[i].scratch, z->piece[i].bytes);
    }
    z->n_pieces = 0;
}
