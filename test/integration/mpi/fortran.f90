! fortran: what a program of mpif90 asks of the layer: constants that are addresses, handles, strings, types, operations and callbacks in Fortran.
program fortran
  use mpi
  implicit none
  integer, parameter :: n = 10
  integer :: rank, size, error, i, right, left, status(MPI_STATUS_SIZE), requests(2), statuses(MPI_STATUS_SIZE, 2), row, op, key, class, length, count
  integer :: values(n), sums(n), table(n, n), comm, cart, group, wrong, handler
  integer(kind=MPI_ADDRESS_KIND) :: where, extent, attribute, state
  double precision :: x(3), y(3), began
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  logical :: flag, periods(1)
  external :: twice_the_sum, copy_attribute, delete_attribute, on_error
  integer :: calls
  common /counted/ calls

  wrong = 0
  calls = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  right = mod(rank + 1, size)
  left = mod(rank + size - 1, size)
  began = MPI_Wtime()

  ! reductions, in place and not
  values = [(i * (rank + 1), i = 1, n)]
  call MPI_Allreduce(values, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(values == sums) .and. sums(1) == size * (size + 1) / 2, 'reductions')
  x = [1d0, 2d0, 3d0] * rank
  call MPI_Reduce(x, y, 3, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
  call check(rank /= 0 .or. y(3) == 3d0 * (size - 1), 'a maximum')
  call MPI_Op_create(twice_the_sum, .true., op, error)
  values = rank
  call MPI_Allreduce(values, sums, n, MPI_INTEGER, op, MPI_COMM_WORLD, error)
  call check(size /= 2 .or. all(sums == 2), 'an operation of the program')
  call MPI_Op_free(op, error)

  ! a row of a table, that is strided in memory; status left out
  call MPI_Type_vector(n, 1, n, MPI_INTEGER, row, error)
  call MPI_Type_commit(row, error)
  table = rank
  if (size > 1) then
    call MPI_Irecv(table(2, 1), 1, row, left, 5, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(table(1, 1), 1, row, right, 5, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call check(all(table(2, :) == left) .and. all(table(3, :) == rank), 'a row')
    call check(all(requests == MPI_REQUEST_NULL), 'requests that are done')
    call MPI_Sendrecv(values, n, MPI_INTEGER, right, 6, sums, n, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
    call MPI_Get_count(status, MPI_INTEGER, count, error)
    call check(status(MPI_SOURCE) == left .and. status(MPI_TAG) == 6 .and. count == n, 'a status')
    call MPI_Isend(values, n, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(1), error)
    call MPI_Recv(sums, n, MPI_INTEGER, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Waitall(1, requests, statuses, error)
  end if
  call MPI_Type_get_extent(row, where, extent, error)
  call check(extent == 4 * (n * (n - 1) + 1), 'the extent of a row')
  call MPI_Type_free(row, error)
  call check(row == MPI_DATATYPE_NULL, 'a type that is free')

  ! absolute addresses
  call MPI_Get_address(values, where, error)
  call MPI_Type_create_hindexed(1, [n], [where], MPI_INTEGER, row, error)
  call MPI_Type_commit(row, error)
  values = 0
  if (rank == 0) values = 42
  call MPI_Bcast(MPI_BOTTOM, 1, row, 0, MPI_COMM_WORLD, error)
  call check(all(values == 42), 'MPI_BOTTOM')
  call MPI_Type_free(row, error)

  ! names, communicators, groups, topologies
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, error)
  call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'a name')
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, comm, error)
  call MPI_Comm_set_name(comm, ' half  ', error)
  call MPI_Comm_get_name(comm, name, length, error)
  call check(name == 'half', 'a name that was given')
  call MPI_Comm_group(comm, group, error)
  call MPI_Group_size(group, count, error)
  call check(count == (size + 1 - mod(rank, 2)) / 2, 'a group')
  call MPI_Group_free(group, error)
  periods = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], periods, .false., cart, error)
  call MPI_Cart_shift(cart, 0, 1, i, count, error)
  call check(i == left .and. count == right, 'a ring')
  call MPI_Get_processor_name(host, length, error)
  call check(length > 0 .and. host(length + 1:length + 1) == ' ', 'the name of the processor')

  ! attributes
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, flag, error)
  call check(flag .and. attribute >= 32767, 'the largest tag')
  state = 5000000000_MPI_ADDRESS_KIND
  call MPI_Comm_create_keyval(copy_attribute, delete_attribute, key, state, error)
  call MPI_Comm_get_attr(comm, key, attribute, flag, error)
  call check(.not. flag, 'an attribute that is not there')
  attribute = 7000000000_MPI_ADDRESS_KIND
  call MPI_Comm_set_attr(comm, key, attribute, error)
  call MPI_Comm_dup(comm, group, error)
  call MPI_Comm_get_attr(group, key, attribute, flag, error)
  call check(flag .and. attribute == 7000000001_MPI_ADDRESS_KIND, 'an attribute that was copied')
  call MPI_Comm_free(group, error)
  call MPI_Comm_free(comm, error)
  call check(calls == 3, 'functions of attributes')
  call MPI_Comm_dup_fn_test()

  ! errors
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
  call MPI_Send(values, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, error)
  call MPI_Error_class(error, class, i)
  call check(class == MPI_ERR_RANK, 'a class of errors')
  call MPI_Comm_create_errhandler(on_error, handler, error)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, error)
  call MPI_Send(values, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, error)
  call check(calls == 103, 'a handler of errors')
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, i, error)
  call check(i == MPI_REAL8, 'a type by its size')
  call MPI_Type_create_f90_real(12, 100, i, error)
  call MPI_Type_size(i, count, error)
  call check(count == 8, 'a type by its digits')
  call check(MPI_Wtime() >= began, 'the time')
  if (wrong == 0) print '(a, i0, a, i0, a)', 'rank ', rank, ' of ', size, ': right'
  call MPI_Finalize(error)
  if (wrong /= 0) stop 1
