/* What a model was compiled from is given back, and made again.
 *
 * A run needs programs, columns and tables of unknowns. Equations, their expressions and the order of
 * their solution are as large as all that together, and are read for messages and by analyses only. Once
 * a run of a large model is ready they go back to the system; the model is bare then. Whatever is asked
 * of it under the guard, and messages of runs (code_has_origin), first make them again: by the same
 * stages from the same texts, which the context keeps, so that they come out the same; numbers of nodes,
 * equations and variables in what stayed hold in what is new. That they did is checked.
 *
 * It happens once: what somebody has asked for stays. It happens only while nobody else holds the model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "code/model_parts.h"

/* Blocks go back to the system at once where they are large (base/pages.h). A model with less than a few
 * of them keeps what it has. */
#ifndef API_ORIGIN_BYTES_MIN
#define API_ORIGIN_BYTES_MIN (4 * (size_t)PAGES_LARGE_BYTES)
#endif

/* ---- what goes, and what takes its place ----------------------------------------------------- */

enum { ORIGIN_LISTS_MAX = 200, ORIGIN_FORMULATIONS_MAX = 8 };

typedef struct origin_list {
    void *at;
    size_t bytes;
} origin_list;

/* A walk over all that goes. Several owners may show one list. Counts stay where they are. */
typedef struct origin_walk {
    bool takes; // what was made again is put in place; otherwise: all is gathered and let go
    int n;
    origin_list lists[ORIGIN_LISTS_MAX];
    size_t bytes;
} origin_walk;

static void origin_gather(origin_walk *w, void *list, size_t bytes)
{
    for (int i = 0; i < w->n; i++)
        if (w->lists[i].at == list) return;
    w->lists[w->n++] = (origin_list){list, bytes};
    w->bytes += bytes;
}

static void *origin_visit(origin_walk *w, void *list, size_t bytes, void *again)
{
    if (w->takes) return again;
    if (list) origin_gather(w, list, bytes);
    return NULL;
}

#define ORIGIN_VISIT(w, owner, again, member, n)                                                   \
    (owner)->member =                                                                              \
        origin_visit(w, (void *)(owner)->member, (size_t)(n) * sizeof *(owner)->member,            \
                     (again) ? (void *)(again)->member : NULL)

static void visit_pool(origin_walk *w, expr_pool *p, const expr_pool *again)
{
    ORIGIN_VISIT(w, p, again, node, p->n);
    ORIGIN_VISIT(w, p, again, list, p->n_list);
    if (again) p->cap = again->cap, p->cap_list = again->cap_list;
}

static void visit_flat(origin_walk *w, flat_model *f, const flat_model *again)
{
    ORIGIN_VISIT(w, f, again, equations.at, f->equations.n);
}

static void visit_structure(origin_walk *w, structure *s, const structure *again)
{
    ORIGIN_VISIT(w, s, again, equations.at, s->equations.n);
    ORIGIN_VISIT(w, s, again, written.at, s->written.n);
    ORIGIN_VISIT(w, s, again, blocks.at, s->blocks.n);
    ORIGIN_VISIT(w, s, again, block_items, 2 * s->equations.n);
}

static void visit_form(origin_walk *w, form_system *f, const form_system *again)
{
    ORIGIN_VISIT(w, f, again, assignments.at, f->assignments.n);
    ORIGIN_VISIT(w, f, again, rhs, f->unknowns.n);
    ORIGIN_VISIT(w, f, again, functions.at, f->functions.n);
}

static void visit_compiled(origin_walk *w, const api_compiled *c, const api_compiled *again)
{
    form_system *f = c->form, *o = again ? again->form : NULL;
    visit_form(w, f, o);
    if (f->initial != f) visit_form(w, (form_system *)f->initial, o ? o->initial : NULL);
    structure *view = (structure *)c->code->s; // what runs see of it (code/lower_model.c)
    const structure *other = again ? again->code->s : NULL;
    visit_structure(w, view, other);
    visit_pool(w, view->pool, other ? other->pool : NULL);
}

static void visit_origin(origin_walk *w, vinc_model *m, const vinc_model *again)
{
    const api_compiled *o = again ? again->compiled : NULL;
    for (const api_compiled *c = m->compiled; c; c = c->next) {
        visit_compiled(w, c, o);
        if (o) o = o->next;
    }
    visit_structure(w, m->structure, again ? again->structure : NULL);
    visit_flat(w, m->flat, again ? again->flat : NULL);
    visit_flat(w, (flat_model *)m->as_loaded, again ? again->as_loaded : NULL);
    visit_pool(w, m->flat->pool, again ? again->flat->pool : NULL);
}

/* Tables of unknowns and entries: a run whose unknowns are all integrated needs them to begin, and again
 * when it begins anew. */
static void visit_form_tables(origin_walk *w, form_system *f, const form_system *again)
{
    ORIGIN_VISIT(w, f, again, unknowns.at, f->unknowns.n);
    ORIGIN_VISIT(w, f, again, rows.at, f->rows.n);
    ORIGIN_VISIT(w, f, again, places, f->s->entries.n);
}

