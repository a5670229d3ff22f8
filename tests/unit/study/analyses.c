/* Analyses as data, held to closed forms.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

/* A point on a circle: index 3, one degree of freedom, the constraint and two derivatives of it. */
static void check_of_a_pendulum(void **state)
{
    (void)state;
    session s = session_begin(pendulum);
    vinc_check *c = NULL;
    done(s, vinc_check_of(s.model, &c));
    assert_int_equal(c->index_structural, 3);
    assert_int_equal(c->index_numerical, 3);
    assert_int_equal(c->dof, 1);
    assert_int_equal(c->n_unknowns, 5);
    assert_int_equal(c->n_states, 2);
    assert_int_equal(c->n_constraints, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(c->constraints[i].level, i);
    assert_string_equal(c->constraints[0].equation, "x^2 + y^2 = 1");
    assert_string_equal(c->form, "hessenberg-3");
    int unknowns = 0; // the highest derivatives x'', y'' and F
    for (int i = 0; i < c->n_blocks; i++) unknowns += c->blocks[i];
    assert_int_equal(unknowns, 3);
    vinc_report_free(c);
    session_done(&s);
}

static double final_value(const vinc_run *r, const char *name)
{
    for (int i = 0; i < r->n_final; i++)
        if (!strcmp(r->final_names[i], name)) return r->final_values[i];
    fail_msg("there is no final value of %s", name);
    return NAN;
}

/* x' = -x; and the pendulum, whose energy stays and whose constraint holds. */
static void runs(void **state)
{
    (void)state;
    vinc_sim *sim = NULL;
    vinc_run *r = NULL;
    session s = session_begin(decay);
    done(s, vinc_sim_new(s.model, &(vinc_sim_options){.rel_tol = 1e-10}, &sim));
    done(s, vinc_sim_run(sim));
    done(s, vinc_run_of(sim, &r));
    assert_near(final_value(r, "x"), exp(-1), 1e-8);
    assert_near(final_value(r, "der(x)"), -exp(-1), 1e-8);
    assert_true(r->done && r->code == VINC_OK && r->steps > 0);
    assert_string_equal(r->status, "done");
    assert_string_equal(r->formulation, "none");
    assert_false(r->constrained);
    assert_true(isnan(r->position_max) && isnan(r->verified) && !r->has_energy);
    vinc_sim_stats n;
    vinc_sim_statistics(sim, &n);
    assert_int_equal(r->residual_evals, n.residual_evals);
    vinc_report_free(r);
    vinc_sim_free(sim);
    session_done(&s);

    s = session_begin(pendulum);
    done(s, vinc_sim_new(s.model, &(vinc_sim_options){.max_steps = 3}, &sim));
    assert_int_equal(vinc_sim_run(sim), VINC_E_LIMIT);
    done(s, vinc_run_of(sim, &r));
    assert_string_equal(r->status, "failed");
    assert_true(r->code == VINC_E_LIMIT && !r->done && *r->message);
    assert_true(r->constrained && r->position_max < 1e-6);
    assert_int_equal(r->dof, 1);
    vinc_report_free(r);
    vinc_sim_free(sim);
    session_done(&s);
}

static double rest_value(const vinc_run *r, const char *name)
{
    for (int i = 0; i < r->n_rest; i++)
        if (!strcmp(r->rest[i].name, name)) return r->rest[i].value;
    fail_msg("%s is not at rest", name);
    return NAN;
}

/* At rest the pendulum hangs below: y = -1, F = 9.81. */
static void a_point_of_rest(void **state)
{
    (void)state;
    vinc_sim *sim = NULL;
    vinc_run *r = NULL;
    session s = session_begin(pendulum);
    done(s, vinc_sim_new(s.model, &(vinc_sim_options){.equilibrium = 1}, &sim));
    done(s, vinc_sim_run(sim));
    done(s, vinc_run_of(sim, &r));
    assert_true(r->equilibrium);
    assert_near(rest_value(r, "y"), -1, 1e-9);
    assert_near(rest_value(r, "F"), 9.81, 1e-8);
    vinc_report_free(r);
    vinc_sim_free(sim);
    session_done(&s);
}

/* 2 a + 0.4 v + 8 x = F: natural frequency 2, damping ratio 0.05, eigenvalues -0.1 +- i sqrt 3.99;
 * u = F, y = v. */
static void linearization(void **state)
{
    (void)state;
    session s = session_begin(oscillator);
    vinc_linear *l = NULL;
    done(s, vinc_linear_of(s.model, NULL, &l));
    assert_int_equal(l->n_states, 2);
    assert_int_equal(l->n_inputs, 1);
    assert_int_equal(l->n_outputs, 1);
    int x = strcmp(l->states[0], "x") != 0, v = 1 - x; // which is which
    const double *a = l->a;
    assert_near(a[x + 2 * x], 0, 1e-12);
    assert_near(a[x + 2 * v], 1, 1e-12);
    assert_near(a[v + 2 * x], -4, 1e-12);
    assert_near(a[v + 2 * v], -0.2, 1e-12);
    assert_near(l->b[v], 0.5, 1e-12);
    assert_near(l->c[v], 1, 1e-12);
    assert_near(l->d[0], 0, 1e-12);
    assert_int_equal(l->n_modes, 2);
    for (int i = 0; i < 2; i++) {
        assert_near(l->modes[i].re, -0.1, 1e-12);
        assert_near(l->modes[i].im, (i ? -1 : 1) * sqrt(3.99), 1e-12);
        assert_near(l->modes[i].frequency, 2, 1e-12);
        assert_near(l->modes[i].damping, 0.05, 1e-12);
        assert_near(fmax(hypot(l->modes[i].shape_re[0], l->modes[i].shape_im[0]),
                         hypot(l->modes[i].shape_re[1], l->modes[i].shape_im[1])),
                    1, 1e-12);
    }
    vinc_report_free(l);
    session_done(&s);
}

static int lines;

static void count_line(void *user, const char *line)
{
    assert_ptr_equal(user, &lines);
    assert_non_null(strchr(line, '\n'));
    lines++;
}

/* Formulations that hold the constraint reach the motion to the tolerance and stay on the circle;
 * an explicit method on index 3 is refused, and that is a finding. */
static void comparison(void **state)
{
    (void)state;
    session s = session_begin(pendulum);
    vinc_comparison *c = NULL;
    vinc_sim_options run = {.rel_tol = 1e-8};
    vinc_compare_options o = {.run = &run,
                              .formulations = "ggl,baumgarte:zeta=1,omega=5,direct",
                              .methods = "radau5,dopri5",
                              .line = count_line,
                              .user = &lines};
    lines = 0;
    done(s, vinc_comparison_of(s.model, &o, &c));
    assert_int_equal(lines, 7); // one for the head
    assert_int_equal(c->n_formulations, 3);
    assert_string_equal(c->formulations[1], "baumgarte:zeta=1,omega=5");
    assert_int_equal(c->n_methods, 2);
    assert_int_equal(c->n_runs, 6);
    assert_int_equal(c->n_done, 4); // dopri5 with ggl and with direct is refused
    for (int i = 0; i < c->n_runs; i++) {
        const vinc_compared *r = &c->runs[i];
        assert_string_equal(r->formulation, c->formulations[i / 2]);
        assert_string_equal(r->method, c->methods[i % 2]);
        assert_null(r->run.report);
        if (!*r->why) {
            assert_true(r->ran && r->error < 1e-5 && r->run.steps > 0);
            assert_true(r->run.position_max < 1e-5);
        } else {
            assert_true(isnan(r->error));
            assert_string_equal(r->status, "failed");
        }
    }
    assert_int_equal(vinc_ctx_n_diagnostics(s.ctx), 0); // refusals are findings, not messages
    vinc_report_free(c);
    session_done(&s);

    s = session_begin(decay); // without constraints all formulations are one
    done(s, vinc_comparison_of(s.model, NULL, &c));
    assert_int_equal(c->n_formulations, 1);
    assert_string_equal(c->formulations[0], "none");
    assert_int_equal(c->n_done, 3);
    vinc_report_free(c);
    session_done(&s);
}

/* The classical Runge-Kutta method on x' = -x: error (e^-h - R(-h)) n e^-(n-1)h, order 4. */
static void convergence(void **state)
{
    (void)state;
    session s = session_begin(decay);
    vinc_convergence *c = NULL;
    vinc_sim_options run = {.method = "rk4", .step = 0.1};
    done(s,
         vinc_convergence_of(s.model, &(vinc_convergence_options){.run = &run, .levels = 4}, &c));
    assert_int_equal(c->expected_order, 4);
    assert_int_equal(c->n_variables, 1);
    assert_int_equal(c->n_rows, 4);
    assert_near(c->observed_order[0], 4, 0.1);
    for (int i = 0; i < 4; i++) {
        double h = c->rows[i].h, r = 1 - h + h * h / 2 - h * h * h / 6 + h * h * h * h / 24;
        assert_int_equal(c->rows[i].steps, 10 << i);
        assert_near(c->rows[i].error[0], fabs(pow(r, 10 << i) - exp(-1)), 2e-13);
    }
    assert_true(isnan(c->rows[0].order[0]));
    vinc_report_free(c);
    session_done(&s);
}

/* x' = -100 x: factor |1 - 100 h| of explicit Euler; distances are its powers. */
static void contractivity(void **state)
{
    (void)state;
    session s =
        session_begin("model S Real x(start = 1, fixed = true); equation der(x) = -100*x; end S;");
    vinc_contractivity *c = NULL;
    vinc_sim_options run = {.method = "euler", .step = 0.03, .has_stop = 1, .t_stop = 0.3};
    done(s, vinc_contractivity_of(s.model, &(vinc_contractivity_options){.run = &run}, &c));
    assert_false(c->contractive);
    assert_true(c->problem_contractive);
    assert_near(c->largest_factor, 2, 1e-6);
    assert_near(c->logarithmic_norm, -100, 1e-9);
    assert_int_equal(c->n_points, 11);
    for (int i = 0; i < 11; i++) assert_near(c->distance[i] / pow(2, i), 1, 1e-6);
    vinc_report_free(c);
    session_done(&s);
}

/* Force and speed of a damped oscillator: passive, H = s/(2 s^2 + 0.4 s + 8); with its energy as
 * storage nothing but 0.4 v^2 is dissipated. */
static void passivity(void **state)
{
    (void)state;
    session s = session_begin(oscillator);
    vinc_passivity *p = NULL;
    done(s, vinc_passivity_of(s.model, &(vinc_passivity_options){.storage = "V"}, &p));
    assert_int_equal(p->n_ports, 1);
    assert_true(p->passive == 1 && p->linear && p->linear_passive && p->storage_holds);
    assert_string_equal(p->kind, "storage-limited");
    assert_true(p->dissipated > 0 && p->n_sines > 0);
    assert_near(p->dissipated, p->supplied - (p->storage_end - p->storage_start), 1e-12);
    vinc_report_free(p);
    session_done(&s);
}

/* (s + 2)/(s^2 + s + 1): Re H(i w) has the sign of 2 - w^2. */
static void positive_real(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_positive_real *p = NULL;
    assert_int_equal(vinc_positive_real_of(ctx, "1,2", "1,1,1", &p), VINC_OK);
    assert_false(p->passive);
    assert_int_equal(p->n_crossings, 1);
    assert_near(p->crossings[0], sqrt(2), 1e-9);
    vinc_report_free(p);
    assert_int_equal(vinc_positive_real_of(ctx, "1,1", "1,2", &p), VINC_OK);
    assert_true(p->passive && p->strictly);
    vinc_report_free(p);
    // What cancels is no pole: 1/s, 1, 1/(s + 1), and -1, which is active.
    static const struct {
        const char *num, *den;
        int passive, common;
    } cases[] = {{"1,0", "1,0,0", 1, 1},
                 {"1,-1", "1,-1", 1, 1},
                 {"1,-3.5,3.5,-1", "1,-2.5,0,2.5,-1", 1, 3},
                 {"-1,1", "1,-1", 0, 1},
                 {"1", "1,-1", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(vinc_positive_real_of(ctx, cases[i].num, cases[i].den, &p), VINC_OK);
        if (p->passive != cases[i].passive || p->n_common != cases[i].common)
            fail_msg("%s / %s: %s", cases[i].num, cases[i].den, p->reason);
        vinc_report_free(p);
    }
    vinc_ctx_free(ctx);
}

/* der(x) = -x + x^3/2 + u and y = x: the linearization is passive, but from 2^(1/2) on x escapes in finite
 * time. */
static void escape_is_not_passive(void **state)
{
    (void)state;
    session s =
        session_begin("model M input Real u; output Real y; Real x(start = 0, fixed = true);"
                      "equation der(x) = -x + 0.5*x^3 + u; y = x; end M;");
    vinc_passivity *p = NULL;
    done(s, vinc_passivity_of(s.model, NULL, &p));
    assert_false(p->passive);
    assert_string_equal(p->basis, "refuted");
    assert_non_null(strstr(p->reason, "x grows beyond every bound"));
    vinc_report_free(p);
    session_done(&s);
}

/* x = sin t, y = x', z = y': a nilpotent block of size 3; and the oscillator, which has none. */
static void pencils(void **state)
{
    (void)state;
    session s =
        session_begin("model L Real x, y, z; equation x = 0; der(x) = y; der(y) = z; end L;");
    vinc_pencil *p = NULL;
    done(s, vinc_pencil_of_model(s.model,
                                 &(vinc_pencil_options){.rhs = "sin(t);0;0", .intervals = 4}, &p));
    assert_true(p->regular && p->solved);
    assert_int_equal(p->index, 3);
    assert_int_equal(p->n_finite, 0);
    assert_int_equal(p->n_blocks, 1);
    assert_int_equal(p->blocks[0], 3);
    assert_string_equal(p->unknowns[1], "y");
    assert_int_equal(p->n_points, 5);
    for (int i = 0; i < 5; i++) {
        double t = p->points[i].t;
        assert_near(p->points[i].x[0], sin(t), 1e-12);
        assert_near(p->points[i].x[1], cos(t), 1e-12);
        assert_near(p->points[i].x[2], -sin(t), 1e-12);
    }
    vinc_report_free(p);
    session_done(&s);

    s = session_begin("model O Real x, v; equation der(x) = v; der(v) = -4*x; end O;");
    done(s, vinc_pencil_of_model(s.model, NULL, &p));
    assert_int_equal(p->index, 0);
    assert_int_equal(p->n_eigenvalues, 2);
    for (int i = 0; i < 2; i++) {
        assert_near(p->eig_re[i], 0, 1e-12);
        assert_near(fabs(p->eig_im[i]), 2, 1e-12);
    }
    assert_string_equal(p->form, "ode");
    vinc_report_free(p);
    session_done(&s);
}

/* The classical Runge-Kutta method has R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24, the trapezoid the
 * error constant -1/12, BDF2 the polynomial rho = (3 z^2 - 4 z + 1)/2 up to a factor. */
static void methods(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_method_set *t = NULL;
    assert_int_equal(vinc_method_set_of(ctx, "rk4,trapezoid,bdf2,bdf", NULL, &t), VINC_OK);
    assert_int_equal(t->n_methods, 4);
    const vinc_method_facts *m = t->methods;
    static const double r[] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24};
    assert_int_equal(m[0].order, 4);
    assert_int_equal(m[0].n_numerator, 5);
    for (int i = 0; i < 5; i++) assert_near(m[0].numerator[i], r[i], 1e-16);
    assert_true(m[0].is_explicit && !m[0].a_stable && m[0].one_step);
    assert_near(m[0].imag_limit, sqrt(8), 1e-9);
    assert_near(m[1].error_constant, -1.0 / 12, 1e-16);
    assert_string_equal(m[1].error_constant_exact, "-1/12");
    assert_true(m[1].a_stable && !m[1].l_stable && m[1].symmetric);
    assert_int_equal(m[2].n_rho, 3);
    assert_near(m[2].rho[0] / m[2].rho[2], 1.0 / 3, 1e-15);
    assert_near(m[2].rho[1] / m[2].rho[2], -4.0 / 3, 1e-15);
    assert_true(m[2].l_stable && m[2].for_daes && !m[2].one_step);
    assert_true(!m[3].known && m[3].varies && m[3].order_min == 1 && m[3].order_max == 5);
    vinc_report_free(t);
    assert_int_equal(vinc_method_set_of(ctx, NULL, NULL, &t), VINC_OK);
    for (int i = 0; i < t->n_methods; i++)
        assert_string_equal(t->methods[i].name, vinc_method_name(i));
    assert_null(vinc_method_name(t->n_methods));
    vinc_report_free(t);
    assert_int_equal(vinc_method_set_of(ctx, "design:gauss:1", NULL, &t),
                     VINC_OK); // the midpoint rule
    assert_int_equal(t->methods[0].n_stages, 1);
    assert_near(t->methods[0].a[0], 0.5, 1e-16);
    assert_near(t->methods[0].b[0], 1, 1e-16);
    vinc_report_free(t);
    vinc_ctx_free(ctx);
}

/* A bead of 3 kg on the parabola y = x^2, at x = 1.5 with x' = 2: Phi_q = (-2x, 1) up to a factor,
 * c = 2 x'^2, T = (1, 2x) or (1/(2x), 1), T^T M T = 3 (1 + 4x^2) or (2x)^-2 of it. The equations of
 * motion are written the wrong way round and in another order than the coordinates. */
static void mechanical_matrices(void **state)
{
    (void)state;
    session s = session_begin(
        "model Bead Real x(start = 1.5, fixed = true), y, u(start = 2, fixed = true), v, N;"
        "parameter Real m = 3, g = 10; equation y = x^2; -m*g + N = m*der(v);"
        "0 = m*der(u) + 2*x*N; u = der(x); v = der(y); end Bead;");
    vinc_mechanics *p = NULL;
    done(s, vinc_mechanics_of(s.model, &p));
    assert_true(p->n == 2 && p->m == 1 && p->free == 1);
    int ix = strcmp(p->coordinates[0], "u") == 0 ? 0 : 1, iy = 1 - ix;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) assert_near(p->mass[i + 2 * j], i == j ? 3 : 0, 1e-14);
    assert_near(p->phi_q[ix] / p->phi_q[iy], -3, 1e-14);
    assert_near(p->c[0] / p->phi_q[iy], 8, 1e-13);
    assert_near(p->q[iy], -30, 1e-13);
    assert_near(p->q[ix], 0, 1e-13);
    assert_near(p->reaction[ix], 3, 1e-13); // 2 x N on the side of the inertia
    assert_near(p->t[iy] / p->t[ix], 3, 1e-13);
    assert_near(p->projected[0], 3 * (p->t[ix] * p->t[ix] + p->t[iy] * p->t[iy]), 1e-12);
    assert_true(p->n_mass == 4 && p->n_t == 2 && p->n_projected == 1 && p->n_c == 1);
    assert_string_equal(p->mass_formulas[0], "m");
    assert_string_equal(p->mass_formulas[1], "0");
    vinc_report_free(p);
    session_done(&s);
    s = session_begin(
        "model Tank Real h(start = 1), q; equation der(h) = -q; q^2 + q = h; end Tank;");
    assert_int_equal(vinc_mechanics_of(s.model, &p), VINC_E_MODEL);
    assert_non_null(strstr(vinc_ctx_messages(s.ctx), "S204"));
    session_done(&s);
}

