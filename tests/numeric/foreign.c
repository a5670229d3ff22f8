/* Functions in a library of the user: compiled here, named by a model, loaded only when that is
 * allowed; arguments of every kind in registers and on the stack; against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/vincolo-foreign-XXXXXX";

static const char source[] =
    "#include <stdlib.h>\n"
    "double spring(double x, double k) { return -k * x; }\n"
    "double spring_der(double x, double k, double dx, double dk) { return -k * dx - dk * x; }\n"
    "double many(double a, int b, double c, const char *s, double d, double e, double f, double g,"
    " double h, double i, double j, int k, int l, int m, int n, double *v, size_t nv, int *w)\n"
    "{ return a + 2*b + 3*c + s[1] + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k + 12*l + 13*m"
    " + 14*n + 100*v[0] + 1000*v[nv-1] + 1e4*w[1]; }\n"
    "void two(double x, double *y, int *n) { *y = 2*x; *n = (int)x + 3; }\n"
    "int both(int a, int b) { return a && !b; }\n"
    "void scale_(double *x, int *n, double *y) { for (int i = 0; i < *n; i++) y[i] = *x * i; }\n"
    "typedef struct { double k; int calls; } object;\n"
    "static int alive;\n"
    "void *object_make(double k) { object *o = malloc(sizeof *o); o->k = k; o->calls = 0; alive++;"
    " return o; }\n"
    "double object_use(void *p, double x) { object *o = p; return -o->k * x; }\n"
    "double object_count(void *p, double t) { return ++((object *)p)->calls + 0 * t; }\n"
    "void object_end(void *p) { free(p); alive--; }\n"
    "int object_alive(void) { return alive; }\n"
    "static int sums;\n"
    "double sum_of(double *v, size_t n) { double s = 0; sums++; for (size_t i = 0; i < n; i++) s "
    "+= "
    "v[i]; return s; }\n"
    "int sums_made(double t) { return sums + 0 * (int)t; }\n";

static void prepare(void)
{
    char name[100], command[300];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/mine.c", folder);
    FILE *f = fopen(name, "w");
    fputs(source, f);
    fclose(f);
    snprintf(command, sizeof command, "cc -shared -fPIC -o %s/libmine.so %s", folder, name);
    assert_int_equal(system(command), 0);
    remove(name);
}

#define LIB " annotation(Library = \"mine\")"

static trial run_of(const char *text, int allowed)
{
    char name[100];
    snprintf(name, sizeof name, "%s/m.mo", folder);
    FILE *f = fopen(name, "w");
    fputs(text, f);
    fclose(f);
    trial r = {.ctx = vinc_ctx_new(NULL)};
    r.rc = vinc_model_load_with(r.ctx, name, NULL, &(vinc_model_options){.allow_external = allowed},
                                &r.model);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 1, .rel_tol = 1e-9};
    if (!r.rc) r.rc = vinc_sim_new(r.model, &o, &r.sim);
    trial_run(&r);
    remove(name);
    return r;
}

static double end_of(const trial *r, const char *name)
{
    if (r->rc) fail_msg("%s", vinc_ctx_messages(r->ctx));
    return vinc_result_at(r->result, name, INFINITY);
}

static const char *const oscillator =
    "model M function f input Real x; input Real k; output Real y; external \"C\" y = spring(x, "
    "k)" LIB
    "; annotation(derivative = g); end f; function g input Real x; input Real k; input Real dx; "
    "input Real dk; output Real y; external \"C\" y = spring_der(x, k, dx, dk)" LIB
    "; end g; Real x(start = 1, fixed = true), v(start = 0, fixed = true); equation der(x) = v; "
    "der(v) = f(x, 9); end M;";

static void a_library_is_loaded_if_that_is_allowed(void **state)
{
    (void)state;
    trial r = run_of(oscillator, 1);
    assert_true(fabs(end_of(&r, "x") - cos(3)) < 1e-7);
    trial_end(&r);
    r = run_of(oscillator, 0);
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx),
                           "in the library mine; code of others is loaded "
                           "only with --allow-external"));
    trial_end(&r);
    r = run_of("model M function f input Real x; output Real y; external \"C\" y = nowhere(x)" LIB
               "; end f; Real x = f(time); end M;",
               1);
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "nowhere cannot be loaded: it is not in"));
    trial_end(&r);
}

static void arguments_arrive(void **state)
{
    (void)state;
    trial r = run_of(
        "model M function many input Real v[:]; input Integer w[2]; output Real y; external \"C\" "
        "y = "
        "many(1.0, 2, 3.0, \"xa\", 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, v[2], 10, 11, 12, 13, v, size(v, "
        "1), "
        "w)" LIB "; end many; function two input Real x; output Real y; output Integer n; external "
        "\"C\" two(x, y, n)" LIB
        "; end two; function both input Boolean a; input Boolean b; output "
        "Boolean c; external \"C\" c = both(a, b)" LIB "; end both; function scale input Real x; "
        "output Real y[3]; external \"FORTRAN 77\" scale_(x, 3, y)" LIB
        "; end scale; Real y, z[3]; "
        "discrete Real p(start = 0, fixed = true); Integer n(start = 0, fixed = true); Boolean "
        "c(start = false, fixed = true); equation y = many({time, 20, 30}, {4, 5}); z = "
        "scale(time); "
        "when time > 0.5 then (p, n) = two(4.25); c = both(true, false); end when; end M;",
        1);
    double want = 1 + 4 + 9 + 'a' + 16 + 25 + 36 + 49 + 64 + 81 + 200 + 110 + 132 + 156 + 182 +
                  100 + 30000 + 5e4;
    assert_true(end_of(&r, "y") == want);
    assert_true(end_of(&r, "p") == 8.5 && end_of(&r, "n") == 7 && end_of(&r, "c") == 1);
    assert_true(end_of(&r, "z[1]") == 0 && end_of(&r, "z[3]") == 2);
    trial_end(&r);
}

#define OBJECT                                                                                     \
    " class O extends ExternalObject; function constructor input Real k; output O o; external "    \
    "\"C\" o = object_make(k)" LIB "; end constructor; function destructor input O o; external "   \
    "\"C\" object_end(o)" LIB "; end destructor; end O; function use input O o; input Real x; "    \
    "output Real y; external \"C\" y = object_use(o, x)" LIB "; end use; impure function count "   \
    "input O o; input Real t; output Real n; external \"C\" n = object_count(o, t)" LIB "; end "   \
    "count; impure function alive input Real t; output Integer n; external \"C\" n = "             \
    "object_alive()" LIB "; end alive;"

/* Two objects of equal arguments are two, each counts for itself; when the run is over none is left,
 * which the next run sees. */
