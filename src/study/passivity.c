/* `vincolo passivity MODEL`: three ways to know. The linearization is positive real or not, by the
 * eigenvalues of a Hamiltonian pencil; the energy supplied through the ports along a run, the
 * integral of u^T y, falls below what was stored or not; and a storage function V given in the
 * model obeys V' <= u^T y along it or not. J. C. Willems, Arch. Rational Mech. Anal. 45 (1972)
 * 321-351. SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/passive.h"
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { POINTS = 8000, SINES = 5 };
#define SAME       1e-9 // relative difference of linearizations that are one
#define ENERGY_TOL 1e-6 // of the energy that went through the ports: quadrature and integration

/* ---- what is told ---------------------------------------------------------------------------- */

#define FIELD(...) TOLD(vinc_passivity, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_passivity, __VA_ARGS__)
static const told_field linearization_fields[] = {
    FIELD(BOOL, "passive", linear_passive),           FIELD(BOOL, "strictly", linear_strictly),
    LIST(REALS, "crossings", crossings, n_crossings), FIELD(WORD, "reason", linear_reason),
    FIELD(REAL, "t", t_linear, .flags = TOLD_HIDDEN), {0},
};

static const told_field energy_fields[] = {
    FIELD(REAL, "supplied", supplied),
    FIELD(REAL, "lowest", lowest),
    FIELD(REAL, "t_lowest", t_lowest),
    {0},
};

static const told_field storage_fields[] = {
    FIELD(WORD, "name", storage),
    FIELD(REAL, "start", storage_start),
    FIELD(REAL, "end", storage_end),
    FIELD(REAL, "dissipated", dissipated),
    FIELD(REAL, "violation", violation),
    FIELD(REAL, "lowest", storage_lowest, .flags = TOLD_HIDDEN),
    FIELD(BOOL, "holds", storage_holds, .flags = TOLD_HIDDEN),
    {0},
};

static const told_field passivity_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    LIST(WORDS, "inputs", inputs, n_ports),
    LIST(WORDS, "outputs", outputs, n_ports),
    FIELD(BOOL, "passive", passive),
    FIELD(WORD, "kind", kind),
    FIELD(WORD, "how", how),
    FIELD(WORD, "reason", reason),
    FIELD(BOOL, "linear", linear),
    TOLD_IN("linearization", linearization_fields),
    TOLD_IN("energy", energy_fields),
    TOLD_IN("storage", storage_fields, .when = "storage.name"),
    FIELD(INDEX, "decided", passive, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_start", t_start, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_stop", t_stop, .flags = TOLD_HIDDEN),
    LIST(REALS, "sines", sines, n_sines, .flags = TOLD_HIDDEN),
    {0},
};

static const told_line passivity_lines[] = {
    {.words = "{class}: inputs {inputs}; outputs {outputs}\n  verdict        "},
    {.words = "{passive?passive|not passive}", .when = "decided"},
    {.words = "undecided", .unless = "decided"},
    {.words = "\n  kind           {kind}\n"
              "  how            {how}\n"
              "  because        {reason}\n"
              "  linearization  "},
    {.words = "the same all along the run\n", .when = "linear"},
    {.words = "at t = {linearization.t}: {linearization.reason}\n", .unless = "linear"},
    {.words = "                 eigenvalues of the Hamiltonian pencil on the imaginary axis: "
              "{linearization.crossings:%.9g; |none}\n"
              "  run            t = {t_start} ... {t_stop}, inputs "},
    {.words = "driven by sines of {sines:%.4g} rad/s\n", .when = "sines"},
    {.words = "from the table\n", .unless = "sines"},
    {.words =
         "  energy         supplied {energy.supplied:%.9g}, lowest {energy.lowest:%.9g} at t = "
         "{energy.t_lowest:%.6g}\n"},
    {.words = "  storage        {storage.name} from {storage.start:%.6g} to {storage.end:%.6g} "
              "(lowest {storage.lowest:%.6g}); dissipated {storage.dissipated:%.9g}; largest "
              "violation of V' <= u^T y: {storage.violation:%.3g}"
              "{storage.holds? (none beyond round-off)|}\n",
     .when = "storage.name"},
    {0},
};

const told_kind study_passivity = {
    .name = "passivity",
    .command = "passivity",
    .summary = "can a model deliver more energy than it was given, and how is that known",
    .size = sizeof(vinc_passivity),
    .fields = passivity_fields,
    .lines = passivity_lines,
};

