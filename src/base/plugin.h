/* Parts that are loaded when they are asked for.
 *
 * What needs a large library of others is a shared object of its own. It is built where that library is
 * there, lies beside this one, and exports one table, `vincolo_plugin`, which begins with the version of
 * the interface that it was built for. One that is missing is a sentence with the package that it needs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct plugin_kind {
    const char *name;    // "mpi": vincolo-mpi.so
    const char *does;    // what it is for: "sweeps over the ranks of mpirun"
    const char *package; // what it needs at run time, and to be built
    int version;
} plugin_kind;

/* The table of a plug-in, or NULL and why not in `why`. A plug-in stays loaded. */
const void *plugin_open(const plugin_kind *kind, char *why, size_t size);

/* Is there one that can be loaded? Where, or why not. It stays loaded. */
bool plugin_find(const char *name, char *where, size_t size);

#endif