static void objects_live_as_long_as_their_run(void **state)
{
    (void)state;
    const char *text =
        "model M" OBJECT " parameter O a = O(2); parameter O b = O(2); Real x(start = 1, fixed = "
        "true); discrete Real n(start = 0, fixed = true), m(start = 0, fixed = true); Integer "
        "l(start = 0, fixed = true); equation der(x) = use(a, x); when time > 0.5 then n = "
        "count(a, "
        "time); m = count(b, time); l = alive(time); end when; end M;";
    for (int k = 0; k < 3; k++) {
        trial r = run_of(text, 1);
        assert_true(fabs(end_of(&r, "x") - exp(-2)) < 1e-7);
        assert_true(end_of(&r, "n") == end_of(&r, "m") && end_of(&r, "n") >= 1);
        assert_true(end_of(&r, "l") == 2);
        trial_end(&r);
    }
}

/* Code in the model itself, with functions of the host: an error at t > 0.5 is said once, the step is
 * made again, and x = t. A counter that is asked at each of ten samples counts ten. What cannot be
 * compiled is refused with what the compiler said; nothing is compiled where that is not allowed. */
static void code_of_the_model_is_compiled(void **state)
{
    (void)state;
    const char *text =
        "model M function late input Real t; output Real y; external \"C\" y = late(t) "
        "annotation(Include = \"#include \\\"ModelicaUtilities.h\\\"\n#include <math.h>\ndouble "
        "late(double t) { static int said; if (!said && t > 0.5) { said = 1; "
        "ModelicaFormatError(\\\"not at %g\\\", t); } return cos(t) * cos(t) + sin(t) * sin(t); "
        "}\"); end late;\n"
        "impure function next input Real t; output Integer n; external \"C\" n = next(t) "
        "annotation(Include = \"int next(double t) { static int n; return ++n; }\"); end next;\n"
        "Real x(start = 0, fixed = true); Integer n(start = 0, fixed = true), m(start = 0, fixed = "
        "true);\nequation der(x) = late(time); when sample(0.05, 0.1) then n = next(x); m = pre(m) "
        "+ "
        "n; end when; end M;";
    trial r = run_of(text, 1);
    assert_true(fabs(end_of(&r, "x") - 1) < 1e-7);
    assert_true(end_of(&r, "n") == 10 && end_of(&r, "m") == 55);
    trial_end(&r);
    r = run_of(text, 0);
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "only with --allow-external"));
    trial_end(&r);
    r = run_of("model M function f input Real x; output Real y; external \"C\" y = f(x) "
               "annotation(Include = \"double f(double x) { return nothing; }\"); end f; Real x = "
               "f(time); end M;",
               1);
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "cc does not compile its Include"));
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "nothing"));
    trial_end(&r);
}

