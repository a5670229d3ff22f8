/* Optimal control by collocation on the nodes of Radau IIA with three stages.
 *
 * In piece k with the unknowns Y_1, Y_2, Y_3 at its nodes and y where it begins (Y_3 of the piece before)
 *
 *     F(t_i, Y_i, Y'_i, u_k, q) = 0,    h Y'_i = sum_j b_ij (Y_j - y)        b: inverse of the matrix of the method
 *
 * Everything about a node is first derived by z = (t, Y_i, Y'_i, u, q), and then by the unknowns of the
 * piece, its "local" ones: y, Y_1, Y_2, Y_3, u, q, the end of the run. z is linear in them, but for the end of
 * the run, which divides Y'. Derivatives of all pieces have one pattern, which is found from that of F.
 * Second derivatives are exact as well, but for those of start values by parameters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "study/optimal_parts.h"

#include "method/irk.h"
#include "run/verbs.h"

#include <math.h>
#include <string.h>

enum {
    S = 3,
    LOCAL_PARTS = S + 2,     // local unknowns that an entry of z depends on, at most
    UNKNOWNS_MOST = 400,     // of the model: matrices of a piece are dense
    UNKNOWNS_FOR_SECOND = 60 // ... beyond, second derivatives are learnt
};

typedef struct collocation {
    optimal *q;
    int n, n_u, n_q, N;
    int n_z, n_local; // of z; of the unknowns of a piece
    int n_stage;      // rows of a node: equations, then constraints along the motion
    int n_last;       // rows of the last node: these, constraints at the end, the goal
    double c[S], b[S][S], sum[S];
    const double *x; // the point
    double h, t_stop;
    double *J;            // n_last by n_z
    double *H;            // n_z by n_z
    double *local;        // n_last by n_local, or n_local by n_local
    uint8_t *first_mask;  // by node: n_last by n_local
    uint8_t *second_mask; // n_local by n_local, below its diagonal
    double *yp, *row, *weights, *values;
    int *entry_column
        [2];      // of the entries of the derivatives of the residual and of what is computed
    int *outputs; // of the rows after the equations
    double *output_values;
    nlp_problem p;
} collocation;

/* ---- where things are ------------------------------------------------------------------------ */

static int piece_base(const collocation *c, int k)
{
    return c->n + k * (S * c->n + c->n_u);
}

/* The number of a local unknown among all. */
static int unknown_of(const collocation *c, int k, int local)
{
    int n = c->n;
    if (local < n) return k ? piece_base(c, k - 1) + (S - 1) * n + local : local;
    if (local < (S + 1) * n + c->n_u) return piece_base(c, k) + local - n;
    return piece_base(c, c->N) + local - (S + 1) * n - c->n_u;
}

static int stage_row(const collocation *c, int k, int i)
{
    return c->n + (k * S + i) * c->n_stage;
}

static const double *piece_start(const collocation *c, int k)
{
    return k ? c->x + piece_base(c, k - 1) + (S - 1) * c->n : c->x;
}

static const double *stage_y(const collocation *c, int k, int i)
{
    return c->x + piece_base(c, k) + i * c->n;
}

static double stage_time(const collocation *c, int k, int i)
{
    return c->q->t_start + (k + c->c[i]) * c->h;
}

static void stage_rates(const collocation *c, int k, int i, double *yp)
{
    const double *y0 = piece_start(c, k);
    for (int v = 0; v < c->n; v++) {
        double sum = -c->sum[i] * y0[v];
        for (int j = 0; j < S; j++) sum += c->b[i][j] * stage_y(c, k, j)[v];
        yp[v] = sum / c->h;
    }
}

/* Entry `at` of z at node i of piece k: the local unknowns it depends on, and its derivatives by them. */
static int local_parts(const collocation *c, int k, int i, int at, int *local, double *value)
{
    int n = c->n, m = 0, end = c->n_local - 1;
    double by_end = 1.0 / c->N; // dh
    if (!at) {
        if (c->q->free_end) local[m] = end, value[m++] = (k + c->c[i]) * by_end;
    } else if (at <= n) {
        local[m] = n + i * n + at - 1, value[m++] = 1;
    } else if (at <= 2 * n) {
        int v = at - 1 - n;
        local[m] = v, value[m++] = -c->sum[i] / c->h;
        for (int j = 0; j < S; j++) local[m] = n + j * n + v, value[m++] = c->b[i][j] / c->h;
        if (c->q->free_end) local[m] = end, value[m++] = -c->yp[v] / c->h * by_end;
    } else {
        local[m] = (S + 1) * n + at - 1 - 2 * n, value[m++] = 1;
    }
    return m;
}