/* ---- the analysis ---------------------------------------------------------------------------- */

typedef struct signal { // of the inputs where no table is given
    int n_u, n;
    double omega[SINES];
} signal;

typedef struct passivity_job {
    vinc_sim *s;
    const vinc_passivity_options *o;
    vinc_passivity **out;
    linear_point l, later; // at the start of the run, and at its end
    passive_report r;
    signal drive;
    bool linear, at_rest;
    /* Along the run. */
    double supplied, lowest, t_lowest, through; // energy; `through`: integral of |u^T y|
    double lowest_power;
    /* The storage function. */
    const char *storage;
    double v_start, v_end, v_lowest, fall; // fall: largest decrease of supplied - stored
} passivity_job;

/* ---- driving --------------------------------------------------------------------------------- */

static void sines(void *user, double t, double *u, double *up)
{
    const signal *d = user;
    for (int i = 0; i < d->n_u; i++) {
        u[i] = up[i] = 0;
        for (int k = 0; k < d->n; k++) {
            double w = d->omega[k] * (1 + 0.1 * i); // ports move differently
            u[i] += sin(w * t);
            up[i] += w * cos(w * t);
        }
    }
}

/* Where the linearization delivers energy, that frequency; otherwise some about the modes. */
static void choose_signal(passivity_job *j)
{
    const linear_modes *m = &j->l.modes;
    signal *d = &j->drive;
    double sum = 0;
    int n = 0;
    d->n_u = j->l.s.n_u;
    for (int i = 0; i < m->n; i++) {
        double size = hypot(m->re[i], m->im[i]);
        if (size > 0) sum += log(size), n++;
    }
    double middle = n ? exp(sum / n) : 2 * M_PI;
    d->n = SINES;
    for (int k = 0; k < SINES; k++) d->omega[k] = middle * pow(10, -0.5 + 0.25 * k);
    if (j->r.kind == PASSIVE_ACTIVE && j->r.at > 0) d->n = 1, d->omega[0] = j->r.at;
}

/* ---- along the run --------------------------------------------------------------------------- */

static double power_at(const result *r, const int *u, const int *y, int n, size_t row)
{
    double p = 0;
    for (int i = 0; i < n; i++) p += result_value(r, u[i], row) * result_value(r, y[i], row);
    return p;
}

/* Integral of f from row k to k + 1: by the cubic through four rows where they are evenly spaced (f
 * is that of rows k - 1 ... k + 2), by the trapezoid beside events. */
static double power_piece(const result *r, size_t k, const double *f)
{
    double h = result_time(r, k + 1) - result_time(r, k);
    bool even = k >= 1 && k + 2 < r->n_rows;
    if (even) {
        double before = result_time(r, k) - result_time(r, k - 1);
        double after = result_time(r, k + 2) - result_time(r, k + 1);
        even = fabs(before - h) < 1e-6 * h && fabs(after - h) < 1e-6 * h;
    }
    return even ? h * (13 * (f[1] + f[2]) - f[0] - f[3]) / 24 : h * (f[1] + f[2]) / 2;
}

static void integrate_power(passivity_job *j, const int *u, const int *y, int v)
{
    const result *r = j->s->result.r;
    int n = j->l.s.n_u;
    double most = -INFINITY, f[4] = {0};
    j->t_lowest = result_time(r, 0);
    j->v_start = v >= 0 ? result_value(r, v, 0) : 0;
    j->v_lowest = j->v_start;
    j->lowest_power = power_at(r, u, y, n, 0);
    for (size_t k = 0; k < r->n_rows; k++) {
        double stored = v >= 0 ? result_value(r, v, k) : 0, spent = j->supplied - stored;
        if (j->supplied < j->lowest) j->lowest = j->supplied, j->t_lowest = result_time(r, k);
        j->v_lowest = fmin(j->v_lowest, stored);
        j->v_end = stored;
        most = fmax(most, spent);
        if (most - spent > j->fall) j->fall = most - spent;
        if (k + 1 == r->n_rows) break;
        for (int i = 0; i < 4; i++)
            if (k + (size_t)i >= 1 && k + (size_t)i - 1 < r->n_rows)
                f[i] = power_at(r, u, y, n, k + (size_t)i - 1);
        j->lowest_power = fmin(j->lowest_power, f[2]);
        double e = power_piece(r, k, f);
        j->supplied += e;
        j->through += fabs(e);
    }
}

