/* Some equations of the model as functions of some unknowns, all else being given.
 *
 * The rows, and their derivatives by the unknowns of the part, are picked out of the programs of the model
 * (tape/pick.c) into one tape. Its instructions fall into those that depend on the part and those that depend on time
 * and on other unknowns only. The second kind becomes a tape by itself, whose results are what is `given`: where twenty
 * rooms heat one circuit and the circuit is in the part, the tanh of nineteen valves are given, and what is left of the
 * balance is a product and a sum for each of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run/part.h"
#include "problem/problem.h"
#include "run/run_parts.h"

#include <string.h>

enum {
    PART_STEP_UNKNOWNS = 3,        // of steps in one piece
    PART_STEP_INSTRUCTIONS = 4000, // as of whole_step.c
    PART_INSTRUCTIONS = 200,       // that one is expected to have, of a heating system 30 to 400
    PART_WRITTEN = 2000,           // operations of writing an instruction: callgrind
    PART_COMPILED = 1300,          // ... of making machine code of it
    PART_WINDOWS_BEFORE = 6, // of steps in pieces, by when they have taken what making it takes
};

struct part_writer {
    run_state *s;
    vinc_some *part;
    run_part *to;
    arena scratch;
    const tape *t;                   // rows, then derivatives
    int *own;                        // by unknown: its place in the part, -1
    int *given;                      // by instruction of t: its place among what is given, -1: not
    int *given_y;                    // by unknown
    int *given_p;                    // by parameter
    int given_t;                     // the time
    bool *depends;                   // by instruction of t: on the part
    bool *moves;                     // ... on time or on other unknowns
    tape_ref *leaves;                // what is given, in order: refs of t
    int n_given, n_curves, n_slopes; // n_curves: of what is given, that moves
    tape_builder *b;                 // of t
    const rosenbrock_table *table;
};

static void part_writer_free(run_state *s, part_writer *w)
{
    arena_done(&w->scratch);
    mem_free(s->m, w, sizeof *w);
}

void part_free(run_state *s)
{
    run_of_parts *x = &s->parts;
    for (int k = 0; k < x->n; k++) tape_code_free(x->part[k].given);
    for (int k = 0; k < x->n_codes; k++) {
        part_code_shared *code = &x->code[k];
        if (code->writer) part_writer_free(s, code->writer);
        tape_code_free(code->rows);
        tape_code_free(code->slopes);
        tape_code_free(code->step);
    }
    if (x->part) mem_free(s->m, x->part, PARTS_MAX * sizeof *x->part);
    if (x->code) mem_free(s->m, x->code, PARTS_MAX * sizeof *x->code);
    if (x->scratch) mem_free(s->m, x->scratch, x->scratch_bytes);
    if (x->kept) arena_done(x->kept);
    if (x->kept) mem_free(s->m, x->kept, sizeof *x->kept);
    *x = (run_of_parts){0};
}

bool part_offered(const code_model *m)
{
    const code_system *s = &m->system;
    return m->n > 1 && s->all_differential && s->residual.code && s->jacobian.code &&
           s->residual.program && s->jacobian.program && !s->jacobian.program->extent[TAPE_YP] &&
           !m->inputs.n && !m->events.delays.n_out;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Derivatives of other unknowns count as 0. */
static tape_ref part_operand(void *user, tape_ref r)
{
    part_writer *x = user;
    bool other = tape_kind_of(r) == TAPE_YP && x->own[tape_index_of(r)] < 0;
    return other ? tape_const(x->b, 0) : r;
}

static void part_store(tape_builder *b, int at, tape_ref r)
{
    tape_store(b, tape_out(at), r == TAPE_NONE ? tape_const(b, 0) : r);
}

