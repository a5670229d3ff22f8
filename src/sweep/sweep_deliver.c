/* What a sweep leaves: its file, its statistics, its figures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/statistics.h"
#include "sweep/sweep_job.h"

#include <string.h>

static int draw_sweep(sweep_job *j)
{
    const vinc_sweep_options *o = &j->o;
    const kept_curves *c = &j->curves;
    sweep_curves curves = {c->n_runs, c->n_points, c->n_vars, CURVES_VARS,
                           c->name,   c->t,        c->values};
    sweep_picture p = {.store = j->store,
                       .h = &j->heading,
                       .told = &j->told,
                       .curves = c->values && c->n_vars ? &curves : NULL};
    if (o->figure) p.o = *o->figure;
    if (plot_is_page(o->plot)) {
        int rc = sweep_page(&j->m, &p, o->plot, &j->fault);
        return rc ? sweep_refuse_fault(j, rc) : VINC_OK;
    }
    plot_figure *f = NULL;
    int rc = RESULT_OK;
    for (int i = 0; i < SWEEP_FIGURES && !f && !rc; i++)
        if (!o->show || !strcmp(o->show, "all") || !strcmp(o->show, sweep_shows[i]))
            rc = sweep_figure(&j->m, &p, i, &f, &j->fault);
    if (!rc && !f)
        return sweep_refuse(j, "C190",
                            "there is nothing to draw: --show curves needs --vars, --show response "
                            "one or two grids, the others what is random or a file");
    plot_chart chart = {p.o.columns, p.o.colour != 0, &j->chart};
    if (!rc) rc = plot_write(f, o->plot, &chart, &j->fault);
    plot_free(f);
    if (rc < 0) return sweep_refuse_fault(j, rc);
    if (!strcmp(o->plot, "-")) j->told.chart = text_str(&j->chart);
    return VINC_OK;
}

int sweep_deliver(void *job)
{
    sweep_job *j = job;
    vinc_sweep *t = &j->told;
    uint64_t runs = j->heading.last - j->heading.first;
    t->class_name = j->heading.class_name;
    t->runs = (long)runs;
    t->parameters = j->heading.parameters;
    t->n_parameters = j->heading.n_parameters;
    int rc = sweep_statistics(&j->a, j->store, &j->heading, t, &j->fault);
    if (rc) return sweep_refuse_fault(j, rc);
    bool whole = (uint64_t)t->done == runs;
    t->status = whole ? "done" : "stopped";
    if (whole && j->o.parts) t->out = j->journal; // to be merged
    else if (whole && j->format) {
        rc = j->format->write(&j->m, j->store, &j->heading, runs, j->o.out, &j->fault);
        if (rc) return sweep_refuse_fault(j, rc);
        t->out = j->o.out;
    }
    return j->o.plot ? draw_sweep(j) : VINC_OK;
}
