/* Opening an FMU: the file, the plug-in that unpacks it, its description.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/plugin.h"
#include "import/import.h"
#include "result/whole_file.h"

#include <string.h>

static const plugin_kind unpack_kind = {"unpack", "FMUs that are read", "zlib1g-dev libexpat1-dev",
                                        FMI_UNPACK_VERSION};

/* Where a fault of the description is: the line that holds the byte. */
static span place_in(const import_file *x, size_t at)
{
    uint32_t begin = x->base + (uint32_t)(at < x->f.n_words ? at : x->f.n_words);
    return x->f.words ? (span){begin, begin + 1} : (span){0};
}

/* The text of the description is kept, for messages that show it. */
static void keep_source(import_file *x)
{
    arena *a = x->sources->a;
    if (!x->f.words) return;
    char *copy = arena_strndup(a, x->f.words, x->f.n_words);
    size_t n = strlen(x->path) + sizeof "/modelDescription.xml";
    char *shown = arena_alloc(a, n);
    strcpy(shown, x->path);
    strcat(shown, "/modelDescription.xml");
    const source *s = source_add(x->sources, shown, copy, x->f.n_words);
    x->base = s ? s->base : 0;
}

int import_open(import_file *x, const char *path)
{
    char why[700];
    result_fault fault = {0};
    size_t at;
    x->path = path;
    arena_init(&x->a, x->m);
    x->unpacker = plugin_open(&unpack_kind, why, sizeof why);
    if (!x->unpacker) {
        diag_error(x->diags, "F114", (span){0}, "%s", why);
        return VINC_E_OPTION;
    }
    int rc = result_file_read(x->m, path, &x->bytes, &x->n_bytes, &fault);
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    if (rc < 0) return diag_error(x->diags, fault.code, (span){0}, "%s", fault.text), VINC_E_OPTION;
    rc = fmi_file_open(&x->f, &x->a, x->bytes, x->n_bytes, x->unpacker, &fault, &at);
    if (rc == RESULT_E_MEMORY) return VINC_E_MEMORY;
    keep_source(x);
    if (!rc) return VINC_OK;
    diag_error(x->diags, fault.code, place_in(x, at), "%s%s%s", x->base ? "" : path,
               x->base ? "" : ": ", fault.text);
    return VINC_E_MODEL;
}

void import_close(import_file *x)
{
    if (!x->m) return;
    fmi_file_done(&x->f, x->m);
    if (x->bytes) mem_free(x->m, x->bytes, x->n_bytes + 1);
    x->bytes = NULL;
    arena_done(&x->a);
    x->m = NULL;
}
