/* What the library is made of, and what it finds beside it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/plugin.h"
#include "vincolo.h"

#include <dlfcn.h>
#include <stdio.h>

#if defined(__x86_64__)
#define MACHINE_CODE "machine code for x86-64"
#elif defined(__aarch64__)
#define MACHINE_CODE "machine code for AArch64"
#else
#define MACHINE_CODE "an interpreter: there is no machine code for this processor"
#endif

typedef struct part_kind {
    const char *name, *does, *package;
    const char *library; // that is loaded when it is needed; NULL: a plug-in, or built in
} part_kind;

static const part_kind parts[] = {
    {"evaluation", MACHINE_CODE, NULL, NULL},
    {"linear algebra", "LAPACK, KLU, SuperLU, GMRES", NULL, NULL},
    {"results", "CSV, MAT", NULL, NULL},
    {"figures", "SVG, PNG and PDF", "libcairo2", "libcairo.so.2"},
    {"unpack", "FMUs are read", "zlib1g libexpat1", NULL},
    {"mpi", "sweeps over the processes of mpirun", "libopenmpi3", NULL},
    {"petsc", "one model over the processes of mpirun", "libpetsc-real3.18", NULL},
    {"hdf5", "results of sweeps as HDF5", "libhdf5-103", NULL},
    {"metis", "grids are ordered by nested dissection", "libmetis5", NULL},
    {"live", "pages in which a model runs", "libmicrohttpd12", NULL},
    {"gpu", "sweeps on an NVIDIA GPU", "its driver", "libcuda.so.1"},
};

int vinc_part_at(int i, vinc_part *out)
{
    if (i < 0 || i >= (int)(sizeof parts / sizeof *parts) || !out) return VINC_E_OPTION;
    const part_kind *k = &parts[i];
    *out = (vinc_part){.name = k->name, .does = k->does, .package = k->package, .found = 1};
    if (!k->package) return VINC_OK;
    if (!k->library) {
        out->found = plugin_find(k->name, out->place, sizeof out->place);
        return VINC_OK;
    }
    void *loaded = dlopen(k->library, RTLD_LAZY | RTLD_LOCAL);
    snprintf(out->place, sizeof out->place, "%s", loaded ? k->library : "not there");
    out->found = loaded != NULL;
    return VINC_OK;
}
