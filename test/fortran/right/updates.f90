! Replicated arrays of which each iteration changes its own elements.
program updates
  implicit none
  integer, parameter :: n = 8
  real :: a(n, n), v(n), w(n, 0:n), s
  integer :: i, j
!DVM$ DISTRIBUTE a(*, BLOCK)
!DVM$ CONSISTENT v, w
  v = 1
  w = 2
!DVM$ PARALLEL (j) ON a(*, j), CONSISTENT(v(j), w(:, j))
  do j = 1, n
    do i = 1, n
      a(i, j) = i + j
      v(j) = v(j) + a(i, j)
      w(i, j) = w(i, j) / 2
    end do
  end do
  s = 0
  do j = 1, n
    s = s + v(j) * w(j, j)
  end do
  print *, s
end program
