/* How an FMU looks in a diagram: terminals, each a connector with its inputs and outputs, and an icon, a frame
 * with a mark for each of them.
 *
 * The PNG has one bit per pixel, and its stream holds the rows as they are (PNG, ISO/IEC 15948; RFC 1950,
 * 1951).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/archive.h"
#include "fmu/fmu_listing.h"

#include <string.h>

enum { ICON_SIDE = 128, ICON_ROW = 1 + ICON_SIDE / 8, ICON_BYTES = ICON_SIDE * ICON_ROW };
enum { FRAME = 8, MARK = 6 }; // from the border; half the height of a mark

/* ---- terminals ------------------------------------------------------------------------------- */

static bool is_port(const fmu_listing *l, int i)
{
    return fmu_is_written(l, i) && l->at[i].flat &&
           (l->at[i].causality == IS_INPUT || l->at[i].causality == IS_OUTPUT);
}

/* Letters of the name up to the first dot that is not between quotes; 0: no part of a connector. */
static int connector_part(const char *name)
{
    bool quoted = false;
    for (int n = 0; name[n]; n++) {
        if (name[n] == '\'') quoted = !quoted;
        if (name[n] == '.' && !quoted) return n;
    }
    return 0;
}

static void write_terminal(const fmu_listing *l, int first, int n)
{
    const char *name = l->at[first].name;
    text *out = l->out;
    text_add(out, "    <Terminal name=\"");
    for (int i = 0; i < n; i++) fmu_escaped(out, (char[]){name[i], 0});
    text_add(out, "\" matchingRule=\"plug\">\n");
    for (int i = first; i < l->n; i++) {
        if (!is_port(l, i) || connector_part(l->at[i].name) != n ||
            strncmp(l->at[i].name, name, (size_t)n) != 0)
            continue;
        text_add(out, "      <TerminalMemberVariable");
        fmu_attribute(out, "variableName", l->at[i].name);
        fmu_attribute(out, "memberName", l->at[i].name + n + 1);
        fmu_attribute(out, "variableKind", l->at[i].flat->flags & FLAT_FLOW ? "inflow" : "signal");
        text_add(out, "/>\n");
    }
    text_add(out, "    </Terminal>\n");
}

void fmu_terminals(fmu_listing *l, text *out)
{
    bool any = false;
    l->out = out;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n"
                  "  <GraphicalRepresentation>\n"
                  "    <CoordinateSystem x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\" "
                  "suggestedScalingFactorTo_mm=\"0.1\"/>\n"
                  "    <Icon x1=\"-100\" y1=\"-100\" x2=\"100\" y2=\"100\"/>\n"
                  "  </GraphicalRepresentation>\n");
    for (int i = 0; i < l->n; i++) {
        int n = is_port(l, i) ? connector_part(l->at[i].name) : 0, k = 0;
        while (n && k < i &&
               !(is_port(l, k) && connector_part(l->at[k].name) == n &&
                 !strncmp(l->at[k].name, l->at[i].name, (size_t)n)))
            k++;
        if (!n || k < i) continue;
        if (!any) text_add(out, "  <Terminals>\n");
        any = true;
        write_terminal(l, i, n);
    }
    if (any) text_add(out, "  </Terminals>\n");
    text_add(out, "</fmiTerminalsAndIcons>\n");
}

/* ---- the icon -------------------------------------------------------------------------------- */

static int count_ports(const fmu_listing *l, variable_causality causality)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) n += is_port(l, i) && l->at[i].causality == causality;
    return n;
}

/* The middle of mark i of n, spread over a side. */
static int mark_at(int i, int n)
{
    return FRAME + (ICON_SIDE - 2 * FRAME) * (2 * i + 1) / (2 * n);
}

