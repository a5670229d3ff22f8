/* What flat_build promises: settings from outside, flags, counts, where things come from, limits.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>

static const flat_var *var(const fixture *f, const char *name)
{
    int i = flat_find(f->flat, name);
    if (i < 0) fail_msg("there is no variable '%s'", name);
    return flat_at(f->flat, i);
}

static double number(const fixture *f, expr e)
{
    double x = NAN;
    assert_true(expr_number(f->flat->pool, e, &x));
    return x;
}

static const char tank[] =
    "model M parameter Integer n = 2; parameter Boolean two = false;\n"
    "parameter Real k = 3*n; final parameter Real h = 1; constant Real c = 2;\n"
    "Real x[n](each start = 1, each fixed = false); Real y = 1 if two;\n"
    "equation for i in 1:n loop der(x[i]) = -k*x[i]; end for; end M;";

static void settings_decide_sizes_and_conditions(void **state)
{
    (void)state;
    flat_override set[] = {{"n", "4", NULL}, {"two", "true", NULL}, {"k", "0.5 + 1", NULL}};
    fixture *f = flatten_with(tank, set, 3);
    expect_flat(f);
    assert_int_equal(flat_count_unknowns(f->flat), 5); // x[1..4] and y
    assert_int_equal(flat_count_equations(f->flat, &f->front), 5);
    assert_true(var(f, "n")->flags & FLAT_STRUCTURAL);
    assert_true(var(f, "two")->flags & FLAT_STRUCTURAL);
    assert_false(var(f, "k")->flags & FLAT_STRUCTURAL);
    assert_float_equal(number(f, var(f, "k")->binding), 1.5, 0);
    drop(f);
}

static void settings_of_variables_are_start_values(void **state)
{
    (void)state;
    flat_override set[] = {{"x[2]", "7", NULL}};
    fixture *f = flatten_with(tank, set, 1);
    expect_flat(f);
    assert_float_equal(number(f, var(f, "x[2]")->attr->start), 7, 0);
    assert_int_equal(var(f, "x[2]")->attr->fixed, 1);
    assert_float_equal(number(f, var(f, "x[1]")->attr->start), 1, 0);
    assert_int_equal(var(f, "x[1]")->attr->fixed, 0);
    drop(f);
}

static void settings_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *code;
    } cases[] = {
        {"h", "2", "M190"},     {"c", "3", "M190"},  {"z", "1", "M191"},   {"n", "true", "M114"},
        {"two", "1.5", "M114"}, {"n", "-3", "M131"}, {"n", "1 +", "L020"}, {"n", "q", "M101"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flat_override set = {cases[i].name, cases[i].value, NULL};
        fixture *f = flatten_with(tank, &set, 1);
        assert_null(f->flat);
        const diag *d = f->diags.first;
        while (d && d->severity != DIAG_ERROR) d = d->next;
        if (!d || strcmp(d->code, cases[i].code))
            fail_msg("%s = %s: %s instead of %s", set.name, set.value, d ? d->code : "nothing",
                     cases[i].code);
        drop(f);
    }
}

static void flags_and_causality(void **state)
{
    (void)state;
    fixture *f = flatten("connector In = input Real; connector Pin Real v; flow Real i; end Pin;\n"
                         "model B In u; output Real y = u; end B;\n"
                         "model M In u; output Real y; Pin p; B b; discrete Real d; Integer j;\n"
                         "protected In hidden; parameter Real q = 1; equation b.u = 1; y = u;\n"
                         "when time > 1 then d = 1; end when; j = 1; p.v = 1; hidden = 2; end M;");
    expect_flat(f);
    assert_int_equal(var(f, "u")->causality, FLAT_INPUT);
    assert_int_equal(var(f, "y")->causality, FLAT_OUTPUT);
    assert_int_equal(var(f, "b.u")->causality, FLAT_LOCAL);
    assert_int_equal(var(f, "hidden")->causality, FLAT_LOCAL);
    assert_true(var(f, "p.i")->flags & FLAT_FLOW);
    assert_true(var(f, "q")->flags & FLAT_PROTECTED);
    assert_int_equal(var(f, "d")->variability, FLAT_DISCRETE);
    assert_int_equal(var(f, "j")->variability, FLAT_DISCRETE);
    assert_int_equal(var(f, "q")->variability, FLAT_PARAMETER);
    drop(f);
}

/* Equations know the component, the kind and the line they come from. */
static void equations_know_their_origin(void **state)
{
    (void)state;
    const char *words = "connector Pin Real v; flow Real i; end Pin;\n"
                        "model R Pin p, n; Real u = p.v - n.v; equation\n"
                        "u = p.i; p.i + n.i = 0; end R;\n"
                        "model M R a, b; equation\n"
                        "connect(a.p, b.p); connect(a.n, b.n); a.n.v = 0; end M;";
    fixture *f = flatten(words);
    expect_flat(f);
    int kinds[4] = {0};
    for (int i = 0; i < f->flat->equations.n; i++) {
        const flat_equation *e = &f->flat->equations.at[i];
        kinds[e->origin]++;
        int line = source_place(&f->lib.sources, e->at.begin).line;
        if (e->origin == FLAT_FROM_BINDING) assert_int_equal(line, 2);
        if (e->origin >= FLAT_FROM_POTENTIAL) assert_int_equal(line, 5);
        if (e->origin >= FLAT_FROM_POTENTIAL) assert_true(e->set > 0);
        if (e->origin == FLAT_FROM_BINDING)
            assert_true(!strcmp(e->instance, "a") || !strcmp(e->instance, "b"));
    }
    assert_int_equal(kinds[FLAT_FROM_BINDING], 2);
    assert_int_equal(kinds[FLAT_FROM_EQUATION], 5);
    assert_int_equal(kinds[FLAT_FROM_POTENTIAL], 2); // a.p.v = b.p.v, a.n.v = b.n.v
    assert_int_equal(kinds[FLAT_FROM_FLOW], 2);
    drop(f);
}

