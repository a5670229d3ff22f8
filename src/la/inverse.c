/* The explicit inverse, for a handful of unknowns.
 *
 * Triangular solves are chains of dependent operations; a product with the inverse is not, and for
 * n = 8 takes a tenth of the time. Inside a Newton iteration, which corrects its own errors, the
 * somewhat larger rounding of an explicit inverse does no harm, and there are several solves for
 * every factorisation.
 *
 * Gauss-Jordan elimination in place: step k exchanges x_k with the right-hand side of a pivot row,
 * chosen by size relative to the largest entry of the row (implicit equilibration). Rows are not
 * moved; at the end row p_k, column j holds the coefficient of b_{p_j} in x_k. N. J. Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., section 14.4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "la/backends.h"

#include "base/bump.h"
#include "la/inverse_lanes.h"

#include <math.h>
#include <string.h>

enum { INVERSE_N_MAX = 16, PAD = LA_INVERSE_PAD };

typedef struct inverse {
    /* Of one group, once pivots are known: A and M in columns that are padded with zeros, rows in the order of
     * pivots, which are on the diagonal. */
    simd4 columns[PAD], columns_m[PAD];
    double a[INVERSE_N_MAX * INVERSE_N_MAX],
        ai[INVERSE_N_MAX * INVERSE_N_MAX]; // rows, padded; imaginary plane
    double inv[INVERSE_N_MAX * INVERSE_N_MAX],
        inv_i[INVERSE_N_MAX * INVERSE_N_MAX]; // columns of the inverse, padded
    double weight[INVERSE_N_MAX];             // 1 / largest entry of a row
    int pivot[INVERSE_N_MAX];
    int n_places;
    short place[INVERSE_N_MAX * INVERSE_N_MAX];
    bool settled;                    // columns can be used
    unsigned char spread[PAD * PAD]; // where values are in them
    void *block;                     // that all this lies in
} inverse;

static int groups_of(const la_solver *s)
{
    return (s->config.n + PAD - 1) / PAD;
}

/* Where the values of the pattern are in rows. */
static int inverse_places(const la_config *c, int columns, short *place)
{
    const vinc_pattern *p = c->pattern;
    int count = 0;
    for (int j = 0; j < c->n; j++) {
        int begin = p ? p->start[j] : j * c->n, end = p ? p->start[j + 1] : (j + 1) * c->n;
        for (int k = begin; k < end; k++)
            place[count++] = (short)(j + columns * (p ? p->row[k] : k - begin));
    }
    return count;
}

static int inverse_open(la_solver *s)
{
    void *block = mem_try(s->m, sizeof(inverse) + BUMP_SLACK);
    if (!block) return LA_E_MEMORY;
    inverse *z = bump_aligned(block);
    z->block = block;
    size_t used = (size_t)(s->config.n * PAD * groups_of(s)) * sizeof *z->inv;
    memset(z->inv, 0, used);
    memset(z->inv_i, 0, used);
    memset(z->pivot, 0, sizeof z->pivot);
    z->settled = false;
    z->n_places = inverse_places(&s->config, PAD * groups_of(s), z->place);
    s->state = z;
    return LA_OK;
}

static void inverse_close(la_solver *s)
{
    const inverse *z = s->state;
    mem_free(s->m, z->block, sizeof(inverse) + BUMP_SLACK);
}

/* Rows of A + re M, and of im M. */
static void inverse_load(inverse *z, int groups, const la_config *c, const double *restrict a,
                         const double *restrict m, double re, double im)
{
    const simd4 zero = {0};
    for (int i = 0; i < c->n * groups; i++) ((simd4 *)z->a)[i] = zero;
    for (int i = 0; i < c->n * groups && c->is_complex; i++) ((simd4 *)z->ai)[i] = zero;
    for (int k = 0; k < z->n_places; k++) z->a[z->place[k]] = m ? a[k] + re * m[k] : a[k];
    for (int k = 0; k < z->n_places && m && c->is_complex; k++) z->ai[z->place[k]] = im * m[k];
}

