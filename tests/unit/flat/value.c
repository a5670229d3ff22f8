/* Values: every array operation against a plain loop over doubles, and messages of what does not
 * fit.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "eval/builtin.h"

#include <math.h>

typedef struct fixture {
    mem m;
    arena a;
    sym_table syms;
    diag_sink diags;
    source_set sources;
    expr_pool p;
    value_env env;
    uint64_t seed;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->m = mem_std();
    arena_init(&f->a, &f->m);
    sym_init(&f->syms, &f->a);
    diag_init(&f->diags, &f->a);
    source_init(&f->sources, &f->a);
    expr_init(&f->p, &f->a);
    f->p.syms = &f->syms;
    f->env = (value_env){.p = &f->p, .a = &f->a, .syms = &f->syms, .diags = &f->diags};
    f->seed = 1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    arena_done(&f->a);
    free(f);
    return 0;
}

static int dice(fixture *f, int n)
{
    f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((f->seed >> 33) % (uint64_t)n);
}

static double number(fixture *f, expr e)
{
    double x = NAN;
    assert_true(expr_number(&f->p, e, &x));
    return x;
}

/* A literal Real array with small whole numbers, so that sums and products are exact. */
static value random_array(fixture *f, int n_dims, const int *dims)
{
    expr *slots;
    value v = value_new(&f->env, VALUE_REAL, 0, dims, n_dims, &slots);
    for (int i = 0; i < v.n; i++) slots[i] = expr_real(&f->p, dice(f, 19) - 9);
    if (!n_dims) v = value_real(&f->env, dice(f, 19) - 9);
    return v;
}

static double at(fixture *f, const value *v, int i)
{
    return number(f, value_at(v)[i]);
}

/* The newest message. */
static void expect_error(fixture *f, const value *v, const char *code, const char *part)
{
    assert_true(value_is_error(v));
    assert_non_null(f->diags.last);
    assert_string_equal(f->diags.last->code, code);
    if (!strstr(f->diags.last->text, part))
        fail_msg("\"%s\" is not in: %s", part, f->diags.last->text);
}

static void elementwise_operators_agree_with_loops(void **state)
{
    fixture *f = *state;
    static const ast_op ops[] = {AST_ADD, AST_SUB, AST_ADD_EW, AST_SUB_EW, AST_MUL_EW};
    for (int round = 0; round < 200; round++) {
        int n_dims = 1 + dice(f, 3), dims[3] = {dice(f, 4), 1 + dice(f, 3), 1 + dice(f, 3)};
        ast_op op = ops[dice(f, 5)];
        bool spread = op == AST_ADD_EW || op == AST_SUB_EW || op == AST_MUL_EW;
        value a = random_array(f, spread && dice(f, 3) == 0 ? 0 : n_dims, dims);
        value b = random_array(f, spread && dice(f, 3) == 0 ? 0 : n_dims, dims);
        value r = value_binary(&f->env, op, a, b, (span){0});
        assert_false(value_is_error(&r));
        assert_int_equal(r.n, a.n_dims ? a.n : b.n);
        for (int i = 0; i < r.n; i++) {
            double x = at(f, &a, a.n_dims ? i : 0), y = at(f, &b, b.n_dims ? i : 0);
            double want = op == AST_ADD || op == AST_ADD_EW   ? x + y
                          : op == AST_SUB || op == AST_SUB_EW ? x - y
                                                              : x * y;
            assert_true(at(f, &r, i) == want);
        }
    }
}

static void products_agree_with_loops(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < 200; round++) {
        int n = dice(f, 4), m = dice(f, 4), k = dice(f, 4);
        int a_dims = 1 + dice(f, 2), b_dims = 1 + dice(f, 2);
        value a = random_array(f, a_dims, a_dims == 1 ? &m : (int[]){n, m});
        value b = random_array(f, b_dims, b_dims == 1 ? &m : (int[]){m, k});
        value r = value_binary(&f->env, AST_MUL, a, b, (span){0});
        assert_false(value_is_error(&r));
        assert_int_equal(r.n_dims, a_dims + b_dims - 2);
        int rows = a_dims == 2 ? n : 1, cols = b_dims == 2 ? k : 1;
        assert_int_equal(r.n, rows * cols);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                double sum = 0;
                for (int l = 0; l < m; l++) sum += at(f, &a, i * m + l) * at(f, &b, l * cols + j);
                assert_true(at(f, &r, i * cols + j) == sum);
            }
    }
}

