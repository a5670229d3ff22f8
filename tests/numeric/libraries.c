/* What libraries of others do and small models of one's own rarely: every number follows by hand
 * from the model beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <stdlib.h>
#include <unistd.h>

static double at(trial *r, const char *name, double t)
{
    return vinc_result_at(r->result, name, t);
}

static trial ran(const char *text)
{
    return trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-9});
}

/* ---- start values ---------------------------------------------------------------------------- */

/* Start values by parameters that the start decides: p = z + 1 = 6, q = 12. Where it is fixed, x = q
 * holds; elsewhere it is a guess: w^3 - w = 6 has the one root 2, v^2 = q two of them. */
static void starts_by_open_parameters(void **state)
{
    (void)state;
    trial r = ran("model M parameter Real p(fixed = false, start = 3); parameter Real q = 2*p;\n"
                  "Real x(start = q, fixed = true), z(start = 5, fixed = true), y(start = q + 1);\n"
                  "Real w(start = p, min = -p, nominal = q), v(start = -p);\n"
                  "initial equation p = z + 1; y = 3*q;\n"
                  "equation der(x) = -x; der(y) = -y; der(z) = 0; w^3 - w = x*exp(time)/2;\n"
                  "v^2 = q; end M;");
    assert_near(at(&r, "x", 0), 12, 1e-12);
    assert_near(at(&r, "x", 1), 12 * exp(-1), 1e-7);
    assert_near(at(&r, "y", 0), 36, 1e-12);
    assert_near(at(&r, "w", 0), 2, 1e-9);
    assert_near(at(&r, "v", 0), -sqrt(12), 1e-9);
    trial_end(&r);
}

/* Guesses may lead to guesses, and in a circle to none. */
static void guesses_in_a_chain(void **state)
{
    (void)state;
    trial r =
        ran("model M parameter Real a(fixed = false, start = b), b(fixed = false, start = a),\n"
            "  c(fixed = false, start = d), d(fixed = false, start = 4);\n"
            "Real x(start = a), y(start = c);\n"
            "initial equation a = 1; b = 2; c^2 = 9; d = 1;\n"
            "equation x^3 + x = 2*a; (y - c)^3 + y = c; end M;");
    assert_near(at(&r, "x", 1), 1, 1e-9);
    assert_near(at(&r, "y", 1), 3, 1e-9);
    trial_end(&r);
}

/* Friction against the velocity, from rest, where the root has no slope: w stays 0, and
 * v' = 1 - v/2/(v + c) gives t = 2 v - 2 c log(1 + v/2/c). */
static void roots_at_rest(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "rodas4", "bdf"};
    for (int k = 0; k < 3; k++) {
        trial r =
            trial_of("model M Real v(start = 0, fixed = true), w(start = 0, fixed = true), s;\n"
                     "equation s = sqrt(v^2 + w^2) + 0.001; der(v) = 1 - 0.5*v/s;\n"
                     "der(w) = -0.5*w/s; end M;",
                     (vinc_sim_options){.has_stop = 1, .t_stop = 1, .method = methods[k]});
        double v = at(&r, "v", 1), c = 0.001;
        assert_near(2 * v - 2 * c * log(1 + v / 2 / c), 1, 1e-4);
        assert_near(at(&r, "w", 1), 0, 0);
        trial_end(&r);
    }
}

/* ---- times ----------------------------------------------------------------------------------- */

/* delay(x, 0) is x, also where the 0 is that of a parameter: x' = -x. With T = 0.5 the delayed value is
 * 1 until then, and x(1) = 1/2 - 1/2 + 1/8. */
