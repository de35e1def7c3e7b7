! Arrays that begin to live with the values of others, or with one value.
program sourced
  implicit none
  integer, parameter :: n = 40
  real, allocatable :: a(:), b(:), c(:)
  real :: x(n), s
  integer :: i
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ ALIGN c(i) WITH a(i)
  x = 2.0
  allocate (a(n), source=1.0)
  allocate (b(n), source=x)
  allocate (c(n))
  s = 0
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    c(i) = a(i) + b(i)
  end do
!DVM$ PARALLEL (i) ON c(i), REDUCTION(SUM(s))
  do i = 1, n
    s = s + c(i)
  end do
  print *, s
end program
