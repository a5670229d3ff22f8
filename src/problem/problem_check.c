/* The checker of hand-written problems.
 *
 * Everything that can be wrong and be seen at one point is looked for: the pattern, the flags, and
 * the Jacobian against central differences, entry by entry. One evaluation pair per unknown, so
 * this is for writing a problem, not for running it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "problem/problem.h"

#include "base/bump.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Differences of a residual of size s are wrong by about s eps^(2/3) when the step is chosen well;
 * anything a thousand times that is a wrong derivative. */
static const double DIFFERENCE_STEP = 6e-6, DIFFERENCE_TOL = 1e-5;
enum { COMPLAINTS_MAX = 20 };

typedef struct checker {
    const vinc_problem *p;
    text *why;
    int found;
    double t, *y, *yp, *plus, *minus, *unit, *zero, *dy, *dyp;
} checker;

#define COMPLAIN(c, ...)                                                                           \
    do {                                                                                           \
        if ((c)->found++ < COMPLAINTS_MAX) {                                                       \
            text_printf((c)->why, __VA_ARGS__);                                                    \
            text_char((c)->why, '\n');                                                             \
        }                                                                                          \
    } while (0)

static void check_pattern(checker *c)
{
    const vinc_pattern *a = c->p->jac;
    int n = c->p->n;
    if (a->n_rows != n || a->n_cols != n) {
        COMPLAIN(c, "the pattern is %d by %d, the problem has %d unknowns", a->n_rows, a->n_cols,
                 n);
        return;
    }
    if (a->start[0] != 0 || a->start[n] != a->nnz)
        COMPLAIN(c, "pattern: start[0] must be 0 and start[n] the number of entries, %d", a->nnz);
    for (int j = 0; j < n; j++) {
        if (a->start[j + 1] < a->start[j]) {
            COMPLAIN(c, "pattern: start[%d] is less than start[%d]", j + 1, j);
            return;
        }
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (a->row[k] < 0 || a->row[k] >= n)
                COMPLAIN(c, "pattern: column %d has row %d, outside the matrix", j, a->row[k]);
            else if (k > a->start[j] && a->row[k] <= a->row[k - 1])
                COMPLAIN(c, "pattern: rows of column %d are not ascending at row %d", j, a->row[k]);
        }
    }
}

static void check_flags(checker *c)
{
    const vinc_problem *p = c->p;
    for (int i = 0; i < p->n; i++) {
        if (p->nominal && !(p->nominal[i] > 0 && p->nominal[i] < INFINITY))
            COMPLAIN(c, "nominal[%d] = %g is not positive and finite", i, p->nominal[i]);
        if (p->unknown_level && (p->unknown_level[i] < 0 || p->unknown_level[i] > 7))
            COMPLAIN(c, "unknown_level[%d] = %d is not between 0 and 7", i, p->unknown_level[i]);
        if (p->equation_level && (p->equation_level[i] < 0 || p->equation_level[i] > 7))
            COMPLAIN(c, "equation_level[%d] = %d is not between 0 and 7", i, p->equation_level[i]);
        if (p->velocity && (p->velocity[i] < -1 || p->velocity[i] >= p->n))
            COMPLAIN(c, "velocity[%d] = %d is not an unknown", i, p->velocity[i]);
    }
}

static const char *problem_check_name_of(const vinc_problem *p, int i)
{
    const char *s = p->unknown_name ? p->unknown_name(p->user, i) : NULL;
    return s ? s : "";
}

/* Column j of the derivative with respect to x (y or yp) into plus; > 0: cannot be evaluated. */
static int central_column(checker *c, double *x, int j, double size)
{
    double keep = x[j], d = DIFFERENCE_STEP * fmax(fabs(keep), size);
    x[j] = keep + d;
    int status = c->p->residual(c->p->user, c->t, c->y, c->yp, c->plus);
    double up = x[j];
    x[j] = keep - d;
    if (!status) status = c->p->residual(c->p->user, c->t, c->y, c->yp, c->minus);
    double down = x[j];
    x[j] = keep;
    for (int i = 0; i < c->p->n && !status; i++)
        c->plus[i] = (c->plus[i] - c->minus[i]) / (up - down);
    return status;
}

static void compare_column(checker *c, int j, const double *values, const char *what)
{
    const vinc_pattern *a = c->p->jac;
    int n = c->p->n, k = a ? a->start[j] : 0, end = a ? a->start[j + 1] : n;
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(c->plus[i]));
    for (int i = 0; i < n; i++) {
        bool inside = k < end && (!a || a->row[k] == i);
        double exact = inside && values ? values[a ? k : j * n + i] : inside ? c->plus[i] : 0;
        if (inside) k++;
        if (fabs(exact - c->plus[i]) <= DIFFERENCE_TOL * (largest + fabs(exact))) continue;
        if (inside)
            COMPLAIN(c, "jacobian: dF[%d]/d%s[%d] %s is %.9g, differences give %.9g", i, what, j,
                     problem_check_name_of(c->p, j), exact, c->plus[i]);
        else
            COMPLAIN(c, "F[%d] depends on %s[%d] %s, which its pattern does not show", i, what, j,
                     problem_check_name_of(c->p, j));
    }
}

