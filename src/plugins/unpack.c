/* Deflate by zlib and XML by expat, for the reader of FMUs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/unpack.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- memory: what is asked for, with its size in front of it --------------------------------- */

enum { SIZE_ROOM = 16 }; // keeps the alignment

static void *zlib_take(void *user, unsigned n, unsigned size)
{
    mem *m = user;
    size_t bytes = (size_t)n * size + SIZE_ROOM;
    size_t *p = m->resize(m->user, NULL, 0, bytes);
    if (!p) return NULL;
    *p = bytes;
    return (char *)p + SIZE_ROOM;
}

static void zlib_give(void *user, void *p)
{
    mem *m = user;
    size_t *at = (size_t *)((char *)p - SIZE_ROOM);
    m->resize(m->user, at, *at, 0);
}

static uint32_t unpack_crc(const unsigned char *bytes, size_t n)
{
    return (uint32_t)crc32_z(0, bytes, n);
}

/* ---- deflate --------------------------------------------------------------------------------- */

static unsigned at_most(size_t n)
{
    return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

static fmi_unpacked unpack_inflate(mem *m, const unsigned char *packed, size_t n,
                                   unsigned char *out, size_t size)
{
    z_stream z = {.zalloc = zlib_take, .zfree = zlib_give, .opaque = m};
    unsigned char none;
    int rc = inflateInit2(&z, -MAX_WBITS);
    if (rc != Z_OK) return FMI_NO_MEMORY;
    size_t read = 0, made = 0;
    while (rc == Z_OK) {
        unsigned in = at_most(n - read), room = at_most(size - made);
        z.next_in = (unsigned char *)packed + read;
        z.avail_in = in;
        z.next_out = room ? out + made : &none;
        z.avail_out = room;
        rc = inflate(&z, Z_NO_FLUSH);
        read += in - z.avail_in;
        made += room - z.avail_out;
    }
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR) return FMI_NO_MEMORY;
    return rc == Z_STREAM_END && read == n && made == size ? FMI_UNPACKED : FMI_DAMAGED;
}

/* ---- XML ------------------------------------------------------------------------------------- */

typedef struct growing {
    mem *m;
    XML_Parser parser;
    fmi_xml *x;
    int open[FMI_XML_DEPTH]; // elements around the present one
    int last[FMI_XML_DEPTH]; // of each its youngest child so far; -1: none
    int depth;
    fmi_unpacked rc;
} growing;

static void stop(growing *g, fmi_unpacked rc)
{
    if (g->rc == FMI_UNPACKED) g->rc = rc;
    XML_StopParser(g->parser, XML_FALSE);
}

/* Room for `more` entries; false: there is no memory, and the parser stops. */
static bool grow(growing *g, void **at, uint32_t n, uint32_t *cap, size_t more, size_t size)
{
    size_t need = (size_t)n + more, next = *cap ? *cap : 64;
    if (need <= *cap) return true;
    while (next < need) next *= 2;
    void *p =
        next <= INT_MAX ? g->m->resize(g->m->user, *at, (size_t)*cap * size, next * size) : NULL;
    if (!p) {
        stop(g, FMI_NO_MEMORY);
        return false;
    }
    *at = p;
    *cap = (uint32_t)next;
    return true;
}

static bool keep_words(growing *g, const char *words, uint32_t *out)
{
    fmi_xml *x = g->x;
    size_t n = strlen(words) + 1;
    if (!grow(g, (void **)&x->words, x->n_words, &x->cap_words, n, 1)) return false;
    *out = x->n_words;
    memcpy(x->words + x->n_words, words, n);
    x->n_words += (uint32_t)n;
    return true;
}

static bool keep_pairs(growing *g, const char **attributes, fmi_node *e)
{
    fmi_xml *x = g->x;
    e->pairs = x->n_pairs / 2;
    for (int i = 0; attributes[i]; i++) {
        if (!grow(g, (void **)&x->pairs, x->n_pairs, &x->cap_pairs, 1, sizeof *x->pairs) ||
            !keep_words(g, attributes[i], &x->pairs[x->n_pairs]))
            return false;
        x->n_pairs++;
    }
    e->n_pairs = x->n_pairs / 2 - e->pairs;
    return true;
}

static void on_start(void *user, const char *name, const char **attributes)
{
    growing *g = user;
    fmi_xml *x = g->x;
    fmi_node e = {.parent = -1, .child = -1, .younger = -1};
    if (g->rc != FMI_UNPACKED) return;
    if (g->depth == FMI_XML_DEPTH) {
        stop(g, FMI_DEEP);
        return;
    }
    e.at = (uint32_t)XML_GetCurrentByteIndex(g->parser);
    if (!grow(g, (void **)&x->nodes, x->n_nodes, &x->cap_nodes, 1, sizeof *x->nodes) ||
        !keep_words(g, name, &e.name) || !keep_pairs(g, attributes, &e))
        return;
    int me = (int)x->n_nodes, around = g->depth - 1;
    if (around >= 0) {
        e.parent = g->open[around];
        if (g->last[around] < 0) x->nodes[e.parent].child = me;
        else x->nodes[g->last[around]].younger = me;
        g->last[around] = me;
    }
    x->nodes[x->n_nodes++] = e;
    g->open[g->depth] = me;
    g->last[g->depth++] = -1;
}

static void on_end(void *user, const char *name)
{
    growing *g = user;
    (void)name;
    g->depth--;
}

static void on_doctype(void *user, const char *name, const char *system, const char *public,
                       int subset)
{
    (void)name, (void)system, (void)public, (void)subset;
    stop(user, FMI_DOCTYPE);
}

static fmi_unpacked unpack_parse(mem *m, const char *bytes, size_t n, fmi_xml *out,
                                 fmi_xml_fault *fault)
{
    growing g = {.m = m, .x = out, .parser = XML_ParserCreate(NULL)};
    if (!g.parser) return FMI_NO_MEMORY;
    XML_SetUserData(g.parser, &g);
    XML_SetElementHandler(g.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(g.parser, on_doctype);
    bool fine = XML_Parse(g.parser, bytes, (int)n, 1) == XML_STATUS_OK;
    enum XML_Error error = XML_GetErrorCode(g.parser);
    if (!fine && g.rc == FMI_UNPACKED)
        g.rc = error == XML_ERROR_NO_MEMORY ? FMI_NO_MEMORY : FMI_DAMAGED;
    long at = (long)XML_GetCurrentByteIndex(g.parser);
    fault->at = at > 0 ? (size_t)at : 0;
    snprintf(fault->why, sizeof fault->why, "%s", fine ? "" : XML_ErrorString(error));
    XML_ParserFree(g.parser);
    return g.rc;
}

__attribute__((visibility("default"))) const fmi_unpacker vincolo_plugin = {
    .version = FMI_UNPACK_VERSION,
    .crc = unpack_crc,
    .inflate = unpack_inflate,
    .parse = unpack_parse,
};