/* A column of derivatives of the model as entries of z: one, or for a parameter all of `q`. */
static int z_of_column(const collocation *c, int column, int *first, double *weight)
{
    const optimal *q = c->q;
    int n = c->n, n_w = q->code->n_w;
    *weight = 1;
    if (column < 1 + 2 * n) return *first = column, 1;
    column -= 1 + 2 * n;
    if (column >= n_w) return *first = 1 + 2 * n + c->n_u, c->n_q;
    for (int i = 0; i < c->n_u; i++)
        if (q->controls[i].column == column) return *first = 1 + 2 * n + i, 1;
    return 0;
}

static double weight_of(const collocation *c, int column, int part)
{
    const optimal *q = c->q;
    int given = column - 1 - 2 * c->n - q->code->n_w;
    return given < 0 ? 1 : vary_parameters(q->x, c->n_u + part)[given];
}

/* ---- a point --------------------------------------------------------------------------------- */

static int take_point(collocation *c, const double *x)
{
    optimal *q = c->q;
    const double *given = x + piece_base(c, c->N);
    c->x = x;
    c->t_stop = q->free_end ? given[c->n_q] : q->t_stop;
    c->h = (c->t_stop - q->t_start) / c->N;
    return optimal_begin(q, x + piece_base(c, 0) + S * c->n, given);
}

static void take_piece(collocation *c, int k)
{
    optimal_set_controls(c->q, c->x + piece_base(c, k) + S * c->n);
}

/* dz of the rows of a node, to J. */
static void stage_first(collocation *c, int k, int i, int rows)
{
    optimal *q = c->q;
    run_variation *x = q->x;
    const code_varied *f = &q->code->of[CODE_V_RESIDUAL];
    double t = stage_time(c, k, i), weight;
    int first;
    memset(c->J, 0, (size_t)rows * (size_t)c->n_z * sizeof *c->J);
    vary_at(x, f, t, stage_y(c, k, i), c->yp);
    for (int j = 0; f->code && j < q->code->n_columns; j++) {
        int parts = z_of_column(c, j, &first, &weight);
        for (int part = 0; part < parts; part++) {
            weight = weight_of(c, j, part);
            for (int e = f->pattern.start[j]; e < f->pattern.start[j + 1]; e++)
                c->J[f->pattern.row[e] * c->n_z + first + part] += weight * x->values[e];
        }
    }
    if (rows > c->n) vary_at(x, &q->code->of[CODE_V_COMPUTED], t, stage_y(c, k, i), c->yp);
    for (int r = c->n; r < rows; r++)
        optimal_output_slope(q, c->outputs[r - c->n], c->J + r * c->n_z);
}

/* ... by the local unknowns, to local. */
static void localize(collocation *c, int k, int i, int rows)
{
    int part[LOCAL_PARTS];
    double value[LOCAL_PARTS];
    memset(c->local, 0, (size_t)rows * (size_t)c->n_local * sizeof *c->local);
    for (int at = 0; at < c->n_z; at++) {
        int m = local_parts(c, k, i, at, part, value);
        for (int r = 0; r < rows; r++) {
            double d = c->J[r * c->n_z + at];
            for (int j = 0; j < m && d != 0; j++)
                c->local[r * c->n_local + part[j]] += d * value[j];
        }
    }
}

/* ---- callbacks ------------------------------------------------------------------------------- */

static int outputs_at(collocation *c, int k, int i, int first, int n)
{
    return run_values(c->q->s, stage_time(c, k, i), stage_y(c, k, i), c->yp, c->outputs + first, n,
                      c->output_values);
}

