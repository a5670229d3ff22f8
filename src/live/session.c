/* What a request asks for, and the answer.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "live/live.h"
#include "result/whole_file.h"
#include "study/page.h"
#include "told/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SETTINGS_MOST = 200,
    SLIDERS_MOST = 100,
    NAMES_MOST = 5000,
};
static const double SECONDS = 10;        // that a run may take
static const double SECONDS_TO_TELL = 2; // of it, where it took all its time as well

typedef struct live_value {
    const char *name;
    double value;
} live_value;

/* A request, its words cut out of it. NULL, or zero: not given. */
typedef struct live_request {
    const char *method, *formulation, *vars;
    double stop, tol;
    live_value values[SETTINGS_MOST];
    int n_values;
    const char *words;
    size_t n_words;
    long number; // in the order of arrival
} live_request;

/* ---- reading --------------------------------------------------------------------------------- */

static bool live_number(const char *s, double *x)
{
    char *end;
    *x = strtod(s, &end);
    return end != s && !*end && isfinite(*x);
}

/* A line "set NAME VALUE"; names may hold blanks: a['b c']. */
static bool live_set_line(live_request *r, char *rest)
{
    char *blank = strrchr(rest, ' ');
    if (!blank || r->n_values == SETTINGS_MOST) return false;
    *blank = 0;
    live_value *v = &r->values[r->n_values++];
    v->name = rest;
    return live_number(blank + 1, &v->value);
}

static bool live_read_line(live_request *r, char *word, char *rest)
{
    if (!strcmp(word, "set")) return live_set_line(r, rest);
    if (!strcmp(word, "stop")) return live_number(rest, &r->stop);
    if (!strcmp(word, "tol")) return live_number(rest, &r->tol);
    const char **word_of = !strcmp(word, "method")        ? &r->method
                           : !strcmp(word, "formulation") ? &r->formulation
                           : !strcmp(word, "vars")        ? &r->vars
                                                          : NULL;
    if (word_of) *word_of = *rest ? rest : NULL;
    return word_of != NULL;
}

/* False: it is no request. */
static bool live_read(live_request *r, char *at, size_t n)
{
    char *end = at + n;
    while (at < end) {
        char *line_end = memchr(at, '\n', (size_t)(end - at)), *blank;
        if (!line_end) return false;
        *line_end = 0;
        blank = strchr(at, ' ');
        if (!blank) return false;
        *blank = 0;
        if (!strcmp(at, "text")) {
            double size;
            r->words = line_end + 1;
            r->n_words = (size_t)(end - line_end) - 1;
            return live_number(blank + 1, &size) && size == (double)r->n_words;
        }
        if (!live_read_line(r, at, blank + 1)) return false;
        at = line_end + 1;
    }
    return false;
}

/* ---- the model and its run ------------------------------------------------------------------- */

static void live_forget(live_session *s)
{
    vinc_sim_free(s->sim);
    vinc_model_free(s->model);
    s->sim = NULL;
    s->model = NULL;
    text_clear(&s->kept);
    text_clear(&s->checked);
}

static int live_load(live_session *s, const live_request *r)
{
    if (s->model && s->n_words == r->n_words && !memcmp(s->words, r->words, r->n_words))
        return VINC_OK;
    char *words = malloc(r->n_words + 1);
    if (!words) return VINC_E_MEMORY;
    memcpy(words, r->words, r->n_words);
    words[r->n_words] = 0;
    live_forget(s);
    free(s->words);
    s->words = words;
    s->n_words = r->n_words;
    return vinc_model_load_text(s->ctx, s->name, words, s->n_words,
                                strcmp(s->name, s->o->source) ? NULL : s->o->class_name, &s->model);
}

typedef struct live_turn {
    live_session *s;
    long number;
} live_turn;

static int live_heed(void *user, const vinc_progress *p)
{
    const live_turn *t = user;
    (void)p;
    return atomic_load(&t->s->newest) != t->number;
}

/* A page remembers values by names; its text may have lost one since. */
static bool live_has(const live_session *s, const char *name)
{
    const flat_model *f = s->model->flat;
    return flat_find(f, name) >= 0;
}

static int live_set(live_session *s, const live_value *v)
{
    if (live_has(s, v->name)) return vinc_sim_set(s->sim, v->name, v->value);
    s->gone = v->name;
    return VINC_OK;
}

