/* Does the implicit-function theorem hold at a point?
 *
 * The highest derivatives follow from their equations, block by block, where the matrix of each block
 * is regular. Its condition cannot tell: that of a single entry is 1, however small the entry. So the
 * smallest singular value is held against those of points around, each unknown moved by one part in a
 * hundred of its size or nominal: a matrix that is a hundred times more regular there has lost its
 * rank here, within a ten-thousandth of the nominals.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "inspect/point.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

enum { BLOCK_MAX = 60, AROUND = 6 };
static const double MOVE = 0.01, RATIO = 100;

typedef struct singular {
    const inspect_point *p;
    const structure *s;
    arena *a;
    double *given, *size; // values at the point; of what size they are
    int n_values;
} singular;

static void singular_sizes(singular *x)
{
    const structure *s = x->s;
    const form_system *f = run_model(x->p->st)->form;
    const double *nominal = run_nominal(x->p->st);
    for (int u = 0; u < s->unknowns.n; u++)
        x->n_values = x->p->first[u] + s->unknowns.at[u].d + x->p->extra + 1;
    x->given = arena_array(x->a, double, x->n_values + 1);
    x->size = arena_array(x->a, double, x->n_values + 1);
    memcpy(x->given, x->p->value, (size_t)x->n_values * sizeof *x->given);
    for (int i = 0; i < x->n_values; i++) x->size[i] = fmax(1, fabs(x->given[i]));
    for (int e = 0; e < s->entries.n; e++) {
        const structure_entry *q = &s->entries.at[e];
        int order = structure_order_of(s, e);
        if (order > s->unknowns.at[q->unknown].d) continue;
        int i = x->p->first[q->unknown] + order;
        if (f->places[e].where == IMAGE_IN_Y)
            x->size[i] = fmax(nominal[f->places[e].at], fabs(x->given[i]));
    }
}

/* The k-th point around: signs of the moves by a fixed sequence. */
static void singular_move(const singular *x, int k)
{
    uint32_t seed = 2463534242u + 7919u * (uint32_t)k;
    for (int i = 0; i < x->n_values; i++) {
        seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5; // G. Marsaglia 2003
        double sign = seed & 1024 ? 1 : -1;
        x->p->value[i] = x->given[i] + (k < 0 ? 0 : sign * MOVE * x->size[i]);
    }
}

/* The matrix of a block, columns in units of the sizes; false: it has no value here. */
static bool singular_matrix(const singular *x, const structure_block *b, double *m)
{
    const structure *s = x->s;
    point_block(x->p, b, m);
    for (int j = 0; j < b->n; j++) {
        int u = structure_unknowns_of(b)[j];
        double size = x->size[x->p->first[u] + s->unknowns.at[u].d];
        for (int i = 0; i < b->n; i++) {
            m[i + j * b->n] *= size;
            if (!isfinite(m[i + j * b->n])) return false;
        }
    }
    return true;
}

static int largest_entry(const double *x, int n, int stride)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i * stride]) > fabs(x[most * stride])) most = i;
    return most;
}

static const char *singular_words(const singular *x, const structure_block *b, int row, int column,
                                  double ratio)
{
    const structure *s = x->s;
    text t;
    text_init(&t, x->a->m);
    text_add(&t, "the point is singular: ");
    structure_equation_text(s, b->equations[row], 0, &t);
    if (b->n > 1) text_printf(&t, " and %d more equation%s", b->n - 1, b->n > 2 ? "s" : "");
    text_printf(&t, " do%s not determine ", b->n > 1 ? "" : "es");
    const structure_unknown *u = &s->unknowns.at[structure_unknowns_of(b)[column]];
    structure_add_name(s, u->first + u->d, &t);
    if (isfinite(ratio))
        text_printf(&t,
                    " here: the derivative that decides it is %.2g times as large nearby (if so "
                    "small values are meant, give them a nominal)",
                    ratio);
    else text_add(&t, " here: the derivative that decides it is 0");
    const char *words = arena_strndup(x->a, text_str(&t), t.n);
    text_done(&t);
    return words;
}

static const char *singular_block(const singular *x, const structure_block *b)
{
    int n = b->n, kept = 0;
    size_t nn = (size_t)n * (size_t)n;
    double *m = arena_array(x->a, double, (AROUND + 1) * nn), *sigma = arena_array(x->a, double, n);
    double *u = arena_array(x->a, double, nn), *vt = arena_array(x->a, double, nn);
    double *work = arena_array(x->a, double, la_svd_work(n, n)), here = 0, around = 0;
    int row = 0, column = 0;
    for (int k = -1; k < AROUND; k++) {
        singular_move(x, k);
        bool fine = singular_matrix(x, b, m + (size_t)kept * nn);
        if (k < 0 && !fine) return NULL;
        kept += fine;
    }
    singular_move(x, -1);
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (size_t k = 0; k < (size_t)kept * (size_t)n; k++)
            most = fmax(most, fabs(m[(size_t)i + k * (size_t)n]));
        for (size_t k = 0; most > 0 && k < (size_t)kept * (size_t)n; k++)
            m[(size_t)i + k * (size_t)n] /= most;
    }
    for (int k = 0; k < kept; k++) {
        if (la_svd(n, n, m + (size_t)k * nn, sigma, u, vt, work) < 0) return NULL;
        if (k) around = fmax(around, sigma[n - 1]);
        else {
            here = sigma[n - 1];
            row = largest_entry(u + (size_t)(n - 1) * (size_t)n, n, 1);
            column = largest_entry(vt + n - 1, n, n);
        }
    }
    if (!(around > RATIO * here)) return NULL;
    return singular_words(x, b, row, column, around / here);
}

const char *inspect_singular(const inspect_point *p, arena *a)
{
    singular x = {.p = p, .s = p->s, .a = a};
    const char *words = NULL;
    singular_sizes(&x);
    for (int b = 0; b < p->s->blocks.n && !words; b++) {
        arena_mark here = arena_here(a);
        if (p->s->blocks.at[b].n <= BLOCK_MAX) words = singular_block(&x, &p->s->blocks.at[b]);
        if (!words) arena_release(a, here);
    }
    return words;
}
