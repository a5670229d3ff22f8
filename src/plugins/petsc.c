/* The processes of mpirun as a team on one model: MPI for what they tell each other, PETSc for partitions
 * (PT-SCOTCH) and linear systems (MUMPS, hypre, its own preconditioners).
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // RTLD_NOLOAD
#include "base/team.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <petscksp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(PetscInt) == sizeof(int) && sizeof(PetscScalar) == sizeof(double),
               "PETSc of real numbers and 32-bit indices");

static const MPI_Comm *const world = &PETSC_COMM_WORLD;

/* ---- begin and end --------------------------------------------------------------------------- */

static int petsc_open(int *rank, int *size)
{
    // The components that MPI loads look for its symbols among all that are there.
    static const char library[] = "libmpi.so.40"; // as it was linked
    dlopen(library, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    PetscBool begun = PETSC_FALSE;
    if (PetscInitialized(&begun)) return 1;
    if (!begun && PetscOptionsSetValue(NULL, "-no_signal_handler", NULL))
        return 1; // they are the command's
    if (!begun && PetscInitializeNoArguments()) return 1;
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL); // who calls is told
    return MPI_Comm_rank(*world, rank) || MPI_Comm_size(*world, size);
}

static void petsc_close(void)
{
    PetscFinalize();
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The sum is made once and told to all: the standard does not promise that MPI_Allreduce gives all of them
 * the same bits. */
static void petsc_sum(double *x, int n)
{
    int rank;
    MPI_Comm_rank(*world, &rank);
    MPI_Reduce(rank ? x : MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, 0, *world);
    MPI_Bcast(x, n, MPI_DOUBLE, 0, *world);
}

static void petsc_most(double *x, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_MAX, *world);
}

static void petsc_from_first(double *x, int n)
{
    MPI_Bcast(x, n, MPI_DOUBLE, 0, *world);
}

/* MPI counts in int. */
enum { BYTES_AT_ONCE = 1 << 30 };

static void petsc_tell(void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += BYTES_AT_ONCE) {
        size_t part = n - at < BYTES_AT_ONCE ? n - at : BYTES_AT_ONCE;
        MPI_Bcast((char *)bytes + at, (int)part, MPI_BYTE, 0, *world);
    }
}

static void petsc_send(int to, const void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += BYTES_AT_ONCE) {
        size_t part = n - at < BYTES_AT_ONCE ? n - at : BYTES_AT_ONCE;
        MPI_Send((const char *)bytes + at, (int)part, MPI_BYTE, to, 0, *world);
    }
}

static void petsc_receive(void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += BYTES_AT_ONCE) {
        size_t part = n - at < BYTES_AT_ONCE ? n - at : BYTES_AT_ONCE;
        MPI_Recv((char *)bytes + at, (int)part, MPI_BYTE, 0, 0, *world, MPI_STATUS_IGNORE);
    }
}

static void petsc_collect(const double *x, int n, const int *count, const int *place, double *all)
{
    MPI_Gatherv(x, n, MPI_DOUBLE, all, count, place, MPI_DOUBLE, 0, *world);
}

static void petsc_spread(const double *all, const int *count, const int *place, double *x, int n)
{
    MPI_Scatterv(all, count, place, MPI_DOUBLE, x, n, MPI_DOUBLE, 0, *world);
}

static void petsc_exchange(const team_peers *p, const double *send, double *receive)
{
    enum { AT_ONCE = 64 };
    MPI_Request few[2 * AT_ONCE],
        *all = p->n <= AT_ONCE ? few : malloc(2 * (size_t)p->n * sizeof *all);
    if (!all) MPI_Abort(*world, 3);
    for (int k = 0; k < p->n; k++) {
        int in = p->receive_start[k], out = p->send_start[k];
        MPI_Irecv(receive + in, p->receive_start[k + 1] - in, MPI_DOUBLE, p->rank[k], 0, *world,
                  &all[2 * k]);
        MPI_Isend(send + out, p->send_start[k + 1] - out, MPI_DOUBLE, p->rank[k], 0, *world,
                  &all[2 * k + 1]);
    }
    MPI_Waitall(2 * p->n, all, MPI_STATUSES_IGNORE);
    if (all != few) free(all);
}