static int nlp_goal(void *user, const double *x, double *f)
{
    collocation *c = user;
    int rc = take_point(c, x);
    if (rc) return rc;
    take_piece(c, c->N - 1);
    stage_rates(c, c->N - 1, S - 1, c->yp);
    rc = outputs_at(c, c->N - 1, S - 1, c->n_last - c->n - 1, 1);
    *f = c->q->goal_sign * c->output_values[0];
    return rc || !isfinite(*f);
}

static int nlp_gradient(void *user, const double *x, double *slope)
{
    collocation *c = user;
    int rc = take_point(c, x), last = c->n_last - 1, k = c->N - 1;
    if (rc) return rc;
    take_piece(c, k);
    stage_rates(c, k, S - 1, c->yp);
    stage_first(c, k, S - 1, c->n_last);
    localize(c, k, S - 1, c->n_last);
    memset(slope, 0, (size_t)c->p.n * sizeof *slope);
    for (int l = 0; l < c->n_local; l++)
        slope[unknown_of(c, k, l)] += c->q->goal_sign * c->local[last * c->n_local + l];
    return 0;
}

static int nlp_rows(void *user, const double *x, double *g)
{
    collocation *c = user;
    const optimal *q = c->q;
    int rc = take_point(c, x);
    if (rc) return rc;
    for (int v = 0; v < c->n; v++) g[v] = x[v] - q->sim->y[v];
    for (int k = 0; k < c->N; k++) {
        take_piece(c, k);
        for (int i = 0; i < S; i++) {
            bool last = k == c->N - 1 && i == S - 1;
            double *row = g + stage_row(c, k, i);
            stage_rates(c, k, i, c->yp);
            rc = q->p->residual(q->p->user, stage_time(c, k, i), stage_y(c, k, i), c->yp, row);
            int n = last ? q->n_limits : q->n_path;
            if (!rc && n) rc = outputs_at(c, k, i, 0, n);
            if (rc) return rc < 0 && optimal_stops(c->q) ? -1 : 1;
            for (int r = 0; r < n; r++) row[c->n + r] = q->limits[r].sign * c->output_values[r];
        }
    }
    for (int r = 0; r < c->p.m; r++)
        if (!isfinite(g[r])) return 1;
    return 0;
}

static double row_sign(const collocation *c, int r)
{
    const optimal *q = c->q;
    return r < c->n ? 1 : r < c->n_last - 1 ? q->limits[r - c->n].sign : q->goal_sign;
}

static int nlp_first(void *user, const double *x, double *values)
{
    collocation *c = user;
    int rc = take_point(c, x), at = 0, given = c->n_u + c->n_q;
    if (rc) return rc;
    for (int v = 0; v < c->n; v++) {
        values[at++] = 1;
        for (int k = 0; k < given; k++) values[at++] = -optimal_start_slope(c->q, k)[v];
    }
    for (int k = 0; k < c->N; k++) {
        take_piece(c, k);
        for (int i = 0; i < S; i++) {
            int rows = k == c->N - 1 && i == S - 1 ? c->n_last - 1 : c->n_stage;
            const uint8_t *mask = c->first_mask + (size_t)i * (size_t)(c->n_last * c->n_local);
            stage_rates(c, k, i, c->yp);
            stage_first(c, k, i, rows);
            localize(c, k, i, rows);
            for (int r = 0; r < rows; r++)
                for (int l = 0; l < c->n_local; l++)
                    if (mask[r * c->n_local + l])
                        values[at++] = row_sign(c, r) * c->local[r * c->n_local + l];
        }
    }
    return 0;
}

/* H += the second derivatives of a function, its rows weighted. */
static void add_second(collocation *c, int of, const code_varied *first, double t, const double *y,
                       const double *weights)
{
    optimal *q = c->q;
    const code_varied *f = &q->code->second[of];
    int a0, b0;
    double unused;
    if (!f->code) return;
    vary_values(q->x, f, t, y, c->yp, c->values);
    for (int d = 0; d < q->code->n_columns; d++) {
        int parts_d = z_of_column(c, d, &b0, &unused);
        for (int e = f->pattern.start[d]; parts_d && e < f->pattern.start[d + 1]; e++) {
            int entry = f->pattern.row[e], column = c->entry_column[of][entry];
            double w = weights[first->pattern.row[entry]] * c->values[e];
            int parts_c = z_of_column(c, column, &a0, &unused);
            for (int i = 0; i < parts_c && w != 0; i++)
                for (int j = 0; j < parts_d; j++)
                    c->H[(a0 + i) * c->n_z + b0 + j] +=
                        w * weight_of(c, column, i) * weight_of(c, d, j);
        }
    }
}