/* Rows and derivatives in one tape. */
static void part_pick(part_writer *x)
{
    const vinc_some *part = x->part;
    const vinc_pattern *jac = &x->s->model->system.jac;
    int n = part->n, m = part->n_rows;
    tape_builder *b = x->b = tape_builder_sized(&x->scratch, PART_INSTRUCTIONS);
    tape_ref *r = arena_array(&x->scratch, tape_ref, m + 1);
    tape_pick(x->s->parts.rows, part->rows, m, b, part_operand, x, r);
    for (int i = 0; i < m; i++) part_store(b, i, r[i]);
    x->n_slopes = part->slopes ? m * n : 0;
    for (int j = 0; j < n && part->slopes; j++)
        for (int i = 0; i < m; i++) {
            int e = jac->start[part->unknowns[j]], end = jac->start[part->unknowns[j] + 1];
            while (e < end && jac->row[e] != part->rows[i]) e++;
            tape_ref slope = TAPE_NONE;
            if (e < end) tape_pick(x->s->parts.slopes, &e, 1, b, part_operand, x, &slope);
            part_store(b, m + j * m + i, slope);
        }
    x->t = tape_finish(b, &x->scratch);
    if (!x->t->n_calls)
        x->t = tape_collect(x->t, x->own, n, x->s->model->n, part->differences, &x->scratch);
}

static int part_operands(const tape_ins *in, const tape_ref **of)
{
    *of = in->op == TAPE_STORE ? &in->b : &in->a;
    return in->op == TAPE_STORE ? 1 : tape_op_operands((tape_op)in->op);
}

static bool part_ref_depends(const part_writer *x, tape_ref r)
{
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return x->depends[k];
    case TAPE_Y: return x->own[k] >= 0;
    case TAPE_YP: return true;
    default: return false;
    }
}

static bool part_ref_moves(const part_writer *x, tape_ref r)
{
    tape_kind kind = tape_kind_of(r);
    return kind == TAPE_VALUE ? x->moves[tape_index_of(r)] : kind == TAPE_Y || kind == TAPE_T;
}

/* Parameters are given to parts that may share code, which then knows no names of them. */
static bool part_may_share(const part_writer *x)
{
    return x->part->slopes && x->part->n <= PART_STEP_UNKNOWNS;
}

static void part_give(part_writer *x, tape_ref r, bool moving)
{
    int k = tape_index_of(r), *at = NULL;
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: at = x->depends[k] ? NULL : &x->given[k]; break;
    case TAPE_Y: at = x->own[k] >= 0 ? NULL : &x->given_y[k]; break;
    case TAPE_P: at = part_may_share(x) ? &x->given_p[k] : NULL; break;
    case TAPE_T: at = &x->given_t; break;
    default: break;
    }
    if (!at || *at >= 0 || part_ref_moves(x, r) != moving) return;
    *at = x->n_given;
    x->leaves[x->n_given++] = r;
}

static void part_give_all(part_writer *x, bool moving)
{
    const tape *t = x->t;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ref *of;
        int k = part_operands(&t->ins[i], &of);
        for (int j = 0; j < k && (x->depends[i] || t->ins[i].op == TAPE_STORE); j++)
            part_give(x, of[j], moving);
    }
}

/* What depends on the part, and of the rest what that reads: first what moves. */
static void part_divide(part_writer *x)
{
    const tape *t = x->t;
    int n = x->s->model->n, n_p = t->extent[TAPE_P];
    x->given = arena_array(&x->scratch, int, t->n_ins + 1);
    x->given_y = arena_array(&x->scratch, int, n);
    x->given_p = arena_array(&x->scratch, int, n_p + 1);
    x->depends = arena_array(&x->scratch, bool, t->n_ins + 1);
    x->moves = arena_array(&x->scratch, bool, t->n_ins + 1);
    x->leaves = arena_array(&x->scratch, tape_ref, t->n_ins + n + n_p + 1);
    x->given_t = -1;
    for (int i = 0; i < n; i++) x->given_y[i] = -1;
    for (int i = 0; i < n_p; i++) x->given_p[i] = -1;
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ref *of;
        int k = part_operands(&t->ins[i], &of);
        x->given[i] = -1;
        for (int j = 0; j < k; j++) {
            x->depends[i] = x->depends[i] || part_ref_depends(x, of[j]);
            x->moves[i] = x->moves[i] || part_ref_moves(x, of[j]);
        }
    }
    part_give_all(x, true);
    x->n_curves = x->n_given;
    part_give_all(x, false);
}

