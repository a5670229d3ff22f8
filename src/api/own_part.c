/* A run of several processes of which each compiles its own part of the model.
 *
 * The flat model of the whole is small beside what is compiled from it. Where it can be divided (flat/flat_part.h) and
 * the run records a selection, every process makes it, keeps what it needs of it, and goes on with that: structure, code and run
 * are those of a small model. Process 0 decides, by the model and by its options, before anything is analysed; the
 * others are told (SHARE_OWN), and come to the same parts by themselves. If a part turns out to be no system of
 * differential equations in any of them, all make the whole model.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "base/team.h"
#include "flat/flat_part.h"
#include "run/share.h"

#include <string.h>

/* ---- the part -------------------------------------------------------------------------------- */

/* The model goes to a new arena; what it had of its own besides the flat model comes along. */
static void part_move_out(vinc_model *m)
{
    arena_move(&m->a, &m->before);
    if (m->source) m->source = arena_strndup(&m->a, m->source, strlen(m->source));
    flat_override *lists[] = {m->overrides.at, m->derivatives.at};
    int n[] = {m->overrides.n, m->derivatives.n};
    m->overrides.at = m->derivatives.at = NULL;
    m->overrides.n = m->derivatives.n = 0;
    m->overrides.cap = m->derivatives.cap = 0;
    for (int i = 0; i < n[0]; i++)
        array_push(&m->a, &m->overrides, api_setting_copied(&m->a, &lists[0][i]));
    for (int i = 0; i < n[1]; i++)
        array_push(&m->a, &m->derivatives, api_setting_copied(&m->a, &lists[1][i]));
}

static void part_keep(vinc_model *m, const flat_division *d, int rank, const int *also, int n_also)
{
    part_move_out(m);
    flat_part *part = arena_new(&m->a, flat_part);
    m->flat = flat_restrict(d, rank, also, n_also, &m->before, &m->a, arena_inner(&m->ctx->scratch),
                            part);
    m->part = part;
    m->n_made = m->flat->pool->n;
    arena_done(&m->before);
}

int api_part_again(vinc_model *m, const flat_part *like)
{
    flat_division d;
    const char *why;
    arena *scratch = arena_inner(&m->ctx->scratch);
    bool divided = flat_divide(m->flat, like->size, scratch, &d, &why);
    if (divided) part_keep(m, &d, like->rank, like->also, like->n_also);
    arena_done(scratch);
    return divided ? VINC_OK : VINC_E_MODEL;
}

/* ---- what is recorded ------------------------------------------------------------------------ */

typedef struct part_selection {
    vinc_sim *s;
    const flat_division *d;
    char *vars;
    result *tried; // columns that the selection may mean
    int_array also;
    arena *a;
    bool open; // it needs what process 0 has not
} part_selection;

static result_kind part_kind(uint8_t type)
{
    return type == TYPE_REAL ? RESULT_REAL : type == TYPE_BOOLEAN ? RESULT_BOOL : RESULT_INT;
}

/* Derivatives of states that are others' are not known here. */
static int part_choose(part_selection *x, int v, text *der)
{
    const flat_model *m = x->d->m;
    const flat_var *f = flat_at(m, v);
    const char *name = FLAT_NAME(m, v);
    const char *unit = f->attr && f->attr->unit ? f->attr->unit : "";
    bool constant = f->variability <= FLAT_PARAMETER;
    int rc = RESULT_OK;
    if (x->d->place[v] >= 0) {
        text_clear(der);
        text_printf(der, "der(%s)", name);
        if (result_may_select(x->vars, text_str(der))) {
            x->open = x->open || x->d->place[v] >= x->d->first[1];
            rc = result_add(x->tried, text_str(der), "", "", RESULT_REAL);
        }
    }
    if (rc < 0 || !result_may_select(x->vars, name)) return rc;
    array_push(x->a, &x->also, v);
    return constant ? result_add_constant(x->tried, name, unit, "", part_kind(f->type), 0)
                    : result_add(x->tried, name, unit, "", part_kind(f->type));
}

/* Variables that process 0 reads for its rows. False: the selection is wrong, or asks for too much. */
static bool part_select(part_selection *x)
{
    vinc_sim *s = x->s;
    const flat_model *m = x->d->m;
    result_selection selection;
    result_fault fault = {0};
    x->vars = arena_strndup(x->a, s->callbacks.vars, strlen(s->callbacks.vars));
    text_squeeze_name(x->vars);
    text der;
    text_init(&der, &s->model->ctx->m);
    int rc = result_new(&s->m, &x->tried);
    for (int v = 0; v < m->vars.n && rc >= 0 && !x->open; v++) rc = part_choose(x, v, &der);
    text_done(&der);
    if (rc >= 0) rc = result_add_formulas(x->tried, s->callbacks.vars, &fault);
    if (rc >= 0) rc = result_select(x->tried, s->callbacks.vars, &selection, &fault);
    if (rc >= 0) result_selection_done(&selection);
    result_free(x->tried);
    if (rc < 0 || x->open) return false;
    uint8_t *marks = arena_array(x->a, uint8_t, m->vars.n);
    int needs = flat_mark_part(x->d, 0, x->also.at, x->also.n, x->a, marks);
    return flat_part_is_small(x->d, needs);
}

