/* Models with external objects and functions, against closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <math.h>
#include <pthread.h>

/* A table as a library declares it; its data depend on a parameter of the run. */
#define TABLE                                                                                      \
    " class Table extends ExternalObject; function constructor input Real t[:,:]; input Integer "  \
    "kind; input Integer beyond; output Table o; external \"C\" o = "                              \
    "ModelicaStandardTables_CombiTable1D_init2(\"NoName\", \"NoName\", t, size(t,1), size(t,2), "  \
    "{2}, 1, kind, beyond, false); end constructor; function destructor input Table o; external "  \
    "\"C\" ModelicaStandardTables_CombiTable1D_close(o); end destructor; end Table; function at "  \
    "input Table o; input Real u; output Real y; external \"C\" y = "                              \
    "ModelicaStandardTables_CombiTable1D_getValue(o, 1, u); annotation(derivative = slope); end "  \
    "at; function slope input Table o; input Real u; input Real v; output Real y; external "       \
    "\"C\" y = ModelicaStandardTables_CombiTable1D_getDerValue(o, 1, u, v); end slope;"

static double last(const trial *r, const char *name)
{
    return vinc_result_at(r->result, name, INFINITY);
}

/* x' = k |t - 1| by a table of three points: x(2) = k. */
static const char *const integral =
    "model M parameter Real k = 1;" TABLE
    " parameter Table t = Table({{0, k}, {1, 0}, {2, k}}, 1, 2); Real x(start = 0, fixed = true); "
    "equation der(x) = at(t, time); end M;";

static void a_table_is_integrated(void **state)
{
    (void)state;
    trial r = trial_of(integral, (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-9});
    assert_true(fabs(last(&r, "x") - 1) < 1e-8);
    trial_end(&r);
}

/* The index of x = table(u), u' given, is 2 for the speed of x: the derivative of the table makes it
 * solvable. y = x' = slope * u'; the table is linear with slope 3 there, u' = cos t. */
