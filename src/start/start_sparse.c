/* Start values of large systems, and of large blocks of them.
 *
 * Of a system as many unknowns as rows are solved for, by a sparse Newton method; the rest keep their start
 * values. Which ones: algebraic unknowns and derivatives first, then states that nobody gave a
 * value, then the other states, each only if it helps to match a row (augmenting paths on the
 * entries that are not zero at the start).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "graph/graph.h"
#include "newton/iterate.h"
#include "newton/linear.h"
#include "start/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct sparse {
    start_entries e;
    int *col_of, *row_of; // the column of a row, the row of a column; -1: none
    /* The square system: its columns are z[pick[j]]. */
    int n, *pick, *start, *index, *from;
    vinc_pattern pattern;
    double *x, *nominal;
} sparse;

static size_t sparse_layout(sparse *q, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)q->e.m, z = (size_t)q->e.n_z, nnz = (size_t)q->e.nnz;
    q->col_of = bump_int(&b, m);
    q->row_of = bump_int(&b, z);
    q->pick = bump_int(&b, m);
    q->start = bump_int(&b, m + 1);
    q->index = bump_int(&b, nnz);
    q->from = bump_int(&b, nnz);
    q->x = bump_double(&b, m);
    q->nominal = bump_double(&b, m);
    return bump_end(&b);
}

/* Columns of z as rows of a pattern, without the entries that are zero here: who is let in first
 * stays in. */
static int choose_columns(sparse *q, arena *scratch)
{
    const start *a = q->e.a;
    arena_mark here = arena_here(scratch);
    int *rank = arena_array(scratch, int, q->e.n_z);
    graph_pattern g = {.n_rows = q->e.n_z, .n_cols = q->e.m};
    g.start = arena_array(scratch, int, q->e.n_z + 1);
    g.col = arena_array(scratch, int, q->e.nnz);
    for (int z = 0, n = 0; z < q->e.n_z; g.start[++z] = n) {
        int entry = z < a->m->n ? start_entry(a, z) : -1;
        bool given = entry >= 0 && start_attributes(a, entry)->given;
        rank[z] = a->fixed[z] ? -1 : !(a->weight[z] > 0) ? 0 : given ? 2 : 1;
        for (int e = q->e.begin[z]; e < q->e.begin[z + 1]; e++)
            if (start_value(&q->e, e) != 0) g.col[n++] = q->e.row[e];
    }
    graph_matching m = graph_match(&g, rank, scratch, scratch);
    memcpy(q->row_of, m.col_of, (size_t)q->e.n_z * sizeof *q->row_of);
    memcpy(q->col_of, m.row_of, (size_t)q->e.m * sizeof *q->col_of);
    arena_release(scratch, here);
    return m.n;
}

/* All rows, and the columns that are matched, in the order of z. */
static void take_matched(sparse *q)
{
    for (int z = 0; z < q->e.n_z; z++)
        if (q->row_of[z] >= 0) q->pick[q->n++] = z;
}

/* Rows of a column ascend. */
static void insert_entry(int *index, int *from, int first, int at, int row, int entry)
{
    for (; at > first && index[at - 1] > row; at--) {
        index[at] = index[at - 1];
        from[at] = from[at - 1];
    }
    index[at] = row;
    from[at] = entry;
}

static void list_entries(sparse *q)
{
    int count = 0;
    for (int k = 0; k < q->n; k++) {
        int z = q->pick[k];
        q->start[k] = count;
        for (int e = q->e.begin[z]; e < q->e.begin[z + 1]; e++)
            insert_entry(q->index, q->from, q->start[k], count++, q->e.row[e], e);
    }
    q->start[q->n] = count;
    q->pattern = (vinc_pattern){q->n, q->n, count, q->start, q->index};
}

static void sparse_put(sparse *q, const double *x)
{
    for (int k = 0; k < q->n; k++) q->e.a->z[q->pick[k]] = x[k];
    start_spread(q->e.a, q->e.a->z);
}

static int sparse_residual(void *user, const double *x, double *r)
{
    sparse *q = user;
    sparse_put(q, x);
    return start_residual(q->e.a, r);
}

static int sparse_jacobian(void *user, const double *x, double *values)
{
    sparse *q = user;
    sparse_put(q, x);
    start_jacobian(q->e.a);
    for (int e = 0; e < q->pattern.nnz; e++) values[e] = start_value(&q->e, q->from[e]);
    return 0;
}

