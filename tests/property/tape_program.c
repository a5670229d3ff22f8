/* Derivatives of random programs against those of the same programs written out as one tape.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "tape_oracle.h"
#include "tape_random.h"
#include "target/target.h"

enum { N_PROGRAMS = 200, N = 24, W = 6 * N, SIZE = 2 * N };

/* A smooth kernel with the operands x[0 ... n_in - 1] and the results x[n_in ...]. */
static const tape *smooth_kernel(world *w, rng *r, int n_in, int n_out)
{
    random_shape shape = {.n_ops = 3 + rng_below(r, 12),
                          .n_x = n_in,
                          .n_x_out = n_out,
                          .smooth = true,
                          .no_w = true,
                          .calls = rng_below(r, 3) == 0};
    return random_tape(r, shape, &w->scratch, &w->result);
}

/* Operands from y, y', p and the part of w that is filled already. */
static tape_access random_source(world *w, rng *r, int n, int w_filled)
{
    static const tape_kind kinds[] = {TAPE_Y, TAPE_Y, TAPE_YP, TAPE_W, TAPE_W, TAPE_P};
    tape_kind kind = kinds[rng_below(r, 6)];
    if (kind == TAPE_W && !w_filled) kind = TAPE_Y;
    int size = kind == TAPE_W ? w_filled : SIZE;
    if (rng_below(r, 2) && size >= n)
        return (tape_access){kind, rng_below(r, size - n + 1), 1, NULL};
    if (rng_below(r, 4) == 0) return (tape_access){kind, rng_below(r, size), 0, NULL};
    int *list = arena_array(&w->result, int, n);
    for (int i = 0; i < n; i++) list[i] = rng_below(r, size);
    return (tape_access){kind, 0, 0, list};
}

static void add_map(world *w, rng *r, tape_program_builder *b, int n, int w_filled, tape_access to)
{
    tape_access x[4] = {random_source(w, r, n, w_filled), random_source(w, r, n, w_filled),
                        random_source(w, r, n, w_filled), to};
    tape_program_map(b, smooth_kernel(w, r, 3, 1), n, x);
}

static void add_sum(rng *r, tape_program_builder *b, int n, int w_filled, tape_access to)
{
    int start[N + 1] = {0}, index[4 * N];
    double coef[4 * N];
    for (int i = 0; i < n; i++) start[i + 1] = start[i] + rng_below(r, 5);
    for (int k = 0; k < start[n]; k++) {
        index[k] = rng_below(r, w_filled);
        coef[k] = rng_below(r, 2) ? 1.0 : rng_tame(r) - 1;
    }
    tape_program_sum(b, n, to, start, index, rng_below(r, 2) ? coef : NULL);
}

/* y -> w -> sums in w -> a kernel in w -> out, with everything mixed in. */
static const tape_program *random_program(world *w, rng *r)
{
    tape_program_builder *b = tape_program_new(&w->result);
    add_map(w, r, b, N, 0, (tape_access){TAPE_W, 0, 1, NULL});
    add_map(w, r, b, N, N, (tape_access){TAPE_W, 2 * N - 1, -1, NULL});
    add_sum(r, b, N, 2 * N, (tape_access){TAPE_W, 2 * N, 1, NULL});
    tape_builder *k = tape_builder_new(&w->scratch);
    for (int i = 0; i < 4; i++) {
        tape_ref x = tape_op2(k, TAPE_MUL, tape_w(rng_below(r, 3 * N)), tape_y(rng_below(r, SIZE)));
        tape_store(k, tape_w(3 * N + i), tape_op1(k, TAPE_SIN, x));
        tape_store(k, tape_w(3 * N + 4 + i), tape_y(rng_below(r, SIZE))); // a gradient of 1
    }
    // Overwrites what it reads.
    tape_store(k, tape_w(0), tape_op2(k, TAPE_ADD, tape_w(0), tape_w(1)));
    tape_program_kernel(b, tape_finish(k, &w->result));
    int filled = 3 * N + 8;
    add_map(w, r, b, N, filled, (tape_access){TAPE_OUT, 0, 2, NULL});
    add_sum(r, b, N, filled, (tape_access){TAPE_OUT, 1, 2, NULL});
    return tape_program_finish(b);
}

typedef struct arrays {
    double p[SIZE], y[SIZE], yp[SIZE], w[W];
} arrays;