/* A function in Modelica that calls one in C for what it does: 3*2.5 is put away at the start, and
 * got back at a sample, with the number 7 that the start gave. */
static void effects_of_functions_are_had(void **state)
{
    (void)state;
#define KEPT                                                                                       \
    " annotation(Include = \"static double kept; void put(double k) { kept = k; } "                \
    "double get(double t) { return kept + t; }\")"
    trial r = run_of(
        "model M impure function put input Real k; external \"C\" put(k)" KEPT "; end put;\n"
        "impure function get input Real t; output Real y; external \"C\" y = get(t)" KEPT
        "; end get;\n"
        "impure function begin input Real k; output Integer id; protected Real s; algorithm s := "
        "0; for i in 1:3 loop s := s + k; end for; put(s); id := 7; end begin;\n"
        "parameter Integer id(fixed = false); discrete Real y(start = 0, fixed = true);\n"
        "initial equation id = begin(2.5); equation when sample(0.3, 1) then y = get(id); end when;"
        " end M;",
        1);
#undef KEPT
    assert_true(end_of(&r, "y") == 14.5);
    trial_end(&r);
}

/* Samples are collected and added up when there are 20 of them: 0.04 * (0 + 1 + ... + 19) = 7.6. The
 * sum is made at that event, in each round of it, and not at the other 25, nor at those of the sine.
 * The action of another clause, at the fifth sample, wants it once more: 0.04 * (1 + 2 + 3 + 4). */
static void a_call_under_a_condition_is_made_where_that_holds(void **state)
{
    (void)state;
    trial r = run_of(
        "model M function sum_of input Real v[:]; output Real s; external \"C\" s = sum_of(v, "
        "size(v, 1))" LIB "; end sum_of; impure function sums_made input Real t; output Integer n; "
        "external \"C\" n = sums_made(t)" LIB "; end sums_made;\n"
        "discrete Real v[20](each start = 0, each fixed = true); discrete Real s(start = 0, fixed "
        "= "
        "true); Real x(start = 0, fixed = true); Integer i(start = 0, fixed = true); Integer "
        "n(start "
        "= 0, fixed = true); Boolean b = sin(40 * time) > 0;\n"
        "algorithm when sample(0, 0.04) then i := pre(i) + 1; if i <= 20 then v[i] := time; end "
        "if; "
        "if i == 20 then s := sum_of(v); end if; end when;\n"
        "equation der(x) = 0; when i >= 5 then reinit(x, sum_of(v)); end when; when time > 0.999 "
        "then n = sums_made(time); end when; end M;",
        1);
    assert_true(fabs(end_of(&r, "s") - 7.6) < 1e-12 && fabs(end_of(&r, "x") - 0.4) < 1e-12);
    assert_true(end_of(&r, "i") == 26);
    assert_in_range((int)end_of(&r, "n"), 2, 12);
    trial_end(&r);
}

int main(void)
{
    prepare();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_loaded_if_that_is_allowed),
        cmocka_unit_test(arguments_arrive),
        cmocka_unit_test(objects_live_as_long_as_their_run),
        cmocka_unit_test(code_of_the_model_is_compiled),
        cmocka_unit_test(effects_of_functions_are_had),
        cmocka_unit_test(a_call_under_a_condition_is_made_where_that_holds),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char name[100];
    snprintf(name, sizeof name, "%s/libmine.so", folder);
    remove(name);
    rmdir(folder);
    return failed;
}
