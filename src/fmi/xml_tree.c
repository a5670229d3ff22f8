/* The tree that the plug-in has made of XML.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmi/unpack.h"

#include <string.h>

void fmi_xml_done(fmi_xml *x, mem *m)
{
    mem_free(m, x->nodes, x->cap_nodes * sizeof *x->nodes);
    mem_free(m, x->pairs, x->cap_pairs * sizeof *x->pairs);
    mem_free(m, x->words, x->cap_words);
    *x = (fmi_xml){0};
}

const char *fmi_attribute(const fmi_xml *x, int node, const char *name)
{
    const fmi_node *e = &x->nodes[node];
    for (uint32_t i = 0; i < e->n_pairs; i++) {
        const uint32_t *pair = &x->pairs[2 * (e->pairs + i)];
        if (!strcmp(fmi_words(x, pair[0]), name)) return fmi_words(x, pair[1]);
    }
    return NULL;
}

static int named_from(const fmi_xml *x, int node, const char *name)
{
    while (node >= 0 && name && strcmp(fmi_words(x, x->nodes[node].name), name) != 0)
        node = x->nodes[node].younger;
    return node;
}

int fmi_child(const fmi_xml *x, int node, const char *name)
{
    return node < 0 ? -1 : named_from(x, x->nodes[node].child, name);
}

int fmi_next(const fmi_xml *x, int node, const char *name)
{
    return named_from(x, x->nodes[node].younger, name);
}