/* local += H by the local unknowns, and what the division of Y' by h adds. */
static void localize_second(collocation *c, int k, int i, const double *by_rates)
{
    int row[LOCAL_PARTS], column[LOCAL_PARTS], n = c->n, end = c->n_local - 1;
    double dr[LOCAL_PARTS], dc[LOCAL_PARTS], dh = 1.0 / c->N / c->h;
    for (int a = 0; a < c->n_z; a++) {
        int m = local_parts(c, k, i, a, row, dr);
        for (int b = 0; b < c->n_z; b++) {
            double d = c->H[a * c->n_z + b];
            if (d == 0) continue;
            int o = local_parts(c, k, i, b, column, dc);
            for (int r = 0; r < m; r++)
                for (int s = 0; s < o; s++)
                    c->local[row[r] * c->n_local + column[s]] += d * dr[r] * dc[s];
        }
    }
    for (int v = 0; v < n && c->q->free_end; v++) {
        double g = by_rates[v];
        if (g == 0) continue;
        int m = local_parts(c, k, i, 1 + n + v, row, dr) - 1; // the last is the end itself
        for (int r = 0; r < m; r++) {
            c->local[row[r] * c->n_local + end] -= g * dr[r] * dh;
            c->local[end * c->n_local + row[r]] -= g * dr[r] * dh;
        }
        c->local[end * c->n_local + end] += 2 * g * c->yp[v] * dh * dh;
    }
}

static int nlp_second(void *user, const double *x, double sigma, const double *lambda,
                      double *values)
{
    collocation *c = user;
    optimal *q = c->q;
    const code_varied *residual = &q->code->of[CODE_V_RESIDUAL],
                      *computed = &q->code->of[CODE_V_COMPUTED];
    int rc = take_point(c, x), at = 0;
    if (rc) return rc;
    for (int k = 0; k < c->N; k++) {
        take_piece(c, k);
        memset(c->local, 0, (size_t)(c->n_local * c->n_local) * sizeof *c->local);
        for (int i = 0; i < S; i++) {
            bool last = k == c->N - 1 && i == S - 1;
            const double *l = lambda + stage_row(c, k, i), *y = stage_y(c, k, i);
            double t = stage_time(c, k, i);
            int rows = last ? c->n_last : c->n_stage, n_out = q->s->model->outputs.computed.n_out;
            stage_rates(c, k, i, c->yp);
            memset(c->H, 0, (size_t)(c->n_z * c->n_z) * sizeof *c->H);
            add_second(c, 0, residual, t, y, l);
            memset(c->weights, 0, (size_t)n_out * sizeof *c->weights);
            for (int r = c->n; r < rows; r++) {
                tape_ref from = code_output_from(&q->s->model->outputs, c->outputs[r - c->n]);
                if (tape_kind_of(from) == TAPE_OUT)
                    c->weights[tape_index_of(from)] +=
                        row_sign(c, r) * (r == c->n_last - 1 ? sigma : l[r]);
            }
            if (rows > c->n) add_second(c, 1, computed, t, y, c->weights);
            memset(c->row, 0, (size_t)c->n * sizeof *c->row);
            if (q->free_end) {
                stage_first(c, k, i, rows);
                for (int r = 0; r < rows; r++)
                    for (int v = 0; v < c->n; v++)
                        c->row[v] += row_sign(c, r) * (r == c->n_last - 1 ? sigma : l[r]) *
                                     c->J[r * c->n_z + 1 + c->n + v];
            }
            localize_second(c, k, i, c->row);
        }
        for (int a = 0; a < c->n_local; a++)
            for (int b = 0; b <= a; b++)
                if (c->second_mask[a * c->n_local + b]) values[at++] = c->local[a * c->n_local + b];
    }
    return 0;
}

