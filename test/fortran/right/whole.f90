! Whole arrays that become others outside of parallel loops, in rows long enough to be told at once.
program whole
  implicit none
  integer, parameter :: n = 40
  real :: a(n, n), b(n, n), c(n, n)
  real, allocatable :: d(:, :)
  integer :: i, j
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ ALIGN b(i, j) WITH a(i, j)
!DVM$ ALIGN c(i, j) WITH a(i, j)
!DVM$ ALIGN d(i, j) WITH a(i, j)
  allocate (d(n, n))
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = i + j
      if (i == 7) a(i, j) = 0
    end do
  end do
  b = a
  c = b * 2 + a
  d = c
  c(3:n, :) = c(3:n, :) + d(3:n, :)
!DVM$ PARALLEL (j, i) ON a(i, j), SHADOW_RENEW(c)
  do j = 2, n - 1
    do i = 2, n - 1
      a(i, j) = c(i - 1, j) + c(i + 1, j)
    end do
  end do
  c = a
!DVM$ PARALLEL (j, i) ON a(i, j), SHADOW_RENEW(c(1:1,0:0))
  do j = 2, n - 1
    do i = 2, n - 1
      a(i, j) = c(i - 1, j) + c(i + 1, j) + d(i, j)
    end do
  end do
  print '(8f9.0)', a
end program whole