SIMD_INLINE void weigh(double *w, const simd4 *a, const simd4 *ai, int n, int groups)
{
    for (int i = 0; i < n; i++) {
        simd4 top = {0};
        for (int g = 0; g < groups; g++) {
            top = simd4_max(simd4_abs(a[g + i * groups]), top);
            if (ai) top = simd4_max(simd4_abs(ai[g + i * groups]), top);
        }
        double x = simd4_largest(top);
        w[i] = x > 0 ? 1 / x : 1;
    }
}

/* The pivot row from the weighed sizes of column k; -1: there is none. Rows used already have a
 * negative size. */
SIMD_INLINE int choose(const double *size, int n, int last, double *best)
{
    double top = 0;
    for (int i = 0; i < n; i++) top = size[i] > top ? size[i] : top;
    *best = top;
    if (!(top > 0 && top < INFINITY)) return -1;
    if (size[last] >= LA_INVERSE_KEPT_MIN * top) return last;
    int p = 0;
    while (size[p] != top) p++;
    return p;
}

/* All lanes of a group but the one of column k. Whole vectors are written throughout: a scalar
 * store followed by a vector load of the same place would wait for the cache. */
SIMD_INLINE simd4_mask others(int k, int group)
{
    const simd4_mask lane = {0, 1, 2, 3};
    return lane != (long long)k - PAD * group;
}

static const simd4 one = {1, 1, 1, 1};

SIMD_INLINE int invert(inverse *z, int n, int groups, double *ratio)
{
    double smallest = INFINITY, largest = 0, size[INVERSE_N_MAX], best, used[INVERSE_N_MAX];
    int columns = PAD * groups;
    simd4 *a = (simd4 *)z->a;
    weigh(z->weight, a, NULL, n, groups);
    for (int i = 0; i < n; i++) used[i] = 1;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) size[i] = fabs(z->a[k + i * columns]) * z->weight[i] * used[i];
        int p = choose(size, n, z->pivot[k], &best);
        if (p < 0) return k;
        z->pivot[k] = p;
        used[p] = -1;
        smallest = best < smallest ? best : smallest;
        largest = best > largest ? best : largest;
        double inv = 1 / z->a[k + p * columns];
        simd4 row[INVERSE_N_MAX / PAD];
        simd4_mask other[INVERSE_N_MAX / PAD];
        for (int g = 0; g < groups; g++) {
            other[g] = others(k, g);
            row[g] = (simd4_where(other[g], a[g + p * groups]) + simd4_where(~other[g], one)) * inv;
        }
        for (int i = 0; i < n; i++) {
            double f = z->a[k + i * columns];
            for (int g = 0; g < groups; g++)
                a[g + i * groups] = simd4_where(other[g], a[g + i * groups]) - row[g] * f;
        }
        for (int g = 0; g < groups; g++) a[g + p * groups] = row[g];
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            z->inv[k + z->pivot[j] * columns] = z->a[j + z->pivot[k] * columns];
    *ratio = smallest / largest;
    return -1;
}