static const tape *part_given_tape(part_writer *x)
{
    tape_builder *b = tape_builder_sized(&x->scratch, x->t->n_ins);
    replay r;
    replay_init(&r, b, x->t, &x->scratch);
    for (int i = 0; i < x->t->n_ins; i++)
        if (!x->depends[i] && x->t->ins[i].op != TAPE_STORE) replay_ins(&r, i);
    for (int k = 0; k < x->n_given; k++) tape_store(b, tape_out(k), replay_ref(&r, x->leaves[k]));
    return tape_finish(b, &x->scratch);
}

/* The unknowns of the part and their derivatives are in yp, what is given in y. */
static tape_ref part_leaf(void *user, tape_ref r)
{
    const part_writer *x = user;
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_T: return tape_y(x->given_t);
    case TAPE_Y: return x->own[k] >= 0 ? tape_yp(x->own[k]) : tape_y(x->given_y[k]);
    case TAPE_YP: return tape_yp(x->part->n + x->own[k]);
    case TAPE_P: return x->given_p[k] >= 0 ? tape_y(x->given_p[k]) : r;
    default: return r;
    }
}

/* Stores from `from` on. It is kept, to be compared. */
static const tape *part_own_tape(part_writer *x, int from, int count)
{
    tape_builder *b = tape_builder_new(&x->scratch);
    replay r;
    replay_init(&r, b, x->t, &x->scratch);
    r.leaf = part_leaf;
    r.user = x;
    for (int i = 0; i < x->t->n_ins; i++) {
        const tape_ins *in = &x->t->ins[i];
        int at = in->op == TAPE_STORE ? tape_index_of(in->a) - from : -1;
        if (in->op == TAPE_STORE) {
            if (at >= 0 && at < count) tape_store(b, tape_out(at), replay_ref(&r, in->b));
        } else if (x->depends[i]) replay_ins(&r, i);
        else if (x->given[i] >= 0) r.moved[i] = tape_y(x->given[i]);
    }
    return tape_finish(b, x->s->parts.kept);
}

static double part_work(const tape *t)
{
    double work = 0;
    for (int i = 0; i < t->n_ins; i++)
        if (t->ins[i].op != TAPE_STORE) work += tape_op_work(t->ins[i].op);
    return work;
}

static bool part_compile(run_state *s, const tape *t, tape_code **code, double *work, double *cost)
{
    run_of_parts *all = &s->parts;
    *cost += PART_COMPILED * t->n_ins;
    if (tape_compile(t, NULL, s->m, code)) return false;
    *work = part_work(t);
    size_t bytes = tape_code_scratch(*code) * sizeof(double) + 1;
    if (bytes <= all->scratch_bytes) return true;
    double *scratch = mem_try(s->m, bytes);
    if (!scratch) return false;
    mem_free(s->m, all->scratch, all->scratch_bytes);
    all->scratch = scratch;
    all->scratch_bytes = bytes;
    return true;
}

/* ---- a step in one piece, as in method/part_step.c -------------------------------------------- */

typedef struct part_stepper {
    part_writer *x;
    const rosenbrock_table *k;
    tape_builder *b;
    int n, point;
    tape_ref y[PART_STEP_UNKNOWNS], yp[PART_STEP_UNKNOWNS]; // of the stage
    tape_ref rows[PART_STEP_UNKNOWNS], slopes[PART_STEP_UNKNOWNS * PART_STEP_UNKNOWNS];
    tape_ref a[PART_STEP_UNKNOWNS][PART_STEP_UNKNOWNS]; // the matrix, then its inverse
    tape_ref u[ROSENBROCK_STAGES_MAX][PART_STEP_UNKNOWNS], f_t[PART_STEP_UNKNOWNS];
} part_stepper;

static tape_ref part_given_at(const part_stepper *s, int k)
{
    int n = s->x->n_curves;
    return tape_y(k < n ? k * ROSENBROCK_POINTS + s->point : n * ROSENBROCK_POINTS + k - n);
}

