/* vincolo run: simulate, write, draw, report. Ctrl-C leaves a valid result.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"
#include "tool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options --------------------------------------------------------------------------------- */

/* Threads change no bit of a result, so large systems have them unasked. The branches of a tree of
 * elimination on a grid occupy no more than these. */
enum { JOBS_OF_RUN_MAX = 8 };

static int run_jobs(const options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (o->has_jobs) return (int)o->jobs;
    return cores < JOBS_OF_RUN_MAX ? (int)cores : JOBS_OF_RUN_MAX;
}

static bool known_topics(const char *log)
{
    static const char *const topics[] = {"step", "newton", "init", "event"};
    for (const char *p = log; p && *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        bool found = false;
        for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
            found |= strlen(topics[i]) == n && strncmp(p, topics[i], n) == 0;
        if (!found) {
            tool_error("vincolo: --log knows step, newton, init and event, not '%.*s'\n", (int)n,
                       p);
            return false;
        }
        p += n;
    }
    return true;
}

static bool run_check(const options *o)
{
    if (o->norm && !o->contractivity) {
        tool_error("vincolo run: --norm is that of --contractivity\n");
        return false;
    }
    if (o->times && (o->has_intervals || o->convergence || o->contractivity || o->baumgarte ||
                     o->equilibrium)) {
        tool_error("vincolo run: --times says when there are rows: not with --intervals, "
                   "--equilibrium or a study of a method\n");
        return false;
    }
    if (o->from && (o->convergence || o->contractivity || o->baumgarte || o->equilibrium)) {
        tool_error("vincolo run: --from goes on with a run; studies begin at the start values\n");
        return false;
    }
    if (o->checkpoint > 0 && !(o->out && tool_ends_in(o->out, ".mat"))) {
        tool_error(
            "vincolo run: --checkpoint writes the result so far, with all that the run needs to "
            "go on: give it a file, --out FILE.mat\n");
        return false;
    }
    if (o->checkpoint > 0 &&
        (o->convergence || o->contractivity || o->baumgarte || o->equilibrium)) {
        tool_error("vincolo run: --checkpoint is for a run, not for studies of one\n");
        return false;
    }
    if (o->distributed && (o->convergence || o->contractivity || o->baumgarte || o->equilibrium ||
                           o->verify || o->sens)) {
        tool_error("vincolo run: --distributed is for a run: not with --verify, --sens, "
                   "--equilibrium or a study of a method\n");
        return false;
    }
    if (o->drift && (!o->plot || o->convergence || o->contractivity || o->baumgarte)) {
        tool_error("vincolo run: --drift says what --plot FILE draws of a run\n");
        return false;
    }
    return tool_check_init(o->init) && tool_check_out(o->out) &&
           tool_check_plot(o->plot, !o->drift) && known_topics(o->log) &&
           tool_check_place(o->out) && tool_check_place(o->plot);
}

/* ---- the command ----------------------------------------------------------------------------- */

// What was computed is written, whatever the run's end. sim: NULL of an FMU.
static int deliver(vinc_result *result, vinc_sim *sim, const options *o)
{
    if (!result || !vinc_result_n_rows(result)) return VINC_OK;
    int rc = VINC_OK;
    const char *vars = o->sens && sim ? vinc_sim_selection(sim) : o->vars;
    if (o->out) rc = vinc_result_write(result, o->out, vars);
    if (o->plot) {
        const char *chart;
        vinc_plot_options p = tool_plot_options(o);
        p.vars = vars;
        int drawn = o->drift ? vinc_sim_plot_drift(sim, o->plot, &p, &chart)
                             : vinc_result_plot(result, o->plot, &p, &chart);
        if (!o->json) fputs(chart, stdout);
        if (drawn) rc = drawn;
    }
    return rc;
}

static bool fmu_check(const options *o, int *kind)
{
    if (o->convergence || o->contractivity || o->baumgarte || o->drift || o->sens ||
        o->n_words > 2) {
        tool_error(
            "vincolo run: of an FMU there is a run, and no class; studies of methods are for "
            "models\n");
        return false;
    }
    if (o->times || o->from || o->checkpoint > 0 || o->distributed) {
        tool_error(
            "vincolo run: --times, --from, --checkpoint and --distributed are for models, not "
            "for FMUs\n");
        return false;
    }
    if (o->sandbox) {
        tool_error(
            "vincolo run: under --sandbox an FMU cannot be unpacked, and no process started for "
            "its code; docs/security.md names ways to confine the command from outside\n");
        return false;
    }
    *kind = !o->kinds                 ? 0
            : !strcmp(o->kinds, "me") ? VINC_FMU_EXCHANGE
            : !strcmp(o->kinds, "cs") ? VINC_FMU_STEPS
                                      : -1;
    if (*kind < 0) tool_error("vincolo run: --type is me (model exchange) or cs (co-simulation)\n");
    return *kind >= 0;
}

