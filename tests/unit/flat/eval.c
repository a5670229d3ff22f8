/* Expressions through the whole front end: what each is evaluated to, and what is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

static const char declarations[] =
    "type E = enumeration(a, b, c);\n"
    "record P Real x; Real y = 2; end P;\n"
    "parameter Integer n = 3; parameter Real p = 2.5;\n"
    "constant Integer k[3] = {4, 5, 6}; parameter Boolean c = true;\n"
    "Real u(start = 0), v[3], w[2, 2]; Boolean b; Integer i; E e; P r;\n";

static fixture *with(const char *type, const char *expression)
{
    char model[2000];
    snprintf(model, sizeof model,
             "model M %s %s result = %s; equation der(u) = 1; v = {u, 2*u, 3*u}; "
             "w = [u, 1; 2, u]; b = u > 1; i = integer(u); e = if b then E.a else E.c; "
             "r = P(u, u); end M;",
             declarations, type, expression);
    return flatten(model);
}

/* Values that are known: what the language says, worked out by hand. */
static void constants_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *type, *expression, *value;
    } cases[] = {
        {"constant Real", "1 + 2*3 - 4/8", "6.5"},
        {"constant Real", "2^3^1", NULL}, // powers do not chain: a syntax error
        {"constant Real", "-2^2", "-4"},
        {"constant Integer", "div(7, 2) + mod(-7, 3) + rem(-7, 3)", "4"}, // 3 + 2 - 1
        {"constant Integer", "integer(-1.5)", "-2"},
        {"constant Real", "ceil(1.2) + floor(-1.2)", "0"},
        {"constant Integer", "sign(-3.5)", "-1"},
        {"constant Real", "max({1, 5, 3}) + min(4, 2.5)", "7.5"},
        {"constant Integer", "sum(j^0*j for j in 1:10)", NULL}, // Real, not Integer
        {"constant Integer", "sum(j for j in 1:10)", "55"},
        {"constant Integer", "product(j for j in 1:5)", "120"},
        {"constant Real", "max(j^2 for j in {3, 7, 6})", "49"},
        {"constant Integer", "sum({j + 10*l for j in 1:2, l in 1:3})", "129"},
        {"constant Integer", "size({j + l for j in 1:2, l in 1:3}, 1)", "3"},
        {"constant Integer", "k[2] + k[end]", "11"},
        {"constant Integer", "sum(k[{1, 3}]) + sum(k[2:end])", "21"},
        {"constant Integer", "sum(k[l] for l)", "15"}, // range deduced from k
        {"constant Integer", "Integer(E.b) + Integer(E(3))", "5"},
        {"constant Integer", "sum(Integer(l) for l in E)", "6"},
        {"constant Integer", "sum(if l then 10 else 1 for l in Boolean)", "11"},
        {"constant Boolean", "E.a < E.b and not E.a == E.c", "true"},
        {"constant String", "\"a\" + String(12) + String(true) + String(E.b)", "\"a12trueb\""},
        {"constant String", "String(3.14159265, significantDigits=3)", "\"3.14\""},
        {"constant String", "String(2, minimumLength=4, leftJustified=false)", "\"   2\""},
        {"constant String", "String(0.5, format=\"6.2f\")", "\"  0.50\""},
        {"constant Boolean", "\"ab\" < \"b\"", "true"},
        {"constant Real", "{1, 2}*{3, 4}", "11"},
        {"constant Integer", "ndims([1, 2; 3, 4])", "2"},
        {"constant Real", "scalar([1, 2; 3, 4][2:2, 1:1])", NULL}, // only names have subscripts
        {"constant Real", "scalar(([1, 2; 3, 4])[2:2, 1:1])", "3"},
        {"constant Real", "sum(transpose([1, 2; 3, 4])*{1, 10})", "73"},
        {"constant Real", "sum(cross({1, 0, 0}, {0, 1, 0})*{7, 8, 9} for j in 1:2)", "18"},
        {"constant Integer",
         "sum(zeros(2, 3)) + sum(ones(2)) + sum(identity(3)) + sum(fill(2, 2, 2))", "13"},
        {"constant Integer", "if false then k[9] else 1", "1"}, // the other branch has no value
        {"constant Boolean", "false and k[9] > 0", "false"},
        {"constant Real", "(P(1)).y + (P(x=3, y=4)).x", "5"},
        {"constant Integer", "min({m for m in 1:0})", NULL}, // Real
        {"constant Real", "sum({j for j in 1:0})", "0"},
        {"constant Real", "atan2(1, 0) - asin(1)", "0"},
        {"constant Real", "semiLinear(-2, 3, 5)", "-10"},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        fixture *f = with(cases[t].type, cases[t].expression);
        if (cases[t].value) {
            expect_flat(f);
            const char *got = printed(f, bound_to(f, "result"));
            if (strcmp(got, cases[t].value))
                fail_msg("%s: %s instead of %s", cases[t].expression, got, cases[t].value);
        } else if (f->flat) {
            fail_msg("%s was accepted", cases[t].expression);
        }
        drop(f);
    }
}