static int live_run(live_session *s, const live_request *r)
{
    live_turn turn = {s, r->number};
    vinc_sim_options o = s->o->run ? *s->o->run : (vinc_sim_options){0};
    if (r->method) o.method = r->method;
    if (r->formulation) o.formulation = r->formulation;
    if (r->stop > 0) o.has_stop = 1, o.t_stop = r->stop;
    if (r->tol > 0) o.rel_tol = r->tol;
    o.vars = r->vars;
    o.chart = 0;
    o.progress = live_heed;
    o.user = &turn;
    vinc_sim_free(s->sim);
    s->sim = NULL;
    int rc = vinc_sim_new(s->model, &o, &s->sim);
    s->n_before = vinc_ctx_n_diagnostics(s->ctx);
    for (int i = 0; i < r->n_values && rc >= 0; i++) rc = live_set(s, &r->values[i]);
    return rc < 0 ? rc : vinc_sim_run(s->sim);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void live_message(json *j, const live_session *s, vinc_diagnostic d)
{
    static const char *const severities[] = {
        [VINC_NOTE] = "note", [VINC_WARNING] = "warning", [VINC_ERROR] = "error"};
    bool here = d.file && !strcmp(d.file, s->name);
    json_open(j, NULL, '{');
    json_text(j, "severity", severities[d.severity]);
    json_text(j, "code", d.code);
    json_text(j, "file", here ? NULL : d.file);
    json_int(j, "line", d.file ? d.line : 0);
    json_int(j, "column", d.file ? d.column : 0);
    json_text(j, "text", d.text);
    json_close(j, '}');
}

static void live_gone(json *j, const live_session *s)
{
    char words[300];
    snprintf(words, sizeof words, "'%.200s' is no longer in the model: its value is left out",
             s->gone);
    live_message(j, s, (vinc_diagnostic){.severity = VINC_NOTE, .code = "C113", .text = words});
}

/* Has the context it, too? A run that fails hands on what it said. */
static bool live_said(const live_session *s, const char *words)
{
    for (int i = s->n_before; i < vinc_ctx_n_diagnostics(s->ctx); i++)
        if (!strcmp(vinc_ctx_diagnostic(s->ctx, i).text, words)) return true;
    return false;
}

/* What was said before the run is the model's. */
static void live_messages(json *j, live_session *s)
{
    json kept = {&s->kept, s->kept.n == 0};
    json_open(j, "messages", '[');
    for (int i = 0; i < vinc_ctx_n_diagnostics(s->ctx); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(s->ctx, i);
        bool stays = i < s->n_before && d.severity != VINC_ERROR && s->model;
        live_message(stays ? &kept : j, s, d);
    }
    if (s->kept.n) text_add(json_raw(j, NULL), text_str(&s->kept));
    if (s->gone) live_gone(j, s);
    for (int i = 0; s->sim && i < vinc_sim_n_diagnostics(s->sim); i++) {
        vinc_diagnostic d = vinc_sim_diagnostic(s->sim, i);
        if (d.severity != VINC_ERROR && !live_said(s, d.text)) live_message(j, s, d);
    }
    json_close(j, ']');
}

/* A parameter that a run can be given another value of, or a start value that holds. */
static bool live_slides(const live_session *s, const flat_var *v, bool *start)
{
    enum { NOT = FLAT_PROTECTED | FLAT_FINAL | FLAT_STRUCTURAL };
    double x;
    const expr_pool *p = s->model->flat->pool;
    *start = v->variability == FLAT_CONTINUOUS;
    if (v->type != TYPE_REAL && v->type != TYPE_INTEGER && v->type != TYPE_BOOLEAN) return false;
    if (*start)
        return v->type == TYPE_REAL && v->attr->fixed == 1 && !(v->flags & FLAT_PROTECTED) &&
               (!v->attr->start || expr_number(p, v->attr->start, &x));
    return v->variability == FLAT_PARAMETER && !(v->flags & NOT) &&
           (!v->binding || expr_number(p, v->binding, &x));
}

static void live_bound(json *j, const expr_pool *p, const char *key, expr e)
{
    double x;
    if (e && expr_number(p, e, &x) && isfinite(x)) json_real(j, key, x);
}

static void live_sliders(json *j, const live_session *s)
{
    static const char *const types[] = {
        [TYPE_REAL] = "real", [TYPE_INTEGER] = "integer", [TYPE_BOOLEAN] = "boolean"};
    const flat_model *f = s->model->flat;
    vinc_result *r = vinc_sim_result(s->sim);
    int n = 0;
    json_open(j, "sliders", '[');
    for (int i = 0; i < f->vars.n && n < SLIDERS_MOST; i++) {
        const flat_var *v = flat_at(f, i);
        bool start;
        vinc_column c;
        if (!live_slides(s, v, &start)) continue;
        int at = vinc_result_find(r, FLAT_NAME(f, i));
        if (at < 0 || vinc_result_column(r, at, &c) || !c.n) continue;
        json_open(j, NULL, '{');
        json_text(j, "name", FLAT_NAME(f, i));
        json_bool(j, "start", start);
        json_text(j, "type", types[v->type]);
        json_real(j, "value", c.values[0]);
        live_bound(j, f->pool, "min", v->attr->min);
        live_bound(j, f->pool, "max", v->attr->max);
        json_text(j, "unit", c.unit);
        json_text(j, "comment", v->decl->comment);
        json_close(j, '}');
        n++;
    }
    json_close(j, ']');
}

/* What can be chosen to be seen. */
static void live_names(json *j, const live_session *s)
{
    vinc_result *r = vinc_sim_result(s->sim);
    json_open(j, "names", '[');
    for (int i = 1; i < vinc_result_n_columns(r) && i < NAMES_MOST; i++)
        json_text(j, NULL, r->r->columns[i].name);
    json_close(j, ']');
}

static void live_choices(json *j)
{
    const char *name;
    json_open(j, "methods", '[');
    for (int i = 0; (name = vinc_method_name(i)); i++) json_text(j, NULL, name);
    json_close(j, ']');
    json_open(j, "formulations", '[');
    for (int i = 0; (name = vinc_formulation(i)); i++) json_text(j, NULL, name);
    json_close(j, ']');
}

static void live_write(live_session *s, text *out)
{
    json j = {out, true};
    const char *data = NULL;
    vinc_plot_options o = {.vars = s->sim ? s->sim->callbacks.vars : NULL};
    bool ran = s->sim && vinc_result_n_rows(vinc_sim_result(s->sim)) > 0;
    if (ran && study_page_data(vinc_sim_result(s->sim), &o, &s->checked, &data) < 0) data = NULL;
    json_open(&j, NULL, '{');
    live_messages(&j, s);
    if (ran) {
        live_sliders(&j, s);
        live_names(&j, s);
        json_real(&j, "stop", s->sim->options.t_stop);
        json_real(&j, "tol", s->sim->options.rel_tol);
    }
    live_choices(&j);
    text_add(json_raw(&j, "data"), data ? data : "null");
    json_close(&j, '}');
}

/* In the order in which requests come in: the last one interrupts those before it. */
static bool live_turn_comes(live_session *s, live_request *r)
{
    r->number = atomic_fetch_add(&s->newest, 1) + 1;
    vinc_ctx_interrupt(s->ctx);
    pthread_mutex_lock(&s->lock);
    return atomic_load(&s->newest) == r->number;
}

int live_answer(live_session *s, char *request, size_t n, text *out)
{
    live_request r = {0};
    if (!live_read(&r, request, n)) return LIVE_NO_REQUEST;
    bool turn = live_turn_comes(s, &r);
    if (turn) {
        double seconds = s->o->max_time > 0 ? s->o->max_time : SECONDS;
        vinc_ctx_limit(s->ctx, &(vinc_limits){.seconds = seconds});
        vinc_ctx_clear(s->ctx);
        s->gone = NULL;
        s->n_before = 0;
        int rc = live_load(s, &r);
        if (rc >= 0) live_run(s, &r);
        turn = atomic_load(&s->newest) == r.number;
    }
    vinc_ctx_limit(s->ctx, &(vinc_limits){.seconds = SECONDS_TO_TELL});
    if (turn) live_write(s, out);
    pthread_mutex_unlock(&s->lock);
    return turn ? LIVE_ANSWERED : LIVE_GIVEN_UP;
}

/* ---- a session ------------------------------------------------------------------------------- */

int live_begin(live_session *s, vinc_ctx *ctx, const vinc_live_options *o)
{
    *s = (live_session){.ctx = ctx, .o = o, .name = o->source, .m = mem_std()};
    text_init(&s->kept, &s->m);
    text_init(&s->checked, &s->m);
    pthread_mutex_init(&s->lock, NULL);
    return live_first_words(s);
}

void live_end(live_session *s)
{
    live_forget(s);
    text_done(&s->kept);
    text_done(&s->checked);
    free(s->words);
    free(s->file);
    pthread_mutex_destroy(&s->lock);
}
