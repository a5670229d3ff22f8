/* The processes of mpirun: a transport for sweeps.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE // RTLD_NOLOAD
#include "sweep/transport.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>

static int mpi_open(int *rank, int *size)
{
    int level, begun = 0;
    // The components that MPI loads look for its symbols among all that are there.
    static const char library[] = "libmpi.so.40"; // as it was linked
    dlopen(library, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    if (MPI_Initialized(&begun)) return 1;
    if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) return 1;
    if (MPI_Comm_rank(MPI_COMM_WORLD, rank) || MPI_Comm_size(MPI_COMM_WORLD, size)) return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // a process may die
    return 0;
}

static int mpi_send(int to, int tag, const void *bytes, size_t n)
{
    return n > INT_MAX || MPI_Send(bytes, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int mpi_waiting(int *from, int *tag, size_t *n)
{
    int there = 0, count = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS ||
        !there || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS)
        return 0;
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *n = (size_t)count;
    return 1;
}

static int mpi_receive(int from, int tag, void *bytes, size_t n)
{
    return MPI_Recv(bytes, (int)n, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
           MPI_SUCCESS;
}

/* Finalizing waits for all: not where one is dead. */
static void mpi_close(int all)
{
    int ended = 0;
    if (all && !MPI_Finalized(&ended) && !ended) MPI_Finalize();
}

__attribute__((visibility("default"))) const sweep_transport vincolo_plugin = {
    .version = SWEEP_TRANSPORT_VERSION,
    .open = mpi_open,
    .send = mpi_send,
    .waiting = mpi_waiting,
    .receive = mpi_receive,
    .close = mpi_close,
};
