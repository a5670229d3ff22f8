/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // dladdr
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* A build folder; beside an installed library, also one in a folder of the machine's; beside an installed
 * command. */
static const char *const plugin_places[] = {"plugins", "vincolo", "../vincolo", "../lib/vincolo",
                                            "../../lib/vincolo"};

bool plugin_find(const char *name, char *where, size_t size)
{
    char folder[3000], path[3200];
    own_folder(folder, sizeof folder);
    snprintf(where, size, "not there");
    for (size_t i = 0; i < sizeof plugin_places / sizeof *plugin_places; i++) {
        snprintf(path, sizeof path, "%s/%s/vincolo-%s.so", folder, plugin_places[i], name);
        if (access(path, R_OK)) continue;
        void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        char *real = object ? realpath(path, NULL) : NULL;
        snprintf(where, size, "%s", real ? real : object ? path : dlerror());
        free(real);
        return object != NULL;
    }
    return false;
}

const void *plugin_open(const plugin_kind *kind, char *why, size_t size)
{
    char folder[3000], path[3200], reason[400] = "";
    own_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof plugin_places / sizeof *plugin_places; i++) {
        snprintf(path, sizeof path, "%s/%s/vincolo-%s.so", folder, plugin_places[i], kind->name);
        void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!object) {
            const char *said = dlerror();
            // That it is not there is no news; that it cannot be loaded is.
            if (said && !strstr(said, "No such file") && !strstr(said, "Not a directory") &&
                !reason[0])
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
