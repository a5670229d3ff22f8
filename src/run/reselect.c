/* States chosen while running.
 *
 * For a group with constraint Jacobian G (m by n, in columns scaled by their nominals) the rows of
 * P are an orthonormal basis of the null space of G: the directions in which the constrained
 * variables can move. While G turns, the smallest singular value of P Z, with Z the present null
 * space, is the cosine of the largest angle between the two: 1 just after a choice, 0 where the
 * choice has become singular.
 *
 * The pivots that this takes tell as well how far the constraints are from losing rank: the smallest over the largest,
 * times what is left of the row that has fallen most.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/larger.h"
#include "la/dense.h"
#include "la/dense_rest.h"
#include "run/run_parts.h"

#include <math.h>
#include <string.h>

static const double COSINE_MIN = 0.6;   // choose anew beyond about 53 degrees
static const double COSINE_LEAST = 0.3; // an event at the latest beyond about 73 degrees; choice
/* Pivots that differ by more leave the question of rank to singular values. */
static const double SINGULAR = 1e-8;
/* Named coordinates: the cosine of the largest angle between them and the motions that are left. Below,
 * four of the digits that the others have are lost, and steps shrink without end. A principle: half of
 * the eight digits that SINGULAR leaves. */
static const double NAMED_COSINE_MIN = 1e-4;
/* Parts of the largest margin met: from the first on constraints are far from losing rank; below the second they came near
 * to it, and may again. Twice and half of SIGMA_NEAR of sim/bridge.c, below which a singular position is looked for. */
static const double MARGIN_FAR = 0.4, MARGIN_NEAR = 0.1;
// Instead of a cosine below which a choice is renewed: always; always, and coordinates only.
static const double ANEW = 2, PICK = 3;

typedef struct sizes {
    size_t g, z, c, work;
} sizes;

static sizes group_sizes(const image_group *q)
{
    if (q->tied) return (sizes){0};
    int n = q->n_columns, m = q->n_constraints, k = n - m;
    size_t null_work = la_null_work(m, n), svd_work = la_svd_work(k, k);
    sizes s = {.g = (size_t)m * (size_t)n,
               .z = (size_t)n * (size_t)n,
               .c = (size_t)k * (size_t)k + (size_t)k + 1};
    s.work = null_work > svd_work ? null_work : svd_work;
    if (s.work < 2 * (size_t)n) s.work = 2 * (size_t)n; // of steady
    return s;
}

void choice_layout(run_choice *x, const code_model *m, bump *b)
{
    size_t most = 0, n_jac = (size_t)m->choice.jac.n_out, most_g = 0;
    for (int g = 0; g < m->formulation.n_groups; g++) {
        sizes s = group_sizes(&m->formulation.groups[g]);
        size_t n = s.g + s.z + s.c + s.work;
        if (n > most) most = n;
        if (s.g > most_g) most_g = s.g;
    }
    x->jac = bump_double(b, n_jac);
    x->unused = bump_double(b, n_jac);
    x->work = bump_double(b, most);
    x->last = bump_double(b, most_g);
    x->jac_work = m->choice.jac.program ? tape_program_work(m->choice.jac.program) : 0;
    x->side = bump_double(b, (size_t)m->formulation.n_groups);
    x->sign = bump_double(b, (size_t)m->formulation.n_groups);
    x->row_most = bump_double(b, (size_t)m->choice.n_rows);
}

void choice_begin(run_choice *x, const code_model *m)
{
    x->margin = x->margin_most = 0;
    x->came_near = x->leapt = false;
    memset(x->sign, 0, (size_t)m->formulation.n_groups * sizeof *x->sign);
    memset(x->row_most, 0, (size_t)m->choice.n_rows * sizeof *x->row_most);
}

bool choice_is_regular(const run_choice *x)
{
    return !x->came_near && x->margin > 0 && x->margin >= MARGIN_FAR * x->margin_most;
}

const double *run_group_jacobian(run_state *s, double t, const double *y, const double *yp)
{
    run_eval(s, &s->model->choice.jac, t, y, yp, s->choice.jac, s->choice.unused);
    return s->choice.jac;
}

/* The scaled constraint Jacobian of a group from the values of all; row0: its first row there. What is left of the row
 * that has fallen most since it was largest, where most is kept. */