static tape_ref part_stage_leaf(void *user, tape_ref r)
{
    const part_stepper *s = user;
    int k = tape_index_of(r);
    switch (tape_kind_of(r)) {
    case TAPE_T: return part_given_at(s, s->x->given_t);
    case TAPE_Y: return s->x->own[k] >= 0 ? s->y[s->x->own[k]] : part_given_at(s, s->x->given_y[k]);
    case TAPE_YP: return s->yp[s->x->own[k]];
    case TAPE_P: return s->x->given_p[k] >= 0 ? part_given_at(s, s->x->given_p[k]) : r;
    default: return r;
    }
}

/* Rows, and derivatives, at the point of a stage. */
static void part_evaluate(part_stepper *s)
{
    const part_writer *x = s->x;
    replay r;
    replay_init(&r, s->b, x->t, &s->x->scratch);
    r.leaf = part_stage_leaf;
    r.user = s;
    for (int i = 0; i < x->t->n_ins; i++) {
        const tape_ins *in = &x->t->ins[i];
        if (in->op == TAPE_STORE) {
            int at = tape_index_of(in->a);
            *(at < s->n ? &s->rows[at] : &s->slopes[at - s->n]) = replay_ref(&r, in->b);
        } else if (x->depends[i]) replay_ins(&r, i);
        else if (x->given[i] >= 0) r.moved[i] = part_given_at(s, x->given[i]);
    }
}

static tape_ref part_op(const part_stepper *s, tape_op op, tape_ref a, tape_ref b)
{
    return tape_op2(s->b, op, a, b);
}

static tape_ref part_times(const part_stepper *s, double c, tape_ref a)
{
    return c == 1 ? a : part_op(s, TAPE_MUL, a, tape_const(s->b, c));
}

/* The cofactor of a_ij, of up to three unknowns. */
static tape_ref part_cofactor(const part_stepper *s, int i, int j)
{
    if (s->n == 1) return tape_const(s->b, 1);
    if (s->n == 2)
        return i == j ? s->a[1 - i][1 - j] : tape_op1(s->b, TAPE_NEG, s->a[1 - i][1 - j]);
    int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, t = (j + 2) % 3;
    return part_op(s, TAPE_SUB, part_op(s, TAPE_MUL, s->a[p][r], s->a[q][t]),
                   part_op(s, TAPE_MUL, s->a[p][t], s->a[q][r]));
}

/* dF/dy + M/(h gamma), inverted by cofactors. */
static void part_invert(part_stepper *s, tape_ref c)
{
    int n = s->n;
    tape_ref inverse[PART_STEP_UNKNOWNS][PART_STEP_UNKNOWNS], det = TAPE_NONE;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->a[i][j] = s->slopes[j * n + i];
            if (i == j)
                s->a[i][i] =
                    part_op(s, TAPE_ADD, s->a[i][i], part_op(s, TAPE_MUL, c, tape_yp(n + i)));
        }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) inverse[j][i] = part_cofactor(s, i, j);
        tape_ref term = part_op(s, TAPE_MUL, s->a[0][j], inverse[j][0]);
        det = j ? part_op(s, TAPE_ADD, det, term) : term;
    }
    det = part_op(s, TAPE_DIV, tape_const(s->b, 1), det);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->a[i][j] = part_op(s, TAPE_MUL, inverse[i][j], det);
}

