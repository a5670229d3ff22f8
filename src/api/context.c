/* Contexts: allocator, search path, messages; and the one guard against lack of memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"

#include <time.h>

#define VERSION "0.1.0"

const char *vinc_version(void)
{
    return VERSION;
}

double api_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int api_guarded(vinc_ctx *ctx, int (*body)(void *job), void *job)
{
    bool outermost = !ctx->m.guard;
    int rc = mem_guarded(&ctx->m, body, job, VINC_E_MEMORY);
    if (outermost) arena_done(&ctx->scratch);
    return rc;
}

static int prepare(void *job)
{
    vinc_ctx *ctx = job;
    sym_init(&ctx->syms, &ctx->front);
    diag_init(&ctx->diags, &ctx->front);
    lang_library_init(&ctx->library, &ctx->front, &ctx->syms, &ctx->diags);
    return VINC_OK;
}

vinc_ctx *vinc_ctx_new(const vinc_ctx_options *options)
{
    mem m = mem_std();
    if (options && options->resize) m = (mem){.resize = options->resize, .user = options->user};
    vinc_ctx *ctx = mem_try(&m, sizeof *ctx);
    if (!ctx) return NULL;
    *ctx = (vinc_ctx){.m = m, .colour = options && options->colour};
    arena_init(&ctx->front, &ctx->m);
    arena_init(&ctx->scratch, &ctx->m);
    text_init(&ctx->out, &ctx->m);
    if (api_guarded(ctx, prepare, ctx) != VINC_OK) {
        vinc_ctx_free(ctx);
        return NULL;
    }
    return ctx;
}

void vinc_ctx_free(vinc_ctx *ctx)
{
    if (!ctx) return;
    mem m = ctx->m;
    text_done(&ctx->out);
    arena_done(&ctx->front);
    mem_free(&m, ctx, sizeof *ctx);
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
    if (!ctx) return VINC_E_MEMORY;
    return api_guarded(ctx, add_path, &(path_job){ctx, dir});
}

/* ---- messages -------------------------------------------------------------------------------- */

static int print_messages(void *job)
{
    vinc_ctx *ctx = job;
    text_clear(&ctx->out);
    diag_print_all(&ctx->diags, &ctx->library.sources, ctx->colour, &ctx->out);
    return VINC_OK;
}

const char *vinc_ctx_messages(vinc_ctx *ctx)
{
    if (!ctx || api_guarded(ctx, print_messages, ctx) != VINC_OK) return "error: out of memory\n";
    return text_str(&ctx->out);
}

int vinc_ctx_n_diagnostics(const vinc_ctx *ctx)
{
    int n = 0;
    for (const diag *d = ctx ? ctx->diags.first : NULL; d; d = d->next) n++;
    return n;
}

vinc_diagnostic vinc_ctx_diagnostic(const vinc_ctx *ctx, int i)
{
    const diag *d = ctx ? ctx->diags.first : NULL;
    while (d && i-- > 0) d = d->next;
    if (!d) return (vinc_diagnostic){.severity = VINC_NOTE, .code = "", .text = ""};
    place p = source_place(&ctx->library.sources, d->at.begin);
    return (vinc_diagnostic){.severity = (vinc_severity)d->severity,
                             .code = d->code,
                             .file = p.file ? p.file->path : NULL,
                             .line = p.line,
                             .column = p.column,
                             .text = d->text};
}

void vinc_ctx_clear(vinc_ctx *ctx)
{
    if (ctx) diag_init(&ctx->diags, &ctx->front);
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
    if (!ctx) return VINC_E_MEMORY;
    parse_job j = {.ctx = ctx, .path = path};
    int rc = api_guarded(ctx, parse, &j);
    if (stats) *stats = (vinc_parse_stats){j.stats.files, j.stats.failed, j.stats.bytes};
    return rc;
}
