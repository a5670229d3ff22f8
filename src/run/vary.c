/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/vary_parts.h"

#include "la/dense.h"

#include <math.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int vary_rows_most(const code_model *m)
{
    int rows = m->n;
    const code_cells *cells[] = {&m->events.discrete, &m->events.acts, &m->events.timers};
    const code_fn *list[] = {&m->choice.next,  &m->outputs.computed,  &m->parameters.attributes,
                             &m->events.roots, &m->events.thresholds, &m->events.before,
                             &m->events.first, &m->events.samples,    &m->start.extra,
                             &m->start.map,    &m->parameters.bound};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) rows = most(rows, list[k]->n_out);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        for (int c = 0; c < cells[k]->n; c++)
            rows = most(rows, cells[k]->program[c]->extent[TAPE_OUT]);
    return rows;
}

static size_t vary_layout(run_variation *x, void *block)
{
    const code_model *m = x->s->model;
    const code_variation *c = x->code;
    size_t n = (size_t)m->n, k = (size_t)x->m, N = (1 + k) * n, rows = (size_t)vary_rows_most(m);
    vary_event *e = &x->event;
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *x);
    x->by = bump_bytes(&b, (size_t)x->n_by * sizeof *x->by);
    x->zero = bump_double(&b, n);
    x->dp = bump_double(&b, k * (size_t)c->n_p);
    x->dattributes = bump_double(&b, k * (size_t)m->parameters.attributes.n_out);
    x->dw = bump_double(&b, k * (size_t)c->n_w);
    x->w = bump_double(&b, (size_t)c->extent_w);
    x->scratch = bump_double(&b, c->scratch);
    x->values = bump_double(&b, (size_t)c->nnz_most);
    x->kept = bump_double(&b, VARY_KEPT * (size_t)c->of[CODE_V_RESIDUAL].pattern.nnz);
    x->along_w = bump_double(&b, (size_t)c->extent_along);
    x->points = bump_double(&b, VARY_KEPT * 2 * n);
    x->point_t = bump_double(&b, VARY_KEPT);
    x->given = bump_double(&b, VARY_KEPT * (k + VARY_WIDE) * n);
    x->moved_list = bump_int(&b, k * (size_t)(c->n_p + 1));
    x->wide_in = bump_double(&b, 2 * VARY_GROUPS * VARY_WIDE * n);
    x->wide_out = bump_double(&b, VARY_GROUPS * VARY_WIDE * rows);
    x->jac_place = bump_int(&b, 2 * (size_t)m->system.jac.nnz);
    for (int i = 0; i < 2; i++) vary_rows_layout(&x->rows[i], &c->of[i].pattern, m->n, m->n, &b);
    x->all_p = bump_double(&b, (size_t)m->n_p);
    x->bound = bump_double(&b, (size_t)m->parameters.bound.n_out);
    x->r = bump_double(&b, n);
    x->part = bump_double(&b, n);
    x->rhs = bump_double(&b, k * n);
    x->rates_w = bump_double(&b, (size_t)c->n_w);
    x->nominal = bump_double(&b, N);
    x->differential = bump_bytes(&b, N);
    x->rate = bump_bytes(&b, N);
    x->unsized = bump_bytes(&b, N);
    x->unknown_level = bump_bytes(&b, N);
    x->equation_level = bump_bytes(&b, N);
    x->velocity = bump_int(&b, N);
    x->computed = bump_double(&b, rows);
    e->y = bump_double(&b, n);
    e->yp = bump_double(&b, n);
    e->w = bump_double(&b, (size_t)m->n_w);
    e->w_now = bump_double(&b, (size_t)m->n_w);
    e->dy = bump_double(&b, k * n);
    e->dyp = bump_double(&b, k * n);
    e->tau = bump_double(&b, k);
    e->rate = bump_double(&b, n);
    e->rate_p = bump_double(&b, n);
    e->row = bump_double(&b, rows);
    e->cells = bump_double(&b, k * ((size_t)m->events.discrete.n_items + 1));
    e->acts = bump_double(&b, k * ((size_t)m->events.list.n_actions + 1));
    e->dw_now = bump_double(&b, k * (size_t)c->n_w);
    return bump_end(&b);
}