static void matrix_power_is_repeated_product(void **state)
{
    fixture *f = *state;
    value a = random_array(f, 2, (int[]){3, 3}), want = a;
    for (int k = 2; k < 8; k++) {
        want = value_binary(&f->env, AST_MUL, want, a, (span){0});
        value r = value_binary(&f->env, AST_POW, a, value_integer(&f->env, k), (span){0});
        for (int i = 0; i < 9; i++) assert_true(at(f, &r, i) == at(f, &want, i));
    }
    value one = value_binary(&f->env, AST_POW, a, value_integer(&f->env, 0), (span){0});
    for (int i = 0; i < 9; i++) assert_true(at(f, &one, i) == (i % 4 ? 0 : 1));
    value bad = value_binary(&f->env, AST_POW, a, value_real(&f->env, 0.5), (span){0});
    expect_error(f, &bad, "M303", "constant Integer");
}

static void types_follow_the_language(void **state)
{
    fixture *f = *state;
    const value_env *env = &f->env;
    value two = value_integer(env, 2), half = value_real(env, 0.5), yes = value_boolean(env, true);
    value r = value_binary(env, AST_ADD, two, two, (span){0});
    assert_int_equal(r.type, VALUE_INTEGER);
    r = value_binary(env, AST_DIV, two, value_integer(env, 4), (span){0});
    assert_int_equal(r.type, VALUE_REAL);
    assert_true(number(f, r.e) == 0.5);
    r = value_binary(env, AST_MUL, two, half, (span){0});
    assert_int_equal(r.type, VALUE_REAL);
    assert_int_equal(r.e, f->p.one);
    r = value_binary(env, AST_LT, half, two, (span){0});
    assert_int_equal(r.e, f->p.yes);
    r = value_binary(env, AST_ADD, value_string(env, "a"), value_string(env, "b"), (span){0});
    assert_string_equal(expr_at(&f->p, r.e)->u.string, "ab");
    r = value_binary(env, AST_ADD, two, yes, (span){0});
    expect_error(f, &r, "M301", "Integer and Boolean");
    r = value_unary(env, AST_NOT, two, (span){0});
    expect_error(f, &r, "M301", "Integer");
    r = value_if(env, f->p.yes, two, half, (span){0});
    assert_int_equal(r.type, VALUE_REAL);
    r = value_if(env, f->p.yes, two, yes, (span){0});
    expect_error(f, &r, "M304", "Integer and Boolean");
}

static void sizes_that_do_not_fit_are_named(void **state)
{
    fixture *f = *state;
    const value_env *env = &f->env;
    int three = 3, two = 2;
    value a = random_array(f, 1, &three), b = random_array(f, 1, &two);
    value r = value_binary(env, AST_ADD, a, b, (span){0});
    expect_error(f, &r, "M302", "Real[3] and Real[2]");
    r = value_binary(env, AST_ADD, a, value_real(env, 1), (span){0});
    expect_error(f, &r, "M302", ".+");
    r = value_binary(env, AST_DIV, a, b, (span){0});
    expect_error(f, &r, "M302", "./");
    r = value_binary(env, AST_LT, a, a, (span){0});
    expect_error(f, &r, "M302", "scalars");
    value m = random_array(f, 2, (int[]){2, 3});
    r = value_binary(env, AST_MUL, m, b, (span){0});
    expect_error(f, &r, "M302", "Real[2, 3] and Real[2]");
    r = value_array(env, (value[]){a, b}, 2, (span){0});
    expect_error(f, &r, "M308", "element 2 is Real[2]");
    int before = f->diags.n_errors;
    r = value_binary(env, AST_ADD, r, a, (span){0}); // an error value is passed on in silence
    assert_true(value_is_error(&r));
    assert_int_equal(f->diags.n_errors, before);
}

