/* Every target of the tape against the plain interpreter, bit for bit, on random tapes and maps.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // mkdtemp, dlopen
#include "cmocka_all.h"

#include "tape_oracle.h"
#include "tape_random.h"
#include "target/target.h"

#include <dlfcn.h>
#include <unistd.h>

enum { N_POINTS = 3 };

static int n_tapes = 300; // or the first argument, for longer runs

static void agree(const tape *t, rng *r, mem *m, const char *what)
{
    double *scratch = calloc(tape_scratch(t) + 1, sizeof *scratch);
    random_args at[N_POINTS], expect[N_POINTS];
    for (int k = 0; k < N_POINTS; k++) {
        random_fill(&at[k], r, k == 0);
        expect[k] = at[k];
        tape_args args = random_bind(&expect[k], scratch);
        tape_run(t, &args);
    }
    free(scratch);
    for (const tape_target *const *target = tape_targets; *target; target++) {
        tape_code *code = NULL;
        assert_int_equal(tape_compile(t, &(tape_options){.target = *target}, m, &code), 0);
        scratch = malloc((tape_code_scratch(code) + 1) * sizeof *scratch);
        for (int k = 0; k < N_POINTS; k++) {
            random_args got = at[k];
            tape_args args = random_bind(&got, scratch);
            tape_eval(code, &args);
            int place = random_differs(&got, &expect[k], sizeof got);
            if (place >= 0)
                fail_msg("%s: %s gives %a, not %a, at %d", what, tape_code_target(code)->name,
                         ((double *)&got)[place], ((double *)&expect[k])[place], place);
        }
        free(scratch);
        tape_code_free(code);
    }
}

static void targets_agree_on_tapes(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    for (int seed = 1; seed <= n_tapes; seed++) {
        rng r = {(uint64_t)seed};
        random_shape shape = {.n_ops = 50 + rng_below(&r, seed % 10 ? 500 : 2950),
                              .calls = seed % 2};
        char what[32];
        snprintf(what, sizeof what, "seed %d", seed);
        agree(random_tape(&r, shape, &a, &a), &r, &m, what);
        arena_done(&a);
    }
}

/* Selects inside selects, by few conditions that occur in any order, with work in their branches that is shared
 * between some of them. */
enum { BRANCH_VALUES = 400 };

typedef struct branching {
    tape_builder *b;
    rng *r;
    tape_ref value[BRANCH_VALUES]; // of all branches
    int n;
} branching;

static tape_ref branch_operand(branching *x)
{
    if (!x->n || rng_below(x->r, 6) == 0) return tape_y(rng_below(x->r, RANDOM_Y));
    if (rng_below(x->r, 3)) return x->value[x->n - 1 - rng_below(x->r, x->n < 5 ? x->n : 5)];
    return x->value[rng_below(x->r, x->n)];
}

static tape_ref branch_value(branching *x, int depth)
{
    tape_ref last = branch_operand(x), out[2];
    for (int k = 4 + rng_below(x->r, 20); k > 0 && x->n < BRANCH_VALUES; k--) {
        tape_ref other = branch_operand(x);
        if (rng_below(x->r, 20) == 0) {
            tape_call_fn(x->b, &random_fn, (tape_ref[]){last, other, branch_operand(x)}, out);
            last = out[rng_below(x->r, 2)];
        } else {
            last = random_smooth(x->b, x->r, last, other);
        }
        x->value[x->n++] = last;
    }
    if (!depth) return last;
    tape_op op = (tape_op)(TAPE_SEL_LT + rng_below(x->r, 4));
    tape_ref a = tape_y(rng_below(x->r, 3)), b = tape_const(x->b, rng_below(x->r, 2));
    if (rng_below(x->r, 3) == 0) a = branch_operand(x);
    tape_ref yes = branch_value(x, depth - 1), no = branch_value(x, depth - 1);
    return tape_op2(x->b, TAPE_ADD, last, tape_select(x->b, op, a, b, yes, no));
}

static void targets_agree_on_branches(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    int n_regions = 0, deep = 0;
    arena_init(&a, &m);
    for (int seed = 1; seed <= n_tapes; seed++) {
        rng r = {(uint64_t)seed + 90000};
        branching x = {.b = tape_builder_new(&a), .r = &r};
        char what[32];
        for (int k = 0; k < 3; k++)
            tape_store(x.b, tape_out(k), branch_value(&x, 1 + rng_below(&r, 4)));
        const tape *t = tape_finish(x.b, &a);
        n_regions += t->n_regions;
        for (int k = 1; k < t->n_regions; k++) deep += t->regions[k].first < t->regions[k - 1].end;
        snprintf(what, sizeof what, "branches, seed %d", seed);
        agree(t, &r, &m, what);
        arena_done(&a);
    }
    assert_true(n_regions > n_tapes && deep > n_tapes / 4); // else nothing was looked at
}

