/* Unit tests of src/plot/result_figure.c: what goes where.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../result/helpers.h"

#include "plot/plot_figure.h"

#include <math.h>

/* A figure as text: panels by "|", curves by ",", with ' for the right axis and _ for stairs. */
static void describe(const plot_figure *f, char *out)
{
    out[0] = 0;
    for (const plot_panel *p = f->panels; p; p = p->next) {
        sprintf(out + strlen(out), "%s%s%s[%s:%s", p == f->panels ? "" : "|", p->s.equal ? "=" : "",
                p->s.x.label ? p->s.x.label : "-", p->s.left.label,
                p->s.left.unit ? p->s.left.unit : "");
        if (p->has_right) sprintf(out + strlen(out), ":%s:%s", p->s.right.label, p->s.right.unit);
        strcat(out, "]");
        for (const plot_curve *c = p->curves; c; c = c->next)
            sprintf(out + strlen(out), "%s%s%s%s", c == p->curves ? "" : ",", c->s.label,
                    c->s.right ? "'" : "", c->s.style == PLOT_STAIRS ? "_" : "");
        for (const plot_mark *k = p->marks; k; k = k->next)
            sprintf(out + strlen(out), " !%g", k->x);
    }
}

static result *model(mem *m)
{
    result *r;
    result_new(m, &r);
    result_add(r, "x", "m", "", RESULT_REAL);
    result_add(r, "y", "m", "", RESULT_REAL);
    result_add(r, "v", "m/s", "", RESULT_REAL);
    result_add(r, "on", "", "", RESULT_BOOL);
    result_add(r, "der(x)", "m/s", "", RESULT_REAL);
    result_add_alias(r, "xx", "m", "", 1, true);
    result_add_constant(r, "L", "m", "", RESULT_REAL, 2);
    for (int i = 0; i < 5; i++) {
        double v[5] = {i, i * i, 1, i > 2, 1};
        result_append(r, i < 3 ? i : i - 1, v); // an event at t = 2
    }
    return r;
}

static void check(const char *vars, bool events, const char *expected)
{
    mem m = mem_std();
    result *r = model(&m);
    plot_figure *f;
    result_fault fault = {0};
    char got[1000] = "";
    int rc = plot_results(&m, (const result *const *)&r, NULL, 1,
                          &(plot_result_spec){.vars = vars, .no_events = !events}, &f, &fault);
    if (rc) snprintf(got, sizeof got, "%d", rc);
    else describe(f, got);
    if (strcmp(got, expected) != 0)
        fail_msg("'%s' gives '%s', not '%s'", vars ? vars : "", got, expected);
    assert_true((rc == 0) == (f != NULL));
    plot_free(f);
    result_free(r);
}

static void curves_find_their_places(void **state)
{
    (void)state;
    check("x", false, "time[x:m]x");
    check("x,y", false, "time[x, y:m]x,y");
    check("x;v", false, "time[x:m]x|time[v:m/s]v");
    check("x", true, "time[x:m]x !2");
    // two units: two axes; three: one axis, the units at the curves
    check("x,v,y", false, "time[x, y:m:v:m/s]x,v',y");
    check("x,v,on", false, "time[x, v, on:]x (m),v (m/s),on_");
    check("x|y", false, "time[x:m:y:m]x,y'");
    // phase plots; equal scales for equal units
    check("x:y", true, "=x[y:m]y");
    check("x:y,y:x", true, "=-[y, x:m]y,x");
    check("x:v,y:v", true, "-[v, v:m/s]v,v");
    check("x:v", true, "x[v:m/s]v");
    check("on", false, "time[on:]on_");
    check("L", false, "time[L:m]L");
    check("nothing", false, "-6");
    check("x,,y", false, "-7");
    // by themselves: one panel per unit, no derivatives, aliases or constants, nor v, which stands still
    check(NULL, false, "time[x, y:m]x,y|time[on:]on_");
}

/* One percent of L and of the start value of x, in the worst direction, around x; none around y. */
static void bands_of_derivatives(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    result_add(r, "x", "m", "", RESULT_REAL);
    result_add(r, "y", "m", "", RESULT_REAL);
    result_add(r, "d(x)/d(L)", "", "", RESULT_REAL);
    result_add(r, "d(x)/d(x)", "", "", RESULT_REAL);
    result_add(r, "d(x)/d(nobody)", "", "", RESULT_REAL);
    result_add_constant(r, "L", "m", "", RESULT_REAL, -2);
    for (int i = 0; i < 3; i++) result_append(r, i, (double[]){4 + i, 1, 10 * i, -5, 7});
    plot_figure *f;
    result_fault fault = {0};
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1,
                                  &(plot_result_spec){.vars = "x,y"}, &f, &fault),
                     0);
    const plot_curve *band = f->panels->curves, *x = band->next, *y = x->next;
    assert_true(band->s.style == PLOT_AREA && !band->s.label && band->s.n == 6);
    assert_true(band->s.colour == x->s.colour && !y->next);
    for (int i = 0; i < 3; i++) {
        double moved = 0.01 * (2 * 10 * i + 4 * 5);
        assert_true(fabs(band->s.y[i] - (4 + i - moved)) < 1e-12);
        assert_true(fabs(band->s.y[5 - i] - (4 + i + moved)) < 1e-12);
        assert_true(band->s.x[i] == i && band->s.x[5 - i] == i);
    }
    plot_free(f);
    result_free(r);
}

