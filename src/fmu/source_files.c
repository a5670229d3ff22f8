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
TAKE(external_c, "../external/external_run.c");
TAKE(external_h, "../external/external_run.h");
TAKE(external_list_h, "../external/external_list.h");
TAKE(random, "../external/random.c");
TAKE(table_1d, "../external/table_1d.c");
TAKE(table_2d, "../external/table_2d.c");
TAKE(table_axis, "../external/table_axis.c");
TAKE(table_h, "../external/table.h");
TAKE(history_c, "../run/history.c");
TAKE(history_h, "../run/history.h");
TAKE(plug_flow_c, "../run/plug_flow.c");
TAKE(plug_flow_h, "../run/plug_flow.h");
TAKE(pieces_h, "../run/pieces.h");
TAKE(bump_h, "../base/bump.h");
TAKE(past, "source/source_past.c");
TAKE(tick, "source/source_tick.c");
TAKE(sparse, "source/source_sparse.c");
TAKE(files, "source/source_external.c");
TAKE(mem_h, "source/source_mem.h");
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
        file, fmu_source_##name##_begin, fmu_source_##name##_end, fmi, false                       \
    }
#define SHARED(file, name)                                                                         \
    {                                                                                              \
        file, fmu_source_##name##_begin, fmu_source_##name##_end, 0, true                          \
    }
const fmu_source_file fmu_source_files[] = {
    FILE_OF("fmi2.c", fmi2, 2),
    FILE_OF("fmi3.c", fmi3, 3),
    FILE_OF("fmi3_clocks.c", clocks3, 3),
    SHARED("instance.c", instance_c),
    SHARED("instance_clocks.c", clocks),
    SHARED("instance_map.c", map),
    SHARED("instance_kept.c", kept),
    SHARED("instance_texts.c", texts),
    SHARED("external_run.c", external_c),
    SHARED("history.c", history_c),
    SHARED("plug_flow.c", plug_flow_c),
    FILE_OF("source_past.c", past, 0),
    SHARED("random.c", random),
    SHARED("table_1d.c", table_1d),
    SHARED("table_2d.c", table_2d),
    SHARED("table_axis.c", table_axis),
    SHARED("source_external.c", files),
    FILE_OF("source_dense.c", dense, 0),
    FILE_OF("source_event.c", event, 0),
    FILE_OF("source_kept.c", state, 0),
    FILE_OF("source_load.c", load, 0),
    FILE_OF("source_make.c", make, 0),
    FILE_OF("source_relation.c", relation, 0),
    FILE_OF("source_sim.c", sim, 0),
    FILE_OF("source_sparse.c", sparse, 0),
    FILE_OF("source_start.c", start, 0),
    FILE_OF("source_step.c", step, 0),
    FILE_OF("source_tick.c", tick, 0),
    FILE_OF("source_system.c", system, 0),
    SHARED("instance.h", instance_h),
    FILE_OF("fmu.h", fmu_h, 0),
    SHARED("external_run.h", external_h),
    SHARED("external_list.h", external_list_h),
    SHARED("history.h", history_h),
    SHARED("plug_flow.h", plug_flow_h),
    FILE_OF("pieces.h", pieces_h, 0),
    FILE_OF("bump.h", bump_h, 0),
    SHARED("table.h", table_h),
    FILE_OF("source_mem.h", mem_h, 0),
    FILE_OF("source_model.h", model_h, 0),
    FILE_OF("source_api.h", api_h, 0),
    FILE_OF("source_run.h", run_h, 0),
    {0},
};

/* Headers that others stand for in sources. */
static const struct {
    const char *name, *instead;
} instead_of[] = {{"vincolo.h", "source_api.h"},
                  {"vincolo_problem.h", "source_api.h"},
                  {"mem.h", "source_mem.h"}};

static void add_include(text *out, const char *name, size_t n)
{
    for (size_t k = 0; k < sizeof instead_of / sizeof *instead_of; k++)
        if (n == strlen(instead_of[k].name) && !memcmp(name, instead_of[k].name, n)) {
            name = instead_of[k].instead;
            n = strlen(name);
            break;
        }
    text_add(out, "#include \"");
    text_add_n(out, name, n);
    text_add(out, "\"\n");
}

/* Where the names of a file begin that serves the library, too, and is to hide them here. */
static const char *after_includes(const fmu_source_file *f)
{
    const char *last = f->bytes;
    for (const char *p = f->bytes; p && p < f->end; p = memchr(p, '\n', (size_t)(f->end - p)), p++)
        if (!strncmp(p, "#include", 8)) last = p;
    return (const char *)memchr(last, '\n', (size_t)(f->end - last)) + 1;
}

static const char *before_end(const fmu_source_file *f)
{
    const char *p = f->end - 7;
    return f->end - f->bytes > 7 && !memcmp(p, "#endif\n", 7) ? p : f->end;
}

void fmu_source_flat(const fmu_source_file *f, text *out)
{
    static const char include[] = "#include \"";
    const char *begin = f->shared ? after_includes(f) : NULL, *end = before_end(f);
    for (const char *p = f->bytes; p < f->end;) {
        const char *line = memchr(p, '\n', (size_t)(f->end - p));
        size_t n = line ? (size_t)(line + 1 - p) : (size_t)(f->end - p);
        if (p == begin) text_add(out, "\nSOURCE_HIDDEN_BEGIN\n");
        if (begin && p == end) text_add(out, "SOURCE_HIDDEN_END\n\n");
        if (n > sizeof include && !memcmp(p, include, sizeof include - 1)) {
            const char *name = p + sizeof include - 1, *q = name;
            for (; q < p + n; q++)
                if (*q == '/') name = q + 1;
            add_include(out, name, (size_t)((const char *)memchr(name, '"', n) - name));
        } else {
            text_add_n(out, p, n);
        }
        p += n;
    }
    if (begin && end == f->end) text_add(out, "\nSOURCE_HIDDEN_END\n");
}
