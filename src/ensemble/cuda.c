/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/cuda.h"

#include <dlfcn.h>
#include <string.h>

enum { SUCCESS = 0, ATTRIBUTE_MULTIPROCESSORS = 16, FUNCTION_REGISTERS = 4 };
enum { JIT_INFO = 3, JIT_INFO_BYTES = 4, JIT_ERROR = 5, JIT_ERROR_BYTES = 6 };

typedef int result_of;

/* The functions that are used, by their names in the library. */
#define CUDA_FUNCTIONS(F)                                                                          \
    F(init, "cuInit", (unsigned flags))                                                            \
    F(device_count, "cuDeviceGetCount", (int *n))                                                  \
    F(device_get, "cuDeviceGet", (int *device, int k))                                             \
    F(device_name, "cuDeviceGetName", (char *name, int size, int device))                          \
    F(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))           \
    F(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                    \
    F(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                               \
    F(context_use, "cuCtxSetCurrent", (void *context))                                             \
    F(synchronize, "cuCtxSynchronize", (void))                                                     \
    F(module_load, "cuModuleLoadDataEx",                                                           \
      (void **module, const void *image, unsigned n, int *options, void **values))                 \
    F(module_unload, "cuModuleUnload", (void *module))                                             \
    F(module_function, "cuModuleGetFunction", (void **function, void *module, const char *name))   \
    F(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, void *function))       \
    F(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                    \
      (int *blocks, void *function, int block, size_t shared))                                     \
    F(memory_info, "cuMemGetInfo_v2", (size_t * available, size_t * total))                        \
    F(alloc, "cuMemAlloc_v2", (uint64_t * at, size_t bytes))                                       \
    F(release, "cuMemFree_v2", (uint64_t at))                                                      \
    F(to_device, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                 \
    F(to_host, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                         \
    F(launch, "cuLaunchKernel",                                                                    \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,            \
       unsigned bz, unsigned shared, void *stream, void **arguments, void **extra))                \
    F(event_new, "cuEventCreate", (void **event, unsigned flags))                                  \
    F(event_free, "cuEventDestroy_v2", (void *event))                                              \
    F(event_record, "cuEventRecord", (void *event, void *stream))                                  \
    F(event_wait, "cuEventSynchronize", (void *event))                                             \
    F(event_between, "cuEventElapsedTime", (float *ms, void *from, void *to))                      \
    F(error_name, "cuGetErrorName", (int error, const char **name))                                \
    F(error_text, "cuGetErrorString", (int error, const char **words))

struct cuda {
    mem *m;
    void *library, *context;
    int device, n_multiprocessors;
    char name[128];
#define MEMBER(member, symbol, arguments) result_of(*member) arguments;
    CUDA_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* ---- opening --------------------------------------------------------------------------------- */

static int cuda_fault(const cuda *c, int error, const char *doing, text *why)
{
    const char *name = NULL, *words = NULL;
    c->error_name(error, &name);
    c->error_text(error, &words);
    text_printf(why, "the GPU's driver could not %s: %s (%s, %d)", doing,
                words ? words : "unknown error", name ? name : "?", error);
    return -1;
}

static bool cuda_symbol(void *library, const char *name, void *out, text *why)
{
    void *p = dlsym(library, name);
    memcpy(out, &p, sizeof p);
    if (!p) text_printf(why, "the GPU's driver is too old: it has no %s", name);
    return p != NULL;
}

static int cuda_find(cuda *c, text *why)
{
    c->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->library) {
        text_add(why,
                 "there is no driver of an NVIDIA GPU here (libcuda.so.1; in Debian it comes with "
                 "the package libcuda1)");
        return -1;
    }
#define FIND(member, symbol, arguments)                                                            \
    if (!cuda_symbol(c->library, symbol, &c->member, why)) return -1;
    CUDA_FUNCTIONS(FIND)
#undef FIND
    int n = 0, error = c->init(0);
    if (!error) error = c->device_count(&n);
    if (error) return cuda_fault(c, error, "start", why);
    if (!n) return text_add(why, "there is no NVIDIA GPU here"), -1;
    error = c->device_get(&c->device, 0);
    if (!error) error = c->device_name(c->name, sizeof c->name, c->device);
    if (!error)
        error = c->device_attribute(&c->n_multiprocessors, ATTRIBUTE_MULTIPROCESSORS, c->device);
    if (!error) error = c->context_retain(&c->context, c->device);
    if (!error) error = c->context_use(c->context);
    return error ? cuda_fault(c, error, "open the GPU", why) : 0;
}

int cuda_open(mem *m, cuda **out, text *why)
{
    cuda *c = mem_try(m, sizeof *c);
    *out = NULL;
    if (!c) return text_add(why, "there is no memory"), -1;
    *c = (cuda){.m = m};
    if (!cuda_find(c, why)) return *out = c, 0;
    cuda_close(c);
    return -1;
}

void cuda_close(cuda *c)
{
    if (!c) return;
    if (c->context) c->context_release(c->device);
    if (c->library) dlclose(c->library);
    mem_free(c->m, c, sizeof *c);
}

const char *cuda_name(const cuda *c)
{
    return c->name;
}

int cuda_use(cuda *c, text *why)
{
    int error = c->context_use(c->context);
    return error ? cuda_fault(c, error, "take the GPU", why) : 0;
}

size_t cuda_memory_free(cuda *c)
{
    size_t available = 0, total = 0;
    c->memory_info(&available, &total);
    return available;
}

/* ---- modules --------------------------------------------------------------------------------- */

enum { LOG_BYTES = 8192 };

static void *cuda_number(uintptr_t x) // options are numbers in pointers
{
    void *p;
    memcpy(&p, &x, sizeof p);
    return p;
}

int cuda_compile(cuda *c, const char *ptx, const char *entry, int block, cuda_kernel *k, text *why)
{
    char *log = mem_try(c->m, LOG_BYTES);
    *k = (cuda_kernel){.block = block};
    if (!log) return text_add(why, "there is no memory"), -1;
    memset(log, 0, LOG_BYTES);
    int options[] = {JIT_ERROR, JIT_ERROR_BYTES};
    void *values[] = {log, cuda_number(LOG_BYTES - 1)};
    int error = c->module_load(&k->module, ptx, 2, options, values);
    if (error) {
        cuda_fault(c, error, "compile the kernel", why);
        if (log[0]) text_printf(why, "\n%s", log);
    }
    mem_free(c->m, log, LOG_BYTES);
    if (error) return -1;
    int per_processor = 0;
    error = c->module_function(&k->function, k->module, entry);
    if (!error) error = c->function_attribute(&k->registers, FUNCTION_REGISTERS, k->function);
    if (!error) error = c->occupancy(&per_processor, k->function, block, 0);
    k->blocks_most = per_processor * c->n_multiprocessors;
    if (!error && !k->blocks_most) error = 701; // too many resources requested for launch
    if (!error) return 0;
    cuda_unload(c, k);
    return cuda_fault(c, error, "prepare the kernel", why);
}

void cuda_unload(cuda *c, cuda_kernel *k)
{
    if (k->module) c->module_unload(k->module);
    k->module = NULL;
}

/* ---- memory and launches --------------------------------------------------------------------- */

int cuda_alloc(cuda *c, size_t bytes, uint64_t *at)
{
    return c->alloc(at, bytes) == SUCCESS ? 0 : -1;
}

void cuda_free(cuda *c, uint64_t at)
{
    if (at) c->release(at);
}

int cuda_send(cuda *c, uint64_t to, const void *from, size_t bytes, text *why)
{
    int error = bytes ? c->to_device(to, from, bytes) : SUCCESS;
    return error ? cuda_fault(c, error, "copy to the GPU", why) : 0;
}

int cuda_fetch(cuda *c, void *to, uint64_t from, size_t bytes, text *why)
{
    int error = bytes ? c->to_host(to, from, bytes) : SUCCESS;
    return error ? cuda_fault(c, error, "copy from the GPU", why) : 0;
}

int cuda_launch(cuda *c, const cuda_kernel *k, unsigned blocks, void **arguments, double *seconds,
                text *why)
{
    void *from = NULL, *to = NULL;
    float ms = 0;
    int error = c->event_new(&from, 0);
    if (!error) error = c->event_new(&to, 0);
    if (!error) error = c->event_record(from, NULL);
    if (!error)
        error = c->launch(k->function, blocks, 1, 1, (unsigned)k->block, 1, 1, 0, NULL, arguments,
                          NULL);
    if (!error) error = c->event_record(to, NULL);
    if (!error) error = c->event_wait(to);
    if (!error) error = c->synchronize();
    if (!error) error = c->event_between(&ms, from, to);
    if (from) c->event_free(from);
    if (to) c->event_free(to);
    *seconds = (double)ms / 1e3;
    return error ? cuda_fault(c, error, "run the kernel", why) : 0;
}
