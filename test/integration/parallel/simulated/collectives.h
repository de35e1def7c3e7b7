/* SMPI's non-blocking collective operations send a message from each rank to each other: 256 ranks take minutes for what its blocking ones do in
 * milliseconds.  The run-time library is compiled with these instead; ranks that have parted are not found then. */
#include <mpi.h>
#define PMPI_Iallreduce(from, to, n, type, op, comm, r) (*(r) = MPI_REQUEST_NULL, PMPI_Allreduce(from, to, n, type, op, comm))
#define PMPI_Ibcast(p, n, type, root, comm, r) (*(r) = MPI_REQUEST_NULL, PMPI_Bcast(p, n, type, root, comm))
#define PMPI_Ibarrier(comm, r) (*(r) = MPI_REQUEST_NULL, PMPI_Barrier(comm))
#define PMPI_Iallgather(from, n, type, to, m, type2, comm, r) (*(r) = MPI_REQUEST_NULL, PMPI_Allgather(from, n, type, to, m, type2, comm))