static void delay_of_nothing(void **state)
{
    (void)state;
    const char *model = "model M parameter Real T = 0; Real x(start = 1, fixed = true),\n"
                        "y = delay(x, 0), z = delay(x, T);\n"
                        "equation der(x) = -z; end M;";
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = 1e-9};
    trial r = ran(model);
    assert_near(at(&r, "x", 1), exp(-1), 1e-8);
    assert_near(at(&r, "y", 0.5), at(&r, "x", 0.5), 1e-12);
    trial_end(&r);
    r = trial_ready(NULL, model, &o);
    assert_int_equal(vinc_sim_set(r.sim, "T", 0.5), VINC_OK);
    trial_run(&r);
    assert_near(at(&r, "x", 1), 0.125, 1e-8);
    trial_end(&r);
    r = trial_ready(NULL,
                    "model M parameter Real T = 1; Real x(start = 1, fixed = true);\n"
                    "equation der(x) = -delay(x, T); end M;",
                    &o);
    assert_int_equal(vinc_sim_set(r.sim, "T", 0), VINC_OK);
    trial_run(&r);
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "the delay time was set to 0"));
    trial_end(&r);
}

/* A lag with a limit: when it turns round beyond 1 it is set back to 1, and rises again while its input
 * is above. T x' = u - x, u = 2 - t: the events come together at t = 1, faster than a geometric series,
 * and with s = t - 1 x = 1 - s + T (1 - exp(-s/T)) from there on. */
static void events_that_pass_their_limit(void **state)
{
    (void)state;
    static const double T[] = {0.5, 0.05, 0.01};
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model M Real x(start = 1, fixed = true), u = 2 - time; equation\n"
                 "%g*der(x) = u - x; when x > 1 and u - x < 0 then reinit(x, 1); end when; end M;",
                 T[k]);
        trial r = trial_of(text, (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-7});
        assert_near(at(&r, "x", 2), T[k] * (1 - exp(-1 / T[k])), 1e-6);
        trial_end(&r);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Hourly values from 1 h to 4 h: they span 1 h to 5 h. A function of that name that is somebody else's
 * is not meant. */
