/* Start values.
 *
 * The search begins at the values that were found when the model was exported, moved by as much as the
 * start values that belong to the parameters have moved since. Fixed values hold; without further
 * conditions the constraints of each group are met by the least change, positions first, and everything
 * else follows from the states. With initial equations, or fixed values of variables that are not states,
 * the whole system is solved at once: by the least change of states where that leaves a choice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source/source_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger systems are not solved as a whole, by dense matrices. */
enum { WHOLE_MAX = 1000 };
enum { START_ROUNDS = 20, START_ITERATIONS = 60, START_HALVINGS = 12 };
static const double START_TOLERANCE = 1e-13, START_ENOUGH = 1e-9;
static const double OTHERS_FIRST = 1e4; // what is no state moves so much more easily than what is

/* The system: unknowns are components of y (number i) and of y' (n + i); rows are those of F, then extra
 * ones. */
typedef struct start {
    vinc_sim *s;
    double t;
    int *unknown, *row, *extra;
    int n_z, n_rows, n_extra;
    double *j, *r, *d, *y, *yp, *size;
} start;

static double *start_unknown(const start *a, int k)
{
    int n = a->s->m->n, i = a->unknown[k];
    return i < n ? &a->s->y[i] : &a->s->yp[i - n];
}

static int start_residual(start *a)
{
    vinc_sim *s = a->s;
    const source_model *m = s->m;
    source_eval(s, &m->residual, a->t, s->y, s->yp, s->r, NULL);
    for (int i = 0; i < a->n_rows; i++) a->r[i] = s->r[a->row[i]];
    source_eval(s, &m->extra, a->t, s->y, s->yp, s->rows, NULL);
    for (int k = 0; k < a->n_extra; k++) {
        int e = m->extras[a->extra[k]].entry;
        a->r[a->n_rows + k] = s->rows[a->extra[k]] - (e < 0 ? 0 : s->start[e]);
    }
    return source_finite(a->r, a->n_rows + a->n_extra) ? 0 : 1;
}

static void start_scatter(const start *a, const source_pattern *p, const int *rows, int n_rows,
                          int first)
{
    const vinc_sim *s = a->s;
    int n = s->m->n, m = a->n_rows + a->n_extra;
    for (int k = 0; k < a->n_z; k++) {
        int c = a->unknown[k] % n;
        const double *values = a->unknown[k] < n ? s->dy : s->dyp;
        for (int e = p->start[c]; e < p->start[c + 1]; e++)
            for (int i = 0; i < n_rows; i++)
                if (rows[i] == p->row[e]) a->j[first + i + (size_t)k * (size_t)m] = values[e];
    }
}

static void start_jacobian(start *a)
{
    vinc_sim *s = a->s;
    const source_model *m = s->m;
    memset(a->j, 0, (size_t)(a->n_rows + a->n_extra) * (size_t)a->n_z * sizeof *a->j);
    source_eval(s, &m->jacobian, a->t, s->y, s->yp, s->dy, s->dyp);
    start_scatter(a, &m->jac, a->row, a->n_rows, 0);
    if (!a->n_extra) return;
    source_eval(s, &m->extra_jac, a->t, s->y, s->yp, s->dy, s->dyp);
    start_scatter(a, &m->extra_pattern, a->extra, a->n_extra, a->n_rows);
}

/* Newton's method with the shortest corrections, in units of `size`; steps are halved while residuals, in
 * units of their rows, grow. */