static void several_results_are_told_apart(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r[2] = {model(&m), model(&m)};
    const char *names[] = {"bdf", "radau5"};
    plot_figure *f;
    char got[1000];
    const result *const *both = (const result *const *)r;
    assert_int_equal(plot_results(&m, both, names, 2, &(plot_result_spec){.vars = "x"}, &f, NULL),
                     0);
    describe(f, got);
    assert_string_equal(got, "time[x:m]bdf,radau5 !2");
    assert_int_not_equal(f->panels->curves->s.colour, f->panels->curves->next->s.colour);
    plot_free(f);
    assert_int_equal(plot_results(&m, both, names, 2, &(plot_result_spec){.vars = "x,y"}, &f, NULL),
                     0);
    describe(f, got);
    assert_string_equal(got, "time[x, y:m]x (bdf),y (bdf),x (radau5),y (radau5) !2");
    assert_int_not_equal(f->panels->curves->s.dash, f->panels->curves->next->next->s.dash);
    plot_free(f);
    result_free(r[0]);
    result_free(r[1]);
}

static void empty_results_are_refused(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r = model(&m);
    r->n_rows = 0;
    plot_figure *f;
    result_fault fault;
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1, NULL, &f, &fault),
                     RESULT_E_EMPTY);
    assert_string_equal(fault.code, "C613");
    assert_null(f);
    assert_int_equal(plot_results(&m, NULL, NULL, 0, NULL, &f, &fault), RESULT_E_EMPTY);
    result_free(r);
}

static void many_variables_are_cut_with_a_note(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    char name[20];
    for (int i = 0; i < 100; i++) {
        sprintf(name, "x[%d]", i);
        result_add(r, name, i % 7 ? "m" : "s", "", RESULT_REAL);
    }
    double v[100];
    for (int i = 0; i < 100; i++) v[i] = i;
    result_append(r, 0, v);
    plot_figure *f;
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1, NULL, &f, NULL), 0);
    assert_int_equal(f->n_panels, 2);
    // of an array as many as one panel has curves, at equal distances
    assert_string_equal(f->s.note, "92 more variables are not shown; choose with --vars");
    plot_free(f);
    result_free(r);
}

/* What lies on a curve that is drawn, or mirrors it, is left out; a name brings it back. */
static void curves_are_not_repeated(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    result_new(&m, &r);
    const char *names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) result_add(r, names[i], "m", "", RESULT_REAL);
    for (int i = 0; i < 5; i++) {
        double x = i * i;
        result_append(r, i, (double[]){x, x + 1e-9, -x, x + 1});
    }
    plot_figure *f;
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1, NULL, &f, NULL), 0);
    assert_string_equal(f->panels->curves->s.label, "a");
    assert_string_equal(f->panels->curves->next->s.label, "d");
    assert_null(f->panels->curves->next->next);
    plot_free(f);
    plot_result_spec all = {.vars = "a,b,c"};
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1, &all, &f, NULL), 0);
    assert_non_null(f->panels->curves->next->next);
    plot_free(f);
    result_free(r);
}

/* Values of an enumeration have names: no other curve is beside them. */
static void enumerations_are_by_themselves(void **state)
{
    (void)state;
    mem m = mem_std();
    result *r;
    const char *const names[] = {"off", "on"};
    result_new(&m, &r);
    int a = result_add(r, "mode", "", "", RESULT_INT);
    result_add(r, "n", "", "", RESULT_INT);
    result_name_values(r, a, names, 2);
    for (int i = 0; i < 5; i++) result_append(r, i, (double[]){1 + i % 2, i});
    plot_figure *f;
    assert_int_equal(plot_results(&m, (const result *const *)&r, NULL, 1, NULL, &f, NULL), 0);
    assert_int_equal(f->n_panels, 2);
    assert_int_equal(f->panels->s.left.n_names, 2);
    plot_free(f);
    result_free(r);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    mem std = mem_std();
    result *r = model(&std);
    for (long k = 0;; k++) {
        counting c = {.fail_at = k};
        mem m = counting_mem(&c);
        plot_figure *f = NULL;
        r->m = &m; // selections take the memory of their result
        int rc = plot_results(&m, (const result *const *)&r, NULL, 1,
                              &(plot_result_spec){.vars = "x,y;v"}, &f, NULL);
        bool broken = rc == RESULT_OK && f->status == RESULT_E_MEMORY;
        plot_free(f);
        assert_int_equal(c.live_bytes, 0);
        if (rc == RESULT_OK && !broken) break;
        assert_true(broken || rc == RESULT_E_MEMORY);
        assert_true(k < 100);
    }
    r->m = &std;
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_find_their_places),
        cmocka_unit_test(bands_of_derivatives),
        cmocka_unit_test(several_results_are_told_apart),
        cmocka_unit_test(empty_results_are_refused),
        cmocka_unit_test(many_variables_are_cut_with_a_note),
        cmocka_unit_test(curves_are_not_repeated),
        cmocka_unit_test(enumerations_are_by_themselves),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
