program f08
  use mpi_f08
  implicit none
  integer :: rank, size, values(4)
  type(MPI_Request) :: q(2)
  type(MPI_Status) :: s
  type(MPI_Comm) :: comm
  integer :: out
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  values = rank
  call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Irecv(out, 1, MPI_INTEGER, mod(rank + size - 1, size), 3, comm, q(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, size), 3, comm, q(2))
  call MPI_Wait(q(1), s)
  call MPI_Wait(q(2), MPI_STATUS_IGNORE)
  if (values(1) == size * (size - 1) / 2 .and. out == s%MPI_SOURCE) print '(a,i0,a)', 'rank ', rank, ': right'
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
