/* `vincolo linearize --transfer`, `--bode`, `--nyquist`, `--root-locus`, `--response`, `--lqr`,
 * `--observer`: a linearized model as a control engineer looks at it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/channel.h"
#include "study/control_figures.h"
#include "study/linear_model.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MOST = 64 };

/* ---- what is told ---------------------------------------------------------------------------- */

static const double ON_THE_AXIS = 1e-10; // a real part that is rounding, relative to the fastest

#define CHANNEL(...) TOLD(vinc_channel, __VA_ARGS__)
static const told_field channel_fields[] = {
    CHANNEL(WORD, "input", input),
    CHANNEL(WORD, "output", output),
    CHANNEL(WORD, "formula", formula),
    CHANNEL(REAL, "gain", gain),
    CHANNEL(REAL, "steady", steady),
    TOLD_LIST(vinc_channel, PAIRS, "zeros", zero_re, n_zeros,
              .also = offsetof(vinc_channel, zero_im)),
    TOLD_LIST(vinc_channel, PAIRS, "poles", pole_re, n_poles,
              .also = offsetof(vinc_channel, pole_im)),
    TOLD_LIST(vinc_channel, REALS, "num", num, n_num),
    TOLD_LIST(vinc_channel, REALS, "den", den, n_den),
    CHANNEL(BOOL, "closed_stable", closed_stable),
    CHANNEL(REAL, "gain_margin", gain_margin),
    CHANNEL(REAL, "gain_margin_at", gain_margin_at),
    CHANNEL(REAL, "phase_margin", phase_margin),
    CHANNEL(REAL, "phase_margin_at", phase_margin_at),
    {0},
};

#define MODE(...) TOLD(vinc_mode_reach, __VA_ARGS__)
static const told_field reach_fields[] = {
    MODE(PAIR, "eigenvalue", re, .also = offsetof(vinc_mode_reach, im)),
    MODE(BOOL, "reached", reached),
    MODE(BOOL, "seen", seen),
    {0},
};

#define FIELD(...) TOLD(vinc_control, __VA_ARGS__)
#define LIST(...)  TOLD_LIST(vinc_control, __VA_ARGS__)
#define COLUMNS(m) .columns = offsetof(vinc_control, m)
static const told_field control_fields[] = {
    FIELD(WORD, "model", model),
    FIELD(WORD, "class", class_name),
    FIELD(REAL, "t", t),
    FIELD(WORD, "point", point),
    LIST(WORDS, "states", states, n_states),
    LIST(WORDS, "inputs", inputs, n_inputs),
    LIST(WORDS, "outputs", outputs, n_outputs),
    LIST(ROWS, "channels", channels, n_channels, .size = sizeof(vinc_channel),
         .inside = channel_fields),
    LIST(ROWS, "modes", modes, n_modes, .size = sizeof(vinc_mode_reach), .inside = reach_fields),
    LIST(MATRIX, "K", k, n_inputs, COLUMNS(n_states), .when = "regulated"),
    LIST(PAIRS, "regulated", regulated_re, n_regulated,
         .also = offsetof(vinc_control, regulated_im)),
    LIST(MATRIX, "L", l, n_states, COLUMNS(n_outputs), .when = "observed"),
    LIST(PAIRS, "observed", observed_re, n_observed, .also = offsetof(vinc_control, observed_im)),
    FIELD(WORD, "chart", chart, .flags = TOLD_HIDDEN | TOLD_CHART),
    {0},
};

/* ---- words ----------------------------------------------------------------------------------- */

static void say_roots(text *o, const double *re, const double *im, int n)
{
    int shown = 0;
    if (!n) text_add(o, " none");
    for (int i = 0; i < n; i++) {
        if (im[i] < 0) continue;
        text_printf(o, "%s%.6g", shown++ ? ",  " : " ", re[i]);
        if (im[i] > 0) text_printf(o, " +- %.6g i", im[i]);
    }
    text_char(o, '\n');
}