/* The compiled model shows the same lists. */
static void visit_formulation(origin_walk *w, code_model *m, const code_model *other)
{
    image_formulation *f = &m->formulation;
    const image_formulation *again = other ? &other->formulation : NULL;
    ORIGIN_VISIT(w, f, again, unknowns, m->n);
    ORIGIN_VISIT(w, f, again, rows, m->n);
    ORIGIN_VISIT(w, f, again, places, f->n_entries);
    if (m->initial != m) visit_formulation(w, m->initial, other ? other->initial : NULL);
}

/* Events, ticks and inputs look up the places of discrete variables. */
static bool runs_ask_for_roles(const structure *s)
{
    return s->discrete.n || s->conditions.n || s->first.n || s->inputs.n || s->subs.n ||
           s->held.n || s->bases.n;
}

static void visit_structure_tables(origin_walk *w, structure *s, const structure *again)
{
    ORIGIN_VISIT(w, s, again, unknowns.at, s->unknowns.n);
    ORIGIN_VISIT(w, s, again, entries.at, s->entries.n);
    ORIGIN_VISIT(w, s, again, attributes.at, s->attributes.n);
    if (!runs_ask_for_roles(s)) ORIGIN_VISIT(w, s, again, vars, s->n_flat);
}

static void visit_tables(origin_walk *w, vinc_model *m, const vinc_model *again)
{
    const api_compiled *o = again ? again->compiled : NULL;
    for (const api_compiled *c = m->compiled; c; c = c->next) {
        form_system *f = c->form, *g = o ? o->form : NULL;
        visit_form_tables(w, f, g);
        visit_formulation(w, c->code, o ? o->code : NULL);
        if (f->initial != f) visit_form_tables(w, (form_system *)f->initial, g ? g->initial : NULL);
        visit_structure_tables(w, (structure *)c->code->s, o ? o->code->s : NULL);
        if (o) o = o->next;
    }
    visit_structure_tables(w, m->structure, again ? again->structure : NULL);
}

static void origin_free_lists(vinc_model *m, const origin_walk *w)
{
    for (int i = 0; i < w->n; i++) arena_resize(&m->a, w->lists[i].at, w->lists[i].bytes, 0);
}

/* Is it the same, so that what stayed fits it? */
static bool origin_same(const vinc_model *m, const vinc_model *x)
{
    const structure *s = m->structure, *t = x->structure;
    bool same = m->flat->vars.n == x->flat->vars.n &&
                m->flat->equations.n == x->flat->equations.n &&
                m->as_loaded->equations.n == x->as_loaded->equations.n &&
                s->equations.n == t->equations.n && s->blocks.n == t->blocks.n &&
                s->written.n == t->written.n && s->entries.n == t->entries.n &&
                s->unknowns.n == t->unknowns.n && s->n_w == t->n_w;
    const api_compiled *o = x->compiled;
    for (const api_compiled *c = m->compiled; c && same; c = c->next, o = o->next)
        same = c->form->assignments.n == o->form->assignments.n &&
               c->form->unknowns.n == o->form->unknowns.n && c->code->n_w == o->code->n_w &&
               c->form->initial->unknowns.n == o->form->initial->unknowns.n;
    return same && m->flat->pool->n == x->flat->pool->n &&
           m->fingerprint == expr_fingerprint(x->flat->pool);
}

/* ---- giving back ----------------------------------------------------------------------------- */

/* Nobody else holds the model, nothing was made of it but what its texts give, and there are no assertions,
 * which runs that go well may have to speak of. */
static bool origin_goes(const vinc_model *m)
{
    enum { OF_CALLER_AND_RUN = 2 };
    int n = 0;
    for (const api_compiled *c = m->compiled; c; c = c->next, n++)
        if (c->varied || c->response) return false;
    return m->refs == OF_CALLER_AND_RUN && !m->again && m->as_loaded && m->structure && n &&
           !m->structure->actions.n && !m->touched && n <= ORIGIN_FORMULATIONS_MAX &&
           m->flat->pool->n == m->n_made;
}

static size_t origin_bytes(const vinc_model *m)
{
    const structure *s = m->structure;
    return (size_t)m->flat->pool->n * sizeof(expr_node) +
           (size_t)s->equations.n * (sizeof(structure_equation) + sizeof(flat_equation)) +
           (size_t)s->blocks.n * sizeof(structure_block);
}

static int give_back(void *job)
{
    vinc_model *m = job;
    origin_walk w = {0};
    m->fingerprint = expr_fingerprint(m->flat->pool);
    visit_origin(&w, m, NULL);
    origin_free_lists(m, &w);
    m->next_bare = m->ctx->bare;
    m->ctx->bare = m;
    atomic_store(&m->origin.gone, true);
    return VINC_OK;
}

void api_give_back_origin(vinc_model *m)
{
    api_lock(m->ctx);
    if (!atomic_load(&m->origin.gone) && origin_goes(m) && origin_bytes(m) >= API_ORIGIN_BYTES_MIN)
        api_remade(m->ctx, give_back, m); // where there is no memory for it, nothing goes
    if (atomic_load(&m->origin.gone)) pages_return_holes(&m->ctx->pages);
    api_unlock(m->ctx);
}

