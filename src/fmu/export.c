/* A model as an FMU: its flat text, what an importer is told of it, and a library that runs it.
 *
 * The text is loaded again, and the model that comes of it is described: what is written down is what
 * the library will find.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/archive.h"
#include "fmu/carried.h"
#include "fmu/depends.h"
#include "fmu/describe.h"
#include "fmu/fmu.h"
#include "fmu/source_print.h"
#include "run/verbs.h"
#include "value/value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Libraries that may lie in the folder of the options, and where they go. */
static const struct {
    const char *file, *folder[2]; // of FMI 2 and 3
} platforms[] = {
    {"x86_64-linux.so.gz", {"linux64", "x86_64-linux"}},
    {"aarch64-linux.so.gz", {"aarch64-linux", "aarch64-linux"}},
};
enum { N_PLATFORMS = sizeof platforms / sizeof *platforms };

typedef struct exporting {
    vinc_model *model; // of the caller
    const char *path;
    const vinc_export_options *o;
    vinc_ctx *inner;
    vinc_model *again;
    vinc_sim *sim, *tried;
    api_found found; // start values of both
    fmu_subject subject;
    char identifier[80], token[FMU_TOKEN_BYTES];
    const char *flat; // of the model
    text held;        // the same as the FMU holds it
    fmu_carried carried;
    text printed, file_text; // sources/model.c, and one of the others after the other
    fmu_papers papers;
    archive z;
    result_file file; // open while is_open
    bool is_open;
    char *bytes; // of the library that is being added
    size_t n_bytes;
} exporting;

enum { N_PAPERS = sizeof(fmu_papers) / sizeof(text) };
static text *paper(exporting *x, int i)
{
    text *list[N_PAPERS] = {&x->papers.description, &x->papers.page, &x->papers.terminals,
                            &x->papers.svg,         &x->papers.png,  &x->papers.arrays};
    return list[i];
}

/* A name for files and C: letters, digits and underscores. */
static void make_identifier(const char *name, char out[80])
{
    const char *dot = strrchr(name, '.');
    if (dot && dot[1] && dot[strlen(dot) - 1] != '\'') name = dot + 1;
    int n = 0;
    if (!isalpha((unsigned char)*name) && *name != '_') out[n++] = 'm';
    for (; *name && n < 79; name++) out[n++] = isalnum((unsigned char)*name) ? *name : '_';
    out[n] = 0;
}

static int say(vinc_ctx *ctx, const char *code, const char *words)
{
    diag_error(&ctx->diags, code, (span){0}, "%s", words);
    return VINC_E_OPTION;
}

/* ---- the model that the library will find ---------------------------------------------------- */

/* Messages of a context of our own, to that of the caller. */
static int pass_on(exporting *x, int rc)
{
    for (int i = 0; i < vinc_ctx_n_diagnostics(x->inner); i++) {
        vinc_diagnostic d = vinc_ctx_diagnostic(x->inner, i);
        if (d.severity != VINC_ERROR) continue;
        diag_error(&x->model->ctx->diags, d.code && *d.code ? d.code : "F001", (span){0},
                   "in the flat text of the model: %s", d.text);
        break;
    }
    return rc;
}

static int load_again(exporting *x, bool lend)
{
    vinc_sim_options o = {.lend = lend};
    const mem *m = &x->model->ctx->m;
    x->inner = vinc_ctx_new(&(vinc_ctx_options){.resize = m->resize, .user = m->user});
    int rc =
        vinc_model_load_text(x->inner, FMU_MODEL_FILE, x->flat, strlen(x->flat), NULL, &x->again);
    if (!rc) rc = vinc_sim_new(x->again, &o, &x->sim);
    if (!rc) x->sim->found = &x->found;
    return rc;
}

/* Can they be found for states a little off? Integrators try such points. A relation between states that structure does
 * not show (currents of which one is the sum of the others) then has no solution. */
static int try_states_nearby(exporting *x, double *states, double *tried, int n)
{
    enum { TRIES = 3 }; // one of them may lie outside of where equations are defined
    const double OFF =
        1e-6; // of the states: less than what an integrator moves them by, more than rounding
    double *nominal = tried + n, *rates = tried + 2 * n;
    unsigned bits = 1;
    int rc = vinc_sim_states(x->sim, states, nominal);
    for (int k = 0; k < TRIES && !rc; k++) {
        for (int i = 0; i < n; i++) {
            bits = bits * 1103515245u + 12345u; // of the C standard
            double part = (bits >> 16 & 0x7fff) / 32767.0 - 0.5;
            tried[i] =
                states[i] + OFF * (part + (part < 0 ? -0.5 : 0.5)) * (fabs(states[i]) + nominal[i]);
        }
        rc = vinc_sim_place(x->sim, vinc_sim_time(x->sim), tried);
        if (!rc && !(rc = vinc_sim_rates(x->sim, rates))) return VINC_OK;
        if (rc == VINC_E_EVALUATION && k + 1 < TRIES) rc = VINC_OK;
    }
    return rc;
}

