/* What a browser has not, each with the answer of a system that refuses it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/pages.h"
#include "base/plugin.h"
#include "external/external.h"
#include "external/external_list.h"
#include "la/backends.h"
#include "la/blas_turn.h"
#include "result/large_block.h"
#include "result/overflow.h"
#include "target/exec.h"

#include <errno.h>
#include <lapacke.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- linear solvers: la_choose_general and la_choose_pivoting take others ---------------------- */

const la_backend la_backend_klu = {.name = "klu (not there)"};
const la_backend la_backend_superlu = {.name = "superlu (not there)"};

bool la_blas_begin(void)
{
    return false;
}

void la_blas_end(bool turn)
{
    (void)turn;
}

bool la_blas_ready(void)
{
    return true;
}

/* ---- files: rows that do not fit into memory end the run ---------------------------------------- */

double *overflow_take(overflow **o, mem *m, size_t bytes)
{
    (void)o, (void)m, (void)bytes;
    return NULL;
}

void overflow_free(overflow *o, mem *m)
{
    (void)o, (void)m;
}

void large_block_expect(void *at, size_t bytes)
{
    (void)at, (void)bytes;
}

mem pages_mem(pages *p, mem m)
{
    (void)p;
    return m;
}

void pages_keep(pages *p, bool keeps)
{
    (void)p, (void)keeps;
}

void pages_return_holes(pages *p)
{
    (void)p;
}

void pages_done(pages *p)
{
    (void)p;
}

/* Eigenvalues tell whether a point of rest is stable (api/rest.c): without them that is not known. */
void LAPACK_dgeev(const char *job_left, const char *job_right, const int *n, double *a,
                  const int *lda, double *re, double *im, double *left, const int *ld_left,
                  double *right, const int *ld_right, double *work, const int *size, int *info)
{
    (void)job_left, (void)job_right, (void)n, (void)a, (void)lda, (void)re, (void)im, (void)left;
    (void)ld_left, (void)right, (void)ld_right, (void)work, (void)size;
    *info = 1; // as when they do not converge
}

/* ---- code from outside ------------------------------------------------------------------------- */

const external_function external_lapack[] = {{0}}, external_fmus[] = {{0}};

const external_function *external_load(struct arena *a, const external_wish *w, char *why)
{
    (void)a, (void)w;
    snprintf(why, EXTERNAL_WHY, "a page in a browser loads no libraries: vincolo live does");
    return NULL;
}

void *external_build(struct arena *a, const external_source *s, char *why)
{
    (void)a, (void)s;
    snprintf(why, EXTERNAL_WHY, "a page in a browser compiles no C: vincolo live does");
    return NULL;
}

const void *plugin_open(const plugin_kind *kind, char *why, size_t size)
{
    snprintf(why, size, "a page in a browser has no plug-in for %s", kind->does);
    return NULL;
}

/* Asked for by functions of the compiler's own library, which were built with such checks. */
size_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void)
{
    abort();
}

/* ---- the system -------------------------------------------------------------------------------- */

void *exec_map(const void *code, size_t n)
{
    return (void)code, (void)n, NULL;
}

void exec_unmap(void *code, size_t n)
{
    (void)code, (void)n;
}

int fchmod(int fd, unsigned mode)
{
    (void)fd, (void)mode;
    errno = ENOSYS;
    return -1;
}

int getpid(void)
{
    return 1;
}

char *realpath(const char *path, char *real)
{
    (void)path, (void)real;
    errno = ENOENT;
    return NULL;
}
