/* Charts of characters.
 *
 * A braille character is a cell of 2 x 4 dots, so a chart of 60 x 12 characters has 120 x 48
 * points: enough to see the shape of a trajectory over a slow line. Names of curves stand to the
 * right where they end; colours are only added on request.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/path.h"
#include "plot/plot_figure.h"
#include "plot/ticks.h"

#include "result/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_COLUMNS = 24, MOST_COLUMNS = 400, NAMES_MAX = 16 };

typedef struct chart {
    const plot_panel *p;
    mem *m;
    bool colour;
    int w, h;            // cells
    int label_w, name_w; // characters left and right of the cells
    int right_w;         // of the labels of the axis at the right, 0 without one
    plot_map x, left, right;
    plot_ticks x_ticks, y_ticks, right_ticks;
    unsigned char *dots;  // w * h cells, bits of braille
    unsigned char *owner; // colour of the curve drawn last in a cell
    bool failed;
} chart;

/* ---- text ------------------------------------------------------------------------------------ */

static int count_characters(const char *s)
{
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xC0) != 0x80;
    return n;
}

static void add_colour(const chart *c, text *out, int colour)
{
    static const unsigned char codes[PLOT_COLOURS] = {32, 166, 36, 175, 214, 74, 250, 143};
    if (c->colour && colour > 0)
        text_printf(out, "\033[38;5;%dm", codes[(colour - 1) % PLOT_COLOURS]);
}

static void end_colour(const chart *c, text *out)
{
    if (c->colour) text_add(out, "\033[0m");
}

/* At most n characters of s; control characters become question marks. */
static void add_cut(text *out, const char *s, int n)
{
    size_t before = out->n;
    for (; *s && n > 0; s++) {
        bool more = ((unsigned char)s[1] & 0xC0) == 0x80;
        text_char(out, (unsigned char)*s < 0x20 ? '?' : *s);
        n -= !more;
    }
    if (out->at) text_plain(out->at + before);
}

/* ---- dots ------------------------------------------------------------------------------------ */

static void set_dot(chart *c, int x, int y, int colour)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= 2 * c->w || y >= 4 * c->h) return;
    int cell = y / 4 * c->w + x / 2;
    c->dots[cell] |= bits[y % 4][x % 2];
    c->owner[cell] = (unsigned char)colour;
}

static void draw_dotted(chart *c, double x0, double y0, double x1, double y1, int colour)
{
    plot_rect all = {-0.5, -0.5, 2 * c->w - 0.5, 4 * c->h - 0.5};
    if (!plot_clip_segment(&all, &x0, &y0, &x1, &y1)) return;
    int n = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
    for (int i = 0; i <= n; i++) {
        double s = n ? (double)i / n : 0;
        set_dot(c, (int)lround(x0 + s * (x1 - x0)), (int)lround(y0 + s * (y1 - y0)), colour);
    }
}

static void draw_path(chart *c, const plot_path *path, int colour)
{
    for (size_t i = 0; i < path->n; i++) {
        const plot_point *b = &path->at[i], *a = b->start ? b : b - 1;
        if (!b->start || i + 1 == path->n || b[1].start)
            draw_dotted(c, a->x, a->y, b->x, b->y, colour);
    }
    c->failed |= path->failed;
}

