/* The linear system that describes small deviations from a point: derivatives of the tapes of F and
 * of the outputs by y, y' and the inputs, evaluated once.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/inspect.h"
#include "run/verbs.h"

#include <string.h>

typedef struct slopes { // derivatives by y, y', u, u' side by side: rows by 2 n + 2 n_u
    int rows, cols;
    double *x;
    bool *varies; // by row: more than parameters occurs in it
} slopes;

/* y, y', then every input and its derivative. */
static tape_ref *slopes_arguments(const code_model *m, arena *a, int *n)
{
    *n = 2 * m->n + 2 * m->inputs.n;
    tape_ref *wrt = arena_array(a, tape_ref, *n + 1);
    for (int i = 0; i < m->n; i++) wrt[i] = tape_y(i), wrt[m->n + i] = tape_yp(i);
    for (int k = 0; k < m->inputs.n; k++) {
        wrt[2 * m->n + k] = tape_w(m->inputs.list[k].place);
        wrt[2 * m->n + m->inputs.n + k] = tape_w(m->inputs.list[k].place + 1);
    }
    return wrt;
}

static bool reads_variable(const tape_ins *in, const bool *varies)
{
    tape_ref operands[4] = {in->a, in->b, in->c, in->d};
    int first = in->op == TAPE_STORE, n = first ? 2 : tape_op_operands(in->op);
    if (in->op >= TAPE_CALL && in->op != TAPE_STORE) return true; // not looked into
    for (int i = first; i < n; i++) {
        tape_kind kind = tape_kind_of(operands[i]);
        if (kind == TAPE_VALUE ? varies[tape_index_of(operands[i])]
                               : kind != TAPE_CONST && kind != TAPE_P)
            return true;
    }
    return false;
}

/* Rows whose derivatives are not the same everywhere; all of them where loops are rolled, unless
 * none reads a variable. */
static bool *slopes_varying(const tape_program_derivative *d, int rows, arena *a)
{
    const int *reads = d->code->extent;
    bool *row = arena_array(a, bool, rows + 1);
    if (!reads[TAPE_T] && !reads[TAPE_Y] && !reads[TAPE_YP] && !reads[TAPE_W]) return row;
    if (d->code->n_steps != 1 || d->code->steps[0].kind != TAPE_STEP_KERNEL) {
        for (int i = 0; i < rows; i++) row[i] = true;
        return row;
    }
    const tape *t = d->code->steps[0].kernel;
    bool *varies = arena_array(a, bool, t->n_ins + 1);
    for (int i = 0; i < t->n_ins; i++) {
        varies[i] = reads_variable(&t->ins[i], varies);
        if (t->ins[i].op == TAPE_STORE && tape_kind_of(t->ins[i].a) == TAPE_OUT && varies[i])
            row[d->pattern.row[tape_index_of(t->ins[i].a)]] = true;
    }
    return row;
}

static void slopes_differentiate(run_state *s, const code_fn *f, double t, const double *y,
                                 const double *yp, arena *a, arena *scratch, slopes *out)
{
    const code_model *m = run_model(s);
    const tape_ref *wrt = slopes_arguments(m, a, &out->cols);
    out->rows = f->n_out;
    out->x = arena_array(a, double, (size_t)out->rows *(size_t)out->cols + 1);
    out->varies = arena_array(a, bool, out->rows + 1);
    if (!f->program) return;
    tape_program_derivative d = tape_program_derive(f->program, wrt, out->cols, m->n_w, scratch, a);

    out->varies = slopes_varying(&d, out->rows, a);
    int n_w = d.code->extent[TAPE_W] > m->n_w ? d.code->extent[TAPE_W] : m->n_w;
    double *w = arena_array(a, double, n_w + 1),
           *values = arena_array(a, double, d.pattern.nnz + 1);
    memcpy(w, run_discrete_values(s), (size_t)m->n_w * sizeof *w);
    tape_args args = {.t = t, .p = run_parameters(s), .y = y, .yp = yp, .w = w, .out = values};
    args.run = run_routines(s);
    args.scratch = arena_array(a, double, tape_program_scratch(d.code) + 1);
    tape_program_run(d.code, &args);
    for (int j = 0; j < out->cols; j++)
        for (int k = d.pattern.start[j]; k < d.pattern.start[j + 1]; k++)
            out->x[d.pattern.row[k] + (size_t)j * (size_t)out->rows] = values[k];
}

/* Of every output, from those of the computed ones: the others are elements of y, y' or w. */
static void slopes_expand(const code_model *m, const slopes *computed, arena *a, slopes *out)
{
    int *of_w = arena_array(a, int, m->n_w + 1); // 1 + column of an element of w
    for (int k = 0; k < m->inputs.n; k++) {
        of_w[m->inputs.list[k].place] = 1 + 2 * m->n + k;
        of_w[m->inputs.list[k].place + 1] = 1 + 2 * m->n + m->inputs.n + k;
    }
    out->rows = m->outputs.n;
    out->cols = computed->cols;
    out->x = arena_array(a, double, (size_t)out->rows *(size_t)out->cols + 1);
    for (int i = 0; i < out->rows; i++) {
        tape_ref from = code_output_from(&m->outputs, i);
        int k = tape_index_of(from), col = -1;
        switch (tape_kind_of(from)) {
        case TAPE_Y: col = k; break;
        case TAPE_YP: col = m->n + k; break;
        case TAPE_W: col = of_w[k] - 1; break;
        case TAPE_OUT:
            for (int j = 0; j < out->cols; j++)
                out->x[i + (size_t)j * (size_t)out->rows] =
                    computed->x[k + (size_t)j * (size_t)computed->rows];
            break;
        default: break; // a parameter
        }
        if (col >= 0) out->x[i + (size_t)col * (size_t)out->rows] = 1;
    }
}

