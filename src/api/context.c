/* Contexts: allocator, search path, messages; and the one guard against lack of memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"

#include <time.h>

#define VERSION "0.1.0"

const char *vinc_version(void)
{
    return VERSION;
}

const char *vinc_nearest(const char *word, const char *const *candidates, int n)
{
    return word && candidates ? diag_nearest(word, candidates, n) : NULL;
}

double api_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void api_lock(vinc_ctx *ctx)
{
    pthread_mutex_lock(&ctx->lock);
}

void api_unlock(vinc_ctx *ctx)
{
    pthread_mutex_unlock(&ctx->lock);
}

int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    api_lock(ctx);
    bool outermost = !ctx->m.guard;
    int rc = mem_guarded(&ctx->m, body, job, VINC_E_MEMORY);
    if (outermost) {
        arena_done(&ctx->scratch);
        lang_forget(&ctx->library);
    }
    api_unlock(ctx);
    return rc;
}

/* A guarded call may be made from inside another. */
static bool make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t a;
    if (pthread_mutexattr_init(&a)) return false;
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    bool made = pthread_mutex_init(lock, &a) == 0;
    pthread_mutexattr_destroy(&a);
    return made;
}

static int ctx_prepare(void *job)
{
    vinc_ctx *ctx = job;
    sym_init(&ctx->syms, &ctx->front);
    diag_init(&ctx->diags, &ctx->front);
    return VINC_OK;
}

vinc_ctx *vinc_ctx_new(const vinc_ctx_options *options)
{
    mem m = mem_std();
    if (options && options->resize) m = (mem){.resize = options->resize, .user = options->user};
    vinc_ctx *ctx = mem_try(&m, sizeof *ctx);
    if (!ctx) return NULL;
    *ctx = (vinc_ctx){.m = m, .refs = 1, .colour = options && options->colour};
    if (!make_lock(&ctx->lock)) {
        mem_free(&m, ctx, sizeof *ctx);
        return NULL;
    }
    arena_init(&ctx->front, &ctx->m);
    arena_init(&ctx->trees, &ctx->m);
    arena_init(&ctx->scratch, &ctx->m);
    arena_init(&ctx->failure, &ctx->m);
    text_init(&ctx->out, &ctx->m);
    lang_library_init(&ctx->library, &ctx->front, &ctx->trees, &ctx->syms, &ctx->diags);
    if (api_guarded(ctx, ctx_prepare, ctx) != VINC_OK) {
        vinc_ctx_free(ctx);
        return NULL;
    }
    return ctx;
}

void api_ctx_hold(vinc_ctx *ctx)
{
    api_lock(ctx);
    ctx->refs++;
    api_unlock(ctx);
}

void api_ctx_release(vinc_ctx *ctx)
{
    api_lock(ctx);
    int left = --ctx->refs;
    api_unlock(ctx);
    if (left) return;
    mem m = ctx->m;
    text_done(&ctx->out);
    arena_done(&ctx->failure);
    arena_done(&ctx->front);
    pthread_mutex_destroy(&ctx->lock);
    mem_free(&m, ctx, sizeof *ctx);
}

void vinc_ctx_free(vinc_ctx *ctx)
{
    if (!ctx) return;
    ctx->gone = true;
    api_ctx_release(ctx);
}

typedef struct path_job {
    vinc_ctx *ctx;
    const char *dir;
} path_job;

static int add_path(void *job)
{
    path_job *j = job;
    lang_search_add(&j->ctx->library, j->dir);
    return VINC_OK;
}

int vinc_ctx_add_path(vinc_ctx *ctx, const char *dir)
{
    if (!ctx || !dir) return api_lacks(ctx, "a directory");
    return api_guarded(ctx, add_path, &(path_job){ctx, dir});
}

/* ---- messages -------------------------------------------------------------------------------- */

static int ctx_print_messages(void *job)
{
    vinc_ctx *ctx = job;
    text_clear(&ctx->out);
    diag_print_all(&ctx->diags, &ctx->library.sources, ctx->colour, &ctx->out);
    diag_print_all(&ctx->failed, &ctx->library.sources, ctx->colour, &ctx->out);
    return VINC_OK;
}

const char *vinc_ctx_messages(vinc_ctx *ctx)
{
    if (!ctx || api_guarded(ctx, ctx_print_messages, ctx) != VINC_OK)
        return "error: out of memory\n";
    return text_str(&ctx->out);
}

int vinc_ctx_n_diagnostics(const vinc_ctx *ctx)
{
    return ctx ? diag_count(&ctx->diags) + diag_count(&ctx->failed) : 0;
}

vinc_diagnostic api_diagnostic(const vinc_ctx *ctx, const diag *d)
{
    if (!d) return (vinc_diagnostic){.severity = VINC_NOTE, .code = "", .text = ""};
    place p = source_place(&ctx->library.sources, d->at.begin);
    return (vinc_diagnostic){.severity = (vinc_severity)d->severity,
                             .code = d->code,
                             .file = p.file ? p.file->path : NULL,
                             .line = p.line,
                             .column = p.column,
                             .text = d->text};
}

vinc_diagnostic vinc_ctx_diagnostic(const vinc_ctx *ctx, int i)
{
    if (!ctx) return api_diagnostic(NULL, NULL);
    int n = diag_count(&ctx->diags);
    return api_diagnostic(ctx, i < n ? diag_at(&ctx->diags, i) : diag_at(&ctx->failed, i - n));
}

void vinc_ctx_clear(vinc_ctx *ctx)
{
    if (!ctx) return;
    api_lock(ctx);
    diag_init(&ctx->diags, &ctx->front);
    diag_init(&ctx->failed, &ctx->failure);
    arena_done(&ctx->failure);
    api_unlock(ctx);
}

typedef struct lack_job {
    vinc_ctx *ctx;
    const char *what;
} lack_job;

static int say_lack(void *job)
{
    lack_job *j = job;
    diag_error(&j->ctx->diags, "C104", (span){0}, "this call needs %s, and NULL was given",
               j->what);
    return VINC_E_OPTION;
}

int api_lacks(vinc_ctx *ctx, const char *what)
{
    return ctx ? api_guarded(ctx, say_lack, &(lack_job){ctx, what}) : VINC_E_MEMORY;
}

typedef struct failure_job {
    vinc_ctx *ctx;
    const diag_sink *from;
} failure_job;

static int keep_failure(void *job)
{
    failure_job *j = job;
    diag_init(&j->ctx->failed, &j->ctx->failure);
    arena_done(&j->ctx->failure);
    diag_copy(&j->ctx->failed, j->from);
    return VINC_OK;
}

void api_keep_failure(vinc_ctx *ctx, const diag_sink *from)
{
    api_guarded(ctx, keep_failure, &(failure_job){ctx, from});
}

/* ---- syntax check ---------------------------------------------------------------------------- */

typedef struct parse_job {
    vinc_ctx *ctx;
    const char *path;
    lang_tree_stats stats;
} parse_job;

static int parse(void *job)
{
    parse_job *j = job;
    return lang_parse_tree(&j->ctx->library, j->path, &j->stats) == 0 ? VINC_OK : VINC_E_MODEL;
}

int vinc_parse(vinc_ctx *ctx, const char *path, vinc_parse_stats *stats)
{
    if (!ctx || !path) return api_lacks(ctx, "a path");
    parse_job j = {.ctx = ctx, .path = path};
    int rc = api_guarded(ctx, parse, &j);
    if (stats) *stats = (vinc_parse_stats){j.stats.files, j.stats.failed, j.stats.bytes};
    return rc;
}
