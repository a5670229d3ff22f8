/* Models: from a name on the command line to a flat model, and what can be asked of it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "flatten/flatten.h"

#include <string.h>
#include <sys/stat.h>

typedef struct load_job {
    vinc_ctx *ctx;
    const char *source, *class_name, *text;
    size_t n_text;
    const vinc_model_options *options;
    vinc_model *model;
    int n_before;         // messages of earlier calls
    const vinc_model *of; // what the class extends; NULL: nothing that is loaded
} load_job;

/* ---- finding the class ----------------------------------------------------------------------- */

static bool ends_in(const char *s, const char *tail)
{
    size_t n = strlen(s), k = strlen(tail);
    return n >= k && strcmp(s + n - k, tail) == 0;
}

static void list_models(vinc_ctx *ctx, ast_class *package)
{
    const sym *names;
    int n = lang_child_names(&ctx->library, package, &names);
    text t;
    text_init(&t, &ctx->m);
    for (int i = 0; i < n; i++) text_printf(&t, "%s%s", i ? ", " : "", names[i]);
    diag_note(&ctx->diags, (span){0}, n ? "it holds: %s" : "it holds no class%s",
              n ? text_str(&t) : "");
    text_done(&t);
}

// CLASS is a full dotted name, or one relative to the last top-level class of the file.
static ast_class *named_class(vinc_ctx *ctx, const char *name)
{
    ast_class *c = lang_find(&ctx->library, name);
    ast_class *last = c ? NULL : lang_last(&ctx->library);
    return last ? lang_find_in(&ctx->library, last, name) : c;
}