static void fill(arrays *a, rng *r)
{
    for (size_t k = 0; k < sizeof *a / sizeof(double); k++) ((double *)a)[k] = rng_tame(r);
}

/* Two orders of the same sums and products: agreement to a few thousand units in the last place,
 * relative to the largest entry (what cancels is no larger). */
static void compare(const double *got, const double *expect, int n, int seed)
{
    double scale = 1e-300;
    for (int k = 0; k < n; k++)
        if (isfinite(expect[k])) scale = fmax(scale, fabs(expect[k]));
    for (int k = 0; k < n; k++)
        if (isfinite(expect[k]) && !(fabs(got[k] - expect[k]) <= 1e-12 * scale))
            fail_msg("seed %d entry %d: %.17g, not %.17g", seed, k, got[k], expect[k]);
}

/* The program keeps what it cannot see to be zero, since constants do not pass from step to step:
 * its pattern holds that of the tape. Spread the tape's values over it. */
static void spread(const vinc_pattern *to, const vinc_pattern *from, const double *values,
                   double *wide, int seed)
{
    for (int j = 0; j < to->n_cols; j++) {
        int k = from->start[j];
        for (int e = to->start[j]; e < to->start[j + 1]; e++) {
            bool both = k < from->start[j + 1] && from->row[k] == to->row[e];
            wide[e] = both ? values[k++] : 0;
        }
        if (k != from->start[j + 1]) fail_msg("seed %d: column %d lacks an entry", seed, j);
    }
}

static int extra; // entries of programs that their tapes do not have

/* Both derivatives at one point; the program's also compiled, bit for bit what is interpreted. */
static void compare_at(world *w, const kernel_derivative *one, const tape_program_derivative *many,
                       rng *r, int seed)
{
    const char *wrong = program_check(many->code, &w->scratch);
    if (wrong) fail_msg("seed %d: %s", seed, wrong);
    int m = one->pattern.nnz, n = many->pattern.nnz, n_w = many->code->extent[TAPE_W];
    extra += n - m;
    assert_true(many->code->extent[TAPE_OUT] <= n && many->code->extent[TAPE_OUT2] <= n);
    size_t need = tape_scratch(one->code) + tape_program_scratch(many->code);
    tape_code *code;
    assert_int_equal(tape_compile_program(many->code, NULL, &w->m, &code), 0);

    arena *a = &w->scratch;
    double *narrow[2], *wide[2], *got[2], *again[2], *work = arena_array(a, double, n_w + W);
    double *scratch = arena_array(a, double, need + tape_code_scratch(code));
    for (int k = 0; k < 2; k++) {
        narrow[k] = arena_array(a, double, m);
        wide[k] = arena_array(a, double, n);
        got[k] = arena_array(a, double, n);
        again[k] = arena_array(a, double, n);
        for (int e = 0; e < n; e++) got[k][e] = 1e99; // every one is stored
    }
    arrays at;
    fill(&at, r);
    tape_args args = {0.7, at.p, at.y, at.yp, work, narrow[0], narrow[1], scratch, NULL, NULL};
    memcpy(work, at.w, sizeof at.w);
    tape_run(one->code, &args);
    args.out = got[0], args.out2 = got[1];
    memcpy(work, at.w, sizeof at.w);
    tape_program_run(many->code, &args);
    args.out = again[0], args.out2 = again[1];
    memcpy(work, at.w, sizeof at.w);
    tape_eval(code, &args);
    for (int k = 0; k < (many->code->extent[TAPE_OUT2] ? 2 : 1); k++) {
        spread(&many->pattern, &one->pattern, narrow[k], wide[k], seed);
        compare(got[k], wide[k], n, seed);
        assert_int_equal(random_differs(again[k], got[k], (size_t)n * sizeof(double)), -1);
    }
    tape_code_free(code);
}