void fmu_icon_svg(const fmu_listing *l, text *out)
{
    static const variable_causality sides[] = {IS_INPUT, IS_OUTPUT};
    const char *name = strrchr(l->flat->name, '.');
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n"
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\" "
                "stroke=\"#000\" stroke-width=\"2\"/>\n",
                ICON_SIDE, ICON_SIDE, FRAME, FRAME, ICON_SIDE - 2 * FRAME, ICON_SIDE - 2 * FRAME);
    for (int side = 0; side < 2; side++) {
        int n = count_ports(l, sides[side]), x = side ? ICON_SIDE - FRAME : 0;
        for (int i = 0; i < n; i++)
            text_printf(out, "<path d=\"M%d %dv%dl%d %dz\"/>\n", x, mark_at(i, n) - MARK, 2 * MARK,
                        FRAME, -MARK);
    }
    text_printf(out,
                "<text x=\"%d\" y=\"%d\" font-family=\"sans-serif\" font-size=\"14\" "
                "text-anchor=\"middle\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\">",
                ICON_SIDE / 2, ICON_SIDE / 2 + 5, ICON_SIDE - 4 * FRAME);
    fmu_escaped(out, name ? name + 1 : l->flat->name);
    text_add(out, "</text>\n</svg>\n");
}

static void icon_black(unsigned char *rows, int x, int y)
{
    rows[y * ICON_ROW + 1 + x / 8] &= (unsigned char)~(0x80 >> x % 8);
}

static void draw_marks(unsigned char *rows, int n, int x)
{
    for (int i = 0; i < n; i++)
        for (int dx = 0; dx < FRAME; dx++)
            for (int dy = dx - MARK; dy <= MARK - dx; dy++)
                icon_black(rows, x + dx, mark_at(i, n) + dy);
}

static void big_end(text *out, uint32_t x)
{
    for (int k = 24; k >= 0; k -= 8) text_char(out, (char)(x >> k));
}

/* A chunk whose type and data are the last n bytes of the text. */
static void end_chunk(text *out, size_t n)
{
    big_end(out, archive_crc((const unsigned char *)out->at + out->n - n, n));
}

static void add_bytes(text *out, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) text_char(out, ((const char *)bytes)[i]);
}

void fmu_icon_png(const fmu_listing *l, text *out)
{
    enum { HEAD = 13, ZLIB = 2 + 5 + 4 }; // bytes around the one block of the stream
    unsigned char rows[ICON_BYTES];
    memset(rows, 0xff, sizeof rows);
    for (int y = 0; y < ICON_SIDE; y++) rows[y * ICON_ROW] = 0; // no filter
    for (int i = FRAME; i < ICON_SIDE - FRAME; i++)
        for (int k = 0; k < 2; k++) {
            icon_black(rows, i, FRAME + k), icon_black(rows, i, ICON_SIDE - FRAME - 1 - k);
            icon_black(rows, FRAME + k, i), icon_black(rows, ICON_SIDE - FRAME - 1 - k, i);
        }
    draw_marks(rows, count_ports(l, IS_INPUT), 0);
    draw_marks(rows, count_ports(l, IS_OUTPUT), ICON_SIDE - FRAME);
    uint32_t a = 1, b = 0; // Adler's sum
    for (int i = 0; i < ICON_BYTES; i++) a = (a + rows[i]) % 65521, b = (b + a) % 65521;

    add_bytes(out, "\x89PNG\r\n\x1a\n", 8);
    big_end(out, HEAD);
    add_bytes(out, "IHDR", 4);
    big_end(out, ICON_SIDE);
    big_end(out, ICON_SIDE);
    add_bytes(out, "\1\0\0\0\0", 5); // one bit, grey
    end_chunk(out, 4 + HEAD);
    big_end(out, ICON_BYTES + ZLIB);
    add_bytes(out, "IDAT\x78\x01\x01", 7);
    add_bytes(out,
              (char[]){(char)(ICON_BYTES & 0xff), ICON_BYTES >> 8, (char)~(ICON_BYTES & 0xff),
                       (char)~(ICON_BYTES >> 8)},
              4);
    add_bytes(out, rows, sizeof rows);
    big_end(out, b << 16 | a);
    end_chunk(out, 4 + ICON_BYTES + ZLIB);
    big_end(out, 0);
    add_bytes(out, "IEND", 4);
    end_chunk(out, 4);
}
