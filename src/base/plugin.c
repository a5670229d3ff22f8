/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // dladdr
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The folder of the library or command that this function is a part of. */
static void own_folder(char *out, size_t size)
{
    static const char here; // an address of this object
    Dl_info info;
    snprintf(out, size, ".");
    if (!dladdr(&here, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash) snprintf(out, size, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
}

const void *plugin_open(const plugin_kind *kind, char *why, size_t size)
{
    /* A build folder; beside an installed library; beside an installed command. */
    static const char *const places[] = {"plugins", "vincolo", "../lib/vincolo",
                                         "../../lib/vincolo"};
    char folder[3000], path[3200], reason[400] = "";
    own_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s/vincolo-%s.so", folder, places[i], kind->name);
        void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!object) {
            const char *said = dlerror();
            // That it is not there is no news; that it cannot be loaded is.
            if (said && !strstr(said, "No such file") && !reason[0])
                snprintf(reason, sizeof reason, " (%.300s)", said);
            continue;
        }
        const int *table = dlsym(object, "vincolo_plugin");
        if (table && *table == kind->version) return table;
        snprintf(reason, sizeof reason, " (%.300s is of another version)", path);
        dlclose(object);
    }
    snprintf(
        why, size,
        "%s need a plug-in, vincolo-%s.so, which is not there%s: install the Debian package %s "
        "and build vincolo again",
        kind->does, kind->name, reason, kind->package);
    return NULL;
}
