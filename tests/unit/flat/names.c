/* Names of variables: those of long arrays are written when somebody asks, and found without a list.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

static int kept(const flat_model *m)
{
    int n = 0;
    for (int v = 0; v < m->vars.n; v++) n += names_keep(&m->vars.names, v);
    return n;
}

/* Each name is found where it was written. */
static void expect_found(const flat_model *m)
{
    for (int v = 0; v < m->vars.n; v++) assert_int_equal(flat_find(m, FLAT_NAME(m, v)), v);
}

static void elements_are_named_by_their_path(void **state)
{
    (void)state;
    fixture *f = flatten("model C Real x[3], y; end C;\n"
                         "model B C c[2, 5]; Real z; end B;\n"
                         "model M B b[4]; Real u[30], v[7, 11], w, s[4]; end M;");
    expect_flat(f);
    const flat_model *m = f->flat;
    assert_int_equal(m->vars.n, 4 * 10 * 4 + 4 + 30 + 77 + 1 + 4);
    assert_int_equal(kept(m), 4 + 1 + 4); // z, w and s are few
    expect_found(m);
    static const char *const there[] = {
        "b[1].c[1,1].x[1]", "b[3].c[2,4].x[2]", "b[4].c[2,5].y", "u[30]", "v[7,11]", "v[1,10]"};
    static const char *const not [] = {"b[5].c[1,1].x[1]",
                                       "b[1].c[1].x[1]",
                                       "b[1].c[1,1].x",
                                       "b[1].c[1,1].x[1].y",
                                       "u[0]",
                                       "u[31]",
                                       "u[03]",
                                       "u[ 3]",
                                       "u[3",
                                       "u",
                                       "v[1]",
                                       "v[11,7]",
                                       "v[1,1,1]",
                                       "u[99999999999999]",
                                       "",
                                       "u[3]]",
                                       "b[1].c[1,1]",
                                       "b[1].c[1,1].xx",
                                       "u[-1]",
                                       "v[1;2]"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
        int v = flat_find(m, there[i]);
        assert_true(v >= 0);
        assert_string_equal(FLAT_NAME(m, v), there[i]);
    }
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        assert_int_equal(flat_find(m, not [i]), -1);
    drop(f);
}

/* Components that share a node of the tree have names of their own. */
static void members_are_named_by_themselves(void **state)
{
    (void)state;
    fixture *f = flatten("model C Real x[40], y; end C;\n"
                         "model M C a, b, c, d, e, f, g, h, i, j; C k[3]; end M;");
    expect_flat(f);
    expect_found(f->flat);
    assert_int_equal(kept(f->flat), 13);
    int v = flat_find(f->flat, "g.x[17]");
    assert_string_equal(FLAT_NAME(f->flat, v), "g.x[17]");
    assert_int_equal(flat_find(f->flat, "g.x[18]"), v + 1);
    assert_int_equal(flat_find(f->flat, "l.x[1]"), -1);
    drop(f);
}

/* A name that would not fit is written. */
static void long_names_are_kept(void **state)
{
    (void)state;
    char name[200], words[500];
    memset(name, 'a', 150);
    name[150] = 0;
    snprintf(words, sizeof words, "model M Real %s[20]; end M;", name);
    fixture *f = flatten(words);
    expect_flat(f);
    assert_int_equal(kept(f->flat), 20);
    expect_found(f->flat);
    drop(f);
}

/* Elements that agree share a record; what is said of one is said of it alone. */
static void records_are_shared(void **state)
{
    (void)state;
    fixture *f = flatten("model M parameter Integer n = 100; Real x[n], y[n](start = 1:n);\n"
                         "parameter Real p[n] = {i for i in 1:n}, q[n] = fill(3, n);\n"
                         "end M;");
    expect_flat(f);
    flat_model *m = f->flat;
    int x = flat_find(m, "x[1]"), y = flat_find(m, "y[1]"), p = flat_find(m, "p[1]");
    for (int k = 1; k < 100; k++) assert_ptr_equal(flat_at(m, x + k), flat_at(m, x));
    for (int k = 1; k < 100; k++) {
        double start, value;
        assert_true(expr_number(m->pool, flat_at(m, y + k)->attr->start, &start));
        assert_true(expr_number(m->pool, flat_at(m, p + k)->binding, &value));
        assert_true(start == k + 1 && value == k + 1);
    }
    flat_var other = *flat_at(m, x + 50);
    other.variability = FLAT_DISCRETE;
    flat_vars_put(&m->vars, &f->model, x + 50, other);
    for (int k = 0; k < 100; k++)
        assert_int_equal(flat_at(m, x + k)->variability, k == 50 ? FLAT_DISCRETE : FLAT_CONTINUOUS);
    drop(f);
}

/* A quoted name at the top loses its quotes, and may then be that of an element. */
static void no_two_have_one_name(void **state)
{
    (void)state;
    static const char *const wrong[] = {"model M Real x[20]; Real 'x[3]'; end M;",
                                        "model M Real 'x[3]'; Real x[20]; end M;",
                                        "model C Real v; end C; model M C c[20]; Real 'c[20].v'; "
                                        "end M;"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fixture *f = flatten(wrong[i]);
        expect_message(f, "M106", "two variables are called");
        drop(f);
    }
    fixture *f = flatten("model M Real x[20]; Real 'x[21]', 'x[03]'; end M;");
    expect_flat(f);
    expect_found(f->flat);
    drop(f);
}

/* Variables that are made while something is tried are forgotten with their names. */
static void what_is_added_can_be_forgotten(void **state)
{
    (void)state;
    fixture *f = flatten("model M Real a, x[20], b; end M;");
    expect_flat(f);
    flat_vars *all = &f->flat->vars;
    int n = all->n;
    assert_int_equal(flat_vars_add(all, &f->model, *flat_at(f->flat, 0), "$c"), n);
    assert_true(flat_at(f->flat, n)->flags & FLAT_HIDDEN);
    flat_vars_add(all, &f->model, *flat_at(f->flat, 0), "d");
    flat_vars_forget(all, n);
    assert_int_equal(flat_find(f->flat, "d"), -1);
    assert_int_equal(flat_vars_add(all, &f->model, *flat_at(f->flat, 0), "e"), n);
    assert_int_equal(flat_find(f->flat, "e"), n);
    expect_found(f->flat);
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_named_by_their_path),
        cmocka_unit_test(members_are_named_by_themselves),
        cmocka_unit_test(long_names_are_kept),
        cmocka_unit_test(records_are_shared),
        cmocka_unit_test(no_two_have_one_name),
        cmocka_unit_test(what_is_added_can_be_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
