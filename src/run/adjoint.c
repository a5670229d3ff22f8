/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/adjoint.h"

#include "la/la.h"
#include "method/irk.h"
#include "run/vary_parts.h"

#include <string.h>

enum { S = ADJOINT_STAGES };

/* An entry of dF/dy and dF/dy' in a row: its column, and where it lies in both; -1: nowhere. */
typedef struct adjoint_item {
    int u, y, yp;
} adjoint_item;

/* What an event did: t, w before it, and by direction the states and discrete values behind it. */
typedef struct adjoint_events_kept {
    double *at;
    size_t each, n, room, most;
    bool full;
} adjoint_events_kept;

struct run_adjoint {
    run_variation *x;
    int m;                                   // directions that are asked for
    int n_x, *states;                        // components of y
    double *Y, *Yp;                          // of all directions; NULL: there are no events
    double *dy_start, *dyp_start, *dw_start; // of those that are asked for
    double *direct;                          // what parameters do at events, m
    double *behind;                          // n_x + n_w
    adjoint_events_kept events;
    vinc_problem problem;
    double c[S], b[S][S];
    int n, n_given;      // unknowns; columns of discrete values and parameters
    int *first;          // by row: its items
    adjoint_item *items; // by row, then by column
    vinc_pattern pattern;
    int *start, *row;
    double *a;      // values of the matrix
    double *values; // of the derivatives, at each stage
    double *mu, *lambda, *q;
    double *by_yp; // of the goal, by y' at the end; used by the last step
    bool at_end;
    la_solver *la;
    size_t bytes;
};

const char *adjoint_cannot(const run_variation *x)
{
    const vinc_problem *p = &x->s->problem;
    if (p->project || p->reselect || p->regularity || x->s->model->s->index > 1)
        return "the model has constraints of a higher index";
    return p->residual && p->jacobian ? NULL : "its equations are not given as F(t, y, y') = 0";
}

double adjoint_node(const run_adjoint *a, int i)
{
    return a->c[i];
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t adjoint_layout(run_adjoint *a, int n_items, int nnz, void *block)
{
    const code_variation *code = a->x->code;
    size_t n = (size_t)a->n;
    bump b = bump_begin(block);
    bump_bytes(&b, sizeof *a);
    a->first = bump_int(&b, n + 1);
    a->items = bump_bytes(&b, (size_t)n_items * sizeof *a->items);
    a->start = bump_int(&b, S * n + 1);
    a->row = bump_int(&b, (size_t)nnz);
    a->a = bump_double(&b, (size_t)nnz);
    a->values = bump_double(&b, S * (size_t)code->of[CODE_V_RESIDUAL].pattern.nnz);
    a->mu = bump_double(&b, S * n);
    a->lambda = bump_double(&b, n);
    a->by_yp = bump_double(&b, n);
    a->q = bump_double(&b, (size_t)a->n_given);
    a->states = bump_int(&b, n);
    a->dy_start = bump_double(&b, (size_t)a->m * n);
    a->dyp_start = bump_double(&b, (size_t)a->m * n);
    a->dw_start = bump_double(&b, (size_t)a->m * (size_t)code->n_w);
    a->direct = bump_double(&b, (size_t)a->m);
    a->behind = bump_double(&b, n + (size_t)code->n_w);
    if (a->x->m > a->m) {
        a->Y = bump_double(&b, (size_t)(1 + a->x->m) * n);
        a->Yp = bump_double(&b, (size_t)(1 + a->x->m) * n);
    }
    return bump_end(&b);
}

/* The entries of all rows by column; counted alone where there is no room yet. */
static int list_items(run_adjoint *a, int *n_rates)
{
    const vinc_pattern *p = &a->x->code->of[CODE_V_RESIDUAL].pattern;
    int n = a->n, count = 0;
    *n_rates = p->start[1 + 2 * n] - p->start[1 + n];
    if (!a->items) return p->start[1 + 2 * n] - p->start[1];
    memset(a->first, 0, ((size_t)n + 1) * sizeof *a->first);
    for (int e = p->start[1]; e < p->start[1 + 2 * n]; e++) a->first[p->row[e] + 1]++;
    for (int r = 0; r < n; r++) a->first[r + 1] += a->first[r];
    int *used = a->start; // for a while
    memset(used, 0, (size_t)n * sizeof *used);
    for (int u = 0; u < n; u++)
        for (int rate = 0; rate < 2; rate++) {
            int column = 1 + rate * n + u;
            for (int e = p->start[column]; e < p->start[column + 1]; e++) {
                int r = p->row[e];
                adjoint_item *list = a->items + a->first[r];
                if (!used[r] || list[used[r] - 1].u != u)
                    list[used[r]++] = (adjoint_item){u, -1, -1};
                if (rate) list[used[r] - 1].yp = e;
                else list[used[r] - 1].y = e;
            }
        }
    for (int r = 0; r < n; r++) { // both kinds in one entry: move what follows up
        int from = a->first[r];
        a->first[r] = count;
        for (int i = 0; i < used[r]; i++) a->items[count++] = a->items[from + i];
    }
    a->first[n] = count;
    return count;
}

static void make_pattern(run_adjoint *a)
{
    int n = a->n, k = 0;
    for (int i = 0; i < S; i++)
        for (int r = 0; r < n; r++) {
            a->start[i * n + r] = k;
            for (int j = 0; j < S; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++)
                    if (i == j || a->items[e].yp >= 0) a->row[k++] = j * n + a->items[e].u;
        }
    a->start[S * n] = k;
    a->pattern = (vinc_pattern){S * n, S * n, k, a->start, a->row};
}

/* b := the inverse of the matrix of the method. */
static void invert(run_adjoint *a)
{
    method_tableau t = {0};
    radau_iia(S, &t);
    double det = 0;
    for (int i = 0; i < S; i++) {
        a->c[i] = t.c[i];
        for (int j = 0; j < S; j++) {
            int i1 = (i + 1) % S, i2 = (i + 2) % S, j1 = (j + 1) % S, j2 = (j + 2) % S;
            a->b[j][i] = t.a[i1][j1] * t.a[i2][j2] - t.a[i1][j2] * t.a[i2][j1];
        }
    }
    for (int j = 0; j < S; j++) det += t.a[0][j] * a->b[j][0];
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) a->b[i][j] /= det;
}