static void no_such_class(vinc_ctx *ctx, const char *file, const char *name)
{
    ast_class *last = lang_last(&ctx->library);
    if (!last) {
        diag_error(&ctx->diags, "M001", (span){0},
                   "there is no class '%s'; a file ends in .mo, a library is found by -L DIR or "
                   "MODELICAPATH",
                   name);
        return;
    }
    const char *own = lang_class_path(last, &ctx->front);
    const sym *names;
    int n = lang_child_names(&ctx->library, last, &names);
    const char *near = diag_nearest(name, &own, 1);
    if (!near) near = diag_nearest(name, names, n);
    diag_error(&ctx->diags, "M001", (span){0}, "there is no class '%s' in '%s'%s%s%s", name, file,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (n) list_models(ctx, last);
    else diag_note(&ctx->diags, last->span, "its last class is '%s'", own);
}

static int missing(vinc_ctx *ctx, const char *path)
{
    diag_error(&ctx->diags, "C101", (span){0}, "there is no file '%s'", path);
    return VINC_E_OPTION;
}

static int find_class(const load_job *j, ast_class **out)
{
    vinc_ctx *ctx = j->ctx;
    struct stat st;
    const char *name = j->class_name;
    int rc = 0;
    if (j->text) {
        rc = lang_open_text(&ctx->library, j->source, j->text, j->n_text);
    } else if (ends_in(j->source, ".mo")) {
        if (stat(j->source, &st) != 0) return missing(ctx, j->source);
        rc = lang_open(&ctx->library, j->source);
    } else if (stat(j->source, &st) == 0 && S_ISDIR(st.st_mode)) {
        rc = lang_open(&ctx->library, j->source);
    } else if (strchr(j->source, '/')) {
        return missing(ctx, j->source);
    } else if (!name) {
        name = j->source;
    } else {
        diag_error(&ctx->diags, "C102", (span){0},
                   "'%s' is neither a file ending in .mo nor a package directory, so it cannot "
                   "hold the class '%s'",
                   j->source, name);
        return VINC_E_OPTION;
    }
    if (rc || ctx->diags.n_errors) return VINC_E_MODEL;

    ast_class *c = name ? named_class(ctx, name) : ctx->library.last;
    if (ctx->diags.n_errors) return VINC_E_MODEL;
    if (!c && name) return no_such_class(ctx, j->source, name), VINC_E_MODEL;
    if (!c)
        return diag_error(&ctx->diags, "M002", (span){0}, "'%s' holds no class", j->source),
               VINC_E_MODEL;
    if (c->restriction == AST_R_PACKAGE) {
        diag_error(&ctx->diags, "M003", c->span,
                   "'%s' is a package: name a model in it, vincolo ... MODEL CLASS",
                   lang_class_path(c, &ctx->front));
        list_models(ctx, c);
        return VINC_E_MODEL;
    }
    *out = c;
    return VINC_OK;
}

/* ---- loading --------------------------------------------------------------------------------- */

// Settings of derivatives, der(x) = 2, are start values of the run; all others are the flattener's
// business.
static void split_settings(vinc_model *m, const vinc_model_options *o)
{
    for (int i = 0; o && i < o->n_settings; i++) {
        const vinc_setting *x = &o->settings[i];
        const char *written = o->places && o->places[i] ? o->places[i] : "-p";
        flat_override s = {arena_strndup(&m->a, x->name, strlen(x->name)),
                           arena_strndup(&m->a, x->value, strlen(x->value)),
                           arena_strndup(&m->a, written, strlen(written))};
        if (strncmp(s.name, "der(", 4) == 0) array_push(&m->a, &m->derivatives, s);
        else array_push(&m->a, &m->overrides, s);
    }
}

flat_override api_setting_copied(arena *a, const flat_override *x)
{
    return (flat_override){arena_strndup(a, x->name, strlen(x->name)),
                           arena_strndup(a, x->value, strlen(x->value)),
                           x->place ? arena_strndup(a, x->place, strlen(x->place)) : NULL};
}

/* What was set in a model holds in what extends it. */
static void take_settings(vinc_model *m, const vinc_model *of)
{
    for (int i = 0; i < of->overrides.n; i++)
        array_push(&m->a, &m->overrides, api_setting_copied(&m->a, &of->overrides.at[i]));
    for (int i = 0; i < of->derivatives.n; i++)
        array_push(&m->a, &m->derivatives, api_setting_copied(&m->a, &of->derivatives.at[i]));
    m->exchanged = of->exchanged;
}

/* The flattener places errors of settings at "-p NAME", or where the setting is written. */
static bool is_setting(const vinc_model *m, const char *file)
{
    for (int i = 0; i < m->overrides.n && file; i++) {
        const char *written = m->overrides.at[i].place;
        size_t n = strlen(written);
        if (!strncmp(file, written, n) && file[n] == ' ') return true;
    }
    return false;
}

/* Was it a setting, not the model, that was wrong? */
static bool wrong_setting(const load_job *j)
{
    for (int i = j->n_before; i < diag_count(&j->ctx->diags); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(j->ctx, i);
        if (d.severity == VINC_ERROR) return is_setting(j->model, d.file);
    }
    return false;
}

static int load(void *job)
{
    load_job *j = job;
    vinc_model *m = j->model;
    ast_class *c = NULL;
    double begin = api_clock();
    watch_doing(&j->ctx->watch, "reading", j->source);
    int rc = find_class(j, &c);
    m->wall.parse = api_clock() - begin;
    if (rc) return rc;

    m->source = arena_strndup(&m->a, j->source, strlen(j->source));
    m->at = c->span;
    split_settings(m, j->options);
    m->exchanged = j->options && j->options->exchange;
    if (j->of) take_settings(m, j->of);
    else j->ctx->library.allow_external = j->options && j->options->allow_external;
    rc = api_compile(m, c, API_FLAT, NULL, NULL);
    return rc && wrong_setting(j) ? VINC_E_OPTION : rc;
}

bool api_are_settings(const vinc_setting *list, int n)
{
    for (int i = 0; list && i < n; i++)
        if (!list[i].name || !list[i].value) return false;
    return api_is_list(list, n);
}

static int load_class(load_job *j, vinc_model **out)
{
    vinc_ctx *ctx = j->ctx;
    if (out) *out = NULL;
    if (!ctx || !out) return api_lacks(ctx, "a place for the model");
    if (!j->source) return api_lacks(ctx, "a source");
    const vinc_model_options *o = j->options;
    if (o && !api_are_settings(o->settings, o->n_settings))
        return api_lacks(ctx, "a name and a value in every setting");
    vinc_model *m = mem_try(&ctx->m, sizeof *m);
    if (!m) return api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    *m = (vinc_model){.ctx = ctx, .refs = 1};
    api_ctx_hold(ctx);
    arena_init(&m->a, &ctx->m);
    arena_init(&m->before, &ctx->m);
    text_init(&m->out, &ctx->m);
    j->model = m;
    int errors = ctx->diags.n_errors; // of earlier calls: they say nothing about this one
    j->n_before = diag_count(&ctx->diags);
    ctx->diags.n_errors = 0;
    int rc = api_aside(ctx, load, j);
    ctx->diags.n_errors += errors;
    if (rc) vinc_model_free(m);
    else *out = m;
    return rc;
}

int vinc_model_load_with(vinc_ctx *ctx, const char *from, const char *class_name,
                         const vinc_model_options *options, vinc_model **out)
{
    return load_class(&(load_job){.ctx = ctx,
                                  .source = from,
                                  .class_name = class_name,
                                  .text = options ? options->text : NULL,
                                  .n_text = options ? options->n_text : 0,
                                  .options = options},
                      out);
}

int vinc_model_load(vinc_ctx *ctx, const char *from, const char *class_name, vinc_model **out)
{
    return vinc_model_load_with(ctx, from, class_name, NULL, out);
}

int vinc_model_load_text(vinc_ctx *ctx, const char *name, const char *words, size_t n,
                         const char *class_name, vinc_model **out)
{
    if (!words) {
        if (out) *out = NULL;
        return api_lacks(ctx, "a text");
    }
    return load_class(
        &(load_job){
            .ctx = ctx, .source = name, .class_name = class_name, .text = words, .n_text = n},
        out);
}

int api_model_extend(const vinc_model *of, const char *name, const text *words,
                     const char *class_name, vinc_model **out)
{
    return load_class(&(load_job){.ctx = of->ctx,
                                  .source = name,
                                  .class_name = class_name,
                                  .text = text_str(words),
                                  .n_text = words->n,
                                  .of = of},
                      out);
}

void api_model_hold(vinc_model *model)
{
    api_lock(model->ctx);
    model->refs++;
    api_unlock(model->ctx);
}

void api_model_release(vinc_model *model)
{
    vinc_ctx *ctx = model->ctx;
    api_lock(ctx);
    int left = --model->refs;
    api_unlock(ctx);
    if (left) return;
    mem plain = {.resize = ctx->m.resize, .user = ctx->m.user, .zeroed = ctx->m.zeroed};
    api_free_compiled(model);
    api_forget_bare(model);
    api_free_origin(model);
    api_free_names(&plain, model->names);
    text_done(&model->out);
    arena_done(&model->a);
    arena_done(&model->before);
    mem_free(&plain, model, sizeof *model);
    api_ctx_release(ctx);
}

void vinc_model_free(vinc_model *model)
{
    if (!model) return;
    model->gone = true;
    api_model_release(model);
}

/* ---- asking ---------------------------------------------------------------------------------- */

const char *vinc_model_name(const vinc_model *model)
{
    return model ? model->about.name : "";
}

int vinc_model_n_variables(const vinc_model *model)
{
    return model ? model->flat->vars.n : 0;
}

static void write_variable_name(const void *of, int i, text *out)
{
    text_add(out, FLAT_NAME((const flat_model *)of, i));
}

/* NULL: no memory. */
static const char *variable_name(vinc_model *m, int i)
{
    if (names_keep(&m->flat->vars.names, i)) return flat_name(m->flat, i, NULL);
    mem plain = {.resize = m->ctx->m.resize, .user = m->ctx->m.user, .zeroed = m->ctx->m.zeroed};
    api_lock(m->ctx);
    if (!m->names)
        m->names = api_write_names(&plain, 0, m->flat->vars.n, write_variable_name, m->flat);
    api_unlock(m->ctx);
    return api_written_name(m->names, i);
}

int vinc_model_variable(const vinc_model *model, int i, vinc_variable *out)
{
    if (!model || !out) return api_lacks(model ? model->ctx : NULL, "a place for the variable");
    if (i < 0 || i >= model->flat->vars.n) return VINC_E_OPTION;
    const char *name = variable_name((vinc_model *)model, i);
    if (!name) return VINC_E_MEMORY;
    const flat_var *v = flat_at(model->flat, i);
    api_lock(model->ctx);
    place p = source_place(&model->ctx->library.sources, v->decl->at.begin);
    api_unlock(model->ctx);
    double nominal = 1;
    if (v->attr && v->attr->nominal) {
        api_lock(model->ctx); // a run that gets ready must not give it back meanwhile
        int rc = api_whole((vinc_model *)model);
        if (!rc) (void)expr_number(model->flat->pool, v->attr->nominal, &nominal);
        api_unlock(model->ctx);
        if (rc) return rc;
    }
    *out = (vinc_variable){.name = name,
                           .unit = v->attr && v->attr->unit ? v->attr->unit : "",
                           .comment = v->decl->comment ? v->decl->comment : "",
                           .type = (vinc_type)v->type,
                           .variability = (vinc_variability)v->variability,
                           .nominal = nominal,
                           .file = p.file ? p.file->path : NULL,
                           .line = p.line};
    return VINC_OK;
}