static void annotations_are_read(void **state)
{
    (void)state;
    fixture *f =
        flatten("model M Real x = 1; annotation(experiment(StopTime = 3, Tolerance = 1e-4),\n"
                "__Vincolo(method = \"bdf\")); end M;");
    expect_flat(f);
    assert_float_equal(f->flat->experiment.stop, 3, 0);
    assert_float_equal(f->flat->experiment.tolerance, 1e-4, 0);
    assert_true(isnan(f->flat->experiment.start));
    assert_string_equal(f->flat->experiment.method, "bdf");
    assert_null(f->flat->experiment.formulation);
    drop(f);
}

/* Input that asks for too much is refused with a message, quickly. */
static void limits(void **state)
{
    (void)state;
    static const struct {
        const char *words, *code;
    } cases[] = {
        {"model M Real x[100000, 100000]; end M;", "M134"},
        {"model A Real x[5000]; end A; model M A a[5000]; end M;", "M134"},
        {"model M Real x[1000000000](each start = 1); equation der(x) = -x; end M;", "M134"},
        {"model A Real x; end A; model M A a[2, 5000000000]; end M;", "M134"},
        {"model A A a1, a2, a3, a4; end A;", "M125"},
        {"package P replaceable package Q = P; end P; model M P.Q.Q.Q.Q.X x; end M;", "M103"},
        {"model M parameter Integer n = n + 1; Real x[n]; end M;", "M115"},
        {"type T = T; model M T x; end M;", "M120"},
        {"model M import M; M m; end M;", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *f = flatten(cases[i].words);
        assert_null(f->flat);
        assert_non_null(f->diags.first);
        if (cases[i].code) expect_message(f, cases[i].code, "");
        drop(f);
    }
}

/* Elements of arrays share attributes and one node: 10^5 variables have one struct. */
static void attributes_are_shared(void **state)
{
    (void)state;
    fixture *f = flatten("type V = Real(unit = \"V\", start = 1);\n"
                         "model C V v; end C; model M C c[1000]; V w;\n"
                         "equation for i in 1:1000 loop der(c[i].v) = 0; end for; w = 1; end M;");
    expect_flat(f);
    const flat_attributes *first = var(f, "c[1].v")->attr;
    for (int i = 0; i < f->flat->vars.n; i++) assert_ptr_equal(flat_at(f->flat, i)->attr, first);
    drop(f);
}

static int unwritten(const flat_model *m)
{
    int n = 0;
    for (int i = 0; i < m->equations.n; i++) n += !flat_is_written(&m->equations.at[i]);
    return n;
}

/* Of the equations of a loop only the first are written; the others are what writing them gives. */
static void members_are_not_written(void **state)
{
    (void)state;
    enum { N = 1000 };
    fixture *f =
        flatten("model M parameter Real k = 2; Real T[1000], s[1000];\n"
                "equation T[1] = 1; T[1000] = s[7];\n"
                "for i in 2:999 loop der(T[i]) = k*(T[i + 1] - 2*T[i] + T[i - 1]); end for;\n"
                "for i in 1:1000 loop s[i] - T[i] = 0; end for;\n"
                "end M;");
    expect_flat(f);
    const flat_model *m = f->flat;
    int members = unwritten(m);
    assert_true(members > N - 10 && members < N); // sums are written: they may be aliases
    const flat_equation *e = &m->equations.at[500];
    assert_false(flat_is_written(e));
    flat_slot slots[SHAPE_SLOTS];
    const flat_run *run = flat_member(m, e, slots);
    assert_int_equal(run->sides->n_slots, 5);
    assert_int_equal(slots[0].order, 1);
    assert_string_equal(FLAT_NAME(m, slots[0].var), "T[500]"); // after T[1] and T[1000]
    const flat_model *full = flat_in_full(m, &f->model);
    assert_int_equal(unwritten(full), 0);
    assert_int_equal(unwritten(m), members);
    assert_string_equal(printed(f, full->equations.at[500].rhs), "k*(T[501] - 2*T[500] + T[499])");
    assert_string_equal(printed(f, full->equations.at[500].lhs), "der(T[500])");
    assert_ptr_equal(flat_in_full(full, &f->model), full);
    drop(f);
}

/* ... nor those whose subscripts come from lists, here in an order that no count follows. A branch at the ends
 * and one variable in two places make patterns of their own. */
static void members_by_lists_are_not_written(void **state)
{
    (void)state;
    enum { N = 400 };
    fixture *f = flatten(
        "model M parameter Integer n = 400;\n"
        "parameter Integer to[n] = {mod(7*i*i + 3*i, n) + 1 for i in 1:n};\n"
        "parameter Real k = 2; Real u[n];\n"
        "equation for i in 1:n loop\n"
        "der(u[i]) = k*(u[to[i]] - u[i]) + (if i == 1 or i == n then 0 else u[i - 1]*u[to[i]]);\n"
        "end for; end M;");
    expect_flat(f);
    const flat_model *m = f->flat;
    int members = unwritten(m);
    assert_true(members > N - 60 && members < N - 10); // of each pattern the first are written
    const flat_model *full = flat_in_full(m, &f->model);
    assert_int_equal(unwritten(full), 0);
    for (int i = 2; i < N; i++) {
        char expected[200];
        int to = (7 * i * i + 3 * i) % N + 1;
        if (to == i - 1) sprintf(expected, "k*(u[%d] - u[%d]) + u[%d]*u[%d]", to, i, to, to);
        else if (to == i) // the difference is 0
            sprintf(expected, "u[%d]*u[%d]", i - 1, i);
        else sprintf(expected, "k*(u[%d] - u[%d]) + u[%d]*u[%d]", to, i, i - 1, to);
        if (to != i) assert_string_equal(printed(f, full->equations.at[i - 1].rhs), expected);
    }
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_decide_sizes_and_conditions),
        cmocka_unit_test(settings_of_variables_are_start_values),
        cmocka_unit_test(settings_that_are_refused),
        cmocka_unit_test(flags_and_causality),
        cmocka_unit_test(equations_know_their_origin),
        cmocka_unit_test(annotations_are_read),
        cmocka_unit_test(limits),
        cmocka_unit_test(attributes_are_shared),
        cmocka_unit_test(members_are_not_written),
        cmocka_unit_test(members_by_lists_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