static void program_derivatives_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 60000};
        const tape_program *f = random_program(w, &r);
        assert_null(program_check(f, &w->scratch));
        const tape *flat = program_unroll(f, &w->scratch, &w->result);
        kernel_derivative one = kernel_jacobian(flat, 2 * N, SIZE, &w->scratch, &w->result);
        tape_program_derivative many =
            tape_program_jacobian(f, 2 * N, SIZE, 0, &w->scratch, &w->result);
        compare_at(w, &one, &many, &r, seed);

        const tape_ref wrt[] = {tape_p(3),  tape_t(),  tape_w(5 * N),   tape_y(1),
                                tape_yp(2), tape_w(0), tape_y(SIZE - 1)};
        enum { N_WRT = sizeof wrt / sizeof *wrt };
        one = kernel_derive(flat, wrt, N_WRT, &w->scratch, &w->result);
        many = tape_program_derive(f, wrt, N_WRT, W - 3, &w->scratch, &w->result);
        compare_at(w, &one, &many, &r, seed);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
    assert_true(extra < N_PROGRAMS); // seldom, against some hundred entries each
}

/* J v + J' v' from the entries of the unrolled tape, and the sum of the sizes of its terms. */
static void product_by_entries(const kernel_derivative *j, const tape_args *at, const double *v,
                               const double *vp, world *w, double *out, double *size)
{
    int nnz = j->pattern.nnz;
    double *dy = arena_array(&w->scratch, double, nnz),
           *dyp = arena_array(&w->scratch, double, nnz);
    tape_args args = *at;
    args.out = dy, args.out2 = dyp;
    args.scratch = arena_array(&w->scratch, double, tape_scratch(j->code));
    tape_run(j->code, &args);
    for (int i = 0; i < 2 * N; i++) out[i] = size[i] = 0;
    for (int c = 0; c < SIZE; c++)
        for (int k = j->pattern.start[c]; k < j->pattern.start[c + 1]; k++) {
            double a = dy[k] * v[c], b = dyp[k] * vp[c];
            out[j->pattern.row[k]] += a + b;
            size[j->pattern.row[k]] += fabs(a) + fabs(b);
        }
}

/* ... and columns of two parameters. */
static void add_columns(const kernel_derivative *j, const tape_args *at, const double *dp, world *w,
                        double *out, double *size)
{
    double *values = arena_array(&w->scratch, double, j->pattern.nnz);
    tape_args args = *at;
    args.out = values;
    args.scratch = arena_array(&w->scratch, double, tape_scratch(j->code));
    tape_run(j->code, &args);
    for (int c = 0; c < 2; c++)
        for (int k = j->pattern.start[c]; k < j->pattern.start[c + 1]; k++) {
            out[j->pattern.row[k]] += values[k] * dp[c];
            size[j->pattern.row[k]] += fabs(values[k] * dp[c]);
        }
}

/* The product is the matrix times the vector, twice in the same w, interpreted and compiled. An infinite
 * derivative by what does not move is no entry, but makes a product undefined; hardly ever. */
static void products_agree(void **state)
{
    world *w = *state;
    int n_undefined = 0;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 90000};
        const tape_program *f = random_program(w, &r);
        const tape *flat = program_unroll(f, &w->scratch, &w->result);
        kernel_derivative one = kernel_jacobian(flat, 2 * N, SIZE, &w->scratch, &w->result);
        const tape_ref also[] = {tape_p(3), tape_p(N - 1)};
        kernel_derivative by_p = kernel_derive(flat, also, 2, &w->scratch, &w->result);
        tape_program_tangent x =
            tape_program_product(f, SIZE, W + 5, also, 2, &w->scratch, &w->result);
        const char *wrong = program_check(x.code, &w->scratch);
        if (wrong) fail_msg("seed %d: %s", seed, wrong);
        assert_true(x.v >= W + 5 && x.vp == x.v + SIZE && x.n_w >= x.vp + SIZE);
        tape_code *code;
        assert_int_equal(tape_compile_program(x.code, NULL, &w->m, &code), 0);
        double *work = arena_array(&w->scratch, double, x.n_w), got[2 * N], again[2 * N];
        double expect[2 * N], size[2 * N], flat_w[W];
        double *scratch = arena_array(&w->scratch, double,
                                      tape_program_scratch(x.code) + tape_code_scratch(code));
        for (int round = 0; round < 2; round++) {
            arrays at;
            double v[SIZE], vp[SIZE];
            fill(&at, &r);
            for (int i = 0; i < SIZE; i++) v[i] = rng_tame(&r) - 1, vp[i] = rng_tame(&r) - 1;
            memcpy(flat_w, at.w, sizeof flat_w);
            tape_args args = {0.7, at.p, at.y, at.yp, flat_w, NULL, NULL, NULL, NULL, NULL};
            product_by_entries(&one, &args, v, vp, w, expect, size);
            double dp[2] = {rng_tame(&r) - 1, rng_tame(&r) - 1};
            add_columns(&by_p, &args, dp, w, expect, size);
            args.w = work, args.scratch = scratch;
            for (int compiled = 0; compiled < 2; compiled++) {
                memcpy(work, at.w, sizeof at.w);
                memcpy(work + x.v, v, sizeof v);
                memcpy(work + x.vp, vp, sizeof vp);
                for (int i = 0; i < 2; i++)
                    if (tape_index_of(also[i]) < f->extent[TAPE_P])
                        work[x.p + tape_index_of(also[i])] = dp[i];
                args.out = compiled ? again : got;
                if (compiled) tape_eval(code, &args);
                else tape_program_run(x.code, &args);
            }
            double most = 0;
            for (int i = 0; i < 2 * N; i++)
                if (isfinite(size[i])) most = fmax(most, size[i]);
            // As for entries: a few thousand units in the last place of what is added up.
            for (int i = 0; i < 2 * N; i++)
                if (isfinite(size[i]) && !isfinite(got[i])) {
                    n_undefined++;
                } else if (isfinite(size[i]) && !(fabs(got[i] - expect[i]) <= 1e-12 * most))
                    fail_msg("seed %d row %d: %.17g, not %.17g", seed, i, got[i], expect[i]);
            assert_int_equal(random_differs(again, got, sizeof got), -1);
        }
        tape_code_free(code);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
    if (n_undefined > N_PROGRAMS) fail_msg("%d products are undefined", n_undefined); // of 19,200
}

