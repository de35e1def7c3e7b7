! stuck [abort]: each rank waits for the other one, or rank 0 ends the job.
subroutine wait_for(peer)
  use mpi
  implicit none
  integer, intent(in) :: peer
  integer :: value, error, status(MPI_STATUS_SIZE)
  character(len=16) :: word
  call get_command_argument(1, word)
  if (word /= 'abort') call MPI_Recv(value, 1, MPI_INTEGER, peer, 4, MPI_COMM_WORLD, status, error)
  if (peer == 1) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
end subroutine

program stuck
  use mpi
  implicit none
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call wait_for(1 - rank)
  call MPI_Finalize(error)
end program