// Columns first ... first + n - 1 of the rows listed (NULL: all), each with its sign.
static double *slopes_cut(arena *a, const slopes *s, int first, int n, int rows, const int *row,
                          const double *sign)
{
    double *x = arena_array(a, double, (size_t)rows *(size_t)n + 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < rows; i++) {
            int from = row ? row[i] : i;
            if (from >= 0)
                x[i + (size_t)j * (size_t)rows] =
                    (sign ? sign[i] : 1) * s->x[from + (size_t)(first + j) * (size_t)s->rows];
        }
    return x;
}

/* A group that is tied: independent coordinates keep their links, for the others their constraints speak, and
 * the multipliers are 0. */
static void choose_of_tied(const image_group *q, const int *pivots, slopes *f, bool *may)
{
    size_t rows = (size_t)f->rows;
    for (int k = 0; k < q->n_columns; k++) {
        double *row = f->x + q->rows[pivots[k]];
        for (int i = 0; i < q->n_constraints; i++) row[rows * (size_t)(q->multiplier + i)] = 0;
        for (int j = 0; k < q->n_constraints && j < f->cols; j++) row[rows * (size_t)j] = 0;
        if (k < q->n_constraints) row[rows * (size_t)(q->multiplier + k)] = 1;
        else may[q->columns[pivots[k]]] = true;
    }
}

/* The components that are states: with P picking coordinates, those it picks. */
static const bool *states(run_state *s, double t, const double *y, const double *yp, slopes *d,
                          arena *a)
{
    const code_model *m = run_model(s);
    const form_system *f = m->form;
    bool *may = arena_array(a, bool, m->n + 1);
    for (int i = 0; i < m->n; i++) may[i] = m->system.role[i] == CODE_STATE;
    for (int g = 0, row0 = 0; g < f->groups.n; row0 += f->groups.at[g++].n_constraints) {
        const image_group *q = &f->groups.at[g];
        const int *pivots =
            q->tied ? inspect_pivots(s, q, row0, run_group_jacobian(s, t, y, yp), a) : NULL;
        if (pivots) choose_of_tied(q, pivots, d, may);
        for (int i = 0; !q->tied && i < q->n_columns - q->n_constraints; i++)
            for (int j = 0; j < q->n_columns; j++)
                if (run_discrete_values(s)[q->w + i * q->n_columns + j] != 0)
                    may[q->columns[j]] = true;
    }
    return may;
}

void inspect_linearize(run_state *s, double t, const double *y, const double *yp, int n_columns,
                       const int *columns, arena *a, arena *scratch, linear_dae *out)
{
    const code_model *m = run_model(s);
    int n = m->n, k = m->inputs.n;
    slopes f = {0}, computed = {0}, o = {0};
    // Independent coordinates: a combination P q with P held fixed is no state of its own where the
    // constraints turn.
    run_select_coordinates(s, t, y, yp);
    run_args(s, t, y, yp); // inputs brought up to date
    slopes_differentiate(s, &m->system.residual, t, y, yp, a, scratch, &f);
    slopes_differentiate(s, &m->outputs.computed, t, y, yp, a, scratch, &computed);
    slopes_expand(m, &computed, a, &o);

    int *row = arena_array(a, int, n_columns + 1);
    double *sign = arena_array(a, double, n_columns + 1);
    for (int i = 0; i < n_columns; i++) {
        code_column c = code_column_in(&m->outputs, columns[i]);
        sign[i] = c.alias < 0 ? -1 : 1;
        if (c.alias) c = code_column_in(&m->outputs, c.at);
        row[i] = code_output_of(c); // -1: a constant
    }
    *out = (linear_dae){.n = n, .n_u = k, .n_o = n_columns, .nominal = run_nominal(s)};
    out->may = states(s, t, y, yp, &f, a);
    out->constant = true;
    for (int i = 0; i < n; i++) out->constant = out->constant && !f.varies[i];
    for (int i = 0; i < n_columns; i++) {
        tape_ref from = row[i] < 0 ? TAPE_NONE : code_output_from(&m->outputs, row[i]);
        if (from != TAPE_NONE && tape_kind_of(from) == TAPE_OUT)
            out->constant = out->constant && !computed.varies[tape_index_of(from)];
    }
    out->g = slopes_cut(a, &f, 0, n, n, NULL, NULL);
    out->e = slopes_cut(a, &f, n, n, n, NULL, NULL);
    out->h = slopes_cut(a, &f, 2 * n, k, n, NULL, NULL);
    out->k = slopes_cut(a, &f, 2 * n + k, k, n, NULL, NULL);
    out->cy = slopes_cut(a, &o, 0, n, n_columns, row, sign);
    out->cp = slopes_cut(a, &o, n, n, n_columns, row, sign);
    out->cu = slopes_cut(a, &o, 2 * n, k, n_columns, row, sign);
    out->cv = slopes_cut(a, &o, 2 * n + k, k, n_columns, row, sign);
}
