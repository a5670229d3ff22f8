/* Creation, choice of backend, condition estimate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/la.h"

#include "la/abreast.h"
#include "la/backends.h"
#include "la/deficient.h"
#include "la/pins.h"

#include <math.h>
#include <string.h>

const la_backend *const la_backends[] = {
    &la_backend_inverse, &la_backend_small,   &la_backend_lapack, &la_backend_klu,
    &la_backend_indexed, &la_backend_superlu, &la_backend_fronts, NULL,
};

const la_backend *la_choose_pivoting(double work)
{
    if (work <= LA_BLOCKS_WORK_MIN) return &la_backend_indexed;
    if (la_backend_superlu.open) return &la_backend_superlu; // a build may lack them
    return la_backend_klu.open ? &la_backend_klu : &la_backend_lapack;
}

const la_backend *la_choose_general(int n, long nnz)
{
    if (n > LA_PIVOTING_DENSE_MAX && (double)nnz < LA_SPARSE_DENSITY_MAX * n * n &&
        la_backend_klu.open)
        return &la_backend_klu;
    return n <= LA_SMALL_MAX ? &la_backend_small : &la_backend_lapack;
}

/* Where the diagonal is not full, fronts hand on to lists of indices, which beat KLU by two to four
 * times, or to SuperLU. */
static const la_backend *choose_backend(int n, long nnz, bool is_complex)
{
    bool sparse =
        n > LA_DENSE_ANY_MAX && n <= LA_LISTS_MAX && (double)nnz < LA_LISTS_DENSITY_MAX * n * n;
    if (sparse) return &la_backend_indexed;
    if (n <= LA_INVERSE_MAX) return &la_backend_inverse;
    const la_backend *general = la_choose_general(n, nnz);
    if (n <= LA_LISTS_MAX || general->dense) return general;
    return is_complex ? &la_backend_indexed : &la_backend_fronts;
}

const char *la_choose(int n, long nnz, bool is_complex)
{
    return choose_backend(n, nnz, is_complex)->name;
}

static const la_backend *la_find(const char *name)
{
    for (const la_backend *const *b = la_backends; *b; b++)
        if (!strcmp((*b)->name, name)) return *b;
    return NULL;
}

static size_t full_bytes(int n)
{
    return ((size_t)n * (size_t)n + (size_t)n + 1) * sizeof(int);
}

/* Every entry, by columns: for a sparse backend that is given no pattern. */
static int make_full(la_solver *s)
{
    int n = s->config.n, *start = mem_try(s->m, full_bytes(n)), *row = start + n + 1;
    if (!start) return LA_E_MEMORY;
    for (int j = 0; j <= n; j++) start[j] = j * n;
    for (int k = 0; k < n * n; k++) row[k] = k % n;
    s->full = (vinc_pattern){n, n, n * n, start, row};
    s->config.pattern = &s->full;
    return LA_OK;
}

void la_guess_work(int size, long nnz, double *factor, double *solve)
{
    const double FILL = 3, UPDATES = 6; // choice: chains and networks have less, grids more
    double n = size, entries = FILL * (double)nnz;
    bool dense = choose_backend(size, nnz, false)->dense || UPDATES * entries > n * n * n / 3;
    *factor = dense ? n * n * n / 3 + n * n : UPDATES * entries;
    *solve = dense ? n * n : entries;
}

void la_set_work(la_solver *s, double factor, double solve)
{
    double part = s->config.is_complex ? LA_COMPLEX : 1;
    s->work_factor = part * factor;
    s->work_solve = part * solve;
}

static void count_work(const la_solver *s, double work)
{
    if (s->config.work) *s->config.work += work;
}

int la_new(mem *m, const la_config *config, la_solver **out)
{
    *out = NULL;
    int n = config->n;
    long nnz = config->pattern ? config->pattern->nnz : (long)n * n;
    const la_backend *b =
        config->shared
            ? &la_backend_shared
            : la_find(config->backend ? config->backend : la_choose(n, nnz, config->is_complex));
    if (!b || (b->n_max && n > b->n_max) || (config->is_complex && !b->is_complex))
        return LA_E_BACKEND;

    la_solver *s = mem_try(m, sizeof *s);
    if (!s) return LA_E_MEMORY;
    *s = (la_solver){.backend = b, .config = *config, .m = m, .defect = -1};
    double factor, solve;
    la_guess_work(n, nnz, &factor, &solve);
    la_set_work(s, factor, solve);
    int status = b->dense || config->pattern ? LA_OK : make_full(s);
    if (!status) status = b->open(s);
    if (!status && config->blocks > 1 && config->is_complex) {
        s->part = mem_try(m, 2 * (size_t)n * sizeof(double) + 1);
        status = s->part ? LA_OK : LA_E_MEMORY;
    }
    if (status) return la_free(s), status;
    *out = s;
    return LA_OK;
}

