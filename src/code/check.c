/* The structure report of `vincolo check`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "code/check.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

static const char *keep(arena *a, text *t)
{
    const char *s = arena_strndup(a, text_str(t), t->n);
    text_clear(t);
    return s;
}

static void list_constraints(const structure *s, arena *a, code_check *out)
{
    int n = s->constraints.n;
    for (int i = 0; i < s->equations.n; i++) n += s->equations.at[i].c > 0; // + the last derivative
    out->constraints = arena_array(a, code_check_constraint, n);
    text t;
    text_init(&t, a->m);
    for (int i = 0; i < s->equations.n; i++) {
        const structure_equation *e = &s->equations.at[i];
        // The last derivative ties the multipliers: it is hidden too.
        for (int level = 0; e->c && !e->definition && level <= e->c; level++) {
            structure_equation_text(s, i, level, &t);
            out->constraints[out->n_constraints++] =
                (code_check_constraint){.level = level, .equation = keep(a, &t), .at = e->at};
        }
    }
    text_done(&t);
}

/* The states of a group at this point: the columns that pivoting on the constraints leaves over. */
static void states_of_group(code_state *st, const form_group *q, int row0, const double *values,
                            arena *a, const char **names, int *n)
{
    const vinc_pattern *p = &st->model->group_pattern;
    int m = q->n_constraints, cols = q->n_columns;
    la_qr qr = {.m = m, .n = cols};
    qr.a = arena_array(a, double, (size_t)m *(size_t)cols);
    qr.tau = arena_array(a, double, m);
    qr.perm = arena_array(a, int, cols);
    qr.work = arena_array(a, double, la_qr_work(m, cols));
    for (int j = 0; j < cols; j++)
        for (int e = p->start[q->columns[j]]; e < p->start[q->columns[j] + 1]; e++)
            if (p->row[e] >= row0 && p->row[e] < row0 + m)
                qr.a[p->row[e] - row0 + j * m] = values[e] * st->nominal[q->columns[j]];
    if (la_qr_factor(&qr, 0) < 0) return;
    for (int j = m; j < cols; j++)
        names[(*n)++] = st->model->form->unknowns.at[q->columns[qr.perm[j]]].name;
}

static void list_states(code_state *st, double t, const double *y, const double *yp, arena *a,
                        code_check *out)
{
    const code_model *m = st->model;
    out->states = arena_array(a, const char *, m->n);
    for (int i = 0; i < m->n; i++)
        if (m->role[i] == CODE_STATE) out->states[out->n_states++] = m->form->unknowns.at[i].name;
    const form_system *f = m->form;
    out->selection = f->groups.n ? "dynamic" : m->s->constraints.n ? "static" : "none";
    if (!f->groups.n) return;
    code_eval(st, &m->group_jac, t, y, yp, st->small, st->small2);
    int row0 = 0;
    for (int g = 0; g < f->groups.n; g++) {
        states_of_group(st, &f->groups.at[g], row0, st->small, a, out->states, &out->n_states);
        row0 += f->groups.at[g].n_constraints;
    }
}

static void by_structure(const code_model *m, arena *a, code_check *out)
{
    const structure *s = m->s;
    *out = (code_check){.index_structural = s->index,
                        .index_numerical = -1,
                        .dof = code_dof(m),
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
    list_constraints(s, a, out);
}

int code_check_model(code_state *s, double t0, arena *a, code_check *out, diag_sink *sink)
{
    enum { TOTAL = 3000, EXTRA_MAX = 8 };
    by_structure(s->model, a, out);
    code_state *st = s->initial ? s->initial : s;
    const code_model *m = st->model;
    double *y = arena_array(a, double, s->model->n), *yp = arena_array(a, double, s->model->n);
    code_init_options options = {0};
    code_init_report init;
    int rc = code_initialize(s, t0, &options, y, yp, &init, sink);
    if (rc < 0) {
        out->numerical_reason = "no consistent initial point was found";
        return rc;
    }
    out->consistent = init.given_consistent;
    out->inconsistency = init.residual;
    if (s->initial) { // the point in terms of `dummy`
        y = st->y_start;
        yp = st->yp_start;
    }
    list_states(st, t0, y, yp, a, out);
    if (m->s->equations.n > TOTAL) {
        out->numerical_reason = "the numerical index is computed for up to 3000 equations";
        code_point p = {.st = st, .s = m->s, .a = a, .t = t0};
        code_classify(&p, a, out);
        return VINC_OK;
    }
    int extra = m->s->index + 3 < EXTRA_MAX ? m->s->index + 3 : EXTRA_MAX;
    code_point p;
    if (code_point_init(&p, st, t0, y, yp, extra, a)) {
        out->index_numerical = code_numerical_index(&p, a, &out->numerical_reason);
        if (out->index_numerical >= 0 && out->index_numerical != out->index_structural)
            out->numerical_reason =
                out->index_numerical > out->index_structural
                    ? "the numbers cancel where structure sees a dependence: the structural index "
                      "is "
                      "too low"
                    : "an equation is differentiated although its derivative is not needed at this "
                      "point";
    } else {
        out->numerical_reason = p.why;
    }
    code_classify(&p, a, out);
    return VINC_OK;
}

/* ---- semi-explicit form ---------------------------------------------------------------------- */

/* A name that can stand in Modelica text: quoted where it is not an identifier. */
static void print_name(const char *name, text *out)
{
    bool plain = true;
    for (const char *c = name; *c; c++)
        plain = plain && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' ||
                          (c > name && *c >= '0' && *c <= '9'));
    if (plain) text_add(out, name);
    else text_printf(out, "'%s'", name);
}

