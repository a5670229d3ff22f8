/* Multiple eigenvalues.
 *
 * An eigenvalue with a chain of m vectors is found to the m-th root of round-off only: two masses that
 * nothing holds have 0 twice, and LAPACK answers +-6e-9. Where ranks show the chains (jordan.c), the
 * eigenvalue is told as often as it occurs, with the mean, which is accurate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "pencil/pencil.h"
#include "pencil/state_space.h"

#include <math.h>
#include <string.h>

#define CONDITION_OF_SIMPLE_MODES 1e6   // of the eigenvectors: below, no two nearly fall together
#define AXIS_TOL                  1e-14 // what rounding leaves of a mean that is 0

void pencil_roots(arena *a, pencil *p, const double *f, const double *g)
{
    pencil_finite_jordan(a, p, f, g, 0);
    if (!p->finite_jordan) return;
    double *re = p->eig_re, *im = p->eig_im;
    for (int b = 0, filled = 0; b < p->n_finite_blocks; b++) {
        double x = p->finite_re[b], y = p->finite_im[b];
        int width = y != 0 ? 2 : 1, count = width * p->finite_blocks[b], at = filled;
        for (; at > 0 && hypot(re[at - 1], im[at - 1]) > hypot(x, y); at--)
            re[at - 1 + count] = re[at - 1], im[at - 1 + count] = im[at - 1];
        for (int i = 0; i < count; i++) re[at + i] = x, im[at + i] = i % width ? -y : y;
        filled += count;
    }
}

// The mode that is nearest to x + iy, of those that are not taken.
static int nearest_mode(const linear_modes *m, const bool *taken, double x, double y)
{
    int best = -1;
    for (int i = 0; i < m->n; i++)
        if (!taken[i] && (best < 0 || hypot(m->re[i] - x, m->im[i] - y) <
                                          hypot(m->re[best] - x, m->im[best] - y)))
            best = i;
    return best;
}

/* A pair that has become one real value twice has one shape, too. */
static void same_shape(linear_modes *m, int i)
{
    size_t n = (size_t)m->n;
    double *pair = m->vectors + (size_t)i * n;
    if (m->im[i] == 0 && m->im[i + 1] == 0) memcpy(pair + n, pair, n * sizeof *pair);
}

void linear_multiple(arena *a, const double *matrix, linear_modes *m)
{
    int n = m->n;
    double *minus_one = arena_array(a, double, (size_t)n *(size_t)n + 1), size = 0;
    bool *taken = arena_array(a, bool, n + 1), *pair = arena_array(a, bool, n + 1);
    pencil p;
    if (m->condition < CONDITION_OF_SIMPLE_MODES) return;
    for (int i = 0; i < n; i++) minus_one[(size_t)i * (size_t)(n + 1)] = -1;
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++) size = hypot(size, matrix[i]);
    if (pencil_analyse(a, n, minus_one, matrix, &p) || !p.regular || p.n_finite != n) return;
    pencil_finite_jordan(a, &p, minus_one, matrix, 0);
    if (!p.finite_jordan) return;
    for (int i = 0; i < n; i++) pair[i] = m->im[i] > 0;
    for (int b = 0; b < p.n_finite_blocks; b++) {
        double x = p.finite_re[b], y = p.finite_im[b];
        if (p.finite_blocks[b] < 2) continue;
        if (hypot(x, y) < AXIS_TOL * size) x = y = 0;
        for (int k = 0; k < p.finite_blocks[b]; k++)
            for (int sign = 1; sign >= (y != 0 ? -1 : 1); sign -= 2) {
                int i = nearest_mode(m, taken, x, sign * y);
                taken[i] = true;
                m->re[i] = x, m->im[i] = sign * y, m->fold[i] = p.finite_blocks[b];
            }
    }
    for (int i = 0; i < n; i++)
        if (pair[i]) same_shape(m, i);
}
