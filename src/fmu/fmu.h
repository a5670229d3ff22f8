/* What the writer of FMUs and the library inside them agree on.
 *
 * An FMU of ours holds the model as flat Modelica text, and a library that compiles it when it is
 * instantiated. Value references: 0 is the time; 1 + i is variable i of a run that is lent (the names
 * of vinc_sim_value_name); then two for every state, the state and its derivative, for those states
 * that are no variable of the model; then one for every event indicator; then one for every String
 * (vinc_sim_text). An array of FMI 3 has the value
 * reference of its first element; the others follow it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_FMU_H
#define FMU_FMU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FMU_MODEL_FILE  "model.mo"   // in resources/
#define FMU_ARRAYS_FILE "arrays.txt" // there; a line for each: value reference, number of elements

/* In texts of the model: the folder of files that it reads, which lies in resources/. */
#define FMU_FILE_MARK "vincolo-fmu-file:"
#define FMU_FILES     "files"
/* In values of Strings: the same, as importers see it. */
#define FMU_SHOWN_FILES "resources/" FMU_FILES "/"

enum { FMU_TIME = 0, FMU_FIRST_VARIABLE = 1 };

/* What tells texts apart: the instantiation token. Fowler, Noll, Vo: 64 bits, 1a, from two starts. */
enum { FMU_TOKEN_BYTES = 40 };
static inline void fmu_token(const char *words, size_t n, char out[FMU_TOKEN_BYTES])
{
    uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) h[k] = (h[k] ^ (unsigned char)words[i]) * 0x100000001b3u;
    snprintf(out, FMU_TOKEN_BYTES, "{%016llx-%016llx}", (unsigned long long)h[0],
             (unsigned long long)h[1]);
}

#endif