/* ---- whether it is done ---------------------------------------------------------------------- */

/* A run that asks for no more than rows of a selection. */
static bool part_suffices(const vinc_sim *s)
{
    const vinc_sim_options *o = &s->callbacks;
    return o->vars && o->only_vars && !o->from && !o->checkpoint && !o->keep_end && !o->input_csv &&
           !o->sens && !o->follow && !o->lend && !o->detail && !o->chart && !o->n_ends &&
           !s->formulation && !s->as_given && !s->equilibrium && !s->verify &&
           !s->model->derivatives.n && !s->options.log && !(s->options.step > 0);
}

static int part_decide(void *job)
{
    vinc_sim *s = job;
    vinc_model *m = s->model;
    vinc_ctx *ctx = m->ctx;
    flat_division d;
    const char *why;
    double begin = api_clock(), word = SHARE_OWN;
    arena *scratch = arena_inner(&ctx->scratch);
    part_selection x = {.s = s, .d = &d, .a = scratch};
    watch_doing(&ctx->watch, "dividing", m->about.name);
    bool divided = flat_divide(m->flat, ctx->ranks, scratch, &d, &why);
    if (divided && !ctx->rank) divided = part_select(&x);
    if (divided && !ctx->rank) {
        ctx->team->from_first(&word, 1);
        ctx->awaited = false;
    }
    if (divided) part_keep(m, &d, ctx->rank, x.also.at, x.also.n);
    arena_done(scratch);
    m->wall.flatten += api_clock() - begin;
    return divided || !ctx->rank ? VINC_OK : VINC_E_MODEL; // the others know that it can be
}

int api_part_take(vinc_sim *s)
{
    const vinc_sim_options *o = &s->callbacks;
    vinc_model *m = s->model;
    vinc_ctx *ctx = m->ctx;
    enum { OF_CALLER_AND_RUN = 2 };
    if (!o->distributed || !o->part_only || !ctx->team || ctx->ranks < 2 || s->inner)
        return VINC_OK;
    if (m->part || m->structure || m->refs != OF_CALLER_AND_RUN) return VINC_OK;
    bool asked = ctx->rank ? ctx->parted : ctx->awaited && part_suffices(s);
    ctx->parted = false;
    return asked ? api_aside(ctx, part_decide, s) : VINC_OK;
}

/* ---- its unknowns ---------------------------------------------------------------------------- */

/* By variable of the part, the component of y that is its value; false: they are not the states. */
static bool part_order(const form_system *f, const flat_part *part, int *y_of, int *order)
{
    int n = part->n_own + part->n_halo;
    if (f->unknowns.n != n) return false;
    for (int i = 0; i < n; i++) {
        int entry = f->unknowns.at[i].entry;
        if (entry < 0 || structure_order_of(f->s, entry) || !f->unknowns.at[i].differential)
            return false;
        y_of[f->s->unknowns.at[f->s->entries.at[entry].unknown].var] = i + 1;
    }
    for (int k = 0; k < n; k++) {
        order[k] = y_of[part->var[k]] - 1;
        if (order[k] < 0) return false;
    }
    return true;
}

static int part_number(void *job)
{
    vinc_sim *s = job;
    const flat_part *part = s->model->part;
    int *y_of = arena_array(&s->model->ctx->scratch, int, s->model->flat->vars.n);
    int *order = arena_array(&s->a, int, part->n_own + part->n_halo);
    run_share_part *x = arena_new(&s->a, run_share_part);
    *x = (run_share_part){part->n_all, part->n_own, part->n_halo, part->first, order, part->place};
    if (part_order(s->code->form, part, y_of, order)) s->part = x;
    return VINC_OK;
}

/* The whole after all. */
static int part_undo(void *job)
{
    vinc_model *m = job;
    vinc_ctx *ctx = m->ctx;
    lang_library *lib = &ctx->library;
    const char *name = m->about.name;
    bool external = lib->allow_external;
    part_move_out(m);
    api_free_compiled(m);
    m->compiled = NULL;
    m->standard = NULL;
    m->structure = NULL;
    m->as_loaded = m->flat = NULL;
    m->part = NULL;
    m->refused = m->touched = false;
    arena_done(&m->before);
    lib->allow_external = m->allow_external;
    lib->as_of = m->n_sources;
    ast_class *c = lang_find(lib, name);
    int rc = c ? api_compile(m, c, API_FLAT, NULL, NULL) : VINC_E_MODEL;
    lib->as_of = 0;
    lib->allow_external = external;
    return rc;
}

int api_part_settle(vinc_sim *s, int rc, int (*compile)(void *sim))
{
    vinc_model *m = s->model;
    if (!m->part) return rc;
    if (!rc) rc = api_aside(m->ctx, part_number, s);
    if (rc == VINC_E_MEMORY) return rc;
    double wrong = rc != VINC_OK || !s->part;
    m->ctx->team->most(&wrong, 1);
    if (!(wrong > 0)) return VINC_OK;
    s->part = NULL;
    rc = api_aside(m->ctx, part_undo, m);
    return rc ? rc : api_aside(m->ctx, compile, s);
}
