/* Steps of linearly implicit formulas in one piece of code.
 *
 * A Rosenbrock step has no iteration and no decision: Jacobian, inverse, stages and the norm of the error are
 * one tape of the model's equations (method/rosenbrock.c). Pivots are those of the inverse before, for good; whether
 * elimination in pieces would take the same ones (la/inverse.c) is part of the tape. What it computes has the bits of
 * the step in pieces, but for the sign of zeros, so that it does not matter from when on it is used: making it takes
 * as long as some dozens of steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"
#include "problem/problem.h"
#include "run/run_parts.h"
#include "tape/unroll.h"

#include <float.h>
#include <math.h>
#include <string.h>

// clang-format off
/*  bound                       quantity                                             source */
enum { INSTRUCTIONS_MAX = 4000 };  // of the step                                    choice: what the cache holds
static const double
    STAGES_PER_INSTRUCTION = 1.6;  // before it is made, of it                       steps in pieces have then taken what making it takes: 1600 to
                                   //                                                1900 instructions of the machine for one, 1000 to 1200 a stage
// clang-format on

void whole_free(run_state *s)
{
    run_whole *x = &s->whole;
    for (int k = 0; k < x->n; k++) {
        tape_code_free(x->kind[k].code);
        mem_free(s->m, x->kind[k].scratch, x->kind[k].scratch_bytes);
    }
    *x = (run_whole){0};
}

/* Instructions of the step, roughly. */
static double whole_size(const code_model *model, double stages)
{
    const code_system *m = &model->system;
    double n = model->n;
    double residual = tape_program_instructions(m->residual.program, 1);
    double jacobian = tape_program_instructions(m->jacobian.program, 1);
    return jacobian + n * n * n + stages * (residual + 2 * n * n + 2 * (stages - 1) * n);
}

static bool whole_calls(const tape_program *p)
{
    for (int k = 0; k < p->n_steps; k++)
        if (p->steps[k].kind != TAPE_STEP_SUM && p->steps[k].kernel->n_calls) return true;
    return false;
}

