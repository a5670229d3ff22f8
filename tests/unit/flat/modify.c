/* Which of several modifications counts: the outermost, whether it is for a record or for one of
 * its elements, and that of a declaration before that of its constraining clause (Modelica Language
 * Specification 3.6, sections 7.2 and 7.3.2, from which every number here follows).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <math.h>

static void expect_values(const char *model, const char *const *names, const double *values, int n)
{
    fixture *f = flatten(model);
    expect_flat(f);
    for (int i = 0; i < n; i++) {
        double x = NAN;
        expr e = bound_to(f, names[i]);
        for (int k = 0; k < 9 && e && expr_at(f->flat->pool, e)->op == EXPR_VAR; k++)
            e = flat_at(f->flat, expr_at(f->flat->pool, e)->u.var.index)->binding;
        if (!e || !expr_number(f->flat->pool, e, &x) || x != values[i])
            fail_msg("%s is %g, not %g", names[i], x, values[i]);
    }
    drop(f);
}

/* A redeclaration with a constraining clause of its own: what the replaced one says still holds, of
 * components and of classes; the newer one comes first. */
static void constraints_are_merged(void **state)
{
    (void)state;
    static const char *const names[] = {"c.r.p", "c.r.q", "c.r.s", "k.x.p", "k.x.q", "k.x.s"};
    expect_values("model M\n"
                  "  model A parameter Real p = 7; parameter Real s = 7; end A;\n"
                  "  model B extends A; parameter Real q = 7; end B;\n"
                  "  model R replaceable A r constrainedby A(p = 1, s = 1); end R;\n"
                  "  model S extends R(redeclare replaceable B r constrainedby B(q = 2, s = 2));\n"
                  "  end S;\n"
                  "  model K replaceable model C = A constrainedby A(p = 1, s = 1); C x; end K;\n"
                  "  model L extends K;\n"
                  "    redeclare replaceable model C = B constrainedby B(q = 2, s = 2); end L;\n"
                  "  S c(redeclare B r); L k(redeclare model C = B);\n"
                  "end M;",
                  names, (double[]){1, 2, 2, 1, 2, 2}, 6);
}

/* The binding of a whole record from outside wins over modifications of elements further inside,
 * however it gets there: component, extends clause, short class, nested record. */
static void record_bindings_win_from_outside(void **state)
{
    (void)state;
    static const char *const names[] = {"g.p.a", "h.p.a", "k.a", "l.a", "n.o.p.a", "s[2].a"};
    expect_values("model M\n"
                  "  record R parameter Real a = 7; parameter Real b = 8; end R;\n"
                  "  record R5 = R(a = 5);\n"
                  "  record O R p(a = 5); end O;\n"
                  "  model G parameter R p(a = 5); end G;\n"
                  "  model H extends G(p = R(3, 4)); end H;\n"
                  "  model N parameter O o(p(a = 6)); end N;\n"
                  "  parameter R f(a = 3);\n"
                  "  parameter R t[2] = {R(1, 2), R(3, 4)};\n"
                  "  G g(p = f); H h; parameter R5 k = f; parameter R5 l(a = 3) = R(1, 1);\n"
                  "  N n(o = O(R(3, 3))); parameter R5 s[2] = t;\n"
                  "end M;",
                  names, (const double[]){3, 3, 3, 3, 3, 3}, 6);
}

/* A modification of an element stays stronger than a record binding at its own place or inside. */
static void element_modifications_win_from_outside(void **state)
{
    (void)state;
    static const char *const names[] = {"g.p.a", "g.p.b", "h.p.a", "q.a", "q.b"};
    expect_values("model M\n"
                  "  record R parameter Real a = 7; parameter Real b = 8; end R;\n"
                  "  model G parameter R p = R(1, 2); end G;\n"
                  "  model H extends G(p(a = 3)); end H;\n"
                  "  G g(p(a = 3)); H h; parameter R q(a = 3) = R(1, 2);\n"
                  "end M;",
                  names, (const double[]){3, 2, 3, 3, 2}, 5);
}

static void constraining_clauses_modify_declarations(void **state)
{
    (void)state;
    static const char *const names[] = {"a.p",   "b.p",   "c[2].p", "d.p",   "e.a.p",
                                        "f.a.p", "g.x.p", "h.x.p",  "k.x.p", "l.x.p"};
    expect_values("model M\n"
                  "  model A parameter Real p = 1; end A;\n"
                  "  model A2 extends A; end A2;\n"
                  "  model W replaceable A a constrainedby A(p = 5); end W;\n"
                  "  model X replaceable model C = A constrainedby A(p = 5); C x; end X;\n"
                  "  model Y replaceable model C = A(p = 3) constrainedby A(p = 5); C x; end Y;\n"
                  "  replaceable A a constrainedby A(p = 5);\n"
                  "  replaceable A b(p = 3) constrainedby A(p = 5);\n"
                  "  replaceable A c[2] constrainedby A(each p = 5);\n"
                  "  replaceable A2 d constrainedby A(p = 5);\n"
                  "  W e(a(p = 7)); W f(redeclare A2 a);\n"
                  "  X g; Y h; Y k(redeclare model C = A2); Y l(redeclare model C = A2(p = 9));\n"
                  "end M;",
                  names, (const double[]){5, 3, 5, 5, 7, 5, 5, 3, 5, 9}, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_are_merged),
        cmocka_unit_test(record_bindings_win_from_outside),
        cmocka_unit_test(element_modifications_win_from_outside),
        cmocka_unit_test(constraining_clauses_modify_declarations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
