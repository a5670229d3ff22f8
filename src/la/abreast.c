/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/abreast.h"

#include "base/bump.h"
#include "la/abreast_sweeps.h"
#include "la/backends.h"

#include <string.h>

/* Plans that did not serve for all, more than there are factorisations by the next bound. */
enum { MISSES_MAX = 4 };
static const double MISSES_PART_MAX = 0.1;

/* ---- factoring ------------------------------------------------------------------------------- */

/* The dense end of number i, taken out and factored; smallest over largest pivot of all, from those of the inverse ones
 * before it. False: one is not finite. */
static bool finish_factor(const la_abreast *z, const la_lists *f, int i, bool real, double least,
                          double most, double *ratio)
{
    const double *p = z->v + abreast_place(z, i);
    const int stride = ABREAST_WIDTH * z->registers, beside = abreast_beside(z);
    double inverse = least; // of the inverse pivots
    if (f->steps) least = 1 / most, most = 1 / inverse;
    la_rest rest = z->rest[i];
    size_t entries = (size_t)rest.n * (size_t)rest.n;
    p += ((size_t)f->n_values - entries) * (size_t)stride;
    for (size_t k = 0; k < entries; k++, p += stride) rest.a[k] = p[0], rest.ai[k] = p[beside];
    if (real) rest.ai = NULL;
    if (rest.n && !la_rest_factor(&rest, &least, &most)) return false;
    *ratio = most > 0 ? least / most : 1;
    return true;
}

static size_t abreast_layout(la_abreast *z, void *block)
{
    bump b = bump_begin(block);
    size_t width = (size_t)(ABREAST_WIDTH * z->registers);
    z->v = bump_double(&b, (size_t)z->n_values * width);
    z->x = bump_double(&b, (size_t)z->n * width);
    z->zero = bump_double(&b, (size_t)z->n);
    z->unused = bump_double(&b, (size_t)z->n);
    z->row_step = bump_int(&b, (size_t)z->n);
    z->col_step = bump_int(&b, (size_t)z->n);
    z->weight = bump_double(&b, (size_t)z->n);
    size_t rest = (size_t)z->rest[0].n;
    for (int i = 0; i < ABREAST_MAX; i++) {
        z->rest[i].n = z->rest[0].n;
        z->rest[i].a = bump_double(&b, rest * rest);
        z->rest[i].ai = bump_double(&b, rest * rest);
        z->rest[i].swaps = bump_int(&b, rest);
    }
    z->part = bump_double(&b, rest);
    z->part_i = bump_double(&b, rest);
    return bump_end(&b) + 1;
}

void la_abreast_free(mem *m, la_abreast *z)
{
    if (!z) return;
    if (z->block) mem_free(m, z->block, z->bytes);
    mem_free(m, z, sizeof *z);
}

/* Room for the factors of a plan. */
static bool abreast_room(la_solver *s, const la_lists *f, int registers)
{
    la_abreast *z = s->abreast;
    if (!z) {
        z = s->abreast = mem_try(s->m, sizeof *z);
        if (!z) return false;
        *z = (la_abreast){0};
    }
    if (z->block && z->n == f->n && z->n_values == f->n_values && z->registers == registers &&
        z->rest[0].n == f->n - f->steps)
        return true;
    if (z->block) mem_free(s->m, z->block, z->bytes);
    z->n = f->n;
    z->n_values = f->n_values;
    z->registers = registers;
    z->rest[0].n = f->n - f->steps;
    z->bytes = abreast_layout(z, NULL);
    z->block = mem_try(s->m, z->bytes);
    if (!z->block) return false;
    abreast_layout(z, z->block);
    memset(z->block, 0, z->bytes);
    return true;
}

static void abreast_note_order(la_abreast *z, const la_lists *f)
{
    for (int k = 0; k < f->n; k++) {
        z->row_step[f->row[k]] = k;
        z->weight[f->row[k]] = f->weight[k];
        z->col_step[f->col[k]] = k;
    }
}

static bool abreast_suits(la_solver *const *s, int count)
{
    if (count < 2 || count > ABREAST_MAX) return false;
    const la_config *first = &s[0]->config;
    for (int i = 0; i < count; i++) {
        const la_config *c = &s[i]->config;
        if (s[i]->backend != &la_backend_indexed || c->n > LA_LISTS_MAX || c->blocks > 1 ||
            c->pattern != first->pattern)
            return false;
    }
    const la_abreast *z = s[0]->abreast;
    return !z || (double)z->missed <= MISSES_MAX + MISSES_PART_MAX * (double)z->factored;
}