static void concatenation_agrees_with_loops(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < 100; round++) {
        int n = 1 + dice(f, 3), m = 1 + dice(f, 3), k = 1 + dice(f, 3);
        value a = random_array(f, 2, (int[]){n, m}), b = random_array(f, 2, (int[]){n, k});
        value r = value_cat(&f->env, 2, (value[]){a, b}, 2, (span){0});
        assert_int_equal(r.dims[0], n);
        assert_int_equal(r.dims[1], m + k);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m + k; j++)
                assert_true(at(f, &r, i * (m + k) + j) ==
                            (j < m ? at(f, &a, i * m + j) : at(f, &b, i * k + j - m)));
        value c = random_array(f, 2, (int[]){k, m});
        r = value_cat(&f->env, 1, (value[]){a, c}, 2, (span){0});
        for (int i = 0; i < (n + k) * m; i++)
            assert_true(at(f, &r, i) == (i < n * m ? at(f, &a, i) : at(f, &c, i - n * m)));
    }
    // [v, w] of vectors makes two columns; [1, 2; 3, 4] a matrix
    int three = 3;
    value v = random_array(f, 1, &three), w = random_array(f, 1, &three);
    const value *row = (value[]){v, w};
    value r = value_matrix(&f->env, &row, (int[]){2}, 1, (span){0});
    assert_int_equal(r.n_dims, 2);
    for (int i = 0; i < 3; i++) {
        assert_true(at(f, &r, 2 * i) == at(f, &v, i));
        assert_true(at(f, &r, 2 * i + 1) == at(f, &w, i));
    }
}

static void ranges_count_like_the_language(void **state)
{
    fixture *f = *state;
    const value_env *env = &f->env;
    static const struct {
        double first, step, last;
        int n;
    } cases[] = {{0, 0.1, 0.3, 4}, {1, 1, 0, 0},     {5, -2, 0, 3},
                 {0, 0.1, 1, 11},  {1, 0.5, 1.9, 2}, {0, 1.0 / 3, 1, 4}};
    for (int i = 0; i < 6; i++) {
        value step = value_real(env, cases[i].step);
        value r = value_range(env, value_real(env, cases[i].first), &step,
                              value_real(env, cases[i].last), (span){0});
        assert_int_equal(r.n, cases[i].n);
        for (int k = 0; k < r.n; k++)
            assert_true(at(f, &r, k) == cases[i].first + k * cases[i].step);
    }
    value r =
        value_range(env, value_boolean(env, false), NULL, value_boolean(env, true), (span){0});
    assert_int_equal(r.n, 2);
    assert_int_equal(r.type, VALUE_BOOLEAN);
    value zero = value_integer(env, 0);
    r = value_range(env, zero, &zero, zero, (span){0});
    expect_error(f, &r, "M310", "must not be 0");
    expr x = expr_var(&f->p, 1, 0, TYPE_INTEGER, 0);
    r = value_range(env, zero, NULL, value_scalar(env, x), (span){0});
    expect_error(f, &r, "M310", "must be known");
}

/* Index and assign against loops: two dimensions, each subscript of a random kind. */
static void subscripts_agree_with_loops(void **state)
{
    fixture *f = *state;
    for (int round = 0; round < 300; round++) {
        int dims[2] = {1 + dice(f, 3), 1 + dice(f, 4)}, list[2][5], n[2];
        value v = random_array(f, 2, dims);
        subscript s[2];
        for (int d = 0; d < 2; d++) {
            s[d].kind = dice(f, 3);
            n[d] = s[d].kind == SUB_INDEX ? 1 : s[d].kind == SUB_SET ? dice(f, 4) : dims[d];
            for (int i = 0; i < n[d]; i++) list[d][i] = s[d].kind == SUB_ALL ? i : dice(f, dims[d]);
            s[d].index = list[d][0];
            s[d].n = n[d];
            s[d].at = list[d];
        }
        value r = value_index(&f->env, v, s, 2, (span){0});
        assert_int_equal(r.n, n[0] * n[1]);
        assert_int_equal(r.n_dims, (s[0].kind != SUB_INDEX) + (s[1].kind != SUB_INDEX));
        double want[12];
        for (int i = 0; i < v.n; i++) want[i] = at(f, &v, i);
        value x = random_array(f, r.n_dims, r.dims);
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++) {
                int k = list[0][i] * dims[1] + list[1][j];
                assert_true(at(f, &r, i * n[1] + j) == at(f, &v, k));
                want[k] = at(f, &x, i * n[1] + j);
            }
        value w = value_assign(&f->env, v, false, s, 2, x, (span){0});
        for (int i = 0; i < v.n; i++) assert_true(at(f, &w, i) == want[i]);
    }
}

static double value_of_i(void *user, int var, int order)
{
    (void)var, (void)order;
    return *(double *)user;
}

