/* How fast is this machine? Debian's IDA, dense, at relative and absolute tolerance 1e-6, on the
 * small problems of the test set, with right-hand sides in C; against the times it took where the
 * table of problems.c was made.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "ivp.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

/* f and, where it is easy, its Jacobian by columns: J[i + n*j] = df_i/dy_j. */
typedef struct peer {
    const char *name;
    int n, n_differential;
    double t_end, abs_tol, recorded_us;
    const double *start;
    void (*f)(double t, const double *y, double *f);
    void (*jacobian)(double t, const double *y, double *J);
} peer;

static void f_hires(double t, const double *y, double *f)
{
    (void)t;
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
    f[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = 280 * y[5] * y[7] - 1.81 * y[6];
    f[7] = -f[6];
}

static void j_hires(double t, const double *y, double *J)
{
    (void)t;
    double *c[8];
    for (int j = 0; j < 8; j++) c[j] = J + 8 * j;
    c[0][0] = -1.71, c[1][0] = 0.43, c[2][0] = 8.32;
    c[0][1] = 1.71, c[1][1] = -8.75;
    c[2][2] = -10.03, c[3][2] = 0.43, c[4][2] = 0.035;
    c[1][3] = 8.32, c[2][3] = 1.71, c[3][3] = -1.12;
    c[4][4] = -1.745, c[5][4] = c[6][4] = 0.43;
    c[3][5] = 0.69, c[4][5] = 1.71, c[5][5] = -280 * y[7] - 0.43, c[6][5] = 0.69;
    c[7][5] = -280 * y[5];
    c[5][6] = 280 * y[7], c[6][6] = -1.81, c[7][6] = 280 * y[5];
    c[5][7] = -280 * y[7], c[6][7] = 1.81, c[7][7] = -280 * y[5];
}

static void f_rober(double t, const double *y, double *f)
{
    (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
}

static void j_rober(double t, const double *y, double *J)
{
    (void)t;
    J[0] = -0.04, J[3] = 1e4 * y[2], J[6] = 1e4 * y[1];
    J[5] = 6e7 * y[1];
    J[1] = 0.04, J[4] = -J[3] - J[5], J[7] = -J[6];
}

static void f_orego(double t, const double *y, double *f)
{
    (void)t;
    const double s = 77.27, q = 8.375e-6, w = 0.161;
    f[0] = s * (y[1] + y[0] * (1 - q * y[0] - y[1]));
    f[1] = (y[2] - (1 + y[0]) * y[1]) / s;
    f[2] = w * (y[0] - y[2]);
}

static void j_orego(double t, const double *y, double *J)
{
    (void)t;
    const double s = 77.27, q = 8.375e-6, w = 0.161;
    J[0] = s * (1 - 2 * q * y[0] - y[1]), J[3] = s * (1 - y[0]);
    J[1] = -y[1] / s, J[4] = -(1 + y[0]) / s, J[7] = 1 / s;
    J[2] = w, J[8] = -w;
}

static void f_vdpol(double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
}

static void j_vdpol(double t, const double *y, double *J)
{
    (void)t;
    J[2] = 1;
    J[1] = (-2 * y[0] * y[1] - 1) / 1e-6, J[3] = (1 - y[0] * y[0]) / 1e-6;
}

static void f_vdpolm(double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
}

static void j_vdpolm(double t, const double *y, double *J)
{
    (void)t;
    J[2] = 1;
    J[1] = -2000 * y[0] * y[1] - 1, J[3] = 1000 * (1 - y[0] * y[0]);
}

static void f_e5(double t, const double *y, double *f)
{
    (void)t;
    const double A = 7.89e-10, B = 1.1e7, C = 1.13e3, M = 1e6;
    f[0] = -A * y[0] - B * y[0] * y[2];
    f[1] = A * y[0] - M * C * y[1] * y[2];
    f[3] = B * y[0] * y[2] - C * y[3];
    f[2] = f[1] - f[3];
}

static void j_e5(double t, const double *y, double *J)
{
    (void)t;
    const double A = 7.89e-10, B = 1.1e7, C = 1.13e3, M = 1e6;
    J[0] = -A - B * y[2], J[8] = -B * y[0];
    J[1] = A, J[5] = -M * C * y[2], J[9] = -M * C * y[1];
    J[3] = B * y[2], J[11] = B * y[0], J[15] = -C;
    for (int j = 0; j < 4; j++) J[2 + 4 * j] = J[1 + 4 * j] - J[3 + 4 * j];
}

static void f_chemakzo(double t, const double *y, double *f)
{
    (void)t;
    const double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, klA = 3.3, Ks = 115.83;
    double root = sqrt(fmax(y[1], 0));
    double r1 = k1 * y[0] * y[0] * y[0] * y[0] * root, r2 = k2 * y[2] * y[3];
    double r3 = k2 / K * y[0] * y[4], r4 = k3 * y[0] * y[3] * y[3], r5 = k4 * y[5] * y[5] * root;
    f[0] = -2 * r1 + r2 - r3 - r4;
    f[1] = -0.5 * r1 - r4 - 0.5 * r5 + klA * (0.9 / 737 - y[1]);
    f[2] = r1 - r2 + r3;
    f[3] = -r2 + r3 - 2 * r4;
    f[4] = r2 - r3 + r5;
    f[5] = Ks * y[0] * y[3] - y[5];
}

static const double y_hires[] = {1, 0, 0, 0, 0, 0, 0, 0.0057}, y_rober[] = {1, 0, 0},
                    y_orego[] = {1, 2, 3}, y_vdpol[] = {2, 0}, y_e5[] = {1.76e-3, 0, 0, 0},
                    y_chemakzo[] = {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007};

static const peer peers[] = {
    {"chemakzo", 6, 5, 180, 1e-6, 202, y_chemakzo, f_chemakzo, NULL},
    {"hires", 8, 8, 321.8122, 1e-6, 460, y_hires, f_hires, j_hires},
    {"rober", 3, 3, 1e11, 1e-10, 1040, y_rober, f_rober, j_rober},
    {"orego", 3, 3, 360, 1e-6, 2418, y_orego, f_orego, j_orego},
    {"vdpol", 2, 2, 2, 1e-6, 1574, y_vdpol, f_vdpol, j_vdpol},
    {"vdpolm", 2, 2, 2000, 1e-6, 1092, y_vdpol, f_vdpolm, j_vdpolm},
    {"e5", 4, 4, 1e13, 1.7e-24, 2806, y_e5, f_e5, j_e5},
};

static int residual(realtype t, N_Vector yy, N_Vector yp, N_Vector rr, void *user)
{
    const peer *p = user;
    const double *d = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(rr);
    p->f(t, N_VGetArrayPointer(yy), r);
    for (int i = 0; i < p->n_differential; i++) r[i] = d[i] - r[i];
    return 0;
}

static int jacobian(realtype t, realtype cj, N_Vector yy, N_Vector yp, N_Vector rr, SUNMatrix J,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)yp, (void)rr, (void)a, (void)b, (void)c;
    const peer *p = user;
    double *v = SUNDenseMatrix_Data(J);
    p->jacobian(t, N_VGetArrayPointer(yy), v);
    for (int k = 0; k < p->n * p->n; k++) v[k] = -v[k];
    for (int i = 0; i < p->n; i++) v[i * (p->n + 1)] += cj;
    return 0;
}

static double run(const peer *p)
{
    SUNContext ctx;
    SUNContext_Create(NULL, &ctx);
    N_Vector y = N_VNew_Serial(p->n, ctx), yp = N_VNew_Serial(p->n, ctx);
    double *v = N_VGetArrayPointer(y), *d = N_VGetArrayPointer(yp);
    for (int i = 0; i < p->n; i++) v[i] = p->start[i];
    p->f(0, v, d);
    for (int i = p->n_differential; i < p->n; i++) d[i] = 0;
    void *ida = IDACreate(ctx);
    IDAInit(ida, residual, 0, y, yp);
    IDASStolerances(ida, 1e-6, p->abs_tol);
    IDASetUserData(ida, (void *)p);
    IDASetMaxNumSteps(ida, 1000000);
    SUNMatrix J = SUNDenseMatrix(p->n, p->n, ctx);
    SUNLinearSolver s = SUNLinSol_Dense(y, J, ctx);
    IDASetLinearSolver(ida, s, J);
    if (p->jacobian) IDASetJacFn(ida, jacobian);
    struct timespec begin, end;
    double t = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    int rc = IDASolve(ida, p->t_end, &t, y, yp, IDA_NORMAL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    IDAFree(&ida);
    SUNLinSolFree(s);
    SUNMatDestroy(J);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&ctx);
    double us =
        1e6 * (double)(end.tv_sec - begin.tv_sec) + 1e-3 * (double)(end.tv_nsec - begin.tv_nsec);
    return rc < 0 ? NAN : us;
}

/* In several passes: in the first tenth of a second a processor may be slower than later. */
double ivp_calibrate(bool print)
{
    enum { PASSES = 3, RUNS = 10, PEERS = sizeof peers / sizeof *peers };
    double us[PEERS], sum = 0;
    int n = 0;
    for (int i = 0; i < PEERS; i++) us[i] = INFINITY;
    for (int k = 0; k < PASSES; k++)
        for (int i = 0; i < PEERS; i++)
            for (int j = 0; j < RUNS; j++) us[i] = fmin(us[i], run(&peers[i]));
    if (print) printf("%-12s %10s %10s %6s\n", "IDA on", "us", "recorded", "ratio");
    for (int i = 0; i < PEERS; i++) {
        const peer *p = &peers[i];
        if (!isfinite(us[i])) continue;
        if (print)
            printf("%-12s %10.0f %10.0f %6.2f\n", p->name, us[i], p->recorded_us,
                   us[i] / p->recorded_us);
        sum += log(us[i] / p->recorded_us);
        n++;
    }
    return exp(sum / n);
}