SIMD_INLINE int invert_complex(inverse *z, int n, int groups, double *ratio)
{
    double smallest = INFINITY, largest = 0, size[INVERSE_N_MAX], best, used[INVERSE_N_MAX];
    int columns = PAD * groups;
    simd4 *a = (simd4 *)z->a, *ai = (simd4 *)z->ai;
    weigh(z->weight, a, ai, n, groups);
    for (int i = 0; i < n; i++) used[i] = 1;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++)
            size[i] = (fabs(z->a[k + i * columns]) + fabs(z->ai[k + i * columns])) * z->weight[i] *
                      used[i];
        int p = choose(size, n, z->pivot[k], &best);
        if (p < 0) return k;
        z->pivot[k] = p;
        used[p] = -1;
        smallest = best < smallest ? best : smallest;
        largest = best > largest ? best : largest;
        double x = z->a[k + p * columns], y = z->ai[k + p * columns], d = 1 / (x * x + y * y);
        double r = x * d, s = -y * d;
        simd4 row[INVERSE_N_MAX / PAD], row_i[INVERSE_N_MAX / PAD];
        simd4_mask other[INVERSE_N_MAX / PAD];
        for (int g = 0; g < groups; g++) {
            other[g] = others(k, g);
            simd4 u = simd4_where(other[g], a[g + p * groups]) + simd4_where(~other[g], one);
            simd4 v = simd4_where(other[g], ai[g + p * groups]);
            row[g] = u * r - v * s;
            row_i[g] = u * s + v * r;
        }
        for (int i = 0; i < n; i++) {
            double f = z->a[k + i * columns], h = z->ai[k + i * columns];
            for (int g = 0; g < groups; g++) {
                simd4 u = simd4_where(other[g], a[g + i * groups]);
                simd4 v = simd4_where(other[g], ai[g + i * groups]);
                a[g + i * groups] = u - (row[g] * f - row_i[g] * h);
                ai[g + i * groups] = v - (row[g] * h + row_i[g] * f);
            }
        }
        for (int g = 0; g < groups; g++) {
            a[g + p * groups] = row[g];
            ai[g + p * groups] = row_i[g];
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) {
            int to = k + z->pivot[j] * columns, from = j + z->pivot[k] * columns;
            z->inv[to] = z->a[from], z->inv_i[to] = z->ai[from];
        }
    *ratio = smallest / largest;
    return -1;
}

/* ---- a group of unknowns with the pivots of the last time ------------------------------------ */

static void inverse_settle(inverse *z, int n)
{
    int position[PAD] = {0};
    for (int k = 0; k < n; k++) position[z->pivot[k]] = k;
    for (int k = 0; k < z->n_places; k++)
        z->spread[k] = (unsigned char)(z->place[k] % PAD * PAD + position[z->place[k] / PAD]);
    memset(z->columns, 0, sizeof z->columns);
    memset(z->columns_m, 0, sizeof z->columns_m);
    z->settled = true;
}

static void inverse_spread(inverse *z, const double *restrict a, const double *restrict m)
{
    for (int k = 0; k < z->n_places; k++) {
        ((double *)z->columns)[z->spread[k]] = a[k];
        ((double *)z->columns_m)[z->spread[k]] = m ? m[k] : 0;
    }
}

/* Sizes of entries are weighed by the largest of their rows; of rows that are used they are negative. */
typedef struct pivots {
    simd4 weight;
    double smallest, largest;
} pivots;

SIMD_INLINE pivots pivots_begin(simd4 top)
{
    return (pivots){simd4_choose(top > 0, 1 / top, simd4_all(1)), INFINITY, 0};
}

/* Is the entry of row k one? */
SIMD_INLINE bool pivot_serves(pivots *q, simd4 size, int k, simd4_mask here)
{
    size = size * q->weight;
    double top = simd4_largest(simd4_max(size, simd4_all(0)));
    if (!(top > 0 && top < INFINITY && size[k] >= LA_INVERSE_KEPT_MIN * top)) return false;
    q->smallest = top < q->smallest ? top : q->smallest;
    q->largest = top > q->largest ? top : q->largest;
    q->weight = simd4_choose(here, -q->weight, q->weight);
    return true;
}

/* The operations of invert(), in registers from the first to the last. False: a pivot is no longer one. */
SIMD_INLINE bool invert_settled(inverse *z, const inverse *of, double re, int n, double *ratio)
{
    const simd4_mask lane = {0, 1, 2, 3};
    simd4 x[PAD], top = {0};
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        x[j] = of->columns[j] + of->columns_m[j] * re;
        top = simd4_max(simd4_abs(x[j]), top);
    }
    pivots q = pivots_begin(top);
    _Pragma("GCC unroll 4") for (int k = 0; k < n; k++)
    {
        simd4_mask here = lane == k;
        simd4 f = x[k];
        if (!pivot_serves(&q, simd4_abs(f), k, here)) return false;
        double inv = 1 / f[k];
        _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
        {
            simd4 u = x[j], row = simd4_all(u[k]) * inv;
            if (j == k) u = simd4_all(0), row = simd4_all(inv);
            x[j] = simd4_choose(here, row, u - f * row);
        }
    }
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)((simd4 *)z->inv)[z->pivot[j]] = x[j];
    *ratio = q.smallest / q.largest;
    return true;
}

