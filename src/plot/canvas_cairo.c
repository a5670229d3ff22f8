/* The canvas on libcairo.
 *
 * The library is opened by name and its functions are taken from it by one list, with the types of
 * cairo's own headers: the command starts without it, and says so in words where it is missing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot/canvas.h"

#include "result/whole_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CAIRO_FUNCTIONS(X)                                                                         \
    X(arc)                                                                                         \
    X(clip)                                                                                        \
    X(create)                                                                                      \
    X(destroy)                                                                                     \
    X(fill)                                                                                        \
    X(fill_preserve)                                                                               \
    X(font_options_create)                                                                         \
    X(font_options_destroy)                                                                        \
    X(font_options_set_hint_metrics)                                                               \
    X(font_options_set_hint_style)                                                                 \
    X(get_scaled_font)                                                                             \
    X(glyph_free)                                                                                  \
    X(image_surface_create)                                                                        \
    X(line_to)                                                                                     \
    X(move_to)                                                                                     \
    X(new_path)                                                                                    \
    X(new_sub_path)                                                                                \
    X(pdf_surface_create_for_stream)                                                               \
    X(pdf_surface_set_metadata)                                                                    \
    X(rectangle)                                                                                   \
    X(restore)                                                                                     \
    X(save)                                                                                        \
    X(scaled_font_text_to_glyphs)                                                                  \
    X(select_font_face)                                                                            \
    X(set_dash)                                                                                    \
    X(set_fill_rule)                                                                               \
    X(set_font_options)                                                                            \
    X(set_font_size)                                                                               \
    X(set_line_cap)                                                                                \
    X(set_line_join)                                                                               \
    X(set_line_width)                                                                              \
    X(set_source_rgba)                                                                             \
    X(show_text)                                                                                   \
    X(status)                                                                                      \
    X(status_to_string)                                                                            \
    X(stroke)                                                                                      \
    X(surface_destroy)                                                                             \
    X(surface_finish)                                                                              \
    X(surface_status)                                                                              \
    X(surface_write_to_png_stream)                                                                 \
    X(svg_surface_create_for_stream)                                                               \
    X(text_extents)

typedef struct library {
    void *handle;
#define MEMBER(name) __typeof__(cairo_##name) *name;
    CAIRO_FUNCTIONS(MEMBER)
#undef MEMBER
} library;

/* SVG is drawn in sixteenths of a point: cairo rounds the outlines of letters to 1/64 of a unit,
 * and lines to quarters of a unit are written with two decimals. The size on paper is put right in
 * the first line of the text, which is therefore kept until the end. */
#define SVG_UNITS 16.0

/* What is special about a kind of page. */
struct canvas_kind {
    double unit; // of the surface, per point; 0: the figure says (pixels)
    bool snaps;  // to quarters of a unit
    cairo_surface_t *(*open)(plot_canvas *c);
    cairo_status_t (*write)(plot_canvas *c); // before the surface is finished; NULL: it does itself
    void (*end)(plot_canvas *c);             // after that; NULL: nothing
};

struct plot_canvas {
    mem *m;
    library lib;
    cairo_surface_t *surface;
    cairo_t *cr;
    canvas_target to;
    bool ascii;  // the font has nothing else
    int refused; // by write
    double unit; // of the surface, per point
    char *svg;   // the text so far
    size_t n_svg, cap_svg;
};

/* ---- opening and closing --------------------------------------------------------------------- */

