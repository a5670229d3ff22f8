/* A driver of a GPU that is none: kernels run on the machine of ptx_machine.c, one thread after the
 * other. FAKE_GPUS says how many GPUs there are (1), FAKE_GPU_BYTES how much memory is free (1 GB), and
 * FAKE_GPU_LAUNCHES after how many launches it breaks down (never).
 *
 * Names, numbers and signatures are those of the driver's documented interface.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/ptx_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    NO_DEVICE = 100,
    BAD_PTX = 218,
    LAUNCH_FAILED = 719
};
enum { JIT_ERROR = 5, JIT_ERROR_BYTES = 6 };
#define VISIBLE __attribute__((visibility("default")))

static size_t taken;
static long launches;

static double setting(const char *name, double otherwise)
{
    const char *words = getenv(name);
    return words ? atof(words) : otherwise;
}

VISIBLE int cuInit(unsigned flags)
{
    (void)flags;
    launches = 0;
    return SUCCESS;
}

VISIBLE int cuDeviceGetCount(int *n)
{
    *n = (int)setting("FAKE_GPUS", 1);
    return SUCCESS;
}

VISIBLE int cuDeviceGet(int *device, int k)
{
    *device = k;
    return SUCCESS;
}

VISIBLE int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "a machine that runs PTX");
    return SUCCESS;
}

VISIBLE int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)attribute, (void)device;
    *value = 2;
    return SUCCESS;
}

VISIBLE int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &taken;
    return SUCCESS;
}

VISIBLE int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return SUCCESS;
}

VISIBLE int cuCtxSetCurrent(void *context)
{
    return context == &taken ? SUCCESS : INVALID;
}

VISIBLE int cuCtxSynchronize(void)
{
    return SUCCESS;
}

VISIBLE int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options,
                               void **values)
{
    char why[200] = "", *log = NULL;
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == JIT_ERROR) log = values[i];
        if (options[i] == JIT_ERROR_BYTES) memcpy(&bytes, &values[i], sizeof bytes);
    }
    *module = ptx_machine_new(image, why);
    if (!*module && log) snprintf(log, bytes, "%s", why);
    return *module ? SUCCESS : BAD_PTX;
}

VISIBLE int cuModuleUnload(void *module)
{
    ptx_machine_free(module);
    return SUCCESS;
}

VISIBLE int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = module;
    return strcmp(name, "vinc_ensemble") ? INVALID : SUCCESS;
}

VISIBLE int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)attribute, (void)function;
    *value = 32;
    return SUCCESS;
}

VISIBLE int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block,
                                                        size_t shared)
{
    (void)function, (void)block, (void)shared;
    *blocks = 1;
    return SUCCESS;
}

/* ---- memory: each piece begins with its size --------------------------------------------------- */

static size_t available(void)
{
    size_t all = (size_t)setting("FAKE_GPU_BYTES", 1e9);
    return all > taken ? all - taken : 0;
}

VISIBLE int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    *left = available();
    *total = *left + taken;
    return SUCCESS;
}

VISIBLE int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    size_t *p = bytes <= available() ? malloc(bytes + 16) : NULL;
    if (!p) return NO_MEMORY;
    *p = bytes;
    taken += bytes;
    *at = (uint64_t)(uintptr_t)p + 16;
    return SUCCESS;
}

VISIBLE int cuMemFree_v2(uint64_t at)
{
    size_t *p = (size_t *)(uintptr_t)(at - 16);
    taken -= *p;
    free(p);
    return SUCCESS;
}

VISIBLE int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return SUCCESS;
}

VISIBLE int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return SUCCESS;
}

/* ---- launches -------------------------------------------------------------------------------- */

VISIBLE int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                           unsigned by, unsigned bz, unsigned shared, void *stream,
                           void **arguments, void **extra)
{
    char why[200] = "";
    uint64_t values[3];
    (void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    if ((double)launches++ >= setting("FAKE_GPU_LAUNCHES", 1e9)) return LAUNCH_FAILED;
    for (int k = 0; k < 3; k++) memcpy(&values[k], arguments[k], sizeof values[k]);
    if (!ptx_machine_launch(function, "vinc_ensemble", gx, bx, values, 3, why)) return SUCCESS;
    fprintf(stderr, "%s\n", why);
    return LAUNCH_FAILED;
}

VISIBLE int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = &launches;
    return SUCCESS;
}

VISIBLE int cuEventDestroy_v2(void *event)
{
    (void)event;
    return SUCCESS;
}

VISIBLE int cuEventRecord(void *event, void *stream)
{
    (void)event, (void)stream;
    return SUCCESS;
}

VISIBLE int cuEventSynchronize(void *event)
{
    (void)event;
    return SUCCESS;
}

VISIBLE int cuEventElapsedTime(float *ms, void *from, void *to)
{
    (void)from, (void)to;
    *ms = 1;
    return SUCCESS;
}

VISIBLE int cuGetErrorName(int error, const char **name)
{
    *name = error == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
    return SUCCESS;
}

VISIBLE int cuGetErrorString(int error, const char **words)
{
    *words = error == NO_DEVICE ? "no device" : error == LAUNCH_FAILED ? "launch failed" : "error";
    return SUCCESS;
}
