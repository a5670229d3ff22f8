/* The system: parameters and start values, what depends on the independent unknowns, and which those are.
 *
 * Where constraints leave a choice of states, the rows of P of a group are an orthonormal basis of the
 * motions that its constraints allow, in units of the nominals. They are chosen anew when these motions
 * have turned away by more than 53 degrees.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_run.h"
#include "fmu/source/source_run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void source_eval(vinc_sim *s, const source_part *f, double t, const double *y, const double *yp,
                 double *out, double *out2)
{
    if (!f->f) return;
    if (s->past) source_recall(s, t, y, yp);
    f->f(t, s->p, y, yp, s->w, out, out2, s->v, s->routines);
}

bool source_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

double source_value_of(const vinc_sim *s, const source_value *v)
{
    return v->kind == SOURCE_P           ? s->p[v->at]
           : v->kind == SOURCE_ATTRIBUTE ? s->attributes[v->at]
                                         : v->number;
}

/* ---- parameters and start values ------------------------------------------------------------- */

void source_parameters(vinc_sim *s)
{
    const source_model *m = s->m;
    for (int pass = 0; pass < m->bound_depth; pass++) {
        source_eval(s, &m->bound, 0, NULL, NULL, s->rows, NULL);
        for (int k = 0; k < m->bound.n_out; k++)
            if (!s->given[m->bound_place[k]]) s->p[m->bound_place[k]] = s->rows[k];
    }
}

static void begin_parameters(vinc_sim *s)
{
    const source_model *m = s->m;
    for (int i = 0; i < m->n_p; i++) s->p[i] = m->p_default[i], s->given[i] = false;
    for (int i = 0; i < m->n_columns; i++)
        if (s->is_set[i] && m->columns[i].set == SOURCE_SET_P) {
            s->p[m->columns[i].place] = s->set[i];
            s->given[m->columns[i].place] = true;
        }
    source_parameters(s);
}

void source_begin(vinc_sim *s)
{
    const source_model *m = s->m;
    memset(s->w, 0, (size_t)m->n_w * sizeof *s->w);
    s->w[SOURCE_W_LAMBDA] = 1;
    external_run_begin(s->routines);
    begin_parameters(s);
    source_eval(s, &m->attributes, 0, NULL, NULL, s->attributes, NULL);
    for (int i = 0; i < m->n_entries; i++) {
        s->start[i] = source_value_of(s, &m->entry_start[i]);
        s->fixed[i] = m->entry_fixed[i];
    }
    for (int i = 0; i < m->n; i++) {
        double nominal = fabs(source_value_of(s, &m->nominal[i]));
        s->nominal[i] = nominal > 0 && isfinite(nominal) ? nominal : 1;
    }
    for (int k = 0; k < m->n_w_start; k++) {
        const source_start *q = &m->w_start[k];
        s->w[q->place] = source_value_of(s, &q->value);
        s->w[q->place + 1] = q->is_discrete ? s->w[q->place] : 0;
    }
    for (int i = 0; i < m->n_columns; i++) {
        const source_column *c = &m->columns[i];
        if (!s->is_set[i]) continue;
        if (c->set == SOURCE_SET_W) s->w[c->place] = s->set[i];
        if (c->set != SOURCE_SET_ENTRY) continue;
        s->start[c->place] = c->sign * s->set[i];
        s->fixed[c->place] = true;
    }
}

/* ---- what depends on the states -------------------------------------------------------------- */

/* Independent combinations keep the values that they have in s->held. */
static int follow_residual(vinc_sim *s, double t, const double *y, const double *yp, double *r)
{
    const source_model *m = s->m;
    source_eval(s, &m->residual, t, y, yp, r, NULL);
    for (int g = 0; g < m->n_groups; g++) {
        const source_group *q = &m->groups[g];
        for (int i = 0; i < q->n_columns - q->n_constraints; i++) {
            const double *P = s->w + q->w + i * q->n_columns;
            double sum = 0;
            for (int j = 0; j < q->n_columns; j++)
                sum += P[j] * (y[q->columns[j]] - s->held[q->columns[j]]);
            r[q->rows[i]] = sum;
        }
    }
    return source_finite(r, m->n) ? 0 : 1;
}

