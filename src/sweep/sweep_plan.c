/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_plan.h"

#include "result/whole_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char CODE[] = "C190";

/* ---- distributions --------------------------------------------------------------------------- */

static const char *wrong_order(const double *a)
{
    return a[0] < a[1] ? NULL : "the first number must be less than the second";
}

static const char *wrong_spread(const double *a)
{
    return a[1] > 0 ? NULL : "the standard deviation must be positive";
}

static const char *wrong_triangle(const double *a)
{
    return a[0] <= a[1] && a[1] <= a[2] && a[0] < a[2]
               ? NULL
               : "lowest, most frequent and highest value must ascend";
}

static double uniform_quantile(const double *a, double u)
{
    return a[0] + (a[1] - a[0]) * u;
}

static double normal_quantile(const double *a, double u)
{
    return a[0] + a[1] * draw_normal(u);
}

static double lognormal_quantile(const double *a, double u)
{
    return exp(a[0] + a[1] * draw_normal(u));
}

static double triangular_quantile(const double *a, double u)
{
    double width = a[2] - a[0], peak = (a[1] - a[0]) / width;
    return u < peak ? a[0] + sqrt(u * width * (a[1] - a[0]))
                    : a[2] - sqrt((1 - u) * width * (a[2] - a[1]));
}

const sweep_distribution sweep_distributions[] = {
    {"uniform", "a,b", "equally likely between a and b", 2, wrong_order, uniform_quantile},
    {"normal", "mean,sd", "Gauss's, by mean and standard deviation", 2, wrong_spread,
     normal_quantile},
    {"lognormal", "mu,sigma", "its logarithm is normal, with mean mu and standard deviation sigma",
     2, wrong_spread, lognormal_quantile},
    {"triangular", "a,mode,b", "between a and b, most likely at the mode", 3, wrong_triangle,
     triangular_quantile},
    {0},
};

/* ---- reading axes ---------------------------------------------------------------------------- */

typedef struct plan_reader {
    sweep_plan *p;
    arena *a;
    diag_sink *d;
    const char *text; // the one that is read
} plan_reader;

static bool refuse_axis(plan_reader *r, const char *why)
{
    diag_error(r->d, CODE, (span){0}, "--vary '%s': %s", r->text, why);
    return false;
}

static sweep_axis *add_axis(plan_reader *r, const char *name, size_t n)
{
    sweep_plan *p = r->p;
    while (n && isspace((unsigned char)name[n - 1])) n--;
    while (n && isspace((unsigned char)*name)) name++, n--;
    if (!n || p->n_axes == SWEEP_AXES_MOST) {
        refuse_axis(r, n ? "there are too many axes" : "the name of a parameter is missing");
        return NULL;
    }
    for (int i = 0; i < p->n_axes; i++)
        if (strlen(p->axes[i].name) == n && !strncmp(p->axes[i].name, name, n)) {
            refuse_axis(r, "it is varied by another --vary, too");
            return NULL;
        }
    sweep_axis *x = &p->axes[p->n_axes++];
    *x = (sweep_axis){.name = arena_strndup(r->a, name, n), .group = -1};
    return x;
}

static bool add_group(plan_reader *r, sweep_axis *x, const double *values, uint64_t n)
{
    sweep_plan *p = r->p;
    bool ascends = true;
    for (uint64_t i = 0; i + 1 < n; i++) ascends = ascends && values[i] < values[i + 1];
    p->groups[p->n_groups] = (sweep_group){n, ascends && n > 1, p->n_axes - 1};
    x->group = p->n_groups++;
    x->values = values;
    return true;
}

static bool read_real(const char **at, double *x)
{
    char *end;
    *x = strtod(*at, &end);
    if (end == *at) return false;
    while (isspace((unsigned char)*end)) end++;
    *at = end;
    return true;
}

/* The least power of ten by which both numbers are whole, so that grids have the decimals that their
 * ends are written with; 0: there is none. */
static double decimal_scale(double from, double step)
{
    const double WHOLE_MOST = 0x1p50, NEARLY = 1e-15;
    for (double scale = 1; scale <= 1e15; scale *= 10) {
        double a = from * scale, b = step * scale;
        if (fabs(a) > WHOLE_MOST || fabs(b) > WHOLE_MOST) return 0;
        if (fabs(a - nearbyint(a)) <= NEARLY * fabs(a) &&
            fabs(b - nearbyint(b)) <= NEARLY * fabs(b))
            return scale;
    }
    return 0;
}

