/* Every formulation on three mechanisms whose motion is known in closed form: a pendulum, a
 * parallelogram of three cranks (two loops), and a skate (non-holonomic). At a point of the motion
 * the system that the integrator is given must vanish, its accelerations and multipliers must be
 * those of mechanics, its Jacobian that of its rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/model_parts.h"
#include "support/rig.h"

static const double G = 9.81;

/* A quantity and its time derivative; NaN where a test has no use for it. */
typedef struct known {
    const char *name;
    double value, slope;
} known;

enum { KNOWN_MAX = 40 };
typedef struct mechanism {
    const char *what;
    char lines[3000];
    known list[KNOWN_MAX];
    int n;
    int dof;
} mechanism;

static void know(mechanism *m, const char *name, double value, double slope)
{
    m->list[m->n++] = (known){name, value, slope};
}

/* Values and slopes of everything that y may hold: start values of coordinates and velocities are
 * written into the model. */
static void declare(mechanism *m, const char *name, double value, double slope)
{
    sprintf(m->lines + strlen(m->lines), "Real %s start %.17g\n", name, value);
    know(m, name, value, slope);
}

/* Point mass 1.5 kg on a rod of 2 m, the angle from the horizontal: phi'' = -g cos(phi)/L. */
static void make_pendulum(mechanism *m)
{
    double L = 2, mass = 1.5, phi = -0.7, w = 1.3, a = -G * cos(phi) / L;
    double x = L * cos(phi), y = L * sin(phi), vx = -y * w, vy = x * w;
    double ax = -y * a - x * w * w, ay = x * a - y * w * w;
    // Along the rod: m L w^2 = lambda L - m g sin(phi) ... with the reaction -lambda (x, y).
    double lambda = mass * (w * w - G * sin(phi) / L);
    *m = (mechanism){.what = "pendulum", .dof = 1};
    declare(m, "x", x, vx);
    declare(m, "y", y, vy);
    declare(m, "vx", vx, ax);
    declare(m, "vy", vy, ay);
    strcat(m->lines, "Real lambda\nder(x) = vx\nder(y) = vy\n1.5*der(vx) = -lambda*x\n"
                     "1.5*der(vy) = -lambda*y - 1.5*9.81\nx^2 + y^2 = 4\n");
    know(m, "der(vx)", ax, NAN);
    know(m, "der(vy)", ay, NAN);
    know(m, "lambda", lambda, NAN);
}

/* Cranks of 1 m on pivots 2 m apart, masses at their ends, joined by couplers of 2 m; a force F
 * pulls the first one. All turn alike: M phi'' = -M g cos(phi) - F sin(phi). With Newton's law
 * for each mass the reactions follow one by one. */
static void make_cranks(mechanism *m)
{
    double mass[3] = {1, 2, 3}, M = 6, F = 10, phi = 0.9, w = -0.8;
    double a = -G * cos(phi) - F * sin(phi) / M, c = cos(phi), s = sin(phi);
    double vx = -s * w, vy = c * w, ax = -s * a - c * w * w, ay = c * a - s * w * w;
    static const char *const name[3][6] = {{"x1", "y1", "u1", "v1", "der(u1)", "der(v1)"},
                                           {"x2", "y2", "u2", "v2", "der(u2)", "der(v2)"},
                                           {"x3", "y3", "u3", "v3", "der(u3)", "der(v3)"}};
    *m = (mechanism){.what = "cranks", .dof = 1};
    for (int i = 0; i < 3; i++) {
        declare(m, name[i][0], 2 * i + c, vx);
        declare(m, name[i][1], s, vy);
        declare(m, name[i][2], vx, ax);
        declare(m, name[i][3], vy, ay);
        know(m, name[i][4], ax, NAN);
        know(m, name[i][5], ay, NAN);
    }
    strcat(m->lines,
           "Real l1\nReal l2\nReal l3\nReal k1\nReal k2\nder(x1) = u1\nder(x2) = u2\nder(x3) = u3\n"
           "der(y1) = v1\nder(y2) = v2\nder(y3) = v3\n"
           "der(u1) = 10 - l1*x1 + k1*(x2 - x1)\nder(v1) = -9.81 - l1*y1 + k1*(y2 - y1)\n"
           "2*der(u2) = -l2*(x2 - 2) - k1*(x2 - x1) + k2*(x3 - x2)\n"
           "2*der(v2) = -2*9.81 - l2*y2 - k1*(y2 - y1) + k2*(y3 - y2)\n"
           "3*der(u3) = -l3*(x3 - 4) - k2*(x3 - x2)\n3*der(v3) = -3*9.81 - l3*y3 - k2*(y3 - y2)\n"
           "x1^2 + y1^2 = 1\n(x2 - 2)^2 + y2^2 = 1\n(x3 - 4)^2 + y3^2 = 1\n"
           "(x2 - x1)^2 + (y2 - y1)^2 = 4\n(x3 - x2)^2 + (y3 - y2)^2 = 4\n");
    double l[3];
    for (int i = 0; i < 3; i++) l[i] = -mass[i] * (ay + G) / s; // vertically: couplers are level
    know(m, "l1", l[0], NAN);
    know(m, "l2", l[1], NAN);
    know(m, "l3", l[2], NAN);
    know(m, "k1", (mass[0] * ax + l[0] * c - F) / 2, NAN);
    know(m, "k2", -(mass[2] * ax + l[2] * c) / 2, NAN);
}