/* What stays symbolic. */
static void variables_stay(void **state)
{
    (void)state;
    static const struct {
        const char *type, *expression, *text;
    } cases[] = {
        {"Real", "n*u + p", "n*u + p"},
        {"Real", "v[2] + v[n]", "v[2] + v[3]"},               // a parameter subscript chooses now
        {"Real", "if c then u else p", "if c then u else p"}, // a parameter may change
        {"Real", "if c then u else v[n + 1]", "u"}, // unless the other branch has no value
        {"Real", "v[i]", "if i == 1 then v[1] elseif i == 2 then v[2] else v[3]"},
        {"Real", "sum(v[1:2])", "v[1] + v[2]"},
        {"Real", "w[1, :]*w[:, 2]", "w[1,1]*w[1,2] + w[1,2]*w[2,2]"},
        {"Real", "der(u)*der(u^2)", "der(u)*(2*u*der(u))"},
        {"Real", "der(p*u)", "p*der(u)"},
        {"Real", "der(time)", "1"},
        {"Boolean", "edge(b) or change(i)", "edge(b) or change(i)"},
        {"Integer", "pre(i) + 1", "pre(i) + 1"},
        {"Boolean", "initial() or sample(0, 0.1)", "initial() or sample(0.0, 0.1)"},
        {"Real", "noEvent(if u > 0 then u else 0)", "noEvent(if u > 0 then u else 0.0)"},
        {"Real", "smooth(1, u*p)", "smooth(1, u*p)"},
        {"Real", "homotopy(simplified=u, actual=u^3)", "homotopy(u^3, u)"},
        {"Real", "delay(u, 0.5)", "delay(u, 0.5)"},
        {"Real", "r.x + r.y", "r.x + r.y"},
        {"Integer", "Integer(e)", "Integer(e)"},
        {"E", "E(i)", "if i == 1 then a elseif i == 2 then b else c"},
        {"Real", "abs(u) + sqrt(v[1])", "abs(u) + sqrt(v[1])"},
        {"Real", "sum(sin(v))", "sin(v[1]) + sin(v[2]) + sin(v[3])"},
        {"Real", "sum({l*u for l in 1:n})", "u + 2*u + 3*u"},
        {"Integer", "sign(u)", "sign(u)"}, // 3.7.1: never an event
        {"String", "\"u = \" + String(u)", "\"u = \" + String(u)"},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        fixture *f = with(cases[t].type, cases[t].expression);
        expect_flat(f);
        const char *got = printed(f, bound_to(f, "result"));
        if (strcmp(got, cases[t].text))
            fail_msg("%s: %s instead of %s", cases[t].expression, got, cases[t].text);
        drop(f);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *code, *part;
    } cases[] = {
        {"u + b", "M301", "'+' cannot combine Real and Boolean"},
        {"u + v", "M302", "Real and Real[3]"},
        {"{1, 2} + {1, 2, 3}", "M302", "Integer[2] and Integer[3]"},
        {"not u", "M301", "Real"},
        {"if u then 1 else 2", "M333", "must be a Boolean, not Real"},
        {"if b then 1 else true", "M304", "Integer and Boolean"},
        {"sum(if b then {1} else {1, 2})", "M305", "Integer[1] and Integer[2]"},
        {"{1, true}", "M307", "Integer and Boolean"},
        {"sum({{1}, {1, 2}})", "M308", "element 2 is Integer[2]"},
        {"sum([1, 2; 3])", "M309", "row 1 has 2 elements, row 2 has 1"},
        {"sum(1:0:3)", "M310", "must not be 0"},
        {"sum(1:u)", "M310", "known"},
        {"v[4]", "M311", "subscript 4 of 'v' is outside 1 ... 3"},
        {"v[u]", "M312", "not Real"},
        {"r.z", "M101", "has no element 'z'"},
        {"P(1).z", NULL, NULL}, // only parentheses may be selected from
        {"(P(1)).z", "M316", "has no field 'z'"},
        {"zeros(i)", "M321", "known"},
        {"size(v, 2)", "M322", "no dimension 2"},
        {"sin(true)", "M320", "a number, not Boolean"},
        {"sin(1, 2)", "M355", "sin() takes 1 argument, not 2"},
        {"sine(u)", NULL, "did you mean 'sin'"},
        {"homotopy(actual=u, simple=u)", "M356", "no argument 'simple'"},
        {"E(4)", "M359", "outside 1 ... 3"},
        {"Integer(u)", "M320", "integer(x)"},
        {"if String(1.0, format=\"%n\") == \"\" then 1 else 2", "M358", "format"},
        {"if String(1, width=3) == \"\" then 1 else 2", "M356", "no argument 'width'"},
        {"(u, u)", "M336", "left of a function call"},
        {"assert(true, \"\")", "M354", "has no value"},
        {"sum(j for j in 3)", "M338", "vector"},
        {"sum(1 for j)", "M342", "cannot be deduced"},
        {"sin(j for j in 1:2)", "M341", "only sum, product"},
        {"spatialDistribution(u, u, u, true, {0, 2}, {0, 0})", "M368", "between 0 and 1"},
        {"spatialDistribution(u, u, u, true, {0, 1}, {0})", "M368", "a value for each point"},
        {"spatialDistribution(u, {u, u}, u, true)", "M368", "one size"},
        {"spatialDistribution(u, u, u, u)", "M320", "positiveVelocity"},
        {"spatialDistribution(u, u, u, true, {0, 1}, {0, u})", "M361", "initialValues"},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        fixture *f = with("Real", cases[t].expression);
        if (f->flat) fail_msg("%s was accepted", cases[t].expression);
        if (cases[t].code) expect_message(f, cases[t].code, cases[t].part);
        else if (cases[t].part) assert_non_null(strstr(f->diags.first->text, cases[t].part));
        drop(f);
    }
}

/* A file must not be able to exhaust the stack or the clock. */
static void hostile_expressions_end(void **state)
{
    (void)state;
    fixture *f = flatten("model M function f input Real x; output Real y; algorithm "
                         "y := 1 + f(x + 1); end f; constant Real c = f(1); end M;");
    expect_message(f, "M331", "nested");
    drop(f);
    f = flatten("model M function f input Integer n = f(); output Integer m = n; end f; "
                "constant Integer c = f(); end M;");
    expect_message(f, "M331", "more than 256 deep");
    drop(f);
    f = flatten(
        "model M function f input Real x; output Real y; algorithm y := x; "
        "while y < 1e300 loop y := y + 1; end while; end f; constant Real c = f(1); end M;");
    expect_message(f, "M330", "too long");
    drop(f);
    f = flatten("model M constant Real x[:] = {i for i in 1:100000000}; end M;");
    expect_message(f, "M306", "elements");
    drop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(variables_stay),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(hostile_expressions_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