static int start_iterate(start *a)
{
    vinc_sim *s = a->s;
    int m = a->n_rows + a->n_extra;
    size_t bytes = (size_t)s->m->n * sizeof *s->y;
    double was = INFINITY;
    if (!m) return 0;
    if (start_residual(a)) return 1;
    for (int k = 0; k < START_ITERATIONS; k++) {
        double worth = 0, moved = 0, factor = 1;
        start_jacobian(a);
        for (int i = 0; i < m; i++) {
            double most = 0;
            for (int c = 0; c < a->n_z; c++) {
                a->j[i + (size_t)c * (size_t)m] *= a->size[c];
                most = fmax(most, fabs(a->j[i + (size_t)c * (size_t)m]));
            }
            double unit = most > 0 ? 1 / most : 1;
            for (int c = 0; c < a->n_z; c++) a->j[i + (size_t)c * (size_t)m] *= unit;
            a->r[i] *= unit;
            worth = fmax(worth, fabs(a->r[i]));
            s->rows[i] = unit;
        }
        memcpy(a->r + m, s->rows, (size_t)m * sizeof *a->r);
        if (source_least(m, a->n_z, a->j, a->r, a->d, NULL) < 0) return 1;
        for (int c = 0; c < a->n_z; c++) {
            double x = *start_unknown(a, c), by = fabs(a->d[c] * a->size[c]);
            moved = fmax(moved, by / (fabs(x) + s->nominal[a->unknown[c] % s->m->n]));
        }
        if (moved <= START_TOLERANCE || (moved <= START_ENOUGH && moved > 0.5 * was))
            return worth <= 1e-6 ? 0 : 1; // rows that depend on each other may contradict
        was = moved;
        memcpy(a->y, s->y, bytes);
        memcpy(a->yp, s->yp, bytes);
        bool good = false;
        for (int half = 0; half < START_HALVINGS && !good; half++, factor /= 2) {
            memcpy(s->y, a->y, bytes);
            memcpy(s->yp, a->yp, bytes);
            for (int c = 0; c < a->n_z; c++) *start_unknown(a, c) -= factor * a->d[c] * a->size[c];
            if (start_residual(a)) continue;
            double now = 0;
            for (int i = 0; i < m; i++) now = fmax(now, fabs(a->r[i] * a->r[m + i]));
            good = now <= worth * (1 - factor / 10) || now <= 1e-12;
        }
        if (!good && start_residual(a)) return 1; // the smallest step is taken
    }
    return 1;
}

static bool start_open(start *a, vinc_sim *s, double t)
{
    const source_model *m = s->m;
    size_t n = (size_t)m->n, rows = n + (size_t)m->extra.n_out, z = 2 * n;
    start x = {.s = s, .t = t};
    *a = x;
    a->unknown = malloc((z + rows + 3) * sizeof *a->unknown);
    a->j = malloc((rows * z + 2 * rows + 2 * z + 2 * n + 1) * sizeof *a->j);
    if (!a->unknown || !a->j) return false;
    a->row = a->unknown + z;
    a->extra = a->row + n;
    a->r = a->j + rows * z;
    a->d = a->r + 2 * rows;
    a->size = a->d + z;
    a->y = a->size + z;
    a->yp = a->y + n;
    return true;
}

static void start_close(start *a)
{
    free(a->unknown);
    free(a->j);
}

/* Values that belong to the parameters as they are. */
static void start_take(vinc_sim *s)
{
    const source_model *m = s->m;
    for (int i = 0; i < m->n; i++) {
        int e = m->y_entry[i], d = m->yp_entry[i];
        s->y[i] = m->y_found[i] + (e < 0 ? 0 : s->start[e] - m->entry_start[e].number);
        s->yp[i] = m->yp_found[i] + (d < 0 ? 0 : s->start[d] - m->entry_start[d].number);
        if (e >= 0 && s->fixed[e]) s->y[i] = s->start[e];
        if (d >= 0 && s->fixed[d]) s->yp[i] = s->start[d];
    }
}

static void start_list(start *a)
{
    vinc_sim *s = a->s;
    const source_model *m = s->m;
    for (int i = 0; i < m->n; i++) {
        int e = m->y_entry[i], d = m->yp_entry[i];
        if (m->start_row[i]) a->row[a->n_rows++] = i;
        if (e < 0 || !s->fixed[e]) {
            a->size[a->n_z] = s->nominal[i] * (m->differential[i] ? 1 : OTHERS_FIRST);
            a->unknown[a->n_z++] = i;
        }
        if (d >= 0 && !s->fixed[d]) {
            a->size[a->n_z] = s->nominal[i] * OTHERS_FIRST;
            a->unknown[a->n_z++] = m->n + i;
        }
    }
    for (int k = 0; k < m->extra.n_out; k++)
        if (m->extras[k].entry < 0 || s->fixed[m->extras[k].entry]) a->extra[a->n_extra++] = k;
}

