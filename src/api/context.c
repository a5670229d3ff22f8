/* Contexts: allocator, search path, messages; and the one guard against lack of memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "la/blas_turn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *vinc_version(void)
{
    return VINCOLO_VERSION; // CMakeLists.txt has it
}

const char *vinc_nearest(const char *word, const char *const *candidates, int n)
{
    return word && candidates ? diag_nearest(word, candidates, n) : NULL;
}

size_t vinc_plain(const char *words, char *out, size_t size)
{
    char one[TEXT_SPELT_BYTES];
    size_t used = 0;
    for (int n; words && (n = text_next_plain(&words, one)) > 0; used += (size_t)n)
        if (out && used + (size_t)n < size)
            memcpy(out + used, one, (size_t)n), out[used + (size_t)n] = 0;
        else if (out && used < size) out[used] = 0, size = used + 1; // whole characters only
    if (out && size && !used) out[0] = 0;
    return used;
}

double api_clock(void)
{
    return watch_clock();
}

void api_lock(vinc_ctx *ctx)
{
    pthread_mutex_lock(&ctx->lock);
}

void api_unlock(vinc_ctx *ctx)
{
    pthread_mutex_unlock(&ctx->lock);
}

/* ---- guard and limits ------------------------------------------------------------------------ */

static bool is_stopped(vinc_ctx *ctx)
{
    return watch_passed(&ctx->limits) || atomic_load(&ctx->limits.lifted);
}

int api_end_work(vinc_ctx *ctx, const watch *w, int status)
{
    watch_cause cause = w->cause;
    if (cause == WATCH_GOES_ON && ctx->limits.bytes && atomic_load(&ctx->limits.refused))
        cause = WATCH_MEMORY;
    if (cause == WATCH_GOES_ON && status != VINC_E_MEMORY) return status;
    api_lock(ctx);
    if (!ctx->end.code[0]) { // the first is the reason of all that follow
        api_end *e = &ctx->end;
        snprintf(e->code, sizeof e->code, "%s", watch_code(cause));
        watch_words(w, cause, e->text);
        text_plain(e->text);
        snprintf(e->line, sizeof e->line, "error: %s [%s]\n", e->text, e->code);
    }
    if (cause == WATCH_MEMORY) atomic_store(&ctx->limits.lifted, 1);
    api_unlock(ctx);
    return cause == WATCH_GOES_ON       ? VINC_E_MEMORY
           : cause == WATCH_INTERRUPTED ? VINC_E_INTERRUPTED
                                        : VINC_E_LIMIT;
}

static int ctx_guard(vinc_ctx *ctx, int (*body)(void *job), void *job, bool deaf)
{
    api_lock(ctx);
    bool outermost = !ctx->m.guard, deaf_before = ctx->watch.deaf;
    ctx->watch.deaf = deaf_before || deaf;
    if (outermost) pages_keep(&ctx->pages, true);
    int rc = ctx->watch.deaf || !watch_look(&ctx->watch)
                 ? mem_guarded(&ctx->m, body, job, VINC_E_MEMORY)
                 : VINC_E_MEMORY;
    bool whole = ctx->keeps_trees && rc != VINC_E_MEMORY; // nothing is left half done
    if (rc == VINC_E_MEMORY) rc = api_end_work(ctx, &ctx->watch, rc);
    ctx->watch.deaf = deaf_before;
    if (outermost) {
        arena_done(&ctx->scratch);
        if (!whole) lang_forget(&ctx->library);
        pages_keep(&ctx->pages, false);
        watch_return(&ctx->watch, (watch_work){0});
        ctx->watch.what[0] = 0;
    }
    api_unlock(ctx);
    return rc;
}

int api_aside(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    return ctx_guard(ctx, body, job, false);
}

int api_remade(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    return ctx_guard(ctx, body, job, true);
}

int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    int rc = api_all_whole(ctx);
    return rc ? rc : ctx_guard(ctx, body, job, false);
}

int api_delivered(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    int rc = api_all_whole(ctx);
    return rc ? rc : ctx_guard(ctx, body, job, is_stopped(ctx));
}

int api_said(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    return ctx_guard(ctx, body, job, true);
}

