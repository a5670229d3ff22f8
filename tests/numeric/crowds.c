/* Arrays and nets as somebody would write them who does not know this program, at sizes where what is
 * done for each pair of elements shows as a refusal or in counts. No time is measured.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"
#include "vincolo_report.h"

#include <math.h>

static vinc_run *told_of(trial *r)
{
    vinc_run *told = NULL;
    assert_int_equal(vinc_run_of(r->sim, &told), VINC_OK);
    return told;
}

/* ---- what --verify says at events ------------------------------------------------------------ */

/* x' jumps from -2 to 1 at t = 6, where every run has a row before and a row after. A run at a tenth
 * of the tolerance has them, too: nothing differs by more than the tolerance. */
static void a_jump_is_no_difference(void **state)
{
    (void)state;
    trial r = trial_of("model Jump Real x(start = 0, fixed = true);\n"
                       "equation der(x) = if time < 6 then -2 else 1 - 0.1*x; end Jump;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 18, .verify = 1});
    vinc_run *told = told_of(&r);
    assert_true(told->verified >= 0 && told->verified < 1e-4);
    vinc_report_free(told);
    trial_end(&r);
}

/* Events of the state come a little later or earlier at another tolerance. A relay that switches at
 * x = 1 and x = 0: u jumps between 2 and -2 some 1e-7 s apart. The times are a difference of their own. */
static void a_relay_a_little_later_is_no_jump(void **state)
{
    (void)state;
    trial r =
        trial_of("model Relay Real x(start = 0.5, fixed = true), v(start = 0, fixed = true), u;\n"
                 "  Boolean up(start = true, fixed = true);\n"
                 "equation up = x < 0 or pre(up) and x < 1; u = if up then 2 else -2;\n"
                 "  der(x) = v; der(v) = u - 5*v - sin(x); end Relay;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 20, .verify = 1});
    vinc_run *told = told_of(&r);
    assert_true(told->events > 5);
    assert_true(told->verified > 0 && told->verified < 1e-3);
    vinc_report_free(told);
    trial_end(&r);
}

/* ---- arrays of components that differ in structure --------------------------------------------- */

/* Every third of 6000 has a part that the others have not: each is a node of its own then, and took the
 * whole array of conditions, 36 million steps that were refused as a loop without end. */
static void conditions_of_thousands(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Crowd\n"
        "  model Part parameter Real k = 1; Real y; equation y = k*time; end Part;\n"
        "  model One parameter Boolean on = false; parameter Real a = 1; Part p(k = a) if on;\n"
        "    Real x(start = a, fixed = true); equation der(x) = -x; end One;\n"
        "  parameter Integer N = 6000;\n"
        "  One m[N](on = {mod(i, 3) == 0 for i in 1:N}, a = {i/N for i in 1:N});\n"
        "end Crowd;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 1});
    const struct {
        const char *name;
        double end;
    } rows[] = {
        {"m[6000].p.y", 1}, {"m[3].p.y", 3.0 / 6000}, {"m[5999].x", 5999.0 / 6000 * exp(-1)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(fabs(vinc_result_at(r.result, rows[i].name, 1) - rows[i].end) < 1e-5);
    assert_true(vinc_result_find(r.result, "m[5999].p.y") < 0);
    trial_end(&r);
}

/* The same of two levels: which of the inner ones are there follows from a parameter of the outer one. */
static void conditions_of_two_levels(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Levels\n"
        "  model Part Real y = time; end Part;\n"
        "  model One parameter Boolean on = false; Part p if on; end One;\n"
        "  model Row parameter Integer k = 1; One m[4](on = {i == k for i in 1:4}); end Row;\n"
        "  Row r[3](k = {2, 2, 4});\n"
        "  Real x(start = 0, fixed = true); equation der(x) = 1;\n"
        "end Levels;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1});
    static const int at[] = {2, 2, 4};
    for (int i = 1; i <= 3; i++)
        for (int j = 1; j <= 4; j++) {
            char name[40];
            snprintf(name, sizeof name, "r[%d].m[%d].p.y", i, j);
            assert_int_equal(vinc_result_find(r.result, name) >= 0, at[i - 1] == j);
        }
    trial_end(&r);
}

/* ---- many clocks ----------------------------------------------------------------------------- */

/* 2000 controllers with a clock each. Each partition had memories of what became of expressions, as large as all
 * expressions of the model: 1 GB was not enough, 300 MB are. From 0 with u = 0 until the second tick, which
 * is at 1/4 s: e = 1 then, as at the first, x = 0.2, u = kp + x. */
static void clocks_of_thousands(void **state)
{
    (void)state;
    static const char text[] =
        "model Clocks\n"
        "  block PI parameter Real kp = 2; input Real e; output Real u; parameter Integer f = 4;\n"
        "    Real x(start = 0), ed, ud(start = 0); Clock c = Clock(1, f);\n"
        "  equation ed = sample(e, c); x = previous(x) + 0.1*ed; ud = kp*ed + x; u = hold(ud);\n"
        "  end PI;\n"
        "  parameter Integer N = 2000; PI c[N](kp = {i/N for i in 1:N});\n"
        "equation for i in 1:N loop c[i].e = 1; end for; end Clocks;";
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_ctx_limit(ctx, &(vinc_limits){.bytes = (size_t)300 << 20});
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    int rc = vinc_model_load_text(ctx, "m.mo", text, strlen(text), NULL, &model);
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0.3, .intervals = 3};
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) print_error("%s", vinc_ctx_messages(ctx));
    assert_int_equal(rc, VINC_OK);
    assert_true(fabs(vinc_result_at(vinc_sim_result(sim), "c[500].u", 0.2) - (0.25 + 0.1)) < 1e-12);
    assert_true(fabs(vinc_result_at(vinc_sim_result(sim), "c[500].u", 0.3) - (0.25 + 0.2)) < 1e-12);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
}

/* Twenty elements without a clock stand at one line: it is said once. */
static void a_clock_is_missed_once(void **state)
{
    (void)state;
    trial r =
        trial_of("model Many\n"
                 "  block B Real x(start = 0); equation when Clock() then x = previous(x) + 1;\n"
                 "  end when; end B;\n"
                 "  B b[20];\n"
                 "end Many;",
                 (vinc_sim_options){.has_stop = 1, .t_stop = 2});
    const char *first = strstr(vinc_ctx_messages(r.ctx), "S175");
    assert_non_null(first);
    assert_null(strstr(first + 1, "S175"));
    assert_true(vinc_result_at(r.result, "b[20].x", 2) == 3);
    trial_end(&r);
}

/* ---- nets with loops ------------------------------------------------------------------------- */

/* Water in a net of 15 by 15 nodes with pipes k q |q|: 643 equations hang together. If heads along the pipes
 * are substituted, 211 unknowns are left, but each row has some hundred of them and factors are dense;
 * where only what adds no entry is substituted, 571 are left. What is drawn flows in. */
static void heads_of_a_net_stay(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Net\n"
        "  connector P Real h(start = 40, nominal = 50); flow Real q(nominal = 0.01); end P;\n"
        "  model Pipe parameter Real k = 500; P a, b;\n"
        "  equation a.h - b.h = k*a.q*abs(a.q) + 1e-3*a.q; a.q + b.q = 0; end Pipe;\n"
        "  model Node parameter Real q0 = 1e-4; P p; equation p.q = q0*(1 + 0.5*sin(time)); end "
        "Node;\n"
        "  model Tank parameter Real h = 60; P p; equation p.h = h; end Tank;\n"
        "  parameter Integer N = 15;\n"
        "    Pipe x[N - 1, N](k = {{400 + 10*i + j for j in 1:N} for i in 1:N - 1});\n"
        "    Pipe y[N, N - 1](k = {{450 + 7*i - j for j in 1:N - 1} for i in 1:N});\n"
        "    Node d[N, N](each q0 = 0.05/N^2); Tank s, t(h = 58); Real all;\n"
        "  equation\n"
        "    for i in 1:N, j in 1:N loop\n"
        "      if i < N then connect(d[i, j].p, x[i, j].a); connect(x[i, j].b, d[i + 1, j].p); end "
        "if;\n"
        "      if j < N then connect(d[i, j].p, y[i, j].a); connect(y[i, j].b, d[i, j + 1].p); end "
        "if;\n"
        "    end for;\n"
        "    connect(s.p, d[1, 1].p); connect(t.p, d[N, N].p); all = s.p.q + t.p.q;\n"
        "end Net;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 4});
    vinc_run *told = told_of(&r);
    assert_true(told->n_integrated > 2 * 15 * 15);
    assert_true(fabs(vinc_result_at(r.result, "all", 1) + 0.05 * (1 + 0.5 * sin(1))) < 1e-9);
    vinc_report_free(told);
    trial_end(&r);
}

/* A table of 7000 rows, parameters, that a function is handed at each of 40 events: it is read where it lies. Rows are
 * (i, i^2 + 3 (i mod 5)), and what is asked for is the row beyond the time, from where the last one was found; of a second
 * table, whose rows are no neighbours of each other, too. */
static void a_table_at_each_event(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Sought\n"
        "  function next input Real t[:, 2]; input Real x; input Integer last; output Real y; "
        "output "
        "Integer k;\n"
        "  algorithm k := last; while k < size(t, 1) and x >= t[k, 1] loop k := k + 1; end while;\n"
        "    y := t[k, 2] + t[1, 2]; end next;\n"
        "  parameter Integer n = 7000;\n"
        "  parameter Real t[n, 2] = {{i, i^2 + 3*mod(i, 5)} for i in 1:n};\n"
        "  parameter Real u[2*n] = {2*i for i in 1:2*n};\n"
        "  discrete Real y(start = 0, fixed = true), z(start = 0, fixed = true);\n"
        "  Integer k(start = 1, fixed = true), l(start = 1, fixed = true);\n"
        "equation\n"
        "  when sample(0.5, 1) then\n"
        "    (y, k) = next(t, 100*time, pre(k));\n"
        "    (z, l) = next([u[1:2:2*n - 1], u[2:2:2*n]], 100*time, pre(l));\n"
        "  end when;\n"
        "end Sought;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 40, .intervals = 4});
    int k = 3951; // the first row beyond 3950
    assert_int_equal(vinc_result_at(r.result, "k", 40), k);
    assert_true(vinc_result_at(r.result, "y", 40) == (double)k * k + 3 * (k % 5) + 4);
    int l = 988; // 4 l - 2 > 3950
    assert_int_equal(vinc_result_at(r.result, "l", 40), l + 1);
    assert_true(vinc_result_at(r.result, "z", 40) == 4 * (l + 1) + 4);
    trial_end(&r);
}

/* Masses that are functions of states, differentiated, and flows that are functions of neighbours. */
static trial cells_alike(int n)
{
    char text[1200];
    snprintf(text, sizeof text,
             "model Alike\n"
             "  function near input Real p; input Real x; input Integer k; output Real y;\n"
             "  algorithm y := if p > x then p*x + k else x/(1 + p^2); end near;\n"
             "  function both input Real p; input Real x; output Real y; protected Real a;\n"
             "  algorithm a := near(p, x, 1); y := a + near(x, p, 2) + near(a, a, 3); end both;\n"
             "  function mass input Real p; input Real x; output Real y;\n"
             "  algorithm y := p + p^3 + 0.1*x; end mass;\n"
             "  Real u[%d](start = {1 + 0.1*mod(7*i, 11) for i in 1:%d}, each fixed = true,\n"
             "    each stateSelect = StateSelect.always), m[%d];\n"
             "equation\n"
             "  for i in 1:%d loop\n"
             "    m[i] = mass(u[i], u[i]); der(m[i]) = 0.01*both(u[i], u[max(i - 1, 1)]);\n"
             "  end for;\n"
             "end Alike;",
             n, n, n, n);
    return trial_of(
        text, (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8, .intervals = 4});
}

/* Calls that are alike are one map of sixty, made from the body of the first; seven are written out one by one. The first
 * cell has its own variable for that of its neighbour. */
static void calls_that_are_alike(void **state)
{
    (void)state;
    trial many = cells_alike(60), few = cells_alike(7);
    for (int i = 1; i <= 7; i++) {
        char name[20];
        snprintf(name, sizeof name, "u[%d]", i);
        double u = vinc_result_at(few.result, name, 1);
        assert_true(fabs(u - (1 + 0.1 * (7 * i % 11))) > 1e-4); // it moves
        assert_true(fabs(vinc_result_at(many.result, name, 1) - u) < 1e-6);
    }
    trial_end(&many);
    trial_end(&few);
}

/* Twenty rows in a ring, x^2 + y[i]^2 = 4 + y[i + 2]/10. Solved one after the other each would be 10*(y^2 + ...) of the one
 * before, polynomials of degree 2^10, which overflow at the start. The root is that of one row, for all are alike. */
static void curves_are_no_chain(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Ring parameter Integer n = 20; Real x(start = 1, fixed = true), y[n](each start = "
        "2), z[n];\n"
        "equation\n"
        "  der(x) = -x;\n"
        "  for i in 1:n loop x^2 + y[i]^2 = 4 + z[i]; z[i] = 0.1*y[mod(i + 1, n) + 1]; end for;\n"
        "end Ring;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 4});
    double x = exp(-1), root = 0.05 + sqrt(0.05 * 0.05 + 4 - x * x);
    assert_true(fabs(vinc_result_at(r.result, "y[1]", 1) - root) < 1e-6);
    assert_true(fabs(vinc_result_at(r.result, "y[20]", 1) - root) < 1e-6);
    trial_end(&r);
}

/* The least of a thousand unknowns, as a function and as a loop has it: each took n choices for each of n columns. */
static void least_of_a_thousand(void **state)
{
    (void)state;
    trial r = trial_of("model Least\n"
                       "  function least input Real x[:]; output Real m = x[1];\n"
                       "  algorithm for i in 2:size(x, 1) loop if x[i] < m then m := x[i]; end if; "
                       "end for; end least;\n"
                       "  parameter Integer n = 1000; Real x[n](start = {1 + i/n for i in 1:n}, "
                       "each fixed = true), a, b;\n"
                       "equation\n"
                       "  for i in 1:n loop der(x[i]) = -2*x[i]*i/n; end for; der(a) = min(x) - a; "
                       "der(b) = least(x) - b;\n"
                       "initial equation a = min(x); b = least(x);\n"
                       "end Least;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1, .intervals = 4});
    // At the end x[1000] = 2 exp(-2) is the least: (1 + s) exp(-2 s t) falls with s at t = 1.
    double a = vinc_result_at(r.result, "a", 1);
    assert_true(fabs(a - vinc_result_at(r.result, "b", 1)) < 1e-9);
    assert_true(a > 2 * exp(-2) && a < 1);
    trial_end(&r);
}

/* ---- sums over grids ------------------------------------------------------------------------- */

/* Heat in 20 by 20 cells, insulated but for one side, and the integral of what flows in there and of the whole
 * content: rows of 400 entries. A preconditioner took a product for each entry of the longest row; now one
 * for each of some ten colours. What flowed in is there. */
static void a_sum_is_no_matrix(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Plate parameter Integer N = 20; Real T[N, N](each start = 0, each fixed = true);\n"
        "  Real came(start = 0, fixed = true), mean(start = 0, fixed = true), held;\n"
        "  function to input Real T[:, :]; input Integer i, j; output Real q;\n"
        "  algorithm q := (if i > 1 then T[i - 1, j] - T[i, j] else 2*(1 - T[i, j])) +\n"
        "    (if i < size(T, 1) then T[i + 1, j] - T[i, j] else 0) +\n"
        "    (if j > 1 then T[i, j - 1] - T[i, j] else 0) +\n"
        "    (if j < size(T, 2) then T[i, j + 1] - T[i, j] else 0);\n"
        "  annotation(Inline = true); end to;\n"
        "equation\n"
        "  for i in 1:N, j in 1:N loop der(T[i, j]) = N^2*(1 + 0.1*j)*to(T, i, j); end for;\n"
        "  der(came) = N^2*sum((1 + 0.1*j)*to(T, i, j) for i in 1:N, j in 1:N);\n"
        "  der(mean) = sum(T)/N^2; held = sum(T);\n"
        "end Plate;",
        (vinc_sim_options){
            .has_stop = 1, .t_stop = 0.5, .rel_tol = 1e-6, .linear = "krylov", .intervals = 4});
    vinc_run *told = told_of(&r);
    assert_true(told->preconditioners > 0);
    assert_true(told->products < 2 * told->linear_iterations + 20 * told->preconditioners);
    double came = vinc_result_at(r.result, "came", 0.5);
    assert_true(came > 100 && fabs(came - vinc_result_at(r.result, "held", 0.5)) < 1e-4 * came);
    vinc_report_free(told);
    trial_end(&r);
}

/* ---- chains of equations --------------------------------------------------------------------- */

/* 4 y[i] - y[i - 1] - y[i + 1] = x[i] with x a sine over all cells: y = x/l, x' = y - x, l = 4 - 2 cos(pi/61). Each row
 * solved for its last unknown, y was right to 1e-3 where 1e-6 was asked for. */
static void rows_beside_each_other(void **state)
{
    (void)state;
    enum { N = 60 };
    static const char *const methods[] = {NULL, "bdf", "radau5"};
    for (int k = 0; k < 3; k++) {
        trial r = trial_of(
            "model Rows constant Real pi = 3.14159265358979324; parameter Integer n = 60;\n"
            "  Real x[n](start = {sin(pi*i/(n + 1)) for i in 1:n}, each fixed = true), y[n];\n"
            "equation for i in 1:n loop\n"
            "  der(x[i]) = y[i] - x[i];\n"
            "  x[i] = 4*y[i] - (if i > 1 then y[max(i - 1, 1)] else 0) -\n"
            "    (if i < n then y[min(i + 1, n)] else 0);\n"
            "end for; end Rows;",
            (vinc_sim_options){.has_stop = 1, .t_stop = 2, .rel_tol = 1e-6, .method = methods[k]});
        double l = 4 - 2 * cos(M_PI / (N + 1));
        for (int i = 1; i <= N; i++) {
            char name[20];
            snprintf(name, sizeof name, "y[%d]", i);
            double want = sin(M_PI * i / (N + 1)) * exp(2 / l - 2) / l;
            assert_true(fabs(vinc_result_at(r.result, name, 2) - want) < 3e-6);
        }
        trial_end(&r);
    }
}

/* x + 3 y = 0.1 y of the next one, around a ring: all are alike, y = -x/2.9, x' = y - x. Each y found from the one
 * before magnifies errors thirtyfold. */
static void a_ring_of_rows(void **state)
{
    (void)state;
    trial r = trial_of(
        "model Ring parameter Integer n = 40; Real x[n](each start = 1, each fixed = true);\n"
        "  Real y[n], z[n];\n"
        "equation for i in 1:n loop\n"
        "  der(x[i]) = y[i] - x[i]; x[i] + 3*y[i] = z[i]; z[i] = 0.1*y[mod(i, n) + 1];\n"
        "end for; end Ring;",
        (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-6});
    double want = -exp(-1 - 1 / 2.9) / 2.9;
    for (int i = 1; i <= 40; i++) {
        char name[20];
        snprintf(name, sizeof name, "y[%d]", i);
        assert_true(fabs(vinc_result_at(r.result, name, 1) - want) < 1e-6);
    }
    trial_end(&r);
}

/* A function that adds its last two values 88 times, written out in a loop: 10^18 terms, were shared sums followed each
 * time. f(y) = F y with F = 2880067194370816120 1e-20, the 90th Fibonacci number; y (1 + F) = x. */
static void sums_that_are_shared(void **state)
{
    (void)state;
    trial r = trial_of("model Shared\n"
                       "  function f input Real x; output Real y; protected Real t[90];\n"
                       "  algorithm t[1] := x; t[2] := x;\n"
                       "    for i in 3:90 loop t[i] := t[i - 1] + t[i - 2]; end for;\n"
                       "    y := 1e-20*t[90]; annotation(Inline = true); end f;\n"
                       "  Real x(start = 1, fixed = true), y, z;\n"
                       "equation der(x) = -x; f(y) + z = x; f(z) + y = x; end Shared;",
                       (vinc_sim_options){.has_stop = 1, .t_stop = 1, .rel_tol = 1e-8});
    double want = exp(-1) / (1 + 2880067194370816120e-20);
    assert_true(fabs(vinc_result_at(r.result, "y", 1) - want) < 1e-7);
    trial_end(&r);
}

/* A ring of 12,000 at rest, x^3 = 1 + x/10, from x = 0, where Newton's method goes astray: the search for a guess had the
 * Jacobian as a dense matrix three times, 3.5 GB. */
static void a_ring_at_rest(void **state)
{
    (void)state;
    vinc_sim_options o = {.has_stop = 1, .t_stop = 0};
    trial r = trial_ready(NULL,
                          "model Rest parameter Integer n = 12000; Real x[n], y[n];\n"
                          "initial equation for i in 1:n loop der(x[i]) = 0; end for;\n"
                          "equation for i in 1:n loop der(x[i]) = y[i] - x[i]^3;\n"
                          "  y[i] = 1 + 0.1*x[mod(i, n) + 1]; end for; end Rest;",
                          &o);
    assert_int_equal(vinc_ctx_limit(r.ctx, &(vinc_limits){.bytes = 1000000000}), VINC_OK);
    trial_run(&r);
    assert_int_equal(r.rc, VINC_OK);
    double x = vinc_result_at(r.result, "x[7000]", 0);
    assert_true(x > 1 && fabs(x * x * x - 1 - 0.1 * x) < 1e-8);
    trial_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_beside_each_other),
        cmocka_unit_test(a_ring_of_rows),
        cmocka_unit_test(sums_that_are_shared),
        cmocka_unit_test(a_ring_at_rest),
        cmocka_unit_test(a_jump_is_no_difference),
        cmocka_unit_test(a_relay_a_little_later_is_no_jump),
        cmocka_unit_test(conditions_of_thousands),
        cmocka_unit_test(conditions_of_two_levels),
        cmocka_unit_test(clocks_of_thousands),
        cmocka_unit_test(a_clock_is_missed_once),
        cmocka_unit_test(heads_of_a_net_stay),
        cmocka_unit_test(curves_are_no_chain),
        cmocka_unit_test(a_table_at_each_event),
        cmocka_unit_test(calls_that_are_alike),
        cmocka_unit_test(least_of_a_thousand),
        cmocka_unit_test(a_sum_is_no_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
