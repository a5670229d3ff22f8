/* A master for FMUs of ours: the library that goes into them is loaded, models are exported, unpacked
 * and run by the functions of FMI 2 and 3.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FMU_MASTER_H
#define FMU_MASTER_H

#include "cmocka_all.h"

#include "vincolo.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef void *instance;
typedef uint32_t reference;

/* ---- functions of the standard --------------------------------------------------------------- */

typedef void (*log3)(void *, int, const char *, const char *);
typedef void (*update3)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef struct callbacks2 {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks2;
typedef struct event2 {
    int again, terminate, nominals, values, has_next;
    double next;
} event2;

#define FUNCTIONS(F)                                                                               \
    F(instance, fmi3InstantiateModelExchange,                                                      \
      (const char *, const char *, const char *, bool, bool, void *, log3))                        \
    F(instance, fmi3InstantiateCoSimulation,                                                       \
      (const char *, const char *, const char *, bool, bool, bool, bool, const reference *,        \
       size_t, void *, log3, update3))                                                             \
    F(void, fmi3FreeInstance, (instance))                                                          \
    F(const char *, fmi3GetVersion, (void))                                                        \
    F(int, fmi3EnterInitializationMode, (instance, bool, double, double, bool, double))            \
    F(int, fmi3ExitInitializationMode, (instance))                                                 \
    F(int, fmi3EnterEventMode, (instance))                                                         \
    F(int, fmi3UpdateDiscreteStates, (instance, bool *, bool *, bool *, bool *, bool *, double *)) \
    F(int, fmi3EnterContinuousTimeMode, (instance))                                                \
    F(int, fmi3EnterStepMode, (instance))                                                          \
    F(int, fmi3Terminate, (instance))                                                              \
    F(int, fmi3Reset, (instance))                                                                  \
    F(int, fmi3GetFloat64, (instance, const reference *, size_t, double *, size_t))                \
    F(int, fmi3SetFloat64, (instance, const reference *, size_t, const double *, size_t))          \
    F(int, fmi3GetInt32, (instance, const reference *, size_t, int32_t *, size_t))                 \
    F(int, fmi3GetInt64, (instance, const reference *, size_t, int64_t *, size_t))                 \
    F(int, fmi3GetBoolean, (instance, const reference *, size_t, bool *, size_t))                  \
    F(int, fmi3SetBoolean, (instance, const reference *, size_t, const bool *, size_t))            \
    F(int, fmi3GetString, (instance, const reference *, size_t, const char **, size_t))            \
    F(int, fmi3SetString, (instance, const reference *, size_t, const char *const *, size_t))      \
    F(int, fmi2GetString, (instance, const reference *, size_t, const char **))                    \
    F(int, fmi2SetString, (instance, const reference *, size_t, const char *const *))              \
    F(int, fmi3GetClock, (instance, const reference *, size_t, bool *))                            \
    F(int, fmi3SetClock, (instance, const reference *, size_t, const bool *))                      \
    F(int, fmi3GetIntervalDecimal, (instance, const reference *, size_t, double *, int *))         \
    F(int, fmi3GetIntervalFraction,                                                                \
      (instance, const reference *, size_t, uint64_t *, uint64_t *, int *))                        \
    F(int, fmi3GetShiftDecimal, (instance, const reference *, size_t, double *))                   \
    F(int, fmi3GetShiftFraction, (instance, const reference *, size_t, uint64_t *, uint64_t *))    \
    F(int, fmi3SetTime, (instance, double))                                                        \
    F(int, fmi3SetContinuousStates, (instance, const double *, size_t))                            \
    F(int, fmi3GetContinuousStates, (instance, double *, size_t))                                  \
    F(int, fmi3GetContinuousStateDerivatives, (instance, double *, size_t))                        \
    F(int, fmi3GetNominalsOfContinuousStates, (instance, double *, size_t))                        \
    F(int, fmi3GetNumberOfContinuousStates, (instance, size_t *))                                  \
    F(int, fmi3GetNumberOfEventIndicators, (instance, size_t *))                                   \
    F(int, fmi3GetEventIndicators, (instance, double *, size_t))                                   \
    F(int, fmi3CompletedIntegratorStep, (instance, bool, bool *, bool *))                          \
    F(int, fmi3DoStep, (instance, double, double, bool, bool *, bool *, bool *, double *))         \
    F(int, fmi3GetFMUState, (instance, void **))                                                   \
    F(int, fmi3SetFMUState, (instance, void *))                                                    \
    F(int, fmi3FreeFMUState, (instance, void **))                                                  \
    F(int, fmi3SerializedFMUStateSize, (instance, void *, size_t *))                               \
    F(int, fmi3SerializeFMUState, (instance, void *, uint8_t *, size_t))                           \
    F(int, fmi3DeserializeFMUState, (instance, const uint8_t *, size_t, void **))                  \
    F(int, fmi3GetDirectionalDerivative,                                                           \
      (instance, const reference *, size_t, const reference *, size_t, const double *, size_t,     \
       double *, size_t))                                                                          \
    F(int, fmi3GetAdjointDerivative,                                                               \
      (instance, const reference *, size_t, const reference *, size_t, const double *, size_t,     \
       double *, size_t))                                                                          \
    F(instance, fmi2Instantiate,                                                                   \
      (const char *, int, const char *, const char *, const callbacks2 *, int, int))               \
    F(void, fmi2FreeInstance, (instance))                                                          \
    F(int, fmi2SetupExperiment, (instance, int, double, double, int, double))                      \
    F(int, fmi2EnterInitializationMode, (instance))                                                \
    F(int, fmi2ExitInitializationMode, (instance))                                                 \
    F(int, fmi2NewDiscreteStates, (instance, event2 *))                                            \
    F(int, fmi2EnterEventMode, (instance))                                                         \
    F(int, fmi2EnterContinuousTimeMode, (instance))                                                \
    F(int, fmi2SetTime, (instance, double))                                                        \
    F(int, fmi2SetContinuousStates, (instance, const double *, size_t))                            \
    F(int, fmi2GetContinuousStates, (instance, double *, size_t))                                  \
    F(int, fmi2GetDerivatives, (instance, double *, size_t))                                       \
    F(int, fmi2GetEventIndicators, (instance, double *, size_t))                                   \
    F(int, fmi2CompletedIntegratorStep, (instance, int, int *, int *))                             \
    F(int, fmi2GetReal, (instance, const reference *, size_t, double *))                           \
    F(int, fmi2SetReal, (instance, const reference *, size_t, const double *))                     \
    F(int, fmi2GetInteger, (instance, const reference *, size_t, int *))                           \
    F(int, fmi2GetBoolean, (instance, const reference *, size_t, int *))                           \
    F(int, fmi2DoStep, (instance, double, double, int))                                            \
    F(int, fmi2GetBooleanStatus, (instance, int, int *))                                           \
    F(int, fmi2Terminate, (instance))

#define DECLARE(type, name, arguments) static type(*name) arguments;
FUNCTIONS(DECLARE)

static inline int open_library(void **state)
{
    (void)state;
    void *library = dlopen(VINCOLO_FMU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), -1;
#define LOAD(type, name, arguments)                                                                \
    *(void **)&name = dlsym(library, #name);                                                       \
    if (!name) return fprintf(stderr, "no %s\n", #name), -1;
    FUNCTIONS(LOAD)
    return 0;
}

/* ---- an unpacked FMU ------------------------------------------------------------------------- */

typedef struct fmu {
    char folder[60], resources[90], path[90];
    char *description;
    char token[60];
} fmu;

static inline char *contents(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *bytes = calloc(*n + 1, 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static inline uint32_t number(const char *p, int bytes)
{
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint32_t)(unsigned char)p[i] << 8 * i;
    return x;
}

/* An entry that is stored, found by the list at the end as a reader does. */
static inline char *entry_if_any(const char *zip, size_t n, const char *name, size_t *size)
{
    const char *end = zip + n - 22;
    assert_int_equal(number(end, 4), 0x06054b50);
    const char *p = zip + number(end + 16, 4);
    for (uint32_t i = 0; i < number(end + 10, 2); i++) {
        assert_int_equal(number(p, 4), 0x02014b50);
        uint32_t n_name = number(p + 28, 2);
        if (n_name == strlen(name) && !memcmp(p + 46, name, n_name)) {
            const char *local = zip + number(p + 42, 4);
            assert_int_equal(number(local, 4), 0x04034b50);
            assert_int_equal(number(p + 10, 2), 0);
            *size = number(p + 24, 4);
            char *copy = calloc(*size + 1, 1);
            memcpy(copy, local + 30 + number(local + 26, 2) + number(local + 28, 2), *size);
            return copy;
        }
        p += 46 + n_name;
    }
    return NULL;
}

static inline char *entry(const char *zip, size_t n, const char *name, size_t *size)
{
    char *bytes = entry_if_any(zip, n, name, size);
    if (!bytes) fail_msg("no entry %s", name);
    return bytes;
}

static inline void put_resource(const char *folder, const char *name, const char *bytes, size_t n)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite(bytes, 1, n, f);
    fclose(f);
}

static inline fmu export_with(const char *words, vinc_export_options o)
{
    fmu u = {.folder = "/tmp/fmu-test-XXXXXX"};
    vinc_ctx *ctx = vinc_ctx_new(NULL);
    vinc_model *model;
    size_t n, size;
    assert_non_null(mkdtemp(u.folder));
    snprintf(u.path, sizeof u.path, "%s/m.fmu", u.folder);
    snprintf(u.resources, sizeof u.resources, "%s/resources", u.folder);
    int rc = vinc_model_load_text(ctx, "m.mo", words, strlen(words), NULL, &model);
    o.libraries = VINCOLO_FMU_FOLDER;
    if (!rc) rc = vinc_model_export(model, u.path, &o);
    if (rc) fail_msg("%s", vinc_ctx_messages(ctx));
    vinc_model_free(model);
    vinc_ctx_free(ctx);
    char *zip = contents(u.path, &n), *text = entry(zip, n, "resources/model.mo", &size);
    mkdir(u.resources, 0700);
    put_resource(u.resources, "model.mo", text, size);
    char *lines = entry_if_any(zip, n, "resources/arrays.txt", &size);
    if (lines) put_resource(u.resources, "arrays.txt", lines, size);
    free(lines);
    u.description = entry(zip, n, "modelDescription.xml", &n);
    const char *token = strstr(u.description, o.fmi == 2 ? " guid=\"" : "Token=\"");
    assert_non_null(token);
    sscanf(token + 7, "%50[^\"]", u.token);
    free(text);
    free(zip);
    return u;
}

static inline fmu export(const char *words)
{
    return export_with(words, (vinc_export_options){0});
}

static inline void remove_fmu(fmu *u)
{
    char path[130];
    snprintf(path, sizeof path, "%s/model.mo", u->resources);
    unlink(path);
    snprintf(path, sizeof path, "%s/arrays.txt", u->resources);
    unlink(path);
    unlink(u->path);
    rmdir(u->resources);
    assert_int_equal(rmdir(u->folder), 0);
    free(u->description);
}

static inline reference variable(const fmu *u, const char *name)
{
    char key[100];
    snprintf(key, sizeof key, " name=\"%s\" valueReference=\"", name);
    const char *p = strstr(u->description, key);
    if (!p) fail_msg("no variable %s in %s", name, u->description);
    return (reference)atoi(p + strlen(key));
}

/* ---- logging --------------------------------------------------------------------------------- */

static char said[4000];

static inline void listen3(void *environment, int status, const char *category, const char *text)
{
    (void)environment, (void)category;
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%d %s\n", status, text);
}

static inline void listen2(void *environment, const char *name, int status, const char *category,
                           const char *format, ...)
{
    char line[1000];
    va_list list;
    (void)environment, (void)name;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    listen3(NULL, status, category, line);
}

static inline instance steps3(const fmu *u, bool events, bool early, update3 update)
{
    said[0] = 0;
    instance x = fmi3InstantiateCoSimulation("one", u->token, u->resources, false, false, events,
                                             early, NULL, 0, NULL, listen3, update);
    if (!x) fail_msg("%s", said);
    return x;
}

static inline instance exchange3(const fmu *u)
{
    said[0] = 0;
    instance x =
        fmi3InstantiateModelExchange("one", u->token, u->resources, false, false, NULL, listen3);
    if (!x) fail_msg("%s", said);
    return x;
}

static inline void begin3(instance x, double tolerance)
{
    assert_int_equal(fmi3EnterInitializationMode(x, true, tolerance, 0, false, 0), 0);
    if (fmi3ExitInitializationMode(x)) fail_msg("%s", said);
}

static inline double get3(instance x, reference r)
{
    double value = NAN;
    if (fmi3GetFloat64(x, &r, 1, &value, 1)) fail_msg("%s", said);
    return value;
}

static inline void set3(instance x, reference r, double value)
{
    if (fmi3SetFloat64(x, &r, 1, &value, 1)) fail_msg("%s", said);
}

static inline double step3(instance x, double t, double h)
{
    bool event, terminate, early;
    double last;
    if (fmi3DoStep(x, t, h, true, &event, &terminate, &early, &last)) fail_msg("%s", said);
    return last;
}

#endif
