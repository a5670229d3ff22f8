/* CombiTimeTable and CombiTable1D: columns of a table over its first one.
 *
 * A time table is a function of time with events: the model asks for the time of the next one and
 * gives it back with every question. Until the event has happened the value is that of the piece
 * that ends there, wherever the time is meanwhile, so that an integrator which looks past the event
 * sees a smooth function, and the value before a jump is the one before it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "external/external_list.h"
#include "external/table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS_ALWAYS = 1, EVENTS_AT_JUMPS, EVENTS_NEVER };

typedef struct table_1d {
    table_axis axis;
    int n_columns;
    double *block; // abscissas, then by column values, then slopes if it is smooth
    size_t bytes;
    const double *y, *slope; // slope: NULL if it has none
    double start, shift;     // of a time table
    int events;
} table_1d;

/* ---- making ---------------------------------------------------------------------------------- */

static bool table_says(external_call *c, const char *what)
{
    snprintf(c->why, EXTERNAL_WHY, "%s", what);
    return false;
}

bool table_is_file(const char *name)
{
    return strspn(name, " ") < strlen(name) && strcmp(name, "NoName") != 0;
}

/* The matrix of the table: in a file, or an argument. */
bool table_argument(external_call *c, table_matrix *x)
{
    const char *file = c->arg[0].text, *name = c->arg[1].text;
    if (table_is_file(file)) return table_read(c->m, file, name, x, c->why);
    if (table_is_file(name)) {
        snprintf(c->why, EXTERNAL_WHY,
                 "table \"%s\": neither a matrix nor a file is given, and tables in C code "
                 "(usertab) are not read; give a file",
                 name);
        return false;
    }
    const external_value *v = &c->arg[2];
    x->rows = (int)c->arg[3].at[0];
    x->cols = (int)c->arg[4].at[0];
    if (x->rows < 1 || x->cols < 1 || v->n != x->rows * x->cols)
        return table_says(c, "the table has no rows or no columns");
    x->at = mem_try(c->m, (size_t)v->n * sizeof *x->at);
    if (!x->at) return table_says(c, "out of memory");
    memcpy(x->at, v->at, (size_t)v->n * sizeof *x->at);
    return true;
}

static bool check_abscissas(external_call *c, const table_matrix *x, int smoothness)
{
    for (int i = 0; i < x->rows; i++) {
        double a = x->at[(size_t)i * (size_t)x->cols],
               b = i ? x->at[(size_t)(i - 1) * (size_t)x->cols] : 0;
        bool strict = table_is_smooth(smoothness);
        if (isfinite(a) && (!i || a > b || (a == b && !strict))) continue;
        snprintf(c->why, EXTERNAL_WHY,
                 "the first column of a table must %s, but row %d has %g after %g",
                 strict ? "grow from row to row for a smooth curve" : "not fall", i + 1, a, b);
        return false;
    }
    return true;
}

static bool check_columns(external_call *c, const external_value *columns, const table_matrix *x)
{
    for (int k = 0; k < columns->n; k++) {
        int col = (int)columns->at[k];
        if (col >= 1 && col <= x->cols) continue;
        snprintf(c->why, EXTERNAL_WHY, "column %d is asked for, but the table has %d columns", col,
                 x->cols);
        return false;
    }
    return true;
}