static void petsc_count_asked(const int *count, int *n_asked)
{
    MPI_Alltoall(count, 1, MPI_INT, n_asked, 1, MPI_INT, *world);
}

static void petsc_asked(const int *ask, const int *count, const int *n_asked, int *list)
{
    int size;
    MPI_Comm_size(*world, &size);
    int *at = calloc(2 * (size_t)size, sizeof *at);
    if (!at) MPI_Abort(*world, 3);
    for (int k = 1; k < size; k++) {
        at[k] = at[k - 1] + count[k - 1];
        at[size + k] = at[size + k - 1] + n_asked[k - 1];
    }
    MPI_Alltoallv(ask, count, at, MPI_INT, list, n_asked, at + size, MPI_INT, *world);
    free(at);
}

/* ---- partition ------------------------------------------------------------------------------- */

typedef struct graph_piece {
    int from, n;          // vertices
    PetscInt *start, *to; // of PETSc
} graph_piece;

static int piece_from(int n, int rank, int size)
{
    return (int)((long)n * rank / size);
}

/* Equal pieces of the vertices, from the first process to all. */
static PetscErrorCode piece_take(graph_piece *g, int n, const int *start, const int *neighbour)
{
    int rank, size;
    MPI_Comm_rank(*world, &rank);
    MPI_Comm_size(*world, &size);
    g->from = piece_from(n, rank, size);
    g->n = piece_from(n, rank + 1, size) - g->from;
    PetscCall(PetscMalloc1(g->n + 1, &g->start));
    for (int q = 1; q < size && !rank; q++) {
        int from = piece_from(n, q, size), to = piece_from(n, q + 1, size);
        petsc_send(q, start + from, (size_t)(to - from + 1) * sizeof *start);
        petsc_send(q, neighbour + start[from], (size_t)(start[to] - start[from]) * sizeof *start);
    }
    size_t bytes = (size_t)(g->n + 1) * sizeof *start;
    if (rank) petsc_receive(g->start, bytes);
    else memcpy(g->start, start, bytes);
    int first = g->start[0], edges = g->start[g->n] - first;
    PetscCall(PetscMalloc1(edges + 1, &g->to));
    if (rank) petsc_receive(g->to, (size_t)edges * sizeof *g->to);
    else memcpy(g->to, neighbour, (size_t)edges * sizeof *g->to);
    for (int k = 0; k <= g->n; k++) g->start[k] -= first;
    return 0;
}

/* Each process gives PT-SCOTCH an equal piece of the vertices. */
static int petsc_cut(int n, const int *start, const int *neighbour, int *part)
{
    int size;
    MPI_Comm_size(*world, &size);
    MPI_Bcast(&n, 1, MPI_INT, 0, *world);
    graph_piece g;
    const PetscInt *local = NULL;
    Mat graph = NULL;
    MatPartitioning cut = NULL;
    IS answer = NULL;
    PetscCall(piece_take(&g, n, start, neighbour));
    PetscCall(MatCreateMPIAdj(*world, g.n, n, g.start, g.to, NULL, &graph)); // owns them
    PetscCall(MatPartitioningCreate(*world, &cut));
    PetscCall(MatPartitioningSetAdjacency(cut, graph));
    PetscCall(MatPartitioningSetType(cut, MATPARTITIONINGPTSCOTCH));
    PetscCall(MatPartitioningSetNParts(cut, size));
    PetscCall(MatPartitioningApply(cut, &answer));
    PetscCall(ISGetIndices(answer, &local));
    int *count = calloc(2 * (size_t)size, sizeof *count);
    if (!count) MPI_Abort(*world, 3);
    for (int k = 0; k < size; k++) {
        count[size + k] = piece_from(n, k, size);
        count[k] = piece_from(n, k + 1, size) - count[size + k];
    }
    MPI_Gatherv(local, g.n, MPI_INT, part, count, count + size, MPI_INT, 0, *world);
    free(count);
    PetscCall(ISRestoreIndices(answer, &local));
    PetscCall(ISDestroy(&answer));
    PetscCall(MatPartitioningDestroy(&cut));
    PetscCall(MatDestroy(&graph));
    return 0;
}