/* Right-hand sides without a closed form. x(1) of x' + 2 x + z = sqrt(1 + t), z = tanh(t), x(0) = 1
 * is e^-2 + integral of e^(-2 (1 - s)) (sqrt(1 + s) - tanh(s)) ds, by mpmath 1.2.1 with 30 digits;
 * with |t - 0.53|^(-1/2) and t in their place, from 0, likewise. v of N v' + v = b of index 2 is in
 * closed form. */
static void any_forcing(void **state)
{
    (void)state;
    session s = session_begin("model L Real x, z; equation der(x) + 2*x + z = 0; z = 0; end L;");
    vinc_pencil *p = NULL;
    vinc_pencil_options o = {.rhs = "sqrt(1 + t); tanh(t)", .x0 = "1,0", .intervals = 3};
    assert_int_equal(vinc_pencil_of_model(s.model, &o, &p), VINC_OK);
    assert_true(p->by_quadrature && p->n_points == 4 && p->integral_error < 1e-13);
    assert_near(p->points[3].x[0], 0.451596524823945, 1e-13);
    assert_near(p->points[3].x[1], tanh(1), 1e-15);
    vinc_report_free(p);
    o = (vinc_pencil_options){.rhs = "1/sqrt(abs(t - 0.53)); time", .intervals = 1};
    assert_int_equal(vinc_pencil_of_model(s.model, &o, &p), VINC_OK);
    assert_near(p->points[1].x[0], 0.898187248369012, 10 * p->integral_error);
    vinc_report_free(p);
    static const struct {
        const char *rhs, *said;
    } wrong[] = {{"1/(t - 0.53); t", "C157"}, {"sqrt(t - 0.5); t", "C157"}, {"1/t; 0", "C157"},
                 {"0; tan(pi*t)", "C157"},    {"sqrt(t)", "C153"},          {"f(t); 0", "M"},
                 {"sqrt(t; 1", "L"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.rhs = wrong[i].rhs;
        o.intervals = 10;
        vinc_ctx_clear(s.ctx);
        assert_int_not_equal(vinc_pencil_of_model(s.model, &o, &p), VINC_OK);
        assert_non_null(strstr(vinc_ctx_messages(s.ctx), wrong[i].said));
    }
    session_done(&s);

    s = session_begin("model N Real x, y; equation x + der(y) = 0; y = 0; end N;");
    o = (vinc_pencil_options){.rhs = "atan(t); log(1 + t)", .stop = 2};
    assert_int_equal(vinc_pencil_of_model(s.model, &o, &p), VINC_OK);
    for (int k = 0; k < p->n_points; k++) {
        double t = p->points[k].t;
        assert_near(p->points[k].x[0], atan(t) - 1 / (1 + t), 1e-14);
        assert_near(p->points[k].x[1], log(1 + t), 1e-14);
    }
    vinc_report_free(p);
    o.rhs = "0; if t > 1 then 1 else 0"; // its derivative is no function
    assert_int_equal(vinc_pencil_of_model(s.model, &o, &p), VINC_E_OPTION);
    session_done(&s);
}

/* Implicit Euler multiplies by 1/(1 - i w), w = 2 pi h/T: modulus (1 + w^2)^(-1/2), phase atan w.
 * Of BDF7 a root of modulus above 1 remains at h = 0, so near it. */
static void method_numbers(void **state)
{
    (void)state;
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_method_set *t = NULL;
    vinc_method_options at = {.at = "1/4,0.1"}; // told in ascending order
    assert_int_equal(vinc_method_set_of(ctx, "implicit-euler", &at, &t), VINC_OK);
    assert_int_equal(t->methods[0].n_at, 2);
    for (int i = 0; i < 2; i++) {
        const vinc_oscillation *o = &t->methods[0].at[i];
        double w = 2 * M_PI * (i ? 0.25 : 0.1), loss = 0.5 * log(1 + w * w), phase = atan(w);
        assert_int_equal(o->n_roots, 1);
        assert_near(o->principal_re, 1 / (1 + w * w), 1e-15);
        assert_near(o->principal_im, w / (1 + w * w), 1e-15);
        assert_near(o->radius, 1 / sqrt(1 + w * w), 1e-15);
        assert_near(o->damping, loss / hypot(loss, phase), 1e-15);
        assert_near(o->period, w / phase - 1, 1e-14);
    }
    vinc_report_free(t);
    at.at = "1e-6";
    assert_int_equal(vinc_method_set_of(ctx, "design:multistep:1,2,3,4,5,6,7;0", &at, &t), VINC_OK);
    assert_true(!t->methods[0].zero_stable && !t->methods[0].for_daes);
    // The largest root of rho of BDF7, by its coefficients in numpy.roots.
    assert_near(t->methods[0].at[0].radius, 1.0222182443616776, 1e-5);
    vinc_report_free(t);
    static const char *const wrong[] = {"0", "-1", "x", "1/0", "0.1,,", "1e7"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        at.at = wrong[i];
        assert_int_equal(vinc_method_set_of(ctx, "rk4", &at, &t), VINC_E_OPTION);
    }
    at.at = "0.1";
    assert_int_equal(vinc_method_set_of(ctx, "bdf", &at, &t), VINC_E_OPTION);
    vinc_ctx_free(ctx);
}

/* Points of rest: what every motion keeps is kept, and stable ones are preferred. In closed form:
 *
 *   A <-> B, rates 3 and 1      A + B = 1, 3 A = B
 *   A + B <-> C, rates 1 and 1  A + C = 1, B + C = 2, A B = C: C = 2 - sqrt 2
 *   friction only               x' = v, v' = -2 v: x + v/2 is kept
 *   the same with a variable    F = 2 v
 *   pendulum from 3 rad         pi is near but unstable; 0 is stable
 *   pendulum without friction   0, neither decaying nor growing
 *   x' = x^2 - 1 from 0.5       1 is nearer, -1 is stable */
static void points_of_rest(void **state)
{
    (void)state;
    static const struct {
        const char *words, *name, *stability;
        double value;
    } cases[] = {
        {"Real A(start = 1, fixed = true), B(start = 0, fixed = true);"
         "equation der(A) = -3*A + B; der(B) = 3*A - B;",
         "A", "neutral", 0.25},
        {"Real A(start = 1, fixed = true), B(start = 2, fixed = true), C(start = 0, fixed = true), "
         "r;"
         "equation r = A*B - C; der(A) = -r; der(B) = -r; der(C) = r;",
         "C", "neutral", 2 - M_SQRT2},
        {"Real x(start = 1, fixed = true), v(start = 3, fixed = true);"
         "equation der(x) = v; der(v) = -2*v;",
         "x", "neutral", 2.5},
        {"Real x(start = 1, fixed = true), v(start = 3, fixed = true), F;"
         "equation der(x) = v; der(v) = -F; F = 2*v + 0.1*v^3*0;",
         "x", "neutral", 2.5},
        {"Real phi(start = 3, fixed = true), w(start = 0, fixed = true);"
         "equation der(phi) = w; der(w) = -9.81*sin(phi) - w;",
         "phi", "stable", 0},
        {"Real phi(start = 0.3, fixed = true), w(start = 0, fixed = true);"
         "equation der(phi) = w; der(w) = -9.81*sin(phi);",
         "phi", "neutral", 0},
        {"Real x(start = 0.5, fixed = true); equation der(x) = x^2 - 1;", "x", "stable", -1},
        {"Real x(start = 0.5, fixed = true); equation der(x) = x;", "x", "unstable", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[400];
        vinc_sim *sim = NULL;
        vinc_run *r = NULL;
        snprintf(words, sizeof words, "model M %s end M;", cases[i].words);
        session s = session_begin(words);
        done(s, vinc_sim_new(s.model, &(vinc_sim_options){.equilibrium = 1}, &sim));
        done(s, vinc_sim_run(sim));
        done(s, vinc_run_of(sim, &r));
        if (strcmp(r->rest_stability, cases[i].stability))
            fail_msg("%s\n%s", words, vinc_report_text(r, VINC_TEXT));
        assert_near(vinc_result_at(vinc_sim_result(sim), cases[i].name, 0), cases[i].value, 1e-8);
        assert_int_equal(vinc_sim_n_diagnostics(sim), 0);
        vinc_report_free(r);
        vinc_sim_free(sim);
        session_done(&s);
    }
}

/* x' = x^2 from 1 has a pole at t = 1, which the message names; z^2 = 1 - t ends at t = 1 with z = 0. */
static void growth_without_bound(void **state)
{
    (void)state;
    static const char *const models[] = {
        "model G Real x(start = 1, fixed = true); equation der(x) = x^2; end G;",
        "model F Real x(start = 0, fixed = true), z(start = 1); equation der(x) = 1; z^2 = 1 - x;"
        "end F;"};
    for (int i = 0; i < 2; i++) {
        session s = session_begin(models[i]);
        vinc_sim *sim = NULL;
        done(s, vinc_sim_new(s.model, &(vinc_sim_options){.has_stop = 1, .t_stop = 2}, &sim));
        assert_true(vinc_sim_run(sim) < 0);
        assert_int_equal(!strstr(vinc_sim_messages(sim), "grows without bound"), i);
        vinc_sim_free(sim);
        session_done(&s);
    }
}

/* A body that glides without friction comes to rest nowhere. */
static void rest_out_of_reach(void **state)
{
    (void)state;
    session s = session_begin("model M Real x(start = 0, fixed = true), v(start = 1, fixed = true);"
                              "equation der(x) = v; der(v) = 0*x; end M;");
    vinc_sim *sim = NULL;
    done(s, vinc_sim_new(s.model, &(vinc_sim_options){.equilibrium = 1}, &sim));
    done(s, vinc_sim_run(sim));
    assert_non_null(strstr(vinc_sim_messages(sim), "R162"));
    vinc_sim_free(sim);
    session_done(&s);
}

/* The implicit-function theorem, at points where it holds and where it does not. */
static void singular_points(void **state)
{
    (void)state;
    static const struct {
        const char *words, *names; // NULL: regular
    } cases[] = {
        {"Real x(start = 0.5, fixed = true), y(start = 1); equation der(x) = -y; y^2 = x;", NULL},
        {"Real x(start = 0, fixed = true), y(start = 0); equation der(x) = 1 - y; y^2 = x;",
         "y^2 = x does not determine y"},
        {"Real x(start = 0, fixed = true), y(start = 0.1); equation der(x) = 1; y^3 - x*y = x;",
         "does not determine y"},
        // der(x)^2 = x has two branches that meet at x = 0.
        {"Real x(start = 0, fixed = true, nominal = 1); equation der(x)^2 = x;",
         "does not determine der(x)"},
        {"Real x(start = 4, fixed = true); equation der(x)^2 = x;", NULL},
        // Small coefficients are not singular points.
        {"Real x(start = 1, fixed = true), y; equation der(x) = y; 1e-9*y + 1e-12*y^3 = x;", NULL},
        {"Real i(start = 0, fixed = true), v; equation der(i) = -v; 1e-12*(exp(v/0.025) - 1) = i;",
         NULL},
        // Two equations together: d(a + b, a b)/d(a, b) has the determinant a - b.
        {"Real x(start = 2, fixed = true), a(start = 1.2), b(start = 0.9);"
         "equation der(x) = -x; a + b + 1e-3*sin(a*b) = x + 1e-3*sin(x^2/4); a*b = x^2/4;",
         "1 more equation do not determine"},
        {"Real x(start = 2, fixed = true), a(start = 3), b(start = 0.5);"
         "equation der(x) = -x; a + b + 1e-3*sin(a*b) = x + 1.5; a*b = x;",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[400];
        vinc_check *c = NULL;
        snprintf(words, sizeof words, "model M %s end M;", cases[i].words);
        session s = session_begin(words);
        done(s, vinc_check_of(s.model, &c));
        if (!cases[i].names && c->index_reason) fail_msg("%s: %s", words, c->index_reason);
        if (cases[i].names && (!c->index_reason || !strstr(c->index_reason, cases[i].names)))
            fail_msg("%s: %s", words, c->index_reason);
        assert_int_equal(c->index_numerical < 0, cases[i].names != NULL);
        vinc_report_free(c);
        session_done(&s);
    }
}

/* x'' = -16 x by central differences is stable up to h = 2/4 (facts.c: limit omega h = 2). */
static void steps_of_central_differences(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        session s = session_begin("model M Real x(start = 0.1, fixed = true), v(start = 0, fixed = "
                                  "true); equation der(x) = v; der(v) = -16*x; end M;");
        vinc_sim *sim = NULL;
        vinc_sim_options o = {.method = "central", .step = k ? 0.51 : 0.49};
        done(s, vinc_sim_new(s.model, &o, &sim));
        done(s, vinc_sim_advise(sim));
        assert_int_equal(strstr(vinc_ctx_messages(s.ctx), "R151") != NULL, k);
        vinc_sim_free(sim);
        session_done(&s);
    }
}

/* What a linear system does not hold is said: a delay is refused, a sampler is held, a point that moves is no
 * equilibrium (the pendulum falls at once, with its rod level). */
static void limits_of_linearization(void **state)
{
    (void)state;
    vinc_linear *l = NULL;
    session s = session_begin("model M Real x(start = 1, fixed = true); equation der(x) = -x - "
                              "5*delay(x, 1); end M;");
    assert_int_equal(vinc_linear_of(s.model, NULL, &l), VINC_E_MODEL);
    assert_non_null(strstr(vinc_ctx_messages(s.ctx), "a delay"));
    session_done(&s);
    s = session_begin("model M Real x(start = 1, fixed = true); discrete Real u(start = 0, fixed = "
                      "true); equation der(x) = -x + u; when sample(1, 1) then u = -5*x; end when; "
                      "end M;");
    done(s, vinc_linear_of(s.model, NULL, &l));
    assert_string_equal(l->held, "u");
    assert_string_equal(l->rate_of, "x");
    assert_near(l->rate, -1, 1e-12);
    assert_non_null(strstr(vinc_report_text(l, VINC_TEXT), "with discrete variables held"));
    vinc_report_free(l);
    session_done(&s);
    s = session_begin(
        "model M Real x(start = 0, fixed = true), v(start = 0, fixed = true); equation "
        "der(x) = v; der(v) = -sin(x) - v; end M;");
    done(s, vinc_linear_of(s.model, NULL, &l));
    assert_null(l->rate_of);
    assert_null(l->held);
    vinc_report_free(l);
    session_done(&s);
}

/* ---- index, freedom, form ---------------------------------------------------------------------- */

/* A: der(c) = der(a) + der(b) = -a after one differentiation, as b is given. The others are those of G. Reissig,
 * W. S. Martinson & P. I. Barton, SIAM J. Sci. Comput. 21 (2000) 1987-1990: index 1 whatever structure says,
 * because the sums of derivatives in two rows cancel in their difference. Cancelling: the difference of the
 * rows is the hidden constraint -w = u (t - u), one of two initial values is free. */
static void index_freedom_and_form(void **state)
{
    (void)state;
#define CRANKS(x, y, f)                                                                            \
    "Real x(start = " x "), y(start = " y "), f(start = " f "), u, v, w, l[3]; equation "          \
    "der(x) = u; der(y) = v; der(f) = w; Vincolo.lagrange(q = {x, y, f}, "                         \
    "T = u^2 + v^2 + 0.35*w^2, V = 0, lambda = l, "                                                \
    "Phi = {(x - 2*cos(f) + 2)^2 + (y - 2*sin(f))^2 - 1, x^2 + y^2 - 1, "                          \
    "(x + 3*cos(f) - 3)^2 + (y + 3*sin(f))^2 - 1});"
    static const struct {
        const char *words, *form;
        int structural, numerical, dof, n_states, surplus;
    } cases[] = {
        {"Real a(start = 1, fixed = true), b, c; equation der(a) + der(b) = -a; b = sin(time);"
         "c = a + b;",
         "quasi-linear", 2, 1, 1, 1, 0},
        {"Real x1, x2, x3; equation der(x2) + der(x3) + x1 = sin(time); der(x2) + der(x3) + x2 = "
         "cos(time); x3 = sin(3*time);",
         "quasi-linear", 2, 1, 1, 1, 0},
        {"Real x1, x2, x3, x4, x5; equation der(x2) + der(x3) + x1 = sin(time); der(x2) + der(x3) "
         "+ x2 = cos(time); der(x4) + der(x5) + x3 = sin(2*time); der(x4) + der(x5) + x4 = "
         "cos(2*time); x5 = sin(3*time);",
         "quasi-linear", 3, 1, 2, 2, 0},
        // The derivative of a is an unknown here: it takes b'' to know it.
        {"Real a, b, c; equation der(a) + der(b) = -a; b = sin(time); c = der(a);", "hessenberg-2",
         2, 2, 1, 1, 0},
        {"Real u(start = 1, fixed = true), w(start = 1); equation u*der(u) - u*der(w) = -w;"
         "der(u) - der(w) = time - u;",
         "quasi-linear", 0, 1, 1, 2, 0},
        // Three parallel cranks, turning; all in one line; a constraint that is there twice.
        {CRANKS("-0.6", "-0.8", "0"), NULL, 3, -1, 1, 2, 1},
        {CRANKS("1", "0", "0"), NULL, 3, -1, 1, 2, 1},
        {"Real x(start = 0.6), y(start = -0.8), u, v, l[2]; equation der(x) = u; der(y) = v;"
         "Vincolo.lagrange(q = {x, y}, T = (u^2 + v^2)/2, V = 9.81*y, Phi = {x^2 + y^2 - 1, "
         "2*x^2 + 2*y^2 - 2}, lambda = l);",
         NULL, 3, -1, 1, 2, 1},
        // A body that turns freely, its attitude by four parameters: three ways to move, 6 states.
        {"Real Q[4](start = {0, 0, 0, 1}), w[3](start = {1, 2, 3}); equation "
         "w[1] = 2*(Q[4]*der(Q[1]) + Q[3]*der(Q[2]) - Q[2]*der(Q[3]) - Q[1]*der(Q[4]));"
         "w[2] = 2*(-Q[3]*der(Q[1]) + Q[4]*der(Q[2]) + Q[1]*der(Q[3]) - Q[2]*der(Q[4]));"
         "w[3] = 2*(Q[2]*der(Q[1]) - Q[1]*der(Q[2]) + Q[4]*der(Q[3]) - Q[3]*der(Q[4]));"
         "Q*Q = 1; der(w[1]) = w[2]*w[3]; der(w[2]) = -2*w[1]*w[3]; der(w[3]) = w[1]*w[2];",
         NULL, 1, 1, 3, 6, 0},
    };
#undef CRANKS
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[800];
        vinc_check *c = NULL;
        snprintf(words, sizeof words, "model M %s end M;", cases[i].words);
        session s = session_begin(words);
        done(s, vinc_check_of(s.model, &c));
        if (c->index_structural != cases[i].structural ||
            c->index_numerical != cases[i].numerical || c->dof != cases[i].dof ||
            c->n_states != cases[i].n_states || c->n_surplus != cases[i].surplus ||
            (cases[i].form && strcmp(c->form, cases[i].form)))
            fail_msg("%s: index %d, %d, freedom %d (surplus %d), %d states, %s", words,
                     c->index_structural, c->index_numerical, c->dof, c->n_surplus, c->n_states,
                     c->form);
        vinc_report_free(c);
        session_done(&s);
    }
}

/* n integrators tied by n - 1 constraints x_i = x_(i+1)^3 without multipliers are no ODE, however many they are. */
static void a_large_dae_is_no_ode(void **state)
{
    (void)state;
    vinc_check *c = NULL;
    session s =
        session_begin("model M Real x[450](each start = 1); equation der(x[1]) + der(x[2]) = -x[1];"
                      "for i in 1:449 loop x[i] = x[i + 1]^3; end for; end M;");
    done(s, vinc_check_of(s.model, &c));
    assert_string_equal(c->form, "quasi-linear");
    vinc_report_free(c);
    session_done(&s);
}

/* ---- forms ------------------------------------------------------------------------------------ */

static double end_of_run(const char *words, const char *name)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options o = {.rel_tol = 1e-11, .has_stop = 1, .t_stop = 0.7};
    int rc = vinc_model_load_text(ctx, "form.mo", words, strlen(words), NULL, &model);
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    double x = vinc_result_at(vinc_sim_result(sim), name, 0.7);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return x;
}