static int place_of(const vinc_pattern *p, int column, int row)
{
    for (int e = p->start[column]; e < p->start[column + 1]; e++)
        if (p->row[e] == row) return e;
    return -1;
}

static void place_jacobian(run_variation *x)
{
    const vinc_pattern *p = &x->code->of[CODE_V_RESIDUAL].pattern, *jac = &x->s->model->system.jac;
    for (int j = 0; p->start && j < jac->n_cols; j++)
        for (int e = jac->start[j]; e < jac->start[j + 1]; e++) {
            x->jac_place[2 * e] = place_of(p, 1 + j, jac->row[e]);
            x->jac_place[2 * e + 1] = place_of(p, 1 + x->n + j, jac->row[e]);
        }
}

static int vary_make(run_state *s, const code_variation *code, const vary_by *by, int m, int n_by)
{
    run_variation probe = {.s = s, .code = code, .m = m, .n_by = n_by, .n = s->model->n};
    size_t bytes = vary_layout(&probe, NULL);
    run_variation *x = mem_try(s->m, bytes);
    if (!x) return VINC_E_MEMORY;
    memset(x, 0, bytes);
    *x = probe;
    x->bytes = bytes;
    vary_layout(x, x);
    place_jacobian(x);
    for (int i = 0; i < 2; i++) vary_rows_fill(&x->rows[i], &code->of[i].pattern, s->model->n);
    if (n_by) memcpy((vary_by *)x->by, by, (size_t)n_by * sizeof *by);
    s->variation = x;
    la_config config = {.n = s->model->n,
                        .pattern = &s->model->system.jac,
                        .forgiving = code_has_events(&s->model->events)};
    return config.n && la_new(s->m, &config, &x->la) ? VINC_E_MEMORY : VINC_OK;
}

int vary_new(run_state *s, const code_variation *code, const vary_by *by, int m, int n_by)
{
    vary_free(s);
    int rc = vary_make(s, code, by, m, n_by);
    if (!rc && s->initial) rc = vary_make(s->initial, code->initial, by, m, n_by);
    if (rc) vary_free(s);
    return rc;
}

void vary_free(run_state *s)
{
    run_variation *x = s->variation;
    if (s->initial) vary_free(s->initial);
    if (!x) return;
    vary_record(x, NULL, 0);
    mem_free(s->m, x->row_unknowns, x->row_bytes);
    la_free(x->la);
    mem_free(s->m, x->least, x->least_bytes);
    mem_free(s->m, x, x->bytes);
    s->variation = NULL;
}

run_variation *vary_of(const run_state *s)
{
    return s->variation;
}

int vary_count(const run_variation *x)
{
    return x->m;
}

double *vary_discrete(const run_variation *x, int k)
{
    return x->dw + (size_t)k * (size_t)x->code->n_w;
}

const double *vary_parameters(const run_variation *x, int k)
{
    return x->dp + (size_t)k * (size_t)x->code->n_p;
}

/* ---- derivatives of functions ---------------------------------------------------------------- */

void vary_at(run_variation *x, const code_varied *f, double t, const double *y, const double *yp)
{
    vary_values(x, f, t, y, yp, x->values);
}

void vary_values(run_variation *x, const code_varied *f, double t, const double *y,
                 const double *yp, double *values)
{
    run_state *s = x->s;
    if (!f->code) return;
    tape_args args = run_args(s, t, y, yp);
    memcpy(x->w, s->w, (size_t)s->model->n_w * sizeof *x->w);
    args.w = x->w;
    args.scratch = x->scratch;
    args.out = values;
    tape_eval(f->code, &args);
}

