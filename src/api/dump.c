/* Intermediate results of the compiler as text. A stage is one line of the table.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "image/image_file.h"

#include <string.h>

typedef int print_stage(vinc_model *m); // to m->out

/* The file that holds the class. Its text is kept for messages; the tree of it is made again. */
static const source *dump_source(const vinc_model *m)
{
    return source_of(&m->ctx->library.sources, m->at.begin);
}

static int dump_tokens(vinc_model *m)
{
    diag_sink known; // the text was read before: nothing new is found
    diag_init(&known, &m->ctx->scratch);
    const source *src = dump_source(m);
    if (src) lang_print_tokens(src, &m->ctx->syms, &known, &m->out);
    return VINC_OK;
}

static int dump_ast(vinc_model *m)
{
    diag_sink known;
    diag_init(&known, &m->ctx->scratch);
    const source *src = dump_source(m);
    if (src) lang_print_file(lang_parse(src, &m->ctx->scratch, &m->ctx->syms, &known), &m->out);
    return VINC_OK;
}

static int dump_flat(vinc_model *m)
{
    const flat_model *f = m->as_loaded ? m->as_loaded : m->flat;
    flat_print(flat_first_order(f, &m->a, &m->ctx->scratch), &m->out);
    return VINC_OK;
}

static int dump_blt(vinc_model *m)
{
    int rc = api_compile(m, NULL, API_STRUCTURE, NULL, NULL);
    if (rc == VINC_OK) structure_print(m->structure, &m->out);
    return rc;
}

static int dump_tape(vinc_model *m)
{
    const api_compiled *made;
    int rc = api_compile(m, NULL, API_TAPES, NULL, &made);
    if (rc == VINC_OK) code_model_print(made->code, &m->out);
    return rc;
}

static int dump_image(vinc_model *m)
{
    const api_compiled *made;
    int rc = api_compile(m, NULL, API_TAPES, NULL, &made);
    if (rc == VINC_OK) image_print(made->code, &m->out);
    return rc;
}

static const struct {
    const char *name;
    print_stage *print;
} stages[] = {
    {"tokens", dump_tokens}, {"ast", dump_ast},   {"flat", dump_flat},
    {"blt", dump_blt},       {"tape", dump_tape}, {"image", dump_image},
};
enum { N_STAGES = sizeof stages / sizeof *stages };

const char *vinc_dump_stage(int i)
{
    return i >= 0 && i < N_STAGES ? stages[i].name : NULL;
}

typedef struct dump_job {
    vinc_model *model;
    const char *stage;
} dump_job;

static int dump_stage(void *job)
{
    const dump_job *j = job;
    vinc_model *m = j->model;
    text_clear(&m->out);
    for (int i = 0; i < N_STAGES; i++)
        if (!strcmp(stages[i].name, j->stage)) return stages[i].print(m);
    text_clear(&m->ctx->out);
    for (int i = 0; i < N_STAGES; i++)
        text_printf(&m->ctx->out, "%s%s",
                    !i                  ? ""
                    : i == N_STAGES - 1 ? " and "
                                        : ", ",
                    stages[i].name);
    diag_error(&m->ctx->diags, "C103", (span){0}, "there is no stage '%s' to dump; there are %s",
               j->stage, text_str(&m->ctx->out));
    return VINC_E_OPTION;
}

int vinc_model_dump(vinc_model *model, const char *stage, const char **out)
{
    if (out) *out = "";
    if (!model || !out || !stage)
        return api_lacks(model ? model->ctx : NULL, "a stage and a place for the text");
    int rc = api_guarded(model->ctx, dump_stage, &(dump_job){model, stage});
    if (!rc) *out = text_str(&model->out);
    return rc;
}

const char *vinc_model_flat(vinc_model *model)
{
    const char *out;
    vinc_model_dump(model, "flat", &out);
    return out;
}
