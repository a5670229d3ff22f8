/* The moving model: shapes whose places are given at frames, rows of the result.
 *
 * Shapes come from the annotations of the model and from visualisers of the standard library, whose
 * expressions are evaluated here; a model without any gets a point with its trace for every pair of variables x, y (and z), and for every
 * vector r of two or three elements whose name or unit says that it is a place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES_MAX = 3000, FRAMES_MIN = 100, GUESSES_MAX = 40 };

typedef struct scene {
    const report_spec *spec;
    arena *scratch;
    json *out;
    const size_t *frames; // rows
    size_t n_frames;
    int *columns; // of a flat variable: its column plus one, 0: not asked yet, -1: it has none
    size_t row;   // at which expressions are evaluated
    double *values;
    bool solid; // some shape has three coordinates
    bool y_up;  // gravity of the library's world is along -y: it is drawn with y upwards
} scene;

/* ---- frames ---------------------------------------------------------------------------------- */

static void choose_frames(scene *s, size_t width)
{
    const result *r = s->spec->r;
    size_t most = width ? REPORT_SCENE_VALUES / width : FRAMES_MAX;
    if (most > FRAMES_MAX) most = FRAMES_MAX;
    if (most < FRAMES_MIN) most = FRAMES_MIN;
    size_t stride = r->n_rows / most + 1, n = 0;
    size_t *rows = arena_array(s->scratch, size_t, r->n_rows / stride + 2);
    for (size_t i = 0; i < r->n_rows; i += stride) rows[n++] = i;
    if (n && rows[n - 1] != r->n_rows - 1) rows[n++] = r->n_rows - 1;
    s->frames = rows;
    s->n_frames = n;
}

/* ---- annotations ----------------------------------------------------------------------------- */

static double scene_value_of(void *user, int var, int order)
{
    scene *s = user;
    const result *r = s->spec->r;
    const flat_model *m = s->spec->model;
    if (order > 1 || var < 0 || var >= m->vars.n) return NAN;
    int *known = &s->columns[2 * var + order];
    if (!*known) {
        char name[600];
        snprintf(name, sizeof name, order ? "der(%s)" : "%s", FLAT_NAME(m, var));
        int c = result_find(r, name);
        *known = c < 0 ? -1 : c + 1;
    }
    return *known < 0 ? NAN : result_value(r, *known - 1, s->row);
}

static double scene_evaluate(scene *s, expr e)
{
    double x;
    const char *why;
    arena_mark mark = arena_here(s->scratch);
    int rc = expr_eval(s->spec->model->pool, e, result_time(s->spec->r, s->row), scene_value_of, s,
                       s->scratch, &x, &why);
    arena_release(s->scratch, mark);
    return rc ? NAN : x;
}

