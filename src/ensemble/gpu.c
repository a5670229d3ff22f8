/* SPDX-License-Identifier: BSD-3-Clause */
#include "ensemble/gpu.h"

#include "ensemble/cuda.h"
#include "ensemble/ens_ptx.h"

#include <string.h>

enum { GPU_BLOCK = 128 }; // threads; 64, 128 and 256 make no difference on an H200
static const double GPU_MEMORY_SHARE = 0.8; // of what is free
enum { GPU_RUNS_LEAST = 1 << 14 };          // runs at a time below which it is not worth going on

struct ens_gpu {
    mem *m;
    cuda *c;
    cuda_kernel k;
    int n_in, n_out;
    bool refill;
    double kernel_s;
};

int ens_gpu_find(mem *m, text *why)
{
    cuda *c;
    int rc = cuda_open(m, &c, why);
    if (!rc) cuda_close(c);
    return rc;
}

int ens_gpu_new(mem *m, const ens_kernel *k, const ens_gpu_options *options, ens_gpu **out,
                text *why)
{
    ens_gpu *x = mem_try(m, sizeof *x);
    *out = NULL;
    if (!x) return text_add(why, "there is no memory"), -1;
    *x = (ens_gpu){.m = m, .n_in = k->n_in, .n_out = k->n_out};
    x->refill = k->count < 0 && options->refill;
    text ptx;
    text_init(&ptx, m);
    int rc = cuda_open(m, &x->c, why);
    ens_ptx_options how = {
        .contract = options->contract, .refill = x->refill, .registers = options->registers};
    if (!rc && !ens_ptx_print(k, &how, &ptx)) {
        text_add(why,
                 "this build has no elementary functions for GPUs: build Vincolo where clang is "
                 "(Debian package clang)");
        rc = -1;
    }
    if (!rc)
        rc = cuda_compile(x->c, text_str(&ptx), "vinc_ensemble",
                          options->block ? options->block : GPU_BLOCK, &x->k, why);
    text_done(&ptx);
    if (!rc) return *out = x, 0;
    ens_gpu_free(x);
    return -1;
}

void ens_gpu_free(ens_gpu *x)
{
    if (!x) return;
    if (x->c) cuda_unload(x->c, &x->k);
    cuda_close(x->c);
    mem_free(x->m, x, sizeof *x);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Runs first ... first + n - 1 of n_all, with room on the device for `room` of them. */
static int gpu_part(ens_gpu *x, uint64_t at, size_t room, const double *in, double *out,
                    size_t n_all, size_t first, size_t n, text *why)
{
    uint64_t to = at + (uint64_t)x->n_in * room * sizeof(double), count = n;
    int rc = 0;
    for (int k = 0; k < x->n_in && !rc; k++)
        rc = cuda_send(x->c, at + (uint64_t)k * n * sizeof(double), in + (size_t)k * n_all + first,
                       n * sizeof(double), why);
    size_t blocks = (n + (size_t)x->k.block - 1) / (size_t)x->k.block;
    if (x->refill && blocks > (size_t)x->k.blocks_most) blocks = (size_t)x->k.blocks_most;
    void *arguments[] = {&at, &to, &count};
    double seconds = 0;
    if (!rc) rc = cuda_launch(x->c, &x->k, (unsigned)blocks, arguments, &seconds, why);
    x->kernel_s += seconds;
    for (int k = 0; k < x->n_out && !rc; k++)
        rc = cuda_fetch(x->c, out + (size_t)k * n_all + first,
                        to + (uint64_t)k * n * sizeof(double), n * sizeof(double), why);
    return rc;
}

static size_t gpu_run_bytes(const ens_gpu *x)
{
    return (size_t)(x->n_in + x->n_out) * sizeof(double);
}

/* Memory for n runs or fewer, half as many until it is there; 0: for none. */
static size_t gpu_alloc(ens_gpu *x, size_t n, uint64_t *at, text *why)
{
    size_t each = gpu_run_bytes(x), least = n < GPU_RUNS_LEAST ? n : GPU_RUNS_LEAST, room = n;
    size_t available = cuda_memory_free(x->c);
    size_t most = (size_t)(GPU_MEMORY_SHARE * (double)available) / each;
    if (room > most) room = most;
    while (room >= least && cuda_alloc(x->c, room * each, at)) room /= 2;
    if (room >= least) return room;
    text_printf(why, "the GPU has %.4g MB free, and %zu runs of %zu bytes each do not fit in there",
                (double)available / 1e6, least, each);
    return 0;
}

int ens_gpu_room(ens_gpu *x, text *why)
{
    uint64_t at = 0;
    size_t room = cuda_use(x->c, why) ? 0 : gpu_alloc(x, GPU_RUNS_LEAST, &at, why);
    if (room) cuda_free(x->c, at);
    return room ? 0 : -1;
}

int ens_gpu_run(ens_gpu *x, const double *in, double *out, size_t n, text *why)
{
    uint64_t at = 0;
    int rc = 0;
    x->kernel_s = 0;
    if (!n) return 0;
    if (cuda_use(x->c, why)) return -1;
    size_t room = gpu_alloc(x, n, &at, why);
    if (!room) return -1;
    for (size_t first = 0; first < n && !rc; first += room)
        rc = gpu_part(x, at, room, in, out, n, first, n - first < room ? n - first : room, why);
    cuda_free(x->c, at);
    return rc;
}

ens_gpu_told ens_gpu_tell(const ens_gpu *x)
{
    return (ens_gpu_told){.name = cuda_name(x->c),
                          .kernel_s = x->kernel_s,
                          .registers = x->k.registers,
                          .blocks_most = x->k.blocks_most,
                          .block = x->k.block};
}
