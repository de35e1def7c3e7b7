! Elements, whole arrays and sections as traces name them.
module shared
  real :: g(0:3, 5)
end module
program traces
  use shared
  implicit none
  integer, parameter :: n = 4
  real :: a(-1:n, 3), b(n, n), s
  complex :: z(2)
  real, allocatable :: c(:, :)
  type point
    integer(1) :: tag
    real :: x, y(2)
  end type
  type(point) :: p(2:3)
  integer :: i, j
!DVM$ DISTRIBUTE b(BLOCK, *)
  allocate (c(0:n, 2))
!DVM$ PARALLEL (j, i) ON b(i, j)
  do j = 1, n
    do i = 1, n
      b(i, j) = i + 10 * j
    end do
  end do
  a = 0
  a(0:2, 2) = b(1:3, 1)
  a(4:-1:-5, 3) = [7, 8]
  z = (1.0, 2.0)
  c(0, 2) = 3
  c(:, 1) = 2
  read (*, *) g(0:1, 5)
  p(3)%y(2) = 4
  p%x = 6
  where (a > 5)
    a = 9
  end where
  s = sum(a)
  call sub(b, a)
contains
  subroutine sub(x, y)
    real :: x(:, 0:), y(n + 2, *)
    x(2, 3) = 5
    y(1, 2) = 6
  end subroutine
end program