/* ---- the decision ---------------------------------------------------------------------------- */

static bool same_entries(const double *a, const double *b, size_t n)
{
    double size = 0, difference = 0;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    return difference <= SAME * size;
}

static bool same_system(const linear_system *a, const linear_system *b)
{
    size_t n = (size_t)a->n, k = (size_t)a->n_u, o = (size_t)a->n_o;
    if (a->n != b->n) return false;
    for (size_t i = 0; i < n; i++)
        if (a->state[i] != b->state[i]) return false;
    return same_entries(a->a, b->a, n * n) && same_entries(a->b, b->b, n * k) &&
           same_entries(a->c, b->c, o * n) && same_entries(a->d, b->d, o * k);
}

typedef struct verdict {
    int passive; // 1, 0, -1: not decided
    passive_kind kind;
    const char *how, *reason;
} verdict;

static verdict decide_passivity(const passivity_job *j)
{
    double tol = ENERGY_TOL * fmax(j->through, 1e-300);
    if (j->linear)
        return (verdict){j->r.kind != PASSIVE_ACTIVE, j->r.kind,
                         "the model is linear: eigenvalues of the Hamiltonian pencil", j->r.reason};
    if (j->storage && j->fall <= tol)
        return (verdict){1, PASSIVE_STORAGE, "storage function along the run",
                         "V' <= u^T y held all the way: no more came out than was stored"};
    if (!j->l.s.n && j->lowest_power >= -tol)
        return (verdict){1, PASSIVE_MEMORYLESS, "power along the run",
                         "no states, and u^T y >= 0 all the way: power is dissipated at once"};
    if (j->r.kind == PASSIVE_ACTIVE && j->at_rest)
        return (verdict){0, PASSIVE_ACTIVE, "linearization at rest", j->r.reason};
    if (j->at_rest && j->lowest < -tol)
        return (verdict){0, PASSIVE_ACTIVE, "energy along the run",
                         "from rest, more energy came out of the ports than went in"};
    if (j->storage)
        return (verdict){-1, PASSIVE_STORAGE, "storage function along the run",
                         "V' <= u^T y was violated: this V is no storage function; another one may "
                         "be"};
    if (j->lowest >= -tol && j->r.kind != PASSIVE_ACTIVE)
        return (verdict){
            1, PASSIVE_STORAGE, "energy along the run",
            "the energy supplied never fell below 0 on this run, and the linearization "
            "is passive"};
    return (verdict){-1, PASSIVE_STORAGE, "energy along the run",
                     "energy came out, but the run did not start from rest: it may have been "
                     "stored; name a storage function (--storage V)"};
}

static const char *kind_word(const verdict *v)
{
    static const char *const kinds[] = {"memoryless", "lossless", "storage-limited", "active"};
    return v->passive < 0 ? "undecided" : kinds[v->kind];
}

/* ---- the call -------------------------------------------------------------------------------- */

static int find_ports(void *job)
{
    passivity_job *j = job;
    vinc_sim *s = j->s;
    diag_sink *d = &s->model->ctx->diags;
    int rc = study_linearize(s, s->options.t_start, j->o->vars, &s->a, &j->l);
    if (rc) return rc;
    if (!j->l.s.n_u || j->l.s.n_u != j->l.s.n_o) {
        diag_error(d, "C161", (span){0},
                   "%s has %d input%s and %d output%s: power needs pairs u, y with u*y the power "
                   "into the model; declare them, or choose outputs by --vars",
                   s->model->flat->name, j->l.s.n_u, j->l.s.n_u == 1 ? "" : "s", j->l.s.n_o,
                   j->l.s.n_o == 1 ? "" : "s");
        return VINC_E_OPTION;
    }
    if (passive_system(&s->a, &j->l.s, &j->r)) {
        diag_error(d, "R161", (span){0}, "the linearization of %s has no eigenvalues",
                   s->model->flat->name);
        return VINC_E_MODEL;
    }
    const vinc_problem *p = run_problem(s->state);
    j->at_rest = true;
    for (int i = 0; i < p->n; i++)
        if (p->differential[i] && fabs(s->yp[i]) > 1e-9 * p->nominal[i]) j->at_rest = false;
    choose_signal(j);
    return VINC_OK;
}

