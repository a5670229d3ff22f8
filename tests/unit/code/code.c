/* SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_parts.h"
#include "code/pack.h"
#include "problem/problem.h"
#include "run/entry_names.h"
#include "support/rig.h"

/* ---- ODE ------------------------------------------------------------------------------------- */

static void decay(void **state)
{
    (void)state;
    rig b;
    rig_open(
        &b,
        "parameter k = 2\nparameter k2 = 2*k\nReal x start 1\nReal z\nder(x) = -k2*x/2\nz = 3*x\n",
        NULL);
    rig_begin(&b, 0);
    rig_integrate(&b, "bdf", 1e-8, 1);
    assert_near(rig_value(&b, "x"), exp(-2), 1e-6);
    assert_near(rig_value(&b, "z"), 3 * exp(-2), 3e-6);
    assert_near(rig_value(&b, "der(x)"), -2 * exp(-2), 1e-5);
    rig_close(&b);
}

/* Halves as exponents are roots, where the derivative allows: begin compares it with differences.
 * Powers of 4 are exact. The power 3/2 is smooth at 0. */
static void half_powers(void **state)
{
    (void)state;
    rig b;
    rig_open(&b,
             "Real x start 4\nReal z start 1\n"
             "der(x) = x^(-1.5) + x^(-2.5) - x^0.5 + x^(-0.5)\nder(z) = z^1.5\n",
             NULL);
    rig_begin(&b, 0);
    assert_near(rig_value(&b, "der(x)"), 1 / 8.0 + 1 / 32.0 - 2 + 1 / 2.0, 0);
    double dy[4], dyp[4];
    assert_int_equal(b.p->n, 2);
    for (int i = 0; i < 2; i++) b.y[i] = b.y[i] == 1 ? 0 : b.y[i];
    assert_int_equal(b.p->jacobian(b.p->user, 0, b.y, b.yp, dy, dyp), 0);
    assert_true(problem_finite(dy, b.p->jac->nnz));
    rig_close(&b);
}

/* ---- the pendulum in Cartesian coordinates --------------------------------------------------- */

static const char pendulum_text[] =
    "parameter g = 9.81\nparameter L = 1\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\n"
    "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\nx^2 + y^2 = L^2\n";

/* Point mass 1 kg on a rod of 1 m released from the horizontal; at t = 10 s by elliptic functions. */
static void check_pendulum(rig *b, double tol)
{
    assert_near(rig_value(b, "x"), 0.2750874625761169, tol);
    assert_near(rig_value(b, "y"), -0.9614192050991251, tol);
    assert_near(rig_value(b, "lambda"), 28.29456720606725, 30 * tol);
}

static void pendulum(void **state)
{
    (void)state;
    rig b;
    rig_open(&b, pendulum_text, NULL);
    rig_begin(&b, 0);
    rig_integrate(&b, "bdf", 1e-10, 10);
    if (getenv("SHOW"))
        printf("errors %g %g %g\n", rig_value(&b, "x") - 0.2750874625761169,
               rig_value(&b, "y") + 0.9614192050991251,
               rig_value(&b, "lambda") - 28.29456720606725);
    double v[3];
    b.p->violation(b.p->user, 10, b.y, b.yp, v);
    if (getenv("SHOW")) printf("violation %g %g %g\n", v[0], v[1], v[2]);
    check_pendulum(&b, 2e-7);
    rig_close(&b);
}

/* Accelerations and the force of the rod act by what they make of velocities in a step. A quantity
 * that no constraint has to do with, as s, does not. */