static void span_of_weather_data(void **state)
{
    (void)state;
    char file[] = "/tmp/weather-XXXXXX", text[1000];
    int fd = mkstemp(file);
    const char *table = "#1\ndouble tab1(4,2)\n3600 5\n7200 6\n10800 7\n14400 8\n";
    assert_true(fd >= 0 && write(fd, table, strlen(table)) > 0 && !close(fd));
    for (int mine = 0; mine < 2; mine++) {
        snprintf(
            text, sizeof text,
            "model M impure function f input String file; input String tab; output Real t[2];\n"
            "external \"C\" getTimeSpan(file, tab, t) annotation(Include = %s); end f;\n"
            "parameter Real t[2] = f(\"%s\", \"tab1\"); Real x = t[1] + time; end M;",
            mine ? "\"#include <mine.c>\"" : "\"#include <getTimeSpan.c>\"", file);
        trial r = trial_start(NULL, text, &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
        assert_int_equal(r.rc == VINC_OK, !mine);
        if (mine) assert_non_null(strstr(vinc_ctx_messages(r.ctx), "--allow-external"));
        else assert_near(at(&r, "t[1]", 0), 3600, 0);
        if (!mine) assert_near(at(&r, "t[2]", 0), 18000, 0);
        trial_end(&r);
    }
    unlink(file);
}

/* ---- arrays without elements ----------------------------------------------------------------- */

/* The place of layer i is the sum of the sizes before it, which is a whole number for the first, too:
 * 1, 2, 3 in the first, 4, 5 in the second. */
static void sum_of_nothing_is_a_subscript(void **state)
{
    (void)state;
    trial r =
        ran("model M parameter Integer n[2] = {3, 2}; Real T[5];\n"
            "parameter Integer k = product(n[i] for i in 1:0);\n"
            "equation for i in 1:2 loop for j in 1:n[i] loop\n"
            "  T[sum(n[k] for k in 1:i - 1) + j] = 10*i + j + time; end for; end for; end M;");
    assert_near(at(&r, "T[3]", 0), 13, 0);
    assert_near(at(&r, "T[4]", 0), 21, 0);
    assert_near(at(&r, "k", 0), 1, 0);
    trial_end(&r);
}

/* The elements of components that are not there have the sizes they would have. */
static void components_without_elements(void **state)
{
    (void)state;
    trial r = ran("model M record C Real c[2]; end C; model P parameter Integer n = 0; C p[n];\n"
                  "equation p.c = fill({1, 2}, n); end P; P none, two(n = 2); Real s;\n"
                  "equation s = sum(two.p[2].c) + size(none.p.c, 2) + time; end M;");
    assert_near(at(&r, "s", 0), 5, 0); // 1 + 2, and 2
    trial_end(&r);
}

/* A connection to what is not there is none, wherever the subscripts of its other end lead. */
static void connections_with_nothing(void **state)
{
    (void)state;
    const char *model =
        "model M connector I = input Real; connector O = output Real;\n"
        "block S parameter Integer n; I u[n]; O y; equation y = sum(u); end S;\n"
        "block C parameter Real k; O y = k + time; end C;\n"
        "expandable connector B end B; B bus; parameter Boolean two = %s;\n"
        "C a(k = 3), b(k = 4) if two; S s(n = if two then 2 else 1); Real y = s.y;\n"
        "equation connect(s.u[2], b.y); connect(a.y, s.u[1]); connect(bus.a, a.y); end M;";
    for (int two = 0; two < 2; two++) {
        char text[1000];
        snprintf(text, sizeof text, model, two ? "true" : "false");
        trial r = ran(text);
        assert_near(at(&r, "y", 0), two ? 7 : 3, 0);
        trial_end(&r);
    }
}

/* ---- overconstrained connectors -------------------------------------------------------------- */

/* References in types and records, in a loop and in arrays of components: two resistors of 1 carry v each
 * from the source to ground, and everybody's reference is that of the source. */
static void references_in_types_and_records(void **state)
{
    (void)state;
    static const char *const kinds[] = {"type Base = Real[3]; type Ref extends Base;",
                                        "record Ref Real x[3];"};
    for (int k = 0; k < 2; k++) {
        char text[1600];
        snprintf(
            text, sizeof text,
            "model M %s function equalityConstraint input Ref a; input Ref b; output Real r[0];\n"
            "algorithm end equalityConstraint; end Ref;\n"
            "connector C Real v[3]; flow Real i[3]; Ref ref; end C;\n"
            "model S C c; equation Connections.root(c.ref); c.ref%s = {0, 1, 2}*time;\n"
            "  c.v = {1, 2, 3}*time; end S;\n"
            "model R C a, b; equation Connections.branch(a.ref, b.ref); a.ref = b.ref;\n"
            "  a.i + b.i = zeros(3); a.v - b.v = a.i; end R;\n"
            "model G C c; equation c.v = zeros(3); end G;\n"
            "S s; R r[2]; G g; S t[2]; R q[2]; G h[2]; equation\n"
            "connect(s.c, r[1].a); connect(s.c, r[2].a); connect(r[1].b, g.c);\n"
            "connect(g.c, r[2].b); connect(t.c, q.a); connect(q.b, h.c); end M;",
            kinds[k], k ? ".x" : "");
        trial r = ran(text);
        assert_near(at(&r, "g.c.i[3]", 1), 6, 1e-9);
        assert_near(at(&r, "h[2].c.i[2]", 1), 2, 1e-9);
        assert_near(at(&r, k ? "g.c.ref.x[3]" : "g.c.ref[3]", 1), 2, 1e-9);
        assert_near(at(&r, k ? "h[1].c.ref.x[2]" : "h[1].c.ref[2]", 1), 1, 1e-9);
        trial_end(&r);
    }
}

/* ---- sampled values -------------------------------------------------------------------------- */

/* A sampled value connected to a continuous block, whichever is named first: y = 2 floor(10 t)/10. */
static void sampled_values_in_either_order(void **state)
{
    (void)state;
    static const char *const order[] = {"connect(s.y, g.u)", "connect(g.u, s.y)"};
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model M connector I = input Real; connector O = output Real;\n"
                 "block S I u; O y; equation when sample(0, 0.1) then y = u; end when; end S;\n"
                 "block G I u; O y; equation y = 2*u; end G;\n"
                 "S s; G g; Real x(start = 0, fixed = true);\n"
                 "equation s.u = time; %s; der(x) = g.y; end M;",
                 order[k]);
        trial r = ran(text);
        assert_near(at(&r, "g.y", 0.55), 1, 1e-12);
        assert_near(at(&r, "x", 1), 0.9, 1e-7); // 0.1 (0 + 0.2 + ... + 1.8)
        trial_end(&r);
    }
}

