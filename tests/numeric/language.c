/* What the language demands of a run, on models that run to t = 1: values at the end against closed
 * forms that stand beside them, or the message that refuses the model. Sections are of the Modelica
 * Language Specification 3.6.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>

typedef struct ending {
    const char *text, *name;
    double value;
} ending;

static void expect_endings(const ending *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        trial r = trial_of(list[i].text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
        double x = vinc_result_at(r.result, list[i].name, 1);
        if (!(fabs(x - list[i].value) < 1e-6))
            fail_msg("%s is %.9g, not %.9g: %s", list[i].name, x, list[i].value, list[i].text);
        trial_end(&r);
    }
}

typedef struct refusal {
    const char *text, *at, *words; // the messages contain both
} refusal;

static void expect_refusals(const refusal *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        vinc_sim_options o = {.has_stop = 1, .t_stop = 1};
        trial r = trial_start(NULL, list[i].text, &o);
        const char *said = vinc_ctx_messages(r.ctx);
        if (!r.rc) fail_msg("it runs: %s", list[i].text);
        if (!strstr(said, list[i].at) || !strstr(said, list[i].words))
            fail_msg("'%s' instead of '%s %s'", said, list[i].at, list[i].words);
        trial_end(&r);
    }
}

/* 8.3.5.2 and 3.8: a variable that a when-clause sets may stand in equations of continuous ones, on
 * either side; pre() of what is equal to it is its past. Sampled every quarter: at the last instant,
 * t = 1, the value before is that of 0.75. */