/* A slice gives the same bits where it is wanted, leaves the rest alone, and is no longer. */
static void slices_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 120000};
        const tape_program *f = random_program(w, &r);
        bool wanted[2 * N] = {false};
        for (int k = rng_below(&r, 4); k >= 0; k--) wanted[rng_below(&r, 2 * N)] = true;
        const tape_program *part = tape_program_slice(f, wanted, &w->scratch, &w->result);
        assert_null(program_check(part, &w->scratch));
        assert_true(part->n_steps <= f->n_steps);
        assert_true(tape_program_scratch(part) <= tape_program_scratch(f));
        arrays at;
        fill(&at, &r);
        double all[2 * N], few[2 * N], work[W];
        for (int k = 0; k < 2 * N; k++) few[k] = -7;
        tape_args args = {0.7, at.p, at.y, at.yp, work, all, NULL, NULL, NULL, NULL};
        args.scratch = arena_array(&w->scratch, double, tape_program_scratch(f));
        memcpy(work, at.w, sizeof work);
        tape_program_run(f, &args);
        memcpy(work, at.w, sizeof work);
        args.out = few;
        tape_program_run(part, &args);
        int left = 0;
        for (int k = 0; k < 2 * N; k++) {
            if (wanted[k] && random_differs(&few[k], &all[k], sizeof *few) >= 0)
                fail_msg("seed %d result %d: %.17g, not %.17g", seed, k, few[k], all[k]);
            left += few[k] == -7;
        }
        assert_true(left > 0);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
}

/* Numbers for what is used, in another order and without gaps; there are none for what is not. */
static int *shuffled(world *w, rng *r, const uint8_t *used, int extent, int *count)
{
    int *to = arena_array(&w->scratch, int, extent + 1);
    *count = 0;
    for (int i = 0; i < extent; i++) *count += used[i];
    int *free_ones = arena_array(&w->scratch, int, *count + 1), left = *count;
    for (int i = 0; i < left; i++) free_ones[i] = i;
    for (int i = 0; i < extent; i++) {
        to[i] = TAPE_INDEX_MAX;
        if (!used[i]) continue;
        int k = rng_below(r, left);
        to[i] = free_ones[k];
        free_ones[k] = free_ones[--left];
    }
    return to;
}

static double *moved(world *w, const double *from, const int *to, int extent, int count)
{
    double *x = arena_array(&w->scratch, double, count + 1);
    for (int i = 0; i < extent; i++)
        if (to[i] < TAPE_INDEX_MAX) x[to[i]] = from[i];
    return x;
}