static void a_table_is_differentiated(void **state)
{
    (void)state;
    trial r = trial_of("model M" TABLE " parameter Table t = Table({{-2, -6}, {2, 6}}, 1, 2); Real "
                       "u, x, v; equation u = sin(time); x = at(t, u); v = der(x); end M;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-9});
    assert_true(fabs(last(&r, "v") - 3 * cos(1.0)) < 1e-9);
    trial_end(&r);
}

/* ... and solved for its argument: table(u) = t^2 + 0.1 with the curve u^2 on a fine grid of points,
 * by Akima's curve, which is exact for a parabola. */
static void a_table_is_inverted(void **state)
{
    (void)state;
    trial r =
        trial_of("model M" TABLE " parameter Table t = Table({{i/4, i^2/16} for i in 0:12}, 2, 2); "
                 "Real u(start = 1); equation at(t, u) = time^2 + 0.25; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-9});
    assert_true(fabs(last(&r, "u") - sqrt(4.25)) < 1e-9);
    trial_end(&r);
}

/* ... and called in a loop of a function that is executed: x' = -2 * 1.5 x. */
static void a_table_is_called_in_a_loop(void **state)
{
    (void)state;
    trial r =
        trial_of("model M" TABLE
                 " function often input Table o; input Real u; input Integer n; output Real y; "
                 "protected Integer k = 0; algorithm y := 0; while k < n loop k := k + 1; y := y + "
                 "at(o, u); "
                 "end while; end often; parameter Table t = Table({{-2, -3}, {2, 3}}, 1, 2); "
                 "Integer n(start = "
                 "2, fixed = true); Real x(start = 1, fixed = true); equation der(x) = -often(t, "
                 "x, n); when "
                 "time > 5 then n = 1; end when; end M;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-9, .method = "bdf"});
    assert_true(fabs(last(&r, "x") - exp(-3)) < 1e-7);
    trial_end(&r);
}

/* LAPACK as the library declares it: by columns, variables of the function as room. Inverse and
 * solution of [2 1; 1 3], during the run and when the model is flattened; eigenvalues of a rotation
 * are +-i. What does not fit is refused before anything is written. */
static void matrices_go_to_lapack(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M function solve input Real A[:, size(A, 1)]; input Real b[size(A, 1)]; output Real "
        "x[size(A, 1)] = b; output Integer info; protected Integer n = size(A, 1); Integer k = 1; "
        "Real W[size(A, 1), size(A, 1)] = A; Integer lda = max(1, size(A, 1)); Integer p[size(A, "
        "1)]; external \"FORTRAN 77\" dgesv(n, k, W, lda, p, x, lda, info); end solve; function "
        "eig "
        "input Real A[:, size(A, 1)]; output Real re[size(A, 1)]; output Real im[size(A, 1)]; "
        "output "
        "Real V[size(A, 1), size(A, 1)]; output Integer info; protected Integer n = size(A, 1); "
        "Integer lwork = 12*n; Integer ldvl = 1; Real d[1, 1]; Real W[size(A, 1), size(A, 1)] = A; "
        "Real work[12*size(A, 1)]; external \"FORTRAN 77\" dgeev(\"N\", \"V\", n, W, n, re, im, d, "
        "ldvl, V, n, work, lwork, info); end eig; constant Real c[2] = solve({{2, 1}, {1, 3}}, {1, "
        "2}); Real x[2], re[2], im[2], e[2]; equation x = solve({{2, 1}, {1, 3 + time}}, {1, 2}); "
        "(re, im) = eig({{0, -time}, {time, 0}}); e = c; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(fabs(last(&r, "e[1]") - 0.2) < 1e-15 && fabs(last(&r, "e[2]") - 0.6) < 1e-15);
    // [2 1; 1 4] x = [1; 2]: x = [2; 3]/7
    assert_true(fabs(last(&r, "x[1]") - 2 / 7.0) < 1e-15 &&
                fabs(last(&r, "x[2]") - 3 / 7.0) < 1e-15);
    assert_true(fabs(last(&r, "re[1]")) < 1e-15 && fabs(fabs(last(&r, "im[1]")) - 1) < 1e-15);
    trial_end(&r);
    r = trial_start(
        NULL,
        "model M function f input Real A[:, :]; output Real x[size(A, 1)]; output Integer "
        "info; protected Real W[size(A, 1), size(A, 2)] = A; Integer p[3]; external "
        "\"FORTRAN 77\" dgesv(300, 1, W, 300, p, x, 300, info); end f; Real x[2] = "
        "f({{1, time}, {0, 1}}); end M;",
        &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "do not fit its arrays"));
    trial_end(&r);
}

/* Least squares, singular values, QR, eigenvalues of a Hessenberg matrix, Cholesky, tridiagonal systems.
 * A line through (0,1), (1,2), (2,4) is 5/6 + 3/2 t; the shortest (x, y) with x + y nearest to 1, 2, 3
 * is (1, 1), of rank 1; [3 0; 4 5] stretches by sqrt(45) and sqrt(5); |(3, 4)| = 5; the roots of
 * x^2 - 5 x + 6 are 2 and 3; [4 2; 2 5] = U'U with U = [2 1; 0 2]. */
static void more_of_lapack(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M\n"
        "function fit input Real A[:, :]; input Real b[size(A, 1)]; output Real x[size(A, 1)] = "
        "b;\n"
        "  output Integer info; protected Integer m = size(A, 1); Integer n = size(A, 2);\n"
        "  Integer k = 1; Real W[size(A, 1), size(A, 2)] = A; Integer l = m + n;\n"
        "  Real work[size(A, 1) + size(A, 2)];\n"
        "  external \"FORTRAN 77\" dgels(\"N\", m, n, k, W, m, x, m, work, l, info); end fit;\n"
        "function shortest input Real A[:, :]; input Real b[size(A, 1)]; input Real r;\n"
        "  output Real x[size(A, 1)] = b; output Integer rank; protected Integer info;\n"
        "  Integer m = size(A, 1); Integer n = size(A, 2); Integer k = 1;\n"
        "  Real W[size(A, 1), size(A, 2)] = A; Integer l = 20; Real work[20];\n"
        "  Integer p[size(A, 2)] = zeros(size(A, 2));\n"
        "  external \"FORTRAN 77\" dgelsy(m, n, k, W, m, x, m, p, r, rank, work, l, info);\n"
        "end shortest;\n"
        "function stretch input Real A[2, 2]; output Real s[2]; output Integer info; protected\n"
        "  Integer n = 2; Real W[2, 2] = A; Real U[2, 2]; Real V[2, 2]; Integer l = 20;\n"
        "  Real work[20]; external \"FORTRAN 77\" dgesvd(\"N\", \"N\", n, n, W, n, s, U, n, V, n,\n"
        "  work, l, info); end stretch;\n"
        "function qr input Real A[2, 2]; output Real Q[2, 2] = A; output Integer p[2] = {0, 0};\n"
        "  protected Integer n = 2; Real t[2]; Integer l = 20; Real work[20]; Integer info;\n"
        "  external \"FORTRAN 77\" dgeqp3(n, n, Q, n, p, t, work, l, info); end qr;\n"
        "function plain input Real A[2, 2]; output Real Q[2, 2] = A; output Real t[2];\n"
        "  protected Integer n = 2; Integer l = 20; Real work[20]; Integer info;\n"
        "  external \"FORTRAN 77\" dgeqrf(n, n, Q, n, t, work, l, info); end plain;\n"
        "function rotation input Real A[2, 2]; input Real t[2]; output Real Q[2, 2] = A;\n"
        "  protected Integer n = 2; Integer l = 20; Real work[20]; Integer info;\n"
        "  external \"FORTRAN 77\" dorgqr(n, n, n, Q, n, t, work, l, info); end rotation;\n"
        "function roots input Real H[2, 2]; output Real re[2]; output Real im[2]; protected\n"
        "  Integer n = 2; Integer one = 1; Real W[2, 2] = H; Real Z[2, 2]; Real work[6];\n"
        "  Integer l = 6; Integer info; external \"FORTRAN 77\" dhseqr(\"E\", \"N\", n, one, n, "
        "W,\n"
        "  n, re, im, Z, n, work, l, info); end roots;\n"
        "function root input Real A[2, 2]; output Real U[2, 2] = A; protected Integer n = 2;\n"
        "  Integer info; external \"FORTRAN 77\" dpotrf(\"U\", n, U, n, info); end root;\n"
        "function chain input Real b[3]; output Real x[3] = b; protected Integer n = 3;\n"
        "  Integer k = 1; Real d[3] = {2, 2, 2}; Real u[2] = {-1, -1}; Real v[2] = {-1, -1};\n"
        "  Integer info; external \"FORTRAN 77\" dgtsv(n, k, u, d, v, x, n, info); end chain;\n"
        "Real a[3] = fit({{1, 0}, {1, time}, {1, 2*time}}, {1, 2, 4}); Real b[3]; Integer rank;\n"
        "Real s[2] = stretch({{3, 0}, {4, 4 + time}}), Q[2, 2], O[2, 2], P[2, 2], tau[2], re[2],\n"
        "  im[2], U[2, 2] = root({{4, 2}, {2, 4 + time}}), x[3] = chain({time, 0, time});\n"
        "Integer p[2]; equation (b, rank) = shortest({{1, 1}, {1, 1}, {1, time}}, {1, 2, 3}, "
        "1e-9);\n"
        "(Q, p) = qr({{1, 3*time}, {0, 4}}); (P, tau) = plain({{3*time, 1}, {4, 2}});\n"
        "O = rotation(P, tau); (re, im) = roots({{0, 1}, {-6*time, 5}}); end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    const double tol = 1e-14;
    assert_near(last(&r, "a[1]"), 5.0 / 6, tol);
    assert_near(last(&r, "a[2]"), 1.5, tol);
    assert_near(last(&r, "b[1]"), 1, tol);
    assert_near(last(&r, "b[2]"), 1, tol);
    assert_near(last(&r, "rank"), 1, 0);
    assert_near(last(&r, "s[1]"), sqrt(45), tol);
    assert_near(last(&r, "s[2]"), sqrt(5), tol);
    assert_near(fabs(last(&r, "Q[1,1]")), 5, tol); // the longer column comes first
    assert_near(last(&r, "p[1]"), 2, 0);
    assert_near(fabs(last(&r, "P[1,1]")), 5, tol);
    assert_near(fabs(last(&r, "O[1,1]")), 0.6, tol);
    assert_near(fabs(last(&r, "O[2,1]")), 0.8, tol);
    assert_near(last(&r, "re[1]") + last(&r, "re[2]"), 5, tol);
    assert_near(last(&r, "re[1]") * last(&r, "re[2]"), 6, 10 * tol);
    assert_near(last(&r, "U[1,2]"), 1, tol);
    assert_near(last(&r, "U[2,2]"), 2, tol);
    for (int k = 0; k < 3; k++)
        assert_near(last(&r, (const char *[]){"x[1]", "x[2]", "x[3]"}[k]), 1, tol);
    trial_end(&r);
}

/* Two objects made with the same arguments are two: each generator of a run goes its own way, and
 * a run begins anew. Here: several runs of one model in several threads, each with its own k. */
typedef struct worker {
    vinc_model *model;
    double k, x;
    int rc;
} worker;

static void *work(void *of)
{
    worker *w = of;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 2, .rel_tol = 1e-9};
    for (int n = 0; n < 30 && !w->rc; n++) {
        vinc_sim *sim = NULL;
        w->rc = vinc_sim_new(w->model, &o, &sim);
        if (!w->rc) w->rc = vinc_sim_set(sim, "k", w->k + n);
        if (!w->rc) w->rc = vinc_sim_run(sim);
        if (!w->rc) w->x = vinc_result_at(vinc_sim_result(sim), "x", INFINITY) - (w->k + n);
        if (fabs(w->x) > 1e-6) w->rc = 99;
        vinc_sim_free(sim);
    }
    return NULL;
}

static void objects_belong_to_their_run(void **state)
{
    (void)state;
    trial r = trial_ready(NULL, integral, &(vinc_sim_options){.has_stop = 1, .t_stop = 2});
    assert_int_equal(r.rc, VINC_OK);
    worker w[4];
    pthread_t t[4];
    for (int i = 0; i < 4; i++) {
        w[i] = (worker){r.model, 10.0 * i, 0, 0};
        assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) assert_int_equal(w[i].rc, 0);
    trial_end(&r);
}

/* Outputs by reference, several of them, and pre() of what is assigned: Fibonacci's numbers by
 * (a, b) := (pre(b), pre(a) + pre(b)), the generator's state and number by the library. */
static void simultaneous_assignments_keep_what_was(void **state)
{
    (void)state;
    trial r = trial_of(
        "model M function f input Integer x[2]; output Integer y[2]; algorithm y := {x[2], x[1] + "
        "x[2]}; end f; function g input Integer s[2]; output Real r; output Integer t[2]; external "
        "\"C\" ModelicaRandom_xorshift64star(s, t, r); end g; discrete Integer a[2](start = {0, "
        "1}, "
        "each fixed = true); discrete Integer s[2](start = {427651634, 603884885}, each fixed = "
        "true); discrete Real x(start = 0, fixed = true); algorithm when sample(0.5, 1) then a := "
        "f(pre(a)); (x, s) := g(pre(s)); end when; end M;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 10});
    assert_true(last(&r, "a[1]") == 55 && last(&r, "a[2]") == 89);
    // The tenth word of the generator from this state, by integers of any length.
    assert_true(last(&r, "s[1]") == -1763954442 && last(&r, "s[2]") == -1096717986);
    trial_end(&r);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refusals_name_the_thing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code, *words;
    } cases[] = {
        {"model M" TABLE " parameter Table t = Table({{0, 1}, {2, 1}, {1, 5}}, 1, 2); Real y = "
         "at(t, time); end M;",
         "R100",
         "Table.constructor has no value: the first column of a table must not fall, but "
         "row 3 has 1 after 2"},
        {"model M" TABLE " parameter Table t = Table({{0, 1}, {2, 1}}, 1, 4); Real x(start = 0, "
         "fixed = true); equation der(x) = at(t, time); end M;",
         "R104", "outside of its range 0 ... 2"},
        {"model M" TABLE " Table t; Real y = at(t, time); end M;", "M435",
         "'t' is an external object and needs a constructor call"},
        {"model M" TABLE " parameter Table t = Table({{0, 1}}, 1, 2); Real y = t + 1; end M;",
         "M301", "'+' cannot combine"},
        {"model M function f input Real u; output Real y; external \"C\" y = "
         "ModelicaStandardTables_CombiTable1D_getValue(u); end f; Real y = f(time); end M;",
         "M433", "is declared with arguments that it does not have"},
        {"model M class A extends ExternalObject; function constructor input Integer n; output A "
         "o; "
         "external \"C\" o = ModelicaStandardTables_CombiTable1D_init2(n); end constructor; "
         "function "
         "destructor input A o; external \"C\" x(o); end destructor; end A; parameter A a = A(1); "
         "end M;",
         "M433", "is declared with arguments that it does not have"},
        {"model M function f input Real u; output Real y; external \"C\" y = nowhere(u); end f; "
         "Real "
         "y = f(time); end M;",
         "S300", "cannot be evaluated: f"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        trial r = trial_start(NULL, cases[k].text,
                              &(vinc_sim_options){.has_stop = 1, .t_stop = 3, .rel_tol = 1e-6});
        const char *said = vinc_ctx_messages(r.ctx);
        if (!r.rc || !strstr(said, cases[k].code) || !strstr(said, cases[k].words))
            fail_msg("%zu: %s", k, said);
        trial_end(&r);
    }
}

/* An object of one class is not one of another, even if a model declares both alike: a surface
 * where a curve is taken gives no value, and nothing is read that is not there. */
static void objects_are_not_confused(void **state)
{
    (void)state;
    trial r = trial_start(
        NULL,
        "model M class A extends ExternalObject; function constructor input Real t[:,:]; output A "
        "o; external \"C\" o = ModelicaStandardTables_CombiTable2D_init2(\"NoName\", \"NoName\", "
        "t, "
        "size(t,1), size(t,2), 1, 1, false); end constructor; function destructor input A o; "
        "external \"C\" ModelicaStandardTables_CombiTable2D_close(o); end destructor; end A; "
        "function "
        "f input A o; input Real u; output Real y; external \"C\" y = "
        "ModelicaStandardTables_CombiTable1D_getValue(o, 1, u); end f; parameter A a = A({{0, 1}, "
        "{1, 5}}); Real x(start = 0, fixed = true); equation der(x) = f(a, x); end M;",
        &(vinc_sim_options){.has_stop = 1, .t_stop = 1});
    assert_true(r.rc < 0);
    assert_non_null(strstr(vinc_ctx_messages(r.ctx), "its object has not been made"));
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_integrated),
        cmocka_unit_test(a_table_is_differentiated),
        cmocka_unit_test(a_table_is_inverted),
        cmocka_unit_test(a_table_is_called_in_a_loop),
        cmocka_unit_test(matrices_go_to_lapack),
        cmocka_unit_test(more_of_lapack),
        cmocka_unit_test(objects_belong_to_their_run),
        cmocka_unit_test(simultaneous_assignments_keep_what_was),
        cmocka_unit_test(refusals_name_the_thing),
        cmocka_unit_test(objects_are_not_confused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