contains
  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
    wrong = wrong + 1
  end subroutine
  subroutine MPI_Comm_dup_fn_test()
    integer :: old, value
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, old, 0, error)
    call MPI_Attr_put(MPI_COMM_SELF, old, -5, error)
    call MPI_Attr_get(MPI_COMM_SELF, old, value, flag, error)
    call check(flag .and. value == -5, 'an attribute of the old kind')
    call MPI_Comm_dup(MPI_COMM_SELF, comm, error)
    call MPI_Attr_get(comm, old, value, flag, error)
    call check(flag .and. value == -5, 'a copied one of the old kind')
    call MPI_Comm_free(comm, error)
  end subroutine
end program

subroutine twice_the_sum(in, inout, length, type)
  use mpi
  implicit none
  integer :: length, type, in(length), inout(length)
  if (type == MPI_INTEGER) inout = 2 * (in + inout)
end subroutine

subroutine copy_attribute(comm, key, state, from, to, flag, error)
  use mpi
  implicit none
  integer :: comm, key, error, calls
  integer(kind=MPI_ADDRESS_KIND) :: state, from, to
  logical :: flag
  common /counted/ calls
  calls = calls + 1
  to = from + state - 4999999999_MPI_ADDRESS_KIND
  flag = .true.
  error = MPI_SUCCESS
end subroutine

subroutine delete_attribute(comm, key, value, state, error)
  use mpi
  implicit none
  integer :: comm, key, error, calls
  integer(kind=MPI_ADDRESS_KIND) :: value, state
  common /counted/ calls
  if (value >= 7000000000_MPI_ADDRESS_KIND .and. state == 5000000000_MPI_ADDRESS_KIND) calls = calls + 1
  error = MPI_SUCCESS
end subroutine

subroutine on_error(comm, code)
  use mpi
  implicit none
  integer :: comm, code, calls
  common /counted/ calls
  if (comm == MPI_COMM_WORLD) calls = calls + 100
end subroutine