static bool follow_factor(vinc_sim *s, double t, const double *y, const double *yp)
{
    const source_model *m = s->m;
    const source_pattern *a = &m->jac;
    int n = m->n;
    source_eval(s, &m->jacobian, t, y, yp, s->dy, s->dyp);
    for (int j = 0; j < n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int i = a->row[k];
            bool state = m->role[j] == SOURCE_STATE;
            if (m->selecting[i]) s->matrix[k] = m->role[j] == SOURCE_SELECTED ? s->dyp[k] : 0;
            else s->matrix[k] = state ? s->dyp[k] : s->dy[k];
        }
    return source_factor(s->following, s->matrix);
}

static double follow_size(const vinc_sim *s, const double *dx, const double *y, const double *yp)
{
    double most = 0;
    for (int i = 0; i < s->m->n; i++) {
        double x = s->m->role[i] == SOURCE_STATE ? yp[i] : y[i];
        double size = fabs(dx[i]) / (fabs(x) + s->nominal[i]);
        if (!(size <= most)) most = size; // NaN counts as large
    }
    return most;
}

static void follow_move(const vinc_sim *s, double factor, const double *y, const double *yp,
                        double *y1, double *yp1)
{
    for (int i = 0; i < s->m->n; i++) {
        bool state = s->m->role[i] == SOURCE_STATE;
        y1[i] = y[i] - (state ? 0 : factor * s->delta[i]);
        yp1[i] = yp[i] - (state ? factor * s->delta[i] : 0);
    }
}

/* Is the residual what rounding makes of the sums in its rows? Then no correction gets smaller. W. Oettli
 * and W. Prager, Numer. Math. 6 (1964) 405-409. */
static bool is_rounding(vinc_sim *s, double t, const double *y, const double *yp)
{
    const double ROUNDINGS = 64 * DBL_EPSILON;
    const source_pattern *a = &s->m->jac;
    if (follow_residual(s, t, y, yp, s->r)) return false;
    source_eval(s, &s->m->jacobian, t, y, yp, s->dy, s->dyp);
    memset(s->last, 0, (size_t)s->m->n * sizeof *s->last);
    for (int j = 0; j < s->m->n; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            s->last[a->row[k]] += fabs(s->dy[k] * y[j]) + fabs(s->dyp[k] * yp[j]);
    for (int i = 0; i < s->m->n; i++)
        if (!(fabs(s->r[i]) <= ROUNDINGS * s->last[i])) return false;
    return true;
}

/* What a second difference over a small distance has, in a direction of random signs, is rounding: F bends by nothing
 * there. Of two distances the smaller. Into s->last, by the factors that there are; false: F has no value. */
static bool sample_rounding(vinc_sim *s, double t, const double *y, const double *yp,
                            unsigned random)
{
    static const double FAR[2] = {1e-8, 1e-9}; // of the size of an unknown, as in the library
    int n = s->m->n;
    for (int pass = 0; pass < 2; pass++) {
        double *sum = pass ? s->delta : s->last;
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int k = -1; k <= 1; k++) {
            unsigned sign = random;
            for (int i = 0; i < n; i++) {
                double d[2];
                for (int q = 0; q < 2; q++) {
                    sign = 1664525u * sign + 1013904223u;
                    d[q] = k * (sign >> 31 ? FAR[pass] : -FAR[pass]);
                }
                s->y1[i] = y[i] + d[0] * (fabs(y[i]) + s->nominal[i]);
                s->yp1[i] = yp[i] + d[1] * (fabs(yp[i]) + s->nominal[i]);
            }
            if (follow_residual(s, t, s->y1, s->yp1, s->r)) return false;
            for (int i = 0; i < n; i++) sum[i] += (k ? 0.5 : -1) * s->r[i];
        }
    }
    for (int i = 0; i < n; i++)
        if (fabs(s->delta[i]) < fabs(s->last[i])) s->last[i] = s->delta[i];
    source_solve(s->following, s->last);
    return true;
}

/* Is a correction of this size no more than that makes of the unknowns? */
static bool correction_is_rounding(vinc_sim *s, double t, const double *y, const double *yp,
                                   double size)
{
    enum { LOOKS = 32 };
    const double ROUNDINGS_LEFT = 10, SIZE_MOST = 1e-5; // choices
    for (unsigned k = 1; size <= SIZE_MOST && k <= LOOKS; k++) {
        if (!sample_rounding(s, t, y, yp, k * 2654435769u)) return false;
        if (size <= ROUNDINGS_LEFT * follow_size(s, s->last, y, yp)) return true;
    }
    return false;
}