/* ---- what everybody lets pass ---------------------------------------------------------------- */

static int warnings(const trial *r, const char *code)
{
    int n = 0;
    for (int i = 0; i < vinc_ctx_n_diagnostics(r->ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(r->ctx, i);
        n += d.severity == VINC_WARNING && !strcmp(d.code, code);
    }
    return n;
}

/* One value without `each` is that of all: attributes, parameters in arrays of components, also where
 * these are arrays themselves. Said once each. A value for a variable as a whole must have its size. */
static void values_without_each(void **state)
{
    (void)state;
    trial r =
        ran("model M model R parameter Real k = 1; parameter Real v[2] = {0, 0}; Real y;\n"
            "equation y = k + v[2] + time; end R;\n"
            "R r[3](k = 100, v = {5, 7}); Real x[2](start = 3); parameter Real f[2] = {1, 2};\n"
            "R s[2](k = f);\n"
            "initial equation der(x) = {-3, -3}; equation der(x) = -x; end M;");
    assert_near(at(&r, "r[1].y", 0), 107, 0);
    assert_near(at(&r, "r[3].y", 0), 107, 0);
    assert_near(at(&r, "s[2].y", 0), 2, 0);
    assert_near(at(&r, "x[2]", 0), 3, 1e-12);
    assert_int_equal(warnings(&r, "M136"), 3);
    trial_end(&r);
    r = trial_start(NULL, "model M model R parameter Real v[2]; end R; R r(v = 1); end M;", NULL);
    assert_true(r.rc < 0 && strstr(vinc_ctx_messages(r.ctx), "M137"));
    trial_end(&r);
}

/* Literals of enumerations are imported by name, in a list and all of them; the third one is 3. */
static void imported_literals(void **state)
{
    (void)state;
    static const char *const imports[] = {"import P.E.c;", "import P.E.{a, c};", "import P.E.*;"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "package P type E = enumeration(a, b, c); model M %s parameter E e = c;\n"
                 "Real x = Integer(e) + time; end M; end P;",
                 imports[i]);
        trial r = {.ctx = vinc_ctx_new(NULL)};
        r.rc = vinc_model_load_text(r.ctx, "p.mo", text, strlen(text), "P.M", &r.model);
        if (!r.rc) r.rc = vinc_sim_new(r.model, NULL, &r.sim);
        trial_run(&r);
        assert_int_equal(r.rc, VINC_OK);
        assert_near(at(&r, "x", 0), 3, 0);
        assert_int_equal(warnings(&r, "M197"), 1);
        trial_end(&r);
    }
}

/* A description after the constraining class of a redeclaration changes nothing. */
static void description_of_a_constraint(void **state)
{
    (void)state;
    trial r =
        ran("model M partial model P Real x; end P; model Q extends P; equation x = 2*time;\n"
            "end Q; model A replaceable Q q constrainedby P \"first\"; end A;\n"
            "model B extends A(redeclare replaceable Q q constrainedby P \"second\"); end B;\n"
            "model C replaceable model N = Q constrainedby P \"first\"; N n; end C;\n"
            "B b; C c(redeclare replaceable model N = Q constrainedby P \"second\"); end M;");
    assert_near(at(&r, "b.q.x", 1), 2, 1e-12);
    assert_near(at(&r, "c.n.x", 1), 2, 1e-12);
    trial_end(&r);
}

