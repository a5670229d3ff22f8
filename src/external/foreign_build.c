/* Code in C that a model brings along (annotation Include): compiled by the compiler of the system
 * into a library of its own, in a temporary folder that is gone when the library has been loaded.
 *
 * Beside the code there is a part of ours, the functions of ModelicaUtilities.h. An error jumps back
 * to the call (external/foreign.c): every thread has its own place to jump to.
 * Modelica Language Specification 3.6, sections 12.9.4 and 12.9.6.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // mkdtemp, environ
#include "external/external.h"

#include "base/arena.h"
#include "external/foreign.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The layout of foreign_host, in the words of the code that is compiled. */
static const char host_header[] =
    "#ifndef MODELICA_UTILITIES_H\n"
    "#define MODELICA_UTILITIES_H\n"
    "#include <stdarg.h>\n"
    "#include <stddef.h>\n"
    "#if defined(__cplusplus)\nextern \"C\" {\n#endif\n"
    "void ModelicaMessage(const char *words);\n"
    "void ModelicaFormatMessage(const char *format, ...);\n"
    "void ModelicaVFormatMessage(const char *format, va_list args);\n"
    "void ModelicaWarning(const char *words);\n"
    "void ModelicaFormatWarning(const char *format, ...);\n"
    "void ModelicaVFormatWarning(const char *format, va_list args);\n"
    "__attribute__((noreturn)) void ModelicaError(const char *words);\n"
    "__attribute__((noreturn)) void ModelicaFormatError(const char *format, ...);\n"
    "__attribute__((noreturn)) void ModelicaVFormatError(const char *format, va_list args);\n"
    "char *ModelicaAllocateString(size_t n);\n"
    "char *ModelicaAllocateStringWithErrorReturn(size_t n);\n"
    "#if defined(__cplusplus)\n}\n#endif\n"
    "#endif\n";

static const char host_code[] =
    "#include \"ModelicaUtilities.h\"\n"
    "#include <setjmp.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "typedef struct host { jmp_buf *back; char words[400]; } host;\n"
    "void *vincolo_host(void) { static _Thread_local host h; return &h; }\n"
    "void ModelicaVFormatError(const char *format, va_list args)\n"
    "{ host *h = vincolo_host(); vsnprintf(h->words, sizeof h->words, format, args);\n"
    "  if (!h->back) abort(); longjmp(*h->back, 1); }\n"
    "void ModelicaFormatError(const char *format, ...)\n"
    "{ va_list args; va_start(args, format); ModelicaVFormatError(format, args); }\n"
    "void ModelicaError(const char *words) { ModelicaFormatError(\"%s\", words); }\n"
    "void ModelicaVFormatMessage(const char *format, va_list args)\n"
    "{ vfprintf(stderr, format, args); }\n"
    "void ModelicaVFormatWarning(const char *format, va_list args)\n"
    "{ vfprintf(stderr, format, args); }\n"
    "void ModelicaFormatMessage(const char *format, ...)\n"
    "{ va_list args; va_start(args, format); vfprintf(stderr, format, args); va_end(args); }\n"
    "void ModelicaFormatWarning(const char *format, ...)\n"
    "{ va_list args; va_start(args, format); vfprintf(stderr, format, args); va_end(args); }\n"
    "void ModelicaMessage(const char *words) { fputs(words, stderr); }\n"
    "void ModelicaWarning(const char *words) { fputs(words, stderr); }\n"
    "char *ModelicaAllocateStringWithErrorReturn(size_t n) { return calloc(n + 1, 1); }\n"
    "char *ModelicaAllocateString(size_t n)\n"
    "{ char *s = calloc(n + 1, 1); if (!s) ModelicaError(\"out of memory\"); return s; }\n";

_Static_assert(FOREIGN_WORDS == 400, "host_code says 400");

enum { PATH_BYTES = 64 };

typedef struct build {
    char folder[PATH_BYTES];
    char *why;
} build;

static bool build_fail(build *b, const char *what)
{
    snprintf(b->why, EXTERNAL_WHY, "%s: %s", what, strerror(errno));
    return false;
}