/* With other numbers, and after a way as bytes, a program gives the same bits at other places. */
static void parts_agree(void **state)
{
    world *w = *state;
    int n_packed = 0;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 170000};
        const tape_program *f = random_program(w, &r);
        uint8_t *used[TAPE_N_KINDS] = {0};
        int *to[TAPE_N_KINDS] = {0}, n[TAPE_N_KINDS] = {0};
        tape_numbers numbers = {0};
        static const tape_kind kinds[] = {TAPE_P, TAPE_Y, TAPE_YP, TAPE_W, TAPE_OUT};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            used[kinds[k]] = arena_array(&w->scratch, uint8_t, f->extent[kinds[k]] + 1);
        tape_program_uses(f, used);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            tape_kind kind = kinds[k];
            numbers.of[kind] = to[kind] = shuffled(w, &r, used[kind], f->extent[kind], &n[kind]);
        }
        const tape_program *part = tape_program_renumber(f, &numbers, &w->scratch, &w->result);
        assert_null(program_check(part, &w->scratch));
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            assert_int_equal(part->extent[kinds[k]], n[kinds[k]]);
        if (!tape_program_is_bound(part)) {
            text bytes;
            text_init(&bytes, &w->m);
            tape_program_pack(part, &bytes);
            const char *at = text_str(&bytes);
            part = tape_program_unpack(&at, &w->scratch, &w->result);
            assert_ptr_equal(at, text_str(&bytes) + bytes.n);
            text_done(&bytes);
            n_packed++;
        }
        arrays at;
        fill(&at, &r);
        double all[2 * N], work[W];
        tape_args args = {0.7, at.p, at.y, at.yp, work, all, NULL, NULL, NULL, NULL};
        args.scratch = arena_array(&w->scratch, double, tape_program_scratch(f));
        memcpy(work, at.w, sizeof work);
        tape_program_run(f, &args);
        args.p = moved(w, at.p, to[TAPE_P], f->extent[TAPE_P], n[TAPE_P]);
        args.y = moved(w, at.y, to[TAPE_Y], f->extent[TAPE_Y], n[TAPE_Y]);
        args.yp = moved(w, at.yp, to[TAPE_YP], f->extent[TAPE_YP], n[TAPE_YP]);
        args.w = moved(w, at.w, to[TAPE_W], f->extent[TAPE_W], n[TAPE_W]);
        args.out = arena_array(&w->scratch, double, n[TAPE_OUT] + 1);
        args.scratch = arena_array(&w->scratch, double, tape_program_scratch(part));
        tape_program_run(part, &args);
        for (int k = 0; k < f->extent[TAPE_OUT]; k++)
            if (used[TAPE_OUT][k] &&
                random_differs(&args.out[to[TAPE_OUT][k]], &all[k], sizeof *all) >= 0)
                fail_msg("seed %d result %d is another", seed, k);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
    assert_true(n_packed > N_PROGRAMS / 10);
}

static tape_ref same_leaf(void *user, tape_ref leaf)
{
    ++*(int *)user;
    return leaf;
}

/* What is picked gives the same bits, again and again from one index; w as it was before the program. */
static void picks_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 150000};
        const tape_program *f = random_program(w, &r);
        tape_picker *x = tape_picker_new(f, &w->result);
        arrays at;
        fill(&at, &r);
        double all[2 * N], few[4], work[W];
        tape_args args = {0.7, at.p, at.y, at.yp, work, all, NULL, NULL, NULL, NULL};
        args.scratch = arena_array(&w->scratch, double, tape_program_scratch(f));
        memcpy(work, at.w, sizeof work);
        tape_program_run(f, &args);
        for (int round = 0; round < 3; round++) {
            int wanted[4], leaves = 0;
            tape_ref value[4];
            for (int k = 0; k < 4; k++) wanted[k] = rng_below(&r, 2 * N);
            tape_builder *b = tape_builder_new(&w->scratch);
            tape_pick(x, wanted, 4, b, same_leaf, &leaves, value);
            for (int k = 0; k < 4; k++) tape_store(b, tape_out(k), value[k]);
            const tape *picked = tape_finish(b, &w->result);
            args.scratch = arena_array(&w->scratch, double, tape_scratch(picked));
            memcpy(work, at.w, sizeof work);
            args.out = few;
            tape_run(picked, &args);
            for (int k = 0; k < 4; k++)
                if (random_differs(&few[k], &all[wanted[k]], sizeof *few) >= 0)
                    fail_msg("seed %d result %d: %.17g, not %.17g", seed, wanted[k], few[k],
                             all[wanted[k]]);
        }
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
}

