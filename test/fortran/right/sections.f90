! Sections of distributed arrays that are assigned to others outside of loops: copies, wherever their elements lie.
program sections
  implicit none
  integer, parameter :: n = 12
  real :: a(n, n), b(0:n + 1, n), c(n, n, 2)
  real, allocatable :: d(:, :), e(:)
  integer :: line(2) = [3, 9], i, j, k, low, high
!DVM$ DISTRIBUTE a(BLOCK, BLOCK)
!DVM$ DISTRIBUTE b(*, BLOCK)
!DVM$ DISTRIBUTE c(*, BLOCK, *)
!DVM$ DISTRIBUTE d(BLOCK, *)
!DVM$ ALIGN e(i) WITH d(i, *)
  allocate (d(n, -2:n), e(n))
!DVM$ PARALLEL (j, i) ON a(i, j)
  do j = 1, n
    do i = 1, n
      a(i, j) = 100 * i + j
    end do
  end do
  b = 0
  c = 0
  d = 0
  e = 0
  do k = 1, 3
    b(1:n, :) = a                              ! all of it, distributed in other ways
    c(:, :, 2) = a(:, :)
    c(line(1), 2:6, 1) = a(line(2) - 1:n, k)   ! a column of places that only the run knows becomes a row
    d(2:n, -1) = a(k, 1:n - 1)
    d(:, 1:3) = b(0:n - 1, n - 2:n)
    e = c(5, :, 2)
    d(5, :) = k
    a(:, 1) = d(:, -1)
    do i = 1, 2
      a(n, 1:n) = c(2, :, i)
    end do
  end do
  low = 4
  high = 3
  a(low:high, 1) = b(low:high, 2)              ! nothing
  a(1:high - 3, 1) = b(1:high - 3, 2)
  if (low > high) a(2:3, 7) = c(7, 4:5, 1)
  print '(12f7.0)', a
  print '(14f7.0)', b
  print '(12f7.0)', c
  print '(12f7.0)', d
  print '(12f7.0)', e
end program sections