static void part_stage(part_stepper *s, int i, tape_ref h, tape_ref per_h)
{
    int n = s->n;
    for (int m = 0; m < n; m++) {
        tape_ref rate = TAPE_NONE;
        s->y[m] = tape_yp(m);
        for (int j = 0; j < i; j++) {
            if (s->k->a[i][j] != 0)
                s->y[m] = part_op(s, TAPE_SUB, s->y[m], part_times(s, s->k->a[i][j], s->u[j][m]));
            if (s->k->c[i][j] == 0) continue;
            tape_ref term = part_times(s, s->k->c[i][j], s->u[j][m]);
            rate = rate == TAPE_NONE ? term : part_op(s, TAPE_ADD, rate, term);
        }
        s->yp[m] = rate == TAPE_NONE ? tape_const(s->b, 0) : part_op(s, TAPE_MUL, rate, per_h);
    }
    s->point = rosenbrock_point(s->k, i);
    if (i) part_evaluate(s);
    tape_ref weight = part_times(s, s->k->gamma_i[i], h), f[PART_STEP_UNKNOWNS];
    for (int m = 0; m < n; m++) {
        f[m] = s->rows[m];
        if (s->k->gamma_i[i] != 0)
            f[m] = part_op(s, TAPE_ADD, f[m], part_op(s, TAPE_MUL, weight, s->f_t[m]));
    }
    for (int m = 0; m < n; m++) {
        tape_ref sum = TAPE_NONE;
        for (int j = 0; j < n; j++) {
            tape_ref term = part_op(s, TAPE_MUL, s->a[m][j], f[j]);
            sum = j ? part_op(s, TAPE_ADD, sum, term) : term;
        }
        s->u[i][m] = sum;
    }
}

static const tape *part_step_tape(part_writer *x, const rosenbrock_table *k)
{
    part_stepper s = {.x = x,
                      .k = k,
                      .b = tape_builder_sized(&x->scratch, k->stages * x->t->n_ins),
                      .n = x->part->n};
    int n = s.n, last = k->stages - 1;
    tape_ref own[PART_STEP_UNKNOWNS]; // the derivative of the row of an unknown by that
    tape_ref h = tape_yp(2 * n), per_h = part_op(&s, TAPE_DIV, tape_const(s.b, 1), h);
    tape_ref c = part_op(&s, TAPE_DIV, tape_const(s.b, 1), part_times(&s, k->gamma, h));
    for (int m = 0; m < n; m++) s.y[m] = tape_yp(m), s.yp[m] = tape_const(s.b, 0);
    s.point = 1; // dF/dt along what is given
    part_evaluate(&s);
    memcpy(s.f_t, s.rows, sizeof s.f_t);
    s.point = 0;
    part_evaluate(&s);
    for (int m = 0; m < n; m++)
        s.f_t[m] =
            part_op(&s, TAPE_MUL, part_op(&s, TAPE_SUB, s.f_t[m], s.rows[m]), tape_yp(2 * n + 1));
    for (int m = 0; m < n; m++) own[m] = s.slopes[m * n + m];
    part_invert(&s, c);
    for (int i = 0; i <= last; i++) part_stage(&s, i, h, per_h);
    for (int m = 0; m < n; m++) {
        for (int i = 0; i <= last; i++) tape_store(s.b, tape_out(i * n + m), s.u[i][m]);
        tape_store(s.b, tape_out((last + 1) * n + m), part_op(&s, TAPE_SUB, s.y[m], s.u[last][m]));
        tape_store(s.b, tape_out((last + 2) * n + m), own[m]);
    }
    return tape_finish(s.b, &x->scratch);
}

/* ---- making and using them ------------------------------------------------------------------- */

/* Up to what is given. */
static bool part_write(part_writer *x)
{
    const code_model *m = x->s->model;
    const vinc_some *part = x->part;
    x->own = arena_array(&x->scratch, int, m->n);
    for (int i = 0; i < m->n; i++) x->own[i] = -1;
    for (int i = 0; i < part->n; i++) x->own[part->unknowns[i]] = i;
    part_pick(x);
    if (x->t->n_calls) return false;
    part_divide(x);
    return true;
}

static bool part_same_tape(const tape *x, const tape *y)
{
    if (!x || !y) return x == y;
    return x->n_ins == y->n_ins && x->n_consts == y->n_consts && !x->n_regions && !y->n_regions &&
           !memcmp(x->ins, y->ins, (size_t)x->n_ins * sizeof *x->ins) &&
           !memcmp(x->consts, y->consts, (size_t)x->n_consts * sizeof *x->consts);
}