static void say_margins(text *o, const vinc_channel *c)
{
    text_printf(o, "  closed     by u = r - y: %s\n",
                c->closed_stable < 0 ? "not defined"
                : c->closed_stable   ? "stable"
                                     : "not stable");
    if (isfinite(c->gain_margin))
        text_printf(o, "  gain       margin %.4g (%.3g dB) at %.6g rad/s\n", c->gain_margin,
                    20 * log10(c->gain_margin), c->gain_margin_at);
    else text_add(o, "  gain       no factor in the range drawn brings it to -1\n");
    if (isfinite(c->phase_margin))
        text_printf(o, "  phase      margin %.4g deg at %.6g rad/s\n",
                    fabs(c->phase_margin) < 1e-9 ? 0 : c->phase_margin, c->phase_margin_at);
    else text_add(o, "  phase      |G| = 1 nowhere in the range drawn\n");
}

static void say_channels(const void *told, vinc_format format, text *o)
{
    const vinc_control *x = told;
    (void)format;
    for (int i = 0; i < x->n_channels; i++) {
        const vinc_channel *c = &x->channels[i];
        text_printf(o, "\nFrom %s to %s\n  G(s) =     %s\n", c->input, c->output, c->formula);
        if (c->gain == 0) continue;
        text_add(o, "  zeros     ");
        say_roots(o, c->zero_re, c->zero_im, c->n_zeros);
        text_add(o, "  poles     ");
        say_roots(o, c->pole_re, c->pole_im, c->n_poles);
        if (isfinite(c->steady)) text_printf(o, "  steady     G(0) = %.6g\n", c->steady);
        say_margins(o, c);
    }
}

/* "all 4 modes" or "3 of 4 modes, not -1, 2 +- 3 i". */
static void say_modes_of(text *o, const vinc_control *x, bool seen)
{
    int yes = 0, shown = 0;
    for (int i = 0; i < x->n_modes; i++) yes += seen ? x->modes[i].seen : x->modes[i].reached;
    if (yes == x->n_modes) text_printf(o, " all %d mode%s", yes, yes == 1 ? "" : "s");
    else text_printf(o, " %d of %d modes", yes, x->n_modes);
    for (int i = 0; i < x->n_modes && yes < x->n_modes; i++) {
        const vinc_mode_reach *m = &x->modes[i];
        if ((seen ? m->seen : m->reached) || m->im < 0) continue;
        text_printf(o, "%s%.6g", shown++ ? ", " : ", not ", m->re);
        if (m->im > 0) text_printf(o, " +- %.6g i", m->im);
    }
    text_char(o, '\n');
}

static void say_reach(const void *told, vinc_format format, text *o)
{
    const vinc_control *x = told;
    (void)format;
    text_add(o, "\nModes\n  the inputs reach ");
    say_modes_of(o, x, false);
    text_add(o, "  the outputs show ");
    say_modes_of(o, x, true);
}

static void say_gains(const void *told, vinc_format format, text *o)
{
    const vinc_control *x = told;
    (void)format;
    if (x->n_regulated) {
        text_add(o, "\nLeast cost: u = -K x, x the deviations of the states\n");
        study_print_matrix(o, "K", x->n_inputs, x->n_states, x->k);
        text_add(o, "  poles     ");
        say_roots(o, x->regulated_re, x->regulated_im, x->n_regulated);
    }
    if (x->n_observed) {
        text_add(o, "\nObserver: z' = A z + B u + L (y - C z - D u)\n");
        study_print_matrix(o, "L", x->n_states, x->n_outputs, x->l);
        text_add(o, "  poles     ");
        say_roots(o, x->observed_re, x->observed_im, x->n_observed);
    }
}

static const told_line control_lines[] = {
    {.words = "{class} at t = {t} ({point}), linearized\n"},
    {.words = "  states     {states|none}\n  inputs     {inputs}\n  outputs    {outputs}\n"},
    {.say = say_channels},
    {.say = say_reach, .when = "modes"},
    {.say = say_gains},
    {.words = "{chart}", .when = "chart"},
    {0},
};

const told_kind study_control = {
    .name = "control",
    .command = "linearize --transfer",
    .summary = "transfer functions, zeros, margins, modes reached and seen, gains",
    .size = sizeof(vinc_control),
    .fields = control_fields,
    .lines = control_lines,
};