void vary_times(const run_variation *x, const code_varied *f, const vary_direction *d, int rows,
                double *out)
{
    int n = x->n;
    const vinc_pattern *p = &f->pattern;
    if (rows) memset(out, 0, (size_t)rows * sizeof *out);
    if (!f->code) return;
    if (d->t != 0) vary_add_columns(x->values, p, 0, 1, &d->t, out);
    vary_add_columns(x->values, p, 1, n, d->y, out);
    vary_add_columns(x->values, p, 1 + n, n, d->yp, out);
    vary_add_columns(x->values, p, 1 + 2 * n, x->code->n_w, d->w, out);
    vary_add_columns(x->values, p, 1 + 2 * n + x->code->n_w, x->code->n_p, d->p, out);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static bool vary_is_own(const run_variation *x, int k, int param)
{
    for (int i = k + 1; i; i = x->by[i - 1].next)
        if (x->by[i - 1].param == param) return true;
    return false;
}

/* Parameters that are bound to others follow them. */
static void vary_bound(run_variation *x, int k)
{
    run_state *s = x->s;
    const code_model *m = s->model;
    const vinc_pattern *p = &x->code->bound.pattern;
    double *all = x->all_p, *dp = x->dp + (size_t)k * (size_t)x->code->n_p;
    if (m->n_p) memset(all, 0, (size_t)m->n_p * sizeof *all);
    for (int i = k + 1; i; i = x->by[i - 1].next)
        if (x->by[i - 1].param >= 0) all[x->by[i - 1].param] = 1;
    for (int pass = 0; x->code->bound.code && pass < m->parameters.depth; pass++) {
        memset(x->bound, 0, (size_t)m->parameters.bound.n_out * sizeof *x->bound);
        vary_add_columns(x->values, p, 0, m->n_p, all, x->bound);
        for (int i = 0; i < m->parameters.bound.n_out; i++) {
            int at = m->parameters.place[i];
            if (!vary_is_own(x, k, at) && !s->settings.overridden[at]) all[at] = x->bound[i];
        }
    }
    for (int j = 0; j < x->code->n_p; j++) dp[j] = all[x->code->p_place[j]];
}

static double value_moves(const run_variation *x, int k, const code_value *v)
{
    if (v->output == CODE_PARAMETER) {
        int column = x->code->p_column[(int)v->number];
        return column ? vary_parameters(x, k)[column - 1] : 0;
    }
    size_t n = (size_t)x->s->model->parameters.attributes.n_out;
    return v->output < 0 ? 0 : x->dattributes[(size_t)k * n + (size_t)v->output];
}

double vary_start_of(const run_variation *x, int k, int entry)
{
    const run_state *s = x->s;
    for (int i = k + 1; i; i = x->by[i - 1].next)
        if (x->by[i - 1].entry == entry) return x->by[i - 1].sign;
    double moves = value_moves(x, k, &code_entry_of(s->model, entry)->start);
    for (int i = 0; i < s->settings.n && moves != 0; i++) // a value that was set stays
        if (s->settings.at[i].entry == entry) return 0;
    return moves;
}

/* The column of w that is the input by which derivative k is taken; -1: it is by something else. */
static int vary_input_column(const run_variation *x, int k)
{
    int input = x->by[k].input;
    return input ? x->code->w_column[x->s->model->inputs.list[input - 1].place] - 1 : -1;
}

static void begin_discrete(run_variation *x, int k)
{
    const code_parameters *q = &x->s->model->parameters;
    double *dw = vary_discrete(x, k);
    if (x->code->n_w) memset(dw, 0, (size_t)x->code->n_w * sizeof *dw);
    for (int v = 0; v < q->n_work; v++) {
        int slot = q->work[v].place, now = x->code->w_column[slot];
        if (!q->work[v].past || !now) continue;
        double d = value_moves(x, k, &q->work[v].start);
        for (int i = 0; i < x->s->settings.n; i++)
            if (x->s->settings.at[i].w == slot) d = 0;
        dw[now - 1] = dw[x->code->w_column[slot + 1] - 1] = d;
    }
    int column = vary_input_column(x, k);
    if (column >= 0) dw[column] = 1;
}

/* Of which size derivatives are: those of unknowns over that of the parameter. */
static void size_unknowns(run_variation *x)
{
    const run_state *s = x->s;
    int n = x->n;
    for (int k = 0; k <= x->m; k++) {
        double size = 1;
        if (k && x->by[k - 1].param >= 0) size = fabs(s->p[x->by[k - 1].param]);
        else if (k && x->by[k - 1].entry >= 0) size = fabs(s->attributes.start[x->by[k - 1].entry]);
        if (!(size > 0)) size = 1;
        for (int i = 0; i < n; i++) x->nominal[k * n + i] = s->nominal[i] / size;
    }
}

void vary_begin(run_state *s)
{
    run_variation *x = s->variation;
    if (!x) return;
    const code_varied *attributes = &x->code->of[CODE_V_ATTRIBUTES];
    int n = s->model->parameters.attributes.n_out;
    vary_at(x, &x->code->bound, 0, NULL, NULL);
    for (int k = 0; k < x->m; k++) vary_bound(x, k);
    vary_list_moved(x);
    vary_along_begin(x);
    vary_at(x, attributes, 0, NULL, NULL);
    for (int k = 0; k < x->m; k++) {
        vary_direction d = {.p = vary_parameters(x, k)};
        vary_times(x, attributes, &d, n, x->dattributes + (size_t)k * (size_t)n);
        begin_discrete(x, k);
    }
    x->event.on = false;
    x->moving = x->m;
    size_unknowns(x);
}

static bool reads(const code_varied *v, int column)
{
    return v->program && v->pattern.start[column] < v->pattern.start[column + 1];
}

/* Do start values depend on parameter k, or attributes from which they may come? */
static bool moves_start(const run_variation *x, int k)
{
    const code_model *m = x->s->model;
    for (int i = k + 1; i; i = x->by[i - 1].next)
        if (x->by[i - 1].entry >= 0) return true;
    for (int i = 0; i < m->formulation.n_entries; i++)
        if (vary_start_of(x, k, i) != 0) return true;
    for (int v = 0; v < m->parameters.n_work; v++) {
        const code_work_start *q = &m->parameters.work[v];
        if (q->past && value_moves(x, k, &q->start) != 0) return true;
    }
    return false;
}

/* Does a function that decides the motion read this column? */
static bool motion_reads(const run_variation *x, int column)
{
    static const uint8_t outputs_only[CODE_V_N] = {[CODE_V_COMPUTED] = 1, [CODE_V_ATTRIBUTES] = 1};
    const code_variation *c = x->code;
    const code_events *e = &x->s->model->events;
    for (int f = 0; f < CODE_V_N; f++)
        if (!outputs_only[f] && reads(&c->of[f], column)) return true;
    for (int i = 0; i < e->discrete.n; i++)
        if (reads(&c->discrete[i], column)) return true;
    for (int i = 0; i < e->acts.n; i++)
        if (reads(&c->acts[i], column)) return true;
    for (int i = 0; i < e->timers.n; i++)
        if (reads(&c->timers[i], column)) return true;
    return false;
}

bool vary_moves(const run_variation *x, int k)
{
    const double *dp = vary_parameters(x, k);
    int first = 1 + 2 * x->n, input = vary_input_column(x, k);
    if (moves_start(x, k)) return true;
    if (input >= 0 && motion_reads(x, first + input)) return true;
    for (int j = 0; j < x->code->n_p; j++)
        if (dp[j] != 0 && motion_reads(x, first + x->code->n_w + j)) return true;
    return x->s->initial && x->s->initial->variation && vary_moves(x->s->initial->variation, k);
}

double vary_constant(const run_variation *x, int k, int column)
{
    return value_moves(x, k, code_constant(&x->s->model->outputs, column));
}

void vary_keep_moving(run_variation *x, int n)
{
    x->least_moving = n;
}

int vary_moving(const run_variation *x)
{
    int n = x->m;
    while (n > x->least_moving && !vary_moves(x, n - 1)) n--;
    return n;
}

bool vary_is_output(const run_variation *x, int k, int output)
{
    tape_ref from = code_output_from(&x->s->model->outputs, output);
    int column = tape_kind_of(from) == TAPE_P ? x->code->p_column[tape_index_of(from)] : 0;
    return column && vary_parameters(x, k)[column - 1] != 0;
}

void vary_control(run_variation *x, bool on)
{
    x->controlled = on;
}

bool vary_does_nothing(const run_variation *x, int k)
{
    const code_variation *c = x->code;
    const double *dp = vary_parameters(x, k);
    int first = 1 + 2 * x->n + c->n_w, input = vary_input_column(x, k);
    if ((x->by[k].param < 0 && input < 0) || vary_moves(x, k)) return false;
    if (input >= 0) return !reads(&c->of[CODE_V_COMPUTED], 1 + 2 * x->n + input);
    for (int j = 0; j < c->n_p; j++)
        if (dp[j] != 0 &&
            (reads(&c->of[CODE_V_COMPUTED], first + j) || c->p_place[j] != x->by[k].param))
            return false;
    return true;
}

bool vary_moves_samples(const run_variation *x, int k)
{
    const code_varied *f = &x->code->of[CODE_V_SAMPLES];
    const double *dp = vary_parameters(x, k);
    int first = 1 + 2 * x->n + x->code->n_w;
    for (int j = 0; f->program && j < x->code->n_p; j++)
        if (dp[j] != 0 && f->pattern.start[first + j] < f->pattern.start[first + j + 1])
            return true;
    return false;
}

bool vary_starts_nothing(const run_variation *x, int k)
{
    const double ROUNDING = 1e-12;
    size_t n = (size_t)x->n, first = (size_t)k * n;
    if (x->by[k].entry < 0) return false;
    for (size_t i = 0; i < n; i++)
        if (fabs(x->event.dy[first + i]) > ROUNDING * x->nominal[n + first + i]) return false;
    return true;
}

void vary_started(const run_variation *x, const double **dy, const double **dyp)
{
    *dy = x->event.dy;
    *dyp = x->event.dyp;
}

/* ---- what depends on the states -------------------------------------------------------------- */

/* Inputs move with time as their derivatives say. */
static const double *rates_of_inputs(run_variation *x)
{
    const code_model *m = x->s->model;
    if (!x->code->n_w) return NULL;
    memset(x->rates_w, 0, (size_t)x->code->n_w * sizeof *x->rates_w);
    for (int i = 0; i < m->inputs.n; i++) {
        int column = x->code->w_column[m->inputs.list[i].place];
        if (column) x->rates_w[column - 1] = x->s->w[m->inputs.list[i].place + 1];
    }
    return x->rates_w;
}

static void chosen_rows(const run_variation *x, const double *dy, double *r)
{
    const image_formulation *f = &x->s->model->formulation;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        for (int j = 0; q->tied && j < q->n_columns; j++) r[q->rows[j]] = -dy[q->columns[j]];
        for (int i = 0; !q->tied && i < q->n_columns - q->n_constraints; i++) {
            double sum = 0;
            for (int j = 0; j < q->n_columns; j++)
                sum += x->s->w[q->w + i * q->n_columns + j] * dy[q->columns[j]];
            r[q->rows[i]] = -sum;
        }
    }
}