/* from:to:step */
static bool read_grid(plan_reader *r, sweep_axis *x, const char *at)
{
    const double GRID_MOST = 1e8, PART_OF_STEP = 1e-6;
    double from, to, step;
    bool read = read_real(&at, &from) && *at == ':' && (at++, read_real(&at, &to)) && *at == ':' &&
                (at++, read_real(&at, &step)) && !*at;
    if (!read) return refuse_axis(r, "a grid is from:to:step, as in L=0.5:2:0.01");
    if (!isfinite(from) || !isfinite(to) || !isfinite(step) || step == 0)
        return refuse_axis(r, "the numbers of a grid must be finite, and its step not 0");
    double n = floor((to - from) / step + PART_OF_STEP) + 1;
    if (n < 1)
        return refuse_axis(r, "the grid is empty: no step leads from the first value to the last");
    if (n > GRID_MOST)
        return refuse_axis(r, "the grid has more than 1e8 values: take a longer step");
    double *values = arena_array(r->a, double, n);
    double scale = decimal_scale(from, step), a = nearbyint(from * scale),
           b = nearbyint(step * scale);
    for (uint64_t i = 0; i < (uint64_t)n; i++)
        values[i] = scale > 0 ? (a + (double)i * b) / scale : from + (double)i * step;
    uint64_t last = (uint64_t)n - 1;
    if (fabs(values[last] - to) < PART_OF_STEP * fabs(step)) values[last] = to;
    return add_group(r, x, values, (uint64_t)n);
}

/* 1,2,5 */
static bool read_list(plan_reader *r, sweep_axis *x, const char *at)
{
    size_t most = 1, n = 0;
    for (const char *c = at; *c; c++) most += *c == ',';
    double *values = arena_array(r->a, double, most);
    do {
        if (n) at++;
        if (!read_real(&at, &values[n]) || (*at && *at != ','))
            return refuse_axis(r, *at || n ? "a list is numbers between commas, as in L=1,2,5"
                                           : "the list is empty");
        if (!isfinite(values[n])) return refuse_axis(r, "the values must be finite");
        n++;
    } while (*at);
    return add_group(r, x, values, n);
}

/* normal(9.81,0.1) */
static bool read_distribution(plan_reader *r, sweep_axis *x, const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    size_t n = strcspn(at, "( ");
    const sweep_distribution *q = sweep_distributions;
    while (q->name && (strlen(q->name) != n || strncmp(q->name, at, n))) q++;
    if (!q->name) {
        char list[300] = "";
        for (q = sweep_distributions; q->name; q++) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s(%s)", used ? ", " : "", q->name,
                     q->arguments);
        }
        diag_error(r->d, CODE, (span){0}, "--vary '%s': the distributions are %s", r->text, list);
        return false;
    }
    at += n;
    bool read = *at++ == '(';
    for (int i = 0; i < q->n_arguments && read; i++)
        read = read_real(&at, &x->arguments[i]) && isfinite(x->arguments[i]) &&
               *at++ == (i + 1 < q->n_arguments ? ',' : ')');
    while (read && isspace((unsigned char)*at)) at++;
    if (!read || *at) {
        diag_error(r->d, CODE, (span){0}, "--vary '%s': %s takes %d numbers: %s~%s(%s)", r->text,
                   q->name, q->n_arguments, x->name, q->name, q->arguments);
        return false;
    }
    const char *wrong = q->wrong(x->arguments);
    if (wrong) return refuse_axis(r, wrong);
    x->distribution = q;
    x->dimension = r->p->n_random++;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A field up to the separator or the end of its line; quotes are taken off. */
static const char *next_field(plan_reader *r, const char **at, const char *end, char separator)
{
    const char *c = *at;
    bool quoted = false;
    for (; c < end && (quoted || (*c != separator && *c != '\n' && *c != '\r')); c++)
        if (*c == '"') quoted = !quoted;
    char *field = arena_strndup(r->a, *at, (size_t)(c - *at)), *to = field;
    for (const char *from = field; *from; from++) {
        if (*from == '"' && from[1] == '"') from++;
        else if (*from == '"') continue;
        *to++ = *from;
    }
    *to = 0;
    *at = c;
    return field;
}

static const char *skip_line_ends(const char *at, const char *end)
{
    while (at < end && (*at == '\n' || *at == '\r')) at++;
    return at;
}

