/* What is in a package: names and descriptions, as `vincolo help library` prints them, and its
 * examples, which `vincolo examples` runs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"

#include "lang/lang.h"

#include <string.h>
#include <sys/stat.h>

typedef struct list_job {
    vinc_ctx *ctx;
    const char *package;
} list_job;

/* Something to be put into a model or called, or to be extended for that. */
static bool is_listed(const ast_class *c)
{
    bool kind = c->restriction == AST_R_MODEL || c->restriction == AST_R_BLOCK ||
                c->restriction == AST_R_FUNCTION || c->restriction == AST_R_CONNECTOR ||
                c->restriction == AST_R_RECORD;
    return kind && !(c->flags & AST_PROTECTED);
}

static void list_package(vinc_ctx *ctx, ast_class *c)
{
    const sym *names;
    text *o = &ctx->out;
    int n = lang_child_names(&ctx->library, c, &names);
    text_printf(o, "%s%s: %s\n", o->n ? "\n" : "", lang_class_path(c, &ctx->trees),
                lang_string(&ctx->trees, c->comment));
    for (int k = 0; k < n; k++) {
        const ast_class *child = lang_child(&ctx->library, c, names[k]);
        if (!child || !is_listed(child)) continue;
        text_printf(o, "  %-24s %s%s\n", child->name,
                    child->restriction == AST_R_CONNECTOR ? "(connector) "
                    : child->flags & AST_IS_PARTIAL       ? "(to be extended) "
                                                          : "",
                    lang_string(&ctx->trees, child->comment));
    }
    for (int k = 0; k < n; k++) {
        ast_class *child = lang_child(&ctx->library, c, names[k]);
        if (child && child->restriction == AST_R_PACKAGE) list_package(ctx, child);
    }
}

static int list_library(void *job)
{
    list_job *j = job;
    vinc_ctx *ctx = j->ctx;
    watch_doing(&ctx->watch, "reading", j->package);
    ast_class *c = lang_find(&ctx->library, j->package);
    if (!c || c->restriction != AST_R_PACKAGE) {
        diag_error(&ctx->diags, "C106", (span){0}, "there is no package '%s'", j->package);
        return VINC_E_MODEL;
    }
    text_clear(&ctx->out);
    list_package(ctx, c);
    return VINC_OK;
}

int vinc_library(vinc_ctx *ctx, const char *package, const char **out)
{
    if (out) *out = "";
    if (!ctx || !package || !out) return api_lacks(ctx, "a package and a place for its list");
    int rc = api_guarded(ctx, list_library, &(list_job){ctx, package});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}

/* ---- examples -------------------------------------------------------------------------------- */

/* Something that says how it is to be run. */
static bool is_example(const ast_class *c)
{
    static const char *const experiment[] = {"experiment", NULL};
    bool kind = c->restriction == AST_R_MODEL || c->restriction == AST_R_BLOCK ||
                c->restriction == AST_R_CLASS;
    return kind && !(c->flags & (AST_PROTECTED | AST_IS_PARTIAL)) &&
           lang_annotation_has(c->annotation, experiment);
}

static void list_examples(vinc_ctx *ctx, ast_class *c)
{
    const sym *names;
    if (is_example(c)) text_printf(&ctx->out, "%s\n", lang_class_path(c, &ctx->trees));
    int n = lang_child_names(&ctx->library, c, &names);
    for (int k = 0; k < n; k++) {
        ast_class *child = lang_child(&ctx->library, c, names[k]);
        if (child && !(child->flags & AST_PROTECTED)) list_examples(ctx, child);
    }
}

/* A package by its name, its directory or its file; NULL, reported, where there is none. */
static ast_class *find_package(vinc_ctx *ctx, const char *from)
{
    struct stat st;
    size_t n = strlen(from);
    bool file = n > 3 && !strcmp(from + n - 3, ".mo");
    bool there = stat(from, &st) == 0;
    if (there && (file || S_ISDIR(st.st_mode)))
        return lang_open(&ctx->library, from) ? NULL : ctx->library.last;
    if (file || strchr(from, '/')) {
        diag_error(&ctx->diags, "C101", (span){0}, "there is no file '%s'", from);
        return NULL;
    }
    int before = ctx->diags.n_errors;
    ast_class *c = lang_find(&ctx->library, from);
    if (!c && ctx->diags.n_errors == before)
        diag_error(&ctx->diags, "M001", (span){0},
                   "there is no library '%s'; it is found by -L DIR or MODELICAPATH, where DIR "
                   "holds its directory",
                   from);
    return c;
}

static int find_examples(void *job)
{
    list_job *j = job;
    vinc_ctx *ctx = j->ctx;
    watch_doing(&ctx->watch, "reading", j->package);
    ast_class *c = find_package(ctx, j->package);
    if (!c) return VINC_E_MODEL;
    text_clear(&ctx->out);
    list_examples(ctx, c);
    return VINC_OK;
}

int vinc_library_examples(vinc_ctx *ctx, const char *library, const char **out)
{
    if (out) *out = "";
    if (!ctx || !library || !out) return api_lacks(ctx, "a library and a place for its list");
    int rc = api_guarded(ctx, find_examples, &(list_job){ctx, library});
    if (!rc) *out = text_str(&ctx->out);
    return rc;
}
