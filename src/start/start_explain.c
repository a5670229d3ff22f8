/* Why no start values were found.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/watch.h"
#include "run/entry_names.h"
#include "run/undefined.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

/* The equation that is row i; e NULL: what it says is not kept. */
static void add_equation(const start *a, int i, const image_equation *e, bool more, text *out)
{
    if (e) {
        text_add(out, e->text);
        if (more) start_add_circumstances(a->s, e, out);
        return;
    }
    int_array entries = start_row_entries(a, i, a->sink->a);
    text_add(out, "this equation of ");
    for (int k = 0; k < entries.n && k < START_SHOWN; k++) {
        text_add(out, k ? ", '" : "'");
        run_add_name(a->m, entries.at[k], out);
        text_char(out, '\'');
    }
    if (entries.n > START_SHOWN) text_printf(out, " and %d more", entries.n - START_SHOWN);
}

/* `more`: with what holds of its parameters and media. */
static void explain_row_text(const start *a, int i, bool more, text *out, span *at)
{
    const image_equations *words = &a->m->equations;
    if (i < a->n_rows) {
        const image_row *row = &a->m->formulation.rows[a->rows[i]];
        *at = (span){0, 0};
        if (row->equation < 0) return;
        if (row->derivative)
            text_printf(out, "%s derivative of ", row->derivative == 1 ? "the" : "a higher");
        *at = image_written_at(words, row->equation);
        add_equation(a, i, words->at ? &words->at[row->equation] : NULL, more, out);
        return;
    }
    int k = a->active[i - a->n_rows];
    const code_extra *x = &a->x->rows[k];
    *at = x->at;
    if (x->entry >= 0) {
        run_add_name(a->m, x->entry, out);
        text_printf(out, " = %g (fixed start value)", run_start_of(a->s, x->entry));
    } else add_equation(a, i, words->conditions ? &words->conditions[k] : NULL, more, out);
}

static text scratch_text(const start *a)
{
    text t;
    text_init(&t, a->sink->a->m);
    return t;
}

static void note_moved(start *a)
{
    // The variables that moved most from their start values.
    for (int shown = 0; shown < START_SHOWN; shown++) {
        int best = -1;
        double most = 0;
        for (int i = 0; i < a->m->n; i++) {
            int e = start_entry(a, i);
            if (e < 0 || a->row_at[i] == -7) continue;
            double d = fabs(a->z[i] - run_start_of(a->s, e)) / run_nominal(a->s)[i];
            if (d > most) {
                most = d;
                best = i;
            }
        }
        if (best < 0) return;
        a->row_at[best] = -7; // shown
        int e = start_entry(a, best);
        text name = scratch_text(a);
        run_add_name(a->m, e, &name);
        diag_note(a->sink, image_declared_at(&a->m->entries, e),
                  "'%s' moved from its start value %.6g to %.6g", text_str(&name),
                  run_start_of(a->s, e), a->z[best]);
        text_done(&name);
    }
}

bool start_tell_undefined(const start *a)
{
    run_undefined u;
    if (!run_find_undefined(a->s, a->t, a->y, a->yp, a->sink->a, &u)) return false;
    undefined_tell(a->s, &u, "R212", a->sink);
    return true;
}

bool start_tell_endless(const start *a)
{
    run_undefined u;
    run_eval(a->s, &a->m->system.residual, a->t, a->y, a->yp, a->full, NULL);
    bool finite = true;
    for (int i = 0; i < a->m->n && finite; i++) finite = isfinite(a->full[i]);
    if (finite || !run_find_undefined(a->s, a->t, a->y, a->yp, a->sink->a, &u) || !u.cause.endless)
        return false;
    undefined_tell(a->s, &u, "R212", a->sink);
    return true;
}

/* Which unknowns the first block that was not solved has. */
static void note_culprit(start *a)
{
    const start_block *b = &a->culprit;
    text t = scratch_text(a), row = scratch_text(a);
    span at = {0, 0};
    for (int k = 0; k < b->n_cols && k < START_SHOWN; k++) {
        bool rate = b->cols[k] >= a->m->n;
        int i = rate ? a->z_yp[b->cols[k] - a->m->n] : b->cols[k], e = start_entry(a, i);
        if (e < 0) continue;
        text_add(&t, t.n ? ", '" : "'");
        run_add_name(a->m, e + rate, &t);
        text_char(&t, '\'');
    }
    if (b->n_cols > START_SHOWN) text_printf(&t, " and %d more", b->n_cols - START_SHOWN);
    if (b->n_rows) explain_row_text(a, b->rows[0], false, &row, &at);
    if (b->n_rows == 1 && b->n_cols)
        diag_note(a->sink, at, "in order, the first that was not solved is %s, for %s",
                  text_str(&row), text_str(&t));
    else if (b->n_rows && b->n_cols)
        diag_note(a->sink, at,
                  "in order, the first that were not solved are %d equations for %s, of which one "
                  "is %s",
                  b->n_rows, text_str(&t), text_str(&row));
    text_done(&t);
    text_done(&row);
}