static bool nlp_stops(void *user)
{
    return optimal_stops(((collocation *)user)->q);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Which entries may be other than zero: of J, as ones. */
static void mask_stage(collocation *c)
{
    const optimal *q = c->q;
    const code_varied *f = &q->code->of[CODE_V_RESIDUAL];
    int first;
    double weight;
    memset(c->J, 0, (size_t)(c->n_last * c->n_z) * sizeof *c->J);
    for (int j = 0; f->code && j < q->code->n_columns; j++) {
        int parts = z_of_column(c, j, &first, &weight);
        for (int e = f->pattern.start[j]; e < f->pattern.start[j + 1]; e++)
            for (int part = 0; part < parts; part++)
                c->J[f->pattern.row[e] * c->n_z + first + part] = 1;
    }
    const code_varied *g = &q->code->of[CODE_V_COMPUTED];
    for (int r = c->n; r < c->n_last; r++) {
        tape_ref from = code_output_from(&q->s->model->outputs, c->outputs[r - c->n]);
        int at = tape_index_of(from), kind = tape_kind_of(from), column = -1;
        double *row = c->J + r * c->n_z;
        if (kind == TAPE_T) column = 0;
        else if (kind == TAPE_Y) column = 1 + at;
        else if (kind == TAPE_YP) column = 1 + c->n + at;
        else if (kind == TAPE_W) column = 2 * c->n + q->code->w_column[at];
        else if (kind == TAPE_P) column = 2 * c->n + q->code->n_w + q->code->p_column[at];
        for (int j = 0; j < q->code->n_columns; j++) {
            bool occurs = j == column;
            for (int e = g->code ? g->pattern.start[j] : 0;
                 kind == TAPE_OUT && g->code && e < g->pattern.start[j + 1]; e++)
                occurs |= g->pattern.row[e] == at;
            int parts = occurs ? z_of_column(c, j, &first, &weight) : 0;
            for (int part = 0; part < parts; part++) row[first + part] = 1;
        }
    }
}

static void mask_first(collocation *c)
{
    int part[LOCAL_PARTS];
    double value[LOCAL_PARTS];
    for (int i = 0; i < S; i++) {
        uint8_t *mask = c->first_mask + (size_t)i * (size_t)(c->n_last * c->n_local);
        for (int at = 0; at < c->n_z; at++) {
            int m = local_parts(c, 0, i, at, part, value);
            for (int r = 0; r < c->n_last; r++)
                for (int j = 0; j < m && c->J[r * c->n_z + at] != 0; j++)
                    mask[r * c->n_local + part[j]] = 1;
        }
    }
}

static void mask_pair(collocation *c, int a, int b)
{
    int row[LOCAL_PARTS], column[LOCAL_PARTS];
    double value[LOCAL_PARTS];
    for (int i = 0; i < S; i++) {
        int m = local_parts(c, 0, i, a, row, value), o = local_parts(c, 0, i, b, column, value);
        for (int r = 0; r < m; r++)
            for (int s = 0; s < o; s++) {
                int big = row[r] > column[s] ? row[r] : column[s], small = row[r] + column[s] - big;
                c->second_mask[big * c->n_local + small] = 1;
            }
    }
}

static void mask_second(collocation *c)
{
    const optimal *q = c->q;
    int a0, b0, end = c->n_local - 1, row[LOCAL_PARTS];
    double unused, value[LOCAL_PARTS];
    for (int of = 0; of < 2; of++) {
        const code_varied *f = &q->code->second[of];
        for (int d = 0; f->code && d < q->code->n_columns; d++) {
            int parts_d = z_of_column(c, d, &b0, &unused);
            for (int e = f->pattern.start[d]; e < f->pattern.start[d + 1]; e++) {
                int parts_c = z_of_column(c, c->entry_column[of][f->pattern.row[e]], &a0, &unused);
                for (int i = 0; i < parts_c; i++)
                    for (int j = 0; j < parts_d; j++) mask_pair(c, a0 + i, b0 + j);
            }
        }
    }
    for (int v = 0; v < c->n && q->free_end; v++)
        for (int i = 0; i < S; i++) {
            int m = local_parts(c, 0, i, 1 + c->n + v, row, value);
            for (int r = 0; r < m; r++) c->second_mask[end * c->n_local + row[r]] = 1;
        }
}

static void list_first(collocation *c)
{
    nlp_problem *p = &c->p;
    int given = c->n_u + c->n_q, at = 0;
    size_t most = (size_t)c->n * (size_t)(1 + given);
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < S; i++) {
            int rows = k == c->N - 1 && i == S - 1 ? c->n_last - 1 : c->n_stage;
            const uint8_t *mask = c->first_mask + (size_t)i * (size_t)(c->n_last * c->n_local);
            for (int j = 0; j < rows * c->n_local; j++) most += mask[j];
        }
    int *row = arena_array(c->q->a, int, most + 1), *column = arena_array(c->q->a, int, most + 1);
    for (int v = 0; v < c->n; v++) {
        row[at] = v, column[at++] = v;
        for (int k = 0; k < given; k++)
            row[at] = v, column[at++] = unknown_of(c, 0, (S + 1) * c->n + k);
    }
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < S; i++) {
            int rows = k == c->N - 1 && i == S - 1 ? c->n_last - 1 : c->n_stage;
            const uint8_t *mask = c->first_mask + (size_t)i * (size_t)(c->n_last * c->n_local);
            for (int r = 0; r < rows; r++)
                for (int l = 0; l < c->n_local; l++)
                    if (mask[r * c->n_local + l])
                        row[at] = stage_row(c, k, i) + r, column[at++] = unknown_of(c, k, l);
        }
    p->n_first = at;
    p->first_row = row;
    p->first_column = column;
}

