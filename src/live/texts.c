/* Where the text of a session comes from, and goes to.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "live/live.h"
#include "result/whole_file.h"
#include "told/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool live_is_file(const char *name)
{
    size_t n = strlen(name);
    return n > 3 && !strcmp(name + n - 3, ".mo");
}

/* Of a class in a library: a model that extends it, to be changed here. What its experiment says is not
 * inherited, and so is said again. */
static int live_extending(live_session *s)
{
    vinc_model *model;
    int rc = vinc_model_load(s->ctx, s->o->source, s->o->class_name, &model);
    if (rc) return rc;
    const image_about *e = &model->about;
    const struct {
        const char *name;
        double value;
    } parts[] = {{"StartTime", e->start}, {"StopTime", e->stop}, {"Tolerance", e->tolerance}};
    mem m = mem_std();
    text out;
    text_init(&out, &m);
    text_printf(&out, "model Live\n  extends %s;\n  annotation(experiment(",
                vinc_model_name(model));
    for (int i = 0, n = 0; i < 3; i++) {
        if (isnan(parts[i].value)) continue;
        text_printf(&out, "%s%s = ", n++ ? ", " : "", parts[i].name);
        text_real(&out, parts[i].value);
    }
    text_add(&out, "));\nend Live;\n");
    vinc_model_free(model);
    s->n_words = out.n;
    s->words = strdup(text_str(&out));
    s->name = "Live.mo";
    text_done(&out);
    return s->words ? VINC_OK : VINC_E_MEMORY;
}

int live_first_words(live_session *s)
{
    vinc_ctx *ctx = s->ctx;
    if (!live_is_file(s->o->source)) return live_extending(s);
    result_fault fault = {0};
    mem m = mem_std();
    s->file = realpath(s->o->source, NULL);
    int rc = result_file_read(&m, s->o->source, &s->words, &s->n_words, &fault);
    if (rc >= 0 && s->n_words > LIVE_BODY_MOST / 2) {
        diag_error(&ctx->diags, "C200", (span){0},
                   "'%s' has %zu bytes: a live page edits texts of up to %d", s->o->source,
                   s->n_words, LIVE_BODY_MOST / 2);
        return VINC_E_OPTION;
    }
    return api_finish(ctx, rc, &fault);
}

/* The words that came in as JSON: what happened. */
static void live_told(text *out, bool good, const char *words)
{
    json j = {out, true};
    json_open(&j, NULL, '{');
    json_bool(&j, "good", good);
    json_text(&j, "text", words);
    json_close(&j, '}');
}

/* Is the file still where it was? Its name may have become a link to another one since. */
static bool live_is_there(const live_session *s)
{
    char *now = realpath(s->o->source, NULL);
    bool same = !now || (s->file && !strcmp(now, s->file)); // one that is gone is written again
    free(now);
    return same;
}

int live_save(live_session *s, const char *words, size_t n, text *out)
{
    result_file f;
    result_fault fault = {0};
    mem m = mem_std();
    if (!live_is_file(s->o->source)) {
        live_told(out, false, "a class of a library stays as it is; share the run instead");
        return VINC_E_OPTION;
    }
    if (!live_is_there(s)) {
        live_told(out, false, "this name leads to another file than at the beginning: not written");
        return VINC_E_OPTION;
    }
    int rc = result_file_open(&f, &m, s->o->source, &fault);
    if (rc >= 0) {
        result_file_write(&f, words, n);
        rc = result_file_commit(&f, &fault);
    }
    live_told(out, rc >= 0, rc >= 0 ? "saved" : fault.text);
    return rc < 0 ? VINC_E_OPTION : VINC_OK;
}

void live_given(live_session *s, text *out)
{
    json j = {out, true};
    char *whole = malloc(s->n_words + 1); // a NUL behind it
    json_open(&j, NULL, '{');
    json_text(&j, "name", s->name);
    if (whole) {
        memcpy(whole, s->words, s->n_words);
        whole[s->n_words] = 0;
    }
    json_text(&j, "text", whole);
    json_bool(&j, "saves", live_is_file(s->o->source));
    json_text(&j, "vars", s->o->vars);
    json_text(&j, "version", vinc_version());
    json_close(&j, '}');
    free(whole);
}

/* The page of the last run goes through a file of its own, which is gone when it has been read. */
int live_share(live_session *s, text *out)
{
    char folder[] = "/tmp/vincolo-live-XXXXXX", path[sizeof folder + 10], *bytes = NULL;
    size_t n = 0;
    mem m = mem_std();
    pthread_mutex_lock(&s->lock);
    vinc_result *r = s->sim ? vinc_sim_result(s->sim) : NULL;
    vinc_plot_options o = {.vars = s->sim ? s->sim->callbacks.vars : NULL};
    bool made = r && vinc_result_n_rows(r) && mkdtemp(folder);
    snprintf(path, sizeof path, "%s/run.html", folder);
    int rc = made ? vinc_result_plot(r, path, &o, NULL) : VINC_E_OPTION;
    if (rc >= 0 && result_file_read(&m, path, &bytes, &n, NULL) < 0) rc = VINC_E_MEMORY;
    if (rc >= 0) text_add_n(out, bytes, n);
    if (bytes) mem_free(&m, bytes, n + 1);
    if (made) unlink(path), rmdir(folder);
    pthread_mutex_unlock(&s->lock);
    if (rc < 0) text_add(out, "there is no run to be shared");
    return rc < 0 ? rc : VINC_OK;
}
