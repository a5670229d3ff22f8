/* CombiTable2D: a surface over two columns of points.
 *
 * Along each direction the weights of a piece, as for a curve; the surface is their product. The
 * smooth kinds use slopes along both directions and the twist of H. Akima, Commun. ACM 17 (1974)
 * 18-20 (Algorithm 474).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"
#include "external/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct table_2d {
    table_axis axis[2];
    double *block;
    size_t bytes;
    const double *z[4]; // values, slopes by u1, by u2, twist; NULL beyond the first if not smooth
} table_2d;

static bool check_grid(external_call *c, const double *x, int n, int stride, const char *which,
                       bool strict)
{
    for (int i = 0; i < n; i++) {
        double a = x[i * stride];
        if (isfinite(a) && (!i || a > x[(i - 1) * stride] || (a == x[(i - 1) * stride] && !strict)))
            continue;
        snprintf(c->why, EXTERNAL_WHY,
                 "the first %s of a table in two dimensions must grow, but entry %d has %g", which,
                 i + 2, a);
        return false;
    }
    return true;
}

/* The twist of cell (i, j); beyond the edges it goes on linearly. */
static double cell_twist(const table_2d *t, const double *z, int i, int j)
{
    int n1 = t->axis[0].n, n2 = t->axis[1].n;
    const double *x = t->axis[0].x, *y = t->axis[1].x;
    if (i < 0 || i > n1 - 2) {
        int in = i < 0 ? 0 : n1 - 2, next = n1 == 2 ? in : i < 0 ? 1 : n1 - 3;
        return 2 * cell_twist(t, z, in, j) - cell_twist(t, z, next, j);
    }
    if (j < 0 || j > n2 - 2) {
        int in = j < 0 ? 0 : n2 - 2, next = n2 == 2 ? in : j < 0 ? 1 : n2 - 3;
        return 2 * cell_twist(t, z, i, in) - cell_twist(t, z, i, next);
    }
    const double *a = z + i * n2 + j, *b = a + n2;
    return (b[1] - b[0] - a[1] + a[0]) / ((x[i + 1] - x[i]) * (y[j + 1] - y[j]));
}

/* At a point the twists of the four cells around it count as their chords do for the slopes. */
static double point_twist(const table_2d *t, int smoothness, const double *z, int i, int j)
{
    int n1 = t->axis[0].n, n2 = t->axis[1].n;
    double u[2], v[2], sum = 0;
    table_chord_weights(smoothness, t->axis[0].x, z + j, n1, n2, i, u);
    table_chord_weights(smoothness, t->axis[1].x, z + i * n2, n2, 1, j, v);
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) sum += u[p] * v[q] * cell_twist(t, z, i - 1 + p, j - 1 + q);
    return sum;
}

/* Of a smooth surface: slopes along rows and columns of the n1 by n2 values. */
static void make_slopes(const table_2d *t, int smoothness, double *z)
{
    int n1 = t->axis[0].n, n2 = t->axis[1].n;
    size_t n = (size_t)n1 * (size_t)n2;
    double *by_1 = z + n, *by_2 = by_1 + n, *twist = by_2 + n;
    memset(by_1, 0, 3 * n * sizeof *z);
    if (n1 > 1)
        for (int j = 0; j < n2; j++)
            table_slopes(smoothness, t->axis[0].x, z + j, n1, n2, by_1 + j);
    if (n2 > 1)
        for (int i = 0; i < n1; i++)
            table_slopes(smoothness, t->axis[1].x, z + i * n2, n2, 1, by_2 + i * n2);
    if (n1 > 1 && n2 > 1)
        for (int i = 0; i < n1; i++)
            for (int j = 0; j < n2; j++) twist[i * n2 + j] = point_twist(t, smoothness, z, i, j);
}