void api_give_back_tables(vinc_model *m, const code_model *of)
{
    enum { OF_CALLER_AND_RUN = 2 };
    api_lock(m->ctx);
    if (atomic_load(&m->origin.gone) && !atomic_load(&m->origin.tables_gone) &&
        m->refs == OF_CALLER_AND_RUN && !m->compiled->next && code_runs_without_tables(of)) {
        origin_walk w = {0};
        visit_tables(&w, m, NULL);
        origin_free_lists(m, &w);
        atomic_store(&m->origin.tables_gone, true);
    }
    api_unlock(m->ctx);
}

/* ---- making again ---------------------------------------------------------------------------- */

static int compile_again(vinc_model *x, const api_compiled *like)
{
    const api_compiled *made;
    int rc = like->next ? compile_again(x, like->next) : VINC_OK; // the oldest first
    return rc ? rc : api_compile(x, NULL, API_TAPES, like->spec, &made);
}

static int origin_make(void *job)
{
    vinc_model *m = job, *x = m->again;
    vinc_ctx *ctx = m->ctx;
    ast_class *c = lang_find(&ctx->library, m->about.name);
    if (!c || c->span.begin != m->at.begin || c->span.end != m->at.end) return VINC_E_MODEL;
    int rc = api_compile(x, c, API_FLAT, NULL, NULL);
    if (!rc && m->part) rc = api_part_again(x, m->part);
    if (!rc) rc = api_compile(x, c, API_STRUCTURE, NULL, NULL);
    if (!rc) rc = compile_again(x, m->compiled);
    return rc ? rc : origin_same(m, x) ? VINC_OK : VINC_E_MODEL;
}

void api_forget_bare(vinc_model *m)
{
    api_lock(m->ctx);
    vinc_model **at = &m->ctx->bare;
    while (*at && *at != m) at = &(*at)->next_bare;
    if (*at) *at = m->next_bare;
    api_unlock(m->ctx);
}

static void origin_put(vinc_model *m)
{
    bool tables = atomic_load(&m->origin.tables_gone);
    origin_walk w = {.takes = true}, twice = {0};
    visit_origin(&w, m, m->again);
    if (tables) visit_tables(&w, m, m->again);
    else visit_tables(&twice, m->again, NULL); // they are there
    origin_free_lists(m->again, &twice);
    api_forget_bare(m);
    atomic_store(&m->origin.tables_gone, false);
    atomic_store(&m->origin.gone, false);
}

static int say_changed(void *job)
{
    const vinc_model *m = job;
    diag_error(&m->ctx->diags, "C202", m->at,
               "'%s' cannot be asked any more: what it was compiled from was given back, and its "
               "texts are no longer those that it was loaded from; load it again",
               m->about.name);
    return VINC_OK;
}

/* Its own arena stays with the model; of what it compiled nothing does. */
static int origin_remake(vinc_model *m)
{
    vinc_ctx *ctx = m->ctx;
    lang_library *lib = &ctx->library;
    diag_sink said = ctx->diags;
    bool external = lib->allow_external;
    vinc_model *x = mem_try(&ctx->m, sizeof *x);
    if (!x) return VINC_E_MEMORY;
    *x = (vinc_model){
        .ctx = ctx, .refs = 1, .at = m->at, .exchanged = m->exchanged, .overrides = m->overrides};
    arena_init(&x->a, &ctx->m);
    arena_init(&x->before, &ctx->m);
    m->again = x;
    ctx->diags.n_errors = 0;
    lib->allow_external = m->allow_external;
    lib->as_of = m->n_sources;
    int rc = api_remade(ctx, origin_make, m);
    lib->as_of = 0;
    lib->allow_external = external;
    diag_forget_since(&ctx->diags, said);
    if (rc == VINC_E_MODEL) api_said(ctx, say_changed, m);
    if (!rc) origin_put(m);
    api_free_compiled(x);
    x->compiled = NULL;
    if (rc) api_free_origin(m);
    return rc;
}

int api_whole(vinc_model *m)
{
    api_lock(m->ctx);
    int rc = atomic_load(&m->origin.gone) ? origin_remake(m) : VINC_OK;
    api_unlock(m->ctx);
    return rc;
}

int api_all_whole(vinc_ctx *ctx)
{
    int rc = VINC_OK;
    api_lock(ctx);
    while (ctx->bare && !rc) rc = api_whole(ctx->bare);
    api_unlock(ctx);
    return rc;
}

static bool origin_asked(void *model)
{
    return api_whole(model) == VINC_OK;
}

void api_set_origin(vinc_model *m, code_model *code)
{
    m->origin.remake = origin_asked;
    m->origin.of = m;
    code_set_origin(code, &m->origin);
}

void api_free_origin(vinc_model *m)
{
    vinc_model *x = m->again;
    m->again = NULL;
    if (!x) return;
    arena_done(&x->a);
    arena_done(&x->before);
    mem_free(&m->ctx->m, x, sizeof *x);
}
