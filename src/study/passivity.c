/* `vincolo passivity MODEL`: three ways to know. The linearization is positive real or not, by the
 * eigenvalues of a Hamiltonian pencil; the energy supplied through the ports along a run, the
 * integral of u^T y, falls below what was stored or not; and a storage function V given in the
 * model obeys V' <= u^T y along it or not.
 *
 * The first proves what it says where the model is linear with constant coefficients. Runs can only
 * refute: so they are made with inputs of several sizes and frequencies, and the verdict says what it
 * rests on. J. C. Willems, Arch. Rational Mech. Anal. 45 (1972)
 * 321-351. SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/passive.h"
#include "run/verbs.h"
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 8000, SINES = 5, PASSIVE_WORDS = 600 };
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
    FIELD(WORD, "basis", basis),
    FIELD(INT, "runs", n_runs),
    FIELD(REAL, "amplitude", amplitude),
    FIELD(BOOL, "linear", linear),
    TOLD_IN("linearization", linearization_fields),
    TOLD_IN("energy", energy_fields),
    TOLD_IN("storage", storage_fields, .when = "storage.name"),
    FIELD(WORD, "verdict", verdict, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_start", t_start, .flags = TOLD_HIDDEN),
    FIELD(REAL, "t_stop", t_stop, .flags = TOLD_HIDDEN),
    LIST(REALS, "sines", sines, n_sines, .flags = TOLD_HIDDEN),
    {0},
};

static const told_line passivity_lines[] = {
    {.words = "{class}: inputs {inputs}; outputs {outputs}\n  verdict        "},
    {.words = "{verdict}\n  kind           {kind}\n"
              "  how            {how}\n"
              "  because        {reason}\n"
              "  linearization  "},
    {.words = "the same everywhere\n", .when = "linear"},
    {.words = "at t = {linearization.t}: {linearization.reason}\n", .unless = "linear"},
    {.words = "                 eigenvalues of the Hamiltonian pencil on the imaginary axis: "
              "{linearization.crossings:%.9g; |none}\n"
              "  run            t = {t_start} ... {t_stop}, inputs "},
    {.words = "driven by sines of {sines:%.4g} rad/s, amplitude {amplitude:%.4g}\n",
     .when = "sines"},
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
    double amplitude, omega[SINES];
} signal;

typedef struct passage { // what a run showed
    signal drive;
    double t_stop;
    double supplied, lowest, t_lowest, through; // energy; `through`: integral of |u^T y|
    double doubt;                               // what the quadrature may be wrong by
    double lowest_power, t_power, most_power;
    double v_start, v_end, v_lowest, fall; // storage; fall: largest decrease of supplied - stored
    int escapes;                           // component of y that leaves every bound, + 1
    double t_escape;
} passage;

typedef struct verdict {
    int passive; // 1, 0, -1: not decided
    passive_kind kind;
    const char *basis; // proved, refuted, not refuted, undecided
    const char *how;
    char reason[PASSIVE_WORDS];
} verdict;

typedef struct passivity_job {
    vinc_sim *s;
    const vinc_passivity_options *o;
    vinc_passivity **out;
    linear_point l; // at the start of the run
    passive_report r;
    double middle; // of the frequencies
    bool linear, at_rest, stop_given;
    int n_runs, n_failed;
    const char *storage;
    passage now, told; // the present run, the one that decided
    verdict verdict;
} passivity_job;

/* ---- driving --------------------------------------------------------------------------------- */

static void sines(void *user, double t, double *u, double *up)
{
    const signal *d = user;
    for (int i = 0; i < d->n_u; i++) {
        u[i] = up[i] = 0;
        for (int k = 0; k < d->n; k++) {
            double w = d->omega[k] * (1 + 0.1 * i); // ports move differently
            u[i] += d->amplitude * sin(w * t);
            up[i] += d->amplitude * w * cos(w * t);
        }
    }
}

/* Frequencies about the modes. */
static double middle_frequency(const linear_modes *m)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        double size = hypot(m->re[i], m->im[i]);
        if (size > 0) sum += log(size), n++;
    }
    return n ? exp(sum / n) : 2 * M_PI;
}

/* What is tried, most telling first: all tones at once, then one at a time. */
static const struct {
    double amplitude;
    int tones;
    double factor; // of the middle frequency
} trials[] = {
    {1, SINES, 1}, {10, SINES, 1}, {0.1, SINES, 1}, {100, SINES, 1}, {1000, SINES, 1}, {1, 1, 0.1},
    {1, 1, 1},     {1, 1, 10},     {10, 1, 0.1},    {10, 1, 1},      {10, 1, 10},      {0.01, 1, 1},
};
enum { N_TRIALS = sizeof trials / sizeof *trials };

