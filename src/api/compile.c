/* The compiler: api_compile, at the end, is all of it on one screen.
 *
 *     class ─► flat model ─► structure ─► formulation ─► tapes
 *
 * A stage is made when it is first needed and is never changed afterwards, so that any number of
 * runs in any number of threads share it. Everything here happens inside the guard of api_guarded,
 * that is, under the lock of the context.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "code/response.h"
#include "code/tangent.h"
#include "code/variation.h"
#include "inspect/inspect.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

/* Between stages others may have made nodes, to print the flat model for one: what is numbered from then
 * on does not follow from the texts alone. */
static void stage_begins(vinc_model *m)
{
    m->touched = m->touched || m->flat->pool->n != m->n_made;
}

static void stage_ends(vinc_model *m)
{
    m->n_made = m->flat->pool->n;
}

/* ---- flat model and structure ---------------------------------------------------------------- */

static int make_flat(vinc_model *m, ast_class *c)
{
    vinc_ctx *ctx = m->ctx;
    double begin = api_clock();
    watch_doing(&ctx->watch, "flattening", c->name);
    m->flat = flat_build(&ctx->library, c, m->overrides.at, m->overrides.n, &m->a, &ctx->scratch,
                         &ctx->diags);
    m->wall.flatten = api_clock() - begin;
    m->n_sources = ctx->library.sources.files.n;
    m->allow_external = ctx->library.allow_external;
    if (m->flat && m->exchanged) flat_exchange(m->flat);
    if (m->flat) stage_ends(m), m->about = code_about(m->flat);
    return m->flat && !ctx->diags.n_errors ? VINC_OK : VINC_E_MODEL;
}

static int make_structure(vinc_model *m)
{
    vinc_ctx *ctx = m->ctx;
    if (m->refused) { // asked again: the same answer
        diag_copy(&ctx->diags, &m->why_refused);
        if (!m->why_refused.n_errors)
            diag_error(&ctx->diags, "C184", m->at,
                       "the analysis of '%s' was stopped before its end; load the model again",
                       m->flat->name);
        return VINC_E_MODEL;
    }
    double begin = api_clock();
    diag_sink sink;
    diag_init(&sink, &m->a);
    watch_doing(&ctx->watch, "analysing the structure of", m->about.name);
    m->refused = true; // unless it comes to its end
    stage_begins(m);
    m->flat->n_nodes = (int)m->flat->pool->n;
    m->as_loaded = m->flat;
    m->flat = flat_borrow(m->flat, &m->a);
    m->structure = structure_analyze(m->flat, &m->a, &ctx->scratch, &sink);
    m->wall.structure = api_clock() - begin;
    stage_ends(m);
    m->why_refused = sink;
    m->refused = !m->structure;
    diag_copy(&ctx->diags, &sink);
    return m->structure ? VINC_OK : VINC_E_MODEL;
}

/* ---- formulations ---------------------------------------------------------------------------- */

/* Was it the formulation's name or a parameter of it, not the model, that was wrong? */
static bool is_wrong_name(const vinc_ctx *ctx, const char *spec)
{
    if (!form_find(spec)) return true;
    const char *code = ctx->diags.last ? ctx->diags.last->code : "";
    return !strcmp(code, "S201") || !strcmp(code, "S205");
}

static const api_compiled *find_compiled(const vinc_model *m, const char *spec)
{
    for (const api_compiled *x = m->compiled; x; x = x->next)
        if (!strcmp(x->spec, spec)) return x;
    return NULL;
}

/* Formulation and tapes. Machine code is held outside the arena: nothing may jump before the model
 * knows of it. */
static int make_tapes(vinc_model *m, const char *spec, const api_compiled **out)
{
    vinc_ctx *ctx = m->ctx;
    *out = find_compiled(m, spec);
    if (*out) return VINC_OK;
    int rc = api_whole(m);
    if (rc) return rc;
    double begin = api_clock();
    watch_doing(&ctx->watch, "compiling", m->about.name);
    stage_begins(m);
    api_compiled *x = arena_new(&m->a, api_compiled);
    x->spec = arena_strndup(&m->a, spec, strlen(spec));
    x->form = form_apply(m->structure, spec, &m->a, &ctx->scratch, &ctx->diags);
    if (!x->form) return is_wrong_name(ctx, spec) ? VINC_E_OPTION : VINC_E_MODEL;
    rc = code_lower(x->form, &m->a, &ctx->scratch, &ctx->m, &ctx->diags, &x->code);
    if (rc) return rc;
    api_set_origin(m, x->code);
    stage_ends(m);
    x->next = m->compiled;
    m->compiled = x;
    x->wall = api_clock() - begin;
    *out = x;
    return VINC_OK;
}

/* ---- the default formulation ----------------------------------------------------------------- */

typedef struct standard {
    const char *spec, *why;
} standard;

/* The equations as written take less work a step where index reduction adds equations, but methods hold accelerations and
 * reactions to the tolerance at index 1 alone (docs/choice.md). */
static const standard by_rule = {"dummy", "accelerations and reactions are held to the tolerance"},
                      of_redundant = {"project", "constraints depend on each other"},
                      of_undecided = {"direct", "constraints differentiated leave unknowns open"};