/* Can the rates be found at a point, by themselves? Of some models only implicit methods find a way. */
static int try_exchange(exporting *x)
{
    int rc = vinc_sim_lend(x->sim), n = vinc_sim_n_states(x->sim);
    double t = vinc_sim_time(x->sim);
    double *rates = arena_array(&x->model->ctx->scratch, double, 4 * n + 1);
    if (!rc) rc = vinc_sim_place(x->sim, t + nextafter(fabs(t), INFINITY) - fabs(t), NULL);
    if (!rc) rc = vinc_sim_rates(x->sim, rates);
    if (!rc && n) rc = try_states_nearby(x, rates, rates + n, n);
    return rc ? rc : vinc_sim_lend(x->sim);
}

/* Does a run of the text begin? */
static int try_steps(exporting *x)
{
    int rc = vinc_sim_new(x->again, NULL, &x->tried);
    vinc_sim *s = x->tried;
    if (s) s->found = &x->found;
    if (rc >= 0) rc = vinc_sim_start(s);
    if (rc == VINC_OK && vinc_sim_end(s) > vinc_sim_time(s)) rc = vinc_sim_step(s, vinc_sim_end(s));
    return rc < 0 ? rc : VINC_OK;
}

static int choose_kinds(exporting *x)
{
    vinc_ctx *ctx = x->model->ctx;
    bool past = run_model(x->sim->state)->events.delays.n_out > 0;
    bool both = x->o->kinds == (VINC_FMU_EXCHANGE | VINC_FMU_STEPS);
    x->subject.exchange = x->o->kinds & VINC_FMU_EXCHANGE;
    x->subject.steps = x->o->kinds & VINC_FMU_STEPS;
    int rc = x->subject.steps ? try_steps(x) : VINC_OK;
    if (rc) return pass_on(x, rc);
    if (past && !both && x->subject.exchange)
        return say(ctx, "F002",
                   "a model with delay() or spatialDistribution() cannot be given to another "
                   "integrator: export it for co-simulation (--type cs)");
    if (x->subject.exchange && !past && !(rc = try_exchange(x))) return VINC_OK;
    if (x->subject.exchange && !both) return pass_on(x, rc);
    if (x->subject.exchange)
        diag_warning(
            &ctx->diags, "F006", (span){0}, "the FMU is for co-simulation only: %s",
            past ? "another integrator does not give the points between its steps, which "
                   "delay() needs"
                 : "the rates of the states cannot be found by themselves, as model exchange "
                   "needs them");
    x->subject.exchange = false;
    return vinc_sim_start(x->sim) < 0 ? pass_on(x, VINC_E_MODEL) : VINC_OK;
}

/* Derivatives of inputs, which equations or constraints that were differentiated ask for, nobody gives: said. */
static void tell_input_rates(exporting *x)
{
    vinc_ctx *ctx = x->model->ctx;
    const code_model *m = run_model(x->sim->state);
    bool *used = arena_array(&ctx->scratch, bool, m->inputs.n + 1);
    fmu_input_rates(m, &ctx->scratch, used);
    for (int i = 0; i < m->inputs.n; i++)
        if (used[i])
            diag_warning(&ctx->diags, "F011", (span){0},
                         "the model uses the derivative of its input '%s', which FMI does not "
                         "carry: in the FMU der(%s) is 0; make it an input of its own",
                         m->inputs.list[i].name, m->inputs.list[i].name);
}

/* ---- the archive ----------------------------------------------------------------------------- */

static void add_text(archive *z, const char *name, const text *t)
{
    archive_add(z, name, text_str(t), t->n);
}

/* The libraries that are there; how many. */
static int add_libraries(exporting *x, mem *m)
{
    int n = 0;
    for (int i = 0; i < N_PLATFORMS; i++) {
        char path[4096], name[200];
        snprintf(path, sizeof path, "%s/%s", x->o->libraries, platforms[i].file);
        if (result_file_read(m, path, &x->bytes, &x->n_bytes, NULL) < 0) continue;
        snprintf(name, sizeof name, "binaries/%s/%s.so", platforms[i].folder[x->subject.fmi - 2],
                 x->identifier);
        n += archive_add_gzip(&x->z, name, (unsigned char *)x->bytes, x->n_bytes);
        mem_free(m, x->bytes, x->n_bytes + 1);
        x->bytes = NULL;
    }
    return n;
}

