/* Functions through the whole front end: execution, calls that stay, what is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"
#include "tape/tape.h"

#include <math.h>

/* model M <functions> Real x ...; result = <call> */
static fixture *with(const char *functions, const char *type, const char *call)
{
    char model[4000];
    snprintf(
        model, sizeof model,
        "model M %s parameter Integer n = 3; parameter Real p = 2; Real x(start = 1), y, v[3]; "
        "%s result = %s; equation der(x) = -x; y = 2*x; v = {x, y, 3}; end M;",
        functions, type, call);
    return flatten(model);
}

static void expect_text(const char *functions, const char *type, const char *call, const char *want)
{
    fixture *f = with(functions, type, call);
    expect_flat(f);
    const char *got = printed(f, bound_to(f, "result"));
    if (strcmp(got, want)) fail_msg("%s: %s instead of %s", call, got, want);
    drop(f);
}

#define F(inputs, output, body) "function f " inputs " output " output " y; " body " end f; "

/* Statements, on constants: every number worked out by hand. */
static void bodies_are_executed(void **state)
{
    (void)state;
    expect_text(F("input Real a;", "Real", "algorithm y := 2*a + 1;"), "constant Real", "f(3)",
                "7");
    expect_text(
        F("input Integer k;", "Integer", "algorithm y := 1; for i in 1:k loop y := y*i; end for;"),
        "constant Integer", "f(5)", "120");
    expect_text(F("input Integer k;", "Integer",
                  "protected Integer m = k; algorithm y := 0; while m > 0 loop m := div(m, 2); "
                  "y := y + 1; end while;"),
                "constant Integer", "f(1000)", "10"); // binary digits
    expect_text(F("input Integer k;", "Integer",
                  "algorithm y := 0; for i in 1:10 loop if i > k then break; end if; y := i; "
                  "end for;"),
                "constant Integer", "f(4)", "4");
    expect_text(F("input Integer k;", "Integer",
                  "algorithm y := 1; if k > 2 then y := 2; return; elseif k < 0 then y := 3; "
                  "else y := 4; end if; y := y + 10;"),
                "constant Integer", "f(5) + 100*f(-1) + 10000*f(0)", "141302");
    expect_text(F("input Real a[:];", "Real[size(a, 1)]",
                  "algorithm for i loop y[i] := a[end + 1 - i]; end for;"),
                "constant Real", "sum({1, 10, 100}*f({1, 2, 3}))", "123");
    expect_text(F("input Real a[:];", "Real[:]",
                  "algorithm for i in 1:size(a, 1) loop if a[i] > 0 then y := cat(1, y, a[i:i]); "
                  "end if; end for;"),
                "constant Integer", "size(f({1, -2, 3, -4, 5}), 1)", "3");
    expect_text("function f input Integer k; output Integer y; algorithm "
                "y := if k <= 1 then 1 else k*f(k - 1); end f;",
                "constant Integer", "f(6)", "720"); // recursion
    expect_text("function f input Real a; output Real s; output Real d; algorithm s := a; "
                "d := 2*a; end f; "
                "function g input Real a; output Real y; protected Real q; Real r; algorithm "
                "(q, r) := f(a); (, y) := f(q + r); end g;",
                "constant Real", "g(1)", "6");
    expect_text("record R Real a; Real b[2]; end R; "
                "function f input Real a; output R r; algorithm r.a := a; r.b[2] := 5; "
                "r.b[1] := r.b[2] + 1; end f;",
                "constant Real", "sum((f(1)).b) + (f(1)).a", "12");
    // A modification of a record names a constant that is declared later: 3 + 3 + 1 + 2 + 3.
    expect_text("record R parameter Real a[:]; parameter Real b[size(a, 1)]; end R; "
                "function f input Real s; output R r(a = {1, 2, 3}, b = zeros(m)); protected "
                "constant Integer m = 3; algorithm for i in 1:m - 1 loop r.b[i] := s; end for; "
                "end f;",
                "constant Real", "sum((f(3)).a) + sum((f(3)).b)", "12");
}