static void symbolic_subscripts_choose(void **state)
{
    fixture *f = *state;
    int n = 4;
    value v = random_array(f, 1, &n);
    expr i = expr_var(&f->p, 0, 0, TYPE_INTEGER, 0);
    subscript s = {.kind = SUB_SYMBOLIC, .e = i};
    value r = value_index(&f->env, v, &s, 1, (span){0});
    value w = value_assign(&f->env, v, false, &s, 1, value_real(&f->env, 77), (span){0});
    arena scratch;
    arena_init(&scratch, &f->m);
    for (int k = 0; k < n; k++) {
        double x, index = k + 1;
        const char *why;
        assert_int_equal(expr_eval(&f->p, r.e, 0, value_of_i, &index, &scratch, &x, &why), 0);
        assert_true(x == at(f, &v, k));
        for (int j = 0; j < n; j++) {
            assert_int_equal(expr_eval(&f->p, w.at[j], 0, value_of_i, &index, &scratch, &x, &why),
                             0);
            assert_true(x == (j == k ? 77 : at(f, &v, j)));
        }
    }
    arena_done(&scratch);
}

static void subscripts_are_checked(void **state)
{
    fixture *f = *state;
    subscript s;
    value five = value_integer(&f->env, 5), real = value_real(&f->env, 1);
    assert_false(value_subscript(&f->env, &five, 4, "x", (span){0}, &s));
    assert_non_null(strstr(f->diags.last->text, "subscript 5 of 'x' is outside 1 ... 4"));
    assert_false(value_subscript(&f->env, &real, 4, "x", (span){0}, &s));
    assert_string_equal(f->diags.last->code, "M312");
    value yes = value_boolean(&f->env, true);
    assert_true(value_subscript(&f->env, &yes, 2, "x", (span){0}, &s));
    assert_int_equal(s.index, 1);
}

static value call(fixture *f, const char *name, const value *args, int n)
{
    const eval_builtin *b = eval_find_builtin(name);
    assert_non_null(b);
    return b->values(&f->env, args, n, (span){0});
}

static void array_functions_agree_with_loops(void **state)
{
    fixture *f = *state;
    const value_env *env = &f->env;
    int three = 3;
    value x = random_array(f, 1, &three), y = random_array(f, 1, &three);
    value m = random_array(f, 2, (int[]){2, 3}), q = random_array(f, 2, (int[]){3, 3}), r;

    r = call(f, "transpose", &m, 1);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) assert_true(at(f, &r, j * 2 + i) == at(f, &m, i * 3 + j));
    r = call(f, "cross", (value[]){x, y}, 2);
    value s = call(f, "skew", &x, 1), p = value_binary(env, AST_MUL, s, y, (span){0});
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        assert_true(at(f, &r, i) == at(f, &x, j) * at(f, &y, k) - at(f, &x, k) * at(f, &y, j));
        assert_true(at(f, &r, i) == at(f, &p, i)); // cross(x, y) = skew(x)*y
    }
    r = call(f, "outerProduct", (value[]){x, y}, 2);
    for (int i = 0; i < 9; i++) assert_true(at(f, &r, i) == at(f, &x, i / 3) * at(f, &y, i % 3));
    r = call(f, "symmetric", &q, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(at(f, &r, i * 3 + j) == at(f, &q, i <= j ? i * 3 + j : j * 3 + i));
    double sum = 0, prod = 1, least = 100;
    for (int i = 0; i < 6; i++) {
        sum += at(f, &m, i);
        prod *= at(f, &m, i);
        if (at(f, &m, i) < least) least = at(f, &m, i);
    }
    assert_true(number(f, call(f, "sum", &m, 1).e) == sum);
    assert_true(number(f, call(f, "product", &m, 1).e) == prod);
    assert_true(number(f, call(f, "min", &m, 1).e) == least);
    assert_true(
        number(f, call(f, "max", (value[]){value_real(env, 2), value_integer(env, 3)}, 2).e) == 3);
    r = call(f, "size", &m, 1);
    assert_true(r.n == 2 && at(f, &r, 0) == 2 && at(f, &r, 1) == 3);
    r = call(f, "size", (value[]){m, value_integer(env, 2)}, 2);
    assert_true(number(f, r.e) == 3);
    r = call(f, "fill", (value[]){x, value_integer(env, 2)}, 2);
    assert_true(r.n_dims == 2 && r.dims[0] == 2 && r.dims[1] == 3);
    for (int i = 0; i < 6; i++) assert_true(at(f, &r, i) == at(f, &x, i % 3));
    r = call(f, "linspace",
             (value[]){value_integer(env, 1), value_integer(env, 2), value_integer(env, 5)}, 3);
    for (int i = 0; i < 5; i++) assert_true(at(f, &r, i) == 1 + i / 4.0);
    r = call(f, "diagonal", &x, 1);
    for (int i = 0; i < 9; i++) assert_true(at(f, &r, i) == (i % 4 ? 0 : at(f, &x, i / 4)));
    r = call(f, "identity", (value[]){value_integer(env, 3)}, 1);
    assert_int_equal(r.type, VALUE_INTEGER);
    for (int i = 0; i < 9; i++) assert_true(at(f, &r, i) == (i % 4 ? 0 : 1));
    r = call(f, "vector", (value[]){call(f, "matrix", &x, 1)}, 1);
    assert_true(value_equal(&r, &x));
    r = call(f, "scalar",
             (value[]){call(f, "promote", (value[]){value_real(env, 4), value_integer(env, 3)}, 2)},
             1);
    assert_true(value_is_scalar(&r) && number(f, r.e) == 4);
    r = call(f, "zeros", (value[]){value_integer(env, 0), value_integer(env, 2)}, 2);
    assert_true(r.n == 0 && r.dims[1] == 2);
    assert_true(number(f, call(f, "sum", &r, 1).e) == 0);

    r = call(f, "cross", (value[]){x, m}, 2);
    expect_error(f, &r, "M320", "size 3");
    r = call(f, "zeros", (value[]){value_integer(env, -1)}, 1);
    expect_error(f, &r, "M321", "-1");
    r = call(f, "zeros", (value[]){value_integer(env, 100000), value_integer(env, 100000)}, 2);
    expect_error(f, &r, "M306", "elements");
    r = call(f, "size", (value[]){m, value_integer(env, 3)}, 2);
    expect_error(f, &r, "M322", "no dimension 3");
}

