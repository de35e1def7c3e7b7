! Whole arrays, sections, constructors, intrinsics over arrays, masks, FORALL, copies at calls, input and output: accesses of elements.
program arrays
  implicit none
  integer, parameter :: n = 12
  type point
    real :: x, y
  end type
  real :: a(n, n), b(n, n), row(0:n - 1), part(n, n), s, v(3)
  real, allocatable :: list(:), table(:, :)
  real, pointer :: p(:)
  type(point) :: q(4)
  integer :: i, j, k, order(3)
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ SHADOW a(1:1, 1:1)
  a = 1
  b = a * 2 + a
  a(2:5, 3) = b(2:5, 3) + a(2:5, 3)
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) + i + j
    end do
  end do
!DVM$ REMOTE_ACCESS(a(:, 4))
  row = a(:, 4)
  part = 0
  part(1:n:2, :) = 2
  part(:, 3) = row
  row(0:5) = row(6:11) + sum(part(1:3, 1)) + maxval(row) + dot_product(part(:, 1), part(:, 2))
  part = matmul(part, transpose(part)) / 100
  order = [3, 1, 2]
  v = row(order)
  v(order) = [1.0, 2.0, 3.0]
  where (part > 1)
    part = part - 1
  elsewhere (part < 0)
    part = 0
  end where
  forall (i = 1:n, j = 1:n, i /= j) part(i, j) = part(j, i) + row(i - 1)
  forall (i = 1:n) part(i, :) = part(:, i) * 2
  do concurrent (i = 1:n)
    part(i, 1) = row(i - 1)
  end do
  allocate (table(2:4, 0:n))
  table = spread(row(3:5), 2, n + 1)
  list = [(real(k * k), k = 1, 5), row(:2), v]
  list = list(2:)
  q = point(1, 2)
  q(2:3)%x = q(1:2)%y + [0.5, 0.25]
  allocate (p(n))
  p = part(:, 2)
  p(::2) = -p(::2)
  call double(part(2, 1:n:2), n / 2)
  call double(p, n)
  call random_number(s)
  s = 0
!DVM$ PARALLEL (j, i) ON a(i, j), REDUCTION(SUM(s)), PRIVATE(v)
  do j = 1, n
    do i = 1, n
      v = a(i, j) + [1, 2, 3]
      s = s + sum(v)
    end do
  end do
  print *, s, sum(row), row(0:2), (part(i, i), i = 1, n), list, q%x
  write (*, *) a(1, :), p, sum(table), maxloc(list), any(list > 3), count(part > 0), pack(row, row > 2)
contains
  subroutine double(x, m)
    integer, intent(in) :: m
    real, intent(inout) :: x(m)
    real :: y(m)
    y = x
    x = y + x
  end subroutine
end program