static double choice_gather(const run_state *s, const image_group *q, int row0,
                            const double *values, double *g, double *row_most)
{
    const vinc_pattern *a = &s->model->choice.pattern;
    memset(g, 0, (size_t)q->n_constraints * (size_t)q->n_columns * sizeof *g);
    for (int j = 0; j < q->n_columns; j++) {
        int col = q->columns[j];
        for (int k = a->start[col]; k < a->start[col + 1]; k++) {
            int i = a->row[k] - row0;
            if (i >= 0 && i < q->n_constraints)
                g[i + j * q->n_constraints] = values[k] * s->nominal[col];
        }
    }
    // Rows of equal size: the rank decision must not depend on how an equation is scaled.
    double left = 1;
    for (int i = 0; i < q->n_constraints; i++) {
        double most = 0;
        for (int j = 0; j < q->n_columns; j++)
            most = larger_of(most, fabs(g[i + j * q->n_constraints]));
        if (most > 0)
            for (int j = 0; j < q->n_columns; j++) g[i + j * q->n_constraints] /= most;
        if (!row_most) continue;
        double *largest = &row_most[row0 + i];
        *largest = larger_of(*largest, most);
        left = smaller_of(left, *largest > 0 ? most / *largest : 0);
    }
    return left;
}

/* cosine of the largest angle between the present choice and the null space z. */
static double cosine(const run_state *s, const image_group *q, const double *z, double *c,
                     double *work)
{
    int n = q->n_columns, k = n - q->n_constraints;
    if (!k) return 1;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int a = 0; a < n; a++)
                sum += s->w[q->w + i * n + a] * s->nominal[q->columns[a]] * z[a + j * n];
            c[i + j * k] = sum;
        }
    if (k == 1) return fabs(c[0]);
    double *sigma = c + (size_t)k * (size_t)k;
    if (la_svd(k, k, c, sigma, NULL, NULL, work) < 0) return 0;
    return sigma[k - 1];
}

static double determinant_sign(const la_rest *lu)
{
    double sign = 1;
    for (int i = 0; i < lu->n; i++) {
        if (lu->a[i + i * lu->n] < 0) sign = -sign;
        if (lu->swaps[i] != i) sign = -sign;
    }
    return sign;
}

/* Has the null space turned so little that the choice surely stands? With Z the basis of the null
 * space for which P Z = 1, the sum of the squares of Z is the number of its columns plus those of
 * the tangents of all angles: no singular values are needed for a bound. *pivots: the smallest over
 * the largest; *sign: of the determinant of G over P. */
static bool steady(const run_state *s, const image_group *q, const double *g, double below,
                   double *k, double *work, double *pivots, double *sign)
{
    int n = q->n_columns, m = q->n_constraints;
    *pivots = *sign = 0;
    if (q->coordinates) return false; // rows of P are not normed
    for (int j = 0; j < n; j++) {
        double *col = k + (size_t)j * (size_t)n, size = s->nominal[q->columns[j]];
        memcpy(col, g + (size_t)j * (size_t)m, (size_t)m * sizeof *col);
        for (int i = m; i < n; i++) col[i] = s->w[q->w + (i - m) * n + j] * size;
    }
    double least = INFINITY, most = 0, tangents = 0, *z = work;
    la_rest lu = {.n = n, .a = k, .swaps = (int *)(work + n)};
    if (!la_rest_factor(&lu, &least, &most) || least < SINGULAR * most) return false;
    *pivots = least / most;
    *sign = determinant_sign(&lu);
    for (int i = m; i < n; i++) {
        memset(z, 0, (size_t)n * sizeof *z);
        z[i] = 1;
        la_rest_solve(&lu, z);
        for (int a = 0; a < n; a++) tangents += z[a] * z[a];
        tangents -= 1;
    }
    return (1 + tangents) * below * below <= 1;
}

/* Named coordinates determine the others while the determinant of G with a unit row for each of them
 * keeps its sign. A step may leap over the place where it vanishes, and finds itself on a branch
 * that is no continuation: that is as singular as the place itself. */
static bool named_are_singular(const image_group *q, const double *g, double *side, double *k,
                               double *work)
{
    int n = q->n_columns, m = q->n_constraints, row = m;
    for (int j = 0; j < n; j++) {
        double *col = k + (size_t)j * (size_t)n;
        memcpy(col, g + (size_t)j * (size_t)m, (size_t)m * sizeof *col);
        for (int i = m; i < n; i++) col[i] = 0;
        if (q->independent[j]) col[row++] = 1;
    }
    double least = INFINITY, most = 0, squares = 0, *z = work;
    la_rest lu = {.n = n, .a = k, .swaps = (int *)(work + n)};
    if (!la_rest_factor(&lu, &least, &most)) return true;
    double sign = determinant_sign(&lu);
    for (int i = m; i < n; i++) {
        memset(z, 0, (size_t)n * sizeof *z);
        z[i] = 1;
        la_rest_solve(&lu, z);
        for (int a = 0; a < n; a++) squares += z[a] * z[a];
    }
    bool leapt = *side != 0 && *side != sign;
    *side = sign;
    return leapt || squares * NAMED_COSINE_MIN * NAMED_COSINE_MIN > 1;
}

