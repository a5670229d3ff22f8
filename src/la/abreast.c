/* SPDX-License-Identifier: BSD-3-Clause */
#include "la/abreast.h"

#include "base/bump.h"
#include "la/backends.h"
#include "la/dense_rest.h"
#include "la/lists.h"
#include "la/simd.h"

#include <string.h>

enum {
    WIDTH = 4,       // lanes of a register: two numbers
    REGISTERS = 2,   // of one factor
    ABREAST_MAX = 4, // numbers in them
    MISSES_MAX =
        4 // plans that did not serve for all, more than there are factorisations by the next bound
};
static const double MISSES_PART_MAX = 0.1;
static const double GROWTH_MAX = 1e6; // as of one matrix (la/indexed.c)

struct la_abreast {
    int n, n_values;
    int registers;             // in use: what a factor takes
    double *v;                 // factors, as in the lists
    double *x;                 // right-hand sides, by step
    double *zero, *unused;     // imaginary parts of real vectors
    int *row_step, *col_step;  // by row, by unknown: the step it is the pivot of
    double *weight;            // by row
    la_rest rest[ABREAST_MAX]; // what is dense at the end, each by itself
    double *part, *part_i;     // of a vector, for it
    long factored, missed;
    void *block;
    size_t bytes;
};

/* ---- numbers --------------------------------------------------------------------------------- */

SIMD_INLINE simd4 *at(double *v, int k, int stride)
{
    return (simd4 *)(v + (size_t)k * (size_t)(WIDTH * stride));
}

SIMD_INLINE simd4 swapped(simd4 x)
{
    return (simd4){x[1], x[0], x[3], x[2]};
}

SIMD_INLINE simd4 real_parts(simd4 x)
{
    return (simd4){x[0], x[0], x[2], x[2]};
}

SIMD_INLINE simd4 imaginary_parts(simd4 x)
{
    return (simd4){x[1], x[1], x[3], x[3]};
}

SIMD_INLINE simd4 times_i(simd4 x)
{
    const simd4_mask minus = {(long long)0x8000000000000000ull, 0, (long long)0x8000000000000000ull,
                              0};
    return (simd4)((simd4_mask)swapped(x) ^ minus);
}

SIMD_INLINE simd4 times(simd4 x, simd4 y)
{
    return real_parts(x) * y + imaginary_parts(x) * times_i(y);
}

/* 1/x; the second lane of a real one is 0 and stays so. */
SIMD_INLINE simd4 inverse_of(simd4 x)
{
    const simd4_mask minus = {0, (long long)0x8000000000000000ull, 0,
                              (long long)0x8000000000000000ull};
    simd4 square = x * x;
    return (simd4)((simd4_mask)x ^ minus) / (square + swapped(square));
}

SIMD_INLINE simd4 larger(simd4 most, simd4 x) // not a number counts as large
{
    simd4_mask small = x <= most;
    return (simd4)(((simd4_mask)most & small) | ((simd4_mask)x & ~small));
}

/* ---- factoring ------------------------------------------------------------------------------- */

SIMD_INLINE void load(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                      const double *m, const simd4 *c, int registers)
{
    const simd4_mask first = {-1, 0, -1, 0};
    for (int k = 0; k < f->n_fill; k++)
        for (int r = 0; r < registers; r++) at(z->v, f->fill[k], registers)[r] = (simd4){0};
    for (int k = 0; k < nnz; k++) {
        double scale = f->scale[k];
        simd4 *to = at(z->v, f->where[k], registers);
        simd4 own = {a[k], a[k], a[k], a[k]};
        own = simd4_where(first, own);
        for (int r = 0; r < registers; r++) to[r] = (own + c[r] * m[k]) * scale;
    }
}

/* True: no multiplier is large. */
SIMD_INLINE bool eliminate(const la_abreast *z, const la_lists *f, int registers)
{
    double *v = z->v, *entry = v + (size_t)(f->steps * WIDTH * registers);
    const int *target = f->target, *start = f->start;
    simd4 most[REGISTERS] = {{0}, {0}};
    for (int k = 0, steps = f->steps; k < steps; k++) {
        int from = start[2 * k], l = start[2 * k + 1], end = start[2 * k + 2];
        simd4 pivot[REGISTERS];
        for (int r = 0; r < registers; r++)
            pivot[r] = at(v, k, registers)[r] = inverse_of(at(v, k, registers)[r]);
        for (int e = l; e < end; e++) {
            simd4 re[REGISTERS], im[REGISTERS];
            for (int r = 0; r < registers; r++) {
                simd4 q = times(at(entry, e, registers)[r], pivot[r]);
                at(entry, e, registers)[r] = q;
                most[r] = larger(most[r], simd4_abs(q));
                re[r] = real_parts(q);
                im[r] = times_i(swapped(imaginary_parts(q))); // -im, im
            }
            for (int j = from; j < l; j++) {
                simd4 *to = at(v, *target++, registers);
                for (int r = 0; r < registers; r++) {
                    simd4 u = at(entry, j, registers)[r];
                    to[r] -= re[r] * u + im[r] * swapped(u);
                }
            }
        }
    }
    simd4 all = registers > 1 ? larger(most[0], most[1]) : most[0];
    return all[0] <= GROWTH_MAX && all[1] <= GROWTH_MAX && all[2] <= GROWTH_MAX &&
           all[3] <= GROWTH_MAX;
}