/* ---- sources --------------------------------------------------------------------------------- */

static bool is_source(const exporting *x, const fmu_source_file *f)
{
    return !f->fmi || f->fmi == x->subject.fmi;
}

static bool is_compiled(const fmu_source_file *f)
{
    return f->name[strlen(f->name) - 1] == 'c';
}

static int print_sources(exporting *x)
{
    vinc_ctx *ctx = x->model->ctx;
    mem m = value_arena_mem(&ctx->scratch);
    text why;
    text_init(&why, &m);
    bool obstacle = fmu_source_obstacle(x->sim, &ctx->scratch, &why);
    bool past = run_model(x->sim->state)->events.delays.n_out > 0; // such are not lent
    if (!obstacle && !past && try_exchange(x)) {                   // a step ends by finding them
        obstacle = true;
        text_add(&why, "the rates of the states cannot be found by themselves");
    }
    if (obstacle)
        diag_error(&ctx->diags, "F008", (span){0},
                   "the sources cannot be written: %s; export without --source", text_str(&why));
    if (obstacle) return VINC_E_OPTION;
    return pass_on(
        x, fmu_source_print(&x->subject, text_str(&x->papers.arrays), &ctx->scratch, &x->printed));
}

/* Which files are compiled: FMI 3 has a file for it, FMI 2 an element of each kind. */
static void list_sources(exporting *x)
{
    text *out = &x->file_text;
    text_clear(out);
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription "
                "fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"%s\">\n"
                "    <SourceFileSet language=\"C99\">\n      <SourceFile name=\"model.c\"/>\n",
                x->identifier);
    for (const fmu_source_file *f = fmu_source_files; f->name; f++)
        if (is_source(x, f) && is_compiled(f))
            text_printf(out, "      <SourceFile name=\"%s\"/>\n", f->name);
    text_add(out, "    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n");
}

static void add_sources(exporting *x)
{
    if (!x->o->source) return;
    add_text(&x->z, "sources/model.c", &x->printed);
    for (const fmu_source_file *f = fmu_source_files; f->name; f++) {
        char name[100];
        if (!is_source(x, f)) continue;
        snprintf(name, sizeof name, "sources/%s", f->name);
        text_clear(&x->file_text);
        fmu_source_flat(f, &x->file_text);
        add_text(&x->z, name, &x->file_text);
    }
    if (x->subject.fmi == 2) return;
    list_sources(x);
    add_text(&x->z, "sources/buildDescription.xml", &x->file_text);
}

/* Files that the model reads; false: said. Their owner is told that others will have them. */
static bool add_files(exporting *x, mem *m)
{
    for (int i = 0; i < x->carried.files.n; i++) {
        const fmu_carried_file *f = &x->carried.files.at[i];
        char name[600];
        snprintf(name, sizeof name, "resources/" FMU_FILES "/%.500s", f->name);
        bool there = result_file_read(m, f->path, &x->bytes, &x->n_bytes, NULL) >= 0;
        if (!there) {
            diag_error(&x->model->ctx->diags, "F005", (span){0},
                       "the model reads '%s', which cannot be read to be taken along", f->path);
            return false;
        }
        diag_warning(&x->model->ctx->diags, "F009", (span){0}, "the FMU takes '%s' along, as '%s'",
                     f->path, name);
        archive_add(&x->z, name, x->bytes, x->n_bytes);
        mem_free(m, x->bytes, x->n_bytes + 1);
        x->bytes = NULL;
    }
    return true;
}