/* Row i of P picks coordinate a. */
static void choice_pick(run_state *s, const image_group *q, int i, int a)
{
    double *row = s->w + q->w + (size_t)i * (size_t)q->n_columns;
    memset(row, 0, (size_t)q->n_columns * sizeof *row);
    row[a] = 1;
}

static bool is_picked(const run_state *s, const image_group *q, int a)
{
    for (int i = 0; i < q->n_columns - q->n_constraints; i++)
        if (s->w[q->w + i * q->n_columns + a] != 0) return true;
    return false;
}

/* Independent coordinates: given, or the rows that complete pivoting on the null space z finds. z
 * is overwritten; list has room for one number per row of P. 1 when the choice is another one. */
static int choose_coordinates(run_state *s, const image_group *q, double *z, double *list)
{
    int n = q->n_columns, k = n - q->n_constraints, i = 0;
    for (int a = 0; q->independent && a < n; a++)
        if (q->independent[a]) choice_pick(s, q, i++, a);
    if (q->independent) return 1;
    bool same = true;
    for (i = 0; i < k; i++) {
        int row = 0, col = i;
        double most = -1;
        for (int a = 0; a < n; a++)
            for (int j = i; j < k; j++)
                if (fabs(z[a + j * n]) > most) {
                    most = fabs(z[a + j * n]);
                    row = a;
                    col = j;
                }
        list[i] = row;
        same = same && is_picked(s, q, row);
        for (int a = 0; a < n; a++) {
            double x = z[a + i * n];
            z[a + i * n] = z[a + col * n];
            z[a + col * n] = x;
        }
        for (int j = i + 1; j < k; j++) { // nothing of column j is left in this row
            double f = z[row + j * n] / z[row + i * n];
            for (int a = 0; a < n; a++) z[a + j * n] -= f * z[a + i * n];
        }
    }
    for (i = 0; !same && i < k; i++) choice_pick(s, q, i, (int)list[i]);
    return !same;
}

static int choice_choose(run_state *s, const image_group *q, const double *z)
{
    int n = q->n_columns, k = n - q->n_constraints;
    for (int i = 0; i < k; i++)
        for (int a = 0; a < n; a++)
            s->w[q->w + i * n + a] = z[a + i * n] / s->nominal[q->columns[a]];
    return 1;
}

int run_choice_margins(run_state *s, double t, const double *y, const double *yp, double *margin)
{
    const image_formulation *f = &s->model->formulation;
    if (!f->n_groups) return 0;
    const double *jac = run_group_jacobian(s, t, y, yp);
    for (int g = 0, row0 = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        margin[g] = 1;
        row0 += q->n_constraints;
        if (q->tied) continue;
        sizes size = group_sizes(q);
        double *gm = s->choice.work, *z = gm + size.g, *c = z + size.z, *work = c + size.c;
        choice_gather(s, q, row0 - q->n_constraints, jac, gm, NULL);
        int rank = la_null(q->n_constraints, q->n_columns, gm, z, 0, work);
        if (rank < 0) return 1;
        bool chosen = rank == q->n_constraints && !q->coordinates; // otherwise any is as good
        margin[g] = (chosen ? cosine(s, q, z, c, work) : 1) - COSINE_LEAST;
    }
    return 0;
}

/* Positions and velocities of bodies are tied by one and the same matrix, and chosen alike: what was found of the one
 * holds for the other. */
static bool as_before(const run_state *s, const image_group *q, const image_group *last,
                      const double *g)
{
    size_t n = (size_t)q->n_columns, m = (size_t)q->n_constraints;
    if (!last || last->n_columns != q->n_columns || last->n_constraints != q->n_constraints)
        return false;
    for (size_t j = 0; j < n; j++)
        if (s->nominal[q->columns[j]] != s->nominal[last->columns[j]]) return false;
    return memcmp(g, s->choice.last, m * n * sizeof *g) == 0 &&
           memcmp(s->w + q->w, s->w + last->w, (n - m) * n * sizeof *s->w) == 0;
}

