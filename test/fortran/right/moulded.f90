! Arrays that ALLOCATE takes the shape of from another one.
program moulded
  implicit none
  integer, parameter :: n = 12
  real, allocatable :: a(:), b(:), c(:, :)
  real :: total
  integer :: i
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ ALIGN c(i, *) WITH a(i)
  allocate (a(n))
  allocate (b, mold=a)
  a = 3
  allocate (c(size(a), int(1)), mold=reshape([1.0], [1, 1]))
!DVM$ PARALLEL (i) ON b(i)
  do i = 1, n
    b(i) = a(i) * i
    c(i, 1) = 1
  end do
  total = 0
!DVM$ PARALLEL (i) ON b(i), SHADOW_RENEW(a), REDUCTION(SUM(total))
  do i = 2, n
    total = total + b(i) * c(i, 1) + a(i - 1)
  end do
  print *, total
end program
