/* The structure report of `vincolo check`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/mobility.h"
#include "inspect/point.h"
#include "la/dense.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

static const char *check_keep(arena *a, text *t)
{
    const char *s = arena_strndup(a, text_str(t), t->n);
    text_clear(t);
    return s;
}

/* x = y or x = -y of variables that are both differentiated constrains them, though one of them is then
 * eliminated: with their derivatives so many equations, 0 for other variables. */
static int levels_of_tie(const structure *s, int v)
{
    const structure_var *x = &s->vars[v];
    if (x->role != STRUCTURE_ALIAS || x->order || !x->differentiated) return 0;
    const structure_var *of = &s->vars[x->of];
    if (of->role != STRUCTURE_UNKNOWN || !of->differentiated) return 0;
    return 1 + s->unknowns.at[of->place].highest;
}

static void check_list_constraints(const structure *s, arena *a, inspect_report *out)
{
    int n = s->constraints.n;
    for (int i = 0; i < s->equations.n; i++) n += s->equations.at[i].c > 0; // + the last derivative
    for (int v = 0; v < s->n_flat; v++) n += levels_of_tie(s, v);
    out->constraints = arena_array(a, inspect_constraint, n);
    text t;
    text_init(&t, a->m);
    for (int v = 0; v < s->n_flat; v++)
        for (int level = 0, of = s->vars[v].of, n_levels = levels_of_tie(s, v); level < n_levels;
             level++) {
            names_write(&s->flat->vars.names, v, level, &t);
            text_add(&t, s->vars[v].negated ? " = -" : " = ");
            names_write(&s->flat->vars.names, of, level, &t);
            out->constraints[out->n_constraints++] =
                (inspect_constraint){.level = level,
                                     .equation = check_keep(a, &t),
                                     .of = "",
                                     .at = flat_at(s->flat, v)->decl->at};
        }
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        // The last derivative ties the multipliers: it is hidden too.
        for (int level = 0; e->c && !e->definition && level <= e->c; level++) {
            structure_equation_text(s, i, level, &t);
            const char *of = e->flat < 0 ? NULL : s->flat->equations.at[e->flat].instance;
            out->constraints[out->n_constraints++] = (inspect_constraint){
                .level = level, .equation = check_keep(a, &t), .of = of ? of : "", .at = e->at};
        }
    }
    text_done(&t);
}

const int *inspect_pivots(run_state *st, const image_group *q, int row0, const double *values,
                          arena *a, int *rank)
{
    const vinc_pattern *p = &run_model(st)->choice.pattern;
    const double *nominal = run_nominal(st);
    int m = q->n_constraints, cols = q->n_columns;
    la_qr qr = {.m = m, .n = cols};
    qr.a = arena_array(a, double, (size_t)m *(size_t)cols);
    qr.tau = arena_array(a, double, m);
    qr.perm = arena_array(a, int, cols);
    qr.work = arena_array(a, double, la_qr_work(m, cols));
    for (int j = 0; j < cols; j++)
        for (int e = p->start[q->columns[j]]; e < p->start[q->columns[j] + 1]; e++)
            if (p->row[e] >= row0 && p->row[e] < row0 + m)
                qr.a[p->row[e] - row0 + j * m] = values[e] * nominal[q->columns[j]];
    *rank = la_qr_factor(&qr, RUN_DEPENDENT);
    return *rank < 0 ? NULL : qr.perm;
}

/* The states of a group at this point: the columns that pivoting on the constraints leaves over. Up to `surplus`
 * of them follow from the others and hold nothing. */
static void states_of_group(run_state *st, const image_group *q, int row0, const double *values,
                            int surplus, arena *a, const char **names, int *n)
{
    int rank;
    const int *pivots = inspect_pivots(st, q, row0, values, a, &rank);
    int held = rank > q->n_constraints - surplus ? rank : q->n_constraints - surplus;
    for (int j = held; pivots && j < q->n_columns; j++)
        names[(*n)++] = form_name_in(run_model(st)->form, q->columns[pivots[j]], a);
}