static void reactions_are_rates(void **state)
{
    (void)state;
    rig b;
    rig_open(
        &b,
        "parameter g = 9.81\nReal x start 1\nReal y\nReal vx\nReal vy\nReal lambda\nReal s start "
        "1\n"
        "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\nx^2 + y^2 = 1\n"
        "s^3 + s = 2 + x\n",
        NULL);
    rig_begin(&b, 0);
    assert_non_null(b.p->rate);
    int reactions = 0;
    for (int i = 0; i < b.p->n; i++) {
        const char *name = b.p->unknown_name(b.p->user, i);
        if (!strcmp(name, "s")) assert_int_equal(b.p->rate[i], 0);
        if (!strcmp(name, "lambda") || !strncmp(name, "der(v", 5)) {
            assert_int_equal(b.p->rate[i], 1);
            reactions++;
        }
        if (b.p->differential[i]) assert_int_equal(b.p->rate[i], 0);
    }
    assert_true(reactions > 0);
    rig_close(&b);
}

static void pendulum_direct(void **state)
{
    (void)state;
    rig b;
    rig_open(&b, pendulum_text, "direct");
    rig_begin(&b, 0);
    assert_near(rig_value(&b, "lambda"), 0, 1e-12);
    assert_near(rig_value(&b, "der(vy)"), -9.81, 1e-12);
    rig_integrate(&b, "bdf", 1e-8, 2);
    assert_near(rig_value(&b, "x"), 0.7935661953433217, 1e-4); // elliptic functions
    rig_close(&b);
}

/* With 7 m/s at the bottom the pendulum goes over the top (2 sqrt(g L) = 6.26 m/s would just do).
 * In 20 s it passes every quadrant many times; energy and constraints stay. */
static void over_the_top(void **state)
{
    (void)state;
    rig b;
    rig_open(&b,
             "parameter g = 9.81\nReal x start 0\nReal y start -1\nReal vx start 7\nReal vy\n"
             "Real lambda\nReal E\nReal turn start -1.5707963267948966 fixed\n"
             "der(x) = vx\nder(y) = vy\nder(vx) = -lambda*x\nder(vy) = -lambda*y - g\n"
             "x^2 + y^2 = 1\nE = (vx^2 + vy^2)/2 + g*y\nder(turn) = x*vy - y*vx\n",
             NULL);
    rig_begin(&b, 0);
    double before = rig_value(&b, "E"), v[3];
    rig_integrate(&b, "bdf", 1e-8, 20);
    assert_true(rig_value(&b, "turn") > 40); // many times around
    assert_near(rig_value(&b, "E"), before, 1e-4);
    // The angle that was integrated on its own says where the mass must be.
    assert_near(rig_value(&b, "x"), cos(rig_value(&b, "turn")), 1e-5);
    assert_near(rig_value(&b, "y"), sin(rig_value(&b, "turn")), 1e-5);
    b.p->violation(b.p->user, 20, b.y, b.yp, v);
    assert_true(v[0] < 1e-12 && v[1] < 1e-12 && v[2] < 1e-9);
    rig_close(&b);
}

/* ---- equal equations ------------------------------------------------------------------------- */

typedef struct point {
    const rig *b;
    const double *y, *yp;
} point;

static double value_at(void *user, int var, int order)
{
    const point *q = user;
    const structure *s = q->b->s;
    if (var >= FORM_YP) return q->yp[var - FORM_YP];
    if (s->vars[var].role == STRUCTURE_PARAMETER) return s->p_default[s->vars[var].place];
    image_place at = q->b->f->places[s->unknowns.at[s->vars[var].place].first + order];
    return at.where == IMAGE_IN_Y ? q->y[at.at] : q->yp[at.at];
}

/* The residual is what the expressions of its rows give. */
static void check_residual(rig *b)
{
    double y[RIG_MAX], yp[RIG_MAX], r[RIG_MAX];
    assert_true(b->p->n <= RIG_MAX);
    for (int i = 0; i < b->p->n; i++) {
        y[i] = sin(i + 1.0);
        yp[i] = cos(3.0 * i);
    }
    assert_int_equal(b->p->residual(b->p->user, 0.3, y, yp, r), 0);
    point q = {b, y, yp};
    for (int i = 0; i < b->p->n; i++) {
        double x;
        const char *why;
        assert_int_equal(expr_eval(b->s->pool, b->f->functions.at[i], 0.3, value_at, &q,
                                   &b->k.scratch, &x, &why),
                         0);
        assert_near(r[i], x, 0);
    }
}