static void list_second(collocation *c)
{
    nlp_problem *p = &c->p;
    int each = 0, at = 0;
    for (int j = 0; j < c->n_local * c->n_local; j++) each += c->second_mask[j];
    size_t room = (size_t)each * (size_t)c->N + 1;
    int *row = arena_array(c->q->a, int, room), *column = arena_array(c->q->a, int, room);
    for (int k = 0; k < c->N; k++)
        for (int a = 0; a < c->n_local; a++)
            for (int b = 0; b <= a; b++) {
                if (!c->second_mask[a * c->n_local + b]) continue;
                int i = unknown_of(c, k, a), j = unknown_of(c, k, b);
                row[at] = i > j ? i : j, column[at++] = i > j ? j : i;
            }
    p->n_second = at;
    p->second_row = row;
    p->second_column = column;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void collocation_nodes(collocation *c)
{
    method_tableau t = {0};
    radau_iia(S, &t);
    double det = 0;
    for (int i = 0; i < S; i++) {
        c->c[i] = t.c[i];
        for (int j = 0; j < S; j++) {
            int i1 = (i + 1) % S, i2 = (i + 2) % S, j1 = (j + 1) % S, j2 = (j + 2) % S;
            c->b[j][i] = t.a[i1][j1] * t.a[i2][j2] - t.a[i1][j2] * t.a[i2][j1];
        }
    }
    for (int j = 0; j < S; j++) det += t.a[0][j] * c->b[j][0];
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) {
            c->b[i][j] /= det;
            c->sum[i] += c->b[i][j];
        }
}

static void list_entries(collocation *c)
{
    static const code_variant of[2] = {CODE_V_RESIDUAL, CODE_V_COMPUTED};
    for (int k = 0; k < 2; k++) {
        const code_varied *f = &c->q->code->of[of[k]];
        c->entry_column[k] = arena_array(c->q->a, int, f->pattern.nnz + 1);
        for (int j = 0; f->program && j < c->q->code->n_columns; j++)
            for (int e = f->pattern.start[j]; e < f->pattern.start[j + 1]; e++)
                c->entry_column[k][e] = j;
    }
}

static double bounded(double x)
{
    return fmin(fmax(x, -OPTIMAL_UNBOUNDED), OPTIMAL_UNBOUNDED);
}

