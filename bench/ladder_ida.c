/* The resistor-capacitor ladder of ladder.mo in SUNDIALS IDA with KLU, as a C user would write it
 * by hand: reduced to the n capacitor voltages, exact tridiagonal Jacobian.
 *
 *     ladder_ida N RTOL ATOL  ->  n seconds steps v[1] v[10] v[100] at t = 10
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

static const double R = 1, C = 1e-3;

typedef struct ladder {
    sunindextype n;
} ladder;

static int residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *user)
{
    const ladder *l = user;
    const double *v = N_VGetArrayPointer(yy), *vp = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(rr);
    double left = (sin(t) - v[0]) / R;
    for (sunindextype i = 0; i < l->n; i++) {
        double right = i + 1 < l->n ? (v[i] - v[i + 1]) / R : 0;
        r[i] = C * vp[i] - (left - right);
        left = right;
    }
    return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix J,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)yy, (void)yp, (void)rr, (void)a, (void)b, (void)c;
    const ladder *l = user;
    sunindextype *start = SUNSparseMatrix_IndexPointers(J), *row = SUNSparseMatrix_IndexValues(J),
                 k = 0;
    double *x = SUNSparseMatrix_Data(J);
    for (sunindextype j = 0; j < l->n; j++) {
        start[j] = k;
        if (j > 0) row[k] = j - 1, x[k++] = -1 / R;
        row[k] = j, x[k++] = cj * C + (j + 1 < l->n ? 2 : 1) / R;
        if (j + 1 < l->n) row[k] = j + 1, x[k++] = -1 / R;
    }
    start[l->n] = k;
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    ladder l = {argc > 1 ? atol(argv[1]) : 1000};
    double rtol = argc > 2 ? atof(argv[2]) : 1e-6, atol_ = argc > 3 ? atof(argv[3]) : 1e-6;
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VNew_Serial(l.n, ctx), yp = N_VNew_Serial(l.n, ctx);
    N_VConst(0, y);
    N_VConst(0, yp);
    void *ida = IDACreate(ctx);
    IDAInit(ida, residual, 0, y, yp);
    IDASStolerances(ida, rtol, atol_);
    IDASetUserData(ida, &l);
    IDASetMaxNumSteps(ida, 1000000);
    SUNMatrix J = SUNSparseMatrix(l.n, l.n, 3 * l.n, CSC_MAT, ctx);
    SUNLinearSolver s = SUNLinSol_KLU(y, J, ctx);
    IDASetLinearSolver(ida, s, J);
    IDASetJacFn(ida, jacobian);
    double t = 0, begin = now();
    int rc = IDASolve(ida, 10, &t, y, yp, IDA_NORMAL);
    double seconds = now() - begin;
    long steps = 0;
    IDAGetNumSteps(ida, &steps);
    const double *v = N_VGetArrayPointer(y);
    printf("%ld %.6f %ld %.15g %.15g %.15g\n", (long)l.n, seconds, steps, v[0], v[l.n > 9 ? 9 : 0],
           v[l.n > 99 ? 99 : 0]);
    IDAFree(&ida);
    SUNLinSolFree(s);
    SUNMatDestroy(J);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&ctx);
    return rc < 0;
}
