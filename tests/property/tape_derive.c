/* Derivatives of random tapes against forward mode with dual numbers, written here independently,
 * and against central differences of the interpreter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "tape_oracle.h"
#include "tape_random.h"

enum { N_TAPES = 150, N_WRT = RANDOM_Y + RANDOM_YP };

static void run(const tape *t, tape_args args)
{
    args.scratch = malloc((tape_scratch(t) + 1) * sizeof(double));
    tape_run(t, &args);
    free(args.scratch);
}

/* ---- dual numbers ---------------------------------------------------------------------------- */

typedef struct dual {
    double v, d;
} dual;

static dual dual_op(tape_op op, const dual *x)
{
    double a = x[0].v, b = x[1].v, v = tape_op_value(op, a, b, x[2].v, x[3].v), da = 0, db = 0;
    switch (op) {
    case TAPE_ADD: da = 1, db = 1; break;
    case TAPE_SUB: da = 1, db = -1; break;
    case TAPE_MUL: da = b, db = a; break;
    case TAPE_DIV: da = 1 / b, db = -a / (b * b); break;
    case TAPE_NEG: da = -1; break;
    case TAPE_ABS: da = a < 0 ? -1 : 1; break;
    case TAPE_SQRT: da = 0.5 / sqrt(a); break;
    case TAPE_EXP: da = exp(a); break;
    case TAPE_LOG: da = 1 / a; break;
    case TAPE_LOG10: da = 1 / (a * log(10.0)); break;
    case TAPE_SIN: da = cos(a); break;
    case TAPE_COS: da = -sin(a); break;
    case TAPE_TAN: da = 1 / (cos(a) * cos(a)); break;
    case TAPE_ASIN: da = 1 / sqrt(1 - a * a); break;
    case TAPE_ACOS: da = -1 / sqrt(1 - a * a); break;
    case TAPE_ATAN: da = 1 / (1 + a * a); break;
    case TAPE_ATAN2: da = b / (a * a + b * b), db = -a / (a * a + b * b); break;
    case TAPE_SINH: da = cosh(a); break;
    case TAPE_COSH: da = sinh(a); break;
    case TAPE_TANH: da = 1 / (cosh(a) * cosh(a)); break;
    case TAPE_POW: da = b * pow(a, b - 1), db = a > 0 ? log(a) * v : 0; break;
    case TAPE_COPY: da = 1; break;
    case TAPE_MIN: return a < b ? x[0] : x[1];
    case TAPE_MAX: return a > b ? x[0] : x[1];
    case TAPE_SEL_LT: return a < b ? x[2] : x[3];
    case TAPE_SEL_LE: return a <= b ? x[2] : x[3];
    case TAPE_SEL_EQ: return a == b ? x[2] : x[3];
    case TAPE_SEL_NE: return a != b ? x[2] : x[3];
    default: break;
    }
    double d = (x[0].d != 0 ? da * x[0].d : 0) + (x[1].d != 0 ? db * x[1].d : 0);
    return (dual){v, d};
}

static dual dual_leaf(const tape *t, const random_args *at, const dual *v, tape_ref wrt, tape_ref r)
{
    int k = tape_index_of(r);
    double d = r == wrt;
    switch (tape_kind_of(r)) {
    case TAPE_VALUE: return v[k];
    case TAPE_CONST: return (dual){t->consts[k], 0};
    case TAPE_T: return (dual){at->t, d};
    case TAPE_P: return (dual){at->p[k], d};
    case TAPE_Y: return (dual){at->y[k], d};
    case TAPE_YP: return (dual){at->yp[k], d};
    case TAPE_W: return (dual){at->w[k], d};
    default: fail(); return (dual){0, 0};
    }
}