/* A knife edge under the centre of a body on a slope: with the speed v along the heading theta,
 * v' = (F/m) cos(theta), theta' constant. */
static void make_skate(mechanism *m)
{
    double mass = 2, F = 3, theta = 0.4, w = 0.7, v = 1.1, dv = F / mass * cos(theta);
    double c = cos(theta), s = sin(theta), ax = dv * c - v * w * s, ay = dv * s + v * w * c;
    *m = (mechanism){.what = "skate", .dof = 2};
    declare(m, "x", 0.3, v * c);
    declare(m, "y", -0.2, v * s);
    declare(m, "q", theta, w);
    declare(m, "vx", v * c, ax);
    declare(m, "vy", v * s, ay);
    declare(m, "w", w, 0);
    strcat(m->lines,
           "Real lambda\nder(x) = vx\nder(y) = vy\nder(q) = w\n2*der(vx) = lambda*sin(q) + 3\n"
           "2*der(vy) = -lambda*cos(q)\n0.5*der(w) = 0\nvx*sin(q) - vy*cos(q) = 0\n");
    know(m, "der(vx)", ax, NAN);
    know(m, "der(vy)", ay, NAN);
    know(m, "der(w)", 0, NAN);
    know(m, "lambda", (mass * ax - F) * s - mass * ay * c, NAN);
}

static void (*const make[])(mechanism *m) = {make_pendulum, make_cranks, make_skate};
enum { N_MECHANISMS = sizeof make / sizeof *make };

static const known *find(const mechanism *m, const char *name)
{
    for (int i = 0; i < m->n; i++)
        if (!strcmp(m->list[i].name, name)) return &m->list[i];
    return NULL;
}

/* The point of the motion in the unknowns of this formulation; its own unknowns are 0 there. */
static void put_motion(rig *r, const mechanism *m)
{
    for (int i = 0; i < r->p->n; i++) {
        const known *k = find(m, r->p->unknown_name(r->p->user, i));
        r->y[i] = k ? k->value : 0;
        r->yp[i] = k && r->p->differential[i] ? k->slope : 0;
    }
}

static double residual_size(rig *r)
{
    double f[RIG_MAX], most = 0;
    assert_int_equal(r->p->residual(r->p->user, r->t, r->y, r->yp, f), 0);
    for (int i = 0; i < r->p->n; i++) most = fmax(most, fabs(f[i]));
    return most;
}

typedef void check(rig *r, const mechanism *m, const form_kind *kind);

static void each(check *c)
{
    for (int i = 0; i < N_MECHANISMS; i++) {
        mechanism m;
        make[i](&m);
        for (const form_kind *const *k = form_kinds; *k; k++) {
            rig r;
            rig_open(&r, m.lines, (*k)->name);
            rig_begin(&r, 0); // here the Jacobian is compared with differences
            if (getenv("SHOW")) printf("%s, %s: n = %d\n", m.what, (*k)->name, r.p->n);
            c(&r, &m, *k);
            rig_close(&r);
        }
    }
}

