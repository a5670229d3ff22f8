/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/compiled.h"

#include "target/target.h"

/* Beyond, instructions are fetched from outside the cache (docs/tape.md). */
enum { OPS_MAX = 40000 };

struct la_code {
    tape_code *down, *up;
    double *scratch;
    size_t n_scratch;
    mem *m;
};

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct number {
    tape_ref re, im; // im: TAPE_NONE for real ones
} number;

typedef struct writer {
    tape_builder *b;
    const la_lists *f;
    number *x;
} writer;

static tape_ref compiled_op(const writer *w, tape_op code, tape_ref x, tape_ref y)
{
    return tape_op2(w->b, code, x, y);
}

/* Factor number k: real parts are the parameters, imaginary ones the work array. */
static number compiled_factor(const writer *w, int k)
{
    return (number){tape_p(k), w->f->is_complex ? tape_w(k) : TAPE_NONE};
}

static number compiled_input(const writer *w, int i)
{
    return (number){tape_y(i), w->f->is_complex ? tape_y(w->f->n + i) : TAPE_NONE};
}

static number compiled_times(const writer *w, number x, number y)
{
    if (!w->f->is_complex) return (number){compiled_op(w, TAPE_MUL, x.re, y.re), TAPE_NONE};
    tape_ref rr = compiled_op(w, TAPE_MUL, x.re, y.re), ii = compiled_op(w, TAPE_MUL, x.im, y.im);
    tape_ref ri = compiled_op(w, TAPE_MUL, x.re, y.im), ir = compiled_op(w, TAPE_MUL, x.im, y.re);
    return (number){compiled_op(w, TAPE_SUB, rr, ii), compiled_op(w, TAPE_ADD, ri, ir)};
}

static number compiled_minus(const writer *w, number x, number y)
{
    return (number){compiled_op(w, TAPE_SUB, x.re, y.re),
                    w->f->is_complex ? compiled_op(w, TAPE_SUB, x.im, y.im) : TAPE_NONE};
}

static void compiled_store(const writer *w, int i, number x)
{
    tape_store(w->b, tape_out(i), x.re);
    if (w->f->is_complex) tape_store(w->b, tape_out(w->f->n + i), x.im);
}

static void compiled_write_down(const writer *w)
{
    const la_lists *f = w->f;
    for (int k = 0; k < f->n; k++) {
        tape_ref weight = tape_const(w->b, f->weight[k]);
        number b = compiled_input(w, f->row[k]);
        w->x[k] = (number){compiled_op(w, TAPE_MUL, b.re, weight),
                           f->is_complex ? compiled_op(w, TAPE_MUL, b.im, weight) : TAPE_NONE};
    }
    for (int k = 0; k < f->steps; k++)
        for (int e = f->start[2 * k + 1]; e < f->start[2 * k + 2]; e++) {
            number *x = &w->x[f->line[e]];
            *x =
                compiled_minus(w, *x, compiled_times(w, compiled_factor(w, f->steps + e), w->x[k]));
        }
    for (int k = 0; k < f->n; k++) compiled_store(w, k, w->x[k]);
}

static void write_up(const writer *w)
{
    const la_lists *f = w->f;
    for (int k = f->n - 1; k >= 0; k--) {
        w->x[k] = compiled_input(w, k);
        if (k < f->steps) {
            for (int e = f->start[2 * k]; e < f->start[2 * k + 1]; e++)
                w->x[k] = compiled_minus(
                    w, w->x[k],
                    compiled_times(w, compiled_factor(w, f->steps + e), w->x[f->line[e]]));
            w->x[k] = compiled_times(w, w->x[k], compiled_factor(w, k));
        }
        compiled_store(w, f->col[k], w->x[k]);
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

typedef struct job {
    const la_lists *f;
    la_code *c;
    arena work;
} job;

static int compiled_build(void *user)
{
    job *j = user;
    la_code *c = j->c;
    writer w = {.f = j->f, .x = arena_array(&j->work, number, j->f->n)};
    for (int up = 0; up < 2; up++) {
        w.b = tape_builder_new(&j->work);
        if (up) write_up(&w);
        else compiled_write_down(&w);
        tape_code **code = up ? &c->up : &c->down;
        if (tape_compile(tape_finish(w.b, &j->work), NULL, c->m, code)) return LA_E_MEMORY;
        if (tape_code_target(*code) == &target_interpreter) return LA_E_BACKEND;
    }
    size_t a = tape_code_scratch(c->down), b = tape_code_scratch(c->up);
    c->n_scratch = (a > b ? a : b) + 1;
    c->scratch = mem_try(c->m, c->n_scratch * sizeof *c->scratch);
    return c->scratch ? LA_OK : LA_E_MEMORY;
}

la_code *la_code_new(mem *m, const la_lists *f)
{
    long ops = (long)(f->start[2 * f->steps] + f->n) * (f->is_complex ? 8 : 2);
    la_code *c = ops <= OPS_MAX ? mem_try(m, sizeof *c) : NULL;
    if (!c) return NULL;
    *c = (la_code){.m = m};
    // The tape builder's memory is never refused; lack of it must come back here.
    mem guarded = *m;
    job j = {.f = f, .c = c};
    arena_init(&j.work, &guarded);
    int status = mem_guarded(&guarded, compiled_build, &j, LA_E_MEMORY);
    arena_done(&j.work);
    if (!status) return c;
    la_code_free(c);
    return NULL;
}

void la_code_free(la_code *c)
{
    if (!c) return;
    tape_code_free(c->down);
    tape_code_free(c->up);
    mem_free(c->m, c->scratch, c->n_scratch * sizeof *c->scratch);
    mem_free(c->m, c, sizeof *c);
}

void la_code_down(const la_code *c, const double *v, double *vi, const double *b, double *x)
{
    tape_args args = {.p = v, .w = vi, .y = b, .out = x, .scratch = c->scratch};
    tape_eval(c->down, &args);
}

void la_code_up(const la_code *c, const double *v, double *vi, const double *x, double *b)
{
    tape_args args = {.p = v, .w = vi, .y = x, .out = b, .scratch = c->scratch};
    tape_eval(c->up, &args);
}
