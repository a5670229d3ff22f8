/* A part of a shared model: cut, handed over, made into code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/run_parts.h"
#include "run/share_parts.h"

#include <string.h>

typedef struct make_job {
    run_share *x;
    const run_share_options *o; // NULL: it is handed over
    text *why, bytes;
    arena scratch, piece; // the second: of a part, until it is code
} make_job;

bool run_share_can_hand(const code_model *m)
{
    return m->system.residual.program && !tape_program_is_bound(m->system.residual.program) &&
           !m->inputs.n;
}

/* ---- handed over ----------------------------------------------------------------------------- */

/* Arrays of a piece, in the order in which they are sent. */
typedef struct piece_array {
    void **at;
    size_t bytes;
} piece_array;
enum { PIECE_ARRAYS = 8 };

static void piece_arrays(share_piece *p, int size, piece_array out[PIECE_ARRAYS])
{
    const share_head *h = &p->head;
    size_t n = (size_t)h->n;
    const piece_array all[PIECE_ARRAYS] = {
        {(void **)&p->numbers, (size_t)h->n_halo * sizeof(int)},
        {(void **)&p->ask, (size_t)size * sizeof(int)},
        {(void **)&p->color, h->products ? n * sizeof(int) : 0},
        {(void **)&p->nominal, n * sizeof(double)},
        {(void **)&p->p, (size_t)h->n_p * sizeof(double)},
        {(void **)&p->differential, n},
        {(void **)&p->unsized, n},
        {(void **)&p->rate, n},
    };
    memcpy(out, all, sizeof all);
}

static void piece_send(const team *t, int to, int size, share_piece *p, text *bytes)
{
    piece_array all[PIECE_ARRAYS];
    piece_arrays(p, size, all);
    text_clear(bytes);
    text_add_n(bytes, (const char *)&p->head, sizeof p->head);
    for (int k = 0; k < PIECE_ARRAYS; k++) text_add_n(bytes, *all[k].at, all[k].bytes);
    tape_program_pack(p->rows, bytes);
    t->send(to, &bytes->n, sizeof bytes->n);
    t->send(to, text_str(bytes), bytes->n);
    text_done(bytes);
}

