/* How fast tapes are compiled and run: ns per operation of each backend, the cost of a Jacobian,
 * and rolled maps against the same equations written out.
 *
 *     bench_tape [largest number of operations, default 1000000]
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "mix.h"

#include "tape_oracle.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) // processor time: other work on the machine does not count
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *x, const void *y)
{
    double d = *(const double *)x - *(const double *)y;
    return d < 0 ? -1 : d > 0;
}

static volatile double sink;

/* Seconds per evaluation: the 20th percentile of short batches. */
static double seconds(void (*run)(const void *, const tape_args *), const void *what,
                      const tape_args *args)
{
    enum { BATCHES = 25 };
    double batch[BATCHES];
    int n = 1;
    for (;; n *= 2) {
        double t = now();
        for (int k = 0; k < n; k++) run(what, args);
        if (now() - t > 4e-4 || n > 1 << 20) break;
    }
    for (int i = 0; i < BATCHES; i++) {
        double t = now();
        for (int k = 0; k < n; k++) run(what, args);
        batch[i] = (now() - t) / n;
    }
    sink = args->out[0];
    qsort(batch, BATCHES, sizeof *batch, compare);
    return batch[BATCHES / 5];
}

static void run_plain(const void *what, const tape_args *args)
{
    tape_run(what, args);
}

static void run_code(const void *what, const tape_args *args)
{
    tape_eval(what, args);
}

typedef struct timing {
    double compile, eval; // seconds
    size_t bytes;
} timing;

static timing time_code(const tape_program *p, tape_options options, mem *m, tape_args args)
{
    tape_code *code;
    double t = now();
    tape_compile_program(p, &options, m, &code);
    timing r = {.compile = now() - t, .bytes = tape_code_bytes(code)};
    args.scratch = malloc((tape_code_scratch(code) + 1) * sizeof(double));
    r.eval = seconds(run_code, code, &args);
    free(args.scratch);
    tape_code_free(code);
    return r;
}

static double *filled(int n)
{
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = 0.1 + 0.5 * fabs(sin(i * 1.234));
    return x;
}

static void bench_mix(int n_ops, mem *m)
{
    arena a, scratch;
    arena_init(&a, m);
    arena_init(&scratch, m);
    int n_y;
    double t = now();
    const tape *f = mix_tape(n_ops, &scratch, &a, &n_y);
    double build = now() - t;
    arena_done(&scratch);
    int n = f->n_ins - n_y; // operations, stores not counted

    t = now();
    const tape_program *pf = program_of_kernel(f, &a);
    tape_program_derivative jac = tape_program_jacobian(pf, n_y, n_y, 0, &scratch, &a);
    double derive = now() - t;
    arena_done(&scratch);

    double *y = filled(n_y), *yp = filled(n_y), *p = filled(8);
    double *out = filled(jac.pattern.nnz + n_y), *out2 = filled(jac.pattern.nnz);
    tape_args args = {0.5, p, y, yp, NULL, out, out2, NULL, NULL, NULL};
    args.scratch = malloc(tape_scratch(f) * sizeof(double));
    double plain = seconds(run_plain, f, &args);
    free(args.scratch);
    printf("%8d ops: built %.3f us/op, plain interpreter %.2f ns/op\n", n, 1e6 * build / n,
           1e9 * plain / n);
    int jac_ins = 0;
    for (int k = 0; k < jac.code->n_steps; k++)
        if (jac.code->steps[k].kernel) jac_ins += jac.code->steps[k].kernel->n_ins;
    for (const tape_target *const *target = tape_targets; *target; target++) {
        if (!(*target)->runs_here || !(*target)->runs_here()) continue;
        tape_options o = {.target = *target};
        timing r = time_code(pf, o, m, args), j = time_code(jac.code, o, m, args);
        printf("    %-12s compile %.3f us/op (%.1f ms)  eval %.3f ns/op  %.1f bytes/op   Jacobian: "
               "%.2fx residual, AD %.1f ms + compile %.1f ms (%.2fx ops)\n",
               (*target)->name, 1e6 * r.compile / n, 1e3 * r.compile, 1e9 * r.eval / n,
               (double)r.bytes / n, j.eval / r.eval, 1e3 * derive, 1e3 * j.compile,
               (double)jac_ins / f->n_ins);
    }
    free(y), free(yp), free(p), free(out), free(out2);
    arena_done(&a);
}