static void print_declarations(const code_model *m, text *out)
{
    const structure *s = m->s;
    for (int k = 0; k < s->n_evaluated; k++) {
        int v = s->parameters[k];
        if (s->flat->vars.at[v].type != TYPE_REAL) continue;
        text_add(out, "  parameter Real ");
        print_name(s->flat->vars.at[v].name, out);
        text_add(out, " = ");
        text_real(out, s->p_default[s->vars[v].place]);
        text_add(out, ";\n");
    }
    for (int i = 0; i < m->n; i++) {
        text_add(out, "  Real ");
        print_name(m->form->unknowns.at[i].name, out);
        text_add(out, ";\n");
    }
}

/* The row with every derivative of a state under its new name. */
static void print_with_names(const code_model *m, expr row, text *out)
{
    const form_system *f = m->form;
    const structure *s = m->s;
    text line, from;
    text_init(&line, out->m);
    text_init(&from, out->m);
    expr_print(s->pool, row, EXPR_MODELICA, 0, &line);
    for (const char *p = text_str(&line); *p;) {
        bool renamed = false;
        for (int i = 0; i < m->n && !renamed && !strncmp(p, "der(", 4); i++) {
            if (m->role[i] != CODE_STATE || f->unknowns.at[i].entry < 0) continue;
            text_clear(&from);
            expr_print(s->pool, s->entries.at[f->unknowns.at[i].entry + 1].var, EXPR_MODELICA, 0,
                       &from);
            renamed = !strncmp(p, text_str(&from), from.n);
            if (renamed) text_printf(out, "z_%d", i + 1);
        }
        if (renamed) p += from.n;
        else text_char(out, *p++);
    }
    text_done(&from);
    text_done(&line);
}

void code_print_semi_explicit(const code_model *model, text *out)
{
    // The formulation `dummy` is semi-explicit once y' that occur in simultaneous equations have
    // names.
    const code_model *m = model->initial;
    const form_system *f = m->form;
    const structure *s = m->s;
    text_printf(out, "model %s_semiExplicit\n", s->flat->name);
    print_declarations(m, out);
    for (int i = 0; i < m->n; i++)
        if (m->role[i] == CODE_STATE && !f->rhs)
            text_printf(out, "  Real z_%d \"der(%s)\";\n", i + 1, f->unknowns.at[i].name);
    text_add(out, "equation\n");
    for (int i = 0; i < m->n; i++) {
        if (m->role[i] == CODE_ALGEBRAIC) continue;
        text_add(out, "  der(");
        print_name(f->unknowns.at[i].name, out);
        text_add(out, ") = ");
        if (f->rhs) expr_print(s->pool, f->rhs[i], EXPR_MODELICA, 0, out);
        else text_printf(out, "z_%d", i + 1);
        text_add(out, ";\n");
    }
    for (int i = 0; i < f->rows.n && !f->rhs; i++) {
        if (f->rows.at[i].kind == FORM_ROW_LINK || f->rows.at[i].kind == FORM_ROW_SELECT) continue;
        text_add(out, "  0 = ");
        print_with_names(m, f->rows.at[i].f, out);
        text_add(out, ";\n");
    }
    text_printf(out, "end %s_semiExplicit;\n", s->flat->name);
}
