/* Names that nobody keeps, for callers who may: all of them are written when the first is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"

#include <string.h>

struct api_names {
    size_t bytes;
    int first;
    const char *at[];
};

struct api_names *api_write_names(mem *m, int first, int n, api_name_writer *write, const void *of)
{
    text all;
    text_init(&all, m);
    for (int i = first; i < n; i++) {
        write(of, i, &all);
        text_char(&all, '\n');
    }
    size_t list = sizeof(struct api_names) + (size_t)(n - first) * sizeof(char *);
    struct api_names *x = mem_try(m, list + all.n + 1);
    if (x) {
        *x = (struct api_names){.bytes = list + all.n + 1, .first = first};
        char *word = memcpy((char *)x + list, text_str(&all), all.n + 1);
        for (int i = first; i < n && word; i++) {
            x->at[i - first] = word;
            word = strchr(word, '\n');
            if (word) *word++ = 0;
        }
        if (n > first && !word) { // the text was cut: there was no memory
            mem_free(m, x, x->bytes);
            x = NULL;
        }
    }
    text_done(&all);
    return x;
}

const char *api_written_name(const struct api_names *x, int i)
{
    return x ? x->at[i - x->first] : NULL;
}

void api_free_names(mem *m, struct api_names *x)
{
    if (x) mem_free(m, x, x->bytes);
}