static int run_newton(sparse *q, least_report *report)
{
    start *a = q->e.a;
    for (int k = 0; k < q->n; k++) {
        q->x[k] = a->z[q->pick[k]];
        q->nominal[k] = a->nominal[q->pick[k]];
    }
    newton_problem p = {.m = q->n,
                        .n = q->n,
                        .jac = &q->pattern,
                        .residual = sparse_residual,
                        .jacobian = sparse_jacobian,
                        .user = q,
                        .nominal = q->nominal};
    newton_options o = {.sparse = true, .tol = 1e-10};
    newton *s = newton_new(run_mem(a->s), &p, &o);
    if (!s) return LEAST_MEMORY;
    newton_report done;
    int rc = newton_solve(s, q->x, &done);
    newton_free(s);
    sparse_put(q, q->x);
    report->iterations = done.iterations;
    report->residual = done.residual;
    report->worst = done.n_residuals ? done.worst_residual[0] : -1;
    if (rc == NEWTON_E_MEMORY) return LEAST_MEMORY;
    if (rc == NEWTON_E_UNDEFINED) return LEAST_UNDEFINED;
    return rc == NEWTON_OK ? LEAST_OK : LEAST_DIVERGED;
}

/* Rows that no unknown is left for: they repeat others. Fine as long as they agree. */
static int without_unknown(sparse *q, least_report *report)
{
    for (int i = 0; i < q->e.m; i++)
        if (q->col_of[i] < 0) {
            report->worst = i;
            q->e.a->scaled[i] = 1;
        }
    return LEAST_CONFLICT;
}

static int sparse_open(sparse *q, start *a, void **block, size_t *bytes)
{
    if (start_entries_open(&q->e, a, NULL)) return LEAST_MEMORY;
    *bytes = sparse_layout(q, NULL);
    *block = mem_try_zeroed(run_mem(a->s), *bytes);
    if (!*block) return start_entries_close(&q->e), LEAST_MEMORY;
    sparse_layout(q, *block);
    start_jacobian(a);
    return LEAST_OK;
}

static void sparse_close(sparse *q, void *block, size_t bytes)
{
    mem_free(run_mem(q->e.a->s), block, bytes);
    start_entries_close(&q->e);
}

int start_solve_sparse(start *a, least_report *report)
{
    sparse q = {0};
    void *block;
    size_t bytes;
    *report = (least_report){.worst = -1};
    if (sparse_open(&q, a, &block, &bytes)) return LEAST_MEMORY;
    memset(a->scaled, 0, (size_t)q.e.m * sizeof *a->scaled);
    int rc;
    if (choose_columns(&q, a->sink->a) < q.e.m) {
        rc = without_unknown(&q, report);
    } else {
        take_matched(&q);
        list_entries(&q);
        rc = run_newton(&q, report);
        if (rc > 0) start_residual(a, a->scaled);
        for (int i = 0; i < q.e.m && rc > 0; i++) a->scaled[i] = fabs(a->scaled[i]);
    }
    sparse_close(&q, block, bytes);
    return rc;
}

/* ---- a block --------------------------------------------------------------------------------- */

typedef struct block_search {
    start *a;
    const start_entries *e;
    const start_block *x; // its unknowns, then what does not move
    const int *row_at;
    start_piece *piece; // NULL: all rows are evaluated
    int n, *start, *index, *from;
    vinc_pattern pattern;
    linear l;
    double *all; // residuals, by row of the system
    double *z, *z_new, *dz, *r, *r_new, *nominal;
    double *size; // of the terms of a row
    bool stopped;
} block_search;

static int block_entries(const block_search *q)
{
    int n = 0;
    for (int k = 0; k < q->n; k++)
        for (int e = q->e->begin[q->x->cols[k]]; e < q->e->begin[q->x->cols[k] + 1]; e++)
            n += q->row_at[q->e->row[e]] >= 0;
    return n;
}

static size_t block_layout(block_search *q, int nnz, void *block)
{
    bump b = bump_begin(block);
    size_t n = (size_t)q->n;
    q->start = bump_int(&b, n + 1);
    q->index = bump_int(&b, (size_t)nnz);
    q->from = bump_int(&b, (size_t)nnz);
    double **vectors[] = {&q->z, &q->z_new, &q->dz, &q->r, &q->r_new, &q->nominal, &q->size};
    for (int k = 0; k < 7; k++) *vectors[k] = bump_double(&b, n);
    return bump_end(&b);
}

static void block_list_entries(block_search *q)
{
    int count = 0;
    for (int k = 0; k < q->n; k++) {
        int z = q->x->cols[k];
        q->start[k] = count;
        for (int e = q->e->begin[z]; e < q->e->begin[z + 1]; e++) {
            int row = q->row_at[q->e->row[e]];
            if (row < 0) continue;
            insert_entry(q->index, q->from, q->start[k], count++, row, e);
        }
    }
    q->start[q->n] = count;
    q->pattern = (vinc_pattern){q->n, q->n, count, q->start, q->index};
}

/* What a change of one nominal of any unknown does to a row, those that are not solved for included; `whole`: of
 * the size that they have, too. */
