/* The waist, from the solver's side: what every method needs to know about a vinc_problem.
 *
 * The weighted norm is defined here and nowhere else; so are the Jacobian in its one storage (exact
 * where the problem gives one, coloured differences otherwise) and the check of a problem that
 * somebody wrote by hand.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include "base/crew.h"
#include "base/mem.h"
#include "base/text.h"
#include "la/shared.h"
#include "vincolo_problem.h"

#include <math.h>
#include <stdbool.h>

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Callbacks with their counts. The norms below are NaN or infinite when an entry is not finite, so
 * values are not looked at here. */
static inline int problem_residual(const vinc_problem *p, vinc_stats *s, double t, const double *y,
                                   const double *yp, double *r)
{
    s->residual_evals++;
    s->work += p->work_residual;
    return p->residual(p->user, t, y, yp, r);
}
int problem_residuals_one_by_one(const vinc_problem *p, int points, const double *t,
                                 const double *y, const double *yp, double *r, int stride);

/* Work of F at so many points at once. */
static inline double problem_points_work(const vinc_problem *p, int points)
{
    if (p->residuals && p->work_four > 0 && points > 2) return (points + 3) / 4 * p->work_four;
    return points * p->work_residual - (p->residuals ? (points - 1) * p->work_call : 0);
}

/* At several points, whose vectors are `stride` apart. */
static inline int problem_residuals(const vinc_problem *p, vinc_stats *s, int points,
                                    const double *t, const double *y, const double *yp, double *r,
                                    int stride)
{
    s->residual_evals += points;
    s->work += problem_points_work(p, points);
    return p->residuals ? p->residuals(p->user, points, t, y, yp, r, stride)
                        : problem_residuals_one_by_one(p, points, t, y, yp, r, stride);
}
static inline int problem_lead(const vinc_problem *p, vinc_stats *s, double t, const double *y,
                               const double *yp, double *r)
{
    s->residual_evals++;
    s->work += p->work_residual;
    return p->lead(p->user, t, y, yp, r);
}
static inline int problem_rhs(const vinc_problem *p, vinc_stats *s, double t, double *y, double *yp)
{
    s->rhs_evals++;
    s->work += p->work_rhs;
    return p->rhs(p->user, t, y, yp);
}
static inline int problem_stage(const vinc_problem *p, vinc_stats *s, double t, double *y,
                                double *yp)
{
    if (!p->stage) return problem_rhs(p, s, t, y, yp);
    s->rhs_evals++;
    s->work += p->work_stage;
    return p->stage(p->user, t, y, yp);
}
static inline int problem_lead_rhs(const vinc_problem *p, vinc_stats *s, double t, double *y,
                                   double *yp)
{
    s->rhs_evals++;
    s->work += p->work_rhs;
    return p->lead_rhs(p->user, t, y, yp);
}

/* Of a problem that several processes hold, in all of them. */
static inline bool problem_finite_in_all(const vinc_problem *p, bool finite)
{
    return !shared_any(p->shared, !finite);
}

bool problem_finite_long(const double *x, int n);
double problem_largest(const double *x, int n); // |x_i|; those that are no numbers do not count

/* No NaN, no infinity. What has just been written number by number is best read in the same way:
 * a wide load would wait for all of them. */
static inline bool problem_finite(const double *x, int n)
{
    if (n > 8) return problem_finite_long(x, n);
    double sum = 0; // stays 0, or becomes NaN for NaN and infinities
    for (int i = 0; i < n; i++) sum += x[i] - x[i];
    return sum == 0;
}

bool problem_finite_parts(crew *c, const double *x, int n);

static inline bool problem_finite_by(crew *c, const double *x, int n) // the same, of threads
{
    return n <= CREW_STRETCH ? problem_finite(x, n) : problem_finite_parts(c, x, n);
}

static inline double problem_nominal(const vinc_problem *p, int i)
{
    return p->nominal ? p->nominal[i] : 1.0;
}
static inline int problem_blocks(const vinc_problem *p)
{
    return p->blocks > 1 ? p->blocks : 1;
}
static inline bool problem_leads(const vinc_problem *p) // the first of several blocks may go ahead
{
    return p->blocks > 1 && p->lead && p->vary && p->vary_residual;
}
static inline bool problem_differential(const vinc_problem *p, int i)
{
    return !p->differential || p->differential[i];
}

/* How much a row changes with an unknown of this size. A slope without bound, which a root has at 0
 * (derive/partials.c), says nothing of it: measured by that, any residual would be none. */
static inline double problem_term(double slope, double size)
{
    const double WITHOUT_BOUND = 1e100;
    return fabs(slope) < WITHOUT_BOUND ? fabs(slope) * size : 0;
}

/* ---- the norm -------------------------------------------------------------------------------- */

/* w_i = rel_tol |y_i| + abs_tol_i nominal_i. The norm of an error e is
 *     sqrt( 1/n sum ((h/T)^level_i e_i / w_i)^2 ),  h/T at most 1,
 * over the n unknowns that the error test counts, so that an error in a velocity counts as the
 * position error it makes in one step; T is the shortest time in which the positions were seen to
 * change by their own or nominal size; of index 1, where rates alone have a level, T = 1. The norm of
 * an iteration adds the unknowns that are not counted, with T = 1: rounding of multipliers grows with
 * 1/h, and more cannot be asked of them. Where the unknowns are of several blocks (vinc_problem.blocks)
 * it is the largest norm of a block. */