/* ---- formulas -------------------------------------------------------------------------------- */

// Coefficients of gain * product (s - root), highest power first.
static double *polynomial(arena *a, double gain, const double *re, const double *im, int n)
{
    double complex *c = arena_array(a, double complex, n + 1);
    double *out = arena_array(a, double, n + 1);
    c[0] = 1;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k > 0; k--) c[k] -= c[k - 1] * (re[i] + I * im[i]);
    for (int i = 0; i <= n; i++) out[i] = gain * creal(c[i]);
    return out;
}

static void signed_term(text *o, double x, const char *after)
{
    if (x == 0) return;
    text_printf(o, " %c ", x < 0 ? '-' : '+');
    if (fabs(x) != 1 || !*after) text_printf(o, "%.6g%s", fabs(x), *after ? " " : "");
    text_add(o, after);
}

/* "(s + 1) (s^2 + 2 s + 5)", "s^2 (s + 1)"; how many factors. */
static int say_factors(text *o, const double *re, const double *im, int n)
{
    int at_zero = 0, factors = 0;
    double zero = 0;
    for (int i = 0; i < n; i++) zero = fmax(zero, 1e-14 * hypot(re[i], im[i]));
    for (int i = 0; i < n; i++) at_zero += hypot(re[i], im[i]) <= zero;
    if (at_zero) factors++, text_printf(o, at_zero > 1 ? "s^%d" : "s", at_zero);
    for (int i = 0; i < n; i++) {
        if (im[i] < 0 || hypot(re[i], im[i]) <= zero) continue;
        text_add(o, factors++ ? " (s" : "(s");
        if (im[i] > 0) {
            text_add(o, "^2");
            if (fabs(re[i]) > zero) signed_term(o, -2 * re[i], "s");
            signed_term(o, re[i] * re[i] + im[i] * im[i], "");
        } else signed_term(o, -re[i], "");
        text_char(o, ')');
    }
    return factors;
}

static const char *formula_of(arena *a, const control_channel *c)
{
    text top, bottom;
    if (c->nothing) return "0";
    text_init(&top, a->m);
    text_init(&bottom, a->m);
    if (fabs(c->gain - 1) > 1e-6 || !c->n_zeros)
        text_printf(&top, c->n_zeros ? "%.6g " : "%.6g", c->gain);
    say_factors(&top, c->zero_re, c->zero_im, c->n_zeros);
    bool several = say_factors(&bottom, c->pole_re, c->pole_im, c->n_poles) > 1;
    if (c->n_poles) text_printf(&top, several ? " / [%s]" : " / %s", text_str(&bottom));
    char *out = arena_strndup(a, text_str(&top), top.n);
    text_done(&bottom);
    text_done(&top);
    return out;
}

static void control_transpose(const double *x, int rows, int cols, double *out)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            out[j + (size_t)i * (size_t)cols] = x[i + (size_t)j * (size_t)rows];
}

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct weights {
    vinc_ctx *ctx;
    const char *option, *source;
} weights;

static int wrong_weights(const weights *w, const char *why, const char *name, size_t n)
{
    diag_error(&w->ctx->diags, "C174", (span){0}, "%s '%s': %s%s%.*s%s", w->option, w->source, why,
               n ? " '" : "", (int)n, name, n ? "'" : "");
    return VINC_E_OPTION;
}

static int weight_index(const char *const *names, int n, const char *name, size_t length)
{
    for (int i = 0; i < n; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return i;
    return -1;
}

/* "x=1, v=0.1" up to `end`, for these names; "1": the same for all. Unnamed ones have `rest`. */
static int read_weights(const weights *w, const char *at, const char *end, const char *const *names,
                        int n, double rest, double *out)
{
    for (int i = 0; i < n; i++) out[i] = rest;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == ',')) at++;
        if (at == end) break;
        const char *equal = at, *from = at;
        int parentheses = 0;
        while (equal < end && (*equal != '=') && (*equal != ',' || parentheses)) {
            parentheses += *equal == '[' ? 1 : *equal == ']' ? -1 : 0;
            equal++;
        }
        bool named = equal < end && *equal == '=';
        char *stop = NULL;
        double value = strtod(named ? equal + 1 : from, &stop);
        size_t length = (size_t)(equal - from);
        while (named && length && from[length - 1] == ' ') length--;
        int i = named ? weight_index(names, n, from, length) : 0;
        if (i < 0)
            return wrong_weights(w, "no state, input or output of that place is called", from,
                                 length);
        while (stop < end && *stop == ' ') stop++;
        if (stop > end || (stop < end && *stop != ',') || !(value >= 0) || !isfinite(value))
            return wrong_weights(w, "a weight is a number that is not negative:", from, length);
        if (named) out[i] = value;
        else
            for (i = 0; i < n; i++) out[i] = value;
        at = stop;
    }
    return VINC_OK;
}