static void draw_all(chart *c)
{
    for (const plot_region *r = c->p->regions; r; r = r->next) {
        plot_path path = {.m = c->m};
        plot_path_contour(&path, &r->s, true);
        for (size_t i = 0; i < path.n; i++) {
            path.at[i].x = plot_map_at(&c->x, path.at[i].x);
            path.at[i].y = plot_map_at(&c->left, path.at[i].y);
        }
        draw_path(c, &path, r->s.colour);
        plot_path_done(&path);
    }
    for (const plot_box *b = c->p->boxes; b; b = b->next) {
        double x = plot_map_at(&c->x, 0.5 * (b->s.x0 + b->s.x1)),
               y = plot_map_at(&c->left, 0.5 * (b->s.y0 + b->s.y1));
        bool low = b->s.graded && b->s.grade < 0.5; // two halves of the scale
        if (!isnan(x) && !isnan(y) && !b->s.outline && !low)
            draw_dotted(c, x, y, x, y, b->s.colour);
    }
    for (const plot_curve *s = c->p->curves; s; s = s->next) {
        const plot_map *y = s->s.right ? &c->right : &c->left;
        plot_path path = {.m = c->m};
        plot_path_trace(&path, &s->s, &c->x, y, 1);
        if (s->s.style == PLOT_POINTS)
            for (size_t i = 0; i < path.n; i++) path.at[i].start = true;
        draw_path(c, &path, s->s.colour);
        plot_path_done(&path);
    }
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void chart_limits(plot_map *m, const plot_panel *p, plot_side side, const plot_axis *axis,
                         double margin)
{
    double lo = fmin(axis->lo, axis->hi), hi = fmax(axis->lo, axis->hi);
    if (!axis->fixed) {
        if (!plot_extent(p, side, &lo, &hi)) lo = 1, hi = axis->log ? 10 : 2;
        plot_limits(&lo, &hi, axis->tight ? 0 : margin, axis->log);
    }
    *m = (plot_map){.lo = lo, .hi = hi, .log = axis->log};
}

static void chart_ticks(plot_ticks *t, const plot_map *m, int most, bool integers)
{
    if (most < 3) most = 3;
    if (most > 9) most = 9;
    if (m->log) plot_ticks_log(t, m->lo, m->hi, most);
    else plot_ticks_linear(t, m->lo, m->hi, most, integers);
}

enum { TITLE_MAX = 300 };

/* "x - 9.81 (10^-6 m)" as in drawn figures. */
static void axis_title(char s[TITLE_MAX], const plot_axis *a, const plot_ticks *t)
{
    char unit[60];
    plot_unit(a->unit ? a->unit : "", unit, sizeof unit);
    int n = snprintf(s, TITLE_MAX, "%.120s%s%s", a->label ? a->label : "",
                     t->offset[0] ? " \u2212 " : "", t->offset);
    if (t->exponent) {
        n += snprintf(s + n, (size_t)(TITLE_MAX - n), "%s(10", n ? " " : "");
        n += plot_superscript(t->exponent, s + n);
        snprintf(s + n, (size_t)(TITLE_MAX - n), "%s%s)", unit[0] ? " " : "", unit);
    } else if (unit[0]) snprintf(s + n, (size_t)(TITLE_MAX - n), "%s(%s)", n ? " " : "", unit);
}

static int widest_label(const plot_ticks *t)
{
    int w = 0;
    for (int i = 0; i < t->n; i++)
        if (count_characters(t->label[i]) > w) w = count_characters(t->label[i]);
    return w;
}

static int row_of_value(const chart *c, double at)
{
    return (int)floor((at + 0.5) / 4) < c->h ? (int)floor((at + 0.5) / 4) : c->h - 1;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct names {
    int n;
    const plot_curve *of[NAMES_MAX];
    int row[NAMES_MAX];
} names;

/* Where the names of curves go: the row in which the curve ends, or the nearest free one. */
static names place_names(const chart *c)
{
    names k = {0};
    for (const plot_curve *s = c->p->curves; s && k.n < NAMES_MAX && k.n < c->h; s = s->next) {
        if (!s->s.label || s->s.n == 0) continue;
        size_t i = s->s.n;
        double y = NAN;
        while (i-- > 0 && isnan(y)) y = plot_map_at(s->s.right ? &c->right : &c->left, s->s.y[i]);
        int want = isnan(y) ? 0 : row_of_value(c, fmin(fmax(y, 0), 4 * c->h - 1));
        for (int d = 0; d < 2 * c->h; d++) {
            int row = want + (d % 2 ? (d + 1) / 2 : -d / 2);
            bool taken = row < 0 || row >= c->h;
            for (int j = 0; j < k.n; j++) taken |= k.row[j] == row;
            if (taken) continue;
            k.of[k.n] = s;
            k.row[k.n++] = row;
            break;
        }
    }
    return k;
}

static int widest_name(const plot_panel *p)
{
    int w = 0, n = 0;
    for (const plot_curve *s = p->curves; s; s = s->next)
        if (s->s.label && ++n && count_characters(s->s.label) > w) w = count_characters(s->s.label);
    return n > 1 ? w + 1 : 0;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_cells(const chart *c, int row, text *out)
{
    int last = c->w;
    while (last > 0 && !c->dots[row * c->w + last - 1]) last--;
    int now = 0;
    for (int i = 0; i < last; i++) {
        int cell = row * c->w + i;
        unsigned d = c->dots[cell];
        if (d && c->owner[cell] != now) {
            if (now) end_colour(c, out);
            add_colour(c, out, now = c->owner[cell]);
        }
        const char braille[4] = {(char)0xE2, (char)(0xA0 | d >> 6), (char)(0x80 | (d & 0x3F)), 0};
        text_add(out, d ? braille : " ");
    }
    if (now) end_colour(c, out);
    if (c->name_w || c->right_w) text_pad(out, ' ', c->w - last);
}

static const char *label_at(const chart *c, int row, const plot_map *m, const plot_ticks *t)
{
    const char *label = NULL;
    for (int i = 0; i < t->n; i++)
        if (row_of_value(c, plot_map_at(m, t->at[i])) == row) label = t->label[i];
    return label;
}

static void print_right_axis(const chart *c, int row, text *out)
{
    const char *label = label_at(c, row, &c->right, &c->right_ticks);
    text_add(out, label ? "\u251c" : "\u2502");
    if (label) add_cut(out, label, c->right_w - 1);
    text_pad(out, ' ', c->right_w - 1 - (label ? count_characters(label) : 0));
}

static void print_chart_rows(const chart *c, text *out)
{
    names k = place_names(c);
    for (int row = 0; row < c->h; row++) {
        const char *label = label_at(c, row, &c->left, &c->y_ticks);
        text_pad(out, ' ', c->label_w - (label ? count_characters(label) : 0));
        if (label) text_add(out, label);
        text_add(out, label ? "\u2524" : "\u2502");
        print_cells(c, row, out);
        if (c->right_w) print_right_axis(c, row, out);
        for (int i = 0; i < k.n && c->name_w; i++)
            if (k.row[i] == row) {
                text_char(out, ' ');
                add_colour(c, out, k.of[i]->s.colour);
                add_cut(out, k.of[i]->s.label, c->name_w - 1);
                end_colour(c, out);
            }
        // no blanks at line ends
        while (out->n > 0 && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
        text_char(out, '\n');
    }
}

static void print_abscissa(const chart *c, text *out)
{
    int at[TICKS_MAX];
    for (int i = 0; i < c->x_ticks.n; i++)
        at[i] = (int)floor((plot_map_at(&c->x, c->x_ticks.at[i]) + 0.5) / 2);
    text_pad(out, ' ', c->label_w);
    text_add(out, "\u2514");
    for (int i = 0; i < c->w; i++) {
        bool tick = false;
        for (int k = 0; k < c->x_ticks.n; k++) tick |= at[k] == i;
        text_add(out, tick ? "\u252c" : "\u2500");
    }
    if (c->right_w) text_add(out, "\u2518");
    text_char(out, '\n');
    int used = 0, total = c->label_w + 1 + c->w + c->right_w + c->name_w;
    for (int k = 0; k < c->x_ticks.n; k++) {
        const char *s = c->x_ticks.label[k];
        int n = count_characters(s), from = c->label_w + 1 + at[k] - n / 2;
        if (from + n > total) from = total - n;
        if (from < used + (used > 0) || from < 0) continue;
        text_pad(out, ' ', from - used);
        text_add(out, s);
        used = from + n;
    }
    text_char(out, '\n');
    if (c->p->s.x.label || c->x_ticks.exponent) {
        const char *s = c->p->s.x.label ? c->p->s.x.label : "";
        int middle = c->label_w + 1 + c->w / 2 - count_characters(s) / 2 - 2;
        text_pad(out, ' ', middle > 0 ? middle : 0);
        char title[TITLE_MAX];
        axis_title(title, &c->p->s.x, &c->x_ticks);
        add_cut(out, title, total - middle);
        text_char(out, '\n');
    }
}

/* What the axes show, each above its own. */
static void print_titles(const chart *c, int columns, text *out)
{
    const plot_panel_spec *s = &c->p->s;
    char left[TITLE_MAX] = "", right[TITLE_MAX] = "";
    if (s->left.label || s->left.unit) axis_title(left, &s->left, &c->y_ticks);
    if (c->right_w) axis_title(right, &s->right, &c->right_ticks);
    if (!left[0] && !right[0]) return;
    add_cut(out, left, columns);
    int end = columns - c->name_w, gap = end - count_characters(left) - count_characters(right);
    if (right[0] && gap < 2) text_char(out, '\n'), gap = end - count_characters(right);
    if (right[0]) text_pad(out, ' ', gap > 0 ? gap : 0);
    add_cut(out, right, columns);
    text_char(out, '\n');
}

static int print_panel(chart *c, int columns, int height, text *out)
{
    const plot_panel *p = c->p;
    chart_limits(&c->left, p, SIDE_LEFT, &p->s.left, 0.02);
    chart_limits(&c->right, p, SIDE_RIGHT, &p->s.right, 0.02);
    chart_limits(&c->x, p, SIDE_X, &p->s.x, 0);
    c->h = height;
    chart_ticks(&c->y_ticks, &c->left, height / 2, p->s.left.integers);
    c->label_w = widest_label(&c->y_ticks);
    if (c->label_w > columns / 3) c->label_w = columns / 3;
    c->name_w = widest_name(p);
    if (c->name_w > columns / 3) c->name_w = columns / 3;
    if (p->has_right) {
        chart_ticks(&c->right_ticks, &c->right, height / 2, p->s.right.integers);
        c->right_w = 1 + widest_label(&c->right_ticks);
        if (c->right_w > columns / 4) c->right_w = columns / 4;
    }
    c->w = columns - c->label_w - c->right_w - c->name_w - 1;
    if (p->s.equal && !c->x.log && !c->left.log) {
        // dots are about square
        double sx = (c->x.hi - c->x.lo) / (2 * c->w), sy = (c->left.hi - c->left.lo) / (4 * c->h);
        plot_map *wider = sx < sy ? &c->x : &c->left;
        double middle = 0.5 * (wider->lo + wider->hi), half = sx < sy ? sy * c->w : sx * 2 * c->h;
        wider->lo = middle - half;
        wider->hi = middle + half;
        chart_ticks(&c->y_ticks, &c->left, height / 2, p->s.left.integers);
    }
    chart_ticks(&c->x_ticks, &c->x, c->w / 10, p->s.x.integers);
    c->x.from = p->s.x.reversed ? 2 * c->w - 1 : 0;
    c->x.to = p->s.x.reversed ? 0 : 2 * c->w - 1;
    c->left.from = c->right.from = p->s.left.reversed ? 0 : 4 * c->h - 1;
    c->left.to = c->right.to = p->s.left.reversed ? 4 * c->h - 1 : 0;

    // of the figure: text that finds no memory jumps out of here
    size_t bytes = 2 * (size_t)c->w * (size_t)c->h;
    c->dots = plot_alloc(p->f, bytes);
    if (!c->dots) return RESULT_E_MEMORY;
    memset(c->dots, 0, bytes);
    c->owner = c->dots + (size_t)c->w * (size_t)c->h;
    draw_all(c);
    if (!c->failed) {
        print_titles(c, columns, out);
        print_chart_rows(c, out);
        print_abscissa(c, out);
    }
    return c->failed ? RESULT_E_MEMORY : RESULT_OK;
}

typedef struct chart_job {
    plot_figure *f;
    int columns;
    bool colour;
    text *out;
} chart_job;

static int print_figure(void *job)
{
    const chart_job *j = job;
    plot_figure *f = j->f;
    int rc = f->status, height = f->n_panels > 2 ? 7 : f->n_panels > 1 ? 9 : 14;
    if (f->s.title && !rc) {
        add_cut(j->out, f->s.title, j->columns);
        text_char(j->out, '\n');
    }
    for (const plot_panel *p = f->panels; p && !rc; p = p->next) {
        chart c = {.p = p, .m = f->m, .colour = j->colour};
        // dots are square, so cells are twice as high as wide
        int shaped = p->s.equal ? (int)((j->columns - 8) * plot_natural_shape(p) / 2) : height;
        rc = print_panel(&c, j->columns, shaped < 7 ? 7 : shaped > 22 ? 22 : shaped, j->out);
        if (p->next) text_char(j->out, '\n');
    }
    if (f->s.note && f->s.note[0] && !rc) {
        add_cut(j->out, f->s.note, j->columns);
        text_char(j->out, '\n');
    }
    return rc;
}

int plot_terminal(plot_figure *f, int columns, bool colour, text *out, result_fault *fault)
{
    if (columns <= 0) columns = 72;
    if (columns < LEAST_COLUMNS) columns = LEAST_COLUMNS;
    if (columns > MOST_COLUMNS) columns = MOST_COLUMNS;
    chart_job j = {f, columns, colour, out};
    int rc = mem_guarded(out->m, print_figure, &j, RESULT_E_MEMORY);
    return rc ? result_fail(fault, rc, "C609", "out of memory") : RESULT_OK;
}

const plot_format plot_format_terminal = {
    .name = "terminal",
    .summary = "a chart of characters",
    .ending = "-",
    .chart = plot_terminal,
};
