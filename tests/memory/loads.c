/* What only loading needs is given back: a context keeps texts and names, no syntax tree and no
 * instance tree, and loading a model again leaves nothing more behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "api/api.h"
#include "fail_mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void load_and_free(vinc_ctx *ctx)
{
    vinc_model *model = NULL;
    int rc = vinc_model_load(ctx, VINCOLO_ROOT "/examples/systems/four-bar/model.mo", NULL, &model);
    assert_int_equal(rc, VINC_OK);
    assert_true(vinc_model_n_variables(model) > 0);
    vinc_model_free(model);
}

static void loading_again_leaves_nothing_behind(void **state)
{
    (void)state;
    fail_mem f;
    fail_mem_init(&f, 0);
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = f.m.resize, .user = f.m.user});
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    load_and_free(ctx);
    long once = f.live;
    for (int i = 0; i < 50; i++) load_and_free(ctx);
    assert_int_equal(f.live, once);
    vinc_ctx_free(ctx);
    assert_int_equal(f.live, 0);
}

/* ---- trees ----------------------------------------------------------------------------------- */

enum { N_FILES = 100, N_LINES = 200 };

// A package of N_FILES files, each with a model of N_LINES variables; the bytes of all texts.
static long write_package(const char *folder)
{
    char path[200];
    snprintf(path, sizeof path, "%s/P", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    long bytes = 0;
    for (int i = 0; i <= N_FILES; i++) { // file 0 is that of the package
        if (i) snprintf(path, sizeof path, "%s/P/M%d.mo", folder, i);
        else snprintf(path, sizeof path, "%s/P/package.mo", folder);
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        if (!i) fprintf(f, "package P\nend P;\n");
        else fprintf(f, "within P;\nmodel M%d\n", i);
        for (int k = 0; i && k < N_LINES; k++)
            fprintf(f, "  parameter Real x%d(min = -2*%d) = %d + 3*%d;\n", k, k, i, k);
        if (i) fprintf(f, "end M%d;\n", i);
        bytes += ftell(f);
        fclose(f);
    }
    return bytes;
}

static void remove_package(const char *folder)
{
    char path[200];
    for (int i = 1; i <= N_FILES; i++) {
        snprintf(path, sizeof path, "%s/P/M%d.mo", folder, i);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/P/package.mo", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/P", folder);
    rmdir(path);
    rmdir(folder);
}

static void load_all(vinc_ctx *ctx)
{
    for (int i = 1; i <= N_FILES; i++) {
        char name[20];
        vinc_model *model = NULL;
        snprintf(name, sizeof name, "P.M%d", i);
        assert_int_equal(vinc_model_load(ctx, name, NULL, &model), VINC_OK);
        assert_int_equal(vinc_model_n_variables(model), N_LINES);
        assert_int_equal(ctx->trees.total + ctx->scratch.total, 0);
        vinc_model_free(model);
    }
}

/* The bound: an arena that grows by halves holds at most one and a half times what is in it, and a
 * chunk; besides the texts there are few names, since all models have the same. The trees are larger
 * than the texts by a factor of more than 10. */
static void a_library_leaves_its_texts(void **state)
{
    (void)state;
    char folder[] = "/tmp/loads-XXXXXX";
    assert_non_null(mkdtemp(folder));
    long texts = write_package(folder);
    fail_mem f;
    fail_mem_init(&f, 0);
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = f.m.resize, .user = f.m.user});
    vinc_ctx_add_path(ctx, folder);
    long empty = f.live;
    load_all(ctx);
    long once = f.live;
    assert_in_range(once - empty, texts, texts + texts / 2 + 64 * 1024);
    load_all(ctx);
    assert_int_equal(f.live, once);
    vinc_parse_stats stats;
    assert_int_equal(vinc_parse(ctx, folder, &stats), VINC_OK);
    assert_int_equal(stats.files, N_FILES + 1);
    assert_int_equal(stats.bytes, texts);
    assert_int_equal(ctx->trees.total, 0);
    assert_int_equal(f.live, once);
    vinc_ctx_free(ctx);
    assert_int_equal(f.live, 0);
    remove_package(folder);
}

/* ---- constraints ----------------------------------------------------------------------------- */

typedef struct peak {
    long live, most;
} peak;

static void *peak_resize(void *user, void *p, size_t old_bytes, size_t new_bytes)
{
    peak *k = user;
    k->live += (long)new_bytes - (long)old_bytes;
    if (k->live > k->most) k->most = k->live;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

/* Masses on a line, between them springs and dampers: the length of each is differentiated, and makes a
 * block with a constraint. */
static const char springs[] =
    "model Springs\n  parameter Integer n = %d;\n"
    "  Real x[n + 1](each start = 0, each fixed = true);\n"
    "  Real v[n + 1](each start = 0, each fixed = true);\n"
    "  Real z[n], f[n];\n"
    "equation\n"
    "  for i in 1:n loop\n"
    "    z[i] = x[i + 1] - x[i];\n"
    "    f[i] = z[i] + 0.1*der(z[i]);\n"
    "  end for;\n"
    "  for i in 1:n + 1 loop\n"
    "    der(x[i]) = v[i];\n"
    "    der(v[i]) = (if i <= n then f[i] else 0) - (if i > 1 then f[i - 1] else 0);\n"
    "  end for;\n"
    "end Springs;\n";

static long bytes_of_springs(int n)
{
    char words[sizeof springs + 20];
    int length = snprintf(words, sizeof words, springs, n);
    peak k = {0};
    vinc_ctx *ctx = vinc_ctx_new(&(vinc_ctx_options){.resize = peak_resize, .user = &k});
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    int rc = vinc_model_load_text(ctx, "springs.mo", words, (size_t)length, NULL, &model);
    assert_int_equal(rc, VINC_OK);
    assert_int_equal(vinc_sim_new(model, NULL, &sim), VINC_OK);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    assert_int_equal(k.live, 0);
    return k.most;
}

static void blocks_with_constraints_take_their_own(void **state)
{
    (void)state;
    long few = bytes_of_springs(500), many = bytes_of_springs(2000);
    assert_true(many < 5 * few); // four times as many
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_again_leaves_nothing_behind),
        cmocka_unit_test(a_library_leaves_its_texts),
        cmocka_unit_test(blocks_with_constraints_take_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
