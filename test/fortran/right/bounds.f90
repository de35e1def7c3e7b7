! Subscripts of directives at the bounds of their dimensions, which begin elsewhere than at 1.
program bounds
  implicit none
  integer, parameter :: n = 8
  real :: a(0:n, -1:n)
  integer :: i, j
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ SHADOW a(1:1, 2:1)
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = -1, n
    do i = 0, n
      a(i, j) = i + j
    end do
  end do
!DVM$ PARALLEL (j, i) ON a(i, j), SHADOW_RENEW(a(1:1, 2:1))
  do j = 1, n
    do i = 0, n
      if (a(i, j) < a(i, j - 2)) print *, i, j
    end do
  end do
end program