/* The code of these tapes, which is made if there is none. NULL: that failed. */
static part_code_shared *part_code_of(part_writer *x, const tape *rows, const tape *slopes)
{
    run_of_parts *all = &x->s->parts;
    for (int k = 0; k < all->n_codes; k++)
        if (part_same_tape(all->code[k].row_tape, rows) &&
            part_same_tape(all->code[k].slope_tape, slopes))
            return &all->code[k];
    part_code_shared *code = &all->code[all->n_codes++];
    *code = (part_code_shared){0};
    if (!part_compile(x->s, rows, &code->rows, &code->work_rows, &code->cost)) return NULL;
    if (slopes && !part_compile(x->s, slopes, &code->slopes, &code->work_slopes, &code->cost))
        return NULL;
    code->row_tape = rows;
    code->slope_tape = slopes;
    return code;
}

static int part_make(void *job)
{
    part_writer *x = job;
    vinc_some *part = x->part;
    run_part *to = x->to;
    arena *kept = x->s->parts.kept;
    to->unknowns = arena_array(kept, int, part->n + 1);
    to->equations = arena_array(kept, int, part->n_rows + 1);
    memcpy(to->unknowns, part->unknowns, (size_t)part->n * sizeof(int));
    memcpy(to->equations, part->rows, (size_t)part->n_rows * sizeof(int));
    if (!part_write(x)) return 1;
    const tape *rows = part_own_tape(x, 0, part->n_rows);
    const tape *slopes = part->slopes ? part_own_tape(x, part->n_rows, x->n_slopes) : NULL;
    const tape *given = part_given_tape(x);
    to->cost = PART_WRITTEN * (given->n_ins + rows->n_ins + (slopes ? slopes->n_ins : 0));
    if (!part_compile(x->s, given, &to->given, &part->work_given, &to->cost)) return 1;
    to->code = part_code_of(x, rows, slopes);
    if (!to->code) return 1;
    part->work_rows = to->code->work_rows;
    part->work_slopes = to->code->work_slopes;
    part->n_given = to->n_given = x->n_given;
    part->n_constant = x->n_given - x->n_curves;
    to->told = *part;
    to->told.unknowns = to->unknowns;
    to->told.rows = to->equations;
    return 0;
}

typedef struct part_step_job {
    part_writer *x;
    part_code_shared *code;
} part_step_job;

static int part_make_step(void *job)
{
    part_step_job *x = job;
    double work;
    const tape *t = part_step_tape(x->x, x->x->table);
    return t->n_ins > PART_STEP_INSTRUCTIONS ||
           !part_compile(x->x->s, t, &x->code->step, &work, &x->code->cost_of_step);
}

/* One that was made before, for a method that was in use then. */
static run_part *part_known(const run_of_parts *x, const vinc_some *part)
{
    for (int k = 0; k < x->n; k++) {
        run_part *of = &x->part[k];
        if (of->n == part->n && of->n_rows == part->n_rows && of->with_slopes == part->slopes &&
            of->differences == part->differences && of->unknowns && of->equations &&
            !memcmp(of->unknowns, part->unknowns, (size_t)of->n * sizeof(int)) &&
            !memcmp(of->equations, part->rows, (size_t)of->n_rows * sizeof(int)))
            return of;
    }
    return NULL;
}

/* Indices of the programs, once. */
static int part_begin(void *user)
{
    run_state *s = user;
    run_of_parts *x = &s->parts;
    const code_system *m = &s->model->system;
    x->kept = mem_get(s->m, sizeof *x->kept);
    arena_init(x->kept, s->m);
    x->part = mem_get_zeroed(s->m, PARTS_MAX * sizeof *x->part, false);
    x->code = mem_get_zeroed(s->m, PARTS_MAX * sizeof *x->code, false);
    x->rows = tape_picker_new(m->residual.program, x->kept);
    x->slopes = tape_picker_new(m->jacobian.program, x->kept);
    return 0;
}

void part_forget(run_state *s)
{
    s->parts.made = 0;
    for (int k = 0; k < s->parts.n; k++) s->parts.part[k].counted = false;
    for (int k = 0; k < s->parts.n_codes; k++) {
        s->parts.code[k].asked = 0;
        s->parts.code[k].counted = false;
    }
}