SIMD_INLINE bool invert_complex_settled(inverse *z, const inverse *of, double re, double im, int n,
                                        double *ratio)
{
    const simd4_mask lane = {0, 1, 2, 3};
    simd4 x[PAD], y[PAD], top = {0};
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        x[j] = of->columns[j] + of->columns_m[j] * re, y[j] = of->columns_m[j] * im;
        top = simd4_max(simd4_abs(y[j]), simd4_max(simd4_abs(x[j]), top));
    }
    pivots q = pivots_begin(top);
    _Pragma("GCC unroll 4") for (int k = 0; k < n; k++)
    {
        simd4_mask here = lane == k;
        simd4 f = x[k], h = y[k];
        if (!pivot_serves(&q, simd4_abs(f) + simd4_abs(h), k, here)) return false;
        double b = f[k], c = h[k], d = 1 / (b * b + c * c), r = b * d, s = -c * d;
        _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
        {
            simd4 e = x[j], w = y[j], u = simd4_all(e[k]), v = simd4_all(w[k]);
            simd4 row = u * r - v * s, row_i = u * s + v * r;
            if (j == k) e = w = simd4_all(0), row = simd4_all(r), row_i = simd4_all(s);
            x[j] = simd4_choose(here, row, e - (f * row - h * row_i));
            y[j] = simd4_choose(here, row_i, w - (h * row + f * row_i));
        }
    }
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        ((simd4 *)z->inv)[z->pivot[j]] = x[j];
        ((simd4 *)z->inv_i)[z->pivot[j]] = y[j];
    }
    *ratio = q.smallest / q.largest;
    return true;
}

/* The operations of the two above side by side, but for the signs of zeros. */
SIMD_INLINE bool several_abreast(la_solver *const *s, int count, const inverse *of,
                                 const la_number *c, int n)
{
    lanes q;
    simd4 x[LANES], y[LANES];
    double re[LANES], im[LANES];
    long long is_real[LANES];
    _Pragma("GCC unroll 4") for (int k = 0; k < LANES; k++)
    {
        int i = k < count ? k : 0; // the first stands in for what is missing
        bool complex = s[i]->config.is_complex;
        re[k] = c[i].re;
        im[k] = complex ? c[i].im : 0;
        is_real[k] = complex ? 0 : -1;
    }
    q.is_real = (simd4_mask){is_real[0], is_real[1], is_real[2], is_real[3]};
    lanes_load(&q, of->columns, of->columns_m, (simd4){re[0], re[1], re[2], re[3]},
               (simd4){im[0], im[1], im[2], im[3]}, n);
    if (!lanes_invert(&q, n)) return false;
    simd4 ratio = q.smallest / q.largest;
    for (int i = 0; i < count; i++) s[i]->pivot_ratio = ratio[i], s[i]->defect = -1;
    _Pragma("GCC unroll 4") for (int j = 0; j < n; j++)
    {
        for (int i = n; i < PAD; i++) q.x[i][j] = q.y[i][j] = simd4_all(0);
        simd4_turn(q.x[0][j], q.x[1][j], q.x[2][j], q.x[3][j], x);
        simd4_turn(q.y[0][j], q.y[1][j], q.y[2][j], q.y[3][j], y);
        for (int i = 0; i < count; i++) {
            inverse *z = s[i]->state;
            ((simd4 *)z->inv)[z->pivot[j]] = x[i];
            if (s[i]->config.is_complex) ((simd4 *)z->inv_i)[z->pivot[j]] = y[i];
        }
    }
    return true;
}