typedef struct trial {
    run_state *state;
    double t0, *y, *yp;
    arena *scratch;
    text why;
    int redundant;
    bool undecided;
} trial;

static int try_start(void *job)
{
    trial *x = job;
    diag_sink unheard;
    diag_init(&unheard, x->scratch);
    start_report report;
    start_options o = {0};
    int rc = run_begin(x->state, x->t0, &x->why);
    if (rc) return rc;
    rc = start_values(x->state, x->t0, &o, x->y, x->yp, &report, &unheard);
    if (rc >= 0) x->redundant = inspect_redundant(x->state, x->t0, x->y, x->yp);
    if (rc >= 0) x->undecided = inspect_undecided(x->state, x->t0, x->y, x->yp, x->scratch);
    return rc;
}

/* `dummy` needs independent constraints. Whether they are shows in numbers, at the start values of
 * the model; a run with other values that are not finds out and says so. It also needs
 * derivatives of them that decide something: a resistance of zero may take that from them. The
 * equations as written still do. */
static int find_better(vinc_model *m, const api_compiled *made, const standard **better)
{
    *better = &by_rule;
    if (!m->structure->constraints.n) return VINC_OK;
    vinc_ctx *ctx = m->ctx;
    size_t n = (size_t)made->form->unknowns.n + 1;
    double start = m->about.start;
    mem plain = ctx->m;
    plain.guard = NULL;
    trial x = {.t0 = isnan(start) ? 0 : start, .scratch = &ctx->scratch};
    x.y = arena_array(&ctx->scratch, double, 2 * n);
    x.yp = x.y + n;
    int rc = run_new(made->code, &plain, &x.state);
    if (rc) return rc;
    text_init(&x.why, &plain);
    if (run_problem(x.state)->regularity) rc = mem_guarded(&ctx->m, try_start, &x, VINC_E_MEMORY);
    text_done(&x.why);
    run_free(x.state);
    *better = x.redundant > 0 ? &of_redundant : x.undecided ? &of_undecided : &by_rule;
    return rc == VINC_E_MEMORY ? rc : VINC_OK; // what else went wrong the run will say
}

int api_compile_tangent(vinc_model *m, const api_compiled *made, const code_tangent **out)
{
    api_compiled *x = m->compiled;
    int rc = VINC_OK;
    while (x != made) x = x->next;
    double begin = api_clock();
    if (!x->tangent) rc = api_whole(m);
    if (!rc && !x->tangent)
        rc = code_lower_tangent(x->code, &m->a, &m->ctx->scratch, &m->ctx->m, &x->tangent);
    x->wall += api_clock() - begin;
    *out = x->tangent;
    return rc;
}

int api_compile_response(vinc_model *m, const api_compiled *made, const code_response **out)
{
    api_compiled *x = m->compiled;
    int rc = VINC_OK;
    while (x != made) x = x->next;
    if (!x->response) rc = api_whole(m);
    if (!rc && !x->response)
        rc = code_lower_response(x->code, &m->a, &m->ctx->scratch, &m->ctx->m, &x->response);
    *out = x->response;
    return rc;
}

int api_compile_variation(vinc_model *m, const api_compiled *made, const int *asked, int n,
                          const code_variation **out)
{
    api_compiled *x = m->compiled;
    while (x != made) x = x->next;
    for (const api_varied *v = x->varied; v; v = v->next)
        if (v->code->n_asked == n &&
            (!n || !memcmp(v->code->asked, asked, (size_t)n * sizeof *asked)))
            return *out = v->code, VINC_OK;
    int rc = api_whole(m);
    if (rc) return rc;
    double begin = api_clock();
    api_varied *v = arena_new(&m->a, api_varied);
    v->code = code_lower_variation(x->code, asked, n, &m->a, &m->ctx->scratch);
    rc = code_variation_compile(v->code, &m->ctx->m);
    if (rc) {
        code_variation_free(v->code);
        return rc;
    }
    v->next = x->varied;
    x->varied = v;
    x->wall += api_clock() - begin;
    *out = v->code;
    return VINC_OK;
}

void api_free_compiled(vinc_model *m)
{
    for (api_compiled *x = m->compiled; x; x = x->next) {
        code_model_free(x->code);
        code_tangent_free(x->tangent);
        code_response_free(x->response);
        for (api_varied *v = x->varied; v; v = v->next) code_variation_free(v->code);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

int api_compile(vinc_model *m, ast_class *c, api_stage until, const char *spec,
                const api_compiled **out)
{
    int rc = VINC_OK;
    if (!m->flat) rc = make_flat(m, c);
    if (!rc && until >= API_STRUCTURE && !m->structure) rc = make_structure(m);
    if (rc || until < API_TAPES) return rc;
    rc = api_needs_blas(m->ctx);
    if (rc) return rc;

    if (spec) return make_tapes(m, spec, out);
    *out = m->standard;
    if (m->standard) return VINC_OK;
    const standard *chosen = &by_rule;
    rc = make_tapes(m, by_rule.spec, out);
    if (!rc) rc = find_better(m, *out, &chosen);
    if (!rc && chosen != &by_rule) rc = make_tapes(m, chosen->spec, out);
    if (rc) return rc;
    m->standard = *out;
    m->standard_why = chosen->why;
    return VINC_OK;
}