/* The product with a unit vector is a column; the differences are in c->plus. */
static void compare_product(checker *c, int j, bool of_rates)
{
    const vinc_problem *p = c->p;
    if (!p->product) return;
    c->unit[j] = 1;
    int status = p->product(p->user, c->t, c->y, c->yp, of_rates ? c->zero : c->unit,
                            of_rates ? c->unit : c->zero, c->minus);
    c->unit[j] = 0;
    const char *what = of_rates ? "y'" : "y";
    if (status) COMPLAIN(c, "the product along %s[%d] cannot be evaluated", what, j);
    double largest = 0;
    for (int i = 0; i < p->n; i++) largest = fmax(largest, fabs(c->plus[i]));
    for (int i = 0; i < p->n && !status; i++)
        if (!(fabs(c->minus[i] - c->plus[i]) <= DIFFERENCE_TOL * (largest + fabs(c->minus[i]))))
            COMPLAIN(c, "product: dF[%d]/d%s[%d] %s is %.9g, differences give %.9g", i, what, j,
                     problem_check_name_of(p, j), c->minus[i], c->plus[i]);
}

static void check_derivatives(checker *c)
{
    const vinc_problem *p = c->p;
    for (int i = 0; i < p->n; i++) c->unit[i] = c->zero[i] = 0;
    if (p->jacobian && p->jacobian(p->user, c->t, c->y, c->yp, c->dy, c->dyp)) {
        COMPLAIN(c, "the Jacobian cannot be evaluated at the given point");
        return;
    }
    for (int j = 0; j < p->n; j++) {
        if (!central_column(c, c->y, j, problem_nominal(p, j))) {
            compare_column(c, j, p->jacobian ? c->dy : NULL, "y");
            compare_product(c, j, false);
        }
        if (central_column(c, c->yp, j, problem_nominal(p, j))) continue;
        compare_column(c, j, p->jacobian ? c->dyp : NULL, "y'");
        compare_product(c, j, true);
        bool occurs = false;
        for (int i = 0; i < p->n; i++) occurs |= c->plus[i] != 0;
        if (occurs && !problem_differential(p, j))
            COMPLAIN(c, "y'[%d] %s occurs in F, but differential[%d] is 0", j,
                     problem_check_name_of(p, j), j);
    }
}

static size_t problem_check_layout(checker *c, size_t n, size_t nnz, void *block)
{
    bump b = bump_begin(block);
    c->y = bump_double(&b, n);
    c->yp = bump_double(&b, n);
    c->plus = bump_double(&b, n);
    c->minus = bump_double(&b, n);
    c->unit = bump_double(&b, n);
    c->zero = bump_double(&b, n);
    c->dy = bump_double(&b, nnz);
    c->dyp = bump_double(&b, nnz);
    return bump_end(&b);
}

/* F at the point is in c->plus: `residuals` gives the same there. */
static void check_several(checker *c)
{
    const vinc_problem *p = c->p;
    const double near = 1e-10; // the same operations, perhaps in another order
    if (!p->residuals) return;
    if (p->residuals(p->user, 1, &c->t, c->y, c->yp, c->minus, p->n)) {
        COMPLAIN(c, "residuals cannot be evaluated where residual can");
        return;
    }
    for (int i = 0; i < p->n; i++)
        if (!(fabs(c->minus[i] - c->plus[i]) <= near * (1 + fabs(c->plus[i])))) {
            COMPLAIN(c, "equation %d: residuals gives %g, residual %g", i, c->minus[i], c->plus[i]);
            return;
        }
}

int problem_check(const vinc_problem *p, mem *m, double t, const double *y, const double *yp,
                  text *why)
{
    checker c = {.p = p, .why = why, .t = t};
    if (p->n < 0) COMPLAIN(&c, "n = %d is negative", p->n);
    if (!p->residual) COMPLAIN(&c, "there is no residual");
    if (p->n_roots > 0 && !p->roots)
        COMPLAIN(&c, "n_roots is %d, but there is no roots", p->n_roots);
    if (p->n_outputs > 0 && !p->outputs)
        COMPLAIN(&c, "n_outputs is %d, but there is no outputs", p->n_outputs);
    if (c.found) return c.found;
    if (p->jac) check_pattern(&c);
    check_flags(&c);
    if (c.found) return c.found;

    size_t n = (size_t)p->n, nnz = p->jac ? (size_t)p->jac->nnz : n * n;
    size_t bytes = problem_check_layout(&c, n, nnz, NULL) + 1;
    void *block = mem_try(m, bytes);
    if (!block) {
        COMPLAIN(&c, "not enough memory to check %d unknowns", p->n);
        return c.found;
    }
    problem_check_layout(&c, n, nnz, block);
    memcpy(c.y, y, n * sizeof *y);
    memcpy(c.yp, yp, n * sizeof *yp);
    if (p->residual(p->user, t, c.y, c.yp, c.plus))
        COMPLAIN(&c, "the residual cannot be evaluated at the given point");
    else if (!problem_finite(c.plus, p->n))
        COMPLAIN(&c, "the residual is not finite at the given point");
    else {
        check_several(&c);
        check_derivatives(&c);
    }
    mem_free(m, block, bytes);
    return c.found;
}
