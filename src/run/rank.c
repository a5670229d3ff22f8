/* Where constraints depend on each other: redundant ones, singular positions.
 *
 * G has a row for every constraint f_i and a column for every unknown: df_i^(k) / dx_j^(d_j - c_i +
 * k) is the same for every k, so that the derivative of f_i that the formulation can evaluate is
 * taken. Columns are in units of the nominals, rows of equal size. The left singular vectors of
 * vanishing singular values name the equations that say the same; the null space of the
 * multipliers' columns names the multipliers that are not unique.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/dense.h"
#include "la/wide.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

enum { CONSTRAINTS_SMALL_MAX = 30 }; // constraints: up to here singular values cost next to nothing
/* ---- the part of a run ----------------------------------------------------------------------- */

void rank_layout(run_regular *x, const code_model *m, bump *b)
{
    x->scale = bump_double(b, m->rank ? (size_t)m->rank->m : 0);
}

void rank_begin(run_regular *x, const code_model *m)
{
    x->seen = 0;
    x->wide_most = 0;
    if (m->rank) memset(x->scale, 0, (size_t)m->rank->m * sizeof *x->scale);
}

void rank_free(run_regular *x)
{
    la_wide_free(x->wide);
}

/* ---- singular values ------------------------------------------------------------------------- */

typedef struct workspace {
    double *dy, *dyp, *g, *G, *sigma, *U, *work;
} workspace;

static size_t rank_work(workspace *w, const code_rank *x, bool dense, void *block)
{
    bump b = bump_begin(block);
    size_t m = (size_t)x->m, n = (size_t)x->n;
    w->dy = bump_double(&b, (size_t)x->jac.n_out);
    w->dyp = bump_double(&b, (size_t)x->jac.n_out);
    w->g = bump_double(&b, (size_t)x->g.nnz);
    if (!dense) return bump_end(&b);
    w->G = bump_double(&b, m * n);
    w->sigma = bump_double(&b, m + n);
    w->U = bump_double(&b, m * m);
    w->work = bump_double(&b, la_svd_work(x->m, x->n));
    return bump_end(&b);
}

/* The entries of G. */
static void rank_evaluate(run_state *s, workspace *w, double t, const double *y, const double *yp)
{
    const code_rank *x = s->model->rank;
    run_eval(s, &x->jac, t, y, yp, w->dy, w->dyp);
    for (int e = 0; e < x->g.nnz; e++) {
        double *scale = &s->regular.scale[x->g.row[e]];
        w->g[e] = w->dy[x->value[e]] * s->nominal[x->component[e]];
        *scale = fmax(*scale, fabs(w->g[e]));
    }
    for (int e = 0; e < x->g.nnz; e++) {
        double scale = s->regular.scale[x->g.row[e]];
        if (scale > 0) w->g[e] /= scale;
    }
}

static void rank_gather(const code_rank *x, const double *g, double *G)
{
    memset(G, 0, (size_t)x->m * (size_t)x->n * sizeof *G);
    for (int j = 0; j < x->n; j++)
        for (int e = x->g.start[j]; e < x->g.start[j + 1]; e++) G[x->g.row[e] + j * x->m] = g[e];
}

/* Singular values of G, as many as rows: those beyond the number of columns are 0. */
static int rank_decompose(run_state *s, workspace *w, double t, const double *y, const double *yp,
                          bool vectors)
{
    const code_rank *x = s->model->rank;
    rank_evaluate(s, w, t, y, yp);
    rank_gather(x, w->g, w->G);
    memset(w->sigma, 0, (size_t)(x->m + x->n) * sizeof *w->sigma);
    return la_svd(x->m, x->n, w->G, w->sigma, vectors ? w->U : NULL, NULL, w->work) < 0 ? 1 : 0;
}

static int rank_count(const code_rank *x, const double *sigma)
{
    int rank = 0;
    while (rank < x->m && sigma[rank] > RUN_DEPENDENT * sigma[0]) rank++;
    return rank;
}

static void *rank_work_new(run_state *s, workspace *w, bool dense, size_t *bytes)
{
    *bytes = rank_work(w, s->model->rank, dense, NULL);
    void *block = mem_try(s->m, *bytes);
    if (block) rank_work(w, s->model->rank, dense, block);
    return block;
}

static int by_decomposition(run_state *s, double t, const double *y, const double *yp,
                            double *sigma)
{
    workspace w;
    size_t bytes;
    void *block = rank_work_new(s, &w, true, &bytes);
    if (!block) return VINC_E_MEMORY;
    int rc = rank_decompose(s, &w, t, y, yp, false);
    // Constraints that are redundant everywhere do not count: the largest rank met is the full one.
    int rank = rank_count(s->model->rank, w.sigma);
    if (rank > s->regular.seen) s->regular.seen = rank;
    *sigma = rank ? w.sigma[s->regular.seen - 1] / w.sigma[0] : 0;
    mem_free(s->m, block, bytes);
    return rc;
}

/* The smallest alone, from sparse factors: where there are many constraints, none of them
 * redundant. */
static int by_iteration(run_state *s, double t, const double *y, const double *yp, double *sigma)
{
    workspace w;
    size_t bytes;
    void *block = rank_work_new(s, &w, false, &bytes);
    if (!block || (!s->regular.wide && la_wide_new(s->m, &s->model->rank->g, &s->regular.wide))) {
        mem_free(s->m, block, bytes);
        return VINC_E_MEMORY;
    }
    rank_evaluate(s, &w, t, y, yp);
    int rc = la_wide_factor(s->regular.wide, w.g);
    if (rc == LA_OK && !(s->regular.wide_most > 0))
        s->regular.wide_most = la_wide_most(s->regular.wide);
    *sigma = rc == LA_OK ? la_wide_least(s->regular.wide) / s->regular.wide_most : 0;
    mem_free(s->m, block, bytes);
    return rc < 0 ? VINC_E_MEMORY : 0;
}

int run_regularity(void *user, double t, const double *y, const double *yp, double *sigma)
{
    run_state *s = user;
    int m = s->model->rank->m;
    return (m > CONSTRAINTS_SMALL_MAX && s->regular.seen == m ? by_iteration : by_decomposition)(
        s, t, y, yp, sigma);
}

bool run_rank_matrix(run_state *s, double t, const double *y, const double *yp, double *G)
{
    workspace w;
    size_t bytes;
    void *block = rank_work_new(s, &w, false, &bytes);
    if (!block) return false;
    rank_evaluate(s, &w, t, y, yp);
    rank_gather(s->model->rank, w.g, G);
    mem_free(s->m, block, bytes);
    return true;
}

int run_rank(run_state *s, double t, const double *y, const double *yp, double *sigma, double *U)
{
    workspace w;
    size_t bytes;
    const code_rank *x = s->model->rank;
    void *block = rank_work_new(s, &w, true, &bytes);
    if (!block) return -1;
    int rank = rank_decompose(s, &w, t, y, yp, U != NULL) ? -1 : rank_count(x, w.sigma);
    if (U) memcpy(U, w.U, (size_t)(x->m * x->m) * sizeof *U);
    memcpy(sigma, w.sigma, (size_t)x->m * sizeof *sigma);
    mem_free(s->m, block, bytes);
    return rank;
}
