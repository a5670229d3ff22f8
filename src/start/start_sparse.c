/* Start values of large systems.
 *
 * As many unknowns as rows are solved for, by a sparse Newton method; the rest keep their start
 * values. Which ones: algebraic unknowns and derivatives first, then states that nobody gave a
 * value, then the other states, each only if it helps to match a row (augmenting paths on the
 * entries that are not zero at the start).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "newton/newton.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

typedef struct sparse {
    start_entries e;
    int *col_of, *row_of; // matching
    int *mark, *path, *next, *look;
    int phase;
    /* The square system: its columns are z[pick[j]]. */
    int *pick, *start, *index, *from;
    vinc_pattern pattern;
    double *x, *nominal, *value;
} sparse;

static size_t layout(sparse *q, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)q->e.m, z = (size_t)q->e.n_z, nnz = (size_t)q->e.nnz;
    q->col_of = bump_int(&b, m);
    q->row_of = bump_int(&b, z);
    q->mark = bump_int(&b, m);
    q->path = bump_int(&b, z);
    q->next = bump_int(&b, z);
    q->look = bump_int(&b, z);
    q->pick = bump_int(&b, m);
    q->start = bump_int(&b, m + 1);
    q->index = bump_int(&b, nnz);
    q->from = bump_int(&b, nnz);
    q->x = bump_double(&b, m);
    q->nominal = bump_double(&b, m);
    q->value = bump_double(&b, nnz);
    return bump_end(&b);
}

/* A row of the column that is not matched yet, or -1. Rows never become free again. */
static int free_row(sparse *q, int z)
{
    for (; q->look[z] < q->e.begin[z + 1]; q->look[z]++) {
        int e = q->look[z];
        if (q->col_of[q->e.row[e]] < 0 && start_value(&q->e, e) != 0) return q->e.row[e];
    }
    return -1;
}

/* Match column z0, moving others along an alternating path over rows not seen in this phase. */
static bool augment(sparse *q, int z0)
{
    int depth = 0;
    q->path[0] = z0;
    q->next[z0] = q->e.begin[z0];
    while (depth >= 0) {
        int z = q->path[depth], i = free_row(q, z);
        if (i >= 0) { // flip: each column takes the row by which the path went on
            while (depth >= 0) {
                int c = q->path[depth--], old = q->row_of[c];
                q->row_of[c] = i;
                q->col_of[i] = c;
                i = old;
            }
            return true;
        }
        int e = q->next[z]++;
        if (e >= q->e.begin[z + 1]) {
            depth--;
            continue;
        }
        i = q->e.row[e];
        if (q->mark[i] == q->phase || start_value(&q->e, e) == 0) continue;
        q->mark[i] = q->phase;
        int down = q->col_of[i];
        q->path[++depth] = down;
        q->next[down] = q->e.begin[down];
    }
    return false;
}

static int choose_columns(sparse *q)
{
    const start *a = q->e.a;
    int matched = 0, n = a->m->n;
    for (int i = 0; i < q->e.m; i++) q->col_of[i] = -1;
    for (int z = 0; z < q->e.n_z; z++) {
        q->row_of[z] = -1;
        q->look[z] = q->e.begin[z];
    }
    for (int rank = 0; rank < 3; rank++)
        for (int found = 1; found;) {
            found = 0;
            q->phase++;
            for (int z = 0; z < q->e.n_z && matched < q->e.m; z++) {
                int e = z < n ? start_entry(a, z) : -1;
                bool state = a->weight[z] > 0, given = e >= 0 && a->m->parameters.entries[e].given;
                if (a->fixed[z] || q->row_of[z] >= 0 || rank != (state ? given ? 2 : 1 : 0))
                    continue;
                int more = augment(q, z);
                matched += more;
                found += more;
            }
        }
    return matched;
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

static void put(sparse *q, const double *x)
{
    for (int k = 0; k < q->e.m; k++) q->e.a->z[q->pick[k]] = x[k];
    start_spread(q->e.a, q->e.a->z);
}

static int residual(void *user, const double *x, double *r)
{
    sparse *q = user;
    put(q, x);
    return start_residual(q->e.a, r);
}

static int jacobian(void *user, const double *x, double *values)
{
    sparse *q = user;
    put(q, x);
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
                        .residual = residual,
                        .jacobian = jacobian,
                        .user = q,
                        .nominal = q->nominal};
    newton_options o = {.sparse = true, .tol = 1e-10};
    newton *s = newton_new(run_mem(a->s), &p, &o);
    if (!s) return LEAST_MEMORY;
    newton_report done;
    int rc = newton_solve(s, q->x, &done);
    newton_free(s);
    put(q, q->x);
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
    size_t bytes = layout(&q, NULL);
    void *block = mem_try(run_mem(a->s), bytes);
    if (!block) return start_entries_close(&q.e), LEAST_MEMORY;
    memset(block, 0, bytes);
    layout(&q, block);
    memset(a->scaled, 0, (size_t)q.e.m * sizeof *a->scaled);
    start_jacobian(a);
    int rc;
    if (choose_columns(&q) < q.e.m) {
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