static bool is_state(const run_variation *x, int i)
{
    const code_system *f = &x->s->model->system;
    return f->role[i] == CODE_STATE && f->differential[i];
}

int adjoint_prepare(run_state *s)
{
    const run_variation *x = s->variation;
    const code_variation *code = x->code;
    int m = x->m, n = m + code->n_w;
    if (!code_has_events(&s->model->events)) return VINC_OK;
    for (int i = 0; i < x->n; i++) n += is_state(x, i);
    size_t bytes = (size_t)n * sizeof(vary_by);
    vary_by *by = mem_try(s->m, bytes);
    if (!by) return VINC_E_MEMORY;
    for (int k = 0; k < n; k++) by[k] = k < m ? x->by[k] : (vary_by){-1, -1, 1, 0, 0};
    int rc = vary_new(s, code, by, n, n);
    mem_free(s->m, by, bytes);
    return rc;
}

int adjoint_new(run_variation *x, int m, run_adjoint **out)
{
    run_adjoint probe = {.x = x, .m = m, .n = x->n, .n_given = x->code->n_w + x->code->n_p};
    int n_rates, n_items = list_items(&probe, &n_rates), nnz = S * n_items + S * (S - 1) * n_rates;
    size_t bytes = adjoint_layout(&probe, n_items, nnz, NULL);
    run_adjoint *a = mem_try(x->s->m, bytes);
    *out = a;
    if (!a) return VINC_E_MEMORY;
    memset(a, 0, bytes);
    *a = probe;
    a->bytes = bytes;
    adjoint_layout(a, n_items, nnz, a);
    for (int i = 0; i < x->n; i++)
        if (is_state(x, i)) a->states[a->n_x++] = i;
    a->events.each = 1 + (size_t)x->s->model->n_w + (size_t)x->m * (size_t)(a->n_x + x->code->n_w);
    x->adjoint = a;
    invert(a);
    if (!a->n) return VINC_OK;
    list_items(a, &n_rates);
    make_pattern(a);
    la_config config = {.n = S * a->n, .pattern = &a->pattern};
    return la_new(x->s->m, &config, &a->la) ? VINC_E_MEMORY : VINC_OK;
}

void adjoint_free(run_adjoint *a)
{
    if (!a) return;
    a->x->adjoint = NULL;
    mem_free(a->x->s->m, a->events.at, a->events.room * a->events.each * sizeof(double));
    la_free(a->la);
    mem_free(a->x->s->m, a, a->bytes);
}

/* ---- events ---------------------------------------------------------------------------------- */

static double *events_add(run_adjoint *a)
{
    adjoint_events_kept *e = &a->events;
    size_t each = e->each * sizeof(double);
    if (e->n == e->room) {
        mem *m = a->x->s->m;
        size_t room = e->room ? 2 * e->room : 8;
        double *at =
            room * each > e->most ? NULL : m->resize(m->user, e->at, e->room * each, room * each);
        e->full = !at;
        if (!at) return NULL;
        e->at = at;
        e->room = room;
    }
    return e->at + e->each * e->n++;
}

/* Unit directions of states and discrete values behind those that are asked for, which are by nothing but
 * their parameters; what depends on the states follows. */