static int load_cairo(library *lib, result_fault *fault)
{
    // fontconfig and others keep state in the process: once loaded they stay
    lib->handle = dlopen("libcairo.so.2", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!lib->handle)
        return result_fail(
            fault, RESULT_E_OPEN, "C611",
            "figures are drawn by the library cairo, which cannot be loaded (%.200s); "
            "install it (Debian: libcairo2), or use '--plot -'",
            dlerror());
    void *p;
#define TAKE(name)                                                                                 \
    p = dlsym(lib->handle, "cairo_" #name);                                                        \
    if (!p) return result_fail(fault, RESULT_E_OPEN, "C611", "libcairo.so.2 has no cairo_" #name); \
    memcpy(&lib->name, &p, sizeof p);
    CAIRO_FUNCTIONS(TAKE)
#undef TAKE
    return RESULT_OK;
}

static cairo_status_t pass_bytes(void *closure, const unsigned char *bytes, unsigned n)
{
    plot_canvas *c = closure;
    if (!c->refused) c->refused = c->to.write(c->to.user, bytes, n);
    return c->refused ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t collect_svg(void *closure, const unsigned char *bytes, unsigned n)
{
    plot_canvas *c = closure;
    if (n >= c->cap_svg - c->n_svg) { // room for a NUL is kept
        size_t cap = 2 * c->cap_svg + n + 4096;
        char *p = c->m->resize(c->m->user, c->svg, c->cap_svg, cap);
        if (!p) return CAIRO_STATUS_NO_MEMORY;
        c->svg = p;
        c->cap_svg = cap;
    }
    memcpy(c->svg + c->n_svg, bytes, n);
    c->n_svg += n;
    c->svg[c->n_svg] = 0;
    return CAIRO_STATUS_SUCCESS;
}

static void put_bytes(plot_canvas *c, const char *s, size_t n)
{
    if (!c->refused) c->refused = c->to.write(c->to.user, s, n);
}

static void put_escaped(plot_canvas *c, const char *s)
{
    for (; *s; s++) {
        const char *name = *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : NULL;
        bool odd = (unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7F;
        if (name) put_bytes(c, name, strlen(name));
        else put_bytes(c, odd ? "?" : s, 1);
    }
}

/* The collected text with its size on paper, a title, and without the number that cairo gives each
 * surface of a process. */
static void put_svg(plot_canvas *c)
{
    const char *at = c->svg ? c->svg : "", *size = strstr(at, " width=\"");
    const char *end = size ? strchr(size, '>') : NULL, *id = strstr(at, "id=\"surface");
    if (!size || !end) {
        put_bytes(c, at, strlen(at));
        return;
    }
    char head[200];
    put_bytes(c, at, (size_t)(size - at));
    put_bytes(c, head,
              (size_t)snprintf(head, sizeof head,
                               " width=\"%.0fpt\" height=\"%.0fpt\" viewBox=\"0 0 %.0f %.0f\" "
                               "version=\"1.1\">\n",
                               c->to.width, c->to.height, SVG_UNITS * c->to.width,
                               SVG_UNITS * c->to.height));
    if (c->to.title && c->to.title[0]) {
        put_bytes(c, "<title>", 7);
        put_escaped(c, c->to.title);
        put_bytes(c, "</title>", 8);
    }
    at = end + 1;
    if (id && id > at) {
        put_bytes(c, at, (size_t)(id - at));
        put_bytes(c, "id=\"figure", 10);
        at = strchr(id + 4, '"');
    }
    put_bytes(c, at, strlen(at));
}

int canvas_open(mem *m, const canvas_target *target, plot_canvas **out, result_fault *fault)
{
    *out = NULL;
    plot_canvas *c = mem_try(m, sizeof *c);
    if (!c) return result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    *c = (plot_canvas){.m = m, .to = *target, .ascii = target->font[0] == '@'};
    int rc = load_cairo(&c->lib, fault);
    if (rc) {
        if (c->lib.handle) dlclose(c->lib.handle);
        mem_free(m, c, sizeof *c);
        return rc;
    }
    c->unit = target->kind->unit > 0 ? target->kind->unit : target->scale;
    c->surface = target->kind->open(c);
    c->cr = c->lib.create(c->surface);
    // the same layout on every kind of page: glyphs are not fitted to pixels
    cairo_font_options_t *options = c->lib.font_options_create();
    c->lib.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    c->lib.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    c->lib.set_font_options(c->cr, options);
    c->lib.font_options_destroy(options);
    c->lib.select_font_face(c->cr, target->font, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    c->lib.set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    c->lib.set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    c->lib.set_fill_rule(c->cr, CAIRO_FILL_RULE_EVEN_ODD);
    *out = c;
    return RESULT_OK;
}

int canvas_close(plot_canvas *c, result_fault *fault)
{
    cairo_status_t status = c->lib.status(c->cr);
    c->lib.destroy(c->cr);
    if (status == CAIRO_STATUS_SUCCESS && c->to.kind->write) status = c->to.kind->write(c);
    c->lib.surface_finish(c->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = c->lib.surface_status(c->surface);
    c->lib.surface_destroy(c->surface);
    if (status == CAIRO_STATUS_SUCCESS && c->to.kind->end) c->to.kind->end(c);
    if (c->svg) mem_free(c->m, c->svg, c->cap_svg);
    int rc = RESULT_OK;
    if (c->refused) rc = result_fail(fault, RESULT_E_WRITE, "C602", "the figure cannot be written");
    else if (status == CAIRO_STATUS_NO_MEMORY)
        rc = result_fail(fault, RESULT_E_MEMORY, "C609", "out of memory");
    else if (status != CAIRO_STATUS_SUCCESS)
        rc = result_fail(fault, RESULT_E_WRITE, "C612", "the figure cannot be drawn: %s",
                         c->lib.status_to_string(status));
    dlclose(c->lib.handle);
    mem_free(c->m, c, sizeof *c);
    return rc;
}

/* ---- lines and fills ------------------------------------------------------------------------- */

/* Points on paper to units of the surface. */
static double to_units(const plot_canvas *c, double v)
{
    v *= c->unit;
    return c->to.kind->snaps ? nearbyint(4 * v) / 4 : v;
}

void canvas_set_colour(plot_canvas *c, canvas_colour k)
{
    c->lib.set_source_rgba(c->cr, k.r, k.g, k.b, k.a);
}

void canvas_set_pen(plot_canvas *c, double width, plot_dash dash)
{
    static const struct {
        int n;
        double on_off[4]; // points
    } patterns[] = {[PLOT_SOLID] = {0, {0}},
                    [PLOT_DASHED] = {2, {5, 3.2}},
                    [PLOT_DOTTED] = {2, {0.01, 2.6}},
                    [PLOT_DASHDOT] = {4, {6, 2.8, 0.01, 2.8}}};
    double d[4];
    int n = patterns[dash].n;
    for (int i = 0; i < n; i++) d[i] = patterns[dash].on_off[i] * c->unit;
    c->lib.set_line_width(c->cr, width * c->unit);
    c->lib.set_dash(c->cr, d, n, 0);
}

void canvas_move(plot_canvas *c, double x, double y)
{
    c->lib.move_to(c->cr, to_units(c, x), to_units(c, y));
}

void canvas_line(plot_canvas *c, double x, double y)
{
    c->lib.line_to(c->cr, to_units(c, x), to_units(c, y));
}

void canvas_rectangle(plot_canvas *c, double x, double y, double w, double h)
{
    double x0 = to_units(c, x), y0 = to_units(c, y);
    c->lib.rectangle(c->cr, x0, y0, to_units(c, x + w) - x0, to_units(c, y + h) - y0);
}

void canvas_disc(plot_canvas *c, double x, double y, double radius)
{
    c->lib.new_sub_path(c->cr);
    c->lib.arc(c->cr, to_units(c, x), to_units(c, y), radius * c->unit, 0, 6.283185307179586);
    c->lib.fill(c->cr);
}

void canvas_stroke(plot_canvas *c)
{
    c->lib.stroke(c->cr);
}

void canvas_fill(plot_canvas *c, bool keep_path)
{
    if (keep_path) c->lib.fill_preserve(c->cr);
    else c->lib.fill(c->cr);
}

void canvas_clip(plot_canvas *c, double x, double y, double w, double h)
{
    c->lib.save(c->cr);
    c->lib.new_path(c->cr);
    canvas_rectangle(c, x, y, w, h);
    c->lib.clip(c->cr);
}

void canvas_unclip(plot_canvas *c)
{
    c->lib.restore(c->cr);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* One character of UTF-8 at *s, which moves on; bytes that are none, and control characters, give a
 * question mark. */
static uint32_t next_char(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    uint32_t u = p[0];
    int more = u < 0x80                ? 0
               : u >= 0xC2 && u < 0xE0 ? 1
               : u >= 0xE0 && u < 0xF0 ? 2
               : u >= 0xF0 && u < 0xF5 ? 3
                                       : -1;
    *s += 1;
    if (more < 0 || u < 0x20 || u == 0x7F) return '?';
    if (more == 0) return u;
    u &= 0x3Fu >> more;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xC0) != 0x80) return '?';
        u = u << 6 | (p[i] & 0x3F);
    }
    bool too_long = u < (more == 1 ? 0x80u : more == 2 ? 0x800u : 0x10000u);
    if (too_long || (u >= 0xD800 && u < 0xE000) || u > 0x10FFFF) return '?';
    *s += more;
    return u;
}

static int put_char(char *out, uint32_t u)
{
    if (u < 0x80) return out[0] = (char)u, 1;
    if (u < 0x800) return out[0] = (char)(0xC0 | u >> 6), out[1] = (char)(0x80 | (u & 0x3F)), 2;
    int n = u < 0x10000 ? 3 : 4;
    out[0] = n == 3 ? (char)(0xE0 | u >> 12) : (char)(0xF0 | u >> 18);
    for (int i = 1; i < n; i++) out[i] = (char)(0x80 | (u >> (6 * (n - 1 - i)) & 0x3F));
    return n;
}

/* The ordinary sign of which u is the superscript, or 0. */
static uint32_t not_raised(uint32_t u)
{
    if (u == 0xB9) return '1';
    if (u == 0xB2 || u == 0xB3) return '2' + (u - 0xB2);
    if (u == 0x2070 || (u >= 0x2074 && u <= 0x2079)) return '0' + (u - 0x2070);
    return u == 0x207B ? 0x2212 : 0;
}

static bool font_has(plot_canvas *c, const char *utf8, int n)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    cairo_status_t rc = c->lib.scaled_font_text_to_glyphs(c->lib.get_scaled_font(c->cr), 0, 0, utf8,
                                                          n, &glyphs, &count, NULL, NULL, NULL);
    bool has = rc == CAIRO_STATUS_SUCCESS && count == 1 && glyphs[0].index != 0;
    if (glyphs) c->lib.glyph_free(glyphs);
    return has;
}

/* Something in ASCII for a sign that the font does not have. */
static uint32_t in_ascii(uint32_t u)
{
    static const uint32_t pairs[][2] = {{0x2212, '-'}, {0xB7, '.'}, {0xD7, 'x'}, {0x2026, '.'}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == u) return pairs[i][1];
    return '?';
}

/* Walk over a text in runs of one size and draw them or not; the width. In units of the surface. */
static double run_text(plot_canvas *c, double x, double y, double size, const char *s, bool draw)
{
    double at = x;
    char run[256];
    c->lib.set_font_size(c->cr, size);
    while (*s) {
        bool raised = false;
        int n = 0;
        while (*s && n < (int)sizeof run - 5) {
            const char *after = s;
            uint32_t u = next_char(&after), low = not_raised(u);
            if (n > 0 && (low != 0) != raised) break;
            raised = low != 0;
            s = after;
            if (low) u = low;
            int k = put_char(run + n, u);
            if (u >= 0x80 && (c->ascii || !font_has(c, run + n, k)))
                k = put_char(run + n, in_ascii(u));
            n += k;
        }
        run[n] = 0;
        cairo_text_extents_t e;
        c->lib.set_font_size(c->cr, raised ? 0.72 * size : size);
        c->lib.text_extents(c->cr, run, &e);
        if (draw) {
            c->lib.move_to(c->cr, at, raised ? y - 0.36 * size : y);
            c->lib.show_text(c->cr, run);
        }
        at += e.x_advance;
    }
    return at - x;
}

double canvas_text_width(plot_canvas *c, double size, const char *s)
{
    return run_text(c, 0, 0, size * c->unit, s, false) / c->unit;
}

void canvas_text(plot_canvas *c, double x, double y, double size, canvas_anchor anchor,
                 const char *s)
{
    if (anchor != ANCHOR_LEFT)
        x -= canvas_text_width(c, size, s) * (anchor == ANCHOR_RIGHT ? 1 : 0.5);
    run_text(c, to_units(c, x), to_units(c, y), size * c->unit, s, true);
    c->lib.new_path(c->cr);
}

/* ---- kinds of pages -------------------------------------------------------------------------- */

static cairo_surface_t *open_svg(plot_canvas *c)
{
    return c->lib.svg_surface_create_for_stream(collect_svg, c, SVG_UNITS * c->to.width,
                                                SVG_UNITS * c->to.height);
}

static const struct canvas_kind svg_page = {
    .unit = SVG_UNITS, .snaps = true, .open = open_svg, .end = put_svg};

const plot_format plot_format_svg = {
    .name = "SVG", .summary = "a drawing for the web", .ending = ".svg", .canvas = &svg_page};

static cairo_surface_t *open_png(plot_canvas *c)
{
    return c->lib.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(c->to.width * c->to.scale),
                                       (int)ceil(c->to.height * c->to.scale));
}

static cairo_status_t write_png(plot_canvas *c)
{
    return c->lib.surface_write_to_png_stream(c->surface, pass_bytes, c);
}

static const struct canvas_kind png_page = {.open = open_png, .write = write_png};

const plot_format plot_format_png = {
    .name = "PNG", .summary = "a picture of pixels", .ending = ".png", .canvas = &png_page};

static cairo_surface_t *open_pdf(plot_canvas *c)
{
    cairo_surface_t *s =
        c->lib.pdf_surface_create_for_stream(pass_bytes, c, c->to.width, c->to.height);
    // the same input gives the same bytes: not the time of day
    c->lib.pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    return s;
}

static const struct canvas_kind pdf_page = {.unit = 1, .open = open_pdf};

const plot_format plot_format_pdf = {
    .name = "PDF", .summary = "a drawing for paper", .ending = ".pdf", .canvas = &pdf_page};