/* q of the states before the semicolon, r of inputs or outputs after it. */
static int read_both(const weights *w, const linear_point *l, const char *const *others, int n_r,
                     double *q, double *r)
{
    const char *end = w->source + strlen(w->source), *semicolon = strchr(w->source, ';');
    const char *first = semicolon ? semicolon : end;
    bool any = strspn(w->source, " ") < (size_t)(first - w->source);
    int rc = read_weights(w, w->source, first, l->states, l->s.n, any ? 0 : 1, q);
    if (!rc) rc = read_weights(w, semicolon ? semicolon + 1 : end, end, others, n_r, 1, r);
    for (int i = 0; i < n_r && !rc; i++)
        if (!(r[i] > 0))
            rc = wrong_weights(w, "needs a positive weight:", others[i], strlen(others[i]));
    return rc;
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct control_job {
    vinc_sim *s;
    const vinc_linear_options *o;
    vinc_control **out;
    linear_point l;
    arena *a;
    vinc_control told;
    control_channel *channels;
    double *omega;
    int n_omega;
    plot_figure *figure; // being drawn
} control_job;

static int tell_channel(control_job *j, int output, int input, vinc_channel *c)
{
    control_channel *x = &j->channels[j->told.n_channels];
    vinc_ctx *ctx = j->s->model->ctx;
    *c = (vinc_channel){.input = j->l.inputs[input], .output = j->l.outputs[output]};
    if (control_channel_of(j->a, &j->l.s, input, output, x)) {
        diag_error(&ctx->diags, "C175", (span){0},
                   "the zeros from '%s' to '%s' are not found: the product of their factors does "
                   "not agree with the matrices",
                   c->input, c->output);
        return VINC_E_MODEL;
    }
    c->formula = formula_of(j->a, x);
    c->gain = x->gain, c->steady = x->steady;
    c->n_zeros = x->n_zeros, c->zero_re = x->zero_re, c->zero_im = x->zero_im;
    c->n_poles = x->n_poles, c->pole_re = x->pole_re, c->pole_im = x->pole_im;
    c->n_num = x->nothing ? 0 : x->n_zeros + 1;
    c->n_den = x->nothing ? 0 : x->n_poles + 1;
    c->num = polynomial(j->a, x->gain, x->zero_re, x->zero_im, x->n_zeros);
    c->den = polynomial(j->a, 1, x->pole_re, x->pole_im, x->n_poles);
    return VINC_OK;
}

static void tell_margins(control_job *j, const control_channel *x, vinc_channel *c)
{
    int n = x->s.n;
    double *re = arena_array(j->a, double, n + 1), *im = arena_array(j->a, double, n + 1);
    control_margins m;
    control_margins_of(x, j->omega, j->n_omega, &m);
    c->gain_margin = m.gain, c->gain_margin_at = m.gain_at;
    c->phase_margin = m.phase, c->phase_margin_at = m.phase_at;
    c->closed_stable = control_closed(j->a, x, 1, re, im) ? -1 : 1;
    double far = 0;
    for (int i = 0; i < n && c->closed_stable > 0; i++) far = fmax(far, hypot(re[i], im[i]));
    for (int i = 0; i < n && c->closed_stable > 0; i++)
        if (!(re[i] < -ON_THE_AXIS * far))
            c->closed_stable = 0; // a pole on the axis does not decay
}

static int tell_reach(control_job *j)
{
    const linear_system *s = &j->l.s;
    const linear_modes *m = &j->l.modes;
    int n = s->n;
    bool *reached = arena_array(j->a, bool, n + 1), *seen = arena_array(j->a, bool, n + 1);
    double *at = arena_array(j->a, double, (size_t)n *(size_t)n + 1);
    double *ct = arena_array(j->a, double, (size_t)n *(size_t)s->n_o + 1);
    vinc_mode_reach *list = arena_array(j->a, vinc_mode_reach, n + 1);
    control_transpose(s->a, n, n, at);
    control_transpose(s->c, s->n_o, n, ct);
    if (control_reached(j->a, n, s->n_u, s->a, s->b, m, reached) ||
        control_reached(j->a, n, s->n_o, at, ct, m, seen))
        return VINC_E_MODEL;
    for (int i = 0; i < m->n; i++)
        list[i] = (vinc_mode_reach){m->re[i], m->im[i], reached[i], seen[i]};
    j->told.n_modes = m->n, j->told.modes = list;
    return VINC_OK;
}

/* Gains of x' = A x + B u with these weights, and eigenvalues of A - B K. */
static int find_gain(control_job *j, const weights *w, const double *a, const double *b, int m,
                     const char *const *others, double **k, double **re, double **im)
{
    int n = j->l.s.n;
    double *q = arena_array(j->a, double, n + 1), *r = arena_array(j->a, double, m + 1);
    int rc = read_both(w, &j->l, others, m, q, r);
    if (rc) return rc;
    *k = arena_array(j->a, double, (size_t)m *(size_t)n + 1);
    *re = arena_array(j->a, double, n + 1), *im = arena_array(j->a, double, n + 1);
    linear_modes modes;
    double *closed = arena_array(j->a, double, (size_t)n *(size_t)n + 1);
    if (!control_regulator(j->a, n, m, a, b, q, r, *k)) {
        memcpy(closed, a, (size_t)n * (size_t)n * sizeof *closed);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < n; i++)
                for (int l = 0; l < m; l++)
                    closed[i + (size_t)c * (size_t)n] -=
                        b[i + (size_t)l * (size_t)n] * (*k)[l + (size_t)c * (size_t)m];
        if (!linear_eigen(j->a, n, closed, &modes)) {
            memcpy(*re, modes.re, (size_t)n * sizeof **re);
            memcpy(*im, modes.im, (size_t)n * sizeof **im);
            return VINC_OK;
        }
    }
    diag_error(&w->ctx->diags, "C176", (span){0},
               "%s: no gain of least cost is found that stabilises", w->option);
    diag_note(&w->ctx->diags, (span){0},
              "a mode that does not decay must be reached and have a weight: --transfer says which "
              "are reached by the inputs and shown by the outputs");
    return VINC_E_MODEL;
}