static bool read_table(plan_reader *r, const char *at, const char *end)
{
    sweep_plan *p = r->p;
    int first = p->n_axes, group = p->n_groups;
    at = skip_line_ends(at, end);
    size_t line = 0;
    while (at + line < end && at[line] != '\n') line++;
    char separator = memchr(at, ';', line) ? ';' : memchr(at, '\t', line) ? '\t' : ',';
    do {
        if (p->n_axes > first) at++;
        const char *name = next_field(r, &at, end, separator);
        if (!add_axis(r, name, strlen(name))) return false;
    } while (at < end && *at == separator);
    uint64_t n = 0, cap = 0;
    int columns = p->n_axes - first;
    double *values = NULL; // by rows
    for (at = skip_line_ends(at, end); at < end; at = skip_line_ends(at, end), n++) {
        if (n == cap) {
            uint64_t more = 2 * cap + 64;
            values = arena_resize(r->a, values, cap * (size_t)columns * sizeof *values,
                                  more * (size_t)columns * sizeof *values);
            cap = more;
        }
        for (int i = 0; i < columns; i++) {
            const char *field = next_field(r, &at, end, separator), *rest = field;
            double *x = &values[n * (uint64_t)columns + (uint64_t)i];
            bool last = i + 1 == columns, split = at < end && *at == separator;
            if (!read_real(&rest, x) || *rest || !isfinite(*x) || split == last) {
                diag_error(r->d, CODE, (span){0}, "'%s', row %llu: %s for '%s', found '%s'",
                           r->text, (unsigned long long)n + 1,
                           split && last     ? "more fields than names after the one"
                           : !split && !last ? "fields are missing after the one"
                                             : "a finite number is needed",
                           p->axes[first + i].name, field);
                return false;
            }
            at += split;
        }
    }
    if (!n) return refuse_axis(r, "the file has a header but no row");
    for (int i = 0; i < columns; i++) {
        double *column = arena_array(r->a, double, n);
        for (uint64_t k = 0; k < n; k++) column[k] = values[k * (uint64_t)columns + (uint64_t)i];
        p->axes[first + i].group = group;
        p->axes[first + i].values = column;
    }
    p->groups[p->n_groups++] = (sweep_group){n, false, first};
    return true;
}

