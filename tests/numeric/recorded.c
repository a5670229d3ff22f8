/* Every model of examples/, found by walking the folder: what was recorded satisfies each equation of
 * the flat model, at every row, within ten times the tolerance (inspect/rows.c says how that is
 * measured), discrete ones exactly. By default settings; some also by every formulation and several
 * methods.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MOST = 400, MODELS_MOST = 40, ROWS = 40 };

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void find_files(const char *folder, char (*files)[300], int *n)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        char path[300];
        struct stat s;
        size_t k = strlen(e->d_name);
        if (e->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path)
            continue;
        if (!stat(path, &s) && S_ISDIR(s.st_mode)) find_files(path, files, n);
        else if (k > 3 && !strcmp(e->d_name + k - 3, ".mo") && *n < FILES_MOST)
            strcpy(files[(*n)++], path);
    }
    closedir(d);
}

/* The last class of a file; of a package, the models in it. */
static void add_models(lang_library *lib, ast_class *c, const char *name, char (*models)[200],
                       int *n)
{
    const sym *names;
    if (c->restriction == AST_R_MODEL && !(c->flags & AST_IS_PARTIAL) && *n < MODELS_MOST)
        snprintf(models[(*n)++], sizeof *models, "%s", name);
    if (c->restriction != AST_R_PACKAGE) return;
    int children = lang_child_names(lib, c, &names);
    for (int k = 0; k < children; k++) {
        char below[200];
        snprintf(below, sizeof below, "%s%s%s", name, *name ? "." : "", names[k]);
        add_models(lib, lang_child(lib, c, names[k]), below, models, n);
    }
}

static int models_in(const char *file, char (*models)[200])
{
    mem m = mem_std();
    arena a, trees;
    sym_table syms;
    diag_sink diags;
    lang_library lib;
    int n = 0;
    arena_init(&a, &m);
    arena_init(&trees, &m);
    sym_init(&syms, &a);
    diag_init(&diags, &a);
    lang_library_init(&lib, &a, &trees, &syms, &diags);
    assert_int_equal(lang_open(&lib, file), 0);
    ast_class *last = lang_last(&lib);
    add_models(&lib, last, last->name, models, &n);
    arena_done(&trees);
    arena_done(&a);
    return n;
}

/* Its largest residual, or -1 where the pair of formulation and method is refused. */
static double residual_of(const char *file, const char *name, vinc_sim_options o)
{
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    double worst = -1;
    vinc_ctx_add_path(ctx, VINCOLO_ROOT "/lib");
    o.intervals = ROWS;
    int rc = vinc_model_load(ctx, file, name, &model);
    if (!rc) rc = vinc_sim_new(model, &o, &sim);
    if (!rc) rc = vinc_sim_run(sim);
    if (!o.method && rc < 0) fail_msg("%s: %s", file, vinc_ctx_messages(ctx));
    if (rc >= 0) {
        assert_int_equal(api_check_recorded(sim), VINC_OK);
        worst = sim->recorded.worst;
        if (worst > INSPECT_ROW_LIMIT || sim->recorded.unchecked ||
            (!o.formulation && sim->recorded.n_checked != sim->recorded.n_claims))
            fail_msg("%s %s (%s, %s): %d of %d checked, %s; %s off by %g at t = %g", file, name,
                     o.formulation, o.method, sim->recorded.n_checked, sim->recorded.n_claims,
                     sim->recorded.unchecked, sim->recorded.claim, worst, sim->recorded.t);
    }
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    return worst;
}

static void test_every_example(void **state)
{
    static char files[FILES_MOST][300], models[MODELS_MOST][200];
    int n_files = 0, n_models = 0;
    (void)state;
    find_files(VINCOLO_ROOT "/examples", files, &n_files);
    qsort(files, (size_t)n_files, sizeof *files, by_name);
    for (int i = 0; i < n_files; i++) {
        int n = models_in(files[i], models);
        assert_true(n > 0);
        for (int k = 0; k < n; k++) {
            double worst = residual_of(files[i], models[k], (vinc_sim_options){0});
            assert_true(worst >= 0);
            n_models++;
        }
    }
    assert_true(n_models >= n_files && n_files >= 80);
    print_message("%d models of %d files\n", n_models, n_files);
}

/* Mechanisms, holonomic and not, by all formulations; what those that drift do not promise, the
 * constraints as written, is left out. */
static void test_formulations(void **state)
{
    static const char *const models[] = {"pendulum", "double-pendulum", "knife-edge"};
    static const char *const methods[] = {"radau5", "bdf", "dopri5", "dopri8", "sdirk4"};
    int ran = 0;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int f = 0; vinc_formulation(f); f++)
            for (int k = 0; k < 5; k++) {
                char file[300];
                snprintf(file, sizeof file, "%s/examples/%s/model.mo", VINCOLO_ROOT, models[i]);
                vinc_sim_options o = {.formulation = vinc_formulation(f),
                                      .method = methods[k],
                                      .has_stop = 1,
                                      .t_stop = 0.5};
                ran += residual_of(file, NULL, o) >= 0;
            }
    assert_true(ran > 120);
}

/* Every method: an ordinary equation with events, one with an algebraic unknown. */
static void test_methods(void **state)
{
    static const char *const models[] = {"hybrid/bouncing-ball/model", "index/index1"};
    int ran = 0;
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; vinc_method_name(k); k++) {
            char file[300];
            snprintf(file, sizeof file, "%s/examples/%s.mo", VINCOLO_ROOT, models[i]);
            vinc_sim_options o = {.method = vinc_method_name(k)};
            ran += residual_of(file, NULL, o) >= 0;
        }
    assert_true(ran > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_example),
        cmocka_unit_test(test_formulations),
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
