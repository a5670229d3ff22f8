/* IDA with KLU, ordered by AMD.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sparse.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

typedef struct system_ {
    const problem *p;
    int N;
} system_;

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    const system_ *s = user;
    double *out = N_VGetArrayPointer(r), *slope = N_VGetArrayPointer(yp);
    s->p->f(s->N, t, N_VGetArrayPointer(y), out);
    int n = s->p->n(s->N);
    for (int i = 0; i < n; i++) out[i] = slope[i] - out[i];
    return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)yp, (void)r, (void)a, (void)b, (void)c;
    const system_ *s = user;
    sunindextype *start = SUNSparseMatrix_IndexPointers(J), *row = SUNSparseMatrix_IndexValues(J);
    double *x = SUNSparseMatrix_Data(J);
    int n = s->p->n(s->N);
    s->p->jacobian(s->N, N_VGetArrayPointer(y), start, row, x);
    for (int j = 0; j < n; j++)
        for (sunindextype k = start[j]; k < start[j + 1]; k++) x[k] = (row[k] == j ? cj : 0) - x[k];
    return 0;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void run_peer(const problem *p, int N, double tol, int order_max, double limit_s, measured *m)
{
    system_ s = {p, N};
    int n = p->n(N);
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VNew_Serial(n, ctx), yp = N_VNew_Serial(n, ctx), then = N_VNew_Serial(n, ctx);
    p->start(N, N_VGetArrayPointer(y));
    p->f(N, 0, N_VGetArrayPointer(y), N_VGetArrayPointer(yp));
    m->before_mb = forget_peak();
    void *ida = IDACreate(ctx);
    IDAInit(ida, residual, 0, y, yp);
    IDASStolerances(ida, tol, tol);
    IDASetUserData(ida, &s);
    if (order_max) IDASetMaxOrd(ida, order_max);
    SUNMatrix J = SUNSparseMatrix(n, n, (sunindextype)p->per_column * n, CSC_MAT, ctx);
    SUNLinearSolver ls = SUNLinSol_KLU(y, J, ctx);
    SUNLinSol_KLUSetOrdering(ls, 0); // AMD
    IDASetLinearSolver(ida, ls, J);
    IDASetJacFn(ida, jacobian);
    IDASetStopTime(ida, p->t_end);
    double t = 0, begin = cpu();
    int rc = 0, done = 0;
    m->status = 0;
    while (rc >= 0 && t < p->t_end && !m->status) {
        rc = IDASolve(ida, p->t_end, &t, y, yp, IDA_ONE_STEP);
        for (; rc >= 0 && done < PROBES && probe_time(p, done) <= t; done++) {
            if (done % PLACES == 0) IDAGetDky(ida, probe_time(p, done), 0, then);
            m->at[done] = N_VGetArrayPointer(then)[probe_place(p, N, done)];
        }
        m->status = limit_s > 0 && cpu() - begin > limit_s;
    }
    m->run_s = cpu() - begin;
    m->memory_mb = peak_mb();
    if (rc < 0) m->status = rc;
    IDAGetNumSteps(ida, &m->steps);
    IDAGetNumErrTestFails(ida, &m->rejected);
    IDAGetNumJacEvals(ida, &m->jacobians);
    IDAGetNumLinSolvSetups(ida, &m->factorizations);
    snprintf(m->method, sizeof m->method, "IDA");
    IDAFree(&ida);
    SUNLinSolFree(ls);
    SUNMatDestroy(J);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(then);
    SUNContext_Free(&ctx);
}
