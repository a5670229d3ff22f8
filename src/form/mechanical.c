/* The mechanical view of a model: accelerations, multipliers, M, Phi_q and gamma.
 *
 * Recognised, not declared. In the system of index 1 the rows are
 *
 *     M a + B lambda + r_d = 0    equations that are not differentiated
 *     G a            + r_c = 0    constraints, differentiated until accelerations occur
 *
 * linear in the highest derivatives a and in the multipliers lambda, with as many constraints as
 * multipliers; r_c = -gamma. Holonomic rows are those differentiated twice, non-holonomic ones
 * those differentiated once. Constraints that define points without inertia of their own, as the
 * end of a rod by its middle and angle, have no multipliers and are eliminated. B = Phi_q^T where
 * the constraints are ideal. Matrices are taken from the Jacobian of the rows while running.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <stdio.h>

static const char *name_of_row(const form_builder *b, int row, text *t)
{
    int e = b->f->rows.at[row].equation;
    if (e < 0) return "a link";
    structure_equation_short(b->s, e, t);
    return text_str(t);
}

static bool mechanical_refuse(form_builder *b, int row, const char *why)
{
    const form_row *r = &b->f->rows.at[row];
    if (b->quiet) return false;
    text t;
    text_init(&t, b->scratch->m);
    diag_error(b->sink, "S204", r->equation < 0 ? (span){0, 0} : b->s->equations.at[r->equation].at,
               "'%s' needs a mechanical model, but the equation '%s' %s; 'dummy', 'project' and "
               "'index1' apply to every model, 'partition' and 'ggl' to rotations as well",
               b->f->kind->name, name_of_row(b, row, &t), why);
    text_done(&t);
    return false;
}

/* Rows by kind, components by kind. */
static void sort_out(form_builder *b, form_mechanical *x)
{
    form_system *f = b->f;
    const structure *s = b->s;
    x->acceleration = arena_array(b->a, int, f->unknowns.n + 1);
    x->velocity = arena_array(b->a, int, f->unknowns.n + 1);
    x->multiplier = arena_array(b->a, int, f->unknowns.n + 1);
    x->dynamic = arena_array(b->a, int, f->rows.n + 1);
    x->constraint = arena_array(b->a, int, f->rows.n + 1);
    int n_dynamic = 0;
    for (int i = 0; i < f->unknowns.n; i++) {
        int e = f->unknowns.at[i].entry;
        if (f->unknowns.at[i].differential) continue;
        if (s->entries.at[e].order) {
            x->velocity[x->n] = f->places[e - 1].at;
            x->acceleration[x->n++] = i;
        } else {
            x->multiplier[x->m++] = i;
        }
    }
    x->n_constraints = 0;
    x->link = arena_array(b->a, int, f->rows.n + 1);
    int at = 0; // links were added in the order of the components
    for (int i = 0; i < f->rows.n; i++) {
        const form_row *r = &f->rows.at[i];
        x->link[i] = -1;
        if (r->kind == FORM_ROW_LINK) {
            while (!f->unknowns.at[at].differential) at++;
            x->link[i] = at++;
            continue;
        }
        if (r->equation >= 0 && s->equations.at[r->equation].c > 0)
            x->constraint[x->n_constraints++] = i;
        else x->dynamic[n_dynamic++] = i;
    }
    x->n_dynamic = n_dynamic;
}

static bool is_multiplier(const form_builder *b, expr var)
{
    int e = structure_entry_of(b->s, var);
    if (e < 0 || b->s->entries.at[e].order || b->f->places[e].where != FORM_IN_Y) return false;
    return !b->f->unknowns.at[b->f->places[e].at].differential;
}

static bool mechanical_check(form_builder *b, const form_mechanical *x)
{
    const structure *s = b->s;
    int_array vars = {0};
    for (int i = 0; i < x->n_constraints; i++) {
        int row = x->constraint[i];
        vars.n = 0;
        dag_vars(&b->d, b->f->rows.at[row].f, &vars);
        for (int k = 0; k < vars.n; k++)
            if (is_multiplier(b, vars.at[k]))
                return mechanical_refuse(
                    b, row,
                    "is a constraint whose last derivative contains an algebraic "
                    "variable beside accelerations");
    }
    for (int i = 0; i < b->f->rows.n; i++) {
        int e = b->f->rows.at[i].equation;
        if (e >= 0 && !s->blocks.at[s->equations.at[e].block].linear)
            return mechanical_refuse(b, i, "is not linear in the accelerations and multipliers");
    }
    if (x->n_constraints == x->m && x->n_dynamic == x->n) return true;
    int row = x->n_constraints ? x->constraint[0] : 0;
    char why[200];
    snprintf(why, sizeof why,
             x->m > x->n_constraints
                 ? "is one of %d constraints for %d algebraic unknowns: not all are multipliers"
                 : "is one of %d constraints for which there are only %d multipliers (the length "
                   "and the rates of quaternions have none)",
             x->n_constraints, x->m);
    return mechanical_refuse(b, row, why);
}

/* Multipliers of least norm where constraints are redundant (A. N. Tikhonov's regularisation). */
static void select_least(form_builder *b, form_mechanical *x)
{
    form_system *f = b->f;
    expr_pool *p = b->s->pool;
    x->least = f->n_w++;
    for (int i = 0; i < x->m; i++) {
        form_row *row = &f->rows.at[x->constraint[i]];
        expr lambda = b->s->entries.at[f->unknowns.at[x->multiplier[i]].entry].var;
        row->f = expr_sub(p, row->f, expr_mul(p, form_w(b, x->least), lambda));
    }
}

/* The system and its rows and components by kind; so many definitions are eliminated. */
static form_mechanical *view(form_builder *b, int define)
{
    b->keep = true;
    b->define = define;
    const form_algebra *algebra = &b->f->kind->algebra;
    b->quiet = algebra->sparse && algebra->accelerate; // only one of several ways
    form_reduced(b);
    form_mechanical *x = arena_new(b->a, form_mechanical);
    sort_out(b, x);
    x->least = -1;
    return x;
}

int form_mechanical_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_projection project = f->kind->algebra.project;
    form_builder b;
    form_begin(&b, f, scratch, sink);
    if (project == FORM_PROJECT_NONE ? !form_projected(&b, options)
                                     : !form_options(&b, options, NULL, 0))
        return -1;
    if (project != FORM_PROJECT_NONE) f->project = (uint8_t)project;
    form_system empty = *f;
    form_mechanical *x = view(&b, 0);
    int surplus = x->n_constraints - x->m;
    if (surplus > 0) { // points of components, defined by coordinates
        *f = empty;
        f->places = arena_array(f->a, form_place, f->s->entries.n);
        form_begin(&b, f, scratch, sink);
        x = view(&b, surplus);
    }
    if (mechanical_check(&b, x)) f->mechanical = x;
    if (f->mechanical && f->kind->algebra.redundant) select_least(&b, x);
    return f->mechanical || b.quiet ? 0 : -1;
}
