/* What only flattening needs is given back: a context keeps texts, syntax trees and names, and
 * loading a model again leaves nothing more behind.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cmocka_all.h"

#include "fail_mem.h"
#include "vincolo.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loading_again_leaves_nothing_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