static void targets_agree_on_far_operands(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    arena_init(&a, &m);
    rng r = {3};
    const tape *t = wide_tape(&r, &a, &a);
    double *y = arena_array(&a, double, WIDE), *expect = arena_array(&a, double, WIDE);
    double *got = arena_array(&a, double, WIDE);
    for (int i = 0; i < WIDE; i++) y[i] = rng_double(&r);
    tape_run(t, &(tape_args){
                    .y = y, .out = expect, .scratch = arena_array(&a, double, tape_scratch(t))});
    for (const tape_target *const *target = tape_targets; *target; target++) {
        tape_code *code;
        assert_int_equal(tape_compile(t, &(tape_options){.target = *target}, &m, &code), 0);
        double *scratch = arena_array(&a, double, tape_code_scratch(code));
        tape_eval(code, &(tape_args){.y = y, .out = got, .scratch = scratch});
        assert_int_equal(random_differs(got, expect, WIDE * sizeof *got), -1);
        tape_code_free(code);
    }
    arena_done(&a);
}

/* A random map: operands from unit-stride, strided, uniform and listed places, results to all kinds
 * of places. Arrays are laid out by hand so that no location is stored twice. */
enum { MAP_N = 67, MAP_X = 6, MAP_OUT = 3, MAP_SIZE = 4 * MAP_N + 64 };

typedef struct map_arrays {
    double p[MAP_SIZE], y[MAP_SIZE], yp[MAP_SIZE], w[2 * MAP_SIZE], out[MAP_SIZE], out2[MAP_SIZE];
    double t;
} map_arrays;

static void shuffle(rng *r, int *list, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = rng_below(r, i + 1), x = list[i];
        list[i] = list[k];
        list[k] = x;
    }
}

static const tape_program *random_map(rng *r, int n, arena *a)
{
    static const int strides[] = {1, 1, 1, 0, 2, 3, 4, -1, 8};
    random_shape shape = {.n_ops = 5 + rng_below(r, 60),
                          .n_x = MAP_X,
                          .n_x_out = MAP_OUT,
                          .calls = rng_below(r, 4) == 0};
    const tape *kernel = random_tape(r, shape, a, a);
    tape_access x[MAP_X + MAP_OUT];
    for (int k = 0; k < MAP_X; k++) {
        int stride = strides[rng_below(r, 9)], *list = arena_array(a, int, n);
        x[k] = (tape_access){.array = (tape_kind)(TAPE_P + rng_below(r, 4)), .stride = stride};
        if (stride > 4 || rng_below(r, 3) == 0) {
            bool beside = k && x[k - 1].list && rng_below(r, 2); // the same but for a number
            for (int i = 0; i < n; i++)
                list[i] = beside ? x[k - 1].list[i] + 3 : rng_below(r, MAP_SIZE - 3 * MAP_X);
            x[k].list = list;
        } else {
            x[k].base = stride < 0 ? n + 5 : rng_below(r, 20);
        }
    }
    // Results: unit stride to out, a shuffled list to out2, stride 3 to the second half of w.
    int *list = arena_array(a, int, n);
    for (int i = 0; i < n; i++) list[i] = 2 * i;
    shuffle(r, list, n);
    x[MAP_X] = (tape_access){TAPE_OUT, 5, 1, NULL};
    x[MAP_X + 1] = (tape_access){TAPE_OUT2, 0, 0, list};
    x[MAP_X + 2] = (tape_access){TAPE_W, MAP_SIZE, 3, NULL};
    tape_program_builder *b = tape_program_new(a);
    tape_program_map(b, kernel, n, x);
    // And sums of what was stored to w.
    int start[9], index[40];
    double coef[40];
    for (int i = 0; i < 9; i++) start[i] = i * i / 2;
    for (int k = 0; k < start[8]; k++) {
        index[k] = MAP_SIZE + 3 * rng_below(r, n);
        coef[k] = rng_double(r);
    }
    tape_program_sum(b, 8, (tape_access){TAPE_W, 2 * MAP_SIZE - 20, 2, NULL}, start, index,
                     rng_below(r, 2) ? coef : NULL);
    return tape_program_finish(b);
}

static tape_args bind_arrays(map_arrays *m, double *scratch)
{
    return (tape_args){m->t, m->p, m->y, m->yp, m->w, m->out, m->out2, scratch, &m->t, NULL};
}

static void compare_arrays(const map_arrays *got, const map_arrays *expect, int seed,
                           const char *target)
{
    int at = random_differs(got, expect, sizeof *got);
    if (at >= 0)
        fail_msg("seed %d: %s gives %a, not %a, at %d", seed, target, ((const double *)got)[at],
                 ((const double *)expect)[at], at);
}

