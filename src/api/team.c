/* One model over the processes of mpirun: who they are, and a run that they share.
 *
 * Process 0 has the model and makes the run. Others wait for their part of it (vinc_team_help), and hear by one
 * number at a time what comes next (run_share_word). Where parts cannot be handed out they are told to make the
 * model themselves, and from then on all make the same calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/team.h"
#include "api/run.h"
#include "base/crew.h"
#include "base/plugin.h"
#include "method/linear_choice.h"
#include "run/share.h"
#include "run/verbs.h"

#include <stdio.h>
#include <string.h>

static const char METHOD_OF_SHARED[] = "bdf";
static const char WHY_METHOD[] = "several processes: the one that runs on them";
static const char WHY_OF_PARTS[] =
    "several processes, each of which compiled its part: the one that runs on them";

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
    j->ctx->awaited = !j->rank && j->size > 1;
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

static void team_say(const vinc_ctx *ctx, run_share_word what)
{
    double word = what;
    ctx->team->from_first(&word, 1);
}

int vinc_team_agree(vinc_ctx *ctx, int status, int *first)
{
    if (first) *first = 0;
    if (!ctx || !ctx->team) return status;
    if (status == VINC_E_MEMORY) return ctx->team = NULL, status; // others may wait elsewhere
    if (ctx->awaited) return status;                              // they have nothing to say
    // The worst status, and the first process that has it; before others one that knows why.
    double worst = -status;
    ctx->team->most(&worst, 1);
    double who = -status == worst ? ctx->ranks - ctx->rank + (ctx->knows ? ctx->ranks : 0) : 0;
    ctx->team->most(&who, 1);
    if (who > ctx->ranks) who -= ctx->ranks;
    if (first) *first = ctx->ranks - (int)who;
    return worst > 0 ? -(int)worst : status;
}

void vinc_team_leave(vinc_ctx *ctx)
{
    if (!ctx || !ctx->team) return;
    if (ctx->awaited) team_say(ctx, SHARE_LEAVE);
    ctx->awaited = false;
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
    bool handed;           // to others, who do as they are told
    double *y, *yp;        // of this process
    double *from, *from_p; // ... where it goes on from
    size_t bytes;
};

/* What those who were handed a part have to know of the run. */
enum { ORDER_WORDS = 512 };
typedef struct share_orders {
    double t_start, t_stop, rel_tol, abs_tol;
    long intervals, n_times, max_steps;
    unsigned log;
    int jobs;
    bool no_rows, ending, pausing, steps, onward;
    char method[ORDER_WORDS], linear[ORDER_WORDS];
} share_orders;

static bool orders_fit(const char *words)
{
    return !words || strlen(words) < ORDER_WORDS;
}

void api_share_prepare(vinc_sim *s)
{
    vinc_ctx *ctx = s->model->ctx;
    const vinc_sim_options *o = &s->callbacks;
    if (!o->distributed || !ctx->team || !ctx->awaited) return;
    if (run_share_can_hand(s->code) && !o->n_ends && orders_fit(s->method_given) &&
        orders_fit(s->linear))
        return;
    team_say(ctx, SHARE_COMPILE);
    ctx->awaited = false;
}

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
    vinc_ctx *ctx = s->model->ctx;
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
    run_share_options share = {.team = ctx->team,
                               .rank = ctx->rank,
                               .size = ctx->ranks,
                               .handed = ctx->awaited,
                               .products = linear.precond != NULL,
                               .t = s->options.t_start,
                               .part = s->part,
                               .y = s->y,
                               .yp = s->yp};
    int rc = run_share_new(s->state, &share, &s->why, &s->share->part);
    if (rc) return api_report(s, rc, "C201");
    s->share->handed = share.handed;
    ctx->awaited = false; // while it runs
    return VINC_OK;
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
    size_t n = (size_t)run_share_problem(x->part)->n;
    x->bytes = (4 * n + 1) * sizeof(double);
    x->y = mem_try(&s->m, x->bytes);
    if (!x->y) return VINC_E_MEMORY;
    x->yp = x->y + n;
    x->from = x->yp + n;
    x->from_p = x->from + n;
    if (!s->linear) s->linear = "petsc";
    if (!s->method_given && !s->formula) {
        s->method_given = METHOD_OF_SHARED;
        s->method_shared = s->part ? WHY_OF_PARTS : WHY_METHOD;
    }
    return VINC_OK;
}