/* A record by another name, whose base gives one field by others: R = x/k = 3/2; n of them. */
static void fields_by_fields_of_a_base(void **state)
{
    (void)state;
    trial r =
        ran("model M record Mat parameter Real x; parameter Real k; parameter Real R;\n"
            "  parameter Integer n = integer(2*R); end Mat;\n"
            "record Solid extends Mat(final R = x/k); end Solid; record Board = Solid(k = 2);\n"
            "parameter Mat b = Board(x = 3); parameter Real x = 7; record Q = Solid(k = x);\n"
            "parameter Mat q[2] = {Board(x = 8), Q(x = 14)}; Real y = b.R + q[1].R + q[2].R;\n"
            "Real z[b.n] = fill(time, b.n); end M;");
    assert_near(at(&r, "y", 0), 1.5 + 4 + 2, 1e-14);
    assert_near(at(&r, "z[3]", 1), 1, 1e-14);
    trial_end(&r);
}

/* ---- functions that are executed ------------------------------------------------------------- */

/* A table of 5000 squares by a subscript that moves, and a statement of 12000 operations, in loops
 * that cannot be written out: sums by hand. */
static void functions_of_many_numbers(void **state)
{
    (void)state;
    trial r =
        ran("model M function f input Real x; output Real y; protected Integer i = 0;\n"
            "constant Real c[5000] = {k*k for k in 1:5000}; constant Real e[4] = {7,8,9,10};\n"
            "Real v[4] = {x, 2*x, 3*x, 4*x};\n"
            "algorithm y := 0; while i < 10 + x loop i := i + 1;\n"
            "y := y + c[400*i] + v[1 + mod(i, 4)] + e[1 + mod(i, 4)]; end while; end f;\n"
            "function g input Real x; output Real y; protected Integer i = 0;\n"
            "algorithm while i < x loop i := i + 1;\n"
            "y := sum(sum((k + j)*cos(x*(k + j)) for k in 1:100) for j in 0:100:3900);\n"
            "end while; end g;\n"
            "Real a = f(1 + time), b = g(1 + time), h(start = 0, fixed = true);\n"
            "equation der(h) = a; end M;");
    double table = 0, sum = 0;
    for (int i = 1; i <= 12; i++) table += 160000.0 * i * i + (1 + i % 4) * 2 + 7 + i % 4;
    for (int k = 1; k <= 4000; k++) sum += k * cos(2.0 * k);
    assert_near(at(&r, "a", 1), table, 1e-9 * table);
    assert_near(at(&r, "b", 1), sum, 1e-7);
    trial_end(&r);
}

/* Numbers by a subscript that moves: k^2 + k/1000 of k = 1 + integer(99 t), also outside the table's range,
 * where the last one counts in a branch that is not taken. One look into the table, not 200 choices. */
static void tables_by_subscripts(void **state)
{
    (void)state;
    trial r = ran("model M function f input Integer k; output Real y;\n"
                  "protected constant Real c[200] = {i*i for i in 1:200};\n"
                  "constant Real d[200] = {i/1000 for i in 1:200};\n"
                  "algorithm y := c[k] + d[k]; end f;\n"
                  "Real x(start = 0, fixed = true), y = f(1 + integer(99*x));\n"
                  "Real z = if x < 0.5 then 0 else f(1 + integer(99*x));\n"
                  "equation der(x) = 1; end M;");
    for (int i = 0; i < 10; i++) {
        double t = 0.1 * i + 0.0037, k = 1 + floor(99 * t);
        assert_near(at(&r, "y", t), k * k + k / 1000, 1e-9);
        assert_near(at(&r, "z", t), t < 0.5 ? 0 : k * k + k / 1000, 1e-9);
    }
    const char *tape = NULL;
    assert_int_equal(vinc_model_dump(r.model, "tape", &tape), VINC_OK);
    assert_non_null(strstr(tape, "call table"));
    assert_true(strlen(tape) < 40000);
    trial_end(&r);
}