bool la_abreast_factor(la_solver *const *s, int count, const double *a, const double *m,
                       const la_number *c)
{
    la_lists f;
    for (int i = 0; i < count; i++) s[i]->by_abreast = NULL;
    if (!m || !abreast_suits(s, count)) return false;
    if (!la_indexed_lists(s[0], &f)) { // a plan is made
        if (s[0]->backend->factor(s[0], a, m, c[0].re, c[0].im) || !la_indexed_lists(s[0], &f))
            return false;
    }
    int registers = (count + 1) / 2;
    if (!abreast_room(s[0], &f, registers)) return false;
    la_abreast *z = s[0]->abreast;
    abreast_note_order(z, &f);
    la_number all[ABREAST_MAX];
    for (int k = 0; k < 2 * registers; k++) { // the first stands in for what is missing
        int i = k < count ? k : 0;
        all[k] = (la_number){c[i].re, s[i]->config.is_complex ? c[i].im : 0};
    }
    int nnz = s[0]->config.pattern->nnz;
    bool served = abreast_eliminate(z, &f, nnz, a, m, all);
    double ratio[ABREAST_MAX], least[ABREAST_MAX], most[ABREAST_MAX];
    served = served && abreast_pivots(z, &f, least, most);
    for (int i = 0; i < count && served; i++)
        served = finish_factor(z, &f, i, !s[i]->config.is_complex, least[i], most[i], &ratio[i]);
    z->factored++;
    z->missed += !served;
    double work[] = {s[0]->work_factor, s[0]->work_solve};
    for (int i = 0; i < count && served; i++) {
        if (s[i]->config.is_complex && !s[0]->config.is_complex) {
            s[i]->work_factor = LA_COMPLEX_ABREAST_FACTOR * work[0];
            s[i]->work_solve = LA_COMPLEX_ABREAST_SOLVE * work[1];
        }
        s[i]->pivot_ratio = ratio[i];
        s[i]->defect = -1;
        s[i]->n_refactor++;
        s[i]->by_abreast = s[0];
        s[i]->lane = i;
    }
    return served;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* With the dense end of number i. */
static void solve_rest(const la_abreast *z, const la_lists *f, int i, bool real)
{
    const int stride = ABREAST_WIDTH * z->registers;
    la_rest rest = z->rest[i];
    double *x = z->x + (size_t)f->steps * (size_t)stride + abreast_place(z, i);
    double *xi = x + abreast_beside(z);
    for (int k = 0; k < rest.n; k++) z->part[k] = x[k * stride], z->part_i[k] = xi[k * stride];
    if (real) rest.ai = NULL;
    if (real) la_rest_solve(&rest, z->part);
    else la_rest_solve_complex(&rest, z->part, z->part_i);
    for (int k = 0; k < rest.n; k++) x[k * stride] = z->part[k], xi[k * stride] = z->part_i[k];
}

/* One real number of them. */
static void solve_real(const la_abreast *z, const la_lists *f, int lane, double *restrict b)
{
    const int stride = ABREAST_WIDTH * z->registers, *restrict line = f->line,
              *restrict start = f->start;
    const double *restrict v = z->v + abreast_place(z, lane), *restrict entry =
                                                                  v + f->steps * stride;
    double *restrict x = z->x;
    for (int k = 0, n = f->n; k < n; k++) x[k] = b[f->row[k]] * f->weight[k];
    for (int k = 0, n = f->steps; k < n; k++) {
        double y = x[k];
        int e = start[2 * k + 1], end = start[2 * k + 2];
        for (const double *l = entry + e * stride; e < end; e++, l += stride) x[line[e]] -= *l * y;
    }
    la_rest rest = z->rest[lane];
    rest.ai = NULL;
    if (rest.n) la_rest_solve(&rest, x + f->steps);
    for (int k = f->steps; k < f->n; k++) b[f->col[k]] = x[k];
    for (int k = f->steps - 1; k >= 0; k--) {
        double sum = x[k];
        int e = start[2 * k], end = start[2 * k + 1];
        for (const double *u = entry + e * stride; e < end; e++, u += stride)
            sum -= *u * x[line[e]];
        b[f->col[k]] = x[k] = sum * v[k * stride];
    }
}

void la_abreast_solve(la_solver *const *s, int count, const la_vector *x)
{
    const la_abreast *z = s[0]->by_abreast->abreast;
    la_lists f;
    la_indexed_lists(s[0]->by_abreast, &f);
    if (count == 1 && !x->im) {
        solve_real(z, &f, s[0]->lane, x->re);
        return;
    }
    la_vector in[ABREAST_MAX], out[ABREAST_MAX]; // lanes that are not asked for: 0, and thrown away
    for (int k = 0; k < ABREAST_MAX; k++)
        in[k] = (la_vector){z->zero, z->zero}, out[k] = (la_vector){z->unused, z->unused};
    for (int i = 0; i < count; i++) {
        int k = s[i]->lane;
        in[k].re = out[k].re = x[i].re;
        if (x[i].im) in[k].im = out[k].im = x[i].im;
    }
    abreast_down(z, &f, in);
    for (int i = 0; i < count && z->rest[0].n; i++) solve_rest(z, &f, s[i]->lane, !x[i].im);
    abreast_up(z, &f, out);
}
