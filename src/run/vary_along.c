/* Products of a derivative with few directions, without its entries: a program that carries one direction along
 * with the values (derive/derive.h) costs about two evaluations, where equations of equal shape are computed
 * side by side. With many directions the entries are cheaper, which are computed once and multiply four or
 * eight directions at a time (vary_wide.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"
#include "run/vary_parts.h"

#include <string.h>

/* Instructions, as compiled for vectors of four and counted on a Brusselator, cells of a reactor, masses on springs
 * and a rod, 30 to 100 unknowns: of an entry that multiplies directions, and for each group of four of them; or one;
 * of a row in each direction, by entries and along; of calls, by entries for all and along for each. */
static const double ENTRY = 5, ENTRY_OF_GROUP = 2, ENTRY_OF_ONE = 12;
static const double ROW_BY_ENTRIES = 6, ROW_ALONG = 4;
static const double CALL_BY_ENTRIES = 2500, CALL_ALONG = 100;
/* How often a matrix is multiplied with: iterations go back to theirs. */
static const double PRODUCTS_OF[2] = {[CODE_V_RESIDUAL] = 1.75, [CODE_V_RHS] = 1};

static bool along_is_less(const run_variation *x, code_variant of)
{
    const code_along *a = &x->code->along[of];
    const code_varied *f = &x->code->of[of];
    if (!x->along_allowed || !a->code || !f->code || !x->moving) return false;
    const int *start = f->pattern.start;
    int m = x->moving, n = x->n, given = 1 + 2 * n, most = VARY_GROUPS * VARY_WIDE;
    int passes = (m + most - 1) / most, groups = (m + VARY_WIDE - 1) / VARY_WIDE;
    double entry = m == 1 ? ENTRY_OF_ONE : passes * ENTRY + groups * ENTRY_OF_GROUP;
    double once =
        f->instructions + CALL_BY_ENTRIES + ENTRY_OF_ONE * (f->pattern.nnz - start[given]);
    double by_entries =
        once / PRODUCTS_OF[of] + entry * (start[given] - start[1]) + ROW_BY_ENTRIES * m * n;
    return m * (a->instructions + CALL_ALONG + ROW_ALONG * n) < by_entries;
}

void vary_allow_along(run_variation *x)
{
    x->along_allowed = true;
}

void vary_along_choose(run_variation *x)
{
    for (int k = 0; k < 2; k++) x->along[k] = along_is_less(x, (code_variant)k);
}

void vary_along_begin(run_variation *x)
{
    if (x->code->extent_along)
        memset(x->along_w, 0, (size_t)x->code->extent_along * sizeof *x->along_w);
    x->along_k[0] = x->along_k[1] = -1;
}

/* What the parameters do in direction k. */
static void along_parameters(run_variation *x, const code_along *a, int k, double sign)
{
    const double *dp = vary_parameters(x, k);
    const int *list = x->moved_list + (size_t)k * (size_t)(x->code->n_p + 1);
    for (; *list >= 0; list++) {
        int at = x->code->p_place[*list];
        if (at < a->n_params) x->along_w[a->p + at] = sign * dp[*list];
    }
}

static void along_given(run_variation *x, code_variant of, int k)
{
    const code_along *a = &x->code->along[of];
    const double *dw = vary_discrete(x, k);
    for (int j = 0; j < x->code->n_w; j++)
        if (x->code->w_slot[j] < a->n_slots) x->along_w[a->w + x->code->w_slot[j]] = dw[j];
    if (x->along_k[of] == k) return;
    if (x->along_k[of] >= 0) along_parameters(x, a, x->along_k[of], 0);
    along_parameters(x, a, k, 1);
    x->along_k[of] = k;
}

bool vary_along_times(run_variation *x, code_variant of, double t, const double *y,
                      const double *yp, const double *dY, const double *dYp, double *out)
{
    run_state *s = x->s;
    const code_along *a = &x->code->along[of];
    int n = x->n;
    size_t bytes = (size_t)n * sizeof *dY;
    tape_args args = run_args(s, t, y, yp);
    memcpy(x->along_w, s->w, (size_t)s->model->n_w * sizeof *x->along_w);
    args.w = x->along_w;
    args.scratch = x->scratch;
    for (int k = 0; k < x->moving; k++) {
        along_given(x, of, k);
        memcpy(x->along_w + a->v, dY + k * n, bytes);
        if (dYp) memcpy(x->along_w + a->vp, dYp + k * n, bytes);
        args.out = out + k * n;
        tape_eval(a->code, &args);
    }
    return problem_finite(out, x->moving * n);
}