static bool has_conditions(const vinc_sim *s)
{
    const source_model *m = s->m;
    for (int k = 0; k < m->extra.n_out; k++)
        if (m->extras[k].entry < 0 || s->fixed[m->extras[k].entry]) return true;
    for (int i = 0; i < m->n; i++) {
        int e = m->y_entry[i], d = m->yp_entry[i];
        if (e >= 0 && !m->differential[i] && s->fixed[e]) return true;
        if (d >= 0 && s->fixed[d]) return true;
    }
    return false;
}

/* Constraints of the groups, those of the highest level first, by their own columns. */
static int start_groups(vinc_sim *s, double t)
{
    const source_model *m = s->m;
    int highest = 0, rc = 0;
    for (int g = 0; g < m->n_groups; g++)
        if (m->groups[g].level > highest) highest = m->groups[g].level;
    for (int level = highest; level >= 0 && !rc; level--)
        for (int g = 0; g < m->n_groups && !rc; g++) {
            const source_group *q = &m->groups[g];
            start a;
            if (q->level != level) continue;
            if (!start_open(&a, s, t)) return VINC_E_MEMORY;
            for (int k = 0; k < q->n_constraints; k++) a.row[a.n_rows++] = q->constraints[k];
            for (int j = 0; j < q->n_columns; j++) {
                int i = q->columns[j], e = m->y_entry[i];
                if (e >= 0 && s->fixed[e]) continue;
                a.size[a.n_z] = s->nominal[i];
                a.unknown[a.n_z++] = i;
            }
            rc = start_iterate(&a);
            start_close(&a);
        }
    return rc;
}

static int start_whole(vinc_sim *s, double t)
{
    start a;
    int rc = VINC_E_MEMORY;
    if (start_open(&a, s, t)) {
        start_list(&a);
        rc = start_iterate(&a);
    }
    start_close(&a);
    return rc;
}

static int start_failed(vinc_sim *s, int rc)
{
    if (rc == VINC_E_MEMORY) return rc;
    source_say(s->ctx, VINC_ERROR,
               "no start values were found that satisfy all equations: with these parameters and "
               "start values begin nearer to those that the model was exported with");
    return VINC_E_NEWTON;
}

int source_find_start(vinc_sim *s, double t)
{
    const source_model *m = s->m;
    size_t bytes = (size_t)m->n * sizeof *s->y;
    s->w[SOURCE_W_INITIAL] = 1;
    source_relations_begin(s);
    start_take(s);
    if (source_select(s, t, s->y, s->yp, 2) < 0) return start_failed(s, 1);
    for (int k = 0; k < START_ROUNDS; k++) {
        int changed = 0;
        start_take(s);
        if (!k) source_refresh(s, t, s->y, s->yp);
        int rc = has_conditions(s) ? start_whole(s, t) : start_groups(s, t);
        if (!rc && source_select(s, t, s->y, s->yp, 2) < 0) rc = 1;
        if (rc) return start_failed(s, rc);
        memcpy(s->yb, s->y, bytes);
        memcpy(s->ypb, s->yp, bytes);
        if (source_follow(s, t, s->yb, s->ypb)) {
            // It may find what the states alone do not lead to.
            rc = m->n <= WHOLE_MAX ? start_whole(s, t) : 1;
            if (rc) return start_failed(s, rc);
        } else {
            memcpy(s->y, s->yb, bytes);
            memcpy(s->yp, s->ypb, bytes);
        }
        memcpy(s->yb, s->y, bytes);
        memcpy(s->ypb, s->yp, bytes);
        memcpy(s->states1, s->w, (size_t)m->n_w * sizeof *s->w);
        rc = source_update(s, t, s->yb, s->ypb, &changed);
        if (rc < 0) return rc;
        if (!changed || !memcmp(s->states1, s->w, (size_t)m->n_w * sizeof *s->w)) {
            s->w[SOURCE_W_INITIAL] = 0;
            return VINC_OK;
        }
    }
    source_say(s->ctx, VINC_ERROR,
               "conditions of if-expressions and the start values contradict each other");
    return VINC_E_NEWTON;
}