static int tell_gains(control_job *j)
{
    const linear_system *s = &j->l.s;
    vinc_ctx *ctx = j->s->model->ctx;
    int n = s->n, rc = VINC_OK;
    double *k, *re, *im;
    if (j->o->lqr) {
        weights w = {ctx, "--lqr", j->o->lqr};
        rc = find_gain(j, &w, s->a, s->b, s->n_u, j->l.inputs, &k, &re, &im);
        if (rc) return rc;
        j->told.k = k, j->told.n_regulated = n;
        j->told.regulated_re = re, j->told.regulated_im = im;
    }
    if (j->o->observer) {
        weights w = {ctx, "--observer", j->o->observer};
        double *at = arena_array(j->a, double, (size_t)n *(size_t)n + 1);
        double *ct = arena_array(j->a, double, (size_t)n *(size_t)s->n_o + 1);
        double *l = arena_array(j->a, double, (size_t)n *(size_t)s->n_o + 1);
        control_transpose(s->a, n, n, at);
        control_transpose(s->c, s->n_o, n, ct);
        rc = find_gain(j, &w, at, ct, s->n_o, j->l.outputs, &k, &re, &im);
        if (rc) return rc;
        control_transpose(k, s->n_o, n, l);
        j->told.l = l, j->told.n_observed = n;
        j->told.observed_re = re, j->told.observed_im = im;
    }
    return VINC_OK;
}