/* Newton's method; damped: until the next correction with the same matrix is smaller. */
static int follow_from(vinc_sim *s, double t, double *y, double *yp, bool damped)
{
    enum { ITERATIONS = 50, HALVINGS = 10 };
    const double DONE = 1e-14, ENOUGH = 1e-9, CONTRACTS = 0.1; // choice
    size_t bytes = (size_t)s->m->n * sizeof *y;
    double size = INFINITY;
    bool anew = true;
    if (follow_residual(s, t, y, yp, s->r)) return 1;
    for (int k = 0; k < ITERATIONS; k++) {
        if (anew && !follow_factor(s, t, y, yp)) return 1;
        memcpy(s->delta, s->r, bytes);
        source_solve(s->following, s->delta);
        double was = size, factor = 1, next = INFINITY;
        size = follow_size(s, s->delta, y, yp);
        if (!isfinite(size)) return 1;
        if (size <= DONE || (size <= ENOUGH && size > 0.5 * was)) return 0;
        for (int half = 0; half < HALVINGS; half++, factor /= 2) {
            follow_move(s, factor, y, yp, s->y1, s->yp1);
            if (follow_residual(s, t, s->y1, s->yp1, s->r)) continue;
            memcpy(s->last, s->r, bytes);
            source_solve(s->following, s->last);
            next = follow_size(s, s->last, s->y1, s->yp1);
            if (!damped || next <= (1 - factor / 2) * size || next <= ENOUGH) break;
            next = INFINITY;
        }
        if (!isfinite(next))
            return size <= ENOUGH || is_rounding(s, t, y, yp) ||
                           correction_is_rounding(s, t, y, yp, size)
                       ? 0
                       : 1;
        memcpy(y, s->y1, bytes);
        memcpy(yp, s->yp1, bytes);
        anew = factor < 1 || next > CONTRACTS * size;
    }
    return is_rounding(s, t, y, yp) || correction_is_rounding(s, t, y, yp, size) ? 0 : 1;
}

/* From the point given; in full steps; and then, as a branch may have ended there, from the opposite
 * values of the algebraic unknowns, from zero, from their start values. */
int source_follow(vinc_sim *s, double t, double *y, double *yp)
{
    enum { SEARCHES = 6, SEARCHES_NEAR = 2 };
    const source_model *m = s->m;
    int rc = 1, searches = s->now.near ? SEARCHES_NEAR : SEARCHES;
    memcpy(s->held, y, (size_t)m->n * sizeof *y);
    if (m->rhs.f) {
        source_eval(s, &m->rhs, t, y, yp, s->r, NULL);
        for (int i = 0; i < m->n; i++) {
            if (m->differential[i]) yp[i] = s->r[i];
            else y[i] = s->r[i], yp[i] = 0;
        }
        return source_finite(s->r, m->n) ? 0 : 1;
    }
    for (int attempt = 0; rc && m->n && attempt < searches; attempt++) {
        memcpy(y, s->held, (size_t)m->n * sizeof *y);
        for (int i = 0; i < m->n; i++) {
            if (m->role[i] != SOURCE_STATE || !isfinite(yp[i]) || attempt) yp[i] = 0;
            if (m->role[i] != SOURCE_ALGEBRAIC || attempt < 2) continue;
            int e = m->y_entry[i];
            if (attempt <= 3) y[i] *= attempt == 2 ? -1 : -2;
            else y[i] = attempt == 4 || e < 0 ? 0 : s->start[e];
        }
        rc = follow_from(s, t, y, yp, !attempt);
        if (!rc && attempt && !source_holds(s, t, y, yp)) rc = 1; // another, which is none
    }
    if (m->n && rc) return rc;
    source_eval(s, &m->next, t, y, yp, s->rows, NULL);
    for (int k = 0; k < m->next.n_out; k++) yp[m->next_of[k]] = s->rows[k];
    return 0;
}

/* ---- choice of states ------------------------------------------------------------------------ */

/* Rows of equal size, columns in units of the nominals. */
static void group_gather(const vinc_sim *s, const source_group *q, int row0, double *g)
{
    const source_pattern *a = &s->m->group_pattern;
    int m = q->n_constraints, n = q->n_columns;
    memset(g, 0, (size_t)m * (size_t)n * sizeof *g);
    for (int j = 0; j < n; j++)
        for (int k = a->start[q->columns[j]]; k < a->start[q->columns[j] + 1]; k++) {
            int i = a->row[k] - row0;
            if (i >= 0 && i < m) g[i + j * m] = s->dy[k] * s->nominal[q->columns[j]];
        }
    for (int i = 0; i < m; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(g[i + j * m]));
        for (int j = 0; j < n && most > 0; j++) g[i + j * m] /= most;
    }
}