/* A bob on a bead that slides on a wire, by energies: M is full and depends on the angle, and a rod
 * holds a third mass by a constraint. x' = y, y' = M^-1 (...), 0 = h, without further names, and the
 * same motion. */
static void semi_explicit_form(void **state)
{
    (void)state;
    const char *words =
        "model Bead parameter Real m = 1, M = 2, k = 3, L = 0.5, g = 9.81;"
        "Real x(start = 0.2, fixed = true), a(start = 1, fixed = true), v(start = 0, fixed = true),"
        "w(start = 0, fixed = true), p(start = 0.6, fixed = true), q(start = -0.8), pv(start = 0, "
        "fixed "
        "= true), qv, N; equation v = der(x); w = der(a); pv = der(p); qv = der(q);"
        "Vincolo.lagrange(q = {x, a, p, q}, T = M/2*v^2 + m/2*(v^2 + L^2*w^2 + 2*L*v*w*cos(a)) + "
        "m/2*(pv^2 + qv^2), V = k/2*x^2 - m*g*L*cos(a) + m*g*q + k/2*(p - x)^2, Phi = {p^2 + q^2 - "
        "1}, lambda = {N}); end Bead;";
    session s = session_begin(words);
    const char *form = "";
    done(s, vinc_model_semi_explicit(s.model, &form));
    if (strstr(form, "z_") || !strstr(form, "der(v) = ") || !strstr(form, "0 = p^2 + q^2 - 1"))
        fail_msg("%s", form);
    char *copy = strdup(form);
    static const char *const names[] = {"x", "a", "p", "N"};
    for (int i = 0; i < 4; i++)
        assert_near(end_of_run(copy, names[i]), end_of_run(words, names[i]), 1e-8);
    free(copy);
    // The ODE under it has the same solutions, multiplier included.
    done(s, vinc_model_ode(s.model, &form));
    copy = strdup(form);
    for (int i = 0; i < 4; i++)
        assert_near(end_of_run(copy, names[i]), end_of_run(words, names[i]), 1e-7);
    free(copy);
    session_done(&s);
    // A coefficient that is 0 at the start does not divide.
    s = session_begin("model Slow parameter Real eps = 0; Real x(start = 1), y; equation eps*der(x)"
                      " = y - x; y = time; end Slow;");
    done(s, vinc_model_semi_explicit(s.model, &form));
    if (!strstr(form, "z_2")) fail_msg("%s", form);
    session_done(&s);
}