/* ---- loops of algorithm sections ------------------------------------------------------------- */

/* 27 takes 111 steps (The On-Line Encyclopedia of Integer Sequences, A006577). Newton's iteration
 * gives sqrt(1 + t), so that x = 1 + t - 2/3 ((1 + t)^1.5 - 1). The numbers 1 ... k, summed for k up
 * to the one at which the loop is left, are 1, 3, 6. At t = k/4 a counter has caught up with 4 t. */
static void loops_that_run(void **state)
{
    (void)state;
    trial r =
        ran("model M parameter Integer n0 = 27; Integer n, steps, k; Real r, a[4], s;\n"
            "Real x(start = 1, fixed = true); Integer hits(start = 0, fixed = true);\n"
            "equation der(x) = 1 - r;\n"
            "algorithm n := n0; steps := 0;\n"
            "while n <> 1 loop if mod(n, 2) == 0 then n := div(n, 2); else n := 3*n + 1; end if;\n"
            "  steps := steps + 1; end while;\n"
            "r := 1; while abs(r*r - 1 - time) > 1e-14*(1 + time) loop\n"
            "  r := 0.5*(r + (1 + time)/r); end while;\n"
            "a := {0, 0, 0, 7}; s := 0; k := 1;\n"
            "while true loop if k > 3 then break; end if; n := 0;\n"
            "  while n < k loop n := n + 1; a[k] := a[k] + n; end while;\n"
            "  s := s + a[k]; k := k + 1; end while;\n"
            "algorithm when sample(0, 0.25) then hits := pre(hits);\n"
            "  while hits < 4*time loop hits := hits + 1; end while; end when; end M;");
    assert_near(at(&r, "steps", 1), 111, 0);
    assert_near(at(&r, "r", 0.5), sqrt(1.5), 1e-8);
    assert_near(at(&r, "x", 1), 2 - 2.0 / 3 * (pow(2, 1.5) - 1), 1e-8);
    assert_near(at(&r, "a[2]", 1), 3, 0);
    assert_near(at(&r, "a[4]", 1), 7, 0);
    assert_near(at(&r, "s", 1), 10, 0);
    assert_near(at(&r, "k", 1), 4, 0);
    assert_near(at(&r, "hits", 0.6), 2, 0);
    trial_end(&r);
}

/* A loop that never ends has no value, and what cannot stand in one is named. */
static void loops_that_do_not(void **state)
{
    (void)state;
    static const char *const body[][2] = {
        {"while y >= 0 loop y := y + 1; end while;", "does not end"},
        {"while y < 1 loop y := y + der(y); end while;", "M172"},
        {"while y < 1 loop y := y + 1; terminate(\"\"); end while;", "terminate"},
    };
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "model M Real y(start = 0); algorithm y := time; %s end M;",
                 body[i][0]);
        trial r = trial_start(NULL, text, NULL);
        assert_true(r.rc < 0);
        assert_non_null(strstr(vinc_ctx_messages(r.ctx), body[i][1]));
        trial_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_by_open_parameters),
        cmocka_unit_test(guesses_in_a_chain),
        cmocka_unit_test(roots_at_rest),
        cmocka_unit_test(delay_of_nothing),
        cmocka_unit_test(events_that_pass_their_limit),
        cmocka_unit_test(span_of_weather_data),
        cmocka_unit_test(sum_of_nothing_is_a_subscript),
        cmocka_unit_test(components_without_elements),
        cmocka_unit_test(connections_with_nothing),
        cmocka_unit_test(references_in_types_and_records),
        cmocka_unit_test(sampled_values_in_either_order),
        cmocka_unit_test(values_without_each),
        cmocka_unit_test(imported_literals),
        cmocka_unit_test(description_of_a_constraint),
        cmocka_unit_test(fields_by_fields_of_a_base),
        cmocka_unit_test(functions_of_many_numbers),
        cmocka_unit_test(tables_by_subscripts),
        cmocka_unit_test(loops_that_run),
        cmocka_unit_test(loops_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
