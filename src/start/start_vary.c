/* Derivatives of start values by parameters and by start values that are given.
 *
 * Start values solve the rows R(z) = 0 of start_system.c, with fixed ones given. By the implicit function
 * theorem their derivatives solve dR/dz dz + dR/dp dp = 0. Where the rows leave values free, those given
 * are kept: free values move as what they are given by does, if the rows allow it. If they do not,
 * values are chosen by least change, which has a derivative that is not computed here: refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/bump.h"
#include "la/dense.h"
#include "run/entry_names.h"
#include "run/vary_parts.h"
#include "start/search.h"

#include <math.h>
#include <string.h>

typedef struct start_varied {
    start *a;
    run_variation *x;
    int rows, n_free;
    int *free;      // z of each column
    double *matrix; // rows by n_free
    double *scale;  // of its columns
    double *row_size;
    double *b, *d, *row, *extra, *step;
    la_cod cod;
} start_varied;

static int entry_of_z(const start *a, int z)
{
    int n = a->m->n, e = start_entry(a, z < n ? z : a->z_yp[z - n]);
    return e < 0 ? -1 : z < n ? e : e + 1;
}

static bool z_is_fixed(const start *a, int z)
{
    int e = entry_of_z(a, z);
    return e >= 0 && run_is_fixed(a->s, e);
}

/* Does least change hold it, where it is free? */
static bool z_is_held(const start *a, int z)
{
    return z < a->m->n && a->m->system.differential[z];
}

static size_t varied_layout(start_varied *q, void *block)
{
    bump b = bump_begin(block);
    const start *a = q->a;
    size_t m = (size_t)q->rows, n = (size_t)a->n_z, k = m < n ? m : n;
    q->free = bump_int(&b, n);
    q->matrix = bump_double(&b, m * n);
    q->scale = bump_double(&b, n);
    q->row_size = bump_double(&b, m);
    q->b = bump_double(&b, m + n);
    q->step = bump_double(&b, m + n);
    q->d = bump_double(&b, n);
    q->row = bump_double(&b, (size_t)a->m->n);
    q->extra = bump_double(&b, (size_t)a->x->n_extra + 1);
    q->cod.tau = bump_double(&b, k);
    q->cod.tau_z = bump_double(&b, k);
    q->cod.perm = bump_int(&b, n);
    q->cod.work = bump_double(&b, la_cod_work(q->rows, a->n_z));
    return bump_end(&b);
}

/* b := - (dR/dp dp + dR/dw dw) - the part of what is given, in z units. */
static void right_side(start_varied *q, const start_entries *j, int k)
{
    start *a = q->a;
    run_variation *x = q->x;
    vary_direction d = {.w = vary_discrete(x, k), .p = vary_parameters(x, k)};
    vary_at(x, &x->code->of[CODE_V_RESIDUAL], a->t, a->y, a->yp);
    vary_times(x, &x->code->of[CODE_V_RESIDUAL], &d, a->m->n, q->row);
    for (int i = 0; i < a->n_rows; i++) q->b[i] = -q->row[a->rows[i]];
    vary_at(x, &x->code->of[CODE_V_EXTRA], a->t, a->y, a->yp);
    vary_times(x, &x->code->of[CODE_V_EXTRA], &d, a->x->n_extra, q->extra);
    for (int i = 0; i < a->n_active; i++) {
        int e = a->x->rows[a->active[i]].entry;
        q->b[a->n_rows + i] = -q->extra[a->active[i]] + (e < 0 ? 0 : vary_start_of(x, k, e));
    }
    for (int z = 0; z < a->n_z; z++) {
        int e = entry_of_z(a, z);
        bool given = e >= 0 && (z_is_fixed(a, z) || z_is_held(a, z));
        q->d[z] = given ? vary_start_of(x, k, e) : 0;
        for (int p = j->begin[z]; q->d[z] != 0 && p < j->begin[z + 1]; p++)
            q->b[j->row[p]] -= start_value(j, p) * q->d[z];
    }
}

static int refuse_choice(const start *a, int entry)
{
    text name;
    text_init(&name, a->sink->a->m);
    run_add_name(a->m, entry, &name);
    diag_error(a->sink, "R170", image_declared_at(&a->m->entries, entry),
               "the start value of '%s' is chosen by least change, since constraints or initial "
               "equations move it and nothing else decides it: its derivative by a parameter "
               "is not known. Write fixed = true at the start values that are meant",
               text_str(&name));
    text_done(&name);
    return VINC_E_MODEL;
}

/* The matrix of what is free, its rows and columns of about one size. */
static void varied_matrix(start_varied *q, const start_entries *j)
{
    const double UNHELD = 1e3; // choice: what least change does not count moves first
    start *a = q->a;
    int m = q->rows, n = a->m->n;
    q->n_free = 0;
    for (int z = 0; z < a->n_z; z++)
        if (!z_is_fixed(a, z)) q->free[q->n_free++] = z;
    memset(q->matrix, 0, (size_t)m * (size_t)q->n_free * sizeof *q->matrix);
    for (int i = 0; i < m; i++) q->row_size[i] = 0;
    for (int c = 0; c < q->n_free; c++) {
        int z = q->free[c];
        double *column = q->matrix + (size_t)c * (size_t)m;
        q->scale[c] = run_nominal(a->s)[z < n ? z : a->z_yp[z - n]];
        if (!z_is_held(a, z)) q->scale[c] *= UNHELD;
        for (int p = j->begin[z]; p < j->begin[z + 1]; p++)
            column[j->row[p]] += start_value(j, p) * q->scale[c];
        for (int i = 0; i < m; i++) q->row_size[i] = fmax(q->row_size[i], fabs(column[i]));
    }
    for (int i = 0; i < m; i++)
        if (!(q->row_size[i] > 0)) q->row_size[i] = 1;
    for (int c = 0; c < q->n_free; c++)
        for (int i = 0; i < m; i++) q->matrix[i + (size_t)c * (size_t)m] /= q->row_size[i];
    q->cod.m = m;
    q->cod.n = q->n_free;
    q->cod.a = q->matrix;
}