/* ---- at a point ------------------------------------------------------------------------------ */

static void vanishes(rig *r, const mechanism *m, const form_kind *kind)
{
    put_motion(r, m);
    double at = residual_size(r);
    if (!(at < 1e-13 * 100)) fail_msg("%s, %s: residual %g", m->what, kind->name, at);
    // And nowhere else nearby: in velocities, multipliers and accelerations F is regular.
    for (int i = 0; i < r->p->n; i++) {
        if (r->p->differential[i]) continue;
        r->y[i] += 1e-3;
        if (residual_size(r) < 1e-5)
            fail_msg("%s, %s: '%s' is in no row", m->what, kind->name,
                     r->p->unknown_name(r->p->user, i));
        r->y[i] -= 1e-3;
    }
}

static void residual_vanishes_along_the_motion(void **state)
{
    (void)state;
    each(vanishes);
}

/* Start values were consistent: they stay, and accelerations and multipliers are found. */
static void has_accelerations(rig *r, const mechanism *m, const form_kind *kind)
{
    for (int i = 0; i < m->n; i++) {
        double x = rig_value(r, m->list[i].name);
        if (!(fabs(x - m->list[i].value) <= 1e-11 * (1 + fabs(m->list[i].value))))
            fail_msg("%s, %s: %s = %.17g, not %.17g", m->what, kind->name, m->list[i].name, x,
                     m->list[i].value);
    }
    assert_int_equal(r->model->summary.freedom, m->dof);
}

static void start_finds_accelerations(void **state)
{
    (void)state;
    each(has_accelerations);
}

/* The explicit form from coordinates and velocities alone. */
static void explicit_form(rig *r, const mechanism *m, const form_kind *kind)
{
    assert_int_equal(kind->explicit, r->p->rhs != NULL);
    if (!r->p->rhs) return;
    put_motion(r, m);
    for (int i = 0; i < r->p->n; i++) {
        r->yp[i] = 0;
        if (!r->p->differential[i]) r->y[i] = 0;
    }
    assert_int_equal(r->p->rhs(r->p->user, 0, r->y, r->yp), 0);
    has_accelerations(r, m, kind);
    for (int i = 0; i < r->p->n; i++) {
        const known *k = find(m, r->p->unknown_name(r->p->user, i));
        if (k && r->p->differential[i])
            assert_near(r->yp[i], k->slope, 1e-11 * (1 + fabs(k->slope)));
    }
}

static void explicit_form_gives_slopes(void **state)
{
    (void)state;
    each(explicit_form);
}

/* Off the motion by d in one coordinate the violation is that of the constraint as written and of
 * its derivatives. */
static void violation_as_written(void **state)
{
    (void)state;
    mechanism m;
    make_pendulum(&m);
    for (const form_kind *const *k = form_kinds; *k; k++) {
        rig r;
        rig_open(&r, m.lines, (*k)->name);
        rig_begin(&r, 0);
        put_motion(&r, &m);
        double v[3], d = 0.01, vx = find(&m, "vx")->value, x = find(&m, "x")->value;
        assert_int_equal(r.p->violation(r.p->user, 0, r.y, r.yp, v), 0);
        assert_true(v[0] < 1e-14 && v[1] < 1e-14 && v[2] < 1e-13);
        int i = rig_unknown(&r, "x");
        assert_true(i >= 0);
        r.y[i] += d;
        assert_int_equal(r.p->violation(r.p->user, 0, r.y, r.yp, v), 0);
        assert_near(v[0], 2 * x * d + d * d, 1e-13);
        assert_near(v[1], fabs(2 * d * vx), 1e-13);
        rig_close(&r);
    }
}

/* ---- in the long run ------------------------------------------------------------------------- */

/* A pendulum for about seven periods with a coarse method: where the flag says that constraints
 * drift they are visibly off, otherwise they hold; and every formulation comes to the same place. */