/* The first n of the padded entries; the last group may be incomplete. */
SIMD_INLINE void store(double *b, const simd4 *x, int n, int groups)
{
    for (int g = 0; g < groups - 1; g++) *(simd4 *)(b + PAD * g) = x[g];
    simd4 last = x[groups - 1];
    b += PAD * (groups - 1);
    switch (n - PAD * (groups - 1)) {
    case 1: b[0] = last[0]; break;
    case 2: b[0] = last[0], b[1] = last[1]; break;
    case 3: b[0] = last[0], b[1] = last[1], b[2] = last[2]; break;
    default: *(simd4 *)b = last;
    }
}

/* Two partial sums for even and odd columns halve the chain of additions. */
SIMD_INLINE void multiply(const inverse *z, int n, int groups, double *b)
{
    const simd4 *inv = (const simd4 *)z->inv;
    simd4 x[INVERSE_N_MAX / PAD], y[INVERSE_N_MAX / PAD];
    for (int g = 0; g < groups; g++) x[g] = y[g] = (simd4){0};
    int j = 0;
    for (; j + 1 < n; j += 2)
        for (int g = 0; g < groups; g++) {
            x[g] += inv[g + j * groups] * b[j];
            y[g] += inv[g + (j + 1) * groups] * b[j + 1];
        }
    for (; j < n; j++)
        for (int g = 0; g < groups; g++) x[g] += inv[g + j * groups] * b[j];
    for (int g = 0; g < groups; g++) x[g] += y[g];
    store(b, x, n, groups);
}

SIMD_INLINE void multiply_complex(const inverse *z, int n, int groups, double *b)
{
    const simd4 *inv = (const simd4 *)z->inv, *inv_i = (const simd4 *)z->inv_i;
    simd4 x[INVERSE_N_MAX / PAD], y[INVERSE_N_MAX / PAD];
    for (int g = 0; g < groups; g++) x[g] = y[g] = (simd4){0};
    for (int j = 0; j < n; j++)
        for (int g = 0; g < groups; g++) {
            x[g] += inv[g + j * groups] * b[j] - inv_i[g + j * groups] * b[n + j];
            y[g] += inv[g + j * groups] * b[n + j] + inv_i[g + j * groups] * b[j];
        }
    store(b, x, n, groups);
    store(b + n, y, n, groups);
}

/* ---- one body per padded size ---------------------------------------------------------------- */

/* With the number of groups known to the compiler, inner loops are a few vector instructions; in one
 * group, with the number of unknowns, they are straight. */
#define BY_GROUPS(call)                                                                            \
    switch (groups) {                                                                              \
    case 1: call(1);                                                                               \
    case 2: call(2);                                                                               \
    case 3: call(3);                                                                               \
    default: call(4);                                                                              \
    }
#define BY_SIZE(call)                                                                              \
    switch (n) {                                                                                   \
    case 1: call(1, 1);                                                                            \
    case 2: call(2, 1);                                                                            \
    case 3: call(3, 1);                                                                            \
    case 4: call(4, 1);                                                                            \
    default:                                                                                       \
        if (n <= 2 * PAD) call(n, 2);                                                              \
        if (n <= 3 * PAD) call(n, 3);                                                              \
        call(n, 4);                                                                                \
    }

#define INVERT(n, g) return invert(z, n, g, ratio)
SIMD_CLONES static int invert_any(inverse *z, int n, double *ratio){BY_SIZE(INVERT)}

#define INVERT_COMPLEX(n, g) return invert_complex(z, n, g, ratio)
SIMD_CLONES static int invert_complex_any(inverse *z, int n, double *ratio){BY_SIZE(INVERT_COMPLEX)}