static void piece_receive(const team *t, int size, arena *scratch, arena *a, share_piece *p)
{
    size_t n;
    t->receive(&n, sizeof n);
    arena_mark mark = arena_here(scratch);
    char *bytes = arena_array(scratch, char, n);
    const char *at = bytes + sizeof p->head;
    t->receive(bytes, n);
    memcpy(&p->head, bytes, sizeof p->head);
    piece_array all[PIECE_ARRAYS];
    piece_arrays(p, size, all);
    for (int k = 0; k < PIECE_ARRAYS; k++) {
        *all[k].at = arena_alloc(a, all[k].bytes + 1);
        memcpy(*all[k].at, at, all[k].bytes);
        at += all[k].bytes;
    }
    p->rows = tape_program_unpack(&at, scratch, a);
    arena_release(scratch, mark);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* What others ask of this one, by own number. */
static void share_meet(run_share *x, const share_piece *p, arena *scratch)
{
    int size = x->shared.size, n_peers = 0, n_send = 0;
    int *asked = arena_array(scratch, int, size);
    const team *t = x->shared.team;
    t->count_asked(p->ask, asked);
    for (int q = 0; q < size; q++) n_send += asked[q], n_peers += p->ask[q] || asked[q];
    x->send = arena_array(&x->a, int, n_send);
    t->asked(p->numbers, p->ask, asked, x->send);
    for (int k = 0; k < n_send; k++) x->send[k] -= x->head.first;
    int *rank = arena_array(&x->a, int, n_peers);
    int *send = arena_array(&x->a, int, n_peers + 1),
        *receive = arena_array(&x->a, int, n_peers + 1);
    for (int q = 0, k = 0; q < size; q++) {
        if (!p->ask[q] && !asked[q]) continue;
        rank[k] = q;
        send[k + 1] = send[k] + 2 * asked[q]; // y and y'
        receive[k + 1] = receive[k] + 2 * p->ask[q];
        k++;
    }
    x->peers = (team_peers){n_peers, rank, send, receive};
    x->sent = arena_array(&x->a, double, 2 * n_send);
    x->received = arena_array(&x->a, double, 2 * x->head.n_halo);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The pattern without equations of others. */
static void share_pattern(run_share *x, const vinc_pattern *of)
{
    int n = x->head.n, n_cols = of->n_cols, at = 0;
    int *start = arena_array(&x->a, int, n_cols + 1), *row = arena_array(&x->a, int, of->nnz);
    if (x->head.n_beside) x->entry = arena_array(&x->a, int, of->nnz);
    for (int c = 0; c < n_cols; c++) {
        for (int k = of->start[c]; k < of->start[c + 1]; k++) {
            if (of->row[k] >= n) continue;
            if (x->entry) x->entry[at] = k;
            row[at++] = of->row[k];
        }
        start[c + 1] = at;
    }
    x->jac = (vinc_pattern){n, n_cols, at, start, row};
    if (!x->entry) return;
    x->dy = arena_array(&x->a, double, of->nnz);
    x->dyp = arena_array(&x->a, double, of->nnz);
}

static int share_compile(run_share *x, const tape_program *p, tape_code **code, size_t *scratch)
{
    if (tape_compile_program(p, &(tape_options){0}, x->m, code)) return VINC_E_MEMORY;
    size_t needs = tape_code_scratch(*code);
    if (needs > *scratch) *scratch = needs;
    return VINC_OK;
}

/* Programs go when they are code; derivatives of functions that they call do not. */
static int share_code(run_share *x, const tape_program *rows, arena *scratch, arena *dropped)
{
    arena *kept = tape_program_is_bound(rows) ? &x->a : dropped;
    int n_rows = x->head.n + x->head.n_beside, n_cols = x->head.n + x->head.n_halo;
    int n_w = x->head.n_given;
    size_t room = 0;
    arena_mark mark = arena_here(dropped);
    int rc = share_compile(x, rows, &x->residual, &room);
    if (rc) return rc;
    tape_program_derivative d = tape_program_jacobian(rows, n_rows, n_cols, n_w, scratch, kept);
    share_pattern(x, &d.pattern);
    rc = share_compile(x, d.code, &x->jacobian, &room);
    if (rc) return rc;
    if (rows->extent[TAPE_W] > n_w) n_w = rows->extent[TAPE_W];
    if (d.code->extent[TAPE_W] > n_w) n_w = d.code->extent[TAPE_W];
    arena_release(dropped, mark);
    if (x->head.products) {
        tape_program_tangent t =
            tape_program_product(rows, n_cols, x->head.n_given, NULL, 0, scratch, kept);
        rc = share_compile(x, t.code, &x->product, &room);
        if (rc) return rc;
        x->v = t.v;
        x->vp = t.vp;
        x->w_product = arena_array(&x->a, double, t.n_w);
        arena_release(dropped, mark);
    }
    x->w = arena_array(&x->a, double, n_w);
    x->scratch = arena_array(&x->a, double, room);
    return VINC_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void *share_copy(run_share *x, const void *from, size_t bytes)
{
    void *to = arena_alloc(&x->a, bytes + 1);
    if (bytes) memcpy(to, from, bytes);
    return to;
}

static int share_assemble(run_share *x, share_piece *p, arena *scratch, arena *kept)
{
    x->head = p->head;
    const share_head *h = &x->head;
    size_t n = (size_t)h->n;
    int n_cols = h->n + h->n_halo;
    double of_states = h->outputs_of_states; // of what the first process records
    x->shared.team->from_first(&of_states, 1);
    x->head.outputs_of_states = of_states != 0;
    share_meet(x, p, scratch);
    int rc = share_code(x, p->rows, scratch, kept);
    if (rc) return rc;
    x->p = share_copy(x, p->p, (size_t)h->n_p * sizeof(double));
    x->nominal = share_copy(x, p->nominal, n * sizeof(double));
    x->differential = share_copy(x, p->differential, n);
    x->unsized = share_copy(x, p->unsized, n);
    x->rate = share_copy(x, p->rate, n);
    x->y = arena_array(&x->a, double, n_cols);
    x->yp = arena_array(&x->a, double, n_cols);
    x->r = arena_array(&x->a, double, h->n + h->n_beside);
    x->said = arena_array(&x->a, double, h->n_roots + SHARE_SAID);
    x->roots = arena_array(&x->a, double, h->n_roots + 1);
    x->given = x->s ? x->s->w : arena_array(&x->a, double, h->n_given);
    x->shared.n_all = h->n_all;
    x->shared.first = h->first;
    x->shared.column = share_copy(x, p->numbers, (size_t)h->n_halo * sizeof(int));
    x->shared.n_colors = h->n_colors;
    bool colored = h->products && !x->apart;
    x->shared.color = colored ? share_copy(x, p->color, n * sizeof(int)) : NULL;
    if (x->base && !x->apart) {
        x->told = arena_array(&x->a, double, h->n_given);
        x->ordered = arena_array(&x->a, double, h->n_all);
    }
    share_fill(x);
    return VINC_OK;
}

/* Of the first process: for all. */
static int share_make_first(make_job *j, share_cuts *c)
{
    run_share *x = j->x;
    int rc = share_cut(x->base, j->o, j->why, &x->a, &j->scratch, c);
    if (rc) return rc;
    x->order = (int *)c->order;
    x->count = (int *)c->count;
    x->place = (int *)c->place;
    for (int q = 1; q < c->size && j->o->handed; q++) {
        share_piece p;
        arena_mark mark = arena_here(&j->scratch);
        share_piece_cut(x->s, c, q, j->o->products, &j->scratch, &j->piece, &p);
        piece_send(j->o->team, q, c->size, &p, &j->bytes);
        arena_release(&j->scratch, mark);
        arena_done(&j->piece);
    }
    return VINC_OK;
}

/* Of another one that has the model. */
static int share_make_other(make_job *j)
{
    const run_share_options *o = j->o;
    double word = 0;
    o->team->from_first(&word, 1);
    if ((int)word != SHARE_PART) return VINC_E_PROBLEM;
    return o->size > 1 && o->team->partition(0, NULL, NULL, NULL) ? VINC_E_MEMORY : VINC_OK;
}

/* The cuts, where all have the model. */
static void share_tell_cuts(make_job *j, share_cuts *c)
{
    const team *t = j->o->team;
    size_t n = (size_t)run_problem(j->x->s)->n, size = (size_t)j->o->size;
    int *numbers[] = {(int *)c->row_of, (int *)c->order, (int *)c->color, (int *)c->count,
                      (int *)c->place};
    const size_t length[] = {n, n, j->o->products ? n : 0, size, size};
    t->tell(&c->n_colors, sizeof c->n_colors);
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
        if (j->o->rank) numbers[k] = arena_array(&j->scratch, int, length[k]);
        t->tell(numbers[k], length[k] * sizeof(int));
    }
    if (!j->o->rank) return;
    *c = (share_cuts){.n = (int)n,
                      .size = (int)size,
                      .row_of = numbers[0],
                      .order = numbers[1],
                      .count = numbers[3],
                      .place = numbers[4],
                      .n_colors = c->n_colors,
                      .color = j->o->products ? numbers[2] : NULL};
}

static int share_make(void *job)
{
    make_job *j = job;
    share_cuts c = {0};
    share_piece p;
    int rc = j->o->rank ? share_make_other(j) : share_make_first(j, &c);
    if (rc) return rc;
    if (!j->o->handed) share_tell_cuts(j, &c);
    arena_mark mark = arena_here(&j->scratch);
    share_piece_cut(j->x->s, &c, j->o->rank, j->o->products, &j->scratch, &j->piece, &p);
    arena_release(&j->scratch, mark);
    return share_assemble(j->x, &p, &j->scratch, &j->piece);
}

/* The model is a part. */
static int share_make_apart(void *job)
{
    make_job *j = job;
    share_piece p;
    arena_mark mark = arena_here(&j->scratch);
    int rc = share_part_make(j->x, j->o, j->why, &j->scratch, &j->piece, &p);
    arena_release(&j->scratch, mark);
    return rc ? rc : share_assemble(j->x, &p, &j->scratch, &j->piece);
}

static int share_take_over(void *job)
{
    make_job *j = job;
    share_piece p;
    const la_shared *s = &j->x->shared;
    if (s->team->partition(0, NULL, NULL, NULL)) return VINC_E_MEMORY;
    piece_receive(s->team, s->size, &j->scratch, &j->piece, &p);
    return share_assemble(j->x, &p, &j->scratch, &j->piece);
}

static int share_made(make_job *j, int (*make)(void *job), run_share **out)
{
    run_share *x = j->x;
    arena_init(&x->a, x->m);
    arena_init(&j->scratch, x->m);
    arena_init(&j->piece, x->m);
    text_init(&j->bytes, x->m);
    int rc = mem_guarded(x->m, make, j, VINC_E_MEMORY);
    text_done(&j->bytes);
    arena_done(&j->scratch);
    arena_done(&j->piece);
    if (rc) run_share_free(x);
    else *out = x;
    return rc;
}

int run_share_new(run_state *s, const run_share_options *o, text *why, run_share **out)
{
    *out = NULL;
    run_share *x = mem_try(s->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (run_share){.s = s, .m = s->m, .crew = s->crew};
    if (!o->rank || o->part) {
        x->base = run_problem(s);
        x->all = o->y;
        x->all_p = o->yp;
    }
    x->shared = (la_shared){.team = o->team, .rank = o->rank, .size = o->size};
    x->apart = o->part != NULL;
    return share_made(&(make_job){.x = x, .o = o, .why = why},
                      x->apart ? share_make_apart : share_make, out);
}

int run_share_receive(const team *t, int rank, int size, mem *m, run_share **out)
{
    *out = NULL;
    run_share *x = mem_try(m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (run_share){.m = m};
    x->shared = (la_shared){.team = t, .rank = rank, .size = size};
    return share_made(&(make_job){.x = x}, share_take_over, out);
}

void run_share_by_crew(run_share *x, struct crew *c)
{
    x->crew = c;
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