static void part_count(run_of_parts *x, run_part *of)
{
    part_code_shared *code = of->code;
    if (!of->counted) x->made += of->cost;
    if (code && !code->counted) x->made += code->cost;
    of->counted = true;
    if (code) code->counted = true;
}

int part_new(void *user, vinc_some *part)
{
    run_state *s = user;
    run_of_parts *x = &s->parts;
    if (!x->tried) {
        x->tried = true;
        mem_guarded(s->m, part_begin, s, 1);
    }
    if (!x->rows || !x->slopes) return 1;
    run_part *known = part_known(x, part);
    if (known) {
        part_count(x, known);
        part->id = (int)(known - x->part);
        part->n_given = known->n_given;
        part->n_constant = known->told.n_constant;
        part->work_given = known->told.work_given;
        part->work_rows = known->told.work_rows;
        part->work_slopes = known->told.work_slopes;
        return known->failed;
    }
    part_writer *w = x->n < PARTS_MAX ? mem_try(s->m, sizeof *w) : NULL;
    if (!w) return 1;
    run_part *to = &x->part[x->n];
    *to = (run_part){.n = part->n,
                     .n_rows = part->n_rows,
                     .with_slopes = part->slopes,
                     .differences = part->differences};
    *w = (part_writer){.s = s, .part = part, .to = to};
    arena_init(&w->scratch, s->m);
    int codes = x->n_codes, status = mem_guarded(s->m, part_make, w, 1);
    to->failed = status;
    bool first = x->n_codes > codes;
    // What was written of it is kept until the code of steps has been made of it too.
    if (!status && first && part_may_share(w)) {
        w->part = &to->told;
        to->code->writer = w;
    } else {
        part_writer_free(s, w);
    }
    part_count(x, to);
    part->id = x->n++; // also of one that fails: what was made of it is given back with the others
    return status;
}

static tape_args part_arguments(run_state *s, const double *y, const double *yp, double *out)
{
    return (tape_args){.p = s->p,
                       .y = y,
                       .yp = yp,
                       .w = s->w,
                       .out = out,
                       .scratch = s->parts.scratch,
                       .run = s->routines};
}

int part_given(void *user, int id, const vinc_some_points *at, double *given, int stride)
{
    run_state *s = user;
    const run_part *part = &s->parts.part[id];
    if (run_stops(s)) return -1;
    tape_args a = part_arguments(s, NULL, NULL, given);
    bool finite = true;
    for (int k = 0; k < at->n; k++, a.out += stride) {
        a.t = at->t[k];
        a.y = at->y[k];
        tape_eval(part->given, &a);
        finite = finite && problem_finite(a.out, part->n_given);
    }
    return !finite;
}

int part_rows(void *user, int id, const double *given, const double *own, double *r)
{
    run_state *s = user;
    const run_part *part = &s->parts.part[id];
    tape_args a = part_arguments(s, given, own, r);
    tape_eval(part->code->rows, &a);
    return !problem_finite(r, part->n_rows);
}

int part_slopes(void *user, int id, const double *given, const double *own, double *dy)
{
    run_state *s = user;
    const run_part *part = &s->parts.part[id];
    tape_args a = part_arguments(s, given, own, dy);
    tape_eval(part->code->slopes, &a);
    return !problem_finite(dy, part->n_rows * part->n);
}

int part_step(void *user, int id, const rosenbrock_part *step)
{
    run_state *s = user;
    const run_part *part = &s->parts.part[id];
    part_code_shared *code = part->code;
    if (part->n > PART_STEP_UNKNOWNS || ++code->asked <= PART_WINDOWS_BEFORE) return 1;
    if (code->writer) {
        part_step_job job = {code->writer, code};
        code->writer->table = step->table;
        mem_guarded(s->m, part_make_step, &job, 1);
        part_writer_free(s, code->writer);
        code->writer = NULL;
    }
    if (code->asked == PART_WINDOWS_BEFORE + 1) s->parts.made += code->cost_of_step;
    if (!code->step) return 1;
    tape_args a = part_arguments(s, step->given, step->own, step->out);
    tape_eval(code->step, &a);
    return 0;
}