/* Of one group: how many, of several with the same pivots, until one of them fails. */
SIMD_INLINE int several_settled(la_solver *const *s, int count, const inverse *of,
                                const la_number *c, int n)
{
    if (n < PAD && count > 1 && count <= LANES && several_abreast(s, count, of, c, n))
        return count; // four rows fill a register as well
    for (int i = 0; i < count; i++) {
        double *ratio = &s[i]->pivot_ratio;
        bool served = s[i]->config.is_complex
                          ? invert_complex_settled(s[i]->state, of, c[i].re, c[i].im, n, ratio)
                          : invert_settled(s[i]->state, of, c[i].re, n, ratio);
        if (!served) return i;
        s[i]->defect = -1;
    }
    return count;
}

#define SEVERAL(n) return several_settled(s, count, of, c, n)
SIMD_CLONES static int several_any(la_solver *const *s, int count, const inverse *of,
                                   const la_number *c, int n)
{
    switch (n) {
    case 1: SEVERAL(1);
    case 2: SEVERAL(2);
    case 3: SEVERAL(3);
    default: SEVERAL(4);
    }
}

#define MULTIPLY(g) return multiply(z, n, g, b)
SIMD_CLONES
static void multiply_any(const inverse *z, int n, int groups, double *b){BY_GROUPS(MULTIPLY)}

#define MULTIPLY_COMPLEX(g) return multiply_complex(z, n, g, b)
SIMD_CLONES static void multiply_complex_any(const inverse *z, int n, int groups, double *b)
{
    BY_GROUPS(MULTIPLY_COMPLEX)
}

static int inverse_anew(la_solver *s, const double *a, const double *m, double re, double im)
{
    inverse *z = s->state;
    int n = s->config.n, groups = groups_of(s);
    inverse_load(z, groups, &s->config, a, m, re, im);
    s->defect = s->config.is_complex ? invert_complex_any(z, n, &s->pivot_ratio)
                                     : invert_any(z, n, &s->pivot_ratio);
    if (groups == 1 && s->defect < 0) inverse_settle(z, n);
    else z->settled = false;
    return s->defect < 0 ? LA_OK : LA_SINGULAR;
}

static bool has_pivots_of(const la_solver *s, const inverse *first)
{
    const inverse *z = s->state;
    return s->backend == &la_backend_inverse && z->settled &&
           !memcmp(z->pivot, first->pivot, PAD * sizeof *z->pivot);
}

int la_inverse_several(la_solver *const *s, int count, const double *a, const double *m,
                       const la_number *c)
{
    inverse *first = s[0]->state;
    int like = 0;
    while (like < count && has_pivots_of(s[like], first)) like++;
    if (!like) return 0;
    inverse_spread(first, a, m);
    return several_any(s, like, first, c, s[0]->config.n);
}

static int inverse_factor(la_solver *s, const double *a, const double *m, double re, double im)
{
    if (la_inverse_several(&s, 1, a, m, &(la_number){re, im})) return LA_OK;
    return inverse_anew(s, a, m, re, im);
}

static void inverse_solve(la_solver *s, double *b)
{
    if (!s->config.n) return;
    if (s->config.is_complex) multiply_complex_any(s->state, s->config.n, groups_of(s), b);
    else multiply_any(s->state, s->config.n, groups_of(s), b);
}

const double *la_inverse(const la_solver *s, const double **im)
{
    const inverse *z = s->state;
    *im = NULL;
    if (s->backend != &la_backend_inverse || s->is_deficient) return NULL;
    if (s->config.is_complex) *im = z->inv_i;
    return z->inv;
}

const int *la_inverse_pivots(const la_solver *s)
{
    const inverse *z = s->state;
    return z->pivot;
}

double *la_inverse_room(la_solver *s)
{
    inverse *z = s->state;
    return z->inv;
}

const la_backend la_backend_inverse = {
    .name = "inverse",
    .summary = "explicit inverse, for a handful of unknowns",
    .dense = true,
    .is_complex = true,
    .n_max = INVERSE_N_MAX,
    .open = inverse_open,
    .close = inverse_close,
    .factor = inverse_factor,
    .solve = inverse_solve,
};