/* The third derivative of x^2 + y^2 = r^2 along the solutions is 2 ((x^2 + y^2) mu' + 4 mu (x u + y v)
 * - 3 g v); on the constraints r^2 mu' = 3 g v remains. On a cone of slope k, x^2 + y^2 = k^2 z^2,
 * the result is a formula, whose solutions are compared above; here the hidden constraint. */
static void underlying_ode(void **state)
{
    (void)state;
    session s = session_begin(
        "model P parameter Real g = 9.81, r = 1.5; Real x(start = 0.9, fixed = true), y(start = "
        "-1.2), u(start = 0.4, fixed = true), v, mu; equation der(x) = u; der(y) = v; der(u) = "
        "mu*x; der(v) = mu*y - g; x^2 + y^2 = r^2; end P;");
    const char *form = "";
    done(s, vinc_model_ode(s.model, &form));
    if (!strstr(form, "der(mu) = 3*(v*g)/r^2;") || !strstr(form, "//   0 = x*u + y*v\n"))
        fail_msg("%s", form);
    session_done(&s);
    s = session_begin("model C parameter Real k = 2, m = 3; Real q[3](start = {1, 0, 0.5}), d[3], "
                      "N; equation d = "
                      "der(q); Vincolo.lagrange(q = q, T = m/2*(d*d), V = m*9.81*q[3], Phi = "
                      "{q[1]^2 + q[2]^2 - (k*q[3])^2}, lambda = {N}); end C;");
    done(s, vinc_model_ode(s.model, &form));
    if (strstr(form, "z_") || !strstr(form, "//   0 = d[1]*q[1] + d[2]*q[2] - d[3]*q[3]*k^2\n"))
        fail_msg("%s", form);
    session_done(&s);
    s = session_begin(
        "model Twice Real x(start = 1), y, a, b; equation der(x) = a; der(y) = b; x + "
        "y = 1; 2*x + 2*y = 2; end Twice;");
    assert_int_equal(vinc_model_ode(s.model, &form), VINC_E_MODEL);
    assert_non_null(strstr(vinc_ctx_messages(s.ctx), "C179"));
    session_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_of_a_pendulum),
        cmocka_unit_test(runs),
        cmocka_unit_test(a_point_of_rest),
        cmocka_unit_test(linearization),
        cmocka_unit_test(limits_of_linearization),
        cmocka_unit_test(steps_of_central_differences),
        cmocka_unit_test(comparison),
        cmocka_unit_test(convergence),
        cmocka_unit_test(contractivity),
        cmocka_unit_test(singular_points),
        cmocka_unit_test(index_freedom_and_form),
        cmocka_unit_test(a_large_dae_is_no_ode),
        cmocka_unit_test(points_of_rest),
        cmocka_unit_test(rest_out_of_reach),
        cmocka_unit_test(growth_without_bound),
        cmocka_unit_test(passivity),
        cmocka_unit_test(positive_real),
        cmocka_unit_test(escape_is_not_passive),
        cmocka_unit_test(pencils),
        cmocka_unit_test(methods),
        cmocka_unit_test(method_numbers),
        cmocka_unit_test(any_forcing),
        cmocka_unit_test(mechanical_matrices),
        cmocka_unit_test(semi_explicit_form),
        cmocka_unit_test(underlying_ode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