int api_heed(vinc_ctx *ctx)
{
    if (atomic_load(&ctx->limits.lifted)) return VINC_E_LIMIT;
    return watch_look(&ctx->watch) ? api_end_work(ctx, &ctx->watch, VINC_OK) : VINC_OK;
}

int api_needs_blas(vinc_ctx *ctx)
{
    if (la_blas_ready()) return VINC_OK;
    api_lock(ctx);
    watch_doing(&ctx->watch, "making room for linear algebra (128 MB of address space)", NULL);
    int rc = api_end_work(ctx, &ctx->watch, VINC_E_MEMORY);
    api_unlock(ctx);
    return rc;
}

int vinc_ctx_limit(vinc_ctx *ctx, const vinc_limits *limits)
{
    if (!ctx) return VINC_E_MEMORY;
    double seconds = limits ? limits->seconds : 0;
    if (!(seconds >= 0) || isinf(seconds)) return api_lacks(ctx, "a time that is not negative");
    api_lock(ctx);
    watch_limit(&ctx->limits, seconds, limits ? limits->bytes : 0);
    ctx->watch.cause = WATCH_GOES_ON;
    api_unlock(ctx);
    return VINC_OK;
}

void vinc_ctx_interrupt(vinc_ctx *ctx)
{
    if (ctx) atomic_store(&ctx->limits.interrupted, 1);
}

const char *vinc_ctx_doing(const vinc_ctx *ctx)
{
    const char *doing = ctx ? atomic_load(&((vinc_ctx *)ctx)->limits.doing) : NULL;
    return doing ? doing : "";
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
    *ctx = (vinc_ctx){.refs = 1, .colour = options && options->colour, .lasting = m};
    ctx->limits.below = options && options->resize ? m : pages_mem(&ctx->pages, m);
    watch_limit(&ctx->limits, 0, 0);
    ctx->watch.limits = &ctx->limits;
    ctx->m = watch_mem(&ctx->limits);
    ctx->m.watch = &ctx->watch;
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
    if (api_aside(ctx, ctx_prepare, ctx) != VINC_OK) {
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
    mem m = ctx->lasting;
    text_done(&ctx->out);
    arena_done(&ctx->failure);
    arena_done(&ctx->trees);
    arena_done(&ctx->front);
    pthread_mutex_destroy(&ctx->lock);
    pages_done(&ctx->pages);
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
    return api_aside(ctx, add_path, &(path_job){ctx, dir});
}

/* ---- messages -------------------------------------------------------------------------------- */

static int ctx_print_messages(void *job)
{
    vinc_ctx *ctx = job;
    text_clear(&ctx->out);
    diag_print_all(&ctx->diags, &ctx->library.sources, ctx->colour, &ctx->out);
    diag_print_all(&ctx->failed, &ctx->library.sources, ctx->colour, &ctx->out);
    text_add(&ctx->out, ctx->end.line);
    return VINC_OK;
}

const char *vinc_ctx_messages(vinc_ctx *ctx)
{
    if (!ctx) return "error: out of memory\n";
    if (api_said(ctx, ctx_print_messages, ctx) != VINC_OK) return ctx->end.line;
    return text_str(&ctx->out);
}

int vinc_ctx_n_diagnostics(const vinc_ctx *ctx)
{
    return ctx ? diag_count(&ctx->diags) + diag_count(&ctx->failed) + (ctx->end.code[0] != 0) : 0;
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
    if (ctx->end.code[0] && i == n + diag_count(&ctx->failed))
        return (vinc_diagnostic){
            .severity = VINC_ERROR, .code = ctx->end.code, .text = ctx->end.text};
    return api_diagnostic(ctx, i < n ? diag_at(&ctx->diags, i) : diag_at(&ctx->failed, i - n));
}

void vinc_ctx_clear(vinc_ctx *ctx)
{
    if (!ctx) return;
    api_lock(ctx);
    diag_init(&ctx->diags, &ctx->front);
    diag_init(&ctx->failed, &ctx->failure);
    arena_done(&ctx->failure);
    ctx->end = (api_end){0};
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
    return ctx ? api_said(ctx, say_lack, &(lack_job){ctx, what}) : VINC_E_MEMORY;
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
    api_said(ctx, keep_failure, &(failure_job){ctx, from});
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
    watch_doing(&j->ctx->watch, "reading", j->path);
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