/* Conditions that are not known are merged; relations in functions make no events (3.8). */
static void unknown_conditions_are_merged(void **state)
{
    (void)state;
    const char *f = "function f input Real a; output Real y; algorithm if a > 0 then y := a; "
                    "else y := -a; end if; annotation(Inline = true); end f;";
    expect_text(f, "Real", "f(x)", "if noEvent(x > 0) then x else -x");
    f = "function f input Real a; output Real y; algorithm y := 1; if a > 0 then return; end if; "
        "y := 2; annotation(Inline = true); end f;";
    expect_text(f, "Real", "f(x)", "if noEvent(x > 0) then 1.0 else 2.0");
    f = "function f input Real a; output Integer y; algorithm y := 0; for i in 1:3 loop "
        "if a > i then break; end if; y := i; end for; annotation(Inline = true); end f;";
    fixture *t = with(f, "Integer", "f(x)");
    expect_flat(t);
    for (int k = 0; k < 4; k++) { // the value, for x in each interval
        static const double x[] = {0.5, 1.5, 2.5, 3.5};
        static const int want[] = {3, 0, 0, 0}; // x > 1 leaves at once
        double got;
        const char *why;
        arena scratch;
        arena_init(&scratch, &t->m);
        expr e = bound_to(t, "result");
        expr_subst s;
        expr_subst_init(&s, t->flat->pool, &scratch);
        int var = flat_find(t->flat, "x");
        expr_subst_set(&s, expr_var(t->flat->pool, var, 0, TYPE_REAL, 0),
                       expr_real(t->flat->pool, x[k]));
        e = expr_subst_apply(&s, e);
        assert_int_equal(expr_eval(t->flat->pool, e, 0, NULL, NULL, &scratch, &got, &why), 0);
        assert_true(got == want[k]);
        arena_done(&scratch);
    }
    drop(t);
}

static const char norm[] = "function f input Real a[:]; output Real y; protected Real s; algorithm "
                           "s := 0; for i in 1:size(a, 1) loop s := s + a[i]^2; end for; "
                           "y := sqrt(s); end f;";

static void calls_stay_and_are_written_out_on_demand(void **state)
{
    (void)state;
    fixture *f = with(norm, "Real", "f(v)");
    expect_flat(f);
    expr e = bound_to(f, "result");
    expr_pool *p = f->flat->pool;
    assert_string_equal(printed(f, e), "f({v[1], v[2], v[3]})");
    expr args[3];
    memcpy(args, expr_args(p, e), sizeof args);
    expr body = p->context.inline_call(p->context.user, expr_at(p, e)->u.call.function, 0, args, 3);
    assert_string_equal(printed(f, body), "sqrt(v[1]^2 + v[2]^2 + v[3]^2)");
    // d/dv[2]: v[2]/f, here at v = (1, 2, 3) by its value
    arena scratch;
    arena_init(&scratch, &f->m);
    const char *why = NULL;
    expr d = expr_diff(p, e, args[1], &scratch, &why);
    assert_int_not_equal(d, 0);
    arena_done(&scratch);
    drop(f);
}

static void derivative_annotations_are_used(void **state)
{
    (void)state;
    const char *functions =
        "function f input Real a; input Real b; output Real y; algorithm y := 1; y := y*a*b; "
        "annotation(derivative(noDerivative = b) = df); end f; "
        "function df input Real a; input Real b; input Real da; output Real dy; algorithm "
        "dy := 1; dy := dy*b*da; end df;";
    fixture *f = with(functions, "Real", "der(f(x, p))");
    expect_flat(f);
    assert_string_equal(printed(f, bound_to(f, "result")), "df(x, p, der(x))");
    drop(f);
}

/* The specification, 12.7.1: inputs named in noDerivative are taken for granted, whether they move
 * or not, those named in zeroDerivative must stand still, and order = 2 goes on from order 1 where
 * the call is a derivative, y being that of x. Bodies here contradict the annotations on purpose,
 * so that the text shows which was used. */
static void derivative_annotations_count_before_bodies(void **state)
{
    (void)state;
    const char *move =
        "function f input Real u[3]; input Real t; output Real y; algorithm y := u[1]; "
        "annotation(derivative(noDerivative = u) = f1); end f; "
        "function f1 input Real u[3]; input Real t; input Real dt; output Real y; algorithm "
        "y := u[2]; annotation(derivative(noDerivative = u, order = 2) = f2); end f1; "
        "function f2 input Real u[3]; input Real t; input Real dt; input Real ddt; output Real y; "
        "algorithm y := u[3] + ddt; end f2;";
    expect_text(move, "Real", "f(v, time)", "f({v[1], v[2], v[3]}, time)");
    expect_text(move, "Real", "der(f(v, time))", "f1({v[1], v[2], v[3]}, time, 1.0)");
    expect_text(move, "Real", "der(der(f(v, time)))", "v[3]");
    expect_text(move, "Real", "der(f1(v, x, y))", "der(v[2])"); // y is not the derivative of x
    const char *still =
        "function f input Real a; input Real k; output Real y; algorithm y := 1; y := y*a*k; "
        "annotation(derivative(zeroDerivative = k) = df); end f; "
        "function df input Real a; input Real k; input Real da; output Real y; algorithm "
        "y := 7*k*da; end df;";
    expect_text(still, "Real", "der(f(x, p))", "7*p*der(x)");
    expect_text(still, "Real", "der(f(x, y))", "der(x)*y + x*der(y)");
}