typedef struct problem_norm {
    int n, n_counted;
    const la_shared *shared; // n_counted is of all processes; NULL: of this one alone
    int blocks;              // 0: as 1
    int stride;              // between stages; 0: n
    int blocks_counted;      // of these, by the error test
    int n_weighed;           // the first so many have weights that follow y; 0: all. Others have
                             // those of the first block times inv, and no levels
    double rel_tol;
    double *abs;            // abs_tol_i * nominal_i
    double *inv;            // 1 / w_i at the last problem_weigh
    double *seen;           // the largest |y_i| at a problem_weigh; NULL: all sizes were given
    const uint8_t *unsized; // 1: abs_i is for a size of 1, and less where it is less
    const int8_t *level;    // NULL: all 0
    bool high_index;        // levels are those of the index, not of rates alone
    bool error_in_full;     // in error tests all levels count as 0
    uint8_t *counted;       // 0: left out of the error test (multipliers); never of the Newton test
    bool all_counted;
    double time_scale; // T; no more than one unit of time
    crew *crew;        // threads that share long vectors; NULL: this one
} problem_norm;

void problem_weigh(problem_norm *w, const double *y);
void problem_weigh_by_first(problem_norm *w); // once: inv of what problem_weigh leaves out
void problem_time_scale(problem_norm *w, const vinc_problem *p, const double *y, const double *yp);
double problem_norm_newton(const problem_norm *w, const double *e, double h); // every unknown
/* By which the norm of an iteration multiplies each unknown, before the root of the mean square. */
void problem_norm_weights(const problem_norm *w, double h, double *out);
double problem_norm_error(const problem_norm *w, const double *e, double h); // the counted ones
/* Of several corrections, one after another: the root of the mean square of their norms. */
double problem_norm_stages(const problem_norm *w, const double *e, int stages, double h);
/* The same of one block by the squares of all entries, with the weights of problem_norm_weights. */
double problem_of_squares_stages(const problem_norm *w, double squares, int stages);
problem_norm problem_norm_block(const problem_norm *w, int k); // of one block, as if it were alone
/* ... and the largest of the blocks behind the first; of stages at a distance of n. */
double problem_norm_followers(const problem_norm *w, const double *e, int stages, double h);
/* For those who go over vectors of one block anyway: the squares of entries from ... to - 1, as of
 * problem_norm_newton or problem_norm_error, and the norm when all of them are added. */
double problem_squares_newton(const problem_norm *w, const double *e, int from, int to, double h);
double problem_squares_error(const problem_norm *w, const double *e, int from, int to, double h);
/* The squares of an error test are those of e_i inv_i. */
static inline bool problem_norm_is_plain(const problem_norm *w)
{
    return w->all_counted && (!w->level || w->error_in_full) && w->blocks <= 1;
}
double problem_of_squares_newton(const problem_norm *w, double squares);
double problem_of_squares_error(const problem_norm *w, double squares);
/* Where the norm is plain and nobody shares it: the squares of problem_norm_error, and what makes their mean by a product,
 * which is there sooner than a quotient. */
double problem_sum_error(const problem_norm *w, const double *e, double h);
static inline double problem_per_n(const problem_norm *w)
{
    return 1.0 / w->n;
}
int problem_worst(const problem_norm *w, const double *e, double h); // which dominates; -1: none

/* ---- the Jacobian ---------------------------------------------------------------------------- */

typedef struct problem_jac {
    const vinc_problem *p;
    vinc_pattern pattern; // the problem's, or the full one
    long nnz;
    double *dy, *dyp; // values in the order of the pattern
    /* For differences: columns of one colour share no row. */
    int n_colors;
    int *color_start, *color_column, *start, *row;
    double *y, *yp, *r, *r0, *delta; // workspace
    mem *m;
    void *block;
    size_t bytes;
} problem_jac;

int problem_jac_init(problem_jac *j, mem *m, const vinc_problem *p); // VINC_OK or VINC_E_MEMORY
void problem_jac_done(problem_jac *j);
/* Fill dy and dyp at a point; w gives the size of differences, h the step (may be 0). Status as of
 * a callback. */
int problem_jac_eval(problem_jac *j, vinc_stats *s, double t, const double *y, const double *yp,
                     double h);

/* Greedy colouring of the columns of a pattern so that columns of one colour share no row. color:
 * n_cols entries out; mark: n_rows of workspace. Returns the number of colours. */
int problem_color(const vinc_pattern *a, int *color, int *mark);

/* ---- rounding -------------------------------------------------------------------------------- */

typedef struct problem_function {
    int n, m; // unknowns, values
    const double *nominal;
    double *work; // n + 2 m
    int (*value)(void *user, const double *x, double *r);
    void *user;
} problem_function;

/* r := a sample of the rounding with which a function is evaluated near x; other seeds give others.
 * Status as of a callback. */
int problem_rounding_of(const problem_function *f, const double *x, unsigned seed, double *r);

typedef struct problem_near {
    const vinc_problem *p;
    vinc_stats *stats;
    double t;
    const double *y, *yp;
    double *work; // PROBLEM_NEAR_WORK n
} problem_near;
enum { PROBLEM_NEAR_WORK = 8 };

int problem_rounding(const problem_near *at, unsigned seed, double *r); // ... of the residual

/* ---- the checker ----------------------------------------------------------------------------- */

/* Everything that can be wrong with a problem and be seen at one point: sizes, an unsorted or
 * repeated pattern entry, a NULL residual, a Jacobian that disagrees with differences (the entry is
 * named), a residual that writes outside its pattern, `differential` that contradicts dF/dy',
 * levels out of range. Returns the number of complaints, one line each in why. */
int problem_check(const vinc_problem *p, mem *m, double t, const double *y, const double *yp,
                  text *why);

#endif