/* Redundant constraints leave multipliers open: of them the least are taken. Everything else is
 * determined by the same dense factorisation. */
enum { DENSE_MAX = 600 };
static const double PIVOT_RATIO_MIN = 1e-13; // a few hundred roundings: pivots below are none

static size_t least_layout(la_cod *q, int n, double **b, void *block)
{
    bump p = bump_begin(block);
    size_t m = (size_t)n;
    q->a = bump_double(&p, m * m);
    q->tau = bump_double(&p, m);
    q->tau_z = bump_double(&p, m);
    q->perm = bump_int(&p, m);
    q->work = bump_double(&p, la_cod_work(n, n));
    *b = bump_double(&p, m);
    return bump_end(&p);
}

int vary_least_factor(run_variation *x, const double *matrix, double tol, la_cod *q, double **b)
{
    const vinc_pattern *p = &x->s->model->system.jac;
    int n = x->n;
    if (n > DENSE_MAX) return 1;
    *q = (la_cod){.m = n, .n = n};
    if (!x->least) {
        x->least_bytes = least_layout(q, n, b, NULL);
        x->least = mem_try(x->s->m, x->least_bytes);
    }
    if (!x->least) return VINC_E_MEMORY;
    least_layout(q, n, b, x->least);
    memset(q->a, 0, (size_t)n * (size_t)n * sizeof *q->a);
    for (int j = 0; j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            q->a[p->row[e] + (size_t)j * (size_t)n] = matrix[e];
    return la_cod_factor(q, tol) < 0 ? 1 : 0;
}

int vary_follow(run_variation *x, double t, const double *y, const double *yp, int m,
                const double *tau, bool with_parameters, double *dy, double *dyp)
{
    run_state *s = x->s;
    const code_system *f = &s->model->system;
    const code_varied *residual = &x->code->of[CODE_V_RESIDUAL], *next = &x->code->of[CODE_V_NEXT];
    int n = x->n, n_next = s->model->choice.next.n_out;
    if (!n) return VINC_OK;
    const double *matrix = run_dependent_matrix(s, t, y, yp);
    if (!matrix) return 1;
    la_cod least;
    double *b;
    int status = la_factor(x->la, matrix, NULL, 0, 0);
    if (status < 0) return VINC_E_MEMORY;
    bool singular = status || x->la->is_deficient || x->la->pivot_ratio < PIVOT_RATIO_MIN;
    if (singular) status = vary_least_factor(x, matrix, PIVOT_RATIO_MIN * 10, &least, &b);
    if (singular && status) return status;
    vary_at(x, residual, t, y, yp);
    for (int k = 0; k < m; k++) {
        double *v = dy + (size_t)k * (size_t)n, *vp = dyp + (size_t)k * (size_t)n;
        vary_direction d = {.t = tau ? tau[k] : 0, .y = x->part};
        const double *inputs = d.t != 0 ? rates_of_inputs(x) : NULL;
        if (with_parameters) d.w = vary_discrete(x, k), d.p = vary_parameters(x, k);
        for (int i = 0; i < n; i++) x->part[i] = f->role[i] == CODE_STATE ? v[i] : 0;
        vary_times(x, residual, &d, n, x->r);
        if (inputs && s->model->inputs.n) { // with time, beside what parameters move
            for (int i = 0; i < x->code->n_w; i++) x->rates_w[i] *= d.t;
            vary_add_columns(x->values, &residual->pattern, 1 + 2 * n, x->code->n_w, inputs, x->r);
        }
        chosen_rows(x, v, x->r);
        for (int i = 0; i < n; i++) x->r[i] = -x->r[i];
        if (singular) {
            memcpy(b, x->r, (size_t)n * sizeof *b);
            la_cod_solve(&least, b, x->r);
        } else {
            la_solve(x->la, x->r);
        }
        for (int i = 0; i < n; i++) {
            bool state = f->role[i] == CODE_STATE;
            vp[i] = state ? x->r[i] : 0;
            if (!state) v[i] = f->role[i] == CODE_TIE ? 0 : x->r[i];
        }
        for (int i = 0; i < n; i++)
            if (!isfinite(v[i]) || !isfinite(vp[i])) return 1;
    }
    if (!n_next) return VINC_OK;
    vary_at(x, next, t, y, yp);
    for (int k = 0; k < m; k++) {
        double *v = dy + (size_t)k * (size_t)n, *vp = dyp + (size_t)k * (size_t)n;
        vary_direction d = {.t = tau ? tau[k] : 0, .y = v, .yp = vp};
        if (with_parameters) d.w = vary_discrete(x, k), d.p = vary_parameters(x, k);
        vary_times(x, next, &d, n_next, x->computed);
        for (int i = 0; i < n_next; i++) vp[s->model->choice.next_of[i]] = x->computed[i];
    }
    return VINC_OK;
}