/* One constraint and one column: P has no row, and the pivot is all there is. */
static bool leaves_no_choice(const image_group *q)
{
    return q->n_columns == 1 && q->n_constraints == 1 && !q->independent;
}

/* Operations of a look at the choice of a group: an elimination with the columns of P beside G (steady). */
static double elimination_work(const image_group *q)
{
    double n = q->n_columns;
    return n * n * n;
}

static void choice_note_margin(run_choice *x)
{
    x->margin_most = fmax(x->margin_most, x->margin);
    x->came_near = x->came_near || x->margin < MARGIN_NEAR * x->margin_most;
}

static int choice_select_states(run_state *s, double t, const double *y, const double *yp,
                                double below)
{
    const code_model *m = s->model;
    const image_formulation *f = &m->formulation;
    int changed = 0, row0 = 0;
    bool singular = false;
    const double *jac = run_group_jacobian(s, t, y, yp);
    const image_group *stands = NULL; // the last group, if its choice stands
    s->beside += s->choice.jac_work;
    s->choice.margin = below <= 1 ? 1 : 0; // not known just after a choice
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        row0 += q->n_constraints;
        if (q->tied) s->choice.margin = 0; // not looked at
        if (q->tied) continue;
        sizes size = group_sizes(q);
        double *gm = s->choice.work, *z = gm + size.g, *c = z + size.z, *work = c + size.c, pivots;
        double *before = &s->choice.sign[g], sign = 0;
        double left = choice_gather(s, q, row0 - q->n_constraints, jac, gm, s->choice.row_most);
        s->choice.margin = fmin(s->choice.margin, left);
        if (below <= 1 && leaves_no_choice(q)) continue;
        if (below <= 1 && !q->independent && as_before(s, q, stands, gm)) continue;
        s->beside += elimination_work(q);
        stands = NULL;
        if (below <= 1 && q->independent &&
            named_are_singular(q, gm, &s->choice.side[g], z, work)) {
            int best = s->choice.singular - 1; // positions are named before velocities
            if (best < 0 || q->level > f->groups[best].level) s->choice.singular = g + 1;
            singular = true;
        }
        if (q->independent) s->choice.margin = 0;
        if (below <= 1 && q->independent) continue;
        bool stays = below <= 1 && steady(s, q, gm, below, z, work, &pivots, &sign);
        // By the same P: between the two looks it vanished, and the constraints may have lost rank there.
        s->choice.leapt = s->choice.leapt || sign * *before < 0;
        *before = sign;
        if (below <= 1) s->choice.margin = fmin(s->choice.margin, left * pivots);
        if (stays) {
            stands = q;
            memcpy(s->choice.last, gm, size.g * sizeof *gm);
            continue;
        }
        int rank = la_null(q->n_constraints, q->n_columns, gm, z, 0, work);
        // Where the constraints lose rank the old choice is as good as any.
        if (rank < q->n_constraints && below <= 1) continue;
        if (rank < 0) return -1;
        if (below <= 1 && cosine(s, q, z, c, work) >= below) continue;
        changed |= q->coordinates || below == PICK ? choose_coordinates(s, q, z, c)
                                                   : choice_choose(s, q, z);
        choice_gather(s, q, row0 - q->n_constraints, jac, gm, NULL);
        steady(s, q, gm, COSINE_MIN, z, work, &pivots, before);
    }
    if (changed) {
        s->dependents.near = false;
        layers_forget(s);
    }
    if (below <= 1) choice_note_margin(&s->choice);
    return singular ? -1 : changed;
}

int run_select(run_state *s, double t, const double *y, const double *yp)
{
    int n = s->model->formulation.n_groups;
    for (int g = 0; g < n; g++) s->choice.side[g] = 0;
    s->choice.singular = 0;
    return n ? choice_select_states(s, t, y, yp, ANEW) : 0;
}

int run_select_coordinates(run_state *s, double t, const double *y, const double *yp)
{
    const image_formulation *f = &s->model->formulation;
    for (int g = 0; g < f->n_groups; g++) {
        const image_group *q = &f->groups[g];
        size_t n = (size_t)(q->n_columns - q->n_constraints) * (size_t)q->n_columns;
        if (q->tied) continue;
        memset(s->w + q->w, 0, n * sizeof *s->w);
    }
    return f->n_groups ? choice_select_states(s, t, y, yp, PICK) : 0;
}

int run_singular_choice(const run_state *s)
{
    return s->choice.singular - 1;
}

int run_reselect(void *user, double t, const double *y, const double *yp)
{
    return choice_select_states(user, t, y, yp, COSINE_MIN);
}