/* A chain of 20 equal cells becomes maps, and they give what the expressions give. */
static void rolled(void **state)
{
    (void)state;
    char lines[6000] = "parameter R = 2\nparameter C = 0.5\n";
    for (int k = 1; k <= 20; k++)
        sprintf(lines + strlen(lines), "Real v%d start %d\nReal i%d\n", k, k, k);
    for (int k = 1; k <= 20; k++) {
        if (k == 1) strcat(lines, "R*i1 = sin(time) - v1\n");
        else sprintf(lines + strlen(lines), "R*i%d = v%d - v%d\n", k, k - 1, k);
        if (k < 20)
            sprintf(lines + strlen(lines), "C*der(v%d) = i%d - i%d + exp(-v%d)\n", k, k, k + 1, k);
        else strcat(lines, "C*der(v20) = i20\n");
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    assert_int_equal(b.p->n, 20);
    text t;
    text_init(&t, &b.k.m);
    code_model_print(b.model, &t);
    assert_non_null(strstr(text_str(&t), "map"));
    text_done(&t);
    check_residual(&b);
    rig_close(&b);
}

static int count_in_residual(rig *b, const char *word);

/* Links of a chain that see three neighbours each, by the sines of their angles: each is computed once, in a kernel.
 * Where a link sees its own alone, it is a map. */
static void neighbours_share_what_they_call(void **state)
{
    (void)state;
    enum { N = 40 };
    for (int alone = 0; alone < 2; alone++) {
        char lines[10000] = "parameter k = 0.7\n";
        for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "Real a%d start %d\n", i, i);
        for (int i = 1; i <= N; i++)
            if (alone) sprintf(lines + strlen(lines), "der(a%d) = k*sin(a%d)\n", i, i);
            else
                sprintf(lines + strlen(lines), "der(a%d) = k*sin(a%d) - sin(a%d) + sin(a%d)\n", i,
                        i, i % N + 1, (i + N - 2) % N + 1);
        rig b;
        rig_open(&b, lines, NULL);
        rig_begin(&b, 0);
        check_residual(&b);
        assert_int_equal(count_in_residual(&b, "map"), alone);
        assert_int_equal(count_in_residual(&b, "kernel"), !alone);
        rig_close(&b);
    }
}

/* Eight kinds of equations in turn that differ in one thing each: which leaves are the same, a number, the
 * order of arguments, what is shared, whether a leaf is a parameter. Each must stay of its own kind. */
static void rolled_by_turns(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "v%1$d*v%2$d + 2*v%3$d",         "v%1$d*v%1$d + 2*v%3$d",
        "v%1$d*v%2$d + 3*v%3$d",         "v%1$d*v%2$d + 2*k",
        "sin(v%1$d) - sin(v%2$d)*v%3$d", "sin(v%1$d) - sin(v%1$d)*v%3$d",
        "sin(v%2$d)*v%3$d - sin(v%1$d)", "sin(v%1$d) - cos(v%2$d)*v%3$d",
    };
    enum { N = 80, KINDS = sizeof kinds / sizeof *kinds };
    char lines[16000] = "parameter k = 0.7\n";
    for (int i = 1; i <= N; i++) sprintf(lines + strlen(lines), "Real v%d start %d\n", i, i);
    for (int i = 1; i <= N; i++) {
        sprintf(lines + strlen(lines), "der(v%d) = ", i);
        sprintf(lines + strlen(lines), kinds[i % KINDS], i, i % N + 1, (i + 1) % N + 1);
        strcat(lines, "\n");
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    assert_int_equal(b.p->n, N);
    check_residual(&b);
    rig_close(&b);
}