/* The end of the run, or a checkpoint: the first process keeps it. */
static void share_keep_end(void *user, const sim_mark *mark, const double *y, const double *yp)
{
    vinc_sim *s = user;
    api_share *x = s->share;
    run_share_join(x->part, y, s->y);
    run_share_join(x->part, yp, s->yp);
    if (api_records(s)) api_keep_end(user, mark, s->y, s->yp);
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

/* Those who were handed a part learn what is done with it. */
static void share_order(vinc_sim *s, const sim_options *o)
{
    const team *t = s->model->ctx->team;
    share_orders orders = {.t_start = s->onward ? s->t_origin : o->t_start,
                           .t_stop = o->t_stop,
                           .rel_tol = o->rel_tol,
                           .abs_tol = o->abs_tol,
                           .intervals = o->intervals,
                           .n_times = o->times ? o->intervals : 0,
                           .max_steps = o->max_steps,
                           .log = o->log,
                           .jobs = s->crew ? s->callbacks.jobs : 0,
                           .no_rows = o->no_rows,
                           .ending = o->ending != NULL,
                           .pausing = o->pausing != NULL,
                           .steps = o->steps != NULL,
                           .onward = s->onward != NULL};
    snprintf(orders.method, sizeof orders.method, "%s", o->method);
    snprintf(orders.linear, sizeof orders.linear, "%s", o->linear);
    t->tell(&orders, sizeof orders);
    if (orders.n_times) t->tell((void *)o->times, (size_t)orders.n_times * sizeof *o->times);
}

/* In every process: the point, and discrete values. */
static void share_begin(run_share *part, const double *all, const double *all_p, double *y,
                        double *yp)
{
    run_share_take(part, all, y);
    run_share_take(part, all_p, yp);
    run_share_tell(part);
}

const vinc_problem *api_share_begin(vinc_sim *s, sim_options *o, double **y, double **yp)
{
    api_share *x = s->share;
    o->method = s->method_given;
    if (x->handed) share_order(s, o);
    share_begin(x->part, s->y, s->yp, x->y, x->yp);
    *y = x->y;
    *yp = x->yp;
    if (o->ending) o->ending = share_keep_end;
    if (o->pausing) o->pausing = share_checkpoint;
    return run_share_problem(x->part);
}

void api_share_end(vinc_sim *s, sim_outcome *done)
{
    api_share *x = s->share;
    run_share_join(x->part, x->y, s->y);
    run_share_join(x->part, x->yp, s->yp);
    s->model->ctx->awaited = x->handed;
    if (s->part)
        s->model->ctx->knows =
            done->status < 0 &&
            run_share_knows(x->part, done->status == VINC_E_EVALUATION, done->worst);
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
    sim_mark told = *mark;
    if (x->handed) s->model->ctx->team->tell(&told, sizeof told);
    share_begin(x->part, y, yp, x->from, x->from_p);
    return sim_resume(session, mark, x->from, x->from_p);
}

/* ---- those who wait -------------------------------------------------------------------------- */

/* A run of which this process has its part, and nothing else. */
typedef struct team_help {
    vinc_ctx *ctx;
    mem m;
    watch watch;
    run_share *part;
    share_orders orders;
    double *times, *y; // y: and y', and twice as much to go on from
    struct crew *crew;
    result *rows, *steps; // nothing is recorded in them
    sim_outcome done;
} team_help;

static void help_keep_end(void *user, const sim_mark *mark, const double *y, const double *yp)
{
    team_help *h = user;
    (void)mark;
    run_share_join(h->part, y, NULL);
    run_share_join(h->part, yp, NULL);
}

static bool help_checkpoint(void *user, bool told)
{
    const team_help *h = user;
    double due = 0;
    if (!told) h->ctx->team->from_first(&due, 1);
    return due != 0;
}

static void help_log(void *user, const char *topic, const char *line)
{
    (void)user;
    (void)topic;
    (void)line;
}

/* As process 0 does (integrate, api_run_on). */
static int help_integrate(team_help *h, const sim_options *o, double *y, double *yp)
{
    const vinc_problem *p = run_share_problem(h->part);
    if (!h->orders.onward) return sim_run(&h->m, p, y, yp, o, h->rows, &h->done);
    sim_session *session = NULL;
    int rc = sim_open(&h->m, p, y, yp, o, h->rows, &h->done, &session);
    if (!rc) {
        sim_mark mark;
        double *from = yp + p->n;
        h->ctx->team->tell(&mark, sizeof mark);
        mark.choice.method = NULL; // addresses of another process
        mark.choice.why = NULL;
        share_begin(h->part, NULL, NULL, from, from + p->n);
        rc = sim_resume(session, &mark, from, from + p->n);
    }
    if (!rc) rc = sim_advance(session, o->t_stop, false);
    sim_close(session, y, yp);
    return rc;
}

static int help_follow(team_help *h)
{
    const share_orders *r = &h->orders;
    const team *t = h->ctx->team;
    t->tell(&h->orders, sizeof h->orders);
    size_t n = (size_t)run_share_problem(h->part)->n;
    h->times = mem_try(&h->m, ((size_t)r->n_times + 1) * sizeof *h->times);
    h->y = mem_try(&h->m, (4 * n + 1) * sizeof *h->y);
    if (!h->times || !h->y || result_new(&h->m, &h->rows) < 0) return VINC_E_MEMORY;
    if (r->steps && (result_new(&h->m, &h->steps) < 0 ||
                     sim_chart_columns(run_share_problem(h->part), h->steps) < 0))
        return VINC_E_MEMORY;
    if (r->n_times) t->tell(h->times, (size_t)r->n_times * sizeof *h->times);
    if (r->jobs > 1) h->crew = crew_new(&h->m, r->jobs);
    run_share_by_crew(h->part, h->crew);
    sim_options o = {.method = r->method,
                     .linear = r->linear,
                     .t_start = r->t_start,
                     .t_stop = r->t_stop,
                     .rel_tol = r->rel_tol,
                     .abs_tol = r->abs_tol,
                     .intervals = r->intervals,
                     .times = r->n_times ? h->times : NULL,
                     .max_steps = r->max_steps,
                     .crew = h->crew,
                     .log = r->log,
                     .log_line = help_log,
                     .user = h,
                     .no_rows = r->no_rows,
                     .ending = r->ending ? help_keep_end : NULL,
                     .pausing = r->pausing ? help_checkpoint : NULL,
                     .steps = h->steps};
    share_begin(h->part, NULL, NULL, h->y, h->y + n);
    int rc = help_integrate(h, &o, h->y, h->y + n);
    text_done(&h->done.message);
    run_share_join(h->part, h->y, NULL);
    run_share_join(h->part, h->y + n, NULL);
    return rc == VINC_E_MEMORY ? rc : VINC_OK; // process 0 says what else there is to say
}

static int help_once(vinc_ctx *ctx)
{
    team_help h = {.ctx = ctx,
                   .m = {.resize = ctx->m.resize, .user = ctx->m.user, .zeroed = ctx->m.zeroed}};
    h.watch.limits = &ctx->limits;
    h.m.watch = &h.watch;
    int rc = run_share_receive(ctx->team, ctx->rank, ctx->ranks, &h.m, &h.part);
    rc = vinc_team_agree(ctx, rc, NULL);
    size_t n = h.part ? (size_t)run_share_problem(h.part)->n : 0;
    if (!rc) rc = help_follow(&h);
    if (h.times) mem_free(&h.m, h.times, ((size_t)h.orders.n_times + 1) * sizeof *h.times);
    if (h.y) mem_free(&h.m, h.y, (4 * n + 1) * sizeof *h.y);
    result_free(h.rows);
    result_free(h.steps);
    run_share_free(h.part);
    crew_free(h.crew);
    return rc;
}

int vinc_team_help(vinc_ctx *ctx, int *whole)
{
    if (whole) *whole = 0;
    if (!ctx || !ctx->team || !ctx->rank) return VINC_E_OPTION;
    for (int rc = VINC_OK; !rc;) {
        double word = SHARE_LEAVE;
        ctx->team->from_first(&word, 1);
        if ((int)word == SHARE_LEAVE) return VINC_OK;
        if ((int)word == SHARE_COMPILE) {
            if (whole) *whole = 1;
            return VINC_OK;
        }
        if ((int)word == SHARE_OWN) {
            ctx->parted = true;
            if (whole) *whole = 1;
            return VINC_OK;
        }
        if ((int)word == SHARE_PART) rc = help_once(ctx);
        if (rc) return rc;
    }
    return VINC_OK;
}