/* Of the largest angle between the present choice and the motions z (last columns). */
static double group_cosine(const vinc_sim *s, const source_group *q, const double *z, double *c)
{
    int n = q->n_columns, m = q->n_constraints, k = n - m;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            double sum = 0;
            for (int a = 0; a < n; a++)
                sum += s->w[q->w + i * n + a] * s->nominal[q->columns[a]] * z[a + (m + j) * n];
            c[i + j * k] = sum;
        }
    return k ? source_smallest_singular(k, c) : 1;
}

static void choose_combinations(vinc_sim *s, const source_group *q, const double *z)
{
    int n = q->n_columns, m = q->n_constraints;
    for (int i = 0; i < n - m; i++)
        for (int a = 0; a < n; a++)
            s->w[q->w + i * n + a] = z[a + (m + i) * n] / s->nominal[q->columns[a]];
}

/* Coordinates: those that are named, or those that complete pivoting on z finds. */
static void choose_coordinates(vinc_sim *s, const source_group *q, double *z)
{
    int n = q->n_columns, m = q->n_constraints, k = n - m, row = 0;
    double *P = s->w + q->w;
    memset(P, 0, (size_t)k * (size_t)n * sizeof *P);
    for (int a = 0; q->independent && a < n; a++)
        if (q->independent[a]) P[row++ * n + a] = 1;
    for (int i = 0; !q->independent && i < k; i++) {
        int best = 0, col = i;
        double most = -1;
        for (int a = 0; a < n; a++)
            for (int j = i; j < k; j++)
                if (fabs(z[a + (m + j) * n]) > most) {
                    most = fabs(z[a + (m + j) * n]);
                    best = a;
                    col = j;
                }
        P[i * n + best] = 1;
        for (int a = 0; a < n; a++) {
            double x = z[a + (m + i) * n];
            z[a + (m + i) * n] = z[a + (m + col) * n];
            z[a + (m + col) * n] = x;
        }
        for (int j = i + 1; j < k; j++) { // nothing of column j is left in this row
            double f = z[best + (m + j) * n] / z[best + (m + i) * n];
            for (int a = 0; a < n; a++) z[a + (m + j) * n] -= f * z[a + (m + i) * n];
        }
    }
}

/* What margin is not NULL: the cosines; otherwise choices are made. */
static int group_walk(vinc_sim *s, double t, const double *y, const double *yp, double below,
                      double *margin)
{
    const double COSINE_LEAST = 0.3; // an event at the latest beyond about 73 degrees
    const source_model *m = s->m;
    int changed = 0;
    source_eval(s, &m->group_jac, t, y, yp, s->dy, s->dyp);
    for (int g = 0, row0 = 0; g < m->n_groups; row0 += m->groups[g].n_constraints, g++) {
        const source_group *q = &m->groups[g];
        size_t n = (size_t)q->n_columns;
        double *gm = malloc(3 * (n * n + 1) * sizeof *gm), *z = gm ? gm + n * n : NULL;
        if (!gm) return -1;
        group_gather(s, q, row0, gm);
        int rank = source_least(q->n_constraints, q->n_columns, gm, NULL, NULL, z);
        bool whole = rank == q->n_constraints;
        double cosine = whole ? group_cosine(s, q, z, z + n * n) : 1;
        if (margin) margin[g] = (q->coordinates ? 1 : cosine) - COSINE_LEAST;
        bool anew = below > 1 || (whole && cosine < below && !q->independent);
        if (!margin && rank >= 0 && anew) {
            if (q->coordinates) choose_coordinates(s, q, z);
            else choose_combinations(s, q, z);
            changed = 1;
        }
        free(gm);
        if (rank < 0) return -1;
    }
    return changed;
}

int source_select(vinc_sim *s, double t, const double *y, const double *yp, double below)
{
    return s->m->n_groups ? group_walk(s, t, y, yp, below, NULL) : 0;
}

int source_margins(vinc_sim *s, double t, const double *y, const double *yp, double *margin)
{
    return s->m->n_groups ? group_walk(s, t, y, yp, 0, margin) : 0;
}