void la_free(la_solver *s)
{
    if (!s) return;
    la_abreast_free(s->m, s->abreast);
    if (s->state) s->backend->close(s);
    if (s->part) mem_free(s->m, s->part, 2 * (size_t)s->config.n * sizeof(double) + 1);
    la_deficient_free(s->m, s->deficient);
    la_pins_free(s->m, s->pins);
    mem_free(s->m, (int *)s->full.start, s->full.start ? full_bytes(s->config.n) : 0);
    mem_free(s->m, s, sizeof *s);
}

static int la_forgive(la_solver *s, const double *a, const double *m, double re, double im)
{
    int n = s->config.n;
    if (n > LA_DEFICIENT_MAX) return LA_SINGULAR;
    s->by_pins = s->pins && !la_pins_factor(s->pins, a, m, re, im);
    if (s->by_pins) {
        s->defect = la_pins_open(s->pins);
        s->is_deficient = true;
        return LA_OK;
    }
    if (!s->deficient) s->deficient = la_deficient_new(s->m, n);
    if (!s->deficient) return LA_E_MEMORY;
    s->is_deficient = la_deficient_factor(s->deficient, s, a, m, re, im) >= 0;
    if (!s->is_deficient) return LA_SINGULAR;
    s->defect = la_deficient_open(s->deficient);
    la_pins_free(s->m, s->pins);
    s->pins = la_pins_new(s, s->deficient);
    return LA_OK;
}

/* After the backend. */
static inline int la_factored(la_solver *s, const double *a, const double *m, la_number c,
                              int status)
{
    s->n_factor++;
    s->is_deficient = false;
    count_work(s, s->work_factor);
    return status == LA_SINGULAR && s->config.forgiving ? la_forgive(s, a, m, c.re, c.im) : status;
}

int la_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    s->by_abreast = NULL;
    int status = s->backend->factor(s, a, m, re, im);
    return la_factored(s, a, m, (la_number){re, im}, status);
}

int la_factor_several(la_solver *const *s, int count, const double *a, const double *m,
                      const la_number *c, int *tried)
{
    bool inverse = count && s[0]->backend == &la_backend_inverse;
    int status = LA_OK, i = 0, together = 0;
    if (inverse) together = la_inverse_several(s, count, a, m, c);
    else if (la_abreast_factor(s, count, a, m, c)) together = count;
    for (; i < count && !status; i++) {
        if (i >= together) status = s[i]->backend->factor(s[i], a, m, c[i].re, c[i].im);
        status = la_factored(s[i], a, m, c[i], status);
    }
    *tried = i;
    return status;
}

static void solve_block(la_solver *s, double *b)
{
    la_vector all = {b, s->config.is_complex ? b + s->config.n : NULL};
    if (s->by_abreast) la_abreast_solve(&s, 1, &all);
    else if (s->is_deficient && s->by_pins) la_pins_solve(s->pins, b);
    else if (s->is_deficient) la_deficient_solve(s->deficient, s, b);
    else s->backend->solve(s, b);
}

/* The first blocks of those left, at most four; the first stands in for those that are missing. */
static bool four_together(la_solver *s, double *b, size_t left)
{
    size_t n = (size_t)s->config.n, blocks = (size_t)s->config.blocks;
    double *re[4], *im[4];
    for (size_t k = 0; k < 4; k++) {
        re[k] = b + (k < left ? k : 0) * n;
        im[k] = s->config.is_complex ? re[k] + blocks * n : NULL;
    }
    return s->backend->solve_four(s, re, im);
}

void la_solve(la_solver *s, double *b)
{
    if (s->config.blocks > 1 || s->part || s->by_abreast || s->is_deficient) {
        la_solve_blocks(s, b, 0, s->config.blocks > 1 ? s->config.blocks : 1);
        return;
    }
    la_count_solve(s);
    s->backend->solve(s, b);
}

void la_count_solve(la_solver *s)
{
    s->n_solve++;
    count_work(s, s->work_solve);
}

bool la_solve_several(la_solver *const *s, int count, const la_vector *b)
{
    for (int i = 0; i < count; i++)
        if (!s[i]->by_abreast || s[i]->by_abreast != s[0]) return false;
    for (int i = 0; i < count; i++) la_count_solve(s[i]);
    la_abreast_solve(s, count, b);
    return true;
}

void la_solve_blocks(la_solver *s, double *b, int first, int count)
{
    size_t n = (size_t)s->config.n, blocks = s->config.blocks > 1 ? (size_t)s->config.blocks : 1;
    s->n_solve++;
    count_work(s, count * s->work_solve);
    bool together = s->backend->solve_four && !s->is_deficient;
    for (size_t k = (size_t)first, end = (size_t)(first + count); k < end; k++) {
        if (together && end - k > 1 && four_together(s, b + k * n, end - k)) {
            k += end - k > 4 ? 3 : end - k - 1;
            continue;
        }
        double *re = b + k * n, *im = b + (blocks + k) * n;
        if (!s->part) {
            solve_block(s, re);
            continue;
        }
        memcpy(s->part, re, n * sizeof *b);
        memcpy(s->part + n, im, n * sizeof *b);
        solve_block(s, s->part);
        memcpy(re, s->part, n * sizeof *b);
        memcpy(im, s->part + n, n * sizeof *b);
    }
}