/* u_i' = u_{i+1} - u_i for many cells, the flow between them in w: one cell is picked at the same cost from
 * a hundred as from ten thousand, two flows and the cell, and reads three unknowns. */
static void picking_costs_what_is_picked(void **state)
{
    world *w = *state;
    for (int cells = 100; cells <= 10000; cells *= 100) {
        tape_builder *b = tape_builder_new(&w->scratch);
        tape_store(b, tape_x(2), tape_op2(b, TAPE_SUB, tape_x(1), tape_x(0)));
        const tape *flow = tape_finish(b, &w->result);
        tape_program_builder *p = tape_program_new(&w->result);
        const tape_access x[3] = {{TAPE_Y, 0, 1, NULL}, {TAPE_Y, 1, 1, NULL}, {TAPE_W, 0, 1, NULL}};
        const tape_access y[3] = {
            {TAPE_W, 0, 1, NULL}, {TAPE_W, 1, 1, NULL}, {TAPE_OUT, 0, 1, NULL}};
        tape_program_map(p, flow, cells + 1, x);
        tape_program_map(p, flow, cells, y);
        tape_picker *of = tape_picker_new(tape_program_finish(p), &w->result);
        for (int i = 0; i < cells; i += cells / 7) {
            int leaves = 0;
            tape_ref value;
            tape_builder *to = tape_builder_new(&w->scratch);
            assert_int_equal(tape_pick(of, &i, 1, to, same_leaf, &leaves, &value), 3);
            assert_int_equal(leaves, 4);
        }
        int none = cells + 5, leaves = 0; // nothing is stored there
        tape_ref value;
        assert_int_equal(tape_pick(of, &none, 1, b, same_leaf, &leaves, &value), 0);
        assert_true(value == TAPE_NONE);
    }
}

/* ---- readings -------------------------------------------------------------------------------- */

enum { SETS = 2 }; // words of a set: y, then y'

static void note_operand(void *user, tape_ref r)
{
    ((uint64_t *)user)[tape_kind_of(r) == TAPE_YP] |= (uint64_t)1 << tape_index_of(r);
}

/* What a result is read to depend on is what sets of operands that are spread through the program arrive there. */
static void readings_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 160000};
        const tape_program *f = random_program(w, &r);
        tape_sets s = {.words = SETS};
        for (int kind = 0; kind < TAPE_N_KINDS; kind++)
            s.of[kind] = arena_array(&w->scratch, uint64_t, SETS * (f->extent[kind] + SIZE));
        for (int i = 0; i < SIZE; i++) {
            s.of[TAPE_Y][SETS * i] = (uint64_t)1 << i;
            s.of[TAPE_YP][SETS * i + 1] = (uint64_t)1 << i;
        }
        tape_program_spread(f, &s, &w->scratch);
        tape_picker *x = tape_reader_new(f, &w->result);
        for (int k = 0; k < f->extent[TAPE_OUT]; k++) {
            uint64_t read[SETS] = {0};
            tape_read(x, k, note_operand, read);
            if (memcmp(read, s.of[TAPE_OUT] + SETS * k, sizeof read))
                fail_msg("seed %d result %d", seed, k);
        }
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
}

/* Two instances of a map that call a function, the second on the results of another map: the first needs nothing of
 * that. By hand: one instance alone is looked at, and two unknowns are read. */
static void calls_of_a_map_are_picked_alone(void **state)
{
    world *w = *state;
    tape_builder *b = tape_builder_new(&w->scratch);
    tape_ref in[3] = {tape_x(0), tape_x(1), tape_x(0)}, out[2];
    tape_call_fn(b, &random_fn, in, out);
    tape_store(b, tape_x(2), tape_op2(b, TAPE_MUL, out[0], out[1]));
    const tape *call = tape_finish(b, &w->result);
    tape_program_builder *p = tape_program_new(&w->result);
    const tape_access first[3] = {
        {TAPE_Y, 0, 2, NULL}, {TAPE_Y, 1, 2, NULL}, {TAPE_OUT, 0, 1, NULL}};
    const tape_access last[3] = {
        {TAPE_Y, 4, 2, NULL}, {TAPE_Y, 5, 2, NULL}, {TAPE_OUT, 2, 1, NULL}};
    tape_program_map(p, call, 2, first);
    tape_program_map(p, call, 2, last);
    tape_picker *of = tape_picker_new(tape_program_finish(p), &w->result);
    for (int i = 0; i < 4; i++) {
        int leaves = 0;
        tape_ref value;
        uint64_t read[SETS] = {0};
        tape_builder *to = tape_builder_new(&w->scratch);
        assert_int_equal(tape_pick(of, &i, 1, to, same_leaf, &leaves, &value), 1);
        tape_read(of, i, note_operand, read);
        assert_int_equal(read[0], 3 << 2 * i);
    }
}