static void discrete_variables_in_continuous_equations(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M Real a, b; equation a = b; when time > 0.5 then a = 4; end when; end M;", "b", 4},
        {"model M Real a, b; equation b = a; when time > 0.5 then a = 4; end when; end M;", "b", 4},
        {"model M Real a, b; equation a = 2*b + time; when time > 0.5 then a = 4; end when; end M;",
         "b", 1.5},
        {"model M Real u, a, y; equation a = u; when sample(0, 0.25) then a = time; end when;\n"
         "when sample(0, 0.25) then y = pre(u); end when; end M;",
         "y", 0.75},
        {"model M Real u, a, y; equation u = a; when sample(0, 0.25) then a = time; end when;\n"
         "when sample(0, 0.25) then y = pre(u); end when; end M;",
         "y", 0.75},
        {"model M Integer c; Real x(start = 0, fixed = true);\n"
         "equation der(x) = 1; c = integer(2.5*x); end M;",
         "c", 2},
        // coefficients beyond all whole numbers
        {"model M Real x, y; equation x = 1e150*y + 1; y = 1e-150*time; end M;", "x", 2},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

/* 11.2.1.1: a row, a set of elements or a record of an array is assigned at a place that changes.
 * Samples at 0, 0.25, ... 1 choose 1, 2, 3, 1, 2: the last of them were at 0.75, 1 and 0.5. */
static void parts_of_arrays_at_places_that_change(void **state)
{
    (void)state;
#define CHOSEN "algorithm when sample(0, 0.25) then k := mod(pre(k), 3) + 1;\n"
    static const ending list[] = {
        {"model M Integer k(start = 0, fixed = true); Real a[3, 2](each start = 0, each fixed = "
         "true);\n"
         "Real y = a[1, 1] + 100*a[2, 2] + 10000*a[3, 1];\n" CHOSEN
         "a[k, :] := {time, 10*time}; end when; end M;",
         "y", 0.75 + 1000 + 5000},
        {"model M Integer k(start = 0, fixed = true); Real a[2, 3](each start = 0, each fixed = "
         "true);\n"
         "Real y = a[2, 1] + 100*a[1, 2] + 10000*a[2, 3];\n" CHOSEN
         "a[{2, 1}, k] := {10*time, time}; end when; end M;",
         "y", 7.5 + 100 + 50000},
        {"model M record P Real u; Real v; end P;\n"
         "Integer k(start = 0, fixed = true); P p[3](each u(start = 0), each v(start = 0));\n"
         "Real y = p[1].u + 100*p[2].v + 10000*p[3].v;\n" CHOSEN
         "p[k] := P(time, 2*time); end when; end M;",
         "y", 0.75 + 200 + 10000},
        {"model M Integer k(start = 0, fixed = true); Real a[3](each start = 0, each fixed = "
         "true), b;\n"
         "Real y = a[1] + 100*a[2] + b;\n"
         "function two input Real t; output Real p = t; output Real q = 3*t; end two;\n" CHOSEN
         "(a[k], b) := two(time); end when; end M;",
         "y", 0.75 + 100 + 3},
    };
    expect_endings(list, sizeof list / sizeof *list);
#undef CHOSEN
}

/* 3.7.5: in a when-clause pre(y) of a continuous y is its value before the event, though y moves with
 * a discrete variable, an input of a switch or a reinit at the same instant. The closed forms are those
 * of the branch before. With x = exp(-t), x = 1/2 at t = ln 2; a[i] is one of the elements of before. */
static void continuous_variables_before_an_event(void **state)
{
    (void)state;
#define SAMPLED                                                                                    \
    "model M discrete Real u(start = 0, fixed = true), z(start = -1, fixed = true);\n"             \
    "Real y = 2*u + time, q; equation q + sin(q) = y; when sample(0.1, 0.2) then u = pre(u) + "    \
    "1;\n"
#define SWITCHED                                                                                   \
    "model M Real x(start = 1, fixed = true);  Real z(start = 0, fixed = true);\n"                 \
    "Boolean on = x < 0.5; Real g = if on then 3 else 1, v = g*x + 2; equation der(x) = -x;\n"
    static const ending list[] = {
        // u is 4 before t = 0.9, and y 8.9
        {SAMPLED "z = pre(y); end when; end M;", "z", 8.9},
        {SAMPLED "z = y - pre(y); end when; end M;", "z", 2},
        {SAMPLED "z = if y > pre(y) then 1 else 0; end when; end M;", "z", 1},
        // q of a nonlinear equation: q + sin(q) = 8.9; it is put back into the equation
        {SAMPLED "z = pre(q) + sin(pre(q)); end when; end M;", "z", 8.9},
        {"model M discrete Real u(start = 0, fixed = true), z(start = -1, fixed = true);\n"
         "Real y; algorithm when sample(0.1, 0.2) then u := pre(u) + 1; z := pre(y); end when;\n"
         "equation y = 2*u + time; end M;",
         "z", 8.9},
        {SWITCHED "when on then z = pre(v); end when; end M;", "z", 2.5},
        {SWITCHED "when on then z = v; end when; end M;", "z", 3.5},
        {SWITCHED "when on then z = pre(v); reinit(x, 2*pre(v)); end when; end M;", "z", 2.5},
        // the new x is 5, and falls from there: 5 exp(-(1 - ln 2)) = 10/e
        {SWITCHED "when on then z = pre(v); reinit(x, 2*pre(v)); end when; end M;", "x",
         10 * 0.36787944117144233},
        // a second clause that the first one lets fire: the round before is what it calls before
        {"model M discrete Real u(start = 0, fixed = true), z(start = -1, fixed = true);\n"
         "Real y = 3*u; equation when time > 0.5 then u = 1; end when;\n"
         "when u > 0.5 then z = pre(y); end when; end M;",
         "z", 0},
        {"model M discrete Real u(start = 0, fixed = true), z(start = -1, fixed = true);\n"
         "Real y = 3*u; equation when time > 0.5 then u = 1; end when;\n"
         "when pre(u) > 0.5 then z = pre(y); end when; end M;",
         "z", 3},
        // an ideal switch: the state of a constraint jumps with it
        {"model M discrete Real u(start = 1, fixed = true), z(start = 0, fixed = true);\n"
         "Real x; equation x = u; when time > 0.5 then u = 4; z = 10*pre(x) + x; end when; end M;",
         "z", 14},
        // elements that are chosen by a number of run time: that of now, of before
        {"model M Real a[3](start = {1, 2, 3}, each fixed = true), z(start = 0, fixed = true);\n"
         "Integer i(start = 1, fixed = true); equation when sample(0.1, 0.5) then\n"
         "a = pre(a) + {10, 10, 10}; i = mod(pre(i), 3) + 1; z = pre(a[i]); end when; end M;",
         "z", 13},
        {"model M Boolean a[2](start = {false, true}, each fixed = true); Integer i = 2;\n"
         "Integer n(start = 0, fixed = true); equation when sample(0.1, 0.2) then\n"
         "a = {not pre(a[1]), not pre(a[2])}; end when;\n"
         "when change(a[i]) then n = pre(n) + 1; end when; end M;",
         "n", 5},
    };
    expect_endings(list, sizeof list / sizeof *list);
#undef SAMPLED
#undef SWITCHED
    static const refusal wrong[] = {
        {"model M Real y = sin(time);\nReal z = pre(y); end M;", "m.mo:2:6",
         "pre(y) stands outside of a when-clause, but 'y' is continuous"},
        {"model M Real y = sin(time), z(start = 0);\nequation\nwhen y > pre(y) then z = 1; end "
         "when; "
         "end M;",
         "m.mo:3:1", "pre(y) stands outside of a when-clause"},
        {"model M Real y = sin(time), z;\nalgorithm\nz := 1; if change(y) then z := 2; end if; end "
         "M;",
         "m.mo:3:9", "change(y) stands outside of a when-clause"},
        {"model M Real y = sin(time);\nequation\nassert(y < pre(y) + 1, \"far\"); end M;",
         "m.mo:3:1", "pre(y) stands outside of a when-clause"},
        {"model M Real u(start = 0), z(start = 0); equation when sample(0, 1) then\nu = 1; "
         "z = pre(u + 1); end when; end M;",
         "m.mo:2:12", "pre() looks at a variable, not at an expression"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 8.6: where the start of a discrete variable is fixed, an initial equation with it is about what else
 * it holds, a parameter with fixed = false. At the start the clause with initial() is active: y = 0 + 2,
 * n = 3 + 1, while k and pre(y) have their start values. */
static void initial_equations_of_fixed_discrete_variables(void **state)
{
    (void)state;
#define FIXED                                                                                      \
    "model M Real y(start = 0, fixed = true), x(start = 1, fixed = true);\n"                       \
    "discrete Real k(start = 5, fixed = true); Integer n(start = 3, fixed = true);\n"              \
    "parameter Real q(fixed = false); equation der(x) = q;\n"                                      \
    "when {initial(), sample(0.75, 1)} then y = pre(y) + 2*x; n = pre(n) + 1; end when;\n"         \
    "when sample(0.75, 1) then k = y; end when; initial equation "
    static const ending list[] = {
        {FIXED "y = q; end M;", "q", 2},       {FIXED "q = 3*pre(y) + n; end M;", "q", 4},
        {FIXED "k + q = 2*n; end M;", "q", 3}, {FIXED "pre(y) = 1 - q; end M;", "q", 1},
        {FIXED "k + q = 2*n; end M;", "x", 4},
    };
#undef FIXED
    expect_endings(list, sizeof list / sizeof *list);
}

/* 8.3.7: what an assertion says of an event is said of the values after it, and the time before an event
 * is looked at as well. */
static void assertions_around_events(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M discrete Real u(start = 0, fixed = true); equation\n"
         "when sample(0.1, 0.1) then u = time; end when; assert(time - u < 0.1, \"far\"); end M;",
         "u", 1},
        {"model M Real x(start = 0, fixed = true); Boolean on = x >= 0.5; Real y = if on then 0 "
         "else x;\n"
         "equation der(x) = 1; assert(y < 0.5, \"large\"); end M;",
         "x", 1},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        // only at the event: b falls again within the step after it
        {"model M Real x(start = 0, fixed = true), b(start = 0, fixed = true); equation der(x) = "
         "1;\n"
         "der(b) = -1e4*b; when x > 0.3 then reinit(b, 5); end when;\nassert(b < 1, \"high\"); end "
         "M;",
         "m.mo:3:1", "assertion failed at t = 0.3: high (b = 5)"},
        // only before the event
        {"model M Real x(start = 0, fixed = true); Boolean late = x > 0.7;\n"
         "Real y = if late then 0 else x; equation der(x) = 1;\nassert(y < 0.5, \"y\"); end M;",
         "m.mo:3:1", "assertion failed at t = 0.5: y (y = 0.5)"},
        {"model M Boolean late = time > 0.7; Real y = if late then 0 else time;\n"
         "equation\nassert(y < 0.5, \"y\"); end M;",
         "m.mo:3:1", "assertion failed at t = 0.5: y (y = 0.5)"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* A bound that belongs to what is allowed is not broken by rounding: b = 3 a all the time, but 3*0.1 > 0.3 in
 * double precision. Beyond rounding it is, and a bound that does not belong is broken by equality. */
static void assertions_at_their_bound(void **state)
{
    (void)state;
#define PAIR                                                                                       \
    "model M Real a(start = 0.1, fixed = true), b(start = 0.3, fixed = true);\n"                   \
    "equation der(a) = cos(time); der(b) = 3*cos(time);\n"
    static const ending list[] = {
        {PAIR "assert(3*a <= b, \"above\"); assert(3*a >= b, \"below\"); end M;", "b",
         2.824412954423690}, // 0.3 + 3 sin 1
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {PAIR "assert(3*a - 1e-12 <= b, \"near\");\nassert(3*a + 1e-12 <= b, \"above\"); end M;",
         "m.mo:4:1", "assertion failed at t = 0: above"},
        {"model M Real x(start = 1, fixed = true); equation der(x) = 0;\nassert(x < 1, \"x\"); end "
         "M;",
         "m.mo:2:1", "assertion failed at t = 0: x (x = 1)"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
#undef PAIR
}

/* A function with open sizes may have branches that are not for all of them: what is wrong with a subscript is
 * said where such a branch is taken, or at once where it is taken for certain. */
static void subscripts_of_branches(void **state)
{
    (void)state;
#define OPEN                                                                                       \
    "function second input Real X[:]; output Real y; algorithm\ny := X[2]; end second;\n"          \
    "function f input Real T; input Real X[:]; output Real y; algorithm\n"                         \
    "if T > 800 then y := 2*second(X); else y := X[1] + T; end if; end f;\n"
    static const ending list[] = {
        {OPEN "model M Real y = f(300 + time, {5}); end M;", "y", 306},
        {OPEN "model M Real y = f(799.5 + time, {5, 7}); end M;", "y", 14},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {OPEN "model M Real y = f(799.5 + time, {5}); end M;", "m.mo:2:8",
         "assertion failed at t = 0.5: subscript 2 of 'X' is outside 1 ... 1"},
        {OPEN "model M Real y = second({time}); end M;", "m.mo:2:8",
         "subscript 2 of 'X' is outside 1 ... 1"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
#undef OPEN
}

/* 10.1: sizes left open without a value are those of the start values. */
static void sizes_of_start_values(void **state)
{
    (void)state;
#define OPEN                                                                                       \
    "model M parameter Real p = 2; Real x[:](start = {1, p, 3}, each fixed = true);\n"             \
    "Integer n[:, 2](start = [1, 2; 3, 4; 5, 6], each fixed = true);\n"                            \
    "model C Real y[:](start = {4, 5}, each fixed = true); equation der(y) = ones(size(y, 1));\n"  \
    "end C; C c, d[2](y(start = {{1, 2, 3}, {4, 5, 6}}));\n"                                       \
    "equation der(x) = -x; when false then n = pre(n); end when; end M;"
    static const ending list[] = {
        {OPEN, "x[2]", 2 * 0.36787944117144233},
        {OPEN, "n[3,2]", 6},
        {OPEN, "c.y[2]", 6},
        {OPEN, "d[2].y[3]", 7},
    };
#undef OPEN
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M\nReal x[:](each start = 1); equation der(x) = -x; end M;", "m.mo:2:6",
         "the size of 'x' is left open"},
        {"model M\nReal x[:, 2](start = {1, 2}); equation der(x) = -x; end M;", "m.mo:2:6",
         "'x' has 2 dimensions but its value has 1"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 8.6: assertions of initial sections hold for the start, not afterwards. */
static void assertions_of_initial_sections(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M parameter Real p(fixed = false); Real x = p + time;\n"
         "initial equation p = 1; assert(time < 0.5, \"start\"); end M;",
         "x", 2},
        {"model M parameter Real p(fixed = false); Real x = p + time;\n"
         "initial algorithm p := 1; if p > 0 then assert(time < 0.5, \"start\"); end if; end M;",
         "x", 2},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M parameter Real p(fixed = false);\n"
         "initial equation p = 1; assert(time > 0.5, \"late\"); end M;",
         "m.mo:2:", "assertion failed at t = 0: late"},
        {"model M parameter Real p(fixed = false);\n"
         "initial algorithm p := 1; if p > 0 then assert(p > 2, \"low\"); end if; end M;",
         "m.mo:2:", "assertion failed at t = 0: low"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 6.7 and 10.6.13: an Integer is no place for a Real, on whichever side of '=' it stands. */
static void whole_numbers(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M Integer n; Real x; equation n = integer(3.5*time); n = x; end M;", "x", 3},
        {"model M Integer n; Real x; equation n = integer(3.5*time); 2*x = n; end M;", "x", 1.5},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M Integer n;\nequation n = 2.5*time; end M;", "m.mo:2:", "'n' is Integer"},
        {"model M Integer n;\nequation 2.5 = n; end M;", "m.mo:2:", "'n' is Integer"},
        {"model M Integer n; Real x;\nequation x = 2.5; n = x; end M;",
         "m.mo:2:", "'n' is Integer"},
        {"model M Integer n; Real x(start = 0, fixed = true); equation der(x) = 1;\n x = n; end M;",
         "m.mo:2:", "'n' is Integer"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 6.7: enumerations with the same literals are one type. 10.6: an array without elements has the
 * type of its declaration. 10.6.5 and 14: .* goes element by element whatever * means for arrays:
 * (1 + 2j)^2 = -3 + 4j. */
static void types_of_values(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M type A = enumeration(x, y, z); type B = enumeration(x, y, z);\n"
         "model C parameter A a = A.x; Real r = if a == A.y then 5 else 6; end C;\n"
         "parameter B b = B.y; C c(a = b); end M;",
         "c.r", 5},
        {"model M function f input Boolean v[:]; output Boolean y; algorithm y := true;\n"
         "for i in 1:size(v, 1) loop y := y and v[i]; end for; end f;\n"
         "parameter Integer n = 0; Boolean a[n], b[n]; Boolean y = f(not a), z = f(a and b); end "
         "M;",
         "z", 1},
        {"model M parameter Integer c[3] = {1, 2, 3};\n"
         "parameter Integer s[3] = {sum(c[1:j - 1]) for j in 1:3}; Real x = s[3]*time; end M;",
         "x", 3},
        {"package P\n"
         "operator record C Real re, im; encapsulated operator '*'\n"
         "function one import P.C; input C a, b; output C y; algorithm\n"
         "y := C(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re); end one;\n"
         "function product import P.C; input C a[:], b[size(a, 1)]; output C y; algorithm\n"
         "y := C(0, 0); end product; end '*'; end C; end P;\n"
         "model M import P.C; C a[2] = {C(1, 2), C(3, time)}; C c[2] = a .* a; end M;",
         "c[1].im", 4},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

/* 5.3.2: only constants are reached through a class. */
static void variables_of_classes(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M package P\nparameter Real p = 1; end P; Real x = P.p; end M;",
         "m.mo:2:", "'p' of the class 'M.P'"},
        {"model M package P\nReal r = 3; end P; Real x = 2*P.r; end M;",
         "m.mo:2:", "'r' of the class 'M.P'"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
    static const ending list[] = {
        {"model M package P constant Real p = 4; end P; Real x = P.p; end M;", "x", 4},
    };
    expect_endings(list, 1);
}

/* 3.8.4: Integers and Booleans change at events, also where no relation of the model tells of them.
 * Integrals over [0, 1]: of ceil(7/2 t), 2/7 (1 + 2 + 3) + 4/7 = 16/7; of t > 0.3, 0.7. */
static void whole_numbers_from_functions_follow(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M function f input Real x; output Integer i; algorithm i := 0;\n"
         "while i < x loop i := i + 1; end while; end f;\n"
         "Integer n = f(3.5*time); Real y(start = 0, fixed = true); equation der(y) = n; end M;",
         "y", 16.0 / 7},
        {"model M function f input Real x; output Boolean b; algorithm b := x > 0.3; end f;\n"
         "Boolean b = f(time); Real y(start = 0, fixed = true);\n"
         "equation der(y) = if b then 1 else 0; end M;",
         "y", 0.7},
        {"model M function f input Real u[:]; output Integer k; output Real most; algorithm\n"
         "k := 1; most := u[1]; for i in 2:size(u, 1) loop\n"
         "if u[i] > most then k := i; most := u[i]; end if; end for; end f;\n"
         "Integer k; Real most, y(start = 0, fixed = true);\n"
         "equation (k, most) = f({0.3, time}); der(y) = k - 1; end M;",
         "y", 0.7},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

/* The logarithm of 0, the slope of y^(1/2) at 0, rates beyond any time scale. */
static void starts_that_cannot_be(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M Real a(start = 0, fixed = true), b(start = 1), r, u, v; equation\n"
         "der(a) = -r; der(b) = r;\nu = log(a); v = log(b); u = v; end M;",
         "m.mo:3:", "log(a) is infinite at t = 0: the logarithm of 0"},
        {"model M Real x(start = 1, fixed = true), y(start = 0, fixed = true), l; equation\n"
         "der(x) = -l*x; der(y) = -l*y;\nx^2 + sqrt(y) = 1; end M;",
         "m.mo:3:", "y*l/(sqrt(y)*2) is not a number at t = 0: a division of 0 by zero"},
        {"model M Real x(start = 1), y(start = 1e308); equation der(x) = y; der(y) = -x; end M;",
         "R104", "cannot be evaluated or solved after t = 0"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 10.5: a subscript is one of 1 ... n whenever the element is asked for, and only then. */
static void subscripts_of_the_run(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M Real a[3] = {1, 2, 3}, x; Integer i = integer(4*time);\n"
         "equation x = if i > 0 and i < 4 then a[i] else 7; end M;",
         "x", 7},
        {"model M Real a[3] = {1, 2, 3}, x; Integer i = integer(4*time);\n"
         "equation if i > 0 and i < 4 then x = a[i]; else x = 7; end if; end M;",
         "x", 7},
        {"model M Real a[3] = {1, 2, 3}, x; Integer i = 1 + integer(1.5*time);\n"
         "equation x = a[i]; end M;",
         "x", 2},
        {"model M Boolean a[3] = {true, false, true}, x; Integer i = integer(4*time);\n"
         "equation x = i > 0 and i < 4 and a[i]; end M;",
         "x", 0},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M Real a[3] = {1, 2, 3}, x(start = 0, fixed = true); Integer i = integer(4*time);\n"
         "equation der(x) = a[i]; end M;",
         "m.mo:2:", "at t = 0: subscript 0 of 'a' is outside 1 ... 3 (i = 0)"},
        {"model M Real a[2, 3] = ones(2, 3), x; Integer i = 1 + integer(4*time);\n"
         "equation x = a[2, i]; end M;",
         "m.mo:2:", "at t = 0.75: subscript 4 of 'a' is outside 1 ... 3 (i = 4)"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 10.5 and 11.2.1: so it is in algorithms, when-clauses, initial sections and functions, for what is
 * read and for what is written; where the element is not asked for, nothing stops. Sums by hand. */
static void subscripts_of_statements(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M Real a[3], x; Integer i = 1 + integer(5*time);\n"
         "algorithm a := {1, 2, 3}; x := 7; if i < 4 then a[i] := 5; x := a[i]; end if; end M;",
         "x", 7},
        {"model M function f input Integer n; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "Integer k; algorithm k := 0; y := 0; while k < n loop k := k + 1;\n"
         "y := if k <= 3 then y + a[k] else y; end while; end f;\n"
         "Integer i = 1 + integer(5*time); Real x; equation x = f(i); end M;",
         "x", 6},
        {"model M function f input Integer i; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "algorithm y := 9; if i > 3 then return; end if; a[i] := 5; y := a[i]; end f;\n"
         "Integer i = 1 + integer(5*time); Real x; equation x = f(i); end M;",
         "x", 9},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M Real a[3] = {1, 2, 3}, x; Integer j, i = 1 + integer(4*time);\n"
         "algorithm j := i;\nx := a[j + 1]; end M;",
         "m.mo:3:6", "at t = 0.5: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M Real a[3], x; Integer i = 1 + integer(4*time);\n"
         "algorithm a := {1, 2, 3};\na[i] := 5;\nequation x = sum(a); end M;",
         "m.mo:3:1", "at t = 0.75: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M discrete Real y; Real a[3] = {1, 2, 3}; Integer i(start = 0, fixed = true);\n"
         "equation when sample(0.1, 0.2) then i = pre(i) + 1;\ny = a[i]; end when; end M;",
         "m.mo:3:5", "at t = 0.7: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M discrete Real a[3](each start = 0); Integer i(start = 0, fixed = true);\n"
         "algorithm when sample(0.1, 0.2) then i := pre(i) + 1;\na[i] := 2; end when; end M;",
         "m.mo:3:1", "at t = 0.7: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M Real x, a[3] = {1, 2, 3}; Integer k = 5 + integer(time);\n"
         "initial equation\nx = a[k];\nequation der(x) = 1; end M;",
         "m.mo:3:5", "at t = 0: subscript 5 of 'a' is outside 1 ... 3"},
        {"model M Real x(start = 0, fixed = true); parameter Real b[3](each fixed = false);\n"
         "Integer i = 4 + integer(time); initial algorithm b := {1, 2, 3};\nb[i] := 7;\n"
         "equation der(x) = b[1]; end M;",
         "m.mo:3:1", "at t = 0: subscript 4 of 'b' is outside 1 ... 3"},
        {"model M function f input Integer i; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "algorithm\ny := a[i]; end f;\nInteger i = integer(5*time); Real x;\n"
         "equation x = if i > 0 then f(i) else 0; end M;",
         "m.mo:3:6", "at t = 0.8: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M function f input Integer i; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "algorithm\na[i] := 5; y := sum(a); end f;\nInteger i = 1 + integer(5*time); Real x;\n"
         "equation x = f(i); end M;",
         "m.mo:3:1", "at t = 0.6: subscript 4 of 'a' is outside 1 ... 3"},
        {"model M function f input Integer i; output Boolean y; protected Boolean a[2] = {true, "
         "false};\nalgorithm\ny := a[i]; annotation(Inline = true); end f; Boolean b;\n"
         "equation when sample(0, 0.25) then b = f(1 + integer(4*time)); end when; end M;",
         "m.mo:3:6", "at t = 0.5: subscript 3 of 'a' is outside 1 ... 2"},
        {"model M function f input Real u; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "algorithm\ny := a[integer(u)]; end f; parameter Real k = 5, p = f(k);\n"
         "Real x(start = 0, fixed = true); equation der(x) = p; end M;",
         "m.mo:3:6", "at t = 0: subscript 5 of 'a' is outside 1 ... 3"},
        {"model M function f input Integer n; output Real y; protected Real a[3] = {1, 2, 3};\n"
         "Integer k; algorithm k := 0; y := 0; while k < n loop k := k + 1;\n"
         "y := y + a[k]; end while; end f;\n"
         "Integer i = 1 + integer(5*time); Real x; equation x = f(i); end M;",
         "m.mo:3:10", "in the function f, subscript 4 of 'a' is outside 1 ... 3"},
        {"model M function f input Integer n; output Integer y; protected Integer a[3], k;\n"
         "algorithm k := 0; while k < n loop k := k + 1;\na[k] := k; end while; y := sum(a);\n"
         "end f; Integer i = 1 + integer(5*time), j; equation j = f(i); end M;",
         "m.mo:3:1", "in the function f, subscript 4 of 'a' is outside 1 ... 3"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 11.2.2.1: for i loop runs through the subscripts of an array, which keeps its size in the loop. */
static void ranges_of_arrays_stay(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M function f input Real a[:]; output Real y; protected Real x[:]; algorithm\n"
         "x := a; y := 0; for i loop x[i] := 2*x[i]; y := y + x[i]; end for; x := {y}; end f;\n"
         "Real x = f({1, 2, time}); end M;",
         "x", 8},
    };
    expect_endings(list, sizeof list / sizeof *list);
    static const refusal wrong[] = {
        {"model M function f input Integer n; output Integer y; protected Integer x[:];\n"
         "algorithm x := ones(n); y := 0;\nfor i loop y := y + x[i]; x := ones(size(x, 1) - 1); "
         "end for;\n"
         "end f; Integer n = f(4); end M;",
         "m.mo:3:5", "an array whose size changes in the loop, from 4 to 3"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 11.2.3: a loop that does not end is named with its function and line; here it stands in one function
 * and is met by the other that this one calls. */
static void loops_without_end(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M function g input Real x; output Real y; protected Integer k; algorithm\n"
         "y := x; k := 0; while k < 3 and y > 0 loop y := y + 1; k := k + 1; end while; end g;\n"
         "function f input Real x; output Real y; algorithm y := x;\n"
         "while y > 0 loop y := g(y); end while; end f;\n"
         "Real x(start = 1, fixed = true), z; equation der(x) = 1; z = f(x); end M;",
         "m.mo:4:1", "in the function f, a loop does not end within 20000000 operations"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 12.9: a function of the outside world without inputs, which is not called here. */
static void calls_without_arguments(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M impure function f output Real y; external \"C\" y = clock(); end f; Real x;\n"
         "equation when sample(0, 0.1) then x = f() + f(); end when; end M;",
         "m.mo:2:", "cannot be evaluated"},
    };
    expect_refusals(wrong, 1);
}

/* 3.7.5 and 3.7.4: an interval is positive, the future is not known. */
static void times_that_cannot_be(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M Integer n(start = 0);\n"
         "equation when sample(0, 0) then n = pre(n) + 1; end when; end M;",
         "m.mo:2:", "the interval of sample(start, interval) is 0"},
        {"model M Integer n(start = 0); parameter Real d = -1;\n"
         "equation when sample(0, d) then n = pre(n) + 1; end when; end M;",
         "m.mo:2:", "the interval of sample(start, interval) is -1"},
        {"model M Real x(start = 1, fixed = true);\nequation der(x) = -delay(x, -1); end M;",
         "m.mo:2:", "the delay time of delay() is -1"},
        {"model M Real x(start = 1, fixed = true); parameter Real d = -1;\n"
         "equation der(x) = -delay(x, d); end M;",
         "m.mo:2:", "the delay time is negative: -1"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
}

/* 4.9: what is odd but can be run is said. */
static void attributes_that_say_nothing(void **state)
{
    (void)state;
    static const refusal odd[] = {
        {"model M Real x(start = 0, fixed = true,\nnominal = 0) = time; end M;", "M119",
         "the nominal value of 'x' is 0"},
        {"model M Real x(nominal = -2) = time; end M;", "M119", "the nominal value of 'x' is -2"},
        {"model M parameter Real p(min = 0, max = 2) = 3; end M;", "M119",
         "'p' is 3, above its max, 2"},
        {"model M parameter Real p(min = 1) = 0.5; end M;", "M119", "'p' is 0.5, below its min, 1"},
        {"model M Real x(unit = \"blub\") = time; end M;", "M119", "the unit \"blub\""},
        {"model M Real x(unit = \"degC\", min = 0, max = 2, nominal = 1) = 1;\n"
         "parameter Real p(min = 0, max = 2) = 2; end M;",
         "", ""},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        trial r = trial_of(odd[i].text, (vinc_sim_options){.has_stop = 1, .t_stop = 1});
        const char *said = vinc_ctx_messages(r.ctx);
        if (!strstr(said, odd[i].at) || !strstr(said, odd[i].words) || (!*odd[i].at && *said))
            fail_msg("'%s' instead of '%s'", said, odd[i].words);
        trial_end(&r);
    }
}

/* A model of when-clauses alone has no unknown to integrate, whatever the formulation. */
static void events_alone(void **state)
{
    (void)state;
    static const char *const formulations[] = {"project", "udwadia", "kkt", "finzi", "direct"};
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; i++) {
        trial r = trial_of(
            "model M Integer n(start = 0, fixed = true); equation\n"
            "when sample(0.05, 0.1) then n = pre(n) + 1; end when; end M;",
            (vinc_sim_options){.has_stop = 1, .t_stop = 1, .formulation = formulations[i]});
        assert_float_equal(vinc_result_at(r.result, "n", 1), 10, 0);
        trial_end(&r);
    }
}

/* 3.7.4.4: where nothing flows, semiLinear still makes its two sides equal: of a port that nothing is
 * connected to, h is that of what lies behind it. */
static void nothing_flows(void **state)
{
    (void)state;
    static const ending list[] = {
        {"model M connector Port Real p; flow Real m; Real h; flow Real H; end Port; Port a;\n"
         "Real inside = 3 + time; equation a.p = 1; a.H = semiLinear(a.m, a.h, inside); end M;",
         "a.h", 4},
        {"model M Real m = 0, H = 0, h, k = 2*time; equation semiLinear(m, k, h) = H; end M;", "h",
         2},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

/* 4.9.8.1: what is integrated and restrained by nothing is a state, what jumps is none. Where there
 * is a choice, never and always are wishes. */
static void wishes_for_states(void **state)
{
    (void)state;
    static const refusal wrong[] = {
        {"model M Real x(start = 0, stateSelect = StateSelect.never); equation der(x) = 1; end M;",
         "m.mo:1:14", "[S162]"},
        {"model M Real x(start = 0), v(stateSelect = StateSelect.never, start = 0); equation\n"
         "der(x) = v; der(v) = 1; end M;",
         "m.mo:1:28", "[S162]"},
        {"model M Real x(stateSelect = StateSelect.always) = if time < 0.5 then 1 else 2; end M;",
         "m.mo:1:14", "[S163]"},
    };
    expect_refusals(wrong, sizeof wrong / sizeof *wrong);
    static const ending right[] = {
        {"model M Real x(start = 0, fixed = true), y(stateSelect = StateSelect.never); equation\n"
         "der(x) = 2; y = x; end M;",
         "y", 2},
        {"model M Real x(start = 0, fixed = true), y(stateSelect = StateSelect.never), z; "
         "equation\n"
         "der(x) = 2; y = 3*x; der(y) = 6*z; end M;",
         "z", 1},
        // 8.3.6: what reinit gives a new value is a state, whatever else is liked: b' = 5/4, from 0 to
        // 0.4 again and again, for the fourth time from t = 0.96
        {"model M Real b, h(start = 2, fixed = true, stateSelect = StateSelect.prefer), e; "
         "equation\n"
         "der(b) = 1 + 0.1*der(e); h = b + 2; e = 2*h; when b > 0.4 then reinit(b, 0); end when;\n"
         "end M;",
         "b", 0.05},
        // x could be computed from y, which could be integrated in its place; x' = -x, y = x^3 + x
        {"model M Real x(start = 1, fixed = true, stateSelect = StateSelect.never), y; equation\n"
         "der(x) = -x; y = x^3 + x; end M;",
         "y", 0.049787068367863944 + 0.36787944117144233},
        {"model M Real x(start = 1, fixed = true, stateSelect = StateSelect.always); equation\n"
         "der(x) = if time < 0.5 then 1 else 2; end M;",
         "x", 2.5},
        {"model M Real x(stateSelect = StateSelect.always) = 3*time; end M;", "x", 3},
    };
    expect_endings(right, sizeof right / sizeof *right);
}

/* What one branch of a function computes is not known in the other, nor behind both; what was known before
 * is. g counts how often x halves before it is below 1: 3 for 5, 1 for 1.5. At x = 5, a = g + g*x = 18, b = 18
 * + 3 = 21; at x = 1.5 a = 2*g = 2, b = 3. A table of what g gives picks the third and the first of its rows. */
static void branches_of_functions(void **state)
{
    (void)state;
#define COUNTED                                                                                    \
    "function g input Real x; output Integer n; protected Real r; algorithm n := 0; r := x;\n"     \
    "while r >= 1 loop r := r/2; n := n + 1; end while; end g;\n"                                  \
    "function f input Real x; output Real b; protected Real a; algorithm\n"                        \
    "a := if x > 2 then g(x) + g(x)*x else 2*g(x); b := a + g(x); end f;\n"                        \
    "function h input Real x; output Real y; protected constant Real t[4, 2] = {{10, 1}, {20, "    \
    "2}, "                                                                                         \
    "{30, 3}, {40, 4}};\n algorithm y := t[g(x), 1] + x*t[g(x), 2]; end h;\n"
    static const ending list[] = {
        {"model M " COUNTED "Real y = f(4 + time); end M;", "y", 3 + 3 * 5 + 3},
        {"model M " COUNTED "Real y = f(0.5 + time); end M;", "y", 3},
        {"model M " COUNTED "Real y = h(4 + time); end M;", "y", 30 + 5 * 3},
        {"model M " COUNTED "Real y = h(1 + time/2); end M;", "y", 10 + 1.5},
    };
    expect_endings(list, sizeof list / sizeof *list);
}

/* 4.8.1: min and max of what moves, said once for each variable, with the first time and value. */
static void bounds_of_the_run(void **state)
{
    (void)state;
    trial r =
        trial_of("model M parameter Real top = 0.6; Real x(start = 0, fixed = true, max = top);\n"
                 "Real y(min = 0), z(min = -1, max = 1); equation der(x) = 1;\n"
                 "y = 0.25 - x; z = x; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 100});
    const char *said = vinc_sim_messages(r.sim);
    assert_non_null(strstr(said, "'x' is 0.61 at t = 0.61, above its max, 0.6"));
    assert_non_null(strstr(said, "'y' is -0.01 at t = 0.26, below its min, 0"));
    assert_null(strstr(said, "'z'"));
    trial_end(&r);
}

/* Fibonacci's numbers by (a, b) := (pre(b), pre(a) + pre(b)): pre() is what was before the event,
 * also of what has just been assigned. */
static void simultaneous_assignments_keep_what_was(void **state)
{
    (void)state;
    trial r =
        trial_of("model M function f input Integer x[2]; output Integer y[2]; algorithm y := "
                 "{x[2], x[1] + x[2]}; end f; discrete Integer a[2](start = {0, 1}, each "
                 "fixed = true); algorithm when sample(0.5, 1) then a := f(pre(a)); end when; "
                 "end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 10});
    assert_true(vinc_result_at(r.result, "a[1]", INFINITY) == 55);
    assert_true(vinc_result_at(r.result, "a[2]", INFINITY) == 89);
    trial_end(&r);
}

/* Three values that change places, one of them twice assigned: f(a, b, c) = (b, c + 1, a), ten times
 * from (1, 2, 3); a, b and c again after three times, each 1 more. And samples of a ramp in a buffer as
 * long as those of spectra: the sum of k (k - 1)/1000 up to 1000 is 333333. */
static void assignments_of_many(void **state)
{
    (void)state;
    trial r =
        trial_of("model M function f input Real x; input Real y; input Real z; output Real p; "
                 "output Real q; output Real r; algorithm p := y; q := z + 1; r := x; end f; "
                 "discrete Real a(start = 1, fixed = true), b(start = 2, fixed = true), "
                 "c(start = 3, fixed = true); algorithm when sample(0.5, 1) then "
                 "(a, b, c) := f(a, b, c); end when; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 10});
    assert_true(vinc_result_at(r.result, "a", INFINITY) == 2 + 3 &&
                vinc_result_at(r.result, "b", INFINITY) == 3 + 4 &&
                vinc_result_at(r.result, "c", INFINITY) == 1 + 3);
    trial_end(&r);
    r = trial_of(
        "model M parameter Integer n = 1000; Real buf[n](each start = 0, each fixed = true); "
        "Integer k(start = 0, fixed = true); discrete Real sum(start = 0, fixed = true); algorithm "
        "when sample(0, 1e-3) then k := pre(k) + 1; if k <= n then buf[k] := time; end if; end "
        "when; when terminal() then sum := 0; for i in 1:n loop sum := sum + i*buf[i]; end for; "
        "end when; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 0.9995, .intervals = 1});
    assert_true(fabs(vinc_result_at(r.result, "sum", INFINITY) - 333333) < 1e-6);
    trial_end(&r);
}

/* Whole parameters that initial equations compute, one from the other, in any order and on either
 * side; sums of 1 ... n are n (n + 1)/2. */
static void whole_parameters_of_the_start(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M parameter Integer k = 4; final parameter Integer n(fixed = false); parameter "
        "Integer m(fixed = false); parameter Boolean even(fixed = false); function tri input "
        "Integer "
        "n; output Integer s; algorithm s := 0; for i in 1:n loop s := s + i; end for; end tri; "
        "Real "
        "x(start = 0, fixed = true); initial equation even = mod(n, 2) == 0; tri(m) = n; m = k + "
        "3; "
        "equation der(x) = if even then n else -n; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(vinc_result_at(r.result, "n", 0) == 28 && vinc_result_at(r.result, "m", 0) == 7);
    assert_true(fabs(vinc_result_at(r.result, "x", INFINITY) - 28) < 1e-6);
    trial_end(&r);
}

/* The name of an instance begins with the simple name of the model (section 3.7.4.4). */
static void instances_have_names(void **state)
{
    (void)state;
    trial r =
        trial_of("package MyLib model Controller parameter Integer n = if getInstanceName() == "
                 "\"Vehicle.engine.controller\" then 1 else 0; end Controller; model Engine "
                 "Controller controller; end Engine; model Vehicle Engine engine; Real x = "
                 "engine.controller.n; end Vehicle; end MyLib; model Vehicle extends "
                 "MyLib.Vehicle; end Vehicle;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(vinc_result_at(r.result, "x", INFINITY) == 1);
    trial_end(&r);
}

/* z is what rounding leaves of the difference of two large numbers, 3e6 a = 1e6 b, far above its
 * nominal: no correction of it gets smaller than that, and it is as good as it can be. a = sin t. */
static void differences_of_large_numbers(void **state)
{
    (void)state;
    const char *methods[] = {"dopri5", "rk4"};
    for (int k = 0; k < 2; k++) {
        trial r =
            trial_of("model M Real a(start = 0, fixed = true), b(start = 0, fixed = true);\n"
                     "Real z(nominal = 1e-9); equation der(a) = cos(time); der(b) = 3*cos(time);\n"
                     "z + 1e-3*tanh(z) + 3e6*a - 1e6*b = 1e-10*cos(time); end M;",
                     (vinc_sim_options){
                         .method = methods[k], .step = k ? 0.01 : 0, .has_stop = 1, .t_stop = 1});
        assert_true(fabs(vinc_result_at(r.result, "a", 1) - sin(1)) < 1e-6);
        assert_true(fabs(vinc_result_at(r.result, "z", 1)) < 1e-8);
        trial_end(&r);
    }
}

/* Rows 0.01 apart: sin(0.53) = 0.50553 is the first beyond 0.5, of x and of -x; what touches its bounds,
 * or is beyond them by rounding, is inside; a constant is looked at once. Limits may depend on parameters; one that
 * contains time is none of the whole run. */
static void values_beyond_their_bounds(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M Real x(max = 0.5) = sin(time); Real y(min = -0.5); Real z(min = 1, max = "
        "3) = 2 + cos(time); Real c(min = 2); Real u(start = 1, fixed = true, min = 1, "
        "max = 1); parameter Real h = 0.25; Real w(max = 2*h) = -y; Real q(min = 1 + time) = 1 + "
        "x/2; equation y = -x; c = 1; der(u) = 1e-9; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 100});
    static const char *const told[] = {"'x' is 0.505533341 at t = 0.53, above its max, 0.5",
                                       "'y' is -0.505533341 at t = 0.53, below its min, -0.5",
                                       "'c' is 1 at t = 0, below its min, 2",
                                       "'w' is 0.505533341 at t = 0.53, above its max, 0.5"};
    const char *all = vinc_sim_messages(r.sim);
    int n = 0;
    for (int k = 0; k < 4; k++)
        if (!strstr(all, told[k])) fail_msg("'%s' is not in\n%s", told[k], all);
    for (const char *at = all; (at = strstr(at, "[R127]")); at++) n++;
    assert_int_equal(n, 4);
    trial_end(&r);
}

/* Loops that depend on arguments, branches, calls inside of them, returns and subscripts that move: what is run as
 * a program. x' = -x^(1/3) has x^(2/3) = 2^(2/3) - 2/3 t. */
static void functions_that_are_executed(void **state)
{
#define ROOT                                                                                       \
    "function step input Real y; input Real x; output Real z; algorithm\n"                         \
    "  if y > 1e3 then z := y/2; return; end if;\n"                                                \
    "  z := y - (y^3 - x)/(3*y^2); end step;\n"                                                    \
    "function root input Real x; output Real y; output Integer n; protected Real z;\n"             \
    "algorithm y := 1 + x; z := 0; n := 0;\n"                                                      \
    "  while abs(y - z) > 1e-14*y loop z := y; y := step(z, x); n := n + 1;\n"                     \
    "    if n > 99 then break; end if; end while; end root;\n"
    const ending list[] = {
        {"model M " ROOT "Real x(start = 2, fixed = true); equation der(x) = -root(x); end M;", "x",
         pow(pow(2, 2.0 / 3) - 2.0 / 3, 1.5)},
        {"model M " ROOT "Real x(start = 1); equation root(x) = 1 + time; end M;", "x", 8},
        {"model M " ROOT "Real x(start = 3, fixed = true), y(start = 1);\n"
         "equation der(x) = -1e4*(root(x) - 1); y = root(x) + root(2*x); end M;",
         "y", 1 + cbrt(2)},
        {"model M function f input Real x; output Real y; protected Real a[4], b[4]; Integer k;\n"
         "algorithm a := {x, 2*x, x^2, 7}; b := {1, 10, 100, 1000}; k := 4;\n"
         "  for i in 1:integer(3.5 + x) loop if a[i] > 1 then k := i; break; end if; end for;\n"
         "  y := a[k]*b[k]; end f;\n"
         "Real x = f(0.6*time); end M;",
         "x", 12},
        {"model M function f input Integer n; input Real x; output Real y;\n"
         "algorithm y := 1; for i in 1:n loop y := if i > 2 then max(y*x, min(y, x)) else y + x;\n"
         "  end for; end f;\n"
         "Integer n = if time > 0.5 then 4 else 2; Real x = f(n, 1 + time); end M;",
         "x", 20}, // 1, 3, 5, 10, 20
    };
    (void)state;
    expect_endings(list, sizeof list / sizeof *list);
}

/* What is printed in a when-clause is said, each time; what is not done is said, too (12.3: impure). */
static void models_that_print(void **state)
{
    (void)state;
    trial r = trial_of("model M\n"
                       "  impure function print\n"
                       "    input String text; input String file = \"\";\n"
                       "    external \"C\" ModelicaInternal_print(text, file);\n"
                       "  end print;\n"
                       "  Real x(start = 0, fixed = true);\n"
                       "algorithm\n"
                       "  when x > 0.5 then print(\"lost\", \"file.txt\"); end when;\n"
                       "equation\n"
                       "  der(x) = 1;\n"
                       "  when sample(0.25, 0.5) then print(\"tick \" + String(time)); end when;\n"
                       "end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    const char *said = vinc_sim_messages(r.sim);
    assert_non_null(strstr(said, "printed at t = 0.25: tick 0.25"));
    assert_non_null(strstr(said, "printed at t = 0.75: tick 0.75"));
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "S183"));
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_beyond_their_bounds),
        cmocka_unit_test(discrete_variables_in_continuous_equations),
        cmocka_unit_test(parts_of_arrays_at_places_that_change),
        cmocka_unit_test(continuous_variables_before_an_event),
        cmocka_unit_test(initial_equations_of_fixed_discrete_variables),
        cmocka_unit_test(assertions_around_events),
        cmocka_unit_test(assertions_at_their_bound),
        cmocka_unit_test(subscripts_of_branches),
        cmocka_unit_test(sizes_of_start_values),
        cmocka_unit_test(assertions_of_initial_sections),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(types_of_values),
        cmocka_unit_test(variables_of_classes),
        cmocka_unit_test(whole_numbers_from_functions_follow),
        cmocka_unit_test(starts_that_cannot_be),
        cmocka_unit_test(bounds_of_the_run),
        cmocka_unit_test(events_alone),
        cmocka_unit_test(nothing_flows),
        cmocka_unit_test(wishes_for_states),
        cmocka_unit_test(branches_of_functions),
        cmocka_unit_test(subscripts_of_the_run),
        cmocka_unit_test(subscripts_of_statements),
        cmocka_unit_test(ranges_of_arrays_stay),
        cmocka_unit_test(loops_without_end),
        cmocka_unit_test(calls_without_arguments),
        cmocka_unit_test(times_that_cannot_be),
        cmocka_unit_test(attributes_that_say_nothing),
        cmocka_unit_test(simultaneous_assignments_keep_what_was),
        cmocka_unit_test(assignments_of_many),
        cmocka_unit_test(whole_parameters_of_the_start),
        cmocka_unit_test(instances_have_names),
        cmocka_unit_test(differences_of_large_numbers),
        cmocka_unit_test(functions_that_are_executed),
        cmocka_unit_test(models_that_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
