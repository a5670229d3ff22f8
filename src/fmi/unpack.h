/* What it takes of other libraries to read an FMU: deflate (zlib) and XML (expat), in a plug-in.
 *
 * The plug-in calls nothing of ours, and nothing jumps through it: memory comes from the function in
 * `mem`, and is checked. XML becomes a tree of elements; a document type, and with it every entity but
 * those of the language itself, is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMI_UNPACK_H
#define FMI_UNPACK_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

enum { FMI_UNPACK_VERSION = 1 };
enum { FMI_XML_DEPTH = 100 }; // elements inside of each other

typedef struct fmi_node {
    uint32_t name;           // in `words`, as every text
    uint32_t pairs, n_pairs; // its attributes: pairs[2 * (pairs + i)] is a name, the next a value
    uint32_t at;             // the byte of the text at which it begins
    int parent, child, younger; // nodes; -1: none
} fmi_node;

/* Elements in the order of the text; the root is the first. */
typedef struct fmi_xml {
    fmi_node *nodes;
    uint32_t *pairs;
    char *words;
    uint32_t n_nodes, n_pairs, n_words;
    uint32_t cap_nodes, cap_pairs, cap_words;
} fmi_xml;

typedef enum fmi_unpacked {
    FMI_UNPACKED,
    FMI_DAMAGED, // deflate: no such stream, or another length; XML: not well-formed
    FMI_DOCTYPE, // XML with a document type
    FMI_DEEP,    // ... with too many elements inside of each other
    FMI_NO_MEMORY
} fmi_unpacked;

typedef struct fmi_xml_fault {
    char why[120];
    size_t at; // byte
} fmi_xml_fault;

typedef struct fmi_unpacker {
    int version;
    uint32_t (*crc)(const unsigned char *bytes, size_t n);
    /* A raw stream of deflate, which must give `size` bytes and end with the n-th. */
    fmi_unpacked (*inflate)(mem *m, const unsigned char *packed, size_t n, unsigned char *out,
                            size_t size);
    /* out is zeroed before, and given back by fmi_xml_done whatever comes of it. n < 2^31. */
    fmi_unpacked (*parse)(mem *m, const char *bytes, size_t n, fmi_xml *out, fmi_xml_fault *fault);
} fmi_unpacker;

static inline const char *fmi_words(const fmi_xml *x, uint32_t at)
{
    return x->words + at;
}

void fmi_xml_done(fmi_xml *x, mem *m);
/* The value of an attribute; NULL: there is none. */
const char *fmi_attribute(const fmi_xml *x, int node, const char *name);
/* The first child of that name, and the next one after it; -1: there is none. */
int fmi_child(const fmi_xml *x, int node, const char *name);
int fmi_next(const fmi_xml *x, int node, const char *name);

#endif