static bool fill_2d(external_call *c, const table_matrix *x, int smoothness, int extrapolation,
                    table_2d *t)
{
    int n1 = x->rows - 1, n2 = x->cols - 1;
    size_t n = (size_t)n1 * (size_t)n2;
    bool smooth = table_is_smooth(smoothness);
    t->bytes = ((size_t)n1 + (size_t)n2 + (smooth ? 4 : 1) * n) * sizeof(double);
    t->block = mem_try(c->m, t->bytes);
    if (!t->block) {
        snprintf(c->why, EXTERNAL_WHY, "out of memory");
        return false;
    }
    double *u1 = t->block, *u2 = u1 + n1, *z = u2 + n2;
    for (int i = 0; i < n1; i++) u1[i] = x->at[(size_t)(i + 1) * (size_t)x->cols];
    for (int j = 0; j < n2; j++) u2[j] = x->at[j + 1];
    for (int i = 0; i < n1; i++)
        for (int j = 0; j < n2; j++)
            z[i * n2 + j] = x->at[(size_t)(i + 1) * (size_t)x->cols + (size_t)j + 1];
    t->axis[0] = (table_axis){u1, n1, smoothness, extrapolation, 0};
    t->axis[1] = (table_axis){u2, n2, smoothness, extrapolation, 0};
    t->z[0] = z;
    if (!smooth) return true;
    make_slopes(t, smoothness, z);
    for (size_t k = 1; k < 4; k++) t->z[k] = z + k * n;
    return true;
}

static void free_2d(const external_function *f, mem *m, void *object)
{
    (void)f;
    table_2d *t = object;
    mem_free(m, t->block, t->bytes);
    mem_free(m, t, sizeof *t);
}

// file, name, table, rows, columns, smoothness, extrapolation, verbose
static bool make_table_2d(external_call *c)
{
    int smoothness = (int)c->arg[5].at[0], extrapolation = (int)c->arg[6].at[0];
    table_matrix x = {0};
    if (smoothness < TABLE_LINEAR || smoothness > TABLE_MODIFIED_AKIMA ||
        extrapolation < TABLE_HOLD || extrapolation > TABLE_NONE) {
        snprintf(c->why, EXTERNAL_WHY, "a table has no such smoothness or extrapolation");
        return false;
    }
    if (!table_argument(c, &x)) return false;
    bool strict = smoothness != TABLE_CONSTANT, ok = x.rows > 1 && x.cols > 1;
    if (!ok)
        snprintf(c->why, EXTERNAL_WHY,
                 "a table in two dimensions needs two rows and two columns, not %d and %d", x.rows,
                 x.cols);
    ok = ok && check_grid(c, x.at + x.cols, x.rows - 1, x.cols, "column", strict) &&
         check_grid(c, x.at + 1, x.cols - 1, 1, "row", strict);
    table_2d *t = ok ? mem_try(c->m, sizeof *t) : NULL;
    if (t) {
        *t = (table_2d){0};
        ok = fill_2d(c, &x, smoothness, extrapolation, t);
        if (!ok) mem_free(c->m, t, sizeof *t);
    } else if (ok) {
        snprintf(c->why, EXTERNAL_WHY, "out of memory");
        ok = false;
    }
    table_matrix_free(c->m, &x);
    c->object = t;
    return ok;
}

/* Steps go on linearly through the last two points, in both directions then. */
static bool leaves_steps(const external_call *c, const table_2d *t)
{
    bool beyond = false;
    for (int k = 0; k < 2; k++) {
        const table_axis *a = &t->axis[k];
        double u = c->arg[1 + k].at[0];
        beyond |= a->n > 1 && (u < a->x[0] || u > a->x[a->n - 1]);
    }
    return beyond && t->axis[0].extrapolation == TABLE_LAST_TWO;
}