static const char *build_file(const build *b, const char *name, char path[2 * PATH_BYTES])
{
    snprintf(path, 2 * PATH_BYTES, "%s/%s", b->folder, name);
    return path;
}

static bool build_write(build *b, const char *name, const char *words)
{
    char path[2 * PATH_BYTES];
    FILE *f = fopen(build_file(b, name, path), "w");
    if (!f) return build_fail(b, path);
    bool ok = fputs(words, f) >= 0;
    return fclose(f) == 0 && ok ? true : build_fail(b, path);
}

static const char *const build_files[] = {"code.c", "host.c", "ModelicaUtilities.h", "code.so",
                                          "said"};

static void build_clean(const build *b)
{
    char path[2 * PATH_BYTES];
    for (size_t k = 0; k < sizeof build_files / sizeof *build_files; k++)
        unlink(build_file(b, build_files[k], path));
    rmdir(b->folder);
}

/* What the compiler said: its first line that names an error. */
static void build_quote(build *b)
{
    char path[2 * PATH_BYTES], line[300];
    FILE *f = fopen(build_file(b, "said", path), "r");
    snprintf(b->why, EXTERNAL_WHY, "cc does not compile its Include");
    while (f && fgets(line, sizeof line, f)) {
        if (!strstr(line, "error") && !strstr(line, "undefined")) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(b->why, EXTERNAL_WHY, "cc does not compile its Include: %s", line);
        break;
    }
    if (f) fclose(f);
}

static bool build_run(build *b, char *const *args)
{
    extern char **environ;
    char path[2 * PATH_BYTES];
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 0;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, build_file(b, "said", path),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 2, 1);
    int rc = posix_spawnp(&pid, "cc", &files, NULL, args, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc) {
        errno = rc;
        return build_fail(b, "cc");
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return build_fail(b, "cc");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    build_quote(b);
    return false;
}

static char *with_prefix(arena *a, const char *prefix, const char *s)
{
    size_t n = strlen(prefix), m = strlen(s);
    char *out = arena_alloc(a, n + m + 1);
    memcpy(out, prefix, n);
    memcpy(out + n, s, m + 1);
    return out;
}

static void *build_compile(build *b, arena *a, const external_source *s)
{
    char path[2 * PATH_BYTES];
    int n = 0;
    char **args = arena_alloc_array(a, (size_t)(s->n_folders + s->n_files) + 20, sizeof *args);
    static const char *const first[] = {"cc", "-shared", "-fPIC", "-O2", "-w", "-o"};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        args[n++] = with_prefix(a, "", first[k]);
    args[n++] = with_prefix(a, "", build_file(b, "code.so", path));
    args[n++] = with_prefix(a, "-I", b->folder);
    for (int k = 0; k < s->n_folders; k++) args[n++] = with_prefix(a, "-I", s->folders[k]);
    args[n++] = with_prefix(a, "", build_file(b, "code.c", path));
    args[n++] = with_prefix(a, "", build_file(b, "host.c", path));
    for (int k = 0; k < s->n_files; k++)
        if (strchr(s->files[k], '/')) args[n++] = with_prefix(a, "", s->files[k]);
    args[n++] = with_prefix(a, "", "-lm");
    args[n] = NULL;
    char *code = with_prefix(a, "#include <stddef.h>\n#line 1 \"Include\"\n", s->text);
    if (!build_write(b, "code.c", code) || !build_write(b, "host.c", host_code) ||
        !build_write(b, "ModelicaUtilities.h", host_header) || !build_run(b, args))
        return NULL;
    void *library = dlopen(build_file(b, "code.so", path), RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(b->why, EXTERNAL_WHY, "%.300s", dlerror());
    return library;
}

void *external_build(arena *a, const external_source *s, char *why)
{
    build b = {.folder = "/tmp/vincolo-XXXXXX", .why = why};
    why[0] = 0;
    if (!mkdtemp(b.folder)) {
        build_fail(&b, b.folder);
        return NULL;
    }
    void *library = build_compile(&b, a, s);
    build_clean(&b);
    return library;
}