static bool read_axis_file(plan_reader *r)
{
    result_fault fault = {0};
    char *bytes;
    size_t n;
    mem m = {.resize = r->a->m->resize, .user = r->a->m->user};
    if (result_file_read(&m, r->text, &bytes, &n, &fault) < 0) {
        diag_error(r->d, fault.code[0] ? fault.code : CODE, (span){0}, "%s", fault.text);
        return false;
    }
    char *table = arena_strndup(r->a, bytes, n); // what follows may jump
    mem_free(&m, bytes, n + 1);
    return read_table(r, table, table + n);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* "name=..." or "name~...": where the sign stands, outside of brackets. */
static const char *find_sign(const char *words)
{
    int depth = 0;
    bool quoted = false;
    for (const char *c = words; *c; c++) {
        if (*c == '\'') quoted = !quoted;
        if (quoted) continue;
        depth += (*c == '[' || *c == '(') - (*c == ']' || *c == ')');
        if (!depth && (*c == '=' || *c == '~')) return c;
    }
    return NULL;
}

static bool read_axis(plan_reader *r)
{
    const char *sign = find_sign(r->text);
    if (!sign && result_ends_in(r->text, ".csv")) return read_axis_file(r);
    if (!sign)
        return refuse_axis(r, "say what is varied and how: L=0.5:2:0.01, L=1,2,5, "
                              "g~normal(9.81,0.1), or a file with a header that ends in .csv");
    sweep_axis *x = add_axis(r, r->text, (size_t)(sign - r->text));
    if (!x) return false;
    if (*sign == '~') return read_distribution(r, x, sign + 1);
    return strchr(sign, ':') ? read_grid(r, x, sign + 1) : read_list(r, x, sign + 1);
}

static bool read_design(sweep_plan *p, const char *design, diag_sink *d)
{
    static const char *const names[] = {"random", "lhs", "sobol"};
    for (int i = 0; i < 3; i++)
        if (!design || !strcmp(design, names[i])) {
            p->design = (draw_design)i;
            return true;
        }
    diag_error(d, CODE, (span){0}, "--design '%s': the designs are random, lhs and sobol", design);
    return false;
}

static bool count_runs(sweep_plan *p, const sweep_request *r, diag_sink *d)
{
    double combinations = 1;
    for (int i = 0; i < p->n_groups; i++) combinations *= (double)p->groups[i].n;
    if (p->n_random && !(r->samples >= 1)) {
        diag_error(d, CODE, (span){0}, "--vary %s~...: how many samples? Give --samples N",
                   p->axes[0].name);
        return false;
    }
    if (!p->n_random && r->samples > 0) {
        diag_error(d, CODE, (span){0},
                   "--samples is the number of samples of random parameters, and none is random: "
                   "--vary 'g~normal(9.81,0.1)'");
        return false;
    }
    double samples = p->n_random ? r->samples : 1, total = combinations * samples;
    if (p->indices) total = samples * (p->n_random + 2);
    if (total > SWEEP_RUNS_MOST) {
        diag_error(d, CODE, (span){0},
                   "%.3g runs are asked for, more than %.0g: take coarser grids, or samples of the "
                   "whole space (--vary 'x~uniform(a,b)' --samples N --design sobol)",
                   total, SWEEP_RUNS_MOST);
        return false;
    }
    if (p->design == DRAW_SOBOL &&
        ((p->indices ? 2 : 1) * p->n_random > DRAW_DIMENSIONS || samples > DRAW_SOBOL_POINTS)) {
        diag_error(d, CODE, (span){0},
                   "--design sobol has %d dimensions and 2^32 points; take lhs or random",
                   p->indices ? DRAW_DIMENSIONS / 2 : DRAW_DIMENSIONS);
        return false;
    }
    p->combinations = (uint64_t)combinations;
    p->samples = (uint64_t)samples;
    p->total = (uint64_t)total;
    return true;
}

static bool choose_part(sweep_plan *p, const sweep_request *r, diag_sink *d)
{
    p->last = p->total;
    if (!r->parts && !r->part) return true;
    if (r->part < 1 || r->parts < r->part) {
        diag_error(d, CODE, (span){0}, "--part %d/%d: parts are numbered from 1/%d to %d/%d",
                   r->part, r->parts, r->parts, r->parts, r->parts);
        return false;
    }
    uint64_t n = p->total / (uint64_t)r->parts, rest = p->total % (uint64_t)r->parts;
    uint64_t before = (uint64_t)r->part - 1;
    p->first = before * n + (before < rest ? before : rest);
    p->last = p->first + n + (before < rest);
    return true;
}

bool sweep_plan_make(sweep_plan *p, const sweep_request *r, arena *a, diag_sink *d)
{
    *p = (sweep_plan){.seed = r->seed, .indices = r->indices};
    plan_reader reader = {p, a, d, NULL};
    if (!r->n_vary) {
        diag_error(
            d, CODE, (span){0},
            "nothing is varied: give --vary 'L=0.5:2:0.01', --vary 'g~normal(9.81,0.1)' ...");
        return false;
    }
    for (int i = 0; i < r->n_vary; i++) {
        reader.text = r->vary[i];
        if (!reader.text) reader.text = "";
        if (!read_axis(&reader)) return false;
    }
    if (p->indices && (p->n_groups || !p->n_random)) {
        diag_error(
            d, CODE, (span){0},
            "Sobol' indices are those of random parameters: give each --vary a distribution");
        return false;
    }
    return read_design(p, r->design, d) && count_runs(p, r, d) && choose_part(p, r, d);
}

void sweep_plan_values(const sweep_plan *p, uint64_t k, double *out)
{
    uint64_t sample = k % p->samples, combination = k / p->samples, at[SWEEP_AXES_MOST];
    int point = 0; // of the indices
    if (p->indices) {
        sample = k / (uint64_t)(p->n_random + 2);
        point = (int)(k % (uint64_t)(p->n_random + 2));
    }
    for (int g = p->n_groups; g-- > 0;) {
        at[g] = combination % p->groups[g].n;
        combination /= p->groups[g].n;
    }
    for (int i = 0; i < p->n_axes; i++) {
        const sweep_axis *x = &p->axes[i];
        if (x->group >= 0) {
            out[i] = x->values[at[x->group]];
            continue;
        }
        bool second = p->indices && (point == 1 || point == x->dimension + 2);
        int dimension = x->dimension + (second ? p->n_random : 0);
        double u = draw_unit(p->design, p->seed, sample, p->samples, dimension);
        out[i] = x->distribution->quantile(x->arguments, u);
    }
}