static int write_archive(exporting *x)
{
    vinc_ctx *ctx = x->model->ctx;
    result_fault fault = {0};
    int rc = result_file_open(&x->file, &ctx->m, x->path, &fault);
    if (rc < 0) return api_finish(ctx, rc, &fault);
    x->is_open = true;
    archive_begin(&x->z, &x->file, &ctx->m);
    const fmu_papers *q = &x->papers;
    add_text(&x->z, "modelDescription.xml", &q->description);
    add_text(&x->z, "resources/" FMU_MODEL_FILE, &x->held);
    if (q->arrays.n) add_text(&x->z, "resources/" FMU_ARRAYS_FILE, &q->arrays);
    add_text(&x->z, "documentation/index.html", &q->page);
    if (x->subject.fmi == 3) {
        add_text(&x->z, "terminalsAndIcons/terminalsAndIcons.xml", &q->terminals);
        add_text(&x->z, "terminalsAndIcons/icon.svg", &q->svg);
    }
    add_text(&x->z, x->subject.fmi == 3 ? "terminalsAndIcons/icon.png" : "model.png", &q->png);
    add_sources(x);
    bool whole = add_files(x, &ctx->m);
    int n = whole ? add_libraries(x, &ctx->m) : 0;
    archive_end(&x->z);
    if (!whole) return VINC_E_OPTION;
    if (n) return api_finish(ctx, result_file_commit(&x->file, &fault), &fault);
    char words[4200];
    snprintf(
        words, sizeof words,
        "there is no library for FMUs in '%.4000s': 'make' puts it beside the command, and 'make "
        "install' into lib/vincolo/fmu",
        x->o->libraries);
    return say(ctx, "F003", words);
}

/* What a jump out of the guard has left open, too. */
static void export_done(exporting *x)
{
    mem *m = &x->model->ctx->m;
    if (x->is_open) result_file_abandon(&x->file);
    if (x->is_open) archive_done(&x->z);
    if (x->bytes) mem_free(m, x->bytes, x->n_bytes + 1);
    if (x->sim) api_found_done(&x->sim->m, &x->found);
    vinc_sim_free(x->tried);
    vinc_sim_free(x->sim);
    vinc_model_free(x->again);
    vinc_ctx_free(x->inner);
    text_done(&x->held);
    text_done(&x->printed);
    text_done(&x->file_text);
    for (int i = 0; i < N_PAPERS; i++) text_done(paper(x, i));
}

static int refuse_what_stays_behind(const exporting *x)
{
    const flat_model *flat = x->model->flat;
    for (int i = 0; i < flat->objects.n; i++)
        if (!strcmp(flat->objects.at[i], "Vincolo.FMI.Unit"))
            return say(
                x->model->ctx, "F010",
                "a model with FMUs as components cannot be exported: the library of an FMU reads "
                "no FMUs; export its parts, and connect them in the other tool");
    if (x->model->derivatives.n)
        return say(
            x->model->ctx, "F004",
            "start values of derivatives, -p 'der(x)=...', cannot be said in flat text: set the "
            "variable that the derivative is");
    return VINC_OK;
}

static int export_job(void *job)
{
    exporting *x = job;
    vinc_ctx *ctx = x->model->ctx;
    x->flat = vinc_model_flat(x->model);
    int rc = refuse_what_stays_behind(x);
    if (rc) return rc;
    fmu_carry(x->flat, &ctx->scratch, &x->carried, &x->held);
    fmu_token(text_str(&x->held), x->held.n, x->token);
    make_identifier(x->model->flat->name, x->identifier);
    rc = load_again(x, true);
    if (rc) return pass_on(x, rc);
    rc = choose_kinds(x);
    if (rc) return rc;
    tell_input_rates(x);
    x->subject.source = x->o->source;
    x->subject.sim = x->sim;
    x->subject.written = x->model->flat;
    x->subject.carried = &x->carried;
    x->subject.fmi = x->o->fmi;
    x->subject.identifier = x->identifier;
    x->subject.token = x->token;
    fmu_describe(&x->subject, &ctx->scratch, &x->papers);
    if (x->o->source) rc = print_sources(x);
    return rc ? rc : write_archive(x);
}

int vinc_model_export(vinc_model *model, const char *path, const vinc_export_options *options)
{
    if (!model) return VINC_E_MEMORY;
    if (!path || !options || !options->libraries)
        return api_lacks(model->ctx, "a path and the folder of the libraries");
    vinc_export_options o = *options;
    if (!o.fmi) o.fmi = 3;
    if (!o.kinds) o.kinds = VINC_FMU_EXCHANGE | VINC_FMU_STEPS;
    if (o.fmi != 2 && o.fmi != 3) return api_lacks(model->ctx, "version 2 or 3 of FMI");
    exporting x = {.model = model, .path = path, .o = &o};
    text_init(&x.held, &model->ctx->m);
    text_init(&x.printed, &model->ctx->m);
    text_init(&x.file_text, &model->ctx->m);
    for (int i = 0; i < N_PAPERS; i++) text_init(paper(&x, i), &model->ctx->m);
    int rc = api_guarded(model->ctx, export_job, &x);
    export_done(&x);
    return rc;
}