/* The C library keeps what a partition has freed, some hundred bytes for an unknown, for whoever asks next. */
static void heap_shrink(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static int petsc_partition(int n, const int *start, const int *neighbour, int *part)
{
    int rc = petsc_cut(n, start, neighbour, part);
    heap_shrink();
    return rc ? 1 : 0;
}

/* ---- linear systems -------------------------------------------------------------------------- */

struct team_matrix {
    team_rows rows;
    int *i, *j, *place; // by rows, with numbers of columns; where each value of the pattern goes
    double *values;
    Mat a;
    KSP ksp;
    Vec b, x;
    int room; // of MUMPS, in rooms
};

static int number_of(const team_rows *r, int column)
{
    return column < r->n ? r->first + column : r->column[column - r->n];
}

/* From columns to rows; the columns of a row ascend in their numbers. */
static int matrix_by_rows(team_matrix *t)
{
    const team_rows *r = &t->rows;
    int nnz = r->start[r->n_cols];
    t->i = calloc((size_t)r->n + 2, sizeof *t->i);
    t->j = malloc(((size_t)nnz + 1) * sizeof *t->j);
    t->place = malloc(((size_t)nnz + 1) * sizeof *t->place);
    t->values = calloc((size_t)nnz + 1, sizeof *t->values);
    int *of = malloc(((size_t)nnz + 1) * sizeof *of); // by place in a row: the value
    if (!t->i || !t->j || !t->place || !t->values || !of) return free(of), 1;
    for (int k = 0; k < nnz; k++) t->i[r->row[k] + 2]++;
    for (int k = 0; k < r->n; k++) t->i[k + 2] += t->i[k + 1];
    for (int c = 0; c < r->n_cols; c++)
        for (int k = r->start[c]; k < r->start[c + 1]; k++) {
            int at = t->i[r->row[k] + 1]++;
            t->j[at] = number_of(r, c);
            of[at] = k;
        }
    for (int row = 0; row < r->n; row++)
        for (int k = t->i[row] + 1; k < t->i[row + 1]; k++) {
            int number = t->j[k], value = of[k], at = k;
            for (; at > t->i[row] && t->j[at - 1] > number; at--) {
                t->j[at] = t->j[at - 1];
                of[at] = of[at - 1];
            }
            t->j[at] = number;
            of[at] = value;
        }
    for (int k = 0; k < nnz; k++) t->place[of[k]] = k;
    free(of);
    return 0;
}

/* MUMPS asks for this much more, in percent, than its analysis expects; where pivots move and that is too
 * little, for the next one. The first is its own choice. */
enum { ICNTL_ROOM = 14, ROOMS = 4 };
static const int rooms[ROOMS] = {20, 60, 200, 1000};

/* The matrix is not symmetric, so GMRES; what is left is measured after the preconditioner, as an error. */
static PetscErrorCode solver_choose(team_matrix *t)
{
    const team_rows *r = &t->rows;
    PC pc;
    Mat factors;
    PetscCall(KSPGetPC(t->ksp, &pc));
    if (r->solver == TEAM_MUMPS) {
        PetscCall(KSPSetType(t->ksp, KSPPREONLY));
        PetscCall(PCSetType(pc, PCLU));
        PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
        PetscCall(PCFactorSetUpMatSolverType(pc));
        PetscCall(PCFactorGetMatrix(pc, &factors));
        PetscCall(MatMumpsSetIcntl(factors, ICNTL_ROOM, rooms[t->room]));
        return 0;
    }
    PetscCall(KSPSetType(t->ksp, KSPGMRES));
    PetscCall(KSPGMRESSetRestart(t->ksp, r->restart));
    PetscCall(KSPSetTolerances(t->ksp, r->tol, 0, PETSC_DEFAULT, r->iterations));
    if (r->solver == TEAM_HYPRE) {
        PetscCall(PCSetType(pc, PCHYPRE));
        PetscCall(PCHYPRESetType(pc, "boomeramg"));
    } else {
        PetscCall(PCSetType(pc, r->solver == TEAM_SCHWARZ ? PCASM : PCBJACOBI));
        // A pivot that vanishes costs iterations, nothing else.
        PetscCall(KSPSetOptionsPrefix(t->ksp, "vincolo_"));
        PetscCall(PetscOptionsSetValue(NULL, "-vincolo_sub_pc_factor_shift_type", "nonzero"));
        PetscCall(KSPSetFromOptions(t->ksp));
    }
    return 0;
}

static PetscErrorCode solver_make(team_matrix *t)
{
    PetscCall(KSPCreate(*world, &t->ksp));
    PetscCall(KSPSetOperators(t->ksp, t->a, t->a));
    PetscCall(solver_choose(t));
    return 0;
}

static PetscErrorCode matrix_make(team_matrix *t)
{
    const team_rows *r = &t->rows;
    PetscCall(MatCreateMPIAIJWithArrays(*world, r->n, r->n, r->n_all, r->n_all, t->i, t->j,
                                        t->values, &t->a));
    PetscCall(solver_make(t));
    PetscCall(VecCreateMPIWithArray(*world, 1, r->n, r->n_all, NULL, &t->b));
    PetscCall(VecDuplicate(t->b, &t->x));
    return 0;
}

static void matrix_free(team_matrix *t)
{
    KSPDestroy(&t->ksp);
    MatDestroy(&t->a);
    VecDestroy(&t->b);
    VecDestroy(&t->x);
    free(t->i);
    free(t->j);
    free(t->place);
    free(t->values);
    free(t);
}

static team_matrix *matrix_new(const team_rows *rows)
{
    team_matrix *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->rows = *rows;
    if (!matrix_by_rows(t) && !matrix_make(t)) return t;
    matrix_free(t);
    return NULL;
}

static PetscErrorCode matrix_load(team_matrix *t, const double *values)
{
    for (int k = 0; k < t->rows.start[t->rows.n_cols]; k++) t->values[t->place[k]] = values[k];
    PetscCall(MatUpdateMPIAIJWithArray(t->a, t->values));
    PetscCall(KSPSetOperators(t->ksp, t->a, t->a));
    PetscCall(KSPSetUp(t->ksp));
    PC pc;
    PetscCall(KSPGetPC(t->ksp, &pc));
    PetscCall(PCSetUpOnBlocks(pc));
    return 0;
}

static int matrix_factor(team_matrix *t, const double *values)
{
    PC pc;
    PCFailedReason why = PC_NOERROR;
    for (;;) {
        if (matrix_load(t, values)) return 1;
        if (KSPGetPC(t->ksp, &pc) || PCGetFailedReason(pc, &why)) return -1;
        bool narrow = t->rows.solver == TEAM_MUMPS && why == PC_FACTOR_OUTMEMORY;
        if (!narrow || t->room + 1 >= ROOMS) return why == PC_NOERROR ? 0 : 1;
        t->room++;
        KSPDestroy(&t->ksp); // factors that failed are not made again otherwise
        if (solver_make(t)) return -1;
    }
}

static PetscErrorCode matrix_iterate(team_matrix *t, double *b, KSPConvergedReason *why,
                                     PetscInt *iterations)
{
    double *x;
    PetscCall(VecPlaceArray(t->b, b));
    PetscCall(KSPSolve(t->ksp, t->b, t->x));
    PetscCall(VecResetArray(t->b));
    PetscCall(KSPGetConvergedReason(t->ksp, why));
    PetscCall(KSPGetIterationNumber(t->ksp, iterations));
    PetscCall(VecGetArray(t->x, &x));
    memcpy(b, x, (size_t)t->rows.n * sizeof *b);
    PetscCall(VecRestoreArray(t->x, &x));
    return 0;
}

static int matrix_solve(team_matrix *t, double *b)
{
    KSPConvergedReason why = KSP_CONVERGED_ITERATING;
    PetscInt iterations = 0;
    bool failed = matrix_iterate(t, b, &why, &iterations) != 0 || why < 0;
    if (t->rows.solver == TEAM_MUMPS) iterations = 0;
    return !failed ? iterations : iterations > 0 ? -iterations : -1;
}

__attribute__((visibility("default"))) const team vincolo_plugin = {
    .version = TEAM_VERSION,
    .open = petsc_open,
    .close = petsc_close,
    .sum = petsc_sum,
    .most = petsc_most,
    .from_first = petsc_from_first,
    .tell = petsc_tell,
    .collect = petsc_collect,
    .spread = petsc_spread,
    .send = petsc_send,
    .receive = petsc_receive,
    .exchange = petsc_exchange,
    .count_asked = petsc_count_asked,
    .asked = petsc_asked,
    .partition = petsc_partition,
    .matrix_new = matrix_new,
    .matrix_free = matrix_free,
    .factor = matrix_factor,
    .solve = matrix_solve,
};