static int port_column(passivity_job *j, const char *name)
{
    const char *near[1];
    const result *r = j->s->result.r;
    int c = result_find(r, name);
    if (c >= 0) return c;
    int n = result_nearest(r, name, near, 1);
    diag_error(&j->s->model->ctx->diags, "C162", (span){0}, "there is no variable '%s'%s%s%s", name,
               n ? "; did you mean '" : "", n ? near[0] : "", n ? "'?" : "");
    return -1;
}

static int tell_passivity(const passivity_job *j)
{
    const vinc_sim *s = j->s;
    vinc_model *m = s->model;
    verdict v = decide_passivity(j);
    vinc_passivity told = {.model = m->source,
                           .class_name = m->flat->name,
                           .n_ports = j->l.s.n_u,
                           .inputs = j->l.inputs,
                           .outputs = j->l.outputs,
                           .passive = v.passive,
                           .kind = kind_word(&v),
                           .how = v.how,
                           .reason = v.reason,
                           .linear = j->linear,
                           .t_linear = j->l.t,
                           .linear_passive = j->r.kind != PASSIVE_ACTIVE,
                           .linear_strictly = j->r.strictly,
                           .n_crossings = j->r.n_crossings,
                           .crossings = j->r.crossings,
                           .linear_reason = j->r.reason,
                           .t_start = s->options.t_start,
                           .t_stop = s->options.t_stop,
                           .n_sines = s->table ? 0 : j->drive.n,
                           .sines = j->drive.omega,
                           .supplied = j->supplied,
                           .lowest = j->lowest,
                           .t_lowest = j->t_lowest,
                           .storage = j->storage,
                           .storage_start = j->v_start,
                           .storage_end = j->v_end,
                           .storage_lowest = j->v_lowest,
                           .dissipated = j->supplied - (j->v_end - j->v_start),
                           .violation = j->fall,
                           .storage_holds = j->fall <= ENERGY_TOL * j->through};
    return told_keep(&m->ctx->m, &study_passivity, &told, j->out);
}

static int judge_run(void *job)
{
    passivity_job *j = job;
    vinc_sim *s = j->s;
    int n = j->l.s.n_u, rc = study_linearize(s, s->done.t_end, j->o->vars, &s->a, &j->later),
        v = -1;
    if (rc) return rc;
    int *u = arena_array(&s->a, int, n), *y = arena_array(&s->a, int, n);
    for (int i = 0; i < n; i++) {
        u[i] = port_column(j, j->l.inputs[i]);
        y[i] = port_column(j, j->l.outputs[i]);
        if (u[i] < 0 || y[i] < 0) return VINC_E_OPTION;
    }
    if (j->storage && (v = port_column(j, j->storage)) < 0) return VINC_E_OPTION;
    j->linear = s->done.events == 0 && same_system(&j->l.s, &j->later.s);
    integrate_power(j, u, y, v);
    return tell_passivity(j);
}

static void settle_run(passivity_job *j)
{
    vinc_sim *s = j->s;
    bool told = s->callbacks.has_stop || !isnan(s->model->flat->experiment.stop);
    double slowest = j->drive.omega[0], periods = j->drive.n == 1 ? 20 : 2;
    if (!told && !s->table) s->options.t_stop = s->options.t_start + periods * 2 * M_PI / slowest;
    s->options.intervals = POINTS;
    if (s->callbacks.rel_tol == 0) s->options.rel_tol = fmin(s->options.rel_tol, 1e-8);
    if (!s->table) run_inputs(s->state, sines, &j->drive);
}

int vinc_passivity_of(vinc_model *model, const vinc_passivity_options *options,
                      vinc_passivity **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_passivity_options o = options ? *options : (vinc_passivity_options){0};
    vinc_sim_options run = o.run ? *o.run : (vinc_sim_options){0};
    run.formulation = "dummy";
    passivity_job j = {.o = &o, .out = out};
    j.storage = o.storage ? o.storage : model->flat->experiment.storage;
    int rc = api_sim_new(model, &run, &j.s);
    if (!rc) rc = api_initialize(j.s);
    if (!rc) rc = api_guarded(model->ctx, find_ports, &j);
    if (!rc) {
        settle_run(&j);
        rc = vinc_sim_run(j.s);
    }
    if (rc >= 0) rc = api_guarded(model->ctx, judge_run, &j);
    vinc_sim_free(j.s);
    return rc;
}

int vinc_model_passivity(vinc_model *model, const vinc_passivity_options *options,
                         vinc_format format, const char **out)
{
    vinc_passivity *told = NULL;
    int rc = vinc_passivity_of(model, options, &told);
    return study_say(model, rc, told, format, out);
}
