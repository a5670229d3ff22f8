/* Coordinate partitioning.
 *
 * The states are some of the coordinates and their velocities; the others are solved for from the
 * constraints of each level. The independent ones are found by pivoting and chosen anew near a
 * singular position, or named: independent=x, independent=x+y; then the choice stays, and the run
 * stops where it becomes singular (R. A. Wehage and E. J. Haug, J. Mech. Des. 104 (1982) 247-255).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "form/build.h"

#include <string.h>

/* Mark the unknowns in "x+y". */
static bool partition_mark(form_builder *b, const char *names, char *independent)
{
    const structure *s = b->s;
    while (*names) {
        size_t n = strcspn(names, "+");
        int found = -1;
        for (int u = 0; u < s->unknowns.n && found < 0; u++) {
            const char *name = FLAT_NAME(s->flat, s->unknowns.at[u].var);
            if (strlen(name) == n && !strncmp(name, names, n)) found = u;
        }
        if (found < 0) {
            diag_error(b->sink, "S205", (span){0, 0},
                       "there is no coordinate '%s' to be independent",
                       arena_strndup(b->scratch, names, n));
            return false;
        }
        independent[found] = 1;
        names += n + (names[n] == '+');
    }
    return true;
}

static int partition_build(form_system *f, const char *options, arena *scratch, diag_sink *sink)
{
    form_builder b;
    form_begin(&b, f, scratch, sink);
    const char *names = NULL;
    form_option list[] = {{.name = "independent", .text = &names}};
    if (!form_options(&b, options, list, 1)) return -1;
    char *independent = NULL;
    if (names) {
        independent = arena_array(f->a, char, f->s->unknowns.n);
        if (!partition_mark(&b, names, independent)) return -1;
    }
    int rc = form_dummy_build(f, scratch, sink, true);
    if (rc || !names) return rc;
    for (int g = 0; g < f->groups.n; g++) {
        image_group *q = &f->groups.at[g];
        int n = 0;
        uint8_t *fixed = arena_array(f->a, uint8_t, q->n_columns);
        for (int j = 0; j < q->n_columns; j++) {
            int e = f->unknowns.at[q->columns[j]].entry;
            fixed[j] = (uint8_t)independent[f->s->entries.at[e].unknown];
            n += fixed[j];
        }
        if (n != q->n_columns - q->n_constraints) {
            diag_error(
                sink, "S205", (span){0, 0},
                "%d independent coordinate%s named, but %d are needed for %d coordinates and "
                "%d constraints",
                n, n == 1 ? " is" : "s are", q->n_columns - q->n_constraints, q->n_columns,
                q->n_constraints);
            return -1;
        }
        q->independent = fixed;
    }
    return 0;
}

const form_kind form_partition = {
    .name = "partition",
    .summary = "coordinate partitioning: independent coordinates by pivoting, the others re-solved",
    .applies = "mechanical",
    .cite = "Wehage & Haug 1982",
    .explicit = true,
    .build = partition_build,
};