bool whole_offered(const code_model *m)
{
    const code_system *s = &m->system;
    return m->n > 0 && m->n <= WHOLE_UNKNOWNS_MAX && s->residual.code && s->jacobian.code &&
           s->residual.program && s->jacobian.program && !s->jacobian.program->extent[TAPE_YP] &&
           !m->inputs.n && !m->events.delays.n_out && !whole_calls(s->residual.program) &&
           !whole_calls(s->jacobian.program) &&
           whole_size(m, ROSENBROCK_STAGES_MAX) <= INSTRUCTIONS_MAX;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct whole_writer {
    run_state *s;
    const rosenbrock_whole *step;
    arena scratch;
    tape_builder *b;
    const rosenbrock_table *k;
    int n, stride;
    rosenbrock_places at;
    bool of_time; // F reads the time
    tape_ref h, t_new, per_h, c;
    tape_ref *p, *w;      // of the model
    tape_ref *y, *yp;     // at the start of the step
    tape_ref *a;          // n * n, by rows: the matrix, and what elimination makes of it
    tape_ref *inverse;    // n * n, by rows
    tape_ref *u, *f_t;    // stages times n
    tape_ref *y_i, *yp_i; // of a stage
    tape_ref fails;
} whole_writer;

static tape_ref whole_op(const whole_writer *x, tape_op op, tape_ref a, tape_ref b)
{
    return tape_op2(x->b, op, a, b);
}

static tape_ref whole_times(const whole_writer *x, double c, tape_ref a)
{
    return c == 1 ? a : whole_op(x, TAPE_MUL, a, tape_const(x->b, c));
}

static bool whole_is(const whole_writer *x, tape_ref r, double value)
{
    double number;
    return tape_is_const(x->b, r, &number) && number == value;
}

static tape_ref *whole_refs(whole_writer *x, int n)
{
    tape_ref *refs = arena_array(&x->scratch, tape_ref, n + 1);
    for (int i = 0; i <= n; i++) refs[i] = TAPE_NONE;
    return refs;
}

static bool whole_program(whole_writer *x, const tape_program *f, unroll_refs r)
{
    int n_w = x->s->model->n_w;
    r.p = x->p;
    r.w = whole_refs(x, n_w);
    memcpy(r.w, x->w, (size_t)n_w * sizeof *r.w);
    return unroll_program(x->b, f, &r, &x->scratch);
}

static bool whole_residual(whole_writer *x, tape_ref t, const tape_ref *y, const tape_ref *yp,
                           tape_ref *r)
{
    return whole_program(x, x->s->model->system.residual.program,
                         (unroll_refs){.t = t, .y = y, .yp = yp, .out = r});
}

static bool whole_jacobian(whole_writer *x, tape_ref *dy, tape_ref *dyp)
{
    const code_system *m = &x->s->model->system;
    bool done =
        whole_program(x, m->jacobian.program,
                      (unroll_refs){.t = tape_t(), .y = x->y, .yp = x->yp, .out = dy, .out2 = dyp});
    for (int e = 0; e < m->jac.nnz && done; e++) done = dy[e] != TAPE_NONE && dyp[e] != TAPE_NONE;
    return done;
}

/* dF/dy' reads nothing that changes in a run without events. */
static bool whole_mass_is_constant(whole_writer *x, const tape_ref *dyp)
{
    int nnz = x->s->model->system.jac.nnz;
    bool computed = false;
    for (int e = 0; e < nnz; e++) {
        tape_kind kind = tape_kind_of(dyp[e]);
        if (kind == TAPE_T || kind == TAPE_Y || kind == TAPE_YP) return false;
        computed = computed || kind == TAPE_VALUE;
    }
    if (!computed) return true;
    tape_builder *before = x->b;
    tape_ref *dy = whole_refs(x, nnz), *again = whole_refs(x, nnz);
    x->b = tape_builder_new(&x->scratch);
    whole_jacobian(x, dy, again);
    for (int e = 0; e < nnz; e++) tape_store(x->b, tape_out(e), again[e]);
    const tape *t = tape_finish(x->b, &x->scratch);
    x->b = before;
    return !t->extent[TAPE_T] && !t->extent[TAPE_Y] && !t->extent[TAPE_YP];
}

/* dF/dy + c dF/dy' */
static bool whole_matrix(whole_writer *x)
{
    const code_system *m = &x->s->model->system;
    tape_ref *dy = whole_refs(x, m->jac.nnz), *dyp = whole_refs(x, m->jac.nnz);
    if (!whole_jacobian(x, dy, dyp) || !whole_mass_is_constant(x, dyp)) return false;
    for (int j = 0; j < x->n; j++)
        for (int e = m->jac.start[j]; e < m->jac.start[j + 1]; e++) {
            tape_store(x->b, tape_out(x->at.dy + e), dy[e]);
            tape_ref *a = &x->a[m->jac.row[e] * x->n + j], mass = TAPE_NONE;
            if (whole_is(x, dyp[e], 1)) mass = x->c;
            else if (!whole_is(x, dyp[e], 0)) mass = whole_op(x, TAPE_MUL, x->c, dyp[e]);
            *a = whole_is(x, dy[e], 0) ? mass : dy[e];
            if (*a != mass && mass != TAPE_NONE) *a = whole_op(x, TAPE_ADD, dy[e], mass);
        }
    return true;
}

/* ---- the inverse, as in la/inverse.c --------------------------------------------------------- */

static tape_ref whole_minus_product(const whole_writer *x, tape_ref a, tape_ref l, tape_ref u)
{
    tape_ref product = whole_op(x, TAPE_MUL, u, l);
    return a == TAPE_NONE ? tape_op1(x->b, TAPE_NEG, product) : whole_op(x, TAPE_SUB, a, product);
}

static void whole_weights(const whole_writer *x, tape_ref *weight)
{
    for (int i = 0; i < x->n; i++) {
        tape_ref most = TAPE_NONE;
        for (int j = 0; j < x->n; j++) {
            if (x->a[i * x->n + j] == TAPE_NONE) continue;
            tape_ref size = tape_op1(x->b, TAPE_ABS, x->a[i * x->n + j]);
            most = most == TAPE_NONE ? size : whole_op(x, TAPE_MAX, size, most);
        }
        weight[i] = most == TAPE_NONE ? most : whole_op(x, TAPE_DIV, tape_const(x->b, 1), most);
    }
}

/* Would another row be taken for column k? `fails` is above 0 then. Pivots that are no numbers, or are 0 where there
 * is no other row, show in what is not finite. */
static void whole_look_at_pivot(whole_writer *x, const tape_ref *weight, const bool *used, int k)
{
    int p = x->step->pivots[k], candidates = 0;
    tape_ref top = TAPE_NONE, own = TAPE_NONE;
    for (int i = 0; i < x->n; i++) {
        if (used[i] || x->a[i * x->n + k] == TAPE_NONE) continue;
        tape_ref size =
            whole_op(x, TAPE_MUL, tape_op1(x->b, TAPE_ABS, x->a[i * x->n + k]), weight[i]);
        top = top == TAPE_NONE ? size : whole_op(x, TAPE_MAX, size, top);
        if (i == p) own = size;
        candidates++;
    }
    if (candidates < 2) return;
    tape_ref missing = whole_op(x, TAPE_SUB, whole_times(x, LA_INVERSE_KEPT_MIN, top), own);
    x->fails = whole_op(x, TAPE_MAX, missing, x->fails);
}

static bool whole_invert(whole_writer *x)
{
    int n = x->n;
    const int *pivots = x->step->pivots;
    tape_ref *weight = whole_refs(x, n), *row = whole_refs(x, n);
    bool *used = arena_array(&x->scratch, bool, n);
    whole_weights(x, weight);
    for (int k = 0; k < n; k++) {
        int p = pivots[k];
        if (used[p] || x->a[p * n + k] == TAPE_NONE) return false;
        whole_look_at_pivot(x, weight, used, k);
        used[p] = true;
        tape_ref inv = whole_op(x, TAPE_DIV, tape_const(x->b, 1), x->a[p * n + k]);
        for (int j = 0; j < n; j++) {
            row[j] = x->a[p * n + j];
            if (row[j] != TAPE_NONE) row[j] = whole_op(x, TAPE_MUL, row[j], inv);
        }
        row[k] = inv;
        for (int i = 0; i < n; i++) {
            tape_ref f = x->a[i * n + k];
            if (i == p || f == TAPE_NONE) continue;
            x->a[i * n + k] = TAPE_NONE;
            for (int j = 0; j < n; j++)
                if (row[j] != TAPE_NONE)
                    x->a[i * n + j] = whole_minus_product(x, x->a[i * n + j], f, row[j]);
        }
        memcpy(x->a + p * n, row, (size_t)n * sizeof *row);
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            tape_ref r = x->inverse[k * n + pivots[j]] = x->a[pivots[k] * n + j];
            if (r != TAPE_NONE) tape_store(x->b, tape_out2(k + pivots[j] * x->stride), r);
        }
    return true;
}

static void whole_solve(whole_writer *x, tape_ref *b)
{
    tape_ref *z = whole_refs(x, x->n);
    for (int k = 0; k < x->n; k++) {
        for (int j = 0; j < x->n; j++) {
            if (x->inverse[k * x->n + j] == TAPE_NONE) continue;
            tape_ref term = whole_op(x, TAPE_MUL, x->inverse[k * x->n + j], b[j]);
            z[k] = z[k] == TAPE_NONE ? term : whole_op(x, TAPE_ADD, z[k], term);
        }
        if (z[k] == TAPE_NONE) z[k] = tape_const(x->b, 0);
    }
    memcpy(b, z, (size_t)x->n * sizeof *b);
}

/* ---- stages, as in method/rosenbrock.c ------------------------------------------------------- */

/* dF/dt by a difference. */
static bool whole_time_slope(whole_writer *x)
{
    tape_ref *r = whole_refs(x, x->n), t = tape_t();
    tape_ref size =
        whole_op(x, TAPE_MAX, tape_op1(x->b, TAPE_ABS, t), tape_yp(ROSENBROCK_IN_H_TIME));
    tape_ref far = whole_op(x, TAPE_ADD, t, whole_times(x, sqrt(DBL_EPSILON), size));
    tape_ref d = whole_op(x, TAPE_SUB, far, t);
    far = whole_op(x, TAPE_ADD, t, d);
    if (!whole_residual(x, t, x->y, x->yp, r) || !whole_residual(x, far, x->y, x->yp, x->f_t))
        return false;
    for (int i = 0; i < x->n; i++) {
        x->f_t[i] = x->f_t[i] == r[i]
                        ? tape_const(x->b, 0)
                        : whole_op(x, TAPE_DIV, whole_op(x, TAPE_SUB, x->f_t[i], r[i]), d);
        tape_store(x->b, tape_out(x->at.f_t + i), x->f_t[i]);
    }
    return true;
}

/* Y_i and, of U, the rates. */
static void whole_point(whole_writer *x, int i, int m)
{
    tape_ref rate = TAPE_NONE;
    x->y_i[m] = x->y[m];
    for (int j = 0; j < i; j++) {
        tape_ref u = x->u[j * x->n + m];
        if (x->k->a[i][j] != 0)
            x->y_i[m] = whole_op(x, TAPE_SUB, x->y_i[m], whole_times(x, x->k->a[i][j], u));
        if (x->k->c[i][j] == 0) continue;
        tape_ref term = whole_times(x, x->k->c[i][j], u);
        rate = rate == TAPE_NONE ? term : whole_op(x, TAPE_ADD, rate, term);
    }
    x->yp_i[m] = rate == TAPE_NONE ? tape_const(x->b, 0) : whole_op(x, TAPE_MUL, rate, x->per_h);
}

static bool whole_stage(whole_writer *x, int i)
{
    double alpha = x->k->alpha[i], gamma_i = x->k->gamma_i[i];
    tape_ref *u = x->u + i * x->n, t = tape_t();
    for (int m = 0; m < x->n; m++) whole_point(x, i, m);
    if (alpha == 1) t = x->t_new;
    else if (alpha != 0) t = whole_op(x, TAPE_ADD, t, whole_times(x, alpha, x->h));
    if (!whole_residual(x, t, x->y_i, x->yp_i, u)) return false;
    tape_ref weight = x->of_time && gamma_i != 0 ? whole_times(x, gamma_i, x->h) : TAPE_NONE;
    for (int m = 0; m < x->n && weight != TAPE_NONE; m++)
        u[m] = whole_op(x, TAPE_ADD, u[m], whole_op(x, TAPE_MUL, weight, x->f_t[m]));
    whole_solve(x, u);
    for (int m = 0; m < x->n; m++) tape_store(x->b, tape_out(i * x->stride + m), u[m]);
    return true;
}

/* The new point, and the squares as problem_squares_error adds them: even and odd ones. */
static void whole_end(whole_writer *x)
{
    const tape_ref *u = x->u + (x->k->stages - 1) * x->n;
    tape_ref sum[2] = {TAPE_NONE, TAPE_NONE};
    for (int m = 0; m < x->n; m++) {
        tape_ref e = whole_op(x, TAPE_MUL, u[m], tape_yp(ROSENBROCK_IN_WEIGHT + m));
        tape_ref square = whole_op(x, TAPE_MUL, e, e), *s = &sum[m & 1];
        *s = *s == TAPE_NONE ? square : whole_op(x, TAPE_ADD, *s, square);
        tape_store(x->b, tape_out(x->at.y + m), whole_op(x, TAPE_SUB, x->y_i[m], u[m]));
        tape_store(x->b, tape_out(x->at.yp + m),
                   whole_op(x, TAPE_SUB, x->yp_i[m], whole_op(x, TAPE_MUL, x->c, u[m])));
    }
    tape_ref all = x->n > 1 ? whole_op(x, TAPE_ADD, sum[0], sum[1]) : sum[0];
    tape_store(x->b, tape_out(x->at.squares), all);
    tape_store(x->b, tape_out(x->at.fails), x->fails);
}

static void whole_leaves(whole_writer *x)
{
    const code_model *m = x->s->model;
    int n = x->n;
    x->b = tape_builder_new(&x->scratch);
    x->p = whole_refs(x, m->n_p);
    x->w = whole_refs(x, m->n_w);
    x->y = whole_refs(x, n);
    x->yp = whole_refs(x, n);
    for (int k = 0; k < m->n_p; k++) x->p[k] = tape_p(k);
    for (int k = 0; k < m->n_w; k++) x->w[k] = tape_w(k);
    for (int k = 0; k < n; k++) x->y[k] = tape_y(k);
    for (int k = 0; k < n; k++) x->yp[k] = tape_yp(ROSENBROCK_IN_WEIGHT + n + k);
    x->a = whole_refs(x, n * n);
    x->inverse = whole_refs(x, n * n);
    x->u = whole_refs(x, x->k->stages * n);
    x->f_t = whole_refs(x, n);
    x->y_i = whole_refs(x, n);
    x->yp_i = whole_refs(x, n);
}

/* NULL: it cannot be written. */
static const tape *whole_tape(whole_writer *x)
{
    tape_ref one;
    whole_leaves(x);
    one = tape_const(x->b, 1);
    x->of_time = !x->s->problem.autonomous;
    x->fails = tape_const(x->b, 0);
    x->h = tape_yp(ROSENBROCK_IN_H);
    x->t_new = tape_yp(ROSENBROCK_IN_END);
    x->per_h = whole_op(x, TAPE_DIV, one, x->h);
    x->c = whole_op(x, TAPE_DIV, one, whole_times(x, x->k->gamma, x->h));
    if (!whole_matrix(x) || !whole_invert(x)) return NULL;
    if (x->of_time && !whole_time_slope(x)) return NULL;
    for (int i = 0; i < x->k->stages; i++)
        if (!whole_stage(x, i)) return NULL;
    whole_end(x);
    return tape_finish(x->b, &x->scratch);
}

/* ---- making and using it --------------------------------------------------------------------- */

typedef struct whole_job {
    whole_writer writer;
    whole_kind *kind;
} whole_job;

static int whole_make(void *job)
{
    whole_job *j = job;
    whole_kind *k = j->kind;
    mem *m = j->writer.s->m;
    const tape *t = whole_tape(&j->writer);
    if (!t || tape_compile(t, NULL, m, &k->code)) return VINC_OK;
    k->scratch_bytes = tape_code_scratch(k->code) * sizeof *k->scratch + 1;
    k->scratch = mem_try(m, k->scratch_bytes);
    if (k->scratch && tape_code_target(k->code) != &target_interpreter) return VINC_OK;
    if (!k->scratch) k->scratch_bytes = 0;
    tape_code_free(k->code);
    k->code = NULL;
    return VINC_OK;
}

static void whole_try(run_state *s, const rosenbrock_whole *step, whole_kind *k)
{
    int n = s->model->n, stride = (n + LA_INVERSE_PAD - 1) / LA_INVERSE_PAD * LA_INVERSE_PAD;
    k->tried = true;
    k->at = rosenbrock_place(step->table, stride, s->model->system.jac.nnz);
    whole_job j = {
        .writer = {.s = s, .step = step, .k = step->table, .n = n, .stride = stride, .at = k->at},
        .kind = k};
    arena_init(&j.writer.scratch, s->m);
    mem_guarded(s->m, whole_make, &j, VINC_E_MEMORY); // without memory steps are made in pieces
    arena_done(&j.writer.scratch);
}

static whole_kind *whole_find(run_state *s, const rosenbrock_whole *step)
{
    run_whole *x = &s->whole;
    size_t bytes = (size_t)s->model->n * sizeof *step->pivots;
    for (int k = 0; k < x->n; k++)
        if (x->kind[k].table == step->table && !memcmp(x->kind[k].pivots, step->pivots, bytes))
            return &x->kind[k];
    if (x->n == WHOLE_KINDS) return NULL;
    whole_kind *k = &x->kind[x->n];
    double size = whole_size(s->model, step->table->stages);
    long patience = (long)(STAGES_PER_INSTRUCTION * size / step->table->stages);
    *k = (whole_kind){.table = step->table, .patience = patience};
    memcpy(k->pivots, step->pivots, bytes);
    x->n++;
    return k;
}

int whole_step(void *user, const rosenbrock_whole *step)
{
    run_state *s = user;
    whole_kind *k = s->crew ? NULL : whole_find(s, step);
    if (!k) return 1;
    if (!k->tried && ++k->asked > k->patience) whole_try(s, step, k);
    if (!k->code) return 1;
    if (run_stops(s)) return -1;
    tape_eval(k->code, &(tape_args){.t = step->t,
                                    .p = s->p,
                                    .y = step->y,
                                    .yp = step->in,
                                    .w = s->w,
                                    .out = step->out,
                                    .out2 = step->inverse,
                                    .scratch = k->scratch,
                                    .run = s->routines});
    bool finite = problem_finite(step->out + k->at.y, k->at.f_t - k->at.y);
    return !(finite && step->out[k->at.fails] == 0);
}