static void set_bounds(collocation *c)
{
    const optimal *q = c->q;
    size_t n = (size_t)c->p.n, m = (size_t)c->p.m;
    double *b = arena_array(q->a, double, 2 * n + 2 * m + 1), *xl = b, *xu = xl + n, *gl = xu + n,
           *gu = gl + m;
    for (size_t i = 0; i < n; i++) xl[i] = -OPTIMAL_UNBOUNDED, xu[i] = OPTIMAL_UNBOUNDED;
    for (size_t i = 0; i < m; i++) gl[i] = gu[i] = 0;
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < c->n_u; i++) {
            int at = piece_base(c, k) + S * c->n + i;
            xl[at] = bounded(q->controls[i].lower);
            xu[at] = bounded(q->controls[i].upper);
        }
    for (int i = 0; i < c->n_q; i++) {
        xl[piece_base(c, c->N) + i] = bounded(q->parameters[i]->lower);
        xu[piece_base(c, c->N) + i] = bounded(q->parameters[i]->upper);
    }
    if (q->free_end) xl[n - 1] = bounded(q->stop_lower), xu[n - 1] = bounded(q->stop_upper);
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < S; i++) {
            int rows = k == c->N - 1 && i == S - 1 ? q->n_limits : q->n_path;
            for (int r = 0; r < rows; r++) {
                gl[stage_row(c, k, i) + c->n + r] = bounded(q->limits[r].lower);
                gu[stage_row(c, k, i) + c->n + r] = bounded(q->limits[r].upper);
            }
        }
    c->p.x_lower = xl;
    c->p.x_upper = xu;
    c->p.g_lower = gl;
    c->p.g_upper = gu;
}

static void collocation_open(collocation *c, optimal *q)
{
    *c = (collocation){
        .q = q, .n = q->n, .n_u = q->n_controls, .n_q = q->n_parameters, .N = q->pieces};
    c->n_z = optimal_n_columns(q);
    c->n_local = (S + 1) * c->n + c->n_u + c->n_q + q->free_end;
    c->n_stage = c->n + q->n_path;
    c->n_last = c->n + q->n_limits + 1;
    size_t n_z = (size_t)c->n_z, n_l = (size_t)c->n_local, rows = (size_t)c->n_last;
    int nnz = q->code->nnz_most, n_out = q->s->model->outputs.computed.n_out;
    c->J = arena_array(q->a, double, rows *n_z + 1);
    c->H = arena_array(q->a, double, n_z *n_z + 1);
    c->local = arena_array(q->a, double, (rows > n_l ? rows : n_l) * n_l + 1);
    c->first_mask = arena_array(q->a, uint8_t, S * rows * n_l + 1);
    c->second_mask = arena_array(q->a, uint8_t, n_l * n_l + 1);
    memset(c->first_mask, 0, S * rows * n_l);
    memset(c->second_mask, 0, n_l * n_l);
    c->yp = arena_array(q->a, double, c->n + 1);
    c->row = arena_array(q->a, double, c->n + 1);
    c->weights = arena_array(q->a, double, n_out + 1);
    c->values = arena_array(q->a, double, nnz + 1);
    c->outputs = arena_array(q->a, int, q->n_limits + 2);
    c->output_values = arena_array(q->a, double, q->n_limits + 2);
    for (int r = 0; r < q->n_limits; r++) c->outputs[r] = q->limits[r].output;
    c->outputs[q->n_limits] = q->goal;
    memset(c->yp, 0, (size_t)c->n * sizeof *c->yp);
    c->h = (q->t_stop - q->t_start) / c->N;
    collocation_nodes(c);
    list_entries(c);
    c->p = (nlp_problem){.n = piece_base(c, c->N) + c->n_q + q->free_end,
                         .m = stage_row(c, c->N, 0) + q->n_limits - q->n_path,
                         .goal = nlp_goal,
                         .gradient = nlp_gradient,
                         .rows = nlp_rows,
                         .first = nlp_first,
                         .second = nlp_second,
                         .stops = nlp_stops,
                         .user = c};
    mask_stage(c);
    mask_first(c);
    list_first(c);
    if (q->code->has_second) {
        mask_second(c);
        list_second(c);
    }
    set_bounds(c);
}