/* How often `word` stands at the beginning of a line of a function, whose title is between line ends. */
static int count_in(rig *b, const char *title, const char *word)
{
    text t;
    int n = 0;
    text_init(&t, &b->k.m);
    code_model_print(b->model, &t);
    const char *at = strstr(text_str(&t), title), *end = strstr(at + 2, "\n\n");
    for (at++; at && (!end || at < end); at = strchr(at, '\n')) {
        at += *at == '\n';
        n += !strncmp(at, word, strlen(word));
    }
    text_done(&t);
    return n;
}

static int count_in_residual(rig *b, const char *word)
{
    return count_in(b, "\nresidual\n", word);
}

/* Cells of some hundred operations that differ in numbers: those that are added, multiplied or chosen become operands,
 * exponents do not. Two rates of a cell with one large subexpression are one map. Cell 7 has the same
 * number twice. */
static void rolled_with_numbers(void **state)
{
    (void)state;
    enum { CELLS = 20, TERMS = 60 };
    char lines[200000] = "parameter k = 0.7\n", sum[4000];
    for (int i = 1; i <= CELLS; i++)
        sprintf(lines + strlen(lines), "Real u%d start 0.%02d\nReal v%d start 1\n", i, i, i);
    for (int i = 1; i <= CELLS; i++) {
        sprintf(sum, "(%g + u%d)*noEvent(if u%d > v%d then %g else k)", i + 0.25, i, i, i,
                i == 7 ? 7.25 : 3.0 * i);
        for (int j = 1; j <= TERMS; j++)
            sprintf(sum + strlen(sum), " + sin(0.%02d*u%d + v%d)", j, i, i);
        sprintf(lines + strlen(lines), "der(u%d) = %s - v%d^%d\n", i, sum, i, i > 10 ? 3 : 2);
        sprintf(lines + strlen(lines), "der(v%d) = %g/(%s)\n", i, 1000.0 + i, sum);
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    check_residual(&b);
    // By exponents: the first ten, and the other ten; rates of v are all alike and go with neither.
    assert_int_equal(count_in_residual(&b, "map 10"), 2);
    assert_int_equal(count_in_residual(&b, "map 20"), 1);
    assert_int_equal(count_in_residual(&b, "kernel"), 0);
    rig_close(&b);
}

/* Small equations that differ in a number each: one map where there are many, straight code where there are few. */
static void rolled_with_a_number_each(void **state)
{
    (void)state;
    for (int n = 100; n <= 1000; n += 900) {
        char *lines = calloc((size_t)n, 100), *end = lines;
        for (int i = 1; i <= n; i++) end += sprintf(end, "Real u%d start 0.%03d\n", i, i % 1000);
        for (int i = 1; i <= n; i++)
            end += sprintf(end, "der(u%d) = %g*u%d^2 + %g\n", i, i - 0.5, i % n + 1, 1.0 / (i + 4));
        rig b;
        rig_open(&b, lines, NULL);
        rig_begin(&b, 0);
        check_residual(&b);
        assert_int_equal(count_in_residual(&b, "map"), n == 1000);
        assert_int_equal(count_in_residual(&b, "kernel"), n < 1000);
        rig_close(&b);
        free(lines);
    }
}

static void rolled_with_several_results(void **state)
{
    (void)state;
    enum { CELLS = 20, TERMS = 60 };
    char lines[200000] = "parameter k = 0.7\n", sum[4000];
    for (int i = 1; i <= CELLS; i++)
        sprintf(lines + strlen(lines), "Real u%d start 0.%02d\nReal v%d start 1\n", i, i, i);
    for (int i = 1; i <= CELLS; i++) {
        sprintf(sum, "%g*u%d", i + 0.25, i);
        for (int j = 1; j <= TERMS; j++)
            sprintf(sum + strlen(sum), " + sin(0.%02d*u%d + v%d)", j, i, i);
        sprintf(lines + strlen(lines), "der(u%d) = %s\nder(v%d) = k*v%d - (%s)\n", i, sum, i, i,
                sum);
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    check_residual(&b);
    assert_int_equal(count_in_residual(&b, "map 20"), 1);
    int sines = 0;
    text t;
    text_init(&t, &b.k.m);
    code_model_print(b.model, &t);
    const char *at = strstr(text_str(&t), "\nresidual\n"), *end = strstr(at + 2, "\n\n");
    while ((at = strstr(at + 1, "= sin ")) && (!end || at < end)) sines++;
    text_done(&t);
    assert_int_equal(sines, TERMS); // each is computed once for both
    rig_close(&b);
}

/* Rows of a full matrix, as long as they are, are one map; a slot that is the same in all rows has no list. */
static void rolled_full_rows(void **state)
{
    (void)state;
    enum { ROWS = 9, TERMS = 230 };
    char *lines = malloc(ROWS * TERMS * 60), *end = lines;
    for (int j = 1; j <= TERMS; j++) end += sprintf(end, "Real x%d start %g\n", j, 1 + 1.0 / j);
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j <= TERMS; j++)
            end += sprintf(end, "parameter a%d_%d = %g\n", i, j, sin(i + 3 * j));
    for (int i = 1; i <= TERMS; i++) {
        end += sprintf(end, "der(x%d) = ", i);
        for (int j = 1; j <= TERMS && i <= ROWS; j++)
            end += sprintf(end, "%s a%d_%d*x%d", j > 1 ? " +" : "", i, j, j);
        end += sprintf(end, i <= ROWS ? "\n" : "-x%d\n", i);
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    check_residual(&b);
    assert_int_equal(count_in_residual(&b, "map 9"), 1);
    assert_int_equal(count_in_residual(&b, "kernel"), 0);
    rig_close(&b);
    free(lines);
}

static double weight(int i, int j)
{
    return (i * 7 + j * 3) % 16 - 7.5; // exact as text
}

/* dF/dx is that of x' - (sum of weight*tanh(x) - (2 i + 1)/16 x + cos(x)), up to the sign of a row. */
static void check_neurons(rig *b, int n)
{
    const vinc_pattern *q = b->p->jac;
    double *dy = malloc((size_t)q->nnz * sizeof *dy), *dyp = malloc((size_t)q->nnz * sizeof *dyp);
    assert_int_equal(q->nnz, n * n); // each entry once
    assert_int_equal(b->p->jacobian(b->p->user, 0, b->y, b->yp, dy, dyp), 0);
    for (int j = 0; j < n; j++)
        for (int k = q->start[j]; k < q->start[j + 1]; k++) {
            int i = q->row[k];
            double slope = 1 - tanh(b->y[j]) * tanh(b->y[j]);
            double expect = -weight(i + 1, j + 1) * slope;
            if (i == j) expect += (2 * i + 3) / 16.0 + sin(b->y[i]);
            assert_near(dyp[k], i == j, 0);
            assert_near(dy[k], expect, 1e-14);
        }
    free(dy);
    free(dyp);
}

/* Neurons that all see each other: each has its own state once more, at another place of each row. They are one
 * map, and so is their derivative. */
static void rolled_rows_with_their_own(void **state)
{
    (void)state;
    enum { N = 60 };
    char *lines = malloc(N * N * 60), *end = lines;
    for (int i = 1; i <= N; i++) end += sprintf(end, "Real x%d start %g\n", i, i / 32.0 - 1);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            end += sprintf(end, "parameter a%d_%d = %g\n", i, j, weight(i, j));
    for (int i = 1; i <= N; i++) {
        end += sprintf(end, "der(x%d) = cos(x%d) - %g*x%d", i, i, (2 * i + 1) / 16.0, i);
        for (int j = 1; j <= N; j++) end += sprintf(end, " + a%d_%d*tanh(x%d)", i, j, j);
        end += sprintf(end, "\n");
    }
    rig b;
    rig_open(&b, lines, NULL);
    rig_begin(&b, 0);
    check_residual(&b);
    check_neurons(&b, N);
    assert_int_equal(count_in_residual(&b, "map 60"), 1);
    assert_int_equal(count_in_residual(&b, "kernel"), 0);
    assert_int_equal(count_in(&b, "\nJacobian\n", "map 60"), 1);
    assert_int_equal(count_in(&b, "\nJacobian\n", "kernel"), 0);
    rig_close(&b);
    free(lines);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void settings(void **state)
{
    (void)state;
    rig b;
    rig_open(&b,
             "parameter k = 2\nparameter k2 = 2*k\nparameter k3 = k2 + 1\nReal x start k3\nReal v\n"
             "der(x) = v\nv = -k*x\n",
             NULL);
    text why;
    text_init(&why, &b.k.m);
    assert_int_equal(run_set(b.state, "k2", 10, &why), 0);
    rig_begin(&b, 0);
    assert_near(rig_value(&b, "x"), 11, 0);
    assert_near(rig_value(&b, "k3"), 11, 0);
    assert_int_equal(run_set(b.state, "x", 3, &why), 0);
    rig_begin(&b, 0);
    assert_near(rig_value(&b, "x"), 3, 0);
    assert_near(rig_value(&b, "v"), -6, 0);
    assert_true(run_set(b.state, "kk", 3, &why) < 0);
    assert_non_null(strstr(text_str(&why), "did you mean"));
    text_done(&why);
    rig_close(&b);
}

/* ---- the report ------------------------------------------------------------------------------ */

static inspect_report report_of(rig *b, const char *lines)
{
    text why;
    text_init(&why, &b->k.m);
    inspect_report c;
    rig_open(b, lines, NULL);
    assert_int_equal(run_begin(b->state, 0, &why), 0);
    assert_int_equal(inspect_model(b->state, 0, &b->k.a, &c, &b->k.sink), 0);
    text_done(&why);
    return c;
}

static void report_pendulum(void **state)
{
    (void)state;
    rig b;
    inspect_report c = report_of(&b, pendulum_text);
    assert_int_equal(c.index_structural, 3);
    assert_int_equal(c.index_numerical, 3);
    assert_string_equal(c.form, "hessenberg-3");
    assert_int_equal(c.dof, 1);
    assert_int_equal(c.n_states, 2);
    assert_int_equal(c.n_constraints, 3); // position, velocity, acceleration
    assert_int_equal(c.constraints[1].level, 1);
    assert_true(c.consistent);
    rig_close(&b);
}

static void report_forms(void **state)
{
    (void)state;
    static const struct {
        const char *form, *lines;
        int index;
    } list[] = {
        {"ode", "Real x\nReal z\nder(x) + der(z) = x\nder(x) - 2*der(z) = z\n", 0},
        {"semi-explicit", "Real x start 1\nReal z start 1\nder(x) = -z\n0 = z + z^3 - x\n", 1},
        {"hessenberg-2",
         "Real x\nReal z\nReal u\nder(x) = z + u\nder(z) = u - x\n0 = x + z - sin(time)\n", 2},
        {"quasi-linear", "Real x\nReal z start 1\nx*der(x) + der(z) = z\n0 = x + sin(z*x) \n", 1},
        {"general", "Real x start 1\nReal z\nder(x)^3 + der(x) = z\n0 = x + z\n", 1},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        rig b;
        inspect_report c = report_of(&b, list[k].lines);
        if (getenv("SHOW"))
            printf("%s: index %d, %d (%s) cond %g\n", c.form, c.index_structural, c.index_numerical,
                   c.form_reason, c.form_condition);
        assert_string_equal(c.form, list[k].form);
        assert_int_equal(c.index_numerical, list[k].index);
        rig_close(&b);
    }
}

/* ---- long lists ------------------------------------------------------------------------------ */

/* Elements as they were; kept: how many numbers there are of so many. */
static void assert_packed(const int *of, int n, int kept)
{
    mem m = mem_std();
    arena a, scratch;
    arena_init(&a, &m);
    arena_init(&scratch, &m);
    image_column x = code_pack(of, n, &a, &scratch);
    for (int i = 0; i < n; i++) assert_int_equal(image_at(&x, i), of[i]);
    assert_int_equal(x.n, n);
    assert_int_equal(x.n_values, kept);
    arena_done(&a);
    arena_done(&scratch);
}

/* Components of three numbers that stay or grow; then nothing regular; then one number, again and again. */
static void lists_that_repeat_are_short(void **state)
{
    (void)state;
    enum { COMPONENTS = 1000, ODD = 5, SAME = 400, N = 3 * COMPONENTS + ODD + SAME };
    static const int odd[ODD] = {9, 40, 3, 77, 20};
    int v[N];
    for (int k = 0; k < COMPONENTS; k++) {
        v[3 * k] = 7 + 5 * k;
        v[3 * k + 1] = 2;
        v[3 * k + 2] = 90000 - 8 * k;
    }
    memcpy(v + 3 * COMPONENTS, odd, sizeof odd);
    for (int k = N - SAME; k < N; k++) v[k] = 20;
    assert_packed(v, 3 * COMPONENTS, 2 * 3);
    assert_packed(v + N - SAME, SAME, 2);
    assert_packed(v + 3 * COMPONENTS, ODD, ODD);
    assert_packed(v, N, 2 * 3 + (ODD - 1) + 2); // the last odd one is what follows
    assert_packed(v, 0, 0);
}

/* Constraints, aliases of derivatives, and a derivative that the start alone asks for. */
static void entries_are_those_of_the_structure(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "parameter g = 9.81\nReal x\nReal y\nReal vx\nReal l\nReal z\nder(x) = vx\n"
             "der(vx) = -l*x\nder(der(y)) = -l*y - g\nx^2 + y^2 = 1\nder(z) = -z\n"
             "initial der(der(z)) = 4\n",
             NULL);
    const structure *s = r.s;
    const image_entries *x = &r.model->entries;
    arena *a = r.s->a;
    assert_int_equal(x->n, s->entries.n);
    assert_true(s->n_beyond > 0);
    for (int e = 0; e < s->entries.n; e++) {
        int times, expected, v = structure_named_by(s, e, &expected);
        assert_int_equal(image_order_of(x, e), structure_order_of(s, e));
        assert_int_equal(image_highest_of(x, e), s->unknowns.at[s->entries.at[e].unknown].d);
        assert_int_equal(image_at(&x->attributes, e), s->entries.at[e].attributes);
        if (structure_order_of(s, e))
            assert_int_equal(image_entry_below(x, e), structure_entry_below(s, e));
        assert_int_equal(image_called(x, e, &times), v);
        assert_int_equal(times, expected);
        text name;
        text_init(&name, a->m);
        run_add_name(r.model, e, &name);
        assert_string_equal(text_str(&name), structure_name_of(s, e, a));
        text_done(&name);
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decay),
        cmocka_unit_test(half_powers),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(reactions_are_rates),
        cmocka_unit_test(pendulum_direct),
        cmocka_unit_test(over_the_top),
        cmocka_unit_test(rolled_by_turns),
        cmocka_unit_test(neighbours_share_what_they_call),
        cmocka_unit_test(rolled),
        cmocka_unit_test(rolled_with_numbers),
        cmocka_unit_test(rolled_with_a_number_each),
        cmocka_unit_test(rolled_with_several_results),
        cmocka_unit_test(rolled_full_rows),
        cmocka_unit_test(rolled_rows_with_their_own),
        cmocka_unit_test(lists_that_repeat_are_short),
        cmocka_unit_test(entries_are_those_of_the_structure),
        cmocka_unit_test(settings),
        cmocka_unit_test(report_pendulum),
        cmocka_unit_test(report_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