/* The columns of a shape: from, to, rotation, size. */
static int scene_gather(const flat_drawing *d, expr *e)
{
    int n = 0;
    for (int i = 0; i < d->n; i++) e[n++] = d->from[i];
    bool two = d->kind == FLAT_DRAW_ROD || d->kind == FLAT_DRAW_SPRING;
    for (int i = 0; i < d->n && two; i++) e[n++] = d->to[i];
    for (int i = 0; i < d->n_rotation; i++) e[n++] = d->rotation[i];
    for (int i = 0; i < d->n_size; i++) e[n++] = d->size[i];
    return n;
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct shape {
    const char *kind, *label, *form;
    int n, n_rotation, n_size;
    double extra;     // 0: nothing
    double colour[3]; // red, green, blue, to 255
    bool has_colour;
} shape;

/* values: n_values columns of n_frames numbers; those that never change are written once. */
static void write_shape(scene *s, const shape *d, int n_values)
{
    json *j = s->out;
    s->solid |= d->n == 3;
    json_open(j, NULL, '{');
    json_text(j, "kind", d->kind);
    json_int(j, "n", d->n);
    json_int(j, "rotation", d->n_rotation);
    json_int(j, "size", d->n_size);
    json_text(j, "label", d->label);
    if (d->form) json_text(j, "form", d->form);
    if (d->extra != 0) json_real(j, "extra", d->extra);
    if (d->has_colour) {
        json_open(j, "rgb", '[');
        for (int i = 0; i < 3; i++) json_real(j, NULL, d->colour[i]);
        json_close(j, ']');
    }
    json_open(j, "values", '[');
    for (int k = 0; k < n_values; k++) {
        const double *x = s->values + (size_t)k * s->n_frames;
        bool moves = false;
        for (size_t i = 1; i < s->n_frames && !moves; i++) moves = x[i] != x[0];
        report_numbers(json_raw(j, NULL), x, moves ? s->n_frames : 1);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_drawing(scene *s, const flat_drawing *d)
{
    expr e[3 + 3 + 9 + 3];
    int n = scene_gather(d, e);
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < s->n_frames; i++) {
            s->row = s->frames[i];
            s->values[(size_t)k * s->n_frames + i] = scene_evaluate(s, e[k]);
        }
    write_shape(s,
                &(shape){.kind = flat_drawing_shapes[d->kind].name,
                         .label = d->instance,
                         .form = d->shape,
                         .n = d->n,
                         .n_rotation = d->n_rotation,
                         .n_size = d->n_size},
                n);
}

/* ---- visualisers of the standard library ------------------------------------------------------ */

enum { VISUAL_EXPRS = 3 + 9 + 3 + 3 + 3 + 3 };

static void cross_product(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* False: it has no direction. */
static bool make_unit(double *a)
{
    double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++) a[i] /= n > 0 ? n : 1;
    return n > 1e-10;
}

/* Axes of a shape in its object, by rows: along the length, across in the plane of the width, normal. Where
 * both directions agree any other will do. */
static void visual_axes(const double *along, const double *across, double axes[3][3])
{
    memcpy(axes[0], along, sizeof axes[0]);
    if (!make_unit(axes[0])) axes[0][0] = 1;
    cross_product(axes[0], across, axes[2]);
    for (int k = 0; k < 3 && !make_unit(axes[2]); k++) {
        const double other[3] = {k == 0, k == 1, k == 2};
        cross_product(axes[0], other, axes[2]);
    }
    cross_product(axes[2], axes[0], axes[1]);
}

/* v in the object, as it lies in the world: R^T v. */
static void visual_turned(const double *R, const double *v, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}

static bool is_form(const flat_visualiser *d, const char *form)
{
    return strcmp(d->form, form) == 0;
}

/* From the numbers of a visualiser, in the order of its expressions, to those of a body (its middle, its
 * rotation, its size) or of a spring (both ends, width and thickness); how many. */
static int visual_place(const flat_visualiser *d, const double *x, double *out)
{
    const double *R = x + 3, *begin = x + 12, *size = x + 21;
    bool spring = is_form(d, "spring");
    double axes[3][3], v[3], turned[3];
    int n = 0;
    visual_axes(x + 15, x + 18, axes);
    for (int end = 0; end < (spring ? 2 : 1); end++) {
        double far = spring ? end : 0.5;
        for (int i = 0; i < 3; i++) v[i] = begin[i] + far * size[0] * axes[0][i];
        visual_turned(R, v, turned);
        for (int i = 0; i < 3; i++) out[n++] = x[i] + turned[i];
    }
    for (int k = 0; k < 3 && !spring; k++) {
        visual_turned(R, axes[k], turned);
        for (int i = 0; i < 3; i++) out[n + 3 * i + k] = turned[i];
    }
    if (!spring) n += 9;
    int sizes = is_form(d, "sphere") ? 1 : is_form(d, "cylinder") ? 2 : 3;
    for (int i = spring ? 1 : 0; i < sizes; i++) out[n++] = size[i];
    return n;
}

/* What does not move: taken from the first frame. */
static void visual_look(scene *s, const flat_visualiser *d, shape *out)
{
    s->row = s->frames[0];
    double extra = d->extra ? scene_evaluate(s, d->extra) : 0;
    out->extra = isfinite(extra) ? extra : 0;
    out->has_colour = d->colour[0] != 0;
    for (int i = 0; i < 3 && out->has_colour; i++) {
        out->colour[i] = scene_evaluate(s, d->colour[i]);
        out->has_colour = out->colour[i] >= 0 && out->colour[i] <= 255;
    }
}

/* The page has z upwards: x, y, z are drawn as x, -z, y. k vectors, each with a stride. */
static void visual_upright(double *out, int stride, int k, int step)
{
    for (int i = 0; i < k; i++, out += step) {
        double y = out[stride];
        out[stride] = -out[2 * stride];
        out[2 * stride] = y;
    }
}

static bool is_y_up(const result *r)
{
    int c = result_find(r, "world.n[2]");
    return c >= 0 && r->n_rows && result_value(r, c, 0) < -0.5;
}

/* Of a file there may be no size to draw. */
static bool visual_has_size(scene *s, const flat_visualiser *d)
{
    bool sized = true;
    s->row = s->frames[0];
    for (int i = 0; i < 3 && is_form(d, FLAT_VISUAL_FILE); i++)
        sized = sized && scene_evaluate(s, d->size[i]) > 0;
    return sized;
}

static void write_visualiser(scene *s, const flat_visualiser *d)
{
    if (!visual_has_size(s, d)) return;
    const struct {
        const expr *e;
        int n;
    } list[] = {{d->r, 3}, {d->R, 9}, {d->begin, 3}, {d->along, 3}, {d->across, 3}, {d->size, 3}};
    bool spring = is_form(d, "spring");
    int n = 0;
    for (size_t f = 0; f < s->n_frames; f++) {
        double x[VISUAL_EXPRS], out[3 + 9 + 3];
        int at = 0;
        s->row = s->frames[f];
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)
            for (int i = 0; i < list[k].n; i++) x[at++] = scene_evaluate(s, list[k].e[i]);
        n = visual_place(d, x, out);
        if (s->y_up) visual_upright(out, 1, spring ? 2 : 1, 3);
        if (s->y_up && !spring) visual_upright(out + 3, 3, 3, 1); // columns of the rotation
        for (int k = 0; k < n; k++) s->values[(size_t)k * s->n_frames + f] = out[k];
    }
    shape look = {.kind = spring ? "spring" : "body",
                  .label = d->instance,
                  .form = spring ? NULL : d->form,
                  .n = 3,
                  .n_rotation = spring ? 0 : 9,
                  .n_size = n - (spring ? 6 : 12)};
    visual_look(s, d, &look);
    write_shape(s, &look, n);
}

/* ---- guesses --------------------------------------------------------------------------------- */

typedef struct guess {
    int column[3];
    int n;
    char label[80];
} guess;

static bool scene_moving(const result *r, int c)
{
    return c > 0 && r->columns[c].kind == RESULT_REAL && !r->columns[c].constant &&
           (!*r->columns[c].look->unit || strcmp(r->columns[c].look->unit, "m") == 0);
}

/* The column named like `name` with the character at `at` replaced. */
static int scene_sibling(const result *r, const char *name, size_t at, char c)
{
    char other[300];
    if (snprintf(other, sizeof other, "%s", name) >= (int)sizeof other) return -1;
    other[at] = c;
    int found = result_find(r, other);
    return scene_moving(r, found) ? found : -1;
}

static bool is_place(const char *name, size_t n)
{
    static const char *const names[] = {"r", "p", "pos", "position", "r_0", "xy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == n && strncmp(name, names[i], n) == 0) return true;
    return false;
}

/* x beside y (and z): x, x1, a.x; or r[1] beside r[2] (and r[3]) alone. */
static bool guess_at(const result *r, int c, guess *g)
{
    const char *name = r->columns[c].name, *dot = strrchr(name, '.');
    size_t n = strlen(name), last = dot ? (size_t)(dot + 1 - name) : 0, at = last;
    if (!scene_moving(r, c) || strncmp(name, "der(", 4) == 0) return false;
    bool letter = name[at] == 'x' && strspn(name + at + 1, "0123456789_") == n - at - 1;
    bool vector = n > last + 3 && strcmp(name + n - 3, "[1]") == 0 &&
                  (*r->columns[c].look->unit || is_place(name + last, n - 3 - last));
    if (!letter && !vector) return false;
    if (vector) at = n - 2;
    g->column[0] = c;
    g->column[1] = scene_sibling(r, name, at, vector ? '2' : 'y');
    g->column[2] = scene_sibling(r, name, at, vector ? '3' : 'z');
    g->n = g->column[2] > 0 ? 3 : 2;
    snprintf(g->label, sizeof g->label, "%.*s", (int)(vector ? n - 3 : dot ? last - 1 : n), name);
    return g->column[1] > 0 && !(vector && scene_sibling(r, name, at, '4') > 0);
}

static void write_guesses(scene *s)
{
    const result *r = s->spec->r;
    guess found[GUESSES_MAX];
    int n = 0;
    for (int c = 1; c < r->n_columns && n < GUESSES_MAX; c++) n += guess_at(r, c, &found[n]);
    choose_frames(s, 3 * (size_t)n);
    s->values = arena_array(s->scratch, double, 3 * s->n_frames + 1);
    for (int i = 0; i < 2 * n; i++) {
        const guess *g = &found[i / 2];
        for (int k = 0; k < g->n; k++)
            for (size_t f = 0; f < s->n_frames; f++)
                s->values[(size_t)k * s->n_frames + f] =
                    result_value(r, g->column[k], s->frames[f]);
        write_shape(s, &(shape){.kind = i % 2 ? "point" : "trace", .label = g->label, .n = g->n},
                    g->n);
    }
}

/* ---- the scene ------------------------------------------------------------------------------- */

static bool scene_any(const report_spec *spec)
{
    guess g;
    if (!spec->r->n_rows) return false;
    if (spec->model && spec->model->drawings.n + spec->model->visualisers.n) return true;
    for (int c = 1; c < spec->r->n_columns; c++)
        if (guess_at(spec->r, c, &g)) return true;
    return false;
}

static void write_frames(scene *s)
{
    double *t = arena_array(s->scratch, double, s->n_frames + 1);
    for (size_t i = 0; i < s->n_frames; i++) t[i] = result_time(s->spec->r, s->frames[i]);
    report_numbers(json_raw(s->out, "t"), t, s->n_frames);
}

void report_scene(const report_spec *spec, arena *scratch, json *j, bool *solid)
{
    scene s = {.spec = spec, .scratch = scratch, .out = j};
    const flat_model *m = spec->model;
    size_t width = 0;
    *solid = false;
    if (!scene_any(spec)) {
        json_null(j, "scene");
        return;
    }
    json_open(j, "scene", '{');
    json_open(j, "shapes", '[');
    bool drawn = m && m->drawings.n + m->visualisers.n;
    if (drawn) {
        for (int i = 0; i < m->drawings.n; i++) {
            expr e[3 + 3 + 9 + 3];
            width += (size_t)scene_gather(&m->drawings.at[i], e);
        }
        choose_frames(&s, width + 15 * (size_t)m->visualisers.n);
        s.columns = arena_array(scratch, int, 2 * (size_t)m->vars.n + 1);
        s.values = arena_array(scratch, double, 18 * s.n_frames + 1);
        for (int i = 0; i < m->drawings.n; i++) write_drawing(&s, &m->drawings.at[i]);
        s.y_up = !m->drawings.n && is_y_up(spec->r);
        for (int i = 0; i < m->visualisers.n; i++) write_visualiser(&s, &m->visualisers.at[i]);
    } else {
        write_guesses(&s);
    }
    json_close(j, ']');
    write_frames(&s);
    *solid = s.solid;
    json_bool(j, "guessed", !drawn);
    json_bool(j, "solid", *solid);
    json_close(j, '}');
}