static int control_lacks(const control_job *j)
{
    const linear_system *s = &j->l.s;
    diag_sink *d = &j->s->model->ctx->diags;
    if (!s->n_u || !s->n_o) {
        diag_error(d, "C173", (span){0}, "'%s' has no %s at the top level, so there is no channel",
                   j->s->model->flat->name, s->n_u ? "outputs" : "inputs");
        diag_note(d, (span){0},
                  s->n_u ? "declare 'output Real y', or name variables by --vars"
                         : "declare 'input Real u' in the model and use it in an equation");
        return VINC_E_MODEL;
    }
    if (s->beyond || s->n_u * s->n_o > CHANNELS_MOST) {
        diag_error(d, "C173", (span){0},
                   s->beyond ? "outputs of '%s' depend on second derivatives of its inputs"
                             : "'%s' has more than 64 channels: name outputs by --vars",
                   j->s->model->flat->name);
        return VINC_E_MODEL;
    }
    return VINC_OK;
}

static int tell_control(void *job)
{
    control_job *j = job;
    vinc_sim *s = j->s;
    vinc_model *m = s->model;
    static const char *const where[] = {"start", "stop", "equilibrium"};
    double t = j->o->at == VINC_AT_STOP ? s->done.t_end : s->options.t_start;
    j->a = &s->a;
    watch_doing(&m->ctx->watch, "linearizing", m->flat->name);
    int rc = study_linearize(s, t, j->o->vars, j->a, &j->l);
    if (!rc) rc = control_lacks(j);
    if (rc) return rc;
    const linear_system *x = &j->l.s;
    vinc_channel *list = arena_array(j->a, vinc_channel, x->n_u * x->n_o + 1);
    j->channels = arena_array(j->a, control_channel, x->n_u * x->n_o + 1);
    j->told = (vinc_control){
        .model = m->source,
        .class_name = m->flat->name,
        .t = t,
        .point = where[j->o->at < VINC_AT_EQUILIBRIUM ? j->o->at : VINC_AT_EQUILIBRIUM],
        .n_states = x->n,
        .n_inputs = x->n_u,
        .n_outputs = x->n_o,
        .states = j->l.states,
        .inputs = j->l.inputs,
        .outputs = j->l.outputs,
        .channels = list};
    for (int o = 0; o < x->n_o && !rc; o++)
        for (int u = 0; u < x->n_u && !rc; u++, j->told.n_channels++)
            rc = tell_channel(j, o, u, &list[j->told.n_channels]);
    if (rc) return rc;
    j->n_omega = control_frequencies(j->a, j->channels, j->told.n_channels, &j->omega);
    for (int i = 0; i < j->told.n_channels; i++) tell_margins(j, &j->channels[i], &list[i]);
    rc = tell_reach(j);
    if (!rc) rc = tell_gains(j);
    if (!rc && (j->o->plot || j->o->view != VINC_VIEW_NONE)) {
        control_view v = {m->flat->name, j->channels, list, j->told.n_channels,
                          j->omega,      j->n_omega,  j->a, &j->figure};
        plot_figure *f = control_figure(&m->ctx->m, j->o->view, &v);
        j->figure = NULL;
        rc = study_write_figure(m->ctx, j->o->plot ? j->o->plot : "-", f, &m->out, &j->told.chart);
    }
    return rc ? rc : told_keep(&m->ctx->lasting, &study_control, &j->told, j->out);
}

int vinc_control_of(vinc_model *model, const vinc_linear_options *options, vinc_control **out)
{
    if (out) *out = NULL;
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the report");
    vinc_linear_options o = options ? *options : (vinc_linear_options){0};
    vinc_sim_options run = o.run ? *o.run : (vinc_sim_options){0};
    run.formulation = "dummy"; // index 1: states and what follows from them
    vinc_sim *s = NULL;
    int rc = api_sim_new(model, &run, &s);
    if (!rc) rc = study_reach(s, o.at);
    control_job j = {.s = s, .o = &o, .out = out};
    if (!rc) rc = api_guarded(model->ctx, tell_control, &j);
    plot_free(j.figure);
    vinc_sim_free(s);
    return rc;
}