static void list_states(run_state *st, double t, const double *y, const double *yp, arena *a,
                        inspect_report *out)
{
    const code_model *m = run_model(st);
    out->states = arena_array(a, const char *, m->n);
    for (int i = 0; i < m->n; i++)
        if (m->system.role[i] == CODE_STATE)
            out->states[out->n_states++] = form_name_in(m->form, i, a);
    const form_system *f = m->form;
    out->selection = f->groups.n ? "dynamic" : m->s->constraints.n ? "static" : "none";
    if (!f->groups.n) return;
    const double *jac = run_group_jacobian(st, t, y, yp);
    int row0 = 0;
    for (int g = 0; g < f->groups.n; g++) {
        states_of_group(st, &f->groups.at[g], row0, jac, out->surplus, a, out->states,
                        &out->n_states);
        row0 += f->groups.at[g].n_constraints;
    }
}

static void by_structure(const code_model *m, arena *a, inspect_report *out)
{
    const structure *s = m->form->s;
    *out = (inspect_report){.index_structural = s->index,
                            .index_numerical = -1,
                            .dof = m->summary.freedom,
                            .n_unknowns = s->n_unknowns_written,
                            .n_equations = s->n_equations_written,
                            .n_parameters = s->n_parameters,
                            .form = "general",
                            .form_reason = "",
                            .form_condition = NAN,
                            .selection = "none"};
    out->n_blocks = s->blocks.n;
    out->blocks = arena_array(a, int, s->blocks.n);
    for (int b = 0; b < s->blocks.n; b++) out->blocks[b] = s->blocks.at[b].n;
    check_list_constraints(s, a, out);
}

/* Where terms cancel there are constraints that structure does not see. */
static void compare_indices(const structure *s, int n_free, arena *a, inspect_report *out)
{
    if (out->index_numerical < out->index_structural) {
        out->numerical_reason =
            "the structural index is an upper bound: derivatives that it counts "
            "cancel or are not needed";
        return;
    }
    text t;
    text_init(&t, a->m);
    text_add(&t,
             "the numbers cancel where structure sees a dependence: the structural index is too "
             "low");
    if (n_free < s->n_free) {
        text_printf(&t, ", and %d of %d initial values %s free", n_free, s->n_free,
                    n_free == 1 ? "is" : "are");
        out->dof = n_free;
    }
    out->numerical_reason = check_keep(a, &t);
    text_done(&t);
}

int inspect_model(run_state *s, double t0, arena *a, inspect_report *out, diag_sink *sink)
{
    enum { TOTAL = 3000, EXTRA_MAX = 8 };
    structure_write_out(run_model(s)->form->s);
    by_structure(run_model(s), a, out);
    run_state *st = run_initial(s);
    const code_model *m = run_model(st);
    double *y = arena_array(a, double, m->n), *yp = arena_array(a, double, m->n);
    start_options options = {0};
    start_report init;
    int rc = start_values(st, t0, &options, y, yp, &init, sink);
    if (rc < 0) {
        out->numerical_reason = "no consistent initial point was found";
        return rc;
    }
    out->consistent = init.given_consistent;
    out->inconsistency = init.residual;
    inspect_mobility mobility;
    inspect_point here;
    point_init(&here, st, t0, y, yp, 0, a);
    inspect_mobility_at(st, t0, y, yp, false, &here, a, &mobility);
    out->locked = mobility.locked;
    out->labile = mobility.labile;
    out->surplus = mobility.surplus;
    list_states(st, t0, y, yp, a, out);
    if (m->s->equations.n > TOTAL) {
        out->numerical_reason = "the numerical index is computed for up to 3000 equations";
        inspect_point p = {.st = st, .s = m->form->s, .a = a, .t = t0};
        inspect_classify(&p, a, out);
        return VINC_OK;
    }
    int extra = m->s->index + 3 < EXTRA_MAX ? m->s->index + 3 : EXTRA_MAX;
    inspect_point p;
    if (point_init(&p, st, t0, y, yp, extra, a)) {
        int n_free;
        out->index_numerical = inspect_index(&p, a, &n_free, &out->numerical_reason);
        if (out->index_numerical >= 0 && out->index_numerical != out->index_structural)
            compare_indices(m->s, n_free, a, out);
    } else {
        out->numerical_reason = p.why;
    }
    inspect_classify(&p, a, out);
    const char *singular = out->index_numerical < 0 ? NULL : inspect_singular(&p, a);
    if (singular) { // ranks and conditions hold for matrices that are scaled: they did not see it
        out->index_numerical = -1;
        out->numerical_reason = singular;
        out->form_condition = NAN;
        out->form_reason = "the implicit-function theorem does not hold at the initial point";
    }
    return VINC_OK;
}
