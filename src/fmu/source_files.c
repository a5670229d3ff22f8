/* Files that go into sources/ of an FMU as they are: the assembler takes them in, the path comes from
 * CMakeLists.txt. There they lie side by side, so that folders in #include lines go.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fmu/source_print.h"

#include <string.h>

// clang-format off
#define TAKE(name, file)                                                                           \
    __asm__(".section .rodata\n"                                                                   \
            "fmu_source_" #name "_begin:\n"                                                        \
            ".incbin \"" VINCOLO_FMU "/" file "\"\n"                                               \
            "fmu_source_" #name "_end:\n"                                                          \
            ".byte 0\n"                                                                            \
            ".previous\n");                                                                        \
    extern const char fmu_source_##name##_begin[], fmu_source_##name##_end[]
// clang-format on

TAKE(fmi2, "runtime/fmi2.c");
TAKE(fmi3, "runtime/fmi3.c");
TAKE(clocks3, "runtime/fmi3_clocks.c");
TAKE(instance_c, "runtime/instance.c");
TAKE(instance_h, "runtime/instance.h");
TAKE(kept, "runtime/instance_kept.c");
TAKE(clocks, "runtime/instance_clocks.c");
TAKE(map, "runtime/instance_map.c");
TAKE(texts, "runtime/instance_texts.c");
TAKE(fmu_h, "fmu.h");
TAKE(model_h, "source/source_model.h");
TAKE(api_h, "source/source_api.h");
TAKE(run_h, "source/source_run.h");
TAKE(dense, "source/source_dense.c");
TAKE(event, "source/source_event.c");
TAKE(state, "source/source_kept.c");
TAKE(load, "source/source_load.c");
TAKE(make, "source/source_make.c");
TAKE(relation, "source/source_relation.c");
TAKE(sim, "source/source_sim.c");
TAKE(start, "source/source_start.c");
TAKE(step, "source/source_step.c");
TAKE(system, "source/source_system.c");

#define FILE_OF(file, name, fmi)                                                                   \
    {                                                                                              \
        file, fmu_source_##name##_begin, fmu_source_##name##_end, fmi                              \
    }
const fmu_source_file fmu_source_files[] = {
    FILE_OF("fmi2.c", fmi2, 2),
    FILE_OF("fmi3.c", fmi3, 3),
    FILE_OF("fmi3_clocks.c", clocks3, 3),
    FILE_OF("instance.c", instance_c, 0),
    FILE_OF("instance_clocks.c", clocks, 0),
    FILE_OF("instance_map.c", map, 0),
    FILE_OF("instance_kept.c", kept, 0),
    FILE_OF("instance_texts.c", texts, 0),
    FILE_OF("source_dense.c", dense, 0),
    FILE_OF("source_event.c", event, 0),
    FILE_OF("source_kept.c", state, 0),
    FILE_OF("source_load.c", load, 0),
    FILE_OF("source_make.c", make, 0),
    FILE_OF("source_relation.c", relation, 0),
    FILE_OF("source_sim.c", sim, 0),
    FILE_OF("source_start.c", start, 0),
    FILE_OF("source_step.c", step, 0),
    FILE_OF("source_system.c", system, 0),
    FILE_OF("instance.h", instance_h, 0),
    FILE_OF("fmu.h", fmu_h, 0),
    FILE_OF("source_model.h", model_h, 0),
    FILE_OF("source_api.h", api_h, 0),
    FILE_OF("source_run.h", run_h, 0),
    {0},
};

void fmu_source_flat(const fmu_source_file *f, text *out)
{
    static const char include[] = "#include \"", whole[] = "vincolo.h\"";
    for (const char *p = f->bytes; p < f->end;) {
        const char *line = memchr(p, '\n', (size_t)(f->end - p));
        size_t n = line ? (size_t)(line + 1 - p) : (size_t)(f->end - p);
        if (n > sizeof include && !memcmp(p, include, sizeof include - 1)) {
            const char *name = p + sizeof include - 1, *q = name;
            for (; q < p + n; q++)
                if (*q == '/') name = q + 1;
            text_add(out, include);
            bool api = !strncmp(name, whole, sizeof whole - 1); // a part of it
            if (api) text_add(out, "source_api.h\"\n");
            else text_add_n(out, name, (size_t)(p + n - name));
        } else {
            text_add_n(out, p, n);
        }
        p += n;
    }
}