static void drift_as_declared(void **state)
{
    (void)state;
    mechanism m;
    make_pendulum(&m);
    for (const form_kind *const *k = form_kinds; *k; k++) {
        rig r;
        double v[3];
        rig_open(&r, m.lines, (*k)->name);
        rig_begin(&r, 0);
        rig_integrate(&r, "bdf", 1e-5, 20);
        r.p->violation(r.p->user, 20, r.y, r.yp, v);
        if (getenv("SHOW")) printf("%s: %g %g\n", (*k)->name, v[0], v[1]);
        if ((*k)->drifts ? !(v[0] > 1e-7) : !(v[0] < 1e-6))
            fail_msg("%s: position off by %g, %s", (*k)->name, v[0],
                     (*k)->drifts ? "though it drifts" : "though it does not drift");
        rig_close(&r);
    }
}

/* ---- parameters of formulations -------------------------------------------------------------- */

/* The row of a violated constraint reads f'' + 2 zeta omega f' + omega^2 f = 0; with f as given
 * and f' and f'' by x, v and the accelerations found, the sum vanishes. */
static double decay_sum(const char *spec, double a, double b)
{
    mechanism m;
    rig r;
    make_pendulum(&m);
    rig_open(&r, m.lines, spec);
    rig_begin(&r, 0);
    *rig_y(&r, "x") += 0.1;
    *rig_y(&r, "vy") -= 0.2;
    assert_int_equal(r.p->rhs(r.p->user, 0, r.y, r.yp), 0);
    double x = rig_value(&r, "x"), y = rig_value(&r, "y"), vx = rig_value(&r, "vx"),
           vy = rig_value(&r, "vy"), ax = rig_value(&r, "der(vx)"), ay = rig_value(&r, "der(vy)");
    double f = x * x + y * y - 4, df = 2 * (x * vx + y * vy),
           ddf = 2 * (x * ax + y * ay + vx * vx + vy * vy);
    rig_close(&r);
    return ddf + a * df + b * f;
}

static void baumgarte_coefficients(void **state)
{
    (void)state;
    assert_near(decay_sum("index1", 0, 0), 0, 1e-11);
    assert_near(decay_sum("baumgarte", 20, 100), 0, 1e-10); // zeta 1, omega 10
    assert_near(decay_sum("baumgarte:zeta=0.5,omega=4", 4, 16), 0, 1e-11);
    assert_near(decay_sum("baumgarte:tau=0.1", 20, 100), 0, 1e-10);
    assert_near(decay_sum("baumgarte:a=3,b=7", 3, 7), 0, 1e-11);
    assert_true(fabs(decay_sum("baumgarte:a=3,b=7", 3, 8)) > 0.1); // f = 0.3 or so
}

/* ---- refusals -------------------------------------------------------------------------------- */

static const char *refusal(rig *r, const char *lines, const char *spec)
{
    if (rig_try_open(r, lines, spec)) fail_msg("'%s' was accepted", spec);
    const char *m = mini_messages(&r->k);
    if (getenv("SHOW")) puts(m);
    return m;
}

static void refused(const char *lines, const char *spec, const char *code, const char *words)
{
    rig r;
    const char *m = refusal(&r, lines, spec);
    if (strncmp(m, code, strlen(code)) || !strstr(m, words))
        fail_msg("'%s': expected %s ... %s, not %s", spec, code, words, m);
    rig_close(&r);
}

/* Index 2, and no mechanics: u enters the constraint's derivative twice, nonlinearly. */
static const char circuit[] =
    "Real x\nReal z\nReal u\nder(x) = z + u + u^3\nder(z) = u - x\n0 = x - sin(time)\n";