/* d[a][b]: differentiated a times by u1 and b times by u2. */
static bool value_2d(external_call *c, double d[3][3])
{
    table_2d *t = c->arg[0].object;
    table_weights w[2];
    bool stepped = t->axis[0].smoothness == TABLE_CONSTANT, beyond = leaves_steps(c, t);
    for (int k = 0; k < 2; k++) {
        double u = c->arg[1 + k].at[0];
        table_axis *a = &t->axis[k];
        if (stepped) a->smoothness = beyond ? TABLE_LINEAR : TABLE_CONSTANT;
        bool there = table_weigh(a, u, &w[k]);
        if (stepped) a->smoothness = TABLE_CONSTANT;
        if (there) continue;
        snprintf(c->why, EXTERNAL_WHY,
                 "a table is asked for its value at u%d = %g, outside of its range %g ... %g, and "
                 "its extrapolation is NoExtrapolation",
                 k + 1, u, a->x[0], a->x[a->n - 1]);
        return false;
    }
    int n2 = t->axis[1].n, down = t->axis[0].n > 1, right = t->axis[1].n > 1;
    for (int a = 0; a < 3; a++)
        for (int b = 0; a + b < 3; b++) {
            double sum = 0;
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++) {
                    const double *z = t->z[(p & 1) + 2 * (q & 1)];
                    if (!z) continue;
                    int i = w[0].i + (p / 2) * down, j = w[1].i + (q / 2) * right;
                    sum += w[0].w[a][p] * w[1].w[b][q] * z[i * n2 + j];
                }
            d[a][b] = sum;
        }
    return true;
}

static bool table_value_2d(external_call *c)
{
    double d[3][3];
    if (!value_2d(c, d)) return false;
    *c->result = d[0][0];
    return true;
}

static bool table_der_2d(external_call *c)
{
    double d[3][3];
    if (!value_2d(c, d)) return false;
    *c->result = d[1][0] * c->arg[3].at[0] + d[0][1] * c->arg[4].at[0];
    return true;
}

static bool table_der2_2d(external_call *c)
{
    double d[3][3];
    if (!value_2d(c, d)) return false;
    double v1 = c->arg[3].at[0], v2 = c->arg[4].at[0], a1 = c->arg[5].at[0], a2 = c->arg[6].at[0];
    *c->result =
        d[2][0] * v1 * v1 + 2 * d[1][1] * v1 * v2 + d[0][2] * v2 * v2 + d[1][0] * a1 + d[0][1] * a2;
    return true;
}

static bool value_slopes_2d(external_call *c, double *s)
{
    double d[3][3];
    if (!value_2d(c, d)) return false;
    s[1] = d[1][0];
    s[2] = d[0][1];
    return true;
}

static bool der_slopes_2d(external_call *c, double *s)
{
    double d[3][3];
    if (!value_2d(c, d)) return false;
    double v1 = c->arg[3].at[0], v2 = c->arg[4].at[0];
    s[1] = d[2][0] * v1 + d[1][1] * v2;
    s[2] = d[1][1] * v1 + d[0][2] * v2;
    s[3] = d[1][0];
    s[4] = d[0][1];
    return true;
}

static bool table_least_2d(external_call *c)
{
    const table_2d *t = c->arg[0].object;
    for (int k = 0; k < 2 && k < c->arg[1].n; k++) c->arg[1].at[k] = t->axis[k].x[0];
    return true;
}

static bool table_greatest_2d(external_call *c)
{
    const table_2d *t = c->arg[0].object;
    for (int k = 0; k < 2 && k < c->arg[1].n; k++) c->arg[1].at[k] = t->axis[k].x[t->axis[k].n - 1];
    return true;
}

const external_function external_tables_2d[] = {
    {.name = "ModelicaStandardTables_CombiTable2D_close", .types = "vo", .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_getDer2Value",
     .types = "rorrrrrr",
     .value = table_der2_2d,
     .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_getDerValue",
     .types = "rorrrr",
     .value = table_der_2d,
     .slopes = der_slopes_2d,
     .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_getValue",
     .types = "rorr",
     .value = table_value_2d,
     .slopes = value_slopes_2d,
     .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_init2",
     .types = "ossRiiiii",
     .value = make_table_2d,
     .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_maximumAbscissa",
     .types = "voR",
     .value = table_greatest_2d,
     .release = free_2d},
    {.name = "ModelicaStandardTables_CombiTable2D_minimumAbscissa",
     .types = "voR",
     .value = table_least_2d,
     .release = free_2d},
    {0}};
