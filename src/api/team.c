/* One model over the processes of mpirun: who they are, and a run that they share.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/team.h"
#include "api/run.h"
#include "base/plugin.h"
#include "method/linear_choice.h"
#include "run/share.h"
#include "run/verbs.h"

#include <stdio.h>
#include <string.h>

static const char METHOD_OF_SHARED[] = "bdf";
static const char WHY_METHOD[] = "several processes: the one that runs on them";

/* ---- the processes --------------------------------------------------------------------------- */

typedef struct team_job {
    vinc_ctx *ctx;
    int rank, size;
} team_job;

static int team_join(void *job)
{
    static const plugin_kind kind = {"petsc", "runs of one model over the processes of mpirun",
                                     "petsc-dev", TEAM_VERSION};
    team_job *j = job;
    char why[600];
    const team *t = plugin_open(&kind, why, sizeof why);
    if (t && t->open(&j->rank, &j->size)) {
        t = NULL;
        snprintf(why, sizeof why, "MPI cannot be begun: start the command by mpirun");
    }
    if (!t) return diag_error(&j->ctx->diags, "C195", (span){0}, "%s", why), VINC_E_OPTION;
    j->ctx->team = t;
    j->ctx->rank = j->rank;
    j->ctx->ranks = j->size;
    return VINC_OK;
}

int vinc_team_join(vinc_ctx *ctx, int *rank, int *size)
{
    team_job j = {.ctx = ctx, .size = 1};
    int rc = ctx ? api_guarded(ctx, team_join, &j) : VINC_E_OPTION;
    if (rank) *rank = j.rank;
    if (size) *size = j.size;
    return rc;
}

int vinc_team_agree(vinc_ctx *ctx, int status, int *first)
{
    if (first) *first = 0;
    if (!ctx || !ctx->team) return status;
    if (status == VINC_E_MEMORY) return ctx->team = NULL, status; // others may wait elsewhere
    // The worst status, and the first process that has it.
    double worst = -status;
    ctx->team->most(&worst, 1);
    double who = -status == worst ? ctx->ranks - ctx->rank : 0;
    ctx->team->most(&who, 1);
    if (first) *first = ctx->ranks - (int)who;
    return worst > 0 ? -(int)worst : status;
}

void vinc_team_leave(vinc_ctx *ctx)
{
    if (!ctx || !ctx->team) return;
    ctx->team->close();
    ctx->team = NULL;
}

bool api_records(const vinc_sim *s)
{
    return !s->callbacks.distributed || !s->model->ctx->rank;
}

/* ---- a run that they share ------------------------------------------------------------------- */

struct api_share {
    run_share *part;
    double *y, *yp, *all, *all_p; // of this process; of all
    size_t bytes;
};

void api_share_free(vinc_sim *s)
{
    api_share *x = s->share;
    if (!x) return;
    run_share_free(x->part);
    if (x->y) mem_free(&s->m, x->y, x->bytes);
    mem_free(&s->m, x, sizeof *x);
    s->share = NULL;
}

static int share_refuse(vinc_sim *s, const char *what)
{
    text_printf(&s->why, "a run of several processes does not do this: %s", what);
    return api_report(s, VINC_E_OPTION, "C201");
}

static int share_make(void *job)
{
    vinc_sim *s = job;
    const vinc_sim_options *o = &s->callbacks;
    const vinc_ctx *ctx = s->model->ctx;
    method_linear linear;
    if (!ctx->team) {
        text_printf(&s->why, "the processes of the run have not been joined: vinc_team_join");
        return api_report(s, VINC_E_OPTION, "C195");
    }
    if (o->sens) return share_refuse(s, "derivatives that accompany it (--sens)");
    if (o->follow || s->session || o->lend) return share_refuse(s, "being followed or stepped");
    if (s->equilibrium || s->verify) return share_refuse(s, "--equilibrium and --verify");
    method_linear_find(s->linear, &linear, NULL);                      // it was looked for before
    if (s->options.abs_tol > 0) run_problem(s->state)->unsized = NULL; // it is meant as given
    run_share_options share = {ctx->team,          ctx->rank, ctx->ranks, linear.precond != NULL,
                               s->options.t_start, s->y,      s->yp};
    int rc = run_share_new(s->state, &share, &s->why, &s->share->part);
    return rc ? api_report(s, rc, "C201") : VINC_OK;
}

int api_share_new(vinc_sim *s)
{
    if (!s->callbacks.distributed) return VINC_OK;
    api_share_free(s);
    s->share = mem_try(&s->m, sizeof *s->share);
    if (!s->share) return VINC_E_MEMORY;
    *s->share = (api_share){0};
    int rc = api_run_guarded(s, share_make, s);
    if (rc) return rc;
    api_share *x = s->share;
    size_t n = (size_t)run_share_problem(x->part)->n, all = (size_t)run_problem(s->state)->n;
    x->bytes = 2 * (n + all + 1) * sizeof(double);
    x->y = mem_try(&s->m, x->bytes);
    if (!x->y) return VINC_E_MEMORY;
    x->yp = x->y + n;
    x->all = x->yp + n;
    x->all_p = x->all + all;
    if (!s->linear) s->linear = "petsc";
    if (!s->method_given && !s->formula) {
        s->method_given = METHOD_OF_SHARED;
        s->method_shared = WHY_METHOD;
    }
    return VINC_OK;
}

/* The end of the run, or a checkpoint: the first process keeps it. */
static void share_keep_end(void *user, const sim_mark *mark, const double *y, const double *yp)
{
    vinc_sim *s = user;
    api_share *x = s->share;
    run_share_join(x->part, y, x->all);
    run_share_join(x->part, yp, x->all_p);
    if (api_records(s)) api_keep_end(user, mark, x->all, x->all_p);
}

/* By the clock of the first process. */
static bool share_checkpoint(void *user, bool told)
{
    const vinc_sim *s = user;
    double due = 0;
    if (api_records(s)) due = s->callbacks.checkpoint(s->callbacks.user, told);
    if (told) return false;
    s->model->ctx->team->from_first(&due, 1);
    return due != 0;
}

const vinc_problem *api_share_begin(vinc_sim *s, sim_options *o, double **y, double **yp)
{
    api_share *x = s->share;
    run_share_take(x->part, s->y, x->y);
    run_share_take(x->part, s->yp, x->yp);
    *y = x->y;
    *yp = x->yp;
    o->method = s->method_given;
    if (o->ending) o->ending = share_keep_end;
    if (o->pausing) o->pausing = share_checkpoint;
    return run_share_problem(x->part);
}

void api_share_end(vinc_sim *s, sim_outcome *done)
{
    api_share *x = s->share;
    run_share_join(x->part, x->y, s->y);
    run_share_join(x->part, x->yp, s->yp);
    done->worst = run_share_unknown(x->part, done->worst);
    const char *why = run_share_why(x->part);
    if (why && done->status < 0) text_add(&done->message, why);
    if (s->method_shared && !done->method_why) done->method_why = s->method_shared;
}

int api_share_resume(vinc_sim *s, sim_session *session, const sim_mark *mark, const double *y,
                     const double *yp)
{
    api_share *x = s->share;
    if (!x) return sim_resume(session, mark, y, yp);
    run_share_take(x->part, y, x->all); // the vectors of this process are those of the session
    run_share_take(x->part, yp, x->all_p);
    return sim_resume(session, mark, x->all, x->all_p);
}