static void mechanical_formulations_refuse(void **state)
{
    (void)state;
    static const char *const mechanical[] = {"maggi",        "kkt",           "udwadia",
                                             "nullspace-qr", "nullspace-svd", "finzi"};
    for (size_t i = 0; i < sizeof mechanical / sizeof *mechanical; i++) {
        char words[100];
        sprintf(words, "'%s' needs a mechanical model, but the equation", mechanical[i]);
        refused(circuit, mechanical[i], "S204", words);
    }
    refused(
        "Real x\nReal v\nReal a\nReal u\nder(x) = v\nder(v) = a\nder(a) = u\n0 = x - sin(time)\n",
        "ggl", "S203", "must be differentiated 3 times");
    // Those that apply to every model do.
    static const char *const every[] = {"dummy", "direct", "project", "index1", "baumgarte"};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
        rig r;
        rig_open(&r, circuit, every[i]);
        rig_begin(&r, 0);
        assert_near(rig_value(&r, "x"), 0, 1e-12);
        assert_near(rig_value(&r, "z") + rig_value(&r, "u") + pow(rig_value(&r, "u"), 3), 1, 1e-9);
        rig_close(&r);
    }
}

static void parameters_are_checked(void **state)
{
    (void)state;
    mechanism m;
    make_pendulum(&m);
    refused(m.lines, "dumy", "S200", "there is no formulation 'dumy'; did you mean 'dummy'?");
    refused(m.lines, "qqqqqqqq", "S200", "there is no formulation 'qqqqqqqq'");
    refused(m.lines, "baumgarte:zetta=1", "S201", "'zetta=1' is not a parameter");
    refused(m.lines, "baumgarte:zeta=", "S201", "'zeta=' is not a parameter");
    refused(m.lines, "baumgarte:zeta=x", "S201", "'zeta=x' is not a parameter");
    refused(m.lines, "baumgarte:tau=-1", "S201", "tau = -1: the time constant");
    refused(m.lines, "partition:independent=z", "S205", "z");
    for (const form_kind *const *k = form_kinds; *k; k++) {
        char spec[60];
        sprintf(spec, "%s:nosuch=1", (*k)->name);
        refused(m.lines, spec, "S201", "'nosuch=1' is not a parameter of the formulation");
    }
}

/* Roots in the right half plane are studied by some: a warning, and no refusal. */
static void growing_violations_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool stable;
    } list[] = {{"baumgarte:zeta=-1", false},     {"baumgarte:zeta=0.1", true},
                {"baumgarte:a=1,b=-1", false},    {"baumgarte:a=1,b=1", true},
                {"baumgarte:a=1,b=1,c=2", false}, // s^3 + s^2 + s + 2: 1*1 < 2 (Routh)
                {"baumgarte:a=2,b=2,c=2", true}};
    mechanism m;
    make_pendulum(&m);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        rig r;
        rig_open(&r, m.lines, list[i].spec);
        bool told = strstr(mini_messages(&r.k), "S202") != NULL;
        if (told == list[i].stable) fail_msg("%s: %s", list[i].spec, mini_messages(&r.k));
        rig_close(&r);
    }
}

/* x is the independent coordinate: it keeps its value where the constraint is violated. */
static void partition_keeps_what_is_asked(void **state)
{
    (void)state;
    mechanism m;
    rig r;
    make_pendulum(&m);
    static const char *const kept[2] = {"x", "y"};
    for (int i = 0; i < 2; i++) {
        char spec[60];
        sprintf(spec, "partition:independent=%s", kept[i]);
        rig_open(&r, m.lines, spec);
        rig_begin(&r, 0);
        *rig_y(&r, "x") += 0.05;
        *rig_y(&r, "y") -= 0.07;
        double held = *rig_y(&r, kept[i]), other = *rig_y(&r, kept[1 - i]);
        assert_int_equal(r.p->project(r.p->user, 0, r.y, r.yp), 0);
        assert_near(*rig_y(&r, kept[i]), held, 1e-15);
        assert_near(*rig_y(&r, kept[1 - i]), copysign(sqrt(4 - held * held), other), 1e-12);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_vanishes_along_the_motion),
        cmocka_unit_test(start_finds_accelerations),
        cmocka_unit_test(explicit_form_gives_slopes),
        cmocka_unit_test(violation_as_written),
        cmocka_unit_test(drift_as_declared),
        cmocka_unit_test(baumgarte_coefficients),
        cmocka_unit_test(mechanical_formulations_refuse),
        cmocka_unit_test(parameters_are_checked),
        cmocka_unit_test(growing_violations_are_told),
        cmocka_unit_test(partition_keeps_what_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