static value point(fixture *f, const value_record *type, double x, double y)
{
    value *slots;
    value v = value_new_record(&f->env, type, NULL, 0, &slots);
    slots[0] = value_real(&f->env, x);
    slots[1] = value_real(&f->env, y);
    return v;
}

static void records_are_arrays_of_structures(void **state)
{
    fixture *f = *state;
    sym x = sym_of(&f->syms, "x"), y = sym_of(&f->syms, "y");
    value_record xy = {"Point", 2, (sym[]){x, y}, NULL}, yx = {"Tniop", 2, (sym[]){y, x}, NULL};
    value list[2] = {point(f, &xy, 1, 2), point(f, &xy, 3, 4)};
    value a = value_array(&f->env, list, 2, (span){0});
    value r = value_field(&f->env, a, y, (span){0});
    assert_true(r.n == 2 && at(f, &r, 0) == 2 && at(f, &r, 1) == 4);
    expr four[4];
    assert_int_equal(value_count(&a), 4);
    value_scalars(&a, four);
    for (int i = 0; i < 4; i++) assert_true(number(f, four[i]) == i + 1);
    value same = value_with_scalars(&f->env, &a, four);
    assert_true(value_equal(&a, &same));
    value other = point(f, &yx, 2, 1); // fields in the other order: compatible by name
    assert_true(value_accepts(&list[0], &other));
    other = value_convert(&f->env, &list[0], other);
    assert_true(value_equal(&other, &list[0]));
    expr c = expr_var(&f->p, 0, 0, TYPE_BOOLEAN, 0);
    r = value_if(&f->env, c, list[0], list[1], (span){0});
    assert_int_equal(expr_at(&f->p, r.fields[0].e)->op, EXPR_IF);
    r = value_field(&f->env, a, sym_of(&f->syms, "z"), (span){0});
    expect_error(f, &r, "M316", "has no field 'z'");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(elementwise_operators_agree_with_loops),
        T(products_agree_with_loops),
        T(matrix_power_is_repeated_product),
        T(types_follow_the_language),
        T(sizes_that_do_not_fit_are_named),
        T(concatenation_agrees_with_loops),
        T(ranges_count_like_the_language),
        T(subscripts_agree_with_loops),
        T(symbolic_subscripts_choose),
        T(subscripts_are_checked),
        T(array_functions_agree_with_loops),
        T(records_are_arrays_of_structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