/* run model.fmu: foreign code, in a process of its own. */
static int run_fmu(const options *o)
{
    int kind, written = VINC_OK;
    if (!fmu_check(o, &kind)) return EXIT_USAGE;
    progress_view w;
    progress_begin(&w, o);
    vinc_ctx *ctx = tool_context(o);
    vinc_sim_options so = tool_sim_options(o);
    so.chart = 0;
    so.progress = progress_show, so.log_line = progress_log, so.user = &w;
    vinc_fmu_options fo = {.run = &so,
                           .settings = o->settings,
                           .n_settings = o->n_settings,
                           .kind = kind,
                           .in_process = o->in_process,
                           .folder = getenv("TMPDIR")};
    vinc_fmu *fmu = NULL;
    int rc = vinc_fmu_open(ctx, o->words[1], &fo, &fmu);
    if (!rc) {
        signal(SIGPIPE, SIG_IGN);
        rc = vinc_fmu_simulate(fmu);
        progress_clear(&w);
        vinc_result *result = vinc_fmu_result(fmu);
        written = deliver(result, NULL, o);
        if (o->json || (!o->quiet && result && rc != VINC_E_OPTION))
            fputs(vinc_fmu_report(fmu, o->json ? VINC_JSON : VINC_TEXT), stdout);
    } else if (o->json) {
        tool_json_failure(ctx, o);
    }
    if (rc == VINC_STOPPED) tool_error("vincolo run: interrupted; the result so far is kept\n");
    tool_messages(ctx);
    vinc_fmu_free(fmu);
    tool_free(ctx);
    return tool_exit(rc < 0 || !written ? rc : written);
}

static int run_model(const options *o)
{
    if (!run_check(o)) return EXIT_USAGE;
    if (o->n_words > 1 && tool_ends_in(o->words[1], ".fmu")) return run_fmu(o);
    if (o->in_process || o->kinds) {
        tool_error("vincolo run: --in-process and --type are for FMUs\n");
        return EXIT_USAGE;
    }
    if (o->convergence || o->contractivity || o->baumgarte) return tool_study(o);
    progress_view w;
    progress_begin(&w, o);

    vinc_ctx *ctx = tool_context(o);
    int rank = 0, speaker = 0; // of several processes number 0 speaks, or the first that failed
    int rc = o->distributed ? vinc_team_join(ctx, &rank, NULL) : VINC_OK;
    if (rank) progress_silence(&w);
    vinc_model *model = NULL;
    vinc_sim *sim = NULL;
    vinc_sim_options so = tool_sim_options(o);
    so.jobs = run_jobs(o);
    so.only_vars = o->vars && !o->verify && !o->equilibrium && !so.chart;
    so.part_only = o->distributed;
    so.detail = o->plot && !o->distributed;
    so.out = o->plot || o->checkpoint > 0 ? NULL : o->out; // nobody looks at the rows again
    so.progress = progress_show, so.log_line = progress_log, so.user = &w;
    if (o->checkpoint > 0) so.checkpoint = progress_checkpoint;
    int written = VINC_OK, whole = !rank;
    if (!rc && rank) rc = vinc_team_help(ctx, &whole);
    if (!rc && whole) rc = tool_load(ctx, o, &model);
    if (!rc && whole) rc = vinc_sim_new(model, &so, &sim);
    if (whole) rc = vinc_team_agree(ctx, rc, &speaker);
    if (!rc && whole) {
        signal(SIGPIPE, SIG_IGN);
        w.sim = sim;
        rc = vinc_sim_advise(sim);
        if (!rc) rc = vinc_sim_run(sim);
        progress_clear(&w);
        rc = vinc_team_agree(ctx, rc, &speaker);
        if (!rank && (o->out || o->plot)) written = deliver(vinc_sim_result(sim), sim, o);
        if (!rank && (o->json || (!o->quiet && rc != VINC_E_OPTION))) {
            const char *report = vinc_sim_report(sim, o->json ? VINC_JSON : VINC_TEXT);
            fputs(report, stdout);
            if (!*report && !written) written = VINC_E_MEMORY;
        }
    } else if (o->json && rank == speaker) {
        tool_json_failure(ctx, o);
    }
    if (rank != speaker) vinc_ctx_clear(ctx);
    if (rc >= 0 && !rank) tool_tell(vinc_sim_messages(sim)); // a failed run has told the context
    if (rc == VINC_STOPPED && !rank)
        tool_error("vincolo run: interrupted; the result is kept up to t = %.10g\n",
                   vinc_sim_time(sim));
    tool_messages(ctx);
    vinc_sim_free(sim);
    vinc_model_free(model);
    vinc_team_leave(ctx);
    tool_free(ctx);
    return tool_exit(rc < 0 || !written ? rc : written);
}

const command command_run = {
    .name = "run",
    .arguments = "MODEL [CLASS] | FILE.fmu",
    .summary = "simulate a model or an FMU",
    .options =
        "-L -p --params --start --stop --tol --abs-tol --method --formulation --linear --init"
        " --input --from --checkpoint --intervals --times --step --max-steps --jobs --out --plot "
        "--vars "
        "--sens "
        "--no-sens-control --distributed --title"
        " --dark --log-x --log-y --verify --convergence --contractivity --norm --baumgarte "
        "--drift --log --no-chart"
        " --equilibrium --type --in-process --json",
    .run = run_model,
};