/* By parameter k: z moves by d. */
static int solve_one(start_varied *q, const start_entries *j, int k)
{
    const double MOVED = 1e-7; // of the largest derivative of a start value: choice
    start *a = q->a;
    double *step = q->step, size = 0;
    right_side(q, j, k);
    for (int i = 0; i < q->rows; i++) q->b[i] /= q->row_size[i];
    la_cod_solve(&q->cod, q->b, step);
    for (int z = 0; z < a->n_z; z++)
        if (z_is_held(a, z)) size = fmax(size, fabs(q->d[z]) / run_nominal(a->s)[z]);
    for (int c = 0; c < q->n_free; c++) size = fmax(size, fabs(step[c]));
    for (int c = 0; c < q->n_free; c++) {
        int z = q->free[c];
        if (q->cod.rank < q->n_free && z_is_held(a, z) && fabs(step[c]) > MOVED * size)
            return refuse_choice(a, entry_of_z(a, z));
        q->d[z] += step[c] * q->scale[c];
    }
    return VINC_OK;
}

static int solve_varied(start_varied *q, double *dy, double *dyp)
{
    start *a = q->a;
    int n = a->m->n, rc = VINC_OK;
    start_entries j;
    if (start_entries_open(&j, a, NULL)) return VINC_E_MEMORY;
    start_jacobian(a);
    varied_matrix(q, &j);
    if (q->n_free && q->rows && la_cod_factor(&q->cod, 0) < 0) rc = VINC_E_EVALUATION;
    for (int k = 0; k < vary_count(q->x) && !rc; k++) {
        rc = solve_one(q, &j, k);
        for (int i = 0; i < n; i++) dy[k * n + i] = q->d[i], dyp[k * n + i] = 0;
        for (int i = n; i < a->n_z; i++) dyp[k * n + a->z_yp[i - n]] = q->d[i];
    }
    start_entries_close(&j);
    return rc;
}

/* Everything at the start but discrete values, which are given. */
static int vary_continuous(start *a, run_variation *x, bool conditions, double *dy, double *dyp)
{
    int n = a->m->n, m = vary_count(x), rc = VINC_OK;
    if (!n) return VINC_OK;
    if (!conditions && !a->m->formulation.n_groups) {
        for (int k = 0; k < m; k++)
            for (int i = 0; i < n; i++) {
                int e = start_entry(a, i);
                dy[k * n + i] = e < 0 ? 0 : vary_start_of(x, k, e);
            }
    } else {
        if (a->n_z > START_DENSE_MAX * 4) {
            diag_error(a->sink, "R171", (span){0, 0},
                       "the system of start values has %d unknowns: too many for derivatives of "
                       "start values that follow from initial equations or constraints",
                       a->n_z);
            return VINC_E_MODEL;
        }
        start_varied q = {.a = a, .x = x, .rows = a->n_rows + a->n_active};
        size_t bytes = varied_layout(&q, NULL) + 1;
        void *block = mem_try(run_mem(a->s), bytes);
        if (!block) return VINC_E_MEMORY;
        varied_layout(&q, block);
        rc = solve_varied(&q, dy, dyp);
        mem_free(run_mem(a->s), block, bytes);
        if (rc == VINC_E_EVALUATION)
            diag_error(a->sink, "R172", (span){0, 0},
                       "derivatives of the start values by parameters have no value at "
                       "the start");
        if (rc) return rc;
    }
    rc = vary_follow(x, a->t, a->y, a->yp, m, NULL, true, dy, dyp);
    if (rc <= 0) return rc;
    diag_error(a->sink, "R172", (span){0, 0},
               "at the start the equations do not determine the derivatives of their unknowns by "
               "parameters: they are singular there");
    return VINC_E_SINGULAR;
}

int start_vary(start *a, run_state *to, bool conditions)
{
    enum { PASSES_MAX = 20 };
    run_variation *x = vary_of(a->s), *y = vary_of(to);
    int n = a->m->n, n_to = run_model(to)->n, rc = VINC_OK;
    if (!x) return VINC_OK;
    double *dy = x->event.dy, *dyp = x->event.dyp;
    for (int pass = 0; pass < PASSES_MAX && !rc; pass++) {
        rc = vary_continuous(a, x, conditions, dy, dyp);
        if (rc || !vary_start_discrete(x, a->t, a->y, a->yp, dy, dyp)) break;
    }
    if (rc || to == a->s) return rc;
    const code_varied *handed = &x->code->of[CODE_V_MAP];
    vary_at(x, handed, a->t, a->y, a->yp);
    for (int k = 0; k < vary_count(x); k++) {
        vary_direction d = {0, dy + k * n, dyp + k * n, vary_discrete(x, k), vary_parameters(x, k)};
        vary_times(x, handed, &d, a->x->map.n_out, x->event.row);
        for (int i = 0; i < n_to; i++) {
            int at = a->x->map_y[i], at_p = a->x->map_yp[i];
            y->event.dy[k * n_to + i] = at < 0 ? 0 : x->event.row[at];
            y->event.dyp[k * n_to + i] = at_p < 0 ? 0 : x->event.row[at_p];
        }
        if (x->code->n_w)
            memcpy(vary_discrete(y, k), vary_discrete(x, k), (size_t)x->code->n_w * sizeof(double));
    }
    return VINC_OK;
}