/* From a run with the controls to begin with; where it fails, what was reached is kept. */
static int collocation_guess(collocation *c, double *x)
{
    optimal *q = c->q;
    size_t n = (size_t)c->n;
    double *u = arena_array(q->a, double, c->n_u + 1), *y = arena_array(q->a, double, 2 * n + 2),
           times[S];
    double *given = x + piece_base(c, c->N);
    for (int i = 0; i < c->n_u; i++) u[i] = q->controls[i].start;
    for (int i = 0; i < c->n_q; i++) given[i] = q->parameters[i]->value;
    if (q->free_end) given[c->n_q] = q->t_stop;
    int rc = optimal_begin(q, u, given), failed = 0;
    if (rc) return rc;
    memcpy(y, q->sim->y, n * sizeof *y);
    memcpy(y + n, q->sim->yp, n * sizeof *y);
    memcpy(x, y, n * sizeof *x);
    for (int k = 0; k < c->N; k++) {
        double *to = x + piece_base(c, k);
        for (int i = 0; i < S; i++) {
            times[i] = stage_time(c, k, i);
            memcpy(to + (size_t)i * n, y, n * sizeof *to);
        }
        times[S - 1] = q->t_start + (k + 1) * c->h;
        memcpy(to + S * n, u, (size_t)c->n_u * sizeof *u);
        if (!failed)
            failed = optimal_piece(q, q->t_start + k * c->h, times[S - 1], y, y + n, times, S, to);
        if (failed < 0) return failed;
    }
    optimal_targets(q, y);
    const double *last = x + piece_base(c, c->N - 1) + (S - 1) * c->n;
    for (int v = 0; v < c->n; v++) {
        double off = y[v] - last[v];
        for (int k = 0; k < c->N && isfinite(off); k++)
            for (int i = 0; i < S; i++)
                x[piece_base(c, k) + i * c->n + v] += off * (k + c->c[i]) / c->N;
    }
    return 0;
}

static void find_worst(collocation *c, const double *g, optimal_answer *out)
{
    out->worst = -1;
    out->violation = 0;
    for (int k = 0; k < c->N; k++)
        for (int i = 0; i < S; i++) {
            int rows = k == c->N - 1 && i == S - 1 ? c->n_last - 1 : c->n_stage;
            for (int r = 0; r < rows; r++) {
                int at = stage_row(c, k, i) + r;
                double off = fmax(c->p.g_lower[at] - g[at], g[at] - c->p.g_upper[at]);
                optimal_note_violation(out, off, r - c->n, stage_time(c, k, i));
            }
        }
}

int optimal_collocate(optimal *q, const nlp_solver *solver, optimal_answer *out)
{
    collocation c;
    if (q->n > UNKNOWNS_MOST)
        return fit_fail(q->model->ctx, "C206",
                        "'%s' has %d unknowns, and collocation is for at most %d: --way shooting",
                        q->model->flat->name, q->n, UNKNOWNS_MOST);
    if (q->n <= UNKNOWNS_FOR_SECOND) {
        int rc = api_sens_second(q->sim);
        if (rc) return rc;
        rc = optimal_open(q); // there is other room now
        if (rc) return rc;
    }
    collocation_open(&c, q);
    c.p.tolerance = 1e-9;
    c.p.max_iterations = q->o->max_iterations > 0 ? q->o->max_iterations : 3000;
    double *x = arena_array(q->a, double, c.p.n + 1), *g = arena_array(q->a, double, c.p.m + 1);
    nlp_answer done;
    int rc = collocation_guess(&c, x);
    if (!rc) rc = nlp_goal(&c, x, &out->start);
    if (rc) return q->stop ? q->stop : VINC_E_EVALUATION;
    solver->solve(&c.p, x, &done);
    if (q->stop) return q->stop;
    out->end = done.end;
    out->iterations = done.iterations;
    rc = nlp_rows(&c, x, g);
    if (!rc) rc = nlp_goal(&c, x, &out->value);
    if (rc) return q->stop ? q->stop : VINC_E_EVALUATION;
    find_worst(&c, g, out);
    out->t_stop = c.t_stop;
    for (int k = 0; k < c.N; k++) {
        memcpy(out->nodes + (size_t)k * (size_t)c.n, piece_start(&c, k),
               (size_t)c.n * sizeof *out->nodes);
        memcpy(out->controls + k * c.n_u, x + piece_base(&c, k) + S * c.n,
               (size_t)c.n_u * sizeof *out->controls);
    }
    memcpy(out->parameters, x + piece_base(&c, c.N), (size_t)c.n_q * sizeof *x);
    return VINC_OK;
}