/* Where the linearization delivers energy, that frequency first. */
static void choose_signal(passivity_job *j, int trial)
{
    signal *d = &j->now.drive;
    *d =
        (signal){.n_u = j->l.s.n_u, .n = trials[trial].tones, .amplitude = trials[trial].amplitude};
    for (int k = 0; k < d->n; k++)
        d->omega[k] = j->middle * trials[trial].factor * (d->n > 1 ? pow(10, -0.5 + 0.25 * k) : 1);
    if (!trial && j->r.kind == PASSIVE_ACTIVE && j->r.at > 0) d->n = 1, d->omega[0] = j->r.at;
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

/* Simpson's rule over rows k - 1 ... k + 1, where they are evenly spaced; otherwise `pieces`, the
 * integral over both intervals by pieces. */
static double power_of_pair(const result *r, size_t k, const double *f, double pieces)
{
    double h = result_time(r, k) - result_time(r, k - 1),
           next = result_time(r, k + 1) - result_time(r, k);
    return fabs(next - h) < 1e-6 * h ? h * (f[0] + 4 * f[1] + f[2]) / 3 : pieces;
}

static void see_power(passage *w, double power, double t)
{
    if (power < w->lowest_power) w->lowest_power = power, w->t_power = t;
    w->most_power = fmax(w->most_power, fabs(power));
}

static void integrate_power(const passivity_job *j, passage *w, const int *u, const int *y, int v)
{
    const result *r = j->s->result.r;
    int n = j->l.s.n_u;
    double most = -INFINITY, f[4] = {0}, before = 0;
    w->t_lowest = result_time(r, 0);
    w->v_start = v >= 0 ? result_value(r, v, 0) : 0;
    w->v_lowest = w->v_start;
    see_power(w, power_at(r, u, y, n, 0), w->t_lowest);
    for (size_t k = 0; k < r->n_rows; k++) {
        double stored = v >= 0 ? result_value(r, v, k) : 0, spent = w->supplied - stored;
        if (w->supplied < w->lowest) w->lowest = w->supplied, w->t_lowest = result_time(r, k);
        w->v_lowest = fmin(w->v_lowest, stored);
        w->v_end = stored;
        most = fmax(most, spent);
        if (most - spent > w->fall) w->fall = most - spent;
        if (k + 1 == r->n_rows) break;
        for (int i = 0; i < 4; i++)
            if (k + (size_t)i >= 1 && k + (size_t)i - 1 < r->n_rows)
                f[i] = power_at(r, u, y, n, k + (size_t)i - 1);
        see_power(w, f[2], result_time(r, k + 1));
        double e = power_piece(r, k, f);
        if (k % 2) w->doubt += fabs(power_of_pair(r, k, f, before + e) - before - e);
        before = e;
        w->supplied += e;
        w->through += fabs(e);
    }
}

/* ---- escape ---------------------------------------------------------------------------------- */

/* A state beyond its size that doubles in a part of the time so far that no exponential growth comes to: like
 * (T - t)^-p it passes every bound before T. */
static int watch_escape(void *user, const vinc_progress *now)
{
    const double SIZES = 1e4, PART_OF_TIME = 1e-5;
    passivity_job *j = user;
    const vinc_problem *p = run_problem(j->s->state);
    const double *y = j->s->now->y, *yp = j->s->now->yp;
    for (int i = 0; i < p->n && !j->now.escapes; i++)
        if (p->differential[i] && fabs(y[i]) > SIZES * p->nominal[i] && y[i] * yp[i] > 0 &&
            y[i] / yp[i] < PART_OF_TIME * (now->t - now->t_start)) {
            j->now.escapes = i + 1;
            j->now.t_escape = now->t;
        }
    if (j->o->run && j->o->run->progress && j->o->run->progress(j->o->run->user, now)) return 1;
    return j->now.escapes;
}

/* ---- the decision ---------------------------------------------------------------------------- */

static void decide(verdict *v, int passive, passive_kind kind, const char *basis, const char *how)
{
    v->passive = passive;
    v->kind = kind;
    v->basis = basis;
    v->how = how;
}

#define because(v, ...) snprintf((v)->reason, sizeof(v)->reason, __VA_ARGS__)

/* What one run, and the linearization, say. */
static void decide_passivity(const passivity_job *j, const passage *w, verdict *v)
{
    double tol = fmax(ENERGY_TOL * w->through + w->doubt, 1e-300);
    bool active = j->r.kind == PASSIVE_ACTIVE;
    if (j->linear) {
        decide(v, !active, j->r.kind, "proved",
               "the model is linear: eigenvalues of the Hamiltonian pencil");
        because(v, "%s", j->r.reason);
    } else if (w->escapes) {
        decide(v, 0, PASSIVE_ACTIVE, "refuted", "finite escape along a run");
        because(v, "%s grows beyond every bound at t = %.6g: from there on there is no motion",
                form_name_in(run_model(j->s->state)->form, w->escapes - 1, &j->s->a), w->t_escape);
    } else if (!j->l.s.n && w->lowest_power < -ENERGY_TOL * w->most_power) {
        decide(v, 0, PASSIVE_ACTIVE, "refuted", "power along a run");
        because(v, "no states, and u^T y = %.6g at t = %.6g: nothing that was stored comes out",
                w->lowest_power, w->t_power);
    } else if (j->storage && w->fall <= tol) {
        decide(v, 1, PASSIVE_STORAGE, "not refuted", "storage function along the runs");
        because(v, "V' <= u^T y held all the way: no more came out than was stored");
    } else if (!j->l.s.n) {
        decide(v, 1, PASSIVE_MEMORYLESS, "not refuted", "power along the runs");
        because(v, "no states, and u^T y >= 0 all the way: power is dissipated at once");
    } else if (active && j->at_rest) {
        decide(v, 0, PASSIVE_ACTIVE, "refuted", "linearization at rest");
        because(v,
                "%s; where the point of rest stores energy, name a storage function (--storage V)",
                j->r.reason);
    } else if (j->at_rest && w->lowest < -tol) {
        decide(v, 0, PASSIVE_ACTIVE, "refuted", "energy along a run");
        because(v,
                "from rest, more energy came out of the ports than went in: %.6g until t = %.6g; "
                "where the point of rest stores energy, name a storage function (--storage V)",
                -w->lowest, w->t_lowest);
    } else if (j->storage) {
        decide(v, -1, PASSIVE_STORAGE, "undecided", "storage function along a run");
        because(v, "V' <= u^T y was violated: this V is no storage function; another one may be");
    } else if (w->lowest >= -tol && !active) {
        decide(v, 1, PASSIVE_STORAGE, "not refuted", "energy along the runs");
        because(v, "the energy supplied never fell below 0, and the linearization is passive");
    } else {
        decide(v, -1, PASSIVE_STORAGE, "undecided", "energy along a run");
        because(v, "energy came out, but the run did not start from rest: it may have been stored; "
                   "name a storage function (--storage V)");
    }
}

/* A run is told where it decides more than those before: it refutes, or leaves undecided. */
static void weigh_run(passivity_job *j)
{
    static const int weight[] = {1, 2, 0}; // by passive + 1
    verdict v;
    decide_passivity(j, &j->now, &v);
    if (j->n_runs++ && weight[v.passive + 1] <= weight[j->verdict.passive + 1]) return;
    j->verdict = v;
    j->told = j->now;
}

static void say_verdict(const passivity_job *j, char *words, size_t size)
{
    const verdict *v = &j->verdict;
    if (v->passive < 0) snprintf(words, size, "undecided");
    else if (!v->passive) snprintf(words, size, "not passive, %s", v->basis);
    else if (j->linear) snprintf(words, size, "passive, proved");
    else
        snprintf(words, size, "passive in %s tried: not refuted, not proved",
                 j->n_runs > 1 ? "every run" : "the run");
    size_t n = strlen(words);
    if (v->passive > 0 && !j->linear)
        snprintf(words + n, size - n, " (%d run%s, inputs of several sizes and frequencies%s)",
                 j->n_runs, j->n_runs > 1 ? "s" : "",
                 j->n_failed ? "; others could not be made" : "");
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
    watch_doing(&s->model->ctx->watch, "linearizing", s->model->flat->name);
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

static int tell_passivity(void *job)
{
    const passivity_job *j = job;
    const vinc_sim *s = j->s;
    const passage *w = &j->told;
    const verdict *v = &j->verdict;
    vinc_model *m = s->model;
    char words[200];
    watch_doing(&m->ctx->watch, "deciding on the passivity of", m->flat->name);
    say_verdict(j, words, sizeof words);
    vinc_passivity told = {.model = m->source,
                           .class_name = m->flat->name,
                           .n_ports = j->l.s.n_u,
                           .inputs = j->l.inputs,
                           .outputs = j->l.outputs,
                           .passive = v->passive,
                           .kind = kind_word(v),
                           .how = v->how,
                           .reason = v->reason,
                           .basis = v->basis,
                           .verdict = words,
                           .n_runs = j->n_runs,
                           .amplitude = s->table ? NAN : w->drive.amplitude,
                           .linear = j->linear,
                           .t_linear = j->l.t,
                           .linear_passive = j->r.kind != PASSIVE_ACTIVE,
                           .linear_strictly = j->r.strictly,
                           .n_crossings = j->r.n_crossings,
                           .crossings = j->r.crossings,
                           .linear_reason = j->r.reason,
                           .t_start = s->options.t_start,
                           .t_stop = w->t_stop,
                           .n_sines = s->table ? 0 : w->drive.n,
                           .sines = w->drive.omega,
                           .supplied = w->supplied,
                           .lowest = w->lowest,
                           .t_lowest = w->t_lowest,
                           .storage = j->storage,
                           .storage_start = w->v_start,
                           .storage_end = w->v_end,
                           .storage_lowest = w->v_lowest,
                           .dissipated = w->supplied - (w->v_end - w->v_start),
                           .violation = w->fall,
                           .storage_holds = w->fall <= ENERGY_TOL * w->through + w->doubt};
    return told_keep(&m->ctx->lasting, &study_passivity, &told, j->out);
}

static int judge_run(void *job)
{
    passivity_job *j = job;
    vinc_sim *s = j->s;
    int n = j->l.s.n_u, v = -1;
    int *u = arena_array(&s->a, int, n), *y = arena_array(&s->a, int, n);
    for (int i = 0; i < n; i++) {
        u[i] = port_column(j, j->l.inputs[i]);
        y[i] = port_column(j, j->l.outputs[i]);
        if (u[i] < 0 || y[i] < 0) return VINC_E_OPTION;
    }
    if (j->storage && (v = port_column(j, j->storage)) < 0) return VINC_E_OPTION;
    integrate_power(j, &j->now, u, y, v);
    weigh_run(j);
    return VINC_OK;
}

static int run_trial(passivity_job *j, int trial)
{
    vinc_sim *s = j->s;
    j->now = (passage){0};
    choose_signal(j, trial);
    const signal *d = &j->now.drive;
    double periods = d->n == 1 ? 20 : 2;
    if (!j->stop_given && !s->table)
        s->options.t_stop = s->options.t_start + periods * 2 * M_PI / d->omega[0];
    j->now.t_stop = s->options.t_stop;
    if (!s->table) run_inputs(s->state, sines, &j->now.drive);
    int rc = vinc_sim_run(s);
    return rc < 0 ? rc : api_guarded(s->model->ctx, judge_run, j);
}

/* Further runs may fail: a model need not stand every input. What they say is not heard. */
static int run_further(passivity_job *j)
{
    diag_sink *d = &j->s->model->ctx->diags;
    for (int i = 1; i < N_TRIALS && j->verdict.passive != 0; i++) {
        diag_sink heard = *d;
        int rc = run_trial(j, i), stopped = api_heed(j->s->model->ctx);
        if (heard.last) heard.last->next = NULL;
        *d = heard;
        if (stopped || rc == VINC_E_MEMORY || rc == VINC_E_STOPPED) return stopped ? stopped : rc;
        j->n_failed += rc < 0;
    }
    return VINC_OK;
}

static int make_runs(passivity_job *j)
{
    vinc_sim *s = j->s;
    j->stop_given = s->callbacks.has_stop || !isnan(s->model->about.stop);
    j->middle = middle_frequency(&j->l.modes);
    j->linear = j->l.constant;
    s->options.intervals = POINTS;
    if (s->callbacks.rel_tol == 0) s->options.rel_tol = fmin(s->options.rel_tol, 1e-8);
    int rc = run_trial(j, 0);
    return rc || j->linear || s->table ? rc : run_further(j);
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
    run.progress = watch_escape;
    run.user = &j;
    j.storage = o.storage ? o.storage : model->flat->experiment.storage;
    int rc = api_sim_new(model, &run, &j.s);
    if (!rc) rc = api_initialize(j.s);
    if (!rc) rc = api_guarded(model->ctx, find_ports, &j);
    if (!rc) rc = make_runs(&j);
    if (!rc) rc = api_guarded(model->ctx, tell_passivity, &j);
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