static bool make_1d(external_call *c, const external_value *columns, int smoothness,
                    int extrapolation, table_1d **out)
{
    table_matrix x = {0};
    table_1d *t = NULL;
    *out = NULL;
    if (smoothness < TABLE_LINEAR || smoothness > TABLE_MODIFIED_AKIMA)
        return table_says(c, "a table has no such smoothness");
    if (extrapolation < TABLE_HOLD || extrapolation > TABLE_NONE)
        return table_says(c, "a table has no such extrapolation");
    if (!table_argument(c, &x)) return false;
    if (!check_abscissas(c, &x, smoothness) || !check_columns(c, columns, &x)) goto done;
    size_t n = (size_t)x.rows, m = (size_t)columns->n;
    bool smooth = table_is_smooth(smoothness) && n > 1;
    t = mem_try(c->m, sizeof *t);
    if (!t) goto no_memory;
    *t = (table_1d){.n_columns = columns->n, .bytes = n * (1 + m + smooth * m) * sizeof(double)};
    t->block = mem_try(c->m, t->bytes);
    if (!t->block) goto no_memory;
    double *y = t->block + n, *slope = y + n * m;
    for (size_t i = 0; i < n; i++) t->block[i] = x.at[i * (size_t)x.cols];
    for (size_t k = 0; k < m; k++) {
        size_t col = (size_t)columns->at[k] - 1;
        for (size_t i = 0; i < n; i++) y[k * n + i] = x.at[i * (size_t)x.cols + col];
        if (smooth) table_slopes(smoothness, t->block, y + k * n, (int)n, 1, slope + k * n);
    }
    t->y = y;
    t->slope = smooth ? slope : NULL;
    t->axis = (table_axis){t->block, (int)n, smoothness, extrapolation, 0};
    table_matrix_free(c->m, &x);
    *out = t;
    return true;
no_memory:
    table_says(c, "out of memory");
done:
    mem_free(c->m, t, sizeof *t);
    table_matrix_free(c->m, &x);
    return false;
}

static void free_1d(const external_function *f, mem *m, void *object)
{
    (void)f;
    table_1d *t = object;
    mem_free(m, t->block, t->bytes);
    mem_free(m, t, sizeof *t);
}

// file, name, table, rows, columns, columns[], n, smoothness, extrapolation, verbose
static bool make_table(external_call *c)
{
    table_1d *t;
    if (!make_1d(c, &c->arg[5], (int)c->arg[7].at[0], (int)c->arg[8].at[0], &t)) return false;
    c->object = t;
    return true;
}