/* N nonlinear RC cells, variables laid out contiguously: one map against N copies. */
static const tape *cell_kernel(arena *a, int *n_ops)
{
    tape_builder *b = tape_builder_new(a);
    tape_ref u = tape_x(1), left = tape_x(0), right = tape_x(2), du = tape_x(3);
    tape_ref one = tape_const(b, 1.0);
    tape_ref il = tape_op2(b, TAPE_SUB, left, u), ir = tape_op2(b, TAPE_SUB, u, right);
    tape_ref c =
        tape_op2(b, TAPE_DIV, one,
                 tape_op1(b, TAPE_SQRT, tape_op2(b, TAPE_ADD, one, tape_op2(b, TAPE_MUL, u, u))));
    tape_ref d = tape_op1(b, TAPE_EXP, tape_op2(b, TAPE_MUL, u, tape_const(b, 0.5)));
    tape_ref leak = tape_select(b, TAPE_SEL_LT, u, tape_p(0), d, one);
    tape_ref r = tape_op2(b, TAPE_SUB, tape_op2(b, TAPE_MUL, c, du), tape_op2(b, TAPE_SUB, il, ir));
    for (int k = 0; k < 12; k++)
        r = tape_op2(b, TAPE_ADD, r,
                     tape_op2(b, TAPE_MUL, tape_op2(b, TAPE_MUL, il, tape_const(b, 0.1 + k)), ir));
    tape_store(b, tape_x(4), tape_op2(b, TAPE_ADD, r, tape_op2(b, TAPE_MUL, leak, tape_p(1))));
    const tape *t = tape_finish(b, a);
    *n_ops = t->n_ins - 1;
    return t;
}

static void bench_map(int n, mem *m)
{
    arena a, scratch;
    arena_init(&a, m);
    arena_init(&scratch, m);
    int ops;
    const tape *kernel = cell_kernel(&a, &ops);
    int *list = malloc(5 * (size_t)n * sizeof *list); // cells in scattered order
    static const int offset[5] = {0, 1, 2, 1, 1};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < n; i++) list[k * n + i] = (int)((long long)i * 7919 % n) + offset[k];
    for (int scattered = 0; scattered < 2; scattered++) {
        tape_access x[5] = {{TAPE_Y, 0, 1, NULL},
                            {TAPE_Y, 1, 1, NULL},
                            {TAPE_Y, 2, 1, NULL},
                            {TAPE_YP, 1, 1, NULL},
                            {TAPE_OUT, 1, 1, NULL}};
        for (int k = 0; scattered && k < 5; k++) x[k].list = list + k * n;
        tape_program_builder *b = tape_program_new(&a);
        tape_program_map(b, kernel, n, x);
        const tape_program *p = tape_program_finish(b);
        const tape_program *flat = program_of_kernel(program_unroll(p, &scratch, &a), &a);
        double *y = filled(n + 2), *yp = filled(n + 2), *par = filled(8), *out = filled(n + 2);
        tape_args args = {0.5, par, y, yp, NULL, out, NULL, NULL, NULL, NULL};
        static const tape_options best = {0}, interpret = {.target = &target_interpreter},
                                  vector = {.vector_math = true};
        timing u = time_code(flat, best, m, args), r = time_code(p, best, m, args),
               v = time_code(p, vector, m, args), i = time_code(p, interpret, m, args);
        double t = now(), total = (double)n * ops;
        tape_program_derivative jac = tape_program_jacobian(p, n + 2, n + 2, 0, &scratch, &a);
        double derive = now() - t;
        args.out = filled(jac.pattern.nnz), args.out2 = filled(jac.pattern.nnz);
        args.w = filled(jac.code->extent[TAPE_W]);
        timing j = time_code(jac.code, best, m, args);
        free(args.out), free(args.out2), free(args.w);
        printf("%8d cells, %s: written out %.3f ns/op (compile %.2f ms), map %.3f (%.3f ms), with "
               "vector math %.3f, interpreted %.3f; Jacobian %.2fx, %d steps, AD %.1f ms + compile "
               "%.2f ms\n",
               n, scattered ? "index lists" : "unit stride", 1e9 * u.eval / total, 1e3 * u.compile,
               1e9 * r.eval / total, 1e3 * r.compile, 1e9 * v.eval / total, 1e9 * i.eval / total,
               j.eval / r.eval, jac.code->n_steps, 1e3 * derive, 1e3 * j.compile);
        free(y), free(yp), free(par), free(out);
    }
    free(list);
    arena_done(&a);
    arena_done(&scratch);
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 1000000;
    mem m = mem_std();
    for (int n = 1000; n <= most; n *= 10) bench_mix(n, &m);
    for (int n = 30; n <= most / 30; n *= 10) bench_map(n, &m);
    return 0;
}