SIMD_CLONES static bool factor_1(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                                 const double *m, const simd4 *c)
{
    load(z, f, nnz, a, m, c, 1);
    return eliminate(z, f, 1);
}

SIMD_CLONES static bool factor_2(const la_abreast *z, const la_lists *f, int nnz, const double *a,
                                 const double *m, const simd4 *c)
{
    load(z, f, nnz, a, m, c, 2);
    return eliminate(z, f, 2);
}

/* The dense end of number i, taken out and factored; smallest over largest pivot of all. False: one is not finite. */
static bool finish_factor(const la_abreast *z, const la_lists *f, int i, bool real, double *ratio)
{
    double least = INFINITY, most = 0;
    const double *p = z->v + 2 * i;
    const int stride = WIDTH * z->registers;
    for (int k = 0; k < f->steps; k++) {
        double size = fabs(p[k * stride]) + fabs(p[k * stride + 1]);
        if (!(size < INFINITY)) return false;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    double inverse = least; // of the inverse pivots
    if (f->steps) least = 1 / most, most = 1 / inverse;
    la_rest rest = z->rest[i];
    size_t entries = (size_t)rest.n * (size_t)rest.n;
    p += ((size_t)f->n_values - entries) * (size_t)stride;
    for (size_t k = 0; k < entries; k++, p += stride) rest.a[k] = p[0], rest.ai[k] = p[1];
    if (real) rest.ai = NULL;
    if (rest.n && !la_rest_factor(&rest, &least, &most)) return false;
    *ratio = most > 0 ? least / most : 1;
    return true;
}

static size_t abreast_layout(la_abreast *z, void *block)
{
    bump b = bump_begin(block);
    size_t width = (size_t)(WIDTH * z->registers);
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
    simd4 at_c[REGISTERS];
    for (int k = 0; k < 2 * registers; k++) { // the first stands in for what is missing
        int i = k < count ? k : 0;
        at_c[k / 2][2 * (k % 2)] = c[i].re;
        at_c[k / 2][2 * (k % 2) + 1] = s[i]->config.is_complex ? c[i].im : 0;
    }
    int nnz = s[0]->config.pattern->nnz;
    bool served = (registers > 1 ? factor_2 : factor_1)(z, &f, nnz, a, m, at_c);
    double ratio[ABREAST_MAX];
    for (int i = 0; i < count && served; i++)
        served = finish_factor(z, &f, i, !s[i]->config.is_complex, &ratio[i]);
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

SIMD_INLINE void down(const la_abreast *z, const la_lists *f, int registers)
{
    double *x = z->x, *entry = z->v + (size_t)(f->steps * WIDTH * registers);
    const int *line = f->line, *start = f->start;
    for (int k = 0, n = f->steps; k < n; k++) {
        simd4 y[REGISTERS], turned[REGISTERS];
        for (int r = 0; r < registers; r++)
            y[r] = at(x, k, registers)[r], turned[r] = times_i(y[r]);
        for (int e = start[2 * k + 1], end = start[2 * k + 2]; e < end; e++) {
            simd4 *to = at(x, line[e], registers), *l = at(entry, e, registers);
            for (int r = 0; r < registers; r++)
                to[r] -= real_parts(l[r]) * y[r] + imaginary_parts(l[r]) * turned[r];
        }
    }
}

SIMD_INLINE void up(const la_abreast *z, const la_lists *f, int registers)
{
    double *v = z->v, *x = z->x, *entry = v + (size_t)(f->steps * WIDTH * registers);
    const int *line = f->line, *start = f->start;
    for (int k = f->steps - 1; k >= 0; k--) {
        simd4 by_real[REGISTERS], by_imaginary[REGISTERS];
        for (int r = 0; r < registers; r++)
            by_real[r] = at(x, k, registers)[r], by_imaginary[r] = (simd4){0};
        for (int e = start[2 * k], end = start[2 * k + 1]; e < end; e++) {
            simd4 *y = at(x, line[e], registers), *u = at(entry, e, registers);
            for (int r = 0; r < registers; r++) {
                by_real[r] -= real_parts(u[r]) * y[r];
                by_imaginary[r] -= imaginary_parts(u[r]) * y[r];
            }
        }
        for (int r = 0; r < registers; r++)
            at(x, k, registers)[r] =
                times(at(v, k, registers)[r], by_real[r] + times_i(by_imaginary[r]));
    }
}

/* Two numbers of each unknown, into register r of `stride`, and back. Four unknowns of four vectors are turned at once. */
SIMD_INLINE void gather(const la_abreast *z, const la_vector *b, int r, int stride)
{
    const double *b0 = b[0].re, *b1 = b[0].im, *b2 = b[1].re, *b3 = b[1].im, *weight = z->weight;
    const int *step = z->row_step;
    int i = 0, n = z->n;
    for (; i + 3 < n; i += 4) {
        simd4 x[4];
        simd4_turn(*(const simd4 *)(b0 + i), *(const simd4 *)(b1 + i), *(const simd4 *)(b2 + i),
                   *(const simd4 *)(b3 + i), x);
        for (int k = 0; k < 4; k++) at(z->x, step[i + k], stride)[r] = x[k] * weight[i + k];
    }
    for (; i < n; i++)
        at(z->x, step[i], stride)[r] = (simd4){b0[i], b1[i], b2[i], b3[i]} * weight[i];
}

SIMD_INLINE void scatter(const la_abreast *z, const la_vector *b, int r, int stride)
{
    double *b0 = b[0].re, *b1 = b[0].im, *b2 = b[1].re, *b3 = b[1].im;
    const int *step = z->col_step;
    int i = 0, n = z->n;
    for (; i + 3 < n; i += 4) {
        simd4 x[4];
        simd4_turn(at(z->x, step[i], stride)[r], at(z->x, step[i + 1], stride)[r],
                   at(z->x, step[i + 2], stride)[r], at(z->x, step[i + 3], stride)[r], x);
        *(simd4 *)(b0 + i) = x[0];
        *(simd4 *)(b1 + i) = x[1];
        *(simd4 *)(b2 + i) = x[2];
        *(simd4 *)(b3 + i) = x[3];
    }
    for (; i < n; i++) {
        simd4 x = at(z->x, step[i], stride)[r];
        b0[i] = x[0];
        b1[i] = x[1];
        b2[i] = x[2];
        b3[i] = x[3];
    }
}

SIMD_CLONES static void down_1(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    gather(z, b, 0, 1);
    down(z, f, 1);
}

SIMD_CLONES static void down_2(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    gather(z, b, 0, 2);
    gather(z, b + 2, 1, 2);
    down(z, f, 2);
}

SIMD_CLONES static void up_1(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    up(z, f, 1);
    scatter(z, b, 0, 1);
}

SIMD_CLONES static void up_2(const la_abreast *z, const la_lists *f, const la_vector *b)
{
    up(z, f, 2);
    scatter(z, b, 0, 2);
    scatter(z, b + 2, 1, 2);
}

/* With the dense end of number i. */
static void solve_rest(const la_abreast *z, const la_lists *f, int i, bool real)
{
    const int stride = WIDTH * z->registers;
    la_rest rest = z->rest[i];
    double *x = z->x + (size_t)f->steps * (size_t)stride + 2 * i;
    for (int k = 0; k < rest.n; k++) z->part[k] = x[k * stride], z->part_i[k] = x[k * stride + 1];
    if (real) rest.ai = NULL;
    if (real) la_rest_solve(&rest, z->part);
    else la_rest_solve_complex(&rest, z->part, z->part_i);
    for (int k = 0; k < rest.n; k++) x[k * stride] = z->part[k], x[k * stride + 1] = z->part_i[k];
}

/* One real number of them. */
static void solve_real(const la_abreast *z, const la_lists *f, int lane, double *restrict b)
{
    const int stride = WIDTH * z->registers, *restrict line = f->line, *restrict start = f->start;
    const double *restrict v = z->v + 2 * lane, *restrict entry = v + f->steps * stride;
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
    (z->registers > 1 ? down_2 : down_1)(z, &f, in);
    for (int i = 0; i < count && z->rest[0].n; i++) solve_rest(z, &f, s[i]->lane, !x[i].im);
    (z->registers > 1 ? up_2 : up_1)(z, &f, out);
}
