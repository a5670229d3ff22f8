/* The report of a run as a page: what the other reports say, gathered for report/.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/page.h"
#include "api/run.h"
#include "report/report.h"
#include "study/study.h"

#include <string.h>

/* Beyond this the structure is not analysed a second time for the page. */
enum { CHECK_MOST = 3000 };

typedef struct page_job {
    vinc_result *v;
    vinc_run *run;
    vinc_check *check; // NULL: the model is too large, or was checked before
    text *checked;     // what that said, for the next page of the model; NULL: there is none
    report_spec spec;
    bool solid;
    result_fault fault;
    int rc;
} page_job;

static void write_settings(vinc_sim *s, text *out)
{
    json j = {out, true};
    const sim_options *o = &s->options;
    json_open(&j, NULL, '{');
    json_real(&j, "start", o->t_start);
    json_real(&j, "stop", o->t_stop);
    if (o->step > 0) json_real(&j, "step", o->step);
    else json_real(&j, "tolerance", o->rel_tol);
    json_int(&j, "intervals", o->intervals);
    json_text(&j, "method_why", s->method_why);
    json_text(&j, "formulation_summary", s->code->summary.formulation_summary);
    json_open(&j, "given", '{');
    for (int i = 0; i < s->model->overrides.n; i++)
        json_text(&j, s->model->overrides.at[i].name, s->model->overrides.at[i].value);
    for (int i = 0; i < s->model->derivatives.n; i++)
        json_text(&j, s->model->derivatives.at[i].name, s->model->derivatives.at[i].value);
    json_close(&j, '}');
    json_close(&j, '}');
}

static const char *class_text(vinc_sim *s, arena *a)
{
    const vinc_model *m = s->model;
    const source *f = source_of(&m->ctx->library.sources, m->at.begin);
    if (!f || m->at.end < m->at.begin || m->at.end - f->base > f->n) return NULL;
    char *words = arena_strndup(a, f->text + (m->at.begin - f->base), m->at.end - m->at.begin);
    return words;
}

static int gather_page(void *job)
{
    page_job *j = job;
    vinc_result *v = j->v;
    vinc_sim *s = v->sim;
    arena *a = &v->ctx->scratch;
    report_spec *p = &j->spec;
    watch_doing(&v->ctx->watch, "writing the page", NULL);
    if (s) {
        text_clear(&s->out);
        told_json_page(&study_run, j->run, &s->out);
        p->run = arena_strndup(a, text_str(&s->out), s->out.n);
        text_clear(&s->out);
        write_settings(s, &s->out);
        p->settings = arena_strndup(a, text_str(&s->out), s->out.n);
        p->check = j->check ? vinc_report_text(j->check, VINC_JSON) : NULL;
        if (j->checked && !j->checked->n && p->check) text_add(j->checked, p->check);
        if (j->checked && j->checked->n) p->check = text_str(j->checked);
        p->source = class_text(s, a);
        if (!p->title) p->title = s->model->about.name;
        p->comment = s->model->flat->comment;
        p->model = s->model->flat;
        p->steps = s->steps;
    }
    text_clear(&v->out);
    j->rc = report_data(p, a, &v->out, &j->solid, &j->fault);
    if (j->rc == RESULT_GAPS)
        diag_warning(&v->ctx->diags, j->fault.code, (span){0}, "%s", j->fault.text);
    return VINC_OK;
}

/* What the page shows, in v->out. */
static int make_page(page_job *j, const vinc_plot_options *o)
{
    vinc_result *v = j->v;
    vinc_sim *s = v->sim;
    result_selection select = {0};
    int gone = api_all_rows(v);
    if (gone) return gone;
    if (o) j->spec.dark = o->dark != 0;
    if (o && o->title) j->spec.title = o->title;
    result *drawn = api_drawn(v);
    j->spec.r = drawn;
    j->rc = result_add_formulas(drawn, o ? o->vars : NULL, &j->fault);
    if (j->rc >= 0)
        j->spec.left_out = j->rc = plot_select(drawn, o ? o->vars : NULL, &select, &j->fault);
    bool selected = j->rc >= 0;
    j->spec.select = &select;
    int rc = selected && s ? vinc_run_of(s, &j->run) : VINC_OK;
    bool known = j->checked && j->checked->n;
    if (!rc && j->run && !known && j->run->n_unknowns <= CHECK_MOST) {
        int checked = vinc_check_of(s->model, &j->check); // else the page says less
        if (checked == VINC_E_MEMORY) rc = api_end_work(v->ctx, &v->ctx->watch, checked);
    }
    if (!rc && selected) rc = api_delivered(v->ctx, gather_page, j);
    if (selected) result_selection_done(&select);
    return rc;
}

static int end_page(page_job *j, int rc)
{
    vinc_report_free(j->run);
    vinc_report_free(j->check);
    return rc ? rc : api_finish(j->v->ctx, j->rc, &j->fault);
}

int study_page_data(vinc_result *v, const vinc_plot_options *o, text *checked, const char **data)
{
    page_job j = {.v = v, .checked = checked, .spec = {.version = vinc_version()}};
    int rc = make_page(&j, o);
    *data = text_str(&v->out);
    return end_page(&j, rc);
}

int study_write_page(vinc_result *v, const char *name, const char *path, const vinc_plot_options *o)
{
    page_job j = {.v = v, .spec = {.version = vinc_version(), .title = name}};
    int rc = make_page(&j, o);
    if (!rc && j.rc >= 0)
        j.rc = report_write(&v->ctx->m, j.spec.title, &v->out, j.solid, path, &j.fault);
    text_clear(&v->out);
    return end_page(&j, rc);
}