static void measure_terms(block_search *q, bool whole)
{
    const start *a = q->a;
    for (int i = 0; i < q->n; i++) q->size[i] = 0;
    for (int k = 0; k < q->x->n_cols; k++) {
        int z = q->x->cols[k];
        for (int e = q->e->begin[z]; e < q->e->begin[z + 1]; e++) {
            int row = q->row_at[q->e->row[e]];
            double d = fabs(start_value(q->e, e)) * (a->nominal[z] + (whole ? fabs(a->z[z]) : 0));
            if (row >= 0 && isfinite(d)) q->size[row] = fmax(q->size[row], d);
        }
    }
    for (int i = 0; i < q->n; i++)
        if (!(q->size[i] > 0)) q->size[i] = 1;
}

static void block_put(block_search *q, const double *z)
{
    for (int k = 0; k < q->n; k++) q->a->z[q->x->cols[k]] = z[k];
    if (!q->piece) start_spread(q->a, q->a->z);
}

static int block_residual(block_search *q, const double *z, double *r)
{
    block_put(q, z);
    if (q->piece) start_piece_residual(q->piece, q->all);
    if (q->piece ? run_stops(q->a->s) : start_residual(q->a, q->all) < 0) return -1;
    bool finite = true;
    for (int i = 0; i < q->n; i++) {
        r[i] = q->all[q->x->rows[i]];
        finite = finite && isfinite(r[i]);
    }
    return !finite;
}

static double block_norm(const block_search *q, const double *r)
{
    double sum = 0;
    for (int i = 0; i < q->n; i++) sum += r[i] / q->size[i] * (r[i] / q->size[i]);
    return sqrt(sum);
}

static double block_correction(void *user, bool anew, double *measure)
{
    block_search *q = user;
    (void)anew;
    block_put(q, q->z);
    if (q->piece) start_piece_jacobian(q->piece);
    else start_jacobian(q->a);
    for (int e = 0; e < q->pattern.nnz; e++) q->l.values[e] = start_value(q->e, q->from[e]);
    measure_terms(q, false);
    *measure = block_norm(q, q->r);
    if (linear_factor(&q->l)) return -1;
    linear_step(&q->l, q->r, q->dz);
    double most = DBL_MIN;
    for (int k = 0; k < q->n; k++)
        most = fmax(most, fabs(q->dz[k]) / (fabs(q->z[k]) + q->nominal[k]));
    return most;
}

static double block_trial(void *user, double factor)
{
    block_search *q = user;
    for (int k = 0; k < q->n; k++) q->z_new[k] = q->z[k] + factor * q->dz[k];
    int rc = block_residual(q, q->z_new, q->r_new);
    q->stopped = rc < 0;
    return rc ? (rc < 0 ? NAN : INFINITY) : block_norm(q, q->r_new);
}

static bool block_accept(void *user)
{
    block_search *q = user;
    memcpy(q->z, q->z_new, (size_t)q->n * sizeof *q->z);
    memcpy(q->r, q->r_new, (size_t)q->n * sizeof *q->r);
    return true;
}

/* As least.c goes about a block that is small, where every unknown is determined. */
static int search_block(block_search *q, least_report *report)
{
    static const newton_verbs verbs = {block_correction, block_trial, block_accept, NULL};
    newton_policy policy = newton_for_least_change;
    newton_course course;
    policy.vanished = q->a->tol * 1e-3;
    int rc = block_residual(q, q->z, q->r);
    if (rc) return rc < 0 ? LEAST_DIVERGED : LEAST_UNDEFINED;
    newton_iterate(&verbs, q, &policy, &course);
    report->iterations = course.iterations;
    if (q->stopped || course.stuck) return LEAST_DIVERGED;
    block_put(q, q->z);
    measure_terms(q, true);
    for (int i = 0; i < q->n; i++)
        report->residual = fmax(report->residual, fabs(q->r[i]) / q->size[i]);
    return report->residual <= q->a->tol ? LEAST_OK : LEAST_DIVERGED;
}

int start_solve_block(const start_entries *e, const start_block *x, const int *row_at,
                      start_piece *piece, double *all, least_report *report)
{
    start *a = e->a;
    block_search q = {.a = a, .e = e, .x = x, .row_at = row_at, .piece = piece, .all = all};
    q.n = x->n_rows;
    *report = (least_report){.worst = -1};
    int nnz = block_entries(&q);
    size_t bytes = block_layout(&q, nnz, NULL);
    void *block = mem_try(run_mem(a->s), bytes);
    if (!block) return LEAST_MEMORY;
    block_layout(&q, nnz, block);
    block_list_entries(&q);
    for (int k = 0; k < q.n; k++) {
        q.z[k] = a->z[x->cols[k]];
        q.nominal[k] = a->nominal[x->cols[k]];
    }
    newton_problem p = {
        .m = q.n, .n = q.n, .jac = &q.pattern, .nominal = q.nominal, .equation_nominal = q.size};
    int rc = linear_init(&q.l, run_mem(a->s), &p, &(newton_options){.sparse = true})
                 ? LEAST_MEMORY
                 : search_block(&q, report);
    linear_done(&q.l);
    mem_free(run_mem(a->s), block, bytes);
    return rc;
}