/* With parameters as numbers, every third of them zero, results are the same; the program refers to no
 * parameter outside maps, and is no longer. */
static void bound_programs_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_PROGRAMS; seed++) {
        rng r = {(uint64_t)seed + 150000};
        const tape_program *f = random_program(w, &r);
        arrays at;
        fill(&at, &r);
        for (size_t k = 0; k < sizeof at.p / sizeof *at.p; k += 3) at.p[k] = 0;
        const tape_program *bound = tape_program_bind(f, at.p, &w->scratch, &w->result);
        assert_null(program_check(bound, &w->scratch));
        assert_int_equal(bound->n_steps, f->n_steps);
        for (int k = 0; k < f->n_steps; k++) {
            if (f->steps[k].kind != TAPE_STEP_KERNEL) continue;
            assert_int_equal(bound->steps[k].kernel->extent[TAPE_P], 0);
            assert_true(bound->steps[k].kernel->n_ins <= f->steps[k].kernel->n_ins);
        }
        double all[2 * N] = {0}, own[2 * N] = {0}, work[W];
        tape_args args = {0.7, at.p, at.y, at.yp, work, all, NULL, NULL, NULL, NULL};
        args.scratch = arena_array(&w->scratch, double, tape_program_scratch(f));
        memcpy(work, at.w, sizeof work);
        tape_program_run(f, &args);
        memcpy(work, at.w, sizeof work);
        args.out = own;
        tape_program_run(bound, &args);
        for (int k = 0; k < 2 * N; k++)
            if (isfinite(all[k]) && own[k] != all[k])
                fail_msg("seed %d result %d: %.17g, not %.17g", seed, k, own[k], all[k]);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
}

/* A thousand cells in a row, each with two neighbours: the inner ones stay one map, and so does the
 * derivative. By hand: F_i = u_i' - (u_{i-1} - 2 u_i + u_{i+1}), three entries per row. */
static void equal_cells_are_differentiated_once(void **state)
{
    world *w = *state;
    enum { CELLS = 1000 };
    tape_builder *b = tape_builder_new(&w->scratch);
    tape_ref d2 = tape_op2(b, TAPE_SUB, tape_op2(b, TAPE_ADD, tape_x(0), tape_x(2)),
                           tape_op2(b, TAPE_MUL, tape_const(b, 2.0), tape_x(1)));
    tape_store(b, tape_x(4), tape_op2(b, TAPE_SUB, tape_x(3), d2));
    const tape_access x[5] = {{TAPE_Y, 0, 1, NULL},
                              {TAPE_Y, 1, 1, NULL},
                              {TAPE_Y, 2, 1, NULL},
                              {TAPE_YP, 1, 1, NULL},
                              {TAPE_OUT, 0, 1, NULL}};
    tape_program_builder *p = tape_program_new(&w->result);
    tape_program_map(p, tape_finish(b, &w->result), CELLS, x);
    tape_program_derivative j =
        tape_program_jacobian(tape_program_finish(p), CELLS, CELLS + 2, 0, &w->scratch, &w->result);
    assert_int_equal(j.pattern.nnz, 3 * CELLS);
    assert_int_equal(j.code->n_steps, 2); // the zeros of dF/dy', and the cells
    assert_int_equal(j.code->steps[1].n, CELLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(program_derivatives_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(products_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(slices_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(parts_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(picks_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(picking_costs_what_is_picked, world_new, world_free),
        cmocka_unit_test_setup_teardown(readings_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(calls_of_a_map_are_picked_alone, world_new, world_free),
        cmocka_unit_test_setup_teardown(bound_programs_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(equal_cells_are_differentiated_once, world_new, world_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