void start_explain(start *a, int rc, const least_report *r)
{
    span at = {0, 0};
    watch *w = a->sink->a->m->watch;
    bool deaf = watch_deafen(w, true);
    text t = scratch_text(a);
    if (r->worst >= 0) explain_row_text(a, r->worst, false, &t, &at);
    if (rc == LEAST_CONFLICT)
        diag_error(a->sink, "R211", at,
                   "the start values contradict each other: %s cannot hold together with the other "
                   "conditions; release a fixed start value or remove an initial equation",
                   text_str(&t));
    else if (rc == LEAST_UNDEFINED && start_tell_undefined(a)) text_clear(&t);
    else if (rc == LEAST_UNDEFINED)
        diag_error(a->sink, "R212", at,
                   "the equations cannot be evaluated at the start values; give start values near "
                   "the solution");
    else
        diag_error(a->sink, "R210", at,
                   "no start values were found that satisfy all equations (%d iterations)%s; give "
                   "start values nearer to the solution",
                   r->iterations, a->x->continuation ? ", not even along homotopy()" : "");
    int m = a->n_rows + a->n_active;
    for (int shown = 0; shown < START_SHOWN; shown++) {
        int worst = -1;
        for (int i = 0; i < m; i++)
            if (a->scaled[i] > a->tol && (worst < 0 || a->scaled[i] > a->scaled[worst])) worst = i;
        if (worst < 0) break;
        text_clear(&t);
        explain_row_text(a, worst, true, &t, &at);
        diag_note(a->sink, at, "residual %.3g of %s", a->scaled[worst], text_str(&t));
        a->scaled[worst] = 0;
    }
    text_done(&t);
    note_culprit(a);
    memset(a->row_at, 0, (size_t)a->m->n * sizeof(int));
    note_moved(a);
    watch_deafen(w, deaf);
}

static void add_constraint(const start *a, const image_row *row, text *out)
{
    const image_equations *words = &a->m->equations;
    for (int k = 0; words->derived && k < words->n_derived; k++) {
        const image_derived *c = &words->derived[k];
        if (c->equation != row->equation || c->level != row->derivative) continue;
        text_add(out, c->text);
        return;
    }
    text_add(out, row->derivative ? "a derivative of this constraint" : "this constraint");
}

void start_explain_group(start *a, const image_group *q)
{
    watch *w = a->sink->a->m->watch;
    bool deaf = watch_deafen(w, true);
    text t = scratch_text(a);
    int fixed = 0;
    for (int k = 0; k < q->n_columns; k++)
        if (a->fixed[k]) {
            text_add(&t, fixed++ ? ", '" : "'");
            run_add_name(a->m, start_entry(a, q->columns[k]), &t);
            text_printf(&t, "' = %g", a->y[q->columns[k]]);
        }
    const image_row *row = &a->m->formulation.rows[q->constraints[0]];
    if (fixed)
        diag_error(a->sink, "R211", image_written_at(&a->m->equations, row->equation),
                   fixed > 1
                       ? "the fixed start values %s contradict the constraint%s; release one of "
                         "them or change a parameter"
                       : "the fixed start value %s contradicts the constraint%s; release it "
                         "or change a parameter",
                   text_str(&t), q->n_constraints > 1 ? "s" : "");
    else
        diag_error(a->sink, "R210", image_written_at(&a->m->equations, row->equation),
                   q->n_constraints > 1
                       ? "no start values were found that satisfy these constraints together: they "
                         "contradict each other, or the start values are too far from them"
                       : "no start values were found that satisfy this constraint; give start "
                         "values nearer to it");
    for (int k = 0; k < q->n_constraints && k < START_SHOWN; k++) {
        row = &a->m->formulation.rows[q->constraints[k]];
        text_clear(&t);
        add_constraint(a, row, &t);
        diag_note(a->sink, image_written_at(&a->m->equations, row->equation), "%s (residual %.3g)",
                  text_str(&t), a->scaled[k]);
    }
    text_done(&t);
    watch_deafen(w, deaf);
}