static int set_directions(run_adjoint *a, double t, const double *y, const double *yp)
{
    run_variation *x = a->x;
    size_t n = (size_t)a->n, all = (size_t)x->m * n, n_w = (size_t)x->code->n_w;
    memcpy(a->Y, y, n * sizeof *y);
    memcpy(a->Yp, yp, n * sizeof *yp);
    memset(a->Y + n, 0, all * sizeof *y);
    memset(a->Yp + n, 0, all * sizeof *y);
    if (n_w) memset(x->dw, 0, (size_t)x->m * n_w * sizeof *x->dw);
    for (int i = 0; i < a->n_x; i++) a->Y[(size_t)(1 + a->m + i) * n + (size_t)a->states[i]] = 1;
    for (size_t j = 0; j < n_w; j++) vary_discrete(x, a->m + a->n_x + (int)j)[j] = 1;
    return vary_follow(x, t, y, yp, x->m, NULL, true, a->Y + n, a->Yp + n);
}

static int adjoint_event(void *user, double t, double *y, double *yp, int *changed)
{
    run_state *s = user;
    run_variation *x = s->variation;
    run_adjoint *a = x->adjoint;
    size_t n = (size_t)a->n, n_w = (size_t)x->code->n_w, w = (size_t)s->model->n_w;
    int rc = set_directions(a, t, y, yp);
    if (rc) return -1;
    double *kept = events_add(a);
    if (!kept) return -1;
    kept[0] = t;
    memcpy(kept + 1, s->w, w * sizeof *s->w);
    rc = vary_event_handle(user, t, a->Y, a->Yp, changed);
    memcpy(y, a->Y, n * sizeof *y);
    memcpy(yp, a->Yp, n * sizeof *yp);
    if (rc < 0 || !(*changed > 0)) {
        a->events.n--;
        return rc;
    }
    double *to = kept + 1 + w;
    for (int k = 0; k < x->m; k++) {
        for (int i = 0; i < a->n_x; i++) *to++ = a->Y[(size_t)(1 + k) * n + (size_t)a->states[i]];
        for (size_t j = 0; j < n_w; j++) *to++ = vary_discrete(x, k)[j];
    }
    return rc;
}

const vinc_problem *adjoint_problem(run_adjoint *a, size_t most)
{
    run_variation *x = a->x;
    size_t n_w = (size_t)x->code->n_w, all = (size_t)a->m * (size_t)a->n;
    const double *dy, *dyp;
    vary_started(x, &dy, &dyp);
    if (all) memcpy(a->dy_start, dy, all * sizeof *dy), memcpy(a->dyp_start, dyp, all * sizeof *dy);
    if (n_w && a->m) memcpy(a->dw_start, x->dw, (size_t)a->m * n_w * sizeof *x->dw);
    a->problem = x->s->problem;
    a->events.n = 0;
    a->events.most = most;
    if (a->Y) {
        a->problem.event = adjoint_event;
        a->problem.follows = NULL; // no other problem behind an event: vary.h refuses to slide
    }
    return &a->problem;
}

bool adjoint_full(const run_adjoint *a)
{
    return a->events.full;
}

void adjoint_events(run_adjoint *a, double t)
{
    run_variation *x = a->x;
    run_state *s = x->s;
    adjoint_events_kept *e = &a->events;
    size_t n_w = (size_t)x->code->n_w, w = (size_t)s->model->n_w, rows = (size_t)a->n_x + n_w;
    for (; e->n && e->at[(e->n - 1) * e->each] > t; e->n--) {
        const double *kept = e->at + (e->n - 1) * e->each, *slope = kept + 1 + w;
        for (int i = 0; i < a->n_x; i++) a->behind[i] = a->lambda[a->states[i]];
        memcpy(a->behind + a->n_x, a->q, n_w * sizeof *a->q);
        memset(a->lambda, 0, (size_t)a->n * sizeof *a->lambda);
        for (int k = 0; k < x->m; k++, slope += rows) {
            double sum = 0;
            for (size_t r = 0; r < rows; r++) sum += a->behind[r] * slope[r];
            if (k < a->m) a->direct[k] += sum;
            else if (k < a->m + a->n_x) a->lambda[a->states[k - a->m]] = sum;
            else a->q[k - a->m - a->n_x] = sum;
        }
        memcpy(s->w, kept + 1, w * sizeof *s->w);
    }
}

/* ---- from the end to the start --------------------------------------------------------------- */

