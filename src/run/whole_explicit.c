/* The tapes of an explicit Runge-Kutta step (method/erk.c), all stages and the norms of the error, and of its dense
 * output.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "method/erk.h"
#include "run/whole_tape.h"

typedef struct stage_writer {
    whole_writer *o;
    const erk_table *table;
    int n;
    erk_places at;
    int weight;    // place of the next one
    tape_ref *k;   // stages times n
    tape_ref *y_i; // of a stage
    tape_ref h;
} stage_writer;

/* base + sum_j (h w_j) k_j; base NULL: 0. */
static void stage_sum(stage_writer *x, erk_sum sum, const tape_ref *base, tape_ref *out)
{
    for (int m = 0; m < x->n; m++) out[m] = base ? base[m] : TAPE_NONE;
    for (int j = 0; j < sum.count; j++) {
        if (sum.weight[j] == 0) continue;
        tape_ref weight = tape_yp(x->weight++);
        for (int m = 0; m < x->n; m++)
            out[m] = whole_plus(x->o, out[m], whole_op(x->o, TAPE_MUL, x->k[j * x->n + m], weight));
    }
    for (int m = 0; m < x->n; m++)
        if (out[m] == TAPE_NONE) out[m] = tape_const(x->o->b, 0);
}

/* f at a point, whose algebraic unknowns it finds: the stage, which is stored. */
static bool stage_slope(stage_writer *x, tape_ref t, tape_ref *y, int i)
{
    const code_system *m = &x->o->s->model->system;
    tape_ref *k = x->k + i * x->n;
    for (int q = 0; q < x->n; q++)
        if (!m->differential[q]) y[q] = x->o->y[q];
    if (!whole_program(x->o, m->rhs.program, (unroll_refs){.t = t, .y = y, .out = k})) return false;
    for (int q = 0; q < x->n; q++) {
        if (k[q] == TAPE_NONE) return false;
        if (!m->differential[q]) y[q] = k[q], k[q] = tape_const(x->o->b, 0);
        whole_store(x->o, x->at.k + i * x->n + q, k[q]);
    }
    return true;
}

static tape_ref stage_time(stage_writer *x, tape_ref from, double c)
{
    return c == 0 ? from : whole_op(x->o, TAPE_ADD, from, whole_times(x->o, c, x->h));
}

static stage_writer stage_begin(whole_writer *o)
{
    const erk_table *t = o->step->table;
    stage_writer x = {.o = o, .table = t, .n = o->n, .at = erk_place(t, o->n)};
    int stages = (x.at.error - x.at.k) / (o->n ? o->n : 1);
    x.h = tape_yp(ERK_IN_H);
    x.k = whole_refs(o, stages * o->n);
    x.y_i = whole_refs(o, o->n);
    return x;
}

/* Squares of the differences of two vectors, one after the other. */
static tape_ref stage_distance(const stage_writer *x, const tape_ref *a, const tape_ref *b)
{
    tape_ref sum = TAPE_NONE;
    for (int m = 0; m < x->n; m++) {
        tape_ref d = whole_op(x->o, TAPE_SUB, a[m], b[m]);
        sum = whole_plus(x->o, sum, whole_op(x->o, TAPE_MUL, d, d));
    }
    return sum;
}

/* An estimate of the error: the sum of its squares, in the norm. */
static void stage_error(stage_writer *x, int sum, int squares, bool kept)
{
    tape_ref *e = whole_refs(x->o, x->n);
    stage_sum(x, erk_sum_of_step(x->table, sum), NULL, e);
    for (int m = 0; m < x->n; m++) {
        if (kept) whole_store(x->o, x->at.error + m, e[m]);
        e[m] = whole_op(x->o, TAPE_MUL, e[m], tape_yp(x->at.norm + m));
    }
    whole_store(x->o, squares, whole_squares(x->o, e));
}

/* A stage that is not finite shows in the new point, unless its weight there is 0. */
static void stage_watch(stage_writer *x, const tape_ref *y_new)
{
    const erk_table *t = x->table;
    tape_ref sum = TAPE_NONE;
    for (int m = 0; m < x->n; m++)
        sum = whole_plus(x->o, whole_plus(x->o, sum, y_new[m]), x->k[t->last * x->n + m]);
    for (int i = 1; i < t->last; i++)
        for (int m = 0; m < x->n && t->a.b[i] == 0; m++)
            sum = whole_plus(x->o, sum, x->k[i * x->n + m]);
    whole_store(x->o, x->at.finite, sum);
}

const tape *whole_explicit(whole_writer *o)
{
    stage_writer x = stage_begin(o);
    const erk_table *t = x.table;
    int last = t->last, n = o->n, errors = erk_sums_of_step(t) - last;
    tape_ref *y_new = whole_refs(o, n);
    x.weight = ERK_IN_WEIGHTS;
    for (int m = 0; m < n; m++) x.k[m] = tape_yp(x.at.k + m);
    for (int i = 1; i < last; i++) {
        stage_sum(&x, erk_sum_of_step(t, i - 1), o->y, x.y_i);
        if (!stage_slope(&x, stage_time(&x, tape_t(), t->a.c[i]), x.y_i, i)) return NULL;
    }
    stage_sum(&x, erk_sum_of_step(t, last - 1), o->y, y_new);
    if (!stage_slope(&x, tape_yp(ERK_IN_END), y_new, last)) return NULL;
    for (int m = 0; m < n; m++) tape_store(o->b, tape_out2(m), y_new[m]);
    for (int k = 0; k < errors; k++) stage_error(&x, last + k, x.at.squares + k, k == 0);
    bool twice = last > 1 && t->a.c[last - 1] == 1; // at the same time
    tape_ref none = tape_const(o->b, 0);
    const tape_ref *k = x.k + last * n;
    whole_store(o, x.at.slopes, twice ? stage_distance(&x, k, k - n) : none);
    whole_store(o, x.at.points, twice ? stage_distance(&x, y_new, x.y_i) : none);
    stage_watch(&x, y_new);
    return tape_finish(o->b, &o->scratch);
}

/* Of the step that ends at t, from y. */
const tape *whole_dense(whole_writer *o)
{
    stage_writer x = stage_begin(o);
    const erk_table *t = x.table;
    int n = o->n, more = t->more->n_more;
    tape_ref finite = TAPE_NONE, *row = whole_refs(o, n);
    tape_ref from = whole_op(o, TAPE_SUB, tape_t(), x.h);
    x.weight = x.at.weights_of_dense;
    for (int m = 0; m < (t->last + 1) * n; m++) x.k[m] = tape_yp(x.at.k + m);
    for (int i = 0; i < more; i++) {
        stage_sum(&x, erk_sum_of_dense(t, i), o->y, x.y_i);
        if (!stage_slope(&x, stage_time(&x, from, t->more->more_c[i]), x.y_i, t->last + 1 + i))
            return NULL;
        for (int m = 0; m < n; m++) finite = whole_plus(o, finite, x.k[(t->last + 1 + i) * n + m]);
    }
    for (int i = 0; i < t->more->n_dense; i++) {
        stage_sum(&x, erk_sum_of_dense(t, more + i), NULL, row);
        for (int m = 0; m < n; m++) tape_store(o->b, tape_out2(i * n + m), row[m]);
    }
    whole_store(o, x.at.finite, finite);
    return tape_finish(o->b, &o->scratch);
}