static void targets_agree_on_maps(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a, spare;
    arena_init(&a, &m);
    arena_init(&spare, &m);
    map_arrays *at = malloc(sizeof *at), *expect = malloc(sizeof *at), *got = malloc(sizeof *at);
    for (int seed = 1; seed <= n_tapes; seed++) {
        rng r = {(uint64_t)seed + 500};
        const tape_program *p = random_map(&r, seed % 3 ? MAP_N : 1 + rng_below(&r, 9), &a);
        assert_null(program_check(p, &a));
        for (size_t k = 0; k < sizeof *at / sizeof(double); k++) ((double *)at)[k] = rng_double(&r);
        *expect = *at;
        double *scratch = malloc((tape_program_scratch(p) + 1) * sizeof *scratch);
        tape_args args = bind_arrays(expect, scratch);
        tape_program_run(p, &args);
        free(scratch);
        // Written out, instance by instance.
        const tape *flat = program_unroll(p, &spare, &a);
        scratch = malloc((tape_scratch(flat) + 1) * sizeof *scratch);
        *got = *at;
        args = bind_arrays(got, scratch);
        tape_run(flat, &args);
        compare_arrays(got, expect, seed, "written out");
        free(scratch);
        for (const tape_target *const *target = tape_targets; *target; target++) {
            tape_code *code = NULL;
            tape_options o = {.target = *target};
            assert_int_equal(tape_compile_program(p, &o, &m, &code), 0);
            scratch = malloc((tape_code_scratch(code) + 1) * sizeof *scratch);
            *got = *at;
            args = bind_arrays(got, scratch);
            tape_eval(code, &args);
            compare_arrays(got, expect, seed, tape_code_target(code)->name);
            free(scratch);
            tape_code_free(code);
        }
        arena_done(&a);
    }
    arena_done(&spare);
    free(at);
    free(expect);
    free(got);
}

/* ---- printed C, through the system's compiler ------------------------------------------------ */

enum { N_PRINTED = 60 };

typedef void printed_fn(double, const double *, const double *, const double *, double *, double *,
                        double *, double *, void *);

static void fn_affine(text *out)
{
    text_add(out, "void fn_affine(void *run, const double *in, double *out)\n"
                  "{ out[0] = in[0] * in[1] - in[2] + *(const double *)run; out[1] = in[0] + 0.5 * "
                  "in[1]; }\n");
}

static void *compile_c(const text *source)
{
    char dir[] = "/tmp/vincolo-tape-XXXXXX", c[64], so[64], command[256];
    assert_non_null(mkdtemp(dir));
    snprintf(c, sizeof c, "%s/t.c", dir);
    snprintf(so, sizeof so, "%s/t.so", dir);
    snprintf(command, sizeof command, "cc -O2 -ffp-contract=off -shared -fPIC -o %s %s -lm", so, c);
    FILE *f = fopen(c, "w");
    assert_non_null(f);
    fputs(text_str(source), f);
    fclose(f);
    assert_int_equal(system(command), 0);
    void *lib = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!lib) fail_msg("%s", dlerror());
    remove(c);
    remove(so);
    rmdir(dir);
    return lib;
}

static printed_fn *function_in(void *lib, int seed)
{
    char name[16];
    snprintf(name, sizeof name, "f%d", seed);
    union {
        void *p;
        printed_fn *f;
    } at = {.p = dlsym(lib, name)};
    assert_non_null(at.p);
    return at.f;
}

/* All tapes and maps in one file: starting the compiler is what takes the time. */
static void printed_c_agrees(void **state)
{
    (void)state;
    mem m = mem_std();
    arena a;
    text source;
    char name[16];
    const tape *t[N_PRINTED];
    const tape_program *p[N_PRINTED];
    arena_init(&a, &m);
    text_init(&source, &m);
    fn_affine(&source);
    for (int k = 0; k < N_PRINTED; k++) {
        rng r = {(uint64_t)k + 30000};
        // Some longer than a chunk, so that values are passed on.
        random_shape shape = {.n_ops = k % 20 ? 150 : 2500, .calls = k % 2};
        t[k] = random_tape(&r, shape, &a, &a);
        p[k] = random_map(&r, k % 3 ? MAP_N : 1, &a);
        snprintf(name, sizeof name, "f%d", k);
        target_c.print(program_of_kernel(t[k], &a), name, &source);
        snprintf(name, sizeof name, "f%d", k + 1000);
        target_c.print(p[k], name, &source);
    }
    void *lib = compile_c(&source);
    map_arrays *expect = malloc(sizeof *expect), *got = malloc(sizeof *got);
    for (int k = 0; k < N_PRINTED; k++) {
        rng r = {(uint64_t)k + 40000};
        for (size_t j = 0; j < sizeof *got / sizeof(double); j++)
            ((double *)got)[j] = rng_double(&r);
        for (int mapped = 0; mapped < 2; mapped++) {
            *expect = *got;
            double *v = malloc((tape_scratch(t[k]) + tape_program_scratch(p[k]) + 1) * sizeof *v);
            tape_args args = bind_arrays(expect, v);
            if (mapped) tape_program_run(p[k], &args);
            else tape_run(t[k], &args);
            function_in(lib, k + 1000 * mapped)(got->t, got->p, got->y, got->yp, got->w, got->out,
                                                got->out2, v, &got->t);
            compare_arrays(got, expect, k + 1000 * mapped, target_c.name);
            free(v);
        }
    }
    dlclose(lib);
    free(expect);
    free(got);
    text_done(&source);
    arena_done(&a);
}

int main(int argc, char **argv)
{
    if (argc > 1) n_tapes = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_agree_on_tapes), cmocka_unit_test(targets_agree_on_branches),
        cmocka_unit_test(targets_agree_on_far_operands), cmocka_unit_test(targets_agree_on_maps),
        cmocka_unit_test(printed_c_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