void adjoint_begin(run_adjoint *a, int output, double t, const double *y, const double *yp)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_COMPUTED];
    tape_ref from = x->s->model->outputs.from[output];
    int n = a->n, at = tape_index_of(from), column;
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    memset(a->by_yp, 0, (size_t)n * sizeof *a->by_yp);
    if (a->n_given) memset(a->q, 0, (size_t)a->n_given * sizeof *a->q);
    a->at_end = true;
    switch (tape_kind_of(from)) {
    case TAPE_Y: a->lambda[at] = 1; return;
    case TAPE_YP: a->by_yp[at] = 1; return;
    case TAPE_W:
        column = x->code->w_column[at];
        if (column) a->q[column - 1] = 1;
        return;
    case TAPE_P:
        column = x->code->p_column[at];
        if (column) a->q[x->code->n_w + column - 1] = 1;
        return;
    default: break;
    }
    vary_at(x, f, t, y, yp);
    for (int j = 0; f->code && j < 2 * n + a->n_given; j++)
        for (int e = f->pattern.start[1 + j]; e < f->pattern.start[2 + j]; e++) {
            if (f->pattern.row[e] != at) continue;
            if (j < n) a->lambda[j] = x->values[e];
            else if (j < 2 * n) a->by_yp[j - n] = x->values[e];
            else a->q[j - 2 * n] = x->values[e];
        }
}

static void fill_matrix(run_adjoint *a, double h)
{
    int n = a->n, k = 0, nnz = a->x->code->of[CODE_V_RESIDUAL].pattern.nnz;
    for (int i = 0; i < S; i++) {
        const double *v = a->values + (size_t)i * (size_t)nnz;
        for (int r = 0; r < n; r++)
            for (int j = 0; j < S; j++)
                for (int e = a->first[r]; e < a->first[r + 1]; e++) {
                    const adjoint_item *it = &a->items[e];
                    if (i != j && it->yp < 0) continue;
                    double sum = i == j && it->y >= 0 ? v[it->y] : 0;
                    if (it->yp >= 0) sum += a->b[i][j] / h * v[it->yp];
                    a->a[k++] = sum;
                }
    }
}

int adjoint_step(run_adjoint *a, double t, double h, const double *y, const double *yp)
{
    run_variation *x = a->x;
    const code_varied *f = &x->code->of[CODE_V_RESIDUAL];
    const vinc_pattern *p = &f->pattern;
    int n = a->n;
    if (!n || !f->code) return VINC_OK;
    for (int i = 0; i < S; i++)
        vary_values(x, f, t + a->c[i] * h, y + i * n, yp + i * n,
                    a->values + (size_t)i * (size_t)p->nnz);
    fill_matrix(a, h);
    memset(a->mu, 0, S * (size_t)n * sizeof *a->mu);
    memcpy(a->mu + (S - 1) * n, a->lambda, (size_t)n * sizeof *a->mu);
    for (int j = 0; j < S && a->at_end; j++)
        for (int u = 0; u < n; u++) a->mu[j * n + u] += a->b[S - 1][j] / h * a->by_yp[u];
    int status = la_factor(a->la, a->a, NULL, 0, 0);
    if (status) return status == LA_SINGULAR ? VINC_E_SINGULAR : VINC_E_MEMORY;
    la_solve(a->la, a->mu);
    memset(a->lambda, 0, (size_t)n * sizeof *a->lambda);
    for (int i = 0; i < S; i++) {
        const double *v = a->values + (size_t)i * (size_t)p->nnz, *mu = a->mu + i * n;
        double all = (a->b[i][0] + a->b[i][1] + a->b[i][2]) / h;
        for (int u = 0; u < n; u++) {
            double sum = 0;
            for (int e = p->start[1 + n + u]; e < p->start[2 + n + u]; e++)
                sum += v[e] * mu[p->row[e]];
            a->lambda[u] += all * sum;
            if (a->at_end && i == S - 1) a->lambda[u] -= all * a->by_yp[u];
        }
        for (int j = 0; j < a->n_given; j++)
            for (int e = p->start[1 + 2 * n + j]; e < p->start[2 + 2 * n + j]; e++)
                a->q[j] -= v[e] * mu[p->row[e]];
    }
    a->at_end = false;
    return VINC_OK;
}

void adjoint_end(const run_adjoint *a, double *slopes)
{
    const run_variation *x = a->x;
    const double *dy = a->dy_start, *dyp = a->dyp_start;
    int n = a->n, n_w = x->code->n_w;
    for (int k = 0; k < a->m; k++) {
        double sum = a->direct[k];
        const double *dw = a->dw_start + (size_t)k * (size_t)n_w;
        for (int i = 0; i < n; i++) sum += a->lambda[i] * dy[k * n + i];
        for (int i = 0; i < n && a->at_end; i++) sum += a->by_yp[i] * dyp[k * n + i];
        for (int j = 0; j < n_w; j++) sum += a->q[j] * dw[j];
        for (int j = 0; j < x->code->n_p; j++) sum += a->q[n_w + j] * vary_parameters(x, k)[j];
        slopes[k] = sum;
    }
}