static void arguments_are_matched(void **state)
{
    (void)state;
    const char *f = F("input Real a; input Real b = 10*a; input Real c = 100;", "Real",
                      "algorithm y := a + b + c;");
    expect_text(f, "constant Real", "f(1)", "111");
    expect_text(f, "constant Real", "f(1, 2)", "103");
    expect_text(f, "constant Real", "f(c = 3, a = 1)", "14");
    expect_text(f, "constant Real", "f(1, c = 3, b = 2)", "6");
    // a function of scalars applied to arrays, 12.4.6
    expect_text(f, "constant Real", "sum(f({1, 2}, 0, {10, 20}))", "33");
    expect_text(f, "Real", "sum(f(v, 0, 1))", "v[1] + 1 + (v[2] + 1) + (v[3] + 1)");
    // functions as arguments, 12.4.2
    expect_text("partial function P input Real u; output Real y; end P; "
                "function q extends P; input Real k; algorithm y := k*u; end q; "
                "function twice input P g; input Real a; output Real y; algorithm "
                "y := g(g(a)); end twice;",
                "constant Real", "twice(function q(k = 3), 2)", "18");
    // sizes that depend on a parameter make it structural
    fixture *t =
        with(F("input Integer k;", "Real[k]", "algorithm y := fill(1.5, k);"), "Real", "sum(f(n))");
    expect_flat(t);
    assert_string_equal(printed(t, bound_to(t, "result")), "4.5");
    int var = flat_find(t->flat, "n");
    assert_true(flat_at(t->flat, var)->flags & FLAT_STRUCTURAL);
    drop(t);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const char f[] =
        F("input Real a[2]; input Integer k = 1;", "Real", "algorithm y := a[k];");
    static const struct {
        const char *functions, *call, *code, *part;
    } cases[] = {
        {f, "f()", "M412", "needs a value for its input 'a'"},
        {f, "f({1, 2}, 3, 4)", "M407", "at most 2 arguments, not 3"},
        {f, "f(a = {1, 2}, j = 1)", "M406", "has no input 'j'"},
        {f, "f({1, 2}, a = {1, 2})", "M408", "given twice"},
        {f, "f({true, false})", "M409", "'a' of 'f' must be Real, not Boolean[2]"},
        {f, "f({1, 2, 3})", "M411", "must have size [2], not [3]"},
        {f, "f(1)", "M410", "has 1 dimension"},
        {f, "f({1, 2}, 1.5)", "M409", "must be Integer, not Real"},
        {f, "f({1, 2}, 3)", "M311", "subscript 3 of 'a' is outside 1 ... 2"},
        {F("input Real a;", "Real", "algorithm a := 1; y := 2;"), "f(1)", "M416", "input"},
        {F("input Real a;", "Real", "algorithm z := 1;"), "f(1)", "M416", "not an output"},
        {F("input Real a;", "Integer", "algorithm y := a;"), "f(1)", "M415", "Real cannot be"},
        {F("input Real a;", "Real[2]", "algorithm y := {a};"), "sum(f(1))", "M415", "Real[1]"},
        {F("input Real a;", "Real", "algorithm assert(a > 2, \"too small\"); y := a;"), "f(1)",
         "M420", "too small"},
        {F("input Real a;", "Real", "algorithm y := der(a);"), "f(x)", "M350", "der()"},
        {"partial function f input Real a; output Real y; end f;", "f(1)", "M423", "partial"},
        {"record R Real a; end R;", "(R(1, 2)).a", "M407", "at most 1 argument"},
        {"record R Real a; end R;", "(R(b = 2)).a", "M406", "no field 'b'"},
        {F("input Real a;", "Real", "algorithm (y, y) := sin(a);"), "f(1)", "M418", "1 output"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *t = with(cases[i].functions, "Real", cases[i].call);
        if (t->flat) fail_msg("%s was accepted", cases[i].call);
        expect_message(t, cases[i].code, cases[i].part);
        drop(t);
    }
}

/* What is read before it has a value is told, once; not iterators of the same name, nor what some path has set. */
static void values_that_nobody_gave(void **state)
{
    (void)state;
    static const struct {
        const char *function;
        bool told;
    } cases[] = {
        {F("input Real a;", "Real", "algorithm y := y + a;"), true},
        {F("input Real a;", "Real",
           "protected Integer n; algorithm y := 0; while n < 3 loop n := n + 1; end while;"),
         true},
        {F("input Real a;", "Real", "protected Integer i; algorithm y := sum(i*a for i in 1:3);"),
         false},
        {F("input Real a;", "Real",
           "protected Integer i; algorithm y := 0; for i in 1:3 loop y := y + i; end for;"),
         false},
        {F("input Real a;", "Real",
           "protected Real s; algorithm if a > 0 then s := 1; end if; y := s;"),
         false},
        {F("input Real a;", "Real", "protected Real v[2]; algorithm v[1] := a; y := v[1];"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *t = with(cases[i].function, "Real", "f(time)");
        expect_flat(t);
        bool told = t->diags.first && strstr(t->diags.first->text, "before it has a value");
        if (told != cases[i].told) fail_msg("%s: told %d", cases[i].function, told);
        drop(t);
    }
}

/* Execute the call that result is bound to, with its arguments set to these numbers. */
static double executed(const char *functions, const char *type, const char *call, const double *in,
                       int n)
{
    fixture *f = with(functions, type, call);
    expect_flat(f);
    const expr_node node = *expr_at(f->flat->pool, bound_to(f, "result"));
    assert_int_equal(node.op, EXPR_CALL);
    double out[8];
    const tape_function *g = flat_routine(f->flat, node.u.call.function);
    assert_non_null(g);
    assert_int_equal(g->n_in, n);
    g->value(g->user, NULL, in, out);
    drop(f);
    return out[node.u.call.output];
}

/* x*g(x)^n + a sum of sines by loops and calls: derivatives along the run, against closed forms. A
 * central difference, which they replaced, is off by 1e-10. */
static void what_is_executed_has_exact_derivatives(void **state)
{
    (void)state;
    fixture *f = with("function g input Real a; output Real y; algorithm y := 1/(1 + a^2); end g; "
                      "function f input Real a; input Integer n; input Real b; output Real y; "
                      "protected Integer k = 0; Real s = 0; algorithm y := a; while k < n loop "
                      "k := k + 1; y := y*g(a); s := s + sin(k*b)/k; end while; y := y + s; end f;",
                      "Real", "f(x, integer(y), x)");
    expect_flat(f);
    const expr_node node = *expr_at(f->flat->pool, bound_to(f, "result"));
    const tape_function *r = flat_routine(f->flat, node.u.call.function);
    assert_non_null(r);
    const uint8_t active[] = {1, 0, 1};
    for (int n = 0; n < 8; n++)
        for (double a = -2; a < 2; a += 0.37) {
            double in[] = {a, n, 0.7 + a}, jac[3] = {0, 5, 0}, by_b = 0;
            r->partials(r->user, NULL, active, in, jac);
            double by_a = pow(1 + a * a, -n) - 2 * n * a * a * pow(1 + a * a, -n - 1);
            for (int k = 1; k <= n; k++) by_b += cos(k * in[2]);
            assert_true(fabs(jac[0] - by_a) < 1e-14 && fabs(jac[2] - by_b) < 1e-14);
            assert_true(jac[1] == 5); // nobody asked
        }
    drop(f);
}

static int collatz(int k)
{
    int steps = 0;
    for (; k != 1; steps++) k = k % 2 ? 3 * k + 1 : k / 2;
    return steps;
}

static void loops_that_depend_on_arguments_are_executed(void **state)
{
    (void)state;
    const char *steps =
        "function f input Integer k; output Integer y; protected Integer m = k; "
        "algorithm y := 0; while m <> 1 loop if mod(m, 2) == 0 then m := div(m, 2); "
        "else m := 3*m + 1; end if; y := y + 1; end while; end f;";
    for (int k = 1; k < 30; k++)
        assert_true(executed(steps, "Integer", "f(integer(x))", (double[]){k}, 1) == collatz(k));
    // swapping needs both old values
    const char *gcd = "function g input Integer a; input Integer b; output Integer p; "
                      "output Integer q; algorithm p := b; q := mod(a, b); end g; "
                      "function f input Integer a; input Integer b; output Integer y; protected "
                      "Integer r; algorithm y := a; r := b; while r <> 0 loop (y, r) := g(y, r); "
                      "end while; end f;";
    assert_true(executed(gcd, "Integer", "f(integer(x), integer(y))", (double[]){84, 36}, 2) == 12);
    const char *newton = "function f input Real a; output Real y; algorithm y := a; while "
                         "abs(y*y - a) > 1e-14*a loop y := (y + a/y)/2; end while; end f;";
    double root = executed(newton, "Real", "f(x)", (double[]){2}, 1);
    assert_true(fabs(root - sqrt(2)) < 1e-14);
    // a search in an array, with a subscript that is not known, break and return
    const char *find = "function f input Real a[:]; input Real u; output Integer y; algorithm "
                       "y := 0; while true loop if y >= size(a, 1) then return; end if; "
                       "if a[y + 1] > u then break; end if; y := y + 1; end while; end f;";
    static const int below[] = {0, 1, 2, 2, 3, 4}; // how many of 1, 3, 7, 9 are not above 2*k
    for (int k = 0; k < 6; k++)
        assert_true(executed(find, "Integer", "f({x, y, 7, 9}, p)", (double[]){1, 3, 7, 9, 2 * k},
                             5) == below[k]);
    // a loop whose bound is an argument
    const char *sum =
        "function f input Integer k; output Real y; algorithm y := 0; for i in 1:k loop "
        "for j in 1:2 loop y := y + i*j; end for; end for; end f;";
    assert_true(executed(sum, "Real", "f(integer(x))", (double[]){10}, 1) == 165); // 3*55
    // recursion
    const char *fib = "function f input Integer k; output Integer y; algorithm "
                      "y := if k < 2 then k else f(k - 1) + f(k - 2); end f;";
    assert_true(executed(fib, "Integer", "f(integer(x))", (double[]){15}, 1) == 610);
    // a function as an argument, with a bound input: the zero of u^2 - k by bisection
    const char *zero =
        "partial function P input Real u; output Real y; end P; "
        "function q extends P; input Real k; algorithm y := u^2 - k; end q; "
        "function f input P g; input Real a; input Real b; output Real y; protected Real l = a; "
        "Real r = b; algorithm y := (l + r)/2; while r - l > 1e-12 loop if g(y) > 0 then r := y; "
        "else l := y; end if; y := (l + r)/2; end while; end f;";
    root = executed(zero, "Real", "f(function q(k = x), 0, y)", (double[]){2, 0, 4}, 3);
    assert_true(fabs(root - sqrt(2)) < 1e-12);
    // no end, no value
    const char *forever = "function f input Real a; output Real y; algorithm y := a; while y > 0 "
                          "loop y := y + 1; end while; end f;";
    assert_true(isnan(executed(forever, "Real", "f(x)", (double[]){1}, 1)));
}

/* Printed functions parse again and give the same text. */
static void printed_functions_flatten_to_themselves(void **state)
{
    (void)state;
    fixture *f = flatten(
        "package Q constant Real c[2] = {1, 2}; type E = enumeration(a, b); "
        "record R Real a; final constant Real k = 3; Real b[2]; end R; "
        "function g input Real a; output Real y; algorithm y := a; y := y + c[1]; end g; "
        "function f input R r; input E e = E.b; output Real y; output Real z[2]; algorithm "
        "y := g(r.a) + r.k; z := if e == E.a then r.b else {sum(r.b[i] for i in 1:2), Q.c[2]}; "
        "end f; "
        "model M R r(a = time, b = {time, 1}); Real y, z[2]; equation (y, z) = f(r); end M; end Q; "
        "model M extends Q.M; end M;");
    expect_flat(f);
    text_clear(&f->out);
    flat_print(f->flat, &f->out);
    fixture *g = flatten(text_str(&f->out));
    expect_flat(g);
    flat_print(g->flat, &g->out);
    assert_string_equal(text_str(&f->out), text_str(&g->out));
    assert_non_null(strstr(text_str(&f->out), "function 'Q.f'"));
    assert_non_null(strstr(text_str(&f->out), "('Q.f.z'("));
    drop(g);
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_nobody_gave),
        cmocka_unit_test(bodies_are_executed),
        cmocka_unit_test(unknown_conditions_are_merged),
        cmocka_unit_test(calls_stay_and_are_written_out_on_demand),
        cmocka_unit_test(derivative_annotations_are_used),
        cmocka_unit_test(derivative_annotations_count_before_bodies),
        cmocka_unit_test(arguments_are_matched),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(loops_that_depend_on_arguments_are_executed),
        cmocka_unit_test(what_is_executed_has_exact_derivatives),
        cmocka_unit_test(printed_functions_flatten_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
