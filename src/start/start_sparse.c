/* Start values of large systems.
 *
 * As many unknowns as rows are solved for, by a sparse Newton method; the rest keep their start
 * values. Which ones: algebraic unknowns and derivatives first, then states that nobody gave a
 * value, then the other states, each only if it helps to match a row (augmenting paths on the
 * entries that are not zero at the start).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "graph/graph.h"
#include "newton/newton.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

typedef struct sparse {
    start_entries e;
    int *col_of, *row_of; // the column of a row, the row of a column; -1: none
    /* The square system: its columns are z[pick[j]]. */
    int *pick, *start, *index, *from;
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
        bool given = entry >= 0 && a->m->parameters.entries[entry].given;
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

/* The square system, columns in the order of z. */
static void pick_columns(sparse *q)
{
    int k = 0, count = 0;
    for (int z = 0; z < q->e.n_z; z++) {
        if (q->row_of[z] < 0) continue;
        q->pick[k] = z;
        q->start[k++] = count;
        for (int e = q->e.begin[z]; e < q->e.begin[z + 1]; e++) { // ascending rows, by insertion
            int p = count++;
            while (p > q->start[k - 1] && q->index[p - 1] > q->e.row[e]) {
                q->index[p] = q->index[p - 1];
                q->from[p] = q->from[p - 1];
                p--;
            }
            q->index[p] = q->e.row[e];
            q->from[p] = e;
        }
    }
    q->start[k] = count;
    q->pattern = (vinc_pattern){q->e.m, q->e.m, count, q->start, q->index};
}

static void sparse_put(sparse *q, const double *x)
{
    for (int k = 0; k < q->e.m; k++) q->e.a->z[q->pick[k]] = x[k];
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
    for (int k = 0; k < q->e.m; k++) {
        q->x[k] = a->z[q->pick[k]];
        q->nominal[k] = a->nominal[q->pick[k]];
    }
    newton_problem p = {.m = q->e.m,
                        .n = q->e.m,
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

int start_solve_sparse(start *a, least_report *report)
{
    sparse q = {0};
    *report = (least_report){.worst = -1};
    if (start_entries_open(&q.e, a)) return LEAST_MEMORY;
    size_t bytes = sparse_layout(&q, NULL);
    void *block = mem_try(run_mem(a->s), bytes);
    if (!block) return start_entries_close(&q.e), LEAST_MEMORY;
    memset(block, 0, bytes);
    sparse_layout(&q, block);
    memset(a->scaled, 0, (size_t)q.e.m * sizeof *a->scaled);
    start_jacobian(a);
    int rc;
    if (choose_columns(&q, a->sink->a) < q.e.m) {
        rc = without_unknown(&q, report);
    } else {
        pick_columns(&q);
        rc = run_newton(&q, report);
        if (rc > 0) start_residual(a, a->scaled);
        for (int i = 0; i < q.e.m && rc > 0; i++) a->scaled[i] = fabs(a->scaled[i]);
    }
    mem_free(run_mem(a->s), block, bytes);
    start_entries_close(&q.e);
    return rc;
}
