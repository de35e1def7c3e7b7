! Iterations that are executed for edges too say nothing.
program edges
  implicit none
  integer, parameter :: n = 9
  real :: a(n), b(n), total
  character(len=20) :: text
  type pair
    real :: x, y
  end type
  type(pair) :: p
  integer :: i
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ SHADOW a(2:2)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ PARALLEL (i) ON a(i), SHADOW_COMPUTE, PRIVATE(text, p)
  do i = 1, n
    write (text, '(i0)') i
    p%x = i
    a(i) = p%x + len_trim(text)
    if (i == 5) print *, 'iteration', i
  end do
!DVM$ PARALLEL (i) ON b(i)
  do i = 3, n - 2
    b(i) = a(i - 2) + a(i + 2)
  end do
  total = 0
!DVM$ PARALLEL (i) ON b(i), REDUCTION(SUM(total))
  do i = 3, n - 2
    total = total + b(i)
  end do
  if (total /= 60) error stop 1
end program
