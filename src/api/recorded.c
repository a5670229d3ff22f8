/* --verify: the equations of the model at the rows that were recorded.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/run.h"
#include "run/slide.h"

#include <math.h>
#include <string.h>

static bool switches(const expr_pool *p, const flat_equation *e, arena *a)
{
    expr sides[] = {e->lhs, e->rhs};
    if (!flat_is_written(e)) return false; // plain
    int_array all = expr_reach(p, sides, 2, a);
    for (int i = 0; i < all.n; i++) {
        expr_op op = expr_at(p, all.at[i])->op;
        if (op == EXPR_IF || op == EXPR_SIGN || operator_class(op) == CLASS_REL) return true;
    }
    return false;
}

/* A formulation that drifts does not promise what it does not solve: constraints as written. While a
 * motion slides, what switches has a value between those of its two sides. */
static const bool *not_promised(const vinc_sim *s, arena *a)
{
    const structure *t = s->model->structure;
    slide_stretch list[SLIDE_STRETCHES];
    bool drifts = s->code->summary.drifts && s->code->formulation.project == IMAGE_PROJECT_NONE;
    bool slid = slide_stretches(s->state, s->done.t_end, list) > 0;
    if (!drifts && !slid) return NULL;
    bool *skip = arena_array(a, bool, t->flat->equations.n + 1);
    for (int i = 0; i < t->equations.n && drifts; i++) {
        const structure_equation *e = &t->equations.at[i];
        if (e->flat >= 0 && e->c > 0) skip[e->flat] = true;
    }
    for (int i = 0; i < t->flat->equations.n && slid; i++)
        if (switches(t->flat->pool, &t->flat->equations.at[i], a)) skip[i] = true;
    return skip;
}

static int keep_recorded(void *job)
{
    vinc_sim *s = job;
    inspect_recorded *x = &s->recorded;
    if (x->unchecked) x->unchecked = arena_strndup(&s->said, x->unchecked, strlen(x->unchecked));
    if (x->claim) x->claim = arena_strndup(&s->said, x->claim, strlen(x->claim));
    if (!(x->worst > INSPECT_ROW_LIMIT)) return VINC_OK;
    if (isfinite(x->worst))
        diag_warning(
            s->sink, "R125", x->at,
            "at t = %.10g the values recorded do not satisfy %s: %.10g on the left, %.10g on "
            "the right, %.3g times what the tolerance allows. Take a smaller tolerance or "
            "another method",
            x->t, x->claim, x->left, x->right, x->worst);
    else
        diag_warning(s->sink, "R125", x->at,
                     "at t = %.10g the values recorded do not satisfy %s, which must hold exactly: "
                     "%.10g and %.10g",
                     x->t, x->claim, x->left, x->right);
    return VINC_OK;
}

static int check_recorded(void *job)
{
    vinc_sim *s = job;
    arena *a = &s->model->ctx->scratch;
    double abs_tol = s->options.abs_tol > 0 ? s->options.abs_tol : s->options.rel_tol;
    inspect_rows(s->model->flat, s->result.r, s->options.rel_tol, abs_tol, not_promised(s, a), a,
                 &s->recorded);
    place p = source_place(&s->model->ctx->library.sources, s->recorded.at.begin);
    s->recorded_file = p.file ? p.file->path : NULL;
    s->recorded_line = p.line;
    return api_run_guarded(s, keep_recorded, s);
}

int api_check_recorded(vinc_sim *s)
{
    int rc = api_guarded(s->model->ctx, check_recorded, s);
    if (rc < 0) s->recorded = (inspect_recorded){0}; // its words are gone
    return rc;
}
