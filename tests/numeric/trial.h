/* One model, loaded and run through the public header.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NUMERIC_TRIAL_H
#define TESTS_NUMERIC_TRIAL_H

#include "cmocka_all.h"
#include "vincolo.h"

#include <string.h>

typedef struct trial {
    vinc_ctx *ctx;
    vinc_model *model;
    vinc_sim *sim;
    vinc_result *result; // as far as it came
    int rc;              // of what failed first
} trial;

/* Loaded and ready to run: a model of examples/ ("pendulum"), or a text where example is NULL. */
static inline trial trial_ready(const char *example, const char *text, const vinc_sim_options *o)
{
    trial r = {.ctx = vinc_ctx_new(NULL)};
    char path[400];
    snprintf(path, sizeof path, "%s/examples/%s/model.mo", VINCOLO_ROOT, example ? example : "");
    vinc_ctx_add_path(r.ctx, VINCOLO_ROOT "/lib");
    r.rc = example ? vinc_model_load(r.ctx, path, NULL, &r.model)
                   : vinc_model_load_text(r.ctx, "m.mo", text, strlen(text), NULL, &r.model);
    if (!r.rc) r.rc = vinc_sim_new(r.model, o, &r.sim);
    return r;
}

static inline void trial_run(trial *r)
{
    if (!r->rc) r->rc = vinc_sim_run(r->sim);
    r->result = r->sim ? vinc_sim_result(r->sim) : NULL;
}

static inline trial trial_start(const char *example, const char *text, const vinc_sim_options *o)
{
    trial r = trial_ready(example, text, o);
    trial_run(&r);
    return r;
}

/* The same, for a text that must run to the end. */
static inline trial trial_of(const char *text, vinc_sim_options o)
{
    trial r = trial_start(NULL, text, &o);
    if (r.rc) print_error("%s", vinc_ctx_messages(r.ctx));
    assert_int_equal(r.rc, VINC_OK);
    return r;
}

static inline void trial_end(trial *r)
{
    vinc_sim_free(r->sim);
    vinc_model_free(r->model);
    vinc_ctx_free(r->ctx);
}

#endif