// file, name, table, rows, columns, start, columns[], n, smoothness, extrapolation, shift, events,
// verbose
static bool make_time_table(external_call *c)
{
    table_1d *t;
    if (!make_1d(c, &c->arg[6], (int)c->arg[8].at[0], (int)c->arg[9].at[0], &t)) return false;
    t->start = c->arg[5].at[0];
    t->shift = c->arg[10].at[0];
    t->events = (int)c->arg[11].at[0];
    c->object = t;
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void table_sum(const table_1d *t, int column, const table_weights *w, double d[3])
{
    int n = t->axis.n, right = w->i + (n > 1);
    const double *y = t->y + (size_t)column * (size_t)n;
    const double *slope = t->slope ? t->slope + (size_t)column * (size_t)n : NULL;
    for (int k = 0; k < 3; k++) {
        d[k] = w->w[k][0] * y[w->i] + w->w[k][2] * y[right];
        if (slope) d[k] += w->w[k][1] * slope[w->i] + w->w[k][3] * slope[right];
    }
}

static bool column_of(external_call *c, const table_1d *t, int *column)
{
    *column = (int)c->arg[1].at[0] - 1;
    if (*column >= 0 && *column < t->n_columns) return true;
    return table_says(c, "a table has no such column");
}

static bool outside(external_call *c, const table_1d *t, double u)
{
    snprintf(c->why, EXTERNAL_WHY,
             "a table is asked for its value at %g, outside of its range %g ... %g, and its "
             "extrapolation is NoExtrapolation",
             u, t->axis.x[0], t->axis.x[t->axis.n - 1]);
    return false;
}

/* The value and its first two derivatives by u. */
static bool value_1d(external_call *c, double d[3])
{
    table_1d *t = c->arg[0].object;
    table_weights w;
    int column;
    double u = c->arg[2].at[0];
    if (!column_of(c, t, &column)) return false;
    if (!table_weigh(&t->axis, u, &w)) return outside(c, t, u);
    table_sum(t, column, &w, d);
    return true;
}

/* The piece that ends at an event, moved by whole periods to where the event is. */
static double piece_before(const table_1d *t, double u, double event, int *piece)
{
    const table_axis *a = &t->axis;
    double low = a->x[0], high = a->x[a->n - 1],
           tiny = 8 * DBL_EPSILON * (fabs(event) + high - low);
    double moved = 0;
    if (a->extrapolation == TABLE_PERIODIC && high > low && (event > high || event <= low + tiny))
        moved = (ceil((event - low - tiny) / (high - low)) - 1) * (high - low);
    int i = table_piece(a, event - moved - tiny);
    while (i > 0 && !(a->x[i] < event - moved - tiny)) i--;
    *piece = i;
    return u - moved;
}

/* A time that rounding has put before a point where an event has been. */
static double not_before(const table_axis *a, double u, double event)
{
    double tiny = 8 * DBL_EPSILON * fmax(fabs(u), fabs(event < DBL_MAX ? event : u));
    int i = table_piece(a, u + tiny);
    return a->x[i] > u && a->x[i] <= u + tiny && event > a->x[i] ? a->x[i] : u;
}

static bool value_time(external_call *c, double d[3])
{
    table_1d *t = c->arg[0].object;
    const table_axis *a = &t->axis;
    double now = c->arg[2].at[0], event = c->arg[3].at[0], u = now - t->shift;
    bool unset = event == 0 && c->arg[4].at[0] == 0; // as the variables of the block begin
    bool pending = !unset && now >= event;           // what comes after it has not begun
    int column;
    table_weights w;
    memset(d, 0, 3 * sizeof *d);
    if (!column_of(c, t, &column)) return false;
    if (unset ? now < t->start : event <= t->start) return true;
    double last = event - t->shift;
    bool inside =
        a->n > 1 && !table_is_smooth(a->smoothness) && !unset && last < DBL_MAX &&
        (a->extrapolation == TABLE_PERIODIC || (last > a->x[0] && last <= a->x[a->n - 1]));
    // Where an event ends every piece, it says which one it is, whatever rounding says of the time.
    bool told = inside && (a->smoothness == TABLE_CONSTANT || t->events == EVENTS_ALWAYS);
    if (pending ? inside : told) {
        int i;
        u = piece_before(t, u, last, &i);
        table_weigh_piece(a, i, u, &w);
        if (a->smoothness == TABLE_CONSTANT) {
            w = (table_weights){.i = i};
            w.w[0][0] = 1;
        }
    } else {
        if (!table_is_smooth(a->smoothness) && a->n > 1 && !unset) u = not_before(a, u, last);
        bool held = a->extrapolation == TABLE_HOLD || a->extrapolation == TABLE_LAST_TWO;
        if (pending && held && last == a->x[0] && table_begins_with_jump(a))
            u = nextafter(a->x[0], -INFINITY);
        if (!table_weigh(&t->axis, u, &w)) return outside(c, t, u);
    }
    table_sum(t, column, &w, d);
    return true;
}

/* Order 0 takes the arguments of the value; order 1 one more, its derivative; order 2 two more. */
static bool chain(external_call *c, const double d[3], int given, int order)
{
    double x1 = order > 0 ? c->arg[given].at[0] : 0, x2 = order > 1 ? c->arg[given + 1].at[0] : 0;
    *c->result = order == 0 ? d[0] : order == 1 ? d[1] * x1 : d[2] * x1 * x1 + d[1] * x2;
    return true;
}

static bool table_value(external_call *c)
{
    double d[3];
    return value_1d(c, d) && chain(c, d, 3, 0);
}

static bool table_der(external_call *c)
{
    double d[3];
    return value_1d(c, d) && chain(c, d, 3, 1);
}

static bool table_der2(external_call *c)
{
    double d[3];
    return value_1d(c, d) && chain(c, d, 3, 2);
}

static bool table_value_slopes(external_call *c, double *s)
{
    double d[3];
    if (!value_1d(c, d)) return false;
    s[2] = d[1];
    return true;
}

static bool table_der_slopes(external_call *c, double *s)
{
    double d[3];
    if (!value_1d(c, d)) return false;
    s[2] = d[2] * c->arg[3].at[0];
    s[3] = d[1];
    return true;
}

static bool time_value(external_call *c)
{
    double d[3];
    return value_time(c, d) && chain(c, d, 5, 0);
}

static bool time_der(external_call *c)
{
    double d[3];
    return value_time(c, d) && chain(c, d, 5, 1);
}

static bool time_der2(external_call *c)
{
    double d[3];
    return value_time(c, d) && chain(c, d, 5, 2);
}

static bool time_value_slopes(external_call *c, double *s)
{
    double d[3];
    if (!value_time(c, d)) return false;
    s[2] = d[1];
    return true;
}

static bool time_der_slopes(external_call *c, double *s)
{
    double d[3];
    if (!value_time(c, d)) return false;
    s[2] = d[2] * c->arg[5].at[0];
    s[5] = d[1];
    return true;
}

static bool table_least(external_call *c)
{
    const table_1d *t = c->arg[0].object;
    *c->result = t->axis.x[0];
    return true;
}

static bool table_greatest(external_call *c)
{
    const table_1d *t = c->arg[0].object;
    *c->result = t->axis.x[t->axis.n - 1];
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool column_differs(const table_1d *t, int i, int j)
{
    for (int k = 0; k < t->n_columns; k++)
        if (t->y[k * t->axis.n + i] != t->y[k * t->axis.n + j]) return true;
    return false;
}

/* Is there an event where piece i begins? */
static bool begins_with_event(const table_1d *t, int i)
{
    const table_axis *a = &t->axis;
    bool edge = i == 0 || i == a->n - 1, jump = i > 0 && a->x[i] == a->x[i - 1];
    if (a->smoothness == TABLE_CONSTANT) return true;
    if (a->extrapolation == TABLE_PERIODIC && edge && t->events != EVENTS_NEVER)
        return t->events == EVENTS_ALWAYS || column_differs(t, 0, a->n - 1);
    if (table_is_smooth(a->smoothness))
        return edge && a->extrapolation == TABLE_HOLD && t->events == EVENTS_ALWAYS;
    return t->events == EVENTS_ALWAYS || (t->events == EVENTS_AT_JUMPS && jump);
}

static double event_after(const table_1d *t, double now)
{
    const table_axis *a = &t->axis;
    double tiny = 8 * DBL_EPSILON * fmax(fabs(now), fabs(t->shift)), moved = t->shift;
    double low = a->x[0], high = a->x[a->n - 1];
    if (now < t->start - tiny) return t->start;
    if (a->n == 1) return INFINITY;
    bool periodic = a->extrapolation == TABLE_PERIODIC && high > low;
    if (periodic) moved += floor((now + tiny - t->shift - low) / (high - low)) * (high - low);
    for (int turn = 0; turn < (periodic ? 2 : 1); turn++, moved += high - low) {
        int i = table_piece(a, now + tiny - moved);
        if (a->x[0] + moved > now + tiny) i = -1;
        for (i++; i < a->n; i++)
            if (a->x[i] + moved > now + tiny && begins_with_event(t, i)) return a->x[i] + moved;
    }
    return INFINITY;
}

static bool time_event(external_call *c)
{
    const table_1d *t = c->arg[0].object;
    double next = event_after(t, c->arg[1].at[0]);
    *c->result = isfinite(next) ? next : DBL_MAX; // Modelica.Constants.inf is not above it
    return true;
}

const external_function external_tables_1d[] = {
    {.name = "ModelicaStandardTables_CombiTable1D_close", .types = "vo", .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_getDer2Value",
     .types = "roirrr",
     .value = table_der2,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_getDerValue",
     .types = "roirr",
     .value = table_der,
     .slopes = table_der_slopes,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_getValue",
     .types = "roir",
     .value = table_value,
     .slopes = table_value_slopes,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_init2",
     .types = "ossRiiIiiii",
     .value = make_table,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_maximumAbscissa",
     .types = "ro",
     .value = table_greatest,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTable1D_minimumAbscissa",
     .types = "ro",
     .value = table_least,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_close", .types = "vo", .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_getDer2Value",
     .types = "roirrrrr",
     .value = time_der2,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_getDerValue",
     .types = "roirrrr",
     .value = time_der,
     .slopes = time_der_slopes,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_getValue",
     .types = "roirrr",
     .value = time_value,
     .slopes = time_value_slopes,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_init2",
     .types = "ossRiirIiiirii",
     .value = make_time_table,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_maximumTime",
     .types = "ro",
     .value = table_greatest,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_minimumTime",
     .types = "ro",
     .value = table_least,
     .release = free_1d},
    {.name = "ModelicaStandardTables_CombiTimeTable_nextTimeEvent",
     .types = "ror",
     .value = time_event,
     .release = free_1d},
    {0}};