/* d out[i] / d wrt for all i. */
static void dual_column(const tape *t, const random_args *at, tape_ref wrt, double *column)
{
    dual *v = calloc((size_t)t->n_ins + 1, sizeof *v);
    for (int i = 0; i < t->n_ins; i++) {
        const tape_ins *in = &t->ins[i];
        const tape_ref refs[4] = {in->a, in->b, in->c, in->d};
        dual x[4] = {{0, 0}};
        if (in->op == TAPE_STORE) {
            if (tape_kind_of(in->a) == TAPE_OUT)
                column[tape_index_of(in->a)] = dual_leaf(t, at, v, wrt, in->b).d;
        } else if (in->op == TAPE_CALL) {
            const tape_ref *arg = t->args + t->calls[in->a].args;
            double value[3], out[2], jac[6];
            for (int k = 0; k < 3; k++) x[k] = dual_leaf(t, at, v, wrt, arg[k]);
            for (int k = 0; k < 3; k++) value[k] = x[k].v;
            random_fn_value(NULL, (void *)(uintptr_t)&at->t, value, out);
            random_fn_partials(NULL, NULL, NULL, value, jac);
            for (int k = 0; k < 2; k++)
                v[i + 1 + k] = (dual){out[k], jac[3 * k] * x[0].d + jac[3 * k + 1] * x[1].d +
                                                  jac[3 * k + 2] * x[2].d};
        } else if (in->op != TAPE_RESULT) {
            for (int k = 0; k < tape_op_operands(in->op); k++)
                x[k] = dual_leaf(t, at, v, wrt, refs[k]);
            v[i] = dual_op(in->op, x);
        }
    }
    free(v);
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* Both sides multiply the same factors in another order; a few hundred operations lose a few
 * hundred units in the last place where nothing cancels, and cancellation is measured by the
 * largest entry. */
static const double agreement = 1e-11;

static double largest(const double *x, int n)
{
    double most = 0;
    for (int k = 0; k < n; k++) most = fabs(x[k]) > most ? fabs(x[k]) : most;
    return most;
}

static void check_column(const double *got, const double *expect, int n, const char *what)
{
    double scale = largest(expect, n) + 1e-3;
    for (int i = 0; i < n; i++) {
        if (!isfinite(expect[i])) continue;
        if (!(fabs(got[i] - expect[i]) <= agreement * scale))
            fail_msg("%s row %d: %.17g, not %.17g", what, i, got[i], expect[i]);
    }
}

/* Fill the full column j of the matrix from the sparse values. */
static void expand(const vinc_pattern *p, const double *values, int j, double *column)
{
    for (int i = 0; i < p->n_rows; i++) column[i] = 0;
    for (int k = p->start[j]; k < p->start[j + 1]; k++) {
        assert_true(k == p->start[j] || p->row[k] > p->row[k - 1]);
        column[p->row[k]] = values[k];
    }
}

static void differences(const tape *t, const random_args *at, double *x, double *column)
{
    random_args up = *at, down = *at;
    ptrdiff_t place = x - (const double *)at;
    double h = 1e-5;
    ((double *)&up)[place] += h;
    ((double *)&down)[place] -= h;
    run(t, random_bind(&up, NULL));
    run(t, random_bind(&down, NULL));
    for (int i = 0; i < RANDOM_OUT; i++) column[i] = (up.out[i] - down.out[i]) / (2 * h);
}

static void jacobians_agree(void **state)
{
    world *w = *state;
    int compared = 0;
    for (int seed = 1; seed <= N_TAPES; seed++) {
        rng r = {(uint64_t)seed + 7000};
        random_shape shape = {.n_ops = 10 + rng_below(&r, 200), .calls = seed % 2, .smooth = true};
        const tape *f = random_tape(&r, shape, &w->scratch, &w->result);
        kernel_derivative jac = kernel_jacobian(f, RANDOM_OUT, RANDOM_Y, &w->scratch, &w->result);
        random_args at;
        random_fill(&at, &r, true);
        double *dy = calloc((size_t)jac.pattern.nnz + 1, sizeof *dy);
        double *dyp = calloc((size_t)jac.pattern.nnz + 1, sizeof *dyp);
        for (int k = 0; k < jac.pattern.nnz; k++) dy[k] = dyp[k] = NAN; // every one is stored
        tape_args args = random_bind(&at, NULL);
        args.out = dy;
        args.out2 = dyp;
        run(jac.code, args);
        for (int j = 0; j < RANDOM_Y; j++) {
            double got[RANDOM_OUT], expect[RANDOM_OUT], rough[RANDOM_OUT];
            char what[40];
            snprintf(what, sizeof what, "seed %d y[%d]", seed, j);
            expand(&jac.pattern, dy, j, got);
            dual_column(f, &at, tape_y(j), expect);
            check_column(got, expect, RANDOM_OUT, what);
            // Second-order differences: truncation about h^2 times the third derivative.
            differences(f, &at, &at.y[j], rough);
            for (int i = 0; i < RANDOM_OUT; i++)
                if (fabs(rough[i]) < 100 && fabs(expect[i]) < 100 && seed % 3 == 0 &&
                    shape.n_ops < 60 && ++compared)
                    assert_true(fabs(rough[i] - got[i]) < 1e-3 * (1 + largest(expect, RANDOM_OUT)));
            snprintf(what, sizeof what, "seed %d yp[%d]", seed, j);
            expand(&jac.pattern, dyp, j, got);
            if (j < RANDOM_YP) dual_column(f, &at, tape_yp(j), expect);
            else memset(expect, 0, sizeof expect);
            check_column(got, expect, RANDOM_OUT, what);
        }
        free(dy);
        free(dyp);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
    assert_true(compared > 1000);
}

/* Any list of inputs, with branches; columns of w, p and t. */
static void derivatives_with_branches_agree(void **state)
{
    world *w = *state;
    for (int seed = 1; seed <= N_TAPES; seed++) {
        rng r = {(uint64_t)seed + 9000};
        random_shape shape = {.n_ops = 5 + rng_below(&r, 40), .calls = seed % 2};
        const tape *f = random_tape(&r, shape, &w->scratch, &w->result);
        const tape_ref wrt[] = {tape_t(), tape_w(1), tape_w(2), tape_p(0), tape_y(3), tape_yp(1)};
        enum { N = sizeof wrt / sizeof *wrt };
        kernel_derivative d = kernel_derive(f, wrt, N, &w->scratch, &w->result);
        assert_int_equal(d.pattern.n_cols, N);
        random_args at;
        random_fill(&at, &r, true);
        double *values = calloc((size_t)d.pattern.nnz + 1, sizeof *values);
        tape_args args = random_bind(&at, NULL);
        args.out = values;
        run(d.code, args);
        for (int j = 0; j < N; j++) {
            double got[RANDOM_OUT], expect[RANDOM_OUT];
            expand(&d.pattern, values, j, got);
            dual_column(f, &at, wrt[j], expect);
            char what[32];
            snprintf(what, sizeof what, "seed %d column %d", seed, j);
            if (isfinite(largest(expect, RANDOM_OUT))) {
                // A derivative that overflows on the way has no agreement to offer.
                bool finite = true;
                for (int i = 0; i < RANDOM_OUT; i++) finite &= isfinite(got[i]) != 0;
                if (finite) check_column(got, expect, RANDOM_OUT, what);
            }
        }
        free(values);
        arena_done(&w->scratch);
        arena_done(&w->result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(jacobians_agree, world_new, world_free),
        cmocka_unit_test_setup_teardown(derivatives_with_branches_agree, world_new, world_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
